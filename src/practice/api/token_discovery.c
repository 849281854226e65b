/* How anybody can check ServiceAccount tokens: OpenID Connect's description of the issuer, and its public key as a JSON Web Key. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "net/crypto.h"
#include "practice/api/access_internal.h"

static bool print_issuer(const struct api *api, struct buf *out)
{
    buf_printf(out,
               "{\"issuer\":\"" TOKEN_ISSUER "\",\"jwks_uri\":\"https://%s:%u/openid/v1/jwks\",\"response_types_supported\":[\"id_token\"],"
               "\"subject_types_supported\":[\"public\"],\"id_token_signing_alg_values_supported\":[\"ES256\"]}",
               api->host, api->port);
    return buf_ok(out);
}

/* base64 of RFC 7515: the URL's alphabet, no padding. */
static bool put_number(const unsigned char number[static 32], struct buf *out)
{
    char *text = base64_encode(number, 32);
    for (char *at = text; at != NULL && *at != '\0'; at++)
        *at = *at == '+' ? '-' : *at == '/' ? '_' : *at == '=' ? '\0' : *at;
    if (text != NULL)
        buf_append_string(out, text);
    bool whole = text != NULL;
    mem_free(text);
    return whole;
}

static bool print_keys(const struct api *api, struct buf *out)
{
    unsigned char x[32], y[32];
    char id[65];
    if (!crypto_key_point(api->token_key, x, y, NULL) || !token_key_id(api->token_key, id, NULL))
        return false;
    buf_printf(out, "{\"keys\":[{\"use\":\"sig\",\"kty\":\"EC\",\"kid\":\"%s\",\"crv\":\"P-256\",\"alg\":\"ES256\",\"x\":\"", id);
    bool whole = put_number(x, out);
    buf_append_string(out, "\",\"y\":\"");
    whole = whole && put_number(y, out);
    buf_append_string(out, "\"}]}");
    return whole && buf_ok(out);
}

static const struct {
    const char *path, *type;
    bool (*print)(const struct api *api, struct buf *out);
} documents[] = {
    {"/.well-known/openid-configuration", "application/json", print_issuer},
    {"/openid/v1/jwks", "application/jwk-set+json", print_keys},
};

const char *token_discovery_type(const char *path)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(path, documents[i].path) == 0)
            return documents[i].type;
    return NULL;
}

bool token_discovery_print(const struct api *api, const char *path, struct buf *out)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(path, documents[i].path) == 0)
            return documents[i].print(api, out);
    return false;
}
