/* The step machine, on the fake server: phases, questions, setup, checks, hints, solutions, progress. */
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

static void assert_phases(const struct play *play, const enum run_phase *wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (i >= play->phases || play->seen[i] != wanted[i])
            fail_msg("phase %d is %d, not %d", i, i < play->phases ? (int)play->seen[i] : -1, (int)wanted[i]);
    assert_int_equal(play->phases, count);
}
#define PHASES(play, ...) assert_phases(play, (const enum run_phase[]){__VA_ARGS__}, (int)(sizeof(const enum run_phase[]){__VA_ARGS__} / sizeof(enum run_phase)))

static void colour(struct play *play, const char *word)
{
    char patch[64];
    snprintf(patch, sizeof patch, "{\"data\":{\"colour\":\"%s\"}}", word);
    fake_merge(play->fake, "configmaps", "learn", "note", patch);
}

static void a_step_goes_through_its_phases_in_order(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    assert_int_equal(lesson_run_phase(play.run), RUN_IDLE);
    assert_int_equal(lesson_run_step(play.run), -1);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    play_until_outcome(&play, OUTCOME_FAILED);
    PHASES(&play, RUN_NEEDS, RUN_SETUP, RUN_WORK);
    const struct expectation *e = play_expectation(&play, "data.colour");
    assert_string_equal(e->expected, "\"red\"");
    assert_string_equal(e->actual, "\"blue\"");
    assert_string_equal(value_find_text(lesson_run_state(play.run), "was", NULL), "blue");
    assert_false(lesson_run_step_passed(play.run, play_step(&play, "paint")));
    colour(&play, "red");
    play_until_phase(&play, RUN_PASSED);
    assert_true(lesson_run_step_passed(play.run, play_step(&play, "paint")));
    assert_int_equal(lesson_run_verdict(play.run)->outcome, OUTCOME_PASSED);
    play_begin(&play, "try", false); /* what it needs is asked once */
    assert_int_equal(play.seen[0], RUN_WORK);
    play_end(&play);
}

static void a_passed_step_does_not_look_any_more(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    colour(&play, "red");
    play_until_phase(&play, RUN_PASSED);
    while (fake_watches(play.fake, "configmaps") > 0)
        loop_once(play.loop, 100);
    colour(&play, "blue");
    assert_int_equal(lesson_run_phase(play.run), RUN_PASSED);
    play_end(&play);
}

static void a_question_waits_for_its_answer(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "guess", false);
    play_until_phase(&play, RUN_QUESTION);
    lesson_run_answer(play.run, "perhaps"); /* not among the choices */
    assert_int_equal(lesson_run_phase(play.run), RUN_QUESTION);
    assert_null(lesson_run_choice(play.run));
    lesson_run_answer(play.run, "no"); /* a wrong one is an answer, too */
    assert_int_equal(lesson_run_phase(play.run), RUN_PASSED);
    assert_string_equal(lesson_run_choice(play.run), "no");
    play_begin(&play, "keep", false);
    play_until_phase(&play, RUN_QUESTION);
    lesson_run_answer(play.run, "less");
    play_until_outcome(&play, OUTCOME_FAILED); /* the check goes on */
    assert_int_equal(lesson_run_phase(play.run), RUN_WORK);
    lesson_run_answer(play.run, "more"); /* too late */
    assert_string_equal(lesson_run_choice(play.run), "less");
    play_end(&play);
}

static void state_answers_and_hints_are_kept_and_read_back(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    colour(&play, "grey");
    play_begin(&play, "keep", false);
    play_until_phase(&play, RUN_QUESTION);
    lesson_run_answer(play.run, "more");
    fake_forget_writes(play.fake);
    play_again(&play, "flow");
    play_begin(&play, "paint", true);
    play_until_outcome(&play, OUTCOME_FAILED);
    assert_string_equal(value_find_text(lesson_run_state(play.run), "was", NULL), "blue"); /* not the grey that is there now */
    assert_string_equal(fake_writes(play.fake), "");                                     /* setup did not run */
    PHASES(&play, RUN_NEEDS, RUN_WORK);
    play_begin(&play, "keep", true);
    play_until_phase(&play, RUN_WORK); /* not asked again */
    assert_string_equal(lesson_run_choice(play.run), "more");
    play_begin(&play, "paint", false); /* anew */
    play_until_phase(&play, RUN_WORK);
    assert_non_null(strstr(fake_writes(play.fake), "PATCH /api/v1/namespaces/learn/configmaps/note "));
    play_end(&play);
}

static void what_was_passed_is_known_to_the_next_program(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    colour(&play, "red");
    play_until_phase(&play, RUN_PASSED);
    play_again(&play, "flow");
    assert_true(lesson_run_step_passed(play.run, play_step(&play, "paint")));
    assert_false(lesson_run_step_passed(play.run, play_step(&play, "keep")));
    struct progress_step record = {0};
    struct progress_key key = {.cluster = "cluster-uid", .ns = "learn", .lesson = "flow", .step = "paint"};
    assert_true(progress_get(play.progress, &key, &record, NULL));
    assert_int_equal(record.state, PROGRESS_PASSED);
    assert_false(record.solved);
    assert_true(record.started_ms > 0 && record.passed_ms >= record.started_ms);
    progress_step_free(&record);
    play_end(&play);
}

static void what_is_wrong_in_a_lesson_is_told_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *step, *where, *message;
    } cases[] = {
        {"setup", "faulty/lesson.lua:6", "cannot patch deployments.apps/scale nobody in namespace learn: deployments.apps \"nobody\" not found"},
        {"check", "faulty/lesson.lua:12", "attempt to index a nil value (field 'spec')"},
        {"invariant", "faulty/lesson.lua:16", "this invariant is wrong"},
        {"verify", "faulty/lesson.lua:21", "attempt to index a nil value (local 'x')"},
        {"endless", "faulty/lesson.lua:23", "the script took more than 50000000 steps without waiting: an endless loop?"},
        {"state", "", "the step's state must be plain values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct play play;
        play_start(&play, "faulty", NULL);
        play_begin(&play, cases[i].step, false);
        play_until_phase(&play, RUN_FAILED);
        const struct error *error = lesson_run_error(play.run);
        assert_string_equal(error->message, cases[i].message);
        assert_string_equal(error->where, cases[i].where);
        while (fake_watches(play.fake, "pods") > 0) /* nothing goes on */
            loop_once(play.loop, 100);
        play_begin(&play, "none", false); /* another step is not touched by it */
        play_until_phase(&play, RUN_PASSED);
        assert_null(lesson_run_error(play.run));
        play_end(&play);
    }
}

static void a_broken_invariant_ends_the_step_until_it_is_begun_again(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "keep", false);
    play_until_phase(&play, RUN_QUESTION);
    lesson_run_answer(play.run, "less");
    play_until_outcome(&play, OUTCOME_FAILED);
    fake_remove(play.fake, "pods", "learn", "web-a"); /* two are left: as wanted */
    while (strcmp(play_expectation(&play, "number")->actual, "2") != 0)
        loop_once(play.loop, 100);
    assert_int_equal(lesson_run_phase(play.run), RUN_WORK);
    fake_remove(play.fake, "pods", "learn", "web-b");
    play_until_phase(&play, RUN_BROKEN);
    assert_string_equal(lesson_run_error(play.run)->message, "what had to hold all through the step was broken; begin the step again");
    assert_string_equal(play_expectation(&play, "number")->expected, "at least 2");
    fake_put(play.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-b\",\"labels\":{\"app\":\"web\"}}}");
    while (fake_watches(play.fake, "pods") > 0)
        loop_once(play.loop, 100);
    assert_int_equal(lesson_run_phase(play.run), RUN_BROKEN);
    play_begin(&play, "keep", true);
    play_until_phase(&play, RUN_WORK);
    play_end(&play);
}

static void verify_runs_when_the_check_holds_and_is_tried_again(void **state)
{
    (void)state;
    const char *path = "/api/v1/namespaces/learn/services/web%3A80/proxy/";
    struct play play;
    play_start(&play, "flow", NULL);
    server_answer(fake_server(play.fake), "GET", path, 502, NULL, "not yet");
    play_begin(&play, "try", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    size_t before = fake_requests(play.fake, path);
    while (fake_requests(play.fake, path) < before + 2) /* by time alone */
        loop_once(play.loop, 100);
    assert_int_equal(lesson_run_verdict(play.run)->outcome, OUTCOME_FAILED); /* and "all holds" of the check does not hide it */
    server_answer(fake_server(play.fake), "GET", path, 200, NULL, "hello");
    play_until_phase(&play, RUN_PASSED);
    assert_int_equal(lesson_run_verdict(play.run)->expectations.length, 2); /* the check's and verify's */
    play_end(&play);
}

static void a_wait_of_verify_that_takes_too_long_fails_the_step_not_the_lesson(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "wait", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    assert_string_equal(lesson_run_verdict(play.run)->error.message, "pods never did not become Ready in 0.05 s");
    assert_int_not_equal(lesson_run_phase(play.run), RUN_FAILED);
    fake_remove(play.fake, "services", "learn", "web"); /* now the check does not hold either */
    while (lesson_run_verdict(play.run)->expectations.length == 0)
        loop_once(play.loop, 100);
    play_until_phase(&play, RUN_WORK);
    play_end(&play);
}

/* ---- hints, solutions, mutants ---- */

struct hint {
    bool done, none;
    char en[256], zh[256];
};

static void take_hint(void *data, const struct both *text)
{
    struct hint *hint = data;
    *hint = (struct hint){.done = true, .none = text == NULL};
    if (text != NULL) {
        snprintf(hint->en, sizeof hint->en, "%s", text->en);
        snprintf(hint->zh, sizeof hint->zh, "%s", text->zh);
    }
}

static struct hint ask_hint(struct play *play)
{
    struct hint hint = {0}, *kept = &hint;
    lesson_run_hint(play->run, take_hint, kept);
    play_until(play, &kept->done);
    return hint;
}

static void hints_come_in_order_and_the_seen_mistake_first(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    assert_true(ask_hint(&play).none); /* no step */
    play_begin(&play, "paint", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    assert_string_equal(ask_hint(&play).en, "Look at blue."); /* filled in */
    colour(&play, "green");
    while (strcmp(play_expectation(&play, "data.colour")->actual, "\"green\"") != 0)
        loop_once(play.loop, 100);
    struct hint hint = ask_hint(&play);
    assert_string_equal(hint.en, "It is green now.");
    assert_string_equal(hint.zh, "现在是绿色。");
    assert_int_equal(lesson_run_hints_shown(play.run), 1);
    colour(&play, "blue");
    while (strcmp(play_expectation(&play, "data.colour")->actual, "\"blue\"") != 0)
        loop_once(play.loop, 100);
    assert_string_equal(ask_hint(&play).zh, "变成红色。");
    assert_true(ask_hint(&play).none);
    assert_int_equal(lesson_run_hints_shown(play.run), 2);
    play_again(&play, "flow");
    play_begin(&play, "paint", true);
    play_until_outcome(&play, OUTCOME_FAILED);
    assert_int_equal(lesson_run_hints_shown(play.run), 2); /* kept */
    play_end(&play);
}

static void a_hint_function_that_fails_leaves_the_fixed_hints(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "faulty", NULL);
    play_begin(&play, "hint", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    assert_string_equal(ask_hint(&play).en, "A fixed one.");
    assert_int_equal(lesson_run_phase(play.run), RUN_WORK);
    play_end(&play);
}

static void the_solution_is_done_and_the_checks_see_it(void **state)
{
    (void)state;
    struct play play;
    struct ended ended = {0}, none = {0};
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    lesson_run_solve(play.run, ended_done, &ended);
    lesson_run_solve(play.run, ended_done, &none); /* once at a time */
    assert_int_equal(none.error.kind, ERROR_BUSY);
    play_until(&play, &ended.done);
    assert_int_equal(ended.error.kind, ERROR_NONE);
    play_until_phase(&play, RUN_PASSED);
    struct progress_step record = {0};
    struct progress_key key = {.cluster = "cluster-uid", .ns = "learn", .lesson = "flow", .step = "paint"};
    assert_true(progress_get(play.progress, &key, &record, NULL));
    assert_true(record.solved);
    progress_step_free(&record);
    play_begin(&play, "try", false);
    none = (struct ended){0};
    lesson_run_solve(play.run, ended_done, &none);
    assert_int_equal(none.error.kind, ERROR_NOT_FOUND);
    play_end(&play);
}

static void a_mutant_is_judged_when_it_is_there_not_on_its_way(void **state)
{
    (void)state;
    struct play play;
    struct ended green = {0}, right = {0}, none = {0}, impossible = {0};
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    lesson_run_mutant(play.run, "green", ended_done, &green);
    play_until(&play, &green.done);
    assert_int_equal(green.error.kind, ERROR_NONE);
    while (lesson_run_phase(play.run) == RUN_WORK && strcmp(play_expectation(&play, "data.colour")->actual, "\"green\"") != 0)
        loop_once(play.loop, 100);
    assert_int_equal(lesson_run_phase(play.run), RUN_WORK); /* it was red for a moment */
    lesson_run_mutant(play.run, "nobody", ended_done, &none);
    assert_int_equal(none.error.kind, ERROR_NOT_FOUND);
    lesson_run_mutant(play.run, "impossible", ended_done, &impossible);
    play_until(&play, &impossible.done);
    assert_int_equal(impossible.error.kind, ERROR_NOT_FOUND);
    assert_string_equal(impossible.error.where, "flow/lesson.lua:30");
    lesson_run_mutant(play.run, "right", ended_done, &right);
    play_until(&play, &right.done);
    play_until_phase(&play, RUN_PASSED);
    play_end(&play);
}

/* ---- needs ---- */

static void what_the_cluster_lacks_is_told_before_the_first_step(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "needy", NULL);
    play_begin(&play, "one", false);
    play_until_phase(&play, RUN_FAILED);
    assert_string_equal(lesson_run_error(play.run)->message, "this lesson needs gizmos.example.com, which this cluster does not have");
    PHASES(&play, RUN_NEEDS, RUN_FAILED);
    play_end(&play);
    play_start(&play, "denied", NULL);
    fake_deny(play.fake, "deployments");
    play_begin(&play, "one", false);
    play_until_phase(&play, RUN_FAILED);
    assert_int_equal(lesson_run_error(play.run)->kind, ERROR_DENIED);
    assert_string_equal(lesson_run_error(play.run)->message,
                        "this lesson needs the permission to create deployments.apps in namespace learn, which your account does not have");
    play_end(&play);
    play_start(&play, "denied", NULL); /* and allowed */
    play_begin(&play, "one", false);
    play_until_phase(&play, RUN_PASSED);
    play_end(&play);
}

static void an_older_server_is_for_reading_only(void **state)
{
    (void)state;
    static const struct {
        const char *minor;
        enum run_phase one, two;
    } cases[] = {{"29", RUN_READING, RUN_READING}, {"30", RUN_PASSED, RUN_READING}, {"36+", RUN_PASSED, RUN_PASSED}, {"37", RUN_PASSED, RUN_PASSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct play play;
        play_start(&play, "modern", NULL);
        fake_set_version(play.fake, cases[i].minor);
        play_begin(&play, "one", false);
        play_until_phase(&play, cases[i].one);
        play_begin(&play, "two", false);
        play_until_phase(&play, cases[i].two);
        play_end(&play);
    }
}

/* ---- the cluster goes away ---- */

static void trouble_comes_and_goes_and_the_step_goes_on(void **state)
{
    (void)state;
    struct play play;
    int64_t retry;
    play_start(&play, "flow", NULL);
    play_begin(&play, "paint", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    while (fake_watches(play.fake, "configmaps") == 0)
        loop_once(play.loop, 100);
    assert_null(lesson_run_trouble(play.run, NULL));
    fake_down(play.fake);
    while (lesson_run_trouble(play.run, &retry) == NULL)
        loop_once(play.loop, 100);
    assert_int_equal(lesson_run_trouble(play.run, NULL)->kind, ERROR_UNREACHABLE);
    assert_true(retry > 0 && play.troubles > 0);
    assert_int_equal(lesson_run_phase(play.run), RUN_WORK);
    colour(&play, "red");
    fake_mend(play.fake);
    play_until_phase(&play, RUN_PASSED); /* what happened meanwhile is seen */
    assert_null(lesson_run_trouble(play.run, NULL));
    play_end(&play);
}

static void a_cluster_that_is_not_there_fails_the_beginning_and_a_second_try_is_fine(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    fake_down(play.fake);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_FAILED);
    assert_int_equal(lesson_run_error(play.run)->kind, ERROR_UNREACHABLE);
    fake_mend(play.fake);
    play_begin(&play, "paint", false);
    play_until_phase(&play, RUN_WORK);
    play_end(&play);
}

static void time_alone_runs_a_check_again(void **state)
{
    (void)state;
    struct play play;
    play_start(&play, "flow", NULL);
    play_begin(&play, "quiet", false);
    play_until_outcome(&play, OUTCOME_FAILED);
    play_until_phase(&play, RUN_PASSED);
    play_end(&play);
}

static void a_run_can_be_left_at_any_moment(void **state)
{
    (void)state;
    static const char *const steps[] = {"paint", "keep", "try", "wait"};
    for (size_t i = 0; i < 4; i++)
        for (int rounds = 0; rounds < 60; rounds += 1 + rounds / 8)
            for (int way = 0; way < 3; way++) {
                struct play play;
                struct ended ended = {0};
                play_start(&play, "flow", NULL);
                play_begin(&play, steps[i], false);
                for (int n = 0; n < rounds; n++)
                    loop_once(play.loop, 5);
                if (way == 1)
                    lesson_run_pause(play.run);
                if (way == 2) {
                    lesson_run_solve(play.run, ended_done, &ended);
                    play_begin(&play, "guess", true);
                }
                play_end(&play);
            }
}

int test_run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_goes_through_its_phases_in_order),
        cmocka_unit_test(a_passed_step_does_not_look_any_more),
        cmocka_unit_test(a_question_waits_for_its_answer),
        cmocka_unit_test(state_answers_and_hints_are_kept_and_read_back),
        cmocka_unit_test(what_was_passed_is_known_to_the_next_program),
        cmocka_unit_test(what_is_wrong_in_a_lesson_is_told_with_its_place),
        cmocka_unit_test(a_broken_invariant_ends_the_step_until_it_is_begun_again),
        cmocka_unit_test(verify_runs_when_the_check_holds_and_is_tried_again),
        cmocka_unit_test(a_wait_of_verify_that_takes_too_long_fails_the_step_not_the_lesson),
        cmocka_unit_test(hints_come_in_order_and_the_seen_mistake_first),
        cmocka_unit_test(a_hint_function_that_fails_leaves_the_fixed_hints),
        cmocka_unit_test(the_solution_is_done_and_the_checks_see_it),
        cmocka_unit_test(a_mutant_is_judged_when_it_is_there_not_on_its_way),
        cmocka_unit_test(what_the_cluster_lacks_is_told_before_the_first_step),
        cmocka_unit_test(an_older_server_is_for_reading_only),
        cmocka_unit_test(trouble_comes_and_goes_and_the_step_goes_on),
        cmocka_unit_test(a_cluster_that_is_not_there_fails_the_beginning_and_a_second_try_is_fine),
        cmocka_unit_test(time_alone_runs_a_check_again),
        cmocka_unit_test(a_run_can_be_left_at_any_moment),
    };
    return cmocka_run_group_tests_name("lesson/run", tests, NULL, NULL);
}
