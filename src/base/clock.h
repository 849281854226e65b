/* clock.h: the two clocks. Durations and deadlines use the monotonic one, so that a wall clock that jumps harms nothing.
 */
#ifndef KT_BASE_CLOCK_H
#define KT_BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds since some start; never goes back. */
int64_t clock_monotonic_ms(void);
/* The same in microseconds, for measuring. */
int64_t clock_monotonic_us(void);
/* Milliseconds since 1970-01-01 UTC, as the machine believes. */
int64_t clock_wall_ms(void);

#endif
