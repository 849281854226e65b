#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "practice/schema/compile/compile.h"

static void quoted(FILE *out, const char *text)
{
    if (text == NULL) {
        fputs("NULL", out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* "a,b" as a NULL-terminated array of its own; what stands for it is NAME, or NULL where there is none. */
static void words(FILE *out, const char *list, const char *name)
{
    if (list == NULL)
        return;
    fprintf(out, "static const char *const %s[] = {", name);
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        quoted(out, text_of("%.*s", (int)length, at));
        fputs(", ", out);
        at += length + (at[length] == ',');
    }
    fputs("NULL};\n", out);
}

static const char *c_name(const struct definition *definition)
{
    char *name = text_of("%s", full_name(definition));
    for (char *at = name; *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at))
            *at = '_';
    }
    return name;
}

static const struct field_line *sorting; /* qsort has no argument of its own; the tool has one thread */

static int by_field_name(const void *a, const void *b)
{
    return strcmp(sorting[*(const size_t *)a].name, sorting[*(const size_t *)b].name);
}

static void emit_fields(FILE *out, const struct definition *d)
{
    if (d->is_enum || d->field_count == 0)
        return;
    const char *name = c_name(d);
    fprintf(out, "static const struct schema_field fields_%s[] = {\n", name);
    size_t order[256];
    if (d->field_count > sizeof order / sizeof order[0])
        fail("%s has too many fields", d->name);
    for (size_t i = 0; i < d->field_count; i++) {
        const struct field_line *f = &d->fields[i];
        order[i] = i;
        fputs("    {", out);
        quoted(out, f->name);
        fprintf(out, ", &nodes[%zu], ", f->node);
        quoted(out, f->default_json);
        fputs(", ", out);
        quoted(out, f->description);
        fprintf(out, ", %u, %u},\n", f->number, f->flags);
    }
    fputs("};\n", out);
    sorting = d->fields;
    qsort(order, d->field_count, sizeof order[0], by_field_name);
    fprintf(out, "static const uint16_t names_%s[] = {", name);
    for (size_t i = 0; i < d->field_count; i++) {
        if (i > 0 && strcmp(d->fields[order[i]].name, d->fields[order[i - 1]].name) == 0)
            fail("%s has two fields %s", d->name, d->fields[order[i]].name);
        fprintf(out, "%s%zu", i == 0 ? "" : ", ", order[i]);
    }
    fputs("};\n", out);
}

static void emit_values(FILE *out, const struct definition *d)
{
    if (!d->is_enum)
        return;
    fprintf(out, "static const char *const values_%s[] = {", c_name(d));
    for (size_t i = 0; i < d->value_count; i++) {
        quoted(out, d->values[i]);
        fputs(", ", out);
    }
    fputs("NULL};\n", out);
}

/* Bits of the fields that are always there, that have a default. */
static void emit_masks(FILE *out, const struct definition *d)
{
    unsigned long long always = 0, defaulted = 0;
    if (d->field_count > 64)
        fail("%s has more fields than a mask has bits", d->name);
    for (size_t i = 0; i < d->field_count; i++) {
        always |= (d->fields[i].flags & SCHEMA_ALWAYS) != 0 ? 1ULL << i : 0;
        defaulted |= d->fields[i].default_json != NULL ? 1ULL << i : 0;
    }
    if (always != 0)
        fprintf(out, ", .always = %#llx", always);
    if (defaulted != 0)
        fprintf(out, ", .defaulted = %#llx", defaulted);
}

static void emit_node(FILE *out, const struct node *node, size_t number)
{
    const struct definition *d = node->definition;
    fprintf(out, "    [%zu] = {.type = %d", number, (int)node->type);
    if (node->name != NULL) {
        fputs(", .name = ", out);
        quoted(out, node->name);
    }
    if (d != NULL && d->description != NULL) {
        fputs(", .description = ", out);
        quoted(out, d->description);
    }
    if (d != NULL && d->field_count > 0) {
        fprintf(out, ", .fields = fields_%s, .by_name = names_%s, .field_count = %zu", c_name(d), c_name(d), d->field_count);
        emit_masks(out, d);
    }
    if (d != NULL && d->is_enum)
        fprintf(out, ", .values = values_%s", c_name(d));
    if (node->attributes.flags != 0)
        fprintf(out, ", .flags = %u", node->attributes.flags);
    if (node->attributes.list != 0)
        fprintf(out, ", .list = %d", (int)node->attributes.list);
    if (node->attributes.keys != NULL)
        fprintf(out, ", .keys = keys_%zu", number);
    if (node->attributes.merge_key != NULL) {
        fputs(", .merge_key = ", out);
        quoted(out, node->attributes.merge_key);
    }
    if (node->attributes.go_name != NULL) {
        fputs(", .go_name = ", out);
        quoted(out, node->attributes.go_name);
    }
    if (node->items != 0)
        fprintf(out, ", .items = &nodes[%zu]", node->items - 1);
    fputs("},\n", out);
}

static unsigned verbs_of(const char *list)
{
    static const char *const names[] = {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
    unsigned verbs = 0;
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < 8 && (strlen(names[i]) != length || memcmp(names[i], at, length) != 0))
            i++;
        if (i == 8)
            fail("unknown verb in %s", list);
        verbs |= 1U << i;
        at += length + (at[length] == ',');
    }
    return verbs;
}

/* The number of the kind that this one is kept as: itself, mostly. */
static size_t storage_of(const struct tables *t, size_t number)
{
    const struct kind_line *kind = &t->kinds[number];
    if (kind->storage_group == NULL)
        return number;
    for (size_t i = 0; i < t->kind_count; i++) {
        const struct kind_line *other = &t->kinds[i];
        if (strcmp(other->kind, kind->kind) == 0 && strcmp(other->group, kind->storage_group) == 0 &&
            strcmp(other->version, kind->storage_version) == 0)
            return i;
    }
    fail("%s is stored as a kind that is not there", kind->kind);
}

static void emit_kind_parts(struct tables *t, FILE *out, size_t number)
{
    const struct kind_line *kind = &t->kinds[number];
    words(out, kind->short_names, text_of("short_%zu", number));
    words(out, kind->categories, text_of("categories_%zu", number));
    if (kind->sub_count == 0)
        return;
    fprintf(out, "static const struct schema_subresource subs_%zu[] = {\n", number);
    for (size_t i = 0; i < kind->sub_count; i++) {
        const struct sub_line *sub = &kind->subs[i];
        const char *texts[] = {sub->name, sub->group, sub->version, sub->kind};
        fputs("    {", out);
        for (size_t j = 0; j < 4; j++) {
            quoted(out, texts[j]);
            fputs(", ", out);
        }
        fprintf(out, "%u, ", verbs_of(sub->verbs));
        if (sub->type == NULL)
            fputs("NULL},\n", out);
        else
            fprintf(out, "&nodes[%zu]},\n", node_of(t, "", sub->type, (struct attributes){0}));
    }
    fputs("    {NULL, NULL, NULL, NULL, 0, NULL},\n};\n", out);
}

static void emit_kind(struct tables *t, FILE *out, size_t number)
{
    const struct kind_line *kind = &t->kinds[number];
    unsigned verbs = verbs_of(kind->verbs);
    const char *texts[] = {kind->group, kind->version, kind->kind, kind->plural, kind->singular,
                           (verbs & VERB_LIST) != 0 ? text_of("%sList", kind->kind) : NULL};
    fputs("    {", out);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        quoted(out, texts[i]);
        fputs(", ", out);
    }
    fprintf(out, "%s, ", kind->short_names == NULL ? "NULL" : text_of("short_%zu", number));
    fprintf(out, "%s, ", kind->categories == NULL ? "NULL" : text_of("categories_%zu", number));
    fprintf(out, "%s, %u, ", kind->namespaced ? "true" : "false", verbs);
    fprintf(out, "%s, ", kind->sub_count == 0 ? "NULL" : text_of("subs_%zu", number));
    fprintf(out, "&nodes[%zu], &kinds[%zu], NULL},\n", node_of(t, "", text_of("%s.%s", kind->package, kind->kind), (struct attributes){0}),
            storage_of(t, number));
}

static const struct tables *ordering;

static int by_name(const void *a, const void *b)
{
    return strcmp(ordering->nodes[*(const size_t *)a].name, ordering->nodes[*(const size_t *)b].name);
}

static int by_kind(const void *a, const void *b)
{
    const struct kind_line *one = &ordering->kinds[*(const size_t *)a], *other = &ordering->kinds[*(const size_t *)b];
    int order = strcmp(one->kind, other->kind);
    if (order == 0)
        order = strcmp(one->group, other->group);
    return order != 0 ? order : strcmp(one->version, other->version);
}

/* A definition's own node is the one without a field's attributes. */
static bool is_definition(const struct node *node)
{
    if (node->name == NULL)
        return false;
    bool atomic = node->definition != NULL && node->definition->atomic;
    return node->attributes.flags == 0 && (node->attributes.list == SCHEMA_ATOMIC) == atomic;
}

static void emit_order(FILE *out, const char *name, const char *element, const char *of, const size_t *order, size_t count)
{
    fprintf(out, "const struct %s *const %s[] = {\n", element, name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    &%s[%zu],\n", of, order[i]);
    fprintf(out, "};\nconst size_t %s_count = %zu;\n", name, count);
}

static void emit_inlines(const struct tables *t, FILE *out)
{
    fputs("const struct schema_inline schema_table_inlines[] = {\n", out);
    for (size_t i = 0; i < t->definition_count; i++) {
        const struct definition *d = &t->definitions[i];
        for (size_t j = 0; j < d->inline_count; j++) {
            if (d->inlines[j].number == 0)
                continue; /* TypeMeta, everywhere */
            fprintf(out, "    {\"%s\", %u, \"%s\"},\n", full_name(d), d->inlines[j].number, d->inlines[j].name);
        }
    }
    fputs("    {NULL, 0, NULL},\n};\n", out);
}

void emit(struct tables *t, FILE *out)
{
    fprintf(out, "/* Made by schema_compile from src/practice/schema/data. */\n#include \"practice/schema/table.h\"\n\n");
    fprintf(out, "static const struct schema nodes[%zu];\nstatic const struct schema_kind kinds[%zu];\n", t->node_count, t->kind_count);
    for (size_t i = 0; i < t->definition_count; i++) {
        emit_values(out, &t->definitions[i]);
        emit_fields(out, &t->definitions[i]);
    }
    for (size_t i = 0; i < t->node_count; i++)
        words(out, t->nodes[i].attributes.keys, text_of("keys_%zu", i));
    fprintf(out, "static const struct schema nodes[%zu] = {\n", t->node_count);
    for (size_t i = 0; i < t->node_count; i++)
        emit_node(out, &t->nodes[i], i);
    fputs("};\n", out);
    for (size_t i = 0; i < t->kind_count; i++)
        emit_kind_parts(t, out, i);
    fprintf(out, "static const struct schema_kind kinds[%zu] = {\n", t->kind_count);
    size_t *order = NULL, count = 0;
    for (size_t i = 0; i < t->kind_count; i++) {
        emit_kind(t, out, i);
        order = grow(order, count, sizeof *order);
        order[count++] = i;
    }
    fputs("};\n", out);
    emit_inlines(t, out);
    emit_order(out, "schema_table_kinds", "schema_kind", "kinds", order, count);
    ordering = t;
    qsort(order, count, sizeof *order, by_kind);
    emit_order(out, "schema_table_kinds_by_name", "schema_kind", "kinds", order, count);
    size_t *definitions = NULL;
    count = 0;
    for (size_t i = 0; i < t->node_count; i++) {
        if (!is_definition(&t->nodes[i]))
            continue;
        definitions = grow(definitions, count, sizeof *definitions);
        definitions[count++] = i;
    }
    qsort(definitions, count, sizeof *definitions, by_name);
    emit_order(out, "schema_table_definitions", "schema", "nodes", definitions, count);
}
