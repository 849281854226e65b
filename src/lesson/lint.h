/* lint.h: how the files of lint share what they look at. */
#ifndef KT_LESSON_LINT_H
#define KT_LESSON_LINT_H

#include <stdbool.h>
#include <stddef.h>

#include "lesson/course.h"

/* A word of Lua source: enough to find string literals and what stands before them. */
enum lint_token_kind { LINT_NAME, LINT_STRING, LINT_SIGN };
struct lint_token {
    enum lint_token_kind kind;
    char *text; /* a string's is without quotes, escapes resolved as far as lint needs them */
    int line;
    bool in_t;  /* inside the braces of t { } */
    bool is_zh; /* part of what is given as zh = */
};

struct lint {
    const char *pack, *id;
    struct lesson *lesson; /* NULL: it does not load; then only what can be read by itself is looked at */
    struct course *course; /* NULL: the pack has none that loads */
    char *folder;
    char *source, *words[2];         /* lesson.lua, en.md and zh.md as they stand; NULL: cannot be read */
    struct lesson_text *text[2];     /* NULL: cannot be parsed */
    struct vec tokens;               /* of struct lint_token */
    char *glossary;                  /* the file's text or NULL */
    struct vec *findings;
    bool no_memory;
};

/* file: "lesson.lua", "zh.md", "files/x.yaml"; line 0: the whole file. */
void lint_error(struct lint *lint, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
void lint_advise(struct lint *lint, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- lint_lua.c ---- */
bool lint_read_lua(struct lint *lint); /* fills tokens; false: no memory */
/* Words outside t{}, a t{} without one of the languages, files that are named and are not there. */
void lint_lua(struct lint *lint);
bool lint_lua_names(const struct lint *lint, const char *text); /* a string literal is exactly this */

/* ---- lint_steps.c ---- */
void lint_steps(struct lint *lint); /* blocks, choices, hints of both languages */

/* ---- lint_words.c ---- */
void lint_words(struct lint *lint); /* walls of text, Chinese typography, glossary */
bool lint_is_han(unsigned code_point);

/* ---- lint_files.c ---- */
void lint_files(struct lint *lint); /* files/ and solution/: YAML, use, images, needs */

#endif
