/* coroutine.h: functions on stacks of their own that give the processor up by themselves (ucontext). Stacks are mapped with a guard page below and touched only as far as they are used.
 */
#ifndef KT_PRACTICE_SIM_COROUTINE_H
#define KT_PRACTICE_SIM_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

struct coroutines; /* a set of them, of which one runs at most */
struct coroutine;

struct coroutines *coroutines_new(size_t most) __attribute__((warn_unused_result)); /* NULL: no memory */
void coroutines_free(struct coroutines *set);                                       /* each one must have been freed */
/* One that has not begun. NULL: no memory, or too many. */
struct coroutine *coroutine_new(struct coroutines *set, void (*fn)(void *data), void *data) __attribute__((warn_unused_result));
void coroutine_free(struct coroutine *coroutine); /* one that is over or never began; NULL is fine */
/* From the main stack: runs it until it yields (true) or its function has returned (false). */
bool coroutine_run(struct coroutine *coroutine);
void coroutine_yield(struct coroutines *set); /* from inside */
bool coroutine_inside(const struct coroutines *set);
size_t coroutine_stack_left(const struct coroutine *coroutine); /* from inside */

#endif
