/* statefulset_pods.c: a StatefulSet's Pods are made, deleted and set right, one by one. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/statefulset.h"

static const struct client_resource pods_resource = {"", "v1", "pods"};
static const char name_label[] = "statefulset.kubernetes.io/pod-name", index_label[] = "apps.kubernetes.io/pod-index";

void member_say(struct ordering *ordering, const char *verb, const char *name, const struct error *err)
{
    if (err != NULL && err->kind == ERROR_CONFLICT) /* what it knew was old: it looks again, which is no news */
        return;
    struct recorder_about about = recorder_about(ordering->document, "apps/v1", "StatefulSet");
    char reason[32];
    snprintf(reason, sizeof reason, "%s%s", err == NULL ? "Successful" : "Failed", verb);
    if (err == NULL)
        recorder_say(ordering->controller->recorder, &about, false, reason, NULL, "%s Pod %s in StatefulSet %s successful", verb, name, ordering->name);
    else
        recorder_say(ordering->controller->recorder, &about, true, reason, NULL, "%s Pod %s in StatefulSet %s failed error: %s", verb, name, ordering->name, err->message);
}

/* ---- the document of one ---- */

/* {"name", "persistentVolumeClaim": {"claimName"}}, appended. */
static bool add_volume(const struct ordering *ordering, struct value *volumes, const struct value *template, int64_t ordinal)
{
    struct value *volume = value_object();
    char *claim = claim_name(ordering, template, ordinal);
    const char *name = value_find_text(template, "metadata", "name", NULL);
    bool ok = claim != NULL && name != NULL && value_set(volume, "name", value_string(name)) &&
              value_set(value_child(volume, "persistentVolumeClaim"), "claimName", value_string(claim));
    mem_free(claim);
    if (ok)
        return value_append(volumes, volume);
    value_free(volume);
    return false;
}

static bool is_claimed(const struct ordering *ordering, const char *volume)
{
    for (const struct value *template = claim_templates(ordering); template != NULL; template = value_next(template)) {
        const char *name = value_find_text(template, "metadata", "name", NULL);
        if (name != NULL && volume != NULL && strcmp(name, volume) == 0)
            return true;
    }
    return false;
}

/* The claims' volumes, then those of the Pod that have other names. */
static bool put_volumes(const struct ordering *ordering, struct value *pod, int64_t ordinal)
{
    struct value *spec = value_child(pod, "spec"), *volumes = value_array();
    bool ok = volumes != NULL;
    if (claim_templates(ordering) == NULL) {
        value_free(volumes);
        return spec != NULL;
    }
    for (const struct value *template = claim_templates(ordering); template != NULL && ok; template = value_next(template))
        ok = add_volume(ordering, volumes, template, ordinal);
    for (const struct value *volume = value_first(value_get(spec, "volumes")); volume != NULL && ok; volume = value_next(volume))
        ok = is_claimed(ordering, value_find_text(volume, "name", NULL)) || value_append(volumes, value_copy(volume));
    return value_set(spec, "volumes", volumes) && ok;
}

static bool put_identity(struct value *pod, const char *name, int64_t ordinal)
{
    char index[24];
    struct value *labels = value_child(value_child(pod, "metadata"), "labels");
    snprintf(index, sizeof index, "%lld", (long long)ordinal);
    return value_set(labels, name_label, value_string(name)) && value_set(labels, index_label, value_string(index));
}

/* Below the partition, Pods that are made anew get the revision that the others there have. */
static bool has_current(const struct ordering *ordering, int64_t ordinal)
{
    const struct value *strategy = value_find(ordering->document, "spec", "updateStrategy", NULL), *rolling = value_get(strategy, "rollingUpdate");
    const char *type = value_find_text(strategy, "type", NULL);
    if (rolling != NULL)
        return ordinal < ordering->start + value_find_int(rolling, 0, "partition", NULL);
    return type != NULL && strcmp(type, "RollingUpdate") == 0 && ordinal < ordering->start + value_find_int(ordering->document, 0, "status", "currentReplicas", NULL);
}

/* NULL: no memory. */
static struct value *new_pod(const struct ordering *ordering, int64_t ordinal, const char *name)
{
    bool current = has_current(ordering, ordinal);
    const char *service = value_find_text(ordering->document, "spec", "serviceName", NULL), *revision = revision_name(current ? ordering->current : ordering->update);
    struct value *pod = maker_pod(&ordering->maker, current ? ordering->current_template : ordering->update_template, name), *metadata = value_get(pod, "metadata");
    char *prefix = mem_printf("%s-", ordering->name);
    bool ok = pod != NULL && prefix != NULL && value_set(metadata, "generateName", value_string(prefix)) && put_identity(pod, name, ordinal) &&
              value_set(value_child(metadata, "labels"), STATEFULSET_REVISION_LABEL, value_string(revision)) && put_volumes(ordering, pod, ordinal) &&
              value_set(value_child(pod, "spec"), "hostname", value_string(name)) &&
              (service == NULL || service[0] == '\0' || value_set(value_child(pod, "spec"), "subdomain", value_string(service)));
    mem_free(prefix);
    if (ok)
        return pod;
    value_free(pod);
    return NULL;
}

/* ---- making and deleting ---- */

static bool create(struct ordering *ordering, const struct member *member, const char *name)
{
    struct error err = ERROR_INIT;
    if (!claims_make(ordering, member, &err)) {
        member_say(ordering, "Create", name, &err);
        return false;
    }
    struct value *pod = new_pod(ordering, member->ordinal, name), *made;
    if (pod == NULL)
        return false;
    made = client_create(ordering->controller->place.client, &pods_resource, ordering->ns, pod, &err);
    bool done = made != NULL;
    value_free(made);
    ordering->made += done;
    if (!done && (err.kind == ERROR_EXISTS || maker_namespace_ends(&err)))
        return err.kind != ERROR_EXISTS; /* nothing is said of that */
    struct error why = ERROR_INIT;
    if (!claims_keep(ordering, member, &why)) {
        member_say(ordering, "Update", name, &why);
        return false;
    }
    member_say(ordering, "Create", name, done ? NULL : &err);
    return done;
}

bool member_make(struct ordering *ordering, const struct member *member)
{
    char *name = mem_printf("%s-%lld", ordering->name, (long long)member->ordinal);
    bool ok = name != NULL && create(ordering, member, name);
    mem_free(name);
    return ok;
}

bool member_delete(struct ordering *ordering, const struct member *member)
{
    struct error err = ERROR_INIT;
    const struct object *pod = member->pod->object;
    struct statefulsets *controller = ordering->controller;
    if (!pending_will_delete(&controller->pending, member->pod))
        return false;
    bool done = client_delete(controller->place.client, &pods_resource, pod->ns, pod->name, NULL, PROPAGATION_DEFAULT, &err);
    bool gone = !done && err.kind == ERROR_NOT_FOUND;
    if (!done)
        pending_did_not_delete(&controller->pending, member->pod);
    ordering->deleted += done;
    member_say(ordering, "Delete", pod->name, done || gone ? NULL : &err);
    return done || gone;
}

/* ---- setting right ---- */

static const struct value *volume_of(const struct value *pod, const char *name)
{
    for (const struct value *volume = value_first(value_find(pod, "spec", "volumes", NULL)); volume != NULL; volume = value_next(volume)) {
        const char *its = value_find_text(volume, "name", NULL);
        if (its != NULL && strcmp(its, name) == 0)
            return volume;
    }
    return NULL;
}

/* Its volumes are the claims that it is to have. */
static bool has_storage(const struct ordering *ordering, const struct value *pod, int64_t ordinal)
{
    for (const struct value *template = claim_templates(ordering); template != NULL; template = value_next(template)) {
        const char *name = value_find_text(template, "metadata", "name", NULL);
        const char *claim = value_find_text(volume_of(pod, name != NULL ? name : ""), "persistentVolumeClaim", "claimName", NULL);
        char *wanted = claim_name(ordering, template, ordinal);
        bool same = wanted != NULL && claim != NULL && strcmp(claim, wanted) == 0;
        mem_free(wanted);
        if (!same)
            return false;
    }
    return true;
}

static bool mend(struct ordering *ordering, const struct member *member, struct value *pod, bool named, bool stored, struct error *err)
{
    if ((!named && !put_identity(pod, member->pod->object->name, member->ordinal)) || (!stored && !put_volumes(ordering, pod, member->ordinal))) {
        value_free(pod);
        return error_memory(err);
    }
    if ((!stored && !claims_make(ordering, member, err)) || !claims_keep(ordering, member, err)) {
        value_free(pod);
        return false;
    }
    struct value *written = client_update(ordering->controller->place.client, &pods_resource, "", pod, err);
    value_free(written);
    return written != NULL;
}

bool member_mend(struct ordering *ordering, const struct member *member)
{
    struct error err = ERROR_INIT;
    const struct object *object = member->pod->object;
    const char *label = object_label(object, name_label);
    bool named = label != NULL && strcmp(label, object->name) == 0, has_claims = claim_templates(ordering) != NULL;
    if (named && !has_claims)
        return true;
    struct value *pod = pods_value(ordering->controller->place.pods, member->pod);
    if (pod == NULL)
        return false;
    bool stored = has_storage(ordering, pod, member->ordinal);
    if (named && stored && claims_are_kept(ordering, member)) {
        value_free(pod);
        return true;
    }
    bool done = mend(ordering, member, pod, named, stored, &err);
    member_say(ordering, "Update", object->name, done ? NULL : &err);
    return done;
}
