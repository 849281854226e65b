/* keeper.h: what a cluster must always have is made again when it is deleted: Service default/kubernetes and where it leads, as the real server does
 * it.
 */
#ifndef KT_PRACTICE_API_KEEPER_H
#define KT_PRACTICE_API_KEEPER_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/api.h"

struct keeper;

/* Follows the state from now on. */
struct keeper *keeper_new(struct api *api, struct error *err) __attribute__((warn_unused_result));
void keeper_free(struct keeper *keeper); /* NULL is fine */

#endif
