/* table_work: cells of jobs, autoscalers, revisions, bindings and definitions. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/amount.h"
#include "practice/api/table_internal.h"
#include "practice/schema/convert.h"

enum { METRICS_SHOWN = 2, VERSIONS = 1000 };

static const char *text_of(const struct value *v, const char *key)
{
    const char *text = value_find_text(v, key, NULL);
    return text != NULL ? text : "";
}

/* ---- jobs ---- */

enum cell cell_job_status(struct row *row, const struct column *column)
{
    (void)column;
    static const char *const ended[][2] = {{"Complete", "Complete"}, {"Failed", "Failed"}};
    static const char *const going[][2] = {{"Suspended", "Suspended"}, {"FailureTarget", "FailureTarget"}, {"SuccessCriteriaMet", "SuccessCriteriaMet"}};
    const struct value *conditions = row_look(row, "status.conditions");
    const char *word = NULL;
    for (size_t i = 0; word == NULL && i < 2; i++)
        word = condition_holds(conditions, ended[i][0]) ? ended[i][1] : NULL;
    if (word == NULL && row_look(row, "metadata.deletionTimestamp") != NULL)
        word = "Terminating";
    for (size_t i = 0; word == NULL && i < 3; i++)
        word = condition_holds(conditions, going[i][0]) ? going[i][1] : NULL;
    row_put(row, word != NULL ? word : "Running");
    return CELL_TEXT;
}

enum cell cell_job_completions(struct row *row, const struct column *column)
{
    (void)column;
    int64_t wanted, done = value_find_int(row->document, 0, "status", "succeeded", NULL), at_once = value_find_int(row->document, 0, "spec", "parallelism", NULL);
    if (value_as_int(row_look(row, "spec.completions"), &wanted))
        buf_printf(&row->text, "%lld/%lld", (long long)done, (long long)wanted);
    else if (at_once > 1)
        buf_printf(&row->text, "%lld/1 of %lld", (long long)done, (long long)at_once);
    else
        buf_printf(&row->text, "%lld/1", (long long)done);
    return CELL_TEXT;
}

enum cell cell_job_duration(struct row *row, const struct column *column)
{
    (void)column;
    const char *start = value_text(row_look(row, "status.startTime")), *end = value_text(row_look(row, "status.completionTime"));
    int64_t from, to = row->now_ms;
    char words[16];
    if (start == NULL || !time_parse(start, &from) || (end != NULL && !time_parse(end, &to)))
        return CELL_TEXT;
    duration_print(to - from, words);
    row_put(row, words);
    return CELL_TEXT;
}

/* ---- autoscalers ---- */

enum cell cell_scale_target(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *target = row_look(row, "spec.scaleTargetRef");
    buf_printf(&row->text, "%s/%s", text_of(target, "kind"), text_of(target, "name"));
    return CELL_TEXT;
}

/* Where each type of metric has its parts, and whether its words begin with the resource's name. */
static const struct metric {
    const char *type, *key;
    bool named;
} metrics[] = {
    {"Resource", "resource", true}, {"ContainerResource", "containerResource", true}, {"Pods", "pods", false}, {"Object", "object", false}, {"External", "external", false},
};

static void put_percent(struct row *row, const struct value *v, const char *nothing)
{
    int64_t percent;
    if (value_as_int(v, &percent))
        buf_printf(&row->text, "%lld%%", (long long)percent);
    else
        row_put(row, nothing);
}

/* CURRENT/TARGET of one metric. */
static void put_metric(struct row *row, const struct value *spec, const struct value *status)
{
    const struct metric *metric = NULL;
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (strcmp(text_of(spec, "type"), metrics[i].type) == 0)
            metric = &metrics[i];
    if (metric == NULL) {
        row_put(row, "<unknown type>");
        return;
    }
    const struct value *source = value_get(spec, metric->key), *target = value_get(source, "target");
    const struct value *current = value_find(status, metric->key, "current", NULL);
    const char *average = value_find_text(target, "averageValue", NULL), *key = average != NULL ? "averageValue" : "value";
    if (metric->named)
        buf_printf(&row->text, "%s: ", text_of(source, "name"));
    if (metric->named && average == NULL) {
        put_percent(row, value_get(current, "averageUtilization"), "<unknown>");
        row_put(row, "/");
        put_percent(row, value_get(target, "averageUtilization"), "<auto>");
        return;
    }
    const char *is = value_find_text(current, key, NULL);
    buf_printf(&row->text, "%s/%s", is != NULL ? is : "<unknown>", text_of(target, key));
    if (average != NULL && !metric->named && strcmp(metric->key, "pods") != 0)
        row_put(row, " (avg)");
}

/* v1 has most of it in annotations: it is looked at as v2. */
enum cell cell_scale_metrics(struct row *row, const struct column *column)
{
    struct value *newer = NULL;
    const struct value *document = row->document;
    if (row_look(row, "spec.metrics") == NULL) {
        newer = convert_autoscaler(document, true);
        row->failed = row->failed || newer == NULL;
        document = newer;
    }
    const struct value *specs = value_find(document, "spec", "metrics", NULL), *status = value_first(value_find(document, "status", "currentMetrics", NULL));
    size_t count = 0;
    for (const struct value *spec = value_first(specs); spec != NULL; spec = value_next(spec), count++) {
        if (count < METRICS_SHOWN) {
            row_put_piece(row, ", ", "");
            put_metric(row, spec, status);
        }
        status = value_next(status);
    }
    if (count > METRICS_SHOWN)
        buf_printf(&row->text, " + %zu more...", count - METRICS_SHOWN);
    else if (count == 0)
        row_put(row, column->otherwise);
    value_free(newer);
    return CELL_TEXT;
}

/* ---- revisions ---- */

/* "daemonset.apps/web" */
enum cell cell_controller(struct row *row, const struct column *column)
{
    const struct value *owner = value_first(row_look(row, "metadata.ownerReferences"));
    while (owner != NULL && !value_is_true(value_get(owner, "controller")))
        owner = value_next(owner);
    if (owner == NULL) {
        row_put(row, column->otherwise);
        return CELL_TEXT;
    }
    const char *version = text_of(owner, "apiVersion"), *slash = strchr(version, '/');
    char *type = mem_printf("%s%s%.*s", text_of(owner, "kind"), slash != NULL ? "." : "", slash != NULL ? (int)(slash - version) : 0, version);
    row->failed = row->failed || type == NULL;
    for (const char *c = type; c != NULL && *c != '\0'; c++)
        buf_append(&row->text, &(char){(char)tolower((unsigned char)*c)}, 1);
    mem_free(type);
    buf_printf(&row->text, "/%s", text_of(owner, "name"));
    return CELL_TEXT;
}

/* ---- who may what ---- */

enum cell cell_role(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *role = value_get(row->document, "roleRef");
    buf_printf(&row->text, "%s/%s", text_of(role, "kind"), text_of(role, "name"));
    return CELL_TEXT;
}

enum cell cell_subjects(struct row *row, const struct column *column)
{
    for (const struct value *subject = value_first(value_get(row->document, "subjects")); subject != NULL; subject = value_next(subject)) {
        if (strcmp(text_of(subject, "kind"), column->path) != 0)
            continue;
        row_put_piece(row, ", ", "");
        if (strcmp(column->path, "ServiceAccount") == 0)
            buf_printf(&row->text, "%s/", text_of(subject, "namespace"));
        row_put(row, text_of(subject, "name"));
    }
    return CELL_TEXT;
}

/* ---- definitions ---- */

/* Served ones, sorted as the words that they are shown by. */
enum cell cell_definition_versions(struct row *row, const struct column *column)
{
    (void)column;
    struct vec words = vec_make(VERSIONS, mem_free);
    for (const struct value *version = value_first(row_look(row, "spec.versions")); version != NULL; version = value_next(version)) {
        if (!value_is_true(value_get(version, "served")))
            continue;
        char *word = mem_printf("%s%s", text_of(version, "name"), value_is_true(value_get(version, "storage")) ? "(storage)" : "");
        if (word == NULL || !vec_push(&words, word))
            row->failed = true;
    }
    row_put_set(row, &words);
    return CELL_TEXT;
}

enum cell cell_definition_established(struct row *row, const struct column *column)
{
    (void)column;
    row_put(row, condition_holds(row_look(row, "status.conditions"), "Established") ? "true" : "false");
    return CELL_LITERAL;
}

/* ---- metrics ---- */

/* Of a node, or of a Pod's containers together. */
enum cell cell_usage(struct row *row, const struct column *column)
{
    char text[QUANTITY_TEXT];
    struct amounts sum = {0};
    amounts_read(&sum, value_get(row->document, "usage"));
    for (const struct value *container = value_first(value_get(row->document, "containers")); container != NULL; container = value_next(container)) {
        struct amounts its = {0};
        amounts_read(&its, value_get(container, "usage"));
        amounts_add_all(&sum, &its);
        row->failed = row->failed || its.failed;
        amounts_free(&its);
    }
    const struct amount_item *item = amounts_find(&sum, column->path);
    amount_print(item != NULL ? item->amount : amount_of(0), text);
    row->failed = row->failed || sum.failed;
    amounts_free(&sum);
    row_put(row, text);
    return CELL_TEXT;
}
