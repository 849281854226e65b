/* internal.h: a deletion of many objects, in parts, so that others are served in between.
 *
 *     struct collection *c = collection_delete_start(api, call, &answer);   NULL: refused, answer->failure says why
 *     while (collection_delete_step(c, 200)) ... let the loop run ...
 *     if (collection_failure(c) ...) else answer with a list of collection_objects(c) at collection_version(c);
 *     collection_free(c);
 *
 * The objects are those that the selectors chose at the start; what is gone meanwhile is passed over, the first other failure ends it (those
 * before it are deleted).
 */
#ifndef KT_PRACTICE_API_INTERNAL_H
#define KT_PRACTICE_API_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "practice/api/api.h"

struct collection;

/* The call (kind, namespace, selectors, options, user) must live as long as the collection; its kind is held. */
struct collection *collection_delete_start(struct api *api, struct call *call, struct answer *answer) __attribute__((warn_unused_result));
/* Deletes at most so many more. True: there are others. */
bool collection_delete_step(struct collection *collection, size_t maximum);
/* Its code is 0 if all went well so far. */
const struct status *collection_failure(const struct collection *collection);
/* What the answer lists: the objects as they were at the start (of struct object, borrowed), and the version of that list. */
const struct vec *collection_objects(const struct collection *collection);
uint64_t collection_version(const struct collection *collection);
void collection_free(struct collection *collection); /* NULL is fine */

#endif
