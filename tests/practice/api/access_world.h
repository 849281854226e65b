/* access_world.h: an API for the tests of who asks and whether they may: objects are put into the state as they are, without the verbs.
 */
#ifndef KT_TESTS_ACCESS_WORLD_H
#define KT_TESTS_ACCESS_WORLD_H

#include <stdbool.h>

#include "practice/api/access.h"
#include "practice/api/api.h"

struct access_world {
    struct loop *loop;
    struct api api;
    struct crypto_key *key;
};

void access_world_open(struct access_world *world);
void access_world_close(struct access_world *world);
/* Stores an object of version v1 of a group; its uid is "uid-" and its name. Replaces what is there. Committed at once. */
void access_world_put(struct access_world *world, const char *group, const char *plural, const char *json);
void access_world_remove(struct access_world *world, const char *group, const char *plural, const char *ns, const char *name);
/* The whole default policy. */
void access_world_policy(struct access_world *world);
/* "NAME group group ..." */
struct user access_world_user(const char *words);

#endif
