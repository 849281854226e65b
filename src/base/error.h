/* error.h: what went wrong, as a value that can be shown to a person.
 *
 * A function that can fail returns bool (or a pointer, NULL for failure) and takes `struct error *err` last. On failure
 * it fills err, on success it leaves err alone. err may be NULL where the caller only wants to know whether.
 *     return error_set(err, ERROR_INPUT, where, "...");                 from a bool function
 *     error_set(err, ERROR_INPUT, where, "..."); return NULL;           from a pointer function
 */
#ifndef KT_BASE_ERROR_H
#define KT_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* The kinds that callers act on differently; everything else is told by the message. */
enum error_kind {
    ERROR_NONE,
    ERROR_MEMORY,          /* an allocation failed */
    ERROR_LIMIT,           /* a stated maximum was reached */
    ERROR_INPUT,           /* a person's or a file's fault; `where` says where */
    ERROR_USAGE,           /* a wrong word on the command line */
    ERROR_INVALID,         /* the server found the object wrong (422) */
    ERROR_NOT_FOUND,
    ERROR_EXISTS,
    ERROR_CONFLICT,        /* somebody changed it meanwhile */
    ERROR_EXPIRED,         /* a version that is no longer kept (410) */
    ERROR_UNAUTHENTICATED, /* no credentials, or refused ones */
    ERROR_DENIED,          /* credentials fine, permission missing */
    ERROR_BUSY,            /* try again later (429, 503) */
    ERROR_UNREACHABLE,     /* the other side did not answer at all */
    ERROR_TIMEOUT,         /* it did not finish in time; the message names what was waited for */
    ERROR_CANCELLED,
    ERROR_INTERNAL,        /* our fault: a bug; the message asks for a report */
};

struct error {
    enum error_kind kind;
    char message[512]; /* one sentence, no final full stop; may hold outside bytes: made safe when it is drawn (text/safe.h) */
    char where[192];   /* "lessons/nginx/lesson.lua:12", "https://10.0.0.1:6443", or empty */
    char cause[256];   /* what the layer below said, or empty */
};

#define ERROR_INIT ((struct error){.kind = ERROR_NONE})

/* Fills err and returns false, so that `return error_set(err, ...)` ends a failing function. Over-long messages are cut at a
 * character boundary. err may be NULL. */
bool error_set(struct error *err, enum error_kind kind, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The usual sentence for a failed allocation; returns false. */
bool error_memory(struct error *err);

/* Makes the callee's message the cause and sets a new message above it; returns false. */
bool error_context(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
