#include "practice/api/amount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const amount_nano one = 1000000000;
/* Go keeps quantities within 2^63 - 1; a little more is kept here, and sums of many fit, too. */
static const amount_nano most = (amount_nano)INT64_MAX * 1000000000;

static bool decimal_suffix(const char *suffix, int *exponent)
{
    static const struct {
        const char *suffix;
        int exponent;
    } table[] = {{"", 0}, {"n", -9}, {"u", -6}, {"m", -3}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}, {"P", 15}, {"E", 18}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(suffix, table[i].suffix) == 0) {
            *exponent = table[i].exponent;
            return true;
        }
    }
    return false;
}

static int binary_suffix(const char *suffix)
{
    static const char letters[] = "KMGTPE";
    const char *at = suffix[0] != '\0' && suffix[1] == 'i' && suffix[2] == '\0' ? strchr(letters, suffix[0]) : NULL;
    return at != NULL ? (int)(at - letters + 1) : 0;
}

/* mantissa * 10^exponent nano, rounded up; cut at the most. */
static amount_nano scale(amount_nano mantissa, int exponent)
{
    bool more = false;
    for (; exponent > 0 && mantissa <= most; exponent--)
        mantissa *= 10;
    for (; exponent < 0; exponent++) {
        more = more || mantissa % 10 != 0;
        mantissa /= 10;
    }
    mantissa += more ? 1 : 0;
    return mantissa < most ? mantissa : most;
}

bool amount_read(const char *text, struct amount *out)
{
    if (!quantity_valid(text))
        return false;
    bool negative = *text == '-';
    text += *text == '-' || *text == '+' ? 1 : 0;
    amount_nano mantissa = 0;
    int exponent = 9;
    bool fraction = false;
    for (; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
        if (*text == '.') {
            fraction = true;
        } else if (mantissa <= most) {
            mantissa = mantissa * 10 + (*text - '0');
            exponent -= fraction ? 1 : 0;
        } else {
            exponent += fraction ? 0 : 1;
        }
    }
    int binary = binary_suffix(text), power = 0;
    out->format = binary > 0 ? AMOUNT_BINARY : AMOUNT_DECIMAL;
    for (int i = 0; i < binary; i++)
        mantissa = mantissa <= most ? mantissa * 1024 : mantissa;
    if (binary == 0 && !decimal_suffix(text, &power)) {
        power = (int)strtol(text + 1, NULL, 10);
        out->format = AMOUNT_EXPONENT;
    }
    out->nano = scale(mantissa, exponent + power);
    if (negative)
        out->nano = -out->nano;
    return true;
}

struct amount amount_of(int64_t whole)
{
    return (struct amount){.nano = whole * one};
}

struct amount amount_add(struct amount a, struct amount b)
{
    return (struct amount){.nano = a.nano + b.nano, .format = a.nano != 0 ? a.format : b.format};
}

struct amount amount_subtract(struct amount a, struct amount b)
{
    return (struct amount){.nano = a.nano - b.nano, .format = a.nano != 0 ? a.format : b.format};
}

int amount_compare(struct amount a, struct amount b)
{
    return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

int64_t amount_whole(struct amount amount)
{
    amount_nano whole = amount.nano / one + (amount.nano > 0 && amount.nano % one != 0 ? 1 : 0);
    return whole > INT64_MAX ? INT64_MAX : whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
}

void amount_print(struct amount amount, char out[static QUANTITY_TEXT])
{
    char plain[96];
    int64_t whole = amount_whole(amount);
    bool large = whole >= 1024 || whole <= -1024;
    if (amount.format == AMOUNT_BINARY && large && whole % 1024 == 0) {
        snprintf(plain, sizeof plain, "%lldKi", (long long)(whole / 1024));
    } else if (amount.format == AMOUNT_BINARY && large) {
        snprintf(plain, sizeof plain, "%lld", (long long)whole);
    } else {
        amount_nano size = amount.nano < 0 ? -amount.nano : amount.nano;
        snprintf(plain, sizeof plain, "%s%llu.%09llu%s", amount.nano < 0 ? "-" : "", (unsigned long long)(size / one),
                 (unsigned long long)(size % one), amount.format == AMOUNT_EXPONENT ? "e0" : "");
    }
    if (!quantity_canonical(plain, QUANTITY_NANO, out))
        snprintf(out, QUANTITY_TEXT, "%s", "0");
}

void amounts_free(struct amounts *list)
{
    for (size_t i = 0; i < list->count; i++)
        mem_free(list->items[i].name);
    mem_free(list->items);
    *list = (struct amounts){0};
}

/* Where the name stands, or would. */
static size_t position(const struct amounts *list, const char *name)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(list->items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct amount_item *amounts_find(const struct amounts *list, const char *name)
{
    size_t at = position(list, name);
    return at < list->count && strcmp(list->items[at].name, name) == 0 ? &list->items[at] : NULL;
}

void amounts_set(struct amounts *list, const char *name, struct amount amount)
{
    struct amount_item *old = amounts_find(list, name);
    if (old != NULL) {
        old->amount = amount;
        return;
    }
    if (list->count == list->room) {
        size_t room = list->room > 0 ? list->room * 2 : 8;
        struct amount_item *items = room <= AMOUNTS ? mem_resize(list->items, room * sizeof *items) : NULL;
        if (items == NULL) {
            list->failed = true;
            return;
        }
        list->items = items;
        list->room = room;
    }
    char *copy = mem_string(name);
    if (copy == NULL) {
        list->failed = true;
        return;
    }
    size_t at = position(list, name);
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
    list->items[at] = (struct amount_item){.name = copy, .amount = amount};
    list->count++;
}

void amounts_add(struct amounts *list, const char *name, struct amount amount)
{
    const struct amount_item *old = amounts_find(list, name);
    amounts_set(list, name, old != NULL ? amount_add(old->amount, amount) : amount);
}

void amounts_add_all(struct amounts *list, const struct amounts *other)
{
    for (size_t i = 0; i < other->count; i++)
        amounts_add(list, other->items[i].name, other->items[i].amount);
    list->failed = list->failed || other->failed;
}

void amounts_raise(struct amounts *list, const struct amounts *other)
{
    for (size_t i = 0; i < other->count; i++) {
        const struct amount_item *old = amounts_find(list, other->items[i].name);
        if (old == NULL || amount_compare(old->amount, other->items[i].amount) < 0)
            amounts_set(list, other->items[i].name, other->items[i].amount);
    }
    list->failed = list->failed || other->failed;
}

void amounts_read(struct amounts *list, const struct value *object)
{
    for (const struct value *entry = value_first(object); entry != NULL; entry = value_next(entry)) {
        struct amount amount;
        if (value_key(entry) != NULL && value_text(entry) != NULL && amount_read(value_text(entry), &amount))
            amounts_set(list, value_key(entry), amount);
    }
}

struct value *amounts_value(const struct amounts *list)
{
    struct value *object = list->failed ? NULL : value_object();
    for (size_t i = 0; object != NULL && i < list->count; i++) {
        char text[QUANTITY_TEXT];
        amount_print(list->items[i].amount, text);
        if (!value_set(object, list->items[i].name, value_string(text))) {
            value_free(object);
            return NULL;
        }
    }
    return object;
}

static bool is_sidecar(const struct value *container)
{
    const char *policy = value_find_text(container, "restartPolicy", NULL);
    return policy != NULL && strcmp(policy, "Always") == 0;
}

/* Init containers run one after the other, beside the sidecars that started before them. */
static void add_init_containers(const struct value *spec, const char *which, struct amounts *out)
{
    struct amounts sidecars = {0}, highest = {0};
    for (const struct value *container = value_first(value_get(spec, "initContainers")); container != NULL;
         container = value_next(container)) {
        struct amounts now = {0};
        amounts_read(&now, value_find(container, "resources", which, NULL));
        if (is_sidecar(container)) {
            amounts_add_all(out, &now);
            amounts_add_all(&sidecars, &now);
            amounts_raise(&highest, &sidecars);
        } else {
            amounts_add_all(&now, &sidecars);
            amounts_raise(&highest, &now);
        }
        amounts_free(&now);
    }
    amounts_raise(out, &highest);
    amounts_free(&sidecars);
    amounts_free(&highest);
}

void amounts_of_pod(const struct value *pod, const char *which, bool overhead, struct amounts *out)
{
    const struct value *spec = value_get(pod, "spec");
    for (const struct value *container = value_first(value_get(spec, "containers")); container != NULL;
         container = value_next(container)) {
        struct amounts now = {0};
        amounts_read(&now, value_find(container, "resources", which, NULL));
        amounts_add_all(out, &now);
        amounts_free(&now);
    }
    add_init_containers(spec, which, out);
    amounts_read(out, value_find(spec, "resources", which, NULL)); /* the pod's own say stands above the containers' */
    struct amounts more = {0};
    if (overhead)
        amounts_read(&more, value_get(spec, "overhead"));
    bool limits = strcmp(which, "limits") == 0;
    for (size_t i = 0; i < more.count; i++) {
        const struct amount_item *has = amounts_find(out, more.items[i].name);
        if (!limits || (has != NULL && has->amount.nano != 0))
            amounts_add(out, more.items[i].name, more.items[i].amount);
    }
    out->failed = out->failed || more.failed;
    amounts_free(&more);
}
