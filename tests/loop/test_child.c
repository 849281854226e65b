#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/error.h"
#include "loop/child.h"
#include "loop/internal.h"

/* What `done` was told, copied. */
struct outcome {
    bool done;
    int calls;
    int exit_code, signal_number;
    char *output, *errors;
    size_t output_length, errors_length;
    struct error error;
};

static void take(void *data, const struct child_result *result)
{
    struct outcome *outcome = data;
    outcome->calls++;
    outcome->exit_code = result->exit_code;
    outcome->signal_number = result->signal_number;
    outcome->output = mem_string_n(result->output, result->output_length);
    outcome->errors = mem_string_n(result->errors, result->errors_length);
    outcome->output_length = result->output_length;
    outcome->errors_length = result->errors_length;
    assert_int_equal(result->output[result->output_length], '\0');
    if (result->error != NULL)
        outcome->error = *result->error;
    outcome->done = true;
}

static void must_not_be_called(void *data, const struct child_result *result)
{
    (void)data, (void)result;
    fail_msg("the outcome of a cancelled child was told");
}

static void outcome_free(struct outcome *outcome)
{
    mem_free(outcome->output);
    mem_free(outcome->errors);
    *outcome = (struct outcome){.done = false};
}

static struct child_options shell(const char **argv, const char *script)
{
    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = NULL;
    return (struct child_options){.argv = argv, .maximum = 1 << 20};
}

static struct outcome run(struct loop *loop, const struct child_options *options)
{
    struct outcome outcome = {.done = false};
    struct error err = ERROR_INIT;
    struct child *child = child_start(loop, options, take, &outcome, &err);
    assert_non_null(child);
    assert_false(outcome.done); /* never from inside child_start */
    wait_for(loop, &outcome.done);
    loop_once(loop, 0);
    assert_int_equal(outcome.calls, 1);
    return outcome;
}

static struct outcome run_shell(struct loop *loop, const char *script)
{
    const char *argv[4];
    struct child_options options = shell(argv, script);
    return run(loop, &options);
}

static void assert_no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static int setup(void **state)
{
    *state = new_loop();
    return 0;
}

static int setup_without_pidfd(void **state)
{
    struct loop *loop = new_loop();
    loop->no_pidfd = true;
    *state = loop;
    return 0;
}

static int teardown(void **state)
{
    loop_free(*state);
    assert_no_children();
    return 0;
}

static void output_errors_and_exit_code_are_told(void **state)
{
    struct outcome outcome = run_shell(*state, "echo out; echo err >&2; exit 7");
    assert_int_equal(outcome.exit_code, 7);
    assert_int_equal(outcome.signal_number, 0);
    assert_string_equal(outcome.output, "out\n");
    assert_string_equal(outcome.errors, "err\n");
    assert_int_equal(outcome.error.kind, ERROR_NONE);
    outcome_free(&outcome);
}

static void a_silent_child_has_empty_strings(void **state)
{
    struct outcome outcome = run_shell(*state, "exit 0");
    assert_int_equal(outcome.exit_code, 0);
    assert_string_equal(outcome.output, "");
    assert_string_equal(outcome.errors, "");
    outcome_free(&outcome);
}

static void a_death_by_signal_is_told(void **state)
{
    struct outcome outcome = run_shell(*state, "kill -USR1 $$");
    assert_int_equal(outcome.exit_code, -1);
    assert_int_equal(outcome.signal_number, SIGUSR1);
    assert_int_equal(outcome.error.kind, ERROR_NONE);
    outcome_free(&outcome);
}

static void merged_output_keeps_its_order(void **state)
{
    const char *argv[4];
    struct child_options options = shell(argv, "echo 1; echo 2 >&2; echo 3; echo 4 >&2");
    options.merge_output = true;
    struct outcome outcome = run(*state, &options);
    assert_string_equal(outcome.output, "1\n2\n3\n4\n");
    assert_string_equal(outcome.errors, "");
    outcome_free(&outcome);
}

static void input_arrives_whole_and_ends(void **state)
{
    enum { LENGTH = 900000 };
    char *input = mem_alloc(LENGTH);
    assert_non_null(input);
    for (int i = 0; i < LENGTH; i++)
        input[i] = (char)(i * 7 % 251); /* NULs among them */
    const char *argv[] = {"cat", NULL};
    struct child_options options = {.argv = argv, .input = input, .input_length = LENGTH, .maximum = 1 << 20};
    struct outcome outcome = run(*state, &options);
    assert_int_equal(outcome.output_length, LENGTH);
    assert_memory_equal(outcome.output, input, LENGTH);
    outcome_free(&outcome);
    mem_free(input);
}

static void input_that_nobody_reads_does_no_harm(void **state)
{
    const char *argv[4];
    struct child_options options = shell(argv, "exec <&-; echo fine");
    options.input = "unread";
    options.input_length = 6;
    struct outcome outcome = run(*state, &options);
    assert_string_equal(outcome.output, "fine\n");
    outcome_free(&outcome);
}

static void without_input_stdin_is_at_its_end(void **state)
{
    struct outcome outcome = run_shell(*state, "cat; readlink /proc/self/fd/0");
    assert_string_equal(outcome.output, "/dev/null\n");
    outcome_free(&outcome);
}

static void environment_and_folder_are_set(void **state)
{
    setenv("KT_TEST_KEPT", "kept", 1);
    setenv("KT_TEST_OTHER", "old", 1);
    const char *environment[] = {"KT_TEST_OTHER=new", "KT_TEST_MORE=a=b", NULL};
    const char *argv[4];
    struct child_options options =
        shell(argv, "echo $KT_TEST_KEPT $KT_TEST_OTHER $KT_TEST_MORE; pwd; env | grep -c KT_TEST_OTHER=");
    options.environment = environment;
    options.folder = "/usr";
    struct outcome outcome = run(*state, &options);
    assert_string_equal(outcome.output, "kept new a=b\n/usr\n1\n");
    outcome_free(&outcome);
}

static void it_gets_no_descriptor_of_ours(void **state)
{
    int fd = dup(0); /* without close-on-exec, as a careless library leaves them */
    assert_true(fd >= 3);
    struct outcome outcome = run_shell(*state, "ls /proc/$$/fd; exit");
    assert_string_equal(outcome.output, "0\n1\n2\n");
    close(fd);
    outcome_free(&outcome);
}

static void it_gets_default_signals(void **state)
{
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &old);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    const char *argv[] = {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status", NULL};
    struct child_options options = {.argv = argv, .maximum = 4096};
    struct outcome outcome = run(*state, &options);
    unsigned long long blocked = 1, ignored = 1;
    assert_int_equal(sscanf(outcome.output, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & 0x7fffffff, 0); /* 32 and 33 are glibc's own, which its posix_spawn ignores */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    outcome_free(&outcome);
}

static void exit_codes_are_kept_where_sigchld_was_ignored(void **state)
{
    signal(SIGCHLD, SIG_IGN);
    struct outcome outcome = run_shell(*state, "exit 3");
    assert_int_equal(outcome.exit_code, 3);
    outcome_free(&outcome);
}

static void what_cannot_start_is_told_at_once(void **state)
{
    const struct {
        const char *program, *folder;
        enum error_kind kind;
        const char *words;
    } cases[] = {
        {"kt-no-such-program", NULL, ERROR_NOT_FOUND, "kt-no-such-program was not found"},
        {"/no/such/program", NULL, ERROR_NOT_FOUND, "/no/such/program was not found"},
        {"/etc/passwd", NULL, ERROR_DENIED, "/etc/passwd cannot be started"},
        {"/bin/true", "/no/such/folder", ERROR_NOT_FOUND, "in the folder /no/such/folder"},
    };
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *argv[] = {cases[i].program, NULL};
        struct child_options options = {
            .argv = argv, .folder = cases[i].folder, .input = "x", .input_length = 1, .maximum = 10};
        struct error err = ERROR_INIT;
        assert_null(child_start(*state, &options, must_not_be_called, NULL, &err));
        assert_int_equal(err.kind, cases[i].kind);
        assert_non_null(strstr(err.message, cases[i].words));
    }
    assert_int_equal(open_descriptors(), before);
}

static void output_is_bounded(void **state)
{
    const char *argv[4];
    struct child_options options = shell(argv, "yes");
    options.maximum = 1000;
    struct outcome outcome = run(*state, &options);
    assert_int_equal(outcome.error.kind, ERROR_LIMIT);
    assert_non_null(strstr(outcome.error.message, "1000 bytes"));
    assert_int_equal(outcome.output_length, 1000);
    assert_memory_equal(outcome.output, "y\ny\n", 4);
    outcome_free(&outcome);

    options = shell(argv, "yes >&2");
    options.maximum = 1000;
    outcome = run(*state, &options);
    assert_int_equal(outcome.error.kind, ERROR_LIMIT);
    assert_int_equal(outcome.errors_length, 1000);
    outcome_free(&outcome);

    options = shell(argv, "printf 12345");
    options.maximum = 5; /* exactly full is not too much */
    outcome = run(*state, &options);
    assert_int_equal(outcome.error.kind, ERROR_NONE);
    assert_string_equal(outcome.output, "12345");
    outcome_free(&outcome);
}

/* Lets orphans of our children become ours, so that their end can be looked at; returns how one of them ended. */
static int orphan_signal(struct loop *loop, pid_t pid)
{
    int status = 0;
    wait_for_death(loop, pid);
    assert_int_equal(waitpid(pid, &status, WNOHANG), pid);
    assert_true(WIFSIGNALED(status));
    return WTERMSIG(status);
}

static void a_time_out_ends_the_whole_group(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const char *argv[4];
    struct child_options options = shell(argv, "sleep 1000 & echo $!; wait");
    options.timeout_ms = 300;
    int64_t start = clock_monotonic_ms();
    struct outcome outcome = run(*state, &options);
    assert_true(clock_monotonic_ms() - start >= 300);
    assert_int_equal(outcome.error.kind, ERROR_TIMEOUT);
    assert_non_null(strstr(outcome.error.message, "/bin/sh did not finish within 0.3 s"));
    assert_int_equal(outcome.exit_code, -1);
    assert_int_equal(outcome.signal_number, SIGTERM);
    assert_int_equal(orphan_signal(*state, (pid_t)atoi(outcome.output)), SIGTERM);
    outcome_free(&outcome);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void what_ignores_term_is_killed_with_its_group(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const char *argv[4];
    struct child_options options = shell(argv, "trap '' TERM; sleep 1000 & echo $!; wait");
    options.timeout_ms = 1000; /* time enough for the trap, on a busy machine too */
    int64_t start = clock_monotonic_ms();
    struct outcome outcome = run(*state, &options);
    assert_true(clock_monotonic_ms() - start >= 3000);
    assert_int_equal(outcome.error.kind, ERROR_TIMEOUT);
    assert_int_equal(outcome.signal_number, SIGKILL);
    assert_int_equal(orphan_signal(*state, (pid_t)atoi(outcome.output)), SIGKILL);
    outcome_free(&outcome);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void a_grandchild_that_ignores_term_goes_with_its_parent(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const char *argv[4];
    struct child_options options = shell(argv, "(trap '' TERM; exec sleep 1000) & echo $!; wait");
    options.timeout_ms = 1000;
    struct outcome outcome = run(*state, &options);
    assert_int_equal(outcome.signal_number, SIGTERM);
    assert_int_equal(orphan_signal(*state, (pid_t)atoi(outcome.output)), SIGKILL);
    outcome_free(&outcome);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void a_stopped_child_can_be_ended(void **state)
{
    const char *argv[4];
    struct child_options options = shell(argv, "kill -STOP $$");
    options.timeout_ms = 200;
    struct outcome outcome = run(*state, &options);
    assert_int_equal(outcome.error.kind, ERROR_TIMEOUT);
    assert_int_equal(outcome.signal_number, SIGTERM);
    outcome_free(&outcome);
}

static void pipes_held_by_others_do_not_hold_the_outcome(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int64_t start = clock_monotonic_ms();
    struct outcome outcome = run_shell(*state, "sleep 1000 & echo $!; exit 4");
    assert_in_range(clock_monotonic_ms() - start, 1000, 10000);
    assert_int_equal(outcome.exit_code, 4);
    assert_int_equal(outcome.error.kind, ERROR_NONE);
    pid_t left = (pid_t)atoi(outcome.output);
    assert_int_equal(kill(left, SIGUSR1), 0); /* it was not ended by us: it did nothing wrong */
    assert_int_equal(orphan_signal(*state, left), SIGUSR1);
    outcome_free(&outcome);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void the_last_bytes_come_before_the_end(void **state)
{
    struct outcome outcome =
        run_shell(*state, "(read x; head -c 500000 /dev/zero) </dev/null & exit 5"); /* written after the exit */
    assert_int_equal(outcome.exit_code, 5);
    assert_int_equal(outcome.output_length, 500000);
    outcome_free(&outcome);
}

static void a_cancelled_child_is_reaped_and_says_nothing(void **state)
{
    struct loop *loop = *state;
    const char *argv[4];
    struct child_options options = shell(argv, "echo started; sleep 1000");
    struct child *child = child_start(loop, &options, must_not_be_called, NULL, NULL);
    assert_non_null(child);
    int64_t start = clock_monotonic_ms();
    child_cancel(child);
    while (loop->processes != NULL && clock_monotonic_ms() - start < LONG_MS)
        loop_once(loop, 1000);
    assert_no_children();
    child_cancel(NULL);
}

static void freeing_the_loop_waits_for_children_being_ended(void **state)
{
    (void)state;
    int before = open_descriptors();
    for (int without_pidfd = 0; without_pidfd < 2; without_pidfd++) {
        struct loop *loop = new_loop();
        loop->no_pidfd = without_pidfd;
        const char *argv[4];
        struct child_options options = shell(argv, "trap '' TERM; echo ready; while :; do sleep 1; done");
        struct outcome outcome = {.done = false};
        struct child *child = child_start(loop, &options, must_not_be_called, &outcome, NULL);
        assert_non_null(child);
        for (int i = 0; i < 3; i++)
            loop_once(loop, 20);
        loop_stop(loop); /* must not keep it from waiting */
        child_cancel(child);
        loop_free(loop);
        assert_no_children();
    }
    assert_int_equal(open_descriptors(), before);
}

/* Many at once, each started by the end of another. */
struct crowd {
    struct loop *loop;
    int left, running;
    bool done;
};

static void start_next(void *data, const struct child_result *result)
{
    struct crowd *crowd = data;
    if (result != NULL) {
        assert_int_equal(result->exit_code, 0);
        crowd->running--;
    }
    if (crowd->left > 0) {
        const char *argv[] = {"true", NULL};
        struct child_options options = {.argv = argv, .maximum = 10, .timeout_ms = LONG_MS};
        struct error err = ERROR_INIT;
        assert_non_null(child_start(crowd->loop, &options, start_next, crowd, &err));
        crowd->left--;
        crowd->running++;
    }
    crowd->done = crowd->running == 0;
}

static void a_thousand_children_leave_nothing(void **state)
{
    int before = open_descriptors();
    struct crowd crowd = {.loop = *state, .left = 1000};
    for (int i = 0; i < 8; i++)
        start_next(&crowd, NULL);
    assert_true(loop_until(crowd.loop, &crowd.done, 10 * LONG_MS));
    assert_int_equal(crowd.left, 0);
    assert_int_equal(open_descriptors(), before);
    assert_no_children();
}

struct pair {
    struct child *mine, *other;
    bool done;
};

static void cancel_both(void *data, const struct child_result *result)
{
    (void)result;
    struct pair *pair = data;
    child_cancel(pair->mine);
    child_cancel(pair->other);
    pair->done = true;
}

static void a_child_may_be_cancelled_from_any_outcome(void **state)
{
    const char *argv[4];
    struct child_options quick = shell(argv, "exit 0");
    struct pair pair = {.done = false};
    pair.mine = child_start(*state, &quick, cancel_both, &pair, NULL);
    const char *slow_argv[4];
    struct child_options slow = shell(slow_argv, "sleep 1000");
    pair.other = child_start(*state, &slow, must_not_be_called, NULL, NULL);
    assert_non_null(pair.mine);
    assert_non_null(pair.other);
    wait_for(*state, &pair.done);
}

static void one_that_inherits_the_terminal_stays_in_our_group(void **state)
{
    const char *argv[4];
    struct child_options options = shell(argv, "ps -o pgid= -p $$; readlink /proc/$$/fd/0 /proc/$$/fd/2");
    options.inherit_terminal = true;
    struct outcome outcome = run(*state, &options);
    char expected[3][512] = {"", "", ""}, all[2048];
    assert_true(readlink("/proc/self/fd/0", expected[1], sizeof expected[1] - 1) > 0);
    assert_true(readlink("/proc/self/fd/2", expected[2], sizeof expected[2] - 1) > 0);
    snprintf(all, sizeof all, "%d\n%s\n%s\n", (int)getpgrp(), expected[1], expected[2]);
    char *output = outcome.output;
    assert_string_equal(output + strspn(output, " "), all);
    outcome_free(&outcome);

    options = shell(argv, "exec sleep 1000");
    options.inherit_terminal = true;
    options.timeout_ms = 200;
    outcome = run(*state, &options); /* and ending it does not end us */
    assert_int_equal(outcome.signal_number, SIGTERM);
    outcome_free(&outcome);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int failures = 0, before = open_descriptors();
    bool whole = false;
    for (int nth = 1; nth <= 40; nth++) {
        struct loop *loop = new_loop();
        const char *environment[] = {"KT_TEST_OTHER=new", NULL};
        const char *argv[4];
        struct child_options options = shell(argv, "cat; echo more >&2");
        options.environment = environment;
        options.input = "input";
        options.input_length = 5;
        options.timeout_ms = LONG_MS;
        struct outcome outcome = {.done = false};
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        struct child *child = child_start(loop, &options, take, &outcome, &err);
        if (child != NULL)
            wait_for(loop, &outcome.done);
        mem_fail_at(0);
        whole = child != NULL && outcome.error.kind == ERROR_NONE && outcome.output != NULL && outcome.errors != NULL;
        failures += !whole;
        if (child == NULL)
            assert_int_equal(err.kind, ERROR_MEMORY);
        else if (outcome.error.kind != ERROR_NONE)
            assert_true(outcome.error.kind == ERROR_MEMORY || outcome.error.kind == ERROR_TIMEOUT);
        outcome_free(&outcome);
        loop_free(loop);
        assert_no_children();
    }
    assert_true(failures > 8 && whole);
    assert_int_equal(open_descriptors(), before);
}

static void no_descriptor_left_is_an_error_and_no_leak(void **state)
{
    int before = open_descriptors(), held[128], count = 0;
    struct rlimit old, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const char *argv[] = {"true", NULL};
    struct child_options options = {.argv = argv, .maximum = 10, .input = "x", .input_length = 1};
    while (count < 128 && (held[count] = dup(0)) >= 0)
        count++;
    assert_true(count > 0 && count < 128);
    int refused = 0;
    for (bool started = false; !started && count > 0;) { /* one more is free each time */
        struct outcome outcome = {.done = false};
        struct error err = ERROR_INIT;
        struct child *child = child_start(*state, &options, take, &outcome, &err);
        started = child != NULL;
        if (started)
            wait_for(*state, &outcome.done); /* perhaps told by SIGCHLD, for want of a pidfd */
        else {
            assert_int_equal(err.kind, ERROR_LIMIT);
            close(held[--count]);
            refused++;
        }
        outcome_free(&outcome);
    }
    assert_true(refused > 3);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    while (count > 0)
        close(held[--count]);
    assert_int_equal(open_descriptors(), before);
}

#define with_loop(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#define without_pidfd(test)                                                                                                    \
    {                                                                                                                          \
#test " (SIGCHLD)", test, setup_without_pidfd, teardown, NULL                                                          \
    }

int test_child(void)
{
    const struct CMUnitTest tests[] = {
        with_loop(output_errors_and_exit_code_are_told),
        with_loop(a_silent_child_has_empty_strings),
        with_loop(a_death_by_signal_is_told),
        with_loop(merged_output_keeps_its_order),
        with_loop(input_arrives_whole_and_ends),
        with_loop(input_that_nobody_reads_does_no_harm),
        with_loop(without_input_stdin_is_at_its_end),
        with_loop(environment_and_folder_are_set),
        with_loop(it_gets_no_descriptor_of_ours),
        with_loop(it_gets_default_signals),
        with_loop(exit_codes_are_kept_where_sigchld_was_ignored),
        with_loop(what_cannot_start_is_told_at_once),
        with_loop(output_is_bounded),
        with_loop(a_time_out_ends_the_whole_group),
        with_loop(what_ignores_term_is_killed_with_its_group),
        with_loop(a_grandchild_that_ignores_term_goes_with_its_parent),
        with_loop(a_stopped_child_can_be_ended),
        with_loop(pipes_held_by_others_do_not_hold_the_outcome),
        with_loop(the_last_bytes_come_before_the_end),
        with_loop(a_cancelled_child_is_reaped_and_says_nothing),
        with_loop(freeing_the_loop_waits_for_children_being_ended),
        with_loop(a_thousand_children_leave_nothing),
        with_loop(a_child_may_be_cancelled_from_any_outcome),
        with_loop(one_that_inherits_the_terminal_stays_in_our_group),
        with_loop(every_allocation_may_fail),
        with_loop(no_descriptor_left_is_an_error_and_no_leak),
        without_pidfd(output_errors_and_exit_code_are_told),
        without_pidfd(exit_codes_are_kept_where_sigchld_was_ignored),
        without_pidfd(a_cancelled_child_is_reaped_and_says_nothing),
        without_pidfd(a_time_out_ends_the_whole_group),
        without_pidfd(a_thousand_children_leave_nothing),
    };
    return cmocka_run_group_tests_name("loop/child", tests, NULL, NULL);
}
