#include "kube/easy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/units.h"
#include "kube/client.h"
#include "kube/proxy_choice.h"

enum { URL_MAXIMUM = 256 << 10, HEADERS_MAXIMUM = 2 << 20, CONNECT_MS = 10000 };

void endpoint_free(struct endpoint *endpoint)
{
    mem_free(endpoint->host);
    mem_free(endpoint->authority);
    mem_free(endpoint->prefix);
    mem_free(endpoint->url);
    mem_free(endpoint->connect_to);
    mem_free(endpoint->proxy);
    *endpoint = (struct endpoint){0};
}

/* config_read.c has made sure that the server is SCHEME://HOST[:PORT][/PATH]. */
bool endpoint_make(struct endpoint *endpoint, const struct kube_config *config, struct error *err)
{
    *endpoint = (struct endpoint){.tls = strncasecmp(config->server, "https://", 8) == 0};
    const char *authority = strstr(config->server, "://") + 3;
    size_t length = strcspn(authority, "/");
    const char *start = authority, *end = authority + length, *port = NULL;
    if (*start == '[') {
        start++;
        end = start + strcspn(start, "]");
        port = end[0] == ']' && end[1] == ':' ? end + 2 : NULL;
    } else if (memchr(start, ':', length) != NULL) {
        end = memchr(start, ':', length);
        port = end + 1;
    }
    endpoint->port = port != NULL ? (unsigned)atoi(port) : endpoint->tls ? 443 : 80;
    endpoint->host = mem_string_n(start, (size_t)(end - start));
    endpoint->authority = mem_string_n(authority, length);
    endpoint->prefix = mem_string(authority + length);
    if (endpoint->host == NULL || endpoint->authority == NULL || endpoint->prefix == NULL)
        goto failed;
    bool renamed = endpoint->tls && config->tls_server_name != NULL && strcasecmp(config->tls_server_name, endpoint->host) != 0;
    const char *open = strchr(endpoint->host, ':') != NULL ? "[" : "", *close = *open != '\0' ? "]" : "";
    endpoint->url = renamed ? mem_printf("https://%s:%u", config->tls_server_name, endpoint->port)
                            : mem_printf("%s://%s", endpoint->tls ? "https" : "http", endpoint->authority);
    endpoint->connect_to = renamed ? mem_printf("::%s%s%s:%u", open, endpoint->host, close, endpoint->port) : NULL;
    endpoint->proxy = proxy_choose(config->proxy_url, endpoint->tls, endpoint->host, endpoint->port);
    if (endpoint->url != NULL && endpoint->proxy != NULL && (!renamed || endpoint->connect_to != NULL))
        return true;
failed:
    endpoint_free(endpoint);
    return error_memory(err);
}

static void wipe_list(struct curl_slist *list)
{
    for (const struct curl_slist *item = list; item != NULL; item = item->next)
        explicit_bzero(item->data, strlen(item->data));
    curl_slist_free_all(list);
}

void easy_free(struct easy *easy)
{
    if (easy->curl != NULL)
        curl_easy_cleanup(easy->curl);
    wipe_list(easy->headers);
    curl_slist_free_all(easy->connect_to);
    *easy = (struct easy){0};
}

static bool add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer == NULL)
        return false;
    *list = longer;
    return true;
}

bool easy_add_header(struct easy *easy, const char *name, const char *value, struct error *err)
{
    char *line = mem_printf("%s: %s", name, value);
    bool ok = line != NULL && add_line(&easy->headers, line);
    if (line != NULL)
        explicit_bzero(line, strlen(line));
    mem_free(line);
    return ok || error_memory(err);
}

/* A key of as-user-extra may hold anything; in a header's name it is lower case and percent-encoded. Source: client-go's
 * transport/round_trippers.go (headerKeyEscape). */
static void extra_name(struct buf *out, const char *key, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = key[i] >= 'A' && key[i] <= 'Z' ? (char)(key[i] - 'A' + 'a') : key[i];
        if (strchr("abcdefghijklmnopqrstuvwxyz0123456789!#$&'*+-.^_`|~", c) != NULL)
            buf_append(out, &c, 1);
        else
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

static void authorization_line(const struct credentials *credentials, struct buf *out)
{
    if (credentials->token != NULL) {
        buf_printf(out, "Authorization: Bearer %s\r\n", credentials->token);
        return;
    }
    if (credentials->username == NULL && credentials->password == NULL)
        return;
    char *pair = mem_printf("%s:%s", credentials->username != NULL ? credentials->username : "", credentials->password != NULL ? credentials->password : "");
    char *encoded = pair != NULL ? base64_encode(pair, strlen(pair)) : NULL;
    if (encoded != NULL) {
        buf_printf(out, "Authorization: Basic %s\r\n", encoded);
        explicit_bzero(encoded, strlen(encoded));
    } else
        buf_fail(out);
    if (pair != NULL)
        explicit_bzero(pair, strlen(pair));
    mem_free(pair);
    mem_free(encoded);
}

bool easy_credential_lines(const struct kube_config *config, const struct credentials *credentials, struct buf *out)
{
    authorization_line(credentials, out);
    if (config->impersonate != NULL)
        buf_printf(out, "Impersonate-User: %s\r\n", config->impersonate);
    if (config->impersonate_uid != NULL)
        buf_printf(out, "Impersonate-Uid: %s\r\n", config->impersonate_uid);
    for (size_t i = 0; i < config->impersonate_groups.length; i++)
        buf_printf(out, "Impersonate-Group: %s\r\n", (const char *)config->impersonate_groups.items[i]);
    for (size_t i = 0; i < config->impersonate_extra.length; i++) {
        const char *pair = config->impersonate_extra.items[i], *equals = strchr(pair, '=');
        buf_append_string(out, "Impersonate-Extra-");
        extra_name(out, pair, (size_t)(equals - pair));
        buf_printf(out, ": %s\r\n", equals + 1);
    }
    return buf_ok(out);
}

/* The lines go to curl one by one. */
static bool add_credentials(struct easy *easy, const struct kube_config *config, const struct credentials *credentials)
{
    struct buf lines = buf_make(HEADERS_MAXIMUM);
    bool ok = easy_credential_lines(config, credentials, &lines);
    for (char *line = lines.bytes; ok && line != NULL && *line != '\0';) {
        char *end = strstr(line, "\r\n");
        *end = '\0';
        ok = add_line(&easy->headers, line);
        line = end + 2;
    }
    if (lines.bytes != NULL)
        explicit_bzero(lines.bytes, lines.length);
    buf_free(&lines);
    return ok;
}

static bool set_pem(CURL *curl, CURLoption option, const char *pem)
{
    struct curl_blob blob = {.data = NULL, .len = strlen(pem), .flags = CURL_BLOB_COPY};
    memcpy(&blob.data, &pem, sizeof pem); /* curl's field is not const, but only read */
    return curl_easy_setopt(curl, option, &blob) == CURLE_OK;
}

static bool set_tls(CURL *curl, const struct kube_config *config, const struct credentials *credentials)
{
    long verify = config->insecure_skip_tls_verify ? 0 : 1;
    bool ok = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, verify) == CURLE_OK &&
              curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, verify * 2) == CURLE_OK &&
              curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
              /* without one OpenSSL would ask for a key's password on the terminal */
              curl_easy_setopt(curl, CURLOPT_KEYPASSWD, "") == CURLE_OK;
    if (ok && config->ca != NULL)
        ok = set_pem(curl, CURLOPT_CAINFO_BLOB, config->ca);
    if (ok && credentials->certificate != NULL)
        ok = set_pem(curl, CURLOPT_SSLCERT_BLOB, credentials->certificate) && set_pem(curl, CURLOPT_SSLKEY_BLOB, credentials->key);
    return ok;
}

static bool set_address(struct easy *easy, const struct endpoint *endpoint, const char *path, const char *query, struct error *err)
{
    struct buf url = buf_make(URL_MAXIMUM);
    buf_printf(&url, "%s%s%s%s%s", endpoint->url, endpoint->prefix, path, query != NULL && query[0] != '\0' ? "?" : "", query != NULL ? query : "");
    bool ok = buf_ok(&url) && curl_easy_setopt(easy->curl, CURLOPT_URL, url.bytes) == CURLE_OK;
    buf_free(&url);
    if (!ok || endpoint->connect_to == NULL)
        return ok;
    return add_line(&easy->connect_to, endpoint->connect_to) && curl_easy_setopt(easy->curl, CURLOPT_CONNECT_TO, easy->connect_to) == CURLE_OK &&
           easy_add_header(easy, "Host", endpoint->authority, err);
}

bool easy_make(struct easy *easy, const struct endpoint *endpoint, const struct kube_config *config, const struct credentials *credentials,
               CURLSH *share, const char *path, const char *query, struct error *err)
{
    *easy = (struct easy){0};
    CURL *curl = easy->curl = curl_easy_init();
    static const struct {
        CURLoption option;
        long value;
    } settings[] = {
        {CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
        {CURLOPT_PATH_AS_IS, 1},
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
        {CURLOPT_TCP_KEEPALIVE, 1},
        {CURLOPT_TCP_KEEPIDLE, 30},
        {CURLOPT_TCP_KEEPINTVL, 10},
        {CURLOPT_QUICK_EXIT, 1}, /* else giving up while a name is looked up blocks until the resolver is done */
        {CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    };
    bool ok = curl != NULL;
    for (size_t i = 0; ok && i < sizeof settings / sizeof *settings; i++)
        ok = curl_easy_setopt(curl, settings[i].option, settings[i].value) == CURLE_OK;
    /* TLS says at once whether many requests may share a connection; without it curl would wait for the first answer, which may never come */
    ok = ok && curl_easy_setopt(curl, CURLOPT_PIPEWAIT, endpoint->tls ? 1L : 0L) == CURLE_OK &&
         curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, easy->words) == CURLE_OK && curl_easy_setopt(curl, CURLOPT_SHARE, share) == CURLE_OK &&
         curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
         curl_easy_setopt(curl, CURLOPT_USERAGENT, "kubetutor/" KT_VERSION) == CURLE_OK &&
         curl_easy_setopt(curl, CURLOPT_PROXY, endpoint->proxy) == CURLE_OK && curl_easy_setopt(curl, CURLOPT_NOPROXY, "") == CURLE_OK &&
         set_address(easy, endpoint, path, query, err) && set_tls(curl, config, credentials) && add_credentials(easy, config, credentials) &&
         add_line(&easy->headers, "Expect:"); /* no round trip before a large body */
    if (ok)
        return true;
    easy_free(easy);
    return error_memory(err);
}
