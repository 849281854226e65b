/* Containers of a pod: what all have, and what app, init and ephemeral containers may have. */
#include <stdio.h>
#include <string.h>

#include "practice/schema/pod_internal.h"

enum { RULES_MOST = 20, EXIT_CODES_MOST = 255 };

static const char *const pull_policies[] = {"Always", "IfNotPresent", "Never", NULL};

static void check_ports(const struct pod_check *check, const struct value *container, const struct place *place)
{
    const struct place ports_at = place_key(place, "ports");
    const struct value *ports = value_get(container, "ports");
    size_t i = 0;
    EACH (port, ports) {
        const struct place at = place_index(&ports_at, i++), name = place_key(&at, "name");
        const char *text = text_of(port, "name");
        if (*text != '\0' && name_problems(check->problems, &name, text, name_port(text)) && seen_before(ports, port, "name"))
            problem_string(check->problems, &name, PROBLEM_DUPLICATE, text);
        if (int_of(port, "containerPort", 0) == 0)
            problem_required(check->problems, &at, "containerPort", NULL);
        else
            check_port_number(check->problems, port, &at, "containerPort");
        if (int_of(port, "hostPort", 0) != 0)
            check_port_number(check->problems, port, &at, "hostPort");
        check_protocol(check->problems, port, &at, "protocol");
    }
}

static void check_resize(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const resources[] = {"cpu", "memory", NULL};
    static const char *const policies[] = {"NotRequired", "RestartContainer", NULL};
    const struct place at = place_key(place, "resizePolicy");
    const struct value *list = value_get(container, "resizePolicy");
    size_t i = 0;
    EACH (policy, list) {
        const struct place item = place_index(&at, i++);
        const char *resource = text_of(policy, "resourceName"), *restart = text_of(policy, "restartPolicy");
        if (seen_before(list, policy, "resourceName"))
            problem_string(check->problems, &item, PROBLEM_DUPLICATE, resource);
        if (*resource == '\0')
            problem_required(check->problems, &at, NULL, NULL);
        else if (!one_of(resource, resources))
            problem_unsupported(check->problems, &at, resource, resources);
        if (*restart == '\0')
            problem_required(check->problems, &at, NULL, NULL);
        else if (!one_of(restart, policies))
            problem_unsupported(check->problems, &at, restart, policies);
        if (text_is(check->spec, "restartPolicy", "Never") && strcmp(restart, "NotRequired") != 0)
            problem_invalid(check->problems, &at, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
}

static void check_common(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const message_policies[] = {"File", "FallbackToLogsOnError", NULL};
    const struct place resources = place_key(place, "resources");
    check_name(check->problems, container, place, "name", name_label, true);
    if (*text_of(container, "image") == '\0')
        problem_required(check->problems, place, "image", NULL);
    check_choice(check->problems, container, place, "terminationMessagePolicy", message_policies, true);
    check_ports(check, container, place);
    pod_check_environment(check, container, place);
    pod_check_mounts(check, container, place);
    check_choice(check->problems, container, place, "imagePullPolicy", pull_policies, true);
    check_resources(check->problems, value_get(container, "resources"), &resources, value_get(check->spec, "resourceClaims"), false);
    check_resize(check, container, place);
    pod_check_security(check, container, place);
}

static void check_rule(const struct pod_check *check, const struct value *rule, const struct place *place)
{
    static const char *const actions[] = {"Restart", "RestartAllContainers", NULL};
    static const char *const operators[] = {"In", "NotIn", NULL};
    const struct value *codes = value_get(rule, "exitCodes");
    const struct place action = place_key(place, "action"), codes_at = place_key(place, "exitCodes");
    const struct place operator_at = place_key(&codes_at, "operator"), values = place_key(&codes_at, "values");
    if (!one_of(text_of(rule, "action"), actions))
        problem_unsupported(check->problems, &action, text_of(rule, "action"), actions);
    if (codes == NULL) {
        problem_required(check->problems, &codes_at, NULL, "must be specified");
        return;
    }
    if (!one_of(text_of(codes, "operator"), operators))
        problem_unsupported(check->problems, &operator_at, text_of(codes, "operator"), operators);
    size_t count = value_length(value_get(codes, "values"));
    if (count > EXIT_CODES_MOST)
        problem_too_many(check->problems, &values, count, EXIT_CODES_MOST);
}

static void check_restart(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const policies[] = {"Always", "Never", "OnFailure", NULL};
    const struct value *rules = value_get(container, "restartPolicyRules");
    const struct place policy = place_key(place, "restartPolicy"), rules_at = place_key(place, "restartPolicyRules");
    if (!has(container, "restartPolicy")) {
        if (value_first(rules) == NULL)
            return;
        problem_required(check->problems, &policy, NULL, "must specify restartPolicy when restart rules are used");
    } else if (!one_of(text_of(container, "restartPolicy"), policies)) {
        problem_unsupported(check->problems, &policy, text_of(container, "restartPolicy"), policies);
    }
    if (value_length(rules) > RULES_MOST)
        problem_too_many(check->problems, &rules_at, value_length(rules), RULES_MOST);
    size_t i = 0;
    EACH (rule, rules) {
        const struct place at = place_index(&rules_at, i++);
        check_rule(check, rule, &at);
    }
}

/* Host ports must differ among the containers from `first` to `last`. */
static void check_host_ports(const struct pod_check *check, const struct value *first, size_t count, size_t index, const struct place *place)
{
    struct vec seen = vec_make(100000, NULL);
    for (const struct value *container = first; container != NULL && count > 0; container = value_next(container), count--, index++) {
        const struct place at = place_index(place, index), ports = place_key(&at, "ports");
        size_t i = 0;
        EACH (port, value_get(container, "ports")) {
            const struct place port_at = place_index(&ports, i++), host = place_key(&port_at, "hostPort");
            bool taken = false;
            if (int_of(port, "hostPort", 0) == 0)
                continue;
            for (size_t k = 0; k < seen.length; k++)
                taken = taken || (same_at(seen.items[k], port, "hostPort") && same_at(seen.items[k], port, "hostIP") &&
                                  same_at(seen.items[k], port, "protocol"));
            char text[128];
            snprintf(text, sizeof text, "%.16s/%.64s/%lld", text_of(port, "protocol"), text_of(port, "hostIP"), (long long)int_of(port, "hostPort", 0));
            if (taken)
                problem_string(check->problems, &host, PROBLEM_DUPLICATE, text);
            else if (!vec_push(&seen, (void *)(uintptr_t)port))
                check->problems->failed = true;
        }
    }
    vec_free(&seen);
}

static bool is_named(const struct value *containers, const char *name)
{
    EACH (container, containers)
        if (text_is(container, "name", name))
            return true;
    return false;
}

void pod_check_containers(const struct pod_check *check, const struct place *spec)
{
    const struct place place = place_key(spec, "containers");
    const struct value *containers = value_get(check->spec, "containers");
    if (value_first(containers) == NULL) {
        problem_required(check->problems, &place, NULL, NULL);
        return;
    }
    size_t i = 0;
    EACH (container, containers) {
        const struct place at = place_index(&place, i++), name = place_key(&at, "name");
        check_common(check, container, &at);
        if (seen_before(containers, container, "name"))
            problem_string(check->problems, &name, PROBLEM_DUPLICATE, text_of(container, "name"));
        pod_check_lifecycle(check, container, &at);
        pod_check_probes(check, container, &at);
        check_restart(check, container, &at);
    }
    check_host_ports(check, value_first(containers), SIZE_MAX, 0, &place);
}

/* What only those init containers may have that go on running. */
static void check_init_extras(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const extras[] = {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe", NULL};
    const struct place policies = place_key(place, "resizePolicy");
    if (text_is(container, "restartPolicy", "Always")) {
        pod_check_lifecycle(check, container, place);
        pod_check_probes(check, container, place);
        return;
    }
    for (size_t i = 0; extras[i] != NULL; i++)
        if (has(container, extras[i]))
            problem_forbidden(check->problems, place, extras[i], "may not be set for init containers without restartPolicy=Always");
    size_t i = 0;
    EACH (policy, value_get(container, "resizePolicy")) {
        const struct place at = place_index(&policies, i++), restart = place_key(&at, "restartPolicy");
        if (text_is(policy, "restartPolicy", "RestartContainer"))
            problem_invalid(check->problems, &restart, "RestartContainer", "must not be set to 'RestartContainer' for non-sidecar initContainers");
    }
}

void pod_check_init_containers(const struct pod_check *check, const struct place *spec)
{
    const struct place place = place_key(spec, "initContainers");
    const struct value *containers = value_get(check->spec, "initContainers"), *others = value_get(check->spec, "containers");
    size_t i = 0;
    EACH (container, containers) {
        const struct place at = place_index(&place, i++), name = place_key(&at, "name");
        const char *text = text_of(container, "name");
        check_common(check, container, &at);
        check_restart(check, container, &at);
        if (is_named(others, text) || (*text != '\0' && seen_before(containers, container, "name")))
            problem_string(check->problems, &name, PROBLEM_DUPLICATE, text);
        check_host_ports(check, container, 1, 0, &place);
        check_init_extras(check, container, &at);
    }
}

static void check_image_space(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char space[] = " \t\r\n\v\f";
    const char *image = text_of(container, "image");
    size_t length = strlen(image);
    const struct place at = place_key(place, "image");
    if (length > 0 && (strchr(space, image[0]) != NULL || strchr(space, image[length - 1]) != NULL))
        problem_invalid(check->problems, &at, image, "must not have leading or trailing whitespace");
}

void pod_check_ephemeral_containers(const struct pod_check *check, const struct place *spec)
{
    static const char *const forbidden[] = {"ports",         "resources",      "resizePolicy", "restartPolicy", "restartPolicyRules",
                                            "livenessProbe", "readinessProbe", "startupProbe", "lifecycle",     NULL};
    const struct place place = place_key(spec, "ephemeralContainers");
    const struct value *containers = value_get(check->spec, "ephemeralContainers");
    const struct value *apps = value_get(check->spec, "containers"), *inits = value_get(check->spec, "initContainers");
    size_t i = 0;
    EACH (container, containers) {
        const struct place at = place_index(&place, i++), name = place_key(&at, "name"), target = place_key(&at, "targetContainerName");
        const char *text = text_of(container, "name"), *target_name = text_of(container, "targetContainerName");
        check_common(check, container, &at);
        check_image_space(check, container, &at);
        if (is_named(apps, text) || is_named(inits, text) || seen_before(containers, container, "name"))
            problem_string(check->problems, &name, PROBLEM_DUPLICATE, text);
        if (*target_name != '\0' && !is_named(apps, target_name) && !is_named(inits, target_name))
            problem_string(check->problems, &target, PROBLEM_NOT_FOUND, target_name);
        for (size_t k = 0; forbidden[k] != NULL; k++)
            if (has(container, forbidden[k]) && (value_type(value_get(container, forbidden[k])) != VALUE_OBJECT ||
                                                 value_first(value_get(container, forbidden[k])) != NULL || k > 1))
                problem_forbidden(check->problems, &at, forbidden[k], "cannot be set for an Ephemeral Container");
        const struct place mounts = place_key(&at, "volumeMounts");
        size_t m = 0;
        EACH (mount, value_get(container, "volumeMounts")) {
            const struct place mount_at = place_index(&mounts, m++);
            if (*text_of(mount, "subPath") != '\0')
                problem_forbidden(check->problems, &mount_at, "subPath", "cannot be set for an Ephemeral Container");
            if (*text_of(mount, "subPathExpr") != '\0')
                problem_forbidden(check->problems, &mount_at, "subPathExpr", "cannot be set for an Ephemeral Container");
        }
    }
}
