/* sim_internal.h: the runtime's own things, for sim.c, volume.c, container.c and stream.c. What runs in a container: box.h.
 */
#ifndef KT_PRACTICE_SIM_SIM_INTERNAL_H
#define KT_PRACTICE_SIM_SIM_INTERNAL_H

#include "base/map.h"
#include "practice/sim/box.h"
#include "practice/sim/container_log.h"
#include "practice/sim/image.h"
#include "practice/sim/sim.h"
#include "practice/sim/tty.h"

struct sim {
    struct sim_options options;
    struct kernel *kernel;
    struct images *images;
    struct fs_tree *devices;  /* what lies under each container's /dev */
    struct map stored;        /* name -> struct stored */
    struct map hosts;         /* node -> struct fs_tree, its own files */
    struct map present;       /* "node\nreference" of what was pulled */
    struct runtime_pull *pulls;
    struct runtime_sandbox *sandboxes; /* all of them */
    uint64_t next_id;
    double speed;
};

/* ---- volumes ---- */

struct stored {
    struct sim *sim;
    char *name;
    struct fs_tree *tree;
    unsigned holders;
};
struct runtime_volume {
    struct sim *sim;
    unsigned holders;
    struct fs_tree *tree;
    struct fs_node *root;  /* a reference */
    struct stored *stored; /* NULL: another kind */
    unsigned fills;
};
struct runtime_volume *volume_get(void *self, const char *node, enum runtime_volume_kind kind, const char *name, struct error *err);
void volume_release(struct runtime_volume *volume);
bool volume_erase(void *self, const char *name, struct error *err);
bool volume_fill(struct runtime_volume *volume, const struct runtime_file *files, size_t count, struct error *err);
char volume_host_path(void *self, const char *node, const char *path, char create);
void volumes_init(struct sim *sim);
void volumes_free(struct sim *sim);

/* ---- containers ---- */

struct runtime_sandbox {
    struct sandbox sandbox;
    struct runtime_sandbox *next;
    struct sim *sim;
    struct pid_space pids;
    struct box pause; /* where processes are shared: number 1 */
    struct runtime_container *containers;
};

struct runtime_container {
    struct box box;
    struct runtime_sandbox *sandbox;
    struct runtime_container *next;
    char id[65];
    struct container_log log;
    struct tty *tty;                 /* its terminal, or NULL */
    struct handle *input;            /* the end that attached ones write to; NULL: nobody can */
    struct runtime_process *processes; /* execs, and those that are attached */
    struct wait_queue room;          /* writers that wait for a slow one that is attached */
    char *termination_path;
    char **argv, **env;
    char *cwd;
    uint32_t uid, gid;
    int stop_signal;
    bool stdin_open, stdin_once, running, ended_told;
    runtime_started *started;
    runtime_ended *ended;
    void *data;
    int64_t started_ms, finished_ms, start_ms /* how long starting takes */;
    int code, signal;
    struct kernel_work start_work, end_work, tty_work;
    struct waiter tty_waiter;        /* its terminal's output goes to the log */
    struct cluster_timer *start_timer;
    struct error start_error;
};
struct runtime_container *container_new(struct runtime_sandbox *sandbox, const struct runtime_container_config *config, runtime_started *started, runtime_ended *ended, void *data,
    struct error *err);
void container_free(struct runtime_container *container);
void container_signal(struct runtime_container *container, int signal);
/* runc's words for why a program cannot be started. */
void container_exec_error(const char *word, int error, char *out, size_t room);
void sim_new_id(struct sim *sim, char id[static 65]);
struct handle *container_output(struct runtime_container *container, enum runtime_stream stream); /* a handle that writes its log */

/* ---- streams ---- */

struct runtime_process {
    struct kernel *kernel;
    struct runtime_container *container; /* NULL: it was freed */
    struct runtime_process *next;
    struct runtime_io io;
    bool attach, ended, told, input_wanted;
    struct task *task;                /* an exec's, or NULL */
    struct tty *tty;
    struct handle *input;             /* we write to it; NULL: closed */
    struct handle *outputs[3];        /* of an exec without terminal: the ends we read */
    struct buf unread[3];             /* attached: what was written meanwhile */
    struct waiter waiters[4];
    struct kernel_work work;
    bool blocked;                     /* the other side takes no more until resume */
    int code;
    struct error start_error;
};
struct runtime_process *process_exec(struct runtime_container *container, const struct vec *argv, bool tty, bool input, const struct runtime_io *io, struct error *err);
struct runtime_process *process_attach(struct runtime_container *container, bool input, const struct runtime_io *io, struct error *err);
size_t process_write(struct runtime_process *process, const void *bytes, size_t length);
void process_close_input(struct runtime_process *process);
void process_resize(struct runtime_process *process, unsigned columns, unsigned rows);
void process_resume(struct runtime_process *process);
void process_free(struct runtime_process *process);
/* Output of the first process, for all that are attached. False: one of them has no room; it waits in container->room. */
bool process_attached_output(struct runtime_container *container, enum runtime_stream stream, const void *bytes, size_t length);
void process_container_ended(struct runtime_container *container); /* those attached end, too */
void process_container_freed(struct runtime_container *container);
void process_hang_up(struct tty *tty, struct box *box); /* HUP to all at this terminal, which they lose */
void container_pump_tty(struct runtime_container *container); /* the terminal's output to the log and to whom is attached */

/* What /proc and /sys show; data is the box. */
struct fs_node *proc_look(void *data, const struct task *task, const char *path);
struct fs_node *sys_look(void *data, const struct task *task, const char *path);

/* ---- connections from outside: net_outside.c ---- */

struct runtime_connection *outside_new(struct runtime_sandbox *sandbox, uint16_t port, const struct runtime_peer *peer, struct error *err);
size_t outside_write(struct runtime_connection *connection, const void *bytes, size_t length);
void outside_shutdown(struct runtime_connection *connection);
void outside_resume(struct runtime_connection *connection);
void outside_free(struct runtime_connection *connection);

#endif
