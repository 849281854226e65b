/* line_diff.h: unified diffs of texts, line by line, as Python's difflib makes them (and Go's port of it, which words the server's refusals).
 */
#ifndef KT_PRACTICE_SCHEMA_LINE_DIFF_H
#define KT_PRACTICE_SCHEMA_LINE_DIFF_H

#include "base/buf.h"

enum { DIFF_LINES = 20000 }; /* of each text; longer ones are not compared */

/* Appends the hunks with three lines of context; nothing if the texts are the same. False: no memory, or too long. */
bool line_diff(const char *from, const char *to, struct buf *out) __attribute__((warn_unused_result));

#endif
