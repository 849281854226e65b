/* table.h: a Markdown table laid out in columns; inside text/ only.
 *
 * Columns that do not fit become narrower, the widest first, and their cells take several lines. Where even that leaves too
 * little, each row is written as "heading: cell" lines instead.
 */
#ifndef KT_TEXT_TABLE_H
#define KT_TEXT_TABLE_H

#include "text/rich.h"

enum table_align { TABLE_LEFT, TABLE_CENTRE, TABLE_RIGHT };

struct table_cell {
    struct rich text; /* owned by the table */
    enum table_align align;
};

struct table {
    size_t columns;
    struct table_cell *cells; /* owned; row after row, the first row is the heading */
    size_t count, room;
};

enum { TABLE_CELLS = 20000 };

/* Takes the cell's text over, leaving an empty one. ERROR_NONE, ERROR_MEMORY, ERROR_LIMIT. */
enum error_kind table_add(struct table *table, struct rich *text, enum table_align align) __attribute__((warn_unused_result));
void table_free(struct table *table);

/* Is given each line; must copy what it keeps. False: no more are wanted. */
typedef bool table_emit(void *context, const struct rich *line);

/* Makes the lines, at most `width` (>= 2) columns wide. False: no memory. */
bool table_lay_out(const struct table *table, size_t width, table_emit *emit, void *context)
    __attribute__((warn_unused_result));

#endif
