/* user.h: making struct user (call.h).
 */
#ifndef KT_PRACTICE_API_USER_H
#define KT_PRACTICE_API_USER_H

#include <stdbool.h>

#include "practice/api/call.h"

enum { USER_GROUPS = 1024 };
#define USER_MASTERS "system:masters"
#define USER_AUTHENTICATED "system:authenticated"
#define USER_UNAUTHENTICATED "system:unauthenticated"
#define USER_NODES "system:nodes"
#define USER_ANONYMOUS "system:anonymous"

/* An empty one with a name. False: no memory (the user is then good for user_free). */
bool user_start(struct user *user, const char *name) __attribute__((warn_unused_result));
bool user_add_group(struct user *user, const char *group) __attribute__((warn_unused_result)); /* once, however often it is added */
bool user_add_extra(struct user *user, const char *key, const char *text) __attribute__((warn_unused_result));
bool user_copy(struct user *to, const struct user *from) __attribute__((warn_unused_result));

/* "system:serviceaccount:NS:NAME" in its two parts (mem_free); false: it is none, or no memory. */
bool user_is_account(const char *name, char **ns, char **account) __attribute__((warn_unused_result));
/* The two groups of every account of a namespace. */
bool user_add_account_groups(struct user *user, const char *ns) __attribute__((warn_unused_result));
/* True for system:node:NAME. */
bool user_is_node(const char *name);

/* {"username":...,"uid":...,"groups":[...],"extra":{...}}; NULL: no memory. */
struct value *user_value(const struct user *user) __attribute__((warn_unused_result));

#endif
