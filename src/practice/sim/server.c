/* server: the programs that images run for ever: they say what such a program says at its start, serve (net_server.c), and end in order when they are asked to. */
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"

/* What one of them is. */
struct server {
    const char *name;
    const char *said;              /* on standard error at the start; NULL: nothing */
    const char *const *wants;      /* of these variables of the environment one must be set, NULL-terminated; NULL: none */
    const char *complaint;         /* said where none is; it ends with 1 */
    const char *ends;              /* said when it ends in order */
};

static const char *const mysql_wants[] = {"MYSQL_ROOT_PASSWORD", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD",
    "MARIADB_RANDOM_ROOT_PASSWORD", NULL};
static const char *const postgres_wants[] = {"POSTGRES_PASSWORD", "POSTGRES_HOST_AUTH_METHOD", NULL};

static const struct server servers[] = {
    {.name = "nginx"},
    {.name = "httpd", .said = "AH00094: Command line: 'httpd -D FOREGROUND'\n"},
    {.name = "http-echo", .said = "server is listening on :5678\n"},
    {.name = "whoami-server", .said = "Starting up on port 80\n"},
    {.name = "hello-app", .said = "Server listening on port 8080\n"},
    {.name = "redis-server", .said = "* Ready to accept connections tcp\n", .ends = "# Redis is now ready to exit, bye bye...\n"},
    {.name = "memcached"},
    {.name = "mysqld", .said = "[Server] mysqld: ready for connections. Version: '8.4'  socket: '/var/run/mysqld/mysqld.sock'  port: 3306\n", .wants = mysql_wants,
        .complaint = "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n    You need to specify one of the following as an environment variable:\n"
                     "    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n    - MYSQL_RANDOM_ROOT_PASSWORD\n",
        .ends = "[Server] mysqld: Shutdown complete\n"},
    {.name = "postgres", .said = "LOG:  database system is ready to accept connections\n", .wants = postgres_wants,
        .complaint = "Error: Database is uninitialized and superuser password is not specified.\n       You must specify POSTGRES_PASSWORD to a non-empty value for the\n"
                     "       superuser. For example, \"-e POSTGRES_PASSWORD=password\" on \"docker run\".\n",
        .ends = "LOG:  database system is shut down\n"},
    {.name = "mongod", .said = "{\"s\":\"I\",\"c\":\"NETWORK\",\"msg\":\"Waiting for connections\",\"attr\":{\"port\":27017}}\n"},
    {.name = "rabbitmq-server", .said = " completed with 0 plugins.\n"},
    {.name = "fluentd", .said = "[info]: fluentd worker is now running worker=0\n"},
};

static const struct server *server_of(const struct task *task)
{
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
        if (strcmp(servers[i].name, task->program->name) == 0)
            return &servers[i];
    return NULL;
}

static bool has_one(const struct task *task, const char *const *names)
{
    for (; names && *names; names++) {
        const char *value = task_env(task, *names);
        if (value && *value)
            return true;
    }
    return false;
}

static void start(struct task *task, int argc, char **argv)
{
    const struct server *server = server_of(task);
    (void)argc, (void)argv;
    if (server->wants && !has_one(task, server->wants)) {
        applet_tell(task, server->complaint);
        task_end(task, 1);
    } else if (server->said) {
        applet_tell(task, server->said);
    }
}

static bool signal_came(struct task *task, int signal)
{
    const struct server *server = server_of(task);
    if (signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2)
        return true; /* reads its configuration again */
    if (signal != SIGTERM && signal != SIGINT && signal != SIGQUIT && signal != SIGWINCH)
        return false;
    if (server->ends)
        applet_tell(task, server->ends);
    task_end(task, 0);
    return true;
}

static const struct daemon_ops ops = {.start = start, .signal = signal_came};

static int hello_main(struct task *task, int argc, char **argv)
{
    (void)argc, (void)argv;
    applet_print(task, "\nHello from the practice cluster!\nThis message shows that an image was found, pulled and started, and that what its program says is in the container's log.\n\n");
    return 0;
}

#define SERVER(name_, memory_) {.name = (name_), .daemon = &ops, .memory = (memory_) << 20, .server = true}
static const struct program programs[] = {
    SERVER("nginx", 4), SERVER("httpd", 8), SERVER("http-echo", 3), SERVER("whoami-server", 3), SERVER("hello-app", 3), SERVER("redis-server", 6), SERVER("memcached", 4),
    SERVER("mysqld", 380), SERVER("postgres", 40), SERVER("mongod", 160), SERVER("rabbitmq-server", 120), SERVER("fluentd", 60),
    {.name = "hello", .main = hello_main, .memory = 100 << 10, .server = true},
};
const struct program_table programs_server = {programs, sizeof programs / sizeof *programs};
