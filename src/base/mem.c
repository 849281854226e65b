#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Process-wide on purpose: libraries are given these functions without a context (see "Rules of the house"). */
static struct {
    int countdown; /* allocations until the failing one; 0: none fails */
    bool forever;
} fail;

static bool should_fail(void)
{
    if (fail.countdown == 0)
        return false;
    if (fail.countdown > 1) {
        fail.countdown--;
        return false;
    }
    if (!fail.forever)
        fail.countdown = 0;
    return true;
}

void *mem_alloc(size_t size)
{
    return should_fail() ? NULL : malloc(size > 0 ? size : 1);
}

void *mem_zero(size_t count, size_t size)
{
    return should_fail() ? NULL : calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

void *mem_resize(void *old, size_t size)
{
    return should_fail() ? NULL : realloc(old, size > 0 ? size : 1);
}

void mem_free(void *memory)
{
    free(memory);
}

char *mem_string(const char *string)
{
    return mem_string_n(string, strlen(string));
}

char *mem_string_n(const char *bytes, size_t length)
{
    char *copy = length < PTRDIFF_MAX ? mem_alloc(length + 1) : NULL;
    if (copy == NULL)
        return NULL;
    if (length > 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *mem_printf(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length >= 0 ? mem_alloc((size_t)length + 1) : NULL;
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void mem_fail_at(int nth)
{
    fail.countdown = nth;
    fail.forever = false;
}

void mem_fail_from(int nth)
{
    fail.countdown = nth;
    fail.forever = true;
}
