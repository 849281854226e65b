#include "net/ws.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>

#include <wslay/wslay.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/utf8.h"

/* wslay's frame layer only. Its event layer would save some lines here, but it sends a close before data that waits, checks
 * only parts of a close reason that comes in pieces, answers a malformed frame without a code, and queues answers to pings
 * without end. */

enum {
    HEAD_MAXIMUM = 14, /* bytes before a frame's payload */
    CONTROL_MAXIMUM = 125,
    REASON_MAXIMUM = CONTROL_MAXIMUM - 2,
    KEEP_ROOM = 65536, /* a larger buffer is not kept for the next message */
    NO_MESSAGE = WSLAY_CONTINUATION_FRAME,
};

/* A frame that waits to be written. */
struct frame {
    struct frame *next;
    size_t length, written;
    char bytes[]; /* head and payload */
};

struct ws {
    wslay_frame_context_ptr frames;
    enum ws_end end;
    struct ws_callbacks callbacks;
    void *data;

    const uint8_t *input; /* what ws_feed was given and wslay has not taken */
    size_t input_length;
    bool in_frame; /* the head of a frame was seen, `left` bytes of its payload were not */
    uint64_t left;
    uint8_t message_opcode; /* of the data message that is coming, its fragments gathered in `message`; or NO_MESSAGE */
    struct buf message;
    char control[CONTROL_MAXIMUM + 1]; /* the payload of the control frame that is coming */
    size_t control_length;

    struct frame *first, **last; /* the queue; last points at the pointer where the next one goes */
    size_t queued_bytes, queued_frames;
    struct frame *encoding; /* where on_send puts what wslay makes */

    bool close_received;
    bool close_queued;  /* or written: ours is the last frame */
    struct error error; /* why it failed */
    bool feeding;       /* inside ws_feed, or a callback of it */
    bool freed;         /* from inside a callback; ws_feed does it at its end */
};

static ssize_t on_recv(uint8_t *to, size_t room, int flags, void *data)
{
    (void)flags;
    struct ws *ws = data;
    size_t length = ws->input_length < room ? ws->input_length : room;
    if (length == 0)
        return -1;
    memcpy(to, ws->input, length);
    ws->input += length;
    ws->input_length -= length;
    return (ssize_t)length;
}

static ssize_t on_send(const uint8_t *bytes, size_t length, int flags, void *data)
{
    (void)flags;
    struct ws *ws = data;
    memcpy(ws->encoding->bytes + ws->encoding->length, bytes, length);
    ws->encoding->length += length;
    return (ssize_t)length;
}

static int on_mask(uint8_t *to, size_t length, void *data)
{
    (void)data;
    return getrandom(to, length, 0) == (ssize_t)length ? 0 : -1;
}

/* Encodes a frame to the end of the queue. Touches ws no more after want_write, which may free it. */
static bool push(struct ws *ws, uint8_t opcode, const void *payload, size_t length, struct error *err)
{
    struct frame *frame = mem_alloc(sizeof *frame + HEAD_MAXIMUM + length);
    if (frame == NULL)
        return error_memory(err);
    *frame = (struct frame){.next = NULL};
    ws->encoding = frame;
    struct wslay_frame_iocb parts = {.fin = 1,
                                     .opcode = opcode,
                                     .payload_length = length,
                                     .mask = ws->end == WS_CLIENT,
                                     .data = payload,
                                     .data_length = length};
    if (wslay_frame_send(ws->frames, &parts) != (ssize_t)length) { /* on_send takes all: only the mask can be missing */
        mem_free(frame);
        return error_set(err, ERROR_INTERNAL, NULL, "no random numbers for the WebSocket");
    }
    bool was_empty = ws->first == NULL;
    *ws->last = frame;
    ws->last = &frame->next;
    ws->queued_bytes += frame->length;
    ws->queued_frames++;
    if (was_empty && !ws->freed && ws->callbacks.want_write != NULL)
        ws->callbacks.want_write(ws->data);
    return true;
}

/* Queues a close frame as our last; without memory the connection ends without it. */
static void push_close(struct ws *ws, unsigned code, const char *reason, size_t length)
{
    if (ws->close_queued)
        return;
    ws->close_queued = true;
    char payload[CONTROL_MAXIMUM] = {(char)(code >> 8), (char)(code & 0xff)};
    if (length > 0)
        memcpy(payload + 2, reason, length);
    push(ws, WSLAY_CONNECTION_CLOSE, payload, code != WS_CODE_NONE ? length + 2 : 0, NULL);
}

/* After ws->error was set: nothing more is read. */
static void refuse(struct ws *ws, enum ws_code code)
{
    ws->input_length = 0;
    push_close(ws, code, NULL, 0);
}

static void refuse_malformed(struct ws *ws, const char *what)
{
    error_set(&ws->error, ERROR_INPUT, NULL, "the other side of the WebSocket broke its rules: %s", what);
    refuse(ws, WS_CODE_PROTOCOL);
}

static void refuse_not_text(struct ws *ws)
{
    error_set(&ws->error, ERROR_INPUT, NULL, "the other side of the WebSocket sent a text that is not UTF-8");
    refuse(ws, WS_CODE_NOT_TEXT);
}

/* True if the other side may send this close code (RFC 6455, section 7.4, and IANA's list). */
static bool may_be_sent(unsigned code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) || (code >= 3000 && code <= 4999);
}

static void take_close(struct ws *ws)
{
    size_t length = ws->control_length;
    unsigned code = length >= 2 ? (unsigned)(unsigned char)ws->control[0] << 8 | (unsigned char)ws->control[1] : WS_CODE_NONE;
    if (length == 1 || (length >= 2 && !may_be_sent(code))) {
        refuse_malformed(ws, "a close frame without a valid code");
        return;
    }
    size_t reason_length = length >= 2 ? length - 2 : 0;
    char reason[REASON_MAXIMUM + 1] = "";
    memcpy(reason, ws->control + 2, reason_length);
    if (!utf8_is(reason, reason_length)) {
        refuse_not_text(ws);
        return;
    }
    ws->close_received = true;
    ws->input_length = 0;
    push_close(ws, code, reason, reason_length);
    if (!ws->freed && ws->callbacks.closed != NULL)
        ws->callbacks.closed(ws->data, code, reason);
}

static void take_ping(struct ws *ws)
{
    if (ws->close_queued) /* nothing may follow our close */
        return;
    if (ws->queued_frames >= 2 * WS_QUEUE_MESSAGES) {
        error_set(&ws->error, ERROR_LIMIT, NULL, "the other side of the WebSocket sends pings and reads no answers");
        refuse(ws, WS_CODE_PROTOCOL);
    } else if (!push(ws, WSLAY_PONG, ws->control, ws->control_length, &ws->error))
        refuse(ws, WS_CODE_INTERNAL);
}

static void take_message(struct ws *ws)
{
    const char *bytes = ws->message.bytes != NULL ? ws->message.bytes : "";
    enum ws_kind kind = ws->message_opcode == WSLAY_TEXT_FRAME ? WS_TEXT : WS_BINARY;
    ws->message_opcode = NO_MESSAGE;
    if (kind == WS_TEXT && !utf8_is(bytes, ws->message.length)) {
        refuse_not_text(ws);
        return;
    }
    ws->callbacks.message(ws->data, kind, bytes, ws->message.length);
    if (ws->message.room > KEEP_ROOM)
        buf_free(&ws->message);
    else
        buf_clear(&ws->message);
}

/* Looks at the head of a frame. */
static void begin_frame(struct ws *ws, const struct wslay_frame_iocb *part)
{
    bool control = wslay_is_ctrl_frame(part->opcode), continues = part->opcode == WSLAY_CONTINUATION_FRAME;
    bool known = part->opcode <= WSLAY_BINARY_FRAME || (part->opcode >= WSLAY_CONNECTION_CLOSE && part->opcode <= WSLAY_PONG);
    if (!known || part->rsv != WSLAY_RSV_NONE)
        refuse_malformed(ws, "an unknown kind of frame, or an extension that was not agreed");
    else if ((part->mask != 0) != (ws->end == WS_SERVER))
        refuse_malformed(ws, ws->end == WS_SERVER ? "a frame without a mask" : "a frame with a mask");
    else if (!control && continues != (ws->message_opcode != NO_MESSAGE))
        refuse_malformed(ws, continues ? "a continuation of nothing" : "a message inside another one");
    else if (!control && part->payload_length > WS_MESSAGE_MAXIMUM - ws->message.length) {
        error_set(&ws->error, ERROR_LIMIT, NULL, "a WebSocket message is larger than the %d bytes allowed", WS_MESSAGE_MAXIMUM);
        refuse(ws, WS_CODE_TOO_BIG);
    }
    ws->in_frame = true;
    ws->left = part->payload_length;
    ws->control_length = 0;
    if (!control && !continues)
        ws->message_opcode = part->opcode;
}

static void end_frame(struct ws *ws, const struct wslay_frame_iocb *part)
{
    ws->in_frame = false;
    if (part->opcode == WSLAY_CONNECTION_CLOSE)
        take_close(ws);
    else if (part->opcode == WSLAY_PING)
        take_ping(ws);
    else if (!wslay_is_ctrl_frame(part->opcode) && part->fin)
        take_message(ws);
}

/* A piece of a frame's payload; the first one comes with the head, and may be empty. */
static void take_part(struct ws *ws, const struct wslay_frame_iocb *part)
{
    if (!ws->in_frame)
        begin_frame(ws, part);
    if (ws->error.kind != ERROR_NONE)
        return;
    if (wslay_is_ctrl_frame(part->opcode)) { /* wslay has refused one of more than 125 bytes */
        memcpy(ws->control + ws->control_length, part->data, part->data_length);
        ws->control_length += part->data_length;
    } else {
        buf_append(&ws->message, part->data, part->data_length);
        if (!buf_ok(&ws->message)) {
            error_memory(&ws->error);
            refuse(ws, WS_CODE_INTERNAL);
            return;
        }
    }
    ws->left -= part->data_length;
    if (ws->left == 0)
        end_frame(ws, part);
}

static bool reading(const struct ws *ws)
{
    return !ws->freed && !ws->close_received && ws->error.kind == ERROR_NONE;
}

struct ws *ws_new(enum ws_end end, const struct ws_callbacks *callbacks, void *data, struct error *err)
{
    static const struct wslay_frame_callbacks ours = {
        .send_callback = on_send, .recv_callback = on_recv, .genmask_callback = on_mask};
    struct ws *ws = mem_zero(1, sizeof *ws);
    if (ws == NULL || wslay_frame_context_init(&ws->frames, &ours, ws) != 0) {
        mem_free(ws);
        error_memory(err);
        return NULL;
    }
    ws->end = end;
    ws->callbacks = *callbacks;
    ws->data = data;
    ws->message_opcode = NO_MESSAGE;
    ws->message = buf_make(WS_MESSAGE_MAXIMUM);
    ws->last = &ws->first;
    return ws;
}

static void drop_first(struct ws *ws)
{
    struct frame *frame = ws->first;
    ws->first = frame->next;
    if (ws->first == NULL)
        ws->last = &ws->first;
    ws->queued_frames--;
    mem_free(frame);
}

static void destroy(struct ws *ws)
{
    while (ws->first != NULL)
        drop_first(ws);
    wslay_frame_context_free(ws->frames);
    buf_free(&ws->message);
    mem_free(ws);
}

void ws_free(struct ws *ws)
{
    if (ws == NULL)
        return;
    if (ws->feeding)
        ws->freed = true;
    else
        destroy(ws);
}

bool ws_feed(struct ws *ws, const void *bytes, size_t length, struct error *err)
{
    assert(!ws->feeding);
    ws->feeding = true;
    ws->input = bytes;
    ws->input_length = length;
    while (reading(ws)) {
        struct wslay_frame_iocb part = {.fin = 0};
        ssize_t got = wslay_frame_recv(ws->frames, &part);
        if (got >= 0)
            take_part(ws, &part);
        else if (got == WSLAY_ERR_WANT_READ)
            break;
        else
            refuse_malformed(ws, "a frame with an impossible length");
    }
    ws->input_length = 0;
    ws->feeding = false;
    if (ws->freed) {
        destroy(ws);
        return true;
    }
    if (ws->error.kind != ERROR_NONE && err != NULL)
        *err = ws->error;
    return ws->error.kind == ERROR_NONE;
}

static bool send_frame(struct ws *ws, uint8_t opcode, const void *bytes, size_t length, struct error *err)
{
    if (ws->freed || ws->close_queued)
        return error_set(err, ERROR_CANCELLED, NULL, "the WebSocket is being closed");
    if (length > WS_QUEUE_MAXIMUM || ws->queued_bytes > WS_QUEUE_MAXIMUM - length || ws->queued_frames >= WS_QUEUE_MESSAGES)
        return error_set(err, ERROR_LIMIT, NULL, "too much waits to be sent through the WebSocket (%zu bytes)",
                         ws->queued_bytes);
    return push(ws, opcode, bytes, length, err);
}

bool ws_send_text(struct ws *ws, const char *bytes, size_t length, struct error *err)
{
    return send_frame(ws, WSLAY_TEXT_FRAME, bytes, length, err);
}

bool ws_send_binary(struct ws *ws, const void *bytes, size_t length, struct error *err)
{
    return send_frame(ws, WSLAY_BINARY_FRAME, bytes, length, err);
}

bool ws_ping(struct ws *ws, struct error *err)
{
    return send_frame(ws, WSLAY_PING, NULL, 0, err);
}

size_t ws_queued(const struct ws *ws)
{
    return ws->queued_bytes;
}

void ws_close(struct ws *ws, enum ws_code code, const char *reason)
{
    size_t length = reason != NULL ? strlen(reason) : 0;
    if (length > REASON_MAXIMUM) {
        length = REASON_MAXIMUM;
        while (length > 0 && ((unsigned char)reason[length] & 0xc0) == 0x80) /* never half a character */
            length--;
    }
    push_close(ws, code, reason, length);
}

bool ws_wants_write(const struct ws *ws)
{
    return ws->first != NULL;
}

const char *ws_output(const struct ws *ws, size_t *length)
{
    const struct frame *frame = ws->first;
    *length = frame != NULL ? frame->length - frame->written : 0;
    return frame != NULL ? frame->bytes + frame->written : NULL;
}

void ws_output_sent(struct ws *ws, size_t length)
{
    struct frame *frame = ws->first;
    assert(length == 0 || (frame != NULL && length <= frame->length - frame->written));
    if (frame == NULL)
        return;
    frame->written += length;
    ws->queued_bytes -= length;
    if (frame->written == frame->length)
        drop_first(ws);
}

bool ws_over(const struct ws *ws)
{
    return (ws->close_received || ws->error.kind != ERROR_NONE) && ws->close_queued && ws->first == NULL;
}
