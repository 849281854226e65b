#include "practice/state/checkpoint.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { REST = 256 }; /* pages that are moved in a moment */

enum wish { NOTHING, ONE_PASS, TO_THE_END, END };

struct checkpoint {
    char *path;
    bool running;
    pthread_t thread;
    int calm;        /* eventfd, written when quiet is over */
    uint64_t looked; /* the log's pages when the last one was asked for */
    pthread_mutex_t mutex;
    pthread_cond_t wished, done;
    enum wish wish; /* under the mutex, as the next */
    bool quiet;
};

struct checkpoint *checkpoint_new(const char *path, struct error *err)
{
    struct checkpoint *checkpoint = mem_zero(1, sizeof *checkpoint);
    if (checkpoint == NULL || (checkpoint->path = mem_string(path)) == NULL) {
        mem_free(checkpoint);
        error_memory(err);
        return NULL;
    }
    pthread_mutex_init(&checkpoint->mutex, NULL);
    pthread_cond_init(&checkpoint->wished, NULL);
    pthread_cond_init(&checkpoint->done, NULL);
    checkpoint->calm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (checkpoint->calm >= 0)
        return checkpoint;
    file_error(err, errno, "open", path);
    checkpoint_free(checkpoint);
    return NULL;
}

/* ---- the thread */

static enum wish wait_for_wish(struct checkpoint *checkpoint)
{
    pthread_mutex_lock(&checkpoint->mutex);
    while (checkpoint->wish == NOTHING)
        pthread_cond_wait(&checkpoint->wished, &checkpoint->mutex);
    enum wish wish = checkpoint->wish;
    pthread_mutex_unlock(&checkpoint->mutex);
    return wish;
}

/* What was wished for is done, unless the end is wished for by now. */
static void done(struct checkpoint *checkpoint)
{
    pthread_mutex_lock(&checkpoint->mutex);
    if (checkpoint->wish != END)
        checkpoint->wish = NOTHING;
    pthread_cond_signal(&checkpoint->done);
    pthread_mutex_unlock(&checkpoint->mutex);
}

static void set_quiet(struct checkpoint *checkpoint, bool quiet)
{
    pthread_mutex_lock(&checkpoint->mutex);
    checkpoint->quiet = quiet;
    pthread_mutex_unlock(&checkpoint->mutex);
    if (!quiet)
        eventfd_write(checkpoint->calm, 1);
}

/* How many pages it moved. A failure harms nothing: a later one does the work. */
static int pass(sqlite3 *db, int *moved)
{
    int log = 0, before = *moved;
    if (sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, &log, moved) != SQLITE_OK)
        *moved = before;
    return *moved >= before ? *moved - before : *moved; /* fewer: the log began anew */
}

/* Passes get shorter as long as the disk is faster than the writers. */
static void move(struct checkpoint *checkpoint, sqlite3 *db, enum wish wish)
{
    int moved = 0, last = pass(db, &moved);
    if (wish != TO_THE_END)
        return;
    for (int now = pass(db, &moved); now > REST && now < last / 2; now = pass(db, &moved))
        last = now;
    set_quiet(checkpoint, true);
    pass(db, &moved);
    pass(db, &moved); /* what was under way when quiet was wanted */
    set_quiet(checkpoint, false);
}

/* A connection that has read something: only then it knows of the log. */
static sqlite3 *connect_to(const char *path)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) == SQLITE_OK)
        return db;
    sqlite3_close(db);
    return NULL;
}

static void *work(void *data)
{
    struct checkpoint *checkpoint = data;
    sqlite3 *db = NULL;
    for (enum wish wish; (wish = wait_for_wish(checkpoint)) != END; done(checkpoint)) {
        if (db == NULL)
            db = connect_to(checkpoint->path);
        if (db != NULL)
            move(checkpoint, db, wish);
    }
    sqlite3_close(db);
    return NULL;
}

/* ---- the loop's side */

/* Signals are the main thread's. */
static bool start(struct checkpoint *checkpoint)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    checkpoint->running = pthread_create(&checkpoint->thread, NULL, work, checkpoint) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return checkpoint->running;
}

static void wait_until_done(struct checkpoint *checkpoint)
{
    pthread_mutex_lock(&checkpoint->mutex);
    while (checkpoint->wish != NOTHING)
        pthread_cond_wait(&checkpoint->done, &checkpoint->mutex);
    pthread_mutex_unlock(&checkpoint->mutex);
}

bool checkpoint_look(struct checkpoint *checkpoint, uint64_t pages)
{
    if (pages < checkpoint->looked) /* the log began anew */
        checkpoint->looked = 0;
    if (pages >= CHECKPOINT_MOST) {
        wait_until_done(checkpoint);
        return false;
    }
    if (pages < checkpoint->looked + CHECKPOINT_PAGES || (!checkpoint->running && !start(checkpoint)))
        return true;
    pthread_mutex_lock(&checkpoint->mutex);
    if (checkpoint->wish == NOTHING) {
        checkpoint->wish = pages < CHECKPOINT_HARD ? ONE_PASS : TO_THE_END;
        checkpoint->looked = pages;
        pthread_cond_signal(&checkpoint->wished);
    }
    pthread_mutex_unlock(&checkpoint->mutex);
    return true;
}

bool checkpoint_wants_quiet(struct checkpoint *checkpoint)
{
    if (!checkpoint->running)
        return false;
    pthread_mutex_lock(&checkpoint->mutex);
    bool quiet = checkpoint->quiet;
    pthread_mutex_unlock(&checkpoint->mutex);
    return quiet;
}

int checkpoint_fd(const struct checkpoint *checkpoint)
{
    return checkpoint->calm;
}

void checkpoint_is_calm(struct checkpoint *checkpoint)
{
    eventfd_t count;
    eventfd_read(checkpoint->calm, &count);
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    if (checkpoint->running) {
        pthread_mutex_lock(&checkpoint->mutex);
        checkpoint->wish = END;
        pthread_cond_signal(&checkpoint->wished);
        pthread_mutex_unlock(&checkpoint->mutex);
        pthread_join(checkpoint->thread, NULL);
    }
    if (checkpoint->calm >= 0)
        close(checkpoint->calm);
    pthread_cond_destroy(&checkpoint->wished);
    pthread_cond_destroy(&checkpoint->done);
    pthread_mutex_destroy(&checkpoint->mutex);
    mem_free(checkpoint->path);
    mem_free(checkpoint);
}
