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

enum {
    STEP = 16,
    SIZES = 16, /* larger ones are not kept */
    KEPT = 512, /* of each size */
};

#if defined(__SANITIZE_ADDRESS__)
#define IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_WATCHED 1
#endif
#endif
#ifndef IS_WATCHED
#define IS_WATCHED 0 /* else a block that is kept could be used after its end without a word */
#endif

/* Each thread has its own; those of a thread that ends are lost, so only long-lived ones should build documents. */
static _Thread_local struct {
    struct kept {
        struct kept *next;
    } *first;
    unsigned count;
} kept[SIZES + 1];

void *mem_take(size_t size)
{
    size_t steps = (size + STEP - 1) / STEP;
    if (IS_WATCHED || steps < 1 || steps > SIZES || kept[steps].first == NULL)
        return mem_alloc(steps <= SIZES ? steps * STEP : size);
    if (should_fail())
        return NULL;
    struct kept *block = kept[steps].first;
    kept[steps].first = block->next;
    kept[steps].count--;
    return block;
}

void mem_give(void *memory, size_t size)
{
    size_t steps = (size + STEP - 1) / STEP;
    struct kept *block = memory;
    if (IS_WATCHED || memory == NULL || steps < 1 || steps > SIZES || kept[steps].count == KEPT) {
        free(memory);
        return;
    }
    block->next = kept[steps].first;
    kept[steps].first = block;
    kept[steps].count++;
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
