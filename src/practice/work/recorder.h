/* recorder.h: Events, as client-go's recorder makes them: what happened once is an object, what happens again raises its count,
 * what happens too often about one object is held back, and what differs only in words is put together after ten of a kind.
 */
#ifndef KT_PRACTICE_WORK_RECORDER_H
#define KT_PRACTICE_WORK_RECORDER_H

#include <stdbool.h>

#include "data/value.h"
#include "practice/api/client.h"

struct recorder;

/* component: source.component and reportingComponent ("deployment-controller", "kubelet", "default-scheduler"); host:
 * source.host, NULL for none. modern: as the scheduler writes them (events.k8s.io: eventTime, action, reportingInstance,
 * series), else core ones. */
struct recorder_options {
    const char *component, *host;
    bool modern;
};
struct recorder *recorder_new(struct client *client, const struct recorder_options *options, struct error *err)
    __attribute__((warn_unused_result));
void recorder_free(struct recorder *recorder); /* NULL is fine */

/* What it is about. */
struct recorder_about {
    const char *kind, *api_version, *ns, *name, *uid, *version; /* version "" for none */
    const char *field_path;                                     /* "spec.containers{web}"; NULL: none */
};
/* About an object; `kind` and `api_version` as code has them, since items of lists do not carry them. Borrows from document. */
struct recorder_about recorder_about(const struct value *document, const char *api_version, const char *kind);
/* Says it; the write happens in the next round of the loop, so that a burst is one commit. Where it cannot be written (a
 * namespace that ends, no memory) it is lost, as a real one is. action: for modern ones
 * ("Binding"), else NULL. */
void recorder_say(struct recorder *recorder, const struct recorder_about *about, bool warning, const char *reason,
                  const char *action, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
