#include "practice/api/quota.h"

#include <string.h>

#include "base/mem.h"
#include "practice/api/lookup.h"

#define CLASS_SUFFIX ".storageclass.storage.k8s.io/"
enum { QUOTA_NAME = 512 };

static const char *text_at(const struct value *object, const char *key)
{
    const char *text = value_text(value_get(object, key));
    return text != NULL ? text : "";
}

static bool is(const struct schema_kind *kind, const char *core_kind)
{
    return *kind->group == '\0' && strcmp(kind->kind, core_kind) == 0;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

static bool listed(const char *const *list, const char *name)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

bool quota_counts(const struct schema_kind *kind)
{
    return kind->namespaced && (kind->verbs & VERB_CREATE) != 0 && (kind->verbs & VERB_LIST) != 0 &&
           strcmp(kind->kind, "Event") != 0;
}

static void count_name(const struct schema_kind *kind, char name[static QUOTA_NAME])
{
    struct buf text = buf_make(QUOTA_NAME - 1);
    buf_printf(&text, "count/%s%s%s", kind->plural, *kind->group != '\0' ? "." : "", kind->group);
    memcpy(name, buf_ok(&text) ? text.bytes : "", buf_ok(&text) ? text.length + 1 : 1);
    buf_free(&text);
}

/* Names that count objects without looking into them, besides count/... */
static const char *alias_of(const struct schema_kind *kind)
{
    static const char *const aliases[] = {"configmaps", "resourcequotas", "replicationcontrollers", "secrets", NULL};
    return *kind->group == '\0' && listed(aliases, kind->plural) ? kind->plural : NULL;
}

static bool is_extended(const char *name)
{
    return strchr(name, '/') != NULL && strstr(name, "kubernetes.io/") == NULL;
}

static bool tracks_pods(const char *name)
{
    static const char *const names[] = {"pods",
                                        "cpu",
                                        "memory",
                                        "ephemeral-storage",
                                        "requests.cpu",
                                        "requests.memory",
                                        "requests.ephemeral-storage",
                                        "limits.cpu",
                                        "limits.memory",
                                        "limits.ephemeral-storage",
                                        NULL};
    return listed(names, name) || starts(name, "hugepages-") || starts(name, "requests.hugepages-") ||
           (starts(name, "requests.") && is_extended(name));
}

static bool tracks_claims(const char *name)
{
    return strcmp(name, "persistentvolumeclaims") == 0 || strcmp(name, "requests.storage") == 0 ||
           ends(name, CLASS_SUFFIX "persistentvolumeclaims") || ends(name, CLASS_SUFFIX "requests.storage");
}

static bool tracks_services(const char *name)
{
    static const char *const names[] = {"services", "services.nodeports", "services.loadbalancers", NULL};
    return listed(names, name);
}

bool quota_tracks(const struct schema_kind *kind, const char *name)
{
    char count[QUOTA_NAME];
    const char *alias = alias_of(kind);
    count_name(kind, count);
    return strcmp(name, count) == 0 || (alias != NULL && strcmp(name, alias) == 0) || (is(kind, "Pod") && tracks_pods(name)) ||
           (is(kind, "PersistentVolumeClaim") && tracks_claims(name)) || (is(kind, "Service") && tracks_services(name));
}

/* A pod that ended, or that should have been gone, uses nothing. */
static bool is_over(const struct value *pod, int64_t now_ms)
{
    const char *phase = text_at(value_get(pod, "status"), "phase"),
               *deleted = value_find_text(pod, "metadata", "deletionTimestamp", NULL);
    const struct value *grace = value_find(pod, "metadata", "deletionGracePeriodSeconds", NULL);
    int64_t when, seconds;
    if (strcmp(phase, "Failed") == 0 || strcmp(phase, "Succeeded") == 0)
        return true;
    return deleted != NULL && time_parse(deleted, &when) && value_as_int(grace, &seconds) && now_ms > when + seconds * 1000;
}

static void use_request(const struct amount_item *item, struct amounts *out)
{
    static const char *const plain[] = {"cpu", "memory", "ephemeral-storage", NULL};
    bool both = listed(plain, item->name) || starts(item->name, "hugepages-");
    if (!both && !is_extended(item->name))
        return;
    char *name = mem_printf("requests.%s", item->name);
    if (name != NULL)
        amounts_add(out, name, item->amount);
    else
        out->failed = true;
    mem_free(name);
    if (both)
        amounts_add(out, item->name, item->amount);
}

static void use_limit(const struct amount_item *item, struct amounts *out)
{
    static const char *const names[][2] = {
        {"cpu", "limits.cpu"}, {"memory", "limits.memory"}, {"ephemeral-storage", "limits.ephemeral-storage"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(item->name, names[i][0]) == 0)
            amounts_add(out, names[i][1], item->amount);
}

static void use_pod(const struct value *pod, int64_t now_ms, struct amounts *out)
{
    struct amounts requests = {0}, limits = {0};
    if (is_over(pod, now_ms))
        return;
    amounts_add(out, "pods", amount_of(1));
    amounts_of_pod(pod, "requests", true, &requests);
    amounts_of_pod(pod, "limits", true, &limits);
    for (size_t i = 0; i < requests.count; i++)
        use_request(&requests.items[i], out);
    for (size_t i = 0; i < limits.count; i++)
        use_limit(&limits.items[i], out);
    out->failed = out->failed || requests.failed || limits.failed;
    amounts_free(&requests);
    amounts_free(&limits);
}

static void use_service(const struct value *service, struct amounts *out)
{
    const struct value *spec = value_get(service, "spec"), *allocate = value_get(spec, "allocateLoadBalancerNodePorts");
    const char *type = text_at(spec, "type");
    bool balancer = strcmp(type, "LoadBalancer") == 0, only_given = balancer && allocate != NULL && !value_is_true(allocate);
    int64_t ports = 0;
    for (const struct value *port = value_first(value_get(spec, "ports")); port != NULL; port = value_next(port))
        ports += !only_given || value_find_int(port, 0, "nodePort", NULL) != 0 ? 1 : 0;
    amounts_add(out, "services", amount_of(1));
    amounts_add(out, "services.loadbalancers", amount_of(balancer ? 1 : 0));
    amounts_add(out, "services.nodeports", amount_of(balancer || strcmp(type, "NodePort") == 0 ? ports : 0));
}

static void use_by_class(const char *class, const char *name, struct amount amount, struct amounts *out)
{
    if (*class == '\0')
        return;
    char *full = mem_printf("%s" CLASS_SUFFIX "%s", class, name);
    if (full != NULL)
        amounts_add(out, full, amount);
    else
        out->failed = true;
    mem_free(full);
}

static void use_claim(const struct value *claim, struct amounts *out)
{
    const char *annotation =
        value_text(value_get(value_find(claim, "metadata", "annotations", NULL), "volume.beta.kubernetes.io/storage-class"));
    const char *class = annotation != NULL ? annotation : text_at(value_get(claim, "spec"), "storageClassName");
    const char *request = value_find_text(claim, "spec", "resources", "requests", "storage", NULL),
               *given = value_find_text(claim, "status", "allocatedResources", "storage", NULL);
    struct amount size, allocated;
    amounts_add(out, "persistentvolumeclaims", amount_of(1));
    use_by_class(class, "persistentvolumeclaims", amount_of(1), out);
    if (request == NULL || !amount_read(request, &size))
        return;
    if (given != NULL && amount_read(given, &allocated) && amount_compare(allocated, size) > 0)
        size = allocated;
    size = (struct amount){.nano = amount_of(amount_whole(size)).nano, .format = size.format}; /* whole bytes */
    amounts_add(out, "requests.storage", size);
    use_by_class(class, "requests.storage", size, out);
}

void quota_usage(const struct schema_kind *kind, const struct value *object, int64_t now_ms, struct amounts *out)
{
    char count[QUOTA_NAME];
    count_name(kind, count);
    amounts_add(out, count, amount_of(1));
    if (alias_of(kind) != NULL)
        amounts_add(out, alias_of(kind), amount_of(1));
    if (is(kind, "Pod"))
        use_pod(object, now_ms, out);
    else if (is(kind, "Service"))
        use_service(object, out);
    else if (is(kind, "PersistentVolumeClaim"))
        use_claim(object, out);
}

/* Scopes. operation "Exists" where a scope is only named. */
static bool term_matches(const struct value *term, const char *own)
{
    const char *operation = term != NULL && value_type(term) == VALUE_OBJECT ? text_at(term, "operator") : "Exists";
    bool has = false;
    for (const struct value *word = value_first(value_get(term, "values")); word != NULL; word = value_next(word))
        has = has || (value_text(word) != NULL && strcmp(value_text(word), own) == 0);
    if (strcmp(operation, "Exists") == 0)
        return *own != '\0';
    if (strcmp(operation, "DoesNotExist") == 0)
        return *own == '\0';
    if (strcmp(operation, "In") == 0)
        return *own != '\0' && has;
    return *own == '\0' || !has;
}

static bool asks_for_compute(const struct value *resources)
{
    static const char *const lists[] = {"requests", "limits"}, *const names[] = {"cpu", "memory"};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) {
            const char *text = value_find_text(resources, lists[i], names[j], NULL);
            struct amount amount;
            if (text != NULL && amount_read(text, &amount) && amount.nano > 0)
                return true;
        }
    }
    return false;
}

static bool is_best_effort(const struct value *pod)
{
    static const char *const fields[] = {"containers", "initContainers"};
    const struct value *spec = value_get(pod, "spec");
    if (asks_for_compute(value_get(spec, "resources")))
        return false;
    for (size_t i = 0; i < 2; i++)
        for (const struct value *container = value_first(value_get(spec, fields[i])); container != NULL;
             container = value_next(container))
            if (asks_for_compute(value_get(container, "resources")))
                return false;
    return true;
}

static bool crosses_namespaces(const struct value *pod)
{
    static const char *const sides[] = {"podAffinity", "podAntiAffinity"};
    static const char *const lists[] = {"requiredDuringSchedulingIgnoredDuringExecution",
                                        "preferredDuringSchedulingIgnoredDuringExecution"};
    for (size_t i = 0; i < 4; i++) {
        for (const struct value *item = value_first(value_find(pod, "spec", "affinity", sides[i / 2], lists[i % 2], NULL));
             item != NULL; item = value_next(item)) {
            const struct value *term = i % 2 == 1 ? value_get(item, "podAffinityTerm") : item;
            if (value_first(value_get(term, "namespaces")) != NULL || value_get(term, "namespaceSelector") != NULL)
                return true;
        }
    }
    return false;
}

static bool in_scope(const char *scope, const struct value *term, const struct schema_kind *kind, const struct value *object)
{
    const struct value *spec = value_get(object, "spec");
    bool limited = value_find_int(object, -1, "spec", "activeDeadlineSeconds", NULL) >= 0;
    if (strcmp(scope, "VolumeAttributesClass") == 0)
        return is(kind, "PersistentVolumeClaim") && term_matches(term, text_at(spec, "volumeAttributesClassName"));
    if (!is(kind, "Pod"))
        return false;
    if (strcmp(scope, "Terminating") == 0)
        return limited;
    if (strcmp(scope, "NotTerminating") == 0)
        return !limited;
    if (strcmp(scope, "BestEffort") == 0)
        return is_best_effort(object);
    if (strcmp(scope, "NotBestEffort") == 0)
        return !is_best_effort(object);
    if (strcmp(scope, "PriorityClass") == 0)
        return term_matches(term, text_at(spec, "priorityClassName"));
    return strcmp(scope, "CrossNamespacePodAffinity") == 0 && crosses_namespaces(object);
}

bool quota_in_scope(const struct value *quota, const struct schema_kind *kind, const struct value *object)
{
    for (const struct value *scope = value_first(value_find(quota, "spec", "scopes", NULL)); scope != NULL;
         scope = value_next(scope))
        if (value_text(scope) == NULL || !in_scope(value_text(scope), NULL, kind, object))
            return false;
    for (const struct value *term = value_first(value_find(quota, "spec", "scopeSelector", "matchExpressions", NULL));
         term != NULL; term = value_next(term))
        if (!in_scope(text_at(term, "scopeName"), term, kind, object))
            return false;
    return true;
}

bool quota_differs(const struct schema_kind *kind, const struct value *object, const struct value *old, int64_t now_ms)
{
    struct amounts now = {0}, before = {0};
    quota_usage(kind, object, now_ms, &now);
    quota_usage(kind, old, now_ms, &before);
    bool differs = now.failed || before.failed || now.count != before.count;
    for (size_t i = 0; !differs && i < now.count; i++)
        differs = strcmp(now.items[i].name, before.items[i].name) != 0 ||
                  amount_compare(now.items[i].amount, before.items[i].amount) != 0;
    amounts_free(&now);
    amounts_free(&before);
    return differs || (is(kind, "Pod") && (value_find(object, "spec", "activeDeadlineSeconds", NULL) == NULL) !=
                                              (value_find(old, "spec", "activeDeadlineSeconds", NULL) == NULL));
}

static bool needs_reading(const struct schema_kind *kind)
{
    return is(kind, "Pod") || is(kind, "Service") || is(kind, "PersistentVolumeClaim");
}

static bool is_scoped(const struct value *quota)
{
    return value_first(value_find(quota, "spec", "scopes", NULL)) != NULL ||
           value_first(value_find(quota, "spec", "scopeSelector", "matchExpressions", NULL)) != NULL;
}

/* Adds what all objects of one kind use. */
static bool count_kind(struct api *api, const struct value *quota, const char *ns, const struct schema_kind *kind,
                       struct amounts *used)
{
    state_resource resource = registry_resource(api->registry, kind);
    if (!needs_reading(kind)) {
        char count[QUOTA_NAME];
        if (is_scoped(quota) || resource == 0)
            return resource != 0;
        struct amount number = amount_of((int64_t)state_count(api->state, resource, ns));
        count_name(kind, count);
        amounts_add(used, count, number);
        if (alias_of(kind) != NULL)
            amounts_add(used, alias_of(kind), number);
        return !used->failed;
    }
    const char *after = NULL;
    for (const struct object *object; (object = state_next(api->state, resource, ns, ns, after)) != NULL;
         after = object->name) {
        struct value *document = lookup_value(object);
        if (document == NULL)
            return false;
        if (quota_in_scope(quota, kind, document))
            quota_usage(kind, document, api_now_ms(api), used);
        value_free(document);
    }
    return !used->failed;
}

static bool tracks_any(const struct schema_kind *kind, const struct value *hard)
{
    for (const struct value *name = value_first(hard); name != NULL; name = value_next(name))
        if (quota_tracks(kind, value_key(name)))
            return true;
    return false;
}

struct value *quota_count(struct api *api, const struct value *quota, const char *ns, struct error *err)
{
    const struct value *hard = value_find(quota, "spec", "hard", NULL);
    struct amounts all = {0}, used = {0};
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        if (kinds[i]->storage == kinds[i] && quota_counts(kinds[i]) && tracks_any(kinds[i], hard))
            ok = count_kind(api, quota, ns, kinds[i], &all);
    for (const struct value *name = value_first(hard); name != NULL; name = value_next(name)) {
        const struct amount_item *item = amounts_find(&all, value_key(name));
        amounts_set(&used, value_key(name), item != NULL ? item->amount : amount_of(0));
    }
    struct value *status = ok ? value_object() : NULL;
    ok = status != NULL && value_set(status, "hard", hard != NULL ? value_copy(hard) : value_object()) &&
         value_set(status, "used", amounts_value(&used));
    amounts_free(&all);
    amounts_free(&used);
    if (ok)
        return status;
    value_free(status);
    error_memory(err);
    return NULL;
}
