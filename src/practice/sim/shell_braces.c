/* shell_braces: bash's {a,b} and {1..3}, where they stand in plain text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell_lex.h"

enum { BRACES_MOST = 4096 };

/* The matching brace of text[0]; *comma: there is one at the top. NULL: none. */
static const char *matching(const char *text, bool *comma)
{
    int depth = 0;
    *comma = false;
    for (const char *at = text; *at; at++) {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        if (depth == 1 && *at == ',')
            *comma = true;
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* {1..5}, {5..1}, {1..9..2}, {a..e} */
static bool range(const char *text, long *from, long *to, long *step, bool *letters)
{
    char first[16], second[16], third[16] = "1";
    int used = 0;
    int got = sscanf(text, "{%15[^.{},]..%15[^.{},]%n", first, second, &used);
    if (got != 2)
        return false;
    if (text[used] == '.') {
        int more = 0;
        if (sscanf(text + used, "..%15[^.{},]%n", third, &more) != 1)
            return false;
        used += more;
    }
    if (text[used] != '}')
        return false;
    char *end_first, *end_second, *end_third;
    *from = strtol(first, &end_first, 10);
    *to = strtol(second, &end_second, 10);
    *step = labs(strtol(third, &end_third, 10));
    *step = *step == 0 ? 1 : *step;
    *letters = first[0] && !first[1] && second[0] && !second[1] && *end_first && *end_second;
    if (*letters) {
        *from = first[0];
        *to = second[0];
    }
    return *end_third == '\0' && (*letters || (*end_first == '\0' && *end_second == '\0')) && labs(*to - *from) / *step < BRACES_MOST;
}

struct expansion {
    struct parser *parser;
    struct word **last;
    size_t count;
};

static void expand(struct expansion *expansion, struct word_part *before, struct word_part *part, const char *text);

/* A word of the parts before `part`, text in its place, and what follows. */
static struct word_part *with_text(struct expansion *expansion, struct word_part *part, const char *head, size_t head_length, const char *middle, size_t length, const char *tail)
{
    struct buf text = buf_make(SHELL_SOURCE);
    buf_append(&text, head, head_length);
    buf_append(&text, middle, length);
    buf_append_string(&text, tail);
    struct word_part *copy = lex_alloc(expansion->parser, sizeof *copy);
    if (copy) {
        *copy = *part;
        copy->text = lex_string(expansion->parser, text.bytes ? text.bytes : "", text.length);
    }
    buf_free(&text);
    return copy;
}

static void alternatives(struct expansion *expansion, struct word_part *before, struct word_part *part, const char *text, const char *open, const char *close)
{
    int depth = 0;
    for (const char *start = open + 1, *at = start; at <= close; at++) {
        depth += *at == '{' ? 1 : *at == '}' && at < close ? -1 : 0;
        if (depth > 0 || (*at != ',' && at != close))
            continue;
        struct word_part *copy = with_text(expansion, part, text, (size_t)(open - text), start, (size_t)(at - start), close + 1);
        if (copy && copy->text)
            expand(expansion, before, copy, copy->text);
        start = at + 1;
    }
}

static void numbers(struct expansion *expansion, struct word_part *before, struct word_part *part, const char *text, const char *open, const char *close)
{
    long from, to, step;
    bool letters;
    range(open, &from, &to, &step, &letters);
    for (long at = from; from <= to ? at <= to : at >= to; at += from <= to ? step : -step) {
        char number[24];
        int length = letters ? snprintf(number, sizeof number, "%c", (char)at) : snprintf(number, sizeof number, "%ld", at);
        struct word_part *copy = with_text(expansion, part, text, (size_t)(open - text), number, (size_t)length, close + 1);
        if (copy && copy->text)
            expand(expansion, before, copy, copy->text);
    }
}

static void emit(struct expansion *expansion, struct word_part *before, struct word_part *part)
{
    struct word *word = lex_alloc(expansion->parser, sizeof *word);
    struct word_part **last = word ? &word->parts : NULL;
    for (struct word_part *at = before; last && at; at = at->next) { /* the parts of the original up to the one that is replaced */
        struct word_part *copy = lex_alloc(expansion->parser, sizeof *copy);
        if (!copy)
            return;
        bool here = at->next == part->next && at->kind == PART_TEXT && !at->quoted && strchr(at->text, '{');
        *copy = here ? *part : *at;
        *last = copy;
        last = &copy->next;
        if (here)
            break;
    }
    if (word && ++expansion->count <= BRACES_MOST) {
        *expansion->last = word;
        expansion->last = &word->next;
    } else {
        lex_fail(expansion->parser, "too many words");
    }
}

static void expand(struct expansion *expansion, struct word_part *before, struct word_part *part, const char *text)
{
    if (!lex_deeper(expansion->parser))
        return;
    for (const char *open = strchr(text, '{'); open; open = strchr(open + 1, '{')) {
        bool comma, letters;
        long from, to, step;
        const char *close = matching(open, &comma);
        if (close && (comma || range(open, &from, &to, &step, &letters))) {
            (comma ? alternatives : numbers)(expansion, before, part, text, open, close);
            expansion->parser->depth--;
            return;
        }
    }
    emit(expansion, before, part);
    expansion->parser->depth--;
}

struct word *lex_braces(struct parser *parser, struct word *word)
{
    for (struct word_part *part = word->parts; part; part = part->next) {
        if (part->kind != PART_TEXT || part->quoted || !strchr(part->text, '{'))
            continue;
        bool comma, letters;
        long from, to, step;
        const char *open = strchr(part->text, '{'), *close = matching(open, &comma);
        if (!close || (!comma && !range(open, &from, &to, &step, &letters)))
            continue;
        struct word *first = NULL;
        struct expansion expansion = {.parser = parser, .last = &first};
        expand(&expansion, word->parts, part, part->text);
        return first ? first : word;
    }
    return word;
}
