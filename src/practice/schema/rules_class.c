/* StorageClasses, VolumeAttributesClasses, CSI drivers, nodes and capacities, VolumeAttachments. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"};

enum { PARAMETERS_MOST = 512, PARAMETERS_SIZE = 256 * 1024, NODE_ID_MOST = 256 };

static bool class_defaults(struct value *object)
{
    return default_text(object, "reclaimPolicy", "Delete") && default_text(object, "volumeBindingMode", "Immediate");
}

/* A name that is looked at in lower case; told_lower: and shown so. */
static void check_lower(struct problems *problems, const char *text, const struct place *place, name_check *check, bool told_lower)
{
    char *lower = mem_string(text);
    if (lower == NULL) {
        problems->failed = true;
        return;
    }
    for (char *c = lower; *c != '\0'; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    name_problems(problems, place, told_lower ? lower : text, check(lower));
    mem_free(lower);
}

static void check_provisioner(const struct value *object, const char *key, struct problems *problems)
{
    const struct place at = place_key(NULL, key);
    if (*text_of(object, key) != '\0')
        check_lower(problems, text_of(object, key), &at, name_qualified, true);
    else if (strcmp(key, "provisioner") != 0)
        problem_required(problems, &at, NULL, NULL);
}

static void check_parameters(const struct value *object, bool needed, struct problems *problems)
{
    const struct value *parameters = value_get(object, "parameters");
    const struct place at = place_key(NULL, "parameters");
    size_t size = 0;
    if (value_length(parameters) > PARAMETERS_MOST) {
        problem_too_long(problems, &at, PARAMETERS_MOST);
        return;
    }
    EACH (parameter, parameters) {
        if (*value_key(parameter) == '\0')
            problem_invalid(problems, &at, "", "field can not be empty.");
        size += strlen(value_key(parameter)) + strlen(value_text(parameter));
    }
    if (size > PARAMETERS_SIZE)
        problem_too_long(problems, &at, PARAMETERS_SIZE);
    if (needed && value_first(parameters) == NULL)
        problem_required(problems, &at, NULL, "must contain at least one key/value pair");
}

static void check_topologies(const struct value *object, struct problems *problems)
{
    const struct value *topologies = value_get(object, "allowedTopologies");
    const struct place all = place_key(NULL, "allowedTopologies");
    size_t i = 0;
    EACH (term, topologies) {
        const struct place at = place_index(&all, i++), expressions = place_key(&at, "matchLabelExpressions");
        size_t e = 0;
        EACH (requirement, value_get(term, "matchLabelExpressions")) {
            const struct place requirement_at = place_index(&expressions, e++), values = place_key(&requirement_at, "values"),
                               key = place_key(&requirement_at, "key");
            size_t v = 0;
            if (value_first(value_get(requirement, "values")) == NULL)
                problem_required(problems, &values, NULL, NULL);
            EACH (item, value_get(requirement, "values")) {
                const struct place item_at = place_index(&values, v++);
                if (seen_before(value_get(requirement, "values"), item, NULL))
                    problem_string(problems, &item_at, PROBLEM_DUPLICATE, value_text(item));
            }
            name_problems(problems, &key, text_of(requirement, "key"), name_qualified(text_of(requirement, "key")));
            if (seen_before(value_get(term, "matchLabelExpressions"), requirement, "key"))
                problem_string(problems, &key, PROBLEM_DUPLICATE, text_of(requirement, "key"));
        }
        for (const struct value *other = value_first(topologies); other != term; other = value_next(other))
            if (value_equal(other, term))
                problem_string(problems, &expressions, PROBLEM_DUPLICATE, "");
    }
}

static void validate_class(const struct value *object, struct problems *problems)
{
    static const char *const policies[] = {"Delete", "Retain", NULL}, *const modes[] = {"Immediate", "WaitForFirstConsumer", NULL};
    check_provisioner(object, "provisioner", problems);
    check_parameters(object, false, problems);
    check_choice(problems, object, NULL, "reclaimPolicy", policies, false);
    check_choice(problems, object, NULL, "volumeBindingMode", modes, false);
    check_topologies(object, problems);
    if (*text_of(object, "provisioner") == '\0')
        problem_required(problems, NULL, "provisioner", NULL);
}

/* The rest of a class is not looked at again: what may change needs no check. */
static void class_update(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const fixed[] = {"provisioner", "parameters", "reclaimPolicy", "volumeBindingMode", NULL};
    for (size_t i = 0; fixed[i] != NULL; i++)
        check_unchanged(problems, object, old, NULL, fixed[i]);
}

static void warn_class(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place all = place_key(NULL, "allowedTopologies");
    size_t i = 0;
    (void)old;
    EACH (term, value_get(object, "allowedTopologies")) {
        const struct place at = place_index(&all, i++), expressions = place_key(&at, "matchLabelExpressions");
        size_t e = 0;
        EACH (requirement, value_get(term, "matchLabelExpressions")) {
            const struct place requirement_at = place_index(&expressions, e++), key = place_key(&requirement_at, "key");
            check_label_warn(warnings, text_of(requirement, "key"), &key, false);
        }
    }
}

static void validate_attributes_class(const struct value *object, struct problems *problems)
{
    check_provisioner(object, "driverName", problems);
    check_parameters(object, true, problems);
}

static void attributes_class_update(const struct value *object, const struct value *old, struct problems *problems)
{
    if (!same_at(object, old, "driverName"))
        problem_forbidden(problems, NULL, "driverName", "updates to driverName are forbidden.");
    if (!same_at(object, old, "parameters"))
        problem_forbidden(problems, NULL, "parameters", "updates to parameters are forbidden.");
}

/* CSIDriver */
static bool driver_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    if (spec == NULL)
        return false;
    if (value_first(value_get(spec, "volumeLifecycleModes")) == NULL &&
        (!value_set(spec, "volumeLifecycleModes", value_array()) || !value_append(value_get(spec, "volumeLifecycleModes"), value_string("Persistent"))))
        return false;
    return default_bool(spec, "attachRequired", true) && default_bool(spec, "podInfoOnMount", false) && default_bool(spec, "storageCapacity", false) &&
           default_text(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType") && default_bool(spec, "requiresRepublish", false) &&
           default_bool(spec, "seLinuxMount", false) && default_bool(spec, "preventPodSchedulingIfMissing", false);
}

static void check_tokens(const struct value *requests, struct problems *problems)
{
    const struct place all = place_key(&spec_place, "tokenRequests");
    size_t i = 0;
    EACH (request, requests) {
        const struct place at = place_index(&all, i++), audience = place_key(&at, "audience"), seconds_at = place_key(&at, "expirationSeconds");
        int64_t seconds = int_of(request, "expirationSeconds", 3600);
        if (seen_before(requests, request, "audience"))
            problem_string(problems, &audience, PROBLEM_DUPLICATE, text_of(request, "audience"));
        else if (seconds < 600)
            problem_number(problems, &seconds_at, seconds, "may not specify a duration less than 10 minutes");
        else if (seconds > (int64_t)1 << 32)
            problem_number(problems, &seconds_at, seconds, "may not specify a duration larger than 2^32 seconds");
    }
}

static void validate_driver(const struct value *object, struct problems *problems)
{
    static const char *const policies[] = {"File", "None", "ReadWriteOnceWithFSType", NULL}, *const modes[] = {"Persistent", "Ephemeral", NULL};
    const struct value *spec = value_get(object, "spec");
    const struct place modes_at = place_key(&spec_place, "volumeLifecycleModes"), period = place_key(&spec_place, "nodeAllocatableUpdatePeriodSeconds");
    const struct place tokens = place_key(&spec_place, "serviceAccountTokenInSecrets");
    check_choice(problems, spec, &spec_place, "fsGroupPolicy", policies, false);
    check_tokens(value_get(spec, "tokenRequests"), problems);
    EACH (mode, value_get(spec, "volumeLifecycleModes"))
        if (!one_of(value_text(mode), modes))
            problem_unsupported(problems, &modes_at, value_text(mode), modes);
    if (has(spec, "nodeAllocatableUpdatePeriodSeconds") && int_of(spec, "nodeAllocatableUpdatePeriodSeconds", 0) < 10)
        problem_number(problems, &period, int_of(spec, "nodeAllocatableUpdatePeriodSeconds", 0), "must be greater than or equal to 10 seconds");
    if (has(spec, "serviceAccountTokenInSecrets") && value_first(value_get(spec, "tokenRequests")) == NULL)
        problem_add(problems, &tokens, PROBLEM_INVALID, value_get(spec, "serviceAccountTokenInSecrets"),
                    "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
}

/* There is no first generation. */
static bool prepare_driver_update(struct value *object, const struct value *old)
{
    int64_t generation = value_find_int(old, 0, "metadata", "generation", NULL);
    return same_at(object, old, "spec") || put_generation(object, generation + 1);
}

static void driver_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_object, "spec");
    const struct place attached = place_key(&spec_place, "attachedRequired");
    if (!same_at(spec, old, "attachRequired"))
        problem_add(problems, &attached, PROBLEM_INVALID, value_get(spec, "attachRequired"), "field is immutable");
    check_immutable(problems, spec, old, &spec_place, "volumeLifecycleModes");
}

/* CSINode */
static void validate_csi_node(const struct value *object, struct problems *problems)
{
    const struct value *drivers = value_find(object, "spec", "drivers", NULL);
    const struct place all = place_key(&spec_place, "drivers");
    size_t i = 0;
    EACH (driver, drivers) {
        const struct place at = place_index(&all, i++), name = place_key(&at, "name"), id = place_key(&at, "nodeID"),
                           allocatable = place_key(&at, "allocatable");
        const char *text = text_of(driver, "name"), *node = text_of(driver, "nodeID");
        if (*text == '\0')
            problem_required(problems, &name, NULL, NULL);
        else if (strlen(text) > NAME_LABEL)
            problem_too_long(problems, &name, NAME_LABEL);
        if (*text != '\0')
            check_lower(problems, text, &name, name_subdomain, false);
        if (*node == '\0')
            problem_required(problems, &id, NULL, NULL);
        else if (strlen(node) > NODE_ID_MOST)
            problem_invalid(problems, &id, node, "must be %d characters or less", NODE_ID_MOST);
        check_nonnegative(problems, value_get(driver, "allocatable"), &allocatable, "count");
        if (seen_before(drivers, driver, "name"))
            problem_string(problems, &name, PROBLEM_DUPLICATE, text);
        EACH (key, value_get(driver, "topologyKeys")) {
            if (*value_text(key) == '\0')
                problem_required(problems, &at, NULL, NULL);
            if (seen_before(value_get(driver, "topologyKeys"), key, NULL))
                problem_string(problems, &at, PROBLEM_DUPLICATE, value_text(key));
            name_problems(problems, &at, value_text(key), name_qualified(value_text(key)));
        }
    }
}

static void csi_node_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "drivers");
    EACH (before, value_find(old_object, "spec", "drivers", NULL))
        EACH (now, value_find(object, "spec", "drivers", NULL))
            if (same_at(before, now, "name") && (!same_at(before, now, "nodeID") || !same_at(before, now, "topologyKeys")))
                problem_internal(problems, &at, PROBLEM_INVALID, "CSINodeDriver", now, "field is immutable");
}

static void validate_capacity(const struct value *object, struct problems *problems)
{
    const struct place topology = place_key(NULL, "nodeTopology"), capacity = place_key(NULL, "capacity");
    check_selector(problems, value_get(object, "nodeTopology"), &topology);
    name_problems_of(problems, NULL, "storageClassName", text_of(object, "storageClassName"), name_subdomain);
    if (quantity_negative(text_of(object, "capacity")))
        problem_invalid(problems, &capacity, text_of(object, "capacity"), "must be greater than or equal to 0");
}

static void capacity_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_immutable(problems, object, old, NULL, "nodeTopology");
    check_immutable(problems, object, old, NULL, "storageClassName");
}

/* VolumeAttachment */
static void validate_attachment(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *source = value_get(spec, "source");
    const struct place source_at = place_key(&spec_place, "source"), attacher = place_key(&spec_place, "attacher"),
                       name = place_key(&source_at, "persistentVolumeName");
    bool inline_one = has(source, "inlineVolumeSpec"), named = has(source, "persistentVolumeName");
    if (!inline_one && !named)
        problem_required(problems, &source_at, NULL, "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    else if (inline_one && named)
        problem_forbidden(problems, &source_at, NULL, "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    else if (named && *text_of(source, "persistentVolumeName") == '\0')
        problem_required(problems, &name, NULL, "must specify non empty persistentVolumeName");
    name_problems_of(problems, &spec_place, "nodeName", text_of(spec, "nodeName"), name_subdomain);
    if (*text_of(spec, "attacher") == '\0')
        problem_required(problems, &attacher, NULL, NULL);
    else
        check_lower(problems, text_of(spec, "attacher"), &attacher, name_subdomain, false);
}

static void attachment_update(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place at = place_key(NULL, "spec");
    if (!same_at(object, old, "spec"))
        problem_internal(problems, &at, PROBLEM_INVALID, "VolumeAttachmentSpec", value_get(object, "spec"), "field is immutable");
}

const struct rules class_rules[] = {
    {.group = "storage.k8s.io",
     .kind = "StorageClass",
     .defaults = class_defaults,
     .validate_create = validate_class,
     .validate_update = class_update,
     .warn = warn_class},
    {.group = "storage.k8s.io", .kind = "VolumeAttributesClass", .validate = validate_attributes_class, .validate_update = attributes_class_update},
    {.group = "storage.k8s.io",
     .kind = "CSIDriver",
     .flags = RULES_NEEDS_VERSION,
     .defaults = driver_defaults,
     .prepare_update = prepare_driver_update,
     .validate = validate_driver,
     .validate_update = driver_update},
    {.group = "storage.k8s.io", .kind = "CSINode", .flags = RULES_NEEDS_VERSION, .validate = validate_csi_node, .validate_update = csi_node_update},
    {.group = "storage.k8s.io", .kind = "CSIStorageCapacity", .flags = RULES_NEEDS_VERSION, .validate_create = validate_capacity, .validate_update = capacity_update},
    {.group = "storage.k8s.io",
     .kind = "VolumeAttachment",
     .flags = RULES_STATUS | RULES_NEEDS_VERSION,
     .validate = validate_attachment,
     .validate_update = attachment_update},
    {0},
};
