/* Answers questions about access, a line each: {"put":["clusterroles",{...}]} stores an object (no answer), {"ask":{...}} is a
 * SubjectAccessReview's spec, answered with its status. compare.py holds the answers against a real server's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_world.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/api/user.h"

static void put(struct access_world *world, const struct value *pair)
{
    char *text = json_text(value_item(pair, 1), 1 << 20);
    access_world_put(world, "rbac.authorization.k8s.io", value_text(value_item(pair, 0)), text);
    mem_free(text);
}

static void ask(struct access_world *world, const struct schema_kind *kind, const struct value *spec)
{
    struct user admin = access_world_user("admin system:masters");
    struct call call = {
        .user = &admin, .user_agent = "", .verb = VERB_CREATE, .kind = kind, .ns = "", .body = value_object(), .grace = -1};
    struct answer answer = {.warnings = vec_make(10, mem_free)};
    if (!value_set(call.body, "spec", value_copy(spec)))
        exit(2);
    access_review(world->api.access, &call, &answer);
    char *text = json_text(value_get(answer.value, "status"), 1 << 20);
    puts(text != NULL ? text : "null");
    mem_free(text);
    answer_free(&answer);
    value_free(call.body);
    user_free(&admin);
}

int main(void)
{
    struct access_world world;
    char *line = NULL;
    size_t room = 0;
    access_world_open(&world);
    access_world_policy(&world);
    const struct schema_kind *kind = registry_find(world.api.registry, "authorization.k8s.io", "v1", "subjectaccessreviews");
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        struct value *question = json_parse(line, (size_t)length, "question", NULL);
        if (question == NULL || kind == NULL)
            exit(2);
        if (value_get(question, "put") != NULL)
            put(&world, value_get(question, "put"));
        else
            ask(&world, kind, value_get(question, "ask"));
        value_free(question);
    }
    free(line);
    access_world_close(&world);
    return 0;
}
