/* continue_token.h: what `continue` carries from one part of a list to the next: the version that is listed, and after which object to go on. Clients
 * take it as it is; it is URL-safe base64 of a JSON text, as the real server's.
 */
#ifndef KT_PRACTICE_API_CONTINUE_TOKEN_H
#define KT_PRACTICE_API_CONTINUE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/api/status.h"

struct continue_token {
    uint64_t version; /* 0: newest, whatever came between (after an expired token) */
    char *ns, *name;  /* the last object that was shown; owned */
    int64_t left;     /* objects that follow it; -1: not known */
};

/* The text, for a list of one namespace (only_ns) or of all; the caller frees. NULL: no memory. */
char *continue_token_print(const struct continue_token *token, const char *only_ns) __attribute__((warn_unused_result));
/* False: 400 as the real server words it. continue_token_free afterwards in any case. */
bool continue_token_read(const char *text, const char *only_ns, struct continue_token *out, struct status *failure);
void continue_token_free(struct continue_token *token);

#endif
