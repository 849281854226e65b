#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/json.h"
#include "practice/schema/schema.h"

static const struct schema *pod(void)
{
    const struct schema_kind *kind = schema_kind_of("", "v1", "Pod");
    assert_non_null(kind);
    return kind->schema;
}

static void a_kind_is_as_discovery_tells_it(void **state)
{
    (void)state;
    const struct schema_kind *kind = schema_kind_of("apps", "v1", "Deployment");
    assert_non_null(kind);
    assert_string_equal(kind->plural, "deployments");
    assert_string_equal(kind->singular, "deployment");
    assert_string_equal(kind->list_kind, "DeploymentList");
    assert_string_equal(kind->short_names[0], "deploy");
    assert_null(kind->short_names[1]);
    assert_string_equal(kind->categories[0], "all");
    assert_true(kind->namespaced);
    assert_int_equal(kind->verbs, 255);
    assert_string_equal(kind->subresources[0].name, "scale");
    assert_string_equal(kind->subresources[0].group, "autoscaling");
    assert_ptr_equal(kind->subresources[0].schema, schema_definition("io.k8s.api.autoscaling.v1.Scale"));
    assert_string_equal(kind->subresources[1].name, "status");
    assert_ptr_equal(kind->subresources[1].schema, kind->schema);
    assert_null(kind->subresources[2].name);
    assert_ptr_equal(kind->storage, kind);
    assert_ptr_equal(kind->schema, schema_definition("io.k8s.api.apps.v1.Deployment"));
    assert_null(schema_kind_of("apps", "v1", "Pod"));
    assert_null(schema_kind_of("", "v2", "Pod"));
    assert_null(schema_kind_of("", "v1", "pod"));
    assert_ptr_equal(schema_kind_at("apps/v1", "Deployment"), kind);
    assert_non_null(schema_kind_at("v1", "Pod"));
    assert_null(schema_kind_at("", "Pod"));
}

static void what_has_no_body_in_json_has_no_schema(void **state)
{
    (void)state;
    int without = 0;
    for (const struct schema_subresource *sub = schema_kind_of("", "v1", "Pod")->subresources; sub->name != NULL; sub++) {
        bool stream = strcmp(sub->name, "log") == 0 || strcmp(sub->name, "exec") == 0 || strcmp(sub->name, "attach") == 0 ||
                      strcmp(sub->name, "portforward") == 0 || strcmp(sub->name, "proxy") == 0;
        assert_int_equal(sub->schema == NULL, stream);
        without += stream;
    }
    assert_int_equal(without, 5);
}

static void a_kind_of_two_groups_is_stored_as_one(void **state)
{
    (void)state;
    assert_ptr_equal(schema_kind_of("events.k8s.io", "v1", "Event")->storage, schema_kind_of("", "v1", "Event"));
    assert_ptr_equal(schema_kind_of("autoscaling", "v1", "HorizontalPodAutoscaler")->storage,
                     schema_kind_of("autoscaling", "v2", "HorizontalPodAutoscaler"));
}

static void every_kind_is_found_and_has_its_definitions(void **state)
{
    (void)state;
    size_t count;
    const struct schema_kind *const *kinds = schema_kinds(&count);
    assert_true(count > 50);
    assert_string_equal(kinds[0]->group, "");
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(schema_kind_of(kinds[i]->group, kinds[i]->version, kinds[i]->kind), kinds[i]);
        assert_ptr_equal(schema_definition(kinds[i]->schema->name), kinds[i]->schema);
        const struct schema_field *version = schema_field(kinds[i]->schema, "apiVersion"), *kind = schema_field(kinds[i]->schema, "kind");
        assert_non_null(version);
        assert_true(version->description != NULL && kind->description != NULL); /* for explain */
        if ((kinds[i]->verbs & VERB_LIST) == 0)
            continue;
        char list[300];
        snprintf(list, sizeof list, "%sList", kinds[i]->schema->name);
        assert_non_null(schema_definition(list));
    }
}

static void definitions_are_sorted_and_their_fields_are_found(void **state)
{
    (void)state;
    size_t count;
    const struct schema *const *all = schema_definitions(&count);
    assert_true(count > 400);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(all[i - 1]->name, all[i]->name) < 0);
        assert_ptr_equal(schema_definition(all[i]->name), all[i]);
        for (size_t f = 0; f < all[i]->field_count; f++) {
            const struct schema_field *field = &all[i]->fields[f];
            assert_ptr_equal(schema_field(all[i], field->name), field);
            assert_non_null(field->schema);
            struct value *v = field->default_json != NULL ? json_parse(field->default_json, strlen(field->default_json), field->name, NULL) : NULL;
            assert_true(field->default_json == NULL || v != NULL);
            value_free(v);
        }
    }
    assert_null(schema_definition("io.k8s.api.core.v1.Nothing"));
}

static void fields_lead_down_to_lists_with_keys(void **state)
{
    (void)state;
    const struct schema *spec = schema_below(pod(), "spec"), *ports = schema_below(schema_below(spec, "containers")->items, "ports");
    assert_string_equal(spec->name, "io.k8s.api.core.v1.PodSpec");
    assert_int_equal(ports->type, SCHEMA_ARRAY);
    assert_int_equal(ports->list, SCHEMA_KEYED);
    assert_string_equal(ports->keys[0], "containerPort");
    assert_string_equal(ports->keys[1], "protocol");
    assert_null(ports->keys[2]);
    assert_string_equal(ports->merge_key, "containerPort");
    assert_int_equal(ports->flags, SCHEMA_MERGE);
    assert_int_equal(schema_below(spec, "volumes")->flags, SCHEMA_MERGE | SCHEMA_RETAIN_KEYS);
    assert_int_equal(schema_below(schema_below(pod(), "metadata"), "finalizers")->list, SCHEMA_SET);
    const struct schema *labels = schema_below(schema_below(pod(), "metadata"), "labels");
    assert_int_equal(labels->type, SCHEMA_MAP);
    assert_int_equal(schema_below(labels, "any")->type, SCHEMA_STRING);
    assert_null(schema_below(spec, "nothing"));
    assert_null(schema_below(NULL, "x"));
}

static void a_field_carries_what_its_struct_says(void **state)
{
    (void)state;
    const struct schema *container = schema_definition("io.k8s.api.core.v1.Container");
    const struct schema_field *name = schema_field(container, "name"), *resources = schema_field(container, "resources");
    assert_true((name->flags & SCHEMA_REQUIRED) != 0 && (name->flags & SCHEMA_ALWAYS) != 0);
    assert_int_equal(name->number, 1);
    assert_non_null(name->description);
    assert_true((resources->flags & SCHEMA_ALWAYS) != 0);
    assert_true((schema_field(container, "securityContext")->flags & SCHEMA_POINTER) != 0);
    assert_true((schema_field(container, "image")->flags & SCHEMA_OMIT_ZERO) != 0);
    assert_string_equal(schema_field(container, "terminationMessagePath")->default_json, "\"/dev/termination-log\"");
    assert_string_equal(schema_field(container, "imagePullPolicy")->schema->values[0], "Always");
    const struct schema *deployment = schema_definition("io.k8s.api.apps.v1.DeploymentSpec");
    assert_true((schema_field(deployment, "selector")->flags & SCHEMA_IMMUTABLE) != 0);
    assert_int_equal(schema_below(deployment, "strategy")->flags, SCHEMA_RETAIN_KEYS);
    /* inline in JSON only: field 1 of message 2 */
    assert_int_equal(schema_field(schema_definition("io.k8s.api.core.v1.Volume"), "hostPath")->number, 2 * 256 + 1);
}

static void schemas_of_schemas_go_round_in_a_circle(void **state)
{
    (void)state;
    const struct schema *props = schema_definition("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    assert_ptr_equal(schema_below(props, "not"), props);
    assert_ptr_equal(schema_below(props, "properties")->items, props);
    assert_int_equal(schema_below(props, "items")->type, SCHEMA_ANY);
    assert_ptr_equal(schema_below(props, "items")->items, props);
}

int test_schema(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_is_as_discovery_tells_it),
        cmocka_unit_test(what_has_no_body_in_json_has_no_schema),
        cmocka_unit_test(a_kind_of_two_groups_is_stored_as_one),
        cmocka_unit_test(every_kind_is_found_and_has_its_definitions),
        cmocka_unit_test(definitions_are_sorted_and_their_fields_are_found),
        cmocka_unit_test(fields_lead_down_to_lists_with_keys),
        cmocka_unit_test(a_field_carries_what_its_struct_says),
        cmocka_unit_test(schemas_of_schemas_go_round_in_a_circle),
    };
    return cmocka_run_group_tests_name("practice/schema/schema", tests, NULL, NULL);
}
