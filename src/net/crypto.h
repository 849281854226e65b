/* crypto.h: keys, certificates, signatures, digests, random bytes (OpenSSL; nobody else knows). Keys are ECDSA P-256.
 */
#ifndef KT_NET_CRYPTO_H
#define KT_NET_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct crypto_key; /* a private key */

struct crypto_key *crypto_key_new(struct error *err) __attribute__((warn_unused_result));
/* Reads PEM (PKCS #8 or SEC 1). ERROR_INPUT: no such key. */
struct crypto_key *crypto_key_read(const char *pem, struct error *err) __attribute__((warn_unused_result));
void crypto_key_free(struct crypto_key *key); /* NULL is fine */
/* PKCS #8 PEM; the caller frees (mem_free) and keeps it secret. */
char *crypto_key_pem(const struct crypto_key *key, struct error *err) __attribute__((warn_unused_result));
/* SubjectPublicKeyInfo PEM. */
char *crypto_key_public_pem(const struct crypto_key *key, struct error *err) __attribute__((warn_unused_result));
/* The two coordinates, big-endian, for a JWK. */
bool crypto_key_point(const struct crypto_key *key, unsigned char x[32], unsigned char y[32], struct error *err) __attribute__((warn_unused_result));

enum crypto_use { CRYPTO_AUTHORITY, CRYPTO_SERVER, CRYPTO_CLIENT };
struct crypto_certificate {
    enum crypto_use use;
    const struct crypto_key *key;      /* its own */
    const char *common_name;
    const char *const *organizations;  /* NULL-terminated; NULL: none */
    const char *const *names;          /* DNS names and IP addresses (told apart here), NULL-terminated; NULL: none */
    int64_t from_ms, until_ms;         /* wall clock */
    const char *issuer;                /* the authority's certificate, PEM; NULL: signed by itself */
    const struct crypto_key *issuer_key; /* NULL with issuer NULL */
};
/* Makes a certificate with a random serial number; PEM, the caller frees. */
char *crypto_certificate_new(const struct crypto_certificate *wanted, struct error *err) __attribute__((warn_unused_result));
/* When a certificate ends; false (ERROR_INPUT): cannot be read. */
bool crypto_certificate_until(const char *pem, int64_t *until_ms, struct error *err) __attribute__((warn_unused_result));

/* JSON Web Tokens, ES256 (RFC 7515, 7518). claims is a JSON text; kid names the key in the header. The caller frees. */
char *crypto_jwt_sign(const struct crypto_key *key, const char *kid, const char *claims, struct error *err) __attribute__((warn_unused_result));
/* The claims' text of a token that was signed with this key; the caller frees. ERROR_UNAUTHENTICATED: it was not, another algorithm, malformed, or over
 * 16 KiB. Times and audiences are the caller's to look at. */
char *crypto_jwt_claims(const struct crypto_key *key, const char *token, struct error *err) __attribute__((warn_unused_result));

void crypto_sha256(const void *bytes, size_t length, unsigned char digest[32]);
/* The digest as 64 hex digits and a NUL. */
void crypto_sha256_hex(const void *bytes, size_t length, char hex[65]);
bool crypto_random(void *bytes, size_t length, struct error *err) __attribute__((warn_unused_result));

#endif
