/* shell_parse.h: the shell's language (POSIX.1-2017, Shell Command Language; what ash has beside it) as a tree. Knows nothing of processes.
 *
 * A tree lives in a script, which is counted: a function keeps the script alive in which it stands.
 */
#ifndef KT_PRACTICE_SIM_SHELL_PARSE_H
#define KT_PRACTICE_SIM_SHELL_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { SHELL_SOURCE = 1 << 20, SHELL_TREE = 16 << 20 /* bytes of memory of one script's trees */, SHELL_NESTING = 60 };

struct script;
struct script *shell_script_new(void) __attribute__((warn_unused_result)); /* one reference */
struct script *script_ref(struct script *script);
void shell_script_free(struct script *script);
void *script_alloc(struct script *script, size_t size); /* zeroed; NULL: no memory, or SHELL_TREE */

enum part_kind { PART_TEXT, PART_PARAMETER, PART_COMMAND, PART_ARITHMETIC };
struct word_part {
    struct word_part *next;
    enum part_kind kind;
    bool quoted;          /* neither split nor taken for a pattern */
    char *text;           /* the text, or the parameter's name */
    /* of a parameter */
    char op;              /* 0, - = ? + (colon: also if it is empty), # ## as D, % %% as P, L length, / and G (all) replacement, : substring, u: a bad substitution */
    bool colon;
    struct word *word;    /* after the operator; of an arithmetic expansion: the expression */
    struct word *second;  /* replacement, length of a substring; NULL: none */
    struct node *command; /* NULL: nothing in it */
};
struct word {
    struct word *next;
    struct word_part *parts; /* NULL: empty, nothing */
};

enum redirect_kind { REDIRECT_READ, REDIRECT_WRITE, REDIRECT_CLOBBER, REDIRECT_APPEND, REDIRECT_BOTH, REDIRECT_DUP_IN, REDIRECT_DUP_OUT, REDIRECT_HERE, REDIRECT_ALL /* &> */, REDIRECT_HERE_STRING };
struct redirect {
    struct redirect *next;
    enum redirect_kind kind;
    int fd;
    struct word *word; /* a file, a number, "-", or the here-document's text */
    bool strip;        /* <<-; only while parsing, like these: */
    bool literal;
    char *end;
};
struct assignment {
    struct assignment *next;
    char *name;
    bool append; /* += */
    struct word *value;
};
struct case_item {
    struct case_item *next;
    struct word *patterns;
    struct node *body;
    bool falls; /* ;& */
};

enum node_kind {
    NODE_SIMPLE, NODE_PIPE, NODE_AND, NODE_OR, NODE_LIST /* left, then right */, NODE_BACKGROUND, NODE_NOT, NODE_SUBSHELL, NODE_GROUP, NODE_IF, NODE_WHILE, NODE_UNTIL, NODE_FOR,
    NODE_CASE, NODE_FUNCTION, NODE_TEST /* [[ ]] */
};
struct node {
    enum node_kind kind;
    int line;
    struct node *left, *right, *third; /* if: condition, then, else; while: condition, body */
    struct word *words;                /* of a simple command, of for (NULL and !in: "$@"), the one of case */
    struct assignment *assignments;
    struct redirect *redirects;
    char *name;                        /* of for, of a function */
    bool in;
    struct case_item *items;
};

/* Where the text comes from. more: appends a line (or more) to text; false: there is none. Its maximum bounds it. */
struct shell_source {
    struct buf text;
    size_t at;
    int line;
    bool (*more)(void *data, struct buf *text, bool continued);
    void *data;
    /* an alias' text for a command word, or NULL */
    const char *(*alias)(void *alias_data, const char *word);
    void *alias_data;
    bool bash;     /* {1..3}, +=, here-strings, too */
    bool plain;    /* not even what ash has beside POSIX: [[ ]], function, &> */
    char error[160];
    bool incomplete; /* the error is that the text ended */
};
enum parse_result { PARSE_COMMAND, PARSE_EMPTY /* a blank line */, PARSE_END, PARSE_ERROR };
/* The next complete command (up to its newline) of the source. */
enum parse_result shell_parse(struct shell_source *source, struct script *script, struct node **out);

bool shell_is_name(const char *text, size_t length);

#endif
