/* applet_files: mkdir, touch, chmod, find and their like. */
#include "practice/sim/applet_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/programs.h"
#include "practice/sim/shell.h"

/* ---- folders ---- */

static int make_path(struct task *task, char *path, unsigned mode)
{
    char part[FS_PATH];
    size_t length = strlen(path);
    struct fs_stat stat;
    if (length >= FS_PATH)
        return -ENAMETOOLONG;
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0')
            continue;
        memcpy(part, path, end);
        part[end] = '\0';
        int got = fs_stat(&task->who, part, true, &stat);
        if (got == 0 && !S_ISDIR(stat.mode)) {
            if (path[end])
                path[end + 1] = '\0'; /* it is told what is none */
            return path[end] ? -ENOTDIR : -EEXIST;
        }
        if (got == -ENOENT)
            got = fs_make_folder(&task->who, part, path[end] ? 0777 & ~task->umask : mode);
        if (got != 0)
            return got;
    }
    return 0;
}

static int mkdir_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"parents", false, 'p'}, {"mode", true, 'm'}, {"verbose", false, 'v'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    bool parents = false, own_mode = false;
    unsigned mode = 0777 & ~task->umask;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "m:pv", &options)) != -1;) {
        if (letter == '?')
            return 1;
        parents = parents || letter == 'p';
        if (letter == 'm') {
            own_mode = true;
            if (!files_parse_mode(options.value, 0777, true, 0, &mode))
                return applet_say(task, "invalid mode '%s'", options.value);
        }
    }
    if (options.index >= argc)
        return applet_usage(task, "[-m MODE] [-p] DIRECTORY...");
    for (int i = options.index; i < argc; i++) {
        int got = parents ? make_path(task, argv[i], mode) : fs_make_folder(&task->who, argv[i], mode);
        if (got == 0 && own_mode)
            fs_chmod(&task->who, argv[i], mode);
        if (got != 0)
            status = applet_say(task, "can't create directory '%s': %s", argv[i], applet_errno(got));
    }
    return status;
}

static int rmdir_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool parents = false;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "p", &options)) != -1;) {
        if (letter == '?')
            return 1;
        parents = true;
    }
    if (options.index >= argc)
        return applet_usage(task, "[-p] DIRECTORY...");
    for (int i = options.index; i < argc; i++) {
        char *slash = argv[i];
        while (slash) {
            int got = fs_remove_folder(&task->who, argv[i]);
            if (got != 0) {
                status = applet_say(task, "'%s': %s", argv[i], applet_errno(got));
                break;
            }
            slash = parents ? strrchr(argv[i], '/') : NULL;
            if (slash)
                *slash = '\0';
        }
    }
    return status;
}

static int touch_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool create = true;
    int64_t when = kernel_now(task->kernel);
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "acmfhr:d:t:", &options)) != -1;) {
        struct fs_stat stat;
        if (letter == '?')
            return 1;
        create = create && letter != 'c';
        if (letter == 'd' && options.value[0] == '@')
            when = strtoll(options.value + 1, NULL, 10) * 1000;
        if (letter == 'r') {
            int got = fs_stat(&task->who, options.value, true, &stat);
            if (got != 0)
                return applet_say_errno(task, options.value, got);
            when = stat.time_ms;
        }
    }
    if (options.index >= argc)
        return applet_usage(task, "[-cham] [-d DATE] [-t DATE] [-r FILE] FILE...");
    for (int i = options.index; i < argc; i++) {
        int got = fs_set_time(&task->who, argv[i], when);
        if (got == -ENOENT && create) {
            got = task_open(task, argv[i], O_WRONLY | O_CREAT, 0666);
            if (got >= 0) {
                task_close(task, got);
                got = fs_set_time(&task->who, argv[i], when);
            }
        }
        if (got != 0 && !(got == -ENOENT && !create))
            status = applet_say_errno(task, argv[i], got);
    }
    return status;
}

static int truncate_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    int64_t size = -1;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "cs:", &options)) != -1;) {
        if (letter == '?' || (letter == 's' && !applet_size(options.value, &size)))
            return 1;
    }
    if (options.index >= argc || size < 0)
        return applet_usage(task, "[-c] -s SIZE FILE...");
    for (int i = options.index; i < argc; i++) {
        int fd = task_open(task, argv[i], O_WRONLY | O_CREAT, 0666), got = fd < 0 ? fd : fs_truncate(&task->who, argv[i], size);
        if (fd >= 0)
            task_close(task, fd);
        if (got != 0)
            status = applet_say_errno(task, argv[i], got);
    }
    return status;
}

static int mktemp_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool folder = false;
    const char *where = NULL;
    for (int letter; (letter = applet_option(task, argc, argv, "dqup:t", &options)) != -1;) {
        if (letter == '?')
            return 1;
        folder = folder || letter == 'd';
        where = letter == 'p' ? options.value : where;
    }
    char path[FS_PATH];
    const char *given = options.index < argc ? argv[options.index] : "tmp.XXXXXX";
    snprintf(path, sizeof path, "%s%s%s", options.index < argc && !where ? "" : where ? where : "/tmp", options.index < argc && !where ? "" : "/", given);
    size_t length = strlen(path);
    if (length < 6 || strcmp(path + length - 6, "XXXXXX") != 0)
        return applet_say(task, "%s: Invalid argument", given);
    for (unsigned n = 0; n < 1000; n++) {
        uint64_t seed = (uint64_t)kernel_now(task->kernel) * 2654435761u + n * 40503u + (unsigned)task->pid;
        for (size_t i = length - 6; i < length; i++, seed /= 62)
            path[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[seed % 62];
        int got = folder ? fs_make_folder(&task->who, path, 0700) : task_open(task, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (got >= 0) {
            applet_print(task, "%s\n", path);
            return 0;
        }
        if (got != -EEXIST)
            return applet_say_errno(task, path, got);
    }
    return 1;
}

/* ---- modes and owners ---- */

bool files_parse_mode(const char *text, unsigned mode, bool folder, unsigned umask, unsigned *out)
{
    if (*text >= '0' && *text <= '7') {
        char *end;
        *out = (unsigned)strtoul(text, &end, 8);
        return *end == '\0' && *out <= 07777;
    }
    unsigned result = mode & 07777;
    while (*text) {
        unsigned who = 0, bits = 0;
        for (; *text && strchr("ugoa", *text); text++)
            who |= *text == 'u' ? 04700u : *text == 'g' ? 02070u : *text == 'o' ? 01007u : 07777u;
        unsigned mask = who ? who : 07777 & ~umask;
        if (!*text || !strchr("+-=", *text))
            return false;
        char op = *text++;
        for (; *text && *text != ',' && !strchr("+-=", *text); text++) {
            switch (*text) {
            case 'r': bits |= 0444; break;
            case 'w': bits |= 0222; break;
            case 'x': bits |= 0111; break;
            case 'X': bits |= folder || (mode & 0111) ? 0111u : 0; break;
            case 's': bits |= 06000; break;
            case 't': bits |= 01000; break;
            case 'u': bits |= (result >> 6 & 7) * 0111; break;
            case 'g': bits |= (result >> 3 & 7) * 0111; break;
            case 'o': bits |= (result & 7) * 0111; break;
            default: return false;
            }
        }
        if (op == '+')
            result |= bits & mask;
        else if (op == '-')
            result &= ~(bits & mask);
        else
            result = (result & ~(mask & 0777)) | (bits & mask);
        text += *text == ',';
    }
    *out = result;
    return true;
}

struct change {
    struct task *task;
    const char *mode;
    int64_t uid, gid;
    bool recursive;
    int status;
};

static void change(struct change *what, const char *path)
{
    struct task *task = what->task;
    struct fs_stat stat;
    unsigned mode = 0;
    int got = fs_stat(&task->who, path, true, &stat);
    if (got == 0 && what->mode)
        got = files_parse_mode(what->mode, stat.mode, S_ISDIR(stat.mode), task->umask, &mode) ? fs_chmod(&task->who, path, mode) : -EINVAL;
    else if (got == 0)
        got = fs_chown(&task->who, path, what->uid, what->gid, true);
    if (got == -EINVAL && what->mode)
        what->status = applet_say(task, "invalid mode '%s'", what->mode);
    else if (got != 0)
        what->status = applet_say_errno(task, path, got);
    struct vec names;
    if (got != 0 || !what->recursive || !S_ISDIR(stat.mode) || files_deep(task) || fs_list(&task->who, path, &names) != 0)
        return;
    char *below = mem_alloc(FS_PATH);
    for (size_t i = 0; below && i < names.length && task_step(task, 5); i++)
        if (files_join(below, path, names.items[i]) == 0 && fs_stat(&task->who, below, false, &stat) == 0 && !S_ISLNK(stat.mode))
            change(what, below);
    mem_free(below);
    vec_free(&names);
}

static int chmod_main(struct task *task, int argc, char **argv)
{
    struct change what = {.task = task};
    int i = 1;
    for (; i < argc && (strcmp(argv[i], "-R") == 0 || strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "-f") == 0); i++)
        what.recursive = what.recursive || argv[i][1] == 'R';
    if (argc - i < 2)
        return applet_usage(task, "[-Rcvf] MODE[,MODE]... FILE...");
    what.mode = argv[i];
    for (i++; i < argc; i++)
        change(&what, argv[i]);
    return what.status;
}

static bool find_id(struct task *task, const char *file, const char *name, int64_t *id)
{
    char *text;
    size_t length, wanted = strlen(name);
    bool found = applet_number(name, id);
    if (found || fs_read_file(&task->who, file, 1 << 20, &text, &length) != 0)
        return found;
    for (const char *line = text; *line && !found; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *second = strncmp(line, name, wanted) == 0 && line[wanted] == ':' ? strchr(line + wanted + 1, ':') : NULL;
        found = second != NULL;
        if (found)
            *id = strtoll(second + 1, NULL, 10);
    }
    mem_free(text);
    return found;
}

static int chown_main(struct task *task, int argc, char **argv)
{
    struct change what = {.task = task, .uid = -1, .gid = -1};
    struct applet_options options = {0};
    bool group_only = strcmp(applet_base_name(argv[0]), "chgrp") == 0;
    for (int letter; (letter = applet_option(task, argc, argv, "RhLHPcvf", &options)) != -1;) {
        if (letter == '?')
            return 1;
        what.recursive = what.recursive || letter == 'R';
    }
    if (argc - options.index < 2)
        return applet_usage(task, "[-RhLHPcvf]... USER[:[GRP]] FILE...");
    char *user = argv[options.index], *colon = strpbrk(user, ":.");
    if (colon)
        *colon = '\0';
    if (group_only ? !find_id(task, "/etc/group", user, &what.gid) : *user && !find_id(task, "/etc/passwd", user, &what.uid))
        return applet_say(task, "unknown %s %s", group_only ? "group" : "user", user);
    if (colon && colon[1] && !find_id(task, "/etc/group", colon + 1, &what.gid))
        return applet_say(task, "unknown group %s", colon + 1);
    for (int i = options.index + 1; i < argc; i++)
        change(&what, argv[i]);
    return what.status;
}

/* ---- links ---- */

static int readlink_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool real = strcmp(applet_base_name(argv[0]), "realpath") == 0, newline = true;
    bool follow = real;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "fnvqsem", &options)) != -1;) {
        if (letter == '?')
            return 1;
        follow = follow || letter == 'f' || letter == 'e' || letter == 'm';
        newline = newline && letter != 'n';
    }
    if (options.index >= argc)
        return applet_usage(task, real ? "FILE..." : "[-fnv] FILE");
    for (int i = options.index; i < argc; i++) {
        char out[FS_PATH];
        int got;
        if (follow) {
            got = fs_real_path(&task->who, argv[i], false, out);
        } else {
            ssize_t length = fs_read_link(&task->who, argv[i], out, sizeof out - 1);
            got = length < 0 ? (int)length : 0;
            if (length >= 0)
                out[length] = '\0';
        }
        if (got == 0)
            applet_print(task, "%s%s", out, newline ? "\n" : "");
        else
            status = real ? applet_say_errno(task, argv[i], got) : 1;
    }
    return status;
}

/* ---- du ---- */

struct usage {
    struct task *task;
    bool all, summary, human;
    int64_t unit;
};

static void print_usage(const struct usage *usage, int64_t bytes, const char *path)
{
    char human[24];
    files_human(bytes, human);
    if (usage->human)
        applet_print(usage->task, "%s\t%s\n", human, path);
    else
        applet_print(usage->task, "%lld\t%s\n", (long long)(bytes + usage->unit - 1) / usage->unit, path);
}

static int64_t use(const struct usage *usage, const char *path, bool top)
{
    struct fs_stat stat;
    struct vec names;
    if (fs_stat(&usage->task->who, path, false, &stat) != 0 || !task_step(usage->task, 5))
        return 0;
    int64_t bytes = S_ISDIR(stat.mode) ? 4096 : S_ISREG(stat.mode) ? (stat.size + 4095) / 4096 * 4096 : 0;
    if (S_ISDIR(stat.mode) && !files_deep(usage->task) && fs_list(&usage->task->who, path, &names) == 0) {
        char *below = mem_alloc(FS_PATH);
        for (size_t i = 0; below && i < names.length; i++)
            if (files_join(below, path, names.items[i]) == 0)
                bytes += use(usage, below, false);
        mem_free(below);
        vec_free(&names);
    }
    if (top || (!usage->summary && (S_ISDIR(stat.mode) || usage->all)))
        print_usage(usage, bytes, path);
    return bytes;
}

static int du_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct usage usage = {.task = task, .unit = 1024};
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "aHLdclsxhmk", &options)) != -1;) {
        if (letter == '?')
            return 1;
        usage.all = usage.all || letter == 'a';
        usage.summary = usage.summary || letter == 's';
        usage.human = usage.human || letter == 'h';
        usage.unit = letter == 'm' ? 1 << 20 : usage.unit;
    }
    for (int i = options.index; i < argc || i == options.index; i++) {
        const char *path = i < argc ? argv[i] : ".";
        struct fs_stat stat;
        int got = fs_stat(&task->who, path, false, &stat);
        if (got != 0)
            status = applet_say_errno(task, path, got);
        else
            use(&usage, path, true);
    }
    return status;
}

static const struct program programs[] = {
    {.name = "mkdir", .main = mkdir_main}, {.name = "rmdir", .main = rmdir_main}, {.name = "touch", .main = touch_main}, {.name = "truncate", .main = truncate_main}, {.name = "mktemp", .main = mktemp_main},
    {.name = "chmod", .main = chmod_main}, {.name = "chown", .main = chown_main}, {.name = "chgrp", .main = chown_main}, {.name = "readlink", .main = readlink_main},
    {.name = "realpath", .main = readlink_main}, {.name = "du", .main = du_main},
};
const struct program_table programs_files = {programs, sizeof programs / sizeof *programs};
