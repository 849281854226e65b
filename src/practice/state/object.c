#include "practice/state/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct object *object_ref(const struct object *object)
{
    struct object *counted = (struct object *)(uintptr_t)object; /* the count is no part of what never changes */
    counted->references++;
    return counted;
}

void object_unref(struct object *object)
{
    if (object != NULL && --object->references == 0)
        mem_free(object);
}

void object_drop(void *object)
{
    object_unref(object);
}

const char *object_label(const struct object *object, const char *key)
{
    const char *at = object->labels;
    while (*at != '\0') {
        const char *value = at + strlen(at) + 1;
        int order = strcmp(at, key);
        if (order >= 0)
            return order == 0 ? value : NULL;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

void object_print(const struct object *object, const char *head, struct buf *out)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, object->version);
    buf_append_string(out, head);
    buf_append(out, object->text, object->gap);
    buf_append(out, digits, (size_t)count);
    buf_append(out, object->text + object->gap, object->length - object->gap);
}

size_t object_bytes(const struct object *object)
{
    return (size_t)(object->text + object->length + 1 - (const char *)object);
}

size_t object_labels_length(const struct object *object)
{
    return (size_t)((object->fields != NULL ? object->fields : object->text) - object->labels);
}

size_t object_fields_length(const struct object *object)
{
    return object->fields != NULL ? (size_t)(object->text - object->fields) : 0;
}

/* ---- order */

int object_compare_keys(const char *ns_a, const char *name_a, const char *ns_b, const char *name_b)
{
    const unsigned char *a = (const unsigned char *)ns_a, *b = (const unsigned char *)ns_b;
    for (; *a == *b && *a != '\0'; a++)
        b++;
    if (*a == *b)
        return strcmp(name_a, name_b);
    return (*a != '\0' ? *a : '/') - (*b != '\0' ? *b : '/'); /* no namespace has a slash, so that this is not 0 */
}

int object_compare(const void *a, const void *b)
{
    const struct object *left = a, *right = b;
    return object_compare_keys(left->ns, left->name, right->ns, right->name);
}

/* ---- making */

struct object *object_room(const struct object_sizes *sizes)
{
    size_t tail = sizes->ns + sizes->name + sizes->uid + 3 + sizes->labels + sizes->fields + sizes->text + 1;
    struct object *object = mem_alloc(sizeof *object + tail);
    if (object == NULL)
        return NULL;
    char *at = (char *)(object + 1);
    *object = (struct object){.references = 1, .ns = at, .length = sizes->text};
    object->name = at += sizes->ns + 1;
    object->uid = at += sizes->name + 1;
    object->labels = at += sizes->uid + 1;
    at += sizes->labels;
    object->fields = sizes->has_fields ? at : NULL;
    object->text = at += sizes->fields;
    at[sizes->text] = '\0';
    return object;
}

static char *part(const char *part_of_new_object)
{
    return (char *)(uintptr_t)part_of_new_object;
}

static bool labels_fit(const char *labels, size_t length)
{
    const char *at = labels, *end = labels + length, *last = NULL;
    if (length == 0 || end[-1] != '\0')
        return false;
    while (at < end && *at != '\0') {
        const char *value = at + strlen(at) + 1;
        if (value >= end || (last != NULL && strcmp(last, at) > 0))
            return false;
        last = at;
        at = value + strlen(value) + 1;
    }
    return at == end - 1;
}

bool object_settle(struct object *object, const struct object_sizes *sizes)
{
    bool fits = memchr(object->ns, '\0', sizes->ns + 1) == object->ns + sizes->ns && memchr(object->ns, '/', sizes->ns) == NULL &&
                memchr(object->name, '\0', sizes->name + 1) == object->name + sizes->name &&
                memchr(object->uid, '\0', sizes->uid + 1) == object->uid + sizes->uid && labels_fit(object->labels, sizes->labels) &&
                object->gap <= object->length;
    object->field_count = 0;
    for (size_t i = 0; i < sizes->fields; i++)
        object->field_count += object->fields[i] == '\0';
    return fits && (sizes->fields == 0 || object->fields[sizes->fields - 1] == '\0');
}

struct pair {
    const char *key, *value;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    return strcmp(left->key, right->key);
}

static char *add_string(char *to, const char *string)
{
    size_t length = strlen(string) + 1;
    memcpy(to, string, length);
    return to + length;
}

/* The pairs of a put, sorted; NULL: no memory. */
static struct pair *sorted(const char *const *labels, size_t *count)
{
    *count = 0;
    while (labels != NULL && labels[2 * *count] != NULL)
        ++*count;
    struct pair *pairs = mem_alloc(*count * sizeof *pairs);
    for (size_t i = 0; i < *count && pairs != NULL; i++)
        pairs[i] = (struct pair){labels[2 * i], labels[2 * i + 1]};
    if (pairs != NULL && *count > 1)
        qsort(pairs, *count, sizeof *pairs, compare_pairs);
    return pairs;
}

static struct object_sizes sizes_of(const struct object_new *wanted, const struct pair *pairs, size_t count)
{
    struct object_sizes sizes = {.ns = strlen(wanted->ns), .name = strlen(wanted->name), .uid = strlen(wanted->uid), .labels = 1, .text = wanted->length};
    for (size_t i = 0; i < count; i++)
        sizes.labels += strlen(pairs[i].key) + strlen(pairs[i].value) + 2;
    sizes.has_fields = wanted->fields != NULL;
    for (unsigned i = 0; i < wanted->field_count && sizes.has_fields; i++)
        sizes.fields += strlen(wanted->fields[i]) + 1;
    return sizes;
}

struct object *object_new(const struct object_new *wanted, uint64_t version)
{
    size_t count;
    struct pair *pairs = sorted(wanted->labels, &count);
    if (pairs == NULL)
        return NULL;
    struct object_sizes sizes = sizes_of(wanted, pairs, count);
    struct object *object = object_room(&sizes);
    if (object != NULL) {
        char *at = part(object->ns);
        at = add_string(add_string(add_string(at, wanted->ns), wanted->name), wanted->uid);
        for (size_t i = 0; i < count; i++)
            at = add_string(add_string(at, pairs[i].key), pairs[i].value);
        *at++ = '\0';
        for (unsigned i = 0; i < wanted->field_count && sizes.has_fields; i++)
            at = add_string(at, wanted->fields[i]);
        memcpy(at, wanted->text, wanted->length);
        object->resource = wanted->resource;
        object->version = version;
        object->gap = wanted->gap;
        object->field_count = sizes.has_fields ? wanted->field_count : 0;
        object->flags = wanted->flags;
        object->time_ms = wanted->time_ms;
    }
    mem_free(pairs);
    return object;
}

struct object *object_again(const struct object *object, uint64_t version)
{
    struct object_sizes sizes = {.ns = strlen(object->ns), .name = strlen(object->name), .uid = strlen(object->uid), .text = object->length};
    sizes.labels = object_labels_length(object);
    sizes.fields = object_fields_length(object);
    sizes.has_fields = object->fields != NULL;
    struct object *again = object_room(&sizes);
    if (again == NULL)
        return NULL;
    memcpy(part(again->ns), object->ns, (size_t)(object->text + object->length - object->ns));
    again->resource = object->resource;
    again->version = version;
    again->gap = object->gap;
    again->field_count = object->field_count;
    again->flags = object->flags;
    again->time_ms = object->time_ms;
    return again;
}
