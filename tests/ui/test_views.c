#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "loop/loop.h"
#include "support.h"
#include "ui/views.h"

static struct loop *loop;
static struct lesson *soup;

static int load(void **state)
{
    (void)state;
    lang_set(LANG_EN);
    loop = loop_new(NULL);
    soup = lesson_load(loop, KT_SOURCE "/tests/golden/pack", "soup", NULL, NULL);
    return soup == NULL;
}

static int unload(void **state)
{
    (void)state;
    lesson_free(soup);
    loop_free(loop);
    return 0;
}

/* ---- the lesson ---- */

static char *lesson_dump(const struct lesson_view *view, int *why)
{
    struct vec lines = lines_make();
    lesson_view_build(&lines, view, why);
    char *dump = lines_dump(&lines, true);
    vec_free(&lines);
    return dump;
}

static void the_first_step_has_title_and_opening_before_it(void **state)
{
    (void)state;
    int why;
    char *first = lesson_dump(&(struct lesson_view){.lesson = soup, .step = 0, .selected = -1, .columns = 60}, &why);
    char *second = lesson_dump(&(struct lesson_view){.lesson = soup, .step = 1, .selected = -1, .columns = 60}, &why);
    assert_ptr_equal(strstr(first, "[heading:A soup for the tests]"), first);
    assert_ptr_equal(strstr(second, "[heading:Cook it]"), second);
    assert_non_null(strstr(first, "[muted:  $ ][command:kubectl get configmap ][emphasis:<name>]"));
    mem_free(first);
    mem_free(second);
}

static void what_comes_after_the_deed_is_not_there_before_it(void **state)
{
    (void)state;
    int why;
    struct lesson_view view = {.lesson = soup, .step = 0, .selected = -1, .columns = 60, .question = true};
    char *before = lesson_dump(&view, &why);
    assert_int_equal(why, -1);
    assert_null(strstr(before, "tongue"));
    view.question = false;
    view.passed = true;
    view.choice = "sugar";
    char *after = lesson_dump(&view, &why);
    assert_true(why > 0);
    assert_non_null(strstr(after, "[good:│ ]In some places, yes."));
    assert_null(strstr(after, "Right, salt"));
    assert_non_null(strstr(after, "tongue"));
    assert_non_null(strstr(after, "[key: ● 2 ]"));
    mem_free(before);
    mem_free(after);
}

static void choices_carry_their_number_while_the_question_is_open(void **state)
{
    (void)state;
    int why, seen[2] = {0};
    struct vec lines = lines_make();
    lesson_view_build(&lines, &(struct lesson_view){.lesson = soup, .step = 0, .selected = 1, .columns = 60, .question = true}, &why);
    for (size_t i = 0; i < lines.length; i++) {
        const struct line *line = lines.items[i];
        if (line->target >= 0)
            seen[line->target]++;
    }
    assert_int_equal(seen[0], 2); /* it takes two lines */
    assert_int_equal(seen[1], 1);
    vec_free(&lines);
}

static void names_are_filled_in_once_the_state_is_known(void **state)
{
    (void)state;
    int why;
    struct value *known = json_parse("{\"pot\":\"the big pot\"}", 21, "test", NULL);
    char *before = lesson_dump(&(struct lesson_view){.lesson = soup, .step = 1, .selected = -1, .columns = 70}, &why);
    char *after = lesson_dump(&(struct lesson_view){.lesson = soup, .step = 1, .selected = -1, .columns = 70, .state = known}, &why);
    assert_non_null(strstr(before, "for …."));
    assert_non_null(strstr(after, "the big pot."));
    mem_free(before);
    mem_free(after);
    value_free(known);
}

static void both_languages_fit_every_width(void **state)
{
    (void)state;
    for (int lang = 0; lang < 2; lang++)
        for (size_t columns = 40; columns < 100; columns += 7)
            for (int step = 0; step < 3; step++) {
                int why;
                struct vec lines = lines_make();
                lang_set((enum lang)lang);
                lesson_view_build(&lines, &(struct lesson_view){.lesson = soup, .step = step, .selected = 0, .columns = columns, .question = true}, &why);
                assert_true(lines_sound(&lines, columns));
                vec_free(&lines);
            }
    lang_set(LANG_EN);
}

/* ---- checks ---- */

static struct verdict *verdict_of(bool first, bool second)
{
    struct verdict *verdict = verdict_new();
    for (int i = 0; i < 2; i++) {
        struct expectation *e = mem_zero(1, sizeof *e);
        e->holds = i == 0 ? first : second;
        char **const strings[] = {&e->kind, &e->name, &e->resource, &e->uid, &e->resource_version, &e->path, &e->expected, &e->actual, &e->where, &e->why};
        for (size_t s = 0; s < sizeof strings / sizeof *strings; s++)
            *strings[s] = mem_string("");
        mem_free(e->kind);
        e->kind = mem_string("Pod");
        mem_free(e->name);
        e->name = mem_string("web\033[2J");
        mem_free(e->path);
        e->path = mem_string("status.phase");
        mem_free(e->expected);
        e->expected = mem_string("Running");
        mem_free(e->actual);
        e->actual = mem_string(e->holds ? "Running" : "Pending");
        mem_free(e->why);
        e->why = mem_string(e->holds ? "" : "Pod web is Pending\nno node has room");
        if (i == 1)
            e->text = (struct both){.en = mem_string("The web runs"), .zh = mem_string("网站在运行")};
        assert_true(vec_push(&verdict->expectations, e));
    }
    verdict->outcome = first && second ? OUTCOME_PASSED : OUTCOME_FAILED;
    return verdict;
}

static char *checks_dump(const struct checks_view *view)
{
    struct vec lines = lines_make();
    checks_view_build(&lines, view);
    char *dump = lines_dump(&lines, true);
    assert_true(lines_sound(&lines, view->columns));
    vec_free(&lines);
    return dump;
}

static void a_failing_check_tells_path_values_and_the_chain_of_whys(void **state)
{
    (void)state;
    struct verdict *verdict = verdict_of(true, false);
    char *dump = checks_dump(&(struct checks_view){.connected = true, .phase = RUN_WORK, .has_check = true, .verdict = verdict, .columns = 60});
    assert_non_null(strstr(dump, "[good:✓ ]Pod web^[[2J: status.phase is Running\n"));
    assert_non_null(strstr(dump, "[bad:✗ ]The web runs\n"));
    assert_non_null(strstr(dump, "status.phase: Pending, wanted Running"));
    assert_non_null(strstr(dump, "[muted:  why: ][why:Pod web is Pending]\n[muted:    ← ][why:no node has room]\n"));
    mem_free(dump);
    verdict_free(verdict);
}

static void every_phase_says_something(void **state)
{
    (void)state;
    for (int phase = RUN_IDLE; phase <= RUN_READING; phase++) {
        if (phase == RUN_FAILED || phase == RUN_BROKEN) /* the banner tells those */
            continue;
        char *dump = checks_dump(&(struct checks_view){.connected = true, .phase = (enum run_phase)phase, .choices = 3, .columns = 60});
        assert_true(strlen(dump) > 5);
        mem_free(dump);
    }
    char *dump = checks_dump(&(struct checks_view){.connected = false, .columns = 60});
    assert_non_null(strstr(dump, "when the cluster answers"));
    mem_free(dump);
    dump = checks_dump(&(struct checks_view){.connected = false, .refused = true, .columns = 60});
    assert_non_null(strstr(dump, "because you said no"));
    mem_free(dump);
}

static void the_overlay_does_not_say_again_what_the_headline_said(void **state)
{
    (void)state;
    struct verdict *verdict = verdict_of(false, false);
    struct expectation *first = verdict->expectations.items[0];
    mem_free(first->why);
    char *headline = first->why = mem_string("Pod web^[[2J: status.phase is Pending, wanted Running");
    struct vec lines = lines_make();
    why_view_build(&lines, verdict, 60);
    char *dump = lines_dump(&lines, false), *own = strstr(dump, "The web runs");
    assert_ptr_equal(strstr(dump, "field:"), strstr(own, "field:")); /* the lesson's own words have none of it */
    assert_non_null(strstr(own, "found: Pending"));
    assert_null(strstr(dump, "asked in"));
    assert_non_null(headline);
    mem_free(dump);
    vec_free(&lines);
    verdict_free(verdict);
}

static void the_overlay_has_a_long_value_in_full_and_the_pane_has_not(void **state)
{
    (void)state;
    struct verdict *verdict = verdict_of(true, false);
    struct expectation *e = verdict->expectations.items[1];
    char *tail = mem_printf("%0300d the-end", 0);
    mem_free(e->actual);
    e->actual = tail;
    struct vec lines = lines_make();
    why_view_build(&lines, verdict, 60);
    char *pane = checks_dump(&(struct checks_view){.connected = true, .phase = RUN_WORK, .verdict = verdict, .columns = 60}), *overlay = lines_dump(&lines, false);
    assert_null(strstr(pane, "the-end"));
    assert_non_null(strstr(overlay, "the-end"));
    mem_free(pane);
    mem_free(overlay);
    vec_free(&lines);
    verdict_free(verdict);
}

static void counts_what_holds(void **state)
{
    (void)state;
    size_t held, all;
    struct verdict *verdict = verdict_of(false, true);
    checks_count(verdict, &held, &all);
    assert_int_equal(held, 1);
    assert_int_equal(all, 2);
    checks_count(NULL, &held, &all);
    assert_int_equal(all, 0);
    verdict_free(verdict);
}

/* ---- the tree ---- */

static void rows_are_indented_marked_and_keep_the_end_of_a_long_name(void **state)
{
    (void)state;
    const struct tree_row rows[] = {
        {.depth = 0, .kind = "Deployment", .name = "nginx", .summary = "2/3 updating", .health = TREE_BUSY},
        {.depth = 2, .kind = "Pod", .name = "nginx-66686b6766-a-very-long-name-indeed-6fwqq", .summary = "Running", .health = TREE_GOOD},
        {.depth = 1, .kind = "Pod", .name = "[red]\033[31m", .summary = "Pending: x\033[0m", .health = TREE_BAD},
    };
    struct vec lines = lines_make();
    assert_int_equal(tree_view_build(&lines, rows, 3, 5000, 40), -1);
    char *dump = lines_dump(&lines, true);
    assert_non_null(strstr(dump, "[busy:◌] Deployment nginx[busy:  2/3 updating]\n"));
    assert_non_null(strstr(dump, "    [good:●] Pod …"));
    assert_non_null(strstr(dump, "-6fwqq[good:  Running]\n"));
    assert_non_null(strstr(dump, "[bad:✗] Pod [red]^[[31m[bad:  Pending: x^[[0m]\n"));
    assert_true(lines_sound(&lines, 40));
    mem_free(dump);
    vec_free(&lines);
}

static void a_change_flashes_for_a_second(void **state)
{
    (void)state;
    const struct tree_row rows[] = {{.kind = "Pod", .name = "a", .changed_ms = 1000}, {.kind = "Pod", .name = "b", .changed_ms = 1500}};
    struct vec lines = lines_make();
    assert_int_equal(tree_view_build(&lines, rows, 2, 1600, 40), 1000 + TREE_FLASH_MS);
    vec_free(&lines);
    lines = lines_make();
    assert_int_equal(tree_view_build(&lines, rows, 2, 2100, 40), 1500 + TREE_FLASH_MS);
    char *dump = lines_dump(&lines, true);
    assert_null(strstr(dump, "[flash:Pod a]"));
    assert_non_null(strstr(dump, "[flash:Pod b]"));
    mem_free(dump);
    vec_free(&lines);
    lines = lines_make();
    assert_int_equal(tree_view_build(&lines, rows, 2, 2500, 40), -1);
    vec_free(&lines);
}

/* ---- no memory ---- */

static void views_stay_sound_when_an_allocation_fails(void **state)
{
    (void)state;
    struct verdict *verdict = verdict_of(false, false);
    const struct tree_row rows[] = {{.kind = "Pod", .name = "a-name-that-is-too-long-for-its-row-and-is-cut", .summary = "Running"}};
    int nth = 0, why;
    size_t whole = 0;
    for (bool ok = false; !ok; nth++) {
        struct vec lines = lines_make();
        mem_fail_at(nth); /* 0: none fails, the first time */
        lesson_view_build(&lines, &(struct lesson_view){.lesson = soup, .step = 0, .selected = -1, .columns = 60, .passed = true, .choice = "salt"}, &why);
        checks_view_build(&lines, &(struct checks_view){.connected = true, .phase = RUN_WORK, .verdict = verdict, .columns = 60});
        tree_view_build(&lines, rows, 1, 1, 30);
        mem_fail_at(0);
        assert_true(lines_sound(&lines, 60));
        if (nth == 0)
            whole = lines.length;
        ok = nth > 0 && lines.length == whole && nth > 400;
        assert_true(lines.length <= whole + 5); /* text that cannot be rendered is shown as it is */
        vec_free(&lines);
    }
    verdict_free(verdict);
}

int test_views(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_has_title_and_opening_before_it),
        cmocka_unit_test(what_comes_after_the_deed_is_not_there_before_it),
        cmocka_unit_test(choices_carry_their_number_while_the_question_is_open),
        cmocka_unit_test(names_are_filled_in_once_the_state_is_known),
        cmocka_unit_test(both_languages_fit_every_width),
        cmocka_unit_test(a_failing_check_tells_path_values_and_the_chain_of_whys),
        cmocka_unit_test(every_phase_says_something),
        cmocka_unit_test(the_overlay_has_a_long_value_in_full_and_the_pane_has_not),
        cmocka_unit_test(the_overlay_does_not_say_again_what_the_headline_said),
        cmocka_unit_test(counts_what_holds),
        cmocka_unit_test(rows_are_indented_marked_and_keep_the_end_of_a_long_name),
        cmocka_unit_test(a_change_flashes_for_a_second),
        cmocka_unit_test(views_stay_sound_when_an_allocation_fails),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
