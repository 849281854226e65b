/* What a parsed document no longer tells: keys that stood twice, the order of complaints, a number's literal. The text is known to be JSON, but for
 * scan_top; every step looks at the end all the same. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/internal.h"

struct scan {
    const char *at, *end;
    struct vec *complaints;
    bool no_memory;
};

enum { MOST_KEYS = 1000000, MOST_FIELDS = 256 };

static void skip_space(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) != NULL && *s->at != '\0')
        s->at++;
}

/* Behind the closing quote of the string that begins at s->at. */
static void skip_string(struct scan *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        if (*s->at == '\\' && s->end - s->at > 1)
            s->at++;
    }
    if (s->at < s->end)
        s->at++;
}

static bool is_scalar_end(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_value(struct scan *s)
{
    size_t depth = 0;
    do {
        skip_space(s);
        if (s->at == s->end)
            return;
        char c = *s->at;
        if (c == '"') {
            skip_string(s);
        } else if (c == '{' || c == '[') {
            depth++;
            s->at++;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0;
            s->at++;
        } else if (c == ',' || c == ':') {
            s->at++;
            continue; /* only within brackets */
        } else {
            while (s->at < s->end && !is_scalar_end(*s->at))
                s->at++;
        }
    } while (depth > 0);
}

static void begin(struct scan *s, const char *text, size_t length)
{
    *s = (struct scan){.at = text, .end = text + length};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        s->at += 3;
    skip_space(s);
}

/* Moves into the object or array at s->at; false: something else stands there. */
static bool enter(struct scan *s, char bracket)
{
    skip_space(s);
    if (s->at == s->end || *s->at != bracket)
        return false;
    s->at++;
    return true;
}

/* To the next entry of the container that was entered; false: its end. Leaves s->at behind that. */
static bool next_entry(struct scan *s)
{
    skip_space(s);
    if (s->at < s->end && *s->at == ',') {
        s->at++;
        skip_space(s);
    }
    if (s->at == s->end)
        return false;
    if (*s->at == '}' || *s->at == ']') {
        s->at++;
        return false;
    }
    return true;
}

/* The text of the string at s->at, decoded; the caller frees. NULL: no string, or no memory (noted). */
static char *read_string(struct scan *s)
{
    const char *from = s->at;
    if (from == s->end || *from != '"')
        return NULL;
    skip_string(s);
    size_t length = (size_t)(s->at - from);
    struct error err;
    struct value *string = length >= 2 ? json_parse(from, length, "", &err) : NULL;
    char *text = value_text(string) != NULL ? mem_string(value_text(string)) : NULL;
    if (text == NULL && (string != NULL || length < 2 || err.kind == ERROR_MEMORY))
        s->no_memory = true;
    value_free(string);
    return text;
}

/* The key at s->at, and then s->at at its value. */
static char *read_key(struct scan *s)
{
    char *key = read_string(s);
    skip_space(s);
    if (s->at < s->end && *s->at == ':')
        s->at++;
    skip_space(s);
    return key;
}

size_t scan_entries(const char *text, size_t length, bool *odd)
{
    struct scan s = {.at = text, .end = text + length};
    size_t entries = 0;
    *odd = false;
    while (s.at < s.end) {
        char c = *s.at;
        if (c == '"') {
            skip_string(&s);
            continue;
        }
        entries += c == ':';
        *odd = *odd || c == '.' || ((c == 'e' || c == 'E') && s.at > text && s.at[-1] >= '0' && s.at[-1] <= '9');
        s.at++;
    }
    return entries;
}

/* From the value at s->at into its last entry with that key; `compare` says which keys are the same. */
static bool find_key(struct scan *s, const char *wanted, int (*compare)(const char *, const char *))
{
    const char *found = NULL;
    if (!enter(s, '{'))
        return false;
    while (next_entry(s)) {
        char *key = read_key(s);
        if (key != NULL && compare(key, wanted) == 0)
            found = s->at;
        mem_free(key);
        const char *before = s->at;
        skip_value(s);
        if (s->at == before)
            break;
    }
    s->at = found;
    return found != NULL;
}

static bool find_place(struct scan *s, const struct place *place)
{
    if (place == NULL)
        return true;
    if (!find_place(s, place->up))
        return false;
    if (place->field != NULL || place->key != NULL)
        return find_key(s, place->field != NULL ? place->field->name : place->key, strcmp);
    if (!enter(s, '['))
        return false;
    for (size_t i = 0; next_entry(s); i++) {
        if (i == place->index)
            return true;
        skip_value(s);
    }
    return false;
}

void scan_literal(const char *text, size_t length, const struct place *place, char *out, size_t room)
{
    struct scan s;
    begin(&s, text, length);
    out[0] = '\0';
    if (!find_place(&s, place))
        return;
    skip_space(&s);
    const char *from = s.at;
    skip_value(&s);
    snprintf(out, room, "%.*s", (int)(s.at - from < 4096 ? s.at - from : 4096), from);
}

bool scan_complain(struct vec *complaints, const char *what, const char *path)
{
    char *text = mem_printf("%s field \"%s\"", what, path);
    bool known = text == NULL || vec_has_string(complaints, text) || complaints->length == complaints->maximum;
    if (known) {
        bool ok = text != NULL;
        mem_free(text);
        return ok;
    }
    return vec_push(complaints, text);
}

static void complain(struct scan *s, const char *what, const struct place *place)
{
    char path[PLACE_TEXT];
    place_path(place, path);
    if (!scan_complain(s->complaints, what, path))
        s->no_memory = true;
}

static void walk(struct scan *s, const struct schema *schema, const struct place *place);

/* Looks at an entry whose key has been read, s->at at its value. `seen` is of fields, `keys` of a map. */
static void walk_entry(struct scan *s, const struct schema *schema, const char *key, const struct place *up, bool *seen, struct map *keys)
{
    const struct schema_field *field = schema_field(schema, key);
    struct place here = {.up = up, .object = field != NULL ? schema : NULL, .field = field, .key = field != NULL ? NULL : key};
    bool twice = false;
    if (field != NULL) {
        size_t index = (size_t)(field - schema->fields);
        twice = index < MOST_FIELDS && seen[index];
        seen[index < MOST_FIELDS ? index : 0] = true;
    } else if (schema->type == SCHEMA_MAP) {
        twice = map_get(keys, key) != NULL;
        if (!twice && !map_set(keys, key, s))
            s->no_memory = true;
    } else if ((schema->flags & SCHEMA_PRESERVE) == 0) {
        complain(s, "unknown", &here);
    }
    if (twice)
        complain(s, "duplicate", &here);
    const struct schema *below = field != NULL ? field->schema : schema->type == SCHEMA_MAP ? schema->items : NULL;
    walk(s, below, &here);
}

static void walk_object(struct scan *s, const struct schema *schema, const struct place *place)
{
    bool seen[MOST_FIELDS] = {false};
    struct map keys = map_make(MOST_KEYS, NULL);
    s->at++;
    while (!s->no_memory && next_entry(s)) {
        const char *before = s->at;
        char *key = read_key(s);
        if (key != NULL)
            walk_entry(s, schema, key, place, seen, &keys);
        mem_free(key);
        if (s->at == before)
            break;
    }
    map_free(&keys);
}

static void walk_array(struct scan *s, const struct schema *schema, const struct place *place)
{
    s->at++;
    for (size_t i = 0; !s->no_memory && next_entry(s); i++) {
        struct place here = {.up = place, .index = i};
        const char *before = s->at;
        walk(s, schema->items, &here);
        if (s->at == before)
            break;
    }
}

/* Moves behind the value at s->at. */
static void walk(struct scan *s, const struct schema *schema, const struct place *place)
{
    skip_space(s);
    char c = s->at < s->end ? *s->at : '\0';
    if (schema != NULL && c == '{' && (schema->type == SCHEMA_OBJECT || schema->type == SCHEMA_MAP))
        walk_object(s, schema, place);
    else if (schema != NULL && c == '[' && schema->type == SCHEMA_ARRAY)
        walk_array(s, schema, place);
    else
        skip_value(s);
}

bool scan_complaints(const char *text, size_t length, const struct schema *schema, struct vec *complaints)
{
    struct scan s;
    begin(&s, text, length);
    s.complaints = complaints;
    walk(&s, schema, NULL);
    return !s.no_memory;
}

size_t scan_top(const char *text, size_t length, const char *key, char *out, size_t room, const char **wrong)
{
    struct scan s;
    begin(&s, text, length);
    out[0] = '\0';
    *wrong = NULL;
    if (!find_key(&s, key, strcasecmp)) /* this look is encoding/json's, which does not mind capitals */
        return length;
    size_t at = (size_t)(s.at - text);
    char c = s.at < s.end ? *s.at : 'n';
    if (c == '"') {
        char *string = read_string(&s);
        snprintf(out, room, "%s", string != NULL ? string : "");
        mem_free(string);
    } else if (c != 'n') {
        *wrong = c == '{' ? "object" : c == '[' ? "array" : c == 't' || c == 'f' ? "bool" : "number";
    }
    return at;
}
