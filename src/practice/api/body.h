/* body.h: from the bytes of a request to call.body, whatever form they have; what is wrong with them is told in the real server's words.
 */
#ifndef KT_PRACTICE_API_BODY_H
#define KT_PRACTICE_API_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "practice/api/call.h"
#include "practice/api/status.h"

enum { BODY_MOST = 3 << 20, BODY_DUPLICATES = 100 };

struct body {
    const char *type; /* Content-Type; NULL: none */
    const char *bytes;
    size_t length;
};

/* The document of a creation or update: fills call->body (NULL: none was sent). duplicates (made with vec_make(BODY_DUPLICATES, mem_free)) gets the
 * fields that stand twice in it, unless call->validation says that nobody wants to know. False: 400, 415. */
bool body_read(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure);
/* The patch and its type: call->body, call->patch. */
bool body_read_patch(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure);
/* DeleteOptions, decoded, in call->body; NULL: none were sent. */
bool body_read_delete(const struct body *body, struct call *call, struct status *failure);

/* Appends the path of each field that stands twice in a JSON text that was parsed without error: "metadata.labels.a", "spec.ports[0].port". Names
 * that are written with escapes count as they are written. False: no memory. */
bool body_duplicates(const char *text, size_t length, struct vec *duplicates) __attribute__((warn_unused_result));

#endif
