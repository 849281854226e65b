#include "practice/schema/patch_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/go_print.h"

/* An item and its places: in the order that it is sorted by, and in the list that the server had. */
struct item {
    struct value *value;
    long wanted, there; /* -1: it is not there */
    size_t at;          /* before sorting */
};

enum { GO_BLOCK = 20 }; /* sort.SliceStable sorts so many by insertion */

void patch_take_items(struct value *array, struct vec *out, bool *ok)
{
    for (struct value *item = value_first(array); *ok && item != NULL; item = value_first(array))
        *ok = vec_push(out, value_take(array, item));
    value_free(array);
}

struct value *patch_array_of(struct patching *p, struct vec *items)
{
    struct value *array = value_array();
    bool ok = array != NULL;
    for (size_t i = 0; i < items->length; i++) {
        ok = ok && value_append(array, items->items[i]);
        if (ok)
            items->items[i] = NULL;
    }
    vec_clear(items);
    if (ok)
        return array;
    value_free(array);
    error_memory(p->err);
    return NULL;
}

/* A text that is the same for what Go takes for equal. NULL with an error. */
static const char *text_of(struct patching *p, const struct value *v)
{
    enum value_type type = value_type(v);
    if (type == VALUE_OBJECT || type == VALUE_ARRAY) {
        patch_panic(p);
        return NULL;
    }
    buf_clear(&p->key);
    buf_printf(&p->key, "%s ", go_type(v));
    go_print(v, &p->key);
    if (buf_ok(&p->key))
        return p->key.bytes;
    error_memory(p->err);
    return NULL;
}

/* By what an item is told from others: itself, or its merge key. */
static const char *key_of(struct patching *p, const struct value *item, const char *merge_key)
{
    return text_of(p, merge_key != NULL ? value_get(item, merge_key) : item);
}

/* Where each key stands first, plus one. */
static bool places_of(struct patching *p, const struct value *first, const char *merge_key, struct map *places)
{
    size_t at = 0;
    for (const struct value *item = first; item != NULL; item = value_next(item)) {
        at++;
        if (merge_key != NULL && value_get(item, merge_key) == NULL)
            continue;
        const char *key = key_of(p, item, merge_key);
        if (key == NULL)
            return false;
        if (!map_has(places, key) && !map_set(places, key, (void *)(uintptr_t)at))
            return error_memory(p->err);
    }
    return true;
}

static bool place_in(struct patching *p, const struct map *places, const struct value *item, const char *merge_key, long *place)
{
    const char *key = key_of(p, item, merge_key);
    if (key != NULL)
        *place = (long)(uintptr_t)map_get(places, key) - 1;
    return key != NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->wanted != y->wanted ? (x->wanted < y->wanted ? -1 : 1) : x->at < y->at ? -1 : 1;
}

/* As Go's sort with strategicpatch's comparison, which calls everything less than what has no place. */
static void sort_items(struct item *items, size_t count)
{
    if (count > GO_BLOCK) {
        qsort(items, count, sizeof *items, by_place);
        return;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            struct item *left = &items[j - 1], *right = &items[j], kept = *left;
            if (right->wanted >= 0 && left->wanted >= 0 && right->wanted >= left->wanted)
                break;
            *left = *right;
            *right = kept;
        }
}

/* Puts what the patch speaks of and what only the server has in one list again: each in its order, the server's before what
 * they stood before. */
static void interleave(const struct item *server, size_t servers, const struct item *patch, size_t patches, void **out)
{
    for (size_t i = 0, j = 0; i < servers || j < patches;) {
        bool first =
            j >= patches || (i < servers && server[i].there >= 0 && patch[j].there >= 0 && server[i].there < patch[j].there);
        *out++ = first ? server[i++].value : patch[j++].value;
    }
}

/* wanted: the order that the patch wants; there: the order that the server had. Items that are not in `wanted` keep to the
 * other. */
static bool arrange(struct patching *p, struct vec *merged, const struct map *wanted, const struct map *there,
                    const char *merge_key)
{
    struct item *items = mem_zero(merged->length + 1, 2 * sizeof *items),
                *server = items != NULL ? items + merged->length : NULL;
    size_t patches = 0, servers = 0;
    bool ok = items != NULL || error_memory(p->err);
    for (size_t i = 0; ok && i < merged->length; i++) {
        struct value *v = merged->items[i];
        struct item item = {.value = v, .at = i};
        if (merge_key != NULL && value_type(v) != VALUE_OBJECT)
            ok = patch_wrong_type(p, "map[string]interface {}", v);
        else if (merge_key != NULL && value_get(v, merge_key) == NULL)
            ok = patch_no_key(p, v, merge_key);
        ok = ok && place_in(p, wanted, v, merge_key, &item.wanted) && place_in(p, there, v, merge_key, &item.there);
        if (ok && item.wanted >= 0)
            items[patches++] = item;
        else if (ok) {
            item.wanted = item.there;
            server[servers++] = item;
        }
    }
    if (ok) {
        sort_items(items, patches);
        sort_items(server, servers);
        interleave(server, servers, items, patches, merged->items);
    }
    mem_free(items);
    return ok;
}

static bool same_type(const struct value *a, const struct value *b)
{
    return value_type(a) == value_type(b) && strcmp(go_type(a), go_type(b)) == 0;
}

static void print_list(const struct value *list, struct buf *out)
{
    if (list == NULL)
        buf_append_string(out, "[]");
    else
        go_print(list, out);
}

static bool mixed_types(struct patching *p, const struct value *one, const struct value *other)
{
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, "list element types are not identical: [");
    print_list(one, &text);
    buf_append_string(&text, " ");
    print_list(other, &text);
    buf_append_string(&text, "]");
    if (buf_ok(&text))
        patch_refuse(p, ERROR_INTERNAL, text.bytes);
    else
        error_memory(p->err);
    buf_free(&text);
    return false;
}

/* The one type that all items of both lists have. */
static bool type_of(struct patching *p, const struct value *one, const struct value *other, enum value_type *type)
{
    const struct value *lists[] = {one, other}, *first = NULL;
    for (size_t i = 0; i < 2; i++)
        for (const struct value *item = value_first(lists[i]); item != NULL; item = value_next(item)) {
            if (first == NULL && value_type(item) == VALUE_NULL)
                return patch_panic(p);
            if (first == NULL && value_type(item) == VALUE_ARRAY)
                return patch_misfit(p);
            first = first != NULL ? first : item;
            if (same_type(first, item))
                continue;
            return mixed_types(p, one, other);
        }
    *type = value_type(first);
    return first != NULL || patch_refuse(p, ERROR_INTERNAL, "no elements in any of the given slices");
}

/* Items without a place in `places` (the second list's), or each once. Empties the list. */
static bool filter(struct patching *p, struct vec *from, const struct map *places, struct vec *out)
{
    struct map seen = map_make(SIZE_MAX, NULL);
    bool ok = true;
    for (size_t i = 0; ok && i < from->length; i++) {
        const char *key = text_of(p, from->items[i]);
        ok = key != NULL;
        if (!ok || map_has(places != NULL ? places : &seen, key))
            continue;
        ok = (places != NULL || map_set(&seen, key, from)) && vec_push(out, from->items[i]);
        from->items[i] = NULL;
        if (!ok)
            error_memory(p->err);
    }
    vec_clear(from);
    map_free(&seen);
    return ok;
}

static bool append_all(struct patching *p, struct vec *to, struct vec *from)
{
    bool ok = true;
    for (size_t i = 0; ok && i < from->length; i++) {
        void *item = from->items[i];
        from->items[i] = NULL;
        ok = vec_push(to, item) || error_memory(p->err);
    }
    vec_clear(from);
    return ok;
}

/* $patch in items: what they delete leaves the original; $patch: replace drops it whole. What is left of the patch has no
 * directives. */
static bool heed_directives(struct patching *p, struct vec *original, struct vec *patch, const char *merge_key)
{
    struct map gone = map_make(SIZE_MAX, NULL);
    bool ok = true, replaces = false;
    size_t kept = 0;
    for (size_t i = 0; ok && i < patch->length; i++) {
        struct value *item = patch->items[i], *word = value_get(item, "$patch");
        const char *text = value_text(word), *key = NULL;
        if (word == NULL) {
            patch->items[i] = patch->items[kept]; /* marked ones come to stand at the end */
            patch->items[kept++] = item;
        } else if (text != NULL && strcmp(text, "replace") == 0)
            replaces = true;
        else if (text != NULL && strcmp(text, "merge") == 0)
            ok = patch_refuse(p, ERROR_INTERNAL, "merging lists cannot yet be specified in the patch");
        else if (text == NULL || strcmp(text, "delete") != 0) {
            struct buf before = buf_make(SIZE_MAX);
            buf_append_string(&before, "unknown patch type: ");
            go_print(word, &before);
            buf_append_string(&before, " in map: ");
            ok = buf_ok(&before) ? patch_tell(p, before.bytes, item, "") : error_memory(p->err);
            buf_free(&before);
        } else if (value_get(item, merge_key) == NULL)
            ok = patch_no_key(p, item, merge_key);
        else {
            key = key_of(p, item, merge_key);
            ok = key != NULL && (map_set(&gone, key, item) || error_memory(p->err));
        }
    }
    while (ok && patch->length > kept)
        vec_remove(patch, patch->length - 1);
    for (size_t i = 0; ok && gone.count > 0 && i < original->length;) {
        const char *key = key_of(p, original->items[i], merge_key);
        ok = key != NULL;
        if (ok && value_get(original->items[i], merge_key) != NULL && map_has(&gone, key))
            vec_remove(original, i);
        else
            i++;
    }
    map_free(&gone);
    if (ok && replaces) {
        vec_clear(original);
        ok = append_all(p, original, patch);
    }
    return ok;
}

/* Items with a key that is there are laid over those, others come after them. */
static bool lay_items(struct patching *p, struct vec *original, struct vec *patch, const struct patch_list *how)
{
    struct map places = map_make(SIZE_MAX, NULL);
    bool ok = true;
    for (size_t i = 0; ok && i < original->length; i++) {
        const char *key =
            value_get(original->items[i], how->merge_key) != NULL ? key_of(p, original->items[i], how->merge_key) : "";
        ok = key != NULL && (*key == '\0' || map_has(&places, key) || map_set(&places, key, (void *)(uintptr_t)(i + 1)) ||
                             error_memory(p->err));
    }
    for (size_t i = 0; ok && i < patch->length; i++) {
        struct value *item = patch->items[i];
        if (value_get(item, how->merge_key) == NULL) {
            ok = patch_no_key(p, item, how->merge_key);
            break;
        }
        const char *key = key_of(p, item, how->merge_key);
        uintptr_t at = key != NULL ? (uintptr_t)map_get(&places, key) : 0;
        ok =
            key != NULL && (at > 0 || map_set(&places, key, (void *)(uintptr_t)(original->length + 1)) || error_memory(p->err));
        if (!ok)
            break;
        patch->items[i] = NULL;
        if (at == 0)
            ok = vec_push(original, item) || error_memory(p->err);
        else {
            struct value *there = original->items[at - 1];
            original->items[at - 1] = NULL; /* used up, whatever comes of it */
            original->items[at - 1] = patch_object(p, there, item, how->items);
            ok = original->items[at - 1] != NULL;
        }
    }
    map_free(&places);
    return ok;
}

/* An array of the items, that does not own them: only to be looked at, and given back with unview. */
static struct value *view(struct patching *p, struct vec *items)
{
    struct value *array = value_array();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < items->length; i++)
        ok = value_append(array, items->items[i]);
    if (!ok)
        error_memory(p->err);
    return array;
}

static void unview(struct value *array, struct vec *items)
{
    for (size_t i = 0; array != NULL && i < items->length; i++)
        items->items[i] = value_take(array, value_first(array));
    value_free(array);
}

static bool merge_lists(struct patching *p, struct vec *original, struct vec *patch, const struct patch_list *how,
                        enum value_type type, bool delete_list, struct vec *out)
{
    struct map wanted = map_make(SIZE_MAX, NULL), there = map_make(SIZE_MAX, NULL);
    bool maps = type == VALUE_OBJECT, ok = true;
    const char *merge_key = how->merge_key;
    if (maps && merge_key == NULL)
        return patch_refuse(p, ERROR_INTERNAL, "cannot merge lists without merge key for struct");
    if (maps)
        ok = heed_directives(p, original, patch, merge_key);
    struct value *seen = ok ? view(p, patch) : NULL;
    ok = ok && seen != NULL && places_of(p, value_first(seen), merge_key, &wanted);
    unview(seen, patch);
    seen = ok ? view(p, original) : NULL;
    ok = ok && seen != NULL && places_of(p, value_first(seen), merge_key, &there);
    unview(seen, original);
    if (ok && !maps && delete_list)
        ok = filter(p, original, &wanted, out);
    else if (ok && maps)
        ok = lay_items(p, original, patch, how) && append_all(p, out, original) && arrange(p, out, &wanted, &there, merge_key);
    else if (ok)
        ok = append_all(p, original, patch) && filter(p, original, NULL, out) && arrange(p, out, &wanted, &there, merge_key);
    map_free(&wanted);
    map_free(&there);
    return ok;
}

bool patch_lists(struct patching *p, struct vec *original, struct vec *patch, const struct patch_list *how, bool delete_list,
                 struct vec *out)
{
    enum value_type type = VALUE_MISSING;
    if (!how->merge && !delete_list)
        return append_all(p, out, patch);
    if (original->length == 0 && patch->length == 0)
        return true;
    struct value *one = view(p, original), *other = view(p, patch);
    bool ok = one != NULL && other != NULL && type_of(p, one, other, &type);
    unview(one, original);
    unview(other, patch);
    return ok && merge_lists(p, original, patch, how, type, delete_list, out);
}

/* The first item of a list that is no object: Go's search by merge key does not come beyond it. */
static bool no_map(struct patching *p, const struct value *list)
{
    size_t at = 0;
    const struct value *item = value_first(list);
    for (; item != NULL && value_type(item) == VALUE_OBJECT; item = value_next(item))
        at++;
    return item == NULL || error_set(p->err, ERROR_INTERNAL, "", "value for key %zu is not a map", at);
}

bool patch_order(struct patching *p, struct vec *merged, const struct value *order, const struct value *original,
                 const struct value *patch, const char *merge_key)
{
    struct map wanted = map_make(SIZE_MAX, NULL), there = map_make(SIZE_MAX, NULL);
    enum value_type type = VALUE_MISSING;
    bool ok = merge_key == NULL || merged->length == 0 || no_map(p, order);
    ok = ok && type_of(p, original, patch, &type);
    if (ok && type == VALUE_OBJECT && merge_key == NULL) /* not to be compared; and none has the key that is no name */
        ok = merged->length > 0 || value_first(order) != NULL
                 ? patch_panic(p)
                 : value_first(original) == NULL || patch_no_key(p, value_first(original), "");
    for (const struct value *item = merge_key != NULL ? value_first(order) : NULL; ok && type == VALUE_OBJECT && item != NULL;
         item = value_next(item))
        ok = value_get(item, merge_key) != NULL || patch_no_key(p, item, merge_key);
    ok = ok && places_of(p, value_first(order), merge_key, &wanted) && places_of(p, value_first(original), merge_key, &there) &&
         arrange(p, merged, &wanted, &there, merge_key);
    map_free(&wanted);
    map_free(&there);
    return ok;
}

/* True with *equal, or an error. */
static bool keys_equal(struct patching *p, const struct value *a, const struct value *b, const char *merge_key, bool *equal)
{
    const struct value *pair[] = {a, b}, *keys[2];
    for (size_t i = 0; i < 2; i++) {
        if (merge_key != NULL && value_type(pair[i]) != VALUE_OBJECT)
            return patch_wrong_type(p, "map[string]interface {}", pair[i]);
        keys[i] = merge_key != NULL ? value_get(pair[i], merge_key) : pair[i];
    }
    for (size_t i = 0; merge_key != NULL && i < 2; i++)
        if (keys[i] == NULL)
            return patch_no_key(p, pair[i], merge_key);
    bool containers = value_type(keys[0]) == VALUE_OBJECT || value_type(keys[0]) == VALUE_ARRAY;
    if (containers && value_type(keys[0]) == value_type(keys[1]))
        return patch_panic(p);
    *equal = same_type(keys[0], keys[1]) && value_equal(keys[0], keys[1]);
    return true;
}

/* Whether Go's check goes past an item without a look. */
static bool is_marked(const struct value *item)
{
    return value_get(item, "$patch") != NULL;
}

bool patch_check_order(struct patching *p, const struct value *patch, const struct value *order, const char *merge_key)
{
    if (value_first(patch) == NULL || value_first(order) == NULL)
        return true;
    for (const struct value *item = value_first(patch); merge_key != NULL && item != NULL; item = value_next(item))
        if (value_type(item) != VALUE_OBJECT)
            return patch_wrong_type(p, "map[string]interface {}", item);
    const struct value *item = value_first(patch), *wanted = value_first(order);
    while (item != NULL && wanted != NULL) {
        bool equal = false;
        if (is_marked(item)) {
            item = value_next(item);
            continue;
        }
        if (!keys_equal(p, item, wanted, merge_key, &equal))
            return false;
        item = equal ? value_next(item) : item;
        wanted = value_next(wanted);
    }
    /* Deleting items are not in the list that Go walks; other marked ones at its end it does not reach, and complains of. */
    while (item != NULL && is_marked(item) && value_text(value_get(item, "$patch")) != NULL &&
           strcmp(value_text(value_get(item, "$patch")), "delete") == 0 && merge_key != NULL)
        item = value_next(item);
    if (item == NULL)
        return true;
    struct buf before = buf_make(SIZE_MAX);
    buf_append_string(&before, "The order in patch list:\n");
    go_print(patch, &before);
    buf_append_string(&before, "\n doesn't match $setElementOrder list:\n");
    bool ok = buf_ok(&before) ? patch_tell(p, before.bytes, order, "\n") : error_memory(p->err);
    buf_free(&before);
    return ok;
}
