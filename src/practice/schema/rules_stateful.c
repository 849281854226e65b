/* StatefulSets (pkg/apis/apps/validation, v1/defaults.go). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/workload_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};
static const struct place template_place = {.up = &spec_place, .key = "template"};

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

const struct rules stateful_rules[] = {
    {.group = "apps",
     .kind = "StatefulSet",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = stateful_set_defaults,
     .check_name = check_label_name,
     .validate_create = stateful_set_create,
     .validate_update = stateful_set_update,
     .validate_status = stateful_set_status,
     .warn = warn_stateful_set},
    {0},
};
