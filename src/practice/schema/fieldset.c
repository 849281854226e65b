#include "practice/schema/fieldset.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK = 16384 };

struct arena_block {
    struct arena_block *next;
    max_align_t start[];
};

struct arena_value {
    struct arena_value *next;
    struct value *value;
};

struct arena arena_make(void)
{
    return (struct arena){.blocks = NULL};
}

void arena_free(struct arena *arena)
{
    for (struct arena_value *owned = arena->values; owned != NULL; owned = owned->next)
        value_free(owned->value);
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        mem_free(arena->blocks);
        arena->blocks = next;
    }
    *arena = arena_make();
}

void *arena_get(struct arena *arena, size_t size)
{
    size = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    if (arena->at == NULL || size > (size_t)(arena->end - arena->at)) {
        size_t room = size > BLOCK ? size : BLOCK;
        struct arena_block *block = room > SIZE_MAX - sizeof *block ? NULL : mem_alloc(sizeof *block + room);
        if (block == NULL) {
            arena->failed = true;
            return NULL;
        }
        block->next = arena->blocks;
        arena->blocks = block;
        arena->at = (char *)block->start;
        arena->end = arena->at + room;
    }
    void *memory = arena->at;
    arena->at += size;
    return memory;
}

struct value *arena_own(struct arena *arena, struct value *v)
{
    struct arena_value *owned = v != NULL ? arena_get(arena, sizeof *owned) : NULL;
    if (owned == NULL) {
        arena->failed = true;
        value_free(v);
        return NULL;
    }
    *owned = (struct arena_value){.next = arena->values, .value = v};
    arena->values = owned;
    return v;
}

static int rank_of(enum value_type type)
{
    static const int ranks[] = {[VALUE_NUMBER] = 0, [VALUE_STRING] = 1, [VALUE_BOOL] = 2,   [VALUE_ARRAY] = 3,
                                [VALUE_OBJECT] = 4, [VALUE_NULL] = 5,   [VALUE_MISSING] = 6};
    return ranks[type];
}

static int compare_numbers(const struct value *a, const struct value *b)
{
    int64_t i, j;
    double x = 0, y = 0;
    if (value_as_int(a, &i) && value_as_int(b, &j))
        return i < j ? -1 : i > j;
    (void)(value_as_double(a, &x) && value_as_double(b, &y));
    return x < y ? -1 : x > y;
}

int field_value_compare(const struct value *a, const struct value *b)
{
    enum value_type type = value_type(a);
    if (type != value_type(b))
        return rank_of(type) - rank_of(value_type(b));
    if (type == VALUE_NUMBER)
        return compare_numbers(a, b);
    if (type == VALUE_STRING)
        return strcmp(value_text(a), value_text(b));
    if (type == VALUE_BOOL)
        return value_is_true(a) - value_is_true(b);
    /* No list or object is a key of the kinds that there are; managedFields that somebody made up may say so. */
    const struct value *x = value_first(a), *y = value_first(b);
    for (; x != NULL && y != NULL; x = value_next(x), y = value_next(y)) {
        int order = type == VALUE_OBJECT ? strcmp(value_key(x), value_key(y)) : 0;
        order = order != 0 ? order : field_value_compare(x, y);
        if (order != 0)
            return order;
    }
    return (x != NULL) - (y != NULL);
}

int field_compare(const struct field_element *a, const struct field_element *b)
{
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->type == FIELD_NAME)
        return *a->name != *b->name ? (unsigned char)*a->name - (unsigned char)*b->name : strcmp(a->name, b->name);
    if (a->type == FIELD_VALUE)
        return field_value_compare(a->value, b->value);
    if (a->type == FIELD_INDEX)
        return a->index < b->index ? -1 : a->index > b->index;
    for (unsigned i = 0; i < a->key_count && i < b->key_count; i++) {
        int order = strcmp(a->keys[i].name, b->keys[i].name);
        order = order != 0 ? order : field_value_compare(a->keys[i].value, b->keys[i].value);
        if (order != 0)
            return order;
    }
    return a->key_count < b->key_count ? -1 : a->key_count > b->key_count;
}

void fieldset_add(struct arena *arena, struct fieldset_list *list, const struct field_element *element, bool member,
                  const struct fieldset *children)
{
    struct fieldset *node = member || children != NULL ? arena_get(arena, sizeof *node) : NULL;
    if (node == NULL)
        return;
    *node = (struct fieldset){.element = *element, .member = member, .children = children};
    if (list->last == NULL)
        list->first = node;
    else
        list->last->next = node;
    list->last = node;
}

/* Walks two sets side by side: each element of either once, with the node of each that has it. */
struct pair {
    const struct fieldset *a, *b;       /* still to come */
    const struct fieldset *in_a, *in_b; /* this one; NULL: not in that set */
    const struct field_element *element;
};

static bool next_pair(struct pair *pair)
{
    if (pair->a == NULL && pair->b == NULL)
        return false;
    int order = pair->b == NULL ? -1 : pair->a == NULL ? 1 : field_compare(&pair->a->element, &pair->b->element);
    pair->in_a = order <= 0 ? pair->a : NULL;
    pair->in_b = order >= 0 ? pair->b : NULL;
    pair->element = &(order <= 0 ? pair->a : pair->b)->element;
    pair->a = order <= 0 ? pair->a->next : pair->a;
    pair->b = order >= 0 ? pair->b->next : pair->b;
    return true;
}

const struct fieldset *fieldset_union(struct arena *arena, const struct fieldset *a, const struct fieldset *b)
{
    struct fieldset_list list = {.first = NULL};
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    for (struct pair pair = {.a = a, .b = b}; next_pair(&pair);) {
        const struct fieldset *x = pair.in_a, *y = pair.in_b;
        fieldset_add(arena, &list, pair.element, (x != NULL && x->member) || (y != NULL && y->member),
                     fieldset_union(arena, x != NULL ? x->children : NULL, y != NULL ? y->children : NULL));
    }
    return list.first;
}

const struct fieldset *fieldset_intersection(struct arena *arena, const struct fieldset *a, const struct fieldset *b)
{
    struct fieldset_list list = {.first = NULL};
    for (struct pair pair = {.a = a, .b = b}; pair.a != NULL && pair.b != NULL && next_pair(&pair);)
        if (pair.in_a != NULL && pair.in_b != NULL)
            fieldset_add(arena, &list, pair.element, pair.in_a->member && pair.in_b->member,
                         fieldset_intersection(arena, pair.in_a->children, pair.in_b->children));
    return list.first;
}

const struct fieldset *fieldset_difference(struct arena *arena, const struct fieldset *a, const struct fieldset *b)
{
    struct fieldset_list list = {.first = NULL};
    if (a == NULL || b == NULL)
        return a;
    for (struct pair pair = {.a = a, .b = b}; pair.a != NULL && next_pair(&pair);) {
        const struct fieldset *x = pair.in_a, *y = pair.in_b;
        if (x == NULL)
            continue;
        bool taken = y != NULL && y->member;
        fieldset_add(arena, &list, pair.element, x->member && !taken,
                     fieldset_difference(arena, x->children, y != NULL ? y->children : NULL));
    }
    return list.first;
}

const struct fieldset *fieldset_find(const struct fieldset *set, const struct field_element *element)
{
    for (; set != NULL; set = set->next) {
        int order = field_compare(&set->element, element);
        if (order >= 0)
            return order == 0 ? set : NULL;
    }
    return NULL;
}
