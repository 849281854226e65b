/* Pods: the validation of a spec in the server's order, and the rules of Pod and PodTemplate. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"
#include "practice/schema/addresses.h"
#include "practice/schema/pod_internal.h"

static const struct place spec_place = {.key = "spec"}, metadata_place = {.key = "metadata"};

/* Visits app, init and ephemeral containers in the server's order: init, app, ephemeral. */
static const char *const container_lists[] = {"initContainers", "containers", "ephemeralContainers", NULL};

static void check_pod_resources(const struct pod_check *check, const struct place *spec)
{
    const struct value *resources = value_get(check->spec, "resources");
    const struct place at = place_key(spec, "resources"), containers = place_key(&at, "containers"), requests = place_key(&at, "requests");
    if (resources == NULL)
        return;
    if (has(resources, "claims"))
        problem_forbidden(check->problems, &at, "claims", "claims may not be set for Resources at pod-level");
    check_resources(check->problems, resources, &at, NULL, true);
    /* One container's request alone may be too much; sums are the scheduler's, but for the usual case of few containers. */
    size_t i = 0;
    EACH (container, value_get(check->spec, "containers")) {
        const struct place container_at = place_index(&containers, i++);
        EACH (request, value_find(container, "resources", "requests", NULL)) {
            const char *pod = value_text(value_get(value_get(resources, "requests"), value_key(request)));
            const struct place request_at = place_map(&requests, value_key(request));
            int order = 0;
            if (pod != NULL && quantity_compare(value_text(request), pod, &order) && order > 0)
                problem_invalid(check->problems, &request_at, pod, "must be greater than or equal to aggregate container requests of %s",
                                value_text(request));
        }
        EACH (limit, value_find(container, "resources", "limits", NULL)) {
            const char *pod = value_text(value_get(value_get(resources, "limits"), value_key(limit)));
            const struct place named = place_map(&container_at, value_key(limit)), limits = place_key(&named, "limits");
            int order = 0;
            if (pod != NULL && quantity_compare(value_text(limit), pod, &order) && order > 0)
                problem_invalid(check->problems, &limits, value_text(limit), "must be less than or equal to pod limits of %s", pod);
        }
    }
}

static void check_host_network(const struct pod_check *check, const struct place *spec, unsigned flags)
{
    const struct place all = place_key(spec, "containers");
    size_t i = 0;
    if (!is_true(check->spec, "hostNetwork"))
        return;
    EACH (container, value_get(check->spec, "containers")) {
        const struct place at = place_index(&all, i++), ports = place_key(&at, "ports");
        size_t p = 0;
        EACH (port, value_get(container, "ports")) {
            const struct place port_at = place_index(&ports, p++), host_at = place_key(&port_at, "hostPort");
            int64_t host = int_of(port, "hostPort", 0);
            if (((flags & POD_ITSELF) != 0 || host != 0) && host != int_of(port, "containerPort", 0))
                problem_number(check->problems, &host_at, host, "must match `containerPort` when `hostNetwork` is true");
        }
    }
}

static void check_gates(const struct pod_check *check, const struct place *spec)
{
    const struct place readiness = place_key(spec, "readinessGates"), scheduling = place_key(spec, "schedulingGates");
    const struct value *gates = value_get(check->spec, "schedulingGates");
    size_t i = 0;
    EACH (gate, value_get(check->spec, "readinessGates")) {
        const struct place at = place_index(&readiness, i++);
        name_problems_of(check->problems, &at, "conditionType", text_of(gate, "conditionType"), name_qualified);
    }
    i = 0;
    EACH (gate, gates) {
        const struct place at = place_index(&scheduling, i++);
        name_problems(check->problems, &at, text_of(gate, "name"), name_qualified(text_of(gate, "name")));
        if (seen_before(gates, gate, "name"))
            problem_string(check->problems, &at, PROBLEM_DUPLICATE, text_of(gate, "name"));
    }
}

/* Containers that are processes of a Windows host: all of a pod's or none, and on the host's network. */
static void check_host_process(const struct pod_check *check, const struct place *spec)
{
    const struct value *of_pod = value_find(check->spec, "securityContext", "windowsOptions", "hostProcess", NULL);
    const struct place network = place_key(spec, "hostNetwork");
    size_t containers = 0, processes = 0;
    for (size_t k = 0; container_lists[k] != NULL; k++) {
        const struct place all = place_key(spec, container_lists[k]);
        size_t i = 0;
        EACH (container, value_get(check->spec, container_lists[k])) {
            const struct place at = place_index(&all, i++), context = place_key(&at, "securityContext"),
                               windows = place_key(&context, "windowsOptions");
            const struct place process = place_key(&windows, "hostProcess");
            const struct value *own = value_find(container, "securityContext", "windowsOptions", "hostProcess", NULL);
            containers++;
            if (of_pod != NULL && own != NULL && value_is_true(of_pod) != value_is_true(own))
                problem_add(check->problems, &process, PROBLEM_INVALID, own, "pod hostProcess value must be identical if both are specified, was %s",
                            value_is_true(of_pod) ? "true" : "false");
            processes += value_is_true(own != NULL ? own : of_pod);
        }
    }
    if (processes == 0)
        return;
    if (processes != containers)
        problem_invalid(check->problems, spec, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers");
    if (!is_true(check->spec, "hostNetwork"))
        problem_text(check->problems, &network, PROBLEM_INVALID, "false", "hostNetwork must be true if pod contains any hostProcess containers");
}

static void check_host_users(const struct pod_check *check, const struct place *spec)
{
    const struct value *users = value_get(check->spec, "hostUsers");
    if (value_type(users) != VALUE_BOOL || value_is_true(users))
        return;
    if (is_true(check->spec, "hostNetwork"))
        problem_forbidden(check->problems, spec, "hostNetwork", "when `hostUsers` is false");
    if (is_true(check->spec, "hostPID"))
        problem_forbidden(check->problems, spec, "HostPID", "when `hostUsers` is false");
    if (is_true(check->spec, "hostIPC"))
        problem_forbidden(check->problems, spec, "HostIPC", "when `hostUsers` is false");
    for (size_t k = 0; container_lists[k] != NULL; k++) {
        const struct place all = place_key(spec, container_lists[k]);
        size_t i = 0;
        EACH (container, value_get(check->spec, container_lists[k])) {
            const struct place at = place_index(&all, i++);
            if (value_first(value_get(container, "volumeDevices")) != NULL)
                problem_forbidden(check->problems, &at, "volumeDevices", "when `hostUsers` is false");
        }
    }
}

static void check_hostname_override(const struct pod_check *check, const struct place *spec)
{
    const struct place at = place_key(spec, "hostnameOverride");
    const char *name = text_of(check->spec, "hostnameOverride");
    if (!has(check->spec, "hostnameOverride"))
        return;
    if (is_true(check->spec, "setHostnameAsFQDN"))
        problem_forbidden(check->problems, &at, NULL, "may not be specified when setHostnameAsFQDN is true");
    if (is_true(check->spec, "hostNetwork"))
        problem_forbidden(check->problems, &at, NULL, "may not be specified when hostNetwork is true");
    if (strlen(name) > 64)
        problem_too_long(check->problems, &at, 64);
    name_problems(check->problems, &at, name, name_subdomain(name));
}

static void check_os(const struct pod_check *check, const struct place *spec)
{
    static const char *const systems[] = {"linux", "windows", NULL};
    const struct value *os = value_get(check->spec, "os");
    const struct place at = place_key(spec, "os"), security = place_key(spec, "securityContext");
    if (os == NULL)
        return;
    if (*text_of(os, "name") == '\0')
        problem_required(check->problems, &at, "name", NULL);
    else if (!one_of(text_of(os, "name"), systems))
        problem_unsupported(check->problems, &at, text_of(os, "name"), systems);
    else if (text_is(os, "name", "linux") && has(value_get(check->spec, "securityContext"), "windowsOptions"))
        problem_forbidden(check->problems, &security, "windowsOptions", "windows options cannot be set for a linux pod");
}

static void check_host_aliases(const struct pod_check *check, const struct place *spec)
{
    const struct place all = place_key(spec, "hostAliases");
    size_t i = 0;
    EACH (alias, value_get(check->spec, "hostAliases")) {
        const struct place at = place_index(&all, i++), ip = place_key(&at, "ip"), names = place_key(&at, "hostnames");
        size_t n = 0;
        address_problems(check->problems, &ip, text_of(alias, "ip"), NULL);
        EACH (name, value_get(alias, "hostnames")) {
            const struct place name_at = place_index(&names, n++);
            name_problems(check->problems, &name_at, value_text(name), name_subdomain(value_text(name)));
        }
    }
}

static void check_names(const struct pod_check *check, const struct place *spec)
{
    const struct place account = place_key(spec, "deprecatedServiceAccount"), deadline = place_key(spec, "activeDeadlineSeconds");
    const struct place tolerations = place_key(spec, "tolerations"), overhead = place_key(spec, "overhead");
    static const char *const preemptions[] = {"PreemptLowerPriority", "Never", NULL};
    check_name(check->problems, check->spec, spec, "serviceAccountName", name_subdomain, false);
    if (strcmp(text_of(check->spec, "serviceAccount"), text_of(check->spec, "serviceAccountName")) != 0)
        problem_invalid(check->problems, &account, text_of(check->spec, "serviceAccount"), "must be the same as serviceAccountName: \"%s\"",
                        text_of(check->spec, "serviceAccountName"));
    check_name(check->problems, check->spec, spec, "nodeName", name_subdomain, false);
    if (has(check->spec, "activeDeadlineSeconds")) {
        int64_t seconds = int_of(check->spec, "activeDeadlineSeconds", 0);
        if (seconds < 1 || seconds > INT32_MAX)
            problem_number(check->problems, &deadline, seconds, "must be between 1 and %d, inclusive", INT32_MAX);
    }
    check_name(check->problems, check->spec, spec, "hostname", name_label, false);
    check_name(check->problems, check->spec, spec, "subdomain", name_label, false);
    pod_validate_tolerations(value_get(check->spec, "tolerations"), &tolerations, check->problems);
    check_host_aliases(check, spec);
    check_name(check->problems, check->spec, spec, "priorityClassName", name_subdomain, false);
    if (has(check->spec, "runtimeClassName"))
        name_problems_of(check->problems, spec, "runtimeClassName", text_of(check->spec, "runtimeClassName"), name_subdomain);
    check_choice(check->problems, check->spec, spec, "preemptionPolicy", preemptions, has(check->spec, "preemptionPolicy"));
    EACH (amount, value_get(check->spec, "overhead")) {
        const struct place limits = place_key(&overhead, "limits"), at = place_map(&limits, value_key(amount));
        check_container_resource_name(check->problems, value_key(amount), &at);
        check_quantity(check->problems, value_key(amount), amount, &at);
    }
}

/* Files of environment variables come from emptyDir volumes. */
static void check_file_volumes(const struct pod_check *check, const struct place *spec)
{
    for (size_t k = 0; container_lists[k] != NULL; k++) {
        const struct place all = place_key(spec, container_lists[k]);
        size_t i = 0;
        EACH (container, value_get(check->spec, container_lists[k])) {
            const struct place at = place_index(&all, i++), env = place_key(&at, "env");
            size_t e = 0;
            EACH (variable, value_get(container, "env")) {
                const struct place variable_at = place_index(&env, e++), from = place_key(&variable_at, "valueFrom"),
                                   ref_at = place_key(&from, "fileKeyRef");
                const struct place name_at = place_key(&ref_at, "volumeName");
                const struct value *ref = value_find(variable, "valueFrom", "fileKeyRef", NULL), *found = NULL;
                EACH (volume, ref != NULL ? value_get(check->spec, "volumes") : NULL)
                    if (text_is(volume, "name", text_of(ref, "volumeName")))
                        found = volume;
                if (ref != NULL && found == NULL)
                    problem_string(check->problems, &name_at, PROBLEM_NOT_FOUND, text_of(ref, "volumeName"));
                else if (ref != NULL && !has(found, "emptyDir"))
                    problem_invalid(check->problems, &name_at, text_of(ref, "volumeName"), "referenced volume must be of type emptyDir");
            }
        }
    }
}

void pod_validate_spec(const struct value *spec, const struct value *metadata, const struct place *place, unsigned flags, struct problems *problems)
{
    static const char *const restarts[] = {"Always", "OnFailure", "Never", NULL};
    static const char *const dns[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None", NULL};
    struct pod_check check = {.spec = spec, .metadata = metadata, .volumes = vec_make(100000, NULL), .problems = problems};
    const struct place volumes = place_key(place, "volumes"), selector = place_key(place, "nodeSelector"),
                       share = place_key(place, "shareProcessNamespace");
    if (!has(spec, "terminationGracePeriodSeconds"))
        problem_required(problems, place, "terminationGracePeriodSeconds", NULL);
    pod_check_volumes(&check, &volumes);
    pod_check_containers(&check, place);
    pod_check_init_containers(&check, place);
    pod_check_ephemeral_containers(&check, place);
    check_pod_resources(&check, place);
    check_host_network(&check, place, flags);
    check_choice(problems, spec, place, "restartPolicy", restarts, true);
    check_choice(problems, spec, place, "dnsPolicy", dns, true);
    check_labels(problems, value_get(spec, "nodeSelector"), &selector);
    pod_check_pod_security(&check, place);
    if (is_true(spec, "shareProcessNamespace") && is_true(spec, "hostPID"))
        problem_add(problems, &share, PROBLEM_INVALID, value_get(spec, "shareProcessNamespace"),
                    "ShareProcessNamespace and HostPID cannot both be enabled");
    pod_check_scheduling(&check, place);
    pod_check_dns(&check, place);
    check_gates(&check, place);
    pod_check_spread(&check, place);
    check_host_process(&check, place);
    check_host_users(&check, place);
    check_hostname_override(&check, place);
    check_names(&check, place);
    check_os(&check, place);
    check_file_volumes(&check, place);
    vec_free(&check.volumes);
}

static bool is_int32(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    return *text != '\0' && *end == '\0' && text[0] != '+' && (text[0] != '0' || text[1] == '\0') && number >= INT32_MIN && number <= INT32_MAX;
}

static bool has_container(const struct value *spec, const char *name)
{
    for (size_t k = 0; container_lists[k] != NULL; k++)
        EACH (container, value_get(spec, container_lists[k]))
            if (text_is(container, "name", name))
                return true;
    return false;
}

static void check_seccomp_annotation(struct problems *problems, const char *key, const char *profile, const struct place *annotations)
{
    const struct place at = place_key(annotations, key);
    static const char *const known[] = {"runtime/default", "docker/default", "unconfined", NULL};
    if (starts_with(profile, "localhost/")) {
        const char *path = profile + strlen("localhost/");
        if (path[0] == '/')
            problem_invalid(problems, &at, path, "must be a relative path");
        check_path_backsteps(problems, path, &at);
    } else if (!one_of(profile, known)) {
        problem_invalid(problems, &at, profile, "must be a valid seccomp profile");
    }
}

#define APPARMOR_PREFIX "container.apparmor.security.beta.kubernetes.io/"
#define SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define SECCOMP_PREFIX "container.seccomp.security.alpha.kubernetes.io/"
#define MIRROR "kubernetes.io/config.mirror"
#define DELETION_COST "controller.kubernetes.io/pod-deletion-cost"

void pod_validate_annotations(const struct value *metadata, const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct value *annotations = value_get(metadata, "annotations");
    const struct place mirror = place_map(place, MIRROR), cost = place_map(place, DELETION_COST);
    if (has(annotations, MIRROR) && *text_of(spec, "nodeName") == '\0')
        problem_invalid(problems, &mirror, text_of(annotations, MIRROR), "must set spec.nodeName if mirror pod annotation is set");
    if (has(annotations, DELETION_COST) && !is_int32(text_of(annotations, DELETION_COST)))
        problem_invalid(problems, &cost, text_of(annotations, DELETION_COST), "must be a 32bit integer");
    if (has(annotations, SECCOMP_POD))
        check_seccomp_annotation(problems, SECCOMP_POD, text_of(annotations, SECCOMP_POD), place);
    EACH (annotation, annotations)
        if (starts_with(value_key(annotation), SECCOMP_PREFIX))
            check_seccomp_annotation(problems, value_key(annotation), value_text(annotation), place);
    EACH (annotation, annotations) {
        const struct place at = place_map(place, value_key(annotation));
        const char *profile = value_text(annotation);
        if (!starts_with(value_key(annotation), APPARMOR_PREFIX))
            continue;
        const char *container = value_key(annotation) + strlen(APPARMOR_PREFIX);
        if (!has_container(spec, container))
            problem_invalid(problems, &at, container, "container not found");
        if (*profile != '\0' && strcmp(profile, "runtime/default") != 0 && strcmp(profile, "unconfined") != 0 && !starts_with(profile, "localhost/"))
            problem_invalid(problems, &at, profile, "invalid AppArmor profile name: \"%s\"", profile);
    }
}

/* A profile in an annotation must be the field's. */
static void check_profile_match(struct problems *problems, const char *annotation, const struct value *profile, const struct place *place,
                                const char *what)
{
    const char *type = text_of(profile, "type");
    struct buf words = buf_make(128);
    bool localhost = strcmp(type, "Localhost") == 0, fine = true;
    if (localhost)
        fine = starts_with(annotation, "localhost/");
    else if (strcmp(type, "Unconfined") == 0)
        fine = strcmp(annotation, "unconfined") == 0;
    else if (strcmp(type, "RuntimeDefault") == 0)
        fine = strcmp(annotation, "runtime/default") == 0 || (strcmp(what, "seccomp") == 0 && strcmp(annotation, "docker/default") == 0);
    bool same_path = !localhost || !fine || strcmp(annotation + strlen("localhost/"), text_of(profile, "localhostProfile")) == 0;
    buf_printf(&words, "%s %s in annotation and field must match", what, fine ? "profile" : "type");
    if (!buf_ok(&words))
        problems->failed = true;
    else if (!fine || !same_path)
        problem_forbidden(problems, place, fine ? "localhostProfile" : "type", words.bytes);
    buf_free(&words);
}

static void check_container_match(const struct value *annotations, const struct value *spec, const struct value *container, const struct place *at,
                                  const char *prefix, const char *key, const char *what, struct problems *problems)
{
    const struct value *profile = value_find(container, "securityContext", key, NULL);
    const struct place context = place_key(at, "securityContext"), place = place_key(&context, key);
    struct buf name = buf_make(1024);
    if (profile == NULL && strcmp(what, "apparmor") == 0)
        profile = value_find(spec, "securityContext", key, NULL);
    buf_printf(&name, "%s%s", prefix, text_of(container, "name"));
    if (profile != NULL && buf_ok(&name) && has(annotations, name.bytes))
        check_profile_match(problems, text_of(annotations, name.bytes), profile, &place, what);
    buf_free(&name);
}

void pod_validate_match(const struct value *metadata, const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct value *annotations = value_get(metadata, "annotations"), *profile = value_find(spec, "securityContext", "seccompProfile", NULL);
    const struct place context = place_key(place, "securityContext"), profile_at = place_key(&context, "seccompProfile");
    if (value_first(annotations) == NULL)
        return;
    if (profile != NULL && has(annotations, SECCOMP_POD))
        check_profile_match(problems, text_of(annotations, SECCOMP_POD), profile, &profile_at, "seccomp");
    for (size_t what = 0; what < 2; what++) {
        for (size_t k = 0; container_lists[k] != NULL; k++) {
            const struct place all = place_key(place, container_lists[k]);
            size_t i = 0;
            EACH (container, value_get(spec, container_lists[k])) {
                const struct place at = place_index(&all, i++);
                check_container_match(annotations, spec, container, &at, what == 0 ? SECCOMP_PREFIX : APPARMOR_PREFIX,
                                      what == 0 ? "seccompProfile" : "appArmorProfile", what == 0 ? "seccomp" : "apparmor", problems);
            }
        }
    }
}

void pod_validate_template(const struct value *template, const struct place *place, struct problems *problems)
{
    const struct value *metadata = value_get(template, "metadata"), *spec = value_get(template, "spec");
    const struct place labels = place_key(place, "labels"), annotations = place_key(place, "annotations"), spec_at = place_key(place, "spec");
    const struct place ephemeral = place_key(&spec_at, "ephemeralContainers");
    check_labels(problems, value_get(metadata, "labels"), &labels);
    check_annotations(problems, value_get(metadata, "annotations"), &annotations);
    pod_validate_annotations(metadata, spec, &annotations, problems);
    pod_validate_spec(spec, NULL, &spec_at, 0, problems);
    pod_validate_match(metadata, spec, &spec_at, problems);
    if (value_first(value_get(spec, "ephemeralContainers")) != NULL)
        problem_forbidden(problems, &ephemeral, NULL, "ephemeral containers not allowed in pod template");
}

static void check_image_spaces(const struct value *spec, const char *list, struct problems *problems)
{
    const struct place all = place_key(&spec_place, list);
    size_t i = 0;
    EACH (container, value_get(spec, list)) {
        const struct place at = place_index(&all, i++), image_at = place_key(&at, "image");
        const char *image = text_of(container, "image");
        size_t length = strlen(image);
        if (length > 0 && (strchr(" \t\r\n\v\f", image[0]) != NULL || strchr(" \t\r\n\v\f", image[length - 1]) != NULL))
            problem_invalid(problems, &image_at, image, "must not have leading or trailing whitespace");
    }
}

static void validate(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *metadata = value_get(object, "metadata");
    const struct place annotations = place_key(&metadata_place, "annotations"), volumes = place_key(&spec_place, "volumes");
    pod_validate_annotations(metadata, spec, &annotations, problems);
    pod_validate_spec(spec, metadata, &spec_place, POD_ITSELF, problems);
    size_t v = 0;
    EACH (volume, *text_of(spec, "serviceAccountName") == '\0' ? value_get(spec, "volumes") : NULL) {
        const struct place at = place_index(&volumes, v++), projected = place_key(&at, "projected"), sources = place_key(&projected, "sources");
        size_t s = 0;
        EACH (source, value_find(volume, "projected", "sources", NULL)) {
            const struct place source_at = place_index(&sources, s++);
            if (has(source, "serviceAccountToken"))
                problem_forbidden(problems, &source_at, "serviceAccountToken", "must not be specified when serviceAccountName is not set");
        }
    }
    check_nonnegative(problems, spec, &spec_place, "terminationGracePeriodSeconds");
    check_image_spaces(spec, "containers", problems);
    check_image_spaces(spec, "initContainers", problems);
}

static void validate_create(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    if (value_first(value_get(spec, "ephemeralContainers")) != NULL)
        problem_forbidden(problems, &spec_place, "ephemeralContainers", "cannot be set on create");
    if (*text_of(spec, "nodeName") != '\0' && value_first(value_get(spec, "schedulingGates")) != NULL)
        problem_forbidden(problems, &spec_place, "nodeName", "cannot be set until all schedulingGates have been cleared");
    pod_validate_match(value_get(object, "metadata"), spec, &spec_place, problems);
}

static void warn(const struct value *object, const struct value *old, struct vec *warnings)
{
    if (old != NULL)
        return;
    meta_warn_name(object, "this is used in the Pod's hostname, which can result in surprising behavior", warnings);
    pod_warn(value_get(object, "metadata"), value_get(object, "spec"), NULL, false, warnings);
}

static int64_t grace(const struct value *object)
{
    const struct value *spec = value_get(object, "spec"), *status = value_get(object, "status");
    int64_t seconds = int_of(spec, "terminationGracePeriodSeconds", 0);
    if (*text_of(spec, "nodeName") == '\0' || text_is(status, "phase", "Failed") || text_is(status, "phase", "Succeeded"))
        return 0;
    return seconds < 0 ? 1 : seconds;
}

static bool template_defaults(struct value *object)
{
    return pod_template_defaults(value_get(object, "template"));
}

static void validate_pod_template(const struct value *object, struct problems *problems)
{
    const struct place place = place_key(NULL, "template");
    pod_validate_template(value_get(object, "template"), &place, problems);
}

static void warn_pod_template(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place place = place_key(NULL, "template");
    const struct value *template = value_get(object, "template");
    if (old == NULL || !same_at(object, old, "template"))
        pod_warn(value_get(template, "metadata"), value_get(template, "spec"), &place, true, warnings);
}

static const char *const pod_selectors[] = {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
                                            "status.phase", "status.podIP", "status.nominatedNodeName", NULL};

const struct rules pod_rules[] = {
    {.group = "", .kind = "Pod", .flags = RULES_GENERATION | RULES_STATUS, .defaults = pod_defaults, .prepare_create = pod_create_prepare,
     .prepare_update = pod_update_prepare, .prepare_status = pod_status_prepare, .validate = validate, .validate_create = validate_create,
     .validate_update = pod_update_validate, .validate_status = pod_status_validate, .warn = warn, .selectors = pod_selectors, .grace = grace},
    {.group = "", .kind = "PodTemplate", .flags = RULES_GENERATION, .defaults = template_defaults, .validate = validate_pod_template,
     .warn = warn_pod_template},
    {0},
};
