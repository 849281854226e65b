/* typed.h: documents seen through their schema as structured-merge-diff does: what is one field, what is equal, how two are
 * laid over each other. For this folder only.
 */
#ifndef KT_PRACTICE_SCHEMA_TYPED_H
#define KT_PRACTICE_SCHEMA_TYPED_H

#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/fieldset.h"
#include "practice/schema/schema.h"

enum typed_shape {
    TYPED_LEAF,  /* a scalar, or whatever is one field as a whole (atomic) */
    TYPED_MAP,   /* an object or map with fields of their own */
    TYPED_SET,   /* a list whose items are told apart by themselves */
    TYPED_KEYED, /* a list whose items are told apart by their keys */
};

/* strcmp, for names that mostly differ at once. */
static inline int typed_name_order(const char *a, const char *b)
{
    return *a != *b ? (unsigned char)*a - (unsigned char)*b : strcmp(a, b);
}

/* How a value of this schema is taken apart. NULL as schema: it is told by the value (unknown fields of a CRD). */
enum typed_shape typed_shape(const struct schema *schema, const struct value *v);
/* The schema of a field or entry; NULL: told by the value. *declared: the schema names it. */
const struct schema *typed_below(const struct schema *schema, const char *key, bool *declared);

/* The same for names that are asked for in their order: *cursor starts at 0. */
const struct schema_field *typed_next_field(const struct schema *schema, const char *key, size_t *cursor);
/* Entries of an object by name, in the arena. */
size_t typed_entries(struct arena *arena, const struct value *object, const struct value ***entries);

/* An item of a list of shape TYPED_SET or TYPED_KEYED. */
struct typed_item {
    struct field_element element;
    const struct value *value;
    size_t at;
};
/* All items, with what tells them apart, in the list's order and (sorted) by element, equal ones in the list's order. False:
 * an item that has no key or cannot be in a set; err says `element 0: ...` as ERROR_INTERNAL. */
bool typed_items(struct arena *arena, const struct value *list, const struct schema *schema, struct typed_item **items,
                 struct typed_item ***sorted, size_t *count, struct error *err) __attribute__((warn_unused_result));
/* The element of one item, or false with why (in static words, or from the arena). */
bool typed_element(struct arena *arena, const struct value *item, const struct schema *list, struct field_element *element,
                   const char **why);

/* Complaints of what applied documents may not be, as strings ("\.spec.foo: field not declared in schema"), at most some. */
void typed_validate(struct arena *arena, const struct value *v, const struct schema *schema, struct vec *complaints);

/* The fields that a document speaks of. It was validated. */
const struct fieldset *typed_fields(struct arena *arena, const struct value *v, const struct schema *schema);

struct typed_changes {
    const struct fieldset *removed, *modified, *added;
};
/* What is different in `new`. False: a list that has no keys (err as typed_items). */
bool typed_compare(struct arena *arena, const struct value *old, const struct value *new, const struct schema *schema,
                   struct typed_changes *changes, struct error *err) __attribute__((warn_unused_result));

/* What a new object sets: all that is not as in an object that says nothing. Errors as typed_compare. */
bool typed_created(struct arena *arena, const struct value *new, const struct schema *schema, const struct fieldset **set,
                   struct error *err) __attribute__((warn_unused_result));

/* `over` laid over `under`: a new value. NULL: no memory, or a list without keys (err). */
struct value *typed_merge(struct arena *arena, const struct value *under, const struct value *over, const struct schema *schema,
                          struct error *err) __attribute__((warn_unused_result));
/* A copy without the items of a set; what is left empty by it is null. NULL: no memory. */
struct value *typed_remove(struct arena *arena, const struct value *v, const struct schema *schema,
                           const struct fieldset *items) __attribute__((warn_unused_result));
/* The set with the named fields that lead to its members as members, too. */
const struct fieldset *typed_with_named(struct arena *arena, const struct fieldset *set, const struct schema *schema);
/* The set as the schema has it now: what is one field today belongs to who had a part of it. */
const struct fieldset *typed_reconcile(struct arena *arena, const struct fieldset *set, const struct schema *schema);

#endif
