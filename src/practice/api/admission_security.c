/* PodSecurity: namespaces say by labels which level of the Pod Security Standards their pods must keep (enforce), and about
 * which violations people are told (warn). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/admission_internal.h"
#include "practice/api/pod_security.h"
#include "practice/schema/problem.h"

#define LABEL "pod-security.kubernetes.io/"
enum { SECURITY_PODS = 3000 /* of a namespace are looked at when its level changes */, SECURITY_WARNINGS = 1000 };

static const char *const level_names[] = {"privileged", "baseline", "restricted"};

struct rule {
    enum security_level level;
    int minor;
};

struct policy {
    struct rule enforce, warn;
};

static bool read_level(const char *text, enum security_level *out)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *out = (enum security_level)i;
            return true;
        }
    }
    return false;
}

/* "latest" or "v1.N". */
static bool read_version(const char *text, int *minor)
{
    *minor = SECURITY_LATEST;
    if (strcmp(text, "latest") == 0)
        return true;
    size_t digits = strncmp(text, "v1.", 3) == 0 ? strspn(text + 3, "0123456789") : 0;
    if (digits == 0 || digits > 5 || text[3 + digits] != '\0' || (text[3] == '0' && digits > 1))
        return false;
    *minor = (int)strtol(text + 3, NULL, 10);
    return true;
}

/* One label pair of a mode; problems may be NULL. *set says whether the level is there and right; a wrong one is `wrong`. */
static void read_mode(const struct value *ns, const char *mode, enum security_level wrong, struct rule *rule, bool *has_level,
                      bool *has_version, struct problems *problems)
{
    const struct place metadata = place_key(NULL, "metadata"), labels = place_key(&metadata, "labels");
    char key[64], version_key[80];
    snprintf(key, sizeof key, LABEL "%s", mode);
    snprintf(version_key, sizeof version_key, "%s-version", key);
    const struct place at_level = place_map(&labels, key), at_version = place_map(&labels, version_key);
    const char *level = admission_label(ns, key), *version = admission_label(ns, version_key);
    *has_level = level != NULL;
    *has_version = version != NULL;
    if (level != NULL && !read_level(level, &rule->level)) {
        rule->level = wrong;
        if (problems != NULL)
            problem_invalid(problems, &at_level, level, "must be one of privileged, baseline, restricted");
    }
    if (version != NULL && !read_version(version, &rule->minor) && problems != NULL)
        problem_invalid(problems, &at_version, version, "must be \"latest\" or \"v1.x\"");
}

static struct policy read_policy(const struct value *ns, struct problems *problems)
{
    const struct rule none = {.level = SECURITY_PRIVILEGED, .minor = SECURITY_LATEST};
    struct policy policy = {.enforce = none, .warn = none};
    struct rule audit = none;
    bool enforced, warned, has_version;
    read_mode(ns, "enforce", SECURITY_RESTRICTED, &policy.enforce, &enforced, &has_version, problems);
    read_mode(ns, "audit", SECURITY_PRIVILEGED, &audit, &warned, &has_version,
              problems); /* nobody reads an audit log here; its labels must be right all the same */
    read_mode(ns, "warn", SECURITY_PRIVILEGED, &policy.warn, &warned, &has_version, problems);
    if (!warned && enforced && policy.enforce.level > policy.warn.level) {
        policy.warn.level = policy.enforce.level;
        if (!has_version)
            policy.warn.minor = policy.enforce.minor;
    }
    return policy;
}

/* "restricted:latest", "baseline:v1.30" */
static void print_rule(const struct rule *rule, struct buf *out)
{
    if (rule->minor == SECURITY_LATEST)
        buf_printf(out, "%s:latest", level_names[rule->level]);
    else
        buf_printf(out, "%s:v1.%d", level_names[rule->level], rule->minor);
}

static bool same_rule(const struct rule *a, const struct rule *b)
{
    return a->level == b->level && a->minor == b->minor;
}

/* Holds a pod or template against a rule. False: it breaks it (said in out: `PodSecurity "restricted:latest": ...`). */
static bool keeps(const struct value *pod, const struct rule *rule, struct buf *out)
{
    struct buf details = buf_make(SECURITY_TEXT);
    bool ok = pod_security_allows(pod, rule->level, rule->minor, NULL, &details);
    if (!ok) {
        buf_append_string(out, "PodSecurity \"");
        print_rule(rule, out);
        buf_printf(out, "\": %s", details.bytes != NULL ? details.bytes : "");
    }
    if (!buf_ok(&details))
        buf_fail(out);
    buf_free(&details);
    return ok;
}

static bool evaluate(struct admission *admission, const struct policy *policy, const struct value *pod, bool enforce)
{
    struct buf text = buf_make(SECURITY_TEXT);
    bool ok = true;
    if (enforce && !keeps(pod, &policy->enforce, &text))
        ok = buf_ok(&text) ? admission_forbid(admission, "violates %s", text.bytes) : admission_no_memory(admission);
    buf_clear(&text);
    if (ok && !keeps(pod, &policy->warn, &text))
        ok = buf_ok(&text) ? admission_warn(admission, "would violate %s", text.bytes) : admission_no_memory(admission);
    buf_free(&text);
    return ok;
}

/* Images, and how many containers there are, are what a pod's update may change that matters here. */
static bool is_significant(const struct value *pod, const struct value *old)
{
    static const char *const fields[] = {"containers", "initContainers", "ephemeralContainers"};
    for (size_t i = 0; i < 3; i++) {
        const struct value *now = value_first(value_find(pod, "spec", fields[i], NULL)),
                           *before = value_first(value_find(old, "spec", fields[i], NULL));
        for (; now != NULL && before != NULL; now = value_next(now), before = value_next(before))
            if (strcmp(admission_text(now, "image"), admission_text(before, "image")) != 0)
                return true;
        if (now != NULL || before != NULL)
            return true;
    }
    return false;
}

static const struct {
    const char *group, *kind;
    const char *path[4]; /* to its pods' template */
} controllers[] = {
    {"", "PodTemplate", {"template"}},
    {"", "ReplicationController", {"spec", "template"}},
    {"apps", "ReplicaSet", {"spec", "template"}},
    {"apps", "Deployment", {"spec", "template"}},
    {"apps", "StatefulSet", {"spec", "template"}},
    {"apps", "DaemonSet", {"spec", "template"}},
    {"batch", "Job", {"spec", "template"}},
    {"batch", "CronJob", {"spec", "jobTemplate", "spec", "template"}},
};

/* The template of a controller's pods; NULL: it makes none. */
static const struct value *template_of(const struct schema_kind *kind, const struct value *object)
{
    for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; i++) {
        if (strcmp(controllers[i].group, kind->group) != 0 || strcmp(controllers[i].kind, kind->kind) != 0)
            continue;
        for (size_t j = 0; j < 4 && controllers[i].path[j] != NULL; j++)
            object = value_get(object, controllers[i].path[j]);
        return object;
    }
    return NULL;
}

/* What is wrong with pods of a namespace, and with how many. */
struct group {
    char *reasons, *first;
    size_t count;
};

static void free_group(void *data)
{
    struct group *group = data;
    mem_free(group->reasons);
    mem_free(group->first);
    mem_free(group);
}

static bool add_to_group(struct vec *groups, const char *reasons, const char *name)
{
    for (size_t i = 0; i < groups->length; i++) {
        struct group *group = groups->items[i];
        if (strcmp(group->reasons, reasons) == 0) {
            group->count++;
            return true;
        }
    }
    struct group *group = mem_zero(1, sizeof *group);
    if (group == NULL)
        return false;
    *group = (struct group){.reasons = mem_string(reasons), .first = mem_string(name), .count = 1};
    if (group->reasons != NULL && group->first != NULL)
        return vec_push(groups, group);
    free_group(group);
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct group *first = a, *second = b;
    return strcmp(first->first, second->first);
}

static bool warn_groups(struct admission *admission, struct vec *groups, const char *ns, const struct rule *rule)
{
    struct buf level = buf_make(64);
    print_rule(rule, &level);
    bool ok = groups->length == 0 ||
              (buf_ok(&level) &&
               admission_warn(admission, "existing pods in namespace \"%s\" violate the new PodSecurity enforce level \"%s\"",
                              ns, level.bytes));
    buf_free(&level);
    vec_sort(groups, by_name);
    for (size_t i = 0; ok && i < groups->length; i++) {
        const struct group *group = groups->items[i];
        if (group->count == 1)
            ok = admission_warn(admission, "%s: %s", group->first, group->reasons);
        else if (group->count == 2)
            ok = admission_warn(admission, "%s (and 1 other pod): %s", group->first, group->reasons);
        else
            ok = admission_warn(admission, "%s (and %zu other pods): %s", group->first, group->count - 1, group->reasons);
    }
    return ok;
}

/* Tells of the pods that are there already and break a new level. */
static bool warn_of_pods(struct admission *admission, const char *ns, const struct rule *rule)
{
    struct vec groups = vec_make(SECURITY_WARNINGS, free_group);
    bool ok = true;
    size_t count = 0;
    for (const struct object *object = NULL;
         ok && count < SECURITY_PODS && (object = lookup_next(admission->api, "", "pods", ns, object)) != NULL; count++) {
        struct buf reasons = buf_make(SECURITY_TEXT);
        struct value *pod = lookup_value(object);
        ok = pod != NULL;
        if (ok && !pod_security_allows(pod, rule->level, rule->minor, &reasons, NULL))
            ok = buf_ok(&reasons) && reasons.bytes != NULL && add_to_group(&groups, reasons.bytes, object->name);
        value_free(pod);
        buf_free(&reasons);
    }
    if (!ok)
        admission_no_memory(admission);
    ok = ok && warn_groups(admission, &groups, ns, rule);
    vec_free(&groups);
    return ok;
}

static bool check_namespace(struct admission *admission)
{
    struct problems problems = problems_make(), before = problems_make();
    struct policy now = read_policy(admission->object, &problems), old = read_policy(admission->old, &before);
    bool ok = problems_none(&problems) ||
              (admission->old != NULL && before.list.length > 0 && before.list.length == problems.list.length);
    if (!ok)
        status_invalid(admission->failure, admission->call->kind, admission_name(admission->object), &problems);
    problems_free(&problems);
    problems_free(&before);
    bool stricter = now.enforce.level != SECURITY_PRIVILEGED && !same_rule(&now.enforce, &old.enforce) &&
                    !(now.enforce.minor == old.enforce.minor && now.enforce.level <= old.enforce.level);
    return ok &&
           (admission->old == NULL || !stricter || warn_of_pods(admission, admission_name(admission->object), &now.enforce));
}

bool check_pod_security(struct admission *admission)
{
    const struct schema_kind *kind = admission->call->kind;
    bool core = *kind->group == '\0', pod = core && strcmp(kind->kind, "Pod") == 0;
    if (core && strcmp(kind->kind, "Namespace") == 0)
        return check_namespace(admission);
    const struct value *template = pod ? admission->object : template_of(kind, admission->object);
    if (template == NULL || (pod && admission->old != NULL && !is_significant(admission->object, admission->old)))
        return true;
    const struct object *object = lookup(admission->api, "", "namespaces", "", admission->call->ns);
    if (object == NULL || strstr(object->text, LABEL) == NULL)
        return true;
    struct value *ns = lookup_value(object);
    if (ns == NULL)
        return admission_no_memory(admission);
    struct policy policy = read_policy(ns, NULL);
    value_free(ns);
    return evaluate(admission, &policy, template, pod);
}
