/* transport.h: libcurl's multi interface on the loop.
 *
 * curl's own callbacks only note things; `progress` is called after curl has returned, so that whoever is called from there may add,
 * remove and free anything, the transport itself too.
 */
#ifndef KT_KUBE_TRANSPORT_H
#define KT_KUBE_TRANSPORT_H

#include <curl/curl.h>

#include "base/error.h"
#include "loop/loop.h"

struct transport;

struct transport *transport_new(struct loop *loop, void (*progress)(void *data), void *data, struct error *err) __attribute__((warn_unused_result));
void transport_free(struct transport *transport); /* every handle must have been removed */

CURLSH *transport_share(struct transport *transport); /* TLS sessions; for CURLOPT_SHARE */
/* The handle begins to run in a later round of the loop. */
bool transport_add(struct transport *transport, CURL *easy, struct error *err) __attribute__((warn_unused_result));
void transport_remove(struct transport *transport, CURL *easy);
/* The next handle that is done, or NULL; it must still be removed. */
CURL *transport_next_done(struct transport *transport, CURLcode *result);
/* No memory for curl's sockets or timers: nothing moves any more until transport_renew. */
bool transport_broken(const struct transport *transport);
/* Drops all connections. Every handle must have been removed. */
bool transport_renew(struct transport *transport, struct error *err);

#endif
