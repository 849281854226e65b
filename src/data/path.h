/* path.h: where something stands in a document, as people write it: spec.containers[0].image, spec.containers[name=web].image,
 * metadata.labels["app.kubernetes.io/name"]; a last index may be negative ([-1] is the last item).
 */
#ifndef KT_DATA_PATH_H
#define KT_DATA_PATH_H

#include "base/buf.h"
#include "base/error.h"
#include "data/value.h"

/* Sets *found to the part (borrowed), or to NULL where the document has none (that is no error). False with ERROR_INPUT for a path that
 * cannot be read; err says at which character and what was expected. */
bool path_find(const struct value *v, const char *path, struct value **found, struct error *err) __attribute__((warn_unused_result));

/* Is it a readable path? */
bool path_valid(const char *path, struct error *err);

/* Appends one more key to a path that is being written, with a dot or in ["..."] as needed. */
void path_append_key(struct buf *path, const char *key);
void path_append_index(struct buf *path, size_t index);

#endif
