#include "verbs_world.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/api/body.h"
#include "practice/api/internal.h"
#include "practice/api/options.h"
#include "practice/api/route.h"
#include "practice/api/user.h"

static int64_t now_ms(void *data)
{
    (void)data;
    return clock_wall_ms();
}

bool world_open(struct world *world)
{
    return world_open_at(world, NULL);
}

bool world_open_at(struct world *world, const char *path)
{
    *world = (struct world){0};
    world->loop = loop_new(NULL);
    world->api.loop = world->loop;
    world->api.state = world->loop != NULL ? state_open(path, world->loop, now_ms, NULL, NULL) : NULL;
    world->api.registry = world->api.state != NULL ? registry_new(world->api.state, NULL) : NULL;
    world->api.authority = "authority";
    world->api.host = "127.0.0.1";
    world->api.port = 6443;
    return world->api.registry != NULL && user_start(&world->user, "kubernetes-admin") && user_add_group(&world->user, USER_MASTERS);
}

void world_close(struct world *world)
{
    user_free(&world->user);
    registry_free(world->api.registry);
    state_close(world->api.state);
    loop_free(world->loop);
}

bool world_namespace(struct world *world, const char *name)
{
    struct reply reply;
    char path[512], body[512];
    snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%s\"}}", name);
    bool made = world_ask(world, "POST", "/api/v1/namespaces", NULL, body, &reply) && reply.code == 201;
    reply_free(&reply);
    snprintf(path, sizeof path, "/api/v1/namespaces/%s/serviceaccounts", name);
    made = made && world_ask(world, "POST", path, NULL, "{\"metadata\":{\"name\":\"default\"}}", &reply) && reply.code == 201;
    reply_free(&reply);
    return made;
}

void reply_free(struct reply *reply)
{
    value_free(reply->document);
    vec_free(&reply->warnings);
    *reply = (struct reply){0};
}

/* The answer as the server would send it. */
static bool show(struct world *world, struct answer *answer, struct reply *reply)
{
    reply->warnings = answer->warnings;
    answer->warnings = (struct vec){0};
    if (answer->failure.code != 0) {
        reply->code = answer->failure.code;
        reply->document = status_value(&answer->failure);
    } else if (answer->object != NULL) {
        reply->code = answer->code;
        reply->document = api_value(&world->api, answer->object, answer->as);
    } else {
        reply->code = answer->code;
        reply->document = answer->value;
        answer->value = NULL;
    }
    return reply->document != NULL;
}

static bool fill_call(const struct route *route, const struct query *query, const struct body *body, struct call *call, struct vec *duplicates,
                      struct status *failure)
{
    call->kind = route->kind;
    call->sub = route->sub;
    call->verb = route->verb;
    call->ns = route->ns;
    call->name = route->name[0] != '\0' ? route->name : NULL;
    call->grace = -1;
    if (route->verb == VERB_DELETE || route->verb == VERB_DELETE_COLLECTION) {
        call->label_selector = query_get(query, "labelSelector");
        call->field_selector = query_get(query, "fieldSelector");
        return body_read_delete(body, call, failure) && options_delete(query, call->body, call, failure);
    }
    if (route->verb == VERB_GET || route->verb == VERB_LIST)
        return true;
    if (!options_write(query, call, failure))
        return false;
    if (route->verb == VERB_PATCH)
        return body_read_patch(body, call, duplicates, failure);
    return body_read(body, call, duplicates, failure);
}

/* From text to an answer. */
static void run(struct world *world, const char *method, const char *path, const char *type, const char *text, struct answer *answer)
{
    struct call call = {.user = &world->user, .user_agent = "case/1"};
    struct route route = {0};
    const char *mark = strchr(path, '?');
    char *only = mem_string_n(path, mark != NULL ? (size_t)(mark - path) : strlen(path));
    struct query query = query_parse(mark != NULL ? mark + 1 : "");
    struct vec duplicates = vec_make(BODY_DUPLICATES, mem_free);
    struct body body = {
        .type = type != NULL ? type : "application/json", .bytes = text != NULL ? text : "", .length = text != NULL ? strlen(text) : 0};
    bool plain = false;
    *answer = (struct answer){0};
    if (query.failed)
        status_error(&answer->failure, &(struct error){.kind = ERROR_MEMORY});
    else if (only != NULL && route_parse(only, &route, &answer->failure) &&
        route_find(&route, world->api.registry, method, false, &answer->failure, &plain) &&
        fill_call(&route, &query, &body, &call, &duplicates, &answer->failure))
        api_run(&world->api, &call, answer);
    value_free(call.body);
    vec_free(&duplicates);
    query_free(&query);
    route_free(&route);
    mem_free(only);
}

bool world_ask(struct world *world, const char *method, const char *path, const char *type, const char *text, struct reply *reply)
{
    struct answer answer;
    *reply = (struct reply){0};
    run(world, method, path, type, text, &answer);
    bool shown = show(world, &answer, reply);
    answer_free(&answer);
    return shown;
}

bool world_ask_text(struct world *world, const char *method, const char *path, const char *type, const char *body, struct text_reply *reply)
{
    struct answer answer;
    struct buf out = buf_make(STATE_OBJECT), head = buf_make(1024);
    run(world, method, path, type, body, &answer);
    reply->code = answer.failure.code != 0 ? answer.failure.code : answer.code;
    struct value *failure = answer.failure.code != 0 ? status_value(&answer.failure) : NULL;
    if (answer.object != NULL) {
        api_head(answer.as, &head);
        object_print(answer.object, head.bytes, &out);
    } else {
        json_print(failure != NULL ? failure : answer.value, false, &out);
    }
    value_free(failure);
    answer_free(&answer);
    buf_free(&head);
    reply->text = buf_take(&out, NULL);
    return reply->text != NULL;
}
