/* applet.h: what programs write with and read their options with.
 */
#ifndef KT_PRACTICE_SIM_APPLET_H
#define KT_PRACTICE_SIM_APPLET_H

#include "base/buf.h"
#include "practice/sim/kernel.h"

/* Output to descriptor 1, gathered until applet_flush, the end of main or APPLET_GATHER bytes. False: it cannot be written (the program should end). */
enum { APPLET_GATHER = 4096 };
bool applet_print(struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool applet_write(struct task *task, const void *bytes, size_t length);
bool applet_flush(struct task *task);
void applet_end(struct task *task); /* the kernel's, after main */
/* "NAME: what" to descriptor 2, after a flush; NAME is argv[0]'s last part. Returns 1, the usual exit code. */
int applet_say(struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
int applet_usage(struct task *task, const char *usage); /* "Usage: NAME usage", as busybox puts it; returns 1 */
void applet_tell(struct task *task, const char *text); /* to descriptor 2 as it is, as far as it can be written at once: for daemons, which cannot wait */
int applet_say_errno(struct task *task, const char *what, int error); /* "NAME: what: No such file or directory"; error is -errno */
const char *applet_errno(int error);                                  /* the words; independent of the locale */

/* Options as GNU getopt_long(3) reads them, without global state: words that are none come behind those that are (argv is put in that order), unless letters begin with '+'. letters as there ("n:v"); long
 * ones by a table, NULL for none. */
struct applet_long {
    const char *name;
    bool argument;
    int letter;
};
struct applet_options {
    int index;            /* the next argument; after the end the first that is no option */
    const char *value;    /* of the option that was returned */
    const struct applet_long *longs;
    const char *rest;     /* letters left in this argument */
    int first, passed;    /* words that are no options, passed over: where, how many */
};
/* -1 at the end. '?': an unknown one was told as busybox does ("NAME: unrecognized option: x" and the usage line); the program then returns 1. */
int applet_option(struct task *task, int argc, char **argv, const char *letters, struct applet_options *options);

/* Reads lines of a descriptor. */
struct applet_lines {
    int fd;
    size_t start, end, room;
    char *bytes;
    bool ended;
};
enum { APPLET_LINE = 1 << 20 }; /* bytes of one line; longer ones come in pieces */
/* The next line with its newline (the last may lack it), valid until the next call. False: the end or an error. */
bool applet_line(struct task *task, struct applet_lines *lines, const char **line, size_t *length);
void applet_lines_free(struct applet_lines *lines);
/* Opens for reading; "-" is descriptor 0. Below zero: it was told. */
int applet_open(struct task *task, const char *path);
/* A whole descriptor, at most `most` bytes; false: told. */
bool applet_slurp(struct task *task, int fd, size_t most, struct buf *out);

/* A decimal number, whole text; false: it is none. */
bool applet_number(const char *text, int64_t *out);
/* 10, 1k, 2M (1024), b (512) */
bool applet_size(const char *text, int64_t *out);
/* Seconds, with s, m, h, d and fractions; ms. -1: "infinity". False: none. */
bool applet_duration(const char *text, int64_t *ms);
const char *applet_base_name(const char *path); /* after the last slash */

#endif
