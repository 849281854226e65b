/* internal_form.h: Go's JSON of the API server's internal types, for this folder only. They have no JSON tags: each field is there, by its Go name;
 * what is absent is null, "", 0 or false. The table is internal_table.c, made by scripts/gen-internal-form.
 */
#ifndef KT_PRACTICE_SCHEMA_INTERNAL_FORM_H
#define KT_PRACTICE_SCHEMA_INTERNAL_FORM_H

enum form_kind {
    FORM_NIL, /* a pointer, list or map: null where it is absent */
    FORM_TEXT,
    FORM_NUMBER,
    FORM_BOOL,
    FORM_QUANTITY,
    FORM_STRUCT,
    FORM_INLINE, /* metav1.ObjectMeta, whose fields stand among the others as they are */
};

struct form_field {
    const char *go, *json; /* names in both worlds */
    enum form_kind kind;
    const struct form_field *fields; /* of the struct, or of a pointer's, list's or map's elements; NULL: as it is */
};

struct form {
    const char *type;
    const struct form_field *fields; /* ended by one without a go name */
};

extern const struct form form_table[];

#endif
