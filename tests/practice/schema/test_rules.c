#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/yaml.h"
#include "practice/schema/convert.h"
#include "practice/schema/decode.h"
#include "practice/schema/rules.h"

enum { MOST_FILE = 1 << 24, MOST_TEXT = 1 << 22, SHOWN = 20 };

/* One case while it is played. */
struct play {
    const struct schema_kind *kind;    /* of the body */
    const struct schema_kind *storage; /* what it is judged as */
    const struct value *base, *old, *entry;
    const char *verb;
};

/* The value at a JSON pointer's part; NULL: to be made. */
static struct value *step(struct value *at, const char *part)
{
    return value_type(at) == VALUE_ARRAY ? value_item(at, (size_t)strtoul(part, NULL, 10)) : value_get(at, part);
}

static void unescape(char *part)
{
    char *out = part;
    for (const char *in = part; *in != '\0'; in++)
        if (in[0] == '~' && (in[1] == '0' || in[1] == '1'))
            *out++ = *++in == '0' ? '~' : '/';
        else
            *out++ = *in;
    *out = '\0';
}

static void put_last(struct value *at, const char *part, const struct value *what)
{
    struct value *there = step(at, part), *copy = value_type(what) == VALUE_NULL ? NULL : value_copy(what);
    if (copy == NULL) {
        if (there != NULL)
            value_free(value_take(at, there));
    } else if (value_type(at) == VALUE_ARRAY) {
        assert_true(there != NULL && strcmp(part, "-") != 0 ? value_replace(at, there, copy) : value_append(at, copy));
    } else {
        assert_true(value_set(at, part, copy));
    }
}

static void set_at(struct value *document, const char *pointer, const struct value *what)
{
    char *path = mem_string(pointer + 1), *part = path;
    struct value *at = document;
    for (char *slash; (slash = strchr(part, '/')) != NULL; part = slash + 1) {
        *slash = '\0';
        unescape(part);
        struct value *next = step(at, part);
        if (next == NULL) {
            bool list = strcmp(slash + 1, "0") == 0 || strcmp(slash + 1, "-") == 0;
            assert_true(value_set(at, part, list ? value_array() : value_object()));
            next = value_get(at, part);
        }
        at = next;
    }
    unescape(part);
    put_last(at, part, what);
    mem_free(path);
}

static void set_text(struct value *object, const char *key, const char *text)
{
    assert_true(value_set(object, key, value_string(text)));
}

/* What the API puts into metadata before the rules are asked. */
static void fill_metadata(const struct play *play, struct value *document)
{
    struct value *metadata = value_child(document, "metadata");
    const char *name = value_text(value_get(metadata, "name"));
    if (play->kind->namespaced && value_get(metadata, "namespace") == NULL)
        set_text(metadata, "namespace", "kt-rules");
    if (strcmp(play->verb, "create") == 0)
        set_text(metadata, "uid", "00000000-0000-0000-0000-000000000001");
    if ((name == NULL || *name == '\0') && value_get(metadata, "generateName") != NULL)
        set_text(metadata, "name", "generated");
}

/* Through the body's own decoding and defaults to the version that is judged. NULL: no memory. */
static struct value *stored(const struct play *play, const struct value *document)
{
    struct error err = ERROR_INIT;
    char *text = json_text(document, MOST_TEXT);
    struct value *object = text != NULL ? schema_decode(text, strlen(text), play->kind->schema, NULL, &err) : NULL, *made;
    mem_free(text);
    if (object == NULL && err.kind == ERROR_INPUT)
        fail_msg("%s", err.message);
    if (object == NULL || !rules_default(play->kind, object)) {
        value_free(object);
        return NULL;
    }
    if (play->kind == play->storage)
        return object;
    made = schema_convert(play->storage, play->kind, object);
    value_free(object);
    if (made != NULL && rules_default(play->storage, made))
        return made;
    value_free(made);
    return NULL;
}

static struct value *document_of(const struct play *play)
{
    struct value *document = value_copy(strcmp(play->verb, "create") == 0 ? play->base : play->old);
    for (const struct value *set = value_first(value_get(play->entry, "set")); set != NULL; set = value_next(set))
        set_at(document, value_key(set), set);
    fill_metadata(play, document);
    return document;
}

/* Admission comes before the rules: a Pod has a service account. */
static bool admit(const struct play *play, struct value *object)
{
    struct value *spec = value_get(object, "spec");
    if (strcmp(play->kind->kind, "Pod") != 0 || strcmp(play->verb, "create") != 0 || spec == NULL || value_get(spec, "serviceAccountName") != NULL)
        return true;
    return value_set(spec, "serviceAccountName", value_string("default")) && value_set(spec, "serviceAccount", value_string("default"));
}

/* Prepares and judges; false: no memory. */
static bool judge(const struct play *play, struct value *object, const struct value *old, struct problems *problems)
{
    if (strcmp(play->verb, "create") == 0) {
        if (!rules_prepare_create(play->storage, object))
            return false;
        rules_validate_create(play->storage, object, problems);
    } else if (strcmp(play->verb, "update") == 0) {
        if (!rules_prepare_update(play->storage, object, old))
            return false;
        rules_validate_update(play->storage, object, old, problems);
    } else {
        if (!rules_prepare_status(play->storage, object, old))
            return false;
        rules_validate_status(play->storage, object, old, problems);
    }
    return !problems->failed;
}

static void strip_metadata(struct value *object)
{
    static const char *const keys[] = {"creationTimestamp", "managedFields", "resourceVersion", "uid"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        value_remove(value_get(object, "metadata"), keys[i]);
    value_remove(value_get(object, "status"), "lastPhaseTransitionTime");
}

/* What the recorder leaves out of a Pod because it is admission's. */
static void strip_pod(struct value *object, const struct value *sent)
{
    struct value *spec = value_get(object, "spec");
    if (value_find(sent, "spec", "serviceAccountName", NULL) != NULL || value_find(sent, "spec", "serviceAccount", NULL) != NULL)
        return;
    value_remove(spec, "serviceAccountName");
    value_remove(spec, "serviceAccount");
}

/* What the recorder leaves out of a Service because it is allocated. */
static void strip_service(struct value *object, const struct value *sent)
{
    static const char *const keys[] = {"clusterIP", "clusterIPs", "healthCheckNodePort", "ipFamilies", "ipFamilyPolicy"};
    struct value *spec = value_get(object, "spec");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (value_find(sent, "spec", keys[i], NULL) == NULL)
            value_remove(spec, keys[i]);
    struct value *port = value_first(value_get(spec, "ports"));
    const struct value *sent_port = value_first(value_find(sent, "spec", "ports", NULL));
    for (; port != NULL && sent_port != NULL; port = value_next(port), sent_port = value_next(sent_port))
        if (value_get(sent_port, "nodePort") == NULL)
            value_remove(port, "nodePort");
}

static void print_problems(const struct problems *problems, struct buf *out)
{
    for (size_t i = 0; i < problems->list.length; i++) {
        const struct problem *problem = problems->list.items[i];
        buf_printf(out, "! %s | %s | %s\n", problem_reason(problem->type), problem->field, problem->message);
    }
}

/* The place of the first difference, for whoever reads a failure. */
static bool print_difference(const struct value *wanted, const struct value *got, const char *path, struct buf *out)
{
    char below[512];
    if (value_equal(wanted, got))
        return false;
    if (value_type(wanted) == value_type(got) && (value_type(wanted) == VALUE_OBJECT || value_type(wanted) == VALUE_ARRAY)) {
        bool array = value_type(wanted) == VALUE_ARRAY;
        size_t i = 0, most = value_length(wanted) > value_length(got) ? value_length(wanted) : value_length(got);
        for (; array && i < most; i++) {
            snprintf(below, sizeof below, "%s[%zu]", path, i);
            if (print_difference(value_item(wanted, i), value_item(got, i), below, out))
                return true;
        }
        for (const struct value *entry = value_first(array ? NULL : wanted); entry != NULL; entry = value_next(entry)) {
            snprintf(below, sizeof below, "%s.%s", path, value_key(entry));
            if (print_difference(entry, value_get(got, value_key(entry)), below, out))
                return true;
        }
        for (const struct value *entry = value_first(array ? NULL : got); entry != NULL; entry = value_next(entry)) {
            snprintf(below, sizeof below, "%s.%s", path, value_key(entry));
            if (value_get(wanted, value_key(entry)) == NULL && print_difference(NULL, entry, below, out))
                return true;
        }
    }
    buf_printf(out, "= %s: ", path);
    json_print(got, false, out);
    buf_append_string(out, "\n");
    return true;
}

/* What is recorded, in the words of `got`. */
static char *wanted_of(const struct play *play)
{
    struct buf out = buf_make(MOST_TEXT);
    for (const struct value *cause = value_first(value_get(play->entry, "refused")); cause != NULL; cause = value_next(cause))
        buf_printf(&out, "! %s | %s | %s\n", value_text(value_item(cause, 0)), value_text(value_item(cause, 1)), value_text(value_item(cause, 2)));
    for (const struct value *warning = value_first(value_get(play->entry, "warnings")); warning != NULL; warning = value_next(warning))
        buf_printf(&out, "? %s\n", value_text(warning));
    return buf_take(&out, NULL);
}

/* Problems, or where the object differs from what is recorded; and warnings. NULL: no memory. */
static char *got_of(const struct play *play, const struct value *document)
{
    struct value *object = stored(play, document), *shown = NULL;
    struct value *old = object != NULL && strcmp(play->verb, "create") != 0 ? stored(play, play->old) : NULL;
    struct problems problems = problems_make();
    struct vec warnings = vec_make(1000, mem_free);
    struct buf out = buf_make(MOST_TEXT);
    const struct rules *rules = rules_of(play->storage);
    const struct value *accepted = value_get(play->entry, "accepted");
    bool ok = object != NULL && admit(play, object) && judge(play, object, old, &problems);
    if (ok && problems.list.length == 0 && rules->warn != NULL && strcmp(play->verb, "status") != 0)
        rules->warn(object, old, &warnings);
    print_problems(&problems, &out);
    if (ok && problems.list.length == 0) {
        shown = play->kind == play->storage ? value_copy(object) : schema_convert(play->kind, play->storage, object);
        ok = shown != NULL;
        strip_metadata(shown);
        if (ok && strcmp(play->kind->kind, "Service") == 0)
            strip_service(shown, document);
        if (strcmp(play->kind->kind, "Pod") == 0 && strcmp(play->verb, "create") == 0)
            strip_pod(shown, document);
        if (ok && accepted != NULL)
            print_difference(accepted, shown, "", &out);
        else if (ok)
            buf_append_string(&out, "= accepted\n");
    } else if (ok && accepted != NULL) {
        buf_append_string(&out, "= refused\n");
    }
    for (size_t i = 0; i < warnings.length; i++)
        buf_printf(&out, "? %s\n", (const char *)warnings.items[i]);
    value_free(shown);
    value_free(object);
    value_free(old);
    problems_free(&problems);
    vec_free(&warnings);
    if (ok)
        return buf_take(&out, NULL);
    buf_free(&out);
    return NULL;
}

static int wrong, cases, files;

static bool is_played(const char *verb)
{
    return strcmp(verb, "create") == 0 || strcmp(verb, "update") == 0 || strcmp(verb, "status") == 0;
}

static struct play play_of(const struct value *head, const struct value *entry)
{
    struct play play = {.base = value_get(head, "base"), .old = value_get(head, "old"), .entry = entry, .verb = value_text(value_get(entry, "verb"))};
    const char *version = value_find_text(play.base, "apiVersion", NULL), *kind = value_find_text(play.base, "kind", NULL);
    if (play.verb == NULL)
        play.verb = "create";
    play.kind = schema_kind_at(version, kind);
    if (play.kind == NULL)
        fail_msg("%s %s is not served", version, kind);
    /* An Event is judged by the version that it comes in. */
    play.storage = strcmp(kind, "Event") == 0 ? play.kind : play.kind->storage;
    return play;
}

static void check(const char *path, const struct play *play)
{
    struct value *document = document_of(play);
    char *wanted = wanted_of(play), *got = got_of(play, document);
    value_free(document);
    if (got == NULL)
        got = mem_string("no memory\n");
    cases++;
    if (strcmp(wanted, got) != 0 && wrong++ < SHOWN) {
        char *set = json_text(value_get(play->entry, "set"), MOST_TEXT);
        print_error("%s %s %s\nwanted\n%sgot\n%s\n", strrchr(path, '/') + 1, play->verb, set, wanted, got);
        mem_free(set);
    }
    mem_free(wanted);
    mem_free(got);
}

static struct vec read_file(const char *path)
{
    struct error err = ERROR_INIT;
    struct vec documents;
    size_t length;
    char *text = file_read(path, MOST_FILE, &length, &err);
    assert_non_null(text);
    if (!yaml_parse_all(text, length, path, YAML_DUPLICATES_REFUSE, &documents, &err))
        fail_msg("%s", err.message);
    mem_free(text);
    return documents;
}

static void each_file(const char *pattern, void (*visit)(const char *path, const struct play *play))
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct vec documents = read_file(found.gl_pathv[i]);
        files++;
        for (size_t k = 1; k < documents.length; k++) {
            struct play play = play_of(documents.items[0], documents.items[k]);
            if (is_played(play.verb))
                visit(found.gl_pathv[i], &play);
        }
        vec_free(&documents);
    }
    globfree(&found);
}

static void recorded_judgements_are_repeated(void **state)
{
    const char *only = getenv("KT_RULES");
    char pattern[512];
    (void)state;
    snprintf(pattern, sizeof pattern, "%s/rules/%s.case", KT_TEST_CASES, only != NULL ? only : "*");
    wrong = cases = files = 0;
    each_file(pattern, check);
    if (wrong > 0)
        fail_msg("%d of %d cases in %d files differ", wrong, cases, files);
    assert_true(cases > 0);
}

static int tried;

/* Far from each other where there are many, so that each file's first cases are done in a moment. */
static void starve(const char *path, const struct play *play)
{
    struct value *document = document_of(play);
    (void)path;
    for (int nth = 1; nth < 20000 && cases % 25 == 0; nth += 1 + nth / 8) {
        mem_fail_at(nth);
        char *got = got_of(play, document);
        mem_fail_at(0);
        mem_free(got);
        tried++;
    }
    value_free(document);
    cases++;
}

static void survives_every_allocation_failing(void **state)
{
    char pattern[512];
    (void)state;
    snprintf(pattern, sizeof pattern, "%s/rules/*.case", KT_TEST_CASES);
    cases = files = tried = 0;
    each_file(pattern, starve);
    assert_true(tried > 1000);
}

/* A kind is what discovery says, and a rule stands for one that there is. */
static void rules_are_found_by_kind(void **state)
{
    (void)state;
    const struct schema_kind *pod = schema_kind_of("", "v1", "Pod"), *role = schema_kind_of("rbac.authorization.k8s.io", "v1", "Role");
    assert_non_null(rules_of(pod)->grace);
    assert_null(rules_of(role)->grace);
    assert_string_equal(rules_of(schema_kind_of("autoscaling", "v1", "HorizontalPodAutoscaler"))->kind, "HorizontalPodAutoscaler");
}

static void a_pod_gets_its_own_time_to_end_and_nothing_to_wait_for_is_ended_at_once(void **state)
{
    struct error err = ERROR_INIT;
    const struct rules *rules = rules_of(schema_kind_of("", "v1", "Pod"));
    static const struct {
        const char *pod;
        int64_t seconds;
    } pods[] = {
        {"{\"spec\": {\"nodeName\": \"n\", \"terminationGracePeriodSeconds\": 7}, \"status\": {\"phase\": \"Running\"}}", 7},
        {"{\"spec\": {\"terminationGracePeriodSeconds\": 7}, \"status\": {\"phase\": \"Pending\"}}", 0},
        {"{\"spec\": {\"nodeName\": \"n\", \"terminationGracePeriodSeconds\": 7}, \"status\": {\"phase\": \"Succeeded\"}}", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pods / sizeof pods[0]; i++) {
        struct value *pod = json_parse(pods[i].pod, strlen(pods[i].pod), "pod", &err);
        assert_int_equal(rules->grace(pod), pods[i].seconds);
        value_free(pod);
    }
}

static void assert_field(const char *version, const char *kind, const char *object, const char *selector, const char *wanted)
{
    struct error err = ERROR_INIT;
    struct buf out = buf_make(1000);
    struct value *v = json_parse(object, strlen(object), "object", &err);
    rules_field(schema_kind_at(version, kind), v, selector, &out);
    assert_string_equal(out.bytes != NULL ? out.bytes : "", wanted);
    buf_free(&out);
    value_free(v);
}

static void fields_are_selected_by_their_path(void **state)
{
    static const char pod[] = "{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"nodeName\": \"n\", \"hostNetwork\": true}, \"status\": {\"ready\": 3}}";
    (void)state;
    assert_field("v1", "Pod", pod, "metadata.name", "a");
    assert_field("v1", "Pod", pod, "spec.nodeName", "n");
    assert_field("v1", "Pod", pod, "spec.hostNetwork", "true");
    assert_field("v1", "Pod", pod, "status.ready", "3");
    assert_field("v1", "Pod", pod, "status.phase", "");
    assert_field("v1", "Pod", pod, "spec", "");
}

static void fields_that_are_false_or_zero_unless_said_read_so(void **state)
{
    (void)state;
    assert_field("v1", "Node", "{\"spec\": {}}", "spec.unschedulable", "false");
    assert_field("v1", "Node", "{\"spec\": {\"unschedulable\": true}}", "spec.unschedulable", "true");
    assert_field("v1", "Pod", "{}", "spec.hostNetwork", "false");
    assert_field("apps/v1", "ReplicaSet", "{}", "status.replicas", "0");
    assert_field("v1", "ReplicationController", "{\"status\": {\"replicas\": 2}}", "status.replicas", "2");
    assert_field("batch/v1", "Job", "{\"status\": {\"succeeded\": 2}}", "status.successful", "2");
    assert_field("batch/v1", "Job", "{}", "status.successful", "0");
    assert_field("v1", "Event", "{\"source\": {\"component\": \"kubelet\"}, \"reportingComponent\": \"other\"}", "source", "kubelet");
    assert_field("v1", "Event", "{\"source\": {\"component\": \"\"}, \"reportingComponent\": \"other\"}", "source", "other");
}

static void events_are_indexed_alike_in_both_versions(void **state)
{
    const char *const *core = rules_of(schema_kind_at("v1", "Event"))->selectors, *const *later = rules_of(schema_kind_at("events.k8s.io/v1", "Event"))->selectors;
    (void)state;
    for (size_t i = 0; later[i] != NULL; i++) {
        const char *there = strrchr(later[i], '.') != NULL ? strrchr(later[i], '.') : later[i];
        if (strcmp(there, "reportingController") == 0)
            there = "reportingComponent";
        assert_non_null(strstr(core[i], there));
    }
}

static struct value *read_back(const char *text)
{
    struct error err = ERROR_INIT;
    struct value *v = json_parse(text, strlen(text), "object", &err);
    assert_non_null(v);
    return v;
}

/* There and back again, and what stands in between. */
static void converts(const char *group, const char *version, const char *kind, const char *other_group, const char *other_version, const char *from, const char *to)
{
    const struct schema_kind *a = schema_kind_of(group, version, kind), *b = schema_kind_of(other_group, other_version, kind);
    struct error err = ERROR_INIT;
    struct value *object = read_back(from), *wanted = read_back(to);
    assert_true(schema_normalise(object, a->schema, NULL, &err) && schema_normalise(wanted, b->schema, NULL, &err));
    struct value *made = schema_convert(b, a, object), *back = schema_convert(a, b, made);
    char *made_text = json_text(made, MOST_TEXT), *wanted_text = json_text(wanted, MOST_TEXT);
    assert_string_equal(made_text, wanted_text);
    char *back_text = json_text(back, MOST_TEXT), *from_text = json_text(object, MOST_TEXT);
    assert_string_equal(back_text, from_text);
    mem_free(made_text);
    mem_free(wanted_text);
    mem_free(back_text);
    mem_free(from_text);
    value_free(object);
    value_free(wanted);
    value_free(made);
    value_free(back);
}

static void events_have_two_sets_of_names(void **state)
{
    (void)state;
    converts("", "v1", "Event", "events.k8s.io", "v1",
             "{\"apiVersion\": \"v1\", \"kind\": \"Event\", \"metadata\": {\"name\": \"e\", \"namespace\": \"d\"}, \"involvedObject\": {\"kind\": \"Pod\", \"name\": \"p\"},"
             "\"reason\": \"R\", \"message\": \"m\", \"source\": {\"component\": \"c\"}, \"firstTimestamp\": \"2026-01-01T00:00:00Z\", \"lastTimestamp\": \"2026-01-02T00:00:00Z\","
             "\"count\": 3, \"type\": \"Normal\", \"reportingComponent\": \"r\", \"reportingInstance\": \"i\"}",
             "{\"apiVersion\": \"events.k8s.io/v1\", \"kind\": \"Event\", \"metadata\": {\"name\": \"e\", \"namespace\": \"d\"}, \"regarding\": {\"kind\": \"Pod\", \"name\": \"p\"},"
             "\"reason\": \"R\", \"note\": \"m\", \"deprecatedSource\": {\"component\": \"c\"}, \"deprecatedFirstTimestamp\": \"2026-01-01T00:00:00Z\","
             "\"deprecatedLastTimestamp\": \"2026-01-02T00:00:00Z\", \"deprecatedCount\": 3, \"type\": \"Normal\", \"reportingController\": \"r\", \"reportingInstance\": \"i\"}");
}

static void an_autoscaler_loses_nothing_in_v1(void **state)
{
    char *v2 = file_read(KT_TEST_CASES "/rules/convert/hpa_v2.json", MOST_FILE, NULL, NULL), *v1 = file_read(KT_TEST_CASES "/rules/convert/hpa_v1.json", MOST_FILE, NULL, NULL);
    (void)state;
    assert_non_null(v1);
    assert_non_null(v2);
    converts("autoscaling", "v2", "HorizontalPodAutoscaler", "autoscaling", "v1", v2, v1);
    mem_free(v1);
    mem_free(v2);
}

static void an_annotation_that_cannot_be_read_is_dropped(void **state)
{
    static const char *const broken[] = {"[", "{}", "[1]", "[{\"type\": 3}]", "[{\"type\": \"Pods\", \"pods\": {\"targetAverageValue\": \"x\"}}]", "null"};
    const struct schema_kind *v1 = schema_kind_of("autoscaling", "v1", "HorizontalPodAutoscaler"), *v2 = schema_kind_of("autoscaling", "v2", "HorizontalPodAutoscaler");
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        static const char *const keys[] = {"metrics", "behavior", "current-metrics", "conditions"};
        struct value *object = read_back("{\"apiVersion\": \"autoscaling/v1\", \"metadata\": {\"annotations\": {}}, \"spec\": {\"targetCPUUtilizationPercentage\": 5}}");
        for (size_t k = 0; k < 4; k++) {
            char *key = mem_printf("autoscaling.alpha.kubernetes.io/%s", keys[k]);
            assert_true(value_set(value_find(object, "metadata", "annotations", NULL), key, value_string(broken[i])));
            mem_free(key);
        }
        struct value *made = schema_convert(v2, v1, object);
        assert_non_null(made);
        assert_null(value_find(made, "metadata", "annotations", NULL));
        assert_int_equal(value_length(value_find(made, "spec", "metrics", NULL)), 1);
        assert_null(value_find(made, "spec", "behavior", NULL));
        value_free(made);
        value_free(object);
    }
}

int test_rules(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_judgements_are_repeated),
        cmocka_unit_test(survives_every_allocation_failing),
        cmocka_unit_test(rules_are_found_by_kind),
        cmocka_unit_test(a_pod_gets_its_own_time_to_end_and_nothing_to_wait_for_is_ended_at_once),
        cmocka_unit_test(fields_are_selected_by_their_path),
        cmocka_unit_test(fields_that_are_false_or_zero_unless_said_read_so),
        cmocka_unit_test(events_are_indexed_alike_in_both_versions),
        cmocka_unit_test(events_have_two_sets_of_names),
        cmocka_unit_test(an_autoscaler_loses_nothing_in_v1),
        cmocka_unit_test(an_annotation_that_cannot_be_read_is_dropped),
    };
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
