#include "kube/auth.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kube/config_read.h"
#include "kube/exec_plugin.h"

enum { TOKEN_FILE_MS = 60000 }; /* re-read at the latest after so long */

struct auth {
    struct loop *loop;
    const struct kube_config *config;
    void (*changed)(void *data, const struct error *error);
    void (*terminal)(void *data, bool taken);
    void *data;
    unsigned generation;
    char *file_token; /* of token_file, or NULL */
    struct stat file_seen;
    int64_t file_read_at;
    struct exec_plugin *running;
    struct exec_credentials given; /* by the plugin */
    bool have;
};

struct auth *auth_new(struct loop *loop, const struct kube_config *config, void (*changed)(void *data, const struct error *error),
                      void (*terminal)(void *data, bool taken), void *data, struct error *err)
{
    struct auth *auth = mem_zero(1, sizeof *auth);
    if (auth == NULL) {
        error_memory(err);
        return NULL;
    }
    auth->loop = loop;
    auth->config = config;
    auth->changed = changed;
    auth->terminal = terminal;
    auth->data = data;
    return auth;
}

void auth_free(struct auth *auth)
{
    if (auth == NULL)
        return;
    exec_plugin_cancel(auth->running);
    exec_credentials_free(&auth->given);
    config_wipe(&auth->file_token);
    mem_free(auth);
}

unsigned auth_generation(const struct auth *auth)
{
    return auth->generation;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads the token file if it changed, or is due. One that cannot be read leaves the last token in use, if there was one. */
static bool read_token_file(struct auth *auth, struct error *err)
{
    struct stat now = {0};
    const char *path = auth->config->token_file;
    bool there = stat(path, &now) == 0;
    if (auth->file_token != NULL && clock_monotonic_ms() - auth->file_read_at < TOKEN_FILE_MS && there && same_file(&now, &auth->file_seen))
        return true;
    char *text = config_read_file(path, err);
    size_t length = text != NULL ? strcspn(text, "\r\n") : 0;
    if (text != NULL && (length == 0 || text[length + strspn(text + length, " \r\n")] != '\0')) {
        config_wipe(&text);
        error_set(err, ERROR_INPUT, path, "the token file %.300s must hold one line, the token", path);
    }
    if (text == NULL)
        return auth->file_token != NULL || auth->config->token != NULL;
    text[length] = '\0';
    if (auth->file_token == NULL || strcmp(auth->file_token, text) != 0)
        auth->generation++;
    config_wipe(&auth->file_token);
    auth->file_token = text;
    auth->file_seen = now;
    auth->file_read_at = clock_monotonic_ms();
    return true;
}

static void on_plugin(void *data, struct exec_credentials *given, const struct error *error)
{
    struct auth *auth = data;
    auth->running = NULL;
    if (error == NULL) {
        exec_credentials_free(&auth->given);
        auth->given = *given;
        auth->have = true;
        auth->generation++;
    }
    auth->changed(auth->data, error);
}

/* A plugin is only asked where the kubeconfig has nothing itself, as client-go does. */
static bool uses_plugin(const struct kube_config *config)
{
    return config->exec.command != NULL && config->token == NULL && config->token_file == NULL && config->username == NULL && config->password == NULL;
}

enum auth_state auth_look(struct auth *auth, struct credentials *credentials, struct error *err)
{
    const struct kube_config *config = auth->config;
    *credentials = (struct credentials){.token = config->token, .username = config->username, .password = config->password,
                                        .certificate = config->client_certificate, .key = config->client_key};
    if (config->token_file != NULL) {
        if (!read_token_file(auth, err))
            return AUTH_FAILED;
        if (auth->file_token != NULL)
            credentials->token = auth->file_token;
    }
    if (!uses_plugin(config))
        return AUTH_READY;
    if (auth->running == NULL && !(auth->have && (auth->given.until < 0 || clock_monotonic_ms() < auth->given.until))) {
        auth->have = false;
        auth->running = exec_plugin_start(auth->loop, config, on_plugin, auth->terminal, auth, auth->data, err);
        if (auth->running == NULL)
            return AUTH_FAILED;
    }
    if (auth->running != NULL)
        return AUTH_WAIT;
    credentials->token = auth->given.token;
    if (auth->given.certificate != NULL) {
        credentials->certificate = auth->given.certificate;
        credentials->key = auth->given.key;
    }
    return AUTH_READY;
}

bool auth_refused(struct auth *auth, unsigned generation)
{
    if (auth->config->token_file == NULL && !uses_plugin(auth->config))
        return false;
    if (generation == auth->generation) { /* else somebody was faster */
        auth->have = false;
        auth->file_read_at -= TOKEN_FILE_MS;
    }
    return true;
}
