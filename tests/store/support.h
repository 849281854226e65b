/* support.h: a folder of its own for a test, and files in it. */
#ifndef KT_TESTS_STORE_SUPPORT_H
#define KT_TESTS_STORE_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

int folder_setup(void **state); /* *state: the folder's path */
int folder_teardown(void **state);
/* A path in the folder; valid until the eighth call after it. */
const char *in_folder(void **state, const char *name);

/* A whole file; empty and length 0 if there is none. The caller frees. */
char *bytes_of(const char *path, size_t *length);
void write_bytes(const char *path, const void *bytes, size_t length);
/* True if the two hold the same bytes. */
bool same_bytes(const char *a, size_t a_length, const char *b, size_t b_length);

/* Runs body in a child process and returns its exit status; the child ends with what body returns. */
int in_child(int (*body)(void *argument), void *argument);

#endif
