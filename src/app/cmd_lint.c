/* cmd_lint.c: for authors: faults of lessons, and a skeleton of a new one. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "text/safe.h"

enum { SKELETON_FILE = 64 << 10 };

struct linting {
    struct app *app;
    char *pack, *glossary;
    unsigned long lessons, errors, warnings;
};

/* ---- lint ---- */

static void say_finding(struct linting *linting, bool is_error, const char *where, const char *message)
{
    struct safe_text pack = safe_string(linting->pack), place = safe_string(where), words = safe_string(message);
    linting->errors += is_error;
    linting->warnings += !is_error;
    printf("%s/%s: %s%s\n", pack.bytes != NULL ? pack.bytes : "", place.bytes != NULL ? place.bytes : "", is_error ? "" : "warning: ", words.bytes != NULL ? words.bytes : "");
    safe_free(&pack);
    safe_free(&place);
    safe_free(&words);
}

/* The name of a work folder that something else needs. */
static bool is_taken(const char *lesson)
{
    return strcmp(lesson, "shell") == 0;
}

static bool lint_lesson(struct linting *linting, const char *lesson, struct error *err)
{
    struct vec findings;
    bool ok = lesson_lint(linting->app->loop, linting->pack, lesson, linting->glossary, &findings, err);
    for (size_t i = 0; i < findings.length; i++) {
        const struct lint_finding *finding = findings.items[i];
        say_finding(linting, finding->is_error, finding->where, finding->message);
    }
    vec_free(&findings);
    if (is_taken(lesson))
        say_finding(linting, true, lesson, _("a lesson cannot be called \"shell\": ~/kubetutor/shell is the learner's shell"));
    linting->lessons++;
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Every folder with a lesson.lua, also one that course.lua forgot. */
static bool lint_pack(struct linting *linting, struct error *err)
{
    struct vec lessons = vec_make(1000, mem_free);
    DIR *folder = opendir(linting->pack);
    bool ok = folder != NULL || error_set(err, ERROR_USAGE, NULL, _("there is no folder %s"), linting->pack);
    for (struct dirent *entry; ok && folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *lesson = mem_printf("%s/%s/lesson.lua", linting->pack, entry->d_name);
        ok = lesson != NULL && (entry->d_name[0] == '.' || !file_exists(lesson) || vec_push_string(&lessons, entry->d_name));
        mem_free(lesson);
        if (!ok)
            error_memory(err);
    }
    if (folder != NULL)
        closedir(folder);
    struct error trouble = ERROR_INIT;
    struct course *course = ok ? course_load(linting->app->loop, linting->pack, &trouble) : NULL;
    if (ok && course == NULL)
        say_finding(linting, true, trouble.where[0] != '\0' ? trouble.where : "course.lua", trouble.message);
    for (size_t i = 0; course != NULL && ok && i < course->chapters.length; i++) {
        const struct course_chapter *chapter = course->chapters.items[i];
        for (size_t j = 0; j < chapter->lessons.length && ok; j++)
            ok = vec_has_string(&lessons, chapter->lessons.items[j]) || vec_push_string(&lessons, chapter->lessons.items[j]) || error_memory(err);
    }
    course_free(course);
    vec_sort(&lessons, by_name);
    for (size_t i = 0; i < lessons.length && ok && !linting->app->interrupted; i++)
        ok = lint_lesson(linting, lessons.items[i], err);
    vec_free(&lessons);
    return ok;
}

/* The path of our glossary, NULL where the program's data is not at hand. */
static char *find_glossary(void)
{
    char *data = find_data_folder(NULL), *path = data != NULL ? mem_printf("%s/assets/glossary.tsv", data) : NULL;
    mem_free(data);
    if (path != NULL && file_exists(path))
        return path;
    mem_free(path);
    return NULL;
}

/* Below the working folder paths are shown from it, as compilers do. */
static char *shown_path(const char *path)
{
    char here[4096];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t skip = getcwd(here, sizeof here) != NULL && strncmp(path, here, strlen(here)) == 0 && path[strlen(here)] == '/' ? strlen(here) + 1 : 0;
    return mem_string_n(path + skip, length - skip);
}

int command_lint(struct app *app)
{
    struct error err = ERROR_INIT;
    struct linting linting = {.app = app, .glossary = find_glossary()};
    linting.pack = shown_path(app->arguments.length > 0 ? app->arguments.items[0] : app->pack);
    char *single = linting.pack != NULL ? mem_printf("%s/lesson.lua", linting.pack) : NULL;
    char *slash = linting.pack != NULL ? strrchr(linting.pack, '/') : NULL;
    bool ok;
    if (single == NULL)
        ok = error_memory(&err);
    else if (slash != NULL && slash != linting.pack && file_exists(single)) { /* one lesson's folder */
        *slash = '\0';
        ok = lint_lesson(&linting, slash + 1, &err);
    } else
        ok = lint_pack(&linting, &err);
    mem_free(single);
    mem_free(linting.pack);
    mem_free(linting.glossary);
    if (!ok)
        return say_error(app, &err);
    fprintf(stderr, _("kubetutor: lessons: %lu, errors: %lu, warnings: %lu\n"), linting.lessons, linting.errors, linting.warnings);
    return linting.errors > 0 ? EXIT_FAILED : EXIT_OK;
}

/* ---- new ---- */

struct skeleton {
    const char *from; /* assets/skeleton */
    const char *lesson, *chapter;
};

/* Copies one file of the skeleton with its placeholders filled in; never over another. */
static bool write_skeleton(const struct skeleton *skeleton, const char *name, const char *to, struct error *err)
{
    char *text = file_read_below(skeleton->from, name, SKELETON_FILE, NULL, err);
    struct buf out = buf_make(2 * SKELETON_FILE);
    const struct {
        const char *mark, *value;
    } fills[] = {{"@LESSON@", skeleton->lesson}, {"@CHAPTER@", skeleton->chapter}};
    for (const char *at = text; at != NULL && *at != '\0';) {
        size_t taken = 0;
        for (size_t i = 0; i < 2 && taken == 0; i++)
            if (strncmp(at, fills[i].mark, strlen(fills[i].mark)) == 0) {
                buf_append_string(&out, fills[i].value);
                taken = strlen(fills[i].mark);
            }
        if (taken == 0)
            buf_append(&out, at, 1);
        at += taken > 0 ? taken : 1;
    }
    bool ok = text != NULL && ((buf_ok(&out) && out.bytes != NULL) || error_memory(err));
    if (ok && file_exists(to))
        ok = error_set(err, ERROR_EXISTS, to, _("%s is there already; nothing was overwritten"), to);
    ok = ok && file_write(to, out.bytes, out.length, 0644, err);
    mem_free(text);
    buf_free(&out);
    return ok;
}

static bool make_lesson(const struct skeleton *skeleton, const char *folder, struct error *err)
{
    static const char *const names[] = {"lesson.lua", "en.md", "zh.md", "files/greeting.yaml"};
    char *files = mem_printf("%s/files", folder);
    bool ok = (files != NULL || error_memory(err)) && file_make_folder(files, 0755, err);
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        char *to = mem_printf("%s/%s", folder, names[i]);
        ok = to != NULL ? write_skeleton(skeleton, names[i], to, err) : error_memory(err);
        if (ok)
            print_safe(stdout, _("made %s\n"), to);
        mem_free(to);
    }
    mem_free(files);
    return ok;
}

/* The chapter of a new lesson: the last one of a course that is there. *course_file is made if there is none. */
static bool make_in_pack(struct app *app, const char *pack, struct skeleton *skeleton, const char *folder, struct error *err)
{
    char *course_file = mem_printf("%s/course.lua", pack);
    bool fresh = course_file != NULL && !file_exists(course_file);
    struct course *course = course_file != NULL && !fresh ? course_load(app->loop, pack, err) : NULL;
    const struct course_chapter *last = course != NULL && course->chapters.length > 0 ? course->chapters.items[course->chapters.length - 1] : NULL;
    bool ok = course_file != NULL ? fresh || course != NULL : error_memory(err);
    skeleton->chapter = last != NULL ? last->id : "first-steps";
    ok = ok && make_lesson(skeleton, folder, err) && (!fresh || write_skeleton(skeleton, "course.lua", course_file, err));
    if (ok && fresh)
        print_safe(stdout, _("made %s\n"), course_file);
    else if (ok) {
        char *text = mem_printf(_("Now name \"%s\" among the lessons of chapter %s in %s."), skeleton->lesson, skeleton->chapter, course_file);
        print_safe(stdout, "%s\n", text != NULL ? text : "");
        mem_free(text);
    }
    course_free(course);
    mem_free(course_file);
    return ok;
}

int command_new(struct app *app)
{
    struct error err = ERROR_INIT;
    const char *path = app->arguments.items[0], *slash = strrchr(path, '/'), *lesson = slash != NULL ? slash + 1 : path;
    if (slash == NULL || slash == path || *lesson == '\0')
        return say_usage(_("new wants PACK/LESSON, a folder of lessons and the new one's name; not %s"), path);
    if (lesson[strspn(lesson, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0' || strlen(lesson) > 63)
        return say_usage(_("a lesson's name is made of small letters, digits and -, not %s"), lesson);
    if (is_taken(lesson))
        return say_usage(_("a lesson cannot be called \"%s\": ~/kubetutor/shell is the learner's shell"), lesson);
    if (file_exists(path))
        return say_usage(_("%s is there already; nothing was overwritten"), path);
    char *data = find_data_folder(&err), *from = data != NULL ? mem_printf("%s/assets/skeleton", data) : NULL, *pack = mem_string_n(path, (size_t)(slash - path));
    struct skeleton skeleton = {.from = from, .lesson = lesson};
    bool ok = data != NULL && ((from != NULL && pack != NULL) || error_memory(&err)) && make_in_pack(app, pack, &skeleton, path, &err);
    mem_free(data);
    mem_free(from);
    mem_free(pack);
    return ok ? EXIT_OK : say_error(app, &err);
}
