/* object_build: a document becomes text and index. The version's digits go between the quotes that the text begins with, so that the gap is always at
 * the same place. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/api/verbs.h"

static const char opening[] = "\"metadata\":{\"resourceVersion\":\"\"";

static void print_entry(struct buf *out, const struct value *entry)
{
    buf_append(out, ",", 1);
    json_quote(value_key(entry), out);
    buf_append(out, ":", 1);
    json_print(entry, false, out);
}

static void print_text(struct buf *out, const struct value *document, const struct value *metadata, const struct buf *managed)
{
    buf_append(out, opening, sizeof opening - 1);
    for (const struct value *entry = value_first(metadata); entry != NULL; entry = value_next(entry))
        if (strcmp(value_key(entry), "resourceVersion") != 0)
            print_entry(out, entry);
    if (managed != NULL && managed->length > 0) { /* the last field of metadata */
        buf_append_string(out, ",\"managedFields\":");
        buf_append(out, managed->bytes, managed->length);
    }
    buf_append(out, "}", 1);
    for (const struct value *entry = value_first(document); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        if (entry != metadata && strcmp(key, "kind") != 0 && strcmp(key, "apiVersion") != 0)
            print_entry(out, entry);
    }
    buf_append(out, "}", 1);
}

static bool collect_labels(struct object_build *build, const struct value *metadata)
{
    const struct value *labels = value_get(metadata, "labels");
    size_t count = value_length(labels);
    if (count == 0)
        return true;
    build->labels = mem_alloc((2 * count + 1) * sizeof *build->labels);
    if (build->labels == NULL)
        return false;
    size_t at = 0;
    for (const struct value *label = value_first(labels); label != NULL; label = value_next(label)) {
        const char *text = value_text(label);
        build->labels[at++] = value_key(label);
        build->labels[at++] = text != NULL ? text : "";
    }
    build->labels[at] = NULL;
    build->wanted.labels = build->labels;
    return true;
}

static bool collect_fields(struct object_build *build, const struct schema_kind *storage, const struct value *document)
{
    const char *const *selectors = rules_of(storage)->selectors;
    size_t offsets[sizeof build->field_list / sizeof *build->field_list];
    unsigned count = 0;
    for (; selectors != NULL && selectors[count] != NULL && count < sizeof offsets / sizeof *offsets; count++) {
        offsets[count] = build->fields.length;
        rules_field(storage, document, selectors[count], &build->fields);
        buf_append(&build->fields, "", 1);
    }
    if (!buf_ok(&build->fields))
        return false;
    for (unsigned i = 0; i < count; i++)
        build->field_list[i] = build->fields.bytes + offsets[i];
    build->wanted.fields = count > 0 ? build->field_list : NULL;
    build->wanted.field_count = count;
    return true;
}

static uint32_t flags_of(const struct value *metadata)
{
    uint32_t flags = 0;
    if (value_text(value_get(metadata, "deletionTimestamp")) != NULL)
        flags |= OBJECT_DELETING;
    if (value_first(value_get(metadata, "finalizers")) != NULL)
        flags |= OBJECT_HAS_FINALIZERS;
    if (value_first(value_get(metadata, "ownerReferences")) != NULL)
        flags |= OBJECT_HAS_OWNERS;
    return flags;
}

static const char *text_or_empty(const struct value *text)
{
    return value_text(text) != NULL ? value_text(text) : "";
}

bool object_build(struct object_build *build, const struct schema_kind *storage, state_resource resource, const struct value *document,
                  const struct buf *managed)
{
    const struct value *metadata = value_get(document, "metadata");
    *build = (struct object_build){.text = buf_make(STATE_OBJECT), .fields = buf_make(STATE_OBJECT)};
    build->wanted = (struct object_new){.resource = resource, .flags = flags_of(metadata), .gap = sizeof opening - 2};
    build->wanted.ns = storage->namespaced ? text_or_empty(value_get(metadata, "namespace")) : "";
    build->wanted.name = text_or_empty(value_get(metadata, "name"));
    build->wanted.uid = text_or_empty(value_get(metadata, "uid"));
    const char *created = value_text(value_get(metadata, "creationTimestamp"));
    if (created != NULL && !time_parse(created, &build->wanted.time_ms))
        build->wanted.time_ms = 0;
    print_text(&build->text, document, metadata, managed);
    if (!buf_ok(&build->text) || !collect_labels(build, metadata) || !collect_fields(build, storage, document)) {
        object_build_free(build);
        return false;
    }
    build->wanted.text = build->text.bytes;
    build->wanted.length = build->text.length;
    return true;
}

void object_build_free(struct object_build *build)
{
    buf_free(&build->text);
    buf_free(&build->fields);
    mem_free(build->labels);
    build->labels = NULL;
}
