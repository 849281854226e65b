/* definitions.h: CustomResourceDefinitions at work: names accepted or in conflict, kinds in the registry, conditions, and the
 * removal of everything when one goes.
 */
#ifndef KT_PRACTICE_API_DEFINITIONS_H
#define KT_PRACTICE_API_DEFINITIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/api.h"

struct definitions;

/* Serves the definitions that the state holds, and follows their changes (a state watch). After a definition was created its
 * conditions come as the real server gives them, a moment later, and discovery and OpenAPI know it. Deleting one deletes its
 * objects first (finalizer customresourcecleanup.apiextensions.k8s.io, condition Terminating), in parts of a round. */
struct definitions *definitions_new(struct api *api, struct error *err) __attribute__((warn_unused_result));
void definitions_free(struct definitions *definitions);
/* Looks at changes now instead of in the next round (at the start, after a load). */
bool definitions_settle(struct definitions *definitions, struct error *err) __attribute__((warn_unused_result));

#endif
