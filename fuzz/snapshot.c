/* Saved states go from one person to another: whatever stands in one, objects that are told of are whole and can be used. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/state/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool on_start(void *data, uint64_t version, struct error *err)
{
    (void)data, (void)err;
    must(version <= INT64_MAX / 2);
    return true;
}

static state_resource on_resource(void *data, const char *name)
{
    (void)data;
    must(name[0] != '\0');
    return 1 + (state_resource)(strlen(name) % STATE_RESOURCES);
}

static bool on_names(void *data, struct error *err)
{
    (void)data, (void)err;
    return true;
}

static bool on_object(void *data, struct object *object, struct error *err)
{
    size_t *objects = data, label_bytes = 1, field_bytes = 0;
    (void)err;
    must(object->resource != 0 && object->name[0] != '\0' && strchr(object->ns, '/') == NULL && object->gap <= object->length);
    for (const char *key = object->labels; *key != '\0';) {
        const char *value = object_label(object, key);
        must(value != NULL);
        value = key + strlen(key) + 1;
        label_bytes += strlen(key) + strlen(value) + 2;
        key = value + strlen(value) + 1;
    }
    must(label_bytes == object_labels_length(object));
    for (unsigned i = 0; i < object->field_count; i++)
        field_bytes += strlen(object->fields + field_bytes) + 1;
    must(field_bytes == object_fields_length(object));
    struct object *again = object_again(object, 7);
    struct buf out = buf_make(object->length + 32);
    object_print(again, "{", &out);
    must(buf_ok(&out) && out.length == object->length + 2 && object_bytes(again) == object_bytes(object));
    buf_free(&out);
    object_unref(again);
    object_unref(object);
    ++*objects;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    size_t objects = 0;
    struct error err = ERROR_INIT;
    const struct snapshot_reader reader = {on_start, on_resource, on_names, on_object, &objects};
    FILE *file = length > 0 ? fmemopen((void *)(uintptr_t)bytes, length, "r") : NULL;
    if (file == NULL)
        return 0;
    bool ok = snapshot_read(file, length, "snapshot", &reader, &err);
    must(ok == (err.kind == ERROR_NONE) && objects < length);
    fclose(file);
    return 0;
}
