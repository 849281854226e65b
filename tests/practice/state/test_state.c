#include "practice/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "support.h"

static void an_object_is_there_at_once_and_after_the_program_ends(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    const char *const labels[] = {"tier", "front", "app", "web", NULL};
    const char *const fields[] = {"node-1", ""};
    struct object_new wanted = {.resource = pods, .ns = "learn", .name = "a", .uid = "u", .text = "{\"v\":\"\"}", .length = 8, .gap = 6, .labels = labels,
                                .fields = fields, .field_count = 2, .flags = 0xf0000001, .time_ms = -5};
    const struct object *object = state_put(place->state, &wanted, NULL, NULL);
    assert_ptr_equal(state_get(place->state, pods, "learn", "a"), object);
    assert_int_equal(object->version, 1);
    assert_int_equal(state_version(place->state), 1);
    assert_int_equal(state_committed(place->state), 0);
    assert_false(state_is_clean(place->state));
    for (int i = 0; i < 2; i++) {
        object = state_get(place->state, pods, "learn", "a");
        assert_int_equal(object->version, 1);
        assert_string_equal(object->uid, "u");
        assert_string_equal(object_label(object, "app"), "web");
        assert_string_equal(object_label(object, "tier"), "front");
        assert_string_equal(object->fields, "node-1");
        assert_int_equal(object->field_count, 2);
        assert_true(object->flags == 0xf0000001 && object->time_ms == -5 && object->gap == 6 && object->length == 8);
        struct buf out = buf_make(100);
        object_print(object, "", &out);
        assert_string_equal(out.bytes, "{\"v\":\"1\"}");
        buf_free(&out);
        place_close(place);
        place_open(place);
        assert_int_equal(state_resource_of(place->state, "pods"), pods);
        assert_int_equal(state_committed(place->state), 1);
        assert_true(state_is_clean(place->state));
    }
}

static void a_writer_with_an_old_state_is_refused(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct object *first = object_ref(put(place->state, pods, "n", "a", "1"));
    struct object_new wanted = {.resource = pods, .ns = "n", .name = "a", .uid = "uid-a", .text = "x", .length = 1};
    struct error err = ERROR_INIT;
    assert_null(state_put(place->state, &wanted, NULL, &err));
    assert_int_equal(err.kind, ERROR_EXISTS);
    wanted.uid = "other";
    assert_null(state_put(place->state, &wanted, first, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    assert_false(state_delete(place->state, first, &wanted, NULL, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    wanted.uid = "uid-a";
    put(place->state, pods, "n", "a", "2");
    err = ERROR_INIT;
    assert_null(state_put(place->state, &wanted, first, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    err = ERROR_INIT;
    assert_false(state_delete(place->state, first, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    drop(place->state, pods, "n", "a");
    err = ERROR_INIT;
    assert_null(state_put(place->state, &wanted, first, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    assert_int_equal(state_version(place->state), 3);
    object_unref(first);
}

static void what_is_too_large_or_makes_no_sense_is_refused(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct error err = ERROR_INIT;
    char *text = mem_zero(1, STATE_OBJECT + 1);
    struct object_new good = {.resource = pods, .ns = "n", .name = "a", .uid = "u", .text = text, .length = STATE_OBJECT}, wanted = good;
    wanted.length++;
    assert_null(state_put(place->state, &wanted, NULL, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    wanted = good;
    wanted.length = 0;
    assert_null(state_put(place->state, &wanted, NULL, &err));
    wanted = good;
    wanted.gap = STATE_OBJECT + 1;
    assert_null(state_put(place->state, &wanted, NULL, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    wanted = good;
    wanted.ns = "a/b";
    assert_null(state_put(place->state, &wanted, NULL, &err));
    wanted = good;
    wanted.name = "";
    assert_null(state_put(place->state, &wanted, NULL, &err));
    wanted = good;
    wanted.resource = pods + 1;
    assert_null(state_put(place->state, &wanted, NULL, &err));
    assert_true(state_is_clean(place->state));
    assert_non_null(state_put(place->state, &good, NULL, NULL));
    assert_true(state_commit(place->state, NULL));
    mem_free(text);
}

static void objects_are_walked_in_the_order_of_their_keys(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    const char *const keys[][2] = {{"b", "2"}, {"a", "1"}, {"b", "1"}, {"a-b", "1"}, {"c", "1"}, {"b", "3"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put(place->state, pods, keys[i][0], keys[i][1], "x");
    put(place->state, other, "b", "9", "x");
    char line[200] = "";
    for (const struct object *at = state_next(place->state, pods, NULL, NULL, NULL); at != NULL; at = state_next(place->state, pods, NULL, at->ns, at->name))
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s/%s ", at->ns, at->name);
    assert_string_equal(line, "a-b/1 a/1 b/1 b/2 b/3 c/1 ");
    line[0] = '\0';
    for (const struct object *at = state_next(place->state, pods, "b", NULL, NULL); at != NULL; at = state_next(place->state, pods, "b", at->ns, at->name))
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s/%s ", at->ns, at->name);
    assert_string_equal(line, "b/1 b/2 b/3 ");
    assert_string_equal(state_next(place->state, pods, NULL, "b", "11")->name, "2"); /* after what is not there */
    assert_string_equal(state_next(place->state, pods, "b", "a", "1")->name, "1");   /* after a place before the namespace */
    assert_null(state_next(place->state, pods, "b", "c", "1"));
    assert_null(state_next(place->state, pods, "none", NULL, NULL));
    assert_null(state_next(place->state, pods, NULL, "c", "1"));
    assert_int_equal(state_count(place->state, pods, NULL), 6);
    assert_int_equal(state_count(place->state, pods, "b"), 3);
    assert_int_equal(state_count(place->state, pods, "none"), 0);
    assert_int_equal(state_count(place->state, 77, NULL), 0);
    assert_null(state_get(place->state, 77, "b", "1"));
    assert_null(state_next(place->state, 0, NULL, NULL, NULL));
}

static bool has_letter(const struct object *object, const void *data)
{
    return memchr(object->text, *(const char *)data, object->length) != NULL;
}

static void a_list_comes_in_pieces_and_by_choice(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    for (char name[] = "a"; name[0] <= 'g'; name[0]++)
        put(place->state, pods, "n", name, name[0] % 2 ? "odd" : "even");
    uint64_t then = state_version(place->state);
    for (int old = 0; old < 2; old++) { /* the newest, then the same from what was undone */
        struct vec objects;
        bool more;
        uint64_t version = old ? then : 0;
        assert_true(state_list(place->state, pods, NULL, version, NULL, NULL, 3, NULL, NULL, &objects, &more, NULL));
        assert_true(more && objects.length == 3);
        vec_free(&objects);
        assert_true(state_list(place->state, pods, "n", version, "n", "c", 4, NULL, NULL, &objects, &more, NULL));
        assert_true(!more && objects.length == 4);
        assert_string_equal(((struct object *)objects.items[0])->name, "d");
        vec_free(&objects);
        assert_true(state_list(place->state, pods, "n", version, "n", "c", 2, has_letter, "v", &objects, &more, NULL));
        assert_true(!more && objects.length == 2); /* d and f; g does not count */
        vec_free(&objects);
        assert_true(state_list(place->state, pods, "n", version, NULL, NULL, 2, has_letter, "v", &objects, &more, NULL));
        assert_true(more && objects.length == 2);
        vec_free(&objects);
        assert_true(state_list(place->state, pods, "none", version, NULL, NULL, 0, NULL, NULL, &objects, &more, NULL));
        assert_true(!more && objects.length == 0);
        vec_free(&objects);
        if (old)
            break;
        put(place->state, pods, "n", "b", "changed");
        drop(place->state, pods, "n", "c");
        drop(place->state, pods, "n", "f");
        put(place->state, pods, "n", "aa", "new");
        put(place->state, pods, "n", "f", "again");
    }
    assert_string_equal(listed(place->state, pods, NULL, then), "n/a=odd n/b=even n/c=odd n/d=even n/e=odd n/f=even n/g=odd");
}

static void a_list_at_an_old_version_is_as_it_was_then(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    put(place->state, pods, "n", "a", "1");   /* 1 */
    put(place->state, pods, "m", "b", "1");   /* 2 */
    put(place->state, other, "n", "a", "no"); /* 3 */
    put(place->state, pods, "n", "a", "2");   /* 4 */
    drop(place->state, pods, "m", "b");       /* 5 */
    put(place->state, pods, "m", "b", "2");   /* 6 */
    drop(place->state, pods, "n", "a");       /* 7 */
    for (int i = 0; i < 3; i++) {             /* open, committed, from the file */
        assert_string_equal(listed(place->state, pods, NULL, 1), "n/a=1");
        assert_string_equal(listed(place->state, pods, NULL, 2), "m/b=1 n/a=1");
        assert_string_equal(listed(place->state, pods, NULL, 3), "m/b=1 n/a=1");
        assert_string_equal(listed(place->state, pods, NULL, 4), "m/b=1 n/a=2");
        assert_string_equal(listed(place->state, pods, NULL, 5), "n/a=2");
        assert_string_equal(listed(place->state, pods, NULL, 6), "m/b=2 n/a=2");
        assert_string_equal(listed(place->state, pods, NULL, 7), "m/b=2");
        assert_string_equal(listed(place->state, pods, NULL, 0), "m/b=2");
        assert_string_equal(listed(place->state, pods, "n", 4), "n/a=2");
        assert_string_equal(listed(place->state, other, NULL, 4), "n/a=no");
        if (i == 0)
            assert_true(state_commit(place->state, NULL));
        if (i == 1) {
            place_close(place);
            place_open(place);
        }
    }
    put(place->state, pods, "k", "c", "1"); /* 8: open, beside what is in the file */
    put(place->state, pods, "m", "b", "3");
    assert_string_equal(listed(place->state, pods, NULL, 6), "m/b=2 n/a=2");
    assert_string_equal(listed(place->state, pods, NULL, 7), "m/b=2");
    assert_string_equal(listed(place->state, pods, NULL, 8), "k/c=1 m/b=2");
    assert_string_equal(listed(place->state, pods, NULL, 10), "version 10 is not there yet");
}

struct told {
    struct place *place;
    char *line;
    const char *name;
    bool again;
};

static void tell(void *data, const struct error *err)
{
    struct told *told = data;
    size_t used = strlen(told->line);
    snprintf(told->line + used, 100 - used, "%s%s ", told->name, err == NULL ? "" : err->kind == ERROR_LIMIT ? ":full" : ":?");
    if (told->again) {
        told->again = false;
        assert_true(state_after_commit(told->place->state, tell, told));
    }
}

static void callbacks_come_after_the_commit_in_their_order_and_never_at_once(void **state)
{
    struct place *place = *state;
    place_open(place);
    char line[100] = "";
    struct told first = {place, line, "a", true}, second = {place, line, "b", false}, third = {place, line, "c", false};
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    assert_true(state_after_commit(place->state, tell, &first));
    assert_true(state_after_commit(place->state, tell, &second));
    assert_true(state_commit(place->state, NULL));
    assert_string_equal(line, "");
    put(place->state, pods, "n", "a", "2");
    assert_true(state_after_commit(place->state, tell, &third));
    loop_once(place->loop, 1000);
    assert_string_equal(line, "a b c ");
    loop_once(place->loop, 1000);
    assert_string_equal(line, "a b c a ");
    assert_true(state_is_clean(place->state));
    assert_int_equal(state_committed(place->state), 2);
}

static void what_is_still_owed_is_told_at_the_end(void **state)
{
    struct place *place = *state;
    place_open(place);
    char line[100] = "";
    struct told told = {place, line, "a", false};
    put(place->state, state_resource_of(place->state, "pods"), "n", "a", "1");
    assert_true(state_after_commit(place->state, tell, &told));
    place_close(place);
    assert_string_equal(line, "a ");
}

static void many_writes_of_one_round_are_committed_in_between(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    for (int i = 0; i <= 2 * STATE_BATCH; i++)
        put(place->state, pods, "n", "a", "x");
    assert_int_equal(state_committed(place->state), 2 * STATE_BATCH);
    struct state_numbers numbers;
    state_numbers(place->state, &numbers);
    assert_int_equal(numbers.commits, 2);
    place_round(place);
    assert_int_equal(state_committed(place->state), 2 * STATE_BATCH + 1);
}

static void numbers_say_what_is_there(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct state_numbers numbers;
    put(place->state, pods, "n", "a", "12345");
    put(place->state, pods, "n", "b", "123");
    struct state_watch *watch = state_watch_new(place->state, pods, NULL, 0, nothing, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        state_numbers(place->state, &numbers);
        assert_true(numbers.objects == 2 && numbers.object_bytes == 8 && numbers.events == 2 && numbers.watches == 1 && numbers.history_bytes == 0);
        assert_true(state_commit(place->state, NULL));
    }
    put(place->state, pods, "n", "a", "1");
    drop(place->state, pods, "n", "b");
    state_watch_free(watch);
    for (int i = 0; i < 2; i++) {
        state_numbers(place->state, &numbers);
        assert_true(numbers.objects == 1 && numbers.object_bytes == 1 && numbers.history_bytes > 9 && numbers.watches == 0);
        assert_true(state_commit(place->state, NULL));
    }
    uint64_t history = numbers.history_bytes;
    assert_true(numbers.commits == 2 && numbers.events == 4 && numbers.ring_bytes > numbers.history_bytes && numbers.log_pages > 0);
    place_close(place);
    place_open(place);
    state_numbers(place->state, &numbers);
    assert_true(numbers.objects == 1 && numbers.object_bytes == 1 && numbers.history_bytes == history && numbers.events == 0);
}

static void resources_keep_their_numbers(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), apps = state_resource_of(place->state, "deployments.apps");
    assert_true(pods != 0 && apps != 0 && pods != apps);
    assert_int_equal(state_resource_of(place->state, "pods"), pods);
    place_round(place);
    place_close(place);
    place_open(place);
    state_resource more = state_resource_of(place->state, "more");
    assert_int_equal(state_resource_of(place->state, "deployments.apps"), apps);
    assert_int_equal(state_resource_of(place->state, "pods"), pods);
    assert_true(more != pods && more != apps);
    char name[16];
    for (int i = 3; i < STATE_RESOURCES; i++) {
        snprintf(name, sizeof name, "r%d", i);
        assert_true(state_resource_of(place->state, name) != 0);
    }
    assert_int_equal(state_resource_of(place->state, "one too many"), 0);
    put(place->state, state_resource_of(place->state, name), "n", "a", "1");
    place_close(place);
    place_open(place);
    assert_string_equal(listed(place->state, state_resource_of(place->state, name), NULL, 0), "n/a=1");
}

static int open_in_child(struct place *place)
{
    struct error err = ERROR_INIT;
    struct loop *loop = loop_new(NULL);
    struct state *state = state_open(place->path, loop, NULL, NULL, &err);
    int code = state != NULL ? 1 : err.kind == ERROR_EXISTS ? 0 : 2;
    state_close(state);
    loop_free(loop);
    return code;
}

static void of_two_processes_only_one_gets_it(void **state)
{
    struct place *place = *state;
    place_open(place);
    for (int expected = 0; expected < 2; expected++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            _exit(open_in_child(place));
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(WEXITSTATUS(status), expected);
        place_close(place); /* the second child gets it */
    }
}

static void the_file_is_for_its_owner_only(void **state)
{
    struct place *place = *state;
    struct stat status;
    place_open(place);
    assert_int_equal(stat(place->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(place_file(place, "state.db.lock"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void without_a_path_nothing_is_kept(void **state)
{
    struct place *place = *state;
    struct state *one = state_open(NULL, place->loop, NULL, NULL, NULL), *two = state_open(NULL, place->loop, NULL, NULL, NULL);
    state_resource pods = state_resource_of(one, "pods");
    put(one, pods, "n", "a", "1");
    put(one, pods, "n", "a", "2");
    assert_true(state_commit(one, NULL));
    assert_string_equal(listed(one, pods, NULL, 1), "n/a=1");
    put_large(one, pods, "n", "b", 3 << 20, 'x');
    put_large(one, pods, "n", "b", 3 << 20, 'y');
    assert_true(state_commit(one, NULL));
    state_resource_of(two, "pods");
    assert_int_equal(state_version(two), 0);
    state_close(one);
    state_close(two);
}

static void a_newer_format_is_refused_and_left_alone(void **state)
{
    struct place *place = *state;
    place_open(place);
    put(place->state, state_resource_of(place->state, "pods"), "n", "a", "1");
    assert_true(state_commit(place->state, NULL));
    sql(place->state, "PRAGMA user_version=99");
    place_close(place);
    size_t length, after;
    char *before = file_read(place->path, 1 << 20, &length, NULL);
    struct error err = ERROR_INIT;
    assert_null(place_try_open(place, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    char *now = file_read(place->path, 1 << 20, &after, NULL);
    assert_true(length == after);
    assert_memory_equal(before, now, length);
    mem_free(before);
    mem_free(now);
}

static void damage(struct place *place, const char *statement)
{
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "text");
    put(place->state, pods, "n", "b", "text");
    assert_true(state_commit(place->state, NULL));
    sql(place->state, statement);
    place_close(place);
    struct error err = ERROR_INIT;
    assert_null(place_try_open(place, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.message, "damaged"));
    unlink(place->path);
}

static void a_damaged_file_is_refused(void **state)
{
    struct place *place = *state;
    damage(place, "UPDATE versions SET gap=5 WHERE name='b'");
    damage(place, "UPDATE versions SET labels=x'61' WHERE name='b'");
    damage(place, "UPDATE versions SET name='a'"); /* twice */
    damage(place, "UPDATE versions SET resource=7");
    damage(place, "UPDATE versions SET ns=x'0061'");
    damage(place, "DELETE FROM kept");
    damage(place, "UPDATE resource SET number=9999");
    assert_true(file_write(place->path, "not a database, but as long as one could be", 43, 0600, NULL));
    struct error err = ERROR_INIT;
    assert_null(place_try_open(place, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_state(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_object_is_there_at_once_and_after_the_program_ends),
        TEST(a_writer_with_an_old_state_is_refused),
        TEST(what_is_too_large_or_makes_no_sense_is_refused),
        TEST(objects_are_walked_in_the_order_of_their_keys),
        TEST(a_list_comes_in_pieces_and_by_choice),
        TEST(a_list_at_an_old_version_is_as_it_was_then),
        TEST(callbacks_come_after_the_commit_in_their_order_and_never_at_once),
        TEST(what_is_still_owed_is_told_at_the_end),
        TEST(many_writes_of_one_round_are_committed_in_between),
        TEST(numbers_say_what_is_there),
        TEST(resources_keep_their_numbers),
        TEST(of_two_processes_only_one_gets_it),
        TEST(the_file_is_for_its_owner_only),
        TEST(without_a_path_nothing_is_kept),
        TEST(a_newer_format_is_refused_and_left_alone),
        TEST(a_damaged_file_is_refused),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
