/* Every file of cases/ is a lesson's function and what must come of it. Lines of it say how it is run:
 *     -- mode: check | verify | do
 *     -- put: {...}                      an object more, beside those of world.yaml
 *     -- fault: METHOD PATH CODE         METHOD may be *
 *     -- answer: METHOD PATH CODE BODY   one answer of the server's
 *     -- state: {...}                    the step's state
 *     -- expect: LINE                    at the end of the file: what ran_describe (support.h) says, line by line; and "sent METHOD PATH BODY" for what was written
 * The file returns { run = function(k, state) ... end }; a function `first` is run before it in the same mode. With KT_RECORD set, a file that has no
 * "expect" lines gets its own; read them.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "support.h"

#define FOLDER KT_TEST_CASES "/cases"

struct header {
    enum bind_mode mode;
    char *state;
    struct buf expected;
};

static void server_line(struct world *world, const char *line, bool fault)
{
    char method[16], path[300];
    int code, used = 0;
    assert_true(sscanf(line, "%15s %299s %d %n", method, path, &code, &used) >= 3);
    const char *wanted = method[0] == '*' ? NULL : strcmp(method, "GET") == 0 ? "GET" : strcmp(method, "POST") == 0 ? "POST" : strcmp(method, "PATCH") == 0 ? "PATCH" : "DELETE";
    if (fault)
        fake_break(world->fake, wanted, path, code);
    else
        server_answer(fake_server(world->fake), wanted, path, code, NULL, line + used);
}

static void header_line(struct world *world, struct header *header, const char *word, const char *rest)
{
    if (strcmp(word, "mode") == 0)
        header->mode = strcmp(rest, "check") == 0 ? BIND_CHECK : strcmp(rest, "verify") == 0 ? BIND_VERIFY : BIND_DO;
    else if (strcmp(word, "put") == 0)
        fake_put(world->fake, rest);
    else if (strcmp(word, "fault") == 0 || strcmp(word, "answer") == 0)
        server_line(world, rest, word[0] == 'f');
    else if (strcmp(word, "state") == 0)
        header->state = mem_string(rest);
    else if (strcmp(word, "expect") == 0)
        buf_printf(&header->expected, "%s\n", rest);
    else
        fail_msg("what is \"%s\"?", word);
}

static void read_header(struct world *world, struct header *header, const char *source)
{
    for (; source[0] != '\0'; source += strcspn(source, "\n") + 1) {
        if (strncmp(source, "-- ", 3) != 0)
            continue;
        char *line = mem_string_n(source + 3, strcspn(source + 3, "\n"));
        size_t length = strcspn(line, ":");
        assert_true(line[length] == ':');
        line[length] = '\0';
        header_line(world, header, line, line + length + 1 + (line[length + 1] == ' '));
        mem_free(line);
    }
}

static void record(const char *path, const char *source, const struct buf *got)
{
    struct buf out = buf_make(1 << 20);
    buf_append_string(&out, source);
    for (const char *line = got->bytes; *line != '\0'; line = strchr(line, '\n') + 1)
        buf_printf(&out, "-- expect: %.*s\n", (int)strcspn(line, "\n"), line);
    assert_true(file_write(path, out.bytes, out.length, 0644, NULL));
    buf_free(&out);
}

/* The fake's port is another one each time. */
static void hide_port(char *text)
{
    for (char *at = text; (at = strstr(at, "127.0.0.1:")) != NULL;) {
        at += strlen("127.0.0.1:");
        size_t digits = strspn(at, "0123456789");
        memmove(at + 1, at + digits, strlen(at + digits) + 1);
        *at = 'N';
    }
}

static bool run_case(const char *name)
{
    struct world world;
    struct header header = {.expected = buf_make(1 << 20)};
    struct buf got = buf_make(1 << 20);
    char *path = mem_printf("%s/%s", FOLDER, name);
    char *source = file_read(path, 1 << 20, NULL, NULL);
    struct ran ran;
    assert_non_null(source);
    world_start(&world);
    read_header(&world, &header, source);
    world_load(&world, name, NULL);
    if (world_function(&world, "first") != 0) {
        ran_start(&ran, &world, "first", header.mode, header.state);
        ran_wait(&ran);
        ran_forget(&ran);
    }
    ran_start(&ran, &world, "run", header.mode, header.state);
    ran_wait(&ran);
    ran_describe(&ran, &got);
    hide_port(got.bytes);
    for (const char *line = fake_writes(world.fake); *line != '\0'; line = strchr(line, '\n') + 1)
        buf_printf(&got, "sent %.*s\n", (int)strcspn(line, "\n"), line);
    ran_forget(&ran);
    bool good = header.expected.length > 0 && strcmp(got.bytes, header.expected.bytes) == 0;
    if (!good && header.expected.length == 0 && getenv("KT_RECORD") != NULL)
        record(path, source, &got);
    else if (!good)
        print_error("%s: expected\n%sgot\n%s", name, header.expected.bytes != NULL ? header.expected.bytes : "", got.bytes);
    world_end(&world);
    buf_free(&got);
    buf_free(&header.expected);
    mem_free(header.state);
    mem_free(source);
    mem_free(path);
    return good;
}

static void every_case_ends_as_it_says(void **state)
{
    (void)state;
    int count = 0, bad = 0;
    const char *only = getenv("KT_ONLY");
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".lua") != 0 || (only != NULL && strstr(entry->d_name, only) == NULL))
            continue;
        if (getenv("UNDER_VALGRIND") != NULL && strcmp(entry->d_name, "endless_loop.lua") == 0)
            continue; /* fifty million steps take longer there than a script may work */
        bad += !run_case(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_int_equal(bad, 0);
    assert_true(only != NULL || count >= 60);
}

int test_cases(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case_ends_as_it_says)};
    return cmocka_run_group_tests_name("bind/cases", tests, NULL, NULL);
}
