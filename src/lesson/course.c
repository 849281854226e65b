#include "lesson/course.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bind/bind.h"
#include "data/value.h"

enum { COURSE_CHAPTERS = 50, COURSE_LESSONS = 200 };

static void free_chapter(void *item)
{
    struct course_chapter *chapter = item;
    if (chapter == NULL)
        return;
    mem_free(chapter->id);
    both_free(&chapter->title);
    vec_free(&chapter->lessons);
    mem_free(chapter);
}

void course_free(struct course *course)
{
    if (course == NULL)
        return;
    mem_free(course->folder);
    both_free(&course->title);
    vec_free(&course->chapters);
    mem_free(course);
}

static bool read_both(struct both *both, const struct value *v)
{
    const char *en = value_find_text(v, "en", NULL), *zh = value_find_text(v, "zh", NULL);
    both->en = en != NULL ? mem_string(en) : NULL;
    both->zh = zh != NULL ? mem_string(zh) : NULL;
    return both->en != NULL && both->zh != NULL;
}

static bool read_chapter(struct course *course, const struct value *v, struct error *err)
{
    const char *id = value_find_text(v, "id", NULL);
    struct course_chapter *chapter = mem_zero(1, sizeof *chapter);
    if (chapter == NULL)
        return error_memory(err);
    chapter->lessons = vec_make(COURSE_LESSONS, mem_free);
    chapter->id = mem_string(id != NULL ? id : "");
    bool titled = read_both(&chapter->title, value_get(v, "title"));
    bool kept = chapter->id != NULL && vec_push(&course->chapters, chapter);
    if (!kept)
        return error_set(err, ERROR_LIMIT, "course.lua", "the course has too many chapters");
    if (id == NULL || !titled)
        return error_set(err, ERROR_INPUT, "course.lua", "every chapter has an id and a title = t { en =, zh = }%s%s", id != NULL ? ", not so " : "", id != NULL ? id : "");
    for (const struct value *lesson = value_first(value_get(v, "lessons")); lesson != NULL; lesson = value_next(lesson)) {
        const char *name = value_text(lesson);
        if (name == NULL || course_chapter_of(course, name) != NULL)
            return error_set(err, ERROR_INPUT, "course.lua", "chapter %s: lessons are different texts, %s is not", id, name != NULL ? name : "something");
        if (!vec_push_string(&chapter->lessons, name))
            return error_memory(err);
    }
    return true;
}

static struct course *read_course(const char *folder, const struct value *v, struct error *err)
{
    const char *type = value_find_text(v, "$type", NULL);
    if (type == NULL || strcmp(type, "course") != 0) {
        error_set(err, ERROR_INPUT, "course.lua", "course.lua must end in: return course { … }");
        return NULL;
    }
    struct course *course = mem_zero(1, sizeof *course);
    if (course == NULL) {
        error_memory(err);
        return NULL;
    }
    course->chapters = vec_make(COURSE_CHAPTERS, free_chapter);
    course->folder = mem_string(folder);
    bool ok = course->folder != NULL || error_memory(err);
    if (ok && !read_both(&course->title, value_get(v, "title")))
        ok = error_set(err, ERROR_INPUT, "course.lua", "the course has a title = t { en =, zh = }");
    for (const struct value *chapter = value_first(value_get(v, "chapters")); ok && chapter != NULL; chapter = value_next(chapter))
        ok = read_chapter(course, chapter, err);
    if (ok)
        return course;
    course_free(course);
    return NULL;
}

struct course *course_load(struct loop *loop, const char *folder, struct error *err)
{
    struct script *script = script_new(loop, folder, NULL, err);
    struct bind *bind = script != NULL ? bind_new(script, &(struct bind_options){0}, err) : NULL;
    struct value *v = bind != NULL ? bind_load(bind, "course.lua", err) : NULL;
    struct course *course = v != NULL ? read_course(folder, v, err) : NULL;
    value_free(v);
    bind_free(bind);
    script_free(script);
    return course;
}

const struct course_chapter *course_chapter_of(const struct course *course, const char *lesson)
{
    for (size_t i = 0; i < course->chapters.length; i++)
        if (vec_has_string(&((const struct course_chapter *)course->chapters.items[i])->lessons, lesson))
            return course->chapters.items[i];
    return NULL;
}

const char *course_next(const struct course *course, const char *lesson)
{
    bool take = false;
    for (size_t i = 0; i < course->chapters.length; i++) {
        const struct course_chapter *chapter = course->chapters.items[i];
        for (size_t j = 0; j < chapter->lessons.length; j++) {
            if (take)
                return chapter->lessons.items[j];
            take = strcmp(chapter->lessons.items[j], lesson) == 0;
        }
    }
    return NULL;
}

/* Levenshtein's distance, of short names, up to `most`. */
static size_t distance(const char *a, const char *b, size_t most)
{
    size_t row[64], length = strlen(b);
    if (length >= sizeof row / sizeof *row)
        return most + 1;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]), least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[length];
}

const char *course_near(const struct course *course, const char *lesson)
{
    const char *best = NULL;
    size_t most = strlen(lesson) / 3 + 1;
    for (size_t i = 0; i < course->chapters.length; i++) {
        const struct course_chapter *chapter = course->chapters.items[i];
        for (size_t j = 0; j < chapter->lessons.length; j++) {
            size_t far = distance(lesson, chapter->lessons.items[j], most);
            if (far <= most) {
                most = far;
                best = chapter->lessons.items[j];
            }
        }
    }
    return best;
}
