/* proxy.h: what the files of the proxies know of each other.
 */
#ifndef KT_PRACTICE_API_PROXY_H
#define KT_PRACTICE_API_PROXY_H

#include <stdint.h>

#include "practice/api/connect.h"

/* Where a request is passed on to. */
struct proxy_place {
    char *pod;        /* NULL: a node's own port (kubelet says whether it is the kubelet's), where nothing else listens */
    char address[64]; /* "10.244.0.5:80" */
    uint16_t port;    /* 0: its name is unknown */
    bool tls;         /* "https:NAME:PORT" */
    bool kubelet;
};
/* Finds it by the request's path; false: 400, 404, 503 in the failure. proxy_place_free in any case. */
bool proxy_find(struct exchange *exchange, struct proxy_place *place);
void proxy_place_free(struct proxy_place *place);

/* The request as it is sent on: `rest` is the path behind /proxy, as it came; prefix the path before that. False: no memory. */
bool proxy_request(struct exchange *exchange, const char *prefix, const char *rest, const char *upgrade, struct buf *out);
/* A Location of the answer, as it is from here; in `out`. */
void proxy_location(const char *location, const char *host, const char *address, const char *prefix, struct buf *out);
/* True for headers that are between two neighbours only, or made anew here. */
bool proxy_drops(const char *name);

/* Answers for a node's kubelet. Ends the exchange. */
void proxy_kubelet(struct exchange *exchange, const char *rest);

#endif
