#include "practice/node/pod_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"

enum { FIELD = 1 << 20, KEYS = 100000 };

static int by_key(const void *a, const void *b)
{
    return strcmp(value_key(a), value_key(b));
}

/* key="value" in lines, sorted. */
static char *map_text(const struct value *map)
{
    struct vec entries = vec_make(KEYS, NULL);
    struct buf out = buf_make(FIELD);
    bool ok = true;
    for (struct value *entry = value_first(map); entry != NULL && ok; entry = value_next(entry))
        ok = vec_push(&entries, entry);
    vec_sort(&entries, by_key);
    for (size_t i = 0; i < entries.length; i++) {
        const char *text = value_text(entries.items[i]);
        buf_printf(&out, "%s%s=", i > 0 ? "\n" : "", value_key(entries.items[i]));
        json_quote(text != NULL ? text : "", &out);
    }
    char *text = ok ? buf_take(&out, NULL) : NULL;
    vec_free(&entries);
    buf_free(&out);
    return text;
}

/* metadata.labels['a'], or the whole map. */
static char *map_field(const struct value *map, const char *rest)
{
    if (rest[0] == '\0')
        return map_text(map);
    size_t length = strlen(rest);
    if (length < 4 || strncmp(rest, "['", 2) != 0 || strcmp(rest + length - 2, "']") != 0)
        return NULL;
    char *key = mem_string_n(rest + 2, length - 4);
    const char *found = key != NULL ? value_find_text(map, key, NULL) : NULL;
    char *text = key != NULL ? mem_string(found != NULL ? found : "") : NULL;
    mem_free(key);
    return text;
}

char *pod_field(const struct pod_worker *worker, const struct value *document, const char *path)
{
    static const char labels[] = "metadata.labels", annotations[] = "metadata.annotations";
    const char *account = value_find_text(document, "spec", "serviceAccountName", NULL);
    const struct {
        const char *path, *text;
    } fields[] = {
        {"metadata.name", worker->name},        {"metadata.namespace", worker->ns},     {"metadata.uid", worker->uid},
        {"spec.nodeName", worker->node->name},  {"spec.serviceAccountName", account},   {"status.hostIP", worker->node->ip},
        {"status.hostIPs", worker->node->ip},   {"status.podIP", worker->ip},           {"status.podIPs", worker->ip},
    };
    if (strncmp(path, labels, sizeof labels - 1) == 0)
        return map_field(value_find(document, "metadata", "labels", NULL), path + sizeof labels - 1);
    if (strncmp(path, annotations, sizeof annotations - 1) == 0)
        return map_field(value_find(document, "metadata", "annotations", NULL), path + sizeof annotations - 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(path, fields[i].path) == 0)
            return mem_string(fields[i].text != NULL ? fields[i].text : "");
    return NULL;
}

char *pod_resource(const struct pod_worker *worker, const struct value *container, const struct value *reference)
{
    const char *resource = value_find_text(reference, "resource", NULL), *divided = value_find_text(reference, "divisor", NULL);
    const char *dot = resource != NULL ? strchr(resource, '.') : NULL;
    if (dot == NULL)
        return NULL;
    char *which = mem_string_n(resource, (size_t)(dot - resource));
    const char *set = which != NULL ? value_find_text(container, "resources", which, dot + 1, NULL) : NULL;
    struct amount amount = amount_of(0), divisor = amount_of(1);
    const struct amount_item *whole = amounts_find(&worker->node->allocatable, dot + 1);
    bool limit = which != NULL && strcmp(which, "limits") == 0;
    mem_free(which);
    if ((set == NULL || !amount_read(set, &amount)) && limit && whole != NULL)
        amount = whole->amount;
    if (divided != NULL && (!amount_read(divided, &divisor) || divisor.nano <= 0))
        divisor = amount_of(1);
    return mem_printf("%" PRId64, (int64_t)((amount.nano + divisor.nano - 1) / divisor.nano));
}
