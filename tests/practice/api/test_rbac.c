#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access_world.h"
#include "base/clock.h"
#include "base/mem.h"
#include "practice/api/user.h"

#define GROUP "rbac.authorization.k8s.io"
#define CLUSTER_ROLE(name, rules) "{\"metadata\":{\"name\":\"" name "\"},\"rules\":[" rules "]}"
#define BINDING(ns, name, kind, role, subjects)                                                                                \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"" ns "\"},\"roleRef\":{\"apiGroup\":\"" GROUP "\",\"kind\":\"" kind  \
    "\",\"name\":\"" role "\"},\"subjects\":[" subjects "]}"
#define CLUSTER_BINDING(name, role, subjects)                                                                                  \
    "{\"metadata\":{\"name\":\"" name "\"},\"roleRef\":{\"apiGroup\":\"" GROUP "\",\"kind\":\"ClusterRole\",\"name\":\"" role  \
    "\"},\"subjects\":[" subjects "]}"

struct question {
    const char *user, *verb, *group, *resource, *sub, *ns, *name;
    bool allowed;
    const char *reason;
};

static bool ask(struct access_world *world, const struct question *question)
{
    struct user user = access_world_user(question->user);
    struct buf reason = buf_make(4096);
    const struct attributes what = {.verb = question->verb,
                                    .group = question->group,
                                    .version = "v1",
                                    .resource = question->resource,
                                    .subresource = question->sub,
                                    .ns = question->ns,
                                    .name = question->name,
                                    .path = question->resource};
    bool allowed = access_allowed(world->api.access, &user, &what, &reason);
    bool right = allowed == question->allowed &&
                 (question->reason == NULL || strcmp(question->reason, reason.bytes != NULL ? reason.bytes : "") == 0);
    if (!right)
        print_error("%s %s %s.%s/%s %s %s: %d %s\n", question->user, question->verb, question->resource,
                    question->group != NULL ? question->group : "-", question->sub, question->ns, question->name, allowed,
                    reason.bytes != NULL ? reason.bytes : "");
    buf_free(&reason);
    user_free(&user);
    return right;
}

static void ask_all(struct access_world *world, const struct question *questions, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += ask(world, &questions[i]) ? 0 : 1;
    assert_int_equal(wrong, 0);
}
#define ASK(world, questions) ask_all(world, questions, sizeof(questions) / sizeof(questions)[0])

static void rules_match_as_a_real_servers_do(void **state)
{
    (void)state;
    struct access_world world;
    access_world_open(&world);
    access_world_put(
        &world, GROUP, "clusterroles",
        CLUSTER_ROLE(
            "r", "{\"verbs\":[\"get\",\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\",\"*/status\"]},"
                 "{\"verbs\":[\"*\"],\"apiGroups\":[\"apps\"],\"resources\":[\"*\"]},"
                 "{\"verbs\":[\"delete\"],\"apiGroups\":[\"*\"],\"resources\":[\"secrets\"],\"resourceNames\":[\"a\",\"b\"]},"
                 "{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/x\",\"/y/*\"]}"));
    access_world_put(&world, GROUP, "clusterrolebindings",
                     CLUSTER_BINDING("b", "r", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"bob\"}"));
    const struct question questions[] = {
        {"bob", "get", "", "pods", "", "ns", "p", true,
         "RBAC: allowed by ClusterRoleBinding \"b\" of ClusterRole \"r\" to User \"bob\""},
        {"bob", "get", "", "pods", NULL, NULL, NULL, true, NULL},
        {"bob", "get", "", "pods", "status", "ns", "p", true, NULL},
        {"bob", "get", "", "nodes", "status", "", "n", true, NULL},
        {"bob", "get", "", "pods", "log", "ns", "p", false, ""},
        {"bob", "get", "", "pods/status", "", "ns", "p", false, NULL}, /* a subresource is asked for as one */
        {"bob", "watch", "", "pods", "", "ns", "", false, NULL},
        {"bob", "get", "metrics.k8s.io", "pods", "", "ns", "p", false, NULL},
        {"bob", "anything", "apps", "deployments", "scale", "ns", "d", true, NULL},
        {"bob", "delete", "", "secrets", "", "ns", "a", true, NULL},
        {"bob", "delete", "x.y", "secrets", "", "ns", "b", true, NULL},
        {"bob", "delete", "", "secrets", "", "ns", "c", false, NULL},
        {"bob", "delete", "", "secrets", "", "ns", "", false, NULL},
        {"bob", "get", NULL, "/x", "", "", "", true, NULL},
        {"bob", "get", NULL, "/x/1", "", "", "", false, NULL},
        {"bob", "get", NULL, "/y/1/2", "", "", "", true, NULL},
        {"bob", "get", NULL, "/y", "", "", "", false, NULL},
        {"bob", "post", NULL, "/x", "", "", "", false, NULL},
        {"bo", "get", "", "pods", "", "ns", "p", false, NULL},
        {"eve system:masters", "delete", "", "nodes", "", "", "n", true, ""},
        {"system:anonymous system:unauthenticated", "get", NULL, "/readyz", "", "", "", false, NULL},
        {"system:anonymous system:unauthenticated", "get", NULL, "/version", "", "", "", false,
         NULL}, /* the default policy gives both */
    };
    ASK(&world, questions);
    access_world_close(&world);
}

static void a_binding_in_a_namespace_holds_there_only(void **state)
{
    (void)state;
    struct access_world world;
    access_world_open(&world);
    access_world_put(&world, GROUP, "roles",
                     "{\"metadata\":{\"name\":\"r\",\"namespace\":\"a\"},\"rules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],"
                     "\"resources\":[\"pods\"]}]}");
    access_world_put(&world, GROUP, "clusterroles",
                     CLUSTER_ROLE("c", "{\"verbs\":[\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"));
    access_world_put(&world, GROUP, "rolebindings",
                     BINDING("a", "b1", "Role", "r",
                             "{\"kind\":\"ServiceAccount\",\"name\":\"sa\"},{\"kind\":\"Group\",\"apiGroup\":\"" GROUP
                             "\",\"name\":\"devs\"}"));
    access_world_put(
        &world, GROUP, "rolebindings",
        BINDING("a", "b2", "ClusterRole", "c", "{\"kind\":\"ServiceAccount\",\"name\":\"sa\",\"namespace\":\"z\"}"));
    access_world_put(&world, GROUP, "rolebindings",
                     BINDING("b", "b3", "Role", "r", "{\"kind\":\"ServiceAccount\",\"name\":\"sa\",\"namespace\":\"a\"}"));
    const struct question questions[] = {
        {"system:serviceaccount:a:sa", "get", "", "pods", "", "a", "p", true,
         "RBAC: allowed by RoleBinding \"b1/a\" of Role \"r\" to ServiceAccount \"sa/a\""},
        {"eve devs", "get", "", "pods", "", "a", "p", true,
         "RBAC: allowed by RoleBinding \"b1/a\" of Role \"r\" to Group \"devs\""},
        {"system:serviceaccount:a:sa", "get", "", "pods", "", "", "p", false, ""},
        {"system:serviceaccount:z:sa", "list", "", "pods", "", "a", "", true,
         "RBAC: allowed by RoleBinding \"b2/a\" of ClusterRole \"c\" to ServiceAccount \"sa/z\""},
        {"system:serviceaccount:z:sa", "get", "", "pods", "", "a", "p", false, ""},
        {"system:serviceaccount:a:sa", "get", "", "pods", "", "b", "p", false,
         "rbac: RBAC: role.rbac.authorization.k8s.io \"r\" not found"},
    };
    ASK(&world, questions);
    access_world_close(&world);
}

static void what_was_written_a_moment_ago_counts(void **state)
{
    (void)state;
    struct access_world world;
    access_world_open(&world);
    const struct question no = {"bob", "get", "", "pods", "", "ns", "p", false, NULL},
                          yes = {"bob", "get", "", "pods", "", "ns", "p", true, NULL};
    const struct question missing = {
        "bob", "get", "", "pods", "", "ns", "p", false, "rbac: RBAC: clusterrole.rbac.authorization.k8s.io \"r\" not found"};
    static const char binding[] = CLUSTER_BINDING("b", "r", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"bob\"}");
    for (int round = 0; round < 3; round++) {
        assert_true(ask(&world, &no));
        access_world_put(&world, GROUP, "clusterrolebindings", binding);
        assert_true(ask(&world, &missing));
        access_world_put(&world, GROUP, "clusterroles",
                         CLUSTER_ROLE("r", "{\"verbs\":[\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"));
        assert_true(ask(&world, &no));
        access_world_put(&world, GROUP, "clusterroles",
                         CLUSTER_ROLE("r", "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"));
        assert_true(ask(&world, &yes));
        access_world_put(&world, GROUP, "clusterrolebindings",
                         CLUSTER_BINDING("b", "r", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"eve\"}"));
        assert_true(ask(&world, &no));
        access_world_put(&world, GROUP, "clusterrolebindings", binding);
        assert_true(ask(&world, &yes));
        access_world_remove(&world, GROUP, "clusterroles", "", "r");
        assert_true(ask(&world, &missing));
        access_world_remove(&world, GROUP, "clusterrolebindings", "", "b");
        assert_true(ask(&world, &no));
    }
    access_world_close(&world);
}

static void the_default_policy_gives_what_it_should(void **state)
{
    (void)state;
    struct access_world world;
    access_world_open(&world);
    access_world_policy(&world);
    access_world_put(
        &world, GROUP, "rolebindings",
        BINDING("a", "v", "ClusterRole", "view", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"viewer\"}"));
    access_world_put(
        &world, GROUP, "rolebindings",
        BINDING("a", "e", "ClusterRole", "edit", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"editor\"}"));
    access_world_put(
        &world, GROUP, "rolebindings",
        BINDING("a", "a", "ClusterRole", "admin", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"boss\"}"));
    const struct question questions[] = {
        {"system:anonymous system:unauthenticated", "get", NULL, "/version", "", "", "", true,
         "RBAC: allowed by ClusterRoleBinding \"system:public-info-viewer\" of ClusterRole \"system:public-info-viewer\" to "
         "Group \"system:unauthenticated\""},
        {"system:anonymous system:unauthenticated", "get", NULL, "/api", "", "", "", false, NULL},
        {"x system:authenticated", "get", NULL, "/api/v1", "", "", "", true, NULL},
        {"x system:authenticated", "create", "authorization.k8s.io", "selfsubjectaccessreviews", "", "", "", true,
         "RBAC: allowed by ClusterRoleBinding \"system:basic-user\" of ClusterRole \"system:basic-user\" to Group "
         "\"system:authenticated\""},
        {"viewer", "list", "apps", "deployments", "", "a", "", true, NULL},
        {"viewer", "get", "", "secrets", "", "a", "s", false, NULL},
        {"viewer", "list", "apps", "deployments", "", "b", "", false, NULL},
        {"editor", "get", "", "secrets", "", "a", "s", true, NULL},
        {"editor", "list", "apps", "deployments", "", "a", "", true, NULL},
        {"editor", "create", GROUP, "roles", "", "a", "", false, NULL},
        {"boss", "create", GROUP, "roles", "", "a", "", true, NULL},
        {"boss", "delete", "", "pods", "", "a", "p", true, NULL},
        {"boss", "update", "", "resourcequotas", "", "a", "q", false, NULL},
        {"system:serviceaccount:kube-system:deployment-controller", "create", "apps", "replicasets", "", "a", "", true,
         "RBAC: allowed by ClusterRoleBinding \"system:controller:deployment-controller\" of ClusterRole "
         "\"system:controller:deployment-controller\" to ServiceAccount "
         "\"deployment-controller/kube-system\""},
        {"system:serviceaccount:kube-system:generic-garbage-collector", "delete", "x.example.com", "widgets", "", "a", "w",
         true, NULL},
        {"system:serviceaccount:kube-system:namespace-controller", "delete", "", "pods", "", "a", "p", true, NULL},
        {"system:node:node1 system:nodes", "update", "", "nodes", "status", "", "node1", true, NULL},
        {"system:node:node1", "update", "", "nodes", "status", "", "node1", false, NULL},
    };
    ASK(&world, questions);
    access_world_close(&world);
}

static void an_answer_takes_microseconds(void **state)
{
    (void)state;
    enum { TIMES = 20000 };
    struct access_world world;
    access_world_open(&world);
    access_world_policy(&world);
    struct user learner = access_world_user("kubernetes-admin system:masters system:authenticated");
    struct user controller = access_world_user(
        "system:serviceaccount:kube-system:deployment-controller system:serviceaccounts system:authenticated");
    const struct attributes what = {.verb = "update",
                                    .group = "apps",
                                    .version = "v1",
                                    .resource = "deployments",
                                    .subresource = "status",
                                    .ns = "a",
                                    .name = "d"};
    int64_t start = clock_monotonic_us();
    for (int i = 0; i < TIMES; i++)
        assert_true(access_allowed(world.api.access, &learner, &what, NULL));
    int64_t middle = clock_monotonic_us();
    for (int i = 0; i < TIMES; i++)
        assert_true(access_allowed(world.api.access, &controller, &what, NULL));
    int64_t end = clock_monotonic_us();
    print_message("the learner %.3f us, a controller %.3f us\n", (double)(middle - start) / TIMES,
                  (double)(end - middle) / TIMES);
    assert_true((middle - start) / TIMES < 50); /* sanitizers and a busy machine; the release build is measured */
    user_free(&learner);
    user_free(&controller);
    access_world_close(&world);
}

static void without_memory_nothing_is_allowed(void **state)
{
    (void)state;
    bool allowed = false;
    int nth = 0;
    for (; !allowed && nth < 10000; nth++) {
        struct access_world world;
        access_world_open(&world);
        access_world_put(&world, GROUP, "clusterroles",
                         CLUSTER_ROLE("r", "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"));
        access_world_put(&world, GROUP, "clusterrolebindings",
                         CLUSTER_BINDING("b", "r", "{\"kind\":\"User\",\"apiGroup\":\"" GROUP "\",\"name\":\"bob\"}"));
        struct user bob = access_world_user("bob");
        const struct attributes what =
                                    {.verb = "get", .group = "", .version = "v1", .resource = "pods", .ns = "a", .name = "p"},
                                other = {.verb = "get", .group = "", .resource = "nodes"};
        mem_fail_at(nth + 1);
        allowed = access_allowed(world.api.access, &bob, &what, NULL);
        mem_fail_at(0);
        assert_true(access_allowed(world.api.access, &bob, &what, NULL)); /* and the next time it is */
        assert_false(access_allowed(world.api.access, &bob, &other, NULL));
        user_free(&bob);
        access_world_close(&world);
    }
    assert_true(allowed);
    assert_true(nth > 5);
}

int test_rbac(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_match_as_a_real_servers_do),     cmocka_unit_test(a_binding_in_a_namespace_holds_there_only),
        cmocka_unit_test(what_was_written_a_moment_ago_counts), cmocka_unit_test(the_default_policy_gives_what_it_should),
        cmocka_unit_test(an_answer_takes_microseconds),         cmocka_unit_test(without_memory_nothing_is_allowed),
    };
    return cmocka_run_group_tests_name("practice/api/rbac", tests, NULL, NULL);
}
