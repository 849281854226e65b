#include "practice/controllers/revisions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/controllers/workload.h"

const struct client_resource revisions_resource = {"apps", "v1", "controllerrevisions"};
enum { REVISION_TEXT = 8 << 20, REVISION_PREFIX = 223 };

const char *revision_name(const struct value *revision)
{
    const char *name = value_find_text(revision, "metadata", "name", NULL);
    return name != NULL ? name : "";
}

int64_t revision_number(const struct value *revision)
{
    return value_find_int(revision, 0, "revision", NULL);
}

static int compare(const void *a, const void *b)
{
    int64_t left = revision_number(a), right = revision_number(b);
    if (left == right) {
        left = workload_time(value_find(a, "metadata", "creationTimestamp", NULL));
        right = workload_time(value_find(b, "metadata", "creationTimestamp", NULL));
    }
    return left != right ? (left < right ? -1 : 1) : strcmp(revision_name(a), revision_name(b));
}

void revisions_sort(struct vec *revisions)
{
    vec_sort(revisions, compare);
}

struct value *revision_data(const struct value *template)
{
    struct value *data = value_object(), *spec = value_child(data, "spec"), *copy = value_copy(template);
    bool whole = value_set(copy, "$patch", value_string("replace"));
    if (value_set(spec, "template", copy) && whole)
        return data;
    value_free(data);
    return NULL;
}

bool revision_has(const struct value *revision, const struct value *data)
{
    return value_equal(value_get(revision, "data"), data);
}

struct value *revision_template(const struct value *revision)
{
    const struct value *template = value_find(revision, "data", "spec", "template", NULL);
    struct value *copy = template != NULL ? value_copy(template) : NULL;
    value_remove(copy, "$patch");
    return copy;
}

/* ---- the hash ---- */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(value_key(*(struct value *const *)a), value_key(*(struct value *const *)b));
}

/* Puts all keys of all objects into the order of their bytes, which Go writes maps in. False: no memory. */
static bool sort_keys(struct value *value)
{
    size_t count = value_length(value);
    for (struct value *entry = value_first(value); entry != NULL; entry = value_next(entry))
        if (!sort_keys(entry))
            return false;
    if (value_type(value) != VALUE_OBJECT || count < 2)
        return true;
    struct value **order = mem_zero(count, sizeof *order);
    if (order == NULL)
        return false;
    size_t i = 0;
    for (struct value *entry = value_first(value); entry != NULL; entry = value_next(entry))
        order[i++] = entry;
    qsort(order, count, sizeof *order, compare_keys);
    value_arrange(value, order, count);
    mem_free(order);
    return true;
}

static uint32_t add(uint32_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash * 16777619u) ^ (unsigned char)bytes[i]; /* FNV-1, 32 bits (RFC 9923) */
    return hash;
}

/* As Go writes JSON, where what would be looked at in HTML is escaped. */
static uint32_t hash_json(const struct buf *text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text->length; i++) {
        const char *at = text->bytes + i;
        char escaped[7] = "";
        if (*at == '<' || *at == '>' || *at == '&')
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*at);
        hash = escaped[0] != '\0' ? add(hash, escaped, strlen(escaped)) : add(hash, at, 1);
    }
    return hash;
}

bool revision_hash(const struct value *data, int64_t collisions, char out[static REVISION_HASH])
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789"; /* no vowels and nothing like them: no words */
    struct value *copy = value_copy(data);
    struct buf text = buf_make(REVISION_TEXT);
    bool ok = copy != NULL && sort_keys(copy);
    if (ok)
        json_print(copy, false, &text);
    ok = ok && buf_ok(&text);
    if (ok) {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)collisions);
        uint32_t hash = add(hash_json(&text), number, strlen(number));
        snprintf(out, REVISION_HASH, "%u", hash);
        for (char *at = out; *at != '\0'; at++)
            *at = alphabet[(unsigned char)*at % (sizeof alphabet - 1)];
    }
    buf_free(&text);
    value_free(copy);
    return ok;
}

/* ---- */

static bool fill(const struct maker *maker, struct value *revision, const char *name)
{
    struct value *metadata = value_child(revision, "metadata"), *owners = value_array();
    const struct value *labels = value_find(revision, "data", "spec", "template", "metadata", "labels", NULL), *annotations = value_find(maker->owner, "metadata", "annotations", NULL);
    if (!value_set(metadata, "ownerReferences", owners) || !value_append(owners, maker_reference(maker)) || !value_set(metadata, "name", value_string(name)))
        return false;
    return (annotations == NULL || value_set(metadata, "annotations", value_copy(annotations))) && (labels == NULL || value_set(metadata, "labels", value_copy(labels)));
}

struct value *revision_new(const struct maker *maker, const struct value *data, int64_t number, const char *label, const char *hash)
{
    const char *owner = value_find_text(maker->owner, "metadata", "name", NULL);
    char *name = mem_printf("%.*s-%s", REVISION_PREFIX, owner != NULL ? owner : "", hash);
    struct value *revision = value_object();
    bool ok = name != NULL && value_set(revision, "data", value_copy(data)) && fill(maker, revision, name) && value_set(revision, "revision", value_int(number)) &&
              value_set(value_child(value_get(revision, "metadata"), "labels"), label, value_string(hash));
    mem_free(name);
    if (ok)
        return revision;
    value_free(revision);
    return NULL;
}
