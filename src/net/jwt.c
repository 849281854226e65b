/* JSON Web Tokens: HEADER.CLAIMS.SIGNATURE, each in base64url without padding; the signature is r and s, 32 bytes each. */
#include <stdio.h>
#include <string.h>

#include <openssl/ecdsa.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/internal.h"

enum { TOKEN_MAXIMUM = 16 * 1024, HALF = 32, SIGNATURE = 2 * HALF };
static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char HEADER_START[] = "{\"alg\":\"ES256\",\"kid\":\"";

static void encode(struct buf *to, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i += 3) {
        size_t have = length - i < 3 ? length - i : 3;
        unsigned bits = (unsigned)bytes[i] << 16 | (have > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (have > 2 ? bytes[i + 2] : 0);
        char text[4] = {ALPHABET[bits >> 18], ALPHABET[bits >> 12 & 63], ALPHABET[bits >> 6 & 63], ALPHABET[bits & 63]};
        buf_append(to, text, have + 1);
    }
}

/* The bytes, a NUL after them; NULL for what no encoder writes (bits left over that are not zero) or no memory. The caller frees. */
static char *decode(const char *text, size_t length, size_t *decoded)
{
    if (length % 4 == 1)
        return NULL;
    char *bytes = mem_alloc(length / 4 * 3 + 3);
    if (bytes == NULL)
        return NULL;
    size_t at = 0;
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] != '\0' ? strchr(ALPHABET, text[i]) : NULL;
        if (digit == NULL)
            goto malformed;
        bits = bits << 6 | (unsigned)(digit - ALPHABET);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes[at++] = (char)(bits >> count & 0xff);
        }
        bits &= (1U << count) - 1;
    }
    if (bits != 0)
        goto malformed;
    bytes[at] = '\0';
    *decoded = at;
    return bytes;
malformed:
    mem_free(bytes);
    return NULL;
}

/* OpenSSL's signature is DER. */
static bool sign(const struct crypto_key *key, const char *text, size_t length, unsigned char signature[SIGNATURE])
{
    unsigned char der[96];
    size_t der_length = sizeof der;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool signed_ = context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key->pkey) == 1 &&
                   EVP_DigestSign(context, der, &der_length, (const unsigned char *)text, length) == 1;
    EVP_MD_CTX_free(context);
    const unsigned char *at = der;
    ECDSA_SIG *parts = signed_ ? d2i_ECDSA_SIG(NULL, &at, (long)der_length) : NULL;
    bool done = parts != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(parts), signature, HALF) == HALF &&
                BN_bn2binpad(ECDSA_SIG_get0_s(parts), signature + HALF, HALF) == HALF;
    ECDSA_SIG_free(parts);
    return done;
}

static bool verify(const struct crypto_key *key, const char *text, size_t length, const unsigned char signature[SIGNATURE])
{
    ECDSA_SIG *parts = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, HALF, NULL), *s = BN_bin2bn(signature + HALF, HALF, NULL);
    if (parts == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(parts, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        ECDSA_SIG_free(parts);
        return false;
    }
    unsigned char *der = NULL;
    int der_length = i2d_ECDSA_SIG(parts, &der);
    ECDSA_SIG_free(parts);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool verified = der_length > 0 && context != NULL && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->pkey) == 1 &&
                    EVP_DigestVerify(context, der, (size_t)der_length, (const unsigned char *)text, length) == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    return verified;
}

static bool is_plain(const char *kid)
{
    for (; *kid != '\0'; kid++)
        if (*kid < 0x20 || *kid > 0x7e || *kid == '"' || *kid == '\\')
            return false;
    return true;
}

char *crypto_jwt_sign(const struct crypto_key *key, const char *kid, const char *claims, struct error *err)
{
    if (!is_plain(kid)) {
        error_set(err, ERROR_INPUT, NULL, "the name of a token's key must be printable ASCII without quotes");
        return NULL;
    }
    struct buf header = buf_make(TOKEN_MAXIMUM), token = buf_make(TOKEN_MAXIMUM);
    buf_printf(&header, "%s%s\"}", HEADER_START, kid);
    if (buf_ok(&header))
        encode(&token, header.bytes, header.length);
    buf_append(&token, ".", 1);
    encode(&token, claims, strlen(claims));
    unsigned char signature[SIGNATURE];
    bool written = buf_ok(&header) && buf_ok(&token);
    bool done = written && sign(key, token.bytes, token.length, signature);
    buf_append(&token, ".", 1);
    if (done)
        encode(&token, signature, sizeof signature);
    buf_free(&header);
    if (done && buf_ok(&token))
        return buf_take(&token, NULL);
    if (written && !done)
        crypto_fail(err, ERROR_INTERNAL, "cannot sign a token");
    else if (token.length + strlen(claims) > TOKEN_MAXIMUM / 2)
        error_set(err, ERROR_LIMIT, NULL, "a token of over %d bytes", TOKEN_MAXIMUM);
    else
        error_memory(err);
    buf_free(&token);
    return NULL;
}

/* A token's header begins as we write it: there is one algorithm, and nothing to be chosen by who sends it. */
static bool is_our_header(const char *text, size_t length)
{
    size_t decoded;
    char *header = decode(text, length, &decoded);
    bool ours = header != NULL && strncmp(header, HEADER_START, sizeof HEADER_START - 1) == 0;
    mem_free(header);
    return ours;
}

static bool is_signed(const struct crypto_key *key, const char *token, const char *signature)
{
    size_t length;
    char *bytes = decode(signature, strlen(signature), &length);
    bool good = bytes != NULL && length == SIGNATURE &&
                verify(key, token, (size_t)(signature - 1 - token), (const unsigned char *)bytes);
    mem_free(bytes);
    return good;
}

char *crypto_jwt_claims(const struct crypto_key *key, const char *token, struct error *err)
{
    size_t length = strnlen(token, TOKEN_MAXIMUM + 1), decoded;
    const char *first = length <= TOKEN_MAXIMUM ? strchr(token, '.') : NULL, *second = first != NULL ? strchr(first + 1, '.') : NULL;
    if (second == NULL || !is_our_header(token, (size_t)(first - token)) || !is_signed(key, token, second + 1)) {
        crypto_fail(err, ERROR_UNAUTHENTICATED, "the token was not signed with the key of this cluster");
        return NULL;
    }
    char *claims = decode(first + 1, (size_t)(second - first - 1), &decoded);
    if (claims != NULL && strlen(claims) == decoded)
        return claims;
    mem_free(claims);
    crypto_fail(err, ERROR_UNAUTHENTICATED, "the token's claims cannot be read");
    return NULL;
}
