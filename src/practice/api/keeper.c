#include "practice/api/keeper.h"

#include <string.h>

#include "base/mem.h"
#include "practice/api/bootstrap.h"

enum { KEPT = 3, LATER_MS = 10000 };

static const struct {
    const char *group, *plural;
} kept[KEPT] = {{"", "services"}, {"", "endpoints"}, {"discovery.k8s.io", "endpointslices"}};

struct keeper {
    struct api *api;
    struct state_watch *watches[KEPT]; /* of namespace default; NULL: expired, to be placed again */
    struct loop_event *round;
};

/* Reads what happened. True: one of them may be gone. */
static bool read_events(struct keeper *keeper, size_t i)
{
    struct state_event event;
    bool gone = false;
    for (;;) {
        switch (state_watch_next(keeper->watches[i], &event)) {
        case STATE_EVENT:
            gone = gone || (event.change == STATE_DELETED && strcmp(event.object->name, "kubernetes") == 0);
            break;
        case STATE_WAIT:
            return gone;
        case STATE_EXPIRED:
            state_watch_free(keeper->watches[i]);
            keeper->watches[i] = NULL;
            return true;
        }
    }
}

static bool place(struct keeper *keeper, size_t i, void (*ready)(void *data))
{
    struct api *api = keeper->api;
    const struct schema_kind *kind = registry_find(api->registry, kept[i].group, "v1", kept[i].plural);
    struct error err = ERROR_INIT;
    if (kind != NULL)
        keeper->watches[i] =
            state_watch_new(api->state, registry_resource(api->registry, kind), "default", state_committed(api->state), ready, keeper, &err);
    if (keeper->watches[i] != NULL)
        read_events(keeper, i); /* nothing yet: from now on it calls */
    return keeper->watches[i] != NULL;
}

static void changed(void *data)
{
    struct keeper *keeper = data;
    loop_set_timer(keeper->round, 0); /* not from inside the state's own round */
}

static void look(void *data)
{
    struct keeper *keeper = data;
    struct error err = ERROR_INIT;
    bool gone = false, whole = true;
    for (size_t i = 0; i < KEPT; i++) {
        if (keeper->watches[i] == NULL) {
            whole = place(keeper, i, changed) && whole;
            gone = true;
        } else if (read_events(keeper, i)) {
            gone = true;
        }
    }
    if (gone && !bootstrap_kubernetes(keeper->api, &err)) {
        log_line(keeper->api->log, "Service kubernetes cannot be made again: %s", err.message);
        whole = false;
    }
    for (size_t i = 0; i < KEPT; i++)
        whole = whole && keeper->watches[i] != NULL;
    if (!whole)
        loop_set_timer(keeper->round, LATER_MS);
}

struct keeper *keeper_new(struct api *api, struct error *err)
{
    struct keeper *keeper = mem_zero(1, sizeof *keeper);
    if (keeper == NULL) {
        error_memory(err);
        return NULL;
    }
    keeper->api = api;
    keeper->round = loop_add_timer(api->loop, -1, look, keeper);
    bool placed = keeper->round != NULL;
    for (size_t i = 0; placed && i < KEPT; i++)
        placed = place(keeper, i, changed);
    if (placed)
        return keeper;
    keeper_free(keeper);
    error_memory(err);
    return NULL;
}

void keeper_free(struct keeper *keeper)
{
    if (keeper == NULL)
        return;
    for (size_t i = 0; i < KEPT; i++)
        state_watch_free(keeper->watches[i]);
    loop_drop(keeper->round);
    mem_free(keeper);
}
