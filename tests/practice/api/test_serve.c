/* The server over its own wire: recorded requests, who is let in, forms of answers, the commit. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "net/crypto.h"
#include "serve_world.h"

static int open_world(void **state)
{
    struct serve_world *world = mem_zero(1, sizeof *world);
    serve_open(world, NULL);
    *state = world;
    return 0;
}

static int close_world(void **state)
{
    serve_close(*state);
    mem_free(*state);
    return 0;
}

/* ---- recorded requests */

/* Sentences with the version of the moment in them are recorded as "current: N". */
static void forget_current(struct value *status)
{
    const char *message = value_find_text(status, "message", NULL), *current = message != NULL ? strstr(message, "current: ") : NULL;
    if (current == NULL)
        return;
    char *text = mem_printf("%.*scurrent: N", (int)(current - message), message);
    assert_true(value_set(status, "message", value_string(text)));
    mem_free(text);
}

static bool same_answer(const struct value *expected, const struct got *got)
{
    const char *text = value_text(expected);
    if (expected == NULL)
        return true; /* YAML: told by its type */
    if (text != NULL)
        return strcmp(text, got->text) == 0;
    const char *kind = value_find_text(expected, "kind", NULL), *has = value_find_text(got->json, "kind", NULL);
    if (kind == NULL || strcmp(kind, "Status") != 0)
        return (kind == NULL && has == NULL) || (kind != NULL && has != NULL && strcmp(kind, has) == 0);
    if (got->json != NULL)
        forget_current(got->json);
    return value_equal(expected, got->json);
}

/* Every Warning header, one a line. */
static bool same_warnings(const struct value *expected, const char *head)
{
    for (const struct value *item = value_first(expected); item != NULL; item = value_next(item)) {
        char *line = mem_printf("\r\nWarning: %s\r\n", value_text(item));
        bool there = strstr(head, line) != NULL;
        mem_free(line);
        if (!there)
            return false;
    }
    return expected != NULL || strstr(head, "\r\nWarning: ") == NULL;
}

static bool run_case(struct serve_world *world, const struct value *recorded)
{
    char *ask = mem_string(value_find_text(recorded, "ask", NULL)), *path = strchr(ask, ' ');
    struct buf headers = buf_make(SIZE_MAX);
    struct got got;
    for (const struct value *item = value_first(value_get(recorded, "headers")); item != NULL; item = value_next(item))
        buf_printf(&headers, "%s\r\n", value_text(item));
    *path++ = '\0';
    serve_ask(world, ask, path, headers.bytes, value_find_text(recorded, "body", NULL), &got);
    bool same = got.code == value_find_int(recorded, 0, "code", NULL) && strcmp(got.type, value_find_text(recorded, "type", NULL)) == 0 &&
                same_answer(value_get(recorded, "answer"), &got) && same_warnings(value_get(recorded, "warnings"), got.head);
    if (!same) {
        char *wanted = json_text(recorded, SIZE_MAX);
        print_error("%s %s %s\n  ours: %d %s %s\n", ask, path, wanted, got.code, got.type, got.text);
        mem_free(wanted);
    }
    got_free(&got);
    buf_free(&headers);
    mem_free(ask);
    return same;
}

static size_t run_file(struct serve_world *world, const char *name, size_t *count)
{
    size_t length, wrong = 0;
    char *text = file_read(name, 16 << 20, &length, NULL);
    assert_non_null(text);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        struct value *recorded = json_parse(line, (size_t)(end - line), name, NULL);
        assert_non_null(recorded);
        wrong += !run_case(world, recorded);
        ++*count;
        value_free(recorded);
    }
    mem_free(text);
    return wrong;
}

static void answers_as_a_real_server_does(void **state)
{
    glob_t files;
    size_t wrong = 0, count = 0;
    assert_int_equal(glob(KT_TEST_CASES "/serve/*.jsonl", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        wrong += run_file(*state, files.gl_pathv[i], &count);
    globfree(&files);
    assert_true(count > 600);
    assert_int_equal(wrong, 0);
}

/* ---- who is let in */

static void without_credentials_only_health_and_version_are_served(void **state)
{
    static const char *const open[] = {"/healthz", "/livez", "/readyz", "/version"};
    static const char *const closed[] = {
        "/",           "/api",     "/apis",           "/api/v1/pods", "/metrics", "/livez/ping", "/openapi/v2", "/nope", "/api/v1/namespaces/default/secrets?watch=1",
        "/openapi/v3", "/healthz/", "/readyz/../api", "/version/x",   "//healthz", "/healthz%2f", "/kubetutor/status"};
    static const char *const methods[] = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    struct line *line = line_open(*state, true, 0);
    struct got got;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) { /* to be read, and nothing else */
        line_ask(line, methods[i], "/healthz", NULL, NULL, &got);
        assert_int_equal(got.code, 403);
        got_free(&got);
    }
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        line_ask(line, "GET", open[i], NULL, NULL, &got);
        assert_int_equal(got.code, 200);
        got_free(&got);
    }
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        line_ask(line, "GET", closed[i], NULL, NULL, &got);
        assert_int_equal(got.code, 403);
        assert_string_equal(value_find_text(got.json, "reason", NULL), "Forbidden");
        got_free(&got);
    }
    line_ask(line, "POST", "/api/v1/namespaces", "Content-Type: application/json\r\n", "{\"metadata\":{\"name\":\"x\"}}", &got);
    assert_int_equal(got.code, 403);
    got_free(&got);
    line_ask(line, "GET", "/healthz", "Authorization: Bearer nobody\r\n", NULL, &got);
    assert_int_equal(got.code, 401);
    got_free(&got);
    line_close(line);
}

/* Whoever may see one object by its name sees no other one, however the selector is written. Answers of a real server. */
static void rights_to_one_name_reach_no_other_one(void **state)
{
    static const struct {
        const char *fields;
        int code;
    } cases[] = {
        {"metadata.name%3Ds", 200},         {"metadata.name%3D%3Ds", 200},
        {"metadata.name%3Ds,type!%3Dx", 200}, {"metadata.name%3Dt,metadata.name%3Ds", 200},
        {"type!%3Da%5C,metadata.name%3Ds", 403}, {"type!%3Da%5C,metadata.name%5C%3Ds", 403},
        {"metadata.name!%3Ds", 403},        {"metadata.name%3D", 403},
        {"metadata.name%3Ds%5C,x", 403},    {"metadata.name%3Ds%5C%5C", 403},
        {"metadata.name%3D%3D%3Ds", 403},   {"metadata.name%3Ds%3Dt", 403},
        {"metadata.name%3Ds%5Cx", 403},     {"type%3Dmetadata.name%3Ds", 403},
        {"%20metadata.name%3Ds", 403},      {"", 403},
    };
    struct got got;
    serve_do(*state, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
             "{\"metadata\":{\"name\":\"one\"},\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"secrets\"],\"resourceNames\":[\"s\"],\"verbs\":[\"list\","
             "\"deletecollection\"]}]}",
             201);
    serve_do(*state, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
             "{\"metadata\":{\"name\":\"one\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"one\"},"
             "\"subjects\":[{\"kind\":\"User\",\"name\":\"eve\",\"apiGroup\":\"rbac.authorization.k8s.io\"}]}",
             201);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = mem_printf("/api/v1/namespaces/default/secrets?fieldSelector=%s", cases[i].fields);
        serve_ask(*state, "GET", path, "Impersonate-User: eve\r\n", NULL, &got);
        if (got.code != cases[i].code)
            fail_msg("%s: %d", cases[i].fields, got.code);
        got_free(&got);
        mem_free(path);
    }
    serve_ask(*state, "DELETE", "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Ds", "Impersonate-User: eve\r\n", NULL, &got);
    assert_int_equal(got.code, 403);
    got_free(&got);
}

static void a_name_that_fits_into_no_path_is_refused(void **state)
{
    static const char *const names[] = {"%2e", "%2e%2e", "..", "a%2525b", "a%25b"};
    static const char *const methods[] = {"GET", "DELETE"};
    struct got got;
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char *path = mem_printf("/api/v1/namespaces/default/configmaps/%s", names[i / 2]);
        serve_ask(*state, methods[i % 2], path, NULL, NULL, &got);
        assert_int_equal(got.code, 400);
        assert_non_null(strstr(value_find_text(got.json, "message", NULL), "Name parameter invalid: \""));
        got_free(&got);
        mem_free(path);
    }
}

static void impersonation_is_who_one_says(void **state)
{
    struct got got;
    serve_ask(*state, "GET", "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dx", "Impersonate-User: bob\r\n", NULL, &got);
    assert_int_equal(got.code, 403);
    assert_string_equal(value_find_text(got.json, "message", NULL),
                        "pods \"x\" is forbidden: User \"bob\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"");
    got_free(&got);
    serve_ask(*state, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
              "Content-Type: application/json\r\nImpersonate-User: bob\r\nImpersonate-Group: a\r\nImpersonate-Group: b\r\nImpersonate-Extra-Scopes: "
              "one\r\n",
              "{}", &got);
    assert_int_equal(got.code, 201);
    const struct value *user = value_find(got.json, "status", "userInfo", NULL);
    assert_string_equal(value_find_text(user, "username", NULL), "bob");
    assert_string_equal(value_text(value_item(value_find(user, "extra", "scopes", NULL), 0)), "one");
    got_free(&got);
}

/* ---- forms */

static void people_get_indents_and_programs_do_not(void **state)
{
    static const char object[] = "{\n  \"kind\": \"Namespace\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n";
    struct got got;
    serve_ask(*state, "GET", "/api/v1/namespaces/default", "User-Agent: curl/8\r\n", NULL, &got);
    assert_memory_equal(got.text, object, sizeof object - 1);
    assert_memory_equal(got.text + got.length - 5, "  }\n}", 5);
    got_free(&got);
    serve_ask(*state, "GET", "/api/v1/namespaces/default?pretty=false", "User-Agent: curl/8\r\n", NULL, &got);
    assert_memory_equal(got.text, "{\"kind\":\"Namespace\",", 20);
    assert_int_equal(got.text[got.length - 1], '\n');
    got_free(&got);
    serve_ask(*state, "GET", "/api/v1/namespaces?pretty=1&labelSelector=none", NULL, NULL, &got);
    assert_non_null(strstr(got.text, "\"items\": []\n}"));
    got_free(&got);
}

static void metadata_alone_is_an_object_of_its_own(void **state)
{
    struct got got;
    serve_ask(*state, "GET", "/api/v1/namespaces/default", "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io\r\n", NULL, &got);
    assert_string_equal(value_find_text(got.json, "kind", NULL), "PartialObjectMetadata");
    assert_string_equal(value_find_text(got.json, "apiVersion", NULL), "meta.k8s.io/v1");
    assert_string_equal(value_find_text(got.json, "metadata", "name", NULL), "default");
    assert_null(value_get(got.json, "spec"));
    got_free(&got);
    serve_ask(*state, "GET", "/api/v1/namespaces", "Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io\r\n", NULL, &got);
    assert_string_equal(value_find_text(got.json, "kind", NULL), "PartialObjectMetadataList");
    const struct value *first = value_item(value_get(got.json, "items"), 0);
    assert_string_equal(value_find_text(first, "kind", NULL), "PartialObjectMetadata");
    assert_null(value_get(first, "spec"));
    got_free(&got);
}

static void yaml_goes_both_ways(void **state)
{
    struct got got;
    serve_ask(*state, "POST", "/api/v1/namespaces/default/configmaps", "Content-Type: application/yaml\r\nAccept: application/yaml\r\n",
              "metadata:\n  name: from-yaml\ndata:\n  z: '1'\n  a: |\n    two\n    lines\n", &got);
    assert_int_equal(got.code, 201);
    assert_string_equal(got.type, "application/yaml");
    assert_memory_equal(got.text, "apiVersion: v1\ndata:\n  a: |\n    two\n    lines\n  z: \"1\"\nkind: ConfigMap\nmetadata:\n", 75);
    got_free(&got);
    serve_do(*state, "DELETE", "/api/v1/namespaces/default/configmaps/from-yaml", NULL, 200);
}

/* ---- what must be there */

static void the_start_makes_what_clients_lean_on(void **state)
{
    static const char *const paths[] = {
        "/api/v1/namespaces/default",
        "/api/v1/namespaces/kube-system",
        "/api/v1/namespaces/kube-public",
        "/api/v1/namespaces/kube-node-lease",
        "/api/v1/namespaces/default/services/kubernetes",
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
        "/api/v1/nodes/node1",
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1",
        "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin",
    };
    struct got got;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        serve_do(*state, "GET", paths[i], NULL, 200);
    serve_ask(*state, "GET", "/api/v1/nodes/node1", NULL, NULL, &got);
    const struct value *ready = value_item(value_find(got.json, "status", "conditions", NULL), 3);
    assert_string_equal(value_find_text(ready, "type", NULL), "Ready");
    assert_string_equal(value_find_text(ready, "status", NULL), "True");
    assert_null(value_find(got.json, "spec", "taints", NULL));
    got_free(&got);
}

static void the_service_of_the_server_comes_back(void **state)
{
    serve_do(*state, "DELETE", "/api/v1/namespaces/default/services/kubernetes", NULL, 200);
    serve_do(*state, "DELETE", "/api/v1/namespaces/default/endpoints/kubernetes", NULL, 200);
    for (int i = 0; i < 10; i++)
        loop_once(((struct serve_world *)*state)->loop, 1);
    serve_do(*state, "GET", "/api/v1/namespaces/default/services/kubernetes", NULL, 200);
    serve_do(*state, "GET", "/api/v1/namespaces/default/endpoints/kubernetes", NULL, 200);
}

static void a_start_on_a_state_that_exists_changes_nothing_but_the_port(void **state)
{
    (void)state;
    char folder[] = "/tmp/kt-serve-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = file_join(folder, "state");
    struct serve_world world;
    struct got before, after;
    serve_open(&world, path);
    serve_ask(&world, "GET", "/api/v1/namespaces", NULL, NULL, &before);
    serve_again(&world);
    serve_ask(&world, "GET", "/api/v1/namespaces", NULL, NULL, &after);
    const struct value *was = value_get(before.json, "items"), *is = value_get(after.json, "items");
    assert_true(value_equal(was, is));
    got_free(&before);
    got_free(&after);
    serve_ask(&world, "GET", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", NULL, NULL, &after);
    assert_int_equal(value_find_int(value_item(value_get(after.json, "ports"), 0), 0, "port", NULL), server_port(world.server));
    got_free(&after);
    serve_close(&world);
    char *command = mem_printf("rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    mem_free(command);
    mem_free(path);
}

/* ---- writes and the commit */

static void what_was_acknowledged_is_read_by_everybody(void **state)
{
    struct serve_world *world = *state;
    struct line *writer = line_open(world, false, 0), *reader = line_open(world, false, 0);
    struct got wrote, got;
    for (int i = 0; i < 50; i++) {
        char body[128];
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"told-%d\"}}", i);
        line_ask(writer, "POST", "/api/v1/namespaces/default/configmaps", "Content-Type: application/json\r\n", body, &wrote);
        assert_int_equal(wrote.code, 201);
        line_ask(reader, "GET", "/api/v1/namespaces/default/configmaps?limit=1", NULL, NULL, &got);
        assert_true(version_of(got.json) >= version_of(wrote.json));
        got_free(&got);
        got_free(&wrote);
    }
    line_ask(writer, "DELETE", "/api/v1/namespaces/default/configmaps", NULL, NULL, &got);
    assert_int_equal(got.code, 200);
    assert_string_equal(value_find_text(got.json, "kind", NULL), "ConfigMapList");
    assert_int_equal(value_length(value_get(got.json, "items")), 50);
    got_free(&got);
    line_close(writer);
    line_close(reader);
}

/* A number of a JSON Web Key as bytes. */
static void assert_number(const struct value *key, const char *name, const unsigned char wanted[static 32])
{
    char text[64];
    size_t length = 0;
    assert_int_equal(strlen(value_find_text(key, name, NULL)), 43);
    snprintf(text, sizeof text, "%s=", value_find_text(key, name, NULL));
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '-' ? '+' : *at == '_' ? '/' : *at;
    char *bytes = base64_decode(text, strlen(text), &length);
    assert_int_equal(length, 32);
    assert_memory_equal(bytes, wanted, 32);
    mem_free(bytes);
}

static void tokens_can_be_checked_by_the_published_key(void **state)
{
    struct serve_world *world = *state;
    struct got issuer, keys, token;
    unsigned char x[32], y[32];
    size_t length = 0;
    serve_ask(world, "GET", "/.well-known/openid-configuration", NULL, NULL, &issuer);
    assert_int_equal(issuer.code, 200);
    assert_string_equal(issuer.type, "application/json");
    assert_non_null(strstr(issuer.head, "Cache-Control: public, max-age=3600"));
    const char *uri = value_find_text(issuer.json, "jwks_uri", NULL);
    assert_string_equal(strstr(uri, "/openid"), "/openid/v1/jwks");
    serve_ask(world, "GET", "/openid/v1/jwks", NULL, NULL, &keys);
    assert_string_equal(keys.type, "application/jwk-set+json");
    const struct value *key = value_first(value_get(keys.json, "keys"));
    struct crypto_key *real = crypto_key_read(world->pems[5], NULL);
    assert_true(crypto_key_point(real, x, y, NULL));
    assert_number(key, "x", x);
    assert_number(key, "y", y);
    crypto_key_free(real);
    serve_do(world, "POST", "/api/v1/namespaces/default/serviceaccounts", "{\"metadata\":{\"name\":\"reader-of-keys\"}}", 201);
    serve_ask(world, "POST", "/api/v1/namespaces/default/serviceaccounts/reader-of-keys/token", NULL,
              "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\",\"spec\":{}}", &token);
    const char *jwt = value_find_text(token.json, "status", "token", NULL);
    char *head = mem_string_n(jwt, strcspn(jwt, "."));
    for (char *at = head; *at != '\0'; at++) /* base64url */
        *at = *at == '-' ? '+' : *at == '_' ? '/' : *at;
    char *text = base64_decode(head, strlen(head), &length);
    assert_non_null(strstr(text, value_find_text(key, "kid", NULL)));
    assert_non_null(strstr(text, value_find_text(key, "alg", NULL)));
    mem_free(head);
    mem_free(text);
    got_free(&issuer);
    got_free(&keys);
    got_free(&token);
    serve_do(world, "POST", "/openid/v1/jwks", "{}", 405);
}

static void counts_what_it_answers(void **state)
{
    struct got got;
    serve_do(*state, "GET", "/api/v1/namespaces/default", NULL, 200);
    serve_ask(*state, "GET", "/metrics", NULL, NULL, &got);
    assert_int_equal(got.code, 200);
    assert_non_null(strstr(got.text, "\napiserver_request_total{code=\"200\",group=\"\",resource=\"namespaces\",scope=\"resource\",subresource=\"\","
                                     "verb=\"GET\",version=\"v1\"} "));
    assert_non_null(strstr(got.text, "\napiserver_storage_objects{resource=\"namespaces\"} 4\n"));
    assert_non_null(strstr(got.text, "\nprocess_resident_memory_bytes "));
    got_free(&got);
}

/* ---- faults */

static void answers_or_refuses_when_any_allocation_fails(void **state)
{
    static const struct {
        const char *method, *path, *body;
    } asks[] = {
        {"GET", "/api/v1/namespaces?limit=2", NULL},
        {"POST", "/api/v1/namespaces/default/configmaps?dryRun=All", "{\"metadata\":{\"name\":\"a\",\"name\":\"b\"},\"foo\":1}"},
        {"DELETE", "/api/v1/namespaces/default/configmaps/none", "{\"gracePeriodSeconds\":1}"},
        {"GET", "/api/v1/pods?labelSelector=a+in+(b,c),!d&fieldSelector=metadata.name%3Dx", NULL},
        {"GET", "/livez?verbose", NULL},
    };
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        struct line *line = line_open(*state, false, 0);
        struct got right, got;
        line_ask(line, asks[i].method, asks[i].path, "Content-Type: application/json\r\n", asks[i].body, &right);
        int same = 0;
        for (int nth = 1; same < 5 && nth < 20000; nth++) { /* the client allocates from elsewhere; the loop's own few cause noise at the end */
            line_send(line, asks[i].method, asks[i].path, "Content-Type: application/json\r\n", asks[i].body);
            mem_fail_at(nth);
            while (line->got.length == 0 && !line->ended) {
                char byte[4096];
                int result = SSL_read(line->ssl, byte, sizeof byte);
                if (result > 0)
                    buf_append(&line->got, byte, (size_t)result);
                else if (SSL_get_error(line->ssl, result) != SSL_ERROR_WANT_READ)
                    line->ended = true;
                else
                    loop_once(line->world->loop, 20);
            }
            mem_fail_at(0);
            if (line->ended) { /* without memory for a connection it is closed */
                line_close(line);
                line = line_open(*state, false, 0);
                continue;
            }
            line_answer(line, &got);
            assert_true(got.code == right.code || got.code >= 500);
            same = got.code == right.code ? same + 1 : 0;
            got_free(&got);
        }
        assert_int_equal(same, 5);
        got_free(&right);
        line_close(line);
    }
}

int test_serve(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_a_real_server_does),
        cmocka_unit_test(without_credentials_only_health_and_version_are_served),
        cmocka_unit_test(rights_to_one_name_reach_no_other_one),
        cmocka_unit_test(a_name_that_fits_into_no_path_is_refused),
        cmocka_unit_test(impersonation_is_who_one_says),
        cmocka_unit_test(people_get_indents_and_programs_do_not),
        cmocka_unit_test(metadata_alone_is_an_object_of_its_own),
        cmocka_unit_test(yaml_goes_both_ways),
        cmocka_unit_test(the_start_makes_what_clients_lean_on),
        cmocka_unit_test(the_service_of_the_server_comes_back),
        cmocka_unit_test(a_start_on_a_state_that_exists_changes_nothing_but_the_port),
        cmocka_unit_test(what_was_acknowledged_is_read_by_everybody),
        cmocka_unit_test(tokens_can_be_checked_by_the_published_key),
        cmocka_unit_test(counts_what_it_answers),
        cmocka_unit_test(answers_or_refuses_when_any_allocation_fails),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
