/* Progress as one JSON text, and back. A table says for each of the file's tables which columns there are and what may stand in them; the
 * JSON keys are the columns' names. */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "store/progress_file.h"
#include "store/sql.h"

enum { FORMAT = 1, ENTRIES = 100000, NAME_BYTES = 512 };

enum column_type {
    COLUMN_NAME,  /* a string of at most NAME_BYTES, not empty */
    COLUMN_PLACE, /* the same, "" allowed */
    COLUMN_TEXT,  /* a string of at most PROGRESS_STATE, or null */
    COLUMN_VALUE, /* the same, not null */
    COLUMN_JSON,  /* anything; in the file as text */
    COLUMN_STATE, /* "started", "passed", "none" */
    COLUMN_COUNT, /* 0 to 1000 */
    COLUMN_FLAG,
    COLUMN_TIME, /* ms; one in the future becomes now */
};

struct column {
    const char *name;
    enum column_type type;
};

struct section {
    const char *name; /* in the JSON text */
    struct column columns[13];
    const char *select, *insert; /* columns in the order of the list */
};

static const char *const states[] = {[PROGRESS_NONE] = "none", [PROGRESS_STARTED] = "started", [PROGRESS_PASSED] = "passed"};
enum { STATES = sizeof states / sizeof *states };

static const struct section sections[] = {
    {"steps",
     {{"cluster", COLUMN_NAME},
      {"namespace", COLUMN_PLACE},
      {"lesson", COLUMN_NAME},
      {"step", COLUMN_NAME},
      {"state", COLUMN_STATE},
      {"data", COLUMN_JSON},
      {"choice", COLUMN_TEXT},
      {"hints", COLUMN_COUNT},
      {"solved", COLUMN_FLAG},
      {"started_ms", COLUMN_TIME},
      {"passed_ms", COLUMN_TIME},
      {"changed_ms", COLUMN_TIME}},
     "SELECT * FROM step",
     "INSERT INTO step VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state,"
     " state_json = excluded.state_json, choice = excluded.choice, hints = excluded.hints, solved = excluded.solved,"
     " started_ms = excluded.started_ms, passed_ms = excluded.passed_ms, changed_ms = excluded.changed_ms"
     " WHERE excluded.changed_ms > changed_ms"},
    {"passed",
     {{"lesson", COLUMN_NAME}, {"step", COLUMN_NAME}, {"first_ms", COLUMN_TIME}},
     "SELECT * FROM passed",
     "INSERT INTO passed VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET first_ms = min(first_ms, excluded.first_ms)"},
    {"ledger",
     {{"cluster", COLUMN_NAME},
      {"uid", COLUMN_NAME},
      {"lesson", COLUMN_NAME},
      {"resource", COLUMN_NAME},
      {"namespace", COLUMN_PLACE},
      {"name", COLUMN_NAME},
      {"seen_ms", COLUMN_TIME}},
     "SELECT * FROM ledger",
     "INSERT OR IGNORE INTO ledger VALUES(?, ?, ?, ?, ?, ?, ?)"},
    {"facts",
     {{"cluster", COLUMN_PLACE}, {"name", COLUMN_NAME}, {"value", COLUMN_VALUE}, {"changed_ms", COLUMN_TIME}},
     "SELECT * FROM fact",
     "INSERT INTO fact VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, changed_ms = excluded.changed_ms"
     " WHERE excluded.changed_ms > changed_ms"},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* Permissions that a person gave on this machine: a file from elsewhere must not give them. */
static const char *const permissions[] = {"consent", "namespace-created"};

/* ---- out */

/* A state that is no JSON any more (somebody edited the file) is as good as none. */
static struct value *read_table(const char *text)
{
    struct error why = ERROR_INIT;
    struct value *table = json_parse(text, strlen(text), "the step's state", &why);
    return table != NULL || why.kind == ERROR_MEMORY ? table : value_null();
}

static struct value *read_column(sqlite3_stmt *row, int i, enum column_type type)
{
    const char *text;
    int state;
    switch (type) {
    case COLUMN_STATE:
        state = sqlite3_column_int(row, i);
        return value_string(states[state >= 0 && state < STATES ? state : PROGRESS_NONE]);
    case COLUMN_COUNT:
    case COLUMN_TIME:
        return value_int(sqlite3_column_int64(row, i));
    case COLUMN_FLAG:
        return value_bool(sqlite3_column_int(row, i) != 0);
    default:
        if (sqlite3_column_type(row, i) == SQLITE_NULL)
            return value_null();
        text = (const char *)sqlite3_column_text(row, i);
        if (text == NULL)
            return NULL;
        return type == COLUMN_JSON ? read_table(text) : value_string(text);
    }
}

static bool export_row(sqlite3_stmt *row, const struct section *section, struct value *list)
{
    struct value *entry = value_object();
    bool ok = entry != NULL;
    for (int i = 0; ok && section->columns[i].name != NULL; i++)
        ok = value_set(entry, section->columns[i].name, read_column(row, i, section->columns[i].type));
    if (ok)
        return value_append(list, entry);
    value_free(entry);
    return false;
}

static bool export_section(struct progress *progress, const struct section *section, struct value *all, struct error *err)
{
    static const char doing[] = "read the progress";
    struct value *list = value_array();
    if (!value_set(all, section->name, list))
        return error_memory(err);
    bool ok = true;
    sqlite3_stmt *query = sql_query(progress->store, err, doing, section->select, "");
    if (query == NULL)
        return false;
    while (ok && sql_row(progress->store, query, &ok, doing, err)) {
        if (!export_row(query, section, list))
            ok = error_memory(err);
    }
    sqlite3_finalize(query);
    return ok;
}

char *progress_export(struct progress *progress, struct error *err)
{
    struct buf out = buf_make(PROGRESS_TEXT);
    struct value *all = value_object();
    char now[21];
    time_print(clock_wall_ms(), now);
    bool ok = all != NULL && value_set(all, "kubetutor-progress", value_int(FORMAT)) && value_set(all, "exported", value_string(now));
    if (!ok)
        error_memory(err);
    for (int i = 0; ok && i < SECTIONS; i++)
        ok = export_section(progress, &sections[i], all, err);
    if (ok) {
        json_print(all, true, &out);
        buf_append_string(&out, "\n");
        if (!buf_ok(&out)) /* the buffer does not say which; a half-full one was too small */
            ok = out.length > PROGRESS_TEXT / 2
                     ? error_set(err, ERROR_LIMIT, "", "the progress is larger than the %d bytes that one file may have", PROGRESS_TEXT)
                     : error_memory(err);
    }
    value_free(all);
    char *text = ok ? buf_take(&out, NULL) : NULL;
    buf_free(&out);
    return text;
}

/* ---- in */

static bool is_text(const struct value *v, size_t least, size_t most)
{
    const char *text = value_text(v);
    return text != NULL && strlen(text) >= least && strlen(text) <= most;
}

static int state_of(const struct value *v)
{
    for (int i = 0; i < STATES && value_text(v) != NULL; i++) {
        if (strcmp(value_text(v), states[i]) == 0)
            return i;
    }
    return -1;
}

/* NULL if the value may stand in the column, else what should. */
static const char *wanted(const struct value *v, enum column_type type)
{
    int64_t number;
    bool null = value_type(v) == VALUE_NULL;
    switch (type) {
    case COLUMN_NAME:
        return is_text(v, 1, NAME_BYTES) ? NULL : "a short text, not empty";
    case COLUMN_PLACE:
        return is_text(v, 0, NAME_BYTES) ? NULL : "a short text";
    case COLUMN_TEXT:
        return null || is_text(v, 0, PROGRESS_STATE) ? NULL : "a text of at most 1 MiB, or null";
    case COLUMN_VALUE:
        return is_text(v, 0, PROGRESS_STATE) ? NULL : "a text of at most 1 MiB";
    case COLUMN_JSON:
        return value_type(v) != VALUE_MISSING ? NULL : "there";
    case COLUMN_STATE:
        return state_of(v) >= 0 ? NULL : "none, started or passed";
    case COLUMN_COUNT:
        return value_as_int(v, &number) && number >= 0 && number <= 1000 ? NULL : "a number from 0 to 1000";
    case COLUMN_FLAG:
        return value_type(v) == VALUE_BOOL ? NULL : "true or false";
    case COLUMN_TIME:
        return value_as_int(v, &number) && number >= 0 ? NULL : "a time in milliseconds";
    }
    return "nothing";
}

static bool check_section(const struct section *section, const struct value *all, size_t *entries, struct error *err)
{
    const struct value *list = value_get(all, section->name);
    if (value_type(list) != VALUE_ARRAY)
        return error_set(err, ERROR_INPUT, section->name, "not a progress file: \"%s\" should be a list", section->name);
    size_t number = 0;
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry), number++) {
        if (++*entries > ENTRIES)
            return error_set(err, ERROR_LIMIT, section->name, "a progress file may have %d entries at most", ENTRIES);
        for (const struct column *column = section->columns; column->name != NULL; column++) {
            const char *should = wanted(value_get(entry, column->name), column->type);
            if (should != NULL)
                return error_set(err, ERROR_INPUT, section->name, "not a progress file: %s[%zu].%s should be %s", section->name, number,
                                 column->name, should);
        }
    }
    return true;
}

static bool check(const struct value *all, struct error *err)
{
    int64_t format = value_find_int(all, 0, "kubetutor-progress", NULL);
    size_t entries = 0;
    if (format > FORMAT)
        return error_set(err, ERROR_INVALID, "", "this progress file was written by a newer kubetutor");
    if (format != FORMAT)
        return error_set(err, ERROR_INPUT, "", "not a progress file of kubetutor");
    for (int i = 0; i < SECTIONS; i++) {
        if (!check_section(&sections[i], all, &entries, err))
            return false;
    }
    return true;
}

static bool bind_column(sqlite3_stmt *insert, int at, const struct value *v, enum column_type type, int64_t now)
{
    int64_t number = 0;
    char *text;
    bool ok;
    switch (type) {
    case COLUMN_STATE:
        return sqlite3_bind_int(insert, at, state_of(v)) == SQLITE_OK;
    case COLUMN_COUNT:
    case COLUMN_TIME:
        value_as_int(v, &number);
        return sqlite3_bind_int64(insert, at, type == COLUMN_TIME && number > now ? now : number) == SQLITE_OK;
    case COLUMN_FLAG:
        return sqlite3_bind_int(insert, at, value_is_true(v)) == SQLITE_OK;
    case COLUMN_JSON:
        if (value_type(v) == VALUE_NULL)
            return sqlite3_bind_null(insert, at) == SQLITE_OK;
        text = json_text(v, PROGRESS_TEXT);
        ok = text != NULL && sqlite3_bind_text(insert, at, text, -1, SQLITE_TRANSIENT) == SQLITE_OK;
        mem_free(text);
        return ok;
    default:
        return sqlite3_bind_text(insert, at, value_text(v), -1, SQLITE_TRANSIENT) == SQLITE_OK;
    }
}

struct merge {
    const struct value *all;
    bool trusted;
};

static bool is_permission(const struct section *section, const struct value *entry)
{
    for (size_t i = 0; section == &sections[SECTIONS - 1] && i < sizeof permissions / sizeof *permissions; i++) {
        if (strcmp(value_text(value_get(entry, "name")), permissions[i]) == 0)
            return true;
    }
    return false;
}

static bool merge_section(struct store *store, const struct section *section, const struct merge *merge, struct error *err)
{
    static const char doing[] = "save the progress";
    sqlite3_stmt *insert = sql_query(store, err, doing, section->insert, "");
    if (insert == NULL)
        return false;
    bool ok = true;
    int64_t now = clock_wall_ms();
    const struct value *list = value_get(merge->all, section->name);
    for (const struct value *entry = value_first(list); ok && entry != NULL; entry = value_next(entry)) {
        if (!merge->trusted && is_permission(section, entry))
            continue;
        for (int i = 0; ok && section->columns[i].name != NULL; i++) {
            if (!bind_column(insert, i + 1, value_get(entry, section->columns[i].name), section->columns[i].type, now))
                ok = error_memory(err);
        }
        while (ok && sql_row(store, insert, &ok, doing, err))
            ;
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return ok;
}

static bool merge(struct store *store, const void *argument, struct error *err)
{
    for (int i = 0; i < SECTIONS; i++) {
        if (!merge_section(store, &sections[i], argument, err))
            return false;
    }
    return true;
}

bool progress_merge(struct progress *progress, const char *text, size_t length, bool trusted, struct error *err)
{
    if (length > PROGRESS_TEXT)
        return error_set(err, ERROR_LIMIT, "", "a progress file may have %d bytes at most", PROGRESS_TEXT);
    struct value *all = json_parse(text, length, "progress", err);
    if (all == NULL)
        return false;
    bool ok = check(all, err) && progress_write(progress, merge, &(struct merge){all, trusted}, err);
    value_free(all);
    return ok;
}

bool progress_import(struct progress *progress, const char *text, size_t length, struct error *err)
{
    return progress_merge(progress, text, length, false, err);
}
