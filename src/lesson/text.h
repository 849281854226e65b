/* text.h: a lesson's words in one language (en.md, zh.md), taken apart (docs/lesson-format.md, "Text").
 */
#ifndef KT_LESSON_TEXT_H
#define KT_LESSON_TEXT_H

#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"

enum block_kind {
    BLOCK_PROSE,   /* Markdown */
    BLOCK_RUN,     /* ```sh run: commands that the learner can send to the shell */
    BLOCK_FILE,    /* ```yaml file=nginx.yaml: content offered as a file; `id` is the name */
    BLOCK_HINT,
    BLOCK_WHY,
    BLOCK_SOURCE,
    BLOCK_CHOICE,  /* `id` */
    BLOCK_BECAUSE, /* `id` */
    BLOCK_NOTE,
};
struct text_block {
    enum block_kind kind;
    char *id;   /* "" where the kind has none */
    char *text; /* Markdown without the `> ` marks, or the fenced lines; {{names}} not yet filled in */
    int line;   /* in the file, from 1 */
};
struct text_step {
    char *id, *heading;
    struct vec blocks; /* of struct text_block, in order */
    int line;
};
struct lesson_text {
    char *title, *opening;
    struct vec steps; /* of struct text_step */
};

/* Errors are ERROR_INPUT with where "lessons/nginx/zh.md:12". At most 256 KiB. The caller frees. */
struct lesson_text *lesson_text_parse(const char *text, size_t length, const char *name, struct error *err) __attribute__((warn_unused_result));
void lesson_text_free(struct lesson_text *text);
const struct text_step *lesson_text_step(const struct lesson_text *text, const char *id);
/* The nth (from 0) block of a kind, with this id if id is not NULL; NULL: none. */
const struct text_block *text_step_block(const struct text_step *step, enum block_kind kind, const char *id, size_t nth);

/* Fills {{name}} (and {{a.b}}) from a state; unknown names stay as they are. The caller frees; NULL: no memory. */
struct value;
char *lesson_fill(const char *text, const struct value *state) __attribute__((warn_unused_result));

#endif
