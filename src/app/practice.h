/* practice.h: the practice cluster as the program sees it: where its files are, who serves it, starting and ending it.
 *
 * One process serves it for all tutors of a user. It holds a lock (flock) on $XDG_RUNTIME_DIR/kubetutor/practice.lock as long
 * as it lives, so that a dead one is known by the kernel, never by a pid; what stands in that file (pid, port) counts only
 * while the lock is held.
 *
 * $XDG_STATE_HOME/kubetutor/practice/ holds state.db, the keys and certificates (0600), the learner's kubeconfig (0600) and the
 * log of the server.
 */
#ifndef KT_APP_PRACTICE_H
#define KT_APP_PRACTICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "loop/loop.h"

/* ---- practice_files.c ---- */

/* PRACTICE_FOLDER/name; the folder is made. The caller frees. */
char *practice_file(const char *name, struct error *err) __attribute__((warn_unused_result));

/* Keys and certificates, PEM, all owned. Made where they are missing or run out within a month. */
struct practice_keys {
    char *authority, *authority_key;
    char *server, *server_key;
    char *client, *client_key; /* system:masters */
    char *token_key;           /* signs ServiceAccount tokens */
};
bool practice_keys_get(struct practice_keys *keys, struct error *err) __attribute__((warn_unused_result));
void practice_keys_free(struct practice_keys *keys); /* wipes the secrets */

enum { PRACTICE_PORT = 6440 /* where it listens if that is free: a kubeconfig that somebody copied stays right */ };

/* Writes the kubeconfig for this port; its path, the caller frees. */
char *practice_write_kubeconfig(const struct practice_keys *keys, uint16_t port, struct error *err)
    __attribute__((warn_unused_result));
char *practice_kubeconfig(struct error *err) __attribute__((warn_unused_result)); /* its path */

/* ---- practice_start.c ---- */

/* The lock of the one that serves. -1: ERROR_EXISTS, another one has it. The descriptor is held until the process ends. */
int practice_lock(struct error *err) __attribute__((warn_unused_result));
bool practice_lock_say(int lock, uint16_t port, struct error *err)
    __attribute__((warn_unused_result)); /* from now on practice_find finds it */

struct practice_found {
    bool serving; /* the lock is held */
    bool ready;   /* and it said where it listens */
    pid_t pid;
    uint16_t port;
};
/* Looks, without waiting. */
bool practice_find(struct practice_found *found, struct error *err) __attribute__((warn_unused_result));

struct practice_options {
    bool ephemeral, api_only;
    const char *idle;                       /* as --idle takes it; NULL: never */
    const char *nodes, *speed, *clock_rate; /* as the options take them; NULL: the usual */
};
/* Finds it, or starts it and waits until it is ready (10 s at most); done is called once from the loop, error NULL when it
 * serves. NULL: err, done is not called. */
struct practice_start;
struct practice_start *practice_start(struct loop *loop, const struct practice_options *options,
                                      void (*done)(void *data, const struct error *error), void *data, struct error *err)
    __attribute__((warn_unused_result));
void practice_start_cancel(struct practice_start *start); /* done is not called; the server goes on. NULL is fine */

/* For the server: says to who started it that it is ready (or why not), and nothing if nobody waits. */
void practice_say_ready(const struct error *error);

/* Asks it to end and waits until the lock is free; one that does not listen is killed after 10 s. True also if none was there;
 * *was says which. */
bool practice_stop(bool *was, struct error *err) __attribute__((warn_unused_result));

#endif
