/* The report as JUnit XML: a suite a lesson, a case a step. XML 1.0 has no way to write most control characters: U+FFFD stands for them. */
#include <inttypes.h>
#include <string.h>

#include "data/units.h"
#include "report/internal.h"
#include "text/width.h"

static bool is_xml(unsigned code_point)
{
    return (code_point >= 0x20 || code_point == '\t' || code_point == '\n') && code_point != 0xFFFE && code_point != 0xFFFF &&
           !(code_point >= 0x7F && code_point <= 0x9F);
}

/* In an attribute a parser would turn a line break into a space. */
static const char *escape_of(unsigned code_point, bool attribute)
{
    switch (code_point) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\n':
        return attribute ? "&#10;" : NULL;
    case '\t':
        return attribute ? "&#9;" : NULL;
    default:
        return is_xml(code_point) ? NULL : "\xEF\xBF\xBD";
    }
}

static void append(struct buf *out, const char *bytes, size_t length, bool attribute)
{
    for (size_t at = 0; at < length;) {
        unsigned code_point;
        char encoded[4];
        size_t used = utf8_decode(bytes + at, length - at, &code_point);
        const char *escape = escape_of(code_point, attribute);
        if (escape != NULL)
            buf_append_string(out, escape);
        else
            buf_append(out, encoded, utf8_encode(code_point, encoded));
        at += used;
    }
}

static void attribute(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, " %s=\"", name);
    append(out, value, strlen(value), true);
    buf_append_string(out, "\"");
}

static void seconds(struct buf *out, int64_t ms)
{
    buf_append_string(out, " time=\"");
    report_seconds(ms, 3, out);
    buf_append_string(out, "\"");
}

static void counts_of(const struct report *report, const char *lesson, struct buf *out)
{
    int counts[OUTCOMES], all = 0;
    report_count(report, lesson, counts);
    for (int i = 0; i < OUTCOMES; i++)
        all += counts[i];
    buf_printf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"", all, counts[OUTCOME_FAILED],
               counts[OUTCOME_ERROR] + counts[OUTCOME_UNREACHABLE], counts[OUTCOME_SKIPPED]);
}

static void property(struct buf *out, const char *name, const char *value)
{
    buf_append_string(out, "      <property");
    attribute(out, "name", name);
    attribute(out, "value", report_string(value));
    buf_append_string(out, "/>\n");
}

/* One expectation a line; of those that fail also our own words and the reason. */
static void lines_of(const struct verdict *verdict, bool only_failing, struct buf *lines)
{
    for (size_t i = 0; i < verdict->expectations.length; i++) {
        const struct expectation *e = verdict->expectations.items[i];
        struct buf line = buf_make(REPORT_LINE), bare = buf_make(REPORT_LINE);
        report_line(e, false, &line);
        report_line(e, true, &bare);
        const char *words = line.length > 0 ? line.bytes : "", *ours = bare.length > 0 ? bare.bytes : words;
        if (!e->holds || !only_failing) {
            buf_printf(lines, "%s%s\n", only_failing ? "" : e->holds ? "ok: " : "not ok: ", words);
            if (!e->holds && strcmp(words, ours) != 0)
                buf_printf(lines, "  %s\n", ours);
            if (!e->holds && e->why[0] != '\0')
                buf_printf(lines, "  why: %s\n", e->why);
            if (!e->holds && e->where[0] != '\0')
                buf_printf(lines, "  at %s\n", e->where);
        }
        report_part_free(&line, lines);
        report_part_free(&bare, lines);
    }
}

/* "Deployment my-nginx: spec.replicas is 2, wanted 3 (and 2 more)", else what was said of the whole step */
static void failure_message(const struct verdict *verdict, struct buf *message)
{
    size_t failing = 0;
    for (size_t i = 0; i < verdict->expectations.length; i++) {
        const struct expectation *e = verdict->expectations.items[i];
        if (!e->holds && failing++ == 0)
            report_line(e, false, message);
    }
    if (failing > 1)
        buf_printf(message, " (and %zu more)", failing - 1);
    if (failing == 0)
        buf_append_string(message, verdict->error.message);
}

static void element(struct buf *out, const char *name, const char *message, const char *type, const struct buf *body)
{
    buf_printf(out, "      <%s", name);
    attribute(out, "message", message);
    if (type != NULL)
        attribute(out, "type", type);
    if (body->length == 0) {
        buf_append_string(out, "/>\n");
        return;
    }
    buf_append_string(out, ">");
    append(out, body->bytes, body->length, false);
    buf_printf(out, "</%s>\n", name);
}

/* Cause and place of an error, if it has any. */
static void details_of(const struct error *error, struct buf *lines)
{
    const char *const details[] = {error->cause, error->where};
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        if (details[i][0] != '\0')
            buf_printf(lines, "%s\n", details[i]);
    }
}

static void print_failure(const struct verdict *verdict, struct buf *out)
{
    struct buf message = buf_make(REPORT_LINE), body = buf_make(REPORT_BODY);
    failure_message(verdict, &message);
    if (verdict->error.message[0] != '\0')
        buf_printf(&body, "%s\n", verdict->error.message);
    details_of(&verdict->error, &body);
    lines_of(verdict, true, &body);
    element(out, "failure", message.length > 0 ? message.bytes : "", "expectation", &body);
    report_part_free(&message, out);
    report_part_free(&body, out);
}

static void print_error(const struct verdict *verdict, struct buf *out)
{
    struct buf body = buf_make(REPORT_LINE);
    const struct error *error = &verdict->error;
    bool skipped = verdict->outcome == OUTCOME_SKIPPED;
    details_of(error, &body);
    element(out, skipped ? "skipped" : "error", error->message, skipped ? NULL : outcome_name(verdict->outcome), &body);
    report_part_free(&body, out);
}

/* The step, or its title where a step is judged several times (selftest): readers tell cases apart by their names. */
static const char *case_name(const struct report *report, const struct report_step *step)
{
    for (size_t i = 0; i < report->steps.length; i++) {
        const struct report_step *other = report->steps.items[i];
        if (other != step && step->title[0] != '\0' && strcmp(other->lesson, step->lesson) == 0 && strcmp(other->step, step->step) == 0)
            return step->title;
    }
    return step->step[0] != '\0' ? step->step : step->lesson;
}

static void print_case(const struct report *report, const struct report_step *step, struct buf *out)
{
    struct buf all = buf_make(REPORT_BODY);
    buf_append_string(out, "    <testcase");
    attribute(out, "name", case_name(report, step));
    attribute(out, "classname", step->lesson);
    seconds(out, step->duration_ms);
    buf_append_string(out, ">\n");
    if (step->verdict->outcome == OUTCOME_FAILED)
        print_failure(step->verdict, out);
    else if (step->verdict->outcome != OUTCOME_PASSED)
        print_error(step->verdict, out);
    if (step->title[0] != '\0')
        buf_printf(&all, "%s\n", step->title);
    lines_of(step->verdict, false, &all);
    if (all.length > 0) {
        buf_append_string(out, "      <system-out>");
        append(out, all.bytes, all.length, false);
        buf_append_string(out, "</system-out>\n");
    }
    buf_append_string(out, "    </testcase>\n");
    report_part_free(&all, out);
}

static void print_suite(const struct report *report, size_t first, struct buf *out)
{
    const char *lesson = ((const struct report_step *)report->steps.items[first])->lesson;
    int64_t ms = 0;
    char started[21];
    for (size_t i = first; i < report->steps.length; i++) {
        const struct report_step *step = report->steps.items[i];
        ms += strcmp(step->lesson, lesson) == 0 ? step->duration_ms : 0;
    }
    time_print(report->started_ms, started);
    buf_append_string(out, "  <testsuite");
    attribute(out, "name", lesson);
    counts_of(report, lesson, out);
    seconds(out, ms);
    attribute(out, "timestamp", started);
    buf_append_string(out, ">\n    <properties>\n");
    property(out, "cluster.name", report->cluster_name);
    property(out, "cluster.server", report->cluster_server);
    property(out, "cluster.version", report->cluster_version);
    property(out, "cluster.uid", report->cluster_uid);
    property(out, "namespace", report->ns);
    buf_append_string(out, "    </properties>\n");
    for (size_t i = first; i < report->steps.length; i++) {
        const struct report_step *step = report->steps.items[i];
        if (strcmp(step->lesson, lesson) == 0)
            print_case(report, step, out);
    }
    buf_append_string(out, "  </testsuite>\n");
}

/* True if no earlier step is of the same lesson. */
static bool begins_suite(const struct report *report, size_t at)
{
    const struct report_step *step = report->steps.items[at];
    for (size_t i = 0; i < at; i++) {
        const struct report_step *earlier = report->steps.items[i];
        if (strcmp(earlier->lesson, step->lesson) == 0)
            return false;
    }
    return true;
}

void report_junit(const struct report *report, struct buf *out)
{
    buf_append_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kubetutor\"");
    counts_of(report, NULL, out);
    seconds(out, report->duration_ms);
    buf_append_string(out, ">\n");
    for (size_t i = 0; i < report->steps.length; i++) {
        if (begins_suite(report, i))
            print_suite(report, i, out);
    }
    buf_append_string(out, "</testsuites>\n");
}
