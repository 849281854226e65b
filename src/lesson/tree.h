/* tree.h: the objects that a lesson touches, as a tree by owner references, for the live pane.
 */
#ifndef KT_LESSON_TREE_H
#define KT_LESSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lesson_run;
struct value;

struct tree_row {
    int depth;
    const char *kind;      /* "Pod" */
    const char *resource;  /* "pods" */
    const char *name;
    const char *ns;
    char summary[160];     /* "2/3 updating", "Running", "Pending: ErrImagePull", "10.96.4.2:80 -> 2 endpoints"; may hold outside bytes */
    enum tree_health { TREE_GOOD, TREE_BUSY, TREE_BAD, TREE_GOING, TREE_PLAIN } health;
    int64_t changed_ms;    /* monotonic time of its last change, for the flash */
    const struct value *object; /* borrowed until the loop runs */
};
/* The rows in drawing order: namespace's objects of the kinds that the lesson needs, owners before what they own. Borrowed until the loop runs. */
const struct tree_row *lesson_tree(struct lesson_run *run, size_t *count);

#endif
