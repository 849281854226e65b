/* needs.c: what a lesson needs of the cluster, asked before its first step. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/yaml.h"
#include "lesson/internal.h"

enum { DEFINITION_FILE = 256 << 10 };

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
/* ---- permissions: one review of all rules, held against what the lesson names ---- */

static bool lists(const struct value *list, const char *wanted)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        const char *text = value_text(item);
        if (text != NULL && (strcmp(text, "*") == 0 || strcmp(text, wanted) == 0))
            return true;
    }
    return false;
}

/* Rules that name single objects do not count: the lesson's are not among them. */
static bool is_allowed(const struct value *rules, const struct kube_resource *resource, const char *verb)
{
    for (const struct value *rule = value_first(rules); rule != NULL; rule = value_next(rule))
        if (value_first(value_get(rule, "resourceNames")) == NULL && lists(value_get(rule, "verbs"), verb) && lists(value_get(rule, "apiGroups"), resource->group) &&
            lists(value_get(rule, "resources"), resource->plural))
            return true;
    return false;
}

/* The verbs behind the colon; without a colon all that lessons use. A run that only judges needs to read. */
static bool names_verb(const char *need, const char *verb)
{
    const char *colon = strchr(need, ':');
    size_t length = strlen(verb);
    for (const char *at = colon != NULL ? colon + 1 : NULL; at != NULL && *at != '\0'; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strcspn(at, ",") == length && strncmp(at, verb, length) == 0)
            return true;
    return colon == NULL;
}

static bool permissions_suffice(struct lesson_run *run, const struct value *rules, struct error *err)
{
    static const struct {
        const char *verb;
        bool reads;
    } verbs[] = {{"get", true}, {"list", true}, {"watch", true}, {"create", false}, {"patch", false}, {"delete", false}};
    char kind[256];
    for (run->needs_asked = 0; run->needs_asked < run->lesson->needs.length; run->needs_asked++) {
        const struct kube_resource *resource = kube_resource_known(run->client, needed_kind(run, kind, sizeof kind));
        for (size_t i = 0; resource != NULL && i < sizeof verbs / sizeof *verbs; i++)
            if ((verbs[i].reads || run->judging == NULL) && names_verb(run->lesson->needs.items[run->needs_asked], verbs[i].verb) &&
                !is_allowed(rules, resource, verbs[i].verb))
                return error_set(err, ERROR_DENIED, NULL, _("this lesson needs the permission to %s %s in namespace %s, which your account does not have"),
                                 verbs[i].verb, kind, run->ns);
    }
    return true;
}

static void rules_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct asking *asking = data;
    struct error err = ERROR_INIT;
    (void)status;
    asking->run->asking = NULL;
    const struct value *answer = value_get(object, "status");
    bool whole = error == NULL && !value_is_true(value_get(answer, "incomplete")); /* else trying will tell */
    bool suffice = !whole || permissions_suffice(asking->run, value_get(answer, "resourceRules"), &err);
    value_free(object);
    end(asking, suffice ? NULL : &err);
}

static void ask_rules(struct asking *asking)
{
    static const struct kube_resource reviews = {.group = "authorization.k8s.io", .version = "v1", .plural = "selfsubjectrulesreviews", .kind = "SelfSubjectRulesReview"};
    struct lesson_run *run = asking->run;
    struct error err = ERROR_INIT;
    struct value *review = value_object(), *spec = review != NULL ? value_child(review, "spec") : NULL;
    bool ok = spec != NULL && value_set(review, "apiVersion", value_string("authorization.k8s.io/v1")) &&
              value_set(review, "kind", value_string("SelfSubjectRulesReview")) && value_set(spec, "namespace", value_string(run->ns));
    if (ok)
        run->asking = kube_create(run->client, &(struct kube_target){.resource = &reviews}, review, NULL, rules_known, asking, &err);
    else
        error_memory(&err);
    value_free(review);
    if (run->asking == NULL)
        end(asking, &err);
}

/* ---- kinds ---- */

/* True if a file of the lesson defines this kind: then it may be missing at the start. */
static bool lesson_defines(const struct lesson *lesson, const char *kind)
{
    static const char *const folders[] = {"files", "solution"};
    bool defined = false;
    for (size_t i = 0; i < 2 && !defined; i++) {
        char *path = mem_printf("%s/%s", lesson->folder, folders[i]);
        DIR *folder = path != NULL ? opendir(path) : NULL;
        for (struct dirent *entry; !defined && folder != NULL && (entry = readdir(folder)) != NULL;) {
            struct vec documents = vec_make(0, NULL);
            size_t length = 0;
            char *text = entry->d_name[0] != '.' ? file_read_below(path, entry->d_name, DEFINITION_FILE, &length, NULL) : NULL;
            bool parsed = text != NULL && yaml_parse_all(text, length, entry->d_name, YAML_DUPLICATES_LAST, &documents, NULL);
            for (size_t d = 0; parsed && d < documents.length && !defined; d++) {
                const char *is = value_find_text(documents.items[d], "kind", NULL), *name = value_find_text(documents.items[d], "metadata", "name", NULL);
                defined = is != NULL && name != NULL && strcmp(is, "CustomResourceDefinition") == 0 && strcmp(name, kind) == 0;
            }
            vec_free(&documents);
            mem_free(text);
        }
        if (folder != NULL)
            closedir(folder);
        mem_free(path);
    }
    return defined;
}

static void kind_known(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct asking *asking = data;
    struct lesson_run *run = asking->run;
    struct error err = ERROR_INIT;
    char kind[256];
    run->resolving = 0;
    needed_kind(run, kind, sizeof kind);
    if (resource != NULL || (error->kind == ERROR_NOT_FOUND && lesson_defines(run->lesson, kind))) {
        run->needs_asked++;
        ask_next(asking);
        return;
    }
    err = *error;
    if (error->kind == ERROR_NOT_FOUND) {
        error_context(&err, _("this lesson needs %s, which this cluster does not have"), kind);
        err.kind = ERROR_DENIED; /* the cluster's matter, not a wrong name on the command line */
    }
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
        ask_rules(asking);
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
