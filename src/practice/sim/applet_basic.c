/* applet_basic: programs that neither files nor texts are the subject of. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/box.h"
#include "practice/sim/programs.h"
#include "practice/sim/shell.h"

static int true_main(struct task *task, int argc, char **argv)
{
    (void)task, (void)argc, (void)argv;
    return 0;
}

static int false_main(struct task *task, int argc, char **argv)
{
    (void)task, (void)argc, (void)argv;
    return 1;
}

/* Runs a command in this program's place; the status where it cannot be. */
static int run_in_place(struct task *task, char **argv, char **env)
{
    char path[FS_PATH];
    int error = task_find(task, argv[0], env, path);
    if (error == 0)
        error = task_exec(task, path, argv, env);
    if (error == 0)
        return 0;
    applet_say(task, "can't execute '%s': %s", argv[0], applet_errno(error));
    return error == -ENOENT ? 127 : 126;
}

/* ---- environment ---- */

static int env_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct vec env = vec_make(65536, mem_free);
    bool ok = true, clear = false;
    for (int letter; (letter = applet_option(task, argc, argv, "+iu:0", &options)) != -1;) {
        if (letter == '?') {
            vec_free(&env);
            return 1;
        }
        if (letter == 'i')
            clear = true;
        if (letter == 'u')
            ok = vec_push_string(&env, options.value) && ok; /* without '=': taken away below */
    }
    size_t unset = env.length;
    for (char **at = clear ? NULL : task->env; ok && at && *at; at++) {
        bool skip = false;
        for (size_t i = 0; i < unset; i++)
            skip = skip || (strncmp(*at, env.items[i], strlen(env.items[i])) == 0 && (*at)[strlen(env.items[i])] == '=');
        ok = skip || vec_push_string(&env, *at);
    }
    int i = options.index;
    if (i < argc && strcmp(argv[i], "-") == 0)
        i++;
    for (; ok && i < argc && strchr(argv[i], '='); i++) {
        size_t length = strcspn(argv[i], "=") + 1;
        for (size_t j = env.length; j-- > unset;)
            if (strncmp(env.items[j], argv[i], length) == 0)
                vec_remove(&env, j);
        ok = vec_push_string(&env, argv[i]);
    }
    while (unset-- > 0)
        vec_remove(&env, 0);
    int status = 0;
    if (!ok || !vec_push(&env, NULL))
        status = applet_say(task, "out of memory");
    else if (i < argc)
        status = run_in_place(task, argv + i, (char **)env.items);
    else
        for (size_t j = 0; j + 1 < env.length; j++)
            applet_print(task, "%s\n", (const char *)env.items[j]);
    vec_free(&env);
    return status;
}

static int printenv_main(struct task *task, int argc, char **argv)
{
    int status = 0;
    if (argc < 2)
        for (char **at = task->env; *at; at++)
            applet_print(task, "%s\n", *at);
    for (int i = 1; i < argc; i++) {
        const char *value = task_env(task, argv[i]);
        if (value)
            applet_print(task, "%s\n", value);
        else
            status = 1;
    }
    return status;
}

/* ---- time ---- */

/* sleep needs no stack: a container that only sleeps costs next to nothing. */
struct sleeping {
    struct task *task;
    struct cluster_timer *timer;
};

static void sleep_over(void *data)
{
    struct sleeping *sleeping = data;
    task_end(sleeping->task, 0);
}

static void sleep_start(struct task *task, int argc, char **argv)
{
    int64_t total = 0, ms;
    if (argc < 2) {
        applet_tell(task, "sleep: missing operand\n");
        task_end(task, 1);
        return;
    }
    for (int i = 1; i < argc; i++) {
        if (!applet_duration(argv[i], &ms)) {
            char line[200];
            snprintf(line, sizeof line, "sleep: invalid number '%.150s'\n", argv[i]);
            applet_tell(task, line);
            task_end(task, 1);
            return;
        }
        total = ms < 0 || total < 0 ? -1 : total + ms;
    }
    struct sleeping *sleeping = mem_zero(1, sizeof *sleeping);
    task->self = sleeping;
    if (sleeping) {
        sleeping->task = task;
        sleeping->timer = cluster_timer_new(kernel_clock(task->kernel), sleep_over, sleeping);
    }
    if (!sleeping || !sleeping->timer)
        task_end(task, 1);
    else if (total >= 0)
        cluster_timer_set_after(sleeping->timer, total);
}

static void sleep_stop(struct task *task)
{
    struct sleeping *sleeping = task->self;
    cluster_timer_free(sleeping->timer);
    mem_free(sleeping);
}

static const struct daemon_ops sleep_ops = {.start = sleep_start, .stop = sleep_stop};

/* What a sandbox's first process is, and images that do nothing. */
static void pause_start(struct task *task, int argc, char **argv)
{
    (void)task, (void)argc, (void)argv;
}

static bool pause_signal(struct task *task, int signal)
{
    if (signal == SIGTERM || signal == SIGINT)
        task_end(task, 0);
    return true;
}
static const struct daemon_ops pause_ops = {.start = pause_start, .signal = pause_signal};

static int timeout_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    int signal = SIGTERM;
    int64_t ms = 0, kill_ms = -1;
    for (int letter; (letter = applet_option(task, argc, argv, "+s:k:t:", &options)) != -1;) {
        bool ok = letter != '?';
        if (letter == 's')
            ok = (signal = shell_signal_number(options.value)) >= 0;
        else if (letter == 'k')
            ok = applet_duration(options.value, &kill_ms);
        if (!ok)
            return letter == '?' ? 1 : applet_say(task, "invalid argument '%s'", options.value);
    }
    if (argc - options.index < 2)
        return applet_say(task, "usage: timeout [-s SIG] SECS PROG ARGS");
    if (!applet_duration(argv[options.index], &ms))
        return applet_say(task, "invalid number '%s'", argv[options.index]);
    char path[FS_PATH];
    char **words = argv + options.index + 1;
    int error = task_find(task, words[0], NULL, path);
    struct task *child = error == 0 ? task_spawn(task, &(struct spawn){.path = path, .argv = words}, &error) : NULL;
    if (!child) {
        applet_say(task, "can't execute '%s': %s", words[0], applet_errno(error));
        return error == -ENOENT ? 127 : 126;
    }
    int64_t deadline = ms > 0 ? kernel_now(task->kernel) + ms : -1;
    int pid = child->pid, got, told = 0;
    struct task_status status;
    while ((got = task_wait(task, pid, false, &status)) == 0) {
        got = task_block(task, &task->children, deadline);
        if (got == -EINTR)
            return 1;
        if (got == -ETIMEDOUT && deadline >= 0) {
            task_kill(task, pid, told == 0 ? signal : SIGKILL);
            deadline = told++ == 0 && kill_ms >= 0 ? kernel_now(task->kernel) + kill_ms : -1;
        }
    }
    if (told > 0 && status.signal) /* busybox becomes the program itself, and is what the signal kills */
        task_signal(task, status.signal, false);
    return status.signal ? 128 + status.signal : status.code;
}

static int time_main(struct task *task, int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[1], "-p") == 0 ? 2 : 1, error = -ENOENT;
    char path[FS_PATH];
    if (first >= argc)
        return applet_say(task, "usage: time PROG ARGS");
    int64_t start = kernel_now(task->kernel);
    error = task_find(task, argv[first], NULL, path);
    struct task *child = error == 0 ? task_spawn(task, &(struct spawn){.path = path, .argv = argv + first}, &error) : NULL;
    struct task_status status = {.code = 127};
    if (!child)
        applet_say(task, "can't execute '%s': %s", argv[first], applet_errno(error));
    else if (task_wait(task, child->pid, true, &status) < 0)
        return 1;
    int64_t ms = kernel_now(task->kernel) - start;
    char line[128];
    int length = snprintf(line, sizeof line, "real\t%lldm %lld.%02llds\nuser\t0m 0.00s\nsys\t0m 0.00s\n", (long long)ms / 60000, (long long)ms / 1000 % 60, (long long)ms / 10 % 100);
    task_write(task, 2, line, (size_t)length);
    return status.signal ? 128 + status.signal : status.code;
}

static int in_place_main(struct task *task, int argc, char **argv)
{
    int first = 1;
    if (strcmp(applet_base_name(argv[0]), "nohup") == 0)
        task_ignore(task, SIGHUP, true);
    if (strcmp(applet_base_name(argv[0]), "nice") == 0 && argc > 2 && strcmp(argv[1], "-n") == 0)
        first = 3;
    return first < argc ? run_in_place(task, argv + first, NULL) : applet_say(task, "usage: %s PROG ARGS", argv[0]);
}

/* ---- small texts ---- */

static int yes_main(struct task *task, int argc, char **argv)
{
    do {
        for (int i = 1; i < argc; i++)
            if (!applet_print(task, "%s%s", argv[i], i + 1 < argc ? " " : "\n"))
                return 1;
    } while (argc > 1 ? true : applet_write(task, "y\n", 2));
    return 1;
}

static int seq_main(struct task *task, int argc, char **argv)
{
    const char *separator = "\n";
    bool pad = false;
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && (argv[i][1] == 's' || argv[i][1] == 'w'); i++) {
        if (argv[i][1] == 'w')
            pad = true;
        else
            separator = argv[i][2] ? argv[i] + 2 : i + 1 < argc ? argv[++i] : "";
    }
    double values[3] = {1, 1, 1};
    int count = argc - i;
    if (count < 1 || count > 3)
        return applet_say(task, "usage: seq [-w] [-s SEP] [FIRST [INC]] LAST");
    int places = 0, width = 0;
    for (int j = 0; j < count; j++) {
        char *end;
        values[j] = strtod(argv[i + j], &end);
        if (*end || end == argv[i + j])
            return applet_say(task, "invalid number '%s'", argv[i + j]);
        const char *dot = strchr(argv[i + j], '.');
        int here = dot ? (int)strlen(dot + 1) : 0;
        places = here > places && here < 20 ? here : places;
        width = (int)strlen(argv[i + j]) > width ? (int)strlen(argv[i + j]) : width;
    }
    double first = count > 1 ? values[0] : 1, step = count > 2 ? values[1] : 1, last = values[count - 1];
    bool any = false;
    for (long long n = 0; step >= 0 ? first + (double)n * step <= last + 1e-9 : first + (double)n * step >= last - 1e-9; n++) {
        if (any && !applet_print(task, "%s", separator))
            return 1;
        any = true;
        if (!applet_print(task, pad ? "%0*.*f" : "%*.*f", pad && width < 64 ? width : 0, places, first + (double)n * step))
            return 1;
    }
    if (any)
        applet_print(task, "\n");
    return 0;
}

static int basename_main(struct task *task, int argc, char **argv)
{
    if (argc < 2)
        return applet_say(task, "usage: basename FILE [SUFFIX]");
    char *text = argv[1];
    size_t length = strlen(text);
    while (length > 1 && text[length - 1] == '/')
        text[--length] = '\0';
    const char *base = length == 1 && *text == '/' ? text : applet_base_name(text);
    size_t all = strlen(base), cut = argc > 2 ? strlen(argv[2]) : 0;
    if (cut > 0 && cut < all && strcmp(base + all - cut, argv[2]) == 0)
        all -= cut;
    applet_print(task, "%.*s\n", (int)all, base);
    return 0;
}

static int dirname_main(struct task *task, int argc, char **argv)
{
    if (argc < 2)
        return applet_say(task, "usage: dirname FILENAME");
    char *text = argv[1];
    size_t length = strlen(text);
    while (length > 1 && text[length - 1] == '/')
        length--;
    while (length > 0 && text[length - 1] != '/')
        length--;
    while (length > 1 && text[length - 1] == '/')
        length--;
    if (length == 0)
        applet_print(task, ".\n");
    else
        applet_print(task, "%.*s\n", (int)length, text);
    return 0;
}

static int which_main(struct task *task, int argc, char **argv)
{
    int status = argc < 2;
    for (int i = 1; i < argc; i++) {
        char path[FS_PATH];
        if (argv[i][0] == '-')
            continue;
        if (task_find(task, argv[i], NULL, path) == 0)
            applet_print(task, "%s\n", path);
        else
            status = 1;
    }
    return status;
}

static int clear_main(struct task *task, int argc, char **argv)
{
    (void)argc, (void)argv;
    applet_print(task, "\033[H\033[J");
    return 0;
}

/* What is well known and not here: it is said, not missed. */
static int no_editor_main(struct task *task, int argc, char **argv)
{
    (void)argc, (void)argv;
    return applet_say(task, "there is no editor in the practice cluster; write files with cat > FILE or echo, or change them with sed -i");
}

/* ---- memory and processor ---- */

/* stress --vm N --vm-bytes B: the demonstration of Kubernetes' own pages. */
static int stress_worker(struct task *task, void *data)
{
    const int64_t *bytes = data;
    if (*bytes > 0) {
        if (!task_memory(task, *bytes))
            return 1;
        task_sleep(task, 1000LL * 86400 * 3650);
        return 0;
    }
    while (task_step(task, 100))
        continue;
    return 1;
}

static int stress_main(struct task *task, int argc, char **argv)
{
    int64_t vm = 0, bytes = 256 << 20, cpu = 0, timeout = -1, io = 0;
    static const struct applet_long longs[] = {{"cpu", true, 'c'}, {"vm", true, 'm'}, {"vm-bytes", true, 'B'}, {"vm-hang", true, 'H'}, {"vm-keep", false, 'K'}, {"io", true, 'i'}, {"timeout", true, 't'},
        {"verbose", false, 'v'}, {"quiet", false, 'q'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    for (int letter; (letter = applet_option(task, argc, argv, "c:m:t:i:vq", &options)) != -1;) {
        bool ok = letter != '?';
        if (letter == 'B')
            ok = applet_size(options.value, &bytes);
        else if (letter == 't')
            ok = applet_duration(options.value, &timeout);
        else if (letter == 'c' || letter == 'm' || letter == 'i')
            ok = applet_number(options.value, letter == 'c' ? &cpu : letter == 'm' ? &vm : &io);
        if (!ok)
            return 1;
    }
    applet_print(task, "stress: info: [%d] dispatching hogs: %lld cpu, %lld io, %lld vm, 0 hdd\n", task->pid, (long long)cpu, (long long)io, (long long)vm);
    applet_flush(task);
    int64_t none = 0;
    int children = 0, error;
    for (int64_t i = 0; i < vm + cpu && i < 64; i++)
        children += task_spawn(task, &(struct spawn){.main = stress_worker, .data = i < vm ? &bytes : &none}, &error) != NULL;
    struct task_status status;
    int64_t deadline = timeout >= 0 ? kernel_now(task->kernel) + timeout : -1;
    int failed = 0, got = 0;
    while (children > 0) {
        got = task_wait(task, -1, false, &status);
        if (got > 0) {
            children--;
            if (status.signal || status.code)
                failed = applet_say(task, "FAIL: [%d] (416) <-- worker %d got signal %d", task->pid, status.pid, status.signal);
            continue;
        }
        if (failed || (got = task_block(task, &task->children, deadline)) != 0)
            break;
    }
    while (children > 0 && got != -EINTR) { /* its own are ended with it */
        struct task *child = NULL;
        for (struct task *each = task->box->pids->first; each; each = each->next)
            child = each->parent == task && each->state != TASK_ZOMBIE ? each : child;
        if (!child)
            break;
        task_signal(child, SIGKILL, false);
        got = task_wait(task, child->pid, true, &status);
        children--;
    }
    if (!failed && !task_dying(task))
        applet_print(task, "stress: info: [%d] successful run completed in %llds\n", task->pid, (long long)(timeout > 0 ? timeout / 1000 : 0));
    return failed;
}

static const struct program programs[] = {
    {.name = "true", .main = true_main}, {.name = "false", .main = false_main}, {.name = "echo", .main = shell_echo}, {.name = "printf", .main = shell_printf}, {.name = "test", .main = shell_test},
    {.name = "[", .main = shell_test}, {.name = "env", .main = env_main}, {.name = "printenv", .main = printenv_main}, {.name = "sleep", .daemon = &sleep_ops, .memory = 300 << 10},
    {.name = "pause", .daemon = &pause_ops, .memory = 200 << 10}, {.name = "timeout", .main = timeout_main}, {.name = "time", .main = time_main}, {.name = "nohup", .main = in_place_main},
    {.name = "nice", .main = in_place_main}, {.name = "setsid", .main = in_place_main}, {.name = "yes", .main = yes_main}, {.name = "seq", .main = seq_main}, {.name = "basename", .main = basename_main},
    {.name = "dirname", .main = dirname_main}, {.name = "which", .main = which_main}, {.name = "clear", .main = clear_main}, {.name = "vi", .main = no_editor_main},
    {.name = "stress", .main = stress_main, .memory = 500 << 10},
};
const struct program_table programs_basic = {programs, sizeof programs / sizeof *programs};
