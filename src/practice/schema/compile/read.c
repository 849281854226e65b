#include <stdlib.h>
#include <string.h>

#include "practice/schema/compile/compile.h"

struct reader {
    struct tables *tables;
    const char *path;
    unsigned line;
    const char *package;
    struct definition *definition; /* whose fields the indented lines are */
    bool facts;                    /* they add to what is there */
    const char *shared;            /* or they are of all types that have this struct inline */
    const char *group, *version, *kinds_package;
};

static void refuse(const struct reader *in, const char *what)
{
    fail("%s:%u: %s", in->path, in->line, what);
}

static const char *unquoted(const char *word)
{
    return strcmp(word, "\"\"") == 0 ? "" : word;
}

static struct definition *find(const struct reader *in, const char *name)
{
    for (size_t i = 0; i < in->tables->definition_count; i++) {
        struct definition *one = &in->tables->definitions[i];
        if (strcmp(one->name, name) == 0 && strcmp(one->package, in->package) == 0)
            return one;
    }
    return NULL;
}

static struct definition *add_definition(struct reader *in, const char *name)
{
    struct tables *t = in->tables;
    if (in->package == NULL || find(in, name) != NULL)
        refuse(in, "no package, or a second definition of that name");
    t->definitions = grow(t->definitions, t->definition_count, sizeof *t->definitions);
    struct definition *added = &t->definitions[t->definition_count++];
    *added = (struct definition){.package = in->package, .name = name};
    return added;
}

/* Words of a line with a value, "keys=a,b"; NULL: another word. */
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool plain_word(struct field_line *field, const char *word)
{
    static const struct {
        const char *word;
        unsigned flags, node_flags;
        enum schema_list list;
    } words[] = {
        {"required", SCHEMA_REQUIRED, 0, 0}, {"always", SCHEMA_ALWAYS, 0, 0},          {"omit", SCHEMA_OMIT_ZERO, 0, 0},
        {"pointer", SCHEMA_POINTER, 0, 0},   {"immutable", SCHEMA_IMMUTABLE, 0, 0},    {"merge", SCHEMA_MERGE, SCHEMA_MERGE, 0},
        {"set", 0, 0, SCHEMA_SET},           {"retain", SCHEMA_RETAIN_KEYS, SCHEMA_RETAIN_KEYS, 0}, {"atomic", 0, 0, SCHEMA_ATOMIC},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) != 0)
            continue;
        field->flags |= words[i].flags;
        field->attributes.flags |= words[i].node_flags;
        if (words[i].list != 0)
            field->attributes.list = words[i].list;
        return true;
    }
    return false;
}

static void field_word(const struct reader *in, struct field_line *field, const char *word)
{
    const char *value;
    if (plain_word(field, word))
        return;
    if ((value = value_of(word, "keys")) != NULL) {
        field->attributes.list = SCHEMA_KEYED;
        field->attributes.keys = value;
    } else if ((value = value_of(word, "merge-key")) != NULL) {
        field->attributes.merge_key = value;
    } else if ((value = value_of(word, "default")) != NULL) {
        field->default_json = value;
    } else {
        refuse(in, "an unknown word of a field");
    }
}

static unsigned number_of(const struct reader *in, const char *text)
{
    char *end;
    unsigned long outer = strtoul(text, &end, 10), inner = 0;
    if (*end == '.')
        inner = strtoul(end + 1, &end, 10);
    if (*end != '\0' || end == text || outer > 255 || inner > 255)
        refuse(in, "not a field's number");
    return inner == 0 ? (unsigned)outer : (unsigned)(outer << 8 | inner);
}

static void schema_field_line(struct reader *in, char **words, size_t count)
{
    struct definition *d = in->definition;
    if (strcmp(words[0], "inline") == 0 && count == 3) {
        d->inlines = grow(d->inlines, d->inline_count, sizeof *d->inlines);
        d->inlines[d->inline_count++] = (struct inline_line){.number = number_of(in, words[1]), .name = words[2]};
        return;
    }
    if (count < 3)
        refuse(in, "a field has a name, a number and a type");
    d->fields = grow(d->fields, d->field_count, sizeof *d->fields);
    struct field_line *field = &d->fields[d->field_count++];
    *field = (struct field_line){.name = words[0], .word = words[2], .number = number_of(in, words[1])};
    for (size_t i = 3; i < count; i++)
        field_word(in, field, words[i]);
}

static void facts_field_line(struct reader *in, char **words, size_t count, const char *description)
{
    struct definition *d = in->definition;
    struct field_line *field = NULL;
    for (size_t i = 0; i < d->field_count && field == NULL; i++) {
        if (strcmp(d->fields[i].name, words[0]) == 0)
            field = &d->fields[i];
    }
    if (field == NULL)
        refuse(in, "no such field");
    for (size_t i = 1; i < count; i++)
        field_word(in, field, words[i]);
    if (description != NULL)
        field->description = description;
}

/* A field that many types have from one struct: described where nothing else is said of it. */
static void shared_field_line(struct reader *in, const char *name, const char *description)
{
    struct tables *t = in->tables;
    bool found = false;
    for (size_t i = 0; i < t->definition_count; i++) {
        struct definition *d = &t->definitions[i];
        bool has = false;
        for (size_t j = 0; j < d->inline_count && !has; j++)
            has = strcmp(d->inlines[j].name, in->shared) == 0;
        for (size_t j = 0; j < d->field_count && has; j++) {
            struct field_line *field = &d->fields[j];
            if (strcmp(field->name, name) == 0 && field->description == NULL)
                field->description = description;
            found = found || strcmp(field->name, name) == 0;
        }
    }
    if (!found)
        refuse(in, "no type has such a field");
}

static void sub_line(struct reader *in, char **words, size_t count)
{
    struct tables *t = in->tables;
    if (t->kind_count == 0 || count < 6)
        refuse(in, "a subresource has a kind above it, a name, group, version, kind and verbs");
    struct kind_line *kind = &t->kinds[t->kind_count - 1];
    kind->subs = grow(kind->subs, kind->sub_count, sizeof *kind->subs);
    kind->subs[kind->sub_count++] = (struct sub_line){.name = words[1], .group = unquoted(words[2]), .version = words[3], .kind = words[4],
                                                      .verbs = words[5], .type = count > 6 ? words[6] : NULL};
}

static void kind_line(struct reader *in, char **words, size_t count)
{
    struct tables *t = in->tables;
    if (in->group == NULL || count < 6)
        refuse(in, "a kind has a group above it, a name, plural, singular, scope and verbs");
    t->kinds = grow(t->kinds, t->kind_count, sizeof *t->kinds);
    struct kind_line *kind = &t->kinds[t->kind_count++];
    *kind = (struct kind_line){.group = in->group, .version = in->version, .package = in->kinds_package, .kind = words[1], .plural = words[2],
                               .singular = unquoted(words[3]), .namespaced = strcmp(words[4], "namespaced") == 0, .verbs = words[5]};
    for (size_t i = 6; i < count; i++) {
        const char **to = value_of(words[i], "short") != NULL ? &kind->short_names
                        : value_of(words[i], "categories") != NULL ? &kind->categories : NULL;
        if (to == NULL)
            refuse(in, "an unknown word of a kind");
        *to = strchr(words[i], '=') + 1;
    }
}

static void stored_line(struct reader *in, char **words)
{
    struct tables *t = in->tables;
    for (size_t i = 0; i < t->kind_count; i++) {
        struct kind_line *kind = &t->kinds[i];
        if (strcmp(kind->group, unquoted(words[1])) == 0 && strcmp(kind->version, words[2]) == 0 && strcmp(kind->kind, words[3]) == 0) {
            kind->storage_group = unquoted(words[4]);
            kind->storage_version = words[5];
            return;
        }
    }
    refuse(in, "no such kind");
}

static void enum_line(struct reader *in, char **words, size_t count)
{
    struct definition *d = add_definition(in, words[1]);
    d->is_enum = true;
    for (size_t i = 2; i < count; i++) {
        d->values = grow(d->values, d->value_count, sizeof *d->values);
        d->values[d->value_count++] = unquoted(words[i]);
    }
}

static void heading(struct reader *in, char **words, size_t count, const char *description)
{
    const char *first = words[0];
    if (count < 2)
        refuse(in, "a line of one word");
    in->definition = NULL;
    in->shared = NULL;
    if (strcmp(first, "package") == 0) {
        in->package = words[1];
    } else if (strcmp(first, "enum") == 0) {
        enum_line(in, words, count);
    } else if (strcmp(first, "alias") == 0 && count == 3) {
        add_definition(in, words[1])->alias = words[2];
    } else if (strcmp(first, "any") == 0 && count == 3) {
        add_definition(in, words[1])->other = words[2];
    } else if (strcmp(first, "type") == 0) {
        in->facts = false;
        in->definition = add_definition(in, words[1]);
        in->definition->atomic = count > 2 && strcmp(words[2], "atomic") == 0;
    } else if (strcmp(first, "about") == 0) {
        in->facts = true;
        if (in->package == NULL || (in->definition = find(in, words[1])) == NULL)
            refuse(in, "no such type");
        in->definition->description = description;
    } else if (strcmp(first, "every") == 0 && count == 2) {
        in->shared = words[1];
    } else if (strcmp(first, "group") == 0 && count == 4) {
        in->group = unquoted(words[1]);
        in->version = words[2];
        in->kinds_package = words[3];
    } else if (strcmp(first, "kind") == 0) {
        kind_line(in, words, count);
    } else if (strcmp(first, "stored") == 0 && count == 6) {
        stored_line(in, words);
    } else {
        refuse(in, "an unknown line");
    }
}

static void read_line(struct reader *in, char *line)
{
    char *words[MOST_WORDS];
    size_t count = 0;
    bool indented = line[0] == ' ';
    char *description = NULL;
    if (line[strspn(line, " ")] == '#')
        return;
    char *colon = strstr(line, ": ");
    if (colon != NULL) {
        *colon = '\0';
        description = colon + 2;
    }
    char *rest = line;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        if (count == MOST_WORDS)
            refuse(in, "too many words");
        words[count++] = word;
    }
    if (count == 0)
        return;
    if (!indented)
        heading(in, words, count, description);
    else if (strcmp(words[0], "sub") == 0 && in->group != NULL)
        sub_line(in, words, count);
    else if (in->shared != NULL && count == 1 && description != NULL)
        shared_field_line(in, words[0], description);
    else if (in->definition == NULL)
        refuse(in, "a field without a type");
    else if (in->facts)
        facts_field_line(in, words, count, description);
    else
        schema_field_line(in, words, count);
}

void read_file(struct tables *tables, const char *path)
{
    struct reader in = {.tables = tables, .path = path};
    for (char *line = file_text(path), *end; line != NULL; line = end) {
        end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        in.line++;
        read_line(&in, line);
    }
}
