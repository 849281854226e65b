/* A lesson's text of any bytes is either refused with a place, or taken apart into blocks that are all there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/value.h"
#include "lesson/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = ERROR_INIT;
    struct lesson_text *text = lesson_text_parse((const char *)bytes, length, "fuzz.md", &err);
    if (text == NULL) {
        if (err.kind == ERROR_NONE || err.message[0] == '\0')
            abort(); /* refused without a word */
        return 0;
    }
    if (text->title == NULL || text->opening == NULL || text->steps.length == 0)
        abort();
    struct value *state = value_object();
    for (size_t i = 0; i < text->steps.length; i++) {
        const struct text_step *step = text->steps.items[i];
        if (lesson_text_step(text, step->id) != step)
            abort(); /* two steps of one name, or a lost one */
        for (size_t j = 0; j < step->blocks.length; j++) {
            const struct text_block *block = step->blocks.items[j];
            char *filled = lesson_fill(block->text, state);
            if (filled == NULL || strlen(filled) != strlen(block->text))
                abort(); /* an empty state fills nothing in */
            mem_free(filled);
        }
    }
    value_free(state);
    lesson_text_free(text);
    return 0;
}
