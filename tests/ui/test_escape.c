#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ui/escape.h"

/* What of the bytes after an ESC are keys. */
static const char *keys_of(const char *bytes)
{
    static char keys[64];
    struct escape escape = {0};
    size_t count = 0;
    bool begun = escape_begins(&escape, bytes[0]);
    for (size_t i = begun; bytes[i] != '\0'; i++)
        if (!escape_eats(&escape, (unsigned char)bytes[i]))
            keys[count++] = bytes[i];
    keys[count] = '\0';
    return keys;
}

static void no_byte_of_a_sequence_is_a_key(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *keys;
    } cases[] = {
        {"[35~n", "n"},          /* a function key that nobody has */
        {"[1;2Rn", "n"},         /* with a modifier, or a report of the cursor */
        {"[110;5un", "n"},       /* a key as some terminals tell it */
        {"[<0;12;5M1", "1"},     /* the mouse, new */
        {"[<0;12;5mn", "n"},     {"[M !!n", "n"}, {"[M123n", "n"}, /* and old: any three bytes */
        {"[[An", "n"},           /* the Linux console */
        {"O5Pn", "n"},           {"OPn", "n"},
        {"]11;rgb:1/2/3\033\\n", "n"}, {"]11;1\007n", "n"}, {"P1$r2\033\\n", "n"},
        {"[200~1", "1"},         /* what is pasted is typed */
        {"n", "n"},              {"1", "1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(keys_of(cases[i].bytes), cases[i].keys);
}

static void a_sequence_that_is_broken_off_gives_the_next_key_back(void **state)
{
    (void)state;
    struct escape escape = {0};
    assert_true(escape_begins(&escape, '['));
    assert_true(escape_eats(&escape, '3'));
    assert_false(escape_eats(&escape, '\r'));
    assert_false(escape_eats(&escape, '1'));
    assert_true(escape_begins(&escape, '['));
    assert_false(escape_eats(&escape, 0x103)); /* a key that curses knows */
    assert_false(escape_eats(&escape, '1'));
}

int test_escape(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_byte_of_a_sequence_is_a_key),
        cmocka_unit_test(a_sequence_that_is_broken_off_gives_the_next_key_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
