/* verbs_decode: from a body as it was parsed to a document of a kind, with the complaints that fieldValidation is about. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/verbs.h"
#include "practice/schema/crd.h"
#include "practice/schema/decode.h"

enum { VERSION_TEXT = 512, SENTENCE = 1 << 20 };

/* Where the real server's scheme was made: part of a sentence that people search for. */
#define SCHEME "pkg/runtime/scheme.go:111"

bool answer_warn(struct answer *answer, const char *format, ...)
{
    struct buf text = buf_make(SENTENCE);
    va_list list;
    va_start(list, format);
    char line[2048];
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length >= (int)sizeof line)
        length = (int)sizeof line - 1;
    buf_append(&text, line, length > 0 ? (size_t)length : 0);
    char *owned = buf_take(&text, NULL);
    if (owned == NULL)
        return false;
    if (vec_has_string(&answer->warnings, owned)) {
        mem_free(owned);
        return true;
    }
    return vec_push(&answer->warnings, owned);
}

struct type_name type_of(const struct schema_kind *kind)
{
    return (struct type_name){kind->group, kind->version, kind->kind, kind->crd != NULL ? kind : NULL};
}

bool document_default(const struct schema_kind *kind, struct value *document)
{
    return kind->crd != NULL ? crd_default(kind, document) : rules_default(kind, document);
}

static void print_version(char out[static VERSION_TEXT], const char *group, const char *version)
{
    size_t length = strlen(group), rest = strlen(version);
    if (length + 1 + rest >= VERSION_TEXT) /* no kind that there is has such a one */
        length = rest = 0;
    out = mempcpy(out, group, length);
    if (length > 0)
        *out++ = '/';
    memcpy(out, version, rest);
    out[rest] = '\0';
}

/* Go's package of a group's types: its first word. */
static void package_of(char out[static 64], const char *group)
{
    if (group[0] == '\0')
        group = "core";
    snprintf(out, 64, "%.*s", (int)strcspn(group, "."), group);
}

/* Why a body of another kind cannot be taken; false: it can. */
static bool is_other_kind(const struct type_name *want, const char *api_version, const char *kind, char out[static VERSION_TEXT * 2])
{
    const char *slash = strchr(api_version, '/');
    char group[VERSION_TEXT] = "", from[64], to[64];
    if (slash != NULL)
        snprintf(group, sizeof group, "%.*s", (int)(slash - api_version), api_version);
    const char *version = slash != NULL ? slash + 1 : api_version;
    if (strcmp(kind, want->kind) == 0 && strcmp(group, want->group) == 0 && strcmp(version, want->version) == 0)
        return false;
    bool known = schema_kind_of(group, version, kind) != NULL;
    if (known && strcmp(kind, want->kind) == 0 && strcmp(group, want->group) == 0)
        return false; /* another version of the same: told apart by the caller */
    if (!known) {
        snprintf(out, (size_t)VERSION_TEXT * 2, "no kind \"%s\" is registered for version \"%s\" in scheme \"" SCHEME "\"", kind, api_version);
        return true;
    }
    package_of(from, version);
    package_of(to, want->group);
    snprintf(out, (size_t)VERSION_TEXT * 2, "converting (%s.%s) to (%s.%s): unknown conversion", from, kind, to, want->kind);
    return true;
}

/* Holds kind and apiVersion of a body against what is expected and sets them; why is empty where there is nothing to say. */
static bool check_type(struct value *body, const struct type_name *want, char why[static VERSION_TEXT * 2], bool *other_version)
{
    char version[VERSION_TEXT];
    print_version(version, want->group, want->version);
    const char *has_version = value_text(value_get(body, "apiVersion")), *has_kind = value_text(value_get(body, "kind"));
    const char *api_version = has_version != NULL && has_version[0] != '\0' ? has_version : version;
    const char *kind = has_kind != NULL && has_kind[0] != '\0' ? has_kind : want->kind;
    why[0] = '\0';
    *other_version = false;
    if (is_other_kind(want, api_version, kind, why))
        return true;
    *other_version = strcmp(api_version, version) != 0;
    if (*other_version)
        return true;
    return (has_version == api_version || value_set(body, "apiVersion", value_string(version))) &&
           (has_kind == kind || value_set(body, "kind", value_string(want->kind)));
}

static bool no_memory(struct status *failure)
{
    return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
}

/* At which place of a document, counted from its beginning, a path stands ("spec.ports[0].port"); 0: nowhere. `path` is where v is. */
static size_t rank_in(const struct value *v, const char *wanted, struct buf *path, size_t *count)
{
    size_t length = path->length, index = 0, found = 0;
    bool is_object = value_type(v) == VALUE_OBJECT;
    for (const struct value *entry = value_first(v); entry != NULL && found == 0; entry = value_next(entry), index++) {
        if (is_object)
            buf_printf(path, "%s%s", path->length > 0 ? "." : "", value_key(entry));
        else
            buf_printf(path, "[%zu]", index);
        ++*count;
        found = buf_ok(path) && strcmp(path->bytes, wanted) == 0 ? *count : rank_in(entry, wanted, path, count);
        path->length = length;
    }
    return found;
}

/* Both lists as one in the order of the body: what the parser saw twice and what the schema does not know. Strings, owned. */
static bool merge_complaints(const struct vec *duplicates, const struct vec *complaints, const struct value *body, struct vec *out)
{
    size_t next = 0;
    for (size_t i = 0; duplicates != NULL && i < duplicates->length; i++) {
        const char *path = duplicates->items[i];
        struct buf at = buf_make(SENTENCE);
        size_t count = 0, rank = complaints->length > 0 ? rank_in(body, path, &at, &count) : 0;
        for (; next < complaints->length; next++) {
            const char *complaint = complaints->items[next], *quote = strchr(complaint, '"');
            char *other = quote != NULL ? mem_string_n(quote + 1, strcspn(quote + 1, "\"")) : NULL;
            buf_clear(&at);
            count = 0;
            bool before = other != NULL && rank_in(body, other, &at, &count) < rank;
            mem_free(other);
            if (!before)
                break;
            if (!vec_push_string(out, complaint)) {
                buf_free(&at);
                return false;
            }
        }
        buf_free(&at);
        char *text = mem_printf("duplicate field \"%s\"", path);
        if (text == NULL || !vec_push(out, text))
            return false;
    }
    for (; next < complaints->length; next++)
        if (!vec_push_string(out, complaints->items[next]))
            return false;
    return true;
}

void duplicate_lines(const struct vec *duplicates, struct buf *out)
{
    buf_append_string(out, "yaml: unmarshal errors:");
    for (size_t i = 0; i < duplicates->length; i++)
        buf_printf(out, "\n  %s", (const char *)duplicates->items[i]);
}

/* YAML's duplicates come first, for they are found first; in a sentence they are one complaint. */
static bool put_lines_first(const struct call *call, const struct vec *complaints, struct vec *out)
{
    struct buf all = buf_make(SENTENCE);
    bool strict = call->validation == VALIDATE_STRICT, whole = true;
    if (strict) {
        duplicate_lines(call->duplicates, &all);
        whole = buf_ok(&all) && vec_push_string(out, all.bytes);
    }
    buf_free(&all);
    for (size_t i = 0; whole && !strict && i < call->duplicates->length; i++)
        whole = vec_push_string(out, call->duplicates->items[i]);
    for (size_t i = 0; whole && i < complaints->length; i++)
        whole = vec_push_string(out, complaints->items[i]);
    return whole;
}

/* Strict: all of them in one sentence. Warn: a warning each. */
static bool tell_complaints(const struct call *call, const struct vec *list, struct answer *answer, struct buf *why)
{
    for (size_t i = 0; i < list->length; i++)
        if (call->validation == VALIDATE_STRICT)
            buf_printf(why, "%s%s", i == 0 ? "strict decoding error: " : ", ", (const char *)list->items[i]);
        else if (!answer_warn(answer, "%s", (const char *)list->items[i]))
            return false;
    return buf_ok(why);
}

/* What decoding says, as a sentence in `why` (empty: fine). False: no memory. */
static bool decode(struct call *call, struct value *document, const struct type_name *type, const struct schema *schema, struct answer *answer,
                   struct buf *why)
{
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free), all = vec_make(2 * SCHEMA_COMPLAINTS, mem_free);
    struct error err = ERROR_INIT;
    bool wants = call->validation != VALIDATE_IGNORE, ok = true;
    bool twice = wants && call->text == NULL && call->duplicates != NULL && call->duplicates->length > 0;
    struct vec *list = wants ? &complaints : NULL;
    struct value *before = twice && !call->yaml ? value_copy(document) : NULL; /* decoding drops what it does not know */
    if (twice && !call->yaml && before == NULL) {
        ok = false;
    } else if (!(type->custom != NULL ? crd_decode(type->custom, document, list, &err)
                                      : schema_read(document, call->text, call->text_length, schema, list, &err))) {
        ok = err.kind != ERROR_MEMORY;
        buf_append_string(why, err.message);
    } else if (twice || complaints.length > 0) {
        ok = (twice && call->yaml ? put_lines_first(call, &complaints, &all)
                                  : merge_complaints(twice ? call->duplicates : NULL, &complaints, before, &all)) &&
             tell_complaints(call, &all, answer, why);
    }
    value_free(before);
    vec_free(&complaints);
    vec_free(&all);
    return ok && buf_ok(why);
}

struct value *body_decode(struct call *call, const struct type_name *type, const struct schema *schema, struct answer *answer)
{
    struct value *body = call->body;
    char why_kind[VERSION_TEXT * 2], version[VERSION_TEXT];
    struct buf why = buf_make(SENTENCE);
    bool other_version = false;
    call->body = NULL;
    if (value_type(body) != VALUE_OBJECT) {
        if (body == NULL)
            status_bad_request(&answer->failure,
                               "the object provided is unrecognized (must be of type %s): couldn't get version/kind; json parse error: unexpected "
                               "end of JSON input (<empty>)",
                               type->kind);
        else
            status_bad_request(&answer->failure,
                               "the object provided is unrecognized (must be of type %s): couldn't get version/kind; json parse error: json: cannot "
                               "unmarshal %s into Go value of type "
                               "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
                               type->kind, value_type_name(value_type(body)));
        goto failed;
    }
    if (!check_type(body, type, why_kind, &other_version)) {
        no_memory(&answer->failure);
        goto failed;
    }
    print_version(version, type->group, type->version);
    if (other_version) {
        status_bad_request(&answer->failure, "the API version in the data (%s) does not match the expected API version (%s)",
                           value_find_text(body, "apiVersion", NULL), version);
        goto failed;
    }
    if (why_kind[0] == '\0') {
        if (!decode(call, body, type, schema, answer, &why)) {
            no_memory(&answer->failure);
            goto failed;
        }
        if (why.length == 0) {
            buf_free(&why);
            return body;
        }
    }
    const char *kind = value_find_text(body, "kind", NULL), *api_version = value_find_text(body, "apiVersion", NULL);
    if (api_version == NULL || api_version[0] == '\0')
        api_version = version;
    const char *slash = strchr(api_version, '/');
    status_bad_request(&answer->failure, "%s in version \"%s\" cannot be handled as a %s: %s", kind != NULL && kind[0] != '\0' ? kind : type->kind,
                       slash != NULL ? slash + 1 : api_version, type->kind, why.length > 0 ? why.bytes : why_kind);
failed:
    buf_free(&why);
    value_free(body);
    return NULL;
}

bool patch_decode(struct call *call, struct value *value, const struct type_name *type, const struct schema *schema, struct answer *answer,
                  struct buf *why)
{
    char why_kind[VERSION_TEXT * 2];
    bool other_version = false;
    if (!check_type(value, type, why_kind, &other_version))
        return false;
    if (why_kind[0] == '\0')
        return decode(call, value, type, schema, answer, why);
    buf_append_string(why, why_kind);
    return buf_ok(why);
}
