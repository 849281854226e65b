/* cmd_list.c: the course and its texts, without a cluster. */
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "text/safe.h"

static struct value *both_value(const char *en, const char *zh)
{
    struct value *v = value_object();
    bool ok = v != NULL && value_set(v, "en", value_string(en != NULL ? en : "")) && value_set(v, "zh", value_string(zh != NULL ? zh : ""));
    if (ok)
        return v;
    value_free(v);
    return NULL;
}

static bool add_lesson(struct app *app, struct value *list, const struct lesson *lesson)
{
    struct value *v = value_object(), *steps = value_array();
    int passed = progress_passed_anywhere(app->progress, lesson->id);
    bool ok = v != NULL && steps != NULL;
    for (size_t i = 0; ok && i < lesson->steps.length; i++)
        ok = value_append(steps, value_string(((const struct lesson_step *)lesson->steps.items[i])->id));
    ok = ok && value_set(v, "id", value_string(lesson->id)) && value_set(v, "title", both_value(lesson->text[LANG_EN]->title, lesson->text[LANG_ZH]->title)) &&
         value_set(v, "level", value_string(lesson->level)) && value_set(v, "minutes", value_int(lesson->minutes)) && value_set(v, "steps", steps) &&
         value_set(v, "passed", value_int(passed));
    return value_append(list, v) && ok;
}

static void print_chapter(const struct course_chapter *chapter, bool first)
{
    struct safe_text title = safe_string(both_text(&chapter->title));
    printf("%s%s\n", first ? "" : "\n", title.bytes != NULL ? title.bytes : "");
    safe_free(&title);
}

static void print_lesson(struct app *app, const struct lesson *lesson)
{
    const char *green = app->colour_out ? "\033[32m" : "", *off = app->colour_out ? "\033[0m" : "";
    int passed = progress_passed_anywhere(app->progress, lesson->id), steps = (int)lesson->steps.length;
    struct safe_text title = safe_string(lesson->text[lang_get()]->title);
    printf("  %s%s%s %-20s %2d %s  %d/%d  %s\n", passed >= steps ? green : "", passed >= steps ? "✓" : passed > 0 ? "▸" : " ", passed >= steps ? off : "", lesson->id,
           lesson->minutes, _("min"), passed < steps ? passed : steps, steps, title.bytes != NULL ? title.bytes : "");
    safe_free(&title);
}

int command_list(struct app *app)
{
    struct error err = ERROR_INIT;
    const char *format = app->values[OPTION_OUTPUT];
    bool json = format != NULL && strcmp(format, "json") == 0, names = format != NULL && strcmp(format, "names") == 0;
    if (format != NULL && !json && !names && strcmp(format, "text") != 0) {
        fprintf(stderr, "kubetutor: %s\n", _("list can write -o text, json or names"));
        return EXIT_USAGE;
    }
    if (!app_course(app, &err))
        return say_error(app, &err);
    struct value *all = value_object(), *chapters = value_array();
    int code = EXIT_OK;
    for (size_t i = 0; i < app->course->chapters.length; i++) {
        const struct course_chapter *chapter = app->course->chapters.items[i];
        struct value *c = value_object(), *lessons = value_array();
        if (!json && !names)
            print_chapter(chapter, i == 0);
        for (size_t j = 0; j < chapter->lessons.length; j++) {
            struct lesson *lesson = lesson_load(app->loop, app->pack, chapter->lessons.items[j], NULL, &err);
            if (lesson == NULL) {
                code = say_error(app, &err);
                code = code == EXIT_USAGE ? EXIT_LESSON : code;
                continue;
            }
            if (names)
                printf("%s\n", lesson->id);
            else if (!json)
                print_lesson(app, lesson);
            else if (!add_lesson(app, lessons, lesson))
                error_memory(&err);
            lesson_free(lesson);
        }
        bool ok = value_set(c, "id", value_string(chapter->id)) && value_set(c, "title", both_value(chapter->title.en, chapter->title.zh));
        if (!value_set(c, "lessons", lessons) || !ok || !value_append(chapters, c))
            error_memory(&err);
    }
    if (!value_set(all, "version", value_int(1)) || !value_set(all, "chapters", chapters) || err.kind == ERROR_MEMORY)
        code = say_error(app, &err);
    else if (json) {
        struct buf out = buf_make(16 << 20);
        json_print(all, true, &out);
        if (buf_ok(&out))
            printf("%s\n", out.bytes);
        buf_free(&out);
    }
    value_free(all);
    return code;
}

/* ---- show ---- */

static void show_step(const struct app *app, const struct text_step *step)
{
    struct buf out = buf_make(1 << 20);
    bool in_list = false;
    buf_printf(&out, "## %s\n\n", step->heading);
    for (size_t i = 0; i < step->blocks.length; i++) {
        const struct text_block *block = step->blocks.items[i];
        if (in_list && block->kind != BLOCK_CHOICE)
            buf_append_string(&out, "\n"); /* else what follows would be of the last choice */
        in_list = block->kind == BLOCK_CHOICE;
        switch (block->kind) {
        case BLOCK_PROSE:
            buf_printf(&out, "%s\n\n", block->text);
            break;
        case BLOCK_RUN:
            buf_printf(&out, "```\n%s```\n\n", block->text);
            break;
        case BLOCK_FILE:
            buf_printf(&out, "%s:\n\n```\n%s```\n\n", block->id, block->text);
            break;
        case BLOCK_CHOICE:
            buf_printf(&out, "- %s\n", block->text);
            break;
        default: /* hints and answers would spoil it */
            break;
        }
    }
    if (buf_ok(&out))
        print_markdown(app, out.bytes, false);
    buf_free(&out);
}

int command_show(struct app *app)
{
    struct error err = ERROR_INIT;
    struct lesson_name name = {0};
    int code = EXIT_OK, only = -1;
    if (!lesson_name_parse(app->arguments.items[0], &name))
        error_memory(&err);
    struct lesson *lesson = err.kind == ERROR_NONE ? app_lesson(app, name.lesson, &err) : NULL;
    if (lesson != NULL && name.step != NULL)
        only = app_step(lesson, name.step, &err);
    if (err.kind != ERROR_NONE)
        code = say_error(app, &err);
    else {
        const struct lesson_text *text = lesson->text[lang_get()];
        if (only < 0) {
            struct buf head = buf_make(1 << 20);
            buf_printf(&head, "# %s\n\n%s\n", text->title, text->opening);
            if (buf_ok(&head))
                print_markdown(app, head.bytes, false);
            buf_free(&head);
        }
        for (size_t i = 0; i < lesson->steps.length; i++)
            if (only < 0 || only == (int)i) {
                const struct lesson_step *step = lesson->steps.items[i];
                printf("\n");
                show_step(app, step->text[lang_get()]);
            }
    }
    lesson_free(lesson);
    lesson_name_free(&name);
    return code;
}
