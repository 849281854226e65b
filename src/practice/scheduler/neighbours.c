/* neighbours: what Pods want of each other, counted once for a wish: how many matching Pods each value of a topology's label
 * has (InterPodAffinity and PodTopologySpread of kube-scheduler). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/scheduler/internal.h"

struct count {
    int64_t number;
};

/* One term's counts by the topology's value. */
struct tally {
    const struct pod_term *term; /* or */
    const struct spread *spread;
    struct map counts; /* value -> struct count */
    int64_t total;
};

struct neighbours {
    struct vec near, apart, spread; /* struct tally, for wish's own required terms and spreads */
    struct map forbidden;           /* "key\n value" that others' required anti-affinity forbids */
    struct map scores;              /* "key\nvalue" -> struct count: preferred terms' weights */
    bool self_near;                 /* the Pod matches its own affinity terms: the first of a group may go anywhere */
};

static void tally_free(void *data)
{
    struct tally *tally = data;
    map_free(&tally->counts);
    mem_free(tally);
}

static struct tally *tally_new(struct vec *list, const struct pod_term *term, const struct spread *spread)
{
    struct tally *tally = mem_zero(1, sizeof *tally);
    if (tally == NULL)
        return NULL;
    *tally = (struct tally){.term = term, .spread = spread, .counts = map_make(SCHEDULER_NODES, mem_free)};
    return vec_push(list, tally) ? tally : NULL;
}

static bool count_up(struct map *counts, const char *key, int64_t by)
{
    struct count *count = map_get(counts, key);
    if (count == NULL) {
        count = mem_zero(1, sizeof *count);
        if (count == NULL || !map_set(counts, key, count))
            return false;
    }
    count->number += by;
    return true;
}

static int64_t counted(const struct map *counts, const char *key)
{
    const struct count *count = map_get(counts, key);
    return count != NULL ? count->number : 0;
}

static bool count_pair(struct map *counts, const char *key, const char *value, int64_t by)
{
    char *pair = mem_printf("%s\n%s", key, value);
    bool ok = pair != NULL && count_up(counts, pair, by);
    mem_free(pair);
    return ok;
}

/* ---- counting ---- */

static bool count_terms(const struct cluster *cluster, struct vec *tallies, const struct node *node,
                        const struct placed *placed)
{
    for (size_t i = 0; i < tallies->length; i++) {
        struct tally *tally = tallies->items[i];
        const char *value = node_label(node, tally->term->topology);
        if (value == NULL || !pod_term_matches(cluster, tally->term, placed->ns, placed->labels))
            continue;
        if (!count_up(&tally->counts, value, 1))
            return false;
        tally->total++;
    }
    return true;
}

static bool count_spreads(struct neighbours *neighbours, const struct wish *wish, const struct node *node)
{
    for (size_t i = 0; i < neighbours->spread.length; i++) {
        struct tally *tally = neighbours->spread.items[i];
        const struct spread *spread = tally->spread;
        const char *value = node_label(node, spread->topology);
        if (value == NULL || (spread->honour_affinity && !node_affinity_matches(wish, node)) ||
            (spread->honour_taints && untolerated_taint(wish, node, NULL) != NULL))
            continue;
        int64_t number = 0;
        for (size_t p = 0; p < node->placed.length; p++) {
            const struct placed *placed = node->placed.items[p];
            number += !placed->deleting && strcmp(placed->ns, wish->ns) == 0 && spread->selector != NULL &&
                      label_selector_matches_labels(spread->selector, placed->labels);
        }
        if (!count_up(&tally->counts, value, number))
            return false;
    }
    return true;
}

static bool count_preferences(const struct cluster *cluster, struct neighbours *neighbours, const struct vec *terms, int sign,
                              const struct node *node, const struct placed *placed)
{
    for (size_t i = 0; i < terms->length; i++) {
        const struct pod_term *term = terms->items[i];
        const char *value = node_label(node, term->topology);
        if (value != NULL && pod_term_matches(cluster, term, placed->ns, placed->labels) &&
            !count_pair(&neighbours->scores, term->topology, value, sign * term->weight))
            return false;
    }
    return true;
}

/* Others who want no Pod like this one near them. */
static bool count_forbidden(const struct cluster *cluster, struct neighbours *neighbours, const struct wish *wish,
                            const struct node *node, const struct placed *placed)
{
    const struct value *labels = value_find(wish->document, "metadata", "labels", NULL);
    for (size_t i = 0; i < placed->apart.length; i++) {
        const struct pod_term *term = placed->apart.items[i];
        const char *value = node_label(node, term->topology);
        if (value != NULL && pod_term_matches(cluster, term, wish->ns, labels) &&
            !count_pair(&neighbours->forbidden, term->topology, value, 1))
            return false;
    }
    return true;
}

static bool count_node(const struct cluster *cluster, struct neighbours *neighbours, const struct wish *wish,
                       const struct node *node)
{
    bool wants = wish->near.length + wish->apart.length + wish->near_wished.length + wish->apart_wished.length > 0;
    bool ok = neighbours->spread.length == 0 || count_spreads(neighbours, wish, node);
    for (size_t p = 0; ok && (wants || cluster->with_terms > 0) && p < node->placed.length; p++) {
        const struct placed *placed = node->placed.items[p];
        ok = count_terms(cluster, &neighbours->near, node, placed) && count_terms(cluster, &neighbours->apart, node, placed) &&
             count_preferences(cluster, neighbours, &wish->near_wished, 1, node, placed) &&
             count_preferences(cluster, neighbours, &wish->apart_wished, -1, node, placed) &&
             count_forbidden(cluster, neighbours, wish, node, placed);
    }
    return ok;
}

static bool begin(const struct cluster *cluster, struct neighbours *neighbours, const struct wish *wish)
{
    const struct value *labels = value_find(wish->document, "metadata", "labels", NULL);
    neighbours->self_near = true;
    for (size_t i = 0; i < wish->near.length; i++) {
        if (tally_new(&neighbours->near, wish->near.items[i], NULL) == NULL)
            return false;
        neighbours->self_near = neighbours->self_near && pod_term_matches(cluster, wish->near.items[i], wish->ns, labels);
    }
    for (size_t i = 0; i < wish->apart.length; i++)
        if (tally_new(&neighbours->apart, wish->apart.items[i], NULL) == NULL)
            return false;
    for (size_t i = 0; i < wish->spread.length; i++)
        if (tally_new(&neighbours->spread, NULL, wish->spread.items[i]) == NULL)
            return false;
    return true;
}

struct neighbours *neighbours_new(struct cluster *cluster, const struct wish *wish)
{
    struct neighbours *neighbours = mem_zero(1, sizeof *neighbours);
    if (neighbours == NULL)
        return NULL;
    neighbours->near = neighbours->apart = neighbours->spread = vec_make(SCHEDULER_PARTS, tally_free);
    neighbours->forbidden = map_make(SCHEDULER_PODS, mem_free);
    neighbours->scores = map_make(SCHEDULER_PODS, mem_free);
    bool ok = begin(cluster, neighbours, wish);
    bool needed =
        cluster->with_terms > 0 ||
        wish->near.length + wish->apart.length + wish->near_wished.length + wish->apart_wished.length + wish->spread.length > 0;
    for (size_t i = 0; ok && needed && i < cluster->order.length; i++)
        ok = count_node(cluster, neighbours, wish, cluster->order.items[i]);
    if (ok)
        return neighbours;
    neighbours_free(neighbours);
    return NULL;
}

void neighbours_free(struct neighbours *neighbours)
{
    if (neighbours == NULL)
        return;
    vec_free(&neighbours->near);
    vec_free(&neighbours->apart);
    vec_free(&neighbours->spread);
    map_free(&neighbours->forbidden);
    map_free(&neighbours->scores);
    mem_free(neighbours);
}

/* ---- asking ---- */

static bool spread_allows(const struct tally *tally, const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    const struct spread *spread = tally->spread;
    const char *value = node_label(node, spread->topology);
    int64_t least = INT64_MAX;
    size_t cursor = 0, domains = 0;
    if (!spread->hard)
        return true;
    if (value == NULL) {
        refuse(refusal, true, "node(s) didn't match pod topology spread constraints (missing required label)");
        return false;
    }
    for (const struct map_entry *entry; (entry = map_next(&tally->counts, &cursor)) != NULL; domains++) {
        int64_t number = ((const struct count *)entry->value)->number;
        least = number < least ? number : least;
    }
    if (domains == 0 || (spread->min_domains > 0 && (int64_t)domains < spread->min_domains))
        least = 0;
    bool self = spread->selector != NULL &&
                label_selector_matches_labels(spread->selector, value_find(wish->document, "metadata", "labels", NULL));
    if (counted(&tally->counts, value) + self - least <= spread->max_skew)
        return true;
    refuse(refusal, false, "node(s) didn't match pod topology spread constraints");
    return false;
}

static bool others_allow(const struct neighbours *neighbours, const struct node *node)
{
    size_t cursor = 0;
    if (neighbours->forbidden.count == 0)
        return true;
    for (const struct map_entry *entry; (entry = map_next(&neighbours->forbidden, &cursor)) != NULL;) {
        const char *end = strchr(entry->key, '\n');
        char *key = mem_string_n(entry->key, (size_t)(end - entry->key));
        const char *value = key != NULL ? node_label(node, key) : NULL;
        bool there = value != NULL && strcmp(value, end + 1) == 0;
        mem_free(key);
        if (there)
            return false;
    }
    return true;
}

static bool near_allows(const struct neighbours *neighbours, const struct node *node)
{
    bool all = true, none_anywhere = true;
    for (size_t i = 0; i < neighbours->near.length; i++) {
        const struct tally *tally = neighbours->near.items[i];
        const char *value = node_label(node, tally->term->topology);
        if (value == NULL)
            return false;
        all = all && counted(&tally->counts, value) > 0;
        none_anywhere = none_anywhere && tally->total == 0;
    }
    return all || (none_anywhere && neighbours->self_near);
}

bool neighbours_allow(const struct neighbours *neighbours, const struct wish *wish, const struct node *node,
                      struct refusal *refusal)
{
    for (size_t i = 0; i < neighbours->spread.length; i++)
        if (!spread_allows(neighbours->spread.items[i], wish, node, refusal))
            return false;
    if (!near_allows(neighbours, node)) {
        refuse(refusal, true, "node(s) didn't match pod affinity rules");
        return false;
    }
    for (size_t i = 0; i < neighbours->apart.length; i++) {
        const struct tally *tally = neighbours->apart.items[i];
        const char *value = node_label(node, tally->term->topology);
        if (value != NULL && counted(&tally->counts, value) > 0) {
            refuse(refusal, false, "node(s) didn't match pod anti-affinity rules");
            return false;
        }
    }
    if (!others_allow(neighbours, node)) {
        refuse(refusal, false, "node(s) didn't satisfy existing pods anti-affinity rules");
        return false;
    }
    return true;
}

int64_t neighbours_affinity_score(const struct neighbours *neighbours, const struct node *node)
{
    int64_t score = 0;
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(&neighbours->scores, &cursor)) != NULL;) {
        const char *end = strchr(entry->key, '\n');
        char *key = mem_string_n(entry->key, (size_t)(end - entry->key));
        const char *value = key != NULL ? node_label(node, key) : NULL;
        if (value != NULL && strcmp(value, end + 1) == 0)
            score += ((const struct count *)entry->value)->number;
        mem_free(key);
    }
    return score;
}

int64_t neighbours_spread_score(const struct neighbours *neighbours, const struct node *node)
{
    int64_t score = 0;
    for (size_t i = 0; i < neighbours->spread.length; i++) {
        const struct tally *tally = neighbours->spread.items[i];
        const char *value = !tally->spread->hard ? node_label(node, tally->spread->topology) : NULL;
        score += value != NULL ? counted(&tally->counts, value) : 0;
    }
    return score;
}
