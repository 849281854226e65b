/* Paths and queries, escaped. */
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "kube/client.h"

/* Everything but the unreserved characters of RFC 3986. */
static void escape(struct buf *out, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    while (*text != '\0') {
        size_t run = strspn(text, plain);
        buf_append(out, text, run);
        text += run;
        if (*text != '\0')
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text++);
    }
}

void kube_path(struct buf *out, const char *root, ...)
{
    va_list parts;
    buf_append_string(out, root);
    va_start(parts, root);
    for (const char *part; (part = va_arg(parts, const char *)) != NULL;) {
        buf_append(out, "/", 1);
        escape(out, part);
    }
    va_end(parts);
}

void kube_query(struct buf *out, const char *key, const char *value)
{
    if (value == NULL)
        return;
    if (out->length > 0)
        buf_append(out, "&", 1);
    escape(out, key);
    buf_append(out, "=", 1);
    escape(out, value);
}
