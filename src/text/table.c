#include "text/table.h"

#include "base/mem.h"
#include "text/width.h"

enum {
    GAP = 3,                /* columns of " │ " */
    LEAST = 8,              /* no column is made narrower than this to fit */
    LINE_MAXIMUM = 1 << 20, /* bytes of a line: far more than its columns hold */
};

enum error_kind table_add(struct table *table, struct rich *text, enum table_align align)
{
    if (table->count == TABLE_CELLS)
        return ERROR_LIMIT;
    if (table->count == table->room) {
        size_t room = table->room > 0 ? table->room * 2 : 16;
        struct table_cell *cells = mem_resize(table->cells, room * sizeof *cells);
        if (cells == NULL)
            return ERROR_MEMORY;
        table->cells = cells;
        table->room = room;
    }
    table->cells[table->count++] = (struct table_cell){*text, align};
    *text = rich_make(text->text.maximum);
    return ERROR_NONE;
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        rich_free(&table->cells[i].text);
    mem_free(table->cells);
    *table = (struct table){0};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t sum_capped(const size_t *widths, size_t count, size_t cap)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += smaller(widths[i], cap);
    return sum;
}

/* Fills `widths` with what each column gets of `width`. False: the table cannot be drawn in columns. */
static bool share_out(const struct table *table, size_t width, size_t *widths)
{
    if (table->columns * (GAP + 1) > width + GAP)
        return false;
    size_t space = width - GAP * (table->columns - 1);
    for (size_t i = 0; i < table->columns; i++)
        widths[i] = 1;
    for (size_t i = 0; i < table->count; i++) {
        size_t *widest = &widths[i % table->columns];
        size_t natural = smaller(rich_width(&table->cells[i].text), space);
        *widest = natural > *widest ? natural : *widest;
    }
    size_t cap = space;
    while (cap > LEAST && sum_capped(widths, table->columns, cap) > space)
        cap--;
    if (sum_capped(widths, table->columns, cap) > space)
        return false;
    for (size_t i = 0; i < table->columns; i++)
        widths[i] = smaller(widths[i], cap);
    return true;
}

static void append_cell_line(struct rich *line, const struct table_cell *cell, size_t width, size_t *at)
{
    size_t start = 0, end = 0;
    if (!rich_next_line(&cell->text, width, at, &start, &end))
        start = end = 0;
    size_t used = end > start ? width_text(cell->text.text.bytes + start, end - start) : 0;
    size_t left = width - used;
    size_t before = cell->align == TABLE_RIGHT ? left : cell->align == TABLE_CENTRE ? left / 2 : 0;
    rich_pad(line, before, STYLE_NORMAL);
    rich_append_slice(line, &cell->text, start, end, STYLE_NORMAL);
    rich_pad(line, left - before, STYLE_NORMAL);
}

struct layout {
    const struct table *table;
    size_t width;
    size_t *widths; /* of the columns */
    size_t *at;     /* how far each cell of the row is written */
    struct rich line;
    table_emit *emit;
    void *context;
    bool stopped, failed;
};

static void emit_line(struct layout *layout)
{
    layout->failed = layout->failed || !rich_ok(&layout->line); /* looked at here: the next line clears it */
    if (!layout->stopped)
        layout->stopped = layout->failed || !layout->emit(layout->context, &layout->line);
}

static bool row_has_more(const struct layout *layout, const struct table_cell *cells)
{
    for (size_t i = 0; i < layout->table->columns; i++)
        if (layout->at[i] < cells[i].text.text.length)
            return true;
    return false;
}

static void lay_out_row(struct layout *layout, const struct table_cell *cells)
{
    for (size_t i = 0; i < layout->table->columns; i++)
        layout->at[i] = 0;
    do {
        rich_clear(&layout->line);
        for (size_t i = 0; i < layout->table->columns; i++) {
            if (i > 0)
                rich_append_string(&layout->line, " │ ", STYLE_MUTED);
            append_cell_line(&layout->line, &cells[i], layout->widths[i], &layout->at[i]);
        }
        rich_trim(&layout->line);
        emit_line(layout);
    } while (!layout->stopped && row_has_more(layout, cells));
}

static void lay_out_rule(struct layout *layout)
{
    rich_clear(&layout->line);
    for (size_t i = 0; i < layout->table->columns; i++) {
        if (i > 0)
            rich_append_string(&layout->line, "─┼─", STYLE_MUTED);
        for (size_t n = 0; n < layout->widths[i]; n++)
            rich_append_string(&layout->line, "─", STYLE_MUTED);
    }
    emit_line(layout);
}

static void lay_out_columns(struct layout *layout)
{
    const struct table *table = layout->table;
    for (size_t row = 0; !layout->stopped && row < table->count / table->columns; row++) {
        lay_out_row(layout, table->cells + row * table->columns);
        if (row == 0)
            lay_out_rule(layout);
    }
}

/* One "heading: cell" of a row; a table that is all heading has its cells listed. */
static void lay_out_pair(struct layout *layout, struct rich *pair, const struct rich *heading, const struct rich *cell)
{
    rich_clear(pair);
    rich_append_slice(pair, heading, 0, heading->text.length, STYLE_NORMAL);
    if (cell != NULL) {
        rich_append_string(pair, ": ", STYLE_MUTED);
        rich_append_slice(pair, cell, 0, cell->text.length, STYLE_NORMAL);
    }
    layout->failed = layout->failed || !rich_ok(pair);
    size_t at = 0, start, end;
    while (!layout->stopped && rich_next_line(pair, layout->width, &at, &start, &end)) {
        rich_clear(&layout->line);
        rich_append_slice(&layout->line, pair, start, end, STYLE_NORMAL);
        emit_line(layout);
    }
}

static void lay_out_pairs(struct layout *layout)
{
    const struct table *table = layout->table;
    struct rich pair = rich_make(table->cells[0].text.text.maximum * 2 + 2);
    size_t rows = table->count / table->columns;
    for (size_t row = rows > 1 ? 1 : 0; !layout->stopped && row < rows; row++) {
        if (row > 1) {
            rich_clear(&layout->line);
            emit_line(layout);
        }
        for (size_t i = 0; i < table->columns && !layout->stopped; i++)
            lay_out_pair(layout, &pair, &table->cells[i].text, row > 0 ? &table->cells[row * table->columns + i].text : NULL);
    }
    rich_free(&pair);
}

bool table_lay_out(const struct table *table, size_t width, table_emit *emit, void *context)
{
    if (table->columns == 0 || table->count < table->columns)
        return true;
    struct layout layout = {.table = table, .width = width, .emit = emit, .context = context, .line = rich_make(LINE_MAXIMUM)};
    layout.widths = mem_zero(table->columns, sizeof *layout.widths);
    layout.at = mem_zero(table->columns, sizeof *layout.at);
    bool ok = layout.widths != NULL && layout.at != NULL;
    if (ok && share_out(table, width, layout.widths))
        lay_out_columns(&layout);
    else if (ok)
        lay_out_pairs(&layout);
    rich_free(&layout.line);
    mem_free(layout.at);
    mem_free(layout.widths);
    return ok && !layout.failed;
}
