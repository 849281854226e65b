/* selector.h: label and field selectors, held against the index of objects (no text is parsed).
 */
#ifndef KT_PRACTICE_API_SELECTOR_H
#define KT_PRACTICE_API_SELECTOR_H

#include <stdbool.h>

#include "practice/api/status.h"
#include "practice/schema/schema.h"
#include "practice/state/state.h"

struct selector;

/* Parses both; NULL or "" for none. Field selectors are those of rules_of(kind) beside metadata.name and metadata.namespace; another one is refused as the real server does (400, `field label not supported: x`).
 * NULL with *failure filled; a selector without conditions is not NULL. The caller frees. */
struct selector *selector_new(const char *labels, const char *fields, const struct schema_kind *kind, struct status *failure) __attribute__((warn_unused_result));
void selector_free(struct selector *selector);
bool selector_matches(const struct selector *selector, const struct object *object);
bool selector_is_empty(const struct selector *selector);
/* The one name that an object must have for a field selector of whatever kind: metadata.name=NAME (of several the first by its letters, as the real server
 * sorts them). NULL: none, or it is no selector, or no memory. The caller frees. */
char *selector_name(const char *fields) __attribute__((warn_unused_result));

/* What it selects: state_list or, where a label must have one value, state_list_labelled; arguments and errors as theirs. */
struct selector_range {
    state_resource resource;
    const char *only_ns; /* NULL: all */
    uint64_t version;
    const char *after_ns, *after_name; /* NULL: from the start */
    size_t maximum;
};
bool selector_list(const struct selector *selector, struct state *state, const struct selector_range *range, struct vec *objects, bool *more,
                   struct error *err) __attribute__((warn_unused_result));

#endif
