/* Scripts whose output a real busybox ash gave (record.py), run in containers of ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "world.h"

struct script {
    char *name, *text, *out, *err;
    int code;
};

/* The text between two marks, each at a line's start; the first is passed. */
static char *between(char **at, const char *end)
{
    char *start = *at, *stop = strncmp(start, end + 1, strlen(end + 1)) == 0 ? start : strstr(start, end);
    assert_non_null(stop);
    size_t length = (size_t)(stop - start) + (*stop == '\n');
    *at = stop + strlen(end) - (*stop != '\n');
    return mem_string_n(start, length);
}

static bool next_script(char **at, struct script *script)
{
    char *start = strncmp(*at, "=== ", 4) == 0 ? *at : strstr(*at, "\n=== ");
    if (!start)
        return false;
    start += *start == '\n';
    char *end = strchr(start, '\n');
    script->name = mem_string_n(start + 4, (size_t)(end - start) - 4);
    *at = end + 1;
    script->text = between(at, "\n--- stdout\n");
    script->out = between(at, "\n--- stderr\n");
    script->err = between(at, "\n--- code ");
    script->code = atoi(*at);
    *at = strchr(*at, '\n');
    return true;
}

/* An output that does not end with a line's end was written down with one and a mark. */
static void mark_end(char **text)
{
    size_t length = strlen(*text);
    if (length == 0 || (*text)[length - 1] == '\n')
        return;
    char *marked = mem_printf("%s\n(no newline)\n", *text);
    mem_free(*text);
    *text = marked;
}

static bool run_script(const struct script *script, const char *file, bool verbose)
{
    struct world world;
    struct box_run run;
    struct vec command;
    world_open(&world);
    struct runtime_container_config config = world_config(script->text, &command);
    world_start(&world, &run, &config);
    assert_false(run.failed);
    world_wait(&run);
    char *out = world_log(&run, RUNTIME_STDOUT), *err = world_log(&run, RUNTIME_STDERR);
    mark_end(&out);
    bool same = strcmp(out, script->out) == 0 && strcmp(err, script->err) == 0 && run.end.code == script->code;
    if (!same)
        print_message("%s: %s\n", file, script->name);
    if (!same && verbose)
        print_message("%s--- theirs (%d)\n%s%s--- ours (%d)\n%s%s\n", script->text, script->code, script->out, script->err, run.end.code, out, err);
    mem_free(out);
    mem_free(err);
    vec_free(&command);
    world.runtime.ops->container_free(run.container);
    world_close(&world);
    return same;
}

static void run_folder(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", KT_TEST_CASES, folder);
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort), wrong = 0, all = 0;
    const char *only = getenv("KT_CASE");
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]->d_name);
        if (length > 5 && strcmp(names[i]->d_name + length - 5, ".case") == 0) {
            snprintf(path, sizeof path, "%s/%s/%s", KT_TEST_CASES, folder, names[i]->d_name);
            char *text = file_read(path, 1 << 20, NULL, NULL), *at = text;
            assert_non_null(text);
            struct script script;
            while (next_script(&at, &script)) {
                if (!only || strstr(script.name, only)) {
                    wrong += !run_script(&script, names[i]->d_name, true);
                    all++;
                }
                mem_free(script.name);
                mem_free(script.text);
                mem_free(script.out);
                mem_free(script.err);
            }
            mem_free(text);
        }
        free(names[i]);
    }
    free(names);
    if (wrong > 0)
        fail_msg("%d of %d scripts say something else", wrong, all);
}

static void the_shell_does_what_ash_does(void **state)
{
    (void)state;
    run_folder("shell");
}

static void programs_do_what_busybox_does(void **state)
{
    (void)state;
    run_folder("applets");
}

int test_cases(void);
int test_cases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shell_does_what_ash_does),
        cmocka_unit_test(programs_do_what_busybox_does),
    };
    return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
