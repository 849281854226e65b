/* connect.h: what goes beyond objects: logs of Pods, exec, attach, port-forward, and requests that are passed on to Pods, Services and Nodes. All of it comes from api->backend (backend.h): without one
 * these paths are answered as other subresources are.
 *
 *     connect.c      which path is whose, what they share
 *     connect_log.c  pods/log
 *     remote.c       exec and attach, over remote_ws.c or remote_spdy.c
 *     forward.c      port-forward, over forward_ws.c or forward_spdy.c
 *     proxy.c        proxies; proxy_place.c finds the Pod behind a name, proxy_message.c changes what is passed on, proxy_kubelet.c stands for a kubelet's own paths
 */
#ifndef KT_PRACTICE_API_CONNECT_H
#define KT_PRACTICE_API_CONNECT_H

#include <stdbool.h>
#include <sys/queue.h>

#include "practice/api/backend.h"
#include "practice/api/serve.h"

/* True if this path is one of those, and there is a backend. */
bool connect_is(const struct server *server, const struct route *route);
/* Serves it; ends the exchange. */
void connect_serve(struct exchange *exchange);

/* Everything that is open, so that it ends when the backend goes. */
struct open_stream {
    LIST_ENTRY(open_stream) entry;
    bool listed;
    void (*cut)(struct open_stream *stream); /* lets go of the backend's handles at once, takes itself out of the list, and ends */
};
void connect_open(struct api *api, struct open_stream *stream, void (*cut)(struct open_stream *stream));
void connect_close(struct open_stream *stream); /* nothing for one that was not opened, or is closed already */

/* The Pod of the request's path (the caller frees) and the container that is meant; *container "" asks for the only one, and is borrowed from the Pod or the query afterwards. False: 404, 400. */
bool connect_pod(struct exchange *exchange, struct value **pod);
bool connect_container(const struct value *pod, const char *name, const char **container, struct status *failure);
/* 400 where the Pod has no node yet. */
bool connect_needs_node(const struct value *pod, struct status *failure);
/* Upgrades by GET need the right to create, too (since 1.35). False: 403. */
bool connect_may_create(struct exchange *exchange);
/* The first protocol of the client's list (joined with commas) that is in `ours` (NULL-terminated); NULL: none. */
const char *connect_negotiate(const char *theirs, const char *const *ours);
/* Refuses as a kubelet does: a line of text. Ends the exchange. */
void connect_refuse(struct exchange *exchange, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The failure of a backend's call, as such a text. Ends the exchange. */
void connect_refuse_status(struct exchange *exchange);
/* Answers 403 with the protocols that are spoken, or 400 where the client named none. */
void connect_refuse_protocol(struct exchange *exchange, const char *theirs, const char *const *ours);

/* metrics.k8s.io (usage.c): true if this is of that group, and there is a backend. */
bool usage_is(const struct server *server, const struct route *route);
void usage_serve(struct exchange *exchange); /* ends the exchange */

void log_serve(struct exchange *exchange);
void remote_serve(struct exchange *exchange);
void forward_serve(struct exchange *exchange);
void proxy_serve(struct exchange *exchange);

#endif
