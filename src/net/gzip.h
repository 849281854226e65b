/* gzip.h: compresses a stream as it is made (zlib). Internal to this folder.
 */
#ifndef KT_NET_GZIP_H
#define KT_NET_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct gzip;

enum gzip_end {
    GZIP_ON,    /* more will come; bytes may be held back */
    GZIP_FLUSH, /* the reader must be able to see all that was given */
    GZIP_END,   /* that was all */
};

/* About 270 KB. NULL: no memory. */
struct gzip *gzip_new(void) __attribute__((warn_unused_result));
void gzip_free(struct gzip *gzip); /* NULL is fine */
/* Compresses bytes to the end of `to`; that buffer is to be looked at with buf_ok. */
void gzip_add(struct gzip *gzip, const void *bytes, size_t length, enum gzip_end end, struct buf *to);

#endif
