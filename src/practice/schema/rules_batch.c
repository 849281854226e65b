/* Jobs and CronJobs (pkg/apis/batch/validation, v1/defaults.go, pkg/registry/batch/job). */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "practice/schema/cron.h"
#include "practice/schema/job_internal.h"

static const struct place spec_place = {.key = "spec"}, metadata_place = {.key = "metadata"};

#define POD_NAMES "this is used in Pod names and hostnames, which can result in surprising behavior"

static bool job_spec_defaults(struct value *spec)
{
    struct value *policy = value_get(spec, "podFailurePolicy");
    EACH_OF (rule, value_get(policy, "rules"))
        EACH_OF (pattern, value_get(rule, "onPodConditions"))
            if (!default_text(pattern, "status", "True"))
                return false;
    return pod_template_defaults(value_get(spec, "template"));
}

static bool job_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    if (spec == NULL)
        return false;
    if (!has(spec, "completions") && !has(spec, "parallelism") && !put_int(spec, "completions", 1))
        return false;
    return default_int(spec, "parallelism", 1) && default_int(spec, "backoffLimit", has(spec, "backoffLimitPerIndex") ? INT32_MAX : 6) &&
           default_text(spec, "completionMode", "NonIndexed") && default_bool(spec, "suspend", false) &&
           default_text(spec, "podReplacementPolicy", has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed") &&
           default_bool(spec, "manualSelector", false) && job_spec_defaults(spec);
}

static bool cron_job_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    return spec != NULL && default_text(spec, "concurrencyPolicy", "Allow") && default_bool(spec, "suspend", false) &&
           default_int(spec, "successfulJobsHistoryLimit", 3) && default_int(spec, "failedJobsHistoryLimit", 1) &&
           (value_find(spec, "jobTemplate", "spec", NULL) == NULL || job_spec_defaults(value_find(spec, "jobTemplate", "spec", NULL)));
}

#define JOB_NAME "batch.kubernetes.io/job-name"
#define CONTROLLER_UID "batch.kubernetes.io/controller-uid"

/* A Job without labels has its template's, those that the server gives to it among them. */
static bool labels_from_template(struct value *object)
{
    struct value *metadata = value_child(object, "metadata");
    const struct value *labels = value_find(object, "spec", "template", "metadata", "labels", NULL);
    return metadata != NULL &&
           (value_first(labels) == NULL || value_first(value_get(metadata, "labels")) != NULL || put_copy(metadata, "labels", labels));
}

/* The selector that the server makes: the Job's uid. */
static bool job_create(struct value *object)
{
    static const char *const labels_of_name[] = {"job-name", JOB_NAME, NULL}, *const labels_of_uid[] = {"controller-uid", CONTROLLER_UID, NULL};
    struct value *spec = value_child(object, "spec");
    const char *name = text_of(value_get(object, "metadata"), "name"), *uid = text_of(value_get(object, "metadata"), "uid");
    if (spec == NULL || is_true(spec, "manualSelector"))
        return spec != NULL && labels_from_template(object);
    struct value *template = value_child(spec, "template"), *metadata = template != NULL ? value_child(template, "metadata") : NULL;
    struct value *labels = metadata != NULL ? value_child(metadata, "labels") : NULL, *selector = value_child(spec, "selector");
    struct value *match = selector != NULL ? value_child(selector, "matchLabels") : NULL;
    if (labels == NULL || match == NULL)
        return false;
    for (size_t i = 0; i < 2; i++)
        if ((!has(labels, labels_of_name[i]) && !put_text(labels, labels_of_name[i], name)) ||
            (!has(labels, labels_of_uid[i]) && !put_text(labels, labels_of_uid[i], uid)))
            return false;
    return (has(match, CONTROLLER_UID) || put_text(match, CONTROLLER_UID, uid)) && labels_from_template(object);
}

static bool job_update(struct value *object, const struct value *old)
{
    (void)old;
    return labels_from_template(object);
}

static void check_label(struct problems *problems, const struct value *labels, const char *key, const char *expected)
{
    const struct place template = place_key(&spec_place, "template"), metadata = place_key(&template, "metadata"), all = place_key(&metadata, "labels");
    const struct place at = place_map(&all, key);
    struct buf words = buf_make(1024);
    buf_printf(&words, "must be '%s'", expected);
    if (buf_ok(&words) && !has(labels, key))
        problem_required(problems, &at, NULL, words.bytes);
    else if (buf_ok(&words) && strcmp(text_of(labels, key), expected) != 0)
        problem_add(problems, &at, PROBLEM_INVALID, labels, "%s", words.bytes);
    buf_free(&words);
}

static void check_generated(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *labels = value_find(spec, "template", "metadata", "labels", NULL),
                       *selector = value_get(spec, "selector");
    const char *name = text_of(value_get(object, "metadata"), "name"), *uid = text_of(value_get(object, "metadata"), "uid");
    const struct place at = place_key(&spec_place, "selector");
    if (is_true(spec, "manualSelector") || selector == NULL)
        return;
    check_label(problems, labels, "controller-uid", uid);
    check_label(problems, labels, "job-name", name);
    check_label(problems, labels, CONTROLLER_UID, uid);
    check_label(problems, labels, JOB_NAME, name);
    struct value *expected = value_object();
    if (expected == NULL || !put_text(expected, CONTROLLER_UID, uid) || !put_text(expected, JOB_NAME, name) ||
        !put_text(expected, "controller-uid", uid) || !put_text(expected, "job-name", name))
        problems->failed = true;
    else if (selector_is_valid(selector) && !selector_selects(selector, expected))
        problem_add(problems, &at, PROBLEM_INVALID, selector, "`selector` not auto-generated");
    value_free(expected);
}

static void check_managed_by(const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct place at = place_key(place, "managedBy");
    const char *manager = text_of(spec, "managedBy"), *slash = strchr(manager, '/');
    char host[NAME_SUBDOMAIN + 2];
    if (!has(spec, "managedBy"))
        return;
    if (*manager == '\0') {
        problem_required(problems, &at, NULL, NULL);
    } else if (slash == NULL || slash == manager || slash[1] == '\0') {
        problem_invalid(problems, &at, manager, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else {
        snprintf(host, sizeof host, "%.*s", (int)(slash - manager < NAME_SUBDOMAIN ? slash - manager : NAME_SUBDOMAIN), manager);
        name_problems(problems, &at, host, name_subdomain(host));
        if (slash[1 + strspn(slash + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-._~%!$&'()*+,;=:")] != '\0')
            problem_invalid(problems, &at, slash + 1, "Invalid path (regex used for validation is '%s')", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");
    }
    if (strlen(manager) > NAME_LABEL)
        problem_too_long(problems, &at, NAME_LABEL);
}

static void check_indexed(const struct value *spec, const struct place *place, struct problems *problems)
{
    enum { PARALLEL_MOST = 100000, HIGH = 100000, PARALLEL_HIGH = 10000 };
    const struct place parallelism = place_key(place, "parallelism"), most = place_key(place, "maxFailedIndexes"),
                       completions = place_key(place, "completions");
    int64_t parallel = int_of(spec, "parallelism", 0), failed = int_of(spec, "maxFailedIndexes", 0), count = int_of(spec, "completions", 0);
    if (!has(spec, "completions"))
        problem_required(problems, &completions, NULL, "when completion mode is Indexed");
    if (parallel > PARALLEL_MOST)
        problem_number(problems, &parallelism, parallel, "must be less than or equal to %d when completion mode is Indexed", PARALLEL_MOST);
    if (has(spec, "completions") && failed > count)
        problem_number(problems, &most, failed, "must be less than or equal to completions");
    if (failed > PARALLEL_MOST)
        problem_number(problems, &most, failed, "must be less than or equal to %d", PARALLEL_MOST);
    if (count <= HIGH || !has(spec, "backoffLimitPerIndex"))
        return;
    if (!has(spec, "maxFailedIndexes"))
        problem_required(problems, &most, NULL, "must be specified when completions is above 100000");
    if (parallel > PARALLEL_HIGH)
        problem_number(problems, &parallelism, parallel,
                       "must be less than or equal to %d when completions are above %d and used with backoff limit per index", PARALLEL_HIGH, HIGH);
    if (failed > PARALLEL_HIGH)
        problem_number(problems, &most, failed,
                       "must be less than or equal to %d when completions are above %d and used with backoff limit per index", PARALLEL_HIGH, HIGH);
}

static void check_completion_mode(const struct value *spec, const struct place *place, struct problems *problems)
{
    static const char *const modes[] = {"NonIndexed", "Indexed", NULL}, *const indexed_only[] = {"backoffLimitPerIndex", "maxFailedIndexes", NULL};
    const struct place mode_at = place_key(place, "completionMode");
    const char *mode = text_of(spec, "completionMode");
    if (has(spec, "completionMode") && !one_of(mode, modes))
        problem_unsupported(problems, &mode_at, mode, modes);
    if (strcmp(mode, "Indexed") == 0)
        check_indexed(spec, place, problems);
    for (size_t i = 0; (!has(spec, "completionMode") || strcmp(mode, "NonIndexed") == 0) && indexed_only[i] != NULL; i++) {
        const struct place at = place_key(place, indexed_only[i]);
        if (has(spec, indexed_only[i]))
            problem_number(problems, &at, int_of(spec, indexed_only[i], 0), "requires indexed completion mode");
    }
}

static void check_job_restart(const struct value *spec, const struct place *place, struct problems *problems)
{
    static const char *const policies[] = {"OnFailure", "Never", NULL};
    const struct place template = place_key(place, "template"), pod = place_key(&template, "spec"), at = place_key(&pod, "restartPolicy");
    const char *policy = text_of(value_find(spec, "template", "spec", NULL), "restartPolicy");
    if (strcmp(policy, "Always") == 0 || *policy == '\0')
        problem_required(problems, &at, NULL, "valid values: \"OnFailure\", \"Never\"");
    else if (!one_of(policy, policies))
        problem_unsupported(problems, &at, policy, policies);
    else if (has(spec, "podFailurePolicy") && strcmp(policy, "Never") != 0)
        problem_invalid(problems, &at, policy, "only \"Never\" is supported when podFailurePolicy is specified");
}

static void check_replacement(const struct value *spec, const struct place *place, struct problems *problems)
{
    static const char *const policies[] = {"Failed", "TerminatingOrFailed", NULL}, *const failed[] = {"Failed", NULL};
    const struct place at = place_key(place, "podReplacementPolicy");
    const char *policy = text_of(spec, "podReplacementPolicy");
    const char *const *known = has(spec, "podFailurePolicy") ? failed : policies;
    if (has(spec, "podReplacementPolicy") && !one_of(policy, known))
        problem_unsupported(problems, &at, policy, known);
}

/* What a Job's and a CronJob's template have in common. */
static void check_job_spec(const struct value *spec, const struct place *place, struct problems *problems)
{
    static const char *const numbers[] = {
        "parallelism",      "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished", "backoffLimitPerIndex",
        "maxFailedIndexes", NULL};
    const struct place template = place_key(place, "template"), success = place_key(place, "successPolicy");
    check_nonnegative_all(problems, spec, place, numbers);
    if (has(spec, "maxFailedIndexes") && !has(spec, "backoffLimitPerIndex"))
        problem_required(problems, place, "backoffLimitPerIndex", "when maxFailedIndexes is specified");
    check_managed_by(spec, place, problems);
    check_completion_mode(spec, place, problems);
    job_check_failure_policy(spec, place, problems);
    if (has(spec, "successPolicy") && !text_is(spec, "completionMode", "Indexed"))
        problem_internal(problems, &success, PROBLEM_INVALID, "SuccessPolicy", value_get(spec, "successPolicy"), "requires indexed completion mode");
    else if (has(spec, "successPolicy"))
        job_check_success_policy(spec, place, problems);
    check_replacement(spec, place, problems);
    pod_validate_template(value_get(spec, "template"), &template, problems);
    check_job_restart(spec, place, problems);
}

static void check_index_names(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    const struct place at = place_key(&metadata_place, "name");
    const char *name = text_of(value_get(object, "metadata"), "name");
    char host[512];
    if (!text_is(spec, "completionMode", "Indexed") || int_of(spec, "completions", 0) <= 0)
        return;
    snprintf(host, sizeof host, "%.300s-%" PRId64, name, int_of(spec, "completions", 0) - 1);
    if (name_label(host).count != 0)
        problem_invalid(problems, &at, name, "will not able to create pod with invalid DNS label: %s", host);
}

static void check_job(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *selector = value_get(spec, "selector"),
                       *labels = value_find(spec, "template", "metadata", "labels", NULL);
    const struct place selector_at = place_key(&spec_place, "selector"), template = place_key(&spec_place, "template"),
                       metadata = place_key(&template, "metadata");
    const struct place labels_at = place_key(&metadata, "labels");
    check_job_spec(spec, &spec_place, problems);
    if (!has(spec, "selector"))
        problem_required(problems, &selector_at, NULL, NULL);
    else
        check_selector(problems, selector, &selector_at);
    if (!has(spec, "selector") || (selector_is_valid(selector) && !selector_selects(selector, labels)))
        problem_add(problems, &labels_at, PROBLEM_INVALID, labels, "`selector` does not match template `labels`");
}

static void job_validate_create(const struct value *object, struct problems *problems)
{
    check_generated(object, problems);
    check_job(object, problems);
    check_index_names(object, problems);
}

static void job_validate_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_job(object, problems);
    job_check_changes(object, old, problems);
    check_index_names(object, problems);
}

static void warn_job_spec(const struct value *spec, const struct place *place, struct vec *warnings)
{
    const struct value *template = value_get(spec, "template");
    const struct place at = place_key(place, "template");
    if (text_is(spec, "completionMode", "Indexed") && int_of(spec, "completions", 0) > 100000 && int_of(spec, "parallelism", 0) > 10000)
        warning_at(
            warnings, place,
            "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track "
            "completedIndexes when a big number of indexes fail");
    pod_warn(value_get(template, "metadata"), value_get(template, "spec"), &at, true, warnings);
}

static bool generation_same(const struct value *object, const struct value *old)
{
    return same(value_find(object, "metadata", "generation", NULL), value_find(old, "metadata", "generation", NULL));
}

static void warn_job(const struct value *object, const struct value *old, struct vec *warnings)
{
    if (old == NULL)
        meta_warn_name(object, POD_NAMES, warnings);
    if (old == NULL || !generation_same(object, old))
        warn_job_spec(value_get(object, "spec"), &spec_place, warnings);
}

static void warn_cron_job(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place template = place_key(&spec_place, "jobTemplate"), at = place_key(&template, "spec");
    if (old == NULL)
        meta_warn_name(object, POD_NAMES, warnings);
    if (old == NULL || !generation_same(object, old))
        warn_job_spec(value_find(object, "spec", "jobTemplate", "spec", NULL), &at, warnings);
    if (old != NULL && strstr(text_of(value_get(object, "spec"), "schedule"), "TZ") != NULL &&
        !vec_push_string(warnings, "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
                                   "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"))
        return;
}

static void check_time_zone(const struct value *spec, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "timeZone");
    const char *zone = text_of(spec, "timeZone");
    if (!has(spec, "timeZone"))
        return;
    if (*zone == '\0') {
        problem_invalid(problems, &at, zone, "timeZone must be nil or non-empty string");
        return;
    }
    for (const char *part = zone; part != NULL; part = strchr(part, '/') != NULL ? strchr(part, '/') + 1 : NULL) {
        size_t length = strcspn(part, "/");
        size_t good = strspn(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-_0123456789+");
        if (good < length || length == 0 || length > 14 || part[0] == '-' || (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.')))) {
            problem_invalid(problems, &at, zone, "unknown time zone %s", zone);
            return;
        }
    }
    if (strcasecmp(zone, "Local") == 0)
        problem_invalid(problems, &at, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
    if (!cron_zone_known(zone))
        problem_invalid(problems, &at, zone, "unknown time zone %s", zone);
}

static void check_schedule(const struct value *spec, bool zone_allowed, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "schedule");
    const char *schedule = text_of(spec, "schedule");
    char complaint[CRON_TEXT];
    if (*schedule == '\0')
        return;
    if (!cron_check(schedule, complaint))
        problem_invalid(problems, &at, schedule, "%s", complaint);
    if (strstr(schedule, "TZ") != NULL && !zone_allowed)
        problem_invalid(problems, &at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    else if (strstr(schedule, "TZ") != NULL && has(spec, "timeZone"))
        problem_invalid(problems, &at, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
}

static void check_cron_job(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const policies[] = {"Allow", "Forbid", "Replace", NULL}, *const manual[] = {"nil", "false", NULL};
    const struct value *spec = value_get(object, "spec"), *before = value_get(old, "spec"), *job = value_find(spec, "jobTemplate", "spec", NULL);
    const struct place template = place_key(&spec_place, "jobTemplate"), job_at = place_key(&template, "spec");
    const struct place selector = place_key(&job_at, "selector"), manual_at = place_key(&job_at, "manualSelector");
    check_schedule(spec, strstr(text_of(before, "schedule"), "TZ") != NULL, problems);
    check_nonnegative(problems, spec, &spec_place, "startingDeadlineSeconds");
    if (old == NULL || !same_at(spec, before, "timeZone"))
        check_time_zone(spec, problems);
    check_choice(problems, spec, &spec_place, "concurrencyPolicy", policies, true);
    check_job_spec(job, &job_at, problems);
    if (has(job, "selector"))
        problem_add(problems, &selector, PROBLEM_INVALID, value_get(job, "selector"), "`selector` will be auto-generated");
    if (is_true(job, "manualSelector"))
        problem_unsupported_value(problems, &manual_at, "true", manual);
    check_nonnegative(problems, spec, &spec_place, "successfulJobsHistoryLimit");
    check_nonnegative(problems, spec, &spec_place, "failedJobsHistoryLimit");
}

static void cron_job_last(const struct value *object, struct problems *problems)
{
    if (*text_of(value_get(object, "spec"), "schedule") == '\0')
        problem_required(problems, &spec_place, "schedule", NULL);
}

static void cron_job_create(const struct value *object, struct problems *problems)
{
    enum { CRON_NAME = 52 };
    const struct place at = place_key(&metadata_place, "name");
    const char *name = text_of(value_get(object, "metadata"), "name");
    check_cron_job(object, NULL, problems);
    if (strlen(name) > CRON_NAME)
        problem_invalid(problems, &at, name, "must be no more than 52 characters");
    cron_job_last(object, problems);
}

static void cron_job_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_cron_job(object, old, problems);
    cron_job_last(object, problems);
}

static const char *const job_selectors[] = {"status.successful", NULL};

const struct rules batch_rules[] = {
    {.group = "batch",
     .kind = "Job",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = job_defaults,
     .prepare_create = job_create,
     .prepare_update = job_update,
     .validate_create = job_validate_create,
     .validate_update = job_validate_update,
     .validate_status = job_validate_status,
     .warn = warn_job,
     .selectors = job_selectors},
    {.group = "batch",
     .kind = "CronJob",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = cron_job_defaults,
     .validate_create = cron_job_create,
     .validate_update = cron_job_update,
     .warn = warn_cron_job},
    {0},
};
