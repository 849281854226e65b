/* report.h: verdicts of a headless command as text, JSON and JUnit (docs/formats.md).
 */
#ifndef KT_REPORT_REPORT_H
#define KT_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "lesson/run.h"

/* One judged step. Strings owned by the report. */
struct report_step {
    char *lesson, *step, *title;
    struct verdict *verdict; /* owned */
    int64_t duration_ms;
};
struct report { /* strings are owned, NULL counts as "" */
    char *command;                         /* "check", "selftest", "play" */
    char *cluster_name, *cluster_server, *cluster_version, *cluster_uid, *ns;
    int64_t started_ms;                    /* wall */
    int64_t duration_ms;
    struct vec steps;                      /* of struct report_step, at most REPORT_STEPS */
};
enum { REPORT_STEPS = 20000 };
void report_init(struct report *report);
void report_free(struct report *report);
bool report_add(struct report *report, const char *lesson, const char *step, const char *title, struct verdict *verdict, int64_t duration_ms)
    __attribute__((warn_unused_result)); /* takes the verdict over, also on failure; false: no memory (a NULL verdict is that, too), or full */

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_JUNIT };
bool report_format_parse(const char *name, enum report_format *format); /* "text", "json", "junit" */
/* Appends the whole report; look at buf_ok afterwards. Text is in the current language, safe for a terminal, coloured if asked, with ASCII
 * marks where the locale is not UTF-8. JSON and JUnit are valid whatever bytes a cluster or a lesson put into the strings; their words are
 * stable, but for what the checks themselves say. */
void report_print(const struct report *report, enum report_format format, bool colour, struct buf *out);
/* cli.md's exit code: 0, 1, 3, 4 (3 before 4 before 1). Where steps were skipped and none passed it is 1: nothing was shown to be right. */
int report_exit_code(const struct report *report);
/* The code that two exit codes come to: 130 before 2 before 3 before 4 before 1 before 0. */
int report_join_codes(int a, int b);

#endif
