#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "loop/child.h"
#include "loop/internal.h"

struct screen {
    struct loop *loop;
    struct pty *pty;
    struct buf bytes;
    size_t total;
    const char *wanted; /* seen is set once this is in the bytes */
    bool seen;
    bool ended;
    int exits, exit_code, signal_number;
    bool free_on_read, free_on_exit;
};

static void on_bytes(void *data, const char *bytes, size_t length)
{
    struct screen *screen = data;
    assert_false(screen->ended);
    screen->total += length;
    if (screen->bytes.length + length <= 100000)
        buf_append(&screen->bytes, bytes, length);
    if (screen->wanted != NULL && screen->bytes.bytes != NULL && strstr(screen->bytes.bytes, screen->wanted) != NULL)
        screen->seen = true;
    if (screen->free_on_read) {
        pty_free(screen->pty);
        screen->pty = NULL;
        screen->seen = true;
    }
}

static void on_exit_told(void *data, int exit_code, int signal_number)
{
    struct screen *screen = data;
    screen->exits++;
    screen->ended = true;
    screen->exit_code = exit_code;
    screen->signal_number = signal_number;
    if (screen->free_on_exit) {
        pty_free(screen->pty);
        screen->pty = NULL;
    }
}

static struct screen start(struct loop *loop)
{
    return (struct screen){.loop = loop, .bytes = buf_make(100000)};
}

static void open_shell(struct screen *screen, const char *script)
{
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    struct pty_options options = {.argv = argv, .columns = 80, .rows = 24};
    struct error err = ERROR_INIT;
    screen->pty = pty_start(screen->loop, &options, on_bytes, on_exit_told, screen, &err);
    assert_non_null(screen->pty);
}

static void wait_to_see(struct screen *screen, const char *wanted)
{
    screen->wanted = wanted;
    screen->seen = screen->bytes.bytes != NULL && strstr(screen->bytes.bytes, wanted) != NULL;
    wait_for(screen->loop, &screen->seen);
}

static void finish(struct screen *screen)
{
    pty_free(screen->pty);
    buf_free(&screen->bytes);
    loop_free(screen->loop);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void type(struct screen *screen, const char *keys)
{
    assert_true(pty_write(screen->pty, keys, strlen(keys)));
}

static void keys_come_back_as_echo_and_output(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "exec cat");
    type(&screen, "hello\r");
    wait_to_see(&screen, "hello\r\nhello\r\n");
    type(&screen, "\004"); /* end of file from the keyboard */
    wait_for(screen.loop, &screen.ended);
    assert_int_equal(screen.exit_code, 0);
    assert_int_equal(pty_pid(screen.pty), 0);
    assert_true(pty_write(screen.pty, "late", 4)); /* dropped: nobody is there */
    loop_once(screen.loop, 0);
    assert_int_equal(screen.exits, 1);
    finish(&screen);
}

static void the_pty_is_its_controlling_terminal(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen,
               "tty; ps -o sid= -p $$ | tr -d ' '; echo pid $$; echo through >/dev/tty; stty -a | grep -o ' iutf8'; exec cat");
    wait_to_see(&screen, "through\r\n iutf8\r\n");
    assert_memory_equal(screen.bytes.bytes, "/dev/pts/", 9);
    char session[64];
    snprintf(session, sizeof session, "\r\n%d\r\npid %d\r\n", (int)pty_pid(screen.pty), (int)pty_pid(screen.pty));
    assert_non_null(strstr(screen.bytes.bytes, session));
    type(&screen, "up\r");
    wait_to_see(&screen, "up\r\nup\r\n"); /* now it is cat: a shell about to run it may swallow the key */
    type(&screen, "\003");                /* Ctrl-C reaches the foreground group by way of the terminal */
    wait_for(screen.loop, &screen.ended);
    assert_int_equal(screen.signal_number, SIGINT);
    finish(&screen);
}

static void the_program_sees_the_size_and_its_changes(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "trap 'stty size' WINCH; stty size; while :; do read line; done");
    wait_to_see(&screen, "24 80\r\n");
    pty_resize(screen.pty, 132, 43);
    wait_to_see(&screen, "43 132\r\n");
    finish(&screen);
}

static void the_end_is_told_after_the_last_bytes(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "head -c 300000 /dev/zero | tr '\\0' x; exit 9");
    wait_for(screen.loop, &screen.ended);
    assert_int_equal(screen.total, 300000);
    assert_int_equal(screen.exit_code, 9);
    finish(&screen);
}

static void a_background_process_does_not_hold_the_end(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "trap '' HUP; sleep 1000 & echo left $!; exit 2");
    wait_for(screen.loop, &screen.ended);
    assert_int_equal(screen.exit_code, 2);
    assert_memory_equal(screen.bytes.bytes, "left ", 5);
    assert_int_equal(kill((pid_t)atoi(screen.bytes.bytes + 5), SIGKILL), 0); /* it lives on, as nohup promises */
    finish(&screen);
}

static void freeing_hangs_up_and_reaps(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    char path[] = "/tmp/kt-hup-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    setenv("KT_TEST_HUP", path, 1);
    open_shell(&screen, "trap 'echo hung up >$KT_TEST_HUP; exit' HUP; echo ready; while :; do sleep 0.1; done");
    wait_to_see(&screen, "ready");
    int64_t begin = clock_monotonic_ms();
    pty_free(screen.pty);
    screen.pty = NULL;
    assert_true(clock_monotonic_ms() - begin < 1000); /* does not wait itself */
    finish(&screen);                                  /* the loop does */
    assert_false(screen.ended);
    char words[16] = "";
    assert_int_equal(read(fd, words, sizeof words), 8);
    assert_memory_equal(words, "hung up\n", 8);
    close(fd);
    unlink(path);
}

static void what_ignores_the_hangup_is_killed(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done");
    wait_to_see(&screen, "ready");
    int64_t begin = clock_monotonic_ms();
    finish(&screen);
    assert_true(clock_monotonic_ms() - begin >= 2000);
}

static void a_flood_can_be_paused_and_resumed(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "exec yes");
    wait_to_see(&screen, "y\r\ny\r\n");
    pty_pause(screen.pty, true);
    size_t before = screen.total;
    bool never = false;
    assert_false(loop_until(screen.loop, &never, 200));
    assert_int_equal(screen.total, before);
    buf_clear(&screen.bytes);
    pty_pause(screen.pty, false);
    wait_to_see(&screen, "y\r\ny\r\n");
    type(&screen, "\003"); /* keys still get through */
    wait_for(screen.loop, &screen.ended);
    assert_int_equal(screen.signal_number, SIGINT);
    finish(&screen);
}

static void a_paused_pty_tells_its_end_after_it_was_resumed(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "read x; echo last words; exit 3");
    pty_pause(screen.pty, true);
    type(&screen, "\r");
    wait_for_death(screen.loop, pty_pid(screen.pty));
    bool never = false;
    assert_false(loop_until(screen.loop, &never, 1200)); /* longer than the grace for held ptys */
    assert_false(screen.ended);
    pty_pause(screen.pty, false);
    wait_for(screen.loop, &screen.ended);
    assert_non_null(strstr(screen.bytes.bytes, "last words"));
    assert_int_equal(screen.exit_code, 3);
    finish(&screen);
}

static void waiting_keys_are_bounded_and_delivered_in_order(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    open_shell(&screen, "stty raw -echo; echo ready; head -c 1000000 | cksum");
    wait_to_see(&screen, "ready");
    char line[1000];
    memset(line, 'k', sizeof line);
    size_t taken = 0;
    while (pty_write(screen.pty, line, sizeof line))
        taken += sizeof line;
    assert_in_range(taken, 1000000, (1 << 20) + 1200000); /* the queue, and what the kernel and the program took */
    type(&screen, ".");                                   /* less than what was refused still fits */
    wait_for(screen.loop, &screen.ended);
    assert_non_null(strstr(screen.bytes.bytes, " 1000000\n")); /* raw: no carriage return */
    finish(&screen);
}

static void callbacks_may_free_it(void **state)
{
    (void)state;
    struct screen screen = start(new_loop());
    screen.free_on_read = true;
    open_shell(&screen, "echo hello; sleep 1000");
    wait_for(screen.loop, &screen.seen);
    finish(&screen);
    assert_int_equal(screen.exits, 0);

    screen = start(new_loop());
    screen.free_on_exit = true;
    open_shell(&screen, "exit 1");
    wait_for(screen.loop, &screen.ended);
    finish(&screen);
    assert_int_equal(screen.exits, 1);
}

static void a_missing_program_is_told_at_once(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    int before = open_descriptors();
    const char *argv[] = {"kt-no-such-shell", NULL};
    struct pty_options options = {.argv = argv, .columns = 80, .rows = 24};
    struct error err = ERROR_INIT;
    assert_null(pty_start(loop, &options, on_bytes, on_exit_told, NULL, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(open_descriptors(), before);
    loop_free(loop);
    pty_free(NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int failures = 0, before = open_descriptors();
    for (bool whole = false; !whole; failures += !whole) {
        struct screen screen = start(new_loop());
        const char *argv[] = {"/bin/cat", NULL};
        struct pty_options options = {.argv = argv, .columns = 80, .rows = 24};
        struct error err = ERROR_INIT;
        mem_fail_at(failures + 1);
        screen.pty = pty_start(screen.loop, &options, on_bytes, on_exit_told, &screen, &err);
        bool written = screen.pty != NULL && pty_write(screen.pty, "a\r", 2);
        mem_fail_at(0);
        whole = screen.pty != NULL && written;
        if (screen.pty == NULL)
            assert_int_equal(err.kind, ERROR_MEMORY);
        else {
            if (!written)
                assert_true(pty_write(screen.pty, "a\r", 2)); /* a refusal for want of memory is not for ever */
            wait_to_see(&screen, "a\r\na\r\n");
        }
        finish(&screen);
    }
    assert_true(failures > 4);
    assert_int_equal(open_descriptors(), before);
}

int test_pty(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_come_back_as_echo_and_output),
        cmocka_unit_test(the_pty_is_its_controlling_terminal),
        cmocka_unit_test(the_program_sees_the_size_and_its_changes),
        cmocka_unit_test(the_end_is_told_after_the_last_bytes),
        cmocka_unit_test(a_background_process_does_not_hold_the_end),
        cmocka_unit_test(freeing_hangs_up_and_reaps),
        cmocka_unit_test(what_ignores_the_hangup_is_killed),
        cmocka_unit_test(a_flood_can_be_paused_and_resumed),
        cmocka_unit_test(a_paused_pty_tells_its_end_after_it_was_resumed),
        cmocka_unit_test(waiting_keys_are_bounded_and_delivered_in_order),
        cmocka_unit_test(callbacks_may_free_it),
        cmocka_unit_test(a_missing_program_is_told_at_once),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("loop/pty", tests, NULL, NULL);
}
