/* The lesson loader on hostile lesson.lua files: no cluster, no crash, no hang, and a refusal always has words. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "lesson/course.h"
#include "loop/loop.h"

static char folder[] = "/tmp/kt-fuzz-lesson-XXXXXX";
static const char words[] = "# Title\n\nOpening.\n\n## {#a} Step a\n\nText.\n\n> choice x\n> X.\n> choice y\n> Y.\n";

static void clean(void)
{
    static const char *const files[] = {"/x/lesson.lua", "/x/en.md", "/x/zh.md"};
    char path[128];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", folder, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/x", folder);
    rmdir(path);
    rmdir(folder);
}

static void write_file(const char *name, const void *bytes, size_t length)
{
    char path[128];
    snprintf(path, sizeof path, "%s/x/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        abort();
    fwrite(bytes, 1, length, file);
    fclose(file);
}

static struct loop *prepare(void)
{
    char path[128];
    if (mkdtemp(folder) == NULL)
        abort();
    atexit(clean);
    snprintf(path, sizeof path, "%s/x", folder);
    if (!file_make_folder(path, 0700, NULL))
        abort();
    write_file("en.md", words, sizeof words - 1);
    write_file("zh.md", words, sizeof words - 1);
    return loop_new(NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct loop *loop;
    struct error err = ERROR_INIT;
    if (loop == NULL)
        loop = prepare();
    write_file("lesson.lua", bytes, length);
    struct lesson *lesson = lesson_load(loop, folder, "x", NULL, &err);
    if (lesson == NULL && (err.kind == ERROR_NONE || err.message[0] == '\0'))
        abort();
    lesson_free(lesson);
    return 0;
}
