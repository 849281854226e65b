#include "progress_fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define CLUSTER "5c0e8c1e-6d53-4c4e-9c0a-0f3c5a2f7b11"

static char data[] = "{\"big\":9007199254740993,\"text\":\"a \\\"quoted\\\" 词\",\"list\":[1,2.5,null,true]}";
static char choice[] = "b";

static const struct {
    struct progress_key key;
    struct progress_step step;
} steps[] = {
    {{CLUSTER, "learn", "nginx", "create"}, {PROGRESS_PASSED, data, NULL, 2, true, 1700000000000, 1700000060000}},
    {{CLUSTER, "learn", "nginx", "scale"}, {PROGRESS_STARTED, NULL, choice, 0, false, 1700000070000, 0}},
    {{CLUSTER, "", "init-containers", "look"}, {PROGRESS_PASSED, NULL, NULL, 0, false, 1700000080000, 1700000090000}},
};
enum { STEPS = sizeof steps / sizeof *steps };

void progress_fill(struct progress *progress)
{
    for (int i = 0; i < STEPS; i++)
        assert_true(progress_put(progress, &steps[i].key, &steps[i].step, NULL));
    assert_true(progress_ledger_add(progress, CLUSTER, "nginx", "deployments.apps", "learn", "my-nginx", "uid-1", NULL));
    assert_true(progress_ledger_add(progress, CLUSTER, "nginx", "customresourcedefinitions.apiextensions.k8s.io", "", "caches.ex.io", "uid-2", NULL));
    assert_true(progress_set_fact(progress, "", "last-lesson", "nginx/scale", NULL));
    assert_true(progress_set_fact(progress, CLUSTER, "namespace", "learn", NULL));
}

static void same(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

static const struct ledger_entry *entry(const struct vec *found, const char *uid)
{
    for (size_t i = 0; i < found->length; i++) {
        const struct ledger_entry *one = found->items[i];
        if (strcmp(one->uid, uid) == 0)
            return one;
    }
    fail_msg("%s is not in the ledger", uid);
    return NULL;
}

void progress_filled(struct progress *progress)
{
    for (int i = 0; i < STEPS; i++) {
        struct progress_step step;
        assert_true(progress_get(progress, &steps[i].key, &step, NULL));
        assert_int_equal(step.state, steps[i].step.state);
        same(step.state_json, steps[i].step.state_json);
        same(step.choice, steps[i].step.choice);
        assert_int_equal(step.hints_shown, steps[i].step.hints_shown);
        assert_int_equal(step.solved, steps[i].step.solved);
        assert_int_equal(step.started_ms, steps[i].step.started_ms);
        assert_int_equal(step.passed_ms, steps[i].step.passed_ms);
        progress_step_free(&step);
    }
    assert_int_equal(progress_passed_anywhere(progress, "nginx"), 1);
    struct vec found;
    assert_true(progress_ledger_list(progress, CLUSTER, "nginx", &found, NULL));
    assert_int_equal(found.length, 2);
    assert_string_equal(entry(&found, "uid-1")->resource, "deployments.apps");
    assert_string_equal(entry(&found, "uid-1")->ns, "learn");
    assert_string_equal(entry(&found, "uid-1")->name, "my-nginx");
    assert_string_equal(entry(&found, "uid-2")->ns, "");
    vec_free(&found);
    char *last = progress_fact(progress, "", "last-lesson"), *ns = progress_fact(progress, CLUSTER, "namespace");
    same(last, "nginx/scale");
    same(ns, "learn");
    mem_free(last);
    mem_free(ns);
}
