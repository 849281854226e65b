#include "kube/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "data/units.h"
#include "data/yaml.h"
#include "kube/config_read.h"

static void source_free(void *item)
{
    struct config_source *source = item;
    if (source == NULL)
        return;
    if (source->text != NULL)
        explicit_bzero(source->text, source->length);
    mem_free(source->text);
    mem_free(source->path);
    mem_free(source->folder);
    value_free(source->root);
    mem_free(source);
}

static void wipe_strings(struct vec *strings)
{
    for (size_t i = 0; i < strings->length; i++)
        explicit_bzero(strings->items[i], strlen(strings->items[i]));
    vec_free(strings);
}

void kube_config_free(struct kube_config *config)
{
    if (config == NULL)
        return;
    char **texts[] = {&config->context_name, &config->cluster_name, &config->user_name, &config->server, &config->context_namespace,
                      &config->ca, &config->tls_server_name, &config->proxy_url, &config->client_certificate, &config->client_key,
                      &config->token, &config->token_file, &config->username, &config->password, &config->impersonate,
                      &config->impersonate_uid, &config->exec.command, &config->exec.api_version, &config->exec.install_hint,
                      &config->exec.interactive_mode, &config->exec.cluster_config};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        config_wipe(texts[i]);
    vec_free(&config->files);
    vec_free(&config->impersonate_groups);
    vec_free(&config->impersonate_extra);
    wipe_strings(&config->exec.arguments);
    wipe_strings(&config->exec.environment);
    mem_free(config);
}

static struct kube_config *config_new(enum kube_config_origin origin, struct error *err)
{
    struct kube_config *config = mem_zero(1, sizeof *config);
    if (config == NULL) {
        error_memory(err);
        return NULL;
    }
    config->origin = origin;
    config->files = vec_make(CONFIG_FILES, mem_free);
    config->impersonate_groups = vec_make(CONFIG_LIST, mem_free);
    config->impersonate_extra = vec_make(CONFIG_LIST, mem_free);
    config->exec.arguments = vec_make(CONFIG_LIST, mem_free);
    config->exec.environment = vec_make(CONFIG_LIST, mem_free);
    return config;
}

static bool check_names(const struct config_source *source, const char *list_name, const struct value *list, struct error *err)
{
    struct map seen = map_make(SIZE_MAX, NULL);
    bool ok = true;
    for (const struct value *item = value_first(list); ok && item != NULL; item = value_next(item)) {
        const char *name = value_find_text(item, "name", NULL);
        if (name == NULL)
            ok = config_blame_file(err, source, list_name, _("an item of %s has no name that is text"), list_name);
        else if (map_has(&seen, name))
            ok = config_blame(err, &(struct config_entry){.source = source, .list = list_name, .name = name}, NULL,
                              _("%s has the name \"%.100s\" twice"), list_name, name);
        else
            ok = map_set(&seen, name, NULL) || error_memory(err);
    }
    map_free(&seen);
    return ok;
}

/* "clusters", "users" and "contexts" are lists of objects that have a name, each name once. */
static bool check_lists(const struct config_source *source, struct error *err)
{
    static const char *const lists[] = {"clusters", "users", "contexts"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct value *list = value_get(source->root, lists[i]);
        if (value_type(list) > VALUE_NULL && value_type(list) != VALUE_ARRAY)
            return config_blame_file(err, source, lists[i], _("%s must be a list"), lists[i]);
        if (!check_names(source, lists[i], list, err))
            return false;
    }
    return true;
}

static bool check_file(const struct config_source *source, struct error *err)
{
    static const struct {
        const char *field, *wanted;
    } heads[] = {{"apiVersion", "v1"}, {"kind", "Config"}};
    if (value_type(source->root) == VALUE_NULL)
        return true; /* an empty file is an empty kubeconfig */
    if (value_type(source->root) != VALUE_OBJECT)
        return config_blame_file(err, source, "", _("this is no kubeconfig: it must begin with fields such as clusters and users"));
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const struct value *v = value_get(source->root, heads[i].field);
        if (value_type(v) > VALUE_NULL && (value_text(v) == NULL || (value_text(v)[0] != '\0' && strcmp(value_text(v), heads[i].wanted) != 0)))
            return config_blame_file(err, source, heads[i].field, _("%s must be %s in a kubeconfig"), heads[i].field, heads[i].wanted);
    }
    const struct value *current = value_get(source->root, "current-context");
    if (value_type(current) > VALUE_NULL && value_text(current) == NULL)
        return config_blame_file(err, source, "current-context", _("current-context must be text"));
    return check_lists(source, err);
}

/* Takes the text over. */
static struct config_source *source_new(const char *path, char *text, size_t length, struct error *err)
{
    struct config_source *source = mem_zero(1, sizeof *source);
    if (source == NULL) {
        explicit_bzero(text, length);
        mem_free(text);
        error_memory(err);
        return NULL;
    }
    const char *slash = strrchr(path, '/');
    source->text = text;
    source->length = length;
    source->path = mem_string(path);
    source->folder = slash == NULL ? mem_string(".") : mem_string_n(path, slash == path ? 1 : (size_t)(slash - path));
    if (source->path == NULL || source->folder == NULL)
        error_memory(err);
    else {
        source->root = yaml_parse(text, length, path, YAML_DUPLICATES_LAST, err);
        if (source->root != NULL && check_file(source, err))
            return source;
    }
    source_free(source);
    return NULL;
}

/* Of all files, the first that has it. */
static bool find(const struct vec *sources, const char *list, const char *body, const char *name, struct config_entry *entry)
{
    for (size_t i = 0; i < sources->length; i++) {
        const struct config_source *source = sources->items[i];
        for (const struct value *item = value_first(value_get(source->root, list)); item != NULL; item = value_next(item)) {
            const char *its_name = value_find_text(item, "name", NULL);
            if (strcmp(its_name, name) != 0)
                continue;
            *entry = (struct config_entry){.source = source, .list = list, .name = its_name, .body = value_get(item, body)};
            return true;
        }
    }
    return false;
}

/* "a, b, c" of the names in a list, for an error's advice; "none" if there are none. */
static void names(const struct vec *sources, const char *list, char *out, size_t size)
{
    struct buf text = buf_make(size - 8);
    for (size_t i = 0; i < sources->length; i++) {
        const struct config_source *source = sources->items[i];
        for (const struct value *item = value_first(value_get(source->root, list)); item != NULL; item = value_next(item))
            buf_printf(&text, "%s%s", text.length > 0 ? ", " : "", value_find_text(item, "name", NULL));
    }
    strcpy(out, text.length > 0 ? text.bytes : "none");
    if (!buf_ok(&text))
        strcat(out, ", ...");
    buf_free(&text);
}

/* What is current: --context, else the first current-context. Borrowed; NULL with err unless nothing is named at all. */
static const char *choose_context(const struct vec *sources, const char *wanted, struct error *err)
{
    char known[200];
    if (wanted != NULL)
        return wanted;
    bool anything = false;
    for (size_t i = 0; i < sources->length; i++) {
        const struct config_source *source = sources->items[i];
        const char *current = value_find_text(source->root, "current-context", NULL);
        if (current != NULL && current[0] != '\0')
            return current;
        anything = anything || value_first(value_get(source->root, "clusters")) != NULL || value_first(value_get(source->root, "contexts")) != NULL;
    }
    if (!anything)
        return NULL;
    names(sources, "contexts", known, sizeof known);
    config_blame_file(err, sources->items[0], "current-context",
                      _("no current-context is set; choose one of the contexts (%s) with --context or `kubectl config use-context`"), known);
    return NULL;
}

static bool set_text(char **to, const char *from, struct error *err)
{
    *to = mem_string(from);
    return *to != NULL || error_memory(err);
}

/* Finds the cluster or user that the context names. An empty name is as none: the entry stays empty. */
static bool follow(const struct vec *sources, const struct config_entry *context, const char *field, const char *list, char **name,
                   struct config_entry *entry, struct error *err)
{
    char known[200];
    if (!config_read_text(context, context->body, NULL, field, name, err))
        return false;
    *entry = (struct config_entry){0};
    if (*name == NULL || find(sources, list, field, *name, entry))
        return true;
    names(sources, list, known, sizeof known);
    return config_blame(err, context, field, _("the context names a %s \"%.100s\" that does not exist (there are: %s)"), field, *name, known);
}

static bool resolve(struct kube_config *config, const struct vec *sources, const char *context_name, bool flag, struct error *err)
{
    struct config_entry context, cluster, user;
    char known[200];
    if (!find(sources, "contexts", "context", context_name, &context)) {
        names(sources, "contexts", known, sizeof known);
        if (flag || sources->length == 0)
            return error_set(err, ERROR_INPUT, sources->length > 0 ? ((struct config_source *)sources->items[0])->path : "--context",
                             _("there is no context \"%.100s\" (there are: %s)"), context_name, known);
        const struct config_source *source = sources->items[0];
        for (size_t i = 0; i < sources->length; i++) { /* the file that asked for it */
            const char *current = value_find_text(((struct config_source *)sources->items[i])->root, "current-context", NULL);
            if (current != NULL && current[0] != '\0') {
                source = sources->items[i];
                break;
            }
        }
        return config_blame_file(err, source, "current-context", _("current-context names the context \"%.100s\", which does not exist (there are: %s)"),
                                 context_name, known);
    }
    if (value_type(context.body) > VALUE_NULL && value_type(context.body) != VALUE_OBJECT)
        return config_blame(err, &context, "context", _("context must be an object with cluster and user"));
    if (!set_text(&config->context_name, context.name, err) ||
        !config_read_text(&context, context.body, NULL, "namespace", &config->context_namespace, err) ||
        !follow(sources, &context, "cluster", "clusters", &config->cluster_name, &cluster, err) ||
        !follow(sources, &context, "user", "users", &config->user_name, &user, err))
        return false;
    if (config->cluster_name == NULL)
        return config_blame(err, &context, "cluster", _("the context names no cluster"));
    return config_read_cluster(config, &cluster, err) && (config->user_name == NULL || config_read_user(config, &user, err));
}

/* Reads one file into the list. One that is not there is passed over, unless it must be. */
static bool add_file(struct vec *sources, struct vec *files, const char *path, bool must_exist, struct error *err)
{
    char folder[4096], *full = NULL;
    if (path[0] != '/' && getcwd(folder, sizeof folder) != NULL)
        full = file_join(folder, path);
    else
        full = mem_string(path);
    if (full == NULL)
        return error_memory(err);
    if (vec_has_string(files, full)) { /* named twice */
        mem_free(full);
        return true;
    }
    bool room = files->length < files->maximum;
    if (!vec_push(files, full))
        return room ? error_memory(err) : error_set(err, ERROR_LIMIT, "KUBECONFIG", _("KUBECONFIG names more than %d files"), CONFIG_FILES);
    struct error inner = ERROR_INIT;
    size_t length;
    char *text = file_read(full, CONFIG_FILE_MAXIMUM, &length, &inner);
    if (text == NULL) {
        if (inner.kind == ERROR_NOT_FOUND && !must_exist)
            return true;
        if (err != NULL)
            *err = inner;
        return inner.kind == ERROR_MEMORY ? false : error_context(err, _("the kubeconfig %.200s cannot be read"), full);
    }
    struct config_source *source = source_new(full, text, length, err);
    if (source == NULL)
        return false;
    return vec_push(sources, source) || error_memory(err);
}

/* $KUBECONFIG: paths with colons between; empty parts are nothing. */
static bool add_list(struct vec *sources, struct vec *files, const char *list, struct error *err)
{
    bool ok = true;
    while (ok) {
        size_t length = strcspn(list, ":");
        if (length > 0) {
            char *path = mem_string_n(list, length);
            ok = path != NULL ? add_file(sources, files, path, false, err) : error_memory(err);
            mem_free(path);
        }
        if (list[length] == '\0')
            return ok;
        list += length + 1;
    }
    return false;
}

static char *read_below(const char *root, const char *name, struct error *err)
{
    char *path = file_join(root, name);
    char *text = path != NULL ? config_read_file(path, err) : NULL;
    if (path == NULL)
        error_memory(err);
    mem_free(path);
    return text;
}

/* The ServiceAccount of the Pod that we run in. *config stays NULL when we do not run in one. */
static bool load_in_cluster(const char *root, struct kube_config **out, struct error *err)
{
    const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
    struct kube_config *config = NULL;
    bool ok = false;
    if (root == NULL)
        root = "/var/run/secrets/kubernetes.io/serviceaccount";
    char *token = file_join(root, "token"), *name_space = NULL;
    if (token == NULL)
        return error_memory(err);
    if (host == NULL || port == NULL || host[0] == '\0' || port[0] == '\0' || !file_exists(token)) {
        mem_free(token);
        return true;
    }
    if (strspn(port, "0123456789") != strlen(port) || strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:") != strlen(host)) {
        error_set(err, ERROR_INPUT, "KUBERNETES_SERVICE_HOST", _("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not a host and a port"));
        goto out;
    }
    config = config_new(KUBE_CONFIG_IN_CLUSTER, err);
    if (config == NULL)
        goto out;
    config->server = mem_printf(strchr(host, ':') != NULL ? "https://[%s]:%s" : "https://%s:%s", host, port);
    if (!set_text(&config->context_name, "", err) || config->server == NULL) {
        error_memory(err);
        goto out;
    }
    config->token_file = token;
    token = NULL;
    config->ca = read_below(root, "ca.crt", err);
    if (config->ca == NULL)
        goto out;
    char *check = config_read_file(config->token_file, err);
    if (check == NULL)
        goto out;
    config_wipe(&check);
    struct error ignored = ERROR_INIT;
    name_space = read_below(root, "namespace", &ignored); /* may be missing */
    if (name_space != NULL)
        name_space[strcspn(name_space, " \r\n")] = '\0';
    if (name_space != NULL && name_space[0] != '\0') {
        config->context_namespace = name_space;
        name_space = NULL;
    }
    *out = config;
    config = NULL;
    ok = true;
out:
    mem_free(token);
    mem_free(name_space);
    kube_config_free(config);
    return ok;
}

bool kube_config_load(const struct kube_config_options *options, struct kube_config **config, struct error *err)
{
    const char *list = getenv("KUBECONFIG");
    bool from_list = options->file == NULL && list != NULL && list[0] != '\0';
    struct vec sources = vec_make(CONFIG_FILES, source_free);
    bool ok = false;
    *config = NULL;
    struct kube_config *made = config_new(options->file != NULL ? KUBE_CONFIG_FLAG : from_list ? KUBE_CONFIG_ENVIRONMENT : KUBE_CONFIG_HOME, err);
    if (made == NULL)
        return false;
    if (options->file != NULL)
        ok = add_file(&sources, &made->files, options->file, true, err);
    else if (from_list)
        ok = add_list(&sources, &made->files, list, err);
    else {
        char *path = xdg_home() != NULL ? file_join(xdg_home(), ".kube/config") : mem_string("");
        ok = path == NULL ? error_memory(err) : path[0] == '\0' || add_file(&sources, &made->files, path, false, err);
        mem_free(path);
    }
    struct error why = ERROR_INIT;
    const char *context = ok ? choose_context(&sources, options->context, &why) : NULL;
    if (ok && context != NULL)
        ok = resolve(made, &sources, context, options->context != NULL, err);
    else if (ok && why.kind != ERROR_NONE) {
        ok = false;
        if (err != NULL)
            *err = why;
    } else if (ok && options->file != NULL)
        ok = error_set(err, ERROR_INPUT, options->file, _("the kubeconfig %.200s names no cluster: it is empty"), options->file);
    else if (ok)
        ok = load_in_cluster(options->cluster_root, config, err);
    if (ok && context != NULL) {
        *config = made;
        made = NULL;
    }
    vec_free(&sources);
    kube_config_free(made);
    return ok;
}

struct kube_config *kube_config_parse(const char *text, size_t length, const char *name, struct error *err)
{
    struct kube_config *config = NULL;
    struct vec sources = vec_make(1, source_free);
    char *copy = mem_string_n(text, length);
    struct config_source *source = copy != NULL ? source_new(name, copy, length, err) : NULL;
    if (copy == NULL)
        error_memory(err);
    if (source != NULL && !vec_push(&sources, source))
        error_memory(err);
    else if (source != NULL) {
        struct error why = ERROR_INIT;
        const char *context = choose_context(&sources, NULL, &why);
        config = context != NULL ? config_new(KUBE_CONFIG_FLAG, err) : NULL;
        if (context == NULL && why.kind == ERROR_NONE)
            error_set(err, ERROR_INPUT, name, _("the kubeconfig names no cluster: it is empty"));
        else if (context == NULL && err != NULL)
            *err = why;
        if (config != NULL && !resolve(config, &sources, context, false, err)) {
            kube_config_free(config);
            config = NULL;
        }
    }
    vec_free(&sources);
    return config;
}
