#include "practice/api/selector.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "practice/api/selector_parse.h"
#include "practice/schema/rules.h"

enum { FIELD_NAME = -1, FIELD_NAMESPACE = -2, FIELD_OTHER = -3 };

/* metadata.name=x, spec.nodeName!=y. */
struct field_term {
    int field; /* FIELD_NAME, FIELD_NAMESPACE, FIELD_OTHER (where no kind is known), or a place among the kind's selectors, which is the place among an object's fields */
    bool equal;
    char *value;
};

struct selector {
    struct vec labels; /* of struct label_term */
    struct vec fields; /* of struct field_term */
};

static void free_field_term(void *data)
{
    struct field_term *term = data;
    mem_free(term->value);
    mem_free(term);
}

/* `spec.a=b\,c` after its operator: what is escaped becomes itself. NULL with the failure; memory too. */
static char *unescape(const char *text, size_t length, struct status *failure)
{
    struct buf out = buf_make(SELECTOR_MOST);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            char next = i + 1 < length ? text[i + 1] : '\0';
            if (next == '\0' || strchr("\\,=", next) == NULL) {
                buf_free(&out);
                status_bad_request(failure, "invalid field selector: invalid escape sequence: %.*s", next == '\0' ? 1 : 2, text + i);
                return NULL;
            }
            i++;
        } else if (text[i] == '=' || text[i] == ',') {
            buf_free(&out);
            status_bad_request(failure, "invalid field selector: unescaped character in value: %d", text[i]);
            return NULL;
        }
        buf_append(&out, text + i, 1);
    }
    char *value = buf_take(&out, NULL);
    if (value == NULL)
        status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    return value;
}

/* The place of a field; false with the failure for one that cannot be asked for. kind NULL: every field can be. */
static bool find_field(const char *name, size_t length, const struct schema_kind *kind, int *field, struct status *failure)
{
    const char *const *selectors = kind != NULL ? rules_of(kind)->selectors : NULL;
    *field = FIELD_OTHER;
    if (length == strlen("metadata.name") && memcmp(name, "metadata.name", length) == 0) {
        *field = FIELD_NAME;
        return true;
    }
    if (length == strlen("metadata.namespace") && memcmp(name, "metadata.namespace", length) == 0) {
        *field = FIELD_NAMESPACE;
        return true;
    }
    if (kind == NULL)
        return true;
    for (int i = 0; selectors != NULL && selectors[i] != NULL; i++)
        if (strlen(selectors[i]) == length && memcmp(selectors[i], name, length) == 0) {
            *field = i;
            return true;
        }
    if (strcmp(kind->kind, "Job") == 0 && strcmp(kind->group, "batch") == 0)
        return status_bad_request(failure, "field label \"%.*s\" not supported for Job", (int)length, name);
    if (kind->crd == NULL && (selectors == NULL || (kind->group[0] != '\0' && strcmp(kind->group, "events.k8s.io") != 0)))
        return status_bad_request(failure, "\"%.*s\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", (int)length,
                                  name);
    return status_bad_request(failure, "field label not supported: %.*s", (int)length, name);
}

/* One term, `length` bytes of the selector `whole`. */
static bool add_field(struct selector *selector, const char *whole, const char *term, size_t length, const struct schema_kind *kind,
                      struct status *failure)
{
    size_t at = 0, mark = 0; /* mark: how long the operator is */
    for (; at < length && mark == 0; at++)
        if (term[at] == '=' || (term[at] == '!' && at + 1 < length && term[at + 1] == '='))
            mark = term[at] == '!' || (at + 1 < length && term[at + 1] == '=') ? 2 : 1;
    if (mark == 0)
        return status_bad_request(failure, "invalid selector: '%s'; can't understand '%.*s'", whole, (int)length, term);
    at--;
    struct field_term *made = mem_zero(1, sizeof *made);
    if (made == NULL)
        return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    made->equal = term[at] != '!';
    made->value = unescape(term + at + mark, length - at - mark, failure);
    if (made->value == NULL || !find_field(term, at, kind, &made->field, failure)) {
        free_field_term(made);
        return false;
    }
    return vec_push(&selector->fields, made) || status_error(failure, &(struct error){.kind = ERROR_MEMORY});
}

/* Terms stand between commas that are not escaped. */
static bool parse_fields(struct selector *selector, const char *fields, const struct schema_kind *kind, struct status *failure)
{
    for (const char *from = fields, *at = fields;; at++) {
        if (*at == '\\' && at[1] != '\0') {
            at++;
        } else if (*at == ',' || *at == '\0') {
            if (at > from && !add_field(selector, fields, from, (size_t)(at - from), kind, failure))
                return false;
            from = at + 1;
            if (*at == '\0')
                return true;
        }
    }
}

struct selector *selector_new(const char *labels, const char *fields, const struct schema_kind *kind, struct status *failure)
{
    struct selector *selector = mem_alloc(sizeof *selector);
    if (selector == NULL) {
        status_error(failure, &(struct error){.kind = ERROR_MEMORY});
        return NULL;
    }
    selector->labels = vec_make(SELECTOR_TERMS, label_term_free);
    selector->fields = vec_make(SELECTOR_TERMS, free_field_term);
    if (label_terms_parse(labels != NULL ? labels : "", &selector->labels, failure) &&
        parse_fields(selector, fields != NULL ? fields : "", kind, failure))
        return selector;
    selector_free(selector);
    return NULL;
}

void selector_free(struct selector *selector)
{
    if (selector == NULL)
        return;
    vec_free(&selector->labels);
    vec_free(&selector->fields);
    mem_free(selector);
}

static const char *field_of(const struct object *object, int field)
{
    if (field == FIELD_NAME)
        return object->name;
    if (field == FIELD_NAMESPACE)
        return object->ns;
    if ((unsigned)field >= object->field_count)
        return "";
    const char *at = object->fields;
    for (int i = 0; i < field; i++)
        at += strlen(at) + 1;
    return at;
}

bool selector_matches(const struct selector *selector, const struct object *object)
{
    for (size_t i = 0; i < selector->fields.length; i++) {
        const struct field_term *term = selector->fields.items[i];
        if ((strcmp(field_of(object, term->field), term->value) == 0) != term->equal)
            return false;
    }
    for (size_t i = 0; i < selector->labels.length; i++) {
        const struct label_term *term = selector->labels.items[i];
        if (!label_term_matches(term, object_label(object, term->key)))
            return false;
    }
    return true;
}

bool selector_is_empty(const struct selector *selector)
{
    return selector->labels.length == 0 && selector->fields.length == 0;
}

char *selector_name(const char *fields)
{
    struct status failure = {0};
    struct selector *selector = selector_new(NULL, fields, NULL, &failure);
    const char *name = NULL;
    for (size_t i = 0; selector != NULL && i < selector->fields.length; i++) {
        const struct field_term *term = selector->fields.items[i];
        if (term->field == FIELD_NAME && term->equal && (name == NULL || strcmp(term->value, name) < 0))
            name = term->value;
    }
    char *copy = name != NULL && name[0] != '\0' ? mem_string(name) : NULL;
    selector_free(selector);
    status_free(&failure);
    return copy;
}

static bool keep(const struct object *object, const void *selector)
{
    return selector_matches(selector, object);
}

bool selector_list(const struct selector *selector, struct state *state, const struct selector_range *range, struct vec *objects, bool *more,
                   struct error *err)
{
    enum { PAIRS = 16 };
    const char *pairs[2 * PAIRS + 1];
    size_t count = 0;
    for (size_t i = 0; i < selector->labels.length && count < 2 * PAIRS; i++) {
        const struct label_term *term = selector->labels.items[i];
        if (term->op != LABEL_IN || term->values.length != 1)
            continue;
        pairs[count++] = term->key;
        pairs[count++] = term->values.items[0];
    }
    pairs[count] = NULL;
    if (count > 0)
        return state_list_labelled(state, range->resource, range->only_ns, range->version, range->after_ns, range->after_name, range->maximum, pairs, keep,
                                   selector, objects, more, err);
    return state_list(state, range->resource, range->only_ns, range->version, range->after_ns, range->after_name, range->maximum,
                      selector_is_empty(selector) ? NULL : keep, selector, objects, more, err);
}
