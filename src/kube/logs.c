#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "kube/internal.h"
#include "kube/streams.h"

enum { MAXIMUM_PATH = 4096, DEFAULT_MAXIMUM = 16 * 1024 * 1024 };

struct reader { /* the context of one call */
    char *what; /* "pods web in namespace learn" */
    void (*bytes)(void *data, const char *bytes, size_t length);
    void (*done)(void *data, const struct error *error);
    void *data;
};

static void reader_free(void *pointer)
{
    struct reader *reader = pointer;
    mem_free(reader->what);
    mem_free(reader);
}

static void on_bytes(void *data, const char *bytes, size_t length)
{
    struct reader *reader = data;
    reader->bytes(reader->data, bytes, length);
}

static void on_done(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    (void)answer;
    struct reader *reader = data;
    struct error err = ERROR_INIT;
    if (error != NULL && status->code >= 300) {
        kube_status_error(status, N_("read the log of"), reader->what, &err);
        error = &err;
    }
    reader->done(reader->data, error);
}

static struct reader *new_reader(const struct kube_logs_options *options)
{
    struct reader *reader = mem_zero(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    if (options->container != NULL)
        reader->what = mem_printf("container %s of pod %s in namespace %s", options->container, options->pod, options->ns);
    else
        reader->what = mem_printf("pod %s in namespace %s", options->pod, options->ns);
    if (reader->what == NULL) {
        mem_free(reader);
        return NULL;
    }
    return reader;
}

static void logs_query(struct buf *query, const struct kube_logs_options *options)
{
    char lines[32];
    snprintf(lines, sizeof lines, "%lld", (long long)options->tail_lines);
    kube_query(query, "container", options->container);
    kube_query(query, "follow", options->follow ? "true" : NULL);
    kube_query(query, "previous", options->previous ? "true" : NULL);
    kube_query(query, "timestamps", options->timestamps ? "true" : NULL);
    kube_query(query, "tailLines", options->tail_lines >= 0 ? lines : NULL);
}

struct kube_call *kube_logs(struct kube_client *client, const struct kube_logs_options *options,
                            void (*bytes)(void *data, const char *bytes, size_t length),
                            void (*done)(void *data, const struct error *error), void *data, struct error *err)
{
    static const struct kube_resource pods = {.group = "", .version = "v1", .plural = "pods", .namespaced = true};
    struct kube_target target = {.resource = &pods, .ns = options->ns, .name = options->pod, .subresource = "log"};
    struct buf path = buf_make(MAXIMUM_PATH), query = buf_make(MAXIMUM_PATH);
    struct kube_call *call = NULL;
    struct reader *reader = new_reader(options);
    logs_query(&query, options);
    if (reader == NULL || !buf_ok(&query)) {
        error_memory(err);
        goto end;
    }
    if (!kube_target_path(&target, &path, err))
        goto end;
    reader->bytes = bytes;
    reader->done = done;
    reader->data = data;
    struct kube_request request = {.method = "GET", .path = path.bytes, .query = query.bytes, .accept = "*/*"};
    request.maximum = options->maximum > 0 ? options->maximum : options->follow ? SIZE_MAX : DEFAULT_MAXIMUM;
    request.timeout_ms = options->follow ? -1 : 0;
    call = kube_send(client, &request, on_bytes, on_done, reader, err);
end:
    if (call != NULL)
        kube_call_own(call, reader, reader_free);
    else if (reader != NULL)
        reader_free(reader);
    buf_free(&query);
    buf_free(&path);
    return call;
}
