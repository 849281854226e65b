/* managed.h: who owns which field: metadata.managedFields and server-side apply (sigs.k8s.io/structured-merge-diff as kube-apiserver uses it).
 */
#ifndef KT_PRACTICE_SCHEMA_MANAGED_H
#define KT_PRACTICE_SCHEMA_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/schema.h"

struct managed_by {
    const char *manager;     /* field manager: the parameter, else the beginning of User-Agent (the API finds it) */
    const char *subresource; /* "status", "scale" ...; NULL: none */
    const char *api_version; /* that the request used */
    int64_t time_ms;
};

/* After a create or update that is no apply: `object` (about to be stored; old NULL for a creation) gets metadata.managedFields with one entry for this manager that owns what it
 * changed or set; others lose those. A client that sends managedFields: [] or [{}] resets them; malformed ones are an ERROR_INPUT as the real server words it. What the server itself fills in
 * (uid, creationTimestamp ...) belongs to nobody. Nothing changes if nothing but managedFields would. False also for ERROR_MEMORY. */
bool managed_update(struct value *object, const struct value *old, const struct schema *schema, const struct managed_by *by, struct error *err)
    __attribute__((warn_unused_result));

struct managed_conflict {
    char *field;   /* owned; ".spec.replicas", `.spec.template.spec.containers[name="nginx"].image` */
    char *message; /* owned; `conflict with "kubectl" using apps/v1` as the causes have it */
};

/* Server-side apply: the live object (NULL: none yet) with `applied` laid over it by the schema's list and map types; what this manager applied before and does not any more
 * is removed unless others own it. The result is new, with managedFields. Fields of others that would change are in `conflicts` (made here, of struct managed_conflict, vec_free) unless force: the answer
 * is then NULL with ERROR_CONFLICT and the whole sentence as message (`Apply failed with 1 conflict: ...`). ERROR_INPUT: duplicates in a set or keyed list, missing keys, managedFields in the body (wording as
 * the real server's). An apply that changes nothing gives an object equal to live, times included. */
struct value *managed_apply(const struct value *live, const struct value *applied, const struct schema *schema, const struct managed_by *by, bool force,
                            struct vec *conflicts, struct error *err) __attribute__((warn_unused_result));

#endif
