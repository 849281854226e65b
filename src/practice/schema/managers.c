#include "practice/schema/managers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"

enum { UPDATERS = 10 }; /* more than these are put together */

static const char *text_or_empty(const struct value *entry, const char *key)
{
    const char *text = value_text(value_get(entry, key));
    return text != NULL ? text : "";
}

static bool same(const struct manager *manager, const struct manager *other)
{
    return manager->applied == other->applied && strcmp(manager->name, other->name) == 0 &&
           strcmp(manager->subresource, other->subresource) == 0 &&
           (manager->applied || strcmp(manager->api_version, other->api_version) == 0);
}

static struct manager *find(const struct managers *managers, const struct manager *like)
{
    struct manager *manager = managers->first;
    while (manager != NULL && !same(manager, like))
        manager = manager->next;
    return manager;
}

/* Puts one among the others, in the place of one with its identity. */
static struct manager *put(struct managers *managers, const struct manager *like)
{
    struct manager *manager = find(managers, like), *next = manager != NULL ? manager->next : managers->first;
    if (manager == NULL && (manager = arena_get(&managers->arena, sizeof *manager)) != NULL)
        managers->first = manager;
    if (manager != NULL) {
        *manager = *like;
        manager->next = next;
    }
    return manager;
}

static bool read_one(struct managers *managers, const struct value *entry)
{
    const char *operation = text_or_empty(entry, "operation");
    struct manager manager = {.name = text_or_empty(entry, "manager"),
                              .api_version = text_or_empty(entry, "apiVersion"),
                              .subresource = text_or_empty(entry, "subresource"),
                              .applied = strcmp(operation, "Apply") == 0};
    manager.has_time = time_parse(text_or_empty(entry, "time"), &manager.time_ms);
    if (!manager.applied && strcmp(operation, "Update") != 0)
        return false;
    if (*manager.api_version == '\0' || strcmp(text_or_empty(entry, "fieldsType"), "FieldsV1") != 0)
        return false;
    if (!fieldset_read(&managers->arena, value_get(entry, "fieldsV1"), &manager.set))
        return false;
    put(managers, &manager);
    return true;
}

bool managers_read(struct managers *managers, const struct value *object)
{
    const struct value *list = value_find(object, "metadata", "managedFields", NULL);
    bool ok = true;
    for (const struct value *entry = value_first(list); ok && entry != NULL; entry = value_next(entry))
        ok = read_one(managers, entry);
    for (struct manager *manager = managers->first; ok && manager != NULL; manager = manager->next)
        manager->set = typed_reconcile(&managers->arena, manager->set, managers->schema);
    if (!ok)
        managers->first = NULL;
    return ok;
}

static struct manager from_request(const struct managed_by *by, bool applied)
{
    return (struct manager){.name = by->manager != NULL && *by->manager != '\0' ? by->manager : "unknown",
                            .api_version = by->api_version,
                            .subresource = by->subresource != NULL ? by->subresource : "",
                            .applied = applied};
}

struct manager *managers_find(const struct managers *managers, const struct managed_by *by, bool applied)
{
    struct manager like = from_request(by, applied);
    return find(managers, &like);
}

struct manager *managers_set(struct managers *managers, const struct managed_by *by, bool applied, const struct fieldset *set)
{
    struct manager like = from_request(by, applied), *there = find(managers, &like);
    like.set = set;
    if (there != NULL) {
        like.has_time = there->has_time;
        like.time_ms = there->time_ms;
    }
    return put(managers, &like);
}

void managers_drop(struct managers *managers, const struct manager *gone)
{
    struct manager **at = &managers->first;
    while (*at != NULL && *at != gone)
        at = &(*at)->next;
    if (*at != NULL)
        *at = gone->next;
}

void managers_prune(struct managers *managers)
{
    for (struct manager **at = &managers->first; *at != NULL;) {
        if ((*at)->set == NULL)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
}

const char *managers_identity(struct managers *managers, const struct manager *manager)
{
    const struct {
        const char *key, *text;
    } parts[] = {{"manager", manager->name},
                 {"operation", manager->applied ? "Apply" : "Update"},
                 {"apiVersion", manager->applied ? "" : manager->api_version},
                 {"subresource", manager->subresource}};
    struct buf text = buf_make(SIZE_MAX);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (*parts[i].text == '\0')
            continue;
        buf_printf(&text, "%c\"%s\":", text.length == 0 ? '{' : ',', parts[i].key);
        json_quote(parts[i].text, &text);
    }
    buf_append_string(&text, "}");
    char *kept = buf_ok(&text) ? arena_get(&managers->arena, text.length + 1) : NULL;
    if (kept != NULL)
        memcpy(kept, text.bytes, text.length + 1);
    managers->arena.failed |= kept == NULL;
    buf_free(&text);
    return kept;
}

/* Whole seconds, as the real server compares them; 0: no time. */
static int64_t seconds(const struct manager *manager)
{
    return manager->has_time ? (manager->time_ms - (manager->time_ms % 1000 + 1000) % 1000) / 1000 : 0;
}

/* For sorting: a manager with its identity. */
struct known {
    struct manager *manager;
    const char *identity;
};

static int by_age(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    int64_t i = seconds(x->manager), j = seconds(y->manager);
    return i != j ? (i < j ? -1 : 1) : strcmp(x->identity, y->identity);
}

/* Puts a manager's fields into the bucket of its version, whose first was found before. */
static void pour(struct managers *managers, struct manager *first, struct manager *manager)
{
    struct manager like = {.name = "ancient-changes",
                           .api_version = manager->api_version,
                           .subresource = "",
                           .set = first->set},
                   *bucket = find(managers, &like);
    if (bucket == NULL) {
        managers_drop(managers, first);
        bucket = put(managers, &like);
    }
    if (bucket == NULL)
        return;
    bucket->set = fieldset_union(&managers->arena, manager->set, bucket->set);
    bucket->has_time = manager->has_time;
    bucket->time_ms = manager->time_ms;
    if (bucket != manager)
        managers_drop(managers, manager);
}

void managers_cap(struct managers *managers)
{
    size_t count = 0, left, i = 0;
    for (const struct manager *manager = managers->first; manager != NULL; manager = manager->next)
        count += !manager->applied;
    struct known *updaters = count > UPDATERS ? arena_get(&managers->arena, count * sizeof *updaters) : NULL;
    if (updaters == NULL)
        return;
    for (struct manager *manager = managers->first; manager != NULL; manager = manager->next)
        if (!manager->applied)
            updaters[i++] = (struct known){.manager = manager, .identity = managers_identity(managers, manager)};
    if (managers->arena.failed)
        return;
    qsort(updaters, count, sizeof *updaters, by_age);
    left = count;
    for (i = 0; i < count && left > UPDATERS; i++) {
        size_t first = 0;
        while (strcmp(updaters[first].manager->api_version, updaters[i].manager->api_version) != 0)
            first++;
        if (first == i)
            continue; /* the first of its version only waits for a second one */
        pour(managers, updaters[first].manager, updaters[i].manager);
        left--;
    }
}

static int by_entry(const void *a, const void *b)
{
    const struct manager *x = *(struct manager *const *)a, *y = *(struct manager *const *)b;
    if (x->applied != y->applied)
        return x->applied ? -1 : 1;
    int64_t i = seconds(x), j = seconds(y);
    if (i != j)
        return i < j ? -1 : 1;
    int order = strcmp(x->name, y->name);
    order = order != 0 ? order : strcmp(x->api_version, y->api_version);
    return order != 0 ? order : strcmp(x->subresource, y->subresource);
}

static bool add_text(struct value *entry, const char *key, const char *text)
{
    return *text == '\0' || value_add(entry, key, value_string(text));
}

/* NULL: no memory. */
static struct value *entry_of(const struct manager *manager)
{
    char time[21] = "";
    if (manager->has_time)
        time_print(manager->time_ms, time);
    struct value *entry = value_object();
    if (add_text(entry, "manager", manager->name) && add_text(entry, "operation", manager->applied ? "Apply" : "Update") &&
        add_text(entry, "apiVersion", manager->api_version) && add_text(entry, "time", time) &&
        add_text(entry, "fieldsType", "FieldsV1") && value_add(entry, "fieldsV1", fieldset_value(manager->set)) &&
        add_text(entry, "subresource", manager->subresource))
        return entry;
    value_free(entry);
    return NULL;
}

/* All of them in the order that they are written in, in the arena. NULL: no memory. */
static const struct manager **sort(struct managers *managers, size_t *count)
{
    size_t i = 0;
    *count = 0;
    for (const struct manager *manager = managers->first; manager != NULL; manager = manager->next)
        ++*count;
    const struct manager **sorted = arena_get(&managers->arena, *count * sizeof *sorted);
    if (sorted == NULL || managers->arena.failed)
        return NULL;
    for (const struct manager *manager = managers->first; manager != NULL; manager = manager->next)
        sorted[i++] = manager;
    qsort(sorted, *count, sizeof *sorted, by_entry);
    return sorted;
}

static void print_text(struct buf *out, const char *key, const char *text)
{
    if (*text == '\0')
        return;
    buf_append_string(out, key);
    json_quote(text, out);
}

/* As entry_of has it. */
static void print_entry(struct buf *out, const struct manager *manager)
{
    char time[21] = "";
    if (manager->has_time)
        time_print(manager->time_ms, time);
    print_text(out, "{\"manager\":", manager->name); /* never "" */
    print_text(out, ",\"operation\":", manager->applied ? "Apply" : "Update");
    print_text(out, ",\"apiVersion\":", manager->api_version);
    print_text(out, ",\"time\":", time);
    buf_append_string(out, ",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":");
    fieldset_print(manager->set, out);
    print_text(out, ",\"subresource\":", manager->subresource);
    buf_append(out, "}", 1);
}

bool managers_print(struct managers *managers, struct buf *text, struct error *err)
{
    size_t count;
    const struct manager **sorted = sort(managers, &count);
    for (size_t i = 0; sorted != NULL && i < count; i++) {
        buf_append(text, i > 0 ? "," : "[", 1);
        print_entry(text, sorted[i]);
    }
    if (count > 0)
        buf_append(text, "]", 1);
    return (sorted != NULL && buf_ok(text)) || error_memory(err);
}

bool managers_write(struct managers *managers, struct value *object, struct error *err)
{
    size_t count;
    struct value *metadata = value_child(object, "metadata");
    const struct manager **sorted = sort(managers, &count);
    if (metadata == NULL || sorted == NULL)
        return error_memory(err);
    if (count == 0) {
        value_remove(metadata, "managedFields");
        return true;
    }
    struct value *list = value_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = value_append(list, entry_of(sorted[i]));
    if (ok && value_set(metadata, "managedFields", list))
        return true;
    if (!ok)
        value_free(list);
    return error_memory(err);
}
