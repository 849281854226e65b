/* applet_find: find and xargs. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet_files.h"
#include "practice/sim/programs.h"
#include "practice/sim/shell.h"

/* Runs words and waits: the exit status, 127 or 126 where it cannot be run. */
static int run(struct task *task, char **words)
{
    char path[FS_PATH];
    struct task_status status = {0};
    applet_flush(task);
    int error = task_find(task, words[0], NULL, path);
    struct task *child = error == 0 ? task_spawn(task, &(struct spawn){.path = path, .argv = words}, &error) : NULL;
    if (!child) {
        applet_say_errno(task, words[0], error);
        return error == -ENOENT ? 127 : 126;
    }
    if (task_wait(task, child->pid, true, &status) < 0)
        return 255;
    return status.signal ? 128 + status.signal : status.code;
}

/* ---- find: an expression is a list of tests joined by and; -o begins another ---- */

struct find {
    struct task *task;
    int argc;
    char **argv;
    int first; /* of the expression */
    int64_t min_depth, max_depth;
    bool depth_first, action, prune;
    int status, at, nested;
    bool bad;
    const char *path, *name;
    const struct fs_stat *stat;
};

static bool find_or(struct find *find, bool run_it);

static const char *argument(struct find *find)
{
    if (find->at < find->argc)
        return find->argv[find->at++];
    find->bad = true;
    return "";
}

/* +N, -N, N */
static bool compare(const char *text, int64_t value)
{
    int64_t number = strtoll(text + (*text == '+' || *text == '-'), NULL, 10);
    return *text == '+' ? value > number : *text == '-' ? value < number : value == number;
}

static bool size_test(const char *text, int64_t size)
{
    char number[32];
    snprintf(number, sizeof number, "%s", text);
    size_t length = strlen(number);
    char unit = length > 0 ? number[length - 1] : 'b';
    int64_t bytes = unit == 'c' ? 1 : unit == 'k' ? 1024 : unit == 'M' ? 1 << 20 : unit == 'G' ? 1 << 30 : 512;
    return compare(number, (size + bytes - 1) / bytes);
}

static bool match_folded(const char *pattern, const char *name)
{
    char a[FS_NAME + 1], b[FS_NAME + 1];
    size_t i = 0, j = 0;
    for (; pattern[i] && i < FS_NAME; i++)
        a[i] = (char)tolower((unsigned char)pattern[i]);
    for (; name[j] && j < FS_NAME; j++)
        b[j] = (char)tolower((unsigned char)name[j]);
    a[i] = '\0';
    b[j] = '\0';
    return shell_match(a, b, j);
}

static bool exec_action(struct find *find, bool run_it)
{
    char *words[64];
    int count = 0;
    struct vec made = vec_make(64, mem_free);
    bool ok = true;
    while (find->at < find->argc && strcmp(find->argv[find->at], ";") != 0 && strcmp(find->argv[find->at], "+") != 0) {
        const char *word = find->argv[find->at++];
        struct buf text = buf_make(FS_PATH * 4);
        for (; *word; word++)
            if (run_it && word[0] == '{' && word[1] == '}')
                buf_append_string(&text, find->path), word++;
            else
                buf_append(&text, word, 1);
        char *copy = buf_take(&text, NULL);
        ok = ok && count < 63 && copy && vec_push(&made, copy);
        if (ok)
            words[count++] = copy;
    }
    find->bad = find->bad || find->at >= find->argc || count == 0;
    find->at++;
    words[count] = NULL;
    bool result = run_it && ok && !find->bad && run(find->task, words) == 0;
    vec_free(&made);
    return result;
}

static bool find_primary(struct find *find, bool run_it)
{
    const char *word = find->argv[find->at++];
    struct task *task = find->task;
    if (strcmp(word, "(") == 0) {
        if (++find->nested > 32) {
            find->bad = true;
            return false;
        }
        bool value = find_or(find, run_it);
        find->nested--;
        if (find->at < find->argc && strcmp(find->argv[find->at], ")") == 0)
            find->at++;
        else
            find->bad = true;
        return value;
    }
    if (strcmp(word, "!") == 0 || strcmp(word, "-not") == 0) {
        if (find->at >= find->argc || ++find->nested > 32) {
            find->bad = true;
            return false;
        }
        bool value = find_primary(find, run_it);
        find->nested--;
        return !value;
    }
    if (strcmp(word, "-exec") == 0 || strcmp(word, "-ok") == 0) {
        find->action = true;
        return exec_action(find, run_it);
    }
    if (strcmp(word, "-maxdepth") == 0 || strcmp(word, "-mindepth") == 0) {
        *(word[2] == 'a' ? &find->max_depth : &find->min_depth) = strtoll(argument(find), NULL, 10);
        return true;
    }
    bool print0 = strcmp(word, "-print0") == 0;
    if (print0 || strcmp(word, "-print") == 0) {
        find->action = true;
        if (run_it)
            applet_print(task, "%s", find->path), applet_write(task, print0 ? "" : "\n", 1);
        return true;
    }
    if (strcmp(word, "-delete") == 0) {
        find->action = find->depth_first = true;
        return !run_it || files_remove(task, find->path);
    }
    if (strcmp(word, "-prune") == 0) {
        find->prune = find->prune || run_it;
        return true;
    }
    if (strcmp(word, "-depth") == 0 || strcmp(word, "-xdev") == 0 || strcmp(word, "-follow") == 0) {
        find->depth_first = find->depth_first || word[1] == 'd';
        return true;
    }
    if (strcmp(word, "-empty") == 0) {
        struct vec names;
        if (!run_it || !S_ISDIR(find->stat->mode) || fs_list(&task->who, find->path, &names) != 0)
            return run_it && S_ISREG(find->stat->mode) && find->stat->size == 0;
        bool empty = names.length == 0;
        vec_free(&names);
        return empty;
    }
    static const char *const with_value[] = {"-name", "-iname", "-path", "-wholename", "-type", "-size", "-mtime", "-mmin", "-newer", "-user", "-group", "-perm"};
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++) {
        if (strcmp(with_value[i], word) != 0)
            continue;
        const char *value = argument(find);
        struct fs_stat other;
        if (!run_it)
            return true;
        int64_t age = kernel_now(task->kernel) - find->stat->time_ms;
        switch (i) {
        case 0: return shell_match(value, find->name, strlen(find->name));
        case 1: return match_folded(value, find->name);
        case 2:
        case 3: return shell_match(value, find->path, strlen(find->path));
        case 4: return *value == 'f' ? S_ISREG(find->stat->mode) : *value == 'd' ? S_ISDIR(find->stat->mode) : *value == 'l' ? S_ISLNK(find->stat->mode) : *value == 'c' ? S_ISCHR(find->stat->mode) : false;
        case 5: return size_test(value, find->stat->size);
        case 6: return compare(value, age / 86400000);
        case 7: return compare(value, age / 60000);
        case 8: return fs_stat(&task->who, value, true, &other) == 0 && find->stat->time_ms > other.time_ms;
        case 9: return (uint32_t)strtoul(value, NULL, 10) == find->stat->uid || (find->stat->uid == 0 && strcmp(value, "root") == 0);
        case 10: return (uint32_t)strtoul(value, NULL, 10) == find->stat->gid || (find->stat->gid == 0 && strcmp(value, "root") == 0);
        default: return (find->stat->mode & 07777) == strtoul(value, NULL, 8);
        }
    }
    applet_say(task, "unrecognized: %s", word);
    find->bad = true;
    return false;
}

static bool find_and(struct find *find, bool run_it)
{
    bool value = true;
    while (find->at < find->argc && !find->bad && strcmp(find->argv[find->at], "-o") != 0 && strcmp(find->argv[find->at], ")") != 0) {
        if (strcmp(find->argv[find->at], "-a") == 0) {
            find->at++;
            continue;
        }
        bool got = find_primary(find, run_it && value);
        value = value && got;
    }
    return value;
}

static bool find_or(struct find *find, bool run_it)
{
    bool value = find_and(find, run_it);
    while (find->at < find->argc && !find->bad && strcmp(find->argv[find->at], "-o") == 0) {
        find->at++;
        bool got = find_and(find, run_it && !value);
        value = value || got;
    }
    return value;
}

static void visit(struct find *find, const char *path, const struct fs_stat *stat, int64_t depth)
{
    if (depth < find->min_depth)
        return;
    find->path = path;
    find->name = applet_base_name(path);
    find->stat = stat;
    find->at = find->first;
    bool value = find_or(find, true);
    if (value && !find->action)
        applet_print(find->task, "%s\n", path);
}

static void descend(struct find *find, const char *path, int64_t depth)
{
    struct fs_stat stat;
    struct vec names;
    int got = fs_stat(&find->task->who, path, false, &stat);
    if (got != 0) {
        find->status = applet_say_errno(find->task, path, got);
        return;
    }
    find->prune = false;
    if (!find->depth_first)
        visit(find, path, &stat, depth);
    if (S_ISDIR(stat.mode) && !find->prune && depth < find->max_depth && !files_deep(find->task)) {
        got = fs_list(&find->task->who, path, &names);
        if (got != 0)
            find->status = applet_say_errno(find->task, path, got);
        char *below = got == 0 ? mem_alloc(FS_PATH) : NULL;
        for (size_t i = 0; below && i < names.length && task_step(find->task, 10); i++)
            if (files_join(below, path, names.items[i]) == 0)
                descend(find, below, depth + 1);
        mem_free(below);
        if (got == 0)
            vec_free(&names);
    }
    if (find->depth_first)
        visit(find, path, &stat, depth);
}

static int find_main(struct task *task, int argc, char **argv)
{
    struct find find = {.task = task, .argc = argc, .argv = argv, .first = 1, .max_depth = FS_DEPTH + 1};
    struct fs_stat nothing = {0};
    while (find.first < argc && argv[find.first][0] != '-' && argv[find.first][0] != '(' && argv[find.first][0] != '!')
        find.first++;
    find.path = find.name = "";
    find.stat = &nothing;
    find.at = find.first;
    find_or(&find, false); /* looks for mistakes and what holds for all */
    if (find.bad || find.at < argc)
        return find.at < argc && !find.bad ? applet_say(task, "unrecognized: %s", argv[find.at]) : 1;
    for (int i = 1; i < find.first || (i == 1 && find.first == 1); i++)
        descend(&find, find.first == 1 ? "." : argv[i], 0);
    return find.status;
}

/* ---- xargs ---- */

struct gathering {
    struct task *task;
    struct vec words;
    size_t fixed;        /* words of the command itself */
    int64_t most;
    const char *replace; /* -I */
    bool trace;
    int status;
};

static bool run_words(struct gathering *gathering)
{
    if (!vec_push(&gathering->words, NULL))
        return false;
    if (gathering->trace)
        for (size_t i = 0; i + 1 < gathering->words.length; i++)
            applet_print(gathering->task, "%s%s", (const char *)gathering->words.items[i], i + 2 < gathering->words.length ? " " : "\n");
    int got = run(gathering->task, (char **)gathering->words.items);
    gathering->status = got == 0 ? gathering->status : got == 127 || got == 126 ? got : got == 255 ? 124 : 123;
    while (gathering->words.length > gathering->fixed)
        vec_remove(&gathering->words, gathering->words.length - 1);
    return got != 127 && got != 126 && got != 255 && !task_dying(gathering->task);
}

static bool run_replaced(struct gathering *gathering, const char *value)
{
    struct vec words = vec_make(65536, mem_free), own = gathering->words;
    bool ok = true;
    for (size_t i = 0; ok && i < gathering->fixed; i++) {
        struct buf text = buf_make(TASK_ARGUMENTS);
        const char *at = own.items[i], *found;
        while ((found = strstr(at, gathering->replace))) {
            buf_append(&text, at, (size_t)(found - at));
            buf_append_string(&text, value);
            at = found + strlen(gathering->replace);
        }
        buf_append_string(&text, at);
        char *copy = buf_take(&text, NULL);
        ok = copy && vec_push(&words, copy);
    }
    gathering->words = words;
    size_t fixed = gathering->fixed;
    gathering->fixed = words.length;
    ok = ok && run_words(gathering);
    vec_free(&gathering->words);
    gathering->words = own;
    gathering->fixed = fixed;
    return ok;
}

static bool add_word(struct gathering *gathering, struct buf *word)
{
    char *copy = buf_take(word, NULL);
    bool ok = copy != NULL;
    if (ok && gathering->replace) {
        ok = run_replaced(gathering, copy);
        mem_free(copy);
        return ok;
    }
    ok = ok && vec_push(&gathering->words, copy);
    if (ok && (int64_t)(gathering->words.length - gathering->fixed) >= gathering->most)
        ok = run_words(gathering);
    return ok;
}

/* Splits the input: at blanks with quotes, at line ends (-I), at NULs (-0). */
static bool split(struct gathering *gathering, const char *text, size_t length, bool zeros, bool lines)
{
    struct buf word = buf_make(TASK_ARGUMENTS);
    char quote = 0;
    bool any = false, ok = true;
    for (size_t i = 0; ok && i < length; i++) {
        char byte = text[i];
        bool ends = zeros ? byte == '\0' : lines ? byte == '\n' : !quote && (byte == ' ' || byte == '\t' || byte == '\n');
        if (ends) {
            ok = !any || add_word(gathering, &word);
            any = false;
        } else if (!zeros && quote && byte == quote) {
            quote = 0;
        } else if (!zeros && !quote && (byte == '\'' || byte == '"')) {
            quote = byte;
            any = true;
        } else {
            if (!zeros && byte == '\\' && !quote && i + 1 < length)
                byte = text[++i];
            if (!(lines && !any && (byte == ' ' || byte == '\t'))) {
                buf_append(&word, &byte, 1);
                any = true;
            }
        }
    }
    if (ok && any)
        ok = add_word(gathering, &word);
    buf_free(&word);
    return ok;
}

static int xargs_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct gathering gathering = {.task = task, .words = vec_make(65536, mem_free), .most = 32768};
    bool zeros = false, skip_empty = false, ok = true, lines = false;
    for (int letter; (letter = applet_option(task, argc, argv, "+0rtpn:s:I:i:E:P:L:d:x", &options)) != -1;) {
        ok = ok && letter != '?';
        zeros = zeros || letter == '0';
        skip_empty = skip_empty || letter == 'r';
        gathering.trace = gathering.trace || letter == 't';
        if (letter == 'n' || letter == 'L')
            ok = applet_number(options.value, &gathering.most) && gathering.most > 0;
        lines = lines || letter == 'L' || letter == 'd';
        if (letter == 'I')
            gathering.replace = options.value;
    }
    for (int i = options.index; ok && i < argc; i++)
        ok = vec_push_string(&gathering.words, argv[i]);
    if (ok && options.index >= argc)
        ok = vec_push_string(&gathering.words, "echo");
    gathering.fixed = gathering.words.length;
    struct buf input;
    ok = ok && applet_slurp(task, 0, 8 << 20, &input);
    if (ok) {
        bool went = split(&gathering, input.bytes ? input.bytes : "", input.length, zeros, gathering.replace || lines);
        bool left = gathering.words.length > gathering.fixed;
        if (went && !gathering.replace && (left || (!skip_empty && strspn(input.bytes ? input.bytes : "", " \t\n") == input.length)))
            run_words(&gathering);
        buf_free(&input);
    }
    vec_free(&gathering.words);
    return ok ? gathering.status : 1;
}

static const struct program programs[] = {{.name = "find", .main = find_main}, {.name = "xargs", .main = xargs_main}};
const struct program_table programs_find = {programs, sizeof programs / sizeof *programs};
