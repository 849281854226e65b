/* world.h: a simulated runtime on a loop of its own, for tests.
 */
#ifndef KT_TEST_SIM_WORLD_H
#define KT_TEST_SIM_WORLD_H

#include "base/buf.h"
#include "loop/loop.h"
#include "practice/sim/sim.h"

struct world {
    struct loop *loop;
    struct cluster_clock *clock;
    struct sim *sim;
    struct runtime runtime;
    struct runtime_sandbox *sandbox;
};
/* With one sandbox, "pod" in namespace "space". */
void world_open(struct world *world);
void world_close(struct world *world);

/* One container and what became of it. */
struct box_run {
    struct world *world;
    struct runtime_container *container;
    bool started, failed, ended;
    struct error error;
    struct runtime_end end;
    char message[5000];
};
/* A configuration of image busybox that runs `sh -c script` (script NULL: the image's own command) in /work. */
struct runtime_container_config world_config(const char *script, struct vec *command);
void world_start(struct world *world, struct box_run *run, const struct runtime_container_config *config); /* waits until it started or failed */
void world_wait(struct box_run *run);      /* until it ended; fails the test after a minute */
void world_until(struct world *world, bool (*fn)(void *data), void *data);
/* What its log holds of one stream; NUL-terminated, the caller frees. */
char *world_log(const struct box_run *run, enum runtime_stream stream);
/* Starts `sh -c script`, waits for its end, and checks what it wrote and its code. */
void world_expect(const char *script, const char *output, int code);
/* An image that is "pulled" already. */
struct runtime_image world_image(void);

/* An exec or somebody attached, with what came out. */
struct talk {
    struct world *world;
    struct runtime_process *process;
    struct buf out, err;
    bool ended, refused;
    int code;
    struct error error;
    size_t most; /* bytes that it takes; 0: all */
};
void talk_exec(struct world *world, struct talk *talk, struct runtime_container *container, bool tty, bool input, const char *first, ...) __attribute__((sentinel));
void talk_attach(struct world *world, struct talk *talk, struct runtime_container *container, bool input);
void talk_say(struct talk *talk, const char *text);
void talk_until(struct talk *talk, const char *text); /* until it came out */
void talk_end(struct talk *talk);                     /* waits until it ended */
void talk_free(struct talk *talk);

#endif
