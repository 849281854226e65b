/* revisions.h: ControllerRevisions, in which StatefulSets and DaemonSets keep the templates that they had (kube-controller-manager's history).
 */
#ifndef KT_PRACTICE_CONTROLLERS_REVISIONS_H
#define KT_PRACTICE_CONTROLLERS_REVISIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/controllers/owned.h"

extern const struct client_resource revisions_resource;

/* A list of documents, as owned_claim makes it, in the order of their revisions. */
void revisions_sort(struct vec *revisions);
const char *revision_name(const struct value *revision);
int64_t revision_number(const struct value *revision);

/* {"spec": {"template": {..., "$patch": "replace"}}}. The caller frees; NULL: no memory. */
struct value *revision_data(const struct value *template) __attribute__((warn_unused_result));
bool revision_has(const struct value *revision, const struct value *data);
/* The template that a revision keeps. The caller frees; NULL: no memory, or it keeps none. */
struct value *revision_template(const struct value *revision) __attribute__((warn_unused_result));

/* The hash of the data as it stands in JSON, with a number of collisions, which makes it another: the real one's. */
enum { REVISION_HASH = 16 };
bool revision_hash(const struct value *data, int64_t collisions, char out[static REVISION_HASH]) __attribute__((warn_unused_result)); /* false: no memory */

/* A revision of the maker's owner, not yet written: named OWNER-HASH, with the template's labels, `label` with the hash, and the owner's annotations. The caller frees; NULL: no memory. */
struct value *revision_new(const struct maker *maker, const struct value *data, int64_t number, const char *label, const char *hash) __attribute__((warn_unused_result));

#endif
