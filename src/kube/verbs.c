#include "kube/verbs.h"

#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/internal.h"

enum { MAXIMUM_PATH = 4096, MAXIMUM_QUERY = 16384, MAXIMUM_BODY = 8 * 1024 * 1024 };

struct operation {     /* the context of one call, tied to it by kube_call_own */
    const char *doing; /* "create" */
    char *what;        /* "deployments.apps nginx in namespace learn" */
    bool apply;
    kube_done *done;
    void *data;
};

static void operation_free(void *pointer)
{
    struct operation *operation = pointer;
    mem_free(operation->what);
    mem_free(operation);
}

/* --- targets --- */

/* Names come from lessons and manifests; what cannot stand in a path must not change which path it is. */
static bool part_ok(const char *part, const char *what, struct error *err)
{
    if (part == NULL)
        return true;
    if (part[0] == '\0')
        return error_set(err, ERROR_INPUT, NULL, _("the %s is empty"), what);
    if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0 || strpbrk(part, "/%") != NULL)
        return error_set(err, ERROR_INPUT, NULL, _("\"%s\" cannot be the %s of an object"), part, what);
    return true;
}

bool kube_target_path(const struct kube_target *target, struct buf *out, struct error *err)
{
    const struct kube_resource *r = target->resource;
    if (!part_ok(target->ns, "namespace", err) || !part_ok(target->name, "name", err) ||
        !part_ok(target->subresource, "subresource", err))
        return false;
    const char *ns = r->namespaced ? target->ns : NULL, *name = target->name, *sub = target->subresource;
    if (r->namespaced && ns == NULL && name != NULL)
        return error_set(err, ERROR_INPUT, NULL, _("%s %s needs a namespace"), r->plural, name);
    if (r->group[0] == '\0' && ns != NULL)
        kube_path(out, "/api", r->version, "namespaces", ns, r->plural, name, sub, NULL);
    else if (r->group[0] == '\0')
        kube_path(out, "/api", r->version, r->plural, name, sub, NULL);
    else if (ns != NULL)
        kube_path(out, "/apis", r->group, r->version, "namespaces", ns, r->plural, name, sub, NULL);
    else
        kube_path(out, "/apis", r->group, r->version, r->plural, name, sub, NULL);
    return buf_ok(out) || error_memory(err);
}

void kube_target_words(const struct kube_target *target, struct buf *out)
{
    kube_resource_name(target->resource, out);
    if (target->subresource != NULL)
        buf_printf(out, "/%s", target->subresource);
    if (target->name != NULL)
        buf_printf(out, " %s", target->name);
    if (target->ns != NULL && target->resource->namespaced)
        buf_printf(out, " in namespace %s", target->ns);
}

/* --- answers --- */

/* A refused apply: the fields and who owns them, from causes like {field: ".spec.replicas", message: 'conflict with "kubectl"
 * using apps/v1'}. */
static void set_conflict(const struct operation *operation, const struct kube_status *status, struct error *err)
{
    struct buf fields = buf_make(384);
    for (size_t i = 0; i < status->cause_count; i++) {
        if (strcmp(status->causes[i].reason, "FieldManagerConflict") != 0)
            continue;
        const char *who = strchr(status->causes[i].message, '"'), *end = who != NULL ? strchr(who + 1, '"') : NULL;
        buf_printf(&fields, "%s%s", fields.length > 0 ? ", " : "", status->causes[i].field);
        if (end != NULL)
            buf_printf(&fields, " is owned by %.*s", (int)(end - who + 1), who);
    }
    if (fields.length > 0) {
        error_set(err, ERROR_CONFLICT, NULL, _("cannot apply %s: %s"), operation->what, fields.bytes);
        size_t length = strnlen(status->message, sizeof err->cause - 1);
        memcpy(err->cause, status->message, length);
        err->cause[length] = '\0';
    }
    buf_free(&fields);
}

static void answered(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct operation *operation = data;
    struct error err = ERROR_INIT;
    struct value *object = NULL;
    if (error != NULL) {
        err = *error;
        if (status->code >= 300) {
            struct error told = ERROR_INIT;
            kube_status_error(status, operation->doing, operation->what, &told);
            if (operation->apply && status->code == 409)
                set_conflict(operation, status, &told);
            if (told.where[0] == '\0')
                memcpy(told.where, err.where, sizeof told.where);
            err = told;
        }
    } else {
        object = json_parse(answer->body, answer->length, "the server's answer", &err);
        if (object == NULL)
            error_context(&err, _("the server's answer to \"%s %s\" cannot be read"), operation->doing, operation->what);
    }
    operation->done(operation->data, object, object == NULL ? &err : NULL, status);
}

static struct kube_call *send(struct kube_client *client, const struct kube_request *request, const struct operation *like,
                              struct error *err)
{
    struct operation *operation = mem_alloc(sizeof *operation);
    if (operation == NULL) {
        error_memory(err);
        return NULL;
    }
    *operation = *like;
    operation->what = mem_string(like->what);
    struct kube_call *call = NULL;
    if (operation->what == NULL)
        error_memory(err);
    else
        call = kube_send(client, request, NULL, answered, operation, err);
    if (call != NULL)
        kube_call_own(call, operation, operation_free);
    else
        operation_free(operation);
    return call;
}

/* --- verbs --- */

struct plan { /* what differs between the verbs */
    const char *method, *doing, *content_type;
    const char *shown_name; /* NULL: the target's; of a create the object's own */
    const struct value *body;
    bool apply, own_fields; /* server-side apply; a write that is noted under a field manager */
};

static bool write_query(struct buf *query, const struct plan *plan, const struct kube_write_options *options)
{
    if (options != NULL && options->dry_run)
        kube_query(query, "dryRun", "All");
    if (plan->own_fields)
        kube_query(query, "fieldManager",
                   options != NULL && options->field_manager != NULL ? options->field_manager : KUBE_FIELD_MANAGER);
    if (plan->apply && options != NULL && options->force)
        kube_query(query, "force", "true");
    return buf_ok(query);
}

static struct kube_call *operate(struct kube_client *client, const struct kube_target *target, const struct plan *plan,
                                 const struct kube_write_options *options, kube_done *done, void *data, struct error *err)
{
    struct buf path = buf_make(MAXIMUM_PATH), query = buf_make(MAXIMUM_QUERY), words = buf_make(MAXIMUM_PATH),
               body = buf_make(MAXIMUM_BODY);
    struct kube_call *call = NULL;
    struct kube_target shown = *target;
    if (plan->shown_name != NULL)
        shown.name = plan->shown_name;
    kube_target_words(&shown, &words);
    if (plan->body != NULL)
        json_print(plan->body, false, &body);
    if (!kube_target_path(target, &path, err))
        goto end;
    if (!buf_ok(&body)) {
        error_set(err, ERROR_LIMIT, NULL, _("%s takes more than 8 MiB, or more memory than there is"),
                  words.bytes != NULL ? words.bytes : "the object");
        goto end;
    }
    if (!buf_ok(&words) || !write_query(&query, plan, options)) {
        error_memory(err);
        goto end;
    }
    struct kube_request request = {.method = plan->method,
                                   .path = path.bytes,
                                   .query = query.bytes,
                                   .content_type = plan->content_type,
                                   .body = body.bytes,
                                   .body_length = body.length};
    struct operation operation = {.doing = plan->doing, .what = words.bytes, .apply = plan->apply, .done = done, .data = data};
    call = send(client, &request, &operation, err);
end:
    buf_free(&body);
    buf_free(&words);
    buf_free(&query);
    buf_free(&path);
    return call;
}

struct kube_call *kube_get(struct kube_client *client, const struct kube_target *target, kube_done *done, void *data,
                           struct error *err)
{
    struct plan plan = {.method = "GET", .doing = N_("get")};
    return operate(client, target, &plan, NULL, done, data, err);
}

struct kube_call *kube_create(struct kube_client *client, const struct kube_target *target, const struct value *object,
                              const struct kube_write_options *options, kube_done *done, void *data, struct error *err)
{
    struct plan plan = {.method = "POST",
                        .doing = N_("create"),
                        .body = object,
                        .own_fields = true,
                        .shown_name = value_find_text(object, "metadata", "name", NULL)};
    struct kube_target collection = *target;
    if (collection.subresource == NULL)
        collection.name = NULL;
    return operate(client, &collection, &plan, options, done, data, err);
}

struct kube_call *kube_update(struct kube_client *client, const struct kube_target *target, const struct value *object,
                              const struct kube_write_options *options, kube_done *done, void *data, struct error *err)
{
    struct plan plan = {.method = "PUT", .doing = N_("update"), .body = object, .own_fields = true};
    return operate(client, target, &plan, options, done, data, err);
}

struct kube_call *kube_patch(struct kube_client *client, const struct kube_target *target, enum kube_patch type,
                             const struct value *patch, const struct kube_write_options *options, kube_done *done, void *data,
                             struct error *err)
{
    static const char *const content_types[] = {
        [KUBE_PATCH_JSON] = "application/json-patch+json",
        [KUBE_PATCH_MERGE] = "application/merge-patch+json",
        [KUBE_PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
        [KUBE_PATCH_APPLY] =
            "application/apply-patch+yaml", /* JSON is YAML; apply-patch+json is unknown to servers before 1.32 */
    };
    bool apply = type == KUBE_PATCH_APPLY;
    struct plan plan = {.method = "PATCH",
                        .doing = apply ? N_("apply") : N_("patch"),
                        .content_type = content_types[type],
                        .body = patch,
                        .apply = apply,
                        .own_fields = true};
    return operate(client, target, &plan, options, done, data, err);
}

/* meta/v1 DeleteOptions. NULL: no memory. */
static struct value *delete_options(const struct kube_write_options *options)
{
    struct value *body = value_object();
    bool ok = value_set(body, "kind", value_string("DeleteOptions")) && value_set(body, "apiVersion", value_string("v1"));
    if (options->propagation != NULL)
        ok = ok && value_set(body, "propagationPolicy", value_string(options->propagation));
    if (options->grace_seconds >= 0)
        ok = ok && value_set(body, "gracePeriodSeconds", value_int(options->grace_seconds));
    if (options->uid != NULL)
        ok = ok && value_set(value_child(body, "preconditions"), "uid", value_string(options->uid));
    if (options->resource_version != NULL)
        ok = ok && value_set(value_child(body, "preconditions"), "resourceVersion", value_string(options->resource_version));
    if (!ok) {
        value_free(body);
        return NULL;
    }
    return body;
}

struct kube_call *kube_delete(struct kube_client *client, const struct kube_target *target,
                              const struct kube_write_options *options, kube_done *done, void *data, struct error *err)
{
    struct kube_write_options defaults = KUBE_WRITE_DEFAULTS;
    if (target->name == NULL) { /* the same request without a name deletes all of them */
        error_set(err, ERROR_INPUT, NULL, _("deleting %s needs a name"), target->resource->plural);
        return NULL;
    }
    struct value *body = delete_options(options != NULL ? options : &defaults);
    if (body == NULL) {
        error_memory(err);
        return NULL;
    }
    struct plan plan = {.method = "DELETE", .doing = N_("delete"), .body = body};
    struct kube_call *call = operate(client, target, &plan, options, done, data, err);
    value_free(body);
    return call;
}

struct kube_call *kube_get_path(struct kube_client *client, const char *path, kube_done *done, void *data, struct error *err)
{
    const char *query = strchr(path, '?');
    char *bare = mem_string_n(path, query != NULL ? (size_t)(query - path) : strlen(path));
    if (bare == NULL) {
        error_memory(err);
        return NULL;
    }
    struct kube_request request = {.method = "GET", .path = bare, .query = query != NULL ? query + 1 : NULL};
    struct operation operation = {.doing = N_("get"), .what = bare, .done = done, .data = data};
    struct kube_call *call = send(client, &request, &operation, err);
    mem_free(bare);
    return call;
}

/* --- questions about oneself --- */

static struct kube_call *ask(struct kube_client *client, const char *group, const char *version, const char *plural,
                             const struct value *body, const char *what, kube_done *done, void *data, struct error *err)
{
    struct buf path = buf_make(MAXIMUM_PATH);
    kube_path(&path, "/apis", group, version, plural, NULL);
    char *text = json_text(body, MAXIMUM_BODY), *words = mem_string(what);
    struct kube_call *call = NULL;
    if (!buf_ok(&path) || text == NULL || words == NULL) {
        error_memory(err);
    } else {
        struct kube_request request = {.method = "POST", .path = path.bytes, .body = text, .body_length = strlen(text)};
        struct operation operation = {.doing = N_("ask"), .what = words, .done = done, .data = data};
        call = send(client, &request, &operation, err);
    }
    mem_free(words);
    mem_free(text);
    buf_free(&path);
    return call;
}

static bool set_text(struct value *object, const char *key, const char *text)
{
    return text == NULL || value_set(object, key, value_string(text));
}

struct kube_call *kube_can_i(struct kube_client *client, const char *verb, const struct kube_target *target, kube_done *done,
                             void *data, struct error *err)
{
    const struct kube_resource *r = target->resource;
    struct value *body = value_object(), *a = value_child(value_child(body, "spec"), "resourceAttributes");
    bool ok = set_text(body, "kind", "SelfSubjectAccessReview") && set_text(body, "apiVersion", "authorization.k8s.io/v1") &&
              set_text(a, "verb", verb) && set_text(a, "group", r->group) && set_text(a, "version", r->version) &&
              set_text(a, "resource", r->plural) && set_text(a, "namespace", target->ns) && set_text(a, "name", target->name) &&
              set_text(a, "subresource", target->subresource);
    struct kube_call *call = NULL;
    if (!ok)
        error_memory(err);
    else
        call = ask(client, "authorization.k8s.io", "v1", "selfsubjectaccessreviews", body, "what you may do", done, data, err);
    value_free(body);
    return call;
}

struct identity { /* of kube_who_am_i, which may need several calls; each of them owns one count */
    struct kube_client *client;
    unsigned calls;
    size_t version;
    kube_done *done;
    void *data;
};

static const char *const REVIEW_VERSIONS[] = {"v1", "v1beta1", "v1alpha1"};

static void identity_drop(void *pointer)
{
    struct identity *identity = pointer;
    if (--identity->calls == 0)
        mem_free(identity);
}

static void identity_answered(void *data, const struct kube_answer *answer, const struct error *error,
                              const struct kube_status *status);

static bool ask_identity(struct identity *identity, struct error *err)
{
    const char *version = REVIEW_VERSIONS[identity->version];
    char body[128], path[128];
    snprintf(body, sizeof body, "{\"kind\":\"SelfSubjectReview\",\"apiVersion\":\"authentication.k8s.io/%s\"}", version);
    snprintf(path, sizeof path, "/apis/authentication.k8s.io/%s/selfsubjectreviews", version);
    struct kube_request request = {.method = "POST", .path = path, .body = body, .body_length = strlen(body)};
    struct kube_call *call = kube_send(identity->client, &request, NULL, identity_answered, identity, err);
    if (call == NULL)
        return false;
    identity->calls++;
    kube_call_own(call, identity, identity_drop);
    return true;
}

static void identity_answered(void *data, const struct kube_answer *answer, const struct error *error,
                              const struct kube_status *status)
{
    struct identity *identity = data;
    struct error err = ERROR_INIT;
    if (error != NULL && status->code == 404 && ++identity->version < sizeof REVIEW_VERSIONS / sizeof *REVIEW_VERSIONS) {
        if (ask_identity(identity, &err))
            return;
        identity->done(identity->data, NULL, &err, status);
        return;
    }
    struct value *object = NULL;
    if (error != NULL)
        err = *error;
    else
        object = json_parse(answer->body, answer->length, "the server's answer", &err);
    identity->done(identity->data, object, object == NULL ? &err : NULL, status);
}

bool kube_who_am_i(struct kube_client *client, kube_done *done, void *data, struct error *err)
{
    struct identity *identity = mem_alloc(sizeof *identity);
    if (identity == NULL)
        return error_memory(err);
    *identity = (struct identity){.client = client, .done = done, .data = data};
    if (ask_identity(identity, err))
        return true;
    mem_free(identity);
    return false;
}
