/* applet_text: cat, head, tail, wc, tee and their like. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"

/* Calls fn with each file opened ("-" or none: descriptor 0). The status. */
static int each_file(struct task *task, int argc, char **argv, int first, int (*fn)(struct task *task, int fd, const char *name, void *data), void *data)
{
    int status = 0;
    for (int i = first; (i < argc || i == first) && !task_dying(task); i++) {
        const char *name = i < argc ? argv[i] : "-";
        int fd = strcmp(name, "-") == 0 ? 0 : task_open(task, name, O_RDONLY, 0);
        if (fd < 0) {
            const char *program = applet_base_name(argv[0]);
            bool plain = strcmp(program, "head") == 0 || strcmp(program, "wc") == 0;
            status = applet_say(task, plain ? "%s: %s" : "can't open '%s': %s", name, applet_errno(fd));
            continue;
        }
        int got = fn(task, fd, i < argc ? name : NULL, data);
        status = got != 0 ? got : status;
        if (fd > 0)
            task_close(task, fd);
    }
    return status;
}

/* ---- cat ---- */

struct cat {
    bool number, number_nonblank, show, tabs, ends;
    unsigned line;
};

static void show_byte(struct task *task, const struct cat *cat, unsigned char byte)
{
    char text[8] = "";
    size_t at = 0;
    if (cat->show && byte >= 0x80) {
        strcpy(text, "M-");
        at = 2;
        byte &= 0x7F;
    }
    if (((cat->show && byte != '\t') || (cat->tabs && byte == '\t')) && (byte < ' ' || byte == 127) && byte != '\n') {
        text[at++] = '^';
        byte ^= 0x40;
    }
    text[at++] = (char)byte;
    applet_write(task, text, at);
}

static int cat_lines(struct task *task, int fd, const char *name, void *data)
{
    struct cat *cat = data;
    struct applet_lines lines = {.fd = fd};
    const char *line;
    size_t length;
    (void)name;
    while (applet_line(task, &lines, &line, &length)) {
        bool newline = line[length - 1] == '\n';
        size_t text = length - newline;
        if (cat->number || (cat->number_nonblank && text > 0))
            applet_print(task, "%6u\t", ++cat->line);
        for (size_t i = 0; i < text; i++)
            show_byte(task, cat, (unsigned char)line[i]);
        if (newline && !applet_write(task, cat->ends ? "$\n" : "\n", cat->ends ? 2 : 1))
            break;
    }
    applet_lines_free(&lines);
    return 0;
}

static int cat_plain(struct task *task, int fd, const char *name, void *data)
{
    char bytes[8192];
    ssize_t got, put = 0;
    (void)data;
    while (put >= 0 && (got = task_read(task, fd, bytes, sizeof bytes)) != 0) {
        if (got < 0) {
            if (!task_dying(task))
                applet_say(task, "read error: %s", applet_errno((int)got));
            (void)name;
            return 1;
        }
        put = task_write(task, 1, bytes, (size_t)got);
    }
    if (put < 0 && !task_dying(task))
        applet_say(task, "write error: %s", applet_errno((int)put));
    return put < 0;
}

static int cat_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct cat cat = {0};
    bool plain = true;
    for (int letter; (letter = applet_option(task, argc, argv, "nbvteAu", &options)) != -1;) {
        if (letter == '?')
            return 1;
        plain = plain && letter == 'u';
        cat.number = cat.number || letter == 'n';
        cat.number_nonblank = cat.number_nonblank || letter == 'b';
        cat.show = cat.show || strchr("vteA", letter);
        cat.tabs = cat.tabs || strchr("tA", letter);
        cat.ends = cat.ends || strchr("eA", letter);
    }
    return each_file(task, argc, argv, options.index, plain ? cat_plain : cat_lines, &cat);
}

/* ---- head and tail ---- */

struct part {
    int64_t count; /* below zero (head): all but so many */
    bool bytes, from_start /* tail +N */, titles, quiet, follow;
    int printed;
};

static void title(struct task *task, struct part *part, const char *name)
{
    if (part->titles)
        applet_print(task, "%s==> %s <==\n", part->printed++ > 0 ? "\n" : "", name ? name : "standard input");
}

static int head_file(struct task *task, int fd, const char *name, void *data)
{
    struct part *part = data;
    title(task, part, name);
    if (part->bytes) {
        char bytes[4096];
        int64_t left = part->count;
        ssize_t got;
        while (left > 0 && (got = task_read(task, fd, bytes, left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes)) > 0) {
            if (!applet_write(task, bytes, (size_t)got))
                return 1;
            left -= got;
        }
        return 0;
    }
    struct applet_lines lines = {.fd = fd};
    struct vec kept = vec_make(1 << 20, mem_free);
    const char *line;
    size_t length;
    bool ok = true;
    for (int64_t n = 0; ok && (part->count < 0 || n < part->count) && applet_line(task, &lines, &line, &length); n++) {
        if (part->count >= 0) {
            ok = applet_write(task, line, length);
            continue;
        }
        char *copy = mem_string_n(line, length);
        ok = copy && vec_push(&kept, copy);
        if (ok && (int64_t)kept.length > -part->count) {
            ok = applet_write(task, kept.items[0], strlen(kept.items[0]));
            vec_remove(&kept, 0);
        }
    }
    vec_free(&kept);
    applet_lines_free(&lines);
    return !ok;
}

static bool read_count(struct task *task, const char *text, struct part *part, bool tail)
{
    int64_t value;
    bool minus = *text == '-', plus = *text == '+';
    if (!applet_size(text + (minus || plus), &value)) {
        applet_say(task, "invalid number '%s'", text);
        return false;
    }
    part->from_start = tail && plus;
    part->count = !tail && minus ? -value : value;
    return true;
}

/* head -5, tail -5, tail +3: the old way. */
static void old_count(int argc, char **argv, struct task *task, struct part *part, bool tail)
{
    for (int i = 1; i < argc; i++)
        if ((argv[i][0] == '-' || (tail && argv[i][0] == '+')) && isdigit((unsigned char)argv[i][1]) && (i == 1 || strcmp(argv[i - 1], "-n") != 0)) {
            read_count(task, argv[i] + (argv[i][0] == '-'), part, tail);
            char *plain = mem_string("-q-");
            if (plain) {
                mem_free(argv[i]);
                plain[2] = '\0';
                argv[i] = plain;
                part->printed = -1;
            }
        }
}

static int head_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct part part = {.count = 10};
    bool old = false;
    old_count(argc, argv, task, &part, false);
    old = part.printed < 0;
    part.printed = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "n:c:qv", &options)) != -1;) {
        if (letter == '?' || ((letter == 'n' || letter == 'c') && !read_count(task, options.value, &part, false)))
            return 1;
        part.bytes = part.bytes || letter == 'c';
        part.quiet = part.quiet || (letter == 'q' && !old);
        part.titles = part.titles || letter == 'v';
    }
    part.titles = part.titles || (argc - options.index > 1 && !part.quiet);
    return each_file(task, argc, argv, options.index, head_file, &part);
}

/* Keeps the last lines. What grows without a line's end is kept up to APPLET_LINE, but counts as memory whole: `tail /dev/zero` ends as it does anywhere. */
struct last {
    struct vec lines;
    int64_t memory, unended;
};

static int tail_lines(struct task *task, int fd, struct part *part)
{
    struct applet_lines lines = {.fd = fd};
    struct last last = {.lines = vec_make(1 << 20, mem_free)};
    const char *line;
    size_t length;
    bool ok = true;
    for (int64_t n = 1; ok && applet_line(task, &lines, &line, &length); n++) {
        if (part->from_start) {
            ok = n < part->count || applet_write(task, line, length);
            continue;
        }
        bool ends = line[length - 1] == '\n', whole = memchr(line, '\0', length) == NULL;
        last.unended = ends ? 0 : last.unended + (int64_t)length;
        if (!ends && length >= APPLET_LINE) {
            ok = task_memory(task, last.memory + last.unended);
            continue;
        }
        char *copy = mem_string_n(line, whole ? length : strnlen(line, length));
        ok = copy && vec_push(&last.lines, copy);
        last.memory += (int64_t)length;
        while (ok && (int64_t)last.lines.length > part->count) {
            last.memory -= (int64_t)strlen(last.lines.items[0]);
            vec_remove(&last.lines, 0);
        }
    }
    for (size_t i = 0; ok && i < last.lines.length; i++)
        ok = applet_write(task, last.lines.items[i], strlen(last.lines.items[i]));
    vec_free(&last.lines);
    applet_lines_free(&lines);
    return !ok;
}

static int tail_bytes(struct task *task, int fd, const struct part *part)
{
    struct buf all;
    if (!applet_slurp(task, fd, 16 << 20, &all)) {
        buf_free(&all);
        return 1;
    }
    size_t from = part->from_start ? (size_t)(part->count > 0 ? part->count - 1 : 0) : all.length > (size_t)part->count ? all.length - (size_t)part->count : 0;
    if (from < all.length)
        applet_write(task, all.bytes + from, all.length - from);
    buf_free(&all);
    return 0;
}

static int tail_file(struct task *task, int fd, const char *name, void *data)
{
    struct part *part = data;
    title(task, part, name);
    return part->bytes ? tail_bytes(task, fd, part) : tail_lines(task, fd, part);
}

/* -f: what is added is shown; a file that became shorter or another begins anew. */
static int follow(struct task *task, const char *path, bool by_name)
{
    char bytes[4096];
    struct fs_stat first, now;
    int fd = task_open(task, path, O_RDONLY, 0);
    if (fd < 0)
        return 1;
    struct handle *handle = task_handle(task, fd);
    fs_stat_handle(handle, &first);
    if (handle->ops->seek)
        handle->ops->seek(handle, 0, 2 /* SEEK_END */);
    for (;;) {
        ssize_t got = task_read(task, fd, bytes, sizeof bytes);
        if (got > 0 && task_write(task, 1, bytes, (size_t)got) < 0)
            return 1;
        if (got > 0)
            continue;
        if (got < 0 || task_sleep(task, 1000) != 0)
            return 1;
        handle = task_handle(task, fd);
        if (by_name && fs_stat(&task->who, path, true, &now) == 0 && now.number != first.number) {
            task_close(task, fd);
            fd = task_open(task, path, O_RDONLY, 0);
            if (fd < 0)
                return 1;
            first = now;
        } else if (fs_stat_handle(handle, &now) == 0 && handle->ops->seek && now.size < handle->offset) {
            handle->ops->seek(handle, 0, 0);
        }
    }
}

static int tail_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct part part = {.count = 10};
    bool by_name = false;
    old_count(argc, argv, task, &part, true);
    bool old = part.printed < 0;
    part.printed = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "fFn:c:qvs:", &options)) != -1;) {
        if (letter == '?' || ((letter == 'n' || letter == 'c') && !read_count(task, options.value, &part, true)))
            return 1;
        part.bytes = part.bytes || letter == 'c';
        part.quiet = part.quiet || (letter == 'q' && !old);
        part.titles = part.titles || letter == 'v';
        part.follow = part.follow || letter == 'f' || letter == 'F';
        by_name = by_name || letter == 'F';
    }
    part.titles = part.titles || (argc - options.index > 1 && !part.quiet);
    int status = each_file(task, argc, argv, options.index, tail_file, &part);
    applet_flush(task);
    if (status != 0 && argc - options.index == 1 && !task_dying(task))
        return applet_say(task, "no files");
    if (part.follow && !task_dying(task) && options.index < argc)
        return follow(task, argv[argc - 1], by_name);
    return status;
}

/* ---- wc ---- */

struct count {
    bool lines, words, bytes, characters, longest;
    int64_t total[5];
    int files;
};

static void print_count(struct task *task, const struct count *count, const int64_t values[5], const char *name)
{
    const bool wanted[5] = {count->lines, count->words, count->characters, count->bytes, count->longest};
    int columns = count->lines + count->words + count->bytes + count->characters + count->longest;
    bool first = true;
    for (int i = 0; i < 5; i++)
        if (wanted[i]) {
            applet_print(task, columns == 1 ? "%s%lld" : "%s%9lld", first ? "" : " ", (long long)values[i]);
            first = false;
        }
    applet_print(task, name ? " %s\n" : "\n", name);
}

static int wc_file(struct task *task, int fd, const char *name, void *data)
{
    struct count *count = data;
    int64_t values[5] = {0}, column = 0;
    char bytes[4096];
    bool in_word = false, only_bytes = count->bytes && !count->lines && !count->words && !count->characters && !count->longest;
    ssize_t got;
    while ((got = task_read(task, fd, bytes, sizeof bytes)) > 0) {
        values[3] += got;
        for (ssize_t i = 0; i < got && !only_bytes; i++) {
            unsigned char byte = (unsigned char)bytes[i];
            bool space = isspace(byte);
            values[0] += byte == '\n';
            values[1] += !space && !in_word;
            values[2] += (byte & 0xC0) != 0x80;
            in_word = !space;
            column = byte == '\n' ? 0 : byte == '\t' ? (column | 7) + 1 : column + ((byte & 0xC0) != 0x80);
            values[4] = column > values[4] ? column : values[4];
        }
    }
    if (got < 0)
        return task_dying(task) ? 1 : applet_say_errno(task, name ? name : "-", (int)got);
    print_count(task, count, values, name);
    for (int i = 0; i < 5; i++)
        count->total[i] = i < 4 ? count->total[i] + values[i] : values[i] > count->total[i] ? values[i] : count->total[i];
    count->files++;
    return 0;
}

static int wc_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct count count = {0};
    for (int letter; (letter = applet_option(task, argc, argv, "lwcmL", &options)) != -1;) {
        if (letter == '?')
            return 1;
        *(letter == 'l' ? &count.lines : letter == 'w' ? &count.words : letter == 'c' ? &count.bytes : letter == 'm' ? &count.characters : &count.longest) = true;
    }
    if (!count.lines && !count.words && !count.bytes && !count.characters && !count.longest)
        count.lines = count.words = count.bytes = true;
    int status = each_file(task, argc, argv, options.index, wc_file, &count);
    if (argc - options.index > 1)
        print_count(task, &count, count.total, "total");
    return status;
}

/* ---- tee, rev, tac, nl ---- */

static int tee_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool append = false;
    int fds[TASK_FDS], count = 0, status = 0;
    char bytes[4096];
    for (int letter; (letter = applet_option(task, argc, argv, "ai", &options)) != -1;) {
        if (letter == '?')
            return 1;
        append = append || letter == 'a';
    }
    for (int i = options.index; i < argc && count < TASK_FDS; i++) {
        int fd = task_open(task, argv[i], O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0666);
        if (fd < 0)
            status = applet_say(task, "%s: %s", argv[i], applet_errno(fd));
        else
            fds[count++] = fd;
    }
    ssize_t got;
    while ((got = task_read(task, 0, bytes, sizeof bytes)) > 0) {
        if (task_write(task, 1, bytes, (size_t)got) < 0)
            status = 1;
        for (int i = 0; i < count; i++)
            if (task_write(task, fds[i], bytes, (size_t)got) < 0)
                status = 1;
    }
    return status;
}

static int rev_file(struct task *task, int fd, const char *name, void *data)
{
    struct applet_lines lines = {.fd = fd};
    const char *line;
    size_t length;
    (void)name, (void)data;
    while (applet_line(task, &lines, &line, &length)) {
        size_t end = length - (line[length - 1] == '\n');
        while (end > 0) {
            size_t start = end - 1;
            while (start > 0 && ((unsigned char)line[start] & 0xC0) == 0x80)
                start--;
            applet_write(task, line + start, end - start);
            end = start;
        }
        applet_write(task, "\n", 1);
    }
    applet_lines_free(&lines);
    return 0;
}

static int rev_main(struct task *task, int argc, char **argv)
{
    return each_file(task, argc, argv, 1, rev_file, NULL);
}

static int tac_file(struct task *task, int fd, const char *name, void *data)
{
    struct buf all;
    (void)name, (void)data;
    bool ok = applet_slurp(task, fd, 16 << 20, &all);
    for (size_t end = ok ? all.length : 0; end > 0;) {
        size_t start = end - 1;
        while (start > 0 && all.bytes[start - 1] != '\n')
            start--;
        applet_write(task, all.bytes + start, end - start);
        end = start;
    }
    buf_free(&all);
    return !ok;
}

static int tac_main(struct task *task, int argc, char **argv)
{
    return each_file(task, argc, argv, 1, tac_file, NULL);
}

static int nl_file(struct task *task, int fd, const char *name, void *data)
{
    struct applet_lines lines = {.fd = fd};
    unsigned *number = data;
    const char *line;
    size_t length;
    (void)name;
    while (applet_line(task, &lines, &line, &length))
        if (length > 1)
            applet_print(task, "%6u\t%.*s", ++*number, (int)length, line);
        else
            applet_print(task, "       \n");
    applet_lines_free(&lines);
    return 0;
}

static int nl_main(struct task *task, int argc, char **argv)
{
    unsigned number = 0;
    return each_file(task, argc, argv, 1, nl_file, &number);
}

static const struct program programs[] = {
    {.name = "cat", .main = cat_main}, {.name = "head", .main = head_main}, {.name = "tail", .main = tail_main}, {.name = "wc", .main = wc_main}, {.name = "tee", .main = tee_main},
    {.name = "rev", .main = rev_main}, {.name = "tac", .main = tac_main}, {.name = "nl", .main = nl_main},
};
const struct program_table programs_text = {programs, sizeof programs / sizeof *programs};
