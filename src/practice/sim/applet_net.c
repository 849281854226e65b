/* applet_net: what speaks to others: wget, curl, nc, nslookup, getent, ping. Words and exit codes are those of busybox and curl. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/net.h"
#include "practice/sim/programs.h"
#include "practice/sim/sim.h"
#include "practice/sim/web.h"

enum { BODY = 16 << 20, HEAD = 256 << 10, REDIRECTS = 10, RECORDS = 64 };

/* ---- HTTP, the client's side ---- */

struct url {
    char host[NETWORK_NAME], path[2048];
    uint16_t port;
    bool tls, said_port;
};

static bool url_read(const char *text, struct url *url)
{
    const char *scheme = strstr(text, "://"), *rest = scheme ? scheme + 3 : text, *slash = rest + strcspn(rest, "/?"), *at = memchr(rest, '@', (size_t)(slash - rest));
    *url = (struct url){.tls = scheme && strncmp(text, "https", 5) == 0};
    if (scheme && !url->tls && strncmp(text, "http:", 5) != 0)
        return false;
    rest = at ? at + 1 : rest;
    const char *colon = memchr(rest, ':', (size_t)(slash - rest)), *end = colon ? colon : slash;
    if (end == rest || (size_t)(end - rest) >= sizeof url->host)
        return false;
    memcpy(url->host, rest, (size_t)(end - rest));
    url->said_port = colon != NULL;
    url->port = (uint16_t)(colon ? atoi(colon + 1) : url->tls ? 443 : 80);
    int length = snprintf(url->path, sizeof url->path, "%s%s", *slash == '/' ? "" : "/", slash);
    return length > 0 && length < (int)sizeof url->path;
}

struct exchange_wish {
    const char *method, *agent, *body;
    struct vec headers;      /* strings, borrowed */
    int64_t deadline_ms;     /* of the connection and of all */
};
struct exchanged {
    char ip[NETWORK_ADDRESS];
    int error;               /* -errno of what failed; -ENOENT: no such name */
    bool connected, api;
    int code;
    struct buf head, body;
};

static void exchanged_free(struct exchanged *got)
{
    buf_free(&got->head);
    buf_free(&got->body);
}

static void read_answer(struct task *task, int fd, struct exchanged *got)
{
    char bytes[4096];
    struct buf all = buf_make(BODY + HEAD);
    size_t body_at = 0, wanted = SIZE_MAX;
    for (;;) {
        if (body_at > 0 && all.length - body_at >= wanted)
            break;
        ssize_t length = task_read(task, fd, bytes, sizeof bytes);
        if (length < 0)
            got->error = (int)length;
        if (length <= 0)
            break;
        buf_append(&all, bytes, (size_t)length);
        const char *end = body_at == 0 && buf_ok(&all) ? strstr(all.bytes, "\r\n\r\n") : NULL;
        if (!end)
            continue;
        body_at = (size_t)(end - all.bytes) + 4;
        buf_append(&got->head, all.bytes, body_at);
        char *text = buf_ok(&got->head) ? web_header(got->head.bytes, "Content-Length") : NULL;
        wanted = text ? (size_t)strtoul(text, NULL, 10) : wanted;
        mem_free(text);
    }
    if (body_at > 0 && buf_ok(&all)) {
        const char *space = strchr(all.bytes, ' ');
        got->code = space ? atoi(space + 1) : 0;
        buf_append(&got->body, all.bytes + body_at, all.length - body_at);
    } else if (got->error == 0) {
        got->error = -ECONNRESET;
    }
    buf_free(&all);
}

static void ask(struct task *task, const struct url *url, const struct exchange_wish *wish, struct exchanged *got)
{
    char full[NETWORK_NAME];
    struct net_side *side;
    *got = (struct exchanged){.head = buf_make(HEAD), .body = buf_make(BODY)};
    got->error = task_resolve(task, url->host, got->ip, full);
    if (got->error == 0)
        got->error = task_connect(task, got->ip, url->port, wish->deadline_ms, &side, &got->api);
    if (got->error != 0 || got->api)
        return;
    got->connected = true;
    struct handle *handle = net_handle(side);
    int fd = handle ? task_install(task, handle, 3, true) : -ENOMEM;
    struct buf request = buf_make(HEAD);
    buf_printf(&request, "%s %s HTTP/1.1\r\nHost: %s", wish->method, url->path, url->host);
    if (url->said_port)
        buf_printf(&request, ":%u", url->port);
    buf_printf(&request, "\r\nUser-Agent: %s\r\nAccept: */*\r\nConnection: close\r\n", wish->agent);
    for (size_t i = 0; i < wish->headers.length; i++)
        buf_printf(&request, "%s\r\n", (const char *)wish->headers.items[i]);
    if (wish->body)
        buf_printf(&request, "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %zu\r\n", strlen(wish->body));
    buf_printf(&request, "\r\n%s", wish->body ? wish->body : "");
    got->error = fd < 0 ? fd : !buf_ok(&request) ? -ENOMEM : (int)(task_write(task, fd, request.bytes, request.length) < 0 ? -EPIPE : 0);
    buf_free(&request);
    if (got->error == 0)
        read_answer(task, fd, got);
    if (fd >= 0)
        task_close(task, fd);
}

/* Writes a body to a file, or to standard output for "-" and NULL. */
static bool put_body(struct task *task, const char *path, const struct buf *body)
{
    if (!path || strcmp(path, "-") == 0)
        return applet_write(task, body->bytes ? body->bytes : "", body->length) && applet_flush(task);
    int fd = task_open(task, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) {
        applet_say(task, "can't open '%s': %s", path, applet_errno(fd));
        return false;
    }
    bool ok = body->length == 0 || task_write(task, fd, body->bytes, body->length) >= 0;
    task_close(task, fd);
    return ok;
}

/* ---- wget ---- */

static int wget_fault(struct task *task, const struct url *url, const struct exchanged *got)
{
    if (!got->connected && got->error == -ENOENT)
        return applet_say(task, "bad address '%s'", url->host);
    if (got->error == -ETIMEDOUT)
        return applet_say(task, got->connected ? "download timed out" : "can't connect to remote host (%s): Operation timed out", got->ip);
    if (got->api || url->tls)
        return applet_say(task, "note: TLS certificate validation not implemented; use curl for the API server");
    return applet_say(task, "can't connect to remote host (%s): %s", got->ip, applet_errno(got->error));
}

static int wget_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"spider", false, 's'}, {"timeout", true, 'T'}, {"header", true, 'H'}, {"post-data", true, 'p'}, {"output-document", true, 'O'}, {"quiet", false, 'q'},
        {"no-check-certificate", false, 'k'}, {"tries", true, 't'}, {"server-response", false, 'S'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    struct exchange_wish wish = {.method = "GET", .agent = "Wget", .deadline_ms = -1, .headers = vec_make(64, NULL)};
    const char *file = NULL;
    bool quiet = false, spider = false, show = false, ok = true;
    for (int letter; (letter = applet_option(task, argc, argv, "qO:T:St:Y:U:c", &options)) != -1;) {
        if (letter == '?') {
            vec_free(&wish.headers);
            return 1;
        }
        quiet = quiet || letter == 'q';
        spider = spider || letter == 's';
        show = show || letter == 'S';
        if (letter == 'O')
            file = options.value;
        else if (letter == 'T')
            wish.deadline_ms = kernel_now(task->kernel) + 1000LL * atoi(options.value);
        else if (letter == 'H')
            ok = vec_push(&wish.headers, (void *)(uintptr_t)options.value) && ok;
        else if (letter == 'p')
            wish.method = "POST", wish.body = options.value;
        else if (letter == 'U')
            wish.agent = options.value;
    }
    struct url url;
    if (!ok || options.index >= argc || !url_read(argv[options.index], &url)) {
        vec_free(&wish.headers);
        return options.index < argc ? applet_say(task, "not an http or ftp url: %s", argv[options.index]) : applet_usage(task, "[-qS] [-O FILE] [-T SEC] [--spider] [--header STR] [--post-data STR] URL");
    }
    int code = 0;
    for (int turn = 0; turn < REDIRECTS; turn++) {
        struct exchanged got;
        ask(task, &url, &wish, &got);
        char *to = got.code >= 301 && got.code <= 308 && buf_ok(&got.head) ? web_header(got.head.bytes, "Location") : NULL;
        if (!quiet && got.connected)
            applet_say(task, "connected to %s (%s:%u)", url.host, got.ip, url.port);
        if (show && got.head.length > 0)
            applet_print(task, "%s", got.head.bytes);
        if (got.error != 0 || got.api) {
            code = wget_fault(task, &url, &got);
        } else if (got.code >= 400) {
            code = applet_say(task, "server returned error: HTTP/1.1 %d %s", got.code, web_reason(got.code));
        } else if (!to && !spider) {
            const char *slash = strrchr(url.path, '/');
            bool put = put_body(task, file ? file : slash[1] ? slash + 1 : "index.html", &got.body);
            code = put ? 0 : 1;
        }
        exchanged_free(&got);
        bool again = to && code == 0 && url_read(to, &url);
        mem_free(to);
        if (!again)
            break;
    }
    vec_free(&wish.headers);
    return code;
}

/* ---- curl ---- */

struct curl {
    struct exchange_wish wish;
    const char *file, *format;
    bool silent, show_error, fail, head_too, follow, verbose, insecure;
    int64_t all_ms, connect_ms;
};

static int curl_say(struct task *task, const struct curl *curl, int code, const char *format, ...) __attribute__((format(printf, 4, 5)));
static int curl_say(struct task *task, const struct curl *curl, int code, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!curl->silent || curl->show_error)
        applet_say(task, "(%d) %s", code, text);
    return code;
}

static void curl_format(struct task *task, const char *format, const struct exchanged *got)
{
    for (const char *at = format; *at;) {
        if (strncmp(at, "%{http_code}", 12) == 0 || strncmp(at, "%{response_code}", 16) == 0) {
            applet_print(task, "%03d", got->code);
            at += at[2] == 'h' ? 12 : 16;
        } else if (strncmp(at, "\\n", 2) == 0) {
            applet_print(task, "\n");
            at += 2;
        } else {
            applet_print(task, "%c", *at++);
        }
    }
}

static int curl_one(struct task *task, const struct curl *curl, const char *text)
{
    struct url url;
    struct exchanged got;
    int code = 0;
    if (!url_read(text, &url))
        return curl_say(task, curl, 3, "URL rejected: Malformed input to a URL function");
    int64_t began = kernel_now(task->kernel);
    for (int turn = 0; turn < REDIRECTS; turn++) {
        ask(task, &url, &curl->wish, &got);
        char *to = curl->follow && got.code >= 301 && got.code <= 308 && buf_ok(&got.head) ? web_header(got.head.bytes, "Location") : NULL;
        bool again = to && url_read(to, &url);
        mem_free(to);
        if (!again)
            break;
        exchanged_free(&got);
    }
    int64_t took = kernel_now(task->kernel) - began;
    if (got.error == -ENOENT && !got.connected) {
        code = curl_say(task, curl, 6, "Could not resolve host: %s", url.host);
    } else if (got.error == -ETIMEDOUT || got.error == -EINTR) {
        code = curl_say(task, curl, 28, "Failed to connect to %s port %u after %lld ms: Timeout was reached", url.host, url.port, (long long)took);
    } else if (got.error == -ECONNREFUSED) {
        code = curl_say(task, curl, 7, "Failed to connect to %s port %u after %lld ms: Could not connect to server", url.host, url.port, (long long)took);
    } else if (got.api || url.tls) {
        code = curl_say(task, curl, 35, "TLS connect error: what runs here is simulated and speaks no TLS");
    } else if (got.error != 0) {
        code = curl_say(task, curl, 52, "Empty reply from server");
    } else {
        if (curl->verbose)
            applet_say(task, "* Connected to %s (%s) port %u", url.host, got.ip, url.port);
        if (curl->head_too)
            applet_write(task, got.head.bytes, got.head.length);
        if (curl->fail && got.code >= 400)
            code = curl_say(task, curl, 22, "The requested URL returned error: %d", got.code);
        else if (strcmp(curl->wish.method, "HEAD") != 0 && !put_body(task, curl->file, &got.body))
            code = 23;
    }
    if (curl->format)
        curl_format(task, curl->format, &got);
    exchanged_free(&got);
    return code;
}

static int curl_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"silent", false, 's'}, {"show-error", false, 'S'}, {"fail", false, 'f'}, {"include", false, 'i'}, {"head", false, 'I'}, {"verbose", false, 'v'},
        {"output", true, 'o'}, {"write-out", true, 'w'}, {"max-time", true, 'm'}, {"connect-timeout", true, 'c'}, {"request", true, 'X'}, {"data", true, 'd'}, {"header", true, 'H'},
        {"insecure", false, 'k'}, {"location", false, 'L'}, {"cacert", true, 'E'}, {"user-agent", true, 'A'}, {"retry", true, 'E'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    struct curl curl = {.wish = {.method = "GET", .agent = "curl/8.10.1", .deadline_ms = -1, .headers = vec_make(64, NULL)}};
    bool ok = true;
    for (int letter; (letter = applet_option(task, argc, argv, "sSfiIvo:w:m:X:d:H:kLA:", &options)) != -1;) {
        int64_t ms = 0;
        switch (letter) {
        case 's': curl.silent = true; break;
        case 'S': curl.show_error = true; break;
        case 'f': curl.fail = true; break;
        case 'i': curl.head_too = true; break;
        case 'I': curl.wish.method = "HEAD", curl.head_too = true; break;
        case 'v': curl.verbose = true; break;
        case 'o': curl.file = options.value; break;
        case 'w': curl.format = options.value; break;
        case 'X': curl.wish.method = options.value; break;
        case 'd': curl.wish.body = options.value, curl.wish.method = strcmp(curl.wish.method, "GET") == 0 ? "POST" : curl.wish.method; break;
        case 'H': ok = vec_push(&curl.wish.headers, (void *)(uintptr_t)options.value) && ok; break;
        case 'L': curl.follow = true; break;
        case 'A': curl.wish.agent = options.value; break;
        case 'm':
        case 'c':
            if (applet_duration(options.value, &ms))
                curl.wish.deadline_ms = kernel_now(task->kernel) + ms;
            break;
        case '?': vec_free(&curl.wish.headers); return 2;
        default: break;
        }
    }
    int code = ok && options.index < argc ? 0 : curl_say(task, &curl, 2, "no URL specified");
    for (int i = options.index; ok && i < argc && !task_dying(task); i++)
        code = curl_one(task, &curl, argv[i]);
    vec_free(&curl.wish.headers);
    return code;
}

/* ---- nc ---- */

/* Carries bytes both ways until the other side ends. */
static void carry(struct task *task, int fd)
{
    char bytes[4096];
    bool input = true;
    while (!task_dying(task)) {
        struct task_poll polls[] = {{.fd = fd, .wanted = HANDLE_READ}, {.fd = 0, .wanted = HANDLE_READ}};
        if (task_poll(task, polls, input ? 2 : 1, -1) < 0)
            return;
        if (input && polls[1].ready & (HANDLE_READ | HANDLE_HUNG)) {
            ssize_t got = task_read(task, 0, bytes, sizeof bytes);
            input = got > 0;
            if (got > 0 && task_write(task, fd, bytes, (size_t)got) < 0)
                return;
        }
        if (polls[0].ready & (HANDLE_READ | HANDLE_HUNG)) {
            ssize_t got = task_read(task, fd, bytes, sizeof bytes);
            if (got <= 0 || task_write(task, 1, bytes, (size_t)got) < 0)
                return;
        }
    }
}

struct waiting_nc {
    struct net_side *side;
    struct wait_queue queue;
};

static void nc_accept(void *data, struct net_side *side)
{
    struct waiting_nc *waiting = data;
    if (waiting->side)
        net_close(side);
    else
        waiting->side = side;
    wait_wake(&waiting->queue);
}

static int nc_listen(struct task *task, uint16_t port)
{
    struct waiting_nc waiting = {0};
    int error, code = 0;
    struct net_listener *listener = net_listen(task->box->sandbox, port, nc_accept, &waiting, &error);
    if (!listener)
        return applet_say(task, "bind: %s", applet_errno(error));
    while (!waiting.side && code == 0)
        code = task_block(task, &waiting.queue, -1) == -EINTR ? 1 : 0;
    net_unlisten(listener);
    if (!waiting.side)
        return 1;
    struct handle *handle = net_handle(waiting.side);
    int fd = handle ? task_install(task, handle, 3, true) : -ENOMEM;
    if (fd >= 0) {
        carry(task, fd);
        task_close(task, fd);
    }
    return 0;
}

static int nc_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool zero = false, verbose = false, listen = false;
    int64_t deadline = -1;
    const char *port = NULL;
    char ip[NETWORK_ADDRESS], full[NETWORK_NAME];
    for (int letter; (letter = applet_option(task, argc, argv, "zvlnup:w:", &options)) != -1;) {
        if (letter == '?')
            return 1;
        zero = zero || letter == 'z';
        verbose = verbose || letter == 'v';
        listen = listen || letter == 'l';
        if (letter == 'p')
            port = options.value;
        if (letter == 'w')
            deadline = kernel_now(task->kernel) + 1000LL * atoi(options.value);
    }
    if (listen) {
        port = port ? port : options.index < argc ? argv[argc - 1] : NULL;
        return port ? nc_listen(task, (uint16_t)atoi(port)) : applet_usage(task, "-l [-p] PORT");
    }
    if (options.index + 2 != argc)
        return applet_usage(task, "[-zvl] [-w SEC] HOST PORT");
    const char *host = argv[options.index];
    uint16_t number = (uint16_t)atoi(argv[options.index + 1]);
    struct net_side *side = NULL;
    bool api = false;
    int error = task_resolve(task, host, ip, full);
    if (error != 0)
        return applet_say(task, "bad address '%s'", host);
    error = task_connect(task, ip, number, deadline, &side, &api);
    if (error != 0)
        return verbose || !zero ? applet_say(task, "%s (%s:%u): %s", host, ip, number, error == -ETIMEDOUT ? "Connection timed out" : applet_errno(error)) : 1;
    if (verbose) {
        char text[NETWORK_NAME + 128];
        snprintf(text, sizeof text, "%s (%s:%u) open\n", host, ip, number);
        applet_tell(task, text);
    }
    if (api)
        return 0;
    struct handle *handle = net_handle(side);
    int fd = handle ? task_install(task, handle, 3, true) : -ENOMEM;
    if (fd >= 0 && !zero)
        carry(task, fd);
    if (fd >= 0)
        task_close(task, fd);
    return fd < 0 ? 1 : 0;
}

const struct program_table programs_net = {(const struct program[]){{.name = "wget", .main = wget_main}, {.name = "curl", .main = curl_main}, {.name = "nc", .main = nc_main}}, 3};
