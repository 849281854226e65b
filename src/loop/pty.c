#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "loop/child.h"
#include "loop/process.h"

enum { HELD_GRACE_MS = 1000, CHUNK = 65536, QUEUE_MAXIMUM = 1 << 20 };

struct pty {
    struct process *process; /* NULL once exit_fn was called */
    int fd;
    struct loop_event *event;
    struct loop_event *timer; /* after the program's end: the grace for others that hold the pty */
    struct buf queue;         /* for the program; its first `sent` bytes are written already */
    size_t sent;
    bool paused;
    bool closed; /* nobody holds the other side any more */
    void (*read_fn)(void *data, const char *bytes, size_t length);
    void (*exit_fn)(void *data, int exit_code, int signal_number);
    void *data;
};

static void watch(struct pty *pty)
{
    int what = (pty->paused ? 0 : LOOP_READ) | (pty->queue.length > pty->sent ? LOOP_WRITE : 0);
    loop_set_fd(pty->event, pty->closed ? 0 : what);
}

static void finish(struct pty *pty)
{
    int exit_code, signal_number;
    process_status(pty->process, &exit_code, &signal_number);
    process_release(pty->process, false);
    pty->process = NULL;
    pty->closed = true;
    watch(pty);
    loop_set_timer(pty->timer, -1);
    pty->exit_fn(pty->data, exit_code, signal_number);
}

static void on_grace_over(void *data)
{
    finish(data);
}

static void on_ended(void *data)
{
    struct pty *pty = data;
    if (pty->closed)
        finish(pty);
    else if (!pty->paused)
        loop_set_timer(pty->timer, HELD_GRACE_MS);
}

static void drop_queue(struct pty *pty)
{
    buf_clear(&pty->queue);
    pty->sent = 0;
}

static void write_queue(struct pty *pty)
{
    if (pty->queue.length == pty->sent)
        return;
    ssize_t put = write(pty->fd, pty->queue.bytes + pty->sent, pty->queue.length - pty->sent);
    if (put > 0)
        pty->sent += (size_t)put;
    else if (put < 0 && errno != EAGAIN && errno != EINTR)
        drop_queue(pty); /* nobody is there to read it; the read side tells the end */
    if (pty->sent == pty->queue.length)
        drop_queue(pty);
}

static void on_ready(void *data, int what)
{
    struct pty *pty = data;
    if (what & LOOP_WRITE) {
        write_queue(pty);
        watch(pty);
    }
    if ((what & LOOP_READ) == 0 || pty->paused)
        return;
    char chunk[CHUNK];
    ssize_t got = read(pty->fd, chunk, sizeof chunk);
    if (got > 0)
        pty->read_fn(pty->data, chunk, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR)) { /* EIO: the last holder has closed it */
        pty->closed = true;
        watch(pty);
        if (process_ended(pty->process))
            finish(pty);
    }
}

static void set_size(int fd, unsigned short columns, unsigned short rows)
{
    struct winsize size = {.ws_col = columns, .ws_row = rows};
    ioctl(fd, TIOCSWINSZ, &size);
}

/* Opens a pty with the size, whose line editor knows UTF-8 (so that erasing takes whole characters). Returns -1 with errno. */
static int open_pty(const struct pty_options *options, char *name, size_t room)
{
    int fd = process_high(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    struct termios mode;
    if (fd < 0)
        return -1;
    if (grantpt(fd) != 0 || unlockpt(fd) != 0 || ptsname_r(fd, name, room) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        tcgetattr(fd, &mode) != 0) {
        int failure = errno;
        close(fd);
        errno = failure;
        return -1;
    }
    mode.c_iflag |= IUTF8;
    tcsetattr(fd, TCSANOW, &mode);
    set_size(fd, options->columns, options->rows);
    return fd;
}

static void pty_release(struct pty *pty)
{
    loop_drop(pty->event);
    loop_drop(pty->timer);
    if (pty->fd >= 0)
        close(pty->fd);
    buf_free(&pty->queue);
    mem_free(pty);
}

struct pty *pty_start(struct loop *loop, const struct pty_options *options,
                      void (*read_fn)(void *data, const char *bytes, size_t length),
                      void (*exit_fn)(void *data, int exit_code, int signal_number), void *data, struct error *err)
{
    struct pty *pty = mem_zero(1, sizeof *pty);
    if (pty == NULL) {
        error_memory(err);
        return NULL;
    }
    char name[64];
    *pty = (struct pty){.fd = open_pty(options, name, sizeof name),
                        .queue = buf_make(QUEUE_MAXIMUM),
                        .read_fn = read_fn,
                        .exit_fn = exit_fn,
                        .data = data};
    if (pty->fd < 0)
        error_set(err, ERROR_LIMIT, NULL, "cannot open a terminal for %s: %s", options->argv[0], strerror(errno));
    else if ((pty->event = loop_add_fd(loop, pty->fd, LOOP_READ, on_ready, pty)) == NULL ||
             (pty->timer = loop_add_timer(loop, -1, on_grace_over, pty)) == NULL)
        error_memory(err);
    else {
        struct process_options process = {
            .argv = options->argv, .environment = options->environment, .folder = options->folder, .terminal = name};
        pty->process = process_start(loop, &process, on_ended, pty, err);
    }
    if (pty->process == NULL) {
        pty_release(pty);
        return NULL;
    }
    return pty;
}

/* A buffer without the bytes that were sent, so that the maximum counts those that wait. */
static bool compact(struct pty *pty)
{
    if (pty->sent == 0 && buf_ok(&pty->queue))
        return true;
    struct buf rest = buf_make(QUEUE_MAXIMUM);
    if (pty->queue.length > pty->sent)
        buf_append(&rest, pty->queue.bytes + pty->sent, pty->queue.length - pty->sent);
    if (!buf_ok(&rest))
        return false;
    buf_free(&pty->queue);
    pty->queue = rest;
    pty->sent = 0;
    return true;
}

bool pty_write(struct pty *pty, const char *bytes, size_t length)
{
    if (pty->closed || length == 0)
        return true;
    if (length > QUEUE_MAXIMUM - (pty->queue.length - pty->sent) || !compact(pty))
        return false;
    buf_append(&pty->queue, bytes, length);
    if (!buf_ok(&pty->queue))
        return false;
    write_queue(pty);
    watch(pty);
    return true;
}

void pty_resize(struct pty *pty, unsigned short columns, unsigned short rows)
{
    set_size(pty->fd, columns, rows);
}

void pty_pause(struct pty *pty, bool paused)
{
    pty->paused = paused;
    watch(pty);
    if (pty->process != NULL && process_ended(pty->process))
        loop_set_timer(pty->timer, paused ? -1 : HELD_GRACE_MS);
}

pid_t pty_pid(const struct pty *pty)
{
    return pty->process != NULL ? process_pid(pty->process) : 0;
}

void pty_free(struct pty *pty)
{
    if (pty == NULL)
        return;
    if (pty->process != NULL) {
        if (!process_ended(pty->process))
            process_end(pty->process, SIGHUP);
        process_release(pty->process, false);
    }
    pty_release(pty);
}
