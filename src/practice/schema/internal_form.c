#include "practice/schema/internal_form.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/line_diff.h"
#include "practice/schema/rules_internal.h"

enum { FORM_TEXT_MOST = 4 * 1024 * 1024 };

static struct value *form_of(const struct form_field *fields, const struct value *value);

/* What stands at a field: the value in internal form, or Go's zero. */
static struct value *form_field(const struct form_field *field, const struct value *value)
{
    bool nothing = value == NULL || value_type(value) == VALUE_NULL;
    if (!nothing && field->fields != NULL)
        return form_of(field->fields, value);
    if (!nothing)
        return value_copy(value);
    switch (field->kind) {
    case FORM_TEXT: return value_string("");
    case FORM_NUMBER: return value_int(0);
    case FORM_BOOL: return value_bool(false);
    case FORM_QUANTITY: return value_string("0");
    case FORM_STRUCT: return form_of(field->fields, NULL);
    default: return value_null();
    }
}

static bool add_inline(struct value *object, const struct value *value)
{
    EACH (entry, value)
        if (value_type(entry) != VALUE_NULL && !put_copy(object, value_key(entry), entry))
            return false;
    return true;
}

static struct value *form_struct(const struct form_field *fields, const struct value *value)
{
    struct value *object = value_object();
    bool ok = object != NULL;
    for (const struct form_field *field = fields; ok && field->go != NULL; field++) {
        const struct value *entry = value_get(value, field->json);
        ok = field->kind == FORM_INLINE ? add_inline(object, entry) : value_set(object, field->go, form_field(field, entry));
    }
    if (ok)
        return object;
    value_free(object);
    return NULL;
}

/* A struct, or a list of them. Depth is that of the table's types. */
static struct value *form_of(const struct form_field *fields, const struct value *value)
{
    if (value_type(value) != VALUE_ARRAY)
        return form_struct(fields, value);
    struct value *array = value_array();
    bool ok = array != NULL;
    for (const struct value *item = value_first(value); ok && item != NULL; item = value_next(item))
        ok = value_append(array, form_struct(fields, item));
    if (ok)
        return array;
    value_free(array);
    return NULL;
}

/* Go's MarshalIndent with one space a level. */
static void print_indented(const struct value *value, size_t depth, struct buf *out)
{
    bool object = value_type(value) == VALUE_OBJECT, array = value_type(value) == VALUE_ARRAY;
    if ((!object && !array) || value_first(value) == NULL) {
        json_print(value, false, out);
        return;
    }
    buf_append_string(out, object ? "{" : "[");
    EACH (entry, value) {
        buf_append_string(out, entry == value_first(value) ? "\n" : ",\n");
        for (size_t i = 0; i <= depth; i++)
            buf_append_string(out, " ");
        if (object) {
            json_quote(value_key(entry), out);
            buf_append_string(out, ": ");
        }
        print_indented(entry, depth + 1, out);
    }
    buf_append_string(out, "\n");
    for (size_t i = 0; i < depth; i++)
        buf_append_string(out, " ");
    buf_append_string(out, object ? "}" : "]");
}

char *internal_json(const char *type, const struct value *value, bool indented)
{
    const struct form *form = form_table;
    const char *name = starts_with(type, "[]") ? type + 2 : type;
    while (form->type != NULL && strcmp(form->type, name) != 0)
        form++;
    struct buf raw = buf_make(FORM_TEXT_MOST), out = buf_make(FORM_TEXT_MOST);
    bool nothing = value == NULL && (name != type || form->type == NULL); /* a nil slice or map */
    struct value *shown = nothing ? value_null() : form->type != NULL ? form_of(form->fields, value) : value_copy(value);
    if (shown != NULL && indented)
        print_indented(shown, 0, &raw);
    else if (shown != NULL)
        json_print(shown, false, &raw);
    if (shown != NULL && buf_ok(&raw))
        problem_json(raw.bytes, &out);
    else
        out.failed = true;
    value_free(shown);
    buf_free(&raw);
    return buf_take(&out, NULL);
}

void problem_internal(struct problems *problems, const struct place *place, enum problem_type type, const char *name, const struct value *value,
                      const char *detail)
{
    char *json = internal_json(name, value, false);
    if (json == NULL)
        problems->failed = true;
    else
        problem_text(problems, place, type, json, detail);
    mem_free(json);
}

void problem_diff(struct problems *problems, const struct place *place, const char *type, const struct value *old, const struct value *now,
                  const char *detail)
{
    char *before = internal_json(type, old, true), *after = internal_json(type, now, true);
    struct buf text = buf_make(FORM_TEXT_MOST);
    buf_printf(&text, "%s\n", detail);
    if (before == NULL || after == NULL || !line_diff(before, after, &text) || !buf_ok(&text))
        problems->failed = true;
    else
        problem_forbidden(problems, place, NULL, text.bytes);
    buf_free(&text);
    mem_free(before);
    mem_free(after);
}
