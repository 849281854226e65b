#include "kube/tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

struct tls_maker {
    char folder[512];
    EVP_PKEY *key;
    X509 *certificate;
};

static FILE *open_file(const char *folder, const char *name, const char *end)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s.pem", folder, name, end);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

static X509 *certificate_new(const char *name, EVP_PKEY *key, long from, long to)
{
    static long serial = 1;
    X509 *certificate = X509_new();
    assert_non_null(certificate);
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate), from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), to);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    assert_int_equal(X509_set_pubkey(certificate, key), 1);
    return certificate;
}

static void write_certificate(const char *folder, const char *name, X509 *certificate)
{
    FILE *file = open_file(folder, name, "");
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    fclose(file);
}

struct tls_maker *tls_maker_new(const char *folder, const char *name)
{
    struct tls_maker *maker = calloc(1, sizeof *maker);
    assert_non_null(maker);
    snprintf(maker->folder, sizeof maker->folder, "%s", folder);
    maker->key = EVP_EC_gen("P-256");
    assert_non_null(maker->key);
    maker->certificate = certificate_new(name, maker->key, -86400, 86400);
    X509_set_issuer_name(maker->certificate, X509_get_subject_name(maker->certificate));
    add_extension(maker->certificate, maker->certificate, NID_basic_constraints, "critical,CA:TRUE");
    assert_true(X509_sign(maker->certificate, maker->key, EVP_sha256()) > 0);
    write_certificate(folder, name, maker->certificate);
    return maker;
}

void tls_maker_free(struct tls_maker *maker)
{
    EVP_PKEY_free(maker->key);
    X509_free(maker->certificate);
    free(maker);
}

void tls_make(const struct tls_maker *maker, const char *name, const char *alternative, long from, long to)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    assert_non_null(key);
    X509 *certificate = certificate_new(name, key, from, to);
    X509_set_issuer_name(certificate, X509_get_subject_name(maker->certificate));
    if (alternative != NULL)
        add_extension(certificate, maker->certificate, NID_subject_alt_name, alternative);
    assert_true(X509_sign(certificate, maker->key, EVP_sha256()) > 0);
    write_certificate(maker->folder, name, certificate);
    FILE *file = open_file(maker->folder, name, "-key");
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
    EVP_PKEY_free(key);
    X509_free(certificate);
}
