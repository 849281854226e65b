/* regex.h: the regular expressions of grep, sed, expr and [[: POSIX basic and extended ones, put into the form that data/pattern.h knows. Of alternatives the first that matches counts, not the
 * longest, which is where this differs from POSIX.
 */
#ifndef KT_PRACTICE_SIM_REGEX_H
#define KT_PRACTICE_SIM_REGEX_H

#include "data/pattern.h"
#include "practice/sim/kernel.h"

enum { REGEX_EXTENDED = 1, REGEX_FIXED = 2, REGEX_IGNORE_CASE = 4, REGEX_WORD = 8, REGEX_WHOLE_LINE = 16, REGEX_LENGTH = 4096 };
struct regex;
/* NULL: it was told by the task's program (NULL: silently). */
struct regex *regex_new(const char *expression, unsigned flags, struct task *task) __attribute__((warn_unused_result));
void regex_free(struct regex *regex);
bool regex_find(const struct regex *regex, const char *text, size_t length, size_t from, struct pattern_spans *spans);

#endif
