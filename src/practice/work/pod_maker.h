/* pod_maker.h: Pods from templates, and who controls what: what ReplicaSets, Jobs, DaemonSets and StatefulSets do alike
 * (kube-controller-manager's controller_utils and controller_ref_manager).
 */
#ifndef KT_PRACTICE_WORK_POD_MAKER_H
#define KT_PRACTICE_WORK_POD_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/work/place.h"
#include "practice/work/recorder.h"
#include "practice/work/label_selector.h"

/* A controller object that owns others. */
struct maker {
    const struct place_of_work *place;
    struct recorder *recorder;
    const char *api_version, *kind; /* "apps/v1", "ReplicaSet" */
    const struct value *owner;      /* its document */
    const char *finalizer;          /* that the Pods it takes over get, and lose when they are let go; NULL: none */
    bool active_only;               /* takes and lets go active Pods only (ReplicaSets and ReplicationControllers) */
};

/* {"apiVersion", "kind", "name", "uid", "controller": true, "blockOwnerDeletion": true}. The caller frees. */
struct value *maker_reference(const struct maker *maker) __attribute__((warn_unused_result));
/* The Pod of a template (metadata's labels, annotations and finalizers, spec), owned, with generateName "OWNER-" or, if name is
 * not NULL, that name. The caller frees; NULL: no memory. */
struct value *maker_pod(const struct maker *maker, const struct value *template, const char *name)
    __attribute__((warn_unused_result));
/* Makes it (takes it over) and says SuccessfulCreate or FailedCreate about the owner. False: the error. Not said where the
 * namespace is being ended (maker_namespace_ends). */
bool maker_create(const struct maker *maker, struct value *pod, struct error *err);
/* Deletes one that is there, SuccessfulDelete or FailedDelete. One that is gone already counts as deleted. */
bool maker_delete(const struct maker *maker, const struct pod_view *pod, struct error *err);

/* A creation was refused because its namespace is being ended: no failure, nothing can be made any more. */
bool maker_namespace_ends(const struct error *err);

/* Takes Pods that match and have no controller, and releases those that do not match any more, as the real ones do. Call it
 * before counting. False: something could not be written; try again. */
bool maker_claim(const struct maker *maker, const struct label_selector *selector, struct error *err);
/* The parts of it, for objects of any resource. Adopts one that nobody controls: its document afterwards, or NULL. Releases
 * one: that it is gone already, or another of that name, is fine. May adopt: the owner is still there and is not being deleted;
 * to be asked once before adopting, since what the maker has of it may be old. */
struct value *maker_adopt(const struct maker *maker, const struct client_resource *resource, const struct object *object,
                          struct error *err) __attribute__((warn_unused_result));
bool maker_release(const struct maker *maker, const struct client_resource *resource, const struct object *object,
                   struct error *err) __attribute__((warn_unused_result));
bool maker_may_adopt(const struct maker *maker, struct error *err) __attribute__((warn_unused_result));

/* What was asked for and not seen yet (controller.ControllerExpectations): a controller that made three Pods does not count
 * before it has seen three. By the owner's key; counted as met after five minutes. What cannot be kept for want of memory is
 * refused (expectations_set), so that nothing is made twice. */
struct expectations;
struct expectations *expectations_new(struct cluster_clock *clock, struct error *err) __attribute__((warn_unused_result));
void expectations_free(struct expectations *expectations);
bool expectations_met(struct expectations *expectations, const char *key); /* also where there are none */
bool expectations_set(struct expectations *expectations, const char *key, int creations, int deletions)
    __attribute__((warn_unused_result));
void expectations_saw_creation(struct expectations *expectations, const char *key);
void expectations_saw_deletion(struct expectations *expectations, const char *key);
void expectations_forget(struct expectations *expectations, const char *key);

/* "pod-template-hash": what the real controllers compute it from (FNV over Go's own print of the template) cannot be had here;
 * equal templates have equal hashes, whatever the order of their keys, of the same form: the digits of 32 bits, ten at most, in
 * the letters that stand for them there ("7c5ddbdf54"). */
enum { TEMPLATE_HASH = 11 };
bool template_hash(const struct value *template, int64_t collisions, char out[static TEMPLATE_HASH])
    __attribute__((warn_unused_result)); /* false: no memory */

#endif
