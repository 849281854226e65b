#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "practice/schema/fieldset.h"
#include "practice/schema/go_print.h"

/* Go's printer writes <, > and & as escapes. */
static void print_json(const struct value *v, struct buf *out)
{
    struct buf text = buf_make(SIZE_MAX);
    const char *string = value_text(v);
    if (string != NULL && strpbrk(string, "<>&") == NULL) {
        json_quote(string, out);
        return;
    }
    json_print(v, false, &text);
    if (!buf_ok(&text))
        buf_fail(out);
    for (const char *at = text.bytes; at != NULL && *at != '\0';) {
        size_t plain = strcspn(at, "<>&");
        buf_append(out, at, plain);
        at += plain;
        if (*at != '\0')
            buf_printf(out, "\\u%04x", *at++);
    }
    buf_free(&text);
}

/* The key of an element: f:NAME, k:{"NAME":VALUE}, v:VALUE, i:INDEX. */
static void print_element(const struct field_element *element, struct buf *out)
{
    switch (element->type) {
    case FIELD_NAME:
        buf_append(out, "f:", 2);
        buf_append_string(out, element->name);
        return;
    case FIELD_INDEX:
        buf_printf(out, "i:%ld", element->index);
        return;
    case FIELD_VALUE:
        buf_append(out, "v:", 2);
        print_json(element->value, out);
        return;
    case FIELD_KEYS:
        buf_append(out, "k:{", 3);
        for (unsigned i = 0; i < element->key_count; i++) {
            buf_append(out, ",", i > 0);
            json_quote(element->keys[i].name, out);
            buf_append(out, ":", 1);
            print_json(element->keys[i].value, out);
        }
        buf_append(out, "}", 1);
        return;
    }
}

/* False: no memory. */
static bool build(const struct fieldset *set, struct value *object, struct buf *key)
{
    bool ok = true;
    for (; ok && set != NULL; set = set->next) {
        buf_clear(key);
        print_element(&set->element, key);
        struct value *child = buf_ok(key) ? value_add_object(object, key->bytes, key->length) : NULL;
        ok = child != NULL && (set->children == NULL || !set->member || value_add_object(child, ".", 1) != NULL) &&
             build(set->children, child, key);
    }
    return ok;
}

struct value *fieldset_value(const struct fieldset *set)
{
    struct buf key = buf_make(SIZE_MAX);
    struct value *object = value_object();
    bool ok = object != NULL && build(set, object, &key);
    buf_free(&key);
    if (ok)
        return object;
    value_free(object);
    return NULL;
}

/* `key` is room for the keys. */
static void print_set(const struct fieldset *set, bool member, struct buf *key, struct buf *out)
{
    buf_append_string(out, member && set != NULL ? "{\".\":{}," : "{");
    for (const struct fieldset *at = set; at != NULL; at = at->next) {
        if (at->element.type == FIELD_NAME) {
            buf_append(out, &",\"f:"[at == set], 4 - (at == set));
            json_escape(at->element.name, out);
        } else {
            buf_clear(key);
            print_element(&at->element, key);
            if (!buf_ok(key))
                buf_fail(out);
            buf_append(out, &",\""[at == set], 2 - (at == set));
            json_escape(buf_ok(key) ? key->bytes : "", out);
        }
        buf_append(out, at->children == NULL ? "\":{}" : "\":", at->children == NULL ? 4 : 2);
        if (at->children != NULL)
            print_set(at->children, at->member, key, out);
    }
    buf_append(out, "}", 1);
}

void fieldset_print(const struct fieldset *set, struct buf *out)
{
    struct buf key = buf_make(SIZE_MAX);
    print_set(set, false, &key, out);
    buf_free(&key);
}

static int by_name(const void *a, const void *b)
{
    const struct field_key *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* JSON in an element; NULL: malformed, or no memory, which the arena is told. */
static struct value *parse_inside(struct arena *arena, const char *text)
{
    struct error err = ERROR_INIT;
    struct value *v = json_parse(text, strlen(text), "fields", &err);
    arena->failed |= err.kind == ERROR_MEMORY;
    return v;
}

static bool read_keys(struct arena *arena, const char *text, struct field_element *element)
{
    struct value *object = parse_inside(arena, text);
    if (value_type(object) != VALUE_OBJECT) {
        value_free(object);
        return false;
    }
    size_t count = value_length(object), i = 0;
    object = arena_own(arena, object);
    struct field_key *keys = arena_get(arena, count * sizeof *keys + 1);
    for (const struct value *entry = value_first(object); keys != NULL && entry != NULL;
         entry = value_next(entry)) /* none without memory */
        keys[i++] = (struct field_key){.name = value_key(entry), .value = entry};
    if (keys != NULL)
        qsort(keys, i, sizeof *keys, by_name);
    *element = (struct field_element){.type = FIELD_KEYS, .keys = keys, .key_count = (unsigned)i};
    return true;
}

/* False: malformed. *known false: a kind of element of times to come, which is passed over. */
static bool read_element(struct arena *arena, const char *text, struct field_element *element, bool *known)
{
    *known = true;
    if (strlen(text) < 2 || text[1] != ':')
        return false;
    const char *rest = text + 2;
    char *end;
    switch (text[0]) {
    case 'f':
        *element = (struct field_element){.type = FIELD_NAME, .name = rest};
        return true;
    case 'k':
        return read_keys(arena, rest, element);
    case 'i':
        *element = (struct field_element){.type = FIELD_INDEX, .index = strtol(rest, &end, 10)};
        return *rest != '\0' && *end == '\0';
    case 'v': {
        struct value *v = parse_inside(arena, rest);
        *element = (struct field_element){.type = FIELD_VALUE, .value = v};
        return v != NULL && arena_own(arena, v) != NULL;
    }
    default:
        *known = false;
        return true;
    }
}

static int by_element(const void *a, const void *b)
{
    const struct fieldset *const *x = a, *const *y = b;
    return field_compare(&(*x)->element, &(*y)->element);
}

/* What somebody wrote in another order, or twice. */
static const struct fieldset *sorted(struct arena *arena, const struct fieldset *first, size_t count)
{
    const struct fieldset **nodes = arena_get(arena, count * sizeof *nodes + 1);
    size_t i = 0;
    for (const struct fieldset *node = first; nodes != NULL && node != NULL; node = node->next)
        nodes[i++] = node;
    if (nodes == NULL)
        return NULL;
    qsort(nodes, count, sizeof *nodes, by_element);
    struct fieldset_list list = {.first = NULL};
    for (i = 0; i < count; i++) {
        bool again = list.last != NULL && field_compare(&list.last->element, &nodes[i]->element) == 0;
        if (again) {
            list.last->member |= nodes[i]->member;
            list.last->children = fieldset_union(arena, list.last->children, nodes[i]->children);
        } else
            fieldset_add(arena, &list, &nodes[i]->element, nodes[i]->member, nodes[i]->children);
    }
    return list.first;
}

static bool read_set(struct arena *arena, const struct value *fields, size_t depth, const struct fieldset **set, bool *self)
{
    struct fieldset_list list = {.first = NULL};
    size_t count = 0;
    bool in_order = true;
    *self = false;
    for (const struct value *entry = value_first(fields); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        struct field_element element;
        const struct fieldset *children = NULL;
        bool known = true, member = false;
        if (strcmp(key, ".") == 0) {
            *self = true;
            continue;
        }
        if (!read_element(arena, key, &element, &known))
            return false;
        if (!known)
            continue;
        if (value_type(entry) != VALUE_OBJECT && value_type(entry) != VALUE_NULL)
            return false;
        if (depth < FIELD_DEPTH && !read_set(arena, entry, depth + 1, &children, &member))
            return false;
        in_order &= list.last == NULL || field_compare(&list.last->element, &element) < 0;
        fieldset_add(arena, &list, &element, member || children == NULL, children);
        count++;
    }
    *set = in_order ? list.first : sorted(arena, list.first, count);
    return true;
}

bool fieldset_read(struct arena *arena, const struct value *fields, const struct fieldset **set)
{
    bool self;
    *set = NULL;
    return read_set(arena, fields, 0, set, &self);
}

/* value.ToString: lists and maps are no keys, but somebody may have sent one. */
static void describe_value(const struct value *v, struct buf *out)
{
    bool list = value_type(v) == VALUE_ARRAY, map = value_type(v) == VALUE_OBJECT;
    buf_append_string(out, list ? "[" : "");
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        if (map)
            buf_printf(out, "%s=", value_key(entry));
        buf_append_string(out, list && entry != value_first(v) ? "," : "");
        describe_value(entry, out);
    }
    buf_append_string(out, list ? "]" : "");
    if (value_text(v) != NULL)
        go_quote(value_text(v), out);
    else if (!list && !map)
        json_print(v, false, out);
}

void field_describe(const struct field_element *element, struct buf *out)
{
    switch (element->type) {
    case FIELD_NAME:
        buf_printf(out, ".%s", element->name);
        return;
    case FIELD_INDEX:
        buf_printf(out, "[%ld]", element->index);
        return;
    case FIELD_VALUE:
        buf_append_string(out, "[=");
        describe_value(element->value, out);
        break;
    case FIELD_KEYS:
        for (unsigned i = 0; i < element->key_count; i++) {
            buf_printf(out, "%s%s=", i > 0 ? "," : "[", element->keys[i].name);
            describe_value(element->keys[i].value, out);
        }
        break;
    }
    buf_append_string(out, "]");
}
