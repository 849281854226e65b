#include "net/spdy.h"

#include <string.h>
#include <strings.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/spdy_headers.h"

enum {
    VERSION = 3,
    HEAD = 8,                    /* bytes of a frame's head */
    PIECE = 16 << 10,            /* of data, a frame */
    ANSWERS = SPDY_QUEUE,        /* bytes beside data that may wait to go out */
    CONTROL = SPDY_HEADERS + 10, /* the largest control frame that is looked at */
    IDS_END = 0x7fffffff,
    RESET_BODY = 8,
};
enum type { SYN_STREAM = 1, SYN_REPLY = 2, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, HEADERS = 8, WINDOW_UPDATE = 9, TYPES };
enum { FLAG_FIN = 1 };
enum reason { PROTOCOL_ERROR = 1, REFUSED_STREAM = 3, CANCEL = 5 };

struct spdy_stream {
    struct spdy *spdy;
    TAILQ_ENTRY(spdy_stream) entry;
    uint32_t id;
    bool theirs;     /* opened by the other side */
    bool ended_here, ended_there;
    struct {
        char *bytes; /* name NUL value NUL ... */
        size_t count;
    } fields;
    void *owner;
};

struct spdy {
    enum spdy_end end;
    struct spdy_callbacks callbacks;
    void *data;
    struct spdy_pack *pack;
    struct spdy_unpack *unpack;
    TAILQ_HEAD(streams, spdy_stream) streams;
    size_t count;
    uint32_t next_here, next_there; /* the least number that a new stream may have; of `there`: have again */
    uint32_t next_ping;

    struct buf out; /* out_at bytes of it are written */
    size_t out_at;

    unsigned char head[HEAD];
    size_t head_length;
    size_t left;                  /* bytes of the frame that have not come yet */
    struct buf body;              /* of a control frame */
    struct spdy_stream *stream;   /* whose data is coming; NULL: nobody's, it is dropped */
    bool feeding, freed, failed;
    struct error failure;
};

/* --- its life --- */

struct spdy *spdy_new(enum spdy_end end, const struct spdy_callbacks *callbacks, void *data, struct error *err)
{
    struct spdy *spdy = mem_zero(1, sizeof *spdy);
    if (spdy == NULL) {
        error_memory(err);
        return NULL;
    }
    TAILQ_INIT(&spdy->streams);
    spdy->end = end;
    spdy->callbacks = *callbacks;
    spdy->data = data;
    spdy->next_here = end == SPDY_CLIENT ? 1 : 2;
    spdy->next_there = end == SPDY_CLIENT ? 2 : 1;
    spdy->next_ping = spdy->next_here;
    spdy->out = buf_make(SPDY_QUEUE + ANSWERS);
    spdy->body = buf_make(CONTROL);
    spdy->pack = spdy_pack_new();
    spdy->unpack = spdy_unpack_new();
    if (spdy->pack != NULL && spdy->unpack != NULL)
        return spdy;
    spdy_free(spdy);
    error_memory(err);
    return NULL;
}

static void forget(struct spdy_stream *stream)
{
    struct spdy *spdy = stream->spdy;
    TAILQ_REMOVE(&spdy->streams, stream, entry);
    spdy->count--;
    if (spdy->stream == stream)
        spdy->stream = NULL;
    mem_free(stream->fields.bytes);
    mem_free(stream);
}

void spdy_free(struct spdy *spdy)
{
    if (spdy == NULL)
        return;
    while (!TAILQ_EMPTY(&spdy->streams))
        forget(TAILQ_FIRST(&spdy->streams));
    spdy->freed = true;
    if (spdy->feeding)
        return; /* spdy_feed frees the rest */
    spdy_pack_free(spdy->pack);
    spdy_unpack_free(spdy->unpack);
    buf_free(&spdy->out);
    buf_free(&spdy->body);
    mem_free(spdy);
}

static struct spdy_stream *find(struct spdy *spdy, uint32_t id)
{
    struct spdy_stream *stream;
    TAILQ_FOREACH(stream, &spdy->streams, entry)
        if (stream->id == id)
            return stream;
    return NULL;
}

static struct spdy_stream *add(struct spdy *spdy, uint32_t id, bool theirs)
{
    struct spdy_stream *stream = mem_zero(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->spdy = spdy;
    stream->id = id;
    stream->theirs = theirs;
    TAILQ_INSERT_HEAD(&spdy->streams, stream, entry); /* the newest ones are asked for most */
    spdy->count++;
    return stream;
}

/* --- bytes out --- */

static size_t waiting(const struct spdy *spdy)
{
    return spdy->out.length - spdy->out_at;
}

static void append_number(struct buf *to, uint32_t number)
{
    unsigned char bytes[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16), (unsigned char)(number >> 8), (unsigned char)number};
    buf_append(to, bytes, sizeof bytes);
}

/* Makes room at the front, so that the buffer's maximum is that of what waits. */
static void tidy(struct spdy *spdy)
{
    if (spdy->out_at == 0)
        return;
    memmove(spdy->out.bytes, spdy->out.bytes + spdy->out_at, waiting(spdy));
    spdy->out.length -= spdy->out_at;
    spdy->out_at = 0;
}

static void put(struct spdy *spdy, uint32_t first, unsigned flags, const void *body, size_t length)
{
    tidy(spdy);
    append_number(&spdy->out, first);
    append_number(&spdy->out, (uint32_t)flags << 24 | (uint32_t)length);
    buf_append(&spdy->out, body, length);
}

static void put_control(struct spdy *spdy, enum type type, unsigned flags, const struct buf *body)
{
    if (buf_ok(body))
        put(spdy, 0x80000000u | VERSION << 16 | (uint32_t)type, flags, body->bytes, body->length);
    else
        buf_fail(&spdy->out);
}

static void put_reset(struct spdy *spdy, uint32_t id, enum reason reason)
{
    struct buf body = buf_make(RESET_BODY);
    append_number(&body, id);
    append_number(&body, reason);
    put_control(spdy, RST_STREAM, 0, &body);
    buf_free(&body);
}

static void put_ping(struct spdy *spdy, uint32_t id)
{
    struct buf body = buf_make(sizeof id);
    append_number(&body, id);
    put_control(spdy, PING, 0, &body);
    buf_free(&body);
}

const char *spdy_output(const struct spdy *spdy, size_t *length)
{
    *length = waiting(spdy);
    return *length > 0 ? spdy->out.bytes + spdy->out_at : NULL;
}

void spdy_output_sent(struct spdy *spdy, size_t length)
{
    spdy->out_at += length;
    if (waiting(spdy) > 0)
        return;
    bool failed = spdy->out.failed;
    buf_free(&spdy->out);
    spdy->out_at = 0;
    if (failed)
        buf_fail(&spdy->out);
}

bool spdy_failed(const struct spdy *spdy)
{
    return spdy->out.failed;
}

/* --- streams --- */

struct spdy_stream *spdy_open(struct spdy *spdy, const struct spdy_field *fields, size_t count, struct error *err)
{
    if (spdy->count >= SPDY_STREAMS || spdy->next_here > IDS_END) {
        error_set(err, ERROR_LIMIT, "", "there are too many SPDY streams");
        return NULL;
    }
    struct spdy_stream *stream = add(spdy, spdy->next_here, false);
    if (stream == NULL) {
        error_memory(err);
        return NULL;
    }
    spdy->next_here += 2;
    struct buf body = buf_make(CONTROL);
    append_number(&body, stream->id);
    append_number(&body, 0);
    buf_append(&body, "\0\0", 2); /* priority and slot */
    spdy_pack_fields(spdy->pack, fields, count, &body);
    put_control(spdy, SYN_STREAM, 0, &body);
    buf_free(&body);
    return stream;
}

uint32_t spdy_id(const struct spdy_stream *stream)
{
    return stream->id;
}

const char *spdy_header(const struct spdy_stream *stream, const char *name)
{
    const char *at = stream->fields.bytes;
    for (size_t i = 0; i < stream->fields.count; i++) {
        const char *value = at + strlen(at) + 1;
        if (strcasecmp(at, name) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

void spdy_set_owner(struct spdy_stream *stream, void *owner)
{
    stream->owner = owner;
}

void *spdy_owner(const struct spdy_stream *stream)
{
    return stream->owner;
}

void spdy_accept(struct spdy_stream *stream)
{
    struct spdy *spdy = stream->spdy;
    struct buf body = buf_make(CONTROL);
    append_number(&body, stream->id);
    spdy_pack_fields(spdy->pack, NULL, 0, &body);
    put_control(spdy, SYN_REPLY, 0, &body);
    buf_free(&body);
}

size_t spdy_write(struct spdy_stream *stream, const void *bytes, size_t length)
{
    struct spdy *spdy = stream->spdy;
    size_t at = 0;
    if (stream->ended_here || spdy->out.failed)
        return length;
    while (at < length && waiting(spdy) + HEAD < SPDY_QUEUE) {
        size_t room = SPDY_QUEUE - waiting(spdy) - HEAD, piece = length - at < PIECE ? length - at : PIECE;
        piece = piece < room ? piece : room;
        put(spdy, stream->id, 0, (const char *)bytes + at, piece);
        at += piece;
    }
    return at;
}

void spdy_finish(struct spdy_stream *stream)
{
    if (stream->ended_here)
        return;
    stream->ended_here = true;
    put(stream->spdy, stream->id, FLAG_FIN, "", 0);
}

void spdy_drop(struct spdy_stream *stream)
{
    if (stream == NULL)
        return;
    if (!stream->ended_here || !stream->ended_there)
        put_reset(stream->spdy, stream->id, CANCEL);
    forget(stream);
}

void spdy_ping(struct spdy *spdy)
{
    put_ping(spdy, spdy->next_ping);
    spdy->next_ping += 2;
    if (spdy->next_ping > IDS_END)
        spdy->next_ping -= IDS_END - 1;
}

/* --- frames that came --- */

static bool fail(struct spdy *spdy, enum error_kind kind, const char *message)
{
    return error_set(&spdy->failure, kind, "", "%s", message);
}

static uint32_t number_at(const void *bytes, size_t at)
{
    const unsigned char *from = (const unsigned char *)bytes + at;
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* The other side's half ends. */
static void end_there(struct spdy *spdy, struct spdy_stream *stream)
{
    if (stream->ended_there)
        return;
    stream->ended_there = true;
    spdy->callbacks.finished(spdy->data, stream);
}

static bool keep_fields(struct spdy_stream *stream, const struct spdy_field *fields, size_t count)
{
    struct buf bytes = buf_make(2 * SPDY_HEADERS);
    for (size_t i = 0; i < count; i++) {
        buf_append(&bytes, fields[i].name, strlen(fields[i].name) + 1);
        buf_append(&bytes, fields[i].value, strlen(fields[i].value) + 1);
    }
    stream->fields.count = count;
    stream->fields.bytes = buf_take(&bytes, NULL);
    return stream->fields.bytes != NULL;
}

/* Headers that nobody wants must be unpacked all the same: the next ones build on them. */
static bool unpack(struct spdy *spdy, size_t at, const struct spdy_field **fields, size_t *count)
{
    if (spdy->body.length < at)
        return fail(spdy, ERROR_INPUT, "a SPDY frame is too short");
    return spdy_unpack_fields(spdy->unpack, spdy->body.bytes + at, spdy->body.length - at, fields, count, &spdy->failure);
}

static bool take_syn_stream(struct spdy *spdy, unsigned flags)
{
    const struct spdy_field *fields;
    size_t count;
    if (!unpack(spdy, 10, &fields, &count))
        return false;
    uint32_t id = number_at(spdy->body.bytes, 0) & IDS_END;
    if (id < spdy->next_there || id % 2 != spdy->next_there % 2) {
        put_reset(spdy, id, PROTOCOL_ERROR);
        return true;
    }
    spdy->next_there = id + 2;
    if (spdy->callbacks.opened == NULL || spdy->count >= SPDY_STREAMS) {
        put_reset(spdy, id, REFUSED_STREAM);
        return true;
    }
    struct spdy_stream *stream = add(spdy, id, true);
    if (stream == NULL)
        return error_memory(&spdy->failure);
    if (!keep_fields(stream, fields, count)) {
        forget(stream);
        return error_memory(&spdy->failure);
    }
    spdy->callbacks.opened(spdy->data, stream);
    if ((flags & FLAG_FIN) != 0 && !spdy->freed && (stream = find(spdy, id)) != NULL)
        end_there(spdy, stream);
    return true;
}

/* SYN_REPLY and HEADERS: what they say beside the stream is passed over. */
static bool take_headers(struct spdy *spdy, unsigned flags, bool reply)
{
    const struct spdy_field *fields;
    size_t count;
    if (!unpack(spdy, 4, &fields, &count))
        return false;
    uint32_t id = number_at(spdy->body.bytes, 0) & IDS_END;
    struct spdy_stream *stream = find(spdy, id);
    if (reply && stream != NULL && !stream->theirs && spdy->callbacks.accepted != NULL)
        spdy->callbacks.accepted(spdy->data, stream);
    if ((flags & FLAG_FIN) != 0 && !spdy->freed && (stream = find(spdy, id)) != NULL)
        end_there(spdy, stream);
    return true;
}

static bool take_syn_reply(struct spdy *spdy, unsigned flags)
{
    return take_headers(spdy, flags, true);
}

static bool take_more_headers(struct spdy *spdy, unsigned flags)
{
    return take_headers(spdy, flags, false);
}

static bool take_reset(struct spdy *spdy, unsigned flags)
{
    (void)flags;
    if (spdy->body.length < RESET_BODY)
        return fail(spdy, ERROR_INPUT, "a SPDY frame is too short");
    struct spdy_stream *stream = find(spdy, number_at(spdy->body.bytes, 0) & IDS_END);
    if (stream == NULL || (stream->ended_here && stream->ended_there))
        return true;
    stream->ended_here = stream->ended_there = true;
    spdy->callbacks.reset(spdy->data, stream);
    return true;
}

static bool take_ping(struct spdy *spdy, unsigned flags)
{
    (void)flags;
    if (spdy->body.length < 4)
        return fail(spdy, ERROR_INPUT, "a SPDY frame is too short");
    uint32_t id = number_at(spdy->body.bytes, 0);
    if (id % 2 != (spdy->end == SPDY_CLIENT))
        put_ping(spdy, id);
    return true;
}

static bool take_away(struct spdy *spdy, unsigned flags)
{
    (void)flags;
    if (spdy->callbacks.away != NULL)
        spdy->callbacks.away(spdy->data);
    return true;
}

static bool pass_over(struct spdy *spdy, unsigned flags)
{
    (void)spdy, (void)flags;
    return true;
}

static bool take_control(struct spdy *spdy)
{
    static bool (*const takers[TYPES])(struct spdy *, unsigned) = {
        [SYN_STREAM] = take_syn_stream, [SYN_REPLY] = take_syn_reply, [RST_STREAM] = take_reset, [SETTINGS] = pass_over,        [PING] = take_ping,
        [GOAWAY] = take_away,           [HEADERS] = take_more_headers, [WINDOW_UPDATE] = pass_over};
    uint32_t type = number_at(spdy->head, 0) & 0xffff;
    if (type >= TYPES || takers[type] == NULL)
        return fail(spdy, ERROR_INPUT, "a SPDY frame is of an unknown type");
    bool taken = takers[type](spdy, spdy->head[4]);
    if (taken && spdy->out.failed)
        taken = fail(spdy, spdy->out.length + HEAD + CONTROL > spdy->out.maximum ? ERROR_LIMIT : ERROR_MEMORY, "answers to SPDY frames cannot be queued");
    return taken;
}

/* Between a frame's head and its body. */
static bool begin_frame(struct spdy *spdy)
{
    uint32_t first = number_at(spdy->head, 0);
    spdy->left = number_at(spdy->head, 4) & 0xffffff;
    spdy->stream = NULL;
    buf_clear(&spdy->body);
    if (first >> 31 == 0) {
        spdy->stream = find(spdy, first);
        if (spdy->stream != NULL && spdy->stream->ended_there)
            spdy->stream = NULL;
        return first != 0 || fail(spdy, ERROR_INPUT, "a SPDY frame belongs to stream 0");
    }
    if ((first >> 16 & 0x7fff) != VERSION)
        return fail(spdy, ERROR_INPUT, "a SPDY frame is of another version");
    return spdy->left <= CONTROL || fail(spdy, ERROR_LIMIT, "a SPDY frame is too large");
}

static bool end_frame(struct spdy *spdy)
{
    spdy->head_length = 0;
    if (number_at(spdy->head, 0) >> 31 != 0)
        return take_control(spdy);
    if (spdy->stream != NULL && (spdy->head[4] & FLAG_FIN) != 0)
        end_there(spdy, spdy->stream);
    return true;
}

/* Of the frame that is coming; *stopped: a stream took not all. */
static size_t take_body(struct spdy *spdy, const char *bytes, size_t length, bool *stopped)
{
    size_t most = length < spdy->left ? length : spdy->left;
    if (number_at(spdy->head, 0) >> 31 != 0)
        buf_append(&spdy->body, bytes, most);
    else if (spdy->stream != NULL && most > 0) {
        size_t taken = spdy->callbacks.received(spdy->data, spdy->stream, bytes, most);
        if (!spdy->freed && spdy->stream != NULL && taken < most) { /* who dropped the stream takes all */
            most = taken;
            *stopped = true;
        }
    }
    spdy->left -= most;
    return most;
}

/* Goes on by one step. */
static bool step(struct spdy *spdy, const char *bytes, size_t length, size_t *taken, bool *stopped)
{
    if (spdy->head_length < HEAD) {
        size_t most = HEAD - spdy->head_length < length ? HEAD - spdy->head_length : length;
        memcpy(spdy->head + spdy->head_length, bytes, most);
        spdy->head_length += most;
        *taken += most;
        return spdy->head_length < HEAD || (begin_frame(spdy) && (spdy->left > 0 || end_frame(spdy)));
    }
    *taken += take_body(spdy, bytes, length, stopped);
    if (spdy->freed || *stopped)
        return true;
    if (!buf_ok(&spdy->body))
        return error_memory(&spdy->failure);
    return spdy->left > 0 || end_frame(spdy);
}

bool spdy_feed(struct spdy *spdy, const void *bytes, size_t length, size_t *taken, struct error *err)
{
    bool stopped = false;
    *taken = 0;
    spdy->feeding = true;
    while (*taken < length && !spdy->failed && !stopped && !spdy->freed)
        spdy->failed = !step(spdy, (const char *)bytes + *taken, length - *taken, taken, &stopped);
    spdy->feeding = false;
    if (spdy->freed) {
        *taken = length;
        spdy_free(spdy);
        return true;
    }
    if (spdy->failed && err != NULL)
        *err = spdy->failure;
    return !spdy->failed;
}
