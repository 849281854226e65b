#include "practice/schema/addresses.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


enum { V4_AT = 12 };
static const unsigned char v4_prefix[V4_AT] = {[10] = 0xff, [11] = 0xff};

/* Copies without the leading zeros of decimal parts, which inet_pton refuses; *had says whether there were any. */
static bool strip_zeros(const char *text, char out[static ADDRESS_TEXT], bool *had)
{
    size_t length = 0;
    const char *last_colon = strrchr(text, ':');
    *had = false;
    for (const char *c = text; *c != '\0'; c++) {
        bool decimal = strchr(text, '.') != NULL && (last_colon == NULL || c > last_colon);
        bool first = c == text || c[-1] == '.' || c[-1] == ':';
        if (decimal && first)
            while (*c == '0' && c[1] >= '0' && c[1] <= '9') {
                *had = true;
                c++;
            }
        if (length + 1 >= ADDRESS_TEXT)
            return false;
        out[length++] = *c;
    }
    out[length] = '\0';
    return true;
}

bool address_read(const char *text, struct address *out)
{
    char clean[ADDRESS_TEXT];
    struct address address = {0};
    if (!strip_zeros(text, clean, &address.leading_zeros))
        return false;
    memcpy(address.bytes, v4_prefix, V4_AT);
    if (inet_pton(AF_INET, clean, address.bytes + V4_AT) == 1) {
        address.v4 = true;
    } else if (inet_pton(AF_INET6, clean, address.bytes) == 1) {
        address.mapped = address.v4 = memcmp(address.bytes, v4_prefix, V4_AT) == 0;
    } else {
        return false;
    }
    *out = address;
    return true;
}

void address_print(const struct address *address, char out[static ADDRESS_TEXT])
{
    if (address->v4)
        inet_ntop(AF_INET, address->bytes + V4_AT, out, ADDRESS_TEXT);
    else
        inet_ntop(AF_INET6, address->bytes, out, ADDRESS_TEXT);
}

bool address_is_v6(const char *text)
{
    struct address address;
    return address_read(text, &address) && !address.v4;
}

static void mask(struct address *address, unsigned bits)
{
    unsigned from = (address->v4 ? V4_AT * 8 : 0) + bits;
    for (unsigned i = 0; i < sizeof address->bytes; i++) {
        unsigned first = i * 8;
        if (first >= from)
            address->bytes[i] = 0;
        else if (first + 8 > from)
            address->bytes[i] &= (unsigned char)(0xff << (first + 8 - from));
    }
}

bool cidr_read(const char *text, struct cidr *out)
{
    char address[ADDRESS_TEXT];
    struct cidr cidr = {0};
    const char *slash = strchr(text, '/');
    size_t length = slash != NULL ? (size_t)(slash - text) : 0;
    if (slash == NULL || length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    const char *digits = slash + 1;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 6 || digits[count] != '\0' || !address_read(address, &cidr.address))
        return false;
    cidr.bits = (unsigned)strtoul(digits, NULL, 10);
    if (cidr.address.mapped)
        cidr.bits = cidr.bits >= V4_AT * 8 ? cidr.bits - V4_AT * 8 : 0;
    if (cidr.bits > (cidr.address.v4 ? 32u : 128u))
        return false;
    cidr.leading_zeros = cidr.address.leading_zeros || (digits[0] == '0' && count > 1);
    struct address masked = cidr.address;
    mask(&masked, cidr.bits);
    cidr.beyond = memcmp(masked.bytes, cidr.address.bytes, sizeof masked.bytes) != 0;
    *out = cidr;
    return true;
}

bool cidr_contains(const struct cidr *cidr, const struct address *address)
{
    struct address a = cidr->address, b = *address;
    if (a.v4 != b.v4)
        return false;
    mask(&a, cidr->bits);
    mask(&b, cidr->bits);
    return memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

static bool is_known(const struct value *known, const char *text)
{
    for (const struct value *item = value_first(known); item != NULL; item = value_next(item))
        if (value_text(item) != NULL && strcmp(value_text(item), text) == 0)
            return true;
    return false;
}

static bool check_address(struct problems *problems, const struct place *place, const char *text, struct address *address)
{
    if (!address_read(text, address)) {
        problem_invalid(problems, place, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        return false;
    }
    if (address->leading_zeros)
        problem_invalid(problems, place, text, "must not have leading 0s");
    else if (address->mapped)
        problem_invalid(problems, place, text, "must not be an IPv4-mapped IPv6 address");
    return !address->leading_zeros && !address->mapped;
}

bool address_problems(struct problems *problems, const struct place *place, const char *text, const struct value *known)
{
    struct address address;
    return is_known(known, text) || check_address(problems, place, text, &address);
}

bool address_problems_strict(struct problems *problems, const struct place *place, const char *text)
{
    struct address address;
    char canonical[ADDRESS_TEXT];
    if (!check_address(problems, place, text, &address))
        return false;
    address_print(&address, canonical);
    if (strcmp(canonical, text) == 0)
        return true;
    problem_invalid(problems, place, text, "must be in canonical form (\"%s\")", canonical);
    return false;
}

bool cidr_problems(struct problems *problems, const struct place *place, const char *text, const struct value *known)
{
    struct cidr cidr;
    if (is_known(known, text))
        return true;
    if (!cidr_read(text, &cidr))
        problem_invalid(problems, place, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
    else if (cidr.leading_zeros)
        problem_invalid(problems, place, text, "must not have leading 0s in IP or prefix length");
    else if (cidr.address.mapped)
        problem_invalid(problems, place, text, "must not have an IPv4-mapped IPv6 address");
    else if (cidr.beyond)
        problem_invalid(problems, place, text, "must not have bits set beyond the prefix length");
    else
        return true;
    return false;
}

void address_endpoint_problems(struct problems *problems, const struct place *place, const char *text)
{
    struct address a;
    static const unsigned char nothing[16], loopback_v6[16] = {[15] = 1};
    if (!address_read(text, &a)) {
        problem_invalid(problems, place, text, "must be a valid IP address");
        return;
    }
    const unsigned char *v4 = a.bytes + V4_AT, *v6 = a.bytes;
    if (a.v4 ? memcmp(v4, nothing, 4) == 0 : memcmp(v6, nothing, 16) == 0)
        problem_invalid(problems, place, text, "may not be unspecified (%s)", text);
    if (a.v4 ? v4[0] == 127 : memcmp(v6, loopback_v6, 16) == 0)
        problem_invalid(problems, place, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    if (a.v4 ? v4[0] == 169 && v4[1] == 254 : v6[0] == 0xfe && (v6[1] & 0xc0) == 0x80)
        problem_invalid(problems, place, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    if (a.v4 ? v4[0] == 224 && v4[1] == 0 && v4[2] == 0 : v6[0] == 0xff && (v6[1] & 0x0f) == 0x02)
        problem_invalid(problems, place, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

void address_warn(struct vec *warnings, const struct place *place, const char *text)
{
    struct address address;
    char canonical[ADDRESS_TEXT];
    if (!address_read(text, &address))
        return;
    address_print(&address, canonical);
    if (address.leading_zeros || address.mapped)
        warning_at(warnings, place, "non-standard IP address \"%s\" is invalid: use \"%s\"", text, canonical);
    else if (!address.v4 && strcmp(canonical, text) != 0)
        warning_at(warnings, place, "IPv6 address \"%s\" should be in RFC 5952 canonical format (\"%s\")", text, canonical);
}

void cidr_warn(struct vec *warnings, const struct place *place, const char *text)
{
    struct cidr cidr;
    char net[ADDRESS_TEXT], prefix[ADDRESS_TEXT + 8], single[ADDRESS_TEXT + 8];
    if (!cidr_read(text, &cidr))
        return;
    address_print(&cidr.address, net);
    snprintf(single, sizeof single, "%s/%u", net, cidr.address.v4 ? 32u : 128u);
    struct address masked = cidr.address;
    mask(&masked, cidr.bits);
    address_print(&masked, net);
    snprintf(prefix, sizeof prefix, "%s/%u", net, cidr.bits);
    if (cidr.beyond)
        warning_at(warnings, place, "CIDR value \"%s\" is ambiguous in this context (should be \"%s\" or \"%s\"?)", text, prefix, single);
    if (cidr.leading_zeros || cidr.address.mapped)
        warning_at(warnings, place, "non-standard CIDR value \"%s\" is invalid: use \"%s\"", text, prefix);
    else if (!cidr.beyond && !cidr.address.v4 && strcmp(prefix, text) != 0)
        warning_at(warnings, place, "IPv6 CIDR value \"%s\" should be in RFC 5952 canonical format (\"%s\")", text, prefix);
}
