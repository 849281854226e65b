/* ResourceQuota: what a namespace may use. Every quota that holds the object is looked at, then all are charged. Requests are
 * done one after the other, so that two cannot pass where there is room for one. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/admission_internal.h"
#include "practice/api/quota.h"
#include "practice/api/user.h"

enum { QUOTAS = 10000, QUOTA_TEXT = 64 << 10 };

/* One quota that the object falls under. */
struct charge {
    struct value *quota; /* its document, owned */
    struct amounts hard, used, requested;
};

static void free_charge(void *data)
{
    struct charge *charge = data;
    value_free(charge->quota);
    amounts_free(&charge->hard);
    amounts_free(&charge->used);
    amounts_free(&charge->requested);
    mem_free(charge);
}

static bool handles(const struct admission *admission)
{
    const struct call *call = admission->call;
    const char *kind = call->kind->kind;
    bool core = *call->kind->group == '\0';
    if (!quota_counts(call->kind))
        return false;
    if (admission->old == NULL || call->sub != NULL ||
        (core && (strcmp(kind, "Service") == 0 || strcmp(kind, "PersistentVolumeClaim") == 0)))
        return true;
    static const char deadline[] = "activeDeadlineSeconds"; /* a pod's scope may change, nothing else */
    return core && strcmp(kind, "Pod") == 0 &&
           (value_find(admission->object, "spec", deadline, NULL) == NULL) !=
               (value_find(admission->old, "spec", deadline, NULL) == NULL);
}

static bool must_name(const char *resource)
{
    static const char *const names[] = {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], resource) == 0)
            return true;
    return false;
}

static bool container_names(const struct value *container, const char *resource)
{
    bool limits = strncmp(resource, "limits.", 7) == 0;
    const char *dot = strchr(resource, '.');
    return value_find(container, "resources", limits ? "limits" : "requests", dot != NULL ? dot + 1 : resource, NULL) != NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The containers that say nothing about a resource, sorted: "a,i". */
static bool list_silent(const struct value *pod, const char *resource, struct buf *out)
{
    static const char *const fields[] = {"containers", "initContainers"};
    struct vec names = vec_make(QUOTAS, NULL);
    bool ok = true;
    for (size_t i = 0; i < 2; i++)
        for (const struct value *container = value_first(value_find(pod, "spec", fields[i], NULL)); ok && container != NULL;
             container = value_next(container))
            if (!container_names(container, resource))
                ok = vec_push(&names, (void *)(uintptr_t)admission_text(container, "name"));
    vec_sort(&names, by_text);
    if (names.length > 0)
        buf_printf(out, "%s%s for: ", out->length > 0 ? "; " : "", resource);
    for (size_t i = 0; i < names.length; i++)
        buf_printf(out, "%s%s", i > 0 ? "," : "", (const char *)names.items[i]);
    vec_free(&names);
    return ok;
}

/* Pods under a quota for cpu or memory must say how much. */
static bool check_named(struct admission *admission, const struct charge *charge)
{
    struct buf text = buf_make(QUOTA_TEXT);
    bool ok = true;
    if (*admission->call->kind->group != '\0' || strcmp(admission->call->kind->kind, "Pod") != 0 ||
        value_first(value_find(admission->object, "spec", "resources", NULL)) != NULL)
        return true;
    for (size_t i = 0; ok && i < charge->hard.count; i++)
        if (must_name(charge->hard.items[i].name))
            ok = list_silent(admission->object, charge->hard.items[i].name, &text);
    if (!ok || !buf_ok(&text))
        ok = admission_no_memory(admission);
    else if (text.length > 0)
        ok = admission_forbid(admission, "failed quota: %s: must specify %s", admission_name(charge->quota), text.bytes);
    buf_free(&text);
    return ok;
}

/* What is about this kind must have been counted once by the controller. */
static bool check_counted(struct admission *admission, const struct charge *charge, const struct schema_kind *kind)
{
    struct buf names = buf_make(QUOTA_TEXT);
    bool known = true;
    for (size_t i = 0; i < charge->hard.count; i++) {
        const char *name = charge->hard.items[i].name;
        if (!quota_tracks(kind, name))
            continue;
        known = known && amounts_find(&charge->used, name) != NULL;
        buf_printf(&names, "%s%s", names.length > 0 ? "," : "", name);
    }
    if (!known && buf_ok(&names))
        admission_forbid(admission, "status unknown for quota: %s, resources: %s", admission_name(charge->quota), names.bytes);
    else if (!known)
        admission_no_memory(admission);
    buf_free(&names);
    return known;
}

/* What the object uses more than before, of what the quota limits. */
static void find_request(const struct admission *admission, struct charge *charge)
{
    const struct schema_kind *kind = admission->call->kind;
    struct amounts now = {0}, before = {0};
    int64_t time = api_now_ms(admission->api);
    quota_usage(kind, admission->object, time, &now);
    if (admission->old != NULL && quota_in_scope(charge->quota, kind, admission->old))
        quota_usage(kind, admission->old, time, &before);
    for (size_t i = 0; i < now.count; i++) {
        const struct amount_item *had = amounts_find(&before, now.items[i].name);
        struct amount more = had != NULL ? amount_subtract(now.items[i].amount, had->amount) : now.items[i].amount;
        if (more.nano > 0 && amounts_find(&charge->hard, now.items[i].name) != NULL)
            amounts_set(&charge->requested, now.items[i].name, more);
    }
    charge->requested.failed = charge->requested.failed || now.failed || before.failed;
    amounts_free(&now);
    amounts_free(&before);
}

static void print_amounts(struct buf *out, const char *label, const struct amounts *list, const struct amounts *names)
{
    buf_append_string(out, label);
    for (size_t i = 0; i < names->count; i++) {
        char text[QUANTITY_TEXT];
        const struct amount_item *item = amounts_find(list, names->items[i].name);
        amount_print(item != NULL ? item->amount : amount_of(0), text);
        buf_printf(out, "%s%s=%s", i > 0 ? "," : "", names->items[i].name, text);
    }
}

/* Adds the request to what is used; false: it is too much. */
static bool check_room(struct admission *admission, struct charge *charge)
{
    struct amounts exceeded = {0};
    for (size_t i = 0; i < charge->requested.count; i++) {
        const struct amount_item *request = &charge->requested.items[i], *used = amounts_find(&charge->used, request->name);
        const struct amount_item *hard = amounts_find(&charge->hard, request->name);
        struct amount sum = used != NULL ? amount_add(used->amount, request->amount) : request->amount;
        if (amount_compare(sum, hard->amount) > 0)
            amounts_set(&exceeded, request->name, request->amount);
    }
    bool ok = !exceeded.failed || admission_no_memory(admission);
    if (ok && exceeded.count > 0) {
        struct buf text = buf_make(QUOTA_TEXT);
        print_amounts(&text, "requested: ", &charge->requested, &exceeded);
        print_amounts(&text, ", used: ", &charge->used, &exceeded);
        print_amounts(&text, ", limited: ", &charge->hard, &exceeded);
        ok = buf_ok(&text) ? admission_forbid(admission, "exceeded quota: %s, %s", admission_name(charge->quota), text.bytes)
                           : admission_no_memory(admission);
        buf_free(&text);
    }
    amounts_free(&exceeded);
    if (ok)
        amounts_add_all(&charge->used, &charge->requested);
    return ok && (!charge->used.failed || admission_no_memory(admission));
}

static bool tracks_any(const struct amounts *hard, const struct schema_kind *kind)
{
    for (size_t i = 0; i < hard->count; i++)
        if (quota_tracks(kind, hard->items[i].name))
            return true;
    return false;
}

/* Looks at one quota; a charge is added if the object falls under it. */
static bool look_at(struct admission *admission, const struct object *object, struct vec *charges)
{
    const struct schema_kind *kind = admission->call->kind;
    struct charge *charge = mem_zero(1, sizeof *charge);
    if (charge == NULL)
        return admission_no_memory(admission);
    charge->quota = lookup_value(object);
    amounts_read(&charge->hard, value_find(charge->quota, "status", "hard", NULL));
    amounts_read(&charge->used, value_find(charge->quota, "status", "used", NULL));
    bool ok = charge->quota != NULL && !charge->hard.failed && !charge->used.failed;
    bool wanted = ok && tracks_any(&charge->hard, kind) && quota_in_scope(charge->quota, kind, admission->object);
    if (!ok)
        admission_no_memory(admission);
    ok = ok && (!wanted || (check_named(admission, charge) && check_counted(admission, charge, kind)));
    if (ok && wanted) {
        find_request(admission, charge);
        wanted = charge->requested.count > 0;
        ok = (!charge->requested.failed || admission_no_memory(admission));
    }
    if (ok && wanted)
        return vec_push(charges, charge) || admission_no_memory(admission);
    free_charge(charge);
    return ok;
}

/* Writes status.used by the API's own hand, as the real server does. */
static bool pay(struct admission *admission, struct charge *charge)
{
    struct api *api = admission->api;
    const struct schema_kind *kind = lookup_kind(api, "", "resourcequotas");
    const struct schema_subresource *sub = kind->subresources;
    while (sub != NULL && sub->name != NULL && strcmp(sub->name, "status") != 0)
        sub++;
    struct user user = {0};
    struct value *status = value_child(charge->quota, "status");
    char *name = mem_string(admission_name(charge->quota));
    bool ok = sub != NULL && status != NULL && name != NULL && value_set(status, "used", amounts_value(&charge->used)) &&
              value_set(charge->quota, "kind", value_string("ResourceQuota")) &&
              value_set(charge->quota, "apiVersion", value_string("v1")) && user_start(&user, "system:apiserver") &&
              user_add_group(&user, USER_MASTERS);
    if (!ok)
        admission_no_memory(admission);
    if (ok) {
        struct call call = {.user = &user,
                            .user_agent = "",
                            .verb = VERB_UPDATE,
                            .kind = kind,
                            .sub = sub,
                            .ns = admission->call->ns,
                            .name = name,
                            .body = charge->quota,
                            .validation = VALIDATE_IGNORE,
                            .manager = "kube-apiserver",
                            .grace = -1};
        struct answer answer = {0};
        charge->quota = NULL;
        api_run(api, &call, &answer);
        if (answer.failure.code != 0) {
            *admission->failure = answer.failure;
            answer.failure = (struct status){0};
            ok = false;
        }
        answer_free(&answer);
        value_free(call.body);
    }
    user_free(&user);
    mem_free(name);
    return ok;
}

/* A creation under a name that is taken is about to fail: nothing is used by it. */
static bool is_taken(const struct admission *admission)
{
    const struct schema_kind *kind = admission->call->kind;
    state_resource resource = registry_resource(admission->api->registry, kind);
    return admission->old == NULL &&
           state_get(admission->api->state, resource, admission->call->ns, admission_name(admission->object)) != NULL;
}

bool check_quota(struct admission *admission)
{
    const char *ns = admission->call->ns;
    struct vec charges = vec_make(QUOTAS, free_charge);
    bool ok = true;
    if (*ns == '\0' || !handles(admission))
        return true;
    for (const struct object *object = NULL;
         ok && (object = lookup_next(admission->api, "", "resourcequotas", ns, object)) != NULL;)
        ok = look_at(admission, object, &charges);
    for (size_t i = 0; ok && i < charges.length; i++)
        ok = check_room(admission, charges.items[i]);
    bool pays = ok && !admission->call->dry_run && !is_taken(admission);
    for (size_t i = 0; ok && pays && i < charges.length; i++)
        ok = pay(admission, charges.items[i]);
    vec_free(&charges);
    return ok;
}
