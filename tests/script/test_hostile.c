/* Every file of hostile/ is run twice, as a file and in a task, and must end as its first line says, in less than two seconds of processor time:
 *     -- expect: ok
 *     -- expect: error ~ "text that WHERE: MESSAGE holds"
 *     -- expect: limit ~ "the same, and the kind is ERROR_LIMIT"
 * A second line "-- memory: BYTES" lowers the cap. Only files whose name holds KT_ONLY are run if that is set; KT_VERBOSE shows each outcome.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>

#include "base/file.h"
#include "base/mem.h"
#include "script/script.h"

#define FOLDER KT_TEST_CASES "/hostile"

struct outcome {
    bool done;
    struct error error; /* kind ERROR_NONE: it went well */
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void note(void *data, struct lua_State *lua, int count, const struct error *error)
{
    struct outcome *outcome = data;
    (void)lua;
    (void)count;
    assert_false(outcome->done);
    outcome->done = true;
    if (error != NULL)
        outcome->error = *error;
}

static struct error run_as_file(const char *name, const struct script_limits *limits)
{
    struct error err = ERROR_INIT;
    struct script *script = script_new(NULL, FOLDER, limits, &err);
    assert_non_null(script);
    if (script_run_file(script, name, &err))
        lua_pop(script_lua(script), 1);
    assert_int_equal(lua_gettop(script_lua(script)), 0);
    script_free(script);
    return err;
}

static struct error run_as_task(const char *name, const struct script_limits *limits)
{
    static const char start[] = "return function(name) require(name) end";
    struct outcome outcome = {.error = ERROR_INIT};
    struct script *script = script_new(NULL, FOLDER, limits, NULL);
    assert_true(script_run_text(script, start, strlen(start), "start.lua", NULL));
    int id = script_keep(script);
    assert_true(id > 0);
    lua_pushlstring(script_lua(script), name, strlen(name) - strlen(".lua"));
    script_start(script, id, 1, note, &outcome, NULL);
    assert_true(outcome.done);
    assert_int_equal(lua_gettop(script_lua(script)), 0);
    script_free(script);
    return outcome.error;
}

/* True if the outcome is what the first line of the file asks for. */
static bool is_expected(const char *line, const struct error *err)
{
    char text[1024], wanted[256] = "";
    snprintf(text, sizeof text, "%s: %s", err->where, err->message);
    const char *quote = strstr(line, "~ \"");
    if (quote != NULL)
        snprintf(wanted, sizeof wanted, "%.*s", (int)(strcspn(quote, "\n") - strlen("~ \"") - 1), quote + strlen("~ \""));
    if (strncmp(line, "-- expect: ok\n", 14) == 0)
        return err->kind == ERROR_NONE;
    if (strncmp(line, "-- expect: limit", 16) == 0)
        return err->kind == ERROR_LIMIT && strstr(text, wanted) != NULL;
    return strncmp(line, "-- expect: error ~ \"", 20) == 0 && err->kind != ERROR_NONE && strstr(text, wanted) != NULL;
}

static bool run_one(const char *name)
{
    char path[512];
    bool good = true;
    snprintf(path, sizeof path, FOLDER "/%s", name);
    char *text = file_read(path, 1 << 20, NULL, NULL);
    assert_non_null(text);
    struct script_limits limits = {0};
    const char *memory = strstr(text, "\n-- memory: ");
    if (memory != NULL)
        limits.memory = strtoul(memory + strlen("\n-- memory: "), NULL, 10);
    for (int as_task = 0; as_task < 2; as_task++) {
        double begin = processor_seconds();
        struct error err = as_task ? run_as_task(name, &limits) : run_as_file(name, &limits);
        double took = processor_seconds() - begin;
        if (getenv("KT_VERBOSE") != NULL)
            print_message("%-40s %.2f s  %s: %s [%s]\n", name, took, err.where, err.message, err.cause);
        if (is_expected(text, &err) && took < 2)
            continue;
        print_error("%s (%s): took %.2f s, expected %.*s, got kind %d, %s: %s\n", name, as_task ? "task" : "file", took,
                    (int)strcspn(text, "\n"), text, (int)err.kind, err.where, err.message);
        good = false;
    }
    mem_free(text);
    return good;
}

static void every_hostile_file_ends_as_it_should(void **state)
{
    (void)state;
    struct dirent **names;
    int count = scandir(FOLDER, &names, NULL, alphasort), seen = 0, bad = 0;
    const char *only = getenv("KT_ONLY");
    for (int i = 0; i < count; i++) {
        const char *end = strrchr(names[i]->d_name, '.');
        if (end != NULL && strcmp(end, ".lua") == 0 && (only == NULL || strstr(names[i]->d_name, only) != NULL)) {
            seen++;
            bad += !run_one(names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    assert_true(seen > (only == NULL ? 80 : 0));
    assert_int_equal(bad, 0);
}

int test_hostile(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hostile_file_ends_as_it_should),
    };
    return cmocka_run_group_tests_name("script/hostile", tests, NULL, NULL);
}
