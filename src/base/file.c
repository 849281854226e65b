#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"

bool file_error(struct error *err, int errno_value, const char *operation, const char *path)
{
    enum error_kind kind = errno_value == ENOENT || errno_value == ENOTDIR                            ? ERROR_NOT_FOUND
                           : errno_value == EACCES || errno_value == EPERM || errno_value == EROFS    ? ERROR_DENIED
                           : errno_value == ENOMEM                                                    ? ERROR_MEMORY
                           : errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EFBIG   ? ERROR_LIMIT
                                                                                                      : ERROR_INPUT;
    error_set(err, kind, path, _("cannot %s %s: %s"), _(operation), path, strerror(errno_value));
    return false;
}

/* Reads everything from fd and closes it. */
static char *read_all(int fd, const char *path, size_t maximum, size_t *length, struct error *err)
{
    struct buf buf = buf_make(maximum);
    char chunk[16384];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            file_error(err, errno, N_("read"), path);
            break;
        }
        buf_append(&buf, chunk, (size_t)got);
        if (!buf_ok(&buf)) {
            if (buf.length + (size_t)got > maximum)
                error_set(err, ERROR_LIMIT, path, "%s is larger than the %zu bytes allowed", path, maximum);
            else
                error_memory(err);
            break;
        }
    }
    close(fd);
    char *bytes = got == 0 ? buf_take(&buf, length) : NULL;
    if (got == 0 && bytes == NULL)
        error_memory(err);
    buf_free(&buf);
    return bytes;
}

static int open_retry(int at, const char *path, int flags)
{
    int fd;
    while ((fd = openat(at, path, flags | O_CLOEXEC)) < 0 && errno == EINTR)
        ;
    return fd;
}

char *file_read(const char *path, size_t maximum, size_t *length, struct error *err)
{
    int fd = open_retry(AT_FDCWD, path, O_RDONLY);
    if (fd < 0) {
        file_error(err, errno, N_("open"), path);
        return NULL;
    }
    return read_all(fd, path, maximum, length, err);
}

char *file_read_below(const char *folder, const char *path, size_t maximum, size_t *length, struct error *err)
{
    char part[NAME_MAX + 1];
    if (path[0] == '/' || path[0] == '\0') {
        error_set(err, ERROR_DENIED, path, "\"%s\" must be a path inside the lesson's own folder", path);
        return NULL;
    }
    int fd = open_retry(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        file_error(err, errno, N_("open"), folder);
        return NULL;
    }
    for (const char *rest = path;;) {
        size_t size = strcspn(rest, "/");
        bool last = rest[size] == '\0';
        if (size == 0 || size > NAME_MAX || (size == 2 && memcmp(rest, "..", 2) == 0)) {
            error_set(err, ERROR_DENIED, path, "\"%s\" must be a path inside the lesson's own folder", path);
            break;
        }
        memcpy(part, rest, size);
        part[size] = '\0';
        /* O_NONBLOCK: a FIFO planted in a pack must not hang the open */
        int next = open_retry(fd, part, last ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK : O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (next < 0) {
            if (errno == ELOOP)
                error_set(err, ERROR_DENIED, path, "\"%s\" is a symbolic link, which a lesson's files may not be", path);
            else
                file_error(err, errno, N_("open"), path);
            break;
        }
        close(fd);
        fd = next;
        if (last) {
            struct stat status;
            if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
                return read_all(fd, path, maximum, length, err);
            error_set(err, ERROR_INPUT, path, "\"%s\" is not a file", path);
            break;
        }
        rest += size + 1;
    }
    close(fd);
    return NULL;
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

bool file_write(const char *path, const void *bytes, size_t length, unsigned mode, struct error *err)
{
    char *temporary = mem_printf("%s.XXXXXX", path);
    if (temporary == NULL)
        return error_memory(err);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        file_error(err, errno, N_("write"), path);
        mem_free(temporary);
        return false;
    }
    bool ok = write_all(fd, bytes, length) && fchmod(fd, (mode_t)mode) == 0 && fsync(fd) == 0;
    int saved = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    if (ok && rename(temporary, path) != 0) {
        ok = false;
        saved = errno;
    }
    if (!ok) {
        unlink(temporary);
        file_error(err, saved, N_("write"), path);
    }
    mem_free(temporary);
    return ok;
}

bool file_make_folder(const char *path, unsigned mode, struct error *err)
{
    char *part = mem_string(path);
    if (part == NULL)
        return error_memory(err);
    bool ok = true;
    for (char *slash = part + 1; ok; slash++) {
        slash += strcspn(slash, "/");
        char was = *slash;
        *slash = '\0';
        struct stat status;
        if (mkdir(part, (mode_t)mode) != 0 && errno != EEXIST)
            ok = file_error(err, errno, N_("make the folder"), part);
        else if (stat(part, &status) == 0 && !S_ISDIR(status.st_mode))
            ok = file_error(err, ENOTDIR, N_("make the folder"), part);
        *slash = was;
        if (was == '\0')
            break;
    }
    mem_free(part);
    return ok;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *file_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    if (name[0] == '/')
        return mem_string(name);
    return mem_printf("%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}
