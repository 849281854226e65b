/* definition_status: what stands in a definition's status, in the real server's words (apiextensions-apiserver's naming,
 * establishing, finalizer and API approval controllers). */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/api/definitions_internal.h"

enum { NAMES = 100000, MESSAGE = 1 << 16 };

static const char *text_at(const struct value *v, const char *key)
{
    const char *text = value_text(value_get(v, key));
    return text != NULL ? text : "";
}

static struct value *find_condition(const struct value *definition, const char *type)
{
    for (struct value *entry = value_first(value_find(definition, "status", "conditions", NULL)); entry != NULL;
         entry = value_next(entry))
        if (strcmp(text_at(entry, "type"), type) == 0)
            return entry;
    return NULL;
}

bool definition_is_true(const struct value *definition, const char *condition)
{
    return strcmp(text_at(find_condition(definition, condition), "status"), "True") == 0;
}

const char *definition_reason(const struct value *definition, const char *condition)
{
    return text_at(find_condition(definition, condition), "reason");
}

static bool set_text(struct value *object, const char *key, const char *text)
{
    return value_set(object, key, value_string(text));
}

static struct value *add_condition(struct value *definition)
{
    struct value *status = value_child(definition, "status"), *list = value_get(status, "conditions"), *fresh = value_object();
    if (status != NULL && value_type(list) != VALUE_ARRAY) {
        list = value_array();
        if (!value_set(status, "conditions", list))
            list = NULL;
    }
    if (fresh == NULL || list == NULL) {
        value_free(fresh);
        return NULL;
    }
    return value_append(list, fresh) ? fresh : NULL;
}

bool definition_condition(struct value *definition, const char *type, const char *status, const char *reason,
                          const char *message, int64_t now_ms)
{
    char now[21];
    struct value *condition = find_condition(definition, type);
    bool turns = condition == NULL || strcmp(text_at(condition, "status"), status) != 0;
    if (condition == NULL)
        condition = add_condition(definition);
    time_print(now_ms, now);
    return condition != NULL && set_text(condition, "type", type) && set_text(condition, "status", status) &&
           (!turns || set_text(condition, "lastTransitionTime", now)) && set_text(condition, "reason", reason) &&
           set_text(condition, "message", message);
}

/* ---- its end ---- */

bool definition_has_finalizer(const struct value *definition)
{
    for (const struct value *entry = value_first(value_find(definition, "metadata", "finalizers", NULL)); entry != NULL;
         entry = value_next(entry))
        if (value_text(entry) != NULL && strcmp(value_text(entry), DEFINITION_FINALIZER) == 0)
            return true;
    return false;
}

bool definition_start_removal(struct value *definition, int64_t now_ms)
{
    char now[21];
    struct value *metadata = value_child(definition, "metadata"), *list = value_get(metadata, "finalizers");
    time_print(now_ms, now);
    if (metadata == NULL || !set_text(metadata, "deletionTimestamp", now))
        return false;
    if (list == NULL) {
        list = value_array();
        if (!value_set(metadata, "finalizers", list))
            return false;
    }
    if (!definition_has_finalizer(definition) && !value_append(list, value_string(DEFINITION_FINALIZER)))
        return false;
    return definition_condition(definition, "Terminating", "True", "InstanceDeletionPending",
                                "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
                                now_ms);
}

bool definition_finish(struct value *definition, bool established, int64_t now_ms)
{
    struct value *metadata = value_get(definition, "metadata"), *list = value_get(metadata, "finalizers");
    for (struct value *entry = value_first(list), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (value_text(entry) != NULL && strcmp(value_text(entry), DEFINITION_FINALIZER) == 0)
            value_free(value_take(list, entry));
    }
    if (value_first(list) == NULL)
        value_remove(metadata, "finalizers");
    if (established)
        return definition_condition(definition, "Terminating", "False", "InstanceDeletionCompleted", "removed all instances",
                                    now_ms);
    return definition_condition(definition, "Terminating", "False", "NeverEstablished", "resource was never established",
                                now_ms);
}

/* ---- its names ---- */

struct definition_names definition_names_make(void)
{
    return (struct definition_names){.resources = map_make(NAMES, NULL), .kinds = map_make(NAMES, NULL)};
}

void definition_names_free(struct definition_names *names)
{
    map_free(&names->resources);
    map_free(&names->kinds);
}

static bool add(struct map *map, const char *name)
{
    return name == NULL || name[0] == '\0' || map_has(map, name) || map_set(map, name, NULL);
}

bool definition_names_add(struct definition_names *names, const struct value *definition)
{
    const struct value *accepted = value_find(definition, "status", "acceptedNames", NULL);
    for (const struct value *name = value_first(value_get(accepted, "shortNames")); name != NULL; name = value_next(name))
        if (!add(&names->resources, value_text(name)))
            return false;
    return add(&names->resources, text_at(accepted, "plural")) && add(&names->resources, text_at(accepted, "singular")) &&
           add(&names->kinds, text_at(accepted, "kind")) && add(&names->kinds, text_at(accepted, "listKind"));
}

struct naming {
    const struct value *wanted; /* spec.names */
    struct value *accepted;     /* status.acceptedNames as they will be */
    const char *reason;         /* of the last conflict; NULL: none */
    struct buf message;
    bool failed;
};

static void conflict(struct naming *naming, const char *reason, const char *name)
{
    naming->reason = reason;
    buf_clear(&naming->message);
    json_quote(name, &naming->message);
    buf_append_string(&naming->message, " is already in use");
}

static void accept_one(struct naming *naming, const char *key, const char *reason, const struct map *taken)
{
    const char *wanted = text_at(naming->wanted, key), *has = text_at(naming->accepted, key);
    if (strcmp(wanted, has) == 0)
        return;
    if (map_has(taken, wanted))
        conflict(naming, reason, wanted);
    else if (!set_text(naming->accepted, key, wanted))
        naming->failed = true;
}

static bool is_in(const struct value *list, const char *text)
{
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL && strcmp(value_text(entry), text) == 0)
            return true;
    return false;
}

static bool same(const struct value *a, const struct value *b)
{
    if (value_first(a) == NULL || value_first(b) == NULL)
        return value_first(a) == value_first(b);
    return value_equal(a, b);
}

static bool put(struct value *object, const char *key, const struct value *list)
{
    if (value_first(list) != NULL)
        return value_set(object, key, value_copy(list));
    value_remove(object, key);
    return true;
}

/* All of them, or none: several conflicts are told as Go tells several errors. */
static void accept_short(struct naming *naming, const struct map *taken)
{
    const struct value *wanted = value_get(naming->wanted, "shortNames"), *has = value_get(naming->accepted, "shortNames");
    struct vec bad = vec_make(NAMES, NULL);
    if (same(wanted, has))
        return;
    for (const struct value *entry = value_first(wanted); entry != NULL; entry = value_next(entry)) {
        char *text = (char *)(uintptr_t)value_text(entry);
        if (text != NULL && !is_in(has, text) && map_has(taken, text) && !vec_has_string(&bad, text) && !vec_push(&bad, text))
            naming->failed = true;
    }
    if (bad.length == 0) {
        naming->failed = !put(naming->accepted, "shortNames", wanted) || naming->failed;
    } else {
        naming->reason = "ShortNamesConflict";
        buf_clear(&naming->message);
        for (size_t i = 0; i < bad.length; i++) {
            buf_append_string(&naming->message, i > 0 ? ", " : bad.length > 1 ? "[" : "");
            json_quote(bad.items[i], &naming->message);
            buf_append_string(&naming->message, " is already in use");
        }
        buf_append_string(&naming->message, bad.length > 1 ? "]" : "");
    }
    vec_free(&bad);
}

static bool say_names(struct value *definition, const struct naming *naming, int64_t now_ms)
{
    const char *message = naming->reason != NULL ? naming->message.bytes : "no conflicts found";
    if (!definition_condition(definition, "NamesAccepted", naming->reason != NULL ? "False" : "True",
                              naming->reason != NULL ? naming->reason : "NoConflicts", message, now_ms))
        return false;
    if (definition_is_true(definition, "Established"))
        return true;
    if (naming->reason == NULL)
        return definition_condition(definition, "Established", "False", "Installing", "the initial names have been accepted",
                                    now_ms);
    return find_condition(definition, "Established") != NULL ||
           definition_condition(definition, "Established", "False", "NotAccepted", "not all names are accepted", now_ms);
}

static bool is_said(const struct value *definition, const struct naming *naming)
{
    const struct value *condition = find_condition(definition, "NamesAccepted");
    if (condition == NULL || !same(value_find(definition, "status", "acceptedNames", NULL), naming->accepted))
        return false;
    const char *reason = naming->reason != NULL ? naming->reason : "NoConflicts",
               *message = naming->reason != NULL ? naming->message.bytes : "no conflicts found";
    return strcmp(text_at(condition, "reason"), reason) == 0 && message != NULL &&
           strcmp(text_at(condition, "message"), message) == 0;
}

bool definition_accept(struct value *definition, const struct definition_names *taken, int64_t now_ms, bool *changed)
{
    const struct value *names = value_find(definition, "spec", "names", NULL),
                       *has = value_find(definition, "status", "acceptedNames", NULL);
    *changed = false;
    if (has != NULL && value_equal(names, has))
        return true;
    struct naming naming = {
        .wanted = names, .accepted = has != NULL ? value_copy(has) : value_object(), .message = buf_make(MESSAGE)};
    bool ok = naming.accepted != NULL;
    if (ok) {
        accept_one(&naming, "plural", "PluralConflict", &taken->resources);
        accept_one(&naming, "singular", "SingularConflict", &taken->resources);
        accept_short(&naming, &taken->resources);
        accept_one(&naming, "kind", "KindConflict", &taken->kinds);
        accept_one(&naming, "listKind", "ListKindConflict", &taken->kinds);
        ok = put(naming.accepted, "categories", value_get(names, "categories")) && !naming.failed && buf_ok(&naming.message);
    }
    if (ok && !is_said(definition, &naming)) {
        struct value *status = value_child(definition, "status");
        *changed = true;
        ok = status != NULL && value_set(status, "acceptedNames", value_copy(naming.accepted)) &&
             say_names(definition, &naming, now_ms);
    }
    value_free(naming.accepted);
    buf_free(&naming.message);
    return ok;
}

/* ---- its approval ---- */

static bool is_protected(const char *group)
{
    static const char *const domains[] = {"k8s.io", "kubernetes.io"};
    size_t length = strlen(group);
    for (int i = 0; i < 2; i++) {
        size_t size = strlen(domains[i]);
        if (length >= size && strcmp(group + length - size, domains[i]) == 0 &&
            (length == size || group[length - size - 1] == '.'))
            return true;
    }
    return false;
}

bool definition_approve(struct value *definition, int64_t now_ms, bool *changed)
{
    static const char type[] = "KubernetesAPIApprovalPolicyConformant", key[] = "api-approved.kubernetes.io";
    static const char see[] = "see https://github.com/kubernetes/enhancements/pull/1111";
    const char *approval = text_at(value_find(definition, "metadata", "annotations", NULL), key);
    const char *status = "False", *reason = "InvalidAnnotation";
    struct buf message = buf_make(MESSAGE);
    *changed = false;
    if (!is_protected(text_at(value_get(definition, "spec"), "group")))
        return true;
    if (approval[0] == '\0') {
        reason = "MissingAnnotation";
        buf_printf(&message, "protected groups must have approval annotation \"%s\", %s", key, see);
    } else if (strncmp(approval, "unapproved", 10) == 0) {
        reason = "UnapprovedAnnotation";
        buf_append_string(&message, "not approved: ");
        json_quote(approval, &message);
    } else if (strstr(approval, "://") != NULL && strstr(approval, "://") != approval && strstr(approval, "://")[3] != '\0') {
        status = "True";
        reason = "ApprovedAnnotation";
        buf_printf(&message, "approved in %s", approval);
    } else {
        buf_printf(&message,
                   "protected groups must have approval annotation \"%s\" with either a URL or a reason starting with "
                   "\"unapproved\", %s",
                   key, see);
    }
    const struct value *has = find_condition(definition, type);
    bool ok = buf_ok(&message);
    if (ok && (has == NULL || strcmp(text_at(has, "status"), status) != 0 || strcmp(text_at(has, "reason"), reason) != 0 ||
               strcmp(text_at(has, "message"), message.bytes) != 0)) {
        *changed = true;
        ok = definition_condition(definition, type, status, reason, message.bytes, now_ms);
    }
    buf_free(&message);
    return ok;
}
