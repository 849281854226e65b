/* crd_version: is a version of a definition right? See crd_validate.c. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/crd_judge.h"
#include "practice/schema/rules_internal.h"

enum { FORM = 4 << 20, SELECTABLE = 8 };

/* ---- parts of a version ---- */

static void check_simple_path(const char *path, const struct place *place, struct problems *problems)
{
    if (path[0] != '.')
        problem_invalid(problems, place, path, "must be a simple json path starting with .");
}

static void check_scale_path(const struct value *scale, const char *key, const char *under, const struct place *place,
                             struct problems *problems)
{
    const struct place at = place_key(place, key);
    const char *path = text_of(scale, key);
    if (path[0] == '\0')
        problem_required(problems, place, key, NULL);
    else if (path[0] != '.')
        check_simple_path(path, &at, problems);
    else if (strncmp(path + 1, under, strlen(under)) != 0 || path[1 + strlen(under)] != '.')
        problem_invalid(problems, &at, path, "should be a json path under .%s", under);
}

static void check_subresources(const struct value *subresources, const struct place *place, struct problems *problems)
{
    const struct value *scale = value_get(subresources, "scale");
    const struct place own = place_key(place, "scale"), selector = place_key(&own, "labelSelectorPath");
    const char *path = text_of(scale, "labelSelectorPath");
    if (value_type(scale) != VALUE_OBJECT)
        return;
    check_scale_path(scale, "specReplicasPath", "spec", &own, problems);
    check_scale_path(scale, "statusReplicasPath", "status", &own, problems);
    if (path[0] != '\0' && path[0] != '.')
        check_simple_path(path, &selector, problems);
    else if (path[0] != '\0' && !starts_with(path, ".spec.") && !starts_with(path, ".status."))
        problem_invalid(problems, &selector, path, "should be a json path under either .spec or .status");
}

static void check_column(const struct value *column, const struct place *place, struct problems *problems)
{
    static const char *const types[] = {"boolean", "date", "integer", "number", "string", NULL};
    static const char *const formats[] = {"byte", "date", "date-time", "double", "float", "int32", "int64", "password", NULL};
    static const char *const one_type = "must be one of boolean,date,integer,number,string";
    const struct place type = place_key(place, "type"), format = place_key(place, "format"),
                       path = place_key(place, "JSONPath");
    if (*text_of(column, "name") == '\0')
        problem_required(problems, place, "name", NULL);
    if (*text_of(column, "type") == '\0')
        problem_required(problems, place, "type", one_type);
    else if (!one_of(text_of(column, "type"), types))
        problem_invalid(problems, &type, text_of(column, "type"), "%s", one_type);
    if (*text_of(column, "format") != '\0' && !one_of(text_of(column, "format"), formats))
        problem_invalid(problems, &format, text_of(column, "format"),
                        "must be one of byte,date,date-time,double,float,int32,int64,password");
    if (*text_of(column, "jsonPath") == '\0')
        problem_required(problems, place, "JSONPath", NULL);
    else
        check_simple_path(text_of(column, "jsonPath"), &path, problems);
}

static void check_columns(const struct value *columns, const struct place *place, struct problems *problems)
{
    size_t index = 0;
    EACH(column, columns)
    {
        const struct place at = place_index(place, index++);
        check_column(column, &at, problems);
    }
}

/* The schema at a path of fields, or why there is none. */
static const struct value *schema_at(const struct value *schema, const char *path, const char **why)
{
    const char *part = path;
    *why = NULL;
    while (*part != '\0') {
        if (*part == '[') {
            *why = "array notation is not allowed";
            return NULL;
        }
        if (*part != '.') {
            *why = "";
            return NULL;
        }
        part++;
        size_t length = strcspn(part, ".[]");
        if (length == 0) {
            *why = *part == '\0' ? "unexpected end of JSON path" : "does not refer to a valid field";
            return NULL;
        }
        char *name = mem_string_n(part, length);
        const struct value *properties = value_get(schema, "properties"),
                           *below = name != NULL ? value_get(properties, name) : NULL;
        mem_free(name);
        if (properties == NULL && value_type(value_get(schema, "additionalProperties")) == VALUE_OBJECT)
            below = value_get(schema, "additionalProperties");
        if (below == NULL) {
            *why = "does not refer to a valid field";
            return NULL;
        }
        schema = below;
        part += length;
    }
    return schema;
}

static void check_selectable(const struct value *list, const struct value *schema, const struct place *place,
                             struct problems *problems)
{
    static const char *const types[] = {"string", "boolean", "integer", NULL};
    size_t index = 0, different = 0;
    EACH(entry, list)
    {
        const struct place item = place_index(place, index++), at = place_key(&item, "jsonPath");
        const char *path = text_of(entry, "jsonPath"), *why;
        if (path[0] == '\0') {
            problem_required(problems, &item, "jsonPath", NULL);
            continue;
        }
        const struct value *found = schema_at(schema, path, &why);
        if (why != NULL) {
            size_t length = strcspn(path, ".[]");
            if (why[0] == '\0')
                problem_invalid(problems, &at, path, "is an invalid path: expected [ or . but got: %.*s", (int)length, path);
            else
                problem_invalid(problems, &at, path, "is an invalid path: %s", why);
            continue;
        }
        if (starts_with(path, ".metadata") && (path[9] == '\0' || path[9] == '.'))
            problem_invalid(problems, &at, path, "must not point to fields in metadata");
        if (!one_of(text_of(found, "type"), types))
            problem_invalid(problems, &at, path,
                            "must point to a field of type string, boolean or integer. Enum string fields and strings with "
                            "formats are allowed.");
        if (seen_before(list, entry, "jsonPath"))
            problem_string(problems, &at, PROBLEM_DUPLICATE, path);
        else
            different++;
    }
    if (different > SELECTABLE)
        problem_too_many(problems, place, different, SELECTABLE);
}

/* ---- schemas ---- */

/* With status apart, what stands at the root must hold for the rest, too. */
static void check_root(const struct value *schema, const struct place *place, struct problems *problems)
{
    static const char *const fine[] = {"description",
                                       "type",
                                       "format",
                                       "title",
                                       "maximum",
                                       "exclusiveMaximum",
                                       "minimum",
                                       "exclusiveMinimum",
                                       "maxLength",
                                       "minLength",
                                       "pattern",
                                       "maxItems",
                                       "minItems",
                                       "uniqueItems",
                                       "multipleOf",
                                       "required",
                                       "items",
                                       "properties",
                                       "externalDocs",
                                       "example",
                                       "x-kubernetes-preserve-unknown-fields",
                                       "x-kubernetes-validations",
                                       NULL};
    const struct place type = place_key(place, "type");
    if (*text_of(schema, "type") != '\0' && !text_is(schema, "type", "object")) {
        problem_invalid(
            problems, &type, text_of(schema, "type"),
            "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled");
        return;
    }
    bool all = true;
    EACH(entry, schema)
        all = all && (one_of(value_key(entry), fine) || value_type(entry) == VALUE_NULL);
    if (all)
        return;
    struct buf form = buf_make(FORM), shown = buf_make(FORM);
    crd_form_schema(schema, &form);
    if (buf_ok(&form))
        problem_json(form.bytes, &shown);
    if (buf_ok(&form) && buf_ok(&shown))
        problem_text(problems, place, PROBLEM_INVALID, shown.bytes,
                     "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
                     "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf "
                     "Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed "
                     "at the root of the schema if the status subresource "
                     "is enabled");
    else
        problems->failed = true;
    buf_free(&form);
    buf_free(&shown);
}

static void move(struct problems *to, struct problems *from)
{
    to->failed = to->failed || from->failed;
    while (from->list.length > 0)
        if (!vec_push(&to->list, vec_take(&from->list, 0)))
            to->failed = true;
    problems_free(from);
}

static void check_schema(const struct value *validation, bool has_status, const struct place *up, struct problems *problems)
{
    const struct value *schema = value_get(validation, "openAPIV3Schema");
    const struct place place = place_key(up, "openAPIV3Schema");
    struct problems own = problems_make();
    if (value_type(schema) != VALUE_OBJECT)
        return;
    if (has_status)
        check_root(schema, &place, &own);
    if (is_true(schema, "nullable"))
        problem_forbidden(&own, &place, "nullable", "nullable cannot be true at the root");
    const char *unread = crd_judge_reading(schema);
    struct problems structure = problems_make();
    if (unread == NULL)
        crd_judge_structure(schema, &place, &structure);
    if (unread == NULL && problems_none(&structure))
        crd_judge_defaults(schema, &place, &structure);
    move(&own, &structure);
    crd_judge_keywords(schema, &place, &own);
    if (unread != NULL && problems_none(&own))
        problem_invalid(&own, &place, "", "%s", unread);
    move(problems, &own);
}

/* ---- versions ---- */

static void check_deprecation(const struct value *version, const struct place *place, struct problems *problems)
{
    const struct place at = place_key(place, "deprecationWarning");
    const struct value *warning = value_get(version, "deprecationWarning");
    const char *text = value_text(warning);
    if (text == NULL)
        return;
    if (!is_true(version, "deprecated")) {
        problem_add(problems, &at, PROBLEM_INVALID, warning, "can only be set for deprecated versions");
        return;
    }
    if (strlen(text) > 256)
        problem_add(problems, &at, PROBLEM_INVALID, warning, "must be <= 256 characters long");
    if (text[0] == '\0')
        problem_add(problems, &at, PROBLEM_INVALID, warning, "must not be an empty string");
    for (size_t i = 0; text[i] != '\0'; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            problem_add(problems, &at, PROBLEM_INVALID, warning,
                        "must only contain printable UTF-8 characters; non-printable character found at index %zu", i);
            break;
        }
}

static void check_version(const struct value *version, const struct crd_lifted *lifted, const struct place *place,
                          struct problems *problems)
{
    const struct place name = place_key(place, "name"), schema = place_key(place, "schema"),
                       subresources = place_key(place, "subresources");
    const struct place columns = place_key(place, "additionalPrinterColumns"),
                       selectable = place_key(place, "selectableFields");
    const struct value *sub = value_get(version, "subresources");
    crd_judge_joined(&name, text_of(version, "name"), "", name_label_1035(text_of(version, "name")), problems);
    check_deprecation(version, place, problems);
    if (!lifted->schema)
        check_schema(value_get(version, "schema"), has(sub, "status"), &schema, problems);
    if (!lifted->subresources)
        check_subresources(sub, &subresources, problems);
    if (!lifted->columns)
        check_columns(value_get(version, "additionalPrinterColumns"), &columns, problems);
    const struct value *fields = lifted->selectable ? NULL : value_get(version, "selectableFields");
    if (value_first(fields) == NULL)
        return;
    if (lifted->schema)
        problem_invalid(problems, &selectable, "", "may only be set when `version.schema.openAPIV3Schema` is not included");
    else
        check_selectable(fields, value_find(version, "schema", "openAPIV3Schema", NULL), &selectable, problems);
}

static void say_versions(const struct value *versions, const struct crd_lifted *lifted, const char *why,
                         const struct place *spec, struct problems *problems)
{
    const struct place place = place_key(spec, "versions");
    struct buf form = buf_make(FORM), shown = buf_make(FORM);
    crd_form_versions(versions, lifted, &form);
    if (buf_ok(&form))
        problem_json(form.bytes, &shown);
    if (buf_ok(&form) && buf_ok(&shown))
        problem_text(problems, &place, PROBLEM_INVALID, shown.bytes, why);
    else
        problems->failed = true;
    buf_free(&form);
    buf_free(&shown);
}

void crd_judge_versions(const struct value *versions, const struct crd_lifted *lifted, const struct place *spec,
                           struct problems *problems)
{
    const struct place list = place_key(spec, "versions");
    size_t index = 0, stored = 0;
    bool unique = true;
    bool schemas = true;
    EACH(version, versions)
        schemas = schemas && value_type(value_find(version, "schema", "openAPIV3Schema", NULL)) == VALUE_OBJECT;
    EACH(version, versions)
    {
        const struct place at = place_index(&list, index++), schema = place_key(&at, "schema");
        if (!schemas && value_type(value_find(version, "schema", "openAPIV3Schema", NULL)) != VALUE_OBJECT)
            problem_required(problems, &schema, "openAPIV3Schema", NULL);
    }
    index = 0;
    EACH(version, versions)
    {
        const struct place at = place_index(&list, index++);
        stored += is_true(version, "storage");
        unique = unique && !seen_before(versions, version, "name");
        check_version(version, lifted, &at, problems);
    }
    if (!unique)
        say_versions(versions, lifted, "must contain unique version names", spec, problems);
    if (stored != 1)
        say_versions(versions, lifted, "must have exactly one version marked as storage version", spec, problems);
    const struct place first = place_key(spec, "version");
    const char *name = text_of(value_first(versions), "name");
    if (name[0] != '\0')
        crd_judge_joined(&first, name, "", name_label_1035(name), problems);
}

void crd_judge_lifted(const struct value *versions, const struct crd_lifted *lifted, const struct place *spec,
                         struct problems *problems)
{
    const struct value *first = value_first(versions);
    const struct place validation = place_key(spec, "validation"), subresources = place_key(spec, "subresources"),
                       columns = place_key(spec, "additionalPrinterColumns");
    const struct place selectable = place_key(spec, "selectableFields");
    bool has_status = false;
    EACH(version, versions)
        has_status = has_status || has(value_get(version, "subresources"), "status");
    if (lifted->schema)
        check_schema(value_get(first, "schema"), has_status, &validation, problems);
    if (lifted->subresources)
        check_subresources(value_get(first, "subresources"), &subresources, problems);
    if (lifted->columns)
        check_columns(value_get(first, "additionalPrinterColumns"), &columns, problems);
    const struct value *fields = lifted->selectable ? value_get(first, "selectableFields") : NULL;
    if (value_first(fields) != NULL && (!lifted->schema || !has(first, "schema")))
        problem_invalid(problems, &selectable, "", "may only be set when validations.schema is included");
    else if (value_first(fields) != NULL)
        check_selectable(fields, value_find(first, "schema", "openAPIV3Schema", NULL), &selectable, problems);
}
