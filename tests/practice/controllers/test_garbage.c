/* The garbage collector on a whole server: who goes when an owner goes, and who stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster.h"

static const char ns[] = "default";

static int open_cluster(void **state)
{
    struct cluster *cluster = mem_zero(1, sizeof *cluster);
    cluster_open(cluster);
    *state = cluster;
    return 0;
}

static int close_cluster(void **state)
{
    cluster_close(*state);
    mem_free(*state);
    return 0;
}

static const char *make(struct cluster *cluster, const char *name)
{
    return cluster_make(cluster, &configmaps, ns, "{'metadata':{'name':'%s'}}", name);
}

static const char *make_owned(struct cluster *cluster, const char *name, const char *owner, const char *uid, bool blocks)
{
    return cluster_make(cluster, &configmaps, ns, "{'metadata':{'name':'%s','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'%s','uid':'%s','blockOwnerDeletion':%s}]}}", name, owner,
                        uid, blocks ? "true" : "false");
}

static bool has(struct cluster *cluster, const char *name)
{
    return cluster_has(cluster, &configmaps, ns, name);
}

static bool is_marked(struct cluster *cluster, const char *name)
{
    return strcmp(cluster_text(cluster, &configmaps, ns, name, "metadata.deletionTimestamp"), "") != 0;
}

static void in_the_background_dependents_follow_their_owner(void **state)
{
    struct cluster *cluster = *state;
    const char *child = make_owned(cluster, "bg-child", "bg", make(cluster, "bg"), true);
    make_owned(cluster, "bg-grandchild", "bg-child", child, true);
    cluster_settle(cluster);
    assert_true(has(cluster, "bg-child"));
    cluster_delete(cluster, &configmaps, ns, "bg", PROPAGATION_BACKGROUND);
    assert_false(has(cluster, "bg"));
    UNTIL(cluster, !has(cluster, "bg-child") && !has(cluster, "bg-grandchild"));
}

static void orphans_stay_and_forget_their_owner(void **state)
{
    struct cluster *cluster = *state;
    const char *owner = make(cluster, "or"), *other = make(cluster, "or-other");
    make_owned(cluster, "or-child", "or", owner, true);
    cluster_make(cluster, &configmaps, ns,
                 "{'metadata':{'name':'or-two','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'or','uid':'%s'},{'apiVersion':'v1','kind':'ConfigMap','name':'or-other','uid':'%s'}]}}",
                 owner, other);
    cluster_delete(cluster, &configmaps, ns, "or", PROPAGATION_ORPHAN); /* at once: the graph knows of none of them yet */
    UNTIL(cluster, !has(cluster, "or"));
    cluster_settle(cluster);
    assert_true(has(cluster, "or-child"));
    assert_string_equal(cluster_text(cluster, &configmaps, ns, "or-child", "metadata.ownerReferences"), "");
    const char *left = cluster_text(cluster, &configmaps, ns, "or-two", "metadata.ownerReferences");
    assert_non_null(strstr(left, "or-other"));
    assert_null(strstr(left, owner));
}

static void in_the_foreground_the_owner_goes_last(void **state)
{
    struct cluster *cluster = *state;
    const char *owner = make(cluster, "fg");
    const char *child = cluster_make(cluster, &configmaps, ns,
                                     "{'metadata':{'name':'fg-child','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'fg','uid':'%s','blockOwnerDeletion':true}]}}", owner);
    cluster_make(cluster, &configmaps, ns,
                 "{'metadata':{'name':'fg-grandchild','finalizers':['example.com/x'],'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'fg-child','uid':'%s','blockOwnerDeletion':true}]}}",
                 child);
    cluster_settle(cluster);
    cluster_delete(cluster, &configmaps, ns, "fg", PROPAGATION_FOREGROUND);
    UNTIL(cluster, is_marked(cluster, "fg-child") && is_marked(cluster, "fg-grandchild"));
    cluster_settle(cluster);
    assert_true(is_marked(cluster, "fg"));
    assert_string_equal(cluster_text(cluster, &configmaps, ns, "fg-child", "metadata.finalizers"), "[\"foregroundDeletion\"]");
    cluster_patch(cluster, &configmaps, ns, "fg-grandchild", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !has(cluster, "fg-child") && !has(cluster, "fg"));
}

static void a_dependent_that_does_not_block_is_not_waited_for(void **state)
{
    struct cluster *cluster = *state;
    const char *owner = make(cluster, "nb");
    cluster_make(cluster, &configmaps, ns, "{'metadata':{'name':'nb-child','finalizers':['example.com/x'],'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'nb','uid':'%s'}]}}", owner);
    cluster_settle(cluster);
    cluster_delete(cluster, &configmaps, ns, "nb", PROPAGATION_FOREGROUND);
    UNTIL(cluster, !has(cluster, "nb") && is_marked(cluster, "nb-child"));
    cluster_patch(cluster, &configmaps, ns, "nb-child", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !has(cluster, "nb-child"));
}

static void an_owner_that_is_waited_for_may_be_let_off(void **state)
{
    struct cluster *cluster = *state;
    const char *owner = make(cluster, "let");
    cluster_make(cluster, &configmaps, ns,
                 "{'metadata':{'name':'let-child','finalizers':['example.com/x'],'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'let','uid':'%s','blockOwnerDeletion':true}]}}", owner);
    cluster_settle(cluster);
    cluster_delete(cluster, &configmaps, ns, "let", PROPAGATION_FOREGROUND);
    UNTIL(cluster, is_marked(cluster, "let-child"));
    cluster_settle(cluster);
    assert_true(has(cluster, "let"));
    cluster_patch(cluster, &configmaps, ns, "let-child", "{'metadata':{'ownerReferences':null}}");
    UNTIL(cluster, !has(cluster, "let"));
    assert_true(has(cluster, "let-child"));
    cluster_patch(cluster, &configmaps, ns, "let-child", "{'metadata':{'finalizers':null}}");
}

static void references_that_lead_nowhere_count_as_gone(void **state)
{
    struct cluster *cluster = *state;
    const char *owner = make(cluster, "real");
    make_owned(cluster, "absent-owner", "never-was", "11111111-2222-3333-4444-555555555555", false);
    make_owned(cluster, "wrong-uid", "real", "11111111-2222-3333-4444-666666666666", false);
    make_owned(cluster, "wrong-name", "not-real", owner, false);
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'far'}}");
    cluster_make(cluster, &configmaps, "far", "{'metadata':{'name':'far-child','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'real','uid':'%s'}]}}", owner);
    cluster_make(cluster, &configmaps, ns,
                 "{'metadata':{'name':'one-is-there','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'real','uid':'%s'},"
                 "{'apiVersion':'v1','kind':'Secret','name':'gone','uid':'11111111-2222-3333-4444-777777777777'}]}}",
                 owner);
    UNTIL(cluster, !has(cluster, "absent-owner") && !has(cluster, "wrong-uid") && !has(cluster, "wrong-name") && !cluster_has(cluster, &configmaps, "far", "far-child"));
    UNTIL(cluster, strstr(cluster_text(cluster, &configmaps, ns, "one-is-there", "metadata.ownerReferences"), "Secret") == NULL);
    assert_true(has(cluster, "real"));
    assert_non_null(strstr(cluster_text(cluster, &configmaps, ns, "one-is-there", "metadata.ownerReferences"), owner));
    cluster_delete(cluster, &configmaps, ns, "real", PROPAGATION_BACKGROUND);
    UNTIL(cluster, !has(cluster, "one-is-there"));
}

static void references_that_nobody_can_judge_keep_their_object(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &configmaps, ns,
                 "{'metadata':{'name':'puzzle','ownerReferences':[{'apiVersion':'nobody.example.com/v1','kind':'Thing','name':'t','uid':'11111111-2222-3333-4444-888888888888'},"
                 "{'apiVersion':'v1','kind':'Secret','name':'gone','uid':'11111111-2222-3333-4444-777777777777'}]}}");
    const char *secret = cluster_make(cluster, &secrets, ns, "{'metadata':{'name':'namespaced'}}");
    cluster_make(cluster, &clusterroles, "", "{'metadata':{'name':'above','ownerReferences':[{'apiVersion':'v1','kind':'Secret','name':'namespaced','uid':'%s'}]}}", secret);
    cluster_settle(cluster);
    cluster_delete(cluster, &secrets, ns, "namespaced", PROPAGATION_BACKGROUND);
    cluster_settle(cluster);
    assert_true(has(cluster, "puzzle"));
    assert_true(cluster_has(cluster, &clusterroles, "", "above"));
    assert_non_null(strstr(cluster_text(cluster, &configmaps, ns, "puzzle", "metadata.ownerReferences"), "Secret"));
    cluster_delete(cluster, &configmaps, ns, "puzzle", PROPAGATION_BACKGROUND);
}

static void circles_do_not_hang(void **state)
{
    struct cluster *cluster = *state;
    static const char *const names[] = {"ring-a", "ring-b", "ring-c"};
    char uids[3][64];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            snprintf(uids[i], sizeof uids[i], "%s", make(cluster, names[i]));
        for (int i = 0; i < 3; i++)
            cluster_patch(cluster, &configmaps, ns, names[i], "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'%s','uid':'%s','blockOwnerDeletion':true}]}}",
                          names[(i + 1) % 3], uids[(i + 1) % 3]);
        cluster_settle(cluster);
        assert_true(has(cluster, "ring-a") && has(cluster, "ring-b") && has(cluster, "ring-c"));
        cluster_delete(cluster, &configmaps, ns, "ring-a", round == 0 ? PROPAGATION_FOREGROUND : PROPAGATION_BACKGROUND);
        UNTIL(cluster, !has(cluster, "ring-a") && !has(cluster, "ring-b") && !has(cluster, "ring-c"));
    }
}

static void a_thousand_dependents_go(void **state)
{
    struct cluster *cluster = *state;
    for (int round = 0; round < 2; round++) {
        char owner[64], name[32];
        snprintf(owner, sizeof owner, "%s", make(cluster, "big"));
        for (int i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "big-%d", i);
            make_owned(cluster, name, "big", owner, true);
        }
        cluster_delete(cluster, &configmaps, ns, "big", round == 0 ? PROPAGATION_FOREGROUND : PROPAGATION_BACKGROUND);
        UNTIL(cluster, !has(cluster, "big"));
        for (int i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "big-%d", i);
            assert_true(round == 1 || !has(cluster, name)); /* in the foreground they were waited for */
            UNTIL(cluster, !has(cluster, name));
        }
    }
}

static void an_owner_that_went_before_anybody_looked_is_missed(void **state)
{
    struct cluster *cluster = *state;
    char owner[64], waits[64];
    snprintf(owner, sizeof owner, "%s", make(cluster, "quick"));
    make_owned(cluster, "quick-child", "quick", owner, false);
    cluster_delete(cluster, &configmaps, ns, "quick", PROPAGATION_BACKGROUND); /* all of it in one commit */
    UNTIL(cluster, !has(cluster, "quick-child"));
    cluster_stop(cluster); /* and while there was no controller */
    snprintf(owner, sizeof owner, "%s", make(cluster, "quick"));
    make_owned(cluster, "quick-child", "quick", owner, false);
    cluster_delete(cluster, &configmaps, ns, "quick", PROPAGATION_BACKGROUND);
    snprintf(waits, sizeof waits, "%s", make(cluster, "a-keeps")); /* told before its dependent in another resource */
    cluster_make(cluster, &secrets, ns, "{'metadata':{'name':'kept','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'a-keeps','uid':'%s'}]}}", waits);
    cluster_delete(cluster, &configmaps, ns, "a-keeps", PROPAGATION_ORPHAN);
    cluster_start(cluster);
    UNTIL(cluster, !has(cluster, "quick-child") && !has(cluster, "a-keeps"));
    cluster_settle(cluster);
    assert_true(cluster_has(cluster, &secrets, ns, "kept"));
    assert_string_equal(cluster_text(cluster, &secrets, ns, "kept", "metadata.ownerReferences"), "");
}

static void custom_kinds_come_and_go(void **state)
{
    struct cluster *cluster = *state;
    for (int round = 0; round < 3; round++) {
        cluster_make(cluster, &configmaps, ns,
                     "{'metadata':{'name':'waits-for-kind','ownerReferences':[{'apiVersion':'example.com/v1','kind':'Widget','name':'none','uid':'11111111-2222-3333-4444-999999999999'}]}}");
        cluster_settle(cluster);
        assert_true(has(cluster, "waits-for-kind"));
        cluster_define(cluster);
        UNTIL(cluster, !has(cluster, "waits-for-kind")); /* now it is known that the owner is none */
        const char *owner = cluster_make(cluster, &widgets, ns, "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'w'}}");
        cluster_make(cluster, &configmaps, ns, "{'metadata':{'name':'of-widget','ownerReferences':[{'apiVersion':'example.com/v1','kind':'Widget','name':'w','uid':'%s'}]}}", owner);
        const char *plain = make(cluster, "plain");
        cluster_make(cluster, &widgets, ns,
                     "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'owned','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'plain','uid':'%s'}]}}", plain);
        cluster_settle(cluster);
        cluster_delete(cluster, &configmaps, ns, "plain", PROPAGATION_BACKGROUND);
        UNTIL(cluster, !cluster_has(cluster, &widgets, ns, "owned"));
        cluster_delete(cluster, &widgets, ns, "w", PROPAGATION_BACKGROUND);
        UNTIL(cluster, !has(cluster, "of-widget"));
        cluster_make(cluster, &widgets, ns, "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'last'}}");
        cluster_delete(cluster, &definitions, "", "widgets.example.com", PROPAGATION_BACKGROUND);
        UNTIL(cluster, !cluster_has(cluster, &definitions, "", "widgets.example.com"));
        cluster_settle(cluster);
    }
}

/* Whatever allocation fails while controllers work: a moment later all is as it should be. */
static void without_memory_it_comes_later_but_comes(void **state)
{
    struct cluster *cluster = *state;
    cluster_settle(cluster);
    for (int nth = 1, step = 1; nth < 4000; nth += step, step = 1 + nth / 6) {
        char owner[64];
        snprintf(owner, sizeof owner, "%s", make(cluster, "m-owner"));
        make_owned(cluster, "m-child", "m-owner", owner, true);
        cluster_make(cluster, &secrets, ns, "{'metadata':{'name':'m-orphan','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'m-owner','uid':'%s'}]}}", owner);
        cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'m-going'}}");
        if (nth % 2 == 0)
            cluster_settle(cluster);
        cluster_patch(cluster, &secrets, ns, "m-orphan", "{'metadata':{'ownerReferences':null}}");
        cluster_delete(cluster, &configmaps, ns, "m-owner", PROPAGATION_FOREGROUND);
        cluster_delete(cluster, &namespaces_, "", "m-going", PROPAGATION_BACKGROUND);
        assert_true(state_commit(server_api(cluster->world.server)->state, NULL)); /* else it would be undone, too */
        mem_fail_at(nth);
        for (int i = 0; i < 30; i++)
            loop_once(cluster->world.loop, 1);
        mem_fail_at(0);
        UNTIL(cluster, !has(cluster, "m-owner") && !has(cluster, "m-child") && !cluster_has(cluster, &namespaces_, "", "m-going"));
        cluster_settle(cluster);
        assert_true(cluster_has(cluster, &secrets, ns, "m-orphan"));
        cluster_delete(cluster, &secrets, ns, "m-orphan", PROPAGATION_BACKGROUND);
    }
    UNTIL(cluster, cluster_has(cluster, &accounts, ns, "default"));
}

int test_garbage(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_background_dependents_follow_their_owner),
        cmocka_unit_test(orphans_stay_and_forget_their_owner),
        cmocka_unit_test(in_the_foreground_the_owner_goes_last),
        cmocka_unit_test(a_dependent_that_does_not_block_is_not_waited_for),
        cmocka_unit_test(an_owner_that_is_waited_for_may_be_let_off),
        cmocka_unit_test(references_that_lead_nowhere_count_as_gone),
        cmocka_unit_test(references_that_nobody_can_judge_keep_their_object),
        cmocka_unit_test(circles_do_not_hang),
        cmocka_unit_test(a_thousand_dependents_go),
        cmocka_unit_test(an_owner_that_went_before_anybody_looked_is_missed),
        cmocka_unit_test(custom_kinds_come_and_go),
        cmocka_unit_test(without_memory_it_comes_later_but_comes),
    };
    return cmocka_run_group_tests(tests, open_cluster, close_cluster);
}
