/* patch.h: strategic merge patch (apimachinery's util/strategicpatch): merge keys, $patch, $deleteFromPrimitiveList,
 * $setElementOrder, $retainKeys. JSON and merge patches need no schema: data/patch.h.
 */
#ifndef KT_PRACTICE_SCHEMA_PATCH_H
#define KT_PRACTICE_SCHEMA_PATCH_H

#include "base/error.h"
#include "data/value.h"
#include "practice/schema/schema.h"

/* The document with the patch laid over it, a new value; the two given stay as they are. schema is that of the whole
 * document, which must be one that was decoded. What comes out may hold what no object of the kind does: it is to be decoded
 * again. ERROR_INPUT: a patch that cannot be (400, the message is the real server's); ERROR_INVALID: one that does not fit
 * the document (422); ERROR_INTERNAL: one that the real server answers with 500, too, and the message that it has then (`map:
 * map[image:nginx] does not contain declared merge key: name`); ERROR_MEMORY. */
struct value *patch_strategic(const struct value *document, const struct value *patch, const struct schema *schema,
                              struct error *err) __attribute__((warn_unused_result));

#endif
