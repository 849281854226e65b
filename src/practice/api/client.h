/* client.h: what controllers speak to: the API from inside, with an identity of its own, by the same calls that come over the wire (defaults, admission, validation, access all count).
 * Nothing here could not be said over a connection: objects are copies or immutable, changes are told by events, conflicts happen.
 */
#ifndef KT_PRACTICE_API_CLIENT_H
#define KT_PRACTICE_API_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "loop/loop.h"
#include "practice/api/call.h"
#include "practice/state/state.h"

struct api;
struct client;

/* user: "system:serviceaccount:kube-system:namespace-controller", whose default roles count, or "system:node:NAME"; manager: the field manager's name, as the real controllers have it. */
struct client *client_new(struct api *api, const char *user, const char *manager, struct error *err) __attribute__((warn_unused_result));
void client_free(struct client *client);
int64_t client_now_ms(const struct client *client);
struct loop *client_loop(const struct client *client);
struct cluster_clock *client_clock(const struct client *client);

/* A resource: group ("" core), plural, version as written in code ("", "v1", "pods"). ns "" for cluster-scoped. Each answers with the object as it is afterwards (the caller frees), or NULL with the
 * error: ERROR_NOT_FOUND, ERROR_EXISTS, ERROR_CONFLICT, ERROR_INVALID, ERROR_DENIED ... */
struct client_resource {
    const char *group, *version, *plural;
};
struct value *client_get(struct client *client, const struct client_resource *resource, const char *ns, const char *name, struct error *err) __attribute__((warn_unused_result));
struct value *client_create(struct client *client, const struct client_resource *resource, const char *ns, struct value *object, struct error *err) __attribute__((warn_unused_result)); /* takes object over */
/* To a subresource that makes something ("token", "eviction") of the object of this name. Takes object over. */
struct value *client_create_sub(struct client *client, const struct client_resource *resource, const char *sub, const char *ns, const char *name, struct value *object, struct error *err)
    __attribute__((warn_unused_result));
/* The object names its resourceVersion. sub "" or "status", "scale" ... Takes object over. */
struct value *client_update(struct client *client, const struct client_resource *resource, const char *sub, struct value *object, struct error *err) __attribute__((warn_unused_result));
struct value *client_patch(struct client *client, const struct client_resource *resource, const char *sub, const char *ns, const char *name, enum patch_type type, struct value *patch,
                           struct error *err) __attribute__((warn_unused_result)); /* takes patch over */
/* The same where nobody looks at the answer, which saves much of the work. version: the object's then; NULL: not wanted. */
bool client_create_quietly(struct client *client, const struct client_resource *resource, const char *ns, struct value *object, struct error *err);
bool client_patch_quietly(struct client *client, const struct client_resource *resource, const char *sub, const char *ns, const char *name, enum patch_type type, struct value *patch,
                          uint64_t *version, struct error *err);
bool client_delete(struct client *client, const struct client_resource *resource, const char *ns, const char *name, const char *uid, enum propagation propagation, struct error *err);
/* With a grace period of 0, as a kubelet does at a Pod's end. */
bool client_delete_now(struct client *client, const struct client_resource *resource, const char *ns, const char *name, const char *uid, struct error *err);

/* What a refused call's error says, whole: a server's message may be longer than an error holds. Until the client's next refused call. */
const char *client_words(const struct client *client, const struct error *err);

/* Deletes objects of a namespace as deletecollection would, but at most *budget of them, which is used up. stays is told of each one that is there afterwards, those included that wait for
 * something; false from it: no memory. False: some could not be deleted, the first one's reason is in err (the others were tried all the same). */
bool client_delete_some(struct client *client, const struct client_resource *resource, const char *ns, size_t *budget, bool (*stays)(void *data, const struct object *object), void *data,
                        struct error *err) __attribute__((warn_unused_result));
/* Calls fn for each resource that is served with all of these verbs (bits of enum schema_verb), once however many versions it has: what discovery would say. False: fn said so, which stops it.
 * The number grows with each change. */
uint64_t client_kinds_generation(const struct client *client);
bool client_each_kind(const struct client *client, unsigned verbs, bool (*fn)(void *data, const struct schema_kind *kind), void *data);

/* A shared cache of one resource: list, then watch. All informers of a resource are one cache underneath; it holds texts, not trees. */
struct informer;
struct informer_event {
    const struct object *object;   /* NULL: gone */
    const struct object *previous; /* NULL: new */
};
/* event is called from the loop for each object at the start and for each change after it was committed. plural as above; kinds of a CRD end when it goes (informer_gone). */
struct informer *informer_new(struct client *client, const struct client_resource *resource, void (*event)(void *data, const struct informer_event *event), void *data, struct error *err)
    __attribute__((warn_unused_result));
bool informer_current(const struct informer *informer); /* every object of the start was told, and everything that is committed by now */
void informer_free(struct informer *informer);
const struct object *informer_get(const struct informer *informer, const char *ns, const char *name);
const struct object *informer_next(const struct informer *informer, const char *only_ns, const struct object *after); /* NULL: start, and end */
/* The document of an object of this informer; the caller frees. */
struct value *informer_value(const struct informer *informer, const struct object *object) __attribute__((warn_unused_result));
/* The same without managedFields, of an object whose event is being told, if what was written is still at hand and nobody has taken it; reading the text again is saved then. NULL: it is not. The
 * stored version's. Documents are kept for that only since the first call. */
struct value *informer_written(struct informer *informer, const struct object *object) __attribute__((warn_unused_result));

#endif
