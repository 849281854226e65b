#include "practice/api/connect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/access.h"
#include "practice/api/lookup.h"

enum { REFUSAL = 64 << 10 };

static const struct {
    const char *plural, *sub;
    void (*serve)(struct exchange *exchange);
} paths[] = {
    {"pods", "log", log_serve},     {"pods", "exec", remote_serve}, {"pods", "attach", remote_serve},    {"pods", "portforward", forward_serve},
    {"pods", "proxy", proxy_serve}, {"nodes", "proxy", proxy_serve}, {"services", "proxy", proxy_serve},
};

static size_t find(const struct route *route)
{
    size_t at = 0, count = sizeof paths / sizeof *paths;
    if (route->kind == NULL || route->sub == NULL || route->kind->group[0] != '\0')
        return count;
    while (at < count && (strcmp(paths[at].plural, route->kind->plural) != 0 || strcmp(paths[at].sub, route->sub->name) != 0))
        at++;
    return at;
}

bool connect_is(const struct server *server, const struct route *route)
{
    return server->api.backend != NULL && find(route) < sizeof paths / sizeof *paths;
}

void connect_serve(struct exchange *x)
{
    paths[find(&x->route)].serve(x);
}

void connect_open(struct api *api, struct open_stream *stream, void (*cut)(struct open_stream *stream))
{
    stream->cut = cut;
    stream->listed = true;
    LIST_INSERT_HEAD(&api->streams, stream, entry);
}

void connect_close(struct open_stream *stream)
{
    if (stream->listed)
        LIST_REMOVE(stream, entry);
    stream->listed = false;
}

void api_set_backend(struct api *api, const struct backend *backend)
{
    struct open_stream *stream;
    while ((stream = LIST_FIRST(&api->streams)) != NULL)
        stream->cut(stream);
    api->backend = backend;
}

/* --- Pods --- */

bool connect_pod(struct exchange *x, struct value **pod)
{
    const struct object *found = lookup(&x->server->api, "", "pods", x->route.ns, x->route.name);
    if (found == NULL)
        return status_not_found(&x->failure, x->route.kind, x->route.name);
    *pod = lookup_value(found);
    return *pod != NULL || status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
}

static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

bool connect_container(const struct value *pod, const char *name, const char **container, struct status *failure)
{
    const struct value *containers = value_find(pod, "spec", "containers", NULL);
    const char *pod_name = value_find_text(pod, "metadata", "name", NULL);
    if (name[0] == '\0' && value_length(containers) == 1) {
        *container = value_find_text(value_first(containers), "name", NULL);
        return true;
    }
    struct buf names = buf_make(REFUSAL);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct value *item = value_first(value_find(pod, "spec", lists[i], NULL)); item != NULL; item = value_next(item)) {
            const char *has = value_find_text(item, "name", NULL);
            if (strcmp(has, name) == 0) {
                *container = name;
                buf_free(&names);
                return true;
            }
            buf_printf(&names, "%s%s", names.length > 0 ? " " : "", has);
        }
    if (name[0] != '\0')
        status_bad_request(failure, "container %s is not valid for pod %s", name, pod_name);
    else
        status_bad_request(failure, "a container name must be specified for pod %s, choose one of: [%s]", pod_name, names.bytes != NULL ? names.bytes : "");
    buf_free(&names);
    return false;
}

bool connect_needs_node(const struct value *pod, struct status *failure)
{
    const char *node = value_find_text(pod, "spec", "nodeName", NULL);
    if (node != NULL && node[0] != '\0')
        return true;
    return status_bad_request(failure, "pod %s does not have a host assigned", value_find_text(pod, "metadata", "name", NULL));
}

bool connect_may_create(struct exchange *x)
{
    char verb[ROUTE_VERB];
    struct attributes what;
    route_attributes(&x->route, x->method, false, NULL, verb, &what);
    what.verb = "create";
    struct buf reason = buf_make(REFUSAL);
    bool allowed = access_allowed(x->server->api.access, &x->user, &what, &reason);
    if (!allowed)
        status_forbidden(&x->failure, "", "pods", x->route.name, "%s", reason.bytes != NULL ? reason.bytes : "");
    buf_free(&reason);
    return allowed;
}

/* --- upgrades --- */

const char *connect_negotiate(const char *theirs, const char *const *ours)
{
    while (theirs != NULL && *theirs != '\0') {
        theirs += strspn(theirs, " \t,");
        size_t length = strcspn(theirs, ", \t");
        for (const char *const *mine = ours; *mine != NULL && length > 0; mine++)
            if (strlen(*mine) == length && memcmp(*mine, theirs, length) == 0)
                return *mine;
        theirs += length;
    }
    return NULL;
}

void connect_refuse(struct exchange *x, int code, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text - 1, format, list);
    va_end(list);
    size_t end = length < 0 ? 0 : (size_t)length < sizeof text - 2 ? (size_t)length : sizeof text - 2;
    text[end] = '\n';
    exchange_text(x, code, NULL, text, end + 1);
}

void connect_refuse_status(struct exchange *x)
{
    connect_refuse(x, x->failure.code, "%s", x->failure.message != NULL ? x->failure.message : "out of memory");
}

void connect_refuse_protocol(struct exchange *x, const char *theirs, const char *const *ours)
{
    struct buf list = buf_make(REFUSAL);
    if (theirs == NULL) {
        connect_refuse(x, 400, "unable to upgrade: X-Stream-Protocol-Version is required");
        return;
    }
    for (const char *const *mine = ours; *mine != NULL; mine++) {
        http_add_header(x->request, "X-Accepted-Stream-Protocol-Versions", *mine);
        buf_printf(&list, "%s%s", list.length > 0 ? " " : "", *mine);
    }
    connect_refuse(x, 403, "unable to upgrade: unable to negotiate protocol: client supports [%s], server accepts [%s]", theirs, list.bytes != NULL ? list.bytes : "");
    buf_free(&list);
}
