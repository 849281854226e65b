/* Warnings about pods and their templates (pkg/api/pod/warnings.go), in the server's order. */
#include <stdio.h>
#include <string.h>

#include "practice/schema/addresses.h"
#include "practice/schema/pod_internal.h"

static const char *const container_lists[] = {"initContainers", "containers", "ephemeralContainers", NULL};

static const char *const deprecated_labels[][2] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region", "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

void check_label_warn(struct vec *warnings, const char *label, const struct place *place, bool named)
{
    for (size_t i = 0; i < sizeof deprecated_labels / sizeof deprecated_labels[0]; i++) {
        if (strcmp(label, deprecated_labels[i][0]) != 0)
            continue;
        if (named)
            warning_at(warnings, place, "%s is %s", label, deprecated_labels[i][1]);
        else
            warning_at(warnings, place, "%s", deprecated_labels[i][1]);
    }
}

void warn_node_selector_term(struct vec *warnings, const struct value *term, bool values, const struct place *place)
{
    const struct place all = place_key(place, "matchExpressions");
    size_t i = 0;
    EACH (requirement, value_get(term, "matchExpressions")) {
        const struct place at = place_index(&all, i++), key = place_key(&at, "key"), values_at = place_key(&at, "values");
        size_t v = 0;
        check_label_warn(warnings, text_of(requirement, "key"), &key, true);
        EACH (item, values ? value_get(requirement, "values") : NULL) {
            const struct place value_at = place_index(&values_at, v++);
            struct complaints found = name_label_value(value_text(item));
            for (size_t c = 0; c < found.count; c++)
                warning_at(warnings, &value_at, "%s is invalid, %s", value_text(item), found.text[c]);
        }
    }
}

static void warn_node_labels(const struct value *spec, const struct place *place, struct vec *warnings)
{
    const struct value *node = value_find(spec, "affinity", "nodeAffinity", NULL);
    const struct place selector = place_key(place, "nodeSelector"), affinity = place_key(place, "affinity"),
                       node_at = place_key(&affinity, "nodeAffinity");
    const struct place required = place_key(&node_at, "requiredDuringSchedulingIgnoredDuringExecution"),
                       terms = place_key(&required, "nodeSelectorTerms");
    const struct place preferred = place_key(&node_at, "preferredDuringSchedulingIgnoredDuringExecution");
    size_t i = 0;
    EACH (label, value_get(spec, "nodeSelector")) {
        const struct place at = place_map(&selector, value_key(label));
        check_label_warn(warnings, value_key(label), &at, false);
    }
    EACH (term, value_find(node, required.key, "nodeSelectorTerms", NULL)) {
        const struct place at = place_index(&terms, i++);
        warn_node_selector_term(warnings, term, false, &at);
    }
    i = 0;
    EACH (term, value_get(node, preferred.key)) {
        const struct place at = place_index(&preferred, i++), preference = place_key(&at, "preference");
        warn_node_selector_term(warnings, value_get(term, "preference"), true, &preference);
    }
}

static void warn_spread(const struct value *spec, const struct place *place, struct vec *warnings)
{
    const struct place all = place_key(place, "topologySpreadConstraints");
    size_t i = 0;
    EACH (constraint, value_get(spec, "topologySpreadConstraints")) {
        const struct place at = place_index(&all, i++), key = place_key(&at, "topologyKey"), selector = place_key(&at, "labelSelector");
        check_label_warn(warnings, text_of(constraint, "topologyKey"), &key, true);
        if (!has(constraint, "labelSelector"))
            warning_at(warnings, &selector, "a null labelSelector results in matching no pod");
    }
}

static void warn_annotations(const struct value *metadata, const struct place *up, struct vec *warnings)
{
    static const char *const deprecated[][2] = {
        {"scheduler.alpha.kubernetes.io/critical-pod", "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
        {"security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
        {"security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
    };
    const struct place meta = place_key(up, "metadata"), annotations = place_key(&meta, "annotations");
    for (size_t i = 0; i < 3; i++) {
        const struct place at = place_map(&annotations, deprecated[i][0]);
        if (has(value_get(metadata, "annotations"), deprecated[i][0]))
            warning_at(warnings, &at, "%s", deprecated[i][1]);
    }
}

static void warn_volumes(const struct value *spec, const struct place *place, struct vec *warnings)
{
    static const char *const deprecated[][3] = {
        {"photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
        {"gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
        {"scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
        {"flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"},
        {"storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
        {"quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"},
        {"glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
        {"cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
        {"rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"},
    };
    const struct place all = place_key(place, "volumes");
    size_t i = 0;
    EACH (volume, value_get(spec, "volumes")) {
        const struct place at = place_index(&all, i++), ephemeral = place_key(&at, "ephemeral"),
                           template = place_key(&ephemeral, "volumeClaimTemplate");
        const struct place claim = place_key(&template, "spec");
        for (size_t d = 0; d < sizeof deprecated / sizeof deprecated[0]; d++) {
            const struct place source = place_key(&at, deprecated[d][1]);
            if (has(volume, deprecated[d][0]))
                warning_at(warnings, &source, "%s", deprecated[d][2]);
        }
        claim_warn_spec(value_find(volume, "ephemeral", "volumeClaimTemplate", "spec", NULL), &claim, warnings);
    }
}

/* Files of one volume that stand in each other's way. */
static bool overlap(const char *a, const char *b)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    while (length_a > 0 && a[length_a - 1] == '/')
        length_a--;
    while (length_b > 0 && b[length_b - 1] == '/')
        length_b--;
    size_t shorter = length_a < length_b ? length_a : length_b;
    if (shorter == 0 || strncmp(a, b, shorter) != 0)
        return false;
    return length_a == length_b || (length_a > length_b ? a : b)[shorter] == '/';
}

/* Where a file of a volume comes from: `ConfigMap "c"`. */
struct told {
    const char *kind, *name;
};

enum { FILES_COMPARED = 512 };

static void print_told(const struct told *told, struct buf *out)
{
    buf_printf(out, told->name != NULL ? "(%s \"%s\")" : "(%s)", told->kind, told->name);
}

static void push_text(struct buf *text, struct vec *warnings)
{
    bool kept = buf_ok(text) && !vec_has_string(warnings, text->bytes) && vec_push_string(warnings, text->bytes);
    (void)kept; /* a warning that finds no memory is left out */
    buf_free(text);
}

static void warn_items(const char *volume, const struct told *told, const struct value *items, struct vec *warnings)
{
    EACH (item, items) {
        for (const struct value *other = value_first(items); other != item; other = value_next(other)) {
            struct buf text = buf_make(4096);
            if (!overlap(text_of(item, "path"), text_of(other, "path")))
                continue;
            buf_printf(&text, "volume \"%s\" ", volume);
            print_told(told, &text);
            buf_printf(&text, ": overlapping paths: \"%s\" with \"%s\"", text_of(item, "path"), text_of(other, "path"));
            push_text(&text, warnings);
        }
    }
}

/* The files of a projected volume's source. */
static size_t collect(const struct value *source, const char *paths[static FILES_COMPARED], struct told told[static FILES_COMPARED], size_t count)
{
    static const char *const single[] = {"serviceAccountToken", "clusterTrustBundle", NULL}, *const names[] = {"ServiceAccountToken",
                                                                                                               "ClusterTrustBundle"};
    static const char *const kinds[] = {"secret", "configMap", "downwardAPI", NULL}, *const shown[] = {"Secret", "ConfigMap", "DownwardAPI"};
    static const char *const certificates[][2] = {{"certificateChainPath", "PodCertificate chain"}, {"keyPath", "PodCertificate key"},
                                                  {"credentialBundlePath", "PodCertificate credential bundle"}, {NULL, NULL}};
    for (size_t k = 0; kinds[k] != NULL; k++)
        EACH (item, value_find(source, kinds[k], "items", NULL))
            if (count < FILES_COMPARED) {
                paths[count] = text_of(item, "path");
                told[count++] = (struct told){shown[k], k == 2 ? NULL : text_of(value_get(source, kinds[k]), "name")};
            }
    for (size_t k = 0; single[k] != NULL; k++)
        if (has(source, single[k]) && count < FILES_COMPARED) {
            paths[count] = text_of(value_get(source, single[k]), "path");
            told[count++] = (struct told){
                names[k], k == 1 ? text_of(value_get(source, single[k]), has(value_get(source, single[k]), "name") ? "name" : "signerName") : NULL};
        }
    for (size_t k = 0; certificates[k][0] != NULL; k++) {
        const char *path = text_of(value_get(source, "podCertificate"), certificates[k][0]);
        if (*path != '\0' && count < FILES_COMPARED) {
            paths[count] = path;
            told[count++] = (struct told){certificates[k][1], NULL};
        }
    }
    return count;
}

static void warn_projected(const char *volume, const struct value *projected, struct vec *warnings)
{
    const char *paths[FILES_COMPARED];
    struct told told[FILES_COMPARED];
    size_t count = 0;
    EACH (source, value_get(projected, "sources")) {
        size_t before = count;
        struct buf text = buf_make(4096);
        if (value_first(source) == NULL) {
            buf_printf(&text, "volume \"%s\" (Projected) has no sources provided", volume);
            push_text(&text, warnings);
            continue;
        }
        count = collect(source, paths, told, count);
        for (size_t i = before; i < count; i++)
            for (size_t k = 0; k < i; k++) {
                if (!overlap(paths[i], paths[k]))
                    continue;
                buf_printf(&text, "volume \"%s\" (Projected): overlapping paths: \"%s\" ", volume, paths[i]);
                print_told(&told[i], &text);
                buf_printf(&text, " with \"%s\" ", paths[k]);
                print_told(&told[k], &text);
                push_text(&text, warnings);
            }
        buf_free(&text);
    }
}

static void warn_paths(const struct value *spec, struct vec *warnings)
{
    static const char *const kinds[] = {"configMap", "secret", "downwardAPI", NULL}, *const shown[] = {"ConfigMap", "Secret", "DownwardAPI"};
    EACH (volume, value_get(spec, "volumes")) {
        for (size_t k = 0; kinds[k] != NULL; k++) {
            const struct value *source = value_get(volume, kinds[k]);
            const struct told told = {shown[k], k == 2 ? NULL : text_of(source, k == 1 ? "secretName" : "name")};
            warn_items(text_of(volume, "name"), &told, value_get(source, "items"), warnings);
        }
        warn_projected(text_of(volume, "name"), value_get(volume, "projected"), warnings);
    }
}

static void warn_repeated(const struct value *list, const char *key, const char *what, const struct place *place, struct vec *warnings)
{
    size_t i = 0;
    EACH (item, list) {
        const struct place at = place_index(place, i++), key_at = place_key(&at, key);
        if (seen_before(list, item, key))
            warning_at(warnings, &key_at, "duplicate %s \"%s\"", what, text_of(item, key));
    }
}

/* A variable that has an earlier one of its name in its text adds to it. */
static bool extends(const struct value *variable, const char *name)
{
    struct buf reference = buf_make(4096);
    const char *text = text_of(variable, "value");
    buf_printf(&reference, "$(%s)", name);
    bool found = buf_ok(&reference) && !has(variable, "valueFrom") && strcmp(text, reference.bytes) != 0 && strstr(text, reference.bytes) != NULL;
    buf_free(&reference);
    return found;
}

static void warn_environment(const struct value *container, const struct place *place, struct vec *warnings)
{
    const struct value *env = value_get(container, "env");
    const struct place all = place_key(place, "env");
    size_t i = 0;
    EACH (variable, env) {
        const struct place at = place_index(&all, i++);
        const char *name = text_of(variable, "name");
        if (seen_before(env, variable, "name") && !extends(variable, name))
            warning_at(warnings, &at, "hides previous definition of \"%s\", which may be dropped when using apply", name);
    }
}

static void warn_container(const struct value *metadata, const struct value *spec, const struct value *container, const struct place *at,
                           const struct place *up, bool is_template, struct vec *warnings)
{
    const struct value *annotations = value_get(metadata, "annotations"), *resources = value_get(container, "resources");
    const struct place meta = place_key(up, "metadata"), annotations_at = place_key(&meta, "annotations");
    const struct place resources_at = place_key(at, "resources"), limits = place_key(&resources_at, "limits"),
                       requests = place_key(&resources_at, "requests");
    char seccomp[512], apparmor[512];
    snprintf(seccomp, sizeof seccomp, "container.seccomp.security.alpha.kubernetes.io/%.300s", text_of(container, "name"));
    snprintf(apparmor, sizeof apparmor, "container.apparmor.security.beta.kubernetes.io/%.300s", text_of(container, "name"));
    const struct place seccomp_at = place_map(&annotations_at, seccomp), apparmor_at = place_map(&annotations_at, apparmor);
    if (value_find(container, "securityContext", "seccompProfile", NULL) == NULL && has(annotations, seccomp))
        warning_at(warnings, &seccomp_at, "non-functional in v1.27+; use the \"seccompProfile\" field instead");
    /* A Pod's annotation was made the field (pod_create_prepare); a template's was not. */
    bool has_field = value_find(container, "securityContext", "appArmorProfile", NULL) != NULL,
         pod_field = value_find(spec, "securityContext", "appArmorProfile", NULL) != NULL;
    if (has(annotations, apparmor) && (is_template ? !has_field && !pod_field : has_field || !pod_field))
        warning_at(warnings, &apparmor_at, "deprecated since v1.30; use the \"appArmorProfile\" field instead");
    warn_fraction(warnings, value_get(resources, "limits"), &limits, "memory");
    warn_fraction(warnings, value_get(resources, "requests"), &requests, "memory");
    warn_fraction(warnings, value_get(resources, "limits"), &limits, "ephemeral-storage");
    warn_fraction(warnings, value_get(resources, "requests"), &requests, "ephemeral-storage");
    warn_environment(container, at, warnings);
}

/* A port and where it stands, for comparison with later ones. */
struct stood {
    const struct value *port;
    const char *list;
    size_t container, index;
};

enum { PORTS_COMPARED = 256 };

static void print_where(const struct place *spec, const struct stood *stood, char out[static 256])
{
    struct buf text = buf_make(255);
    const struct place all = place_key(spec, stood->list), container = place_index(&all, stood->container), ports = place_key(&container, "ports");
    const struct place place = place_index(&ports, stood->index);
    place_print(&place, &text);
    snprintf(out, 256, "%s", text.bytes != NULL ? text.bytes : "");
    buf_free(&text);
}

static const char *port_conflict(const struct value *a, const struct value *b)
{
    int64_t host_a = int_of(a, "hostPort", 0), host_b = int_of(b, "hostPort", 0);
    const char *ip_a = text_of(a, "hostIP"), *ip_b = text_of(b, "hostIP");
    if (!same_at(a, b, "containerPort") || !same_at(a, b, "protocol"))
        return NULL;
    if (strcmp(ip_a, ip_b) == 0 && host_a == host_b)
        return "duplicate port definition";
    if (host_a == 0 || host_b == 0)
        return "overlapping port definition";
    if (host_a == host_b && (*ip_a == '\0') != (*ip_b == '\0'))
        return "dangerously ambiguous port definition";
    return NULL;
}

static void warn_ports(const struct value *spec, const struct place *place, struct vec *warnings)
{
    struct stood stood[PORTS_COMPARED];
    size_t count = 0;
    for (int names = 0; names < 2; names++, count = 0) {
        for (size_t k = 0; container_lists[k] != NULL; k++) {
            const struct place all = place_key(place, container_lists[k]);
            size_t i = 0;
            EACH (container, value_get(spec, container_lists[k])) {
                const struct place at = place_index(&all, i++), ports = place_key(&at, "ports");
                size_t p = 0;
                EACH (port, value_get(container, "ports")) {
                    const struct place port_at = place_index(&ports, p);
                    const struct stood here = {port, container_lists[k], i - 1, p++};
                    char where[256];
                    bool found = false;
                    if (!names && *text_of(port, "hostIP") != '\0' && int_of(port, "hostPort", 0) == 0)
                        warning_at(warnings, &port_at, "hostIP set without hostPort: {Name:%s HostPort:0 ContainerPort:%lld Protocol:%s HostIP:%s}",
                                   text_of(port, "name"), (long long)int_of(port, "containerPort", 0), text_of(port, "protocol"),
                                   text_of(port, "hostIP"));
                    for (size_t s = 0; s < count && !found; s++) {
                        const char *conflict = names ? NULL : port_conflict(port, stood[s].port);
                        found = names && *text_of(port, "name") != '\0' && same_at(port, stood[s].port, "name");
                        if (conflict != NULL || found)
                            print_where(place, &stood[s], where);
                        if (conflict != NULL)
                            warning_at(warnings, &port_at, "%s with %s", conflict, where);
                        if (found)
                            warning_at(warnings, &port_at,
                                       "duplicate port name \"%s\" with %s, services and probes that select ports by name will use %s",
                                       text_of(port, "name"), where, where);
                    }
                    if (!found && count < PORTS_COMPARED)
                        stood[count++] = here;
                }
            }
        }
    }
}

static void warn_affinity(const struct value *spec, const struct place *place, struct vec *warnings)
{
    static const char *const kinds[] = {"podAffinity", "podAntiAffinity", NULL};
    const struct place affinity = place_key(place, "affinity");
    for (size_t k = 0; kinds[k] != NULL; k++) {
        const struct value *terms = value_find(spec, "affinity", kinds[k], NULL);
        const struct place kind = place_key(&affinity, kinds[k]), required = place_key(&kind, "requiredDuringSchedulingIgnoredDuringExecution");
        const struct place preferred = place_key(&kind, "preferredDuringSchedulingIgnoredDuringExecution");
        size_t i = 0;
        EACH (term, value_get(terms, required.key)) {
            const struct place at = place_index(&required, i++), selector = place_key(&at, "labelSelector");
            if (!has(term, "labelSelector"))
                warning_at(warnings, &selector, "a null labelSelector results in matching no pod");
        }
        i = 0;
        EACH (term, value_get(terms, preferred.key)) {
            const struct place at = place_index(&preferred, i++), inner = place_key(&at, "podAffinityTerm"),
                               selector = place_key(&inner, "labelSelector");
            if (!has(value_get(term, "podAffinityTerm"), "labelSelector"))
                warning_at(warnings, &selector, "a null labelSelector results in matching no pod");
        }
    }
}

static void warn_addresses(const struct value *spec, const struct place *place, struct vec *warnings)
{
    const struct place dns = place_key(place, "dnsConfig"), servers = place_key(&dns, "nameservers"), aliases = place_key(place, "hostAliases");
    size_t i = 0;
    EACH (server, value_find(spec, "dnsConfig", "nameservers", NULL)) {
        const struct place at = place_index(&servers, i++);
        address_warn(warnings, &at, value_text(server));
    }
    i = 0;
    EACH (alias, value_get(spec, "hostAliases")) {
        const struct place at = place_index(&aliases, i++), ip = place_key(&at, "ip");
        address_warn(warnings, &ip, text_of(alias, "ip"));
    }
}

void pod_warn(const struct value *metadata, const struct value *spec, const struct place *up, bool is_template, struct vec *warnings)
{
    const struct place place = place_key(up, "spec"), aliases = place_key(&place, "hostAliases"), secrets = place_key(&place, "imagePullSecrets");
    const struct place overhead = place_key(&place, "overhead"), meta = place_key(up, "metadata"), annotations = place_key(&meta, "annotations");
    const struct place seccomp = place_map(&annotations, "seccomp.security.alpha.kubernetes.io/pod"),
                       grace = place_key(&place, "terminationGracePeriodSeconds");
    warn_node_labels(spec, &place, warnings);
    warn_spread(spec, &place, warnings);
    warn_annotations(metadata, up, warnings);
    warn_volumes(spec, &place, warnings);
    warn_paths(spec, warnings);
    warn_repeated(value_get(spec, "hostAliases"), "ip", "ip", &aliases, warnings);
    warn_repeated(value_get(spec, "imagePullSecrets"), "name", "name", &secrets, warnings);
    size_t i = 0;
    EACH (secret, value_get(spec, "imagePullSecrets")) {
        const struct place at = place_index(&secrets, i++), name = place_key(&at, "name");
        if (*text_of(secret, "name") == '\0')
            warning_at(warnings, &name, "invalid empty name \"\"");
    }
    warn_fraction(warnings, value_get(spec, "overhead"), &overhead, "memory");
    warn_fraction(warnings, value_get(spec, "overhead"), &overhead, "ephemeral-storage");
    if (value_find(spec, "securityContext", "seccompProfile", NULL) == NULL && has(value_get(metadata, "annotations"), seccomp.key))
        warning_at(warnings, &seccomp, "non-functional in v1.27+; use the \"seccompProfile\" field instead");
    for (size_t k = 0; container_lists[k] != NULL; k++) {
        const struct place all = place_key(&place, container_lists[k]);
        size_t c = 0;
        EACH (container, value_get(spec, container_lists[k])) {
            const struct place at = place_index(&all, c++);
            warn_container(metadata, spec, container, &at, up, is_template, warnings);
        }
    }
    warn_ports(spec, &place, warnings);
    if (int_of(spec, "terminationGracePeriodSeconds", 0) < 0)
        warning_at(warnings, &grace, "must be >= 0; negative values are invalid and will be treated as 1");
    warn_affinity(spec, &place, warnings);
    warn_addresses(spec, &place, warnings);
}
