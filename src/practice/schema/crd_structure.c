/* crd_structure: structural schemas (apiextensions-apiserver, pkg/apiserver/schema: validation.go, complete.go). */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/crd_judge.h"
#include "practice/schema/rules_internal.h"

enum level { LEVEL_ROOT, LEVEL_ITEM, LEVEL_FIELD };

static bool flag(const struct value *schema, const char *key)
{
    return value_is_true(value_get(schema, key));
}

static void forbid(const struct place *place, const char *key, const char *why, struct problems *problems)
{
    problem_forbidden(problems, place, key, why);
}

/* ---- what cannot be read ---- */

static bool is_set(const struct value *schema, const char *key)
{
    const struct value *v = value_get(schema, key);
    return v != NULL && value_type(v) != VALUE_NULL && !(value_text(v) != NULL && value_text(v)[0] == '\0');
}

static const char *own_fault(const struct value *schema)
{
    static const struct {
        const char *key, *words;
        bool filled; /* an empty one does not count */
    } faults[] = {
        {"id", "OpenAPIV3Schema 'id' is not supported", false},
        {"$schema", "OpenAPIV3Schema 'schema' is not supported", false},
        {"$ref", "OpenAPIV3Schema '$ref' is not supported", false},
        {"patternProperties", "OpenAPIV3Schema 'patternProperties' is not supported", true},
        {"dependencies", "OpenAPIV3Schema 'dependencies' is not supported", true},
        {"additionalItems", "OpenAPIV3Schema 'additionalItems' is not supported", false},
        {"definitions", "OpenAPIV3Schema 'definitions' is not supported", true},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (is_set(schema, faults[i].key) && (!faults[i].filled || value_first(value_get(schema, faults[i].key)) != NULL))
            return faults[i].words;
    if (value_type(value_get(schema, "items")) == VALUE_ARRAY)
        return "OpenAPIV3Schema 'items' must be a schema, but is an array";
    const struct value *preserve = value_get(schema, "x-kubernetes-preserve-unknown-fields");
    if (value_type(preserve) == VALUE_BOOL && !value_is_true(preserve))
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
    return NULL;
}

const char *crd_judge_reading(const struct value *schema)
{
    static const char *const one[] = {"items", "additionalProperties", "not"}, *const many[] = {"properties", "allOf", "anyOf",
                                                                                                "oneOf"};
    if (value_type(schema) != VALUE_OBJECT)
        return NULL;
    const char *fault = own_fault(schema);
    for (size_t i = 0; fault == NULL && i < 3; i++)
        fault = crd_judge_reading(value_get(schema, one[i]));
    for (size_t i = 0; fault == NULL && i < 4; i++)
        for (const struct value *entry = value_first(value_get(schema, many[i])); fault == NULL && entry != NULL;
             entry = value_next(entry))
            fault = crd_judge_reading(entry);
    return fault;
}

/* ---- value validations ---- */

static void judge_nested(const struct value *v, bool skips_any, enum level level, const struct place *place,
                         struct problems *problems);

static void judge_list(const struct value *schema, const char *key, bool skips, enum level level, const struct place *place,
                       struct problems *problems)
{
    const struct place list = place_key(place, key);
    size_t index = 0;
    EACH(entry, value_get(schema, key))
    {
        const struct place at = place_index(&list, index);
        judge_nested(entry, skips && index == 0, level, &at, problems);
        index++;
    }
}

/* skips_any: its anyOf is the one of int-or-string; skips_first: that of the first of allOf is. */
static void judge_values(const struct value *schema, bool skips_any, bool skips_first, enum level level,
                         const struct place *place, struct problems *problems)
{
    const struct place not = place_key(place, "not"), pattern = place_key(place, "pattern");
    if (!skips_any)
        judge_list(schema, "anyOf", false, level, place, problems);
    judge_list(schema, "allOf", skips_first, level, place, problems);
    judge_list(schema, "oneOf", false, level, place, problems);
    judge_nested(value_get(schema, "not"), false, level, &not, problems);
    const char *expression = text_of(schema, "pattern");
    struct error why = ERROR_INIT;
    struct pattern *compiled = expression[0] != '\0' ? crd_pattern_new(expression, &why) : NULL;
    if (expression[0] != '\0' && compiled == NULL) {
        if (why.kind == ERROR_MEMORY)
            problems->failed = true;
        else
            problem_invalid(problems, &pattern, expression, "must be a valid regular expression, but isn't: %s", why.message);
    }
    pattern_free(compiled);
}

static void judge_nested(const struct value *v, bool skips_any, enum level level, const struct place *place,
                         struct problems *problems)
{
    static const char *const empty = "must be empty to be structural", *const undefined = "must be undefined to be structural",
                             *const untrue = "must be false to be structural";
    const struct place items = place_key(place, "items"), properties = place_key(place, "properties");
    if (value_type(v) != VALUE_OBJECT)
        return;
    judge_values(v, skips_any, false, level, place, problems);
    judge_nested(value_get(v, "items"), false, level, &items, problems);
    EACH(entry, value_get(v, "properties"))
    {
        const struct place at = place_map(&properties, value_key(entry));
        judge_nested(entry, false, LEVEL_FIELD, &at, problems);
    }
    const struct {
        const char *key, *why;
        bool is_flag;
    } forbidden[] = {{"type", empty, false},
                     {"additionalProperties", undefined, false},
                     {"default", undefined, false},
                     {"title", empty, false},
                     {"description", empty, false},
                     {"nullable", untrue, true},
                     {"x-kubernetes-preserve-unknown-fields", untrue, true},
                     {"x-kubernetes-embedded-resource", untrue, true},
                     {"x-kubernetes-int-or-string", untrue, true},
                     {"x-kubernetes-list-map-keys", empty, false},
                     {"x-kubernetes-list-type", undefined, false},
                     {"x-kubernetes-map-type", undefined, false},
                     {"x-kubernetes-validations", empty, false}};
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        if (forbidden[i].is_flag ? flag(v, forbidden[i].key) : is_set(v, forbidden[i].key))
            forbid(place, forbidden[i].key, forbidden[i].why, problems);
    const struct place metadata = place_map(&properties, "metadata");
    if (value_find(v, "properties", "metadata", NULL) != NULL)
        forbid(&metadata, NULL, "must not be specified in a nested context", problems);
}

/* ---- the structure itself ---- */

/* anyOf: [{type: integer}, {type: string}] */
static bool is_int_or_string(const struct value *list)
{
    const struct value *first = value_item(list, 0), *second = value_item(list, 1);
    return value_length(list) == 2 && value_length(first) == 1 && value_length(second) == 1 &&
           text_is(first, "type", "integer") && text_is(second, "type", "string");
}

static void judge_metadata(const struct value *metadata, bool checks, enum level level, const struct place *place,
                           struct problems *problems)
{
    const struct value *properties = value_get(metadata, "properties");
    const struct place type = place_key(place, "type");
    if (checks && !text_is(metadata, "type", "object"))
        problem_invalid(problems, &type, text_of(metadata, "type"), "must be object");
    if (level != LEVEL_ROOT)
        return;
    bool plain = true;
    EACH(entry, properties)
        plain = plain && (strcmp(value_key(entry), "name") == 0 || strcmp(value_key(entry), "generateName") == 0);
    EACH(entry, metadata)
    {
        static const char *const fine[] = {"type", "properties", "default", NULL};
        plain = plain && one_of(value_key(entry), fine);
    }
    if (!plain)
        forbid(place, NULL, "must not specify anything other than name and generateName, but metadata is implicitly specified",
               problems);
}

static void judge_type(const struct value *schema, enum level level, const struct place *place, struct problems *problems)
{
    static const char *const missing[] = {[LEVEL_ROOT] = "must not be empty at the root",
                                          [LEVEL_ITEM] = "must not be empty for specified array items",
                                          [LEVEL_FIELD] = "must not be empty for specified object fields"};
    const struct place at = place_key(place, "type");
    const char *type = text_of(schema, "type");
    bool embedded = flag(schema, "x-kubernetes-embedded-resource");
    if (embedded && type[0] == '\0')
        problem_required(problems, place, "type", "must be object if x-kubernetes-embedded-resource is true");
    else if (embedded && strcmp(type, "object") != 0)
        problem_invalid(problems, &at, type, "must be object if x-kubernetes-embedded-resource is true");
    else if (type[0] == '\0' && !flag(schema, "x-kubernetes-int-or-string") &&
             !flag(schema, "x-kubernetes-preserve-unknown-fields"))
        problem_required(problems, place, "type", missing[level]);
    if (embedded && is_set(schema, "additionalProperties"))
        forbid(place, "additionalProperties", "must not be used if x-kubernetes-embedded-resource is set", problems);
    if (level == LEVEL_ROOT && type[0] != '\0' && strcmp(type, "object") != 0)
        problem_invalid(problems, &at, type, "must be object at the root");
}

static void judge_extensions(const struct value *schema, const struct place *place, struct problems *problems)
{
    static const char *const others[] = {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"};
    for (int i = 0; i < 2; i++) {
        const struct place at = place_key(place, others[i]);
        if (flag(schema, "x-kubernetes-int-or-string") && flag(schema, others[i]))
            problem_add(problems, &at, PROBLEM_INVALID, value_get(schema, others[i]),
                        "must be false if x-kubernetes-int-or-string is true");
    }
}

static void judge_resource(const struct value *schema, enum level level, const struct place *place, struct problems *problems)
{
    static const char *const texts[] = {"kind", "apiVersion"};
    const struct value *properties = value_get(schema, "properties");
    const struct place list = place_key(place, "properties");
    bool embedded = flag(schema, "x-kubernetes-embedded-resource"), checks = level == LEVEL_ROOT || embedded;
    for (int i = 0; checks && i < 2; i++) {
        const struct value *property = value_get(properties, texts[i]);
        const struct place at = place_map(&list, texts[i]), type = place_key(&at, "type");
        if (property != NULL && !text_is(property, "type", "string"))
            problem_invalid(problems, &type, text_of(property, "type"), "must be string");
    }
    const struct place metadata = place_map(&list, "metadata");
    if (value_get(properties, "metadata") != NULL)
        judge_metadata(value_get(properties, "metadata"), checks, level, &metadata, problems);
    if (embedded && !flag(schema, "x-kubernetes-preserve-unknown-fields") && value_first(properties) == NULL)
        problem_required(
            problems, place, "properties",
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
}

static void judge(const struct value *schema, enum level level, const struct place *place, struct problems *problems)
{
    const struct place items = place_key(place, "items"), properties = place_key(place, "properties"),
                       additional = place_key(place, "additionalProperties");
    if (value_type(schema) != VALUE_OBJECT)
        return;
    if (text_is(schema, "type", "array") && !is_set(schema, "items"))
        problem_required(problems, place, "items", "must be specified");
    judge(value_get(schema, "items"), LEVEL_ITEM, &items, problems);
    EACH(entry, value_get(schema, "properties"))
    {
        const struct place at = place_map(&properties, value_key(entry));
        judge(entry, LEVEL_FIELD, &at, problems);
    }
    if (is_set(schema, "additionalProperties")) {
        if (level == LEVEL_ROOT)
            forbid(place, "additionalProperties", "must not be used at the root", problems);
        judge(value_get(schema, "additionalProperties"), LEVEL_FIELD, &additional, problems);
    }
    judge_extensions(schema, place, problems);
    judge_values(schema, is_int_or_string(value_get(schema, "anyOf")),
                 is_int_or_string(value_get(value_item(value_get(schema, "allOf"), 0), "anyOf")), level, place, problems);
    judge_type(schema, level, place, problems);
    judge_resource(schema, level, place, problems);
}

/* ---- what alternatives speak of must be there outside of them ---- */

static void judge_complete(const struct value *v, const struct value *schema, const struct place *structure,
                           const struct place *place, struct problems *problems);

static void require(const struct place *structure, const struct place *place, struct problems *problems)
{
    struct buf path = buf_make(1 << 16);
    place_print(place, &path);
    char *detail = buf_ok(&path) && path.bytes != NULL ? mem_printf("because it is defined in %s", path.bytes) : NULL;
    if (detail != NULL)
        problem_required(problems, structure, NULL, detail);
    else
        problems->failed = true;
    mem_free(detail);
    buf_free(&path);
}

static void judge_alternatives(const struct value *v, const struct value *schema, const struct place *structure,
                               const struct place *place, struct problems *problems)
{
    static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
    const struct place not = place_key(place, "not");
    judge_complete(value_get(v, "not"), schema, structure, &not, problems);
    for (int i = 0; i < 3; i++) {
        const struct place list = place_key(place, lists[i]);
        size_t index = 0;
        EACH(entry, value_get(v, lists[i]))
        {
            const struct place at = place_index(&list, index++);
            judge_complete(entry, schema, structure, &at, problems);
        }
    }
}

static void judge_complete(const struct value *v, const struct value *schema, const struct place *structure,
                           const struct place *place, struct problems *problems)
{
    const struct place items = place_key(place, "items"), own_items = place_key(structure, "items");
    const struct place properties = place_key(place, "properties"), own_properties = place_key(structure, "properties");
    if (value_type(v) != VALUE_OBJECT)
        return;
    if (value_type(schema) != VALUE_OBJECT) {
        require(structure, place, problems);
        return;
    }
    judge_alternatives(v, schema, structure, place, problems);
    judge_complete(value_get(v, "items"), value_get(schema, "items"), &own_items, &items, problems);
    EACH(entry, value_get(v, "properties"))
    {
        const struct place at = place_map(&properties, value_key(entry)), own = place_map(&own_properties, value_key(entry));
        judge_complete(entry, value_find(schema, "properties", value_key(entry), NULL), &own, &at, problems);
    }
}

static int by_text(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    char *first = mem_printf("%s: %s", x->field, x->message), *second = mem_printf("%s: %s", y->field, y->message);
    int order = first != NULL && second != NULL ? strcmp(first, second) : 0;
    mem_free(first);
    mem_free(second);
    return order;
}

void crd_judge_structure(const struct value *schema, const struct place *place, struct problems *problems)
{
    judge(schema, LEVEL_ROOT, place, problems);
    judge_alternatives(schema, schema, place, place, problems);
    vec_sort(&problems->list, by_text);
}
