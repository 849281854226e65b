/* Variables that tell of Services (WEB_SERVICE_HOST ...), as Docker's links once did. What a namespace's Services give is kept until one of them changes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/pod_environment.h"

enum { LINK_NAME = 512 };

/* An upper-case name with underscores. */
static void upper(const char *text, char out[static 64])
{
    size_t i = 0;
    for (; text[i] != '\0' && i < 63; i++)
        out[i] = text[i] == '-' ? '_' : (char)toupper((unsigned char)text[i]);
    out[i] = '\0';
}

static bool put(struct map *links, const char *name, char *text)
{
    return text != NULL && map_set(links, name, text);
}

static bool add_port(struct map *links, const char *prefix, const char *ip, const struct value *port, bool first)
{
    const char *port_name = value_find_text(port, "name", NULL), *protocol = value_find_text(port, "protocol", NULL);
    int number = (int)value_find_int(port, 0, "port", NULL);
    char name[LINK_NAME], upper_name[64], lower[16];
    size_t i = 0;
    for (; protocol != NULL && protocol[i] != '\0' && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)protocol[i]);
    lower[i] = '\0';
    bool ok = true;
    if (first) {
        snprintf(name, sizeof name, "%s_SERVICE_PORT", prefix);
        ok = put(links, name, mem_printf("%d", number));
    }
    if (port_name != NULL && port_name[0] != '\0') {
        upper(port_name, upper_name);
        snprintf(name, sizeof name, "%s_SERVICE_PORT_%s", prefix, upper_name);
        ok = ok && put(links, name, mem_printf("%d", number));
    }
    if (first) {
        snprintf(name, sizeof name, "%s_PORT", prefix);
        ok = ok && put(links, name, mem_printf("%s://%s:%d", lower, ip, number));
    }
    upper(lower, upper_name);
    const struct {
        const char *end;
        char *text;
    } parts[] = {{"", mem_printf("%s://%s:%d", lower, ip, number)}, {"_PROTO", mem_string(lower)}, {"_PORT", mem_printf("%d", number)}, {"_ADDR", mem_string(ip)}};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        snprintf(name, sizeof name, "%s_PORT_%d_%s%s", prefix, number, upper_name, parts[part].end);
        ok = put(links, name, parts[part].text) && ok;
    }
    return ok;
}

static bool add_service(struct map *links, const struct value *service)
{
    const char *ip = value_find_text(service, "spec", "clusterIP", NULL), *service_name = value_find_text(service, "metadata", "name", NULL);
    char prefix[64], name[LINK_NAME];
    if (ip == NULL || ip[0] == '\0' || strcmp(ip, "None") == 0 || service_name == NULL)
        return true;
    upper(service_name, prefix);
    snprintf(name, sizeof name, "%s_SERVICE_HOST", prefix);
    bool ok = put(links, name, mem_string(ip)), first = true;
    for (const struct value *port = value_first(value_find(service, "spec", "ports", NULL)); port != NULL; port = value_next(port), first = false)
        ok = add_port(links, prefix, ip, port, first) && ok;
    return ok;
}

static bool add_object(const struct informer *informer, struct map *links, const struct object *object)
{
    struct value *service = object != NULL ? informer_value(informer, object) : NULL;
    bool ok = object == NULL || (service != NULL && add_service(links, service));
    value_free(service);
    return ok;
}

static void links_free(void *links)
{
    map_free(links);
    mem_free(links);
}

void service_links_init(struct nodes *nodes)
{
    nodes->links = map_make(NODES_PODS, links_free);
}

/* What the Services of a namespace give, kubernetes' in default not among them. NULL: no memory. */
static const struct map *links_of(struct nodes *nodes, const char *ns, bool only_kubernetes)
{
    const char *key = only_kubernetes ? "" : ns;
    struct map *links = map_get(&nodes->links, key);
    if (links != NULL)
        return links;
    links = mem_zero(1, sizeof *links);
    if (links == NULL)
        return NULL;
    *links = map_make(ENVIRONMENT, mem_free);
    bool ok = true;
    if (only_kubernetes)
        ok = add_object(nodes->services, links, informer_get(nodes->services, "default", "kubernetes"));
    else
        for (const struct object *object = NULL; ok && (object = informer_next(nodes->services, ns, object)) != NULL;)
            ok = add_object(nodes->services, links, object);
    if (!ok) {
        links_free(links);
        return NULL;
    }
    return map_set(&nodes->links, key, links) ? links : NULL;
}

void service_links_changed(struct nodes *nodes, const char *ns)
{
    map_remove(&nodes->links, ns);
    if (strcmp(ns, "default") == 0)
        map_remove(&nodes->links, "");
}

bool service_links_add(struct nodes *nodes, const char *ns, bool links, struct map *env)
{
    for (int i = links ? 0 : 1; i < 2; i++) {
        const struct map *from = links_of(nodes, ns, i == 1);
        size_t cursor = 0;
        if (from == NULL)
            return false;
        for (const struct map_entry *entry; (entry = map_next(from, &cursor)) != NULL;)
            if (!map_has(env, entry->key) && !put(env, entry->key, mem_string(entry->value)))
                return false;
    }
    return true;
}
