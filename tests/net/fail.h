/* fail.h: tests in which each allocation fails once.
 */
#ifndef KT_TESTS_NET_FAIL_H
#define KT_TESTS_NET_FAIL_H

#include <stdbool.h>

#include "base/mem.h"

/* After mem_fail_at(nth) and some work: true if that allocation was among the work's. Switches the failing off. */
static inline bool fail_was_reached(int nth)
{
    bool reached = true;
    for (int i = 0; i < nth && reached; i++) {
        void *memory = mem_alloc(1);
        reached = memory != NULL;
        mem_free(memory);
    }
    mem_fail_at(0);
    return reached;
}

#endif
