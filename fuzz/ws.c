/* ws.c: WebSocket bytes of a hostile other side. The first byte chooses our end (its lowest bit) and the size of the pieces
 * that come. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/ws.h"

struct end {
    struct ws *ws;
    size_t bytes;
};

static void on_message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    struct end *end = data;
    end->bytes += length;
    if (bytes[length] != '\0')
        abort();
    bool queued = kind == WS_TEXT ? ws_send_text(end->ws, bytes, length, NULL) : ws_send_binary(end->ws, bytes, length, NULL);
    if (queued && length == 3)
        ws_close(end->ws, WS_CODE_NORMAL, bytes);
}

static void on_closed(void *data, unsigned code, const char *reason)
{
    (void)data;
    if (code < 1000 || code > 4999 || strlen(reason) > 123)
        abort();
}

static void on_want_write(void *data)
{
    const struct end *end = data;
    if (!ws_wants_write(end->ws))
        abort();
}

static void write_some(struct ws *ws, size_t most)
{
    size_t length;
    const char *bytes = ws_output(ws, &length);
    if ((bytes == NULL) != (length == 0))
        abort();
    ws_output_sent(ws, length < most ? length : most);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < 1)
        return 0;
    const struct ws_callbacks callbacks = {.message = on_message, .closed = on_closed, .want_write = on_want_write};
    struct end end = {.bytes = 0};
    end.ws = ws_new(bytes[0] & 1 ? WS_SERVER : WS_CLIENT, &callbacks, &end, NULL);
    if (end.ws == NULL)
        return 0;
    size_t piece = (size_t)(bytes[0] >> 1) + 1;
    for (size_t at = 1; at < length; at += piece) {
        size_t some = length - at < piece ? length - at : piece;
        struct error err = ERROR_INIT;
        if (!ws_feed(end.ws, bytes + at, some, &err) && err.kind == ERROR_NONE)
            abort();
        write_some(end.ws, piece);
    }
    if (end.bytes > length)
        abort();
    while (ws_wants_write(end.ws))
        write_some(end.ws, SIZE_MAX);
    ws_free(end.ws);
    return 0;
}
