/* statefulset_claims.c: the volume claims of a StatefulSet's Pods: made before them, and kept or gone with them as the set's retention policy says. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/statefulset.h"

static const struct client_resource claims_resource = {"", "v1", "persistentvolumeclaims"};

const struct value *claim_templates(const struct ordering *ordering)
{
    return value_first(value_find(ordering->document, "spec", "volumeClaimTemplates", NULL));
}

static const char *template_name(const struct value *template)
{
    const char *name = value_find_text(template, "metadata", "name", NULL);
    return name != NULL ? name : "";
}

char *claim_name(const struct ordering *ordering, const struct value *template, int64_t ordinal)
{
    return mem_printf("%s-%s-%lld", template_name(template), ordering->name, (long long)ordinal);
}

static const struct object *find(const struct ordering *ordering, const struct value *template, int64_t ordinal)
{
    char *name = claim_name(ordering, template, ordinal);
    const struct object *claim = name != NULL ? informer_get(ordering->controller->claims, ordering->ns, name) : NULL;
    mem_free(name);
    return claim;
}

/* ---- making ---- */

static void say(struct ordering *ordering, const char *claim, const char *pod, const struct error *err)
{
    struct recorder_about about = recorder_about(ordering->document, "apps/v1", "StatefulSet");
    if (err == NULL)
        recorder_say(ordering->controller->recorder, &about, false, "SuccessfulCreate", NULL, "Create Claim %s Pod %s in StatefulSet %s success", claim, pod, ordering->name);
    else
        recorder_say(ordering->controller->recorder, &about, true, "FailedCreate", NULL, "Create Claim %s for Pod %s in StatefulSet %s failed error: %s", claim, pod, ordering->name,
                     err->message);
}

/* The template with the claim's name and the set's labels. NULL: no memory. */
static struct value *new_claim(const struct ordering *ordering, const struct value *template, const char *name)
{
    struct value *claim = value_copy(template), *metadata = value_child(claim, "metadata"), *labels = NULL;
    bool ok = value_set(metadata, "name", value_string(name));
    for (const struct value *entry = value_first(value_find(ordering->document, "spec", "selector", "matchLabels", NULL)); ok && entry != NULL; entry = value_next(entry)) {
        labels = value_child(metadata, "labels");
        ok = value_set(labels, value_key(entry), value_copy(entry));
    }
    value_remove(claim, "status");
    if (ok)
        return claim;
    value_free(claim);
    return NULL;
}

static bool make_claim(struct ordering *ordering, const struct value *template, const struct member *member, struct error *err)
{
    struct error why = ERROR_INIT;
    char *name = claim_name(ordering, template, member->ordinal), *pod = mem_printf("%s-%lld", ordering->name, (long long)member->ordinal);
    struct value *claim = name != NULL && pod != NULL ? new_claim(ordering, template, name) : NULL;
    struct value *made = claim != NULL ? client_create(ordering->controller->place.client, &claims_resource, ordering->ns, claim, &why) : NULL;
    bool fine = made != NULL || why.kind == ERROR_EXISTS;
    if (made != NULL)
        say(ordering, name, pod, NULL);
    else if (claim == NULL)
        error_memory(err);
    else if (!fine) {
        say(ordering, name, pod, &why);
        error_set(err, why.kind, NULL, "failed to create PVC %s: %s", name, why.message);
    }
    value_free(made);
    mem_free(name);
    mem_free(pod);
    return fine;
}

bool claims_make(struct ordering *ordering, const struct member *member, struct error *err)
{
    bool ok = true;
    for (const struct value *template = claim_templates(ordering); template != NULL; template = value_next(template)) {
        const struct object *there = find(ordering, template, member->ordinal);
        if (there == NULL)
            ok = make_claim(ordering, template, member, err) && ok;
        else if ((there->flags & OBJECT_DELETING) != 0)
            ok = error_set(err, ERROR_BUSY, NULL, "pvc %s is being deleted", there->name);
    }
    return ok;
}

/* ---- whose they are ---- */

struct policy {
    bool delete_with_set, delete_when_scaled;
};

static struct policy policy_of(const struct ordering *ordering)
{
    const struct value *policy = value_find(ordering->document, "spec", "persistentVolumeClaimRetentionPolicy", NULL);
    const char *deleted = value_find_text(policy, "whenDeleted", NULL), *scaled = value_find_text(policy, "whenScaled", NULL);
    return (struct policy){deleted != NULL && strcmp(deleted, "Delete") == 0, scaled != NULL && strcmp(scaled, "Delete") == 0};
}

/* What an owner reference can point at. */
struct owning {
    const char *api_version, *kind, *name, *uid;
};

static struct owning owning_set(const struct ordering *ordering)
{
    return (struct owning){"apps/v1", "StatefulSet", ordering->name, value_find_text(ordering->document, "metadata", "uid", NULL)};
}

static bool same_text(const struct value *reference, const char *key, const char *text)
{
    const char *its = value_find_text(reference, key, NULL);
    return its != NULL && strcmp(its, text) == 0;
}

/* By kind and name, whichever uid it has. */
static bool points_at(const struct value *reference, const struct owning *owning)
{
    return same_text(reference, "apiVersion", owning->api_version) && same_text(reference, "kind", owning->kind) && same_text(reference, "name", owning->name);
}

static const struct value *references_of(const struct value *claim)
{
    return value_first(value_find(claim, "metadata", "ownerReferences", NULL));
}

static const struct value *reference_to(const struct value *claim, const char *uid)
{
    const struct value *reference = references_of(claim);
    while (reference != NULL && !same_text(reference, "uid", uid))
        reference = value_next(reference);
    return reference;
}

/* A reference to one of that name which is not the one that is there now. */
static bool is_stale(const struct value *claim, const struct owning *owning)
{
    for (const struct value *reference = references_of(claim); reference != NULL; reference = value_next(reference))
        if (points_at(reference, owning))
            return !same_text(reference, "uid", owning->uid);
    return false;
}

static bool has_other_controller(const struct ordering *ordering, const struct value *claim, const struct owning *set, const struct owning *pod)
{
    struct policy policy = policy_of(ordering);
    if (!policy.delete_with_set && !policy.delete_when_scaled)
        return false;
    for (const struct value *reference = references_of(claim); reference != NULL; reference = value_next(reference)) {
        const struct owning *ours = points_at(reference, set) ? set : points_at(reference, pod) ? pod : NULL;
        if (ours != NULL ? !same_text(reference, "uid", ours->uid) : value_is_true(value_get(reference, "controller")))
            return true;
    }
    return false;
}

/* Who is to own it. */
static void wanted_owners(const struct ordering *ordering, const struct member *member, bool *set, bool *pod)
{
    struct policy policy = policy_of(ordering);
    bool surplus = member->ordinal < ordering->start || member->ordinal >= ordering->start + ordering->wanted;
    *pod = policy.delete_when_scaled && surplus;
    *set = policy.delete_with_set && !*pod;
}

static bool is_no_controller(const struct value *reference)
{
    return reference != NULL && !value_is_true(value_get(reference, "controller"));
}

static bool is_up_to_date(const struct ordering *ordering, const struct member *member, const struct value *claim, const struct owning *set, const struct owning *pod)
{
    const struct value *of_set = reference_to(claim, set->uid), *of_pod = reference_to(claim, pod->uid);
    bool wants_set, wants_pod;
    if (is_stale(claim, set) || is_stale(claim, pod))
        return true; /* what is left of another set is not touched */
    if (has_other_controller(ordering, claim, set, pod))
        return of_set == NULL && of_pod == NULL;
    wanted_owners(ordering, member, &wants_set, &wants_pod);
    return !is_no_controller(of_set) && !is_no_controller(of_pod) && wants_set == (of_set != NULL) && wants_pod == (of_pod != NULL);
}

static bool add_reference(struct value *references, const struct owning *owning)
{
    struct value *reference = value_object();
    bool ok = value_set(reference, "apiVersion", value_string(owning->api_version)) && value_set(reference, "kind", value_string(owning->kind)) &&
              value_set(reference, "name", value_string(owning->name)) && value_set(reference, "uid", value_string(owning->uid)) &&
              value_set(reference, "controller", value_bool(true)) && value_set(reference, "blockOwnerDeletion", value_bool(true));
    if (ok)
        return value_append(references, reference);
    value_free(reference);
    return false;
}

/* Ours go, and those that are wanted come. */
static bool put_owners(const struct ordering *ordering, const struct member *member, struct value *claim, const struct owning *set, const struct owning *pod)
{
    bool other = has_other_controller(ordering, claim, set, pod), wants_set, wants_pod, ok = true;
    struct value *references = value_array();
    if (references == NULL)
        return false;
    for (const struct value *reference = references_of(claim); reference != NULL && ok; reference = value_next(reference))
        ok = points_at(reference, set) || points_at(reference, pod) || value_append(references, value_copy(reference));
    wanted_owners(ordering, member, &wants_set, &wants_pod);
    if (ok && !other)
        ok = (!wants_set || add_reference(references, set)) && (!wants_pod || add_reference(references, pod));
    return value_set(value_get(claim, "metadata"), "ownerReferences", references) && ok;
}

/* Looks at one; `mend`: makes it right, else says whether it is. */
static bool look_at(struct ordering *ordering, const struct member *member, const struct object *there, bool mend, bool *right, struct error *err)
{
    char *name = mem_printf("%s-%lld", ordering->name, (long long)member->ordinal);
    struct value *claim = name != NULL ? informer_value(ordering->controller->claims, there) : NULL;
    const struct owning set = owning_set(ordering), pod = {"v1", "Pod", name, member->pod != NULL ? member->pod->object->uid : ""};
    bool ok = claim != NULL || error_memory(err);
    if (ok && mend && has_other_controller(ordering, claim, &set, &pod)) {
        struct recorder_about about = recorder_about(ordering->document, "apps/v1", "StatefulSet");
        recorder_say(ordering->controller->recorder, &about, true, "ConflictingController", NULL,
                     "PersistentVolumeClaim %s has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim", there->name);
    }
    *right = ok && is_up_to_date(ordering, member, claim, &set, &pod);
    if (ok && mend && !*right) {
        struct error why = ERROR_INIT;
        struct value *written = NULL;
        if (put_owners(ordering, member, claim, &set, &pod)) {
            written = client_update(ordering->controller->place.client, &claims_resource, "", claim, &why);
            claim = NULL;
        }
        ok = written != NULL || error_set(err, why.kind != ERROR_NONE ? why.kind : ERROR_MEMORY, NULL, "could not update claim %s for delete policy ownerRefs: %s", there->name, why.message);
        value_free(written);
    }
    value_free(claim);
    mem_free(name);
    return ok;
}

bool claims_are_kept(struct ordering *ordering, const struct member *member)
{
    bool all = true, right;
    for (const struct value *template = claim_templates(ordering); template != NULL && all; template = value_next(template)) {
        const struct object *there = find(ordering, template, member->ordinal);
        if (there != NULL)
            all = !look_at(ordering, member, there, false, &right, NULL) || right;
    }
    return all;
}

bool claims_keep(struct ordering *ordering, const struct member *member, struct error *err)
{
    bool right;
    for (const struct value *template = claim_templates(ordering); template != NULL; template = value_next(template)) {
        const struct object *there = find(ordering, template, member->ordinal);
        if (there != NULL && !look_at(ordering, member, there, true, &right, err))
            return false;
    }
    return true;
}

bool claims_are_fresh(const struct ordering *ordering, const struct member *member)
{
    bool fresh = true;
    for (const struct value *template = policy_of(ordering).delete_when_scaled ? claim_templates(ordering) : NULL; template != NULL && fresh; template = value_next(template)) {
        const struct object *there = find(ordering, template, member->ordinal);
        struct value *claim = there != NULL ? informer_value(ordering->controller->claims, there) : NULL;
        char *name = mem_printf("%s-%lld", ordering->name, (long long)member->ordinal);
        const struct owning pod = {"v1", "Pod", name, member->pod != NULL ? member->pod->object->uid : ""};
        fresh = name != NULL && (there == NULL || (claim != NULL && !is_stale(claim, &pod)));
        mem_free(name);
        value_free(claim);
    }
    return fresh;
}
