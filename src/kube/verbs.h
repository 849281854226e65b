/* verbs.h: what can be done with objects. Every operation answers once, from the loop, through a kube_done.
 */
#ifndef KT_KUBE_VERBS_H
#define KT_KUBE_VERBS_H

#include "base/error.h"
#include "data/value.h"
#include "kube/client.h"
#include "kube/resource.h"

#define KUBE_FIELD_MANAGER "kubetutor"

struct kube_target {
    const struct kube_resource *resource;
    const char *ns;          /* NULL: cluster-scoped, or all namespaces for lists */
    const char *name;        /* NULL for lists and creates */
    const char *subresource; /* "status", "scale", "log", ... or NULL */
};

/* object: the answer, which now belongs to the receiver (value_free), or NULL on error. error NULL: it worked. status is never
 * NULL. */
typedef void kube_done(void *data, struct value *object, const struct error *error, const struct kube_status *status);

struct kube_write_options {
    bool dry_run;
    bool force;                   /* server-side apply: take fields over from other managers */
    const char *propagation;      /* delete: "Background", "Foreground", "Orphan"; NULL: the server's default */
    const char *uid;              /* delete: only if the object still has this uid; NULL: any */
    const char *resource_version; /* delete: likewise */
    int64_t grace_seconds;        /* delete: -1: the object's own */
    const char *field_manager;    /* NULL: KUBE_FIELD_MANAGER */
};
#define KUBE_WRITE_DEFAULTS ((struct kube_write_options){.grace_seconds = -1})

struct kube_list_options {
    const char *labels; /* selector text, or NULL */
    const char *fields;
    int limit;                    /* a page; 0: 500 */
    const char *resource_version; /* "0": any version that the server has at hand; NULL: the newest */
};

enum kube_patch { KUBE_PATCH_JSON, KUBE_PATCH_MERGE, KUBE_PATCH_STRATEGIC, KUBE_PATCH_APPLY };

/* Each returns the call, for kube_call_cancel, or NULL with err (then done is not called). options NULL: defaults. Strings and
 * values are copied or printed at once; the caller keeps them. */
struct kube_call *kube_get(struct kube_client *client, const struct kube_target *target, kube_done *done, void *data,
                           struct error *err);
struct kube_call *kube_create(struct kube_client *client, const struct kube_target *target, const struct value *object,
                              const struct kube_write_options *options, kube_done *done, void *data, struct error *err);
struct kube_call *kube_update(struct kube_client *client, const struct kube_target *target, const struct value *object,
                              const struct kube_write_options *options, kube_done *done, void *data, struct error *err);
/* KUBE_PATCH_APPLY is server-side apply; a conflict's error names the fields and who owns them. */
struct kube_call *kube_patch(struct kube_client *client, const struct kube_target *target, enum kube_patch type,
                             const struct value *patch, const struct kube_write_options *options, kube_done *done, void *data,
                             struct error *err);
struct kube_call *kube_delete(struct kube_client *client, const struct kube_target *target,
                              const struct kube_write_options *options, kube_done *done, void *data, struct error *err);

/* A list, page by page (limit/continue). `page` gets each page's items as they come (an array, borrowed; may be taken apart);
 * when the continue token expired in between (410) the rest is read anew, as client-go does: `page` may then see an object
 * twice, so receivers key by uid. done's object is the last page's list without its items (metadata.resourceVersion is the
 * version to watch from). `page` NULL: done gets one List with all items. Items are given the kind and apiVersion that a server
 * leaves out of lists. The list is gone after `done`; kube_list_cancel may be called from `page`. */
struct kube_list;
struct kube_list *kube_list(struct kube_client *client, const struct kube_target *target,
                            const struct kube_list_options *options, void (*page)(void *data, struct value *items),
                            kube_done *done, void *data, struct error *err);
void kube_list_cancel(struct kube_list *list);

/* Any path, for the proxy verbs and /version: a plain request whose answer is JSON. */
struct kube_call *kube_get_path(struct kube_client *client, const char *path, kube_done *done, void *data, struct error *err);

/* SelfSubjectAccessReview: object.status.allowed. */
struct kube_call *kube_can_i(struct kube_client *client, const char *verb, const struct kube_target *target, kube_done *done,
                             void *data, struct error *err);
/* SelfSubjectReview: object.status.userInfo. Servers before 1.28 are asked for their beta and alpha forms, so that there is no
 * one call to be cancelled: `data` must live until done was called or the client is freed. False: err, done is not called. */
bool kube_who_am_i(struct kube_client *client, kube_done *done, void *data, struct error *err)
    __attribute__((warn_unused_result));

#endif
