#include "practice/node/pod_sandbox.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum { LINES = 1000, LINE = 4096, HOSTNAME = 63 };
#define NODE_DNS "10.77.255.53" /* what nodes themselves ask: nobody of the cluster */

static bool add_line(struct vec *lines, struct buf *line)
{
    bool ok = buf_ok(line) && vec_push_string(lines, line->bytes != NULL ? line->bytes : "");
    buf_clear(line);
    return ok;
}

static const char *text_at(const struct value *document, const char *key)
{
    const char *text = value_find_text(document, "spec", key, NULL);
    return text != NULL ? text : "";
}

/* Cut to what a host's name may be, without a mark at its end. */
static char *hostname_of(const struct pod_worker *worker, const struct value *document)
{
    const char *forced = text_at(document, "hostnameOverride"), *own = text_at(document, "hostname");
    const char *name = forced[0] != '\0' ? forced : own[0] != '\0' ? own : worker->name;
    size_t length = strlen(name);
    if (length > HOSTNAME)
        for (length = HOSTNAME; length > 1 && strchr("-.", name[length - 1]) != NULL;)
            length--;
    return mem_string_n(name, length);
}

static bool print_hosts(struct vec *lines, const struct pod_worker *worker, const struct value *document, const char *hostname, const char *domain, bool host_network)
{
    static const char *const first[] = {"# Kubernetes-managed hosts file.", "127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback", "fe00::0\tip6-localnet", "fe00::0\tip6-mcastprefix",
                                        "fe00::1\tip6-allnodes", "fe00::2\tip6-allrouters"};
    const struct value *aliases = value_find(document, "spec", "hostAliases", NULL);
    struct buf line = buf_make(LINE);
    bool ok = true;
    if (host_network)
        ok = vec_push_string(lines, "# Kubernetes-managed hosts file (host network).") && vec_push_string(lines, "127.0.0.1\tlocalhost");
    for (size_t i = 0; !host_network && i < sizeof first / sizeof *first && ok; i++)
        ok = vec_push_string(lines, first[i]);
    if (domain[0] != '\0')
        buf_printf(&line, "%s\t%s.%s\t%s", worker->ip, hostname, domain, hostname);
    else
        buf_printf(&line, "%s\t%s", worker->ip, hostname);
    ok = ok && add_line(lines, &line);
    if (value_first(aliases) != NULL)
        ok = ok && vec_push_string(lines, "") && vec_push_string(lines, "# Entries added by HostAliases.");
    for (const struct value *alias = value_first(aliases); alias != NULL && ok; alias = value_next(alias)) {
        const char *ip = value_find_text(alias, "ip", NULL);
        buf_append_string(&line, ip != NULL ? ip : "");
        for (const struct value *name = value_first(value_get(alias, "hostnames")); name != NULL; name = value_next(name))
            buf_printf(&line, "\t%s", value_text(name) != NULL ? value_text(name) : "");
        ok = add_line(lines, &line);
    }
    buf_free(&line);
    return ok;
}

/* ---- /etc/resolv.conf ---- */

struct resolver {
    struct vec servers, searches, options; /* strings; options "name" or "name:value" */
};

static void resolver_free(struct resolver *resolver)
{
    vec_free(&resolver->servers);
    vec_free(&resolver->searches);
    vec_free(&resolver->options);
}

static bool add_new(struct vec *list, const char *text)
{
    return text == NULL || vec_has_string(list, text) || vec_push_string(list, text);
}

static bool by_policy(struct resolver *resolver, const struct pod_worker *worker, const struct value *document, bool host_network)
{
    const char *policy = text_at(document, "dnsPolicy");
    if (strcmp(policy, "None") == 0)
        return true;
    if (strcmp(policy, "Default") == 0 || (strcmp(policy, "ClusterFirstWithHostNet") != 0 && host_network))
        return add_new(&resolver->servers, NODE_DNS);
    char *own = mem_printf("%s.svc." NETWORK_DOMAIN, worker->ns);
    bool ok = own != NULL && add_new(&resolver->searches, own) && add_new(&resolver->searches, "svc." NETWORK_DOMAIN) && add_new(&resolver->searches, NETWORK_DOMAIN) &&
              add_new(&resolver->servers, NETWORK_DNS) && add_new(&resolver->options, "ndots:5");
    mem_free(own);
    return ok;
}

/* An option of the Pod's own replaces one of the same name. */
static bool set_option(struct vec *options, const char *name, const char *value)
{
    size_t length = strlen(name);
    for (size_t i = options->length; i-- > 0;)
        if (strncmp(options->items[i], name, length) == 0 && strchr(":", ((const char *)options->items[i])[length]) != NULL)
            vec_remove(options, i);
    char *text = value != NULL ? mem_printf("%s:%s", name, value) : mem_string(name);
    return text != NULL && vec_push(options, text);
}

static bool by_config(struct resolver *resolver, const struct value *config)
{
    bool ok = true;
    for (const struct value *item = value_first(value_get(config, "nameservers")); item != NULL && ok; item = value_next(item))
        ok = add_new(&resolver->servers, value_text(item));
    for (const struct value *item = value_first(value_get(config, "searches")); item != NULL && ok; item = value_next(item))
        ok = add_new(&resolver->searches, value_text(item));
    for (const struct value *item = value_first(value_get(config, "options")); item != NULL && ok; item = value_next(item)) {
        const char *name = value_find_text(item, "name", NULL);
        ok = name == NULL || set_option(&resolver->options, name, value_find_text(item, "value", NULL));
    }
    return ok;
}

static bool print_words(struct vec *lines, const char *word, const struct vec *list)
{
    struct buf line = buf_make(LINE);
    if (list->length == 0)
        return true;
    buf_append_string(&line, word);
    for (size_t i = 0; i < list->length; i++)
        buf_printf(&line, " %s", (const char *)list->items[i]);
    bool ok = add_line(lines, &line);
    buf_free(&line);
    return ok;
}

static bool print_resolver(struct vec *lines, const struct pod_worker *worker, const struct value *document, bool host_network)
{
    struct resolver resolver = {vec_make(LINES, mem_free), vec_make(LINES, mem_free), vec_make(LINES, mem_free)};
    bool ok = by_policy(&resolver, worker, document, host_network) && by_config(&resolver, value_find(document, "spec", "dnsConfig", NULL)) && print_words(lines, "search", &resolver.searches);
    for (size_t i = 0; i < resolver.servers.length && ok; i++) {
        char *line = mem_printf("nameserver %s", (const char *)resolver.servers.items[i]);
        ok = line != NULL && vec_push(lines, line);
    }
    ok = ok && print_words(lines, "options", &resolver.options);
    resolver_free(&resolver);
    return ok;
}

/* ---- */

static bool take_address(struct pod_worker *worker, bool host_network, struct error *err)
{
    if (host_network) {
        snprintf(worker->ip, sizeof worker->ip, "%s", worker->node->ip);
        return true;
    }
    for (bool room = true; worker->address < 0 && room; room = worker->address < 0 && pod_drop_oldest(worker->node))
        worker->address = node_take_address(worker->node, worker->ip);
    return worker->address >= 0 || error_set(err, ERROR_LIMIT, NULL, "no IP addresses available in range set of node %s", worker->node->name);
}

bool pod_sandbox_make(struct pod_worker *worker, const struct value *document, struct error *err)
{
    const struct runtime *runtime = &worker->node->nodes->runtime;
    bool host_network = value_is_true(value_find(document, "spec", "hostNetwork", NULL));
    const char *subdomain = text_at(document, "subdomain");
    struct vec hosts = vec_make(LINES, mem_free), resolv = vec_make(LINES, mem_free);
    char *hostname = hostname_of(worker, document), *domain = subdomain[0] != '\0' ? mem_printf("%s.%s.svc." NETWORK_DOMAIN, subdomain, worker->ns) : mem_string("");
    if (take_address(worker, host_network, err)) {
        const struct runtime_sandbox_config config = {.node = worker->node->name,
                                                      .ns = worker->ns,
                                                      .name = worker->name,
                                                      .uid = worker->uid,
                                                      .hostname = host_network ? worker->node->name : hostname,
                                                      .domain = domain,
                                                      .ip = worker->ip,
                                                      .host_network = host_network,
                                                      .shared_processes = value_is_true(value_find(document, "spec", "shareProcessNamespace", NULL)),
                                                      .hosts = &hosts,
                                                      .resolv = &resolv};
        if (hostname != NULL && domain != NULL && print_hosts(&hosts, worker, document, config.hostname, domain, host_network) && print_resolver(&resolv, worker, document, host_network))
            worker->sandbox = runtime->ops->sandbox(runtime->self, &config, err);
        else
            error_memory(err);
    }
    vec_free(&hosts);
    vec_free(&resolv);
    mem_free(hostname);
    mem_free(domain);
    return worker->sandbox != NULL;
}

void pod_sandbox_free(struct pod_worker *worker)
{
    while (worker->listeners != NULL) {
        struct pod_listener *listener = worker->listeners;
        pod_unlisten(listener);
        listener->gone(listener->data);
    }
    if (worker->sandbox != NULL)
        worker->node->nodes->runtime.ops->sandbox_free(worker->sandbox);
    worker->sandbox = NULL;
    if (worker->address >= 0)
        node_give_address(worker->node, worker->address);
    worker->address = -1;
}
