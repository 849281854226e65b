/* sql.h: statements with their values, briefly; inside store/ only.
 *
 * `types` says what follows, one character a parameter: t a string (NULL is NULL), i an int64_t. `doing` names the operation for the
 * error ("read the progress").
 */
#ifndef KT_STORE_SQL_H
#define KT_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"

/* Runs a statement that answers no rows. */
bool sql_run(struct store *store, struct error *err, const char *doing, const char *sql, const char *types, ...)
    __attribute__((warn_unused_result));

/* Prepares a query; the caller steps it with sql_row and ends it with sqlite3_finalize. NULL on failure. */
sqlite3_stmt *sql_query(struct store *store, struct error *err, const char *doing, const char *sql, const char *types, ...)
    __attribute__((warn_unused_result));

/* True: there is a row. False: no more; *ok turns false, with err, if that is because of a failure. */
bool sql_row(struct store *store, sqlite3_stmt *query, bool *ok, const char *doing, struct error *err) __attribute__((warn_unused_result));

/* A copy of a column's text, NULL for NULL; the caller frees. False: no memory. */
bool sql_text(sqlite3_stmt *query, int column, char **text) __attribute__((warn_unused_result));

/* One write transaction: body runs inside it, and either all of it counts or nothing. */
bool sql_transaction(struct store *store, struct error *err, const char *doing, bool (*body)(struct store *, const void *, struct error *),
                     const void *argument) __attribute__((warn_unused_result));

#endif
