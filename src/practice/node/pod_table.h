/* pod_table.h: the Pods that nodes of this process run, as streams.c needs them: their sandbox and their containers' handles by name.
 *
 * Everything here is borrowed: it is there until the loop's next callback, but for instances that somebody listens to.
 */
#ifndef KT_PRACTICE_NODE_POD_TABLE_H
#define KT_PRACTICE_NODE_POD_TABLE_H

#include <stdbool.h>

#include "practice/api/backend.h"
#include "practice/node/nodes.h"
#include "practice/node/runtime.h"

struct pod_worker;    /* a Pod on its node */
struct pod_container; /* one of its containers, whichever instance of it runs */
struct pod_instance;  /* one run of a container: the runtime's handle, from its start until it is forgotten */

/* What all nodes of the process share. */
const struct place_of_work *nodes_place(const struct nodes *nodes);
const struct runtime *nodes_runtime(const struct nodes *nodes);
struct network *nodes_network(const struct nodes *nodes);

/* NULL: no node of this process has it (yet). */
struct pod_worker *pod_table_find(const struct nodes *nodes, const char *ns, const char *name);
const char *pod_worker_uid(const struct pod_worker *worker);
const char *pod_worker_node(const struct pod_worker *worker);
struct runtime_sandbox *pod_worker_sandbox(const struct pod_worker *worker); /* NULL: none (yet, or any more) */
/* Walks the Pods of a node (after NULL: from the start). */
struct pod_worker *pod_table_next_on(const struct nodes *nodes, const char *node, const struct pod_worker *after);

enum pod_container_kind { POD_INIT, POD_APP, POD_EPHEMERAL };
enum pod_container_state { POD_WAITING, POD_STARTED, POD_TERMINATED };
/* In the order init, app, ephemeral; each kind as the spec has them. NULL: none of this name; none after `after` (NULL: the first). */
struct pod_container *pod_worker_container(const struct pod_worker *worker, const char *name);
struct pod_container *pod_worker_next(const struct pod_worker *worker, const struct pod_container *after);
const char *pod_container_name(const struct pod_container *container);
enum pod_container_kind pod_container_kind(const struct pod_container *container);
/* As the status says it now. reason: of a waiting one ("ContainerCreating", "CrashLoopBackOff"), else "". */
enum pod_container_state pod_container_state(const struct pod_container *container, const char **reason);
bool pod_container_wants_tty(const struct pod_container *container);
bool pod_container_wants_stdin(const struct pod_container *container);
/* The newest instance, running or ended, and the one before it. NULL: none. */
struct pod_instance *pod_container_current(const struct pod_container *container);
struct pod_instance *pod_container_previous(const struct pod_container *container);
struct runtime_container *pod_instance_handle(const struct pod_instance *instance);
bool pod_instance_runs(const struct pod_instance *instance);

/* An instance's handle is freed at some time (the Pod is deleted, the power goes, it is the third youngest): gone is called just before. Whoever uses the handle must end that use (free its process, follower
 * or connection) before gone returns. The listener is the caller's memory and is out of the list when gone is called. */
struct pod_listener {
    struct pod_listener *next, **link; /* pod_table's */
    void (*gone)(void *data);
    void *data;
};
void pod_instance_listen(struct pod_instance *instance, struct pod_listener *listener);
/* The same for a Pod's sandbox (connections to its ports). */
void pod_worker_listen(struct pod_worker *worker, struct pod_listener *listener);
void pod_unlisten(struct pod_listener *listener); /* also one that is in no list (all zero) */

/* Streams (streams.c), which nodes.c makes and frees: freed before any Pod is. */
struct streams;
struct streams *streams_new(struct nodes *nodes, struct error *err) __attribute__((warn_unused_result));
void streams_free(struct streams *streams); /* NULL is fine */
const struct backend *streams_backend(struct streams *streams);

#endif
