#include "text/renderer.h"

#include <string.h>

#include "text/entity.h"
#include "text/width.h"
#include "text/width_internal.h"

enum { URL_COLUMNS = 1000 }; /* shown of a link's address */

static unsigned style_now(const struct renderer *r)
{
    unsigned style = STYLE_NORMAL;
    style |= r->strong > 0 || (r->headings > 0 && r->headings <= 2) ? STYLE_STRONG : 0u;
    style |= r->emphasis > 0 ? STYLE_EMPHASIS : 0u;
    style |= r->inline_code > 0 ? STYLE_CODE : 0u;
    style |= r->links > 0 ? STYLE_LINK : 0u;
    style |= r->headings > 0 ? STYLE_HEADING : 0u;
    style |= r->quotes > 0 ? STYLE_QUOTE : 0u;
    return style;
}

static unsigned last_code_point(const struct buf *text)
{
    size_t at = text->length;
    unsigned code_point = 0;
    while (at > 0 && text->length - at < 4 && ((unsigned char)text->bytes[--at] & 0xC0) == 0x80)
        ;
    utf8_decode(text->bytes + at, text->length - at, &code_point);
    return code_point;
}

/* Chinese puts no space where a source line ends. */
static bool joins(unsigned before, unsigned after)
{
    bool cjk_before = width_is_cjk(before), cjk_after = width_is_cjk(after);
    return (cjk_before && cjk_after) || (cjk_before && width_is_shared_punctuation(after)) ||
           (cjk_after && width_is_shared_punctuation(before));
}

static void append_text(struct renderer *r, const char *bytes, size_t length, unsigned style)
{
    if (length > r->text_left) {
        renderer_fail(r, ERROR_LIMIT);
        return;
    }
    r->text_left -= length;
    struct rich *text = &r->text;
    if (r->soft_break && length > 0 && text->count > 0) {
        unsigned first;
        utf8_decode(bytes, length, &first);
        if (!joins(last_code_point(&text->text), first))
            rich_append_string(text, " ", style & text->runs[text->count - 1].style); /* no underline of a link that begins */
    }
    r->soft_break = r->soft_break && length == 0;
    rich_append(text, bytes, length, style);
    if (!rich_ok(text))
        renderer_fail(r, ERROR_MEMORY);
}

void inline_text(struct renderer *r, const char *bytes, size_t length)
{
    append_text(r, bytes, length, style_now(r));
}

/* Returns the bytes that a character reference stands for. */
static size_t decode_entity(const char *bytes, size_t length, char out[static 4])
{
    unsigned code_point = entity_code_point(bytes, length);
    return code_point != 0 ? utf8_encode(code_point, out) : 0;
}

void inline_entity(struct renderer *r, const char *bytes, size_t length)
{
    char decoded[4];
    size_t used = decode_entity(bytes, length, decoded);
    if (used > 0)
        inline_text(r, decoded, used);
    else
        inline_text(r, bytes, length);
}

void inline_break(struct renderer *r)
{
    r->soft_break = false;
    rich_break(&r->text, style_now(r));
    if (!rich_ok(&r->text))
        renderer_fail(r, ERROR_MEMORY);
}

/* A link's address as plain text, its character references resolved. */
static void expand_url(const MD_ATTRIBUTE *url, struct buf *out)
{
    for (size_t i = 0; url->text != NULL && url->substr_offsets[i] < url->size; i++) {
        const char *part = url->text + url->substr_offsets[i];
        size_t length = url->substr_offsets[i + 1] - url->substr_offsets[i];
        char decoded[4];
        size_t used = url->substr_types[i] == MD_TEXT_ENTITY ? decode_entity(part, length, decoded) : 0;
        if (used > 0)
            safe_append(out, decoded, used, SAFE_ONE_LINE);
        else
            safe_append(out, part, length, SAFE_ONE_LINE);
    }
}

/* True if the link's text already is its address, as in <https://example.com>. */
static bool says_its_url(const struct renderer *r, size_t start, const struct buf *url)
{
    static const char mail[] = "mailto:";
    const struct buf *text = &r->text.text;
    while (start < text->length && text->bytes[start] == ' ')
        start++;
    size_t length = text->length - start;
    if (length == url->length)
        return length == 0 || memcmp(text->bytes + start, url->bytes, length) == 0;
    return length > 0 && url->length == length + strlen(mail) && memcmp(url->bytes, mail, strlen(mail)) == 0 &&
           memcmp(text->bytes + start, url->bytes + strlen(mail), length) == 0;
}

void inline_link_begins(struct renderer *r)
{
    if (r->link_depth < LINK_DEPTH)
        r->link_starts[r->link_depth] = r->text.text.length;
    r->link_depth++;
}

void inline_link_ends(struct renderer *r, const MD_ATTRIBUTE *attribute)
{
    r->link_depth--;
    struct buf url = buf_make(SAFE_MAXIMUM * 4);
    struct buf shown = buf_make(SAFE_MAXIMUM);
    if (attribute->size > r->text_left)
        renderer_fail(r, ERROR_LIMIT);
    else {
        r->text_left -= attribute->size; /* also when it is cut: reading it again for each link costs as much */
        expand_url(attribute, &url);
    }
    size_t start = r->link_depth < LINK_DEPTH ? r->link_starts[r->link_depth] : r->text.text.length;
    if (url.length > 0 && !says_its_url(r, start, &url)) {
        unsigned style = STYLE_MUTED | (r->quotes > 0 ? STYLE_QUOTE : 0u);
        width_cut(url.bytes, url.length, URL_COLUMNS, &shown);
        const char *open = r->text.text.length > start ? " (" : "("; /* an image may have no text */
        append_text(r, open, strlen(open), style);
        append_text(r, shown.bytes, shown.length, style);
        append_text(r, ")", 1, style);
    }
    if (!buf_ok(&url) || !buf_ok(&shown))
        renderer_fail(r, ERROR_MEMORY);
    buf_free(&shown);
    buf_free(&url);
}
