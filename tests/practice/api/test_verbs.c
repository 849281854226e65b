/* The cases of verbs/: what a real server answered, asked of ours (see record-verbs for their form). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "steps.h"
#include "verbs_world.h"

static const char *const masked[][2] = {{"uid", "<uid>"},
                                        {"resourceVersion", "<version>"},
                                        {"creationTimestamp", "<time>"},
                                        {"deletionTimestamp", "<time>"},
                                        {"time", "<time>"},
                                        {"lastTransitionTime", "<time>"},
                                        {"lastUpdateTime", "<time>"},
                                        {"controller-uid", "<uid>"},
                                        {"batch.kubernetes.io/controller-uid", "<uid>"}};

static bool is_uid(const char *text)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == '-' ? text[i] != '-' : text[i] == '\0' || strchr("0123456789abcdef", text[i]) == NULL)
            return false;
    return true;
}

static char *mask_text(const char *text)
{
    static const char token[] = "kube-api-access-";
    struct buf out = buf_make(CASE);
    while (*text != '\0') {
        if (is_uid(text)) {
            buf_append_string(&out, "<uid>");
            text += 36;
        } else if (strncmp(text, token, sizeof token - 1) == 0 && strlen(text) >= sizeof token - 1 + 5) {
            buf_append_string(&out, "kube-api-access-<random>");
            text += sizeof token - 1 + 5;
        } else {
            buf_append(&out, text++, 1);
        }
    }
    return buf_take(&out, NULL);
}

/* What differs from one run to the next is masked, as the recorder does it. Gives a new document. */
static struct value *mask(const struct value *v, const char *key)
{
    if (value_type(v) == VALUE_STRING) {
        for (size_t i = 0; key != NULL && i < sizeof masked / sizeof *masked; i++)
            if (strcmp(key, masked[i][0]) == 0 && value_text(v)[0] != '\0')
                return value_string(masked[i][1]);
        char *text = mask_text(value_text(v));
        struct value *made = value_string(text);
        mem_free(text);
        return made;
    }
    if (value_type(v) != VALUE_OBJECT && value_type(v) != VALUE_ARRAY)
        return value_copy(v);
    bool is_object = value_type(v) == VALUE_OBJECT;
    struct value *made = is_object ? value_object() : value_array();
    const char *prefix = value_find_text(v, "generateName", NULL), *name = value_find_text(v, "name", NULL);
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        if (is_object)
            assert_true(value_set(made, value_key(entry), mask(entry, value_key(entry))));
        else
            assert_true(value_append(made, mask(entry, key)));
    }
    if (prefix != NULL && name != NULL && strncmp(name, prefix, strlen(prefix)) == 0) {
        char *random = mem_printf("%s<random>", prefix);
        assert_true(value_set(made, "name", value_string(random)));
        mem_free(random);
    }
    return made;
}

/* Entries of managedFields stand by their times, which are masked: here they stand by what they say. */
static int compare_entries(const void *a, const void *b)
{
    char *x = json_text(a, CASE), *y = json_text(b, CASE);
    int order = strcmp(x, y);
    mem_free(x);
    mem_free(y);
    return order;
}

static void sort_managers(struct value *document)
{
    struct value *list = value_find(document, "metadata", "managedFields", NULL);
    struct vec entries = vec_make(1000, NULL);
    for (struct value *entry = value_first(list); entry != NULL; entry = value_first(list))
        assert_true(vec_push(&entries, value_take(list, entry)));
    vec_sort(&entries, compare_entries);
    for (size_t i = 0; i < entries.length; i++)
        assert_true(value_append(list, entries.items[i]));
    vec_free(&entries);
}

/* $uid and $version are those of the answer before. */
static char *fill_in(const char *text, const char *uid, const char *version)
{
    struct buf out = buf_make(CASE);
    if (text == NULL)
        return NULL;
    while (*text != '\0') {
        if (strncmp(text, "$uid", 4) == 0) {
            buf_append_string(&out, uid);
            text += 4;
        } else if (strncmp(text, "$version", 8) == 0) {
            buf_append_string(&out, version);
            text += 8;
        } else {
            buf_append(&out, text++, 1);
        }
    }
    return buf_take(&out, NULL);
}

struct last {
    char uid[64], version[32];
};

/* Where two documents are not the same, one line each. */
static void show_differences(const char *path, const struct value *wanted, const struct value *got)
{
    if (wanted != NULL && got != NULL && value_equal(wanted, got))
        return;
    enum value_type type = value_type(wanted);
    if (type != value_type(got) || (type != VALUE_OBJECT && type != VALUE_ARRAY) ||
        (type == VALUE_ARRAY && value_length(wanted) != value_length(got))) {
        char *want = wanted != NULL ? json_text(wanted, CASE) : NULL, *have = got != NULL ? json_text(got, CASE) : NULL;
        fprintf(stderr, "  %s: wanted %s\n  %*s  but got %s\n", path, want != NULL ? want : "nothing", (int)strlen(path), "",
                have != NULL ? have : "nothing");
        mem_free(want);
        mem_free(have);
        return;
    }
    size_t index = 0;
    for (const struct value *entry = value_first(wanted); entry != NULL; entry = value_next(entry), index++) {
        char *below = type == VALUE_OBJECT ? mem_printf("%s.%s", path, value_key(entry)) : mem_printf("%s[%zu]", path, index);
        show_differences(below, entry, type == VALUE_OBJECT ? value_get(got, value_key(entry)) : value_item(got, index));
        mem_free(below);
    }
    for (const struct value *entry = type == VALUE_OBJECT ? value_first(got) : NULL; entry != NULL; entry = value_next(entry))
        if (value_get(wanted, value_key(entry)) == NULL) {
            char *below = mem_printf("%s.%s", path, value_key(entry));
            show_differences(below, NULL, entry);
            mem_free(below);
        }
}

static bool check_version(const struct step *step, const struct value *document, struct last *last)
{
    const char *version = value_find_text(document, "metadata", "resourceVersion", NULL), *uid = value_find_text(document, "metadata", "uid", NULL);
    const char *kind = value_find_text(document, "kind", NULL);
    size_t length = kind != NULL ? strlen(kind) : 0;
    if (version == NULL || kind == NULL || strcmp(kind, "Status") == 0 || (length > 4 && strcmp(kind + length - 4, "List") == 0))
        return true;
    bool same = strcmp(version, last->version) == 0;
    if (step->version != 0 && same != (step->version == 's'))
        return steps_differ(step, "version", step->version == 's' ? last->version : "a new one", version);
    snprintf(last->uid, sizeof last->uid, "%s", uid != NULL ? uid : "");
    snprintf(last->version, sizeof last->version, "%s", version);
    return true;
}

static bool run_step(struct world *world, const struct step *step, struct last *last)
{
    struct reply reply;
    char *body = fill_in(step->body, last->uid, last->version), *path = fill_in(step->path, last->uid, last->version);
    char code[16], other[16];
    assert_true(world_ask(world, step->method, path, step->type, body, &reply));
    mem_free(body);
    mem_free(path);
    struct value *wanted = json_parse(step->answer, strlen(step->answer), step->file, NULL), *got = mask(reply.document, NULL);
    assert_non_null(wanted);
    sort_managers(wanted);
    sort_managers(got);
    bool fine = reply.code == step->code && value_equal(wanted, got);
    snprintf(code, sizeof code, "%d", step->code);
    snprintf(other, sizeof other, "%d", reply.code);
    if (!fine) {
        steps_differ(step, "code", code, other);
        show_differences("", wanted, got);
    }
    fine = steps_same_warnings(step, &reply.warnings) && fine;
    fine = check_version(step, reply.document, last) && fine;
    value_free(wanted);
    value_free(got);
    reply_free(&reply);
    return fine;
}

static bool run_case(const char *file, const struct vec *steps)
{
    struct world world;
    struct last last = {"", ""};
    char ns[256];
    snprintf(ns, sizeof ns, "kt-verbs-%.*s", (int)(strlen(file) - strlen(".case")), file);
    assert_true(world_open(&world));
    assert_true(world_namespace(&world, "default"));
    assert_true(world_namespace(&world, ns));
    bool fine = true;
    for (size_t i = 0; i < steps->length; i++)
        fine = run_step(&world, steps->items[i], &last) && fine;
    world_close(&world);
    return fine;
}

static void answers_are_those_of_a_real_server(void **state)
{
    (void)state;
    steps_run_folder("verbs", run_case);
}

int test_verbs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_those_of_a_real_server)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
