/* recorder_internal.h: what the recorder's files share: recorder.c takes what is said and writes it, correlate.c says what
 * becomes of it (core events), series.c keeps series (modern ones).
 */
#ifndef KT_PRACTICE_WORK_RECORDER_INTERNAL_H
#define KT_PRACTICE_WORK_RECORDER_INTERNAL_H

#include "base/map.h"
#include "practice/work/recent.h"
#include "practice/work/recorder.h"

/* What was said, in one block. Texts are "" where there is none. */
struct said {
    struct said *next;
    int64_t time_ms;
    uint64_t nano; /* of the event's name: when it was made, and no other of this recorder */
    bool warning;
    const char *kind, *api_version, *ns, *name, *uid, *version, *field_path, *reason, *action, *message;
    char texts[];
};

uint64_t hash_texts(uint64_t hash, const char *const *texts, size_t count); /* of texts one after the other; begin with 0 */

/* ---- core events (client-go's EventCorrelator) ---- */

struct correlator {
    struct recent similar, same, sources;
};
struct correlated {
    bool combined; /* its message gets "(combined from similar events): " */
    int32_t count; /* above 1: the event of this nano is there already */
    int64_t first_ms;
    uint64_t nano;
};

struct correlator correlator_make(void);
void correlator_free(struct correlator *correlator);
/* False: it is not to be written (too many about one object, or no memory). */
bool correlate(struct correlator *correlator, const struct said *said, int64_t now_ms, struct correlated *out)
    __attribute__((warn_unused_result));

/* ---- modern events (client-go's tools/events) ---- */

struct series {
    struct said *said; /* the first of them, owned */
    int32_t count;     /* 1: nothing was repeated */
    int64_t last_ms;
};
enum { SERIES_END_MS = 6 * 60 * 1000, SERIES_REFRESH_MS = 30 * 60 * 1000 };

void series_free(void *series);
/* Takes said over. The series to be written (count 1: to be made, 2: to become a series), or NULL: it is only counted, or there
 * is no memory. Borrowed. */
const struct series *series_note(struct map *all, struct said *said, int64_t now_ms) __attribute__((warn_unused_result));
/* Ended ones go; write is told of each that has more to say: those that end, and with `refresh` all. */
void series_sweep(struct map *all, int64_t now_ms, bool refresh, void (*write)(void *data, const struct series *series),
                  void *data);

#endif
