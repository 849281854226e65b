/* spdy_headers.h: SPDY's packed headers: one stream of zlib each way for the life of a connection, begun with the protocol's dictionary. Internal to this folder.
 */
#ifndef KT_NET_SPDY_HEADERS_H
#define KT_NET_SPDY_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "net/spdy.h"

struct spdy_pack;
struct spdy_unpack;

/* NULL: no memory. */
struct spdy_pack *spdy_pack_new(void) __attribute__((warn_unused_result));
void spdy_pack_free(struct spdy_pack *pack); /* NULL is fine */
/* Appends a packed block to a buffer. */
void spdy_pack_fields(struct spdy_pack *pack, const struct spdy_field *fields, size_t count, struct buf *to);

struct spdy_unpack *spdy_unpack_new(void) __attribute__((warn_unused_result));
void spdy_unpack_free(struct spdy_unpack *unpack); /* NULL is fine */
/* The fields of a packed block: texts end with a NUL each and live until the next call (several values of a name are joined with NULs on the wire: the first counts). False: it is broken
 * (ERROR_INPUT), too large (ERROR_LIMIT) or there is no memory; nothing can be unpacked any more. */
bool spdy_unpack_fields(struct spdy_unpack *unpack, const void *bytes, size_t length, const struct spdy_field **fields, size_t *count, struct error *err) __attribute__((warn_unused_result));

#endif
