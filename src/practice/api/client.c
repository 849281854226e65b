#include "practice/api/client.h"

#include <string.h>

#include "base/mem.h"
#include "practice/api/access.h"
#include "practice/api/client_internal.h"
#include "practice/api/user.h"

struct client *client_new(struct api *api, const char *user, const char *manager, struct error *err)
{
    struct client *client = mem_zero(1, sizeof *client);
    char *ns = NULL, *account = NULL;
    bool made = client != NULL && user_start(&client->user, user) && user_add_group(&client->user, USER_AUTHENTICATED);
    if (made && user_is_account(user, &ns, &account))
        made = user_add_account_groups(&client->user, ns);
    if (made && user_is_node(user))
        made = user_add_group(&client->user, USER_NODES);
    mem_free(ns);
    mem_free(account);
    if (made) {
        client->api = api;
        client->manager = mem_string(manager);
        made = client->manager != NULL;
    }
    if (made)
        return client;
    client_free(client);
    error_memory(err);
    return NULL;
}

void client_free(struct client *client)
{
    if (client == NULL)
        return;
    user_free(&client->user);
    mem_free(client->manager);
    mem_free(client->refusal);
    mem_free(client);
}

int64_t client_now_ms(const struct client *client)
{
    return api_now_ms(client->api);
}

struct loop *client_loop(const struct client *client)
{
    return client->api->loop;
}

struct cluster_clock *client_clock(const struct client *client)
{
    return client->api->clock;
}

bool client_allowed(const struct client *client, const struct client_resource *resource, const char *verb, const char *sub, const char *ns,
                    const char *name, struct error *err)
{
    struct status failure = {0};
    struct attributes what = {.verb = verb,
                              .group = resource->group,
                              .version = resource->version,
                              .resource = resource->plural,
                              .subresource = sub,
                              .ns = ns,
                              .name = name};
    bool allowed = access_require(client->api->access, &client->user, &what, &failure) || status_as_error(&failure, NULL, err);
    status_free(&failure);
    return allowed;
}

const struct schema_kind *client_kind(const struct client *client, const struct client_resource *resource, struct error *err)
{
    const struct schema_kind *kind = registry_find(client->api->registry, resource->group, resource->version, resource->plural);
    if (kind == NULL)
        error_set(err, ERROR_NOT_FOUND, NULL, "the server could not find the requested resource");
    return kind;
}

static const struct schema_subresource *find_sub(const struct schema_kind *kind, const char *name)
{
    const struct schema_subresource *sub = kind->subresources;
    while (sub != NULL && sub->name != NULL && strcmp(sub->name, name) != 0)
        sub++;
    return sub != NULL && sub->name != NULL ? sub : NULL;
}

/* An error holds a message's beginning; a longer one is kept. */
static bool refuse(struct client *client, const struct status *failure, struct error *err)
{
    bool cut = failure->message != NULL && strlen(failure->message) >= sizeof err->message;
    mem_free(client->refusal);
    client->refusal = cut ? mem_string(failure->message) : NULL;
    return status_as_error(failure, NULL, err);
}

const char *client_words(const struct client *client, const struct error *err)
{
    bool its = client->refusal != NULL && strncmp(client->refusal, err->message, strlen(err->message)) == 0;
    return its ? client->refusal : err->message;
}

/* Does what is asked, for what the client's user may do. The answer is the caller's to free, also when this failed. */
static bool ask(struct client *client, const struct client_resource *resource, const char *verb, const char *sub, struct call *call,
                struct answer *answer, struct error *err)
{
    bool done = false;
    call->kind = client_kind(client, resource, err);
    if (call->kind == NULL || !client_allowed(client, resource, verb, sub, call->ns, call->name, err))
        goto out;
    call->user = &client->user;
    call->user_agent = "";
    call->manager = client->manager;
    call->validation = VALIDATE_IGNORE;
    call->sub = sub[0] != '\0' ? find_sub(call->kind, sub) : NULL;
    if (sub[0] != '\0' && call->sub == NULL) {
        error_set(err, ERROR_NOT_FOUND, NULL, "the server could not find the requested resource");
        goto out;
    }
    api_run(client->api, call, answer);
    done = answer->failure.code == 0 || refuse(client, &answer->failure, err);
out:
    value_free(call->body);
    return done;
}

/* The object as it is then. */
static struct value *run(struct client *client, const struct client_resource *resource, const char *verb, const char *sub, struct call *call,
                         struct error *err)
{
    struct answer answer = {0};
    struct value *result = NULL;
    if (ask(client, resource, verb, sub, call, &answer, err)) {
        result = answer.object != NULL ? api_value(client->api, answer.object, answer.as) : answer.value;
        if (answer.object == NULL)
            answer.value = NULL;
        if (result == NULL)
            error_memory(err);
    }
    answer_free(&answer);
    return result;
}

/* Only whether, and the version that it has then (NULL: nobody wants to know). */
static bool run_quietly(struct client *client, const struct client_resource *resource, const char *verb, const char *sub, struct call *call,
                        uint64_t *version, struct error *err)
{
    struct answer answer = {0};
    bool done = ask(client, resource, verb, sub, call, &answer, err);
    if (done && version != NULL)
        *version = answer.object != NULL ? answer.object->version : 0;
    answer_free(&answer);
    return done;
}

struct value *client_get(struct client *client, const struct client_resource *resource, const char *ns, const char *name, struct error *err)
{
    struct call call = {.verb = VERB_GET, .ns = ns, .name = name, .grace = -1};
    return run(client, resource, "get", "", &call, err);
}

struct value *client_create(struct client *client, const struct client_resource *resource, const char *ns, struct value *object, struct error *err)
{
    struct call call = {.verb = VERB_CREATE, .ns = ns, .body = object, .grace = -1};
    return run(client, resource, "create", "", &call, err);
}

struct value *client_create_sub(struct client *client, const struct client_resource *resource, const char *sub, const char *ns, const char *name,
                                struct value *object, struct error *err)
{
    struct call call = {.verb = VERB_CREATE, .ns = ns, .name = name, .body = object, .grace = -1};
    return run(client, resource, "create", sub, &call, err);
}

struct value *client_update(struct client *client, const struct client_resource *resource, const char *sub, struct value *object, struct error *err)
{
    const char *own_ns = value_find_text(object, "metadata", "namespace", NULL), *own_name = value_find_text(object, "metadata", "name", NULL);
    char *ns = mem_string(own_ns != NULL ? own_ns : ""), *name = own_name != NULL ? mem_string(own_name) : NULL; /* the call changes the body */
    struct value *result = NULL;
    if (ns == NULL || name == NULL) {
        if (own_name == NULL)
            error_set(err, ERROR_INPUT, NULL, "the object has no name");
        else
            error_memory(err);
        value_free(object);
    } else {
        struct call call = {.verb = VERB_UPDATE, .ns = ns, .name = name, .body = object, .grace = -1};
        result = run(client, resource, "update", sub, &call, err);
    }
    mem_free(ns);
    mem_free(name);
    return result;
}

struct value *client_patch(struct client *client, const struct client_resource *resource, const char *sub, const char *ns, const char *name,
                           enum patch_type type, struct value *patch, struct error *err)
{
    struct call call = {.verb = VERB_PATCH, .ns = ns, .name = name, .body = patch, .patch = type, .force = type == PATCH_APPLY, .grace = -1};
    return run(client, resource, "patch", sub, &call, err);
}

bool client_delete(struct client *client, const struct client_resource *resource, const char *ns, const char *name, const char *uid,
                   enum propagation propagation, struct error *err)
{
    struct call call = {.verb = VERB_DELETE, .ns = ns, .name = name, .if_uid = uid, .propagation = propagation, .grace = -1};
    return run_quietly(client, resource, "delete", "", &call, NULL, err);
}

bool client_delete_now(struct client *client, const struct client_resource *resource, const char *ns, const char *name, const char *uid,
                       struct error *err)
{
    struct call call = {.verb = VERB_DELETE, .ns = ns, .name = name, .if_uid = uid, .grace = 0};
    return run_quietly(client, resource, "delete", "", &call, NULL, err);
}

bool client_create_quietly(struct client *client, const struct client_resource *resource, const char *ns, struct value *object, struct error *err)
{
    struct call call = {.verb = VERB_CREATE, .ns = ns, .body = object, .grace = -1};
    return run_quietly(client, resource, "create", "", &call, NULL, err);
}

bool client_patch_quietly(struct client *client, const struct client_resource *resource, const char *sub, const char *ns, const char *name,
                          enum patch_type type, struct value *patch, uint64_t *version, struct error *err)
{
    struct call call = {
        .verb = VERB_PATCH, .ns = ns, .name = name, .body = patch, .patch = type, .force = type == PATCH_APPLY, .grace = -1};
    return run_quietly(client, resource, "patch", sub, &call, version, err);
}
