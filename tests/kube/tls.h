/* tls.h: certificates for the client's tests, made anew for each run, as PEM files in a folder.
 */
#ifndef KT_TESTS_KUBE_TLS_H
#define KT_TESTS_KUBE_TLS_H

#include <stdbool.h>

struct tls_maker; /* a certificate authority */

struct tls_maker *tls_maker_new(const char *folder, const char *name); /* writes NAME.pem */
void tls_maker_free(struct tls_maker *maker);
/* Writes NAME.pem and NAME-key.pem, signed by the authority. alternative: "IP:127.0.0.1,DNS:localhost", or NULL for a client's. It is valid from
 * `from` to `to` seconds from now. */
void tls_make(const struct tls_maker *maker, const char *name, const char *alternative, long from, long to);

#endif
