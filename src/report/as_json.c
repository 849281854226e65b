/* The report as our own JSON, version 1: fields are added, never renamed or removed. Written straight out, so that it needs no memory but
 * the buffer. */
#include <inttypes.h>
#include <string.h>

#include "data/json.h"
#include "data/units.h"
#include "report/internal.h"

enum { VERSION = 1 };

struct writer {
    struct buf *out;
    int depth;
    bool first; /* nothing stands in the current object or list yet */
};

static void next(struct writer *writer, const char *key)
{
    buf_printf(writer->out, "%s\n%*s", writer->first ? "" : ",", writer->depth * 2, "");
    writer->first = false;
    if (key != NULL) {
        json_quote(key, writer->out);
        buf_append_string(writer->out, ": ");
    }
}

static void begin(struct writer *writer, const char *key, const char *bracket)
{
    if (writer->depth > 0)
        next(writer, key);
    buf_append_string(writer->out, bracket);
    writer->depth++;
    writer->first = true;
}

static void end(struct writer *writer, const char *bracket)
{
    writer->depth--;
    if (!writer->first)
        buf_printf(writer->out, "\n%*s", writer->depth * 2, "");
    buf_append_string(writer->out, bracket);
    writer->first = false;
}

static void text(struct writer *writer, const char *key, const char *value) /* NULL: null */
{
    next(writer, key);
    if (value != NULL)
        json_quote(value, writer->out);
    else
        buf_append_string(writer->out, "null");
}

static void number(struct writer *writer, const char *key, int64_t value)
{
    next(writer, key);
    buf_printf(writer->out, "%" PRId64, value);
}

static void flag(struct writer *writer, const char *key, bool value)
{
    next(writer, key);
    buf_append_string(writer->out, value ? "true" : "false");
}

static void object(struct writer *writer, const struct expectation *expectation)
{
    if (expectation->kind[0] == '\0') { /* expect(condition): about no object */
        text(writer, "object", NULL);
        return;
    }
    begin(writer, "object", "{");
    text(writer, "kind", expectation->kind);
    text(writer, "name", expectation->name);
    text(writer, "resource", expectation->resource);
    text(writer, "uid", expectation->uid);
    text(writer, "resourceVersion", expectation->resource_version);
    end(writer, "}");
}

static void check(struct writer *writer, const struct expectation *expectation)
{
    struct buf line = buf_make(REPORT_LINE);
    report_line(expectation, false, &line);
    begin(writer, NULL, "{");
    text(writer, "outcome", outcome_name(expectation->holds ? OUTCOME_PASSED : OUTCOME_FAILED));
    number(writer, "points", expectation->points);
    text(writer, "path", expectation->path);
    text(writer, "expected", expectation->hidden ? report_hidden : expectation->expected);
    text(writer, "actual", expectation->hidden ? report_hidden : expectation->actual);
    flag(writer, "hidden", expectation->hidden);
    flag(writer, "history", expectation->history);
    object(writer, expectation);
    begin(writer, "text", "{");
    text(writer, "en", expectation->text.en);
    text(writer, "zh", expectation->text.zh);
    end(writer, "}");
    text(writer, "message", line.length > 0 ? line.bytes : "");
    text(writer, "why", expectation->why);
    text(writer, "where", expectation->where);
    end(writer, "}");
    report_part_free(&line, writer->out);
}

static void error(struct writer *writer, const struct verdict *verdict)
{
    static const char *const keys[] = {"reason", "cause", "where"};
    const char *const values[] = {verdict->error.message, verdict->error.cause, verdict->error.where};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        text(writer, keys[i], verdict->outcome != OUTCOME_PASSED && values[i][0] != '\0' ? values[i] : NULL);
}

static void points(const struct verdict *verdict, int64_t *earned, int64_t *most)
{
    for (size_t i = 0; i < verdict->expectations.length; i++) {
        const struct expectation *expectation = verdict->expectations.items[i];
        *most += expectation->points;
        if (expectation->holds)
            *earned += expectation->points;
    }
}

static void step(struct writer *writer, const struct report_step *step)
{
    int64_t earned = 0, most = 0;
    points(step->verdict, &earned, &most);
    begin(writer, NULL, "{");
    text(writer, "lesson", step->lesson);
    text(writer, "step", step->step);
    text(writer, "title", step->title);
    text(writer, "outcome", outcome_name(step->verdict->outcome));
    error(writer, step->verdict);
    number(writer, "duration_ms", step->duration_ms);
    number(writer, "points", earned);
    number(writer, "points_possible", most);
    begin(writer, "checks", "[");
    for (size_t i = 0; i < step->verdict->expectations.length; i++)
        check(writer, step->verdict->expectations.items[i]);
    end(writer, "]");
    end(writer, "}");
}

void report_json(const struct report *report, struct buf *out)
{
    struct writer writer = {.out = out};
    int counts[OUTCOMES];
    char started[21];
    report_count(report, NULL, counts);
    time_print(report->started_ms, started);
    begin(&writer, NULL, "{");
    number(&writer, "version", VERSION);
    text(&writer, "program", "kubetutor " KT_VERSION);
    text(&writer, "command", report_string(report->command));
    begin(&writer, "cluster", "{");
    text(&writer, "name", report_string(report->cluster_name));
    text(&writer, "server", report_string(report->cluster_server));
    text(&writer, "version", report_string(report->cluster_version));
    text(&writer, "uid", report_string(report->cluster_uid));
    end(&writer, "}");
    text(&writer, "namespace", report_string(report->ns));
    text(&writer, "started", started);
    number(&writer, "duration_ms", report->duration_ms);
    number(&writer, "exit_code", report_exit_code(report));
    begin(&writer, "summary", "{");
    for (int i = 0; i < OUTCOMES; i++)
        number(&writer, outcome_name((enum outcome)i), counts[i]);
    end(&writer, "}");
    begin(&writer, "steps", "[");
    for (size_t i = 0; i < report->steps.length; i++)
        step(&writer, report->steps.items[i]);
    end(&writer, "]");
    end(&writer, "}");
    buf_append_string(out, "\n");
}
