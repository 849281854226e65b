/* openapi3.c: /openapi/v3: one document a group version, and the index of them. Paths hold what clients look for: verbs, their parameters, bodies and kinds. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "net/crypto.h"
#include "practice/api/describe_internal.h"
#include "practice/api/openapi.h"
#include "practice/schema/crd.h"

static const struct openapi_form v3 = {false, "#/components/schemas/"};
static const char meta[] = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/* ---- operations ---- */

enum path_place { PLACE_COLLECTION, PLACE_ITEM, PLACE_SUB };

static const struct operation {
    enum path_place place;
    unsigned verb;
    const char *method, *action, *parameters; /* beside those of the path; NULL: none */
    enum { BODY_NONE, BODY_OBJECT, BODY_PATCH, BODY_OPTIONS } body;
    enum { ANSWER_OBJECT, ANSWER_LIST, ANSWER_STATUS } answer;
    const char *verb_word;
} operations[] = {
    {PLACE_COLLECTION, VERB_LIST, "get", "list", "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents timeoutSeconds watch", BODY_NONE, ANSWER_LIST, "list"},
    {PLACE_COLLECTION, VERB_CREATE, "post", "post", "dryRun fieldManager fieldValidation", BODY_OBJECT, ANSWER_OBJECT, "create"},
    {PLACE_COLLECTION, VERB_DELETE_COLLECTION, "delete", "deletecollection", "continue dryRun fieldSelector gracePeriodSeconds labelSelector limit propagationPolicy resourceVersion", BODY_OPTIONS, ANSWER_STATUS, "deleteCollection"},
    {PLACE_ITEM, VERB_GET, "get", "get", NULL, BODY_NONE, ANSWER_OBJECT, "read"},
    {PLACE_ITEM, VERB_UPDATE, "put", "put", "dryRun fieldManager fieldValidation", BODY_OBJECT, ANSWER_OBJECT, "replace"},
    {PLACE_ITEM, VERB_PATCH, "patch", "patch", "dryRun fieldManager fieldValidation force", BODY_PATCH, ANSWER_OBJECT, "patch"},
    {PLACE_ITEM, VERB_DELETE, "delete", "delete", "dryRun gracePeriodSeconds propagationPolicy", BODY_OPTIONS, ANSWER_STATUS, "delete"},
    {PLACE_SUB, VERB_GET, "get", "get", NULL, BODY_NONE, ANSWER_OBJECT, "read"},
    {PLACE_SUB, VERB_CREATE, "post", "post", "dryRun fieldManager fieldValidation", BODY_OBJECT, ANSWER_OBJECT, "create"},
    {PLACE_SUB, VERB_UPDATE, "put", "put", "dryRun fieldManager fieldValidation", BODY_OBJECT, ANSWER_OBJECT, "replace"},
    {PLACE_SUB, VERB_PATCH, "patch", "patch", "dryRun fieldManager fieldValidation force", BODY_PATCH, ANSWER_OBJECT, "patch"},
};

static const struct {
    const char *name, *type;
} parameter_types[] = {
    {"allowWatchBookmarks", "boolean"}, {"force", "boolean"}, {"gracePeriodSeconds", "integer"}, {"limit", "integer"},
    {"sendInitialEvents", "boolean"},   {"timeoutSeconds", "integer"}, {"watch", "boolean"},
};

static void parameter(const char *name, size_t length, const char *in, struct buf *out)
{
    const char *type = "string";
    for (size_t i = 0; i < sizeof parameter_types / sizeof *parameter_types; i++)
        if (strlen(parameter_types[i].name) == length && memcmp(parameter_types[i].name, name, length) == 0)
            type = parameter_types[i].type;
    buf_printf(out, "{\"name\":\"%.*s\",\"in\":\"%s\"%s,\"schema\":{\"type\":\"%s\",\"uniqueItems\":true}}", (int)length, name, in, strcmp(in, "path") == 0 ? ",\"required\":true" : "", type);
}

static void parameters(const char *names, struct buf *out)
{
    buf_append_string(out, ",\"parameters\":[");
    for (const char *at = names; *at != '\0';) {
        size_t length = strcspn(at, " ");
        parameter(at, length, "query", out);
        at += length + (at[length] == ' ');
        buf_append_string(out, *at != '\0' ? "," : "");
    }
    buf_append_string(out, "]");
}

static void reference(const char *prefix, const char *name, struct buf *out)
{
    buf_printf(out, "{\"$ref\":\"%s%s%s\"}", v3.reference, prefix, name);
}

/* The definition's name of a custom kind, which has none in the table: com.example.menu.v1.Dish. The caller frees. */
static char *custom_name(const struct schema_kind *kind, const char *suffix)
{
    struct buf name = buf_make(1000);
    for (const char *end = kind->group + strlen(kind->group); end > kind->group;) { /* the parts of the group, last first */
        const char *start = end;
        while (start > kind->group && start[-1] != '.')
            start--;
        buf_append(&name, start, (size_t)(end - start));
        buf_append_string(&name, ".");
        end = start > kind->group ? start - 1 : start;
    }
    buf_printf(&name, "%s.%s%s", kind->version, kind->kind, suffix);
    return buf_take(&name, NULL);
}

static void kind_reference(const struct schema_kind *kind, const struct schema *schema, const char *suffix, struct buf *out)
{
    char *custom = kind->crd != NULL && schema == kind->schema ? custom_name(kind, suffix) : NULL;
    if (custom != NULL)
        reference("", custom, out);
    else if (schema != NULL && schema->name != NULL)
        buf_printf(out, "{\"$ref\":\"%s%s%s\"}", v3.reference, schema->name, suffix);
    else
        buf_append_string(out, "{\"type\":\"string\"}");
    mem_free(custom);
}

static void content(const char *type, const char *prefix, const char *name, const char *comma, struct buf *out)
{
    buf_printf(out, "%s\"%s\":{\"schema\":", comma, type);
    reference(prefix, name, out);
    buf_append_string(out, "}");
}

static void request_body(const struct operation *operation, const struct schema_kind *kind, const struct schema *schema, struct buf *out)
{
    if (operation->body == BODY_NONE)
        return;
    buf_append_string(out, ",\"requestBody\":{\"content\":{");
    if (operation->body == BODY_PATCH) {
        content("application/apply-patch+yaml", meta, "Patch", "", out);
        content("application/json-patch+json", meta, "Patch", ",", out);
        content("application/merge-patch+json", meta, "Patch", ",", out);
        if (kind->crd == NULL)
            content("application/strategic-merge-patch+json", meta, "Patch", ",", out);
    } else if (operation->body == BODY_OPTIONS)
        content("application/json", meta, "DeleteOptions", "", out);
    else {
        buf_append_string(out, "\"application/json\":{\"schema\":");
        kind_reference(kind, schema, "", out);
        buf_append_string(out, "}");
    }
    buf_printf(out, "}%s}", operation->body == BODY_OPTIONS ? "" : ",\"required\":true");
}

static void responses(const struct operation *operation, const struct schema_kind *kind, const struct schema *schema, struct buf *out)
{
    buf_append_string(out, ",\"responses\":{\"200\":{\"description\":\"OK\",\"content\":{\"application/json\":{\"schema\":");
    if (operation->answer == ANSWER_STATUS)
        reference(meta, "Status", out);
    else
        kind_reference(kind, schema, operation->answer == ANSWER_LIST ? "List" : "", out);
    buf_append_string(out, "}}},\"401\":{\"description\":\"Unauthorized\"}}");
}

/* "AppsV1NamespacedDeployment" */
static void operation_id(const struct operation *operation, const struct schema_kind *kind, const char *sub, struct buf *out)
{
    const char *group = kind->group[0] == '\0' ? "core" : kind->group;
    buf_printf(out, "%s%c%.*s%c%s%s%s", operation->verb_word, toupper((unsigned char)group[0]), (int)strcspn(group + 1, "."), group + 1, toupper((unsigned char)kind->version[0]), kind->version + 1,
               kind->namespaced ? "Namespaced" : "", kind->kind);
    if (sub != NULL)
        buf_printf(out, "%c%s", toupper((unsigned char)sub[0]), sub + 1);
}

/* What a path can: all operations whose verb is among `verbs`. */
static void path_item(const struct schema_kind *kind, const struct schema_subresource *sub, enum path_place place, unsigned verbs, struct buf *out)
{
    const struct schema *schema = sub != NULL ? sub->schema : kind->schema;
    const char *comma = "";
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct operation *operation = &operations[i];
        if (operation->place != place || (operation->verb & verbs) == 0)
            continue;
        buf_printf(out, "%s\"%s\":{\"tags\":[\"%s_%s\"],\"operationId\":\"", comma, operation->method, kind->group[0] != '\0' ? kind->group : "core", kind->version);
        operation_id(operation, kind, sub != NULL ? sub->name : NULL, out);
        buf_append_string(out, "\"");
        if (operation->parameters != NULL)
            parameters(operation->parameters, out);
        request_body(operation, kind, schema, out);
        responses(operation, kind, schema, out);
        buf_printf(out, ",\"x-kubernetes-action\":\"%s\",\"x-kubernetes-group-version-kind\":", operation->action);
        openapi_kind(sub != NULL ? sub->group : kind->group, sub != NULL ? sub->version : kind->version, sub != NULL ? sub->kind : kind->kind, out);
        buf_append_string(out, "}");
        comma = ",";
    }
    buf_printf(out, "%s\"parameters\":[", comma);
    if (place != PLACE_COLLECTION) {
        parameter("name", 4, "path", out);
        buf_append_string(out, ",");
    }
    if (kind->namespaced) {
        parameter("namespace", 9, "path", out);
        buf_append_string(out, ",");
    }
    parameter("pretty", 6, "query", out);
    buf_append_string(out, "]}");
}

static void root_of(const struct schema_kind *kind, struct buf *out)
{
    if (kind->group[0] == '\0')
        buf_printf(out, "/api/%s/", kind->version);
    else
        buf_printf(out, "/apis/%s/%s/", kind->group, kind->version);
}

static void paths_of(const struct schema_kind *kind, const char *comma, struct buf *out)
{
    const char *ns = kind->namespaced ? "namespaces/{namespace}/" : "";
    buf_printf(out, "%s\"", comma);
    root_of(kind, out);
    buf_printf(out, "%s%s\":{", ns, kind->plural);
    path_item(kind, NULL, PLACE_COLLECTION, kind->verbs, out);
    if ((kind->verbs & (VERB_GET | VERB_UPDATE | VERB_PATCH | VERB_DELETE)) != 0) {
        buf_append_string(out, ",\"");
        root_of(kind, out);
        buf_printf(out, "%s%s/{name}\":{", ns, kind->plural);
        path_item(kind, NULL, PLACE_ITEM, kind->verbs, out);
    }
    for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++) {
        buf_append_string(out, ",\"");
        root_of(kind, out);
        buf_printf(out, "%s%s/{name}/%s\":{", ns, kind->plural, sub->name);
        path_item(kind, sub, PLACE_SUB, sub->verbs, out);
    }
}

/* ---- documents ---- */

static bool add_named(struct openapi_set *set, const char *prefix, const char *name)
{
    char *whole = mem_printf("%s%s", prefix, name);
    bool ok = whole != NULL && openapi_set_add(set, schema_definition(whole));
    mem_free(whole);
    return ok;
}

/* All that the kinds of one group version lead to. */
static bool collect(const struct schema_kind *const *kinds, size_t count, const char *group, const char *version, struct openapi_set *set)
{
    bool ok = add_named(set, meta, "DeleteOptions") && add_named(set, meta, "Status") && add_named(set, meta, "ObjectMeta") && add_named(set, meta, "ListMeta");
    for (size_t i = 0; i < count && ok; i++) {
        if (strcmp(kinds[i]->group, group) != 0 || strcmp(kinds[i]->version, version) != 0 || kinds[i]->crd != NULL)
            continue;
        ok = openapi_set_add(set, kinds[i]->schema) && (kinds[i]->schema == NULL || kinds[i]->schema->name == NULL || add_named(set, kinds[i]->schema->name, "List"));
        for (const struct schema_subresource *sub = kinds[i]->subresources; sub != NULL && sub->name != NULL && ok; sub++)
            ok = openapi_set_add(set, sub->schema);
    }
    openapi_set_sort(set);
    return ok;
}

static bool custom_definitions(const struct schema_kind *kind, struct buf *out)
{
    char *name = custom_name(kind, ""), *list = custom_name(kind, "List");
    bool ok = name != NULL && list != NULL;
    if (ok) {
        buf_printf(out, ",\"%s\":", name);
        ok = crd_openapi(kind, false, out);
        buf_printf(out, ",\"%s\":{\"type\":\"object\",\"required\":[\"items\"],\"properties\":{\"apiVersion\":{\"type\":\"string\"},\"items\":{\"type\":\"array\",\"items\":", list);
        reference("", name, out);
        buf_append_string(out, "},\"kind\":{\"type\":\"string\"},\"metadata\":");
        reference(meta, "ListMeta", out);
        buf_append_string(out, "},\"x-kubernetes-group-version-kind\":[");
        openapi_kind(kind->group, kind->version, kind->list_kind, out);
        buf_append_string(out, "]}");
    }
    mem_free(name);
    mem_free(list);
    return ok;
}

bool openapi3_document(const struct api *api, const char *group, const char *version, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    struct openapi_set set = openapi_set_make();
    const char *comma = "";
    bool ok = collect(kinds, count, group, version, &set);
    buf_append_string(out, "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"1.37\"},\"paths\":{");
    for (size_t i = 0; i < count && ok; i++)
        if (strcmp(kinds[i]->group, group) == 0 && strcmp(kinds[i]->version, version) == 0) {
            paths_of(kinds[i], comma, out);
            comma = ",";
        }
    buf_append_string(out, "},\"components\":{\"schemas\":{");
    openapi_definitions(api, &set, &v3, out);
    buf_printf(out, ",\"%sPatch\":{\"type\":\"object\"}", meta);
    for (size_t i = 0; i < count && ok; i++)
        if (strcmp(kinds[i]->group, group) == 0 && strcmp(kinds[i]->version, version) == 0 && kinds[i]->crd != NULL)
            ok = custom_definitions(kinds[i], out);
    buf_append_string(out, "}}}");
    openapi_set_free(&set);
    if (!ok)
        out->failed = true; /* memory ran out: describe.c answers 500 */
    return comma[0] != '\0';
}

/* The digest stands for the content: it is of what the document is made from (the table's version is the program's). */
static void entry(const struct schema_kind *kind, uint64_t generation, const char *comma, struct buf *out)
{
    char digest[65], *text = mem_printf("%s/%s %s %llu", kind->group, kind->version, KT_VERSION, kind->crd != NULL ? (unsigned long long)generation : 0ULL);
    if (text == NULL) {
        out->failed = true;
        return;
    }
    crypto_sha256_hex(text, strlen(text), digest);
    mem_free(text);
    const char *root = kind->group[0] == '\0' ? "api" : "apis/";
    buf_printf(out, "%s\"%s%s/%s\":{\"serverRelativeURL\":\"/openapi/v3/%s%s/%s?hash=%s\"}", comma, root, kind->group, kind->version, root, kind->group, kind->version, digest);
}

void openapi3_index(const struct api *api, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    const char *comma = "";
    buf_append_string(out, "{\"paths\":{");
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = same_group_version(kinds[i], kinds[j]);
        if (!seen) {
            entry(kinds[i], registry_generation(api->registry), comma, out);
            comma = ",";
        }
    }
    buf_append_string(out, "}}");
}
