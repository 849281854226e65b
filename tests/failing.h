/* failing.h: tests in which each allocation fails once.
 */
#ifndef KT_TESTS_FAILING_H
#define KT_TESTS_FAILING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

/* After mem_fail_at(nth) and some work: true if that allocation was among the work's, which is found out by allocating up to it. Switches the failing off. */
static inline bool failing_was_reached(int nth)
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

/* Calls body with the 1st, 2nd, ... allocation failing until it finishes without reaching the failing one. */
static inline void each_allocation_failing(void (*body)(void *argument), void *argument)
{
    bool reached = true;
    for (int nth = 1; reached; nth++) {
        assert_true(nth < 20000);
        mem_fail_at(nth);
        body(argument);
        reached = failing_was_reached(nth);
    }
}

#endif
