/* owned.h: objects of one kind found by who controls them: the ReplicaSets of a Deployment, the ControllerRevisions of a StatefulSet, the Jobs of a CronJob.
 */
#ifndef KT_PRACTICE_CONTROLLERS_OWNED_H
#define KT_PRACTICE_CONTROLLERS_OWNED_H

#include <stdbool.h>

#include "practice/work/label_selector.h"
#include "practice/work/pod_maker.h"

struct owned;

/* An object, and of its ownerReferences the one with controller: true ("" where there is none). Borrowed until its next event was told. */
struct owned_object {
    const struct object *object;
    const char *kind, *name, *uid;
};
struct owned_event {
    const struct owned_object *now; /* NULL: gone */
    const struct owned_object *was; /* NULL: new */
};

/* As informer_new. event NULL: memory ran out, so that something was not told: look at everything. */
struct owned *owned_new(struct client *reader, const struct client_resource *resource, void (*changed)(void *data, const struct owned_event *event), void *data, struct error *err)
    __attribute__((warn_unused_result));
void owned_free(struct owned *owned); /* NULL is fine */
const struct informer *owned_informer(const struct owned *owned);
/* NULL: it is not there, or memory ran out when it came. */
const struct owned_object *owned_find(const struct owned *owned, const char *ns, const char *name);
/* The document; the caller frees. NULL: no memory. */
struct value *owned_value(const struct owned *owned, const struct object *object) __attribute__((warn_unused_result));
/* Walks, in no order: `after` NULL is the start, NULL the end. Those that a uid controls; those of a namespace that nobody controls. */
const struct owned_object *owned_next(const struct owned *owned, const char *uid, const struct owned_object *after);
const struct owned_object *owned_next_orphan(const struct owned *owned, const char *ns, const struct owned_object *after);

/* The documents (of struct value; the list, made here, frees them) that the maker's owner controls and that match the selector. Those that nobody controls are adopted if they match, those
 * that do not match any more are let go, unless the owner is being deleted. False: something could not be read or written; try again. The list is to be freed either way. */
bool owned_claim(struct owned *owned, const struct maker *maker, const struct label_selector *selector, struct vec *claimed, struct error *err) __attribute__((warn_unused_result));

#endif
