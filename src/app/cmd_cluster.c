/* cmd_cluster.c: kubetutor cluster ...: the practice cluster from outside. cmd_serve.c is the inside. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/internal.h"
#include "app/practice.h"
#include "app/practice_parts.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "data/json.h"
#include "data/units.h"
#include "data/yaml.h"
#include "kube/client.h"
#include "kube/config.h"

enum { CLUSTER_ANSWER_MS = 60000, CLUSTER_KUBECONFIG = 4 << 20 };

/* ---- asking the one that serves ---- */

struct asked {
    struct app *app;
    struct error error;
    struct value *answer;
    bool failed;
};

static void answered(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct asked *asked = data;
    (void)status;
    if (error == NULL)
        asked->answer = json_parse(answer->body, answer->length, "the cluster's answer", &asked->error);
    else
        asked->error = *error;
    asked->failed = error != NULL || asked->answer == NULL;
    asked->app->done = true;
}

static struct kube_client *practice_client(struct app *app, struct error *err)
{
    struct kube_config *config = NULL;
    char *path = practice_kubeconfig(err);
    struct kube_config_options options = {.file = path};
    struct kube_client *client = NULL;
    if (path != NULL && kube_config_load(&options, &config, err) && config != NULL)
        client = kube_client_new(app->loop, config, &app->log, err);
    mem_free(path);
    return client;
}

/* POST /kubetutor/what?key=value (value NULL: without); the answer's document is the caller's. */
static struct value *ask(struct app *app, const char *what, const char *key, const char *value, struct error *err)
{
    struct asked asked = {.app = app};
    struct practice_found found;
    struct buf query = buf_make(8192);
    if (!practice_find(&found, err))
        return NULL;
    if (!found.ready) {
        error_set(err, ERROR_UNREACHABLE, NULL, "%s", _("no practice cluster is running; kubetutor cluster up starts it"));
        return NULL;
    }
    struct kube_client *client = practice_client(app, err);
    if (client == NULL)
        return NULL;
    char *path = mem_printf("/kubetutor/%s", what);
    if (value != NULL)
        kube_query(&query, key, value);
    struct kube_request request = {.method = "POST", .path = path, .query = query.length > 0 ? query.bytes : NULL};
    app->done = false;
    bool sent = path != NULL && buf_ok(&query) && kube_send(client, &request, NULL, answered, &asked, &asked.error) != NULL;
    if (sent && !app_wait(app, CLUSTER_ANSWER_MS)) {
        error_set(&asked.error, app->interrupted ? ERROR_CANCELLED : ERROR_TIMEOUT, NULL, "%s",
                  _("the practice cluster does not answer"));
        asked.failed = true;
    }
    kube_client_free(client);
    mem_free(path);
    buf_free(&query);
    if (sent && !asked.failed)
        return asked.answer;
    if (err != NULL)
        *err = asked.error;
    value_free(asked.answer);
    return NULL;
}

/* ---- up, status, down ---- */

static void come_up(void *data, const struct error *error)
{
    struct asked *asked = data;
    if (error != NULL)
        asked->error = *error;
    asked->failed = error != NULL;
    asked->app->done = true;
}

static int say_how(struct app *app)
{
    struct error err = ERROR_INIT;
    struct practice_found found;
    char *path = practice_kubeconfig(&err);
    if (path == NULL || !practice_find(&found, &err)) {
        mem_free(path);
        return say_error(app, &err);
    }
    printf(_("The practice cluster serves at https://127.0.0.1:%u.\n"), found.port);
    printf(_("kubetutor finds it by itself when no kubeconfig names another (or with --practice). For kubectl and others:\n  "
             "export KUBECONFIG=%s\n"),
           path);
    mem_free(path);
    return EXIT_OK;
}

static int cluster_up(struct app *app)
{
    struct asked asked = {.app = app};
    struct practice_options options = {
        .ephemeral = app->values[OPTION_EPHEMERAL] != NULL,
        .idle = app->values[OPTION_IDLE],
        .nodes = app->values[OPTION_NODES],
        .speed = app->values[OPTION_SPEED],
        .clock_rate = app->values[OPTION_CLOCK_RATE],
        .api_only = app->values[OPTION_API_ONLY] != NULL,
    };
    app->done = false;
    struct practice_start *start = practice_start(app->loop, &options, come_up, &asked, &asked.error);
    if (start == NULL)
        return say_error(app, &asked.error);
    if (!app_wait(app, -1)) {
        practice_start_cancel(start);
        return EXIT_INTERRUPTED;
    }
    return asked.failed ? say_error(app, &asked.error) : say_how(app);
}

static int cluster_status(struct app *app)
{
    struct error err = ERROR_INIT;
    struct practice_found found;
    if (!practice_find(&found, &err))
        return say_error(app, &err);
    if (!found.ready) {
        printf("%s\n", found.serving ? _("the practice cluster is starting")
                                     : _("no practice cluster is running; kubetutor cluster up starts it"));
        return EXIT_FAILED;
    }
    struct value *status = ask(app, "status", NULL, NULL, &err);
    if (status == NULL)
        return say_error(app, &err);
    printf(_("running: https://127.0.0.1:%u, pid %ld, %" PRId64 " objects, %s\n"), found.port, (long)found.pid,
           value_find_int(status, 0, "objects", NULL),
           value_is_true(value_get(status, "ephemeral")) ? _("kept in memory only") : _("kept on disk"));
    value_free(status);
    return EXIT_OK;
}

static int cluster_down(struct app *app)
{
    struct error err = ERROR_INIT;
    bool was = false;
    if (!practice_stop(&was, &err))
        return say_error(app, &err);
    printf("%s\n", was ? _("the practice cluster has ended; its objects are kept for the next time (unless it was ephemeral)")
                       : _("no practice cluster was running"));
    return EXIT_OK;
}

/* ---- reset, save, load ---- */

static int cluster_ask(struct app *app, const char *what, bool wants_file, const char *done)
{
    struct error err = ERROR_INIT;
    char *here = NULL, *file = NULL;
    if (wants_file) { /* the server runs in another folder */
        here = getcwd(NULL, 0);
        file = here != NULL ? file_join(here, app->arguments.items[1]) : NULL;
        free(here);
        if (file == NULL) {
            error_memory(&err);
            return say_error(app, &err);
        }
    }
    struct value *answer = ask(app, what, "file", file, &err);
    int code = answer != NULL ? EXIT_OK : say_error(app, &err);
    if (answer != NULL)
        print_safe(stdout, "%s\n", done);
    value_free(answer);
    mem_free(file);
    return code;
}

static int cluster_reset(struct app *app)
{
    return cluster_ask(app, "reset", false, _("the practice cluster is as new"));
}

static int cluster_save(struct app *app)
{
    return cluster_ask(app, "save", true, _("saved"));
}

static int cluster_load(struct app *app)
{
    return cluster_ask(app, "load", true, _("loaded"));
}

/* ---- clock ---- */

static int cluster_clock(struct app *app)
{
    struct error err = ERROR_INIT;
    const char *step = app->arguments.length > 1 ? app->arguments.items[1] : NULL,
               *by = app->arguments.length > 2 ? app->arguments.items[2] : NULL;
    int64_t ms;
    char now[21], ahead[16];
    if (step != NULL && (strcmp(step, "step") != 0 || by == NULL))
        return say_usage(_("cluster clock shows it; cluster clock step 5m lets five minutes pass, not %s"), step);
    if (by != NULL && (!duration_parse(by, &ms) || ms == 0))
        return say_usage(_("a step is a duration such as 5m, not %s"), by);
    struct value *answer = ask(app, "clock", "step", by, &err);
    if (answer == NULL)
        return say_error(app, &err);
    time_print(value_find_int(answer, 0, "now", NULL), now);
    duration_print(value_find_int(answer, 0, "ahead", NULL), ahead);
    printf(_("%s on the practice cluster, ahead by %s\n"), now, ahead);
    value_free(answer);
    return EXIT_OK;
}

/* ---- kubeconfig ---- */

/* The entry of a kubeconfig's list with our name, taken out; what follows is put at the end. */
static bool put_entry(struct value *config, const char *list, const struct value *ours)
{
    struct value *entries = value_get(config, list);
    if (value_type(entries) != VALUE_ARRAY) {
        value_remove(config, list);
        if (!value_set(config, list, value_array()))
            return false;
        entries = value_get(config, list);
    }
    for (struct value *entry = value_first(entries), *next; entry != NULL; entry = next) {
        const char *name = value_find_text(entry, "name", NULL);
        next = value_next(entry);
        if (name != NULL && strcmp(name, "kubetutor") == 0)
            value_free(value_take(entries, entry));
    }
    return value_append(entries, value_copy(value_first(value_get(ours, list))));
}

/* The file that kubectl would write to: the first of KUBECONFIG, else ~/.kube/config. The caller frees. */
static char *users_file(struct error *err)
{
    const char *list = getenv("KUBECONFIG"), *home = xdg_home();
    size_t length = list != NULL ? strcspn(list, ":") : 0;
    char *path = length > 0 ? mem_string_n(list, length) : home != NULL ? mem_printf("%s/.kube/config", home) : NULL;
    if (path == NULL)
        error_memory(err);
    return path;
}

static bool merge(const char *ours_path, const char *path, struct error *err)
{
    static const char *const lists[] = {"clusters", "users", "contexts"};
    size_t length = 0, ours_length = 0;
    char *ours_text = file_read(ours_path, CLUSTER_KUBECONFIG, &ours_length, err),
         *text = file_exists(path) ? file_read(path, CLUSTER_KUBECONFIG, &length, err) : mem_string("");
    struct value *ours =
        ours_text != NULL && text != NULL ? yaml_parse(ours_text, ours_length, ours_path, YAML_DUPLICATES_LAST, err) : NULL;
    struct value *config = ours != NULL ? yaml_parse(text, length, path, YAML_DUPLICATES_LAST, err) : NULL;
    struct buf out = buf_make(CLUSTER_KUBECONFIG);
    bool ok = config != NULL;
    if (ok && value_type(config) == VALUE_NULL) {
        value_free(config);
        config = value_object();
        ok = config != NULL && value_set(config, "apiVersion", value_string("v1")) &&
             value_set(config, "kind", value_string("Config"));
    }
    if (ok && value_type(config) != VALUE_OBJECT)
        ok = error_set(err, ERROR_INPUT, path, "%s", _("this file is no kubeconfig; it stays as it is"));
    for (size_t i = 0; i < 3 && ok; i++)
        ok = put_entry(config, lists[i], ours) || error_memory(err);
    const char *current = value_find_text(config, "current-context", NULL);
    if (ok && (current == NULL || current[0] == '\0'))
        ok = value_set(config, "current-context", value_string("kubetutor")) || error_memory(err);
    if (ok) {
        yaml_print(config, &out);
        char *slash = strrchr(path, '/'),
             *folder = slash != NULL && slash != path ? mem_string_n(path, (size_t)(slash - path)) : NULL;
        ok = buf_ok(&out)
                 ? (folder == NULL || file_make_folder(folder, 0700, err)) && file_write(path, out.bytes, out.length, 0600, err)
                 : error_memory(err);
        mem_free(folder);
    }
    value_free(ours);
    value_free(config);
    buf_free(&out);
    mem_free(ours_text);
    mem_free(text);
    return ok;
}

static int cluster_kubeconfig(struct app *app)
{
    struct error err = ERROR_INIT;
    char *ours = practice_kubeconfig(&err), *path = NULL, *text = NULL;
    int code = EXIT_OK;
    if (ours != NULL && !file_exists(ours))
        error_set(&err, ERROR_UNREACHABLE, NULL, "%s", _("there is no practice cluster yet; kubetutor cluster up starts it"));
    else if (ours != NULL && app->values[OPTION_MERGE] != NULL) {
        path = users_file(&err);
        if (path != NULL && merge(ours, path, &err))
            printf(_("context kubetutor is in %s; use it with: kubectl --context kubetutor ...\n"), path);
    } else if (ours != NULL && (text = file_read(ours, CLUSTER_KUBECONFIG, NULL, &err)) != NULL)
        fputs(text, stdout);
    if (err.kind != ERROR_NONE)
        code = say_error(app, &err);
    mem_free(ours);
    mem_free(path);
    mem_free(text);
    return code;
}

/* ---- the table ---- */

#define SIMULATION_OPTIONS                                                                                                     \
    (OPTION_BIT(OPTION_NODES) | OPTION_BIT(OPTION_SPEED) | OPTION_BIT(OPTION_CLOCK_RATE) | OPTION_BIT(OPTION_API_ONLY))

static const struct subcommand {
    const char *name;
    int (*run)(struct app *app);
    size_t arguments, most; /* the name included */
    unsigned options;
} subcommands[] = {
    {"up", cluster_up, 1, 1, OPTION_BIT(OPTION_EPHEMERAL) | OPTION_BIT(OPTION_IDLE) | SIMULATION_OPTIONS},
    {"down", cluster_down, 1, 1, 0},
    {"status", cluster_status, 1, 1, 0},
    {"reset", cluster_reset, 1, 1, 0},
    {"save", cluster_save, 2, 2, 0},
    {"load", cluster_load, 2, 2, 0},
    {"clock", cluster_clock, 1, 3, 0},
    {"kubeconfig", cluster_kubeconfig, 1, 1, OPTION_BIT(OPTION_MERGE)},
    {"serve", cluster_serve, 1, 1,
     OPTION_BIT(OPTION_EPHEMERAL) | OPTION_BIT(OPTION_IDLE) | OPTION_BIT(OPTION_PORT) | SIMULATION_OPTIONS},
};

int command_cluster(struct app *app)
{
    static const size_t own[] = {OPTION_EPHEMERAL, OPTION_IDLE,  OPTION_MERGE,      OPTION_PORT,
                                 OPTION_NODES,     OPTION_SPEED, OPTION_CLOCK_RATE, OPTION_API_ONLY};
    const char *name = app->arguments.items[0];
    int64_t idle;
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++) {
        const struct subcommand *sub = &subcommands[i];
        if (strcmp(sub->name, name) != 0)
            continue;
        if (app->arguments.length < sub->arguments || app->arguments.length > sub->most)
            return say_usage(sub->arguments == 2 ? _("cluster %s wants a file") : _("cluster %s takes nothing more"), name);
        for (size_t j = 0; j < sizeof own / sizeof *own; j++)
            if (app->values[own[j]] != NULL && (sub->options & OPTION_BIT(own[j])) == 0)
                return say_usage(_("cluster %s does not take this option; see kubetutor help cluster"), name);
        if (app->values[OPTION_IDLE] != NULL && !duration_parse(app->values[OPTION_IDLE], &idle))
            return say_usage(_("--idle is a duration such as 30m, not %s"), app->values[OPTION_IDLE]);
        struct practice_settings settings;
        struct error err = ERROR_INIT;
        if (!practice_settings_read(app->values[OPTION_NODES], app->values[OPTION_SPEED], app->values[OPTION_CLOCK_RATE],
                                    &settings, &err))
            return say_usage("%s", err.message);
        return sub->run(app);
    }
    return say_usage(_("cluster has no \"%s\"; it has: up, down, status, reset, save, load, clock, kubeconfig, serve"), name);
}
