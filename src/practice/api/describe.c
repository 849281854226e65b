#include "practice/api/describe.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "net/crypto.h"
#include "practice/api/describe_internal.h"
#include "practice/api/openapi.h"

enum { DESCRIBE_KEPT = 1000 }; /* documents: a few for each group version */

/* One document, in one of its forms. */
struct kept {
    char *bytes;
    size_t length;
    char etag[80];
};

struct describe {
    struct api *api;
    struct map kept;     /* form and path -> struct kept */
    uint64_t generation; /* of the registry, when they were made */
};

static void kept_free(void *item)
{
    struct kept *kept = item;
    mem_free(kept->bytes);
    mem_free(kept);
}

struct describe *describe_new(struct api *api, struct error *err)
{
    struct describe *describe = mem_zero(1, sizeof *describe);
    if (describe == NULL) {
        error_memory(err);
        return NULL;
    }
    describe->api = api;
    describe->kept = map_make(DESCRIBE_KEPT, kept_free);
    return describe;
}

void describe_free(struct describe *describe)
{
    if (describe == NULL)
        return;
    map_free(&describe->kept);
    mem_free(describe);
}

/* ---- which form ---- */

struct form {
    const char *name; /* of the key that it is kept under */
    const char *type;
    bool aggregated, beta, protobuf;
};

static const struct form forms[] = {
    {"plain", "application/json", false, false, false},
    {"v2", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", true, false, false},
    {"v2beta1", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", true, true, false},
    {"protobuf", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", false, false, true},
};

static bool has_parameter(const char *range, size_t length, const char *wanted)
{
    size_t size = strlen(wanted);
    for (size_t at = 0; at + size <= length; at++)
        if (memcmp(range + at, wanted, size) == 0 && (at + size == length || strchr(" ;,", range[at + size]) != NULL))
            return true;
    return false;
}

/* The first media type of the Accept header that we have. NULL: none of them. Parameters may come in any order. */
static const struct form *choose_discovery(const char *accept)
{
    if (accept == NULL || accept[0] == '\0')
        return &forms[0];
    for (const char *range = accept; *range != '\0';) {
        size_t length = strcspn(range, ",");
        size_t type = strcspn(range, ";,");
        while (type > 0 && range[type - 1] == ' ')
            type--;
        bool any = (type == 3 && memcmp(range, "*/*", 3) == 0) || (type == 13 && memcmp(range, "application/*", 13) == 0);
        if (any || (type == 16 && memcmp(range, "application/json", 16) == 0)) {
            if (!has_parameter(range, length, "g=apidiscovery.k8s.io") && !has_parameter(range, length, "as=APIGroupDiscoveryList"))
                return &forms[0];
            if (has_parameter(range, length, "v=v2"))
                return &forms[1];
            if (has_parameter(range, length, "v=v2beta1"))
                return &forms[2];
        }
        range += length + (range[length] == ',');
        range += strspn(range, " ");
    }
    return NULL;
}

/* OpenAPI v2 is protobuf for those who name that first; it has an older name too. */
static const struct form *choose_openapi(const char *accept)
{
    const char *json = accept != NULL ? strstr(accept, "json") : NULL, *protobuf = accept != NULL ? strstr(accept, "application/com.github.proto-openapi.spec.v2") : NULL;
    return protobuf != NULL && (json == NULL || protobuf < json) ? &forms[3] : &forms[0];
}

static const struct form *choose_form(const char *path, const char *accept)
{
    const struct form *form = &forms[0];
    if (strcmp(path, "/openapi/v2") == 0)
        form = choose_openapi(accept);
    else if (strcmp(path, "/api") == 0 || strcmp(path, "/apis") == 0)
        form = choose_discovery(accept);
    return form != NULL ? form : &forms[0]; /* whatever was asked for, as the real server does */
}

/* ---- making ---- */

static void version_document(struct buf *out)
{
    buf_append_string(out, "{\"major\":\"1\",\"minor\":\"37\",\"emulationMajor\":\"1\",\"emulationMinor\":\"37\",\"minCompatibilityMajor\":\"1\",\"minCompatibilityMinor\":\"36\","
                           "\"gitVersion\":\"v1.37.2+kubetutor\",\"gitCommit\":\"\",\"gitTreeState\":\"clean\",\"buildDate\":\"1970-01-01T00:00:00Z\",\"goVersion\":\"none\","
                           "\"compiler\":\"none\",\"platform\":\"linux/amd64\"}");
}

/* "/apis/GROUP" or "/apis/GROUP/VERSION". */
static bool below_apis(const struct api *api, const char *rest, struct buf *out)
{
    const char *slash = strchr(rest, '/');
    if (slash == NULL)
        return discovery_group(api, rest, out);
    char *group = mem_string_n(rest, (size_t)(slash - rest));
    bool found = group != NULL && strchr(slash + 1, '/') == NULL && discovery_resources(api, group, slash + 1, out);
    mem_free(group);
    return found;
}

/* "GROUP/VERSION" */
static bool group_document(const struct api *api, const char *rest, struct buf *out)
{
    const char *slash = strchr(rest, '/');
    char *group = slash != NULL ? mem_string_n(rest, (size_t)(slash - rest)) : NULL;
    bool found = group != NULL && group[0] != '\0' && openapi3_document(api, group, slash + 1, out);
    mem_free(group);
    return found;
}

static bool make(const struct api *api, const char *path, const struct form *form, struct buf *out)
{
    if (strcmp(path, "/") == 0)
        discovery_paths(api, out);
    else if (strcmp(path, "/version") == 0)
        version_document(out);
    else if (strcmp(path, "/api") == 0 && form->aggregated)
        discovery_aggregated(api, true, form->beta, out);
    else if (strcmp(path, "/api") == 0)
        discovery_versions(api, out);
    else if (strcmp(path, "/apis") == 0 && form->aggregated)
        discovery_aggregated(api, false, form->beta, out);
    else if (strcmp(path, "/apis") == 0)
        discovery_groups(api, out);
    else if (strcmp(path, "/openapi/v2") == 0)
        openapi2_document(api, form->protobuf, out);
    else if (strcmp(path, "/openapi/v3") == 0)
        openapi3_index(api, out);
    else if (strncmp(path, "/openapi/v3/api/", 16) == 0)
        return openapi3_document(api, "", path + 16, out);
    else if (strncmp(path, "/openapi/v3/apis/", 17) == 0)
        return group_document(api, path + 17, out);
    else if (strncmp(path, "/api/", 5) == 0)
        return strchr(path + 5, '/') == NULL && discovery_resources(api, "", path + 5, out);
    else if (strncmp(path, "/apis/", 6) == 0)
        return below_apis(api, path + 6, out);
    else
        return false;
    return true;
}

static struct kept *keep(struct buf *text, bool tagged)
{
    struct kept *kept = mem_zero(1, sizeof *kept);
    char digest[65];
    if (kept == NULL || !buf_ok(text)) {
        mem_free(kept);
        return NULL;
    }
    if (tagged) {
        crypto_sha256_hex(text->bytes, text->length, digest);
        snprintf(kept->etag, sizeof kept->etag, "\"%s\"", digest);
    }
    kept->bytes = buf_take(text, &kept->length);
    return kept;
}

bool describe_answer(struct describe *describe, const char *path, const char *accept, struct described *out, struct status *failure)
{
    const struct form *form = choose_form(path, accept);
    uint64_t generation = registry_generation(describe->api->registry);
    if (generation != describe->generation) {
        map_free(&describe->kept);
        describe->generation = generation;
    }
    char *key = mem_printf("%s %s", form->name, path);
    struct kept *kept = key != NULL ? map_get(&describe->kept, key) : NULL;
    if (kept == NULL && key != NULL) {
        struct buf text = buf_make(DESCRIBE_TEXT);
        bool found = make(describe->api, path, form, &text);
        kept = found ? keep(&text, form->aggregated || strncmp(path, "/openapi/", 9) == 0) : NULL;
        buf_free(&text);
        if (!found) {
            mem_free(key);
            return false;
        }
        if (kept == NULL || !map_set(&describe->kept, key, kept))
            kept = NULL;
    }
    mem_free(key);
    if (kept == NULL)
        return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    *out = (struct described){.bytes = kept->bytes, .length = kept->length, .type = form->type};
    memcpy(out->etag, kept->etag, sizeof out->etag);
    return true;
}
