/* What a write costs in the API's heart, without a wire: the body as text in, the answer as text out, the state on disk in PATH (or kept nowhere).
 *     api_writes [COUNT [PATH]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "practice/api/internal.h"
#include "../practice/api/verbs_world.h"

static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-%06d\",\"namespace\":\"bench\",\"labels\":{\"app\":\"web\",\"tier\":"
    "\"front\",\"number\":\"%d\"},"
    "\"annotations\":{\"example.org/note\":\"what somebody wanted to say about this pod, in one sentence of some "
    "length\"}},\"spec\":{\"containers\":[{\"name\":\"web\","
    "\"image\":\"registry.example.org/"
    "web:1.27.3\",\"ports\":[{\"name\":\"http\",\"containerPort\":8080}],\"env\":[{\"name\":\"MODE\",\"value\":\"production\"},{\"name\":\"LEVEL\","
    "\"value\":\"info\"},{\"name\":\"NODE\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"spec.nodeName\"}}}],\"resources\":{\"requests\":{\"cpu\":"
    "\"100m\",\"memory\":\"128Mi\"},"
    "\"limits\":{\"cpu\":\"500m\",\"memory\":\"256Mi\"}},\"readinessProbe\":{\"httpGet\":{\"path\":\"/"
    "ready\",\"port\":8080},\"periodSeconds\":5},\"livenessProbe\":{\"httpGet\":"
    "{\"path\":\"/live\",\"port\":8080},\"initialDelaySeconds\":10},\"volumeMounts\":[{\"name\":\"config\",\"mountPath\":\"/etc/"
    "web\"}]}],\"volumes\":[{\"name\":\"config\","
    "\"configMap\":{\"name\":\"web\"}}],\"schedulerName\":\"none\"}}";

static void ask(struct world *world, const char *method, const char *path, const char *type, const char *body, int code)
{
    struct text_reply reply;
    if (!world_ask_text(world, method, path, type, body, &reply) || reply.code != code) {
        printf("%s %s: %d %s\n", method, path, reply.code, reply.text != NULL ? reply.text : "");
        exit(1);
    }
    mem_free(reply.text);
}

/* Since when, by the wall and by what this process used of the processors. */
struct mark {
    int64_t wall_us, used_us;
};

static struct mark mark_now(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (struct mark){clock_monotonic_us(), (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000};
}

static void tell(const char *what, struct mark since, int count)
{
    struct mark now = mark_now();
    printf("%-30s %7.1f us each (%6.1f us of a processor)\n", what, (double)(now.wall_us - since.wall_us) / count,
           (double)(now.used_us - since.used_us) / count);
}

int main(int argc, char **argv)
{
    struct world world;
    int count = argc > 1 ? atoi(argv[1]) : 10000;
    char body[4096], path[256];
    if (!world_open_at(&world, argc > 2 ? argv[2] : NULL) || !world_namespace(&world, "bench")) {
        printf("no world\n");
        return 1;
    }
    struct mark start = mark_now();
    for (int i = 0; i < count; i++) {
        snprintf(body, sizeof body, pod, i, i);
        ask(&world, "POST", "/api/v1/namespaces/bench/pods", NULL, body, 201);
    }
    state_commit(world.api.state, NULL);
    tell("create of a pod", start, count);
    start = mark_now();
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/api/v1/namespaces/bench/pods/web-%06d", i);
        ask(&world, "GET", path, NULL, NULL, 200);
    }
    tell("get", start, count);
    start = mark_now();
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/api/v1/namespaces/bench/pods/web-%06d", i);
        ask(&world, "PATCH", path, "application/merge-patch+json", "{\"metadata\":{\"labels\":{\"tier\":\"back\"}}}", 200);
    }
    state_commit(world.api.state, NULL);
    tell("merge patch", start, count);
    start = mark_now();
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/api/v1/namespaces/bench/pods/web-%06d", i);
        ask(&world, "PATCH", path, "application/strategic-merge-patch+json", "{\"metadata\":{\"labels\":{\"tier\":\"side\"}}}", 200);
    }
    state_commit(world.api.state, NULL);
    tell("strategic merge patch", start, count);
    start = mark_now();
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/api/v1/namespaces/bench/pods/web-%06d?fieldManager=m", i);
        ask(&world, "PATCH", path, "application/apply-patch+yaml",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"more\":\"words\"}}}", 200);
    }
    state_commit(world.api.state, NULL);
    tell("apply", start, count);
    struct call call = {.user = &world.user,
                        .user_agent = "bench",
                        .verb = VERB_DELETE_COLLECTION,
                        .kind = registry_find(world.api.registry, "", "v1", "pods"),
                        .ns = "bench",
                        .grace = 0};
    struct answer answer = {0};
    int64_t longest = 0;
    start = mark_now();
    struct collection *collection = collection_delete_start(&world.api, &call, &answer);
    for (bool more = collection != NULL; more;) {
        int64_t part = clock_monotonic_us();
        more = collection_delete_step(collection, 100);
        part = clock_monotonic_us() - part;
        longest = part > longest ? part : longest;
    }
    state_commit(world.api.state, NULL);
    tell("deletecollection, grace 0", start, count);
    printf("%-30s %7.1f us\n", "its longest part (100 objects)", (double)longest);
    collection_free(collection);
    world_close(&world);
    return 0;
}
