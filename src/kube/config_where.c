/* Which line of a kubeconfig to show. The parsed document no longer knows lines, so the text is looked through as people write it: block
 * style, one key a line. Other styles (JSON in one line) get no line, or that of the entry. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kube/config_read.h"

struct line {
    const char *start; /* behind indentation and "- " */
    size_t length;
    size_t indent; /* columns before start */
    bool item;     /* began with "- " */
};

static bool next_line(const char **at, const char *end, struct line *line)
{
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (stop == NULL)
        stop = end;
    const char *start = *at;
    line->item = false;
    while (start < stop && (*start == ' ' || *start == '{' || (*start == '-' && start + 1 < stop && start[1] == ' '))) { /* "- {name: x, ..." too */
        line->item |= *start == '-';
        start++;
    }
    line->start = start;
    line->length = (size_t)(stop - start);
    line->indent = (size_t)(start - *at);
    *at = stop < end ? stop + 1 : end;
    return true;
}

/* Is the line "key:"? Then *value is what follows, quotes and blanks taken off. */
static bool is_key(const struct line *line, const char *key, size_t key_length, const char **value, size_t *value_length)
{
    const char *start = line->start, *end = start + line->length;
    if (start < end && (*start == '"' || *start == '\'')) { /* JSON in several lines */
        start++;
        if ((size_t)(end - start) <= key_length || start[key_length] != line->start[0])
            return false;
        if (memcmp(start, key, key_length) != 0)
            return false;
        start++;
    } else if ((size_t)(end - start) < key_length || memcmp(start, key, key_length) != 0)
        return false;
    start += key_length;
    if (start >= end || *start != ':')
        return false;
    start++;
    while (start < end && strchr(" \"'", *start) != NULL)
        start++;
    const char *comma = start < end ? memchr(start, ',', (size_t)(end - start)) : NULL;
    end = comma != NULL ? comma : end;
    while (end > start && strchr(" \"',\r", end[-1]) != NULL)
        end--;
    *value = start;
    *value_length = (size_t)(end - start);
    return true;
}

struct found {
    unsigned list, item, field; /* lines; 0: not seen */
};

/* Looks through the items of the list: an item's name may stand before or behind its body. */
static struct found look(const char *text, size_t length, const char *list, const char *name, const char *field)
{
    struct found found = {0};
    const char *at = text, *value;
    size_t value_length, item_indent = 0;
    unsigned number = 0, item_line = 0, field_line = 0;
    bool inside = false, ours = false;
    const char *last = field != NULL ? strrchr(field, '.') : NULL; /* the last part of a dotted field is on the line */
    last = last != NULL ? last + 1 : field;
    size_t field_length = last != NULL ? strcspn(last, "[") : 0;
    struct line line;
    while (next_line(&at, text + length, &line)) {
        number++;
        bool top = !line.item && line.indent == 0 && line.length > 0 && line.start[0] != '#';
        if (top || (inside && line.item && (item_line == 0 || line.indent <= item_indent))) {
            if (ours)
                break;
            item_line = field_line = 0;
            if (top) {
                inside = is_key(&line, list, strlen(list), &value, &value_length);
                if (inside)
                    found.list = number;
                continue;
            }
            item_line = number;
            item_indent = line.indent;
        }
        if (!inside)
            continue;
        if (line.indent == item_indent && is_key(&line, "name", 4, &value, &value_length) && name != NULL &&
            strlen(name) == value_length && memcmp(name, value, value_length) == 0) {
            ours = true;
            found.item = item_line;
        }
        if (field != NULL && field_line == 0 && is_key(&line, last, field_length, &value, &value_length))
            field_line = number;
        if (ours)
            found.field = field_line;
    }
    return found;
}

unsigned config_line(const char *text, size_t length, const char *list, const char *name, const char *field)
{
    struct found found = look(text, length, list, name, field);
    return found.field != 0 ? found.field : found.item != 0 ? found.item : found.list;
}

static void set_where(struct error *err, const struct config_source *source, unsigned line, const char *what)
{
    size_t room = sizeof err->where, path = strlen(source->path), rest = strlen(what) + 14;
    size_t skip = path + rest > room && path > 32 ? path + rest - room : 0; /* the end of a long path says more */
    if (skip > path - 1)
        skip = path > 0 ? path - 1 : 0;
    while (skip < path && ((unsigned char)source->path[skip] & 0xC0) == 0x80)
        skip++;
    if (line > 0)
        snprintf(err->where, room, "%s:%u%s%s", source->path + skip, line, what[0] != '\0' ? " " : "", what);
    else
        snprintf(err->where, room, "%s%s%s", source->path + skip, what[0] != '\0' ? " " : "", what);
}

bool config_blame(struct error *err, const struct config_entry *entry, const char *field, const char *format, ...)
{
    if (err == NULL)
        return false;
    char text[sizeof err->message * 2], what[sizeof err->where];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(what, sizeof what, "%s[%.64s]%s%s", entry->list, entry->name, field != NULL ? "." : "", field != NULL ? field : "");
    error_set(err, ERROR_INPUT, NULL, "%s", text);
    const struct config_source *source = entry->source;
    set_where(err, source, config_line(source->text, source->length, entry->list, entry->name, field), what);
    return false;
}

bool config_blame_file(struct error *err, const struct config_source *source, const char *field, const char *format, ...)
{
    if (err == NULL)
        return false;
    char text[sizeof err->message * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(err, ERROR_INPUT, NULL, "%s", text);
    set_where(err, source, config_line(source->text, source->length, field, NULL, NULL), field);
    return false;
}
