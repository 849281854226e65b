/* shell_main: sh as a program: its arguments, where its text comes from, prompts; and busybox, which is every program by the name it is called with. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/programs.h"
#include "practice/sim/shell.h"
#include "practice/sim/tty.h"

struct input {
    struct shell *shell;
    struct shell_history history;
    bool terminal, ended;
};

/* The next line of descriptor 0: a byte at a time, since what follows belongs to the commands. ash takes what is there. */
static bool read_plain(struct shell *shell, struct buf *text)
{
    char bytes[1023];
    ssize_t got;
    size_t before = text->length, most = shell->flavour == SHELL_ASH ? sizeof bytes : 1;
    while ((got = task_read(shell->task, 0, bytes, most)) != 0) {
        if (got == -EINTR && !task_dying(shell->task)) {
            shell_run_traps(shell);
            if (shell->leave != LEAVE_NOT)
                return false;
            continue;
        }
        if (got < 0)
            return false;
        buf_append(text, bytes, (size_t)got);
        if (bytes[got - 1] == '\n' || most > 1 || !buf_ok(text))
            break;
    }
    return text->length > before && buf_ok(text);
}

static bool more_input(void *data, struct buf *text, bool continued)
{
    struct input *input = data;
    struct shell *shell = input->shell;
    if (input->ended)
        return false;
    bool interrupted = false, got;
    applet_flush(shell->task);
    if (!input->terminal) {
        if (shell->option['i']) {
            char *prompt = shell_prompt(shell, continued && text->length > 0 ? "PS2" : "PS1");
            if (prompt)
                task_write(shell->task, 2, prompt, strlen(prompt));
            mem_free(prompt);
        }
        got = read_plain(shell, text);
    } else {
        char *prompt = shell_prompt(shell, continued && text->length > 0 ? "PS2" : "PS1");
        got = prompt && shell_edit_line(shell, &input->history, prompt, text, &interrupted);
        mem_free(prompt);
    }
    if (interrupted)
        shell_leave(shell, LEAVE_LINE, 0);
    input->ended = !got && !interrupted;
    return got;
}

/* Reads commands of descriptor 0; a terminal's lines are edited. */
static int run_input(struct shell *shell)
{
    const struct handle *handle = task_handle(shell->task, 0);
    struct input input = {.shell = shell, .history.lines = vec_make(500, mem_free), .terminal = shell->option['i'] && handle && handle->tty};
    struct shell_source source = {.text = buf_make(SHELL_SOURCE), .line = 1, .more = more_input, .data = &input};
    int status = shell_run_source(shell, &source, shell->option['i'], 0);
    buf_free(&source.text);
    if (input.terminal && input.ended && shell->leave == LEAVE_NOT && !task_dying(shell->task))
        task_write(shell->task, 2, "\n", 1);
    vec_free(&input.history.lines);
    return status;
}

static int run_file(struct shell *shell, const char *path)
{
    char *text;
    size_t length;
    char found[FS_PATH];
    int got = fs_read_file(&shell->task->who, path, SHELL_SOURCE, &text, &length);
    if (got == -ENOENT && !strchr(path, '/') && task_find(shell->task, path, NULL, found) == 0)
        got = fs_read_file(&shell->task->who, found, SHELL_SOURCE, &text, &length);
    if (got != 0) {
        shell_say(shell, "can't open '%s': %s", path, applet_errno(got));
        return 2;
    }
    char name[FS_PATH];
    if (fs_program_name(text, length, name)) {
        shell_say(shell, "%s: Exec format error", path);
        mem_free(text);
        return 126;
    }
    shell->script_file = true;
    shell->said = shell->name;
    shell->line = 1;
    int status = shell_run_text(shell, text, EVAL_LAST);
    mem_free(text);
    return status;
}

/* -e -x -c ... ; *command: -c was there. Returns the first argument that is none, or -1: told. */
static int read_options(struct shell *shell, int argc, char **argv, bool *command, bool *login)
{
    int i = 1;
    for (; i < argc && (argv[i][0] == '-' || argv[i][0] == '+') && argv[i][1]; i++) {
        bool on = argv[i][0] == '-';
        if (strcmp(argv[i], "--") == 0)
            return i + 1;
        if (strcmp(argv[i], "--login") == 0 || strcmp(argv[i], "--norc") == 0 || strcmp(argv[i], "--noprofile") == 0) {
            *login = argv[i][2] == 'l';
            continue;
        }
        for (const char *letter = argv[i] + 1; *letter; letter++) {
            if (*letter == 'c')
                *command = true;
            else if (*letter == 'l')
                *login = true;
            else if (*letter == 'o' && i + 1 < argc)
                shell->pipefail = strcmp(argv[++i], "pipefail") == 0 ? on : shell->pipefail;
            else if (strchr("efinmsuvxCahb", *letter))
                shell->option[(unsigned char)*letter] = on;
            else
                return shell_say(shell, "illegal option -%c", *letter), -1;
            if (*letter == 'o')
                break;
        }
    }
    return i;
}

static void set_up_interactive(struct shell *shell)
{
    struct task *task = shell->task;
    shell->option['m'] = task->tty != NULL;
    task_catch(task, SIGINT, true);
    task_ignore(task, SIGQUIT, true);
    task_ignore(task, SIGTERM, true);
    if (task->tty)
        tty_set_group(task->tty, task->group);
    if (shell->flavour == SHELL_DASH)
        shell_set(shell, "PS1", task->who.uid == 0 ? "# " : "$ ");
    if (shell->flavour == SHELL_BASH)
        shell_set(shell, "PS1", "\\u@\\h:\\w\\$ ");
}

static void run_profile(struct shell *shell)
{
    static const char *const files[] = {"/etc/profile", "/root/.profile"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text;
        size_t length;
        if (fs_read_file(&shell->task->who, files[i], SHELL_SOURCE, &text, &length) != 0)
            continue;
        shell_run_text(shell, text, 0);
        mem_free(text);
    }
}

static int run(struct shell *shell, int argc, char **argv)
{
    bool command = false, login = argv[0][0] == '-';
    int first = read_options(shell, argc, argv, &command, &login);
    if (first < 0)
        return 2;
    if (command && first >= argc) {
        shell_say(shell, "-c requires an argument");
        return 2;
    }
    const char *text = command ? argv[first++] : NULL;
    const char *file = !command && first < argc && !shell->option['s'] ? argv[first] : NULL;
    const char *name = command && first < argc ? argv[first++] : file ? argv[first++] : argv[0];
    mem_free(shell->name);
    shell->name = mem_string(name);
    bool ok = shell->name != NULL;
    for (; ok && first < argc; first++)
        ok = vec_push_string(&shell->positional, argv[first]);
    if (!ok)
        return shell_fail(shell, 2, "out of memory");
    const struct handle *in = task_handle(shell->task, 0), *errors = task_handle(shell->task, 2);
    if (!command && !file && in && in->tty && errors && errors->tty)
        shell->option['i'] = true;
    if (login)
        run_profile(shell);
    if (shell->option['i'] && !command && !file)
        set_up_interactive(shell);
    return command ? shell_run_text(shell, text, EVAL_LAST) : file ? run_file(shell, file) : run_input(shell);
}

static int shell_main(struct task *task, int argc, char **argv, enum shell_flavour flavour)
{
    struct shell *shell = mem_alloc(sizeof *shell); /* large, and the stack is not */
    if (!shell)
        return 2;
    int status = 2;
    if (shell_init(shell, task)) {
        const char *said = applet_base_name(argv[0]);
        shell->flavour = flavour;
        shell->said = said[0] == '-' ? said + 1 : said;
        shell->name = mem_string(argv[0]);
        status = run(shell, argc, argv);
        if (!task->next_program) {
            shell->leave = LEAVE_NOT;
            status = shell_exit_trap(shell, status);
        }
    }
    applet_flush(task);
    shell_free(shell);
    mem_free(shell);
    return status;
}

static int ash_main(struct task *task, int argc, char **argv)
{
    return shell_main(task, argc, argv, SHELL_ASH);
}

static int dash_main(struct task *task, int argc, char **argv)
{
    return shell_main(task, argc, argv, SHELL_DASH);
}

static int bash_main(struct task *task, int argc, char **argv)
{
    return shell_main(task, argc, argv, SHELL_BASH);
}

/* Called by a name that is no applet of it, or by its own (the kernel looks the others up: struct program, multi_call). */
static int busybox_main(struct task *task, int argc, char **argv)
{
    bool own = strcmp(applet_base_name(argv[0]), "busybox") == 0;
    if (own && argc < 2) {
        applet_print(task, "BusyBox v1.36.1 (simulated in the practice cluster) multi-call binary.\n\nUsage: busybox [function [arguments]...]\n");
        return 0;
    }
    char line[FS_NAME + 40];
    int length = snprintf(line, sizeof line, "%.255s: applet not found\n", own ? argv[1] : applet_base_name(argv[0]));
    task_write(task, 2, line, (size_t)length);
    return 127;
}

static const struct program programs[] = {
    {.name = "sh", .main = ash_main, .memory = 700 << 10},
    {.name = "ash", .main = ash_main, .memory = 700 << 10},
    {.name = "dash", .main = dash_main, .memory = 700 << 10},
    {.name = "bash", .main = bash_main, .memory = 3 << 20},
    {.name = "busybox", .main = busybox_main, .multi_call = true, .memory = 500 << 10},
};
const struct program_table programs_shell = {programs, sizeof programs / sizeof *programs};
