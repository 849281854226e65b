/* shell_io: builtins that read and write: echo, printf, read. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/number.h"
#include "practice/sim/shell.h"
#include "practice/sim/tty.h"

/* ---- escapes ---- */

/* One escape after a backslash; appends what it means. zero: octal numbers begin with 0 (echo, %b). False: \c. */
static bool escape(const char **at, struct buf *out, bool zero)
{
    static const char letters[] = "abefnrtv\\", values[] = "\a\b\033\f\n\r\t\v\\";
    const char *found = **at ? strchr(letters, **at) : NULL;
    char byte;
    if (found) {
        buf_append(out, &values[found - letters], 1);
        (*at)++;
    } else if (**at == 'c') {
        return false;
    } else if (**at == 'x' && isxdigit((unsigned char)(*at)[1])) {
        char digits[3] = {(*at)[1], isxdigit((unsigned char)(*at)[2]) ? (*at)[2] : '\0', '\0'};
        byte = (char)strtol(digits, NULL, 16);
        buf_append(out, &byte, 1);
        *at += 1 + strlen(digits);
    } else if (**at >= '0' && **at <= '7') {
        int value = 0, most = zero && **at == '0' ? 4 : 3;
        for (int i = 0; i < most && **at >= '0' && **at <= '7'; i++, (*at)++)
            value = value * 8 + **at - '0';
        byte = (char)value;
        buf_append(out, &byte, 1);
    } else {
        buf_append(out, "\\", 1);
    }
    return true;
}

/* Appends text with its escapes. False: \c was in it. */
static bool unescape(const char *text, struct buf *out)
{
    while (*text) {
        if (*text != '\\') {
            buf_append(out, text++, 1);
            continue;
        }
        text++;
        if (!escape(&text, out, true))
            return false;
    }
    return true;
}

int shell_echo(struct task *task, int argc, char **argv)
{
    bool newline = true, escapes = false;
    int first = 1;
    for (; first < argc && argv[first][0] == '-' && argv[first][1] && strspn(argv[first] + 1, "neE") == strlen(argv[first] + 1); first++)
        for (const char *letter = argv[first] + 1; *letter; letter++) {
            newline = newline && *letter != 'n';
            escapes = *letter == 'e' ? true : *letter == 'E' ? false : escapes;
        }
    struct buf out = buf_make(SHELL_VALUE * 2);
    for (int i = first; i < argc; i++) {
        if (i > first)
            buf_append(&out, " ", 1);
        if (!escapes) {
            buf_append_string(&out, argv[i]);
        } else if (!unescape(argv[i], &out)) {
            newline = false;
            break;
        }
    }
    if (newline)
        buf_append(&out, "\n", 1);
    bool ok = buf_ok(&out) && applet_write(task, out.bytes ? out.bytes : "", out.length);
    buf_free(&out);
    return !ok;
}

/* ---- printf ---- */

struct printing {
    struct task *task;
    char **arguments;
    int left, status;
    bool stop;
    struct buf out;
};

static const char *next_argument(struct printing *printing)
{
    if (printing->left == 0)
        return NULL;
    printing->left--;
    return *printing->arguments++;
}

static int64_t integer(struct printing *printing, const char *text)
{
    if (!text || !*text)
        return 0;
    if (*text == '\'' || *text == '"')
        return (unsigned char)text[1];
    char *end;
    errno = 0;
    int64_t value = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
    if (*end || end == text || errno) {
        applet_say(printing->task, "invalid number '%s'", text);
        printing->status = 1;
        if (end == text)
            return 0;
    }
    return value;
}

static double real(struct printing *printing, const char *text)
{
    if (!text || !*text)
        return 0;
    char *end;
    double value = number_read_double(text, &end);
    if (*end) {
        applet_say(printing->task, "invalid number '%s'", text);
        printing->status = 1;
    }
    return value;
}

/* One directive; at is after the %. Returns where it ends. */
static const char *directive(struct printing *printing, const char *at)
{
    const char *start = at - 1;
    char format[64] = "%";
    size_t length = 1;
    while (*at && strchr("-+ #0", *at) && length < 8)
        format[length++] = *at++;
    for (int part = 0; part < 2; part++) {
        if (part == 1 && *at != '.')
            break;
        if (part == 1)
            format[length++] = *at++;
        if (*at == '*') {
            int width = (int)integer(printing, next_argument(printing));
            length += (size_t)snprintf(format + length, 8, "%d", width > 4096 ? 4096 : width < -4096 ? -4096 : width);
            at++;
        }
        for (int digits = 0; isdigit((unsigned char)*at); digits++, at++)
            if (digits < 4)
                format[length++] = *at;
    }
    while (*at && strchr("hlLqjzt", *at))
        at++;
    char kind = *at;
    format[length] = '\0';
    if (kind && strchr("dioxXu", kind)) {
        strcat(format, "ll");
        length += 2;
        format[length++] = kind;
        format[length] = '\0';
        buf_printf(&printing->out, format, (long long)integer(printing, next_argument(printing)));
    } else if (kind && strchr("eEfFgGaA", kind)) {
        format[length++] = kind;
        format[length] = '\0';
        buf_printf(&printing->out, format, real(printing, next_argument(printing)));
    } else if (kind == 's' || kind == 'b') {
        const char *text = next_argument(printing);
        struct buf plain = buf_make(SHELL_VALUE);
        if (kind == 'b' && !unescape(text ? text : "", &plain))
            printing->stop = true;
        strcat(format, "s");
        buf_printf(&printing->out, format, kind == 's' ? text ? text : "" : plain.bytes ? plain.bytes : "");
        buf_free(&plain);
    } else if (kind == 'c') {
        const char *text = next_argument(printing);
        char one[2] = {text ? text[0] : '\0', '\0'};
        strcat(format, "s");
        buf_printf(&printing->out, format, one);
    } else {
        applet_say(printing->task, "%s: invalid format", start);
        printing->status = 1;
        printing->stop = true;
        return at;
    }
    return at + 1;
}

static void print_once(struct printing *printing, const char *format)
{
    while (*format && !printing->stop) {
        if (*format == '\\') {
            format++;
            if (!escape(&format, &printing->out, false))
                printing->stop = true;
        } else if (*format == '%' && format[1] == '%') {
            buf_append(&printing->out, "%", 1);
            format += 2;
        } else if (*format == '%') {
            format = directive(printing, format + 1);
        } else {
            buf_append(&printing->out, format++, 1);
        }
    }
}

int shell_printf(struct task *task, int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (first >= argc) {
        applet_say(task, "usage: printf FORMAT [ARGUMENT...]");
        return 2;
    }
    struct printing printing = {.task = task, .arguments = argv + first + 1, .left = argc - first - 1, .out = buf_make(SHELL_VALUE)};
    int before;
    do {
        before = printing.left;
        print_once(&printing, argv[first]);
    } while (!printing.stop && printing.left > 0 && printing.left < before && task_step(task, 2));
    bool ok = buf_ok(&printing.out) && applet_write(task, printing.out.bytes ? printing.out.bytes : "", printing.out.length);
    buf_free(&printing.out);
    return ok ? printing.status : 1;
}

/* ---- read ---- */

struct reading {
    bool raw, silent;
    char delimiter;
    int64_t most, timeout_ms; /* -1: none */
    int fd;
    const char *prompt;
};

/* A line into text; marks: 'q' for what a backslash kept from being split. Returns the status. */
static int read_line(struct shell *shell, const struct reading *reading, struct buf *text, struct buf *marks)
{
    int64_t deadline = reading->timeout_ms >= 0 ? kernel_now(shell->task->kernel) + reading->timeout_ms : -1;
    bool escaped = false;
    while (reading->most < 0 || (int64_t)text->length < reading->most) {
        char byte;
        struct task_poll poll = {.fd = reading->fd, .wanted = HANDLE_READ};
        if (deadline >= 0 && task_poll(shell->task, &poll, 1, deadline) <= 0)
            return 1;
        ssize_t got = task_read(shell->task, reading->fd, &byte, 1);
        if (got == -EINTR && !task_dying(shell->task)) {
            shell_run_traps(shell);
            if (shell->leave == LEAVE_NOT)
                continue;
        }
        if (got <= 0)
            return 1;
        if (byte == '\0')
            continue;
        if (escaped) {
            escaped = false;
            if (byte == '\n')
                continue;
            buf_append(text, &byte, 1);
            buf_append(marks, "q", 1);
        } else if (byte == reading->delimiter) {
            return 0;
        } else if (byte == '\\' && !reading->raw) {
            escaped = true;
        } else {
            buf_append(text, &byte, 1);
            buf_append(marks, "p", 1);
        }
    }
    return 0;
}

static bool is_separator(const struct buf *text, const struct buf *marks, size_t at, const char *ifs, bool space)
{
    char byte = text->bytes[at];
    bool blank = byte == ' ' || byte == '\t' || byte == '\n';
    return marks->bytes[at] == 'p' && byte && strchr(ifs, byte) && (!space || blank);
}

static int assign_fields(struct shell *shell, const struct buf *text, const struct buf *marks, int argc, char **argv)
{
    const char *ifs = shell_get(shell, "IFS");
    size_t at = 0, end = text->length;
    ifs = ifs ? ifs : " \t\n";
    while (at < end && is_separator(text, marks, at, ifs, true))
        at++;
    while (end > at && is_separator(text, marks, end - 1, ifs, true))
        end--;
    for (int i = 0; i < argc; i++) {
        size_t start = at, stop;
        if (i == argc - 1) {
            stop = end;
            /* one separator that ends the only field is not part of it */
            if (stop > start && is_separator(text, marks, stop - 1, ifs, false)) {
                bool more = false;
                for (size_t j = start; j + 1 < stop; j++)
                    more = more || is_separator(text, marks, j, ifs, false);
                stop -= !more;
            }
        } else {
            while (at < end && !is_separator(text, marks, at, ifs, false))
                at++;
            stop = at;
            while (at < end && is_separator(text, marks, at, ifs, true))
                at++;
            if (at < end && is_separator(text, marks, at, ifs, false) && !is_separator(text, marks, at, ifs, true))
                at++;
            while (at < end && is_separator(text, marks, at, ifs, true))
                at++;
        }
        if (!shell_is_name(argv[i], strlen(argv[i])))
            return shell_fail(shell, 2, "%s: bad variable name", argv[i]);
        if (!shell_set_bytes(shell, argv[i], text->bytes ? text->bytes + start : "", stop - start))
            return 2;
    }
    return 0;
}

static int builtin_read(struct shell *shell, int argc, char **argv)
{
    struct reading reading = {.delimiter = '\n', .most = -1, .timeout_ms = -1};
    struct applet_options options = {0};
    char reply[] = "REPLY", *only[] = {reply};
    for (int letter; (letter = applet_option(shell->task, argc, argv, "rsp:t:n:d:u:", &options)) != -1;) {
        int64_t number = 0;
        bool ok = letter != '?';
        reading.raw = reading.raw || letter == 'r';
        reading.silent = reading.silent || letter == 's';
        if (letter == 'p')
            reading.prompt = options.value;
        else if (letter == 't')
            ok = applet_duration(options.value, &reading.timeout_ms);
        else if (letter == 'n')
            ok = applet_number(options.value, &reading.most);
        else if (letter == 'd')
            reading.delimiter = options.value[0];
        else if (letter == 'u')
            ok = applet_number(options.value, &number) && number >= 0 && number < TASK_FDS;
        if (letter == 'u')
            reading.fd = (int)number;
        if (!ok)
            return 2;
    }
    struct handle *handle = task_handle(shell->task, reading.fd);
    if (reading.prompt && handle && handle->tty)
        task_write(shell->task, 2, reading.prompt, strlen(reading.prompt));
    if (handle && handle->tty && (reading.silent || reading.most > 0))
        tty_set_echo(handle->tty, !reading.silent);
    if (handle && handle->tty && reading.most > 0)
        tty_set_raw(handle->tty, true);
    struct buf text = buf_make(SHELL_VALUE), marks = buf_make(SHELL_VALUE);
    handle_ref(handle);
    int status = read_line(shell, &reading, &text, &marks);
    if (handle && handle->tty) {
        tty_set_raw(handle->tty, false);
        tty_set_echo(handle->tty, true);
    }
    handle_free(handle);
    bool named = options.index < argc;
    int got = 2;
    if (buf_ok(&text) && buf_ok(&marks) && !task_dying(shell->task))
        got = named ? assign_fields(shell, &text, &marks, argc - options.index, argv + options.index)
                    : shell_set_bytes(shell, only[0], text.bytes ? text.bytes : "", text.length) ? 0 : 2;
    buf_free(&text);
    buf_free(&marks);
    return got != 0 ? got : status;
}

static const struct shell_builtin builtins[] = {
    {"echo", NULL, false, shell_echo}, {"printf", NULL, false, shell_printf}, {"test", NULL, false, shell_test}, {"[", NULL, false, shell_test}, {"read", builtin_read, false, NULL},
};
const struct shell_builtin_table shell_builtins_io = {builtins, sizeof builtins / sizeof *builtins};
