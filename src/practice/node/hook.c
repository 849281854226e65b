/* postStart and preStop, with the kubelet's words where they fail. */
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/node/pod.h"
#include "practice/node/probe.h"

enum { HOOK_TEXT = 32 << 10 };

struct hook {
    struct pod_instance *instance;
    struct value *handler; /* a copy */
    struct handler_run *run;
    void (*done)(void *data, const char *message);
    void *data;
};

static void hook_free(struct hook *hook)
{
    handler_cancel(hook->run);
    value_free(hook->handler);
    mem_free(hook);
}

void hook_cancel(struct hook *hook)
{
    if (hook != NULL)
        hook_free(hook);
}

static void print_words(struct buf *out, const struct value *command)
{
    for (const struct value *word = value_first(command); word != NULL; word = value_next(word))
        buf_printf(out, "%s%s", word == value_first(command) ? "" : " ", value_text(word) != NULL ? value_text(word) : "");
}

/* What the kubelet's status says of one that failed. */
static void print_failure(struct buf *out, const struct hook *hook, const struct handler_result *result)
{
    const struct pod_container *container = hook->instance->container;
    const struct value *exec = value_get(hook->handler, "exec"), *get = value_get(hook->handler, "httpGet");
    char *name = pod_full_name(container->worker);
    if (exec != NULL) {
        buf_append_string(out, "Exec lifecycle hook ([");
        print_words(out, value_get(exec, "command"));
        buf_printf(out, "]) for Container \"%s\" in Pod \"%s\" failed - error: ", container->name, name != NULL ? name : "");
        if (result->outcome == HANDLER_BROKE) {
            buf_append_string(out, result->text);
        } else {
            buf_append_string(out, "command '");
            print_words(out, value_get(exec, "command"));
            buf_printf(out, "' exited with %d: ", result->code);
        }
        buf_append_string(out, ", message: ");
        json_quote(result->output, out);
    } else if (get != NULL) {
        const char *path = value_find_text(get, "path", NULL);
        buf_printf(out, "HTTP lifecycle hook (%s) for Container \"%s\" in Pod \"%s\" failed - error: %s", path != NULL ? path : "/", container->name, name != NULL ? name : "", result->text);
    } else {
        buf_printf(out, "Cannot run handler: %s", result->text);
    }
    mem_free(name);
}

static void ran(void *data, const struct handler_result *result)
{
    struct hook *hook = data;
    struct buf text = buf_make(HOOK_TEXT);
    /* a request counts as done with any answer: the kubelet only looks whether it was sent */
    bool fine = result->outcome == HANDLER_DONE || (value_get(hook->handler, "httpGet") != NULL && result->code > 0);
    hook->run = NULL;
    if (!fine)
        print_failure(&text, hook, result);
    hook->done(hook->data, fine ? NULL : text.bytes != NULL ? text.bytes : "");
    buf_free(&text);
    hook_free(hook);
}

struct hook *hook_start(struct pod_instance *instance, const struct value *spec, const char *which, void (*done)(void *data, const char *message), void *data, bool *none)
{
    const struct value *handler = value_find(spec, "lifecycle", which, NULL);
    *none = handler == NULL;
    struct hook *hook = handler != NULL ? mem_zero(1, sizeof *hook) : NULL;
    if (hook == NULL)
        return NULL;
    *hook = (struct hook){.instance = instance, .handler = value_copy(handler), .done = done, .data = data};
    hook->run = hook->handler != NULL ? handler_start(instance, spec, handler, 0, ran, hook) : NULL;
    if (hook->run != NULL)
        return hook;
    hook_free(hook);
    return NULL;
}
