/* work [PODS]: what the view of Pods costs beside the API's own work, and what events cost: for each Pod four of them. Prints
 * NAME VALUE lines; see work.py. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "practice/work/recorder.h"
#include "work_world.h"

static double processor_us(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

static void say(const char *name, double value)
{
    printf("%s %.4g\n", name, value);
    fflush(stdout);
}

/* A Pod as a running one of a Deployment is. */
static struct value *pod_of(int number)
{
    return work_json(
        "{'metadata':{'name':'web-7d9c5b8f6-%05d','labels':{'app':'web','tier':'front','pod-template-hash':'7d9c5b8f6'},"
        "'ownerReferences':[{'apiVersion':'apps/"
        "v1','kind':'ReplicaSet','name':'web-%d','uid':'00000000-0000-4000-8000-%012d','controller':true,'blockOwnerDeletion':"
        "true}]},"
        "'spec':{'nodeName':'node-%d','containers':[{'name':'web','image':'registry.example.org/"
        "web:1.27.3','ports':[{'name':'http','containerPort':8080}],"
        "'env':[{'name':'MODE','value':'production'},{'name':'NODE','valueFrom':{'fieldRef':{'fieldPath':'spec.nodeName'}}}],"
        "'resources':{'requests':{'cpu':'100m','memory':'128Mi'},'limits':{'cpu':'500m','memory':'256Mi'}},"
        "'readinessProbe':{'httpGet':{'path':'/ready','port':8080}},'volumeMounts':[{'name':'config','mountPath':'/etc/"
        "web'}]}],'volumes':[{'name':'config','configMap':{'name':'web'}}]}}",
        number, number / 10, number / 10, number % 100);
}

static struct value *status_of(int number)
{
    static const char at[] = "2026-01-01T00:00:05Z";
    return work_json("{'status':{'phase':'Running','podIP':'10.244.%d.%d','podIPs':[{'ip':'10.244.%d.%d'}],'hostIP':'10.0.0.1',"
                     "'startTime':'%s','conditions':["
                     "{'type':'PodScheduled','status':'True','lastTransitionTime':'%s'},{'type':'Initialized','status':'True','"
                     "lastTransitionTime':'%s'},"
                     "{'type':'ContainersReady','status':'True','lastTransitionTime':'%s'},{'type':'Ready','status':'True','"
                     "lastTransitionTime':'%s'}],"
                     "'containerStatuses':[{'name':'web','image':'registry.example.org/"
                     "web:1.27.3','imageID':'registry.example.org/web@sha256:0123456789abcdef','ready':true,'restartCount':0,"
                     "'started':true,'containerID':'containerd://"
                     "0123456789abcdef0123456789abcdef','state':{'running':{'startedAt':'%s'}}}]}}",
                     number / 250, number % 250, number / 250, number % 250, at, at, at, at, at, at);
}

static void count(void *data, const struct pods_event *event)
{
    (void)event;
    ++*(int *)data;
}

static void settle(struct work_world *world, const int *told, int wanted)
{
    while (*told < wanted)
        loop_once(world->serve.loop, 10);
}

static double heap_bytes(void)
{
    return (double)mallinfo2().uordblks;
}

/* One view more than there is: what it costs to be told of everything, and to hold it. */
static void measure_view(struct work_world *world, int pods)
{
    int told = 0;
    double text = 0, from = processor_us(), bytes = heap_bytes();
    struct pods *view = pods_new(world->place.reader, NULL);
    struct pods_follower *follower = pods_follow(view, count, &told, NULL);
    settle(world, &told, pods);
    say("event_us", (processor_us() - from) / pods);
    say("bytes_a_pod", (heap_bytes() - bytes) / pods);
    from = processor_us();
    for (const struct pod_view *pod = NULL; (pod = pods_next_in(view, "default", pod)) != NULL;) {
        value_free(pods_value(view, pod));
        text += (double)pod->object->length;
    }
    say("parse_us", (processor_us() - from) / pods);
    say("text_bytes", text / pods);
    from = processor_us();
    size_t found = 0;
    for (const struct pod_view *pod = NULL; (pod = pods_next_in(view, "default", pod)) != NULL;)
        found += pods_by_uid(view, pod->object->uid) == pod && pods_by_ip(view, pod->ip) == pod &&
                 pods_get(view, "default", pod->object->name) == pod;
    say("three_lookups_us", (processor_us() - from) / pods);
    if (found != (size_t)pods)
        printf("found %zu\n", found);
    pods_unfollow(follower);
    pods_free(view);
}

static size_t events_there(struct work_world *world)
{
    const struct api *api = world->place.api;
    return state_count(api->state, registry_resource(api->registry, registry_find(api->registry, "", "v1", "events")), NULL);
}

static void measure_events(struct work_world *world, int pods, bool modern)
{
    static const char *const reasons[] = {"Scheduled", "Pulled", "Created", "Started"};
    const struct recorder_options options = {.component = "kubelet", .host = "node-1", .modern = modern};
    struct recorder *recorder = recorder_new(world->place.client, &options, NULL);
    size_t before = events_there(world), wanted = before + 4 * (size_t)pods;
    double from = processor_us();
    int waiting = 0;
    for (int i = 0; i < pods; i++) {
        char name[32], uid[40];
        snprintf(name, sizeof name, "web-7d9c5b8f6-%05d", i);
        snprintf(uid, sizeof uid, "00000000-0000-4000-9000-%012d", i);
        const struct recorder_about about = {.kind = "Pod",
                                             .api_version = "v1",
                                             .ns = "default",
                                             .name = name,
                                             .uid = uid,
                                             .version = "12345",
                                             .field_path = "spec.containers{web}"};
        for (int k = 0; k < 4; k++)
            recorder_say(recorder, &about, false, reasons[k], modern ? "Binding" : NULL,
                         "Container image \"registry.example.org/web:1.27.3\" already present on machine %d", k);
        if ((waiting += 4) >= 1000)
            for (; waiting > 0; waiting -= 100)
                loop_once(world->serve.loop, 10);
    }
    while (events_there(world) < wanted)
        loop_once(world->serve.loop, 10);
    say(modern ? "modern_event_us" : "core_event_us", (processor_us() - from) / (4 * pods));
    recorder_free(recorder);
}

/* The API's own share: the same objects, made by hand. */
static void measure_plain(struct work_world *world, int events)
{
    double from = processor_us(), making = 0;
    for (int i = 0; i < events; i++) {
        double start = processor_us();
        struct value *event = work_json(
            "{'metadata':{'name':'plain-%d','namespace':'default'},'involvedObject':{'kind':'Pod','namespace':'default','name':"
            "'web-7d9c5b8f6-%05d','uid':"
            "'00000000-0000-4000-9000-%012d','apiVersion':'v1','resourceVersion':'12345','fieldPath':'spec.containers{web}'},'"
            "reason':'Pulled','type':'Normal','source':{"
            "'component':'kubelet','host':'node-1'},'message':'Container image registry.example.org/web:1.27.3 already present "
            "on machine','firstTimestamp':'2026-01-01T00:00:00Z',"
            "'lastTimestamp':'2026-01-01T00:00:00Z','count':1,'reportingComponent':'kubelet','reportingInstance':'node-1'}",
            i, i, i);
        making += processor_us() - start;
        if (!client_create_quietly(world->place.client, &work_events, "default", event, NULL))
            printf("event %d was refused\n", i);
        if (i % 100 == 99)
            loop_once(world->serve.loop, 10);
    }
    say("plain_event_us", (processor_us() - from - making) / events);
}

int main(int argc, char **argv)
{
    int pods = argc > 1 ? atoi(argv[1]) : 10000, told = 0;
    struct work_world world;
    work_open(&world);
    struct pods_follower *follower = pods_follow(world.place.pods, count, &told, NULL);
    double from = processor_us();
    for (int i = 0; i < pods; i++) {
        work_make(&world, &work_pods, pod_of(i));
        if (i % 100 == 99)
            loop_once(world.serve.loop, 0);
    }
    settle(&world, &told, pods);
    say("create_and_tell_us", (processor_us() - from) / pods);
    for (int i = 0; i < pods; i++) {
        char name[32];
        snprintf(name, sizeof name, "web-7d9c5b8f6-%05d", i);
        work_patch(&world, &work_pods, "status", name, status_of(i));
        if (i % 100 == 99)
            loop_once(world.serve.loop, 0);
    }
    settle(&world, &told, 2 * pods);
    pods_unfollow(follower);
    measure_view(&world, pods);
    measure_plain(&world, pods);
    measure_events(&world, pods, false);
    measure_events(&world, pods, true);
    work_close(&world);
    return 0;
}
