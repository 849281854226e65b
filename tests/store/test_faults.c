/* Full disks, folders that may not be written, programs that die, programs that work at the same time. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "progress_fill.h"
#include "store/progress.h"
#include "support.h"

enum { NOBODY = 65534 };

static char data[2000]; /* the state of every step here, a JSON string: enough that a small disk is soon full */

static bool put(struct progress *progress, const char *lesson, int number)
{
    char step[32];
    snprintf(step, sizeof step, "step-%d", number);
    const struct progress_key key = {"c", "n", lesson, step};
    struct progress_step record = {.state = PROGRESS_PASSED, .state_json = data, .passed_ms = number};
    return progress_put(progress, &key, &record, NULL);
}

static bool has(struct progress *progress, const char *lesson, int number)
{
    char step[32];
    struct progress_step record;
    snprintf(step, sizeof step, "step-%d", number);
    assert_true(progress_get(progress, &(struct progress_key){"c", "n", lesson, step}, &record, NULL));
    bool whole = record.state == PROGRESS_PASSED && record.passed_ms == number && strcmp(record.state_json, data) == 0;
    progress_step_free(&record);
    return whole;
}

static struct progress *open_kept(const char *path)
{
    struct error warning = ERROR_INIT;
    struct progress *progress = progress_open(path, &warning);
    assert_string_equal(warning.message, "");
    assert_true(progress_is_kept(progress));
    return progress;
}

/* Fills the disk while the program runs: it goes on in memory, has everything, says so once. Returns the count of steps done. */
static int work_until_full(struct progress *progress)
{
    struct error warning = ERROR_INIT;
    int done = 0;
    while (progress_is_kept(progress)) {
        assert_true(done < 10000);
        assert_false(progress_warning(progress, &warning));
        assert_true(put(progress, "full", done++));
    }
    assert_true(put(progress, "full", done++));
    assert_true(progress_warning(progress, &warning));
    assert_int_equal(warning.kind, ERROR_LIMIT);
    assert_string_equal(warning.message, "progress cannot be saved and lasts only until the program ends");
    assert_non_null(strstr(warning.cause, "full.db"));
    assert_false(progress_warning(progress, &warning));
    for (int i = 0; i < done; i++)
        assert_true(has(progress, "full", i));
    return done;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_file_that_may_not_grow_is_given_up_and_brought_up_to_date_at_the_end(void **state)
{
    const char *path = in_folder(state, "full.db");
    struct progress *progress = open_kept(path);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(200000);
    int done = work_until_full(progress);
    limit_files(RLIM_INFINITY);
    progress_close(progress);
    progress = open_kept(path);
    for (int i = 0; i < done; i++)
        assert_true(has(progress, "full", i));
    progress_close(progress);
}

static void a_file_that_may_not_grow_at_opening_is_read_and_not_written(void **state)
{
    const char *path = in_folder(state, "small.db");
    struct progress *progress = open_kept(path);
    progress_fill(progress);
    progress_close(progress);
    size_t before_length, after_length;
    char *before = bytes_of(path, &before_length);
    struct error warning = ERROR_INIT;
    signal(SIGXFSZ, SIG_IGN);
    limit_files(16);
    progress = progress_open(path, &warning);
    assert_non_null(progress);
    assert_false(progress_is_kept(progress));
    assert_int_equal(warning.kind, ERROR_LIMIT);
    assert_false(progress_warning(progress, NULL)); /* said already */
    progress_filled(progress);
    assert_true(put(progress, "small", 1));
    assert_true(has(progress, "small", 1));
    progress_close(progress);
    limit_files(RLIM_INFINITY);
    char *after = bytes_of(path, &after_length);
    assert_true(same_bytes(before, before_length, after, after_length));
    mem_free(before);
    mem_free(after);
}

/* Needs the right to mount; the limit on file sizes above stands in for it elsewhere. */
static void a_full_disk_is_survived(void **state)
{
    const char *disk = in_folder(state, "disk"), *path = in_folder(state, "disk/full.db");
    assert_int_equal(mkdir(disk, 0700), 0);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=400k") != 0)
        skip();
    struct progress *progress = open_kept(path);
    int done = work_until_full(progress);
    progress_close(progress);
    progress = progress_open(path, NULL); /* what did fit is there, and whole */
    int there = 0;
    while (there < done && has(progress, "full", there))
        there++;
    assert_true(there > 10);
    progress_close(progress);
    assert_int_equal(umount(disk), 0);
}

static int open_read_only(void *path)
{
    struct error warning = ERROR_INIT;
    if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
        return 2;
    struct progress *progress = progress_open(path, &warning);
    if (progress == NULL || progress_is_kept(progress) || warning.kind != ERROR_DENIED)
        return 3;
    progress_filled(progress);
    if (!put(progress, "x", 1) || !has(progress, "x", 1))
        return 4;
    progress_close(progress);
    return 0;
}

static void a_folder_that_may_not_be_written_is_survived_with_what_it_holds(void **state)
{
    const char *folder = in_folder(state, "locked");
    char path[256];
    snprintf(path, sizeof path, "%s/progress.db", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    struct progress *progress = open_kept(path);
    progress_fill(progress);
    progress_close(progress);
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    int code = in_child(open_read_only, path);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(code, 0);
}

static void a_file_in_the_folders_place_is_survived(void **state)
{
    struct error warning = ERROR_INIT;
    write_bytes(in_folder(state, "plain"), "x", 1);
    struct progress *progress = progress_open(in_folder(state, "plain/progress.db"), &warning);
    assert_false(progress_is_kept(progress));
    assert_non_null(strstr(warning.cause, "Not a directory"));
    assert_true(put(progress, "x", 1));
    assert_true(has(progress, "x", 1));
    progress_close(progress);
}

static void a_damaged_file_is_left_as_it_is_and_survived(void **state)
{
    const char *path = in_folder(state, "damaged.db");
    struct progress *progress = open_kept(path);
    for (int i = 0; i < 50; i++)
        assert_true(put(progress, "damaged", i));
    progress_close(progress);
    size_t length, after_length;
    char *bytes = bytes_of(path, &length);
    memset(bytes + length / 2, 0xa5, 8192);
    write_bytes(path, bytes, length);
    struct error warning = ERROR_INIT;
    progress = progress_open(path, &warning);
    assert_non_null(progress);
    assert_false(progress_is_kept(progress));
    assert_non_null(strstr(warning.cause, "damaged.db is damaged (not all of it can be read); move it out of the way"));
    assert_true(put(progress, "y", 1));
    assert_false(has(progress, "damaged", 1));
    progress_close(progress);
    char *after = bytes_of(path, &after_length);
    assert_true(same_bytes(bytes, length, after, after_length));
    mem_free(bytes);
    mem_free(after);
}

static void a_program_killed_while_it_writes_loses_nothing_that_it_had_saved(void **state)
{
    const char *path = in_folder(state, "killed.db");
    int last = -1;
    for (int round = 0; round < 5; round++) {
        int acknowledged[2], number;
        assert_int_equal(pipe(acknowledged), 0);
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct progress *progress = progress_open(path, NULL);
            for (int i = last + 1; progress != NULL && put(progress, "killed", i); i++) {
                if (write(acknowledged[1], &i, sizeof i) != sizeof i)
                    break;
            }
            _exit(1);
        }
        close(acknowledged[1]);
        for (int i = 0; i < 50 + round * 7; i++)
            assert_int_equal(read(acknowledged[0], &number, sizeof number), sizeof number);
        assert_int_equal(kill(pid, SIGKILL), 0);
        while (read(acknowledged[0], &number, sizeof number) == sizeof number)
            last = number;
        close(acknowledged[0]);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        struct progress *progress = open_kept(path); /* reads the whole file for damage */
        for (int i = 0; i <= last; i++)
            assert_true(has(progress, "killed", i));
        progress_close(progress);
    }
}

struct writer {
    const char *path, *lesson;
};

static int write_many(void *argument)
{
    const struct writer *writer = argument;
    struct error warning = ERROR_INIT;
    struct progress *progress = progress_open(writer->path, &warning);
    if (progress == NULL || !progress_is_kept(progress))
        return 2;
    for (int i = 0; i < 200; i++) {
        if (!put(progress, writer->lesson, i) || !progress_ledger_add(progress, "c", writer->lesson, "pods", "n", "same", "same", NULL))
            return 3;
    }
    bool kept = progress_is_kept(progress);
    progress_close(progress);
    return kept ? 0 : 4;
}

static void two_programs_at_once_damage_nothing(void **state)
{
    const char *path = in_folder(state, "two.db");
    struct writer writers[] = {{path, "one"}, {path, "two"}};
    pid_t pids[2];
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        if ((pids[i] = fork()) == 0)
            _exit(write_many(&writers[i]));
    }
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    struct progress *progress = open_kept(path);
    for (int i = 0; i < 200; i++) {
        assert_true(has(progress, "one", i));
        assert_true(has(progress, "two", i));
    }
    struct vec found;
    assert_true(progress_ledger_list(progress, "c", NULL, &found, NULL));
    assert_int_equal(found.length, 1);
    vec_free(&found);
    progress_close(progress);
}

static int fill_data(void **state)
{
    memset(data, 'x', sizeof data - 1);
    data[0] = data[sizeof data - 2] = '"';
    return folder_setup(state);
}

int test_faults(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_may_not_grow_is_given_up_and_brought_up_to_date_at_the_end),
        cmocka_unit_test(a_file_that_may_not_grow_at_opening_is_read_and_not_written),
        cmocka_unit_test(a_full_disk_is_survived),
        cmocka_unit_test(a_folder_that_may_not_be_written_is_survived_with_what_it_holds),
        cmocka_unit_test(a_file_in_the_folders_place_is_survived),
        cmocka_unit_test(a_damaged_file_is_left_as_it_is_and_survived),
        cmocka_unit_test(a_program_killed_while_it_writes_loses_nothing_that_it_had_saved),
        cmocka_unit_test(two_programs_at_once_damage_nothing),
    };
    return cmocka_run_group_tests_name("store faults", tests, fill_data, folder_teardown);
}
