#include <string.h>
#include <strings.h>

#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/internal.h"
#include "kube/streams.h"

enum { MAXIMUM_PATH = 16384, MAXIMUM_ANSWER = 8 * 1024 * 1024 };

struct visit {  /* the context of one call */
    char *what; /* "services web in namespace learn" */
    void (*done)(void *data, const struct kube_answer *answer, const struct error *error);
    void *data;
};

static void visit_free(void *pointer)
{
    struct visit *visit = pointer;
    mem_free(visit->what);
    mem_free(visit);
}

/* Did the API server answer, not what stands behind it? Its own answers are Status objects; old ones tell of a backend that
 * cannot be reached in plain text. */
static bool from_api_server(const struct kube_answer *answer)
{
    static const char unreachable[] = "error trying to reach service";
    if (answer->length >= sizeof unreachable - 1 && strncasecmp(answer->body, unreachable, sizeof unreachable - 1) == 0)
        return true;
    if (answer->length == 0 || answer->body[0] != '{')
        return false;
    struct value *body = json_parse(answer->body, answer->length, "the answer", NULL);
    const char *kind = value_find_text(body, "kind", NULL), *version = value_find_text(body, "apiVersion", NULL);
    bool status = kind != NULL && strcmp(kind, "Status") == 0 && version != NULL && strcmp(version, "v1") == 0;
    value_free(body);
    return status;
}

static void on_done(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct visit *visit = data;
    struct error err = ERROR_INIT;
    if (error == NULL || (status->code >= 300 && !from_api_server(answer))) {
        visit->done(visit->data, answer, NULL);
        return;
    }
    err = *error;
    if (status->code >= 300)
        kube_status_error(status, N_("reach"), visit->what, &err);
    if (status->code == 502 || status->code == 503 ||
        (status->code == 500 && strstr(status->message, "trying to reach service") != NULL))
        err.kind = ERROR_UNREACHABLE;
    visit->done(visit->data, answer, &err);
}

/* The path is the backend's; a dot segment could lead out of its part of the API server's paths. */
static bool path_ok(const char *path, size_t length, struct error *err)
{
    for (size_t start = 0; start < length;) {
        size_t end = start;
        while (end < length && path[end] != '/')
            end++;
        size_t n = end - start;
        if ((n == 1 && path[start] == '.') || (n == 2 && path[start] == '.' && path[start + 1] == '.'))
            return error_set(err, ERROR_INPUT, NULL, "the path %.200s has a part \"%.*s\"", path, (int)n, path + start);
        start = end + 1;
    }
    return true;
}

static void append_escaped(struct buf *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c <= ' ' || c >= 0x7f || strchr("\"#<>\\^`{|}", c) != NULL)
            buf_printf(out, "%%%02X", c);
        else
            buf_append(out, text + i, 1);
    }
}

static bool visit_path(struct buf *out, const char *ns, const char *kind, const char *name, const char *port, const char *path,
                       size_t length, struct error *err)
{
    const struct kube_resource resource = {.group = "", .version = "v1", .plural = kind, .namespaced = true};
    if (name == NULL || name[0] == '\0')
        return error_set(err, ERROR_INPUT, NULL, "the name is empty");
    char *part = port != NULL && port[0] != '\0' ? mem_printf("%s:%s", name, port) : mem_string(name);
    if (part == NULL)
        return error_memory(err);
    struct kube_target target = {.resource = &resource, .ns = ns, .name = part, .subresource = "proxy"};
    bool ok = path_ok(path, length, err) && kube_target_path(&target, out, err);
    mem_free(part);
    if (!ok)
        return false;
    if (length == 0 || path[0] != '/')
        buf_append_string(out, "/");
    append_escaped(out, path, length);
    return buf_ok(out) || error_set(err, ERROR_LIMIT, NULL, "the path is too long");
}

struct kube_call *kube_proxy(struct kube_client *client, const char *ns, const char *kind, const char *name, const char *port,
                             const char *method, const char *path,
                             void (*done)(void *data, const struct kube_answer *answer, const struct error *error), void *data,
                             struct error *err)
{
    struct buf out = buf_make(MAXIMUM_PATH), query = buf_make(MAXIMUM_PATH);
    struct kube_call *call = NULL;
    struct visit *visit = NULL;
    size_t length = strcspn(path, "?");
    if (path[length] == '?')
        append_escaped(&query, path + length + 1, strlen(path + length + 1));
    if (!visit_path(&out, ns, kind, name, port, path, length, err))
        goto end;
    visit = mem_zero(1, sizeof *visit);
    if (visit == NULL || !buf_ok(&query)) {
        error_memory(err);
        goto end;
    }
    *visit = (struct visit){
        .what = mem_printf("%s %s%s%s in namespace %s", kind, name, port != NULL ? ":" : "", port != NULL ? port : "", ns),
        .done = done,
        .data = data};
    if (visit->what == NULL) {
        error_memory(err);
        goto end;
    }
    struct kube_request request = {.method = method,
                                   .path = out.bytes,
                                   .query = query.bytes,
                                   .accept = "*/*",
                                   .maximum = MAXIMUM_ANSWER,
                                   .no_retry = true};
    call = kube_send(client, &request, NULL, on_done, visit, err);
end:
    if (call != NULL)
        kube_call_own(call, visit, visit_free);
    else if (visit != NULL)
        visit_free(visit);
    buf_free(&query);
    buf_free(&out);
    return call;
}
