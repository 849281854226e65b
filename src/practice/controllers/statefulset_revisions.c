/* statefulset_revisions.c: the revision that a StatefulSet has, and the one that it is to get. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/statefulset.h"

static const char hash_label[] = "controller.kubernetes.io/hash";

static struct value *last(const struct ordering *ordering)
{
    return ordering->revisions.length > 0 ? ordering->revisions.items[ordering->revisions.length - 1] : NULL;
}

/* The newest that keeps this; -1: none does. */
static int64_t find(const struct ordering *ordering, const struct value *data)
{
    for (size_t i = ordering->revisions.length; i-- > 0;)
        if (revision_has(ordering->revisions.items[i], data))
            return (int64_t)i;
    return -1;
}

/* Makes one; where another one has the name, it gets another hash. NULL: try again. */
static struct value *make(struct ordering *ordering, const struct value *data, int64_t number)
{
    struct client *client = ordering->controller->place.client;
    for (;;) {
        struct error err = ERROR_INIT;
        char hash[REVISION_HASH];
        struct value *revision = revision_hash(data, ordering->collisions, hash) ? revision_new(&ordering->maker, data, number, hash_label, hash) : NULL;
        char *name = revision != NULL ? mem_string(revision_name(revision)) : NULL;
        if (name == NULL) {
            value_free(revision);
            return NULL;
        }
        struct value *made = client_create(client, &revisions_resource, ordering->ns, revision, &err);
        bool exists = made == NULL && err.kind == ERROR_EXISTS;
        if (exists)
            made = client_get(client, &revisions_resource, ordering->ns, name, NULL);
        mem_free(name);
        if (!exists || made == NULL || revision_has(made, data))
            return made;
        value_free(made);
        ordering->collisions++;
    }
}

/* The template is one that it had before: that revision is the newest again. */
static bool revive(struct ordering *ordering, size_t index, int64_t number)
{
    struct value *copy = value_copy(ordering->revisions.items[index]);
    if (copy == NULL || !value_set(copy, "revision", value_int(number))) {
        value_free(copy);
        return false;
    }
    struct value *written = client_update(ordering->controller->place.client, &revisions_resource, "", copy, NULL);
    if (written == NULL)
        return false;
    vec_remove(&ordering->revisions, index);
    return vec_push(&ordering->revisions, written);
}

static bool find_update(struct ordering *ordering, const struct value *data)
{
    int64_t number = last(ordering) != NULL ? revision_number(last(ordering)) + 1 : 1, at = find(ordering, data);
    if (at >= 0 && (size_t)at + 1 == ordering->revisions.length)
        return true;
    if (at >= 0)
        return revive(ordering, (size_t)at, number);
    struct value *made = make(ordering, data, number);
    return made != NULL && vec_push(&ordering->revisions, made);
}

bool ordering_find_revisions(struct ordering *ordering)
{
    struct value *data = revision_data(value_find(ordering->document, "spec", "template", NULL));
    bool ok = data != NULL && find_update(ordering, data);
    value_free(data);
    if (!ok)
        return false;
    const char *current = value_find_text(ordering->document, "status", "currentRevision", NULL);
    ordering->current = ordering->update = last(ordering);
    for (size_t i = 0; i < ordering->revisions.length && current != NULL; i++)
        if (strcmp(revision_name(ordering->revisions.items[i]), current) == 0)
            ordering->current = ordering->revisions.items[i];
    ordering->current_template = revision_template(ordering->current);
    ordering->update_template = revision_template(ordering->update);
    return ordering->current_template != NULL && ordering->update_template != NULL;
}

/* A Pod has it, or it is the one that counts. */
static bool is_live(const struct ordering *ordering, const struct value *revision)
{
    const char *name = revision_name(revision);
    if (revision == ordering->current || revision == ordering->update)
        return true;
    for (int64_t i = 0; i < ordering->wanted; i++)
        if (ordering->replicas[i].pod != NULL && strcmp(ordering->replicas[i].revision, name) == 0)
            return true;
    for (size_t i = 0; i < ordering->condemned_count; i++)
        if (strcmp(ordering->condemned[i].revision, name) == 0)
            return true;
    return false;
}

bool ordering_trim_revisions(struct ordering *ordering)
{
    int64_t limit = value_find_int(ordering->document, 10, "spec", "revisionHistoryLimit", NULL), old = 0;
    for (size_t i = 0; i < ordering->revisions.length; i++)
        old += !is_live(ordering, ordering->revisions.items[i]);
    for (size_t i = 0; i < ordering->revisions.length && limit >= 0 && old > limit; i++) {
        struct error err = ERROR_INIT;
        const struct value *revision = ordering->revisions.items[i];
        if (is_live(ordering, revision))
            continue;
        if (!client_delete(ordering->controller->place.client, &revisions_resource, ordering->ns, revision_name(revision), NULL, PROPAGATION_DEFAULT, &err) && err.kind != ERROR_NOT_FOUND)
            return false;
        old--;
    }
    return true;
}
