/* support.h: what the tests of loop/ share. A wait that would not end fails after LONG_MS instead.
 */
#ifndef KT_TESTS_LOOP_SUPPORT_H
#define KT_TESTS_LOOP_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/loop.h"

enum { LONG_MS = 20000 };

static inline struct loop *new_loop(void)
{
    struct error err = ERROR_INIT;
    struct loop *loop = loop_new(&err);
    assert_non_null(loop);
    return loop;
}

static inline void wait_for(struct loop *loop, const bool *done)
{
    assert_true(loop_until(loop, done, LONG_MS));
}

static inline int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* Waits on the loop until a process that is not ours to reap is dead (it may be a zombie of somebody). */
static inline void pid_died(void *data, int what)
{
    (void)what;
    *(bool *)data = true;
}

static inline void wait_for_death(struct loop *loop, pid_t pid)
{
    bool dead = false;
    int fd = pidfd_open(pid, 0);
    if (fd < 0)
        return; /* gone and reaped */
    struct loop_event *event = loop_add_fd(loop, fd, LOOP_READ, pid_died, &dead);
    assert_non_null(event);
    wait_for(loop, &dead);
    loop_drop(event);
    close(fd);
}

#endif
