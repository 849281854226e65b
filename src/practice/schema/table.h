/* table.h: the tables that schema_compile makes, for this folder only. */
#ifndef KT_PRACTICE_SCHEMA_TABLE_H
#define KT_PRACTICE_SCHEMA_TABLE_H

#include "practice/schema/schema.h"

extern const struct schema *const schema_table_definitions[]; /* sorted by name */
extern const size_t schema_table_definitions_count;
extern const struct schema_kind *const schema_table_kinds[]; /* in discovery's order */
extern const size_t schema_table_kinds_count;
extern const struct schema_kind *const schema_table_kinds_by_name[]; /* by kind, group, version */
extern const size_t schema_table_kinds_by_name_count;

/* Structs that are inline in JSON only: the field with `number` of a definition's message, and its name in Go's errors. NULL ends the list. */
struct schema_inline {
    const char *definition;
    unsigned number;
    const char *name;
};
extern const struct schema_inline schema_table_inlines[];

#endif
