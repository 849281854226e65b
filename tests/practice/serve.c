/* serve.c: the practice cluster's API server as a program of its own, for tests and by hand:
 *     practice_serve FOLDER [PORT] [STATE|-] [-b] [-v]
 * makes keys and certificates in FOLDER (ca.crt, client.crt, client.key and the rest are kept from run to run), serves, prints the port, and writes
 * FOLDER/kubeconfig. `-`, the default, keeps nothing. Ends at INT and TERM.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/units.h"
#include "loop/loop.h"
#include "net/crypto.h"
#include "practice/api/server.h"
#include "fake_backend.h"

#define YEAR_MS ((int64_t)365 * 24 * 3600 * 1000)

struct pems {
    char *authority, *server, *server_key, *client, *client_key, *token_key;
};

static const char *const names[] = {"ca.crt", "server.crt", "server.key", "client.crt", "client.key", "token.key"};

static char **pem(struct pems *pems, size_t i)
{
    char **all[] = {&pems->authority, &pems->server, &pems->server_key, &pems->client, &pems->client_key, &pems->token_key};
    return all[i];
}

static bool read_pems(const char *folder, struct pems *pems)
{
    for (size_t i = 0; i < 6; i++) {
        char *path = file_join(folder, names[i]);
        *pem(pems, i) = file_read(path, 1 << 16, NULL, NULL);
        mem_free(path);
        if (*pem(pems, i) == NULL)
            return false;
    }
    return true;
}

static char *certificate(enum crypto_use use, const char *name, const char *const *organizations, const struct crypto_key *key, const char *issuer,
                         const struct crypto_key *issuer_key, struct error *err)
{
    static const char *const hosts[] = {"localhost", "kubernetes", "kubernetes.default.svc", "127.0.0.1", NULL};
    struct crypto_certificate wanted = {
        .use = use,
        .key = key,
        .common_name = name,
        .organizations = organizations,
        .names = use == CRYPTO_SERVER ? hosts : NULL,
        .from_ms = clock_wall_ms() - 3600 * 1000,
        .until_ms = clock_wall_ms() + YEAR_MS,
        .issuer = issuer,
        .issuer_key = issuer_key,
    };
    return crypto_certificate_new(&wanted, err);
}

static bool make_pems(const char *folder, struct pems *pems, struct error *err)
{
    static const char *const masters[] = {"system:masters", NULL};
    struct crypto_key *keys[4];
    for (size_t i = 0; i < 4; i++)
        keys[i] = crypto_key_new(err);
    pems->authority = certificate(CRYPTO_AUTHORITY, "practice", NULL, keys[0], NULL, NULL, err);
    pems->server = certificate(CRYPTO_SERVER, "practice", NULL, keys[1], pems->authority, keys[0], err);
    pems->server_key = crypto_key_pem(keys[1], err);
    pems->client = certificate(CRYPTO_CLIENT, "kubernetes-admin", masters, keys[2], pems->authority, keys[0], err);
    pems->client_key = crypto_key_pem(keys[2], err);
    pems->token_key = crypto_key_pem(keys[3], err);
    bool made = true;
    for (size_t i = 0; made && i < 6; i++) {
        char *path = file_join(folder, names[i]);
        made = *pem(pems, i) != NULL && file_write(path, *pem(pems, i), strlen(*pem(pems, i)), 0600, err);
        mem_free(path);
    }
    for (size_t i = 0; i < 4; i++)
        crypto_key_free(keys[i]);
    return made;
}

static bool write_kubeconfig(const char *folder, const struct pems *pems, unsigned port, struct error *err)
{
    struct buf text = buf_make(1 << 20);
    char *ca = base64_encode(pems->authority, strlen(pems->authority)), *client = base64_encode(pems->client, strlen(pems->client));
    char *key = base64_encode(pems->client_key, strlen(pems->client_key)), *path = file_join(folder, "kubeconfig");
    buf_printf(&text,
               "apiVersion: v1\nkind: Config\ncurrent-context: practice\nclusters:\n- name: practice\n  cluster: {server: 'https://127.0.0.1:%u', "
               "certificate-authority-data: %s}\n"
               "contexts:\n- name: practice\n  context: {cluster: practice, user: admin}\nusers:\n- name: admin\n  user: {client-certificate-data: "
               "%s, client-key-data: %s}\n",
               port, ca, client, key);
    bool written = buf_ok(&text) && file_write(path, text.bytes, text.length, 0600, err);
    mem_free(ca);
    mem_free(client);
    mem_free(key);
    mem_free(path);
    buf_free(&text);
    return written;
}

static void stop(void *data, int number)
{
    (void)number;
    loop_stop(data);
}

static int complain(const struct error *err)
{
    fprintf(stderr, "practice_serve: %s %s %s\n", err->where, err->message, err->cause);
    return 1;
}

int main(int count, char **words)
{
    struct error err = ERROR_INIT;
    struct pems pems = {0};
    struct log log = log_to(stderr);
    bool verbose = count > 1 && strcmp(words[count - 1], "-v") == 0;
    count -= verbose;
    bool pretend = count > 1 && strcmp(words[count - 1], "-b") == 0; /* somebody runs Pods (api/fake_backend.h) */
    count -= pretend;
    if (count < 2) {
        fprintf(stderr, "practice_serve FOLDER [PORT] [STATE|-] [-b] [-v]\n");
        return 2;
    }
    int64_t began = clock_monotonic_us();
    if (!file_make_folder(words[1], 0700, &err) || (!read_pems(words[1], &pems) && !make_pems(words[1], &pems, &err)))
        return complain(&err);
    struct loop *loop = loop_new(&err);
    struct server_options options = {
        .state_path = count > 3 && strcmp(words[3], "-") != 0 ? words[3] : NULL,
        .address = "127.0.0.1",
        .port = (uint16_t)(count > 2 ? atoi(words[2]) : 0),
        .certificate = pems.server,
        .key = pems.server_key,
        .authority = pems.authority,
        .token_key = pems.token_key,
        .log = verbose ? &log : NULL,
    };
    struct server *server = server_new(loop, &options, &err);
    if (server == NULL)
        return complain(&err);
    if (!write_kubeconfig(words[1], &pems, server_port(server), &err))
        return complain(&err);
    struct fake *fake = pretend ? fake_new(loop) : NULL;
    if (fake != NULL)
        api_set_backend(server_api(server), fake_backend(fake));
    printf("%u\n", server_port(server));
    fflush(stdout);
    fprintf(stderr, "ready after %.1f ms\n", (double)(clock_monotonic_us() - began) / 1000);
    struct loop_event *interrupt = loop_add_signal(loop, SIGINT, stop, loop), *end = loop_add_signal(loop, SIGTERM, stop, loop);
    loop_run(loop);
    loop_drop(interrupt);
    loop_drop(end);
    server_free(server);
    if (fake != NULL)
        fake_free(fake);
    loop_free(loop);
    for (size_t i = 0; i < 6; i++)
        mem_free(*pem(&pems, i));
    return 0;
}
