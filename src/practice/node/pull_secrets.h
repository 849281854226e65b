/* pull_secrets.h: credentials for registries from a Pod's imagePullSecrets.
 */
#ifndef KT_PRACTICE_NODE_PULL_SECRETS_H
#define KT_PRACTICE_NODE_PULL_SECRETS_H

#include "practice/node/pod.h"

enum { PULL_CREDENTIALS = 100 };
struct pull_credentials {
    char *registry, *user, *password;
};
void pull_credentials_free(void *credentials);

/* Appends them, in the Secrets' order; *missing gets the names of those that are not there, joined by ", " (the caller frees; NULL: none). What is no such configuration is passed over. False: no memory. */
bool pull_secrets_read(const struct pod_worker *worker, const struct value *document, struct vec *credentials, char **missing) __attribute__((warn_unused_result));

#endif
