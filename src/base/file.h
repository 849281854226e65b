/* file.h: whole files, bounded, and folders.
 *
 * Errors name the path in `where` and the system's words in `cause`: ERROR_NOT_FOUND, ERROR_DENIED, ERROR_LIMIT (too large),
 * ERROR_MEMORY, else ERROR_INPUT.
 */
#ifndef KT_BASE_FILE_H
#define KT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads a whole file of at most `maximum` bytes. The caller frees (mem_free); a NUL follows the bytes. length may be NULL. */
char *file_read(const char *path, size_t maximum, size_t *length, struct error *err) __attribute__((warn_unused_result));

/* The same for a path below an opened folder, for packs of other people: refuses an absolute path, a `..` part and symbolic links
 * anywhere on the way (openat with O_NOFOLLOW, a part at a time). */
char *file_read_below(const char *folder, const char *path, size_t maximum, size_t *length, struct error *err)
    __attribute__((warn_unused_result));

/* Writes a whole file so that a reader, or a crash, sees the old one or the new one, never half: a temporary file beside it is
 * written, synced and renamed. mode as in open(2); 0600 for secrets. */
bool file_write(const char *path, const void *bytes, size_t length, unsigned mode, struct error *err)
    __attribute__((warn_unused_result));

/* Makes a folder and its missing parents, with mode (0700 for ours). An existing folder is success. */
bool file_make_folder(const char *path, unsigned mode, struct error *err) __attribute__((warn_unused_result));

/* True if something is there (of any kind; permissions of parents count). */
bool file_exists(const char *path);

/* Joins with one slash; the caller frees. An absolute `name` is returned as it is. NULL: no memory. */
char *file_join(const char *folder, const char *name) __attribute__((warn_unused_result));

/* Fills err from errno for an operation ("open", "write") on a path; returns false. */
bool file_error(struct error *err, int errno_value, const char *operation, const char *path);

#endif
