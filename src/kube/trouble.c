/* A failed transfer as a sentence that somebody who learns understands. */
#include <errno.h>
#include <string.h>

#include "base/lang.h"
#include "kube/easy.h"

/* What OpenSSL and curl say (parts of it), and what it means. The first that fits. %s is the server. */
static const struct {
    CURLcode code; /* CURLE_OK: any */
    const char *part; /* of curl's words; NULL: any */
    enum error_kind kind;
    const char *sentence;
} troubles[] = {
    {CURLE_OUT_OF_MEMORY, NULL, ERROR_MEMORY, N_("out of memory while talking to %s")},
    {CURLE_COULDNT_RESOLVE_PROXY, NULL, ERROR_UNREACHABLE, N_("the name of the proxy in front of %s is not known")},
    {CURLE_COULDNT_RESOLVE_HOST, NULL, ERROR_UNREACHABLE, N_("the host name of the API server %s is not known; check the spelling in the kubeconfig, and the network")},
    {CURLE_OPERATION_TIMEDOUT, NULL, ERROR_UNREACHABLE, N_("the API server %s does not answer")},
    {CURLE_OK, "CONNECT tunnel failed", ERROR_UNREACHABLE, N_("the proxy in front of %s refuses the connection")},
    {CURLE_PROXY, NULL, ERROR_UNREACHABLE, N_("the proxy in front of %s does not let us through")},
    {CURLE_OK, "certificate has expired", ERROR_UNREACHABLE, N_("the certificate of the API server %s has expired; it must be renewed (or this machine's clock is wrong)")},
    {CURLE_OK, "certificate is not yet valid", ERROR_UNREACHABLE, N_("the certificate of the API server %s is not valid yet; is this machine's clock wrong?")},
    {CURLE_OK, "does not match target host name", ERROR_UNREACHABLE, N_("the certificate of the API server %s is made for another host name (tls-server-name in the kubeconfig can say which one)")},
    {CURLE_OK, "no alternative certificate subject name", ERROR_UNREACHABLE, N_("the certificate of the API server %s is made for another host name (tls-server-name in the kubeconfig can say which one)")},
    {CURLE_OK, "self-signed certificate", ERROR_UNREACHABLE, N_("the certificate of the API server %s is signed by an authority that the kubeconfig does not name (certificate-authority); is this another cluster?")},
    {CURLE_OK, "self signed certificate", ERROR_UNREACHABLE, N_("the certificate of the API server %s is signed by an authority that the kubeconfig does not name (certificate-authority); is this another cluster?")},
    {CURLE_OK, "unable to get local issuer", ERROR_UNREACHABLE, N_("the certificate of the API server %s is signed by an authority that the kubeconfig does not name (certificate-authority); is this another cluster?")},
    {CURLE_OK, "certificate signature failure", ERROR_UNREACHABLE, N_("the certificate of the API server %s is not signed by the authority that the kubeconfig names (certificate-authority); is this another cluster?")},
    {CURLE_PEER_FAILED_VERIFICATION, NULL, ERROR_UNREACHABLE, N_("the certificate of the API server %s cannot be trusted")},
    {CURLE_OK, "wrong version number", ERROR_UNREACHABLE, N_("the server at %s does not speak TLS: should the kubeconfig say http:// instead of https://, or another port?")},
    {CURLE_OK, "packet length too long", ERROR_UNREACHABLE, N_("the server at %s does not speak TLS: should the kubeconfig say http:// instead of https://, or another port?")},
    {CURLE_OK, "alert certificate required", ERROR_UNAUTHENTICATED, N_("the API server %s asks for a client certificate, and the kubeconfig gives none")},
    {CURLE_OK, "alert certificate expired", ERROR_UNAUTHENTICATED, N_("the API server %s refuses our client certificate: it has expired")},
    {CURLE_OK, "alert bad certificate", ERROR_UNAUTHENTICATED, N_("the API server %s refuses our client certificate")},
    {CURLE_OK, "alert unknown ca", ERROR_UNAUTHENTICATED, N_("the API server %s refuses our client certificate: it does not know who signed it")},
    {CURLE_SSL_CERTPROBLEM, NULL, ERROR_INPUT, N_("the client certificate and key of the kubeconfig cannot be used for %s; do they belong together?")},
    {CURLE_SSL_CACERT_BADFILE, NULL, ERROR_INPUT, N_("the certificate authority of the kubeconfig cannot be used for %s")},
    {CURLE_SSL_CONNECT_ERROR, NULL, ERROR_UNREACHABLE, N_("no secure connection to the API server %s could be made")},
    {CURLE_UNSUPPORTED_PROTOCOL, NULL, ERROR_UNREACHABLE, N_("the server at %s does not speak HTTP: should the kubeconfig say https:// instead of http://, or another port?")},
    {CURLE_WEIRD_SERVER_REPLY, NULL, ERROR_UNREACHABLE, N_("the server at %s does not speak HTTP properly")},
    {CURLE_BAD_CONTENT_ENCODING, NULL, ERROR_UNREACHABLE, N_("the answer of the API server %s is damaged")},
    {CURLE_PARTIAL_FILE, NULL, ERROR_UNREACHABLE, N_("the connection to the API server %s broke in the middle of an answer")},
};

static const struct {
    int number;
    const char *sentence;
} system_troubles[] = {
    {ECONNREFUSED, N_("the API server %s refuses connections: nothing listens there; is the cluster running?")},
    {ENETUNREACH, N_("there is no way through the network to the API server %s")},
    {EHOSTUNREACH, N_("the machine of the API server %s cannot be reached")},
    {ETIMEDOUT, N_("the machine of the API server %s does not answer")},
    {ECONNRESET, N_("the API server %s broke the connection")},
};

void easy_trouble(const struct easy *easy, CURLcode result, const struct endpoint *endpoint, const struct kube_config *config, struct error *err)
{
    const char *words = easy->words[0] != '\0' ? easy->words : curl_easy_strerror(result), *sentence = NULL;
    enum error_kind kind = ERROR_UNREACHABLE;
    long number = 0, code = 0;
    curl_easy_getinfo(easy->curl, CURLINFO_OS_ERRNO, &number);
    curl_easy_getinfo(easy->curl, CURLINFO_RESPONSE_CODE, &code);
    for (size_t i = 0; sentence == NULL && i < sizeof troubles / sizeof *troubles; i++)
        if ((troubles[i].code == CURLE_OK || troubles[i].code == result) && (troubles[i].part == NULL || strstr(words, troubles[i].part) != NULL)) {
            kind = troubles[i].kind;
            sentence = troubles[i].sentence;
        }
    for (size_t i = 0; sentence == NULL && i < sizeof system_troubles / sizeof *system_troubles; i++)
        if (system_troubles[i].number == number)
            sentence = system_troubles[i].sentence;
    if ((result == CURLE_RECV_ERROR || result == CURLE_GOT_NOTHING) && !endpoint->tls && code == 0 && endpoint->proxy[0] == '\0')
        sentence = N_("the server at %s breaks the connection without an answer: should the kubeconfig say https:// instead of http://?");
    if (result == CURLE_COULDNT_CONNECT && endpoint->proxy[0] != '\0')
        sentence = N_("the proxy in front of the API server %s cannot be reached");
    if (sentence == NULL)
        sentence = result == CURLE_COULDNT_CONNECT ? N_("the API server %s cannot be reached") : N_("the connection to the API server %s broke");
    char text[sizeof err->message];
    struct buf out = buf_make(sizeof text - 1);
    buf_printf(&out, _(sentence), endpoint->authority);
    error_set(err, kind, config->server, "%s", out.bytes != NULL ? out.bytes : words);
    buf_free(&out);
    if (err == NULL)
        return;
    size_t length = strlen(words);
    if (length >= sizeof err->cause)
        length = sizeof err->cause - 1;
    memcpy(err->cause, words, length);
    err->cause[length] = '\0';
}
