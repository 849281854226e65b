/* aggregation.c: ClusterRoles with an aggregationRule have the rules of those that it selects (kube-controller-manager's clusterrole-aggregation controller). */
#include "base/mem.h"
#include "practice/api/access.h"
#include "practice/controllers/internal.h"

struct aggregation {
    struct api *api;
    struct workqueue *queue; /* one key: all of them */
    struct informer *roles;
};

static bool work(void *data, const char *key)
{
    struct aggregation *aggregation = data;
    (void)key;
    return access_aggregate(aggregation->api->access, NULL);
}

static void changed(void *data, const struct informer_event *event)
{
    struct aggregation *aggregation = data;
    (void)event;
    workqueue_add(aggregation->queue, WORKQUEUE_ALL);
}

static void stop(void *data)
{
    struct aggregation *aggregation = data;
    informer_free(aggregation->roles);
    workqueue_free(aggregation->queue);
    mem_free(aggregation);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct client_resource roles = {"rbac.authorization.k8s.io", "v1", "clusterroles"};
    struct aggregation *aggregation = mem_zero(1, sizeof *aggregation);
    if (aggregation == NULL) {
        error_memory(err);
        return NULL;
    }
    aggregation->api = place->api;
    if ((aggregation->queue = workqueue_new(place->api->clock, place->api->state, work, aggregation, err)) != NULL && (aggregation->roles = informer_new(place->reader, &roles, changed, aggregation, err)) != NULL)
        return aggregation;
    stop(aggregation);
    return NULL;
}

const struct controller_type aggregation_controller = {"clusterrole-aggregation-controller", start, stop};
