#include "practice/state/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const char text[] = "\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"\"}}";
static const char *const labels[] = {"tier", "front", "app", "web", "empty", "", NULL};
static const char *const fields[] = {"node-1", "", "Running"};

static struct object_new sample(void)
{
    struct object_new wanted = {.resource = 3, .ns = "learn", .name = "a", .uid = "u-1", .text = text, .length = strlen(text), .labels = labels,
                                .fields = fields, .field_count = 3, .flags = 5, .time_ms = 99};
    wanted.gap = (size_t)(strstr(text, "\"\"") - text) + 1;
    return wanted;
}

static void labels_are_found_by_their_key(void **state)
{
    (void)state;
    struct object_new wanted = sample();
    struct object *object = object_new(&wanted, 7);
    assert_string_equal(object_label(object, "app"), "web");
    assert_string_equal(object_label(object, "tier"), "front");
    assert_string_equal(object_label(object, "empty"), "");
    assert_null(object_label(object, "ap"));
    assert_null(object_label(object, "zone"));
    assert_null(object_label(object, ""));
    assert_int_equal(object->field_count, 3);
    assert_string_equal(object->fields, "node-1");
    assert_string_equal(object->fields + 8, "Running");
    object_unref(object);
}

static void one_without_labels_and_fields_has_none(void **state)
{
    (void)state;
    struct object_new wanted = {.resource = 1, .ns = "", .name = "a", .uid = "", .text = "}", .length = 1};
    struct object *object = object_new(&wanted, 1);
    assert_null(object_label(object, "app"));
    assert_null(object->fields);
    assert_int_equal(object_labels_length(object), 1);
    assert_int_equal(object_fields_length(object), 0);
    object_unref(object);
}

static void it_is_printed_with_its_version_in_the_gap(void **state)
{
    (void)state;
    struct object_new wanted = sample();
    struct object *object = object_new(&wanted, 18446744073709551615u);
    struct buf out = buf_make(1000);
    object_print(object, "{\"kind\":\"Pod\",", &out);
    assert_true(buf_ok(&out));
    assert_string_equal(out.bytes, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"18446744073709551615\"}}");
    buf_free(&out);
    object_unref(object);
}

static void a_copy_has_all_but_the_version(void **state)
{
    (void)state;
    struct object_new wanted = sample();
    struct object *object = object_new(&wanted, 7), *again = object_again(object, 8);
    assert_int_equal(again->version, 8);
    assert_int_equal(again->references, 1);
    assert_int_equal(object_bytes(again), object_bytes(object));
    assert_memory_equal(again->ns, object->ns, (size_t)(object->text + object->length + 1 - object->ns));
    assert_true(again->resource == 3 && again->flags == 5 && again->time_ms == 99 && again->gap == object->gap && again->field_count == 3);
    object_unref(object);
    assert_string_equal(object_label(again, "app"), "web");
    object_unref(again);
    object_unref(NULL);
}

/* An object as a file might give it, with these bytes for the labels and a gap. */
static bool settles(const char *ns, size_t ns_length, const char *label_bytes, size_t label_length, size_t gap)
{
    struct object_sizes sizes = {.ns = ns_length, .name = 1, .uid = 1, .labels = label_length, .fields = 2, .text = 2, .has_fields = true};
    struct object *object = object_room(&sizes);
    assert_non_null(object);
    char *tail = (char *)(object + 1);
    memcpy(tail, ns, ns_length + 1);
    memcpy(tail + ns_length + 1, "n\0u", 4);
    memcpy(tail + ns_length + 5, label_bytes, label_length);
    memcpy(tail + ns_length + 5 + label_length, "f\0{}", 5);
    object->gap = gap;
    bool fits = object_settle(object, &sizes);
    assert_true(!fits || object->field_count == 1);
    object_unref(object);
    return fits;
}

static void what_a_file_says_is_looked_at(void **state)
{
    (void)state;
    assert_true(settles("ns", 2, "a\0b\0", 5, 2));
    assert_true(settles("", 0, "", 1, 0));
    assert_false(settles("n\0", 2, "a\0b\0", 5, 2));          /* a NUL in a name */
    assert_false(settles("n/s", 3, "a\0b\0", 5, 2));          /* a slash in a namespace */
    assert_false(settles("ns", 2, "a\0b\0", 5, 3));           /* a gap behind the text */
    assert_false(settles("ns", 2, "a\0b", 4, 2));             /* no end */
    assert_false(settles("ns", 2, "a\0", 3, 2));              /* a key without a value */
    assert_false(settles("ns", 2, "a", 1, 2));                /* no NUL */
    assert_false(settles("ns", 2, "", 0, 2));                 /* not even the end */
    assert_false(settles("ns", 2, "b\0x\0a\0y\0", 9, 2));     /* not sorted */
    assert_false(settles("ns", 2, "a\0b\0\0c\0d\0", 10, 2)); /* something behind the end */
}

static void without_memory_there_is_none(void **state)
{
    (void)state;
    struct object_new wanted = sample();
    for (int nth = 1; nth <= 2; nth++) {
        mem_fail_at(nth);
        assert_null(object_new(&wanted, 1));
    }
    struct object *object = object_new(&wanted, 1);
    mem_fail_at(1);
    assert_null(object_again(object, 2));
    object_unref(object);
}

int test_object(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_found_by_their_key),
        cmocka_unit_test(one_without_labels_and_fields_has_none),
        cmocka_unit_test(it_is_printed_with_its_version_in_the_gap),
        cmocka_unit_test(a_copy_has_all_but_the_version),
        cmocka_unit_test(what_a_file_says_is_looked_at),
        cmocka_unit_test(without_memory_there_is_none),
    };
    return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
