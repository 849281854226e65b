/* shell_redirect: where a command's descriptors lead, and how they come back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

/* Remembers what fd was, once. */
static void save(struct shell *shell, struct saved_fds *saved, int fd)
{
    if (!saved || (saved->changed >> fd & 1))
        return;
    saved->changed |= 1u << fd;
    saved->close_on_exec |= shell->task->close_on_exec & 1u << fd;
    saved->handles[fd] = handle_ref(task_handle(shell->task, fd));
}

static void put(struct shell *shell, struct saved_fds *saved, int fd, struct handle *handle)
{
    save(shell, saved, fd);
    task_close(shell->task, fd);
    shell->task->fds[fd] = handle;
}

void shell_restore(struct shell *shell, struct saved_fds *saved)
{
    for (int fd = 0; fd < TASK_FDS; fd++) {
        if (!(saved->changed >> fd & 1))
            continue;
        task_close(shell->task, fd);
        shell->task->fds[fd] = saved->handles[fd];
    }
    shell->task->close_on_exec |= saved->close_on_exec;
    saved->changed = 0;
}

void shell_keep(struct saved_fds *saved)
{
    for (int fd = 0; fd < TASK_FDS; fd++)
        if (saved->changed >> fd & 1)
            handle_free(saved->handles[fd]);
    saved->changed = 0;
}

static bool open_file(struct shell *shell, const struct redirect *redirect, const char *path, struct saved_fds *saved)
{
    static const int flags[] = {
        [REDIRECT_READ] = O_RDONLY,
        [REDIRECT_WRITE] = O_WRONLY | O_CREAT | O_TRUNC,
        [REDIRECT_CLOBBER] = O_WRONLY | O_CREAT | O_TRUNC,
        [REDIRECT_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
        [REDIRECT_BOTH] = O_RDWR | O_CREAT,
        [REDIRECT_ALL] = O_WRONLY | O_CREAT | O_TRUNC,
    };
    struct fs_stat stat;
    struct handle *handle = NULL;
    bool creates = (flags[redirect->kind] & O_CREAT) != 0;
    int got = 0;
    if (redirect->kind == REDIRECT_WRITE && shell->option['C'] && fs_stat(&shell->task->who, path, true, &stat) == 0 && S_ISREG(stat.mode))
        got = -EEXIST;
    if (got == 0)
        got = *path ? fs_open(&shell->task->who, path, flags[redirect->kind], 0666 & ~shell->task->umask, &handle) : -ENOENT;
    if (got != 0) {
        const char *words = got == -ENOENT ? creates ? "nonexistent directory" : "no such file" : applet_errno(got);
        shell_say(shell, "can't %s %s: %s", creates ? "create" : "open", path, words);
        return false;
    }
    put(shell, saved, redirect->fd, handle);
    if (redirect->kind == REDIRECT_ALL)
        put(shell, saved, 2, handle_ref(handle));
    return true;
}

static bool duplicate(struct shell *shell, const struct redirect *redirect, const char *word, struct saved_fds *saved)
{
    if (strcmp(word, "-") == 0) {
        put(shell, saved, redirect->fd, NULL);
        return true;
    }
    if (!*word || strspn(word, "0123456789") != strlen(word)) {
        if (redirect->kind == REDIRECT_DUP_OUT && redirect->fd == 1) { /* >&file is bash's &>file */
            struct redirect all = *redirect;
            all.kind = REDIRECT_ALL;
            return open_file(shell, &all, word, saved);
        }
        shell_fail(shell, 2, "syntax error: bad fd number");
        return false;
    }
    int from = strlen(word) < 4 ? atoi(word) : TASK_FDS;
    struct handle *handle = task_handle(shell->task, from);
    if (!handle) {
        shell_say(shell, "%s: %s", word, "Bad file descriptor");
        return false;
    }
    if (from != redirect->fd)
        put(shell, saved, redirect->fd, handle_ref(handle));
    return true;
}

/* A here-document is a pipe that holds it all; a longer one is a file that has no name. */
static bool here(struct shell *shell, const struct redirect *redirect, const char *text, bool newline, struct saved_fds *saved)
{
    struct handle *handle = NULL;
    size_t length = strlen(text);
    struct fs_tree *tree = fs_tree_new(NULL, 0, NULL);
    struct buf all = buf_make(SHELL_VALUE + 1);
    buf_append(&all, text, length);
    if (newline)
        buf_append(&all, "\n", 1);
    bool ok = tree && buf_ok(&all) && fs_put_file(tree, "here", all.bytes ? all.bytes : "", all.length, (struct fs_put){.mode = 0600});
    struct fs_view *view = ok ? fs_view_new(tree) : NULL;
    char root[] = "/";
    struct fs_who who = {.view = view, .cwd = root};
    ok = view && fs_open(&who, "/here", O_RDONLY, 0, &handle) == 0;
    fs_view_free(view);
    fs_tree_free(tree);
    buf_free(&all);
    if (!ok) {
        shell_say(shell, "out of memory");
        return false;
    }
    put(shell, saved, redirect->fd, handle);
    return true;
}

static bool apply(struct shell *shell, const struct redirect *redirect, struct saved_fds *saved)
{
    if (redirect->fd >= TASK_FDS) {
        shell_say(shell, "%d: Bad file descriptor", redirect->fd);
        return false;
    }
    bool document = redirect->kind == REDIRECT_HERE || redirect->kind == REDIRECT_HERE_STRING;
    char *word = shell_expand_one(shell, redirect->word, 0);
    if (!word)
        return false;
    bool ok;
    if (document)
        ok = here(shell, redirect, word, redirect->kind == REDIRECT_HERE_STRING, saved);
    else if (redirect->kind == REDIRECT_DUP_IN || redirect->kind == REDIRECT_DUP_OUT)
        ok = duplicate(shell, redirect, word, saved);
    else
        ok = open_file(shell, redirect, word, saved);
    mem_free(word);
    return ok;
}

bool shell_redirect(struct shell *shell, const struct redirect *redirects, struct saved_fds *saved)
{
    if (redirects)
        applet_flush(shell->task);
    for (; redirects; redirects = redirects->next)
        if (!apply(shell, redirects, saved)) {
            if (saved)
                shell_restore(shell, saved);
            return false;
        }
    return true;
}
