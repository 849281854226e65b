#include "data/value.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "data/node.h"
#include "data/number.h"
#include "data/utf8.h"

struct value *value_null(void)
{
    return node_value(node_fresh(cJSON_NULL, NULL, 0));
}

struct value *value_bool(bool b)
{
    return node_value(node_fresh(b ? cJSON_True : cJSON_False, NULL, 0));
}

struct value *value_double(double d)
{
    cJSON *node = node_fresh(cJSON_Number, NULL, 0);
    if (node != NULL)
        node->valuedouble = d;
    return node_value(node);
}

static struct value *from_integer(struct number_integer integer)
{
    if (!number_needs_text(integer))
        return value_double(number_to_double(integer));
    char text[NUMBER_TEXT];
    number_print_integer(integer, text);
    return node_value(node_fresh(cJSON_Raw, text, strlen(text)));
}

struct value *value_int(int64_t i)
{
    return from_integer((struct number_integer){.negative = i < 0, .magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i});
}

struct value *value_uint(uint64_t u)
{
    return from_integer((struct number_integer){.magnitude = u});
}

struct value *value_string(const char *s)
{
    return node_value(node_fresh(cJSON_String, s, strlen(s)));
}

struct value *value_string_n(const char *bytes, size_t length)
{
    size_t zeros = 0;
    for (size_t i = 0; i < length; i++)
        zeros += bytes[i] == '\0';
    if (zeros == 0)
        return node_value(node_fresh(cJSON_String, length > 0 ? bytes : "", length));
    size_t wide = strlen(UTF8_REPLACEMENT);
    char *text = mem_alloc(length + zeros * (wide - 1) + 1);
    cJSON *node = text != NULL ? node_fresh(cJSON_String, NULL, 0) : NULL;
    if (node == NULL) {
        mem_free(text);
        return NULL;
    }
    char *to = text;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\0') {
            *to++ = bytes[i];
            continue;
        }
        memcpy(to, UTF8_REPLACEMENT, wide);
        to += wide;
    }
    *to = '\0';
    node->valuestring = text;
    return node_value(node);
}

struct value *value_array(void)
{
    return node_value(node_fresh(cJSON_Array, NULL, 0));
}

struct value *value_object(void)
{
    return node_value(node_fresh(cJSON_Object, NULL, 0));
}

void value_free(struct value *v)
{
    if (v != NULL)
        node_release(node_of(v));
}

enum value_type value_type(const struct value *v)
{
    if (v == NULL)
        return VALUE_MISSING;
    switch (node_kind(node_of(v))) {
    case cJSON_NULL: return VALUE_NULL;
    case cJSON_True:
    case cJSON_False: return VALUE_BOOL;
    case cJSON_Number:
    case cJSON_Raw: return VALUE_NUMBER;
    case cJSON_String: return VALUE_STRING;
    case cJSON_Array: return VALUE_ARRAY;
    case cJSON_Object: return VALUE_OBJECT;
    default: return VALUE_MISSING;
    }
}

const char *value_type_name(enum value_type type)
{
    static const char *const names[] = {
        [VALUE_MISSING] = "nothing", [VALUE_NULL] = "null",   [VALUE_BOOL] = "bool",    [VALUE_NUMBER] = "number",
        [VALUE_STRING] = "string",   [VALUE_ARRAY] = "array", [VALUE_OBJECT] = "object"};
    return names[type];
}

static bool is_container(const struct value *v)
{
    return v != NULL && (node_kind(node_of(v)) == cJSON_Array || node_kind(node_of(v)) == cJSON_Object);
}

size_t value_length(const struct value *v)
{
    size_t length = 0;
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry))
        length++;
    return length;
}

/* Most keys differ in their first letters. */
static inline bool is_key(const char *a, const char *b)
{
    return a[0] == b[0] && (a[0] == '\0' || (a[1] == b[1] && strcmp(a, b) == 0));
}

struct value *value_get(const struct value *object, const char *key)
{
    if (object == NULL || node_kind(node_of(object)) != cJSON_Object)
        return NULL;
    cJSON *entry = node_of(object)->child;
    while (entry != NULL && !is_key(entry->string, key))
        entry = entry->next;
    return node_value(entry);
}

struct value *value_item(const struct value *array, size_t index)
{
    if (array == NULL || node_kind(node_of(array)) != cJSON_Array)
        return NULL;
    cJSON *entry = node_of(array)->child;
    for (; entry != NULL && index > 0; index--)
        entry = entry->next;
    return node_value(entry);
}

struct value *value_first(const struct value *container)
{
    return is_container(container) ? node_value(node_of(container)->child) : NULL;
}

struct value *value_next(const struct value *entry)
{
    return entry != NULL ? node_value(node_of(entry)->next) : NULL;
}

const char *value_key(const struct value *entry)
{
    return entry != NULL ? node_of(entry)->string : NULL;
}

const char *value_text(const struct value *v)
{
    return v != NULL && node_kind(node_of(v)) == cJSON_String ? node_of(v)->valuestring : NULL;
}

bool value_is_true(const struct value *v)
{
    return v != NULL && node_kind(node_of(v)) == cJSON_True;
}

/* The integer that a number is, however it is kept. */
static bool as_integer(const cJSON *node, struct number_integer *out)
{
    if (node_kind(node) == cJSON_Raw)
        return number_read(node->valuestring, strlen(node->valuestring), out);
    return node_kind(node) == cJSON_Number && number_from_double(node->valuedouble, out);
}

bool value_as_int(const struct value *v, int64_t *out)
{
    struct number_integer integer;
    return value_type(v) == VALUE_NUMBER && as_integer(node_of(v), &integer) && number_to_int(integer, out);
}

bool value_as_uint(const struct value *v, uint64_t *out)
{
    struct number_integer integer;
    if (value_type(v) != VALUE_NUMBER || !as_integer(node_of(v), &integer) || integer.negative)
        return false;
    *out = integer.magnitude;
    return true;
}

bool value_as_double(const struct value *v, double *out)
{
    struct number_integer integer;
    if (value_type(v) != VALUE_NUMBER)
        return false;
    if (node_kind(node_of(v)) == cJSON_Number)
        *out = node_of(v)->valuedouble;
    else if (as_integer(node_of(v), &integer))
        *out = number_to_double(integer);
    else
        return false;
    return true;
}

static struct value *find(const struct value *v, va_list keys)
{
    struct value *part = node_value(node_of(v));
    for (const char *key; part != NULL && (key = va_arg(keys, const char *)) != NULL;)
        part = value_get(part, key);
    return part;
}

struct value *value_find(const struct value *v, ...)
{
    va_list keys;
    va_start(keys, v);
    struct value *part = find(v, keys);
    va_end(keys);
    return part;
}

const char *value_find_text(const struct value *v, ...)
{
    va_list keys;
    va_start(keys, v);
    const char *text = value_text(find(v, keys));
    va_end(keys);
    return text;
}

int64_t value_find_int(const struct value *v, int64_t otherwise, ...)
{
    va_list keys;
    va_start(keys, otherwise);
    int64_t i = otherwise;
    bool found = value_as_int(find(v, keys), &i);
    va_end(keys);
    return found ? i : otherwise;
}

static bool numbers_equal(const cJSON *a, const cJSON *b)
{
    struct number_integer ia, ib;
    bool whole_a = as_integer(a, &ia), whole_b = as_integer(b, &ib);
    if (whole_a || whole_b)
        return whole_a && whole_b && ia.negative == ib.negative && ia.magnitude == ib.magnitude;
    return a->valuedouble <= b->valuedouble && a->valuedouble >= b->valuedouble;
}

static bool objects_equal(const struct value *a, const struct value *b)
{
    size_t entries = 0;
    /* Most objects come with the same keys in the same order: look beside before searching. */
    const struct value *beside = value_first(b);
    for (const struct value *entry = value_first(a); entry != NULL; entry = value_next(entry), entries++) {
        const struct value *other = beside;
        if (beside == NULL || !is_key(value_key(beside), value_key(entry)))
            other = value_get(b, value_key(entry));
        if (!value_equal(entry, other))
            return false;
        beside = value_next(other);
    }
    return entries == value_length(b);
}

bool value_equal(const struct value *a, const struct value *b)
{
    enum value_type type = value_type(a);
    if (type != value_type(b))
        return false;
    if (type == VALUE_BOOL)
        return value_is_true(a) == value_is_true(b);
    if (type == VALUE_NUMBER)
        return numbers_equal(node_of(a), node_of(b));
    if (type == VALUE_STRING)
        return strcmp(value_text(a), value_text(b)) == 0;
    if (type == VALUE_OBJECT)
        return objects_equal(a, b);
    const struct value *x = value_first(a), *y = value_first(b);
    while (x != NULL && y != NULL && value_equal(x, y)) {
        x = value_next(x);
        y = value_next(y);
    }
    return x == NULL && y == NULL;
}

struct value *value_copy(const struct value *v)
{
    return v != NULL ? node_value(node_copy(node_of(v))) : NULL;
}

void value_brand(struct value *entry, const char *key, int number)
{
    node_name(node_of(entry), (char *)(uintptr_t)key);
    node_of(entry)->type |= cJSON_StringIsConst; /* so that nobody changes or frees it */
    node_of(entry)->valueint = number;
}

int value_brand_of(const struct value *entry)
{
    return entry != NULL ? node_of(entry)->valueint : 0;
}

/* Gives the child its key; else frees it. */
static bool may_hang_in(const struct value *object, const char *key, struct value *child)
{
    if (object != NULL && child != NULL && node_kind(node_of(object)) == cJSON_Object && node_call(node_of(child), key))
        return true;
    value_free(child);
    return false;
}

bool value_set(struct value *object, const char *key, struct value *child)
{
    struct value *old = value_get(object, key);
    if (!may_hang_in(object, key, child))
        return false;
    if (old != NULL)
        cJSON_ReplaceItemViaPointer(node_of(object), node_of(old), node_of(child));
    else
        node_add(node_of(object), node_of(child));
    return true;
}

bool value_add(struct value *object, const char *key, struct value *child)
{
    if (!may_hang_in(object, key, child))
        return false;
    node_add(node_of(object), node_of(child));
    return true;
}

struct value *value_add_object(struct value *object, const char *key, size_t length)
{
    cJSON *child = node_block(cJSON_Object | cJSON_StringIsConst, length + 1); /* the key stands in the node's own block, as with json_read.c */
    if (child == NULL)
        return NULL;
    child->string = (char *)(child + 1);
    memcpy(child->string, key, length);
    child->string[length] = '\0';
    node_add(node_of(object), child);
    return node_value(child);
}

bool value_append(struct value *array, struct value *child)
{
    if (array == NULL || child == NULL || node_kind(node_of(array)) != cJSON_Array) {
        value_free(child);
        return false;
    }
    node_name(node_of(child), NULL);
    node_add(node_of(array), node_of(child));
    return true;
}

void value_remove(struct value *object, const char *key)
{
    struct value *entry = value_get(object, key);
    if (entry != NULL)
        value_free(value_take(object, entry));
}

struct value *value_take(struct value *container, struct value *entry)
{
    cJSON *node = cJSON_DetachItemViaPointer(node_of(container), node_of(entry));
    if (node != NULL)
        node_name(node, NULL);
    return node_value(node);
}

bool value_replace(struct value *container, struct value *entry, struct value *child)
{
    bool keyed = child != NULL && value_key(entry) != NULL;
    if (child == NULL || (keyed && !node_call(node_of(child), value_key(entry)))) {
        value_free(child);
        return false;
    }
    if (!keyed)
        node_name(node_of(child), NULL);
    cJSON_ReplaceItemViaPointer(node_of(container), node_of(entry), node_of(child));
    return true;
}

void value_arrange(struct value *object, struct value *const *order, size_t count)
{
    if (count == 0)
        return;
    cJSON *first = node_of(order[0]), *last = first;
    for (size_t i = 1; i < count; i++) {
        last->next = node_of(order[i]);
        last->next->prev = last;
        last = last->next;
    }
    last->next = NULL;
    first->prev = last; /* as cJSON keeps it */
    node_of(object)->child = first;
}

struct value *value_child(struct value *object, const char *key)
{
    struct value *child = value_get(object, key);
    if (child != NULL)
        return value_type(child) == VALUE_OBJECT ? child : NULL;
    struct value *fresh = value_object();
    return value_set(object, key, fresh) ? fresh : NULL;
}
