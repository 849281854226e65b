/* lookup.h: looking at other objects on the way: the namespace of a new pod, the account of a token.
 */
#ifndef KT_PRACTICE_API_LOOKUP_H
#define KT_PRACTICE_API_LOOKUP_H

#include <stdbool.h>

#include "practice/api/api.h"

/* The kind of "pods", "deployments" ... in version v1 of a built-in group; never NULL for what this server serves. */
const struct schema_kind *lookup_kind(const struct api *api, const char *group, const char *plural);
/* The newest version of an object, borrowed until the next write; NULL: there is none. ns "" for cluster-scoped ones. */
const struct object *lookup(const struct api *api, const char *group, const char *plural, const char *ns, const char *name);
/* The next object of a resource in a namespace (NULL: of all), by name; after NULL: the first. */
const struct object *lookup_next(const struct api *api, const char *group, const char *plural, const char *only_ns, const struct object *after);
/* The document as it is stored, without kind and apiVersion; the caller frees. NULL: no memory. */
struct value *lookup_value(const struct object *object) __attribute__((warn_unused_result));
/* True if it is being deleted and has been so for longer than `leeway_ms`. */
bool lookup_is_gone(const struct api *api, const struct object *object, int64_t leeway_ms);

#endif
