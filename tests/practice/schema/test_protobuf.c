#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/schema/decode.h"
#include "practice/schema/protobuf.h"

enum { MOST_FILE = 1 << 26 };
static const char recorded[] = KT_TEST_CASES "/protobuf/recorded.txt";

/* k8s.io/api's samples of every kind, each in JSON and protobuf: in the Go module cache, if there is one. */
static const char *samples(void)
{
    static char folder[4096];
    const char *cache = getenv("GOMODCACHE"), *home = getenv("HOME");
    snprintf(folder, sizeof folder, "%s%s/k8s.io/api@v0.37.2/testdata/HEAD", cache != NULL ? cache : home != NULL ? home : "",
             cache != NULL ? "" : "/go/pkg/mod");
    return file_exists(folder) ? folder : NULL;
}

/* The schema of a kind, of a subresource's body, or of what belongs to no group. */
static const struct schema *schema_of(const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/'), *version = slash != NULL ? slash + 1 : api_version;
    char group[128] = "";
    snprintf(group, sizeof group, "%.*s", slash != NULL ? (int)(slash - api_version) : 0, api_version);
    const struct schema_kind *found = schema_kind_of(group, version, kind);
    if (found != NULL)
        return found->schema;
    size_t count;
    const struct schema_kind *const *kinds = schema_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        for (const struct schema_subresource *sub = kinds[i]->subresources; sub != NULL && sub->name != NULL; sub++) {
            if (sub->schema != NULL && strcmp(sub->group, group) == 0 && strcmp(sub->version, version) == 0 && strcmp(sub->kind, kind) == 0)
                return sub->schema;
        }
    }
    char name[256];
    snprintf(name, sizeof name, "io.k8s.apimachinery.pkg.apis.meta.v1.%s", kind);
    return group[0] == '\0' ? schema_definition(name) : NULL; /* DeleteOptions, Status ... count as core's there */
}

static char *read_sample(const char *folder, const char *name, const char *end, size_t *length)
{
    char path[4096 + 300];
    snprintf(path, sizeof path, "%s/%.*s%s", folder, (int)(strlen(name) - strlen(".json")), name, end);
    char *text = file_read(path, MOST_FILE, length, NULL);
    assert_non_null(text);
    return text;
}

static bool same_text(const struct value *a, const struct value *b)
{
    char *one = json_text(a, MOST_FILE), *other = json_text(b, MOST_FILE);
    bool same = one != NULL && other != NULL && strcmp(one, other) == 0;
    if (!same)
        print_error("%s\n%s\n", one, other);
    mem_free(one);
    mem_free(other);
    return same;
}

/* 1: all three are the same document; 0: not; -1: not served. */
static int compare_sample(const char *folder, const char *name)
{
    struct error err = ERROR_INIT;
    struct schema_type_meta meta;
    size_t length;
    char *text = read_sample(folder, name, ".json", &length);
    assert_true(schema_type_meta(text, length, &meta, &err));
    const struct schema *schema = schema_of(meta.api_version, meta.kind);
    if (schema == NULL) {
        mem_free(text);
        return -1;
    }
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct value *plain = json_parse(text, length, name, &err), *decoded = schema_decode(text, length, schema, &complaints, &err);
    if (decoded == NULL)
        print_error("%s: %s\n", name, err.message);
    bool same = decoded != NULL && complaints.length == 0 && same_text(plain, decoded);
    mem_free(text);
    char *body = read_sample(folder, name, ".pb", &length);
    struct protobuf_envelope envelope;
    assert_true(protobuf_open(body, length, &envelope, &err));
    same = same && strcmp(envelope.kind, meta.kind) == 0 && strcmp(envelope.api_version, meta.api_version) == 0;
    struct value *message = protobuf_decode(&envelope, schema, &err);
    if (message == NULL)
        print_error("%s: %s\n", name, err.message);
    same = same && message != NULL && same_text(plain, message);
    mem_free(body);
    vec_free(&complaints);
    value_free(plain);
    value_free(decoded);
    value_free(message);
    return same;
}

/* GROUP.VERSION.KIND.json: notes the group and version, of core the kind too. */
static void note_unserved(struct vec *groups, const char *name)
{
    char group[256];
    snprintf(group, sizeof group, "%.*s", (int)(strlen(name) - strlen(".json")), name);
    if (strncmp(group, "core.", 5) != 0)
        *strrchr(group, '.') = '\0';
    assert_true(vec_has_string(groups, group) || vec_push_string(groups, group));
}

static void every_served_kind_is_the_same_in_json_and_protobuf(void **state)
{
    (void)state;
    const char *folder = samples();
    if (folder == NULL) {
        print_message("no samples: GOMODCACHE has no k8s.io/api@v0.37.2\n");
        skip();
    }
    struct vec unserved_groups = vec_make(1000, mem_free);
    int same = 0, different = 0, unserved = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        int result = compare_sample(folder, entry->d_name);
        if (result < 0)
            note_unserved(&unserved_groups, entry->d_name);
        if (result == 0)
            print_error("%s differs\n", entry->d_name);
        unserved += result < 0;
        different += result == 0;
        same += result > 0;
    }
    closedir(dir);
    for (size_t i = 0; i < unserved_groups.length; i++)
        print_message("%s%s", i == 0 ? "not served: " : ", ", (char *)unserved_groups.items[i]);
    vec_free(&unserved_groups);
    print_message("\n%d samples are the same, %d are of kinds that are not served\n", same, unserved);
    assert_int_equal(different, 0);
    assert_true(same > 50);
}

/* Bodies and, below each, what Go's serializer made of them (record-protobuf.go). `look` is given every body as JSON and as protobuf. */
static int each_recorded(const char *path, void (*look)(const char *json, const unsigned char *body, size_t length))
{
    char *text = file_read(path, MOST_FILE, NULL, NULL), *rest = text, *json = NULL;
    int cases = 0;
    assert_non_null(text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] != '=') {
            json = line;
            continue;
        }
        size_t length;
        char *bytes = base64_decode(line + 2, strlen(line + 2), &length);
        assert_non_null(bytes);
        look(json, (unsigned char *)bytes, length);
        mem_free(bytes);
        cases++;
    }
    mem_free(text);
    return cases;
}

static void look_whether_it_is_the_same(const char *json, const unsigned char *body, size_t length)
{
    struct error err = ERROR_INIT;
    struct protobuf_envelope envelope;
    assert_true(protobuf_open(body, length, &envelope, &err));
    const struct schema *schema = schema_of(envelope.api_version, envelope.kind);
    if (schema == NULL)
        schema = schema_definition("io.k8s.api.core.v1.PodList");
    struct value *plain = schema_decode(json, strlen(json), schema, NULL, &err), *message = protobuf_decode(&envelope, schema, &err);
    if (plain == NULL || message == NULL)
        print_error("%s: %s\n", envelope.kind, err.message);
    assert_true(plain != NULL && message != NULL && same_text(plain, message));
    value_free(plain);
    value_free(message);
}

static void what_has_no_sample_is_the_same_too(void **state)
{
    (void)state;
    const char *more = getenv("KT_PROTOBUF_CASES"); /* a file of many more, made by record-protobuf.go */
    assert_true(each_recorded(recorded, look_whether_it_is_the_same) >= 8);
    assert_true(more == NULL || each_recorded(more, look_whether_it_is_the_same) > 0);
}

/* Whatever comes out, it is an object or an error. */
static void try_body(const unsigned char *body, size_t length)
{
    struct error err = ERROR_INIT;
    struct protobuf_envelope envelope;
    if (!protobuf_open(body, length, &envelope, &err)) {
        assert_int_equal(err.kind, ERROR_INPUT);
        return;
    }
    const struct schema *schema = schema_of(envelope.api_version, envelope.kind);
    struct value *v = protobuf_decode(&envelope, schema != NULL ? schema : schema_definition("io.k8s.api.core.v1.PodList"), &err);
    assert_true(v != NULL || err.kind == ERROR_INPUT || err.kind == ERROR_LIMIT);
    value_free(v);
}

static void look_at_broken_ones(const char *json, const unsigned char *body, size_t length)
{
    (void)json;
    unsigned char *copy = mem_alloc(length);
    assert_non_null(copy);
    for (size_t i = 0; i < length; i++) {
        memcpy(copy, body, length);
        try_body(copy, i); /* cut short */
        for (unsigned bit = 0; bit < 8; bit++) {
            copy[i] = (unsigned char)(body[i] ^ 1U << bit);
            try_body(copy, length);
        }
    }
    mem_free(copy);
}

static void broken_bodies_are_errors_at_most(void **state)
{
    (void)state;
    assert_true(each_recorded(recorded, look_at_broken_ones) >= 8);
    try_body((const unsigned char *)"", 0);
    try_body((const unsigned char *)"k8s", 3);
    try_body((const unsigned char *)"{}", 2);
}

static void messages_within_messages_have_an_end(void **state)
{
    (void)state;
    /* schema { not { not { ...: each level is field 28 and the length of what is in it */
    enum { LEVELS = 5000 };
    static unsigned char bytes[LEVELS * 5];
    size_t at = sizeof bytes;
    for (int i = 0; i < LEVELS; i++) {
        size_t length = sizeof bytes - at;
        unsigned char head[8] = {0xE2, 0x01}; /* 28 << 3 | 2 */
        size_t count = 2;
        for (; length >= 128; length >>= 7)
            head[count++] = (unsigned char)(length | 128);
        head[count++] = (unsigned char)length;
        if (at < count)
            break;
        at -= count;
        memcpy(bytes + at, head, count);
    }
    struct error err = ERROR_INIT;
    struct protobuf_envelope envelope = {.message = bytes + at, .length = sizeof bytes - at};
    assert_null(protobuf_decode(&envelope, schema_definition("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"), &err));
    assert_int_equal(err.kind, ERROR_INPUT);
}

static void look_without_memory(const char *json, const unsigned char *body, size_t length)
{
    struct protobuf_envelope envelope;
    assert_true(protobuf_open(body, length, &envelope, NULL));
    const struct schema *schema = schema_of(envelope.api_version, envelope.kind);
    int nth = 0;
    (void)json;
    for (bool ok = schema == NULL; !ok;) {
        struct error err = ERROR_INIT;
        mem_fail_at(++nth);
        struct value *v = protobuf_decode(&envelope, schema, &err);
        mem_fail_at(0);
        ok = v != NULL;
        assert_true(ok || err.kind == ERROR_MEMORY);
        value_free(v);
    }
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    each_recorded(recorded, look_without_memory);
}

int test_protobuf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_served_kind_is_the_same_in_json_and_protobuf),
        cmocka_unit_test(what_has_no_sample_is_the_same_too),
        cmocka_unit_test(broken_bodies_are_errors_at_most),
        cmocka_unit_test(messages_within_messages_have_an_end),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("practice/schema/protobuf", tests, NULL, NULL);
}
