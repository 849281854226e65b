/* table_cells: what many columns show: the value at a path, in words. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/table_internal.h"

enum { KEY = 64 /* bytes of a step of a path */, LIST = 1 << 16 /* entries that are sorted */ };

const struct value *row_look(const struct row *row, const char *path)
{
    const struct value *found = row->document;
    while (found != NULL && *path != '\0') {
        char key[KEY];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        found = value_get(found, key);
        path += length + (path[length] == '.');
    }
    return found;
}

void row_put(struct row *row, const char *text)
{
    buf_append_string(&row->text, text);
}

void row_put_piece(struct row *row, const char *separator, const char *text)
{
    if (row->text.length > 0)
        row_put(row, separator);
    row_put(row, text);
}

void row_put_age(struct row *row, const char *time)
{
    char age[16] = "<unknown>";
    int64_t ms;
    if (time != NULL && time_parse(time, &ms))
        duration_print(row->now_ms - ms, age);
    row_put(row, age);
}

static void put_otherwise(struct row *row, const struct column *column)
{
    if (column->otherwise != NULL)
        row_put(row, column->otherwise);
}

struct value *condition_of(const struct value *conditions, const char *type)
{
    for (struct value *condition = value_first(conditions); condition != NULL; condition = value_next(condition)) {
        const char *has = value_find_text(condition, "type", NULL);
        if (has != NULL && strcmp(has, type) == 0)
            return condition;
    }
    return NULL;
}

bool condition_holds(const struct value *conditions, const char *type)
{
    const char *status = value_find_text(condition_of(conditions, type), "status", NULL);
    return status != NULL && strcmp(status, "True") == 0;
}

enum cell cell_text(struct row *row, const struct column *column)
{
    const struct value *found = row_look(row, column->path);
    int64_t number;
    if (value_text(found) != NULL)
        row_put(row, value_text(found));
    else if (value_as_int(found, &number))
        buf_printf(&row->text, "%lld", (long long)number);
    else
        put_otherwise(row, column);
    return CELL_TEXT;
}

enum cell cell_filled(struct row *row, const struct column *column)
{
    cell_text(row, column);
    if (row->text.length == 0)
        put_otherwise(row, column);
    return CELL_TEXT;
}

enum cell cell_number(struct row *row, const struct column *column)
{
    int64_t number = 0;
    if (!value_as_int(row_look(row, column->path), &number) && column->otherwise != NULL) {
        row_put(row, column->otherwise);
        return CELL_TEXT;
    }
    buf_printf(&row->text, "%lld", (long long)number);
    return CELL_LITERAL;
}

enum cell cell_bool(struct row *row, const struct column *column)
{
    const struct value *found = row_look(row, column->path);
    if (value_type(found) == VALUE_BOOL || column->otherwise == NULL)
        row_put(row, value_is_true(found) ? "true" : "false");
    else
        row_put(row, column->otherwise);
    return CELL_LITERAL;
}

enum cell cell_truth(struct row *row, const struct column *column)
{
    const struct value *found = row_look(row, column->path);
    row_put(row, value_type(found) != VALUE_BOOL ? "<unset>" : value_is_true(found) ? "True" : "False");
    return CELL_TEXT;
}

enum cell cell_count(struct row *row, const struct column *column)
{
    buf_printf(&row->text, "%zu", value_length(row_look(row, column->path)));
    return CELL_LITERAL;
}

enum cell cell_age(struct row *row, const struct column *column)
{
    const char *time = value_text(row_look(row, column->path));
    if (time == NULL && column->otherwise != NULL)
        row_put(row, column->otherwise);
    else
        row_put_age(row, time);
    return CELL_TEXT;
}

static enum cell put_items(struct row *row, const struct column *column, const char *field)
{
    bool any = false;
    for (const struct value *item = value_first(row_look(row, column->path)); item != NULL; item = value_next(item)) {
        const char *text = field != NULL ? value_find_text(item, field, NULL) : value_text(item);
        if (any)
            row_put(row, ",");
        row_put(row, text != NULL ? text : "");
        any = true;
    }
    if (!any)
        put_otherwise(row, column);
    return CELL_TEXT;
}

enum cell cell_list(struct row *row, const struct column *column)
{
    return put_items(row, column, NULL);
}

enum cell cell_item_names(struct row *row, const struct column *column)
{
    return put_items(row, column, "name");
}

enum cell cell_images(struct row *row, const struct column *column)
{
    return put_items(row, column, "image");
}

enum cell cell_audiences(struct row *row, const struct column *column)
{
    return put_items(row, column, "audience");
}

enum cell cell_ready(struct row *row, const struct column *column)
{
    (void)column;
    buf_printf(&row->text, "%lld/%lld", (long long)value_find_int(row->document, 0, "status", "readyReplicas", NULL),
               (long long)value_find_int(row->document, 0, "spec", "replicas", NULL));
    return CELL_TEXT;
}

/* ---- sorted lists ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

void row_put_set(struct row *row, struct vec *texts)
{
    vec_sort(texts, by_text);
    for (size_t i = 0; i < texts->length; i++)
        if (i == 0 || strcmp(texts->items[i - 1], texts->items[i]) != 0)
            row_put_piece(row, ",", texts->items[i]);
    vec_free(texts);
}

/* Entries in the order of "key=value". */
static int by_key(const void *a, const void *b)
{
    const char *one = value_key(a), *other = value_key(b);
    while (*one == *other && *one != '\0') {
        one++;
        other++;
    }
    int left = *one == '\0' ? '=' : (unsigned char)*one, right = *other == '\0' ? '=' : (unsigned char)*other;
    return left - right;
}

enum cell cell_labels(struct row *row, const struct column *column)
{
    struct vec entries = vec_make(LIST, NULL);
    for (struct value *entry = value_first(row_look(row, column->path)); entry != NULL; entry = value_next(entry))
        if (!vec_push(&entries, entry))
            row->failed = true;
    vec_sort(&entries, by_key);
    for (size_t i = 0; i < entries.length; i++) {
        row_put_piece(row, ",", value_key(entries.items[i]));
        row_put(row, "=");
        row_put(row, value_text(entries.items[i]) != NULL ? value_text(entries.items[i]) : "");
    }
    if (entries.length == 0)
        put_otherwise(row, column);
    vec_free(&entries);
    return CELL_TEXT;
}

/* A requirement is an entry of matchLabels, or an item of matchExpressions. */
static const char *requirement_key(const struct value *requirement)
{
    return value_key(requirement) != NULL ? value_key(requirement) : value_find_text(requirement, "key", NULL);
}

static int by_requirement(const void *a, const void *b)
{
    return strcmp(requirement_key(a), requirement_key(b));
}

static void put_values(struct row *row, const char *word, const struct value *values)
{
    struct vec texts = vec_make(LIST, mem_free);
    for (const struct value *item = value_first(values); item != NULL; item = value_next(item))
        if (value_text(item) != NULL && !vec_push_string(&texts, value_text(item)))
            row->failed = true;
    vec_sort(&texts, by_text);
    row_put(row, word);
    for (size_t i = 0; i < texts.length; i++) {
        if (i > 0)
            row_put(row, ",");
        row_put(row, texts.items[i]);
    }
    row_put(row, ")");
    vec_free(&texts);
}

static void put_requirement(struct row *row, const struct value *requirement)
{
    const char *op = value_key(requirement) == NULL ? value_find_text(requirement, "operator", NULL) : NULL;
    bool absent = op != NULL && strcmp(op, "DoesNotExist") == 0;
    row_put_piece(row, ",", absent ? "!" : "");
    row_put(row, requirement_key(requirement));
    if (op == NULL) {
        row_put(row, "=");
        row_put(row, value_text(requirement) != NULL ? value_text(requirement) : "");
    } else if (strcmp(op, "In") == 0) {
        put_values(row, " in (", value_get(requirement, "values"));
    } else if (strcmp(op, "NotIn") == 0) {
        put_values(row, " notin (", value_get(requirement, "values"));
    }
}

enum cell cell_selector(struct row *row, const struct column *column)
{
    const char *const parts[] = {"matchLabels", "matchExpressions"};
    const struct value *selector = row_look(row, column->path);
    struct vec requirements = vec_make(LIST, NULL);
    for (size_t i = 0; i < 2; i++)
        for (struct value *part = value_first(value_get(selector, parts[i])); part != NULL; part = value_next(part))
            if (requirement_key(part) != NULL && !vec_push(&requirements, part))
                row->failed = true;
    vec_sort(&requirements, by_requirement);
    for (size_t i = 0; i < requirements.length; i++)
        put_requirement(row, requirements.items[i]);
    if (requirements.length == 0)
        put_otherwise(row, column);
    vec_free(&requirements);
    return CELL_TEXT;
}
