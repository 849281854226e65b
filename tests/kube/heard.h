/* heard.h: what a call told, for tests of the client; and clients made from pieces of a kubeconfig.
 */
#ifndef KT_TESTS_KUBE_HEARD_H
#define KT_TESTS_KUBE_HEARD_H

#include <stdbool.h>
#include <stddef.h>

#include "kube/client.h"

struct heard {
    bool done;
    unsigned done_count, data_count, head_count;
    int code;
    char content_type[64];
    char body[65536]; /* as much as fits of the answer, or of what on_data got */
    size_t length;    /* all of it */
    struct error error;
    struct kube_status status;
    bool ok;
    struct kube_call *call; /* for those that cancel themselves */
};

void heard_data(void *heard, const char *bytes, size_t length);
void heard_done(void *heard, const struct kube_answer *answer, const struct error *error, const struct kube_status *status);

/* A client for a server. cluster and user are lines of YAML flow mappings to put beside it ("tls-server-name: x"), or "". */
struct kube_client *client_for(struct loop *loop, const char *server, const char *cluster, const char *user);
/* Sends GET path and runs the loop until it is done. */
void get(struct kube_client *client, const char *path, struct heard *heard);
/* Runs the loop until *done, at most 20 s; else the test has failed. */
void until(struct kube_client *client, const bool *done);

#endif
