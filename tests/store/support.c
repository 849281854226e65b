#include "support.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

int folder_setup(void **state)
{
    char *path = mem_string("/tmp/kubetutor-store-XXXXXX");
    *state = path;
    return path != NULL && mkdtemp(path) != NULL ? 0 : -1;
}

static int drop(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

int folder_teardown(void **state)
{
    int code = nftw(*state, drop, 16, FTW_DEPTH | FTW_PHYS);
    mem_free(*state);
    return code;
}

const char *in_folder(void **state, const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", (const char *)*state, name);
    return path;
}

char *bytes_of(const char *path, size_t *length)
{
    *length = 0;
    char *bytes = file_exists(path) ? file_read(path, 64 << 20, length, NULL) : mem_string("");
    assert_non_null(bytes);
    return bytes;
}

void write_bytes(const char *path, const void *bytes, size_t length)
{
    assert_true(file_write(path, bytes, length, 0600, NULL));
}

bool same_bytes(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

int in_child(int (*body)(void *argument), void *argument)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(body(argument));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
