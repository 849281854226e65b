/* Widths come from Unicode's own data (scripts/gen-width), not from the C library, so that text is laid out the same on every
 * machine and in every locale. They agree with wcwidth of glibc 2.36 (Unicode 15), by which ncurses draws, for every assigned
 * code point but U+00AD, which is never drawn. Unassigned ones count as their block says; glibc answers -1. */
#include "text/width.h"

#include <stdint.h>

#include "text/width_internal.h"
#include "text/width_table.h"

enum { TAB = 8 };

#define COUNT(table) (sizeof(table) / sizeof *(table))

size_t utf8_decode(const char *bytes, size_t length, unsigned *code_point)
{
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000}; /* of a sequence this long; less is an overlong form */
    *code_point = 0xFFFD;
    if (length == 0)
        return 0;
    const unsigned char *at = (const unsigned char *)bytes;
    if (at[0] < 0x80) {
        *code_point = at[0];
        return 1;
    }
    size_t need = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || need > length)
        return 1;
    unsigned value = at[0] & (0x7Fu >> need);
    for (size_t i = 1; i < need; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 1;
        value = value << 6 | (at[i] & 0x3Fu);
    }
    if (value < smallest[need] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 1;
    *code_point = value;
    return need;
}

size_t utf8_encode(unsigned code_point, char out[static 4])
{
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF))
        code_point = 0xFFFD;
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)((0xF00u >> length & 0xF0) | code_point);
    return length;
}

static bool within(const struct width_range *ranges, size_t count, unsigned code_point)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code_point > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code_point >= ranges[low].first;
}

int width_of(unsigned code_point)
{
    if (code_point < 0x300) /* the tables' only members below are controls and U+00AD */
        return code_point >= 0x20 && (code_point < 0x7F || code_point > 0x9F) && code_point != 0xAD;
    if (code_point >= 0x4E00 && code_point <= 0x9FFF)
        return 2;
    if (within(width_zero, COUNT(width_zero), code_point))
        return 0;
    return within(width_wide, COUNT(width_wide), code_point) ? 2 : 1;
}

bool width_is_mark(unsigned code_point)
{
    return code_point >= 0x300 && width_of(code_point) == 0;
}

size_t width_cluster(const char *bytes, size_t length, size_t column, struct width_cluster *cluster)
{
    *cluster = (struct width_cluster){0};
    size_t at = utf8_decode(bytes, length, &cluster->base);
    if (at == 0)
        return 0;
    cluster->last = cluster->base;
    cluster->columns = cluster->base == '\t' ? TAB - column % TAB : (size_t)width_of(cluster->base);
    while (at < length && cluster->base >= ' ') {
        unsigned code_point;
        size_t used = utf8_decode(bytes + at, length - at, &code_point);
        if (!width_is_mark(code_point))
            break;
        cluster->last = code_point;
        at += used;
    }
    return at;
}

size_t width_fit(const char *bytes, size_t length, size_t columns, size_t *used)
{
    size_t at = 0, column = 0;
    while (at < length) {
        struct width_cluster cluster;
        size_t bytes_used = width_cluster(bytes + at, length - at, column, &cluster);
        if (cluster.columns > columns - column)
            break;
        column += cluster.columns;
        at += bytes_used;
    }
    *used = column;
    return at;
}

size_t width_text(const char *bytes, size_t length)
{
    size_t used;
    width_fit(bytes, length, SIZE_MAX, &used);
    return used;
}

void width_cut(const char *bytes, size_t length, size_t columns, struct buf *out)
{
    size_t used;
    size_t fitting = width_fit(bytes, length, columns, &used);
    if (fitting == length || columns == 0) {
        buf_append(out, bytes, fitting);
        return;
    }
    buf_append(out, bytes, width_fit(bytes, length, columns - 1, &used));
    buf_append_string(out, "…");
}
