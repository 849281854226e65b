#include "support.h"

#include "base/buf.h"
#include "text/width.h"

static const char *const roles_names[ROLE_COUNT] = {
    [ROLE_STRONG] = "strong", [ROLE_EMPHASIS] = "emphasis", [ROLE_CODE] = "code", [ROLE_HEADING] = "heading", [ROLE_LINK] = "link", [ROLE_MUTED] = "muted",
    [ROLE_COMMAND] = "command", [ROLE_CHOICE] = "choice", [ROLE_SELECTED] = "selected", [ROLE_GOOD] = "good", [ROLE_BUSY] = "busy", [ROLE_BAD] = "bad",
    [ROLE_WHY] = "why", [ROLE_KEY] = "key", [ROLE_BANNER] = "banner", [ROLE_FLASH] = "flash",
};

char *lines_dump(const struct vec *lines, bool roles)
{
    struct buf out = buf_make(1 << 20);
    for (size_t i = 0; i < lines->length; i++) {
        const struct line *line = lines->items[i];
        size_t at = 0;
        for (size_t s = 0; roles && s < line->span_count; s++) {
            const struct role_span *span = &line->spans[s];
            buf_append(&out, line->text.bytes + at, span->start - at);
            if (span->role != ROLE_TEXT)
                buf_printf(&out, "[%s:", roles_names[span->role] != NULL ? roles_names[span->role] : "?");
            buf_append(&out, line->text.bytes + span->start, span->length);
            if (span->role != ROLE_TEXT)
                buf_append_string(&out, "]");
            at = span->start + span->length;
        }
        buf_append(&out, line->text.bytes + at, line->text.length - at);
        buf_append_string(&out, "\n");
    }
    return buf_take(&out, NULL);
}

bool lines_sound(const struct vec *lines, size_t columns)
{
    for (size_t i = 0; i < lines->length; i++) {
        const struct line *line = lines->items[i];
        size_t at = 0;
        if (width_text(line->text.bytes, line->text.length) > columns)
            return false;
        for (size_t s = 0; s < line->span_count; s++) {
            if (line->spans[s].start < at || line->spans[s].start + line->spans[s].length > line->text.length)
                return false;
            at = line->spans[s].start + line->spans[s].length;
        }
    }
    return true;
}
