/* correlate: the same again is counted; what differs only in words is one event after ten of a kind within ten minutes; a
 * source has 25 events about an object, and one more every five minutes. The numbers and the keys are client-go's
 * (tools/record/events_cache.go); keys are hashes here. */
#include <string.h>

#include "practice/work/recorder_internal.h"

enum { CACHE = 4096, SIMILAR = 10, SIMILAR_MS = 600 * 1000, BURST = 25, REFILL_MS = 300 * 1000 };

struct similar { /* events that differ only in words */
    int64_t last_ms;
    size_t count;
    uint64_t messages[SIMILAR];
};

struct same {      /* one event */
    int32_t count; /* 0: new */
    int64_t first_ms;
    uint64_t nano;
};

struct source { /* a source and an object */
    bool known;
    double left; /* events that it may still write */
    int64_t since_ms;
};

struct correlator correlator_make(void)
{
    return (struct correlator){.similar = recent_make(CACHE, sizeof(struct similar)),
                               .same = recent_make(CACHE, sizeof(struct same)),
                               .sources = recent_make(CACHE, sizeof(struct source))};
}

void correlator_free(struct correlator *correlator)
{
    recent_free(&correlator->similar);
    recent_free(&correlator->same);
    recent_free(&correlator->sources);
}

uint64_t hash_texts(uint64_t hash, const char *const *texts, size_t count)
{
    hash ^= 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < count; i++) {
        for (const char *at = texts[i]; *at != '\0'; at++)
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
        hash = (hash ^ 0xff) * 0x100000001b3u; /* no byte of a text: where one ends */
    }
    return hash;
}

/* True: enough of a kind, they are to be combined. */
static bool add_similar(struct similar *similar, uint64_t message, int64_t now_ms)
{
    if (now_ms - similar->last_ms > SIMILAR_MS)
        similar->count = 0;
    similar->last_ms = now_ms;
    size_t at = 0;
    while (at < similar->count && similar->messages[at] != message)
        at++;
    if (at == similar->count)
        similar->messages[similar->count++] = message;
    if (similar->count < SIMILAR)
        return false;
    similar->count--; /* the eldest makes room */
    memmove(&similar->messages[0], &similar->messages[1], similar->count * sizeof similar->messages[0]);
    return true;
}

static bool may_write(struct source *source, int64_t now_ms)
{
    if (!source->known)
        *source = (struct source){.known = true, .left = BURST, .since_ms = now_ms};
    if (now_ms > source->since_ms)
        source->left += (double)(now_ms - source->since_ms) / REFILL_MS;
    source->left = source->left < BURST ? source->left : BURST;
    source->since_ms = now_ms;
    if (source->left < 1)
        return false;
    source->left -= 1;
    return true;
}

bool correlate(struct correlator *correlator, const struct said *said, int64_t now_ms, struct correlated *out)
{
    const char *const object[] = {said->kind, said->ns,          said->name,
                                  said->uid,  said->api_version, said->warning ? "Warning" : "Normal"};
    const char *const what[] = {said->reason}, *const words[] = {said->message},
                      *const exact[] = {said->field_path, said->message};
    uint64_t source_key = hash_texts(0, object, sizeof object / sizeof *object), similar_key = hash_texts(source_key, what, 1);
    struct similar *similar = recent_get(&correlator->similar, similar_key);
    if (similar == NULL)
        return false;
    out->combined = add_similar(similar, hash_texts(0, words, 1), now_ms);
    struct same *same = recent_get(&correlator->same, out->combined ? similar_key : hash_texts(similar_key, exact, 2));
    if (same == NULL)
        return false;
    if (same->count == 0)
        *same = (struct same){.first_ms = out->combined ? now_ms : said->time_ms, .nano = said->nano};
    same->count += same->count < INT32_MAX;
    out->count = same->count;
    out->first_ms = same->first_ms;
    out->nano = same->nano;
    struct source *source = recent_get(&correlator->sources, source_key);
    return source != NULL && may_write(source, now_ms);
}
