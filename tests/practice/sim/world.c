#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { LONG_MS = 60000 };

void world_open(struct world *world)
{
    struct error err = ERROR_INIT;
    *world = (struct world){.loop = loop_new(NULL)};
    world->clock = cluster_clock_new(world->loop, 0, NULL);
    static const char *const catalogues[] = {KT_SOURCE "/assets/images", NULL};
    world->sim = sim_new(&(struct sim_options){.clock = world->clock, .catalogues = catalogues}, &err);
    if (!world->sim)
        fail_msg("no runtime: %s: %s", err.where, err.message);
    world->runtime = sim_runtime(world->sim);
    struct vec hosts = vec_make(8, NULL), resolv = vec_make(8, NULL);
    char line[] = "127.0.0.1\tlocalhost", server[] = "nameserver 10.96.0.10";
    assert_true(vec_push(&hosts, line) && vec_push(&resolv, server));
    struct runtime_sandbox_config config = {.node = "node", .ns = "space", .name = "pod", .uid = "u", .hostname = "pod", .domain = "", .ip = "10.244.0.5", .hosts = &hosts, .resolv = &resolv};
    world->sandbox = world->runtime.ops->sandbox(world->runtime.self, &config, &err);
    assert_non_null(world->sandbox);
    vec_free(&hosts);
    vec_free(&resolv);
}

void world_close(struct world *world)
{
    world->runtime.ops->sandbox_free(world->sandbox);
    sim_free(world->sim);
    cluster_clock_free(world->clock);
    loop_free(world->loop);
}

struct runtime_image world_image(void)
{
    static char id[] = "sha256:0", reference[] = "docker.io/library/busybox:latest", user[] = "";
    return (struct runtime_image){.id = id, .reference = reference, .user = user};
}

struct runtime_container_config world_config(const char *script, struct vec *command)
{
    static struct runtime_image image;
    image = world_image();
    *command = vec_make(8, mem_free);
    assert_true(vec_push_string(command, "sh") && vec_push_string(command, "-c") && vec_push_string(command, script ? script : ""));
    return (struct runtime_container_config){.name = "main", .image = &image, .command = script ? command : NULL, .working_directory = "/work", .user = -1, .group = -1, .termination_path = "/dev/termination-log"};
}

static void started(void *data, const struct error *err)
{
    struct box_run *run = data;
    run->started = true;
    run->failed = err != NULL;
    if (err)
        run->error = *err;
}

static void ended(void *data, const struct runtime_end *end)
{
    struct box_run *run = data;
    run->ended = true;
    run->end = *end;
    snprintf(run->message, sizeof run->message, "%s", end->message);
}

void world_start(struct world *world, struct box_run *run, const struct runtime_container_config *config)
{
    struct error err = ERROR_INIT;
    *run = (struct box_run){.world = world};
    run->container = world->runtime.ops->container(world->sandbox, config, started, ended, run, &err);
    if (!run->container)
        fail_msg("no container: %s", err.message);
    assert_true(loop_until(world->loop, &run->started, LONG_MS));
}

void world_wait(struct box_run *run)
{
    if (!loop_until(run->world->loop, &run->ended, LONG_MS))
        fail_msg("the container did not end");
}

void world_until(struct world *world, bool (*fn)(void *data), void *data)
{
    for (int i = 0; i < 60000 && !fn(data); i++)
        loop_once(world->loop, 1);
    assert_true(fn(data));
}

char *world_log(const struct box_run *run, enum runtime_stream stream)
{
    struct buf text = buf_make(4 << 20);
    struct runtime_log_line line;
    uint64_t cursor = 0;
    while (run->world->runtime.ops->log_next(run->container, &cursor, &line)) {
        if (line.stream != stream)
            continue;
        buf_append(&text, line.text, line.length);
        if (!line.partial)
            buf_append(&text, "\n", 1);
    }
    return buf_take(&text, NULL);
}

void world_expect(const char *script, const char *output, int code)
{
    struct world world;
    struct box_run run;
    struct vec command;
    world_open(&world);
    struct runtime_container_config config = world_config(script, &command);
    world_start(&world, &run, &config);
    assert_false(run.failed);
    world_wait(&run);
    char *text = world_log(&run, RUNTIME_STDOUT);
    if (output)
        assert_string_equal(text, output);
    assert_int_equal(run.end.code, code);
    mem_free(text);
    vec_free(&command);
    world.runtime.ops->container_free(run.container);
    world_close(&world);
}

/* ---- streams ---- */

static size_t talk_output(void *data, enum runtime_stream stream, const void *bytes, size_t length)
{
    struct talk *talk = data;
    struct buf *buf = stream == RUNTIME_STDERR ? &talk->err : &talk->out;
    if (talk->most > 0 && buf->length + length > talk->most)
        length = talk->most > buf->length ? talk->most - buf->length : 0;
    buf_append(buf, bytes, length);
    return length;
}

static void talk_ended(void *data, int code, const struct error *err)
{
    struct talk *talk = data;
    talk->ended = true;
    talk->code = code;
    if (err)
        talk->error = *err;
}

static struct runtime_io talk_io(struct world *world, struct talk *talk)
{
    *talk = (struct talk){.world = world, .out = buf_make(8 << 20), .err = buf_make(8 << 20), .error = ERROR_INIT};
    return (struct runtime_io){.output = talk_output, .ended = talk_ended, .data = talk};
}

void talk_exec(struct world *world, struct talk *talk, struct runtime_container *container, bool tty, bool input, const char *first, ...)
{
    struct runtime_io io = talk_io(world, talk);
    struct vec words = vec_make(32, mem_free);
    va_list rest;
    va_start(rest, first);
    for (const char *word = first; word; word = va_arg(rest, const char *))
        assert_true(vec_push_string(&words, word));
    va_end(rest);
    talk->process = world->runtime.ops->exec(container, &words, tty, input, &io, &talk->error);
    talk->refused = !talk->process;
    vec_free(&words);
}

void talk_attach(struct world *world, struct talk *talk, struct runtime_container *container, bool input)
{
    struct runtime_io io = talk_io(world, talk);
    talk->process = world->runtime.ops->attach(container, input, &io, &talk->error);
    talk->refused = !talk->process;
}

void talk_say(struct talk *talk, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0; length > 0 && i < 60000; i++) {
        size_t taken = talk->world->runtime.ops->process_write(talk->process, text, length);
        text += taken;
        length -= taken;
        if (length > 0)
            loop_once(talk->world->loop, 1);
    }
    assert_int_equal(length, 0);
}

void talk_until(struct talk *talk, const char *text)
{
    for (int i = 0; i < 60000; i++) {
        if (talk->out.bytes && strstr(talk->out.bytes, text))
            return;
        if (talk->ended)
            break;
        loop_once(talk->world->loop, 1);
    }
    fail_msg("never came: %s; but: %s", text, talk->out.bytes ? talk->out.bytes : "");
}

void talk_end(struct talk *talk)
{
    if (!loop_until(talk->world->loop, &talk->ended, LONG_MS))
        fail_msg("it did not end; it said: %s", talk->out.bytes ? talk->out.bytes : "");
}

void talk_free(struct talk *talk)
{
    talk->world->runtime.ops->process_free(talk->process);
    buf_free(&talk->out);
    buf_free(&talk->err);
}
