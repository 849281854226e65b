/* tty.h: a terminal as processes see it (the line discipline), and the other end of it, where a person's bytes come from and go to.
 */
#ifndef KT_PRACTICE_SIM_TTY_H
#define KT_PRACTICE_SIM_TTY_H

#include "practice/sim/kernel.h"

struct tty;
enum { TTY_LINE = 4096, TTY_OUTPUT = 64 << 10 /* unread bytes; who writes more waits */ };

struct tty *tty_new(struct kernel *kernel) __attribute__((warn_unused_result)); /* 80 by 24 until it is told. NULL: no memory */
/* Ends it: readers get the end, writers -EIO; its memory goes with the last handle. */
void tty_free(struct tty *tty);
struct handle *tty_open(struct tty *tty, int flags) __attribute__((warn_unused_result));

/* ---- for processes ---- */

/* Raw: bytes come as they are typed, without echo and signals. Back to lines with false. */
void tty_set_raw(struct tty *tty, bool raw);
void tty_set_echo(struct tty *tty, bool echo);
void tty_set_group(struct tty *tty, int group); /* who gets the signals of keys */
void tty_size(const struct tty *tty, unsigned *columns, unsigned *rows);

/* ---- the other end ---- */

/* Bytes from the person; the number that was taken. */
size_t tty_type(struct tty *tty, struct box *box, const void *bytes, size_t length);
void tty_resize(struct tty *tty, struct box *box, unsigned columns, unsigned rows);
/* What came out: look, then drop as much as was taken. */
const char *tty_output(const struct tty *tty, size_t *length);
void tty_drop_output(struct tty *tty, size_t length);
struct wait_queue *tty_output_queue(struct tty *tty); /* is woken when there is output */

#endif
