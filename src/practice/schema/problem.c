#include "practice/schema/problem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/go_print.h"

enum {
    PROBLEM_TEXT = 256 * 1024, /* bytes of a path, and of a message: an object of the largest size may stand in one */
    PROBLEM_DETAIL = 64 * 1024,
};

struct place place_key(const struct place *up, const char *key)
{
    return (struct place){.up = up, .key = key};
}

struct place place_index(const struct place *up, size_t index)
{
    return (struct place){.up = up, .index = index};
}

struct place place_map(const struct place *up, const char *key)
{
    return (struct place){.up = up, .key = key, .brackets = true};
}

static bool is_root(const struct place *place)
{
    return place->up == NULL && place->key == NULL;
}

static void print_below_root(const struct place *place, struct buf *out)
{
    if (place->up != NULL && !is_root(place->up))
        print_below_root(place->up, out);
    if (place->key == NULL) {
        buf_printf(out, "[%zu]", place->index);
        return;
    }
    buf_append_string(out, place->brackets ? "[" : place->up != NULL && !is_root(place->up) ? "." : "");
    buf_append_string(out, place->key);
    buf_append_string(out, place->brackets ? "]" : "");
}

void place_print(const struct place *place, struct buf *out)
{
    if (place == NULL || is_root(place))
        buf_append_string(out, "<nil>");
    else
        print_below_root(place, out);
}

static void free_problem(void *item)
{
    struct problem *problem = item;
    mem_free(problem->field);
    mem_free(problem->message);
    mem_free(problem);
}

struct problems problems_make(void)
{
    return (struct problems){.list = vec_make(PROBLEMS, free_problem)};
}

void problems_free(struct problems *problems)
{
    vec_free(&problems->list);
    problems->failed = false;
}

bool problems_none(const struct problems *problems)
{
    return problems->list.length == 0 && !problems->failed;
}

static const struct {
    const char *reason, *words;
    bool has_value;
} types[] = {
    [PROBLEM_REQUIRED] = {"FieldValueRequired", "Required value", false},
    [PROBLEM_INVALID] = {"FieldValueInvalid", "Invalid value", true},
    [PROBLEM_NOT_SUPPORTED] = {"FieldValueNotSupported", "Unsupported value", true},
    [PROBLEM_DUPLICATE] = {"FieldValueDuplicate", "Duplicate value", true},
    [PROBLEM_FORBIDDEN] = {"FieldValueForbidden", "Forbidden", false},
    [PROBLEM_NOT_FOUND] = {"FieldValueNotFound", "Not found", true},
    [PROBLEM_TOO_LONG] = {"FieldValueTooLong", "Too long", false},
    [PROBLEM_TOO_MANY] = {"FieldValueTooMany", "Too many", true},
    [PROBLEM_TYPE] = {"FieldValueTypeInvalid", "Invalid value", true},
    [PROBLEM_INTERNAL] = {"InternalError", "Internal error", false},
};

const char *problem_reason(enum problem_type type)
{
    return types[type].reason;
}

/* Go's encoder of JSON writes <, > and & as escapes. In compact JSON they stand in strings only. */
static void print_json(const struct value *value, struct buf *out)
{
    struct buf text = buf_make(PROBLEM_TEXT);
    json_print(value, false, &text);
    if (!buf_ok(&text))
        buf_append_string(out, "...");
    else
        problem_json(text.bytes, out);
    buf_free(&text);
}

void problem_json(const char *text, struct buf *out)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<' || *c == '>' || *c == '&')
            buf_printf(out, "\\u00%02x", (unsigned char)*c);
        else
            buf_append(out, c, 1);
    }
}

static void print_value(const struct value *value, struct buf *out)
{
    const char *text = value_text(value);
    if (text != NULL)
        go_quote(text, out);
    else if (value == NULL || value_type(value) == VALUE_NULL)
        buf_append_string(out, "null");
    else
        print_json(value, out);
}

/* An aggregate of errors tells each once. */
static bool is_known(const struct problems *problems, const char *field, const char *message)
{
    for (size_t i = 0; i < problems->list.length; i++) {
        const struct problem *other = problems->list.items[i];
        if (strcmp(other->message, message) == 0 && strcmp(other->field, field) == 0)
            return true;
    }
    return false;
}

static void add_message(struct problems *problems, const struct place *place, enum problem_type type, struct buf *message)
{
    struct buf field = buf_make(PROBLEM_TEXT);
    place_print(place, &field);
    struct problem *problem = mem_zero(1, sizeof *problem);
    char *field_text = buf_take(&field, NULL), *message_text = buf_take(message, NULL);
    if (problem == NULL || field_text == NULL || message_text == NULL) {
        problems->failed = true;
    } else if (problems->list.length < PROBLEMS && !is_known(problems, field_text, message_text)) {
        *problem = (struct problem){.type = type, .field = field_text, .message = message_text};
        if (!vec_push(&problems->list, problem))
            problems->failed = true;
        return;
    }
    mem_free(problem);
    mem_free(field_text);
    mem_free(message_text);
}

/* "Invalid value: VALUE: DETAIL", of which the last two may be missing. */
static void add_text(struct problems *problems, const struct place *place, enum problem_type type, const char *value, const char *detail)
{
    struct buf message = buf_make(PROBLEM_TEXT);
    buf_append_string(&message, types[type].words);
    if (value != NULL)
        buf_printf(&message, ": %s", value);
    if (detail != NULL && *detail != '\0')
        buf_printf(&message, ": %s", detail);
    add_message(problems, place, type, &message);
    buf_free(&message);
}

static char *format_detail(const char *format, va_list arguments)
{
    char small[512];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, again);
    va_end(again);
    if (length < 0 || length > PROBLEM_DETAIL)
        return mem_string("");
    if ((size_t)length < sizeof small)
        return mem_string(small);
    char *detail = mem_alloc((size_t)length + 1);
    if (detail != NULL)
        vsnprintf(detail, (size_t)length + 1, format, arguments);
    return detail;
}

static void add_value(struct problems *problems, const struct place *place, enum problem_type type, const struct value *value, char *detail)
{
    struct buf text = buf_make(PROBLEM_TEXT);
    if (types[type].has_value)
        print_value(value, &text);
    char *value_text = types[type].has_value ? buf_take(&text, NULL) : NULL;
    if (detail == NULL || (types[type].has_value && value_text == NULL))
        problems->failed = true;
    else
        add_text(problems, place, type, value_text, detail);
    mem_free(value_text);
    mem_free(detail);
}

void problem_add(struct problems *problems, const struct place *place, enum problem_type type, const struct value *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *detail = format_detail(format, arguments);
    va_end(arguments);
    add_value(problems, place, type, value, detail);
}

void problem_invalid(struct problems *problems, const struct place *place, const char *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *detail = format_detail(format, arguments);
    va_end(arguments);
    struct buf quoted = buf_make(PROBLEM_TEXT);
    go_quote(value, &quoted);
    if (detail == NULL || !buf_ok(&quoted))
        problems->failed = true;
    else
        add_text(problems, place, PROBLEM_INVALID, quoted.bytes, detail);
    buf_free(&quoted);
    mem_free(detail);
}

void problem_number(struct problems *problems, const struct place *place, int64_t value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *detail = format_detail(format, arguments);
    va_end(arguments);
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)value);
    if (detail == NULL)
        problems->failed = true;
    else
        add_text(problems, place, PROBLEM_INVALID, number, detail);
    mem_free(detail);
}

void problem_text(struct problems *problems, const struct place *place, enum problem_type type, const char *value, const char *detail)
{
    add_text(problems, place, type, value, detail);
}

void problem_string(struct problems *problems, const struct place *place, enum problem_type type, const char *value)
{
    struct buf quoted = buf_make(PROBLEM_TEXT);
    go_quote(value, &quoted);
    if (!buf_ok(&quoted))
        problems->failed = true;
    else
        add_text(problems, place, type, quoted.bytes, NULL);
    buf_free(&quoted);
}

static void add_unsupported(struct problems *problems, const struct place *place, const char *value, const char *const *supported)
{
    struct buf detail = buf_make(PROBLEM_TEXT);
    for (size_t i = 0; supported[i] != NULL; i++) {
        buf_append_string(&detail, i == 0 ? "supported values: " : ", ");
        go_quote(supported[i], &detail);
    }
    if (!buf_ok(&detail))
        problems->failed = true;
    else
        add_text(problems, place, PROBLEM_NOT_SUPPORTED, value, detail.bytes);
    buf_free(&detail);
}

void problem_unsupported(struct problems *problems, const struct place *place, const char *value, const char *const *supported)
{
    struct buf quoted = buf_make(PROBLEM_TEXT);
    go_quote(value, &quoted);
    if (!buf_ok(&quoted))
        problems->failed = true;
    else
        add_unsupported(problems, place, quoted.bytes, supported);
    buf_free(&quoted);
}

void problem_unsupported_value(struct problems *problems, const struct place *place, const char *printed, const char *const *supported)
{
    add_unsupported(problems, place, printed, supported);
}

static void add_at(struct problems *problems, const struct place *up, const char *key, enum problem_type type, const char *detail)
{
    const struct place place = place_key(up, key);
    add_text(problems, key != NULL ? &place : up, type, NULL, detail);
}

void problem_required(struct problems *problems, const struct place *up, const char *key, const char *detail)
{
    add_at(problems, up, key, PROBLEM_REQUIRED, detail);
}

void problem_forbidden(struct problems *problems, const struct place *up, const char *key, const char *detail)
{
    add_at(problems, up, key, PROBLEM_FORBIDDEN, detail);
}

void problem_too_long(struct problems *problems, const struct place *place, size_t maximum)
{
    char detail[64];
    snprintf(detail, sizeof detail, "may not be more than %zu byte%s", maximum, maximum == 1 ? "" : "s");
    add_text(problems, place, PROBLEM_TOO_LONG, NULL, detail);
}

void problem_too_many(struct problems *problems, const struct place *place, size_t actual, size_t maximum)
{
    char detail[64], number[24];
    snprintf(detail, sizeof detail, "must have at most %zu item%s", maximum, maximum == 1 ? "" : "s");
    snprintf(number, sizeof number, "%zu", actual);
    add_text(problems, place, PROBLEM_TOO_MANY, number, detail);
}

void warning_at(struct vec *warnings, const struct place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_detail(format, arguments);
    va_end(arguments);
    struct buf out = buf_make(PROBLEM_TEXT);
    place_print(place, &out);
    buf_printf(&out, ": %s", text != NULL ? text : "");
    bool kept = text != NULL && buf_ok(&out) && vec_push_string(warnings, out.bytes);
    (void)kept; /* a warning less is no reason to fail */
    buf_free(&out);
    mem_free(text);
}
