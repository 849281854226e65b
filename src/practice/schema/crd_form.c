/* crd_form: Go's JSON of apiextensions' internal types, which some refusals show: each field by its Go name, absent ones as
 * zero. */
#include <string.h>

#include "data/json.h"
#include "practice/schema/crd_judge.h"

enum form {
    FORM_AS_IT_IS,
    FORM_TEXT,
    FORM_FALSE,
    FORM_SCHEMA,
    FORM_SCHEMAS,
    FORM_MAP,
    FORM_ITEMS,
    FORM_ADDITIONAL,
    FORM_RULES
};

struct field {
    const char *go, *json;
    enum form form;
};

static const struct field schema_fields[] = {
    {"ID", "id", FORM_TEXT},
    {"Schema", "$schema", FORM_TEXT},
    {"Ref", "$ref", FORM_AS_IT_IS},
    {"Description", "description", FORM_TEXT},
    {"Type", "type", FORM_TEXT},
    {"Nullable", "nullable", FORM_FALSE},
    {"Format", "format", FORM_TEXT},
    {"Title", "title", FORM_TEXT},
    {"Default", "default", FORM_AS_IT_IS},
    {"Maximum", "maximum", FORM_AS_IT_IS},
    {"ExclusiveMaximum", "exclusiveMaximum", FORM_FALSE},
    {"Minimum", "minimum", FORM_AS_IT_IS},
    {"ExclusiveMinimum", "exclusiveMinimum", FORM_FALSE},
    {"MaxLength", "maxLength", FORM_AS_IT_IS},
    {"MinLength", "minLength", FORM_AS_IT_IS},
    {"Pattern", "pattern", FORM_TEXT},
    {"MaxItems", "maxItems", FORM_AS_IT_IS},
    {"MinItems", "minItems", FORM_AS_IT_IS},
    {"UniqueItems", "uniqueItems", FORM_FALSE},
    {"MultipleOf", "multipleOf", FORM_AS_IT_IS},
    {"Enum", "enum", FORM_AS_IT_IS},
    {"MaxProperties", "maxProperties", FORM_AS_IT_IS},
    {"MinProperties", "minProperties", FORM_AS_IT_IS},
    {"Required", "required", FORM_AS_IT_IS},
    {"Items", "items", FORM_ITEMS},
    {"AllOf", "allOf", FORM_SCHEMAS},
    {"OneOf", "oneOf", FORM_SCHEMAS},
    {"AnyOf", "anyOf", FORM_SCHEMAS},
    {"Not", "not", FORM_SCHEMA},
    {"Properties", "properties", FORM_MAP},
    {"AdditionalProperties", "additionalProperties", FORM_ADDITIONAL},
    {"PatternProperties", "patternProperties", FORM_MAP},
    {"Dependencies", "dependencies", FORM_AS_IT_IS},
    {"AdditionalItems", "additionalItems", FORM_ADDITIONAL},
    {"Definitions", "definitions", FORM_MAP},
    {"ExternalDocs", "externalDocs", FORM_AS_IT_IS},
    {"Example", "example", FORM_AS_IT_IS},
    {"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", FORM_AS_IT_IS},
    {"XEmbeddedResource", "x-kubernetes-embedded-resource", FORM_FALSE},
    {"XIntOrString", "x-kubernetes-int-or-string", FORM_FALSE},
    {"XListMapKeys", "x-kubernetes-list-map-keys", FORM_AS_IT_IS},
    {"XListType", "x-kubernetes-list-type", FORM_AS_IT_IS},
    {"XMapType", "x-kubernetes-map-type", FORM_AS_IT_IS},
    {"XValidations", "x-kubernetes-validations", FORM_RULES},
    {0},
};

static const struct field rule_fields[] = {
    {"Rule", "rule", FORM_TEXT},
    {"Message", "message", FORM_TEXT},
    {"MessageExpression", "messageExpression", FORM_TEXT},
    {"Reason", "reason", FORM_AS_IT_IS},
    {"FieldPath", "fieldPath", FORM_TEXT},
    {"OptionalOldSelf", "optionalOldSelf", FORM_AS_IT_IS},
    {0},
};

static const struct field column_fields[] = {
    {"Name", "name", FORM_TEXT},
    {"Type", "type", FORM_TEXT},
    {"Format", "format", FORM_TEXT},
    {"Description", "description", FORM_TEXT},
    {"Priority", "priority", FORM_AS_IT_IS},
    {"JSONPath", "jsonPath", FORM_TEXT},
    {0},
};

static void print_struct(const struct field *fields, const struct value *v, struct buf *out);

static void print_list(const struct field *fields, const struct value *list, struct buf *out)
{
    const char *before = "[";
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry)) {
        buf_append_string(out, before);
        print_struct(fields, entry, out);
        before = ",";
    }
    buf_append_string(out, value_first(list) != NULL ? "]" : "null");
}

static void print_map(const struct value *map, struct buf *out)
{
    const char *before = "{";
    for (const struct value *entry = value_first(map); entry != NULL; entry = value_next(entry)) {
        buf_append_string(out, before);
        json_quote(value_key(entry), out);
        buf_append_string(out, ":");
        print_struct(schema_fields, entry, out);
        before = ",";
    }
    buf_append_string(out, value_first(map) != NULL ? "}" : "null");
}

/* A schema, or what may stand in its place. */
static void print_items(const struct value *v, struct buf *out)
{
    buf_append_string(out, "{\"Schema\":");
    if (value_type(v) == VALUE_OBJECT)
        print_struct(schema_fields, v, out);
    else
        buf_append_string(out, "null");
    buf_append_string(out, ",\"JSONSchemas\":");
    if (value_type(v) == VALUE_ARRAY)
        print_list(schema_fields, v, out);
    else
        buf_append_string(out, "null");
    buf_append_string(out, "}");
}

static void print_additional(const struct value *v, struct buf *out)
{
    bool is_schema = value_type(v) == VALUE_OBJECT;
    buf_printf(out, "{\"Allows\":%s,\"Schema\":", is_schema || value_is_true(v) ? "true" : "false");
    if (is_schema)
        print_struct(schema_fields, v, out);
    else
        buf_append_string(out, "null");
    buf_append_string(out, "}");
}

static void print_field(enum form form, const struct value *v, struct buf *out)
{
    if (v == NULL) {
        buf_append_string(out, form == FORM_TEXT ? "\"\"" : form == FORM_FALSE ? "false" : "null");
        return;
    }
    switch (form) {
    case FORM_SCHEMA:
        print_struct(schema_fields, v, out);
        break;
    case FORM_SCHEMAS:
        print_list(schema_fields, v, out);
        break;
    case FORM_MAP:
        print_map(v, out);
        break;
    case FORM_ITEMS:
        print_items(v, out);
        break;
    case FORM_ADDITIONAL:
        print_additional(v, out);
        break;
    case FORM_RULES:
        print_list(rule_fields, v, out);
        break;
    default:
        json_print(v, false, out);
        break;
    }
}

static void print_struct(const struct field *fields, const struct value *v, struct buf *out)
{
    const char *before = "{";
    for (const struct field *field = fields; field->go != NULL; field++) {
        buf_printf(out, "%s\"%s\":", before, field->go);
        if (strcmp(field->go, "Priority") == 0 && value_get(v, field->json) == NULL)
            buf_append_string(out, "0");
        else
            print_field(field->form, value_get(v, field->json), out);
        before = ",";
    }
    buf_append_string(out, "}");
}

void crd_form_schema(const struct value *schema, struct buf *out)
{
    print_struct(schema_fields, schema, out);
}

static void print_subresources(const struct value *v, struct buf *out)
{
    const struct value *scale = value_get(v, "scale");
    if (v == NULL) {
        buf_append_string(out, "null");
        return;
    }
    buf_printf(out, "{\"Status\":%s,\"Scale\":", value_get(v, "status") != NULL ? "{}" : "null");
    if (scale == NULL) {
        buf_append_string(out, "null}");
        return;
    }
    buf_append_string(out, "{\"SpecReplicasPath\":");
    print_field(FORM_TEXT, value_get(scale, "specReplicasPath"), out);
    buf_append_string(out, ",\"StatusReplicasPath\":");
    print_field(FORM_TEXT, value_get(scale, "statusReplicasPath"), out);
    buf_append_string(out, ",\"LabelSelectorPath\":");
    print_field(FORM_AS_IT_IS, value_get(scale, "labelSelectorPath"), out);
    buf_append_string(out, "}}");
}

static void print_selectable(const struct value *list, struct buf *out)
{
    static const struct field fields[] = {{"JSONPath", "jsonPath", FORM_TEXT}, {0}};
    print_list(fields, list, out);
}

static void print_version(const struct value *version, const struct crd_lifted *lifted, struct buf *out)
{
    static const struct field simple[] = {{"Name", "name", FORM_TEXT},
                                          {"Served", "served", FORM_FALSE},
                                          {"Storage", "storage", FORM_FALSE},
                                          {"Deprecated", "deprecated", FORM_FALSE},
                                          {"DeprecationWarning", "deprecationWarning", FORM_AS_IT_IS},
                                          {0}};
    const struct value *schema = lifted->schema ? NULL : value_get(version, "schema");
    for (const struct field *field = simple; field->go != NULL; field++) {
        buf_printf(out, "%s\"%s\":", field == simple ? "{" : ",", field->go);
        print_field(field->form, value_get(version, field->json), out);
    }
    buf_append_string(out, ",\"Schema\":");
    if (schema != NULL) {
        buf_append_string(out, "{\"OpenAPIV3Schema\":");
        print_field(FORM_SCHEMA, value_get(schema, "openAPIV3Schema"), out);
        buf_append_string(out, "}");
    } else {
        buf_append_string(out, "null");
    }
    buf_append_string(out, ",\"Subresources\":");
    print_subresources(lifted->subresources ? NULL : value_get(version, "subresources"), out);
    buf_append_string(out, ",\"AdditionalPrinterColumns\":");
    print_list(column_fields, lifted->columns ? NULL : value_get(version, "additionalPrinterColumns"), out);
    buf_append_string(out, ",\"SelectableFields\":");
    print_selectable(lifted->selectable ? NULL : value_get(version, "selectableFields"), out);
    buf_append_string(out, "}");
}

void crd_form_versions(const struct value *versions, const struct crd_lifted *lifted, struct buf *out)
{
    const char *before = "[";
    for (const struct value *version = value_first(versions); version != NULL; version = value_next(version)) {
        buf_append_string(out, before);
        print_version(version, lifted, out);
        before = ",";
    }
    buf_append_string(out, value_first(versions) != NULL ? "]" : "[]");
}
