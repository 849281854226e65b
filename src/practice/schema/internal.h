/* internal.h: what decoding is made of, for this folder only. */
#ifndef KT_PRACTICE_SCHEMA_INTERNAL_H
#define KT_PRACTICE_SCHEMA_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/schema.h"

/* Where in the document we are: a chain on the stack, from the innermost outwards; NULL is the root. */
struct place {
    const struct place *up;
    const struct schema *object;      /* a field's: the schema that has it */
    const struct schema_field *field; /* NULL: a map's entry or an item */
    const char *key;                  /* a map's entry; NULL: a field or an item */
    size_t index;                     /* an item's */
};

struct reading {
    const char *text;        /* the document, or NULL: only the value is there */
    size_t length;
    bool odd_numbers;        /* some number in the text has a fraction or an exponent: its literal may matter */
    struct vec *complaints;  /* or NULL */
    bool quiet;              /* nobody complains here: in what reads itself (JSONSchemaPropsOrBool ...) */
    bool unknown;            /* an unknown field was met; the text will tell which, in its order */
    size_t entries;          /* of all objects: fewer than the text has keys, if some stand twice */
    bool wrong;              /* err holds the first wrong type; Go goes on reading, and later errors of another kind go before it */
    struct error err;
};

/* place.c */
enum { PLACE_TEXT = 1024 };
/* spec.containers[0].name, as complaints say it; cut if it is longer. */
void place_path(const struct place *place, char out[static PLACE_TEXT]);
/* Notes `json: cannot unmarshal WHAT into Go struct field Container.spec.containers.name of type TYPE`. type NULL: as Go calls the schema's; then only
 * the first one counts. Others are of types that read themselves: Go stops there, whatever was wrong before. */
void place_wrong_type(struct reading *r, const struct place *place, const char *what, const struct schema *schema, const char *type);

/* scan.c: looks into the text of a document that has been parsed already. */
/* Keys of all objects. *odd: see struct reading. */
size_t scan_entries(const char *text, size_t length, bool *odd);
/* The literal of the value at a place, cut to the room; "" if it is not found. */
void scan_literal(const char *text, size_t length, const struct place *place, char *out, size_t room);
/* Adds `unknown field "..."` and `duplicate field "..."` in the text's order. False: no memory. */
bool scan_complaints(const char *text, size_t length, const struct schema *schema, struct vec *complaints);
/* The text of a top-level string; *wrong names the JSON type of what else is there, else NULL. Also for texts that are no JSON: then "". Where it
 * stands in the text. */
size_t scan_top(const char *text, size_t length, const char *key, char *out, size_t room, const char **wrong);
/* Adds a complaint unless it is there. False: no memory. */
bool scan_complain(struct vec *complaints, const char *what, const char *path);

/* scalars.c */
enum { TIME_TEXT = 40 };
/* Go's time.Parse of RFC 3339, with exactly six digits of a second for `micro`, printed in UTC. *zero: it is the year 1's first second. */
bool scalar_time(const char *text, bool micro, char out[static TIME_TEXT], bool *zero, struct error *err);
/* Base64 as Go reads it (line ends are skipped). *changed: the canonical text is another one, which is then in *out (the caller frees). */
bool scalar_base64(const char *text, char **out, bool *changed, struct error *err);

/* normalise.c */
bool normalise_root(struct reading *r, struct value *object, const struct schema *schema);
/* Puts an object's keys in alphabetical order. False: no memory. */
bool normalise_order(struct value *object);

#endif
