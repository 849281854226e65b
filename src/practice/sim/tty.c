#include "practice/sim/tty.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "practice/sim/box.h"

enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_R = 18, CTRL_U = 21, CTRL_W = 23, CTRL_Z = 26, CTRL_BACKSLASH = 28, ERASE = 127, TTY_INPUT = 16 << 10 };

struct tty {
    struct kernel *kernel;
    unsigned references; /* handles, and who made it */
    bool gone, raw, echo;
    unsigned columns, rows;
    int group;
    struct buf line;  /* being typed */
    struct buf input; /* lines that are ready, or raw bytes */
    size_t ends;      /* Ctrl-D on an empty line: that many ends of file are to be read */
    struct buf output;
    struct wait_queue readers, watchers; /* processes that read or write; who looks at the output */
};

struct tty *tty_new(struct kernel *kernel)
{
    struct tty *tty = mem_zero(1, sizeof *tty);
    if (tty)
        *tty = (struct tty){.kernel = kernel, .references = 1, .echo = true, .columns = 80, .rows = 24, .line = buf_make(TTY_LINE), .input = buf_make(TTY_INPUT),
            .output = buf_make(TTY_OUTPUT + 2 * TTY_LINE)};
    return tty;
}

static void let_go(struct tty *tty)
{
    if (--tty->references > 0)
        return;
    buf_free(&tty->line);
    buf_free(&tty->input);
    buf_free(&tty->output);
    mem_free(tty);
}

void tty_free(struct tty *tty)
{
    if (!tty)
        return;
    tty->gone = true;
    wait_wake(&tty->readers);
    let_go(tty);
}

/* ---- what processes do ---- */

static ssize_t slave_read(struct handle *handle, void *bytes, size_t length)
{
    struct tty *tty = handle->self;
    if (tty->input.length == 0) {
        if (tty->ends > 0) {
            tty->ends--;
            return 0;
        }
        return tty->gone ? 0 : -EAGAIN;
    }
    length = length < tty->input.length ? length : tty->input.length;
    if (!tty->raw) { /* a line at a time */
        const char *end = memchr(tty->input.bytes, '\n', length);
        length = end ? (size_t)(end - tty->input.bytes) + 1 : length;
    }
    memcpy(bytes, tty->input.bytes, length);
    struct buf rest = buf_make(TTY_INPUT);
    buf_append(&rest, tty->input.bytes + length, tty->input.length - length);
    buf_free(&tty->input);
    tty->input = rest;
    return (ssize_t)length;
}

static void put(struct tty *tty, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n')
            buf_append(&tty->output, "\r", 1);
        buf_append(&tty->output, bytes + i, 1);
    }
}

static ssize_t slave_write(struct handle *handle, const void *bytes, size_t length)
{
    struct tty *tty = handle->self;
    if (tty->gone)
        return -EIO;
    if (tty->output.length >= TTY_OUTPUT)
        return -EAGAIN;
    length = length < TTY_LINE ? length : TTY_LINE;
    put(tty, bytes, length);
    wait_wake(&tty->watchers);
    return (ssize_t)length;
}

static unsigned slave_ready(const struct handle *handle)
{
    const struct tty *tty = handle->self;
    return (tty->input.length > 0 || tty->ends > 0 || tty->gone ? HANDLE_READ : 0u) | (tty->output.length < TTY_OUTPUT ? HANDLE_WRITE : 0u) | (tty->gone ? HANDLE_HUNG : 0u);
}

static void slave_close(struct handle *handle)
{
    let_go(handle->self);
}

static const struct handle_ops slave_ops = {.read = slave_read, .write = slave_write, .ready = slave_ready, .close = slave_close};

struct handle *tty_open(struct tty *tty, int flags)
{
    struct handle *handle = handle_new(&slave_ops, tty, flags, "/dev/pts/0");
    if (handle) {
        tty->references++;
        handle->tty = tty;
        handle->waiters = &tty->readers;
    }
    return handle;
}

void tty_set_raw(struct tty *tty, bool raw)
{
    if (raw && tty->line.length > 0) { /* what was begun is read as it is */
        buf_append(&tty->input, tty->line.bytes, tty->line.length);
        buf_clear(&tty->line);
    }
    tty->raw = raw;
}

void tty_set_echo(struct tty *tty, bool echo)
{
    tty->echo = echo;
}

void tty_set_group(struct tty *tty, int group)
{
    tty->group = group;
}

void tty_size(const struct tty *tty, unsigned *columns, unsigned *rows)
{
    *columns = tty->columns;
    *rows = tty->rows;
}

/* ---- the other end ---- */

static void echo(struct tty *tty, const char *bytes, size_t length)
{
    if (tty->echo && tty->output.length < TTY_OUTPUT)
        put(tty, bytes, length);
}

static void signal_group(struct tty *tty, struct box *box, int signal)
{
    for (struct task *task = box->pids->first, *next; task; task = next) {
        next = task->next;
        if (task->tty == tty && task->group == tty->group)
            task_signal(task, signal, false);
    }
}

/* Takes the last character (UTF-8: all its bytes) off the line. */
static void erase(struct tty *tty)
{
    size_t length = tty->line.length;
    if (length == 0)
        return;
    while (length > 1 && ((unsigned char)tty->line.bytes[length - 1] & 0xC0) == 0x80)
        length--;
    struct buf shorter = buf_make(TTY_LINE);
    buf_append(&shorter, tty->line.bytes, length - 1);
    buf_free(&tty->line);
    tty->line = shorter;
    echo(tty, "\b \b", 3);
}

static void key_signal(struct tty *tty, struct box *box, const char *shown, int signal)
{
    echo(tty, shown, 2);
    buf_clear(&tty->line);
    buf_clear(&tty->input);
    signal_group(tty, box, signal);
}

static void take_line(struct tty *tty)
{
    buf_append(&tty->input, tty->line.bytes, tty->line.length);
    buf_clear(&tty->line);
}

static void type_key(struct tty *tty, struct box *box, char key)
{
    switch (key) {
    case CTRL_C: key_signal(tty, box, "^C", SIGINT); return;
    case CTRL_BACKSLASH: key_signal(tty, box, "^\\", SIGQUIT); return;
    case CTRL_Z: key_signal(tty, box, "^Z", SIGTSTP); return;
    case CTRL_D:
        if (tty->line.length == 0)
            tty->ends++;
        else
            take_line(tty);
        return;
    case ERASE:
    case BACKSPACE: erase(tty); return;
    case CTRL_U:
        while (tty->line.length > 0)
            erase(tty);
        return;
    case CTRL_W:
        while (tty->line.length > 0 && tty->line.bytes[tty->line.length - 1] == ' ')
            erase(tty);
        while (tty->line.length > 0 && tty->line.bytes[tty->line.length - 1] != ' ')
            erase(tty);
        return;
    case '\r':
    case '\n':
        buf_append(&tty->line, "\n", 1);
        echo(tty, "\n", 1);
        take_line(tty);
        return;
    default:
        if (tty->line.length + 2 < TTY_LINE) {
            buf_append(&tty->line, &key, 1);
            echo(tty, &key, 1);
        }
    }
}

size_t tty_type(struct tty *tty, struct box *box, const void *bytes, size_t length)
{
    size_t taken = 0;
    if (tty->raw) {
        size_t room = TTY_INPUT - tty->input.length;
        taken = length < room ? length : room;
        buf_append(&tty->input, bytes, taken);
    } else {
        while (taken < length && tty->input.length + tty->line.length + 2 < TTY_INPUT && !tty->raw)
            type_key(tty, box, ((const char *)bytes)[taken++]);
    }
    wait_wake(&tty->readers);
    wait_wake(&tty->watchers);
    return taken;
}

void tty_resize(struct tty *tty, struct box *box, unsigned columns, unsigned rows)
{
    tty->columns = columns;
    tty->rows = rows;
    signal_group(tty, box, SIGWINCH);
}

const char *tty_output(const struct tty *tty, size_t *length)
{
    *length = tty->output.length;
    return tty->output.bytes;
}

void tty_drop_output(struct tty *tty, size_t length)
{
    struct buf rest = buf_make(tty->output.maximum);
    buf_append(&rest, tty->output.bytes + length, tty->output.length - length);
    buf_free(&tty->output);
    tty->output = rest;
    wait_wake(&tty->readers);
}

struct wait_queue *tty_output_queue(struct tty *tty)
{
    return &tty->watchers;
}
