/* session.h: which cluster, which namespace, and whether we may write there (docs/cli.md).
 *
 * Everything happens on the loop; the headless commands wait with session_wait, the UI does not wait.
 */
#ifndef KT_APP_SESSION_H
#define KT_APP_SESSION_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "kube/client.h"
#include "store/progress.h"

struct session_options {
    const char *kubeconfig, *context, *ns; /* from the command line, or NULL */
    bool practice;                         /* --practice */
    bool yes;                              /* --yes: no question before the first write */
    bool writes;                           /* the command creates things: consent and the namespace are needed */
    struct log *log;
    void (*on_terminal)(void *data, bool taken); /* kube_client_on_terminal, with the data of session_new; NULL: none */
};

enum session_state { SESSION_CONNECTING, SESSION_ASKING, SESSION_READY, SESSION_FAILED };

struct session;
/* Starts: kubeconfig, client, then server version, kube-system's uid, the namespace (made if it is ours to make and permitted). `changed` is called from the loop
 * whenever session_state changes. A failure to even begin (a broken kubeconfig, no cluster named at all) is a session in SESSION_FAILED; NULL only
 * without memory. Options are copied. */
struct session *session_new(struct loop *loop, struct progress *progress, const struct session_options *options, void (*changed)(void *data), void *data);
void session_free(struct session *session);
enum session_state session_state(const struct session *session);
const struct error *session_error(const struct session *session);
void session_consent(struct session *session, bool yes); /* answers SESSION_ASKING; no: SESSION_FAILED */
void session_retry(struct session *session);
struct kube_client *session_client(struct session *session); /* NULL before the kubeconfig was read */
const char *session_cluster_name(const struct session *session);   /* context's cluster */
const char *session_server(const struct session *session);
const char *session_version(const struct session *session);        /* "v1.37.2", "" before it is known */
const char *session_uid(const struct session *session);            /* of kube-system; where that may not be read, one of the server's address */
const char *session_namespace(const struct session *session);
const char *session_user(const struct session *session);           /* a DNS label made of the login name */
/* The sentence that is always shown: "cluster live (https://..., v1.37.2), namespace kubetutor-ann". Borrowed. */
const char *session_line(const struct session *session);

/* What a learner should know of this cluster before the first step, or NULL. Borrowed. */
const char *session_notice(const struct session *session);

/* Waits until it is READY or FAILED (asking on the terminal if it must and can), printing session_line and session_notice to stderr. False with err; its kind
 * decides the exit code (app maps: unreachable, denied, unauthenticated -> 4). */
bool session_wait(struct session *session, struct error *err) __attribute__((warn_unused_result));

#endif
