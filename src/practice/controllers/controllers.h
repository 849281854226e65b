/* controllers.h: the controllers, each in a file with one entry in the table of controllers.c.
 */
#ifndef KT_PRACTICE_CONTROLLERS_CONTROLLERS_H
#define KT_PRACTICE_CONTROLLERS_CONTROLLERS_H

#include "base/error.h"
#include "practice/work/place.h"

struct controllers;

/* Starts them all on the API's loop, through clients of their own identities; place->client is not used. */
struct controllers *controllers_new(const struct place_of_work *place, struct error *err) __attribute__((warn_unused_result));
/* Only those without which the API itself would not be right: ServiceAccounts, root CA, namespaces, garbage, quotas, aggregated roles. */
struct controllers *controllers_new_for_api(const struct place_of_work *place, struct error *err) __attribute__((warn_unused_result));
void controllers_free(struct controllers *controllers);

#endif
