/* job.c: Jobs run Pods until enough of them succeeded (kube-controller-manager's job controller): what brings a Job up for a look, and what is kept between looks. */
#include "practice/controllers/job.h"

#include <string.h>

#include "base/mem.h"
#include "practice/controllers/workload.h"

static const struct client_resource jobs_resource = {"batch", "v1", "jobs"};

/* ---- whom to look at ---- */

static void add(struct jobs *jobs, const struct object *job, int64_t after_ms)
{
    char *key = mem_printf("%s/%s", job->ns, job->name);
    if (key != NULL)
        workqueue_add_after(jobs->queue, key, after_ms);
    else
        workqueue_add(jobs->queue, WORKQUEUE_ALL);
    mem_free(key);
}

static const struct object *job_of(const struct jobs *jobs, const struct pod_view *pod)
{
    if (strcmp(pod->owner_kind, "Job") != 0)
        return NULL;
    const struct object *job = informer_get(jobs->informer, pod->object->ns, pod->owner_name);
    return job != NULL && strcmp(job->uid, pod->owner_uid) == 0 ? job : NULL;
}

/* A Pod that nobody controls: the Jobs that would have it. */
static void add_matching(struct jobs *jobs, const struct object *pod)
{
    for (const struct object *job = NULL; (job = informer_next(jobs->informer, pod->ns, job)) != NULL;) {
        struct value *document = informer_value(jobs->informer, job);
        struct label_selector *selector = document != NULL ? label_selector_new(value_find(document, "spec", "selector", NULL), NULL) : NULL;
        if (document == NULL || (selector != NULL && label_selector_matches(selector, pod)))
            add(jobs, job, JOB_BATCH_MS);
        label_selector_free(selector);
        value_free(document);
    }
}

static void forget_pod(struct jobs *jobs, const struct pods_event *event)
{
    const char *uid = (event->pod != NULL ? event->pod : event->previous)->object->uid;
    if (event->pod == NULL)
        map_remove(&jobs->facts, uid);
    if (event->pod == NULL || !job_has_finalizer(event->document))
        map_remove(&jobs->released, uid);
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct jobs *jobs = data;
    const struct pod_view *pod = event->pod, *previous = event->previous;
    const struct object *now = pod != NULL ? job_of(jobs, pod) : NULL, *was = previous != NULL ? job_of(jobs, previous) : NULL;
    pending_observe(&jobs->pending, event);
    forget_pod(jobs, event);
    if (was != NULL)
        add(jobs, was, JOB_BATCH_MS);
    if (now != NULL && now != was)
        add(jobs, now, JOB_BATCH_MS);
    if (pod != NULL && job_has_finalizer(event->document) && (pod->owner_uid[0] == '\0' || (now == NULL && strcmp(pod->owner_kind, "Job") == 0) || (now != NULL && pod->deleting)))
        key_add(jobs->orphans, pod->object);
    if (!pod_goes(event) && pod->owner_uid[0] == '\0' && (previous == NULL || previous->owner_uid[0] != '\0' || pod_has_other_labels(event)))
        add_matching(jobs, pod->object);
}

/* Pods of a Job that ended or is gone may still wear the finalizer. */
static void add_orphans(struct jobs *jobs, const char *uid)
{
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(jobs->place.pods, uid, pod)) != NULL;)
        key_add(jobs->orphans, pod->object);
}

static void forget_job(struct jobs *jobs, const struct object *job)
{
    char *key = mem_printf("%s/%s", job->ns, job->name);
    if (key != NULL) {
        map_remove(&jobs->memories, key);
        expectations_forget(jobs->pending.expectations, key);
    }
    mem_free(key);
    add_orphans(jobs, job->uid);
}

static void job_changed(void *data, const struct informer_event *event)
{
    struct jobs *jobs = data;
    const struct object *now = event->object, *was = event->previous;
    if (was != NULL && (now == NULL || strcmp(now->uid, was->uid) != 0))
        forget_job(jobs, was);
    if (now == NULL)
        return;
    struct value *document = was != NULL ? informer_value(jobs->informer, now) : NULL, *before = was != NULL ? informer_value(jobs->informer, was) : NULL;
    bool same = document != NULL && before != NULL && value_find_int(document, 0, "metadata", "generation", NULL) == value_find_int(before, 0, "metadata", "generation", NULL);
    if (document != NULL && job_finished(document) != NULL)
        add_orphans(jobs, now->uid);
    else
        add(jobs, now, same ? JOB_BATCH_MS : 0);
    value_free(document);
    value_free(before);
}

/* ---- Pods whose Job does not count them any more ---- */

static bool release_orphan(void *data, const char *text)
{
    struct jobs *jobs = data;
    struct key key;
    if (strcmp(text, WORKQUEUE_ALL) == 0)
        return true; /* their next event brings them back, or the end of their Job */
    if (!pods_current(jobs->place.pods) || !informer_current(jobs->informer) || !key_parse(text, &key))
        return false;
    const struct pod_view *pod = pods_get(jobs->place.pods, key.ns, key.name);
    key_free(&key);
    if (pod == NULL || (pod->owner_uid[0] != '\0' && strcmp(pod->owner_kind, "Job") != 0))
        return true;
    const struct object *job = job_of(jobs, pod);
    struct value *document = job != NULL ? informer_value(jobs->informer, job) : NULL, *its = pods_value(jobs->place.pods, pod);
    const char *manager = value_find_text(document, "spec", "managedBy", NULL);
    bool stays = job != NULL && (document == NULL || job_finished(document) == NULL || (manager != NULL && strcmp(manager, "kubernetes.io/job-controller") != 0));
    bool ok = its != NULL && (stays || !job_has_finalizer(its) || job_release_pod(jobs, pod));
    value_free(document);
    value_free(its);
    return ok;
}

/* ---- one look ---- */

/* A Pod that is about to be taken: it counts only when its event was told. */
static bool finds_orphan(const struct job_sync *sync)
{
    const char *ns = value_find_text(sync->job, "metadata", "namespace", NULL);
    for (const struct pod_view *pod = NULL; !sync->going && (pod = pods_next_owned(sync->jobs->place.pods, "", pod)) != NULL;)
        if (!pod->deleting && strcmp(pod->object->ns, ns) == 0 && label_selector_matches(sync->selector, pod->object))
            return true;
    return false;
}

static bool text_is(const struct value *spec, const char *key, const char *wanted)
{
    const char *text = value_find_text(spec, key, NULL);
    return text != NULL && strcmp(text, wanted) == 0;
}

static void end_sync(struct job_sync *sync)
{
    label_selector_free(sync->selector);
    map_free(&sync->uncounted_succeeded);
    map_free(&sync->uncounted_failed);
    job_indexes_free(&sync->before);
    job_indexes_free(&sync->done);
    job_indexes_free(&sync->lost);
    value_free(sync->document);
    mem_free(sync->pods);
    mem_free(sync->delayed);
    mem_free(sync->reason);
    mem_free(sync->message);
}

static bool sync_job(struct jobs *jobs, const char *key, const struct value *job, const struct job_memory *memory)
{
    const struct value *spec = value_get(job, "spec");
    struct job_sync sync = {.jobs = jobs,
                            .key = key,
                            .job = job,
                            .spec = spec,
                            .document = value_copy(job),
                            .maker = {.place = &jobs->place, .recorder = jobs->recorder, .api_version = "batch/v1", .kind = "Job", .owner = job, .finalizer = JOB_TRACKING},
                            .selector = label_selector_new(value_get(spec, "selector"), NULL),
                            .now_ms = client_now_ms(jobs->place.client),
                            .going = workload_is_going(job),
                            .suspended = value_is_true(value_get(spec, "suspend")),
                            .indexed = text_is(spec, "completionMode", "Indexed"),
                            .per_index = value_get(spec, "backoffLimitPerIndex") != NULL,
                            .failed_only = text_is(spec, "podReplacementPolicy", "Failed"),
                            .completions = value_find_int(spec, -1, "completions", NULL),
                            .parallelism = value_find_int(spec, 1, "parallelism", NULL),
                            .backoff_limit = value_find_int(spec, 6, "backoffLimit", NULL),
                            .failures = memory->failures};
    bool ok = sync.document != NULL && sync.selector != NULL;
    bool waits = ok && finds_orphan(&sync);
    ok = ok && maker_claim(&sync.maker, sync.selector, NULL) && (waits || job_look(&sync));
    end_sync(&sync);
    return ok;
}

/* NULL: no memory. */
static struct job_memory *memory_of(struct jobs *jobs, const char *key)
{
    struct job_memory *memory = map_get(&jobs->memories, key);
    if (memory != NULL)
        return memory;
    memory = mem_zero(1, sizeof *memory);
    return memory != NULL && map_set(&jobs->memories, key, memory) ? memory : NULL;
}

static bool work(void *data, const char *text)
{
    struct jobs *jobs = data;
    struct key key;
    jobs->begun = jobs->begun || (pods_current(jobs->place.pods) && informer_current(jobs->informer));
    if (!jobs->begun)
        return false; /* what it does not know of yet it would make again */
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(jobs->queue, jobs->informer);
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *object = informer_get(jobs->informer, key.ns, key.name);
    struct value *job = object != NULL ? informer_value(jobs->informer, object) : NULL;
    struct job_memory *memory = object != NULL ? memory_of(jobs, text) : NULL;
    const char *manager = value_find_text(job, "spec", "managedBy", NULL);
    bool ok = true;
    key_free(&key);
    if (object == NULL)
        expectations_forget(jobs->pending.expectations, text);
    else if (job == NULL || memory == NULL || object->version < memory->written)
        ok = false; /* what it wrote itself is to come */
    else if (job_finished(job) == NULL && (manager == NULL || strcmp(manager, "kubernetes.io/job-controller") == 0))
        ok = sync_job(jobs, text, job, memory);
    value_free(job);
    return ok;
}

static void stop(void *data)
{
    struct jobs *jobs = data;
    pods_unfollow(jobs->follower);
    informer_free(jobs->informer);
    workqueue_free(jobs->queue);
    workqueue_free(jobs->orphans);
    recorder_free(jobs->recorder);
    pending_stop(&jobs->pending);
    map_free(&jobs->memories);
    map_free(&jobs->facts);
    map_free(&jobs->released);
    mem_free(jobs);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct recorder_options options = {.component = "job-controller"};
    struct jobs *jobs = mem_zero(1, sizeof *jobs);
    if (jobs == NULL) {
        error_memory(err);
        return NULL;
    }
    jobs->place = *place;
    jobs->memories = map_make(JOB_MAXIMUM, mem_free);
    jobs->facts = map_make(JOB_MAXIMUM, job_facts_free);
    jobs->released = map_make(JOB_MAXIMUM, NULL);
    if ((jobs->recorder = recorder_new(place->client, &options, err)) != NULL && pending_start(&jobs->pending, "Job", place->api->clock, err) &&
        (jobs->queue = workqueue_new(place->api->clock, place->api->state, work, jobs, err)) != NULL &&
        (jobs->orphans = workqueue_new(place->api->clock, place->api->state, release_orphan, jobs, err)) != NULL &&
        (jobs->informer = informer_new(place->reader, &jobs_resource, job_changed, jobs, err)) != NULL &&
        (jobs->follower = pods_follow(place->pods, pod_changed, jobs, err)) != NULL)
        return jobs;
    stop(jobs);
    return NULL;
}

const struct controller_type job_controller = {"job-controller", start, stop};
