/* schema.h: the one table of what kinds look like, and the nodes that it is made of. The built-in part is data/ *.schema and *.facts, made into const C
 * by compile.c at build time; CustomResourceDefinitions make the same nodes at run time (crd.h). Everything that needs to know a field reads these: decoding,
 * unknown fields, protobuf, defaults, strategic merge, server-side apply, explain, OpenAPI.
 *
 * Nodes are never changed once made. Built-in ones live for ever; those of a CRD as long as its kinds (schema_kind_ref).
 */
#ifndef KT_PRACTICE_SCHEMA_SCHEMA_H
#define KT_PRACTICE_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/value.h"

enum schema_type {
    SCHEMA_STRING,
    SCHEMA_BOOL,
    SCHEMA_INT32,
    SCHEMA_INT64,
    SCHEMA_DOUBLE,
    SCHEMA_BYTES,         /* base64 in JSON */
    SCHEMA_QUANTITY,      /* resource.Quantity: string or number in, canonical string out */
    SCHEMA_INT_OR_STRING, /* intstr.IntOrString */
    SCHEMA_TIME,          /* metav1.Time: RFC 3339, whole seconds */
    SCHEMA_MICRO_TIME,    /* metav1.MicroTime */
    SCHEMA_DURATION,      /* metav1.Duration: "1m30s" */
    SCHEMA_FIELDS,        /* metav1.FieldsV1: an object, kept as it is */
    SCHEMA_RAW,           /* runtime.RawExtension: an object, kept as it is */
    SCHEMA_ANY,           /* any JSON (apiextensions' JSON; preserve-unknown-fields) */
    SCHEMA_OBJECT,        /* fields */
    SCHEMA_ARRAY,         /* items */
    SCHEMA_MAP,           /* string keys, items */
};

/* x-kubernetes-list-type (maps: SCHEMA_MAP and SCHEMA_OBJECT are granular unless SCHEMA_ATOMIC) */
enum schema_list { SCHEMA_GRANULAR, SCHEMA_ATOMIC, SCHEMA_SET, SCHEMA_KEYED };

struct schema;
struct schema_rules; /* a CRD's value validations (crd.h); NULL for built-in ones */

enum schema_flag {
    SCHEMA_REQUIRED = 1,    /* OpenAPI says so (told apart from what validation says) */
    SCHEMA_ALWAYS = 2,      /* Go: a struct that is no pointer, or no omitempty: present in every answer ({} / null / "" / 0 / false) */
    SCHEMA_OMIT_ZERO = 4,   /* Go: omitempty without a pointer: "", 0, false, [] and {} are the same as absent */
    SCHEMA_IMMUTABLE = 8,   /* may not change after creation, once set or ever (facts; the refusal's wording is the kind's rules') */
    SCHEMA_PRESERVE = 16,   /* on an object: unknown fields are kept (CRDs) */
    SCHEMA_EMBEDDED = 32,   /* on an object: x-kubernetes-embedded-resource */
    SCHEMA_NULLABLE = 64,   /* null is a value (CRDs) */
    SCHEMA_MERGE = 128,     /* patchStrategy has merge */
    SCHEMA_RETAIN_KEYS = 256, /* patchStrategy has retainKeys */
    SCHEMA_POINTER = 512,   /* Go: a pointer: absent is told from zero; with SCHEMA_ALWAYS it is null in answers where it is absent */
    SCHEMA_CUSTOM = 2048,   /* on each node of a CRD: values of other types are left as they are, keys stand in alphabetical order in answers */
    SCHEMA_WRAPPED = 1024,  /* on an array: a message of its own in protobuf, whose field 1 the items are */
};

struct schema_field {
    const char *name;            /* in JSON */
    const struct schema *schema;
    const char *default_json;    /* unconditional default as JSON text ("\"TCP\"", "1", "{}"), or NULL; conditional ones are rules (rules.h) */
    const char *description;     /* our own words for explain; NULL: none */
    uint16_t number;             /* protobuf; 0: not on the wire; OUTER * 256 + INNER for a field of a struct that is inline in JSON only */
    uint16_t flags;              /* schema_flag */
};

struct schema {
    enum schema_type type;
    const char *name;                  /* definition's name ("io.k8s.api.apps.v1.Deployment"); NULL: anonymous (arrays, maps, plain scalars, CRD parts) */
    const char *description;           /* or NULL */
    const struct schema_field *fields; /* SCHEMA_OBJECT: in the order of the Go struct, which is the order of answers */
    const uint16_t *by_name;           /* their indexes, sorted by name */
    uint16_t field_count;
    uint64_t always, defaulted;        /* built-in SCHEMA_OBJECT: bit i: fields[i] has SCHEMA_ALWAYS, default_json; a CRD's: 0 */
    uint16_t flags;                    /* SCHEMA_PRESERVE, SCHEMA_EMBEDDED, SCHEMA_NULLABLE; SCHEMA_MERGE, SCHEMA_RETAIN_KEYS on arrays, maps and objects as their field says */
    enum schema_list list;             /* SCHEMA_ARRAY: its list type; SCHEMA_OBJECT, SCHEMA_MAP: SCHEMA_GRANULAR or SCHEMA_ATOMIC */
    const char *const *keys;           /* SCHEMA_KEYED: the map keys, NULL-terminated */
    const char *merge_key;             /* SCHEMA_ARRAY: patchMergeKey, or NULL */
    const struct schema *items;        /* SCHEMA_ARRAY, SCHEMA_MAP; SCHEMA_ANY: what its objects are (JSONSchemaPropsOrBool ...), or NULL */
    const char *const *values;         /* enum, NULL-terminated, sorted; NULL: any */
    const char *format;                /* OpenAPI's format where it is not told by type ("byte", "int32" are); NULL */
    const struct schema_rules *rules;
    const char *go_name;               /* of a type that Go gives a name ("v1.Protocol", "types.UID"): errors say it; NULL: told by type, name, items */
};

/* The field of an object's schema, or NULL. */
const struct schema_field *schema_field(const struct schema *object, const char *name);
/* The same for an entry of a document, and of a branded one (value_brand) without a search. */
const struct schema_field *schema_entry(const struct schema *object, const struct value *entry);
/* Brands it as this field's, if that is built in. */
void schema_brand(const struct schema *object, const struct schema_field *field, struct value *entry);
/* The node below an object's field, a map's value; NULL where there is none. */
const struct schema *schema_below(const struct schema *schema, const char *key);
/* A definition by name, or NULL; and all of them, for OpenAPI. */
const struct schema *schema_definition(const char *name);
const struct schema *const *schema_definitions(size_t *count);

enum schema_verb {
    VERB_GET = 1, VERB_LIST = 2, VERB_WATCH = 4, VERB_CREATE = 8, VERB_UPDATE = 16, VERB_PATCH = 32, VERB_DELETE = 64, VERB_DELETE_COLLECTION = 128,
};

struct schema_subresource {
    const char *name;                 /* "status", "scale", "eviction", "log" ... */
    const char *group, *version, *kind; /* of its body, as discovery says it */
    unsigned verbs;
    const struct schema *schema;      /* of its body; the parent's for status; NULL: no JSON body (log, exec ...) */
};

/* A kind in one version of its group, as discovery tells it. */
struct schema_kind {
    const char *group, *version, *kind; /* group "" for core */
    const char *plural, *singular;
    const char *list_kind;
    const char *const *short_names;   /* NULL-terminated; NULL: none */
    const char *const *categories;
    bool namespaced;
    unsigned verbs;
    const struct schema_subresource *subresources; /* terminated by one with name NULL; NULL: none */
    const struct schema *schema;
    const struct schema_kind *storage; /* the version that objects are kept in; itself, mostly */
    const struct crd *crd;             /* the definition behind it; NULL: built in */
};

/* The built-in kinds, in discovery's order (groups by priority, kinds by name). */
const struct schema_kind *const *schema_kinds(size_t *count);
/* Finds a built-in kind; NULL: none. */
const struct schema_kind *schema_kind_of(const char *group, const char *version, const char *kind);
/* The same by an object's apiVersion ("v1", "apps/v1"). */
const struct schema_kind *schema_kind_at(const char *api_version, const char *kind);

#endif
