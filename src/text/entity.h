/* entity.h: HTML character references, as Markdown has them; inside text/ only. */
#ifndef KT_TEXT_ENTITY_H
#define KT_TEXT_ENTITY_H

#include <stddef.h>

/* The code point of "&#65;", "&#x41;" or one of the common names ("&lt;"); 0 for a name that is not known, which is then shown
 * as it was written. A number that is no character gives U+FFFD. */
unsigned entity_code_point(const char *bytes, size_t length);

#endif
