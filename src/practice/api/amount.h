/* amount.h: arithmetic with quantities ("100m", "1Gi"), exact to the nano, and lists of them by resource name.
 */
#ifndef KT_PRACTICE_API_AMOUNT_H
#define KT_PRACTICE_API_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/units.h"
#include "data/value.h"

__extension__ typedef __int128 amount_nano;

enum amount_format { AMOUNT_DECIMAL, AMOUNT_BINARY, AMOUNT_EXPONENT };

struct amount {
    amount_nano nano;
    enum amount_format format; /* how it is printed; of a sum: the first part's that is not zero */
};

/* False: not a quantity, or beyond what any quantity may be. */
bool amount_read(const char *text, struct amount *out) __attribute__((warn_unused_result));
struct amount amount_of(int64_t whole);
struct amount amount_add(struct amount a, struct amount b);
struct amount amount_subtract(struct amount a, struct amount b);
int amount_compare(struct amount a, struct amount b);
/* The canonical text, as the real server prints it. */
void amount_print(struct amount amount, char out[static QUANTITY_TEXT]);
int64_t amount_whole(struct amount amount); /* rounded up, cut to 64 bits */

/* A list, sorted by name; each name once. */
struct amount_item {
    char *name;
    struct amount amount;
};
struct amounts {
    struct amount_item *items;
    size_t count, room;
    bool failed; /* memory ran out: not whole */
};
enum { AMOUNTS = 10000 }; /* items that it may hold */

void amounts_free(struct amounts *list); /* leaves it empty */
struct amount_item *amounts_find(const struct amounts *list, const char *name);
void amounts_set(struct amounts *list, const char *name, struct amount amount);
void amounts_add(struct amounts *list, const char *name, struct amount amount);
/* Adds, or takes the larger of, every item of another list. */
void amounts_add_all(struct amounts *list, const struct amounts *other);
void amounts_raise(struct amounts *list, const struct amounts *other);
/* The items of an object like {"cpu":"100m"}; others than quantities are passed over. */
void amounts_read(struct amounts *list, const struct value *object);
/* The same the other way; NULL: no memory. */
struct value *amounts_value(const struct amounts *list) __attribute__((warn_unused_result));

/* What a pod asks for: "requests" or "limits", init containers and sidecars counted as the scheduler does; overhead as well if wanted. */
void amounts_of_pod(const struct value *pod, const char *which, bool overhead, struct amounts *out);

#endif
