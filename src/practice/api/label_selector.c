#include "practice/api/label_selector.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "practice/api/selector_parse.h"

enum { LABEL_SELECTOR_TEXT = 1 << 20 };

struct label_selector {
    struct vec terms; /* of struct label_term, by key */
    bool nothing;     /* there was none: it matches nothing */
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct label_term *)a)->key, ((const struct label_term *)b)->key);
}

/* An empty term of this key in the list. NULL: no memory. */
static struct label_term *add_term(struct label_selector *selector, const char *key, enum label_operator op)
{
    struct label_term *term = mem_zero(1, sizeof *term);
    if (term == NULL)
        return NULL;
    term->op = op;
    term->values = vec_make(SELECTOR_TERMS, mem_free);
    term->key = mem_string(key);
    if (term->key == NULL) {
        label_term_free(term);
        return NULL;
    }
    return vec_push(&selector->terms, term) ? term : NULL;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static bool add_labels(struct label_selector *selector, const struct value *labels, struct error *err)
{
    for (const struct value *label = value_first(labels); label != NULL; label = value_next(label)) {
        struct label_term *term = add_term(selector, value_key(label), LABEL_IN);
        if (term == NULL || !vec_push_string(&term->values, text_or_empty(value_text(label))))
            return error_memory(err);
        term->equals = true;
    }
    return true;
}

static bool find_operator(const char *name, enum label_operator *op, struct error *err)
{
    static const struct {
        const char *name;
        enum label_operator op;
    } operators[] = {{"In", LABEL_IN}, {"NotIn", LABEL_NOT_IN}, {"Exists", LABEL_EXISTS}, {"DoesNotExist", LABEL_MISSING}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].name, name) == 0) {
            *op = operators[i].op;
            return true;
        }
    return error_set(err, ERROR_INVALID, NULL, "\"%s\" is not a valid label selector operator", name);
}

static bool add_expression(struct label_selector *selector, const struct value *expression, struct error *err)
{
    enum label_operator op = LABEL_EXISTS;
    if (!find_operator(text_or_empty(value_find_text(expression, "operator", NULL)), &op, err))
        return false;
    const struct value *values = value_get(expression, "values");
    bool wants_values = op == LABEL_IN || op == LABEL_NOT_IN;
    if (wants_values && value_first(values) == NULL)
        return error_set(err, ERROR_INVALID, NULL,
                         "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
    if (!wants_values && value_first(values) != NULL)
        return error_set(err, ERROR_INVALID, NULL,
                         "values: Invalid value: values set must be empty for exists and does not exist");
    struct label_term *term = add_term(selector, text_or_empty(value_find_text(expression, "key", NULL)), op);
    if (term == NULL)
        return error_memory(err);
    for (const struct value *value = value_first(values); value != NULL; value = value_next(value))
        if (!vec_push_string(&term->values, text_or_empty(value_text(value))))
            return error_memory(err);
    vec_sort(&term->values, compare_texts);
    return true;
}

static struct label_selector *begin(const struct value *from, struct error *err)
{
    struct label_selector *selector = mem_alloc(sizeof *selector);
    if (selector == NULL) {
        error_memory(err);
        return NULL;
    }
    bool missing = value_type(from) == VALUE_MISSING || value_type(from) == VALUE_NULL;
    *selector = (struct label_selector){.terms = vec_make(SELECTOR_TERMS, label_term_free), .nothing = missing};
    return selector;
}

static struct label_selector *finish(struct label_selector *selector, bool whole)
{
    if (!whole) {
        label_selector_free(selector);
        return NULL;
    }
    vec_sort(&selector->terms, compare_keys);
    return selector;
}

struct label_selector *label_selector_new(const struct value *from, struct error *err)
{
    struct label_selector *selector = begin(from, err);
    if (selector == NULL)
        return NULL;
    bool whole = add_labels(selector, value_get(from, "matchLabels"), err);
    for (const struct value *expression = value_first(value_get(from, "matchExpressions")); whole && expression != NULL;
         expression = value_next(expression))
        whole = add_expression(selector, expression, err);
    return finish(selector, whole);
}

struct label_selector *label_selector_of_map(const struct value *labels, struct error *err)
{
    struct label_selector *selector = begin(labels, err);
    if (selector == NULL)
        return NULL;
    bool whole = add_labels(selector, labels, err);
    selector->nothing = selector->terms.length == 0;
    return finish(selector, whole);
}

void label_selector_free(struct label_selector *selector)
{
    if (selector == NULL)
        return;
    vec_free(&selector->terms);
    mem_free(selector);
}

bool label_selector_matches(const struct label_selector *selector, const struct object *object)
{
    for (size_t i = 0; i < selector->terms.length; i++) {
        const struct label_term *term = selector->terms.items[i];
        if (!label_term_matches(term, object_label(object, term->key)))
            return false;
    }
    return !selector->nothing;
}

bool label_selector_matches_labels(const struct label_selector *selector, const struct value *labels)
{
    for (size_t i = 0; i < selector->terms.length; i++) {
        const struct label_term *term = selector->terms.items[i];
        if (!label_term_matches(term, value_text(value_get(labels, term->key))))
            return false;
    }
    return !selector->nothing;
}

bool label_selector_is_empty(const struct label_selector *selector)
{
    return selector->terms.length == 0 && !selector->nothing;
}

static void print_term(struct buf *out, const struct label_term *term)
{
    buf_printf(out, "%s%s", term->op == LABEL_MISSING ? "!" : "", term->key);
    if (term->op == LABEL_EXISTS || term->op == LABEL_MISSING)
        return;
    buf_append_string(out, term->equals ? "=" : term->op == LABEL_IN ? " in (" : " notin (");
    for (size_t i = 0; i < term->values.length; i++)
        buf_printf(out, "%s%s", i > 0 ? "," : "", (const char *)term->values.items[i]);
    buf_append_string(out, term->equals ? "" : ")");
}

char *label_selector_text(const struct label_selector *selector)
{
    struct buf out = buf_make(LABEL_SELECTOR_TEXT);
    for (size_t i = 0; i < selector->terms.length; i++) {
        buf_append_string(&out, i > 0 ? "," : "");
        print_term(&out, selector->terms.items[i]);
    }
    return buf_take(&out, NULL);
}
