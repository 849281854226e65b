#include "data/utf8.h"

#include <string.h>

/* Bytes from `at` that are valid. */
static size_t valid_run(const unsigned char *at, size_t left)
{
    size_t run = 0;
    for (size_t length; run < left && (length = utf8_length(at + run, left - run)) > 0;)
        run += length;
    return run;
}

bool utf8_valid(const char *text, size_t length)
{
    return valid_run((const unsigned char *)text, length) == length;
}

void utf8_repair(const char *text, size_t length, struct buf *out)
{
    while (length > 0) {
        size_t run = valid_run((const unsigned char *)text, length);
        buf_append(out, text, run);
        text += run;
        length -= run;
        if (length > 0) {
            buf_append_string(out, UTF8_REPLACEMENT);
            text++;
            length--;
        }
    }
}
