#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "report/internal.h"

const char report_hidden[] = "(hidden)";

static void free_step(void *item)
{
    struct report_step *step = item;
    if (step == NULL)
        return;
    mem_free(step->lesson);
    mem_free(step->step);
    mem_free(step->title);
    verdict_free(step->verdict);
    mem_free(step);
}

void report_init(struct report *report)
{
    *report = (struct report){.steps = vec_make(REPORT_STEPS, free_step)};
}

void report_free(struct report *report)
{
    char *const owned[] = {report->command,         report->cluster_name, report->cluster_server,
                           report->cluster_version, report->cluster_uid,  report->ns};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    vec_free(&report->steps);
    report_init(report);
}

bool report_add(struct report *report, const char *lesson, const char *step, const char *title, struct verdict *verdict, int64_t duration_ms)
{
    struct report_step *added = mem_zero(1, sizeof *added);
    if (added == NULL) {
        verdict_free(verdict);
        return false;
    }
    *added = (struct report_step){mem_string(lesson), mem_string(step), mem_string(title), verdict, duration_ms};
    if (added->lesson != NULL && added->step != NULL && added->title != NULL && verdict != NULL)
        return vec_push(&report->steps, added);
    free_step(added);
    return false;
}

static const char *const formats[] = {[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_JUNIT] = "junit"};

bool report_format_parse(const char *name, enum report_format *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(name, formats[i]) == 0) {
            *format = (enum report_format)i;
            return true;
        }
    }
    return false;
}

void report_print(const struct report *report, enum report_format format, bool colour, struct buf *out)
{
    switch (format) {
    case REPORT_TEXT:
        report_text(report, colour, out);
        break;
    case REPORT_JSON:
        report_json(report, out);
        break;
    case REPORT_JUNIT:
        report_junit(report, out);
        break;
    }
}

void report_count(const struct report *report, const char *lesson, int counts[static OUTCOMES])
{
    memset(counts, 0, OUTCOMES * sizeof *counts);
    for (size_t i = 0; i < report->steps.length; i++) {
        const struct report_step *step = report->steps.items[i];
        if (lesson == NULL || strcmp(step->lesson, lesson) == 0)
            counts[step->verdict->outcome]++;
    }
}

int report_exit_code(const struct report *report)
{
    int counts[OUTCOMES];
    report_count(report, NULL, counts);
    int code = counts[OUTCOME_FAILED] > 0 || (counts[OUTCOME_SKIPPED] > 0 && counts[OUTCOME_PASSED] == 0);
    code = report_join_codes(code, counts[OUTCOME_UNREACHABLE] > 0 ? 4 : 0);
    return report_join_codes(code, counts[OUTCOME_ERROR] > 0 ? 3 : 0);
}

int report_join_codes(int a, int b)
{
    static const int order[] = {130, 2, 3, 4, 1};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a > b ? a : b;
}

void report_seconds(int64_t ms, int digits, struct buf *out)
{
    if (ms < 0)
        ms = 0;
    int64_t unit = digits == 1 ? 100 : 1;
    ms = (ms + unit / 2) / unit * unit;
    buf_printf(out, "%" PRId64 ".%0*" PRId64, ms / 1000, digits, ms % 1000 / unit);
}

void report_line(const struct expectation *expectation, bool bare, struct buf *line)
{
    struct expectation shown = *expectation;
    char hidden[64]; /* the fields are not const */
    snprintf(hidden, sizeof hidden, "%s", _("(hidden)"));
    if (shown.hidden)
        shown.expected = shown.actual = hidden;
    if (bare)
        shown.text = (struct both){0};
    expectation_print(&shown, line);
    if (line->length == 0 && !bare) /* expect(condition), unexplained */
        buf_printf(line, shown.holds ? _("the condition at %s holds") : _("the condition at %s does not hold"), shown.where);
}

void report_part_free(struct buf *part, struct buf *out)
{
    out->failed = out->failed || part->failed;
    buf_free(part);
}

const char *report_string(const char *string)
{
    return string != NULL ? string : "";
}
