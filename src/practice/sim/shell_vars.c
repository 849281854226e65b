/* shell_vars: variables, subshells' copies, messages. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

static void free_variable(void *data)
{
    struct variable *variable = data;
    if (variable)
        mem_free(variable->value);
    mem_free(variable);
}

static void free_function(void *data)
{
    struct function *function = data;
    shell_script_free(function->script);
    mem_free(function);
}

/* ---- messages ---- */

static void say(struct shell *shell, const char *format, va_list arguments)
{
    char text[1024];
    applet_flush(shell->task);
    int start = snprintf(text, sizeof text, "%.128s: ", shell->said);
    if (shell->flavour == SHELL_DASH)
        start += snprintf(text + start, sizeof text - (size_t)start, "%d: ", shell->line);
    if (shell->builtin)
        start += snprintf(text + start, sizeof text - (size_t)start, "%.32s: ", shell->builtin);
    if (shell->flavour != SHELL_DASH && (shell->script_file || (shell->builtin && !shell->option['i'])))
        start += snprintf(text + start, sizeof text - (size_t)start, "line %d: ", shell->line);
    int length = vsnprintf(text + start, sizeof text - (size_t)start - 1, format, arguments);
    size_t end = (size_t)(start + (length > 0 ? length : 0));
    end = end < sizeof text - 2 ? end : sizeof text - 2;
    text[end] = '\n';
    task_write(shell->task, 2, text, end + 1);
}

void shell_say(struct shell *shell, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(shell, format, arguments);
    va_end(arguments);
}

int shell_fail(struct shell *shell, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(shell, format, arguments);
    va_end(arguments);
    shell->status = status;
    shell_leave(shell, shell->option['i'] && !shell->subshell ? LEAVE_LINE : LEAVE_SHELL, 0);
    return status;
}

/* ---- variables ---- */

const char *shell_get(struct shell *shell, const char *name)
{
    const struct variable *variable = map_get(&shell->variables, name);
    return variable ? variable->value : NULL;
}

static struct variable *find_or_add(struct shell *shell, const char *name)
{
    struct variable *variable = map_get(&shell->variables, name);
    if (variable)
        return variable;
    variable = mem_zero(1, sizeof *variable);
    if (!variable || !map_set(&shell->variables, name, variable)) {
        shell_fail(shell, 2, "out of memory");
        return NULL;
    }
    return variable;
}

bool shell_set_bytes(struct shell *shell, const char *name, const char *value, size_t length)
{
    struct variable *variable = find_or_add(shell, name);
    if (!variable)
        return false;
    if (variable->read_only) {
        shell_fail(shell, 2, "%s: is read only", name);
        return false;
    }
    char *copy = length <= SHELL_VALUE ? mem_string_n(value, length) : NULL;
    if (!copy) {
        shell_fail(shell, 2, "out of memory");
        return false;
    }
    mem_free(variable->value);
    variable->value = copy;
    if (shell->option['a'])
        variable->exported = true;
    if (strcmp(name, "OPTIND") == 0)
        shell->getopts_at = 0;
    return true;
}

bool shell_set(struct shell *shell, const char *name, const char *value)
{
    return shell_set_bytes(shell, name, value, strlen(value));
}

bool shell_unset(struct shell *shell, const char *name)
{
    const struct variable *variable = map_get(&shell->variables, name);
    if (variable && variable->read_only) {
        shell_fail(shell, 2, "%s: is read only", name);
        return false;
    }
    map_remove(&shell->variables, name);
    return true;
}

bool shell_export(struct shell *shell, const char *name, bool exported, bool read_only)
{
    struct variable *variable = find_or_add(shell, name);
    if (!variable)
        return false;
    variable->exported = variable->exported || exported;
    variable->read_only = variable->read_only || read_only;
    return true;
}

bool shell_make_local(struct shell *shell, const char *name)
{
    for (const struct local *at = shell->locals; at && at->name; at = at->next)
        if (strcmp(at->name, name) == 0)
            return true;
    struct local *local = mem_zero(1, sizeof *local);
    struct variable *variable = mem_zero(1, sizeof *variable);
    if (!local || !variable || !(local->name = mem_string(name))) {
        mem_free(local);
        mem_free(variable);
        shell_fail(shell, 2, "out of memory");
        return false;
    }
    local->hidden = map_take(&shell->variables, name);
    local->next = shell->locals;
    shell->locals = local;
    if (local->hidden) {
        bool stays = shell->flavour == SHELL_DASH; /* the value is seen until it is set */
        variable->value = stays && local->hidden->value ? mem_string(local->hidden->value) : NULL;
        variable->exported = local->hidden->exported;
        variable->read_only = local->hidden->read_only;
    }
    return map_set(&shell->variables, name, variable);
}

void shell_end_locals(struct shell *shell, struct local *until)
{
    while (shell->locals != until) {
        struct local *local = shell->locals;
        shell->locals = local->next;
        if (local->name) {
            map_remove(&shell->variables, local->name);
            if (local->hidden && !map_set(&shell->variables, local->name, local->hidden))
                shell_fail(shell, 2, "out of memory");
        }
        mem_free(local->name);
        mem_free(local);
    }
}

char **shell_environment(struct shell *shell)
{
    char **list = mem_zero(shell->variables.count + 1, sizeof *list);
    size_t cursor = 0, count = 0;
    const struct map_entry *entry;
    while (list && (entry = map_next(&shell->variables, &cursor))) {
        const struct variable *variable = entry->value;
        if (!variable->exported || !variable->value)
            continue;
        list[count] = mem_printf("%s=%s", entry->key, variable->value);
        if (!list[count++]) {
            task_free_strings(list);
            return NULL;
        }
    }
    return list;
}

/* ---- the whole ---- */

static void empty(struct shell *shell)
{
    shell->variables = map_make(SHELL_VARIABLES, free_variable);
    shell->functions = map_make(SHELL_VARIABLES, free_function);
    shell->aliases = map_make(SHELL_VARIABLES, mem_free);
    shell->positional = vec_make(SHELL_WORDS, mem_free);
}

bool shell_init(struct shell *shell, struct task *task)
{
    *shell = (struct shell){.task = task, .main_pid = task->pid, .said = "sh", .started_ms = kernel_now(task->kernel), .random = (unsigned)task->started_ms};
    empty(shell);
    for (size_t i = 0; task->env[i]; i++) {
        const char *equals = strchr(task->env[i], '=');
        if (!equals || !shell_is_name(task->env[i], (size_t)(equals - task->env[i])))
            continue;
        char *name = mem_string_n(task->env[i], (size_t)(equals - task->env[i]));
        bool ok = name && shell_set(shell, name, equals + 1) && shell_export(shell, name, true, false);
        mem_free(name);
        if (!ok)
            return false;
    }
    char parent[16];
    snprintf(parent, sizeof parent, "%d", task->parent ? task->parent->pid : 0);
    return shell_set(shell, "IFS", " \t\n") && shell_set(shell, "OPTIND", "1") && shell_set(shell, "PS1", "\\w \\$ ") && shell_set(shell, "PS2", "> ") && shell_set(shell, "PS4", "+ ") &&
           shell_set(shell, "PPID", parent) && (shell_get(shell, "PATH") || shell_set(shell, "PATH", "/sbin:/usr/sbin:/bin:/usr/bin")) && shell_set(shell, "PWD", task->who.cwd);
}

void shell_free(struct shell *shell)
{
    shell_end_locals(shell, NULL);
    map_free(&shell->variables);
    map_free(&shell->functions);
    map_free(&shell->aliases);
    vec_free(&shell->positional);
    for (int i = 0; i < SHELL_SIGNALS; i++)
        mem_free(shell->traps[i]);
    for (struct job *job = shell->jobs, *next; job; job = next) {
        next = job->next;
        mem_free(job->text);
        mem_free(job);
    }
    mem_free(shell->name);
}

static bool copy_maps(const struct shell *shell, struct shell *copy)
{
    size_t cursor = 0;
    const struct map_entry *entry;
    while ((entry = map_next(&shell->variables, &cursor))) {
        const struct variable *from = entry->value;
        struct variable *to = mem_zero(1, sizeof *to);
        if (!to)
            return false;
        *to = *from;
        to->value = from->value ? mem_string(from->value) : NULL;
        bool ok = to->value || !from->value;
        if (!map_set(&copy->variables, entry->key, to) || !ok)
            return false;
    }
    cursor = 0;
    while ((entry = map_next(&shell->functions, &cursor))) {
        const struct function *from = entry->value;
        struct function *to = mem_alloc(sizeof *to);
        if (!to)
            return false;
        *to = (struct function){script_ref(from->script), from->body};
        if (!map_set(&copy->functions, entry->key, to))
            return false;
    }
    cursor = 0;
    while ((entry = map_next(&shell->aliases, &cursor))) {
        char *text = mem_string(entry->value);
        if (!text || !map_set(&copy->aliases, entry->key, text))
            return false;
    }
    return true;
}

struct shell *shell_copy(struct shell *shell)
{
    struct shell *copy = mem_alloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *shell;
    empty(copy);
    copy->jobs = NULL;
    copy->locals = NULL;
    copy->loop_depth = 0;
    copy->tested = false;
    copy->builtin = NULL;
    copy->leave = LEAVE_NOT;
    copy->caught = 0;
    copy->subshell = true;
    copy->option['m'] = false;
    copy->name = mem_string(shell->name);
    bool ok = copy->name && copy_maps(shell, copy);
    for (int i = 0; i < SHELL_SIGNALS; i++) /* what is ignored stays so, all else is the default again */
        copy->traps[i] = i > 0 && shell->traps[i] && !*shell->traps[i] ? mem_string("") : NULL;
    for (size_t i = 0; ok && i < shell->positional.length; i++)
        ok = vec_push_string(&copy->positional, shell->positional.items[i]);
    if (!ok) {
        shell_free(copy);
        mem_free(copy);
        return NULL;
    }
    return copy;
}
