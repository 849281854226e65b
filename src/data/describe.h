/* describe.h: readable words of a bounded length, put together piece by piece (shape.c, describe.c).
 */
#ifndef KT_DATA_DESCRIBE_H
#define KT_DATA_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "data/value.h"

struct words {
    struct buf text;
    bool cut; /* something did not fit; what follows need not be looked at */
};

struct words words_make(size_t maximum);
void words_put(struct words *w, const char *text);
void words_put_n(struct words *w, const char *text, size_t length);
void words_put_value(struct words *w, const struct value *v);
void words_put_quoted(struct words *w, const char *string);
/* Ends with "…" if something was cut, appends everything to `out` and frees. A failure to allocate makes `out` fail. */
void words_end(struct words *w, struct buf *out);

#endif
