#include "data/patch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/node.h"

enum { MANY_KEYS = 32 }; /* a merge of more looks keys up in a hash table */

struct run {
    struct value *root; /* owned */
    size_t copied;      /* bytes of text */
    struct error *err;
};

/* Where a pointer leads: the container of its last part, and that part. */
struct place {
    struct value *container; /* NULL: there is none */
    char *last;              /* owned; unescaped */
    size_t depth;
};

static bool refuse(struct run *run, const char *operation, const char *path, const char *why)
{
    return error_set(run->err, ERROR_INVALID, path, "%s: %s", operation, why);
}

/* ~1 is a slash, ~0 a tilde; any other tilde is itself. */
static char *unescape(const char *part, size_t length)
{
    char *text = mem_string_n(part, length);
    size_t out = 0;
    for (size_t i = 0; text != NULL && i < length; i++) {
        bool escaped = part[i] == '~' && i + 1 < length && (part[i + 1] == '0' || part[i + 1] == '1');
        text[out++] = !escaped ? part[i] : part[i + 1] == '1' ? '/' : '~';
        i += escaped;
    }
    if (text != NULL)
        text[out] = '\0';
    return text;
}

/* Go's strconv.Atoi. */
static bool read_index(const char *text, long *index)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    *index = strtol(text, NULL, 10);
    return errno == 0;
}

/* The entry of an array that an index names, counted from the end if it is negative. */
static struct value *at_index(const struct value *array, const char *text)
{
    long index, length = (long)value_length(array);
    if (!read_index(text, &index) || index >= length || index < -length)
        return NULL;
    return value_item(array, (size_t)(index < 0 ? index + length : index));
}

static struct value *entry_of(const struct place *place)
{
    bool list = value_type(place->container) == VALUE_ARRAY;
    return list ? at_index(place->container, place->last) : value_get(place->container, place->last);
}

/* False: no memory. */
static bool find(const struct run *run, const char *pointer, struct place *place)
{
    *place = (struct place){.container = NULL};
    const char *slash = strchr(pointer, '/');
    struct place at = {.container = run->root};
    while (slash != NULL && at.container != NULL) {
        const char *part = slash + 1;
        slash = strchr(part, '/');
        mem_free(at.last);
        at.last = unescape(part, slash != NULL ? (size_t)(slash - part) : strlen(part));
        if (at.last == NULL)
            return false;
        at.depth++;
        if (slash == NULL) {
            *place = at;
            return true;
        }
        at.container = entry_of(&at);
        enum value_type type = value_type(at.container);
        if (type != VALUE_OBJECT && type != VALUE_ARRAY)
            at.container = NULL;
    }
    mem_free(at.last);
    return true;
}

static size_t depth_of(const struct value *v)
{
    size_t deepest = 0;
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        size_t below = depth_of(entry);
        deepest = below > deepest ? below : deepest;
    }
    return deepest + 1;
}

/* About how long its text is. */
static size_t weight_of(const struct value *v)
{
    const char *text = value_text(v), *key = value_key(v);
    size_t weight = 4 + (text != NULL ? strlen(text) : 0) + (key != NULL ? strlen(key) : 0);
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry))
        weight += weight_of(entry);
    return weight;
}

/* cJSON_InsertItemInArray of Debian's 1.7.15 refuses a node that stood nowhere before, so the links are set here. */
static void insert(cJSON *array, size_t index, cJSON *child)
{
    cJSON *after = node_of(value_item(node_value(array), index));
    node_name(child, NULL);
    if (after == NULL) {
        cJSON_AddItemToArray(array, child);
        return;
    }
    child->next = after;
    child->prev = after->prev; /* the first one's is the last */
    after->prev = child;
    if (after == array->child)
        array->child = child;
    else
        child->prev->next = child;
}

/* Puts a value where "add" does; takes it over. */
static bool put(struct run *run, const char *operation, const char *path, struct value *child)
{
    struct place place;
    if (child == NULL || !find(run, path, &place)) {
        value_free(child);
        return error_memory(run->err);
    }
    bool list = value_type(place.container) == VALUE_ARRAY, end = list && strcmp(place.last, "-") == 0;
    long length = (long)value_length(place.container) + 1, index = length - 1;
    const char *wrong = place.container == NULL                           ? "doc is missing path"
                        : place.depth + depth_of(child) > JSON_DEPTH      ? "too deep"
                        : list && !end && !read_index(place.last, &index) ? "value was not a proper array index"
                        : list && (index >= length || index < -length)    ? "invalid index referenced"
                                                                          : NULL;
    bool ok = wrong == NULL || refuse(run, operation, path, wrong);
    if (!ok)
        value_free(child);
    else if (!list)
        ok = value_set(place.container, place.last, child) || error_memory(run->err);
    else {
        insert(node_of(place.container), (size_t)(index < 0 ? index + length : index), node_of(child));
    }
    mem_free(place.last);
    return ok;
}

/* Takes the value at a place out: NULL with err if it is not there. */
static struct value *take(struct run *run, const char *operation, const char *path)
{
    struct place place;
    if (!find(run, path, &place)) {
        error_memory(run->err);
        return NULL;
    }
    struct value *entry = place.container != NULL ? entry_of(&place) : NULL;
    if (entry == NULL)
        refuse(run, operation, path, place.container == NULL ? "doc is missing path" : "there is nothing to take");
    mem_free(place.last);
    return entry != NULL ? value_take(place.container, entry) : NULL;
}

/* The operation's value; what it does not say is null. */
static struct value *operand(const struct value *step)
{
    const struct value *v = value_get(step, "value");
    return v != NULL ? value_copy(v) : value_null();
}

static bool add(struct run *run, const struct value *step, const char *path)
{
    return put(run, "add", path, operand(step));
}

static bool take_away(struct run *run, const struct value *step, const char *path)
{
    (void)step;
    struct value *taken = take(run, "remove", path);
    value_free(taken);
    return taken != NULL;
}

static bool replace_root(struct run *run, const struct value *step)
{
    enum value_type type = value_type(value_get(step, "value"));
    if (type != VALUE_OBJECT && type != VALUE_ARRAY)
        return refuse(run, "replace", "", "the value must be object or array");
    struct value *root = operand(step);
    if (root == NULL)
        return error_memory(run->err);
    value_free(run->root);
    run->root = root;
    return true;
}

static bool replace(struct run *run, const struct value *step, const char *path)
{
    struct place place;
    if (*path == '\0')
        return replace_root(run, step);
    if (!find(run, path, &place))
        return error_memory(run->err);
    bool list = value_type(place.container) == VALUE_ARRAY,
         there = place.container != NULL && (!list || entry_of(&place) != NULL);
    struct value *old = there && list ? entry_of(&place) : NULL, *child = there ? operand(step) : NULL;
    bool ok = there || refuse(run, "replace", path, "doc is missing key");
    if (ok && child == NULL)
        ok = error_memory(run->err);
    else if (ok && place.depth + depth_of(child) > JSON_DEPTH)
        ok = refuse(run, "replace", path, "too deep");
    else if (ok && old != NULL) {
        node_name(node_of(child), NULL);
        cJSON_ReplaceItemViaPointer(node_of(place.container), node_of(old), node_of(child));
        child = NULL;
    } else if (ok) {
        ok = value_set(place.container, place.last, child) || error_memory(run->err);
        child = NULL;
    }
    value_free(child);
    mem_free(place.last);
    return ok;
}

static bool move(struct run *run, const struct value *step, const char *path)
{
    const char *from = value_find_text(step, "from", NULL);
    if (from == NULL)
        return refuse(run, "move", path, "missing from field");
    struct value *taken = take(run, "move", from);
    return taken != NULL && put(run, "move", path, taken);
}

static bool copy(struct run *run, const struct value *step, const char *path)
{
    const char *from = value_find_text(step, "from", NULL);
    struct place place;
    if (from == NULL)
        return refuse(run, "copy", path, "missing from field");
    if (!find(run, from, &place))
        return error_memory(run->err);
    bool list = value_type(place.container) == VALUE_ARRAY;
    const struct value *entry = place.container != NULL ? entry_of(&place) : NULL;
    bool ok = place.container != NULL && (entry != NULL || !list);
    mem_free(place.last);
    if (!ok)
        return refuse(run, "copy", from, "doc is missing from path");
    run->copied += entry != NULL ? weight_of(entry) : 0;
    if (run->copied > PATCH_COPIES)
        return refuse(run, "copy", path, "the accumulated size of what is copied exceeds the limit");
    return put(run, "copy", path, entry != NULL ? value_copy(entry) : value_null());
}

static bool test(struct run *run, const struct value *step, const char *path)
{
    struct place place;
    const struct value *wanted = value_get(step, "value");
    if (*path == '\0')
        return value_equal(run->root, wanted) || refuse(run, "test", path, "testing value failed");
    if (!find(run, path, &place))
        return error_memory(run->err);
    bool list = value_type(place.container) == VALUE_ARRAY;
    const struct value *entry = place.container != NULL ? entry_of(&place) : NULL;
    bool found = place.container != NULL && (entry != NULL || !list);
    mem_free(place.last);
    if (!found)
        return refuse(run, "test", path, "is missing path");
    bool none = entry == NULL || value_type(entry) == VALUE_NULL,
         wants_none = wanted == NULL || value_type(wanted) == VALUE_NULL;
    return (none ? wants_none : value_equal(entry, wanted)) || refuse(run, "test", path, "testing value failed");
}

static bool one(struct run *run, const struct value *step)
{
    static const struct {
        const char *name;
        bool (*done)(struct run *run, const struct value *step, const char *path);
    } operations[] = {{"add", add},   {"remove", take_away}, {"replace", replace},
                      {"move", move}, {"copy", copy},        {"test", test}};
    const char *name = value_find_text(step, "op", NULL), *path = value_find_text(step, "path", NULL);
    for (size_t i = 0; name != NULL && i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].name, name) == 0)
            return path != NULL ? operations[i].done(run, step, path) : refuse(run, name, "", "missing path field");
    return refuse(run, name != NULL ? name : "unknown", "", "unexpected kind of operation");
}

/* Refuses what Go's decoder does not read as a list of operations, in its words. */
static bool is_patch(const struct value *operations, struct error *err)
{
    static const char *const texts[] = {"op", "path", "from"};
    enum value_type type = value_type(operations);
    if (type != VALUE_ARRAY && type != VALUE_NULL)
        return error_set(err, ERROR_INPUT, "",
                         "error decoding patch: json: cannot unmarshal %s into Go value of type []handlers.jsonPatchOp",
                         value_type_name(type));
    size_t count = 0;
    for (const struct value *step = value_first(operations); step != NULL; step = value_next(step), count++) {
        type = value_type(step);
        if (type != VALUE_OBJECT && type != VALUE_NULL)
            return error_set(err, ERROR_INPUT, "",
                             "error decoding patch: json: cannot unmarshal %s into Go value of type handlers.jsonPatchOp",
                             value_type_name(type));
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            type = value_type(value_get(step, texts[i]));
            if (type != VALUE_STRING && type != VALUE_NULL && type != VALUE_MISSING)
                return error_set(
                    err, ERROR_INPUT, "",
                    "error decoding patch: json: cannot unmarshal %s into Go struct field jsonPatchOp.%s of type string",
                    value_type_name(type), texts[i]);
        }
    }
    if (count > PATCH_OPERATIONS)
        return error_set(err, ERROR_LIMIT, "", "The allowed maximum operations in a JSON patch is %d, got %zu",
                         PATCH_OPERATIONS, count);
    return true;
}

struct value *patch_json(const struct value *document, const struct value *operations, struct error *err)
{
    struct error why = ERROR_INIT;
    if (!is_patch(operations, err))
        return NULL;
    struct run run = {.root = value_copy(document), .err = &why};
    bool ok = run.root != NULL || error_memory(&why);
    for (const struct value *step = value_first(operations); ok && step != NULL; step = value_next(step))
        ok = one(&run, step);
    if (ok)
        return run.root;
    value_free(run.root);
    if (why.kind == ERROR_INVALID)
        error_context(&why, "the server rejected our request due to an error in our request");
    if (err != NULL)
        *err = why;
    return NULL;
}

/* A copy without the nulls in objects. NULL: no memory. */
static struct value *without_nulls(const struct value *v)
{
    enum value_type type = value_type(v);
    if (type != VALUE_OBJECT && type != VALUE_ARRAY)
        return value_copy(v);
    struct value *made = type == VALUE_OBJECT ? value_object() : value_array();
    for (const struct value *entry = value_first(v); made != NULL && entry != NULL; entry = value_next(entry)) {
        if (type == VALUE_OBJECT && value_type(entry) == VALUE_NULL)
            continue;
        struct value *child = without_nulls(entry);
        char *key = type == VALUE_OBJECT && child != NULL ? mem_string(value_key(entry)) : NULL;
        if (child == NULL || (type == VALUE_OBJECT && key == NULL)) {
            value_free(child);
            value_free(made);
            return NULL;
        }
        node_name(node_of(child), key);
        cJSON_AddItemToArray(node_of(made), node_of(child));
    }
    return made;
}

/* The entry under a key: index knows where there are many, else NULL. */
static cJSON *entry_under(struct value *object, const struct map *index, const char *key)
{
    return index != NULL ? map_get(index, key) : node_of(value_get(object, key));
}

static bool merge(struct value *object, const struct value *patch);

/* False: no memory. */
static bool merge_entry(struct value *object, const struct map *index, const struct value *entry)
{
    cJSON *there = entry_under(object, index, value_key(entry));
    bool into = value_type(node_value(there)) == VALUE_OBJECT;
    if (value_type(entry) == VALUE_NULL) {
        if (there != NULL)
            value_free(value_take(object, node_value(there)));
        return true;
    }
    if (into && value_type(entry) == VALUE_OBJECT)
        return merge(node_value(there), entry);
    struct value *child = into ? value_copy(entry) : without_nulls(entry);
    char *key = child != NULL ? mem_string(value_key(entry)) : NULL;
    if (key == NULL) {
        value_free(child);
        return false;
    }
    node_name(node_of(child), key);
    if (there != NULL)
        cJSON_ReplaceItemViaPointer(node_of(object), there, node_of(child));
    else
        cJSON_AddItemToArray(node_of(object), node_of(child));
    return true;
}

/* False: no memory. */
static bool merge(struct value *object, const struct value *patch)
{
    struct map index = map_make(SIZE_MAX, NULL);
    bool many = value_length(patch) > MANY_KEYS, ok = true;
    for (struct value *entry = value_first(object); many && ok && entry != NULL; entry = value_next(entry))
        ok = map_set(&index, value_key(entry), entry);
    for (const struct value *entry = value_first(patch); ok && entry != NULL; entry = value_next(entry))
        ok = merge_entry(object, many ? &index : NULL, entry);
    map_free(&index);
    return ok;
}

struct value *patch_merge(const struct value *document, const struct value *patch, struct error *err)
{
    enum value_type type = value_type(patch);
    if (type == VALUE_NULL) {
        error_set(err, ERROR_INPUT, "", "Invalid JSON Patch");
        return NULL;
    }
    if (type != VALUE_OBJECT) {
        error_set(err, ERROR_INPUT, "",
                  "error decoding patch: json: cannot unmarshal %s into Go value of type map[string]interface {}",
                  value_type_name(type));
        return NULL;
    }
    struct value *made = value_type(document) == VALUE_OBJECT ? value_copy(document) : value_object();
    if (made != NULL && merge(made, patch))
        return made;
    value_free(made);
    error_memory(err);
    return NULL;
}
