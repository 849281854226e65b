/* json_fault.h: what is wrong with a JSON text, in the words of Go's encoding/json, which the server's refusals quote.
 */
#ifndef KT_PRACTICE_API_JSON_FAULT_H
#define KT_PRACTICE_API_JSON_FAULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends `unexpected end of JSON input`, `invalid character '}' looking for beginning of value` ... False: the text is right, nothing is appended.
 */
bool json_fault(const char *text, size_t length, struct buf *out);

#endif
