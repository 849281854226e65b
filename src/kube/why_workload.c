#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "kube/why_facts.h"

/* How each kind counts what it wants and what it has. */
static const struct counts {
    const char *kind, *have; /* status.HAVE */
    bool wants_in_status;    /* a DaemonSet wants one a node */
} COUNTS[] = {
    {"Deployment", "availableReplicas", false},
    {"ReplicaSet", "availableReplicas", false},
    {"ReplicationController", "availableReplicas", false},
    {"StatefulSet", "readyReplicas", false},
    {"DaemonSet", "numberAvailable", true},
};

static const struct counts *counts_of(const struct value *object)
{
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        if (strcmp(COUNTS[i].kind, why_kind(object)) == 0)
            return &COUNTS[i];
    return NULL;
}

/* "exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1" */
static void add_quota(const char *message, struct kube_why *why)
{
    static const char start[] = "exceeded quota: ";
    const char *at = strstr(message, start), *comma = at != NULL ? strchr(at, ',') : NULL;
    if (comma == NULL)
        return;
    char name[254];
    at += sizeof start - 1;
    snprintf(name, sizeof name, "%.*s", (int)(comma - at), at);
    why_add(why, "ResourceQuota", name, "status.used", _("ResourceQuota %s has nothing left for it (%s)"), name, comma + 2);
}

/* The controller was not allowed to make Pods: quota, admission, a bad template. */
static bool pods_are_refused(const struct value *object, struct kube_why *why)
{
    const struct value *condition = why_condition(object, "ReplicaFailure");
    if (strcmp(why_text(condition, "status"), "True") != 0)
        return false;
    const char *message = why_text(condition, "message");
    why_add(why, why_kind(object), why_name(object), "status.conditions[type=ReplicaFailure]",
            _("the Pods of %s %s are refused: %s"), why_kind(object), why_name(object), message);
    add_quota(message, why);
    return true;
}

/* StatefulSets and DaemonSets, and Jobs, have no such condition, only events. */
static bool creation_failed(struct why_facts *facts, const struct value *object, struct kube_why *why)
{
    static const char *const reasons[] = {"FailedCreate", NULL};
    const struct value *event = why_event(facts, object, reasons, NULL);
    if (event == NULL)
        return false;
    const char *message = why_text(event, "message");
    why_add(why, why_kind(object), why_name(object), "event FailedCreate", _("the Pods of %s %s are refused: %s"),
            why_kind(object), why_name(object), message);
    add_quota(message, why);
    return true;
}

static long revision_of(const struct value *set)
{
    const char *text = value_find_text(set, "metadata", "annotations", "deployment.kubernetes.io/revision", NULL);
    return text != NULL ? atol(text) : 0;
}

/* Through a Deployment's ReplicaSets, the newest first: that is the one that is to become available. */
static bool through_replicasets(struct why_facts *facts, const struct value *deployment, struct kube_why *why)
{
    const struct value *newest = NULL, *list = why_list(facts, WHY_REPLICASETS);
    for (const struct value *set = value_first(list); set != NULL; set = value_next(set))
        if (why_owned_by(set, deployment) && (newest == NULL || revision_of(set) > revision_of(newest)))
            newest = set;
    if (newest != NULL && (pods_are_refused(newest, why) || why_worst_pod(facts, newest, why)))
        return true;
    for (const struct value *set = value_first(list); set != NULL; set = value_next(set))
        if (set != newest && why_owned_by(set, deployment) && why_worst_pod(facts, set, why))
            return true;
    return false;
}

static bool is_paused(const struct value *object, long long wants, struct kube_why *why)
{
    if (!value_is_true(value_find(object, "spec", "paused", NULL)) ||
        value_find_int(object, 0, "status", "updatedReplicas", NULL) >= wants)
        return false;
    why_add(why, why_kind(object), why_name(object), "spec.paused",
            _("%s %s is paused: changes of its template are not rolled out"), why_kind(object), why_name(object));
    return true;
}

bool why_workload(struct why_facts *facts, const struct value *object, struct kube_why *why)
{
    const struct counts *counts = counts_of(object);
    if (counts == NULL)
        return false;
    const char *kind = why_kind(object), *name = why_name(object);
    long long wants = counts->wants_in_status ? value_find_int(object, 0, "status", "desiredNumberScheduled", NULL)
                                              : value_find_int(object, 1, "spec", "replicas", NULL);
    long long have = value_find_int(object, 0, "status", counts->have, NULL);
    int64_t generation = value_find_int(object, 0, "metadata", "generation", NULL);
    bool deployment = strcmp(kind, "Deployment") == 0;
    bool outdated = deployment && value_find_int(object, 0, "status", "updatedReplicas", NULL) < wants;
    char evidence[128];
    if (have >= wants && !outdated)
        return false;
    snprintf(evidence, sizeof evidence, "status.%s", counts->have);
    if (have < wants)
        why_add(why, kind, name, evidence, _("%s %s has %lld of %lld replicas available"), kind, name, have, wants);
    else
        why_add(why, kind, name, "status.updatedReplicas", _("%s %s has not replaced all its Pods by new ones: %lld of %lld"),
                kind, name, (long long)value_find_int(object, 0, "status", "updatedReplicas", NULL), wants);
    if (value_find_int(object, generation, "status", "observedGeneration", NULL) < generation) {
        why_add(why, kind, name, "status.observedGeneration", _("the controller has not yet seen the last change of %s %s"),
                kind, name);
        return true;
    }
    if (is_paused(object, wants, why) || pods_are_refused(object, why))
        return true;
    if (deployment ? !through_replicasets(facts, object, why) : !why_worst_pod(facts, object, why))
        creation_failed(facts, object, why);
    return true;
}

bool why_job(struct why_facts *facts, const struct value *job, struct kube_why *why)
{
    const struct value *failed = why_condition(job, "Failed");
    if (why_condition_is(job, "Complete", "True"))
        return false;
    if (value_is_true(value_find(job, "spec", "suspend", NULL))) {
        why_add(why, "Job", why_name(job), "spec.suspend", _("Job %s is suspended"), why_name(job));
        return true;
    }
    if (strcmp(why_text(failed, "status"), "True") == 0) {
        why_add(why, "Job", why_name(job), "status.conditions[type=Failed]", _("Job %s has failed (%s): %s"), why_name(job),
                why_text(failed, "reason"), why_text(failed, "message"));
        why_worst_pod(facts, job, why);
        return true;
    }
    return why_worst_pod(facts, job, why) || creation_failed(facts, job, why);
}
