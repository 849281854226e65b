#include "practice/node/node.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/pod.h"

/* Ranges: 10.244.N.0/24 for the first 255 nodes, then 10.128.0.0/16 and up. Nodes themselves are at 10.77.0.1 and up. */
enum { FIRST_RANGES = 255, NODES_A_NET = 250, IMAGES_MS = 10000, NODE_NUMBERS = 65536, NODE_IMAGES_KNOWN = 1000 };

struct node *node_new(struct nodes *nodes, const char *name)
{
    struct node *node = mem_zero(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->nodes = nodes;
    node->on = true;
    node->images = vec_make(NODE_IMAGES_KNOWN, NULL);
    node->name = mem_string(name);
    if (node->name != NULL)
        return node;
    node_free(node);
    return NULL;
}

void node_free(void *data)
{
    struct node *node = data;
    if (node == NULL)
        return;
    while (node->workers != NULL) {
        struct pod_worker *worker = node->workers;
        map_remove(&node->nodes->workers, worker->uid);
        pod_free(worker);
    }
    if (node->number > 0)
        node->nodes->numbers[node->number] = NULL;
    if (node->number > 0 && node->number < node->nodes->first_free)
        node->nodes->first_free = node->number;
    recorder_free(node->recorder);
    client_free(node->client);
    amounts_free(&node->used);
    amounts_free(&node->allocatable);
    vec_free(&node->images);
    mem_free(node->name);
    mem_free(node);
}

bool node_ready(struct node *node, struct error *err)
{
    const struct recorder_options options = {.component = "kubelet", .host = node->name};
    if (node->client == NULL) {
        char *user = mem_printf("system:node:%s", node->name);
        node->client = user != NULL ? client_new(node->nodes->place.api, user, "kubelet", err) : NULL;
        mem_free(user);
    }
    if (node->client != NULL && node->recorder == NULL)
        node->recorder = recorder_new(node->client, &options, err);
    return node->recorder != NULL || error_memory(err);
}

/* ---- numbers and ranges ---- */

static bool reserve(struct nodes *nodes, size_t number)
{
    size_t room = nodes->numbers_room;
    if (number < room)
        return true;
    while (room <= number)
        room = room == 0 ? 16 : room * 2;
    struct node **more = mem_resize(nodes->numbers, room * sizeof(struct node *));
    if (more == NULL)
        return false;
    memset(&more[nodes->numbers_room], 0, (room - nodes->numbers_room) * sizeof(struct node *));
    nodes->numbers = more;
    nodes->numbers_room = room;
    return true;
}

/* The number whose range this is; 0: none of ours. */
static unsigned number_of(const char *range)
{
    unsigned a, b;
    int end = 0;
    if (range == NULL || sscanf(range, "10.%u.%u.0/24%n", &a, &b, &end) != 2 || end == 0 || range[end] != '\0' || b > 255)
        return 0;
    if (a == 244)
        return b;
    return a >= 128 && a < 244 ? FIRST_RANGES + 1 + (a - 128) * 256 + b : 0;
}

bool node_number(struct node *node, const char *range)
{
    struct nodes *nodes = node->nodes;
    unsigned number = number_of(range);
    if (node->number > 0)
        return true;
    if (number == 0 || (number < nodes->numbers_room && nodes->numbers[number] != NULL)) {
        if (nodes->first_free == 0)
            nodes->first_free = 1;
        while (nodes->first_free < nodes->numbers_room && nodes->numbers[nodes->first_free] != NULL)
            nodes->first_free++;
        number = (unsigned)nodes->first_free;
    }
    if (number >= NODE_NUMBERS || !reserve(nodes, number))
        return false;
    nodes->numbers[number] = node;
    node->number = number;
    if (node->ip[0] == '\0')
        snprintf(node->ip, sizeof node->ip, "10.77.%u.%u", (number - 1) / NODES_A_NET, (number - 1) % NODES_A_NET + 1);
    return true;
}

static void range_of(const struct node *node, unsigned *second, unsigned *third)
{
    unsigned more = node->number - FIRST_RANGES - 1;
    *second = node->number <= FIRST_RANGES ? 244 : 128 + more / 256;
    *third = node->number <= FIRST_RANGES ? node->number : more % 256;
}

void node_range(const struct node *node, char out[static 32])
{
    unsigned second, third;
    range_of(node, &second, &third);
    snprintf(out, 32, "10.%u.%u.0/24", second, third);
}

/* ---- Pods' addresses: the next one after the last, round about, as host-local gives them ---- */

int node_take_address(struct node *node, char ip[static NETWORK_ADDRESS])
{
    unsigned second, third;
    range_of(node, &second, &third);
    for (unsigned i = 1; i < NODE_ADDRESSES; i++) {
        unsigned address = 2 + (node->last_address + i - 1) % (NODE_ADDRESSES - 1);
        if ((node->taken[address / 8] & (1U << address % 8)) != 0)
            continue;
        node->taken[address / 8] |= (unsigned char)(1U << address % 8);
        node->last_address = address - 1;
        snprintf(ip, NETWORK_ADDRESS, "10.%u.%u.%u", second, third, address);
        return (int)address;
    }
    return -1;
}

bool node_take_this(struct node *node, const char *ip, int *number)
{
    unsigned second, third, a, b, c;
    int end = 0;
    range_of(node, &second, &third);
    if (sscanf(ip, "10.%u.%u.%u%n", &a, &b, &c, &end) != 3 || ip[end] != '\0' || a != second || b != third || c < 2 || c > NODE_ADDRESSES || (node->taken[c / 8] & (1U << c % 8)) != 0)
        return false;
    node->taken[c / 8] |= (unsigned char)(1U << c % 8);
    *number = (int)c;
    return true;
}

void node_give_address(struct node *node, int address)
{
    node->taken[address / 8] &= (unsigned char)~(1U << address % 8);
}

/* ---- images ---- */

void node_has_image(struct node *node, const struct image_name *image)
{
    for (size_t i = 0; i < node->images.length; i++)
        if (node->images.items[i] == image)
            return;
    if (node->images.length == NODE_IMAGES_KNOWN)
        vec_remove(&node->images, 0);
    if (!vec_push(&node->images, (void *)(uintptr_t)image))
        return; /* no memory: it is not listed */
    node->images_changed = true;
    workqueue_add_after(node->nodes->writes, node->name, IMAGES_MS);
}
