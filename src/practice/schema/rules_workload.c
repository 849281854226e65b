/* Deployments, ReplicaSets, DaemonSets, StatefulSets, ReplicationControllers, ControllerRevisions (pkg/apis/apps/validation, v1/defaults.go). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};
static const struct place template_place = {.up = &spec_place, .key = "template"};

#define POD_NAMES "this is used in Pod names and hostnames, which can result in surprising behavior"

static const struct value *template_of(const struct value *object)
{
    return value_find(object, "spec", "template", NULL);
}

static void warn_template(const struct value *object, const struct value *old, struct vec *warnings)
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
static void check_template_labels(const struct value *spec, struct problems *problems)
{
    const struct value *labels = value_find(spec, "template", "metadata", "labels", NULL);
    const struct place metadata = place_key(&template_place, "metadata"), at = place_key(&metadata, "labels");
    /* No selector at all matches nothing. */
    if (!has(spec, "selector") || !label_selector_matches(value_get(spec, "selector"), labels))
        problem_add(problems, &at, PROBLEM_INVALID, labels, "`selector` does not match template `labels`");
}

static void check_template_runs(const struct value *spec, const char *kind, struct problems *problems)
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

static bool selector_empty(const struct value *selector)
{
    return value_first(value_get(selector, "matchLabels")) == NULL && value_first(value_get(selector, "matchExpressions")) == NULL;
}

static void problem_selector(const struct value *selector, const char *words, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "selector");
    problem_add(problems, &at, PROBLEM_INVALID, selector, "%s", words);
}

/* Whether the server can make a selector of it; what else is wrong with it is told apart. */
static bool selector_usable(const struct value *selector)
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

/* Numbers of a status that may not be more than another one. */
struct bound {
    const char *less, *more, *words;
};

static void check_bounds(const struct value *status, const struct bound *bounds, struct problems *problems)
{
    for (; bounds->less != NULL; bounds++) {
        const struct place at = place_key(&status_place, bounds->less);
        if (int_of(status, bounds->less, 0) > int_of(status, bounds->more, 0))
            problem_number(problems, &at, int_of(status, bounds->less, 0), "%s", bounds->words);
    }
}

static void check_collisions(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct value *status = value_get(object, "status"), *before = value_get(old, "status");
    const struct place at = place_key(&status_place, "collisionCount");
    if (has(before, "collisionCount") && int_of(status, "collisionCount", INT64_MIN) < int_of(before, "collisionCount", 0))
        problem_number(problems, &at, int_of(status, "collisionCount", 0), "cannot be decremented");
}

#define THAN_REPLICAS "cannot be greater than status.replicas"

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

/* StatefulSet */
static bool claim_template_defaults(struct value *claims)
{
    EACH_OF (claim, claims) {
        struct value *spec = value_child(claim, "spec"), *status = value_child(claim, "status");
        if (spec == NULL || status == NULL || !claim_spec_defaults(spec) || !default_text(status, "phase", "Pending") ||
            !put_text(claim, "kind", "PersistentVolumeClaim") || !put_text(claim, "apiVersion", "v1"))
            return false;
    }
    return true;
}

static bool stateful_set_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *strategy = spec != NULL ? value_child(spec, "updateStrategy") : NULL;
    struct value *retention = spec != NULL ? value_child(spec, "persistentVolumeClaimRetentionPolicy") : NULL;
    if (strategy == NULL || retention == NULL)
        return false;
    if (*text_of(strategy, "type") == '\0' && (!put_text(strategy, "type", "RollingUpdate") || !default_object(strategy, "rollingUpdate")))
        return false;
    struct value *rolling = value_get(strategy, "rollingUpdate");
    if (text_is(strategy, "type", "RollingUpdate") && rolling != NULL &&
        (!default_int(rolling, "partition", 0) || !default_int(rolling, "maxUnavailable", 1)))
        return false;
    return default_text(spec, "podManagementPolicy", "OrderedReady") && default_text(retention, "whenDeleted", "Retain") &&
           default_text(retention, "whenScaled", "Retain") && default_int(spec, "replicas", 1) && default_int(spec, "revisionHistoryLimit", 10) &&
           claim_template_defaults(value_get(spec, "volumeClaimTemplates")) && pod_template_defaults(value_get(spec, "template"));
}

static void check_stateful_strategy(const struct value *spec, struct problems *problems)
{
    const struct value *strategy = value_get(spec, "updateStrategy"), *rolling = value_get(strategy, "rollingUpdate");
    const struct place place = place_key(&spec_place, "updateStrategy"), rolling_at = place_key(&place, "rollingUpdate"),
                       most = place_key(&rolling_at, "maxUnavailable");
    if (*text_of(strategy, "type") == '\0') {
        problem_required(problems, &place, NULL, NULL);
    } else if (text_is(strategy, "type", "OnDelete")) {
        if (rolling != NULL)
            problem_internal(problems, &rolling_at, PROBLEM_INVALID, "RollingUpdateStatefulSetStrategy", rolling,
                             "only allowed for updateStrategy 'RollingUpdate'");
    } else if (!text_is(strategy, "type", "RollingUpdate")) {
        problem_internal(problems, &place, PROBLEM_INVALID, "StatefulSetUpdateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'");
    } else if (rolling != NULL) {
        check_nonnegative(problems, rolling, &rolling_at, "partition");
        if (has(rolling, "maxUnavailable")) {
            check_percent(problems, rolling, &rolling_at, "maxUnavailable");
            if (percent_or_int(rolling, "maxUnavailable") == 0)
                problem_add(problems, &most, PROBLEM_INVALID, value_get(rolling, "maxUnavailable"), "cannot be 0");
            check_at_most_100(problems, rolling, &rolling_at, "maxUnavailable");
        }
    }
}

/* The template as pods will have it: volumes of the claims are there, host names come from the set. NULL: no memory. */
static struct value *stateful_template(const struct value *spec)
{
    struct value *template = value_copy(value_get(spec, "template"));
    if (template == NULL)
        return value_object();
    struct value *pod = value_get(template, "spec"), *volumes = value_array();
    bool ok = volumes != NULL;
    value_remove(pod, "subdomain");
    value_remove(pod, "hostname");
    EACH (claim, value_get(spec, "volumeClaimTemplates")) {
        const char *name = text_of(value_get(claim, "metadata"), "name");
        struct value *volume = ok ? value_object() : NULL, *source = volume != NULL ? value_child(volume, "persistentVolumeClaim") : NULL;
        ok = source != NULL && put_text(source, "claimName", name) && put_text(volume, "name", name);
        if (!ok)
            value_free(volume);
        else
            ok = value_append(volumes, volume);
    }
    EACH (volume, value_get(pod, "volumes")) {
        bool replaced = false;
        EACH (claim, value_get(spec, "volumeClaimTemplates"))
            replaced = replaced || strcmp(text_of(value_get(claim, "metadata"), "name"), text_of(volume, "name")) == 0;
        ok = ok && (replaced || value_append(volumes, value_copy(volume)));
    }
    if (pod == NULL || !ok) {
        value_free(volumes);
        if (!ok) {
            value_free(template);
            return NULL;
        }
        return template;
    }
    if (value_set(pod, "volumes", volumes))
        return template;
    value_free(template);
    return NULL;
}

static void check_stateful_template(const struct value *spec, struct problems *problems)
{
    const struct value *selector = value_get(spec, "selector");
    if (!selector_usable(selector)) {
        problem_selector(selector, "", problems);
    } else {
        struct value *template = stateful_template(spec);
        if (!has(spec, "selector") || !selector_empty(selector))
            check_template_labels(spec, problems);
        if (template == NULL)
            problems->failed = true;
        else
            pod_validate_template(template, &template_place, problems);
        value_free(template);
    }
    check_template_runs(spec, "StatefulSet", problems);
}

static void check_claim_templates(const struct value *spec, struct problems *problems)
{
    const struct place claims = place_key(&spec_place, "volumeClaimTemplates");
    size_t i = 0;
    EACH (claim, value_get(spec, "volumeClaimTemplates")) {
        const struct place at = place_index(&claims, i++), claim_spec = place_key(&at, "spec");
        claim_validate_spec(value_get(claim, "spec"), &claim_spec, problems);
    }
}

static void check_stateful_set(const struct value *spec, bool creation, struct problems *problems)
{
    static const char *const retentions[] = {"Retain", "Delete", NULL};
    const struct value *retention = value_get(spec, "persistentVolumeClaimRetentionPolicy"), *selector = value_get(spec, "selector");
    const struct place policy = place_key(&spec_place, "podManagementPolicy"),
                       retention_at = place_key(&spec_place, "persistentVolumeClaimRetentionPolicy");
    const struct place deleted = place_key(&retention_at, "whenDeleted"), scaled = place_key(&retention_at, "whenScaled"),
                       selector_at = place_key(&spec_place, "selector");
    const struct place ordinal = place_key(&spec_place, "ordinals.start");
    const char *management = text_of(spec, "podManagementPolicy");
    if (strcmp(management, "OrderedReady") != 0 && strcmp(management, "Parallel") != 0)
        problem_invalid(problems, &policy, management, "must be 'OrderedReady' or 'Parallel'");
    check_stateful_strategy(spec, problems);
    if (!one_of(text_of(retention, "whenDeleted"), retentions))
        problem_unsupported(problems, &deleted, text_of(retention, "whenDeleted"), retentions);
    if (!one_of(text_of(retention, "whenScaled"), retentions))
        problem_unsupported(problems, &scaled, text_of(retention, "whenScaled"), retentions);
    if (creation)
        check_claim_templates(spec, problems);
    check_nonnegative(problems, spec, &spec_place, "replicas");
    check_nonnegative(problems, spec, &spec_place, "minReadySeconds");
    if (value_find_int(spec, 0, "ordinals", "start", NULL) < 0)
        problem_number(problems, &ordinal, value_find_int(spec, 0, "ordinals", "start", NULL), "must be greater than or equal to 0");
    if (creation)
        check_name(problems, spec, &spec_place, "serviceName", name_label, false);
    if (!has(spec, "selector")) {
        problem_required(problems, &selector_at, NULL, NULL);
    } else {
        check_selector(problems, selector, &selector_at);
        if (selector_empty(selector))
            problem_selector(selector, "empty selector is invalid for statefulset", problems);
    }
    check_stateful_template(spec, problems);
}

static void stateful_set_create(const struct value *object, struct problems *problems)
{
    check_stateful_set(value_get(object, "spec"), true, problems);
}

static void stateful_set_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_object, "spec");
    const struct place claims = place_key(&spec_place, "volumeClaimTemplates");
    check_stateful_set(spec, false, problems);
    check_immutable(problems, spec, old, &spec_place, "selector");
    if (!same_at(spec, old, "volumeClaimTemplates"))
        problem_internal(problems, &claims, PROBLEM_INVALID, "[]PersistentVolumeClaim", value_get(spec, "volumeClaimTemplates"), "field is immutable");
    check_immutable(problems, spec, old, &spec_place, "serviceName");
    check_immutable(problems, spec, old, &spec_place, "podManagementPolicy");
}

static void stateful_set_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const numbers[] = {"replicas",          "readyReplicas",      "currentReplicas", "updatedReplicas",
                                          "availableReplicas", "observedGeneration", "collisionCount",  NULL};
    static const struct bound bounds[] = {{"readyReplicas", "replicas", THAN_REPLICAS},
                                          {"currentReplicas", "replicas", THAN_REPLICAS},
                                          {"updatedReplicas", "replicas", THAN_REPLICAS},
                                          {"availableReplicas", "replicas", THAN_REPLICAS},
                                          {"availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas"},
                                          {0}};
    check_nonnegative_all(problems, value_get(object, "status"), &status_place, numbers);
    check_bounds(value_get(object, "status"), bounds, problems);
    check_collisions(object, old, problems);
}

static void warn_stateful_set(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct value *spec = value_get(object, "spec");
    const struct place claims = place_key(&spec_place, "volumeClaimTemplates"), history = place_key(&spec_place, "revisionHistoryLimit");
    size_t i = 0;
    warn_template(object, old, warnings);
    EACH (claim, value_get(spec, "volumeClaimTemplates")) {
        const struct place at = place_index(&claims, i++), inner = place_key(&at, "Spec");
        claim_warn_spec(value_get(claim, "spec"), old != NULL ? &inner : &at, warnings);
    }
    if (int_of(spec, "revisionHistoryLimit", 0) < 0)
        warning_at(warnings, &history, "a negative value retains all historical revisions; a value >= 0 is recommended");
}

static void check_label_name(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    char *masked = prefix ? name_mask_prefix(name) : mem_string(name);
    if (masked == NULL)
        problems->failed = true;
    else
        name_problems(problems, place, name, name_label(masked));
    mem_free(masked);
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
     .kind = "StatefulSet",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = stateful_set_defaults,
     .check_name = check_label_name,
     .validate_create = stateful_set_create,
     .validate_update = stateful_set_update,
     .validate_status = stateful_set_status,
     .warn = warn_stateful_set},
    {.group = "apps",
     .kind = "ControllerRevision",
     .validate = validate_revision,
     .validate_create = revision_create,
     .validate_update = revision_update},
    {0},
};
