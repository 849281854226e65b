/* mem.h: the one allocator. Everything that the program allocates, and every library that lets itself be told, goes through
 * here, so that a test can make any allocation fail and count what is left.
 */
#ifndef KT_BASE_MEM_H
#define KT_BASE_MEM_H

#include <stddef.h>

/* As malloc, calloc and realloc: NULL when there is no memory. A size of 0 gives a pointer that can be freed. */
void *mem_alloc(size_t size) __attribute__((warn_unused_result, malloc));
void *mem_zero(size_t count, size_t size) __attribute__((warn_unused_result, malloc)); /* zeroed; NULL on overflow too */
void *mem_resize(void *old, size_t size) __attribute__((warn_unused_result));
void mem_free(void *memory); /* NULL is fine */

/* The same for small blocks that come and go by hundreds (nodes of documents): a few of each size are kept for the next ones, which takes a tenth of the
 * time. mem_give gets the size that was asked for, or any that rounds to the same 16 bytes; mem_free will do, too. */
void *mem_take(size_t size) __attribute__((warn_unused_result, malloc));
void mem_give(void *memory, size_t size);

/* Copies; the caller frees. NULL when there is no memory. */
char *mem_string(const char *string) __attribute__((warn_unused_result, malloc));
char *mem_string_n(const char *bytes, size_t length) __attribute__((warn_unused_result, malloc)); /* adds a NUL */
char *mem_printf(const char *format, ...) __attribute__((warn_unused_result, malloc, format(printf, 1, 2)));

/* For tests: the nth allocation from now on (1 is the next) fails, and only that one; 0 switches it off. */
void mem_fail_at(int nth);
/* For tests: every allocation from the nth on fails, until 0 is given. */
void mem_fail_from(int nth);

#endif
