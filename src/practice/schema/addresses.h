/* addresses.h: IP addresses and CIDRs in texts, as the server reads them: leniently, with words for what is wrong or unusual (apimachinery's
 * util/validation/ip.go).
 */
#ifndef KT_PRACTICE_SCHEMA_ADDRESSES_H
#define KT_PRACTICE_SCHEMA_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/problem.h"

struct address {
    unsigned char bytes[16]; /* IPv4 in the last four, behind ::ffff: */
    bool v4;                 /* IPv4, also when written as an IPv4-mapped IPv6 address */
    bool leading_zeros;      /* "010.1.1.1" */
    bool mapped;             /* "::ffff:1.2.3.4" */
};

enum { ADDRESS_TEXT = 64 }; /* bytes of an address's or CIDR's canonical text, NUL included */

/* False: not an address at all. */
bool address_read(const char *text, struct address *out);
void address_print(const struct address *address, char out[static ADDRESS_TEXT]);
bool address_is_v6(const char *text); /* an IPv6 address; false for anything else */

struct cidr {
    struct address address;
    unsigned bits;      /* of the prefix: 0 to 32 or 128 */
    bool leading_zeros; /* in address or length */
    bool beyond;        /* bits are set beyond the prefix */
};
bool cidr_read(const char *text, struct cidr *out);
bool cidr_contains(const struct cidr *cidr, const struct address *address);

/* Adds what is wrong with an address or CIDR; one that stood in `known` (an array of strings; may be NULL) may stay. True: nothing. */
bool address_problems(struct problems *problems, const struct place *place, const char *text, const struct value *known);
bool address_problems_strict(struct problems *problems, const struct place *place, const char *text); /* canonical form is demanded, too */
bool cidr_problems(struct problems *problems, const struct place *place, const char *text, const struct value *known);
/* An endpoint's address: not unspecified, loopback, link-local. */
void address_endpoint_problems(struct problems *problems, const struct place *place, const char *text);
/* Warnings about what is valid but unusual; strings into `warnings`. */
void address_warn(struct vec *warnings, const struct place *place, const char *text);
void cidr_warn(struct vec *warnings, const struct place *place, const char *text);

#endif
