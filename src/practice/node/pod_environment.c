#include "practice/node/pod_environment.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/units.h"
#include "practice/node/pod_fields.h"

/* A source of texts by key: a ConfigMap's data, or a Secret's, decoded. */
static const struct {
    const char *reference, *key_reference, *kind, *shown;
    bool secret;
} sources[] = {{"configMapRef", "configMapKeyRef", "configmap", "ConfigMap", false}, {"secretRef", "secretKeyRef", "secret", "Secret", true}};
enum { SOURCES = sizeof sources / sizeof *sources };

enum found { FOUND, FOUND_NOT /* and may be missing */, FOUND_ERROR };

static bool out_of_memory(char why[static 512])
{
    snprintf(why, 512, "out of memory");
    return false;
}

char *environment_expand(const struct map *env, const char *text)
{
    struct buf out = buf_make(ENVIRONMENT_TEXT);
    for (const char *at = text; *at != '\0';) {
        size_t plain = strcspn(at, "$");
        buf_append(&out, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        const char *end = at[1] == '(' ? strchr(at, ')') : NULL;
        if (at[1] == '$') {
            buf_append_string(&out, "$");
            at += 2;
        } else if (end != NULL) {
            char *name = mem_string_n(at + 2, (size_t)(end - at - 2));
            const char *value = name != NULL ? map_get(env, name) : NULL;
            if (name == NULL)
                buf_fail(&out);
            else if (value != NULL)
                buf_append_string(&out, value);
            else
                buf_append(&out, at, (size_t)(end + 1 - at));
            mem_free(name);
            at = end + 1;
        } else {
            buf_append(&out, at, 1);
            at++;
        }
    }
    char *result = buf_take(&out, NULL);
    buf_free(&out);
    return result;
}

/* The object that a reference names. */
static enum found find_source(const struct pod_worker *worker, size_t i, const struct value *reference, struct value **document, char why[static 512])
{
    const struct informer *informer = sources[i].secret ? worker->node->nodes->secrets : worker->node->nodes->configmaps;
    const char *name = value_find_text(reference, "name", NULL);
    const struct object *object = informer_get(informer, worker->ns, name != NULL ? name : "");
    if (object == NULL) {
        snprintf(why, 512, "%s \"%s\" not found", sources[i].kind, name != NULL ? name : "");
        return value_is_true(value_get(reference, "optional")) ? FOUND_NOT : FOUND_ERROR;
    }
    *document = informer_value(informer, object);
    if (*document == NULL)
        out_of_memory(why);
    return *document != NULL ? FOUND : FOUND_ERROR;
}

static char *text_of(size_t i, const struct value *item)
{
    const char *text = value_text(item) != NULL ? value_text(item) : "";
    size_t length;
    return sources[i].secret ? base64_decode(text, strlen(text), &length) : mem_string(text);
}

static bool add_all(const struct pod_worker *worker, const struct value *from, struct map *env, char why[static 512])
{
    const char *prefix = value_find_text(from, "prefix", NULL);
    for (size_t i = 0; i < SOURCES; i++) {
        const struct value *reference = value_get(from, sources[i].reference);
        struct value *document = NULL;
        enum found found = reference != NULL ? find_source(worker, i, reference, &document, why) : FOUND_NOT;
        if (found == FOUND_ERROR)
            return false;
        bool ok = true;
        for (const struct value *item = value_first(value_get(document, "data")); item != NULL && ok; item = value_next(item)) {
            char *name = mem_printf("%s%s", prefix != NULL ? prefix : "", value_key(item)), *text = text_of(i, item);
            ok = name != NULL && text != NULL;
            if (ok)
                ok = map_set(env, name, text);
            else
                mem_free(text);
            mem_free(name);
        }
        value_free(document);
        if (!ok)
            return out_of_memory(why);
    }
    return true;
}

/* One key of a ConfigMap or Secret. */
static enum found key_text(const struct pod_worker *worker, size_t i, const struct value *reference, char **text, char why[static 512])
{
    const char *key = value_find_text(reference, "key", NULL), *name = value_find_text(reference, "name", NULL);
    struct value *document = NULL;
    enum found found = find_source(worker, i, reference, &document, why);
    const struct value *item = found == FOUND ? value_find(document, "data", key != NULL ? key : "", NULL) : NULL;
    if (found == FOUND && item == NULL) {
        snprintf(why, 512, "couldn't find key %s in %s %s/%s", key != NULL ? key : "", sources[i].shown, worker->ns, name != NULL ? name : "");
        found = value_is_true(value_get(reference, "optional")) ? FOUND_NOT : FOUND_ERROR;
    } else if (found == FOUND) {
        *text = text_of(i, item);
        if (*text == NULL)
            found = out_of_memory(why) ? FOUND : FOUND_ERROR;
    }
    value_free(document);
    return found;
}

static enum found source_text(const struct pod_worker *worker, const struct value *document, const struct value *container, const struct value *from, char **text, char why[static 512])
{
    const struct value *reference;
    for (size_t i = 0; i < SOURCES; i++)
        if ((reference = value_get(from, sources[i].key_reference)) != NULL)
            return key_text(worker, i, reference, text, why);
    const char *path = value_find_text(from, "fieldRef", "fieldPath", NULL);
    if (path != NULL)
        *text = pod_field(worker, document, path);
    else if ((reference = value_get(from, "resourceFieldRef")) != NULL)
        *text = pod_resource(worker, container, reference);
    else
        *text = mem_string("");
    if (*text != NULL)
        return FOUND;
    snprintf(why, 512, "unsupported pod fieldPath: %s", path != NULL ? path : "");
    return FOUND_ERROR;
}

static bool add_one(const struct pod_worker *worker, const struct value *document, const struct value *container, const struct value *variable, struct map *env, char why[static 512])
{
    const char *name = value_find_text(variable, "name", NULL), *plain = value_find_text(variable, "value", NULL);
    const struct value *from = value_get(variable, "valueFrom");
    char *text = NULL;
    if (from == NULL || (plain != NULL && plain[0] != '\0')) {
        text = environment_expand(env, plain != NULL ? plain : "");
        if (text == NULL)
            return out_of_memory(why);
    } else {
        enum found found = source_text(worker, document, container, from, &text, why);
        if (found != FOUND)
            return found == FOUND_NOT;
    }
    return map_set(env, name != NULL ? name : "", text) || out_of_memory(why);
}

bool pod_environment(const struct pod_worker *worker, const struct value *document, const struct value *container, struct map *env, char why[static 512])
{
    const struct value *links = value_find(document, "spec", "enableServiceLinks", NULL);
    bool all = links == NULL || value_is_true(links);
    *env = map_make(ENVIRONMENT, mem_free);
    bool ok = true;
    for (const struct value *from = value_first(value_get(container, "envFrom")); from != NULL && ok; from = value_next(from))
        ok = add_all(worker, from, env, why);
    /* What $(NAME) in a value stands for: variables before it, and those of Services. They are laid below now and, since a declared one replaces them, need no second look. */
    if (ok && !service_links_add(worker->node->nodes, worker->ns, all, env))
        ok = out_of_memory(why);
    for (const struct value *variable = value_first(value_get(container, "env")); variable != NULL && ok; variable = value_next(variable))
        ok = add_one(worker, document, container, variable, env, why);
    return ok;
}
