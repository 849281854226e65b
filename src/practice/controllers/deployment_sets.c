/* deployment_sets.c: a Deployment's ReplicaSets: which there are, the new one, its revision and annotations. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/controllers/deployment.h"

enum { REVISION_HISTORY = 2000 /* characters that the revisions of a set may take */, SET_NAME = 253 };
static const char history_key[] = "deployment.kubernetes.io/revision-history", desired_key[] = "deployment.kubernetes.io/desired-replicas",
                  max_key[] = "deployment.kubernetes.io/max-replicas";

/* ---- which there are ---- */

static int compare_age(const void *first, const void *second)
{
    const struct replica_set *a = first, *b = second;
    return a->created_ms != b->created_ms ? (a->created_ms < b->created_ms ? -1 : 1) : strcmp(a->name, b->name);
}

/* Takes the document over. */
static void set_fill(struct replica_set *set, struct value *document)
{
    const struct value *metadata = value_get(document, "metadata"), *status = value_get(document, "status");
    set->document = document;
    set->name = value_find_text(metadata, "name", NULL);
    set->uid = value_find_text(metadata, "uid", NULL);
    set->replicas = (int32_t)value_find_int(document, 0, "spec", "replicas", NULL);
    set->active = (int32_t)value_find_int(status, 0, "replicas", NULL);
    set->ready = (int32_t)value_find_int(status, 0, "readyReplicas", NULL);
    set->available = (int32_t)value_find_int(status, 0, "availableReplicas", NULL);
    set->created_ms = workload_time(value_get(metadata, "creationTimestamp"));
    set->deleting = workload_is_going(document);
}

static const struct value *template_of(const struct value *document)
{
    return value_find(document, "spec", "template", NULL);
}

static void find_fresh(struct rollout *rollout)
{
    for (size_t i = 0; i < rollout->count && rollout->fresh == NULL; i++)
        if (workload_same_template(template_of(rollout->sets[i].document), template_of(rollout->document), DEPLOYMENT_HASH_LABEL))
            rollout->fresh = &rollout->sets[i];
}

bool sets_read(struct rollout *rollout)
{
    struct label_selector *selector = label_selector_new(value_find(rollout->document, "spec", "selector", NULL), NULL);
    struct vec documents = {0};
    bool ok = selector != NULL && owned_claim(rollout->controller->sets, &rollout->maker, selector, &documents, NULL);
    label_selector_free(selector);
    ok = ok && (rollout->sets = mem_zero(documents.length + 1, sizeof *rollout->sets)) != NULL;
    while (ok && documents.length > 0) {
        set_fill(&rollout->sets[rollout->count], vec_take(&documents, documents.length - 1));
        rollout->sets[rollout->count].was = rollout->sets[rollout->count].replicas;
        rollout->count++;
    }
    vec_free(&documents);
    if (!ok)
        return false;
    qsort(rollout->sets, rollout->count, sizeof *rollout->sets, compare_age);
    find_fresh(rollout);
    return true;
}

void sets_free(struct rollout *rollout)
{
    for (size_t i = 0; i < rollout->count; i++)
        value_free(rollout->sets[i].document);
    mem_free(rollout->sets);
    rollout->sets = rollout->fresh = NULL;
    rollout->count = 0;
}

struct replica_set **sets_active(const struct rollout *rollout, bool with_fresh, size_t *count)
{
    struct replica_set **list = mem_zero(rollout->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < rollout->count && list != NULL; i++)
        if (&rollout->sets[i] != rollout->fresh && rollout->sets[i].replicas > 0)
            list[(*count)++] = &rollout->sets[i];
    if (list != NULL && with_fresh && rollout->fresh != NULL && rollout->fresh->replicas > 0)
        list[(*count)++] = rollout->fresh;
    return list;
}

/* ---- revisions ---- */

/* False: it is no number. One that is missing is 0. */
static bool revision_of(const struct value *document, int64_t *revision)
{
    const char *text = workload_annotation(document, DEPLOYMENT_REVISION);
    char *end;
    *revision = 0;
    if (text == NULL)
        return true;
    *revision = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static int64_t next_revision(const struct rollout *rollout)
{
    int64_t most = 0, revision;
    for (size_t i = 0; i < rollout->count; i++)
        if (&rollout->sets[i] != rollout->fresh && revision_of(rollout->sets[i].document, &revision) && revision > most)
            most = revision;
    return most + 1;
}

static int compare_revision(const void *first, const void *second)
{
    const struct replica_set *a = *(struct replica_set *const *)first, *b = *(struct replica_set *const *)second;
    int64_t left, right;
    bool known_left = revision_of(a->document, &left), known_right = revision_of(b->document, &right);
    bool differ = known_left && known_right && left != right;
    return differ ? (left < right ? -1 : 1) : compare_age(a, b);
}

static bool is_done_with(const struct replica_set *set)
{
    int64_t generation = value_find_int(set->document, 0, "metadata", "generation", NULL), observed = value_find_int(set->document, 0, "status", "observedGeneration", NULL);
    return set->active == 0 && set->replicas == 0 && generation <= observed;
}

bool sets_clean_up(struct rollout *rollout)
{
    struct client *client = rollout->controller->place.client;
    const char *ns = value_find_text(rollout->document, "metadata", "namespace", NULL);
    int64_t limit = value_find_int(rollout->document, INT32_MAX, "spec", "revisionHistoryLimit", NULL);
    struct replica_set **list = mem_zero(rollout->count + 1, sizeof *list);
    size_t count = 0;
    bool ok = list != NULL;
    for (size_t i = 0; i < rollout->count && ok; i++)
        if (&rollout->sets[i] != rollout->fresh && !rollout->sets[i].deleting)
            list[count++] = &rollout->sets[i];
    if (ok)
        qsort(list, count, sizeof *list, compare_revision);
    for (size_t i = 0; ok && limit < INT32_MAX && (int64_t)i < (int64_t)count - limit; i++) {
        struct error err = ERROR_INIT;
        ok = !is_done_with(list[i]) || client_delete(client, &replicasets_resource, ns, list[i]->name, NULL, PROPAGATION_DEFAULT, &err) || err.kind == ERROR_NOT_FOUND;
    }
    mem_free(list);
    return ok;
}

/* ---- annotations ---- */

static bool is_own(const char *key)
{
    static const char *const keys[] = {"kubectl.kubernetes.io/last-applied-configuration", DEPLOYMENT_REVISION, history_key, desired_key, max_key, "deprecated.deployment.rollback.to"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Copies a Deployment's annotations, which a set has in common with it. */
static bool copy_annotations(const struct value *deployment, struct value *set)
{
    for (const struct value *entry = value_first(value_find(deployment, "metadata", "annotations", NULL)); entry != NULL; entry = value_next(entry))
        if (!is_own(value_key(entry)) && value_text(entry) != NULL && !workload_annotate(set, value_key(entry), value_text(entry)))
            return false;
    return true;
}

static bool put_number(struct value *document, const char *key, int64_t number)
{
    char *text = mem_printf("%lld", (long long)number);
    bool ok = text != NULL && workload_annotate(document, key, text);
    mem_free(text);
    return ok;
}

static bool put_sizes(const struct rollout *rollout, struct value *set)
{
    return put_number(set, desired_key, rollout->wanted) && put_number(set, max_key, (int64_t)rollout->wanted + rollout->surge);
}

/* One more revision that a set has served as; the oldest fall off. */
static bool put_history(struct value *set, const char *revision)
{
    const char *before = workload_annotation(set, history_key);
    if (before == NULL || before[0] == '\0')
        return workload_annotate(set, history_key, revision);
    while (strlen(before) + strlen(revision) + 1 > REVISION_HISTORY && strchr(before, ',') != NULL)
        before = strchr(before, ',') + 1;
    char *text = mem_printf("%s,%s", before, revision);
    bool ok = text != NULL && workload_annotate(set, history_key, text);
    mem_free(text);
    return ok;
}

/* A set that was there has a new turn: it gets the highest revision, and keeps those before. */
static bool put_revision(struct value *set, int64_t revision)
{
    const char *text = workload_annotation(set, DEPLOYMENT_REVISION);
    char *was = text != NULL ? mem_string(text) : NULL;
    int64_t before;
    bool ok = text == NULL || was != NULL;
    if (ok && (revision_of(set, &before) || text[0] == '\0') && before < revision)
        ok = put_number(set, DEPLOYMENT_REVISION, revision) && (was == NULL || put_history(set, was));
    mem_free(was);
    return ok;
}

/* ---- writing ---- */

static bool set_update(struct rollout *rollout, struct replica_set *set, struct value *document)
{
    struct value *written = client_update(rollout->controller->place.client, &replicasets_resource, "", document, NULL);
    if (written == NULL)
        return false;
    value_free(set->document);
    set_fill(set, written);
    return true;
}

bool sets_scale(struct rollout *rollout, struct replica_set *set, int32_t replicas, bool always, bool *scaled)
{
    int32_t before = set->replicas;
    if (!always && before == replicas)
        return true;
    struct value *document = value_copy(set->document);
    if (document == NULL || !put_sizes(rollout, document) || !value_set(value_get(document, "spec"), "replicas", value_int(replicas))) {
        value_free(document);
        return false;
    }
    if (value_equal(document, set->document)) {
        value_free(document);
        return true;
    }
    if (!set_update(rollout, set, document))
        return false;
    if (before != replicas) {
        struct recorder_about about = recorder_about(rollout->document, "apps/v1", "Deployment");
        *scaled = true;
        recorder_say(rollout->controller->recorder, &about, false, "ScalingReplicaSet", NULL, "Scaled %s replica set %s from %d to %d", before < replicas ? "up" : "down", set->name,
                     before, replicas);
    }
    return true;
}

/* ---- the new set ---- */

/* How many it may have at once. */
static int32_t first_size(const struct rollout *rollout)
{
    int64_t all = 0, most = (int64_t)rollout->wanted + rollout->surge;
    for (size_t i = 0; i < rollout->count; i++)
        all += rollout->sets[i].replicas;
    if (!rollout->rolling)
        return rollout->wanted;
    return all >= most ? 0 : most - all < rollout->wanted ? (int32_t)(most - all) : rollout->wanted;
}

static bool copy_into(struct value *object, const char *key, const struct value *from)
{
    struct value *copy = from != NULL ? value_copy(from) : value_object();
    return value_set(object, key, copy);
}

static bool fill_spec(const struct rollout *rollout, struct value *set, const char *hash)
{
    const struct value *from = value_get(rollout->document, "spec");
    struct value *spec = value_child(set, "spec");
    int64_t min_ready = value_find_int(from, 0, "minReadySeconds", NULL);
    if (spec == NULL || !copy_into(spec, "selector", value_get(from, "selector")) || !copy_into(spec, "template", value_get(from, "template")))
        return false;
    struct value *match = value_child(value_get(spec, "selector"), "matchLabels"), *labels = value_child(value_child(value_get(spec, "template"), "metadata"), "labels");
    return value_set(match, DEPLOYMENT_HASH_LABEL, value_string(hash)) && value_set(labels, DEPLOYMENT_HASH_LABEL, value_string(hash)) &&
           value_set(spec, "replicas", value_int(first_size(rollout))) && (min_ready == 0 || value_set(spec, "minReadySeconds", value_int(min_ready)));
}

/* The document of the new set. NULL: no memory. */
static struct value *new_set(const struct rollout *rollout)
{
    char hash[TEMPLATE_HASH];
    const char *name = value_find_text(rollout->document, "metadata", "name", NULL);
    struct value *set = value_object(), *metadata = value_child(set, "metadata"), *owners = value_array();
    bool ok = metadata != NULL && value_set(metadata, "ownerReferences", owners);
    if (metadata == NULL)
        value_free(owners);
    ok = ok && value_append(owners, maker_reference(&rollout->maker)) &&
         template_hash(template_of(rollout->document), value_find_int(rollout->document, 0, "status", "collisionCount", NULL), hash) && fill_spec(rollout, set, hash);
    char *full = ok ? mem_printf("%.*s-%s", (int)(SET_NAME - 1 - strlen(hash)), name, hash) : NULL;
    ok = full != NULL && value_set(metadata, "name", value_string(full)) &&
         copy_into(metadata, "labels", value_find(set, "spec", "template", "metadata", "labels", NULL)) && copy_annotations(rollout->document, set) &&
         put_number(set, DEPLOYMENT_REVISION, next_revision(rollout)) && put_sizes(rollout, set);
    mem_free(full);
    if (ok)
        return set;
    value_free(set);
    return NULL;
}

/* One of that name is there: the new one, made a moment ago, or one that has another template and the same hash. */
static struct value *find_existing(struct rollout *rollout, const char *name)
{
    const char *ns = value_find_text(rollout->document, "metadata", "namespace", NULL), *uid = value_find_text(rollout->document, "metadata", "uid", NULL);
    struct value *there = client_get(rollout->controller->place.client, &replicasets_resource, ns, name, NULL);
    if (there != NULL && workload_is_controlled_by(there, uid) && workload_same_template(template_of(there), template_of(rollout->document), DEPLOYMENT_HASH_LABEL))
        return there;
    bool collides = there != NULL;
    value_free(there);
    struct value *status = collides ? value_child(rollout->document, "status") : NULL;
    if (status != NULL && value_set(status, "collisionCount", value_int(value_find_int(status, 0, "collisionCount", NULL) + 1)) && !deployment_write_status(rollout))
        return NULL; /* it tries again either way */
    return NULL;
}

static void say_failed(struct rollout *rollout, const char *name, const struct error *err)
{
    struct recorder_about about = recorder_about(rollout->document, "apps/v1", "Deployment");
    char *message = mem_printf("Failed to create new replica set \"%s\": %s", name, err->message);
    if (message == NULL)
        return;
    recorder_say(rollout->controller->recorder, &about, true, "ReplicaSetCreateError", NULL, "%s", message);
    bool told = rollout->deadline_s >= 0 && deployment_put_condition(rollout, "Progressing", "False", "ReplicaSetCreateError", mem_string(message)) && deployment_write_status(rollout);
    (void)told; /* it tries again either way */
    mem_free(message);
}

static bool put_in(struct rollout *rollout, struct value *document)
{
    struct replica_set *set = &rollout->sets[rollout->count++];
    *set = (struct replica_set){0};
    set_fill(set, document);
    set->was = set->replicas;
    rollout->fresh = set; /* the newest: at the end */
    return true;
}

static bool make_set(struct rollout *rollout, bool *made)
{
    struct error err = ERROR_INIT;
    struct value *set = new_set(rollout);
    char *name = set != NULL ? mem_string(value_find_text(set, "metadata", "name", NULL)) : NULL;
    if (name == NULL) {
        value_free(set);
        return false;
    }
    const char *ns = value_find_text(rollout->document, "metadata", "namespace", NULL);
    struct value *there = client_create(rollout->controller->place.client, &replicasets_resource, ns, set, &err);
    *made = there != NULL;
    if (there == NULL && err.kind == ERROR_EXISTS)
        there = find_existing(rollout, name);
    else if (there == NULL && maker_namespace_ends(&err))
        rollout->ended = true;
    else if (there == NULL)
        say_failed(rollout, name, &err);
    mem_free(name);
    return there != NULL && put_in(rollout, there);
}

static bool renew_fresh(struct rollout *rollout)
{
    struct replica_set *fresh = rollout->fresh;
    int64_t min_ready = value_find_int(rollout->document, 0, "spec", "minReadySeconds", NULL);
    struct value *document = value_copy(fresh->document), *spec = value_get(document, "spec");
    bool ok = document != NULL && copy_annotations(rollout->document, document) && put_revision(document, next_revision(rollout)) && workload_number(spec, "minReadySeconds", min_ready, false);
    if (ok && !value_equal(document, fresh->document))
        return set_update(rollout, fresh, document);
    value_free(document);
    return ok;
}

/* The Deployment says which revision is out. */
static bool put_own_revision(struct rollout *rollout, bool *changed)
{
    const char *revision = workload_annotation(rollout->fresh->document, DEPLOYMENT_REVISION), *before = workload_annotation(rollout->document, DEPLOYMENT_REVISION);
    if (revision == NULL || (before != NULL && strcmp(before, revision) == 0))
        return true;
    *changed = true;
    return workload_annotate(rollout->document, DEPLOYMENT_REVISION, revision);
}

bool sets_renew(struct rollout *rollout, bool make)
{
    bool made = false, changed = false, there = rollout->fresh != NULL;
    if (!there && !make)
        return true;
    if (there ? !renew_fresh(rollout) : !make_set(rollout, &made))
        return false;
    const struct replica_set *fresh = rollout->fresh;
    if (made && fresh->replicas > 0) {
        struct recorder_about about = recorder_about(rollout->document, "apps/v1", "Deployment");
        recorder_say(rollout->controller->recorder, &about, false, "ScalingReplicaSet", NULL, "Scaled up replica set %s from 0 to %d", fresh->name, fresh->replicas);
    }
    bool ok = put_own_revision(rollout, &changed);
    if (rollout->deadline_s >= 0 && (made || (there && condition_find(value_get(rollout->document, "status"), "Progressing") == NULL))) {
        changed = true;
        ok = ok && deployment_put_condition(rollout, "Progressing", "True", made ? "NewReplicaSetCreated" : "FoundNewReplicaSet",
                              mem_printf("%s new replica set \"%s\"", made ? "Created" : "Found", fresh->name));
    }
    return ok && (!changed || deployment_write_status(rollout));
}
