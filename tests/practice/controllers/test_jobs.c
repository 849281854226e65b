/* What becomes of Jobs: Pods that succeed and fail, one by one or by their indexes, limits, policies, and what is left of them. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "kubelet.h"
#include "practice/controllers/job_indexes.h"

static const struct client_resource jobs = {"batch", "v1", "jobs"};

#define JOB(spec) "{'metadata':{'name':'sum'},'spec':{" spec "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'busybox'}]}}}}"

static const char *look(struct cluster *cluster, const char *path)
{
    return cluster_text(cluster, &jobs, "default", "sum", path);
}

static bool is(struct cluster *cluster, const char *path, const char *wanted)
{
    return strcmp(look(cluster, path), wanted) == 0;
}

static bool tells(struct cluster *cluster, const char *words)
{
    return strstr(look(cluster, "status.conditions"), words) != NULL;
}

static const struct pod_view *find_pod(struct cluster *cluster, const char *prefix)
{
    for (const struct pod_view *pod = NULL; (pod = pods_next_in(cluster->place.pods, "default", pod)) != NULL;)
        if (strncmp(pod->object->name, prefix, strlen(prefix)) == 0 && pod->phase == POD_RUNNING && !pod->deleting)
            return pod;
    return NULL;
}

static size_t count_pods(struct cluster *cluster)
{
    size_t count = 0;
    for (const struct pod_view *pod = NULL; (pod = pods_next_in(cluster->place.pods, "default", pod)) != NULL;)
        count++;
    return count;
}

static size_t count_running(struct cluster *cluster)
{
    size_t count = 0;
    for (const struct pod_view *pod = NULL; (pod = pods_next_in(cluster->place.pods, "default", pod)) != NULL;)
        count += pod->phase == POD_RUNNING && !pod->deleting;
    return count;
}

/* The words of the events of a reason, one after the other. */
static void read_events(struct cluster *cluster, const char *reason, char out[static 1024])
{
    struct got got;
    out[0] = '\0';
    serve_ask(&cluster->world, "GET", "/api/v1/namespaces/default/events", "", NULL, &got);
    for (const struct value *event = value_first(value_get(got.json, "items")); event != NULL; event = value_next(event))
        if (strcmp(value_find_text(event, "reason", NULL), reason) == 0)
            snprintf(out + strlen(out), 1024 - strlen(out), "%s;", value_find_text(event, "message", NULL));
    got_free(&got);
}

static void end_pod(struct cluster *cluster, const struct pod_view *pod, const char *phase, int code)
{
    char name[256], words[256];
    struct error err = ERROR_INIT;
    snprintf(name, sizeof name, "%s", pod->object->name);
    snprintf(words, sizeof words, "%d", code);
    struct value *patch = value_object(), *status = value_child(patch, "status"), *list = value_array(), *entry = value_object();
    assert_true(value_set(status, "phase", value_string(phase)));
    assert_true(value_set(entry, "name", value_string("c")) && value_set(entry, "image", value_string("busybox")) && value_set(entry, "imageID", value_string("")) &&
                value_set(entry, "ready", value_bool(false)) && value_set(entry, "restartCount", value_int(0)));
    struct value *terminated = value_child(value_child(entry, "state"), "terminated");
    char now[21];
    time_print(client_now_ms(cluster->client), now);
    assert_true(value_set(terminated, "exitCode", value_int(code)) && value_set(terminated, "finishedAt", value_string(now)));
    assert_true(value_append(list, entry) && value_set(status, "containerStatuses", list));
    value_free(client_patch(cluster->client, &pods, "status", "default", name, PATCH_MERGE, patch, &err));
    assert_string_equal(err.message, "");
}

/* Lets a Pod come that begins so, and ends it. */
static void end_next(struct cluster *cluster, const char *prefix, const char *phase, int code)
{
    UNTIL(cluster, find_pod(cluster, prefix) != NULL);
    end_pod(cluster, find_pod(cluster, prefix), phase, code);
}

static void pass(struct cluster *cluster, int64_t ms)
{
    kubelet_pass(cluster, ms);
    cluster_settle(cluster);
}

static bool wears_finalizer(struct cluster *cluster)
{
    bool any = false;
    for (const struct pod_view *pod = NULL; (pod = pods_next_in(cluster->place.pods, "default", pod)) != NULL;) {
        struct value *document = pods_value(cluster->place.pods, pod);
        any = any || value_find(document, "metadata", "finalizers", NULL) != NULL;
        value_free(document);
    }
    return any;
}

/* ---- */

static void a_job_is_complete_when_its_pod_succeeded(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    char words[1024];
    cluster_make(cluster, &jobs, "default", JOB(""));
    UNTIL(cluster, find_pod(cluster, "sum-") != NULL);
    assert_true(wears_finalizer(cluster));
    pass(cluster, 2000);
    assert_true(is(cluster, "status.active", "1") && is(cluster, "status.ready", "1") && is(cluster, "status.terminating", "0"));
    end_next(cluster, "sum-", "Succeeded", 0);
    pass(cluster, 3000);
    const char *conditions = look(cluster, "status.conditions");
    assert_non_null(strstr(conditions, "\"type\":\"SuccessCriteriaMet\""));
    assert_true(strstr(conditions, "\"type\":\"Complete\"") > strstr(conditions, "\"type\":\"SuccessCriteriaMet\""));
    assert_true(tells(cluster, "\"reason\":\"CompletionsReached\",\"message\":\"Reached expected number of succeeded pods\""));
    assert_true(is(cluster, "status.succeeded", "1") && is(cluster, "status.active", "") && is(cluster, "status.uncountedTerminatedPods", "{}"));
    assert_string_not_equal(look(cluster, "status.completionTime"), "");
    assert_false(wears_finalizer(cluster));
    assert_int_equal(count_pods(cluster), 1);
    read_events(cluster, "Completed", words);
    assert_string_equal(words, "Job completed;");
}

static void no_more_pods_run_at_once_than_are_wanted_or_missing(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'completions':3,'parallelism':2,"));
    for (int i = 0; i < 3; i++) {
        pass(cluster, 2000);
        assert_int_equal(count_running(cluster), i < 2 ? 2 : 1);
        end_next(cluster, "sum-", "Succeeded", 0);
    }
    pass(cluster, 3000);
    assert_true(is(cluster, "status.succeeded", "3") && tells(cluster, "Complete"));
    assert_int_equal(count_pods(cluster), 3);
}

static void failed_pods_are_replaced_later_and_later_up_to_the_limit(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    char words[1024];
    cluster_make(cluster, &jobs, "default", JOB("'backoffLimit':1,"));
    end_next(cluster, "sum-", "Failed", 3);
    pass(cluster, 7000);
    assert_true(is(cluster, "status.failed", "1"));
    assert_int_equal(count_pods(cluster), 1);
    pass(cluster, 6000);
    assert_int_equal(count_pods(cluster), 2);
    end_next(cluster, "sum-", "Failed", 3);
    pass(cluster, 3000);
    const char *conditions = look(cluster, "status.conditions");
    assert_true(strstr(conditions, "\"type\":\"Failed\"") > strstr(conditions, "\"type\":\"FailureTarget\""));
    assert_true(is(cluster, "status.failed", "2") && tells(cluster, "BackoffLimitExceeded"));
    read_events(cluster, "BackoffLimitExceeded", words);
    assert_string_equal(words, "Job has reached the specified backoff limit;");
    pass(cluster, 120000);
    assert_int_equal(count_pods(cluster), 2);
}

static void a_job_past_its_deadline_fails_and_its_pods_go(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'activeDeadlineSeconds':30,"));
    pass(cluster, 20000);
    assert_int_equal(count_running(cluster), 1);
    pass(cluster, 15000);
    UNTIL(cluster, count_pods(cluster) == 0);
    pass(cluster, 3000);
    assert_true(tells(cluster, "Job was active longer than specified deadline") && tells(cluster, "\"type\":\"Failed\""));
    assert_true(is(cluster, "status.failed", "1"));
}

static void a_suspended_job_has_no_pods_and_goes_on_when_it_is_let_go(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'parallelism':2,'completions':2,"));
    pass(cluster, 2000);
    assert_int_equal(count_running(cluster), 2);
    cluster_patch(cluster, &jobs, "default", "sum", "{'spec':{'suspend':true}}");
    UNTIL(cluster, count_pods(cluster) == 0);
    pass(cluster, 3000);
    assert_true(tells(cluster, "\"reason\":\"JobSuspended\",\"message\":\"Job suspended\"") && is(cluster, "status.startTime", "") && is(cluster, "status.failed", ""));
    cluster_patch(cluster, &jobs, "default", "sum", "{'spec':{'suspend':false}}");
    pass(cluster, 3000);
    assert_int_equal(count_running(cluster), 2);
    assert_true(tells(cluster, "\"status\":\"False\"") && tells(cluster, "JobResumed"));
    assert_string_not_equal(look(cluster, "status.startTime"), "");
}

static void each_index_succeeds_once(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'completions':4,'parallelism':4,'completionMode':'Indexed',"));
    UNTIL(cluster, count_running(cluster) == 4);
    const char *name = find_pod(cluster, "sum-2-")->object->name;
    assert_string_equal(cluster_text(cluster, &pods, "default", name, "spec.hostname"), "\"sum-2\"");
    assert_non_null(strstr(cluster_text(cluster, &pods, "default", name, "metadata.annotations"), "\"batch.kubernetes.io/job-completion-index\":\"2\""));
    assert_non_null(strstr(cluster_text(cluster, &pods, "default", name, "metadata.labels"), "\"batch.kubernetes.io/job-completion-index\":\"2\""));
    assert_non_null(strstr(cluster_text(cluster, &pods, "default", name, "spec.containers"),
                           "\"env\":[{\"name\":\"JOB_COMPLETION_INDEX\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.labels['batch.kubernetes.io/job-completion-index']\"}}}]"));
    end_next(cluster, "sum-0-", "Succeeded", 0);
    end_next(cluster, "sum-2-", "Succeeded", 0);
    end_next(cluster, "sum-3-", "Failed", 1);
    pass(cluster, 3000);
    assert_true(is(cluster, "status.completedIndexes", "\"0,2\"") && is(cluster, "status.succeeded", "2") && is(cluster, "status.failed", "1"));
    pass(cluster, 12000);
    end_next(cluster, "sum-3-", "Succeeded", 0);
    end_next(cluster, "sum-1-", "Succeeded", 0);
    pass(cluster, 3000);
    assert_true(is(cluster, "status.completedIndexes", "\"0-3\"") && tells(cluster, "\"type\":\"Complete\""));
}

static void an_index_has_a_limit_of_its_own(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'completions':2,'parallelism':2,'completionMode':'Indexed','backoffLimitPerIndex':1,"));
    end_next(cluster, "sum-0-", "Failed", 1);
    pass(cluster, 13000);
    UNTIL(cluster, find_pod(cluster, "sum-0-") != NULL);
    assert_non_null(strstr(cluster_text(cluster, &pods, "default", find_pod(cluster, "sum-0-")->object->name, "metadata.annotations"), "job-index-failure-count\":\"1\""));
    end_next(cluster, "sum-0-", "Failed", 1);
    pass(cluster, 3000);
    assert_true(is(cluster, "status.failedIndexes", "\"0\"") && is(cluster, "status.failed", "2"));
    assert_false(tells(cluster, "FailureTarget"));
    end_next(cluster, "sum-1-", "Succeeded", 0);
    pass(cluster, 3000);
    assert_true(tells(cluster, "\"reason\":\"FailedIndexes\",\"message\":\"Job has failed indexes\"") && tells(cluster, "\"type\":\"Failed\""));
}

static void a_failure_policy_ends_a_job_by_an_exit_code(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'podFailurePolicy':{'rules':[{'action':'Ignore','onExitCodes':{'operator':'In','values':[7]}},"
                                                "{'action':'FailJob','onExitCodes':{'operator':'In','values':[42]}}]},"));
    end_next(cluster, "sum-", "Failed", 7);
    pass(cluster, 15000);
    assert_true(is(cluster, "status.failed", ""));
    end_next(cluster, "sum-", "Failed", 42);
    pass(cluster, 3000);
    assert_true(tells(cluster, "failed with exit code 42 matching FailJob rule at index 1") && tells(cluster, "\"type\":\"Failed\"") && is(cluster, "status.failed", "1"));
}

static void a_success_policy_ends_a_job_before_all_are_done(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'completions':3,'parallelism':3,'completionMode':'Indexed','successPolicy':{'rules':[{'succeededIndexes':'0'}]},"));
    UNTIL(cluster, count_running(cluster) == 3);
    end_next(cluster, "sum-0-", "Succeeded", 0);
    pass(cluster, 5000);
    assert_true(tells(cluster, "\"reason\":\"SuccessPolicy\",\"message\":\"Matched rules at index 0\"") && tells(cluster, "\"type\":\"Complete\""));
    assert_true(is(cluster, "status.succeeded", "1") && is(cluster, "status.failed", ""));
    assert_int_equal(count_pods(cluster), 1);
}

static void a_job_is_deleted_when_its_time_after_the_end_is_over(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'ttlSecondsAfterFinished':60,"));
    end_next(cluster, "sum-", "Succeeded", 0);
    pass(cluster, 30000);
    assert_true(tells(cluster, "Complete"));
    pass(cluster, 40000);
    UNTIL(cluster, !cluster_has(cluster, &jobs, "default", "sum") && count_pods(cluster) == 0);
}

static void a_deleted_job_takes_its_running_pods_with_it(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'parallelism':3,'completions':3,"));
    UNTIL(cluster, count_running(cluster) == 3);
    cluster_delete(cluster, &jobs, "default", "sum", PROPAGATION_BACKGROUND);
    UNTIL(cluster, !cluster_has(cluster, &jobs, "default", "sum") && count_pods(cluster) == 0);
    cluster_make(cluster, &jobs, "default", JOB("'parallelism':3,'completions':3,"));
    UNTIL(cluster, count_running(cluster) == 3);
    cluster_delete(cluster, &jobs, "default", "sum", PROPAGATION_FOREGROUND);
    pass(cluster, 3000);
    UNTIL(cluster, !cluster_has(cluster, &jobs, "default", "sum") && count_pods(cluster) == 0);
}

static void a_job_that_somebody_else_manages_is_left_alone(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &jobs, "default", JOB("'managedBy':'example.com/other',"));
    pass(cluster, 5000);
    assert_int_equal(count_pods(cluster), 0);
    assert_true(is(cluster, "status.ready", ""));
}

/* ---- */

static void indexes_are_told_in_rows(void **state)
{
    (void)state;
    struct job_indexes indexes = {0}, others = {0};
    assert_true(job_indexes_read(&indexes, "1,3-5,x,7", 7));
    assert_int_equal(job_indexes_total(&indexes), 4);
    assert_true(job_indexes_has(&indexes, 4) && !job_indexes_has(&indexes, 2) && !job_indexes_has(&indexes, 7));
    assert_true(job_indexes_add(&indexes, 0) && job_indexes_add(&indexes, 9) && job_indexes_add(&indexes, 4));
    char *text = job_indexes_text(&indexes);
    assert_string_equal(text, "0,1,3-5,9");
    mem_free(text);
    assert_true(job_indexes_read(&others, "2,5-20", 100));
    assert_int_equal(job_indexes_common(&indexes, &others), 2);
    assert_true(job_indexes_add_all(&indexes, &others));
    text = job_indexes_text(&indexes);
    assert_string_equal(text, "0-20");
    mem_free(text);
    job_indexes_free(&indexes);
    job_indexes_free(&others);
}

int test_jobs(void)
{
#define BUSY(name) cmocka_unit_test_setup_teardown(name, busy_cluster_open, busy_cluster_close)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_are_told_in_rows),
        BUSY(a_job_is_complete_when_its_pod_succeeded),
        BUSY(no_more_pods_run_at_once_than_are_wanted_or_missing),
        BUSY(failed_pods_are_replaced_later_and_later_up_to_the_limit),
        BUSY(a_job_past_its_deadline_fails_and_its_pods_go),
        BUSY(a_suspended_job_has_no_pods_and_goes_on_when_it_is_let_go),
        BUSY(each_index_succeeds_once),
        BUSY(an_index_has_a_limit_of_its_own),
        BUSY(a_failure_policy_ends_a_job_by_an_exit_code),
        BUSY(a_success_policy_ends_a_job_before_all_are_done),
        BUSY(a_job_is_deleted_when_its_time_after_the_end_is_over),
        BUSY(a_deleted_job_takes_its_running_pods_with_it),
        BUSY(a_job_that_somebody_else_manages_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
