/* explain.c: why an expectation fails, asked of the cluster (kube/why.h). The first one about a named object is explained: one chain of sentences is
 * what a person can use. */
#include <string.h>

#include "base/mem.h"
#include "lesson/internal.h"

struct explaining {
    struct verdict *verdict; /* borrowed */
    size_t index;            /* the expectation that is being explained */
    struct kube_why_call *call;
    void (*done)(void *data, bool found);
    void *data;
};

static void known(void *data, const struct kube_why *why, const struct error *error)
{
    struct explaining *explaining = data;
    struct expectation *e = explaining->verdict->expectations.items[explaining->index];
    struct buf text = buf_make(8192);
    bool found = error == NULL && why->count > 0;
    for (size_t i = 0; found && i < why->count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "\n" : "", why->links[i].text);
    char *fresh = found ? buf_take(&text, NULL) : NULL;
    if (fresh != NULL) {
        mem_free(e->why);
        e->why = fresh;
    }
    buf_free(&text);
    explaining->call = NULL;
    explaining->done(explaining->data, fresh != NULL); /* the receiver frees */
}

void explain_free(struct explaining *explaining)
{
    if (explaining == NULL)
        return;
    if (explaining->call != NULL)
        kube_why_cancel(explaining->call);
    mem_free(explaining);
}

/* What somebody wrote into the object explains itself; what came of it does not. */
static bool wants_why(const struct expectation *e)
{
    static const char *const written[] = {"spec", "metadata", "data"};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (strncmp(e->path, written[i], strlen(written[i])) == 0)
            return false;
    return !e->holds && !e->history && e->name[0] != '\0' && strpbrk(e->name, "=,!") == NULL; /* the last: a selection, not an object */
}

struct explaining *explain_start(struct lesson_run *run, struct verdict *verdict, void (*done)(void *data, bool found), void *data)
{
    for (size_t i = 0; i < verdict->expectations.length; i++) {
        const struct expectation *e = verdict->expectations.items[i];
        const struct kube_resource *resource = wants_why(e) ? kube_resource_known(run->client, e->resource) : NULL;
        if (resource == NULL)
            continue;
        struct explaining *explaining = mem_zero(1, sizeof *explaining);
        if (explaining == NULL)
            return NULL;
        *explaining = (struct explaining){.verdict = verdict, .index = i, .done = done, .data = data};
        explaining->call = kube_why_start(run->client, resource, resource->namespaced ? run->ns : NULL, e->name, known, explaining, NULL);
        if (explaining->call != NULL)
            return explaining;
        mem_free(explaining);
        return NULL;
    }
    return NULL;
}
