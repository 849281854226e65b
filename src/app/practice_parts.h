/* practice_parts.h: what the process of the practice cluster consists of beside the API server: controllers, scheduler, nodes,
 * network, the simulated runtime; and its clock's settings.
 */
#ifndef KT_APP_PRACTICE_PARTS_H
#define KT_APP_PRACTICE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "practice/api/server.h"

struct practice_parts;

struct practice_settings {
    int nodes;           /* 1 to PRACTICE_NODES */
    double speed;        /* of pulls and starts: divides how long they take; 0: no time */
    bool api_only;       /* nothing runs: no scheduler, no nodes, and only the controllers that belong to the API */
    double clock_rate;   /* seconds of the cluster's clock a second of the wall's */
    const char *images;  /* the folder of the catalogue of images */
    const char *volumes; /* the folder that keeps what is in persistent volumes; NULL: memory */
};
enum { PRACTICE_NODES = 100 };
/* From what --nodes, --speed and --clock-rate say; each may be NULL: the usual. ERROR_USAGE. */
bool practice_settings_read(const char *nodes, const char *speed, const char *clock_rate, struct practice_settings *settings,
                            struct error *err);

/* Starts them all. NULL: none is left. */
struct practice_parts *practice_parts_new(struct server *server, const struct practice_settings *settings, struct error *err)
    __attribute__((warn_unused_result));
void practice_parts_free(struct practice_parts *parts); /* before the server; NULL is fine */

/* How far the cluster's clock was ahead when it was last written down (0: never), and writing it down: a cluster that starts
 * again does not go back in time. */
int64_t practice_clock_read(void);
void practice_clock_write(int64_t offset_ms);

#endif
