#include "store/progress.h"

#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "store/progress_file.h"
#include "store/sql.h"

enum { LEDGER_ENTRIES = 20000 };
#define PROGRESS_APPLICATION 0x6b747031u /* "ktp1" */

/* Never edited, only added to: files of every version are out there. `passed` outlives `step`, which reset forgets. */
static const struct store_migration migrations[] = {
    {"CREATE TABLE step(cluster TEXT NOT NULL, ns TEXT NOT NULL, lesson TEXT NOT NULL, step TEXT NOT NULL,"
     " state INTEGER NOT NULL, state_json TEXT, choice TEXT, hints INTEGER NOT NULL, solved INTEGER NOT NULL,"
     " started_ms INTEGER NOT NULL, passed_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,"
     " PRIMARY KEY(cluster, ns, lesson, step)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE passed(lesson TEXT NOT NULL, step TEXT NOT NULL, first_ms INTEGER NOT NULL,"
     " PRIMARY KEY(lesson, step)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE ledger(cluster TEXT NOT NULL, uid TEXT NOT NULL, lesson TEXT NOT NULL, resource TEXT NOT NULL,"
     " ns TEXT NOT NULL, name TEXT NOT NULL, seen_ms INTEGER NOT NULL, PRIMARY KEY(cluster, uid)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE fact(cluster TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, changed_ms INTEGER NOT NULL,"
     " PRIMARY KEY(cluster, name)) STRICT, WITHOUT ROWID;"},
    {NULL},
};

/* ---- opening, and going on without the file */

static void warn(struct progress *progress, const struct error *why)
{
    progress->warning = *why;
    error_context(&progress->warning, "%s", _("progress cannot be saved and lasts only until the program ends"));
}

static struct progress *open_memory(struct progress *progress, const struct error *why, struct error *warning)
{
    progress->store = progress->path != NULL ? store_open_copy(progress->path, PROGRESS_APPLICATION, migrations, NULL)
                                             : store_open(":memory:", PROGRESS_APPLICATION, migrations, NULL);
    if (progress->store == NULL) {
        error_memory(warning);
        mem_free(progress->path);
        mem_free(progress);
        return NULL;
    }
    warn(progress, why);
    progress->warned = true;
    if (warning != NULL)
        *warning = progress->warning;
    return progress;
}

struct progress *progress_open(const char *path, struct error *warning)
{
    struct error why = ERROR_INIT;
    struct progress *progress = mem_zero(1, sizeof *progress);
    if (progress == NULL) {
        error_memory(warning);
        return NULL;
    }
    if (path != NULL && strcmp(path, ":memory:") == 0) {
        progress->store = store_open(path, PROGRESS_APPLICATION, migrations, warning);
        if (progress->store != NULL)
            return progress;
        mem_free(progress);
        return NULL;
    }
    progress->path = path != NULL ? mem_string(path) : xdg_file(XDG_STATE, "progress.db", &why);
    if (progress->path == NULL && path != NULL)
        error_memory(&why);
    if (progress->path != NULL)
        progress->store = store_open(progress->path, PROGRESS_APPLICATION, migrations, &why);
    if (progress->store == NULL)
        return open_memory(progress, &why, warning);
    progress->kept = true;
    return progress;
}

/* What was done in memory goes to the file after all, if that can be written by now. */
static void bring_home(struct progress *progress)
{
    struct progress file = {.store = store_open(progress->path, PROGRESS_APPLICATION, migrations, NULL), .kept = false};
    char *text = file.store != NULL ? progress_export(progress, NULL) : NULL;
    if (text != NULL)
        progress->kept = progress_merge(&file, text, strlen(text), true, NULL);
    mem_free(text);
    store_close(file.store);
}

void progress_close(struct progress *progress)
{
    if (progress == NULL)
        return;
    if (!progress->kept && progress->path != NULL)
        bring_home(progress);
    store_close(progress->store);
    mem_free(progress->path);
    mem_free(progress);
}

bool progress_is_kept(const struct progress *progress)
{
    return progress->kept;
}

bool progress_warning(struct progress *progress, struct error *warning)
{
    if (progress->warned || progress->warning.kind == ERROR_NONE)
        return false;
    progress->warned = true;
    if (warning != NULL)
        *warning = progress->warning;
    return true;
}

/* True for what another try in memory would mend. */
static bool is_files_fault(enum error_kind kind)
{
    return kind == ERROR_LIMIT || kind == ERROR_DENIED || kind == ERROR_INPUT || kind == ERROR_NOT_FOUND;
}

bool progress_write(struct progress *progress, progress_change *change, const void *argument, struct error *err)
{
    struct error why = ERROR_INIT;
    if (sql_transaction(progress->store, &why, "save the progress", change, argument))
        return true;
    struct store *memory = NULL;
    if (progress->kept && is_files_fault(why.kind))
        memory = store_copy(progress->store, PROGRESS_APPLICATION, migrations, NULL);
    if (memory == NULL) {
        if (err != NULL)
            *err = why;
        return false;
    }
    store_close(progress->store);
    progress->store = memory;
    progress->kept = false;
    warn(progress, &why);
    return sql_transaction(progress->store, err, "save the progress", change, argument);
}

/* ---- steps */

void progress_step_free(struct progress_step *step)
{
    mem_free(step->state_json);
    mem_free(step->choice);
    *step = (struct progress_step){0};
}

static bool read_step(sqlite3_stmt *row, struct progress_step *step)
{
    int state = sqlite3_column_int(row, 0);
    step->state = state == PROGRESS_STARTED || state == PROGRESS_PASSED ? (enum progress_state)state : PROGRESS_NONE;
    step->hints_shown = sqlite3_column_int(row, 3);
    step->solved = sqlite3_column_int(row, 4) != 0;
    step->started_ms = sqlite3_column_int64(row, 5);
    step->passed_ms = sqlite3_column_int64(row, 6);
    return sql_text(row, 1, &step->state_json) && sql_text(row, 2, &step->choice);
}

bool progress_get(struct progress *progress, const struct progress_key *key, struct progress_step *step, struct error *err)
{
    static const char doing[] = "read the progress";
    *step = (struct progress_step){0};
    bool ok = true;
    sqlite3_stmt *query = sql_query(progress->store, err, doing,
                                    "SELECT state, state_json, choice, hints, solved, started_ms, passed_ms FROM step"
                                    " WHERE cluster = ? AND ns = ? AND lesson = ? AND step = ?",
                                    "tttt", key->cluster, key->ns, key->lesson, key->step);
    if (query == NULL)
        return false;
    if (sql_row(progress->store, query, &ok, doing, err) && !read_step(query, step)) {
        progress_step_free(step);
        ok = error_memory(err);
    }
    sqlite3_finalize(query);
    return ok;
}

struct put {
    const struct progress_key *key;
    const struct progress_step *step;
};

static bool put(struct store *store, const void *argument, struct error *err)
{
    static const char doing[] = "save the progress";
    const struct progress_key *key = ((const struct put *)argument)->key;
    const struct progress_step *step = ((const struct put *)argument)->step;
    if (!sql_run(store, err, doing, "INSERT OR REPLACE INTO step VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "ttttittiiiii", key->cluster,
                 key->ns, key->lesson, key->step, (int64_t)step->state, step->state_json, step->choice, (int64_t)step->hints_shown,
                 (int64_t)step->solved, step->started_ms, step->passed_ms, clock_wall_ms()))
        return false;
    return step->state != PROGRESS_PASSED ||
           sql_run(store, err, doing, "INSERT OR IGNORE INTO passed VALUES(?, ?, ?)", "tti", key->lesson, key->step, step->passed_ms);
}

static bool fits(const char *text, const char *what, struct error *err)
{
    return text == NULL || strlen(text) <= PROGRESS_STATE ||
           error_set(err, ERROR_LIMIT, NULL, "%s is larger than the %d bytes that progress keeps", what, PROGRESS_STATE);
}

bool progress_put(struct progress *progress, const struct progress_key *key, const struct progress_step *step, struct error *err)
{
    return fits(step->state_json, "the step's state", err) && fits(step->choice, "the answer", err) &&
           progress_write(progress, put, &(struct put){key, step}, err);
}

struct forget {
    const char *cluster, *ns, *lesson;
};

static bool forget(struct store *store, const void *argument, struct error *err)
{
    const struct forget *what = argument;
    return sql_run(store, err, "forget the progress", "DELETE FROM step WHERE cluster = ? AND ns = ? AND lesson = coalesce(?, lesson)", "ttt",
                   what->cluster, what->ns, what->lesson);
}

bool progress_forget(struct progress *progress, const char *cluster, const char *ns, const char *lesson, struct error *err)
{
    return progress_write(progress, forget, &(struct forget){cluster, ns, lesson}, err);
}

int progress_passed_anywhere(struct progress *progress, const char *lesson)
{
    bool ok = true;
    int count = 0;
    sqlite3_stmt *query =
        sql_query(progress->store, NULL, "read the progress", "SELECT count(*) FROM passed WHERE lesson = ?", "t", lesson);
    if (query != NULL && sql_row(progress->store, query, &ok, "read the progress", NULL))
        count = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    return count;
}

/* ---- the ledger */

struct seen {
    const char *cluster, *lesson, *resource, *ns, *name, *uid;
};

static bool add(struct store *store, const void *argument, struct error *err)
{
    const struct seen *seen = argument;
    return sql_run(store, err, "write the ledger", "INSERT OR IGNORE INTO ledger VALUES(?, ?, ?, ?, ?, ?, ?)", "tttttti", seen->cluster,
                   seen->uid, seen->lesson, seen->resource, seen->ns, seen->name, clock_wall_ms());
}

bool progress_ledger_add(struct progress *progress, const char *cluster, const char *lesson, const char *resource, const char *ns,
                         const char *name, const char *uid, struct error *err)
{
    return progress_write(progress, add, &(struct seen){cluster, lesson, resource, ns, name, uid}, err);
}

static void entry_free(void *item)
{
    struct ledger_entry *entry = item;
    if (entry == NULL)
        return;
    mem_free(entry->lesson);
    mem_free(entry->resource);
    mem_free(entry->ns);
    mem_free(entry->name);
    mem_free(entry->uid);
    mem_free(entry);
}

static struct ledger_entry *read_entry(sqlite3_stmt *row)
{
    struct ledger_entry *entry = mem_zero(1, sizeof *entry);
    if (entry != NULL && sql_text(row, 0, &entry->lesson) && sql_text(row, 1, &entry->resource) && sql_text(row, 2, &entry->ns) &&
        sql_text(row, 3, &entry->name) && sql_text(row, 4, &entry->uid))
        return entry;
    entry_free(entry);
    return NULL;
}

bool progress_ledger_list(struct progress *progress, const char *cluster, const char *lesson, struct vec *entries, struct error *err)
{
    static const char doing[] = "read the ledger";
    *entries = vec_make(LEDGER_ENTRIES, entry_free);
    bool ok = true;
    sqlite3_stmt *query = sql_query(progress->store, err, doing,
                                    "SELECT lesson, resource, ns, name, uid FROM ledger WHERE cluster = ? AND lesson = coalesce(?, lesson)"
                                    " ORDER BY seen_ms, resource, name",
                                    "tt", cluster, lesson);
    if (query == NULL)
        return false;
    while (ok && entries->length < LEDGER_ENTRIES && sql_row(progress->store, query, &ok, doing, err)) {
        struct ledger_entry *entry = read_entry(query);
        if (entry == NULL || !vec_push(entries, entry))
            ok = error_memory(err);
    }
    sqlite3_finalize(query);
    if (!ok)
        vec_free(entries);
    return ok;
}

static bool strike(struct store *store, const void *argument, struct error *err)
{
    const struct seen *seen = argument;
    return sql_run(store, err, "write the ledger", "DELETE FROM ledger WHERE cluster = ? AND uid = ?", "tt", seen->cluster, seen->uid);
}

bool progress_ledger_remove(struct progress *progress, const char *cluster, const char *uid, struct error *err)
{
    return progress_write(progress, strike, &(struct seen){.cluster = cluster, .uid = uid}, err);
}

/* ---- facts */

char *progress_fact(struct progress *progress, const char *cluster, const char *name)
{
    static const char doing[] = "read the progress";
    bool ok = true;
    char *value = NULL;
    sqlite3_stmt *query =
        sql_query(progress->store, NULL, doing, "SELECT value FROM fact WHERE cluster = ? AND name = ?", "tt", cluster, name);
    if (query != NULL && sql_row(progress->store, query, &ok, doing, NULL))
        ok = sql_text(query, 0, &value);
    sqlite3_finalize(query);
    return value;
}

struct fact {
    const char *cluster, *name, *value;
};

static bool set_fact(struct store *store, const void *argument, struct error *err)
{
    const struct fact *fact = argument;
    if (fact->value == NULL)
        return sql_run(store, err, "save the progress", "DELETE FROM fact WHERE cluster = ? AND name = ?", "tt", fact->cluster, fact->name);
    return sql_run(store, err, "save the progress", "INSERT OR REPLACE INTO fact VALUES(?, ?, ?, ?)", "ttti", fact->cluster, fact->name,
                   fact->value, clock_wall_ms());
}

bool progress_set_fact(struct progress *progress, const char *cluster, const char *name, const char *value, struct error *err)
{
    return fits(value, "the value", err) && progress_write(progress, set_fact, &(struct fact){cluster, name, value}, err);
}
