/* shell_simple: simple commands: functions, builtins, programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

static const struct shell_builtin_table *const tables[] = {&shell_builtins_control, &shell_builtins_state, &shell_builtins_io};

const struct shell_builtin *shell_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (size_t j = 0; j < tables[i]->count; j++)
            if (strcmp(tables[i]->builtins[j].name, name) == 0)
                return &tables[i]->builtins[j];
    return NULL;
}

/* ---- words ---- */

static bool is_declaration(const char *name)
{
    static const char *const names[] = {"export", "readonly", "local", "alias", "declare", "typeset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool looks_like_assignment(const struct word *word)
{
    const struct word_part *part = word->parts;
    const char *equals = part && part->kind == PART_TEXT && !part->quoted ? strchr(part->text, '=') : NULL;
    return equals && shell_is_name(part->text, (size_t)(equals - part->text));
}

static bool expand_words(struct shell *shell, const struct word *word, struct vec *out)
{
    for (; word; word = word->next) {
        if (out->length > 0 && is_declaration(out->items[0]) && looks_like_assignment(word)) {
            char *text = shell_expand_one(shell, word, EXPAND_ASSIGN);
            if (!text || !vec_push(out, text))
                return false;
        } else if (!shell_expand(shell, word, EXPAND_SPLIT | EXPAND_GLOB, out)) {
            return false;
        }
    }
    return true;
}

static bool assign(struct shell *shell, const struct assignment *assignment, bool export, bool local, struct buf *trace)
{
    for (; assignment; assignment = assignment->next) {
        char *value = shell_expand_one(shell, assignment->value, EXPAND_ASSIGN);
        if (!value)
            return false;
        if (assignment->append) {
            const char *old = shell_get(shell, assignment->name);
            char *longer = mem_printf("%s%s", old ? old : "", value);
            mem_free(value);
            value = longer;
        }
        bool ok = value && (!local || shell_make_local(shell, assignment->name)) && shell_set(shell, assignment->name, value) && (!export || shell_export(shell, assignment->name, true, false));
        char *quoted = ok && trace ? shell_quoted(value, false) : NULL;
        if (quoted)
            buf_printf(trace, "%s%s=%s", trace->length > 0 ? " " : "", assignment->name, quoted);
        mem_free(quoted);
        mem_free(value);
        if (!ok)
            return false;
    }
    return true;
}

static void trace(struct shell *shell, const struct buf *assignments, const struct vec *words)
{
    struct buf line = buf_make(SHELL_VALUE);
    const char *ps4 = shell_get(shell, "PS4");
    buf_append_string(&line, ps4 ? ps4 : "");
    buf_append(&line, assignments->bytes ? assignments->bytes : "", assignments->length);
    for (size_t i = 0; i < words->length; i++) {
        char *quoted = shell_quoted(words->items[i], false);
        buf_printf(&line, "%s%s", i > 0 || assignments->length > 0 ? " " : "", quoted ? quoted : "");
        mem_free(quoted);
    }
    buf_append(&line, "\n", 1);
    if (buf_ok(&line)) {
        applet_flush(shell->task);
        task_write(shell->task, 2, line.bytes, line.length);
    }
    buf_free(&line);
}

/* ---- functions and builtins ---- */

static int run_function(struct shell *shell, const struct function *function, int argc, char **argv)
{
    struct vec outer = shell->positional;
    struct local *mark = mem_zero(1, sizeof *mark);
    struct script *script = shell->script;
    bool ok = mark != NULL;
    shell->positional = vec_make(SHELL_WORDS, mem_free);
    for (int i = 1; ok && i < argc; i++)
        ok = vec_push_string(&shell->positional, argv[i]);
    if (!ok) {
        vec_free(&shell->positional);
        shell->positional = outer;
        mem_free(mark);
        return shell_fail(shell, 2, "out of memory");
    }
    mark->next = shell->locals;
    shell->locals = mark;
    struct script *own = script_ref(function->script); /* it may define itself anew */
    int loops = shell->loop_depth, line = shell->line;
    shell->script = own;
    shell->function_depth++;
    shell->loop_depth = 0;
    shell_eval(shell, function->body, 0);
    shell->loop_depth = loops;
    shell->line = line;
    shell->function_depth--;
    shell->script = script;
    shell_script_free(own);
    shell_end_locals(shell, mark->next);
    vec_free(&shell->positional);
    shell->positional = outer;
    if (shell->leave == LEAVE_RETURN)
        shell->leave = LEAVE_NOT;
    return shell->status;
}

static int run_builtin(struct shell *shell, const struct shell_builtin *builtin, int argc, char **argv)
{
    struct task *task = shell->task;
    const char *outer = shell->builtin;
    shell->builtin = builtin->program ? outer : argv[0];
    int status = builtin->program ? builtin->program(task, argc, argv) : builtin->fn(shell, argc, argv);
    shell->builtin = outer;
    if (task->out.length > 0 && !task->dying) {
        ssize_t got = task_write(task, 1, task->out.bytes, task->out.length);
        buf_clear(&task->out);
        if (got < 0 && got != -EPIPE && !task->dying) {
            shell_say(shell, "write error: %s", applet_errno((int)got));
            return 1;
        }
    }
    return status;
}

/* ---- programs ---- */

static int cannot(struct shell *shell, const char *word, int error)
{
    if (error == -ENOENT && shell->flavour == SHELL_BASH && !strchr(word, '/'))
        shell_say(shell, "%s: command not found", word);
    else if (error == -ENOENT && shell->flavour == SHELL_BASH)
        shell_say(shell, "%s: No such file or directory", word);
    else if (error == -ENOENT)
        shell_say(shell, "%s: not found", word);
    else
        shell_say(shell, "%s: %s", word, applet_errno(error));
    return error == -ENOENT ? 127 : 126;
}

/* A script without #! is the shell's own. */
static char **as_script(char **argv, const char *path)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **longer = mem_zero(count + 2, sizeof *longer);
    if (!longer)
        return NULL;
    longer[0] = mem_string("sh");
    longer[1] = mem_string(path);
    bool ok = longer[0] && longer[1];
    for (size_t i = 1; ok && i < count; i++)
        ok = (longer[i + 1] = mem_string(argv[i])) != NULL;
    if (!ok) {
        for (size_t i = 0; i <= count; i++)
            mem_free(longer[i]);
        mem_free(longer);
        return NULL;
    }
    return longer;
}

/* Calls fn with the program's path; what is a text without #! is given to sh. */
static int start(struct shell *shell, char **argv, char **env, struct task **child)
{
    char path[FS_PATH];
    int error = task_find(shell->task, argv[0], env, path);
    char **script = NULL;
    for (int attempt = 0; error == 0 && attempt < 2; attempt++) {
        char **words = script ? script : argv;
        struct spawn spawn = {.path = script ? "/bin/sh" : path, .argv = words, .env = env, .new_group = shell->option['m']};
        if (child)
            *child = task_spawn(shell->task, &spawn, &error);
        else
            error = task_exec(shell->task, spawn.path, words, env);
        if (child && *child)
            error = 0;
        if (error != -ENOEXEC || script)
            break;
        script = as_script(argv, path);
        error = script ? 0 : -ENOMEM;
    }
    task_free_strings(script);
    return error;
}

static int run_program(struct shell *shell, char **argv, unsigned flags)
{
    applet_flush(shell->task);
    char **env = shell_environment(shell);
    struct task *child = NULL;
    int error = env ? -ENOENT : -ENOMEM, status = 0;
    bool in_place = (flags & EVAL_LAST) && !shell->traps[0] && !shell->option['i'];
    if (env && *argv[0])
        error = start(shell, argv, env, in_place ? NULL : &child);
    task_free_strings(env);
    if (error != 0) {
        status = cannot(shell, argv[0], error);
    } else if (in_place) {
        shell_leave(shell, LEAVE_SHELL, 0);
    } else {
        shell_foreground(shell, child->pid);
        status = shell_wait_for(shell, child->pid);
        shell_foreground(shell, shell->task->group);
    }
    return status;
}

int shell_exec_words(struct shell *shell, char **argv)
{
    char **env = shell_environment(shell);
    int error = env ? start(shell, argv, env, NULL) : -ENOMEM;
    task_free_strings(env);
    if (error != 0) {
        int status = cannot(shell, argv[0], error);
        shell->status = status;
        if (!shell->option['i'] || shell->subshell)
            shell_leave(shell, LEAVE_SHELL, 0);
        return status;
    }
    mem_free(shell->traps[0]);
    shell->traps[0] = NULL;
    shell_leave(shell, LEAVE_SHELL, 0);
    return 0;
}

int shell_run_words(struct shell *shell, int argc, char **argv, unsigned flags, bool functions)
{
    const struct shell_builtin *builtin = shell_builtin(argv[0]);
    const struct function *function = functions && !(builtin && builtin->special) ? map_get(&shell->functions, argv[0]) : NULL;
    if (function)
        return run_function(shell, function, argc, argv);
    if (builtin)
        return run_builtin(shell, builtin, argc, argv);
    return run_program(shell, argv, flags);
}

/* ---- the whole ---- */

static int assign_only(struct shell *shell, struct node *node)
{
    struct saved_fds saved = {.changed = 0};
    struct buf line = buf_make(SHELL_VALUE);
    shell->substituted = 0;
    bool ok = assign(shell, node->assignments, false, false, shell->option['x'] ? &line : NULL);
    if (ok)
        shell->status = shell->substituted;
    if (ok && shell->option['x'] && line.length > 0)
        trace(shell, &line, &(struct vec){0});
    buf_free(&line);
    if (ok && node->redirects) {
        if (!shell_redirect(shell, node->redirects, &saved))
            return shell->leave != LEAVE_NOT ? shell->status : 1;
        shell_restore(shell, &saved);
    }
    return shell->status;
}

/* With redirections and assignments in force. */
static int run_prepared(struct shell *shell, struct node *node, struct vec *words, const struct shell_builtin *builtin, unsigned flags, struct saved_fds *saved)
{
    bool special = builtin && builtin->special;
    struct local *mark = shell->locals;
    struct buf line = buf_make(SHELL_VALUE);
    int status = shell->status;
    bool ok = assign(shell, node->assignments, !special, !special, shell->option['x'] ? &line : NULL);
    if (ok && shell->option['x'])
        trace(shell, &line, words);
    buf_free(&line);
    if (ok) {
        int argc = (int)words->length;
        if (!vec_push(words, NULL))
            return shell_fail(shell, 2, "out of memory");
        status = shell_run_words(shell, argc, (char **)words->items, flags, true);
        if (special && strcmp(words->items[0], "exec") == 0 && argc == 1)
            shell_keep(saved);
        applet_flush(shell->task);
    } else {
        status = shell->status;
    }
    if (!special && node->assignments)
        shell_end_locals(shell, mark);
    return status;
}

int shell_eval_simple(struct shell *shell, struct node *node, unsigned flags)
{
    struct vec words = vec_make(SHELL_WORDS, mem_free);
    struct saved_fds saved = {.changed = 0};
    if (!expand_words(shell, node->words, &words)) {
        if (shell->leave == LEAVE_NOT)
            shell_fail(shell, 2, "out of memory");
        vec_free(&words);
        return shell->status;
    }
    if (words.length == 0) {
        vec_free(&words);
        return assign_only(shell, node);
    }
    const struct shell_builtin *builtin = shell_builtin(words.items[0]);
    int status;
    if (!shell_redirect(shell, node->redirects, &saved)) {
        status = shell->leave != LEAVE_NOT ? shell->status : 1;
        shell->status = status;
        if (shell->leave == LEAVE_NOT && builtin && builtin->special)
            shell_leave(shell, shell->option['i'] ? LEAVE_LINE : LEAVE_SHELL, 0);
    } else {
        status = run_prepared(shell, node, &words, builtin, flags, &saved);
        if (shell->task->next_program) /* which has them */
            shell_keep(&saved);
        else
            shell_restore(shell, &saved);
    }
    vec_free(&words);
    return status;
}
