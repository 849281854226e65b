#include "practice/schema/convert.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/convert_internal.h"
#include "practice/schema/decode.h"
#include "practice/schema/rules_internal.h"

#define PREFIX "autoscaling.alpha.kubernetes.io/"
#define METRICS PREFIX "metrics"
#define STATUSES PREFIX "current-metrics"
#define BEHAVIOR PREFIX "behavior"
#define CONDITIONS PREFIX "conditions"

enum { CPU_UTILIZATION = 80, ANNOTATION = 256 * 1024 };

static void drop_annotations(struct value *object)
{
    static const char *const dropped[] = {METRICS, BEHAVIOR, STATUSES, CONDITIONS, PREFIX "scale-down-tolerance", PREFIX "scale-up-tolerance"};
    struct value *metadata = value_get(object, "metadata"), *annotations = value_get(metadata, "annotations");
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
        value_remove(annotations, dropped[i]);
    if (annotations != NULL && value_first(annotations) == NULL)
        value_remove(metadata, "annotations");
}

/* Takes `value` over. */
static bool put_annotation(struct value *object, const char *key, struct value *value)
{
    struct value *metadata = value != NULL ? value_child(object, "metadata") : NULL,
                 *annotations = metadata != NULL ? value_child(metadata, "annotations") : NULL;
    char *text = annotations != NULL ? json_text(value, ANNOTATION) : NULL;
    struct buf go = buf_make(2 * ANNOTATION);
    if (text != NULL)
        problem_json(text, &go);
    bool ok = text != NULL && buf_ok(&go) && put_text(annotations, key, go.bytes);
    buf_free(&go);
    mem_free(text);
    value_free(value);
    return ok;
}

static bool is_cpu(const struct value *metric, const char *target)
{
    const struct value *resource = value_get(metric, "resource");
    return text_is(metric, "type", "Resource") && text_is(resource, "name", "cpu") && has(value_get(resource, target), "averageUtilization");
}

static bool append_v1(struct value *list, const struct value *metric, bool is_status)
{
    struct value *made = metric_to_v1(metric, is_status);
    return made != NULL && value_append(list, made);
}

static bool spec_to_v1(struct value *object)
{
    struct value *spec = value_get(object, "spec"), *others = value_array(), *behavior = value_get(spec, "behavior");
    bool ok = others != NULL, seen = false;
    EACH (metric, value_get(spec, "metrics")) {
        if (!is_cpu(metric, "target")) {
            ok = ok && append_v1(others, metric, false);
            continue;
        }
        if (!seen)
            ok = ok && put_copy(spec, "targetCPUUtilizationPercentage", value_find(metric, "resource", "target", "averageUtilization", NULL));
        seen = true;
    }
    if (value_first(others) == NULL || !ok)
        value_free(others);
    else
        ok = put_annotation(object, METRICS, others);
    ok = ok && (behavior == NULL || put_annotation(object, BEHAVIOR, behavior_to_v1(behavior)));
    value_remove(spec, "metrics");
    value_remove(spec, "behavior");
    return ok;
}

static bool status_to_v1(struct value *object)
{
    struct value *status = value_get(object, "status"), *metrics = value_get(status, "currentMetrics"), *conditions = value_get(status, "conditions"),
                 *all;
    bool ok = true;
    if (value_first(metrics) != NULL) {
        all = value_array();
        ok = all != NULL;
        EACH (metric, metrics) {
            ok = ok && append_v1(all, metric, true);
            if (is_cpu(metric, "current"))
                ok = ok && put_copy(status, "currentCPUUtilizationPercentage", value_find(metric, "resource", "current", "averageUtilization", NULL));
        }
        if (ok)
            ok = put_annotation(object, STATUSES, all);
        else
            value_free(all);
    }
    if (ok && value_first(conditions) != NULL)
        ok = put_annotation(object, CONDITIONS, value_copy(conditions));
    value_remove(status, "currentMetrics");
    value_remove(status, "conditions");
    return ok;
}

/* An annotation's JSON; NULL: there is none that can be read (or, *ok false, no memory). The caller frees. */
static struct value *annotation_json(const struct value *object, const char *key, bool *ok)
{
    struct error err = ERROR_INIT;
    const char *text = annotation_of(object, key);
    if (text == NULL)
        return NULL;
    struct value *value = json_parse(text, strlen(text), key, &err);
    *ok = *ok && (value != NULL || err.kind != ERROR_MEMORY);
    return value;
}

static bool put_cpu(struct value *list, const char *target, int64_t percent, bool is_status)
{
    struct value *metric = value_object(), *resource = metric != NULL ? value_child(metric, "resource") : NULL;
    struct value *at = resource != NULL ? value_child(resource, target) : NULL;
    bool ok = at != NULL && put_text(metric, "type", "Resource") && put_text(resource, "name", "cpu") && put_int(at, "averageUtilization", percent) &&
              (is_status || put_text(at, "type", "Utilization"));
    if (!ok) {
        value_free(metric);
        return false;
    }
    return value_append(list, metric);
}

/* The metrics of an annotation into the list; *read says whether there were any to read. */
static bool append_v2(const struct value *object, const char *key, bool is_status, struct value *list, bool *read)
{
    bool ok = true, readable;
    struct value *all = annotation_json(object, key, &ok);
    readable = value_type(all) == VALUE_ARRAY;
    EACH (metric, all)
        readable = readable && metric_is_readable(metric, is_status);
    EACH (metric, readable ? all : NULL) {
        struct value *made = ok ? metric_to_v2(metric, is_status) : NULL;
        ok = made != NULL && value_append(list, made);
    }
    *read = readable;
    value_free(all);
    return ok;
}

static bool behavior_from_annotation(const struct value *object, struct value *spec)
{
    bool ok = true;
    struct value *told = annotation_json(object, BEHAVIOR, &ok);
    if (told != NULL && behavior_is_readable(told) && !behavior_is_empty(told))
        ok = value_set(spec, "behavior", behavior_to_v2(told));
    value_free(told);
    return ok;
}

static bool spec_to_v2(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *metrics = value_array();
    bool read, ok = spec != NULL;
    if (!ok || metrics == NULL) {
        value_free(metrics);
        return false;
    }
    if (!value_set(spec, "metrics", metrics))
        return false;
    ok = append_v2(object, METRICS, false, metrics, &read);
    if (has(spec, "targetCPUUtilizationPercentage") || value_first(metrics) == NULL)
        ok = ok && put_cpu(metrics, "target", int_of(spec, "targetCPUUtilizationPercentage", CPU_UTILIZATION), false);
    value_remove(spec, "targetCPUUtilizationPercentage");
    return ok && behavior_from_annotation(object, spec);
}

static bool conditions_from_annotation(const struct value *object, struct value *status)
{
    const struct schema *schema = schema_definition("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition");
    struct error err = ERROR_INIT;
    bool ok = true, readable;
    struct value *told = annotation_json(object, CONDITIONS, &ok);
    readable = value_type(told) == VALUE_ARRAY && schema != NULL;
    EACH_OF (condition, told)
        readable = readable && value_type(condition) == VALUE_OBJECT && schema_normalise(condition, schema, NULL, &err);
    ok = ok && err.kind != ERROR_MEMORY;
    if (!readable) {
        value_free(told);
        return ok;
    }
    return value_set(status, "conditions", told);
}

static bool status_to_v2(struct value *object)
{
    struct value *status = value_child(object, "status"), *metrics = status != NULL ? value_array() : NULL;
    bool read = false, ok = metrics != NULL && append_v2(object, STATUSES, true, metrics, &read);
    if (ok && !read && has(status, "currentCPUUtilizationPercentage"))
        ok = put_cpu(metrics, "current", int_of(status, "currentCPUUtilizationPercentage", 0), true);
    if (!ok || value_first(metrics) == NULL)
        value_free(metrics);
    else
        ok = value_set(status, "currentMetrics", metrics);
    value_remove(status, "currentCPUUtilizationPercentage");
    return ok && conditions_from_annotation(object, status);
}

struct value *convert_autoscaler(const struct value *object, bool to_v2)
{
    struct value *made = value_copy(object);
    struct error err = ERROR_INIT;
    bool ok = made != NULL;
    if (ok && to_v2) {
        ok = put_text(made, "apiVersion", "autoscaling/v2") && spec_to_v2(made) && status_to_v2(made);
        drop_annotations(made);
    } else if (ok) {
        drop_annotations(made);
        ok = put_text(made, "apiVersion", "autoscaling/v1") && spec_to_v1(made) && status_to_v1(made);
    }
    const struct schema_kind *kind = schema_kind_of("autoscaling", to_v2 ? "v2" : "v1", "HorizontalPodAutoscaler");
    if (ok && (kind == NULL || schema_normalise(made, kind->schema, NULL, &err)))
        return made;
    value_free(made);
    return NULL;
}

/* The names of core's fields and of events.k8s.io's. */
static const struct {
    const char *core, *newer;
} event_fields[] = {
    {"involvedObject", "regarding"},         {"message", "note"},
    {"source", "deprecatedSource"},          {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"}, {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

static struct value *convert_event(const struct value *object, const struct schema_kind *to)
{
    bool to_core = *to->group == '\0';
    struct error err = ERROR_INIT;
    struct value *made = value_copy(object);
    bool ok = made != NULL && put_text(made, "apiVersion", to_core ? "v1" : "events.k8s.io/v1");
    for (size_t i = 0; ok && i < sizeof event_fields / sizeof event_fields[0]; i++) {
        const char *before = to_core ? event_fields[i].newer : event_fields[i].core, *after = to_core ? event_fields[i].core : event_fields[i].newer;
        struct value *moved = value_get(made, before);
        ok = moved == NULL || value_set(made, after, value_take(made, moved));
    }
    if (ok && schema_normalise(made, to->schema, NULL, &err))
        return made;
    value_free(made);
    return NULL;
}

struct value *schema_convert(const struct schema_kind *to, const struct schema_kind *from, const struct value *object)
{
    if (to != from && strcmp(to->kind, "HorizontalPodAutoscaler") == 0)
        return convert_autoscaler(object, strcmp(to->version, "v2") == 0);
    if (to != from && strcmp(to->kind, "Event") == 0)
        return convert_event(object, to);
    struct value *made = value_copy(object);
    struct buf version = buf_make(512);
    buf_printf(&version, "%s%s%s", to->group, *to->group != '\0' ? "/" : "", to->version);
    if (made != NULL && buf_ok(&version) && put_text(made, "apiVersion", version.bytes)) {
        buf_free(&version);
        return made;
    }
    buf_free(&version);
    value_free(made);
    return NULL;
}
