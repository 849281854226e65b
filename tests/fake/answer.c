/* What the fake answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/patch.h"
#include "fake/internal.h"

enum { ANSWER = 64 << 20 };

/* ---- answers ---- */

static void status(struct exchange *x, int code, const char *reason, const char *message)
{
    struct buf body = buf_make(4096);
    buf_printf(&body, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":%d,\"reason\":\"%s\",\"message\":", code, reason);
    json_quote(message, &body);
    buf_append_string(&body, "}");
    assert_true(buf_ok(&body));
    exchange_reply(x, code, NULL, body.bytes);
    buf_free(&body);
}

static void reply_value(struct exchange *x, int code, const struct value *v)
{
    struct buf body = buf_make(ANSWER);
    json_print(v, false, &body);
    assert_true(buf_ok(&body));
    exchange_reply(x, code, NULL, body.bytes);
    buf_free(&body);
}

static bool broken(const struct fake *fake, struct exchange *x)
{
    static const struct {
        int code;
        const char *reason, *message;
    } known[] = {{401, "Unauthorized", "Unauthorized"}, {403, "Forbidden", "you may not"}, {404, "NotFound", "not found"}, {409, "Conflict", "somebody else was first"},
                 {410, "Expired", "too old resource version"}, {500, "InternalError", "something broke inside"}};
    for (size_t i = 0; i < fake->faults.length; i++) {
        const struct fake_fault *fault = fake->faults.items[i];
        if ((fault->method != NULL && strcmp(fault->method, exchange_method(x)) != 0) || strncmp(exchange_path(x), fault->path, strlen(fault->path)) != 0)
            continue;
        if (fault->code == FAKE_RESET)
            exchange_reset(x);
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            if (known[j].code == fault->code)
                status(x, fault->code, known[j].reason, known[j].message);
        return true;
    }
    return false;
}

/* ---- discovery ---- */

static void discover_group(const struct fake *fake, struct exchange *x, const char *group)
{
    const struct fake_kind *kinds[FAKE_KINDS];
    size_t count = fake_kinds(fake, kinds), found = 0;
    struct buf body = buf_make(65536);
    buf_append_string(&body, "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"resources\":[");
    for (size_t i = 0; i < count; i++) {
        const struct fake_kind *k = kinds[i];
        if (strcmp(k->group, group) != 0)
            continue;
        buf_printf(&body, "%s{\"name\":\"%s\",\"singularName\":\"%s\",\"kind\":\"%s\",\"namespaced\":%s,\"verbs\":[\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]}",
                   found++ > 0 ? "," : "", k->plural, k->singular, k->kind, k->namespaced ? "true" : "false");
        if (k->has_status)
            buf_printf(&body, ",{\"name\":\"%s/status\",\"singularName\":\"\",\"kind\":\"%s\",\"namespaced\":true,\"verbs\":[\"get\",\"patch\"]}", k->plural, k->kind);
        if (k->has_scale)
            buf_printf(&body, ",{\"name\":\"%s/scale\",\"singularName\":\"\",\"kind\":\"Scale\",\"namespaced\":true,\"verbs\":[\"get\",\"patch\"]}", k->plural);
    }
    buf_append_string(&body, "]}");
    exchange_reply(x, found > 0 ? 200 : 404, NULL, body.bytes);
    buf_free(&body);
}

static void discover_groups(const struct fake *fake, struct exchange *x)
{
    const struct fake_kind *kinds[FAKE_KINDS];
    size_t count = fake_kinds(fake, kinds);
    struct buf body = buf_make(65536);
    buf_append_string(&body, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
    const char *before = "";
    for (size_t i = 0; i < count; i++) {
        bool seen = kinds[i]->group[0] == '\0';
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(kinds[j]->group, kinds[i]->group) == 0;
        if (!seen)
            buf_printf(&body, "%s{\"name\":\"%s\",\"versions\":[{\"groupVersion\":\"%s/%s\",\"version\":\"%s\"}],\"preferredVersion\":{\"version\":\"%s\"}}", before, kinds[i]->group,
                       kinds[i]->group, kinds[i]->version, kinds[i]->version, kinds[i]->version);
        before = seen ? before : ",";
    }
    buf_append_string(&body, "]}");
    exchange_reply(x, 200, NULL, body.bytes);
    buf_free(&body);
}

/* All verbs for every kind but the denied ones. */
static void review_rules(const struct fake *fake, struct exchange *x)
{
    const struct fake_kind *kinds[FAKE_KINDS];
    size_t count = fake_kinds(fake, kinds);
    struct buf body = buf_make(65536);
    buf_append_string(&body, "{\"kind\":\"SelfSubjectRulesReview\",\"status\":{\"incomplete\":false,\"resourceRules\":[");
    buf_append_string(&body, "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"nothing\"]}");
    for (size_t i = 0; i < count; i++)
        if (!vec_has_string(&fake->denied, kinds[i]->plural))
            buf_printf(&body, ",{\"verbs\":[\"*\"],\"apiGroups\":[\"%s\"],\"resources\":[\"%s\"]}", kinds[i]->group, kinds[i]->plural);
    buf_append_string(&body, "]}}");
    assert_true(buf_ok(&body));
    exchange_reply(x, 201, NULL, body.bytes);
    buf_free(&body);
}

static void review(const struct fake *fake, struct exchange *x)
{
    size_t length;
    const char *body = exchange_body(x, &length);
    struct value *asked = json_parse(body, length, "review", NULL);
    const char *resource = value_find_text(asked, "spec", "resourceAttributes", "resource", NULL);
    bool no = resource != NULL && vec_has_string(&fake->denied, resource);
    value_free(asked);
    exchange_reply(x, 201, NULL, no ? "{\"kind\":\"SelfSubjectAccessReview\",\"status\":{\"allowed\":false}}"
                                    : "{\"kind\":\"SelfSubjectAccessReview\",\"status\":{\"allowed\":true}}");
}

/* ---- selections ---- */

static bool label_fits(const struct value *labels, const char *term)
{
    char key[256];
    size_t length = strcspn(term, "=!");
    bool negated = term[0] == '!';
    if (negated)
        return value_get(labels, term + 1) == NULL;
    snprintf(key, sizeof key, "%.*s", (int)length, term);
    const char *value = value_text(value_get(labels, key));
    if (term[length] == '\0')
        return value != NULL;
    bool differs = term[length] == '!';
    const char *wanted = term + length;
    wanted += strspn(wanted, "!=");
    return (value != NULL && strcmp(value, wanted) == 0) != differs;
}

static bool field_fits(const struct value *object, const char *term)
{
    char path[256];
    size_t length = strcspn(term, "=!");
    bool differs = term[length] == '!';
    const char *wanted = term + length;
    wanted += strspn(wanted, "!=");
    snprintf(path, sizeof path, "%.*s", (int)length, term);
    const struct value *at = object;
    for (char *rest = NULL, *part = strtok_r(path, ".", &rest); part != NULL; part = strtok_r(NULL, ".", &rest))
        at = value_get(at, part);
    const char *text = value_text(at);
    return (strcmp(text != NULL ? text : "", wanted) == 0) != differs;
}

static bool fits(const struct fake_selection *selection, const struct value *object)
{
    char text[512];
    bool yes = object != NULL && (selection->ns[0] == '\0' || strcmp(selection->ns, value_find_text(object, "metadata", "namespace", NULL)) == 0);
    snprintf(text, sizeof text, "%s", selection->labels);
    for (char *rest = NULL, *term = strtok_r(text, ",", &rest); term != NULL && yes; term = strtok_r(NULL, ",", &rest))
        yes = label_fits(value_find(object, "metadata", "labels", NULL), term);
    snprintf(text, sizeof text, "%s", selection->fields);
    for (char *rest = NULL, *term = strtok_r(text, ",", &rest); term != NULL && yes; term = strtok_r(NULL, ",", &rest))
        yes = field_fits(object, term);
    return yes;
}

/* The decoded value of a parameter; "" if it is not there. */
static void parameter(struct exchange *x, const char *name, char *out, size_t room)
{
    size_t length = strlen(name), used = 0;
    const char *at = exchange_query(x);
    while (at != NULL && !(strncmp(at, name, length) == 0 && at[length] == '=')) {
        at = strchr(at, '&');
        at = at != NULL ? at + 1 : NULL;
    }
    for (at = at != NULL ? at + length + 1 : ""; *at != '\0' && *at != '&' && used + 1 < room; at++) {
        unsigned byte;
        if (*at == '%' && sscanf(at + 1, "%2x", &byte) == 1) {
            out[used++] = (char)byte;
            at += 2;
        } else
            out[used++] = *at;
    }
    out[used] = '\0';
}

/* ---- lists and watches ---- */

static void list(const struct fake *fake, struct exchange *x, const struct fake_selection *selection)
{
    char prefix[256], number[32];
    struct buf body = buf_make(ANSWER);
    const struct fake_kind *kind = selection->kind;
    size_t cursor = 0, count = 0;
    snprintf(prefix, sizeof prefix, "%s/%s/", kind->group, kind->plural);
    snprintf(number, sizeof number, "%llu", fake->version);
    buf_printf(&body, "{\"kind\":\"%sList\",\"apiVersion\":\"%s%s%s\",\"metadata\":{\"resourceVersion\":\"%s\"},\"items\":[", kind->kind, kind->group,
               kind->group[0] != '\0' ? "/" : "", kind->version, number);
    for (const struct map_entry *entry; (entry = map_next(&fake->objects, &cursor)) != NULL;) {
        if (strncmp(entry->key, prefix, strlen(prefix)) != 0 || !fits(selection, entry->value))
            continue;
        buf_append_string(&body, count++ > 0 ? "," : "");
        json_print(entry->value, false, &body);
    }
    buf_append_string(&body, "]}");
    assert_true(buf_ok(&body));
    exchange_reply(x, 200, NULL, body.bytes);
    buf_free(&body);
}

/* An object that begins or ends to fit the selection is added or deleted in the eyes of who watches. */
static void tell_one(const struct fake_watch *watch, const struct fake_happening *h)
{
    if (watch->over || exchange_gone(watch->x) || watch->selection.kind != h->kind)
        return;
    bool before = fits(&watch->selection, h->old), after = !h->deleted && fits(&watch->selection, h->object);
    if (!before && !after)
        return;
    struct buf line = buf_make(ANSWER);
    buf_printf(&line, "{\"type\":\"%s\",\"object\":", before && after ? "MODIFIED" : after ? "ADDED" : "DELETED");
    json_print(h->object, false, &line);
    buf_append_string(&line, "}\n");
    assert_true(buf_ok(&line));
    exchange_send(watch->x, line.bytes, line.length);
    buf_free(&line);
}

void fake_tell(struct fake *fake, const struct fake_happening *happening)
{
    for (size_t i = 0; i < fake->watches.length; i++)
        tell_one(fake->watches.items[i], happening);
}

static void watch(struct fake *fake, struct exchange *x, const struct fake_selection *selection)
{
    char text[64];
    parameter(x, "resourceVersion", text, sizeof text);
    unsigned long long from = strtoull(text, NULL, 10);
    if (from < fake->forgotten) {
        status(x, 410, "Expired", "too old resource version");
        return;
    }
    struct fake_watch *w = mem_zero(1, sizeof *w);
    assert_non_null(w);
    *w = (struct fake_watch){.x = x, .selection = *selection};
    assert_true(vec_push(&fake->watches, w));
    exchange_begin(x, 200, NULL);
    for (size_t i = 0; i < fake->history.length; i++) {
        const struct fake_happening *h = fake->history.items[i];
        if (h->version > from)
            tell_one(w, h);
    }
}

/* ---- one object ---- */

struct place { /* what a path names */
    const struct fake_kind *kind;
    char ns[128], name[300], sub[32];
};

static struct value *body_of(struct exchange *x)
{
    size_t length;
    const char *body = exchange_body(x, &length);
    return length > 0 ? json_parse(body, length, "body", NULL) : NULL;
}

static void not_found(struct exchange *x, const struct place *place)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s%s \"%s\" not found", place->kind->plural, place->kind->group[0] != '\0' ? "." : "", place->kind->group, place->name);
    status(x, 404, "NotFound", text);
}

static void delete_object(struct fake *fake, struct exchange *x, const struct place *place)
{
    struct value *object = fake_object(fake, place->kind, place->ns, place->name), *options = body_of(x);
    const char *wanted = value_find_text(options, "preconditions", "uid", NULL);
    bool other = wanted != NULL && strcmp(wanted, value_find_text(object, "metadata", "uid", NULL)) != 0;
    value_free(options);
    if (other) {
        status(x, 409, "Conflict", "Precondition failed: UID in precondition differs from UID in object meta");
        return;
    }
    if (value_length(value_find(object, "metadata", "finalizers", NULL)) == 0) {
        reply_value(x, 200, object);
        fake_drop(fake, place->kind, place->ns, place->name);
        return;
    }
    struct value *marked = value_copy(object);
    assert_true(value_set(value_get(marked, "metadata"), "deletionTimestamp", value_string("2026-01-01T00:00:00Z")));
    reply_value(x, 200, fake_store(fake, place->kind, place->ns, place->name, marked));
}

/* What an apiserver writes itself: a definition is established at once. Takes the object over. */
static struct value *establish(const struct fake_kind *kind, struct value *object)
{
    static const char established[] = "{\"status\":{\"conditions\":[{\"type\":\"Established\",\"status\":\"True\"}]}}";
    if (strcmp(kind->plural, "customresourcedefinitions") != 0)
        return object;
    struct value *patch = json_parse(established, strlen(established), "status", NULL), *merged = patch_merge(object, patch, NULL);
    assert_non_null(merged);
    value_free(patch);
    value_free(object);
    return merged;
}

/* Server-side apply is a merge here: no field has an owner. */

static void patch_object(struct fake *fake, struct exchange *x, const struct place *place)
{
    struct value *there = fake_object(fake, place->kind, place->ns, place->name), *patch = body_of(x);
    const char *type = exchange_header(x, "Content-Type");
    bool apply = strstr(type, "apply-patch") != NULL, made = there == NULL;
    if (patch == NULL || (made && !apply)) {
        value_free(patch);
        if (made)
            not_found(x, place);
        else
            status(x, 400, "BadRequest", "the patch is no JSON");
        return;
    }
    struct value *object = strstr(type, "json-patch") != NULL ? patch_json(there, patch, NULL) : patch_merge(there, patch, NULL);
    value_free(patch);
    if (object == NULL) {
        status(x, 422, "Invalid", "the patch does not fit");
        return;
    }
    object = establish(place->kind, object);
    struct value *stored = fake_store(fake, place->kind, place->ns, place->name, object);
    if (stored != NULL)
        reply_value(x, made ? 201 : 200, stored);
    else
        exchange_reply(x, 200, NULL, "{\"kind\":\"Status\",\"status\":\"Success\"}");
}

static void create_object(struct fake *fake, struct exchange *x, struct place *place)
{
    struct value *object = body_of(x);
    const char *name = value_find_text(object, "metadata", "name", NULL);
    if (name == NULL) {
        value_free(object);
        status(x, 422, "Invalid", "metadata.name: Required value");
        return;
    }
    snprintf(place->name, sizeof place->name, "%s", name);
    if (fake_object(fake, place->kind, place->ns, name) != NULL) {
        char text[600];
        snprintf(text, sizeof text, "%s \"%s\" already exists", place->kind->plural, name);
        value_free(object);
        status(x, 409, "AlreadyExists", text);
        return;
    }
    object = establish(place->kind, object);
    reply_value(x, 201, fake_store(fake, place->kind, place->ns, place->name, object));
}

/* ---- paths ---- */

/* /api/v1/namespaces/learn/pods/web/status, /apis/apps/v1/deployments, /api/v1/namespaces/learn. */
static bool take_path(const struct fake *fake, const char *path, struct place *place)
{
    char text[1024], *parts[12];
    size_t count = 0, at = 2;
    const struct fake_kind *kinds[FAKE_KINDS];
    size_t kind_count = fake_kinds(fake, kinds);
    snprintf(text, sizeof text, "%s", path);
    for (char *rest = NULL, *part = strtok_r(text, "/", &rest); part != NULL && count < 12; part = strtok_r(NULL, "/", &rest))
        parts[count++] = part;
    bool core = count > 2 && strcmp(parts[0], "api") == 0;
    if (!core && (count < 4 || strcmp(parts[0], "apis") != 0))
        return false;
    const char *group = core ? "" : parts[1];
    at = core ? 2 : 3;
    *place = (struct place){0};
    if (strcmp(parts[at], "namespaces") == 0 && count > at + 2) {
        snprintf(place->ns, sizeof place->ns, "%s", parts[at + 1]);
        at += 2;
    }
    for (size_t i = 0; i < kind_count && place->kind == NULL; i++)
        if (strcmp(kinds[i]->group, group) == 0 && strcmp(kinds[i]->plural, parts[at]) == 0)
            place->kind = kinds[i];
    if (count > at + 1)
        snprintf(place->name, sizeof place->name, "%s", parts[at + 1]);
    if (count > at + 2)
        snprintf(place->sub, sizeof place->sub, "%s", parts[at + 2]);
    return place->kind != NULL;
}

static void answer_collection(struct fake *fake, struct exchange *x, struct place *place)
{
    struct fake_selection selection = {.kind = place->kind};
    char text[32];
    snprintf(selection.ns, sizeof selection.ns, "%s", place->ns);
    parameter(x, "labelSelector", selection.labels, sizeof selection.labels);
    parameter(x, "fieldSelector", selection.fields, sizeof selection.fields);
    parameter(x, "watch", text, sizeof text);
    if (fake->unfiltered)
        selection.labels[0] = selection.fields[0] = '\0';
    if (strcmp(exchange_method(x), "POST") == 0)
        create_object(fake, x, place);
    else if (strcmp(exchange_method(x), "GET") != 0)
        status(x, 405, "MethodNotAllowed", "the fake does not know this");
    else if (text[0] == 't' || text[0] == '1')
        watch(fake, x, &selection);
    else
        list(fake, x, &selection);
}

static void answer_object(struct fake *fake, struct exchange *x, const struct place *place)
{
    const char *method = exchange_method(x);
    const struct value *object = fake_object(fake, place->kind, place->ns, place->name);
    if (strcmp(method, "PATCH") == 0)
        patch_object(fake, x, place);
    else if (object == NULL)
        not_found(x, place);
    else if (strcmp(method, "GET") == 0)
        reply_value(x, 200, object);
    else if (strcmp(method, "DELETE") == 0)
        delete_object(fake, x, place);
    else
        status(x, 405, "MethodNotAllowed", "the fake does not know this");
}

void fake_answer(void *data, struct exchange *x)
{
    struct fake *fake = data;
    const char *path = exchange_path(x), *method = exchange_method(x);
    struct place place;
    char version[128];
    bool writes = strcmp(method, "GET") != 0 && strstr(path, "selfsubject") == NULL;
    if (writes)
        buf_printf(&fake->writes, "%s %s %s\n", method, path, exchange_body(x, NULL));
    if (broken(fake, x))
        return;
    snprintf(version, sizeof version, "{\"major\":\"1\",\"minor\":\"%s\",\"gitVersion\":\"v1.%s.0\"}", fake->minor, fake->minor);
    if (strcmp(path, "/version") == 0)
        exchange_reply(x, 200, NULL, version);
    else if (strcmp(path, "/api") == 0)
        exchange_reply(x, 200, NULL, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    else if (strcmp(path, "/apis") == 0)
        discover_groups(fake, x);
    else if (strcmp(path, "/api/v1") == 0)
        discover_group(fake, x, "");
    else if (strncmp(path, "/apis/", 6) == 0 && strchr(path + 6, '/') != NULL && strchr(strchr(path + 6, '/') + 1, '/') == NULL) {
        snprintf(version, sizeof version, "%.*s", (int)strcspn(path + 6, "/"), path + 6);
        discover_group(fake, x, version);
    } else if (strstr(path, "/selfsubjectaccessreviews") != NULL)
        review(fake, x);
    else if (strstr(path, "/selfsubjectrulesreviews") != NULL)
        review_rules(fake, x);
    else if (!take_path(fake, path, &place))
        status(x, 404, "NotFound", "the server could not find the requested resource");
    else if (strcmp(place.sub, "exec") == 0)
        fake_shell_open(fake, x);
    else if (place.name[0] == '\0')
        answer_collection(fake, x, &place);
    else
        answer_object(fake, x, &place);
}
