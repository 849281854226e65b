/* progress_file.h: what progress.c and transfer.c share; inside store/ only.
 */
#ifndef KT_STORE_PROGRESS_FILE_H
#define KT_STORE_PROGRESS_FILE_H

#include "store/progress.h"
#include "store/store.h"

struct progress {
    struct store *store;
    char *path; /* NULL: memory was asked for */
    bool kept;
    bool warned; /* the warning was handed out */
    struct error warning;
};

/* A change: run in a transaction, a second time in memory if the file turns out not to be writable. */
typedef bool progress_change(struct store *store, const void *argument, struct error *err);
bool progress_write(struct progress *progress, progress_change *change, const void *argument, struct error *err)
    __attribute__((warn_unused_result));

/* progress_import; trusted: our own export, permissions included. */
bool progress_merge(struct progress *progress, const char *text, size_t length, bool trusted, struct error *err)
    __attribute__((warn_unused_result));

#endif
