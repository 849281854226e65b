/* SHA-256 by the plain functions: unlike the ones that OpenSSL wants used since 3.0 they allocate nothing, so they cannot fail. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "net/crypto.h"

#include <openssl/sha.h>

void crypto_sha256(const void *bytes, size_t length, unsigned char digest[32])
{
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, length);
    SHA256_Final(digest, &context);
}

void crypto_sha256_hex(const void *bytes, size_t length, char hex[65])
{
    unsigned char digest[32];
    crypto_sha256(bytes, length, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = '\0';
}
