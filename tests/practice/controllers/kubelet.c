#include "kubelet.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/controllers/daemonset.h"
#include "practice/work/keys.h"

static const struct client_resource nodes = {"", "v1", "nodes"};

struct kubelet {
    struct cluster *cluster;
    struct pods *pods;
    struct pods_follower *follower;
    struct workqueue *queue;
    bool holds;
};

static const char *image_of(const struct value *pod)
{
    return value_find_text(value_first(value_find(pod, "spec", "containers", NULL)), "image", NULL);
}

static bool has_claim(const struct value *pod)
{
    for (const struct value *volume = value_first(value_find(pod, "spec", "volumes", NULL)); volume != NULL; volume = value_next(volume))
        if (value_get(volume, "persistentVolumeClaim") != NULL)
            return true;
    return false;
}

static bool write_from(struct kubelet *kubelet, const struct object *pod, const char *sub, const char *text)
{
    struct error err = ERROR_INIT;
    struct value *body = json_parse(text, strlen(text), "kubelet", &err), *done;
    assert_non_null(body);
    done = strcmp(sub, "binding") == 0 ? client_create_sub(kubelet->cluster->client, &pods, sub, pod->ns, pod->name, body, &err)
                                       : client_patch(kubelet->cluster->client, &pods, sub, pod->ns, pod->name, PATCH_MERGE, body, &err);
    bool ok = done != NULL || err.kind == ERROR_NOT_FOUND || err.kind == ERROR_CONFLICT;
    if (!ok && err.kind != ERROR_MEMORY)
        print_error("%s of %s/%s: %s\n", sub, pod->ns, pod->name, err.message);
    value_free(done);
    return ok;
}

static bool bind(struct kubelet *kubelet, const struct object *pod, const struct value *document)
{
    const char *target = daemon_target(document);
    char *text = mem_printf("{\"metadata\":{\"name\":\"%s\"},\"target\":{\"kind\":\"Node\",\"name\":\"%s\"}}", pod->name, target != NULL ? target : "node1");
    bool ok = write_from(kubelet, pod, "binding", text);
    mem_free(text);
    return ok;
}

static bool run(struct kubelet *kubelet, const struct object *pod, const char *image)
{
    char now[21];
    time_print(client_now_ms(kubelet->cluster->client), now);
    bool ready = strncmp(image, "unready", 7) != 0, fails = strncmp(image, "failing", 7) == 0;
    char *text = mem_printf("{\"status\":{\"phase\":\"%s\",\"startTime\":\"%s\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"lastTransitionTime\":\"%s\"}]}}",
                            fails ? "Failed" : "Running", now, ready && !fails ? "True" : "False", now);
    bool ok = write_from(kubelet, pod, "status", text);
    mem_free(text);
    return ok;
}

static bool work(void *data, const char *text)
{
    struct kubelet *kubelet = data;
    struct key key;
    bool ok = true;
    if (!key_parse(text, &key))
        return false;
    const struct pod_view *pod = pods_get(kubelet->pods, key.ns, key.name);
    key_free(&key);
    if (pod == NULL)
        return true;
    struct value *document = pods_value(kubelet->pods, pod);
    const char *image = image_of(document);
    if (pod->deleting && !kubelet->holds)
        ok = client_delete_now(kubelet->cluster->client, &pods, pod->object->ns, pod->object->name, pod->object->uid, NULL) || true;
    else if (!pod->deleting && pod->node[0] == '\0' && !has_claim(document))
        ok = bind(kubelet, pod->object, document);
    else if (!pod->deleting && pod->node[0] != '\0' && pod->phase == POD_PENDING && strncmp(image, "missing", 7) != 0)
        ok = run(kubelet, pod->object, image);
    value_free(document);
    return ok;
}

static void changed(void *data, const struct pods_event *event)
{
    struct kubelet *kubelet = data;
    if (event->pod != NULL)
        key_add(kubelet->queue, event->pod->object);
}

struct kubelet *kubelet_start(struct cluster *cluster)
{
    struct kubelet *kubelet = mem_zero(1, sizeof *kubelet);
    assert_non_null(kubelet);
    *kubelet = (struct kubelet){.cluster = cluster, .pods = cluster->place.pods};
    if (!cluster_has(cluster, &nodes, "", "node1")) /* a node that the server begins with */
        cluster_make(cluster, &nodes, "", "{'metadata':{'name':'node1','labels':{'kubernetes.io/hostname':'node1'}}}");
    kubelet->queue = workqueue_new(cluster->place.api->clock, cluster->place.api->state, work, kubelet, NULL);
    assert_non_null(kubelet->queue);
    kubelet->follower = pods_follow(kubelet->pods, changed, kubelet, NULL);
    assert_non_null(kubelet->follower);
    return kubelet;
}

void kubelet_hold(struct kubelet *kubelet, bool hold)
{
    kubelet->holds = hold;
    for (const struct pod_view *pod = NULL; !hold && (pod = pods_next_in(kubelet->pods, "default", pod)) != NULL;)
        key_add(kubelet->queue, pod->object);
}

void kubelet_stop(struct kubelet *kubelet)
{
    pods_unfollow(kubelet->follower);
    workqueue_free(kubelet->queue);
    mem_free(kubelet);
}

static void passed(void *data)
{
    (void)data;
}

void kubelet_pass(struct cluster *cluster, int64_t ms)
{
    struct error err = ERROR_INIT;
    if (!cluster_clock_step(cluster->place.api->clock, ms, passed, NULL, &err))
        fail_msg("step: %s", err.message);
    UNTIL(cluster, !cluster_clock_stepping(cluster->place.api->clock));
}

int busy_cluster_open(void **state)
{
    struct busy_cluster *busy = mem_zero(1, sizeof *busy);
    assert_non_null(busy);
    cluster_open(&busy->cluster);
    busy->kubelet = kubelet_start(&busy->cluster);
    UNTIL(&busy->cluster, cluster_has(&busy->cluster, &accounts, "default", "default"));
    *state = busy;
    return 0;
}

int busy_cluster_close(void **state)
{
    struct busy_cluster *busy = *state;
    kubelet_stop(busy->kubelet);
    cluster_close(&busy->cluster);
    mem_free(busy);
    return 0;
}
