/* net.h: sockets: byte streams between programs of sandboxes, and from outside into one. Where an address leads is the network's to say (node/network.h); here bytes move.
 *
 * A connection has two sides. Each reads what the other wrote, NET_ROOM bytes at most wait in between. Nothing blocks: -EAGAIN, and the side's queue is woken when something changed.
 */
#ifndef KT_PRACTICE_SIM_NET_H
#define KT_PRACTICE_SIM_NET_H

#include "practice/sim/box.h"

enum { NET_ROOM = 64 << 10, NET_LISTENERS = 256, NET_CONNECTIONS = 4096 /* of one sandbox */ };

struct net_side;
ssize_t net_read(struct net_side *side, void *bytes, size_t length);        /* 0: the other one ended */
ssize_t net_write(struct net_side *side, const void *bytes, size_t length); /* may take fewer; -EPIPE: the other one is gone */
void net_shut(struct net_side *side);                                       /* writes no more */
void net_close(struct net_side *side);                                      /* NULL is fine */
struct wait_queue *net_waiters(struct net_side *side);
const char *net_peer_ip(const struct net_side *side);
/* A handle that holds the side (taken over, also on failure). NULL: no memory. */
struct handle *net_handle(struct net_side *side) __attribute__((warn_unused_result));

/* Listens at a port of the task's sandbox until net_unlisten; accept gets each new connection, on any stack: it may keep the side and defer work. NULL: *error is -EADDRINUSE, -ENOMEM. */
struct net_listener;
struct net_listener *net_listen(struct sandbox *sandbox, uint16_t port, void (*accept)(void *data, struct net_side *side), void *data, int *error)
    __attribute__((warn_unused_result));
void net_unlisten(struct net_listener *listener); /* NULL is fine */
void net_drop(struct sandbox *sandbox);           /* the sandbox ends */

/* To a port of this very sandbox, from `ip`. NULL: -ECONNREFUSED, -ENOMEM. */
struct net_side *net_connect_to(struct sandbox *sandbox, uint16_t port, const char *ip, int *error);
/* From a task to an address, as TCP would. Blocks where nothing answers, until the deadline (-1: two minutes): -ETIMEDOUT. -ECONNREFUSED, -EINTR. *api: it is the API server, which has no side. */
int task_connect(struct task *task, const char *ip, uint16_t port, int64_t deadline_ms, struct net_side **out, bool *api);

/* net_names.c: the address of a name as a container's resolver finds it: /etc/hosts, then the server and search domains of /etc/resolv.conf. 0, -ENOENT (no such name), -ETIMEDOUT (no answer). `full`: the
 * name that it was found under, or NULL. */
int task_resolve(struct task *task, const char *name, char ip[static NETWORK_ADDRESS], char full[static NETWORK_NAME]);
bool net_is_address(const char *text);

#endif
