/* crd_warn: words about a definition that is right: formats that mean nothing, sets of what cannot be told apart, rules that
 * this server does not know, versions that are deprecated. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/rules_internal.h"

struct seen {
    struct vec formats, sets; /* strings */
    bool rules, failed;
};

static void add(struct seen *seen, struct vec *list, char *text)
{
    if (text == NULL) {
        seen->failed = true;
    } else if (vec_has_string(list, text)) {
        mem_free(text);
    } else if (!vec_push(list, text)) {
        seen->failed = true;
    }
}

static bool format_counts(const char *type, const char *format)
{
    if (type[0] == '\0' || strcmp(type, "string") == 0)
        return crd_format_known(format);
    if (strcmp(type, "integer") == 0)
        return strcmp(format, "int32") == 0 || strcmp(format, "int64") == 0;
    return strcmp(type, "number") == 0 && (strcmp(format, "float") == 0 || strcmp(format, "double") == 0);
}

static void look(const struct value *schema, struct seen *seen)
{
    static const char *const one[] = {"items", "not", "additionalProperties"}, *const many[] = {"allOf", "anyOf", "oneOf",
                                                                                                "properties"};
    const char *format = text_of(schema, "format"), *items = text_of(value_get(schema, "items"), "type");
    if (value_type(schema) != VALUE_OBJECT)
        return;
    if (format[0] != '\0' && !format_counts(text_of(schema, "type"), format))
        add(seen, &seen->formats, mem_printf("unrecognized format \"%s\"", format));
    if (text_is(schema, "x-kubernetes-list-type", "set") && (strcmp(items, "object") == 0 || strcmp(items, "array") == 0))
        add(seen, &seen->sets,
            mem_printf("x-kubernetes-list-type: set for items of type \"%s\" is not supported by server-side apply or CEL "
                       "validation rules",
                       items));
    seen->rules = seen->rules || value_first(value_get(schema, "x-kubernetes-validations")) != NULL;
    for (int i = 0; i < 3; i++)
        look(value_get(schema, one[i]), seen);
    for (int i = 0; i < 4; i++)
        EACH(entry, value_get(schema, many[i]))
    look(entry, seen);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool tell(const struct vec *list, struct vec *warnings)
{
    for (size_t i = 0; i < list->length; i++)
        if (!vec_push_string(warnings, list->items[i]))
            return false;
    return true;
}

bool crd_warn(const struct value *definition, struct vec *warnings)
{
    enum { WORDS = 1000 };
    struct seen seen = {.formats = vec_make(WORDS, mem_free), .sets = vec_make(WORDS, mem_free)};
    EACH(version, value_find(definition, "spec", "versions", NULL))
        look(value_find(version, "schema", "openAPIV3Schema", NULL), &seen);
    vec_sort(&seen.sets, by_text);
    bool ok = !seen.failed && tell(&seen.formats, warnings) && tell(&seen.sets, warnings);
    if (ok && seen.rules)
        ok = vec_push_string(warnings, "x-kubernetes-validations: the practice cluster does not evaluate these rules; objects "
                                       "that break them are accepted");
    if (ok && text_is(value_find(definition, "spec", "conversion", NULL), "strategy", "Webhook"))
        ok = vec_push_string(
            warnings,
            "spec.conversion: the practice cluster does not call conversion webhooks; versions differ in apiVersion only");
    vec_free(&seen.formats);
    vec_free(&seen.sets);
    return ok;
}
