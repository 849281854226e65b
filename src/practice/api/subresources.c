/* subresources: those that are the whole object written in a way of its own (status, ephemeralcontainers, resize, finalize), and pods' binding. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/verbs.h"

/* Everything as it was, but for some of spec, which `keep` takes from the new object into the old spec. */
static bool keep_but_spec(struct value *object, const struct value *was, bool (*keep)(struct value *spec, const struct value *wanted))
{
    struct value *wanted = value_copy(value_get(object, "spec"));
    bool whole = value_put_back(object, was, "spec") && value_put_back(object, was, "status");
    struct value *spec = value_get(object, "spec");
    whole = whole && (spec == NULL || wanted == NULL || keep(spec, wanted));
    value_free(wanted);
    return whole;
}

/* Labels and the like are not written this way either; managed fields and the version are. */
static bool keep_metadata(struct value *object, const struct value *was)
{
    static const char *const keys[] = {"labels", "annotations", "finalizers", "ownerReferences"};
    struct value *metadata = metadata_of(object);
    bool whole = metadata != NULL;
    for (size_t i = 0; whole && i < sizeof keys / sizeof *keys; i++)
        whole = value_put_back(metadata, value_get(was, "metadata"), keys[i]);
    return whole;
}

static bool bump_if_changed(struct value *object, const struct value *old)
{
    return value_equal(value_get(object, "spec"), value_get(old, "spec")) || metadata_bump(object);
}

static bool take_ephemeral(struct value *spec, const struct value *wanted)
{
    return value_put_back(spec, wanted, "ephemeralContainers");
}

static bool reset_ephemeral(struct value *object, const struct value *was, bool status_apart)
{
    (void)status_apart;
    return keep_but_spec(object, was, take_ephemeral) && keep_metadata(object, was);
}

static bool prepare_ephemeral(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    (void)kind;
    return reset_ephemeral(object, old, true) && bump_if_changed(object, old);
}

static const struct value *named(const struct value *list, const char *name)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        const char *has = value_find_text(item, "name", NULL);
        if (has != NULL && name != NULL && strcmp(has, name) == 0)
            return item;
    }
    return NULL;
}

static void validate_ephemeral(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place root = PLACE_ROOT, spec = place_key(&root, "spec"), place = place_key(&spec, "ephemeralContainers");
    const struct value *list = value_find(object, "spec", "ephemeralContainers", NULL);
    const struct rules *rules = rules_of(kind);
    if (rules->validate != NULL)
        rules->validate(object, problems);
    for (const struct value *item = value_first(value_find(old, "spec", "ephemeralContainers", NULL)); item != NULL; item = value_next(item)) {
        const char *name = value_find_text(item, "name", NULL);
        const struct value *now = named(list, name);
        if (now == NULL)
            problem_add(problems, &place, PROBLEM_FORBIDDEN, NULL, "existing ephemeral containers \"%s\" may not be removed\n",
                        name != NULL ? name : "");
        else if (!value_equal(now, item))
            problem_add(problems, &place, PROBLEM_FORBIDDEN, NULL, "existing ephemeral containers \"%s\" may not be changed\n",
                        name != NULL ? name : "");
    }
}

static const char *const container_lists[] = {"containers", "initContainers"};

/* Of each container, its resources and their policies; other lists of containers are left for validation to refuse. */
static bool take_resources(struct value *spec, const struct value *wanted)
{
    for (size_t i = 0; i < 2; i++) {
        struct value *list = value_get(spec, container_lists[i]);
        const struct value *news = value_get(wanted, container_lists[i]);
        if (value_length(list) != value_length(news)) {
            if (!value_put_back(spec, wanted, container_lists[i]))
                return false;
            continue;
        }
        for (struct value *item = value_first(list); item != NULL; item = value_next(item)) {
            const struct value *now = named(news, value_find_text(item, "name", NULL));
            if (now == NULL)
                continue;
            if (!value_put_back(item, now, "resources") || !value_put_back(item, now, "resizePolicy"))
                return false;
        }
    }
    return true;
}

static bool reset_resize(struct value *object, const struct value *was, bool status_apart)
{
    (void)status_apart;
    return keep_but_spec(object, was, take_resources) && keep_metadata(object, was);
}

static bool prepare_resize(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    (void)kind;
    return reset_resize(object, old, true) && bump_if_changed(object, old);
}

/* The quality of service that requests and limits give: 0 BestEffort, 1 Burstable, 2 Guaranteed. */
static int quality_of(const struct value *pod)
{
    static const char *const resources[] = {"cpu", "memory"};
    bool any = false, all = true;
    for (size_t i = 0; i < 2; i++)
        for (const struct value *item = value_first(value_find(pod, "spec", container_lists[i], NULL)); item != NULL; item = value_next(item))
            for (size_t r = 0; r < 2; r++) {
                const struct value *request = value_find(item, "resources", "requests", resources[r], NULL),
                                   *limit = value_find(item, "resources", "limits", resources[r], NULL);
                any = any || request != NULL || limit != NULL;
                all = all && limit != NULL && (request == NULL || value_equal(request, limit));
            }
    return !any ? 0 : all ? 2 : 1;
}

static void validate_resize(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const qualities[] = {"BestEffort", "Burstable", "Guaranteed"};
    const struct place root = PLACE_ROOT, spec = place_key(&root, "spec"), containers = place_key(&spec, "containers"),
                       inits = place_key(&spec, "initContainers");
    const struct place *places[] = {&containers, &inits};
    const struct rules *rules = rules_of(kind);
    bool same = true;
    for (size_t i = 0; i < 2; i++) {
        const struct value *news = value_find(object, "spec", container_lists[i], NULL), *olds = value_find(old, "spec", container_lists[i], NULL);
        if (value_length(news) == value_length(olds))
            continue;
        same = false;
        problem_add(problems, places[i], PROBLEM_FORBIDDEN, NULL, "%s may not be added or removed on resize",
                    i == 0 ? "containers" : "initContainers");
    }
    if (!same)
        return;
    if (rules->validate != NULL)
        rules->validate(object, problems);
    const char *was = value_find_text(old, "status", "qosClass", NULL);
    if (was == NULL)
        was = qualities[quality_of(old)];
    if (strcmp(was, qualities[quality_of(object)]) != 0)
        problem_invalid(problems, &spec, was, "Pod QOS Class may not change as a result of resizing");
}

static bool take_finalizers(struct value *spec, const struct value *wanted)
{
    return value_put_back(spec, wanted, "finalizers");
}

static bool reset_finalize(struct value *object, const struct value *was, bool status_apart)
{
    (void)status_apart;
    return keep_but_spec(object, was, take_finalizers);
}

static bool prepare_finalize(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    (void)kind;
    return reset_finalize(object, old, true);
}

static void validate_finalize(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    (void)old;
    const struct rules *rules = rules_of(kind);
    if (rules->validate != NULL)
        rules->validate(object, problems);
}

static const struct write_way write_ephemeral = {.reset = reset_ephemeral, .prepare = prepare_ephemeral, .validate = validate_ephemeral};
static const struct write_way write_resize = {.reset = reset_resize, .prepare = prepare_resize, .validate = validate_resize};
static const struct write_way write_finalize = {.reset = reset_finalize, .prepare = prepare_finalize, .validate = validate_finalize};

const struct write_way *way_of(const struct call *call)
{
    static const struct {
        const char *sub;
        const struct write_way *way;
    } ways[] = {{"status", &write_status}, {"ephemeralcontainers", &write_ephemeral}, {"resize", &write_resize}, {"finalize", &write_finalize}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(call->sub->name, ways[i].sub) == 0)
            return ways[i].way;
    return NULL;
}

void answer_created(struct answer *answer)
{
    struct value *status = value_object();
    if (status != NULL && value_set(status, "kind", value_string("Status")) && value_set(status, "apiVersion", value_string("v1")) &&
        value_set(status, "metadata", value_object()) && value_set(status, "status", value_string("Success")) &&
        value_set(status, "code", value_int(201))) {
        if (answer->object != NULL)
            object_unref(answer->object);
        answer->object = NULL;
        value_free(answer->value);
        answer->value = status;
        answer->code = 201;
        return;
    }
    value_free(status);
    status_error(&answer->failure, &(struct error){.kind = ERROR_MEMORY});
}

static struct value *find_condition(struct value *conditions, const char *type)
{
    for (struct value *item = value_first(conditions); item != NULL; item = value_next(item)) {
        const char *has = value_find_text(item, "type", NULL);
        if (has != NULL && strcmp(has, type) == 0)
            return item;
    }
    return NULL;
}

bool condition_set(const struct api *api, struct value *document, const char *type, const char *status, const char *reason, const char *message)
{
    char now[21];
    time_print(api_now_ms(api), now);
    struct value *parent = value_child(document, "status"), *conditions = value_get(parent, "conditions");
    if (parent == NULL || (conditions == NULL && !value_set(parent, "conditions", value_array())))
        return false;
    conditions = value_get(parent, "conditions");
    struct value *condition = find_condition(conditions, type);
    if (condition == NULL) {
        condition = value_object();
        if (condition == NULL || !value_set(condition, "type", value_string(type)) || !value_set(condition, "lastProbeTime", value_null())) {
            value_free(condition);
            return false;
        }
        if (!value_append(conditions, condition))
            return false;
    }
    const char *was = value_find_text(condition, "status", NULL);
    bool changes = was == NULL || strcmp(was, status) != 0;
    return value_set(condition, "status", value_string(status)) && (!changes || value_set(condition, "lastTransitionTime", value_string(now))) &&
           (reason == NULL || value_set(condition, "reason", value_string(reason))) &&
           (message == NULL || value_set(condition, "message", value_string(message)));
}

static bool copy_map(struct value *pod, const struct value *binding, const char *key)
{
    const struct value *from = value_find(binding, "metadata", key, NULL);
    if (value_first(from) == NULL)
        return true;
    struct value *to = value_child(metadata_of(pod), key);
    for (const struct value *entry = value_first(from); entry != NULL; entry = value_next(entry))
        if (to == NULL || !value_set(to, value_key(entry), value_copy(entry)))
            return false;
    return true;
}

/* Binding speaks of pods/binding where it refuses. */
static bool refuse_binding(struct write *write, const char *format, const char *name, const char *node)
{
    struct schema_kind as = *write->kind;
    as.plural = "pods/binding";
    char why[1024];
    int length = snprintf(why, sizeof why, "pod %s ", name);
    if (length > 0 && length < (int)sizeof why)
        snprintf(why + length, sizeof why - (size_t)length, "%s%s%s", format, node, node[0] != '\0' ? "\"" : "");
    return status_conflict(FAILURE(write), &as, name, "%s", why);
}

static bool check_binding(struct write *write, const struct value *binding)
{
    struct problems problems = problems_make();
    const struct place root = PLACE_ROOT, target = place_key(&root, "target"), kind = place_key(&target, "kind"), name = place_key(&target, "name");
    static const char *const kinds[] = {"Node", "<empty>", NULL};
    const char *of = value_find_text(binding, "target", "kind", NULL), *to = value_find_text(binding, "target", "name", NULL);
    if (of != NULL && of[0] != '\0' && strcmp(of, "Node") != 0)
        problem_unsupported(&problems, &kind, of, kinds);
    if (to == NULL || to[0] == '\0')
        problem_add(&problems, &name, PROBLEM_REQUIRED, NULL, "%s", "");
    bool fine = problems_none(&problems);
    if (!fine) { /* the real server lets the plain sentence through, as an error of its own */
        struct status *failure = FAILURE(write);
        struct status told = {0};
        status_invalid_as(&told, "", "", "", &problems);
        static const char front[] = " \"\" is invalid: ";
        status_set(failure, 500, NULL, "%s", told.message != NULL ? told.message + sizeof front - 1 : "");
        status_free(&told);
    }
    problems_free(&problems);
    return fine;
}

static bool assign(struct write *write, const struct value *binding)
{
    const char *node = value_find_text(binding, "target", "name", NULL), *uid = value_find_text(binding, "metadata", "uid", NULL);
    const char *assigned = value_find_text(write->was, "spec", "nodeName", NULL);
    if (uid != NULL && uid[0] != '\0' && strcmp(uid, write->old->uid) != 0)
        return status_conflict(FAILURE(write), write->kind, write->name, "Precondition failed: UID in precondition: %s, UID in object meta: %s", uid,
                               write->old->uid);
    if ((write->old->flags & OBJECT_DELETING) != 0)
        return refuse_binding(write, "is being deleted, cannot be assigned to a host", write->name, "");
    if (assigned != NULL && assigned[0] != '\0')
        return refuse_binding(write, "is already assigned to node \"", write->name, assigned);
    if (value_first(value_find(write->was, "spec", "schedulingGates", NULL)) != NULL)
        return refuse_binding(write, "has non-empty .spec.schedulingGates", write->name, "");
    struct value *pod = write->was;
    write->was = NULL;
    if (!value_set(value_child(pod, "spec"), "nodeName", value_string(node)) || !copy_map(pod, binding, "annotations") ||
        !copy_map(pod, binding, "labels") || !condition_set(write->api, pod, "PodScheduled", "True", NULL, NULL)) {
        value_free(pod);
        return write_no_memory(write);
    }
    value_remove(value_get(pod, "status"), "nominatedNodeName");
    return write_store(write, pod);
}

void binding_create(struct api *api, struct call *call, struct answer *answer)
{
    static const struct type_name type = {"", "v1", "Binding", NULL};
    struct write write = {0};
    struct call pods = *call;
    struct value *binding = body_decode(call, &type, call->sub != NULL ? call->sub->schema : call->kind->schema, answer);
    if (binding == NULL)
        return;
    const char *name = value_find_text(binding, "metadata", "name", NULL);
    pods.body = NULL;
    pods.kind = registry_find(api->registry, "", "v1", "pods");
    pods.name = call->name != NULL ? call->name : name;
    if (name == NULL || pods.name == NULL || strcmp(name, pods.name) != 0)
        status_bad_request(&answer->failure, "name in URL does not match name in Binding object");
    else if (metadata_namespace(binding, call->ns, &answer->failure) && write_start(&write, api, &pods, answer) && check_binding(&write, binding)) {
        if (write.old == NULL)
            status_not_found(&answer->failure, pods.kind, pods.name);
        else if (write_load(&write) && assign(&write, binding))
            answer_created(answer);
    }
    write_end(&write);
    value_free(binding);
}
