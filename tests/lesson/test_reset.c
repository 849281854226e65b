/* What remains of a lesson and what does not: reset, the ledger, the tree; and judging without the flow. On the fake server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "data/value.h"
#include "support.h"

static const struct lesson_run_options open_screen = {.no_why = true, .ledger = true, .tree = true, .reset_ms = 10000, .verify_again_ms = 20};

static void until_watches(struct play *play, const char *kind, size_t least)
{
    int64_t end = clock_monotonic_ms() + 10000;
    while (fake_watches(play->fake, kind) < least && clock_monotonic_ms() < end)
        loop_once(play->loop, 100);
    assert_true(fake_watches(play->fake, kind) >= least);
}

/* Until the tree shows so many rows. */
static const struct tree_row *until_rows(struct play *play, size_t wanted)
{
    int64_t end = clock_monotonic_ms() + 10000;
    size_t count = 0;
    const struct tree_row *rows = lesson_tree(play->run, &count);
    while (count != wanted && clock_monotonic_ms() < end) {
        loop_once(play->loop, 100);
        rows = lesson_tree(play->run, &count);
    }
    assert_int_equal(count, wanted);
    return rows;
}

/* ---- reset ---- */

static void reset_removes_what_the_lesson_made_and_nothing_else(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", &open_screen);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"theirs\"}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"of-another-lesson\",\"labels\":{\"app.kubernetes.io/managed-by\":\"kubetutor\","
                        "\"kubetutor.dev/lesson\":\"other\"}}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"elsewhere\",\"namespace\":\"other\",\"labels\":{\"app.kubernetes.io/managed-by\":"
                        "\"kubetutor\",\"kubetutor.dev/lesson\":\"flow\"}}}");
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_int_equal(ended.removed, 1);
    assert_string_equal(ended.told, "configmaps/note\n");
    assert_null(fake_find(play.fake, "configmaps", "learn", "note"));
    assert_non_null(fake_find(play.fake, "configmaps", "learn", "theirs"));
    assert_non_null(fake_find(play.fake, "configmaps", "learn", "of-another-lesson"));
    assert_non_null(fake_find(play.fake, "configmaps", "other", "elsewhere"));
    assert_int_equal(fake_count(play.fake, "pods"), 3);
    struct progress_step record = {0};
    struct progress_key key = {.cluster = "cluster-uid", .ns = "learn", .lesson = "flow", .step = "paint"};
    assert_true(progress_get(play.progress, &key, &record, NULL));
    assert_int_equal(record.state, PROGRESS_NONE); /* forgotten */
    progress_step_free(&record);
    ended = play_reset(&play);
    assert_int_equal(ended.removed, 0); /* again is nothing */
    assert_int_equal(ended.error.kind, ERROR_NONE);
    play_end(&play);
}

static void what_the_learner_made_while_it_was_open_goes_too(void **state)
{
    (void)state;
    char ledger[1024];
    struct play play;
    play_start(&play, "flow", &open_screen);
    fake_put(play.fake, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"before\",\"uid\":\"d0\"}}");
    play_begin(&play, "guess", false);
    play_until_phase(&play, RUN_QUESTION);
    until_rows(&play, 5); /* three Pods, a Service, a Deployment */
    fake_put(play.fake, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"mine\",\"uid\":\"d1\"}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"mine-x\",\"ownerReferences\":[{\"uid\":\"d1\",\"controller\":true}]}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"owned-by-hand\",\"ownerReferences\":[{\"uid\":\"d1\"}]}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"kube-root-ca.crt\"}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"other\",\"namespace\":\"other\"}}");
    fake_merge(play.fake, "deployments.apps", "learn", "before", "{\"spec\":{\"replicas\":2}}"); /* changed is not made */
    until_rows(&play, 9);
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_non_null(strstr(ledger, "deployments.apps learn/mine\n"));
    assert_non_null(strstr(ledger, "pods learn/owned-by-hand\n"));
    assert_null(strstr(ledger, "before"));
    assert_null(strstr(ledger, "mine-x"));
    assert_null(strstr(ledger, "kube-root-ca"));
    assert_null(strstr(ledger, "other"));
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_int_equal(ended.removed, 2);
    assert_non_null(fake_find(play.fake, "deployments.apps", "learn", "before"));
    assert_null(fake_find(play.fake, "deployments.apps", "learn", "mine"));
    assert_null(fake_find(play.fake, "pods", "learn", "owned-by-hand"));
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_string_equal(ledger, "");
    play_end(&play);
}

static void a_pod_that_leaves_its_controller_becomes_the_lessons(void **state)
{
    (void)state;
    char ledger[1024];
    struct play play;
    play_start(&play, "flow", &open_screen);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"kept\",\"ownerReferences\":[{\"uid\":\"x\",\"controller\":true}]}}");
    play_begin(&play, "guess", false);
    play_until_phase(&play, RUN_QUESTION);
    until_rows(&play, 5);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"born\",\"ownerReferences\":[{\"uid\":\"x\",\"controller\":true}]}}");
    until_rows(&play, 6);
    fake_merge(play.fake, "pods", "learn", "born", "{\"metadata\":{\"ownerReferences\":null}}");
    fake_merge(play.fake, "pods", "learn", "kept", "{\"metadata\":{\"ownerReferences\":null}}"); /* of somebody's Deployment: theirs */
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"last\"}}");
    until_rows(&play, 7);
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_non_null(strstr(ledger, "pods learn/born\n"));
    assert_null(strstr(ledger, "kept"));
    play_end(&play);
}

static void without_the_screen_nothing_is_written_down_but_what_the_lesson_makes(void **state)
{
    (void)state;
    char ledger[1024];
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"mine\"}}");
    fake_merge(play.fake, "configmaps", "learn", "note", "{\"data\":{\"colour\":\"red\"}}");
    play_until_phase(&play, RUN_PASSED);
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_string_equal(ledger, "configmaps learn/note\n");
    play_end(&play);
}

static void an_object_that_somebody_made_anew_under_the_name_stays(void **state)
{
    (void)state;
    char ledger[1024];
    struct play play;
    play_start(&play, "flow", &open_screen);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    lesson_run_pause(play.run);
    fake_remove(play.fake, "configmaps", "learn", "note");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"note\"},\"data\":{\"of\":\"somebody\"}}");
    lesson_run_free(play.run);
    play.run = NULL;
    play_again(&play, "flow"); /* else the open lesson would count it as the learner's */
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_int_equal(ended.removed, 0);
    assert_string_equal(value_find_text(fake_find(play.fake, "configmaps", "learn", "note"), "data", "of", NULL), "somebody");
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_null(strstr(ledger, "uid"));
    play_end(&play);
}

static void a_finalizer_that_waits_is_told_when_the_time_is_over(void **state)
{
    (void)state;
    char ledger[1024];
    struct play play;
    struct lesson_run_options options = open_screen;
    options.reset_ms = 300;
    play_start(&play, "flow", &options);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    fake_merge(play.fake, "configmaps", "learn", "note", "{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}");
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_TIMEOUT);
    assert_string_equal(ended.error.message, "configmaps note is still there; its finalizers may wait for something");
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_string_equal(ledger, "configmaps learn/note\n"); /* not forgotten */
    fake_merge(play.fake, "configmaps", "learn", "note", "{\"metadata\":{\"finalizers\":null}}");
    assert_null(fake_find(play.fake, "configmaps", "learn", "note"));
    ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_string_equal(ledger, "");
    play_end(&play);
}

static void a_finalizer_that_lets_go_is_waited_for(void **state)
{
    (void)state;
    struct play play;
    struct ended ended = {0};
    play_start(&play, "flow", &open_screen);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    fake_merge(play.fake, "configmaps", "learn", "note", "{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}");
    lesson_run_reset(play.run, ended_told, ended_reset, &ended);
    while (value_find(fake_find(play.fake, "configmaps", "learn", "note"), "metadata", "deletionTimestamp", NULL) == NULL)
        loop_once(play.loop, 100);
    for (int i = 0; i < 20; i++)
        loop_once(play.loop, 5);
    assert_false(ended.done);
    fake_merge(play.fake, "configmaps", "learn", "note", "{\"metadata\":{\"finalizers\":null}}");
    play_until(&play, &ended.done);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_int_equal(ended.removed, 1);
    play_end(&play);
}

static void a_shared_kind_goes_with_its_last_user_and_what_controllers_made_is_left_to_them(void **state)
{
    (void)state;
    const char *crds = "customresourcedefinitions.apiextensions.k8s.io", *name = "widgets.demo.kubetutor.dev";
    struct play play;
    play_start(&play, "shared", &open_screen);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"left-by-the-lesson\"}}");
    play_begin(&play, "one", false);
    play_until_phase(&play, RUN_WORK);
    fake_put(play.fake, "{\"apiVersion\":\"discovery.k8s.io/v1\",\"kind\":\"EndpointSlice\",\"metadata\":{\"name\":\"s-x\",\"labels\":{\"app.kubernetes.io/managed-by\":\"kubetutor\","
                        "\"kubetutor.dev/lesson\":\"shared\"},\"ownerReferences\":[{\"kind\":\"Service\",\"uid\":\"x\",\"controller\":true}]}}");
    fake_merge(play.fake, crds, NULL, name, "{\"metadata\":{\"annotations\":{\"used-by.kubetutor.dev/bob.shared\":\"yes\"}}}");
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_null(fake_find(play.fake, "configmaps", "learn", "left-by-the-lesson")); /* the lesson's own cleanup */
    assert_null(fake_find(play.fake, name, "learn", "w"));
    assert_null(fake_find(play.fake, "services", "learn", "s"));
    assert_non_null(fake_find(play.fake, "endpointslices.discovery.k8s.io", "learn", "s-x"));
    assert_non_null(fake_find(play.fake, crds, NULL, name)); /* bob is in the middle of it */
    assert_null(value_find(fake_find(play.fake, crds, NULL, name), "metadata", "annotations", "used-by.kubetutor.dev/learn.shared", NULL));
    play_begin(&play, "one", false);
    play_until_phase(&play, RUN_WORK);
    fake_merge(play.fake, crds, NULL, name, "{\"metadata\":{\"annotations\":{\"used-by.kubetutor.dev/bob.shared\":null}}}");
    ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_null(fake_find(play.fake, crds, NULL, name));
    play_end(&play);
}

static void a_cluster_that_goes_away_in_the_middle_of_a_reset_is_told_and_nothing_forgotten(void **state)
{
    (void)state;
    char ledger[1024];
    struct play play;
    play_start(&play, "flow", &open_screen);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    fake_break(play.fake, "DELETE", "/", FAKE_RESET);
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_UNREACHABLE);
    assert_int_equal(ended.removed, 0);
    play_ledger(&play, "flow", ledger, sizeof ledger);
    assert_string_equal(ledger, "configmaps learn/note\n");
    fake_mend(play.fake);
    fake_down(play.fake);
    ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_UNREACHABLE);
    fake_mend(play.fake);
    ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    assert_null(fake_find(play.fake, "configmaps", "learn", "note"));
    play_end(&play);
}

static void a_filter_that_is_lost_removes_nothing_of_others(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"theirs\"}}");
    lesson_run_pause(play.run);
    fake_ignore_selectors(play.fake);
    struct ended ended = play_reset(&play);
    assert_string_equal(ended.told, "configmaps/note\n");
    assert_int_equal(fake_count(play.fake, "pods"), 3);
    assert_non_null(fake_find(play.fake, "configmaps", "learn", "theirs"));
    play_end(&play);
}

static void what_may_not_be_deleted_is_told(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    fake_break(play.fake, "DELETE", "/api/v1/namespaces/learn/configmaps", 403);
    struct ended ended = play_reset(&play);
    assert_int_equal(ended.error.kind, ERROR_DENIED);
    play_end(&play);
}

static void reset_can_be_left_at_any_moment_and_is_one_at_a_time(void **state)
{
    (void)state;
    for (int rounds = 0; rounds < 40; rounds += 1 + rounds / 8) {
        struct play play;
        struct ended ended = {0}, second = {0};
        play_start(&play, "shared", NULL);
        fake_put(play.fake, "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{\"name\":\"widgets.demo.kubetutor.dev\",\"labels\":"
                            "{\"app.kubernetes.io/managed-by\":\"kubetutor\"}},\"spec\":{\"group\":\"demo.kubetutor.dev\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\","
                            "\"singular\":\"widget\",\"kind\":\"Widget\"},\"versions\":[{\"name\":\"v1\"}]}}");
        play_begin(&play, "one", false);
        play_until_phase(&play, RUN_WORK);
        lesson_run_reset(play.run, ended_told, ended_reset, &ended);
        if (!ended.done) {
            lesson_run_reset(play.run, ended_told, ended_reset, &second);
            assert_int_equal(second.error.kind, ERROR_BUSY);
        }
        for (int i = 0; i < rounds; i++)
            loop_once(play.loop, 5);
        play_end(&play);
    }
}

/* ---- the tree ---- */

static void the_tree_shows_owners_before_what_they_own(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", &open_screen);
    fake_put(play.fake, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\",\"uid\":\"d1\"},\"spec\":{\"replicas\":2},\"status\":{\"readyReplicas\":1,"
                        "\"updatedReplicas\":2,\"observedGeneration\":1}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"d-x\",\"ownerReferences\":[{\"uid\":\"d1\",\"controller\":true}]},\"status\":{\"phase\":\"Pending\","
                        "\"containerStatuses\":[{\"state\":{\"waiting\":{\"reason\":\"ErrImagePull\"}}}]}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\",\"b\":\"2\"}}");
    play_begin(&play, "guess", false);
    const struct tree_row *rows = until_rows(&play, 7);
    const struct tree_row *deployment = NULL;
    for (size_t i = 0; i < 7; i++) {
        if (strcmp(rows[i].name, "d") == 0)
            deployment = &rows[i];
        if (strcmp(rows[i].name, "c") == 0)
            assert_string_equal(rows[i].summary, "2 keys");
        if (strcmp(rows[i].name, "web") == 0)
            assert_string_equal(rows[i].summary, ":80");
    }
    assert_non_null(deployment);
    assert_string_equal(deployment->kind, "Deployment");
    assert_string_equal(deployment->summary, "1/2 updating");
    assert_int_equal(deployment->health, TREE_BUSY);
    assert_int_equal(deployment->changed_ms, 0); /* as it was found */
    assert_string_equal(deployment[1].name, "d-x");
    assert_int_equal(deployment[1].depth, 1);
    assert_int_equal(deployment[1].health, TREE_BAD);
    assert_string_equal(deployment[1].summary, "Pending: ErrImagePull");
    fake_merge(play.fake, "pods", "learn", "d-x", "{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"finalizers\":[\"x\"]}}");
    for (bool going = false; !going;) {
        int before = play.objects;
        while (play.objects == before)
            loop_once(play.loop, 100);
        rows = until_rows(&play, 7);
        for (size_t i = 0; i < 7; i++)
            going = going || (strcmp(rows[i].name, "d-x") == 0 && rows[i].health == TREE_GOING && rows[i].changed_ms > 0);
    }
    fake_remove(play.fake, "deployments.apps", "learn", "d");
    rows = until_rows(&play, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(rows[i].depth, 0); /* what lost its owner stands by itself */
    play_end(&play);
}

static void owners_in_a_ring_do_not_hang_the_tree(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", &open_screen);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"r1\",\"uid\":\"r1\",\"ownerReferences\":[{\"uid\":\"r2\"}]}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"r2\",\"uid\":\"r2\",\"ownerReferences\":[{\"uid\":\"r1\"}]}}");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"r3\",\"uid\":\"r3\",\"ownerReferences\":[{\"uid\":\"r3\"}]}}");
    play_begin(&play, "guess", false);
    until_watches(&play, "pods", 1);
    size_t count = 0;
    until_rows(&play, 5); /* three Pods, a Service, and the one that owns itself */
    assert_non_null(lesson_tree(play.run, &count));
    play_end(&play);
}

/* ---- judging ---- */

static void judging_says_at_once_what_holds(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    server_answer(fake_server(play.fake), "GET", "/api/v1/namespaces/learn/services/web%3A80/proxy/", 200, NULL, "hello");
    struct verdict *verdict = play_judge(&play, "try", 0);
    assert_int_equal(verdict->outcome, OUTCOME_PASSED);
    assert_int_equal(verdict->expectations.length, 2); /* check's and verify's */
    verdict_free(verdict);
    fake_remove(play.fake, "services", "learn", "web");
    verdict = play_judge(&play, "try", 0);
    assert_int_equal(verdict->outcome, OUTCOME_FAILED);
    verdict_free(verdict);
    verdict = play_judge(&play, "wait", 0);
    assert_int_equal(verdict->outcome, OUTCOME_FAILED);
    verdict_free(verdict);
    play_end(&play);
}

static void judging_of_a_verify_that_takes_too_long_is_a_failure_not_a_fault(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    struct verdict *verdict = play_judge(&play, "wait", 0);
    assert_int_equal(verdict->outcome, OUTCOME_FAILED);
    assert_string_equal(verdict->error.message, "pods never did not become Ready in 0.05 s");
    verdict_free(verdict);
    play_end(&play);
}

static void judging_cannot_know_a_start_that_was_not_recorded(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    struct verdict *verdict = play_judge(&play, "paint", 0);
    assert_int_equal(verdict->outcome, OUTCOME_SKIPPED);
    verdict_free(verdict);
    verdict = play_judge(&play, "guess", 0);
    assert_int_equal(verdict->outcome, OUTCOME_SKIPPED);
    assert_string_equal(verdict->error.message, "the step has nothing to check");
    verdict_free(verdict);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    verdict = play_judge(&play, "paint", 0);
    assert_int_equal(verdict->outcome, OUTCOME_FAILED);
    verdict_free(verdict);
    fake_merge(play.fake, "configmaps", "learn", "note", "{\"data\":{\"colour\":\"red\"}}");
    verdict = play_judge(&play, "paint", 0);
    assert_int_equal(verdict->outcome, OUTCOME_PASSED);
    verdict_free(verdict);
    play_end(&play);
}

static void judging_takes_what_was_seen_from_the_record(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    struct verdict *verdict = play_judge(&play, "past", 0);
    assert_int_equal(verdict->outcome, OUTCOME_SKIPPED); /* it may have been so */
    verdict_free(verdict);
    play_begin(&play, "past", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    fake_merge(play.fake, "pods", "learn", "web-a", "{\"status\":{\"phase\":\"Failed\"}}");
    fake_merge(play.fake, "pods", "learn", "web-a", "{\"status\":{\"phase\":\"Running\"}}");
    play_until_phase(&play, RUN_PASSED);
    play_again(&play, "flow");
    verdict = play_judge(&play, "past", 0);
    assert_int_equal(verdict->outcome, OUTCOME_PASSED);
    verdict_free(verdict);
    fake_merge(play.fake, "pods", "learn", "web-a", "{\"metadata\":{\"labels\":{\"app\":\"other\"}}}"); /* what can be seen now is still looked at */
    verdict = play_judge(&play, "past", 0);
    assert_int_equal(verdict->outcome, OUTCOME_FAILED);
    verdict_free(verdict);
    play_end(&play);
}

struct waiting {
    bool done;
    struct verdict *verdict;
};

static void take(void *data, struct verdict *verdict)
{
    struct waiting *waiting = data;
    waiting->done = true;
    waiting->verdict = verdict;
}

static void judging_waits_for_what_may_still_come(void **state)
{
    (void)state;
    const char *path = "/api/v1/namespaces/learn/services/web%3A80/proxy/";
    struct play play;
    struct waiting waiting = {0};
    play_start(&play, "flow", NULL);
    server_answer(fake_server(play.fake), "GET", path, 502, NULL, "not yet");
    fake_remove(play.fake, "services", "learn", "web");
    lesson_run_judge(play.run, play_step(&play, "try"), 9000, take, &waiting);
    until_watches(&play, "services", 1);
    assert_false(waiting.done);
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"web\"},\"spec\":{\"ports\":[{\"port\":80}]}}");
    while (fake_requests(play.fake, path) < 2) /* check holds now; verify is tried again by time alone */
        loop_once(play.loop, 100);
    assert_false(waiting.done);
    server_answer(fake_server(play.fake), "GET", path, 200, NULL, "hello");
    int64_t began = clock_monotonic_ms();
    play_until(&play, &waiting.done);
    assert_true(clock_monotonic_ms() - began < 5000); /* not at the end of the time */
    assert_int_equal(waiting.verdict->outcome, OUTCOME_PASSED);
    verdict_free(waiting.verdict);
    struct verdict *verdict = play_judge(&play, "quiet", 5000);
    assert_int_equal(verdict->outcome, OUTCOME_PASSED);
    verdict_free(verdict);
    began = clock_monotonic_ms();
    fake_remove(play.fake, "services", "learn", "web");
    verdict = play_judge(&play, "try", 150); /* and says no when the time is over */
    assert_int_equal(verdict->outcome, OUTCOME_FAILED);
    assert_true(clock_monotonic_ms() - began >= 150);
    verdict_free(verdict);
    play_end(&play);
}

static void judging_a_cluster_that_is_not_there_or_a_lesson_too_new_says_so(void **state)
{
    (void)state;
    struct play play;
    struct waiting waiting = {0};
    play_start(&play, "modern", NULL);
    fake_set_version(play.fake, "29");
    struct verdict *verdict = play_judge(&play, "one", 0);
    assert_int_equal(verdict->outcome, OUTCOME_SKIPPED);
    assert_string_equal(verdict->error.message, "the server is older than the step needs");
    verdict_free(verdict);
    play_end(&play);
    play_start(&play, "flow", NULL);
    verdict = play_judge(&play, "past", 0);
    verdict_free(verdict);
    fake_break(play.fake, NULL, "/api/v1/namespaces/learn/services", FAKE_RESET);
    verdict = play_judge(&play, "try", 0);
    assert_int_equal(verdict->outcome, OUTCOME_UNREACHABLE);
    verdict_free(verdict);
    play_end(&play);
    play_start(&play, "flow", NULL);
    fake_down(play.fake);
    lesson_run_judge(play.run, 0, 0, take, &waiting);
    play_until_phase(&play, RUN_FAILED); /* needs could not be asked */
    assert_int_equal(lesson_run_error(play.run)->kind, ERROR_UNREACHABLE);
    assert_false(waiting.done);
    play_end(&play);
}

static void judging_can_be_left_at_any_moment(void **state)
{
    (void)state;
    for (int rounds = 0; rounds < 30; rounds += 1 + rounds / 8) {
        struct play play;
        struct waiting waiting = {0};
        play_start(&play, "flow", NULL);
        lesson_run_judge(play.run, play_step(&play, "wait"), 1000, take, &waiting);
        for (int i = 0; i < rounds; i++)
            loop_once(play.loop, 5);
        verdict_free(waiting.verdict);
        play_end(&play);
    }
}

int test_reset(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reset_removes_what_the_lesson_made_and_nothing_else),
        cmocka_unit_test(what_the_learner_made_while_it_was_open_goes_too),
        cmocka_unit_test(a_pod_that_leaves_its_controller_becomes_the_lessons),
        cmocka_unit_test(without_the_screen_nothing_is_written_down_but_what_the_lesson_makes),
        cmocka_unit_test(an_object_that_somebody_made_anew_under_the_name_stays),
        cmocka_unit_test(a_finalizer_that_waits_is_told_when_the_time_is_over),
        cmocka_unit_test(a_finalizer_that_lets_go_is_waited_for),
        cmocka_unit_test(a_shared_kind_goes_with_its_last_user_and_what_controllers_made_is_left_to_them),
        cmocka_unit_test(a_cluster_that_goes_away_in_the_middle_of_a_reset_is_told_and_nothing_forgotten),
        cmocka_unit_test(a_filter_that_is_lost_removes_nothing_of_others),
        cmocka_unit_test(what_may_not_be_deleted_is_told),
        cmocka_unit_test(reset_can_be_left_at_any_moment_and_is_one_at_a_time),
        cmocka_unit_test(the_tree_shows_owners_before_what_they_own),
        cmocka_unit_test(owners_in_a_ring_do_not_hang_the_tree),
        cmocka_unit_test(judging_says_at_once_what_holds),
        cmocka_unit_test(judging_of_a_verify_that_takes_too_long_is_a_failure_not_a_fault),
        cmocka_unit_test(judging_cannot_know_a_start_that_was_not_recorded),
        cmocka_unit_test(judging_takes_what_was_seen_from_the_record),
        cmocka_unit_test(judging_waits_for_what_may_still_come),
        cmocka_unit_test(judging_a_cluster_that_is_not_there_or_a_lesson_too_new_says_so),
        cmocka_unit_test(judging_can_be_left_at_any_moment),
    };
    return cmocka_run_group_tests_name("lesson/reset", tests, NULL, NULL);
}
