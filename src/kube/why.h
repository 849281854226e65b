/* why.h: from a symptom to its cause, a sentence a link: "Deployment nginx has 2 of 3 replicas available" <- "Pod nginx-x
 * waits" <- "image ngnix cannot be pulled: ...".
 *
 * Follows at least: not found (with near names), replicas unavailable (owner references down to the Pods, worst first), image
 * cannot be pulled, crash loop with its exit code and last log line, Pending in the scheduler's words, init container not done,
 * quota or admission that refuses Pods (ReplicaFailure), Service selecting nothing (with the nearest labels), port not
 * matching, PVC unbound, probe failing, condition False with its message, being deleted (finalizers).
 */
#ifndef KT_KUBE_WHY_H
#define KT_KUBE_WHY_H

#include "base/vec.h"
#include "kube/client.h"
#include "kube/resource.h"

enum { KUBE_WHY_LINKS = 8 };

struct kube_why_link {
    char kind[64]; /* "Pod" */
    char name[256];
    char text[512];     /* one sentence in the current language, no final full stop; may hold outside bytes */
    char evidence[256]; /* "status.containerStatuses[0].state.waiting", "event FailedScheduling", "log line" */
};
struct kube_why {
    size_t count;
    struct kube_why_link links[KUBE_WHY_LINKS]; /* from the symptom to the cause */
};

/* Asks the cluster what it needs to know (a few gets and lists in the object's namespace), then calls done once. count is 0
 * when nothing is wrong. What it may not read (403) it leaves out and says so in the last link. */
struct kube_why_call;
struct kube_why_call *kube_why_start(struct kube_client *client, const struct kube_resource *resource, const char *ns,
                                     const char *name,
                                     void (*done)(void *data, const struct kube_why *why, const struct error *error),
                                     void *data, struct error *err);
void kube_why_cancel(
    struct kube_why_call *call); /* done will not be called; NULL is fine. To be called before the client is freed */

#endif
