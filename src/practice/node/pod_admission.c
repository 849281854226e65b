#include "practice/node/pod_admission.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/node_labels.h"

enum { POD_PORTS = 1000 };

/* ---- host ports ---- */

static uint32_t port_key(const struct value *port)
{
    static const char *const protocols[] = {"TCP", "UDP", "SCTP"};
    const char *protocol = value_find_text(port, "protocol", NULL);
    uint32_t key = (uint32_t)value_find_int(port, 0, "hostPort", NULL);
    for (uint32_t i = 1; key != 0 && protocol != NULL && i < sizeof protocols / sizeof *protocols; i++)
        if (strcmp(protocol, protocols[i]) == 0)
            key += i << 16;
    return key;
}

/* False: no memory. */
static bool read_ports(struct pod_worker *worker, const struct value *document)
{
    for (const struct value *container = value_first(value_find(document, "spec", "containers", NULL)); container != NULL; container = value_next(container))
        for (const struct value *port = value_first(value_get(container, "ports")); port != NULL; port = value_next(port)) {
            uint32_t key = port_key(port);
            if (key == 0 || worker->port_count == POD_PORTS)
                continue;
            uint32_t *more = mem_resize(worker->ports, (worker->port_count + 1) * sizeof *more);
            if (more == NULL)
                return false;
            worker->ports = more;
            more[worker->port_count++] = key;
        }
    return true;
}

static bool ports_clash(const struct pod_worker *worker)
{
    if (worker->port_count == 0)
        return false;
    for (const struct pod_worker *other = worker->node->workers; other != NULL; other = other->next)
        for (size_t i = 0; other != worker && other->admitted && i < other->port_count; i++)
            for (size_t j = 0; j < worker->port_count; j++)
                if (other->ports[i] == worker->ports[j])
                    return true;
    return false;
}

/* ---- resources ---- */

static struct amount amount_in(const struct amounts *list, const char *name)
{
    const struct amount_item *item = amounts_find(list, name);
    return item != NULL ? item->amount : amount_of(0);
}

/* As the kubelet counts: thousandths of a core, else whole numbers. */
static int64_t units(const char *name, struct amount amount)
{
    if (strcmp(name, "cpu") == 0)
        amount.nano *= 1000;
    return amount_whole(amount);
}

static bool refuse(const char *name, int64_t requested, int64_t used, int64_t capacity, char reason[static 64], char message[static ADMISSION_MESSAGE])
{
    snprintf(reason, 64, "OutOf%.50s", name);
    snprintf(message, ADMISSION_MESSAGE, "Node didn't have enough resource: %s, requested: %" PRId64 ", used: %" PRId64 ", capacity: %" PRId64, name, requested, used, capacity);
    return false;
}

static bool fits(const struct node *node, const struct amounts *requests, char reason[static 64], char message[static ADMISSION_MESSAGE])
{
    static const char *const first[] = {"cpu", "memory", "ephemeral-storage"};
    int64_t pods = amount_whole(amount_in(&node->allocatable, "pods"));
    if ((int64_t)node->admitted + 1 > pods)
        return refuse("pods", 1, (int64_t)node->admitted, pods, reason, message);
    for (size_t i = 0; i < sizeof first / sizeof *first + requests->count; i++) {
        const char *name = i < sizeof first / sizeof *first ? first[i] : requests->items[i - sizeof first / sizeof *first].name;
        struct amount wanted = amount_in(requests, name), used = amount_in(&node->used, name);
        const struct amount_item *whole = amounts_find(&node->allocatable, name);
        if (wanted.nano > 0 && whole != NULL && amount_compare(amount_add(wanted, used), whole->amount) > 0)
            return refuse(name, units(name, wanted), units(name, used), units(name, whole->amount), reason, message);
    }
    return true;
}

static void count(struct node *node, const struct amounts *requests, bool in)
{
    for (size_t i = 0; i < requests->count; i++) {
        const char *name = requests->items[i].name;
        struct amount used = amount_in(&node->used, name), amount = requests->items[i].amount;
        amounts_set(&node->used, name, in ? amount_add(used, amount) : amount_subtract(used, amount));
    }
    node->admitted += in ? 1 : (size_t)-1;
}

static bool take(struct pod_worker *worker, const struct amounts *requests)
{
    amounts_add_all(&worker->requests, requests);
    count(worker->node, &worker->requests, true);
    worker->admitted = true;
    return !worker->requests.failed;
}

bool pod_take_back(struct pod_worker *worker, const struct value *document, const struct pod_view *view)
{
    return read_ports(worker, document) && take(worker, &view->requests);
}

bool pod_admit(struct pod_worker *worker, const struct value *document, const struct pod_view *view, char reason[static 64], char message[static ADMISSION_MESSAGE])
{
    snprintf(reason, 64, "UnexpectedAdmissionError");
    snprintf(message, ADMISSION_MESSAGE, "out of memory");
    if (!read_ports(worker, document) || !fits(worker->node, &view->requests, reason, message))
        return false;
    if (!node_labels_fit(worker->node, document)) {
        snprintf(reason, 64, "NodeAffinity");
        snprintf(message, ADMISSION_MESSAGE, "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
        return false;
    }
    if (ports_clash(worker)) {
        snprintf(reason, 64, "NodePorts");
        snprintf(message, ADMISSION_MESSAGE, "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports");
        return false;
    }
    return take(worker, &view->requests);
}

void pod_release(struct pod_worker *worker)
{
    if (!worker->admitted)
        return;
    worker->admitted = false;
    count(worker->node, &worker->requests, false);
    amounts_free(&worker->requests);
}
