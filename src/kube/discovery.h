/* discovery.h: what the server serves, kept by the client; resource.c looks things up in it, discovery.c asks the server.
 *
 * A load reads /api and /apis, aggregated (apidiscovery.k8s.io v2, v2beta1) where the server knows that, else a document a
 * group version. A document that cannot be read leaves what was known of its part as it was, and does not hide the others.
 */
#ifndef KT_KUBE_DISCOVERY_H
#define KT_KUBE_DISCOVERY_H

#include "base/map.h"
#include "kube/internal.h"
#include "kube/resource.h"

struct kube_entry {
    struct kube_resource resource; /* what others see; its strings stand in text */
    struct vec short_names;
    char *text;
    unsigned group_rank, version_rank; /* 0 is the most preferred; core is before all groups */
    unsigned seen;                     /* the load that saw it last */
    bool gone;                         /* the server no longer has it */
};

struct kube_discovery {
    struct kube_client *client;
    struct vec entries;                    /* of struct kube_entry, owned, never removed */
    struct map by_name;                    /* "apps/v1/deployments" to the entry that stands for it now */
    unsigned started, finished;            /* loads, counted from 1 */
    unsigned wanted;                       /* the first load that is fresh enough */
    unsigned under_way;                    /* requests sent and not answered */
    struct vec queue;                      /* of struct part: requests to be sent */
    struct error core_error, groups_error; /* of the last load: /api or /apis could not be read at all */
    struct error part_error;               /* the first group version that could not be read */
    struct vec waiters;                    /* of struct waiter (resource.c) */
    unsigned next_number;
    bool *freed; /* set when the discovery goes while it calls somebody */
};

/* Begins a load unless one is under way; kube_discovery_loaded is called at its end, perhaps at once. */
void kube_discovery_load(struct kube_discovery *discovery);
void kube_discovery_loaded(struct kube_discovery *discovery); /* resource.c */
void kube_entry_free(void *entry);

/* discovery_read.c: one document each, put into the entries. An aggregated one, or the list of a group version; more parts are
 * pushed to the queue by the caller. False: no memory or too many kinds. */
bool kube_discovery_read_groups(struct kube_discovery *discovery, const struct value *list, struct error *err);
bool kube_discovery_read_list(struct kube_discovery *discovery, const char *group, const char *version, unsigned group_rank,
                              unsigned version_rank, const struct value *list, struct error *err);
/* What is known of a part stays: of all groups but core (group NULL), of a group (version NULL), or of one version. */
void kube_discovery_keep(struct kube_discovery *discovery, const char *group, const char *version);

#endif
