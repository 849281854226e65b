#include "practice/api/metrics.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

enum { LABELS = 512 };

struct metrics metrics_make(void)
{
    return (struct metrics){.requests = map_make(METRICS_SERIES, mem_free)};
}

void metrics_free(struct metrics *metrics)
{
    map_free(&metrics->requests);
}

void metrics_count(struct metrics *metrics, const struct metrics_request *request)
{
    char labels[LABELS];
    snprintf(labels, sizeof labels,
             "code=\"%d\",group=\"%.100s\",resource=\"%.100s\",scope=\"%s\",subresource=\"%.64s\",verb=\"%.20s\",version=\"%.64s\"", request->code,
             request->group, request->resource, request->scope, request->subresource, request->verb, request->version);
    uint64_t *number = map_get(&metrics->requests, labels);
    if (number == NULL) {
        number = mem_zero(1, sizeof *number);
        if (number == NULL || !map_set(&metrics->requests, labels, number)) {
            metrics->others++;
            return;
        }
    }
    ++*number;
}

static void family(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_requests(const struct metrics *metrics, struct buf *out)
{
    size_t cursor = 0;
    family(out, "apiserver_request_total", "counter", "Requests that were answered.");
    for (const struct map_entry *entry; (entry = map_next(&metrics->requests, &cursor)) != NULL;)
        buf_printf(out, "apiserver_request_total{%s} %llu\n", entry->key, (unsigned long long)*(const uint64_t *)entry->value);
    if (metrics->others > 0)
        buf_printf(out, "apiserver_request_total{code=\"\",group=\"\",resource=\"\",scope=\"\",subresource=\"\",verb=\"OTHER\",version=\"\"} %llu\n",
                   (unsigned long long)metrics->others);
}

static void print_objects(const struct api *api, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    struct state_numbers numbers;
    family(out, "apiserver_storage_objects", "gauge", "Objects that are stored, by resource.");
    for (size_t i = 0; i < count; i++)
        if (kinds[i]->storage == kinds[i] && (kinds[i]->verbs & VERB_LIST) != 0)
            buf_printf(out, "apiserver_storage_objects{resource=\"%s%s%s\"} %zu\n", kinds[i]->plural, kinds[i]->group[0] != '\0' ? "." : "",
                       kinds[i]->group, state_count(api->state, registry_resource(api->registry, kinds[i]), NULL));
    state_numbers(api->state, &numbers);
    family(out, "kubetutor_state_object_bytes", "gauge", "Bytes of the objects' texts.");
    buf_printf(out, "kubetutor_state_object_bytes %zu\n", numbers.object_bytes);
    family(out, "kubetutor_state_commits_total", "counter", "Transactions that were committed.");
    buf_printf(out, "kubetutor_state_commits_total %llu\n", (unsigned long long)numbers.commits);
    family(out, "kubetutor_state_history_bytes", "gauge", "Bytes of superseded versions that are kept.");
    buf_printf(out, "kubetutor_state_history_bytes %llu\n", (unsigned long long)numbers.history_bytes);
}

static size_t open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count > 3 ? count - 3 : 0; /* ".", ".." and the folder itself */
}

static void print_process(const struct metrics_now *now, struct buf *out)
{
    struct rusage used;
    struct rlimit files;
    unsigned long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm != NULL) {
        if (fscanf(statm, "%lu %lu", &size, &resident) != 2)
            size = resident = 0;
        fclose(statm);
    }
    unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
    if (getrusage(RUSAGE_SELF, &used) == 0) {
        family(out, "process_cpu_seconds_total", "counter", "Processor time, user and system.");
        buf_printf(out, "process_cpu_seconds_total %.2f\n",
                   (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    }
    family(out, "process_resident_memory_bytes", "gauge", "Resident memory.");
    buf_printf(out, "process_resident_memory_bytes %lu\n", resident * page);
    family(out, "process_virtual_memory_bytes", "gauge", "Virtual memory.");
    buf_printf(out, "process_virtual_memory_bytes %lu\n", size * page);
    family(out, "process_open_fds", "gauge", "Open file descriptors.");
    buf_printf(out, "process_open_fds %zu\n", open_files());
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        family(out, "process_max_fds", "gauge", "File descriptors that may be open.");
        buf_printf(out, "process_max_fds %llu\n", (unsigned long long)files.rlim_cur);
    }
    family(out, "process_start_time_seconds", "gauge", "When the process began to serve.");
    buf_printf(out, "process_start_time_seconds %.3f\n", (double)now->started_ms / 1000);
}

void metrics_print(const struct metrics *metrics, const struct metrics_now *now, struct buf *out)
{
    print_requests(metrics, out);
    family(out, "apiserver_current_inflight_requests", "gauge", "Requests that are being answered.");
    buf_printf(out, "apiserver_current_inflight_requests %zu\n", now->open_requests);
    family(out, "apiserver_longrunning_requests", "gauge", "Watches that are open.");
    buf_printf(out, "apiserver_longrunning_requests{verb=\"WATCH\"} %zu\n", now->watches);
    family(out, "kubetutor_connections", "gauge", "Connections that are open.");
    buf_printf(out, "kubetutor_connections %zu\n", now->connections);
    print_objects(now->api, out);
    print_process(now, out);
}
