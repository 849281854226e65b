#include "practice/sim/coroutine.h"

#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
/* Frames are several times larger, and the sanitizer must be told of each change of stacks. */
enum { STACK = 2 << 20 };
void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *size);
static void leave_for(void **fake, const void *bottom, size_t size)
{
    __sanitizer_start_switch_fiber(fake, bottom, size);
}
static void arrived(void *fake, const void **bottom, size_t *size)
{
    __sanitizer_finish_switch_fiber(fake, bottom, size);
}
#else
enum { STACK = 256 << 10 };
static void leave_for(void **fake, const void *bottom, size_t size)
{
    (void)fake, (void)bottom, (void)size;
}
static void arrived(void *fake, const void **bottom, size_t *size)
{
    (void)fake, (void)bottom, (void)size;
}
#endif

enum { SPARE = 16 };

struct coroutine {
    struct coroutines *set;
    ucontext_t context;
    char *stack; /* the mapping: a guard page, then STACK bytes */
    void *fake;
    void (*fn)(void *data);
    void *data;
    bool over;
};

struct coroutines {
    ucontext_t main;
    void *main_fake;
    const void *main_bottom;
    size_t main_size;
    struct coroutine *current;
    size_t count, most, page;
    char *spare[SPARE];
    size_t spares;
};

struct coroutines *coroutines_new(size_t most)
{
    struct coroutines *set = mem_zero(1, sizeof *set);
    if (set) {
        set->most = most;
        set->page = (size_t)sysconf(_SC_PAGESIZE);
    }
    return set;
}

void coroutines_free(struct coroutines *set)
{
    if (!set)
        return;
    while (set->spares > 0)
        munmap(set->spare[--set->spares], STACK + set->page);
    mem_free(set);
}

static char *take_stack(struct coroutines *set)
{
    if (set->spares > 0)
        return set->spare[--set->spares];
    char *stack = mmap(NULL, STACK + set->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    if (mprotect(stack, set->page, PROT_NONE) != 0) {
        munmap(stack, STACK + set->page);
        return NULL;
    }
    return stack;
}

static void give_stack(struct coroutines *set, char *stack)
{
    if (set->spares < SPARE)
        set->spare[set->spares++] = stack;
    else
        munmap(stack, STACK + set->page);
}

/* Its argument comes in two halves: makecontext passes ints. */
static void begin(unsigned high, unsigned low)
{
    struct coroutine *coroutine = (struct coroutine *)((uintptr_t)high << 32 | (uintptr_t)low);
    struct coroutines *set = coroutine->set;
    arrived(NULL, &set->main_bottom, &set->main_size);
    coroutine->fn(coroutine->data);
    coroutine->over = true;
    leave_for(NULL, set->main_bottom, set->main_size);
    setcontext(&set->main);
}

struct coroutine *coroutine_new(struct coroutines *set, void (*fn)(void *data), void *data)
{
    struct coroutine *coroutine = set->count < set->most ? mem_zero(1, sizeof *coroutine) : NULL;
    if (!coroutine)
        return NULL;
    *coroutine = (struct coroutine){.set = set, .fn = fn, .data = data, .stack = take_stack(set)};
    if (!coroutine->stack || getcontext(&coroutine->context) != 0) {
        mem_free(coroutine);
        return NULL;
    }
    set->count++;
    coroutine->context.uc_stack.ss_sp = coroutine->stack + set->page;
    coroutine->context.uc_stack.ss_size = STACK;
    makecontext(&coroutine->context, (void (*)(void))(uintptr_t)begin, 2, (unsigned)((uintptr_t)coroutine >> 32), (unsigned)(uintptr_t)coroutine);
    return coroutine;
}

void coroutine_free(struct coroutine *coroutine)
{
    if (!coroutine)
        return;
    give_stack(coroutine->set, coroutine->stack);
    coroutine->set->count--;
    mem_free(coroutine);
}

bool coroutine_run(struct coroutine *coroutine)
{
    struct coroutines *set = coroutine->set;
    set->current = coroutine;
    leave_for(&set->main_fake, coroutine->stack + set->page, STACK);
    swapcontext(&set->main, &coroutine->context);
    arrived(set->main_fake, NULL, NULL);
    set->current = NULL;
    return !coroutine->over;
}

void coroutine_yield(struct coroutines *set)
{
    struct coroutine *coroutine = set->current;
    leave_for(&coroutine->fake, set->main_bottom, set->main_size);
    swapcontext(&coroutine->context, &set->main);
    arrived(coroutine->fake, &set->main_bottom, &set->main_size);
}

bool coroutine_inside(const struct coroutines *set)
{
    return set->current != NULL;
}

size_t coroutine_stack_left(const struct coroutine *coroutine)
{
    char here;
    uintptr_t low = (uintptr_t)coroutine->stack + coroutine->set->page, at = (uintptr_t)&here;
#ifdef WITH_ASAN
    at = (uintptr_t)__builtin_frame_address(0); /* locals may live on the sanitizer's own stack */
#endif
    return at > low ? at - low : 0;
}
