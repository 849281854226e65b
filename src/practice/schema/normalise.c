#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/schema/internal.h"

enum { FEW_FIELDS = 64, LITERAL_TEXT = 256 };

/* A value and where it stands. */
struct spot {
    struct value *container, *entry;
    const struct schema *schema;
    unsigned flags;             /* its field's; 0: an item or a map's entry */
    const struct place *place;
    bool drop;                  /* it is the same as absent */
};

static bool read_value(struct reading *r, struct spot *s);

static bool no_memory(struct reading *r)
{
    r->wrong = true;
    return error_memory(&r->err);
}

/* Go stops at an error of a type that reads itself, whatever was wrong before. */
static bool stop(struct reading *r, const char *message)
{
    r->wrong = true;
    return error_set(&r->err, ERROR_INPUT, "", "%s", message);
}

static bool put(struct reading *r, struct spot *s, struct value *fresh)
{
    if (!value_replace(s->container, s->entry, fresh))
        return no_memory(r);
    s->entry = fresh;
    return true;
}

static void drop_if_zero(struct spot *s, bool zero)
{
    s->drop = zero && (s->flags & SCHEMA_OMIT_ZERO) != 0;
}

/* A number's literal as the text has it, else as JSON is printed. */
static void literal_of(const struct reading *r, const struct spot *s, char out[static LITERAL_TEXT])
{
    out[0] = '\0';
    if (r->text != NULL)
        scan_literal(r->text, r->length, s->place, out, LITERAL_TEXT);
    char *text = out[0] == '\0' ? json_text(s->entry, LITERAL_TEXT - 1) : NULL;
    if (text != NULL)
        memcpy(out, text, strlen(text) + 1);
    mem_free(text);
}

/* Says it with "string", "number 80.5" ...: as Go's errors call what stands there. True: reading goes on. */
static bool wrong_type(struct reading *r, const struct spot *s, bool with_number, const char *type)
{
    char what[LITERAL_TEXT + 16] = "", literal[LITERAL_TEXT];
    if ((s->schema->flags & SCHEMA_CUSTOM) != 0)
        return true;
    const char *name = value_type_name(value_type(s->entry));
    if (with_number && value_type(s->entry) == VALUE_NUMBER) {
        literal_of(r, s, literal);
        strcat(strcpy(what, "number "), literal);
        name = what;
    }
    place_wrong_type(r, s->place, name, s->schema, type);
    return type == NULL;
}

static bool read_string(struct reading *r, struct spot *s)
{
    const char *text = value_text(s->entry);
    if (text == NULL)
        return wrong_type(r, s, false, NULL);
    drop_if_zero(s, text[0] == '\0');
    return true;
}

static bool read_bool(struct reading *r, struct spot *s)
{
    if (value_type(s->entry) != VALUE_BOOL)
        return wrong_type(r, s, false, NULL);
    drop_if_zero(s, !value_is_true(s->entry));
    return true;
}

/* An integer as Go takes it: its literal has neither fraction nor exponent. */
static bool as_integer(const struct reading *r, const struct spot *s, int64_t *out)
{
    char literal[LITERAL_TEXT];
    if (!value_as_int(s->entry, out))
        return false;
    if (!r->odd_numbers)
        return true;
    literal_of(r, s, literal);
    return strpbrk(literal, ".eE") == NULL;
}

static bool read_integer(struct reading *r, struct spot *s)
{
    int64_t i;
    if (!as_integer(r, s, &i) || (s->schema->type == SCHEMA_INT32 && (i < INT32_MIN || i > INT32_MAX)))
        return wrong_type(r, s, true, NULL);
    drop_if_zero(s, i == 0);
    return true;
}

static bool read_double(struct reading *r, struct spot *s)
{
    double d;
    if (!value_as_double(s->entry, &d))
        return wrong_type(r, s, true, NULL);
    drop_if_zero(s, fpclassify(d) == FP_ZERO);
    return true;
}

static bool read_bytes(struct reading *r, struct spot *s)
{
    const char *text = value_text(s->entry);
    char *canonical = NULL;
    bool changed;
    struct error err;
    if (text == NULL)
        return wrong_type(r, s, false, NULL);
    drop_if_zero(s, text[0] == '\0');
    if (!scalar_base64(text, &canonical, &changed, &err)) {
        if (err.kind == ERROR_MEMORY)
            return no_memory(r);
        if (!r->wrong)
            r->err = err;
        r->wrong = true;
        return true;
    }
    if (!changed)
        return true;
    struct value *fresh = value_string(canonical);
    mem_free(canonical);
    return put(r, s, fresh);
}

static bool read_quantity(struct reading *r, struct spot *s)
{
    char literal[LITERAL_TEXT], canonical[QUANTITY_TEXT], trimmed[LITERAL_TEXT];
    const char *text = value_text(s->entry);
    if (value_type(s->entry) == VALUE_NUMBER) {
        literal_of(r, s, literal);
        text = literal;
    }
    if (text == NULL)
        return stop(r, quantity_fault("")); /* true, {}, []: no regular expression takes them */
    const char *from = text + strspn(text, " \t\r\n");
    size_t length = strlen(from);
    while (length > 0 && strchr(" \t\r\n", from[length - 1]) != NULL)
        length--;
    if (length >= sizeof trimmed)
        length = 0;
    memcpy(trimmed, from, length);
    trimmed[length] = '\0';
    bool list = s->place != NULL && s->place->up != NULL && s->place->field == NULL && s->place->up->field != NULL &&
                s->place->up->field->schema->go_name != NULL && strcmp(s->place->up->field->schema->go_name, "v1.ResourceList") == 0;
    if (!quantity_canonical(trimmed, list ? QUANTITY_MILLI : QUANTITY_NANO, canonical)) {
        const char *fault = quantity_fault(trimmed);
        return stop(r, fault != NULL ? fault : quantity_fault(""));
    }
    if (value_text(s->entry) != NULL && strcmp(value_text(s->entry), canonical) == 0)
        return true;
    return put(r, s, value_string(canonical));
}

static bool read_int_or_string(struct reading *r, struct spot *s)
{
    int64_t i;
    if (value_type(s->entry) == VALUE_STRING)
        return true;
    if (!as_integer(r, s, &i) || i < INT32_MIN || i > INT32_MAX)
        return wrong_type(r, s, true, "int32");
    return true;
}

static bool read_time(struct reading *r, struct spot *s)
{
    char canonical[TIME_TEXT];
    const char *text = value_text(s->entry);
    bool zero;
    struct error err;
    if (text == NULL)
        return wrong_type(r, s, false, "string");
    if (!scalar_time(text, s->schema->type == SCHEMA_MICRO_TIME, canonical, &zero, &err))
        return stop(r, err.message);
    if (zero) {
        s->drop = true; /* what Go prints as null */
        return true;
    }
    return strcmp(text, canonical) == 0 || put(r, s, value_string(canonical));
}

static bool read_duration(struct reading *r, struct spot *s)
{
    int64_t ms;
    const char *text = value_text(s->entry);
    if (text == NULL)
        return wrong_type(r, s, false, "string");
    if (duration_parse(text, &ms))
        return true;
    r->wrong = true;
    return error_set(&r->err, ERROR_INPUT, "", "time: invalid duration \"%s\"", text);
}

static void count_below(struct reading *r, const struct value *v)
{
    bool object = value_type(v) == VALUE_OBJECT;
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        r->entries += object;
        count_below(r, entry);
    }
}

/* A list of what SCHEMA_ANY may be one of. */
static bool read_alternatives(struct reading *r, struct spot *s)
{
    size_t index = 0;
    for (struct value *item = value_first(s->entry), *next; item != NULL; item = next, index++) {
        struct place here = {.up = s->place, .index = index};
        struct spot below = {.container = s->entry, .entry = item, .schema = s->schema->items, .place = &here};
        next = value_next(item);
        if (value_type(item) == VALUE_OBJECT && !read_value(r, &below))
            return false;
    }
    return true;
}

static bool read_any(struct reading *r, struct spot *s)
{
    struct spot inner = *s;
    enum value_type type = value_type(s->entry);
    inner.schema = s->schema->items;
    if (inner.schema == NULL || (type != VALUE_OBJECT && type != VALUE_ARRAY)) {
        count_below(r, s->entry);
        return true;
    }
    bool before = r->quiet;
    r->quiet = true;
    bool ok = type == VALUE_OBJECT ? read_value(r, &inner) : read_alternatives(r, s);
    r->quiet = before;
    return ok;
}

/* The zero value in a document, which is what null means as an item or in a map. */
static struct value *zero_value(const struct schema *schema)
{
    switch (schema->type) {
    case SCHEMA_STRING:
    case SCHEMA_BYTES: return value_string("");
    case SCHEMA_BOOL: return value_bool(false);
    case SCHEMA_INT32:
    case SCHEMA_INT64:
    case SCHEMA_DOUBLE:
    case SCHEMA_INT_OR_STRING: return value_int(0);
    case SCHEMA_QUANTITY: return value_string("0");
    case SCHEMA_DURATION: return value_string("0s");
    case SCHEMA_OBJECT: return value_object();
    default: return value_null();
    }
}

/* Puts the zero value where null is an item or a map's entry. */
static bool fill_null(struct reading *r, struct spot *s)
{
    if (value_type(s->entry) != VALUE_NULL || (s->schema->flags & SCHEMA_CUSTOM) != 0)
        return true;
    return put(r, s, zero_value(s->schema));
}

/* Reads an item or a map's entry. */
static bool read_element(struct reading *r, struct spot *s)
{
    if (value_type(s->entry) == VALUE_NULL)
        return true; /* a zero time, or a CRD's */
    if (!read_value(r, s))
        return false;
    return !s->drop || put(r, s, value_null());
}

static bool read_array(struct reading *r, struct spot *s)
{
    if (value_type(s->entry) != VALUE_ARRAY)
        return wrong_type(r, s, false, NULL);
    struct value *array = s->entry, *item = value_first(array), *next;
    /* Storing makes no difference between an empty list and none. */
    s->drop = item == NULL && (s->flags & (SCHEMA_OMIT_ZERO | SCHEMA_ALWAYS)) != 0;
    for (size_t index = 0; item != NULL; item = next, index++) {
        struct place here = {.up = s->place, .index = index};
        struct spot below = {.container = array, .entry = item, .schema = s->schema->items, .place = &here};
        next = value_next(item);
        if (!fill_null(r, &below) || !read_element(r, &below))
            return false;
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(value_key(*(struct value *const *)a), value_key(*(struct value *const *)b));
}

bool normalise_order(struct value *object)
{
    size_t count = 0;
    bool sorted = true;
    const char *last = NULL;
    for (struct value *entry = value_first(object); entry != NULL; entry = value_next(entry), count++) {
        sorted = sorted && (last == NULL || strcmp(last, value_key(entry)) < 0);
        last = value_key(entry);
    }
    if (sorted)
        return true;
    struct value **order = mem_zero(count, sizeof *order);
    if (order == NULL)
        return false;
    count = 0;
    for (struct value *entry = value_first(object); entry != NULL; entry = value_next(entry))
        order[count++] = entry;
    qsort(order, count, sizeof *order, by_key);
    value_arrange(object, order, count);
    mem_free(order);
    return true;
}

static bool read_map(struct reading *r, struct spot *s)
{
    if (value_type(s->entry) != VALUE_OBJECT)
        return wrong_type(r, s, false, NULL);
    struct value *map = s->entry, *entry = value_first(map), *next;
    drop_if_zero(s, entry == NULL);
    for (; entry != NULL; entry = next) {
        struct spot below = {.container = map, .entry = entry, .schema = s->schema->items};
        next = value_next(entry);
        r->entries++;
        if (!fill_null(r, &below))
            return false;
        struct place here = {.up = s->place, .key = value_key(below.entry)};
        below.place = &here;
        if (!read_element(r, &below))
            return false;
    }
    return normalise_order(map) || no_memory(r);
}

/* What stands for a field that is always there: null where Go has a pointer, a list or a map. */
static struct value *missing(const struct schema_field *field)
{
    bool pointer = (field->flags & SCHEMA_POINTER) != 0;
    return pointer || field->schema->type == SCHEMA_BYTES ? value_null() : zero_value(field->schema);
}

static bool add_missing(struct reading *r, struct spot *object, const struct schema_field *field)
{
    struct value *fresh = missing(field);
    if (!value_set(object->entry, field->name, fresh))
        return no_memory(r);
    schema_brand(object->schema, field, fresh);
    struct place here = {.up = object->place, .object = object->schema, .field = field};
    struct spot below = {.container = object->entry, .entry = fresh, .schema = field->schema, .flags = field->flags, .place = &here};
    return value_type(fresh) != VALUE_OBJECT || read_value(r, &below);
}

static bool read_unknown(struct reading *r, struct spot *object, struct value *entry)
{
    char path[PLACE_TEXT];
    count_below(r, entry);
    r->entries++;
    if ((object->schema->flags & SCHEMA_PRESERVE) != 0)
        return true;
    r->unknown = true;
    if (r->complaints != NULL && r->text == NULL && !r->quiet) {
        struct place here = {.up = object->place, .key = value_key(entry)};
        place_path(&here, path);
        if (!scan_complain(r->complaints, "unknown", path))
            return no_memory(r);
    }
    value_free(value_take(object->entry, entry));
    return true;
}

/* Reads the entry that stands for a field; *kept: it is there afterwards. */
static bool read_field(struct reading *r, struct spot *object, const struct schema_field *field, struct value *entry, bool *kept)
{
    struct place here = {.up = object->place, .object = object->schema, .field = field};
    struct spot below = {.container = object->entry, .entry = entry, .schema = field->schema, .flags = field->flags, .place = &here};
    r->entries++;
    if (value_type(entry) == VALUE_NULL) {
        below.drop = (field->schema->flags & SCHEMA_NULLABLE) == 0;
    } else if (!read_value(r, &below)) {
        return false;
    }
    *kept = !below.drop;
    if (below.drop)
        value_free(value_take(object->entry, below.entry));
    else
        schema_brand(object->schema, field, below.entry);
    return true;
}

/* Where an entry stands among the others: as its field in the table; others behind. */
static size_t rank_of(const struct schema *schema, const struct value *entry)
{
    const struct schema_field *field = schema_entry(schema, entry);
    return field != NULL ? (size_t)(field - schema->fields) : schema->field_count;
}

/* Fields in the table's order, then what else is kept, in its own. */
static bool put_in_order(struct reading *r, struct spot *object)
{
    size_t count = value_length(object->entry), filled = 0;
    struct value *few[FEW_FIELDS], **order = count <= FEW_FIELDS ? few : mem_zero(count, sizeof *order);
    uint16_t few_ranks[FEW_FIELDS], *ranks = count <= FEW_FIELDS ? few_ranks : mem_zero(count, sizeof *ranks);
    bool ok = (order != NULL && ranks != NULL) || no_memory(r);
    for (struct value *entry = ok ? value_first(object->entry) : NULL; entry != NULL; entry = value_next(entry), filled++) {
        uint16_t rank = (uint16_t)rank_of(object->schema, entry);
        size_t at = filled;
        for (; at > 0 && ranks[at - 1] > rank; at--) {
            order[at] = order[at - 1];
            ranks[at] = ranks[at - 1];
        }
        order[at] = entry;
        ranks[at] = rank;
    }
    if (ok)
        value_arrange(object->entry, order, filled);
    if (order != few)
        mem_free(order);
    if (ranks != few_ranks)
        mem_free(ranks);
    return ok;
}

/* Adds what must be there: bits of fields. */
static bool add_all_missing(struct reading *r, struct spot *s, uint64_t missing)
{
    for (size_t i = 0; missing != 0; i++, missing >>= 1)
        if ((missing & 1) != 0 && !add_missing(r, s, &s->schema->fields[i]))
            return false;
    return true;
}

static bool read_object(struct reading *r, struct spot *s)
{
    if (value_type(s->entry) != VALUE_OBJECT)
        return wrong_type(r, s, false, NULL);
    const struct schema *schema = s->schema;
    uint64_t seen = 0;
    size_t last = 0;
    bool ordered = true, kept;
    for (struct value *entry = value_first(s->entry), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        const struct schema_field *field = schema_entry(schema, entry);
        if (field == NULL) {
            if (!read_unknown(r, s, entry))
                return false;
            continue;
        }
        size_t index = (size_t)(field - schema->fields);
        ordered = ordered && index >= last;
        last = index;
        if (!read_field(r, s, field, entry, &kept))
            return false;
        seen |= kept ? UINT64_C(1) << index % 64 : 0;
    }
    uint64_t missing = schema->always & ~seen;
    if (!add_all_missing(r, s, missing))
        return false;
    if ((!ordered || missing != 0) && (schema->flags & SCHEMA_CUSTOM) == 0 && !put_in_order(r, s))
        return false;
    if ((s->flags & SCHEMA_OMIT_ZERO) != 0)
        s->drop = value_first(s->entry) == NULL;
    return true;
}

static bool read_value(struct reading *r, struct spot *s)
{
    static bool (*const readers[])(struct reading *, struct spot *) = {
        [SCHEMA_STRING] = read_string, [SCHEMA_BOOL] = read_bool,         [SCHEMA_INT32] = read_integer,
        [SCHEMA_INT64] = read_integer, [SCHEMA_DOUBLE] = read_double,     [SCHEMA_BYTES] = read_bytes,
        [SCHEMA_QUANTITY] = read_quantity, [SCHEMA_INT_OR_STRING] = read_int_or_string, [SCHEMA_TIME] = read_time,
        [SCHEMA_MICRO_TIME] = read_time, [SCHEMA_DURATION] = read_duration, [SCHEMA_FIELDS] = read_any,
        [SCHEMA_RAW] = read_any,       [SCHEMA_ANY] = read_any,           [SCHEMA_OBJECT] = read_object,
        [SCHEMA_ARRAY] = read_array,   [SCHEMA_MAP] = read_map,
    };
    return readers[s->schema->type](r, s);
}

bool normalise_root(struct reading *r, struct value *object, const struct schema *schema)
{
    struct spot s = {.entry = object, .schema = schema};
    return read_value(r, &s) && !r->wrong;
}
