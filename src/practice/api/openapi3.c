/* openapi3.c: /openapi/v3: one document a group version, and the index of them. */
#include <string.h>

#include "base/mem.h"
#include "net/crypto.h"
#include "practice/api/describe_internal.h"
#include "practice/api/openapi.h"

static const struct openapi_form v3 = {false, "#/components/schemas/"};

/* The path of a group version's own list of resources. */
static void list_path(const char *group, const char *version, struct buf *out)
{
    buf_printf(out, "\"/%s%s%s%s/\":{\"get\":{\"tags\":[\"%s_%s\"],\"description\":\"get available resources\",\"responses\":{\"200\":{\"description\":\"OK\",\"content\":{\"application/json\":{\"schema\":",
               group[0] != '\0' ? "apis/" : "api/", group, group[0] != '\0' ? "/" : "", version, group[0] != '\0' ? group : "core", version);
    openapi_reference(OPENAPI_META, "APIResourceList", &v3, out);
    buf_append_string(out, "}}},\"401\":{\"description\":\"Unauthorized\"}}}}");
}

bool openapi3_document(const struct api *api, const char *group, const char *version, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    struct openapi_set set = openapi_set_make();
    struct openapi_joined joined = {.out = out, .any = true};
    bool served = false, ok = openapi_collect(api, group, version, &set);
    buf_append_string(out, "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"1.37\"},\"paths\":{");
    list_path(group, version, out);
    for (size_t i = 0; i < count; i++)
        if (openapi_is_of(kinds[i], group, version)) {
            openapi_paths(kinds[i], &v3, openapi_join, &joined);
            served = true;
        }
    buf_append_string(out, "},\"components\":{\"schemas\":{");
    joined.any = false;
    openapi_definitions(api, &set, &v3, openapi_join, &joined);
    for (size_t i = 0; i < count; i++)
        if (openapi_is_of(kinds[i], group, version) && kinds[i]->crd != NULL)
            openapi_custom_definitions(kinds[i], &v3, openapi_join, &joined);
    buf_append_string(out, "}}}");
    openapi_set_free(&set);
    if (!ok || joined.failed)
        buf_fail(out); /* memory ran out: describe.c answers 500 */
    return served;
}

/* The digest stands for the content: it is of what the document is made from (the table's version is the program's). */
static void entry(const struct schema_kind *kind, uint64_t generation, const char *comma, struct buf *out)
{
    char digest[65], *text = mem_printf("%s/%s %s %llu", kind->group, kind->version, KT_VERSION, kind->crd != NULL ? (unsigned long long)generation : 0ULL);
    if (text == NULL) {
        buf_fail(out);
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
