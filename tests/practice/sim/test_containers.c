/* Containers: how they begin, what they are given, how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "world.h"

/* Runs a script with a configuration that the test changes. */
struct trial {
    struct world world;
    struct box_run run;
    struct vec command;
    struct runtime_container_config config;
};

static void begin(struct trial *trial, const char *script)
{
    world_open(&trial->world);
    trial->config = world_config(script, &trial->command);
}

static void go(struct trial *trial)
{
    world_start(&trial->world, &trial->run, &trial->config);
}

static void end(struct trial *trial)
{
    vec_free(&trial->command);
    trial->world.runtime.ops->container_free(trial->run.container);
    world_close(&trial->world);
}

static void expect_output(struct trial *trial, const char *output)
{
    char *text = world_log(&trial->run, RUNTIME_STDOUT);
    assert_string_equal(text, output);
    mem_free(text);
}

static void signal_now(struct trial *trial, int signal)
{
    trial->world.runtime.ops->container_signal(trial->run.container, signal);
}

static bool has_line(void *data)
{
    const struct box_run *run = data;
    uint64_t cursor = 0;
    struct runtime_log_line line;
    return run->world->runtime.ops->log_next(run->container, &cursor, &line);
}

/* ---- beginning ---- */

static void refused(const char *word, const char *words)
{
    struct trial trial;
    begin(&trial, "");
    vec_clear(&trial.command);
    assert_true(vec_push_string(&trial.command, word));
    go(&trial);
    assert_true(trial.run.failed);
    char expected[600];
    snprintf(expected, sizeof expected, "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: %s", words);
    assert_string_equal(trial.run.error.message, expected);
    end(&trial);
}

static void what_cannot_be_started_is_told_in_runcs_words(void **state)
{
    (void)state;
    refused("nope", "exec: \"nope\": executable file not found in $PATH");
    refused("/bin/nope", "exec: \"/bin/nope\": stat /bin/nope: no such file or directory");
    refused("/etc", "exec: \"/etc\": permission denied");
    refused("/etc/passwd", "exec: \"/etc/passwd\": permission denied");
}

static void a_container_has_its_environment(void **state)
{
    (void)state;
    struct trial trial;
    struct vec env = vec_make(8, NULL);
    char color[] = "COLOR=blue green", home[] = "PATH=/bin";
    assert_true(vec_push(&env, color) && vec_push(&env, home));
    begin(&trial, "echo \"$COLOR|$PATH|$HOSTNAME|$HOME\"; pwd; hostname; cat /etc/hostname; cat /etc/resolv.conf; id -u");
    trial.config.env = &env;
    trial.config.working_directory = "/made/for/it";
    go(&trial);
    world_wait(&trial.run);
    expect_output(&trial, "blue green|/bin|pod|/root\n/made/for/it\npod\npod\nnameserver 10.96.0.10\n0\n");
    vec_free(&env);
    end(&trial);
}

static void arguments_come_after_the_command(void **state)
{
    (void)state;
    struct trial trial;
    struct vec args = vec_make(8, NULL);
    char a[] = "name", b[] = "x y";
    assert_true(vec_push(&args, a) && vec_push(&args, b));
    begin(&trial, "echo $0 $1");
    trial.config.args = &args;
    go(&trial);
    world_wait(&trial.run);
    expect_output(&trial, "name x y\n");
    vec_free(&args);
    end(&trial);
}

static void another_user_may_less(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "id; touch /etc/x; echo $?; touch /tmp/x && echo tmp; echo $HOME; cat /nope/x 2>/dev/null; ls -l /tmp/x | cut -c1-30; chmod 600 /etc/passwd; kill -9 1; echo $?");
    trial.config.user = 1000;
    trial.config.group = 2000;
    go(&trial);
    world_wait(&trial.run);
    expect_output(&trial, "uid=1000 gid=2000 groups=2000\n1\ntmp\n/\n-rw-r--r--    1 1000     2000 \n0\n");
    char *errors = world_log(&trial.run, RUNTIME_STDERR);
    assert_string_equal(errors, "touch: /etc/x: Permission denied\nchmod: /etc/passwd: Operation not permitted\n");
    mem_free(errors);
    end(&trial);
}

static void a_read_only_root_takes_no_files(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "echo a > /etc/x; mkdir /y; rm /etc/passwd; echo b > /dev/termination-log && echo fine; echo c > /dev/null; cd /work && echo here");
    trial.config.read_only_root = true;
    go(&trial);
    world_wait(&trial.run);
    expect_output(&trial, "fine\nhere\n");
    char *errors = world_log(&trial.run, RUNTIME_STDERR);
    assert_string_equal(errors, "sh: can't create /etc/x: Read-only file system\nmkdir: can't create directory '/y': Read-only file system\nrm: can't remove '/etc/passwd': Read-only file system\n");
    mem_free(errors);
    end(&trial);
}

static void containers_of_an_image_do_not_see_each_others_changes(void **state)
{
    (void)state;
    struct trial trial;
    struct box_run second;
    struct vec other;
    begin(&trial, "echo mine > /etc/passwd; rm -r /home; mkdir /home; touch /home/x; ls /home; cat /etc/passwd; rm /bin/cat");
    go(&trial);
    world_wait(&trial.run);
    expect_output(&trial, "x\nmine\n");
    struct runtime_container_config config = world_config("head -n 1 /etc/passwd | cut -c1-4; ls /home; which cat", &other);
    world_start(&trial.world, &second, &config);
    world_wait(&second);
    char *text = world_log(&second, RUNTIME_STDOUT);
    assert_string_equal(text, "root\n/bin/cat\n");
    mem_free(text);
    vec_free(&other);
    trial.world.runtime.ops->container_free(second.container);
    end(&trial);
}

/* ---- the end ---- */

static void codes_and_times_are_told(void **state)
{
    (void)state;
    world_expect("exit 42", "", 42);
    world_expect("true", "", 0);
    world_expect("exec sleep 0", "", 0);
    world_expect("nosuch", "", 127);
    world_expect("echo out; false", "out\n", 1);
}

static void process_1_ignores_what_it_does_not_handle(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "echo up; while true; do sleep 1; done");
    go(&trial);
    world_until(&trial.world, has_line, &trial.run);
    signal_now(&trial, SIGTERM);
    for (int i = 0; i < 50; i++)
        loop_once(trial.world.loop, 1);
    assert_false(trial.run.ended);
    signal_now(&trial, SIGKILL);
    world_wait(&trial.run);
    assert_int_equal(trial.run.end.code, 137);
    end(&trial);
}

static void a_trap_ends_it_gracefully(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "trap 'echo bye; exit 3' TERM; echo up; while true; do sleep 100 & wait $!; done");
    go(&trial);
    world_until(&trial.world, has_line, &trial.run);
    signal_now(&trial, SIGTERM);
    world_wait(&trial.run);
    expect_output(&trial, "up\nbye\n");
    assert_int_equal(trial.run.end.code, 3);
    end(&trial);
}

static void a_trap_waits_for_the_foreground(void **state)
{
    (void)state;
    struct trial trial;
    bool stepped = false;
    struct error err;
    (void)stepped;
    begin(&trial, "trap 'exit 0' TERM; echo up; while true; do echo la; sleep 1; done");
    go(&trial);
    world_until(&trial.world, has_line, &trial.run);
    signal_now(&trial, SIGTERM);
    assert_true(cluster_clock_step(trial.world.clock, 2000, NULL, NULL, &err));
    world_wait(&trial.run);
    assert_int_equal(trial.run.end.code, 0);
    end(&trial);
}

static void all_end_with_process_1(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "sleep 1000 & (while true; do :; done) & yes > /dev/null & echo started; exit 5");
    go(&trial);
    world_wait(&trial.run);
    assert_int_equal(trial.run.end.code, 5);
    expect_output(&trial, "started\n");
    end(&trial);
}

static void the_termination_message_is_what_was_written(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "echo why it failed > /dev/termination-log; exit 1");
    go(&trial);
    world_wait(&trial.run);
    assert_string_equal(trial.run.message, "why it failed\n");
    end(&trial);
    begin(&trial, "seq 5000 > /tmp/why");
    trial.config.termination_path = "/tmp/why";
    go(&trial);
    world_wait(&trial.run);
    assert_int_equal(strlen(trial.run.message), 4096);
    end(&trial);
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    static const char *const scripts[] = {"tail /dev/zero", "exec tail /dev/zero", "stress --vm 1 --vm-bytes 200M --vm-hang 1", "sleep 1000 & stress --vm-bytes 200M --vm 2"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct trial trial;
        begin(&trial, scripts[i]);
        trial.config.memory_limit = 100 << 20;
        go(&trial);
        world_wait(&trial.run);
        assert_int_equal(trial.run.end.code, 137);
        assert_true(trial.run.end.out_of_memory);
        end(&trial);
    }
}

static void memory_within_the_limit_is_used(void **state)
{
    (void)state;
    struct trial trial;
    struct runtime_usage usage;
    begin(&trial, "echo up; stress --vm 1 --vm-bytes 50M --vm-hang 0");
    trial.config.memory_limit = 100 << 20;
    go(&trial);
    world_until(&trial.world, has_line, &trial.run);
    for (int i = 0; i < 20; i++)
        loop_once(trial.world.loop, 1);
    trial.world.runtime.ops->container_usage(trial.run.container, &usage);
    assert_in_range(usage.memory, 50 << 20, 60 << 20);
    assert_false(trial.run.ended);
    assert_false(trial.world.runtime.ops->container_resize(trial.run.container, 10 << 20, 0) && false);
    end(&trial);
}

static void files_are_bounded(void **state)
{
    (void)state;
    world_expect("dd if=/dev/zero of=zeros bs=1M count=300 2>/dev/null; wc -c < zeros; head -c 70000000 /dev/zero | tr '\\0' x > full; echo $?; [ $(wc -c < full) -lt 70000000 ] && echo bounded; rm full; echo ok > f && cat f",
                 "314572800\n1\nbounded\nok\n", 0);
}

/* ---- loops and time ---- */

static void who_computes_for_ever_does_not_stop_the_others(void **state)
{
    (void)state;
    struct trial trial;
    struct box_run other;
    struct vec command;
    struct runtime_usage usage;
    begin(&trial, "while true; do :; done");
    go(&trial);
    int64_t start = clock_monotonic_ms(), rounds = 0, worst = 0;
    while (clock_monotonic_ms() - start < 1500) {
        int64_t before = clock_monotonic_ms();
        loop_once(trial.world.loop, 2);
        int64_t took = clock_monotonic_ms() - before;
        worst = took > worst ? took : worst;
        rounds++;
    }
    assert_true(worst < 5000); /* a round ends; how soon is for benches */
    do {
        loop_once(trial.world.loop, 2);
        trial.world.runtime.ops->container_usage(trial.run.container, &usage);
    } while (usage.cpu != 1000 && clock_monotonic_ms() - start < 60000);
    assert_int_equal(usage.cpu, 1000);
    struct runtime_container_config config = world_config("echo others live", &command);
    world_start(&trial.world, &other, &config);
    world_wait(&other);
    vec_free(&command);
    trial.world.runtime.ops->container_free(other.container);
    end(&trial);
}

static void sleeping_goes_by_the_clusters_clock(void **state)
{
    (void)state;
    struct trial trial;
    struct error err;
    begin(&trial, "echo a; sleep 3600; echo b; sleep 1h; echo c; (sleep 30; echo d); sleep 60 & wait; echo e");
    go(&trial);
    world_until(&trial.world, has_line, &trial.run);
    int64_t wall = clock_monotonic_ms();
    assert_true(cluster_clock_step(trial.world.clock, 3 * 3600 * 1000, NULL, NULL, &err));
    world_wait(&trial.run);
    assert_true(clock_monotonic_ms() - wall < 20000);
    expect_output(&trial, "a\nb\nc\nd\ne\n");
    assert_in_range(trial.run.end.finished_ms - trial.run.end.started_ms, 7290000, 7295000);
    end(&trial);
}

/* ---- logs ---- */

static void long_lines_come_in_pieces_and_logs_are_bounded(void **state)
{
    (void)state;
    struct trial trial;
    struct runtime_log_line line;
    uint64_t cursor = 0;
    begin(&trial, "printf 'no end'");
    go(&trial);
    world_wait(&trial.run);
    assert_true(trial.world.runtime.ops->log_next(trial.run.container, &cursor, &line));
    assert_true(line.partial);
    end(&trial);
    begin(&trial, "head -c 40000 /dev/zero | tr '\\0' x; echo; i=0; while [ $i -lt 3 ]; do echo err $i >&2; i=$((i+1)); done");
    go(&trial);
    world_wait(&trial.run);
    size_t pieces = 0, bytes = 0, errors = 0;
    cursor = 0;
    while (trial.world.runtime.ops->log_next(trial.run.container, &cursor, &line)) {
        pieces += line.stream == RUNTIME_STDOUT;
        errors += line.stream == RUNTIME_STDERR;
        bytes += line.stream == RUNTIME_STDOUT ? line.length : 0;
    }
    assert_int_equal(bytes, 40000);
    assert_int_equal(pieces, 3);
    assert_int_equal(errors, 3);
    char *tail = trial.world.runtime.ops->container_log_tail(trial.run.container, 12);
    assert_string_equal(tail, "err 1\nerr 2\n");
    mem_free(tail);
    end(&trial);
    begin(&trial, "seq 1 300000");
    go(&trial);
    world_wait(&trial.run);
    cursor = 0;
    bytes = 0;
    char last[32] = "";
    while (trial.world.runtime.ops->log_next(trial.run.container, &cursor, &line)) {
        bytes += line.length;
        snprintf(last, sizeof last, "%.*s", (int)line.length, line.text);
    }
    assert_true(bytes <= RUNTIME_LOG);
    assert_string_equal(last, "300000");
    end(&trial);
}

struct following {
    int calls;
};

static void count_call(void *data)
{
    ((struct following *)data)->calls++;
}

static bool was_called(void *data)
{
    return ((struct following *)data)->calls > 0;
}

static void followers_are_called(void **state)
{
    (void)state;
    struct trial trial;
    struct following following = {0}, after = {0};
    begin(&trial, "echo a; sleep 0.05; echo b");
    go(&trial);
    struct runtime_log_follow *follow = trial.world.runtime.ops->log_follow(trial.run.container, count_call, &following);
    assert_non_null(follow);
    world_until(&trial.world, was_called, &following);
    world_wait(&trial.run);
    trial.world.runtime.ops->log_unfollow(follow);
    follow = trial.world.runtime.ops->log_follow(trial.run.container, count_call, &after);
    trial.world.runtime.ops->container_free(trial.run.container);
    trial.run.container = NULL;
    trial.world.runtime.ops->log_unfollow(follow); /* later than what it followed */
    vec_free(&trial.command);
    world_close(&trial.world);
}

/* ---- what people look at ---- */

static void proc_and_dev_show_what_there_is(void **state)
{
    (void)state;
    world_expect("sleep 50 & cat /proc/1/cmdline | tr '\\0' ' ' | cut -c1-6; cat /proc/$!/comm; ls /proc/self/fd | head -n 3 | tr '\\n' ' '; echo; readlink /proc/self/fd/0; readlink /proc/1/cwd; "
                 "echo to one > /proc/1/fd/1; echo std > /dev/stdout; ln -sf /dev/stdout access.log; echo logged >> access.log; head -c 3 /dev/zero | wc -c; [ -c /dev/null ] && echo char; "
                 "ps | grep -c sleep; grep -c MemTotal /proc/meminfo; ls -d /dev/shm /sys/fs/cgroup; cat /sys/fs/cgroup/memory.max",
                 "sh -c \nsleep\n0 1 2 \n/dev/null\n/work\nto one\nstd\nlogged\n3\nchar\n3\n1\n/dev/shm\n/sys/fs/cgroup\nmax\n", 0);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "python3 -c 'print(1)'; echo $?; vi x; echo $?");
    go(&trial);
    world_wait(&trial.run);
    char *errors = world_log(&trial.run, RUNTIME_STDERR);
    assert_non_null(strstr(errors, "sh: python3: not found\n"));
    assert_non_null(strstr(errors, "vi: "));
    mem_free(errors);
    expect_output(&trial, "127\n1\n");
    end(&trial);
}

static void zombies_are_seen_until_they_are_waited_for(void **state)
{
    (void)state;
    world_expect("sleep 0 & sleep 0.05; ps | grep -c '\\[sleep\\]'; wait; ps | grep -c '\\[sleep\\]'", "1\n0\n", 1);
}

static void a_shell_of_shells_stops_somewhere(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial, "f() { f; }; f; echo $?");
    go(&trial);
    world_wait(&trial.run);
    assert_int_equal(trial.run.end.code, 2);
    end(&trial);
    begin(&trial, "f() { f & f; }; f; sleep 0.2");
    go(&trial);
    world_wait(&trial.run);
    end(&trial);
    begin(&trial, "x=aaaaaaaa; while true; do x=$x$x; done");
    go(&trial);
    world_wait(&trial.run);
    assert_int_equal(trial.run.end.code, 2);
    end(&trial);
}

static void ending_a_container_at_any_time_leaves_nothing(void **state)
{
    (void)state;
    static const char *const scripts[] = {"read x", "cat | cat | cat", "echo $(sleep 100)", "while true; do (echo a; echo b) | sort | uniq -c > f; done", "yes", "find / | xargs -n 1 echo", "tar cf - / | tar tf - | sed s/a/b/g",
        "for i in $(seq 100000); do x=$i; done", "trap 'echo no' TERM; wait", "cat <<EOF | while read l; do sleep 1; done\na\nb\nEOF"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        for (int rounds = 0; rounds < 12; rounds += 3) {
            struct trial trial;
            begin(&trial, scripts[i]);
            go(&trial);
            for (int round = 0; round < rounds; round++)
                loop_once(trial.world.loop, 0);
            end(&trial);
        }
}

static void a_container_of_which_no_one_knows_the_memory_fails(void **state)
{
    (void)state;
    for (int n = 1; n < 400; n++) {
        struct trial trial;
        struct error err = ERROR_INIT;
        begin(&trial, "x=$(echo a | cat); echo $x > f; for i in 1 2; do ls $f | sort; done");
        trial.run = (struct box_run){.world = &trial.world};
        mem_fail_at(n);
        trial.run.container = trial.world.runtime.ops->container(trial.world.sandbox, &trial.config, NULL, NULL, NULL, &err);
        mem_fail_at(0);
        if (!trial.run.container)
            assert_int_equal(err.kind, ERROR_MEMORY);
        bool made = trial.run.container != NULL;
        end(&trial);
        if (made)
            break;
        assert_true(n < 399);
    }
}

static void programs_live_through_failing_allocations(void **state)
{
    (void)state;
    static const char script[] = "set -- a 'b c'; f() { local x=$1; echo ${x%b*} \"$@\" `echo sub`; }; f 1 2 | cat > f; for i in *; do case $i in f) echo $((1+2));; esac; done; cat <<EOF\n$HOME\nEOF\n"
                                 "ls -la | sed -n 's/a/b/p' | grep -c b | sort | cut -c1; (exit 3) & wait; find . | xargs echo; tar cf - f | tar tf -; cp f g; mv g h; rm h; ps; env; id; date > /dev/null";
    for (int n = 1; n < 2600; n += 1 + n / 90) {
        struct trial trial;
        begin(&trial, script);
        go(&trial);
        mem_fail_at(n);
        for (int round = 0; round < 400 && !trial.run.ended; round++)
            loop_once(trial.world.loop, 1);
        mem_fail_at(0);
        world_wait(&trial.run);
        end(&trial);
    }
}

int test_containers(void);
int test_containers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_started_is_told_in_runcs_words),
        cmocka_unit_test(a_container_has_its_environment),
        cmocka_unit_test(arguments_come_after_the_command),
        cmocka_unit_test(another_user_may_less),
        cmocka_unit_test(a_read_only_root_takes_no_files),
        cmocka_unit_test(containers_of_an_image_do_not_see_each_others_changes),
        cmocka_unit_test(codes_and_times_are_told),
        cmocka_unit_test(process_1_ignores_what_it_does_not_handle),
        cmocka_unit_test(a_trap_ends_it_gracefully),
        cmocka_unit_test(a_trap_waits_for_the_foreground),
        cmocka_unit_test(all_end_with_process_1),
        cmocka_unit_test(the_termination_message_is_what_was_written),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(memory_within_the_limit_is_used),
        cmocka_unit_test(files_are_bounded),
        cmocka_unit_test(who_computes_for_ever_does_not_stop_the_others),
        cmocka_unit_test(sleeping_goes_by_the_clusters_clock),
        cmocka_unit_test(long_lines_come_in_pieces_and_logs_are_bounded),
        cmocka_unit_test(followers_are_called),
        cmocka_unit_test(proc_and_dev_show_what_there_is),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(zombies_are_seen_until_they_are_waited_for),
        cmocka_unit_test(a_shell_of_shells_stops_somewhere),
        cmocka_unit_test(ending_a_container_at_any_time_leaves_nothing),
        cmocka_unit_test(a_container_of_which_no_one_knows_the_memory_fails),
        cmocka_unit_test(programs_live_through_failing_allocations),
    };
    return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
