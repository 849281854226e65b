#include "practice/controllers/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"

int32_t workload_share(const struct value *share, int32_t total, bool up)
{
    const char *text = value_text(share);
    int64_t number = 0;
    if (text == NULL)
        return value_as_int(share, &number) && number >= 0 && number <= INT32_MAX ? (int32_t)number : 0;
    char *end;
    number = strtol(text, &end, 10);
    if (end == text || strcmp(end, "%") != 0 || number < 0 || number > INT32_MAX)
        return 0;
    int64_t part = number * total;
    part = up ? (part + 99) / 100 : part / 100;
    return part < INT32_MAX ? (int32_t)part : INT32_MAX;
}

bool workload_number(struct value *status, const char *key, int64_t number, bool zero)
{
    if (number != 0 || zero)
        return value_set(status, key, value_int(number));
    value_remove(status, key);
    return true;
}

/* ---- conditions ---- */

struct value *condition_find(const struct value *status, const char *type)
{
    for (struct value *entry = value_first(value_get(status, "conditions")); entry != NULL; entry = value_next(entry)) {
        const char *its = value_find_text(entry, "type", NULL);
        if (its != NULL && strcmp(its, type) == 0)
            return entry;
    }
    return NULL;
}

bool condition_has_reason(const struct value *condition, const char *reason)
{
    const char *its = value_find_text(condition, "reason", NULL);
    return its != NULL && strcmp(its, reason) == 0;
}

void condition_drop(struct value *status, const char *type)
{
    struct value *conditions = value_get(status, "conditions"), *entry;
    while ((entry = condition_find(status, type)) != NULL)
        value_free(value_take(conditions, entry));
    if (value_first(conditions) == NULL)
        value_remove(status, "conditions");
}

static bool put(struct value *status, const struct condition *condition, bool updated, bool anew, int64_t now_ms)
{
    const struct value *before = condition_find(status, condition->type);
    const char *was = value_find_text(before, "status", NULL);
    bool same = was != NULL && strcmp(was, condition->status) == 0;
    char since[21], now[21];
    if (same && condition_has_reason(before, condition->reason))
        return true;
    int64_t since_ms = condition->since_ms != 0 ? condition->since_ms : now_ms;
    time_print(since_ms, now);
    int64_t kept = same && !anew ? workload_time(value_get(before, "lastTransitionTime")) : 0;
    time_print(kept != 0 ? kept : since_ms, since);
    struct value *entry = value_object();
    bool ok = entry != NULL && value_set(entry, "type", value_string(condition->type)) && value_set(entry, "status", value_string(condition->status)) &&
              (!updated || value_set(entry, "lastUpdateTime", value_string(now))) && value_set(entry, "lastTransitionTime", value_string(since)) &&
              value_set(entry, "reason", value_string(condition->reason)) && value_set(entry, "message", value_string(condition->message));
    if (!ok) {
        value_free(entry);
        return false;
    }
    condition_drop(status, condition->type);
    if (value_get(status, "conditions") == NULL && !value_set(status, "conditions", value_array())) {
        value_free(entry);
        return false;
    }
    return value_append(value_get(status, "conditions"), entry);
}

bool condition_put(struct value *status, const struct condition *condition, bool updated, int64_t now_ms)
{
    return put(status, condition, updated, false, now_ms);
}

bool condition_put_anew(struct value *status, const struct condition *condition, int64_t now_ms)
{
    return put(status, condition, false, true, now_ms);
}

/* ---- what documents say ---- */

const char *workload_annotation(const struct value *document, const char *key)
{
    return value_find_text(document, "metadata", "annotations", key, NULL);
}

bool workload_annotate(struct value *document, const char *key, const char *text)
{
    struct value *metadata = value_child(document, "metadata"), *annotations = metadata != NULL ? value_child(metadata, "annotations") : NULL;
    return annotations != NULL && value_set(annotations, key, value_string(text));
}

const struct value *workload_controller(const struct value *document)
{
    for (const struct value *entry = value_first(value_find(document, "metadata", "ownerReferences", NULL)); entry != NULL; entry = value_next(entry))
        if (value_is_true(value_get(entry, "controller")))
            return entry;
    return NULL;
}

bool workload_is_controlled_by(const struct value *document, const char *uid)
{
    const char *its = value_find_text(workload_controller(document), "uid", NULL);
    return its != NULL && strcmp(its, uid) == 0;
}

int64_t workload_time(const struct value *text)
{
    int64_t ms;
    return value_text(text) != NULL && time_parse(value_text(text), &ms) ? ms : 0;
}

bool workload_is_going(const struct value *document)
{
    return value_find(document, "metadata", "deletionTimestamp", NULL) != NULL;
}

bool workload_same_labels(const struct object *a, const struct object *b)
{
    const char *left = a->labels, *right = b->labels;
    for (; *left != '\0' && strcmp(left, right) == 0; left += strlen(left) + 1, right += strlen(right) + 1) {
        left += strlen(left) + 1; /* the value */
        right += strlen(right) + 1;
        if (strcmp(left, right) != 0)
            return false;
    }
    return *left == '\0' && *right == '\0';
}

/* ---- templates ---- */

/* An object of strings, equal but for one key. */
static bool labels_equal(const struct value *a, const struct value *b, const char *label)
{
    size_t count[2] = {0, 0};
    for (const struct value *entry = value_first(a); entry != NULL; entry = value_next(entry)) {
        if (strcmp(value_key(entry), label) == 0)
            continue;
        count[0]++;
        if (!value_equal(entry, value_get(b, value_key(entry))))
            return false;
    }
    for (const struct value *entry = value_first(b); entry != NULL; entry = value_next(entry))
        count[1] += strcmp(value_key(entry), label) != 0;
    return count[0] == count[1];
}

/* Every part of a is in b, labels aside. */
static bool metadata_within(const struct value *a, const struct value *b)
{
    for (const struct value *entry = value_first(a); entry != NULL; entry = value_next(entry)) {
        bool counts = strcmp(value_key(entry), "labels") != 0 && value_type(entry) != VALUE_NULL && (value_first(entry) != NULL || value_text(entry) != NULL);
        if (counts && !value_equal(entry, value_get(b, value_key(entry))))
            return false;
    }
    return true;
}

bool workload_same_template(const struct value *a, const struct value *b, const char *label)
{
    const struct value *first = value_get(a, "metadata"), *second = value_get(b, "metadata");
    return value_equal(value_get(a, "spec"), value_get(b, "spec")) && labels_equal(value_get(first, "labels"), value_get(second, "labels"), label) &&
           metadata_within(first, second) && metadata_within(second, first);
}

/* ---- */

struct value *workload_write_status(struct client *client, const struct client_resource *resource, const struct value *document, struct value *status, struct error *err)
{
    struct error why = ERROR_INIT;
    const char *uid = value_find_text(document, "metadata", "uid", NULL), *ns = value_find_text(document, "metadata", "namespace", NULL);
    struct value *fresh = value_copy(document), *written = NULL;
    for (int round = 0; round < 2; round++) {
        struct value *copy = value_copy(status);
        if (copy == NULL || fresh == NULL || !value_set(fresh, "status", copy)) {
            if (fresh == NULL)
                value_free(copy);
            value_free(fresh);
            value_free(status);
            error_memory(err);
            return NULL;
        }
        why = ERROR_INIT;
        written = client_update(client, resource, "status", fresh, &why);
        fresh = NULL;
        if (written != NULL || why.kind != ERROR_CONFLICT || round > 0)
            break;
        struct error read = ERROR_INIT;
        fresh = client_get(client, resource, ns != NULL ? ns : "", value_find_text(document, "metadata", "name", NULL), &read);
        const char *now = value_find_text(fresh, "metadata", "uid", NULL);
        if (fresh == NULL || now == NULL || uid == NULL || strcmp(now, uid) != 0) {
            value_free(fresh);
            break; /* it is another one */
        }
    }
    value_free(status);
    if (written == NULL && err != NULL)
        *err = why;
    return written;
}
