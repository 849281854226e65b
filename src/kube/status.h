/* status.h: what an API server says about a request (meta/v1 Status), kept beside the sentence that a learner reads.
 */
#ifndef KT_KUBE_STATUS_H
#define KT_KUBE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "data/value.h"

enum { KUBE_STATUS_CAUSES = 8 };

struct kube_status {
    int code;               /* HTTP status, 0: no answer */
    char reason[64];        /* "NotFound", "AlreadyExists", "Invalid", ... or "" */
    char message[1024];     /* the server's own words */
    char kind[64], group[64], name[256], uid[64]; /* details, or "" */
    int64_t retry_after_ms; /* -1: not said */
    size_t cause_count;
    struct {
        char reason[64];    /* "FieldValueRequired", "FieldManagerConflict" */
        char field[192];    /* "spec.template.spec.containers[0].image" */
        char message[256];
    } causes[KUBE_STATUS_CAUSES];
};

/* Reads a Status object (or anything else the server sent as an error: then its first line is the message). Never fails. */
void kube_status_read(struct kube_status *status, int code, const char *content_type, const char *body, size_t length);
/* From a parsed Status (an ERROR event of a watch). */
void kube_status_from(struct kube_status *status, const struct value *object);

/* Fills err with kind and one sentence; `doing` and `what` name the operation ("create", "deployments.apps nginx in namespace learn").
 * 401 UNAUTHENTICATED, 403 DENIED, 404 NOT_FOUND, 409 EXISTS or CONFLICT, 410 EXPIRED, 422 and 400 INVALID, 429 503 BUSY, 504 TIMEOUT, else INTERNAL/UNREACHABLE. */
bool kube_status_error(const struct kube_status *status, const char *doing, const char *what, struct error *err);

#endif
