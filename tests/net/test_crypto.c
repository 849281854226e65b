#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/crypto.h"
#include "failing.h"

static struct crypto_key *new_key(void)
{
    struct error err = ERROR_INIT;
    struct crypto_key *key = crypto_key_new(&err);
    assert_non_null(key);
    return key;
}

static void a_key_survives_being_written_and_read(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct crypto_key *key = new_key(), *other = new_key();
    char *pem = crypto_key_pem(key, &err), *public_pem = crypto_key_public_pem(key, &err);
    assert_int_equal(strncmp(pem, "-----BEGIN PRIVATE KEY-----\n", 28), 0);
    assert_int_equal(strncmp(public_pem, "-----BEGIN PUBLIC KEY-----\n", 27), 0);
    struct crypto_key *again = crypto_key_read(pem, &err);
    assert_non_null(again);
    unsigned char x[3][32], y[3][32];
    assert_true(crypto_key_point(key, x[0], y[0], &err) && crypto_key_point(again, x[1], y[1], &err) && crypto_key_point(other, x[2], y[2], &err));
    assert_memory_equal(x[0], x[1], 32);
    assert_memory_equal(y[0], y[1], 32);
    assert_memory_not_equal(x[0], x[2], 32);
    char *token = crypto_jwt_sign(key, "k", "{}", &err), *claims = crypto_jwt_claims(again, token, &err);
    assert_string_equal(claims, "{}");
    mem_free(token);
    mem_free(claims);
    mem_free(pem);
    mem_free(public_pem);
    crypto_key_free(key);
    crypto_key_free(again);
    crypto_key_free(other);
    crypto_key_free(NULL);
}

/* As openssl ecparam -genkey writes it. */
static const char SEC1[] = "-----BEGIN EC PRIVATE KEY-----\n"
                           "MHcCAQEEIO18c1rLUBqG7a0ELxsst0Mf8tpkVvAKwtOEUFF2+mGZoAoGCCqGSM49\n"
                           "AwEHoUQDQgAEv3nbC3XKn/xWyNYH6E612pa0ngo4/RynY749LtgE7IIPfm78GVcW\n"
                           "QmMvseMVeiMTzJuq2uIXA9iCoiHGsnarmw==\n"
                           "-----END EC PRIVATE KEY-----\n";

static void refuse_key(const char *pem)
{
    struct error err = ERROR_INIT;
    assert_null(crypto_key_read(pem, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
}

static char *write_key(EVP_PKEY *pkey, const char *passphrase)
{
    BIO *bio = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PKCS8PrivateKey(bio, pkey, passphrase != NULL ? EVP_aes_128_cbc() : NULL, passphrase,
                                                   passphrase != NULL ? (int)strlen(passphrase) : 0, NULL, NULL), 1);
    char *bytes;
    long length = BIO_get_mem_data(bio, &bytes);
    char *pem = calloc(1, (size_t)length + 1); /* the bytes have no NUL behind them */
    assert_non_null(pem);
    memcpy(pem, bytes, (size_t)length);
    BIO_free(bio);
    EVP_PKEY_free(pkey);
    return pem;
}

static void keys_of_other_kinds_are_refused(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct crypto_key *key = crypto_key_read(SEC1, &err);
    assert_non_null(key);
    crypto_key_free(key);
    refuse_key("");
    refuse_key("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    char *other_curve = write_key(EVP_EC_gen("P-384"), NULL), *rsa = write_key(EVP_RSA_gen(1024), NULL),
         *locked = write_key(EVP_EC_gen("P-256"), "secret");
    refuse_key(other_curve);
    refuse_key(rsa);
    refuse_key(locked); /* and nobody is asked for the passphrase */
    free(other_curve);
    free(rsa);
    free(locked);
}

static X509 *parse(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(certificate);
    return certificate;
}

static bool is_trusted(X509 *authority, X509 *certificate, int purpose)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509_STORE_add_cert(store, authority);
    X509_STORE_CTX_init(context, store, certificate, NULL);
    X509_STORE_CTX_set_purpose(context, purpose);
    X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
    bool trusted = X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return trusted;
}

static void certificates_are_trusted_for_their_use_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"kubernetes.default.svc", "10.96.0.1", "::1", "a,IP:9.9.9.9", NULL};
    static const char *const organizations[] = {"system:masters", "b", NULL};
    struct error err = ERROR_INIT;
    struct crypto_key *authority_key = new_key(), *key = new_key();
    int64_t now = clock_wall_ms(), until = now + INT64_C(10) * 365 * 86400000, read_until;
    struct crypto_certificate wanted = {.use = CRYPTO_AUTHORITY, .key = authority_key, .common_name = "ca", .from_ms = now, .until_ms = until};
    char *authority = crypto_certificate_new(&wanted, &err);
    wanted = (struct crypto_certificate){.use = CRYPTO_SERVER, .key = key, .common_name = "s", .names = names, .from_ms = now, .until_ms = until,
                                         .issuer = authority, .issuer_key = authority_key};
    char *server = crypto_certificate_new(&wanted, &err);
    wanted.use = CRYPTO_CLIENT, wanted.names = NULL, wanted.organizations = organizations;
    char *client = crypto_certificate_new(&wanted, &err);
    assert_true(authority != NULL && server != NULL && client != NULL);
    assert_true(crypto_certificate_until(server, &read_until, &err));
    assert_int_equal(read_until, until / 1000 * 1000);
    X509 *a = parse(authority), *s = parse(server), *c = parse(client);
    assert_true(is_trusted(a, s, X509_PURPOSE_SSL_SERVER) && is_trusted(a, c, X509_PURPOSE_SSL_CLIENT));
    assert_false(is_trusted(a, s, X509_PURPOSE_SSL_CLIENT) || is_trusted(a, c, X509_PURPOSE_SSL_SERVER));
    assert_false(is_trusted(s, c, X509_PURPOSE_SSL_CLIENT)); /* a server's certificate signs nothing */
    assert_int_equal(X509_check_host(s, "kubernetes.default.svc", 0, 0, NULL), 1);
    assert_int_equal(X509_check_ip_asc(s, "10.96.0.1", 0), 1);
    assert_int_equal(X509_check_ip_asc(s, "::1", 0), 1);
    assert_int_equal(X509_check_ip_asc(s, "9.9.9.9", 0), 0);
    char *subject = X509_NAME_oneline(X509_get_subject_name(c), NULL, 0);
    assert_string_equal(subject, "/O=system:masters/O=b/CN=s");
    OPENSSL_free(subject);
    assert_int_not_equal(ASN1_INTEGER_cmp(X509_get0_serialNumber(s), X509_get0_serialNumber(c)), 0);
    X509_free(a);
    X509_free(s);
    X509_free(c);
    mem_free(authority);
    mem_free(server);
    mem_free(client);
    crypto_key_free(authority_key);
    crypto_key_free(key);
}

static void refuse_certificate(struct crypto_certificate wanted)
{
    struct error err = ERROR_INIT;
    assert_null(crypto_certificate_new(&wanted, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_true(err.message[0] != '\0');
}

static void impossible_certificates_are_refused(void **state)
{
    (void)state;
    struct crypto_key *key = new_key();
    char longest[66];
    memset(longest, 'x', 65);
    longest[65] = '\0';
    struct crypto_certificate wanted = {.use = CRYPTO_CLIENT, .key = key, .common_name = longest, .until_ms = 1000};
    refuse_certificate(wanted);
    wanted.common_name = "\xff";
    refuse_certificate(wanted);
    wanted.common_name = "a", wanted.issuer = "none", wanted.issuer_key = key;
    refuse_certificate(wanted);
    struct error err = ERROR_INIT;
    int64_t until;
    assert_false(crypto_certificate_until("none", &until, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    crypto_key_free(key);
}

static void refuse_token(const struct crypto_key *key, const char *token)
{
    struct error err = ERROR_INIT;
    assert_null(crypto_jwt_claims(key, token, &err));
    assert_int_equal(err.kind, ERROR_UNAUTHENTICATED);
}

static void a_token_is_believed_only_as_it_was_signed(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct crypto_key *key = new_key(), *other = new_key();
    const char *text = "{\"iss\":\"https://kubernetes.default.svc\",\"sub\":\"system:serviceaccount:a:b\",\"\xe4\xbd\xa0\":1}";
    char *token = crypto_jwt_sign(key, "k1", text, &err);
    assert_non_null(token);
    assert_int_equal(strncmp(token, "eyJhbGciOiJFUzI1NiIsImtpZCI6Imsx", 32), 0); /* {"alg":"ES256","kid":"k1 */
    char *claims = crypto_jwt_claims(key, token, &err);
    assert_string_equal(claims, text);
    mem_free(claims);
    refuse_token(other, token);
    size_t length = strlen(token);
    for (size_t i = 0; i < length; i++) { /* no character of it may change */
        char kept = token[i];
        token[i] = kept == 'A' ? 'B' : 'A';
        refuse_token(key, token);
        token[i] = '=';
        refuse_token(key, token);
        token[i] = kept;
        char next = token[i + 1];
        token[i + 1] = '\0';
        if (i + 1 < length)
            refuse_token(key, token);
        token[i + 1] = next;
    }
    mem_free(token);
    crypto_key_free(key);
    crypto_key_free(other);
}

static void strange_tokens_are_refused(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct crypto_key *key = new_key();
    static const char *const strange[] = {"", ".", "..", "...", "a", "a.b", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30",
                                          "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.e30.", "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.e30.AAAA"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        refuse_token(key, strange[i]);
    char zeros[86 + 40] = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.e30."; /* r = s = 0 */
    memset(zeros + strlen(zeros), 'A', 86);
    zeros[39 + 86] = '\0';
    refuse_token(key, zeros);
    char *huge = malloc(20001);
    memset(huge, 'a', 20000);
    huge[20000] = '\0';
    refuse_token(key, huge);
    assert_null(crypto_jwt_sign(key, "k", huge, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_null(crypto_jwt_sign(key, "a\"b", "{}", &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    free(huge);
    crypto_key_free(key);
}

static void a_token_that_another_program_signed_is_believed(void **state)
{
    (void)state;
    /* By openssl dgst -sha256 -sign, its DER taken apart. */
    static const char token[] = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJhbm90aGVyIn0."
                                "2fnATa4HxyL_21RrPbXj1raTdL0RP-DbtiwY2g20irSIadpRkAiuIPDyF0RBvaRiYcb51FlAUuZmDjlQ6_xGuA";
    struct error err = ERROR_INIT;
    struct crypto_key *key = crypto_key_read(SEC1, &err);
    assert_non_null(key);
    char *claims = crypto_jwt_claims(key, token, &err);
    assert_non_null(claims);
    assert_string_equal(claims, "{\"sub\":\"another\"}");
    mem_free(claims);
    crypto_key_free(key);
}

static void a_good_signature_under_a_header_that_is_not_ours_is_not_enough(void **state)
{
    (void)state;
    /* RFC 7515, appendix A.3. */
    static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
                              "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff\n"
                              "H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp\n"
                              "7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt\n"
                              "-----END PRIVATE KEY-----\n";
    static const char token[] = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
                                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    struct error err = ERROR_INIT;
    struct crypto_key *key = crypto_key_read(pem, &err);
    assert_non_null(key);
    refuse_token(key, token);
    crypto_key_free(key);
}

static void digests_and_comparisons_are_right(void **state)
{
    (void)state;
    char hex[65];
    crypto_sha256_hex("abc", 3, hex); /* FIPS 180-2 */
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    crypto_sha256_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    unsigned char a[32] = {0}, b[32] = {0};
    assert_true(crypto_random(a, sizeof a, NULL) && crypto_random(b, sizeof b, NULL));
    assert_memory_not_equal(a, b, sizeof a);
}

/* Everything once; true if it worked. */
static bool work(struct error *err)
{
    static const char *const names[] = {"localhost", "127.0.0.1", NULL};
    struct crypto_key *key = crypto_key_new(err), *again = NULL;
    struct crypto_certificate wanted = {.use = CRYPTO_SERVER, .key = key, .common_name = "ca", .names = names, .until_ms = 1000};
    char *pem = key != NULL ? crypto_key_pem(key, err) : NULL;
    char *certificate = pem != NULL ? crypto_certificate_new(&wanted, err) : NULL;
    again = certificate != NULL ? crypto_key_read(pem, err) : NULL;
    char *token = again != NULL ? crypto_jwt_sign(key, "k", "{}", err) : NULL;
    char *claims = token != NULL ? crypto_jwt_claims(again, token, err) : NULL;
    bool done = claims != NULL;
    crypto_key_free(key);
    crypto_key_free(again);
    mem_free(pem);
    mem_free(certificate);
    mem_free(token);
    mem_free(claims);
    return done;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(work(NULL)); /* what OpenSSL prepares once */
    int nth = 1;
    for (bool reached = true; reached; nth += 1 + nth / 100) { /* most are OpenSSL's, and much alike */
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        bool done = work(&err);
        reached = failing_was_reached(nth);
        if (!done && err.kind == ERROR_NONE)
            fail_msg("allocation %d failed without an error", nth);
        assert_true(done || reached);
    }
    assert_true(nth > 100);
}

int test_crypto(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_survives_being_written_and_read),
        cmocka_unit_test(keys_of_other_kinds_are_refused),
        cmocka_unit_test(certificates_are_trusted_for_their_use_alone),
        cmocka_unit_test(impossible_certificates_are_refused),
        cmocka_unit_test(a_token_is_believed_only_as_it_was_signed),
        cmocka_unit_test(strange_tokens_are_refused),
        cmocka_unit_test(a_token_that_another_program_signed_is_believed),
        cmocka_unit_test(a_good_signature_under_a_header_that_is_not_ours_is_not_enough),
        cmocka_unit_test(digests_and_comparisons_are_right),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("crypto", tests, NULL, NULL);
}
