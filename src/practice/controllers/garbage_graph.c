#include "practice/controllers/garbage.h"

#include <string.h>

#include "base/mem.h"

static void node_free(void *data)
{
    struct node *node = data;
    mem_free(node->uid);
    mem_free(node->ns);
    mem_free(node->name);
    vec_free(&node->owners);
    vec_free(&node->blocks);
    vec_free(&node->dependents);
    mem_free(node);
}

struct graph graph_make(void)
{
    return (struct graph){.nodes = map_make(GRAPH_NODES, node_free)};
}

void graph_free(struct graph *graph)
{
    map_free(&graph->nodes);
}

struct node *graph_find(const struct graph *graph, const char *uid)
{
    return map_get(&graph->nodes, uid);
}

struct node *graph_node(struct graph *graph, const char *uid)
{
    struct node *node = graph_find(graph, uid);
    if (node != NULL)
        return node;
    node = mem_zero(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->owners = vec_make(GRAPH_OWNERS, NULL);
    node->blocks = vec_make(GRAPH_OWNERS, NULL);
    node->dependents = vec_make(GRAPH_NODES, NULL);
    node->uid = mem_string(uid);
    if (node->uid == NULL) {
        node_free(node);
        return NULL;
    }
    return map_set(&graph->nodes, uid, node) ? node : NULL;
}

bool graph_see(struct node *node, const void *source, const char *ns, const char *name)
{
    if (node->source == NULL) { /* an object never moves */
        char *new_ns = mem_string(ns), *new_name = mem_string(name);
        if (new_ns == NULL || new_name == NULL) {
            mem_free(new_ns);
            mem_free(new_name);
            return false;
        }
        node->ns = new_ns;
        node->name = new_name;
    }
    node->source = source;
    return true;
}

void graph_unsee(struct node *node)
{
    mem_free(node->ns);
    mem_free(node->name);
    node->ns = node->name = NULL;
    node->source = NULL;
    node->deleting = node->waits = node->puzzled = false;
}

static bool holds(const struct vec *list, const struct node *node, size_t *at)
{
    for (size_t i = list->length; i-- > 0;) /* what was added last is asked for most */
        if (list->items[i] == node) {
            if (at != NULL)
                *at = i;
            return true;
        }
    return false;
}

bool graph_blocks(const struct node *dependent, const struct node *owner)
{
    return holds(&dependent->blocks, owner, NULL);
}

/* True if nothing would change: most changes of an object are others, and an owner may have thousands of dependents to look through. */
static bool has_owners(const struct node *node, struct node *const *owners, const bool *blocks, size_t count)
{
    size_t blocking = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= node->owners.length || node->owners.items[i] != owners[i])
            return false;
        if (blocks[i] && (blocking >= node->blocks.length || node->blocks.items[blocking++] != owners[i]))
            return false;
    }
    return node->owners.length == count && node->blocks.length == blocking;
}

bool graph_set_owners(struct node *node, struct node *const *owners, const bool *blocks, size_t count)
{
    size_t at;
    if (has_owners(node, owners, blocks, count))
        return true;
    for (size_t i = 0; i < node->owners.length; i++) {
        struct node *owner = node->owners.items[i];
        if (holds(&owner->dependents, node, &at)) { /* their order means nothing: the last one takes the place */
            owner->dependents.items[at] = owner->dependents.items[owner->dependents.length - 1];
            (void)vec_take(&owner->dependents, owner->dependents.length - 1);
        }
    }
    vec_clear(&node->owners);
    vec_clear(&node->blocks);
    for (size_t i = 0; i < count; i++) {
        if (holds(&node->owners, owners[i], NULL))
            continue;
        if (!vec_push(&node->owners, owners[i]))
            return false;
        if (!vec_push(&owners[i]->dependents, node)) {
            (void)vec_take(&node->owners, node->owners.length - 1);
            return false;
        }
        if (blocks[i] && !vec_push(&node->blocks, owners[i]))
            return false;
    }
    return true;
}

void graph_tidy(struct graph *graph, struct node *node)
{
    if (node->owners.length == 0 && node->dependents.length == 0 && !node->waits)
        map_remove(&graph->nodes, node->uid);
}
