#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

enum { LOG_MAXIMUM = 4 << 20, LOG_LINE = 2048 };

struct log log_to(FILE *file)
{
    return (struct log){.file = file};
}

bool log_open(struct log *log, const char *path, struct error *err)
{
    struct stat status;
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    *log = log_to(NULL);
    if (stat(path, &status) == 0 && status.st_size > LOG_MAXIMUM)
        flags |= O_TRUNC;
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return file_error(err, errno, "open", path);
    FILE *file = fdopen(fd, "a");
    if (file == NULL) {
        close(fd);
        return file_error(err, errno, "open", path);
    }
    *log = (struct log){.file = file, .owned = true};
    return true;
}

void log_close(struct log *log)
{
    if (log->owned)
        fclose(log->file);
    *log = log_to(NULL);
}

void log_line(struct log *log, const char *format, ...)
{
    if (log == NULL || log->file == NULL)
        return;
    char text[LOG_LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int64_t now = clock_wall_ms();
    time_t seconds = (time_t)(now / 1000);
    struct tm local;
    localtime_r(&seconds, &local);
    fprintf(log->file, "%02d:%02d:%02d.%03d ", local.tm_hour, local.tm_min, local.tm_sec, (int)(now % 1000));
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            fprintf(log->file, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, log->file);
    fputc('\n', log->file);
    fflush(log->file);
}
