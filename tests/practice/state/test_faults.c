#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "failing.h"
#include "support.h"

static void note(void *data, const struct error *err)
{
    *(enum error_kind *)data = err != NULL ? err->kind : ERROR_NONE;
}

static void on_a_full_disk_all_of_a_round_is_undone_and_later_writes_work(void **state)
{
    struct place *place = *state;
    struct error err = ERROR_INIT;
    enum error_kind told = ERROR_INTERNAL;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    put(place->state, pods, "n", "b", "1");
    put(place->state, pods, "n", "c", "1");
    place_round(place);
    struct state_numbers before, after;
    state_numbers(place->state, &before);
    fill_disk(place->state, true);
    put(place->state, pods, "n", "a", "2");
    drop(place->state, pods, "n", "b");
    put(place->state, pods, "n", "b", "2");
    drop(place->state, pods, "n", "c");
    put_large(place->state, pods, "n", "d", 100000, 'x');
    put(place->state, pods, "n", "d", "2");
    drop(place->state, pods, "n", "a");
    assert_true(state_after_commit(place->state, note, &told));
    assert_false(state_commit(place->state, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    state_numbers(place->state, &after);
    after.commits = before.commits;
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(state_is_clean(place->state));
    assert_int_equal(state_version(place->state), 3);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=1 n/b=1 n/c=1");
    assert_int_equal(state_get(place->state, pods, "n", "b")->version, 2);
    loop_once(place->loop, 1000);
    assert_int_equal(told, ERROR_LIMIT);
    put_large(place->state, pods, "n", "d", 100000, 'x'); /* at the end of a round, too */
    assert_true(state_after_commit(place->state, note, &told));
    told = ERROR_INTERNAL;
    loop_once(place->loop, 1000);
    assert_int_equal(told, ERROR_LIMIT);
    fill_disk(place->state, false);
    assert_true(put(place->state, pods, "n", "a", "3")->version > 10); /* no version that was ever shown */
    put_large(place->state, pods, "n", "d", 100000, 'x');
    place_round(place);
    place_close(place);
    place_open(place);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=3 n/b=1 n/c=1 n/d=x100000");
    assert_string_equal(listed(place->state, pods, NULL, 3), "n/a=1 n/b=1 n/c=1");
}

static void a_put_that_has_to_commit_others_says_that_there_is_no_room(void **state)
{
    struct place *place = *state;
    struct error err = ERROR_INIT;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    fill_disk(place->state, true);
    put_large(place->state, pods, "n", "b", 100000, 'x');
    for (int i = 1; i < STATE_BATCH; i++)
        put(place->state, pods, "n", "a", "2");
    assert_null(try_put(place->state, pods, "n", "c", "1", &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=1");
    assert_non_null(try_put(place->state, pods, "n", "c", "1", NULL));
}

/* Needs the right to mount; the limit on the file's pages above stands in for it elsewhere. */
static void a_disk_that_is_really_full_is_survived(void **state)
{
    struct place *place = *state;
    struct error err = ERROR_INIT;
    char disk[80];
    snprintf(disk, sizeof disk, "%s/disk", place->folder);
    assert_int_equal(mkdir(disk, 0700), 0);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=3m") != 0)
        skip();
    snprintf(place->path, sizeof place->path, "%s/state.db", disk);
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    char name[16];
    unsigned written = 0;
    for (bool ok = true; ok; written += ok) {
        assert_true(written < 1000);
        snprintf(name, sizeof name, "p%03u", written);
        put_large(place->state, pods, "n", name, 20000, 'x');
        ok = state_commit(place->state, &err);
    }
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(written > 20);
    assert_int_equal(state_count(place->state, pods, NULL), written);
    assert_int_equal(mount("tmpfs", disk, "tmpfs", MS_REMOUNT, "size=30m"), 0);
    put_large(place->state, pods, "n", "z", 20000, 'x');
    assert_true(state_commit(place->state, NULL));
    place_close(place);
    place_open(place);
    assert_int_equal(state_count(place->state, pods, NULL), written + 1);
    place_close(place);
    assert_int_equal(umount(disk), 0);
}

/* A file's name is taken away and given back. */
static void writes_fail_while_it_is_away(struct place *place, state_resource pods, const char *path)
{
    struct error err = ERROR_INIT;
    char away[160];
    snprintf(away, sizeof away, "%s.away", path);
    assert_int_equal(rename(path, away), 0);
    put(place->state, pods, "n", "a", "2");
    assert_false(state_commit(place->state, &err));
    assert_int_equal(err.kind, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "deleted or replaced"));
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=1");
    assert_true(file_write(path, "other", 5, 0600, NULL)); /* another one in its place is no better */
    put(place->state, pods, "n", "a", "3");
    assert_false(state_commit(place->state, NULL));
    assert_int_equal(rename(away, path), 0);
}

static void nothing_is_acknowledged_once_the_file_was_deleted_underneath(void **state)
{
    struct place *place = *state;
    char log[160];
    place_open(place);
    snprintf(log, sizeof log, "%s-wal", place->path);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    writes_fail_while_it_is_away(place, pods, place->path);
    writes_fail_while_it_is_away(place, pods, log);
    put(place->state, pods, "n", "a", "4");
    place_round(place);
    place_close(place);
    place_open(place);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=4");
}

static void a_file_that_may_not_be_written_any_more_is_no_fault_of_who_writes(void **state)
{
    struct place *place = *state;
    struct error err = ERROR_INIT;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    sql(place->state, "PRAGMA query_only=1");
    put(place->state, pods, "n", "a", "2");
    assert_false(state_commit(place->state, &err));
    assert_int_equal(err.kind, ERROR_INTERNAL);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=1");
    sql(place->state, "PRAGMA query_only=0");
    put(place->state, pods, "n", "a", "3");
    place_round(place);
}

/* ---- memory */

/* Reads events until there are no more for now; a watch on a file that cannot be read for lack of memory is over. */
static void drain(struct state *now, state_resource resource, uint64_t from)
{
    struct error err = ERROR_INIT;
    struct state_watch *watch = state_watch_new(now, resource, NULL, from, nothing, NULL, &err);
    const char *event = watch != NULL ? next(watch) : "expired";
    assert_true(watch != NULL || err.kind == ERROR_MEMORY);
    while (strcmp(event, "wait") != 0 && strcmp(event, "expired") != 0)
        event = next(watch);
    state_watch_free(watch);
}

static void write_all(struct state *now, state_resource pods)
{
    struct error err = ERROR_INIT;
    uint64_t before = state_version(now);
    char expected[400];
    snprintf(expected, sizeof expected, "%s", listed(now, pods, NULL, 0));
    bool ok = try_put(now, pods, "n", "a", "new", &err) != NULL && try_put(now, pods, "n", "b", "new", &err) != NULL &&
              state_delete(now, state_get(now, pods, "n", "b"), NULL, NULL, &err) && state_commit(now, &err);
    assert_true(ok || err.kind == ERROR_MEMORY);
    if (!ok && state_is_clean(now)) { /* no memory at the commit, or for the first of them */
        const char *found = listed(now, pods, NULL, 0);
        assert_true(strcmp(found, expected) == 0 || strstr(found, "memory") != NULL || strstr(expected, "memory") != NULL);
        assert_int_equal(state_version(now), before);
    }
}

static void use_all(void *argument)
{
    struct place *place = argument;
    struct error err = ERROR_INIT;
    struct state *now = place_try_open(place, &err);
    if (now == NULL) {
        assert_int_equal(err.kind, ERROR_MEMORY);
        return;
    }
    state_resource pods = state_resource_of(now, "pods");
    struct vec objects;
    bool more;
    if (pods != 0) {
        drain(now, pods, state_oldest(now));
        if (state_list(now, pods, NULL, state_oldest(now), NULL, NULL, 0, NULL, NULL, &objects, &more, &err))
            vec_free(&objects);
        write_all(now, pods);
        drain(now, pods, state_oldest(now));
    }
    assert_true(place_save(place, now, "saved", &err) || err.kind == ERROR_MEMORY);
    err = ERROR_INIT;
    assert_true(state_load(now, place_file(place, "good"), NULL, &err) || err.kind == ERROR_MEMORY);
    if (err.kind == ERROR_NONE)
        assert_int_equal(state_count(now, state_resource_of(now, "good"), NULL), 1);
    err = ERROR_INIT;
    if (pods != 0) /* for the next one to read from the file */
        assert_true((try_put(now, pods, "n", "a", "1", &err) != NULL && try_put(now, pods, "n", "a", "2", &err) != NULL) || err.kind == ERROR_MEMORY);
    loop_once(place->loop, 0);
    state_close(now);
}

static void no_allocation_that_fails_does_harm(void **state)
{
    struct place *place = *state;
    place_open(place);
    put(place->state, state_resource_of(place->state, "good"), "n", "good", "1");
    assert_true(place_save(place, place->state, "good", NULL));
    place_close(place);
    each_allocation_failing(use_all, place);
    place_open(place);
    assert_string_equal(listed(place->state, state_resource_of(place->state, "pods"), NULL, 0), "n/a=2");
    assert_string_equal(listed(place->state, state_resource_of(place->state, "good"), NULL, 0), "n/good=1");
}

/* A commit in which each allocation fails in turn leaves all or nothing, in memory as in the file. */
static void a_commit_without_memory_is_undone(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    put(place->state, pods, "n", "b", "1");
    place_round(place);
    bool ok = false;
    for (int nth = 1; !ok; nth++) {
        assert_true(nth < 5000);
        drop(place->state, pods, "n", "a");
        put_large(place->state, pods, "n", "b", 10000, 'x');
        put_large(place->state, pods, "n", "c", 10000, 'x');
        mem_fail_at(nth);
        struct error err = ERROR_INIT;
        ok = state_commit(place->state, &err);
        mem_fail_at(0);
        assert_string_equal(listed(place->state, pods, NULL, 0), ok ? "n/b=x10000 n/c=x10000" : "n/a=1 n/b=1");
        assert_true(ok || err.kind == ERROR_MEMORY);
        assert_int_equal(sql_number(place->state, "SELECT count(*) FROM versions WHERE change = 2"), ok ? 1 : 0);
    }
}

/* ---- kill -9 */

enum { NAMES = 20 };

struct line { /* what the child says about a write that was acknowledged */
    unsigned name;
    bool deleted;
    uint64_t version;
};

struct writer {
    struct state *state;
    struct loop *loop;
    const char *path;
    int out;
    state_resource pods;
    struct line lines[64];
    unsigned count;
    unsigned seed;
};

static void say_lines(void *data, const struct error *err)
{
    struct writer *writer = data;
    if (err == NULL && write(writer->out, writer->lines, writer->count * sizeof *writer->lines) < 0)
        _exit(3);
    writer->count = 0;
}

static unsigned dice(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void write_some(struct writer *writer)
{
    unsigned many = 1 + dice(&writer->seed) % 8;
    for (unsigned i = 0; i < many; i++) {
        struct line *line = &writer->lines[writer->count++];
        char name[16];
        line->name = dice(&writer->seed) % NAMES;
        snprintf(name, sizeof name, "p%u", line->name);
        const struct object *old = state_get(writer->state, writer->pods, "n", name);
        line->deleted = old != NULL && dice(&writer->seed) % 4 == 0;
        if (line->deleted)
            line->version = drop(writer->state, writer->pods, "n", name);
        else
            line->version = put_large(writer->state, writer->pods, "n", name, 1 + dice(&writer->seed) % 5000, 'x')->version;
    }
}

/* Writes, loads and resets until it is killed. */
static void write_for_ever(struct place *place, struct writer *writer)
{
    writer->loop = loop_new(NULL); /* that of the parent is not to be shared */
    writer->state = state_open(place->path, writer->loop, NULL, NULL, NULL);
    if (writer->state == NULL)
        _exit(2);
    writer->pods = state_resource_of(writer->state, "pods");
    for (;;) {
        write_some(writer);
        if (!state_after_commit(writer->state, say_lines, writer))
            _exit(4);
        while (writer->count > 0)
            loop_once(writer->loop, -1);
    }
}

/* Reads what the child said until it is dead; the last line of each name. */
static uint64_t hear(int in, struct line *last)
{
    struct line line;
    uint64_t newest = 0;
    while (read(in, &line, sizeof line) == (ssize_t)sizeof line) {
        assert_true(line.version > newest);
        newest = line.version;
        last[line.name] = line;
    }
    return newest;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void check_after_kill(struct place *place, const struct line *last, uint64_t newest)
{
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    assert_true(state_version(place->state) >= newest);
    for (unsigned i = 0; i < NAMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        const struct object *object = state_get(place->state, pods, "n", name);
        if (last[i].version == 0)
            continue;
        if (object == NULL) { /* deleted then, or by a write that nobody heard of */
            assert_true(last[i].deleted || state_version(place->state) > last[i].version);
            continue;
        }
        assert_true(object->version >= last[i].version);
        assert_true(!last[i].deleted || object->version > last[i].version);
    }
    place_close(place);
}

/* KUBETUTOR_KILLS=1000: as many as a release is tried with. */
static void after_a_kill_nothing_acknowledged_is_lost_and_no_version_used_twice(void **state)
{
    struct place *place = *state;
    const char *wish = getenv("KUBETUTOR_KILLS");
    int kills = wish != NULL ? atoi(wish) : 25;
    struct line last[NAMES] = {{0, false, 0}};
    uint64_t newest = 0;
    for (int i = 0; i < kills; i++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            struct writer writer = {.out = ends[1], .seed = (unsigned)i};
            write_for_ever(place, &writer);
        }
        close(ends[1]);
        struct line first;
        assert_int_equal(read(ends[0], &first, sizeof first), sizeof first); /* it is at work */
        assert_true(first.version > newest);
        last[first.name] = first;
        newest = first.version;
        pause_ms(i % 13);
        kill(pid, SIGKILL);
        uint64_t heard = hear(ends[0], last);
        assert_true(heard == 0 || heard > newest);
        newest = heard > newest ? heard : newest;
        close(ends[0]);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        check_after_kill(place, last, newest);
    }
}

static void load_for_ever(struct place *place, int out, bool reset)
{
    struct loop *loop = loop_new(NULL);
    struct state *now = state_open(place->path, loop, NULL, NULL, NULL);
    state_resource pods = now != NULL ? state_resource_of(now, "pods") : 0;
    if (pods == 0 || write(out, "x", 1) != 1)
        _exit(2);
    for (unsigned i = 0;; i++) {
        if (reset && i % 2 == 0 ? !state_reset(now, NULL) : !state_load(now, place_file(place, i % 4 < 2 ? "even" : "odd"), NULL, NULL))
            _exit(3);
    }
}

static void of_a_load_or_reset_that_is_killed_there_is_all_or_nothing(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    char name[16];
    for (int i = 0; i < 1500; i++) { /* more than fits in SQLite's cache */
        snprintf(name, sizeof name, "even%d", i);
        put_large(place->state, pods, "n", name, 3000, 'e');
    }
    assert_true(place_save(place, place->state, "even", NULL));
    assert_true(state_reset(place->state, NULL));
    for (int i = 0; i < 1501; i++) {
        snprintf(name, sizeof name, "odd%d", i);
        put_large(place->state, pods, "n", name, 3000, 'o');
    }
    assert_true(place_save(place, place->state, "odd", NULL));
    uint64_t newest = state_version(place->state);
    place_close(place);
    for (int i = 0; i < 12; i++) {
        int ends[2];
        char byte;
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            load_for_ever(place, ends[1], i % 2 == 0);
        close(ends[1]);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        pause_ms(5 + i * 11);
        kill(pid, SIGKILL);
        close(ends[0]);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        place_open(place);
        size_t count = state_count(place->state, pods, NULL);
        const struct object *first = state_next(place->state, pods, NULL, NULL, NULL);
        assert_true(count == 0 || (count == 1500 && first->text[0] == 'e') || (count == 1501 && first->text[0] == 'o'));
        assert_true(state_version(place->state) >= newest);
        newest = state_version(place->state);
        place_close(place);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_faults(void)
{
    const struct CMUnitTest tests[] = {
        TEST(on_a_full_disk_all_of_a_round_is_undone_and_later_writes_work),
        TEST(a_put_that_has_to_commit_others_says_that_there_is_no_room),
        TEST(a_disk_that_is_really_full_is_survived),
        TEST(nothing_is_acknowledged_once_the_file_was_deleted_underneath),
        TEST(a_file_that_may_not_be_written_any_more_is_no_fault_of_who_writes),
        TEST(no_allocation_that_fails_does_harm),
        TEST(a_commit_without_memory_is_undone),
        TEST(after_a_kill_nothing_acknowledged_is_lost_and_no_version_used_twice),
        TEST(of_a_load_or_reset_that_is_killed_there_is_all_or_nothing),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
