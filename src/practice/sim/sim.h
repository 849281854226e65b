/* sim.h: the simulated runtime: images from a catalogue, containers whose processes are ours: a shell, applets, servers, over files in memory and sockets between Pods. It needs no privileges, and nothing
 * that runs in it can reach the machine.
 */
#ifndef KT_PRACTICE_SIM_SIM_H
#define KT_PRACTICE_SIM_SIM_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "practice/clock/clock.h"
#include "practice/node/network.h"
#include "practice/node/runtime.h"

struct sim;
struct sim_api_call; /* a process inside waits for it */

struct sim_options {
    struct cluster_clock *clock;
    struct network *network;     /* the caller's, lives longer. NULL: names and addresses lead nowhere (tests) */
    const char *const *catalogues; /* folders with images (assets/images first, then those of lesson packs), NULL-terminated */
    const char *volumes;         /* a folder where stored volumes are kept; NULL: in memory only */
    double speed;                /* divides how long pulls and starts take; 0: they take no time */
    /* What a process inside says to the API server (Service kubernetes over HTTPS): a whole request, answered once by sim_answer_api. NULL: refused. */
    void (*api)(void *data, const char *method, const char *path, const char *headers, const char *body, size_t length, struct sim_api_call *call);
    void *data;
    struct log *log;
};
void sim_answer_api(struct sim_api_call *call, int status, const char *type, const void *body, size_t length);

struct sim *sim_new(const struct sim_options *options, struct error *err) __attribute__((warn_unused_result));
void sim_free(struct sim *sim); /* all sandboxes, volumes, pulls must have been freed */
struct runtime sim_runtime(struct sim *sim);
void sim_set_speed(struct sim *sim, double speed);

#endif
