/* server: the programs that images run for ever: they say what such a program says at its start, serve (net_server.c), and end in order when they are asked to. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"
#include "practice/sim/web.h"

enum { PAGE = 4 << 20 };

/* What one of them is. */
struct server {
    const char *name;
    const char *said;              /* on standard error at the start; NULL: nothing */
    const char *const *wants;      /* of these variables of the environment one must be set, NULL-terminated; NULL: none */
    const char *complaint;         /* said where none is; it ends with 1 */
    const char *ends;              /* said when it ends in order */
    uint16_t port;                 /* where it serves; 0: nowhere */
    web_handler *serve;            /* NULL: it accepts, and says nothing */
    const char *root, *signature;  /* of those that serve files */
};

struct serving { /* task->self */
    struct task *task;
    const struct server *server;
    struct web *web;
    struct net_listener *listener;
    const char *text; /* of http-echo: borrowed from argv */
};
static web_handler serve_file, serve_text, serve_whoami, serve_hello;

static const char *const mysql_wants[] = {"MYSQL_ROOT_PASSWORD", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD",
    "MARIADB_RANDOM_ROOT_PASSWORD", NULL};
static const char *const postgres_wants[] = {"POSTGRES_PASSWORD", "POSTGRES_HOST_AUTH_METHOD", NULL};

static const struct server servers[] = {
    {.name = "nginx", .port = 80, .serve = serve_file, .root = "/usr/share/nginx/html", .signature = "nginx/1.29.0"},
    {.name = "httpd", .said = "AH00094: Command line: 'httpd -D FOREGROUND'\n", .port = 80, .serve = serve_file, .root = "/usr/local/apache2/htdocs", .signature = "Apache/2.4.62 (Unix)"},
    {.name = "http-echo", .said = "server is listening on :5678\n", .port = 5678, .serve = serve_text, .signature = "http-echo"},
    {.name = "whoami-server", .said = "Starting up on port 80\n", .port = 80, .serve = serve_whoami, .signature = "whoami"},
    {.name = "hello-app", .said = "Server listening on port 8080\n", .port = 8080, .serve = serve_hello, .signature = "hello-app"},
    {.name = "redis-server", .said = "* Ready to accept connections tcp\n", .ends = "# Redis is now ready to exit, bye bye...\n", .port = 6379},
    {.name = "memcached", .port = 11211},
    {.name = "mysqld", .said = "[Server] mysqld: ready for connections. Version: '8.4'  socket: '/var/run/mysqld/mysqld.sock'  port: 3306\n", .wants = mysql_wants,
        .complaint = "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n    You need to specify one of the following as an environment variable:\n"
                     "    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n    - MYSQL_RANDOM_ROOT_PASSWORD\n",
        .ends = "[Server] mysqld: Shutdown complete\n", .port = 3306},
    {.name = "postgres", .said = "LOG:  database system is ready to accept connections\n", .wants = postgres_wants,
        .complaint = "Error: Database is uninitialized and superuser password is not specified.\n       You must specify POSTGRES_PASSWORD to a non-empty value for the\n"
                     "       superuser. For example, \"-e POSTGRES_PASSWORD=password\" on \"docker run\".\n",
        .ends = "LOG:  database system is shut down\n", .port = 5432},
    {.name = "mongod", .said = "{\"s\":\"I\",\"c\":\"NETWORK\",\"msg\":\"Waiting for connections\",\"attr\":{\"port\":27017}}\n", .port = 27017},
    {.name = "rabbitmq-server", .said = " completed with 0 plugins.\n", .port = 5672},
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

/* ---- what they answer ---- */

static void tell(struct task *task, int fd, const char *text)
{
    struct handle *handle = task_handle(task, fd);
    if (handle && handle->ops->write)
        (void)!handle->ops->write(handle, text, strlen(text)); /* as far as there is room: a daemon cannot wait */
}

static void note(struct task *task, const struct web_request *request, int code, size_t length)
{
    char when[40], line[2048];
    time_t now = (time_t)(kernel_now(task->kernel) / 1000);
    struct tm parts;
    char *agent = web_header(request->head, "User-Agent"), *referer = web_header(request->head, "Referer");
    gmtime_r(&now, &parts);
    strftime(when, sizeof when, "%d/%b/%Y:%H:%M:%S +0000", &parts);
    snprintf(line, sizeof line, "%s - - [%s] \"%s %s%s%s HTTP/1.1\" %d %zu \"%s\" \"%s\" \"-\"\n", request->peer, when, request->method, request->path, *request->query ? "?" : "", request->query, code,
        length, referer ? referer : "-", agent ? agent : "-");
    tell(task, 1, line);
    mem_free(agent);
    mem_free(referer);
}

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {{".html", "text/html"}, {".htm", "text/html"}, {".txt", "text/plain"}, {".json", "application/json"}, {".css", "text/css"}, {".js", "application/javascript"},
        {".svg", "image/svg+xml"}, {".png", "image/png"}, {".jpg", "image/jpeg"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

static void put_fault(const struct server *server, int code, struct web_answer *answer)
{
    const char *reason = web_reason(code);
    answer->code = code;
    answer->type = "text/html";
    buf_printf(&answer->body, "<html>\r\n<head><title>%d %s</title></head>\r\n<body>\r\n<center><h1>%d %s</h1></center>\r\n<hr><center>%s</center>\r\n</body>\r\n</html>\r\n", code, reason, code, reason,
        server->signature);
}

/* A path of the root that leaves it nowhere. False: it does, or is too long. */
static bool file_of(const struct server *server, const char *path, bool folder, char out[static FS_PATH])
{
    if (*path != '/' || strstr(path, "/../") || (strlen(path) >= 3 && strcmp(path + strlen(path) - 3, "/..") == 0))
        return false;
    return snprintf(out, FS_PATH, "%s%s%s", server->root, path, folder ? "index.html" : "") < FS_PATH;
}

static void serve_file(void *data, const struct web_request *request, struct web_answer *answer)
{
    struct serving *serving = data;
    const struct server *server = serving->server;
    char path[FS_PATH], *bytes = NULL;
    size_t length = 0, end = strlen(request->path);
    struct fs_stat stat = {0};
    bool folder = end > 0 && request->path[end - 1] == '/';
    int error = file_of(server, request->path, folder, path) ? fs_stat(&serving->task->who, path, true, &stat) : -ENOENT;
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
        put_fault(server, 405, answer);
    } else if (error == 0 && S_ISDIR(stat.mode)) {
        put_fault(server, folder ? 403 : 301, answer);
    } else if (error == 0) {
        error = fs_read_file(&serving->task->who, path, PAGE, &bytes, &length);
        answer->type = type_of(path);
        if (error == 0)
            buf_append(&answer->body, bytes, length);
    }
    if (error != 0 && answer->code == 200) {
        bool listing = folder && error == -ENOENT && file_of(server, request->path, false, path) && fs_stat(&serving->task->who, path, true, &stat) == 0;
        put_fault(server, listing || error == -EACCES ? 403 : 404, answer);
        char line[FS_PATH + 256];
        snprintf(line, sizeof line, "[error] open() \"%s\" failed (2: No such file or directory), client: %s, request: \"%s %s HTTP/1.1\"\n", path, request->peer, request->method, request->path);
        if (!listing)
            tell(serving->task, 2, line);
    }
    note(serving->task, request, answer->code, answer->body.length);
    mem_free(bytes);
}

static void serve_text(void *data, const struct web_request *request, struct web_answer *answer)
{
    const struct serving *serving = data;
    (void)request;
    answer->type = "text/plain; charset=utf-8";
    buf_printf(&answer->body, "%s\n", serving->text ? serving->text : "hello-world");
}

static void serve_whoami(void *data, const struct web_request *request, struct web_answer *answer)
{
    const struct serving *serving = data;
    const struct sandbox *sandbox = serving->task->box->sandbox;
    answer->type = "text/plain; charset=utf-8";
    buf_printf(&answer->body, "Hostname: %s\nIP: 127.0.0.1\nIP: %s\nRemoteAddr: %s\n%s %s HTTP/1.1\n", sandbox->hostname, sandbox->ip, request->peer, request->method, request->path);
}

static void serve_hello(void *data, const struct web_request *request, struct web_answer *answer)
{
    const struct serving *serving = data;
    (void)request;
    answer->type = "text/plain; charset=utf-8";
    buf_printf(&answer->body, "Hello, world!\nVersion: 1.0.0\nHostname: %s\n", serving->task->box->sandbox->hostname);
}

/* ---- their life ---- */

static void hold(void *data, struct net_side *side)
{
    (void)data;
    net_close(side); /* it takes the connection, and speaks a language that nobody here speaks */
}

static const char *option(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i] + (strncmp(argv[i], "--", 2) == 0 ? 1 : 0);
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word + length + 1;
        if (strcmp(word, name) == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return NULL;
}

static void start(struct task *task, int argc, char **argv)
{
    const struct server *server = server_of(task);
    if (server->wants && !has_one(task, server->wants)) {
        applet_tell(task, server->complaint);
        task_end(task, 1);
        return;
    }
    struct serving *serving = mem_zero(1, sizeof *serving);
    const char *listen = option(argc, argv, "-listen"), *port_env = task_env(task, "NGINX_PORT_LISTEN");
    uint16_t port = server->port;
    int error = serving ? 0 : -ENOMEM;
    if (listen && strrchr(listen, ':'))
        port = (uint16_t)atoi(strrchr(listen, ':') + 1);
    if (port_env && server->serve == serve_file)
        port = (uint16_t)atoi(port_env);
    task->self = serving;
    if (serving) {
        *serving = (struct serving){.task = task, .server = server, .text = option(argc, argv, "-text")};
        if (server->serve)
            serving->web = web_new(task, port, server->signature, server->serve, serving, &error);
        else if (port != 0)
            serving->listener = net_listen(task->box->sandbox, port, hold, serving, &error);
    }
    if (error == -EADDRINUSE) {
        char text[160];
        snprintf(text, sizeof text, "[emerg] bind() to 0.0.0.0:%u failed (98: Address already in use)\n", port);
        applet_tell(task, text);
    }
    if (error != 0)
        task_end(task, 1);
    else if (server->said)
        applet_tell(task, server->said);
}

static void stop(struct task *task)
{
    struct serving *serving = task->self;
    web_free(serving->web);
    net_unlisten(serving->listener);
    mem_free(serving);
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

static const struct daemon_ops ops = {.start = start, .signal = signal_came, .stop = stop};

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
