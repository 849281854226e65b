/* json.h: JSON text to values and back (RFC 8259; the values are cJSON's nodes, the text is read strictly by json_read.c: see
 * docs/measured.md, "JSON").
 */
#ifndef KT_DATA_JSON_H
#define KT_DATA_JSON_H

#include "base/buf.h"
#include "base/error.h"
#include "data/value.h"

enum { JSON_DEPTH = 200 }; /* nesting that is accepted */

/* Parses one document, `length` bytes, nothing but white space after it. Integers of up to 64 bits stay exact; invalid UTF-8
 * becomes U+FFFD; \u0000 in a string becomes U+FFFD too (a C string cannot hold it); of duplicate keys the last counts.
 * `name` says what is parsed, for the error ("pods.json", "the answer of GET /api"); err->where is NAME:LINE:COLUMN.
 * ERROR_INPUT: not JSON; ERROR_LIMIT: too deep; ERROR_MEMORY. The caller frees the result. */
struct value *json_parse(const char *text, size_t length, const char *name, struct error *err) __attribute__((warn_unused_result));

/* Appends the document as text; compact, or indented by two spaces. Look at buf_ok afterwards. Output is always valid UTF-8 JSON. */
void json_print(const struct value *v, bool indented, struct buf *out);
/* The compact text; the caller frees (mem_free). NULL: no memory, or longer than maximum. */
char *json_text(const struct value *v, size_t maximum) __attribute__((warn_unused_result));
/* Appends a string with JSON quotes and escapes. */
void json_quote(const char *string, struct buf *out);
void json_escape(const char *string, struct buf *out); /* the same without the quotes */

#endif
