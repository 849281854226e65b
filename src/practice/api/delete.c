/* delete: what becomes of an object that is to go: gone at once, or marked, by grace, finalizers and propagation. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/admission.h"
#include "practice/api/definitions_internal.h"
#include "practice/api/verbs.h"

static const char orphan[] = "orphan", foreground[] = "foregroundDeletion";

/* Kinds whose deletion answers with the object that went, not with a Status. */
static bool returns_object(const struct schema_kind *kind)
{
    static const char *const core[] = {"namespaces",     "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates",
                                       "resourcequotas", "serviceaccounts",        "services",          NULL};
    static const char *const storage[] = {"csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattributesclasses", NULL};
    const char *const *list = kind->group[0] == '\0' ? core : strcmp(kind->group, "storage.k8s.io") == 0 ? storage : NULL;
    while (list != NULL && *list != NULL && strcmp(*list, kind->plural) != 0)
        list++;
    return list != NULL && *list != NULL;
}

/* A deletion on its way. */
struct deletion {
    struct api *api;
    const struct call *call;
    const struct schema_kind *kind;
    struct object *object;  /* a reference */
    struct value *document; /* stored version, owned; changed as it is marked */
    struct answer *answer;
    int64_t now_ms, period; /* period: seconds of grace that count, once decided */
};

static bool no_memory(struct deletion *deletion)
{
    return status_error(&deletion->answer->failure, &(struct error){.kind = ERROR_MEMORY});
}

static bool is_namespace(const struct schema_kind *kind)
{
    return kind->group[0] == '\0' && strcmp(kind->plural, "namespaces") == 0;
}

/* The real server names the kind here, not the resource; for namespaces it has other words. */
static bool precondition_failed(struct deletion *deletion, const char *what, const char *wanted, const char *has, const char *guess)
{
    struct status *failure = &deletion->answer->failure;
    struct schema_kind as = *deletion->kind;
    if (is_namespace(deletion->kind))
        return status_conflict(failure, deletion->kind, deletion->object->name, "Precondition failed: %s in precondition: %s, %s in object meta: %s",
                               what, wanted, what, has);
    as.plural = as.kind;
    return status_conflict(failure, &as, deletion->object->name,
                           "the %s in the precondition (%s) does not match the %s in record (%s). The object might have been %s", what, wanted, what,
                           has, guess);
}

static bool check_preconditions(struct deletion *deletion)
{
    const struct call *call = deletion->call;
    const struct object *object = deletion->object;
    char version[24];
    snprintf(version, sizeof version, "%llu", (unsigned long long)object->version);
    if (call->if_uid != NULL && strcmp(call->if_uid, object->uid) != 0)
        return precondition_failed(deletion, "UID", call->if_uid, object->uid, "deleted and then recreated");
    if (call->if_version != NULL && strcmp(call->if_version, version) != 0)
        return precondition_failed(deletion, "ResourceVersion", call->if_version, version, "modified");
    return true;
}

static bool set_time(struct deletion *deletion, int64_t at_ms)
{
    char text[21];
    time_print(at_ms, text);
    return metadata_set_text(deletion->document, "deletionTimestamp", text);
}

static bool set_period(struct deletion *deletion, int64_t seconds)
{
    return value_set(metadata_of(deletion->document), "deletionGracePeriodSeconds", value_int(seconds));
}

/* What is wished; -1: nothing. Negative wishes count as a second. */
static int64_t wish_of(const struct call *call)
{
    return call->grace < -1 ? 1 : call->grace;
}

enum grace { GRACE_NONE, GRACE_PENDING, GRACE_MARKED, GRACE_FAILED };

/* Its deletion began before: a second one may only shorten the time. */
static enum grace shorten(struct deletion *deletion)
{
    const struct value *metadata = value_get(deletion->document, "metadata");
    int64_t has = value_find_int(metadata, 0, "deletionGracePeriodSeconds", NULL), wish = wish_of(deletion->call), at = 0;
    const char *text = value_find_text(metadata, "deletionTimestamp", NULL);
    if (has < 0)
        has = 1;
    if (has == 0)
        return GRACE_NONE;
    if (wish < 0 || wish >= has)
        return GRACE_PENDING;
    if (text == NULL || !time_parse(text, &at))
        at = deletion->now_ms;
    at += (wish - has) * 1000;
    if (at < deletion->now_ms) {
        at = deletion->now_ms;
        wish = wish != 0 ? 1 : 0;
    }
    deletion->period = wish;
    return set_time(deletion, at) && set_period(deletion, wish) ? GRACE_MARKED : GRACE_FAILED;
}

static enum grace decide_grace(struct deletion *deletion)
{
    const struct rules *rules = rules_of(deletion->kind->storage);
    if (rules->grace == NULL)
        return GRACE_NONE;
    if ((deletion->object->flags & OBJECT_DELETING) != 0)
        return shorten(deletion);
    int64_t own = rules->grace(deletion->document), wish = wish_of(deletion->call);
    deletion->period = own <= 0 ? 0 : wish >= 0 ? wish : own; /* whatever is wished of a pod that does not run */
    if (!set_time(deletion, deletion->now_ms + deletion->period * 1000) || !set_period(deletion, deletion->period) ||
        !metadata_bump(deletion->document))
        return GRACE_FAILED;
    return GRACE_MARKED;
}

static bool is_finalizer(const struct value *entry, const char *name)
{
    const char *text = value_text(entry);
    return text != NULL && strcmp(text, name) == 0;
}

/* Kinds that leave what they own alone unless something else is said: so it was in the beginning. */
static bool orphans_by_default(const struct schema_kind *kind)
{
    return (strcmp(kind->plural, "replicationcontrollers") == 0 && kind->group[0] == '\0') ||
           (strcmp(kind->plural, "jobs") == 0 && strcmp(kind->group, "batch") == 0);
}

/* The two finalizers of the garbage collector, by what is wished, else as they are, else as the kind's default is. */
static bool set_propagation(struct deletion *deletion)
{
    struct value *metadata = metadata_of(deletion->document), *list = value_get(metadata, "finalizers");
    bool supported = strcmp(deletion->kind->plural, "events") != 0;
    bool orphans = deletion->call->propagation == PROPAGATION_ORPHAN, waits = deletion->call->propagation == PROPAGATION_FOREGROUND;
    bool had[2] = {false, false}, first_orphan = false;
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry)) {
        if (!had[0] && !had[1])
            first_orphan = is_finalizer(entry, orphan);
        had[0] = had[0] || is_finalizer(entry, orphan);
        had[1] = had[1] || is_finalizer(entry, foreground);
    }
    if (deletion->call->propagation == PROPAGATION_DEFAULT && (had[0] || had[1])) {
        orphans = first_orphan;
        waits = !first_orphan;
    } else if (deletion->call->propagation == PROPAGATION_DEFAULT && !is_namespace(deletion->kind)) {
        orphans = orphans_by_default(deletion->kind);
    }
    orphans = orphans && supported;
    waits = waits && supported;
    if (orphans == had[0] && waits == had[1])
        return true;
    for (struct value *entry = value_first(list), *next = NULL; entry != NULL; entry = next) {
        next = value_next(entry);
        if (is_finalizer(entry, orphan) || is_finalizer(entry, foreground))
            value_free(value_take(list, entry));
    }
    if (list == NULL && (orphans || waits)) {
        if (!value_set(metadata, "finalizers", value_array()))
            return false;
        list = value_get(metadata, "finalizers");
    }
    if ((orphans && !value_append(list, value_string(orphan))) || (waits && !value_append(list, value_string(foreground))))
        return false;
    if (value_first(list) == NULL)
        value_remove(metadata, "finalizers");
    return true;
}

/* Shows the document in the answer, at a version. */
static bool answer_document(struct deletion *deletion, uint64_t version)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    struct value *document = deletion->document;
    deletion->document = NULL;
    if (!metadata_set_text(document, "resourceVersion", text)) {
        value_free(document);
        return no_memory(deletion);
    }
    deletion->answer->value = document_convert(document, deletion->kind->storage, deletion->kind, &deletion->answer->failure);
    return deletion->answer->value != NULL;
}

static bool answer_gone(struct deletion *deletion, uint64_t version)
{
    const struct object *object = deletion->object;
    deletion->answer->code = 200;
    if (returns_object(deletion->kind))
        return answer_document(deletion, version);
    deletion->answer->value = status_success(deletion->kind, object->name, object->uid);
    return deletion->answer->value != NULL || no_memory(deletion);
}

/* It stays as it is (a deletion that goes on already). */
static bool answer_unchanged(struct deletion *deletion)
{
    deletion->answer->code = 200;
    if (!returns_object(deletion->kind)) {
        deletion->answer->value = status_success(deletion->kind, deletion->object->name, deletion->object->uid);
        return deletion->answer->value != NULL || no_memory(deletion);
    }
    deletion->answer->object = object_ref(deletion->object);
    return true;
}

static bool build(struct deletion *deletion, struct object_build *out)
{
    return object_build(out, deletion->kind->storage, deletion->object->resource, deletion->document, NULL) || no_memory(deletion);
}

static bool mark(struct deletion *deletion)
{
    struct object_build text;
    struct error err = ERROR_INIT;
    deletion->answer->code = 200;
    if (deletion->call->dry_run)
        return answer_document(deletion, deletion->object->version);
    if (!build(deletion, &text))
        return false;
    const struct object *put = state_put(deletion->api->state, &text.wanted, deletion->object, &err);
    object_build_free(&text);
    if (put == NULL)
        return status_error(&deletion->answer->failure, &err);
    deletion->answer->object = object_ref(put);
    return true;
}

static bool drop(struct deletion *deletion)
{
    struct object_build text;
    struct error err = ERROR_INIT;
    uint64_t version = deletion->object->version;
    if (deletion->call->dry_run)
        return answer_gone(deletion, version);
    if (!build(deletion, &text))
        return false;
    bool done = state_delete(deletion->api->state, deletion->object, &text.wanted, &version, &err) || status_error(&deletion->answer->failure, &err);
    object_build_free(&text);
    if (!done || !answer_gone(deletion, version))
        return false;
    struct write after = {.api = deletion->api, .kind = deletion->kind};
    write_after(&after);
    return true;
}

/* The first deletion of a namespace marks it; the namespace controller empties it and takes its finalizer away. */
static bool delete_namespace(struct deletion *deletion)
{
    struct value *status = NULL;
    if ((deletion->object->flags & OBJECT_DELETING) != 0)
        return value_first(value_find(deletion->document, "spec", "finalizers", NULL)) != NULL ? answer_unchanged(deletion) : drop(deletion);
    status = value_child(deletion->document, "status");
    if (!set_time(deletion, deletion->now_ms) || status == NULL || !value_set(status, "phase", value_string("Terminating")) ||
        !set_propagation(deletion))
        return no_memory(deletion);
    return mark(deletion);
}

static bool is_definition(const struct schema_kind *kind)
{
    return strcmp(kind->plural, "customresourcedefinitions") == 0 && strcmp(kind->group, "apiextensions.k8s.io") == 0;
}

/* The first deletion of a CustomResourceDefinition gives it the finalizer that its objects' removal takes away (definitions.h). */
static bool delete_definition(struct deletion *deletion)
{
    return definition_start_removal(deletion->document, deletion->now_ms) ? mark(deletion) : no_memory(deletion);
}

static bool delete_by_rules(struct deletion *deletion)
{
    enum grace grace = decide_grace(deletion);
    if (grace == GRACE_FAILED)
        return no_memory(deletion);
    if (grace == GRACE_PENDING)
        return answer_unchanged(deletion);
    bool was_marked = (deletion->object->flags & OBJECT_DELETING) != 0;
    if (!set_propagation(deletion))
        return no_memory(deletion);
    bool waits = value_first(value_find(deletion->document, "metadata", "finalizers", NULL)) != NULL;
    if (grace == GRACE_MARKED)
        return waits || deletion->period > 0 ? mark(deletion) : drop(deletion);
    if (!waits)
        return drop(deletion);
    int64_t at = 0;
    const char *text = value_find_text(deletion->document, "metadata", "deletionTimestamp", NULL);
    bool keeps = text != NULL && time_parse(text, &at) && at <= deletion->now_ms;
    if ((!was_marked && !metadata_bump(deletion->document)) || (!keeps && !set_time(deletion, deletion->now_ms)) || !set_period(deletion, 0))
        return no_memory(deletion);
    struct value *old = api_value(deletion->api, deletion->object, deletion->kind->storage);
    bool same = old != NULL && metadata_same_document(old, deletion->document);
    value_free(old);
    if (!same)
        return mark(deletion);
    deletion->answer->code = 200;
    deletion->answer->object = object_ref(deletion->object);
    return true;
}

/* Nothing to mark and no object to show: the text need not be read. */
static bool is_simple(const struct deletion *deletion)
{
    const struct schema_kind *kind = deletion->kind;
    enum propagation propagation = deletion->call->propagation;
    bool propagates = propagation == PROPAGATION_ORPHAN || propagation == PROPAGATION_FOREGROUND ||
                      (propagation == PROPAGATION_DEFAULT && orphans_by_default(kind));
    return !propagates && !is_definition(kind) && (deletion->object->flags & OBJECT_HAS_FINALIZERS) == 0 && rules_of(kind->storage)->grace == NULL &&
           !returns_object(kind);
}

static bool drop_simply(struct deletion *deletion)
{
    struct error err = ERROR_INIT;
    if (!deletion->call->dry_run && !state_delete(deletion->api->state, deletion->object, NULL, NULL, &err))
        return status_error(&deletion->answer->failure, &err);
    if (!answer_gone(deletion, 0))
        return false;
    struct write after = {.api = deletion->api, .kind = deletion->kind};
    write_after(&after);
    return true;
}

static bool warn_of_default(const struct call *call, struct answer *answer)
{
    if (call->propagation != PROPAGATION_DEFAULT || strcmp(call->kind->plural, "jobs") != 0 || !orphans_by_default(call->kind))
        return true;
    return answer_warn(answer, "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
                               "propagationPolicy=Orphan to suppress this warning");
}

bool api_delete(struct api *api, const struct call *call, const struct object *object, struct answer *answer)
{
    struct deletion deletion = {.api = api, .call = call, .kind = call->kind, .answer = answer, .now_ms = api_now_ms(api)};
    deletion.object = object_ref(object);
    bool done = check_preconditions(&deletion) && admission_delete(api, call, deletion.object, &answer->failure) &&
                (warn_of_default(call, answer) || no_memory(&deletion));
    if (done && is_simple(&deletion)) {
        done = drop_simply(&deletion);
        object_unref(deletion.object);
        return done;
    }
    if (done) {
        deletion.document = api_value(api, deletion.object, call->kind->storage);
        done = deletion.document != NULL || no_memory(&deletion);
    }
    bool marks_definition = is_definition(call->kind) && (deletion.object->flags & OBJECT_DELETING) == 0;
    if (done)
        done = is_namespace(call->kind) ? delete_namespace(&deletion) : marks_definition ? delete_definition(&deletion) : delete_by_rules(&deletion);
    value_free(deletion.document);
    object_unref(deletion.object);
    return done;
}

void verb_delete(struct api *api, struct call *call, struct answer *answer)
{
    const struct object *object =
        state_get(api->state, registry_resource(api->registry, call->kind), call->kind->namespaced ? call->ns : "", call->name);
    if (object == NULL)
        status_not_found(&answer->failure, call->kind, call->name);
    else
        api_delete(api, call, object, answer);
}
