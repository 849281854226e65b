#include "practice/schema/crd_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/number.h"

enum { NAME = 512, DEPTH = 100, STEPS = 200000 };

/* Reading and following are one: a path without a document (`input` NULL) is only read. */
struct walk {
    const char *at;
    size_t steps; /* left: what descends everywhere must end */
};

static bool push(struct walk *walk, struct vec *list, const struct value *v)
{
    if (walk->steps == 0)
        return false;
    walk->steps--;
    return vec_push(list, (void *)(uintptr_t)v);
}

static bool is_name(char c)
{
    return c != '\0' && strchr(".[](){} \t\"',@?<>=!*", c) == NULL;
}

/* A name up to something that ends it; a backslash takes the next character as it is. */
static bool read_name(struct walk *walk, char out[static NAME])
{
    size_t length = 0;
    while (is_name(*walk->at)) {
        if (*walk->at == '\\' && walk->at[1] != '\0')
            walk->at++;
        if (length + 1 >= NAME)
            return false;
        out[length++] = *walk->at++;
    }
    out[length] = '\0';
    return length > 0;
}

static bool read_quoted(struct walk *walk, char out[static NAME])
{
    char quote = *walk->at++;
    size_t length = 0;
    while (*walk->at != '\0' && *walk->at != quote) {
        if (length + 1 >= NAME)
            return false;
        out[length++] = *walk->at++;
    }
    out[length] = '\0';
    if (*walk->at != quote)
        return false;
    walk->at++;
    return true;
}

static void skip_blanks(struct walk *walk)
{
    walk->at += strspn(walk->at, " \t");
}

static bool field(struct walk *walk, const struct vec *input, const char *name, struct vec *out)
{
    for (size_t i = 0; input != NULL && i < input->length; i++) {
        const struct value *below = value_get(input->items[i], name);
        if (below != NULL && !push(walk, out, below))
            return false;
    }
    return true;
}

static bool everything(struct walk *walk, const struct vec *input, struct vec *out)
{
    for (size_t i = 0; input != NULL && i < input->length; i++)
        for (const struct value *entry = value_first(input->items[i]); entry != NULL; entry = value_next(entry))
            if (!push(walk, out, entry))
                return false;
    return true;
}

/* All containers at and below the input, the outermost first. */
static bool descend(struct walk *walk, const struct value *v, struct vec *out, int depth)
{
    if (value_first(v) == NULL)
        return true;
    if (depth > DEPTH * 2 || !push(walk, out, v))
        return false;
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry))
        if (!descend(walk, entry, out, depth + 1))
            return false;
    return true;
}

/* ---- in brackets ---- */

struct slice {
    bool has[3];
    long at[3]; /* from, to, step */
    bool single;
};

static bool read_slice(struct walk *walk, struct slice *slice)
{
    int part = 0;
    *slice = (struct slice){.single = true};
    for (;;) {
        char *end;
        skip_blanks(walk);
        long number = strtol(walk->at, &end, 10);
        if (end != walk->at) {
            if (number > 1000000000 || number < -1000000000)
                return false;
            slice->has[part] = true;
            slice->at[part] = number;
        }
        walk->at = end;
        skip_blanks(walk);
        if (*walk->at != ':')
            break;
        slice->single = false;
        walk->at++;
        if (++part == 3)
            return false;
    }
    return !slice->single || slice->has[0];
}

static bool take_slice(struct walk *walk, const struct vec *input, const struct slice *slice, struct vec *out)
{
    for (size_t i = 0; input != NULL && i < input->length; i++) {
        const struct value *list = input->items[i];
        if (value_type(list) == VALUE_NULL)
            continue;
        if (value_type(list) != VALUE_ARRAY)
            return false;
        long length = (long)value_length(list), from = slice->has[0] ? slice->at[0] : 0,
             to = slice->has[1] ? slice->at[1] : length;
        if (from < 0)
            from += length;
        if (slice->single)
            to = from + 1;
        else if (to < 0)
            to += length;
        long step = slice->has[2] ? slice->at[2] : 1;
        if (from == to)
            continue;
        if (from < 0 || from >= length || to < 0 || to > length || from > to || step <= 0)
            return false;
        for (long at = from; at < to; at += step)
            if (!push(walk, out, value_item(list, (size_t)at)))
                return false;
    }
    return true;
}

static bool follow(struct walk *walk, const struct vec *input, const char *ends, struct vec *out, int depth);

/* One side of a filter: a path from the item, or a literal (made, in *literal). */
static bool side(struct walk *walk, const struct value *item, struct value **literal, struct vec *out, int depth)
{
    char text[NAME];
    skip_blanks(walk);
    if (*walk->at == '@' || *walk->at == '$') {
        struct vec from = vec_make(1, NULL);
        walk->at++;
        bool ok =
            (item == NULL || push(walk, &from, item)) && follow(walk, item != NULL ? &from : NULL, " \t=!<>)", out, depth + 1);
        vec_free(&from);
        return ok;
    }
    if (*walk->at == '"' || *walk->at == '\'') {
        if (!read_quoted(walk, text))
            return false;
        *literal = value_string(text);
    } else if (strncmp(walk->at, "true", 4) == 0 || strncmp(walk->at, "false", 5) == 0) {
        *literal = value_bool(*walk->at == 't');
        walk->at += *walk->at == 't' ? 4 : 5;
    } else {
        char *end = NULL;
        double number = number_read_double(walk->at, &end);
        if (end == walk->at)
            return false;
        *literal = value_double(number);
        walk->at = end;
    }
    return *literal != NULL && (item == NULL || push(walk, out, *literal));
}

static bool compare(const struct value *a, const struct value *b, const char *operator, bool * pass)
{
    double x, y;
    int order;
    if (value_as_double(a, &x) && value_as_double(b, &y))
        order = (x > y) - (x < y);
    else if (value_text(a) != NULL && value_text(b) != NULL)
        order = strcmp(value_text(a), value_text(b));
    else if (value_type(a) == value_type(b) && operator[1] == '=' &&(operator[0] == '=' || operator[0] == '!'))
        order = !value_equal(a, b);
    else
        return false; /* things that cannot be compared */
    switch (operator[0]) {
    case '=':
        *pass = order == 0;
        break;
    case '!':
        *pass = order != 0;
        break;
    case '<':
        *pass = order < 0 || (operator[1] == '=' && order == 0);
        break;
    default:
        *pass = order > 0 || (operator[1] == '=' && order == 0);
        break;
    }
    return true;
}

static bool filter_item(struct walk *walk, const struct value *item, struct vec *out, int depth)
{
    struct vec left = vec_make(CRD_PATH_RESULTS, NULL), right = vec_make(CRD_PATH_RESULTS, NULL);
    struct value *literals[2] = {NULL, NULL};
    char operator[3] = "";
    bool pass = false, ok = side(walk, item, &literals[0], &left, depth);
    skip_blanks(walk);
    for (int i = 0; ok && i < 2 && *walk->at != '\0' && strchr("=!<>", *walk->at) != NULL; i++)
        operator[i] = * walk->at++;
    if (ok && operator[0] == '\0') {
        pass = left.length > 0;
    } else if (ok) {
        ok =
            ((operator[0] != '=' && operator[0] != '!') || operator[1] == '=') && side(walk, item, &literals[1], &right, depth);
        if (ok && item != NULL && left.length > 0 && right.length > 0)
            ok = left.length == 1 && right.length == 1 && compare(left.items[0], right.items[0], operator, & pass);
    }
    skip_blanks(walk);
    if (ok && *walk->at == ')')
        walk->at++;
    else
        ok = false;
    if (ok && pass && item != NULL)
        ok = push(walk, out, item);
    value_free(literals[0]);
    value_free(literals[1]);
    vec_free(&left);
    vec_free(&right);
    return ok;
}

/* After "?(": each item of the lists is held against it. */
static bool filter(struct walk *walk, const struct vec *input, struct vec *out, int depth)
{
    const char *start = walk->at;
    if (!filter_item(walk, NULL, out, depth))
        return false;
    const char *end = walk->at;
    for (size_t i = 0; input != NULL && i < input->length; i++) {
        if (value_type(input->items[i]) != VALUE_ARRAY)
            return false;
        for (const struct value *item = value_first(input->items[i]); item != NULL; item = value_next(item)) {
            walk->at = start;
            if (!filter_item(walk, item, out, depth))
                return false;
        }
    }
    walk->at = end;
    return true;
}

/* A name in quotes is a path of its own: ['a.b'] is .a.b, and a backslash takes the point away. */
static bool named(struct walk *walk, const struct vec *input, const char *name, struct vec *out, int depth)
{
    char path[NAME + 1] = ".";
    struct walk inner = {.at = path, .steps = walk->steps};
    strcpy(path + 1, name);
    bool ok = follow(&inner, input, "", out, depth + 1);
    walk->steps = inner.steps;
    return ok;
}

static bool brackets(struct walk *walk, const struct vec *input, struct vec *out, int depth)
{
    for (;;) {
        char name[NAME];
        struct slice slice;
        bool ok;
        skip_blanks(walk);
        if (*walk->at == '\'' || *walk->at == '"') {
            ok = read_quoted(walk, name) && named(walk, input, name, out, depth);
        } else if (*walk->at == '*') {
            walk->at++;
            ok = everything(walk, input, out);
        } else if (walk->at[0] == '?' && walk->at[1] == '(') {
            walk->at += 2;
            ok = filter(walk, input, out, depth);
        } else {
            ok = read_slice(walk, &slice) && take_slice(walk, input, &slice, out);
        }
        if (!ok)
            return false;
        skip_blanks(walk);
        if (*walk->at == ']') {
            walk->at++;
            return true;
        }
        if (*walk->at++ != ',')
            return false;
    }
}

/* One step of a path. */
static bool step(struct walk *walk, const struct vec *input, struct vec *out, int depth)
{
    char name[NAME];
    if (*walk->at == '[') {
        walk->at++;
        return brackets(walk, input, out, depth);
    }
    if (*walk->at == '.') {
        walk->at++;
        if (*walk->at == '.') {
            struct vec all = vec_make(CRD_PATH_RESULTS, NULL);
            bool ok = true;
            for (size_t i = 0; ok && input != NULL && i < input->length; i++)
                ok = descend(walk, input->items[i], &all, 0);
            if (ok && is_name(walk->at[1]))
                ok = (walk->at++, read_name(walk, name)) && field(walk, input != NULL ? &all : NULL, name, out);
            else
                ok = false;
            vec_free(&all);
            return ok;
        }
        if (*walk->at == '[')
            return step(walk, input, out, depth);
    }
    if (*walk->at == '*') {
        walk->at++;
        return everything(walk, input, out);
    }
    return read_name(walk, name) && field(walk, input, name, out);
}

/* Steps until one of `ends`, or the end of the text. */
static bool follow(struct walk *walk, const struct vec *input, const char *ends, struct vec *out, int depth)
{
    struct vec lists[2] = {vec_make(CRD_PATH_RESULTS, NULL), vec_make(CRD_PATH_RESULTS, NULL)};
    const struct vec *now = input;
    bool ok = depth < DEPTH;
    int next = 0;
    while (ok && *walk->at != '\0' && strchr(ends, *walk->at) == NULL) {
        vec_clear(&lists[next]);
        ok = step(walk, now, &lists[next], depth);
        if (input != NULL)
            now = &lists[next];
        next = 1 - next;
    }
    for (size_t i = 0; ok && now != NULL && i < now->length; i++)
        ok = push(walk, out, now->items[i]);
    vec_free(&lists[0]);
    vec_free(&lists[1]);
    return ok;
}

bool crd_path_find(const char *path, const struct value *document, struct vec *found)
{
    struct walk walk = {.at = path + (path[0] == '$'), .steps = STEPS};
    struct vec from = vec_make(1, NULL);
    bool ok = push(&walk, &from, document) && follow(&walk, &from, "", found, 0);
    vec_free(&from);
    return ok;
}
