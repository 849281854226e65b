/* protobuf.h: application/vnd.kubernetes.protobuf bodies: the bytes "k8s\0", then an envelope (runtime.Unknown) with apiVersion and kind, and in it
 * the message, whose field numbers stand in the table. Only reading: answers are JSON, which every client takes.
 *
 * Hostile bytes are an error (ERROR_INPUT), never more: nesting is bounded by PROTOBUF_DEPTH and JSON_DEPTH, and what is built by the message's length
 * (an empty message of two bytes may become an object of 500; the body's length is bounded by who reads it).
 */
#ifndef KT_PRACTICE_SCHEMA_PROTOBUF_H
#define KT_PRACTICE_SCHEMA_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "data/value.h"
#include "practice/schema/schema.h"

enum { PROTOBUF_DEPTH = 100 };

struct protobuf_envelope {
    char api_version[128], kind[128]; /* "" where they are missing */
    const unsigned char *message;     /* borrowed from the body */
    size_t length;
};

/* Opens the envelope, to learn what the message is. */
bool protobuf_open(const void *body, size_t length, struct protobuf_envelope *out, struct error *err) __attribute__((warn_unused_result));

/* Reads the message as `schema`, with the envelope's apiVersion and kind in it, normalised (decode.h). The caller frees; NULL: ERROR_INPUT,
 * ERROR_LIMIT (too deep), ERROR_MEMORY. Fields that the table does not know are dropped. */
struct value *protobuf_decode(const struct protobuf_envelope *envelope, const struct schema *schema, struct error *err)
    __attribute__((warn_unused_result));

#endif
