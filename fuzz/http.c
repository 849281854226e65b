/* http.c: bytes of a hostile HTTP client. They are cut into requests once whole and once in pieces, whose size the first byte gives: both must give the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/http.h"
#include "net/http_parse.h"

enum { HEAD_MAXIMUM = 4096, BODY_MAXIMUM = 4096 };

static void check_text(const char *text, bool blanks)
{
    for (; *text != '\0'; text++)
        if (((unsigned char)*text < 0x20 && (!blanks || *text != '\t')) || *text == 0x7f || (*text == ' ' && !blanks))
            abort();
}

/* What a complete request must be, and what it says, for the comparison. */
static void write_request(const struct http_parsed *request, struct buf *to)
{
    check_text(request->method, false);
    check_text(request->path, false);
    check_text(request->query, false);
    if (request->path[0] != '/' || request->method[0] == '\0' || request->body[request->body_length] != '\0' ||
        request->body_length > BODY_MAXIMUM || request->field_count > HTTP_FIELDS_MOST)
        abort();
    buf_printf(to, "%s %s?%s %d%d%d", request->method, request->path, request->query, request->keep_alive, request->old, request->wants_continue);
    for (size_t i = 0; i < request->field_count; i++) {
        check_text(request->fields[i].name, false);
        check_text(request->fields[i].value, true);
        size_t length = strlen(request->fields[i].value);
        if (request->fields[i].name[0] == '\0' || (length > 0 && strchr(" \t", request->fields[i].value[length - 1]) != NULL))
            abort();
        buf_printf(to, "|%s=%s", request->fields[i].name, request->fields[i].value);
    }
    buf_append(to, request->body, request->body_length);
    mem_free(http_unescape(request->path, strlen(request->path), false));
    mem_free(http_unescape(request->query, strlen(request->query), true));
}

static struct buf cut(const char *bytes, size_t length, size_t piece)
{
    struct buf told = buf_make(1 << 24);
    struct http_parse *parse = http_parse_new(HEAD_MAXIMUM, BODY_MAXIMUM);
    bool headed = false;
    for (size_t at = 0, taken; parse != NULL && at < length; at += taken) {
        size_t some = length - at < piece ? length - at : piece;
        char *copy = mem_alloc(some); /* of just that size, so that a byte too many is found */
        if (copy == NULL)
            break;
        memcpy(copy, bytes + at, some);
        enum http_parse_result result = http_parse_feed(parse, copy, some, &taken);
        mem_free(copy);
        if (taken > some || (taken < some && (result == HTTP_PARSE_MORE || (taken == 0 && result != HTTP_PARSE_HEAD))))
            abort();
        if (result == HTTP_PARSE_HEAD) {
            if (headed)
                abort();
            headed = true;
            buf_append_string(&told, "head ");
        } else if (result == HTTP_PARSE_WHOLE) {
            write_request(http_parse_request(parse), &told);
            http_parse_free(parse);
            parse = http_parse_new(HEAD_MAXIMUM, BODY_MAXIMUM);
            headed = false;
        } else if (result == HTTP_PARSE_REFUSED) {
            struct http_refusal refusal = http_parse_refusal(parse);
            if (refusal.status < 400 || refusal.status > 599)
                abort();
            buf_printf(&told, "%d %s", refusal.status, refusal.message);
            break;
        }
    }
    http_parse_free(parse);
    return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < 1)
        return 0;
    struct buf whole = cut((const char *)bytes + 1, length - 1, SIZE_MAX), pieces = cut((const char *)bytes + 1, length - 1, (size_t)bytes[0] + 1);
    if (whole.length != pieces.length || (whole.length > 0 && memcmp(whole.bytes, pieces.bytes, whole.length) != 0))
        abort();
    buf_free(&whole);
    buf_free(&pieces);
    return 0;
}
