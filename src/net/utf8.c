#include "net/utf8.h"

bool utf8_is(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        unsigned char lead = (unsigned char)text[at++];
        if (lead < 0x80)
            continue;
        size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4 || more > length - at)
            return false;
        unsigned char second = (unsigned char)text[at];
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
            (lead == 0xf4 && second > 0x8f))
            return false;
        for (; more > 0; more--)
            if (((unsigned char)text[at++] & 0xc0) != 0x80)
                return false;
    }
    return true;
}
