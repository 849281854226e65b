/* pods: follows the informer of Pods, keeps a record of each, and tells followers. Without memory an event is made up for
 * later, by comparing all records with the informer's objects. */
#include "practice/work/pods.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/work/pods_internal.h"

enum { PODS_LOST_MS = 100, TEXT = STATE_OBJECT + 4096, TEXT_KEPT = 64 << 10 };

struct pods_follower {
    struct pods_follower *next;
    struct pods *pods;
    void (*fn)(void *data, const struct pods_event *event);
    void *data;
    bool dead;
};

struct pods {
    struct informer *informer;
    struct pods_index index;
    struct pods_follower *followers; /* the newest first: who begins inside an event was told all there is already */
    unsigned telling;
    struct loop_event *again; /* to make up for lost events */
    bool lost;
    struct buf text; /* room for the text that is being parsed */
};

static const struct client_resource pods_resource = {"", "v1", "pods"};

static void sweep(struct pods *pods)
{
    for (struct pods_follower **at = &pods->followers; *at != NULL;) {
        struct pods_follower *follower = *at;
        if (!follower->dead) {
            at = &follower->next;
            continue;
        }
        *at = follower->next;
        mem_free(follower);
    }
}

static void tell(struct pods *pods, const struct pods_event *event)
{
    pods->telling++;
    for (struct pods_follower *follower = pods->followers; follower != NULL; follower = follower->next)
        if (!follower->dead)
            follower->fn(follower->data, event);
    if (--pods->telling == 0)
        sweep(pods);
}

/* Where an array that begins at `at` ends; it is valid JSON. */
static const char *array_end(const char *at)
{
    bool quoted = false;
    for (size_t depth = 0;; at++) {
        if (quoted) {
            at += *at == '\\';
            quoted = *at != '"';
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '[') {
            depth++;
        } else if (*at == ']' && --depth == 0) {
            return at;
        }
    }
}

/* The document without managedFields, which are half of its text, and nobody's concern here. NULL: no memory. */
static struct value *read_document(struct pods *pods, const struct object *object)
{
    static const char key[] = ",\"managedFields\":["; /* never in a string: its quotes would be escaped */
    struct buf *text = &pods->text;
    struct value *written = informer_written(pods->informer, object);
    if (written != NULL)
        return written;
    buf_clear(text);
    object_print(object, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",", text);
    if (!buf_ok(text))
        return NULL;
    const char *managed = memmem(text->bytes, text->length, key, sizeof key - 1);
    size_t length = text->length;
    if (managed != NULL) {
        const char *rest = array_end(managed + sizeof key - 2) + 1;
        size_t left = length - (size_t)(rest - text->bytes), at = (size_t)(managed - text->bytes);
        memmove(text->bytes + at, rest, left);
        length = at + left;
    }
    struct value *document = json_parse(text->bytes, length, "a Pod", NULL);
    if (text->room > TEXT_KEPT)
        buf_free(text);
    return document;
}

/* A new Pod, or a new version of one. False: no memory, nothing done. */
static bool take(struct pods *pods, const struct object *object, struct record *old)
{
    if (old != NULL && old->view.object->version == object->version)
        return true;
    struct value *document = read_document(pods, object);
    struct record *record = document != NULL ? record_new(&pods->index, object, document) : NULL;
    if (record != NULL) {
        record_put(&pods->index, record, old);
        tell(pods,
             &(struct pods_event){.pod = &record->view, .previous = old != NULL ? &old->view : NULL, .document = document});
        if (old != NULL)
            record_free(old);
    }
    value_free(document);
    return record != NULL;
}

/* One that is gone; last: its last state. */
static bool drop(struct pods *pods, struct record *record, const struct object *last)
{
    struct value *document = read_document(pods, last);
    if (document == NULL)
        return false;
    record_take(&pods->index, record);
    tell(pods, &(struct pods_event){.previous = &record->view, .document = document});
    record_free(record);
    value_free(document);
    return true;
}

/* The record of a Pod becomes what the informer has: object (NULL: nothing). A name may have come to another Pod meanwhile. */
static bool follow(struct pods *pods, struct record *record, const struct object *object, const struct object *last)
{
    if (record != NULL && (object == NULL || strcmp(object->uid, record->view.object->uid) != 0)) {
        bool same = last != NULL && strcmp(last->uid, record->view.object->uid) == 0;
        if (!drop(pods, record, same ? last : record->view.object))
            return false;
        record = NULL;
    }
    return object == NULL || take(pods, object, record);
}

static void lose(struct pods *pods)
{
    pods->lost = true;
    loop_set_timer(pods->again, PODS_LOST_MS);
}

static void changed(void *data, const struct informer_event *event)
{
    struct pods *pods = data;
    const struct object *key = event->object != NULL ? event->object : event->previous;
    if (!follow(pods, record_by_name(&pods->index, key->ns, key->name), event->object, event->previous))
        lose(pods);
}

static bool drop_missing(struct pods *pods, const struct group *ns)
{
    for (size_t i = ns->count;
         i-- > 0;) { /* from the end, since what is dropped leaves the row (with the last one the row itself goes) */
        struct record *record = ns->sorted[i];
        if (informer_get(pods->informer, record->view.object->ns, record->view.object->name) == NULL &&
            !follow(pods, record, NULL, NULL))
            return false;
    }
    return true;
}

static void make_up(void *data)
{
    struct pods *pods = data;
    const struct map_entry *entry;
    bool fine = true;
    for (const struct object *object = NULL; fine && (object = informer_next(pods->informer, NULL, object)) != NULL;)
        fine = follow(pods, record_by_name(&pods->index, object->ns, object->name), object, NULL);
    for (size_t cursor = 0; fine && (entry = map_next(&pods->index.namespaces, &cursor)) != NULL;)
        fine = drop_missing(pods, entry->value);
    pods->lost = false;
    if (!fine)
        lose(pods);
}

struct pods *pods_new(struct client *reader, struct error *err)
{
    struct pods *pods = mem_zero(1, sizeof *pods);
    if (pods == NULL) {
        error_memory(err);
        return NULL;
    }
    pods->text = buf_make(TEXT);
    pods_index_start(&pods->index);
    pods->again = loop_add_timer(client_loop(reader), -1, make_up, pods);
    if (pods->again == NULL)
        error_memory(err);
    else if ((pods->informer = informer_new(reader, &pods_resource, changed, pods, err)) != NULL)
        return pods;
    pods_free(pods);
    return NULL;
}

void pods_free(struct pods *pods)
{
    if (pods == NULL)
        return;
    informer_free(pods->informer);
    loop_drop(pods->again);
    pods_index_free(&pods->index);
    buf_free(&pods->text);
    mem_free(pods);
}

bool pods_current(const struct pods *pods)
{
    return !pods->lost && informer_current(pods->informer);
}

/* Tells one that begins of all there is. */
static bool tell_start(struct pods *pods, struct pods_follower *follower)
{
    for (size_t i = 0; i < pods->index.uids.room; i++)
        for (const struct record *record = pods->index.uids.chains[i]; record != NULL; record = record->uid_next) {
            struct value *document = read_document(pods, record->view.object);
            if (document == NULL)
                return false;
            follower->fn(follower->data, &(struct pods_event){.pod = &record->view, .document = document});
            value_free(document);
        }
    return true;
}

struct pods_follower *pods_follow(struct pods *pods, void (*fn)(void *data, const struct pods_event *event), void *data,
                                  struct error *err)
{
    struct pods_follower *follower = mem_alloc(sizeof *follower);
    if (follower == NULL) {
        error_memory(err);
        return NULL;
    }
    *follower = (struct pods_follower){.next = pods->followers, .pods = pods, .fn = fn, .data = data};
    pods->followers = follower;
    pods->telling++;
    bool told = tell_start(pods, follower);
    follower->dead = !told;
    if (--pods->telling == 0)
        sweep(pods);
    if (told)
        return follower;
    error_memory(err);
    return NULL;
}

void pods_unfollow(struct pods_follower *follower)
{
    if (follower == NULL)
        return;
    follower->dead = true;
    if (follower->pods->telling == 0)
        sweep(follower->pods);
}

/* ---- looking ---- */

static const struct pod_view *view_of(const struct record *record)
{
    return record != NULL ? &record->view : NULL;
}

static const struct record *record_of(const struct pod_view *view)
{
    return (const struct record *)(const void *)view;
}

const struct pod_view *pods_get(const struct pods *pods, const char *ns, const char *name)
{
    return view_of(record_by_name(&pods->index, ns, name));
}

const struct pod_view *pods_by_uid(const struct pods *pods, const char *uid)
{
    return view_of(record_by_uid(&pods->index, uid));
}

const struct pod_view *pods_by_ip(const struct pods *pods, const char *ip)
{
    return view_of(record_by_ip(&pods->index, ip));
}

static const struct pod_view *next_by(const struct map *groups, const char *key, enum pods_by by, const struct pod_view *after)
{
    if (after != NULL)
        return view_of(record_of(after)->in[by].after);
    const struct group *group = map_get(groups, key);
    return group != NULL ? view_of(group->first) : NULL;
}

const struct pod_view *pods_next_owned(const struct pods *pods, const char *uid, const struct pod_view *after)
{
    return next_by(&pods->index.owners, uid, PODS_BY_OWNER, after);
}

const struct pod_view *pods_next_on(const struct pods *pods, const char *node, const struct pod_view *after)
{
    return next_by(&pods->index.nodes, node, PODS_BY_NODE, after);
}

const struct pod_view *pods_next_in(const struct pods *pods, const char *ns, const struct pod_view *after)
{
    bool there = false;
    const struct group *group = after != NULL ? record_of(after)->ns : map_get(&pods->index.namespaces, ns);
    size_t at = after != NULL ? group_place(group, after->object->name, &there) + 1 : 0;
    return group != NULL && at < group->count ? &group->sorted[at]->view : NULL;
}

size_t pods_count_owned(const struct pods *pods, const char *uid)
{
    const struct group *group = map_get(&pods->index.owners, uid);
    return group != NULL ? group->count : 0;
}

size_t pods_count_on(const struct pods *pods, const char *node)
{
    const struct group *group = map_get(&pods->index.nodes, node);
    return group != NULL ? group->count : 0;
}

struct value *pods_value(const struct pods *pods, const struct pod_view *pod)
{
    return informer_value(pods->informer, pod->object);
}
