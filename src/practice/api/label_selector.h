/* label_selector.h: LabelSelectors of objects ({matchLabels, matchExpressions}) and plain maps of labels (a Service's, a
 * ReplicationController's), held against labels.
 */
#ifndef KT_PRACTICE_API_LABEL_SELECTOR_H
#define KT_PRACTICE_API_LABEL_SELECTOR_H

#include <stdbool.h>

#include "base/error.h"
#include "data/value.h"
#include "practice/state/state.h"

struct label_selector;

/* A LabelSelector; {} matches everything, a missing one nothing (as metav1.LabelSelectorAsSelector). ERROR_INVALID: an operator
 * that there is not, values where none belong. */
struct label_selector *label_selector_new(const struct value *selector, struct error *err) __attribute__((warn_unused_result));
/* A map of labels: all of them; an empty or missing one matches nothing. */
struct label_selector *label_selector_of_map(const struct value *labels, struct error *err) __attribute__((warn_unused_result));
void label_selector_free(struct label_selector *selector); /* NULL is fine */
bool label_selector_matches(const struct label_selector *selector, const struct object *object);
bool label_selector_matches_labels(const struct label_selector *selector,
                                   const struct value *labels);      /* an object of strings, or NULL */
bool label_selector_is_empty(const struct label_selector *selector); /* matches everything */
/* As kubectl's -l takes it and status.selector of scale shows it: "a=b,c in (d,e),!f". The caller frees; NULL: no memory. */
char *label_selector_text(const struct label_selector *selector) __attribute__((warn_unused_result));

#endif
