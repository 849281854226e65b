/* internal.h: what the files of kube/ tell each other and nobody else.
 *
 * client.c provides the first part, the other parts say whose they are.
 */
#ifndef KT_KUBE_INTERNAL_H
#define KT_KUBE_INTERNAL_H

#include "base/buf.h"
#include "kube/client.h"
#include "kube/verbs.h"
#include "kube/watch.h"

/* --- client.c --- */

/* The place where resource.c keeps what the server serves; NULL at first. kube_client_free calls kube_discovery_free on it, after it has
 * ended the calls. */
struct kube_discovery;
struct kube_discovery **kube_client_discovery(struct kube_client *client);

/* Ties something to a call: `drop` is called with it exactly once, when the call is gone: after `done` has returned, or without `done`
 * when the call is cancelled or the client freed. So the context of a call can never leak. Once a call, right after kube_send. */
void kube_call_own(struct kube_call *call, void *owned, void (*drop)(void *owned));

/* The same for a stream: `drop` is called when it is closed or the client freed. */
void kube_stream_own(struct kube_stream *stream, void *owned, void (*drop)(void *owned));

/* Has `fn` called with the call's data when the head of a 2xx answer is there, before any of its body (a watch is then established). It may
 * cancel the call. Once a call, right after kube_send. */
void kube_call_on_head(struct kube_call *call, void (*fn)(void *data));

/* For tests: how long to wait for a connection, in silence, and for an answer to the question whether the server lives, instead of 9.5, 5 and 4.5 s. */
void kube_client_set_patience(struct kube_client *client, int64_t contact_ms, int64_t silence_ms, int64_t probe_ms);

/* --- resource.c --- */

void kube_discovery_free(struct kube_discovery *discovery); /* NULL is fine; nobody who waits is called */

/* --- near.c --- */

/* How many letters must be changed, added, left out or swapped with their neighbour to make b of a (optimal string alignment), small and capital ones being
 * the same. UINT_MAX for words of more than 64 bytes. */
unsigned kube_name_distance(const char *a, const char *b);
/* The largest distance at which a name is worth being proposed for a word. */
unsigned kube_name_allowance(const char *word);

/* --- verbs.c --- */

/* The path of an object, or of a collection where the target has no name. False with ERROR_INPUT for a part that cannot stand in a path. */
bool kube_target_path(const struct kube_target *target, struct buf *out, struct error *err);
/* "deployments.apps nginx in namespace learn", for sentences. */
void kube_target_words(const struct kube_target *target, struct buf *out);
/* How often a list began anew (410 in the middle): what `page` showed before is then older than what it shows now. */
unsigned kube_list_restarts(const struct kube_list *list);

/* --- watch.c --- */

/* For tests: the first wait of the back-off, instead of 500 ms. */
void kube_watch_set_backoff(struct kube_watch *watch, int64_t first_ms);

#endif
