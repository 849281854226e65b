/* runtime.h: what runs containers, as the node sees it (the shape of CRI). practice/sim is one; another may start real processes. A node never knows which.
 *
 * A runtime serves all nodes of the process; sandboxes and images belong to the node they name. Calls return at once; what takes time is told by callback, from the loop and never from
 * inside the call. A handle that a call gave is freed by its own free or cancel; after that no callback comes. Everything is bounded by the runtime: logs RUNTIME_LOG bytes a container, unread output
 * RUNTIME_UNREAD bytes a stream (who writes more waits).
 */
#ifndef KT_PRACTICE_NODE_RUNTIME_H
#define KT_PRACTICE_NODE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

enum { RUNTIME_LOG = 1 << 20, RUNTIME_UNREAD = 256 << 10, RUNTIME_FILE = 4 << 20 /* bytes of one file that is written into a volume */ };

struct runtime {
    const struct runtime_ops *ops;
    void *self; /* the implementation's; first argument of ops that name no other handle */
};

/* ---- images ---- */

struct runtime_image {
    char *id;        /* "sha256:...", status.containerStatuses[].imageID is made from it */
    char *reference; /* "docker.io/library/nginx:1.27", as the status shows it */
    int64_t size;    /* bytes */
    char *user;      /* the image's USER, "" for root: runAsNonRoot looks at it */
};
void runtime_image_free(struct runtime_image *image); /* what it points at */

struct runtime_credentials { /* for one registry; borrowed */
    const char *registry, *user, *password;
};
/* image NULL: err, whose message is what the event and the status say after the image's name: ErrImagePull's text ("failed to pull and unpack image ...: not found"); ERROR_INPUT: the name is none
 * (InvalidImageName), ERROR_DENIED, ERROR_NOT_FOUND, ERROR_UNREACHABLE. The image is the caller's. took_ms by the cluster's clock. */
typedef void runtime_pulled(void *data, struct runtime_image *image, int64_t took_ms, const struct error *err);
struct runtime_pull;

/* ---- volumes: trees of files that containers of one node share ---- */

struct runtime_volume;
struct runtime_file {
    const char *path; /* "a/b.txt", relative */
    const void *bytes;
    size_t length;
    unsigned mode;
};
enum runtime_volume_kind {
    RUNTIME_VOLUME_EMPTY,  /* a new one, gone with its last holder */
    RUNTIME_VOLUME_HOST,   /* the node's own tree at a path, for everybody on the node */
    RUNTIME_VOLUME_STORED, /* persistent: by a name, one for the cluster, outlives Pods and nodes; runtime_volume_erase ends it */
};

/* ---- sandboxes and containers ---- */

struct runtime_sandbox;
struct runtime_sandbox_config { /* borrowed for the call */
    const char *node, *ns, *name, *uid;
    const char *hostname, *domain;          /* domain "" or "sub.ns.svc.cluster.local" */
    const char *ip;                         /* given by the node from its range */
    bool host_network;
    bool shared_processes;                  /* shareProcessNamespace */
    const struct vec *hosts;                /* lines of /etc/hosts, strings */
    const struct vec *resolv;               /* lines of /etc/resolv.conf */
};

struct runtime_mount {
    struct runtime_volume *volume;
    const char *sub_path; /* "" for none */
    const char *path;     /* in the container */
    bool read_only;
};

struct runtime_container;
struct runtime_container_config { /* borrowed for the call */
    const char *name;
    int attempt;                       /* restart count */
    const struct runtime_image *image;
    const struct vec *command, *args;  /* strings, $(VAR) already put in; NULL: the image's */
    const struct vec *env;             /* "NAME=value", beside those of the image */
    const char *working_directory;     /* "" for the image's */
    const struct runtime_mount *mounts;
    size_t mount_count;
    int64_t user, group;               /* -1: the image's */
    bool read_only_root, privileged;
    bool tty, stdin_open, stdin_once;
    const char *termination_path;      /* "/dev/termination-log": read when it ends */
    int64_t memory_limit;              /* bytes, 0 for none: more is OOMKilled */
    int64_t cpu_limit;                 /* thousandths, 0 for none */
};
struct runtime_end {
    int code, signal;        /* signal 0: it exited by itself */
    bool out_of_memory;
    int64_t started_ms, finished_ms; /* by the cluster's clock */
    const char *message;     /* of termination_path, at most 4096 bytes; "" for none; borrowed for the call */
};
/* The container's end, once; the handle lives on (its log, its end) until it is freed. */
typedef void runtime_ended(void *data, const struct runtime_end *end);
/* It runs now (err NULL), or could not be started: err's message is the status' message (reason RunContainerError or StartError: `exec: "x": executable file not found in $PATH`). */
typedef void runtime_started(void *data, const struct error *err);

/* ---- streams ---- */

enum runtime_stream { RUNTIME_STDIN, RUNTIME_STDOUT, RUNTIME_STDERR };
struct runtime_io {
    /* Bytes that came out; the number that was taken. Fewer: the rest waits until runtime_process_resume. */
    size_t (*output)(void *data, enum runtime_stream stream, const void *bytes, size_t length);
    void (*input_ready)(void *data);                      /* after a write that did not take all: there is room again */
    void (*ended)(void *data, int code, const struct error *err); /* once, after all output; err: it could not be started at all (code 126 or 127 is the shell's way) */
    void *data;
};
struct runtime_process; /* an exec, or somebody attached */

/* A byte stream to a port of a sandbox (port-forward, proxy, probes). */
struct runtime_peer {
    void (*connected)(void *data, const struct error *err); /* ERROR_UNREACHABLE: refused; ERROR_TIMEOUT: nothing answers (a policy) */
    size_t (*received)(void *data, const void *bytes, size_t length); /* the number taken; fewer: until runtime_connection_resume */
    void (*room)(void *data);
    void (*closed)(void *data); /* the other side ended; the handle is still to be freed */
    void *data;
};
struct runtime_connection;

struct runtime_log_line {
    int64_t time_us; /* by the cluster's clock */
    enum runtime_stream stream;
    bool partial;    /* a piece of a long line: no newline follows */
    const char *text;
    size_t length;
};
struct runtime_usage {
    int64_t cpu;    /* thousandths of a core, over the last while */
    int64_t memory; /* bytes, working set */
};

struct runtime_ops {
    void (*free)(void *self); /* everything of it must have been freed before */

    /* images */
    bool (*image_present)(void *self, const char *node, const char *reference, struct runtime_image *image); /* filled where it is; also by id */
    struct runtime_pull *(*pull)(void *self, const char *node, const char *reference, const struct runtime_credentials *credentials, size_t count, runtime_pulled *done, void *data, struct error *err);
    void (*pull_cancel)(struct runtime_pull *pull); /* not after done */
    bool (*image_valid)(void *self, const char *reference); /* a name that can be parsed */

    /* volumes; `name` is the host's path or the stored one's name. A reference each; released by release. */
    struct runtime_volume *(*volume)(void *self, const char *node, enum runtime_volume_kind kind, const char *name, struct error *err);
    void (*volume_release)(struct runtime_volume *volume);
    bool (*volume_erase)(void *self, const char *name, struct error *err); /* a stored one, with what is in it */
    /* Replaces all that is in it at once, as the kubelet's atomic writer does (..data). */
    bool (*volume_fill)(struct runtime_volume *volume, const struct runtime_file *files, size_t count, struct error *err);
    /* hostPath's types: whether a path is there, and what. 0 none, 'd', 'f'. create: makes a folder ('d') or an empty file ('f') where nothing is. */
    char (*host_path)(void *self, const char *node, const char *path, char create);

    /* sandboxes */
    struct runtime_sandbox *(*sandbox)(void *self, const struct runtime_sandbox_config *config, struct error *err);
    void (*sandbox_free)(struct runtime_sandbox *sandbox); /* ends what runs in it at once */

    /* containers: starts one. started comes, and, if that had no err, ended later */
    struct runtime_container *(*container)(struct runtime_sandbox *sandbox, const struct runtime_container_config *config, runtime_started *started, runtime_ended *ended, void *data, struct error *err);
    void (*container_signal)(struct runtime_container *container, int signal); /* to its process 1 (SIGKILL: to all) */
    int (*container_stop_signal)(const struct runtime_container *container);   /* the image's, SIGTERM else */
    void (*container_free)(struct runtime_container *container);               /* ends it if it runs, without ended; forgets its log */
    const char *(*container_id)(const struct runtime_container *container);    /* 64 hex digits; the status says "containerd://" before it */
    void (*container_usage)(const struct runtime_container *container, struct runtime_usage *usage);
    bool (*container_resize)(struct runtime_container *container, int64_t memory_limit, int64_t cpu_limit);
    /* The tail of its log, at most `most` bytes: terminationMessagePolicy FallbackToLogsOnError. The caller frees. */
    char *(*container_log_tail)(const struct runtime_container *container, size_t most);

    /* logs: *cursor starts at 0 (the oldest line that is kept). False: none more now. */
    bool (*log_next)(const struct runtime_container *container, uint64_t *cursor, struct runtime_log_line *line);
    /* fn is called when there are more lines, and when it ended. One for each handle. */
    struct runtime_log_follow *(*log_follow)(struct runtime_container *container, void (*fn)(void *data), void *data);
    void (*log_unfollow)(struct runtime_log_follow *follow);

    /* processes beside the first: argv are strings; env and folder are the container's. attach: the first one's own streams. */
    struct runtime_process *(*exec)(struct runtime_container *container, const struct vec *argv, bool tty, bool input, const struct runtime_io *io, struct error *err);
    struct runtime_process *(*attach)(struct runtime_container *container, bool input, const struct runtime_io *io, struct error *err);
    size_t (*process_write)(struct runtime_process *process, const void *bytes, size_t length); /* the number taken */
    void (*process_close_input)(struct runtime_process *process);
    void (*process_resize)(struct runtime_process *process, unsigned columns, unsigned rows);
    void (*process_resume)(struct runtime_process *process);
    void (*process_free)(struct runtime_process *process); /* an exec that runs is hung up (SIGHUP to a terminal's, else its pipes are closed); attached: only let go */

    /* connections */
    struct runtime_connection *(*connect)(struct runtime_sandbox *sandbox, uint16_t port, const struct runtime_peer *peer, struct error *err);
    size_t (*connection_write)(struct runtime_connection *connection, const void *bytes, size_t length);
    void (*connection_shutdown)(struct runtime_connection *connection); /* no more is written */
    void (*connection_resume)(struct runtime_connection *connection);
    void (*connection_free)(struct runtime_connection *connection);
};

#endif
