/* rbac.h: roles and bindings in a form that answers quickly, kept up to date from the state. Used by access.c and its neighbours; everybody else asks access.h.
 */
#ifndef KT_PRACTICE_API_RBAC_H
#define KT_PRACTICE_API_RBAC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "practice/api/access.h"

struct rbac;

enum { RBAC_NAME = 512 /* bytes of "namespace/name" */, RBAC_SUBJECTS = 1 << 20, RBAC_REASON = 64 << 10 };

/* A rule as it stands in a role: arrays of words, each NULL-terminated (never NULL). Owned by its role. */
struct rbac_rule {
    const char *const *verbs, *const *groups, *const *resources, *const *names, *const *urls;
};

struct rbac_role {
    struct rbac_rule *rules;
    size_t count;
    const char **words; /* what the rules' arrays point into */
    char *text;
};

/* changed is called from the loop after ClusterRoles changed (committed). */
struct rbac *rbac_new(struct api *api, void (*changed)(void *data), void *data, struct error *err) __attribute__((warn_unused_result));
void rbac_free(struct rbac *rbac);

/* Calls fn for each rule that the user has in a namespace ("": the cluster's alone), until it answers false. reason-like words about where a rule comes from are made by
 * rbac_source. Bindings whose role is missing are told in `problems` (strings; may be NULL). False: memory ran out on the way, and some may not have been told. */
struct rbac_grant;
bool rbac_visit(struct rbac *rbac, const struct user *user, const char *ns, bool (*fn)(void *data, const struct rbac_rule *rule, const struct rbac_grant *grant), void *data,
                struct vec *problems);
/* Appends `ClusterRoleBinding "b" of ClusterRole "r" to Group "g"`. */
void rbac_source(const struct rbac_grant *grant, struct buf *out);

/* Does a rule allow it? */
bool rbac_rule_allows(const struct rbac_rule *rule, const struct attributes *what);
/* True if the user has a rule that allows it; reason (may be NULL) as access_allowed says. */
bool rbac_allows(struct rbac *rbac, const struct user *user, const struct attributes *what, struct buf *reason);

/* The rules of a value {"rules":[...]}, a role's own; words that are no strings are passed over. */
bool rbac_role_read(const struct value *object, struct rbac_role *role) __attribute__((warn_unused_result));
void rbac_role_free(struct rbac_role *role);
/* The rules of a role that exists now (borrowed until anything is written), or NULL. */
const struct rbac_role *rbac_find(struct rbac *rbac, const char *kind, const char *ns, const char *name);

#endif
