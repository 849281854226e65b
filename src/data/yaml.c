#include "data/yaml.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/node.h"
#include "data/units.h"
#include "data/utf8.h"
#include "data/yaml_resolve.h"

enum { YAML_DOCUMENTS = 100000, KEY_MOST = 1 << 20 };

static const char not_yaml[] = "not valid YAML";

/* A list or a mapping that is being read. */
struct frame {
    struct value *container; /* owned until it is complete */
    char *anchor;            /* owned; NULL: it has none */
    bool mapping;
    char *key;        /* mapping: owned; NULL: the next thing is a key */
    bool merge;       /* the key is <<, what comes is merged in */
    struct map seen;  /* mapping: its keys, to the entries; a search in the entries would be quadratic */
    struct map added; /* of these the keys that came by a merge and may still be set */
};

struct reader {
    yaml_parser_t parser;
    yaml_event_t event;
    const char *name;
    enum yaml_duplicates duplicates;
    struct vec *twice;     /* gets words about duplicates of the first document; NULL: nobody wants them */
    size_t documents_done;
    struct frame frames[YAML_DEPTH];
    size_t depth;
    struct map anchors; /* names to copies; a name whose value is not complete has none */
    struct value *root; /* of the current document; owned */
    size_t nodes, expanded;
    struct error *err;
};

static bool fail_at(struct reader *r, enum error_kind kind, yaml_mark_t mark, const char *message, const char *detail)
{
    char where[sizeof r->err->where];
    snprintf(where, sizeof where, "%.120s:%zu:%zu", r->name, mark.line + 1, mark.column + 1);
    return detail != NULL ? error_set(r->err, kind, where, message, detail) : error_set(r->err, kind, where, "%s", message);
}

static bool fail(struct reader *r, const char *message, const char *detail)
{
    return fail_at(r, ERROR_INPUT, r->event.start_mark, message, detail);
}

static bool fail_limit(struct reader *r, const char *message)
{
    return fail_at(r, ERROR_LIMIT, r->event.start_mark, message, NULL);
}

static bool fail_parser(struct reader *r)
{
    char words[160];
    yaml_mark_t mark = r->parser.problem_mark;
    if (r->parser.error == YAML_MEMORY_ERROR)
        return error_memory(r->err);
    if (r->parser.error == YAML_READER_ERROR)
        mark = r->parser.mark; /* it knows only how far reading had come */
    snprintf(words, sizeof words, "%s: %.100s", not_yaml, r->parser.problem != NULL ? r->parser.problem : "it cannot be read");
    return fail_at(r, ERROR_INPUT, mark, words, NULL);
}

static bool count_node(struct reader *r)
{
    return ++r->nodes <= YAML_NODES || fail_limit(r, "more than a million values");
}

/* Counts what a copy would add, and stops at the bounds. */
static bool count_copy(struct reader *r, const struct value *v)
{
    const char *text = value_text(v);
    r->expanded += text != NULL ? strlen(text) : 0;
    if (!count_node(r))
        return false;
    if (r->expanded > YAML_EXPANSION)
        return fail_limit(r, "aliases add more than 64 MiB");
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        if (!count_copy(r, entry))
            return false;
    }
    return true;
}

static struct value *copy(struct reader *r, const struct value *v)
{
    if (!count_copy(r, v))
        return NULL;
    struct value *copied = value_copy(v);
    if (copied == NULL)
        error_memory(r->err);
    return copied;
}

/* Sets without a search. Takes child over, also on failure. */
static bool put(struct reader *r, struct frame *f, const char *key, struct value *child)
{
    cJSON *old = map_get(&f->seen, key);
    char *name = mem_string(key);
    if (name == NULL || !map_set(&f->seen, key, child)) {
        mem_free(name);
        value_free(child);
        return error_memory(r->err);
    }
    node_name(node_of(child), name);
    if (old != NULL)
        cJSON_ReplaceItemViaPointer(node_of(f->container), old, node_of(child));
    else
        cJSON_AddItemToArray(node_of(f->container), node_of(child));
    return true;
}

/* The entries of a mapping take the places of earlier ones, but give way to keys that follow: so kubectl does it. */
static bool merge_mapping(struct reader *r, struct frame *f, const struct value *from)
{
    if (value_type(from) != VALUE_OBJECT)
        return fail(r, "a merge (<<) needs a mapping or a list of mappings", NULL);
    for (const struct value *entry = value_first(from); entry != NULL; entry = value_next(entry)) {
        bool fresh = !map_has(&f->seen, value_key(entry));
        struct value *child = copy(r, entry);
        if (child == NULL || !put(r, f, value_key(entry), child))
            return false;
        if (fresh && !map_set(&f->added, value_key(entry), NULL))
            return error_memory(r->err);
    }
    return true;
}

static bool merge(struct reader *r, struct frame *f, const struct value *from, bool alias)
{
    if (value_type(from) != VALUE_ARRAY || alias) /* an alias must name a mapping: so in go-yaml */
        return merge_mapping(r, f, from);
    for (size_t i = value_length(from); i > 0; i--)
        if (!merge_mapping(r, f, value_item(from, i - 1)))
            return false;
    return true;
}

/* Puts a complete value where it belongs. Takes it over. */
static bool deliver(struct reader *r, struct value *v, bool alias)
{
    if (r->depth == 0) {
        r->root = v;
        return true;
    }
    struct frame *f = &r->frames[r->depth - 1];
    bool ok;
    if (!f->mapping)
        return value_append(f->container, v) || error_memory(r->err);
    if (f->merge) {
        ok = merge(r, f, v, alias);
        value_free(v);
    } else {
        ok = put(r, f, f->key, v);
    }
    mem_free(f->key);
    f->key = NULL;
    f->merge = false;
    return ok;
}

static bool want_key(const struct reader *r)
{
    return r->depth > 0 && r->frames[r->depth - 1].mapping && r->frames[r->depth - 1].key == NULL;
}

static bool tell_twice(struct reader *r, const char *key, bool quoted)
{
    if (r->twice == NULL || r->documents_done > 0 || r->twice->length == r->twice->maximum)
        return true;
    struct buf text = buf_make(6 * KEY_MOST + 100);
    buf_printf(&text, "line %zu: key ", r->event.start_mark.line + 1);
    if (quoted)
        json_quote(key, &text);
    else
        buf_append_string(&text, key);
    buf_append_string(&text, " already set in map");
    char *words = buf_take(&text, NULL);
    return (words != NULL && vec_push(r->twice, words)) || error_memory(r->err);
}

/* Takes over the text in `key`. */
static bool set_key(struct reader *r, struct buf *key, bool merge_key, bool quoted)
{
    struct frame *f = &r->frames[r->depth - 1];
    f->key = buf_take(key, NULL);
    f->merge = merge_key;
    if (f->key == NULL)
        return error_memory(r->err);
    if (merge_key || !map_has(&f->seen, f->key))
        return true;
    if (map_has(&f->added, f->key)) {
        map_remove(&f->added, f->key); /* once: a second time it is a duplicate */
        return true;
    }
    if (r->duplicates == YAML_DUPLICATES_LAST)
        return tell_twice(r, f->key, quoted);
    return fail(r, "the key \"%s\" stands twice in this mapping", f->key);
}

static bool remember(struct reader *r, const char *anchor, const struct value *v)
{
    if (anchor == NULL)
        return true;
    struct value *kept = v != NULL ? copy(r, v) : NULL;
    if (v != NULL && kept == NULL)
        return false;
    return map_set(&r->anchors, anchor, kept) || error_memory(r->err);
}

static struct value *scalar_value(const struct yaml_scalar *scalar, const char *text, size_t length)
{
    int64_t fits;
    switch (scalar->type) {
    case YAML_NULL_TYPE: return value_null();
    case YAML_BOOL_TYPE: return value_bool(scalar->truth);
    case YAML_INT_TYPE: return number_to_int(scalar->integer, &fits) ? value_int(fits) : value_uint(scalar->integer.magnitude);
    case YAML_FLOAT_TYPE: return value_double(scalar->real);
    case YAML_TIME_TYPE:
    case YAML_STRING_TYPE:
    default: return value_string_n(text, length);
    }
}

/* What kind of scalar the event holds. For !!binary, *decoded is its content (owned). */
static bool read_scalar(struct reader *r, struct yaml_scalar *scalar, char **decoded, size_t *length)
{
    const char *tag = (const char *)r->event.data.scalar.tag, *text = (const char *)r->event.data.scalar.value;
    struct error err = ERROR_INIT;
    bool known = true, ok;
    *scalar = (struct yaml_scalar){.type = YAML_STRING_TYPE};
    if (tag == NULL)
        return !r->event.data.scalar.plain_implicit || yaml_resolve(text, *length, scalar) || error_memory(r->err);
    ok = yaml_resolve_tagged(tag, text, *length, scalar, &known, &err);
    if (!ok)
        return err.kind == ERROR_INPUT ? fail(r, "%s", err.message) : error_memory(r->err);
    if (known || strcmp(tag, "tag:yaml.org,2002:binary") != 0)
        return true;
    if (!base64_valid(text, *length))
        return fail(r, "!!binary is not base64", NULL);
    char *bytes = base64_decode(text, *length, length);
    struct buf valid = buf_make(SIZE_MAX);
    buf_append_string(&valid, "");
    if (bytes != NULL)
        utf8_repair(bytes, *length, &valid);
    *decoded = bytes != NULL ? buf_take(&valid, length) : NULL;
    mem_free(bytes);
    buf_free(&valid);
    return *decoded != NULL || error_memory(r->err);
}

static bool is_merge_key(const yaml_event_t *event)
{
    const char *tag = (const char *)event->data.scalar.tag;
    return strcmp((const char *)event->data.scalar.value, "<<") == 0 &&
           (event->data.scalar.plain_implicit || (tag != NULL && strcmp(tag, "tag:yaml.org,2002:merge") == 0));
}

static bool take_key(struct reader *r, const struct yaml_scalar *scalar, const char *text, size_t length)
{
    struct buf key = buf_make(KEY_MOST);
    struct value *clean = value_string_n(text, length); /* without NULs */
    bool ok = clean != NULL, named = ok && yaml_key(scalar, value_text(clean), strlen(value_text(clean)), &key);
    value_free(clean);
    if (ok && !named)
        ok = fail(r, "null and integers beyond 64 bits cannot be keys", NULL);
    else if (ok && !buf_ok(&key) && length >= KEY_MOST)
        ok = fail_limit(r, "a key of more than 1 MiB");
    else
        ok = ok ? set_key(r, &key, is_merge_key(&r->event), scalar->type == YAML_STRING_TYPE) : error_memory(r->err);
    buf_free(&key);
    return ok;
}

static bool take_scalar(struct reader *r)
{
    const char *text = (const char *)r->event.data.scalar.value, *anchor = (const char *)r->event.data.scalar.anchor;
    size_t length = r->event.data.scalar.length;
    struct yaml_scalar scalar;
    struct value *v = NULL;
    char *decoded = NULL;
    bool ok = count_node(r) && read_scalar(r, &scalar, &decoded, &length);
    if (decoded != NULL)
        text = decoded;
    if (!ok)
        goto done;
    double real = scalar.type == YAML_FLOAT_TYPE ? scalar.real : 0;
    bool endless = real - real != 0, key = want_key(r);
    if (endless && !key) {
        ok = fail(r, "%s is a number that JSON does not have", text);
        goto done;
    }
    v = scalar_value(&scalar, text, length);
    ok = v != NULL ? remember(r, anchor, v) : error_memory(r->err);
    if (ok && key) {
        ok = take_key(r, &scalar, text, length);
    } else if (ok) {
        ok = deliver(r, v, false);
        v = NULL;
    }
done:
    value_free(v);
    mem_free(decoded);
    return ok;
}

/* An alias as a key: what it names must be a scalar. */
static bool take_alias_key(struct reader *r, const struct value *v)
{
    struct buf key = buf_make(KEY_MOST);
    bool ok = value_type(v) == VALUE_STRING || value_type(v) == VALUE_NUMBER || value_type(v) == VALUE_BOOL;
    if (!ok)
        return fail(r, "only strings, numbers and booleans can be keys", NULL);
    if (value_text(v) != NULL)
        buf_append_string(&key, value_text(v));
    else
        json_print(v, false, &key);
    ok = set_key(r, &key, false, value_text(v) != NULL);
    buf_free(&key);
    return ok;
}

static bool take_alias(struct reader *r)
{
    const char *name = (const char *)r->event.data.alias.anchor;
    const struct value *anchored = map_get(&r->anchors, name);
    if (!map_has(&r->anchors, name))
        return fail(r, "there is no anchor &%s before this alias", name);
    if (anchored == NULL)
        return fail(r, "what &%s names contains itself", name);
    if (want_key(r))
        return take_alias_key(r, anchored);
    struct value *v = copy(r, anchored);
    return v != NULL && deliver(r, v, true);
}

static bool open_frame(struct reader *r, bool mapping, const yaml_char_t *anchor)
{
    if (want_key(r))
        return fail(r, "only strings, numbers and booleans can be keys", NULL);
    if (r->depth == YAML_DEPTH)
        return fail_limit(r, "nested too deeply");
    if (!count_node(r))
        return false;
    struct frame *f = &r->frames[r->depth];
    *f = (struct frame){.mapping = mapping, .seen = map_make(YAML_NODES, NULL), .added = map_make(YAML_NODES, NULL)};
    f->container = mapping ? value_object() : value_array();
    f->anchor = anchor != NULL ? mem_string((const char *)anchor) : NULL;
    r->depth++;
    if (f->container == NULL || (anchor != NULL && f->anchor == NULL))
        return error_memory(r->err);
    return remember(r, f->anchor, NULL);
}

static void drop_frame(struct frame *f)
{
    value_free(f->container);
    mem_free(f->anchor);
    mem_free(f->key);
    map_free(&f->seen);
    map_free(&f->added);
}

static bool close_frame(struct reader *r)
{
    struct frame *f = &r->frames[--r->depth];
    struct value *v = f->container;
    f->container = NULL;
    bool ok = remember(r, f->anchor, v);
    drop_frame(f);
    if (!ok) {
        value_free(v);
        return false;
    }
    return deliver(r, v, false);
}

static void free_value(void *v)
{
    value_free(v);
}

/* A document without content is none: neither is one that says null. */
static bool end_document(struct reader *r, struct vec *documents)
{
    struct value *root = r->root;
    r->root = NULL;
    map_free(&r->anchors);
    if (value_type(root) == VALUE_NULL || root == NULL) {
        value_free(root);
        return true;
    }
    if (documents->length == documents->maximum) {
        value_free(root);
        return documents->maximum == 1 ? fail(r, "one document was expected, here ends a second one", NULL)
                                       : fail_limit(r, "more than 100,000 documents");
    }
    return vec_push(documents, root) || error_memory(r->err);
}

static bool take_event(struct reader *r, struct vec *documents)
{
    switch (r->event.type) {
    case YAML_SCALAR_EVENT: return take_scalar(r);
    case YAML_ALIAS_EVENT: return take_alias(r);
    case YAML_SEQUENCE_START_EVENT: return open_frame(r, false, r->event.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT: return open_frame(r, true, r->event.data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_frame(r);
    case YAML_DOCUMENT_END_EVENT: r->documents_done++; return end_document(r, documents);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    default: return true;
    }
}

static bool read_stream(struct reader *r, struct vec *documents)
{
    for (bool end = false; !end;) {
        if (!yaml_parser_parse(&r->parser, &r->event))
            return fail_parser(r);
        bool ok = take_event(r, documents);
        end = r->event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&r->event);
        if (!ok)
            return false;
    }
    return true;
}

static bool read_yaml(const char *text, size_t length, const char *name, enum yaml_duplicates duplicates, struct vec *twice,
                      struct vec *documents, struct error *err)
{
    struct error unused;
    struct reader *r = mem_zero(1, sizeof *r);
    if (r == NULL)
        return error_memory(err);
    r->name = name;
    r->duplicates = duplicates;
    r->twice = twice;
    r->err = err != NULL ? err : &unused;
    r->anchors = map_make(YAML_NODES, free_value);
    bool ok = yaml_parser_initialize(&r->parser) != 0;
    if (ok) {
        yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, length);
        ok = read_stream(r, documents);
        yaml_parser_delete(&r->parser);
    } else {
        error_memory(err);
    }
    while (r->depth > 0)
        drop_frame(&r->frames[--r->depth]);
    value_free(r->root);
    map_free(&r->anchors);
    mem_free(r);
    return ok;
}

/* JSON has escapes that YAML 1.1 lacks (pairs of surrogates); kubectl, too, tries JSON where a text begins like it. */
static bool read_json(const char *text, size_t length, const char *name, struct vec *documents)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
        i++;
    if (i == length || (text[i] != '{' && text[i] != '['))
        return false;
    struct value *v = json_parse(text, length, name, NULL);
    vec_clear(documents);
    return v != NULL && vec_push(documents, v);
}

/* UTF-16 with a byte order mark is left to libyaml; anything else is UTF-8 in which kubectl replaces what is none. */
static bool needs_repair(const char *text, size_t length)
{
    bool utf16 = length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
    return !utf16 && !utf8_valid(text, length);
}

static bool parse(const char *text, size_t length, const char *name, enum yaml_duplicates duplicates, struct vec *twice, size_t maximum,
                  struct vec *documents, struct error *err)
{
    struct error own = ERROR_INIT;
    struct buf valid = buf_make(SIZE_MAX);
    *documents = vec_make(maximum, free_value);
    if (needs_repair(text, length)) {
        utf8_repair(text, length, &valid);
        text = valid.bytes;
        length = valid.length;
    }
    bool ok = buf_ok(&valid) ? read_yaml(text, length, name, duplicates, twice, documents, &own) : error_memory(&own);
    if (!ok && own.kind == ERROR_INPUT && strncmp(own.message, not_yaml, strlen(not_yaml)) == 0)
        ok = read_json(text, length, name, documents);
    buf_free(&valid);
    if (ok)
        return true;
    if (err != NULL)
        *err = own;
    vec_free(documents);
    return false;
}

bool yaml_parse_all(const char *text, size_t length, const char *name, enum yaml_duplicates duplicates, struct vec *documents,
                    struct error *err)
{
    return parse(text, length, name, duplicates, NULL, YAML_DOCUMENTS, documents, err);
}

bool yaml_parse_telling(const char *text, size_t length, const char *name, struct vec *twice, struct vec *documents, struct error *err)
{
    return parse(text, length, name, YAML_DUPLICATES_LAST, twice, YAML_DOCUMENTS, documents, err);
}

struct value *yaml_parse(const char *text, size_t length, const char *name, enum yaml_duplicates duplicates, struct error *err)
{
    struct vec documents;
    if (!parse(text, length, name, duplicates, NULL, 1, &documents, err))
        return NULL;
    struct value *v = documents.length > 0 ? vec_take(&documents, 0) : value_null();
    if (v == NULL)
        error_memory(err);
    vec_free(&documents);
    return v;
}
