#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "kube/why_facts.h"

static bool not_found(struct why_facts *facts, struct kube_why *why)
{
    const char *near = why_nearest(why_list(facts, WHY_SIBLINGS), facts->name);
    if (facts->ns != NULL)
        why_add(why, facts->kind, facts->name, "404", _("%s %s does not exist in namespace %s"), facts->kind, facts->name,
                facts->ns);
    else
        why_add(why, facts->kind, facts->name, "404", _("%s %s does not exist"), facts->kind, facts->name);
    if (near != NULL)
        why_add(why, facts->kind, near, "metadata.name", _("%s %s exists: is that the one that is meant?"), facts->kind, near);
    return true;
}

static void finalizers_of(const struct value *object, char *out, size_t room)
{
    struct buf text = buf_make(room - 1);
    for (const struct value *f = value_first(value_find(object, "metadata", "finalizers", NULL)); f != NULL; f = value_next(f))
        buf_printf(&text, "%s%s", text.length > 0 ? ", " : "", value_text(f) != NULL ? value_text(f) : "");
    snprintf(out, room, "%s", text.bytes != NULL ? text.bytes : "");
    buf_free(&text);
}

/* A Namespace waits for what is in it, and says so in its conditions. */
static void namespace_contents(const struct value *object, struct kube_why *why)
{
    static const char *const types[] = {"NamespaceContentRemaining", "NamespaceFinalizersRemaining",
                                        "NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure",
                                        "NamespaceDeletionContentFailure"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char evidence[128];
        snprintf(evidence, sizeof evidence, "status.conditions[type=%s]", types[i]);
        if (why_condition_is(object, types[i], "True"))
            why_add(why, "Namespace", why_name(object), evidence, "%s", why_text(why_condition(object, types[i]), "message"));
    }
}

bool why_deletion(const struct value *object, struct kube_why *why)
{
    char names[256];
    if (value_find_text(object, "metadata", "deletionTimestamp", NULL) == NULL)
        return false;
    finalizers_of(object, names, sizeof names);
    if (names[0] != '\0')
        why_add(why, why_kind(object), why_name(object), "metadata.finalizers",
                _("%s %s is being deleted and goes only when who is responsible has removed its finalizers: %s"),
                why_kind(object), why_name(object), names);
    else
        why_add(why, why_kind(object), why_name(object), "metadata.deletionTimestamp", _("%s %s is being deleted"),
                why_kind(object), why_name(object));
    if (strcmp(why_kind(object), "Namespace") == 0)
        namespace_contents(object, why);
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Conditions whose True is bad news: by convention their names say so. */
static bool is_bad_when_true(const char *type)
{
    static const char *const ends[] = {"Failure", "Failed", "Pressure",    "Unavailable", "Degraded",
                                       "Stalled", "Error",  "Terminating", "Remaining",   "Exceeded"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(type, ends[i]))
            return true;
    return false;
}

/* Conditions whose False is no news: work that is not under way, or a matter of taste. */
static bool is_neutral(const char *type)
{
    static const char *const types[] = {"Progressing",       "Reconciling",         "Suspended", "Paused",
                                        "Upgradeable",       "NonStructuralSchema", "Complete",  "ScalingLimited",
                                        "DisruptionAllowed", "NeedsRestart"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static bool is_trouble(const struct value *condition)
{
    const char *type = why_text(condition, "type"), *status = why_text(condition, "status");
    if (is_bad_when_true(type))
        return strcmp(status, "True") == 0;
    return !is_neutral(type) && (strcmp(status, "False") == 0 || strcmp(status, "Unknown") == 0);
}

bool why_conditions(const struct value *object, struct kube_why *why)
{
    const struct value *worst = NULL;
    for (const struct value *c = value_first(value_find(object, "status", "conditions", NULL)); c != NULL; c = value_next(c))
        if (is_trouble(c) && (worst == NULL || strcmp(why_text(c, "type"), "Ready") == 0))
            worst = c;
    if (worst == NULL)
        return false;
    char evidence[256];
    const char *type = why_text(worst, "type"), *message = why_text(worst, "message"), *reason = why_text(worst, "reason");
    snprintf(evidence, sizeof evidence, "status.conditions[type=%s]", type);
    why_add(why, why_kind(object), why_name(object), evidence, _("%s %s has the condition %s=%s (%s): %s"), why_kind(object),
            why_name(object), type, why_text(worst, "status"), reason, message[0] != '\0' ? message : reason);
    return true;
}

typedef bool diagnosis(struct why_facts *facts, const struct value *object, struct kube_why *why);

static const struct {
    const char *group, *kind;
    diagnosis *diagnose;
} KINDS[] = {
    {"", "Pod", why_pod},
    {"apps", "Deployment", why_workload},
    {"apps", "ReplicaSet", why_workload},
    {"apps", "StatefulSet", why_workload},
    {"apps", "DaemonSet", why_workload},
    {"", "ReplicationController", why_workload},
    {"batch", "Job", why_job},
    {"", "Service", why_service},
    {"", "PersistentVolumeClaim", why_claim},
};

static bool in_group(const struct value *object, const char *group)
{
    const char *version = why_text(object, "apiVersion"), *slash = strchr(version, '/');
    size_t length = slash != NULL ? (size_t)(slash - version) : 0;
    return strlen(group) == length && strncmp(version, group, length) == 0;
}

/* What could not be read is said last: the search may have ended too early. */
static void tell_denied(const struct why_facts *facts, struct kube_why *why)
{
    static const char *const names[WHY_LISTS] = {"pods", "replicasets", "events", "configmaps", "persistentvolumeclaims", NULL};
    for (size_t i = 0; i < WHY_LISTS; i++)
        if (facts->wanted[i] && facts->denied[i]) {
            const char *name = names[i] != NULL ? names[i] : facts->kind;
            why_add(why, facts->kind, facts->name, "403",
                    _("more cannot be said: these credentials may not list %s in namespace %s"), name,
                    facts->ns != NULL ? facts->ns : "");
            return;
        }
    if (facts->log_wanted && facts->log_denied)
        why_add(why, "Pod", facts->log_pod, "403", _("more cannot be said: these credentials may not read the log of Pod %s"),
                facts->log_pod);
}

void why_diagnose(struct why_facts *facts, struct kube_why *why)
{
    why->count = 0;
    memset(facts->wanted, 0, sizeof facts->wanted);
    facts->log_wanted = false;
    bool known = facts->target == NULL ? not_found(facts, why) : why_deletion(facts->target, why);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS && !known; i++)
        if (strcmp(why_kind(facts->target), KINDS[i].kind) == 0 && in_group(facts->target, KINDS[i].group)) {
            KINDS[i].diagnose(facts, facts->target, why);
            known = true;
        }
    if (!known)
        why_conditions(facts->target, why);
    tell_denied(facts, why);
}
