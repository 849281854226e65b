/* Allocations of a bind's life fail, each in a life of its own: from bind_new over a check and a setup to bind_free; a part of them, all with KT_THOROUGH set. The server is another process, whose memory does not fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lua.h>

#include "base/file.h"
#include "base/mem.h"
#include "support.h"

enum { CLOSE = 100, FURTHER = 150, LONGEST_MS = 3000, NEVER = 1 << 20 };

static const char lesson[] =
    "return {\n"
    "  check = function(k, state)\n"
    "    local d = k:get('deployments.apps', 'web')\n"
    "    d:expect({ spec = { replicas = at_least(2), template = { spec = { containers = contains { name = 'web' } } } } }, t { en = 'two', zh = '二' })\n"
    "    d:condition 'Available' d:rolled_out() d:saw('spec.replicas', { 3 })\n"
    "    local pods = k:list('pods', { labels = { app = 'web', old = false } })\n"
    "    pods:ready():expect_count(1) pods:each():expect { spec = { nodeName = matches '^node' } } pods:expect_gone { 'x' }\n"
    "    k:get('secrets', 'login'):expect { data = { password = secret(any), ['.dockerconfigjson'] = base64_json { auths = any } } }\n"
    "    k:expect_absent('pods', 'nobody') k:expect_seen('pods', 'web-a', { status = any }) k:service('web'):selects('deployments.apps', 'web')\n"
    "    expect(state.n == 3, 'state'):points(2):explain(t { en = 'a', zh = 'b' })\n"
    "    d:expect { spec = { replicas = function(v) return v == one_of end } }\n"
    "  end,\n"
    "  act = function(k, state)\n"
    "    k:apply 'two.yaml' k:label('pods', 'web-a', { a = 'b' }) k:wait('pods', 'web-a', 'Ready', 1) k:delete_all('pods', { labels = { app = 'none' } })\n"
    "    return { uids = k:list('pods'):uids(), n = state.n }\n"
    "  end,\n"
    "}\n";

struct life {
    struct loop *loop;
    struct kube_client *client;
    struct script *script;
    bool over;
    int times;
    struct verdict *verdict;
    int left; /* how many allocations more it would have taken to fail */
};

static void take(void *data, const struct bind_result *result)
{
    struct life *life = data;
    life->over = true;
    life->times++;
    life->verdict = result->verdict;
}

static void set_up(struct fake *fake)
{
    char *text = file_read(KT_TEST_CASES "/cases/world.yaml", 1 << 20, NULL, NULL);
    fake_put(fake, text);
    mem_free(text);
}

/* Counts the allocations until the one that fails. */
static int left(void)
{
    int count = 0;
    for (void *memory; (memory = mem_alloc(1)) != NULL; count++)
        mem_free(memory);
    return count;
}

/* From bind_new to bind_free with the nth allocation failing. True if all went as it does with memory. */
static bool live(struct life *life, const char *function, enum bind_mode mode, enum outcome wanted, int nth)
{
    struct error err = ERROR_INIT;
    struct bind_options options = {.client = life->client, .ns = "learn", .user = "ann", .lesson = "demo", .folder = KT_TEST_CASES "/cases/files"};
    life->script = script_new(life->loop, NULL, NULL, NULL); /* its own failures are script's tests */
    assert_non_null(life->script);
    life->over = false;
    life->times = 0;
    life->verdict = NULL;
    mem_fail_at(nth);
    struct bind *bind = bind_new(life->script, &options, &err);
    bool well = bind != NULL && script_run_text(life->script, lesson, sizeof lesson - 1, "lesson.lua", &err);
    struct bind_run *run = NULL;
    if (well) {
        lua_State *lua = script_lua(life->script);
        lua_getfield(lua, -1, function);
        int id = script_keep(life->script);
        lua_settop(lua, 0);
        well = id != 0;
        if (well) {
            run = bind_start(bind, id, mode, "{\"n\":3}", take, life, &err);
            if (run != NULL)
                well = loop_until(life->loop, &life->over, LONGEST_MS);
            else
                well = life->over;
        }
    }
    life->left = nth == NEVER ? left() : 0;
    mem_fail_at(0);
    if (!well && !life->over && bind != NULL && run != NULL)
        bind_cancel(run); /* a watch that is tried again later */
    assert_true(life->times <= 1);
    if (nth == NEVER && life->verdict != NULL && life->verdict->outcome != wanted)
        print_error("with all its memory: %s %s\n", outcome_name(life->verdict->outcome), life->verdict->error.message);
    bool as_usual = life->verdict != NULL && life->verdict->outcome == wanted;
    if (life->verdict != NULL && life->verdict->outcome == OUTCOME_PASSED)
        assert_int_equal(wanted, OUTCOME_PASSED); /* no failure of memory makes a check hold */
    verdict_free(life->verdict);
    bind_free(bind);
    script_free(life->script);
    return as_usual;
}

static void no_allocation_that_fails_breaks_anything(const char *function, enum bind_mode mode, enum outcome wanted)
{
    char url[64];
    struct life life = {.loop = loop_new(NULL)};
    int server = fake_apart(set_up, url), failed = 0;
    life.client = fake_client(life.loop, url);
    assert_true(live(&life, function, mode, wanted, NEVER)); /* discovery is known from here on */
    assert_true(live(&life, function, mode, wanted, NEVER));
    int total = NEVER - life.left, stride = (total - CLOSE) / FURTHER;
    assert_true(stride > 0);
    for (int nth = 1; nth <= total; nth += nth < CLOSE || getenv("KT_THOROUGH") != NULL ? 1 : stride)
        failed += !live(&life, function, mode, wanted, nth); /* Lua collects its garbage when one fails, and may go on */
    assert_true(failed > 5);
    assert_true(live(&life, function, mode, wanted, NEVER)); /* and all is well again */
    kube_client_free(life.client);
    fake_end(server);
    loop_free(life.loop);
}

static void a_check_survives_every_allocation_failing(void **state)
{
    (void)state;
    no_allocation_that_fails_breaks_anything("check", BIND_CHECK, OUTCOME_FAILED);
}

static void a_setup_survives_every_allocation_failing(void **state)
{
    (void)state;
    no_allocation_that_fails_breaks_anything("act", BIND_DO, OUTCOME_PASSED);
}

int test_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_survives_every_allocation_failing),
        cmocka_unit_test(a_setup_survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("bind/memory", tests, NULL, NULL);
}
