/* LimitRanger: what a container asks for where it says nothing, and how much it may ask for. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/admission_internal.h"
#include "practice/api/amount.h"

#define LIMITS_ANNOTATION "kubernetes.io/limit-ranger"
enum { LIMITS_TEXT = 64 << 10, LIMITS_PROBLEMS = 1000 };

/* The limits of one LimitRange, one by one. */
static bool each_range(struct admission *admission,
                       bool (*fn)(struct admission *admission, const struct value *limits, void *data), void *data)
{
    bool ok = true;
    for (const struct object *range = NULL;
         ok && (range = lookup_next(admission->api, "", "limitranges", admission->call->ns, range)) != NULL;) {
        struct value *document = lookup_value(range);
        ok = document != NULL ? fn(admission, value_find(document, "spec", "limits", NULL), data)
                              : admission_no_memory(admission);
        value_free(document);
    }
    return ok;
}

static bool is_type(const struct value *limit, const char *type)
{
    return strcmp(admission_text(limit, "type"), type) == 0;
}

/* "cpu, memory request for container c" */
static void describe(struct buf *out, const struct amounts *set, const char *what, const char *kind, const char *name)
{
    if (set->count == 0)
        return;
    buf_append_string(out, out->length > 0 ? "; " : "");
    for (size_t i = 0; i < set->count; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", set->items[i].name);
    buf_printf(out, " %s for %s %s", what, kind, name);
}

/* Adds what is missing; set gets the names of what was added. */
static bool fill(struct value *resources, const char *which, const struct amounts *defaults, struct amounts *set)
{
    for (size_t i = 0; i < defaults->count; i++) {
        char text[QUANTITY_TEXT];
        struct value *list = value_child(resources, which);
        if (list == NULL)
            return false;
        if (value_get(list, defaults->items[i].name) != NULL)
            continue;
        amount_print(defaults->items[i].amount, text);
        if (!value_set(list, defaults->items[i].name, value_string(text)))
            return false;
        amounts_set(set, defaults->items[i].name, defaults->items[i].amount);
    }
    return !set->failed;
}

static bool fill_containers(struct admission *admission, const char *field, const char *kind, const struct amounts *requests,
                            const struct amounts *limits, struct buf *said)
{
    bool ok = true;
    for (struct value *container = value_first(value_find(admission->object, "spec", field, NULL)); ok && container != NULL;
         container = value_next(container)) {
        struct amounts set_requests = {0}, set_limits = {0};
        struct value *resources = value_child(container, "resources");
        ok = resources != NULL && fill(resources, "limits", limits, &set_limits) &&
             fill(resources, "requests", requests, &set_requests);
        describe(said, &set_requests, "request", kind, admission_text(container, "name"));
        describe(said, &set_limits, "limit", kind, admission_text(container, "name"));
        amounts_free(&set_requests);
        amounts_free(&set_limits);
    }
    return ok;
}

static bool fill_pod(struct admission *admission, const struct value *list, void *data)
{
    (void)data;
    struct amounts requests = {0}, limits = {0};
    struct buf said = buf_make(LIMITS_TEXT);
    for (const struct value *limit = value_first(list); limit != NULL; limit = value_next(limit)) {
        if (!is_type(limit, "Container"))
            continue;
        amounts_read(&requests, value_get(limit, "defaultRequest"));
        amounts_read(&limits, value_get(limit, "default"));
    }
    bool ok = !requests.failed && !limits.failed &&
              fill_containers(admission, "containers", "container", &requests, &limits, &said) &&
              fill_containers(admission, "initContainers", "init container", &requests, &limits, &said) && buf_ok(&said);
    if (ok && said.length > 0) {
        struct value *metadata = value_child(admission->object, "metadata"),
                     *annotations = metadata != NULL ? value_child(metadata, "annotations") : NULL;
        char *text = mem_printf("LimitRanger plugin set: %s", said.bytes);
        ok = annotations != NULL && text != NULL && value_set(annotations, LIMITS_ANNOTATION, value_string(text));
        mem_free(text);
    }
    amounts_free(&requests);
    amounts_free(&limits);
    buf_free(&said);
    return ok || admission_no_memory(admission);
}

static bool is_going(const struct admission *admission)
{
    return value_find(admission->old, "metadata", "deletionTimestamp", NULL) != NULL;
}

bool admit_limits(struct admission *admission)
{
    return is_going(admission) || each_range(admission, fill_pod, NULL);
}

/* One bound: what is enforced, and what was asked for (NULL: nothing was). */
struct bound {
    const char *type, *resource;
    struct amount enforced;
    const struct amount *request, *limit;
    struct vec *problems;
    bool failed;
};

static void problem(struct bound *bound, const char *format, const char *observed)
{
    char enforced[QUANTITY_TEXT];
    amount_print(bound->enforced, enforced);
    char *text = mem_printf(format, bound->resource, bound->type, enforced, observed);
    if (text == NULL || (!vec_has_string(bound->problems, text) && !vec_push_string(bound->problems, text)))
        bound->failed = true;
    mem_free(text);
}

static void check_min(struct bound *bound)
{
    char text[QUANTITY_TEXT];
    if (bound->request == NULL) {
        problem(bound, "minimum %s usage per %s is %s.  No request is specified", "");
    } else if (amount_compare(*bound->request, bound->enforced) < 0) {
        amount_print(*bound->request, text);
        problem(bound, "minimum %s usage per %s is %s, but request is %s", text);
    } else if (bound->limit != NULL && amount_compare(*bound->limit, bound->enforced) < 0) {
        amount_print(*bound->limit, text);
        problem(bound, "minimum %s usage per %s is %s, but limit is %s", text);
    }
}

static void check_max(struct bound *bound)
{
    char text[QUANTITY_TEXT];
    if (bound->limit == NULL) {
        problem(bound, "maximum %s usage per %s is %s.  No limit is specified", "");
    } else if (amount_compare(*bound->limit, bound->enforced) > 0) {
        amount_print(*bound->limit, text);
        problem(bound, "maximum %s usage per %s is %s, but limit is %s", text);
    } else if (bound->request != NULL && amount_compare(*bound->request, bound->enforced) > 0) {
        amount_print(*bound->request, text);
        problem(bound, "maximum %s usage per %s is %s, but request is %s", text);
    }
}

/* Claims have no limits. */
static void check_max_request(struct bound *bound)
{
    char text[QUANTITY_TEXT];
    if (bound->request == NULL) {
        problem(bound, "maximum %s usage per %s is %s.  No request is specified", "");
    } else if (amount_compare(*bound->request, bound->enforced) > 0) {
        amount_print(*bound->request, text);
        problem(bound, "maximum %s usage per %s is %s, but request is %s", text);
    }
}

static void check_ratio(struct bound *bound)
{
    if (bound->request == NULL || bound->request->nano == 0) {
        problem(bound, "%s max limit to request ratio per %s is %s, but no request is specified or request is 0", "");
        return;
    }
    if (bound->limit == NULL || bound->limit->nano == 0) {
        problem(bound, "%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0", "");
        return;
    }
    double ratio = (double)bound->limit->nano / (double)bound->request->nano;
    if (ratio * 1e9 > (double)bound->enforced.nano) {
        char text[64];
        snprintf(text, sizeof text, "%f", ratio);
        problem(bound, "%s max limit to request ratio per %s is %s, but provided ratio is %s", text);
    }
}

static void check_all(const struct value *limit, const char *field, void (*check)(struct bound *bound),
                      const struct amounts *requests, const struct amounts *limits, struct bound *bound)
{
    struct amounts enforced = {0};
    amounts_read(&enforced, value_get(limit, field));
    for (size_t i = 0; i < enforced.count; i++) {
        const struct amount_item *request = amounts_find(requests, enforced.items[i].name),
                                 *most = amounts_find(limits, enforced.items[i].name);
        bound->type = admission_text(limit, "type");
        bound->resource = enforced.items[i].name;
        bound->enforced = enforced.items[i].amount;
        bound->request = request != NULL ? &request->amount : NULL;
        bound->limit = most != NULL ? &most->amount : NULL;
        check(bound);
    }
    bound->failed = bound->failed || enforced.failed;
    amounts_free(&enforced);
}

static void check_three(const struct value *limit, const struct amounts *requests, const struct amounts *limits,
                        struct bound *bound)
{
    check_all(limit, "min", check_min, requests, limits, bound);
    check_all(limit, "max", check_max, requests, limits, bound);
    check_all(limit, "maxLimitRequestRatio", check_ratio, requests, limits, bound);
    bound->failed = bound->failed || requests->failed || limits->failed;
}

static void check_containers(const struct admission *admission, const char *field, const struct value *limit,
                             struct bound *bound)
{
    for (const struct value *container = value_first(value_find(admission->object, "spec", field, NULL)); container != NULL;
         container = value_next(container)) {
        struct amounts requests = {0}, limits = {0};
        amounts_read(&requests, value_find(container, "resources", "requests", NULL));
        amounts_read(&limits, value_find(container, "resources", "limits", NULL));
        check_three(limit, &requests, &limits, bound);
        amounts_free(&requests);
        amounts_free(&limits);
    }
}

static void check_pod(const struct admission *admission, const struct value *limit, struct bound *bound)
{
    struct amounts requests = {0}, limits = {0};
    if (is_type(limit, "Container")) {
        check_containers(admission, "containers", limit, bound);
        check_containers(admission, "initContainers", limit, bound);
    } else if (is_type(limit, "Pod")) {
        amounts_of_pod(admission->object, "requests", false, &requests);
        amounts_of_pod(admission->object, "limits", false, &limits);
        check_three(limit, &requests, &limits, bound);
    }
    amounts_free(&requests);
    amounts_free(&limits);
}

static void check_claim(const struct admission *admission, const struct value *limit, struct bound *bound)
{
    struct amounts requests = {0}, none = {0};
    if (!is_type(limit, "PersistentVolumeClaim"))
        return;
    amounts_read(&requests, value_find(admission->object, "spec", "resources", "requests", NULL));
    check_all(limit, "min", check_min, &requests, &none, bound);
    check_all(limit, "max", check_max_request, &requests, &none, bound);
    bound->failed = bound->failed || requests.failed;
    amounts_free(&requests);
}

static bool refuse(struct admission *admission, const struct vec *problems)
{
    struct buf text = buf_make(LIMITS_TEXT);
    for (size_t i = 0; i < problems->length; i++)
        buf_printf(&text, "%s%s", i > 0 ? ", " : "", (const char *)problems->items[i]);
    bool several = problems->length > 1;
    if (buf_ok(&text))
        admission_forbid(admission, "%s%s%s", several ? "[" : "", text.bytes, several ? "]" : "");
    else
        admission_no_memory(admission);
    buf_free(&text);
    return false;
}

static bool check_range(struct admission *admission, const struct value *list, void *data)
{
    void (*check)(const struct admission *admission, const struct value *limit, struct bound *bound) =
        data != NULL ? check_pod : check_claim;
    struct vec problems = vec_make(LIMITS_PROBLEMS, mem_free);
    struct bound bound = {.problems = &problems};
    for (const struct value *limit = value_first(list); limit != NULL; limit = value_next(limit))
        check(admission, limit, &bound);
    bool ok = problems.length == 0 ? !bound.failed || admission_no_memory(admission) : refuse(admission, &problems);
    vec_free(&problems);
    return ok;
}

bool check_limits(struct admission *admission)
{
    bool pod = strcmp(admission->call->kind->kind, "Pod") == 0;
    return is_going(admission) || each_range(admission, check_range, pod ? admission : NULL);
}
