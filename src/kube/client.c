#include "kube/client.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "kube/call.h"

void client_link(struct kube_call *call)
{
    struct kube_client *client = call->client;
    call->next = client->calls;
    if (call->next != NULL)
        call->next->previous = call;
    client->calls = call;
}

static void leave_ready(struct kube_call *call)
{
    struct kube_client *client = call->client;
    if (!call->is_ready)
        return;
    *(call->ready_previous != NULL ? &call->ready_previous->ready_next : &client->ready) = call->ready_next;
    *(call->ready_next != NULL ? &call->ready_next->ready_previous : &client->ready_last) = call->ready_previous;
    call->ready_previous = call->ready_next = NULL;
    call->is_ready = false;
}

void client_unlink(struct kube_call *call)
{
    struct kube_client *client = call->client;
    leave_ready(call);
    if (client->probe == call)
        client->probe = NULL;
    if (call->previous != NULL)
        call->previous->next = call->next;
    else if (client->calls == call)
        client->calls = call->next;
    if (call->next != NULL)
        call->next->previous = call->previous;
    call->previous = call->next = NULL;
}

void client_make_ready(struct kube_call *call)
{
    struct kube_client *client = call->client;
    if (call->is_ready)
        return;
    call->is_ready = true;
    call->ready_previous = client->ready_last;
    *(client->ready_last != NULL ? &client->ready_last->ready_next : &client->ready) = call;
    client->ready_last = call;
    loop_set_timer(client->kick, 0);
}

/* Calls and streams end with this; connections are dropped. */
static void lose(struct kube_client *client, const struct error *why)
{
    for (struct kube_call *call = client->calls; call != NULL; call = call->next)
        if (call->state == CALL_RUNS)
            call_fail(call, why);
    stream_fail_all(client, why);
    struct error ignored = ERROR_INIT;
    if (!transport_renew(client->transport, &ignored) && client->log != NULL)
        log_line(client->log, "no memory for a new connection");
}

/* Serves what is ready now; what becomes ready meanwhile by the receivers' own doing waits for the next round, so that nobody starves. */
static void serve(struct kube_client *client)
{
    bool freed = false;
    size_t count = 0;
    if (client->serving)
        return;
    for (const struct kube_call *call = client->ready; call != NULL; call = call->ready_next)
        count++;
    client->serving = true;
    client->freed = &freed;
    for (; count > 0 && client->ready != NULL; count--) {
        struct kube_call *call = client->ready;
        leave_ready(call);
        call_serve(call);
        if (freed)
            return;
    }
    client->freed = NULL;
    client->serving = false;
}

static void on_kick(void *data)
{
    serve(data);
}

static void on_progress(void *data)
{
    struct kube_client *client = data;
    CURLcode result;
    for (CURL *easy; (easy = transport_next_done(client->transport, &result)) != NULL;) {
        struct transfer *transfer = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
        if (transfer->is_stream)
            stream_curl_done((struct kube_stream *)transfer, result);
        else {
            struct kube_call *call = (struct kube_call *)transfer;
            call->curl_ended = true;
            call->result = result;
            client_make_ready(call);
        }
    }
    if (transport_broken(client->transport)) {
        struct error memory = ERROR_INIT;
        error_memory(&memory);
        lose(client, &memory);
    }
    serve(client);
}

static void on_credentials(void *data, const struct error *error)
{
    struct kube_client *client = data;
    for (struct kube_call *call = client->calls; call != NULL; call = call->next)
        if (call->state == CALL_NEEDS_CREDENTIALS)
            call_credentials(call, error);
    stream_credentials_all(client, error);
}

static void on_terminal(void *data, bool taken)
{
    const struct kube_client *client = data;
    if (client->on_terminal != NULL)
        client->on_terminal(client->terminal_data, taken);
}

static void on_probe(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct kube_client *client = data;
    (void)answer, (void)status;
    client->probe = NULL;
    if (error == NULL || client->heard_at >= client->probed_at || error->kind == ERROR_MEMORY) /* any answer is life */
        return;
    struct error why = ERROR_INIT;
    error_set(&why, ERROR_UNREACHABLE, client->config->server, "the API server %s does not answer any more", client->endpoint.authority);
    lose(client, &why);
}

void client_probe(struct kube_client *client)
{
    const struct kube_request request = {.method = "GET", .path = "/version", .maximum = 64 << 10, .timeout_ms = client->probe_ms, .no_retry = true};
    if (client->probe != NULL)
        return;
    client->probed_at = clock_monotonic_ms();
    client->probe = kube_send(client, &request, NULL, on_probe, client, NULL);
}

void client_warn(struct kube_client *client, const char *text)
{
    if (client->told.count >= WARNINGS_KEPT || map_has(&client->told, text) || !map_set(&client->told, text, NULL))
        return;
    if (client->on_warning != NULL)
        client->on_warning(client->warning_data, text);
}

static bool first_warnings(struct kube_client *client)
{
    const struct kube_config *config = client->config;
    bool ok = true;
    if (config->insecure_skip_tls_verify && client->endpoint.tls) {
        char *text = mem_printf(_("WARNING: insecure-skip-tls-verify is set: whoever answers at %s is believed to be the API server, and gets your credentials"),
                                client->endpoint.authority);
        ok = text != NULL && vec_push(&client->warnings, text);
    }
    for (size_t i = 0; ok && i < config->files.length; i++) {
        struct stat status;
        if (stat(config->files.items[i], &status) != 0 || (status.st_mode & (S_IRGRP | S_IROTH)) == 0 || !S_ISREG(status.st_mode))
            continue;
        char *text = mem_printf(_("the kubeconfig %s can be read by other users of this machine; chmod 600 would keep its secrets"),
                                (const char *)config->files.items[i]);
        ok = text != NULL && vec_push(&client->warnings, text);
    }
    return ok;
}

struct kube_client *kube_client_new(struct loop *loop, struct kube_config *config, struct log *log, struct error *err)
{
    struct kube_client *client = mem_zero(1, sizeof *client);
    if (client == NULL) {
        kube_config_free(config);
        error_memory(err);
        return NULL;
    }
    client->loop = loop;
    client->config = config;
    client->log = log;
    client->warnings = vec_make(128, mem_free);
    client->told = map_make(WARNINGS_KEPT, NULL);
    client->heard_at = client->probed_at = INT64_MIN;
    kube_client_set_patience(client, CONTACT_MS, SILENCE_MS, PROBE_MS);
    client->kick = loop_add_timer(loop, -1, on_kick, client);
    if (client->kick != NULL && endpoint_make(&client->endpoint, config, err) && first_warnings(client)) {
        client->transport = transport_new(loop, on_progress, client, err);
        client->auth = client->transport != NULL ? auth_new(loop, config, on_credentials, on_terminal, client, err) : NULL;
        if (client->auth != NULL)
            return client;
    }
    error_memory(err);
    kube_client_free(client);
    return NULL;
}

void kube_client_free(struct kube_client *client)
{
    if (client == NULL)
        return;
    if (client->freed != NULL)
        *client->freed = true;
    while (client->calls != NULL)
        call_free(client->calls);
    stream_free_all(client);
    kube_discovery_free(client->discovery);
    auth_free(client->auth);
    transport_free(client->transport);
    endpoint_free(&client->endpoint);
    loop_drop(client->kick);
    vec_free(&client->warnings);
    map_free(&client->told);
    kube_config_free(client->config);
    mem_free(client);
}

const struct kube_config *kube_client_config(const struct kube_client *client)
{
    return client->config;
}

struct loop *kube_client_loop(const struct kube_client *client)
{
    return client->loop;
}

const struct vec *kube_client_warnings(const struct kube_client *client)
{
    return &client->warnings;
}

void kube_client_on_terminal(struct kube_client *client, void (*fn)(void *data, bool taken), void *data)
{
    client->on_terminal = fn;
    client->terminal_data = data;
}

void kube_client_on_warning(struct kube_client *client, void (*fn)(void *data, const char *text), void *data)
{
    client->on_warning = fn;
    client->warning_data = data;
}

struct kube_discovery **kube_client_discovery(struct kube_client *client)
{
    return &client->discovery;
}

void kube_client_set_patience(struct kube_client *client, int64_t contact_ms, int64_t silence_ms, int64_t probe_ms)
{
    client->contact_ms = contact_ms;
    client->silence_ms = silence_ms;
    client->probe_ms = probe_ms;
}

struct kube_call *kube_send(struct kube_client *client, const struct kube_request *request,
                            void (*on_data)(void *data, const char *bytes, size_t length),
                            void (*done)(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status),
                            void *data, struct error *err)
{
    struct kube_call *call = call_new(client, request, err);
    if (call == NULL)
        return NULL;
    call->on_data = on_data;
    call->done = done;
    call->data = data;
    client_link(call);
    call_begin(call);
    return call;
}

void kube_call_cancel(struct kube_call *call)
{
    if (call != NULL && !call->finishing)
        call_free(call);
}

void kube_call_own(struct kube_call *call, void *owned, void (*drop)(void *owned))
{
    call->owned = owned;
    call->drop_owned = drop;
}

void kube_call_on_head(struct kube_call *call, void (*fn)(void *data))
{
    call->on_head = fn;
}
