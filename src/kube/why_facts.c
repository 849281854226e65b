#include "kube/why_facts.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "data/units.h"
#include "kube/internal.h"

const struct value *why_list(struct why_facts *facts, enum why_list list)
{
    facts->wanted[list] = true;
    return facts->lists[list];
}

const char *why_log(struct why_facts *facts, const struct value *pod, const char *container, bool previous)
{
    facts->log_wanted = true;
    facts->log_previous = previous;
    snprintf(facts->log_pod, sizeof facts->log_pod, "%s", why_name(pod));
    snprintf(facts->log_container, sizeof facts->log_container, "%s", container);
    return facts->log;
}

const struct value *why_named(struct why_facts *facts, enum why_list list, const char *name)
{
    const struct value *item = value_first(why_list(facts, list));
    while (item != NULL && strcmp(why_name(item), name) != 0)
        item = value_next(item);
    return item;
}

/* When an event was last seen; events.k8s.io's series and the core group's count keep it in different places. */
static int64_t event_time(const struct value *event)
{
    const char *texts[] = {value_find_text(event, "series", "lastObservedTime", NULL),
                           value_find_text(event, "lastTimestamp", NULL), value_find_text(event, "eventTime", NULL),
                           value_find_text(event, "metadata", "creationTimestamp", NULL)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t ms;
        if (texts[i] != NULL && time_parse(texts[i], &ms))
            return ms;
    }
    return 0;
}

static bool is_about(const struct value *event, const struct value *object)
{
    const struct value *about = value_get(event, "involvedObject");
    const char *uid = why_text(about, "uid"), *own = why_text(value_get(object, "metadata"), "uid");
    if (uid[0] != '\0' && own[0] != '\0')
        return strcmp(uid, own) == 0;
    return strcmp(why_text(about, "name"), why_name(object)) == 0 && strcmp(why_text(about, "kind"), why_kind(object)) == 0;
}

const struct value *why_event(struct why_facts *facts, const struct value *object, const char *const *reasons,
                              const char *start)
{
    const struct value *best = NULL;
    for (const struct value *event = value_first(why_list(facts, WHY_EVENTS)); event != NULL; event = value_next(event)) {
        const char *reason = why_text(event, "reason");
        size_t i = 0;
        while (reasons[i] != NULL && strcmp(reasons[i], reason) != 0)
            i++;
        if (reasons[i] == NULL || !is_about(event, object))
            continue;
        if (start != NULL && strncmp(why_text(event, "message"), start, strlen(start)) != 0)
            continue;
        if (best == NULL || event_time(event) >= event_time(best))
            best = event;
    }
    return best;
}

void why_add(struct kube_why *why, const char *kind, const char *name, const char *evidence, const char *format, ...)
{
    if (why->count == KUBE_WHY_LINKS)
        return;
    struct kube_why_link *link = &why->links[why->count++];
    struct error text = ERROR_INIT; /* cuts at a character */
    char whole[2048];
    va_list args;
    va_start(args, format);
    if (vsnprintf(whole, sizeof whole, format, args) < 0)
        whole[0] = '\0';
    va_end(args);
    for (char *c = whole; *c != '\0'; c++) /* a sentence is one line */
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    size_t length = strlen(whole);
    while (length > 0 && strchr(". ", whole[length - 1]) != NULL)
        whole[--length] = '\0';
    error_set(&text, ERROR_NONE, NULL, "%s", whole);
    snprintf(link->text, sizeof link->text, "%s", text.message);
    snprintf(link->kind, sizeof link->kind, "%s", kind);
    snprintf(link->name, sizeof link->name, "%s", name);
    snprintf(link->evidence, sizeof link->evidence, "%s", evidence);
}

const char *why_text(const struct value *v, const char *key)
{
    const char *text = value_text(value_get(v, key));
    return text != NULL ? text : "";
}

const char *why_name(const struct value *object)
{
    return why_text(value_get(object, "metadata"), "name");
}

const char *why_kind(const struct value *object)
{
    return why_text(object, "kind");
}

const struct value *why_condition(const struct value *object, const char *type)
{
    const struct value *condition = value_first(value_find(object, "status", "conditions", NULL));
    while (condition != NULL && strcmp(why_text(condition, "type"), type) != 0)
        condition = value_next(condition);
    return condition;
}

bool why_condition_is(const struct value *object, const char *type, const char *status)
{
    return strcmp(why_text(why_condition(object, type), "status"), status) == 0;
}

bool why_owned_by(const struct value *object, const struct value *owner)
{
    const char *uid = why_text(value_get(owner, "metadata"), "uid");
    for (const struct value *r = value_first(value_find(object, "metadata", "ownerReferences", NULL)); r != NULL;
         r = value_next(r))
        if (uid[0] != '\0' && strcmp(why_text(r, "uid"), uid) == 0)
            return true;
    return false;
}

bool why_selects(const struct value *labels_wanted, const struct value *object)
{
    const struct value *labels = value_find(object, "metadata", "labels", NULL), *wanted = value_first(labels_wanted);
    if (wanted == NULL)
        return false;
    for (; wanted != NULL; wanted = value_next(wanted)) {
        const char *text = value_text(wanted), *has = value_text(value_get(labels, value_key(wanted)));
        if (text == NULL || has == NULL || strcmp(text, has) != 0)
            return false;
    }
    return true;
}

void why_labels(const struct value *labels, char *out, size_t room)
{
    struct buf text = buf_make(room - 1);
    for (const struct value *label = value_first(labels); label != NULL; label = value_next(label))
        buf_printf(&text, "%s%s=%s", text.length > 0 ? "," : "", value_key(label),
                   value_text(label) != NULL ? value_text(label) : "");
    snprintf(out, room, "%s", text.bytes != NULL ? text.bytes : "");
    buf_free(&text);
}

const char *why_nearest(const struct value *list, const char *name)
{
    const char *best = NULL;
    unsigned best_distance = kube_name_allowance(name) + 1;
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        unsigned d = kube_name_distance(why_name(item), name);
        if (d < best_distance) {
            best = why_name(item);
            best_distance = d;
        }
    }
    return best;
}
