#include "practice/state/disk.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "practice/state/checkpoint.h"
#include "store/store.h"

#define STATE_ID 0x6b747374u /* "ktst" */

static const struct store_migration migrations[] = {
    {"CREATE TABLE versions(version INTEGER PRIMARY KEY, previous INTEGER NOT NULL, change INTEGER NOT NULL, time INTEGER NOT NULL,"
     " frees INTEGER NOT NULL, resource INTEGER NOT NULL, flags INTEGER NOT NULL, mark INTEGER NOT NULL, gap INTEGER NOT NULL, ns TEXT NOT NULL,"
     " name TEXT NOT NULL, uid TEXT NOT NULL, labels BLOB NOT NULL, fields BLOB, body BLOB NOT NULL);"
     /* what happened, without what it happened to: 90,000 changes fit in a few MB. In the order of its table, so that it only grows at its end, too */
     "CREATE INDEX history ON versions(version, previous, resource, change, time, frees);"
     "CREATE TABLE kept(oldest INTEGER NOT NULL); INSERT INTO kept VALUES(0);"
     "CREATE TABLE resource(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"},
    {NULL}};

/* An object's columns; the text is the last one, because a query that leaves it out need not read the pages that it overflows to. */
#define INDEX_OF(table) \
    table ".version," table ".resource," table ".flags," table ".mark," table ".gap," table ".ns," table ".name," table ".uid," table ".labels," table ".fields"
#define OBJECT_OF(table) INDEX_OF(table) "," table ".body"
enum { OBJECT_COLUMNS = 11 };

enum query {
    BEGIN,
    COMMIT,
    ADD,
    START,
    CURRENT,
    EVENT,
    PAST,
    OBJECT,
    ELDEST,
    FORGET,
    KEEP,
    CLEAR,
    RESOURCES,
    ADD_RESOURCE,
    QUERIES,
};

static const struct {
    const char *sql, *doing; /* what it does, for errors */
} queries[QUERIES] = {
    [BEGIN] = {"BEGIN IMMEDIATE", "write"},
    [COMMIT] = {"COMMIT", "write"},
    [ADD] = {"INSERT INTO versions VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)", "write"},
    [START] = {"SELECT oldest, (SELECT max(version) FROM versions), (SELECT total(frees) FROM versions INDEXED BY history WHERE version > oldest),"
               " (SELECT time FROM versions INDEXED BY history WHERE version > oldest ORDER BY version LIMIT 1) FROM kept",
               "read"},
    [CURRENT] = {"SELECT " OBJECT_OF("v") " FROM versions v INDEXED BY history WHERE v.change <> 2 AND v.version NOT IN"
                 " (SELECT previous FROM versions INDEXED BY history WHERE version > ?1) ORDER BY v.version",
                 "read"},
    [EVENT] = {"SELECT " OBJECT_OF("v") "," OBJECT_OF("p") ", v.change FROM versions v INDEXED BY history LEFT JOIN versions p ON p.version = v.previous"
               " WHERE v.version > ?1 AND v.version <= ?2 AND v.resource = ?3 AND (?4 IS NULL OR v.ns = ?4) ORDER BY v.version LIMIT 1",
               "read"},
    [PAST] = {"SELECT " INDEX_OF("p") " FROM versions v INDEXED BY history CROSS JOIN versions p ON p.version = v.previous"
              " WHERE v.version > ?1 AND v.resource = ?2 AND v.previous <= ?1 AND (?3 IS NULL OR p.ns = ?3)",
              "read"},
    [OBJECT] = {"SELECT " OBJECT_OF("v") " FROM versions v WHERE v.version = ?1", "read"},
    [ELDEST] = {"SELECT version, previous, change, time, frees FROM versions INDEXED BY history WHERE version > ?1 ORDER BY version LIMIT ?2", "forget in"},
    [FORGET] = {"DELETE FROM versions WHERE version = ?1", "forget in"},
    [KEEP] = {"UPDATE kept SET oldest = ?1", "write"},
    [CLEAR] = {"DELETE FROM versions", "write"},
    [RESOURCES] = {"SELECT number, name FROM resource ORDER BY number", "read"},
    [ADD_RESOURCE] = {"INSERT INTO resource VALUES(?1,?2)", "write"},
};

/* A file by what it is, not by its name. */
struct seen {
    char *path;
    dev_t device;
    ino_t number; /* 0: not seen yet */
};

enum { FILE_ITSELF, FILE_LOG, FILES };

struct disk {
    struct store *store;
    sqlite3 *db;
    sqlite3_stmt *made[QUERIES];
    struct checkpoint *checkpoint; /* NULL: no log */
    char *path;
    struct seen files[FILES]; /* without paths for a temporary file */
    uint64_t log_pages;
};

static int after_commit(void *data, sqlite3 *db, const char *name, int pages)
{
    struct disk *disk = data;
    disk->log_pages = (uint64_t)pages;
    if (!checkpoint_look(disk->checkpoint, disk->log_pages))
        sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return SQLITE_OK;
}

struct disk *disk_open(const char *path, struct error *err)
{
    struct disk *disk = mem_zero(1, sizeof *disk);
    bool ok = (disk != NULL && (disk->path = mem_string(path != NULL ? path : "a temporary file")) != NULL) || error_memory(err);
    if (ok && path != NULL) {
        disk->files[FILE_ITSELF].path = mem_string(path);
        disk->files[FILE_LOG].path = mem_printf("%s-wal", path);
        ok = (disk->files[FILE_ITSELF].path != NULL && disk->files[FILE_LOG].path != NULL) || error_memory(err);
    }
    ok = ok && (path == NULL || (disk->checkpoint = checkpoint_new(path, err)) != NULL);
    if (!ok || (disk->store = store_open(path != NULL ? path : "", STATE_ID, migrations, err)) == NULL) {
        disk_close(disk);
        return NULL;
    }
    disk->db = store_db(disk->store);
    if (disk->checkpoint != NULL)
        sqlite3_wal_hook(disk->db, after_commit, disk); /* takes the place of automatic checkpoints */
    sqlite3_exec(disk->db, "PRAGMA journal_size_limit=16777216; PRAGMA secure_delete=FAST", NULL, NULL, NULL);
    return disk;
}

void disk_close(struct disk *disk)
{
    if (disk == NULL)
        return;
    checkpoint_free(disk->checkpoint);
    for (int i = 0; i < QUERIES; i++)
        sqlite3_finalize(disk->made[i]);
    store_close(disk->store);
    for (int i = 0; i < FILES; i++)
        mem_free(disk->files[i].path);
    mem_free(disk->path);
    mem_free(disk);
}

uint64_t disk_log_pages(const struct disk *disk)
{
    return disk->log_pages;
}

struct sqlite3 *disk_db(struct disk *disk)
{
    return disk->db;
}

bool disk_wants_quiet(const struct disk *disk)
{
    return disk->checkpoint != NULL && checkpoint_wants_quiet(disk->checkpoint);
}

int disk_calm_fd(const struct disk *disk)
{
    return disk->checkpoint != NULL ? checkpoint_fd(disk->checkpoint) : -1;
}

void disk_is_calm(struct disk *disk)
{
    checkpoint_is_calm(disk->checkpoint);
}

/* ---- statements */

/* Made when first used, kept until the end. Must be ended with finish(), so that nothing stays read-locked. NULL: failed. */
static sqlite3_stmt *use(struct disk *disk, enum query query, struct error *err)
{
    if (disk->made[query] == NULL &&
        sqlite3_prepare_v3(disk->db, queries[query].sql, -1, SQLITE_PREPARE_PERSISTENT, &disk->made[query], NULL) != SQLITE_OK)
        store_error(disk->store, err, queries[query].doing);
    return disk->made[query];
}

static void finish(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

/* True: there is a row. False: no more, or *ok turned false. */
static bool row(struct disk *disk, enum query query, bool *ok, struct error *err)
{
    int code = sqlite3_step(disk->made[query]);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *ok = store_error(disk->store, err, queries[query].doing);
    return code == SQLITE_ROW;
}

/* Runs one that answers nothing; `number` is for its parameter, if it has one. */
static bool run(struct disk *disk, enum query query, uint64_t number, struct error *err)
{
    sqlite3_stmt *statement = use(disk, query, err);
    if (statement == NULL)
        return false;
    if (sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, (int64_t)number);
    bool ok = true;
    while (row(disk, query, &ok, err))
        ;
    finish(statement);
    return ok;
}

/* Whoever deletes or replaces the files while they are open would take with them what is written from then on, and nobody would know before the next
 * start. False: that has happened. */
static bool is_there(struct disk *disk, struct error *err)
{
    for (int i = 0; i < FILES; i++) {
        struct seen *seen = &disk->files[i];
        struct stat now = {0};
        bool found = seen->path != NULL && stat(seen->path, &now) == 0;
        if (seen->number == 0 && found) {
            seen->device = now.st_dev;
            seen->number = now.st_ino;
        }
        if (seen->number != 0 && (!found || seen->number != now.st_ino || seen->device != now.st_dev))
            return error_set(err, ERROR_INTERNAL, disk->path,
                             "cannot write: %s was deleted or replaced while it was in use; put it back, or keep what is there (kubetutor cluster save FILE), "
                             "start anew (kubetutor cluster down, kubetutor cluster up) and load it",
                             seen->path);
    }
    return true;
}

bool disk_begin(struct disk *disk, struct error *err)
{
    return is_there(disk, err) && run(disk, BEGIN, 0, err);
}

bool disk_commit(struct disk *disk, struct error *err)
{
    return run(disk, COMMIT, 0, err);
}

void disk_rollback(struct disk *disk)
{
    if (!sqlite3_get_autocommit(disk->db)) /* a failure may have done it already */
        sqlite3_exec(disk->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- objects */

bool disk_add(struct disk *disk, const struct object *object, const struct disk_change *change, struct error *err)
{
    sqlite3_stmt *add = use(disk, ADD, err);
    if (add == NULL)
        return false;
    const int64_t numbers[] = {(int64_t)object->version, (int64_t)change->previous, change->change, change->time_ms, (int64_t)change->frees,
                               object->resource, object->flags, object->time_ms, (int64_t)object->gap};
    const char *const strings[] = {object->ns, object->name, object->uid};
    int at = 1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sqlite3_bind_int64(add, at++, numbers[i]);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        sqlite3_bind_text(add, at++, strings[i], -1, SQLITE_STATIC);
    sqlite3_bind_blob64(add, at++, object->labels, object_labels_length(object), SQLITE_STATIC);
    if (object->fields != NULL)
        sqlite3_bind_blob64(add, at, object->fields, object_fields_length(object), SQLITE_STATIC);
    at++;
    sqlite3_bind_blob64(add, at, object->text, object->length, SQLITE_STATIC);
    bool ok = true;
    while (row(disk, ADD, &ok, err))
        ;
    finish(add);
    return ok;
}

static bool damaged(struct disk *disk, struct error *err, const char *what)
{
    return error_set(err, ERROR_INPUT, disk->path, "cannot read: %s is damaged (%s); move it out of the way to start with a new one", disk->path, what);
}

/* False: no memory. */
static bool fill(const char *to, sqlite3_stmt *statement, int column, size_t length)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    if (length > 0 && bytes != NULL)
        memcpy((char *)(uintptr_t)to, bytes, length);
    return length == 0 || bytes != NULL;
}

/* The object whose columns begin at `first`; without its text if there is none among them. NULL: failed. */
static struct object *read_object(struct disk *disk, sqlite3_stmt *statement, int first, bool with_text, struct error *err)
{
    enum { VERSION, RESOURCE, FLAGS, MARK, GAP, NS, NAME, UID, LABELS, FIELDS, BODY };
    size_t lengths[OBJECT_COLUMNS] = {0};
    for (int i = NS; i <= (with_text ? BODY : FIELDS); i++)
        lengths[i] = (size_t)sqlite3_column_bytes(statement, first + i);
    struct object_sizes sizes = {.ns = lengths[NS], .name = lengths[NAME], .uid = lengths[UID], .labels = lengths[LABELS], .fields = lengths[FIELDS],
                                 .text = lengths[BODY], .has_fields = sqlite3_column_type(statement, first + FIELDS) != SQLITE_NULL};
    struct object *object = object_room(&sizes);
    if (object == NULL) {
        error_memory(err);
        return NULL;
    }
    object->version = (uint64_t)sqlite3_column_int64(statement, first + VERSION);
    object->resource = (state_resource)sqlite3_column_int64(statement, first + RESOURCE);
    object->flags = (uint32_t)sqlite3_column_int64(statement, first + FLAGS);
    object->time_ms = sqlite3_column_int64(statement, first + MARK);
    object->gap = with_text ? (size_t)sqlite3_column_int64(statement, first + GAP) : 0;
    const char *const parts[] = {[NS] = object->ns, [NAME] = object->name, [UID] = object->uid, [LABELS] = object->labels, [FIELDS] = object->fields,
                                 [BODY] = object->text};
    bool filled = true;
    for (int i = NS; i <= BODY; i++) {
        filled = fill(parts[i], statement, first + i, lengths[i]) && filled;
        if (i <= UID)
            ((char *)(uintptr_t)parts[i])[lengths[i]] = '\0';
    }
    if (filled ? !object_settle(object, &sizes) && !damaged(disk, err, "an object makes no sense") : !error_memory(err)) {
        object_unref(object);
        return NULL;
    }
    if (!with_text)
        object->text = NULL;
    return object;
}

bool disk_current(struct disk *disk, uint64_t oldest, bool (*fn)(void *data, struct object *object, struct error *err), void *data, struct error *err)
{
    sqlite3_stmt *current = use(disk, CURRENT, err);
    if (current == NULL)
        return false;
    sqlite3_bind_int64(current, 1, (int64_t)oldest);
    bool ok = true;
    while (ok && row(disk, CURRENT, &ok, err)) {
        struct object *object = read_object(disk, current, 0, true, err);
        ok = object != NULL && fn(data, object, err);
    }
    finish(current);
    return ok;
}

bool disk_event(struct disk *disk, state_resource resource, const char *only_ns, uint64_t after, uint64_t until, struct state_event *event, bool *found,
                struct error *err)
{
    sqlite3_stmt *query = use(disk, EVENT, err);
    bool ok = query != NULL;
    *found = false;
    if (!ok)
        return false;
    sqlite3_bind_int64(query, 1, (int64_t)after);
    sqlite3_bind_int64(query, 2, (int64_t)until);
    sqlite3_bind_int64(query, 3, resource);
    sqlite3_bind_text(query, 4, only_ns, -1, SQLITE_STATIC);
    if (row(disk, EVENT, &ok, err)) {
        struct object *object = read_object(disk, query, 0, true, err), *previous = NULL;
        bool first = sqlite3_column_type(query, OBJECT_COLUMNS) == SQLITE_NULL;
        if (object != NULL && !first)
            previous = read_object(disk, query, OBJECT_COLUMNS, true, err);
        ok = *found = object != NULL && (first || previous != NULL);
        if (ok)
            *event = (struct state_event){(enum state_change)sqlite3_column_int(query, 2 * OBJECT_COLUMNS), object->version, object, previous};
        else
            object_unref(object);
    }
    finish(query);
    return ok;
}

bool disk_past(struct disk *disk, state_resource resource, const char *only_ns, uint64_t version, struct vec *past, struct error *err)
{
    sqlite3_stmt *query = use(disk, PAST, err);
    bool ok = query != NULL;
    if (!ok)
        return false;
    sqlite3_bind_int64(query, 1, (int64_t)version);
    sqlite3_bind_int64(query, 2, resource);
    sqlite3_bind_text(query, 3, only_ns, -1, SQLITE_STATIC);
    while (ok && row(disk, PAST, &ok, err)) {
        struct object *object = read_object(disk, query, 0, false, err);
        ok = object != NULL && (vec_push(past, object) || error_memory(err));
    }
    finish(query);
    return ok;
}

struct object *disk_object(struct disk *disk, uint64_t version, struct error *err)
{
    sqlite3_stmt *query = use(disk, OBJECT, err);
    if (query == NULL)
        return NULL;
    bool ok = true;
    struct object *object = NULL;
    sqlite3_bind_int64(query, 1, (int64_t)version);
    if (row(disk, OBJECT, &ok, err))
        object = read_object(disk, query, 0, true, err);
    else if (ok)
        damaged(disk, err, "a version is missing");
    finish(query);
    return object;
}

/* ---- history */

bool disk_keep(struct disk *disk, uint64_t oldest, struct error *err)
{
    return run(disk, KEEP, oldest, err);
}

bool disk_start(struct disk *disk, struct disk_start *start, struct error *err)
{
    sqlite3_stmt *query = use(disk, START, err);
    bool ok = query != NULL;
    if (!ok)
        return false;
    if (row(disk, START, &ok, err)) {
        start->oldest = (uint64_t)sqlite3_column_int64(query, 0);
        start->newest = (uint64_t)sqlite3_column_int64(query, 1);
        start->newest = start->newest > start->oldest ? start->newest : start->oldest;
        start->history_bytes = (uint64_t)sqlite3_column_int64(query, 2);
        start->first_ms = sqlite3_column_int64(query, 3);
    } else if (ok) {
        ok = damaged(disk, err, "it does not say what it keeps");
    }
    finish(query);
    return ok;
}

struct eldest {
    uint64_t version, previous, frees;
    enum state_change change;
    int64_t time_ms;
};

/* The eldest changes, and one more for its time. */
static bool read_eldest(struct disk *disk, uint64_t oldest, struct eldest *eldest, size_t *count, struct error *err)
{
    sqlite3_stmt *query = use(disk, ELDEST, err);
    bool ok = query != NULL;
    *count = 0;
    if (!ok)
        return false;
    sqlite3_bind_int64(query, 1, (int64_t)oldest);
    sqlite3_bind_int64(query, 2, DISK_STEP + 1);
    while (row(disk, ELDEST, &ok, err))
        eldest[(*count)++] = (struct eldest){.version = (uint64_t)sqlite3_column_int64(query, 0), .previous = (uint64_t)sqlite3_column_int64(query, 1),
                                             .change = (enum state_change)sqlite3_column_int(query, 2), .time_ms = sqlite3_column_int64(query, 3),
                                             .frees = (uint64_t)sqlite3_column_int64(query, 4)};
    finish(query);
    return ok;
}

static bool forget(struct disk *disk, const struct eldest *eldest, struct error *err)
{
    return (eldest->previous == 0 || run(disk, FORGET, eldest->previous, err)) &&
           (eldest->change != STATE_DELETED || run(disk, FORGET, eldest->version, err));
}

/* A time far ahead is of a clock that was wrong then. */
static bool is_over(int64_t time_ms, int64_t now_ms)
{
    return time_ms <= now_ms - STATE_KEEP_MS || time_ms > now_ms + STATE_KEEP_MS;
}

bool disk_forget(struct disk *disk, int64_t now_ms, uint64_t *oldest, uint64_t *bytes, int64_t *next_ms, struct error *err)
{
    struct eldest eldest[DISK_STEP + 1];
    size_t count, done = 0;
    uint64_t left = *bytes;
    if (!read_eldest(disk, *oldest, eldest, &count, err))
        return false;
    while (done < count && done < DISK_STEP && *bytes - left < DISK_STEP_BYTES &&
           (is_over(eldest[done].time_ms, now_ms) || left > STATE_HISTORY)) {
        left -= eldest[done].frees < left ? eldest[done].frees : left;
        done++;
    }
    bool ok = done == 0 || disk_begin(disk, err);
    for (size_t i = 0; i < done && ok; i++)
        ok = forget(disk, &eldest[i], err);
    if (done > 0 && (!ok || !disk_keep(disk, eldest[done - 1].version, err) || !disk_commit(disk, err))) {
        disk_rollback(disk);
        return false;
    }
    *oldest = done > 0 ? eldest[done - 1].version : *oldest;
    *bytes = left;
    *next_ms = done < count ? eldest[done].time_ms : 0;
    return true;
}

bool disk_clear(struct disk *disk, struct error *err)
{
    return run(disk, CLEAR, 0, err);
}

void disk_shrink(struct disk *disk)
{
    sqlite3_exec(disk->db, "VACUUM", NULL, NULL, NULL);
}

/* ---- names */

bool disk_resources(struct disk *disk, bool (*fn)(void *data, state_resource number, const char *name, struct error *err), void *data, struct error *err)
{
    sqlite3_stmt *query = use(disk, RESOURCES, err);
    bool ok = query != NULL;
    if (!ok)
        return false;
    while (ok && row(disk, RESOURCES, &ok, err)) {
        int64_t number = sqlite3_column_int64(query, 0);
        const char *name = (const char *)sqlite3_column_text(query, 1);
        if (number < 1 || number > STATE_RESOURCES)
            ok = damaged(disk, err, "a resource has no number");
        else
            ok = name != NULL ? fn(data, (state_resource)number, name, err) : error_memory(err);
    }
    finish(query);
    return ok;
}

bool disk_add_resource(struct disk *disk, state_resource number, const char *name, struct error *err)
{
    sqlite3_stmt *add = use(disk, ADD_RESOURCE, err);
    bool ok = add != NULL;
    if (!ok)
        return false;
    sqlite3_bind_int64(add, 1, number);
    sqlite3_bind_text(add, 2, name, -1, SQLITE_STATIC);
    while (row(disk, ADD_RESOURCE, &ok, err))
        ;
    finish(add);
    return ok;
}
