/* discovery.c: which groups, versions and resources there are: the plain lists and the aggregated one (apidiscovery.k8s.io). */
#include <string.h>

#include "data/json.h"
#include "net/crypto.h"
#include "data/units.h"
#include "base/mem.h"
#include "practice/api/describe_internal.h"

bool same_group_version(const struct schema_kind *a, const struct schema_kind *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->version, b->version) == 0;
}

/* In the order in which discovery lists them. */
static const struct {
    unsigned bit;
    const char *name;
} verb_names[] = {
    {VERB_CREATE, "create"}, {VERB_DELETE, "delete"}, {VERB_DELETE_COLLECTION, "deletecollection"}, {VERB_GET, "get"},
    {VERB_LIST, "list"},     {VERB_PATCH, "patch"},   {VERB_UPDATE, "update"},                      {VERB_WATCH, "watch"},
};

static void verbs(unsigned bits, struct buf *out)
{
    const char *comma = "";
    buf_append_string(out, "\"verbs\":[");
    for (size_t i = 0; i < sizeof verb_names / sizeof *verb_names; i++)
        if ((bits & verb_names[i].bit) != 0) {
            buf_printf(out, "%s\"%s\"", comma, verb_names[i].name);
            comma = ",";
        }
    buf_append_string(out, "]");
}

static void names(const char *key, const char *const *list, struct buf *out)
{
    if (list == NULL || list[0] == NULL)
        return;
    buf_printf(out, ",\"%s\":[", key);
    for (size_t i = 0; list[i] != NULL; i++) {
        buf_append_string(out, i > 0 ? "," : "");
        json_quote(list[i], out);
    }
    buf_append_string(out, "]");
}

/* Groups come one after the other in the registry's order; is this kind the first of its group (or of its version in it)? */
static bool begins_group(const struct schema_kind *const *kinds, size_t i)
{
    return i == 0 || strcmp(kinds[i]->group, kinds[i - 1]->group) != 0;
}

static bool begins_version(const struct schema_kind *const *kinds, size_t count, size_t i)
{
    (void)count;
    for (size_t j = 0; j < i; j++)
        if (same_group_version(kinds[j], kinds[i]))
            return false;
    return true;
}

/* ---- plain ---- */

void discovery_versions(const struct api *api, struct buf *out)
{
    buf_printf(out, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\",\"serverAddress\":\"%s:%u\"}]}", api->host, api->port);
}

/* `"name":"apps","versions":[...],"preferredVersion":{...}`; the first version of a group is the preferred one. */
static void group_body(const struct schema_kind *const *kinds, size_t count, size_t first, struct buf *out)
{
    const struct schema_kind *kind = kinds[first];
    const char *comma = "";
    buf_printf(out, "\"name\":\"%s\",\"versions\":[", kind->group);
    for (size_t i = first; i < count; i++)
        if (strcmp(kinds[i]->group, kind->group) == 0 && begins_version(kinds, count, i)) {
            buf_printf(out, "%s{\"groupVersion\":\"%s/%s\",\"version\":\"%s\"}", comma, kind->group, kinds[i]->version, kinds[i]->version);
            comma = ",";
        }
    buf_printf(out, "],\"preferredVersion\":{\"groupVersion\":\"%s/%s\",\"version\":\"%s\"}", kind->group, kind->version, kind->version);
}

void discovery_groups(const struct api *api, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    const char *comma = "";
    buf_append_string(out, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
    for (size_t i = 0; i < count; i++)
        if (kinds[i]->group[0] != '\0' && begins_group(kinds, i)) {
            buf_printf(out, "%s{", comma);
            group_body(kinds, count, i, out);
            buf_append_string(out, "}");
            comma = ",";
        }
    buf_append_string(out, "]}");
}

bool discovery_group(const struct api *api, const char *group, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(kinds[i]->group, group) == 0) {
            buf_append_string(out, "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",");
            group_body(kinds, count, i, out);
            buf_append_string(out, "}");
            return true;
        }
    return false;
}

/* A word for how a kind is stored, which clients compare with the one they saw before: the beginning of a digest of group, version and kind. */
static void storage_hash(const struct schema_kind *kind, struct buf *out)
{
    unsigned char digest[32];
    char *name = mem_printf("%s/%s/%s", kind->storage->group, kind->storage->version, kind->kind);
    char *word = NULL;
    if (name != NULL) {
        crypto_sha256(name, strlen(name), digest);
        word = base64_encode(digest, 8);
    }
    buf_printf(out, ",\"storageVersionHash\":\"%s\"", word != NULL ? word : "");
    mem_free(word);
    mem_free(name);
}

static void resource(const struct schema_kind *kind, struct buf *out)
{
    buf_printf(out, "{\"name\":\"%s\",\"singularName\":\"%s\",\"namespaced\":%s,\"kind\":\"%s\",", kind->plural, kind->singular, kind->namespaced ? "true" : "false", kind->kind);
    verbs(kind->verbs, out);
    names("shortNames", kind->short_names, out);
    names("categories", kind->categories, out);
    if ((kind->verbs & VERB_WATCH) != 0)
        storage_hash(kind, out);
    buf_append_string(out, "}");
    for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++) {
        buf_printf(out, ",{\"name\":\"%s/%s\",\"singularName\":\"\",\"namespaced\":%s,", kind->plural, sub->name, kind->namespaced ? "true" : "false");
        if (strcmp(sub->group, kind->group) != 0 || strcmp(sub->version, kind->version) != 0)
            buf_printf(out, "\"group\":\"%s\",\"version\":\"%s\",", sub->group, sub->version);
        buf_printf(out, "\"kind\":\"%s\",", sub->kind);
        verbs(sub->verbs, out);
        buf_append_string(out, "}");
    }
}

bool discovery_resources(const struct api *api, const char *group, const char *version, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    const char *comma = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kinds[i]->group, group) != 0 || strcmp(kinds[i]->version, version) != 0)
            continue;
        if (comma[0] == '\0')
            buf_printf(out, "{\"kind\":\"APIResourceList\",%s\"groupVersion\":\"%s%s%s\",\"resources\":[", group[0] != '\0' ? "\"apiVersion\":\"v1\"," : "", group, group[0] != '\0' ? "/" : "", version);
        buf_append_string(out, comma);
        resource(kinds[i], out);
        comma = ",";
    }
    buf_append_string(out, comma[0] != '\0' ? "]}" : "");
    return comma[0] != '\0';
}

void discovery_paths(const struct api *api, struct buf *out)
{
    static const char *const others[] = {"/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/openid/v1/jwks", "/readyz", "/version"};
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    buf_append_string(out, "{\"paths\":[\"/.well-known/openid-configuration\",\"/api\",\"/api/v1\",\"/apis\"");
    for (size_t i = 0; i < count; i++) {
        if (kinds[i]->group[0] == '\0')
            continue;
        if (begins_group(kinds, i))
            buf_printf(out, ",\"/apis/%s\"", kinds[i]->group);
        if (begins_version(kinds, count, i))
            buf_printf(out, ",\"/apis/%s/%s\"", kinds[i]->group, kinds[i]->version);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        buf_printf(out, ",\"%s\"", others[i]);
    buf_append_string(out, "]}");
}

/* ---- aggregated ---- */

static void aggregated_resource(const struct schema_kind *kind, struct buf *out)
{
    const char *comma = "";
    buf_printf(out, "{\"resource\":\"%s\",\"responseKind\":{\"group\":\"\",\"version\":\"\",\"kind\":\"%s\"},\"scope\":\"%s\",\"singularResource\":\"%s\",", kind->plural, kind->kind,
               kind->namespaced ? "Namespaced" : "Cluster", kind->singular);
    verbs(kind->verbs, out);
    names("shortNames", kind->short_names, out);
    names("categories", kind->categories, out);
    for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++) {
        bool own = strcmp(sub->group, kind->group) == 0 && strcmp(sub->version, kind->version) == 0;
        buf_append_string(out, comma[0] == '\0' ? ",\"subresources\":[" : comma);
        buf_printf(out, "{\"subresource\":\"%s\",\"responseKind\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"},", sub->name, own ? "" : sub->group, own ? "" : sub->version, sub->kind);
        verbs(sub->verbs, out);
        buf_append_string(out, "}");
        comma = ",";
    }
    buf_append_string(out, comma[0] != '\0' ? "]}" : "}");
}

static void aggregated_version(const struct schema_kind *const *kinds, size_t count, size_t first, struct buf *out)
{
    const char *comma = "";
    buf_printf(out, "{\"version\":\"%s\",\"resources\":[", kinds[first]->version);
    for (size_t i = first; i < count; i++)
        if (same_group_version(kinds[i], kinds[first])) {
            buf_append_string(out, comma);
            aggregated_resource(kinds[i], out);
            comma = ",";
        }
    buf_append_string(out, "],\"freshness\":\"Current\"}");
}

void discovery_aggregated(const struct api *api, bool core, bool beta, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    const char *comma = "";
    buf_printf(out, "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/%s\",\"metadata\":{},\"items\":[", beta ? "v2beta1" : "v2");
    for (size_t i = 0; i < count; i++) {
        if ((kinds[i]->group[0] == '\0') != core || !begins_group(kinds, i))
            continue;
        const char *next = "";
        buf_append_string(out, comma);
        buf_append_string(out, "{\"metadata\":{");
        if (!core)
            buf_printf(out, "\"name\":\"%s\"", kinds[i]->group);
        buf_append_string(out, "},\"versions\":[");
        for (size_t j = i; j < count; j++)
            if (strcmp(kinds[j]->group, kinds[i]->group) == 0 && begins_version(kinds, count, j)) {
                buf_append_string(out, next);
                aggregated_version(kinds, count, j, out);
                next = ",";
            }
        buf_append_string(out, "]}");
        comma = ",";
    }
    buf_append_string(out, "]}");
}
