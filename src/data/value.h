/* value.h: a JSON document, or a part of one: the one type for everything that comes from a cluster or a file.
 *
 * Ownership: a value belongs to the object or array that it was set into, else to whoever made it. Freeing a value frees all below
 * it. Functions that look (value_get, value_first, ...) return borrowed parts, valid until the document changes there or is freed.
 * All looking functions take NULL (a missing part) and answer "nothing", so that paths can be followed without a check a step.
 */
#ifndef KT_DATA_VALUE_H
#define KT_DATA_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value; /* opaque */

enum value_type { VALUE_MISSING, VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT };

/* Make. NULL: no memory. value_int and value_double refuse nothing; integers of any size up to 64 bits are kept exactly. */
struct value *value_null(void) __attribute__((warn_unused_result));
struct value *value_bool(bool b) __attribute__((warn_unused_result));
struct value *value_int(int64_t i) __attribute__((warn_unused_result));
struct value *value_uint(uint64_t u) __attribute__((warn_unused_result));
struct value *value_double(double d) __attribute__((warn_unused_result));
struct value *value_string(const char *s) __attribute__((warn_unused_result)); /* copied */
struct value *value_string_n(const char *bytes, size_t length) __attribute__((warn_unused_result));
struct value *value_array(void) __attribute__((warn_unused_result));
struct value *value_object(void) __attribute__((warn_unused_result));
struct value *value_copy(const struct value *v) __attribute__((warn_unused_result)); /* deep */
void value_free(struct value *v);                                                   /* NULL is fine */

/* Look. */
enum value_type value_type(const struct value *v); /* VALUE_MISSING for NULL */
const char *value_type_name(enum value_type type); /* "string", "object", ... for messages */
size_t value_length(const struct value *v);        /* entries of an array or object, else 0; O(n) */
struct value *value_get(const struct value *object, const char *key); /* case-sensitive; NULL: missing or not an object */
struct value *value_item(const struct value *array, size_t index);    /* O(index); walk with value_first/value_next */
struct value *value_first(const struct value *container);             /* first entry of an array or object */
struct value *value_next(const struct value *entry);
const char *value_key(const struct value *entry);                     /* its key in its object, or NULL */
const char *value_text(const struct value *v);                        /* a string's text, else NULL */
bool value_is_true(const struct value *v);                            /* a bool that is true */
bool value_as_int(const struct value *v, int64_t *out);               /* false if not a number without fraction in range */
bool value_as_uint(const struct value *v, uint64_t *out);
bool value_as_double(const struct value *v, double *out);
/* Follows keys, NULL-terminated: value_find(pod, "status", "phase", NULL). */
struct value *value_find(const struct value *v, ...) __attribute__((sentinel));
const char *value_find_text(const struct value *v, ...) __attribute__((sentinel)); /* "" is a text; NULL: missing or no string */
int64_t value_find_int(const struct value *v, int64_t otherwise, ...) __attribute__((sentinel));
/* Numbers equal by value (1 and 1.0), objects in any order. */
bool value_equal(const struct value *a, const struct value *b);

/* Change. They take `child` over, also on failure (false: no memory, or child NULL), so that value_set(o, "a", value_int(1)) can be
 * chained and the last answer looked at. */
bool value_set(struct value *object, const char *key, struct value *child) __attribute__((warn_unused_result)); /* replaces */
/* The same without a look for the key, which must not be there yet: for large objects. */
bool value_add(struct value *object, const char *key, struct value *child) __attribute__((warn_unused_result));
/* Adds an empty object so, under a key of `length` bytes without a NUL. NULL: no memory. */
struct value *value_add_object(struct value *object, const char *key, size_t length) __attribute__((warn_unused_result));
bool value_append(struct value *array, struct value *child) __attribute__((warn_unused_result));
void value_remove(struct value *object, const char *key);
struct value *value_take(struct value *container, struct value *entry); /* detaches; the caller owns it */
/* Puts `child` in an entry's place, under its key; the entry is freed. Takes child over. */
bool value_replace(struct value *container, struct value *entry, struct value *child) __attribute__((warn_unused_result));
/* Puts the entries of an object into this order: order[] holds each of them once. */
void value_arrange(struct value *object, struct value *const *order, size_t count);
/* Gives an entry's key another spelling of the same text, one that outlives every document (a table's), and a number above 0: whoever comes to the entry
 * again need not look for what it is. Copies have them, too. They are lost as soon as the entry gets a key anew. */
void value_brand(struct value *entry, const char *key, int number);
int value_brand_of(const struct value *entry); /* 0: none */
/* value_get, making an empty object where there is none. NULL: no memory, or something else stands there. */
struct value *value_child(struct value *object, const char *key) __attribute__((warn_unused_result));

#endif
