/* Small ones about pods and nodes: Priority, DefaultTolerationSeconds, RuntimeClass, TaintNodesByCondition. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/admission_internal.h"
#include "practice/api/amount.h"

#define SCHEDULING "scheduling.k8s.io"

/* The class that is the default: of several the one with the least value. Owned by the caller; NULL with *ok true: there is
 * none. */
static struct value *default_class(struct admission *admission, bool *ok)
{
    struct value *found = NULL;
    for (const struct object *object = NULL;
         *ok && (object = lookup_next(admission->api, SCHEDULING, "priorityclasses", NULL, object)) != NULL;) {
        if (strstr(object->text, "\"globalDefault\":true") == NULL)
            continue;
        struct value *class = lookup_value(object);
        *ok = class != NULL;
        if (value_is_true(value_get(class, "globalDefault")) &&
            (found == NULL || value_find_int(class, 0, "value", NULL) < value_find_int(found, 0, "value", NULL))) {
            value_free(found);
            found = class;
        } else {
            value_free(class);
        }
    }
    return found;
}

static struct value *class_of(struct admission *admission, bool *ok)
{
    const char *name = admission_text(value_get(admission->object, "spec"), "priorityClassName");
    if (*name == '\0')
        return default_class(admission, ok);
    const struct object *object = lookup(admission->api, SCHEDULING, "priorityclasses", "", name);
    struct value *class = object != NULL ? lookup_value(object) : NULL;
    *ok = class != NULL;
    if (object == NULL)
        admission_forbid(admission, "no PriorityClass with name %s was found", name);
    return class;
}

static bool keep(struct value *spec, const struct value *old, const char *key)
{
    return value_get(spec, key) != NULL || value_get(old, key) == NULL || value_set(spec, key, value_copy(value_get(old, key)));
}

static bool set_priority(struct admission *admission, struct value *spec, const struct value *class)
{
    int64_t priority = value_find_int(class, 0, "value", NULL), given;
    const char *policy = class != NULL ? admission_text(class, "preemptionPolicy") : "PreemptLowerPriority",
               *wanted = admission_text(spec, "preemptionPolicy");
    if (value_as_int(value_get(spec, "priority"), &given) && given != priority)
        return admission_forbid(admission,
                                "the integer value of priority (%" PRId64
                                ") must not be provided in pod spec; priority admission controller computed %" PRId64
                                " from the given PriorityClass name",
                                given, priority);
    if (*policy != '\0' && *wanted != '\0' && strcmp(policy, wanted) != 0)
        return admission_forbid(admission,
                                "the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority "
                                "admission controller computed %s from the given PriorityClass name",
                                wanted, policy);
    bool ok = value_set(spec, "priority", value_int(priority)) &&
              (*policy == '\0' || value_set(spec, "preemptionPolicy", value_string(policy)));
    if (ok && *admission_text(spec, "priorityClassName") == '\0' && class != NULL)
        ok = value_set(spec, "priorityClassName", value_string(admission_name(class)));
    return ok || admission_no_memory(admission);
}

bool admit_priority(struct admission *admission)
{
    struct value *spec = value_child(admission->object, "spec");
    const struct value *old = value_get(admission->old, "spec");
    if (spec == NULL)
        return admission_no_memory(admission);
    if (admission->old != NULL)
        return (keep(spec, old, "priority") && keep(spec, old, "preemptionPolicy")) || admission_no_memory(admission);
    bool ok = true;
    struct value *class = class_of(admission, &ok);
    if (!ok && admission->failure->code == 0)
        admission_no_memory(admission);
    ok = ok && set_priority(admission, spec, class);
    value_free(class);
    return ok;
}

bool check_priority_class(struct admission *admission)
{
    if (!value_is_true(value_get(admission->object, "globalDefault")))
        return true;
    bool ok = true;
    struct value *class = default_class(admission, &ok);
    if (!ok)
        admission_no_memory(admission);
    else if (class != NULL && (admission->old == NULL || strcmp(admission_name(class), admission_name(admission->object)) != 0))
        ok = admission_forbid(admission, "PriorityClass %s is already marked as default. Only one default can exist",
                              admission_name(class));
    value_free(class);
    return ok;
}

static bool tolerates(const struct value *tolerations, const char *key)
{
    for (const struct value *toleration = value_first(tolerations); toleration != NULL; toleration = value_next(toleration)) {
        const char *own = admission_text(toleration, "key"), *effect = admission_text(toleration, "effect");
        if ((*own == '\0' || strcmp(own, key) == 0) && (*effect == '\0' || strcmp(effect, "NoExecute") == 0))
            return true;
    }
    return false;
}

static bool tolerate(struct value *tolerations, const char *key)
{
    struct value *toleration = value_object();
    bool ok = toleration != NULL && value_set(toleration, "key", value_string(key)) &&
              value_set(toleration, "operator", value_string("Exists")) &&
              value_set(toleration, "effect", value_string("NoExecute")) &&
              value_set(toleration, "tolerationSeconds", value_int(300));
    if (ok)
        return value_append(tolerations, toleration);
    value_free(toleration);
    return false;
}

bool admit_tolerations(struct admission *admission)
{
    static const char *const keys[] = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
    struct value *spec = value_child(admission->object, "spec");
    bool missing[2], ok = spec != NULL;
    for (size_t i = 0; i < 2; i++)
        missing[i] = !tolerates(value_get(spec, "tolerations"), keys[i]);
    for (size_t i = 0; ok && i < 2; i++) {
        struct value *tolerations = missing[i] ? admission_array(spec, "tolerations") : NULL;
        ok = !missing[i] || (tolerations != NULL && tolerate(tolerations, keys[i]));
    }
    return ok || admission_no_memory(admission);
}

bool admit_node_taint(struct admission *admission)
{
    struct value *spec = value_child(admission->object, "spec"),
                 *taints = spec != NULL ? admission_array(spec, "taints") : NULL;
    for (const struct value *taint = value_first(taints); taint != NULL; taint = value_next(taint))
        if (strcmp(admission_text(taint, "key"), "node.kubernetes.io/not-ready") == 0 &&
            strcmp(admission_text(taint, "effect"), "NoSchedule") == 0)
            return true;
    struct value *taint = taints != NULL ? value_object() : NULL;
    bool ok = taint != NULL && value_set(taint, "key", value_string("node.kubernetes.io/not-ready")) &&
              value_set(taint, "effect", value_string("NoSchedule"));
    if (ok)
        return value_append(taints, taint) || admission_no_memory(admission);
    value_free(taint);
    return admission_no_memory(admission);
}

/* The pod's class, owned by the caller; NULL with *ok true: it names none. */
static struct value *runtime_class(struct admission *admission, bool *ok)
{
    const char *name = value_find_text(admission->object, "spec", "runtimeClassName", NULL);
    *ok = true;
    if (name == NULL)
        return NULL;
    const struct object *object = lookup(admission->api, "node.k8s.io", "runtimeclasses", "", name);
    struct value *class = object != NULL ? lookup_value(object) : NULL;
    *ok = class != NULL;
    if (object == NULL)
        admission_forbid(admission, "pod rejected: RuntimeClass \"%s\" not found", name);
    else if (class == NULL)
        admission_no_memory(admission);
    return class;
}

static bool same_amounts(const struct value *a, const struct value *b)
{
    struct amounts first = {0}, second = {0};
    amounts_read(&first, a);
    amounts_read(&second, b);
    bool same = first.count == second.count && !first.failed && !second.failed;
    for (size_t i = 0; same && i < first.count; i++)
        same = strcmp(first.items[i].name, second.items[i].name) == 0 &&
               amount_compare(first.items[i].amount, second.items[i].amount) == 0;
    amounts_free(&first);
    amounts_free(&second);
    return same;
}

static bool set_scheduling(struct admission *admission, struct value *spec, const struct value *scheduling)
{
    for (const struct value *label = value_first(value_get(scheduling, "nodeSelector")); label != NULL;
         label = value_next(label)) {
        struct value *selector = value_child(spec, "nodeSelector");
        const char *own = admission_text(selector, value_key(label));
        if (value_get(selector, value_key(label)) != NULL && strcmp(own, value_text(label)) != 0)
            return admission_forbid(admission,
                                    "conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s",
                                    value_key(label), value_text(label), value_key(label), own);
        if (selector == NULL || !value_set(selector, value_key(label), value_copy(label)))
            return admission_no_memory(admission);
    }
    for (const struct value *toleration = value_first(value_get(scheduling, "tolerations")); toleration != NULL;
         toleration = value_next(toleration)) {
        struct value *own = admission_array(spec, "tolerations");
        bool there = false;
        for (const struct value *item = value_first(own); item != NULL; item = value_next(item))
            there = there || value_equal(item, toleration);
        if (own == NULL || (!there && !value_append(own, value_copy(toleration))))
            return admission_no_memory(admission);
    }
    return true;
}

bool admit_runtime_class(struct admission *admission)
{
    bool ok;
    struct value *class = runtime_class(admission, &ok), *spec = value_child(admission->object, "spec");
    const struct value *overhead = value_find(class, "overhead", "podFixed", NULL);
    if (ok && spec == NULL)
        ok = admission_no_memory(admission);
    if (ok && value_get(class, "overhead") != NULL) {
        const struct value *own = value_get(spec, "overhead");
        if (value_first(own) != NULL && !same_amounts(own, overhead))
            ok = admission_forbid(admission, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        else if (overhead != NULL)
            ok = value_set(spec, "overhead", value_copy(overhead)) || admission_no_memory(admission);
    }
    ok = ok && set_scheduling(admission, spec, value_get(class, "scheduling"));
    value_free(class);
    return ok;
}

bool check_runtime_class(struct admission *admission)
{
    bool ok;
    struct value *class = runtime_class(admission, &ok);
    const struct value *own = value_find(admission->object, "spec", "overhead", NULL);
    if (ok && value_get(class, "overhead") != NULL) {
        if (!same_amounts(own, value_find(class, "overhead", "podFixed", NULL)))
            ok = admission_forbid(admission, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    } else if (ok && own != NULL) {
        ok = admission_forbid(admission, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    }
    value_free(class);
    return ok;
}
