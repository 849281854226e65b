/* status.h: a refusal (or the word that something was done) as a metav1.Status. The wording is the real server's.
 */
#ifndef KT_PRACTICE_API_STATUS_H
#define KT_PRACTICE_API_STATUS_H

#include <stdbool.h>

#include "base/error.h"
#include "data/value.h"
#include "practice/schema/problem.h"
#include "practice/schema/schema.h"

struct status {
    int code;           /* HTTP; 0: no failure */
    const char *reason; /* "NotFound", a constant */
    char *message;      /* owned, as all below; NULL after a lack of memory, which is answered as a plain 500 */
    char *group, *kind, *name, *uid; /* details; kind is the resource's plural name, mostly; NULL: left out */
    struct value *causes;            /* an array, or NULL */
    int retry_after_s;               /* 0: none */
    char *continue_from;             /* metadata.continue of an expired list; NULL: none */
    bool detailed;                   /* details stand there even if they are empty, as the real server's generic refusals have them */
};

/* Each sets *status and returns false, so that a failing function can `return status_...`. status must be empty (all zero) or is emptied first. */
bool status_set(struct status *status, int code, const char *reason, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool status_bad_request(struct status *status, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool status_not_found(struct status *status, const struct schema_kind *kind, const char *name);      /* pods "x" not found */
bool status_no_such_path(struct status *status);                                                     /* the server could not find the requested resource */
bool status_exists(struct status *status, const struct schema_kind *kind, const char *name);
bool status_conflict(struct status *status, const struct schema_kind *kind, const char *name, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool status_invalid(struct status *status, const struct schema_kind *kind, const char *name, const struct problems *problems); /* 422 with causes */
/* The same for what is no served kind of its own (group "meta.k8s.io", kind "DeleteOptions"; "" and "" for patches). */
bool status_invalid_as(struct status *status, const char *group, const char *kind, const char *name, const struct problems *problems);
bool status_forbidden(struct status *status, const char *group, const char *resource, const char *name, const char *format, ...)
    __attribute__((format(printf, 5, 6))); /* deployments.apps "x" is forbidden: ... */
bool status_method_not_allowed(struct status *status, const struct schema_kind *kind, const char *verb);
bool status_expired(struct status *status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An error of a layer below: ERROR_MEMORY, ERROR_LIMIT (no room: 507 with a clear sentence), ERROR_CONFLICT ... */
bool status_error(struct status *status, const struct error *err);
/* The other way round, for callers inside: its message and the kind that fits its code, as error_set takes them. */
bool status_as_error(const struct status *status, const char *where, struct error *err);
void status_free(struct status *status); /* leaves it empty */

/* The document {"kind":"Status",...,"status":"Failure"}; NULL: no memory. */
struct value *status_value(const struct status *status) __attribute__((warn_unused_result));
/* The answer to a deletion that removed something: Success with details. */
struct value *status_success(const struct schema_kind *kind, const char *name, const char *uid) __attribute__((warn_unused_result));

#endif
