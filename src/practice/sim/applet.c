#include "practice/sim/applet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/number.h"

/* ---- output ---- */

bool applet_flush(struct task *task)
{
    if (task->out.length == 0 || task->dying)
        return !task->dying;
    ssize_t got = task_write(task, 1, task->out.bytes, task->out.length);
    buf_clear(&task->out);
    return got >= 0;
}

void applet_end(struct task *task)
{
    applet_flush(task);
    buf_free(&task->out);
}

bool applet_write(struct task *task, const void *bytes, size_t length)
{
    if (task->out.length + length > APPLET_GATHER && !applet_flush(task))
        return false;
    if (length > APPLET_GATHER)
        return task_write(task, 1, bytes, length) >= 0;
    buf_append(&task->out, bytes, length);
    return task_step(task, 1);
}

bool applet_print(struct task *task, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char small[512];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    bool ok = false;
    if (length >= 0 && (size_t)length < sizeof small) {
        ok = applet_write(task, small, (size_t)length);
    } else if (length >= 0) {
        char *large = mem_alloc((size_t)length + 1);
        if (large) {
            vsnprintf(large, (size_t)length + 1, format, again);
            ok = applet_write(task, large, (size_t)length);
        }
        mem_free(large);
    }
    va_end(again);
    return ok;
}

const char *applet_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

int applet_say(struct task *task, const char *format, ...)
{
    char text[1024];
    applet_flush(task);
    int start = snprintf(text, sizeof text, "%.64s: ", task->argv[0] ? applet_base_name(task->argv[0]) : "?");
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + start, sizeof text - (size_t)start - 1, format, arguments);
    va_end(arguments);
    size_t end = (size_t)(start + (length > 0 ? length : 0));
    end = end < sizeof text - 2 ? end : sizeof text - 2;
    text[end] = '\n';
    task_write(task, 2, text, end + 1);
    return 1;
}

const char *applet_errno(int error)
{
    static const struct {
        int number;
        const char *words;
    } table[] = {
        {ENOENT, "No such file or directory"},   {EACCES, "Permission denied"},           {EEXIST, "File exists"},
        {ENOTDIR, "Not a directory"},            {EISDIR, "Is a directory"},              {ENOTEMPTY, "Directory not empty"},
        {EROFS, "Read-only file system"},        {ENOSPC, "No space left on device"},     {EPERM, "Operation not permitted"},
        {EINVAL, "Invalid argument"},            {EBADF, "Bad file descriptor"},          {EMFILE, "Too many open files"},
        {EAGAIN, "Resource temporarily unavailable"}, {ENOMEM, "Out of memory"},          {E2BIG, "Argument list too long"},
        {ENOEXEC, "Exec format error"},          {ELOOP, "Too many levels of symbolic links"}, {ENAMETOOLONG, "File name too long"},
        {EPIPE, "Broken pipe"},                  {EBUSY, "Resource busy"},                {EXDEV, "Cross-device link"},
        {EFBIG, "File too large"},               {EINTR, "Interrupted system call"},      {ESRCH, "No such process"},
        {ECHILD, "No child process"},            {ENXIO, "No such device or address"},    {ESPIPE, "Invalid seek"},
        {ETIMEDOUT, "Operation timed out"},      {ECONNREFUSED, "Connection refused"},    {EHOSTUNREACH, "Host is unreachable"},
        {ENETUNREACH, "Network unreachable"},    {ECONNRESET, "Connection reset by peer"}, {EADDRINUSE, "Address in use"},
        {EADDRNOTAVAIL, "Address not available"}, {ENOTCONN, "Socket not connected"},     {EIO, "I/O error"},
        {ENOTTY, "Not a tty"},                   {ENOSYS, "Function not implemented"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == -error)
            return table[i].words;
    return "Unknown error";
}

int applet_say_errno(struct task *task, const char *what, int error)
{
    return applet_say(task, "%s: %s", what, applet_errno(error));
}

int applet_usage(struct task *task, const char *usage)
{
    char text[512];
    applet_flush(task);
    int length = snprintf(text, sizeof text, "BusyBox v1.36.1 multi-call binary.\n\nUsage: %.64s %.400s\n", applet_base_name(task->argv[0]), usage);
    task_write(task, 2, text, (size_t)length);
    return 1;
}

void applet_tell(struct task *task, const char *text)
{
    struct handle *handle = task_handle(task, 2);
    if (handle && handle->ops->write)
        handle->ops->write(handle, text, strlen(text));
}

/* ---- options ---- */

static int unknown(struct task *task, const char *what, bool one_letter)
{
    if (one_letter)
        applet_say(task, "invalid option -- '%.1s'", what);
    else
        applet_say(task, "unrecognized option '--%s'", what);
    return '?';
}

static int long_option(struct task *task, int argc, char **argv, struct applet_options *options)
{
    const char *word = argv[options->index++] + 2, *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct applet_long *found = NULL;
    for (const struct applet_long *at = options->longs; at && at->name; at++)
        if (strncmp(at->name, word, length) == 0 && (!found || strlen(at->name) == length))
            found = at;
    if (!found)
        return unknown(task, word, false);
    options->value = equals ? equals + 1 : NULL;
    if (found->argument && !options->value) {
        if (options->index >= argc) {
            applet_say(task, "option '--%s' requires an argument", found->name);
            return '?';
        }
        options->value = argv[options->index++];
    }
    return found->letter;
}

/* The words that were passed over come behind the options that were read since. */
static void permute(char **argv, struct applet_options *options)
{
    int read = options->index - options->first - options->passed;
    for (int i = 0; options->passed > 0 && i < read; i++) {
        char *word = argv[options->first + options->passed + i];
        for (int at = options->first + options->passed + i; at > options->first + i; at--)
            argv[at] = argv[at - 1];
        argv[options->first + i] = word;
    }
    options->first += read;
}

static int end_options(char **argv, struct applet_options *options)
{
    permute(argv, options);
    if (options->passed > 0)
        options->index = options->first;
    return -1;
}

int applet_option(struct task *task, int argc, char **argv, const char *letters, struct applet_options *options)
{
    if (options->index == 0)
        options->index = options->first = 1;
    options->value = NULL;
    if (!options->rest || !*options->rest) {
        permute(argv, options);
        while (options->index < argc && letters[0] != '+' && (argv[options->index][0] != '-' || argv[options->index][1] == '\0')) {
            options->first = options->passed == 0 ? options->index : options->first;
            options->passed++;
            options->index++;
        }
        if (options->index >= argc || argv[options->index][0] != '-' || argv[options->index][1] == '\0')
            return end_options(argv, options);
        if (strcmp(argv[options->index], "--") == 0) {
            options->index++;
            return end_options(argv, options);
        }
        if (argv[options->index][1] == '-')
            return long_option(task, argc, argv, options);
        options->rest = argv[options->index++] + 1;
    }
    char letter = *options->rest++;
    const char *at = letter == ':' || letter == '+' ? NULL : strchr(letters, letter);
    if (!at)
        return unknown(task, options->rest - 1, true);
    if (at[1] != ':')
        return letter;
    if (*options->rest) {
        options->value = options->rest;
        options->rest = NULL;
    } else if (options->index < argc) {
        options->value = argv[options->index++];
    } else {
        applet_say(task, "option requires an argument -- '%c'", letter);
        return '?';
    }
    return letter;
}

/* ---- input ---- */

bool applet_line(struct task *task, struct applet_lines *lines, const char **line, size_t *length)
{
    enum { READ = 8192 };
    size_t looked = lines->start;
    for (;;) {
        const char *end = lines->end > looked ? memchr(lines->bytes + looked, '\n', lines->end - looked) : NULL;
        size_t have = end ? (size_t)(end - lines->bytes) + 1 - lines->start : lines->end - lines->start;
        if (end || (have > 0 && (lines->ended || have >= APPLET_LINE))) {
            *line = lines->bytes + lines->start;
            *length = have;
            lines->start += have;
            return task_step(task, 1);
        }
        if (lines->ended)
            return false;
        looked = lines->end - lines->start;
        if (lines->start > 0) {
            memmove(lines->bytes, lines->bytes + lines->start, lines->end - lines->start);
            lines->end -= lines->start;
            lines->start = 0;
        }
        if (lines->room - lines->end < READ) {
            size_t room = lines->room * 2 > lines->end + READ ? lines->room * 2 : lines->end + READ;
            char *bytes = mem_resize(lines->bytes, room);
            if (!bytes)
                return false;
            lines->bytes = bytes;
            lines->room = room;
        }
        ssize_t got = task_read(task, lines->fd, lines->bytes + lines->end, READ);
        if (got <= 0)
            lines->ended = true;
        if (got == -EISDIR || got == -EBADF)
            applet_say(task, "read error: %s", applet_errno((int)got));
        if (got < 0 && task->dying)
            return false;
        lines->end += got > 0 ? (size_t)got : 0;
    }
}

void applet_lines_free(struct applet_lines *lines)
{
    mem_free(lines->bytes);
    *lines = (struct applet_lines){0};
}

int applet_open(struct task *task, const char *path)
{
    if (strcmp(path, "-") == 0)
        return 0;
    int fd = task_open(task, path, O_RDONLY, 0);
    if (fd < 0)
        applet_say_errno(task, path, fd);
    return fd;
}

bool applet_slurp(struct task *task, int fd, size_t most, struct buf *out)
{
    char bytes[4096];
    ssize_t got;
    *out = buf_make(most);
    while ((got = task_read(task, fd, bytes, sizeof bytes)) > 0)
        buf_append(out, bytes, (size_t)got);
    if (got < 0 && !task->dying)
        applet_say(task, "read error: %s", applet_errno((int)got));
    else if (!buf_ok(out))
        applet_say(task, "out of memory");
    return got == 0 && buf_ok(out);
}

/* ---- numbers ---- */

bool applet_number(const char *text, int64_t *out)
{
    struct number_integer integer;
    return *text && number_read(text, strlen(text), &integer) && number_to_int(integer, out);
}

bool applet_size(const char *text, int64_t *out)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } suffixes[] = {{"", 1}, {"c", 1}, {"w", 2}, {"b", 512}, {"k", 1024}, {"K", 1024}, {"KiB", 1024}, {"kB", 1000}, {"KB", 1000}, {"m", 1 << 20}, {"M", 1 << 20}, {"MB", 1000000},
        {"MiB", 1 << 20}, {"g", 1 << 30}, {"G", 1 << 30}, {"GB", 1000000000}, {"T", 1LL << 40}};
    size_t digits = strspn(text, "0123456789");
    char number[24];
    if (digits == 0 || digits >= 16)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(text + digits, suffixes[i].suffix) == 0) {
            int64_t value;
            return applet_number(number, &value) && !__builtin_mul_overflow(value, suffixes[i].factor, out);
        }
    return false;
}

bool applet_duration(const char *text, int64_t *ms)
{
    char *end;
    if (strcmp(text, "infinity") == 0 || strcmp(text, "inf") == 0) {
        *ms = -1;
        return true;
    }
    if ((*text < '0' || *text > '9') && *text != '.')
        return false;
    double value = number_read_double(text, &end);
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(end, suffixes[i].suffix) == 0) {
            double product = value * suffixes[i].factor * 1000;
            *ms = product < 1e15 ? (int64_t)product : -1;
            return end != text;
        }
    return false;
}
