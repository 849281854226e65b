/* lint.c: looks at one lesson as an author would be glad to have it looked at, without a cluster. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "lesson/lint.h"

enum { LINT_FINDINGS = 1000, LINT_FILE = 256 << 10, LINT_MESSAGE = 512 };

void lint_finding_free(struct lint_finding *finding)
{
    if (finding == NULL)
        return;
    mem_free(finding->where);
    mem_free(finding->message);
    mem_free(finding);
}

static void free_finding(void *item)
{
    lint_finding_free(item);
}

static void add(struct lint *lint, bool is_error, char *where, const char *message)
{
    struct lint_finding *finding = mem_zero(1, sizeof *finding);
    if (finding == NULL || where == NULL || (finding->message = mem_string(message)) == NULL) {
        lint->no_memory = true;
        mem_free(where);
        lint_finding_free(finding);
        return;
    }
    finding->is_error = is_error;
    finding->where = where;
    if (lint->findings->length == LINT_FINDINGS)
        lint_finding_free(finding); /* nobody reads more than a thousand */
    else if (!vec_push(lint->findings, finding))
        lint->no_memory = true;
}

static char *place(const struct lint *lint, const char *file, int line)
{
    return line > 0 ? mem_printf("%s/%s:%d", lint->id, file, line) : mem_printf("%s/%s", lint->id, file);
}

void lint_error(struct lint *lint, const char *file, int line, const char *format, ...)
{
    char message[LINT_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add(lint, true, place(lint, file, line), message);
}

void lint_advise(struct lint *lint, const char *file, int line, const char *format, ...)
{
    char message[LINT_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add(lint, false, place(lint, file, line), message);
}

/* What the loader says, with the place taken out of the sentence where it is there twice. */
static void add_load_error(struct lint *lint, const struct error *error)
{
    size_t length = strlen(error->where);
    const char *message = error->message;
    if (length > 0 && strncmp(message, error->where, length) == 0) {
        message += length;
        while (*message == ':' || *message == ' ' || (*message >= '0' && *message <= '9'))
            message++;
    }
    char *where = length > 0 ? mem_string(error->where) : mem_printf("%s/lesson.lua", lint->id);
    const char *line = error->message + length; /* the place with its line, where only the sentence has it */
    if (where != NULL && length > 0 && message != error->message && *line == ':' && line[1] >= '0' && line[1] <= '9') {
        mem_free(where);
        where = mem_string_n(error->message, length + 1 + strspn(line + 1, "0123456789"));
    }
    add(lint, true, where, message);
}

static void read_texts(struct lint *lint)
{
    for (int lang = 0; lang < 2; lang++) {
        char name[128], path[16];
        size_t length = 0;
        snprintf(path, sizeof path, "%s.md", lang_name((enum lang)lang));
        snprintf(name, sizeof name, "%s/%s", lint->id, path);
        lint->words[lang] = file_read_below(lint->folder, path, LINT_FILE, &length, NULL);
        if (lint->words[lang] != NULL)
            lint->text[lang] = lesson_text_parse(lint->words[lang], length, name, NULL); /* loading has said why not */
    }
}

static bool valid_since(const char *since)
{
    return since == NULL || (strncmp(since, "1.", 2) == 0 && since[2] != '\0' && since[2 + strspn(since + 2, "0123456789")] == '\0');
}

/* The fields of lesson.lua that loading takes as they are. */
static void lint_head(struct lint *lint)
{
    const struct lesson *lesson = lint->lesson;
    if (!valid_since(lesson->since))
        lint_error(lint, "lesson.lua", 0, "since = \"%s\" is no version: \"1.29\"", lesson->since);
    for (size_t i = 0; i < lesson->steps.length; i++) {
        const struct lesson_step *step = lesson->steps.items[i];
        if (!valid_since(step->since))
            lint_error(lint, "lesson.lua", step->line, "step \"%s\": since = \"%s\" is no version: \"1.29\"", step->id, step->since);
        if (step->check != 0 && step->solve == 0 && !step->observe)
            lint_error(lint, "lesson.lua", step->line, "step \"%s\" has a check and no solve, so that nothing proves that it can be passed", step->id);
        if (step->check != 0 && step->mutants.length == 0)
            lint_advise(lint, "lesson.lua", step->line, "step \"%s\" has no mutants: what wrong states must its check refuse?", step->id);
    }
    for (size_t i = 0; i < lesson->after.length; i++) {
        char *other = mem_printf("%s/%s/lesson.lua", lint->pack, (const char *)lesson->after.items[i]);
        if (other == NULL)
            lint->no_memory = true;
        else if (!file_exists(other))
            lint_error(lint, "lesson.lua", 0, "after names \"%s\", which is no lesson of this pack", (const char *)lesson->after.items[i]);
        mem_free(other);
    }
    const struct course_chapter *chapter = lint->course != NULL ? course_chapter_of(lint->course, lesson->id) : NULL;
    if (lint->course != NULL && chapter == NULL)
        lint_advise(lint, "lesson.lua", 0, "course.lua does not name this lesson, so that nobody finds it");
    else if (chapter != NULL && strcmp(chapter->id, lesson->chapter) != 0)
        lint_error(lint, "lesson.lua", 0, "chapter = \"%s\", but course.lua has the lesson in \"%s\"", lesson->chapter, chapter->id);
}

static void free_lint(struct lint *lint)
{
    lesson_free(lint->lesson);
    course_free(lint->course);
    mem_free(lint->folder);
    mem_free(lint->source);
    mem_free(lint->glossary);
    vec_free(&lint->tokens);
    for (int lang = 0; lang < 2; lang++) {
        mem_free(lint->words[lang]);
        lesson_text_free(lint->text[lang]);
    }
}

bool lesson_lint(struct loop *loop, const char *pack, const char *id, const char *glossary, struct vec *findings, struct error *err)
{
    struct error trouble = ERROR_INIT;
    struct lint lint = {.pack = pack, .id = id, .findings = findings};
    *findings = vec_make(LINT_FINDINGS, free_finding);
    lint.folder = file_join(pack, id);
    if (lint.folder == NULL || (glossary != NULL && (lint.glossary = file_read(glossary, LINT_FILE, NULL, err)) == NULL)) {
        bool memory = lint.folder == NULL;
        free_lint(&lint);
        return memory ? error_memory(err) : false;
    }
    lint.lesson = lesson_load(loop, pack, id, NULL, &trouble);
    if (lint.lesson == NULL && trouble.kind == ERROR_NOT_FOUND && !file_exists(lint.folder))
        add(&lint, true, mem_string("course.lua"), trouble.message);
    else if (lint.lesson == NULL && trouble.kind != ERROR_MEMORY)
        add_load_error(&lint, &trouble);
    lint.no_memory = lint.no_memory || trouble.kind == ERROR_MEMORY;
    lint.course = course_load(loop, pack, NULL);
    lint.source = file_read_below(lint.folder, "lesson.lua", LINT_FILE, NULL, NULL);
    read_texts(&lint);
    if (!lint_read_lua(&lint))
        lint.no_memory = true;
    if (lint.lesson != NULL && !lint.no_memory) {
        lint_head(&lint);
        lint_steps(&lint);
        lint_files(&lint);
    }
    if (!lint.no_memory) {
        lint_lua(&lint);
        lint_words(&lint);
    }
    bool ok = !lint.no_memory;
    free_lint(&lint);
    return ok || error_memory(err);
}
