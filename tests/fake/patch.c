/* The two patches that the fake understands. Server-side apply is a merge here: no field has an owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/internal.h"

void fake_merge_into(struct value *object, const struct value *patch)
{
    for (const struct value *entry = value_first(patch); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        struct value *there = value_get(object, key);
        if (value_type(entry) == VALUE_NULL)
            value_remove(object, key);
        else if (value_type(entry) == VALUE_OBJECT) {
            if (value_type(there) != VALUE_OBJECT)
                assert_true(value_set(object, key, value_object()));
            fake_merge_into(value_get(object, key), entry);
        } else
            assert_true(value_set(object, key, value_copy(entry)));
    }
}

/* The container of the pointer's last part; that part goes to `last`, with ~1 and ~0 resolved. NULL: there is none. */
static struct value *walk(struct value *object, const char *pointer, char *last, size_t room)
{
    struct value *at = object;
    while (*pointer == '/') {
        size_t length = strcspn(++pointer, "/"), out = 0;
        for (size_t i = 0; i < length && out + 1 < room; i++) {
            bool escaped = pointer[i] == '~' && i + 1 < length;
            last[out++] = !escaped ? pointer[i] : pointer[i + 1] == '1' ? '/' : '~';
            i += escaped;
        }
        last[out] = '\0';
        pointer += length;
        if (*pointer == '\0')
            return at;
        at = value_type(at) == VALUE_ARRAY ? value_item(at, strtoul(last, NULL, 10)) : value_get(at, last);
    }
    return NULL;
}

static bool one(struct value *object, const struct value *step)
{
    char last[256] = "";
    const char *op = value_find_text(step, "op", NULL), *path = value_find_text(step, "path", NULL);
    struct value *parent = walk(object, path, last, sizeof last);
    bool list = value_type(parent) == VALUE_ARRAY;
    struct value *there = list ? value_item(parent, strtoul(last, NULL, 10)) : value_get(parent, last);
    if (parent == NULL)
        return false;
    if (strcmp(op, "test") == 0)
        return value_equal(there, value_get(step, "value"));
    if (strcmp(op, "remove") == 0) {
        if (there != NULL)
            value_free(value_take(parent, there));
        return there != NULL;
    }
    if (strcmp(op, "replace") == 0 && there == NULL)
        return false;
    if (list) /* "-" and the end; nothing else is needed */
        return strcmp(last, "-") == 0 && value_append(parent, value_copy(value_get(step, "value")));
    return value_set(parent, last, value_copy(value_get(step, "value")));
}

bool fake_json_patch(struct value *object, const struct value *patch)
{
    for (const struct value *step = value_first(patch); step != NULL; step = value_next(step))
        if (!one(object, step))
            return false;
    return true;
}
