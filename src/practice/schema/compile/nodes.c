#include <string.h>

#include "practice/schema/compile/compile.h"

static const struct {
    const char *word;
    enum schema_type type;
    const char *name; /* where it is a definition of OpenAPI */
} scalars[] = {
    {"string", SCHEMA_STRING, NULL},
    {"bool", SCHEMA_BOOL, NULL},
    {"int32", SCHEMA_INT32, NULL},
    {"int64", SCHEMA_INT64, NULL},
    {"double", SCHEMA_DOUBLE, NULL},
    {"bytes", SCHEMA_BYTES, NULL},
    {"quantity", SCHEMA_QUANTITY, "io.k8s.apimachinery.pkg.api.resource.Quantity"},
    {"int-or-string", SCHEMA_INT_OR_STRING, "io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
    {"time", SCHEMA_TIME, "io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
    {"microtime", SCHEMA_MICRO_TIME, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"},
    {"duration", SCHEMA_DURATION, "io.k8s.apimachinery.pkg.apis.meta.v1.Duration"},
    {"fields", SCHEMA_FIELDS, "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"},
    {"raw", SCHEMA_RAW, "io.k8s.apimachinery.pkg.runtime.RawExtension"},
    {"any", SCHEMA_ANY, NULL},
};

const char *full_name(const struct definition *definition)
{
    return text_of("%s.%s", definition->package, definition->name);
}

/* NAME of this package, or PACKAGE'S-END.NAME. */
static const struct definition *definition_of(const struct tables *tables, const char *package, const char *word)
{
    const char *dot = strrchr(word, '.');
    const char *name = dot == NULL ? word : dot + 1;
    size_t length = dot == NULL ? strlen(package) : (size_t)(dot - word);
    const char *wanted = dot == NULL ? package : word;
    for (size_t i = 0; i < tables->definition_count; i++) {
        const struct definition *one = &tables->definitions[i];
        size_t own = strlen(one->package);
        if (strcmp(one->name, name) == 0 && own >= length && memcmp(one->package + own - length, wanted, length) == 0 &&
            (own == length || one->package[own - length - 1] == '.'))
            return one;
    }
    fail("there is no %s in %s", word, package);
}

/* A new node, or the number of one that is the same. */
static size_t add_node(struct tables *t, struct node node)
{
    for (size_t i = 0; i < t->node_count; i++) {
        if (strcmp(t->nodes[i].signature, node.signature) == 0)
            return i;
    }
    t->nodes = grow(t->nodes, t->node_count, sizeof *t->nodes);
    t->nodes[t->node_count] = node;
    return t->node_count++;
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

/* As Go's errors say a type of a package: its last part and the name. */
static const char *go_name(const struct definition *definition)
{
    return text_of("%s.%s", strrchr(definition->package, '.') + 1, definition->name);
}

static size_t container(struct tables *t, const char *package, const char *word, struct attributes attributes)
{
    size_t items = node_of(t, package, word + 2, (struct attributes){0});
    if (word[0] == '(')
        attributes.flags |= SCHEMA_WRAPPED;
    struct node node = {.type = word[0] == '{' ? SCHEMA_MAP : SCHEMA_ARRAY, .attributes = attributes, .items = items + 1};
    node.signature = text_of("%c %zu %u %d %s %s %s", word[0], items, attributes.flags, (int)attributes.list, or_empty(attributes.keys),
                             or_empty(attributes.merge_key), or_empty(attributes.go_name));
    return add_node(t, node);
}

size_t node_of(struct tables *t, const char *package, const char *word, struct attributes attributes)
{
    if (strchr("[{(", word[0]) != NULL)
        return container(t, package, word, attributes);
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        if (strcmp(scalars[i].word, word) == 0)
            return add_node(t, (struct node){.type = scalars[i].type, .name = scalars[i].name, .attributes.go_name = attributes.go_name,
                                             .signature = text_of("%s %s", word, or_empty(attributes.go_name))});
    }
    const struct definition *d = definition_of(t, package, word);
    if (d->alias != NULL) {
        attributes.go_name = go_name(d);
        return node_of(t, d->package, d->alias, attributes);
    }
    struct node node = {.definition = d, .signature = text_of("= %s", full_name(d))};
    if (d->is_enum) {
        node.type = SCHEMA_STRING;
        node.attributes.go_name = go_name(d);
    } else if (d->other != NULL) {
        node.type = SCHEMA_ANY;
        node.name = full_name(d);
        node.items = node_of(t, d->package, d->other, (struct attributes){0}) + 1;
    } else {
        node.type = SCHEMA_OBJECT;
        node.name = full_name(d);
        node.attributes = attributes;
        if (d->atomic)
            node.attributes.list = SCHEMA_ATOMIC;
        node.signature = text_of("= %s %u %d", node.name, node.attributes.flags, (int)node.attributes.list);
    }
    return add_node(t, node);
}

void make_nodes(struct tables *t)
{
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        (void)node_of(t, "", scalars[i].word, (struct attributes){0});
    for (size_t i = 0; i < t->definition_count; i++) {
        struct definition *d = &t->definitions[i];
        if (!d->is_enum && d->alias == NULL)
            (void)node_of(t, d->package, d->name, (struct attributes){0});
        for (size_t f = 0; f < d->field_count; f++)
            d->fields[f].node = node_of(t, d->package, d->fields[f].word, d->fields[f].attributes);
    }
}
