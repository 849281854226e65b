#include "practice/api/server.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/crypto.h"
#include "practice/api/access.h"
#include "practice/api/bootstrap.h"
#include "practice/api/connect.h"
#include "practice/api/event_life.h"
#include "practice/api/keeper.h"
#include "practice/api/selector.h"
#include "practice/api/serve.h"
#include "practice/api/user.h"

enum { EXTRA_KEYS = 64 };

/* ---- one request, up to the point where it is known what and who it is */

static void add_headers(struct exchange *x)
{
    char id[40];
    struct server *server = x->server;
    uint64_t number = ++server->number, salt = server->salt;
    snprintf(id, sizeof id, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(salt >> 32), (unsigned)(salt >> 16 & 0xffff), (unsigned)(salt >> 4 & 0xfff),
             (unsigned)(salt & 0xfff) >> 4, (unsigned long long)(number & 0xffffffffffff));
    http_add_header(x->request, "Audit-Id", id);
    http_add_header(x->request, "Cache-Control", "no-cache, private");
}

/* Impersonate-Extra-NAME headers as {"name":["value", ...]}; NULL: there are none. False: no memory. */
static bool read_extra(struct exchange *x, struct value **extra)
{
    static const char prefix[] = "Impersonate-Extra-";
    const char *name, *text;
    size_t cursor = 0, count = 0;
    *extra = NULL;
    while (http_next_header(x->request, &cursor, &name, &text)) {
        if (strncasecmp(name, prefix, sizeof prefix - 1) != 0 || ++count > EXTRA_KEYS)
            continue;
        char *key = http_unescape(name + sizeof prefix - 1, strlen(name) - (sizeof prefix - 1), false);
        for (char *at = key; at != NULL && *at != '\0'; at++)
            *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
        if (*extra == NULL)
            *extra = value_object();
        struct value *list = key != NULL ? value_get(*extra, key) : NULL;
        if (list == NULL && key != NULL && value_set(*extra, key, value_array()))
            list = value_get(*extra, key);
        mem_free(key);
        if (list == NULL || !value_append(list, value_string(text))) {
            value_free(*extra);
            return false;
        }
    }
    return true;
}

static bool authenticate(struct exchange *x, const struct attributes *what)
{
    const char *const *organizations = NULL;
    const char *peer = http_peer(x->request, &organizations);
    struct value *extra;
    if (!read_extra(x, &extra))
        return status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
    struct credentials credentials = {
        .common_name = peer,
        .organizations = organizations,
        .authorization = http_header(x->request, "Authorization"),
        .impersonate_user = http_header(x->request, "Impersonate-User"),
        .impersonate_uid = http_header(x->request, "Impersonate-Uid"),
        .impersonate_groups = http_header(x->request, "Impersonate-Group"),
        .impersonate_extra = extra,
        .request = what,
    };
    bool known = access_authenticate(x->server->api.access, &credentials, &x->user, NULL, &x->failure);
    value_free(extra);
    return known;
}

/* The one name that a list or watch is about, as access rules see it. NULL: none. The caller frees. */
static char *name_of_fields(const struct exchange *x)
{
    bool lists = x->route.is_resource && x->route.name[0] == '\0' && strcmp(x->method, "GET") == 0;
    return lists ? selector_name(query_get(&x->query, "fieldSelector")) : NULL;
}

static bool allow(struct exchange *x)
{
    char verb[ROUTE_VERB];
    struct attributes what;
    char *name = name_of_fields(x);
    route_attributes(&x->route, x->method, query_is_true(&x->query, "watch"), name, verb, &what);
    bool allowed = authenticate(x, &what) && access_require(x->server->api.access, &x->user, &what, &x->failure);
    mem_free(name);
    return allowed;
}

static void not_found(struct exchange *x)
{
    static const char text[] = "404 page not found\n";
    exchange_text(x, 404, NULL, text, sizeof text - 1);
}

/* Reviews, bindings, and subresources that can only be posted. */
static bool is_review(const struct route *route)
{
    return route->kind->verbs == VERB_CREATE || (route->sub != NULL && route->sub->verbs == VERB_CREATE);
}

/* Finds the kind, reads the options, settles the form. */
static bool prepare(struct exchange *x, bool *plain)
{
    const char *pretty = query_get(&x->query, "pretty"), *accept = http_header(x->request, "Accept"), *agent = http_header(x->request, "User-Agent");
    bool watch = query_is_true(&x->query, "watch");
    *plain = false;
    if (!route_find(&x->route, x->server->api.registry, x->method, watch, &x->failure, plain))
        return false;
    registry_hold(x->server->api.registry, x->route.kind);
    if (connect_is(x->server, &x->route))
        return true; /* what it answers has no form */
    bool streams = x->route.verb == VERB_WATCH, lists = streams || x->route.verb == VERB_LIST;
    return negotiate(accept, agent, pretty,
                     streams ? NEGOTIATE_WATCH
                     : lists ? NEGOTIATE_LIST
                     : is_review(&x->route) ? NEGOTIATE_REVIEW
                                            : NEGOTIATE_OBJECT,
                     &x->format, &x->failure) &&
           (!lists || options_list(&x->query, &x->list, &x->failure));
}

static void serve(struct exchange *x)
{
    bool plain = false;
    struct format fallback = {0};
    if (negotiate(NULL, http_header(x->request, "User-Agent"), query_get(&x->query, "pretty"), NEGOTIATE_OBJECT, &fallback, &x->failure))
        x->format = fallback;
    if (x->query.failed || !route_parse(http_path(x->request), &x->route, &x->failure) || !allow(x))
        exchange_fail(x);
    else if (!x->route.is_resource)
        other_serve(x);
    else if (prepare(x, &plain))
        exchange_run(x);
    else if (plain)
        not_found(x);
    else
        exchange_fail(x);
}

static void on_request(void *data, struct http_request *request)
{
    struct server *server = data;
    static const char sorry[] = "out of memory\n";
    struct exchange *x = mem_zero(1, sizeof *x);
    if (server->options.activity != NULL)
        server->options.activity(server->options.data);
    if (x == NULL) {
        http_answer(request, 500, "text/plain", sorry, sizeof sorry - 1);
        return;
    }
    x->server = server;
    x->request = request;
    x->method = http_method(request);
    x->query = query_parse(http_query(request));
    x->duplicates = vec_make(100, mem_free);
    x->body = buf_make(EXCHANGE_TEXT);
    server->open++;
    add_headers(x);
    serve(x);
}

/* ---- the server */

static int64_t wall(void *data)
{
    (void)data;
    return clock_wall_ms();
}

/* CustomResourceDefinitions changed: watches of kinds that are gone end. An expired cursor stays as it is until everything is settled anew. */
static void crds_changed(void *data)
{
    struct server *server = data;
    struct state_event event;
    while (server->crds != NULL && state_watch_next(server->crds, &event) == STATE_EVENT)
        ;
    watch_check_kinds(server);
}

static bool follow_crds(struct server *server, struct error *err)
{
    const struct schema_kind *kind = registry_find(server->api.registry, "apiextensions.k8s.io", "v1", "customresourcedefinitions");
    state_watch_free(server->crds);
    server->crds = NULL;
    if (kind == NULL)
        return true;
    server->crds = state_watch_new(server->api.state, registry_resource(server->api.registry, kind), NULL, state_committed(server->api.state),
                                   crds_changed, server, err);
    crds_changed(server); /* nothing yet: from now on it calls */
    return server->crds != NULL;
}

static bool listen_at(struct server *server, const struct server_options *options, struct error *err)
{
    struct http_options http = {
        .address = options->address,
        .port = options->port,
        .certificate = options->certificate,
        .key = options->key,
        .client_authority = options->authority,
        .request = on_request,
        .data = server,
        .log = options->log,
    };
    server->http = http_server_new(server->api.loop, &http, err);
    if (server->http == NULL)
        return false;
    server->api.port = http_server_port(server->http);
    return true;
}

/* Everything that stands on the state. */
static bool build(struct server *server, struct error *err)
{
    struct api *api = &server->api;
    return (api->registry = registry_new(api->state, err)) != NULL && (api->access = access_new(api, err)) != NULL &&
           (server->describe = describe_new(api, err)) != NULL && (server->definitions = definitions_new(api, err)) != NULL;
}

static bool keep_texts(struct server *server, const struct server_options *options)
{
    server->authority = mem_string(options->authority);
    server->host = mem_string(options->address);
    server->options = *options;
    server->options.state_path = server->options.address = server->options.certificate = server->options.key = server->options.authority =
        server->options.token_key = NULL;
    server->api.authority = server->authority;
    server->api.host = server->host;
    return server->authority != NULL && server->host != NULL;
}

static bool start(struct server *server, struct loop *loop, const struct server_options *options, struct error *err)
{
    struct api *api = &server->api;
    api->loop = loop;
    api->log = options->log;
    if ((api->clock = cluster_clock_new(loop, options->clock_offset_ms, err)) == NULL)
        return false;
    if (!keep_texts(server, options))
        return error_memory(err);
    if (!crypto_random(&server->salt, sizeof server->salt, err))
        return false;
    server->token_key = crypto_key_read(options->token_key, err);
    if (server->token_key == NULL)
        return false;
    api->token_key = server->token_key;
    api->state = state_open(options->state_path, loop, wall, NULL, err);
    return api->state != NULL && build(server, err) && listen_at(server, options, err) && bootstrap(api, err) &&
           definitions_settle(server->definitions, err) && state_commit(api->state, err) && follow_crds(server, err) &&
           (server->keeper = keeper_new(api, err)) != NULL && (server->event_life = event_life_new(api, err)) != NULL;
}

struct server *server_new(struct loop *loop, const struct server_options *options, struct error *err)
{
    struct server *server = mem_zero(1, sizeof *server);
    if (server == NULL) {
        error_memory(err);
        return NULL;
    }
    server->metrics = metrics_make();
    server->started_ms = clock_wall_ms();
    if (start(server, loop, options, err))
        return server;
    server_free(server);
    return NULL;
}

uint16_t server_port(const struct server *server)
{
    return server->api.port;
}

struct api *server_api(struct server *server)
{
    return &server->api;
}

size_t server_open_requests(const struct server *server)
{
    return server->open;
}

size_t server_watches(const struct server *server)
{
    size_t count = 0;
    for (const struct watch *watch = server->watches; watch != NULL; watch = watch_next(watch))
        count++;
    return count;
}

bool server_save(struct server *server, const char *path, void (*fn)(void *data, const struct error *err), void *data, struct error *err)
{
    return state_save(server->api.state, path, fn, data, err);
}

/* After everything changed at once: what must be there is there, and those who follow the state look again. */
static bool settle(struct server *server, struct error *err)
{
    return definitions_settle(server->definitions, err) && bootstrap(&server->api, err) && access_aggregate(server->api.access, err) &&
           state_commit(server->api.state, err) && follow_crds(server, err);
}

bool server_load(struct server *server, const char *path, struct error *err)
{
    const struct schema_kind *namespaces = registry_find(server->api.registry, "", "v1", "namespaces");
    /* the uid of kube-system is known as the cluster's */
    const struct state_keep keep[] = {{registry_resource(server->api.registry, namespaces), "", "kube-system"}, {0}};
    return state_load(server->api.state, path, keep, err) && settle(server, err);
}

bool server_reset(struct server *server, struct error *err)
{
    return state_reset(server->api.state, err) && settle(server, err);
}

void server_free(struct server *server)
{
    if (server == NULL)
        return;
    http_server_free(server->http); /* streams end here; answers that wait for a commit go nowhere */
    state_watch_free(server->crds);
    event_life_free(server->event_life);
    keeper_free(server->keeper);
    if (server->definitions != NULL)
        definitions_free(server->definitions);
    if (server->describe != NULL)
        describe_free(server->describe);
    if (server->api.access != NULL)
        access_free(server->api.access);
    server->api.access = NULL;
    state_close(server->api.state);
    cluster_clock_free(server->api.clock);
    if (server->api.registry != NULL)
        registry_free(server->api.registry);
    crypto_key_free(server->token_key);
    metrics_free(&server->metrics);
    mem_free(server->authority);
    mem_free(server->host);
    mem_free(server);
}
