/* pattern.h: regular expressions with a bound on the work that they may do (pcre2, UTF mode; the only place that knows it).
 */
#ifndef KT_DATA_PATTERN_H
#define KT_DATA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pattern; /* opaque */

/* Compiles a PCRE (UTF-8). Bytes that are not UTF-8 in a subject match as U+FFFD. ERROR_INPUT says what is wrong and where. */
struct pattern *pattern_new(const char *expression, struct error *err) __attribute__((warn_unused_result));
/* Compiles for bytes (no UTF), as Lua's patterns work; used by script/ for translated patterns. anchored: match at the start only. */
struct pattern *pattern_new_bytes(const char *expression, size_t length, bool anchored, struct error *err) __attribute__((warn_unused_result));
void pattern_free(struct pattern *pattern);

enum pattern_answer { PATTERN_NO, PATTERN_YES, PATTERN_FAILED };

enum { PATTERN_CAPTURES = 33 };
struct pattern_spans { /* [0] is the whole match, then the groups; start (size_t)-1: the group took no part */
    size_t count;
    struct { size_t start, end; } at[PATTERN_CAPTURES];
};
/* Searches from `offset`. spans may be NULL. PATTERN_FAILED with ERROR_LIMIT: it would take too long (catastrophic backtracking). */
enum pattern_answer pattern_search(const struct pattern *pattern, const char *subject, size_t length, size_t offset,
                                   struct pattern_spans *spans, struct error *err) __attribute__((warn_unused_result));

#endif
