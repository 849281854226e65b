/* crd_internal.h: a compiled definition, for the crd files of this folder. The JSON schema of a version becomes a tree of
 * nodes, which the object's way goes along: pruning, defaults, checks.
 */
#ifndef KT_PRACTICE_SCHEMA_CRD_INTERNAL_H
#define KT_PRACTICE_SCHEMA_CRD_INTERNAL_H

#include "data/pattern.h"
#include "practice/schema/crd.h"
#include "practice/schema/fieldset.h"
#include "practice/schema/rules.h"

struct crd_property {
    const char *name;
    const struct crd_node *node;
};

struct crd_nodes {
    const struct crd_node **list;
    size_t count;
};

struct crd_node {
    const struct value *json;  /* the schema as it is written: bounds and such are read from there */
    const char *type, *format; /* "": none */
    bool int_or_string, nullable, preserve, embedded;
    bool closed;                     /* additionalProperties: false */
    enum schema_list list;           /* of arrays; SCHEMA_ATOMIC for objects with that map type, too */
    const char *const *keys;         /* of a keyed list; NULL-terminated */
    struct crd_property *properties; /* sorted by name */
    size_t property_count;
    const struct crd_node *additional, *items, *not ;
    struct crd_nodes all, any, one;
    const struct value *fallback; /* the default, pruned; NULL: none */
    struct pattern *pattern;
    struct crd_node *next_pattern; /* of those that have one, to be freed */
};

struct crd_tree {
    struct arena arena;
    struct crd_node *patterns;
};
/* The tree of a schema, which must outlive it. NULL: no memory, or a pattern that cannot be compiled. */
const struct crd_node *crd_node_new(struct crd_tree *tree, const struct value *json, struct error *err)
    __attribute__((warn_unused_result));
void crd_tree_free(struct crd_tree *tree);
const struct crd_node *crd_node_property(const struct crd_node *node, const char *name); /* NULL: none */
/* What is below an object's key: its property's, else that of additionalProperties. */
const struct crd_node *crd_node_below(const struct crd_node *node, const char *key);
bool crd_is_meta(const char *key); /* apiVersion, kind, metadata */

struct crd_version {
    struct schema_kind kind; /* the first: see crd_version_of */
    const struct value *json;
    const struct crd_node *root;
    struct crd_scale scale;
    bool has_scale;
    struct crd_column *columns;
    const char **paths; /* of the columns */
    size_t column_count;
    bool served;
    const char *deprecation; /* the words for a Warning header; NULL: it is not deprecated */
    struct rules rules;
};

struct crd {
    struct crd_tree tree;
    struct value *definition;
    uint64_t since; /* the version of the state at which its kinds came to be */
    struct crd_version *versions;
    size_t count;
    const struct schema_kind **kinds; /* of served versions */
    size_t kind_count;
};

struct rules crd_object_rules(const char *const *selectors);
const struct crd_version *crd_version_of(const struct schema_kind *kind);
/* The same tree as nodes of schema.h, with apiVersion, kind and metadata at the root. NULL: no memory. */
const struct schema *crd_schema(struct arena *arena, const struct crd_node *root);

/* Drops what the schema does not know; names it in `unknown` (may be NULL). False: no memory. */
bool crd_prune(struct value *v, const struct crd_node *node, bool is_root, struct vec *unknown)
    __attribute__((warn_unused_result));
void crd_drop_nulls(struct value *v, const struct crd_node *node);
/* Embedded resources get the form of their metadata. */
bool crd_coerce(struct value *v, const struct crd_node *node, bool is_root, struct vec *unknown, struct error *err)
    __attribute__((warn_unused_result));
bool crd_fill_defaults(struct value *v, const struct crd_node *node) __attribute__((warn_unused_result));

/* Checks a value; `skip` is what the paths of messages leave out at the beginning ("status"; "" for nothing). */
void crd_check(const struct crd_node *node, const struct value *v, const struct value *old, const struct place *place,
               const char *skip, struct problems *problems);
void crd_check_embedded(const struct crd_node *node, const struct value *v, bool is_root, const struct place *place,
                        struct problems *problems);
void crd_check_lists(const struct crd_node *node, const struct value *v, const struct place *place, struct problems *problems);

/* A number as Go's %v has it; whole: it is an integer there. */
enum { CRD_NUMBER = 64 };
void crd_print_number(double d, bool whole, char out[static CRD_NUMBER]);
/* Is the format known for texts (without dashes), and is this text of it? */
bool crd_format_known(const char *format);
bool crd_format_fits(const char *format, const char *text);
/* A regular expression of Go's kind. NULL: it is wrong, in Go's words, or no memory. */
struct pattern *crd_pattern_new(const char *expression, struct error *err) __attribute__((warn_unused_result));

#endif
