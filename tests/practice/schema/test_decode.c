#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/decode.h"

enum { MOST_FILE = 1 << 26, MOST_TEXT = 1 << 22 };

static const struct schema *schema_of(const struct schema_type_meta *meta)
{
    char group[128] = "";
    const char *slash = strchr(meta->api_version, '/');
    snprintf(group, sizeof group, "%.*s", slash != NULL ? (int)(slash - meta->api_version) : 0, meta->api_version);
    const struct schema_kind *kind = schema_kind_of(group, slash != NULL ? slash + 1 : meta->api_version, meta->kind);
    return kind != NULL ? kind->schema : NULL;
}

/* What is recorded of a body, as lines: = OBJECT or ! ERROR, ? COMPLAINT. The caller frees; NULL: its kind is not served. */
static char *decoded(const char *body)
{
    struct error err = ERROR_INIT;
    struct schema_type_meta meta;
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct buf out = buf_make(MOST_TEXT);
    struct value *object = NULL;
    const struct schema *schema = NULL;
    if (schema_type_meta(body, strlen(body), &meta, &err)) {
        schema = schema_of(&meta);
        if (schema == NULL)
            return NULL;
        object = schema_decode(body, strlen(body), schema, &complaints, &err);
    }
    if (object == NULL) {
        buf_printf(&out, "! %s\n", err.message);
    } else {
        buf_append_string(&out, "= ");
        json_print(object, false, &out);
        buf_append_string(&out, "\n");
        for (size_t i = 0; i < complaints.length; i++)
            buf_printf(&out, "? %s\n", (char *)complaints.items[i]);
        char *once = json_text(object, MOST_TEXT);
        assert_true(schema_normalise(object, schema, NULL, &err));
        char *twice = json_text(object, MOST_TEXT);
        assert_string_equal(once, twice);
        mem_free(once);
        mem_free(twice);
    }
    value_free(object);
    vec_free(&complaints);
    return buf_take(&out, NULL);
}

static int wrong, cases;

static void check(const char *body, const char *recorded)
{
    char *got = decoded(body);
    if (got == NULL)
        return;
    cases++;
    if (strcmp(got, recorded) != 0 && wrong++ < 20)
        print_error("%s\nwanted\n%sgot\n%s\n", body, recorded, got);
    mem_free(got);
}

/* Bodies and, below each, what is recorded; # begins a comment. */
static void check_file(const char *path)
{
    char *text = file_read(path, MOST_FILE, NULL, NULL), *rest = text, *body = NULL;
    assert_non_null(text);
    struct buf recorded = buf_make(MOST_TEXT);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (strchr("=!?", line[0]) != NULL && line[0] != '\0') {
            buf_printf(&recorded, "%s\n", line);
            continue;
        }
        if (body != NULL)
            check(body, recorded.bytes);
        buf_clear(&recorded);
        body = line[0] == '#' || line[0] == '\0' ? NULL : line;
    }
    if (body != NULL)
        check(body, recorded.bytes);
    buf_free(&recorded);
    mem_free(text);
}

static void bodies_are_read_as_the_real_server_reads_them(void **state)
{
    (void)state;
    const char *more = getenv("KT_DECODE_CASES"); /* a file of many more, made by record-decode.go */
    glob_t found;
    assert_int_equal(glob(KT_TEST_CASES "/decode/*.txt", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_file(found.gl_pathv[i]);
    globfree(&found);
    if (more != NULL)
        check_file(more);
    print_message("%d bodies\n", cases);
    assert_int_equal(wrong, 0);
    assert_true(cases > 10);
}

int test_decode(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_read_as_the_real_server_reads_them),
    };
    return cmocka_run_group_tests_name("practice/schema/decode", tests, NULL, NULL);
}
