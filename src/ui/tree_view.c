#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "text/width.h"
#include "ui/views.h"

enum { TREE_INDENT = 2, TREE_LEAST_NAME = 12 };

static const struct {
    const char *mark;
    enum role role;
} healths[] = {
    [TREE_GOOD] = {"●", ROLE_GOOD}, [TREE_BUSY] = {"◌", ROLE_BUSY}, [TREE_BAD] = {"✗", ROLE_BAD}, [TREE_GOING] = {"○", ROLE_MUTED}, [TREE_PLAIN] = {"·", ROLE_TEXT},
};

/* A long name loses its beginning, as its end tells siblings apart: "…-66686b6766-6fwqq". */
static struct safe_text short_name(const char *kind, const char *name, size_t columns)
{
    char *whole = mem_printf("%s %s", kind, name);
    struct safe_text safe = safe_string(whole);
    mem_free(whole);
    size_t kind_length = strlen(kind) + 1, width = safe.bytes != NULL ? width_text(safe.bytes, safe.length) : 0;
    if (width <= columns || kind_length >= safe.length)
        return safe;
    size_t skip = kind_length, over = width - columns + 1;
    while (skip < safe.length && over > 0) {
        unsigned code_point;
        skip += utf8_decode(safe.bytes + skip, safe.length - skip, &code_point);
        size_t wide = (size_t)width_of(code_point);
        over -= wide < over ? wide : over;
    }
    char *cut = mem_printf("%.*s…%s", (int)kind_length, safe.bytes, safe.bytes + skip);
    struct safe_text result = safe_string(cut);
    mem_free(cut);
    safe_free(&safe);
    return result;
}

static void add_row(struct vec *lines, const struct tree_row *row, bool flash, size_t columns)
{
    size_t indent = (size_t)row->depth * TREE_INDENT, summary = strlen(row->summary) < columns / 2 ? strlen(row->summary) : columns / 2;
    size_t room = columns > indent + summary + 4 + TREE_LEAST_NAME ? columns - indent - summary - 4 : TREE_LEAST_NAME;
    struct safe_text name = short_name(row->kind, row->name, room), told = safe_string(row->summary);
    const char *mark = healths[row->health].mark;
    const char *going = row->health == TREE_GOING ? _(" (being deleted)") : "";
    char *text = mem_printf("%*s%s %s%s%s%s", (int)indent, "", mark, name.bytes != NULL ? name.bytes : "", told.length > 0 ? "  " : "",
                            told.bytes != NULL ? told.bytes : "", going);
    struct line *line = mem_zero(1, sizeof *line);
    struct role_span *spans = mem_zero(3, sizeof *spans);
    if (text != NULL && line != NULL && spans != NULL) {
        size_t mark_end = indent + strlen(mark), name_end = mark_end + 1 + name.length, all = strlen(text);
        *line = (struct line){.text = {.bytes = text, .length = all}, .spans = spans, .span_count = 3, .target = -1};
        spans[0] = (struct role_span){.start = indent, .length = mark_end - indent, .role = healths[row->health].role};
        spans[1] = (struct role_span){.start = mark_end + 1, .length = name_end - mark_end - 1, .role = flash ? ROLE_FLASH : ROLE_TEXT};
        spans[2] = (struct role_span){.start = name_end, .length = all - name_end, .role = row->health == TREE_PLAIN ? ROLE_MUTED : healths[row->health].role};
        (void)!vec_push(lines, line);
    } else {
        mem_free(text);
        mem_free(line);
        mem_free(spans);
    }
    safe_free(&name);
    safe_free(&told);
}

int64_t tree_view_build(struct vec *lines, const struct tree_row *rows, size_t count, int64_t now, size_t columns)
{
    int64_t ends = -1;
    for (size_t i = 0; i < count && i < LINES_MAXIMUM; i++) {
        int64_t end = rows[i].changed_ms + TREE_FLASH_MS;
        bool flash = rows[i].changed_ms > 0 && end > now;
        if (flash && (ends < 0 || end < ends))
            ends = end;
        add_row(lines, &rows[i], flash, columns);
    }
    return ends;
}
