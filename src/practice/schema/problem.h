/* problem.h: what validation found wrong, each with its field's path, as the causes of a 422 Status (apimachinery's field.Error).
 */
#ifndef KT_PRACTICE_SCHEMA_PROBLEM_H
#define KT_PRACTICE_SCHEMA_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "data/value.h"

/* Where in a document validation stands: a chain on the caller's stack; a path is only written when there is something to say.
 *     const struct place spec = place_key(&root, "spec"), port = place_index(&ports, i), label = place_map(&labels, "a/b");   spec.ports[0],
 * metadata.labels[a/b] */
struct place {
    const struct place *up; /* NULL: the document itself */
    const char *key;        /* a field; NULL: an index */
    size_t index;
    bool brackets;          /* key is a map's key: written in [] */
};
#define PLACE_ROOT ((struct place){0})
struct place place_key(const struct place *up, const char *key);
struct place place_index(const struct place *up, size_t index);
struct place place_map(const struct place *up, const char *key);
void place_print(const struct place *place, struct buf *out);

enum problem_type {
    PROBLEM_REQUIRED,      /* FieldValueRequired:     Required value: DETAIL */
    PROBLEM_INVALID,       /* FieldValueInvalid:      Invalid value: VALUE: DETAIL */
    PROBLEM_NOT_SUPPORTED, /* FieldValueNotSupported: Unsupported value: VALUE: supported values: "A", "B" */
    PROBLEM_DUPLICATE,     /* FieldValueDuplicate:    Duplicate value: VALUE */
    PROBLEM_FORBIDDEN,     /* FieldValueForbidden:    Forbidden: DETAIL */
    PROBLEM_NOT_FOUND,     /* FieldValueNotFound:     Not found: VALUE */
    PROBLEM_TOO_LONG,      /* FieldValueTooLong:      Too long: may not be more than N bytes */
    PROBLEM_TOO_MANY,      /* FieldValueTooMany:      Too many: N: must have at most M items */
    PROBLEM_TYPE,          /* FieldValueTypeInvalid:  Invalid value: VALUE: DETAIL (CRDs) */
    PROBLEM_INTERNAL,      /* InternalError:          Internal error: DETAIL */
};

struct problem {
    enum problem_type type;
    char *field;   /* owned; "spec.ports[0].port", "<nil>" for the document itself */
    char *message; /* owned; without the field: `Required value: name is required` */
};

struct problems {
    struct vec list; /* of struct problem, owned */
    bool failed;     /* memory ran out: the list is not whole, and the request must fail with 500 */
};
enum { PROBLEMS = 1000 }; /* further ones are dropped */

struct problems problems_make(void);
void problems_free(struct problems *problems);
bool problems_none(const struct problems *problems); /* nothing found, nothing failed */
/* Adds one, unless the same is there already (the server's list tells each message of a field once). value is what stands there (printed as Go prints
 * it in such errors: strings quoted, objects and arrays as compact JSON), NULL where the type has none. */
void problem_add(struct problems *problems, const struct place *place, enum problem_type type, const struct value *value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* PROBLEM_INVALID with a string for the value, which is the most frequent. */
void problem_invalid(struct problems *problems, const struct place *place, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* PROBLEM_NOT_SUPPORTED; supported is NULL-terminated and printed in the given order. */
void problem_unsupported(struct problems *problems, const struct place *place, const char *value, const char *const *supported);
/* The same for a value that is printed already. */
void problem_unsupported_value(struct problems *problems, const struct place *place, const char *printed, const char *const *supported);
/* PROBLEM_INVALID with a number. */
void problem_number(struct problems *problems, const struct place *place, int64_t value, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* PROBLEM_DUPLICATE and PROBLEM_NOT_FOUND of a string. */
void problem_string(struct problems *problems, const struct place *place, enum problem_type type, const char *value);
/* Of what is printed already: value and detail may be NULL. */
void problem_text(struct problems *problems, const struct place *place, enum problem_type type, const char *value, const char *detail);
/* At up.KEY (key NULL: at up itself); detail may be NULL. */
void problem_required(struct problems *problems, const struct place *up, const char *key, const char *detail);
void problem_forbidden(struct problems *problems, const struct place *up, const char *key, const char *detail);
void problem_too_long(struct problems *problems, const struct place *place, size_t maximum);
void problem_too_many(struct problems *problems, const struct place *place, size_t actual, size_t maximum);
/* Appends JSON text as Go's encoder writes it: it escapes <, > and &. */
void problem_json(const char *text, struct buf *out);
/* Adds "PLACE: TEXT" to a list of warnings (strings that it owns); one that finds no memory is left out. */
void warning_at(struct vec *warnings, const struct place *place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The reason's name, "FieldValueInvalid". */
const char *problem_reason(enum problem_type type);

#endif
