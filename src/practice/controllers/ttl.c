/* ttl.c: Jobs that ended are deleted after the time that they asked for (kube-controller-manager's ttl-after-finished controller). */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/internal.h"
#include "practice/controllers/job.h"
#include "practice/controllers/workload.h"

static const struct client_resource jobs_resource = {"batch", "v1", "jobs"};

struct ttl {
    struct place_of_work place;
    struct workqueue *queue;
    struct informer *informer;
};

static void ttl_changed(void *data, const struct informer_event *event)
{
    struct ttl *ttl = data;
    if (event->object != NULL)
        key_add(ttl->queue, event->object);
}

/* ms until it may go, 0 or less: now. False: it stays. */
static bool time_left(const struct value *job, int64_t now_ms, int64_t *left_ms)
{
    const struct value *finished = job_finished(job);
    int64_t seconds = value_find_int(job, -1, "spec", "ttlSecondsAfterFinished", NULL), at_ms = workload_time(value_get(finished, "lastTransitionTime"));
    if (finished == NULL || seconds < 0 || at_ms == 0 || workload_is_going(job))
        return false;
    *left_ms = at_ms + seconds * 1000 - now_ms;
    return true;
}

/* What the informer has may be old: the time may have been changed meanwhile. */
static bool ttl_delete(struct ttl *ttl, const struct key *key)
{
    struct error err = ERROR_INIT;
    struct value *fresh = client_get(ttl->place.client, &jobs_resource, key->ns, key->name, &err);
    int64_t left_ms;
    bool ok = true;
    if (fresh == NULL)
        return err.kind == ERROR_NOT_FOUND;
    if (time_left(fresh, client_now_ms(ttl->place.client), &left_ms) && left_ms <= 0)
        ok = client_delete(ttl->place.client, &jobs_resource, key->ns, key->name, value_find_text(fresh, "metadata", "uid", NULL), PROPAGATION_FOREGROUND, &err) ||
             err.kind == ERROR_NOT_FOUND;
    value_free(fresh);
    return ok;
}

static bool ttl_work(void *data, const char *text)
{
    struct ttl *ttl = data;
    struct key key;
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(ttl->queue, ttl->informer);
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *object = informer_get(ttl->informer, key.ns, key.name);
    struct value *job = object != NULL ? informer_value(ttl->informer, object) : NULL;
    int64_t left_ms;
    bool ok = object == NULL || job != NULL;
    if (job != NULL && time_left(job, client_now_ms(ttl->place.client), &left_ms)) {
        if (left_ms > 0)
            workqueue_add_after(ttl->queue, text, left_ms);
        else
            ok = ttl_delete(ttl, &key);
    }
    value_free(job);
    key_free(&key);
    return ok;
}

static void ttl_stop(void *data)
{
    struct ttl *ttl = data;
    informer_free(ttl->informer);
    workqueue_free(ttl->queue);
    mem_free(ttl);
}

static void *ttl_start(const struct place_of_work *place, struct error *err)
{
    struct ttl *ttl = mem_zero(1, sizeof *ttl);
    if (ttl == NULL) {
        error_memory(err);
        return NULL;
    }
    ttl->place = *place;
    if ((ttl->queue = workqueue_new(place->api->clock, place->api->state, ttl_work, ttl, err)) != NULL &&
        (ttl->informer = informer_new(place->reader, &jobs_resource, ttl_changed, ttl, err)) != NULL)
        return ttl;
    ttl_stop(ttl);
    return NULL;
}

const struct controller_type ttl_controller = {"ttl-after-finished-controller", ttl_start, ttl_stop};
