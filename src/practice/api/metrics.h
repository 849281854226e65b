/* metrics.h: what /metrics tells: counted requests, the process, the objects.
 */
#ifndef KT_PRACTICE_API_METRICS_H
#define KT_PRACTICE_API_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "practice/api/api.h"

enum { METRICS_SERIES = 4000 /* combinations of labels; requests of further ones are counted as one */ };

struct metrics {
    struct map requests; /* labels to numbers */
    uint64_t others;     /* requests that found no room */
};

struct metrics metrics_make(void);
void metrics_free(struct metrics *metrics);

struct metrics_request {
    const char *verb, *group, *version, *resource, *subresource, *scope;
    int code;
};
void metrics_count(struct metrics *metrics, const struct metrics_request *request);

struct metrics_now {
    const struct api *api;
    size_t open_requests, watches, connections;
    int64_t started_ms;
};
/* Prometheus' text format. Look at buf_ok afterwards. */
void metrics_print(const struct metrics *metrics, const struct metrics_now *now, struct buf *out);

#endif
