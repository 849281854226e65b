/* pod_maker.h: Pods from templates, and who controls what: what ReplicaSets, Jobs, DaemonSets and StatefulSets do alike (kube-controller-manager's controller_utils and controller_ref_manager).
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
};

/* {"apiVersion", "kind", "name", "uid", "controller": true, "blockOwnerDeletion": true}. The caller frees. */
struct value *maker_reference(const struct maker *maker) __attribute__((warn_unused_result));
/* The Pod of a template (metadata's labels, annotations and finalizers, spec), owned, with generateName "OWNER-" or, if name is not NULL, that name. The caller frees; NULL: no memory. */
struct value *maker_pod(const struct maker *maker, const struct value *template, const char *name) __attribute__((warn_unused_result));
/* Makes it (takes it over) and says SuccessfulCreate or FailedCreate about the owner. False: the error. Not said where the namespace is being ended. */
bool maker_create(const struct maker *maker, struct value *pod, struct error *err);
/* Deletes one that is there, SuccessfulDelete or FailedDelete. One that is gone already counts as deleted. */
bool maker_delete(const struct maker *maker, const struct pod_view *pod, struct error *err);

/* Takes Pods that match and have no controller, and releases those that do not match any more, as the real ones do. Call it before counting. False: something could not be written; try again. */
bool maker_claim(const struct maker *maker, const struct label_selector *selector, struct error *err);

/* What was asked for and not seen yet (controller.ControllerExpectations): a controller that made three Pods does not count before it has seen three. By the owner's key; forgotten after five minutes. */
struct expectations;
struct expectations *expectations_new(struct cluster_clock *clock, struct error *err) __attribute__((warn_unused_result));
void expectations_free(struct expectations *expectations);
bool expectations_met(struct expectations *expectations, const char *key); /* also where there are none */
bool expectations_set(struct expectations *expectations, const char *key, int creations, int deletions) __attribute__((warn_unused_result));
void expectations_saw_creation(struct expectations *expectations, const char *key);
void expectations_saw_deletion(struct expectations *expectations, const char *key);
void expectations_forget(struct expectations *expectations, const char *key);

/* "pod-template-hash": what the real controllers compute it from (FNV-1a over Go's %#v of the template) cannot be had here; equal templates have equal hashes, ten characters of the same alphabet. */
enum { TEMPLATE_HASH = 11 };
bool template_hash(const struct value *template, int64_t collisions, char out[static TEMPLATE_HASH]) __attribute__((warn_unused_result)); /* false: no memory */

#endif
