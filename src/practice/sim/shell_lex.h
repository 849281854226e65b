/* shell_lex.h: what the parser and the reader of words share.
 */
#ifndef KT_PRACTICE_SIM_SHELL_LEX_H
#define KT_PRACTICE_SIM_SHELL_LEX_H

#include "practice/sim/shell_parse.h"

enum token_kind { TOKEN_END, TOKEN_NEWLINE, TOKEN_OPERATOR, TOKEN_WORD, TOKEN_NUMBER /* before a redirection */ };
struct token {
    enum token_kind kind;
    char op[4];
    struct word *word;
    int number, line;
};
struct parser {
    struct shell_source *source;
    struct script *script;
    struct token token; /* looked at, if have */
    bool have, failed, command; /* command: a word here is a command's, so aliases count */
    int depth, aliases;
    struct redirect *pending; /* here-documents whose text has not come yet */
};

#define PARSER_END (-1)
int lex_peek(struct parser *parser);            /* the next character; PARSER_END */
int lex_peek_at(struct parser *parser, size_t n);
int lex_get(struct parser *parser);
void lex_fail(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *lex_alloc(struct parser *parser, size_t size); /* never fails but by failing the parser: NULL then */
char *lex_string(struct parser *parser, const char *bytes, size_t length);
bool lex_deeper(struct parser *parser);         /* false: nested too deep; else depth-- at the end */

enum word_mode { WORD_PLAIN, WORD_DOUBLE, WORD_HERE, WORD_BRACE, WORD_BRACE_DOUBLE, WORD_BRACE_PATTERN, WORD_ARITHMETIC, WORD_REPLACED /* ${x/HERE/} */, WORD_OFFSET /* ${x:HERE:} */, WORD_CASE_TEST /* the right side of =~ */ };
/* Reads up to what ends it in this mode, which stays (but for WORD_ARITHMETIC: "))" is taken). NULL: failed. */
struct word *lex_word(struct parser *parser, enum word_mode mode);
struct word *lex_text_word(struct parser *parser, const char *text, size_t length, bool literal); /* a here-document */
bool lex_plain(const struct word *word, const char *text); /* it is just this, without any quoting */
struct node *parse_inside(struct parser *parser, const char *end); /* a list up to the operator, which is taken: $( ... ) */
struct node *parse_text(struct parser *parser, const char *text, size_t length); /* `...` */
struct word *lex_braces(struct parser *parser, struct word *word); /* {a,b} and {1..3}: a list of words */


/* Tokens: the next one is looked at, then taken. */
struct token *token_look(struct parser *parser);
struct token *token_look_command(struct parser *parser); /* the same, where a command may begin: aliases count */
struct token token_take(struct parser *parser);
bool token_is(struct parser *parser, const char *op);
bool token_is_reserved(struct parser *parser, const char *word);
bool token_accept(struct parser *parser, const char *op); /* takes it if it is that */
bool token_accept_reserved(struct parser *parser, const char *word);
void token_skip_newlines(struct parser *parser);
void token_unexpected(struct parser *parser, const char *expected); /* "syntax error: unexpected X (expecting Y)" */
void token_expect_reserved(struct parser *parser, const char *word);

#endif
