/* Resource names and quantities (pkg/apis/core/helper). Quantities are canonical texts (decode.h): a fraction of one shows in their suffix. */
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "data/units.h"
#include "practice/schema/rules_internal.h"

enum { CLAIMS_TOLD = 64 };

static const char *const container_resources[] = {"cpu", "memory", "ephemeral-storage", NULL};
static const char *const standard_resources[] = {
    "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory",
    "limits.ephemeral-storage", "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
    "storage", "requests.storage", "services.nodeports", "services.loadbalancers", NULL,
};
static const char *const counted_resources[] = {
    "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports",
    "services.loadbalancers", NULL,
};

bool quantity_negative(const char *text)
{
    return text[0] == '-';
}

bool quantity_zero(const char *text)
{
    int order;
    return quantity_compare(text, "0", &order) && order == 0;
}

/* No fraction of one. */
static bool quantity_whole(const char *text)
{
    size_t length = strlen(text);
    return length == 0 || strchr("mun", text[length - 1]) == NULL;
}

double quantity_double(const char *text)
{
    static const char suffixes[] = "kMGTPE", fine[] = "mun";
    char *end;
    double number = number_read_double(text, &end);
    const char *suffix = *end != '\0' ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL, *part = *end != '\0' ? strchr(fine, *end) : NULL;
    for (const char *step = suffixes; suffix != NULL && step <= suffix; step++)
        number *= end[1] == 'i' ? 1024 : 1000;
    for (const char *step = fine; part != NULL && step <= part; step++)
        number /= 1000;
    return number;
}

int64_t quantity_number(const char *text)
{
    double number = quantity_double(text), whole = (double)(int64_t)number;
    return (int64_t)whole + (number > whole ? 1 : number < whole ? -1 : 0);
}

bool resource_is_huge_page(const char *name)
{
    return starts_with(name, "hugepages-");
}

static bool resource_is_native(const char *name)
{
    return strchr(name, '/') == NULL || strstr(name, "kubernetes.io/") != NULL;
}

bool resource_may_overcommit(const char *name)
{
    return resource_is_native(name) && !resource_is_huge_page(name);
}

static bool is_quota_huge_page(const char *name)
{
    return resource_is_huge_page(name) || starts_with(name, "requests.hugepages-");
}

/* An extended resource's name must be good with "requests." in front, too. */
static bool is_extended(const char *name)
{
    char for_quota[512] = "requests.";
    if (resource_is_native(name) || starts_with(name, "requests.") || strlen(name) + strlen(for_quota) >= sizeof for_quota)
        return false;
    memcpy(for_quota + strlen("requests."), name, strlen(name) + 1);
    return name_qualified(for_quota).count == 0;
}

void check_quantity(struct problems *problems, const char *resource, const struct value *quantity, const struct place *place)
{
    const char *text = value_text(quantity);
    if (text == NULL)
        return;
    if (quantity_negative(text))
        problem_invalid(problems, place, text, "must be greater than or equal to 0");
    if ((one_of(resource, counted_resources) || is_extended(resource)) && !quantity_whole(text))
        problem_invalid(problems, place, text, "must be an integer");
}

/* True: nothing is wrong so far. */
static bool check_any_name(struct problems *problems, const char *name, const struct place *place)
{
    if (!name_problems(problems, place, name, name_qualified(name)))
        return false;
    if (strchr(name, '/') != NULL || one_of(name, standard_resources) || is_quota_huge_page(name))
        return true;
    problem_invalid(problems, place, name, "must be a standard resource type or fully qualified");
    return false;
}

void check_resource_name(struct problems *problems, const char *name, const struct place *place)
{
    check_any_name(problems, name, place);
}

void check_container_resource_name(struct problems *problems, const char *name, const struct place *place)
{
    check_any_name(problems, name, place);
    if (strchr(name, '/') == NULL) {
        if (!one_of(name, container_resources) && !resource_is_huge_page(name))
            problem_invalid(problems, place, name, "must be a standard resource for containers");
    } else if (!resource_is_native(name) && !is_extended(name)) {
        problem_invalid(problems, place, name, "doesn't follow extended resource name standard");
    }
}

void check_quota_resource_name(struct problems *problems, const char *name, const struct place *place)
{
    check_any_name(problems, name, place);
    bool standard = one_of(name, standard_resources) && strcmp(name, "storage") != 0;
    if (strchr(name, '/') == NULL && !standard && !is_quota_huge_page(name))
        problem_invalid(problems, place, name, "must be a standard resource for quota");
}

static void check_pod_resource_name(struct problems *problems, const char *name, const struct place *place)
{
    static const char *const supported[] = {"cpu", "hugepages-", "memory", NULL};
    if (check_any_name(problems, name, place) && strcmp(name, "cpu") != 0 && strcmp(name, "memory") != 0 && !resource_is_huge_page(name))
        problem_unsupported(problems, place, name, supported);
}

/* Whether a quantity of huge pages is a multiple of their size, as far as 64 bits tell. */
static bool is_divisible(const char *name, const char *quantity)
{
    static const char suffixes[] = "KMGTPE";
    uint64_t numbers[2];
    const char *texts[2] = {name + strlen("hugepages-"), quantity};
    for (size_t i = 0; i < 2; i++) {
        char *end;
        numbers[i] = strtoull(texts[i], &end, 10);
        const char *suffix = *end != '\0' ? strchr(suffixes, *end == 'k' ? 'K' : *end) : NULL;
        bool binary = *end != '\0' && end[1] == 'i';
        if (*end != '\0' && suffix == NULL)
            return false;
        for (const char *step = suffixes; suffix != NULL && step <= suffix; step++)
            numbers[i] *= binary ? 1024 : 1000;
    }
    return numbers[0] != 0 && numbers[1] % numbers[0] == 0;
}

static void check_amount(struct problems *problems, const struct value *quantity, const struct place *place, bool of_pod)
{
    const char *name = value_key(quantity), *text = value_text(quantity);
    (of_pod ? check_pod_resource_name : check_container_resource_name)(problems, name, place);
    check_quantity(problems, name, quantity, place);
    if (resource_is_huge_page(name) && !is_divisible(name, text))
        problem_invalid(problems, place, text, "%s is not positive integer multiple of %s", text, name);
}

static void check_request(struct problems *problems, const struct value *request, const struct value *limits, const struct place *place)
{
    const char *name = value_key(request), *text = value_text(request), *limit = value_text(value_get(limits, name));
    const struct place limits_at = place_key(place, "limits"), requests_at = place_key(place, "requests");
    int order = 0;
    if (limit == NULL) {
        if (!resource_may_overcommit(name))
            problem_required(problems, &limits_at, NULL, "Limit must be set for non overcommitable resources");
    } else if (quantity_compare(text, limit, &order)) {
        if (order != 0 && !resource_may_overcommit(name))
            problem_invalid(problems, &requests_at, text, "must be equal to %s limit of %s", name, limit);
        else if (order > 0)
            problem_invalid(problems, &requests_at, text, "must be less than or equal to %s limit of %s", name, limit);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "must be one of the names in pod.spec.resourceClaims: a, b" */
static void problem_claim(struct problems *problems, const struct place *place, const char *name, const struct value *known)
{
    const char *names[CLAIMS_TOLD], *previous = "";
    struct buf words = buf_make(4096);
    size_t count = 0;
    EACH (claim, known)
        if (count < CLAIMS_TOLD)
            names[count++] = text_of(claim, "name");
    buf_append_string(&words, "must be one of the names in pod.spec.resourceClaims");
    if (count == 0)
        buf_append_string(&words, " which is empty");
    qsort(names, count, sizeof names[0], compare_names);
    for (size_t i = 0; i < count; previous = names[i++])
        if (i == 0 || strcmp(names[i], previous) != 0)
            buf_printf(&words, "%s%s", i == 0 ? ": " : ", ", names[i]);
    struct value *shown = value_string(name);
    if (shown == NULL || !buf_ok(&words))
        problems->failed = true;
    else
        problem_add(problems, place, PROBLEM_NOT_FOUND, shown, "%s", words.bytes);
    value_free(shown);
    buf_free(&words);
}

static void check_claims(struct problems *problems, const struct value *claims, const struct value *known, const struct place *place)
{
    const struct place claims_at = place_key(place, "claims");
    size_t i = 0;
    EACH (claim, claims) {
        const struct place at = place_index(&claims_at, i++);
        const char *name = text_of(claim, "name");
        bool found = false;
        EACH (other, known)
            found = found || text_is(other, "name", name);
        if (*name == '\0') {
            problem_required(problems, &at, NULL, NULL);
            continue;
        }
        if (*text_of(claim, "request") != '\0')
            check_name(problems, claim, &at, "request", name_label, true);
        for (const struct value *other = value_first(claims); other != claim; other = value_next(other))
            if (same_at(other, claim, "name") && (!has(other, "request") || !has(claim, "request") || same_at(other, claim, "request")))
                problem_string(problems, &at, PROBLEM_DUPLICATE, name);
        if (!found)
            problem_claim(problems, &at, name, known);
    }
}

bool round_amounts(struct value *list)
{
    char rounded[QUANTITY_TEXT];
    for (struct value *amount = value_first(list), *next; amount != NULL; amount = next) {
        next = value_next(amount);
        const char *text = value_text(amount);
        if (text != NULL && quantity_canonical(text, QUANTITY_MILLI, rounded) && strcmp(text, rounded) != 0 &&
            !value_replace(list, amount, value_string(rounded)))
            return false;
    }
    return true;
}

bool round_resources(struct value *resources)
{
    return round_amounts(value_get(resources, "limits")) && round_amounts(value_get(resources, "requests"));
}

void check_resources(struct problems *problems, const struct value *resources, const struct place *place, const struct value *claims, bool of_pod)
{
    const struct value *limits = value_get(resources, "limits"), *requests = value_get(resources, "requests");
    const struct place limits_at = place_key(place, "limits"), requests_at = place_key(place, "requests");
    bool computes = false, huge = false;
    EACH (limit, limits) {
        const struct place at = place_map(&limits_at, value_key(limit));
        check_amount(problems, limit, &at, of_pod);
        computes = computes || strcmp(value_key(limit), "cpu") == 0 || strcmp(value_key(limit), "memory") == 0;
        huge = huge || resource_is_huge_page(value_key(limit));
    }
    EACH (request, requests) {
        const struct place at = place_map(&requests_at, value_key(request));
        (of_pod ? check_pod_resource_name : check_container_resource_name)(problems, value_key(request), &at);
        check_quantity(problems, value_key(request), request, &at);
        check_request(problems, request, limits, place);
        if (resource_is_huge_page(value_key(request)) && !is_divisible(value_key(request), value_text(request)))
            problem_invalid(problems, &at, value_text(request), "%s is not positive integer multiple of %s", value_text(request), value_key(request));
        computes = computes || strcmp(value_key(request), "cpu") == 0 || strcmp(value_key(request), "memory") == 0;
        huge = huge || resource_is_huge_page(value_key(request));
    }
    if (huge && !computes)
        problem_forbidden(problems, place, NULL, "HugePages require cpu or memory");
    check_claims(problems, value_get(resources, "claims"), claims, place);
}

void warn_fraction(struct vec *warnings, const struct value *list, const struct place *place, const char *resource)
{
    const char *text = value_text(value_get(list, resource));
    const struct place at = place_map(place, resource);
    if (text != NULL && !quantity_whole(text))
        warning_at(warnings, &at, "fractional byte value \"%s\" is invalid, must be an integer", text);
}
