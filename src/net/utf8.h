/* utf8.h: whether bytes are UTF-8. Internal to this folder.
 */
#ifndef KT_NET_UTF8_H
#define KT_NET_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* True if all of it is (RFC 3629: shortest forms, no surrogates, nothing above U+10FFFF). */
bool utf8_is(const char *text, size_t length);

#endif
