/* crd_check: values against a version's schema, as the real server's validator (kube-openapi's validation) goes through them,
 * in its order and words. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/number.h"
#include "practice/schema/crd_internal.h"

enum { TEXT = 1 << 20, SUPPORTED = 1000 };

struct checking {
    const struct place *base; /* where alternatives are told: the document, or its status */
    const char *skip;
};

/* What a part said. matched counts checks that went well: of several alternatives the one that fits best is told. */
struct outcome {
    struct problems problems;
    size_t matched;
};

static void check(const struct checking *checking, const struct crd_node *node, const struct value *v, const struct value *old,
                  const struct place *place, struct outcome *out);

static struct outcome outcome_make(void)
{
    return (struct outcome){.problems = problems_make()};
}

/* Moves everything of `from` to `to` and leaves it empty. */
static void merge(struct outcome *to, struct outcome *from)
{
    to->matched += from->matched;
    to->problems.failed = to->problems.failed || from->problems.failed;
    while (from->problems.list.length > 0) {
        struct problem *next = vec_take(&from->problems.list, 0);
        bool known = false;
        for (size_t i = 0; !known && i < to->problems.list.length; i++) {
            const struct problem *other = to->problems.list.items[i];
            known = strcmp(other->field, next->field) == 0 && strcmp(other->message, next->message) == 0;
        }
        if (known || to->problems.list.length >= PROBLEMS) {
            mem_free(next->field);
            mem_free(next->message);
            mem_free(next);
        } else if (!vec_push(&to->problems.list, next)) {
            to->problems.failed = true;
        }
    }
    problems_free(&from->problems);
    *from = outcome_make();
}

/* The path as messages have it: go-openapi knows nothing of what is before the part that it looks at. The caller frees; ""
 * without memory. */
static char *path_of(const struct checking *checking, const struct place *place, struct problems *problems)
{
    struct buf text = buf_make(TEXT);
    size_t skip = strlen(checking->skip);
    if (place->up != NULL)
        place_print(place, &text);
    char *path = buf_take(&text, NULL);
    if (path == NULL) {
        problems->failed = true;
        return NULL;
    }
    if (skip > 0 && strncmp(path, checking->skip, skip) == 0) {
        skip += path[skip] == '.';
        memmove(path, path + skip, strlen(path + skip) + 1);
    }
    return path;
}

static const char *json_type(const struct value *v)
{
    int64_t i;
    switch (value_type(v)) {
    case VALUE_NULL:
        return "null";
    case VALUE_BOOL:
        return "boolean";
    case VALUE_NUMBER:
        return value_as_int(v, &i) ? "integer" : "number";
    case VALUE_STRING:
        return "string";
    case VALUE_ARRAY:
        return "array";
    default:
        return "object";
    }
}

/* Says "PATH in body WORDS" at a place with a value. */
static void say(const struct checking *checking, const struct place *place, enum problem_type type, const struct value *v,
                const char *words, struct outcome *out)
{
    char *path = path_of(checking, place, &out->problems);
    if (path != NULL)
        problem_add(&out->problems, place, type, v, "%s in body %s", path, words);
    mem_free(path);
}

static void say_type(const struct checking *checking, const struct place *place, const char *wanted, const char *got,
                     struct outcome *out)
{
    char *path = path_of(checking, place, &out->problems),
         *detail = path != NULL ? mem_printf("%s in body must be of type %s: \"%s\"", path, wanted, got) : NULL;
    struct value *shown = value_string(got);
    if (detail == NULL || shown == NULL)
        out->problems.failed = true;
    else
        problem_add(&out->problems, place, PROBLEM_TYPE, shown, "%s", detail);
    value_free(shown);
    mem_free(detail);
    mem_free(path);
}

/* ---- one value ---- */

static bool is_of_type(const struct crd_node *node, const char *wanted)
{
    if (node->int_or_string)
        return strcmp(wanted, "integer") == 0 || strcmp(wanted, "string") == 0;
    return strcmp(node->type, wanted) == 0;
}

/* The format as far as it counts: others are as if they were not there. */
static const char *format_of(const struct crd_node *node)
{
    const char *format = node->format, *type = node->int_or_string ? "" : node->type;
    bool counts = false;
    if (node->int_or_string)
        counts = crd_format_known(format);
    else if (type[0] == '\0' || strcmp(type, "string") == 0)
        counts = crd_format_known(format);
    else if (strcmp(type, "integer") == 0)
        counts = strcmp(format, "int32") == 0 || strcmp(format, "int64") == 0;
    else if (strcmp(type, "number") == 0)
        counts = strcmp(format, "float") == 0 || strcmp(format, "double") == 0;
    return counts ? format : "";
}

static bool has_type(const struct crd_node *node)
{
    return node->int_or_string || node->type[0] != '\0';
}

static const char *type_name(const struct crd_node *node)
{
    return node->int_or_string ? "integer,string" : node->type;
}

static void check_type(const struct checking *checking, const struct crd_node *node, const struct value *v,
                       const struct place *place, struct outcome *out)
{
    const char *got = json_type(v), *format = format_of(node);
    enum value_type type = value_type(v);
    if (type == VALUE_NULL) {
        if (has_type(node) && !node->nullable)
            say_type(checking, place, type_name(node), "null", out);
        else
            out->matched++;
        return;
    }
    bool numeric = is_of_type(node, "number") || is_of_type(node, "integer"),
         textual = type == VALUE_STRING || type == VALUE_ARRAY;
    bool fits = is_of_type(node, got) || (strcmp(got, "integer") == 0 && is_of_type(node, "number"));
    if (!textual && format[0] != '\0' && !fits)
        say_type(checking, place, format,
                 strcmp(got, "integer") == 0  ? "int64"
                 : strcmp(got, "number") == 0 ? "float64"
                                              : "",
                 out);
    else if (!(textual && format[0] != '\0' && !numeric) && !fits)
        say_type(checking, place, type_name(node), got, out);
    else
        out->matched++;
}

static bool limit_of(const struct crd_node *node, const char *key, int64_t *limit)
{
    return value_as_int(value_get(node->json, key), limit);
}

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void check_string(const struct checking *checking, const struct crd_node *node, const struct value *v,
                         const struct place *place, struct outcome *out)
{
    const char *text = value_text(v);
    int64_t limit = 0, length = (int64_t)count_characters(text);
    char words[96];
    if (limit_of(node, "maxLength", &limit) && length > limit) {
        problem_too_long(&out->problems, place, limit > 0 ? (size_t)limit : 0);
    } else if (limit_of(node, "minLength", &limit) && length < limit) {
        snprintf(words, sizeof words, "should be at least %lld chars long", (long long)limit);
        say(checking, place, PROBLEM_INVALID, v, words, out);
    } else if (node->pattern != NULL && pattern_search(node->pattern, text, strlen(text), 0, NULL, NULL) != PATTERN_YES) {
        char *expected = mem_printf("should match '%s'", value_text(value_get(node->json, "pattern")));
        if (expected != NULL)
            say(checking, place, PROBLEM_INVALID, v, expected, out);
        else
            out->problems.failed = true;
        mem_free(expected);
    }
}

static void check_format(const struct checking *checking, const struct crd_node *node, const struct value *v,
                         const struct place *place, struct outcome *out)
{
    const char *format = format_of(node);
    if (!crd_format_fits(format, value_text(v)))
        say_type(checking, place, format, value_text(v), out);
}

void crd_print_number(double d, bool whole, char out[static CRD_NUMBER])
{
    char digits[40];
    int precision = 1;
    if (whole) {
        snprintf(out, CRD_NUMBER, "%lld", (long long)d);
        return;
    }
    for (; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*e", precision - 1, d);
        if (number_read_double(digits, NULL) == d)
            break;
    }
    const char *e = strchr(digits, 'e');
    int exponent = e != NULL ? (int)number_read_double(e + 1, NULL) : 0;
    if (exponent < -4 || exponent >= 6)
        snprintf(out, CRD_NUMBER, "%s", digits);
    else
        snprintf(out, CRD_NUMBER, "%.*f", precision - 1 - exponent > 0 ? precision - 1 - exponent : 0, d);
}

static bool is_multiple(double data, double factor)
{
    double quotient = factor < 1 ? 1 / factor * data : data / factor, rounded = round(quotient);
    return quotient == rounded || (rounded != 0 && fabs(quotient - rounded) / fabs(rounded) < 1e-9);
}

/* For whole numbers the factor is a whole one, too: without its fraction, which may leave nothing of it. */
static void check_multiple(const struct checking *checking, const struct crd_node *node, const struct value *v, double data,
                           const struct place *place, struct outcome *out)
{
    double factor = 0;
    int64_t whole = 0;
    char number[CRD_NUMBER], words[128];
    if (!value_as_double(value_get(node->json, "multipleOf"), &factor))
        return;
    bool is_whole = value_as_int(v, &whole) && fabs(factor) < 9e18;
    if (is_whole)
        factor = trunc(factor);
    crd_print_number(factor, is_whole, number);
    if (factor <= 0) {
        char *path = path_of(checking, place, &out->problems);
        if (path != NULL) {
            struct buf detail = buf_make(TEXT);
            buf_printf(&detail, "factor MultipleOf declared for %s must be positive: %s", path, number);
            if (buf_ok(&detail))
                problem_text(&out->problems, place, PROBLEM_INVALID, number, detail.bytes);
            else
                out->problems.failed = true;
            buf_free(&detail);
        }
        mem_free(path);
    } else if (is_whole ? whole % (int64_t)factor != 0 : !is_multiple(data, factor)) {
        snprintf(words, sizeof words, "should be a multiple of %s", number);
        say(checking, place, PROBLEM_INVALID, v, words, out);
    }
}

static void check_bound(const struct checking *checking, const struct crd_node *node, const struct value *v, bool upper,
                        const struct place *place, struct outcome *out)
{
    double bound = 0, data = 0;
    int64_t whole;
    char number[CRD_NUMBER], words[160];
    if (!value_as_double(value_get(node->json, upper ? "maximum" : "minimum"), &bound) || !value_as_double(v, &data))
        return;
    bool exclusive = value_is_true(value_get(node->json, upper ? "exclusiveMaximum" : "exclusiveMinimum")),
         is_int = value_as_int(v, &whole);
    bool plain = is_int && fabs(bound) < 9e18;
    if (plain)
        bound = trunc(bound);
    if (upper ? (data < bound || (!exclusive && data <= bound)) : (data > bound || (!exclusive && data >= bound)))
        return;
    crd_print_number(bound, plain, number);
    snprintf(words, sizeof words, "should be %s than %s%s", upper ? "less" : "greater", exclusive ? "" : "or equal to ",
             number);
    say(checking, place, PROBLEM_INVALID, v, words, out);
}

static void check_number(const struct checking *checking, const struct crd_node *node, const struct value *v,
                         const struct place *place, struct outcome *out)
{
    double data = 0;
    int64_t whole = 0;
    value_as_double(v, &data);
    bool is_int = value_as_int(v, &whole), small = strcmp(node->format, "int32") == 0,
         named = small || strcmp(node->format, "int64") == 0;
    if (strcmp(node->type, "integer") == 0 && !node->int_or_string &&
        (!is_int || (small && (whole < INT32_MIN || whole > INT32_MAX)))) {
        char *path = path_of(checking, place, &out->problems);
        if (path != NULL && named)
            problem_invalid(&out->problems, checking->base, "", "Checked value must be of type integer with format %s in %s",
                            node->format, path);
        else if (path != NULL)
            problem_invalid(&out->problems, checking->base, "", "Checked value must be of type integer (default format) in %s",
                            path);
        mem_free(path);
    }
    if (strcmp(node->type, "number") == 0 && strcmp(node->format, "float") == 0 && fabs(data) > FLT_MAX) {
        char *path = path_of(checking, place, &out->problems);
        if (path != NULL)
            problem_invalid(&out->problems, checking->base, "", "Checked value must be of type number with format float in %s",
                            path);
        mem_free(path);
    }
    check_multiple(checking, node, v, data, place, out);
    check_bound(checking, node, v, false, place, out);
    check_bound(checking, node, v, true, place, out);
    out->matched++;
}

static void check_enum(const struct crd_node *node, const struct value *v, const struct place *place, struct outcome *out)
{
    const struct value *list = value_get(node->json, "enum");
    const char *supported[SUPPORTED + 1];
    char *owned[SUPPORTED];
    size_t count = 0;
    if (value_first(list) == NULL)
        return;
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry))
        if (value_type(v) != VALUE_NULL && value_equal(entry, v))
            return;
    for (const struct value *entry = value_first(list); entry != NULL && count < SUPPORTED; entry = value_next(entry)) {
        owned[count] = value_text(entry) != NULL ? mem_string(value_text(entry)) : json_text(entry, TEXT);
        supported[count] = owned[count];
        if (owned[count] == NULL) {
            out->problems.failed = true;
            break;
        }
        count++;
    }
    supported[count] = NULL;
    char *printed = json_text(v, TEXT);
    if (printed != NULL)
        problem_unsupported_value(&out->problems, place, printed, supported);
    else
        out->problems.failed = true;
    mem_free(printed);
    while (count > 0)
        mem_free(owned[--count]);
}

/* ---- lists and objects ---- */

static void say_count(const struct checking *checking, const struct place *place, size_t count, const char *words,
                      int64_t limit, const char *what, struct outcome *out)
{
    char text[128];
    struct value *number = value_int((int64_t)count);
    snprintf(text, sizeof text, "%s %lld %s", words, (long long)limit, what);
    if (number != NULL)
        say(checking, place, PROBLEM_INVALID, number, text, out);
    else
        out->problems.failed = true;
    value_free(number);
}

/* The old list's item that an item of the new one stands for. */
static const struct value *old_item(const struct crd_node *node, const struct value *item, const struct value *old)
{
    if (node->list != SCHEMA_KEYED || value_type(item) != VALUE_OBJECT)
        return NULL;
    for (const struct value *other = value_first(old); other != NULL; other = value_next(other)) {
        bool matches = value_type(other) == VALUE_OBJECT;
        for (size_t i = 0; matches && node->keys[i] != NULL; i++) {
            const struct value *a = value_get(item, node->keys[i]), *b = value_get(other, node->keys[i]);
            matches = (a == NULL && b == NULL) || (a != NULL && b != NULL && value_equal(a, b));
        }
        if (matches)
            return other;
    }
    return NULL;
}

static void check_array(const struct checking *checking, const struct crd_node *node, const struct value *v,
                        const struct value *old, const struct place *place, struct outcome *out)
{
    size_t count = 0;
    int64_t limit = 0;
    for (const struct value *item = value_first(v); item != NULL; item = value_next(item), count++)
        if (node->items != NULL) {
            const struct place at = place_index(place, count);
            check(checking, node->items, item, old_item(node, item, old), &at, out);
        }
    if (limit_of(node, "minItems", &limit) && (int64_t)count < limit)
        say_count(checking, place, count, "should have at least", limit, "items", out);
    if (limit_of(node, "maxItems", &limit) && (int64_t)count > limit)
        problem_too_many(&out->problems, place, count, limit > 0 ? (size_t)limit : 0);
    out->matched++;
}

static void check_object(const struct checking *checking, const struct crd_node *node, const struct value *v,
                         const struct value *old, const struct place *place, struct outcome *out)
{
    size_t count = value_length(v);
    int64_t limit = 0;
    if (limit_of(node, "minProperties", &limit) && (int64_t)count < limit)
        say_count(checking, place, count, "should have at least", limit, "properties", out);
    if (limit_of(node, "maxProperties", &limit) && (int64_t)count > limit)
        problem_too_many(&out->problems, place, count, limit > 0 ? (size_t)limit : 0);
    bool granular = value_type(old) == VALUE_OBJECT && node->list != SCHEMA_ATOMIC;
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        const struct crd_node *property = crd_node_property(node, value_key(entry));
        const struct place at = place_key(place, value_key(entry));
        const struct value *before = granular ? value_get(old, value_key(entry)) : NULL;
        if (property != NULL || node->additional != NULL) {
            check(checking, property != NULL ? property : node->additional, entry, before, &at, out);
        } else if (node->closed) {
            char *path = path_of(checking, place, &out->problems);
            if (path != NULL)
                problem_add(&out->problems, place, PROBLEM_INVALID, NULL, "%s.%s in body is a forbidden property", path,
                            value_key(entry));
            mem_free(path);
        }
    }
    for (const struct value *name = value_first(value_get(node->json, "required")); name != NULL; name = value_next(name))
        if (value_text(name) != NULL && value_get(v, value_text(name)) == NULL)
            problem_required(&out->problems, place, value_text(name), NULL);
}

/* ---- alternatives ---- */

static void say_composite(const struct checking *checking, const struct place *place, const char *words, struct outcome *out)
{
    char *path = path_of(checking, place, &out->problems), *detail = path != NULL ? mem_printf("\"%s\" %s", path, words) : NULL;
    if (detail != NULL)
        problem_invalid(&out->problems, checking->base, "", "%s", detail);
    else
        out->problems.failed = true;
    mem_free(detail);
    mem_free(path);
}

static bool is_valid(const struct outcome *outcome)
{
    return outcome->problems.list.length == 0;
}

/* anyOf and oneOf: how many fit; the best of those that do not, or the first that does, goes into `best`. */
static size_t count_fitting(const struct checking *checking, const struct crd_nodes *nodes, bool one_is_enough,
                            const struct value *v, const struct place *place, struct outcome *best)
{
    size_t fitting = 0;
    bool has = false;
    for (size_t i = 0; i < nodes->count; i++) {
        struct outcome each = outcome_make();
        check(checking, nodes->list[i], v, NULL, place, &each);
        bool fits = is_valid(&each), better = fits ? fitting == 0 : fitting == 0 && (!has || each.matched > best->matched);
        fitting += fits;
        if (better) {
            problems_free(&best->problems);
            *best = each;
            has = true;
        } else {
            problems_free(&each.problems);
        }
        if (fits && one_is_enough)
            break;
    }
    return fitting;
}

static void check_alternatives(const struct checking *checking, const struct crd_node *node, const struct value *v,
                               const struct place *place, struct outcome *out)
{
    struct outcome best = outcome_make();
    size_t fitting;
    if (node->any.count > 0) {
        if (count_fitting(checking, &node->any, true, v, place, &best) == 0)
            say_composite(checking, place, "must validate at least one schema (anyOf)", out);
        merge(out, &best);
    }
    if (node->one.count > 0) {
        fitting = count_fitting(checking, &node->one, false, v, place, &best);
        char words[128] = "must validate one and only one schema (oneOf). Found none valid";
        if (fitting > 1)
            snprintf(words, sizeof words, "must validate one and only one schema (oneOf). Found %zu valid alternatives",
                     fitting);
        if (fitting != 1)
            say_composite(checking, place, words, out);
        if (fitting <= 1)
            merge(out, &best);
        problems_free(&best.problems);
        best = outcome_make();
    }
    fitting = 0;
    for (size_t i = 0; i < node->all.count; i++) {
        check(checking, node->all.list[i], v, NULL, place, &best);
        fitting += is_valid(&best);
        merge(out, &best);
    }
    if (fitting != node->all.count)
        say_composite(checking, place,
                      fitting == 0 ? "must validate all the schemas (allOf). None validated"
                                   : "must validate all the schemas (allOf)",
                      out);
    if (node->not != NULL) {
        check(checking, node->not, v, NULL, place, &best);
        if (is_valid(&best))
            say_composite(checking, place, "must not validate the schema (not)", out);
        problems_free(&best.problems);
    }
    out->matched++;
}

/* ---- all of it ---- */

static void check(const struct checking *checking, const struct crd_node *node, const struct value *v, const struct value *old,
                  const struct place *place, struct outcome *out)
{
    enum value_type type = value_type(v);
    if (old != NULL && value_equal(v, old))
        return; /* what was there before may stay, whatever the schema says now */
    if (type == VALUE_NULL) {
        check_type(checking, node, v, place, out);
        check_enum(node, v, place, out);
        return;
    }
    if (has_type(node) || format_of(node)[0] != '\0') {
        check_type(checking, node, v, place, out);
        out->matched++;
    }
    check_alternatives(checking, node, v, place, out);
    if (type == VALUE_STRING) {
        check_string(checking, node, v, place, out);
        if (format_of(node)[0] != '\0')
            check_format(checking, node, v, place, out);
        out->matched++;
    }
    if (type == VALUE_NUMBER)
        check_number(checking, node, v, place, out);
    if (type == VALUE_ARRAY)
        check_array(checking, node, v, old, place, out);
    check_enum(node, v, place, out);
    if (type == VALUE_OBJECT)
        check_object(checking, node, v, old, place, out);
    out->matched += 3;
}

void crd_check(const struct crd_node *node, const struct value *v, const struct value *old, const struct place *place,
               const char *skip, struct problems *problems)
{
    const struct checking checking = {.base = place, .skip = skip};
    struct outcome all = {.problems = *problems}, found = outcome_make();
    check(&checking, node, v, old, place, &found);
    merge(&all, &found);
    *problems = all.problems;
}
