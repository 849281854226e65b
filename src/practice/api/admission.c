#include "practice/api/admission_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { ADMISSION_MESSAGE = 64 << 10, ON_CREATE = 1, ON_UPDATE = 2 };

/* The plug-ins in the real order. kind NULL: all kinds. Subresources only where it says so. */
static const struct plugin {
    const char *group, *kind, *sub;
    int when;
    bool (*mutate)(struct admission *admission), (*validate)(struct admission *admission);
} plugins[] = {
    {NULL, NULL, NULL, ON_CREATE, admit_namespace, NULL},
    {"", "Pod", NULL, ON_CREATE, admit_limits, check_limits},
    {"", "Pod", "resize", ON_UPDATE, admit_limits, check_limits},
    {"", "PersistentVolumeClaim", NULL, ON_CREATE | ON_UPDATE, NULL, check_limits},
    {"", "Pod", NULL, ON_CREATE, admit_account, check_account},
    {"", "Node", NULL, ON_CREATE, admit_node_taint, NULL},
    {NULL, NULL, NULL, ON_CREATE | ON_UPDATE, NULL, check_pod_security},
    {"", "Pod", "ephemeralcontainers", ON_UPDATE, NULL, check_pod_security},
    {"", "Pod", NULL, ON_CREATE | ON_UPDATE, admit_priority, NULL},
    {"scheduling.k8s.io", "PriorityClass", NULL, ON_CREATE | ON_UPDATE, NULL, check_priority_class},
    {"", "Pod", NULL, ON_CREATE | ON_UPDATE, admit_tolerations, NULL},
    {"", "PersistentVolumeClaim", NULL, ON_CREATE, admit_storage_class, NULL},
    {"", "PersistentVolume", NULL, ON_CREATE, admit_protection, NULL},
    {"", "PersistentVolumeClaim", NULL, ON_CREATE, admit_protection, NULL},
    {"", "PersistentVolumeClaim", NULL, ON_UPDATE, NULL, check_resize},
    {"", "Pod", NULL, ON_CREATE, admit_runtime_class, check_runtime_class},
    {"networking.k8s.io", "Ingress", NULL, ON_CREATE, admit_ingress_class, NULL},
    {NULL, NULL, NULL, ON_CREATE | ON_UPDATE, NULL, check_quota},
    {"", "Pod", "resize", ON_UPDATE, NULL, check_quota},
};

static bool applies(const struct plugin *plugin, const struct admission *admission)
{
    const struct call *call = admission->call;
    const char *sub = call->sub != NULL ? call->sub->name : NULL;
    bool same_sub = plugin->sub == NULL ? sub == NULL : sub != NULL && strcmp(plugin->sub, sub) == 0;
    if (sub != NULL && plugin->kind == NULL && plugin->when == ON_CREATE && admission->old == NULL)
        same_sub = true; /* evictions, bindings ... are creations, too */
    return same_sub && (plugin->when & (admission->old == NULL ? ON_CREATE : ON_UPDATE)) != 0 &&
           (plugin->kind == NULL ||
            (strcmp(plugin->kind, call->kind->kind) == 0 && strcmp(plugin->group, call->kind->group) == 0));
}

bool admission_mutate(struct api *api, const struct call *call, struct value *object, const struct value *old,
                      struct vec *warnings, struct status *failure)
{
    struct admission admission = {
        .api = api, .call = call, .object = object, .old = old, .warnings = warnings, .failure = failure};
    for (size_t i = 0; i < sizeof plugins / sizeof plugins[0]; i++)
        if (plugins[i].mutate != NULL && applies(&plugins[i], &admission) && !plugins[i].mutate(&admission))
            return false;
    return true;
}

bool admission_validate(struct api *api, const struct call *call, const struct value *object, const struct value *old,
                        struct vec *warnings, struct status *failure)
{
    /* validating plug-ins only read */
    struct admission admission = {.api = api,
                                  .call = call,
                                  .object = (struct value *)(uintptr_t)object,
                                  .old = old,
                                  .warnings = warnings,
                                  .failure = failure};
    for (size_t i = 0; i < sizeof plugins / sizeof plugins[0]; i++)
        if (plugins[i].validate != NULL && applies(&plugins[i], &admission) && !plugins[i].validate(&admission))
            return false;
    return true;
}

bool admission_delete(struct api *api, const struct call *call, const struct object *object, struct status *failure)
{
    static const char *const immortal[] = {"default", "kube-system", "kube-public"};
    (void)api;
    if (*call->kind->group != '\0' || strcmp(call->kind->kind, "Namespace") != 0)
        return true;
    for (size_t i = 0; i < sizeof immortal / sizeof immortal[0]; i++)
        if (strcmp(object->name, immortal[i]) == 0)
            return status_forbidden(failure, "", "namespaces", object->name, "this namespace may not be deleted");
    return true;
}

bool admission_no_memory(struct admission *admission)
{
    struct error err = ERROR_INIT;
    error_memory(&err);
    return status_error(admission->failure, &err);
}

const char *admission_text(const struct value *object, const char *key)
{
    const char *text = value_text(value_get(object, key));
    return text != NULL ? text : "";
}

const char *admission_name(const struct value *object)
{
    return admission_text(value_get(object, "metadata"), "name");
}

const char *admission_annotation(const struct value *object, const char *key)
{
    return value_text(value_get(value_get(value_get(object, "metadata"), "annotations"), key));
}

const char *admission_label(const struct value *object, const char *key)
{
    return value_text(value_get(value_get(value_get(object, "metadata"), "labels"), key));
}

struct value *admission_array(struct value *object, const char *key)
{
    struct value *child = value_get(object, key);
    if (child == NULL && value_set(object, key, value_array()))
        child = value_get(object, key);
    return value_type(child) == VALUE_ARRAY ? child : NULL;
}

static char *print_list(const char *format, va_list list)
{
    char *text = mem_alloc(ADMISSION_MESSAGE);
    if (text != NULL)
        vsnprintf(text, ADMISSION_MESSAGE, format, list);
    return text;
}

/* Its name in refusals: the path's, its own, or what one would be made from. */
static const char *shown_name(const struct admission *admission)
{
    const char *name = admission->call->name != NULL ? admission->call->name : admission_name(admission->object);
    return *name != '\0' ? name : admission_text(value_get(admission->object, "metadata"), "generateName");
}

bool admission_forbid(struct admission *admission, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = print_list(format, list);
    va_end(list);
    if (text == NULL)
        return admission_no_memory(admission);
    status_forbidden(admission->failure, admission->call->kind->group, admission->call->kind->plural, shown_name(admission),
                     "%s", text);
    mem_free(text);
    return false;
}

bool admission_warn(struct admission *admission, const char *format, ...)
{
    va_list list;
    if (admission->warnings == NULL)
        return true;
    va_start(list, format);
    char *text = print_list(format, list);
    va_end(list);
    bool ok = text != NULL &&
              (admission->warnings->length >= admission->warnings->maximum || vec_push_string(admission->warnings, text));
    mem_free(text);
    return ok || admission_no_memory(admission);
}

/* NamespaceLifecycle: nothing new in a namespace that is not there or that is going. */
bool admit_namespace(struct admission *admission)
{
    const struct call *call = admission->call;
    if (*call->ns == '\0' || strcmp(call->kind->kind, "LocalSubjectAccessReview") == 0 ||
        (*call->kind->group == '\0' && strcmp(call->kind->kind, "Namespace") == 0))
        return true;
    const struct object *ns = lookup(admission->api, "", "namespaces", "", call->ns);
    if (ns == NULL)
        return status_not_found(admission->failure, lookup_kind(admission->api, "", "namespaces"), call->ns);
    if ((ns->flags & OBJECT_DELETING) == 0)
        return true;
    admission_forbid(admission, "unable to create new content in namespace %s because it is being terminated", call->ns);
    struct value *causes = value_array(), *cause = value_object();
    char *message = mem_printf("namespace %s is being terminated", call->ns);
    bool ok = causes != NULL && cause != NULL && message != NULL &&
              value_set(cause, "reason", value_string("NamespaceTerminating")) &&
              value_set(cause, "message", value_string(message)) &&
              value_set(cause, "field", value_string("metadata.namespace"));
    mem_free(message);
    if (ok) {
        ok = value_append(causes, cause);
        cause = NULL;
    }
    value_free(cause);
    if (!ok) {
        value_free(causes);
        return admission_no_memory(admission);
    }
    value_free(admission->failure->causes);
    admission->failure->causes = causes;
    return false;
}
