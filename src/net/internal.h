/* internal.h: what the files of this folder know of each other's keys and of OpenSSL's errors.
 */
#ifndef KT_NET_INTERNAL_H
#define KT_NET_INTERNAL_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "net/crypto.h"

struct crypto_key {
    EVP_PKEY *pkey; /* ECDSA P-256, the private part too */
};

/* Lets OpenSSL allocate through base/mem. It heeds the first call of a process, and only if it allocated nothing before: so every function that can be the
 * first to use it calls this. */
void crypto_memory(void);

/* Fills err with the message and OpenSSL's word as the cause (ERROR_MEMORY where that says so), empties OpenSSL's list of errors; returns false. */
bool crypto_fail(struct error *err, enum error_kind kind, const char *message);

/* Reads one certificate; NULL with ERROR_INPUT if there is none. */
X509 *crypto_read_certificate(const char *pem, struct error *err) __attribute__((warn_unused_result));

/* What stands in a memory BIO, as a text that the caller frees (mem_free). */
char *crypto_bio_text(BIO *bio, struct error *err) __attribute__((warn_unused_result));

#endif
