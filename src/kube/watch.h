/* watch.h: a cache of the objects that a selection names, kept true by a watch.
 *
 * list, then watch from the list's version; bookmarks move the version on; a lost connection resumes from the last version; 410
 * lists anew (and tells only real differences); trouble waits with back-off and jitter (0.5 s doubling to 30 s), a 429 at least
 * its Retry-After. No change is missed, none is told twice: the listener sees every object's changes in the order of their
 * versions. An object that was deleted and made again unseen is told as KUBE_DELETED and KUBE_ADDED. Only what the selection
 * names is held, without metadata.managedFields unless asked for.
 */
#ifndef KT_KUBE_WATCH_H
#define KT_KUBE_WATCH_H

#include "kube/client.h"
#include "kube/resource.h"

struct kube_watch;

struct kube_watch_options {
    const struct kube_resource *resource;
    const char *ns;     /* NULL: all namespaces, or cluster-scoped */
    const char *labels; /* selector text or NULL; pushed to the server */
    const char *fields;
    bool managed_fields; /* keep them */
};

enum kube_change { KUBE_ADDED, KUBE_MODIFIED, KUBE_DELETED };

struct kube_watch_listener {
    /* Both borrowed for the call. old is NULL for KUBE_ADDED; for KUBE_DELETED object is the last state, old
     * what was held before (perhaps the same). The cache has already changed. Called for the first list, too. */
    void (*changed)(void *data, enum kube_change change, const struct value *object, const struct value *old);
    /* The first list is complete (once), or a list after 410 is. */
    void (*synced)(void *data);
    /* Trouble begins or changes (error, and when it tries again), or is over (NULL). ERROR_DENIED and ERROR_NOT_FOUND (no such
     * kind any more) are retried, too, slowly. */
    void (*trouble)(void *data, const struct error *error, int64_t retry_ms);
};

struct kube_watch *kube_watch_start(struct kube_client *client, const struct kube_watch_options *options,
                                    const struct kube_watch_listener *listener, void *data, struct error *err)
    __attribute__((warn_unused_result));
void kube_watch_stop(
    struct kube_watch *watch); /* also from inside a listener; frees. To be called before the client is freed. NULL is fine */

bool kube_watch_synced(const struct kube_watch *watch);                 /* had a first list */
const struct error *kube_watch_trouble(const struct kube_watch *watch); /* NULL: none now */
size_t kube_watch_count(const struct kube_watch *watch);
/* Borrowed until the loop runs again. ns NULL for cluster-scoped. */
const struct value *kube_watch_find(const struct kube_watch *watch, const char *ns, const char *name);
/* Walks in order of name: *cursor starts at 0; NULL at the end. */
const struct value *kube_watch_next(const struct kube_watch *watch, size_t *cursor);
void kube_watch_retry_now(struct kube_watch *watch); /* a person asked */

#endif
