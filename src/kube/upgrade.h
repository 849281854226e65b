/* upgrade.h: the server's answer to a WebSocket upgrade, read strictly (RFC 6455, 4.1).
 */
#ifndef KT_KUBE_UPGRADE_H
#define KT_KUBE_UPGRADE_H

#include "base/error.h"
#include "base/vec.h"

enum upgrade { UPGRADE_INCOMPLETE, UPGRADE_DONE, UPGRADE_REFUSED, UPGRADE_MALFORMED };

struct upgrade_answer {
    int code;
    size_t head_length;   /* what follows are frames already */
    const char *protocol; /* one of those offered; borrowed from the list */
    char content_type[128];
    const char *body;     /* of a refusal; borrowed from bytes */
    size_t body_length;
};

/* Reads what has come so far. at_end: no more will come. key: the Sec-WebSocket-Key that was sent. UPGRADE_MALFORMED fills err, which also tells
 * of an answer that is 101 and still not what was asked for. A chunked refusal's chunks are joined in place. */
enum upgrade upgrade_read(struct upgrade_answer *answer, char *bytes, size_t length, bool at_end, const char *key, const struct vec *protocols,
                          struct error *err);

#endif
