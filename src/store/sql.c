#include "store/sql.h"

#include <stdarg.h>

#include "base/mem.h"

static bool bind(sqlite3_stmt *statement, const char *types, va_list args)
{
    for (int i = 0; types[i] != '\0'; i++) {
        int code;
        if (types[i] == 't') /* NULL binds NULL; the strings outlive the statement's use */
            code = sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        else
            code = sqlite3_bind_int64(statement, i + 1, va_arg(args, int64_t));
        if (code != SQLITE_OK)
            return false;
    }
    return true;
}

static sqlite3_stmt *query(struct store *store, struct error *err, const char *doing, const char *sql, const char *types, va_list args)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store_db(store), sql, -1, &statement, NULL) == SQLITE_OK && bind(statement, types, args))
        return statement;
    store_error(store, err, doing);
    sqlite3_finalize(statement);
    return NULL;
}

sqlite3_stmt *sql_query(struct store *store, struct error *err, const char *doing, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *statement = query(store, err, doing, sql, types, args);
    va_end(args);
    return statement;
}

bool sql_run(struct store *store, struct error *err, const char *doing, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *statement = query(store, err, doing, sql, types, args);
    va_end(args);
    if (statement == NULL)
        return false;
    bool ok = true;
    while (sql_row(store, statement, &ok, doing, err))
        ;
    sqlite3_finalize(statement);
    return ok;
}

bool sql_row(struct store *store, sqlite3_stmt *query, bool *ok, const char *doing, struct error *err)
{
    int code = sqlite3_step(query);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *ok = store_error(store, err, doing);
    return code == SQLITE_ROW;
}

bool sql_text(sqlite3_stmt *query, int column, char **text)
{
    *text = NULL;
    if (sqlite3_column_type(query, column) == SQLITE_NULL)
        return true;
    const unsigned char *bytes = sqlite3_column_text(query, column);
    *text = bytes != NULL ? mem_string((const char *)bytes) : NULL;
    return *text != NULL;
}

bool sql_transaction(struct store *store, struct error *err, const char *doing, bool (*body)(struct store *, const void *, struct error *),
                     const void *argument)
{
    if (!sql_run(store, err, doing, "BEGIN IMMEDIATE", ""))
        return false;
    if (body(store, argument, err) && sql_run(store, err, doing, "COMMIT", ""))
        return true;
    /* a failed COMMIT may have rolled back by itself: the answer of this one says nothing new */
    sqlite3_exec(store_db(store), "ROLLBACK", NULL, NULL, NULL);
    return false;
}
