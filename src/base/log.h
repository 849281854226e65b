/* log.h: lines for people who look for a fault (-v): to stderr, or to a file while the screen is in use.
 * Callers never give it credentials; see kube/client.h for what is left out of requests.
 */
#ifndef KT_BASE_LOG_H
#define KT_BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct log {
    FILE *file; /* borrowed, or owned if opened by log_open; NULL: nothing is written */
    bool owned;
};

/* A log that writes to an open file (stderr), or to nothing (NULL). */
struct log log_to(FILE *file);
/* Appends to a file of mode 0600; one over 4 MiB is started anew. On failure the log writes nothing. */
bool log_open(struct log *log, const char *path, struct error *err);
void log_close(struct log *log);

/* One line with the time of day before it; control characters in it are masked as \xNN. log may be NULL. */
void log_line(struct log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
