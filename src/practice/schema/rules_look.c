#include <string.h>

#include "practice/schema/rules_internal.h"

const char *text_of(const struct value *object, const char *key)
{
    const char *text = value_text(value_get(object, key));
    return text != NULL ? text : "";
}

bool text_is(const struct value *object, const char *key, const char *text)
{
    return strcmp(text_of(object, key), text) == 0;
}

bool has(const struct value *object, const char *key)
{
    enum value_type type = value_type(value_get(object, key));
    return type != VALUE_MISSING && type != VALUE_NULL;
}

int64_t int_of(const struct value *object, const char *key, int64_t otherwise)
{
    int64_t number;
    return value_as_int(value_get(object, key), &number) ? number : otherwise;
}

bool is_true(const struct value *object, const char *key)
{
    return value_is_true(value_get(object, key));
}

bool one_of(const char *text, const char *const *list)
{
    while (*list != NULL && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), end = strlen(suffix);
    return length >= end && strcmp(text + length - end, suffix) == 0;
}

bool same(const struct value *a, const struct value *b)
{
    bool nothing_a = value_type(a) == VALUE_MISSING || value_type(a) == VALUE_NULL;
    bool nothing_b = value_type(b) == VALUE_MISSING || value_type(b) == VALUE_NULL;
    return nothing_a || nothing_b ? nothing_a == nothing_b : value_equal(a, b);
}

bool same_at(const struct value *a, const struct value *b, const char *key)
{
    return same(value_get(a, key), value_get(b, key));
}

const char *annotation_of(const struct value *object, const char *key)
{
    return value_find_text(object, "metadata", "annotations", key, NULL);
}

bool seen_before(const struct value *array, const struct value *item, const char *key)
{
    const char *text = key != NULL ? text_of(item, key) : value_text(item);
    for (const struct value *at = value_first(array); at != NULL && at != item; at = value_next(at)) {
        const char *other = key != NULL ? text_of(at, key) : value_text(at);
        if (text != NULL && other != NULL && strcmp(other, text) == 0)
            return true;
    }
    return false;
}

bool put_text(struct value *object, const char *key, const char *text)
{
    return value_set(object, key, value_string(text));
}

bool put_int(struct value *object, const char *key, int64_t number)
{
    return value_set(object, key, value_int(number));
}

static bool put_bool(struct value *object, const char *key, bool b)
{
    return value_set(object, key, value_bool(b));
}

bool put_copy(struct value *object, const char *key, const struct value *value)
{
    if (value != NULL)
        return value_set(object, key, value_copy(value));
    value_remove(object, key);
    return true;
}

bool default_text(struct value *object, const char *key, const char *text)
{
    const char *present = value_text(value_get(object, key));
    return (present != NULL && *present != '\0') || put_text(object, key, text);
}

bool default_int(struct value *object, const char *key, int64_t number)
{
    return has(object, key) || put_int(object, key, number);
}

bool default_bool(struct value *object, const char *key, bool b)
{
    return has(object, key) || put_bool(object, key, b);
}

bool default_object(struct value *object, const char *key)
{
    return has(object, key) || value_set(object, key, value_object());
}
