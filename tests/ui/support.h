/* support.h: lines of a view as text, to compare. */
#ifndef KT_TESTS_UI_SUPPORT_H
#define KT_TESTS_UI_SUPPORT_H

#include "base/vec.h"
#include "ui/lines.h"

/* Every line's text, a newline after each. With roles, a piece that is not plain text stands in brackets: "[good:✓ ]". The caller frees (mem_free). */
char *lines_dump(const struct vec *lines, bool roles);
/* True if every line is at most so wide, and its spans lie in it, in order. */
bool lines_sound(const struct vec *lines, size_t columns);

#endif
