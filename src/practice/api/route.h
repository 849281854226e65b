/* route.h: what a path names, and what a method does there.
 *
 * Two steps, as in the real server: first the path alone is cut (apiserver's RequestInfo: this is what access rules speak about, whether or not such
 * a resource exists), then the kind behind it is found (404, 405).
 */
#ifndef KT_PRACTICE_API_ROUTE_H
#define KT_PRACTICE_API_ROUTE_H

#include <stdbool.h>

#include "practice/api/access.h"
#include "practice/api/registry.h"
#include "practice/api/status.h"

struct route {
    char *path;  /* decoded, without slashes at its end (but for "/"); owned, as the next two */
    char *asked; /* decoded, as it came: what access rules speak about */
    char *parts;
    bool slash;                                                       /* there was a slash at the end */
    bool is_resource;                                                 /* the next ones; false: a path like /healthz or /apis */
    const char *group, *version, *resource, *subresource, *ns, *name; /* "" where there is none */
    const char *rest;                                                 /* what follows the subresource, "" (proxy) */
    bool old_watch;                                                   /* /api/v1/watch/...: a GET is a watch */
    /* after route_find: */
    const struct schema_kind *kind;
    const struct schema_subresource *sub; /* NULL: the object itself */
    enum schema_verb verb;                /* VERB_WATCH for a watch */
};

/* False: malformed (400), no memory. */
bool route_parse(const char *path, struct route *out, struct status *failure);
void route_free(struct route *route);

/* The verb that access rules call it: "list", "deletecollection" ..., or the method in small letters for other paths; in `out`. watch: the query asks
 * for one. name: that a watch or a list is about, by its field selector (NULL: none). */
enum { ROUTE_VERB = 32 };
void route_attributes(const struct route *route, const char *method, bool watch, const char *name, char out[static ROUTE_VERB],
                      struct attributes *attributes);

/* True for paths below /api, /version and the groups that are served: what is not there is refused with a Status, elsewhere with a text. */
bool route_is_below_group(const struct route *route, const struct registry *registry);
/* Finds kind, subresource and verb. False: 404 or 405; *plain is set where the real server answers `404 page not found` as text. */
bool route_find(struct route *route, const struct registry *registry, const char *method, bool watch, struct status *failure, bool *plain);

#endif
