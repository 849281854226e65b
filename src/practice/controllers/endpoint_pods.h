/* endpoint_pods.h: the Pods behind Services, for the controllers of Endpoints and EndpointSlices: which Services a change
 * concerns, which Pods are behind one, and at which ports.
 */
#ifndef KT_PRACTICE_CONTROLLERS_ENDPOINT_PODS_H
#define KT_PRACTICE_CONTROLLERS_ENDPOINT_PODS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "practice/controllers/internal.h"
#include "practice/work/label_selector.h"

enum { ENDPOINT_SERVICES = 100000, ENDPOINT_PODS = 1000000, ENDPOINT_PORTS = 1000 };

/* What of a Pod's spec counts; it never changes. */
struct endpoint_facts {
    char *hostname, *subdomain; /* "" for none */
    struct vec ports;           /* struct endpoint_named: those with a name */
};

struct endpoint_service {
    struct value *document;
    struct label_selector *selector; /* NULL: its endpoints are somebody else's business */
};

struct endpoint_pods {
    const struct place_of_work *place;
    struct workqueue *queue;   /* gets the keys of Services that something changed of */
    struct informer *informer; /* of Services */
    struct pods_follower *follower;
    struct map services; /* key -> struct endpoint_service, owned */
    struct map facts;    /* a Pod's uid -> struct endpoint_facts, owned */
};

bool endpoint_pods_start(struct endpoint_pods *behind, const struct place_of_work *place, struct workqueue *queue,
                         struct error *err) __attribute__((warn_unused_result));
void endpoint_pods_stop(struct endpoint_pods *behind); /* also one that is all zero */

/* A Pod behind a Service. */
struct endpoint {
    const struct pod_view *pod;
    const char *hostname; /* where the Service is its subdomain, else "" */
    bool ready, serving, terminating;
    struct value *ports; /* [{name, port, protocol, appProtocol}], sorted as the Service has them; owned */
};
void endpoint_pod_free(void *endpoint);
/* All of them, by name (a list of struct endpoint, made here). False: no memory. */
bool endpoint_pods_of(const struct endpoint_pods *behind, const struct endpoint_service *service, struct vec *out)
    __attribute__((warn_unused_result));
/* {apiVersion v1, kind: Pod, namespace, name, uid}, without apiVersion. NULL: no memory. */
struct value *endpoint_reference(const struct endpoint *endpoint) __attribute__((warn_unused_result));
/* When what is behind the Service last changed, as the annotation endpoints.kubernetes.io/last-change-trigger-time says it. */
void endpoint_changed_at(const struct endpoint_service *service, const struct vec *endpoints, char out[static 21]);
#define ENDPOINT_CHANGED "endpoints.kubernetes.io/last-change-trigger-time"
bool endpoint_is_headless(const struct endpoint_service *service);

#endif
