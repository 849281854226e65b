#include "practice/schema/managed.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/go_print.h"
#include "practice/schema/managers.h"

static const char last_applied[] = "kubectl.kubernetes.io/last-applied-configuration";
enum { ANNOTATIONS = 256 * 1024 }; /* bytes of keys and values that an object may have */

/* One apply. */
struct apply {
    struct managers managers;
    const struct value *live; /* or the empty object */
    const struct value *applied;
    const struct schema *schema;
    const struct managed_by *by;
    struct vec *conflicts;
    struct error *err;
};

static const char *text_at(const struct value *v, const char *key)
{
    const char *text = value_text(value_get(v, key));
    return text != NULL ? text : "";
}

/* "apps/v1, Kind=Deployment", "/v1, Kind=Pod" */
static void print_kind(const struct value *object, char *out, size_t room)
{
    const char *version = text_at(object, "apiVersion");
    snprintf(out, room, "%s%s, Kind=%s", strchr(version, '/') == NULL ? "/" : "", version, text_at(object, "kind"));
}

static bool is_of_kind(const struct apply *a)
{
    const char *kind = a->schema->name != NULL ? strrchr(a->schema->name, '.') : NULL, *is = text_at(a->applied, "kind");
    return strcmp(text_at(a->applied, "apiVersion"), a->by->api_version) == 0 &&
           (kind == NULL ? *is != '\0' : strcmp(kind + 1, is) == 0);
}

/* What cannot be applied at all. */
static bool check(struct apply *a)
{
    char kind[256];
    print_kind(a->applied, kind, sizeof kind);
    if (!is_of_kind(a))
        return error_set(a->err, ERROR_INPUT, "", "invalid object type: %s", kind);
    if (value_type(value_find(a->applied, "metadata", "managedFields", NULL)) == VALUE_ARRAY)
        return error_set(a->err, ERROR_INPUT, "", "metadata.managedFields must be nil");
    struct vec complaints = vec_make(SIZE_MAX, mem_free);
    typed_validate(&a->managers.arena, a->applied, a->schema, &complaints);
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, complaints.length > 1 ? "errors:" : "");
    for (size_t i = 0; i < complaints.length; i++)
        buf_printf(&text, "%s%s", complaints.length > 1 ? "\n  " : "", (char *)complaints.items[i]);
    const struct value *metadata = value_get(a->applied, "metadata");
    bool ok = complaints.length == 0;
    if (!buf_ok(&text) || a->managers.arena.failed)
        ok = error_memory(a->err);
    else if (!ok)
        error_set(a->err, ERROR_INTERNAL, "", "failed to create typed patch object (%s/%s; %s): %s",
                  text_at(metadata, "namespace"), text_at(metadata, "name"), kind, text.bytes);
    buf_free(&text);
    vec_free(&complaints);
    return ok;
}

/* Removes what this manager applied last time and does not now, unless others own it. Uses merged up; NULL: no memory. */
static struct value *prune(struct apply *a, struct value *merged, const struct fieldset *last)
{
    struct arena *arena = &a->managers.arena;
    const struct schema *schema = a->schema;
    const struct fieldset *owned = NULL;
    if (last == NULL || merged == NULL)
        return merged;
    arena_own(arena, merged); /* sets borrow from it */
    for (const struct manager *manager = a->managers.first; manager != NULL; manager = manager->next)
        owned = fieldset_union(arena, owned, manager->set);
    last = typed_with_named(arena, last, schema);
    owned = typed_with_named(arena, owned, schema);
    const struct fieldset *all = typed_with_named(arena, typed_fields(arena, merged, schema), schema);

    struct value *pruned = arena_own(arena, typed_remove(arena, merged, schema, last));
    const struct fieldset *kept = typed_with_named(arena, typed_fields(arena, pruned, schema), schema);
    const struct fieldset *gone = fieldset_difference(arena, all, fieldset_union(arena, kept, owned));
    pruned = arena_own(arena, typed_remove(arena, merged, schema, gone)); /* what others own is back */

    kept = typed_with_named(arena, typed_fields(arena, pruned, schema), schema);
    gone = fieldset_intersection(arena, fieldset_difference(arena, all, kept), last);
    return arena->failed ? NULL : typed_remove(arena, merged, schema, gone); /* and what was not this manager's */
}

/* ---- conflicts ---- */

static void free_conflict(void *item)
{
    struct managed_conflict *conflict = item;
    if (conflict == NULL)
        return;
    mem_free(conflict->field);
    mem_free(conflict->message);
    mem_free(conflict);
}

static char *describe_manager(const struct manager *manager)
{
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, "conflict with ");
    go_quote(manager->name, &text);
    if (*manager->subresource != '\0') {
        buf_append_string(&text, " with subresource ");
        go_quote(manager->subresource, &text);
    }
    if (!manager->applied)
        buf_printf(&text, " using %s", manager->api_version);
    return buf_take(&text, NULL);
}

/* A conflict for each member, those of a level before those below. */
static bool add_conflicts(struct apply *a, const struct manager *manager, const struct fieldset *set, struct buf *path)
{
    for (int below = 0; below < 2; below++)
        for (const struct fieldset *node = set; node != NULL; node = node->next) {
            size_t length = path->length;
            if (below ? node->children == NULL : !node->member)
                continue;
            field_describe(&node->element, path);
            if (!buf_ok(path))
                return false;
            if (below) {
                if (!add_conflicts(a, manager, node->children, path))
                    return false;
            } else {
                struct managed_conflict *conflict = mem_zero(1, sizeof *conflict);
                if (conflict != NULL) {
                    conflict->field = mem_string(path->bytes);
                    conflict->message = describe_manager(manager);
                }
                if (conflict == NULL || !vec_push(a->conflicts, conflict) || conflict->field == NULL ||
                    conflict->message == NULL)
                    return false;
            }
            path->length = length;
            path->bytes[length] = '\0';
        }
    return true;
}

char *managed_sentence(const struct vec *conflicts)
{
    struct buf text = buf_make(SIZE_MAX);
    const size_t lead = sizeof "conflict" - 1; /* becomes "conflicts" */
    if (conflicts->length == 1) {
        const struct managed_conflict *only = conflicts->items[0];
        buf_printf(&text, "Apply failed with 1 conflict: %s: %s", only->message, only->field);
        return buf_take(&text, NULL);
    }
    buf_printf(&text, "Apply failed with %zu conflicts:", conflicts->length);
    for (size_t i = 0; i < conflicts->length; i++) {
        const struct managed_conflict *conflict = conflicts->items[i], *before = i > 0 ? conflicts->items[i - 1] : NULL;
        if (before == NULL || strcmp(before->message, conflict->message) != 0)
            buf_printf(&text, "%sconflicts%s:", i > 0 ? "\n" : " ", conflict->message + lead);
        buf_printf(&text, "\n- %s", conflict->field);
    }
    return buf_take(&text, NULL);
}

/* The next manager in the order of identities after `after` (NULL: the first) that has a conflict. */
static const struct manager *next_by_identity(struct apply *a, const struct manager *from, const struct manager *after)
{
    const struct manager *least = NULL;
    const char *least_identity = NULL, *bound = after != NULL ? managers_identity(&a->managers, after) : "";
    for (const struct manager *manager = from; manager != NULL; manager = manager->next) {
        const char *identity = managers_identity(&a->managers, manager);
        if (identity == NULL || bound == NULL || strcmp(identity, bound) <= 0)
            continue;
        if (least == NULL || strcmp(identity, least_identity) < 0) {
            least = manager;
            least_identity = identity;
        }
    }
    return least;
}

/* Refuses with the conflicts: a list of managers whose sets are what they would lose. */
static bool refuse(struct apply *a, const struct manager *conflicts)
{
    bool ok = true;
    for (const struct manager *manager = next_by_identity(a, conflicts, NULL); ok && manager != NULL;
         manager = next_by_identity(a, conflicts, manager)) {
        struct buf path = buf_make(SIZE_MAX);
        ok = add_conflicts(a, manager, manager->set, &path);
        buf_free(&path);
    }
    char *sentence = ok && !a->managers.arena.failed ? managed_sentence(a->conflicts) : NULL;
    if (sentence == NULL) {
        vec_free(a->conflicts);
        return error_memory(a->err);
    }
    error_set(a->err, ERROR_CONFLICT, "", "%s", sentence);
    mem_free(sentence);
    return false;
}

/* What kubectl's client-side apply owned: fields of its annotation that the live object still has so. Those are no conflicts
 * for kubectl. */
static const struct fieldset *once_applied(struct apply *a)
{
    struct arena *arena = &a->managers.arena;
    const char *text = value_text(value_get(value_find(a->live, "metadata", "annotations", NULL), last_applied));
    struct vec complaints = vec_make(SIZE_MAX, mem_free);
    struct typed_changes changes;
    struct error err = ERROR_INIT;
    if (strcmp(a->by->manager, "kubectl") != 0 || text == NULL || *text == '\0')
        return NULL;
    struct value *config = json_parse(text, strlen(text), "annotation", &err);
    arena->failed |= err.kind == ERROR_MEMORY;
    if (value_type(config) != VALUE_OBJECT || strcmp(text_at(config, "apiVersion"), a->by->api_version) != 0) {
        value_free(config);
        return NULL;
    }
    if (arena_own(arena, config) == NULL)
        return NULL;
    typed_validate(arena, config, a->schema, &complaints);
    bool ok = complaints.length == 0 && typed_compare(arena, config, a->live, a->schema, &changes, NULL);
    vec_free(&complaints);
    if (!ok)
        return NULL;
    const struct fieldset *changed =
        fieldset_union(arena, changes.removed, fieldset_union(arena, changes.modified, changes.added));
    return fieldset_difference(arena, typed_fields(arena, config, a->schema), changed);
}

/* Takes from others what changes. False: they object, and err says so. */
static bool take_over(struct apply *a, const struct value *new, const struct manager *self, bool force)
{
    struct arena *arena = &a->managers.arena;
    struct typed_changes changes;
    if (!typed_compare(arena, a->live, new, a->schema, &changes, a->err))
        return false;
    const struct fieldset *changed =
        managers_filter(&a->managers, a->by, fieldset_union(arena, changes.modified, changes.added));
    const struct fieldset *removed = managers_filter(&a->managers, a->by, changes.removed);
    struct managers conflicts = {.first = NULL};
    bool allowed_known = false;
    const struct fieldset *allowed = NULL;
    for (const struct manager *manager = a->managers.first; !force && manager != NULL; manager = manager->next) {
        const struct fieldset *lost = manager != self ? fieldset_intersection(arena, manager->set, changed) : NULL;
        if (lost != NULL && !allowed_known)
            allowed = once_applied(a);
        allowed_known |= lost != NULL;
        lost = fieldset_difference(arena, lost, allowed);
        struct manager *copy = lost != NULL ? arena_get(arena, sizeof *copy) : NULL;
        if (copy == NULL)
            continue;
        *copy = *manager;
        copy->set = lost;
        copy->next = conflicts.first;
        conflicts.first = copy;
    }
    if (arena->failed)
        return error_memory(a->err);
    if (conflicts.first != NULL)
        return refuse(a, conflicts.first);
    for (struct manager *manager = a->managers.first; manager != NULL; manager = manager->next)
        if (manager != self)
            manager->set = fieldset_difference(arena, fieldset_difference(arena, manager->set, changed), removed);
    return true;
}

/* ---- the annotation of client-side apply ---- */

/* Go's encoder: keys sorted; <, > and & as escapes. */
static void print_sorted(const struct value *v, struct buf *out)
{
    struct arena arena = arena_make();
    if (value_type(v) == VALUE_OBJECT) {
        const struct value **entries;
        size_t count = typed_entries(&arena, v, &entries);
        buf_append_string(out, "{");
        for (size_t i = 0; i < count; i++) {
            struct buf key = buf_make(SIZE_MAX);
            json_quote(value_key(entries[i]), &key);
            buf_append_string(out, i > 0 ? "," : "");
            buf_append_string(out, buf_ok(&key) ? key.bytes : "");
            buf_append_string(out, ":");
            out->failed |= !buf_ok(&key);
            buf_free(&key);
            print_sorted(entries[i], out);
        }
        buf_append_string(out, "}");
    } else if (value_type(v) == VALUE_ARRAY) {
        buf_append_string(out, "[");
        for (const struct value *item = value_first(v); item != NULL; item = value_next(item)) {
            buf_append_string(out, item != value_first(v) ? "," : "");
            print_sorted(item, out);
        }
        buf_append_string(out, "]");
    } else
        json_print(v, false, out);
    out->failed |= arena.failed;
    arena_free(&arena);
}

static char *escape_html(const char *text)
{
    struct buf out = buf_make(SIZE_MAX);
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            buf_printf(&out, "\\u%04x", *text);
        else
            buf_append(&out, text, 1);
    }
    return buf_take(&out, NULL);
}

/* An object that client-side apply knows of keeps its annotation up to date, with kubectl only. */
static bool refresh_annotation(const struct apply *a, struct value *object)
{
    struct value *annotations = value_find(object, "metadata", "annotations", NULL);
    const char *there = value_text(value_get(annotations, last_applied));
    if (strcmp(a->by->manager, "kubectl") != 0 || there == NULL || *there == '\0')
        return true;
    struct value *config = value_copy(a->applied);
    struct buf text = buf_make(SIZE_MAX);
    size_t size = 0;
    value_remove(value_find(config, "metadata", "annotations", NULL), last_applied);
    print_sorted(config, &text);
    buf_append_string(&text, "\n");
    char *escaped = config != NULL && buf_ok(&text) ? escape_html(text.bytes) : NULL;
    bool ok = escaped != NULL && value_set(annotations, last_applied, value_string(escaped));
    for (const struct value *entry = value_first(annotations); ok && entry != NULL; entry = value_next(entry))
        size += strlen(value_key(entry)) + (value_text(entry) != NULL ? strlen(value_text(entry)) : 0);
    if (ok && size > ANNOTATIONS)
        value_remove(annotations, last_applied);
    mem_free(escaped);
    buf_free(&text);
    value_free(config);
    return ok || error_memory(a->err);
}

/* ---- the whole ---- */

/* An object that nobody tracked: what it has belongs to "before-first-apply". */
static bool begin(struct apply *a)
{
    struct managed_by before = *a->by;
    before.manager = "before-first-apply";
    struct value *object = arena_own(&a->managers.arena, value_copy(a->live));
    if (a->managers.arena.failed)
        return error_memory(a->err);
    value_remove(value_get(object, "metadata"), "managedFields");
    return managers_update(&a->managers, NULL, object, &before, a->err);
}

/* The merged and pruned object, and the managers as they are then. NULL with err. */
static struct value *lay_over(struct apply *a, bool force)
{
    struct arena *arena = &a->managers.arena;
    const struct manager *before = managers_find(&a->managers, a->by, true);
    const struct fieldset *last = before != NULL ? before->set : NULL;
    const struct fieldset *set = managers_filter(&a->managers, a->by, typed_fields(arena, a->applied, a->schema));
    struct manager *self = managers_set(&a->managers, a->by, true, set);
    struct value *merged = typed_merge(arena, a->live, a->applied, a->schema, a->err);
    if (merged == NULL)
        return NULL;
    struct value *object = self != NULL ? prune(a, merged, last) : NULL;
    if (object == NULL || self == NULL) {
        error_memory(a->err);
        if (self == NULL)
            value_free(merged);
        return NULL;
    }
    if (!take_over(a, object, self, force)) {
        value_free(object);
        return NULL;
    }
    bool changed = !value_equal(a->live, object);
    self->set = managers_strip(&a->managers, self->set);
    if (changed) {
        self->has_time = true;
        self->time_ms = a->by->time_ms;
    }
    managers_prune(&a->managers);
    return object;
}

struct value *managed_apply(const struct value *live, const struct value *applied, const struct schema *schema,
                            const struct managed_by *by, bool force, struct vec *conflicts, struct error *err)
{
    struct managed_by named = *by;
    struct apply a = {.managers = {.arena = arena_make(), .schema = schema},
                      .live = live,
                      .applied = applied,
                      .schema = schema,
                      .by = &named,
                      .conflicts = conflicts,
                      .err = err};
    struct value *object = NULL;
    *conflicts = vec_make(SIZE_MAX, free_conflict);
    named.manager = by->manager != NULL ? by->manager : "";
    if (live == NULL)
        a.live = managers_empty(&a.managers);
    if (a.live != NULL && !managers_read(&a.managers, live))
        a.managers.first = NULL; /* malformed: as if there were none */
    bool ok = !a.managers.arena.failed || error_memory(err);
    ok = ok && check(&a) && (a.managers.first != NULL || live == NULL || begin(&a));
    if (ok)
        object = lay_over(&a, force);
    if (object != NULL && (!managers_write(&a.managers, object, err) || !refresh_annotation(&a, object))) {
        value_free(object);
        object = NULL;
    }
    arena_free(&a.managers.arena);
    return object;
}
