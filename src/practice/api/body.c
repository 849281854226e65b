#include "practice/api/body.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/yaml.h"
#include "practice/api/negotiate.h"
#include "practice/schema/decode.h"
#include "practice/schema/protobuf.h"

#define FORMS "application/json, application/yaml, application/vnd.kubernetes.protobuf"
#define DELETE_OPTIONS "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"

enum { SUMMARY = 30 };

static bool no_memory(struct status *failure)
{
    return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
}

static bool wrong_media(struct status *failure)
{
    return status_set(failure, 415, "UnsupportedMediaType",
                      "the body of the request was in an unknown format - accepted media types include: " FORMS);
}

/* The beginning of a body, as the server shows it in a refusal: an object as text, anything else as hexadecimal digits. */
static void summarize(const struct body *body, char out[static SUMMARY * 2 + 8])
{
    size_t shown = body->length < SUMMARY ? body->length : SUMMARY;
    const char *more = body->length > SUMMARY ? " ..." : "";
    if (body->length == 0)
        strcpy(out, "<empty>");
    else if (body->bytes[0] == '{')
        snprintf(out, SUMMARY * 2 + 8, "%.*s%s", (int)shown, body->bytes, more);
    else {
        for (size_t i = 0; i < shown; i++)
            snprintf(out + 2 * i, 3, "%02x", (unsigned char)body->bytes[i]);
        strcat(out, more);
    }
}

static const char *kind_of_body(const struct call *call)
{
    return call->sub != NULL && call->sub->kind != NULL ? call->sub->kind : call->kind->kind;
}

static bool unrecognized(const struct body *body, const struct call *call, const char *why, struct status *failure)
{
    char summary[SUMMARY * 2 + 8];
    summarize(body, summary);
    return status_bad_request(failure, "the object provided is unrecognized (must be of type %s): %s (%s)", kind_of_body(call), why, summary);
}

/* null is an object without anything in it. */
static bool take(struct value *value, struct call *call, struct status *failure)
{
    if (value_type(value) == VALUE_NULL) {
        value_free(value);
        value = value_object();
    }
    call->body = value;
    return value != NULL || no_memory(failure);
}

/* Whether encoding/json, which does not mind capitals, surely finds text where it looks for the type. */
static bool has_plain_type(const struct value *value)
{
    if (value_type(value) != VALUE_OBJECT)
        return value_type(value) == VALUE_NULL;
    for (const struct value *entry = value_first(value); entry != NULL; entry = value_next(entry))
        if (value_text(entry) == NULL && value_type(entry) != VALUE_NULL &&
            (strcasecmp(value_key(entry), "kind") == 0 || strcasecmp(value_key(entry), "apiVersion") == 0))
            return false;
    return true;
}

/* Reads it; an error has Go's words, which differ from our parser's. */
static struct value *parse_json(const struct body *body, struct error *err)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of byte order: our parser passes it over, Go's does not */
    struct schema_type_meta meta;
    bool marked = body->length >= sizeof mark - 1 && memcmp(body->bytes, mark, sizeof mark - 1) == 0;
    struct value *value = marked ? NULL : json_parse(body->bytes, body->length, "body", err);
    if ((value != NULL && has_plain_type(value)) || err->kind == ERROR_MEMORY)
        return value;
    if (!marked && schema_type_meta(body->bytes, body->length, &meta, err) && value != NULL)
        return value;
    value_free(value);
    if (err->kind == ERROR_MEMORY)
        return NULL;
    char fault[sizeof err->message / 2];
    if (schema_syntax_error(body->bytes, body->length, fault, sizeof fault))
        error_set(err, ERROR_INPUT, NULL, "couldn't get version/kind; json parse error: %s", fault);
    return NULL;
}

static bool has_text(const struct value *object, const char *key)
{
    const char *text = value_text(value_get(object, key));
    return text != NULL && text[0] != '\0';
}

static bool read_json(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    struct error err = ERROR_INIT;
    struct value *value = parse_json(body, &err);
    if (value == NULL)
        return err.kind == ERROR_MEMORY ? no_memory(failure) : unrecognized(body, call, err.message, failure);
    /* The decoder of built-in kinds looks into the text by itself; nothing may be added to the body before that. */
    if (call->kind->crd == NULL && has_text(value, "apiVersion") && has_text(value, "kind")) {
        call->text = body->bytes;
        call->text_length = body->length;
    } else if (call->validation != VALIDATE_IGNORE && !body_duplicates(body->bytes, body->length, duplicates)) {
        value_free(value);
        return no_memory(failure);
    }
    return take(value, call, failure);
}

/* `yaml: line 3: did not find ...`: libyaml's words, which are Go's, too, with the line of NAME:LINE:COLUMN; the first is not told. */
static void yaml_words(const struct error *err, char out[static 640])
{
    static const char ours[] = "not valid YAML: ";
    unsigned line = 0;
    const char *colon = strchr(err->where, ':'), *message = err->message;
    if (colon != NULL)
        sscanf(colon + 1, "%u", &line);
    if (strncmp(message, ours, sizeof ours - 1) == 0)
        message += sizeof ours - 1;
    if (line > 1)
        snprintf(out, 640, "yaml: line %u: %s", line, message);
    else
        snprintf(out, 640, "yaml: %s", message);
}

/* The first document of a stream; none at all is null. */
static struct value *first_document(const struct body *body, struct vec *twice, struct error *err)
{
    struct vec documents;
    struct value *first = NULL;
    if (!yaml_parse_telling(body->bytes, body->length, "body", twice, &documents, err))
        return NULL;
    if (documents.length > 0)
        first = vec_take(&documents, 0);
    else if ((first = value_null()) == NULL)
        error_memory(err);
    vec_free(&documents);
    return first;
}

/* Of a name that stands twice the last counts. */
static struct value *parse_yaml(const struct body *body, struct call *call, struct vec *duplicates, struct error *err)
{
    call->yaml = true;
    return first_document(body, call->validation != VALIDATE_IGNORE ? duplicates : NULL, err);
}

static bool read_yaml(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    struct error err = ERROR_INIT;
    char words[640];
    struct value *value = parse_yaml(body, call, duplicates, &err);
    if (value != NULL)
        return take(value, call, failure);
    yaml_words(&err, words);
    return err.kind == ERROR_MEMORY ? no_memory(failure) : unrecognized(body, call, words, failure);
}

/* The schema of the message in an envelope: that of the body, if its kind says so. A body of another kind is only named: the decoder refuses it. */
static const struct schema *schema_of_message(const struct protobuf_envelope *envelope, const struct call *call)
{
    const struct schema *schema = call->sub != NULL && call->sub->schema != NULL ? call->sub->schema : call->kind->schema;
    return envelope->kind[0] == '\0' || strcmp(envelope->kind, kind_of_body(call)) == 0 ? schema : NULL;
}

static bool read_protobuf(const struct body *body, struct call *call, struct status *failure)
{
    struct protobuf_envelope envelope;
    struct error err = ERROR_INIT;
    if (!protobuf_open(body->bytes, body->length, &envelope, &err))
        return err.kind == ERROR_MEMORY ? no_memory(failure) : unrecognized(body, call, err.message, failure);
    const struct schema *schema = schema_of_message(&envelope, call);
    struct value *value = NULL;
    if (schema != NULL) {
        value = protobuf_decode(&envelope, schema, &err);
        if (value == NULL)
            return err.kind == ERROR_MEMORY ? no_memory(failure) : unrecognized(body, call, err.message, failure);
    } else {
        value = value_object();
        if (value == NULL || !value_set(value, "apiVersion", value_string(envelope.api_version)) ||
            !value_set(value, "kind", value_string(envelope.kind))) {
            value_free(value);
            return no_memory(failure);
        }
    }
    return take(value, call, failure);
}

bool body_read(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    enum body_type type = body_type(body->type);
    if (type == BODY_OTHER || (type == BODY_PROTOBUF && call->kind->crd != NULL))
        return wrong_media(failure);
    call->duplicates = duplicates;
    if (body->length == 0 && type == BODY_JSON)
        return true; /* the decoder says what is missing */
    switch (type) {
    case BODY_JSON:
        return read_json(body, call, duplicates, failure);
    case BODY_YAML:
        return read_yaml(body, call, duplicates, failure);
    default:
        return read_protobuf(body, call, failure);
    }
}

static const struct {
    const char *type;
    enum patch_type patch;
} patches[] = {
    {"application/json-patch+json", PATCH_JSON},
    {"application/merge-patch+json", PATCH_MERGE},
    {"application/strategic-merge-patch+json", PATCH_STRATEGIC},
    {"application/apply-patch+yaml", PATCH_APPLY},
};

static bool read_json_patch(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    struct error err = ERROR_INIT;
    call->body = json_parse(body->bytes, body->length, "patch", &err);
    if (call->body == NULL)
        return err.kind == ERROR_MEMORY ? no_memory(failure) : status_bad_request(failure, "invalid JSON patch");
    return call->validation == VALIDATE_IGNORE || body_duplicates(body->bytes, body->length, duplicates) || no_memory(failure);
}

/* An applied body is YAML even where it is JSON: names that stand twice are told with their lines. False: no memory. */
static bool tell_lines(const struct body *body, struct call *call, struct vec *duplicates)
{
    struct error err = ERROR_INIT;
    if (!body_duplicates(body->bytes, body->length, duplicates))
        return false;
    if (duplicates->length == 0)
        return true;
    vec_clear(duplicates);
    struct value *again = parse_yaml(body, call, duplicates, &err);
    value_free(again);
    return again != NULL || err.kind != ERROR_MEMORY;
}

/* What kubectl sends is JSON, which is read much faster. */
static bool read_apply(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    struct error err = ERROR_INIT;
    char words[640];
    call->body = body->length > 0 && body->bytes[0] == '{' ? json_parse(body->bytes, body->length, "patch", &err) : NULL;
    if (call->body != NULL)
        return call->validation == VALIDATE_IGNORE || tell_lines(body, call, duplicates) || no_memory(failure);
    call->body = parse_yaml(body, call, duplicates, &err);
    if (call->body != NULL)
        return true;
    yaml_words(&err, words);
    return err.kind == ERROR_MEMORY ? no_memory(failure)
                                    : status_bad_request(failure, "error decoding patch: error converting YAML to JSON: %s", words);
}

/* null is a patch without anything in it, but for a merge patch, where it would be the whole object. */
static bool null_patch(struct call *call, struct status *failure)
{
    if (call->patch == PATCH_MERGE)
        return status_bad_request(failure, "Invalid JSON Patch");
    value_free(call->body);
    call->body = call->patch == PATCH_JSON ? value_array() : value_object();
    return call->body != NULL || no_memory(failure);
}

bool body_read_patch(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    for (size_t i = 0; body->type != NULL && i < sizeof patches / sizeof *patches; i++)
        if (media_is(body->type, patches[i].type))
            call->patch = patches[i].patch;
    if (call->patch == PATCH_NONE) {
        status_set(failure, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
        failure->detailed = true;
        return false;
    }
    call->duplicates = duplicates;
    bool read = call->patch == PATCH_APPLY ? read_apply(body, call, duplicates, failure) : read_json_patch(body, call, duplicates, failure);
    return read && (value_type(call->body) != VALUE_NULL || null_patch(call, failure));
}

/* Decodes the options as what they are. */
static bool decode_options(struct value *value, struct call *call, struct status *failure)
{
    struct error err = ERROR_INIT;
    const char *kind = value_find_text(value, "kind", NULL), *version = value_find_text(value, "apiVersion", NULL);
    bool fine = true;
    if (kind != NULL && kind[0] != '\0' && strcmp(kind, "DeleteOptions") != 0)
        fine = status_bad_request(failure, "no kind \"%s\" is registered for version \"%s\" in scheme \"pkg/runtime/scheme.go:111\"", kind,
                                  version != NULL ? version : "");
    else if (!schema_normalise(value, schema_definition(DELETE_OPTIONS), NULL, &err))
        fine = err.kind == ERROR_MEMORY ? no_memory(failure) : status_bad_request(failure, "%s", err.message);
    if (!fine) {
        value_free(value);
        return false;
    }
    call->body = value;
    return true;
}

static struct value *parse_options(const struct body *body, struct call *call, struct error *err)
{
    struct protobuf_envelope envelope;
    switch (body_type(body->type)) {
    case BODY_JSON:
        return parse_json(body, err);
    case BODY_YAML:
        return parse_yaml(body, call, NULL, err);
    default:
        return protobuf_open(body->bytes, body->length, &envelope, err) ? protobuf_decode(&envelope, schema_definition(DELETE_OPTIONS), err) : NULL;
    }
}

static bool refuse_options(const struct body *body, const struct error *err, struct status *failure)
{
    char words[640];
    if (body_type(body->type) != BODY_YAML)
        return status_bad_request(failure, "%s", err->message);
    yaml_words(err, words);
    return status_bad_request(failure, "%s", words);
}

bool body_read_delete(const struct body *body, struct call *call, struct status *failure)
{
    struct error err = ERROR_INIT;
    if (body->length == 0)
        return true;
    if (body_type(body->type) == BODY_OTHER)
        return wrong_media(failure);
    call->validation = VALIDATE_IGNORE; /* unknown fields of options trouble nobody */
    struct value *value = parse_options(body, call, &err);
    if (value == NULL)
        return err.kind == ERROR_MEMORY ? no_memory(failure) : refuse_options(body, &err, failure);
    if (value_type(value) != VALUE_OBJECT) { /* null */
        value_free(value);
        return true;
    }
    return decode_options(value, call, failure);
}
