/* easy.h: a curl handle with everything that the kubeconfig says: address, proxy, TLS, credentials, impersonation.
 */
#ifndef KT_KUBE_EASY_H
#define KT_KUBE_EASY_H

#include <curl/curl.h>

#include "base/buf.h"
#include "kube/auth.h"
#include "kube/config.h"

/* The server's address in parts. */
struct endpoint {
    bool tls;
    unsigned port;
    char *host;       /* without brackets */
    char *authority;  /* "10.0.0.1:6443", "[::1]:6443": for Host headers and messages */
    char *prefix;     /* the path of the server's URL, "" for none */
    char *url;        /* scheme and authority to give curl: with tls-server-name as the host, so that SNI and verification use it */
    char *connect_to; /* then: "::host:port", where to connect really; else NULL */
    char *proxy;      /* "" for none */
};
bool endpoint_make(struct endpoint *endpoint, const struct kube_config *config, struct error *err);
void endpoint_free(struct endpoint *endpoint);

struct easy {
    CURL *curl;
    struct curl_slist *headers, *connect_to;
    char words[CURL_ERROR_SIZE]; /* curl's own, of the last failure */
};

/* Makes a handle for server + path + "?" + query. Not yet set: method, body, callbacks. The struct must stay where it is. */
bool easy_make(struct easy *easy, const struct endpoint *endpoint, const struct kube_config *config, const struct credentials *credentials,
               CURLSH *share, const char *path, const char *query, struct error *err);
bool easy_add_header(struct easy *easy, const char *name, const char *value, struct error *err);
/* Credentials and impersonation as header lines with CRLF, for a request that curl does not write itself. */
bool easy_credential_lines(const struct kube_config *config, const struct credentials *credentials, struct buf *out);
void easy_free(struct easy *easy); /* secrets are wiped; must no longer be in a multi handle */

/* trouble.c: what a failed transfer means, in a sentence; curl's words are the cause. */
void easy_trouble(const struct easy *easy, CURLcode result, const struct endpoint *endpoint, const struct kube_config *config, struct error *err);

#endif
