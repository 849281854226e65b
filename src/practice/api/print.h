/* print.h: objects as the bytes of an answer: whole, as their metadata alone, as rows of a Table; and JSON made pretty.
 */
#ifndef KT_PRACTICE_API_PRINT_H
#define KT_PRACTICE_API_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "practice/api/api.h"
#include "practice/api/describe.h"
#include "practice/api/negotiate.h"

/* How the objects of one answer are printed. */
struct print {
    const struct api *api;
    const struct schema_kind *kind; /* the version that was asked for */
    struct format format;
    enum include_object include; /* rows of Tables */
    struct buf head;             /* of whole objects: `{"kind":...,"apiVersion":...,` or `{` */
};

/* item: inside a list, where objects of built-in kinds have neither kind nor apiVersion. False: no memory. */
bool print_start(struct print *print, const struct api *api, const struct schema_kind *kind, const struct format *format, bool item)
    __attribute__((warn_unused_result));
void print_end(struct print *print);

/* Appends one object in the answer's form: an object, a PartialObjectMetadata or a row. version takes the place of the object's own if it is not 0 (a
 * watch tells that it left). */
bool print_object(struct print *print, const struct object *object, uint64_t version, struct buf *out, struct error *err)
    __attribute__((warn_unused_result));
/* The same for a document that is not stored. */
bool print_value(struct print *print, const struct value *document, struct buf *out, struct error *err) __attribute__((warn_unused_result));
/* `meta.k8s.io/v1` or its beta. */
const char *print_meta_version(const struct print *print);

/* JSON with indents of two blanks, as Go's encoder makes it. Text may come in any pieces; start with all zero. */
struct pretty {
    unsigned depth;
    bool in_string, escaped, opened; /* opened: the last thing was { or [, and may be empty */
};
void pretty_print(struct pretty *pretty, const char *json, size_t length, struct buf *out);

/* Sorts the names of all objects in a document, as the server's YAML has them. False: no memory. */
bool print_sort(struct value *document) __attribute__((warn_unused_result));

#endif
