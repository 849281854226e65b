/* internal.h: what loop.c and process.c know of each other; only for files of this folder and its tests.
 */
#ifndef KT_LOOP_INTERNAL_H
#define KT_LOOP_INTERNAL_H

#include <event2/event.h>
#include <event2/event_struct.h>

#include "loop/loop.h"

struct process;

struct loop {
    struct event_base *base;
    struct event round; /* bounds the wait of loop_once */
    bool stopped;
    size_t events;             /* added and not dropped yet */
    struct process *processes; /* every child that was not reaped yet (process.c) */
    bool no_pidfd;             /* tests set it: as on a kernel without pidfds, where SIGCHLD tells of ended children */
};

/* Waits until every released process was reaped; forgets the last ones if the kernel holds them past their KILL. */
void process_wait_released(struct loop *loop);

#endif
