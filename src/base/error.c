#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies as much of text as fits, never half a UTF-8 character at the end. */
static void copy_cut(char *to, size_t room, const char *text)
{
    size_t length = strlen(text);
    if (length >= room) {
        length = room - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
            length--;
    }
    memmove(to, text, length);
    to[length] = '\0';
}

static void set_message(struct error *err, const char *format, va_list args)
{
    char text[sizeof err->message * 2];
    if (vsnprintf(text, sizeof text, format, args) < 0)
        text[0] = '\0';
    copy_cut(err->message, sizeof err->message, text);
}

bool error_set(struct error *err, enum error_kind kind, const char *where, const char *format, ...)
{
    if (err == NULL)
        return false;
    va_list args;
    va_start(args, format);
    struct error fresh = {.kind = kind}; /* arguments may point into err */
    set_message(&fresh, format, args);
    va_end(args);
    copy_cut(fresh.where, sizeof fresh.where, where != NULL ? where : "");
    *err = fresh;
    return false;
}

bool error_context(struct error *err, const char *format, ...)
{
    if (err == NULL)
        return false;
    va_list args;
    va_start(args, format);
    struct error fresh = *err;
    set_message(&fresh, format, args);
    va_end(args);
    copy_cut(fresh.cause, sizeof fresh.cause, err->message);
    *err = fresh;
    return false;
}

bool error_memory(struct error *err)
{
    return error_set(err, ERROR_MEMORY, NULL, "out of memory");
}
