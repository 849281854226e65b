#include "practice/controllers/garbage.h"

#include <string.h>

#include "base/mem.h"

static void node_free(void *data)
{
    struct node *node = data;
    char *const owned[] = {node->uid, node->group, node->version, node->plural, node->ns, node->name};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
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

static bool fill(char **to, const char *from)
{
    if (*to == NULL && from != NULL)
        *to = mem_string(from);
    return *to != NULL || from == NULL;
}

struct node *graph_node(struct graph *graph, const char *uid, const char *group, const char *version, const char *plural, const char *ns, const char *name)
{
    struct node *node = graph_find(graph, uid);
    if (node == NULL) {
        node = mem_zero(1, sizeof *node);
        if (node == NULL)
            return NULL;
        node->owners = vec_make(GRAPH_OWNERS, NULL);
        node->blocks = vec_make(GRAPH_OWNERS, NULL);
        node->dependents = vec_make(GRAPH_NODES, NULL);
        if (!fill(&node->uid, uid)) {
            node_free(node);
            return NULL;
        }
        if (!map_set(&graph->nodes, uid, node))
            return NULL;
    }
    bool ok = fill(&node->group, group) && fill(&node->version, version) && fill(&node->plural, plural) && fill(&node->ns, ns) && fill(&node->name, name);
    return ok ? node : NULL;
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

bool graph_set_owners(struct node *node, struct node *const *owners, const bool *blocks, size_t count)
{
    size_t at;
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
