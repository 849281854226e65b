/* table_core: cells of nodes, volumes, events and quotas. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/table_internal.h"

enum { ROLES = 1000 };

static bool is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* ---- nodes ---- */

enum cell cell_node_status(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *conditions = row_look(row, "status.conditions");
    row_put(row, condition_of(conditions, "Ready") == NULL ? "Unknown" : condition_holds(conditions, "Ready") ? "Ready" : "NotReady");
    if (value_is_true(row_look(row, "spec.unschedulable")))
        row_put(row, ",SchedulingDisabled");
    return CELL_TEXT;
}

enum cell cell_node_roles(struct row *row, const struct column *column)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    struct vec roles = vec_make(ROLES, mem_free);
    for (const struct value *label = value_first(row_look(row, "metadata.labels")); label != NULL; label = value_next(label)) {
        const char *key = value_key(label);
        const char *role = strncmp(key, prefix, sizeof prefix - 1) == 0 ? key + sizeof prefix - 1 : is(key, "kubernetes.io/role") ? or_empty(value_text(label)) : "";
        if (role[0] != '\0' && !vec_push_string(&roles, role))
            row->failed = true;
    }
    row_put_set(row, &roles);
    if (row->text.length == 0)
        row_put(row, column->otherwise);
    return CELL_TEXT;
}

enum cell cell_node_address(struct row *row, const struct column *column)
{
    const char *address = value_find_text(condition_of(row_look(row, "status.addresses"), column->path), "address", NULL);
    row_put(row, address != NULL ? address : column->otherwise);
    return CELL_TEXT;
}

enum cell cell_node_kernel(struct row *row, const struct column *column)
{
    const char *machine = value_text(row_look(row, "status.nodeInfo.architecture"));
    cell_filled(row, column);
    if (machine != NULL && machine[0] != '\0')
        buf_printf(&row->text, " (%s)", machine);
    return CELL_TEXT;
}

enum cell cell_health(struct row *row, const struct column *column)
{
    const struct value *condition = condition_of(value_get(row->document, "conditions"), "Healthy");
    if (!is(column->path, "status"))
        row_put(row, or_empty(value_find_text(condition, column->path, NULL)));
    else
        row_put(row, condition == NULL ? "Unknown" : is(value_find_text(condition, "status", NULL), "True") ? "Healthy" : "Unhealthy");
    return CELL_TEXT;
}

/* ---- volumes, claims, classes ---- */

enum cell cell_volume_phase(struct row *row, const struct column *column)
{
    (void)column;
    bool leaves = row_look(row, "metadata.deletionTimestamp") != NULL;
    row_put(row, leaves ? "Terminating" : or_empty(value_text(row_look(row, "status.phase"))));
    return CELL_TEXT;
}

enum cell cell_volume_claim(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *claim = row_look(row, "spec.claimRef");
    if (value_type(claim) == VALUE_OBJECT)
        buf_printf(&row->text, "%s/%s", or_empty(value_find_text(claim, "namespace", NULL)), or_empty(value_find_text(claim, "name", NULL)));
    return CELL_TEXT;
}

/* The annotation of old goes before the field. */
enum cell cell_volume_class(struct row *row, const struct column *column)
{
    (void)column;
    const char *old = value_find_text(row->document, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class", NULL);
    row_put(row, old != NULL ? old : or_empty(value_text(row_look(row, "spec.storageClassName"))));
    return CELL_TEXT;
}

enum cell cell_volume_size(struct row *row, const struct column *column)
{
    const char *size = value_find_text(row_look(row, column->path), "storage", NULL);
    row_put(row, size != NULL ? size : "0");
    return CELL_TEXT;
}

enum cell cell_access_modes(struct row *row, const struct column *column)
{
    static const char *const modes[][2] = {{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
    const struct value *has = row_look(row, column->path);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        bool found = false;
        for (const struct value *mode = value_first(has); mode != NULL && !found; mode = value_next(mode))
            found = is(value_text(mode), modes[i][0]);
        if (found)
            row_put_piece(row, ",", modes[i][1]);
    }
    return CELL_TEXT;
}

static bool is_bound(const struct row *row)
{
    return or_empty(value_text(row_look(row, "spec.volumeName")))[0] != '\0';
}

enum cell cell_claim_size(struct row *row, const struct column *column)
{
    return is_bound(row) ? cell_volume_size(row, column) : CELL_TEXT;
}

enum cell cell_claim_modes(struct row *row, const struct column *column)
{
    return is_bound(row) ? cell_access_modes(row, column) : CELL_TEXT;
}

enum cell cell_class_name(struct row *row, const struct column *column)
{
    const struct value *annotations = row_look(row, "metadata.annotations");
    row_put(row, or_empty(value_text(row_look(row, "metadata.name"))));
    if (is(value_find_text(annotations, column->path, NULL), "true"))
        row_put(row, " (default)");
    return CELL_TEXT;
}

enum cell cell_data_count(struct row *row, const struct column *column)
{
    (void)column;
    buf_printf(&row->text, "%zu", value_length(value_get(row->document, "data")) + value_length(value_get(row->document, "binaryData")));
    return CELL_LITERAL;
}

/* ---- events, of both groups: the newer one has the same under other names ---- */

static const struct value *event_look(const struct row *row, const char *name)
{
    static const char *const names[][2] = {{"involvedObject", "regarding"}, {"message", "note"}, {"source", "deprecatedSource"}, {"count", "deprecatedCount"},
                                           {"firstTimestamp", "deprecatedFirstTimestamp"}, {"lastTimestamp", "deprecatedLastTimestamp"},
                                           {"reportingComponent", "reportingController"}};
    const struct value *found = value_get(row->document, name);
    for (size_t i = 0; found == NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0)
            found = value_get(row->document, names[i][1]);
    return found;
}

enum cell cell_event_first(struct row *row, const struct column *column)
{
    (void)column;
    const char *first = value_text(event_look(row, "firstTimestamp"));
    row_put_age(row, first != NULL ? first : value_find_text(row->document, "eventTime", NULL));
    return CELL_TEXT;
}

enum cell cell_event_last(struct row *row, const struct column *column)
{
    const struct value *series = value_get(row->document, "series");
    const char *last = value_text(event_look(row, "lastTimestamp"));
    if (value_type(series) == VALUE_OBJECT)
        row_put_age(row, value_find_text(series, "lastObservedTime", NULL));
    else if (last != NULL)
        row_put_age(row, last);
    else
        cell_event_first(row, column);
    return CELL_TEXT;
}

enum cell cell_event_count(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *series = value_get(row->document, "series");
    int64_t count = 0;
    if (value_type(series) == VALUE_OBJECT)
        count = value_find_int(series, 0, "count", NULL);
    else if (!value_as_int(event_look(row, "count"), &count) || count == 0)
        count = 1;
    buf_printf(&row->text, "%lld", (long long)count);
    return CELL_LITERAL;
}

enum cell cell_event_object(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *about = event_look(row, "involvedObject");
    const char *name = or_empty(value_find_text(about, "name", NULL));
    for (const char *kind = or_empty(value_find_text(about, "kind", NULL)); *kind != '\0'; kind++)
        buf_append(&row->text, &(char){(char)tolower((unsigned char)*kind)}, 1);
    if (name[0] != '\0') {
        row_put(row, "/");
        row_put(row, name);
    }
    return CELL_TEXT;
}

enum cell cell_event_part(struct row *row, const struct column *column)
{
    (void)column;
    row_put(row, or_empty(value_find_text(event_look(row, "involvedObject"), "fieldPath", NULL)));
    return CELL_TEXT;
}

static const char *either(const char *one, const char *other)
{
    return or_empty(one)[0] != '\0' ? one : or_empty(other);
}

enum cell cell_event_source(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *source = event_look(row, "source");
    const char *host = either(value_find_text(source, "host", NULL), value_find_text(row->document, "reportingInstance", NULL));
    row_put(row, either(value_find_text(source, "component", NULL), value_text(event_look(row, "reportingComponent"))));
    if (host[0] != '\0') {
        row_put(row, ", ");
        row_put(row, host);
    }
    return CELL_TEXT;
}

enum cell cell_event_message(struct row *row, const struct column *column)
{
    (void)column;
    const char *message = or_empty(value_text(event_look(row, "message")));
    message += strspn(message, " \t\n\v\f\r");
    size_t length = strlen(message);
    while (length > 0 && strchr(" \t\n\v\f\r", message[length - 1]) != NULL)
        length--;
    buf_append(&row->text, message, length);
    return CELL_TEXT;
}

/* ---- quotas ---- */

static int by_key(const void *a, const void *b)
{
    return strcmp(value_key(a), value_key(b));
}

static enum cell put_quota(struct row *row, bool limits)
{
    const struct value *used = row_look(row, "status.used");
    struct vec hard = vec_make(ROLES, NULL);
    for (struct value *entry = value_first(row_look(row, "status.hard")); entry != NULL; entry = value_next(entry))
        if ((strncmp(value_key(entry), "limits.", 7) == 0) == limits && !vec_push(&hard, entry))
            row->failed = true;
    vec_sort(&hard, by_key);
    for (size_t i = 0; i < hard.length; i++) {
        const char *name = value_key(hard.items[i]), *amount = value_find_text(used, name, NULL);
        row_put_piece(row, ", ", name);
        buf_printf(&row->text, ": %s/%s", amount != NULL ? amount : "0", or_empty(value_text(hard.items[i])));
    }
    vec_free(&hard);
    return CELL_TEXT;
}

enum cell cell_quota_requests(struct row *row, const struct column *column)
{
    (void)column;
    return put_quota(row, false);
}

enum cell cell_quota_limits(struct row *row, const struct column *column)
{
    (void)column;
    return put_quota(row, true);
}
