/* resource.h: which kinds the server serves (discovery), and how people name them.
 */
#ifndef KT_KUBE_RESOURCE_H
#define KT_KUBE_RESOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"
#include "kube/client.h"

enum kube_verb {
    KUBE_VERB_GET = 1,
    KUBE_VERB_LIST = 2,
    KUBE_VERB_WATCH = 4,
    KUBE_VERB_CREATE = 8,
    KUBE_VERB_UPDATE = 16,
    KUBE_VERB_PATCH = 32,
    KUBE_VERB_DELETE = 64,
    KUBE_VERB_DELETECOLLECTION = 128
};

/* Owned by the discovery cache; valid as long as the client (entries that vanish from the server are kept). */
struct kube_resource {
    const char *group; /* "" for core */
    const char *version;
    const char *plural;            /* "deployments" */
    const char *singular;          /* "deployment" */
    const char *kind;              /* "Deployment" */
    const struct vec *short_names; /* of strings */
    bool namespaced;
    unsigned verbs; /* enum kube_verb */
    bool has_status, has_scale;
};

/* Finds a kind by the name that people give it: deployments, deployment, deploy, Deployment, deployments.apps,
 * deployments.v1.apps, with any case of Kind. As kubectl: the group's preferred version; core before other groups. Asks the
 * server on the first use and again on a miss. `done` is always called, later or at once: resource NULL with ERROR_NOT_FOUND
 * ("the server has no kind \"deploymnts\" (did you mean deployments.apps?)") or a transport error. A part of the groups that
 * cannot be read (a broken aggregated API) does not hide the others. Returns a number for kube_resolve_cancel, 0 when done was
 * already called. */
unsigned kube_resolve(struct kube_client *client, const char *name,
                      void (*done)(void *data, const struct kube_resource *resource, const struct error *error), void *data);
/* The same by apiVersion and kind, as manifests name it. */
unsigned kube_resolve_kind(struct kube_client *client, const char *api_version, const char *kind,
                           void (*done)(void *data, const struct kube_resource *resource, const struct error *error),
                           void *data);
void kube_resolve_cancel(struct kube_client *client, unsigned number);
/* What is known already, or NULL: no request. */
const struct kube_resource *kube_resource_known(struct kube_client *client, const char *name);
/* The next kube_resolve asks the server again (after CRDs changed). */
void kube_discovery_forget(struct kube_client *client);

/* "deployments.apps", "pods": the full name; appended. And "apps/v1", "v1". */
struct buf;
void kube_resource_name(const struct kube_resource *resource, struct buf *out);
void kube_resource_api_version(const struct kube_resource *resource, struct buf *out);

#endif
