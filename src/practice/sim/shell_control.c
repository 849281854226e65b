/* shell_control: builtins that steer: break, exit, eval, trap, wait and their like. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

/* ---- signals' names ---- */

static const struct {
    const char *name;
    int number;
} signals[] = {{"EXIT", 0}, {"HUP", 1}, {"INT", 2}, {"QUIT", 3}, {"ILL", 4}, {"TRAP", 5}, {"ABRT", 6}, {"BUS", 7}, {"FPE", 8}, {"KILL", 9}, {"USR1", 10}, {"SEGV", 11}, {"USR2", 12}, {"PIPE", 13},
    {"ALRM", 14}, {"TERM", 15}, {"STKFLT", 16}, {"CHLD", 17}, {"CONT", 18}, {"STOP", 19}, {"TSTP", 20}, {"TTIN", 21}, {"TTOU", 22}, {"URG", 23}, {"XCPU", 24}, {"XFSZ", 25}, {"VTALRM", 26},
    {"PROF", 27}, {"WINCH", 28}, {"POLL", 29}, {"PWR", 30}, {"SYS", 31}};

int shell_signal_number(const char *name)
{
    int64_t number;
    if (applet_number(name, &number))
        return number >= 0 && number < SHELL_SIGNALS ? (int)number : -1;
    if (strncasecmp(name, "SIG", 3) == 0)
        name += 3;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcasecmp(signals[i].name, name) == 0)
            return signals[i].number;
    return -1;
}

const char *shell_signal_name(int signal)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == signal)
            return signals[i].name;
    return NULL;
}

/* ---- leaving ---- */

static bool number_argument(struct shell *shell, int argc, char **argv, int *out)
{
    int64_t number;
    if (argc < 2)
        return true;
    if (!applet_number(argv[1], &number) || number < 0) {
        shell_fail(shell, 2, "Illegal number: %s", argv[1]);
        return false;
    }
    *out = (int)(number & 0x7FFFFFFF);
    return true;
}

static int builtin_break(struct shell *shell, int argc, char **argv)
{
    int count = 1;
    if (!number_argument(shell, argc, argv, &count))
        return 2;
    if (count == 0)
        return shell_fail(shell, 2, "Illegal number: %s", argv[1]);
    if (shell->loop_depth > 0)
        shell_leave(shell, argv[0][0] == 'b' ? LEAVE_BREAK : LEAVE_CONTINUE, count < shell->loop_depth ? count : shell->loop_depth);
    return 0;
}

static int builtin_return(struct shell *shell, int argc, char **argv)
{
    int status = shell->status;
    if (!number_argument(shell, argc, argv, &status))
        return 2;
    shell->status = status & 0xFF;
    shell_leave(shell, LEAVE_RETURN, 0);
    return status & 0xFF;
}

static int builtin_exit(struct shell *shell, int argc, char **argv)
{
    int status = shell->status;
    if (!number_argument(shell, argc, argv, &status))
        return 2;
    shell->status = status & 0xFF;
    shell_leave(shell, LEAVE_SHELL, 0);
    return status & 0xFF;
}

/* ---- running other text ---- */

static int builtin_eval(struct shell *shell, int argc, char **argv)
{
    struct buf text = buf_make(SHELL_SOURCE);
    for (int i = 1; i < argc; i++)
        buf_printf(&text, "%s%s", i > 1 ? " " : "", argv[i]);
    if (text.length == 0)
        return 0;
    shell->status = 0;
    int status = buf_ok(&text) ? shell_run_text(shell, text.bytes, 0) : shell_fail(shell, 2, "out of memory");
    buf_free(&text);
    return status;
}

static int builtin_source(struct shell *shell, int argc, char **argv)
{
    char path[FS_PATH], *text;
    size_t length;
    if (argc < 2)
        return shell_fail(shell, 2, "filename argument required");
    int got = fs_read_file(&shell->task->who, argv[1], SHELL_SOURCE, &text, &length);
    if (got == -ENOENT && !strchr(argv[1], '/') && task_find(shell->task, argv[1], NULL, path) == 0)
        got = fs_read_file(&shell->task->who, path, SHELL_SOURCE, &text, &length);
    if (got != 0)
        return shell_fail(shell, 2, "can't open '%s': %s", argv[1], applet_errno(got));
    struct vec outer = shell->positional;
    bool own = argc > 2, ok = true;
    if (own) {
        shell->positional = vec_make(SHELL_WORDS, mem_free);
        for (int i = 2; ok && i < argc; i++)
            ok = vec_push_string(&shell->positional, argv[i]);
    }
    shell->status = 0;
    int status = ok ? shell_run_text(shell, text, 0) : shell_fail(shell, 2, "out of memory");
    if (own) {
        vec_free(&shell->positional);
        shell->positional = outer;
    }
    if (shell->leave == LEAVE_RETURN)
        shell->leave = LEAVE_NOT;
    mem_free(text);
    return status;
}

static int builtin_exec(struct shell *shell, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        argv++, argc--;
    return argc < 2 ? 0 : shell_exec_words(shell, argv + 1);
}

static int describe(struct shell *shell, const char *word, bool words)
{
    char path[FS_PATH];
    const char *alias = map_get(&shell->aliases, word);
    static const char *const keywords[] = {"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "{", "}", "!", "in"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i], word) == 0) {
            applet_print(shell->task, words ? "%s is a shell keyword\n" : "%s\n", word);
            return 0;
        }
    if (alias) {
        applet_print(shell->task, words ? "%s is an alias for %s\n" : "alias %s='%s'\n", word, alias);
    } else if (map_has(&shell->functions, word)) {
        applet_print(shell->task, words ? "%s is a function\n" : "%s\n", word);
    } else if (shell_builtin(word)) {
        applet_print(shell->task, words ? shell_builtin(word)->special ? "%s is a special shell builtin\n" : "%s is a shell builtin\n" : "%s\n", word);
    } else if (task_find(shell->task, word, NULL, path) == 0) {
        applet_print(shell->task, words ? "%s is %s\n" : "%.0s%s\n", word, path);
    } else {
        if (words)
            applet_print(shell->task, "%s: not found\n", word);
        return 127;
    }
    return 0;
}

static int builtin_command(struct shell *shell, int argc, char **argv)
{
    char mode = 0;
    int first = 1;
    for (; first < argc && argv[first][0] == '-' && argv[first][1]; first++) {
        if (strcmp(argv[first], "--") == 0) {
            first++;
            break;
        }
        if (strspn(argv[first] + 1, "vVp") != strlen(argv[first] + 1))
            return shell_fail(shell, 2, "illegal option %s", argv[first]);
        if (argv[first][1] != 'p')
            mode = argv[first][1];
    }
    if (first >= argc)
        return 0;
    if (!mode)
        return shell_run_words(shell, argc - first, argv + first, 0, false);
    return describe(shell, argv[first], mode == 'V');
}

static int builtin_type(struct shell *shell, int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++) {
        int got = describe(shell, argv[i], true);
        status = got != 0 ? got : status;
    }
    return status;
}

static int builtin_times(struct shell *shell, int argc, char **argv)
{
    (void)argc, (void)argv;
    applet_print(shell->task, "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n");
    return 0;
}

/* ---- traps ---- */

static void print_traps(struct shell *shell)
{
    for (int i = 0; i < SHELL_SIGNALS; i++) {
        const char *name = shell_signal_name(i);
        if (!shell->traps[i] || !name)
            continue;
        char *text = shell_quoted(shell->traps[i], true);
        applet_print(shell->task, "trap -- %s %s\n", text ? text : "", name);
        mem_free(text);
    }
}

static int builtin_trap(struct shell *shell, int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1, status = 0;
    if (first >= argc || strcmp(argv[first], "-p") == 0 || strcmp(argv[first], "-l") == 0) {
        print_traps(shell);
        return 0;
    }
    const char *action = argv[first++];
    bool reset = strcmp(action, "-") == 0;
    if (first == argc) { /* trap INT: back to the default */
        first--;
        reset = true;
    }
    for (int i = first; i < argc; i++) {
        int signal = shell_signal_number(argv[i]);
        if (signal < 0 || signal >= SHELL_SIGNALS - 1) {
            shell_say(shell, "%s: invalid signal specification", argv[i]);
            status = 1;
            continue;
        }
        mem_free(shell->traps[signal]);
        shell->traps[signal] = reset ? NULL : mem_string(action);
        if (signal == 0)
            continue;
        bool keeps = signal == SIGINT && shell->option['i'];
        task_ignore(shell->task, signal, !reset && !*action);
        task_catch(shell->task, signal, (!reset && *action) || keeps);
    }
    return status;
}

/* ---- jobs ---- */

static struct job *find_job(struct shell *shell, const char *word)
{
    int64_t number;
    bool by_number = *word == '%';
    if (by_number && (!word[1] || word[1] == '%' || word[1] == '+'))
        return shell->jobs;
    if (!applet_number(word + by_number, &number))
        return NULL;
    for (struct job *job = shell->jobs; job; job = job->next)
        if ((by_number ? job->number : job->pid) == number)
            return job;
    return NULL;
}

static void forget_job(struct shell *shell, struct job *job)
{
    for (struct job **at = &shell->jobs; *at; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            mem_free(job->text);
            mem_free(job);
            return;
        }
}

static void note_ended(struct shell *shell, const struct task_status *status)
{
    for (struct job *job = shell->jobs; job; job = job->next)
        if (job->pid == status->pid) {
            job->ended = true;
            job->status = status->signal ? 128 + status->signal : status->code;
            shell_tell_death(shell, status->signal);
        }
}

/* True: it has ended. A trap's signal ends the wait: *signal. */
static bool wait_job(struct shell *shell, struct job *job, int *signal)
{
    struct task_status status;
    while (!job->ended) {
        int got = task_wait(shell->task, job->pid, true, &status);
        if (got > 0) {
            note_ended(shell, &status);
        } else if (got == -ECHILD) {
            job->ended = true;
            job->status = 127;
        } else {
            int caught = task_caught(shell->task);
            shell->caught |= caught ? 1ull << caught : 0;
            if (caught && (shell->traps[caught] || task_dying(shell->task))) {
                *signal = caught;
                return false;
            }
            if (task_dying(shell->task))
                return false;
        }
    }
    return true;
}

static int builtin_wait(struct shell *shell, int argc, char **argv)
{
    int status = 0, signal = 0;
    for (int i = 1; i < argc; i++) {
        struct job *job = find_job(shell, argv[i]);
        if (!job) {
            if (*argv[i] == '%')
                shell_say(shell, "%s: no such job", argv[i]);
            status = 127;
            continue;
        }
        if (!wait_job(shell, job, &signal))
            return 128 + signal;
        status = job->status;
        forget_job(shell, job);
    }
    if (argc > 1)
        return status;
    while (shell->jobs) {
        struct job *job = shell->jobs;
        if (!wait_job(shell, job, &signal))
            return 128 + signal;
        forget_job(shell, job);
    }
    return 0;
}

static int builtin_jobs(struct shell *shell, int argc, char **argv)
{
    (void)argc, (void)argv;
    struct task_status status;
    while (task_wait(shell->task, -1, false, &status) > 0)
        note_ended(shell, &status);
    int last = shell->jobs ? shell->jobs->number : 0;
    for (int number = 1; number <= last; number++)
        for (struct job *job = shell->jobs, *next; job; job = next) {
            next = job->next;
            if (job->number != number)
                continue;
            char mark = job == shell->jobs ? '+' : job == shell->jobs->next ? '-' : ' ';
            if (job->ended && job->status != 0)
                applet_print(shell->task, "[%d]%c  Done(%d)\n", job->number, mark, job->status);
            else
                applet_print(shell->task, "[%d]%c  %s\n", job->number, mark, job->ended ? "Done" : "Running");
            if (job->ended)
                forget_job(shell, job);
        }
    return 0;
}

static int builtin_fg(struct shell *shell, int argc, char **argv)
{
    struct job *job = find_job(shell, argc > 1 ? argv[1] : "%%");
    int signal = 0;
    if (!job)
        return shell_fail(shell, 2, "%s: no such job", argc > 1 ? argv[1] : "current");
    shell_foreground(shell, job->pid);
    bool ended = wait_job(shell, job, &signal);
    shell_foreground(shell, shell->task->group);
    int status = ended ? job->status : 128 + signal;
    if (ended)
        forget_job(shell, job);
    return status;
}

static int kill_words(struct shell *shell, int argc, char **argv)
{
    /* %1 is a job's group */
    char numbers[8][16];
    int used = 0;
    for (int i = 1; i < argc; i++) {
        struct job *job = *argv[i] == '%' ? find_job(shell, argv[i]) : NULL;
        if (*argv[i] != '%')
            continue;
        if (!job || used == 8) {
            shell_say(shell, "%s: no such job", argv[i]);
            return 1;
        }
        snprintf(numbers[used], sizeof numbers[used], "%d", job->pid);
        mem_free(argv[i]);
        argv[i] = mem_string(numbers[used++]);
        if (!argv[i])
            return shell_fail(shell, 2, "out of memory");
    }
    return shell_kill(shell->task, argc, argv);
}

int shell_kill(struct task *task, int argc, char **argv)
{
    int signal = SIGTERM, i = 1, status = 0;
    if (argc > 1 && strcmp(argv[1], "-l") == 0) {
        if (argc > 2) {
            int number = shell_signal_number(argv[2]);
            const char *name = shell_signal_name(number > 128 ? number - 128 : number);
            if (applet_number(argv[2], &(int64_t){0}))
                applet_print(task, "%s\n", name ? name : argv[2]);
            else
                applet_print(task, "%d\n", number);
            return 0;
        }
        for (size_t at = 1; at < sizeof signals / sizeof *signals; at++)
            applet_print(task, "%2d) %s\n", signals[at].number, signals[at].name);
        return 0;
    }
    if (argc > 1 && argv[1][0] == '-' && argv[1][1] && strcmp(argv[1], "--") != 0) {
        const char *name = argv[1] + 1;
        i = 2;
        if (strcmp(argv[1], "-s") == 0 && argc > 2)
            name = argv[i++];
        signal = shell_signal_number(name);
        if (signal < 0)
            return applet_say(task, "bad signal name '%s'", name);
    }
    if (i < argc && strcmp(argv[i], "--") == 0)
        i++;
    if (i >= argc)
        return applet_say(task, "you need to specify whom to kill");
    for (; i < argc; i++) {
        int64_t pid;
        if (!applet_number(argv[i], &pid)) {
            status = applet_say(task, "invalid number '%s'", argv[i]);
            continue;
        }
        int got = task_kill(task, (int)pid, signal);
        if (got != 0)
            status = applet_say(task, "can't kill pid %d: %s", (int)pid, applet_errno(got));
    }
    return status;
}

static int do_nothing(struct shell *shell, int argc, char **argv)
{
    (void)shell, (void)argc;
    return strcmp(argv[0], "false") == 0;
}

static const struct shell_builtin builtins[] = {
    {":", do_nothing, true, NULL},           {"true", do_nothing, false, NULL},        {"false", do_nothing, false, NULL},   {"break", builtin_break, true, NULL},
    {"continue", builtin_break, true, NULL}, {"return", builtin_return, true, NULL},   {"exit", builtin_exit, true, NULL},   {"eval", builtin_eval, true, NULL},
    {".", builtin_source, true, NULL},       {"source", builtin_source, true, NULL},   {"exec", builtin_exec, true, NULL},   {"command", builtin_command, false, NULL},
    {"builtin", builtin_command, false, NULL}, {"type", builtin_type, false, NULL},    {"times", builtin_times, true, NULL}, {"trap", builtin_trap, true, NULL},
    {"wait", builtin_wait, false, NULL},     {"jobs", builtin_jobs, false, NULL},      {"fg", builtin_fg, false, NULL},      {"bg", builtin_jobs, false, NULL},
    {"kill", kill_words, false, NULL},
};
const struct shell_builtin_table shell_builtins_control = {builtins, sizeof builtins / sizeof *builtins};
