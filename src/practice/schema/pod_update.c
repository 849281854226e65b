/* What may change in a stored Pod, and in its status. */
#include <string.h>

#include "practice/schema/addresses.h"
#include "practice/schema/pod_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"}, metadata_place = {.key = "metadata"};

#define UPDATABLE                                                                                                                              \
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"     \
    "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "     \
    "previously negative)"

#define APPARMOR_PREFIX "container.apparmor.security.beta.kubernetes.io/"
#define MIRROR "kubernetes.io/config.mirror"

static void check_annotations_kept(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct value *now = value_find(object, "metadata", "annotations", NULL), *before = value_find(old, "metadata", "annotations", NULL);
    const struct place place = place_key(&metadata_place, "annotations");
    EACH (annotation, before) {
        const struct place at = place_map(&place, value_key(annotation));
        if (same_at(now, before, value_key(annotation)))
            continue;
        if (starts_with(value_key(annotation), APPARMOR_PREFIX))
            problem_forbidden(problems, &at, NULL, "may not remove or update AppArmor annotations");
        if (strcmp(value_key(annotation), MIRROR) == 0)
            problem_forbidden(problems, &at, NULL, "may not remove or update mirror pod annotation");
    }
    EACH (annotation, now) {
        const struct place at = place_map(&place, value_key(annotation));
        if (has(before, value_key(annotation)))
            continue;
        if (starts_with(value_key(annotation), APPARMOR_PREFIX))
            problem_forbidden(problems, &at, NULL, "may not add AppArmor annotations");
        if (strcmp(value_key(annotation), MIRROR) == 0)
            problem_forbidden(problems, &at, NULL, "may not add mirror pod annotation");
    }
}

/* False: nothing more is worth looking at. */
static bool check_containers(const struct value *spec, const struct value *old, const char *list, struct problems *problems)
{
    const struct place place = place_key(&spec_place, list);
    if (value_length(value_get(spec, list)) == value_length(value_get(old, list)))
        return true;
    problem_forbidden(problems, &place, NULL, "pod updates may not add or remove containers");
    return false;
}

static bool check_deadline(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "activeDeadlineSeconds");
    int64_t seconds = int_of(spec, "activeDeadlineSeconds", 0);
    if (has(spec, "activeDeadlineSeconds")) {
        if (seconds < 0 || seconds > INT32_MAX)
            problem_number(problems, &at, seconds, "must be between 0 and %d, inclusive", INT32_MAX);
        else if (!has(old, "activeDeadlineSeconds") || int_of(old, "activeDeadlineSeconds", 0) >= seconds)
            return true;
        else
            problem_number(problems, &at, seconds, "must be less than or equal to previous value");
        return false;
    }
    if (has(old, "activeDeadlineSeconds"))
        problem_add(problems, &at, PROBLEM_INVALID, NULL, "must not update from a positive integer to nil value");
    return true;
}

static bool same_but_seconds(const struct value *a, const struct value *b)
{
    static const char *const keys[] = {"key", "operator", "value", "effect", NULL};
    for (size_t i = 0; keys[i] != NULL; i++)
        if (strcmp(text_of(a, keys[i]), text_of(b, keys[i])) != 0)
            return false;
    return true;
}

static void check_tolerations(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct place place = place_key(&spec_place, "tolerations");
    EACH (before, value_get(old, "tolerations")) {
        bool found = false;
        EACH (now, value_get(spec, "tolerations"))
            found = found || same_but_seconds(before, now);
        if (!found) {
            problem_forbidden(problems, &place, NULL, "existing toleration can not be modified except its tolerationSeconds");
            return;
        }
    }
    pod_validate_tolerations(value_get(spec, "tolerations"), &place, problems);
}

static void check_gates(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct place place = place_key(&spec_place, "schedulingGates");
    size_t i = 0;
    EACH (gate, value_get(spec, "schedulingGates")) {
        const struct place at = place_index(&place, i++), name = place_key(&at, "name");
        bool known = false;
        EACH (before, value_get(old, "schedulingGates"))
            known = known || same_at(before, gate, "name");
        struct buf words = buf_make(1024);
        buf_printf(&words, "only deletion is allowed, but found new scheduling gate '%s'", text_of(gate, "name"));
        if (!known && buf_ok(&words))
            problem_forbidden(problems, &name, NULL, words.bytes);
        buf_free(&words);
    }
}

/* The new spec with everything that may change put back: what differs then may not. NULL: no memory. */
static struct value *munged(const struct value *spec, const struct value *old, bool gated)
{
    static const char *const lists[] = {"containers", "initContainers", NULL}, *const keep[] = {"activeDeadlineSeconds", "schedulingGates",
                                                                                                "tolerations", NULL};
    struct value *copy = value_copy(spec);
    bool ok = copy != NULL;
    for (size_t k = 0; ok && lists[k] != NULL; k++) {
        const struct value *before = value_first(value_get(old, lists[k]));
        for (struct value *now = value_first(value_get(copy, lists[k])); ok && now != NULL && before != NULL;
             now = value_next(now), before = value_next(before))
            ok = put_copy(now, "image", value_get(before, "image"));
    }
    for (size_t i = 0; ok && keep[i] != NULL; i++)
        ok = put_copy(copy, keep[i], value_get(old, keep[i]));
    if (ok && int_of(old, "terminationGracePeriodSeconds", 0) < 0 && int_of(copy, "terminationGracePeriodSeconds", 0) == 1)
        ok = put_copy(copy, "terminationGracePeriodSeconds", value_get(old, "terminationGracePeriodSeconds"));
    if (ok && gated)
        ok = put_copy(copy, "nodeSelector", value_get(old, "nodeSelector"));
    if (ok && gated) {
        const struct value *affinity = value_get(old, "affinity"), *node = value_get(affinity, "nodeAffinity");
        struct value *now = value_get(copy, "affinity");
        if (now == NULL && node != NULL)
            ok = (now = value_child(copy, "affinity")) != NULL;
        ok = ok && (now == NULL || put_copy(now, "nodeAffinity", node));
        if (ok && affinity == NULL && now != NULL && value_first(now) == NULL)
            value_remove(copy, "affinity");
    }
    if (!ok) {
        value_free(copy);
        return NULL;
    }
    return copy;
}

static void check_gated(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct place selector = place_key(&spec_place, "nodeSelector");
    const struct value *now = value_get(spec, "nodeSelector"), *before = value_get(old, "nodeSelector");
    EACH (label, before)
        if (!same_at(now, before, value_key(label))) {
            problem_add(problems, &selector, PROBLEM_INVALID, now, "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
            break;
        }
}

void pod_update_validate(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_object, "spec");
    bool gated = value_first(value_get(old, "schedulingGates")) != NULL;
    check_annotations_kept(object, old_object, problems);
    if (!check_containers(spec, old, "containers", problems) || !check_containers(spec, old, "initContainers", problems) ||
        !check_deadline(spec, old, problems))
        return;
    check_tolerations(spec, old, problems);
    check_gates(spec, old, problems);
    if (same(spec, old))
        return;
    if (gated)
        check_gated(spec, old, problems);
    struct value *rest = munged(spec, old, gated);
    if (rest == NULL)
        problems->failed = true;
    else if (!same(rest, old))
        problem_diff(problems, &spec_place, "PodSpec", old, rest, UPDATABLE);
    value_free(rest);
}

static void check_conditions(const struct value *status, struct problems *problems)
{
    static const char *const system[] = {"PodScheduled", "Ready", "Initialized", NULL};
    const struct place place = place_key(&status_place, "conditions");
    size_t i = 0;
    EACH (condition, value_get(status, "conditions")) {
        const struct place at = place_index(&place, i++), generation = place_key(&at, "observedGeneration");
        if (int_of(condition, "observedGeneration", 0) < 0)
            problem_number(problems, &generation, int_of(condition, "observedGeneration", 0), "must be a non-negative integer");
        if (!one_of(text_of(condition, "type"), system))
            name_problems_of(problems, &at, "Type", text_of(condition, "type"), name_qualified);
    }
}

static void check_ips(const struct value *status, const char *one, const char *all, struct problems *problems)
{
    const struct place place = place_key(&status_place, all), first = place_index(&place, 0), first_ip = place_key(&first, "ip");
    const struct value *list = value_get(status, all);
    bool host = strcmp(one, "hostIP") == 0;
    const char *single = text_of(status, one), *head = text_of(value_first(list), "ip");
    size_t i = 0;
    if (host && value_first(list) != NULL && strcmp(single, head) != 0)
        problem_invalid(problems, &first_ip, head, "must be equal to `hostIP`");
    EACH (entry, list) {
        const struct place at = place_index(&place, i++);
        address_problems(problems, &at, text_of(entry, "ip"), NULL);
    }
    bool dual = value_length(list) == 2 && address_is_v6(head) != address_is_v6(text_of(value_item(list, 1), "ip"));
    if (value_length(list) > 1 && !dual)
        problem_internal(problems, &place, PROBLEM_INVALID, host ? "[]HostIP" : "[]PodIP", list, "may specify no more than one IP for each IP family");
    if (host)
        return;
    if ((*single != '\0') != (value_first(list) != NULL))
        problem_internal(problems, &place, PROBLEM_INVALID, "[]PodIP", list, "podIP and podIPs must either both be set or both be unset");
    else if (value_first(list) != NULL && strcmp(single, head) != 0)
        problem_invalid(problems, &first_ip, head, "must be equal to `podIP`");
}

/* A container that ended goes on only if its pod's policy lets it. */
static void check_transitions(const struct value *status, const struct value *old, const struct value *spec, const char *list,
                              struct problems *problems)
{
    const struct place place = place_key(&status_place, list);
    const char *policy = text_of(spec, "restartPolicy");
    bool ephemeral = strcmp(list, "ephemeralContainerStatuses") == 0;
    size_t i = 0;
    if (!ephemeral && strcmp(policy, "Always") == 0)
        return;
    EACH (before, value_get(old, list)) {
        const struct place at = place_index(&place, i++);
        const struct value *ended = value_find(before, "state", "terminated", NULL);
        if (ended == NULL || (!ephemeral && int_of(ended, "exitCode", 0) != 0 && strcmp(policy, "OnFailure") == 0))
            continue;
        EACH (now, value_get(status, list))
            if (same_at(before, now, "name") && value_find(now, "state", "terminated", NULL) == NULL)
                problem_forbidden(problems, &at, "state", "may not be transitioned to non-terminated state");
    }
}

void pod_status_validate(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *status = value_get(object, "status"), *old = value_get(old_object, "status"), *spec = value_get(old_object, "spec");
    const struct place generation = place_key(&status_place, "observedGeneration");
    check_annotations_kept(object, old_object, problems);
    check_conditions(status, problems);
    if (!same_at(status, old, "nominatedNodeName"))
        check_name(problems, status, &status_place, "nominatedNodeName", name_subdomain, false);
    if (int_of(status, "observedGeneration", 0) < 0)
        problem_number(problems, &generation, int_of(status, "observedGeneration", 0), "must be a non-negative integer");
    check_immutable(problems, status, old, &status_place, "qosClass");
    check_transitions(status, old, spec, "containerStatuses", problems);
    check_transitions(status, old, spec, "initContainerStatuses", problems);
    check_transitions(status, old, spec, "ephemeralContainerStatuses", problems);
    check_ips(status, "podIP", "podIPs", problems);
    check_ips(status, "hostIP", "hostIPs", problems);
}
