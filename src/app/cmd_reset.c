/* cmd_reset.c: reset LESSON, and reset --all, which also takes what lessons left that the course no longer has, and the
 * namespace that kubetutor made. */
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "kube/resource.h"
#include "kube/verbs.h"
#include "report/report.h"

enum { RESET_MS = 150000, RESET_GONE_MS = 120000, RESET_LOOK_MS = 500, RESET_CALL_MS = 60000, RESET_PLACE = 300 };

struct resetting {
    struct app *app;
    struct error error; /* of the last operation */
    struct value *object;
    const struct kube_resource *resource;
    int removed;
};

static bool cut_short(struct resetting *resetting, int ms)
{
    if (resetting->app->interrupted)
        return error_set(&resetting->error, ERROR_CANCELLED, NULL, "%s", _("interrupted"));
    return error_set(&resetting->error, ERROR_TIMEOUT, NULL, _("the clean-up did not end in %d s"), ms / 1000);
}

/* ---- one lesson ---- */

static void removed_one(void *data, const char *object)
{
    (void)data;
    print_safe(stdout, _("removed %s\n"), object);
}

static void reset_done(void *data, const struct error *error, int removed)
{
    struct resetting *resetting = data;
    if (error != NULL)
        resetting->error = *error;
    resetting->removed = removed;
    resetting->app->done = true;
}

static int reset_lesson(struct app *app, const char *lesson)
{
    struct error err = ERROR_INIT;
    struct resetting resetting = {.app = app};
    struct lesson_run *run = app_run(app, lesson, false, NULL, NULL, &err);
    if (run == NULL)
        return say_error(app, &err);
    app->done = false;
    lesson_run_reset(run, removed_one, reset_done, &resetting);
    if (!app_wait(app, RESET_MS))
        cut_short(&resetting, RESET_MS);
    lesson_run_free(run);
    if (resetting.error.kind != ERROR_NONE)
        return say_error(app, &resetting.error);
    printf(lang_plural("%s: %d object removed\n", "%s: %d objects removed\n", (unsigned long)resetting.removed), lesson,
           resetting.removed);
    return EXIT_OK;
}

/* ---- one operation at a time, waited for ---- */

static void answered(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct resetting *resetting = data;
    (void)status;
    value_free(resetting->object);
    resetting->object = object;
    resetting->error = error != NULL ? *error : ERROR_INIT;
    resetting->app->done = true;
}

/* Waits for a call's answer (NULL: it could not begin, and error says why). */
static bool wait_answer(struct resetting *resetting, struct kube_call *call)
{
    if (call != NULL && !resetting->app->done && !app_wait(resetting->app, RESET_CALL_MS)) {
        kube_call_cancel(call);
        cut_short(resetting, RESET_CALL_MS);
    }
    return resetting->error.kind == ERROR_NONE;
}

static void prepare(struct resetting *resetting)
{
    value_free(resetting->object);
    resetting->object = NULL;
    resetting->error = ERROR_INIT;
    resetting->app->done = false;
}

static bool get(struct resetting *resetting, const char *path)
{
    prepare(resetting);
    return wait_answer(resetting,
                       kube_get_path(session_client(resetting->app->session), path, answered, resetting, &resetting->error));
}

static bool delete (struct resetting *resetting, const struct kube_target *target, const char *uid)
{
    struct kube_write_options options = KUBE_WRITE_DEFAULTS;
    options.uid = uid;
    options.propagation = "Foreground";
    prepare(resetting);
    return wait_answer(resetting, kube_delete(session_client(resetting->app->session), target, &options, answered, resetting,
                                              &resetting->error));
}

/* ---- what lessons left that are no longer in the course ---- */

static void resolved(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct resetting *resetting = data;
    resetting->resource = resource;
    resetting->error = error != NULL ? *error : ERROR_INIT;
    resetting->app->done = true;
}

static bool resolve(struct resetting *resetting, const char *kind)
{
    struct kube_client *client = session_client(resetting->app->session);
    prepare(resetting);
    unsigned number = kube_resolve(client, kind, resolved, resetting);
    if (number != 0 && !resetting->app->done && !app_wait(resetting->app, RESET_CALL_MS)) {
        kube_resolve_cancel(client, number);
        cut_short(resetting, RESET_CALL_MS);
    }
    return resetting->error.kind == ERROR_NONE;
}

static bool in_course(const struct app *app, const char *lesson)
{
    for (size_t i = 0; i < app->course->chapters.length; i++)
        if (vec_has_string(&((const struct course_chapter *)app->course->chapters.items[i])->lessons, lesson))
            return true;
    return false;
}

static bool is_gone(const struct error *error)
{
    return error->kind == ERROR_NOT_FOUND || error->kind == ERROR_CONFLICT; /* another object has the name now: not ours */
}

static bool remove_entry(struct resetting *resetting, const struct ledger_entry *entry)
{
    struct app *app = resetting->app;
    bool ok = resolve(resetting, entry->resource);
    if (ok) {
        struct kube_target target = {
            .resource = resetting->resource, .ns = entry->ns[0] != '\0' ? entry->ns : NULL, .name = entry->name};
        ok = delete (resetting, &target, entry->uid);
    }
    if (ok) {
        char *object = mem_printf("%s/%s", entry->resource, entry->name);
        if (object != NULL)
            removed_one(NULL, object);
        mem_free(object);
    }
    if (ok || is_gone(&resetting->error))
        return progress_ledger_remove(app->progress, session_uid(app->session), entry->uid, &resetting->error);
    return false;
}

static int reset_strays(struct app *app)
{
    struct resetting resetting = {.app = app};
    struct error err = ERROR_INIT;
    struct vec entries;
    int code = EXIT_OK;
    if (!progress_ledger_list(app->progress, session_uid(app->session), NULL, &entries, &err))
        return say_error(app, &err);
    for (size_t i = 0; i < entries.length && !app->interrupted; i++) {
        const struct ledger_entry *entry = entries.items[i];
        bool here = entry->ns[0] == '\0' || strcmp(entry->ns, session_namespace(app->session)) == 0;
        if (here && !in_course(app, entry->lesson) && !remove_entry(&resetting, entry))
            code = report_join_codes(code, say_error(app, &resetting.error));
    }
    value_free(resetting.object);
    vec_free(&entries);
    return code;
}

/* ---- the namespace ---- */

/* What may stand in a namespace that holds nothing of anybody. */
static const struct {
    const char *root, *plural, *given; /* given: what every namespace has */
} kinds[] = {
    {"/api/v1", "pods", NULL},
    {"/apis/apps/v1", "deployments", NULL},
    {"/apis/apps/v1", "statefulsets", NULL},
    {"/apis/apps/v1", "daemonsets", NULL},
    {"/api/v1", "services", NULL},
    {"/api/v1", "configmaps", "kube-root-ca.crt"},
    {"/api/v1", "secrets", NULL},
    {"/api/v1", "persistentvolumeclaims", NULL},
    {"/apis/batch/v1", "jobs", NULL},
    {"/apis/batch/v1", "cronjobs", NULL},
    {"/api/v1", "serviceaccounts", "default"},
    {"/apis/networking.k8s.io/v1", "ingresses", NULL},
    {"/apis/networking.k8s.io/v1", "networkpolicies", NULL},
    {"/apis/rbac.authorization.k8s.io/v1", "roles", NULL},
    {"/apis/rbac.authorization.k8s.io/v1", "rolebindings", NULL},
};

/* The first thing that is in the way, "pods/web", into `what`; "" if there is none. False: it could not be seen. */
static bool find_something(struct resetting *resetting, const char *ns, char what[static RESET_PLACE])
{
    what[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[RESET_PLACE];
        snprintf(path, sizeof path, "%s/namespaces/%s/%s?limit=5", kinds[i].root, ns, kinds[i].plural);
        if (!get(resetting, path) && resetting->error.kind != ERROR_NOT_FOUND) /* a kind that this cluster does not serve */
            return false;
        for (const struct value *item = value_first(value_get(resetting->object, "items")); item != NULL;
             item = value_next(item)) {
            const char *name = value_find_text(item, "metadata", "name", NULL);
            if (name != NULL && (kinds[i].given == NULL || strcmp(name, kinds[i].given) != 0)) {
                snprintf(what, RESET_PLACE, "%s/%s", kinds[i].plural, name);
                return true;
            }
        }
    }
    return true;
}

static bool wait_gone(struct resetting *resetting, const char *path, const char *ns)
{
    int64_t until = clock_monotonic_ms() + RESET_GONE_MS;
    while (get(resetting, path)) {
        if (clock_monotonic_ms() >= until)
            return error_set(&resetting->error, ERROR_TIMEOUT, NULL,
                             _("namespace %s is still being deleted; its finalizers may wait for something"), ns);
        resetting->app->done = false;
        app_wait(resetting->app, RESET_LOOK_MS);
        if (resetting->app->interrupted)
            return cut_short(resetting, RESET_GONE_MS);
    }
    return resetting->error.kind == ERROR_NOT_FOUND;
}

static void forget_namespace(struct app *app)
{
    const char *cluster = session_uid(app->session);
    (void)!progress_set_fact(app->progress, cluster, "namespace", NULL, NULL);
    (void)!progress_set_fact(app->progress, cluster, "namespace-created", NULL, NULL);
}

static bool remove_namespace(struct resetting *resetting, const char *ns)
{
    static const struct kube_resource namespaces = {
        .group = "", .version = "v1", .plural = "namespaces", .singular = "namespace", .kind = "Namespace"};
    char path[RESET_PLACE], what[RESET_PLACE], uid[64];
    snprintf(path, sizeof path, "/api/v1/namespaces/%s", ns);
    if (!get(resetting, path)) {
        if (resetting->error.kind != ERROR_NOT_FOUND)
            return false;
        forget_namespace(resetting->app);
        return true;
    }
    const char *manager = value_find_text(resetting->object, "metadata", "labels", "app.kubernetes.io/managed-by", NULL);
    bool ours = manager != NULL && strcmp(manager, "kubetutor") == 0; /* else somebody made it anew */
    const char *its = value_find_text(resetting->object, "metadata", "uid", NULL);
    snprintf(uid, sizeof uid, "%s", its != NULL ? its : "");
    if (!ours)
        return true;
    if (!find_something(resetting, ns, what))
        return false;
    if (what[0] != '\0') {
        char *text = mem_printf(_("namespace %s stays: it holds %s, which is not of a lesson"), ns, what);
        if (text != NULL)
            print_safe(stdout, "%s\n", text);
        mem_free(text);
        return true;
    }
    if (!delete (resetting, &(struct kube_target){.resource = &namespaces, .name = ns}, uid) && !is_gone(&resetting->error))
        return false;
    if (!wait_gone(resetting, path, ns))
        return false;
    forget_namespace(resetting->app);
    print_safe(stdout, _("removed namespace %s, which kubetutor had made\n"), ns);
    return true;
}

static int reset_namespace(struct app *app)
{
    struct resetting resetting = {.app = app};
    const char *ns = session_namespace(app->session);
    char *created = progress_fact(app->progress, session_uid(app->session), "namespace-created");
    int code = EXIT_OK;
    if (created != NULL && strcmp(created, ns) == 0 && !remove_namespace(&resetting, ns))
        code = say_error(app, &resetting.error);
    value_free(resetting.object);
    mem_free(created);
    return code;
}

static int reset_all(struct app *app)
{
    int code = EXIT_OK;
    for (size_t i = 0; i < app->course->chapters.length; i++) {
        const struct course_chapter *chapter = app->course->chapters.items[i];
        for (size_t j = 0; j < chapter->lessons.length && !app->interrupted; j++)
            code = report_join_codes(code, reset_lesson(app, chapter->lessons.items[j]));
    }
    code = report_join_codes(code, reset_strays(app));
    return code == EXIT_OK ? reset_namespace(app) : code;
}

int command_reset(struct app *app)
{
    struct error err = ERROR_INIT;
    bool all = app->values[OPTION_ALL] != NULL;
    if (all == (app->arguments.length > 0))
        return say_usage("%s", _("reset wants one LESSON, or --all"));
    struct lesson *lesson = all ? NULL : app_lesson(app, app->arguments.items[0], &err);
    lesson_free(lesson);
    if ((!all && lesson == NULL) || !app_course(app, &err) || !app_session(app, false, &err))
        return say_error(app, &err);
    return all ? reset_all(app) : reset_lesson(app, app->arguments.items[0]);
}
