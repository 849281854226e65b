#include "practice/schema/protobuf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "data/utf8.h"
#include "practice/schema/decode.h"

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* A message, or what is left of it. */
struct wire {
    const unsigned char *at, *end;
    size_t depth;
    struct error *err;
};

/* One field as it stands in a message. */
struct part {
    unsigned number;
    enum wire_type type;
    uint64_t varint; /* also fixed ones */
    struct wire bytes;
};

static const unsigned char prefix[4] = {'k', '8', 's', 0};

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_INPUT, "", "proto: the body is no protobuf message of its kind");
}

static bool read_varint(struct wire *w, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && w->at < w->end; shift += 7) {
        unsigned char byte = *w->at++;
        *out |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return malformed(w->err);
}

static bool read_fixed(struct wire *w, size_t size, uint64_t *out)
{
    if ((size_t)(w->end - w->at) < size)
        return malformed(w->err);
    *out = 0;
    for (size_t i = 0; i < size; i++)
        *out |= (uint64_t)w->at[i] << (8 * i);
    w->at += size;
    return true;
}

/* The next field; false with err untouched (*more false) at the end. */
static bool next_part(struct wire *w, struct part *out, bool *more)
{
    uint64_t tag, length;
    *more = w->at < w->end;
    if (!*more)
        return true;
    if (!read_varint(w, &tag))
        return false;
    *out = (struct part){.number = tag >> 3 < 65536 ? (unsigned)(tag >> 3) : 0, .type = (enum wire_type)(tag & 7), .bytes.err = w->err};
    switch (out->type) {
    case WIRE_VARINT: return read_varint(w, &out->varint);
    case WIRE_64: return read_fixed(w, 8, &out->varint);
    case WIRE_32: return read_fixed(w, 4, &out->varint);
    case WIRE_BYTES: break;
    default: return malformed(w->err);
    }
    if (!read_varint(w, &length) || length > (uint64_t)(w->end - w->at))
        return malformed(w->err);
    out->bytes = (struct wire){.at = w->at, .end = w->at + length, .depth = w->depth + 1, .err = w->err};
    w->at += length;
    return out->bytes.depth <= PROTOBUF_DEPTH || malformed(w->err);
}

static struct value *own(struct value *v, struct error *err)
{
    if (v == NULL)
        error_memory(err);
    return v;
}

static struct value *text_of(const struct wire *w)
{
    return own(value_string_n((const char *)w->at, (size_t)(w->end - w->at)), w->err);
}

/* Numbers and texts of a small message, by field number up to 4. */
struct small {
    bool any;
    int64_t number[5];
    struct wire bytes[5];
};

static bool read_small(struct wire w, struct small *out)
{
    struct part part;
    bool more;
    *out = (struct small){.any = w.at < w.end};
    while (next_part(&w, &part, &more)) {
        if (!more)
            return true;
        if (part.number >= 5)
            continue;
        out->number[part.number] = (int64_t)part.varint;
        out->bytes[part.number] = part.bytes;
    }
    return false;
}

static struct value *read_bytes(const struct wire *w)
{
    char *text = base64_encode(w->at, (size_t)(w->end - w->at));
    struct value *v = text != NULL ? value_string(text) : NULL;
    mem_free(text);
    return own(v, w->err);
}

static struct value *read_time(const struct small *s, bool micro, struct error *err)
{
    char text[40], whole[21];
    if (!s->any)
        return own(value_null(), err); /* the zero time */
    int64_t seconds = s->number[1];
    int64_t limit = INT64_C(400000000000); /* year 14000; printing clamps further */
    seconds = seconds > limit ? limit : seconds < -limit ? -limit : seconds;
    time_print(seconds * 1000, whole);
    int64_t nanos = s->number[2] < 0 || s->number[2] > 999999999 ? 0 : s->number[2];
    if (micro)
        snprintf(text, sizeof text, "%.19s.%06dZ", whole, (int)(nanos / 1000));
    else
        snprintf(text, sizeof text, "%s", whole);
    return own(value_string(text), err);
}

static struct value *read_int_or_string(const struct small *s, struct error *err)
{
    if (s->number[1] == 0)
        return own(value_int((int32_t)s->number[2]), err);
    return own(value_string_n((const char *)s->bytes[3].at, (size_t)(s->bytes[3].end - s->bytes[3].at)), err);
}

/* Nanoseconds as Go's Duration has them: whole milliseconds are told. */
static struct value *read_duration(const struct small *s, struct error *err)
{
    char text[40];
    int64_t ms = s->number[1] / 1000000;
    if (ms % 1000 == 0)
        snprintf(text, sizeof text, "%llds", (long long)(ms / 1000));
    else
        snprintf(text, sizeof text, "%lldms", (long long)ms);
    return own(value_string(text), err);
}

/* JSON within the message, or a message of its own. */
static struct value *read_raw(const struct wire *raw, struct error *err)
{
    size_t length = (size_t)(raw->end - raw->at);
    struct protobuf_envelope inner;
    if (length == 0)
        return own(value_null(), err);
    if (length < sizeof prefix || memcmp(raw->at, prefix, sizeof prefix) != 0)
        return json_parse((const char *)raw->at, length, "body", err);
    if (raw->depth > PROTOBUF_DEPTH / 10 || !protobuf_open(raw->at, length, &inner, err)) {
        malformed(err);
        return NULL;
    }
    const struct schema_kind *kind = schema_kind_at(inner.api_version, inner.kind);
    if (kind != NULL)
        return protobuf_decode(&inner, kind->schema, err);
    malformed(err);
    return NULL;
}

static struct value *read_value(const struct part *part, const struct schema *schema);
static bool read_message(struct wire w, const struct schema *schema, unsigned outer, struct value *into);

static struct value *read_object(const struct wire *w, const struct schema *schema)
{
    struct value *object = own(value_object(), w->err);
    if (object != NULL && !read_message(*w, schema, 0, object)) {
        value_free(object);
        return NULL;
    }
    return object;
}

/* JSONSchemaPropsOrArray {schema 1, schemas 2}, OrBool {allows 1, schema 2}, OrStringArray {schema 1, strings 2}. */
static struct value *read_schema_or(const struct wire *w, const struct schema *schema)
{
    const char *end = schema->name + strlen(schema->name);
    bool or_bool = strcmp(end - 4, "Bool") == 0, or_strings = !or_bool && strcmp(end - 11, "StringArray") == 0;
    struct wire rest = *w;
    struct part part;
    struct value *result = own(or_bool ? value_bool(false) : value_array(), w->err);
    bool more = result != NULL, ok = more;
    while (more && (ok = next_part(&rest, &part, &more)) && more) {
        bool whole = part.number == (or_bool ? 2U : 1U) && part.type == WIRE_BYTES;
        if (!whole && part.number > 2)
            continue;
        struct value *one = whole ? read_object(&part.bytes, schema->items) : or_bool ? own(value_bool(part.varint != 0), w->err)
                          : part.type != WIRE_BYTES ? NULL : or_strings ? text_of(&part.bytes) : read_object(&part.bytes, schema->items);
        ok = one != NULL;
        if (!ok) {
            if (part.type != WIRE_BYTES && !or_bool)
                malformed(w->err);
            break;
        }
        if (whole || or_bool) {
            bool keep = or_bool && !whole && value_type(result) == VALUE_OBJECT; /* allows stands beside the schema */
            value_free(keep ? one : result);
            result = keep ? result : one;
        } else if (value_type(result) == VALUE_ARRAY && !(ok = value_append(result, one))) {
            error_memory(w->err);
            break;
        } else if (value_type(result) != VALUE_ARRAY) {
            value_free(one);
        }
    }
    if (ok)
        return result;
    value_free(result);
    return NULL;
}

static struct value *read_special(const struct wire *w, const struct schema *schema)
{
    struct small small;
    if (schema->type == SCHEMA_ANY && schema->items != NULL)
        return read_schema_or(w, schema);
    if (!read_small(*w, &small))
        return NULL;
    if (small.bytes[1].at == NULL)
        small.bytes[1] = (struct wire){.at = w->at, .end = w->at, .err = w->err};
    small.bytes[1].depth = w->depth + 1;
    switch (schema->type) {
    case SCHEMA_QUANTITY: return small.bytes[1].at == small.bytes[1].end ? own(value_string("0"), w->err) : text_of(&small.bytes[1]);
    case SCHEMA_INT_OR_STRING: return read_int_or_string(&small, w->err);
    case SCHEMA_TIME: return read_time(&small, false, w->err);
    case SCHEMA_MICRO_TIME: return read_time(&small, true, w->err);
    case SCHEMA_DURATION: return read_duration(&small, w->err);
    default: return read_raw(&small.bytes[1], w->err);
    }
}

/* A value that is not a list or map itself. */
static struct value *read_value(const struct part *part, const struct schema *schema)
{
    struct error *err = part->bytes.err;
    bool bytes = part->type == WIRE_BYTES;
    double d;
    switch (schema->type) {
    case SCHEMA_BOOL: return own(value_bool(part->varint != 0), err);
    case SCHEMA_INT32: return own(value_int((int32_t)part->varint), err);
    case SCHEMA_INT64: return own(value_int((int64_t)part->varint), err);
    case SCHEMA_DOUBLE:
        memcpy(&d, &part->varint, sizeof d);
        return own(value_double(part->type == WIRE_64 && isfinite(d) ? d : part->type == WIRE_VARINT ? (double)(int64_t)part->varint : 0), err);
    default: break;
    }
    if (!bytes) {
        malformed(err);
        return NULL;
    }
    switch (schema->type) {
    case SCHEMA_STRING: return text_of(&part->bytes);
    case SCHEMA_BYTES: return read_bytes(&part->bytes);
    case SCHEMA_OBJECT: return read_object(&part->bytes, schema);
    default: return read_special(&part->bytes, schema);
    }
}

static bool append(struct value *array, const struct part *part, const struct schema *items)
{
    struct value *item = read_value(part, items);
    return item != NULL && (value_append(array, item) || error_memory(part->bytes.err));
}

/* Adds one occurrence of a repeated field; numbers may come packed, several in one. */
static bool add_items(struct value *array, const struct part *part, const struct schema *items)
{
    bool number = items->type == SCHEMA_BOOL || items->type == SCHEMA_INT32 || items->type == SCHEMA_INT64;
    if (!number || part->type != WIRE_BYTES)
        return append(array, part, items);
    struct part one = {.type = WIRE_VARINT, .bytes.err = part->bytes.err};
    for (struct wire w = part->bytes; w.at < w.end;) {
        if (!read_varint(&w, &one.varint) || !append(array, &one, items))
            return false;
    }
    return true;
}

/* An array that is a message, its items field 1. */
static struct value *read_wrapped(const struct part *part, const struct schema *schema)
{
    struct wire w = part->bytes;
    struct part item;
    bool more = part->type == WIRE_BYTES, ok = more || malformed(w.err);
    struct value *array = ok ? own(value_array(), w.err) : NULL;
    ok = array != NULL;
    while (ok && more && (ok = next_part(&w, &item, &more)) && more) {
        if (item.number == 1)
            ok = add_items(array, &item, schema->items);
    }
    if (ok)
        return array;
    value_free(array);
    return NULL;
}

static struct value *read_entry_value(const struct part *part, const struct schema *schema)
{
    return (schema->flags & SCHEMA_WRAPPED) != 0 ? read_wrapped(part, schema) : read_value(part, schema);
}

/* A map's entry {key 1, value 2}; what is missing is zero. */
static bool add_entry(struct value *map, const struct part *part, const struct schema *items)
{
    struct wire w = part->bytes;
    struct part inner, value = {.type = WIRE_BYTES, .bytes = {.at = w.end, .end = w.end, .depth = w.depth + 1, .err = w.err}};
    struct value *key = NULL;
    bool more = part->type == WIRE_BYTES, ok = more || malformed(part->bytes.err);
    while (ok && more && (ok = next_part(&w, &inner, &more)) && more) {
        if (inner.number == 1 && inner.type == WIRE_BYTES) {
            value_free(key);
            ok = (key = text_of(&inner.bytes)) != NULL;
        } else if (inner.number == 2) {
            value = inner;
        }
    }
    struct value *child = ok ? read_entry_value(&value, items) : NULL;
    const char *text = key != NULL ? value_text(key) : "";
    struct buf repaired = buf_make(4 * strlen(text) + 1); /* keys that are shown alike are one */
    if (child != NULL && !utf8_valid(text, strlen(text))) {
        utf8_repair(text, strlen(text), &repaired);
        text = buf_ok(&repaired) ? repaired.bytes : NULL;
    }
    if (text == NULL) {
        value_free(child);
        ok = error_memory(part->bytes.err);
    } else {
        ok = child != NULL && (value_set(map, text, child) || error_memory(part->bytes.err));
    }
    buf_free(&repaired);
    value_free(key);
    return ok;
}

static bool read_field(const struct part *part, const struct schema_field *field, struct value *into)
{
    const struct schema *schema = field->schema;
    struct error *err = part->bytes.err;
    struct value *there = value_get(into, field->name);
    bool wrapped = (schema->flags & SCHEMA_WRAPPED) != 0;
    if ((schema->type == SCHEMA_ARRAY && !wrapped) || schema->type == SCHEMA_MAP) {
        if (there == NULL) {
            there = schema->type == SCHEMA_MAP ? value_object() : value_array();
            if (!value_set(into, field->name, there))
                return error_memory(err);
        }
        return schema->type == SCHEMA_MAP ? add_entry(there, part, schema->items) : add_items(there, part, schema->items);
    }
    if (schema->type == SCHEMA_OBJECT && value_type(there) == VALUE_OBJECT && part->type == WIRE_BYTES)
        return read_message(part->bytes, schema, 0, there); /* said twice: the parts are one */
    struct value *child = read_entry_value(part, schema);
    return child != NULL && (value_set(into, field->name, child) || error_memory(err));
}

/* The field with a number; *inside: no field, but fields have it as the message that they are in. */
static const struct schema_field *find(const struct schema *schema, unsigned number, bool *inside)
{
    *inside = false;
    for (size_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].number == number)
            return &schema->fields[i];
        *inside = *inside || (number < 256 && schema->fields[i].number >> 8 == number);
    }
    return NULL;
}

/* `outer`: the number of the struct's message that is inline in JSON only; 0: the object itself. */
static bool read_message(struct wire w, const struct schema *schema, unsigned outer, struct value *into)
{
    struct part part;
    bool more, inside;
    while (next_part(&w, &part, &more)) {
        if (!more)
            return true;
        if (part.number == 0 || part.number > 255)
            continue;
        const struct schema_field *field = find(schema, outer << 8 | part.number, &inside);
        if (field == NULL && inside && outer == 0) {
            if (part.type != WIRE_BYTES)
                return malformed(w.err);
            if (!read_message(part.bytes, schema, part.number, into))
                return false;
        } else if (field != NULL && !read_field(&part, field, into)) {
            return false;
        }
    }
    return false;
}

static void copy_text(const struct wire *w, char *out, size_t room)
{
    size_t length = w->at != NULL ? (size_t)(w->end - w->at) : 0;
    if (length >= room)
        length = room - 1;
    if (length > 0)
        memcpy(out, w->at, length);
    out[length] = '\0';
}

bool protobuf_open(const void *body, size_t length, struct protobuf_envelope *out, struct error *err)
{
    struct small envelope, meta = {0};
    struct error unused;
    if (length < sizeof prefix || memcmp(body, prefix, sizeof prefix) != 0)
        return error_set(err, ERROR_INPUT, "", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
    const unsigned char *bytes = body;
    struct wire w = {.at = bytes + sizeof prefix, .end = bytes + length, .err = err != NULL ? err : &unused};
    if (!read_small(w, &envelope) || (envelope.bytes[1].at != NULL && !read_small(envelope.bytes[1], &meta)))
        return false;
    copy_text(&meta.bytes[1], out->api_version, sizeof out->api_version);
    copy_text(&meta.bytes[2], out->kind, sizeof out->kind);
    out->message = envelope.bytes[2].at != NULL ? envelope.bytes[2].at : w.end;
    out->length = envelope.bytes[2].at != NULL ? (size_t)(envelope.bytes[2].end - envelope.bytes[2].at) : 0;
    return true;
}

/* A document that could not be read again from its text would be lost with the next start. */
static bool is_shallow(const struct value *v, size_t left)
{
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        if (left == 0 || !is_shallow(entry, left - 1))
            return false;
    }
    return true;
}

struct value *protobuf_decode(const struct protobuf_envelope *envelope, const struct schema *schema, struct error *err)
{
    struct error unused;
    struct wire w = {.at = envelope->message, .end = envelope->message + envelope->length, .err = err != NULL ? err : &unused};
    struct value *object = read_object(&w, schema);
    if (object == NULL)
        return NULL;
    if (!is_shallow(object, JSON_DEPTH - 1)) {
        value_free(object);
        error_set(err, ERROR_LIMIT, "", "nested too deeply");
        return NULL;
    }
    bool ok = value_set(object, "kind", value_string(envelope->kind)) && value_set(object, "apiVersion", value_string(envelope->api_version));
    if (!ok)
        error_memory(w.err);
    if (ok && schema_normalise(object, schema, NULL, w.err))
        return object;
    value_free(object);
    return NULL;
}
