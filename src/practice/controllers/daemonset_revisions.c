/* daemonset_revisions.c: the revisions of a DaemonSet's template. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/daemonset.h"

static const struct client_resource pods_resource = {"", "v1", "pods"};

static const char *hash_of(const struct value *revision)
{
    const char *hash = value_find_text(revision, "metadata", "labels", DAEMONSET_HASH_LABEL, NULL);
    return hash != NULL ? hash : "";
}

/* Another template has the hash: the next one is made with another number of collisions. */
static void note_collision(struct spread *spread)
{
    struct value *fresh = client_get(spread->controller->place.client, &daemonsets_resource, spread->ns, value_find_text(spread->document, "metadata", "name", NULL), NULL);
    int64_t before = value_find_int(spread->document, 0, "status", "collisionCount", NULL), now = value_find_int(fresh, 0, "status", "collisionCount", NULL);
    if (fresh == NULL || before != now || !value_set(value_child(fresh, "status"), "collisionCount", value_int(now + 1))) {
        value_free(fresh);
        return; /* it looks again either way */
    }
    value_free(client_update(spread->controller->place.client, &daemonsets_resource, "status", fresh, NULL));
}

/* NULL: try again. */
static struct value *make(struct spread *spread, const struct value *data, int64_t number)
{
    struct error err = ERROR_INIT;
    struct client *client = spread->controller->place.client;
    char hash[TEMPLATE_HASH];
    bool hashed = template_hash(value_find(spread->document, "spec", "template", NULL), value_find_int(spread->document, 0, "status", "collisionCount", NULL), hash);
    struct value *revision = hashed ? revision_new(&spread->maker, data, number, DAEMONSET_HASH_LABEL, hash) : NULL;
    char *name = revision != NULL ? mem_string(revision_name(revision)) : NULL;
    if (name == NULL) {
        value_free(revision);
        return NULL;
    }
    struct value *made = client_create(client, &revisions_resource, spread->ns, revision, &err);
    if (made == NULL && err.kind == ERROR_EXISTS) {
        made = client_get(client, &revisions_resource, spread->ns, name, NULL);
        if (made != NULL && !revision_has(made, data)) {
            value_free(made);
            made = NULL;
            note_collision(spread);
        }
    }
    mem_free(name);
    return made;
}

/* Of several with the same template the newest stays, and its Pods get that one's hash. */
static bool keep_one(struct spread *spread, const struct vec *same, struct value **kept)
{
    struct client *client = spread->controller->place.client;
    *kept = same->items[same->length - 1];
    for (const struct pod_view *pod = NULL; same->length > 1 && (pod = pods_next_owned(spread->controller->place.pods, spread->uid, pod)) != NULL;) {
        const char *hash = object_label(pod->object, DAEMONSET_HASH_LABEL);
        if (hash != NULL && strcmp(hash, hash_of(*kept)) == 0)
            continue;
        struct value *patch = value_object();
        if (!value_set(value_child(value_child(patch, "metadata"), "labels"), DAEMONSET_HASH_LABEL, value_string(hash_of(*kept)))) {
            value_free(patch);
            return false;
        }
        struct value *done = client_patch(client, &pods_resource, "", pod->object->ns, pod->object->name, PATCH_MERGE, patch, NULL);
        value_free(done);
        if (done == NULL)
            return false;
    }
    for (size_t i = 0; i + 1 < same->length; i++)
        if (!client_delete(client, &revisions_resource, spread->ns, revision_name(same->items[i]), NULL, PROPAGATION_DEFAULT, NULL))
            return false;
    return true;
}

static bool raise(struct spread *spread, struct value *revision, int64_t number)
{
    if (revision_number(revision) >= number)
        return true;
    struct value *copy = value_copy(revision);
    if (!value_set(copy, "revision", value_int(number))) {
        value_free(copy);
        return false;
    }
    struct value *written = client_update(spread->controller->place.client, &revisions_resource, "", copy, NULL);
    value_free(written);
    return written != NULL;
}

static bool choose(struct spread *spread, const struct value *data, struct vec *same, struct vec *old, struct value **present)
{
    int64_t most = 0;
    for (size_t i = 0; i < spread->revisions.length; i++) {
        struct value *revision = spread->revisions.items[i];
        bool is_same = revision_has(revision, data);
        if (!vec_push(is_same ? same : old, revision))
            return false;
        if (!is_same && revision_number(revision) > most)
            most = revision_number(revision);
    }
    if (same->length > 0)
        return keep_one(spread, same, present) && raise(spread, *present, most + 1);
    *present = make(spread, data, most + 1);
    return *present != NULL && vec_push(&spread->revisions, *present);
}

bool spread_find_revision(struct spread *spread, struct value **present, struct vec *old)
{
    struct value *data = revision_data(value_find(spread->document, "spec", "template", NULL));
    struct vec same = vec_make(spread->revisions.maximum, NULL);
    revisions_sort(&spread->revisions);
    bool ok = data != NULL && choose(spread, data, &same, old, present);
    vec_free(&same);
    value_free(data);
    return ok;
}

static bool is_live(const struct spread *spread, const struct value *revision)
{
    for (size_t i = 0; i < spread->daemon_count; i++) {
        const char *hash = object_label(spread->daemons[i].pod->object, DAEMONSET_HASH_LABEL);
        if (hash != NULL && strcmp(hash, hash_of(revision)) == 0)
            return true;
    }
    return false;
}

bool spread_trim_revisions(struct spread *spread, struct vec *old)
{
    int64_t surplus = (int64_t)old->length - value_find_int(spread->document, 10, "spec", "revisionHistoryLimit", NULL);
    for (size_t i = 0; i < old->length && surplus > 0; i++) {
        struct error err = ERROR_INIT;
        if (is_live(spread, old->items[i]))
            continue;
        if (!client_delete(spread->controller->place.client, &revisions_resource, spread->ns, revision_name(old->items[i]), NULL, PROPAGATION_DEFAULT, &err) && err.kind != ERROR_NOT_FOUND)
            return false;
        surplus--;
    }
    return true;
}
