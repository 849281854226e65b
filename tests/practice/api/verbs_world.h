/* verbs_world.h: an API without a wire for the tests of its verbs: a state that keeps nothing, the served kinds, a namespace; requests as text.
 */
#ifndef KT_TESTS_VERBS_WORLD_H
#define KT_TESTS_VERBS_WORLD_H

#include <stdbool.h>

#include "practice/api/api.h"

struct world {
    struct loop *loop;
    struct api api;
    struct user user;
};

bool world_open(struct world *world);
bool world_open_at(struct world *world, const char *path); /* a state that is kept in a file; NULL: it is not */
void world_close(struct world *world);
/* Makes a namespace as the tests' cases have one: with its ServiceAccount. */
bool world_namespace(struct world *world, const char *name);

/* What a request was answered. */
struct reply {
    int code;
    struct value *document; /* as it would be sent */
    struct vec warnings;
};
/* method, path with query, Content-Type (NULL: JSON), body (NULL: none). False: the test's own trouble, or no memory. */
bool world_ask(struct world *world, const char *method, const char *path, const char *type, const char *body, struct reply *reply);
void reply_free(struct reply *reply);
/* The same with the answer as text, as it goes over the wire (for timings; mem_free). */
struct text_reply {
    int code;
    char *text;
};
bool world_ask_text(struct world *world, const char *method, const char *path, const char *type, const char *body, struct text_reply *reply);

#endif
