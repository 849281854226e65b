/* width_internal.h: text taken a drawn character at a time; for the files of text/ only. */
#ifndef KT_TEXT_WIDTH_INTERNAL_H
#define KT_TEXT_WIDTH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

/* A code point with the marks that are drawn on it. */
struct width_cluster {
    unsigned base;  /* U+FFFD for invalid UTF-8; a mark where there is nothing before it */
    unsigned last;  /* the last mark; the base where there is none */
    size_t columns; /* a tab's reach to the next multiple of 8 */
};

/* Takes the next one off text that would be drawn from `column` on. Returns its bytes; 0 at length 0. */
size_t width_cluster(const char *bytes, size_t length, size_t column, struct width_cluster *cluster);

/* True for what is drawn on the character before it: combining marks, joiners, variation selectors. */
bool width_is_mark(unsigned code_point);

/* True for Han and kana with their punctuation: the scripts that put no space between words. */
bool width_is_cjk(unsigned code_point);
/* True for quotation marks, dashes and dots that Chinese shares with Latin (Unicode: ambiguous width). */
bool width_is_shared_punctuation(unsigned code_point);

#endif
