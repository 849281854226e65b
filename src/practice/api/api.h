/* api.h: the API server's heart: what a call does. HTTP is around it (server.h), state and schema below it.
 */
#ifndef KT_PRACTICE_API_API_H
#define KT_PRACTICE_API_API_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/error.h"
#include "base/log.h"
#include "loop/loop.h"
#include "practice/api/call.h"
#include "practice/api/registry.h"
#include "practice/clock/clock.h"
#include "practice/state/state.h"

struct access;
struct backend;
struct informers;
struct crypto_key;

struct api {
    struct loop *loop;
    struct state *state;
    struct registry *registry;
    struct access *access;                /* access.h */
    const char *authority;                /* the cluster's CA certificate, PEM (kube-root-ca.crt) */
    const struct crypto_key *token_key;   /* signs ServiceAccount tokens */
    const char *host;                     /* "127.0.0.1" */
    uint16_t port;
    struct cluster_clock *clock;          /* the cluster's; NULL: the wall's */
    struct log *log;
    const struct backend *backend;        /* who runs Pods; NULL: nobody. api_set_backend (backend.h) */
    LIST_HEAD(open_streams, open_stream) streams; /* what is open of it (connect.h) */
    struct informers *informers;          /* what client.h's informers share; NULL until there is one */
};

/* The cluster's clock, ms since 1970: every timestamp in objects is this one's. */
int64_t api_now_ms(const struct api *api);

/* Does what is asked, at once, in memory; access was looked at before (by the caller). The answer's effects count once state_after_commit says so. Lists and watches are read.h's. */
void api_run(struct api *api, struct call *call, struct answer *answer);

/* An object's document in a version; the caller frees. NULL: no memory. */
struct value *api_value(const struct api *api, const struct object *object, const struct schema_kind *as) __attribute__((warn_unused_result));
/* `{"kind":"Pod","apiVersion":"v1",` for object_print; the buffer is emptied first. */
void api_head(const struct schema_kind *as, struct buf *head);
/* True if the object's stored text is its document in this version, but for kind and apiVersion: false for other versions, and for what was written
 * before its CRD's schema changed. */
bool api_shows(const struct schema_kind *as, const struct object *object);
/* Is that stored text what the version shows, even so? False without memory. */
bool api_is_same(const struct api *api, const struct object *object, const struct schema_kind *as);

/* Takes the document of an object that was just put: informers that want it have it at hand for the event (client.h, informer_written). */
void informers_wrote(struct api *api, const struct object *object, struct value *document);

/* Marks in struct object's flags. */
enum { OBJECT_DELETING = 1, OBJECT_HAS_FINALIZERS = 2, OBJECT_HAS_OWNERS = 4 };

/* Removes an object for good, or marks it, by the rules of deletion (grace, finalizers, propagation); for api_run, collectors and namespaces. */
bool api_delete(struct api *api, const struct call *call, const struct object *object, struct answer *answer);

#endif
