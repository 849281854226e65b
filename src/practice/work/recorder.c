#include "practice/work/recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/clock/clock.h"
#include "practice/schema/names.h"
#include "practice/work/recorder_internal.h"

enum {
    RECORDER_ROUND = 100,   /* events that are written in one round of the loop */
    RECORDER_QUEUE = 20000, /* that may wait; more are lost */
    RECORDER_SERIES = 100000,
    MESSAGE = 64 << 10,
    EVENT_NAME = 320,
    MICRO_TIME = 32,
};

struct recorder {
    struct client *client;
    struct cluster_clock *clock;
    char *component, *instance; /* instance: source.host, or the modern reportingInstance */
    bool modern;
    struct loop_event *turn;
    struct said *first, **last;
    size_t waiting;
    uint64_t salt, sequence; /* of names */
    struct correlator correlator;
    struct map series;
    int64_t began_ms;
    struct cluster_timer *sweep; /* of modern ones: set while there are any */
};

static const struct client_resource core_events = {"", "v1", "events"}, modern_events = {"events.k8s.io", "v1", "events"};

/* ---- documents ---- */

/* Sets a text, unless there is none. */
static bool put(struct value *object, const char *key, const char *text)
{
    return text[0] == '\0' || value_set(object, key, value_string(text));
}

static bool put_time(struct value *object, const char *key, int64_t ms)
{
    char text[21];
    time_print(ms, text);
    return value_set(object, key, value_string(text));
}

static bool put_micro_time(struct value *object, const char *key, int64_t ms)
{
    char seconds[21], text[MICRO_TIME];
    time_print(ms, seconds);
    snprintf(text, sizeof text, "%.19s.%03d000Z", seconds, (int)(ms % 1000));
    return value_set(object, key, value_string(text));
}

/* "OBJECT.HEX", as client-go names events; where that is no name, a random one: an uuid. */
static void name_event(const struct said *said, uint64_t nano, char out[static EVENT_NAME])
{
    if ((size_t)snprintf(out, EVENT_NAME, "%s.%llx", said->name, (unsigned long long)nano) < EVENT_NAME &&
        name_subdomain(out).count == 0)
        return;
    const char *const about[] = {said->kind, said->name};
    uint64_t high = hash_texts(nano, about, 2), low = hash_texts(high, about, 2);
    snprintf(out, EVENT_NAME, "%08llx-%04llx-4%03llx-%04llx-%012llx", (unsigned long long)(high >> 32),
             (unsigned long long)(high >> 16 & 0xffff), (unsigned long long)(high & 0xfff),
             (unsigned long long)(low >> 48 & 0x3fff) | 0x8000, (unsigned long long)(low & 0xffffffffffff));
}

static const char *home_of(const struct said *said)
{
    return said->ns[0] != '\0' ? said->ns : "default";
}

/* The event with its name and the reference under `key`. NULL: no memory. */
static struct value *begin_event(const struct said *said, uint64_t nano, const char *key)
{
    char name[EVENT_NAME];
    name_event(said, nano, name);
    struct value *event = value_object(), *metadata = event != NULL ? value_child(event, "metadata") : NULL,
                 *object = metadata != NULL ? value_child(event, key) : NULL;
    if (object != NULL && value_set(metadata, "name", value_string(name)) &&
        value_set(metadata, "namespace", value_string(home_of(said))) && put(object, "kind", said->kind) &&
        put(object, "namespace", said->ns) && put(object, "name", said->name) && put(object, "uid", said->uid) &&
        put(object, "apiVersion", said->api_version) && put(object, "resourceVersion", said->version) &&
        put(object, "fieldPath", said->field_path) && put(event, "reason", said->reason) &&
        value_set(event, "type", value_string(said->warning ? "Warning" : "Normal")))
        return event;
    value_free(event);
    return NULL;
}

static bool put_message(struct value *event, const struct said *said, bool combined)
{
    char *text = combined ? mem_printf("(combined from similar events): %s", said->message) : NULL;
    bool whole = (!combined || text != NULL) && put(event, "message", combined ? text : said->message);
    mem_free(text);
    return whole;
}

static struct value *core_event(const struct recorder *recorder, const struct said *said, const struct correlated *as)
{
    struct value *event = begin_event(said, as->nano, "involvedObject"),
                 *source = event != NULL ? value_child(event, "source") : NULL;
    if (source != NULL && put(source, "component", recorder->component) && put(source, "host", recorder->instance) &&
        put_message(event, said, as->combined) && put_time(event, "firstTimestamp", as->first_ms) &&
        put_time(event, "lastTimestamp", said->time_ms) && value_set(event, "count", value_int(as->count)) &&
        (as->combined || /* client-go forgets these two there */
         (put(event, "reportingComponent", recorder->component) && put(event, "reportingInstance", recorder->instance))))
        return event;
    value_free(event);
    return NULL;
}

static struct value *core_patch(const struct said *said, const struct correlated *as)
{
    struct value *patch = value_object();
    if (patch != NULL && value_set(patch, "count", value_int(as->count)) && put_time(patch, "lastTimestamp", said->time_ms) &&
        put_message(patch, said, as->combined))
        return patch;
    value_free(patch);
    return NULL;
}

static bool put_series(struct value *event, const struct series *series)
{
    struct value *part = value_child(event, "series");
    return part != NULL && value_set(part, "count", value_int(series->count)) &&
           put_micro_time(part, "lastObservedTime", series->last_ms);
}

static struct value *modern_event(const struct recorder *recorder, const struct series *series)
{
    const struct said *said = series->said;
    struct value *event = begin_event(said, said->nano, "regarding");
    if (event != NULL && put_micro_time(event, "eventTime", said->time_ms) &&
        (series->count < 2 || put_series(event, series)) && put(event, "reportingController", recorder->component) &&
        put(event, "reportingInstance", recorder->instance) && put(event, "action", said->action) &&
        put(event, "note", said->message))
        return event;
    value_free(event);
    return NULL;
}

/* ---- writing; what fails is lost, as a real one is ---- */

static void create(struct recorder *recorder, const struct client_resource *resource, const struct said *said,
                   struct value *event)
{
    if (event != NULL)
        client_create_quietly(recorder->client, resource, home_of(said), event, NULL);
}

/* True: the event is not there any more. */
static bool patch(struct recorder *recorder, const struct client_resource *resource, const struct said *said, uint64_t nano,
                  struct value *change)
{
    struct error err = ERROR_INIT;
    char name[EVENT_NAME];
    name_event(said, nano, name);
    if (change == NULL)
        return false;
    return !client_patch_quietly(recorder->client, resource, "", home_of(said), name, PATCH_STRATEGIC, change, NULL, &err) &&
           err.kind == ERROR_NOT_FOUND;
}

static void write_core(struct recorder *recorder, const struct said *said)
{
    struct correlated as;
    if (!correlate(&recorder->correlator, said, cluster_clock_ms(recorder->clock), &as))
        return;
    if (as.count == 1 || patch(recorder, &core_events, said, as.nano, core_patch(said, &as)))
        create(recorder, &core_events, said, core_event(recorder, said, &as));
}

static void write_series(void *data, const struct series *series)
{
    struct recorder *recorder = data;
    struct value *change = series->count > 1 ? value_object() : NULL;
    if (change != NULL && !put_series(change, series)) {
        value_free(change);
        change = NULL;
    }
    if (series->count == 1 || patch(recorder, &modern_events, series->said, series->said->nano, change))
        create(recorder, &modern_events, series->said, modern_event(recorder, series));
}

/* The next of the moments that come every six minutes. */
static void set_sweep(struct recorder *recorder)
{
    int64_t rounds = (cluster_clock_ms(recorder->clock) - recorder->began_ms) / SERIES_END_MS + 1;
    if (recorder->series.count == 0)
        cluster_timer_stop(recorder->sweep);
    else if (!cluster_timer_is_set(recorder->sweep))
        cluster_timer_set(recorder->sweep, recorder->began_ms + rounds * SERIES_END_MS);
}

static void write_modern(struct recorder *recorder, struct said *said)
{
    const struct series *series = series_note(&recorder->series, said, cluster_clock_ms(recorder->clock));
    if (series != NULL)
        write_series(recorder, series);
    set_sweep(recorder);
}

static void sweep(void *data)
{
    struct recorder *recorder = data;
    int64_t now = cluster_clock_ms(recorder->clock), rounds = (now - recorder->began_ms) / SERIES_END_MS;
    series_sweep(&recorder->series, now, rounds % (SERIES_REFRESH_MS / SERIES_END_MS) == 0, write_series, recorder);
    set_sweep(recorder);
}

/* ---- what waits ---- */

static struct said *take_first(struct recorder *recorder)
{
    struct said *said = recorder->first;
    recorder->first = said->next;
    if (recorder->first == NULL)
        recorder->last = &recorder->first;
    if (--recorder->waiting == 0)
        cluster_clock_let_go(recorder->clock);
    return said;
}

static void write_some(void *data)
{
    struct recorder *recorder = data;
    for (int i = 0; i < RECORDER_ROUND && recorder->first != NULL; i++) {
        struct said *said = take_first(recorder);
        if (recorder->modern) {
            write_modern(recorder, said);
            continue;
        }
        write_core(recorder, said);
        mem_free(said);
    }
    if (recorder->first != NULL)
        loop_set_timer(recorder->turn, 0);
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* One block of everything; the message is printed into it by the caller. */
static struct said *said_new(const struct recorder_about *about, const char *reason, const char *action, size_t message)
{
    const char *texts[] = {about->kind,    about->api_version, about->ns, about->name, about->uid,
                           about->version, about->field_path,  reason,    action};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t room = message + 1;
    for (size_t i = 0; i < TEXTS; i++)
        room += strlen(or_empty(texts[i])) + 1;
    struct said *said = mem_alloc(sizeof *said + room);
    if (said == NULL)
        return NULL;
    char *at = said->texts;
    for (size_t i = 0; i < TEXTS; i++) {
        char *copy = at;
        at = stpcpy(at, or_empty(texts[i])) + 1;
        texts[i] = copy;
    }
    *said = (struct said){.kind = texts[0],
                          .api_version = texts[1],
                          .ns = texts[2],
                          .name = texts[3],
                          .uid = texts[4],
                          .version = texts[5],
                          .field_path = texts[6],
                          .reason = texts[7],
                          .action = texts[8],
                          .message = at};
    return said;
}

void recorder_say(struct recorder *recorder, const struct recorder_about *about, bool warning, const char *reason,
                  const char *action, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    struct said *said = length >= 0 && length < MESSAGE && recorder->waiting < RECORDER_QUEUE
                            ? said_new(about, reason, action, (size_t)length)
                            : NULL;
    if (said != NULL) {
        vsnprintf((char *)(uintptr_t)said->message, (size_t)length + 1, format, again);
        said->time_ms = cluster_clock_ms(recorder->clock);
        said->nano = (uint64_t)said->time_ms * 1000000 +
                     (recorder->salt + recorder->sequence++ * 104729) % 1000000; /* a prime: a million names a millisecond */
        said->warning = warning;
        *recorder->last = said;
        recorder->last = &said->next;
        if (recorder->waiting++ == 0) {
            cluster_clock_hold(recorder->clock);
            loop_set_timer(recorder->turn, 0);
        }
    }
    va_end(again);
    va_end(arguments);
}

struct recorder_about recorder_about(const struct value *document, const char *api_version, const char *kind)
{
    const struct value *metadata = value_get(document, "metadata");
    return (struct recorder_about){.kind = kind,
                                   .api_version = api_version,
                                   .ns = or_empty(value_find_text(metadata, "namespace", NULL)),
                                   .name = or_empty(value_find_text(metadata, "name", NULL)),
                                   .uid = or_empty(value_find_text(metadata, "uid", NULL)),
                                   .version = or_empty(value_find_text(metadata, "resourceVersion", NULL))};
}

/* ---- */

/* Modern events name a process: the component and where it runs. */
static char *instance_of(const struct recorder_options *options)
{
    char machine[256] = "";
    if (!options->modern)
        return mem_string(or_empty(options->host));
    if (options->host == NULL && gethostname(machine, sizeof machine - 1) != 0)
        machine[0] = '\0';
    return mem_printf("%s-%s", options->component, options->host != NULL ? options->host : machine);
}

struct recorder *recorder_new(struct client *client, const struct recorder_options *options, struct error *err)
{
    struct recorder *recorder = mem_zero(1, sizeof *recorder);
    if (recorder == NULL) {
        error_memory(err);
        return NULL;
    }
    recorder->client = client;
    recorder->clock = client_clock(client);
    recorder->modern = options->modern;
    recorder->last = &recorder->first;
    recorder->correlator = correlator_make();
    recorder->series = map_make(RECORDER_SERIES, series_free);
    recorder->began_ms = cluster_clock_ms(recorder->clock);
    recorder->component = mem_string(options->component);
    recorder->instance = instance_of(options);
    recorder->turn = loop_add_timer(client_loop(client), -1, write_some, recorder);
    recorder->sweep = cluster_timer_new(recorder->clock, sweep, recorder);
    if (recorder->component != NULL && recorder->instance != NULL && recorder->turn != NULL && recorder->sweep != NULL) {
        const char *const self[] = {recorder->component, recorder->instance};
        recorder->salt = hash_texts(0, self, 2) % 1000000;
        return recorder;
    }
    recorder_free(recorder);
    error_memory(err);
    return NULL;
}

void recorder_free(struct recorder *recorder)
{
    if (recorder == NULL)
        return;
    while (recorder->first != NULL)
        mem_free(take_first(recorder));
    loop_drop(recorder->turn);
    cluster_timer_free(recorder->sweep);
    correlator_free(&recorder->correlator);
    map_free(&recorder->series);
    mem_free(recorder->component);
    mem_free(recorder->instance);
    mem_free(recorder);
}
