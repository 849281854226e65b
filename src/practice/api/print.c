#include "practice/api/print.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "data/json.h"

enum { HEAD_MOST = 2048 };

bool print_start(struct print *print, const struct api *api, const struct schema_kind *kind, const struct format *format, bool item)
{
    *print = (struct print){
        .api = api, .kind = kind, .format = *format, .include = INCLUDE_METADATA, .head = buf_make(HEAD_MOST)};
    if (item && kind->crd == NULL)
        buf_append_string(&print->head, "{");
    else
        api_head(kind, &print->head);
    return buf_ok(&print->head);
}

void print_end(struct print *print)
{
    buf_free(&print->head);
}

const char *print_meta_version(const struct print *print)
{
    return print->format.beta ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1";
}

static void put(struct buf *out, const char *text)
{
    buf_append_string(out, text);
}

/* `length` bytes of an object's text with the version in its gap. */
static void put_text(const struct object *object, size_t length, uint64_t version, struct buf *out)
{
    buf_append(out, object->text, object->gap);
    buf_printf(out, "%llu", (unsigned long long)(version != 0 ? version : object->version));
    buf_append(out, object->text + object->gap, length - object->gap);
}

/* Where `"metadata":{...}`, which every text begins with, ends: behind its last brace. */
static size_t metadata_length(const struct object *object)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < object->length; i++) {
        char c = object->text[i];
        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\';
        else if (c == '{')
            depth++;
        else if (c == '}' && --depth == 0)
            return i + 1;
    }
    return object->length - 1; /* the brace of the object itself */
}

static bool done(const struct buf *out, struct error *err)
{
    return buf_ok(out) || error_memory(err);
}

static bool print_partial(struct print *print, const struct object *object, uint64_t version, struct buf *out, struct error *err)
{
    buf_printf(out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"%s\",", print_meta_version(print));
    put_text(object, metadata_length(object), version, out);
    put(out, "}");
    return done(out, err);
}

/* A stored text in another version than the stored one, and what Tables read. */
static struct value *document_of(struct print *print, const struct object *object, uint64_t version, struct error *err)
{
    struct value *document = api_value(print->api, object, print->kind);
    if (document != NULL && version != 0) {
        char digits[24];
        struct value *metadata = value_get(document, "metadata");
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)version);
        if (!value_set(metadata, "resourceVersion", value_string(digits))) {
            value_free(document);
            document = NULL;
        }
    }
    if (document == NULL)
        error_memory(err);
    return document;
}

/* A converted document; items of built-in lists go without kind and apiVersion, as their head is `{`. */
static bool print_document(struct print *print, struct value *document, struct buf *out, struct error *err)
{
    if (print->head.length == 1) {
        value_remove(document, "kind");
        value_remove(document, "apiVersion");
    }
    json_print(document, false, out);
    return done(out, err);
}

bool print_object(struct print *print, const struct object *object, uint64_t version, struct buf *out, struct error *err)
{
    if (print->format.as == AS_PARTIAL || print->format.as == AS_PARTIAL_LIST)
        return print_partial(print, object, version, out, err);
    if (print->format.as == AS_OBJECT && api_shows(print->kind, object)) {
        buf_append(out, print->head.bytes, print->head.length);
        put_text(object, object->length, version, out);
        return done(out, err);
    }
    struct value *document = document_of(print, object, version, err);
    bool printed = document != NULL && (print->format.as == AS_TABLE ? table_row(print->kind, document, version == 0 && api_shows(print->kind, object) ? object : NULL,
                                                                                 print->include, api_now_ms(print->api), out, err)
                                                                     : print_document(print, document, out, err));
    value_free(document);
    return printed;
}

bool print_value(struct print *print, const struct value *document, struct buf *out, struct error *err)
{
    if (print->format.as == AS_TABLE)
        return table_row(print->kind, document, NULL, print->include, api_now_ms(print->api), out, err);
    if (print->format.as == AS_OBJECT) {
        json_print(document, false, out);
        return done(out, err);
    }
    buf_printf(out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"%s\",\"metadata\":", print_meta_version(print));
    json_print(value_get(document, "metadata"), false, out);
    put(out, "}");
    return done(out, err);
}

static void new_line(const struct pretty *pretty, struct buf *out)
{
    put(out, "\n");
    for (unsigned i = 0; i < pretty->depth; i++)
        put(out, "  ");
}

/* One character outside of strings. */
static void pretty_mark(struct pretty *pretty, char c, struct buf *out)
{
    bool closes = c == '}' || c == ']';
    if (closes && pretty->depth > 0)
        pretty->depth--;
    if (pretty->opened != closes && (pretty->opened || closes))
        new_line(pretty, out);
    pretty->opened = c == '{' || c == '[';
    buf_append(out, &c, 1);
    if (pretty->opened)
        pretty->depth++;
    else if (c == ',')
        new_line(pretty, out);
    else if (c == ':')
        put(out, " ");
}

void pretty_print(struct pretty *pretty, const char *json, size_t length, struct buf *out)
{
    for (size_t i = 0; i < length; i++) {
        size_t from = i;
        while (pretty->in_string && i < length) {
            char c = json[i++];
            if (pretty->escaped)
                pretty->escaped = false;
            else if (c == '\\')
                pretty->escaped = true;
            else if (c == '"')
                pretty->in_string = false;
        }
        buf_append(out, json + from, i - from);
        if (i == length)
            return;
        if (json[i] == '"')
            pretty->in_string = true;
        pretty_mark(pretty, json[i], out);
    }
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(value_key(a), value_key(b));
}

bool print_sort(struct value *document)
{
    struct vec entries = vec_make(SIZE_MAX, NULL);
    bool whole = true, object = value_type(document) == VALUE_OBJECT;
    for (struct value *entry = value_first(document); whole && entry != NULL; entry = value_next(entry))
        whole = print_sort(entry) && (!object || vec_push(&entries, entry));
    if (whole && object) {
        vec_sort(&entries, compare_keys);
        value_arrange(document, (struct value *const *)entries.items, entries.length);
    }
    vec_free(&entries);
    return whole;
}
