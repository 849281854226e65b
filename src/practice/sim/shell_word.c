/* shell_word: words with their quoting, parameters, command and arithmetic expansions, as they stand. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell_lex.h"

/* A word that is being put together. */
struct building {
    struct parser *parser;
    struct word_part *first, **last;
    struct buf text;
    bool quoted, any; /* of the text that is being gathered; any: there is some, though it may be empty */
};

static void flush(struct building *building)
{
    if (!building->any)
        return;
    struct word_part *part = lex_alloc(building->parser, sizeof *part);
    if (part) {
        part->kind = PART_TEXT;
        part->quoted = building->quoted;
        part->text = lex_string(building->parser, building->text.bytes ? building->text.bytes : "", building->text.length);
        *building->last = part;
        building->last = &part->next;
    }
    buf_clear(&building->text);
    building->any = false;
}

static void add(struct building *building, int character, bool quoted)
{
    if (building->any && building->quoted != quoted)
        flush(building);
    building->quoted = quoted;
    building->any = true;
    if (character >= 0) {
        char byte = (char)character;
        buf_append(&building->text, &byte, 1);
    }
    if (!buf_ok(&building->text))
        lex_fail(building->parser, "word too long");
}

static void add_part(struct building *building, struct word_part *part)
{
    flush(building);
    if (!part)
        return;
    *building->last = part;
    building->last = &part->next;
}

/* ---- $ ---- */

bool shell_is_name(const char *text, size_t length)
{
    if (length == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

static bool is_name_start(int character)
{
    return character == '_' || (character >= 0 && character < 128 && isalpha(character));
}

static bool is_special(int character)
{
    return character > 0 && strchr("@*#?-$!", character) != NULL;
}

static char *read_name(struct parser *parser, bool braces)
{
    char name[256];
    size_t length = 0;
    int next = lex_peek(parser);
    if (is_name_start(next)) {
        while ((next = lex_peek(parser)) >= 0 && next < 128 && (isalnum(next) || next == '_') && length < sizeof name - 1)
            name[length++] = (char)lex_get(parser);
    } else if (next >= '0' && next <= '9') {
        do
            name[length++] = (char)lex_get(parser);
        while (braces && (next = lex_peek(parser)) >= '0' && next <= '9' && length < 9);
    } else if (is_special(next)) {
        name[length++] = (char)lex_get(parser);
    }
    return lex_string(parser, name, length);
}

/* What is no operator that we know: read over to the brace, told when it is expanded. */
static void bad_substitution(struct parser *parser, struct word_part *part)
{
    int next, depth = 0;
    part->op = 'u';
    while ((next = lex_peek(parser)) != PARSER_END && (next != '}' || depth > 0)) {
        depth += next == '{' ? 1 : next == '}' ? -1 : 0;
        lex_get(parser);
    }
}

static void read_operator(struct parser *parser, struct word_part *part, bool in_double)
{
    int next = lex_peek(parser), after = lex_peek_at(parser, 1);
    if (next == ':' && after > 0 && strchr("-=?+", after)) {
        part->colon = true;
        lex_get(parser);
        next = after;
    } else if (next == ':') {
        lex_get(parser);
        part->op = ':';
        part->word = lex_word(parser, WORD_OFFSET);
        if (lex_peek(parser) == ':') {
            lex_get(parser);
            part->second = lex_word(parser, WORD_OFFSET);
        }
        return;
    }
    if (next > 0 && strchr("-=?+", next)) {
        part->op = (char)lex_get(parser);
        part->word = lex_word(parser, in_double ? WORD_BRACE_DOUBLE : WORD_BRACE);
    } else if (next == '#' || next == '%') {
        lex_get(parser);
        part->op = (char)next;
        if (lex_peek(parser) == next) {
            lex_get(parser);
            part->op = next == '#' ? 'D' : 'P';
        }
        part->word = lex_word(parser, WORD_BRACE_PATTERN);
    } else if (next == '/') {
        lex_get(parser);
        part->op = '/';
        if (lex_peek(parser) == '/') {
            lex_get(parser);
            part->op = 'G';
        }
        part->word = lex_word(parser, WORD_REPLACED);
        if (lex_peek(parser) == '/') {
            lex_get(parser);
            part->second = lex_word(parser, WORD_BRACE);
        }
    } else {
        bad_substitution(parser, part);
    }
}

static struct word_part *read_braces(struct parser *parser, bool in_double)
{
    struct word_part *part = lex_alloc(parser, sizeof *part);
    if (!part)
        return NULL;
    part->kind = PART_PARAMETER;
    lex_get(parser); /* { */
    int next = lex_peek(parser), after = lex_peek_at(parser, 1);
    if (next == '#' && after != '}' && (after != '#' || lex_peek_at(parser, 2) == '}') && !(after > 0 && strchr("%:=+/", after)) && !(after == '-' && lex_peek_at(parser, 2) != '}') &&
        !(after == '?' && lex_peek_at(parser, 2) != '}')) {
        lex_get(parser);
        part->op = 'L';
        part->text = read_name(parser, true);
        if (lex_peek(parser) != '}')
            bad_substitution(parser, part);
    } else {
        part->text = read_name(parser, true);
        if (lex_peek(parser) != '}' && part->text && *part->text)
            read_operator(parser, part, in_double);
        else if (part->text && !*part->text)
            bad_substitution(parser, part);
    }
    if (lex_get(parser) != '}')
        lex_fail(parser, "syntax error: missing '}'");
    return part;
}

/* After "$((": the expression, or NULL if it turns out to be a command that begins with a subshell. */
static struct word *read_arithmetic(struct parser *parser)
{
    return lex_word(parser, WORD_ARITHMETIC);
}

static struct word_part *read_parentheses(struct parser *parser)
{
    struct word_part *part = lex_alloc(parser, sizeof *part);
    if (!part || !lex_deeper(parser))
        return NULL;
    lex_get(parser); /* ( */
    if (lex_peek(parser) == '(') {
        size_t at = parser->source->at;
        int line = parser->source->line;
        lex_get(parser);
        part->kind = PART_ARITHMETIC;
        part->word = read_arithmetic(parser);
        if (part->word || parser->failed) {
            parser->depth--;
            return part;
        }
        parser->source->at = at;
        parser->source->line = line;
    }
    part->kind = PART_COMMAND;
    part->command = parse_inside(parser, ")");
    parser->depth--;
    return part;
}

static struct word_part *read_dollar(struct parser *parser, bool in_double)
{
    int next = lex_peek(parser);
    if (next == '{')
        return read_braces(parser, in_double);
    if (next == '(')
        return read_parentheses(parser);
    if (!is_name_start(next) && !(next >= '0' && next <= '9') && !is_special(next))
        return NULL;
    struct word_part *part = lex_alloc(parser, sizeof *part);
    if (part) {
        part->kind = PART_PARAMETER;
        part->text = read_name(parser, false);
    }
    return part;
}

/* ---- quotes ---- */

static void read_backquotes(struct building *building, bool in_double)
{
    struct parser *parser = building->parser;
    struct buf text = buf_make(SHELL_SOURCE);
    int next;
    while ((next = lex_get(parser)) != '`' && next != PARSER_END) {
        int after = lex_peek(parser);
        if (next == '\\' && (after == '`' || after == '\\' || after == '$' || (in_double && after == '"')))
            next = lex_get(parser);
        char byte = (char)next;
        buf_append(&text, &byte, 1);
    }
    if (next == PARSER_END) {
        parser->source->incomplete = true;
        lex_fail(parser, "syntax error: EOF in backquote substitution");
    }
    struct word_part *part = lex_alloc(parser, sizeof *part);
    if (part && !parser->failed && lex_deeper(parser)) {
        part->kind = PART_COMMAND;
        part->quoted = in_double;
        part->command = parse_text(parser, text.bytes ? text.bytes : "", text.length);
        parser->depth--;
        add_part(building, part);
    }
    buf_free(&text);
}

static void read_single(struct building *building)
{
    int next;
    add(building, -1, true);
    while ((next = lex_get(building->parser)) != '\'') {
        if (next == PARSER_END) {
            building->parser->source->incomplete = true;
            lex_fail(building->parser, "syntax error: unterminated quoted string");
            return;
        }
        add(building, next, true);
    }
}

/* $'...' */
static void read_escaped(struct building *building)
{
    static const char letters[] = "abefnrtv\\'\"", values[] = "\a\b\033\f\n\r\t\v\\'\"";
    struct parser *parser = building->parser;
    int next;
    lex_get(parser);
    add(building, -1, true);
    while ((next = lex_get(parser)) != '\'' && next != PARSER_END) {
        if (next == '\\') {
            int letter = lex_get(parser);
            const char *at = letter > 0 ? strchr(letters, letter) : NULL;
            if (at) {
                next = values[at - letters];
            } else if (letter >= '0' && letter <= '7') {
                next = letter - '0';
                for (int i = 0; i < 2 && lex_peek(parser) >= '0' && lex_peek(parser) <= '7'; i++)
                    next = next * 8 + lex_get(parser) - '0';
                next &= 0xFF;
            } else if (letter == 'x') {
                next = 0;
                for (int i = 0; i < 2 && lex_peek(parser) > 0 && isxdigit(lex_peek(parser)); i++) {
                    int digit = lex_get(parser);
                    next = next * 16 + (isdigit(digit) ? digit - '0' : (digit | 32) - 'a' + 10);
                }
            } else {
                add(building, '\\', true);
                next = letter;
            }
        }
        if (next > 0)
            add(building, next, true);
    }
    if (next == PARSER_END) {
        parser->source->incomplete = true;
        lex_fail(parser, "syntax error: unterminated quoted string");
    }
}

static void read_into(struct building *building, enum word_mode mode);

static void read_double(struct building *building)
{
    add(building, -1, true);
    if (!lex_deeper(building->parser))
        return;
    read_into(building, WORD_DOUBLE);
    building->parser->depth--;
    if (lex_get(building->parser) != '"') {
        building->parser->source->incomplete = true;
        lex_fail(building->parser, "syntax error: unterminated quoted string");
    }
}

/* ---- modes ---- */

static const char *const ends[] = {
    [WORD_PLAIN] = " \t\n;&|<>()",
    [WORD_DOUBLE] = "\"",
    [WORD_HERE] = "",
    [WORD_BRACE] = "}",
    [WORD_BRACE_DOUBLE] = "}",
    [WORD_BRACE_PATTERN] = "}",
    [WORD_ARITHMETIC] = "",
    [WORD_REPLACED] = "/}",
    [WORD_OFFSET] = ":}",
    [WORD_CASE_TEST] = " \t\n",
};

/* Text is as in double quotes: only \ before some characters is special, and single quotes are not. */
static bool is_double(enum word_mode mode)
{
    return mode == WORD_DOUBLE || mode == WORD_HERE || mode == WORD_BRACE_DOUBLE || mode == WORD_ARITHMETIC;
}

static void read_backslash(struct building *building, enum word_mode mode)
{
    struct parser *parser = building->parser;
    int next = lex_peek(parser);
    if (next == '\n') {
        lex_get(parser);
        return;
    }
    if (next == PARSER_END) {
        add(building, '\\', true);
        return;
    }
    bool special = next == '$' || next == '`' || next == '\\' || (next == '"' && mode != WORD_HERE) || (next == '}' && mode == WORD_BRACE_DOUBLE);
    if (is_double(mode) && !special)
        add(building, '\\', true);
    add(building, lex_get(parser), true);
}

static void read_dollar_into(struct building *building, enum word_mode mode)
{
    bool quoted = is_double(mode);
    if (!quoted && lex_peek(building->parser) == '\'') {
        read_escaped(building);
        return;
    }
    struct word_part *part = read_dollar(building->parser, quoted);
    if (part) {
        part->quoted = quoted;
        add_part(building, part);
    } else if (!building->parser->failed) {
        add(building, '$', quoted);
    }
}

static void read_into(struct building *building, enum word_mode mode)
{
    struct parser *parser = building->parser;
    int next, depth = 0;
    while (!parser->failed && (next = lex_peek(parser)) != PARSER_END && (!strchr(ends[mode], next) || next == '\0')) {
        if (mode == WORD_ARITHMETIC && next == ')' && depth == 0)
            return;
        lex_get(parser);
        depth += next == '(' ? 1 : next == ')' ? -1 : 0;
        if (next == '\\')
            read_backslash(building, mode);
        else if (next == '$')
            read_dollar_into(building, mode);
        else if (next == '`')
            read_backquotes(building, is_double(mode));
        else if (next == '\'' && !is_double(mode))
            read_single(building);
        else if (next == '"' && mode != WORD_DOUBLE && mode != WORD_HERE && mode != WORD_ARITHMETIC)
            read_double(building);
        else if (next != '"' || mode != WORD_ARITHMETIC)
            add(building, next, is_double(mode));
    }
}

struct word *lex_word(struct parser *parser, enum word_mode mode)
{
    struct building building = {.parser = parser, .text = buf_make(SHELL_SOURCE)};
    building.last = &building.first;
    if (!lex_deeper(parser))
        return NULL;
    read_into(&building, mode);
    parser->depth--;
    flush(&building);
    buf_free(&building.text);
    if (mode == WORD_ARITHMETIC && !parser->failed) {
        if (lex_peek(parser) == PARSER_END) {
            parser->source->incomplete = true;
            lex_fail(parser, "syntax error: missing '))'");
        } else if (lex_peek_at(parser, 1) != ')') {
            return NULL;
        } else {
            lex_get(parser);
            lex_get(parser);
        }
    }
    struct word *word = parser->failed ? NULL : lex_alloc(parser, sizeof *word);
    if (word)
        word->parts = building.first;
    return word;
}

struct word *lex_text_word(struct parser *parser, const char *text, size_t length, bool literal)
{
    struct word *word = lex_alloc(parser, sizeof *word);
    if (literal && word) {
        word->parts = lex_alloc(parser, sizeof *word->parts);
        if (word->parts) {
            word->parts->quoted = true;
            word->parts->text = lex_string(parser, text, length);
        }
        return word;
    }
    struct shell_source source = {.text = buf_make(SHELL_SOURCE), .line = parser->source->line};
    buf_append(&source.text, text, length);
    struct parser inner = {.source = &source, .script = parser->script, .depth = parser->depth};
    word = lex_word(&inner, WORD_HERE);
    if (inner.failed)
        lex_fail(parser, "%s", source.error);
    buf_free(&source.text);
    return word;
}

bool lex_plain(const struct word *word, const char *text)
{
    return word && word->parts && !word->parts->next && word->parts->kind == PART_TEXT && !word->parts->quoted && strcmp(word->parts->text, text) == 0;
}
