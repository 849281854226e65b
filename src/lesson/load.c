/* load.c: one lesson from its folder: lesson.lua and its two texts, with exact words about what is wrong where. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "bind/bind.h"
#include "data/value.h"
#include "lesson/course.h"

enum { LESSON_STEPS = 50, LESSON_LIST = 50, LESSON_TEXT = 256 << 10 };

static void free_mutant(void *item)
{
    struct lesson_mutant *mutant = item;
    if (mutant != NULL)
        mem_free(mutant->name);
    mem_free(mutant);
}

static void free_step(void *item)
{
    struct lesson_step *step = item;
    if (step == NULL)
        return;
    mem_free(step->id);
    mem_free(step->since);
    mem_free(step->answer);
    vec_free(&step->choices);
    vec_free(&step->mutants);
    mem_free(step);
}

void lesson_free(struct lesson *lesson)
{
    if (lesson == NULL)
        return;
    mem_free(lesson->id);
    mem_free(lesson->folder);
    mem_free(lesson->chapter);
    mem_free(lesson->level);
    mem_free(lesson->since);
    vec_free(&lesson->after);
    vec_free(&lesson->needs);
    vec_free(&lesson->images);
    vec_free(&lesson->steps);
    for (int i = 0; i < 2; i++)
        lesson_text_free(lesson->text[i]);
    bind_free(lesson->bind);
    script_free(lesson->script);
    mem_free(lesson);
}

/* ---- reading the table ---- */

struct reader {
    const char *file; /* "nginx/lesson.lua" */
    int line;         /* of the step or the lesson, 0: unknown */
    const char *step; /* its id, or NULL */
    struct error *err;
};

static bool fault(const struct reader *r, const char *format, const char *a, const char *b)
{
    char where[192], message[400];
    snprintf(where, sizeof where, r->line > 0 ? "%s:%d" : "%s", r->file, r->line);
    snprintf(message, sizeof message, format, a, b);
    if (r->step != NULL)
        return error_set(r->err, ERROR_INPUT, where, "step \"%s\": %s", r->step, message);
    return error_set(r->err, ERROR_INPUT, where, "%s", message);
}

static bool known_keys(const struct reader *r, const struct value *table, const char *const *known)
{
    for (const struct value *entry = value_first(table); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        bool found = false;
        for (size_t i = 0; known[i] != NULL && !found; i++)
            found = key != NULL && strcmp(known[i], key) == 0;
        if (!found && (key == NULL || key[0] != '$'))
            return fault(r, "unknown field \"%s\"%s", key != NULL ? key : "1", "");
    }
    return true;
}

static bool read_text(const struct reader *r, const struct value *table, const char *key, bool needed, char **into)
{
    const struct value *v = value_get(table, key);
    if (v == NULL)
        return !needed || fault(r, "%s is missing%s", key, "");
    if (value_text(v) == NULL)
        return fault(r, "%s must be a text%s", key, "");
    *into = mem_string(value_text(v));
    return *into != NULL || error_memory(r->err);
}

static bool read_list(const struct reader *r, const struct value *table, const char *key, struct vec *into)
{
    const struct value *v = value_get(table, key);
    if (value_type(v) == VALUE_OBJECT && value_first(v) == NULL)
        return true; /* {} */
    if (v != NULL && value_type(v) != VALUE_ARRAY)
        return fault(r, "%s must be a list of texts%s", key, "");
    for (const struct value *item = value_first(v); item != NULL; item = value_next(item)) {
        if (value_text(item) == NULL)
            return fault(r, "%s must be a list of texts%s", key, "");
        if (!vec_push_string(into, value_text(item)))
            return fault(r, "%s has too many entries%s", key, "");
    }
    return true;
}

static bool read_function(const struct reader *r, const struct value *table, const char *key, int *into)
{
    const struct value *v = value_get(table, key);
    *into = (int)value_find_int(v, 0, "$function", NULL);
    return v == NULL || *into != 0 || fault(r, "%s must be a function%s", key, "");
}

static bool read_question(const struct reader *r, const struct value *table, struct lesson_step *step)
{
    static const char *const known[] = {"choices", "answer", NULL};
    const struct value *ask = value_get(table, "ask");
    if (ask == NULL)
        return true;
    if (value_type(ask) != VALUE_OBJECT)
        return fault(r, "ask is { choices = { … }, answer = \"…\" }%s%s", "", "");
    if (!known_keys(r, ask, known) || !read_list(r, ask, "choices", &step->choices) || !read_text(r, ask, "answer", true, &step->answer))
        return false;
    if (step->choices.length < 2)
        return fault(r, "ask has fewer than two choices%s%s", "", "");
    return vec_has_string(&step->choices, step->answer) || fault(r, "the answer \"%s\" is not among the choices%s", step->answer, "");
}

static bool read_mutants(const struct reader *r, const struct value *table, struct lesson_step *step)
{
    for (const struct value *v = value_first(value_get(table, "mutants")); v != NULL; v = value_next(v)) {
        struct lesson_mutant *mutant = mem_zero(1, sizeof *mutant);
        if (mutant == NULL)
            return error_memory(r->err);
        mutant->name = mem_string(value_key(v) != NULL ? value_key(v) : "");
        mutant->function = (int)value_find_int(v, 0, "$function", NULL);
        bool ok = mutant->name != NULL && mutant->function != 0 && mutant->name[0] != '\0';
        if (!vec_push(&step->mutants, mutant) || !ok)
            return fault(r, "mutants are { name = function(k) … end, … }%s%s", "", "");
    }
    return true;
}

static bool read_step(struct lesson *lesson, const char *file, int line, const struct value *table, struct error *err)
{
    static const char *const known[] = {"id", "setup", "check", "verify", "invariant", "hint", "solve", "observe", "final", "since", "ask", "mutants", NULL};
    struct reader r = {.file = file, .err = err, .line = (int)value_find_int(table, line, "$line", NULL), .step = value_find_text(table, "id", NULL)};
    if (value_type(table) != VALUE_OBJECT || r.step == NULL)
        return fault(&r, "steps are made by: step \"id\" { … }%s%s", "", "");
    if (lesson_find_step(lesson, r.step) != NULL)
        return fault(&r, "there are two steps of this name%s%s", "", "");
    struct lesson_step *step = mem_zero(1, sizeof *step);
    if (step == NULL)
        return error_memory(err);
    step->choices = vec_make(LESSON_LIST, mem_free);
    step->mutants = vec_make(LESSON_LIST, free_mutant);
    step->line = r.line;
    step->id = mem_string(r.step);
    bool named = step->id != NULL;
    if (!vec_push(&lesson->steps, step) || !named)
        return fault(&r, "the lesson has too many steps%s%s", "", "");
    const struct {
        const char *key;
        int *into;
    } functions[] = {{"setup", &step->setup}, {"check", &step->check}, {"verify", &step->verify}, {"invariant", &step->invariant},
                     {"hint", &step->hint},   {"solve", &step->solve}};
    bool ok = known_keys(&r, table, known) && read_text(&r, table, "since", false, &step->since) && read_question(&r, table, step) && read_mutants(&r, table, step);
    for (size_t i = 0; ok && i < sizeof functions / sizeof *functions; i++)
        ok = read_function(&r, table, functions[i].key, functions[i].into);
    step->check_wants_state = value_find_int(table, 0, "check", "$parameters", NULL) > 1 || value_find_int(table, 0, "verify", "$parameters", NULL) > 1;
    step->observe = value_is_true(value_get(table, "observe"));
    step->final = value_is_true(value_get(table, "final"));
    if (ok && step->verify != 0 && step->check == 0)
        ok = fault(&r, "verify needs a check before it%s%s", "", "");
    return ok;
}

static bool read_lesson(struct lesson *lesson, const char *file, const struct value *table, struct error *err)
{
    static const char *const known[] = {"id", "chapter", "level", "minutes", "after", "needs", "since", "scope", "images", "steps", "cleanup", NULL};
    struct reader r = {.file = file, .err = err, .line = (int)value_find_int(table, 0, "$line", NULL)};
    const char *type = value_find_text(table, "$type", NULL), *id = value_find_text(table, "id", NULL), *scope = value_find_text(table, "scope", NULL);
    if (type == NULL || strcmp(type, "lesson") != 0)
        return fault(&r, "the file must end in: return lesson { … }%s%s", "", "");
    if (id == NULL || strcmp(id, lesson->id) != 0)
        return fault(&r, "the id must be the folder's name, \"%s\", not \"%s\"", lesson->id, id != NULL ? id : "");
    bool ok = known_keys(&r, table, known) && read_text(&r, table, "chapter", true, &lesson->chapter) && read_text(&r, table, "level", true, &lesson->level) &&
              read_text(&r, table, "since", false, &lesson->since) && read_list(&r, table, "after", &lesson->after) &&
              read_list(&r, table, "needs", &lesson->needs) && read_list(&r, table, "images", &lesson->images) &&
              read_function(&r, table, "cleanup", &lesson->cleanup);
    lesson->minutes = (int)value_find_int(table, 0, "minutes", NULL);
    lesson->cluster_scope = scope != NULL && strcmp(scope, "cluster") == 0;
    if (ok && lesson->minutes <= 0)
        ok = fault(&r, "minutes is missing%s%s", "", "");
    for (const struct value *step = value_first(value_get(table, "steps")); ok && step != NULL; step = value_next(step))
        ok = read_step(lesson, file, r.line, step, err);
    return ok && (lesson->steps.length > 0 || fault(&r, "the lesson has no steps%s%s", "", ""));
}

/* ---- the texts ---- */

static bool read_words(struct lesson *lesson, const char *pack, enum lang lang, struct error *err)
{
    char path[256];
    size_t length;
    snprintf(path, sizeof path, "%s/%s.md", lesson->id, lang_name(lang));
    char *bytes = file_read_below(pack, path, LESSON_TEXT, &length, err);
    if (bytes == NULL)
        return false;
    lesson->text[lang] = lesson_text_parse(bytes, length, path, err);
    mem_free(bytes);
    if (lesson->text[lang] == NULL)
        return false;
    for (size_t i = 0; i < lesson->steps.length; i++) {
        struct lesson_step *step = lesson->steps.items[i];
        step->text[lang] = lesson_text_step(lesson->text[lang], step->id);
        if (step->text[lang] == NULL)
            return error_set(err, ERROR_INPUT, path, "the step \"%s\" of lesson.lua:%d has no text: ## {#%s} Heading", step->id, step->line, step->id);
        for (size_t j = 0; j < step->choices.length; j++)
            if (text_step_block(step->text[lang], BLOCK_CHOICE, step->choices.items[j], 0) == NULL)
                return error_set(err, ERROR_INPUT, path, "step \"%s\" has no text for the choice \"%s\": > choice %s", step->id,
                                 (const char *)step->choices.items[j], (const char *)step->choices.items[j]);
    }
    for (size_t i = 0; i < lesson->text[lang]->steps.length; i++) {
        const struct text_step *step = lesson->text[lang]->steps.items[i];
        if (lesson_find_step(lesson, step->id) == NULL) {
            char where[192];
            snprintf(where, sizeof where, "%.160s:%d", path, step->line);
            return error_set(err, ERROR_INPUT, where, "lesson.lua has no step \"%s\"", step->id);
        }
    }
    return true;
}

static bool valid_id(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return length > 0 && length <= 63 && id[length] == '\0';
}

struct lesson *lesson_load(struct loop *loop, const char *pack, const char *id, const struct lesson_world *world, struct error *err)
{
    char file[128];
    static const struct lesson_world nowhere = {0};
    if (!valid_id(id)) {
        error_set(err, ERROR_NOT_FOUND, NULL, "\"%s\" cannot be the name of a lesson", id);
        return NULL;
    }
    struct lesson *lesson = mem_zero(1, sizeof *lesson);
    if (lesson == NULL) {
        error_memory(err);
        return NULL;
    }
    if (world == NULL)
        world = &nowhere;
    snprintf(file, sizeof file, "%s/lesson.lua", id);
    lesson->after = vec_make(LESSON_LIST, mem_free);
    lesson->needs = vec_make(LESSON_LIST, mem_free);
    lesson->images = vec_make(LESSON_LIST, mem_free);
    lesson->steps = vec_make(LESSON_STEPS, free_step);
    lesson->id = mem_string(id);
    lesson->folder = file_join(pack, id);
    struct bind_options options = {.client = world->client, .ns = world->ns, .user = world->user, .lesson = id, .folder = lesson->folder,
                                   .work_folder = world->work_folder, .trusted = world->trusted};
    struct value *table = NULL;
    bool ok = (lesson->id != NULL && lesson->folder != NULL) || error_memory(err);
    bool there = ok && file_exists(lesson->folder);
    if (ok && !there)
        ok = error_set(err, ERROR_NOT_FOUND, pack, "there is no lesson \"%s\"", id);
    ok = ok && (lesson->script = script_new(loop, pack, NULL, err)) != NULL && (lesson->bind = bind_new(lesson->script, &options, err)) != NULL &&
         (table = bind_load(lesson->bind, file, err)) != NULL && read_lesson(lesson, file, table, err) && read_words(lesson, pack, LANG_EN, err) &&
         read_words(lesson, pack, LANG_ZH, err);
    value_free(table);
    if (ok)
        return lesson;
    if (err != NULL && there && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_DENIED)) /* a file of the lesson: it is faulty */
        err->kind = ERROR_INPUT;
    lesson_free(lesson);
    return NULL;
}

struct lesson_step *lesson_find_step(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->steps.length; i++)
        if (strcmp(((struct lesson_step *)lesson->steps.items[i])->id, id) == 0)
            return lesson->steps.items[i];
    return NULL;
}

int lesson_final_step(const struct lesson *lesson, int after)
{
    int last = -1;
    bool marked = false;
    for (size_t i = 0; i < lesson->steps.length; i++) {
        const struct lesson_step *step = lesson->steps.items[i];
        marked = marked || step->final;
        if (step->final && (int)i > after)
            return (int)i;
        if (step->check != 0)
            last = (int)i;
    }
    return !marked && last > after ? last : -1;
}
