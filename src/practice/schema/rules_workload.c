/* Deployments, ReplicaSets, DaemonSets, ReplicationControllers, ControllerRevisions (pkg/apis/apps/validation, v1/defaults.go). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/workload_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};
static const struct place template_place = {.up = &spec_place, .key = "template"};

#define POD_NAMES "this is used in Pod names and hostnames, which can result in surprising behavior"

static const struct value *template_of(const struct value *object)
{
    return value_find(object, "spec", "template", NULL);
}

void warn_template(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct value *template = template_of(object);
    if (old == NULL || value_find_int(object, 0, "metadata", "generation", NULL) != value_find_int(old, 0, "metadata", "generation", NULL))
        pod_warn(value_get(template, "metadata"), value_get(template, "spec"), &template_place, true, warnings);
}

static void warn_named(const struct value *object, const struct value *old, struct vec *warnings)
{
    if (old == NULL)
        meta_warn_name(object, POD_NAMES, warnings);
    warn_template(object, old, warnings);
}

/* Templates of long-running workloads: labels that the selector finds, restartPolicy Always, no deadline. */
void check_template_labels(const struct value *spec, struct problems *problems)
{
    const struct value *labels = value_find(spec, "template", "metadata", "labels", NULL);
    const struct place metadata = place_key(&template_place, "metadata"), at = place_key(&metadata, "labels");
    /* No selector at all matches nothing. */
    if (!has(spec, "selector") || !selector_selects(value_get(spec, "selector"), labels))
        problem_add(problems, &at, PROBLEM_INVALID, labels, "`selector` does not match template `labels`");
}

void check_template_runs(const struct value *spec, const char *kind, struct problems *problems)
{
    static const char *const always[] = {"Always", NULL};
    const struct value *pod = value_find(spec, "template", "spec", NULL);
    const struct place place = place_key(&template_place, "spec"), restart = place_key(&place, "restartPolicy"),
                       deadline = place_key(&place, "activeDeadlineSeconds");
    if (!text_is(pod, "restartPolicy", "Always"))
        problem_unsupported(problems, &restart, text_of(pod, "restartPolicy"), always);
    struct buf words = buf_make(128);
    buf_printf(&words, "activeDeadlineSeconds in %s is not Supported", kind);
    if (has(pod, "activeDeadlineSeconds") && buf_ok(&words))
        problem_forbidden(problems, &deadline, NULL, words.bytes);
    buf_free(&words);
}

bool selector_empty(const struct value *selector)
{
    return value_first(value_get(selector, "matchLabels")) == NULL && value_first(value_get(selector, "matchExpressions")) == NULL;
}

void problem_selector(const struct value *selector, const char *words, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "selector");
    problem_add(problems, &at, PROBLEM_INVALID, selector, "%s", words);
}

/* Whether the server can make a selector of it; what else is wrong with it is told apart. */
bool selector_usable(const struct value *selector)
{
    EACH (requirement, value_get(selector, "matchExpressions")) {
        const char *operator= text_of(requirement, "operator");
        bool in = strcmp(operator, "In") == 0 || strcmp(operator, "NotIn") == 0,
             exists = strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0;
        bool values = value_first(value_get(requirement, "values")) != NULL;
        if (!(in && values) && !(exists && !values))
            return false;
    }
    return selector_is_valid(selector);
}

static void check_replica_selector(const struct value *spec, const char *empty, struct problems *problems)
{
    const struct value *selector = value_get(spec, "selector");
    const struct place at = place_key(&spec_place, "selector");
    if (!has(spec, "selector")) {
        problem_required(problems, &at, NULL, NULL);
        return;
    }
    check_selector(problems, selector, &at);
    if (selector_empty(selector))
        problem_selector(selector, empty, problems);
}

static void check_replica_template(const struct value *spec, struct problems *problems)
{
    if (!selector_usable(value_get(spec, "selector"))) {
        problem_selector(value_get(spec, "selector"), "invalid label selector", problems);
        return;
    }
    if (!has(spec, "selector") || !selector_empty(value_get(spec, "selector")))
        check_template_labels(spec, problems);
    pod_validate_template(value_get(spec, "template"), &template_place, problems);
    check_template_runs(spec, "ReplicaSet", problems);
}

/* Deployment */
static bool deployment_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *strategy = spec != NULL ? value_child(spec, "strategy") : NULL;
    if (strategy == NULL || !default_int(spec, "replicas", 1) || !default_int(spec, "revisionHistoryLimit", 10) ||
        !default_int(spec, "progressDeadlineSeconds", 600) || !default_text(strategy, "type", "RollingUpdate"))
        return false;
    if (text_is(strategy, "type", "RollingUpdate")) {
        struct value *rolling = value_child(strategy, "rollingUpdate");
        if (rolling == NULL || (!has(rolling, "maxUnavailable") && !put_text(rolling, "maxUnavailable", "25%")) ||
            (!has(rolling, "maxSurge") && !put_text(rolling, "maxSurge", "25%")))
            return false;
    }
    return pod_template_defaults(value_get(spec, "template"));
}

static void check_rolling_deployment(const struct value *rolling, const struct place *place, struct problems *problems)
{
    const struct place unavailable = place_key(place, "maxUnavailable");
    check_percent(problems, rolling, place, "maxUnavailable");
    check_percent(problems, rolling, place, "maxSurge");
    if (percent_or_int(rolling, "maxUnavailable") == 0 && percent_or_int(rolling, "maxSurge") == 0)
        problem_add(problems, &unavailable, PROBLEM_INVALID, value_get(rolling, "maxUnavailable"), "may not be 0 when `maxSurge` is 0");
    check_at_most_100(problems, rolling, place, "maxUnavailable");
}

/* The value of the complaint is the whole strategy, as the server holds it. */
static void problem_strategy(const struct value *strategy, const char *type, const struct place *place, const char *const *known,
                             struct problems *problems)
{
    char *json = internal_json(type, strategy, false);
    if (json == NULL)
        problems->failed = true;
    else
        problem_unsupported_value(problems, place, json, known);
    mem_free(json);
}

static void check_deployment_strategy(const struct value *strategy, struct problems *problems)
{
    static const char *const types[] = {"Recreate", "RollingUpdate", NULL};
    const struct place place = place_key(&spec_place, "strategy"), rolling = place_key(&place, "rollingUpdate");
    if (text_is(strategy, "type", "Recreate")) {
        if (has(strategy, "rollingUpdate"))
            problem_forbidden(problems, &rolling, NULL, "may not be specified when strategy `type` is 'Recreate'");
    } else if (!text_is(strategy, "type", "RollingUpdate")) {
        problem_strategy(strategy, "DeploymentStrategy", &place, types, problems);
    } else {
        check_rolling_deployment(value_get(strategy, "rollingUpdate"), &rolling, problems);
    }
}

static void validate_deployment(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    const struct place deadline = place_key(&spec_place, "progressDeadlineSeconds");
    check_nonnegative(problems, spec, &spec_place, "replicas");
    check_replica_selector(spec, "empty selector is invalid for deployment", problems);
    check_replica_template(spec, problems);
    check_deployment_strategy(value_get(spec, "strategy"), problems);
    check_nonnegative(problems, spec, &spec_place, "minReadySeconds");
    check_nonnegative(problems, spec, &spec_place, "revisionHistoryLimit");
    check_nonnegative(problems, spec, &spec_place, "progressDeadlineSeconds");
    if (has(spec, "progressDeadlineSeconds") && int_of(spec, "progressDeadlineSeconds", 0) <= int_of(spec, "minReadySeconds", 0))
        problem_number(problems, &deadline, int_of(spec, "progressDeadlineSeconds", 0), "must be greater than minReadySeconds");
}

static void selector_stays(const struct value *object, const struct value *old, struct problems *problems)
{
    check_immutable(problems, value_get(object, "spec"), value_get(old, "spec"), &spec_place, "selector");
}

void check_bounds(const struct value *status, const struct bound *bounds, struct problems *problems)
{
    for (; bounds->less != NULL; bounds++) {
        const struct place at = place_key(&status_place, bounds->less);
        if (int_of(status, bounds->less, 0) > int_of(status, bounds->more, 0))
            problem_number(problems, &at, int_of(status, bounds->less, 0), "%s", bounds->words);
    }
}

void check_collisions(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct value *status = value_get(object, "status"), *before = value_get(old, "status");
    const struct place at = place_key(&status_place, "collisionCount");
    if (has(before, "collisionCount") && int_of(status, "collisionCount", INT64_MIN) < int_of(before, "collisionCount", 0))
        problem_number(problems, &at, int_of(status, "collisionCount", 0), "cannot be decremented");
}

static void deployment_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const numbers[] = {"observedGeneration",  "replicas",          "updatedReplicas",
                                          "readyReplicas",       "availableReplicas", "unavailableReplicas",
                                          "terminatingReplicas", "collisionCount",    NULL};
    static const struct bound bounds[] = {{"updatedReplicas", "replicas", THAN_REPLICAS},
                                          {"readyReplicas", "replicas", THAN_REPLICAS},
                                          {"availableReplicas", "replicas", THAN_REPLICAS},
                                          {"availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"},
                                          {0}};
    check_nonnegative_all(problems, value_get(object, "status"), &status_place, numbers);
    check_bounds(value_get(object, "status"), bounds, problems);
    check_collisions(object, old, problems);
}

static bool keep_labels(struct value *object, const struct value *old)
{
    struct value *metadata = value_get(object, "metadata");
    return metadata == NULL || put_copy(metadata, "labels", value_find(old, "metadata", "labels", NULL));
}

/* ReplicaSet */
static bool replica_set_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    return spec != NULL && default_int(spec, "replicas", 1) && pod_template_defaults(value_get(spec, "template"));
}

static void validate_replica_set(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    check_nonnegative(problems, spec, &spec_place, "replicas");
    check_nonnegative(problems, spec, &spec_place, "minReadySeconds");
    check_replica_selector(spec, "empty selector is invalid for deployment", problems);
    check_replica_template(spec, problems);
}

static void replica_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const numbers[] = {
        "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration", "terminatingReplicas", NULL};
    static const struct bound bounds[] = {{"fullyLabeledReplicas", "replicas", THAN_REPLICAS},
                                          {"readyReplicas", "replicas", THAN_REPLICAS},
                                          {"availableReplicas", "replicas", THAN_REPLICAS},
                                          {"availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"},
                                          {0}};
    (void)old;
    check_nonnegative_all(problems, value_get(object, "status"), &status_place, numbers);
    check_bounds(value_get(object, "status"), bounds, problems);
}

/* ReplicationController */
static bool controller_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *metadata = value_child(object, "metadata"), *template = value_get(spec, "template");
    const struct value *labels = value_find(template, "metadata", "labels", NULL);
    if (spec == NULL || metadata == NULL || !default_int(spec, "replicas", 1))
        return false;
    if (labels != NULL && ((value_first(value_get(spec, "selector")) == NULL && !put_copy(spec, "selector", labels)) ||
                           (value_first(value_get(metadata, "labels")) == NULL && !put_copy(metadata, "labels", labels))))
        return false;
    return pod_template_defaults(template);
}

static bool labels_match(const struct value *selector, const struct value *labels)
{
    EACH (label, selector)
        if (!same_at(labels, selector, value_key(label)))
            return false;
    return true;
}

/* The name is checked with the server's newer rules, after the template. */
static void no_name_yet(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    (void)name;
    (void)prefix;
    (void)problems;
    (void)place;
}

static void validate_controller(const struct value *object, struct problems *problems)
{
    static const struct place metadata_place = {.key = "metadata"}, name_at = {.up = &metadata_place, .key = "name"};
    static const char *const always[] = {"Always", NULL};
    const struct value *spec = value_get(object, "spec"), *template = value_get(spec, "template"),
                       *labels = value_find(template, "metadata", "labels", NULL);
    const struct place metadata = place_key(&template_place, "metadata"), labels_at = place_key(&metadata, "labels");
    const struct place pod = place_key(&template_place, "spec"), restart = place_key(&pod, "restartPolicy"),
                       deadline = place_key(&pod, "activeDeadlineSeconds");
    if (value_first(value_get(spec, "selector")) == NULL)
        problem_required(problems, &spec_place, "selector", NULL);
    if (template == NULL) {
        problem_required(problems, &template_place, NULL, NULL);
    } else {
        if (!labels_match(value_get(spec, "selector"), labels))
            problem_add(problems, &labels_at, PROBLEM_INVALID, labels, "`selector` does not match template `labels`");
        pod_validate_template(template, &template_place, problems);
        if (!text_is(value_get(template, "spec"), "restartPolicy", "Always"))
            problem_unsupported(problems, &restart, text_of(value_get(template, "spec"), "restartPolicy"), always);
        if (has(value_get(template, "spec"), "activeDeadlineSeconds"))
            problem_forbidden(problems, &deadline, NULL, "activeDeadlineSeconds in ReplicationController is not Supported");
    }
    name_problems(problems, &name_at, text_of(value_get(object, "metadata"), "name"), name_subdomain(text_of(value_get(object, "metadata"), "name")));
    check_nonnegative(problems, spec, &spec_place, "replicas");
    check_nonnegative(problems, spec, &spec_place, "minReadySeconds");
}

/* DaemonSet */
static bool daemon_set_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *strategy = spec != NULL ? value_child(spec, "updateStrategy") : NULL;
    if (strategy == NULL || !default_int(spec, "revisionHistoryLimit", 10) || !default_text(strategy, "type", "RollingUpdate"))
        return false;
    if (text_is(strategy, "type", "RollingUpdate")) {
        struct value *rolling = value_child(strategy, "rollingUpdate");
        if (rolling == NULL || !default_int(rolling, "maxUnavailable", 1) || !default_int(rolling, "maxSurge", 0))
            return false;
    }
    return pod_template_defaults(value_get(spec, "template"));
}

static void check_rolling_daemon(const struct value *rolling, const struct place *place, struct problems *problems)
{
    const struct place surge = place_key(place, "maxSurge"), unavailable = place_key(place, "maxUnavailable");
    check_percent(problems, rolling, place, "maxUnavailable");
    check_percent(problems, rolling, place, "maxSurge");
    check_at_most_100(problems, rolling, place, "maxUnavailable");
    check_at_most_100(problems, rolling, place, "maxSurge");
    bool has_unavailable = percent_or_int(rolling, "maxUnavailable") != 0, has_surge = percent_or_int(rolling, "maxSurge") != 0;
    if (has_unavailable && has_surge)
        problem_add(problems, &surge, PROBLEM_INVALID, value_get(rolling, "maxSurge"), "may not be set when maxUnavailable is non-zero");
    else if (!has_unavailable && !has_surge)
        problem_required(problems, &unavailable, NULL, "cannot be 0 when maxSurge is 0");
}

static void validate_daemon_set(const struct value *object, struct problems *problems)
{
    static const char *const types[] = {"RollingUpdate", "OnDelete", NULL};
    const struct value *spec = value_get(object, "spec"), *selector = value_get(spec, "selector"), *strategy = value_get(spec, "updateStrategy");
    const struct place selector_at = place_key(&spec_place, "selector"), strategy_at = place_key(&spec_place, "updateStrategy"),
                       rolling = place_key(&strategy_at, "rollingUpdate");
    check_selector(problems, selector, &selector_at);
    if (selector_usable(selector))
        check_template_labels(spec, problems);
    if (has(spec, "selector") && selector_empty(selector))
        problem_selector(selector, "empty selector is invalid for daemonset", problems);
    pod_validate_template(value_get(spec, "template"), &template_place, problems);
    check_template_runs(spec, "DaemonSet", problems);
    check_nonnegative(problems, spec, &spec_place, "minReadySeconds");
    if (text_is(strategy, "type", "RollingUpdate"))
        check_rolling_daemon(value_get(strategy, "rollingUpdate"), &rolling, problems);
    else if (!text_is(strategy, "type", "OnDelete"))
        problem_strategy(strategy, "DaemonSetUpdateStrategy", &strategy_at, types, problems);
    check_nonnegative(problems, spec, &spec_place, "revisionHistoryLimit");
}

static void daemon_set_stays(const struct value *object, const struct value *old, struct problems *problems)
{
    selector_stays(object, old, problems);
    validate_daemon_set(object, problems);
}

static void daemon_set_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const numbers[] = {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "observedGeneration",
                                          "updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount", NULL};
    check_nonnegative_all(problems, value_get(object, "status"), &status_place, numbers);
    check_collisions(object, old, problems);
}

/* The template's generation is kept in an annotation that the server owns. */
#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

static bool put_template_generation(struct value *object, int64_t generation)
{
    struct value *metadata = value_child(object, "metadata"), *annotations = metadata != NULL ? value_child(metadata, "annotations") : NULL;
    char *text = mem_printf("%lld", (long long)generation);
    bool ok = annotations != NULL && text != NULL && put_text(annotations, TEMPLATE_GENERATION, text);
    mem_free(text);
    return ok;
}

static int64_t template_generation(const struct value *object)
{
    const char *text = annotation_of(object, TEMPLATE_GENERATION);
    return text != NULL ? strtoll(text, NULL, 10) : 0;
}

static bool daemon_set_create(struct value *object)
{
    int64_t generation = template_generation(object);
    return put_template_generation(object, generation < 1 ? 1 : generation);
}

static bool daemon_set_update(struct value *object, const struct value *old)
{
    bool changed = !same(value_find(object, "spec", "template", NULL), value_find(old, "spec", "template", NULL));
    return put_template_generation(object, template_generation(old) + changed);
}

/* ControllerRevision */
static void validate_revision(const struct value *object, struct problems *problems)
{
    check_nonnegative(problems, object, NULL, "revision");
}

static void revision_create(const struct value *object, struct problems *problems)
{
    const struct place data = place_key(NULL, "data");
    enum value_type type = value_type(value_get(object, "data"));
    if (type == VALUE_MISSING || type == VALUE_NULL)
        problem_required(problems, &data, NULL, "data is mandatory");
    else if (type != VALUE_OBJECT)
        problem_required(problems, &data, NULL, "data must be a valid JSON object");
}

static void revision_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_immutable(problems, object, old, NULL, "data");
}

static const char *const replica_selectors[] = {"status.replicas", NULL};

const struct rules workload_rules[] = {
    {.group = "apps",
     .kind = "Deployment",
     .flags = RULES_GENERATION | RULES_STATUS | RULES_COUNT_ANNOTATIONS,
     .defaults = deployment_defaults,
     .prepare_status = keep_labels,
     .validate = validate_deployment,
     .validate_update = selector_stays,
     .validate_status = deployment_status,
     .warn = warn_named},
    {.group = "apps",
     .kind = "ReplicaSet",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = replica_set_defaults,
     .validate = validate_replica_set,
     .validate_update = selector_stays,
     .validate_status = replica_status,
     .warn = warn_named,
     .selectors = replica_selectors},
    {.group = "",
     .kind = "ReplicationController",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = controller_defaults,
     .check_name = no_name_yet,
     .validate = validate_controller,
     .validate_status = replica_status,
     .warn = warn_named,
     .selectors = replica_selectors},
    {.group = "apps",
     .kind = "DaemonSet",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = daemon_set_defaults,
     .prepare_create = daemon_set_create,
     .prepare_update = daemon_set_update,
     .validate_create = validate_daemon_set,
     .validate_update = daemon_set_stays,
     .validate_status = daemon_set_status,
     .warn = warn_template},
    {.group = "apps",
     .kind = "ControllerRevision",
     .validate = validate_revision,
     .validate_create = revision_create,
     .validate_update = revision_update},
    {0},
};
