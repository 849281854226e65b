/* One cluster or user of a kubeconfig, field by field. The rules are kubectl's (client-go's clientcmd validation), the words ours. */
#include "kube/config_read.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"

void config_wipe(char **secret)
{
    if (*secret != NULL)
        explicit_bzero(*secret, strlen(*secret));
    mem_free(*secret);
    *secret = NULL;
}

bool config_is_pem(const char *text, const char *part)
{
    for (const char *at = text; (at = strstr(at, "-----BEGIN ")) != NULL;) {
        at += strlen("-----BEGIN ");
        const char *end = strstr(at, "-----"), *found = strstr(at, part);
        if (end != NULL && found != NULL && found + strlen(part) <= end)
            return true;
    }
    return false;
}

char *config_read_file(const char *path, struct error *err)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        file_error(err, errno, "open", path);
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        error_set(err, ERROR_INPUT, path, _("%s is not a file"), path);
        return NULL;
    }
    size_t length;
    char *text = file_read(path, CONFIG_SECRET_MAXIMUM, &length, err);
    if (text != NULL && strlen(text) != length) { /* a NUL inside: not PEM, not a token */
        explicit_bzero(text, length);
        mem_free(text);
        error_set(err, ERROR_INPUT, path, _("%s is not a text file"), path);
        return NULL;
    }
    return text;
}

/* "exec.command" out of prefix and field, for the error. */
static const char *field_name(const char *prefix, const char *field, char *room, size_t size)
{
    struct buf name = buf_make(size - 1);
    buf_printf(&name, "%s%s%s", prefix != NULL ? prefix : "", prefix != NULL ? "." : "", field);
    memcpy(room, name.bytes != NULL ? name.bytes : "", name.length + (name.bytes != NULL));
    room[name.length] = '\0';
    buf_free(&name);
    return room;
}

static bool wrong_type(const struct config_entry *entry, const char *field, const struct value *v, const char *wanted, struct error *err)
{
    enum value_type type = value_type(v);
    const char *advice = strcmp(wanted, "text") == 0 && (type == VALUE_NUMBER || type == VALUE_BOOL) ? "; put it in quotes" : "";
    return config_blame(err, entry, field, _("%s must be %s, but a value of type %s stands there%s"), field, wanted, value_type_name(type), advice);
}

bool config_read_text(const struct config_entry *entry, const struct value *object, const char *prefix, const char *field, char **out,
                      struct error *err)
{
    char name[96];
    const struct value *v = value_get(object, field);
    *out = NULL;
    if (value_type(v) == VALUE_MISSING || value_type(v) == VALUE_NULL)
        return true;
    const char *text = value_text(v);
    if (text == NULL)
        return wrong_type(entry, field_name(prefix, field, name, sizeof name), v, "text", err);
    if (strpbrk(text, "\r\n") != NULL) /* none of these fields may hold one, and in an HTTP header it would be an attack */
        return config_blame(err, entry, field_name(prefix, field, name, sizeof name), _("%s must not hold a line break"), field);
    if (text[0] == '\0')
        return true;
    *out = mem_string(text);
    return *out != NULL || error_memory(err);
}

static bool read_flag(const struct config_entry *entry, const struct value *object, const char *prefix, const char *field, bool *out,
                      struct error *err)
{
    char name[96];
    const struct value *v = value_get(object, field);
    enum value_type type = value_type(v);
    *out = value_is_true(v);
    if (type == VALUE_MISSING || type == VALUE_NULL || type == VALUE_BOOL)
        return true;
    return wrong_type(entry, field_name(prefix, field, name, sizeof name), v, "true or false", err);
}

static bool read_list(const struct config_entry *entry, const struct value *object, const char *prefix, const char *field, struct vec *out,
                      struct error *err)
{
    char name[96];
    const struct value *list = value_get(object, field);
    enum value_type type = value_type(list);
    field_name(prefix, field, name, sizeof name);
    if (type == VALUE_MISSING || type == VALUE_NULL)
        return true;
    if (type != VALUE_ARRAY)
        return wrong_type(entry, name, list, "a list", err);
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        const char *text = value_text(item);
        if (text == NULL)
            return config_blame(err, entry, name, _("every item of %s must be text"), field);
        if (prefix == NULL && strpbrk(text, "\r\n") != NULL) /* becomes an HTTP header; a plugin's argument may hold one */
            return config_blame(err, entry, name, _("%s must not hold a line break"), field);
        if (out->length >= out->maximum)
            return config_blame(err, entry, name, _("%s has more than %zu items"), field, out->maximum);
        if (!vec_push_string(out, text))
            return error_memory(err);
    }
    return true;
}

/* The bytes of FIELD-data (base64) or of the file that FIELD names, as PEM text; NULL in *out if neither is given. */
static bool read_pem(const struct config_entry *entry, const char *field, const char *part, char **out, struct error *err)
{
    char data_field[64], *data = NULL, *path = NULL, *full = NULL;
    struct error inner = ERROR_INIT;
    bool ok = false;
    *out = NULL;
    struct buf name = buf_make(sizeof data_field - 1);
    buf_printf(&name, "%s-data", field);
    bool named = buf_ok(&name);
    memcpy(data_field, named ? name.bytes : "", named ? name.length + 1 : 1);
    buf_free(&name);
    if (!named)
        return error_memory(err);
    const char *used = data_field;
    const struct value *text = value_get(entry->body, data_field);
    if (value_text(text) != NULL && value_text(text)[0] != '\0') {
        size_t length = 0;
        data = base64_decode(value_text(text), strlen(value_text(text)), &length);
        if (data == NULL || strlen(data) != length) {
            config_blame(err, entry, data_field, _("%s is not the base64 form of a PEM text"), data_field);
            goto out;
        }
    } else if (value_type(text) > VALUE_NULL && value_text(text) == NULL) {
        wrong_type(entry, data_field, text, "text", err);
        goto out;
    }
    if (!config_read_text(entry, entry->body, NULL, field, &path, err))
        goto out;
    if (path != NULL && data != NULL) {
        config_blame(err, entry, field, _("%s and %s are both given; remove one of them"), field, data_field);
        goto out;
    }
    if (path != NULL && data == NULL) {
        used = field;
        full = file_join(entry->source->folder, path);
        data = full != NULL ? config_read_file(full, &inner) : NULL;
        if (full == NULL || (data == NULL && inner.kind == ERROR_MEMORY)) {
            error_memory(err);
            goto out;
        }
        if (data == NULL) {
            config_blame(err, entry, field, _("%s names a file that cannot be used: %s"), field, inner.message);
            goto out;
        }
    }
    if (data != NULL && !config_is_pem(data, part)) {
        config_blame(err, entry, used, _("%s%s holds no PEM text with a %s (a part that begins with \"-----BEGIN ...%s-----\")"),
                     used == field ? "the file of " : "", used, strcmp(part, "CERTIFICATE") == 0 ? "certificate" : "private key", part);
        goto out;
    }
    *out = data;
    data = NULL;
    ok = true;
out:
    config_wipe(&data);
    mem_free(path);
    mem_free(full);
    return ok;
}

/* "SCHEME://HOST..." with one of the schemes; *rest is what follows the scheme. */
static bool has_scheme(const char *url, const char *const *schemes, const char **rest)
{
    for (size_t i = 0; schemes[i] != NULL; i++) {
        size_t length = strlen(schemes[i]);
        if (strncasecmp(url, schemes[i], length) == 0 && strncmp(url + length, "://", 3) == 0) {
            *rest = url + length + 3;
            return true;
        }
    }
    return false;
}

/* Host, port and path are there and hold nothing that an URL cannot. */
static bool plausible(const char *rest)
{
    if (rest[0] == '\0' || strchr("/?#:", rest[0]) != NULL)
        return false;
    for (const char *c = rest; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7F || strchr("\"<>\\^`{|}", *c) != NULL)
            return false;
    size_t host = strcspn(rest, "/?#");
    const char *colon = memrchr(rest, ':', host), *bracket = memrchr(rest, ']', host);
    if (rest[0] == '[' && bracket == NULL)
        return false;
    if (colon != NULL && (bracket == NULL || colon > bracket)) {
        const char *port = colon + 1, *end = rest + host;
        size_t digits = strspn(port, "0123456789");
        if (digits == 0 || digits > 5 || port + digits != end)
            return false;
    }
    return true;
}

static bool read_server(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    static const char *const schemes[] = {"https", "http", NULL};
    char *given = NULL;
    if (!config_read_text(entry, entry->body, NULL, "server", &given, err))
        return false;
    if (given == NULL)
        return config_blame(err, entry, "server", _("the cluster has no server: its address is missing"));
    const char *rest = NULL;
    bool tls = config->ca != NULL || config->insecure_skip_tls_verify; /* without a scheme client-go decides so */
    if (has_scheme(given, schemes, &rest))
        config->server = mem_string(given);
    else if (strstr(given, "://") == NULL) {
        rest = given;
        config->server = mem_printf("%s://%s", tls ? "https" : "http", given);
    }
    bool fine = rest != NULL && plausible(rest) && strpbrk(rest, "?#@") == NULL;
    if (!fine)
        config_blame(err, entry, "server", _("server \"%.200s\" is not an address like https://10.0.0.1:6443"), given);
    mem_free(given);
    if (!fine)
        return false;
    if (config->server == NULL)
        return error_memory(err);
    for (size_t length = strlen(config->server); length > 0 && config->server[length - 1] == '/';)
        config->server[--length] = '\0';
    return true;
}

/* cluster.extensions: [{name: client.authentication.k8s.io/exec, extension: ...}] is handed to the plugin. */
static bool read_cluster_extension(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    const struct value *item = value_first(value_get(entry->body, "extensions"));
    for (; item != NULL; item = value_next(item)) {
        const char *name = value_find_text(item, "name", NULL);
        const struct value *extension = value_get(item, "extension");
        if (name == NULL || strcmp(name, "client.authentication.k8s.io/exec") != 0 || extension == NULL)
            continue;
        config->exec.cluster_config = json_text(extension, CONFIG_FILE_MAXIMUM);
        return config->exec.cluster_config != NULL || error_memory(err);
    }
    return true;
}

bool config_read_cluster(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    static const char *const proxies[] = {"http", "https", "socks5", NULL};
    const struct value *body = entry->body;
    if (value_type(body) > VALUE_NULL && value_type(body) != VALUE_OBJECT)
        return wrong_type(entry, "cluster", body, "an object", err);
    if (!read_flag(entry, body, NULL, "insecure-skip-tls-verify", &config->insecure_skip_tls_verify, err) ||
        !read_flag(entry, body, NULL, "disable-compression", &config->disable_compression, err) ||
        !read_pem(entry, "certificate-authority", "CERTIFICATE", &config->ca, err) ||
        !config_read_text(entry, body, NULL, "tls-server-name", &config->tls_server_name, err) ||
        !config_read_text(entry, body, NULL, "proxy-url", &config->proxy_url, err) || !read_server(config, entry, err) ||
        !read_cluster_extension(config, entry, err))
        return false;
    if (config->ca != NULL && config->insecure_skip_tls_verify)
        return config_blame(err, entry, "insecure-skip-tls-verify",
                            _("insecure-skip-tls-verify is true although a certificate authority is given; remove one of them"));
    const char *rest = NULL;
    if (config->proxy_url != NULL && (!has_scheme(config->proxy_url, proxies, &rest) || !plausible(strchr(rest, '@') != NULL ? strrchr(rest, '@') + 1 : rest)))
        return config_blame(err, entry, "proxy-url", _("proxy-url must be an address that begins with http://, https:// or socks5://"));
    const char *name = config->tls_server_name;
    if (name != NULL && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") != strlen(name))
        return config_blame(err, entry, "tls-server-name", _("tls-server-name must be a plain host name"));
    return true;
}

static bool read_exec_environment(struct kube_config *config, const struct config_entry *entry, const struct value *exec, struct error *err)
{
    const struct value *list = value_get(exec, "env");
    if (value_type(list) > VALUE_NULL && value_type(list) != VALUE_ARRAY)
        return wrong_type(entry, "exec.env", list, "a list", err);
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        const char *name = value_find_text(item, "name", NULL), *value = value_find_text(item, "value", NULL);
        if (name == NULL || name[0] == '\0' || strchr(name, '=') != NULL)
            return config_blame(err, entry, "exec.env", _("every item of env needs a name"));
        if (value == NULL)
            return config_blame(err, entry, "exec.env", _("the variable %.100s of env needs a value that is text"), name);
        if (config->exec.environment.length >= CONFIG_LIST)
            return config_blame(err, entry, "exec.env", _("env has more than %d items"), CONFIG_LIST);
        char *pair = mem_printf("%s=%s", name, value);
        if (pair == NULL || !vec_push(&config->exec.environment, pair))
            return error_memory(err);
    }
    return true;
}

/* The hint is shown to people as it is, and may have several lines. */
static bool read_hint(struct kube_config *config, const struct config_entry *entry, const struct value *exec, struct error *err)
{
    const struct value *hint = value_get(exec, "installHint");
    if (value_type(hint) > VALUE_NULL && value_text(hint) == NULL)
        return wrong_type(entry, "exec.installHint", hint, "text", err);
    if (value_text(hint) == NULL)
        return true;
    config->exec.install_hint = mem_string(value_text(hint));
    return config->exec.install_hint != NULL || error_memory(err);
}

static bool check_exec(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    static const char v1[] = "client.authentication.k8s.io/v1", v1beta1[] = "client.authentication.k8s.io/v1beta1";
    struct kube_exec_plugin *exec = &config->exec;
    if (exec->command == NULL)
        return config_blame(err, entry, "exec.command", _("exec needs a command: the credential plugin to run"));
    if (exec->api_version == NULL)
        return config_blame(err, entry, "exec.apiVersion", _("exec needs an apiVersion: %s"), v1);
    if (strcmp(exec->api_version, v1) != 0 && strcmp(exec->api_version, v1beta1) != 0)
        return config_blame(err, entry, "exec.apiVersion", _("exec's apiVersion \"%.80s\" is not known; %s and %s are"), exec->api_version, v1, v1beta1);
    if (exec->interactive_mode == NULL) {
        if (strcmp(exec->api_version, v1) == 0)
            return config_blame(err, entry, "exec.interactiveMode", _("exec needs an interactiveMode: Never, IfAvailable or Always"));
        exec->interactive_mode = mem_string("IfAvailable");
        if (exec->interactive_mode == NULL)
            return error_memory(err);
    }
    if (strcmp(exec->interactive_mode, "Never") != 0 && strcmp(exec->interactive_mode, "IfAvailable") != 0 &&
        strcmp(exec->interactive_mode, "Always") != 0)
        return config_blame(err, entry, "exec.interactiveMode", _("interactiveMode \"%.40s\" is not one of Never, IfAvailable, Always"), exec->interactive_mode);
    if (strchr(exec->command, '/') != NULL && exec->command[0] != '/') { /* relative to the file that names it */
        char *full = file_join(entry->source->folder, exec->command);
        if (full == NULL)
            return error_memory(err);
        mem_free(exec->command);
        exec->command = full;
    }
    return true;
}

static bool read_exec(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    const struct value *exec = value_get(entry->body, "exec");
    if (value_type(exec) <= VALUE_NULL)
        return true;
    if (value_type(exec) != VALUE_OBJECT)
        return wrong_type(entry, "exec", exec, "an object", err);
    return config_read_text(entry, exec, "exec", "command", &config->exec.command, err) &&
           config_read_text(entry, exec, "exec", "apiVersion", &config->exec.api_version, err) &&
           config_read_text(entry, exec, "exec", "interactiveMode", &config->exec.interactive_mode, err) &&
           read_hint(config, entry, exec, err) &&
           read_flag(entry, exec, "exec", "provideClusterInfo", &config->exec.provide_cluster_info, err) &&
           read_list(entry, exec, "exec", "args", &config->exec.arguments, err) && read_exec_environment(config, entry, exec, err) &&
           check_exec(config, entry, err);
}

static bool read_extra(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    const struct value *extra = value_get(entry->body, "as-user-extra");
    if (value_type(extra) > VALUE_NULL && value_type(extra) != VALUE_OBJECT)
        return wrong_type(entry, "as-user-extra", extra, "an object", err);
    for (const struct value *list = value_first(extra); list != NULL; list = value_next(list)) {
        struct vec values = vec_make(CONFIG_LIST, mem_free);
        bool ok = read_list(entry, extra, NULL, value_key(list), &values, err);
        for (size_t i = 0; ok && i < values.length; i++) {
            char *pair = mem_printf("%s=%s", value_key(list), (const char *)values.items[i]);
            ok = (pair != NULL && vec_push(&config->impersonate_extra, pair)) || error_memory(err);
        }
        vec_free(&values);
        if (!ok)
            return false;
    }
    return true;
}

static bool read_impersonation(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    if (!config_read_text(entry, entry->body, NULL, "as", &config->impersonate, err) ||
        !config_read_text(entry, entry->body, NULL, "as-uid", &config->impersonate_uid, err) ||
        !read_list(entry, entry->body, NULL, "as-groups", &config->impersonate_groups, err) || !read_extra(config, entry, err))
        return false;
    if (config->impersonate == NULL && (config->impersonate_uid != NULL || config->impersonate_groups.length > 0 || config->impersonate_extra.length > 0))
        return config_blame(err, entry, "as", _("as-uid, as-groups and as-user-extra need as: the user to impersonate"));
    return true;
}

static bool read_token_file(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    char *path = NULL;
    if (!config_read_text(entry, entry->body, NULL, "tokenFile", &path, err))
        return false;
    if (path == NULL)
        return true;
    config->token_file = file_join(entry->source->folder, path);
    mem_free(path);
    if (config->token_file == NULL)
        return error_memory(err);
    struct error inner = ERROR_INIT;
    char *text = config_read_file(config->token_file, &inner);
    bool there = text != NULL;
    config_wipe(&text);
    if (there || config->token != NULL) /* the token at hand serves until the file can be read */
        return true;
    return config_blame(err, entry, "tokenFile", _("tokenFile names a file that cannot be used: %s"), inner.message);
}

static bool check_user(const struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    bool token = config->token != NULL || config->token_file != NULL, basic = config->username != NULL || config->password != NULL;
    if (token && basic)
        return config_blame(err, entry, config->token != NULL ? "token" : "tokenFile",
                            _("the user has both a token and a username; only one way to authenticate is allowed"));
    if (config->client_certificate != NULL && config->client_key == NULL)
        return config_blame(err, entry, "client-key", _("client-certificate is given, but client-key (or client-key-data) is missing"));
    if (config->client_key != NULL && config->client_certificate == NULL)
        return config_blame(err, entry, "client-certificate", _("client-key is given, but client-certificate (or client-certificate-data) is missing"));
    if (config->client_key != NULL && strstr(config->client_key, "ENCRYPTED") != NULL)
        return config_blame(err, entry, value_find_text(entry->body, "client-key-data", NULL) != NULL ? "client-key-data" : "client-key",
                            _("the client key is protected by a password, which cannot be given; decrypt it first, as for kubectl"));
    return true;
}

bool config_read_user(struct kube_config *config, const struct config_entry *entry, struct error *err)
{
    const struct value *body = entry->body;
    if (value_type(body) > VALUE_NULL && value_type(body) != VALUE_OBJECT)
        return wrong_type(entry, "user", body, "an object", err);
    if (value_type(value_get(body, "auth-provider")) > VALUE_NULL)
        return config_blame(err, entry, "auth-provider", _("auth-provider (\"%.60s\") is no longer supported by Kubernetes; use a credential plugin (exec)"),
                            value_find_text(body, "auth-provider", "name", NULL) != NULL ? value_find_text(body, "auth-provider", "name", NULL) : "?");
    return config_read_text(entry, body, NULL, "token", &config->token, err) && read_token_file(config, entry, err) &&
           config_read_text(entry, body, NULL, "username", &config->username, err) &&
           config_read_text(entry, body, NULL, "password", &config->password, err) &&
           read_pem(entry, "client-certificate", "CERTIFICATE", &config->client_certificate, err) &&
           read_pem(entry, "client-key", "PRIVATE KEY", &config->client_key, err) && read_exec(config, entry, err) &&
           read_impersonation(config, entry, err) && check_user(config, entry, err);
}
