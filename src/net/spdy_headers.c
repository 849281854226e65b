#include "net/spdy_headers.h"

#include <stdint.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"

/* The dictionary of SPDY/3 (section 2.6.10.1): words with their length in four bytes before each, then a run of text. */
static const char *const words[] = {
    "options", "head", "post", "put", "delete", "trace", "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "authorization", "cache-control",
    "connection", "content-base", "content-encoding", "content-language", "content-length", "content-location", "content-md5", "content-range", "content-type", "date", "etag", "expect",
    "expires", "from", "host", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "location", "max-forwards", "pragma",
    "proxy-authenticate", "proxy-authorization", "range", "referer", "retry-after", "server", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via", "warning",
    "www-authenticate", "method", "get", "status", "200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin",
};
static const char run[] = "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently"
                          "400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
                          "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
                          "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,public"
                          "privatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";
enum { DICTIONARY = 1423 };

enum { LEVEL = 9, WINDOW = 11, MEMORY = 1, STEP = 1024, UNPACK_WINDOW = 15 };

struct spdy_pack {
    z_stream stream;
    struct buf plain;
};

struct spdy_unpack {
    z_stream stream;
    struct buf plain;
    struct spdy_field fields[SPDY_FIELDS];
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

static void append_number(struct buf *to, uint32_t number)
{
    unsigned char bytes[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16), (unsigned char)(number >> 8), (unsigned char)number};
    buf_append(to, bytes, sizeof bytes);
}

static void append_text(struct buf *to, const char *text)
{
    size_t length = strlen(text);
    append_number(to, (uint32_t)length);
    buf_append(to, text, length);
}

static struct buf dictionary(void)
{
    struct buf made = buf_make(DICTIONARY);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        append_text(&made, words[i]);
    buf_append(&made, run, sizeof run - 1);
    return made;
}

/* --- packing --- */

struct spdy_pack *spdy_pack_new(void)
{
    struct spdy_pack *pack = mem_zero(1, sizeof *pack);
    struct buf words_in = dictionary();
    bool made = pack != NULL && buf_ok(&words_in);
    if (pack != NULL) {
        pack->stream.zalloc = take_memory;
        pack->stream.zfree = give_back;
        pack->plain = buf_make(SPDY_HEADERS);
        made = deflateInit2(&pack->stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK && made &&
               deflateSetDictionary(&pack->stream, (const Bytef *)words_in.bytes, (uInt)words_in.length) == Z_OK;
    }
    buf_free(&words_in);
    if (made)
        return pack;
    spdy_pack_free(pack);
    return NULL;
}

void spdy_pack_free(struct spdy_pack *pack)
{
    if (pack == NULL)
        return;
    deflateEnd(&pack->stream);
    buf_free(&pack->plain);
    mem_free(pack);
}

void spdy_pack_fields(struct spdy_pack *pack, const struct spdy_field *fields, size_t count, struct buf *to)
{
    unsigned char step[STEP];
    z_stream *stream = &pack->stream;
    buf_clear(&pack->plain);
    append_number(&pack->plain, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        append_text(&pack->plain, fields[i].name);
        append_text(&pack->plain, fields[i].value);
    }
    if (!buf_ok(&pack->plain)) {
        buf_fail(to);
        return;
    }
    stream->next_in = (const Bytef *)pack->plain.bytes;
    stream->avail_in = (uInt)pack->plain.length;
    do {
        stream->next_out = step;
        stream->avail_out = sizeof step;
        deflate(stream, Z_SYNC_FLUSH); /* with room to write it cannot fail */
        buf_append(to, step, sizeof step - stream->avail_out);
    } while (stream->avail_out == 0);
}

/* --- unpacking --- */

struct spdy_unpack *spdy_unpack_new(void)
{
    struct spdy_unpack *unpack = mem_zero(1, sizeof *unpack);
    if (unpack == NULL)
        return NULL;
    unpack->stream.zalloc = take_memory;
    unpack->stream.zfree = give_back;
    unpack->plain = buf_make(SPDY_HEADERS);
    if (inflateInit2(&unpack->stream, UNPACK_WINDOW) == Z_OK)
        return unpack;
    mem_free(unpack);
    return NULL;
}

void spdy_unpack_free(struct spdy_unpack *unpack)
{
    if (unpack == NULL)
        return;
    inflateEnd(&unpack->stream);
    buf_free(&unpack->plain);
    mem_free(unpack);
}

static bool give_dictionary(struct spdy_unpack *unpack, struct error *err)
{
    struct buf words_in = dictionary();
    bool given = buf_ok(&words_in) && inflateSetDictionary(&unpack->stream, (const Bytef *)words_in.bytes, (uInt)words_in.length) == Z_OK;
    bool ok = given || (buf_ok(&words_in) ? error_set(err, ERROR_INPUT, "", "the SPDY headers were packed with another dictionary") : error_memory(err));
    buf_free(&words_in);
    return ok;
}

static bool inflate_all(struct spdy_unpack *unpack, const void *bytes, size_t length, struct error *err)
{
    unsigned char step[STEP];
    z_stream *stream = &unpack->stream;
    buf_clear(&unpack->plain);
    stream->next_in = bytes;
    stream->avail_in = (uInt)length;
    for (;;) {
        stream->next_out = step;
        stream->avail_out = sizeof step;
        int result = inflate(stream, Z_SYNC_FLUSH);
        if (result == Z_NEED_DICT) {
            if (!give_dictionary(unpack, err))
                return false;
            continue;
        }
        if (result == Z_MEM_ERROR)
            return error_memory(err);
        if (result != Z_OK && result != Z_BUF_ERROR)
            return error_set(err, ERROR_INPUT, "", "the SPDY headers cannot be unpacked");
        size_t got = sizeof step - stream->avail_out;
        if (unpack->plain.length + got > SPDY_HEADERS)
            return error_set(err, ERROR_LIMIT, "", "the SPDY headers are larger than %d bytes", SPDY_HEADERS);
        buf_append(&unpack->plain, step, got);
        if (!buf_ok(&unpack->plain))
            return error_memory(err);
        if (stream->avail_out > 0) /* nothing is left inside */
            return stream->avail_in == 0 || error_set(err, ERROR_INPUT, "", "the SPDY headers cannot be unpacked");
    }
}

/* Reads a number and moves on. False: there are not four bytes. */
static bool read_number(const struct buf *plain, size_t *at, uint32_t *number)
{
    if (plain->length - *at < 4)
        return false;
    const unsigned char *bytes = (const unsigned char *)plain->bytes + *at;
    *number = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    *at += 4;
    return true;
}

/* Reads a text. The NUL that ends it takes the place of the first byte of the number behind it, so that number is read before. */
static bool read_text(struct buf *plain, size_t *at, uint32_t length, char **text)
{
    if (length > plain->length - *at)
        return false;
    *text = plain->bytes + *at;
    *at += length;
    return true;
}

static bool read_fields(struct spdy_unpack *unpack, size_t *count)
{
    struct buf *plain = &unpack->plain;
    size_t at = 0;
    uint32_t number, length;
    if (!read_number(plain, &at, &number) || number > SPDY_FIELDS)
        return false;
    for (*count = 0; *count < number; ++*count) {
        char *name, *value, *before = plain->bytes + at;
        if (!read_number(plain, &at, &length) || !read_text(plain, &at, length, &name))
            return false;
        *before = '\0'; /* ends the value before */
        char *behind = plain->bytes + at;
        if (!read_number(plain, &at, &length) || !read_text(plain, &at, length, &value))
            return false;
        *behind = '\0';
        unpack->fields[*count] = (struct spdy_field){.name = name, .value = value};
    }
    return at == plain->length; /* where a NUL stands */
}

bool spdy_unpack_fields(struct spdy_unpack *unpack, const void *bytes, size_t length, const struct spdy_field **fields, size_t *count, struct error *err)
{
    if (!inflate_all(unpack, bytes, length, err))
        return false;
    *fields = unpack->fields;
    return read_fields(unpack, count) || error_set(err, ERROR_INPUT, "", "the SPDY headers are malformed");
}
