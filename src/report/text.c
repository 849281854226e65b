/* The report for people: a line a step, and under it what is not as it should be. */
#include <langinfo.h>
#include <string.h>

#include "base/lang.h"
#include "report/internal.h"
#include "text/safe.h"

enum colour { PLAIN, GREEN, RED, YELLOW, BOLD, MUTED };
static const char *const sgr[] = {
    [PLAIN] = "", [GREEN] = "\033[32m", [RED] = "\033[31m", [YELLOW] = "\033[33m", [BOLD] = "\033[1m", [MUTED] = "\033[2m"};

/* A mark in UTF-8, and its stand-in of the same width. */
static const struct {
    const char *utf8, *ascii;
    enum colour colour;
    const char *word; /* between the step and its error; NULL: none */
} marks[] = {
    [OUTCOME_PASSED] = {"✓", "+", GREEN, NULL},          [OUTCOME_FAILED] = {"✗", "x", RED, NULL},
    [OUTCOME_ERROR] = {"!", "!", YELLOW, N_("error")},   [OUTCOME_UNREACHABLE] = {"!", "!", YELLOW, N_("unreachable")},
    [OUTCOME_SKIPPED] = {"–", "-", MUTED, N_("skipped")},
};

struct printer {
    struct buf *out;
    bool colour, utf8;
};

static void say(const struct printer *printer, enum colour colour, const char *text)
{
    bool coloured = printer->colour && colour != PLAIN;
    if (coloured)
        buf_append_string(printer->out, sgr[colour]);
    safe_append(printer->out, text, strlen(text), SAFE_ONE_LINE);
    if (coloured)
        buf_append_string(printer->out, "\033[0m");
}

static void mark(const struct printer *printer, enum outcome outcome)
{
    say(printer, marks[outcome].colour, printer->utf8 ? marks[outcome].utf8 : marks[outcome].ascii);
    buf_append_string(printer->out, " ");
}

static void new_line(const struct printer *printer, int indent)
{
    buf_printf(printer->out, "\n%*s", indent, "");
}

/* From symptom to cause, a line each, deeper and deeper. */
static void print_why(const struct printer *printer, const char *why)
{
    for (int indent = 6; *why != '\0'; indent += 2) {
        size_t length = strcspn(why, "\n");
        new_line(printer, indent);
        if (indent == 6) {
            say(printer, BOLD, _("why:"));
            buf_append_string(printer->out, " ");
        }
        safe_append(printer->out, why, length, SAFE_ONE_LINE);
        why += length + (why[length] == '\n');
    }
}

/* "Deployment my-nginx: spec.replicas is 2, wanted 3" in our words below the lesson's, and the reason. */
static void print_failing(const struct printer *printer, const struct expectation *expectation)
{
    struct buf line = buf_make(REPORT_LINE), bare = buf_make(REPORT_LINE);
    report_line(expectation, false, &line);
    report_line(expectation, true, &bare);
    new_line(printer, 4);
    mark(printer, OUTCOME_FAILED);
    say(printer, PLAIN, line.length > 0 ? line.bytes : "");
    if (bare.length > 0 && line.length > 0 && strcmp(line.bytes, bare.bytes) != 0) {
        new_line(printer, 6);
        say(printer, PLAIN, bare.bytes);
    }
    print_why(printer, expectation->why);
    report_part_free(&line, printer->out);
    report_part_free(&bare, printer->out);
}

/* Why it was not judged; a step that failed may have such a sentence, too (selftest's do). */
static void print_error(const struct printer *printer, enum outcome outcome, const struct error *error)
{
    const char *word = marks[outcome].word;
    if (word == NULL && error->message[0] == '\0')
        return;
    new_line(printer, 4);
    if (word != NULL)
        say(printer, marks[outcome].colour, _(word));
    if (word != NULL && error->message[0] != '\0')
        buf_append_string(printer->out, ": ");
    say(printer, PLAIN, error->message);
    const char *const details[] = {error->cause, error->where};
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        if (details[i][0] == '\0' || strstr(error->message, details[i]) != NULL)
            continue;
        new_line(printer, 6);
        say(printer, MUTED, details[i]);
    }
}

static void print_step(const struct printer *printer, const struct report_step *step)
{
    const struct verdict *verdict = step->verdict;
    struct buf name = buf_make(REPORT_LINE);
    buf_printf(&name, "%s%s%s", step->lesson, step->step[0] != '\0' ? "/" : "", step->step);
    mark(printer, verdict->outcome);
    say(printer, BOLD, name.length > 0 ? name.bytes : "");
    report_part_free(&name, printer->out);
    if (step->title[0] != '\0') {
        buf_append_string(printer->out, "  ");
        say(printer, PLAIN, step->title);
    }
    if (verdict->outcome != OUTCOME_PASSED)
        print_error(printer, verdict->outcome, &verdict->error);
    for (size_t i = 0; i < verdict->expectations.length && verdict->outcome == OUTCOME_FAILED; i++) {
        const struct expectation *expectation = verdict->expectations.items[i];
        if (!expectation->holds)
            print_failing(printer, expectation);
    }
    buf_append_string(printer->out, "\n");
}

static void print_cluster(const struct printer *printer, const struct report *report)
{
    const char *const parts[] = {report_string(report->cluster_name), report_string(report->cluster_server),
                                 report_string(report->cluster_version)};
    const char *ns = report_string(report->ns);
    if (parts[0][0] == '\0' && parts[1][0] == '\0')
        return;
    say(printer, MUTED, _("cluster"));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i][0] == '\0')
            continue;
        buf_append_string(printer->out, " ");
        say(printer, i == 0 ? PLAIN : MUTED, parts[i]);
    }
    if (ns[0] != '\0') {
        buf_append_string(printer->out, ", ");
        say(printer, MUTED, _("namespace"));
        buf_append_string(printer->out, " ");
        say(printer, PLAIN, ns);
    }
    buf_append_string(printer->out, "\n\n");
}

static void print_summary(const struct printer *printer, const struct report *report)
{
    static const char *const words[] = {
        [OUTCOME_PASSED] = N_("%d passed"),           [OUTCOME_FAILED] = N_("%d failed"),   [OUTCOME_ERROR] = N_("%d with an error"),
        [OUTCOME_UNREACHABLE] = N_("%d unreachable"), [OUTCOME_SKIPPED] = N_("%d skipped"),
    };
    int counts[OUTCOMES], shown = 0;
    report_count(report, NULL, counts);
    buf_append_string(printer->out, "\n");
    for (int i = 0; i < OUTCOMES; i++) {
        if (counts[i] == 0)
            continue;
        buf_append_string(printer->out, shown++ > 0 ? ", " : "");
        if (printer->colour)
            buf_append_string(printer->out, sgr[marks[i].colour]);
        buf_printf(printer->out, _(words[i]), counts[i]);
        if (printer->colour)
            buf_append_string(printer->out, "\033[0m");
    }
    if (shown == 0)
        buf_append_string(printer->out, _("nothing was checked"));
    buf_append_string(printer->out, " (");
    report_seconds(report->duration_ms, 1, printer->out);
    buf_append_string(printer->out, " s)\n");
}

void report_text(const struct report *report, bool colour, struct buf *out)
{
    struct printer printer = {out, colour, strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    print_cluster(&printer, report);
    for (size_t i = 0; i < report->steps.length; i++)
        print_step(&printer, report->steps.items[i]);
    print_summary(&printer, report);
}
