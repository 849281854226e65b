#include <string.h>
#include <strings.h>

#include "data/units.h"
#include "practice/schema/convert_internal.h"
#include "practice/schema/rules_internal.h"

/* TEXT and NUMBER_ALWAYS stand in v1 even where there is nothing ("", "0"). */
enum what { TEXT, QUANTITY, QUANTITY_ALWAYS, INTEGER, SELECTOR, REFERENCE };

/* v1's field, and where v2 has it: outer.inner ("" outer: beside). In v1's order. */
struct field {
    const char *v1, *outer, *inner;
    enum what what;
};

struct source {
    const char *key;
    struct field fields[6];
};

static const struct source specs[] = {
    {"object",
     {{"target", "", "describedObject", REFERENCE},
      {"metricName", "metric", "name", TEXT},
      {"targetValue", "target", "value", QUANTITY_ALWAYS},
      {"selector", "metric", "selector", SELECTOR},
      {"averageValue", "target", "averageValue", QUANTITY}}},
    {"pods",
     {{"metricName", "metric", "name", TEXT},
      {"targetAverageValue", "target", "averageValue", QUANTITY_ALWAYS},
      {"selector", "metric", "selector", SELECTOR}}},
    {"resource",
     {{"name", "", "name", TEXT},
      {"targetAverageUtilization", "target", "averageUtilization", INTEGER},
      {"targetAverageValue", "target", "averageValue", QUANTITY}}},
    {"containerResource",
     {{"name", "", "name", TEXT},
      {"targetAverageUtilization", "target", "averageUtilization", INTEGER},
      {"targetAverageValue", "target", "averageValue", QUANTITY},
      {"container", "", "container", TEXT}}},
    {"external",
     {{"metricName", "metric", "name", TEXT},
      {"metricSelector", "metric", "selector", SELECTOR},
      {"targetValue", "target", "value", QUANTITY},
      {"targetAverageValue", "target", "averageValue", QUANTITY}}},
    {0},
};

static const struct source statuses[] = {
    {"object",
     {{"target", "", "describedObject", REFERENCE},
      {"metricName", "metric", "name", TEXT},
      {"currentValue", "current", "value", QUANTITY_ALWAYS},
      {"selector", "metric", "selector", SELECTOR},
      {"averageValue", "current", "averageValue", QUANTITY}}},
    {"pods",
     {{"metricName", "metric", "name", TEXT},
      {"currentAverageValue", "current", "averageValue", QUANTITY_ALWAYS},
      {"selector", "metric", "selector", SELECTOR}}},
    {"resource",
     {{"name", "", "name", TEXT},
      {"currentAverageUtilization", "current", "averageUtilization", INTEGER},
      {"currentAverageValue", "current", "averageValue", QUANTITY_ALWAYS}}},
    {"containerResource",
     {{"name", "", "name", TEXT},
      {"currentAverageUtilization", "current", "averageUtilization", INTEGER},
      {"currentAverageValue", "current", "averageValue", QUANTITY_ALWAYS},
      {"container", "", "container", TEXT}}},
    {"external",
     {{"metricName", "metric", "name", TEXT},
      {"metricSelector", "metric", "selector", SELECTOR},
      {"currentValue", "current", "value", QUANTITY_ALWAYS},
      {"currentAverageValue", "current", "averageValue", QUANTITY}}},
    {0},
};

struct value *field_of(const struct value *object, const char *key)
{
    struct value *exact = value_get(object, key);
    EACH_OF (entry, value_type(object) == VALUE_OBJECT ? object : NULL)
        if (exact == NULL && strcasecmp(value_key(entry), key) == 0)
            exact = entry;
    return value_type(exact) == VALUE_NULL ? NULL : exact;
}

static const struct source *sources_of(bool is_status)
{
    return is_status ? statuses : specs;
}

static bool put_reference(struct value *object, const char *key, const struct value *reference)
{
    struct value *made = value_child(object, key);
    const struct value *version = field_of(reference, "apiVersion"), *kind = field_of(reference, "kind"), *name = field_of(reference, "name");
    return made != NULL && put_text(made, "kind", kind != NULL ? value_text(kind) : "") &&
           put_text(made, "name", name != NULL ? value_text(name) : "") && (version == NULL || put_copy(made, "apiVersion", version));
}

static bool put_v1(struct value *out, const struct value *source, const struct field *field)
{
    const struct value *from = value_get(*field->outer != '\0' ? value_get(source, field->outer) : source, field->inner);
    if (field->what == REFERENCE)
        return put_reference(out, field->v1, from);
    if (from == NULL && field->what == TEXT)
        return put_text(out, field->v1, "");
    if (from == NULL && field->what == QUANTITY_ALWAYS)
        return put_text(out, field->v1, "0");
    return from == NULL || put_copy(out, field->v1, from);
}

struct value *metric_to_v1(const struct value *metric, bool is_status)
{
    struct value *made = value_object();
    bool ok = made != NULL && put_text(made, "type", text_of(metric, "type"));
    for (const struct source *source = sources_of(is_status); ok && source->key != NULL; source++) {
        if (!has(metric, source->key))
            continue;
        struct value *out = value_child(made, source->key);
        ok = out != NULL;
        for (const struct field *field = source->fields; ok && field->v1 != NULL; field++)
            ok = put_v1(out, value_get(metric, source->key), field);
    }
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

/* Whether the target is asked for by the field whose absence the server looks at. */
static const char *target_type(const struct value *target, const char *source)
{
    if (strcmp(source, "pods") == 0)
        return "AverageValue";
    if (strcmp(source, "object") == 0)
        return has(target, "averageValue") ? "AverageValue" : "Value";
    if (strcmp(source, "external") == 0)
        return has(target, "value") ? "Value" : "AverageValue";
    return has(target, "averageUtilization") ? "Utilization" : "AverageValue";
}

static bool put_quantity(struct value *object, const char *key, const struct value *quantity)
{
    char canonical[QUANTITY_TEXT];
    if (quantity == NULL)
        return put_text(object, key, "0");
    int64_t whole;
    if (value_as_int(quantity, &whole)) {
        struct buf text = buf_make(64);
        buf_printf(&text, "%lld", (long long)whole);
        bool ok = buf_ok(&text) && put_text(object, key, text.bytes);
        buf_free(&text);
        return ok;
    }
    return !quantity_canonical(value_text(quantity) != NULL ? value_text(quantity) : "", QUANTITY_NANO, canonical) || put_text(object, key, canonical);
}

static bool put_v2(struct value *out, const struct value *source, const struct field *field)
{
    const struct value *from = field_of(source, field->v1);
    struct value *place = *field->outer != '\0' ? value_child(out, field->outer) : out;
    if (place == NULL)
        return false;
    if (field->what == REFERENCE)
        return put_reference(place, field->inner, from);
    if (field->what == QUANTITY_ALWAYS || (field->what == QUANTITY && from != NULL))
        return put_quantity(place, field->inner, from);
    if (from == NULL)
        return field->what != TEXT || put_text(place, field->inner, "");
    return put_copy(place, field->inner, from);
}

/* An object's target that is an average has no value when that is nothing. */
static void drop_zero(struct value *target)
{
    if (has(target, "averageValue") && quantity_zero(text_of(target, "value")))
        value_remove(target, "value");
}

struct value *metric_to_v2(const struct value *metric, bool is_status)
{
    struct value *made = value_object();
    const char *type = value_text(field_of(metric, "type"));
    bool ok = made != NULL && put_text(made, "type", type != NULL ? type : "");
    for (const struct source *source = sources_of(is_status); ok && source->key != NULL; source++) {
        const struct value *from = field_of(metric, source->key);
        if (from == NULL)
            continue;
        struct value *out = value_child(made, source->key), *target;
        ok = out != NULL;
        for (const struct field *field = source->fields; ok && field->v1 != NULL; field++)
            ok = put_v2(out, from, field);
        if (!ok || is_status)
            continue;
        target = value_child(out, "target");
        ok = target != NULL;
        if (ok && strcmp(source->key, "object") == 0)
            drop_zero(target);
        ok = ok && put_text(target, "type", target_type(target, source->key));
    }
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static bool text_or_none(const struct value *value)
{
    return value == NULL || value_text(value) != NULL;
}

static bool reference_is_readable(const struct value *reference)
{
    return value_type(reference) == VALUE_OBJECT && text_or_none(field_of(reference, "kind")) && text_or_none(field_of(reference, "name")) &&
           text_or_none(field_of(reference, "apiVersion"));
}

static bool selector_is_readable(const struct value *selector)
{
    const struct value *labels = field_of(selector, "matchLabels"), *expressions = field_of(selector, "matchExpressions");
    bool ok = value_type(selector) == VALUE_OBJECT && (labels == NULL || value_type(labels) == VALUE_OBJECT) &&
              (expressions == NULL || value_type(expressions) == VALUE_ARRAY);
    EACH (label, labels)
        ok = ok && text_or_none(label);
    EACH (expression, expressions) {
        const struct value *values = field_of(expression, "values");
        ok = ok && value_type(expression) == VALUE_OBJECT && text_or_none(field_of(expression, "key")) &&
             text_or_none(field_of(expression, "operator")) && (values == NULL || value_type(values) == VALUE_ARRAY);
        EACH (value, values)
            ok = ok && value_text(value) != NULL;
    }
    return ok;
}

static bool is_int32(const struct value *value)
{
    int64_t number;
    return value_as_int(value, &number) && number >= INT32_MIN && number <= INT32_MAX;
}

static bool is_readable(const struct value *value, enum what what)
{
    int64_t whole;
    switch (what) {
    case TEXT:
        return value_text(value) != NULL;
    case QUANTITY:
    case QUANTITY_ALWAYS:
        return value_as_int(value, &whole) || (value_text(value) != NULL && quantity_valid(value_text(value)));
    case INTEGER:
        return is_int32(value);
    case SELECTOR:
        return selector_is_readable(value);
    case REFERENCE:
        return reference_is_readable(value);
    }
    return false;
}

bool metric_is_readable(const struct value *metric, bool is_status)
{
    if (value_type(metric) != VALUE_OBJECT || !text_or_none(field_of(metric, "type")))
        return false;
    for (const struct source *source = sources_of(is_status); source->key != NULL; source++) {
        const struct value *from = field_of(metric, source->key);
        if (from != NULL && value_type(from) != VALUE_OBJECT)
            return false;
        for (const struct field *field = source->fields; from != NULL && field->v1 != NULL; field++)
            if (field_of(from, field->v1) != NULL && !is_readable(field_of(from, field->v1), field->what))
                return false;
    }
    return true;
}
