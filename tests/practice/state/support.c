#include "practice/state/support.h"

#include <ftw.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "practice/state/internal.h"

enum { LINES = 4, LINE = 8192 };

int place_setup(void **state)
{
    struct place *place = mem_zero(1, sizeof *place);
    if (place == NULL)
        return -1;
    snprintf(place->folder, sizeof place->folder, "/tmp/kubetutor-state-XXXXXX");
    place->now_ms = 1700000000000;
    place->loop = loop_new(NULL);
    *state = place;
    if (mkdtemp(place->folder) == NULL)
        return -1;
    snprintf(place->path, sizeof place->path, "%s/state.db", place->folder);
    return place->loop != NULL ? 0 : -1;
}

static int drop_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

int place_teardown(void **state)
{
    struct place *place = *state;
    state_close(place->state);
    loop_free(place->loop);
    int code = nftw(place->folder, drop_file, 16, FTW_DEPTH | FTW_PHYS);
    mem_free(place);
    return code;
}

const char *place_file(struct place *place, const char *name)
{
    static char paths[4][192];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", place->folder, name);
    return path;
}

static int64_t clock_of(void *data)
{
    const struct place *place = data;
    return place->now_ms;
}

struct state *place_try_open(struct place *place, struct error *err)
{
    return state_open(place->path, place->loop, clock_of, place, err);
}

void place_open(struct place *place)
{
    struct error err = ERROR_INIT;
    place->state = place_try_open(place, &err);
    assert_string_equal(err.message, "");
    assert_non_null(place->state);
}

void place_close(struct place *place)
{
    state_close(place->state);
    place->state = NULL;
}

static void set_true(void *data, const struct error *err)
{
    (void)err;
    *(bool *)data = true;
}

void place_round(struct place *place)
{
    bool done = false;
    assert_true(state_after_commit(place->state, set_true, &done));
    assert_true(loop_until(place->loop, &done, 10000));
}

struct saving {
    bool done;
    struct error why;
};

static void on_saved(void *data, const struct error *err)
{
    struct saving *saving = data;
    saving->done = true;
    if (err != NULL)
        saving->why = *err;
}

bool place_save(struct place *place, struct state *state, const char *name, struct error *err)
{
    struct saving saving = {.done = false};
    if (!state_save(state, place_file(place, name), on_saved, &saving, err))
        return false;
    assert_true(loop_until(place->loop, &saving.done, 30000));
    if (err != NULL)
        *err = saving.why;
    return saving.why.kind == ERROR_NONE;
}

const struct object *try_put(struct state *state, state_resource resource, const char *ns, const char *name, const char *text, struct error *err)
{
    char uid[80];
    snprintf(uid, sizeof uid, "uid-%s", name);
    const char *const labels[] = {"version", strlen(text) < 64 ? text : "long", NULL};
    struct object_new wanted = {.resource = resource, .ns = ns, .name = name, .uid = uid, .text = text, .length = strlen(text), .labels = labels};
    return state_put(state, &wanted, state_get(state, resource, ns, name), err);
}

const struct object *put(struct state *state, state_resource resource, const char *ns, const char *name, const char *text)
{
    struct error err = ERROR_INIT;
    const struct object *object = try_put(state, resource, ns, name, text, &err);
    assert_string_equal(err.message, "");
    assert_non_null(object);
    return object;
}

const struct object *put_large(struct state *state, state_resource resource, const char *ns, const char *name, size_t length, char letter)
{
    char *text = mem_alloc(length + 1);
    assert_non_null(text);
    memset(text, letter, length);
    text[length] = '\0';
    const struct object *object = put(state, resource, ns, name, text);
    mem_free(text);
    return object;
}

uint64_t drop(struct state *state, state_resource resource, const char *ns, const char *name)
{
    struct error err = ERROR_INIT;
    uint64_t version = 0;
    const struct object *old = state_get(state, resource, ns, name);
    assert_non_null(old);
    bool ok = state_delete(state, old, NULL, &version, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return version;
}

static char *next_line(void)
{
    static char lines[LINES][LINE];
    static unsigned turn;
    char *line = lines[turn++ % LINES];
    line[0] = '\0';
    return line;
}

static void add(char *line, const char *text, size_t length)
{
    size_t used = strlen(line);
    if (length <= 64)
        snprintf(line + used, LINE - used, "%.*s", (int)length, text);
    else
        snprintf(line + used, LINE - used, "%c%zu", text[0], length);
}

static void add_string(char *line, const char *string)
{
    add(line, string, strlen(string));
}

static void add_object(char *line, const struct object *object)
{
    add_string(line, object->ns);
    add_string(line, "/");
    add_string(line, object->name);
    add_string(line, "=");
    add(line, object->text, object->length);
}

const char *listed(struct state *state, state_resource resource, const char *only_ns, uint64_t version)
{
    struct vec objects;
    bool more = true;
    struct error err = ERROR_INIT;
    char *line = next_line();
    if (!state_list(state, resource, only_ns, version, NULL, NULL, 0, NULL, NULL, &objects, &more, &err)) {
        add_string(line, err.kind == ERROR_EXPIRED ? "expired" : err.message);
        return line;
    }
    assert_false(more);
    for (size_t i = 0; i < objects.length; i++) {
        add_string(line, i > 0 ? " " : "");
        add_object(line, objects.items[i]);
    }
    vec_free(&objects);
    return line;
}

const char *next(struct state_watch *watch)
{
    static const char *const marks[] = {[STATE_ADDED] = "+", [STATE_MODIFIED] = "*", [STATE_DELETED] = "-"};
    struct state_event event;
    enum state_step step = state_watch_next(watch, &event);
    if (step != STATE_EVENT)
        return step == STATE_WAIT ? "wait" : "expired";
    char *line = next_line();
    add_string(line, marks[event.change]);
    add_object(line, event.object);
    assert_int_equal(event.version, event.object->version);
    assert_int_equal(event.previous == NULL, event.change == STATE_ADDED);
    if (event.previous == NULL)
        return line;
    assert_true(event.previous->version < event.version);
    add_string(line, "(");
    add(line, event.previous->text, event.previous->length);
    add_string(line, ")");
    return line;
}

void nothing(void *data)
{
    (void)data;
}

void count_call(void *data)
{
    ++*(int *)data;
}

void sql(struct state *state, const char *statement)
{
    assert_int_equal(sqlite3_exec(disk_db(state->disk), statement, NULL, NULL, NULL), SQLITE_OK);
}

int64_t sql_number(struct state *state, const char *query)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(disk_db(state->disk), query, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

void fill_disk(struct state *state, bool full)
{
    sql(state, full ? "PRAGMA max_page_count=1" : "PRAGMA max_page_count=1073741823"); /* SQLite raises the 1 to what is there */
}

static int refuse(void *data)
{
    (void)data;
    return 1;
}

void fail_commits(struct state *state, bool fail)
{
    sqlite3_commit_hook(disk_db(state->disk), fail ? refuse : NULL, NULL);
}
