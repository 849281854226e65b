#include "practice/controllers/job_indexes.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum { INDEXES_TEXT = 1024 * 1024 };

void job_indexes_free(struct job_indexes *indexes)
{
    mem_free(indexes->ranges);
    *indexes = (struct job_indexes){0};
}

/* Of the first range that ends at index - 1 or later: it touches, holds or follows the index. */
static size_t place_of(const struct job_indexes *indexes, int64_t index)
{
    size_t low = 0, high = indexes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (indexes->ranges[middle].last >= index - 1)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool insert(struct job_indexes *indexes, size_t at, struct job_range range)
{
    if (indexes->count == indexes->room) {
        size_t room = indexes->room == 0 ? 8 : indexes->room * 2;
        struct job_range *ranges = mem_resize(indexes->ranges, room * sizeof *ranges);
        if (ranges == NULL)
            return false;
        indexes->ranges = ranges;
        indexes->room = room;
    }
    memmove(&indexes->ranges[at + 1], &indexes->ranges[at], (indexes->count - at) * sizeof *indexes->ranges);
    indexes->ranges[at] = range;
    indexes->count++;
    return true;
}

static bool add_range(struct job_indexes *indexes, struct job_range range)
{
    size_t at = place_of(indexes, range.first), end = at;
    while (end < indexes->count && indexes->ranges[end].first <= range.last + 1) {
        if (indexes->ranges[end].first < range.first)
            range.first = indexes->ranges[end].first;
        if (indexes->ranges[end].last > range.last)
            range.last = indexes->ranges[end].last;
        end++;
    }
    if (end == at)
        return insert(indexes, at, range);
    indexes->ranges[at] = range;
    memmove(&indexes->ranges[at + 1], &indexes->ranges[end], (indexes->count - end) * sizeof *indexes->ranges);
    indexes->count -= end - at - 1;
    return true;
}

bool job_indexes_add(struct job_indexes *indexes, int64_t index)
{
    return add_range(indexes, (struct job_range){index, index});
}

bool job_indexes_add_all(struct job_indexes *indexes, const struct job_indexes *others)
{
    bool ok = true;
    for (size_t i = 0; i < others->count && ok; i++)
        ok = add_range(indexes, others->ranges[i]);
    return ok;
}

/* A number, and what stands behind it. */
static bool read_number(const char **text, int64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *number = strtol(*text, &end, 10);
    *text = end;
    return *number < INT32_MAX;
}

bool job_indexes_read(struct job_indexes *indexes, const char *text, int64_t completions)
{
    for (const char *next; text != NULL && *text != '\0'; text = next) {
        struct job_range range;
        const char *at = text;
        next = text + strcspn(text, ",");
        next += *next == ',';
        if (!read_number(&at, &range.first))
            continue;
        if (range.first >= completions)
            break;
        range.last = range.first;
        if (*at == '-') {
            at++;
            if (!read_number(&at, &range.last) || range.last < range.first)
                continue;
            if (range.last >= completions)
                range.last = completions - 1;
        }
        if ((*at == ',' || *at == '\0') && !add_range(indexes, range))
            return false;
    }
    return true;
}

bool job_indexes_has(const struct job_indexes *indexes, int64_t index)
{
    size_t at = place_of(indexes, index + 1);
    return at < indexes->count && indexes->ranges[at].first <= index;
}

int64_t job_indexes_total(const struct job_indexes *indexes)
{
    int64_t total = 0;
    for (size_t i = 0; i < indexes->count; i++)
        total += indexes->ranges[i].last - indexes->ranges[i].first + 1;
    return total;
}

int64_t job_indexes_common(const struct job_indexes *a, const struct job_indexes *b)
{
    int64_t common = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct job_range *left = &a->ranges[i], *right = &b->ranges[j];
        int64_t first = left->first > right->first ? left->first : right->first, last = left->last < right->last ? left->last : right->last;
        common += last >= first ? last - first + 1 : 0;
        if (left->last <= right->last)
            i++;
        else
            j++;
    }
    return common;
}

char *job_indexes_text(const struct job_indexes *indexes)
{
    struct buf text = buf_make(INDEXES_TEXT);
    for (size_t i = 0; i < indexes->count; i++) {
        const struct job_range *range = &indexes->ranges[i];
        buf_printf(&text, "%s%lld", i > 0 ? "," : "", (long long)range->first);
        if (range->last > range->first) /* two are no row */
            buf_printf(&text, "%c%lld", range->last == range->first + 1 ? ',' : '-', (long long)range->last);
    }
    char *bytes = buf_take(&text, NULL);
    buf_free(&text);
    return bytes;
}
