/* renderer.h: the state of one pass over a Markdown text, and the making of a paragraph's text; inside text/ only.
 *
 * markdown.c follows the blocks, inline.c what stands in them. A failure is kept in page.failed; nothing happens after it.
 */
#ifndef KT_TEXT_RENDERER_H
#define KT_TEXT_RENDERER_H

#include <md4c.h>

#include "text/rich.h"
#include "text/table.h"

enum {
    SOURCE_MAXIMUM = 1 << 20,
    SAFE_MAXIMUM = 4 * SOURCE_MAXIMUM,  /* what making it safe can make of it */
    TEXT_MAXIMUM = 16 * SOURCE_MAXIMUM, /* shown in all: link definitions used again and again make much of little */
    DEPTH = 32,                         /* quotes, lists and items in each other; deeper ones are not indented any more */
    LINK_DEPTH = 16,                    /* images in links in images */
};

enum container_kind { IN_DOCUMENT, IN_QUOTE, IN_LIST, IN_NUMBERED, IN_ITEM };

struct container {
    enum container_kind kind;
    bool tight;        /* a list, or an item of one, without blank lines between */
    bool has_block;    /* something stands in it: the next block is set off */
    bool mark_pending; /* an item's mark is not drawn yet */
    unsigned number;   /* of the list's next item */
    char delimiter;    /* behind the number */
    char mark[24];
    size_t indent; /* columns of the mark */
};

struct renderer {
    struct page page;
    size_t columns;
    struct container containers[DEPTH];
    size_t depth; /* may be more than DEPTH: the last of `containers` stands for those too */
    size_t indent;
    size_t quotes, lists; /* open ones */

    struct rich text; /* of the block at hand */
    struct rich line;
    struct rich code;
    bool in_code;
    bool soft_break; /* one was read; what it is depends on what follows */
    bool in_table;
    struct table table;
    enum table_align align;

    size_t strong, emphasis, inline_code, links, headings; /* open ones */
    size_t link_starts[LINK_DEPTH];                        /* in text */
    size_t link_depth;
    size_t text_left; /* of TEXT_MAXIMUM */
};

/* Notes the first failure. */
void renderer_fail(struct renderer *r, enum error_kind kind);

/* Each appends to the block at hand in the style that is open. */
void inline_text(struct renderer *r, const char *bytes, size_t length);
void inline_entity(struct renderer *r, const char *bytes, size_t length);
void inline_break(struct renderer *r);

/* A link's or image's text begins; it ends, and its address follows if the text does not say it. */
void inline_link_begins(struct renderer *r);
void inline_link_ends(struct renderer *r, const MD_ATTRIBUTE *url);

#endif
