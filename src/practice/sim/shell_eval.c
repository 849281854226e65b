/* shell_eval: carrying out what was parsed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"
#include "practice/sim/tty.h"

void shell_leave(struct shell *shell, enum shell_leave leave, int count)
{
    shell->leave = leave;
    shell->leave_count = count;
}

/* ---- traps ---- */

void shell_run_traps(struct shell *shell)
{
    for (int signal; (signal = task_caught(shell->task)) != 0;)
        shell->caught |= 1ull << signal;
    if (shell->in_trap || shell->caught == 0)
        return;
    for (int signal = 1; signal < SHELL_SIGNALS - 1 && shell->leave == LEAVE_NOT; signal++) {
        if (!(shell->caught >> signal & 1))
            continue;
        shell->caught &= ~(1ull << signal);
        if (!shell->traps[signal]) {
            if (signal == SIGINT && shell->option['i'])
                shell_leave(shell, LEAVE_LINE, 0);
            continue;
        }
        int status = shell->status;
        char *text = mem_string(shell->traps[signal]);
        shell->in_trap = true;
        if (text)
            shell_run_text(shell, text, 0);
        mem_free(text);
        shell->in_trap = false;
        if (shell->leave == LEAVE_NOT)
            shell->status = status;
    }
}

/* ---- children ---- */

void shell_tell_death(struct shell *shell, int signal)
{
    static const struct {
        int signal;
        const char *words;
    } told[] = {{SIGKILL, "Killed\n"}, {SIGTERM, "Terminated\n"}, {SIGSEGV, "Segmentation fault\n"}, {SIGABRT, "Aborted\n"}, {SIGHUP, "Hangup\n"}, {SIGQUIT, "Quit\n"}, {SIGALRM, "Alarm clock\n"}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (told[i].signal == signal)
            task_write(shell->task, 2, told[i].words, strlen(told[i].words));
}

int shell_wait_for(struct shell *shell, int pid)
{
    struct task_status status;
    for (;;) {
        int got = task_wait(shell->task, pid, true, &status);
        if (got > 0)
            break;
        for (int signal; (signal = task_caught(shell->task)) != 0;) /* their traps come when the child has ended */
            shell->caught |= 1ull << signal;
        if (task_dying(shell->task))
            return 128 + SIGKILL;
        if (got == -ECHILD)
            return 127;
    }
    if (status.signal == 0)
        return status.code;
    if (status.signal == SIGINT && shell->option['i'] && shell->task->tty)
        task_write(shell->task, 2, "\n", 1);
    shell_tell_death(shell, status.signal);
    return 128 + status.signal;
}

struct forked {
    struct shell *shell; /* the copy */
    struct script *script;
    struct node *node;
    unsigned flags;
    bool background;
};

static void drop_forked(void *data)
{
    struct forked *forked = data;
    shell_free(forked->shell);
    mem_free(forked->shell);
    shell_script_free(forked->script);
    mem_free(forked);
}

int shell_exit_trap(struct shell *shell, int status)
{
    char *text = shell->traps[0];
    shell->traps[0] = NULL;
    if (text && *text && !task_dying(shell->task)) {
        shell->leave = LEAVE_NOT;
        shell->status = status;
        int got = shell_run_text(shell, text, 0);
        status = shell->leave == LEAVE_SHELL ? got : status;
    }
    mem_free(text);
    return status;
}

static int forked_main(struct task *task, void *data)
{
    struct forked *forked = data;
    struct shell *shell = forked->shell;
    shell->task = task;
    if (forked->background && !shell->option['m']) {
        task_ignore(task, SIGINT, true);
        task_ignore(task, SIGQUIT, true);
    }
    shell->status = shell_eval(shell, forked->node, forked->flags | EVAL_LAST);
    if (task->next_program)
        return 0;
    return shell_exit_trap(shell, shell->status);
}

int shell_fork(struct shell *shell, struct node *node, unsigned flags, struct handle **fds, bool background, bool new_group)
{
    applet_flush(shell->task);
    struct forked *forked = mem_zero(1, sizeof *forked);
    struct shell *copy = forked ? shell_copy(shell) : NULL;
    if (!copy) {
        mem_free(forked);
        return shell_fail(shell, 2, "out of memory"), -1;
    }
    *forked = (struct forked){copy, script_ref(shell->script), node, flags, background};
    char **env = shell_environment(shell);
    int error = -ENOMEM;
    struct spawn spawn = {.main = forked_main, .drop = drop_forked, .data = forked, .env = env, .fds = fds, .new_group = new_group};
    struct task *child = env ? task_spawn(shell->task, &spawn, &error) : NULL;
    if (!env)
        drop_forked(forked);
    task_free_strings(env);
    if (!child) {
        shell_fail(shell, 2, "can't fork: %s", applet_errno(error));
        return -1;
    }
    return child->pid;
}

/* An interactive shell gives the terminal to what runs in the foreground. */
void shell_foreground(struct shell *shell, int group)
{
    if (shell->option['m'] && shell->task->tty)
        tty_set_group(shell->task->tty, group);
}

/* ---- pipelines ---- */

static int eval_pipe(struct shell *shell, struct node *node)
{
    enum { MOST = 256 };
    int pids[MOST], count = 0, status = 0, group_status = 0;
    bool interactive = shell->option['m'];
    struct handle *input = handle_ref(task_handle(shell->task, 0));
    for (struct node *at = node; at && count < MOST && shell->leave == LEAVE_NOT; at = at->kind == NODE_PIPE ? at->right : NULL) {
        struct handle *fds[TASK_FDS], *reader = NULL, *writer = NULL;
        bool last = at->kind != NODE_PIPE;
        if (!last && !pipe_new(&reader, &writer)) {
            shell_fail(shell, 2, "out of memory");
            break;
        }
        memcpy(fds, shell->task->fds, sizeof fds);
        fds[0] = input;
        if (!last)
            fds[1] = writer;
        int pid = shell_fork(shell, last ? at : at->left, 0, fds, false, interactive && count == 0);
        if (pid > 0 && interactive && count == 0)
            shell_foreground(shell, pid);
        if (pid > 0 && interactive && count > 0) {
            struct task *child = task_by_pid(shell->task, pid);
            if (child)
                child->group = pids[0];
        }
        handle_free(input);
        handle_free(writer);
        input = reader;
        if (pid > 0)
            pids[count++] = pid;
    }
    handle_free(input);
    for (int i = 0; i < count; i++) {
        status = shell_wait_for(shell, pids[i]);
        group_status = status != 0 ? status : group_status;
    }
    shell_foreground(shell, shell->task->group);
    return shell->leave != LEAVE_NOT ? shell->status : shell->pipefail ? group_status : status;
}

static int eval_background(struct shell *shell, struct node *node)
{
    struct handle *fds[TASK_FDS], *null = NULL;
    memcpy(fds, shell->task->fds, sizeof fds);
    if (!shell->option['m'] && (null = null_new(O_RDONLY)))
        fds[0] = null;
    int pid = shell_fork(shell, node->left, 0, fds, true, shell->option['m']);
    handle_free(null);
    if (pid <= 0)
        return shell->status;
    struct job *job = mem_zero(1, sizeof *job);
    if (job) {
        job->pid = pid;
        job->number = shell->jobs ? shell->jobs->number + 1 : 1;
        job->next = shell->jobs;
        shell->jobs = job;
        char line[48];
        int length = snprintf(line, sizeof line, "[%d] %d\n", job->number, pid);
        if (shell->option['i'] && shell->flavour == SHELL_BASH)
            task_write(shell->task, 2, line, (size_t)length);
    }
    shell->last_background = pid;
    return 0;
}

/* ---- compound commands ---- */

/* True: the loop ends. */
static bool leaves_loop(struct shell *shell)
{
    if (shell->leave == LEAVE_NOT)
        return false;
    if ((shell->leave != LEAVE_BREAK && shell->leave != LEAVE_CONTINUE))
        return true;
    if (--shell->leave_count > 0)
        return true;
    bool ends = shell->leave == LEAVE_BREAK;
    shell->leave = LEAVE_NOT;
    return ends;
}

static int eval_while(struct shell *shell, struct node *node, unsigned flags)
{
    int status = 0;
    shell->loop_depth++;
    while (task_step(shell->task, 5)) {
        int condition = shell_eval(shell, node->left, EVAL_TESTED);
        if (shell->leave != LEAVE_NOT) {
            if (leaves_loop(shell))
                break;
            continue;
        }
        if ((condition == 0) != (node->kind == NODE_WHILE))
            break;
        status = shell_eval(shell, node->right, flags & EVAL_TESTED);
        if (leaves_loop(shell))
            break;
    }
    shell->loop_depth--;
    return shell->leave != LEAVE_NOT ? shell->status : status;
}

static int eval_for(struct shell *shell, struct node *node, unsigned flags)
{
    struct vec words = vec_make(SHELL_WORDS, mem_free);
    bool ok = true;
    int status = 0;
    for (const struct word *word = node->words; ok && word; word = word->next)
        ok = shell_expand(shell, word, EXPAND_SPLIT | EXPAND_GLOB, &words);
    for (size_t i = 0; ok && !node->in && i < shell->positional.length; i++)
        ok = vec_push_string(&words, shell->positional.items[i]);
    shell->loop_depth++;
    for (size_t i = 0; ok && i < words.length && task_step(shell->task, 5); i++) {
        if (!shell_set(shell, node->name, words.items[i]))
            break;
        status = shell_eval(shell, node->right, flags & EVAL_TESTED);
        if (leaves_loop(shell))
            break;
    }
    shell->loop_depth--;
    vec_free(&words);
    return shell->leave != LEAVE_NOT ? shell->status : status;
}

static int eval_case(struct shell *shell, struct node *node, unsigned flags)
{
    char *text = shell_expand_one(shell, node->words, 0);
    int status = 0;
    bool falls = false, found = false;
    for (struct case_item *item = node->items; text && item && !(found && !falls); item = item->next) {
        found = falls;
        for (const struct word *word = item->patterns; word && !found; word = word->next) {
            char *pattern = shell_expand_one(shell, word, EXPAND_PATTERN);
            if (!pattern) {
                mem_free(text);
                return shell->status;
            }
            found = shell_match(pattern, text, strlen(text));
            mem_free(pattern);
        }
        if (found && item->body)
            status = shell_eval(shell, item->body, flags & EVAL_TESTED);
        falls = found && item->falls && shell->leave == LEAVE_NOT;
    }
    mem_free(text);
    return shell->leave != LEAVE_NOT ? shell->status : status;
}

static int eval_if(struct shell *shell, struct node *node, unsigned flags)
{
    int condition = shell_eval(shell, node->left, EVAL_TESTED);
    if (shell->leave != LEAVE_NOT)
        return shell->status;
    if (condition == 0)
        return shell_eval(shell, node->right, flags);
    return node->third ? shell_eval(shell, node->third, flags) : 0;
}

static int eval_subshell(struct shell *shell, struct node *node, unsigned flags)
{
    int pid = shell_fork(shell, node->left, shell->tested ? EVAL_TESTED : flags & EVAL_TESTED, NULL, false, shell->option['m']);
    if (pid <= 0)
        return shell->status;
    shell_foreground(shell, pid);
    int status = shell_wait_for(shell, pid);
    shell_foreground(shell, shell->task->group);
    return status;
}

static int define_function(struct shell *shell, struct node *node)
{
    struct function *function = mem_alloc(sizeof *function);
    if (function) {
        *function = (struct function){script_ref(shell->script), node->left};
        if (map_set(&shell->functions, node->name, function))
            return 0;
    }
    return shell_fail(shell, 2, "out of memory");
}

static int eval_and_or(struct shell *shell, struct node *node, unsigned flags)
{
    int status = shell_eval(shell, node->left, EVAL_TESTED);
    if (shell->leave != LEAVE_NOT || (status == 0) != (node->kind == NODE_AND))
        return status;
    return shell_eval(shell, node->right, flags);
}

static int eval_node(struct shell *shell, struct node *node, unsigned flags)
{
    switch (node->kind) {
    case NODE_SIMPLE: return shell_eval_simple(shell, node, flags);
    case NODE_PIPE: return eval_pipe(shell, node);
    case NODE_AND:
    case NODE_OR: return eval_and_or(shell, node, flags);
    case NODE_BACKGROUND: return eval_background(shell, node);
    case NODE_NOT: return !shell_eval(shell, node->left, EVAL_TESTED);
    case NODE_SUBSHELL: return eval_subshell(shell, node, flags);
    case NODE_GROUP: return shell_eval(shell, node->left, flags & EVAL_TESTED);
    case NODE_IF: return eval_if(shell, node, flags);
    case NODE_WHILE:
    case NODE_UNTIL: return eval_while(shell, node, flags);
    case NODE_FOR: return eval_for(shell, node, flags);
    case NODE_CASE: return eval_case(shell, node, flags);
    case NODE_FUNCTION: return define_function(shell, node);
    case NODE_TEST: return shell_double_test(shell, node->words);
    case NODE_LIST: break;
    }
    return 0;
}

/* Those whose failure ends the shell with set -e: of all others a part of them did already. */
static bool counts_for_errexit(const struct node *node)
{
    return node->kind == NODE_SIMPLE || node->kind == NODE_PIPE || node->kind == NODE_SUBSHELL || node->kind == NODE_TEST;
}

int shell_eval(struct shell *shell, struct node *node, unsigned flags)
{
    struct saved_fds saved = {.changed = 0};
    if (task_stack_left(shell->task) < SHELL_STACK)
        return shell_fail(shell, 2, "nested too deep");
    for (; node && node->kind == NODE_LIST && shell->leave == LEAVE_NOT; node = node->right)
        if (node->left)
            shell_eval(shell, node->left, flags & EVAL_TESTED);
    if (shell->leave != LEAVE_NOT || !node)
        return shell->status;
    if (!task_step(shell->task, 3)) {
        shell_leave(shell, LEAVE_SHELL, 0);
        return shell->status;
    }
    bool outer_tested = shell->tested;
    shell->tested = outer_tested || (flags & EVAL_TESTED);
    shell->line = node->line;
    bool redirects = node->redirects && node->kind != NODE_SIMPLE;
    if (redirects && !shell_redirect(shell, node->redirects, &saved)) {
        shell->status = shell->leave != LEAVE_NOT ? shell->status : 1;
    } else {
        int status = eval_node(shell, node, redirects ? flags & EVAL_TESTED : flags);
        if (shell->leave != LEAVE_SHELL && shell->leave != LEAVE_LINE) /* else it is why */
            shell->status = status;
    }
    if (redirects) {
        applet_flush(shell->task);
        if (shell->task->next_program)
            shell_keep(&saved);
        else
            shell_restore(shell, &saved);
    }
    bool tested = shell->tested;
    shell->tested = outer_tested;
    if (shell->status != 0 && shell->option['e'] && !tested && shell->leave == LEAVE_NOT && counts_for_errexit(node))
        shell_leave(shell, LEAVE_SHELL, 0);
    if (shell->leave == LEAVE_NOT && (shell->caught || (shell->task->pending & shell->task->caught)))
        shell_run_traps(shell);
    return shell->status;
}

char *shell_substitute(struct shell *shell, struct node *command)
{
    struct handle *fds[TASK_FDS], *reader, *writer;
    if (!command) {
        shell->substituted = 0;
        return mem_string("");
    }
    if (!pipe_new(&reader, &writer)) {
        shell_fail(shell, 2, "out of memory");
        return NULL;
    }
    memcpy(fds, shell->task->fds, sizeof fds);
    fds[1] = writer;
    int pid = shell_fork(shell, command, 0, fds, false, false);
    handle_free(writer);
    struct buf text = buf_make(SHELL_VALUE);
    char bytes[1024];
    ssize_t got = pid > 0 ? 1 : 0;
    int fd = pid > 0 ? task_install(shell->task, reader, 10, true) : -1;
    while (got > 0 && fd >= 0) {
        got = task_read(shell->task, fd, bytes, sizeof bytes);
        for (ssize_t i = 0; i < got; i++) /* a value holds no NUL */
            if (bytes[i])
                buf_append(&text, bytes + i, 1);
        if (got == -EINTR && !task_dying(shell->task)) {
            for (int signal; (signal = task_caught(shell->task)) != 0;)
                shell->caught |= 1ull << signal;
            got = 1;
        }
    }
    if (fd >= 0)
        task_close(shell->task, fd);
    else if (pid <= 0)
        handle_free(reader);
    if (pid > 0)
        shell->substituted = shell_wait_for(shell, pid);
    size_t length = text.length;
    while (length > 0 && text.bytes[length - 1] == '\n')
        length--;
    char *value = buf_ok(&text) && pid > 0 ? mem_string_n(text.bytes ? text.bytes : "", length) : NULL;
    if (!value && shell->leave == LEAVE_NOT)
        shell_fail(shell, 2, "out of memory");
    buf_free(&text);
    return value;
}

/* ---- sources ---- */

static const char *find_alias(void *data, const char *word)
{
    struct shell *shell = data;
    return map_get(&shell->aliases, word);
}

static void set_up_source(struct shell *shell, struct shell_source *source)
{
    source->bash = shell->flavour == SHELL_BASH;
    source->plain = shell->flavour == SHELL_DASH;
    source->alias = shell->aliases.count > 0 ? find_alias : NULL;
    source->alias_data = shell;
}

static bool at_end(const struct shell_source *source)
{
    return !source->more && source->text.bytes && strspn(source->text.bytes + source->at, " \t\n") == source->text.length - source->at;
}

int shell_run_source(struct shell *shell, struct shell_source *source, bool interactive, unsigned flags)
{
    struct script *outer = shell->script;
    enum parse_result result = PARSE_EMPTY;
    while (shell->leave == LEAVE_NOT && result != PARSE_END && result != PARSE_ERROR && task_step(shell->task, 2)) {
        struct script *script = shell_script_new();
        struct node *node;
        if (!script)
            return shell_fail(shell, 2, "out of memory");
        set_up_source(shell, source);
        if (source->more && source->at == source->text.length) { /* a long session does not pile up */
            buf_clear(&source->text);
            source->at = 0;
        }
        result = shell_parse(source, script, &node);
        shell->line = source->line;
        if (result == PARSE_ERROR && !task_dying(shell->task)) {
            shell_fail(shell, 2, "%s", source->error);
        } else if (result == PARSE_COMMAND && node && !shell->option['n']) {
            shell->script = script;
            bool last = (flags & EVAL_LAST) && at_end(source) && !shell->traps[0];
            shell_eval(shell, node, (flags & EVAL_TESTED) | (last ? EVAL_LAST : 0));
            applet_flush(shell->task);
            shell->script = outer;
        }
        shell_script_free(script);
        if (interactive && shell->leave == LEAVE_LINE) { /* the rest of what was typed is forgotten */
            shell->leave = LEAVE_NOT;
            source->at = source->text.length;
            result = PARSE_EMPTY;
        }
    }
    return shell->status;
}

int shell_run_text(struct shell *shell, const char *text, unsigned flags)
{
    struct shell_source source = {.text = buf_make(SHELL_SOURCE), .line = shell->line};
    buf_append_string(&source.text, text);
    int status = buf_ok(&source.text) ? shell_run_source(shell, &source, false, flags) : shell_fail(shell, 2, "out of memory");
    buf_free(&source.text);
    return status;
}
