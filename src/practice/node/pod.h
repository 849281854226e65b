/* pod.h: what the files of a Pod's life share (pod_*.c, probe.c, hook.c): the Pod on its node as it is in memory.
 *
 * A worker goes through its stages; in STAGE_RUN it makes passes, as a kubelet's syncPod: write the status, see to volumes and sandbox, end what must end, start what must start, one container after the
 * other. What takes time wakes the worker (pod_wake), which goes on where the pass stood. The document is parsed while there is work and dropped when the Pod is quiet.
 */
#ifndef KT_PRACTICE_NODE_POD_H
#define KT_PRACTICE_NODE_POD_H

#include "base/map.h"
#include "practice/node/node.h"
#include "practice/node/pod_table.h"

enum {
    POD_BACKOFF_FIRST_MS = 10000, /* of containers that end and images that cannot be had: doubling */
    POD_BACKOFF_MOST_MS = 300000,
    POD_BACKOFF_RESET_MS = 2 * POD_BACKOFF_MOST_MS,
    POD_RETRY_MS = 10000,   /* after a container could not be made */
    POD_RELIST_MS = 1000,   /* after which a kubelet looks again at what ended */
    POD_LEAST_GRACE_MS = 2000,
    POD_MESSAGE = 4096,     /* bytes of a termination message */
};

enum pod_stage {
    STAGE_NEW,        /* not looked at yet */
    STAGE_RUN,
    STAGE_ENDING,     /* containers are being ended */
    STAGE_ENDED,      /* they have ended; the last status is to be written */
    STAGE_DONE,       /* it is written; what is left waits for the deletion */
};

enum instance_state { INSTANCE_MADE /* the runtime starts it */, INSTANCE_RUNS, INSTANCE_ENDED };
/* One run of a container. One from before this process began has no handle. */
struct pod_instance {
    struct pod_container *container;
    struct runtime_container *handle;
    struct pod_listener *listeners;
    struct probe *probes[3]; /* by enum probe_kind; NULL: none of this kind, or not begun */
    enum instance_state state;
    int attempt; /* restarts before it */
    int code, signal;
    bool startup_failed, liveness_failed; /* a probe says that it must be ended */
    int64_t started_ms, finished_ms;      /* 0: never */
    const char *reason;                   /* of its end: "Completed" ... */
    char *message, *id;                   /* id: 64 hex digits */
    const struct image_name *image;
    int64_t user, group;
};

enum restart_policy { RESTART_ALWAYS, RESTART_ON_FAILURE, RESTART_NEVER };
struct pod_container {
    struct pod_worker *worker;
    char *name;
    enum pod_container_kind kind;
    enum restart_policy policy; /* its own, else the Pod's */
    bool sidecar, own_policy, tty, stdin_open, tail_as_message;
    bool wanted;                /* to be started in this pass */
    bool probed[3];             /* the spec has a probe of this kind */
    struct pod_instance *current, *previous;
    int restarts;               /* of the newest instance */
    const char *waiting;        /* why it could not be started: "CrashLoopBackOff" ...; NULL: no reason */
    char *waiting_message;
    int64_t backoff_ms, backoff_since_ms;   /* of restarts: 0 none yet */
    int64_t pull_backoff_ms, pull_since_ms; /* of its image */
    char *pull_error;
    const char *told;           /* what `waiting` was when the pass began */
    struct pod_kill *kill;      /* it is being ended */
};

enum start_step { START_PULL, START_CREATE, START_HOOK, START_HOOK_KILL };

struct pod_worker {
    struct node *node;
    struct pod_worker *next, **link; /* of the node's */
    char *ns, *name, *uid;
    enum pod_stage stage;
    enum pod_phase phase; /* as things stand; the status says Succeeded and Failed only once all containers have ended */
    struct value *document; /* the newest known; NULL: to be read when needed */
    struct runtime_sandbox *sandbox;
    struct pod_listener *listeners; /* of the sandbox */
    struct pod_container *containers;
    size_t count;
    struct pod_volumes *volumes; /* NULL: not begun */
    struct amounts requests;     /* what it takes of the node; counted there while it is admitted */
    uint32_t *ports;             /* host ports: UDP's and SCTP's above 65536 */
    size_t port_count;
    bool admitted, adopted, deleting, sandbox_ready, sandbox_changed, again;
    bool failed;                 /* it has to end as Failed, for reason and message */
    const char *reason, *message;
    uint64_t version;            /* the newest of its object that this worker made or saw */
    int address;                 /* of the node's range; -1: none */
    char ip[NETWORK_ADDRESS];
    int64_t grace_ms;            /* of its deletion; -1: none */
    int64_t deadline_ms;         /* activeDeadlineSeconds; 0: none */
    int64_t start_ms;            /* status.startTime, before it is written; 0: not begun */
    int64_t write_due_ms;        /* when a status that may soon be another one is written; 0: none waits */
    int64_t mount_due_ms;        /* when changed ConfigMaps and Secrets are looked at; 0: nothing changed */
    /* the container that is being started */
    struct pod_container *starting;
    enum start_step step;
    struct pod_pull *pull;
    struct hook *hook;
    char *hook_failure;          /* what its status says; NULL: none */
    bool passing;                /* a pass is under way */
    bool probe_news;             /* the status has to say what a probe found */
};

/* ---- pod_worker.c ---- */
/* A Pod of this node that the API shows. NULL: no memory. */
struct pod_worker *pod_new(struct node *node, const struct pod_view *view, const struct value *document, struct error *err) __attribute__((warn_unused_result));
void pod_free(struct pod_worker *worker); /* all of it ends without a word */
/* Forgets the Pod of this node that came to its end first, with its logs, as a kubelet collects dead containers. False: there is none. */
bool pod_drop_oldest(struct node *node);
void pod_wake(struct pod_worker *worker); /* it is worked on in the next round */
void pod_wake_at(struct pod_worker *worker, int64_t at_ms);
/* Does what is due. False: it could not be done (memory, a refused write); again later. */
bool pod_work(struct pod_worker *worker);
/* The ConfigMaps and Secrets that it mounts have changed: looked at when a kubelet would. */
void pod_source_changed(struct pod_worker *worker);
/* The API shows a new version. */
void pod_changed(struct pod_worker *worker, const struct pod_view *view, const struct value *document);
int64_t pod_now(const struct pod_worker *worker);
/* The document; NULL: no memory, or the Pod is gone. Borrowed. */
struct value *pod_document(struct pod_worker *worker);
void pod_forget_document(struct pod_worker *worker);
/* "name_ns(uid)", as a kubelet's messages name a Pod. The caller frees. */
char *pod_full_name(const struct pod_worker *worker) __attribute__((warn_unused_result));
/* An event about the Pod, or about one of its containers. */
void pod_say(struct pod_worker *worker, const struct pod_container *container, bool warning, const char *reason, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- pod_containers.c ---- */
bool pod_containers_read(struct pod_worker *worker, const struct value *document); /* from spec and status; again: new ephemeral ones */
void pod_containers_free(struct pod_worker *worker);
const struct value *container_spec(const struct pod_container *container, const struct value *document);
struct pod_instance *instance_new(struct pod_container *container); /* NULL: no memory */
void instance_attach(struct pod_instance *instance);                /* it is the current one now */
void instance_free(struct pod_instance *instance);
/* Whether one that ended is to be started again. */
bool container_should_restart(const struct pod_container *container, const struct value *document);
bool pod_initialized(const struct pod_worker *worker); /* every init container has done what others wait for */
void container_wait(struct pod_container *container, const char *reason, const char *format, ...) __attribute__((format(printf, 3, 4))); /* reason NULL: no more */

#endif
