/* applet_names: nslookup, getent, ping, host: what names lead to, in busybox' words. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/net.h"
#include "practice/sim/programs.h"
#include "practice/sim/sim.h"

enum { RECORDS = 64, RESOLV = 16 << 10, SEARCHES = 32, SILENT_MS = 10 * 1000 };

static const struct network *network_of(const struct task *task)
{
    return sim_options_of(task->box->sandbox->sim)->network;
}

/* The names that a resolver tries, and its server. False: there is no resolv.conf. */
struct tries {
    char server[NETWORK_ADDRESS];
    struct vec names;
};

static bool tries_of(struct task *task, const char *name, struct tries *tries)
{
    char *text, *rest = NULL;
    size_t length;
    tries->names = vec_make(SEARCHES, mem_free);
    tries->server[0] = '\0';
    if (fs_read_file(&task->who, "/etc/resolv.conf", RESOLV, &text, &length) != 0)
        return false;
    bool ok = true, dotted = strchr(name, '.') != NULL;
    if (dotted) /* busybox' nslookup does not search for names with a dot */
        ok = vec_push_string(&tries->names, name);
    for (char *line = strtok_r(text, "\n", &rest); ok && line; line = strtok_r(NULL, "\n", &rest)) {
        char *words = NULL, *word = strtok_r(line, " \t", &words);
        if (word && strcmp(word, "nameserver") == 0 && !*tries->server) {
            const char *server = strtok_r(NULL, " \t", &words);
            snprintf(tries->server, sizeof tries->server, "%s", server ? server : "");
        }
        for (const char *domain; ok && !dotted && word && strcmp(word, "search") == 0 && (domain = strtok_r(NULL, " \t", &words));) {
            char *full = mem_printf("%s.%s", name, domain);
            ok = full && vec_push(&tries->names, full);
        }
    }
    mem_free(text);
    return ok;
}

static bool server_answers(struct task *task, const char *server)
{
    const struct sandbox *own = task->box->sandbox;
    struct network *network = sim_options_of(own->sim)->network;
    struct network_way way = {0};
    if (network)
        network_route(network, own->ip, own->node, server, 53, true, &way);
    return network && way.outcome == NETWORK_NAMES;
}

static enum network_type type_of(const char *text)
{
    static const struct {
        const char *name;
        enum network_type type;
    } types[] = {{"a", NETWORK_A}, {"aaaa", NETWORK_AAAA}, {"srv", NETWORK_SRV}, {"ptr", NETWORK_PTR}, {"cname", NETWORK_CNAME}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcasecmp(text, types[i].name) == 0)
            return types[i].type;
    return NETWORK_A;
}

static void print_records(struct task *task, const char *name, enum network_type type, const struct vec *records)
{
    for (size_t i = 0; i < records->length; i++) {
        const char *record = records->items[i];
        if (type == NETWORK_SRV)
            applet_print(task, "%s\tservice = %s\n", name, record);
        else if (type == NETWORK_PTR)
            applet_print(task, "%s\tname = %s\n", name, record);
        else if (!net_is_address(record))
            applet_print(task, "%s\tcanonical name = %s\n", name, record);
        else
            applet_print(task, "Name:\t%s\nAddress: %s\n", name, record);
    }
}

static int nslookup_main(struct task *task, int argc, char **argv)
{
    struct tries tries;
    enum network_type type = NETWORK_A;
    const char *name = NULL, *server = NULL;
    char reversed[NETWORK_NAME];
    int code = 0;
    bool typed = false;
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        if (argv[i][0] == '-' && equals) {
            type = type_of(equals + 1);
            typed = true;
        } else if (!name) {
            name = argv[i];
        } else {
            server = argv[i];
        }
    }
    if (!name)
        return applet_usage(task, "[-type=QUERY_TYPE] HOST [DNS_SERVER]");
    unsigned a, b, c, d;
    if (sscanf(name, "%u.%u.%u.%u", &a, &b, &c, &d) == 4 && net_is_address(name)) {
        snprintf(reversed, sizeof reversed, "%u.%u.%u.%u.in-addr.arpa", d, c, b, a);
        name = reversed;
        type = NETWORK_PTR;
        typed = true;
    }
    if (!tries_of(task, name, &tries)) {
        vec_free(&tries.names);
        return applet_say(task, "can't open '/etc/resolv.conf': No such file or directory");
    }
    server = server ? server : tries.server;
    if (!server_answers(task, server)) {
        task_sleep(task, SILENT_MS);
        applet_print(task, ";; connection timed out; no servers could be reached\n\n");
        vec_free(&tries.names);
        return 1;
    }
    applet_print(task, "Server:\t\t%s\nAddress:\t%s:53\n\n", server, server);
    for (int turn = 0; turn < (typed ? 1 : 2); turn++) { /* A, then AAAA */
        for (size_t i = 0; i < tries.names.length; i++) {
            struct vec records = vec_make(RECORDS, mem_free);
            enum network_answer answer = network_lookup(network_of(task), tries.names.items[i], turn == 0 ? type : NETWORK_AAAA, &records);
            if (answer == NETWORK_NO_NAME) {
                applet_print(task, "** server can't find %s: NXDOMAIN\n\n", (const char *)tries.names.items[i]);
                code = 1;
            } else if (answer == NETWORK_FOUND) {
                print_records(task, tries.names.items[i], type, &records);
                applet_print(task, turn == 0 || !net_is_address(records.items[0]) ? "\n" : "");
            } else if (turn == 1) {
                applet_print(task, "\n");
            }
            vec_free(&records);
        }
    }
    vec_free(&tries.names);
    return code;
}

static int getent_main(struct task *task, int argc, char **argv)
{
    char ip[NETWORK_ADDRESS], full[NETWORK_NAME];
    if (argc < 3 || (strcmp(argv[1], "hosts") != 0 && strcmp(argv[1], "ahosts") != 0))
        return applet_usage(task, "hosts NAME");
    if (task_resolve(task, argv[2], ip, full) != 0)
        return 2;
    applet_print(task, "%-15s %s\n", ip, full);
    return 0;
}

/* Pods answer, Services' addresses do not: nobody is behind them but rules for their ports. */
static bool echoes(struct task *task, const char *ip)
{
    const struct sandbox *own = task->box->sandbox;
    struct network *network = sim_options_of(own->sim)->network;
    struct network_way way = {0};
    if (strncmp(ip, "127.", 4) == 0 || strcmp(ip, own->ip) == 0)
        return true;
    if (!network)
        return false;
    network_route(network, own->ip, own->node, ip, 7, true, &way);
    return way.outcome == NETWORK_POD && strcmp(way.ip, ip) == 0;
}

static int ping_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    int64_t count = 4, wait_ms = 10000;
    char ip[NETWORK_ADDRESS], full[NETWORK_NAME];
    for (int letter; (letter = applet_option(task, argc, argv, "c:W:w:i:q46", &options)) != -1;) {
        if (letter == '?' || (letter == 'c' && !applet_number(options.value, &count)))
            return 1;
        if (letter == 'W' || letter == 'w')
            applet_duration(options.value, &wait_ms);
    }
    if (options.index >= argc)
        return applet_usage(task, "[-c COUNT] [-W SEC] HOST");
    const char *host = argv[options.index];
    if (task_resolve(task, host, ip, full) != 0)
        return applet_say(task, "bad address '%s'", host);
    bool there = echoes(task, ip);
    int64_t sent = 0;
    applet_print(task, "PING %s (%s): 56 data bytes\n", host, ip);
    for (; sent < count && !task_dying(task); sent++) {
        if (there)
            applet_print(task, "64 bytes from %s: seq=%lld ttl=64 time=0.050 ms\n", ip, (long long)sent);
        applet_flush(task);
        if (task_sleep(task, there ? 1000 : sent + 1 == count ? wait_ms : 1000) != 0)
            break;
    }
    applet_print(task, "\n--- %s ping statistics ---\n%lld packets transmitted, %lld packets received, %d%% packet loss\n", host, (long long)sent, (long long)(there ? sent : 0), there ? 0 : 100);
    if (there)
        applet_print(task, "round-trip min/avg/max = 0.050/0.050/0.050 ms\n");
    return there ? 0 : 1;
}

const struct program_table programs_names = {
    (const struct program[]){{.name = "nslookup", .main = nslookup_main}, {.name = "getent", .main = getent_main}, {.name = "ping", .main = ping_main}}, 3};
