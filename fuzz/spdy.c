/* SPDY frames from a stranger, at either end. The first byte chooses the end, how the input is cut and what the owner does with streams. */
#include <stdint.h>
#include <stdlib.h>

#include "net/spdy.h"

struct owner {
    struct spdy *spdy;
    unsigned choice, turn;
};

static void opened(void *data, struct spdy_stream *stream)
{
    struct owner *owner = data;
    (void)spdy_header(stream, "streamtype");
    if ((owner->choice & 4) != 0 && owner->turn++ % 3 == 2)
        spdy_drop(stream);
    else
        spdy_accept(stream);
}

static size_t received(void *data, struct spdy_stream *stream, const void *bytes, size_t length)
{
    struct owner *owner = data;
    if ((owner->choice & 8) != 0 && owner->turn++ % 5 == 4) {
        spdy_free(owner->spdy);
        owner->spdy = NULL;
        return 0;
    }
    size_t taken = spdy_write(stream, bytes, length);
    return (owner->choice & 16) != 0 ? taken : length;
}

static void finished(void *data, struct spdy_stream *stream)
{
    (void)data;
    spdy_finish(stream);
    spdy_drop(stream);
}

static void reset(void *data, struct spdy_stream *stream)
{
    (void)data;
    spdy_drop(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct spdy_callbacks callbacks = {.opened = opened, .received = received, .finished = finished, .reset = reset};
    if (size == 0)
        return 0;
    struct owner owner = {.choice = bytes[0]};
    owner.spdy = spdy_new((bytes[0] & 1) != 0 ? SPDY_CLIENT : SPDY_SERVER, &callbacks, &owner, NULL);
    if (owner.spdy == NULL)
        abort();
    size_t cut = (bytes[0] & 2) != 0 ? 7 : size, taken, waits;
    for (size_t at = 1; at < size && owner.spdy != NULL; at += taken) {
        if (!spdy_feed(owner.spdy, bytes + at, size - at < cut ? size - at : cut, &taken, NULL))
            break;
        if (owner.spdy == NULL)
            break;
        spdy_output(owner.spdy, &waits);
        if (waits > 2 * SPDY_QUEUE)
            abort();
        if (taken == 0 && waits == 0)
            break;
        if (taken == 0 || (owner.choice & 32) != 0)
            spdy_output_sent(owner.spdy, waits);
    }
    spdy_free(owner.spdy);
    return 0;
}
