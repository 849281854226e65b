/* client_internal.h: what client.c and informer.c share.
 */
#ifndef KT_PRACTICE_API_CLIENT_INTERNAL_H
#define KT_PRACTICE_API_CLIENT_INTERNAL_H

#include "practice/api/api.h"
#include "practice/api/client.h"

struct client {
    struct api *api;
    struct user user;
    char *manager;
    char *refusal; /* the last one's message, if no error can hold it; or NULL */
};

/* ERROR_DENIED in words of a 403. */
bool client_allowed(const struct client *client, const struct client_resource *resource, const char *verb, const char *sub, const char *ns,
                    const char *name, struct error *err);
/* ERROR_NOT_FOUND if it is not served. */
const struct schema_kind *client_kind(const struct client *client, const struct client_resource *resource, struct error *err);

#endif
