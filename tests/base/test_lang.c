/* Messages in two languages. The catalogue is tests/base/messages/zh_CN.po, compiled in the build; no locale need be installed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/lang.h"

static const char *const variables[] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};

static void set_environment(const char *language, const char *lc_all, const char *lc_messages, const char *lang)
{
    const char *values[] = {language, lc_all, lc_messages, lang};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (values[i] != NULL)
            setenv(variables[i], values[i], 1);
        else
            unsetenv(variables[i]);
}

static void without_a_catalogue_messages_are_english(void **state)
{
    (void)state;
    set_environment(NULL, NULL, NULL, "zh_CN.UTF-8");
    lang_init(NULL);
    lang_set(LANG_ZH);
    assert_string_equal(_("next step"), "next step");
    assert_string_equal(lang_plural("one pod", "%lu pods", 1), "one pod");
    assert_string_equal(lang_plural("one pod", "%lu pods", 0), "%lu pods");
}

static void the_language_changes_at_run_time(void **state)
{
    (void)state;
    static const char *const environments[] = {"C", "POSIX", "C.UTF-8", "no_SUCH.locale", NULL};
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        set_environment(NULL, environments[i], NULL, NULL);
        lang_init(KT_TEST_LOCALE);
        for (int turn = 0; turn < 3; turn++) {
            lang_set(LANG_ZH);
            assert_int_equal(lang_get(), LANG_ZH);
            assert_string_equal(_("next step"), "下一步");
            lang_set(LANG_EN);
            assert_int_equal(lang_get(), LANG_EN);
            assert_string_equal(_("next step"), "next step");
        }
    }
}

static void plurals_follow_the_language(void **state)
{
    (void)state;
    lang_init(KT_TEST_LOCALE);
    lang_set(LANG_ZH);
    assert_string_equal(lang_plural("one pod", "%lu pods", 1), "%lu 个 Pod");
    assert_string_equal(lang_plural("one pod", "%lu pods", 3), "%lu 个 Pod");
    lang_set(LANG_EN);
    assert_string_equal(lang_plural("one pod", "%lu pods", 1), "one pod");
    assert_string_equal(lang_plural("one pod", "%lu pods", 3), "%lu pods");
}

static void a_message_without_translation_stays_english(void **state)
{
    (void)state;
    lang_init(KT_TEST_LOCALE);
    lang_set(LANG_ZH);
    assert_string_equal(_("known, not translated"), "known, not translated");
    assert_string_equal(_("unknown"), "unknown");
    assert_string_equal(_(""), ""); /* gettext itself would answer with the catalogue's head */
}

static void the_first_variable_that_is_set_names_the_language(void **state)
{
    (void)state;
    static const struct {
        const char *language, *lc_all, *lc_messages, *lang;
        enum lang expected;
    } cases[] = {
        {NULL, NULL, NULL, NULL, LANG_EN},
        {NULL, NULL, NULL, "zh_CN.UTF-8", LANG_ZH},
        {NULL, NULL, "en_US.UTF-8", "zh_CN.UTF-8", LANG_EN},
        {NULL, "zh_TW", "en_US.UTF-8", "en_US.UTF-8", LANG_ZH},
        {"zh:en", "en_US.UTF-8", NULL, NULL, LANG_ZH},
        {"en:zh", "zh_CN.UTF-8", NULL, NULL, LANG_EN},
        {"", "", "", "zh", LANG_ZH},
        {NULL, "C", NULL, "zh_CN.UTF-8", LANG_EN},
        {NULL, NULL, NULL, "de_DE.UTF-8", LANG_EN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_environment(cases[i].language, cases[i].lc_all, cases[i].lc_messages, cases[i].lang);
        if (lang_from_environment() != cases[i].expected)
            fail_msg("case %zu", i);
    }
    set_environment(NULL, NULL, NULL, NULL);
}

static void names_of_languages_are_understood(void **state)
{
    (void)state;
    enum lang lang = LANG_EN;
    assert_true(lang_parse("zh_CN", &lang));
    assert_int_equal(lang, LANG_ZH);
    assert_true(lang_parse("EN", &lang));
    assert_int_equal(lang, LANG_EN);
    assert_false(lang_parse("fr", &lang));
    assert_false(lang_parse("", &lang));
    assert_int_equal(lang, LANG_EN);
    assert_string_equal(lang_name(LANG_ZH), "zh");
    assert_string_equal(lang_name(LANG_EN), "en");
}

int test_lang(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_catalogue_messages_are_english),
        cmocka_unit_test(the_language_changes_at_run_time),
        cmocka_unit_test(plurals_follow_the_language),
        cmocka_unit_test(a_message_without_translation_stays_english),
        cmocka_unit_test(the_first_variable_that_is_set_names_the_language),
        cmocka_unit_test(names_of_languages_are_understood),
    };
    return cmocka_run_group_tests_name("base/lang", tests, NULL, NULL);
}
