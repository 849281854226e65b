/* body_duplicates: one pass over a JSON text, noting the names of every object that is open. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/api/body.h"

enum { FEW = 16 /* names that are held against each other one by one */, PATH_MOST = 4096 };

struct name {
    const char *at;
    size_t length;
};

struct level {
    size_t first; /* of its names among all */
    size_t index; /* of the entry, in an array */
    bool array;
};

struct scan {
    const char *at, *end;
    struct name *names; /* of all open objects, one object after the other */
    size_t count, room;
    struct level levels[JSON_DEPTH + 1];
    size_t depth;
    struct vec *duplicates;
};

static bool push_name(struct scan *s, const char *at, size_t length)
{
    if (s->count == s->room) {
        size_t room = s->room == 0 ? 64 : s->room * 2;
        struct name *more = mem_resize(s->names, room * sizeof *more);
        if (more == NULL)
            return false;
        s->names = more;
        s->room = room;
    }
    s->names[s->count++] = (struct name){at, length};
    return true;
}

static bool same(const struct name *a, const struct name *b)
{
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

static int compare(const void *a, const void *b)
{
    const struct name *one = a, *other = b;
    size_t least = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->at, other->at, least);
    return order != 0 ? order : one->length < other->length ? -1 : one->length > other->length;
}

/* The path of a name of the innermost object: the newest name of each object around it, indexes of arrays. */
static bool tell(struct scan *s, const struct name *name)
{
    struct buf path = buf_make(PATH_MOST);
    for (size_t i = 0; i + 1 < s->depth; i++) {
        if (s->levels[i].array)
            buf_printf(&path, "[%zu]", s->levels[i].index);
        else
            buf_printf(&path, "%s%.*s", path.length > 0 ? "." : "", (int)s->names[s->levels[i + 1].first - 1].length,
                       s->names[s->levels[i + 1].first - 1].at);
    }
    buf_printf(&path, "%s%.*s", path.length > 0 ? "." : "", (int)name->length, name->at);
    if (path.length == 0)
        return true; /* longer than anybody would read */
    if (vec_has_string(s->duplicates, path.bytes) || s->duplicates->length == s->duplicates->maximum) {
        buf_free(&path);
        return true;
    }
    char *text = buf_take(&path, NULL);
    return text != NULL && vec_push(s->duplicates, text);
}

/* The innermost object ends: any name twice? */
static bool check(struct scan *s)
{
    size_t count = s->count - s->levels[s->depth - 1].first;
    if (count < 2)
        return true;
    struct name *names = s->names + s->levels[s->depth - 1].first;
    if (count <= FEW) {
        for (size_t i = 1; i < count; i++)
            for (size_t j = 0; j < i; j++)
                if (same(&names[i], &names[j]) && !tell(s, &names[i]))
                    return false;
        return true;
    }
    qsort(names, count, sizeof *names, compare); /* they are dropped afterwards */
    for (size_t i = 1; i < count; i++)
        if (same(&names[i - 1], &names[i]) && !tell(s, &names[i]))
            return false;
    return true;
}

/* Behind the closing quote of the string that begins at s->at; its bytes in *out. */
static void skip_string(struct scan *s, struct name *out)
{
    const char *from = ++s->at;
    while (s->at < s->end && *s->at != '"')
        s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    *out = (struct name){from, (size_t)(s->at - from)};
    s->at += s->at < s->end;
}

/* A string is a name if it stands in an object and a colon follows. */
static bool read_string(struct scan *s)
{
    struct name string;
    skip_string(s, &string);
    if (s->depth == 0 || s->levels[s->depth - 1].array)
        return true;
    while (s->at < s->end && strchr(" \t\r\n", *s->at) != NULL)
        s->at++;
    return s->at == s->end || *s->at != ':' || push_name(s, string.at, string.length);
}

static bool step(struct scan *s)
{
    char c = *s->at;
    if (c == '"')
        return read_string(s);
    s->at++;
    if ((c == '{' || c == '[') && s->depth <= JSON_DEPTH) {
        s->levels[s->depth++] = (struct level){.first = s->count, .array = c == '['};
    } else if ((c == '}' || c == ']') && s->depth > 0) {
        if (c == '}' && !check(s))
            return false;
        s->count = s->levels[--s->depth].first;
    } else if (c == ',' && s->depth > 0) {
        s->levels[s->depth - 1].index++;
    }
    return true;
}

bool body_duplicates(const char *text, size_t length, struct vec *duplicates)
{
    struct scan *s = mem_zero(1, sizeof *s);
    if (s == NULL)
        return false;
    s->at = text;
    s->end = text + length;
    s->duplicates = duplicates;
    bool whole = true;
    while (whole && s->at < s->end)
        whole = step(s);
    mem_free(s->names);
    mem_free(s);
    return whole;
}
