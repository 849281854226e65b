/* replay.h: a listener of a watch that keeps what it was told and fails the test when that makes no sense.
 */
#ifndef KT_TESTS_KUBE_REPLAY_H
#define KT_TESTS_KUBE_REPLAY_H

#include "base/buf.h"
#include "base/map.h"
#include "kube/session.h"
#include "kube/watch.h"

#define WATCHED "/api/v1/namespaces/learn/configmaps"

extern const struct kube_resource configmaps;

struct seen { /* an object as the listener knows it */
    char uid[32];
    long version;
};

struct replay {
    struct map objects; /* name to struct seen */
    struct buf story;   /* "+a@3 ~a@4 -a@5 ", every change in order */
    unsigned syncs, troubles, recoveries;
    bool synced, troubled, recovered;
    struct error last;
    int64_t retry_ms;
    struct kube_watch *stop; /* is stopped at the next change */
    long last_version;
    unsigned changes;
};

extern const struct kube_watch_listener replay_listener; /* its data is a struct replay */

struct replay replay_make(void);
void replay_free(struct replay *replay);
const char *replay_story(const struct replay *replay);
/* A watch of the ConfigMaps in namespace learn, with a back-off of 2 ms. */
struct kube_watch *replay_start(struct session *s, struct replay *replay);
long version_of(const struct value *object); /* -1 if it has none */

#endif
