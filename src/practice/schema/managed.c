#include "practice/schema/managed.h"

#include <string.h>

#include "base/mem.h"
#include "practice/schema/managers.h"

/* ---- fields of nobody ---- */

static const struct fieldset meta_fields[9];
static const struct fieldset stripped_fields[3];

#define FIELD(array, at, count, field, below)                                                                                  \
    {                                                                                                                          \
        .element = {.type = FIELD_NAME, .name = (field)}, .member = true, .children = (below),                                 \
        .next = (at) + 1 < (count) ? &(array)[(at) + 1] : NULL                                                                 \
    }
#define META(at, field) FIELD(meta_fields, at, 9, field, NULL)

static const struct fieldset meta_fields[9] = {
    META(0, "clusterName"), META(1, "creationTimestamp"), META(2, "generation"),      META(3, "managedFields"),
    META(4, "name"),        META(5, "namespace"),         META(6, "resourceVersion"), META(7, "selfLink"),
    META(8, "uid")};
static const struct fieldset stripped_fields[3] = {FIELD(stripped_fields, 0, 3, "apiVersion", NULL),
                                                   FIELD(stripped_fields, 1, 3, "kind", NULL),
                                                   FIELD(stripped_fields, 2, 3, "metadata", meta_fields)};

const struct fieldset *managers_strip(struct managers *managers, const struct fieldset *set)
{
    return fieldset_difference(&managers->arena, set, stripped_fields);
}

/* What a subresource, of one kind or of all, does not touch (without) or alone touches (only). Source: GetResetFields of
 * pkg/registry. */
static const struct reach {
    const char *kind, *subresource;
    const char *paths[4][4]; /* NULL-terminated; "*" is any */
    bool only;
} reaches[] = {
    {"Deployment", "status", {{"metadata", "labels"}}, false},
    {"Pod", "status", {{"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}}, false},
    {"CSINode", "status", {{"metadata"}}, false},
    {"VolumeAttachment", "status", {{"metadata"}}, false},
    {"ServiceCIDR", "status", {{"metadata"}}, false},
    {NULL, "status", {{"spec"}}, false},
    {"Pod", "ephemeralcontainers", {{"spec", "ephemeralContainers"}}, true},
    {"Pod",
     "resize",
     {{"spec", "containers", "*", "resources"},
      {"spec", "containers", "*", "resizePolicy"},
      {"spec", "initContainers", "*", "resources"},
      {"spec", "initContainers", "*", "resizePolicy"}},
     true},
};

enum { PATHS = 4, PARTS = 4 };

/* Parts of a set that lie on one of the paths from `depth` on, or those that do not. */
static const struct fieldset *cut(struct arena *arena, const struct fieldset *set, const char *const (*paths)[PARTS],
                                  unsigned which, size_t depth, bool only)
{
    struct fieldset_list list = {.first = NULL};
    for (; set != NULL; set = set->next) {
        unsigned below = 0;
        bool whole = false;
        for (unsigned i = 0; i < PATHS; i++) {
            const char *part = (which & 1U << i) != 0 && depth < PARTS ? paths[i][depth] : NULL;
            bool on = part != NULL &&
                      (strcmp(part, "*") == 0 || (set->element.type == FIELD_NAME && strcmp(part, set->element.name) == 0));
            whole |= on && (depth + 1 == PARTS || paths[i][depth + 1] == NULL);
            below |= on ? 1U << i : 0;
        }
        const struct fieldset *children = whole        ? (only ? set->children : NULL)
                                          : below != 0 ? cut(arena, set->children, paths, below, depth + 1, only)
                                          : only       ? NULL
                                                       : set->children;
        bool member = set->member && (only ? below != 0 : !whole);
        fieldset_add(arena, &list, &set->element, member, children);
    }
    return list.first;
}

static const char *kind_of(const struct schema *schema)
{
    const char *dot = schema->name != NULL ? strrchr(schema->name, '.') : NULL;
    return dot != NULL ? dot + 1 : "";
}

static bool is_built_in(const struct schema *schema)
{
    return schema->name != NULL && schema_definition(schema->name) == schema;
}

const struct fieldset *managers_filter(struct managers *managers, const struct managed_by *by, const struct fieldset *set)
{
    static const char *const status[PATHS][PARTS] = {{"status"}}, *const metadata[PATHS][PARTS] = {{"metadata"}};
    struct arena *arena = &managers->arena;
    bool built_in = is_built_in(managers->schema);
    if (by->subresource == NULL || strcmp(by->subresource, "finalize") == 0)
        return by->status_is_plain ? set : cut(arena, set, status, 1, 0, false);
    for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++) {
        const struct reach *reach = &reaches[i];
        if (strcmp(reach->subresource, by->subresource) == 0 &&
            (reach->kind == NULL || (built_in && strcmp(reach->kind, kind_of(managers->schema)) == 0)))
            set = cut(arena, set, reach->paths, (1U << PATHS) - 1, 0, reach->only);
    }
    if (!built_in && strcmp(by->subresource, "status") == 0)
        set = cut(arena, set, metadata, 1, 0, false);
    return set;
}

/* ---- updates ---- */

static struct value *zero_of(const struct schema_field *field)
{
    if ((field->flags & SCHEMA_POINTER) != 0)
        return value_null();
    switch (field->schema->type) {
    case SCHEMA_STRING:
        return value_string("");
    case SCHEMA_BOOL:
        return value_bool(false);
    case SCHEMA_INT32:
    case SCHEMA_INT64:
    case SCHEMA_DOUBLE:
    case SCHEMA_INT_OR_STRING:
        return value_int(0);
    case SCHEMA_QUANTITY:
        return value_string("0");
    case SCHEMA_DURATION:
        return value_string("0s");
    case SCHEMA_OBJECT:
        return value_object();
    default:
        return value_null();
    }
}

/* False: no memory. */
static bool fill(struct value *object, const struct schema *schema)
{
    bool ok = true;
    for (size_t i = 0; ok && i < schema->field_count; i++) {
        const struct schema_field *field = &schema->fields[i];
        if ((field->flags & SCHEMA_ALWAYS) == 0)
            continue;
        struct value *zero = zero_of(field);
        bool object_too = value_type(zero) == VALUE_OBJECT;
        ok = value_set(object, field->name, zero) && (!object_too || fill(zero, field->schema));
    }
    return ok;
}

const struct value *managers_empty(struct managers *managers)
{
    struct value *empty = arena_own(&managers->arena, value_object());
    if (empty == NULL || fill(empty, managers->schema))
        return empty;
    managers->arena.failed = true;
    return NULL;
}

bool managers_update(struct managers *managers, const struct value *old, const struct value *new, const struct managed_by *by,
                     struct error *err)
{
    struct arena *arena = &managers->arena;
    struct typed_changes changes = {.removed = NULL};
    bool told = old != NULL ? typed_compare(arena, old, new, managers->schema, &changes, err)
                            : typed_created(arena, new, managers->schema, &changes.added, err);
    if (!told)
        return false;
    const struct fieldset *changed = managers_filter(managers, by, fieldset_union(arena, changes.modified, changes.added));
    const struct fieldset *removed = managers_filter(managers, by, changes.removed), *own = managers_strip(managers, changed);
    for (struct manager *manager = managers->first; manager != NULL; manager = manager->next)
        manager->set = fieldset_difference(arena, fieldset_difference(arena, manager->set, changed), removed);
    managers_prune(managers);
    if (own != NULL) {
        struct manager *self = managers_find(managers, by, false);
        self = managers_set(managers, by, false, fieldset_union(arena, own, self != NULL ? self->set : NULL));
        if (self != NULL) {
            self->has_time = true;
            self->time_ms = by->time_ms;
        }
    }
    managers_cap(managers);
    return true;
}

/* Whether a client wants to begin anew: [] or [{}]. */
static bool is_reset(const struct value *list)
{
    const struct value *only = value_first(list);
    return value_type(list) == VALUE_ARRAY &&
           (only == NULL || (value_next(only) == NULL && value_type(only) == VALUE_OBJECT && value_first(only) == NULL));
}

/* The managers that an update starts from: those that the client sends, else those of old. */
static void read_managers(struct managers *managers, const struct value *object, const struct value *old,
                          const struct managed_by *by)
{
    if (by->subresource == NULL) {
        if (is_reset(value_find(object, "metadata", "managedFields", NULL)))
            return;
        if (managers_read(managers, object) && managers->first != NULL)
            return;
    }
    if (!managers_read(managers, old))
        managers->first = NULL;
}

/* Where it cannot be told who owns what: old's managedFields. */
static bool keep_old(struct value *object, const struct value *old, struct error *err)
{
    const struct value *list = value_find(old, "metadata", "managedFields", NULL);
    struct value *metadata = value_child(object, "metadata");
    return list == NULL || value_set(metadata, "managedFields", value_copy(list)) || error_memory(err);
}

/* text NULL: into the object. */
static bool update(struct value *object, const struct value *old, const struct schema *schema, const struct managed_by *by, struct buf *text,
                   struct error *err)
{
    struct managers managers = {.arena = arena_make(), .schema = schema};
    struct error why = ERROR_INIT;
    read_managers(&managers, object, old, by);
    struct value *metadata = value_get(object, "metadata"), *sent = value_get(metadata, "managedFields");
    if (sent != NULL)
        sent = value_take(metadata, sent); /* names are borrowed from it */
    bool tracked = managers.first != NULL || old == NULL, ok = true;
    if (tracked && !managers_update(&managers, old, object, by, &why)) {
        ok = why.kind == ERROR_MEMORY ? error_memory(err) : keep_old(object, old, err);
        tracked = false;
    }
    if (ok && managers.arena.failed)
        ok = error_memory(err);
    if (ok && tracked)
        ok = text != NULL ? managers_print(&managers, text, err) : managers_write(&managers, object, err);
    arena_free(&managers.arena);
    value_free(sent);
    return ok;
}

bool managed_update(struct value *object, const struct value *old, const struct schema *schema, const struct managed_by *by, struct error *err)
{
    return update(object, old, schema, by, NULL, err);
}

bool managed_create(struct value *object, const struct schema *schema, const struct managed_by *by, struct buf *text, struct error *err)
{
    return update(object, NULL, schema, by, text, err);
}

/* Entries that are the same but for their times; *times: those differ. */
static bool same_but_times(const struct value *entry, const struct value *other, bool *times)
{
    size_t entries = 0;
    for (const struct value *part = value_first(entry); part != NULL; part = value_next(part)) {
        bool is_time = strcmp(value_key(part), "time") == 0, equal = value_equal(part, value_get(other, value_key(part)));
        if (!equal && !is_time)
            return false;
        *times |= !equal;
        entries += !is_time;
    }
    size_t others = value_length(other) - (value_get(other, "time") != NULL);
    *times |= value_get(entry, "time") == NULL && value_get(other, "time") != NULL;
    return entries == others;
}

/* Everything else of two objects, looked at without their managedFields. */
static bool same_rest(struct value *object, const struct value *old)
{
    for (const struct value *part = value_first(object); part != NULL; part = value_next(part)) {
        const struct value *other = value_get(old, value_key(part));
        bool metadata = strcmp(value_key(part), "metadata") == 0;
        if (!metadata && !value_equal(part, other))
            return false;
        for (const struct value *inner = metadata ? value_first(part) : NULL; inner != NULL; inner = value_next(inner))
            if (strcmp(value_key(inner), "managedFields") != 0 && !value_equal(inner, value_get(other, value_key(inner))))
                return false;
        if (metadata && value_length(part) != value_length(other))
            return false;
    }
    return value_length(object) == value_length(old);
}

bool managed_settle(struct value *object, const struct value *old)
{
    const struct value *list = value_find(object, "metadata", "managedFields", NULL),
                       *before = value_find(old, "metadata", "managedFields", NULL);
    const struct value *entry = value_first(list), *other = value_first(before);
    bool times = false, same = true;
    for (; same && entry != NULL && other != NULL; entry = value_next(entry), other = value_next(other))
        same = same_but_times(entry, other, &times);
    if (!same || entry != NULL || other != NULL || !times || !same_rest(object, old))
        return true;
    return value_set(value_get(object, "metadata"), "managedFields", value_copy(before));
}
