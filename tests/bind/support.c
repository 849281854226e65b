#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/value.h"

enum { MANY = 30 };

#define CASES KT_TEST_CASES "/cases"

void world_start(struct world *world)
{
    *world = (struct world){.loop = loop_new(NULL)};
    assert_non_null(world->loop);
    world->fake = fake_new(world->loop);
    world->client = fake_client(world->loop, fake_url(world->fake));
    assert_non_null(world->client);
    char *text = file_read(CASES "/world.yaml", 1 << 20, NULL, NULL);
    assert_non_null(text);
    fake_put(world->fake, text);
    mem_free(text);
}

void world_load(struct world *world, const char *file, const char *text)
{
    struct error err = ERROR_INIT;
    struct bind_options options = {.client = world->client, .ns = "learn", .user = "ann", .lesson = "demo", .folder = CASES "/files", .work_folder = CASES "/work"};
    const char *folder = CASES;
    char path[64] = "/tmp/kubetutor-bind-XXXXXX";
    if (text != NULL) {
        assert_non_null(mkdtemp(path));
        char *name = mem_printf("%s/%s", path, file);
        assert_true(file_write(name, text, strlen(text), 0600, NULL));
        mem_free(name);
        folder = path;
    }
    world->script = script_new(world->loop, folder, NULL, &err);
    assert_non_null(world->script);
    world->bind = bind_new(world->script, &options, &err);
    assert_non_null(world->bind);
    world->table = bind_load(world->bind, file, &err);
    if (world->table == NULL)
        fail_msg("%s: %s: %s", file, err.where, err.message);
    if (text != NULL) {
        char *name = mem_printf("%s/%s", path, file);
        remove(name);
        remove(path);
        mem_free(name);
    }
}

int world_function(const struct world *world, const char *name)
{
    return (int)value_find_int(world->table, 0, name, "$function", NULL);
}

void world_end(struct world *world)
{
    value_free(world->table);
    bind_free(world->bind);
    script_free(world->script);
    kube_client_free(world->client);
    fake_free(world->fake);
    loop_free(world->loop);
}

static void take(void *data, const struct bind_result *result)
{
    struct ran *ran = data;
    ran_forget(ran);
    ran->run = NULL;
    ran->done = true;
    ran->times++;
    ran->verdict = result->verdict;
    ran->truthy = result->truthy;
    ran->json = result->json != NULL ? mem_string(result->json) : NULL;
    if (result->text != NULL)
        ran->text = (struct both){.en = result->text->en != NULL ? mem_string(result->text->en) : NULL, .zh = result->text->zh != NULL ? mem_string(result->text->zh) : NULL};
    if (ran->follow != NULL)
        bind_follow(ran->world->bind, result->run, ran->follow);
}

static void start(struct ran *ran, const char *function, enum bind_mode mode, const char *state_json)
{
    struct error err = ERROR_INIT;
    int id = world_function(ran->world, function);
    assert_int_not_equal(id, 0);
    ran->done = false;
    struct bind_run *run = bind_start(ran->world->bind, id, mode, state_json, take, ran, &err);
    if (run != NULL)
        ran->run = run;
    else if (!ran->done)
        fail_msg("%s cannot start: %s", function, err.message);
}

void ran_start(struct ran *ran, struct world *world, const char *function, enum bind_mode mode, const char *state_json)
{
    *ran = (struct ran){.world = world};
    start(ran, function, mode, state_json);
}

void ran_again(struct ran *ran, const char *function, enum bind_mode mode)
{
    start(ran, function, mode, NULL);
}

void ran_wait(struct ran *ran)
{
    world_until(ran->world, &ran->done);
}

void ran_forget(struct ran *ran)
{
    verdict_free(ran->verdict);
    mem_free(ran->json);
    both_free(&ran->text);
    ran->verdict = NULL;
    ran->json = NULL;
}

const struct expectation *ran_expectation(const struct ran *ran, size_t index)
{
    assert_true(index < ran->verdict->expectations.length);
    return ran->verdict->expectations.items[index];
}

struct ran ran_to_end(struct world *world, const char *function, enum bind_mode mode)
{
    struct ran ran = {.world = world}, *kept = &ran;
    start(kept, function, mode, NULL);
    ran_wait(kept);
    return ran;
}

static void describe_expectation(const struct expectation *e, struct buf *out)
{
    buf_printf(out, "%s %s%s%s: %s | %s | %s", e->holds ? "holds" : "fails", e->kind, e->name[0] != '\0' ? " " : "", e->name, e->path, e->expected, e->actual);
    if (e->text.en != NULL || e->text.zh != NULL)
        buf_printf(out, " | text %s/%s", e->text.en != NULL ? e->text.en : "", e->text.zh != NULL ? e->text.zh : "");
    if (e->points != 1)
        buf_printf(out, " | points %d", e->points);
    if (e->history)
        buf_append_string(out, " | history");
    if (e->hidden)
        buf_append_string(out, " | hidden");
    buf_append_string(out, "\n");
}

void ran_describe(const struct ran *ran, struct buf *out)
{
    const struct verdict *v = ran->verdict;
    buf_append_string(out, outcome_name(v->outcome));
    if (v->error.kind != ERROR_NONE)
        buf_printf(out, " %s%s%s%s%s", v->error.where, v->error.where[0] != '\0' ? ": " : "", v->error.message, v->error.cause[0] != '\0' ? " / " : "", v->error.cause);
    buf_append_string(out, "\n");
    if (v->expectations.length > MANY)
        buf_printf(out, "%zu expectations\n", v->expectations.length);
    for (size_t i = 0; i < v->expectations.length && v->expectations.length <= MANY; i++)
        describe_expectation(v->expectations.items[i], out);
    if (v->again_ms >= 0)
        buf_append_string(out, "again later\n");
    if (ran->json != NULL)
        buf_printf(out, "result %s\n", ran->json);
    else if (ran->text.en != NULL || ran->text.zh != NULL)
        buf_printf(out, "says %s/%s\n", ran->text.en != NULL ? ran->text.en : "", ran->text.zh != NULL ? ran->text.zh : "");
}

void world_until(struct world *world, const bool *done)
{
    if (!loop_until(world->loop, done, 10000))
        fail_msg("this did not happen in ten seconds");
}

void world_pass(struct world *world, int64_t ms)
{
    bool never = false;
    loop_until(world->loop, &never, ms);
}

static void note_change(void *data)
{
    struct watching *w = data;
    w->changes++;
    w->changed = true;
}

void watching_start(struct watching *w, struct world *world, const char *function)
{
    *w = (struct watching){.function = function};
    w->ran = (struct ran){.world = world, .follow = w};
    bind_on_change(world->bind, w, note_change, w);
    ran_again(&w->ran, function, BIND_CHECK);
    ran_wait(&w->ran);
    w->changed = false;
    w->changes = 0;
}

void watching_next(struct watching *w)
{
    world_until(w->ran.world, &w->changed);
    w->changed = false;
    ran_again(&w->ran, w->function, BIND_CHECK);
    ran_wait(&w->ran);
}

void watching_end(struct watching *w)
{
    bind_unfollow(w->ran.world->bind, w);
    ran_forget(&w->ran);
}

void world_until_watches(struct world *world, const char *kind, size_t count)
{
    int64_t end = clock_monotonic_ms() + 10000;
    while (fake_watches(world->fake, kind) != count && clock_monotonic_ms() < end)
        loop_once(world->loop, 100);
    assert_int_equal(fake_watches(world->fake, kind), count);
}
