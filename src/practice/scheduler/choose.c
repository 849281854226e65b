/* choose: filters over the nodes, then scores; and what is said where none will do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "practice/scheduler/internal.h"

enum { MESSAGE = 16 << 10, ENOUGH = 100 /* with fewer nodes all are looked at */ };

/* How many nodes that would do are enough to choose from (kube-scheduler's adaptive percentage). */
static size_t enough(size_t nodes)
{
    if (nodes < ENOUGH)
        return nodes;
    size_t percent = nodes / 125 < 45 ? 50 - nodes / 125 : 5, count = nodes * percent / 100;
    return count < ENOUGH ? ENOUGH : count;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." */
static char *explain(const struct map *refusals, size_t nodes)
{
    struct map counts = map_make(SCHEDULER_NODES, mem_free);
    struct vec lines = vec_make(SCHEDULER_NODES, mem_free);
    struct buf out = buf_make(MESSAGE);
    size_t cursor = 0;
    bool ok = true;
    for (const struct map_entry *entry; (entry = map_next(refusals, &cursor)) != NULL;) {
        const struct refusal *refusal = entry->value;
        for (size_t i = 0; ok && i < refusal->count; i++) {
            size_t *number = map_get(&counts, refusal->reasons[i]);
            if (number == NULL) {
                number = mem_zero(1, sizeof *number);
                ok = number != NULL && map_set(&counts, refusal->reasons[i], number);
            }
            *(ok ? number : &(size_t){0}) += 1;
        }
    }
    cursor = 0;
    for (const struct map_entry *entry; ok && (entry = map_next(&counts, &cursor)) != NULL;) {
        char *line = mem_printf("%zu %s", *(const size_t *)entry->value, entry->key);
        ok = line != NULL && vec_push(&lines, line);
    }
    vec_sort(&lines, by_text);
    buf_printf(&out, "0/%zu nodes are available: ", nodes);
    for (size_t i = 0; i < lines.length; i++)
        buf_printf(&out, "%s%s", i > 0 ? ", " : "", (const char *)lines.items[i]);
    buf_append_string(&out, ".");
    char *text = ok && buf_ok(&out) ? mem_string(out.bytes) : NULL;
    buf_free(&out);
    vec_free(&lines);
    map_free(&counts);
    return text;
}

bool allowed(const struct scheduler *scheduler, const struct wish *wish, const struct neighbours *neighbours,
             const struct node *node, struct refusal *refusal)
{
    return filter_node(wish, node, refusal) && claims_allow(scheduler->volumes, wish, node, refusal) &&
           neighbours_allow(neighbours, wish, node, refusal);
}

static bool note(struct map *refusals, const char *name, const struct refusal *refusal)
{
    struct refusal *kept = mem_zero(1, sizeof *kept);
    if (kept == NULL)
        return false;
    *kept = *refusal;
    return map_set(refusals, name, kept);
}

struct node *choose(struct scheduler *scheduler, const struct wish *wish, char **why, struct map *refusals)
{
    struct cluster *cluster = &scheduler->cluster;
    size_t nodes = cluster->order.length, wanted = enough(nodes), found = 0;
    struct neighbours *neighbours = neighbours_new(cluster, wish);
    struct node **good = mem_zero(nodes > 0 ? nodes : 1, sizeof *good), *best = NULL;
    char message[REASON];
    bool ok = neighbours != NULL && good != NULL;
    *why = NULL;
    if (ok && nodes == 0) {
        *why = mem_string("no nodes available to schedule pods");
    } else if (ok && !claims_ready(scheduler->volumes, wish, message)) {
        *why = mem_printf("0/%zu nodes are available: %s. not found", nodes,
                          message); /* the last two words are the real one's, too */
        nodes = 0;
    }
    for (size_t i = 0; ok && i < nodes && found < wanted; i++) {
        struct node *node = cluster->order.items[(scheduler->start + i) % nodes];
        struct refusal refusal = {0};
        if (allowed(scheduler, wish, neighbours, node, &refusal))
            good[found++] = node;
        else
            ok = note(refusals, node->name, &refusal);
        if (i + 1 == nodes || found == wanted)
            scheduler->start = (scheduler->start + i + 1) % nodes;
    }
    if (ok && found > 0)
        best = best_node(wish, neighbours, good, found, &scheduler->random);
    else if (ok && *why == NULL && nodes > 0)
        *why = explain(refusals, nodes);
    neighbours_free(neighbours);
    mem_free(good);
    return best;
}
