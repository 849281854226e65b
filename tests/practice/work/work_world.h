/* work_world.h: a server with a place of work on a loop, without controllers; objects by text.
 */
#ifndef KT_TESTS_WORK_WORLD_H
#define KT_TESTS_WORK_WORLD_H

#include "practice/work/place.h"
#include "serve_world.h"

struct work_world {
    struct serve_world serve;
    struct place_of_work place; /* its client may everything */
};

extern const struct client_resource work_pods, work_events;

void work_open(struct work_world *world);
void work_close(struct work_world *world);
/* Rights for the client and an account for Pods of namespace default: at the start, and after a reset. */
void work_settle_in(struct work_world *world);
/* Some rounds of the loop: what was written is committed and told. */
void work_run(struct work_world *world);
/* Lets the cluster's clock go forward. */
void work_step(struct work_world *world, int64_t ms);

/* A document from JSON with ' for ". */
struct value *work_json(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Makes, merges into, deletes in namespace default; a refusal fails the test. */
void work_make(struct work_world *world, const struct client_resource *resource, struct value *object);
void work_patch(struct work_world *world, const struct client_resource *resource, const char *sub, const char *name,
                struct value *patch);
void work_delete(struct work_world *world, const struct client_resource *resource, const char *name);
struct value *work_get(struct work_world *world, const struct client_resource *resource,
                       const char *name); /* NULL: not there */

/* A Pod of one container; more: what follows in its metadata (", 'labels': {...}"), or "". */
void work_pod(struct work_world *world, const char *name, const char *more);
const struct pod_view *work_view(struct work_world *world, const char *name);

#endif
