/* access.h: who is asking (client certificates, ServiceAccount tokens, impersonation), and may they (RBAC).
 */
#ifndef KT_PRACTICE_API_ACCESS_H
#define KT_PRACTICE_API_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "practice/api/api.h"
#include "practice/api/call.h"

struct access;

struct access *access_new(struct api *api, struct error *err) __attribute__((warn_unused_result));
void access_free(struct access *access);

/* What is asked, as RBAC names it. */
struct attributes {
    const char *verb;      /* "get", "list", "deletecollection", "impersonate", "bind", "escalate" ... */
    const char *group, *version, *resource, *subresource; /* NULL group: not about a resource, see path */
    const char *ns, *name; /* "" or NULL: none */
    const char *path;      /* for non-resource requests: "/healthz" */
};
/* What a request shows of itself. */
struct credentials {
    const char *common_name;            /* of the client certificate; NULL: none */
    const char *const *organizations;
    const char *fingerprint;            /* of the certificate, SHA-256 in hex; NULL: not known */
    const char *authorization;          /* the header, or NULL */
    const char *impersonate_user, *impersonate_uid; /* Impersonate-* headers, or NULL */
    const char *impersonate_groups;     /* joined with ", ", or NULL */
    const struct value *impersonate_extra; /* object of arrays, or NULL */
    const struct attributes *request;   /* what is asked, which counts for impersonation (verbs impersonate-on:...); NULL: only the verb impersonate does */
};
/* Fills user (user_free). No credentials: system:anonymous in system:unauthenticated. False: 401 or 403 in *failure. The user may have been
 * impersonated; `really` (may be NULL) gets who asked. */
bool access_authenticate(struct access *access, const struct credentials *credentials, struct user *user, struct user *really, struct status *failure);

/* Looks up access as access_allowed does; false: the 403 as access_refuse makes it, with the reason behind it if there is one (a binding to a role that is missing). For requests. */
bool access_require(struct access *access, const struct user *user, const struct attributes *what, struct status *failure);
/* True if allowed; reason (may be NULL) gets the sentence that SubjectAccessReview shows. Roles and bindings that were written are counted at once. */
bool access_allowed(struct access *access, const struct user *user, const struct attributes *what, struct buf *reason);
/* Fills failure with the 403 and its real sentence (`pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "y"`); returns false. */
bool access_refuse(const struct user *user, const struct attributes *what, struct status *failure);

/* May this user give a role these rules, or bind this role (escalation)? False: 403 in *failure. Called for writes of (cluster)roles and bindings. */
bool access_may_grant(struct access *access, const struct call *call, const struct value *object, const struct value *old, struct status *failure);

/* Answers the reviews (authentication.k8s.io, authorization.k8s.io) and ServiceAccounts' token subresource: body in, value out. */
void access_review(struct access *access, struct call *call, struct answer *answer);
bool access_is_review(const struct call *call);
/* /.well-known/openid-configuration and /openid/v1/jwks, by which others check ServiceAccount tokens: the Content-Type, or NULL for another path; and the document (false: no memory). */
const char *token_discovery_type(const char *path);
bool token_discovery_print(const struct api *api, const char *path, struct buf *out) __attribute__((warn_unused_result));

/* The default ClusterRoles and bindings (view, edit, admin, cluster-admin, system:*) as documents, for the start: calls add for each, which takes the object over; where it says false, it has
 * set the error, and that was the last one. The aggregated ones have their rules already. */
typedef bool access_policy_add(void *data, const char *plural, struct value *object, struct error *err);
bool access_default_policy(access_policy_add *add, void *data, struct error *err) __attribute__((warn_unused_result));
/* Re-makes the rules of aggregated ClusterRoles. Happens by itself when ClusterRoles changed, once access_allowed was asked about somebody outside system:masters; the start may call it. */
bool access_aggregate(struct access *access, struct error *err);

#endif
