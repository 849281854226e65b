/* table: which columns a kind has, and an object as a row of them. */
#include <string.h>

#include "data/json.h"
#include "practice/api/describe.h"
#include "practice/api/table_internal.h"
#include "practice/schema/crd.h"

static const struct column *columns_of(const struct schema_kind *kind)
{
    for (const struct table_kind *known = table_kinds; known->kind != NULL; known++)
        if (strcmp(known->kind, kind->kind) == 0 && strcmp(known->group, kind->group) == 0)
            return known->columns;
    return table_default;
}

static void put_column(const char *name, const char *type, const char *format, const char *description, int priority, struct buf *out)
{
    const char *const words[][2] = {{"{\"name\":", name}, {",\"type\":", type}, {",\"format\":", format}, {",\"description\":", description}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        buf_append_string(out, words[i][0]);
        json_quote(words[i][1], out);
    }
    buf_printf(out, ",\"priority\":%d}", priority);
}

void table_columns(const struct schema_kind *kind, struct buf *out)
{
    buf_append_string(out, "\"columnDefinitions\":[");
    if (kind->crd != NULL) {
        const struct crd_column *custom;
        size_t count = crd_columns(kind, &custom);
        put_column(table_default->name, table_default->type, table_default->format, table_default->description, 0, out);
        for (size_t i = 0; i < count; i++) {
            buf_append_string(out, ",");
            put_column(custom[i].name, custom[i].type, custom[i].format, custom[i].description, custom[i].priority, out);
        }
    } else {
        const struct column *columns = columns_of(kind);
        for (const struct column *column = columns; column->make != NULL; column++) {
            if (column->name == NULL)
                continue;
            buf_append(out, ",", column > columns);
            put_column(column->name, column->type, column->format, column->description, column->priority, out);
        }
    }
    buf_append_string(out, "]");
}

static bool put_cells(const struct column *columns, struct row *row, struct buf *out)
{
    for (const struct column *column = columns; column->make != NULL; column++) {
        buf_append(out, ",", column > columns);
        buf_clear(&row->text);
        enum cell form = column->make(row, column);
        if (row->failed || !buf_ok(&row->text))
            return false;
        const char *text = row->text.length > 0 ? row->text.bytes : "";
        if (form == CELL_LITERAL)
            buf_append_string(out, text);
        else
            json_quote(text, out);
    }
    return true;
}

static bool put_custom_cells(const struct schema_kind *kind, struct row *row, struct buf *out)
{
    static const struct column name[] = {{.make = cell_text, .path = "metadata.name"}, {.make = NULL}};
    const struct crd_column *custom;
    size_t count = crd_columns(kind, &custom);
    bool put = put_cells(name, row, out);
    for (size_t i = 0; put && i < count; i++) {
        buf_append_string(out, ",");
        put = crd_cell(kind, i, row->document, row->now_ms, out);
    }
    return put;
}

static void put_object(const struct schema_kind *kind, const struct value *document, const struct object *object, enum include_object include, struct buf *out)
{
    buf_append_string(out, ",\"object\":");
    if (include == INCLUDE_NONE) {
        buf_append_string(out, "null");
    } else if (include == INCLUDE_METADATA) {
        buf_append_string(out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":");
        json_print(value_get(document, "metadata"), false, out);
        buf_append_string(out, "}");
    } else if (object != NULL) {
        struct buf head = buf_make(1024);
        api_head(kind, &head);
        object_print(object, buf_ok(&head) ? head.bytes : "{", out);
        buf_free(&head);
    } else {
        json_print(document, false, out);
    }
}

bool table_row(const struct schema_kind *kind, const struct value *document, const struct object *object, enum include_object include, int64_t now_ms, struct buf *out,
               struct error *err)
{
    struct row row = {.document = document, .now_ms = now_ms, .text = buf_make(TABLE_CELL)};
    buf_append_string(out, "{\"cells\":[");
    bool put = kind->crd != NULL ? put_custom_cells(kind, &row, out) : put_cells(columns_of(kind), &row, out);
    buf_free(&row.text);
    buf_append_string(out, "]");
    if (strcmp(kind->kind, "Pod") == 0 && kind->group[0] == '\0')
        pod_row_conditions(document, out);
    put_object(kind, document, object, include, out);
    buf_append_string(out, "}");
    return (put && buf_ok(out)) || error_memory(err);
}
