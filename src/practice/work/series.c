/* series: what repeats within six minutes is one event, counted here and written when it begins to repeat, every half hour, and
 * at its end. */
#include <stdio.h>

#include "base/mem.h"
#include "practice/work/recorder_internal.h"

void series_free(void *data)
{
    struct series *series = data;
    mem_free(series->said);
    mem_free(series);
}

/* Words do not count, but everything else of what it is about does, its version, too. */
static void key_of(const struct said *said, char out[static 17])
{
    const char *const texts[] = {
        said->kind,    said->api_version, said->ns,     said->name,   said->uid,
        said->version, said->field_path,  said->reason, said->action, said->warning ? "Warning" : "Normal"};
    snprintf(out, 17, "%016llx", (unsigned long long)hash_texts(0, texts, sizeof texts / sizeof *texts));
}

const struct series *series_note(struct map *all, struct said *said, int64_t now_ms)
{
    char key[17];
    key_of(said, key);
    struct series *series = map_get(all, key);
    if (series != NULL) {
        mem_free(said);
        series->count += series->count < INT32_MAX;
        series->last_ms = now_ms;
        return series->count == 2 ? series : NULL;
    }
    series = mem_alloc(sizeof *series);
    if (series == NULL) {
        mem_free(said);
        return NULL;
    }
    *series = (struct series){.said = said, .count = 1, .last_ms = said->time_ms};
    return map_set(all, key, series) ? series : NULL;
}

void series_sweep(struct map *all, int64_t now_ms, bool refresh, void (*write)(void *data, const struct series *series),
                  void *data)
{
    const struct map_entry *entry;
    for (size_t cursor = 0; (entry = map_next(all, &cursor)) != NULL;) {
        struct series *series = entry->value;
        bool ends = series->last_ms < now_ms - SERIES_END_MS;
        if (series->count > 1 && (ends || refresh))
            write(data, series);
        if (ends)
            map_remove(all, entry->key);
    }
}
