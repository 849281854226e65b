/* Ingresses and their classes, NetworkPolicies (pkg/apis/networking/validation, v1/defaults.go). */
#include <stdio.h>
#include <string.h>

#include "practice/schema/addresses.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"};

#define CLASS_ANNOTATION "kubernetes.io/ingress.class"

enum { CONTROLLER_MOST = 250 };

/* Ingress */
static void check_reference(const struct value *reference, const struct place *place, struct problems *problems)
{
    if (has(reference, "apiGroup"))
        name_problems_of(problems, place, "apiGroup", text_of(reference, "apiGroup"), name_subdomain);
    check_name(problems, reference, place, "kind", name_path_segment, true);
    check_name(problems, reference, place, "name", name_path_segment, true);
}

static void check_service_backend(const struct value *service, const struct place *backend, struct problems *problems)
{
    const struct value *port = value_get(service, "port");
    const struct place place = place_key(backend, "service"), port_at = place_key(&place, "port");
    bool named = *text_of(port, "name") != '\0', numbered = int_of(port, "number", 0) != 0;
    check_name(problems, service, &place, "name", name_label, true);
    if (named && numbered)
        problem_invalid(problems, backend, "", "cannot set both port name & port number");
    else if (named)
        name_problems_of(problems, &port_at, "name", text_of(port, "name"), name_port);
    else if (numbered)
        check_port_number(problems, port, &port_at, "number");
    else
        problem_required(problems, backend, NULL, "port name or number is required");
}

static void check_backend(const struct value *backend, const struct place *place, struct problems *problems)
{
    const struct place resource = place_key(place, "resource");
    if (has(backend, "resource") && has(backend, "service"))
        problem_invalid(problems, place, "", "cannot set both resource and service backends");
    else if (has(backend, "resource"))
        check_reference(value_get(backend, "resource"), &resource, problems);
    else if (has(backend, "service"))
        check_service_backend(value_get(backend, "service"), place, problems);
    else
        problem_invalid(problems, place, "", "resource or service backend is required");
}

static void check_exact_path(const char *path, const struct place *place, struct problems *problems)
{
    static const char *const sequences[] = {"//", "/./", "/../", "%2f", "%2F", NULL}, *const endings[] = {"/..", "/.", NULL};
    if (path[0] != '/')
        problem_invalid(problems, place, path, "must be an absolute path");
    for (size_t i = 0; sequences[i] != NULL; i++)
        if (strstr(path, sequences[i]) != NULL)
            problem_invalid(problems, place, path, "must not contain '%s'", sequences[i]);
    for (size_t i = 0; endings[i] != NULL; i++)
        if (ends_with(path, endings[i]))
            problem_invalid(problems, place, path, "cannot end with '%s'", endings[i]);
}

static void check_path(const struct value *path, const struct place *place, struct problems *problems)
{
    static const char *const path_types[] = {"Exact", "ImplementationSpecific", "Prefix", NULL};
    const struct place at = place_key(place, "path"), type_at = place_key(place, "pathType"), backend = place_key(place, "backend");
    const char *type = text_of(path, "pathType"), *text = text_of(path, "path");
    if (!has(path, "pathType")) {
        problem_required(problems, &type_at, NULL, "pathType must be specified");
        return;
    }
    if (strcmp(type, "Exact") == 0 || strcmp(type, "Prefix") == 0)
        check_exact_path(text, &at, problems);
    else if (!one_of(type, path_types))
        problem_unsupported(problems, &type_at, type, path_types);
    else if (*text != '\0' && *text != '/')
        problem_invalid(problems, &at, text, "must be an absolute path");
    check_backend(value_get(path, "backend"), &backend, problems);
}

static void check_host(const char *host, const struct place *place, bool rule, struct problems *problems)
{
    struct address address;
    if (rule && address_read(host, &address))
        problem_invalid(problems, place, host, "must be a DNS name, not an IP address");
    name_problems(problems, place, host, strchr(host, '*') != NULL ? name_wildcard(host) : name_subdomain(host));
}

static void check_rules(const struct value *rules, struct problems *problems)
{
    const struct place all = place_key(&spec_place, "rules");
    size_t i = 0;
    EACH (rule, rules) {
        const struct place at = place_index(&all, i++), host = place_key(&at, "host"), http = place_key(&at, "http"), paths = place_key(&http, "paths");
        const struct value *list = value_find(rule, "http", "paths", NULL);
        size_t p = 0;
        if (*text_of(rule, "host") != '\0')
            check_host(text_of(rule, "host"), &host, true, problems);
        if (has(rule, "http") && value_first(list) == NULL)
            problem_required(problems, &paths, NULL, NULL);
        EACH (path, list) {
            const struct place path_at = place_index(&paths, p++);
            check_path(path, &path_at, problems);
        }
    }
}

static void validate_ingress(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    const struct place backend = place_key(&spec_place, "defaultBackend"), tls_all = place_key(&spec_place, "tls");
    size_t i = 0;
    if (value_first(value_get(spec, "rules")) == NULL && !has(spec, "defaultBackend"))
        problem_text(problems, &spec_place, PROBLEM_INVALID, has(spec, "rules") ? "[]" : "null",
                     "either `defaultBackend` or `rules` must be specified");
    if (has(spec, "defaultBackend"))
        check_backend(value_get(spec, "defaultBackend"), &backend, problems);
    check_rules(value_get(spec, "rules"), problems);
    EACH (tls, value_get(spec, "tls")) {
        const struct place at = place_index(&tls_all, i++), hosts = place_key(&at, "hosts");
        size_t h = 0;
        EACH (host, value_get(tls, "hosts")) {
            const struct place host_at = place_index(&hosts, h++);
            check_host(value_text(host), &host_at, false, problems);
        }
        check_name(problems, tls, &at, "secretName", name_subdomain, false);
    }
    if (has(spec, "ingressClassName"))
        name_problems_of(problems, &spec_place, "ingressClassName", text_of(spec, "ingressClassName"), name_subdomain);
}

static void ingress_create(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    const struct place annotations = place_key(NULL, "annotations"), at = place_key(&annotations, CLASS_ANNOTATION);
    const char *annotation = annotation_of(object, CLASS_ANNOTATION);
    if (annotation != NULL && has(spec, "ingressClassName") && strcmp(annotation, text_of(spec, "ingressClassName")) != 0)
        problem_invalid(problems, &at, annotation, "must match `ingressClassName` when both are specified");
}

static void ingress_status(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place status = place_key(NULL, "status"), balancer = place_key(&status, "loadBalancer"), all = place_key(&balancer, "ingress");
    size_t i = 0;
    (void)old;
    EACH (ingress, value_find(object, "status", "loadBalancer", "ingress", NULL)) {
        const struct place at = place_index(&all, i++), ip = place_key(&at, "ip"), host = place_key(&at, "hostname");
        const char *name = text_of(ingress, "hostname");
        struct address address;
        if (*text_of(ingress, "ip") != '\0')
            address_problems(problems, &ip, text_of(ingress, "ip"), NULL);
        if (*name == '\0')
            continue;
        name_problems(problems, &host, name, name_subdomain(name));
        if (address_read(name, &address))
            problem_invalid(problems, &host, name, "must be a DNS name, not an IP address");
    }
}

static void warn_ingress(const struct value *object, const struct value *old, struct vec *warnings)
{
    if (old == NULL && annotation_of(object, CLASS_ANNOTATION) != NULL && !has(value_get(object, "spec"), "ingressClassName") &&
        !vec_push_string(warnings, "annotation \"" CLASS_ANNOTATION "\" is deprecated, please use 'spec.ingressClassName' instead"))
        vec_clear(warnings);
}

/* IngressClass */
static bool class_defaults(struct value *object)
{
    struct value *parameters = value_find(object, "spec", "parameters", NULL);
    return parameters == NULL || default_text(parameters, "scope", "Cluster");
}

static void check_controller(const struct value *spec, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "controller");
    const char *controller = text_of(spec, "controller"), *slash = strchr(controller, '/');
    char host[NAME_SUBDOMAIN + 2];
    if (strlen(controller) > CONTROLLER_MOST)
        problem_too_long(problems, &at, CONTROLLER_MOST);
    if (*controller == '\0') {
        problem_required(problems, &at, NULL, NULL);
    } else if (slash == NULL || slash == controller || slash[1] == '\0') {
        problem_invalid(problems, &at, controller, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else {
        snprintf(host, sizeof host, "%.*s", (int)(slash - controller < NAME_SUBDOMAIN ? slash - controller : NAME_SUBDOMAIN), controller);
        name_problems(problems, &at, host, name_subdomain(host));
        if (slash[1 + strspn(slash + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-._~%!$&'()*+,;=:")] != '\0')
            problem_invalid(problems, &at, slash + 1, "Invalid path (regex used for validation is '%s')", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");
    }
}

static void validate_class(const struct value *object, struct problems *problems)
{
    static const char *const scopes[] = {"Cluster", "Namespace", NULL}, *const named[] = {"kind", "name", NULL};
    const struct value *spec = value_get(object, "spec"), *parameters = value_get(spec, "parameters");
    const struct place at = place_key(&spec_place, "parameters"), scope_at = place_key(&at, "scope"), space = place_key(&at, "namespace");
    const char *scope = text_of(parameters, "scope");
    check_controller(spec, problems);
    if (parameters == NULL)
        return;
    if (has(parameters, "apiGroup"))
        name_problems_of(problems, &at, "apiGroup", text_of(parameters, "apiGroup"), name_subdomain);
    check_name(problems, parameters, &at, "kind", name_path_segment, false);
    check_name(problems, parameters, &at, "name", name_path_segment, false);
    if (!one_of(scope, scopes))
        problem_unsupported(problems, &scope_at, scope, scopes);
    else if (strcmp(scope, "Cluster") == 0 && has(parameters, "namespace"))
        problem_forbidden(problems, &space, NULL, "`parameters.scope` is set to 'Cluster'");
    else if (strcmp(scope, "Namespace") == 0 && !has(parameters, "namespace"))
        problem_required(problems, &space, NULL, "`parameters.scope` is set to 'Namespace'");
    else if (strcmp(scope, "Namespace") == 0)
        name_problems_of(problems, &at, "namespace", text_of(parameters, "namespace"), name_label);
    for (size_t i = 0; named[i] != NULL; i++)
        if (*text_of(parameters, named[i]) == '\0')
            problem_required(problems, &at, named[i], NULL);
}

static void class_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_immutable(problems, value_get(object, "spec"), value_get(old, "spec"), &spec_place, "controller");
}

/* NetworkPolicy */
static bool policy_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    static const char *const directions[] = {"ingress", "egress", NULL};
    for (size_t i = 0; spec != NULL && directions[i] != NULL; i++)
        EACH_OF (rule, value_get(spec, directions[i]))
            EACH_OF (port, value_get(rule, "ports"))
                if (!default_text(port, "protocol", "TCP"))
                    return false;
    if (spec == NULL || value_first(value_get(spec, "policyTypes")) != NULL)
        return spec != NULL;
    return value_set(spec, "policyTypes", value_array()) && value_append(value_get(spec, "policyTypes"), value_string("Ingress")) &&
           (value_first(value_get(spec, "egress")) == NULL || value_append(value_get(spec, "policyTypes"), value_string("Egress")));
}

static void check_policy_port(const struct value *port, const struct place *place, struct problems *problems)
{
    static const char *const protocols[] = {"TCP", "UDP", "SCTP", NULL};
    const struct place end_at = place_key(place, "endPort");
    int64_t end = int_of(port, "endPort", 0);
    bool named = value_text(value_get(port, "port")) != NULL, ends = has(port, "endPort");
    check_choice(problems, port, place, "protocol", protocols, false);
    if (!has(port, "port")) {
        if (ends)
            problem_number(problems, &end_at, end, "may not be specified when `port` is not specified");
        return;
    }
    if (!named)
        check_port_number(problems, port, place, "port");
    if (ends && named)
        problem_number(problems, &end_at, end, "may not be specified when `port` is non-numeric");
    else if (ends && end < int_of(port, "port", 0))
        problem_number(problems, &end_at, end, "must be greater than or equal to `port`");
    if (ends && !named)
        check_port_number(problems, port, place, "endPort");
    if (named)
        check_port(problems, port, place, "port");
}

/* A block without a CIDR is told last, by the server's newer rules. */
static void check_block(const struct value *block, const struct place *place, struct problems *problems)
{
    const struct place at = place_key(place, "cidr"), all = place_key(place, "except");
    const char *text = text_of(block, "cidr");
    struct cidr cidr, inner;
    size_t i = 0;
    if (*text == '\0')
        return;
    cidr_problems(problems, &at, text, NULL);
    if (!cidr_read(text, &cidr))
        return;
    EACH (item, value_get(block, "except")) {
        const struct place item_at = place_index(&all, i++);
        cidr_problems(problems, &item_at, value_text(item), NULL);
        if (cidr_read(value_text(item), &inner) && (!cidr_contains(&cidr, &inner.address) || cidr.bits >= inner.bits))
            problem_invalid(problems, &item_at, value_text(item), "must be a strict subset of `cidr`");
    }
}

static void check_peer(const struct value *peer, const struct place *place, struct problems *problems)
{
    const struct place pods = place_key(place, "podSelector"), spaces = place_key(place, "namespaceSelector"), block = place_key(place, "ipBlock");
    bool selects = has(peer, "podSelector") || has(peer, "namespaceSelector");
    check_selector(problems, value_get(peer, "podSelector"), &pods);
    check_selector(problems, value_get(peer, "namespaceSelector"), &spaces);
    if (has(peer, "ipBlock"))
        check_block(value_get(peer, "ipBlock"), &block, problems);
    if (!selects && !has(peer, "ipBlock"))
        problem_required(problems, place, NULL, "must specify a peer");
    else if (selects && has(peer, "ipBlock"))
        problem_forbidden(problems, place, NULL, "may not specify both ipBlock and another peer");
}

typedef void peer_visit(const struct value *peer, const struct place *place, void *context);

/* Visits all peers of a policy; ports are checked on the way where problems are wanted. */
static void each_peer(const struct value *spec, struct problems *problems, peer_visit *visit, void *context)
{
    static const char *const directions[][2] = {{"ingress", "from"}, {"egress", "to"}};
    for (size_t d = 0; d < 2; d++) {
        const struct place all = place_key(&spec_place, directions[d][0]);
        size_t i = 0;
        EACH (rule, value_get(spec, directions[d][0])) {
            const struct place at = place_index(&all, i++), ports = place_key(&at, "ports"), peers = place_key(&at, directions[d][1]);
            size_t p = 0;
            EACH (port, problems != NULL ? value_get(rule, "ports") : NULL) {
                const struct place port_at = place_index(&ports, p++);
                check_policy_port(port, &port_at, problems);
            }
            p = 0;
            EACH (peer, value_get(rule, directions[d][1])) {
                const struct place peer_at = place_index(&peers, p++);
                visit(peer, &peer_at, context);
            }
        }
    }
}

static void visit_check(const struct value *peer, const struct place *place, void *context)
{
    check_peer(peer, place, context);
}

static void visit_missing_cidr(const struct value *peer, const struct place *place, void *context)
{
    const struct place block = place_key(place, "ipBlock");
    if (has(peer, "ipBlock") && *text_of(value_get(peer, "ipBlock"), "cidr") == '\0')
        problem_required(context, &block, "cidr", NULL);
}

static void visit_warn(const struct value *peer, const struct place *place, void *context)
{
    const struct value *block = value_get(peer, "ipBlock");
    const struct place at = place_key(place, "ipBlock"), cidr = place_key(&at, "cidr"), all = place_key(&at, "except");
    size_t i = 0;
    if (block == NULL)
        return;
    cidr_warn(context, &cidr, text_of(block, "cidr"));
    EACH (item, value_get(block, "except")) {
        const struct place item_at = place_index(&all, i++);
        cidr_warn(context, &item_at, value_text(item));
    }
}

static void validate_policy(const struct value *object, struct problems *problems)
{
    static const char *const policy_types[] = {"Ingress", "Egress", NULL};
    const struct value *spec = value_get(object, "spec"), *list = value_get(spec, "policyTypes");
    const struct place selector = place_key(&spec_place, "podSelector"), all = place_key(&spec_place, "policyTypes");
    size_t i = 0;
    check_selector(problems, value_get(spec, "podSelector"), &selector);
    each_peer(spec, problems, visit_check, problems);
    if (value_length(list) > 2)
        problem_add(problems, &all, PROBLEM_INVALID, list, "may not specify more than two policyTypes");
    EACH (type, value_length(list) > 2 ? NULL : list) {
        const struct place at = place_index(&all, i++);
        if (!one_of(value_text(type), policy_types))
            problem_unsupported(problems, &at, value_text(type), policy_types);
    }
    each_peer(spec, NULL, visit_missing_cidr, problems);
}

static void warn_policy(const struct value *object, const struct value *old, struct vec *warnings)
{
    (void)old;
    each_peer(value_get(object, "spec"), NULL, visit_warn, warnings);
}

const struct rules networking_rules[] = {
    {.group = "networking.k8s.io",
     .kind = "Ingress",
     .flags = RULES_GENERATION | RULES_STATUS,
     .validate = validate_ingress,
     .validate_create = ingress_create,
     .validate_status = ingress_status,
     .warn = warn_ingress},
    {.group = "networking.k8s.io",
     .kind = "IngressClass",
     .flags = RULES_GENERATION,
     .defaults = class_defaults,
     .validate = validate_class,
     .validate_update = class_update},
    {.group = "networking.k8s.io",
     .kind = "NetworkPolicy",
     .flags = RULES_GENERATION,
     .defaults = policy_defaults,
     .validate = validate_policy,
     .warn = warn_policy},
    {0},
};
