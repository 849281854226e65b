/* Label selectors of objects: what they match, how they are written, which are none. */
#include <stdio.h>
#include <string.h>

#include "../../failing.h"
#include "data/json.h"
#include "practice/api/label_selector.h"

static struct value *parse(const char *text)
{
    char json[1024];
    snprintf(json, sizeof json, "%s", text);
    for (char *at = json; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    struct value *document = json_parse(json, strlen(json), "test", NULL);
    assert_non_null(document);
    return document;
}

/* matches, misses: "a=b,c=d" each; NULL: none to be tried. */
static const struct row {
    const char *selector, *text;
    const char *matches[4], *misses[4];
} rows[] = {
    {"{}", "", {"", "a=b"}, {NULL}},
    {"null", "", {NULL}, {"", "a=b"}},
    {"{'matchLabels':{'b':'2','a':'1'}}", "a=1,b=2", {"a=1,b=2", "a=1,b=2,c=3"}, {"", "a=1", "a=1,b=3"}},
    {"{'matchLabels':{'a':''}}", "a=", {"a="}, {"", "a=1"}},
    {"{'matchExpressions':[{'key':'z','operator':'NotIn','values':['y','x']},{'key':'a','operator':'In','values':['2','1']}]}",
     "a in (1,2),z notin (x,y)",
     {"a=1", "a=2,z=w"},
     {"", "a=3", "a=1,z=x"}},
    {"{'matchExpressions':[{'key':'a','operator':'Exists'},{'key':'b','operator':'DoesNotExist','values':[]}]}",
     "a,!b",
     {"a=", "a=1,c=2"},
     {"", "b=1", "a=1,b=1"}},
    {"{'matchLabels':{'a':'1'},'matchExpressions':[{'key':'a','operator':'In','values':['1']}]}",
     "a=1,a in (1)",
     {"a=1"},
     {"a=2"}},
};

/* Labels as an object of texts, and as the index of an object has them. */
static struct value *labels_of(const char *text, char *index)
{
    struct value *labels = value_object();
    while (*text != '\0') {
        char key[32], value[32];
        size_t name = strcspn(text, "="), length = strcspn(text, ",");
        snprintf(key, sizeof key, "%.*s", (int)name, text);
        snprintf(value, sizeof value, "%.*s", (int)(length - name - 1), text + name + 1);
        assert_true(value_set(labels, key, value_string(value)));
        index = stpcpy(stpcpy(index, key) + 1, value) + 1;
        text += length + (text[length] == ',');
    }
    *index = '\0';
    return labels;
}

static void expect(const struct label_selector *selector, const char *labels, bool match, const char *row)
{
    char index[256];
    struct value *object = labels_of(labels, index);
    if (label_selector_matches_labels(selector, object) != match ||
        label_selector_matches(selector, &(struct object){.labels = index}) != match)
        fail_msg("%s: %s", row, labels);
    value_free(object);
}

static void each_selector_matches_what_it_says_and_is_written_as_kubectl_takes_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value *document = parse(rows[i].selector);
        struct label_selector *selector = label_selector_new(document, NULL);
        assert_non_null(selector);
        char *text = label_selector_text(selector);
        assert_string_equal(text, rows[i].text);
        for (size_t k = 0; k < 4 && rows[i].matches[k] != NULL; k++)
            expect(selector, rows[i].matches[k], true, rows[i].selector);
        for (size_t k = 0; k < 4 && rows[i].misses[k] != NULL; k++)
            expect(selector, rows[i].misses[k], false, rows[i].selector);
        assert_int_equal(label_selector_is_empty(selector), i == 0);
        mem_free(text);
        label_selector_free(selector);
        value_free(document);
    }
}

static void a_map_of_labels_wants_all_of_them_and_an_empty_one_matches_nothing(void **state)
{
    (void)state;
    struct value *labels = parse("{'b':'2','a':'1'}"), *none = parse("{}");
    struct label_selector *selector = label_selector_of_map(labels, NULL), *empty = label_selector_of_map(none, NULL),
                          *missing = label_selector_of_map(NULL, NULL);
    char *text = label_selector_text(selector);
    assert_string_equal(text, "a=1,b=2");
    expect(selector, "a=1,b=2", true, "map");
    expect(selector, "a=1", false, "map");
    expect(empty, "a=1", false, "empty");
    expect(missing, "", false, "missing");
    assert_false(label_selector_is_empty(empty));
    mem_free(text);
    label_selector_free(selector);
    label_selector_free(empty);
    label_selector_free(missing);
    value_free(labels);
    value_free(none);
}

static void what_is_no_selector_is_told(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{'matchExpressions':[{'key':'a','operator':'Near','values':['b']}]}",
         "\"Near\" is not a valid label selector operator"},
        {"{'matchExpressions':[{'key':'a','operator':'In'}]}", "values set can't be empty"},
        {"{'matchExpressions':[{'key':'a','operator':'Exists','values':['b']}]}",
         "values set must be empty for exists and does not exist"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        struct value *document = parse(bad[i][0]);
        assert_null(label_selector_new(document, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_non_null(strstr(err.message, bad[i][1]));
        value_free(document);
    }
}

static void make(void *document)
{
    struct error err = ERROR_INIT;
    struct label_selector *selector = label_selector_new(document, &err);
    if (selector == NULL)
        assert_int_equal(err.kind, ERROR_MEMORY);
    mem_free(selector != NULL ? label_selector_text(selector) : NULL);
    label_selector_free(selector);
}

static void without_memory_there_is_none_and_nothing_is_left(void **state)
{
    (void)state;
    struct value *document = parse(rows[4].selector), *labels = parse(rows[2].selector);
    each_allocation_failing(make, document);
    each_allocation_failing(make, labels);
    value_free(document);
    value_free(labels);
}

int test_label_selector(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_selector_matches_what_it_says_and_is_written_as_kubectl_takes_it),
        cmocka_unit_test(a_map_of_labels_wants_all_of_them_and_an_empty_one_matches_nothing),
        cmocka_unit_test(what_is_no_selector_is_told),
        cmocka_unit_test(without_memory_there_is_none_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
