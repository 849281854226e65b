#include "app/practice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"

enum { PRACTICE_START_MS = 10000, PRACTICE_STOP_MS = 10000, PRACTICE_KILL_MS = 2000, PRACTICE_WORD = 600 };
static const char ready_variable[] = "KUBETUTOR_READY_FD"; /* the pipe to who started the server */

static char *lock_path(struct error *err)
{
    return xdg_file(XDG_RUNTIME, "practice.lock", err);
}

static int open_lock(int flags, struct error *err)
{
    char *path = lock_path(err);
    int fd = path != NULL ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (path != NULL && fd < 0)
        file_error(err, errno, "open", path);
    mem_free(path);
    return fd;
}

int practice_lock(struct error *err)
{
    int fd = open_lock(O_RDWR | O_CREAT, err);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && ftruncate(fd, 0) == 0)
        return fd;
    error_set(err, errno == EWOULDBLOCK ? ERROR_EXISTS : ERROR_INPUT, NULL, "%s",
              _("the practice cluster is being served already"));
    close(fd);
    return -1;
}

bool practice_lock_say(int lock, uint16_t port, struct error *err)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%ld %u\n", (long)getpid(), port);
    if (pwrite(lock, line, (size_t)length, 0) == length)
        return true;
    return error_set(err, ERROR_LIMIT, NULL, "%s: %s", _("the lock of the practice cluster cannot be written"),
                     strerror(errno));
}

bool practice_find(struct practice_found *found, struct error *err)
{
    char line[64] = "";
    long pid = 0;
    unsigned port = 0;
    struct error why = ERROR_INIT;
    *found = (struct practice_found){0};
    int fd = open_lock(O_RDONLY, &why);
    if (fd < 0) {
        if (why.kind == ERROR_NOT_FOUND)
            return true;
        if (err != NULL)
            *err = why;
        return false;
    }
    found->serving = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (found->serving && pread(fd, line, sizeof line - 1, 0) > 0 && strchr(line, '\n') != NULL &&
        sscanf(line, "%ld %u", &pid, &port) == 2 && port <= UINT16_MAX) {
        found->ready = true;
        found->pid = (pid_t)pid;
        found->port = (uint16_t)port;
    }
    close(fd); /* which gives up the shared lock, if we got it */
    return true;
}

/* ---- starting ---- */

struct practice_start {
    struct loop *loop;
    struct loop_event *pipe, *timer;
    int fd; /* the read end; -1: it is there already, or another one is starting it */
    int64_t until_ms;
    char word[PRACTICE_WORD];
    size_t length;
    void (*done)(void *data, const struct error *error);
    void *data;
};

void practice_start_cancel(struct practice_start *start)
{
    if (start == NULL)
        return;
    loop_drop(start->pipe);
    loop_drop(start->timer);
    if (start->fd >= 0)
        close(start->fd);
    mem_free(start);
}

static void finish(struct practice_start *start, const struct error *error)
{
    void (*done)(void *data, const struct error *error) = start->done;
    void *data = start->data;
    practice_start_cancel(start);
    done(data, error);
}

static void started_late(struct practice_start *start)
{
    struct error err = ERROR_INIT;
    error_set(&err, ERROR_TIMEOUT, NULL, "%s",
              _("the practice cluster was not ready in time; its log is in the folder practice of kubetutor's state"));
    finish(start, &err);
}

/* Nobody tells us when it is another one that starts it: look again, a few times a second, for a moment. */
static void look_again(void *data)
{
    struct practice_start *start = data;
    struct practice_found found;
    struct error err = ERROR_INIT;
    if (start->fd >= 0 || clock_monotonic_ms() > start->until_ms)
        started_late(start);
    else if (!practice_find(&found, &err))
        finish(start, &err);
    else if (found.ready)
        finish(start, NULL);
    else
        loop_set_timer(start->timer, 20);
}

static void word_came(void *data, int what)
{
    struct practice_start *start = data;
    struct error err = ERROR_INIT;
    (void)what;
    ssize_t got = read(start->fd, start->word + start->length, sizeof start->word - 1 - start->length);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0) {
        start->length += (size_t)got;
        if (strncmp(start->word, "ready\n", 6) == 0)
            finish(start, NULL);
        return;
    }
    loop_set_fd(start->pipe, 0);
    if (strncmp(start->word, "exists", 6) == 0) { /* another tutor was quicker: wait for that one */
        close(start->fd);
        start->fd = -1;
        loop_drop(start->pipe);
        start->pipe = NULL;
        loop_set_timer(start->timer, 0);
        return;
    }
    error_set(&err, ERROR_UNREACHABLE, NULL, _("the practice cluster does not start: %s"),
              start->length > 0 ? start->word
                                : _("it ended at once; see the file log in the folder practice of kubetutor's state"));
    finish(start, &err);
}

/* In the child: a process of its own, that outlives us and our terminal. */
static void become_server(const struct practice_options *options, int ready, int log)
{
    const char *const valued[][2] = {{"--idle", options->idle},
                                     {"--nodes", options->nodes},
                                     {"--speed", options->speed},
                                     {"--clock-rate", options->clock_rate}};
    const char *arguments[16] = {"kubetutor", "cluster", "serve"};
    char number[16];
    size_t count = 3;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t none;
    if (options->ephemeral)
        arguments[count++] = "--ephemeral";
    if (options->api_only)
        arguments[count++] = "--api-only";
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        if (valued[i][1] == NULL)
            continue;
        arguments[count++] = valued[i][0];
        arguments[count++] = valued[i][1];
    }
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int signal_number = 1; signal_number < 32; signal_number++)
        sigaction(signal_number, &by_default, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(log >= 0 ? log : null, 1);
    dup2(log >= 0 ? log : null, 2);
    dup2(ready, 3);
    fcntl(3, F_SETFD, 0); /* where ready was 3 already, dup2 left its flag */
    for (int fd = 4; fd < 1024; fd++)
        close(fd);
    snprintf(number, sizeof number, "%d", 3);
    setenv(ready_variable, number, 1);
    (void)!chdir("/");
    execv("/proc/self/exe", (char *const *)(uintptr_t)arguments);
    dprintf(3, "%s", strerror(errno));
    _exit(127);
}

static bool spawn(struct practice_start *start, const struct practice_options *options, struct error *err)
{
    int ends[2], status;
    char *path = practice_file("log", err);
    if (path == NULL)
        return false;
    int log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    mem_free(path);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        if (log >= 0)
            close(log);
        return error_set(err, ERROR_LIMIT, NULL, "%s", strerror(errno));
    }
    pid_t child = fork();
    if (child == 0)
        become_server(options, ends[1], log);
    close(ends[1]);
    if (log >= 0)
        close(log);
    start->fd = ends[0];
    if (child < 0)
        return error_set(err, ERROR_LIMIT, NULL, "%s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) /* ends at once: the server is its child */
        ;
    fcntl(start->fd, F_SETFL, O_NONBLOCK);
    start->pipe = loop_add_fd(start->loop, start->fd, LOOP_READ, word_came, start);
    return start->pipe != NULL || error_memory(err);
}

struct practice_start *practice_start(struct loop *loop, const struct practice_options *options,
                                      void (*done)(void *data, const struct error *error), void *data, struct error *err)
{
    struct practice_found found;
    struct practice_start *start = mem_zero(1, sizeof *start);
    if (start == NULL) {
        error_memory(err);
        return NULL;
    }
    *start = (struct practice_start){
        .loop = loop, .fd = -1, .until_ms = clock_monotonic_ms() + PRACTICE_START_MS, .done = done, .data = data};
    start->timer = loop_add_timer(loop, -1, look_again, start);
    bool ok = start->timer != NULL || error_memory(err);
    ok = ok && practice_find(&found, err);
    if (ok && found.serving)
        loop_set_timer(start->timer, 0);
    else if (ok) {
        ok = spawn(start, options, err);
        loop_set_timer(start->timer, PRACTICE_START_MS);
    }
    if (ok)
        return start;
    practice_start_cancel(start);
    return NULL;
}

void practice_say_ready(const struct error *error)
{
    const char *number = getenv(ready_variable);
    if (number == NULL)
        return;
    int fd = atoi(number);
    if (error == NULL)
        dprintf(fd, "ready\n");
    else
        dprintf(fd, "%s%s", error->kind == ERROR_EXISTS ? "exists " : "", error->message);
    unsetenv(ready_variable);
    close(fd);
}

/* ---- ending ---- */

static bool wait_until_gone(int64_t ms, struct practice_found *found, struct error *err)
{
    for (int64_t end = clock_monotonic_ms() + ms;;) {
        if (!practice_find(found, err))
            return false;
        if (!found->serving || clock_monotonic_ms() >= end)
            return true;
        usleep(10000);
    }
}

/* To the one that holds the lock, and to nobody else: its descriptor is taken first, then the file is read once more. */
static bool send_signal(const struct practice_found *found, int signal_number, struct error *err)
{
    struct practice_found again;
    int process = found->serving && found->ready ? pidfd_open(found->pid, 0) : -1;
    bool ok = true;
    if (process >= 0 && practice_find(&again, NULL) && again.serving && again.ready && again.pid == found->pid &&
        pidfd_send_signal(process, signal_number, NULL, 0) != 0 && errno != ESRCH)
        ok = error_set(err, ERROR_DENIED, NULL, "%s", strerror(errno));
    if (process >= 0)
        close(process);
    return ok;
}

bool practice_stop(bool *was, struct error *err)
{
    struct practice_found found;
    if (!practice_find(&found, err))
        return false;
    *was = found.serving;
    if (!found.serving)
        return true;
    if (!found.ready && !wait_until_gone(PRACTICE_KILL_MS, &found, err)) /* it is just starting */
        return false;
    if (!send_signal(&found, SIGTERM, err) || !wait_until_gone(PRACTICE_STOP_MS, &found, err) ||
        !send_signal(&found, SIGKILL, err) || !wait_until_gone(PRACTICE_KILL_MS, &found, err))
        return false;
    return !found.serving || error_set(err, ERROR_TIMEOUT, NULL, "%s", _("the practice cluster does not end"));
}
