#include "practice/controllers/controllers.h"

#include <string.h>

#include "base/mem.h"
#include "practice/controllers/internal.h"

static const struct controller_type *const types[] = {
    &accounts_controller, &root_ca_controller, &namespace_controller, &garbage_controller, &quota_controller, &aggregation_controller,
    &deployment_controller, &replicaset_controller, &replication_controller, &statefulset_controller, &daemonset_controller,
    &endpoint_controller, &endpointslice_controller,
    &job_controller, &ttl_controller,
};
enum { CONTROLLERS = sizeof types / sizeof *types, OF_THE_API = 6 /* the first ones */ };

struct controllers {
    struct client *clients[CONTROLLERS];
    void *running[CONTROLLERS];
};

static struct controllers *start_some(const struct place_of_work *place, size_t count, struct error *err)
{
    struct controllers *controllers = mem_zero(1, sizeof *controllers);
    bool ok = controllers != NULL || error_memory(err);
    for (size_t i = 0; i < count && ok; i++) {
        char *user = mem_printf("system:serviceaccount:kube-system:%s", types[i]->name);
        struct place_of_work own;
        ok = (user != NULL || error_memory(err)) && place_for(place, user, "kube-controller-manager", &own, err);
        controllers->clients[i] = ok ? own.client : NULL;
        ok = ok && (controllers->running[i] = types[i]->start(&own, err)) != NULL;
        mem_free(user);
    }
    if (ok)
        return controllers;
    controllers_free(controllers);
    return NULL;
}

struct controllers *controllers_new(const struct place_of_work *place, struct error *err)
{
    return start_some(place, CONTROLLERS, err);
}

struct controllers *controllers_new_for_api(const struct place_of_work *place, struct error *err)
{
    return start_some(place, OF_THE_API, err);
}

void controllers_free(struct controllers *controllers)
{
    if (controllers == NULL)
        return;
    for (size_t i = CONTROLLERS; i-- > 0;) {
        if (controllers->running[i] != NULL)
            types[i]->stop(controllers->running[i]);
        client_free(controllers->clients[i]);
    }
    mem_free(controllers);
}
