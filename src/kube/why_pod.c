#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "kube/why_facts.h"

/* A container of a Pod as its status tells of it. */
struct container {
    const struct value *pod, *status;
    const char *list; /* "containerStatuses" or "initContainerStatuses" */
    size_t index;
    const char *name, *image;
    const struct value *waiting, *running, *terminated, *last; /* states; last: lastState.terminated */
    const char *reason;                                        /* of waiting, or of terminated */
    int64_t restarts;
    bool ready;
};

static struct container container_at(const struct value *pod, const char *list, const struct value *status, size_t index)
{
    const struct value *state = value_get(status, "state");
    struct container c = {.pod = pod,
                          .status = status,
                          .list = list,
                          .index = index,
                          .name = why_text(status, "name"),
                          .image = why_text(status, "image"),
                          .waiting = value_get(state, "waiting"),
                          .running = value_get(state, "running"),
                          .terminated = value_get(state, "terminated"),
                          .last = value_find(status, "lastState", "terminated", NULL),
                          .restarts = value_find_int(status, 0, "restartCount", NULL),
                          .ready = value_is_true(value_get(status, "ready"))};
    c.reason = why_text(c.waiting != NULL ? c.waiting : c.terminated, "reason");
    return c;
}

static void evidence_of(const struct container *c, const char *part, char out[static 256])
{
    snprintf(out, 256, "status.%s[%zu].%s", c->list, c->index, part);
}

static const struct value *container_spec(const struct container *c)
{
    const char *list = strcmp(c->list, "initContainerStatuses") == 0 ? "initContainers" : "containers";
    const struct value *spec = value_first(value_find(c->pod, "spec", list, NULL));
    while (spec != NULL && strcmp(why_text(spec, "name"), c->name) != 0)
        spec = value_next(spec);
    return spec;
}

/* What a container runtime says, without "rpc error: code = NotFound desc = " before it. */
static const char *core_of(const char *message)
{
    const char *core = message;
    for (const char *at = message; (at = strstr(at, " desc = ")) != NULL; at += 8)
        core = at + 8;
    return core;
}

/* --- symptoms of one container: each adds links and returns true, or says that it is not the matter --- */

static bool image_cannot_be_pulled(struct why_facts *facts, const struct container *c, struct kube_why *why)
{
    static const char *const reasons[] = {"ErrImagePull",      "ImagePullBackOff",    "InvalidImageName",
                                          "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"};
    static const struct {
        const char *part, *meaning;
    } meanings[] = {
        {"InvalidImageName", N_("this is no name that an image can have")},
        {"couldn't parse image", N_("this is no name that an image can have")},
        {"ErrImageNeverPull", N_("it is not on the node, and imagePullPolicy Never forbids to fetch it")},
        {"not present with pull policy", N_("it is not on the node, and imagePullPolicy Never forbids to fetch it")},
        {"not found", N_("the registry has no image of this name and tag")},
        {"manifest unknown", N_("the registry has no image of this name and tag")},
        {"unauthorized", N_("the registry does not let everybody read it, or has none of this name")},
        {"access denied", N_("the registry does not let everybody read it, or has none of this name")},
        {"authorization failed", N_("the registry does not let everybody read it, or has none of this name")},
        {"no such host", N_("the registry cannot be reached")},
        {"connection refused", N_("the registry cannot be reached")},
        {"timeout", N_("the registry cannot be reached")},
        {"toomanyrequests", N_("the registry wants no more requests for a while")},
    };
    (void)facts;
    size_t i = 0;
    while (i < sizeof reasons / sizeof *reasons && strcmp(reasons[i], c->reason) != 0)
        i++;
    if (c->waiting == NULL || i == sizeof reasons / sizeof *reasons)
        return false;
    char evidence[256];
    const char *message = why_text(c->waiting, "message"), *meaning = NULL;
    for (i = 0; i < sizeof meanings / sizeof *meanings && meaning == NULL; i++)
        if (strstr(message, meanings[i].part) != NULL || strcmp(c->reason, meanings[i].part) == 0)
            meaning = _(meanings[i].meaning);
    evidence_of(c, "state.waiting", evidence);
    why_add(why, "Pod", why_name(c->pod), evidence, _("container %s of Pod %s waits for its image (%s)"), c->name,
            why_name(c->pod), c->reason);
    if (meaning != NULL)
        why_add(why, "Image", c->image, evidence, _("image %s cannot be pulled: %s (%s)"), c->image, meaning, core_of(message));
    else
        why_add(why, "Image", c->image, evidence, _("image %s cannot be pulled: %s"), c->image, core_of(message));
    return true;
}

static bool cannot_be_created(struct why_facts *facts, const struct container *c, struct kube_why *why)
{
    static const char *const reasons[] = {"CreateContainerConfigError", "CreateContainerError", "RunContainerError",
                                          "PreCreateHookError", "PostStartHookError"};
    size_t i = 0;
    while (i < sizeof reasons / sizeof *reasons && strcmp(reasons[i], c->reason) != 0)
        i++;
    if (c->waiting == NULL || i == sizeof reasons / sizeof *reasons)
        return false;
    char evidence[256];
    const char *message = why_text(c->waiting, "message");
    evidence_of(c, "state.waiting", evidence);
    why_add(why, "Pod", why_name(c->pod), evidence, _("container %s of Pod %s cannot be started (%s): %s"), c->name,
            why_name(c->pod), c->reason, core_of(message));
    why_reference(facts, c->pod, c->name, message, why);
    return true;
}

/* How it ended the last time, as the next link. */
static void add_end(const struct container *c, const struct value *end, const char *evidence, struct kube_why *why)
{
    const char *reason = why_text(end, "reason"), *message = why_text(end, "message"), *pod = why_name(c->pod);
    const char *limit = value_find_text(container_spec(c), "resources", "limits", "memory", NULL);
    long long code = value_find_int(end, -1, "exitCode", NULL), restarts = c->restarts;
    if (strcmp(reason, "OOMKilled") == 0)
        why_add(why, "Pod", pod, evidence,
                _("container %s of Pod %s was killed because it used more memory than its limit of %s"), c->name, pod,
                limit != NULL ? limit : "?");
    else if (strcmp(reason, "StartError") == 0 || strcmp(reason, "ContainerCannotRun") == 0)
        why_add(why, "Pod", pod, evidence, _("the command of container %s of Pod %s cannot be started: %s"), c->name, pod,
                core_of(message));
    else if (restarts > 0)
        why_add(why, "Pod", pod, evidence, _("container %s of Pod %s ends again and again: exit code %lld, %lld restarts"),
                c->name, pod, code, restarts);
    else
        why_add(why, "Pod", pod, evidence, _("container %s of Pod %s ended with exit code %lld"), c->name, pod, code);
}

static bool useless(const char *line) /* the kubelet's excuse in place of a log */
{
    return strncmp(line, "unable to retrieve container logs", 33) == 0 ||
           strncmp(line, "failed to try resolving symlinks", 32) == 0;
}

static void add_log(struct why_facts *facts, const struct container *c, bool previous, struct kube_why *why)
{
    const char *line = why_log(facts, c->pod, c->name, previous);
    if (line != NULL && line[0] != '\0' && !useless(line))
        why_add(why, "Container", c->name, "log line", _("the last line that container %s of Pod %s wrote: %s"), c->name,
                why_name(c->pod), line);
}

static bool crashes(struct why_facts *facts, const struct container *c, struct kube_why *why)
{
    static const char *const unhealthy[] = {"Unhealthy", NULL};
    const struct value *end = c->terminated != NULL ? c->terminated : c->last;
    bool loops = c->waiting != NULL && strcmp(c->reason, "CrashLoopBackOff") == 0;
    bool failed = c->terminated != NULL && value_find_int(c->terminated, 0, "exitCode", NULL) != 0;
    if (!loops && !failed)
        return false;
    char evidence[256];
    evidence_of(c, c->terminated != NULL ? "state.terminated" : "lastState.terminated", evidence);
    if (end != NULL)
        add_end(c, end, evidence, why);
    else
        why_add(why, "Pod", why_name(c->pod), "state.waiting", _("container %s of Pod %s ends again and again"), c->name,
                why_name(c->pod));
    const struct value *probe = why_event(facts, c->pod, unhealthy, "Liveness probe failed");
    if (probe == NULL)
        probe = why_event(facts, c->pod, unhealthy, "Startup probe failed");
    if (probe != NULL) {
        why_add(why, "Pod", why_name(c->pod), "event Unhealthy", _("the kubelet restarts container %s of Pod %s: %s"), c->name,
                why_name(c->pod), why_text(probe, "message"));
        return true;
    }
    if (end == NULL || strcmp(why_text(end, "reason"), "StartError") != 0)
        add_log(facts, c, false, why); /* while it waits, the current log is that of the container that ended */
    return true;
}

static bool is_being_created(struct why_facts *facts, const struct container *c, struct kube_why *why)
{
    static const char *const reasons[] = {"FailedMount",
                                          "FailedAttachVolume",
                                          "FailedMapVolume",
                                          "FailedCreatePodSandBox",
                                          "FailedCreatePodContainer",
                                          "NetworkNotReady",
                                          NULL};
    if (c->waiting == NULL || strcmp(c->reason, "ContainerCreating") != 0)
        return false;
    const struct value *event = why_event(facts, c->pod, reasons, NULL);
    if (event == NULL)
        return false;
    char evidence[128];
    const char *message = why_text(event, "message");
    snprintf(evidence, sizeof evidence, "event %s", why_text(event, "reason"));
    why_add(why, "Pod", why_name(c->pod), evidence, _("container %s of Pod %s cannot be created: %s"), c->name,
            why_name(c->pod), core_of(message));
    why_reference(facts, c->pod, c->name, message, why);
    return true;
}

static bool is_not_ready(struct why_facts *facts, const struct container *c, struct kube_why *why)
{
    static const char *const unhealthy[] = {"Unhealthy", NULL};
    if (c->running == NULL || c->ready)
        return false;
    char evidence[256];
    const struct value *event = why_event(facts, c->pod, unhealthy, "Readiness probe");
    if (event == NULL)
        event = why_event(facts, c->pod, unhealthy, "Startup probe");
    evidence_of(c, "ready", evidence);
    why_add(why, "Pod", why_name(c->pod), evidence, _("container %s of Pod %s runs, but is not ready"), c->name,
            why_name(c->pod));
    if (event != NULL)
        why_add(why, "Pod", why_name(c->pod), "event Unhealthy", _("the probe of container %s of Pod %s fails: %s"), c->name,
                why_name(c->pod), why_text(event, "message"));
    else if (c->restarts > 0 && c->last != NULL) {
        evidence_of(c, "lastState.terminated", evidence);
        add_end(c, c->last, evidence, why);
        add_log(facts, c, true, why);
    }
    return true;
}

typedef bool symptom(struct why_facts *facts, const struct container *c, struct kube_why *why);
static symptom *const SYMPTOMS[] = {image_cannot_be_pulled, cannot_be_created, crashes, is_being_created, is_not_ready};

/* --- the Pod --- */

static bool try_container(struct why_facts *facts, const struct container *c, struct kube_why *why)
{
    for (size_t i = 0; i < sizeof SYMPTOMS / sizeof *SYMPTOMS; i++)
        if (SYMPTOMS[i](facts, c, why))
            return true;
    return false;
}

/* Init containers go one after the other: the first that is not done holds all the rest. A sidecar (restartPolicy Always) is
 * done when it has started. */
static bool init_containers(struct why_facts *facts, const struct value *pod, struct kube_why *why)
{
    size_t index = 0;
    const struct value *list = value_find(pod, "status", "initContainerStatuses", NULL);
    for (const struct value *s = value_first(list); s != NULL; s = value_next(s), index++) {
        struct container c = container_at(pod, "initContainerStatuses", s, index);
        bool sidecar = strcmp(why_text(container_spec(&c), "restartPolicy"), "Always") == 0;
        bool done = c.terminated != NULL && value_find_int(c.terminated, -1, "exitCode", NULL) == 0;
        if (done || (sidecar && value_is_true(value_get(s, "started")) && c.running != NULL))
            continue;
        char evidence[256];
        evidence_of(&c, "state", evidence);
        why_add(why, "Pod", why_name(pod), evidence, _("Pod %s waits for its init container %s, and all others wait behind it"),
                why_name(pod), c.name);
        if (c.running != NULL)
            add_log(facts, &c, false, why);
        else
            try_container(facts, &c, why);
        return true;
    }
    return false;
}

/* The claim that keeps a Pod from being scheduled. */
static void claims_of(struct why_facts *facts, const struct value *pod, struct kube_why *why)
{
    for (const struct value *v = value_first(value_find(pod, "spec", "volumes", NULL)); v != NULL; v = value_next(v)) {
        const char *name = value_find_text(v, "persistentVolumeClaim", "claimName", NULL);
        const struct value *claim = name != NULL ? why_named(facts, WHY_CLAIMS, name) : NULL;
        if (claim != NULL && why_claim(facts, claim, why))
            return;
    }
}

static bool cannot_be_scheduled(struct why_facts *facts, const struct value *pod, struct kube_why *why)
{
    const struct value *condition = why_condition(pod, "PodScheduled");
    const char *message = why_text(condition, "message");
    if (strcmp(why_text(condition, "status"), "False") != 0)
        return false;
    why_add(why, "Pod", why_name(pod), "status.conditions[type=PodScheduled]",
            _("Pod %s is Pending, the scheduler finds no node: %s"), why_name(pod),
            message[0] != '\0' ? message : why_text(condition, "reason"));
    const struct value *selector = value_find(pod, "spec", "nodeSelector", NULL);
    if (strstr(message, "ersistentvolumeclaim") != NULL || strstr(message, "ersistentVolumeClaim") != NULL) {
        if (!why_reference(facts, pod, "", message, why))
            claims_of(facts, pod, why);
    } else if (strstr(message, "node affinity/selector") != NULL && value_first(selector) != NULL) {
        char labels[256];
        why_labels(selector, labels, sizeof labels);
        why_add(why, "Pod", why_name(pod), "spec.nodeSelector", _("Pod %s wants a node with the labels %s"), why_name(pod),
                labels);
    }
    return true;
}

/* A Pod that ended as a whole: evicted, past its deadline, or with a container that failed. */
static bool has_failed(struct why_facts *facts, const struct value *pod, struct kube_why *why)
{
    const struct value *status = value_get(pod, "status");
    if (strcmp(why_text(status, "phase"), "Failed") != 0 || why_text(status, "reason")[0] == '\0')
        return false;
    (void)facts;
    why_add(why, "Pod", why_name(pod), "status.reason", _("Pod %s has failed (%s): %s"), why_name(pod),
            why_text(status, "reason"), why_text(status, "message"));
    return true;
}

bool why_pod(struct why_facts *facts, const struct value *pod, struct kube_why *why)
{
    if (strcmp(why_text(value_get(pod, "status"), "phase"), "Succeeded") == 0)
        return false;
    if (has_failed(facts, pod, why) || cannot_be_scheduled(facts, pod, why) || init_containers(facts, pod, why))
        return true;
    size_t index = 0;
    const struct value *list = value_find(pod, "status", "containerStatuses", NULL);
    for (const struct value *s = value_first(list); s != NULL; s = value_next(s), index++) {
        struct container c = container_at(pod, "containerStatuses", s, index);
        if (try_container(facts, &c, why))
            return true;
    }
    return why_condition_is(pod, "Ready", "False") && why_conditions(pod, why);
}

/* How bad: what will not mend itself before what may. */
static int badness(const struct value *pod)
{
    static const char *const lists[] = {"initContainerStatuses", "containerStatuses"};
    if (value_find_text(pod, "metadata", "deletionTimestamp", NULL) != NULL ||
        strcmp(why_text(value_get(pod, "status"), "phase"), "Succeeded") == 0)
        return 0;
    int worst = why_condition_is(pod, "Ready", "True") ? 0 : 1;
    if (why_condition_is(pod, "PodScheduled", "False") || strcmp(why_text(value_get(pod, "status"), "phase"), "Failed") == 0)
        worst = 3;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct value *s = value_first(value_find(pod, "status", lists[i], NULL)); s != NULL; s = value_next(s)) {
            const char *reason = value_find_text(s, "state", "waiting", "reason", NULL);
            if (reason != NULL && strcmp(reason, "PodInitializing") != 0)
                worst = strcmp(reason, "ContainerCreating") != 0 ? 4 : worst > 2 ? worst : 2;
        }
    return worst;
}

bool why_worst_pod(struct why_facts *facts, const struct value *owner, struct kube_why *why)
{
    const struct value *worst = NULL;
    for (const struct value *pod = value_first(why_list(facts, WHY_PODS)); pod != NULL; pod = value_next(pod))
        if (why_owned_by(pod, owner) && (worst == NULL || badness(pod) > badness(worst)))
            worst = pod;
    return worst != NULL && badness(worst) > 0 && why_pod(facts, worst, why);
}
