#include "store/store.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
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
#include "failing.h"
#include "support.h"

#define OURS 0x6b747431u

static const struct store_migration first[] = {{"CREATE TABLE note(text TEXT)"}, {NULL}};
static const struct store_migration second[] = {
    {"CREATE TABLE note(text TEXT)"}, {"ALTER TABLE note ADD COLUMN colour TEXT DEFAULT 'red'"}, {"CREATE INDEX by_text ON note(text)"}, {NULL}};
static const struct store_migration broken[] = {{"CREATE TABLE note(text TEXT)"}, {"ALTER TABLE nowhere ADD COLUMN colour TEXT"}, {NULL}};

static void run(struct store *store, const char *sql)
{
    assert_int_equal(sqlite3_exec(store_db(store), sql, NULL, NULL, NULL), SQLITE_OK);
}

static int number(struct store *store, const char *sql)
{
    sqlite3_stmt *query;
    assert_int_equal(sqlite3_prepare_v2(store_db(store), sql, -1, &query, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(query), SQLITE_ROW);
    int found = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    return found;
}

static struct store *open_ok(const char *path, const struct store_migration *migrations)
{
    struct error err = ERROR_INIT;
    struct store *store = store_open(path, OURS, migrations, &err);
    assert_string_equal(err.message, "");
    assert_non_null(store);
    return store;
}

/* The opening is refused, with these words among others. */
static void refused(const char *path, unsigned id, const struct store_migration *migrations, enum error_kind kind, const char *words)
{
    struct error err = ERROR_INIT;
    assert_null(store_open(path, id, migrations, &err));
    if (strstr(err.message, words) == NULL)
        print_error("%s\n", err.message);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(err.kind, kind);
}

static void a_new_file_is_private_and_has_the_newest_version(void **state)
{
    const char *path = in_folder(state, "new.db");
    struct store *store = open_ok(path, second);
    assert_int_equal(number(store, "PRAGMA user_version"), 3);
    assert_int_equal(number(store, "PRAGMA application_id"), OURS);
    assert_int_equal(number(store, "PRAGMA synchronous"), 1);
    assert_int_equal(number(store, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    const char *const made[] = {path, in_folder(state, "new.db-wal"), in_folder(state, "new.db-shm")};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct stat status;
        assert_int_equal(stat(made[i], &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
    }
    store_close(store);
    assert_false(file_exists(made[1]));
}

static void what_was_written_is_there_again(void **state)
{
    const char *path = in_folder(state, "kept.db");
    struct store *store = open_ok(path, first);
    run(store, "INSERT INTO note VALUES('a'), ('b')");
    store_close(store);
    store = open_ok(path, first);
    assert_int_equal(number(store, "SELECT count(*) FROM note"), 2);
    store_close(store);
}

static void an_older_file_is_brought_to_the_newest_version_with_what_it_holds(void **state)
{
    const char *path = in_folder(state, "old.db");
    struct store *store = open_ok(path, first);
    run(store, "INSERT INTO note VALUES('a')");
    store_close(store);
    store = open_ok(path, second);
    assert_int_equal(number(store, "SELECT count(*) FROM note WHERE text = 'a' AND colour = 'red'"), 1);
    assert_int_equal(number(store, "PRAGMA user_version"), 3);
    store_close(store);
}

static void a_migration_that_fails_leaves_the_old_version(void **state)
{
    const char *path = in_folder(state, "half.db");
    struct store *store = open_ok(path, first);
    run(store, "INSERT INTO note VALUES('a')");
    store_close(store);
    refused(path, OURS, broken, ERROR_INTERNAL, "no such table: nowhere");
    store = open_ok(path, first);
    assert_int_equal(number(store, "SELECT count(*) FROM note"), 1);
    store_close(store);
}

static void a_newer_file_is_refused_and_not_touched(void **state)
{
    const char *path = in_folder(state, "newer.db");
    store_close(open_ok(path, second));
    size_t before_length, after_length;
    char *before = bytes_of(path, &before_length);
    refused(path, OURS, first, ERROR_INVALID, "written by a newer kubetutor (format 3, this one knows up to 1)");
    char *after = bytes_of(path, &after_length);
    assert_true(same_bytes(before, before_length, after, after_length));
    assert_false(file_exists(in_folder(state, "newer.db-wal")));
    assert_false(file_exists(in_folder(state, "newer.db-shm")));
    mem_free(before);
    mem_free(after);
}

static int upgrade_and_die(void *path)
{
    struct store *store = store_open(path, OURS, second, NULL);
    if (store != NULL)
        kill(getpid(), SIGKILL);
    return 1;
}

static void a_newer_version_that_stands_only_in_the_log_is_refused_too(void **state)
{
    const char *path = in_folder(state, "log.db"), *log = in_folder(state, "log.db-wal");
    store_close(open_ok(path, first));
    char argument[256];
    snprintf(argument, sizeof argument, "%s", path);
    assert_int_equal(in_child(upgrade_and_die, argument), -1);
    size_t before_length, after_length, log_before_length, log_after_length;
    char *before = bytes_of(path, &before_length), *log_before = bytes_of(log, &log_before_length);
    assert_true(log_before_length > 0);
    refused(path, OURS, first, ERROR_INVALID, "newer kubetutor");
    char *after = bytes_of(path, &after_length), *log_after = bytes_of(log, &log_after_length);
    assert_true(same_bytes(before, before_length, after, after_length));
    assert_true(same_bytes(log_before, log_before_length, log_after, log_after_length));
    mem_free(before);
    mem_free(after);
    mem_free(log_before);
    mem_free(log_after);
    store_close(open_ok(path, second));
}

static void a_database_of_another_program_is_refused_and_not_touched(void **state)
{
    const char *path = in_folder(state, "other.db");
    store_close(open_ok(path, first));
    size_t before_length, after_length;
    char *before = bytes_of(path, &before_length);
    refused(path, OURS + 1, first, ERROR_INVALID, "of another program");
    char *after = bytes_of(path, &after_length);
    assert_true(same_bytes(before, before_length, after, after_length));
    mem_free(before);
    mem_free(after);

    const char *unmarked = in_folder(state, "unmarked.db");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(unmarked, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE theirs(x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    refused(unmarked, OURS, first, ERROR_INVALID, "of another program");
}

static void a_file_that_is_no_database_is_refused_and_not_touched(void **state)
{
    char page[5000]; /* as long as a database might be */
    memset(page, 'x', sizeof page);
    page[sizeof page - 1] = '\0';
    const char *const texts[] = {"x", "this is a letter to my grandmother\n", page};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *path = in_folder(state, "letter");
        write_bytes(path, texts[i], strlen(texts[i]));
        refused(path, OURS, first, ERROR_INPUT, "letter is damaged (file is not a database); move it out of the way");
        size_t length;
        char *bytes = bytes_of(path, &length);
        assert_true(same_bytes(bytes, length, texts[i], strlen(texts[i])));
        mem_free(bytes);
    }
}

static void a_file_cut_short_or_overwritten_is_called_damaged(void **state)
{
    const char *path = in_folder(state, "damaged.db");
    struct store *store = open_ok(path, first);
    run(store, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO note SELECT 'number ' || i FROM n");
    store_close(store);
    size_t length;
    char *bytes = bytes_of(path, &length);
    write_bytes(path, bytes, length / 2);
    refused(path, OURS, first, ERROR_INPUT, "is damaged");
    memset(bytes + 100, 0xa5, 3900);
    write_bytes(path, bytes, length);
    refused(path, OURS, first, ERROR_INPUT, "is damaged");
    mem_free(bytes);
}

static void a_place_that_cannot_hold_a_file_is_told(void **state)
{
    write_bytes(in_folder(state, "plain"), "x", 1);
    refused(in_folder(state, "plain/x.db"), OURS, first, ERROR_NOT_FOUND, "plain/x.db: Not a directory");
    refused(in_folder(state, "nowhere/x.db"), OURS, first, ERROR_NOT_FOUND, "No such file");
    assert_int_equal(mkdir(in_folder(state, "folder"), 0700), 0);
    refused(in_folder(state, "folder"), OURS, first, ERROR_INPUT, "cannot open");
}

static void strange_characters_in_a_path_do_no_harm(void **state)
{
    const char *path = in_folder(state, "50% of a?b#c &d.db");
    store_close(open_ok(path, second));
    assert_true(file_exists(path));
    refused(path, OURS, first, ERROR_INVALID, "newer kubetutor");
}

static void a_copy_in_memory_holds_what_the_file_holds(void **state)
{
    const char *path = in_folder(state, "copied.db");
    struct store *store = open_ok(path, first);
    run(store, "INSERT INTO note VALUES('a')");
    struct store *copy = store_copy(store, OURS, second, NULL);
    assert_non_null(copy);
    assert_int_equal(number(copy, "SELECT count(*) FROM note WHERE colour = 'red'"), 1);
    run(copy, "DELETE FROM note");
    assert_int_equal(number(store, "SELECT count(*) FROM note"), 1);
    store_close(copy);
    store_close(store);
}

static void a_copy_of_what_cannot_be_read_is_empty(void **state)
{
    const char *newer = in_folder(state, "newer2.db"), *damaged = in_folder(state, "letter2");
    store_close(open_ok(newer, second));
    write_bytes(damaged, "this is a letter\n", 17);
    const char *const paths[] = {newer, damaged, in_folder(state, "nowhere/x.db")};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct store *copy = store_open_copy(paths[i], OURS, first, NULL);
        assert_non_null(copy);
        assert_int_equal(number(copy, "SELECT count(*) FROM note"), 0);
        store_close(copy);
    }
    assert_false(file_exists(in_folder(state, "newer2.db-wal")));
}

struct race {
    const char *path;
    int ready, go; /* pipe ends: told by the child, waited for by it */
};

static int open_when_told(void *argument)
{
    const struct race *race = argument;
    char byte;
    if (write(race->ready, "r", 1) != 1 || read(race->go, &byte, 1) != 1)
        return 2;
    struct error err = ERROR_INIT;
    struct store *store = store_open(race->path, OURS, second, &err);
    if (store == NULL)
        print_error("%s\n", err.message);
    int code = store != NULL && sqlite3_exec(store_db(store), "INSERT INTO note(text) VALUES('x')", NULL, NULL, NULL) == SQLITE_OK ? 0 : 1;
    store_close(store);
    return code;
}

static void several_programs_may_make_the_file_at_once(void **state)
{
    enum { PROGRAMS = 4, ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        char name[32], byte;
        snprintf(name, sizeof name, "race-%d.db", round);
        int ready[2], go[2];
        assert_int_equal(pipe(ready), 0);
        assert_int_equal(pipe(go), 0);
        struct race race = {in_folder(state, name), ready[1], go[0]};
        pid_t pids[PROGRAMS];
        fflush(NULL);
        for (int i = 0; i < PROGRAMS; i++) {
            if ((pids[i] = fork()) == 0)
                _exit(open_when_told(&race));
        }
        for (int i = 0; i < PROGRAMS; i++)
            assert_int_equal(read(ready[0], &byte, 1), 1);
        assert_int_equal(write(go[1], "gogo", PROGRAMS), PROGRAMS);
        for (int i = 0; i < PROGRAMS; i++) {
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        struct store *store = open_ok(race.path, second);
        assert_int_equal(number(store, "SELECT count(*) FROM note"), PROGRAMS);
        store_close(store);
        close(ready[0]);
        close(ready[1]);
        close(go[0]);
        close(go[1]);
    }
}

static void open_write_close(void *path)
{
    struct error err = ERROR_INIT;
    struct store *store = store_open(path, OURS, second, &err);
    if (store == NULL) {
        assert_string_equal(err.message, "out of memory");
        return;
    }
    if (sqlite3_exec(store_db(store), "INSERT INTO note(text) VALUES('x')", NULL, NULL, NULL) != SQLITE_OK) {
        assert_false(store_error(store, &err, "write a note"));
        assert_int_equal(err.kind, ERROR_MEMORY);
    }
    store_close(store);
}

static void no_allocation_that_fails_does_harm(void **state)
{
    char path[256];
    snprintf(path, sizeof path, "%s", in_folder(state, "memory.db"));
    each_allocation_failing(open_write_close, path);
    struct store *store = open_ok(path, second);
    assert_true(number(store, "SELECT count(*) FROM note") > 0);
    store_close(store);
}

int test_store(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_is_private_and_has_the_newest_version),
        cmocka_unit_test(what_was_written_is_there_again),
        cmocka_unit_test(an_older_file_is_brought_to_the_newest_version_with_what_it_holds),
        cmocka_unit_test(a_migration_that_fails_leaves_the_old_version),
        cmocka_unit_test(a_newer_file_is_refused_and_not_touched),
        cmocka_unit_test(a_newer_version_that_stands_only_in_the_log_is_refused_too),
        cmocka_unit_test(a_database_of_another_program_is_refused_and_not_touched),
        cmocka_unit_test(a_file_that_is_no_database_is_refused_and_not_touched),
        cmocka_unit_test(a_file_cut_short_or_overwritten_is_called_damaged),
        cmocka_unit_test(a_place_that_cannot_hold_a_file_is_told),
        cmocka_unit_test(strange_characters_in_a_path_do_no_harm),
        cmocka_unit_test(a_copy_in_memory_holds_what_the_file_holds),
        cmocka_unit_test(a_copy_of_what_cannot_be_read_is_empty),
        cmocka_unit_test(several_programs_may_make_the_file_at_once),
        cmocka_unit_test(no_allocation_that_fails_does_harm),
    };
    return cmocka_run_group_tests_name("store", tests, folder_setup, folder_teardown);
}
