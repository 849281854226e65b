/* crd_path.h: the JSONPath of printer columns (client-go's util/jsonpath): fields, indexes, slices, wildcards, descent, unions,
 * filters. For this folder only.
 */
#ifndef KT_PRACTICE_SCHEMA_CRD_PATH_H
#define KT_PRACTICE_SCHEMA_CRD_PATH_H

#include <stdbool.h>

#include "base/vec.h"
#include "data/value.h"

enum { CRD_PATH_RESULTS = 10000 };

/* What it finds in a document, borrowed, in a list made with vec_make(CRD_PATH_RESULTS, NULL). False: it cannot be followed
 * (the real server shows no value then), or no memory. */
bool crd_path_find(const char *path, const struct value *document, struct vec *found);

#endif
