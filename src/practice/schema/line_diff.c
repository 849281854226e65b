/* The longest matching block is found first, then those on both sides of it. Lines that are very frequent in a long text begin no match. */
#include "practice/schema/line_diff.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { CONTEXT = 3, LONG_TEXT = 200 };

struct line {
    const char *text;
    size_t length;
};

struct block {
    size_t a, b, size;
};

struct diff {
    struct line *a, *b;
    size_t count_a, count_b;
    bool *popular;       /* of b's lines */
    size_t *runs, *next; /* lengths of matches that end at each line of b */
    struct block *blocks;
    size_t block_count, block_room;
};

static bool split(const char *text, struct line **lines, size_t *count)
{
    size_t total = 1;
    for (const char *c = text; *c != '\0'; c++)
        total += *c == '\n';
    *lines = total <= DIFF_LINES ? mem_zero(total, sizeof **lines) : NULL;
    *count = 0;
    for (const char *at = text; *lines != NULL && *count < total; (*count)++) {
        size_t length = strcspn(at, "\n");
        (*lines)[*count] = (struct line){at, length};
        at += length + (at[length] == '\n');
    }
    return *lines != NULL;
}

static bool same_line(const struct line *a, const struct line *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void mark_popular(struct diff *d)
{
    size_t most = d->count_b / 100 + 1;
    for (size_t i = 0; d->count_b >= LONG_TEXT && i < d->count_b; i++) {
        size_t times = 0;
        for (size_t j = 0; j < d->count_b && times <= most; j++)
            times += same_line(&d->b[i], &d->b[j]);
        d->popular[i] = times > most;
    }
}

static struct block longest_match(struct diff *d, struct block from, struct block to)
{
    struct block best = {from.a, from.b, 0};
    memset(d->runs, 0, (d->count_b + 1) * sizeof *d->runs);
    for (size_t i = from.a; i < to.a; i++) {
        memset(d->next, 0, (d->count_b + 1) * sizeof *d->next);
        for (size_t j = from.b; j < to.b; j++) {
            if (d->popular[j] || !same_line(&d->a[i], &d->b[j]))
                continue;
            size_t run = (j > from.b ? d->runs[j - 1] : 0) + 1;
            d->next[j] = run;
            if (run > best.size)
                best = (struct block){i + 1 - run, j + 1 - run, run};
        }
        size_t *swap = d->runs;
        d->runs = d->next;
        d->next = swap;
    }
    while (best.a > from.a && best.b > from.b && same_line(&d->a[best.a - 1], &d->b[best.b - 1]))
        best = (struct block){best.a - 1, best.b - 1, best.size + 1};
    while (best.a + best.size < to.a && best.b + best.size < to.b && same_line(&d->a[best.a + best.size], &d->b[best.b + best.size]))
        best.size++;
    return best;
}

static bool add_block(struct diff *d, struct block block)
{
    if (d->block_count > 0) { /* neighbours grow together */
        struct block *last = &d->blocks[d->block_count - 1];
        if (last->a + last->size == block.a && last->b + last->size == block.b) {
            last->size += block.size;
            return true;
        }
    }
    if (d->block_count == d->block_room) {
        size_t room = d->block_room > 0 ? d->block_room * 2 : 16;
        struct block *blocks = mem_resize(d->blocks, room * sizeof *blocks);
        if (blocks == NULL)
            return false;
        d->blocks = blocks;
        d->block_room = room;
    }
    d->blocks[d->block_count++] = block;
    return true;
}

/* Depth is bounded by the number of matching blocks on one side, which is that of lines. */
static bool match_between(struct diff *d, struct block from, struct block to)
{
    while (from.a < to.a && from.b < to.b) {
        struct block found = longest_match(d, from, to);
        if (found.size == 0)
            return true;
        if (!match_between(d, from, (struct block){found.a, found.b, 0}) || !add_block(d, found))
            return false;
        from = (struct block){found.a + found.size, found.b + found.size, 0};
    }
    return true;
}

static void print_range(size_t start, size_t length, struct buf *out)
{
    if (length == 1)
        buf_printf(out, "%zu", start + 1);
    else
        buf_printf(out, "%zu,%zu", length == 0 ? start : start + 1, length);
}

static void print_lines(char mark, const struct line *lines, size_t from, size_t to, struct buf *out)
{
    for (; from < to; from++) {
        buf_append(out, &mark, 1);
        buf_append(out, lines[from].text, lines[from].length);
        buf_append_string(out, "\n");
    }
}

/* One hunk: the changes between blocks `first` and `last`, both of which give their context. */
static void print_hunk(const struct diff *d, size_t first, size_t last, struct buf *out)
{
    const struct block *start = &d->blocks[first], *end = &d->blocks[last];
    size_t before = start->size < CONTEXT ? start->size : CONTEXT, after = end->size < CONTEXT ? end->size : CONTEXT;
    size_t a = start->a + start->size - before, b = start->b + start->size - before;
    buf_append_string(out, "@@ -");
    print_range(a, end->a + after - a, out);
    buf_append_string(out, " +");
    print_range(b, end->b + after - b, out);
    buf_append_string(out, " @@\n");
    print_lines(' ', d->a, a, a + before, out);
    for (size_t i = first; i < last; i++) {
        const struct block *left = &d->blocks[i], *right = &d->blocks[i + 1];
        print_lines('-', d->a, left->a + left->size, right->a, out);
        print_lines('+', d->b, left->b + left->size, right->b, out);
        print_lines(' ', d->a, right->a, right->a + (i + 1 == last ? after : right->size), out);
    }
}

static void print_hunks(const struct diff *d, struct buf *out)
{
    size_t first = 0;
    for (size_t i = 1; i < d->block_count; i++) {
        bool big = d->blocks[i].size > 2 * CONTEXT || i + 1 == d->block_count;
        const struct block *left = &d->blocks[first];
        bool changes = i > first + 1 || left->a + left->size < d->blocks[i].a || left->b + left->size < d->blocks[i].b;
        if (!big)
            continue;
        if (changes)
            print_hunk(d, first, i, out);
        first = i;
    }
}

static bool reaches(const struct block *block, struct block end)
{
    return block->a + block->size == end.a && block->b + block->size == end.b;
}

bool line_diff(const char *from, const char *to, struct buf *out)
{
    struct diff d = {0};
    bool ok = split(from, &d.a, &d.count_a) && split(to, &d.b, &d.count_b);
    if (ok) {
        d.popular = mem_zero(d.count_b + 1, sizeof *d.popular);
        d.runs = mem_zero(d.count_b + 1, sizeof *d.runs);
        d.next = mem_zero(d.count_b + 1, sizeof *d.next);
        ok = d.popular != NULL && d.runs != NULL && d.next != NULL;
    }
    if (ok)
        mark_popular(&d);
    struct block end = {d.count_a, d.count_b, 0};
    /* An empty block at each end gives the outer hunks something to hold on to. */
    ok = ok && add_block(&d, (struct block){0, 0, 0}) && match_between(&d, (struct block){0, 0, 0}, end);
    if (ok && !reaches(&d.blocks[d.block_count - 1], end))
        ok = add_block(&d, end);
    if (ok && d.block_count > 1)
        print_hunks(&d, out);
    mem_free(d.a);
    mem_free(d.b);
    mem_free(d.popular);
    mem_free(d.runs);
    mem_free(d.next);
    mem_free(d.blocks);
    return ok;
}
