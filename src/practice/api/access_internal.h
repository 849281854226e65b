/* access_internal.h: shared by access.c, token.c, review.c, grant.c and impersonate.c, token_discovery.c.
 */
#ifndef KT_PRACTICE_API_ACCESS_INTERNAL_H
#define KT_PRACTICE_API_ACCESS_INTERNAL_H

#include "base/map.h"
#include "practice/api/access.h"
#include "practice/api/rbac.h"

#define TOKEN_ISSUER "https://kubernetes.default.svc.cluster.local"

struct access {
    struct api *api;
    struct rbac *rbac;
    struct map impersonators; /* who impersonated in which mode the last time: that mode is tried first, and its refusal is the one that is told */
    char key_id[65];         /* of the key that signs tokens; "": none was signed yet */
    bool aggregating, again; /* access_aggregate is at work; and was asked for meanwhile */
};

/* Who a bearer token speaks for: 1 and the user filled; 0: nobody, `why` (may be NULL) says it as TokenReview does; -1: no memory. audiences NULL: this server's own. */
int token_user(struct access *access, const char *token, const struct value *audiences, struct user *user, struct buf *why);
/* Those of `audiences` (NULL: this server's own) that the token has, for TokenReview; NULL: no memory. */
struct value *token_audiences(struct access *access, const char *token, const struct value *audiences) __attribute__((warn_unused_result));
/* The key's name in tokens' headers. */
bool token_key_id(const struct crypto_key *key, char id[static 65], struct error *err);
/* serviceaccounts/token. */
void token_request(struct access *access, struct call *call, struct answer *answer);

/* Replaces *user by whom the credentials' Impersonate headers name. */
bool impersonate(struct access *access, const struct credentials *credentials, struct user *user, struct status *failure);

/* 500, out of memory; returns false. */
bool access_no_memory(struct status *failure);

#endif
