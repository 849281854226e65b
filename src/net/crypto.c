#include "net/crypto.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/mem.h"
#include "net/internal.h"

static const char GROUP[] = "prime256v1"; /* OpenSSL's name for P-256 */

static void *ssl_alloc(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return mem_alloc(size);
}

static void *ssl_resize(void *old, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    if (size > 0)
        return mem_resize(old, size);
    mem_free(old); /* what OpenSSL expects of size 0 */
    return NULL;
}

static void ssl_free(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    mem_free(memory);
}

void crypto_memory(void)
{
    CRYPTO_set_mem_functions(ssl_alloc, ssl_resize, ssl_free);
}

bool crypto_fail(struct error *err, enum error_kind kind, const char *message)
{
    unsigned long first = ERR_peek_error();
    bool memory = ERR_GET_REASON(first) == ERR_R_MALLOC_FAILURE || ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE;
    const char *reason = ERR_reason_error_string(first);
    if (memory)
        error_memory(err);
    else
        error_set(err, kind, NULL, "%s", message);
    if (err != NULL && reason != NULL)
        snprintf(err->cause, sizeof err->cause, "%s", reason);
    ERR_clear_error();
    return false;
}

static struct crypto_key *wrap(EVP_PKEY *pkey, struct error *err)
{
    struct crypto_key *key = mem_alloc(sizeof *key);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        error_memory(err);
        return NULL;
    }
    key->pkey = pkey;
    return key;
}

struct crypto_key *crypto_key_new(struct error *err)
{
    crypto_memory();
    EVP_PKEY *pkey = EVP_EC_gen(GROUP);
    if (pkey == NULL) {
        crypto_fail(err, ERROR_INTERNAL, "cannot make a key");
        return NULL;
    }
    return wrap(pkey, err);
}

/* Without it OpenSSL asks for a passphrase on the terminal. */
static int no_passphrase(char *to, int room, int writing, void *data)
{
    (void)to, (void)room, (void)writing, (void)data;
    return -1;
}

static bool is_p256(const EVP_PKEY *pkey)
{
    char name[32];
    return EVP_PKEY_is_a(pkey, "EC") && EVP_PKEY_get_group_name(pkey, name, sizeof name, NULL) == 1 && strcmp(name, GROUP) == 0;
}

struct crypto_key *crypto_key_read(const char *pem, struct error *err)
{
    crypto_memory();
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *pkey = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
    BIO_free(bio);
    if (pkey == NULL) {
        crypto_fail(err, ERROR_INPUT, "this is no private key in PEM form without a passphrase");
        return NULL;
    }
    if (!is_p256(pkey)) {
        EVP_PKEY_free(pkey);
        crypto_fail(err, ERROR_INPUT, "this is no ECDSA P-256 key");
        return NULL;
    }
    return wrap(pkey, err);
}

void crypto_key_free(struct crypto_key *key)
{
    if (key == NULL)
        return;
    EVP_PKEY_free(key->pkey);
    mem_free(key);
}

char *crypto_bio_text(BIO *bio, struct error *err)
{
    char *bytes;
    long length = BIO_get_mem_data(bio, &bytes);
    char *text = mem_string_n(bytes, length > 0 ? (size_t)length : 0);
    if (text == NULL)
        error_memory(err);
    return text;
}

static char *write_key(const struct crypto_key *key, bool secret, struct error *err)
{
    BIO *bio = BIO_new(secret ? BIO_s_secmem() : BIO_s_mem());
    bool written = bio != NULL && (secret ? PEM_write_bio_PKCS8PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL, NULL) == 1
                                          : PEM_write_bio_PUBKEY(bio, key->pkey) == 1);
    if (!written)
        crypto_fail(err, ERROR_INTERNAL, "cannot write a key as PEM");
    char *text = written ? crypto_bio_text(bio, err) : NULL;
    BIO_free(bio);
    return text;
}

char *crypto_key_pem(const struct crypto_key *key, struct error *err)
{
    return write_key(key, true, err);
}

char *crypto_key_public_pem(const struct crypto_key *key, struct error *err)
{
    return write_key(key, false, err);
}

static bool coordinate(const struct crypto_key *key, const char *name, unsigned char bytes[32])
{
    BIGNUM *number = NULL;
    bool got = EVP_PKEY_get_bn_param(key->pkey, name, &number) == 1 && BN_bn2binpad(number, bytes, 32) == 32;
    BN_free(number);
    return got;
}

bool crypto_key_point(const struct crypto_key *key, unsigned char x[32], unsigned char y[32], struct error *err)
{
    return (coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X, x) && coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y, y)) ||
           crypto_fail(err, ERROR_INTERNAL, "cannot read the point of a key");
}

bool crypto_random(void *bytes, size_t length, struct error *err)
{
    for (size_t done = 0; done < length;) { /* the kernel's: OpenSSL's own generator takes ten times as long for a few bytes */
        ssize_t got = getrandom((char *)bytes + done, length - done, 0);
        if (got < 0 && errno != EINTR)
            return crypto_fail(err, ERROR_INTERNAL, "no random numbers");
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}
