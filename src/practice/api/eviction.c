/* eviction: a deletion that a disruption budget may refuse for now. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/label_selector.h"
#include "practice/api/verbs.h"

enum { DISRUPTED_PODS = 2000 };

/* What is evicted, and what it takes. */
struct eviction {
    struct api *api;
    struct call *call;
    struct answer *answer;
    struct call inner; /* the deletion of the pod */
    const struct schema_kind *pods, *budgets;
    struct object *pod;     /* a reference */
    struct value *document; /* the pod's */
};

static bool no_memory(struct eviction *eviction)
{
    return status_error(&eviction->answer->failure, &(struct error){.kind = ERROR_MEMORY});
}

static bool add_cause(struct status *failure, char *message)
{
    struct value *causes = value_array(), *cause = value_object();
    bool whole = message != NULL && causes != NULL && cause != NULL && value_set(cause, "reason", value_string("DisruptionBudget")) &&
                 value_set(cause, "message", value_string(message));
    mem_free(message);
    if (whole) {
        whole = value_append(causes, cause);
        cause = NULL;
    }
    if (!whole) {
        value_free(cause);
        value_free(causes);
        causes = NULL;
    }
    failure->causes = causes;
    return false;
}

static bool refuse(struct eviction *eviction, int retry_after_s, char *cause)
{
    struct status *failure = &eviction->answer->failure;
    status_set(failure, 429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
    failure->retry_after_s = retry_after_s;
    return add_cause(failure, cause);
}

static bool is_ready(const struct value *pod)
{
    for (const struct value *item = value_first(value_find(pod, "status", "conditions", NULL)); item != NULL; item = value_next(item)) {
        const char *type = value_find_text(item, "type", NULL), *status = value_find_text(item, "status", NULL);
        if (type != NULL && strcmp(type, "Ready") == 0)
            return status != NULL && strcmp(status, "True") == 0;
    }
    return false;
}

/* Pods that do not run, or go already, disturb nobody. */
static bool needs_no_budget(const struct eviction *eviction)
{
    const char *phase = value_find_text(eviction->document, "status", "phase", NULL);
    return (eviction->pod->flags & OBJECT_DELETING) != 0 ||
           (phase != NULL && (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0 || strcmp(phase, "Pending") == 0));
}

static const struct value *allowed_condition(const struct value *budget)
{
    for (const struct value *item = value_first(value_find(budget, "status", "conditions", NULL)); item != NULL; item = value_next(item)) {
        const char *type = value_find_text(item, "type", NULL);
        if (type != NULL && strcmp(type, "DisruptionAllowed") == 0)
            return item;
    }
    return NULL;
}

static char *why_not(const struct value *budget, const char *name)
{
    const struct value *condition = allowed_condition(budget);
    const char *status = value_find_text(condition, "status", NULL), *reason = value_find_text(condition, "reason", NULL),
               *message = value_find_text(condition, "message", NULL);
    long long current = value_find_int(budget, 0, "status", "currentHealthy", NULL),
              desired = value_find_int(budget, 0, "status", "desiredHealthy", NULL);
    bool tells = status != NULL && strcmp(status, "False") == 0 && message != NULL && message[0] != '\0';
    if (tells && reason != NULL && strcmp(reason, "SyncFailed") == 0)
        return mem_printf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", name, message);
    if (current <= desired)
        return mem_printf("The disruption budget %s needs %lld healthy pods and has %lld currently", name, desired, current);
    if (tells)
        return mem_printf("The disruption budget %s does not allow evicting pods currently (%s): %s", name, reason != NULL ? reason : "", message);
    return mem_printf("The disruption budget %s does not allow evicting pods currently", name);
}

static bool forbid(struct eviction *eviction, const char *name, const char *why, const char *cause)
{
    status_forbidden(&eviction->answer->failure, "policy", "poddisruptionbudget", name, "%s", why);
    return add_cause(&eviction->answer->failure, mem_printf("The disruption budget %s does not allow evicting pods currently: %s", name, cause));
}

/* One disruption less; the budget is told which pod it was. Takes the budget's document over. */
static bool write_budget(struct eviction *eviction, const struct object *object, struct value *budget, int64_t left)
{
    char now[21];
    time_print(api_now_ms(eviction->api), now);
    struct value *status = value_child(budget, "status"), *disrupted = status != NULL ? value_child(status, "disruptedPods") : NULL;
    bool whole =
        disrupted != NULL && value_set(disrupted, eviction->pod->name, value_string(now)) && value_set(status, "disruptionsAllowed", value_int(left));
    struct value *condition = (struct value *)(uintptr_t)allowed_condition(budget);
    if (whole && left == 0 && condition != NULL)
        whole = value_set(condition, "status", value_string("False")) && value_set(condition, "reason", value_string("InsufficientPods")) &&
                value_set(condition, "lastTransitionTime", value_string(now));
    if (!whole) {
        value_free(budget);
        return no_memory(eviction);
    }
    const struct schema_subresource *sub = eviction->budgets->subresources;
    while (sub != NULL && sub->name != NULL && strcmp(sub->name, "status") != 0)
        sub++;
    struct call call = {.user = eviction->call->user,
                        .user_agent = "kube-apiserver",
                        .verb = VERB_UPDATE,
                        .kind = eviction->budgets,
                        .sub = sub,
                        .ns = eviction->call->ns,
                        .name = object->name,
                        .body = budget,
                        .validation = VALIDATE_IGNORE,
                        .grace = -1};
    struct answer answer;
    api_run(eviction->api, &call, &answer);
    bool done = answer.failure.code == 0;
    if (!done) {
        eviction->answer->failure = answer.failure;
        answer.failure = (struct status){0};
    }
    answer_free(&answer);
    value_free(call.body);
    return done;
}

/* May the budget be used? Takes the document over. */
static bool use_budget(struct eviction *eviction, const struct object *object, struct value *budget)
{
    int64_t left = value_find_int(budget, 0, "status", "disruptionsAllowed", NULL);
    const char *unhealthy = value_find_text(budget, "spec", "unhealthyPodEvictionPolicy", NULL);
    int64_t current = value_find_int(budget, 0, "status", "currentHealthy", NULL),
            desired = value_find_int(budget, 0, "status", "desiredHealthy", NULL);
    bool free_to_go =
        !is_ready(eviction->document) && ((unhealthy != NULL && strcmp(unhealthy, "AlwaysAllow") == 0) || (current >= desired && desired > 0));
    bool allowed = free_to_go;
    if (!free_to_go) {
        if (value_find_int(budget, 0, "status", "observedGeneration", NULL) < value_find_int(budget, 0, "metadata", "generation", NULL))
            allowed = refuse(eviction, 10, mem_printf("The disruption budget %s is still being processed by the server.", object->name));
        else if (left < 0)
            allowed = forbid(eviction, object->name, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative");
        else if (value_length(value_find(budget, "status", "disruptedPods", NULL)) > DISRUPTED_PODS)
            allowed = forbid(eviction, object->name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                             "too many pending evictions not confirmed by PDB controller");
        else if (left == 0)
            allowed = refuse(eviction, 0, why_not(budget, object->name));
        else
            allowed = true;
    }
    if (!allowed || free_to_go || eviction->inner.dry_run) {
        value_free(budget);
        return allowed;
    }
    return write_budget(eviction, object, budget, left - 1);
}

/* Is the pod one of the budget's? False also without memory, told by failure. */
static bool is_covered(struct eviction *eviction, const struct value *budget)
{
    struct error err = ERROR_INIT;
    struct label_selector *selector = label_selector_new(value_find(budget, "spec", "selector", NULL), &err);
    bool covered = selector != NULL && label_selector_matches(selector, eviction->pod);
    if (err.kind == ERROR_MEMORY)
        no_memory(eviction);
    label_selector_free(selector);
    return covered;
}

static bool ask_budgets(struct eviction *eviction)
{
    struct api *api = eviction->api;
    state_resource resource = registry_resource(api->registry, eviction->budgets);
    struct object *found = NULL;
    struct value *budget = NULL;
    size_t count = 0;
    const struct object *object = state_next(api->state, resource, eviction->call->ns, eviction->call->ns, NULL);
    for (; object != NULL && eviction->answer->failure.code == 0;
         object = state_next(api->state, resource, eviction->call->ns, object->ns, object->name)) {
        struct value *document = api_value(api, object, eviction->budgets);
        if (document == NULL) {
            no_memory(eviction);
        } else if (is_covered(eviction, document) && ++count == 1) {
            found = object_ref(object);
            budget = document;
            document = NULL;
        }
        value_free(document);
    }
    bool fine = eviction->answer->failure.code == 0;
    if (fine && count > 1)
        fine = status_set(&eviction->answer->failure, 500, NULL,
                          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
    if (fine && count == 1) {
        fine = use_budget(eviction, found, budget);
        budget = NULL;
    }
    value_free(budget);
    if (found != NULL)
        object_unref(found);
    return fine;
}

/* The condition that says why, then the deletion. */
static bool delete_pod(struct eviction *eviction)
{
    struct write write;
    struct answer first = {.as = eviction->pods}, last = {.as = eviction->pods};
    struct api *api = eviction->api;
    bool done = true;
    last.warnings = vec_make(1, mem_free);
    if (!eviction->inner.dry_run && eviction->inner.if_uid != NULL && strcmp(eviction->inner.if_uid, eviction->pod->uid) != 0)
        goto remove; /* refused there, in its words */
    if (!eviction->inner.dry_run) {
        struct call mark = {.user = eviction->call->user,
                            .user_agent = "",
                            .kind = eviction->pods,
                            .ns = eviction->call->ns,
                            .name = eviction->pod->name,
                            .grace = -1};
        done =
            write_start(&write, api, &mark, &first) && write_load(&write) &&
            (condition_set(api, write.was, "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting") || write_no_memory(&write));
        if (done) {
            struct value *marked = write.was;
            write.was = NULL;
            done = write_store(&write, marked);
        }
        write_end(&write);
    }
remove:
    if (done) {
        char version[24];
        const struct object *now = state_get(api->state, eviction->pod->resource, eviction->pod->ns, eviction->pod->name);
        if (first.object != NULL && eviction->inner.if_version != NULL) { /* the mark made it a new version */
            char was[24];
            snprintf(was, sizeof was, "%llu", (unsigned long long)eviction->pod->version);
            snprintf(version, sizeof version, "%llu", (unsigned long long)now->version);
            if (strcmp(was, eviction->inner.if_version) == 0)
                eviction->inner.if_version = version;
        }
        done = api_delete(api, &eviction->inner, now, &last);
    }
    if (!done) {
        struct answer *failed = last.failure.code != 0 ? &last : &first;
        eviction->answer->failure = failed->failure;
        failed->failure = (struct status){0};
    }
    answer_free(&first);
    answer_free(&last);
    return done;
}

/* DeleteOptions of the body, laid over what the request says. */
static void read_options(struct eviction *eviction, const struct value *body)
{
    const struct value *options = value_get(body, "deleteOptions"), *preconditions = value_get(options, "preconditions");
    struct call *inner = &eviction->inner;
    int64_t grace = -1;
    inner->body = NULL;
    inner->sub = NULL;
    inner->kind = eviction->pods;
    inner->verb = VERB_DELETE;
    inner->grace = value_as_int(value_get(options, "gracePeriodSeconds"), &grace) ? (grace < 0 ? 1 : grace) : -1;
    inner->propagation = PROPAGATION_DEFAULT;
    inner->if_uid = value_find_text(preconditions, "uid", NULL);
    inner->if_version = value_find_text(preconditions, "resourceVersion", NULL);
    const char *propagation = value_find_text(options, "propagationPolicy", NULL);
    if (propagation != NULL && strcmp(propagation, "Orphan") == 0)
        inner->propagation = PROPAGATION_ORPHAN;
    else if (propagation != NULL && strcmp(propagation, "Foreground") == 0)
        inner->propagation = PROPAGATION_FOREGROUND;
    else if (propagation != NULL && strcmp(propagation, "Background") == 0)
        inner->propagation = PROPAGATION_BACKGROUND;
    inner->dry_run = inner->dry_run || value_first(value_get(options, "dryRun")) != NULL;
}

void eviction_create(struct api *api, struct call *call, struct answer *answer)
{
    static const struct type_name type = {"policy", "v1", "Eviction", NULL};
    struct eviction eviction = {.api = api,
                                .call = call,
                                .answer = answer,
                                .pods = call->kind,
                                .budgets = registry_find(api->registry, "policy", "v1", "poddisruptionbudgets")};
    struct value *body = body_decode(call, &type, call->sub->schema, answer);
    if (body == NULL)
        return;
    const char *name = value_find_text(body, "metadata", "name", NULL);
    const struct object *pod = state_get(api->state, registry_resource(api->registry, call->kind), call->ns, call->name);
    eviction.inner = *call;
    read_options(&eviction, body);
    if (!metadata_namespace(body, call->ns, &answer->failure))
        goto done;
    if (name == NULL || strcmp(name, call->name) != 0) {
        status_bad_request(&answer->failure, "name in URL does not match name in Eviction object");
        goto done;
    }
    if (pod == NULL) {
        status_not_found(&answer->failure, call->kind, call->name);
        goto done;
    }
    eviction.pod = object_ref(pod);
    eviction.document = api_value(api, pod, call->kind);
    if (eviction.document == NULL)
        no_memory(&eviction);
    else if ((needs_no_budget(&eviction) || ask_budgets(&eviction)) && delete_pod(&eviction))
        answer_created(answer);
done:
    value_free(eviction.document);
    if (eviction.pod != NULL)
        object_unref(eviction.pod);
    value_free(body);
}
