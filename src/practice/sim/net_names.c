/* net_names: names as a C library's resolver looks them up in a container. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/net.h"
#include "practice/sim/sim.h"

enum { RESOLV_MOST = 16 << 10, SEARCHES = 32, ANSWER_MS = 10 * 1000, PARTS = 64 };

struct resolv {
    char server[NETWORK_ADDRESS];
    char *searches[SEARCHES];
    size_t count;
    int dots;
    char *text;
};

static void read_line(struct resolv *resolv, char *line)
{
    char *rest = NULL, *word = strtok_r(line, " \t", &rest);
    if (!word)
        return;
    if (strcmp(word, "nameserver") == 0 && !*resolv->server) {
        const char *server = strtok_r(NULL, " \t", &rest);
        snprintf(resolv->server, sizeof resolv->server, "%s", server ? server : "");
    } else if (strcmp(word, "search") == 0) {
        resolv->count = 0;
        for (char *domain; resolv->count < SEARCHES && (domain = strtok_r(NULL, " \t", &rest));)
            resolv->searches[resolv->count++] = domain;
    } else if (strcmp(word, "options") == 0) {
        for (char *option; (option = strtok_r(NULL, " \t", &rest));)
            if (strncmp(option, "ndots:", 6) == 0)
                resolv->dots = atoi(option + 6);
    }
}

static bool read_resolv(const struct task *task, struct resolv *resolv)
{
    size_t length;
    *resolv = (struct resolv){.dots = 1};
    if (fs_read_file(&task->who, "/etc/resolv.conf", RESOLV_MOST, &resolv->text, &length) != 0)
        return false;
    char *rest = NULL;
    for (char *line = strtok_r(resolv->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(resolv, line);
    return true;
}

static bool in_hosts(const struct task *task, const char *name, char ip[static NETWORK_ADDRESS])
{
    char *text, *rest = NULL;
    size_t length;
    bool found = false;
    if (fs_read_file(&task->who, "/etc/hosts", RESOLV_MOST, &text, &length) != 0)
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, "#")] = '\0';
        char *words = NULL, *address = strtok_r(line, " \t", &words);
        for (const char *word; address && !strchr(address, ':') && !found && (word = strtok_r(NULL, " \t", &words));)
            found = strcmp(word, name) == 0;
        if (found)
            snprintf(ip, NETWORK_ADDRESS, "%s", address);
    }
    mem_free(text);
    return found;
}

/* One whole name. 0, -ENOENT. */
static int look_up(const struct task *task, const char *name, char ip[static NETWORK_ADDRESS])
{
    const struct network *network = sim_options_of(task->box->sandbox->sim)->network;
    struct vec records = vec_make(PARTS, mem_free);
    int error = -ENOENT;
    if (network_lookup(network, name, NETWORK_A, &records) == NETWORK_FOUND && records.length > 0 && net_is_address(records.items[0])) { /* the name that an ExternalName stands for is nobody's here */
        snprintf(ip, NETWORK_ADDRESS, "%s", (const char *)records.items[kernel_now(task->kernel) % (int64_t)records.length]);
        error = 0;
    }
    vec_free(&records);
    return error;
}

static bool answers(struct task *task, const char *server)
{
    const struct sandbox *own = task->box->sandbox;
    struct network *network = sim_options_of(own->sim)->network;
    struct network_way way = {0};
    if (!network)
        return false;
    network_route(network, own->ip, own->node, server, 53, true, &way);
    return way.outcome == NETWORK_NAMES;
}

int task_resolve(struct task *task, const char *name, char ip[static NETWORK_ADDRESS], char full[static NETWORK_NAME])
{
    struct resolv resolv;
    size_t dots = 0, length = strlen(name);
    int error = -ENOENT;
    snprintf(full, NETWORK_NAME, "%s", name);
    if (net_is_address(name)) {
        snprintf(ip, NETWORK_ADDRESS, "%s", name);
        return 0;
    }
    if (in_hosts(task, name, ip))
        return 0;
    if (length == 0 || length >= NETWORK_NAME || !read_resolv(task, &resolv))
        return -ENOENT;
    for (const char *at = name; *at; at++)
        dots += *at == '.';
    bool whole = name[length - 1] == '.';
    if (!answers(task, resolv.server)) {
        mem_free(resolv.text);
        return task_sleep(task, ANSWER_MS) == 0 ? -ETIMEDOUT : -EINTR;
    }
    if (whole)
        full[length - 1] = '\0';
    if (whole || (int)dots >= resolv.dots)
        error = look_up(task, full, ip);
    for (size_t i = 0; !whole && error != 0 && i < resolv.count; i++)
        if (snprintf(full, NETWORK_NAME, "%s.%s", name, resolv.searches[i]) < NETWORK_NAME)
            error = look_up(task, full, ip);
    if (!whole && error != 0 && (int)dots < resolv.dots) {
        snprintf(full, NETWORK_NAME, "%s", name);
        error = look_up(task, full, ip);
    }
    mem_free(resolv.text);
    return error;
}
