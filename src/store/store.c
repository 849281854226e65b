#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/sql.h"

enum {
    BUSY_MS = 5000,
    RETRY_MS = 10,
    COPY_PAGES = 16384, /* of 4 KiB: what store_open_copy holds in memory at most */
    CHECKED_PAGES = 4096,
    VALUE_BYTES = 64 << 20,
    SMALLEST = 512, /* bytes of a page, and so of a database, at least */
};

struct store {
    sqlite3 *db;
    char *path;
};

/* ---- SQLite's memory comes from base/mem; it wants to know the size of a block, which stands in front of it */

union block {
    int size;
    max_align_t align;
};

static void *give(int size)
{
    union block *block = mem_alloc(sizeof *block + (size_t)size);
    if (block == NULL)
        return NULL;
    block->size = size;
    return block + 1;
}

static void take_back(void *memory)
{
    if (memory != NULL)
        mem_free((union block *)memory - 1);
}

static void *give_more(void *memory, int size)
{
    union block *block = mem_resize((union block *)memory - 1, sizeof *block + (size_t)size);
    if (block == NULL)
        return NULL;
    block->size = size;
    return block + 1;
}

static int size_of(void *memory)
{
    return memory != NULL ? ((union block *)memory - 1)->size : 0;
}

static int round_up(int size)
{
    return (size + 7) & ~7;
}

static int nothing(void *unused)
{
    (void)unused;
    return SQLITE_OK;
}

static void nothing_left(void *unused)
{
    (void)unused;
}

/* Before the first use of SQLite, in the whole process. Refused (SQLITE_MISUSE) once SQLite runs, which is then as we want it. */
static bool start_sqlite(void)
{
    static const sqlite3_mem_methods methods = {give, take_back, give_more, size_of, round_up, nothing, nothing_left, NULL};
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return sqlite3_initialize() == SQLITE_OK;
}

/* ---- errors */

static enum error_kind kind_of_errno(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return ERROR_LIMIT;
    case EACCES:
    case EPERM:
    case EROFS:
        return ERROR_DENIED;
    case ENOENT:
    case ENOTDIR:
        return ERROR_NOT_FOUND;
    default:
        return ERROR_INPUT;
    }
}

/* What the system said last about the file or its log; sqlite3_system_errno knows nothing of a COMMIT that failed. */
static int last_errno(sqlite3 *db)
{
    int number = sqlite3_system_errno(db);
    sqlite3_file *log = NULL;
    if (number == 0)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    if (number == 0 && sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log != NULL &&
        log->pMethods != NULL)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

static bool damaged(struct error *err, const char *path, const char *doing, const char *words)
{
    return error_set(err, ERROR_INPUT, path, "cannot %s: %s is damaged (%s); move it out of the way to start with a new one", doing, path,
                     words);
}

bool store_error(struct store *store, struct error *err, const char *doing)
{
    int code = sqlite3_extended_errcode(store->db), number = 0;
    const char *words = sqlite3_errmsg(store->db), *path = store->path;
    if (code == SQLITE_IOERR_NOMEM)
        return error_memory(err);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_memory(err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return damaged(err, path, doing, words);
    case SQLITE_FULL:
        return error_set(err, ERROR_LIMIT, path, "cannot %s: no room left for %s", doing, path);
    case SQLITE_TOOBIG:
        return error_set(err, ERROR_LIMIT, path, "cannot %s: too large for %s", doing, path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return error_set(err, ERROR_DENIED, path, "cannot %s: %s may not be written", doing, path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, ERROR_BUSY, path, "cannot %s: another program has been using %s for more than %d seconds", doing, path,
                         BUSY_MS / 1000);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        number = last_errno(store->db);
        return error_set(err, kind_of_errno(number), path, "cannot %s: %s: %s", doing, path, number != 0 ? strerror(number) : words);
    default:
        return error_set(err, ERROR_INTERNAL, path, "cannot %s: %s: %s (SQLite %d); this is a fault of kubetutor, please report it", doing,
                         path, words, code);
    }
}

/* ---- opening */

static bool read_number(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *query = NULL;
    bool ok = sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK && sqlite3_step(query) == SQLITE_ROW;
    if (ok)
        *number = sqlite3_column_int64(query, 0);
    return sqlite3_finalize(query) == SQLITE_OK && ok;
}

static int newest(const struct store_migration *migrations)
{
    int count = 0;
    while (migrations[count].sql != NULL)
        count++;
    return count;
}

/* *version gets the file's version, 0 for a file with nothing in it. Refuses one that is not ours, or newer. */
static bool read_version(struct store *store, unsigned application_id, const struct store_migration *migrations, int *version, struct error *err)
{
    int64_t found = 0, id = 0, tables = 0;
    /* a savepoint, so that all three are of the same moment: another program may be making the file just now */
    bool ok = sqlite3_exec(store->db, "SAVEPOINT look", NULL, NULL, NULL) == SQLITE_OK;
    ok = ok && read_number(store->db, "PRAGMA user_version", &found) && read_number(store->db, "PRAGMA application_id", &id) &&
         read_number(store->db, "SELECT count(*) FROM sqlite_master", &tables) &&
         sqlite3_exec(store->db, "RELEASE look", NULL, NULL, NULL) == SQLITE_OK;
    if (!ok) { /* the error first: the clean-up makes its own */
        store_error(store, err, "read");
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        return false;
    }
    if ((uint32_t)id != application_id && (id != 0 || found != 0 || tables != 0))
        return error_set(err, ERROR_INVALID, store->path, "%s is a database of another program; it was left as it is", store->path);
    if (found > newest(migrations))
        return error_set(err, ERROR_INVALID, store->path,
                         "%s was written by a newer kubetutor (format %" PRId64 ", this one knows up to %d); it was left as it is", store->path,
                         found, newest(migrations));
    *version = (int)found;
    return true;
}

/* Reads the whole file: one whose first page is fine may be damaged further in, which is better known before anything is written. */
static bool is_sound(struct store *store, struct error *err)
{
    static const char doing[] = "read";
    bool ok = true, sound = false;
    sqlite3_stmt *query = sql_query(store, err, doing, "PRAGMA quick_check(1)", "");
    if (query == NULL)
        return false;
    char *words = NULL;
    if (sql_row(store, query, &ok, doing, err) && !sql_text(query, 0, &words))
        ok = error_memory(err);
    sound = ok && words != NULL && strcmp(words, "ok") == 0;
    if (ok && !sound)
        damaged(err, store->path, doing, "not all of it can be read");
    sqlite3_finalize(query);
    mem_free(words);
    return sound;
}

struct upgrade {
    unsigned application_id;
    const struct store_migration *migrations;
};

/* Writes the version even when nothing is to be done, so that a full disk shows now and not at the first thing worth keeping. */
static bool upgrade(struct store *store, const void *argument, struct error *err)
{
    const struct upgrade *to = argument;
    int version; /* again, inside the transaction: another program may have been faster */
    if (!read_version(store, to->application_id, to->migrations, &version, err))
        return false;
    for (; to->migrations[version].sql != NULL; version++) {
        if (sqlite3_exec(store->db, to->migrations[version].sql, NULL, NULL, NULL) != SQLITE_OK)
            return store_error(store, err, "bring to the present format");
    }
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%d", (int)to->application_id, version);
    return sqlite3_exec(store->db, marks, NULL, NULL, NULL) == SQLITE_OK || store_error(store, err, "write");
}

/* WAL from the first moment on. Two programs that meet here get SQLITE_BUSY at once, whatever the busy time-out says. A file system
 * that cannot have it keeps the rollback journal, which is only slower. */
static bool use_wal(struct store *store, struct error *err)
{
    int64_t until = clock_monotonic_ms() + BUSY_MS;
    for (;;) {
        int code = sqlite3_exec(store->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return true;
        if ((code & 0xff) != SQLITE_BUSY || clock_monotonic_ms() >= until)
            return store_error(store, err, "open");
        nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000L}, NULL);
    }
}

/* Opens without reading anything yet. flags as for sqlite3_open_v2. */
static struct store *open_db(const char *path, const char *name, int flags, struct error *err)
{
    struct store *store = mem_zero(1, sizeof *store);
    if (!start_sqlite() || store == NULL || (store->path = mem_string(path)) == NULL) {
        error_memory(err);
        mem_free(store);
        return NULL;
    }
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_EXRESCODE, NULL);
    if (store->db == NULL)
        error_memory(err);
    else if (code != SQLITE_OK)
        store_error(store, err, "open");
    if (code != SQLITE_OK) {
        store_close(store);
        return NULL;
    }
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return store;
}

/* Opens a file as it is on disk, for looking only: no locks, and nothing appears beside it. What stands in a write-ahead log is not seen. */
static struct store *open_untouched(const char *path, struct error *err)
{
    static const char plain[] = "/-_.~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    struct buf name = buf_make(3 * strlen(path) + 64);
    buf_append_string(&name, "file:");
    for (const char *at = path; *at != '\0'; at++) {
        if (strchr(plain, *at) != NULL)
            buf_append(&name, at, 1);
        else
            buf_printf(&name, "%%%02X", (unsigned char)*at);
    }
    buf_append_string(&name, "?immutable=1");
    struct store *store = NULL;
    if (buf_ok(&name))
        store = open_db(path, name.bytes, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    else
        error_memory(err);
    buf_free(&name);
    return store;
}

/* Refuses what the file itself already shows to be of a newer version or not ours; all else is for the real opening to say. */
static bool look_first(const char *path, unsigned application_id, const struct store_migration *migrations, struct error *err)
{
    struct error why = ERROR_INIT;
    struct store *store = open_untouched(path, &why);
    int version;
    if (store != NULL && read_version(store, application_id, migrations, &version, &why))
        why.kind = ERROR_NONE;
    store_close(store);
    bool refused = why.kind == ERROR_INVALID || why.kind == ERROR_MEMORY;
    if (refused && err != NULL)
        *err = why;
    return !refused;
}

/* SQLite takes less than a page for an empty database and would write over it. (Beside a rollback journal it may be half a first write.) */
static bool is_stray(const char *path)
{
    char journal[PATH_MAX];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 || status.st_size >= SMALLEST)
        return false;
    return snprintf(journal, sizeof journal, "%s-journal", path) < (int)sizeof journal && !file_exists(journal);
}

/* SQLite would make it with the umask's mode. The -wal and -shm files take the mode of this one. */
static bool make_private(const char *path, struct error *err)
{
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST)
        return file_error(err, errno, "make", path);
    if (fd >= 0)
        close(fd);
    return !is_stray(path) || damaged(err, path, "open", "file is not a database");
}

static bool prepare(struct store *store, unsigned application_id, const struct store_migration *migrations, struct error *err)
{
    /* until it is known to be ours and sound, closing must not move a log of somebody else's into the file */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    int version;
    int64_t pages = 0;
    if (!read_version(store, application_id, migrations, &version, err))
        return false;
    if (!read_number(store->db, "PRAGMA page_count", &pages))
        return store_error(store, err, "read");
    if (pages <= CHECKED_PAGES && !is_sound(store, err))
        return false;
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return error_set(err, ERROR_DENIED, store->path, "%s may not be written", store->path);
    if (!use_wal(store, err))
        return false;
    if (sqlite3_exec(store->db, "PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY", NULL, NULL, NULL) != SQLITE_OK)
        return store_error(store, err, "open");
    return sql_transaction(store, err, "write", upgrade, &(struct upgrade){application_id, migrations});
}

struct store *store_open(const char *path, unsigned application_id, const struct store_migration *migrations, struct error *err)
{
    bool memory = strcmp(path, ":memory:") == 0 || path[0] == '\0';
    if (!memory && (!make_private(path, err) || !look_first(path, application_id, migrations, err)))
        return NULL;
    struct store *store = open_db(path, path, SQLITE_OPEN_READWRITE, err);
    if (store != NULL && !prepare(store, application_id, migrations, err)) {
        store_close(store);
        return NULL;
    }
    return store;
}

/* ---- copies in memory */

/* Takes over what `from` holds if all of it is sound and ours; a failure leaves `to` empty or useless. */
static bool copy(struct store *to, struct store *from, unsigned application_id, const struct store_migration *migrations)
{
    int version;
    int64_t pages = 0;
    if (!read_version(from, application_id, migrations, &version, NULL) || !read_number(from->db, "PRAGMA page_count", &pages) ||
        pages > COPY_PAGES)
        return false;
    sqlite3_backup *backup = sqlite3_backup_init(to->db, "main", from->db, "main");
    if (backup == NULL)
        return false;
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup) == SQLITE_OK && is_sound(to, NULL);
}

struct store *store_copy(struct store *from, unsigned application_id, const struct store_migration *migrations, struct error *err)
{
    struct store *store = open_db(from->path, ":memory:", SQLITE_OPEN_READWRITE, err);
    if (store == NULL)
        return NULL;
    bool ok = copy(store, from, application_id, migrations);
    if (!ok) { /* whatever arrived is dropped with the old memory */
        store_close(store);
        store = open_db(from->path, ":memory:", SQLITE_OPEN_READWRITE, err);
    }
    if (store != NULL && !prepare(store, application_id, migrations, err)) {
        store_close(store);
        return NULL;
    }
    return store;
}

struct store *store_open_copy(const char *path, unsigned application_id, const struct store_migration *migrations, struct error *err)
{
    int version;
    bool hopeless = is_stray(path) || !look_first(path, application_id, migrations, NULL);
    struct store *from = hopeless ? NULL : open_db(path, path, SQLITE_OPEN_READWRITE, NULL);
    if (from != NULL)
        sqlite3_db_config(from->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (!hopeless && (from == NULL || !read_version(from, application_id, migrations, &version, NULL))) {
        store_close(from);
        from = open_untouched(path, NULL);
    }
    struct store *store =
        from != NULL ? store_copy(from, application_id, migrations, err) : store_open(":memory:", application_id, migrations, err);
    store_close(from);
    return store;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    sqlite3_close(store->db);
    mem_free(store->path);
    mem_free(store);
}

struct sqlite3 *store_db(struct store *store)
{
    return store->db;
}
