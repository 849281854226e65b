#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"

enum { LINES = 100000, LINE = 1 << 20 };

static const struct kind {
    struct client_resource resource;
    const char *kind;
    const char *shown[7]; /* besides labels and owners */
} kinds[] = {
    {{"apps", "v1", "deployments"}, "Deployment", {"metadata.annotations", "metadata.generation", "spec.replicas", "spec.paused", "status"}},
    {{"apps", "v1", "replicasets"}, "ReplicaSet", {"metadata.annotations", "metadata.generation", "spec", "status"}},
    {{"", "v1", "replicationcontrollers"}, "ReplicationController", {"metadata.generation", "spec.replicas", "spec.selector", "status"}},
    {{"apps", "v1", "statefulsets"}, "StatefulSet", {"metadata.generation", "spec.replicas", "status"}},
    {{"apps", "v1", "daemonsets"}, "DaemonSet", {"metadata.annotations", "metadata.generation", "status"}},
    {{"apps", "v1", "controllerrevisions"}, "ControllerRevision", {"metadata.annotations", "revision", "data"}},
    {{"", "v1", "persistentvolumeclaims"}, "PersistentVolumeClaim", {NULL}},
    {{"", "v1", "pods"}, "Pod", {"metadata.generateName", "metadata.annotations", "spec.hostname", "spec.subdomain", "spec.tolerations", "spec.affinity"}},
    {{"", "v1", "resourcequotas"}, NULL, {NULL}},
    {{"", "v1", "events"}, NULL, {NULL}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *kind_named(const char *plural, size_t length)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i].resource.plural) == length && strncmp(kinds[i].resource.plural, plural, length) == 0)
            return &kinds[i];
    fail_msg("no resource %.*s", (int)length, plural);
    return NULL;
}

static char *path_of(const char *ns, const char *resource)
{
    const struct kind *kind = kind_named(resource, strcspn(resource, "/"));
    const char *group = kind->resource.group;
    char *path = mem_printf("/%s%s/v1/namespaces/%s/%s", group[0] != '\0' ? "apis/" : "api", group, ns, resource);
    assert_non_null(path);
    return path;
}

static const struct value *find(const struct value *document, const char *keys)
{
    char key[256];
    for (const char *rest = keys; *rest != '\0' && document != NULL; rest += strcspn(rest, "."), rest += *rest == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(rest, "."), rest);
        document = value_get(document, key);
    }
    return document;
}

/* A text as it is, everything else as JSON; the caller frees. */
static char *text_of(const struct value *value)
{
    char *text = value == NULL ? mem_string("") : value_text(value) != NULL ? mem_string(value_text(value)) : json_text(value, LINE);
    assert_non_null(text);
    return text;
}

static void push(struct vec *lines, char *line)
{
    assert_non_null(line);
    assert_true(vec_push(lines, line));
}

static void flatten(const char *head, const struct value *value, const char *path, struct vec *lines)
{
    size_t index = 0;
    if (value_first(value) == NULL) {
        char *text = text_of(value);
        push(lines, mem_printf("%s: %s = %s", head, path, text));
        mem_free(text);
        return;
    }
    for (const struct value *entry = value_first(value); entry != NULL; entry = value_next(entry), index++) {
        const char *key = value_type(value) == VALUE_OBJECT ? value_key(entry) : NULL;
        size_t length = key != NULL ? strlen(key) : 0;
        char *below = key != NULL ? mem_printf("%s.%s", path, key) : mem_printf("%s[%zu]", path, index);
        if (length > 4 && strcmp(key + length - 4, "Time") == 0)
            push(lines, mem_printf("%s: %s = <time>", head, below));
        else if (key == NULL || strcmp(key, "uid") != 0)
            flatten(head, entry, below, lines);
        mem_free(below);
    }
}

/* ---- made-up names ---- */

struct name {
    char *name, *stands;
};

static void free_name(void *data)
{
    struct name *name = data;
    mem_free(name->name);
    mem_free(name->stands);
    mem_free(name);
}

static void add_name(struct vec *names, const char *text, char *stands)
{
    struct name *name = mem_zero(1, sizeof *name);
    assert_non_null(name);
    *name = (struct name){mem_string(text), stands};
    assert_true(vec_push(names, name));
}

static void note_names(const struct value *item, const char *kind, struct vec *names)
{
    const struct value *metadata = value_get(item, "metadata");
    const char *owner = value_find_text(value_first(value_get(metadata, "ownerReferences")), "kind", NULL);
    const char *hashes[] = {value_find_text(metadata, "labels", "pod-template-hash", NULL), value_find_text(metadata, "labels", "controller-revision-hash", NULL)};
    const char *prefix = value_find_text(metadata, "generateName", NULL);
    if (owner != NULL && strcmp(owner, "StatefulSet") == 0)
        return;
    for (int i = 0; i < 2; i++)
        if (hashes[i] != NULL)
            add_name(names, hashes[i], mem_string("<hash>"));
    if (strcmp(kind, "Pod") == 0 && prefix != NULL)
        add_name(names, value_find_text(metadata, "name", NULL), mem_printf("%s<random>", prefix));
}

static char *replace(char *text, const char *what, const char *by)
{
    struct buf out = buf_make(LINE);
    const char *at = text, *found;
    for (; (found = strstr(at, what)) != NULL; at = found + strlen(what)) {
        buf_append(&out, at, (size_t)(found - at));
        buf_append_string(&out, by);
    }
    buf_append_string(&out, at);
    mem_free(text);
    return buf_take(&out, NULL);
}

/* What stands between `from` and a quote becomes <pod>. */
static char *hide_pod(char *text, const char *from)
{
    char *at = strstr(text, from), *end = at != NULL ? strchr(at + strlen(from), '"') : NULL;
    if (end == NULL)
        return text;
    char *hidden = mem_printf("%.*s<pod>%s", (int)(at - text + (long)strlen(from)), text, end);
    mem_free(text);
    return hidden;
}

/* A ReplicaSet's name that is gone: "web-" and a hash. */
static char *hide_hash(char *text)
{
    for (char *at = text; (at = strstr(at, "web-")) != NULL; at += 4) {
        size_t length = strspn(at + 4, "bcdfghjklmnpqrstvwxz2456789");
        char after = at[4 + length];
        if (length < 8 || length > 10 || (after >= '0' && after <= 'z'))
            continue;
        char *hidden = mem_printf("%.*s<hash>%s", (int)(at + 4 - text), text, at + 4 + length);
        mem_free(text);
        return hide_hash(hidden);
    }
    return text;
}

static int compare_names(const void *a, const void *b)
{
    size_t left = strlen(((const struct name *)a)->name), right = strlen(((const struct name *)b)->name);
    return left > right ? -1 : left < right;
}

static void mask(struct vec *lines, struct vec *names, const char *ns)
{
    vec_sort(names, compare_names);
    for (size_t i = 0; i < lines->length; i++) {
        for (size_t j = 0; j < names->length; j++)
            lines->items[i] = replace(lines->items[i], ((struct name *)names->items[j])->name, ((struct name *)names->items[j])->stands);
        for (size_t j = 0; j < names->length; j++)
            if (strcmp(((struct name *)names->items[j])->stands, "<hash>") == 0)
                lines->items[i] = replace(lines->items[i], ((struct name *)names->items[j])->name, "<hash>");
        lines->items[i] = replace(hide_pod(lines->items[i], "pods \""), ns, "NS");
        if (strstr(lines->items[i], "deployment-controller") != NULL || strstr(lines->items[i], "replicaset-controller") != NULL)
            lines->items[i] = hide_hash(lines->items[i]);
    }
}

/* ---- looking ---- */

static struct value *list(struct cluster *cluster, const char *ns, const char *resource)
{
    struct got got;
    char *path = path_of(ns, resource);
    serve_ask(&cluster->world, "GET", path, "", NULL, &got);
    mem_free(path);
    struct value *json = got.json;
    got.json = NULL;
    got_free(&got);
    return json;
}

static void look_at(const struct kind *kind, const struct value *item, struct vec *lines, struct vec *names)
{
    static const char *const always[] = {"metadata.labels", "metadata.ownerReferences"};
    char *head = mem_printf("%s/%s", kind->kind, value_find_text(item, "metadata", "name", NULL));
    size_t before = lines->length;
    note_names(item, kind->kind, names);
    for (int i = 0; i < 2; i++)
        if (find(item, always[i]) != NULL)
            flatten(head, find(item, always[i]), always[i], lines);
    for (int i = 0; kind->shown[i] != NULL; i++)
        if (find(item, kind->shown[i]) != NULL)
            flatten(head, find(item, kind->shown[i]), kind->shown[i], lines);
    if (lines->length == before)
        push(lines, mem_printf("%s: is there", head));
    mem_free(head);
}

static void look_at_event(const struct value *event, struct vec *lines)
{
    const struct value *about = value_get(event, "involvedObject");
    const char *kind = value_find_text(about, "kind", NULL), *component = value_find_text(event, "source", "component", NULL);
    bool counts = false;
    for (size_t i = 0; i < KINDS; i++)
        counts = counts || (kinds[i].kind != NULL && strcmp(kinds[i].kind, kind) == 0);
    if (!counts || strcmp(kind, "Pod") == 0 || strcmp(kind, "PersistentVolumeClaim") == 0)
        return;
    char *message = mem_string(value_find_text(event, "message", NULL));
    if (strcmp(kind, "StatefulSet") != 0 && (strncmp(message, "Created pod: ", 13) == 0 || strncmp(message, "Deleted pod: ", 13) == 0)) {
        char *hidden = mem_printf("%.13s<pod>", message);
        mem_free(message);
        message = hidden;
    }
    char *line = mem_printf("event %s %s %s/%s %s: %s", value_find_text(event, "type", NULL), value_find_text(event, "reason", NULL), kind, value_find_text(about, "name", NULL),
                            component != NULL ? component : "None", message);
    mem_free(message);
    push(lines, line);
}

static int compare_lines(const void *a, const void *b)
{
    bool left = strncmp(a, "event ", 6) == 0, right = strncmp(b, "event ", 6) == 0;
    return left != right ? left - right : strcmp(a, b);
}

struct vec play_look(struct cluster *cluster, const char *ns)
{
    struct vec lines = vec_make(LINES, mem_free), names = vec_make(LINES, free_name);
    for (size_t i = 0; i < KINDS; i++) {
        struct value *all = list(cluster, ns, kinds[i].resource.plural);
        for (const struct value *item = value_first(value_get(all, "items")); item != NULL; item = value_next(item)) {
            if (kinds[i].kind != NULL)
                look_at(&kinds[i], item, &lines, &names);
            else if (strcmp(kinds[i].resource.plural, "events") == 0)
                look_at_event(item, &lines);
        }
        value_free(all);
    }
    mask(&lines, &names, ns);
    vec_free(&names);
    vec_sort(&lines, compare_lines);
    for (size_t i = 1; i < lines.length;)
        if (strncmp(lines.items[i], "event ", 6) == 0 && strcmp(lines.items[i], lines.items[i - 1]) == 0)
            vec_remove(&lines, i);
        else
            i++;
    return lines;
}

/* ---- playing ---- */

static bool ask(struct cluster *cluster, const char *method, const char *resource, const char *ns, const char *body, const char *file)
{
    struct got got;
    char *path = path_of(ns, resource);
    serve_ask(&cluster->world, method, path, strcmp(method, "PATCH") == 0 ? "Content-Type: application/merge-patch+json\r\n" : "Content-Type: application/json\r\n", body, &got);
    bool ok = got.code < 300;
    if (!ok)
        print_error("%s: %s %s: %d %s\n", file, method, path, got.code, got.text);
    mem_free(path);
    got_free(&got);
    return ok;
}

static bool is_so(struct cluster *cluster, const char *ns, const char *resource, const char *keys, const char *wanted)
{
    const char *slash = strchr(resource, '/');
    struct value *document =
        slash != NULL ? client_get(cluster->client, &kind_named(resource, (size_t)(slash - resource))->resource, ns, slash + 1, NULL) : list(cluster, ns, resource);
    char *got = slash == NULL ? mem_printf("%zu", value_length(value_get(document, "items"))) : text_of(find(document, keys));
    bool so = strcmp(got, wanted) == 0;
    mem_free(got);
    value_free(document);
    return so;
}

static bool wait_until(struct cluster *cluster, const char *ns, char *line, const char *file)
{
    char *resource = line + strlen("until "), *keys = strchr(resource, ' '), *wanted = strchr(keys + 1, ' ');
    *keys++ = *wanted++ = '\0';
    int64_t end = clock_monotonic_ms() + 8000;
    while (!is_so(cluster, ns, resource, keys, strcmp(wanted, "\"\"") == 0 ? "" : wanted)) {
        if (clock_monotonic_ms() > end) {
            print_error("%s: %s %s is not %s\n", file, resource, keys, wanted);
            struct vec lines = play_look(cluster, ns);
            for (size_t i = 0; i < lines.length; i++)
                print_error("    %s\n", (const char *)lines.items[i]);
            vec_free(&lines);
            return false;
        }
        loop_once(cluster->world.loop, 1);
    }
    return true;
}

static bool step(struct cluster *cluster, const char *ns, char *line, char *next, const char *file)
{
    if (strncmp(line, "until ", 6) == 0)
        return wait_until(cluster, ns, line, file);
    if (strncmp(line, "pass ", 5) == 0) {
        kubelet_pass(cluster, strtoll(line + 5, NULL, 10) * 1000);
        return true;
    }
    if (strncmp(line, "> DELETE ", 9) == 0) {
        char *resource = line + 9, *policy = strchr(resource, ' '), *body = policy != NULL ? mem_printf("{\"propagationPolicy\":\"%s\"}", policy + 1) : NULL;
        if (policy != NULL)
            *policy = '\0';
        bool ok = ask(cluster, "DELETE", resource, ns, body, file);
        mem_free(body);
        return ok;
    }
    if (strncmp(line, "> ", 2) != 0)
        return true;
    char *resource = strchr(line + 2, ' ');
    *resource++ = '\0';
    return ask(cluster, line + 2, resource, ns, next, file);
}

bool play(struct cluster *cluster, const char *file, const char *ns)
{
    struct error err = ERROR_INIT;
    char *text = file_read(file, LINE, NULL, &err);
    if (text == NULL)
        fail_msg("%s: %s", file, err.message);
    char *all = replace(text, "NS", ns), *line = all;
    bool ok = true;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'%s'}}", ns);
    UNTIL(cluster, cluster_has(cluster, &accounts, ns, "default"));
    while (ok && line != NULL && *line != '\0') {
        char *next = strchr(line, '\n'), *after = next != NULL ? strchr(next + 1, '\n') : NULL;
        if (next != NULL)
            *next++ = '\0';
        bool has_body = strncmp(line, "> P", 3) == 0;
        if (has_body && after != NULL)
            *after++ = '\0';
        ok = step(cluster, ns, line, next, file);
        line = has_body ? after : next;
    }
    mem_free(all);
    if (ok)
        cluster_settle(cluster);
    return ok;
}
