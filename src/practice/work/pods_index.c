/* pods_index: records of Pods and where they are found. */
#include <string.h>

#include "base/mem.h"
#include "practice/work/pods_internal.h"

enum { PODS_KEYS = 10000000, FIRST_ROOM = 64 };

static void free_group(void *data)
{
    struct group *group = data;
    mem_free(group->sorted);
    mem_free(group);
}

void pods_index_start(struct pods_index *index)
{
    *index = (struct pods_index){.owners = map_make(PODS_KEYS, free_group),
                                 .nodes = map_make(PODS_KEYS, free_group),
                                 .namespaces = map_make(PODS_KEYS, free_group)};
}

void pods_index_free(struct pods_index *index)
{
    for (size_t i = 0; i < index->uids.room; i++)
        for (struct record *record = index->uids.chains[i], *next; record != NULL; record = next) {
            next = record->uid_next;
            record_free(record);
        }
    mem_free(index->uids.chains);
    mem_free(index->ips.chains);
    map_free(&index->owners);
    map_free(&index->nodes);
    map_free(&index->namespaces);
    pods_index_start(index);
}

/* ---- tables by a text: uid and address ---- */

struct table_kind {
    const char *(*key)(const struct record *record);
    struct record **(*next)(struct record *record);
};

static const char *uid_key(const struct record *record)
{
    return record->view.object->uid;
}

static struct record **uid_next(struct record *record)
{
    return &record->uid_next;
}

static const char *ip_key(const struct record *record)
{
    return record->view.ip;
}

static struct record **ip_next(struct record *record)
{
    return &record->ip_next;
}

static const struct table_kind by_uid = {uid_key, uid_next}, by_ip = {ip_key, ip_next};

static struct record **chain_of(const struct record_table *table, const char *key)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return &table->chains[hash & (table->room - 1)];
}

static struct record *table_find(const struct record_table *table, const struct table_kind *kind, const char *key)
{
    struct record *record = table->room > 0 ? *chain_of(table, key) : NULL;
    while (record != NULL && strcmp(kind->key(record), key) != 0)
        record = *kind->next(record);
    return record;
}

/* Room for one more. Without memory the chains only grow longer, but for the first ones. */
static bool table_reserve(struct record_table *table, const struct table_kind *kind)
{
    if (table->count < table->room)
        return true;
    struct record_table more = {.room = table->room > 0 ? 2 * table->room : FIRST_ROOM, .count = table->count};
    more.chains = mem_zero(more.room, sizeof(struct record *));
    if (more.chains == NULL)
        return table->room > 0;
    for (size_t i = 0; i < table->room; i++)
        for (struct record *record = table->chains[i], *next; record != NULL; record = next) {
            next = *kind->next(record);
            struct record **chain = chain_of(&more, kind->key(record));
            *kind->next(record) = *chain;
            *chain = record;
        }
    mem_free(table->chains);
    *table = more;
    return true;
}

static void table_put(struct record_table *table, const struct table_kind *kind, struct record *record)
{
    struct record **chain = chain_of(table, kind->key(record));
    *kind->next(record) = *chain;
    *chain = record;
    table->count++;
}

static void table_take(struct record_table *table, const struct table_kind *kind, struct record *record)
{
    struct record **at = chain_of(table, kind->key(record));
    while (*at != record)
        at = kind->next(*at);
    *at = *kind->next(record);
    table->count--;
}

/* An address of its own: not the host's, and not one that was given back. */
static bool has_ip(const struct record *record)
{
    return record->view.ip[0] != '\0' && !record->view.host_network && !pod_has_ended(&record->view);
}

/* ---- groups ---- */

static struct group *group_hold(struct map *home, const char *key)
{
    struct group *group = map_get(home, key);
    if (group == NULL) {
        size_t length = strlen(key) + 1;
        group = mem_zero(1, sizeof *group + length);
        if (group == NULL)
            return NULL;
        group->home = home;
        memcpy(group->key, key, length);
        if (!map_set(home, key, group))
            return NULL;
    }
    group->references++;
    return group;
}

static void group_drop(struct group *group)
{
    if (group != NULL && --group->references == 0)
        map_remove(group->home, group->key);
}

size_t group_place(const struct group *group, const char *name, bool *there)
{
    size_t from = 0, to = group->count;
    *there = false;
    while (from < to && !*there) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(group->sorted[middle]->view.object->name, name);
        *there = order == 0;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return *there ? to : from;
}

/* Room for each record that names the namespace. */
static bool group_reserve(struct group *group)
{
    if (group->references <= group->room)
        return true;
    size_t room = group->room > 0 ? 2 * group->room : 4;
    struct record **more = mem_resize(group->sorted, room * sizeof *more);
    if (more == NULL)
        return false;
    group->sorted = more;
    group->room = room;
    return true;
}

static void list_take(struct record *record, enum pods_by by)
{
    struct group *group = record->in[by].group;
    struct record *before = record->in[by].before, *after = record->in[by].after;
    *(before != NULL ? &before->in[by].after : &group->first) = after;
    *(after != NULL ? &after->in[by].before : &group->last) = before;
    group->count--;
}

/* Between two others, or at an end. */
static void list_put(struct record *record, enum pods_by by, struct record *before, struct record *after)
{
    struct group *group = record->in[by].group;
    record->in[by].before = before;
    record->in[by].after = after;
    *(before != NULL ? &before->in[by].after : &group->first) = record;
    *(after != NULL ? &after->in[by].before : &group->last) = record;
    group->count++;
}

/* ---- records ---- */

/* Texts that almost every Pod has are not copied. */
static const char *common_text(const char *text)
{
    static const char *const common[] = {
        "",         "default-scheduler", "ReplicaSet",  "apps/v1",           "cpu",  "memory", "Job",
        "batch/v1", "DaemonSet",         "StatefulSet", "ephemeral-storage", "Node", "v1",     "ReplicationController"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(text, common[i]) == 0)
            return common[i];
    return NULL;
}

static size_t text_room(const char *text)
{
    return common_text(text) != NULL ? 0 : strlen(text) + 1;
}

/* The text for good, put at *end if it is not a common one. */
static const char *keep_text(const char *text, char **end)
{
    const char *common = common_text(text);
    if (common != NULL)
        return common;
    char *at = *end;
    *end = stpcpy(at, text) + 1;
    return at;
}

static struct record *record_make(const struct object *object, const struct pod_view *view)
{
    const struct amounts *requests = &view->requests;
    size_t texts = text_room(view->owner_kind) + text_room(view->owner_name) + text_room(view->owner_version) +
                   text_room(view->nominated) + text_room(view->ip) + text_room(view->scheduler);
    for (size_t i = 0; i < requests->count; i++)
        texts += text_room(requests->items[i].name);
    struct record *record = mem_alloc(sizeof *record + requests->count * sizeof *requests->items + texts);
    if (record == NULL)
        return NULL;
    *record = (struct record){.view = *view};
    char *end = (char *)&record->items[requests->count];
    struct pod_view *kept = &record->view;
    kept->object = object_ref(object);
    kept->owner_kind = keep_text(view->owner_kind, &end);
    kept->owner_name = keep_text(view->owner_name, &end);
    kept->owner_version = keep_text(view->owner_version, &end);
    kept->nominated = keep_text(view->nominated, &end);
    kept->ip = keep_text(view->ip, &end);
    kept->scheduler = keep_text(view->scheduler, &end);
    kept->requests = (struct amounts){.items = record->items, .count = requests->count, .room = requests->count};
    for (size_t i = 0; i < requests->count; i++) {
        record->items[i].amount = requests->items[i].amount;
        record->items[i].name = (char *)(uintptr_t)keep_text(requests->items[i].name, &end);
    }
    return record;
}

struct record *record_new(struct pods_index *index, const struct object *object, const struct value *document)
{
    struct pod_view view;
    pod_view_read(document, &view);
    struct record *record = view.requests.failed ? NULL : record_make(object, &view);
    amounts_free(&view.requests);
    if (record == NULL)
        return NULL;
    record->in[PODS_BY_OWNER].group = group_hold(&index->owners, view.owner_uid);
    record->in[PODS_BY_NODE].group = group_hold(&index->nodes, view.node);
    record->ns = group_hold(&index->namespaces, object->ns);
    if (record->in[PODS_BY_OWNER].group == NULL || record->in[PODS_BY_NODE].group == NULL || record->ns == NULL ||
        !group_reserve(record->ns) || !table_reserve(&index->uids, &by_uid) || !table_reserve(&index->ips, &by_ip)) {
        record_free(record);
        return NULL;
    }
    record->view.owner_uid = record->in[PODS_BY_OWNER].group->key;
    record->view.node = record->in[PODS_BY_NODE].group->key;
    return record;
}

void record_free(struct record *record)
{
    group_drop(record->in[PODS_BY_OWNER].group);
    group_drop(record->in[PODS_BY_NODE].group);
    group_drop(record->ns);
    object_unref((struct object *)(uintptr_t)record->view.object);
    mem_free(record);
}

static void tables_take(struct pods_index *index, struct record *record)
{
    table_take(&index->uids, &by_uid, record);
    if (has_ip(record))
        table_take(&index->ips, &by_ip, record);
}

void record_put(struct pods_index *index, struct record *record, struct record *old)
{
    bool there;
    if (old != NULL)
        tables_take(index, old);
    table_put(&index->uids, &by_uid, record);
    if (has_ip(record))
        table_put(&index->ips, &by_ip, record);
    for (enum pods_by by = 0; by < PODS_BY; by++) {
        struct group *group = record->in[by].group;
        struct record *before = group->last, *after = NULL;
        if (old != NULL && old->in[by].group == group) { /* keeps its place */
            before = old->in[by].before;
            after = old->in[by].after;
        }
        if (old != NULL)
            list_take(old, by);
        list_put(record, by, before, after);
    }
    size_t at = group_place(record->ns, record->view.object->name, &there);
    if (!there) {
        memmove(&record->ns->sorted[at + 1], &record->ns->sorted[at], (record->ns->count - at) * sizeof record);
        record->ns->count++;
    }
    record->ns->sorted[at] = record;
}

void record_take(struct pods_index *index, struct record *record)
{
    bool there;
    struct group *ns = record->ns;
    tables_take(index, record);
    for (enum pods_by by = 0; by < PODS_BY; by++)
        list_take(record, by);
    size_t at = group_place(ns, record->view.object->name, &there);
    ns->count--;
    memmove(&ns->sorted[at], &ns->sorted[at + 1], (ns->count - at) * sizeof record);
}

struct record *record_by_uid(const struct pods_index *index, const char *uid)
{
    return table_find(&index->uids, &by_uid, uid);
}

struct record *record_by_ip(const struct pods_index *index, const char *ip)
{
    return table_find(&index->ips, &by_ip, ip);
}

struct record *record_by_name(const struct pods_index *index, const char *ns, const char *name)
{
    bool there = false;
    const struct group *group = map_get(&index->namespaces, ns);
    size_t at = group != NULL ? group_place(group, name, &there) : 0;
    return there ? group->sorted[at] : NULL;
}
