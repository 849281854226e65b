/* Who asks: certificates, tokens, impersonation; and the cases of access/ (recorded by record-access, which says their form):
 * refusals, reviews, grants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access_world.h"
#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "net/crypto.h"
#include "practice/api/options.h"
#include "practice/api/route.h"
#include "practice/api/user.h"
#include "steps.h"
#include "verbs_world.h"

#define RBAC "rbac.authorization.k8s.io"
#define ISSUER "https://kubernetes.default.svc.cluster.local"

static void world_with_account(struct access_world *world)
{
    access_world_open(world);
    access_world_policy(world);
    access_world_put(world, "", "serviceaccounts", "{\"metadata\":{\"name\":\"bob\",\"namespace\":\"a\"}}");
    access_world_put(
        world, "", "pods",
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\"},\"spec\":{\"serviceAccountName\":\"bob\",\"nodeName\":\"n\"}}");
    access_world_put(world, "", "nodes", "{\"metadata\":{\"name\":\"n\"}}");
}

/* A token of serviceaccounts/token; body is its spec. The caller frees. */
static char *request_token(struct access_world *world, const char *spec)
{
    struct user user = access_world_user("admin system:masters");
    const struct schema_kind *kind = registry_find(world->api.registry, "", "v1", "serviceaccounts");
    const struct schema_subresource *sub = kind->subresources;
    while (strcmp(sub->name, "token") != 0)
        sub++;
    char *body = mem_printf("{\"spec\":%s}", spec);
    struct call call = {.user = &user,
                        .user_agent = "",
                        .verb = VERB_CREATE,
                        .kind = kind,
                        .sub = sub,
                        .ns = "a",
                        .name = "bob",
                        .body = json_parse(body, strlen(body), "body", NULL),
                        .grace = -1};
    struct answer answer = {.warnings = vec_make(10, mem_free)};
    assert_true(access_is_review(&call));
    access_review(world->api.access, &call, &answer);
    assert_int_equal(answer.failure.code, 0);
    assert_int_equal(answer.code, 201);
    char *token = mem_string(value_find_text(answer.value, "status", "token", NULL));
    answer_free(&answer);
    value_free(call.body);
    mem_free(body);
    user_free(&user);
    return token;
}

/* Who the credentials are of, as JSON; or the refusal's sentence. The caller frees. */
static char *who_is(struct access_world *world, const struct credentials *credentials)
{
    struct user user;
    struct status failure = {0};
    char *text;
    if (access_authenticate(world->api.access, credentials, &user, NULL, &failure)) {
        struct value *value = user_value(&user);
        text = json_text(value, CASE);
        value_free(value);
        user_free(&user);
    } else {
        text = mem_printf("%d %s", failure.code, failure.message);
    }
    status_free(&failure);
    return text;
}

static void expect(struct access_world *world, const struct credentials *credentials, const char *wanted)
{
    char *got = who_is(world, credentials);
    assert_string_equal(got, wanted);
    mem_free(got);
}

static void expect_token(struct access_world *world, const char *token, const char *wanted)
{
    char *header = mem_printf("Bearer %s", token);
    const struct credentials credentials = {.authorization = header};
    char *got = who_is(world, &credentials), *id = strstr(got, "JTI=");
    if (id != NULL)
        memcpy(id + 4, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", 36);
    assert_string_equal(got, wanted);
    mem_free(got);
    mem_free(header);
}

#define BOB                                                                                                                    \
    "{\"username\":\"system:serviceaccount:a:bob\",\"uid\":\"uid-bob\",\"groups\":[\"system:serviceaccounts\",\"system:"       \
    "serviceaccounts:a\",\"system:authenticated\"],\"extra\":{"                                                                \
    "\"authentication.kubernetes.io/credential-id\":[\"JTI=xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"]"

static void a_certificate_names_who_asks(void **state)
{
    (void)state;
    struct access_world world;
    access_world_open(&world);
    const char *const groups[] = {"system:masters", "devs", NULL};
    expect(&world, &(struct credentials){.common_name = "admin", .organizations = groups},
           "{\"username\":\"admin\",\"groups\":[\"system:masters\",\"devs\",\"system:authenticated\"]}");
    expect(&world, &(struct credentials){.common_name = "x", .fingerprint = "ab12", .authorization = "Bearer nonsense"},
           "{\"username\":\"x\",\"groups\":[\"system:authenticated\"],\"extra\":{\"authentication.kubernetes.io/"
           "credential-id\":[\"X509SHA256=ab12\"]}}");
    expect(&world, &(struct credentials){0}, "{\"username\":\"system:anonymous\",\"groups\":[\"system:unauthenticated\"]}");
    expect(&world, &(struct credentials){.authorization = "Basic abc"},
           "{\"username\":\"system:anonymous\",\"groups\":[\"system:unauthenticated\"]}");
    expect(&world, &(struct credentials){.authorization = "Bearer "},
           "{\"username\":\"system:anonymous\",\"groups\":[\"system:unauthenticated\"]}");
    expect(&world, &(struct credentials){.authorization = "Bearer abc"}, "401 Unauthorized");
    access_world_close(&world);
}

static void a_token_speaks_for_its_account_as_long_as_all_it_is_bound_to_is_there(void **state)
{
    (void)state;
    struct access_world world;
    world_with_account(&world);
    char *plain = request_token(&world, "{}"),
         *bound = request_token(
             &world, "{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
    char *other = request_token(&world, "{\"audiences\":[\"vault\"]}"),
         *of_node = request_token(&world, "{\"boundObjectRef\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"name\":\"n\"}}");
    expect_token(&world, plain, BOB "}}");
    expect_token(&world, bound,
                 BOB ",\"authentication.kubernetes.io/pod-name\":[\"p\"],\"authentication.kubernetes.io/"
                     "pod-uid\":[\"uid-p\"],\"authentication.kubernetes.io/node-name\":[\"n\"],"
                     "\"authentication.kubernetes.io/node-uid\":[\"uid-n\"]}}");
    expect_token(&world, of_node,
                 BOB
                 ",\"authentication.kubernetes.io/node-name\":[\"n\"],\"authentication.kubernetes.io/node-uid\":[\"uid-n\"]}}");
    expect_token(&world, other, "401 Unauthorized"); /* for somebody else's ears */
    access_world_remove(&world, "", "pods", "a", "p");
    expect_token(&world, bound, "401 Unauthorized");
    expect_token(&world, plain, BOB "}}");
    access_world_remove(&world, "", "nodes", "", "n");
    expect_token(&world, of_node, "401 Unauthorized");
    access_world_remove(&world, "", "serviceaccounts", "a", "bob");
    expect_token(&world, plain, "401 Unauthorized");
    mem_free(plain);
    mem_free(bound);
    mem_free(other);
    mem_free(of_node);
    access_world_close(&world);
}

static char *sign(struct access_world *world, const char *issuer, const char *uid, long begin, long end)
{
    char *claims = mem_printf("{\"aud\":[\"" ISSUER "\"],\"exp\":%ld,\"iss\":\"%s\",\"kubernetes.io\":{\"namespace\":\"a\","
                                                    "\"serviceaccount\":{\"name\":\"bob\",\"uid\":\"%s\"}},"
                              "\"nbf\":%ld,\"sub\":\"system:serviceaccount:a:bob\"}",
                              end, issuer, uid, begin);
    char *token = crypto_jwt_sign(world->key, "k", claims, NULL);
    mem_free(claims);
    return token;
}

static void a_token_that_is_not_right_is_refused(void **state)
{
    (void)state;
    struct access_world world;
    world_with_account(&world);
    long now = (long)(clock_wall_ms() / 1000);
    const struct {
        const char *issuer, *uid;
        long begin, end;
        bool good;
    } tokens[] = {
        {ISSUER, "uid-bob", now, now + 100, true},         {ISSUER, "uid-bob", now, now - 30, true}, /* a minute of leeway */
        {ISSUER, "uid-bob", now - 1000, now - 100, false}, {ISSUER, "uid-bob", now + 1000, now + 2000, false},
        {ISSUER, "uid-of-another", now, now + 100, false}, {"https://elsewhere", "uid-bob", now, now + 100, false},
    };
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        char *token = sign(&world, tokens[i].issuer, tokens[i].uid, tokens[i].begin, tokens[i].end);
        expect_token(&world, token,
                     tokens[i].good ? "{\"username\":\"system:serviceaccount:a:bob\",\"uid\":\"uid-bob\",\"groups\":[\"system:"
                                      "serviceaccounts\",\"system:serviceaccounts:a\","
                                      "\"system:authenticated\"]}"
                                    : "401 Unauthorized");
        mem_free(token);
    }
    char *token = sign(&world, ISSUER, "uid-bob", now, now + 100);
    token[strlen(token) - 2] = token[strlen(token) - 2] == 'A' ? 'B' : 'A';
    expect_token(&world, token, "401 Unauthorized");
    mem_free(token);
    access_world_close(&world);
}

static void impersonation_needs_a_right_for_each_word(void **state)
{
    (void)state;
    struct access_world world;
    access_world_open(&world);
    access_world_policy(&world);
    const char *const masters[] = {"system:masters", NULL};
    static const char scopes[] = "{\"scopes\":[\"a\",\"b\"]}";
    const struct attributes what = {
        .verb = "create", .group = "authentication.k8s.io", .version = "v1", .resource = "selfsubjectreviews"};
    struct credentials as = {.common_name = "admin", .organizations = masters, .request = &what, .impersonate_user = "alice"};
    expect(&world, &as, "{\"username\":\"alice\",\"groups\":[\"system:authenticated\"]}");
    as.impersonate_groups = "g1, g2";
    expect(&world, &as, "{\"username\":\"alice\",\"groups\":[\"g1\",\"g2\",\"system:authenticated\"]}");
    as.impersonate_user = "system:serviceaccount:a:bob";
    expect(&world, &as, "{\"username\":\"system:serviceaccount:a:bob\",\"groups\":[\"g1\",\"g2\",\"system:authenticated\"]}");
    as.impersonate_groups = NULL;
    expect(&world, &as,
           "{\"username\":\"system:serviceaccount:a:bob\",\"groups\":[\"system:serviceaccounts\",\"system:serviceaccounts:a\","
           "\"system:authenticated\"]}");
    as.impersonate_user = "system:anonymous";
    expect(&world, &as, "{\"username\":\"system:anonymous\",\"groups\":[\"system:unauthenticated\"]}");
    as.impersonate_user = NULL;
    as.impersonate_groups = "x";
    as.impersonate_uid = "u";
    expect(&world, &as,
           "400 requested &user.DefaultInfo{Name:\"\", UID:\"u\", Groups:[]string{\"x\"}, Extra:map[string][]string(nil)} "
           "without impersonating a user name");
    struct value *extra = json_parse(scopes, sizeof scopes - 1, "extra", NULL);
    as = (struct credentials){.common_name = "admin",
                              .organizations = masters,
                              .request = &what,
                              .impersonate_user = "alice",
                              .impersonate_uid = "u",
                              .impersonate_extra = extra};
    expect(&world, &as,
           "{\"username\":\"alice\",\"uid\":\"u\",\"groups\":[\"system:authenticated\"],\"extra\":{\"scopes\":[\"a\",\"b\"]}}");
    /* somebody with no such right, then with some */
    as = (struct credentials){.common_name = "bob", .request = &what, .impersonate_user = "alice"};
    expect(&world, &as,
           "403 selfsubjectreviews.authentication.k8s.io is forbidden: User \"bob\" cannot impersonate-on:user-info:create "
           "resource \"selfsubjectreviews\" in API group "
           "\"authentication.k8s.io\" at the cluster scope");
    access_world_put(&world, RBAC, "clusterroles",
                     "{\"metadata\":{\"name\":\"i\"},\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"users\"],\"verbs\":["
                     "\"impersonate\"],\"resourceNames\":[\"alice\"]}]}");
    access_world_put(&world, RBAC, "clusterrolebindings",
                     "{\"metadata\":{\"name\":\"i\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"i\"},\"subjects\":[{"
                     "\"kind\":\"User\",\"name\":\"bob\"}]}");
    expect(&world, &as, "{\"username\":\"alice\",\"groups\":[\"system:authenticated\"]}");
    as.impersonate_user = "eve";
    expect(&world, &as,
           "403 users \"eve\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API group \"\" at the "
           "cluster scope");
    as.impersonate_user = "alice";
    as.impersonate_groups = "x";
    expect(&world, &as,
           "403 groups \"x\" is forbidden: User \"bob\" cannot impersonate resource \"groups\" in API group \"\" at the "
           "cluster scope");
    as.impersonate_groups = NULL;
    as.impersonate_extra = extra;
    expect(&world, &as,
           "403 userextras.authentication.k8s.io \"a\" is forbidden: User \"bob\" cannot impersonate resource "
           "\"userextras/scopes\" in API group \"authentication.k8s.io\" at the cluster scope");
    as.impersonate_extra = NULL;
    as.impersonate_uid = "x";
    expect(&world, &as,
           "403 uids.authentication.k8s.io \"x\" is forbidden: User \"bob\" cannot impersonate resource \"uids\" in API group "
           "\"authentication.k8s.io\" at the cluster scope");
    value_free(extra);
    access_world_close(&world);
}

static void authentication_without_memory_lets_nobody_in(void **state)
{
    (void)state;
    struct access_world world;
    world_with_account(&world);
    char *token = request_token(&world, "{}"), *header = mem_printf("Bearer %s", token);
    const struct credentials credentials = {.authorization = header};
    bool known = false;
    int nth = 0;
    for (; !known && nth < 10000; nth++) {
        struct user user;
        struct status failure = {0};
        mem_fail_at(nth + 1);
        known = access_authenticate(world.api.access, &credentials, &user, NULL, &failure);
        mem_fail_at(0);
        assert_true(known || failure.code == 500 || failure.code == 401);
        if (known) {
            assert_string_equal(user.name, "system:serviceaccount:a:bob");
            assert_int_equal(user.groups.length, 3);
            user_free(&user);
        }
        status_free(&failure);
    }
    assert_true(known);
    assert_true(nth > 10);
    mem_free(token);
    mem_free(header);
    access_world_close(&world);
}

/* Without what the server owns or what is new each time. */
static struct value *shown(const struct value *document)
{
    static const char *const owned[] = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"};
    struct value *made = value_copy(document), *metadata = value_get(made, "metadata");
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        value_remove(metadata, owned[i]);
    value_remove(value_get(made, "details"), "uid");
    return made;
}

static bool wants_uids(const char *text)
{
    return strstr(text, "the UID in the token request") != NULL;
}

/* Asks whether it is allowed, as the server does, and then the API. */
static void ask(struct world *world, const struct step *step, struct reply *reply)
{
    struct route route = {0};
    struct status failure = {0};
    struct attributes what;
    char verb[ROUTE_VERB], *path = mem_string_n(step->path, strcspn(step->path, "?"));
    assert_true(route_parse(path, &route, &failure));
    const char *query = strchr(step->path, '?');
    const char *name = query != NULL && strstr(query, "metadata.name%3D") != NULL ? strstr(query, "%3D") + 3 : NULL;
    route_attributes(&route, step->method, query != NULL && strstr(query, "watch=1") != NULL, name, verb, &what);
    if (access_require(world->api.access, &world->user, &what, &failure)) {
        assert_true(world_ask(world, step->method, step->path, step->type, step->body, reply));
        assert_true(state_commit(world->api.state, NULL));
    } else {
        *reply = (struct reply){.code = failure.code, .document = status_value(&failure)};
    }
    status_free(&failure);
    route_free(&route);
    mem_free(path);
}

static bool compare(const struct step *step, const struct reply *reply)
{
    struct value *recorded = json_parse(step->answer, strlen(step->answer), step->file, NULL), *wanted = shown(recorded),
                 *got = shown(reply->document);
    char *a = json_text(wanted, CASE), *b = json_text(got, CASE);
    bool fine = reply->code == step->code && (value_equal(wanted, got) || (wants_uids(a) && wants_uids(b)));
    if (!fine) {
        print_error("wanted %d, got %d\n", step->code, reply->code);
        steps_differ(step, "answer", a, b);
    }
    mem_free(a);
    mem_free(b);
    value_free(recorded);
    value_free(wanted);
    value_free(got);
    return fine;
}

static bool add_policy(void *data, const char *plural, struct value *object, struct error *err)
{
    (void)err;
    struct reply reply;
    char *body = json_text(object, CASE), path[128];
    snprintf(path, sizeof path, "/apis/" RBAC "/v1/%s", plural);
    assert_true(world_ask(data, "POST", path, NULL, body, &reply));
    bool made = reply.code == 201;
    reply_free(&reply);
    mem_free(body);
    value_free(object);
    return made;
}

static void open_world(struct world *world, struct crypto_key **key)
{
    assert_true(world_open(world));
    *key = crypto_key_new(NULL);
    world->api.token_key = *key;
    world->api.access = access_new(&world->api, NULL);
    assert_non_null(world->api.access);
    assert_true(world_namespace(world, "default"));
    assert_true(access_default_policy(add_policy, world, NULL));
    assert_true(state_commit(world->api.state, NULL));
}

static void become(struct world *world, const char *words)
{
    user_free(&world->user);
    world->user = access_world_user(*words != '\0' ? words + 1 : "kubernetes-admin system:masters system:authenticated");
}

static bool run_case(const char *file, const struct vec *steps)
{
    struct world world;
    struct crypto_key *key;
    bool fine = true;
    (void)file;
    open_world(&world, &key);
    for (size_t i = 0; i < steps->length; i++) {
        const struct step *step = steps->items[i];
        struct reply reply;
        if (step->who != NULL)
            become(&world, step->who);
        ask(&world, step, &reply);
        fine = compare(step, &reply) && fine;
        reply_free(&reply);
    }
    access_free(world.api.access);
    world.api.access = NULL;
    world_close(&world);
    crypto_key_free(key);
    return fine;
}

static void answers_are_those_of_a_real_server(void **state)
{
    (void)state;
    steps_run_folder("access", run_case);
}

int test_access(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certificate_names_who_asks),
        cmocka_unit_test(a_token_speaks_for_its_account_as_long_as_all_it_is_bound_to_is_there),
        cmocka_unit_test(a_token_that_is_not_right_is_refused),
        cmocka_unit_test(impersonation_needs_a_right_for_each_word),
        cmocka_unit_test(authentication_without_memory_lets_nobody_in),
        cmocka_unit_test(answers_are_those_of_a_real_server),
    };
    return cmocka_run_group_tests_name("practice/api/access", tests, NULL, NULL);
}
