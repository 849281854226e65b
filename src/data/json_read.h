/* json_read.h: JSON text to nodes, strictly.
 *
 * Not cJSON's parser: it takes more than JSON, loses some of what JSON can say, and with the scan in front of it and the mending
 * behind it that all this needed, it took twice as long (docs/measured.md has the figures).
 */
#ifndef KT_DATA_JSON_READ_H
#define KT_DATA_JSON_READ_H

#include "base/error.h"
#include "data/node.h"

/* As json_parse (json.h). */
cJSON *json_read(const char *text, size_t length, const char *name, struct error *err) __attribute__((warn_unused_result));

#endif
