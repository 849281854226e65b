/* applet_system: ps, date, id, df and their like: what a process sees of the machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "practice/sim/applet_files.h"
#include "practice/sim/box.h"
#include "practice/sim/programs.h"
#include "practice/sim/regex.h"
#include "practice/sim/shell.h"
#include "practice/sim/tty.h"

/* ---- processes ---- */

/* As ps shows it: the arguments, "{name}" before them where they do not tell it. */
static void command_line(const struct task *task, char *out, size_t room)
{
    size_t length = 0;
    out[0] = '\0';
    if (task->state == TASK_ZOMBIE) {
        snprintf(out, room, "[%s]", task->argv[0] ? applet_base_name(task->argv[0]) : "");
        return;
    }
    for (char **word = task->argv; *word && length < room - 1; word++)
        length += (size_t)snprintf(out + length, room - length, "%s%s", word == task->argv ? "" : " ", *word);
    for (char *at = out; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
}

static int ps_main(struct task *task, int argc, char **argv)
{
    char line[512], owner[33];
    bool parents = false;
    for (int i = 1; i < argc; i++)
        parents = parents || strchr(argv[i], 'f') || strchr(argv[i], 'l');
    applet_print(task, parents ? "PID   PPID  USER     TIME  COMMAND\n" : "PID   USER     TIME  COMMAND\n");
    for (struct task *each = task->box->pids->first; each; each = each->next) {
        command_line(each, line, sizeof line);
        files_owner(task, "/etc/passwd", each->who.uid, owner);
        applet_print(task, "%5d ", each->pid);
        if (parents)
            applet_print(task, "%5d ", each->parent ? each->parent->pid : 0);
        long long seconds = (long long)each->busy_us / 1000000;
        applet_print(task, "%-8.8s %2lld:%02lld %s\n", owner, seconds / 60, seconds % 60, line);
    }
    return 0;
}

/* pgrep, pkill, pidof, killall: by name, or by the whole line (-f). */
static int pgrep_main(struct task *task, int argc, char **argv)
{
    const char *program = applet_base_name(argv[0]);
    bool kills = strcmp(program, "pkill") == 0 || strcmp(program, "killall") == 0, whole = false, exact = strcmp(program, "pidof") == 0 || strcmp(program, "killall") == 0, names = false;
    int signal = SIGTERM, found = 0, i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        int number = shell_signal_number(argv[i] + 1);
        if (kills && number >= 0)
            signal = number;
        else
            for (const char *letter = argv[i] + 1; *letter; letter++) {
                whole = whole || *letter == 'f';
                names = names || *letter == 'l';
                exact = exact || *letter == 'x';
            }
    }
    if (i >= argc)
        return applet_usage(task, "[-flx] PATTERN");
    struct regex *regex = regex_new(argv[i], REGEX_EXTENDED | (exact ? REGEX_WHOLE_LINE : 0u), task);
    for (struct task *each = regex ? task->box->pids->first : NULL, *next; each; each = next) {
        char line[512];
        next = each->next;
        command_line(each, line, sizeof line);
        const char *text = whole ? line : each->argv[0] ? applet_base_name(each->argv[0]) : "";
        if (each == task || each->state == TASK_ZOMBIE || !regex_find(regex, text, strlen(text), 0, NULL))
            continue;
        found++;
        if (kills)
            task_kill(task, each->pid, signal);
        else if (strcmp(program, "pidof") == 0)
            applet_print(task, "%s%d", found > 1 ? " " : "", each->pid);
        else
            applet_print(task, names ? "%d %s\n" : "%d\n", each->pid, text);
    }
    if (found > 0 && strcmp(program, "pidof") == 0)
        applet_print(task, "\n");
    if (found == 0 && strcmp(program, "killall") == 0)
        applet_say(task, "%s: no process killed", argv[i]);
    regex_free(regex);
    return found == 0;
}

static int top_main(struct task *task, int argc, char **argv)
{
    int64_t rounds = -1;
    struct applet_options options = {0};
    for (int letter; (letter = applet_option(task, argc, argv, "bHmn:d:", &options)) != -1;)
        if (letter == '?' || (letter == 'n' && !applet_number(options.value, &rounds)))
            return 1;
    const struct handle *out = task_handle(task, 1);
    for (int64_t round = 0; rounds < 0 || round < rounds; round++) {
        if (out && out->tty)
            applet_print(task, "\033[H\033[J");
        applet_print(task, "Mem: %lldK used, %lldK free, 0K shrd, 0K buff, 0K cached\nCPU:   0%% usr   0%% sys   0%% nic 100%% idle   0%% io   0%% irq   0%% sirq\n", (long long)task->box->memory >> 10,
            (8LL << 20) - ((long long)task->box->memory >> 10));
        applet_print(task, "Load average: 0.00 0.00 0.00 1/%u %d\n  PID  PPID USER     STAT   VSZ %%VSZ CPU %%CPU COMMAND\n", task->box->tasks, task->pid);
        for (struct task *each = task->box->pids->first; each; each = each->next) {
            char line[256], owner[33];
            command_line(each, line, sizeof line);
            files_owner(task, "/etc/passwd", each->who.uid, owner);
            bool busy = each->queued && each->spinning;
            applet_print(task, "%5d %5d %-8.8s %c    %6lld   0%%   0 %3d%% %s\n", each->pid, each->parent ? each->parent->pid : 0, owner,
                each->state == TASK_ZOMBIE ? 'Z' : each == task || busy ? 'R' : 'S', (long long)each->memory >> 10, busy ? 99 : 0, line);
        }
        if (!applet_flush(task) || (round + 1 != rounds && task_sleep(task, 5000) != 0))
            return 1;
    }
    return 0;
}

/* ---- time ---- */

/* "@N", "YYYY-MM-DD hh:mm[:ss]". */
static bool parse_date(const char *text, int64_t *ms)
{
    static const char *const forms[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M", "%Y-%m-%d"};
    if (*text == '@') {
        *ms = strtoll(text + 1, NULL, 10) * 1000;
        return true;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm parts = {0};
        const char *end = strptime(text, forms[i], &parts);
        if (end && !*end) {
            *ms = (int64_t)timegm(&parts) * 1000;
            return true;
        }
    }
    return false;
}

static int date_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"utc", false, 'u'}, {"date", true, 'd'}, {"iso-8601", false, 'I'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    int64_t ms = kernel_now(task->kernel);
    const char *format = "%a %b %e %H:%M:%S %Z %Y";
    for (int letter; (letter = applet_option(task, argc, argv, "uRd:r:s:D:I", &options)) != -1;) {
        struct fs_stat stat;
        if (letter == '?')
            return 1;
        if (letter == 's')
            return applet_say(task, "can't set date: Operation not permitted");
        if (letter == 'R')
            format = "%a, %d %b %Y %H:%M:%S +0000";
        if (letter == 'I') {
            const char *form = options.rest ? options.rest : "";
            format = *form == 's' ? "%Y-%m-%dT%H:%M:%S+00:00" : *form == 'm' ? "%Y-%m-%dT%H:%M+00:00" : "%Y-%m-%d";
            options.rest = NULL;
        }
        if (letter == 'd' && !parse_date(options.value, &ms))
            return applet_say(task, "invalid date '%s'", options.value);
        if (letter == 'r') {
            int got = fs_stat(&task->who, options.value, true, &stat);
            if (got != 0)
                return applet_say_errno(task, options.value, got);
            ms = stat.time_ms;
        }
    }
    if (options.index < argc && argv[options.index][0] == '+')
        format = argv[options.index] + 1;
    else if (options.index < argc)
        return applet_say(task, "can't set date: Operation not permitted");
    /* %N, nanoseconds, is not strftime's */
    struct buf with_nanos = buf_make(4096);
    for (const char *at = format; *at; at++)
        if (at[0] == '%' && at[1] == 'N') {
            buf_printf(&with_nanos, "%03d000000", (int)(ms % 1000));
            at++;
        } else if (at[0] == '%' && at[1]) {
            buf_append(&with_nanos, at++, 2);
        } else {
            buf_append(&with_nanos, at, 1);
        }
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[1024] = "";
    gmtime_r(&seconds, &parts);
    parts.tm_zone = "UTC";
    if (with_nanos.length > 0 && buf_ok(&with_nanos))
        strftime(text, sizeof text, with_nanos.bytes, &parts);
    buf_free(&with_nanos);
    applet_print(task, "%s\n", text);
    return 0;
}

static int uptime_main(struct task *task, int argc, char **argv)
{
    (void)argc, (void)argv;
    int64_t seconds = kernel_now(task->kernel) / 1000;
    applet_print(task, " %02lld:%02lld:%02lld up 1 day,  0 users,  load average: 0.00, 0.00, 0.00\n", (long long)seconds / 3600 % 24, (long long)seconds / 60 % 60, (long long)seconds % 60);
    return 0;
}

static int watch_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    int64_t ms = 2000;
    bool titles = true;
    for (int letter; (letter = applet_option(task, argc, argv, "+n:t", &options)) != -1;) {
        if (letter == '?' || (letter == 'n' && !applet_duration(options.value, &ms)))
            return 1;
        titles = titles && letter != 't';
    }
    if (options.index >= argc)
        return applet_usage(task, "[-n SEC] [-t] PROG ARGS");
    struct buf words = buf_make(TASK_ARGUMENTS);
    for (int i = options.index; i < argc; i++)
        buf_printf(&words, "%s%s", i > options.index ? " " : "", argv[i]);
    char shell[] = "sh", command[] = "-c", *run[] = {shell, command, words.bytes, NULL};
    int error = 0, got = 0;
    while (got == 0 && buf_ok(&words)) {
        struct task_status status;
        applet_print(task, "\033[H\033[J");
        if (titles)
            applet_print(task, "Every %lld.%llds: %s\n\n", (long long)ms / 1000, (long long)ms / 100 % 10, words.bytes);
        applet_flush(task);
        struct task *child = task_spawn(task, &(struct spawn){.path = "/bin/sh", .argv = run}, &error);
        if (!child)
            break;
        if (task_wait(task, child->pid, true, &status) < 0)
            break;
        got = task_sleep(task, ms);
    }
    buf_free(&words);
    return error ? applet_say_errno(task, "sh", error) : 1;
}

/* ---- who and where ---- */

static int id_main(struct task *task, int argc, char **argv)
{
    char user[33], group[33];
    files_owner(task, "/etc/passwd", task->who.uid, user);
    files_owner(task, "/etc/group", task->who.gid, group);
    const char *how = argc > 1 && argv[1][0] == '-' ? argv[1] + 1 : "";
    bool name = strchr(how, 'n') != NULL, known_user = user[0] < '0' || user[0] > '9', known_group = group[0] < '0' || group[0] > '9';
    if (strchr(how, 'u'))
        applet_print(task, name ? "%s\n" : "%.0s%u\n", user, task->who.uid);
    else if (strchr(how, 'g') || strchr(how, 'G'))
        applet_print(task, name ? "%s\n" : "%.0s%u\n", group, task->who.gid);
    else
        applet_print(task, "uid=%u%s%s%s gid=%u%s%s%s groups=%u%s%s%s\n", task->who.uid, known_user ? "(" : "", known_user ? user : "", known_user ? ")" : "", task->who.gid, known_group ? "(" : "",
            known_group ? group : "", known_group ? ")" : "", task->who.gid, known_group ? "(" : "", known_group ? group : "", known_group ? ")" : "");
    return 0;
}

static int whoami_main(struct task *task, int argc, char **argv)
{
    char user[33];
    (void)argc, (void)argv;
    files_owner(task, "/etc/passwd", task->who.uid, user);
    if (user[0] >= '0' && user[0] <= '9')
        return applet_say(task, "unknown uid %u", task->who.uid);
    applet_print(task, "%s\n", user);
    return 0;
}

static int hostname_main(struct task *task, int argc, char **argv)
{
    const struct sandbox *sandbox = task->box->sandbox;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "-i") == 0 || strcmp(how, "-I") == 0)
        applet_print(task, "%s%s\n", sandbox->ip, how[1] == 'I' ? " " : "");
    else if (strcmp(how, "-f") == 0)
        applet_print(task, "%s%s%s\n", sandbox->hostname, *sandbox->domain ? "." : "", sandbox->domain);
    else if (strcmp(how, "-d") == 0)
        applet_print(task, "%s\n", sandbox->domain);
    else if (argc > 1 && how[0] != '-')
        return applet_say(task, "sethostname: Operation not permitted");
    else
        applet_print(task, "%s\n", sandbox->hostname);
    return 0;
}

static int uname_main(struct task *task, int argc, char **argv)
{
    const char *values[] = {"Linux", task->box->sandbox->hostname, "6.1.0-kubetutor", "#1 SMP PREEMPT_DYNAMIC", "x86_64", "GNU/Linux"};
    static const char letters[] = "snrvmo";
    const char *wanted = argc > 1 && argv[1][0] == '-' ? argv[1] + 1 : "s";
    bool any = false;
    for (int i = 0; i < 6; i++)
        if (strchr(wanted, 'a') || strchr(wanted, letters[i])) {
            applet_print(task, "%s%s", any ? " " : "", values[i]);
            any = true;
        }
    applet_print(task, "\n");
    return 0;
}

static int tty_main(struct task *task, int argc, char **argv)
{
    const struct handle *in = task_handle(task, 0);
    bool is = in && in->tty;
    if (!(argc > 1 && strcmp(argv[1], "-s") == 0))
        applet_print(task, is ? "/dev/pts/0\n" : "not a tty\n");
    return !is;
}

static int stty_main(struct task *task, int argc, char **argv)
{
    const struct handle *in = task_handle(task, 0);
    unsigned columns, rows;
    if (!in || !in->tty)
        return applet_say(task, "standard input: Not a tty");
    tty_size(in->tty, &columns, &rows);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "size") == 0)
            applet_print(task, "%u %u\n", rows, columns);
        else if (strcmp(argv[i], "raw") == 0 || strcmp(argv[i], "-raw") == 0 || strcmp(argv[i], "sane") == 0)
            tty_set_raw(in->tty, argv[i][0] == 'r');
        else if (strcmp(argv[i], "echo") == 0 || strcmp(argv[i], "-echo") == 0)
            tty_set_echo(in->tty, argv[i][0] == 'e');
    }
    if (argc == 1)
        applet_print(task, "speed 38400 baud;\n");
    return 0;
}

static int nproc_main(struct task *task, int argc, char **argv)
{
    (void)argc, (void)argv;
    applet_print(task, "4\n");
    return 0;
}

/* ---- memory and disks ---- */

static int free_main(struct task *task, int argc, char **argv)
{
    int shift = 10;
    for (int i = 1; i < argc; i++)
        shift = strcmp(argv[i], "-m") == 0 ? 20 : strcmp(argv[i], "-g") == 0 ? 30 : strcmp(argv[i], "-b") == 0 ? 0 : shift;
    long long total = (8LL << 30) >> shift, used = (long long)task->box->memory >> shift;
    applet_print(task, "              total        used        free      shared  buff/cache   available\nMem:    %11lld %11lld %11lld %11d %11d %11lld\nSwap:   %11d %11d %11d\n", total, used, total - used, 0, 0,
        total - used, 0, 0, 0);
    return 0;
}

static int df_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool human = false;
    int64_t unit = 1024;
    for (int letter; (letter = applet_option(task, argc, argv, "PkmhTai", &options)) != -1;) {
        if (letter == '?')
            return 1;
        human = human || letter == 'h';
        unit = letter == 'm' ? 1 << 20 : unit;
    }
    char wanted[FS_PATH] = "";
    if (options.index < argc) {
        int got = fs_real_path(&task->who, argv[options.index], false, wanted);
        if (got != 0)
            return applet_say_errno(task, argv[options.index], got);
    }
    applet_print(task, human ? "Filesystem                Size      Used Available Use%% Mounted on\n" : "Filesystem           %s-blocks      Used Available Use%% Mounted on\n", unit == 1024 ? "1K" : "1M");
    struct fs_mounted mounted, best = {0};
    size_t longest = 0;
    for (size_t i = 0; *wanted && fs_mounted(task->who.view, i, &mounted); i++) {
        size_t length = strlen(mounted.path);
        bool inside = i == 0 || (strncmp(wanted, mounted.path, length) == 0 && (wanted[length] == '/' || wanted[length] == '\0'));
        if (inside && length >= longest) {
            best = mounted;
            longest = length;
        }
    }
    for (size_t i = 0; fs_mounted(task->who.view, i, &mounted); i++) {
        if (mounted.synthetic || (*wanted && strcmp(mounted.path, best.path) != 0))
            continue;
        const char *name = i == 0 ? "overlay" : strncmp(mounted.path, "/dev", 4) == 0 ? "tmpfs" : "/dev/vda";
        int64_t limit = strcmp(name, "tmpfs") == 0 ? mounted.limit : FS_ZEROS;
        char sizes[3][24];
        int64_t values[3] = {limit, mounted.used, limit - mounted.used};
        for (int j = 0; j < 3; j++) {
            files_human(values[j], sizes[j]);
            if (!human)
                snprintf(sizes[j], sizeof sizes[j], "%lld", (long long)(values[j] + unit - 1) / unit);
        }
        applet_print(task, "%-20s %9s %9s %9s %3lld%% %s\n", name, sizes[0], sizes[1], sizes[2], (long long)(mounted.used * 100 / limit), mounted.path);
    }
    return 0;
}

static int mount_main(struct task *task, int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return applet_say(task, "permission denied (are you root?)");
    struct fs_mounted mounted;
    for (size_t i = 0; fs_mounted(task->who.view, i, &mounted); i++) {
        bool proc = strncmp(mounted.path, "/proc", 5) == 0;
        const char *type = i == 0 ? "overlay" : mounted.synthetic ? proc ? "proc" : "sysfs" : strncmp(mounted.path, "/dev", 4) == 0 || strstr(mounted.path, "/run/secrets/") ? "tmpfs" : "ext4";
        applet_print(task, "%s on %s type %s (%s,relatime)\n", strcmp(type, "ext4") == 0 ? "/dev/vda" : type, mounted.path, type, mounted.read_only ? "ro" : "rw");
    }
    return 0;
}

static int sync_main(struct task *task, int argc, char **argv)
{
    (void)task, (void)argc, (void)argv;
    return 0;
}

static const struct program programs[] = {
    {.name = "ps", .main = ps_main}, {.name = "pgrep", .main = pgrep_main}, {.name = "pkill", .main = pgrep_main}, {.name = "pidof", .main = pgrep_main}, {.name = "killall", .main = pgrep_main},
    {.name = "kill", .main = shell_kill}, {.name = "top", .main = top_main}, {.name = "date", .main = date_main}, {.name = "uptime", .main = uptime_main}, {.name = "watch", .main = watch_main},
    {.name = "id", .main = id_main}, {.name = "whoami", .main = whoami_main}, {.name = "hostname", .main = hostname_main}, {.name = "uname", .main = uname_main}, {.name = "tty", .main = tty_main},
    {.name = "stty", .main = stty_main}, {.name = "nproc", .main = nproc_main}, {.name = "free", .main = free_main}, {.name = "df", .main = df_main}, {.name = "mount", .main = mount_main},
    {.name = "sync", .main = sync_main},
};
const struct program_table programs_system = {programs, sizeof programs / sizeof *programs};
