#include "app/practice.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "data/units.h"
#include "net/crypto.h"

#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)
enum { PRACTICE_PEM = 64 << 10, PRACTICE_AUTHORITY_DAYS = 3650, PRACTICE_CERTIFICATE_DAYS = 365, PRACTICE_RENEW_DAYS = 30 };

char *practice_file(const char *name, struct error *err)
{
    char *folder = xdg_file(XDG_STATE, "practice", err), *path = NULL;
    if (folder == NULL || !file_make_folder(folder, 0700, err)) {
        mem_free(folder);
        return NULL;
    }
    path = file_join(folder, name);
    if (path == NULL)
        error_memory(err);
    mem_free(folder);
    return path;
}

static void wipe(char *secret)
{
    if (secret != NULL)
        explicit_bzero(secret, strlen(secret));
    mem_free(secret);
}

void practice_keys_free(struct practice_keys *keys)
{
    wipe(keys->authority_key);
    wipe(keys->server_key);
    wipe(keys->client_key);
    wipe(keys->token_key);
    mem_free(keys->authority);
    mem_free(keys->server);
    mem_free(keys->client);
    *keys = (struct practice_keys){0};
}

static bool write_pem(const char *name, const char *pem, struct error *err)
{
    char *path = practice_file(name, err);
    bool ok = path != NULL && file_write(path, pem, strlen(pem), 0600, err);
    mem_free(path);
    return ok;
}

/* A PEM of ours, or NULL without an error where there is none yet. */
static bool read_pem(const char *name, char **pem, struct error *err)
{
    char *path = practice_file(name, err);
    if (path == NULL)
        return false;
    *pem = file_exists(path) ? file_read(path, PRACTICE_PEM, NULL, err) : NULL;
    bool ok = *pem != NULL || !file_exists(path);
    mem_free(path);
    return ok;
}

/* The key in a file, made if it is missing; *pem gets its text. *fresh turns true if it was made: certificates for an older one
 * are worth nothing. */
static struct crypto_key *get_key(const char *name, char **pem, bool *fresh, struct error *err)
{
    struct crypto_key *key = NULL;
    if (!read_pem(name, pem, err))
        return NULL;
    if (*pem != NULL)
        key = crypto_key_read(*pem, NULL); /* a damaged one is replaced: it protects nothing but a cluster for practice */
    if (key != NULL)
        return key;
    wipe(*pem);
    *pem = NULL;
    *fresh = true;
    key = crypto_key_new(err);
    if (key == NULL)
        return NULL;
    *pem = crypto_key_pem(key, err);
    if (*pem == NULL || !write_pem(name, *pem, err)) {
        crypto_key_free(key);
        return NULL;
    }
    return key;
}

/* The certificate in a file, if it lasts, else a new one. */
static bool get_certificate(const char *name, struct crypto_certificate *wanted, int days, bool fresh, char **pem,
                            struct error *err)
{
    int64_t now = clock_wall_ms(), until = 0;
    if (!read_pem(name, pem, err))
        return false;
    if (*pem != NULL && !fresh && crypto_certificate_until(*pem, &until, NULL) && until > now + PRACTICE_RENEW_DAYS * DAY_MS)
        return true;
    mem_free(*pem);
    wanted->from_ms = now - DAY_MS; /* a clock that is a little behind must not refuse it */
    wanted->until_ms = now + days * DAY_MS;
    *pem = crypto_certificate_new(wanted, err);
    return *pem != NULL && write_pem(name, *pem, err);
}

bool practice_keys_get(struct practice_keys *keys, struct error *err)
{
    static const char *const names[] = {"localhost",
                                        "127.0.0.1",
                                        "kubernetes",
                                        "kubernetes.default",
                                        "kubernetes.default.svc",
                                        "kubernetes.default.svc.cluster.local",
                                        "10.96.0.1",
                                        NULL};
    static const char *const masters[] = {"system:masters", NULL};
    struct crypto_key *authority = NULL, *server = NULL, *client = NULL, *token = NULL;
    bool fresh = false, server_fresh = false, client_fresh = false, token_fresh = false;
    *keys = (struct practice_keys){0};
    bool ok = (authority = get_key("ca.key", &keys->authority_key, &fresh, err)) != NULL &&
              (server = get_key("server.key", &keys->server_key, &server_fresh, err)) != NULL &&
              (client = get_key("client.key", &keys->client_key, &client_fresh, err)) != NULL &&
              (token = get_key("token.key", &keys->token_key, &token_fresh, err)) != NULL;
    char *before = NULL;
    ok = ok && read_pem("ca.crt", &before, err) &&
         get_certificate("ca.crt",
                         &(struct crypto_certificate){
                             .use = CRYPTO_AUTHORITY, .key = authority, .common_name = "kubetutor practice cluster"},
                         PRACTICE_AUTHORITY_DAYS, fresh, &keys->authority, err);
    fresh = fresh || before == NULL || (ok && strcmp(before, keys->authority) != 0); /* a new authority signs everything anew */
    mem_free(before);
    ok = ok &&
         get_certificate("server.crt",
                         &(struct crypto_certificate){.use = CRYPTO_SERVER,
                                                      .key = server,
                                                      .common_name = "kube-apiserver",
                                                      .names = names,
                                                      .issuer = keys->authority,
                                                      .issuer_key = authority},
                         PRACTICE_CERTIFICATE_DAYS, fresh || server_fresh, &keys->server, err) &&
         get_certificate("client.crt",
                         &(struct crypto_certificate){.use = CRYPTO_CLIENT,
                                                      .key = client,
                                                      .common_name = "kubernetes-admin",
                                                      .organizations = masters,
                                                      .issuer = keys->authority,
                                                      .issuer_key = authority},
                         PRACTICE_CERTIFICATE_DAYS, fresh || client_fresh, &keys->client, err);
    crypto_key_free(authority);
    crypto_key_free(server);
    crypto_key_free(client);
    crypto_key_free(token);
    if (!ok)
        practice_keys_free(keys);
    return ok;
}

char *practice_kubeconfig(struct error *err)
{
    return practice_file("kubeconfig", err);
}

char *practice_write_kubeconfig(const struct practice_keys *keys, uint16_t port, struct error *err)
{
    char *path = practice_kubeconfig(err);
    char *ca = base64_encode(keys->authority, strlen(keys->authority)),
         *crt = base64_encode(keys->client, strlen(keys->client));
    char *key = base64_encode(keys->client_key, strlen(keys->client_key));
    struct buf text = buf_make(PRACTICE_PEM);
    bool ok = path != NULL;
    if (ok && (ca == NULL || crt == NULL || key == NULL))
        ok = error_memory(err);
    if (ok) {
        buf_printf(&text,
                   "apiVersion: v1\nkind: Config\nclusters:\n- name: kubetutor\n  cluster:\n    server: https://127.0.0.1:%u\n "
                   "   certificate-authority-data: %s\n",
                   port, ca);
        buf_printf(&text, "users:\n- name: kubetutor\n  user:\n    client-certificate-data: %s\n    client-key-data: %s\n", crt,
                   key);
        buf_append_string(&text, "contexts:\n- name: kubetutor\n  context:\n    cluster: kubetutor\n    user: "
                                 "kubetutor\ncurrent-context: kubetutor\n");
        ok = buf_ok(&text) ? file_write(path, text.bytes, text.length, 0600, err) : error_memory(err);
    }
    if (text.bytes != NULL)
        explicit_bzero(text.bytes, text.length);
    buf_free(&text);
    mem_free(ca);
    mem_free(crt);
    wipe(key);
    if (ok)
        return path;
    mem_free(path);
    return NULL;
}
