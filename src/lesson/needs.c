/* needs.c: what a lesson needs of the cluster, asked before its first step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "lesson/internal.h"

#define OWN_GROUP ".kubetutor.dev" /* kinds that the lessons themselves define: missing is no fault */

struct asking { /* hangs on the run while needs are asked; next is what comes after */
    struct lesson_run *run;
    void (*next)(struct lesson_run *run);
};

static void ask_next(struct asking *asking);

static void end(struct asking *asking, const struct error *error)
{
    struct lesson_run *run = asking->run;
    void (*next)(struct lesson_run *run) = asking->next;
    mem_free(asking);
    run->asking_needs = NULL;
    if (error != NULL)
        run_fail(run, error);
    else {
        run->needs_met = true;
        next(run);
    }
}

/* "1.29" against "1.37": true if the server is older than wanted. */
static bool is_older(const char *server, const char *wanted)
{
    char *dot, *other;
    long major = strtol(server, &dot, 10), wanted_major = strtol(wanted, &other, 10);
    long minor = *dot == '.' ? strtol(dot + 1, NULL, 10) : 0, wanted_minor = *other == '.' ? strtol(other + 1, NULL, 10) : 0;
    return major < wanted_major || (major == wanted_major && minor < wanted_minor);
}

bool run_too_old(const struct lesson_run *run)
{
    const struct lesson_step *step = run_step(run);
    const char *const wanted[] = {run->lesson->since, step != NULL ? step->since : NULL};
    for (size_t i = 0; i < 2; i++)
        if (wanted[i] != NULL && run->server_version != NULL && is_older(run->server_version, wanted[i]))
            return true;
    return false;
}

static void version_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct asking *asking = data;
    struct lesson_run *run = asking->run;
    (void)status;
    run->asking = NULL;
    if (error != NULL) {
        end(asking, error);
        return;
    }
    const char *major = value_find_text(object, "major", NULL), *minor = value_find_text(object, "minor", NULL);
    run->server_version = mem_printf("%s.%s", major != NULL ? major : "1", minor != NULL ? minor : "0");
    value_free(object);
    ask_next(asking);
}

/* The kind of the need that is being asked about, without its verbs. */
static const char *needed_kind(const struct lesson_run *run, char *out, size_t room)
{
    const char *need = run->lesson->needs.items[run->needs_asked];
    snprintf(out, room, "%.*s", (int)strcspn(need, ":"), need);
    return out;
}

/* The sentence for a permission that is missing. */
static void permission_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct asking *asking = data;
    struct lesson_run *run = asking->run;
    (void)status;
    run->asking = NULL;
    bool allowed = error != NULL || value_is_true(value_find(object, "status", "allowed", NULL)); /* not to be asked: then trying will tell */
    value_free(object);
    if (!allowed) {
        struct error err = ERROR_INIT;
        char kind[256];
        error_set(&err, ERROR_DENIED, NULL, _("this lesson needs the permission to %s %s in namespace %s, which your account does not have"), "create",
                  needed_kind(run, kind, sizeof kind), run->ns);
        end(asking, &err);
        return;
    }
    run->needs_asked++;
    ask_next(asking);
}

static void kind_known(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct asking *asking = data;
    struct lesson_run *run = asking->run;
    const char *need = run->lesson->needs.items[run->needs_asked];
    struct error err = ERROR_INIT;
    char kind[256];
    run->resolving = 0;
    if (error != NULL && error->kind == ERROR_NOT_FOUND && strstr(need, OWN_GROUP) != NULL) {
        run->needs_asked++;
        ask_next(asking);
        return;
    }
    if (error != NULL) {
        err = *error;
        if (error->kind == ERROR_NOT_FOUND)
            error_context(&err, _("this lesson needs %s, which this cluster does not have"), needed_kind(run, kind, sizeof kind));
        end(asking, &err);
        return;
    }
    const char *colon = strchr(need, ':');
    if (colon == NULL || strstr(colon, "create") == NULL) {
        run->needs_asked++;
        ask_next(asking);
        return;
    }
    struct kube_target target = {.resource = resource, .ns = resource->namespaced ? run->ns : NULL};
    run->asking = kube_can_i(run->client, "create", &target, permission_known, asking, &err);
    if (run->asking == NULL)
        end(asking, &err);
}

static void ask_next(struct asking *asking)
{
    struct lesson_run *run = asking->run;
    struct error err = ERROR_INIT;
    if (run->server_version == NULL) {
        run->asking = kube_get_path(run->client, "/version", version_known, asking, &err);
        if (run->asking == NULL)
            end(asking, &err);
        return;
    }
    if (run->needs_asked >= run->lesson->needs.length) {
        end(asking, NULL);
        return;
    }
    char name[256];
    needed_kind(run, name, sizeof name);
    size_t before = run->needs_asked;
    unsigned number = kube_resolve(run->client, name, kind_known, asking);
    if (number != 0 && run->asking_needs == asking && run->needs_asked == before && run->asking == NULL)
        run->resolving = number;
}

void run_needs(struct lesson_run *run, void (*next)(struct lesson_run *run))
{
    if (run->needs_met) {
        next(run);
        return;
    }
    struct asking *asking = mem_zero(1, sizeof *asking);
    struct error err = ERROR_INIT;
    if (asking == NULL) {
        error_memory(&err);
        run_fail(run, &err);
        return;
    }
    *asking = (struct asking){.run = run, .next = next};
    run->asking_needs = asking;
    run->needs_asked = 0;
    run->phase = RUN_NEEDS;
    run_tell(run, RUN_EVENT_PHASE);
    ask_next(asking);
}
