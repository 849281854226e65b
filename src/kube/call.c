/* One request: its tries, time-outs, and what is told of it. */
#include "kube/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "kube/warning_header.h"

static bool is_success(const struct kube_call *call)
{
    return call->code >= 200 && call->code < 300;
}

static bool is_read(const struct kube_call *call)
{
    return strcmp(call->method, "GET") == 0 || strcmp(call->method, "HEAD") == 0;
}

static void heard(struct kube_call *call)
{
    call->byte_at = call->client->heard_at = clock_monotonic_ms();
}

/* --- what curl calls; notes only --- */

static bool value_of(const char *line, size_t length, const char *name, const char **value, size_t *value_length)
{
    size_t name_length = strlen(name);
    if (length <= name_length || line[name_length] != ':' || strncasecmp(line, name, name_length) != 0)
        return false;
    const char *start = line + name_length + 1, *end = line + length;
    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    while (end > start && strchr(" \t\r\n", end[-1]) != NULL)
        end--;
    *value = start;
    *value_length = (size_t)(end - start);
    return true;
}

/* Whole seconds only: a date would trust two clocks. */
static int64_t to_retry_after(const char *text, size_t length)
{
    int64_t seconds = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || i > 6)
            return -1;
        seconds = seconds * 10 + (text[i] - '0');
    }
    return length > 0 ? seconds * 1000 : -1;
}

static void note_header(struct kube_call *call, const char *line, size_t length)
{
    const char *value;
    size_t value_length;
    if (length > 5 && memcmp(line, "HTTP/", 5) == 0) { /* also of a 100 Continue before the real one */
        const char *space = memchr(line, ' ', length);
        call->code = space != NULL ? atoi(space) : 0; /* curl made sure of a line end */
        call->content_type_came[0] = '\0';
        call->retry_after_ms = -1;
    } else if (value_of(line, length, "Content-Type", &value, &value_length))
        snprintf(call->content_type_came, sizeof call->content_type_came, "%.*s", (int)(value_length < 127 ? value_length : 127), value);
    else if (value_of(line, length, "Retry-After", &value, &value_length))
        call->retry_after_ms = to_retry_after(value, value_length);
    else if (value_of(line, length, "Warning", &value, &value_length))
        call->no_memory |= !warning_header_read(value, value_length, &call->warnings);
    else if (line[0] == '\r' || line[0] == '\n')
        call->head_done = call->code >= 200;
}

static size_t on_header(char *line, size_t size, size_t count, void *data)
{
    struct kube_call *call = data;
    size_t length = size * count;
    heard(call);
    call->head_bytes += length;
    if (call->head_bytes > HEAD_MAXIMUM) {
        call->too_large = true;
        return 0;
    }
    if (length > 0 && !call->head_done) /* trailers say nothing here */
        note_header(call, line, length);
    if (call->head_done)
        client_make_ready(call);
    return call->no_memory ? 0 : length;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
    struct kube_call *call = data;
    size_t length = size * count, maximum = is_success(call) ? call->maximum : FAILURE_MAXIMUM;
    heard(call);
    if (length > maximum - call->body_bytes) {
        call->too_large = is_success(call); /* of a failure's body the start is enough */
        return 0;
    }
    call->body_bytes += length;
    struct buf *to = is_success(call) && call->on_data != NULL ? &call->pending : &call->collected;
    buf_append(to, bytes, length);
    if (!buf_ok(to)) {
        call->no_memory = true;
        return 0;
    }
    client_make_ready(call);
    return length;
}

/* --- a try --- */

static bool set_request(struct kube_call *call, struct error *err)
{
    CURL *curl = call->easy.curl;
    bool ok = curl_easy_setopt(curl, CURLOPT_PRIVATE, &call->transfer) == CURLE_OK &&
              curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK && curl_easy_setopt(curl, CURLOPT_HEADERDATA, call) == CURLE_OK &&
              curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK && curl_easy_setopt(curl, CURLOPT_WRITEDATA, call) == CURLE_OK &&
              easy_add_header(&call->easy, "Accept", call->accept, err);
    if (ok && !call->client->config->disable_compression)
        ok = curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip") == CURLE_OK;
    if (ok && strcmp(call->method, "HEAD") == 0)
        ok = curl_easy_setopt(curl, CURLOPT_NOBODY, 1L) == CURLE_OK;
    else if (ok && (call->body != NULL || strcmp(call->method, "POST") == 0))
        ok = curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body_length) == CURLE_OK &&
             curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->body != NULL ? call->body : "") == CURLE_OK &&
             easy_add_header(&call->easy, "Content-Type", call->content_type, err);
    return ok && (strcmp(call->method, "HEAD") == 0 || curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method) == CURLE_OK) &&
           curl_easy_setopt(curl, CURLOPT_HTTPHEADER, call->easy.headers) == CURLE_OK;
}

static void least(int64_t *due, int64_t other)
{
    if (other < *due)
        *due = other;
}

static bool is_stream(const struct kube_call *call)
{
    return call->timeout_ms < 0;
}

/* Is an answer due, so that silence means something? */
static bool silence_counts(const struct kube_call *call)
{
    return call->client->probe != call && !(is_stream(call) && call->head_done);
}

static int64_t quiet_since(const struct kube_call *call)
{
    return call->probed_at > call->byte_at ? call->probed_at : call->byte_at;
}

static bool is_connected(const struct kube_call *call)
{
    curl_off_t us = 0;
    curl_easy_getinfo(call->easy.curl, CURLINFO_PRETRANSFER_TIME_T, &us);
    return us > 0 || call->head_bytes > 0;
}

static void set_timer(struct kube_call *call)
{
    int64_t now = clock_monotonic_ms(), due = INT64_MAX;
    if (!is_stream(call))
        least(&due, call->began_at + call->timeout_ms);
    if (call->idle_ms > 0)
        least(&due, call->byte_at + call->idle_ms);
    if (call->state == CALL_PAUSES)
        least(&due, call->again_at);
    else if (call->head_bytes == 0)
        least(&due, call->began_at + call->client->contact_ms > now ? call->began_at + call->client->contact_ms : now + call->client->silence_ms);
    if (call->state == CALL_RUNS && silence_counts(call))
        least(&due, quiet_since(call) + call->client->silence_ms);
    loop_set_timer(call->timer, due == INT64_MAX ? -1 : due > now ? due - now : 0);
}

static void begin_try(struct kube_call *call, const struct credentials *credentials)
{
    struct kube_client *client = call->client;
    struct error err = ERROR_INIT;
    call->code = 0;
    call->content_type_came[0] = '\0';
    call->head_bytes = call->body_bytes = 0;
    call->retry_after_ms = -1;
    call->head_done = call->curl_ended = call->too_large = call->no_memory = false;
    buf_clear(&call->collected);
    vec_clear(&call->warnings);
    call->try_at = call->byte_at = clock_monotonic_ms();
    call->probed_at = 0;
    if (call->began_at == 0)
        call->began_at = call->try_at;
    if (!easy_make(&call->easy, &client->endpoint, client->config, credentials, transport_share(client->transport), call->path, call->query, &err) ||
        !set_request(call, &err) || !transport_add(client->transport, call->easy.curl, &err)) {
        easy_free(&call->easy);
        error_memory(&err);
        call_fail(call, &err);
        return;
    }
    call->state = CALL_RUNS;
    call->tries++;
    set_timer(call);
}

static void end_try(struct kube_call *call)
{
    if (call->state == CALL_RUNS)
        transport_remove(call->client->transport, call->easy.curl);
    easy_free(&call->easy);
    call->curl_ended = false;
    loop_set_timer(call->timer, -1);
    call->state = CALL_ENDED;
}

void call_begin(struct kube_call *call)
{
    struct credentials credentials;
    struct error err = ERROR_INIT;
    switch (auth_look(call->client->auth, &credentials, &err)) {
    case AUTH_WAIT: call->state = CALL_NEEDS_CREDENTIALS; break;
    case AUTH_FAILED: call_fail(call, &err); break;
    case AUTH_READY:
        call->generation = auth_generation(call->client->auth);
        begin_try(call, &credentials);
        break;
    }
}

void call_credentials(struct kube_call *call, const struct error *error)
{
    if (error != NULL)
        call_fail(call, error);
    else
        call_begin(call);
}

void call_fail(struct kube_call *call, const struct error *error)
{
    end_try(call);
    call->failure = *error;
    client_make_ready(call);
}

static void on_timer(void *data)
{
    struct kube_call *call = data;
    int64_t now = clock_monotonic_ms();
    struct error err = ERROR_INIT;
    const char *server = call->client->config->server, *authority = call->client->endpoint.authority;
    if (!is_stream(call) && now >= call->began_at + call->timeout_ms)
        error_set(&err, ERROR_TIMEOUT, server, _("the API server %s did not finish %s %.200s within %g seconds"), authority, call->method, call->path,
                  (double)call->timeout_ms / 1000);
    else if (call->idle_ms > 0 && now >= call->byte_at + call->idle_ms)
        error_set(&err, ERROR_TIMEOUT, server, _("nothing came from the API server %s for %g seconds"), authority, (double)call->idle_ms / 1000);
    else if (call->state == CALL_RUNS && now >= call->began_at + call->client->contact_ms && !is_connected(call))
        error_set(&err, ERROR_UNREACHABLE, server, _("the API server %s does not answer: no connection came about within 10 seconds"), authority);
    if (err.kind != ERROR_NONE) {
        call_fail(call, &err);
        return;
    }
    if (call->state == CALL_PAUSES && now >= call->again_at) {
        call_begin(call);
        return;
    }
    if (call->state == CALL_RUNS && silence_counts(call) && now >= quiet_since(call) + call->client->silence_ms) {
        call->probed_at = now;
        if (is_connected(call))
            client_probe(call->client);
    }
    set_timer(call);
}

/* --- its end, or another try --- */

static void log_end(const struct kube_call *call, const struct error *error)
{
    log_line(call->client->log, "%s %s%s%s: %d%s%s, %lld ms", call->method, call->path, call->query[0] != '\0' ? "?" : "", call->query, call->code,
             error != NULL && call->code == 0 ? " " : "", error != NULL && call->code == 0 ? error->message : "",
             call->began_at != 0 ? (long long)(clock_monotonic_ms() - call->began_at) : 0LL);
}

/* Everything but `owned`, which is dropped last. */
static void release(struct kube_call *call)
{
    end_try(call);
    client_unlink(call);
    loop_drop(call->timer);
    call->timer = NULL;
}

static void destroy(struct kube_call *call)
{
    void *owned = call->owned;
    void (*drop_owned)(void *owned) = call->drop_owned;
    if (call->body != NULL)
        explicit_bzero(call->body, call->body_length); /* may be a Secret */
    mem_free(call->method);
    mem_free(call->path);
    mem_free(call->query);
    mem_free(call->accept);
    mem_free(call->content_type);
    mem_free(call->body);
    buf_free(&call->collected);
    buf_free(&call->pending);
    vec_free(&call->warnings);
    mem_free(call);
    if (drop_owned != NULL)
        drop_owned(owned);
}

void call_free(struct kube_call *call)
{
    if (call->gone != NULL)
        *call->gone = true;
    release(call);
    destroy(call);
}

static void finish(struct kube_call *call, const struct error *error, const struct kube_status *status)
{
    struct kube_answer answer = {.code = call->code, .content_type = call->content_type_came, .body = call->collected.bytes != NULL ? call->collected.bytes : "",
                                 .length = call->collected.length};
    log_end(call, error);
    call->finishing = true;
    release(call); /* the client itself may be freed by what follows */
    call->done(call->data, &answer, error, status);
    destroy(call);
}

static void finish_failed(struct kube_call *call, const struct error *error)
{
    struct kube_status status = {.retry_after_ms = -1};
    finish(call, error, &status);
}

/* Starts another try in `ms`, if that is allowed at all. */
static bool try_again(struct kube_call *call, int64_t ms)
{
    int64_t now = clock_monotonic_ms();
    if (call->no_retry || call->tries > RETRIES || call->waited_ms + ms > RETRY_WAIT_MS || (!is_stream(call) && now + ms >= call->began_at + call->timeout_ms))
        return false;
    end_try(call);
    call->waited_ms += ms;
    call->again_at = now + ms;
    call->state = CALL_PAUSES;
    call->byte_at = now + ms; /* the wait is no silence */
    set_timer(call);
    return true;
}

/* Can what happened be over in a moment, and was surely nothing done? */
static bool is_passing(const struct kube_call *call)
{
    long number = 0;
    if (!is_read(call) || call->head_bytes > 0)
        return false;
    curl_easy_getinfo(call->easy.curl, CURLINFO_OS_ERRNO, &number);
    switch (call->result) {
    case CURLE_COULDNT_CONNECT: return number == ECONNREFUSED || number == ECONNRESET;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return strstr(call->easy.words, "CONNECT tunnel failed") == NULL;
    default: return false;
    }
}

static void judge_failure(struct kube_call *call)
{
    static const int64_t waits[RETRIES] = {200, 600, 1500};
    struct error err = ERROR_INIT;
    const char *server = call->client->config->server;
    if (call->no_memory)
        error_memory(&err);
    else if (call->too_large)
        error_set(&err, ERROR_LIMIT, server, _("the answer to %s %.200s is larger than the %zu bytes allowed"), call->method, call->path,
                  call->head_bytes > HEAD_MAXIMUM ? (size_t)HEAD_MAXIMUM : call->maximum);
    else {
        unsigned n = call->tries - 1;
        if (is_passing(call) && n < RETRIES && clock_monotonic_ms() + waits[n] < call->began_at + call->client->contact_ms && try_again(call, waits[n]))
            return;
        easy_trouble(&call->easy, call->result, &call->client->endpoint, call->client->config, &err);
    }
    finish_failed(call, &err);
}

/* curl is done with it. */
static void judge(struct kube_call *call)
{
    if (call->result == CURLE_OK && !call->head_done) /* curl takes a head that was cut off for an answer */
        call->result = CURLE_RECV_ERROR;
    /* a refusal whose body did not come whole is a refusal all the same */
    bool cut = call->code != 0 && !is_success(call) && (call->result == CURLE_WRITE_ERROR || call->result == CURLE_PARTIAL_FILE) && !call->no_memory &&
               !call->too_large;
    if (call->result != CURLE_OK && !cut) {
        judge_failure(call);
        return;
    }
    struct kube_status status;
    struct error err = ERROR_INIT;
    if (is_success(call)) {
        status = (struct kube_status){.code = call->code, .retry_after_ms = -1};
        finish(call, NULL, &status);
        return;
    }
    if (call->code == 401 && !call->refreshed && auth_refused(call->client->auth, call->generation)) {
        call->refreshed = true;
        end_try(call);
        call_begin(call);
        return;
    }
    kube_status_read(&status, call->code, call->content_type_came, call->collected.bytes, call->collected.length);
    if (call->retry_after_ms >= 0)
        status.retry_after_ms = call->retry_after_ms;
    if ((call->code == 429 || call->code == 503) && call->retry_after_ms >= 0 &&
        try_again(call, call->retry_after_ms > 100 ? call->retry_after_ms : 100))
        return;
    kube_status_error(&status, call->method, call->path, &err);
    strncpy(err.where, call->client->config->server, sizeof err.where - 1);
    finish(call, &err, &status);
}

void call_serve(struct kube_call *call)
{
    bool gone = false;
    call->gone = &gone;
    while (call->warnings.length > 0) {
        char *text = vec_take(&call->warnings, 0);
        client_warn(call->client, text);
        mem_free(text);
        if (gone)
            return;
    }
    if (call->head_done && is_success(call) && !call->head_told) {
        call->head_told = true;
        if (call->on_head != NULL)
            call->on_head(call->data);
        if (gone)
            return;
    }
    if (call->pending.length > 0) {
        size_t length;
        char *bytes = buf_take(&call->pending, &length);
        if (bytes != NULL) /* else memory ran out while it was filled, and the call ends with that */
            call->on_data(call->data, bytes, length);
        mem_free(bytes);
        if (gone)
            return;
    }
    call->gone = NULL;
    if (call->failure.kind != ERROR_NONE)
        finish_failed(call, &call->failure);
    else if (call->curl_ended)
        judge(call);
}

struct kube_call *call_new(struct kube_client *client, const struct kube_request *request, struct error *err)
{
    struct kube_call *call = mem_zero(1, sizeof *call);
    if (call == NULL) {
        error_memory(err);
        return NULL;
    }
    call->client = client;
    call->method = mem_string(request->method);
    call->path = mem_string(request->path);
    call->query = mem_string(request->query != NULL ? request->query : "");
    call->accept = mem_string(request->accept != NULL ? request->accept : "application/json");
    call->content_type = mem_string(request->content_type != NULL ? request->content_type : "application/json");
    call->body = request->body != NULL ? mem_string_n(request->body, request->body_length) : NULL;
    call->body_length = request->body != NULL ? request->body_length : 0;
    call->maximum = request->maximum > 0 ? request->maximum : BODY_MAXIMUM;
    call->timeout_ms = request->timeout_ms != 0 ? request->timeout_ms : DEFAULT_TIMEOUT_MS;
    call->idle_ms = request->idle_ms;
    call->no_retry = request->no_retry;
    call->retry_after_ms = -1;
    call->collected = buf_make(call->maximum > FAILURE_MAXIMUM ? call->maximum : FAILURE_MAXIMUM);
    call->pending = buf_make(call->maximum);
    call->warnings = vec_make(WARNINGS_A_CALL, mem_free);
    call->timer = loop_add_timer(client->loop, -1, on_timer, call);
    if (call->method != NULL && call->path != NULL && call->query != NULL && call->accept != NULL && call->content_type != NULL &&
        (request->body == NULL || call->body != NULL) && call->timer != NULL)
        return call;
    loop_drop(call->timer);
    destroy(call);
    error_memory(err);
    return NULL;
}
