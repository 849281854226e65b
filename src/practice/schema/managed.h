/* managed.h: who owns which field: metadata.managedFields and server-side apply (sigs.k8s.io/structured-merge-diff as
 * kube-apiserver uses it).
 *
 * Where a request meets this: an object is decoded and defaulted, then managed_update or managed_apply, then admission and
 * what the server fills in by itself (which belongs to nobody); last, before it is stored in place of another,
 * managed_settle. What managed_apply answers is to be normalised and defaulted like a patched object; if it cannot be
 * decoded, the real server says 500 `failed to convert new object (NS/NAME; GROUP/VERSION, Kind=KIND) to proper version:
 * unable to convert unstructured object to GROUP/VERSION, Kind=KIND: error decoding from json: MESSAGE`. Versions of a kind
 * are taken for one schema here: owners from another version of the API are compared as if they had used this one.
 */
#ifndef KT_PRACTICE_SCHEMA_MANAGED_H
#define KT_PRACTICE_SCHEMA_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/schema.h"

struct managed_by {
    const char *manager;     /* the parameter fieldManager, else the beginning of User-Agent (the API finds it); "": "unknown" */
    const char *subresource; /* "status", "scale" ...; NULL: none */
    const char *api_version; /* that the request used */
    int64_t time_ms;
    bool status_is_plain; /* the kind has no status subresource (CRDs): its status, if it has one, is a field like others */
};

/* After a create or update that is no apply: `object` (old NULL for a creation) gets metadata.managedFields with one entry
 * for this manager that owns what it changed or set; others lose those. A client that sends managedFields: [] or [{}] resets
 * them; malformed ones are passed over for old's, as the real server does. An object without managedFields that is not new is
 * left without. Nothing changes if nothing but managedFields would. False: ERROR_MEMORY. */
bool managed_update(struct value *object, const struct value *old, const struct schema *schema, const struct managed_by *by,
                    struct error *err) __attribute__((warn_unused_result));

/* The same for a creation, but what would be metadata.managedFields is appended as text (compact JSON; nothing where there are none): it is as long as the
 * rest of many an object, and nobody but readers looks at it. `object` is without them afterwards. */
bool managed_create(struct value *object, const struct schema *schema, const struct managed_by *by, struct buf *text, struct error *err)
    __attribute__((warn_unused_result));

struct managed_conflict {
    char *field;   /* owned; ".spec.replicas", `.spec.template.spec.containers[name="nginx"].image` */
    char *message; /* owned; `conflict with "kubectl" using apps/v1` as the causes have it */
};

/* Server-side apply: the live object (NULL: none yet) with `applied` laid over it by the schema's list and map types; what
 * this manager applied before and does not any more is removed unless others own it. The result is new, with managedFields.
 * Fields of others that would change are in `conflicts` (made here, of struct managed_conflict, vec_free) unless force: the
 * answer is then NULL with ERROR_CONFLICT and the sentence as message (`Apply failed with 1 conflict: ...`), cut if it is
 * long: managed_sentence has all of it. ERROR_INPUT (400): a body of another kind or version, managedFields in it;
 * ERROR_INTERNAL (500, which the real server answers, too, and the words are its own): duplicates in a set or keyed list,
 * missing keys, unknown fields, wrong types; ERROR_MEMORY. An apply that changes nothing gives an object equal to live, times
 * included. */
struct value *managed_apply(const struct value *live, const struct value *applied, const struct schema *schema,
                            const struct managed_by *by, bool force, struct vec *conflicts, struct error *err)
    __attribute__((warn_unused_result));

/* The whole sentence of a refusal with conflicts; the caller frees (mem_free). NULL: no memory. */
char *managed_sentence(const struct vec *conflicts) __attribute__((warn_unused_result));

/* If an object that takes old's place differs from it in nothing but times of managedFields, gives it old's times. False: no
 * memory. */
bool managed_settle(struct value *object, const struct value *old) __attribute__((warn_unused_result));

#endif
