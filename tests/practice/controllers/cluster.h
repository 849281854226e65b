/* cluster.h: the whole server with its controllers on a loop, for tests: objects by text, and waiting for what a controller does.
 */
#ifndef KT_TESTS_CLUSTER_H
#define KT_TESTS_CLUSTER_H

#include "base/clock.h"
#include "practice/api/client.h"
#include "practice/controllers/controllers.h"
#include "serve_world.h"

struct cluster {
    struct serve_world world;
    struct client *client; /* may everything */
    struct place_of_work place;
    struct controllers *controllers;
};

extern const struct client_resource configmaps, secrets, pods, services, namespaces_, accounts, quotas, clusterroles, definitions, widgets;

/* path NULL: nothing is kept. For cmocka's setup and teardown, too. */
void cluster_open(struct cluster *cluster);
void cluster_close(struct cluster *cluster);
void cluster_start(struct cluster *cluster); /* the controllers */
void cluster_stop(struct cluster *cluster);
void cluster_let_in(struct cluster *cluster); /* the client's rights, after a reset anew */

/* Makes an object from JSON with ' for "; answers with its uid (of the last few calls; not to be freed). */
const char *cluster_make(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Merges a patch of such a text into it. */
void cluster_patch(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name, const char *format, ...) __attribute__((format(printf, 5, 6)));
void cluster_delete(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name, enum propagation propagation);
bool cluster_has(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name);
/* The compact JSON of what is at a path of keys joined by dots ("status.conditions"), "" if there is nothing; as the uid above. */
const char *cluster_text(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name, const char *path);
/* Defines the widgets, and waits until they are served. */
void cluster_define(struct cluster *cluster);
/* Lets the loop run until nothing is due for a while: everything that controllers had to do is done. */
void cluster_settle(struct cluster *cluster);

/* Lets the loop run until it is true. */
#define UNTIL(cluster, condition)                                                                                                                                                                \
    for (int64_t until_ = clock_monotonic_ms() + LONG_MS; !(condition); loop_once((cluster)->world.loop, 20))                                                                                    \
    assert_true(clock_monotonic_ms() < until_)

#endif
