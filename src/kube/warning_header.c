#include "kube/warning_header.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum { WARNING_MAXIMUM = 4096 }; /* bytes of one text */

static const char *skip(const char *at, const char *end, const char *which)
{
    while (at < end && *at != '\0' && strchr(which, *at) != NULL)
        at++;
    return at;
}

/* A quoted string at *at; false if there is none, or it does not end. */
static bool read_quoted(const char **at, const char *end, struct buf *out)
{
    const char *c = *at;
    if (c >= end || *c != '"')
        return false;
    for (c++; c < end && *c != '"'; c++) {
        if (*c == '\\' && c + 1 < end)
            c++;
        buf_append(out, c, 1);
    }
    *at = c + 1;
    return c < end;
}

bool warning_header_read(const char *value, size_t length, struct vec *texts)
{
    const char *at = value, *end = value + length;
    bool ok = true;
    while (ok && at < end && texts->length < texts->maximum) {
        struct buf text = buf_make(WARNING_MAXIMUM);
        at = skip(at, end, " \t,");
        const char *code = at;
        at = skip(at, end, "0123456789");
        bool ours = at - code == 3 && memcmp(code, "299", 3) == 0;
        at = skip(at, end, " \t");
        while (at < end && *at != ' ' && *at != '\t') /* the agent */
            at++;
        at = skip(at, end, " \t");
        bool whole = read_quoted(&at, end, &text);
        if (whole && ours && buf_ok(&text) && text.length > 0 && memchr(text.bytes, '\0', text.length) == NULL)
            ok = vec_push_string(texts, text.bytes);
        buf_free(&text);
        if (!whole)
            break;
        at = skip(at, end, " \t");
        if (at < end && *at == '"') { /* a date */
            struct buf date = buf_make(WARNING_MAXIMUM);
            bool ended = read_quoted(&at, end, &date);
            buf_free(&date);
            if (!ended)
                break;
        }
    }
    return ok;
}
