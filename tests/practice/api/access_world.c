#include "access_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "net/crypto.h"
#include "practice/api/user.h"
#include "practice/api/verbs.h"

static int64_t now_ms(void *data)
{
    (void)data;
    return clock_wall_ms();
}

void access_world_open(struct access_world *world)
{
    *world = (struct access_world){.loop = loop_new(NULL), .key = crypto_key_new(NULL)};
    assert_non_null(world->loop);
    assert_non_null(world->key);
    world->api.loop = world->loop;
    world->api.token_key = world->key;
    world->api.state = state_open(NULL, world->loop, now_ms, NULL, NULL);
    assert_non_null(world->api.state);
    world->api.registry = registry_new(world->api.state, NULL);
    assert_non_null(world->api.registry);
    world->api.access = access_new(&world->api, NULL);
    assert_non_null(world->api.access);
}

void access_world_close(struct access_world *world)
{
    access_free(world->api.access);
    registry_free(world->api.registry);
    state_close(world->api.state);
    crypto_key_free(world->key);
    loop_free(world->loop);
}

static void store(struct access_world *world, const char *group, const char *plural, struct value *document)
{
    const struct schema_kind *kind = registry_find(world->api.registry, group, "v1", plural);
    assert_non_null(kind);
    state_resource resource = registry_resource(world->api.registry, kind);
    struct value *metadata = value_get(document, "metadata");
    const char *name = value_find_text(metadata, "name", NULL), *ns = value_find_text(metadata, "namespace", NULL);
    char *uid = mem_printf("uid-%s", name);
    assert_true(value_set(metadata, "uid", value_string(uid)));
    mem_free(uid);
    struct object_build build;
    assert_true(object_build(&build, kind, resource, document, NULL));
    assert_non_null(
        state_put(world->api.state, &build.wanted, state_get(world->api.state, resource, ns != NULL ? ns : "", name), NULL));
    object_build_free(&build);
}

void access_world_put(struct access_world *world, const char *group, const char *plural, const char *json)
{
    struct value *document = json_parse(json, strlen(json), plural, NULL);
    assert_non_null(document);
    store(world, group, plural, document);
    value_free(document);
    assert_true(state_commit(world->api.state, NULL));
}

void access_world_remove(struct access_world *world, const char *group, const char *plural, const char *ns, const char *name)
{
    const struct schema_kind *kind = registry_find(world->api.registry, group, "v1", plural);
    const struct object *object = state_get(world->api.state, registry_resource(world->api.registry, kind), ns, name);
    assert_non_null(object);
    assert_true(state_delete(world->api.state, object, NULL, NULL, NULL));
    assert_true(state_commit(world->api.state, NULL));
}

static bool add(void *data, const char *plural, struct value *object, struct error *err)
{
    (void)err;
    store(data, "rbac.authorization.k8s.io", plural, object);
    value_free(object);
    return true;
}

void access_world_policy(struct access_world *world)
{
    assert_true(access_default_policy(add, world, NULL));
    assert_true(state_commit(world->api.state, NULL));
}

struct user access_world_user(const char *words)
{
    struct user user = {0};
    char *copy = mem_string(words), *rest = copy;
    assert_non_null(copy);
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        assert_true(user.name == NULL ? user_start(&user, word) : user_add_group(&user, word));
    mem_free(copy);
    return user;
}
