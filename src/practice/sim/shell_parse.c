/* shell_parse: the grammar of POSIX.1-2017, section 2.10, by recursive descent. */
#include "practice/sim/shell_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell_lex.h"

static struct node *new_node(struct parser *parser, enum node_kind kind)
{
    struct node *node = lex_alloc(parser, sizeof *node);
    if (node) {
        node->kind = kind;
        node->line = parser->have ? parser->token.line : parser->source->line;
    }
    return node;
}

static struct node *pair(struct parser *parser, enum node_kind kind, struct node *left, struct node *right)
{
    struct node *node = new_node(parser, kind);
    if (node) {
        node->left = left;
        node->right = right;
        if (left)
            node->line = left->line;
    }
    return node;
}

/* ---- redirections ---- */

static const struct {
    const char *op;
    enum redirect_kind kind;
    int fd;
} redirections[] = {
    {"<", REDIRECT_READ, 0}, {">", REDIRECT_WRITE, 1}, {">>", REDIRECT_APPEND, 1}, {">|", REDIRECT_CLOBBER, 1}, {"<>", REDIRECT_BOTH, 0}, {"<&", REDIRECT_DUP_IN, 0},
    {">&", REDIRECT_DUP_OUT, 1}, {"<<", REDIRECT_HERE, 0}, {"<<-", REDIRECT_HERE, 0}, {"&>", REDIRECT_ALL, 1}, {"<<<", REDIRECT_HERE_STRING, 0},
};

/* The delimiter's text without quotes; *literal: there were some. */
static char *delimiter(struct parser *parser, const struct word *word, bool *literal)
{
    struct buf text = buf_make(FILENAME_MAX);
    *literal = false;
    for (const struct word_part *part = word ? word->parts : NULL; part; part = part->next) {
        *literal = *literal || part->quoted;
        if (part->kind == PART_PARAMETER)
            buf_append(&text, "$", 1);
        if (part->text)
            buf_append_string(&text, part->text);
    }
    char *end = lex_string(parser, text.bytes ? text.bytes : "", text.length);
    buf_free(&text);
    return end;
}

/* Appends one if there is one here. */
static bool parse_redirect(struct parser *parser, struct redirect ***last)
{
    const struct token *token = token_look(parser);
    int fd = -1;
    if (token->kind == TOKEN_NUMBER) {
        fd = token->number;
        token_take(parser);
        token = token_look(parser);
    }
    for (size_t i = 0; token->kind == TOKEN_OPERATOR && i < sizeof redirections / sizeof *redirections; i++) {
        if (strcmp(token->op, redirections[i].op) != 0)
            continue;
        bool strip = strcmp(token->op, "<<-") == 0;
        token_take(parser);
        struct redirect *redirect = lex_alloc(parser, sizeof *redirect);
        if (!redirect)
            return false;
        *redirect = (struct redirect){.kind = redirections[i].kind, .fd = fd >= 0 ? fd : redirections[i].fd, .strip = strip};
        if (token_look(parser)->kind == TOKEN_NUMBER) /* 2>1>x: a file named 1 */
            parser->token.kind = TOKEN_WORD;
        if (token_look(parser)->kind != TOKEN_WORD) {
            token_unexpected(parser, NULL);
            return false;
        }
        redirect->word = token_take(parser).word;
        if (redirect->kind == REDIRECT_HERE) {
            redirect->end = delimiter(parser, redirect->word, &redirect->literal);
            struct redirect **pending = &parser->pending;
            while (*pending)
                pending = &(*pending)->next;
            struct redirect *here = lex_alloc(parser, sizeof *here); /* the command's; the other one's `next` links those that wait */
            redirect->word = lex_alloc(parser, sizeof *redirect->word);
            if (!here || !redirect->word)
                return false;
            *here = *redirect;
            *pending = redirect;
            redirect = here;
        }
        **last = redirect;
        *last = &redirect->next;
        return true;
    }
    return false;
}

/* ---- commands ---- */

static struct node *parse_list(struct parser *parser, bool newlines);
static struct node *parse_command(struct parser *parser);

/* A list that must have something in it, as bodies have. */
static struct node *parse_body(struct parser *parser)
{
    struct node *node = lex_deeper(parser) ? parse_list(parser, true) : NULL;
    parser->depth--;
    if (!node && !parser->failed && token_look(parser)->kind != TOKEN_END) /* else the caller says what it expects */
        token_unexpected(parser, NULL);
    return node;
}

static struct node *parse_if(struct parser *parser)
{
    struct node *node = new_node(parser, NODE_IF);
    if (!node)
        return NULL;
    node->left = parse_body(parser);
    token_expect_reserved(parser, "then");
    node->right = parse_body(parser);
    if (token_accept_reserved(parser, "elif")) {
        node->third = lex_deeper(parser) ? parse_if(parser) : NULL;
        parser->depth--;
        return node; /* the inner one took fi */
    }
    if (token_accept_reserved(parser, "else"))
        node->third = parse_body(parser);
    token_expect_reserved(parser, "fi");
    return node;
}

static struct node *parse_loop(struct parser *parser, enum node_kind kind)
{
    struct node *node = new_node(parser, kind);
    if (!node)
        return NULL;
    node->left = parse_body(parser);
    token_expect_reserved(parser, "do");
    node->right = parse_body(parser);
    token_expect_reserved(parser, "done");
    return node;
}

static struct node *parse_for(struct parser *parser)
{
    struct node *node = new_node(parser, NODE_FOR);
    struct token name = token_take(parser);
    if (!node || name.kind != TOKEN_WORD || !name.word || !name.word->parts || name.word->parts->next || name.word->parts->quoted ||
        !shell_is_name(name.word->parts->text, strlen(name.word->parts->text))) {
        lex_fail(parser, "syntax error: bad for loop variable");
        return NULL;
    }
    node->name = name.word->parts->text;
    token_skip_newlines(parser);
    if (token_accept_reserved(parser, "in")) {
        node->in = true;
        struct word **last = &node->words;
        while (token_look(parser)->kind == TOKEN_WORD && !parser->failed) {
            *last = token_take(parser).word;
            if (*last && parser->source->bash)
                *last = lex_braces(parser, *last);
            while (*last)
                last = &(*last)->next;
        }
        if (!token_accept(parser, ";") && token_look(parser)->kind != TOKEN_NEWLINE)
            token_unexpected(parser, "do");
    } else {
        token_accept(parser, ";");
    }
    token_skip_newlines(parser);
    token_expect_reserved(parser, "do");
    node->right = parse_body(parser);
    token_expect_reserved(parser, "done");
    return node;
}

static struct case_item *parse_case_item(struct parser *parser)
{
    struct case_item *item = lex_alloc(parser, sizeof *item);
    token_accept(parser, "(");
    struct word **last = item ? &item->patterns : NULL;
    do {
        if (token_look(parser)->kind == TOKEN_NUMBER)
            parser->token.kind = TOKEN_WORD;
        if (token_look(parser)->kind != TOKEN_WORD) {
            token_unexpected(parser, ")");
            return NULL;
        }
        struct token token = token_take(parser);
        if (last) {
            *last = token.word;
            last = *last ? &(*last)->next : last;
        }
    } while (token_accept(parser, "|") && !parser->failed);
    if (!token_accept(parser, ")"))
        token_unexpected(parser, ")");
    if (item && !parser->failed)
        item->body = parse_list(parser, true);
    return item;
}

static struct node *parse_case(struct parser *parser)
{
    struct node *node = new_node(parser, NODE_CASE);
    if (token_look(parser)->kind != TOKEN_WORD)
        token_unexpected(parser, NULL);
    if (!node || parser->failed)
        return NULL;
    node->words = token_take(parser).word;
    token_skip_newlines(parser);
    token_expect_reserved(parser, "in");
    token_skip_newlines(parser);
    struct case_item **last = &node->items;
    while (!parser->failed && !token_is_reserved(parser, "esac")) {
        struct case_item *item = parse_case_item(parser);
        if (!item)
            return NULL;
        *last = item;
        last = &item->next;
        bool ended = token_accept(parser, ";;");
        item->falls = !ended && token_accept(parser, ";&");
        if (!ended && !item->falls)
            break;
        token_skip_newlines(parser);
    }
    token_expect_reserved(parser, "esac");
    return node;
}

static struct node *parse_function(struct parser *parser, char *name)
{
    struct node *node = new_node(parser, NODE_FUNCTION);
    token_skip_newlines(parser);
    if (!node || !lex_deeper(parser))
        return NULL;
    node->name = name;
    node->left = parse_command(parser);
    parser->depth--;
    return node;
}

/* NAME=, NAME+= at the word's start: split off. */
static bool take_assignment(struct parser *parser, struct word *word, struct assignment ***last)
{
    struct word_part *part = word->parts;
    if (!part || part->kind != PART_TEXT || part->quoted)
        return false;
    char *equals = strchr(part->text, '=');
    if (!equals)
        return false;
    bool append = parser->source->bash && equals > part->text && equals[-1] == '+';
    size_t length = (size_t)(equals - part->text) - append;
    if (!shell_is_name(part->text, length))
        return false;
    struct assignment *assignment = lex_alloc(parser, sizeof *assignment);
    if (!assignment)
        return false;
    assignment->name = lex_string(parser, part->text, length);
    assignment->append = append;
    assignment->value = word;
    part->text = equals + 1;
    if (!*part->text)
        word->parts = part->next;
    **last = assignment;
    *last = &assignment->next;
    return true;
}

static bool is_function_name(const struct word *word)
{
    const struct word_part *part = word->parts;
    return part && !part->next && part->kind == PART_TEXT && !part->quoted && *part->text && !strchr(part->text, '=');
}

static struct node *parse_simple(struct parser *parser)
{
    struct node *node = new_node(parser, NODE_SIMPLE);
    if (!node)
        return NULL;
    struct assignment **assignment = &node->assignments;
    struct redirect **redirect = &node->redirects;
    struct word **word = &node->words;
    bool any = false;
    while (!parser->failed) {
        if (parse_redirect(parser, &redirect)) {
            any = true;
            continue;
        }
        const struct token *token = node->words ? token_look(parser) : token_look_command(parser);
        if (token->kind != TOKEN_WORD || parser->failed)
            break;
        struct word *next = token_take(parser).word;
        any = true;
        if (!node->words && take_assignment(parser, next, &assignment))
            continue;
        bool first = !node->words;
        *word = parser->source->bash ? lex_braces(parser, next) : next;
        while (*word)
            word = &(*word)->next;
        if (first && !node->assignments && !node->redirects && is_function_name(next) && token_is(parser, "(")) {
            token_take(parser);
            if (!token_accept(parser, ")")) {
                token_unexpected(parser, ")");
                return NULL;
            }
            return parse_function(parser, next->parts->text);
        }
    }
    if (!any && !parser->failed)
        token_unexpected(parser, NULL);
    return node;
}

/* [[ words ]]: && || ! ( ) < > are words to it. */
static struct node *parse_test(struct parser *parser)
{
    struct node *node = new_node(parser, NODE_TEST);
    struct word **last = node ? &node->words : NULL;
    while (last && !parser->failed && !lex_plain(token_look(parser)->word, "]]")) {
        struct token token = token_take(parser);
        if (token.kind == TOKEN_END) {
            lex_fail(parser, "syntax error: unexpected end of file (expecting \"]]\")");
        } else if (token.kind == TOKEN_OPERATOR) {
            *last = lex_text_word(parser, token.op, strlen(token.op), false);
            if (*last && (*last)->parts)
                (*last)->parts->quoted = false;
        } else if (token.kind != TOKEN_NEWLINE) {
            *last = token.word;
        }
        if (*last && lex_plain(*last, "=~")) { /* what follows is a regular expression: ( and | are its own */
            int next;
            while ((next = lex_peek(parser)) == ' ' || next == '\t')
                lex_get(parser);
            (*last)->next = lex_word(parser, WORD_CASE_TEST);
            last = &(*last)->next;
        }
        last = *last ? &(*last)->next : last;
    }
    token_take(parser);
    return node;
}

static const struct {
    const char *word;
    enum node_kind kind;
    struct node *(*parse)(struct parser *parser);
} compounds[] = {{"if", NODE_IF, parse_if}, {"for", NODE_FOR, parse_for}, {"case", NODE_CASE, parse_case}, {"while", NODE_WHILE, NULL}, {"until", NODE_UNTIL, NULL}};

static struct node *parse_compound(struct parser *parser)
{
    for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++)
        if (token_accept_reserved(parser, compounds[i].word))
            return compounds[i].parse ? compounds[i].parse(parser) : parse_loop(parser, compounds[i].kind);
    if (token_accept_reserved(parser, "{")) {
        struct node *node = new_node(parser, NODE_GROUP);
        if (node)
            node->left = parse_body(parser);
        token_expect_reserved(parser, "}");
        return node;
    }
    if (token_accept(parser, "(")) {
        struct node *node = new_node(parser, NODE_SUBSHELL);
        if (node)
            node->left = parse_body(parser);
        if (!token_accept(parser, ")"))
            token_unexpected(parser, ")");
        return node;
    }
    if (!parser->source->plain && token_accept_reserved(parser, "[["))
        return parse_test(parser);
    return NULL;
}

static bool starts_badly(struct parser *parser)
{
    static const char *const words[] = {"then", "do", "done", "fi", "else", "elif", "esac", "}"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_reserved(parser, words[i]))
            return true;
    return false;
}

static struct node *parse_command(struct parser *parser)
{
    if (!lex_deeper(parser))
        return NULL;
    token_look_command(parser);
    struct node *node = parse_compound(parser);
    if (node && !parser->failed) {
        struct redirect **last = &node->redirects;
        while (parse_redirect(parser, &last) && !parser->failed)
            continue;
    } else if (!parser->failed && !parser->source->plain && token_accept_reserved(parser, "function")) {
        struct token name = token_take(parser);
        if (name.kind != TOKEN_WORD || !name.word || !is_function_name(name.word)) {
            lex_fail(parser, "syntax error: bad function name");
        } else {
            if (token_accept(parser, "(") && !token_accept(parser, ")"))
                token_unexpected(parser, ")");
            node = parser->failed ? NULL : parse_function(parser, name.word->parts->text);
        }
    } else if (!parser->failed) {
        if (starts_badly(parser))
            token_unexpected(parser, NULL);
        else
            node = parse_simple(parser);
    }
    parser->depth--;
    return parser->failed ? NULL : node;
}

static struct node *parse_pipeline(struct parser *parser)
{
    bool negate = false;
    while (token_accept_reserved(parser, "!"))
        negate = !negate;
    struct node *node = parse_command(parser);
    if (!parser->failed && token_is(parser, "|")) {
        token_take(parser);
        token_skip_newlines(parser);
        struct node *rest = lex_deeper(parser) ? parse_pipeline(parser) : NULL;
        parser->depth--;
        node = pair(parser, NODE_PIPE, node, rest);
    }
    return negate && node ? pair(parser, NODE_NOT, node, NULL) : node;
}

static struct node *parse_and_or(struct parser *parser)
{
    struct node *node = parse_pipeline(parser);
    while (!parser->failed && (token_is(parser, "&&") || token_is(parser, "||"))) {
        enum node_kind kind = token_is(parser, "&&") ? NODE_AND : NODE_OR;
        token_take(parser);
        token_skip_newlines(parser);
        struct node *right = parse_pipeline(parser);
        node = pair(parser, kind, node, right);
    }
    return node;
}

/* Commands up to what cannot begin one. newlines: they separate too (else the first ends it). */
static struct node *parse_list(struct parser *parser, bool newlines)
{
    struct node *first = NULL, **last = &first;
    for (;;) {
        if (newlines)
            token_skip_newlines(parser);
        const struct token *token = token_look_command(parser);
        if (parser->failed || token->kind == TOKEN_END || token->kind == TOKEN_NEWLINE || token_is(parser, ")") || token_is(parser, ";;") || token_is(parser, ";&") || (newlines && starts_badly(parser)))
            return first;
        struct node *node = parse_and_or(parser);
        if (token_accept(parser, "&"))
            node = pair(parser, NODE_BACKGROUND, node, NULL);
        else if (!token_accept(parser, ";") && !(newlines && token_look(parser)->kind == TOKEN_NEWLINE)) {
            *last = *last ? pair(parser, NODE_LIST, *last, node) : node;
            return first;
        }
        if (parser->failed)
            return NULL;
        if (*last) { /* grows to the right, so that long lists do not nest */
            *last = pair(parser, NODE_LIST, *last, node);
            if (!*last)
                return NULL;
            last = &(*last)->right;
        } else {
            *last = node;
        }
    }
}

struct node *parse_inside(struct parser *parser, const char *end)
{
    struct token saved = parser->token;
    bool had = parser->have, command = parser->command;
    struct redirect *pending = parser->pending;
    parser->pending = NULL;
    parser->have = parser->command = false;
    struct node *node = parse_list(parser, true);
    if (!parser->failed && !token_is(parser, end))
        token_unexpected(parser, end);
    parser->token = saved;
    parser->have = had;
    parser->command = command;
    parser->pending = pending;
    return node;
}

struct node *parse_text(struct parser *parser, const char *text, size_t length)
{
    struct shell_source source = {.text = buf_make(SHELL_SOURCE), .line = parser->source->line, .bash = parser->source->bash};
    buf_append(&source.text, text, length);
    struct parser inner = {.source = &source, .script = parser->script, .depth = parser->depth};
    struct node *node = parse_list(&inner, true);
    if (!inner.failed && token_look(&inner)->kind != TOKEN_END)
        token_unexpected(&inner, NULL);
    if (inner.failed)
        lex_fail(parser, "%s", source.error);
    buf_free(&source.text);
    return node;
}

enum parse_result shell_parse(struct shell_source *source, struct script *script, struct node **out)
{
    struct parser parser = {.source = source, .script = script};
    source->incomplete = false;
    *out = NULL;
    const struct token *token = token_look_command(&parser);
    if (token->kind == TOKEN_END && !parser.failed)
        return PARSE_END;
    if (token->kind == TOKEN_NEWLINE && !parser.failed)
        return PARSE_EMPTY;
    struct node *node = parse_list(&parser, false);
    token = token_look(&parser);
    if (!parser.failed && token->kind != TOKEN_NEWLINE && token->kind != TOKEN_END)
        token_unexpected(&parser, NULL);
    if (parser.failed)
        return PARSE_ERROR;
    *out = node;
    return PARSE_COMMAND;
}
