/* rules.h: what is special about a kind: small functions beside the table. Everything works on documents that were decoded (decode.h): right types,
 * no unknown fields.
 *
 * The wording of refusals is the real server's; each rule was asked of one (tests/practice/schema/rules holds its answers).
 */
#ifndef KT_PRACTICE_SCHEMA_RULES_H
#define KT_PRACTICE_SCHEMA_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/problem.h"
#include "practice/schema/schema.h"

enum rules_flag {
    RULES_GENERATION = 1,    /* metadata.generation is 1 at creation and counts changes of anything but metadata and status */
    RULES_STATUS = 2,        /* status is cleared at creation and kept on update; written by the subresource alone */
    RULES_CREATE_BY_UPDATE = 4, /* PUT of a missing one creates it (leases, endpoints, ... : AllowCreateOnUpdate) */
    RULES_NEEDS_VERSION = 8, /* an update must name a resourceVersion (no AllowUnconditionalUpdate) */
    RULES_COUNT_ANNOTATIONS = 16, /* generation counts changes of annotations, too */
    RULES_LOOSE_NAME = 32,   /* names are checked last, and only as parts of paths (PodDisruptionBudget) */
    RULES_PLAIN_FINALIZERS = 64, /* finalizers need no domain (kinds that are validated without core's helpers) */
};

struct rules {
    const char *group, *kind;
    unsigned flags;
    /* Any may be NULL. False: no memory. */
    bool (*defaults)(struct value *object);                                   /* conditional defaults, before the table's (schema_apply_defaults) */
    bool (*prepare_create)(struct value *object);                             /* beyond what the flags do: fields that a client may not set */
    bool (*prepare_update)(struct value *object, const struct value *old);
    bool (*prepare_status)(struct value *object, const struct value *old);    /* beyond: all but status and what the server owns comes from old */
    void (*check_name)(const char *name, bool prefix, struct problems *problems,
                       const struct place *place);                            /* NULL: a DNS subdomain; prefix: generateName */
    void (*validate_first)(const struct value *object, struct problems *problems); /* where this finds something, nothing else is looked at, metadata neither */
    void (*validate)(const struct value *object, struct problems *problems);  /* all but metadata; for creation, and for the new object of an update */
    void (*validate_create)(const struct value *object, struct problems *problems); /* what holds at creation only */
    void (*validate_update)(const struct value *object, const struct value *old,
                            struct problems *problems); /* immutable fields and such, after validate */
    void (*validate_status)(const struct value *object, const struct value *old, struct problems *problems);
    void (*warn)(const struct value *object, const struct value *old, struct vec *warnings); /* strings for Warning headers; old NULL: creation */
    const char *const *selectors;  /* field selectors beside metadata.name and metadata.namespace: "spec.nodeName", ...; NULL-terminated; NULL: none */
    /* The seconds of grace that a deletion without a wish gets; negative: none (deleted at once). NULL: none. */
    int64_t (*grace)(const struct value *object);
};

/* The rules of a built-in kind; of one without any of its own, and of custom resources, an empty one (never NULL). */
const struct rules *rules_of(const struct schema_kind *kind);

/* The whole ways, for the API. `object` is decoded; `kind` is the stored version (convert.h), but for Events: they are judged in the version that they
 * come in. Not done here: what admission, the clock (lastTransitionTime of a gated Pod's condition is null) and allocation fill in. */
/* Defaults: the table's and the kind's, each field in its place afterwards (decode.h). Used on bodies and on what a patch made. */
bool rules_default(const struct schema_kind *kind, struct value *object) __attribute__((warn_unused_result));
/* Before a creation: status, generation, what clients may not set. metadata that the server owns (uid, name from generateName, creationTimestamp ...)
 * is the API's, and must be there before: a Job's selector names its uid. Addresses and node ports of a Service are allocated by the API between
 * prepare and validate. */
bool rules_prepare_create(const struct schema_kind *kind, struct value *object) __attribute__((warn_unused_result));
/* Before an update: what the client may not change comes from old, generation goes up if it must, server-owned metadata is kept. resourceVersion is
 * the API's. */
bool rules_prepare_update(const struct schema_kind *kind, struct value *object, const struct value *old) __attribute__((warn_unused_result));
bool rules_prepare_status(const struct schema_kind *kind, struct value *object, const struct value *old) __attribute__((warn_unused_result));
/* Validation with metadata (names, labels, annotations' size, finalizers, owner references, immutable metadata). */
void rules_validate_create(const struct schema_kind *kind, const struct value *object, struct problems *problems);
void rules_validate_update(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems);
void rules_validate_status(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems);
/* The value of a field selector ("metadata.name", one of rules->selectors) of an object: a text in `out` ("" where it is absent; what is false or 0
 * unless it is said reads so in a built-in kind). */
void rules_field(const struct schema_kind *kind, const struct value *object, const char *selector, struct buf *out);

#endif
