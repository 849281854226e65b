/* Events, of core/v1 and of events.k8s.io/v1, which have other names for the same and stricter rules. */
#include <string.h>

#include "practice/schema/rules_internal.h"

enum { TEXT_MOST = 128, NOTE_MOST = 1024 };

static bool is_new(const struct value *object)
{
    return starts_with(text_of(object, "apiVersion"), "events.k8s.io/");
}

static void check_length(const struct value *object, const char *key, const char *shown, size_t most, bool required, struct problems *problems)
{
    const struct place at = place_key(NULL, shown);
    if (required && *text_of(object, key) == '\0')
        problem_required(problems, &at, NULL, NULL);
    if (strlen(text_of(object, key)) > most)
        problem_invalid(problems, &at, "", "can have at most %zu characters", most);
}

static void check_object_namespace(const struct value *object, const struct value *involved, struct problems *problems)
{
    const struct place at = place_key(NULL, "involvedObject");
    const struct place space_at = place_key(&at, "namespace");
    const char *space = text_of(value_get(object, "metadata"), "namespace"), *other = text_of(involved, "namespace");
    bool timed = has(object, "eventTime");
    bool fine = strcmp(space, other) == 0 || timed;
    if (*other == '\0')
        fine = timed ? strcmp(space, "default") == 0 || strcmp(space, "kube-system") == 0 : *space == '\0' || strcmp(space, "default") == 0;
    if (!fine)
        problem_invalid(problems, &space_at, other, "does not match event.namespace");
}

static void check_event(const struct value *object, struct problems *problems)
{
    bool newer = is_new(object);
    const struct place controller_at = place_key(NULL, newer ? "reportingController" : "reportingComponent");
    const char *controller = text_of(object, controller_at.key);
    check_object_namespace(object, value_get(object, newer ? "regarding" : "involvedObject"), problems);
    if (!has(object, "eventTime"))
        return;
    if (*controller == '\0')
        problem_required(problems, &controller_at, NULL, NULL);
    name_problems(problems, &controller_at, controller, name_qualified(controller));
    check_length(object, "reportingInstance", "reportingInstance", TEXT_MOST, true, problems);
    check_length(object, "action", "action", TEXT_MOST, true, problems);
    check_length(object, "reason", "reason", TEXT_MOST, true, problems);
    check_length(object, newer ? "note" : "message", "message", NOTE_MOST, false, problems);
}

static void check_series(const struct value *object, struct problems *problems)
{
    const struct value *series = value_get(object, "series");
    const struct place count = place_key(NULL, "series.count"), observed = place_key(NULL, "series.lastObservedTime");
    if (series == NULL)
        return;
    if (int_of(series, "count", 0) < 2)
        problem_invalid(problems, &count, "", "should be at least 2");
    if (!has(series, "lastObservedTime"))
        problem_required(problems, &observed, NULL, NULL);
}

static void check_unset(const struct value *object, const char *key, const char *shown, struct problems *problems)
{
    const struct place at = place_key(NULL, shown);
    const struct value *value = value_get(object, key);
    int64_t number;
    bool nothing = !has(object, key) || (value_as_int(value, &number) && number == 0) ||
                   (value_type(value) == VALUE_OBJECT && *text_of(value, "component") == '\0' && *text_of(value, "host") == '\0');
    if (!nothing)
        problem_invalid(problems, &at, "", "needs to be unset");
}

static void create(const struct value *object, struct problems *problems)
{
    static const char *const unset[][2] = {{"deprecatedFirstTimestamp", "firstTimestamp"},
                                           {"deprecatedLastTimestamp", "lastTimestamp"},
                                           {"deprecatedCount", "count"},
                                           {"deprecatedSource", "source"}};
    const struct place type = place_key(NULL, "type");
    check_event(object, problems);
    if (!is_new(object))
        return;
    const struct schema_kind *kind = schema_kind_of("events.k8s.io", "v1", "Event");
    meta_validate(kind, rules_of(kind), object, true, problems);
    meta_kube_finalizers(value_get(object, "metadata"), problems);
    check_series(object, problems);
    if (!has(object, "eventTime"))
        problem_required(problems, NULL, "eventTime", NULL);
    if (!text_is(object, "type", "Normal") && !text_is(object, "type", "Warning"))
        problem_invalid(problems, &type, "", "has invalid value: %s", text_of(object, "type"));
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++)
        check_unset(object, unset[i][0], unset[i][1], problems);
}

static void update(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const fixed[][2] = {
        {"regarding", "involvedObject"},
        {"reason", "reason"},
        {"note", "message"},
        {"deprecatedSource", "source"},
        {"deprecatedFirstTimestamp", "firstTimestamp"},
        {"deprecatedLastTimestamp", "lastTimestamp"},
        {"deprecatedCount", "count"},
        {"type", "type"},
        {"eventTime", "eventTime"},
        {"action", "action"},
        {"related", "related"},
        {"reportingController", "reportingController"},
        {"reportingInstance", "reportingInstance"},
    };
    check_event(object, problems);
    if (!is_new(object))
        return;
    if (!same_at(object, old, "series"))
        check_series(object, problems);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        const struct place at = place_key(NULL, fixed[i][1]);
        if (!same_at(object, old, fixed[i][0]))
            problem_add(problems, &at, PROBLEM_INVALID, value_get(object, fixed[i][0]), "field is immutable");
    }
}

/* An event has no rules for its name but those of paths (core/v1). */
static void check_segment(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    name_problems(problems, place, name, prefix ? name_path_prefix(name) : name_path_segment(name));
}

/* Both versions' are places in one index of the stored objects: what both know stands at the same place. */
static const char *const selectors[] = {"involvedObject.kind",
                                        "involvedObject.namespace",
                                        "involvedObject.name",
                                        "involvedObject.uid",
                                        "involvedObject.apiVersion",
                                        "involvedObject.resourceVersion",
                                        "involvedObject.fieldPath",
                                        "reason",
                                        "reportingComponent",
                                        "type",
                                        "source",
                                        NULL};
static const char *const new_selectors[] = {"regarding.kind",
                                            "regarding.namespace",
                                            "regarding.name",
                                            "regarding.uid",
                                            "regarding.apiVersion",
                                            "regarding.resourceVersion",
                                            "regarding.fieldPath",
                                            "reason",
                                            "reportingController",
                                            "type",
                                            NULL};

const struct rules event_rules[] = {
    {.group = "",
     .kind = "Event",
     .flags = RULES_CREATE_BY_UPDATE | RULES_PLAIN_FINALIZERS,
     .check_name = check_segment,
     .validate_create = create,
     .validate_update = update,
     .selectors = selectors},
    {.group = "events.k8s.io",
     .kind = "Event",
     .flags = RULES_CREATE_BY_UPDATE | RULES_LOOSE_NAME, /* create looks at metadata in its turn */
     .validate_create = create,
     .validate_update = update,
     .selectors = new_selectors},
    {0},
};
