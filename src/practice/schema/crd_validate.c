/* crd_validate: is a definition right? In the order and the words of apiextensions-apiserver's
 * pkg/apis/apiextensions/validation. What all versions have in common is told as the server's internal type has it: once, at
 * spec.validation, spec.subresources and so on. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/crd_judge.h"
#include "practice/schema/rules_internal.h"

enum { FORM = 4 << 20, JOINED = 4096, SELECTABLE = 8 };

static const struct place root = {0};

/* ---- names ---- */

/* All that is wrong with a text, in one sentence. */
static void check_joined(const struct place *place, const char *value, const char *before, struct complaints complaints,
                         struct problems *problems)
{
    struct buf text = buf_make(JOINED);
    if (complaints.count == 0)
        return;
    buf_append_string(&text, before);
    for (size_t i = 0; i < complaints.count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "," : "", complaints.text[i]);
    if (buf_ok(&text))
        problem_invalid(problems, place, value, "%s", text.bytes);
    else
        problems->failed = true;
    buf_free(&text);
}

static void check_label(const struct place *up, const char *key, const char *value, struct problems *problems)
{
    const struct place at = key != NULL ? place_key(up, key) : *up;
    if (key == NULL || value[0] != '\0')
        check_joined(&at, value, "", name_label_1035(value), problems);
}

static void check_kind(const struct place *up, const char *key, const char *value, struct problems *problems)
{
    const struct place at = place_key(up, key);
    char *lower = mem_string(value);
    if (lower == NULL) {
        problems->failed = true;
        return;
    }
    for (char *p = lower; *p != '\0'; p++)
        *p = (char)tolower((unsigned char)*p);
    if (value[0] != '\0')
        check_joined(&at, value, "may have mixed case, but should otherwise match: ", name_label_1035(lower), problems);
    mem_free(lower);
}

static void check_texts(const struct value *names, const char *key, const struct place *place, struct problems *problems)
{
    const struct place list = place_key(place, key);
    size_t index = 0;
    EACH(entry, value_get(names, key))
    {
        const struct place at = place_index(&list, index++);
        check_label(&at, NULL, value_text(entry) != NULL ? value_text(entry) : "", problems);
    }
}

static void check_names(const struct value *names, const struct place *place, struct problems *problems)
{
    const struct place list_kind = place_key(place, "listKind");
    check_label(place, "plural", text_of(names, "plural"), problems);
    check_label(place, "singular", text_of(names, "singular"), problems);
    check_kind(place, "kind", text_of(names, "kind"), problems);
    check_kind(place, "listKind", text_of(names, "listKind"), problems);
    check_texts(names, "shortNames", place, problems);
    if (*text_of(names, "kind") != '\0' && text_is(names, "listKind", text_of(names, "kind")))
        problem_invalid(problems, &list_kind, text_of(names, "listKind"), "kind and listKind may not be the same");
    check_texts(names, "categories", place, problems);
}

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

/* ---- the whole ---- */

static bool alike(const struct value *versions, const char *key)
{
    const struct value *first = value_get(value_first(versions), key);
    EACH(version, versions)
    if (!same(value_get(version, key), first))
        return false;
    return true;
}

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
    check_joined(&name, text_of(version, "name"), "", name_label_1035(text_of(version, "name")), problems);
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

static void check_versions(const struct value *versions, const struct crd_lifted *lifted, const struct place *spec,
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
        check_joined(&first, name, "", name_label_1035(name), problems);
}

static void check_lifted(const struct value *versions, const struct crd_lifted *lifted, const struct place *spec,
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

/* ---- conversion ---- */

static void check_review_versions(const struct value *list, const struct place *up, struct problems *problems)
{
    const struct place place = place_key(up, "conversionReviewVersions");
    bool known = false;
    size_t index = 0;
    if (value_first(list) == NULL) {
        problem_required(problems, up, "conversionReviewVersions", NULL);
        return;
    }
    EACH(entry, list)
    {
        const struct place at = place_index(&place, index++);
        const char *name = value_text(entry) != NULL ? value_text(entry) : "";
        known = known || strcmp(name, "v1") == 0 || strcmp(name, "v1beta1") == 0;
        if (seen_before(list, entry, NULL))
            problem_invalid(problems, &at, name, "duplicate version");
        else
            name_problems(problems, &at, name, name_label_1035(name));
    }
    if (!known)
        problem_add(problems, &place, PROBLEM_INVALID, list, "must include at least one of v1, v1beta1");
}

static void check_webhook(const struct value *client, const struct place *place, struct problems *problems)
{
    const struct value *service = value_get(client, "service");
    const struct place own = place_key(place, "service"), port = place_key(&own, "port"), url = place_key(place, "url");
    const char *address = value_text(value_get(client, "url"));
    if ((address == NULL) == (service == NULL)) {
        problem_required(problems, place, NULL, "exactly one of url or service is required");
        return;
    }
    if (service == NULL) {
        if (!starts_with(address, "https://"))
            problem_text(problems, &url, PROBLEM_INVALID, strncmp(address, "http:", 5) == 0 ? "\"http\"" : "\"\"",
                         "'https' is the only allowed URL scheme; desired format: https://host[/path]");
        else if (address[8] == '\0' || address[8] == '/')
            problem_invalid(problems, &url, "", "host must be specified; desired format: https://host[/path]");
        return;
    }
    if (*text_of(service, "name") == '\0')
        problem_required(problems, &own, "name", NULL);
    if (*text_of(service, "namespace") == '\0')
        problem_required(problems, &own, "namespace", NULL);
    int64_t number = int_of(service, "port", 443);
    if (number < 1 || number > 65535)
        problem_number(problems, &port, number, "port is not valid: must be between 1 and 65535, inclusive");
}

static void check_conversion(const struct value *conversion, const struct place *spec, struct problems *problems)
{
    static const char *const strategies[] = {"None", "Webhook", NULL};
    const struct place place = place_key(spec, "conversion"), strategy = place_key(&place, "strategy"),
                       client = place_key(&place, "webhookClientConfig");
    const struct value *webhook = value_get(conversion, "webhook"), *config = value_get(webhook, "clientConfig");
    if (value_type(conversion) != VALUE_OBJECT)
        return;
    if (*text_of(conversion, "strategy") == '\0')
        problem_required(problems, &place, "strategy", NULL);
    else if (!one_of(text_of(conversion, "strategy"), strategies))
        problem_unsupported(problems, &strategy, text_of(conversion, "strategy"), strategies);
    if (text_is(conversion, "strategy", "Webhook")) {
        if (config == NULL)
            problem_required(problems, &place, "webhookClientConfig", "required when strategy is set to Webhook");
        else
            check_webhook(config, &client, problems);
        check_review_versions(value_get(webhook, "conversionReviewVersions"), &place, problems);
        return;
    }
    if (config != NULL)
        problem_forbidden(problems, &place, "webhookClientConfig", "should not be set when strategy is not set to Webhook");
    if (value_first(value_get(webhook, "conversionReviewVersions")) != NULL)
        problem_forbidden(problems, &place, "conversionReviewVersions",
                          "should not be set when strategy is not set to Webhook");
}

/* ---- all of a definition ---- */

static void check_group(const char *group, const struct place *spec, struct problems *problems)
{
    const struct place place = place_key(spec, "group");
    struct complaints complaints = name_subdomain(group);
    if (group[0] == '\0')
        problem_required(problems, spec, "group", NULL);
    else if (complaints.count > 0)
        check_joined(&place, group, "", complaints, problems);
    else if (strchr(group, '.') == NULL)
        problem_invalid(problems, &place, group, "should be a domain with at least one dot");
}

static void check_spec(const struct value *spec, const struct place *place, struct problems *problems)
{
    static const char *const scopes[] = {"Cluster", "Namespaced", NULL}, *const needed[] = {"plural", "singular", "kind",
                                                                                            "listKind"};
    const struct place scope = place_key(place, "scope"), names = place_key(place, "names");
    const struct value *versions = value_get(spec, "versions");
    const struct crd_lifted lifted = {alike(versions, "schema"), alike(versions, "subresources"),
                                      alike(versions, "additionalPrinterColumns"), alike(versions, "selectableFields")};
    check_group(text_of(spec, "group"), place, problems);
    if (*text_of(spec, "scope") == '\0')
        problem_required(problems, place, "scope", NULL);
    else if (!one_of(text_of(spec, "scope"), scopes))
        problem_unsupported(problems, &scope, text_of(spec, "scope"), scopes);
    check_versions(versions, &lifted, place, problems);
    for (size_t i = 0; i < 4; i++)
        if (*text_of(value_get(spec, "names"), needed[i]) == '\0')
            problem_required(problems, &names, needed[i], NULL);
    check_names(value_get(spec, "names"), &names, problems);
    check_lifted(versions, &lifted, place, problems);
    check_conversion(value_get(spec, "conversion"), place, problems);
}

static void check_stored(const struct value *definition, const struct place *status, struct problems *problems)
{
    const struct place place = place_key(status, "storedVersions");
    const struct value *stored = value_find(definition, "status", "storedVersions", NULL),
                       *versions = value_find(definition, "spec", "versions", NULL);
    size_t index = 0;
    if (value_first(stored) == NULL) {
        problem_text(problems, &place, PROBLEM_INVALID, stored != NULL && value_type(stored) == VALUE_ARRAY ? "[]" : "null",
                     "must have at least one stored version");
        return;
    }
    EACH(version, versions)
    {
        bool known = false;
        EACH(entry, stored)
        known = known || (value_text(entry) != NULL && text_is(version, "name", value_text(entry)));
        if (is_true(version, "storage") &&
            (!known || seen_before(versions, version, "name"))) /* each stored one is good for one version */
            problem_add(problems, &place, PROBLEM_INVALID, stored, "must have the storage version %s",
                        text_of(version, "name"));
    }
    EACH(entry, stored)
    {
        const char *name = value_text(entry) != NULL ? value_text(entry) : "";
        const struct place at = place_index(&place, index++);
        bool known = false;
        EACH(version, versions)
        known = known || text_is(version, "name", name);
        if (!known)
            problem_invalid(problems, &at, name,
                            "missing from spec.versions; %s was previously a storage version, and must remain in spec.versions "
                            "until a storage migration ensures no data remains "
                            "persisted in %s and removes %s from status.storedVersions",
                            name, name, name);
    }
}

static void check_approval(const struct value *definition, const struct value *old, struct problems *problems)
{
    static const char *const key = "api-approved.kubernetes.io";
    const struct place metadata = place_key(&root, "metadata"), annotations = place_key(&metadata, "annotations"),
                       at = place_map(&annotations, key);
    const char *group = text_of(value_get(definition, "spec"), "group"), *approval = annotation_of(definition, key),
               *was = old != NULL ? annotation_of(old, key) : NULL;
    bool is_protected = strcmp(group, "k8s.io") == 0 || strcmp(group, "kubernetes.io") == 0 || ends_with(group, ".k8s.io") ||
                        ends_with(group, ".kubernetes.io");
    if (!is_protected || (old != NULL && strcmp(was != NULL ? was : "", approval != NULL ? approval : "") == 0))
        return;
    if (approval == NULL || approval[0] == '\0') {
        problem_required(problems, &at, NULL,
                         "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
                         "https://github.com/kubernetes/enhancements/pull/1111");
        return;
    }
    const char *host = strstr(approval, "://");
    if (!starts_with(approval, "unapproved") && (host == NULL || host == approval || host[3] == '\0' || host[3] == '/'))
        problem_invalid(problems, &at, approval,
                        "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a "
                        "reason starting with \"unapproved\", see "
                        "https://github.com/kubernetes/enhancements/pull/1111");
}

static void check_name_of(const struct value *definition, struct problems *problems)
{
    const struct place metadata = place_key(&root, "metadata"), at = place_key(&metadata, "name");
    const struct value *spec = value_get(definition, "spec");
    const char *name = text_of(value_get(definition, "metadata"), "name");
    char *wanted = mem_printf("%s.%s", text_of(value_get(spec, "names"), "plural"), text_of(spec, "group"));
    if (wanted == NULL)
        problems->failed = true;
    else if (strcmp(name, wanted) != 0 && name[0] != '\0')
        problem_invalid(problems, &at, name, "must be spec.names.plural+\".\"+spec.group");
    mem_free(wanted);
}

void crd_validate(const struct value *definition, const struct value *old, struct problems *problems)
{
    const struct place spec = place_key(&root, "spec"), names = place_key(&spec, "names"), status = place_key(&root, "status"),
                       accepted = place_key(&status, "acceptedNames");
    const struct place preserve = place_key(&spec, "preserveUnknownFields");
    const struct value *now = value_get(definition, "spec"), *was = value_get(old, "spec");
    if (old == NULL)
        check_name_of(definition, problems);
    check_spec(now, &spec, problems);
    if (old != NULL) {
        bool established = false;
        EACH(condition, value_find(old, "status", "conditions", NULL))
        established = established || (text_is(condition, "type", "Established") && text_is(condition, "status", "True"));
        if (established) {
            check_unchanged(problems, now, was, &spec, "scope");
            check_unchanged(problems, value_get(now, "names"), value_get(was, "names"), &names, "kind");
        }
        check_unchanged(problems, now, was, &spec, "group");
        check_unchanged(problems, value_get(now, "names"), value_get(was, "names"), &names, "plural");
    }
    check_names(value_find(definition, "status", "acceptedNames", NULL), &accepted, problems);
    check_stored(definition, &status, problems);
    check_approval(definition, old, problems);
    if (is_true(now, "preserveUnknownFields") && !is_true(was, "preserveUnknownFields"))
        problem_add(problems, &preserve, PROBLEM_INVALID, value_get(now, "preserveUnknownFields"),
                    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
}

void crd_validate_status(const struct value *definition, struct problems *problems)
{
    const struct place status = place_key(&root, "status"), accepted = place_key(&status, "acceptedNames");
    check_names(value_find(definition, "status", "acceptedNames", NULL), &accepted, problems);
}
