/* openapi2_protobuf.c: parts of an OpenAPI v2 document in protobuf: JSON keys by table to the numbers of gnostic's OpenAPIv2.proto. What the tables do not have is left out, what begins with x- is a
 * vendor extension, as YAML, which JSON is. */
#include <string.h>

#include "data/json.h"
#include "practice/api/openapi.h"

enum { BYTES = 2, DOUBLE = 1 /* wire types */ };

enum form {
    FORM_TEXT, /* also each of an array of texts */
    FORM_BOOL,
    FORM_INT,
    FORM_DOUBLE,
    FORM_ANY,      /* also each of an array */
    FORM_MESSAGE,  /* also each of an array */
    FORM_INNER,    /* a message inside of one that has nothing else: field 1 */
    FORM_WORDS,    /* texts inside of such a one */
    FORM_NAMED,    /* entries of an object, inside of such a one: {name = 1, value = 2} each */
    FORM_RESPONSES,
    FORM_PARAMETERS,
};

struct field {
    const char *key;
    unsigned number;
    enum form form;
    const struct message *message;
};

struct message {
    const struct field *fields; /* ended by one without a key */
    unsigned extensions;        /* number of vendor extensions; 0: none */
};

static const struct message schema_message;

static const struct field schema_fields[] = {
    {"$ref", 1, FORM_TEXT, NULL},
    {"format", 2, FORM_TEXT, NULL},
    {"title", 3, FORM_TEXT, NULL},
    {"description", 4, FORM_TEXT, NULL},
    {"default", 5, FORM_ANY, NULL},
    {"multipleOf", 6, FORM_DOUBLE, NULL},
    {"maximum", 7, FORM_DOUBLE, NULL},
    {"exclusiveMaximum", 8, FORM_BOOL, NULL},
    {"minimum", 9, FORM_DOUBLE, NULL},
    {"exclusiveMinimum", 10, FORM_BOOL, NULL},
    {"maxLength", 11, FORM_INT, NULL},
    {"minLength", 12, FORM_INT, NULL},
    {"pattern", 13, FORM_TEXT, NULL},
    {"maxItems", 14, FORM_INT, NULL},
    {"minItems", 15, FORM_INT, NULL},
    {"uniqueItems", 16, FORM_BOOL, NULL},
    {"maxProperties", 17, FORM_INT, NULL},
    {"minProperties", 18, FORM_INT, NULL},
    {"required", 19, FORM_TEXT, NULL},
    {"enum", 20, FORM_ANY, NULL},
    {"additionalProperties", 21, FORM_INNER, &schema_message},
    {"type", 22, FORM_WORDS, NULL},
    {"items", 23, FORM_INNER, &schema_message},
    {"allOf", 24, FORM_MESSAGE, &schema_message},
    {"properties", 25, FORM_NAMED, &schema_message},
    {"example", 30, FORM_ANY, NULL},
    {NULL, 0, FORM_TEXT, NULL},
};
static const struct message schema_message = {schema_fields, 31};

static const struct field body_fields[] = {
    {"description", 1, FORM_TEXT, NULL}, {"name", 2, FORM_TEXT, NULL},  {"in", 3, FORM_TEXT, NULL},
    {"required", 4, FORM_BOOL, NULL},    {"schema", 5, FORM_MESSAGE, &schema_message}, {NULL, 0, FORM_TEXT, NULL},
};
static const struct message body_message = {body_fields, 6};

static const struct field query_fields[] = {
    {"required", 1, FORM_BOOL, NULL}, {"in", 2, FORM_TEXT, NULL},     {"description", 3, FORM_TEXT, NULL},  {"name", 4, FORM_TEXT, NULL},
    {"type", 6, FORM_TEXT, NULL},     {"format", 7, FORM_TEXT, NULL}, {"uniqueItems", 20, FORM_BOOL, NULL}, {NULL, 0, FORM_TEXT, NULL},
};
static const struct message query_message = {query_fields, 23};

static const struct field place_fields[] = {
    {"required", 1, FORM_BOOL, NULL}, {"in", 2, FORM_TEXT, NULL},     {"description", 3, FORM_TEXT, NULL},  {"name", 4, FORM_TEXT, NULL},
    {"type", 5, FORM_TEXT, NULL},     {"format", 6, FORM_TEXT, NULL}, {"uniqueItems", 19, FORM_BOOL, NULL}, {NULL, 0, FORM_TEXT, NULL},
};
static const struct message place_message = {place_fields, 22};

static const struct field response_fields[] = {{"description", 1, FORM_TEXT, NULL}, {"schema", 2, FORM_INNER, &schema_message}, {NULL, 0, FORM_TEXT, NULL}};
static const struct message response_message = {response_fields, 5};

static const struct field operation_fields[] = {
    {"tags", 1, FORM_TEXT, NULL},     {"summary", 2, FORM_TEXT, NULL},  {"description", 3, FORM_TEXT, NULL},      {"operationId", 5, FORM_TEXT, NULL},
    {"produces", 6, FORM_TEXT, NULL}, {"consumes", 7, FORM_TEXT, NULL}, {"parameters", 8, FORM_PARAMETERS, NULL}, {"responses", 9, FORM_RESPONSES, NULL},
    {"schemes", 10, FORM_TEXT, NULL}, {NULL, 0, FORM_TEXT, NULL},
};
static const struct message operation_message = {operation_fields, 13};

static const struct field path_fields[] = {
    {"get", 2, FORM_MESSAGE, &operation_message},    {"put", 3, FORM_MESSAGE, &operation_message},   {"post", 4, FORM_MESSAGE, &operation_message},
    {"delete", 5, FORM_MESSAGE, &operation_message}, {"patch", 8, FORM_MESSAGE, &operation_message}, {"parameters", 9, FORM_PARAMETERS, NULL},
    {NULL, 0, FORM_TEXT, NULL},
};
static const struct message path_message = {path_fields, 10};

/* ---- the wire ---- */

static void put_number(uint64_t number, struct buf *out)
{
    do {
        unsigned char byte = (unsigned char)((number & 127) | (number > 127 ? 128 : 0));
        buf_append(out, &byte, 1);
        number >>= 7;
    } while (number != 0);
}

void openapi2_bytes(unsigned number, const void *bytes, size_t length, struct buf *out)
{
    put_number(number << 3 | BYTES, out);
    put_number(length, out);
    buf_append(out, bytes, length);
}

static void put_text(unsigned number, const char *text, struct buf *out)
{
    openapi2_bytes(number, text, strlen(text), out);
}

static void put_integer(unsigned number, uint64_t integer, struct buf *out)
{
    put_number(number << 3, out);
    put_number(integer, out);
}

/* Ends a message that was made in `inner`: it becomes a field of `out`. False: no memory. */
static bool put_message(unsigned number, struct buf *inner, struct buf *out)
{
    bool ok = buf_ok(inner);
    openapi2_bytes(number, inner->bytes, inner->length, out);
    buf_free(inner);
    return ok && buf_ok(out);
}

/* ---- messages ---- */

static bool message(const struct message *as, const struct value *from, struct buf *out);

/* The same, as field `number`. */
static bool put_as(unsigned number, const struct message *as, const struct value *from, struct buf *out)
{
    struct buf inner = buf_make(OPENAPI_PIECE);
    bool ok = message(as, from, &inner);
    return put_message(number, &inner, out) && ok;
}

/* {yaml = 2} */
static bool put_any(unsigned number, const struct value *v, struct buf *out)
{
    struct buf text = buf_make(OPENAPI_PIECE), any = buf_make(OPENAPI_PIECE);
    json_print(v, false, &text);
    bool ok = put_message(2, &text, &any);
    return put_message(number, &any, out) && ok;
}

static bool put_extension(unsigned number, const struct value *v, struct buf *out)
{
    struct buf named = buf_make(OPENAPI_PIECE);
    put_text(1, value_key(v), &named);
    bool ok = put_any(2, v, &named);
    return put_message(number, &named, out) && ok;
}

static bool put_named(const struct message *as, const struct value *entry, struct buf *out)
{
    struct buf named = buf_make(OPENAPI_PIECE);
    put_text(1, value_key(entry), &named);
    bool ok = put_as(2, as, entry, &named);
    return put_message(1, &named, out) && ok;
}

/* ParametersItem{Parameter{BodyParameter = 1, NonBodyParameter{query = 3, path = 4} = 2} = 1} */
static bool put_parameter(unsigned number, const struct value *parameter, struct buf *out)
{
    const char *in = value_find_text(parameter, "in", NULL);
    bool body = in != NULL && strcmp(in, "body") == 0, place = in != NULL && strcmp(in, "path") == 0, ok;
    struct buf chosen = buf_make(OPENAPI_PIECE), either = buf_make(OPENAPI_PIECE), item = buf_make(OPENAPI_PIECE);
    if (body) {
        ok = put_as(1, &body_message, parameter, &either);
    } else {
        ok = put_as(place ? 4 : 3, place ? &place_message : &query_message, parameter, &chosen);
        ok = put_message(2, &chosen, &either) && ok;
    }
    ok = put_message(1, &either, &item) && ok;
    return put_message(number, &item, out) && ok;
}

/* {name = 1, ResponseValue{Response = 1} = 2} as field 1 of Responses */
static bool put_response(const struct value *response, struct buf *out)
{
    struct buf named = buf_make(OPENAPI_PIECE), value = buf_make(OPENAPI_PIECE);
    put_text(1, value_key(response), &named);
    bool ok = put_as(1, &response_message, response, &value);
    ok = put_message(2, &value, &named) && ok;
    return put_message(1, &named, out) && ok;
}

/* What stands inside of a message of one repeated field. */
static bool put_inside(const struct field *field, const struct value *v, struct buf *out)
{
    struct buf inner = buf_make(OPENAPI_PIECE);
    bool ok = true, many = value_type(v) == VALUE_ARRAY || field->form == FORM_NAMED || field->form == FORM_RESPONSES;
    if (value_type(v) == VALUE_BOOL) { /* additionalProperties: true */
        put_integer(2, value_is_true(v), &inner);
        return put_message(field->number, &inner, out);
    }
    for (const struct value *entry = many ? value_first(v) : v; entry != NULL && ok; entry = many ? value_next(entry) : NULL) {
        switch (field->form) {
        case FORM_WORDS: put_text(1, value_text(entry) != NULL ? value_text(entry) : "", &inner); break;
        case FORM_NAMED: ok = put_named(field->message, entry, &inner); break;
        case FORM_RESPONSES: ok = put_response(entry, &inner); break;
        default: ok = put_as(1, field->message, entry, &inner);
        }
    }
    return put_message(field->number, &inner, out) && ok;
}

static bool put_double(unsigned number, const struct value *v, struct buf *out)
{
    double real = 0;
    uint64_t bits;
    if (!value_as_double(v, &real))
        return true;
    memcpy(&bits, &real, sizeof bits);
    put_number(number << 3 | DOUBLE, out);
    for (unsigned i = 0; i < 8; i++)
        buf_append(out, &(unsigned char){(unsigned char)(bits >> (8 * i))}, 1);
    return buf_ok(out);
}

static bool put_one(const struct field *field, const struct value *v, struct buf *out)
{
    int64_t integer = 0;
    switch (field->form) {
    case FORM_TEXT:
        if (value_text(v) != NULL)
            put_text(field->number, value_text(v), out);
        return buf_ok(out);
    case FORM_BOOL: put_integer(field->number, value_is_true(v), out); return buf_ok(out);
    case FORM_INT:
        if (value_as_int(v, &integer))
            put_integer(field->number, (uint64_t)integer, out);
        return buf_ok(out);
    case FORM_DOUBLE: return put_double(field->number, v, out);
    case FORM_ANY: return put_any(field->number, v, out);
    case FORM_MESSAGE: return put_as(field->number, field->message, v, out);
    case FORM_PARAMETERS: return put_parameter(field->number, v, out);
    default: return put_inside(field, v, out);
    }
}

static bool put_field(const struct field *field, const struct value *v, struct buf *out)
{
    bool inside = field->form == FORM_INNER || field->form == FORM_WORDS, whole = field->form == FORM_ANY && strcmp(field->key, "enum") != 0;
    bool ok = true;
    if (value_type(v) != VALUE_ARRAY || inside || whole)
        return put_one(field, v, out);
    for (const struct value *item = value_first(v); item != NULL && ok; item = value_next(item))
        ok = put_one(field, item, out);
    return ok;
}

static bool message(const struct message *as, const struct value *from, struct buf *out)
{
    bool ok = true;
    for (const struct value *entry = value_first(from); entry != NULL && ok; entry = value_next(entry)) {
        const char *key = value_key(entry);
        const struct field *field = as->fields;
        while (field->key != NULL && strcmp(field->key, key) != 0)
            field++;
        if (field->key != NULL)
            ok = put_field(field, entry, out);
        else if (strncmp(key, "x-", 2) == 0 && as->extensions != 0)
            ok = put_extension(as->extensions, entry, out);
    }
    return ok;
}

bool openapi2_path(const char *name, const struct value *item, struct buf *out)
{
    struct buf named = buf_make(OPENAPI_PIECE);
    put_text(1, name, &named);
    bool ok = put_as(2, &path_message, item, &named);
    return put_message(2, &named, out) && ok;
}

bool openapi2_definition(const char *name, const struct value *schema, struct buf *out)
{
    (void)name;
    return put_named(&schema_message, schema, out);
}
