/* crd_cell: cells of printer columns. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/crd_path.h"
#include "practice/schema/go_print.h"

enum { CELL = 1 << 20 };

static void print_plain(const struct value *v, struct buf *out)
{
    char number[CRD_NUMBER];
    int64_t i;
    double d = 0;
    bool whole = value_as_int(v, &i);
    if (whole) {
        buf_printf(out, "%lld", (long long)i);
        return;
    }
    value_as_double(v, &d);
    crd_print_number(d, false, number);
    buf_append_string(out, number);
}

/* A text as the printer makes it of anything: lists and objects are JSON. */
static bool print_text(const struct value *v, struct buf *out)
{
    if (value_text(v) != NULL) {
        json_quote(value_text(v), out);
        return buf_ok(out);
    }
    struct buf text = buf_make(CELL);
    if (value_type(v) == VALUE_OBJECT || value_type(v) == VALUE_ARRAY)
        json_print(v, false, &text);
    else if (value_type(v) == VALUE_NULL)
        buf_append_string(&text, "null");
    else if (value_type(v) == VALUE_NUMBER)
        print_plain(v, &text);
    else
        go_print(v, &text);
    bool ok = buf_ok(&text);
    if (ok)
        json_quote(text.bytes != NULL ? text.bytes : "", out);
    buf_free(&text);
    return ok && buf_ok(out);
}

/* How long ago a time was; a time to come is "<invalid>". */
static void print_age(const char *text, int64_t now_ms, struct buf *out)
{
    char age[16];
    int64_t ms;
    if (!time_parse(text, &ms)) {
        buf_append_string(out, "\"<invalid>\"");
        return;
    }
    int64_t since = now_ms - ms;
    if (since < -1999) {
        buf_append_string(out, "\"<invalid>\"");
        return;
    }
    duration_print(since < 0 ? 0 : since, age);
    json_quote(age, out);
}

/* A number that must be one; whole ones lose their fraction. */
static void print_number(const struct value *v, bool whole, struct buf *out)
{
    double d;
    int64_t i;
    if (value_as_int(v, &i))
        buf_printf(out, "%lld", (long long)i);
    else if (!value_as_double(v, &d))
        buf_append_string(out, "null");
    else if (whole)
        buf_printf(out, "%lld", d > 9e18 ? INT64_MAX : d < -9e18 ? INT64_MIN : (long long)d);
    else
        json_print(v, false, out);
}

static bool print_cell(const struct value *v, const char *type, int64_t now_ms, struct buf *out)
{
    if (strcmp(type, "string") == 0)
        return print_text(v, out);
    if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
        print_number(v, type[0] == 'i', out);
    else if (strcmp(type, "boolean") == 0 && value_type(v) == VALUE_BOOL)
        buf_append_string(out, value_is_true(v) ? "true" : "false");
    else if (strcmp(type, "date") == 0 && value_text(v) != NULL)
        print_age(value_text(v), now_ms, out);
    else
        buf_append_string(out, "null");
    return buf_ok(out);
}

bool crd_cell(const struct schema_kind *kind, size_t column, const struct value *object, int64_t now_ms, struct buf *out)
{
    const struct crd_version *version = crd_version_of(kind);
    struct vec found = vec_make(CRD_PATH_RESULTS, NULL);
    bool ok = true;
    if (crd_path_find(version->paths[column], object, &found) && found.length > 0)
        ok = print_cell(found.items[0], version->columns[column].type, now_ms, out);
    else
        buf_append_string(out, "null");
    vec_free(&found);
    return ok && buf_ok(out);
}
