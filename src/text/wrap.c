/* Where a line may end: a subset of Unicode's line breaking (UAX #14) with the rules of Chinese punctuation (GB/T 15834) and
 * Japanese kinsoku that matter on a terminal. */
#include "text/width.h"

#include <stdbool.h>
#include <string.h>

#include "text/width_internal.h"

enum wrap_class {
    WRAP_LETTER, /* Latin and the like, digits, symbols: words */
    WRAP_SPACE,
    WRAP_IDEOGRAPH,   /* a break may stand on both sides */
    WRAP_OPEN,        /* full-width opening punctuation: ends no line */
    WRAP_CLOSE,       /* full-width closing punctuation, small kana: starts no line */
    WRAP_OPEN_SHARED, /* “ ‘: the same, but inside Latin words no place for a break */
    WRAP_CLOSE_SHARED,
    WRAP_OPEN_ASCII, /* ( [ { <: stays with what follows directly */
    WRAP_CLOSE_ASCII,
    WRAP_DASH, /* —: two of them are one sign */
    WRAP_GLUE, /* stays with both neighbours */
};

struct class_of {
    unsigned code_point;
    enum wrap_class class;
};

/* Ordered by code point. */
/* clang-format off */
static const struct class_of classes[] = {
    {'\t', WRAP_SPACE},          {'\n', WRAP_SPACE},          {' ', WRAP_SPACE},           {'!', WRAP_CLOSE_ASCII},
    {'"', WRAP_GLUE},            {'%', WRAP_CLOSE_ASCII},     {'\'', WRAP_GLUE},           {'(', WRAP_OPEN_ASCII},
    {')', WRAP_CLOSE_ASCII},     {',', WRAP_CLOSE_ASCII},     {'.', WRAP_CLOSE_ASCII},     {'/', WRAP_GLUE},
    {':', WRAP_CLOSE_ASCII},     {';', WRAP_CLOSE_ASCII},     {'<', WRAP_OPEN_ASCII},      {'>', WRAP_CLOSE_ASCII},
    {'?', WRAP_CLOSE_ASCII},     {'[', WRAP_OPEN_ASCII},      {']', WRAP_CLOSE_ASCII},     {'{', WRAP_OPEN_ASCII},
    {'}', WRAP_CLOSE_ASCII},     {0x00A0, WRAP_GLUE},         {0x00B7, WRAP_CLOSE_SHARED}, {0x2007, WRAP_GLUE},
    {0x2013, WRAP_GLUE},         {0x2014, WRAP_DASH},         {0x2018, WRAP_OPEN_SHARED},  {0x2019, WRAP_CLOSE_SHARED},
    {0x201C, WRAP_OPEN_SHARED},  {0x201D, WRAP_CLOSE_SHARED}, {0x2025, WRAP_CLOSE_SHARED}, {0x2026, WRAP_CLOSE_SHARED},
    {0x202F, WRAP_GLUE},         {0x2030, WRAP_CLOSE_SHARED}, {0x2103, WRAP_CLOSE_SHARED}, {0x3000, WRAP_CLOSE},
    {0x3001, WRAP_CLOSE},        {0x3002, WRAP_CLOSE},        {0x3005, WRAP_CLOSE},        {0x3008, WRAP_OPEN},
    {0x3009, WRAP_CLOSE},        {0x300A, WRAP_OPEN},         {0x300B, WRAP_CLOSE},        {0x300C, WRAP_OPEN},
    {0x300D, WRAP_CLOSE},        {0x300E, WRAP_OPEN},         {0x300F, WRAP_CLOSE},        {0x3010, WRAP_OPEN},
    {0x3011, WRAP_CLOSE},        {0x3014, WRAP_OPEN},         {0x3015, WRAP_CLOSE},        {0x3016, WRAP_OPEN},
    {0x3017, WRAP_CLOSE},        {0x3018, WRAP_OPEN},         {0x3019, WRAP_CLOSE},        {0x301A, WRAP_OPEN},
    {0x301B, WRAP_CLOSE},        {0x301C, WRAP_CLOSE},        {0x301D, WRAP_OPEN},         {0x301E, WRAP_CLOSE},
    {0x301F, WRAP_CLOSE},        {0x303B, WRAP_CLOSE},        {0x3041, WRAP_CLOSE},        {0x3043, WRAP_CLOSE},
    {0x3045, WRAP_CLOSE},        {0x3047, WRAP_CLOSE},        {0x3049, WRAP_CLOSE},        {0x3063, WRAP_CLOSE},
    {0x3083, WRAP_CLOSE},        {0x3085, WRAP_CLOSE},        {0x3087, WRAP_CLOSE},        {0x308E, WRAP_CLOSE},
    {0x3095, WRAP_CLOSE},        {0x3096, WRAP_CLOSE},        {0x309B, WRAP_CLOSE},        {0x309C, WRAP_CLOSE},
    {0x309D, WRAP_CLOSE},        {0x309E, WRAP_CLOSE},        {0x30A0, WRAP_CLOSE},        {0x30A1, WRAP_CLOSE},
    {0x30A3, WRAP_CLOSE},        {0x30A5, WRAP_CLOSE},        {0x30A7, WRAP_CLOSE},        {0x30A9, WRAP_CLOSE},
    {0x30C3, WRAP_CLOSE},        {0x30E3, WRAP_CLOSE},        {0x30E5, WRAP_CLOSE},        {0x30E7, WRAP_CLOSE},
    {0x30EE, WRAP_CLOSE},        {0x30F5, WRAP_CLOSE},        {0x30F6, WRAP_CLOSE},        {0x30FB, WRAP_CLOSE},
    {0x30FC, WRAP_CLOSE},        {0x30FD, WRAP_CLOSE},        {0x30FE, WRAP_CLOSE},        {0xFF01, WRAP_CLOSE},
    {0xFF05, WRAP_CLOSE},        {0xFF08, WRAP_OPEN},         {0xFF09, WRAP_CLOSE},        {0xFF0C, WRAP_CLOSE},
    {0xFF0E, WRAP_CLOSE},        {0xFF0F, WRAP_GLUE},         {0xFF1A, WRAP_CLOSE},        {0xFF1B, WRAP_CLOSE},
    {0xFF1F, WRAP_CLOSE},        {0xFF3B, WRAP_OPEN},         {0xFF3D, WRAP_CLOSE},        {0xFF5B, WRAP_OPEN},
    {0xFF5D, WRAP_CLOSE},        {0xFF5E, WRAP_CLOSE},        {0xFF5F, WRAP_OPEN},         {0xFF60, WRAP_CLOSE},
    {0xFF61, WRAP_CLOSE},        {0xFF62, WRAP_OPEN},         {0xFF63, WRAP_CLOSE},        {0xFF64, WRAP_CLOSE},
    {0xFF65, WRAP_CLOSE},        {0xFF70, WRAP_CLOSE},        {0xFF9E, WRAP_CLOSE},        {0xFF9F, WRAP_CLOSE},
};
/* clang-format on */

/* After these an over-long word (an address, a path, an image name) is cut rather than just anywhere. */
static const char separators[] = "/?&=-_.,:;@";

/* Units that stay with the number before them, also across the one space that is written between. */
static const char *const latin_units[] = {
    "%",   "B",      "KB",      "MB",     "GB",      "TB",   "KiB",   "MiB", "GiB",  "TiB",  "Ki",    "Mi",    "Gi",
    "Ti",  "ns",     "us",      "µs",     "ms",      "s",    "min",   "h",   "d",    "m",    "Hz",    "kHz",   "MHz",
    "GHz", "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "byte", "bytes", "times",
};
static const char han_units[] =
    "个秒分时小天次行列步页章节条台份种位年月日号倍字点块毫微周核组层级件岁人名米克元段轮遍项处只张副兆百千万亿";
enum { HAN_ORDINAL = 0x7B2C }; /* 第, which belongs to the number after it */

/* What is read of the text: a cluster and where it stands. */
struct piece {
    enum wrap_class class;
    unsigned base, last;
    size_t columns;
};

static bool within(unsigned code_point, unsigned first, unsigned last)
{
    return code_point >= first && code_point <= last;
}

static bool is_digit(unsigned code_point)
{
    return within(code_point, '0', '9') || within(code_point, 0xFF10, 0xFF19);
}

static enum wrap_class class_of(const struct width_cluster *cluster)
{
    unsigned base = cluster->base;
    size_t low = 0, high = sizeof classes / sizeof *classes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (classes[middle].code_point == base)
            return classes[middle].class == WRAP_SPACE && cluster->last != base ? WRAP_LETTER : classes[middle].class;
        if (classes[middle].code_point < base)
            low = middle + 1;
        else
            high = middle;
    }
    if (within(base, 0x31F0, 0x31FF) || within(base, 0xFF67, 0xFF6F)) /* small kana */
        return WRAP_CLOSE;
    bool full_width_word = is_digit(base) || within(base, 0xFF21, 0xFF3A) || within(base, 0xFF41, 0xFF5A);
    return cluster->columns == 2 && !full_width_word ? WRAP_IDEOGRAPH : WRAP_LETTER;
}

bool width_is_cjk(unsigned c)
{
    return within(c, 0x2E80, 0x31FF) || within(c, 0x3400, 0x4DBF) || within(c, 0x4E00, 0x9FFF) || within(c, 0xF900, 0xFAFF) ||
           within(c, 0xFE30, 0xFE4F) || within(c, 0xFF00, 0xFFEF) || within(c, 0x20000, 0x3FFFD);
}

bool width_is_shared_punctuation(unsigned c)
{
    return c == 0xB7 || within(c, 0x2014, 0x2015) || within(c, 0x2018, 0x201D) || within(c, 0x2025, 0x2026);
}

static bool starts_no_line(const struct piece *piece)
{
    return piece->class == WRAP_CLOSE || piece->class == WRAP_CLOSE_SHARED;
}

static bool ends_no_line(const struct piece *piece)
{
    return piece->class == WRAP_OPEN || piece->class == WRAP_OPEN_SHARED;
}

/* Emoji that are one picture: joined by ZWJ, with a skin tone, or two letters that make a flag. */
static bool is_one_picture(const struct piece *before, const struct piece *after, size_t flag_letters)
{
    enum { ZWJ = 0x200D };
    if (before->last == ZWJ || within(after->base, 0x1F3FB, 0x1F3FF))
        return true;
    return flag_letters % 2 == 1 && within(after->base, 0x1F1E6, 0x1F1FF);
}

/* May a line end between two neighbours with no space between them? */
static bool breaks_between(const struct piece *before, const struct piece *after)
{
    if (starts_no_line(after) || ends_no_line(before))
        return false;
    if (after->class == WRAP_CLOSE_ASCII || after->class == WRAP_GLUE || before->class == WRAP_OPEN_ASCII ||
        before->class == WRAP_GLUE)
        return false;
    if (before->class == WRAP_DASH && after->class == WRAP_DASH)
        return false;
    if ((is_digit(before->base) && width_is_cjk(after->base) && after->class == WRAP_IDEOGRAPH) ||
        (before->base == HAN_ORDINAL && is_digit(after->base)))
        return false;
    bool wide_before = before->class == WRAP_IDEOGRAPH || before->class == WRAP_CLOSE || before->class == WRAP_DASH;
    bool wide_after = after->class == WRAP_IDEOGRAPH || after->class == WRAP_OPEN;
    return wide_before || wide_after;
}

static bool is_unit(const char *bytes, size_t length)
{
    unsigned code_point;
    size_t used = utf8_decode(bytes, length, &code_point);
    for (const char *at = han_units; *at != '\0';) {
        unsigned unit;
        at += utf8_decode(at, strlen(at), &unit);
        if (unit == code_point)
            return used > 0;
    }
    for (size_t i = 0; i < sizeof latin_units / sizeof *latin_units; i++) {
        size_t unit = strlen(latin_units[i]);
        if (length < unit || memcmp(bytes, latin_units[i], unit) != 0)
            continue;
        utf8_decode(bytes + unit, length - unit, &code_point);
        if (length == unit || !(within(code_point | 0x20, 'a', 'z') || is_digit(code_point) || code_point == '-'))
            return true;
    }
    return false;
}

/* May a line end at the spaces between two? `rest` is the text from `after` on. */
static bool breaks_at_space(const struct piece *before, const struct piece *after, size_t spaces, const char *rest,
                            size_t length)
{
    if (starts_no_line(after) || ends_no_line(before))
        return false;
    if (spaces > 1)
        return true;
    if (before->base == HAN_ORDINAL && is_digit(after->base))
        return false;
    return !(is_digit(before->base) && is_unit(rest, length));
}

/* A place where the line could end, and where the next would go on. */
struct spot {
    size_t end, next;
};

/* What is known of the line so far. A spot with next 0 is none. */
struct line {
    struct spot best;      /* the last good place */
    struct spot separator; /* the last place behind a separator, in the second half of the line */
    struct spot anywhere;  /* the last place that at least breaks no rule of punctuation */
    struct piece before;
    size_t flag_letters; /* in a row, up to `before` */
    size_t column;
    size_t end;    /* behind the last character that is no space */
    size_t spaces; /* since then */
};

static void note_places(struct line *line, size_t at, const struct piece *after, size_t columns, const char *bytes,
                        size_t length)
{
    const struct piece *before = &line->before;
    if (line->end == 0 || after->class == WRAP_SPACE)
        return;
    if (line->spaces > 0) {
        if (breaks_at_space(before, after, line->spaces, bytes + at, length - at))
            line->best = (struct spot){line->end, at};
        return;
    }
    if (is_one_picture(before, after, line->flag_letters))
        return;
    if (breaks_between(before, after))
        line->best = (struct spot){at, at};
    if (starts_no_line(after) || ends_no_line(before))
        return;
    line->anywhere = (struct spot){at, at};
    if (within(before->base, ' ', '~') && strchr(separators, (int)before->base) != NULL && line->column * 2 >= columns)
        line->separator = (struct spot){at, at};
}

static void take_piece(struct line *line, size_t after, const struct piece *piece)
{
    line->column += piece->columns;
    if (piece->class == WRAP_SPACE) {
        line->spaces++;
        return;
    }
    line->flag_letters = within(piece->base, 0x1F1E6, 0x1F1FF) ? line->flag_letters + 1 : 0;
    line->before = *piece;
    line->spaces = 0;
    line->end = after;
}

size_t width_wrap(const char *bytes, size_t length, size_t columns, size_t *next)
{
    struct line line = {.column = 0};
    for (size_t at = 0; at < length;) {
        struct width_cluster cluster;
        size_t used = width_cluster(bytes + at, length - at, line.column, &cluster);
        struct piece piece = {class_of(&cluster), cluster.base, cluster.last, cluster.columns};
        note_places(&line, at, &piece, columns, bytes, length);
        if (piece.class != WRAP_SPACE && line.column + piece.columns > columns && at > 0) {
            struct spot here = {line.spaces > 0 ? line.end : at, at};
            struct spot spot = line.best.next > 0        ? line.best
                               : line.separator.next > 0 ? line.separator
                               : line.anywhere.next > 0  ? line.anywhere
                                                         : here;
            *next = spot.next;
            return spot.end;
        }
        take_piece(&line, at + used, &piece);
        at += used;
    }
    *next = length;
    return line.end;
}
