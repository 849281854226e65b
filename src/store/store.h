/* store.h: SQLite files: opening, migrations, refusal of a newer format. Progress is in progress.h.
 */
#ifndef KT_STORE_STORE_H
#define KT_STORE_STORE_H

#include <stdbool.h>

#include "base/error.h"

struct store; /* one open file */
struct sqlite3;

struct store_migration { /* a const table, the last one with sql NULL; its index + 1 is the version that it leads to (PRAGMA user_version) */
    const char *sql;
};

/* Opens or makes the file (0600, WAL, synchronous NORMAL, busy time-out 5 s) and brings it to the newest version in one transaction. A file of a newer
 * version is refused (ERROR_INVALID) and not touched; a damaged one (up to 16 MiB all of it is looked at) is refused and not touched either (ERROR_INPUT), told with its path and what to do. A full disk or a read-only folder:
 * ERROR_LIMIT or ERROR_DENIED. application_id tells our files from others. path ":memory:" keeps nothing; neither does "",
 * which is a temporary file without a name. */
struct store *store_open(const char *path, unsigned application_id, const struct store_migration *migrations, struct error *err)
    __attribute__((warn_unused_result));
void store_close(struct store *store);
struct sqlite3 *store_db(struct store *store); /* for store/ and practice/state only */

/* For going on without the file: a copy in memory of what is in another store, or of what can be read of a file that store_open refused
 * (missing, read-only, on a full disk); empty where that is damaged, of a newer version, or more than 64 MiB. NULL only without memory. */
struct store *store_copy(struct store *from, unsigned application_id, const struct store_migration *migrations, struct error *err)
    __attribute__((warn_unused_result));
struct store *store_open_copy(const char *path, unsigned application_id, const struct store_migration *migrations, struct error *err)
    __attribute__((warn_unused_result));

/* Fills err from the last SQLite error, for an operation in words; returns false. */
bool store_error(struct store *store, struct error *err, const char *doing);

#endif
