/* openapi_path.c: the paths of kinds: their verbs, with parameters, bodies and kinds, in both spellings. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/openapi.h"

enum path_place { PLACE_COLLECTION, PLACE_EVERYWHERE /* of all namespaces */, PLACE_ITEM, PLACE_SUB };

#define LIST_PARAMETERS "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents timeoutSeconds watch"

static const struct operation {
    enum path_place place;
    unsigned verb;
    const char *method, *action, *parameters; /* beside those of the path; NULL: none */
    enum { BODY_NONE, BODY_OBJECT, BODY_PATCH, BODY_OPTIONS } body;
    enum { ANSWER_OBJECT, ANSWER_LIST, ANSWER_STATUS } answer;
    const char *verb_word;
} operations[] = {
    {PLACE_COLLECTION, VERB_LIST, "get", "list", LIST_PARAMETERS, BODY_NONE, ANSWER_LIST, "list"},
    {PLACE_EVERYWHERE, VERB_LIST, "get", "list", LIST_PARAMETERS, BODY_NONE, ANSWER_LIST, "list"},
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

static void parameter(const char *name, size_t length, const char *in, const struct openapi_form *form, struct buf *out)
{
    const char *type = "string";
    for (size_t i = 0; i < sizeof parameter_types / sizeof *parameter_types; i++)
        if (strlen(parameter_types[i].name) == length && memcmp(parameter_types[i].name, name, length) == 0)
            type = parameter_types[i].type;
    buf_printf(out, "{\"name\":\"%.*s\",\"in\":\"%s\"%s,%s\"type\":\"%s\",\"uniqueItems\":true}%s", (int)length, name, in, strcmp(in, "path") == 0 ? ",\"required\":true" : "",
               form->v2 ? "" : "\"schema\":{", type, form->v2 ? "" : "}");
}

void openapi_reference(const char *prefix, const char *name, const struct openapi_form *form, struct buf *out)
{
    buf_printf(out, "{\"$ref\":\"%s%s%s\"}", form->reference, prefix, name);
}

char *openapi_custom_name(const struct schema_kind *kind, const char *suffix)
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

static void kind_reference(const struct schema_kind *kind, const struct schema *schema, const char *suffix, const struct openapi_form *form, struct buf *out)
{
    char *custom = kind->crd != NULL && schema == kind->schema ? openapi_custom_name(kind, suffix) : NULL;
    if (custom != NULL)
        openapi_reference("", custom, form, out);
    else if (schema != NULL && schema->name != NULL)
        buf_printf(out, "{\"$ref\":\"%s%s%s\"}", form->reference, schema->name, suffix);
    else
        buf_append_string(out, "{\"type\":\"string\"}");
    mem_free(custom);
}

/* A body is one more parameter in v2. */
static void parameters(const struct operation *operation, const struct schema_kind *kind, const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    bool body = form->v2 && operation->body != BODY_NONE;
    if (operation->parameters == NULL && !body)
        return;
    buf_append_string(out, ",\"parameters\":[");
    if (body) {
        buf_printf(out, "{\"name\":\"body\",\"in\":\"body\"%s,\"schema\":", operation->body == BODY_OPTIONS ? "" : ",\"required\":true");
        if (operation->body == BODY_OBJECT)
            kind_reference(kind, schema, "", form, out);
        else
            openapi_reference(OPENAPI_META, operation->body == BODY_PATCH ? "Patch" : "DeleteOptions", form, out);
        buf_append_string(out, operation->parameters != NULL ? "}," : "}");
    }
    for (const char *at = operation->parameters != NULL ? operation->parameters : ""; *at != '\0';) {
        size_t length = strcspn(at, " ");
        parameter(at, length, "query", form, out);
        at += length + (at[length] == ' ');
        buf_append_string(out, *at != '\0' ? "," : "");
    }
    buf_append_string(out, "]");
}

static void content(const char *type, const char *name, const char *comma, const struct openapi_form *form, struct buf *out)
{
    buf_printf(out, "%s\"%s\":{\"schema\":", comma, type);
    openapi_reference(OPENAPI_META, name, form, out);
    buf_append_string(out, "}");
}

static void request_body(const struct operation *operation, const struct schema_kind *kind, const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    if (operation->body == BODY_NONE || form->v2)
        return;
    buf_append_string(out, ",\"requestBody\":{\"content\":{");
    if (operation->body == BODY_PATCH) {
        content("application/apply-patch+yaml", "Patch", "", form, out);
        content("application/json-patch+json", "Patch", ",", form, out);
        content("application/merge-patch+json", "Patch", ",", form, out);
        if (kind->crd == NULL)
            content("application/strategic-merge-patch+json", "Patch", ",", form, out);
    } else if (operation->body == BODY_OPTIONS)
        content("application/json", "DeleteOptions", "", form, out);
    else {
        buf_append_string(out, "\"application/json\":{\"schema\":");
        kind_reference(kind, schema, "", form, out);
        buf_append_string(out, "}");
    }
    buf_printf(out, "}%s}", operation->body == BODY_OPTIONS ? "" : ",\"required\":true");
}

static void responses(const struct operation *operation, const struct schema_kind *kind, const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    buf_printf(out, ",\"responses\":{\"200\":{\"description\":\"OK\",%s\"schema\":", form->v2 ? "" : "\"content\":{\"application/json\":{");
    if (operation->answer == ANSWER_STATUS)
        openapi_reference(OPENAPI_META, "Status", form, out);
    else
        kind_reference(kind, schema, operation->answer == ANSWER_LIST ? "List" : "", form, out);
    buf_printf(out, "%s},\"401\":{\"description\":\"Unauthorized\"}}", form->v2 ? "" : "}}");
}

/* v2 says which media types go in and out beside the operation. */
static void media(const struct operation *operation, const struct schema_kind *kind, const struct openapi_form *form, struct buf *out)
{
    if (!form->v2)
        return;
    buf_printf(out, ",\"consumes\":[%s]", operation->body != BODY_PATCH ? "\"*/*\""
                                          : kind->crd != NULL ? "\"application/json-patch+json\",\"application/merge-patch+json\",\"application/apply-patch+yaml\""
                                                              : "\"application/json-patch+json\",\"application/merge-patch+json\",\"application/strategic-merge-patch+json\",\"application/apply-patch+yaml\"");
    buf_printf(out, ",\"produces\":[\"application/json\",\"application/yaml\"%s],\"schemes\":[\"https\"]", kind->crd == NULL ? ",\"application/vnd.kubernetes.protobuf\"" : "");
}

/* "AppsV1NamespacedDeployment" */
static void operation_id(const struct operation *operation, const struct schema_kind *kind, const char *sub, struct buf *out)
{
    const char *group = kind->group[0] == '\0' ? "core" : kind->group;
    buf_printf(out, "%s%c%.*s%c%s%s%s", operation->verb_word, toupper((unsigned char)group[0]), (int)strcspn(group + 1, "."), group + 1, toupper((unsigned char)kind->version[0]), kind->version + 1,
               kind->namespaced && operation->place != PLACE_EVERYWHERE ? "Namespaced" : "", kind->kind);
    if (operation->place == PLACE_EVERYWHERE)
        buf_append_string(out, "ForAllNamespaces");
    if (sub != NULL)
        buf_printf(out, "%c%s", toupper((unsigned char)sub[0]), sub + 1);
}

/* What a path can: all operations whose verb is among `verbs`. */
static void path_item(const struct schema_kind *kind, const struct schema_subresource *sub, enum path_place place, unsigned verbs, const struct openapi_form *form, struct buf *out)
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
        media(operation, kind, form, out);
        parameters(operation, kind, schema, form, out);
        request_body(operation, kind, schema, form, out);
        responses(operation, kind, schema, form, out);
        buf_printf(out, ",\"x-kubernetes-action\":\"%s\",\"x-kubernetes-group-version-kind\":", operation->action);
        openapi_kind(sub != NULL ? sub->group : kind->group, sub != NULL ? sub->version : kind->version, sub != NULL ? sub->kind : kind->kind, out);
        buf_append_string(out, "}");
        comma = ",";
    }
    buf_printf(out, "%s\"parameters\":[", comma);
    if (place == PLACE_ITEM || place == PLACE_SUB) {
        parameter("name", 4, "path", form, out);
        buf_append_string(out, ",");
    }
    if (kind->namespaced && place != PLACE_EVERYWHERE) {
        parameter("namespace", 9, "path", form, out);
        buf_append_string(out, ",");
    }
    parameter("pretty", 6, "query", form, out);
    buf_append_string(out, "]}");
}

static void root_of(const struct schema_kind *kind, struct buf *out)
{
    if (kind->group[0] == '\0')
        buf_printf(out, "/api/%s/", kind->version);
    else
        buf_printf(out, "/apis/%s/%s/", kind->group, kind->version);
}

/* One `"PATH":{...}`. */
static void path(const struct schema_kind *kind, const struct schema_subresource *sub, enum path_place place, const struct openapi_form *form, openapi_piece *piece, void *data)
{
    struct buf text = buf_make(OPENAPI_PIECE);
    buf_append_string(&text, "\"");
    root_of(kind, &text);
    buf_printf(&text, "%s%s%s%s%s\":{", kind->namespaced && place != PLACE_EVERYWHERE ? "namespaces/{namespace}/" : "", kind->plural,
               place == PLACE_ITEM || place == PLACE_SUB ? "/{name}" : "", sub != NULL ? "/" : "", sub != NULL ? sub->name : "");
    path_item(kind, sub, place, sub != NULL ? sub->verbs : kind->verbs, form, &text);
    piece(data, &text);
    buf_free(&text);
}

void openapi_paths(const struct schema_kind *kind, const struct openapi_form *form, openapi_piece *piece, void *data)
{
    path(kind, NULL, PLACE_COLLECTION, form, piece, data);
    if (kind->namespaced && (kind->verbs & VERB_LIST) != 0) /* kubectl 1.27 explains a kind only if it finds it here */
        path(kind, NULL, PLACE_EVERYWHERE, form, piece, data);
    if ((kind->verbs & (VERB_GET | VERB_UPDATE | VERB_PATCH | VERB_DELETE)) != 0)
        path(kind, NULL, PLACE_ITEM, form, piece, data);
    for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++)
        path(kind, sub, PLACE_SUB, form, piece, data);
}
