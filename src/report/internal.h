/* internal.h: what the formats share; inside report/ only.
 */
#ifndef KT_REPORT_INTERNAL_H
#define KT_REPORT_INTERNAL_H

#include "report/report.h"

void report_text(const struct report *report, bool colour, struct buf *out);
void report_json(const struct report *report, struct buf *out);
void report_junit(const struct report *report, struct buf *out);

/* How often each outcome occurs; lesson NULL: in all. */
enum { OUTCOMES = OUTCOME_SKIPPED + 1 };
void report_count(const struct report *report, const char *lesson, int counts[static OUTCOMES]);

/* "2.3" seconds with `digits` (1 or 3) after the point, whatever the locale writes there. */
void report_seconds(int64_t ms, int digits, struct buf *out);

/* An expectation in one line, as raw text: in the lesson's words where it has any, or (bare) in ours, which may be nothing. Hidden values
 * stay hidden. Into an empty buffer. */
void report_line(const struct expectation *expectation, bool bare, struct buf *line);

/* Frees a buffer that a part of the report was made in; if that failed, so has the report. */
void report_part_free(struct buf *part, struct buf *out);

const char *report_string(const char *string); /* "" for NULL */
extern const char report_hidden[];             /* what JSON and JUnit say in a hidden value's place */

enum { REPORT_LINE = 1 << 20, REPORT_BODY = 16 << 20 };

#endif
