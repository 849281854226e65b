#include "net/gzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"

/* Level 1, as the real API server: on a loopback connection the quicker one is the better one. */
enum { LEVEL = 1, WINDOW_WITH_GZIP_HEAD = 15 + 16, MEMORY = 8, STEP = 16 * 1024 };

struct gzip {
    z_stream stream;
};

static void *take_memory(void *data, uInt count, uInt size)
{
    (void)data;
    return mem_zero(count, size);
}

static void give_back(void *data, void *memory)
{
    (void)data;
    mem_free(memory);
}

struct gzip *gzip_new(void)
{
    struct gzip *gzip = mem_zero(1, sizeof *gzip);
    if (gzip == NULL)
        return NULL;
    gzip->stream.zalloc = take_memory;
    gzip->stream.zfree = give_back;
    if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, WINDOW_WITH_GZIP_HEAD, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(gzip);
        return NULL;
    }
    return gzip;
}

void gzip_free(struct gzip *gzip)
{
    if (gzip == NULL)
        return;
    deflateEnd(&gzip->stream);
    mem_free(gzip);
}

void gzip_add(struct gzip *gzip, const void *bytes, size_t length, enum gzip_end end, struct buf *to)
{
    static const int flush[] = {[GZIP_ON] = Z_NO_FLUSH, [GZIP_FLUSH] = Z_SYNC_FLUSH, [GZIP_END] = Z_FINISH};
    unsigned char step[STEP];
    z_stream *stream = &gzip->stream;
    stream->next_in = bytes;
    stream->avail_in = (uInt)length; /* a part of an answer; far below 4 GiB */
    do {
        stream->next_out = step;
        stream->avail_out = sizeof step;
        deflate(stream, flush[end]); /* with room to write it cannot fail */
        buf_append(to, step, sizeof step - stream->avail_out);
    } while (stream->avail_out == 0);
}
