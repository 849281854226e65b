#include "data/path.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"

enum { PATH_INDEX_DIGITS = 9, SCALAR_TEXT = 4096 };

enum step_kind { STEP_KEY, STEP_INDEX, STEP_SELECT };

struct step {
    enum step_kind kind;
    char *key;    /* STEP_KEY, STEP_SELECT; points into the reader's copy */
    char *wanted; /* STEP_SELECT: what the item's key holds, as text */
    long index;   /* STEP_INDEX */
};

/* Reads a path a step at a time. Names are cut out of a copy of the path, in place. */
struct reader {
    const char *path; /* as given, for messages */
    char *copy;       /* owned */
    char *at;
    char next; /* the character at `at`: a NUL may have been written over it */
    struct error *err;
};

static bool fail(const struct reader *r, const char *expected)
{
    size_t offset = (size_t)(r->at - r->copy);
    if (r->next == '\0')
        return error_set(r->err, ERROR_INPUT, NULL, "path \"%.200s\": %s was expected at the end", r->path, expected);
    return error_set(r->err, ERROR_INPUT, NULL, "path \"%.200s\": %s was expected at character %zu", r->path, expected,
                     offset + 1);
}

static bool reader_start(struct reader *r, const char *path, struct error *err)
{
    char *copy = mem_string(path);
    *r = (struct reader){.path = path, .copy = copy, .at = copy, .next = copy != NULL ? *copy : '\0', .err = err};
    return copy != NULL || error_memory(err);
}

static void advance(struct reader *r)
{
    r->next = *++r->at;
}

/* Characters of a name without quotes. Everything that has a meaning, and blanks, need quotes. */
static bool is_plain(char c)
{
    /* Compared one by one: a check reads many paths, and strchr is a call for each character. */
    return (unsigned char)c > ' ' && c != 0x7F && c != '.' && c != '[' && c != ']' && c != '=' && c != '"' && c != '\'' &&
           c != '\\';
}

/* A name without quotes; a NUL is written over what follows it, which r->next still knows. */
static char *read_name(struct reader *r, const char *expected)
{
    char *name = r->at;
    while (is_plain(r->next))
        advance(r);
    if (r->at == name) {
        fail(r, expected);
        return NULL;
    }
    *r->at = '\0';
    return name;
}

/* "..." or '...', in which a backslash takes the next character as it is. */
static char *read_quoted(struct reader *r)
{
    char quote = r->next, *name = r->at, *to = r->at;
    advance(r);
    while (r->next != quote) {
        if (r->next == '\\')
            advance(r);
        if (r->next == '\0') {
            fail(r, quote == '"' ? "a closing \"" : "a closing '");
            return NULL;
        }
        *to++ = r->next;
        advance(r);
    }
    *to = '\0';
    advance(r);
    return name;
}

static bool read_index(struct reader *r, struct step *step)
{
    bool negative = r->next == '-';
    int digits = 0;
    step->kind = STEP_INDEX;
    step->index = 0;
    if (negative)
        advance(r);
    for (; r->next >= '0' && r->next <= '9'; advance(r)) {
        if (++digits > PATH_INDEX_DIGITS)
            return fail(r, "an index of at most nine digits");
        step->index = step->index * 10 + (r->next - '0');
    }
    if (digits == 0)
        return fail(r, "a digit");
    if (negative)
        step->index = -step->index;
    return true;
}

static bool read_select(struct reader *r, struct step *step)
{
    step->kind = STEP_SELECT;
    if ((step->key = read_name(r, "an index, a quoted key or name=value")) == NULL)
        return false;
    if (r->next != '=')
        return fail(r, "=");
    advance(r);
    if (r->next == '"' || r->next == '\'')
        return (step->wanted = read_quoted(r)) != NULL;
    step->wanted = r->at;
    while (r->next != ']' && r->next != '\0')
        advance(r);
    *r->at = '\0';
    return true;
}

static bool read_bracket(struct reader *r, struct step *step)
{
    bool ok;
    advance(r);
    if (r->next == '"' || r->next == '\'') {
        step->kind = STEP_KEY;
        ok = (step->key = read_quoted(r)) != NULL;
    } else if (r->next == '-' || (r->next >= '0' && r->next <= '9')) {
        ok = read_index(r, step);
    } else {
        ok = read_select(r, step);
    }
    if (!ok)
        return false;
    if (r->next != ']')
        return fail(r, "]");
    advance(r);
    return true;
}

/* The next step; *end at the end of the path. */
static bool read_step(struct reader *r, struct step *step, bool *end)
{
    bool first = r->at == r->copy;
    *step = (struct step){.kind = STEP_KEY};
    *end = r->next == '\0';
    if (*end)
        return true;
    if (r->next == '[')
        return read_bracket(r, step);
    if (r->next == '.')
        advance(r); /* before the first key, too: jq and kubectl write it so */
    else if (!first)
        return fail(r, ". or [");
    return (step->key = read_name(r, "a key")) != NULL;
}

static bool holds_text(const struct value *v, const char *wanted)
{
    if (value_text(v) != NULL)
        return strcmp(value_text(v), wanted) == 0;
    if (value_type(v) != VALUE_NUMBER && value_type(v) != VALUE_BOOL)
        return false;
    char *text = json_text(v, SCALAR_TEXT);
    bool same = text != NULL && strcmp(text, wanted) == 0;
    mem_free(text);
    return same;
}

static struct value *select_item(const struct value *array, const struct step *step)
{
    if (value_type(array) != VALUE_ARRAY)
        return NULL;
    struct value *item = value_first(array);
    while (item != NULL && !holds_text(value_get(item, step->key), step->wanted))
        item = value_next(item);
    return item;
}

static struct value *index_item(const struct value *array, long index)
{
    if (index >= 0)
        return value_item(array, (size_t)index);
    size_t length = value_length(array), back = (size_t)-index;
    return back <= length ? value_item(array, length - back) : NULL;
}

static struct value *follow(struct value *part, const struct step *step)
{
    switch (step->kind) {
    case STEP_INDEX: return index_item(part, step->index);
    case STEP_SELECT: return select_item(part, step);
    case STEP_KEY:
    default: return value_get(part, step->key);
    }
}

bool path_find(const struct value *v, const char *path, struct value **found, struct error *err)
{
    struct value *part = (struct value *)(uintptr_t)v; /* borrowed on as it came, see value.h */
    struct reader r;
    struct step step;
    bool end = false;
    *found = NULL;
    if (!reader_start(&r, path, err))
        return false;
    bool ok = read_step(&r, &step, &end);
    while (ok && !end) {
        part = follow(part, &step);
        ok = read_step(&r, &step, &end);
    }
    mem_free(r.copy);
    if (ok)
        *found = part;
    return ok;
}

bool path_valid(const char *path, struct error *err)
{
    struct value *found;
    return path_find(NULL, path, &found, err);
}

static bool needs_quotes(const char *key)
{
    const char *at = key;
    while (is_plain(*at) && *at != '/')
        at++;
    return at == key || *at != '\0';
}

void path_append_key(struct buf *path, const char *key)
{
    if (!needs_quotes(key)) {
        buf_append(path, ".", path->length > 0 ? 1 : 0);
        buf_append_string(path, key);
        return;
    }
    buf_append(path, "[\"", 2);
    for (const char *at = key; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            buf_append(path, "\\", 1);
        buf_append(path, at, 1);
    }
    buf_append(path, "\"]", 2);
}

void path_append_index(struct buf *path, size_t index)
{
    buf_printf(path, "[%zu]", index);
}
