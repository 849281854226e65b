/* go_print.h: values as Go prints them in the server's messages. For this folder only.
 */
#ifndef KT_PRACTICE_SCHEMA_GO_PRINT_H
#define KT_PRACTICE_SCHEMA_GO_PRINT_H

#include "base/buf.h"
#include "data/value.h"

/* %v of what a document is decoded into: map[a:1 b:[x y]], keys sorted, texts without quotes, <nil>. */
void go_print(const struct value *v, struct buf *out);
/* %#v: map[string]interface {}{"a":1}. */
void go_print_syntax(const struct value *v, struct buf *out);
/* %q of a text. */
void go_quote(const char *text, struct buf *out);
/* %s of reflect.TypeOf: "map[string]interface {}". */
const char *go_type(const struct value *v);

#endif
