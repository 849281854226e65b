/* Checks of parts that many kinds have: numbers, ports, labels, selectors, percentages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "base/mem.h"
#include "practice/schema/rules_internal.h"

enum { PORT_MOST = 65535 };

void check_nonnegative(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    const struct place place = place_key(up, key);
    int64_t number = int_of(object, key, 0);
    if (number < 0)
        problem_number(problems, &place, number, "must be greater than or equal to 0");
}

void check_nonnegative_all(struct problems *problems, const struct value *object, const struct place *up, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        check_nonnegative(problems, object, up, *keys);
}

void check_range(struct problems *problems, const struct value *object, const struct place *up, const char *key, int64_t least, int64_t most)
{
    const struct place place = place_key(up, key);
    int64_t number = int_of(object, key, 0);
    if (number < least || number > most)
        problem_number(problems, &place, number, "must be between %lld and %lld, inclusive", (long long)least, (long long)most);
}

void check_port_number(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    check_range(problems, object, up, key, 1, PORT_MOST);
}

void check_port(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    const char *name = value_text(value_get(object, key));
    if (name != NULL)
        name_problems_of(problems, up, key, name, name_port);
    else
        check_port_number(problems, object, up, key);
}

void check_choice(struct problems *problems, const struct value *object, const struct place *up, const char *key, const char *const *list,
                  bool required)
{
    const struct place place = place_key(up, key);
    const char *text = text_of(object, key);
    if (!has(object, key) || *text == '\0') {
        if (required)
            problem_required(problems, up, key, NULL);
        else if (has(object, key) && !one_of("", list))
            problem_unsupported(problems, &place, text, list);
    } else if (!one_of(text, list)) {
        problem_unsupported(problems, &place, text, list);
    }
}

void check_protocol(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    static const char *const protocols[] = {"SCTP", "TCP", "UDP", NULL};
    check_choice(problems, object, up, key, protocols, true);
}

void check_name(struct problems *problems, const struct value *object, const struct place *up, const char *key, name_check *check, bool required)
{
    const char *text = text_of(object, key);
    if (*text != '\0')
        name_problems_of(problems, up, key, text, check);
    else if (required)
        problem_required(problems, up, key, NULL);
}

void check_labels(struct problems *problems, const struct value *labels, const struct place *place)
{
    EACH (label, labels) {
        name_problems(problems, place, value_key(label), name_qualified(value_key(label)));
        const char *text = value_text(label);
        if (text != NULL)
            name_problems(problems, place, text, name_label_value(text));
    }
}

static void lower(const char *text, char *out, size_t room)
{
    size_t length = 0;
    for (; *text != '\0' && length + 1 < room; text++)
        out[length++] = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
    out[length] = '\0';
}

void check_annotations(struct problems *problems, const struct value *annotations, const struct place *place)
{
    size_t size = 0;
    EACH (annotation, annotations) {
        char key[512];
        lower(value_key(annotation), key, sizeof key);
        name_problems(problems, place, value_key(annotation), name_qualified(key));
        size += strlen(value_key(annotation)) + (value_text(annotation) != NULL ? strlen(value_text(annotation)) : 0);
    }
    if (size > ANNOTATIONS_SIZE)
        problem_too_long(problems, place, ANNOTATIONS_SIZE);
}

static void check_requirement(struct problems *problems, const struct value *requirement, const struct place *place)
{
    const struct value *values = value_get(requirement, "values");
    const char *operator= text_of(requirement, "operator");
    if (strcmp(operator, "In") == 0 || strcmp(operator, "NotIn") == 0) {
        if (value_first(values) == NULL)
            problem_required(problems, place, "values", "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0) {
        if (value_first(values) != NULL)
            problem_forbidden(problems, place, "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else {
        const struct place at = place_key(place, "operator");
        problem_invalid(problems, &at, operator, "not a valid selector operator");
    }
    name_problems_of(problems, place, "key", text_of(requirement, "key"), name_qualified);
    const struct place values_at = place_key(place, "values");
    size_t i = 0;
    EACH (item, values) {
        const struct place at = place_index(&values_at, i++);
        name_problems(problems, &at, value_text(item), name_label_value(value_text(item)));
    }
}

void check_selector(struct problems *problems, const struct value *selector, const struct place *place)
{
    const struct place labels = place_key(place, "matchLabels"), expressions = place_key(place, "matchExpressions");
    check_labels(problems, value_get(selector, "matchLabels"), &labels);
    size_t i = 0;
    EACH (requirement, value_get(selector, "matchExpressions")) {
        const struct place at = place_index(&expressions, i++);
        check_requirement(problems, requirement, &at);
    }
}

bool selector_is_valid(const struct value *selector)
{
    struct problems problems = problems_make();
    const struct place place = place_key(NULL, "");
    check_selector(&problems, selector, &place);
    bool valid = problems_none(&problems);
    problems_free(&problems);
    return valid;
}

static bool requirement_matches(const struct value *requirement, const struct value *labels)
{
    const char *label = value_text(value_get(labels, text_of(requirement, "key"))), *operator= text_of(requirement, "operator");
    bool in = false;
    EACH (item, value_get(requirement, "values"))
        in = in || (label != NULL && strcmp(value_text(item), label) == 0);
    if (strcmp(operator, "In") == 0)
        return in;
    if (strcmp(operator, "NotIn") == 0)
        return !in;
    return (strcmp(operator, "Exists") == 0) == (label != NULL);
}

bool selector_selects(const struct value *selector, const struct value *labels)
{
    EACH (label, value_get(selector, "matchLabels")) {
        const char *text = value_text(value_get(labels, value_key(label)));
        if (text == NULL || strcmp(text, value_text(label)) != 0)
            return false;
    }
    EACH (requirement, value_get(selector, "matchExpressions"))
        if (!requirement_matches(requirement, labels))
            return false;
    return true;
}

void check_percent(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    const char *text = value_text(value_get(object, key));
    if (text != NULL)
        name_problems_of(problems, up, key, text, name_percent);
    else
        check_nonnegative(problems, object, up, key);
}

static bool percent_of(const struct value *object, const char *key, int64_t *percent)
{
    const char *text = value_text(value_get(object, key));
    if (text == NULL || name_percent(text).count != 0)
        return false;
    *percent = strtoll(text, NULL, 10);
    return true;
}

int64_t percent_or_int(const struct value *object, const char *key)
{
    int64_t percent;
    if (percent_of(object, key, &percent))
        return percent;
    const char *text = value_text(value_get(object, key));
    return text != NULL ? strtoll(text, NULL, 10) : int_of(object, key, 0);
}

void check_at_most_100(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    const struct place place = place_key(up, key);
    int64_t percent;
    if (percent_of(object, key, &percent) && percent > 100)
        problem_invalid(problems, &place, text_of(object, key), "must not be greater than 100%%");
}

void check_unchanged(struct problems *problems, const struct value *object, const struct value *old, const struct place *up, const char *key)
{
    const struct place place = place_key(up, key);
    if (!same_at(object, old, key))
        problem_text(problems, &place, PROBLEM_INVALID, "null", "field is immutable");
}

void check_immutable(struct problems *problems, const struct value *object, const struct value *old, const struct place *up, const char *key)
{
    const struct place place = place_key(up, key);
    if (!same_at(object, old, key))
        problem_add(problems, &place, PROBLEM_INVALID, value_get(object, key), "field is immutable");
}

void check_label_name(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    char *masked = prefix ? name_mask_prefix(name) : mem_string(name);
    if (masked == NULL)
        problems->failed = true;
    else
        name_problems(problems, place, name, name_label(masked));
    mem_free(masked);
}
