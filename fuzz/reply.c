/* An HTTP answer from a stranger, cut as the first byte says; what is told of it must be within what was given, and the same however it is cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_reply.h"

struct outcome {
    int status, heads;
    size_t fields, body, used;
    enum http_reply_result last;
};

static struct outcome run(const char *bytes, size_t size, size_t cut, bool head_only)
{
    struct outcome outcome = {.last = HTTP_REPLY_MORE};
    struct http_reply *reply = http_reply_new(head_only);
    if (reply == NULL)
        abort();
    for (size_t at = 0, taken; at < size && outcome.last != HTTP_REPLY_DONE && outcome.last != HTTP_REPLY_BROKEN; at += taken) {
        const char *body;
        size_t length, most = size - at < cut ? size - at : cut;
        outcome.last = http_reply_feed(reply, bytes + at, most, &taken, &body, &length);
        if (taken > most || (outcome.last == HTTP_REPLY_MORE && taken < most))
            abort();
        if (outcome.last == HTTP_REPLY_BODY) {
            if (body < bytes + at || body + length > bytes + at + most)
                abort();
            outcome.body += length;
        }
        if (outcome.last == HTTP_REPLY_HEAD) {
            uint64_t said;
            outcome.heads++;
            outcome.status = http_reply_status(reply);
            (void)http_reply_header(reply, "Location");
            (void)http_reply_length(reply, &said);
            http_reply_fields(reply, &outcome.fields);
        }
        outcome.used += taken;
    }
    if (outcome.last != HTTP_REPLY_BROKEN)
        outcome.last = http_reply_end(reply) ? HTTP_REPLY_DONE : HTTP_REPLY_MORE;
    http_reply_free(reply);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)bytes + 1;
    bool head_only = (bytes[0] & 128) != 0;
    struct outcome whole = run(text, size - 1, size, head_only), cut = run(text, size - 1, (bytes[0] & 15) + 1, head_only);
    if (whole.status != cut.status || whole.heads != cut.heads || whole.heads > 1 || whole.fields != cut.fields || whole.body != cut.body || whole.last != cut.last)
        abort();
    return 0;
}
