/* lint_lua.c: lesson.lua as text: its strings, and what stands around them. */
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/utf8.h"
#include "lesson/lint.h"
#include "text/width.h"

enum { LINT_TOKENS = 100000, LINT_STRING_BYTES = 64 << 10, LINT_NESTING = 200 };

static void free_token(void *item)
{
    struct lint_token *token = item;
    if (token != NULL)
        mem_free(token->text);
    mem_free(token);
}

struct scanner {
    const char *at;
    int line;
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The level of a long bracket "[==[" that begins here, or -1. */
static int long_bracket(const char *at)
{
    int level = 0;
    if (*at != '[')
        return -1;
    for (at++; *at == '='; at++)
        level++;
    return *at == '[' ? level : -1;
}

static bool closes(const char *at, int level)
{
    if (*at++ != ']')
        return false;
    for (; level > 0; level--)
        if (*at++ != '=')
            return false;
    return *at == ']';
}

/* Takes what stands between long brackets. */
static void take_long(struct scanner *s, int level, struct buf *text)
{
    s->at += level + 2;
    while (*s->at != '\0' && !closes(s->at, level)) {
        s->line += *s->at == '\n';
        buf_append(text, s->at++, 1);
    }
    if (*s->at != '\0')
        s->at += level + 2;
}

static void take_string(struct scanner *s, struct buf *text)
{
    char quote = *s->at++;
    while (*s->at != '\0' && *s->at != quote && *s->at != '\n') {
        if (*s->at == '\\' && s->at[1] != '\0') {
            s->at++;
            s->line += *s->at == '\n';
            buf_append(text, *s->at == 'n' ? "\n" : s->at, 1);
        } else
            buf_append(text, s->at, 1);
        s->at++;
    }
    if (*s->at == quote)
        s->at++;
}

static void skip_blank(struct scanner *s)
{
    for (;;) {
        if (*s->at == '\n')
            s->line++;
        if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n')
            s->at++;
        else if (s->at[0] == '-' && s->at[1] == '-') {
            s->at += 2;
            struct buf comment = buf_make(0);
            if (long_bracket(s->at) >= 0)
                take_long(s, long_bracket(s->at), &comment);
            else
                s->at += strcspn(s->at, "\n");
            buf_free(&comment);
        } else
            return;
    }
}

/* Puts the next token into *text; false at the end. */
static bool next_token(struct scanner *s, enum lint_token_kind *kind, int *line, struct buf *text)
{
    skip_blank(s);
    *line = s->line;
    if (*s->at == '\0')
        return false;
    *kind = LINT_STRING;
    if (*s->at == '"' || *s->at == '\'')
        take_string(s, text);
    else if (long_bracket(s->at) >= 0)
        take_long(s, long_bracket(s->at), text);
    else if (is_name(*s->at)) {
        *kind = LINT_NAME;
        while (is_name(*s->at))
            buf_append(text, s->at++, 1);
    } else {
        *kind = LINT_SIGN;
        buf_append(text, s->at++, 1);
    }
    return true;
}

/* ---- what is inside t { } ---- */

static const struct lint_token *token(const struct lint *lint, size_t index)
{
    static char empty[] = "";
    static const struct lint_token none = {.kind = LINT_SIGN, .text = empty};
    return index < lint->tokens.length ? lint->tokens.items[index] : &none;
}

static bool is(const struct lint_token *t, enum lint_token_kind kind, const char *text)
{
    size_t length = strlen(text);
    return t->kind == kind && strncmp(t->text, text, length) == 0 && t->text[length] == '\0';
}

static void mark_words(struct lint *lint)
{
    bool is_t[LINT_NESTING] = {false}, zh = false;
    size_t depth = 0, t_depth = 0;
    for (size_t i = 0; i < lint->tokens.length; i++) {
        struct lint_token *here = lint->tokens.items[i];
        here->in_t = t_depth > 0;
        here->is_zh = t_depth > 0 && zh;
        if (is(here, LINT_SIGN, "{") && depth < LINT_NESTING) {
            is_t[depth] = i > 0 && is(token(lint, i - 1), LINT_NAME, "t");
            t_depth += is_t[depth++];
            zh = zh && t_depth > 0;
        } else if (is(here, LINT_SIGN, "}") && depth > 0)
            t_depth -= is_t[--depth];
        else if (here->kind == LINT_NAME && is(token(lint, i + 1), LINT_SIGN, "=") && !is(token(lint, i + 2), LINT_SIGN, "="))
            zh = strcmp(here->text, "zh") == 0;
    }
}

bool lint_read_lua(struct lint *lint)
{
    struct scanner s = {.at = lint->source, .line = 1};
    struct buf text = buf_make(LINT_STRING_BYTES);
    enum lint_token_kind kind;
    int line;
    bool ok = true;
    lint->tokens = vec_make(LINT_TOKENS, free_token);
    while (ok && lint->source != NULL && next_token(&s, &kind, &line, &text)) {
        struct lint_token *fresh = mem_zero(1, sizeof *fresh);
        ok = fresh != NULL && (fresh->text = mem_string_n(text.bytes != NULL ? text.bytes : "", text.length)) != NULL;
        if (ok) {
            fresh->kind = kind;
            fresh->line = line;
            ok = vec_push(&lint->tokens, fresh);
        } else
            free_token(fresh);
        buf_clear(&text);
    }
    buf_free(&text);
    if (ok)
        mark_words(lint);
    return ok;
}

bool lint_lua_names(const struct lint *lint, const char *text)
{
    for (size_t i = 0; i < lint->tokens.length; i++)
        if (is(token(lint, i), LINT_STRING, text))
            return true;
    return false;
}

/* ---- words only through t{} ---- */

static bool has_han(const char *text)
{
    unsigned point;
    for (size_t left = strlen(text), used; left > 0; text += used, left -= used) {
        used = utf8_decode(text, left, &point);
        if (lint_is_han(point))
            return true;
    }
    return false;
}

/* The second argument of the call whose "(" is at `open`, if it is a plain string. */
static const struct lint_token *second_argument(const struct lint *lint, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < lint->tokens.length; i++) {
        const struct lint_token *here = token(lint, i);
        if (here->kind != LINT_SIGN)
            continue;
        depth += strchr("({[", here->text[0]) != NULL;
        depth -= strchr(")}]", here->text[0]) != NULL;
        if (depth == 0)
            return NULL;
        if (depth == 1 && here->text[0] == ',')
            return token(lint, i + 1)->kind == LINT_STRING ? token(lint, i + 1) : NULL;
    }
    return NULL;
}

static void lint_said(struct lint *lint, size_t i)
{
    const struct lint_token *here = token(lint, i), *before = i > 0 ? token(lint, i - 1) : NULL;
    if (here->kind == LINT_STRING && !here->in_t && has_han(here->text))
        lint_error(lint, "lesson.lua", here->line, "\"%.60s\": what a person reads stands in t { en =, zh = }", here->text);
    else if (here->kind == LINT_STRING && before != NULL && is(before, LINT_NAME, "return") && strchr(here->text, ' ') != NULL)
        lint_error(lint, "lesson.lua", here->line, "returns \"%.60s\": what a person reads stands in t { en =, zh = }", here->text);
    if (!is(here, LINT_NAME, "expect") || !is(token(lint, i + 1), LINT_SIGN, "("))
        return;
    const struct lint_token *said = before != NULL && strchr(":.", before->text[0]) != NULL ? NULL : second_argument(lint, i + 1);
    if (said != NULL)
        lint_error(lint, "lesson.lua", said->line, "expect says \"%.60s\": it wants t { en =, zh = }", said->text);
}

/* A t{} whose braces open at `open` (the token after t). */
static void lint_t(struct lint *lint, size_t open)
{
    bool en = false, zh = false;
    int depth = 0;
    for (size_t i = open; i < lint->tokens.length; i++) {
        const struct lint_token *here = token(lint, i);
        if (here->kind == LINT_SIGN) {
            depth += strchr("({[", here->text[0]) != NULL;
            depth -= strchr(")}]", here->text[0]) != NULL;
            if (depth == 0)
                break;
        } else if (depth == 1 && here->kind == LINT_NAME && is(token(lint, i + 1), LINT_SIGN, "=")) {
            en = en || strcmp(here->text, "en") == 0;
            zh = zh || strcmp(here->text, "zh") == 0;
        }
    }
    if (!en || !zh)
        lint_error(lint, "lesson.lua", token(lint, open)->line, "t { } has no %s", en ? "zh" : "en");
}

/* ---- files ---- */

static void lint_named_file(struct lint *lint, const struct lint_token *here, const char *folder)
{
    char *path = mem_printf("%s/%s%s", lint->folder, folder, here->text);
    size_t length = strlen(here->text);
    if (path == NULL)
        lint->no_memory = true;
    else if (length > 0 && here->text[length - 1] != '/' && !file_exists(path)) /* "files/" .. name: only running it tells */
        lint_error(lint, "lesson.lua", here->line, "there is no file %s%s", folder, here->text);
    mem_free(path);
}

void lint_lua(struct lint *lint)
{
    for (size_t i = 0; i < lint->tokens.length; i++) {
        const struct lint_token *here = token(lint, i);
        lint_said(lint, i);
        if (is(here, LINT_NAME, "t") && is(token(lint, i + 1), LINT_SIGN, "{"))
            lint_t(lint, i + 1);
        if (here->kind != LINT_STRING)
            continue;
        const struct lint_token *before = i == 0 ? token(lint, lint->tokens.length) : token(lint, is(token(lint, i - 1), LINT_SIGN, "(") && i > 1 ? i - 2 : i - 1);
        if (strncmp(here->text, "files/", 6) == 0 || strncmp(here->text, "solution/", 9) == 0)
            lint_named_file(lint, here, "");
        else if (is(before, LINT_NAME, "workfile"))
            lint_named_file(lint, here, "files/");
    }
}
