/* Holding a shape against a document. */
#include <stdint.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/path.h"
#include "data/shape_node.h"
#include "data/units.h"

enum { DIFFERENCES = 20, DESCRIPTION = 200, NUMBER_ROOM = 64 };

enum answer { NO, YES, FAILED };

struct match {
    struct buf path;
    void (*report)(void *data, const struct shape_difference *difference);
    void *data;
    struct error *err;
    int reported;
    int quiet; /* inside a choice or a secret: the whole is reported, not its parts */
    size_t depth; /* shapes inside one another */
};

static enum answer fail_memory(struct match *m)
{
    error_memory(m->err);
    return FAILED;
}

static bool is_missing(const struct value *v)
{
    return value_type(v) == VALUE_MISSING || value_type(v) == VALUE_NULL;
}

/* Tells one difference with words that are already made; takes `expected` over. */
static enum answer tell(struct match *m, struct buf *expected, const struct value *v, bool hidden)
{
    struct buf actual = buf_make(SIZE_MAX);
    enum answer answer = NO;
    if (hidden)
        buf_append_string(&actual, _("(hidden)"));
    else
        value_describe(v, DESCRIPTION, &actual);
    if (!buf_ok(expected) || !buf_ok(&actual) || !buf_ok(&m->path)) {
        answer = fail_memory(m);
    } else {
        m->reported++;
        const char *path = m->path.length > 0 ? m->path.bytes : "";
        m->report(m->data, &(struct shape_difference){path, expected->bytes, actual.bytes, hidden ? NULL : v});
    }
    buf_free(expected);
    buf_free(&actual);
    return answer;
}

static bool is_silent(const struct match *m)
{
    return m->quiet > 0 || m->report == NULL || m->reported >= DIFFERENCES;
}

/* v is not what the shape wants. */
static enum answer differs(struct match *m, const struct shape *shape, const struct value *v)
{
    struct buf expected = buf_make(SIZE_MAX);
    if (is_silent(m))
        return NO;
    shape_describe(shape, DESCRIPTION, &expected);
    return tell(m, &expected, v, shape_hides(shape));
}

/* Where a plain value was wanted; NULL: nothing was. */
static enum answer value_differs(struct match *m, const struct value *wanted, const struct value *v)
{
    struct buf expected = buf_make(SIZE_MAX);
    if (is_silent(m))
        return NO;
    if (wanted == NULL)
        buf_append_string(&expected, _("absent"));
    else
        value_describe(wanted, DESCRIPTION, &expected);
    return tell(m, &expected, v, false);
}

/* Goes one step down the path and back. */
static size_t enter(struct match *m, const char *key, size_t index)
{
    size_t length = m->path.length;
    if (key != NULL)
        path_append_key(&m->path, key);
    else
        path_append_index(&m->path, index);
    return length;
}

static void leave(struct match *m, size_t length)
{
    m->path.failed = false;
    m->path.length = length;
    if (m->path.bytes != NULL)
        m->path.bytes[length] = '\0';
}

/* A failure counts more than a difference, a difference more than none. */
static enum answer both(enum answer a, enum answer b)
{
    return a == FAILED || b == FAILED ? FAILED : a == YES && b == YES ? YES : NO;
}

static enum answer compare(struct match *m, const struct value *wanted, const struct value *v);

static enum answer compare_objects(struct match *m, const struct value *wanted, const struct value *v)
{
    enum answer answer = YES;
    for (const struct value *entry = value_first(wanted); entry != NULL && answer != FAILED; entry = value_next(entry)) {
        size_t length = enter(m, value_key(entry), 0);
        answer = both(answer, compare(m, entry, value_get(v, value_key(entry))));
        leave(m, length);
    }
    for (const struct value *entry = value_first(v); entry != NULL && answer != FAILED; entry = value_next(entry)) {
        if (value_get(wanted, value_key(entry)) != NULL)
            continue;
        size_t length = enter(m, value_key(entry), 0);
        answer = both(answer, value_differs(m, NULL, entry));
        leave(m, length);
    }
    return answer;
}

/* Equal as a whole; where not, the places that differ are told, not the whole. */
static enum answer compare(struct match *m, const struct value *wanted, const struct value *v)
{
    enum value_type type = value_type(wanted);
    if (value_equal(wanted, v))
        return YES;
    if (is_silent(m))
        return NO;
    if (type == VALUE_OBJECT && value_type(v) == VALUE_OBJECT)
        return compare_objects(m, wanted, v);
    if (type != VALUE_ARRAY || value_type(v) != VALUE_ARRAY || value_length(wanted) != value_length(v))
        return value_differs(m, wanted, v);
    enum answer answer = YES;
    size_t index = 0;
    for (const struct value *a = value_first(wanted), *b = value_first(v); a != NULL && answer != FAILED;
         a = value_next(a), b = value_next(b)) {
        size_t length = enter(m, NULL, index++);
        answer = both(answer, compare(m, a, b));
        leave(m, length);
    }
    return answer;
}

static enum answer match(struct match *m, const struct shape *shape, const struct value *v);

static enum answer match_value(struct match *m, const struct shape *shape, const struct value *v)
{
    return compare(m, shape->value, v);
}

/* A missing object is walked like an empty one: what is told then is the key that was wanted, and `absent` keys hold. */
static enum answer match_object(struct match *m, const struct shape *shape, const struct value *v)
{
    bool empty = shape->children.length == 0;
    enum answer answer = YES;
    if (value_type(v) != VALUE_OBJECT && (empty || !is_missing(v)))
        return differs(m, shape, v);
    for (size_t i = 0; i < shape->children.length && answer != FAILED; i++) {
        size_t length = enter(m, shape->keys.items[i], 0);
        answer = both(answer, match(m, shape_child(shape, i), value_get(v, shape->keys.items[i])));
        leave(m, length);
    }
    return answer;
}

static enum answer match_list(struct match *m, const struct shape *shape, const struct value *v)
{
    if (value_type(v) != VALUE_ARRAY || value_length(v) != shape->children.length)
        return differs(m, shape, v);
    enum answer answer = YES;
    size_t index = 0;
    for (const struct value *item = value_first(v); item != NULL && answer != FAILED; item = value_next(item), index++) {
        size_t length = enter(m, NULL, index);
        answer = both(answer, match(m, shape_child(shape, index), item));
        leave(m, length);
    }
    return answer;
}

static enum answer match_any(struct match *m, const struct shape *shape, const struct value *v)
{
    return is_missing(v) ? differs(m, shape, v) : YES;
}

static enum answer match_absent(struct match *m, const struct shape *shape, const struct value *v)
{
    return is_missing(v) ? YES : differs(m, shape, v);
}

/* The text of a string, or of a number as JSON writes it (in room); NULL for everything else. */
static const char *scalar_text(const struct value *v, struct buf *room)
{
    if (value_type(v) == VALUE_STRING)
        return value_text(v);
    if (value_type(v) != VALUE_NUMBER && value_type(v) != VALUE_BOOL)
        return NULL;
    json_print(v, false, room);
    return buf_ok(room) ? room->bytes : NULL;
}

static bool numbers_ordered(const struct value *least, const struct value *v)
{
    int64_t a, b;
    double x, y;
    if (value_as_int(least, &a) && value_as_int(v, &b))
        return b >= a;
    return value_as_double(least, &x) && value_as_double(v, &y) && y >= x;
}

static enum answer match_at_least(struct match *m, const struct shape *shape, const struct value *v)
{
    bool holds = false;
    int order;
    if (value_type(shape->value) == VALUE_NUMBER && value_type(v) == VALUE_NUMBER) {
        holds = numbers_ordered(shape->value, v);
    } else {
        struct buf a = buf_make(NUMBER_ROOM), b = buf_make(NUMBER_ROOM);
        const char *least = scalar_text(shape->value, &a), *actual = scalar_text(v, &b);
        holds = least != NULL && actual != NULL && quantity_compare(actual, least, &order) && order >= 0;
        bool failed = !buf_ok(&a) || !buf_ok(&b);
        buf_free(&a);
        buf_free(&b);
        if (failed)
            return fail_memory(m);
    }
    return holds ? YES : differs(m, shape, v);
}

static enum answer match_matches(struct match *m, const struct shape *shape, const struct value *v)
{
    struct buf room = buf_make(NUMBER_ROOM);
    const char *text = scalar_text(v, &room);
    enum pattern_answer found = PATTERN_NO;
    bool failed = !buf_ok(&room);
    if (text != NULL)
        found = pattern_search(shape->pattern, text, strlen(text), 0, NULL, m->err);
    buf_free(&room);
    if (failed)
        return fail_memory(m);
    if (found == PATTERN_FAILED)
        return FAILED;
    return found == PATTERN_YES ? YES : differs(m, shape, v);
}

static enum answer match_quietly(struct match *m, const struct shape *shape, const struct value *v)
{
    m->quiet++;
    enum answer answer = match(m, shape, v);
    m->quiet--;
    return answer;
}

static enum answer match_one_of(struct match *m, const struct shape *shape, const struct value *v)
{
    enum answer answer = NO;
    for (size_t i = 0; i < shape->children.length && answer == NO; i++)
        answer = match_quietly(m, shape_child(shape, i), v);
    return answer == NO ? differs(m, shape, v) : answer;
}

/* The item that was most likely meant: of which most of the wanted keys match, or the only one where one is wanted. NULL: none comes near. */
static const struct value *nearest_item(struct match *m, const struct shape *wanted, bool one_wanted, const struct value *array, size_t *index)
{
    const struct value *best = NULL;
    size_t most = 0, at = 0;
    if (wanted->kind != SHAPE_OBJECT)
        return NULL;
    *index = 0;
    for (const struct value *item = value_first(array); item != NULL; item = value_next(item), at++) {
        size_t held = 0;
        for (size_t i = 0; value_type(item) == VALUE_OBJECT && i < wanted->children.length; i++)
            held += match_quietly(m, shape_child(wanted, i), value_get(item, wanted->keys.items[i])) == YES;
        if (held > most) {
            most = held;
            best = item;
            *index = at;
        }
    }
    const struct value *only = value_first(array);
    return best == NULL && one_wanted && only != NULL && value_next(only) == NULL && value_type(only) == VALUE_OBJECT ? only : best;
}

/* Says where the nearest item differs; that reads better than the whole list. */
static enum answer no_item(struct match *m, const struct shape *shape, const struct shape *wanted, const struct value *array)
{
    size_t index;
    const struct value *nearest = nearest_item(m, wanted, shape->children.length == 1, array, &index);
    if (nearest == NULL)
        return differs(m, shape, array);
    size_t length = enter(m, NULL, index);
    enum answer answer = match(m, wanted, nearest);
    leave(m, length);
    return answer;
}

static enum answer match_contains(struct match *m, const struct shape *shape, const struct value *v)
{
    if (value_type(v) != VALUE_ARRAY)
        return differs(m, shape, v);
    for (size_t i = 0; i < shape->children.length; i++) {
        enum answer answer = NO;
        for (const struct value *item = value_first(v); item != NULL && answer == NO; item = value_next(item))
            answer = match_quietly(m, shape_child(shape, i), item);
        if (answer != YES)
            return answer == NO ? no_item(m, shape, shape_child(shape, i), v) : answer;
    }
    return YES;
}

static enum answer match_each(struct match *m, const struct shape *shape, const struct value *v)
{
    enum answer answer = YES;
    size_t index = 0;
    if (value_type(v) != VALUE_ARRAY || value_first(v) == NULL)
        return differs(m, shape, v);
    for (const struct value *item = value_first(v); item != NULL && answer != FAILED; item = value_next(item)) {
        size_t length = enter(m, NULL, index++);
        answer = both(answer, match(m, shape_child(shape, 0), item));
        leave(m, length);
    }
    return answer;
}

static enum answer match_base64_json(struct match *m, const struct shape *shape, const struct value *v)
{
    const char *text = value_text(v);
    size_t length = 0;
    struct error err = ERROR_INIT;
    if (text == NULL || !base64_valid(text, strlen(text)))
        return differs(m, shape, v);
    char *decoded = base64_decode(text, strlen(text), &length);
    if (decoded == NULL)
        return fail_memory(m);
    struct value *inner = json_parse(decoded, length, "base64", &err);
    mem_free(decoded);
    if (err.kind == ERROR_MEMORY)
        return fail_memory(m);
    if (inner == NULL)
        return differs(m, shape, v);
    enum answer answer = match(m, shape_child(shape, 0), inner);
    value_free(inner);
    return answer;
}

static enum answer match_call(struct match *m, const struct shape *shape, const struct value *v)
{
    struct error err = ERROR_INIT;
    if (shape->holds(shape->data, v, &err))
        return YES;
    if (err.kind == ERROR_NONE)
        return differs(m, shape, v);
    if (m->err != NULL)
        *m->err = err;
    return FAILED;
}

static enum answer match_secret(struct match *m, const struct shape *shape, const struct value *v)
{
    enum answer answer = match_quietly(m, shape_child(shape, 0), v);
    return answer == NO ? differs(m, shape, v) : answer;
}

static enum answer match(struct match *m, const struct shape *shape, const struct value *v)
{
    static enum answer (*const by_kind[SHAPE_KINDS])(struct match *, const struct shape *, const struct value *) = {
        [SHAPE_VALUE] = match_value,       [SHAPE_OBJECT] = match_object,     [SHAPE_LIST] = match_list,
        [SHAPE_ANY] = match_any,           [SHAPE_ABSENT] = match_absent,     [SHAPE_AT_LEAST] = match_at_least,
        [SHAPE_MATCHES] = match_matches,   [SHAPE_ONE_OF] = match_one_of,     [SHAPE_CONTAINS] = match_contains,
        [SHAPE_EACH] = match_each,         [SHAPE_BASE64_JSON] = match_base64_json, [SHAPE_CALL] = match_call,
        [SHAPE_SECRET] = match_secret,
    };
    if (m->depth >= SHAPE_DEPTH) {
        error_set(m->err, ERROR_LIMIT, NULL, "the shape is nested too deeply");
        return FAILED;
    }
    m->depth++;
    enum answer answer = by_kind[shape->kind](m, shape, v);
    m->depth--;
    return answer;
}

bool shape_match(const struct shape *shape, const struct value *v,
                 void (*report)(void *data, const struct shape_difference *difference), void *data, struct error *err)
{
    struct match m = {.path = buf_make(SIZE_MAX), .report = report, .data = data, .err = err};
    if (err != NULL)
        *err = ERROR_INIT; /* the callers tell "does not match" from a failure by it */
    enum answer answer = match(&m, shape, v);
    buf_free(&m.path);
    return answer == YES;
}
