/* tests/net/http/NAME.case, lines of
 *     send TEXT         what the client sends; \r \n \t \\ \xNN
 *     repeat N TEXT     the same N times
 *     answer STATUS keep|close TEXT   an answer: whether the connection is to be kept, and the body (of an error: its message)
 *     length N          instead of TEXT, for a single answer: bytes of the body that was echoed
 * Each case is sent whole, and in pieces. Afterwards the client closes its half, and the server must have nothing more to say. */
#include <dirent.h>
#include <stdio.h>

#include "base/file.h"
#include "base/vec.h"
#include "net/http_parse.h"
#include "net/web.h"

struct example {
    struct buf sent, expected;
    size_t length; /* 0: not asked for */
};

static void unescape(struct buf *to, const char *text, size_t times)
{
    struct buf plain = buf_make(1 << 16);
    for (; *text != '\0'; text++) {
        char c = *text;
        unsigned byte;
        if (c == '\\' && text[1] == 'x' && sscanf(text + 2, "%2x", &byte) == 1) {
            c = (char)byte;
            text += 3;
        } else if (c == '\\') {
            text++;
            c = *text == 'r' ? '\r' : *text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
        }
        buf_append(&plain, &c, 1);
    }
    for (size_t i = 0; i < times; i++)
        buf_append(to, plain.bytes, plain.length);
    buf_free(&plain);
}

static struct example read_example(const char *path)
{
    struct example example = {.sent = buf_make(1 << 20), .expected = buf_make(1 << 20)};
    char *text = file_read(path, 1 << 20, NULL, NULL), *rest = text;
    assert_non_null(text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        int times, used;
        if (strncmp(line, "send ", 5) == 0)
            unescape(&example.sent, line + 5, 1);
        else if (sscanf(line, "repeat %d %n", &times, &used) == 1)
            unescape(&example.sent, line + used, (size_t)times);
        else if (sscanf(line, "length %zu", &example.length) == 1)
            continue;
        else if (strncmp(line, "answer ", 7) == 0)
            buf_printf(&example.expected, "%s\n", line + 7);
        else if (line[0] != '#' && line[0] != '\0')
            fail_msg("%s: %s", path, line);
    }
    mem_free(text);
    return example;
}

static void write_answer(struct buf *heard, int status, const struct buf *head, const struct buf *body)
{
    const char *text = body->bytes != NULL ? body->bytes : "", *message = strstr(text, "\"message\":\"");
    bool closes = strstr(head->bytes, "\r\nConnection: close\r\n") != NULL;
    buf_printf(heard, "%d %s ", status, closes ? "close" : "keep");
    if (status == 200)
        buf_append_string(heard, text);
    else if (message != NULL)
        buf_append(heard, message + 11, strcspn(message + 11, "\""));
    buf_append_string(heard, "\n");
    if (status != 200) {
        char code[32];
        snprintf(code, sizeof code, "\"code\":%d}\n", status);
        assert_non_null(strstr(text, code));
        assert_non_null(strstr(head->bytes, "\r\nContent-Type: application/json\r\n"));
    }
}

/* Sends it in pieces of this size, and says what the server answered. */
static struct buf hear(struct web *web, const struct buf *sent, size_t piece, size_t *length)
{
    struct client *client = client_new(web, NULL);
    struct buf heard = buf_make(1 << 20), head = buf_make(1 << 20), body = buf_make(64 << 20);
    for (size_t at = 0; at < sent->length && !client->failed; at += piece)
        client_send(client, sent->bytes + at, sent->length - at < piece ? sent->length - at : piece);
    client_end(client);
    for (int status; (status = client_answer(client, &head, &body)) != -1;) {
        *length = body.length;
        write_answer(&heard, status, &head, &body);
    }
    assert_true(client->ended && client->orderly);
    assert_int_equal(client->got.length, 0);
    client_free(client);
    buf_free(&head);
    buf_free(&body);
    return heard;
}

static bool try_example(struct web *web, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/http/%s", KT_TEST_CASES, name);
    struct example example = read_example(path);
    bool good = true;
    const size_t pieces[] = {SIZE_MAX / 2, example.sent.length < 1000 ? 1 : 1000, 7};
    for (size_t i = 0; i < (example.sent.length < 1000 ? 3 : 2); i++) {
        size_t length = 0;
        struct buf heard = hear(web, &example.sent, pieces[i], &length);
        if (example.length > 0)
            assert_int_equal(length, example.length + strlen("POST /? "));
        else if (strcmp(heard.bytes != NULL ? heard.bytes : "", example.expected.bytes != NULL ? example.expected.bytes : "") != 0)
            good = false, print_error("%s, pieces of %zu:\n%s", name, pieces[i], heard.bytes != NULL ? heard.bytes : "nothing\n");
        buf_free(&heard);
    }
    buf_free(&example.sent);
    buf_free(&example.expected);
    return good;
}

static struct vec names(void)
{
    struct vec found = vec_make(1000, mem_free);
    DIR *folder = opendir(KT_TEST_CASES "/http");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            assert_true(vec_push_string(&found, entry->d_name));
    closedir(folder);
    assert_true(found.length > 50);
    return found;
}

static void every_example_gives_what_it_says(void **state)
{
    (void)state;
    struct web *web = web_new();
    web_start(web);
    struct vec all = names();
    bool good = true;
    for (size_t i = 0; i < all.length; i++)
        good = try_example(web, all.items[i]) && good;
    vec_free(&all);
    web_free(web);
    assert_true(good);
}

static void every_allocation_of_the_parser_may_fail(void **state)
{
    (void)state;
    static const char text[] = "POST /a?b HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\nE: 1\r\nF: 1\r\nG: 1\r\nH: 1\r\nI: 1\r\nJ: 1\r\nK: 1\r\n"
                               "L: 1\r\nM: 1\r\nN: 1\r\nO: 1\r\nP: 1\r\nQ: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n";
    bool whole = false;
    for (int nth = 1; !whole; nth++) {
        assert_true(nth < 100);
        mem_fail_at(nth);
        struct http_parse *parse = http_parse_new(1 << 16, 1 << 16);
        enum http_parse_result result = HTTP_PARSE_MORE;
        for (size_t at = 0, taken; parse != NULL && at < sizeof text - 1 && result <= HTTP_PARSE_HEAD; at += taken)
            result = http_parse_feed(parse, text + at, sizeof text - 1 - at, &taken);
        mem_fail_at(0);
        whole = result == HTTP_PARSE_WHOLE;
        if (parse != NULL && !whole) {
            assert_int_equal(result, HTTP_PARSE_REFUSED);
            assert_int_equal(http_parse_refusal(parse).status, 500);
        }
        http_parse_free(parse);
    }
}

static void check_unescaped(const char *text, bool query, const char *expected)
{
    char *plain = http_unescape(text, strlen(text), query);
    if (expected == NULL)
        assert_null(plain);
    else
        assert_string_equal(plain, expected);
    mem_free(plain);
}

static void escapes_are_resolved_and_malformed_ones_refused(void **state)
{
    (void)state;
    check_unescaped("", false, "");
    check_unescaped("a%20b%2fc%2F", false, "a b/c/");
    check_unescaped("a+b", false, "a+b");
    check_unescaped("a+b%2B", true, "a b+");
    check_unescaped("%e4%BD%a0", false, "\xe4\xbd\xa0");
    static const char *const malformed[] = {"%", "%4", "%4g", "%g4", "a%00", "%ff", "%c0%80", "%ed%a0%80", "%e4%bd", "%f4%90%80%80", "\xff"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        check_unescaped(malformed[i], false, NULL);
    char *part = http_unescape("%41%42", 3, false); /* its length ends it, not a NUL */
    assert_string_equal(part, "A");
    mem_free(part);
    mem_fail_at(1);
    assert_null(http_unescape("a", 1, false));
    mem_fail_at(0);
}

int test_http_cases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_gives_what_it_says),
        cmocka_unit_test(every_allocation_of_the_parser_may_fail),
        cmocka_unit_test(escapes_are_resolved_and_malformed_ones_refused),
    };
    return cmocka_run_group_tests_name("http cases", tests, NULL, NULL);
}
