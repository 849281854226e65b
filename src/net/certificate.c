#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/mem.h"
#include "net/internal.h"

X509 *crypto_read_certificate(const char *pem, struct error *err)
{
    crypto_memory();
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *certificate = bio != NULL ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    if (certificate == NULL)
        crypto_fail(err, ERROR_INPUT, "this is no certificate in PEM form");
    return certificate;
}

bool crypto_certificate_until(const char *pem, int64_t *until_ms, struct error *err)
{
    X509 *certificate = crypto_read_certificate(pem, err);
    if (certificate == NULL)
        return false;
    struct tm end;
    bool read = ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1;
    X509_free(certificate);
    if (!read)
        return crypto_fail(err, ERROR_INPUT, "the certificate's end cannot be read");
    *until_ms = (int64_t)timegm(&end) * 1000;
    return true;
}

/* 127 random bits, and one more so that it is never zero. */
static bool set_serial(X509 *certificate)
{
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40);
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool set = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return set;
}

static bool set_times(X509 *certificate, int64_t from_ms, int64_t until_ms)
{
    return ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)(from_ms / 1000)) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)(until_ms / 1000)) != NULL;
}

static bool add_part(X509_NAME *name, int nid, const char *text)
{
    return X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8, (const unsigned char *)text, -1, -1, 0) == 1;
}

static bool set_subject(X509 *certificate, const struct crypto_certificate *wanted)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    for (size_t i = 0; wanted->organizations != NULL && wanted->organizations[i] != NULL; i++)
        if (!add_part(name, NID_organizationName, wanted->organizations[i]))
            return false;
    return add_part(name, NID_commonName, wanted->common_name);
}

static bool add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

/* One alternative name: an address where it reads as one. Built by hand, since OpenSSL's text form would take a comma for the next name. */
static GENERAL_NAME *make_alternative(const char *text)
{
    unsigned char address[16];
    int length = inet_pton(AF_INET, text, address) == 1 ? 4 : inet_pton(AF_INET6, text, address) == 1 ? 16 : 0;
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *value = length > 0 ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
    const void *bytes = length > 0 ? (const void *)address : text;
    if (name == NULL || value == NULL || ASN1_STRING_set(value, bytes, length > 0 ? length : (int)strlen(text)) != 1) {
        GENERAL_NAME_free(name);
        ASN1_STRING_free(value);
        return NULL;
    }
    GENERAL_NAME_set0_value(name, length > 0 ? GEN_IPADD : GEN_DNS, value);
    return name;
}

static bool add_alternatives(X509 *certificate, const char *const *names)
{
    if (names == NULL || names[0] == NULL)
        return true;
    GENERAL_NAMES *list = GENERAL_NAMES_new();
    bool added = list != NULL;
    for (size_t i = 0; added && names[i] != NULL; i++) {
        GENERAL_NAME *name = make_alternative(names[i]);
        added = name != NULL && sk_GENERAL_NAME_push(list, name) > 0;
        if (!added)
            GENERAL_NAME_free(name);
    }
    added = added && X509_add1_ext_i2d(certificate, NID_subject_alt_name, list, 0, X509V3_ADD_DEFAULT) == 1;
    GENERAL_NAMES_free(list);
    return added;
}

/* What each use may do; NULL: the extension is left out. */
static const struct {
    const char *constraints, *usage, *extended;
} USES[] = {
    [CRYPTO_AUTHORITY] = {"critical,CA:TRUE", "critical,digitalSignature,keyCertSign,cRLSign", NULL},
    [CRYPTO_SERVER] = {"critical,CA:FALSE", "critical,digitalSignature", "serverAuth"},
    [CRYPTO_CLIENT] = {"critical,CA:FALSE", "critical,digitalSignature", "clientAuth"},
};

static bool add_extensions(X509 *certificate, X509 *issuer, const struct crypto_certificate *wanted)
{
    const char *extended = USES[wanted->use].extended;
    return add_extension(certificate, issuer, NID_basic_constraints, USES[wanted->use].constraints) &&
           add_extension(certificate, issuer, NID_key_usage, USES[wanted->use].usage) &&
           (extended == NULL || add_extension(certificate, issuer, NID_ext_key_usage, extended)) &&
           add_extension(certificate, issuer, NID_subject_key_identifier, "hash") &&
           add_extension(certificate, issuer, NID_authority_key_identifier, "keyid") && add_alternatives(certificate, wanted->names);
}

static char *write_certificate(X509 *certificate, struct error *err)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    if (bio == NULL || PEM_write_bio_X509(bio, certificate) != 1)
        crypto_fail(err, ERROR_INTERNAL, "cannot write a certificate as PEM");
    else
        text = crypto_bio_text(bio, err);
    BIO_free(bio);
    return text;
}

char *crypto_certificate_new(const struct crypto_certificate *wanted, struct error *err)
{
    crypto_memory();
    char *pem = NULL;
    X509 *issuer = NULL, *certificate = X509_new();
    if (wanted->issuer != NULL && (issuer = crypto_read_certificate(wanted->issuer, err)) == NULL)
        goto done;
    if (certificate == NULL || X509_set_version(certificate, X509_VERSION_3) != 1 || !set_serial(certificate) ||
        !set_times(certificate, wanted->from_ms, wanted->until_ms) || X509_set_pubkey(certificate, wanted->key->pkey) != 1) {
        crypto_fail(err, ERROR_INTERNAL, "cannot make a certificate");
        goto done;
    }
    if (!set_subject(certificate, wanted)) {
        crypto_fail(err, ERROR_INPUT, "a certificate's names must be UTF-8 of 1 to 64 characters");
        goto done;
    }
    X509 *signer = issuer != NULL ? issuer : certificate;
    const struct crypto_key *key = issuer != NULL ? wanted->issuer_key : wanted->key;
    if (X509_set_issuer_name(certificate, X509_get_subject_name(signer)) != 1 || !add_extensions(certificate, signer, wanted) ||
        X509_sign(certificate, key->pkey, EVP_sha256()) <= 0) {
        crypto_fail(err, ERROR_INTERNAL, "cannot sign a certificate");
        goto done;
    }
    pem = write_certificate(certificate, err);
done:
    X509_free(issuer);
    X509_free(certificate);
    return pem;
}
