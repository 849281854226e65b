#include "kube/exec_plugin.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "data/value.h"
#include "kube/config_read.h"
#include "loop/child.h"

enum {
    OUTPUT_MAXIMUM = 1 << 20,
    SILENT_MS = 60000,       /* a plugin that asks nobody */
    INTERACTIVE_MS = 600000, /* a person may have to find the phone */
    EXPIRY_MARGIN_MS = 1000,
    LEAST_MS = 1000, /* credentials that come expired are used all the same: whoever waits for them must not start the plugin for ever */
};

struct exec_plugin {
    const struct kube_config *config;
    struct child *child;
    bool interactive;
    void (*done)(void *data, struct exec_credentials *given, const struct error *error);
    void (*terminal)(void *data, bool taken);
    void *data, *terminal_data;
};

void exec_credentials_free(struct exec_credentials *credentials)
{
    config_wipe(&credentials->token);
    config_wipe(&credentials->certificate);
    config_wipe(&credentials->key);
    *credentials = (struct exec_credentials){.until = -1};
}

static bool take(char **to, const struct value *from, struct error *err)
{
    const char *text = value_text(from);
    if (text == NULL || text[0] == '\0')
        return true;
    *to = mem_string(text);
    return *to != NULL || error_memory(err);
}

/* The expiry is a time of day; what counts from now on is how long that is from now, so that a clock that is set harms nothing. */
static bool take_expiry(struct exec_credentials *credentials, const struct kube_exec_plugin *plugin, const struct value *expiry, struct error *err)
{
    int64_t at;
    if (value_type(expiry) <= VALUE_NULL)
        return true;
    if (value_text(expiry) == NULL || !time_parse(value_text(expiry), &at))
        return error_set(err, ERROR_UNAUTHENTICATED, plugin->command, _("the credential plugin %.200s gave an expirationTimestamp that is no time"), plugin->command);
    int64_t left = at - clock_wall_ms() - EXPIRY_MARGIN_MS;
    credentials->until = clock_monotonic_ms() + (left > LEAST_MS ? left : LEAST_MS);
    return true;
}

bool exec_credentials_read(struct exec_credentials *credentials, const struct kube_exec_plugin *plugin, const char *output, size_t length,
                           struct error *err)
{
    const char *name = plugin->command;
    *credentials = (struct exec_credentials){.until = -1};
    struct error inner = ERROR_INIT; /* its words could quote a secret */
    struct value *root = json_parse(output, length, name, &inner);
    const char *kind = value_find_text(root, "kind", NULL), *version = value_find_text(root, "apiVersion", NULL);
    const struct value *status = value_get(root, "status");
    bool ok = false;
    if (root == NULL && inner.kind == ERROR_MEMORY)
        error_memory(err);
    else if (root == NULL)
        error_set(err, ERROR_UNAUTHENTICATED, name, _("what the credential plugin %.200s printed is not JSON"), name);
    else if (kind == NULL || strcmp(kind, "ExecCredential") != 0)
        error_set(err, ERROR_UNAUTHENTICATED, name, _("what the credential plugin %.200s printed is no ExecCredential"), name);
    else if (version == NULL || strcmp(version, plugin->api_version) != 0)
        error_set(err, ERROR_UNAUTHENTICATED, name, _("the credential plugin %.200s answered in version %.80s; the kubeconfig says %.80s"), name,
                  version != NULL ? version : "(none)", plugin->api_version);
    else
        ok = take(&credentials->token, value_get(status, "token"), err) &&
             take(&credentials->certificate, value_get(status, "clientCertificateData"), err) &&
             take(&credentials->key, value_get(status, "clientKeyData"), err) &&
             take_expiry(credentials, plugin, value_get(status, "expirationTimestamp"), err);
    value_free(root);
    if (ok && (credentials->certificate != NULL) != (credentials->key != NULL))
        ok = error_set(err, ERROR_UNAUTHENTICATED, name, _("the credential plugin %.200s gave a client certificate without its key, or a key alone"), name);
    else if (ok && credentials->token == NULL && credentials->certificate == NULL)
        ok = error_set(err, ERROR_UNAUTHENTICATED, name, _("the credential plugin %.200s gave neither a token nor a client certificate"), name);
    else if (ok && ((credentials->token != NULL && strpbrk(credentials->token, "\r\n") != NULL) ||
                    (credentials->certificate != NULL && (!config_is_pem(credentials->certificate, "CERTIFICATE") || !config_is_pem(credentials->key, "PRIVATE KEY")))))
        ok = error_set(err, ERROR_UNAUTHENTICATED, name, _("the credential plugin %.200s gave a token or certificate that is malformed"), name);
    if (!ok)
        exec_credentials_free(credentials);
    return ok;
}

/* spec.cluster of KUBERNETES_EXEC_INFO. */
static struct value *cluster_info(const struct kube_config *config)
{
    char *ca = config->ca != NULL ? base64_encode(config->ca, strlen(config->ca)) : NULL;
    struct value *cluster = value_object();
    bool ok = cluster != NULL && (config->ca == NULL || ca != NULL) && value_set(cluster, "server", value_string(config->server)) &&
              (config->tls_server_name == NULL || value_set(cluster, "tls-server-name", value_string(config->tls_server_name))) &&
              (!config->insecure_skip_tls_verify || value_set(cluster, "insecure-skip-tls-verify", value_bool(true))) &&
              (ca == NULL || value_set(cluster, "certificate-authority-data", value_string(ca))) &&
              (config->proxy_url == NULL || value_set(cluster, "proxy-url", value_string(config->proxy_url)));
    const char *extra = config->exec.cluster_config;
    if (ok && extra != NULL)
        ok = value_set(cluster, "config", json_parse(extra, strlen(extra), "the kubeconfig", NULL));
    mem_free(ca);
    if (ok)
        return cluster;
    value_free(cluster);
    return NULL;
}

/* "KUBERNETES_EXEC_INFO={...}". NULL: no memory. */
static char *exec_info(const struct kube_config *config, bool interactive)
{
    struct value *root = value_object(), *spec = value_object();
    bool ok = root != NULL && spec != NULL && value_set(root, "apiVersion", value_string(config->exec.api_version)) &&
              value_set(root, "kind", value_string("ExecCredential")) && value_set(spec, "interactive", value_bool(interactive)) &&
              (!config->exec.provide_cluster_info || value_set(spec, "cluster", cluster_info(config)));
    if (ok) {
        ok = value_set(root, "spec", spec);
        spec = NULL;
    }
    char *json = ok ? json_text(root, CONFIG_FILE_MAXIMUM * 2) : NULL;
    char *variable = json != NULL ? mem_printf("KUBERNETES_EXEC_INFO=%s", json) : NULL;
    mem_free(json);
    value_free(root);
    value_free(spec);
    return variable;
}

/* Above what went wrong: whose plugin, and how to get it. The plugin's own words, or the system's, are the cause. */
static void explain(const struct kube_config *config, const char *what, const char *words, struct error *err)
{
    const char *hint = config->exec.install_hint;
    size_t length = strcspn(words, "\r\n");
    struct error fresh = ERROR_INIT;
    error_set(&fresh, ERROR_UNAUTHENTICATED, config->exec.command, "%.*s", (int)(length < 250 ? length : 250), words);
    error_context(&fresh, _("the credential plugin %.150s of user %.60s %s%s%.250s"), config->exec.command, config->user_name != NULL ? config->user_name : "",
                  what, hint != NULL ? ": " : "", hint != NULL ? hint : "");
    if (err != NULL)
        *err = fresh;
}

static void on_child(void *data, const struct child_result *result)
{
    struct exec_plugin *run = data;
    struct exec_plugin copy = *run;
    struct exec_credentials given = {.until = -1};
    struct error error = ERROR_INIT;
    char what[64];
    bool ok = false;
    if (result->error != NULL)
        explain(copy.config, "did not finish", result->error->message, &error);
    else if (result->exit_code == 127)
        explain(copy.config, "could not be run", result->errors_length > 0 ? result->errors : "no such program", &error);
    else if (result->exit_code != 0) {
        snprintf(what, sizeof what, result->exit_code > 0 ? "failed with exit code %d" : "was ended by signal %d",
                 result->exit_code > 0 ? result->exit_code : result->signal_number);
        explain(copy.config, what, result->errors_length > 0 ? result->errors : "", &error);
    } else
        ok = exec_credentials_read(&given, &copy.config->exec, result->output, result->output_length, &error);
    mem_free(run);
    if (copy.interactive)
        copy.terminal(copy.terminal_data, false);
    copy.done(copy.data, &given, ok ? NULL : &error);
}

/* Does it get the terminal? False with err where it must and there is none. */
static bool decide_interactive(const struct kube_config *config, bool *interactive, struct error *err)
{
    const char *mode = config->exec.interactive_mode;
    bool terminal = isatty(STDIN_FILENO) == 1;
    *interactive = terminal && strcmp(mode, "Never") != 0;
    if (*interactive || strcmp(mode, "Always") != 0)
        return true;
    explain(config, "must ask questions (interactiveMode Always), but there is no terminal", "standard input is not a terminal", err);
    return false;
}

static const char **terminated(const struct vec *strings, const char *first)
{
    const char **list = mem_alloc((strings->length + 2) * sizeof *list);
    if (list == NULL)
        return NULL;
    list[0] = first;
    for (size_t i = 0; i < strings->length; i++)
        list[i + 1] = strings->items[i];
    list[strings->length + 1] = NULL;
    return list;
}

struct exec_plugin *exec_plugin_start(struct loop *loop, const struct kube_config *config,
                                      void (*done)(void *data, struct exec_credentials *given, const struct error *error),
                                      void (*terminal)(void *data, bool taken), void *data, void *terminal_data, struct error *err)
{
    bool interactive;
    if (!decide_interactive(config, &interactive, err))
        return NULL;
    struct exec_plugin *run = mem_zero(1, sizeof *run);
    char *info = exec_info(config, interactive);
    const char **argv = terminated(&config->exec.arguments, config->exec.command);
    const char **environment = info != NULL ? terminated(&config->exec.environment, info) : NULL;
    if (run == NULL || argv == NULL || environment == NULL) {
        error_memory(err);
        goto failed;
    }
    *run = (struct exec_plugin){.config = config, .interactive = interactive, .done = done, .terminal = terminal, .data = data, .terminal_data = terminal_data};
    struct child_options options = {.argv = argv, .environment = environment, .maximum = OUTPUT_MAXIMUM, .inherit_terminal = interactive,
                                    .timeout_ms = interactive ? INTERACTIVE_MS : SILENT_MS};
    struct error inner = ERROR_INIT;
    if (interactive)
        terminal(terminal_data, true);
    run->child = child_start(loop, &options, on_child, run, &inner);
    if (run->child == NULL) {
        if (interactive)
            terminal(terminal_data, false);
        if (inner.kind == ERROR_MEMORY)
            error_memory(err);
        else
            explain(config, "could not be run", inner.message, err);
        goto failed;
    }
    goto out;
failed:
    mem_free(run);
    run = NULL;
out:
    mem_free(info);
    mem_free(argv);
    mem_free(environment);
    return run;
}

void exec_plugin_cancel(struct exec_plugin *run)
{
    if (run == NULL)
        return;
    child_cancel(run->child);
    if (run->interactive)
        run->terminal(run->terminal_data, false);
    mem_free(run);
}
