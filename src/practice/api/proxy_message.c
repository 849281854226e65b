/* What is changed in requests and answers that are passed on. */
#include <string.h>
#include <strings.h>

#include "practice/api/proxy.h"

bool proxy_drops(const char *name)
{
    static const char *const names[] = {"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
                                        "Content-Length", "Host", "Authorization", "Expect", "X-Forwarded-Uri", "X-Forwarded-For", "Date"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return strncasecmp(name, "Impersonate-", 12) == 0;
}

bool proxy_request(struct exchange *x, const char *prefix, const char *rest, const char *upgrade, struct buf *out)
{
    struct http_request *request = x->request;
    const char *query = http_query(request), *host = http_header(request, "Host"), *from = http_header(request, "X-Forwarded-For"), *name, *value;
    size_t cursor = 0, length;
    const char *body = http_body(request, &length);
    buf_printf(out, "%s %s%s%s HTTP/1.1\r\nHost: %s\r\n", x->method, rest[0] != '\0' ? rest : "/", query[0] != '\0' ? "?" : "", query, host != NULL ? host : "");
    while (http_next_header(request, &cursor, &name, &value))
        if (!proxy_drops(name))
            buf_printf(out, "%s: %s\r\n", name, value);
    if (upgrade != NULL)
        buf_printf(out, "Connection: Upgrade\r\nUpgrade: %s\r\n", upgrade);
    if (length > 0 || strcmp(x->method, "POST") == 0 || strcmp(x->method, "PUT") == 0 || strcmp(x->method, "PATCH") == 0)
        buf_printf(out, "Content-Length: %zu\r\n", length);
    buf_printf(out, "X-Forwarded-For: %s%s127.0.0.1\r\nX-Forwarded-Uri: %s%s\r\n\r\n", from != NULL ? from : "", from != NULL ? ", " : "", prefix, rest[0] != '\0' ? rest : "/");
    buf_append(out, body, length);
    return buf_ok(out);
}

void proxy_location(const char *location, const char *host, const char *address, const char *prefix, struct buf *out)
{
    size_t scheme = strncasecmp(location, "https://", 8) == 0 ? 8 : strncasecmp(location, "http://", 7) == 0 ? 7 : 0;
    const char *path = location;
    if (scheme > 0) {
        size_t length = strcspn(location + scheme, "/?#");
        bool ours = (host != NULL && strlen(host) == length && memcmp(host, location + scheme, length) == 0) ||
                    (strlen(address) == length && memcmp(address, location + scheme, length) == 0);
        path = ours ? location + scheme + length : "";
    }
    bool moves = path[0] == '/' && path[1] != '/' && strncmp(path, prefix, strlen(prefix)) != 0;
    buf_append_string(out, moves ? prefix : "");
    buf_append_string(out, moves ? path : location);
}
