/* box.h: a container and its sandbox, as programs inside and the kernel see them.
 */
#ifndef KT_PRACTICE_SIM_BOX_H
#define KT_PRACTICE_SIM_BOX_H

#include "practice/node/network.h"
#include "practice/sim/kernel.h"

/* A numbering of processes: a container's own, or one for the sandbox (shareProcessNamespace). */
struct pid_space {
    struct task *first, *last; /* by number */
    int next;
    bool own_init; /* number 1 is the container's own process: it ignores what it does not handle, and all end with it */
};

struct sandbox_net; /* sockets: net.h of whoever makes them */
struct sandbox { /* a Pod's */
    struct sim *sim;
    char *node, *ns, *name, *uid, *hostname, *domain, *ip;
    bool host_network;
    struct pid_space *shared; /* NULL: each container its own */
    struct sandbox_net *net;  /* made with the first socket; NULL: none yet */
    struct box *boxes;        /* its containers, and by `next` */
    struct fs_tree *files;    /* hosts, hostname, resolv.conf: one for all its containers */
};

struct box {
    struct kernel *kernel;
    struct sandbox *sandbox;
    struct box *next;
    char *name;
    struct fs_view *view;
    struct pid_space *pids, own_pids;
    struct task *init;        /* its first process; NULL: ended */
    unsigned tasks;           /* that have not been waited for */
    int64_t memory, memory_limit; /* what its programs say they use; 0: no limit */
    int64_t cpu_limit;
    int64_t debt_us, debt_at_us, long_us; /* what its programs computed lately and at a stretch, in real time: who computes without end gets a share of the processor */
    bool out_of_memory, ending;
};

/* A task in a box without parent that will run argv[0] of path; fds are referenced. NULL: *error. */
struct task *task_first(struct box *box, const struct spawn *spawn, const struct fs_who *who, struct tty *tty, void (*ended)(struct task *task, void *data), void *data, int *error);

/* Ends all its tasks at once; on the main stack. */
void kernel_end_box(struct box *box);
/* True if the container may use so much more; else it is killed whole (the cgroup's memory.oom.group). */
bool box_charge(struct box *box, int64_t bytes);
void box_kill_all(struct box *box); /* KILL to each of its processes, from outside */
int64_t kernel_box_busy(const struct box *box); /* thousandths of a core that its programs are said to use now */
enum { BOX_NODE_MEMORY = 2048 }; /* MiB that a container without a limit gets before the node kills it */

/* ---- the runtime's parts that hang on a sim ---- */

struct sim_options;
struct images;
struct kernel *sim_kernel(struct sim *sim);
const struct sim_options *sim_options_of(const struct sim *sim);
struct images *sim_images(struct sim *sim);

#endif
