/* lint_words.c: prose: walls of text, Chinese typography, and the glossary's words. */
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/utf8.h"
#include "lesson/lint.h"
#include "text/width.h"

enum { WALL_LINES = 15, WALL_COLUMNS = 80, PARAGRAPH = 64 << 10, TERM = 128 };

bool lint_is_han(unsigned c)
{
    return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x2FA1F);
}

/* ---- walls of text ---- */

static size_t wrapped(struct buf *paragraph)
{
    size_t lines = 0, next = 0;
    for (const char *at = paragraph->bytes; paragraph->length > 0 && at < paragraph->bytes + paragraph->length; at += next, lines++)
        if (width_wrap(at, paragraph->length - (size_t)(at - paragraph->bytes), WALL_COLUMNS, &next) == 0 && next == 0)
            break;
    buf_clear(paragraph);
    return lines;
}

/* How many lines of a terminal a block of prose fills. */
static size_t prose_lines(const char *text)
{
    struct buf paragraph = buf_make(PARAGRAPH);
    size_t lines = 0;
    bool fence = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool marks = strncmp(text, "```", 3) == 0, item = strncmp(text, "- ", 2) == 0 || strncmp(text, "| ", 2) == 0;
        fence = fence != marks;
        if (length == 0 || fence || marks || item)
            lines += wrapped(&paragraph);
        if (fence || marks)
            lines++;
        else if (length > 0) {
            bool joins = paragraph.length > 0 && (unsigned char)paragraph.bytes[paragraph.length - 1] < 0x80;
            buf_append(&paragraph, " ", joins);
            buf_append(&paragraph, text, length);
        }
        text += length + (text[length] == '\n');
    }
    lines += wrapped(&paragraph);
    buf_free(&paragraph);
    return lines;
}

static void lint_walls(struct lint *lint, int lang)
{
    static const char *const files[] = {"en.md", "zh.md"};
    for (size_t i = 0; lint->text[lang] != NULL && i < lint->text[lang]->steps.length; i++) {
        const struct text_step *step = lint->text[lang]->steps.items[i];
        size_t lines = 0;
        for (size_t j = 0; j < step->blocks.length; j++) {
            const struct text_block *block = step->blocks.items[j];
            lines += block->kind == BLOCK_PROSE ? prose_lines(block->text) : 0;
        }
        if (lines > WALL_LINES)
            lint_advise(lint, files[lang], step->line, "step \"%s\" is a wall of text: %zu lines of 80 columns; more than %d are not read", step->id, lines, WALL_LINES);
    }
}

/* ---- Chinese typography ---- */

enum letter { LETTER_OTHER, LETTER_HAN, LETTER_LATIN, LETTER_HALF };

static enum letter letter_of(unsigned c)
{
    if (lint_is_han(c))
        return LETTER_HAN;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '`')
        return LETTER_LATIN;
    return c < 0x80 && c != 0 && strchr(",;:?!()\"", (int)c) != NULL ? LETTER_HALF : LETTER_OTHER;
}

/* Where `length` bytes of text have Han and Latin without a space between them, or punctuation of the wrong width; NULL: nowhere. A code span counts as
 * one Latin letter, marks of emphasis as nothing. */
static const char *wrong_place(const char *text, size_t length, enum letter *what)
{
    enum letter before = LETTER_OTHER;
    size_t before_at = 0;
    bool code = false;
    for (size_t at = 0, used; at < length; at += used) {
        unsigned c;
        used = utf8_decode(text + at, length - at, &c);
        if (c == '*' || (code && c != '`'))
            continue;
        enum letter here = letter_of(c);
        bool closing = c == '`' && code;
        if (c == '`')
            code = !code;
        bool spaceless = !closing && ((before == LETTER_HAN && here == LETTER_LATIN) || (before == LETTER_LATIN && here == LETTER_HAN));
        bool half = (before == LETTER_HAN && here == LETTER_HALF) || (before == LETTER_HALF && here == LETTER_HAN);
        if (spaceless || half) {
            *what = half ? LETTER_HALF : LETTER_LATIN;
            return text + before_at;
        }
        before = here;
        before_at = at;
    }
    return NULL;
}

static void lint_typography(struct lint *lint, const char *file, int line, const char *text, size_t length)
{
    enum letter what;
    const char *at = wrong_place(text, length, &what);
    if (at == NULL)
        return;
    size_t show = width_fit(at, length - (size_t)(at - text), 16, &(size_t){0});
    lint_advise(lint, file, line, what == LETTER_HALF ? "Chinese punctuation is full-width: %.*s" : "a space goes between Chinese and Latin: %.*s", (int)show, at);
}

/* ---- the glossary ---- */

/* A field of a tab-separated line, by its number; false if the line has none such. */
static bool field(const char *line, size_t length, int number, const char **from, size_t *size)
{
    const char *end = line + length;
    for (; number > 0; number--) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        if (tab == NULL)
            return false;
        line = tab + 1;
    }
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    *from = line;
    *size = tab != NULL ? (size_t)(tab - line) : (size_t)(end - line);
    return *size > 0;
}

static void lint_term(struct lint *lint, const char *file, int line, const char *text, size_t length, const char *entry, size_t entry_length)
{
    const char *wanted, *variants;
    size_t wanted_length, left;
    if (!field(entry, entry_length, 1, &wanted, &wanted_length) || !field(entry, entry_length, 3, &variants, &left))
        return;
    while (left > 0) {
        const char *bar = memchr(variants, '|', left);
        size_t size = bar != NULL ? (size_t)(bar - variants) : left;
        if (size > 0 && size < TERM && memmem(text, length, variants, size) != NULL)
            lint_error(lint, file, line, "the glossary says %.*s, not %.*s", (int)wanted_length, wanted, (int)size, variants);
        left -= size + (bar != NULL);
        variants += size + (bar != NULL);
    }
}

/* Entries are lines: English, Chinese, where seen, forbidden variants between bars; # begins a remark. */
static void lint_terms(struct lint *lint, const char *file, int line, const char *text, size_t length)
{
    for (const char *entry = lint->glossary; entry != NULL && *entry != '\0';) {
        size_t size = strcspn(entry, "\n");
        if (entry[0] != '#')
            lint_term(lint, file, line, text, length, entry, size);
        entry += size + (entry[size] == '\n');
    }
}

static void lint_chinese(struct lint *lint, const char *file, int line, const char *text, size_t length)
{
    lint_typography(lint, file, line, text, length);
    lint_terms(lint, file, line, text, length);
}

void lint_words(struct lint *lint)
{
    int line = 1;
    bool fence = false;
    for (int lang = 0; lang < 2; lang++)
        lint_walls(lint, lang);
    for (const char *text = lint->words[LANG_ZH]; text != NULL && *text != '\0'; line++) {
        size_t length = strcspn(text, "\n");
        bool marks = strncmp(text, "```", 3) == 0;
        fence = fence != marks;
        if (!fence && !marks)
            lint_chinese(lint, "zh.md", line, text, length);
        text += length + (text[length] == '\n');
    }
    for (size_t i = 0; i < lint->tokens.length; i++) {
        const struct lint_token *token = lint->tokens.items[i];
        if (token->kind == LINT_STRING && token->is_zh)
            lint_chinese(lint, "lesson.lua", token->line, token->text, strlen(token->text));
    }
}
