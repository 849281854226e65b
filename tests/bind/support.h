/* support.h: a fake API server, a client, a script and a bind, for the tests of bind/.
 */
#ifndef KT_TESTS_BIND_SUPPORT_H
#define KT_TESTS_BIND_SUPPORT_H

#include "base/buf.h"
#include "bind/bind.h"
#include "fake/fake.h"

struct world {
    struct loop *loop;
    struct fake *fake;
    struct kube_client *client;
    struct script *script;
    struct bind *bind;
    struct value *table; /* what the file returned */
};
void world_start(struct world *world);
/* Loads a file of cases/, or `text` if it is not NULL. Its result is a table of functions. */
void world_load(struct world *world, const char *file, const char *text);
int world_function(const struct world *world, const char *name); /* 0: the file has none of this name */
void world_end(struct world *world);

/* A run of a function, with what it said. */
struct ran {
    struct world *world;
    struct bind_run *run; /* under way */
    const void *follow;   /* key, or NULL: what it read is not followed */
    bool done;
    int times;
    struct verdict *verdict;
    char *json;
    struct both text;
    bool truthy;
};
void ran_start(struct ran *ran, struct world *world, const char *function, enum bind_mode mode, const char *state_json);
void ran_again(struct ran *ran, const char *function, enum bind_mode mode);
void ran_wait(struct ran *ran);
void ran_forget(struct ran *ran); /* frees what it said */
const struct expectation *ran_expectation(const struct ran *ran, size_t index);
/* Runs it to its end, in one. */
struct ran ran_to_end(struct world *world, const char *function, enum bind_mode mode);

/* Lines: the outcome with the error; then an expectation a line: holds|fails KIND NAME: PATH | expected | actual, and what else there is; then results. */
void ran_describe(const struct ran *ran, struct buf *out);

struct watching { /* a follower whose change runs the function again */
    struct ran ran;
    const char *function;
    int changes;
    bool changed;
};

void watching_start(struct watching *w, struct world *world, const char *function);
void watching_next(struct watching *w); /* waits for a change and runs the function again */
void watching_end(struct watching *w);
void world_until_watches(struct world *world, const char *kind, size_t count);

void world_until(struct world *world, const bool *done);
/* Lets the loop run for so long, for what must not happen. */
void world_pass(struct world *world, int64_t ms);

#endif
