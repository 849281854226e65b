/* compile.h: the host tool that makes data/ *.schema, *.facts and kinds.discovery into C tables at build time: read.c reads the lines,
 * nodes.c finds the nodes that the tables need, emit.c writes them.
 *
 * The lines, words apart by spaces, # a comment:
 *     package NAME                        the definitions' prefix, for the lines that follow in this file
 *     enum NAME VALUE...                  a string type of the package; "" is the empty value
 *     alias NAME TYPE                     what Go gives a name of its own, which errors say
 *     any NAME TYPE                       a definition that is any JSON, objects of it being TYPE
 *     type NAME [atomic]                  a definition; its fields follow, indented:
 *       inline NUMBER NAME                the struct whose fields have NUMBER as OUTER; 0: TypeMeta
 *       NAME NUMBER TYPE [WORD...]        NUMBER is protobuf's, OUTER.INNER for a field of a struct that JSON has inline
 *     TYPE: string bool int32 int64 double bytes quantity int-or-string time microtime duration fields raw any, a name of this package,
 *           the end of another's ("meta.v1.ObjectMeta"), []TYPE, {}TYPE (map), ()TYPE (array that is a message of its own in protobuf)
 *     WORD: required always omit pointer merge retain set atomic immutable merge-key=NAME keys=NAME,... default=JSON
 * Facts add to what has been read (all *.schema come first):
 *     package NAME
 *     about NAME[: DESCRIPTION]           a definition; its fields follow:
 *       NAME [default=JSON] [immutable][: DESCRIPTION]
 * Kinds:
 *     group GROUP VERSION PACKAGE         for the lines that follow; "" is the core group
 *     kind KIND PLURAL SINGULAR namespaced|cluster VERB,... [short=...] [categories=...]
 *       sub NAME GROUP VERSION KIND VERB,... [TYPE]
 *     stored GROUP VERSION KIND GROUP VERSION      what is served as the first is kept as the second
 *
 * The tool runs once and ends: what it allocates lives until then, and what cannot be read ends it with a message.
 */
#ifndef KT_PRACTICE_SCHEMA_COMPILE_H
#define KT_PRACTICE_SCHEMA_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "practice/schema/schema.h"

enum { MOST_WORDS = 120 };

struct attributes { /* of the node itself, and part of what tells two nodes apart */
    unsigned flags; /* schema_flag */
    enum schema_list list;
    const char *keys, *merge_key;
    const char *go_name; /* of an alias or an enum */
};

struct field_line {
    const char *name, *word, *default_json, *description;
    unsigned number, flags;
    struct attributes attributes;
    size_t node;
};

struct inline_line {
    unsigned number;
    const char *name;
};

struct definition {
    const char *package, *name, *description;
    const char *other; /* of an `any` line: the type of its objects; else NULL */
    const char *alias; /* of an `alias` line: its type; else NULL */
    bool is_enum, atomic;
    struct inline_line *inlines;
    size_t inline_count;
    struct field_line *fields;
    size_t field_count;
    const char **values; /* is_enum */
    size_t value_count;
};

struct sub_line {
    const char *name, *group, *version, *kind, *verbs, *type;
};

struct kind_line {
    const char *group, *version, *package, *kind, *plural, *singular, *verbs, *short_names, *categories, *storage_group, *storage_version;
    bool namespaced;
    struct sub_line *subs;
    size_t sub_count;
};

struct node {
    enum schema_type type;
    char *signature;
    const struct definition *definition; /* of objects, enums and `any` lines */
    const char *name;                    /* definition's name, or NULL */
    struct attributes attributes;
    size_t items;                        /* node number + 1; 0: none */
};

struct tables {
    struct definition *definitions;
    size_t definition_count;
    struct kind_line *kinds;
    size_t kind_count;
    struct node *nodes;
    size_t node_count;
};

/* Reads one file; ends the program with a message if a line cannot be understood. */
void read_file(struct tables *tables, const char *path);
/* Makes the nodes of all definitions and kinds. */
void make_nodes(struct tables *tables);
/* The node of a type as a line of `package` says it. */
size_t node_of(struct tables *tables, const char *package, const char *word, struct attributes attributes);
const char *full_name(const struct definition *definition);
void emit(struct tables *tables, FILE *out);

/* Ends the program. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* A whole file's text; lives to the end, as all that these give: */
char *file_text(const char *path);
/* An array of `count` items with room for one more, at the old place or a new one. */
void *grow(void *items, size_t count, size_t size) __attribute__((warn_unused_result));
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2), warn_unused_result));

#endif
