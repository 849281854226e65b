/* cmd_serve.c: kubetutor cluster serve: the process that is the practice cluster. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/internal.h"
#include "app/practice.h"
#include "app/practice_parts.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "net/http.h"
#include "practice/api/server.h"

enum { ANSWER_MOST = 64 << 10, DESCRIPTORS = 4096 /* twice the connections that the server takes */ };

struct serving {
    struct app *app;
    struct server *server;
    struct practice_parts *parts;
    struct exchange *stepping; /* who waits for the end of a step of the clock */
    struct loop_event *idle;   /* NULL: it goes on for ever */
    int64_t idle_ms, used_ms;
    bool ephemeral;
    char *images, *volumes; /* folders: the catalogue, what is in persistent volumes (NULL: kept in memory) */
};

static void used(void *data)
{
    struct serving *serving = data;
    serving->used_ms = clock_monotonic_ms();
}

/* Ends when nothing was asked for so long, and nobody watches. */
static void maybe_idle(void *data)
{
    struct serving *serving = data;
    int64_t left = serving->used_ms + serving->idle_ms - clock_monotonic_ms();
    if (server_open_requests(serving->server) > 0)
        left = serving->idle_ms;
    if (left > 0)
        loop_set_timer(serving->idle, left);
    else
        loop_stop(serving->app->loop);
}

/* ---- what `cluster status|save|load|reset` ask ---- */

/* The only parameter's value, decoded, if it has this key; the caller frees. */
static char *parameter(const char *query, const char *key)
{
    size_t length = strlen(key);
    const char *at = strncmp(query, key, length) == 0 && query[length] == '=' ? query + length + 1 : NULL;
    return at != NULL ? http_unescape(at, strcspn(at, "&"), true) : NULL;
}

/* The value of file=. NULL: not given, or no absolute path. */
static char *file_of(const char *query)
{
    char *file = parameter(query, "file");
    if (file != NULL && file[0] == '/')
        return file;
    mem_free(file);
    return NULL;
}

static void say_status(const struct serving *serving, struct exchange *asked)
{
    struct buf answer = buf_make(ANSWER_MOST);
    struct state_numbers numbers;
    state_numbers(server_api(serving->server)->state, &numbers);
    buf_printf(&answer, "{\"objects\":%zu,\"bytes\":%zu,\"watches\":%zu,\"ephemeral\":%s}", numbers.objects,
               numbers.object_bytes, numbers.watches, serving->ephemeral ? "true" : "false");
    server_answer(asked, 200, &answer);
    buf_free(&answer);
}

/* How it went (err NULL: well). Also what saving calls at its end, from the loop. */
static void say_outcome(void *asked, const struct error *err)
{
    struct buf answer = buf_make(ANSWER_MOST);
    int code = err == NULL ? 200 : err->kind == ERROR_NOT_FOUND ? 404 : err->kind == ERROR_LIMIT ? 507 : 400;
    if (err == NULL) {
        buf_append_string(&answer, "{\"status\":\"Success\"}");
    } else {
        char *message = mem_printf("%s%s%s", err->message, err->cause[0] != '\0' ? ": " : "", err->cause);
        buf_append_string(&answer,
                          "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":");
        json_quote(message != NULL ? message : "out of memory", &answer);
        buf_printf(&answer, ",\"code\":%d}", code);
        mem_free(message);
    }
    server_answer(asked, code, &answer);
    buf_free(&answer);
}

static void say_clock(const struct serving *serving, struct exchange *asked)
{
    const struct cluster_clock *clock = server_api(serving->server)->clock;
    struct buf answer = buf_make(ANSWER_MOST);
    buf_printf(&answer, "{\"now\":%" PRId64 ",\"ahead\":%" PRId64 "}", cluster_clock_ms(clock), cluster_clock_offset(clock));
    server_answer(asked, 200, &answer);
    buf_free(&answer);
}

static void stepped(void *data)
{
    struct serving *serving = data;
    struct exchange *asked = serving->stepping;
    serving->stepping = NULL;
    if (!serving->ephemeral)
        practice_clock_write(cluster_clock_offset(server_api(serving->server)->clock));
    say_clock(serving, asked);
}

/* Shows the clock, or steps it: the answer comes when everything that was due on the way is done. */
static void control_clock(struct serving *serving, const char *query, struct exchange *asked)
{
    struct error err = ERROR_INIT;
    char *by = parameter(query, "step");
    int64_t ms = 0;
    if (by == NULL) {
        say_clock(serving, asked);
        return;
    }
    bool ok = duration_parse(by, &ms) || error_set(&err, ERROR_INPUT, NULL, "step= must be a duration");
    ok = ok && cluster_clock_step(server_api(serving->server)->clock, ms, stepped, serving, &err);
    if (ok)
        serving->stepping = asked;
    else
        say_outcome(asked, &err);
    mem_free(by);
}

static void control(void *data, const char *what, const char *query, struct exchange *asked)
{
    struct serving *serving = data;
    struct error err = ERROR_INIT;
    if (strcmp(what, "status") == 0) {
        say_status(serving, asked);
        return;
    }
    if (strcmp(what, "clock") == 0) {
        control_clock(serving, query, asked);
        return;
    }
    char *file = file_of(query);
    bool saves = strcmp(what, "save") == 0, loads = strcmp(what, "load") == 0, ok = false;
    if ((saves || loads) && file == NULL)
        error_set(&err, ERROR_INPUT, NULL, "file= must name a file by its whole path");
    else if (saves)
        ok = server_save(serving->server, file, say_outcome, asked, &err);
    else if (loads)
        ok = server_load(serving->server, file, &err);
    else if (strcmp(what, "reset") == 0)
        ok = server_reset(serving->server, &err);
    else
        error_set(&err, ERROR_NOT_FOUND, NULL, "there is nothing of this name");
    if (!ok || !saves)
        say_outcome(asked, ok ? NULL : &err);
    mem_free(file);
}

/* ---- life ---- */

static bool find_folders(struct serving *serving, struct error *err)
{
    char *data = find_data_folder(err);
    serving->images = data != NULL ? file_join(data, "assets/images") : NULL;
    if (data != NULL && serving->images == NULL)
        error_memory(err);
    mem_free(data);
    return serving->images != NULL && (serving->ephemeral || (serving->volumes = practice_file("volumes", err)) != NULL);
}

static bool begin(struct serving *serving, const struct practice_keys *keys, const char *state_path, struct error *err)
{
    const char *asked = serving->app->values[OPTION_PORT];
    struct practice_settings settings;
    if (!practice_settings_read(serving->app->values[OPTION_NODES], serving->app->values[OPTION_SPEED],
                                serving->app->values[OPTION_CLOCK_RATE], &settings, err))
        return false;
    long wanted = asked != NULL ? strtol(asked, NULL, 10) : PRACTICE_PORT;
    struct server_options options = {
        .state_path = state_path,
        .address = "127.0.0.1",
        .port = (uint16_t)wanted,
        .certificate = keys->server,
        .key = keys->server_key,
        .authority = keys->authority,
        .token_key = keys->token_key,
        .clock_offset_ms = serving->ephemeral ? 0 : practice_clock_read(),
        .log = &serving->app->log,
        .activity = used,
        .control = control,
        .data = serving,
    };
    serving->server = server_new(serving->app->loop, &options, err);
    if (serving->server == NULL && asked == NULL && err->kind == ERROR_EXISTS) { /* the usual port is taken: any other */
        *err = ERROR_INIT;
        options.port = 0;
        serving->server = server_new(serving->app->loop, &options, err);
    }
    settings.api_only = serving->app->values[OPTION_API_ONLY] != NULL;
    settings.images = serving->images;
    settings.volumes = serving->volumes;
    if (serving->server != NULL)
        serving->parts = practice_parts_new(serving->server, &settings, err);
    return serving->parts != NULL;
}

static bool open_for_all(struct serving *serving, const struct practice_keys *keys, int lock, struct error *err)
{
    char *path = practice_write_kubeconfig(keys, server_port(serving->server), err);
    bool ok = path != NULL && practice_lock_say(lock, server_port(serving->server), err);
    mem_free(path);
    const char *idle = serving->app->values[OPTION_IDLE];
    if (ok && idle != NULL) {
        (void)!duration_parse(idle, &serving->idle_ms); /* command_cluster looked at it */
        used(serving);
        serving->idle = loop_add_timer(serving->app->loop, serving->idle_ms, maybe_idle, serving);
        ok = serving->idle != NULL || error_memory(err);
    }
    return ok;
}

/* Many a shell allows fewer than there may be connections. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int cluster_serve(struct app *app)
{
    struct serving serving = {.app = app, .ephemeral = app->values[OPTION_EPHEMERAL] != NULL};
    struct practice_keys keys = {0};
    struct error err = ERROR_INIT;
    char *state_path = NULL;
    allow_descriptors();
    int lock = practice_lock(&err);
    bool ok = lock >= 0 && practice_keys_get(&keys, &err) && find_folders(&serving, &err) &&
              (serving.ephemeral || (state_path = practice_file("state.db", &err)) != NULL) &&
              begin(&serving, &keys, state_path, &err) && open_for_all(&serving, &keys, lock, &err);
    practice_say_ready(ok ? NULL : &err);
    if (ok) {
        fprintf(stderr, "kubetutor: ");
        fprintf(stderr, _("the practice cluster serves at https://127.0.0.1:%u\n"), server_port(serving.server));
        loop_run(app->loop);
    }
    loop_drop(serving.idle);
    if (serving.stepping != NULL) { /* it will not come to its end */
        struct error ended = ERROR_INIT;
        error_set(&ended, ERROR_CANCELLED, NULL, "the practice cluster has ended");
        say_outcome(serving.stepping, &ended);
    }
    practice_parts_free(serving.parts);
    if (ok && !serving.ephemeral)
        practice_clock_write(cluster_clock_offset(server_api(serving.server)->clock));
    server_free(serving.server);
    practice_keys_free(&keys);
    mem_free(state_path);
    mem_free(serving.images);
    mem_free(serving.volumes);
    if (lock >= 0)
        close(lock);
    app->interrupted = false; /* ending when asked to is what it should do */
    return ok ? EXIT_OK : say_error(app, &err);
}
