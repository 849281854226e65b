/* selector_parse.h: the grammar of label selectors (`a=b,c notin (d,e),!f`), worded as the real server words its refusals (apimachinery's
 * labels.Parse).
 */
#ifndef KT_PRACTICE_API_SELECTOR_PARSE_H
#define KT_PRACTICE_API_SELECTOR_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "practice/api/status.h"

enum { SELECTOR_MOST = 64 << 10 /* bytes of a selector; the head of a request is no longer */, SELECTOR_TERMS = 32 << 10 };

enum label_operator { LABEL_EXISTS, LABEL_MISSING, LABEL_IN, LABEL_NOT_IN, LABEL_GREATER, LABEL_LESS };

struct label_term {
    char *key;
    enum label_operator op;
    bool equals;       /* LABEL_IN of one value, to be shown as "key=value" */
    struct vec values; /* strings, sorted; LABEL_IN, LABEL_NOT_IN (= and != have one) */
    int64_t bound;     /* LABEL_GREATER, LABEL_LESS */
};
void label_term_free(void *term);
/* value: of the label of its key; NULL: there is none. */
bool label_term_matches(const struct label_term *term, const char *value);

/* Appends the terms of a selector to a list made with label_term_free. False with the failure (400, or 500 without memory). */
bool label_terms_parse(const char *text, struct vec *terms, struct status *failure);

#endif
