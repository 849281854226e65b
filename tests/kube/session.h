/* session.h: a loop, a scripted server and a client that talks to it, for tests. And the server in a process of its own, for
 * tests that make allocations fail: the server's must not.
 */
#ifndef KT_TESTS_KUBE_SESSION_H
#define KT_TESTS_KUBE_SESSION_H

#include "data/value.h"
#include "kube/client.h"
#include "kube/server.h"
#include "kube/verbs.h"
#include "loop/loop.h"

struct session {
    struct loop *loop;
    struct server *server; /* NULL: it runs in a child */
    struct kube_client *client;
    int child;
};

void session_start(struct session *session);
void session_end(struct session *session);
/* `set_up` gives the server its rules, in the child. */
void session_start_apart(struct session *session, void (*set_up)(struct server *server));
/* A new client to the same server. False: an allocation failed. */
bool session_client(struct session *session);
void session_drop_client(struct session *session);
/* Runs the loop until *done; a test that waits for longer than 10 s has failed. */
void session_until(struct session *session, const bool *done);
/* Runs it for a while in which something must not happen. */
void session_pass(struct session *session, int64_t ms);

/* The contents of a file below the case folder; free() it. */
char *session_case(const char *name);
/* What a verb answered, for tests. */
struct outcome {
    bool done;
    struct value *object;
    struct error error;
    struct kube_status status;
};
void outcome_take(void *outcome, struct value *object, const struct error *error, const struct kube_status *status);
void outcome_free(struct outcome *outcome);

#endif
