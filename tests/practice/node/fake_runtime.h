/* fake_runtime.h: a runtime whose containers do what their command says, by the cluster's clock; no processes, no files.
 *     command []                 runs until it is signalled, then exits 0
 *     ["sleep"]                  runs, and hears nothing but KILL
 *     ["exit", CODE, MS]         ends after so long
 *     ["say", CODE, TEXT]        writes a termination message and ends at once
 *     ["log", CODE, TEXT]        writes a line to its log and ends at once
 *     ["eat"]                    is killed for want of memory
 *     ["nosuch"]                 cannot be started
 * Images: MISSING anywhere in the name cannot be found, PRIVATE needs user "u" and password "p", ROOT... have no user, USER has 1000, SLOW takes 3 s to pull.
 * exec ["true"], ["false"], ["say", TEXT, CODE], ["wait", MS], ["healthy"] (fake->healthy), ["nosuch"]. Ports: fake->port answers /ok with 200 and others with 404; others are refused.
 */
#ifndef KT_TESTS_FAKE_RUNTIME_H
#define KT_TESTS_FAKE_RUNTIME_H

#include "base/map.h"
#include "practice/clock/clock.h"
#include "practice/node/runtime.h"

struct fake_container {
    struct fake_container *next;
    char *pod, *name;        /* "ns/pod" */
    struct vec env, command; /* as it was started */
    struct vec files;        /* "PATH/FILE=CONTENT" of its mounts then */
    bool running;
    int attempt;
};

struct fake {
    struct cluster_clock *clock;
    struct fake_container *containers; /* that were not freed yet, the newest first */
    struct map present;                /* images */
    bool healthy;
    int pull_ms, start_ms;             /* how long a pull takes, and a start or an end */
    uint16_t port;
    size_t made, volumes, sandboxes, pulls;
    char hosts[2048], resolv[1024];    /* of the sandbox that was made last */
};

void fake_open(struct fake *fake, struct cluster_clock *clock);
void fake_close(struct fake *fake); /* everything must have been freed */
struct runtime fake_runtime(struct fake *fake);
struct fake_container *fake_find(struct fake *fake, const char *pod, const char *name); /* the newest; NULL: none */
/* The content of a file that its mounts have, NULL: none. Not to be freed. Of now, since volumes may be filled again. */
const char *fake_file(struct fake_container *container, const char *path);
const char *fake_env(const struct fake_container *container, const char *name);

#endif
