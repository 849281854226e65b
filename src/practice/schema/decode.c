#include "practice/schema/decode.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/internal.h"

static const char unreadable[] = "couldn't get version/kind; json parse error: ";
static const char type_meta_type[] = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";

/* Keys in alphabetical order all the way down, which is how custom objects are printed. */
static bool sort_keys(struct value *v)
{
    for (struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        if (!sort_keys(entry))
            return false;
    }
    return value_type(v) != VALUE_OBJECT || normalise_order(v);
}

static bool finish(struct reading *r, struct value *object, const struct schema *schema, struct error *err)
{
    if (!normalise_root(r, object, schema)) {
        if (err != NULL)
            *err = r->err;
        return false;
    }
    return (schema->flags & SCHEMA_CUSTOM) == 0 || sort_keys(object) || error_memory(err);
}

bool schema_normalise(struct value *object, const struct schema *schema, struct vec *complaints, struct error *err)
{
    struct reading r = {.complaints = complaints};
    return finish(&r, object, schema, err);
}

static struct value *parse(const char *text, size_t length, struct error *err)
{
    struct error why;
    char words[sizeof why.message];
    struct value *v = json_parse(text, length, "body", &why);
    if (v == NULL && why.kind == ERROR_INPUT)
        error_set(err, ERROR_INPUT, SCHEMA_NO_JSON, "%s%s", unreadable, schema_syntax_error(text, length, words, sizeof words) ? words : why.message);
    else if (v == NULL && err != NULL)
        *err = why;
    return v;
}

bool schema_read(struct value *object, const char *text, size_t length, const struct schema *schema, struct vec *complaints, struct error *err)
{
    struct reading r = {.text = text, .length = length, .complaints = complaints};
    size_t keys = text != NULL ? scan_entries(text, length, &r.odd_numbers) : 0;
    if (!finish(&r, object, schema, err))
        return false;
    bool untold = complaints != NULL && text != NULL && (r.unknown || keys > r.entries);
    return !untold || scan_complaints(text, length, schema, complaints) || error_memory(err);
}

struct value *schema_decode(const char *text, size_t length, const struct schema *schema, struct vec *complaints, struct error *err)
{
    struct value *object = parse(text, length, err);
    if (object == NULL)
        return NULL;
    if (value_type(object) == VALUE_NULL) {
        value_free(object);
        object = value_object();
        text = NULL;
    }
    if (object == NULL || value_type(object) != VALUE_OBJECT) {
        if (object == NULL)
            error_memory(err);
        else
            error_set(err, ERROR_INPUT, SCHEMA_NO_JSON, "%sjson: cannot unmarshal %s into Go value of type %s", unreadable,
                      value_type_name(value_type(object)), type_meta_type);
        value_free(object);
        return NULL;
    }
    if (schema_read(object, text, length, schema, complaints, err))
        return object;
    value_free(object);
    return NULL;
}

bool schema_type_meta(const char *text, size_t length, struct schema_type_meta *out, struct error *err)
{
    const char *wrong_kind, *wrong_version;
    *out = (struct schema_type_meta){.kind = ""};
    size_t kind = scan_top(text, length, "kind", out->kind, sizeof out->kind, &wrong_kind);
    size_t version = scan_top(text, length, "apiVersion", out->api_version, sizeof out->api_version, &wrong_version);
    if (wrong_kind != NULL || wrong_version != NULL) {
        bool first = wrong_version == NULL || (wrong_kind != NULL && kind < version);
        return error_set(err, ERROR_INPUT, SCHEMA_NO_JSON, "%sjson: cannot unmarshal %s into Go struct field .%s of type string", unreadable,
                         first ? wrong_kind : wrong_version, first ? "kind" : "apiVersion");
    }
    if (out->kind[0] != '\0' && out->api_version[0] != '\0')
        return true;
    struct value *v = parse(text, length, err); /* why is it not there? */
    enum value_type type = value_type(v);
    value_free(v);
    if (v == NULL)
        return false;
    if (type == VALUE_OBJECT || type == VALUE_NULL)
        return true;
    return error_set(err, ERROR_INPUT, SCHEMA_NO_JSON, "%sjson: cannot unmarshal %s into Go value of type %s", unreadable, value_type_name(type),
                     type_meta_type);
}
