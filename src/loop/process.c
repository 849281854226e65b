#include "loop/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "loop/internal.h"

enum { KILL_AFTER_MS = 2000, FORGET_AFTER_MS = 5000 };

struct process {
    struct loop *loop;
    struct process *next, **link; /* in loop->processes; link points at what points here */
    pid_t pid;
    int pidfd;                    /* -1: SIGCHLD is watched instead */
    struct loop_event *watch;     /* of the pidfd or the signal; NULL once it has ended */
    struct loop_event *timer;     /* until KILL; before that, for a first look where SIGCHLD is watched */
    void (*ended_fn)(void *data); /* NULL: released */
    void *data;
    bool group;
    bool ending;
    bool kill_rest;
    bool ended;
    int exit_code, signal_number;
};

static void process_signal(struct process *process, int signal_number)
{
    kill(process->group ? -process->pid : process->pid, signal_number);
}

static void process_free(struct process *process)
{
    loop_drop(process->watch);
    loop_drop(process->timer);
    if (process->pidfd >= 0)
        close(process->pidfd);
    if (process->link != NULL) {
        *process->link = process->next;
        if (process->next != NULL)
            process->next->link = process->link;
    }
    mem_free(process);
}

static void reap(struct process *process)
{
    if (process->kill_rest && process->group)
        process_signal(process, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    process_free(process);
}

/* Sees whether it has ended, leaving it unreaped. */
static void look(struct process *process)
{
    if (process->ended)
        return;
    siginfo_t info = {.si_pid = 0};
    int result = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    if ((result < 0 && errno == EINTR) || (result == 0 && info.si_pid == 0))
        return;
    process->ended = true;
    process->exit_code = result == 0 && info.si_code == CLD_EXITED ? info.si_status : -1;
    process->signal_number = result == 0 && info.si_code != CLD_EXITED ? info.si_status : 0;
    loop_drop(process->watch);
    process->watch = NULL;
    if (process->ended_fn == NULL)
        reap(process);
    else
        process->ended_fn(process->data);
}

static void on_pidfd(void *data, int what)
{
    (void)what;
    look(data);
}

static void on_child_signal(void *data, int signal_number)
{
    (void)signal_number;
    look(data);
}

static void on_timer(void *data)
{
    struct process *process = data;
    if (process->ending)
        process_signal(process, SIGKILL);
    look(process);
}

/* The signal may have come before it was watched, and one signal can stand for many children: hence a first look of our own. */
static bool watch_signal(struct process *process)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    process->watch = loop_add_signal(process->loop, SIGCHLD, on_child_signal, process);
    loop_set_timer(process->timer, 0);
    return process->watch != NULL;
}

static bool watch_process(struct process *process)
{
    if (!process->loop->no_pidfd)
        process->pidfd = pidfd_open(process->pid, 0);
    if (process->pidfd >= 0) {
        process->watch = loop_add_fd(process->loop, process->pidfd, LOOP_READ, on_pidfd, process);
        return process->watch != NULL;
    }
    return watch_signal(process);
}

/* Our environment with the given ones added or replaced. The array is the caller's, the strings are not. */
static char **merge_environment(const char *const *added)
{
    size_t ours = 0, more = 0, count = 0;
    while (environ[ours] != NULL)
        ours++;
    while (added != NULL && added[more] != NULL)
        more++;
    char **merged = mem_zero(ours + more + 1, sizeof *merged);
    if (merged == NULL)
        return NULL;
    for (size_t i = 0; i < ours; i++) {
        size_t name = strcspn(environ[i], "=") + 1, j = 0;
        while (j < more && strncmp(added[j], environ[i], name) != 0)
            j++;
        if (j == more)
            merged[count++] = environ[i];
    }
    if (more > 0)
        memcpy(merged + count, added, more * sizeof *merged);
    return merged;
}

static int add_actions(posix_spawn_file_actions_t *actions, const struct process_options *options)
{
    int failed = 0;
    if (options->terminal != NULL) {
        /* The first tty that a session leader opens becomes its controlling terminal. */
        failed |= posix_spawn_file_actions_addopen(actions, 0, options->terminal, O_RDWR, 0);
        failed |= posix_spawn_file_actions_adddup2(actions, 0, 1);
        failed |= posix_spawn_file_actions_adddup2(actions, 0, 2);
    } else {
        for (int i = 0; i < 3; i++) {
            if (options->stdio[i] >= 0)
                failed |= posix_spawn_file_actions_adddup2(actions, options->stdio[i], i);
            else if (options->stdio[i] != PROCESS_OURS)
                failed |= posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
        }
    }
    if (options->folder != NULL)
        failed |= posix_spawn_file_actions_addchdir_np(actions, options->folder);
    failed |= posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return failed != 0 ? ENOMEM : 0;
}

/* Returns 0 or an errno. */
static int spawn(const struct process_options *options, pid_t *pid)
{
    char **environment = merge_environment(options->environment);
    if (environment == NULL)
        return ENOMEM;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (options->terminal != NULL)
        flags |= POSIX_SPAWN_SETSID;
    else if (!options->our_group)
        flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attributes, (short)flags);
    int result = add_actions(&actions, options);
    union {
        const char *const *given;
        char *const *wanted; /* posix_spawn writes to none of the strings; its type is older than const */
    } argv = {.given = options->argv};
    if (result == 0)
        result = posix_spawnp(pid, options->argv[0], &actions, &attributes, argv.wanted, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    mem_free(environment);
    return result;
}

static void explain(struct error *err, int errno_value, const struct process_options *options)
{
    const char *program = options->argv[0];
    if (options->folder != NULL && access(options->folder, X_OK) != 0)
        error_set(err, ERROR_NOT_FOUND, options->folder, "cannot start %s in the folder %s: %s", program, options->folder,
                  strerror(errno));
    else if (errno_value == ENOENT || errno_value == ENOTDIR)
        error_set(err, ERROR_NOT_FOUND, program, "the program %s was not found", program);
    else if (errno_value == ENOMEM)
        error_memory(err);
    else
        error_set(err,
                  errno_value == EACCES || errno_value == EPERM ? ERROR_DENIED
                  : errno_value == EAGAIN                       ? ERROR_LIMIT
                                                                : ERROR_INPUT,
                  program, "the program %s cannot be started: %s", program, strerror(errno_value));
}

/* A parent that ignores SIGCHLD hands that down to us, and the kernel then throws exit codes away. */
static void want_exit_codes(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
}

struct process *process_start(struct loop *loop, const struct process_options *options, void (*ended_fn)(void *data),
                              void *data, struct error *err)
{
    struct process *process = mem_zero(1, sizeof *process);
    if (process == NULL) {
        error_memory(err);
        return NULL;
    }
    *process = (struct process){.loop = loop, .pidfd = -1, .ended_fn = ended_fn, .data = data, .group = !options->our_group};
    process->timer = loop_add_timer(loop, -1, on_timer, process);
    want_exit_codes();
    int failure = process->timer != NULL ? spawn(options, &process->pid) : ENOMEM;
    if (failure != 0) {
        explain(err, failure, options);
        process_free(process);
        return NULL;
    }
    if (!watch_process(process)) {
        process_signal(process, SIGKILL);
        reap(process);
        error_memory(err);
        return NULL;
    }
    process->next = loop->processes;
    process->link = &loop->processes;
    if (process->next != NULL)
        process->next->link = &process->next;
    loop->processes = process;
    return process;
}

pid_t process_pid(const struct process *process)
{
    return process->pid;
}

bool process_ended(const struct process *process)
{
    return process->ended;
}

void process_status(const struct process *process, int *exit_code, int *signal_number)
{
    *exit_code = process->exit_code;
    *signal_number = process->signal_number;
}

void process_end(struct process *process, int signal_number)
{
    process_signal(process, signal_number);
    process_signal(process, SIGCONT); /* a stopped one would not hear it */
    if (process->ending)
        return;
    process->ending = true;
    loop_set_timer(process->timer, KILL_AFTER_MS);
}

void process_release(struct process *process, bool kill_rest)
{
    process->ended_fn = NULL;
    process->kill_rest = kill_rest;
    if (process->ended)
        reap(process);
}

int process_high(int fd)
{
    if (fd < 0)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int failure = errno;
    close(fd);
    errno = failure;
    return high;
}

bool process_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    ends[0] = process_high(low[0]);
    ends[1] = process_high(low[1]);
    return ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static struct process *first_released(const struct loop *loop)
{
    struct process *process = loop->processes;
    while (process != NULL && process->ended_fn != NULL)
        process = process->next;
    return process;
}

void process_wait_released(struct loop *loop)
{
    loop_clear_stop(loop);
    int64_t deadline = clock_monotonic_ms() + FORGET_AFTER_MS;
    int64_t left;
    while (first_released(loop) != NULL && (left = deadline - clock_monotonic_ms()) > 0)
        loop_once(loop, left);
    for (struct process *process; (process = first_released(loop)) != NULL;)
        process_free(process);
}
