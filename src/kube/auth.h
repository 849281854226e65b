/* auth.h: the credentials that change: token files and credential plugins (exec). Those that never change are in the config.
 */
#ifndef KT_KUBE_AUTH_H
#define KT_KUBE_AUTH_H

#include "kube/config.h"
#include "loop/loop.h"

struct auth;

/* What a request authenticates with now; all borrowed until the loop runs again. NULL: not that way. */
struct credentials {
    const char *token;
    const char *username, *password;
    const char *certificate, *key; /* PEM */
};

/* changed: a plugin has ended; waiting requests look again. error NULL: it worked. `terminal` is called around a plugin that wants the
 * terminal. */
struct auth *auth_new(struct loop *loop, const struct kube_config *config, void (*changed)(void *data, const struct error *error),
                      void (*terminal)(void *data, bool taken), void *data, struct error *err) __attribute__((warn_unused_result));
void auth_free(struct auth *auth); /* a running plugin is ended */

enum auth_state { AUTH_READY, AUTH_WAIT, AUTH_FAILED };
/* READY: *credentials is filled. WAIT: a plugin runs; `changed` will be called. FAILED: err says why (a token file is gone). */
enum auth_state auth_look(struct auth *auth, struct credentials *credentials, struct error *err);
/* Counts up whenever other credentials came. */
unsigned auth_generation(const struct auth *auth);
/* The server refused what auth_generation says: forgets it. True if asking again can bring something else. */
bool auth_refused(struct auth *auth, unsigned generation);

#endif
