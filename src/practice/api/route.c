#include "practice/api/route.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "net/http.h"

enum { PARTS = 16 };

void route_free(struct route *route)
{
    mem_free(route->path);
    mem_free(route->asked);
    mem_free(route->parts);
    *route = (struct route){0};
}

/* Cuts at slashes, in place; the last part has the rest if there are more than `most`. */
static size_t cut(char *text, char *parts[], size_t most)
{
    size_t count = 0;
    for (char *at = text; count < most;) {
        parts[count++] = at;
        char *slash = count < most ? strchr(at, '/') : NULL;
        if (slash == NULL)
            break;
        *slash = '\0';
        at = slash + 1;
    }
    return count;
}

/* namespaces/NS/RESOURCE/..., else RESOURCE/NAME/SUB/...; a namespace's own subresources are its. */
static void name_parts(struct route *out, char *parts[], size_t count)
{
    if (strcmp(parts[0], "namespaces") == 0) {
        if (count > 1)
            out->ns = parts[1];
        if (count > 2 && strcmp(parts[2], "status") != 0 && strcmp(parts[2], "finalize") != 0) {
            parts += 2;
            count -= 2;
        }
    }
    out->resource = parts[0];
    out->name = count > 1 ? parts[1] : "";
    out->subresource = count > 2 ? parts[2] : "";
    out->rest = count > 3 ? parts[3] : "";
}

/* `text` is the path without its first slash. */
static void read_parts(struct route *out, char *text)
{
    char *parts[PARTS];
    bool core = strncmp(text, "api/", 4) == 0, grouped = strncmp(text, "apis/", 5) == 0;
    if (!core && !grouped)
        return;
    char *rest = strchr(text, '/') + 1;
    size_t fixed = core ? 1 : 2; /* version; group and version */
    size_t count = cut(rest, parts, fixed + 1);
    if (count <= fixed || parts[fixed][0] == '\0')
        return;
    out->group = core ? "" : parts[0];
    out->version = parts[fixed - 1];
    char *names = parts[fixed];
    if (strncmp(names, "watch/", 6) == 0) {
        out->old_watch = true;
        names += 6;
    }
    /* a namespace's parts may be two more than those of a plain resource */
    size_t most = strncmp(names, "namespaces/", 11) == 0 ? 6 : 4;
    count = cut(names, parts, most);
    out->is_resource = true;
    name_parts(out, parts, count);
}

bool route_parse(const char *path, struct route *out, struct status *failure)
{
    *out = (struct route){.group = "", .version = "", .resource = "", .subresource = "", .ns = "", .name = "", .rest = ""};
    out->path = http_unescape(path, strlen(path), false);
    if (out->path == NULL)
        return status_bad_request(failure, "the path of the request cannot be read");
    out->asked = mem_string(out->path);
    size_t length = strlen(out->path);
    out->slash = length > 1 && out->path[length - 1] == '/';
    while (length > 1 && out->path[length - 1] == '/')
        out->path[--length] = '\0';
    out->parts = mem_string(out->path + (length > 0));
    if (out->asked == NULL || out->parts == NULL)
        return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    read_parts(out, out->parts);
    return true;
}

static const struct {
    const char *method, *item, *collection;
} verb_names[] = {
    {"GET", "get", "list"},      {"HEAD", "get", "list"},     {"POST", "create", "create"},
    {"PUT", "update", "update"}, {"PATCH", "patch", "patch"}, {"DELETE", "delete", "deletecollection"},
};

void route_attributes(const struct route *route, const char *method, bool watch, const char *name, char out[static ROUTE_VERB],
                      struct attributes *attributes)
{
    size_t length = 0;
    for (; method[length] != '\0' && length + 1 < ROUTE_VERB; length++)
        out[length] = (char)tolower((unsigned char)method[length]);
    out[length] = '\0';
    *attributes = (struct attributes){.verb = out, .path = route->asked};
    if (!route->is_resource)
        return;
    bool item = route->name[0] != '\0';
    if (strcmp(method, "OPTIONS") == 0)
        out[0] = '\0';
    for (size_t i = 0; i < sizeof verb_names / sizeof *verb_names; i++)
        if (strcmp(verb_names[i].method, method) == 0)
            strcpy(out, item ? verb_names[i].item : verb_names[i].collection);
    if (route->old_watch || (watch && strcmp(out, "list") == 0))
        strcpy(out, "watch");
    attributes->path = NULL;
    attributes->group = route->group;
    attributes->version = route->version;
    attributes->resource = route->resource;
    attributes->subresource = route->subresource;
    attributes->ns = route->ns;
    attributes->name = item || name == NULL ? route->name : name;
}

bool route_is_below_group(const struct route *route, const struct registry *registry)
{
    const char *path = route->path;
    if (strncmp(path, "/api/", 5) == 0 || strncmp(path, "/version/", 9) == 0)
        return true;
    if (strncmp(path, "/apis/", 6) != 0)
        return false;
    size_t count, length = strcspn(path + 6, "/");
    const struct schema_kind *const *kinds = registry_kinds(registry, &count);
    for (size_t i = 0; i < count; i++)
        if (strlen(kinds[i]->group) == length && memcmp(kinds[i]->group, path + 6, length) == 0)
            return true;
    return false;
}

static const struct schema_subresource *find_sub(const struct schema_kind *kind, const char *name)
{
    for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++)
        if (strcmp(sub->name, name) == 0)
            return sub;
    return NULL;
}

/* What a method may be there: on one object (or a subresource), or on all. */
static unsigned verb_of(const char *method, bool item, bool watch)
{
    static const struct {
        const char *method;
        unsigned item, all;
    } verbs[] = {
        {"GET", VERB_GET, VERB_LIST},
        {"POST", 0, VERB_CREATE},
        {"PUT", VERB_UPDATE, 0},
        {"PATCH", VERB_PATCH, 0},
        {"DELETE", VERB_DELETE, VERB_DELETE_COLLECTION},
    };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].method, method) == 0) {
            unsigned verb = item ? verbs[i].item : verbs[i].all;
            return verb == VERB_LIST && watch ? VERB_WATCH : verb;
        }
    return 0;
}

/* The verbs that a path's kind of place knows at all; none: there is no such place. */
static unsigned verbs_there(const struct route *route)
{
    enum { ITEM = VERB_GET | VERB_UPDATE | VERB_PATCH | VERB_DELETE, ALL = VERB_LIST | VERB_WATCH | VERB_CREATE | VERB_DELETE_COLLECTION };
    const struct schema_kind *kind = route->kind;
    if (route->sub != NULL)
        return route->sub->verbs;
    if (route->name[0] != '\0')
        return kind->verbs & ITEM;
    if (kind->namespaced && route->ns[0] == '\0')
        return kind->verbs & (VERB_LIST | VERB_WATCH);
    return kind->verbs & ALL;
}

static bool no_such_path(struct status *failure)
{
    status_no_such_path(failure);
    failure->detailed = true;
    return false;
}

bool route_find(struct route *route, const struct registry *registry, const char *method, bool watch, struct status *failure, bool *plain)
{
    *plain = false;
    if (!route->is_resource || !route_is_below_group(route, registry)) {
        *plain = true;
        return no_such_path(failure);
    }
    bool item = route->name[0] != '\0', own_ns = strcmp(route->resource, "namespaces") == 0;
    route->kind = registry_find(registry, route->group, route->version, route->resource);
    if (route->kind == NULL || (route->kind->namespaced && item && route->ns[0] == '\0') ||
        (!route->kind->namespaced && route->ns[0] != '\0' && !own_ns))
        return no_such_path(failure);
    route->sub = route->subresource[0] != '\0' ? find_sub(route->kind, route->subresource) : NULL;
    if ((route->subresource[0] != '\0' && route->sub == NULL) || (route->rest[0] != '\0' && strcmp(route->subresource, "proxy") != 0))
        return no_such_path(failure);
    unsigned there = verbs_there(route);
    if (there == 0)
        return no_such_path(failure);
    bool proxied = route->sub != NULL && strcmp(route->sub->name, "proxy") == 0;
    if (proxied && (strcmp(method, "HEAD") == 0 || strcmp(method, "OPTIONS") == 0))
        method = "GET"; /* they are passed on like others */
    unsigned verb = route->sub != NULL && strcmp(method, "POST") == 0 ? VERB_CREATE : verb_of(method, item, watch || route->old_watch);
    if (item && route->old_watch && strcmp(method, "GET") == 0) { /* a watch of one object */
        verb = VERB_WATCH;
        there = route->kind->verbs;
    }
    if ((there & verb) == 0) {
        status_method_not_allowed(failure, NULL, "");
        failure->detailed = true;
        return false;
    }
    route->verb = (enum schema_verb)verb;
    if (own_ns)
        route->ns = ""; /* access rules see the namespace as its own; the object has none */
    return true;
}
