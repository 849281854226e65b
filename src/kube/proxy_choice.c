#include "kube/proxy_choice.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

struct address {
    unsigned char bytes[16];
    unsigned bits; /* 32 or 128; 0: not an address */
};

static struct address to_address(const char *text)
{
    struct address address = {0};
    if (inet_pton(AF_INET, text, address.bytes) == 1)
        address.bits = 32;
    else if (inet_pton(AF_INET6, text, address.bytes) == 1)
        address.bits = 128;
    return address;
}

static bool same_prefix(const struct address *a, const struct address *b, unsigned bits)
{
    if (a->bits != b->bits || a->bits == 0 || bits > a->bits || memcmp(a->bytes, b->bytes, bits / 8) != 0)
        return false;
    unsigned char mask = (unsigned char)(0xFF00 >> (bits % 8));
    return bits % 8 == 0 || ((a->bytes[bits / 8] ^ b->bytes[bits / 8]) & mask) == 0;
}

static bool is_number(const char *text, size_t length)
{
    size_t digits = strspn(text, "0123456789");
    return digits == length && digits > 0 && digits <= 5;
}

/* entry: one item of the list, lower case, no blanks. */
static bool entry_matches(char *entry, const char *host, unsigned port)
{
    if (strcmp(entry, "*") == 0)
        return true;
    struct address wanted = to_address(host);
    char *slash = strchr(entry, '/');
    if (slash != NULL) {
        *slash = '\0';
        struct address range = to_address(entry);
        return is_number(slash + 1, strlen(slash + 1)) && same_prefix(&wanted, &range, (unsigned)atoi(slash + 1));
    }
    struct address address = to_address(entry);
    char *colon = strrchr(entry, ':');
    if (address.bits == 0 && colon != NULL && is_number(colon + 1, strlen(colon + 1))) {
        if ((unsigned)atoi(colon + 1) != port)
            return false;
        *colon = '\0';
        if (entry[0] == '[') { /* [::1]:8443 */
            entry[strcspn(entry, "]")] = '\0';
            entry++;
        }
        address = to_address(entry);
    }
    if (address.bits > 0)
        return same_prefix(&wanted, &address, address.bits);
    if (wanted.bits > 0 || entry[0] == '\0')
        return false;
    if (strncmp(entry, "*.", 2) == 0)
        entry++;
    bool only_below = entry[0] == '.';
    const char *domain = only_below ? entry + 1 : entry;
    size_t length = strlen(domain), host_length = strlen(host);
    if (length == host_length)
        return !only_below && strcasecmp(domain, host) == 0;
    return host_length > length && host[host_length - length - 1] == '.' && strcasecmp(domain, host + host_length - length) == 0;
}

bool proxy_excluded(const char *no_proxy, const char *host, unsigned port)
{
    char entry[300];
    while (*no_proxy != '\0') {
        size_t length = strcspn(no_proxy, ","), kept = 0;
        for (size_t i = 0; i < length && kept + 1 < sizeof entry; i++)
            if (!isspace((unsigned char)no_proxy[i]))
                entry[kept++] = (char)tolower((unsigned char)no_proxy[i]);
        entry[kept] = '\0';
        if (kept > 0 && entry_matches(entry, host, port))
            return true;
        no_proxy += length + (no_proxy[length] == ',');
    }
    return false;
}

static bool is_loopback(const char *host)
{
    struct address address = to_address(host);
    if (address.bits == 32)
        return address.bytes[0] == 127;
    return address.bits == 128 ? strcmp(host, "::1") == 0 : strcasecmp(host, "localhost") == 0;
}

static const char *variable(const char *upper, const char *lower)
{
    const char *value = getenv(upper);
    if (value == NULL || value[0] == '\0')
        value = getenv(lower);
    return value != NULL ? value : "";
}

char *proxy_choose(const char *proxy_url, bool tls, const char *host, unsigned port)
{
    const char *url = proxy_url;
    if (url == NULL) {
        url = tls ? variable("HTTPS_PROXY", "https_proxy") : variable("HTTP_PROXY", "http_proxy");
        if (url[0] == '\0' || is_loopback(host) || proxy_excluded(variable("NO_PROXY", "no_proxy"), host, port))
            return mem_string("");
    }
    if (strncasecmp(url, "socks5://", 9) == 0) /* Go lets the proxy look names up; curl calls that socks5h */
        return mem_printf("socks5h://%s", url + 9);
    return mem_printf("%s%s", strstr(url, "://") != NULL ? "" : "http://", url);
}
