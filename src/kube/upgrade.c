#include "kube/upgrade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/ws.h"

struct text {
    const char *at;
    size_t length;
};

static bool equals(struct text text, const char *wanted)
{
    return text.length == strlen(wanted) && strncasecmp(text.at, wanted, text.length) == 0;
}

/* One of the words between commas ("keep-alive, Upgrade"). */
static bool has_word(struct text list, const char *word)
{
    while (list.length > 0) {
        size_t length = 0;
        while (length < list.length && list.at[length] != ',')
            length++;
        struct text item = {list.at, length};
        while (item.length > 0 && (*item.at == ' ' || *item.at == '\t'))
            item.at++, item.length--;
        while (item.length > 0 && (item.at[item.length - 1] == ' ' || item.at[item.length - 1] == '\t'))
            item.length--;
        if (equals(item, word))
            return true;
        length += length < list.length; /* the comma */
        list.at += length;
        list.length -= length;
    }
    return false;
}

/* A header's value; how often it is there. */
static unsigned header(struct text head, const char *name, struct text *value)
{
    unsigned count = 0;
    size_t name_length = strlen(name);
    *value = (struct text){"", 0};
    for (const char *line = head.at, *end; line < head.at + head.length; line = end + 2) {
        end = memmem(line, (size_t)(head.at + head.length - line), "\r\n", 2);
        if (end == NULL)
            break;
        if ((size_t)(end - line) <= name_length || line[name_length] != ':' || strncasecmp(line, name, name_length) != 0)
            continue;
        const char *start = line + name_length + 1, *stop = end;
        while (start < stop && (*start == ' ' || *start == '\t'))
            start++;
        while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        *value = (struct text){start, (size_t)(stop - start)};
        count++;
    }
    return count;
}

/* "HTTP/1.1 101 ..." */
static int status_code(struct text head)
{
    const char *at = head.at;
    if (head.length < 14 || memcmp(at, "HTTP/1.", 7) != 0 || (at[7] != '0' && at[7] != '1') || at[8] != ' ' || (at[12] != ' ' && at[12] != '\r'))
        return 0;
    for (int i = 9; i < 12; i++)
        if (at[i] < '0' || at[i] > '9')
            return 0;
    return (at[9] - '0') * 100 + (at[10] - '0') * 10 + (at[11] - '0');
}

static enum upgrade malformed(struct error *err, const char *why)
{
    error_set(err, ERROR_UNREACHABLE, NULL, "the server's answer to the WebSocket upgrade is wrong: %s", why);
    return UPGRADE_MALFORMED;
}

static bool fits(struct text accept, const char *key)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(accept.length < 63 ? accept.length : 63), accept.at);
    return ws_check_accept(key, text, NULL);
}

static enum upgrade check_101(struct upgrade_answer *answer, struct text head, const char *key, const struct vec *protocols, struct error *err)
{
    struct text value;
    if (header(head, "Upgrade", &value) != 1 || !equals(value, "websocket"))
        return malformed(err, "it does not upgrade to websocket");
    if (header(head, "Connection", &value) != 1 || !has_word(value, "upgrade"))
        return malformed(err, "Connection is not Upgrade");
    if (header(head, "Sec-WebSocket-Accept", &value) != 1 || !fits(value, key))
        return malformed(err, "Sec-WebSocket-Accept does not fit the key");
    if (header(head, "Sec-WebSocket-Extensions", &value) != 0)
        return malformed(err, "it wants an extension that was not offered");
    if (header(head, "Sec-WebSocket-Protocol", &value) != 1)
        return malformed(err, "it chose none of the protocols offered");
    for (size_t i = 0; i < protocols->length; i++)
        if (strlen(protocols->items[i]) == value.length && memcmp(protocols->items[i], value.at, value.length) == 0) {
            answer->protocol = protocols->items[i];
            return UPGRADE_DONE;
        }
    return malformed(err, "it chose a protocol that was not offered");
}

/* Joins chunks in place, as far as they are whole; the length of the result. */
static size_t join_chunks(char *body, size_t length)
{
    size_t at = 0, joined = 0;
    while (at < length) {
        const char *line_end = memmem(body + at, length - at, "\r\n", 2);
        if (line_end == NULL)
            break;
        size_t size = strtoul(body + at, NULL, 16); /* stops at the line end at the latest */
        at = (size_t)(line_end - body) + 2;
        if (size == 0 || size > length - at)
            break;
        memmove(body + joined, body + at, size);
        joined += size;
        at += size + 2;
    }
    return joined;
}

static enum upgrade read_refusal(struct upgrade_answer *answer, struct text head, char *body, size_t length, bool at_end)
{
    struct text value;
    if (header(head, "Content-Type", &value) > 0)
        snprintf(answer->content_type, sizeof answer->content_type, "%.*s", (int)(value.length < 127 ? value.length : 127), value.at);
    answer->body = body;
    answer->body_length = length;
    if (header(head, "Transfer-Encoding", &value) > 0) {
        /* joined only once all is there: until then a later look must find the raw bytes */
        if (!at_end && memmem(body, length, "\r\n0\r\n", 5) == NULL && !(length >= 3 && memcmp(body, "0\r\n", 3) == 0))
            return UPGRADE_INCOMPLETE;
        answer->body_length = join_chunks(body, length);
        return UPGRADE_REFUSED;
    }
    if (header(head, "Content-Length", &value) == 1) {
        char digits[16];
        snprintf(digits, sizeof digits, "%.*s", (int)(value.length < 15 ? value.length : 15), value.at);
        size_t wanted = strtoul(digits, NULL, 10);
        if (length < wanted && !at_end)
            return UPGRADE_INCOMPLETE;
        answer->body_length = length < wanted ? length : wanted;
        return UPGRADE_REFUSED;
    }
    return at_end ? UPGRADE_REFUSED : UPGRADE_INCOMPLETE;
}

enum upgrade upgrade_read(struct upgrade_answer *answer, char *bytes, size_t length, bool at_end, const char *key, const struct vec *protocols,
                          struct error *err)
{
    *answer = (struct upgrade_answer){0};
    if (length >= 5 && memcmp(bytes, "HTTP/", 5) != 0)
        return malformed(err, "it is not HTTP");
    char *end = length > 0 ? memmem(bytes, length, "\r\n\r\n", 4) : NULL;
    if (end == NULL)
        return at_end && length > 0 ? malformed(err, "it ends in the middle") : UPGRADE_INCOMPLETE;
    answer->head_length = (size_t)(end - bytes) + 4;
    struct text head = {bytes, answer->head_length};
    if (memchr(bytes, '\0', answer->head_length) != NULL)
        return malformed(err, "its head holds a zero byte");
    answer->code = status_code(head);
    if (answer->code == 0)
        return malformed(err, "its first line is no HTTP status");
    if (answer->code == 101)
        return check_101(answer, head, key, protocols, err);
    if (answer->code < 200)
        return malformed(err, "it is an interim answer");
    return read_refusal(answer, head, end + 4, length - answer->head_length, at_end);
}
