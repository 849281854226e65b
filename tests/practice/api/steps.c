#include "steps.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

enum { STEPS = 1000, WARNINGS = 100 };

static void free_step(void *item)
{
    struct step *step = item;
    mem_free(step->who);
    mem_free(step->method);
    mem_free(step->path);
    mem_free(step->type);
    mem_free(step->body);
    mem_free(step->answer);
    vec_free(&step->warnings);
    mem_free(step);
}

static char *join(char *to, const char *line)
{
    char *joined = to == NULL ? mem_string(line) : mem_printf("%s\n%s", to, line);
    mem_free(to);
    return joined;
}

static struct step *parse_request(const char *line, const char *who)
{
    char method[16] = "", path[1024] = "", type[128] = "";
    struct step *step = mem_zero(1, sizeof *step);
    assert_non_null(step);
    assert_true(sscanf(line, "> %15s %1023s %127s", method, path, type) >= 2);
    step->who = who != NULL ? mem_string(who) : NULL;
    step->method = mem_string(method);
    step->path = mem_string(path);
    step->type = type[0] != '\0' ? mem_string(type) : NULL;
    step->warnings = vec_make(WARNINGS, mem_free);
    return step;
}

static void parse_answer(struct step *step, const char *line)
{
    static const char warning[] = "< Warning: ";
    if (strncmp(line, warning, sizeof warning - 1) == 0) {
        assert_true(vec_push_string(&step->warnings, line + sizeof warning - 1));
        return;
    }
    step->code = atoi(line + 2);
    step->version = strstr(line, " same") != NULL ? 's' : strstr(line, " new") != NULL ? 'n' : '\0';
    assert_int_not_equal(step->code, 0);
}

static struct vec parse_case(const char *file, char *text)
{
    struct vec steps = vec_make(STEPS, free_step);
    struct step *step = NULL;
    const char *who = NULL;
    for (char *line = text, *next = NULL; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if (line[0] == '@') {
            who = line + 1;
        } else if (strncmp(line, "> ", 2) == 0) {
            step = parse_request(line, who);
            who = NULL;
            step->file = file;
            step->number = steps.length + 1;
            assert_true(vec_push(&steps, step));
        } else if (strncmp(line, "< ", 2) == 0) {
            parse_answer(step, line);
        } else if (step->code != 0) {
            step->answer = join(step->answer, line);
        } else {
            step->body = join(step->body, line);
        }
    }
    return steps;
}

static bool run_file(const char *folder, const char *file, bool (*run)(const char *file, const struct vec *steps))
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", KT_TEST_CASES, folder, file);
    char *text = file_read(path, CASE, NULL, NULL);
    assert_non_null(text);
    struct vec steps = parse_case(file, text);
    assert_true(steps.length > 0);
    for (size_t i = 0; i < steps.length; i++)
        assert_non_null(((const struct step *)steps.items[i])->answer);
    bool fine = run(file, &steps);
    vec_free(&steps);
    mem_free(text);
    return fine;
}

void steps_run_folder(const char *folder, bool (*run)(const char *file, const struct vec *steps))
{
    char path[1024];
    const char *only = getenv("KT_CASE");
    snprintf(path, sizeof path, "%s/%s", KT_TEST_CASES, folder);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    size_t count = 0, failed = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".case") != 0 || (only != NULL && strcmp(entry->d_name, only) != 0))
            continue;
        count++;
        failed += !run_file(folder, entry->d_name, run);
    }
    closedir(directory);
    assert_true(count > 0);
    assert_int_equal(failed, 0);
}

/* cmocka's own printing ends after a kilobyte. */
bool steps_differ(const struct step *step, const char *what, const char *wanted, const char *got)
{
    fprintf(stderr, "%s, step %zu: %s %s\n  body %s\n  %s, wanted: %s\n  but got: %s\n", step->file, step->number, step->method, step->path,
            step->body != NULL ? step->body : "-", what, wanted, got);
    return false;
}

bool steps_same_warnings(const struct step *step, const struct vec *warnings)
{
    bool same = true;
    for (size_t i = 0; i < step->warnings.length || i < warnings->length; i++) {
        const char *wanted = i < step->warnings.length ? step->warnings.items[i] : "none", *got = i < warnings->length ? warnings->items[i] : "none";
        if (strcmp(wanted, got) != 0)
            same = steps_differ(step, "warning", wanted, got);
    }
    return same;
}
