/* applet_grep: grep, egrep, fgrep. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet_files.h"
#include "practice/sim/programs.h"
#include "practice/sim/regex.h"

struct grep {
    struct task *task;
    struct vec patterns; /* of struct regex */
    bool invert, names, no_names, count, list, list_none, quiet, silent, number, only, recursive;
    int64_t most, after, before;
    unsigned flags;
    bool found, failed;
};

static void regex_drop(void *data)
{
    regex_free(data);
}

/* Each line of text is a pattern. */
static bool add_patterns(struct grep *grep, const char *text)
{
    for (;;) {
        size_t length = strcspn(text, "\n");
        char *one = mem_string_n(text, length);
        struct regex *regex = one ? regex_new(one, grep->flags, grep->task) : NULL;
        mem_free(one);
        if (!regex || !vec_push(&grep->patterns, regex))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
        if (*text == '\0')
            return true;
    }
}

/* The earliest match from an offset. */
static bool find_match(const struct grep *grep, const char *line, size_t length, size_t from, size_t *start, size_t *end)
{
    bool found = false;
    for (size_t i = 0; i < grep->patterns.length; i++) {
        struct pattern_spans spans;
        if (!regex_find(grep->patterns.items[i], line, length, from, &spans))
            continue;
        if (!found || spans.at[0].start < *start || (spans.at[0].start == *start && spans.at[0].end > *end)) {
            *start = spans.at[0].start;
            *end = spans.at[0].end;
        }
        found = true;
    }
    return found;
}

static void print_head(const struct grep *grep, const char *name, int64_t number, char mark)
{
    if (grep->names)
        applet_print(grep->task, "%s%c", name, mark);
    if (grep->number)
        applet_print(grep->task, "%lld%c", (long long)number, mark);
}

static void print_line(const struct grep *grep, const char *name, int64_t number, char mark, const char *line, size_t length)
{
    size_t start, end;
    if (!grep->only) {
        print_head(grep, name, number, mark);
        applet_write(grep->task, line, length);
        applet_write(grep->task, "\n", 1);
        return;
    }
    for (size_t from = 0; from <= length && find_match(grep, line, length, from, &start, &end); from = end > start ? end : end + 1) {
        if (end == start)
            continue;
        print_head(grep, name, number, mark);
        applet_write(grep->task, line + start, end - start);
        applet_write(grep->task, "\n", 1);
    }
}

struct context { /* the lines before a match */
    struct vec lines;
    int64_t after_left, last_printed;
};

static void print_match(struct grep *grep, struct context *context, const char *name, int64_t number, const char *line, size_t length)
{
    bool wanted = grep->after > 0 || grep->before > 0;
    int64_t first = number - (int64_t)context->lines.length;
    if (wanted && context->last_printed > 0 && first > context->last_printed + 1)
        applet_print(grep->task, "--\n");
    for (size_t i = 0; i < context->lines.length; i++)
        print_line(grep, name, first + (int64_t)i, '-', context->lines.items[i], strlen(context->lines.items[i]));
    vec_clear(&context->lines);
    print_line(grep, name, number, ':', line, length);
    context->last_printed = number;
    context->after_left = grep->after;
}

static void no_match(const struct grep *grep, struct context *context, const char *name, int64_t number, const char *line, size_t length)
{
    if (context->after_left > 0) {
        context->after_left--;
        context->last_printed = number;
        print_line(grep, name, number, '-', line, length);
    } else if (grep->before > 0) {
        char *copy = mem_string_n(line, length);
        if (!copy || !vec_push(&context->lines, copy))
            return;
        if ((int64_t)context->lines.length > grep->before)
            vec_remove(&context->lines, 0);
    }
}

static void grep_descriptor(struct grep *grep, int fd, const char *name)
{
    struct applet_lines lines = {.fd = fd};
    struct context context = {.lines = vec_make(4096, mem_free)};
    const char *line;
    size_t length, start, end;
    int64_t number = 0, matches = 0;
    bool shows = !grep->count && !grep->list && !grep->list_none && !grep->quiet;
    while ((grep->most < 0 || matches < grep->most) && applet_line(grep->task, &lines, &line, &length)) {
        length -= line[length - 1] == '\n';
        number++;
        task_step(grep->task, 2);
        if (find_match(grep, line, length, 0, &start, &end) != grep->invert) {
            matches++;
            grep->found = true;
            if (shows)
                print_match(grep, &context, name, number, line, length);
            if (grep->quiet || grep->list || grep->list_none)
                break;
        } else if (shows) {
            no_match(grep, &context, name, number, line, length);
        }
    }
    vec_free(&context.lines);
    applet_lines_free(&lines);
    if (grep->count && !grep->quiet) {
        if (grep->names)
            applet_print(grep->task, "%s:", name);
        applet_print(grep->task, "%lld\n", (long long)matches);
    }
    if (!grep->quiet && ((grep->list && matches > 0) || (grep->list_none && matches == 0)))
        applet_print(grep->task, "%s\n", name);
}

static void grep_path(struct grep *grep, const char *path, bool top)
{
    struct task *task = grep->task;
    struct fs_stat stat;
    struct vec names;
    bool folder = fs_stat(&task->who, path, top, &stat) == 0 && S_ISDIR(stat.mode);
    if (grep->recursive && folder && !files_deep(task)) {
        char *below = mem_alloc(FS_PATH);
        if (below && fs_list(&task->who, path, &names) == 0) {
            for (size_t i = 0; i < names.length && task_step(task, 5); i++)
                if (files_join(below, path, names.items[i]) == 0)
                    grep_path(grep, below, false);
            vec_free(&names);
        }
        mem_free(below);
        return;
    }
    if (!top && !S_ISREG(stat.mode))
        return;
    if (folder)
        return; /* nothing in it matches */
    int fd = task_open(task, path, O_RDONLY, 0);
    if (fd < 0) {
        if (!grep->silent)
            applet_say_errno(task, path, fd);
        grep->failed = true;
        return;
    }
    grep_descriptor(grep, fd, path);
    task_close(task, fd);
}

static bool read_number(struct task *task, const char *text, int64_t *out)
{
    if (applet_number(text, out))
        return true;
    applet_say(task, "invalid number '%s'", text);
    return false;
}

static bool read_options(struct grep *grep, int argc, char **argv, struct applet_options *options, struct vec *texts)
{
    const char *program = applet_base_name(argv[0]);
    grep->flags = strcmp(program, "egrep") == 0 ? REGEX_EXTENDED : strcmp(program, "fgrep") == 0 ? REGEX_FIXED : 0;
    for (int letter; (letter = applet_option(grep->task, argc, argv, "HhnlLoqvsrRiwxFEGPcaIzm:A:B:C:e:f:", options)) != -1;) {
        bool ok = letter != '?';
        switch (letter) {
        case 'H': grep->names = true; break;
        case 'h': grep->no_names = true; break;
        case 'n': grep->number = true; break;
        case 'l': grep->list = true; break;
        case 'L': grep->list_none = true; break;
        case 'o': grep->only = true; break;
        case 'q': grep->quiet = true; break;
        case 'v': grep->invert = true; break;
        case 's': grep->silent = true; break;
        case 'r':
        case 'R': grep->recursive = true; break;
        case 'i': grep->flags |= REGEX_IGNORE_CASE; break;
        case 'w': grep->flags |= REGEX_WORD; break;
        case 'x': grep->flags |= REGEX_WHOLE_LINE; break;
        case 'F': grep->flags |= REGEX_FIXED; break;
        case 'E':
        case 'P': grep->flags |= REGEX_EXTENDED; break;
        case 'c': grep->count = true; break;
        case 'm': ok = read_number(grep->task, options->value, &grep->most); break;
        case 'A': ok = read_number(grep->task, options->value, &grep->after); break;
        case 'B': ok = read_number(grep->task, options->value, &grep->before); break;
        case 'C':
            ok = read_number(grep->task, options->value, &grep->after);
            grep->before = grep->after;
            break;
        case 'e': ok = vec_push_string(texts, options->value); break;
        case 'f': {
            char *text;
            size_t length;
            int got = fs_read_file(&grep->task->who, options->value, 1 << 20, &text, &length);
            ok = got == 0 && vec_push_string(texts, text);
            if (got == 0)
                mem_free(text);
            else
                applet_say_errno(grep->task, options->value, got);
            break;
        }
        default: break;
        }
        if (!ok)
            return false;
    }
    return true;
}

static int grep_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct grep grep = {.task = task, .patterns = vec_make(1024, regex_drop), .most = -1};
    struct vec texts = vec_make(1024, mem_free);
    bool ok = read_options(&grep, argc, argv, &options, &texts);
    int first = options.index;
    if (ok && texts.length == 0) {
        ok = first < argc;
        if (ok)
            ok = vec_push_string(&texts, argv[first++]);
        else
            applet_usage(task, "[-HhnlLoqvsrRiwFEz] [-m N] [-A|B|C N] { PATTERN | -e PATTERN... | -f FILE... } [FILE]...");
    }
    for (size_t i = 0; ok && i < texts.length; i++)
        ok = add_patterns(&grep, texts.items[i]);
    vec_free(&texts);
    if (ok) {
        grep.names = (grep.names || argc - first > 1 || grep.recursive) && !grep.no_names;
        if (first >= argc && grep.recursive)
            grep_path(&grep, ".", true);
        else if (first >= argc)
            grep_descriptor(&grep, 0, "(standard input)");
        for (int i = first; i < argc && !(grep.quiet && grep.found) && !task_dying(task); i++)
            if (strcmp(argv[i], "-") == 0)
                grep_descriptor(&grep, 0, "(standard input)");
            else
                grep_path(&grep, argv[i], true);
    }
    vec_free(&grep.patterns);
    return !ok || (grep.failed && !(grep.quiet && grep.found)) ? 2 : !grep.found;
}

static const struct program programs[] = {{.name = "grep", .main = grep_main}, {.name = "egrep", .main = grep_main}, {.name = "fgrep", .main = grep_main}};
const struct program_table programs_grep = {programs, sizeof programs / sizeof *programs};
