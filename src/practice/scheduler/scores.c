/* scores: of several nodes that would do, the best: 0 to 100 from each plug-in of kube-scheduler's default profile, times its
 * weight. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/scheduler/internal.h"

enum { BEST = 100 };

typedef int64_t score_fn(const struct wish *wish, const struct neighbours *neighbours, const struct node *node);

static int64_t taint_score(const struct wish *wish, const struct neighbours *neighbours, const struct node *node)
{
    (void)neighbours;
    return untolerated_preferences(wish, node);
}

static int64_t affinity_score(const struct wish *wish, const struct neighbours *neighbours, const struct node *node)
{
    int64_t score = 0;
    (void)neighbours;
    const struct value *list =
        value_find(wish->spec, "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution", NULL);
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (node_term_matches(value_get(item, "preference"), node))
            score += value_find_int(item, 0, "weight", NULL);
    return score;
}

static int64_t spread_score(const struct wish *wish, const struct neighbours *neighbours, const struct node *node)
{
    (void)wish;
    return neighbours_spread_score(neighbours, node);
}

static int64_t neighbour_score(const struct wish *wish, const struct neighbours *neighbours, const struct node *node)
{
    (void)wish;
    return neighbours_affinity_score(neighbours, node);
}

static int64_t free_part(int64_t room, int64_t taken)
{
    return room <= 0 || taken > room ? 0 : (room - taken) * BEST / room;
}

/* LeastAllocated */
static int64_t room_score(const struct wish *wish, const struct neighbours *neighbours, const struct node *node)
{
    (void)neighbours;
    return (free_part(node->room.cpu, node->used.guess_cpu + wish->need.guess_cpu) +
            free_part(node->room.memory, node->used.guess_memory + wish->need.guess_memory)) /
           2;
}

/* BalancedAllocation: the standard deviation of two parts is half their distance. */
static int64_t balance_score(const struct wish *wish, const struct neighbours *neighbours, const struct node *node)
{
    (void)neighbours;
    if (node->room.cpu <= 0 || node->room.memory <= 0)
        return 0;
    double cpu = (double)(node->used.cpu + wish->need.cpu) / (double)node->room.cpu,
           memory = (double)(node->used.memory + wish->need.memory) / (double)node->room.memory;
    cpu = cpu > 1 ? 1 : cpu;
    memory = memory > 1 ? 1 : memory;
    double distance = cpu > memory ? cpu - memory : memory - cpu;
    return (int64_t)((1 - distance / 2) * BEST);
}

/* How raw scores become 0 to 100: as they are; by the largest; by the largest, and less is better; between the least and the
 * largest. */
enum shape { AS_IS, BY_MOST, FEWER, BETWEEN };

static const struct plugin {
    score_fn *score;
    enum shape shape;
    int weight;
} plugins[] = {
    {taint_score, FEWER, 3},       {affinity_score, BY_MOST, 2}, {spread_score, FEWER, 2},
    {neighbour_score, BETWEEN, 2}, {room_score, AS_IS, 1},       {balance_score, AS_IS, 1},
};

static int64_t shaped(enum shape shape, int64_t raw, int64_t least, int64_t most)
{
    switch (shape) {
    case BY_MOST:
        return most > 0 ? raw * BEST / most : 0;
    case FEWER:
        return most > 0 ? BEST - raw * BEST / most : BEST;
    case BETWEEN:
        return most > least ? (raw - least) * BEST / (most - least) : 0;
    case AS_IS:
        break;
    }
    return raw;
}

struct node *best_node(const struct wish *wish, const struct neighbours *neighbours, struct node *const *nodes, size_t count,
                       uint32_t *random)
{
    int64_t *sums = mem_zero(2 * count, sizeof *sums), *raw = sums != NULL ? sums + count : NULL;
    struct node *best = nodes[0];
    int64_t most_points = -1;
    uint32_t equals = 0;
    for (size_t p = 0; sums != NULL && p < sizeof plugins / sizeof *plugins; p++) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (size_t i = 0; i < count; i++) {
            raw[i] = plugins[p].score(wish, neighbours, nodes[i]);
            least = raw[i] < least ? raw[i] : least;
            most = raw[i] > most ? raw[i] : most;
        }
        for (size_t i = 0; i < count; i++)
            sums[i] += plugins[p].weight * shaped(plugins[p].shape, raw[i], least, most);
    }
    for (size_t i = 0; sums != NULL && i < count; i++) { /* of equals any, each with the same chance */
        *random = *random * 1664525 + 1013904223;
        if (sums[i] > most_points) {
            most_points = sums[i];
            best = nodes[i];
            equals = 1;
        } else if (sums[i] == most_points && (((uint64_t)*random * ++equals) >> 32) == 0) {
            best = nodes[i];
        }
    }
    mem_free(sums);
    return best;
}
