/* other: paths that are no resources. */
#include <string.h>

#include "practice/api/serve.h"

enum { TEXT = 4 << 20 };

static void not_found(struct exchange *x)
{
    static const char text[] = "404 page not found\n";
    exchange_text(x, 404, NULL, text, sizeof text - 1);
}

static void metrics(struct exchange *x)
{
    struct buf text = buf_make(TEXT);
    size_t watches = server_watches(x->server);
    metrics_print(&x->server->metrics,
                  &(struct metrics_now){
                      .api = &x->server->api,
                      .open_requests = x->server->open - watches,
                      .watches = watches,
                      .connections = http_server_connections(x->server->http),
                      .started_ms = x->server->started_ms,
                  },
                  &text);
    if (buf_ok(&text))
        exchange_text(x, 200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", text.bytes, text.length);
    else
        exchange_fail(x);
    buf_free(&text);
}

void server_answer(struct exchange *asked, int code, const struct buf *json)
{
    if (buf_ok(json))
        exchange_text(asked, code, "application/json", json->bytes != NULL ? json->bytes : "", json->length);
    else
        exchange_fail(asked);
}

/* What the program around the server does when it is asked (server.h). */
static bool control(struct exchange *x)
{
    static const char prefix[] = "/kubetutor/";
    const struct server_options *options = &x->server->options;
    if (options->control == NULL || strncmp(x->route.path, prefix, sizeof prefix - 1) != 0 || strcmp(x->method, "POST") != 0)
        return false;
    options->control(options->data, x->route.path + sizeof prefix - 1, http_query(x->request), x);
    return true;
}

static bool is_described(const char *path)
{
    static const char *const roots[] = {"/", "/version", "/api", "/apis", "/openapi/v2", "/openapi/v3"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        size_t length = strlen(roots[i]);
        if (strncmp(path, roots[i], length) == 0 && (path[length] == '\0' || (path[length] == '/' && length > 1)))
            return true;
    }
    return false;
}

static bool has_etag(const struct exchange *x, const char *etag)
{
    const char *known = http_header(x->request, "If-None-Match");
    return etag[0] != '\0' && known != NULL && strstr(known, etag) != NULL;
}

/* JSON documents take the form that was asked for; protobuf and what has an ETag go as they are. */
static void send_described(struct exchange *x, const struct described *document)
{
    if (document->etag[0] != '\0') {
        http_add_header(x->request, "Etag", document->etag);
        http_add_header(x->request, "Vary", "Accept");
    }
    if (has_etag(x, document->etag)) {
        http_answer(x->request, 304, NULL, NULL, 0);
        exchange_end(x, 304);
        return;
    }
    bool shaped = x->format.pretty && strcmp(document->type, "application/json") == 0 && document->etag[0] == '\0';
    if (!shaped) {
        exchange_text(x, 200, document->type, document->bytes, document->length);
        return;
    }
    struct buf text = buf_make(EXCHANGE_TEXT);
    size_t length = document->length > 0 && document->bytes[document->length - 1] == '\n' ? document->length - 1 : document->length;
    buf_append(&text, document->bytes, length);
    if (exchange_shape(&x->format, &text))
        exchange_text(x, 200, document->type, text.bytes, text.length);
    else
        exchange_fail(x);
    buf_free(&text);
}

static bool described(struct exchange *x)
{
    struct described document = {0};
    const char *accept = http_header(x->request, "Accept");
    if (!is_described(x->route.path))
        return false;
    if (strcmp(x->method, "GET") != 0) {
        status_method_not_allowed(&x->failure, NULL, "");
        x->failure.detailed = true;
        exchange_fail(x);
        return true;
    }
    if (describe_answer(x->server->describe, x->route.path, accept, &document, &x->failure)) {
        send_described(x, &document);
        return true;
    }
    if (x->failure.code == 0)
        return false;
    exchange_fail(x);
    return true;
}

static bool token_discovery(struct exchange *x)
{
    const char *type = token_discovery_type(x->route.path);
    if (type == NULL)
        return false;
    struct buf text = buf_make(TEXT);
    if (strcmp(x->method, "GET") != 0) {
        status_method_not_allowed(&x->failure, NULL, "");
        x->failure.detailed = true;
        exchange_fail(x);
    } else if (token_discovery_print(&x->server->api, x->route.path, &text)) {
        http_add_header(x->request, "Cache-Control", "public, max-age=3600");
        exchange_text(x, 200, type, text.bytes, text.length);
    } else {
        exchange_fail(x);
    }
    buf_free(&text);
    return true;
}

void other_serve(struct exchange *x)
{
    x->format.yaml = false;
    x->format.as = AS_OBJECT;
    bool exact = !x->route.slash;
    if ((exact && (health_serve(x) || token_discovery(x))) || control(x) || described(x))
        return;
    if (exact && strcmp(x->route.path, "/metrics") == 0 && strcmp(x->method, "GET") == 0) {
        metrics(x);
    } else if (route_is_below_group(&x->route, x->server->api.registry)) {
        status_no_such_path(&x->failure);
        x->failure.detailed = true;
        exchange_fail(x);
    } else {
        not_found(x);
    }
}
