/* object.h: one version of one object, as text with an index.
 */
#ifndef KT_PRACTICE_STATE_OBJECT_H
#define KT_PRACTICE_STATE_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { STATE_OBJECT = 8 << 20 /* bytes of one object's text */ };

typedef unsigned state_resource; /* a number for "pods", "deployments.apps"; see state_resource_of */

/* One version of one object; never changed once made, reference-counted, in one block of memory. */
struct object {
    unsigned references;
    state_resource resource;
    uint64_t version;
    const char *ns, *name, *uid; /* ns "" for cluster-scoped ones */
    const char *text;            /* `"metadata":{...},"spec":...}`: compact JSON without the first brace, kind and apiVersion, and without the digits of the */
    size_t length;               /* resourceVersion, which belong at `gap` (between two quotes that are there) */
    size_t gap;
    const char *labels;          /* pairs of NUL-terminated key and value, sorted by key, then an empty key */
    const char *fields;          /* NUL-terminated values in the order that the resource's API says; NULL: none */
    unsigned field_count;
    uint32_t flags;              /* the API's own marks (kept in the file): being deleted, has finalizers, ... */
    int64_t time_ms;             /* the API's own time mark (creation), kept in the file */
};

struct object *object_ref(const struct object *object);
void object_unref(struct object *object); /* NULL is fine */
/* The value of a label, or NULL. */
const char *object_label(const struct object *object, const char *key);
/* Appends the whole JSON: head is what stands before the text, `{"kind":"Pod","apiVersion":"v1",` or `{`. Look at buf_ok afterwards. */
void object_print(const struct object *object, const char *head, struct buf *out);

#endif
