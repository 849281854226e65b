/* call.h: one thing that is asked of the API, from the wire or from inside, and its answer.
 */
#ifndef KT_PRACTICE_API_CALL_H
#define KT_PRACTICE_API_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "data/value.h"
#include "practice/api/status.h"
#include "practice/schema/schema.h"
#include "practice/state/state.h"

struct user {
    char *name, *uid;       /* owned; uid NULL: none */
    struct vec groups;      /* of strings, owned */
    struct value *extra;    /* an object of arrays of strings, or NULL */
};
void user_free(struct user *user);
bool user_has_group(const struct user *user, const char *group);

enum patch_type { PATCH_NONE, PATCH_JSON, PATCH_MERGE, PATCH_STRATEGIC, PATCH_APPLY };
enum field_validation { VALIDATE_WARN, VALIDATE_IGNORE, VALIDATE_STRICT };
enum propagation { PROPAGATION_DEFAULT, PROPAGATION_BACKGROUND, PROPAGATION_FOREGROUND, PROPAGATION_ORPHAN };

struct call {
    const struct user *user;
    const char *user_agent;                 /* "" for none */
    enum schema_verb verb;
    const struct schema_kind *kind;         /* in the version that was asked for */
    const struct schema_subresource *sub;   /* NULL: the object itself */
    const char *ns, *name;                  /* ns "": cluster-scoped, or all namespaces; name NULL: none in the path */
    struct value *body;                     /* as parsed, not yet decoded; the call owns it; NULL: none. DeleteOptions for deletions */
    const char *text;                       /* the JSON that body was parsed from, kept by the exchange; NULL: another form, or duplicates tell */
    size_t text_length;
    struct vec *duplicates;                 /* fields that stood twice in the body (strings, `metadata.labels.a`); NULL: none */
    bool yaml;                              /* the body is YAML: duplicates are sentences with lines, `line 7: key "a" already set in map` */
    enum patch_type patch;
    /* options, from the query or DeleteOptions */
    bool dry_run, force;
    enum field_validation validation;
    const char *manager;                    /* fieldManager; NULL: not given */
    const char *label_selector, *field_selector;
    int64_t grace;                          /* gracePeriodSeconds; -1: not given */
    enum propagation propagation;
    const char *if_uid, *if_version;        /* preconditions; NULL: none */
};

struct answer {
    int code;                     /* 200, 201, 202 */
    struct object *object;        /* what was stored or read (a reference): printed with `as`'s head; or */
    const struct schema_kind *as; /* the version that it is shown in */
    struct value *value;          /* a document that is not stored (dry run, a review, a Success Status) */
    struct status failure;        /* code not 0: refused, nothing changed */
    struct vec warnings;          /* strings for Warning headers, owned */
};
void answer_free(struct answer *answer);

#endif
