/* applet_sed: sed: addresses, groups, s p d q n N a i c y = h H g G x b t w r D P. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"
#include "practice/sim/regex.h"
#include "practice/sim/sed.h"

/* ---- input ---- */

static void to(struct sed *sed, const char *text, size_t length)
{
    if (sed->out > 0) {
        if (task_write(sed->task, sed->out, text, length) < 0)
            sed->quit = true;
    } else if (!applet_write(sed->task, text, length)) {
        sed->quit = true;
    }
}

static bool open_next(struct sed *sed)
{
    while (!sed->open && sed->files_left > 0) {
        const char *name = *sed->files++;
        sed->files_left--;
        int fd = strcmp(name, "-") == 0 ? 0 : task_open(sed->task, name, O_RDONLY, 0);
        if (fd < 0) {
            sed->status = applet_say(sed->task, "%s: %s", name, applet_errno(fd));
            continue;
        }
        sed->lines = (struct applet_lines){.fd = fd};
        sed->open = true;
    }
    return sed->open;
}

/* Reads ahead by one line, so that the last one is known. */
static void read_ahead(struct sed *sed)
{
    const char *line;
    size_t length;
    sed->has_next = false;
    while (open_next(sed)) {
        if (applet_line(sed->task, &sed->lines, &line, &length)) {
            sed->next_newline = line[length - 1] == '\n';
            buf_clear(&sed->next);
            buf_append(&sed->next, line, length - sed->next_newline);
            sed->has_next = true;
            return;
        }
        applet_lines_free(&sed->lines);
        sed->open = false;
        if (sed->separate)
            return;
    }
}

static bool next_line(struct sed *sed)
{
    if (!sed->has_next || task_dying(sed->task))
        return false;
    buf_append(&sed->pattern, sed->next.bytes ? sed->next.bytes : "", sed->next.length);
    sed->newline = sed->next_newline;
    sed->line++;
    read_ahead(sed);
    return true;
}

/* ---- running ---- */

static bool matches(struct sed *sed, const struct address *address)
{
    if (address->kind == 'n')
        return sed->line == address->line;
    if (address->kind == '~')
        return address->step > 0 ? sed->line >= address->line && (sed->line - address->line) % address->step == 0 : sed->line == address->line;
    if (address->kind == '$')
        return !sed->has_next;
    const struct regex *regex = address->regex ? address->regex : sed->last_regex;
    sed->last_regex = regex;
    return regex && regex_find(regex, sed->pattern.bytes ? sed->pattern.bytes : "", sed->pattern.length, 0, NULL);
}

static bool selected(struct sed *sed, struct command *command)
{
    if (!command->first.kind)
        return true;
    if (!command->second.kind)
        return matches(sed, &command->first);
    if (!command->in_range) {
        if (!matches(sed, &command->first))
            return false;
        command->range_end = command->second.kind == '+' ? sed->line + command->second.line : command->second.line;
        command->in_range = command->second.kind == 'n' || command->second.kind == '+' ? command->range_end > sed->line : true;
        return true;
    }
    if (command->second.kind == 'n' || command->second.kind == '+') {
        command->in_range = sed->line < command->range_end;
        return sed->line <= command->range_end;
    }
    command->in_range = !matches(sed, &command->second);
    return true;
}

static void print_space(struct sed *sed, size_t length)
{
    to(sed, sed->pattern.bytes ? sed->pattern.bytes : "", length);
    if (sed->newline || sed->has_next)
        to(sed, "\n", 1);
}

static void add_replacement(const struct command *command, const char *line, const struct pattern_spans *spans, struct buf *out)
{
    for (const char *at = command->text; *at; at++) {
        size_t group = SIZE_MAX;
        if (*at == '&') {
            group = 0;
        } else if (*at == '\\' && at[1] >= '0' && at[1] <= '9') {
            group = (size_t)(*++at - '0');
        } else if (*at == '\\' && at[1]) {
            at++;
            buf_append(out, *at == 't' ? "\t" : at, 1);
            continue;
        } else {
            buf_append(out, at, 1);
            continue;
        }
        if (group < spans->count && spans->at[group].start != (size_t)-1)
            buf_append(out, line + spans->at[group].start, spans->at[group].end - spans->at[group].start);
    }
}

static bool substitute(struct sed *sed, const struct command *command)
{
    const struct regex *regex = command->regex ? command->regex : sed->last_regex;
    const char *line = sed->pattern.bytes ? sed->pattern.bytes : "";
    size_t length = sed->pattern.length, from = 0, copied = 0;
    struct buf out = buf_make(SED_SPACE);
    int64_t seen = 0;
    bool done = false;
    struct pattern_spans spans;
    sed->last_regex = regex;
    while (regex && from <= length && task_step(sed->task, 2) && regex_find(regex, line, length, from, &spans)) {
        size_t start = spans.at[0].start, end = spans.at[0].end;
        seen++;
        if (seen >= (command->which > 0 ? command->which : 1)) {
            buf_append(&out, line + copied, start - copied);
            add_replacement(command, line, &spans, &out);
            copied = end;
            done = true;
            if (!command->global)
                break;
        }
        if (end == start) { /* an empty match: the next character stays */
            if (copied == start && start < length && done)
                buf_append(&out, line + start, 1), copied = start + 1;
            from = end + 1;
        } else {
            from = end;
        }
    }
    if (done && copied < length)
        buf_append(&out, line + copied, length - copied);
    if (done) {
        buf_free(&sed->pattern);
        sed->pattern = out;
        if (command->print)
            print_space(sed, sed->pattern.length);
    } else {
        buf_free(&out);
    }
    return done;
}

static void append_file(struct sed *sed, const char *path)
{
    char *text;
    size_t length;
    if (fs_read_file(&sed->task->who, path, SED_SPACE, &text, &length) != 0)
        return;
    buf_append(&sed->appended, text, length);
    mem_free(text);
}

static void write_file(struct sed *sed, const struct command *command)
{
    int fd = task_open(sed->task, command->text, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0)
        return;
    task_write(sed->task, fd, sed->pattern.bytes ? sed->pattern.bytes : "", sed->pattern.length);
    task_write(sed->task, fd, "\n", 1);
    task_close(sed->task, fd);
}

static void set_space(struct buf *to_space, const struct buf *from, bool append)
{
    if (append)
        buf_append(to_space, "\n", 1);
    else
        buf_clear(to_space);
    buf_append(to_space, from->bytes ? from->bytes : "", from->length);
}

static void exchange(struct sed *sed)
{
    struct buf space = sed->pattern;
    sed->pattern = sed->hold;
    sed->hold = space;
}

static void translate(struct sed *sed, const struct command *command)
{
    for (size_t i = 0; i < sed->pattern.length; i++) {
        const char *at = strchr(command->text, sed->pattern.bytes[i]);
        if (at && *at)
            sed->pattern.bytes[i] = command->other[at - command->text];
    }
}

static void flush_appended(struct sed *sed)
{
    if (sed->appended.length > 0)
        to(sed, sed->appended.bytes, sed->appended.length);
    buf_clear(&sed->appended);
}

/* D: what is after the first line stays. */
static void drop_first_line(struct sed *sed, size_t length)
{
    struct buf rest = buf_make(SED_SPACE);
    buf_append(&rest, sed->pattern.bytes + length, sed->pattern.length - length);
    buf_free(&sed->pattern);
    sed->pattern = rest;
}

enum flow { FLOW_NEXT, FLOW_END /* of the cycle: printed */, FLOW_DELETE, FLOW_AGAIN /* without reading */ };

static enum flow run_one(struct sed *sed, struct command *command, size_t *at, bool *substituted)
{
    const char *space = sed->pattern.bytes ? sed->pattern.bytes : "";
    const char *end = memchr(space, '\n', sed->pattern.length);
    size_t first = end ? (size_t)(end - space) : sed->pattern.length;
    switch (command->letter) {
    case 's': *substituted = substitute(sed, command) || *substituted; break;
    case 'p': print_space(sed, sed->pattern.length); break;
    case 'P': to(sed, space, first), to(sed, "\n", 1); break;
    case 'd': return FLOW_DELETE;
    case 'D':
        if (!end)
            return FLOW_DELETE;
        drop_first_line(sed, first + 1);
        return FLOW_AGAIN;
    case 'q': sed->quit = true; sed->status = (int)command->which; return FLOW_END;
    case 'Q': sed->quit = true; sed->status = (int)command->which; return FLOW_DELETE;
    case 'n':
        if (!sed->has_next)
            return FLOW_END;
        if (!sed->quiet)
            print_space(sed, sed->pattern.length);
        flush_appended(sed);
        buf_clear(&sed->pattern);
        next_line(sed);
        break;
    case 'N':
        if (!sed->has_next)
            return FLOW_END;
        buf_append(&sed->pattern, "\n", 1);
        next_line(sed);
        break;
    case 'a': buf_append_string(&sed->appended, command->text); break;
    case 'i': to(sed, command->text, strlen(command->text)); break;
    case 'c':
        if (!command->second.kind || !command->in_range || command->negate)
            to(sed, command->text, strlen(command->text));
        return FLOW_DELETE;
    case 'y': translate(sed, command); break;
    case '=': {
        char number[24];
        struct buf line = buf_make(sizeof number);
        buf_printf(&line, "%lld\n", (long long)sed->line);
        to(sed, line.bytes, line.length);
        buf_free(&line);
        break;
    }
    case 'h': set_space(&sed->hold, &sed->pattern, false); break;
    case 'H': set_space(&sed->hold, &sed->pattern, true); break;
    case 'g': set_space(&sed->pattern, &sed->hold, false); break;
    case 'G': set_space(&sed->pattern, &sed->hold, true); break;
    case 'x': exchange(sed); break;
    case 'b': *at = command->jump; break;
    case 't':
    case 'T':
        if (*substituted == (command->letter == 't'))
            *at = command->jump;
        *substituted = false;
        break;
    case 'r': append_file(sed, command->text); break;
    case 'w': write_file(sed, command); break;
    default: break;
    }
    return FLOW_NEXT;
}

static void run_input(struct sed *sed)
{
    bool again = false;
    while (!sed->quit && buf_ok(&sed->pattern)) {
        if (!again) {
            buf_clear(&sed->pattern);
            if (!next_line(sed))
                break;
        }
        bool substituted = false;
        enum flow flow = FLOW_NEXT;
        for (size_t at = 0; at < sed->count && flow == FLOW_NEXT && task_step(sed->task, 2);) {
            struct command *command = &sed->commands[at++];
            if (selected(sed, command) == command->negate) {
                if (command->letter == '{')
                    at = command->jump;
                continue;
            }
            flow = run_one(sed, command, &at, &substituted);
        }
        again = flow == FLOW_AGAIN;
        if (!sed->quiet && (flow == FLOW_NEXT || flow == FLOW_END))
            print_space(sed, sed->pattern.length);
        flush_appended(sed);
    }
}

/* -i: each file by itself, its new content in its place. */
static void edit_file(struct sed *sed, char *path, const char *suffix)
{
    struct task *task = sed->task;
    char temporary[FS_PATH];
    struct fs_stat stat;
    int got = fs_stat(&task->who, path, true, &stat);
    size_t slash = strlen(path);
    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    if (got == 0 && slash + 24 < sizeof temporary) {
        memcpy(temporary, path, slash);
        strcpy(temporary + slash, ".sed-in-place");
        sed->out = got = task_open(task, temporary, O_WRONLY | O_CREAT | O_TRUNC, stat.mode & 07777);
    }
    if (got < 0) {
        sed->status = applet_say(task, "%s: %s", path, applet_errno(got));
        return;
    }
    sed->files = &path;
    sed->files_left = 1;
    sed->line = 0;
    read_ahead(sed);
    run_input(sed);
    task_close(task, sed->out);
    sed->out = 0;
    if (*suffix) {
        char backup[FS_PATH];
        if (strlen(path) + strlen(suffix) < sizeof backup) {
            strcpy(backup, path);
            strcat(backup, suffix);
            fs_rename(&task->who, path, backup);
        }
    }
    got = fs_rename(&task->who, temporary, path);
    if (got != 0) {
        sed->status = applet_say(task, "%s: %s", path, applet_errno(got));
        fs_unlink(&task->who, temporary);
    }
}

static bool read_arguments(struct sed *sed, int argc, char **argv, struct applet_options *options, struct buf *script, const char **suffix)
{
    bool any = false;
    for (int i = 1; i < argc; i++) /* -i's suffix is part of the word, or there is none */
        if (strncmp(argv[i], "-i", 2) == 0) {
            *suffix = argv[i] + 2;
            sed->in_place = true;
        }
    for (int letter; (letter = applet_option(sed->task, argc, argv, "nrEsie:f:", options)) != -1;) {
        if (letter == '?')
            return false;
        sed->quiet = sed->quiet || letter == 'n';
        sed->extended = sed->extended || letter == 'r' || letter == 'E';
        if (letter == 'i')
            options->rest = NULL;
        if (letter == 'e') {
            buf_printf(script, "%s%s", any ? "\n" : "", options->value);
            any = true;
        }
        if (letter == 'f') {
            char *text;
            size_t length;
            int got = fs_read_file(&sed->task->who, options->value, 1 << 20, &text, &length);
            if (got != 0) {
                applet_say_errno(sed->task, options->value, got);
                return false;
            }
            buf_printf(script, "%s%s", any ? "\n" : "", text);
            any = true;
            mem_free(text);
        }
    }
    if (!any && options->index >= argc) {
        applet_usage(sed->task, "[-i[SFX]] [-nrE] [-f FILE]... [-e CMD]... [FILE]...\nor: sed [-i[SFX]] [-nrE] CMD [FILE]...");
        return false;
    }
    if (!any)
        buf_append_string(script, argv[options->index++]);
    return buf_ok(script);
}

static void drop(struct sed *sed)
{
    for (size_t i = 0; i < sed->count; i++) {
        regex_free(sed->commands[i].first.regex);
        regex_free(sed->commands[i].second.regex);
        regex_free(sed->commands[i].regex);
        mem_free(sed->commands[i].text);
        mem_free(sed->commands[i].other);
    }
    applet_lines_free(&sed->lines);
    buf_free(&sed->pattern);
    buf_free(&sed->hold);
    buf_free(&sed->appended);
    buf_free(&sed->next);
    mem_free(sed);
}

static int sed_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct sed *sed = mem_zero(1, sizeof *sed);
    struct buf script = buf_make(1 << 20);
    const char *suffix = "";
    if (!sed)
        return applet_say(task, "out of memory");
    sed->task = task;
    sed->pattern = sed->hold = sed->appended = sed->next = buf_make(SED_SPACE);
    if (!read_arguments(sed, argc, argv, &options, &script, &suffix))
        sed->failed = true;
    else
        sed_read_script(sed, script.bytes ? script.bytes : "");
    buf_free(&script);
    char standard[] = "-", *only = standard;
    if (!sed->failed && sed->in_place) {
        for (int i = options.index; i < argc && !task_dying(task); i++)
            edit_file(sed, argv[i], suffix);
    } else if (!sed->failed) {
        sed->files = options.index < argc ? argv + options.index : &only;
        sed->files_left = options.index < argc ? argc - options.index : 1;
        read_ahead(sed);
        run_input(sed);
    }
    int status = sed->failed ? 1 : sed->status;
    drop(sed);
    return status;
}

static const struct program programs[] = {{.name = "sed", .main = sed_main}};
const struct program_table programs_sed = {programs, sizeof programs / sizeof *programs};
