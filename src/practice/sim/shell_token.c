/* shell_token: words, operators, line ends; here-documents, whose texts come with the line end; aliases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell_lex.h"

static void read_here_document(struct parser *parser, struct redirect *redirect)
{
    struct buf text = buf_make(SHELL_SOURCE);
    size_t line = 0; /* where the last line began */
    bool found = false;
    int next = PARSER_END;
    do {
        if (redirect->strip && text.length == line)
            while (lex_peek(parser) == '\t')
                lex_get(parser);
        next = lex_get(parser);
        if (next == '\n' || next == PARSER_END) {
            found = text.length - line == strlen(redirect->end) && (text.length == line || memcmp(text.bytes + line, redirect->end, text.length - line) == 0);
            if (found || next == PARSER_END)
                break;
        }
        char byte = (char)next;
        buf_append(&text, &byte, 1);
        if (next == '\n')
            line = text.length;
        if (next == '\\' && !redirect->literal && lex_peek(parser) == '\n') { /* goes on in the next line, which cannot end it */
            lex_get(parser);
            buf_append(&text, "\n", 1);
        }
    } while (buf_ok(&text));
    struct word *word = NULL;
    if (!buf_ok(&text))
        lex_fail(parser, "here-document too long");
    else
        word = lex_text_word(parser, text.bytes ? text.bytes : "", found ? line : text.length, redirect->literal);
    if (word)
        redirect->word->parts = word->parts; /* the command's redirection has the same word */
    buf_free(&text);
}

static void read_here_documents(struct parser *parser)
{
    struct redirect *at = parser->pending;
    parser->pending = NULL;
    for (struct redirect *next; at && !parser->failed; at = next) {
        next = at->next;
        at->next = NULL;
        read_here_document(parser, at);
    }
}

static const char *const operators[] = {"&&", "||", ";;", ";&", "&>", "<<<", "<<-", "<<", ">>", "<&", ">&", "<>", ">|", "&", "|", ";", "<", ">", "(", ")"};

static bool read_operator(struct parser *parser, struct token *token)
{
    char ahead[4] = "";
    for (size_t i = 0; i < 3; i++) {
        int next = lex_peek_at(parser, i);
        if (next <= 0 || !strchr("&|;<>()-", next))
            break;
        ahead[i] = (char)next;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        const struct shell_source *source = parser->source;
        bool missing = (source->plain && strcmp(operators[i], "&>") == 0) || (!source->bash && strcmp(operators[i], "<<<") == 0);
        if (strncmp(ahead, operators[i], length) != 0 || missing)
            continue;
        for (size_t j = 0; j < length; j++)
            lex_get(parser);
        token->kind = TOKEN_OPERATOR;
        strcpy(token->op, operators[i]);
        return true;
    }
    return false;
}

static void skip_blanks(struct parser *parser)
{
    for (;;) {
        int next = lex_peek(parser);
        if (next == ' ' || next == '\t' || (next == '\\' && lex_peek_at(parser, 1) == '\n')) {
            lex_get(parser);
            if (next == '\\')
                lex_get(parser);
        } else if (next == '#') {
            while ((next = lex_peek(parser)) != '\n' && next != PARSER_END)
                lex_get(parser);
        } else {
            return;
        }
    }
}

/* An alias' text takes the word's place. */
static bool put_alias(struct parser *parser, const struct word *word, size_t start)
{
    enum { ALIASES = 16 };
    struct shell_source *source = parser->source;
    if (!source->alias || !parser->command || !word->parts || word->parts->next || word->parts->kind != PART_TEXT || word->parts->quoted)
        return false;
    const char *text = source->alias(source->alias_data, word->parts->text);
    if (!text || parser->aliases >= ALIASES)
        return false;
    size_t name = strlen(word->parts->text);
    if (strncmp(text, word->parts->text, name) == 0 && (text[name] == ' ' || text[name] == '\0')) /* ls='ls -l' */
        parser->aliases = ALIASES;
    parser->aliases++;
    struct buf longer = buf_make(SHELL_SOURCE);
    buf_append(&longer, source->text.bytes, start);
    buf_append_string(&longer, text);
    buf_append(&longer, source->text.bytes + source->at, source->text.length - source->at);
    if (!buf_ok(&longer))
        lex_fail(parser, "out of memory");
    buf_free(&source->text);
    source->text = longer;
    source->at = start;
    return true;
}

static void read_token(struct parser *parser, struct token *token)
{
    *token = (struct token){.kind = TOKEN_END};
    skip_blanks(parser);
    token->line = parser->source->line;
    int next = lex_peek(parser);
    if (next == PARSER_END || parser->failed) {
        if (parser->pending)
            read_here_documents(parser);
        return;
    }
    if (next == '\n') {
        lex_get(parser);
        token->kind = TOKEN_NEWLINE;
        read_here_documents(parser);
        return;
    }
    if (read_operator(parser, token))
        return;
    size_t start = parser->source->at;
    token->kind = TOKEN_WORD;
    token->word = lex_word(parser, WORD_PLAIN);
    if (!token->word)
        return;
    next = lex_peek(parser);
    const struct word_part *part = token->word->parts;
    if ((next == '<' || next == '>') && part && !part->next && part->kind == PART_TEXT && !part->quoted && strspn(part->text, "0123456789") == strlen(part->text) && strlen(part->text) < 3) {
        token->kind = TOKEN_NUMBER;
        token->number = atoi(part->text);
    } else if (put_alias(parser, token->word, start)) {
        read_token(parser, token);
    }
}

struct token *token_look(struct parser *parser)
{
    if (!parser->have) {
        read_token(parser, &parser->token);
        parser->have = true;
    }
    return &parser->token;
}

/* The same, where a command may begin: aliases count. */
struct token *token_look_command(struct parser *parser)
{
    parser->command = true;
    struct token *token = token_look(parser);
    parser->command = false;
    return token;
}

struct token token_take(struct parser *parser)
{
    struct token token = *token_look(parser);
    parser->have = false;
    parser->aliases = 0;
    return token;
}

bool token_is(struct parser *parser, const char *op)
{
    const struct token *token = token_look(parser);
    return token->kind == TOKEN_OPERATOR && strcmp(token->op, op) == 0;
}

bool token_is_reserved(struct parser *parser, const char *word)
{
    const struct token *token = token_look_command(parser);
    return token->kind == TOKEN_WORD && lex_plain(token->word, word);
}

bool token_accept(struct parser *parser, const char *op)
{
    bool is = token_is(parser, op);
    if (is)
        token_take(parser);
    return is;
}

bool token_accept_reserved(struct parser *parser, const char *word)
{
    bool is = token_is_reserved(parser, word);
    if (is)
        token_take(parser);
    return is;
}

void token_skip_newlines(struct parser *parser)
{
    while (!parser->failed && token_look(parser)->kind == TOKEN_NEWLINE)
        token_take(parser);
}

/* "syntax error: unexpected X (expecting Y)" */
void token_unexpected(struct parser *parser, const char *expected)
{
    const struct token *token = token_look(parser);
    char what[80], more[40] = "";
    if (token->kind == TOKEN_END) {
        snprintf(what, sizeof what, "end of file");
        parser->source->incomplete = true;
    } else if (token->kind == TOKEN_NEWLINE) {
        snprintf(what, sizeof what, "newline");
    } else if (token->kind == TOKEN_OPERATOR) {
        snprintf(what, sizeof what, token->op[0] == '<' || token->op[0] == '>' ? "redirection" : "\"%s\"", token->op);
    } else {
        const struct word_part *part = token->word ? token->word->parts : NULL;
        bool plain = part && !part->next && part->kind == PART_TEXT && !part->quoted;
        static const char *const reserved[] = {"then", "do", "done", "fi", "else", "elif", "esac", "}", "if", "while", "until", "for", "case", "{", "!", "in"};
        bool known = false;
        for (size_t i = 0; plain && i < sizeof reserved / sizeof *reserved; i++)
            known = known || strcmp(part->text, reserved[i]) == 0;
        snprintf(what, sizeof what, known ? "\"%.60s\"" : "word", plain ? part->text : "");
    }
    if (expected)
        snprintf(more, sizeof more, " (expecting \"%s\")", expected);
    lex_fail(parser, "syntax error: unexpected %s%s", what, more);
}

void token_expect_reserved(struct parser *parser, const char *word)
{
    if (!token_accept_reserved(parser, word))
        token_unexpected(parser, word);
}

