/* applet_list: ls and stat. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "practice/sim/applet_files.h"
#include "practice/sim/programs.h"
#include "practice/sim/tty.h"

void files_mode(unsigned mode, char out[static 11])
{
    static const char letters[] = "rwxrwxrwx";
    out[0] = S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : S_ISCHR(mode) ? 'c' : S_ISBLK(mode) ? 'b' : S_ISFIFO(mode) ? 'p' : S_ISSOCK(mode) ? 's' : '-';
    for (int i = 0; i < 9; i++)
        out[1 + i] = mode >> (8 - i) & 1 ? letters[i] : '-';
    if (mode & S_ISUID)
        out[3] = out[3] == 'x' ? 's' : 'S';
    if (mode & S_ISGID)
        out[6] = out[6] == 'x' ? 's' : 'S';
    if (mode & S_ISVTX)
        out[9] = out[9] == 'x' ? 't' : 'T';
    out[10] = '\0';
}

void files_owner(struct task *task, const char *file, uint32_t id, char out[static 33])
{
    char *text;
    size_t length;
    snprintf(out, 33, "%u", id);
    if (fs_read_file(&task->who, file, 1 << 20, &text, &length) != 0)
        return;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t name = strcspn(line, ":\n");
        const char *second = line[name] == ':' ? strchr(line + name + 1, ':') : NULL;
        if (second && (uint32_t)strtoul(second + 1, NULL, 10) == id && second[1] >= '0' && second[1] <= '9') {
            snprintf(out, 33, "%.*s", (int)(name < 32 ? name : 32), line);
            break;
        }
    }
    mem_free(text);
}

void files_human(int64_t size, char out[static 24])
{
    static const char units[] = "KMGTP";
    if (size < 1024) {
        snprintf(out, 24, "%lld", (long long)size);
        return;
    }
    double value = (double)size;
    int unit = -1;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(out, 24, value < 9.95 ? "%.1f%c" : "%.0f%c", value, units[unit]);
}

struct listing {
    struct task *task;
    bool all, almost, lengthy, one, folder_itself, recursive, by_time, by_size, reverse, human, numeric, inode, mark, slash, colour, full_time, follow;
    int64_t now;
    bool any; /* something was printed before: a blank line comes between folders */
    int status;
};
struct item {
    char *name;
    struct fs_stat stat;
    char link[FS_NAME + 1];
};

static void item_free(void *data)
{
    struct item *item = data;
    mem_free(item->name);
    mem_free(item);
}

static struct item *item_new(struct listing *listing, const char *path, const char *name, bool follow)
{
    struct item *item = mem_zero(1, sizeof *item);
    int got = item ? fs_stat(&listing->task->who, path, follow, &item->stat) : -ENOMEM;
    if (got == -ENOENT && follow)
        got = fs_stat(&listing->task->who, path, false, &item->stat);
    if (got != 0 || !(item->name = mem_string(name))) {
        listing->status = applet_say_errno(listing->task, path, got != 0 ? got : -ENOMEM);
        mem_free(item);
        return NULL;
    }
    if (S_ISLNK(item->stat.mode)) {
        ssize_t length = fs_read_link(&listing->task->who, path, item->link, sizeof item->link - 1);
        item->link[length > 0 ? length : 0] = '\0';
    }
    return item;
}

static int by_name(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int by_time(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->stat.time_ms != y->stat.time_ms ? (x->stat.time_ms < y->stat.time_ms ? 1 : -1) : by_name(a, b);
}

static int by_size(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->stat.size != y->stat.size ? (x->stat.size < y->stat.size ? 1 : -1) : by_name(a, b);
}

static void print_time(const struct listing *listing, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[40];
    gmtime_r(&seconds, &parts);
    int64_t age = listing->now - ms;
    if (listing->full_time)
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S +0000", &parts);
    else
        strftime(text, sizeof text, age > 1000LL * 86400 * 365 / 2 || age < -900000 ? "%b %e  %Y" : "%b %e %H:%M", &parts);
    applet_print(listing->task, " %s ", text);
}

static void print_lengthy(struct listing *listing, const struct item *item)
{
    struct task *task = listing->task;
    char mode[11], owner[33], group[33], size[32];
    files_mode(item->stat.mode, mode);
    files_owner(task, listing->numeric ? "" : "/etc/passwd", item->stat.uid, owner);
    files_owner(task, listing->numeric ? "" : "/etc/group", item->stat.gid, group);
    if (S_ISCHR(item->stat.mode)) {
        static const int numbers[][2] = {[FS_NULL] = {1, 3}, [FS_ZERO] = {1, 5}, [FS_FULL] = {1, 7}, [FS_RANDOM] = {1, 9}, [FS_TTY] = {5, 0}};
        snprintf(size, sizeof size, "%4d, %3d", numbers[item->stat.device][0], numbers[item->stat.device][1]);
    } else if (listing->human) {
        char human[24];
        files_human(item->stat.size, human);
        snprintf(size, sizeof size, "%9s", human);
    } else {
        snprintf(size, sizeof size, "%9lld", (long long)item->stat.size);
    }
    applet_print(task, "%s%5u %-8s %-8s %s", mode, item->stat.links, owner, group, size);
    print_time(listing, item->stat.time_ms);
}

static void print_name(struct listing *listing, const struct item *item, size_t pad)
{
    static const struct {
        unsigned type;
        const char *colour;
    } colours[] = {{S_IFDIR, "1;34"}, {S_IFLNK, "1;36"}, {S_IFCHR, "1;33"}, {S_IFIFO, "33"}, {S_IFSOCK, "1;35"}};
    struct task *task = listing->task;
    unsigned type = item->stat.mode & S_IFMT;
    const char *colour = NULL;
    for (size_t i = 0; listing->colour && i < sizeof colours / sizeof *colours; i++)
        colour = colours[i].type == type ? colours[i].colour : colour;
    if (listing->colour && type == S_IFREG && (item->stat.mode & 0111))
        colour = "1;32";
    if (listing->colour)
        applet_print(task, "\033[%sm%s\033[m", colour ? colour : "0;0", item->name);
    else
        applet_print(task, "%s", item->name);
    const char *mark = (listing->mark || listing->slash) && type == S_IFDIR ? "/" : listing->mark && type == S_IFLNK ? "@" : listing->mark && (item->stat.mode & 0111) ? "*" : "";
    applet_print(task, "%s", mark);
    if (listing->lengthy && type == S_IFLNK)
        applet_print(task, " -> %s", item->link);
    for (size_t length = strlen(item->name) + strlen(mark); length < pad; length++)
        applet_print(task, " ");
}

static size_t columns_wide(const struct item *item)
{
    size_t wide = 0;
    for (const char *at = item->name; *at; at++)
        wide += ((unsigned char)*at & 0xC0) != 0x80;
    return wide;
}

/* In columns, down first, as far as the terminal is wide. */
static void print_columns(struct listing *listing, const struct vec *items, unsigned width)
{
    size_t widest = 1;
    for (size_t i = 0; i < items->length; i++) {
        size_t wide = columns_wide(items->items[i]);
        widest = wide > widest ? wide : widest;
    }
    size_t column = widest + 2 + (listing->mark || listing->slash), columns = width / column > 0 ? width / column : 1;
    size_t rows = (items->length + columns - 1) / columns;
    for (size_t row = 0; row < rows; row++) {
        for (size_t at = row; at < items->length; at += rows)
            print_name(listing, items->items[at], at + rows < items->length ? column : 0);
        applet_print(listing->task, "\n");
    }
}

static void print_items(struct listing *listing, struct vec *items)
{
    vec_sort(items, listing->by_time ? by_time : listing->by_size ? by_size : by_name);
    for (size_t i = 0; listing->reverse && i < items->length / 2; i++) {
        void *other = items->items[i];
        items->items[i] = items->items[items->length - 1 - i];
        items->items[items->length - 1 - i] = other;
    }
    const struct handle *out = task_handle(listing->task, 1);
    if (out && out->tty && !listing->lengthy && !listing->one) {
        unsigned columns, rows;
        tty_size(out->tty, &columns, &rows);
        if (items->length > 0)
            print_columns(listing, items, columns ? columns : 80);
        return;
    }
    for (size_t i = 0; i < items->length; i++) {
        const struct item *item = items->items[i];
        if (listing->inode)
            applet_print(listing->task, "%7llu ", (unsigned long long)item->stat.number);
        if (listing->lengthy)
            print_lengthy(listing, item);
        print_name(listing, item, 0);
        applet_print(listing->task, "\n");
    }
}

static void list_folder(struct listing *listing, const char *path, bool title)
{
    struct vec names, items = vec_make(FS_NODES + 2, item_free);
    char *below = mem_alloc(FS_PATH);
    int got = below ? fs_list(&listing->task->who, path, &names) : -ENOMEM;
    if (got != 0 || files_deep(listing->task)) {
        if (got != 0)
            listing->status = applet_say_errno(listing->task, path, got);
        else
            vec_free(&names);
        mem_free(below);
        return;
    }
    bool ok = true;
    long long blocks = 0;
    if (listing->all)
        ok = vec_push_string(&names, ".") && vec_push_string(&names, "..");
    for (size_t i = 0; ok && i < names.length; i++) {
        const char *name = names.items[i];
        if (name[0] == '.' && !listing->all && !listing->almost)
            continue;
        struct item *item = files_join(below, path, name) == 0 ? item_new(listing, below, name, listing->follow) : NULL;
        blocks += item && S_ISREG(item->stat.mode) ? (item->stat.size + 4095) / 4096 * 4 : item && S_ISDIR(item->stat.mode) ? 4 : 0;
        ok = !item || vec_push(&items, item);
    }
    vec_free(&names);
    if (listing->any)
        applet_print(listing->task, "\n");
    listing->any = true;
    if (title)
        applet_print(listing->task, "%s:\n", path);
    if (listing->lengthy)
        applet_print(listing->task, "total %lld\n", blocks);
    print_items(listing, &items);
    for (size_t i = 0; listing->recursive && i < items.length && task_step(listing->task, 10); i++) {
        const struct item *item = items.items[i];
        if (S_ISDIR(item->stat.mode) && strcmp(item->name, ".") != 0 && strcmp(item->name, "..") != 0 && files_join(below, path, item->name) == 0)
            list_folder(listing, below, true);
    }
    vec_free(&items);
    mem_free(below);
}

static bool read_options(struct listing *listing, int argc, char **argv, int *first)
{
    static const struct applet_long longs[] = {{"color", true, 'c'}, {"full-time", false, 'e'}, {"group-directories-first", false, 'g'}, {"all", false, 'a'}, {"human-readable", false, 'h'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    const struct handle *out = task_handle(listing->task, 1);
    for (int i = 1; i < argc; i++) /* its value may be left out */
        if (strcmp(argv[i], "--color") == 0) {
            char *always = mem_string("--color=always");
            if (!always)
                return false;
            mem_free(argv[i]);
            argv[i] = always;
        }
    listing->colour = out && out->tty;
    for (int letter; (letter = applet_option(listing->task, argc, argv, "1AaCxdLHRFplinshrSXvctuw:T", &options)) != -1;) {
        switch (letter) {
        case '?': return false;
        case '1': listing->one = true; break;
        case 'A': listing->almost = true; break;
        case 'a': listing->all = true; break;
        case 'd': listing->folder_itself = true; break;
        case 'L': listing->follow = true; break;
        case 'R': listing->recursive = true; break;
        case 'F': listing->mark = true; break;
        case 'p': listing->slash = true; break;
        case 'l': listing->lengthy = true; break;
        case 'n': listing->numeric = listing->lengthy = true; break;
        case 'i': listing->inode = true; break;
        case 'h': listing->human = true; break;
        case 'r': listing->reverse = true; break;
        case 'S': listing->by_size = true; break;
        case 't': listing->by_time = true; break;
        case 'e': listing->full_time = true; break;
        case 'c':
            if (options.value)
                listing->colour = strcmp(options.value, "always") == 0 || (strcmp(options.value, "auto") == 0 && listing->colour);
            break;
        default: break;
        }
    }
    *first = options.index;
    return true;
}

static int ls_main(struct task *task, int argc, char **argv)
{
    struct listing listing = {.task = task, .now = kernel_now(task->kernel)};
    int first;
    if (!read_options(&listing, argc, argv, &first))
        return 1;
    struct vec files = vec_make(65536, item_free), folders = vec_make(65536, NULL);
    char here[] = ".";
    bool ok = true;
    int count = argc - first;
    for (int i = first; ok && (i < argc || i == first); i++) {
        char *path = i < argc ? argv[i] : here;
        struct item *item = item_new(&listing, path, path, !listing.lengthy || listing.follow);
        if (!item)
            continue;
        if (S_ISDIR(item->stat.mode) && !listing.folder_itself) {
            item_free(item);
            ok = vec_push(&folders, path);
        } else {
            ok = vec_push(&files, item);
        }
    }
    if (files.length > 0) {
        print_items(&listing, &files);
        listing.any = true;
    }
    for (size_t i = 0; i < folders.length; i++)
        list_folder(&listing, folders.items[i], count > 1 || listing.recursive);
    vec_free(&files);
    vec_free(&folders);
    return ok ? listing.status : applet_say(task, "out of memory");
}

/* ---- stat ---- */

static const char *type_words(unsigned mode, int64_t size)
{
    return S_ISDIR(mode) ? "directory" : S_ISLNK(mode) ? "symbolic link" : S_ISCHR(mode) ? "character special file" : S_ISFIFO(mode) ? "fifo" : size > 0 ? "regular file" : "regular empty file";
}

static void time_words(int64_t ms, char out[static 64])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[32];
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    snprintf(out, 64, "%s.%03d000000 +0000", text, (int)(ms % 1000));
}

static void stat_format(struct task *task, const char *format, const char *path, const struct fs_stat *stat, bool newline)
{
    char text[64], mode[11];
    for (const char *at = format; *at; at++) {
        if (*at == '\\' && at[1] == 'n' && !newline) {
            applet_print(task, "\n");
            at++;
            continue;
        }
        if (*at != '%' || !at[1]) {
            applet_write(task, at, 1);
            continue;
        }
        switch (*++at) {
        case 'n': applet_print(task, "%s", path); break;
        case 'N': applet_print(task, "'%s'", path); break;
        case 's': applet_print(task, "%lld", (long long)stat->size); break;
        case 'b': applet_print(task, "%lld", (long long)(stat->size + 511) / 512); break;
        case 'a': applet_print(task, "%o", stat->mode & 07777); break;
        case 'f': applet_print(task, "%x", stat->mode); break;
        case 'F': applet_print(task, "%s", type_words(stat->mode, stat->size)); break;
        case 'h': applet_print(task, "%u", stat->links); break;
        case 'i': applet_print(task, "%llu", (unsigned long long)stat->number); break;
        case 'u': applet_print(task, "%u", stat->uid); break;
        case 'g': applet_print(task, "%u", stat->gid); break;
        case 'X':
        case 'Y':
        case 'Z': applet_print(task, "%lld", (long long)stat->time_ms / 1000); break;
        case 'A': files_mode(stat->mode, mode); applet_print(task, "%s", mode); break;
        case 'U': files_owner(task, "/etc/passwd", stat->uid, text); applet_print(task, "%s", text); break;
        case 'G': files_owner(task, "/etc/group", stat->gid, text); applet_print(task, "%s", text); break;
        case 'x':
        case 'y':
        case 'z': time_words(stat->time_ms, text); applet_print(task, "%s", text); break;
        case '%': applet_print(task, "%%"); break;
        default: applet_print(task, "?"); break;
        }
    }
    if (newline)
        applet_print(task, "\n");
}

static int stat_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"format", true, 'c'}, {"printf", true, 'P'}, {"dereference", false, 'L'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    const char *format = NULL;
    bool follow = false, newline = true;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "Lc:t", &options)) != -1;) {
        if (letter == '?')
            return 1;
        follow = follow || letter == 'L';
        format = letter == 'c' || letter == 'P' ? options.value : format;
        newline = letter == 'P' ? false : newline;
    }
    if (options.index >= argc)
        return applet_usage(task, "[-ltf] [-c FMT] FILE...");
    for (int i = options.index; i < argc; i++) {
        struct fs_stat stat;
        int got = fs_stat(&task->who, argv[i], follow, &stat);
        if (got != 0) {
            status = applet_say(task, "can't stat '%s': %s", argv[i], applet_errno(got));
            continue;
        }
        if (format) {
            stat_format(task, format, argv[i], &stat, newline);
            continue;
        }
        char mode[11], owner[33], group[33], when[64];
        files_mode(stat.mode, mode);
        files_owner(task, "/etc/passwd", stat.uid, owner);
        files_owner(task, "/etc/group", stat.gid, group);
        time_words(stat.time_ms, when);
        applet_print(task, "  File: %s\n  Size: %-10lld\tBlocks: %-10lld IO Block: 4096   %s\n", argv[i], (long long)stat.size, (long long)(stat.size + 511) / 512, type_words(stat.mode, stat.size));
        applet_print(task, "Device: %xh/%dd\tInode: %-10llu  Links: %u\nAccess: (%04o/%s)  Uid: (%5u/%8s)   Gid: (%5u/%8s)\n", stat.file_system, (int)stat.file_system, (unsigned long long)stat.number,
            stat.links, stat.mode & 07777, mode, stat.uid, owner, stat.gid, group);
        applet_print(task, "Access: %s\nModify: %s\nChange: %s\n", when, when, when);
    }
    return status;
}

static const struct program programs[] = {{.name = "ls", .main = ls_main}, {.name = "stat", .main = stat_main}};
const struct program_table programs_list = {programs, sizeof programs / sizeof *programs};
