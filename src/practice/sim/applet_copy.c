/* applet_copy: cp, mv, rm, ln. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet_files.h"
#include "practice/sim/programs.h"

int files_join(char out[static FS_PATH], const char *folder, const char *name)
{
    size_t length = strlen(folder);
    int got = snprintf(out, FS_PATH, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
    return got > 0 && got < FS_PATH ? 0 : -ENAMETOOLONG;
}

bool files_deep(struct task *task)
{
    if (task_stack_left(task) > 64 << 10)
        return false;
    applet_say(task, "folders too deep in each other");
    return true;
}

/* ---- rm ---- */

static bool remove_one(struct task *task, const char *path, const struct fs_stat *stat)
{
    if (!S_ISDIR(stat->mode)) {
        int got = fs_unlink(&task->who, path);
        if (got != 0)
            applet_say(task, "can't remove '%s': %s", path, applet_errno(got));
        return got == 0;
    }
    struct vec names;
    bool ok = !files_deep(task) && fs_list(&task->who, path, &names) == 0;
    if (ok) {
        for (size_t i = 0; i < names.length && task_step(task, 5); i++) {
            char *below = mem_alloc(FS_PATH);
            struct fs_stat inner;
            if (below && files_join(below, path, names.items[i]) == 0 && fs_stat(&task->who, below, false, &inner) == 0)
                ok = remove_one(task, below, &inner) && ok;
            mem_free(below);
        }
        vec_free(&names);
    }
    int got = fs_remove_folder(&task->who, path);
    if (got != 0)
        applet_say(task, "can't remove '%s': %s", path, applet_errno(got));
    return ok && got == 0;
}

bool files_remove(struct task *task, const char *path)
{
    struct fs_stat stat;
    int got = fs_stat(&task->who, path, false, &stat);
    if (got != 0) {
        applet_say(task, "can't remove '%s': %s", path, applet_errno(got));
        return false;
    }
    return remove_one(task, path, &stat);
}

static int rm_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool force = false, recursive = false;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "rRfi", &options)) != -1;) {
        if (letter == '?')
            return 1;
        force = force || letter == 'f';
        recursive = recursive || letter == 'r' || letter == 'R';
    }
    if (options.index >= argc && !force)
        return applet_usage(task, "[-irf] FILE...");
    for (int i = options.index; i < argc; i++) {
        struct fs_stat stat;
        const char *base = applet_base_name(argv[i]);
        int got = fs_stat(&task->who, argv[i], false, &stat);
        if (strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
            status = applet_say(task, "can't remove '.' or '..'");
        else if (got == -ENOENT && force)
            continue;
        else if (got != 0)
            status = applet_say(task, "can't remove '%s': %s", argv[i], applet_errno(got));
        else if (S_ISDIR(stat.mode) && !recursive)
            status = applet_say(task, "'%s' is a directory", argv[i]);
        else if (!remove_one(task, argv[i], &stat))
            status = 1;
    }
    return status;
}

/* ---- cp ---- */

static bool copy_content(struct task *task, const char *from, const char *to, unsigned mode, const struct files_copy *how)
{
    char bytes[4096];
    int in = task_open(task, from, O_RDONLY, 0);
    if (in < 0) {
        applet_say(task, "can't open '%s': %s", from, applet_errno(in));
        return false;
    }
    int out = task_open(task, to, O_WRONLY | O_CREAT | O_TRUNC, mode & 07777);
    if (out < 0 && how->force && fs_unlink(&task->who, to) == 0)
        out = task_open(task, to, O_WRONLY | O_CREAT | O_TRUNC, mode & 07777);
    if (out < 0) {
        applet_say(task, "can't create '%s': %s", to, applet_errno(out));
        task_close(task, in);
        return false;
    }
    ssize_t got = 0, put = 0;
    while (put >= 0 && (got = task_read(task, in, bytes, sizeof bytes)) > 0)
        put = task_write(task, out, bytes, (size_t)got);
    task_close(task, in);
    task_close(task, out);
    if (got < 0 || put < 0) {
        applet_say(task, "%s: %s", got < 0 ? "read error" : "write error", applet_errno((int)(got < 0 ? got : put)));
        return false;
    }
    return true;
}

static bool copy_link(struct task *task, const char *from, const char *to)
{
    char target[FS_PATH];
    ssize_t length = fs_read_link(&task->who, from, target, sizeof target - 1);
    int got = length < 0 ? (int)length : 0;
    if (got == 0) {
        target[length] = '\0';
        got = fs_symlink(&task->who, target, to);
        if (got == -EEXIST && fs_unlink(&task->who, to) == 0)
            got = fs_symlink(&task->who, target, to);
    }
    if (got != 0)
        applet_say(task, "can't create symlink '%s': %s", to, applet_errno(got));
    return got == 0;
}

static bool copy_folder(struct task *task, const char *from, const char *to, unsigned mode, const struct files_copy *how)
{
    struct vec names;
    int got = fs_make_folder(&task->who, to, mode & ~task->umask & 07777);
    if (got == 0 || got == -EEXIST)
        got = fs_list(&task->who, from, &names);
    if (got != 0 || files_deep(task)) {
        if (got == 0)
            vec_free(&names);
        else
            applet_say(task, "can't create directory '%s': %s", to, applet_errno(got));
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < names.length && task_step(task, 10); i++) {
        char *inner = mem_alloc(FS_PATH), *outer = mem_alloc(FS_PATH);
        if (inner && outer && files_join(inner, from, names.items[i]) == 0 && files_join(outer, to, names.items[i]) == 0)
            ok = files_copy(task, inner, outer, how) && ok;
        mem_free(inner);
        mem_free(outer);
    }
    vec_free(&names);
    return ok;
}

bool files_copy(struct task *task, const char *from, const char *to, const struct files_copy *how)
{
    struct fs_stat stat, there;
    int got = fs_stat(&task->who, from, !how->links, &stat);
    if (got != 0) {
        applet_say(task, "can't stat '%s': %s", from, applet_errno(got));
        return false;
    }
    bool exists = fs_stat(&task->who, to, true, &there) == 0;
    if (exists && how->no_clobber)
        return true;
    if (exists && there.number == stat.number && there.file_system == stat.file_system && !S_ISDIR(stat.mode)) {
        applet_say(task, "'%s' and '%s' are the same file", from, to);
        return false;
    }
    bool ok = false;
    if (S_ISDIR(stat.mode) && !how->recursive)
        applet_say(task, "omitting directory '%s'", from);
    else if (S_ISDIR(stat.mode))
        ok = copy_folder(task, from, to, stat.mode, how);
    else if (S_ISLNK(stat.mode))
        ok = copy_link(task, from, to);
    else
        ok = copy_content(task, from, to, stat.mode, how);
    if (ok && how->verbose)
        applet_print(task, "'%s' -> '%s'\n", from, to);
    if (ok && how->preserve && !S_ISLNK(stat.mode)) {
        fs_chown(&task->who, to, stat.uid, stat.gid, true);
        fs_chmod(&task->who, to, stat.mode & 07777);
        fs_set_time(&task->who, to, stat.time_ms);
    }
    return ok;
}

/* Where a source comes: in the folder, or under the name itself. False: told. */
static bool destination(struct task *task, const char *from, const char *to, bool into, char out[static FS_PATH])
{
    char name[FS_NAME + 1];
    size_t length = strlen(from);
    while (length > 1 && from[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && from[start - 1] != '/')
        start--;
    if (!into) {
        snprintf(out, FS_PATH, "%s", to);
        return true;
    }
    if (length - start > FS_NAME) {
        applet_say_errno(task, from, -ENAMETOOLONG);
        return false;
    }
    memcpy(name, from + start, length - start);
    name[length - start] = '\0';
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "/") == 0)
        snprintf(out, FS_PATH, "%s", to);
    else if (files_join(out, to, name) != 0)
        return applet_say_errno(task, name, -ENAMETOOLONG), false;
    return true;
}

static bool is_folder(struct task *task, const char *path)
{
    struct fs_stat stat;
    return fs_stat(&task->who, path, true, &stat) == 0 && S_ISDIR(stat.mode);
}

static int cp_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct files_copy how = {0};
    const char *target = NULL;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "arRdPLHpfinTvt:u", &options)) != -1;) {
        if (letter == '?')
            return 1;
        how.recursive = how.recursive || strchr("arR", letter);
        how.links = (how.links || strchr("adPrR", letter)) && letter != 'L';
        how.preserve = how.preserve || strchr("ap", letter);
        how.force = how.force || letter == 'f';
        how.no_clobber = how.no_clobber || letter == 'n';
        how.verbose = how.verbose || letter == 'v';
        if (letter == 't')
            target = options.value;
    }
    int last = target ? argc : argc - 1;
    if (last - options.index < 1)
        return applet_usage(task, "[-arPLHpfinlsTu] SOURCE DEST\nor: cp [-arPLHpfinlsu] SOURCE... { -t DIRECTORY | DIRECTORY }");
    target = target ? target : argv[argc - 1];
    bool into = is_folder(task, target);
    if (last - options.index > 1 && !into)
        return applet_say(task, "can't create '%s': Path does not exist", target);
    for (int i = options.index; i < last && !task_dying(task); i++) {
        char to[FS_PATH];
        if (!destination(task, argv[i], target, into, to) || !files_copy(task, argv[i], to, &how))
            status = 1;
    }
    return status;
}

/* ---- mv ---- */

static int mv_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct files_copy how = {.recursive = true, .preserve = true, .links = true, .force = true};
    bool no_clobber = false, verbose = false;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "finvT", &options)) != -1;) {
        if (letter == '?')
            return 1;
        no_clobber = (no_clobber || letter == 'n') && letter != 'f';
        verbose = verbose || letter == 'v';
    }
    if (argc - options.index < 2)
        return applet_usage(task, "[-finT] SOURCE DEST\nor: mv [-fin] SOURCE... { -t DIRECTORY | DIRECTORY }");
    const char *target = argv[argc - 1];
    bool into = is_folder(task, target);
    if (argc - options.index > 2 && !into)
        return applet_say(task, "can't create '%s': Path does not exist", target);
    for (int i = options.index; i < argc - 1; i++) {
        char to[FS_PATH];
        struct fs_stat stat;
        if (!destination(task, argv[i], target, into, to)) {
            status = 1;
            continue;
        }
        if (no_clobber && fs_stat(&task->who, to, false, &stat) == 0)
            continue;
        int got = fs_rename(&task->who, argv[i], to);
        if (got == -EXDEV) /* another file system: copied, then removed */
            got = files_copy(task, argv[i], to, &how) && files_remove(task, argv[i]) ? 0 : -EIO;
        else if (got != 0)
            applet_say(task, "can't rename '%s': %s", argv[i], applet_errno(got));
        if (got == 0 && verbose)
            applet_print(task, "'%s' -> '%s'\n", argv[i], to);
        status = got != 0 ? 1 : status;
    }
    return status;
}

/* ---- ln ---- */

static int ln_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool symbolic = false, force = false, plain = false;
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "sfnvT", &options)) != -1;) {
        if (letter == '?')
            return 1;
        symbolic = symbolic || letter == 's';
        force = force || letter == 'f';
        plain = plain || letter == 'n' || letter == 'T';
    }
    if (options.index >= argc)
        return applet_usage(task, "[-sfnbtv] [-S SUF] TARGET... LINK|DIR");
    int last = argc - options.index == 1 ? argc : argc - 1;
    char here[] = ".";
    const char *target = last == argc ? here : argv[argc - 1];
    struct fs_stat stat;
    bool into = is_folder(task, target) && !(plain && fs_stat(&task->who, target, false, &stat) == 0 && S_ISLNK(stat.mode));
    for (int i = options.index; i < last; i++) {
        char to[FS_PATH];
        if (!destination(task, argv[i], target, into, to)) {
            status = 1;
            continue;
        }
        if (force)
            fs_unlink(&task->who, to);
        int got = symbolic ? fs_symlink(&task->who, argv[i], to) : fs_link(&task->who, argv[i], to);
        if (got != 0)
            status = applet_say(task, "%s: %s", to, applet_errno(got));
    }
    return status;
}

static const struct program programs[] = {
    {.name = "rm", .main = rm_main}, {.name = "cp", .main = cp_main}, {.name = "mv", .main = mv_main}, {.name = "ln", .main = ln_main},
};
const struct program_table programs_copy = {programs, sizeof programs / sizeof *programs};
