/* Defaults of pods (pkg/apis/core/v1/defaults.go) and what a Pod gets before it is stored (pkg/registry/core/pod/strategy.go). */
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/schema/pod_internal.h"

static const char *const container_lists[] = {"initContainers", "containers", "ephemeralContainers", NULL};

static bool all_of(const char *text, size_t length, const char *characters)
{
    return strspn(text, characters) >= length;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789"
#define WORD LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* One part of a repository's path: runs of lower case and digits with separators between them. */
static bool is_path_part(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        size_t run = strspn(text + i, LOWER);
        if (run == 0)
            return false;
        i += run;
        if (i >= length)
            return i == length;
        size_t separator = text[i] == '-' ? strspn(text + i, "-") : text[i] == '_' && text[i + 1] == '_' ? 2 : 1;
        if (strchr("-._", text[i]) == NULL)
            return false;
        i += separator;
    }
    return false;
}

static bool is_registry(const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    size_t host = colon != NULL ? (size_t)(colon - text) : length;
    return host > 0 && all_of(text, host, WORD "-.") && (colon == NULL || (length > host + 1 && all_of(colon + 1, length - host - 1, "0123456789")));
}

static bool is_repository(const char *text, size_t length)
{
    size_t start = 0;
    const char *slash = memchr(text, '/', length);
    size_t first = slash != NULL ? (size_t)(slash - text) : 0;
    bool registry = slash != NULL && (memchr(text, '.', first) != NULL || memchr(text, ':', first) != NULL || strncmp(text, "localhost/", 10) == 0 ||
                                      strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") < first);
    if (registry && !is_registry(text, first))
        return false;
    if (registry)
        start = first + 1;
    while (start <= length) {
        const char *end = memchr(text + start, '/', length - start);
        size_t part = end != NULL ? (size_t)(end - text) - start : length - start;
        if (!is_path_part(text + start, part))
            return false;
        if (end == NULL)
            return true;
        start += part + 1;
    }
    return false;
}

/* True if an image's tag is "latest", said or meant; false for another tag, a digest alone and what is no image's name. */
static bool is_latest(const char *image)
{
    const char *digest = strchr(image, '@');
    size_t length = digest != NULL ? (size_t)(digest - image) : strlen(image);
    const char *tag = NULL;
    for (size_t i = 0; i < length; i++)
        tag = image[i] == ':' ? image + i + 1 : image[i] == '/' ? NULL : tag;
    size_t name = tag != NULL ? (size_t)(tag - image) - 1 : length;
    size_t tag_length = tag != NULL ? length - name - 1 : 0;
    if (!is_repository(image, name) ||
        (tag != NULL && (tag_length == 0 || tag_length > 128 || !all_of(tag, tag_length, WORD "-.") || strchr("-.", tag[0]) != NULL)))
        return false;
    if (digest != NULL) {
        const char *hex = strchr(digest, ':');
        if (hex == NULL || strspn(hex + 1, "0123456789abcdefABCDEF") < 32 || hex[1 + strspn(hex + 1, "0123456789abcdefABCDEF")] != '\0')
            return false;
    }
    return tag != NULL ? tag_length == 6 && strncmp(tag, "latest", 6) == 0 : digest == NULL;
}

static bool default_pull(struct value *object, const char *key, const char *image)
{
    return default_text(object, key, is_latest(image) ? "Always" : "IfNotPresent");
}

static bool http_defaults(struct value *http)
{
    return http == NULL || (default_text(http, "path", "/") && default_text(http, "scheme", "HTTP"));
}

static bool number_default(struct value *object, const char *key, int64_t number)
{
    return int_of(object, key, 0) != 0 || put_int(object, key, number);
}

static bool probe_defaults(struct value *probe)
{
    struct value *grpc = value_get(probe, "grpc");
    return probe == NULL || (number_default(probe, "timeoutSeconds", 1) && number_default(probe, "periodSeconds", 10) &&
                             number_default(probe, "successThreshold", 1) && number_default(probe, "failureThreshold", 3) &&
                             http_defaults(value_get(probe, "httpGet")) && (grpc == NULL || has(grpc, "service") || put_text(grpc, "service", "")));
}

static bool environment_defaults(struct value *container)
{
    EACH_OF (variable, value_get(container, "env")) {
        struct value *from = value_get(variable, "valueFrom"), *field = value_get(from, "fieldRef"), *file = value_get(from, "fileKeyRef");
        if (field != NULL && !default_text(field, "apiVersion", "v1"))
            return false;
        if (file != NULL && !default_bool(file, "optional", false))
            return false;
    }
    return true;
}

/* The feature of stop signals is off: the field is dropped. */
static void drop_stop_signal(struct value *container)
{
    struct value *lifecycle = value_get(container, "lifecycle");
    if (!has(lifecycle, "stopSignal"))
        return;
    value_remove(lifecycle, "stopSignal");
    if (value_first(lifecycle) == NULL)
        value_remove(container, "lifecycle");
}

static bool container_defaults(struct value *container)
{
    drop_stop_signal(container);
    struct value *lifecycle = value_get(container, "lifecycle");
    if (!default_pull(container, "imagePullPolicy", text_of(container, "image")) ||
        !default_text(container, "terminationMessagePath", "/dev/termination-log") || !default_text(container, "terminationMessagePolicy", "File"))
        return false;
    EACH_OF (port, value_get(container, "ports"))
        if (!default_text(port, "protocol", "TCP"))
            return false;
    return round_resources(value_get(container, "resources")) && environment_defaults(container) &&
           probe_defaults(value_get(container, "livenessProbe")) && probe_defaults(value_get(container, "readinessProbe")) &&
           probe_defaults(value_get(container, "startupProbe")) && http_defaults(value_find(lifecycle, "postStart", "httpGet", NULL)) &&
           http_defaults(value_find(lifecycle, "preStop", "httpGet", NULL));
}

static bool downward_defaults(struct value *source)
{
    EACH_OF (file, value_get(source, "items")) {
        struct value *field = value_get(file, "fieldRef");
        if (field != NULL && !default_text(field, "apiVersion", "v1"))
            return false;
    }
    return true;
}

static bool projected_defaults(struct value *projected)
{
    EACH_OF (source, value_get(projected, "sources")) {
        struct value *token = value_get(source, "serviceAccountToken");
        if (token != NULL && !default_int(token, "expirationSeconds", 3600))
            return false;
        if (!downward_defaults(value_get(source, "downwardAPI")))
            return false;
    }
    return true;
}

static bool volume_defaults(struct value *volume)
{
    static const char *const with_mode[] = {"secret", "configMap", "downwardAPI", "projected", NULL};
    struct value *path = value_get(volume, "hostPath"), *image = value_get(volume, "image"),
                 *template = value_find(volume, "ephemeral", "volumeClaimTemplate", NULL);
    size_t sources = 0;
    EACH (entry, volume)
        sources += strcmp(value_key(entry), "name") != 0 && value_type(entry) != VALUE_NULL;
    if (sources == 0)
        return default_object(volume, "emptyDir");
    for (size_t i = 0; with_mode[i] != NULL; i++) {
        struct value *source = value_get(volume, with_mode[i]);
        if (source != NULL && !default_int(source, "defaultMode", 0644))
            return false;
    }
    return downward_defaults(value_get(volume, "downwardAPI")) && projected_defaults(value_get(volume, "projected")) &&
           (path == NULL || has(path, "type") || put_text(path, "type", "")) &&
           (image == NULL || default_pull(image, "pullPolicy", text_of(image, "reference"))) &&
           (template == NULL || value_get(template, "spec") == NULL || claim_spec_defaults(value_get(template, "spec")));
}

/* The field has an older name, which is kept equal. */
static bool account_defaults(struct value *spec)
{
    const char *newer = "serviceAccountName", *older = "serviceAccount";
    if (*text_of(spec, newer) == '\0' && *text_of(spec, older) != '\0')
        return put_copy(spec, newer, value_get(spec, older));
    if (*text_of(spec, newer) != '\0')
        return put_copy(spec, older, value_get(spec, newer));
    return true;
}

bool pod_spec_defaults(struct value *spec)
{
    if (!account_defaults(spec))
        return false;
    if (!default_text(spec, "dnsPolicy", "ClusterFirst") || !default_text(spec, "restartPolicy", "Always") ||
        !default_object(spec, "securityContext") || !round_resources(value_get(spec, "resources")) || !round_amounts(value_get(spec, "overhead")) ||
        !default_int(spec, "terminationGracePeriodSeconds", 30) || !default_text(spec, "schedulerName", "default-scheduler"))
        return false;
    EACH_OF (volume, value_get(spec, "volumes"))
        if (!volume_defaults(volume))
            return false;
    for (size_t k = 0; container_lists[k] != NULL; k++)
        EACH_OF (container, value_get(spec, container_lists[k]))
            if (!container_defaults(container))
                return false;
    return true;
}

/* A template lacks what a Pod gets: requests from limits, host ports, enableServiceLinks. */
bool pod_template_defaults(struct value *template)
{
    struct value *spec = value_get(template, "spec");
    return spec == NULL || pod_spec_defaults(spec);
}

/* On the host's network a container's ports are the host's. */
static bool host_ports(struct value *spec)
{
    for (size_t k = 0; k < 2 && is_true(spec, "hostNetwork"); k++)
        EACH_OF (container, value_get(spec, container_lists[k]))
            EACH_OF (port, value_get(container, "ports"))
                if (int_of(port, "hostPort", 0) == 0 && int_of(port, "containerPort", 0) != 0 &&
                    !put_copy(port, "hostPort", value_get(port, "containerPort")))
                    return false;
    return true;
}

/* Where there is a limit and no request, the request is the limit. */
static bool requests_from_limits(struct value *container)
{
    struct value *resources = value_get(container, "resources");
    const struct value *limits = value_get(resources, "limits");
    if (value_first(limits) == NULL)
        return true;
    if (!default_object(resources, "requests"))
        return false;
    struct value *requests = value_get(resources, "requests");
    EACH (limit, limits)
        if (!has(requests, value_key(limit)) && !put_copy(requests, value_key(limit), limit))
            return false;
    return true;
}

/* The first address stands in an older field, too, which counts more where they differ. */
static bool address_defaults(struct value *status, const char *one, const char *many)
{
    const struct value *first = value_first(value_get(status, many));
    const char *address = text_of(status, one);
    if (*address == '\0')
        return first == NULL || put_text(status, one, text_of(first, "ip"));
    if (text_is(first, "ip", address))
        return true;
    struct value *list = value_array(), *entry = value_object();
    if (list == NULL || entry == NULL || !put_text(entry, "ip", address)) {
        value_free(list);
        value_free(entry);
        return false;
    }
    if (!value_append(list, entry)) {
        value_free(list);
        return false;
    }
    return value_set(status, many, list);
}

bool pod_defaults(struct value *object)
{
    struct value *spec = value_get(object, "spec");
    if (spec == NULL)
        return true;
    if (!address_defaults(value_get(object, "status"), "podIP", "podIPs"))
        return false;
    if (int_of(spec, "terminationGracePeriodSeconds", 0) < 0 && !put_int(spec, "terminationGracePeriodSeconds", 1))
        return false;
    for (size_t k = 0; k < 2; k++)
        EACH_OF (container, value_get(spec, container_lists[k]))
            if (!requests_from_limits(container))
                return false;
    return default_bool(spec, "enableServiceLinks", true) && pod_spec_defaults(spec) && host_ports(spec);
}

/* Quality of service, as the scheduler's helpers tell it (pkg/apis/core/v1/helper/qos). */
static bool is_positive(const struct value *list, const char *name)
{
    const char *text = value_text(value_get(list, name));
    return text != NULL && !quantity_negative(text) && !quantity_zero(text);
}

static const char *qos_class(const struct value *spec)
{
    static const char *const names[] = {"cpu", "memory", NULL};
    bool any = false, guaranteed = true;
    const struct value *own = value_get(spec, "resources");
    bool pod_level = value_first(value_get(own, "limits")) != NULL || value_first(value_get(own, "requests")) != NULL;
    for (size_t k = 0; k < 2; k++) {
        const struct value *list = pod_level ? NULL : value_get(spec, container_lists[k]);
        for (const struct value *container = pod_level && k == 0 ? spec : value_first(list); container != NULL;
             container = container == spec ? NULL : value_next(container)) {
            const struct value *resources = value_get(container, "resources");
            const struct value *limits = value_get(resources, "limits"), *requests = value_get(resources, "requests");
            for (size_t i = 0; names[i] != NULL; i++) {
                int order = 1;
                bool limited = is_positive(limits, names[i]), requested = is_positive(requests, names[i]);
                any = any || limited || requested;
                guaranteed = guaranteed && limited &&
                             (!requested || (quantity_compare(text_of(limits, names[i]), text_of(requests, names[i]), &order) && order == 0));
            }
        }
    }
    return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

/* matchLabelKeys become requirements of the selector: key In or NotIn (the pod's own value). */
static bool apply_label_keys(struct value *term, const char *key, const char *operator, const struct value *labels)
{
    struct value *selector = value_get(term, "labelSelector");
    EACH (item, selector != NULL ? value_get(term, key) : NULL) {
        const char *label = value_text(value_get(labels, value_text(item)));
        struct value *requirement = label != NULL ? value_object() : NULL, *values = label != NULL ? value_array() : NULL;
        if (label == NULL)
            continue;
        bool ok = has(selector, "matchExpressions") || value_set(selector, "matchExpressions", value_array());
        ok = requirement != NULL && values != NULL && ok;
        ok = ok && put_text(requirement, "key", value_text(item)) && put_text(requirement, "operator", operator) &&
             value_append(values, value_string(label));
        if (!ok) {
            value_free(requirement);
            value_free(values);
            return false;
        }
        if (!value_set(requirement, "values", values)) {
            value_free(requirement);
            return false;
        }
        if (!value_append(value_get(selector, "matchExpressions"), requirement))
            return false;
    }
    return true;
}

static bool apply_all_label_keys(struct value *spec, const struct value *labels)
{
    static const char *const kinds[] = {"podAffinity", "podAntiAffinity", NULL};
    for (size_t k = 0; kinds[k] != NULL; k++) {
        struct value *affinity = value_find(spec, "affinity", kinds[k], NULL);
        EACH_OF (term, value_get(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) {
            struct value *inner = value_get(term, "podAffinityTerm");
            if (!apply_label_keys(inner, "matchLabelKeys", "In", labels) || !apply_label_keys(inner, "mismatchLabelKeys", "NotIn", labels))
                return false;
        }
        EACH_OF (term, value_get(affinity, "requiredDuringSchedulingIgnoredDuringExecution"))
            if (!apply_label_keys(term, "matchLabelKeys", "In", labels) || !apply_label_keys(term, "mismatchLabelKeys", "NotIn", labels))
                return false;
    }
    EACH_OF (constraint, value_get(spec, "topologySpreadConstraints"))
        if (!apply_label_keys(constraint, "matchLabelKeys", "In", labels))
            return false;
    return true;
}

static bool gated_condition(struct value *status)
{
    static const char *const texts[][2] = {{"type", "PodScheduled"}, {"status", "False"}, {"reason", "SchedulingGated"},
                                           {"message", "Scheduling is blocked due to non-empty scheduling gates"}};
    struct value *condition = value_object(), *conditions = value_array();
    bool ok = condition != NULL && conditions != NULL && value_set(condition, "lastProbeTime", value_null()) &&
              value_set(condition, "lastTransitionTime", value_null());
    for (size_t i = 0; ok && i < 4; i++)
        ok = put_text(condition, texts[i][0], texts[i][1]);
    if (!ok) {
        value_free(condition);
        value_free(conditions);
        return false;
    }
    if (!value_append(conditions, condition)) {
        value_free(conditions);
        return false;
    }
    return value_set(status, "conditions", conditions);
}

/* Profiles that stand in old annotations only move into their fields. */
static bool apparmor_fields(struct value *object)
{
    const struct value *annotations = value_find(object, "metadata", "annotations", NULL);
    struct value *spec = value_get(object, "spec");
    const struct value *pod_profile = value_find(spec, "securityContext", "appArmorProfile", NULL);
    for (size_t k = 0; value_first(annotations) != NULL && k < 2; k++) {
        EACH_OF (container, value_get(spec, container_lists[k])) {
            char *key = mem_printf("container.apparmor.security.beta.kubernetes.io/%s", text_of(container, "name"));
            const char *annotation = key != NULL ? value_text(value_get(annotations, key)) : NULL;
            struct value *profile = NULL;
            bool ok = key != NULL;
            mem_free(key);
            if (ok && annotation != NULL && value_find(container, "securityContext", "appArmorProfile", NULL) == NULL &&
                (profile = value_object()) == NULL)
                return false;
            if (!ok)
                return false;
            if (profile == NULL)
                continue;
            bool known = true;
            if (strcmp(annotation, "unconfined") == 0)
                ok = put_text(profile, "type", "Unconfined");
            else if (strcmp(annotation, "runtime/default") == 0)
                ok = put_text(profile, "type", "RuntimeDefault");
            else if (starts_with(annotation, "localhost/") && annotation[strlen("localhost/")] != '\0')
                ok = put_text(profile, "type", "Localhost") && put_text(profile, "localhostProfile", annotation + strlen("localhost/"));
            else
                known = false;
            if (!ok || !known || same(profile, pod_profile)) {
                value_free(profile);
                if (!ok)
                    return false;
                continue;
            }
            struct value *context = value_child(container, "securityContext");
            if (context == NULL) {
                value_free(profile);
                return false;
            }
            if (!value_set(context, "appArmorProfile", profile))
                return false;
        }
    }
    return true;
}

/* With limits or requests of the whole pod, a missing request is its limit. */
static bool pod_level_requests(struct value *spec)
{
    struct value *resources = value_get(spec, "resources");
    const struct value *limits = value_get(resources, "limits");
    EACH (limit, limits) {
        bool of_pods = strcmp(value_key(limit), "cpu") == 0 || strcmp(value_key(limit), "memory") == 0 || resource_is_huge_page(value_key(limit));
        bool requested = !of_pods || has(value_get(resources, "requests"), value_key(limit));
        const struct value *from = limit;
        size_t containers = 0;
        EACH (container, value_get(spec, "containers")) {
            const struct value *request = value_get(value_find(container, "resources", "requests", NULL), value_key(limit));
            if (request != NULL && containers++ == 0)
                from = request;
        }
        if (requested || (containers > 1))
            continue;
        struct value *requests = value_child(resources, "requests");
        if (requests == NULL || !put_copy(requests, value_key(limit), from))
            return false;
    }
    return true;
}

bool pod_create_prepare(struct value *object)
{
    struct value *spec = value_get(object, "spec"), *status = value_object();
    bool gated = value_first(value_get(spec, "schedulingGates")) != NULL;
    if (status == NULL || !put_text(status, "phase", "Pending") || (gated && !gated_condition(status))) {
        value_free(status);
        return false;
    }
    if (!value_set(object, "status", status))
        return false;
    return apply_all_label_keys(spec, value_find(object, "metadata", "labels", NULL)) && apparmor_fields(object) && pod_level_requests(spec) &&
           put_text(value_get(object, "status"), "qosClass", qos_class(spec));
}

bool pod_update_prepare(struct value *object, const struct value *old)
{
    struct value *spec = value_get(object, "spec");
    return has(spec, "resources") || put_copy(spec, "resources", value_find(old, "spec", "resources", NULL));
}

bool pod_status_prepare(struct value *object, const struct value *old)
{
    struct value *status = value_get(object, "status"), *metadata = value_get(object, "metadata");
    if (metadata != NULL && !put_copy(metadata, "ownerReferences", value_find(old, "metadata", "ownerReferences", NULL)))
        return false;
    return status == NULL || has(status, "qosClass") || put_copy(status, "qosClass", value_find(old, "status", "qosClass", NULL));
}
