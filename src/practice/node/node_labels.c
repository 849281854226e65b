#include "practice/node/node_labels.h"

#include <stdlib.h>
#include <string.h>

static bool has_text(const struct value *list, const char *text)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (value_text(item) != NULL && strcmp(value_text(item), text) == 0)
            return true;
    return false;
}

static bool requirement_fits(const struct value *requirement, const char *label)
{
    const char *operator_ = value_find_text(requirement, "operator", NULL);
    const struct value *values = value_get(requirement, "values");
    const char *bound = value_text(value_first(values));
    if (operator_ == NULL)
        return false;
    if (strcmp(operator_, "In") == 0)
        return label != NULL && has_text(values, label);
    if (strcmp(operator_, "NotIn") == 0)
        return label == NULL || !has_text(values, label);
    if (strcmp(operator_, "Exists") == 0)
        return label != NULL;
    if (strcmp(operator_, "DoesNotExist") == 0)
        return label == NULL;
    if (label == NULL || bound == NULL)
        return false;
    long long have = strtoll(label, NULL, 10), than = strtoll(bound, NULL, 10);
    return strcmp(operator_, "Gt") == 0 ? have > than : strcmp(operator_, "Lt") == 0 && have < than;
}

static bool term_fits(const struct value *term, const struct object *object)
{
    const struct value *labels = value_get(term, "matchExpressions"), *fields = value_get(term, "matchFields");
    for (const struct value *one = value_first(labels); one != NULL; one = value_next(one)) {
        const char *key = value_find_text(one, "key", NULL);
        if (key == NULL || !requirement_fits(one, object_label(object, key)))
            return false;
    }
    for (const struct value *one = value_first(fields); one != NULL; one = value_next(one))
        if (!requirement_fits(one, object->name)) /* metadata.name is the only field */
            return false;
    return value_first(labels) != NULL || value_first(fields) != NULL;
}

bool node_labels_fit(const struct node *node, const struct value *pod)
{
    const struct object *object = informer_get(node->nodes->objects, "", node->name);
    const struct value *required = value_find(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL);
    if (object == NULL)
        return true;
    for (const struct value *entry = value_first(value_find(pod, "spec", "nodeSelector", NULL)); entry != NULL; entry = value_next(entry)) {
        const char *label = object_label(object, value_key(entry)), *wanted = value_text(entry);
        if (label == NULL || wanted == NULL || strcmp(label, wanted) != 0)
            return false;
    }
    if (required == NULL)
        return true;
    for (const struct value *term = value_first(value_get(required, "nodeSelectorTerms")); term != NULL; term = value_next(term))
        if (term_fits(term, object))
            return true;
    return false;
}
