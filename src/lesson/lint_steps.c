/* lint_steps.c: the blocks of each step: both languages alike, nothing unused, hints from vague to exact. */
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "lesson/lint.h"

static const char *const kind_names[] = {
    [BLOCK_PROSE] = "prose", [BLOCK_RUN] = "sh run", [BLOCK_FILE] = "file",       [BLOCK_HINT] = "hint", [BLOCK_WHY] = "why",
    [BLOCK_SOURCE] = "source", [BLOCK_CHOICE] = "choice", [BLOCK_BECAUSE] = "because", [BLOCK_NOTE] = "note",
};
static const char *const files[] = {"en.md", "zh.md"};

static size_t count(const struct text_step *step, enum block_kind kind)
{
    size_t n = 0;
    while (text_step_block(step, kind, NULL, n) != NULL)
        n++;
    return n;
}

/* ---- both languages alike ---- */

static void lint_order(struct lint *lint, int lang)
{
    const struct vec *said = &lint->lesson->text[lang]->steps;
    for (size_t i = 0; i < said->length && i < lint->lesson->steps.length; i++) {
        const struct text_step *step = said->items[i];
        const struct lesson_step *wanted = lint->lesson->steps.items[i];
        if (strcmp(step->id, wanted->id) != 0) {
            lint_error(lint, files[lang], step->line, "step \"%s\" stands where lesson.lua has \"%s\"", step->id, wanted->id);
            return;
        }
    }
}

static void lint_alike(struct lint *lint, const struct lesson_step *step)
{
    static const enum block_kind kinds[] = {BLOCK_RUN, BLOCK_FILE, BLOCK_HINT, BLOCK_WHY, BLOCK_SOURCE, BLOCK_NOTE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t en = count(step->text[LANG_EN], kinds[i]), zh = count(step->text[LANG_ZH], kinds[i]);
        if (en != zh)
            lint_error(lint, "zh.md", step->text[LANG_ZH]->line, "step \"%s\" has %zu block(s) of kind %s, en.md has %zu", step->id, zh, kind_names[kinds[i]], en);
    }
    size_t next = 0;
    for (size_t i = 0; i < step->text[LANG_EN]->blocks.length; i++) { /* choices, becauses and files: the same ids in the same order */
        const struct text_block *en = step->text[LANG_EN]->blocks.items[i], *zh = NULL;
        if (en->id[0] == '\0')
            continue;
        while (next < step->text[LANG_ZH]->blocks.length && zh == NULL) {
            const struct text_block *block = step->text[LANG_ZH]->blocks.items[next++];
            zh = block->id[0] != '\0' ? block : NULL;
        }
        if (zh == NULL || zh->kind != en->kind || strcmp(zh->id, en->id) != 0) {
            lint_error(lint, "zh.md", zh != NULL ? zh->line : step->text[LANG_ZH]->line, "step \"%s\": en.md:%d has %s %s here", step->id, en->line, kind_names[en->kind], en->id);
            return;
        }
    }
}

/* ---- the blocks of one language ---- */

static void lint_choices(struct lint *lint, const struct lesson_step *step, int lang)
{
    for (size_t i = 0; i < step->text[lang]->blocks.length; i++) {
        const struct text_block *block = step->text[lang]->blocks.items[i];
        bool answer = block->kind == BLOCK_CHOICE || block->kind == BLOCK_BECAUSE;
        if (answer && !vec_has_string(&step->choices, block->id))
            lint_error(lint, files[lang], block->line, "step \"%s\": %s %s is not among the choices of lesson.lua", step->id, kind_names[block->kind], block->id);
        else if (answer && text_step_block(step->text[lang], block->kind, block->id, 0) != block)
            lint_error(lint, files[lang], block->line, "step \"%s\": a second %s %s", step->id, kind_names[block->kind], block->id);
        if (block->text[strspn(block->text, " \n")] == '\0')
            lint_error(lint, files[lang], block->line, "step \"%s\": the %s block is empty", step->id, kind_names[block->kind]);
    }
    for (size_t i = 0; i < step->choices.length; i++)
        if (text_step_block(step->text[lang], BLOCK_BECAUSE, step->choices.items[i], 0) == NULL)
            lint_error(lint, files[lang], step->text[lang]->line, "step \"%s\" says nothing to whoever chose \"%s\": > because %s", step->id,
                       (const char *)step->choices.items[i], (const char *)step->choices.items[i]);
}

/* The last command among `code spans` of a text, or NULL. The caller frees. */
static char *last_command(const char *text)
{
    char *found = NULL;
    for (const char *open = strchr(text, '`'); open != NULL;) {
        const char *close = strchr(open + 1, '`');
        if (close == NULL)
            break;
        if (strncmp(open + 1, "kubectl ", 8) == 0) {
            mem_free(found);
            found = mem_string_n(open + 1, (size_t)(close - open) - 1);
        }
        open = strchr(close + 1, '`');
    }
    return found;
}

static void lint_hints(struct lint *lint, const struct lesson_step *step, int lang)
{
    size_t hints = count(step->text[lang], BLOCK_HINT);
    if (step->check != 0 && hints < 2)
        lint_error(lint, files[lang], step->text[lang]->line, "step \"%s\" has a check and %s: give two at least, from vague to exact", step->id, hints == 0 ? "no hint" : "one hint");
    if (hints < 2)
        return;
    const struct text_block *first = text_step_block(step->text[lang], BLOCK_HINT, NULL, 0), *last = text_step_block(step->text[lang], BLOCK_HINT, NULL, hints - 1);
    char *answer = last_command(last->text);
    if (answer != NULL && strstr(first->text, answer) != NULL)
        lint_error(lint, files[lang], first->line, "step \"%s\": the first hint gives the whole answer, %.80s", step->id, answer);
    mem_free(answer);
}

static void lint_step_text(struct lint *lint, const struct lesson_step *step, int lang)
{
    lint_choices(lint, step, lang);
    lint_hints(lint, step, lang);
    if (count(step->text[lang], BLOCK_SOURCE) == 0)
        lint_advise(lint, files[lang], step->text[lang]->line, "step \"%s\" names no source: > source", step->id);
    if (count(step->text[lang], BLOCK_WHY) == 0)
        lint_advise(lint, files[lang], step->text[lang]->line, "step \"%s\" has no mental model: > why", step->id);
    if (step->check == 0 && step->choices.length == 0 && count(step->text[lang], BLOCK_HINT) > 0)
        lint_error(lint, files[lang], step->text[lang]->line, "step \"%s\" has hints, and nothing to do", step->id);
}

void lint_steps(struct lint *lint)
{
    for (int lang = 0; lang < 2; lang++)
        lint_order(lint, lang);
    for (size_t i = 0; i < lint->lesson->steps.length; i++) {
        const struct lesson_step *step = lint->lesson->steps.items[i];
        lint_alike(lint, step);
        for (int lang = 0; lang < 2; lang++)
            lint_step_text(lint, step, lang);
    }
}
