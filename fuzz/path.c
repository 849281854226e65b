/* Any path on a document with a little of everything; and any key, once appended to a path, is found again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/path.h"

static const char document[] =
    "{\"a\":[{\"name\":\"web\",\"port\":80,\"on\":true},{\"name\":\"b]\"},[1,2,[3]]],\"b\":{\"c.d/e\":{\"\":1}},\"\":null}";

static void find_own_key(const char *key)
{
    struct value *object = value_object(), *found = NULL;
    struct buf path = buf_make(SIZE_MAX);
    path_append_key(&path, key);
    path_append_index(&path, 1);
    path_append_key(&path, key);
    struct value *items = value_array(), *item = value_object();
    if (!value_set(item, key, value_int(7)) || !value_append(items, value_null()) || !value_append(items, item) ||
        !value_set(object, key, items) || !path_find(object, path.bytes, &found, NULL) ||
        value_find_int(item, 0, key, NULL) != 7 || found != value_get(item, key))
        abort();
    buf_free(&path);
    value_free(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = mem_string_n((const char *)data, size);
    struct value *v = json_parse(document, strlen(document), "document", NULL), *found = NULL;
    struct error err = ERROR_INIT;
    if (v == NULL || path == NULL)
        abort();
    bool ok = path_find(v, path, &found, &err);
    if (ok != path_valid(path, NULL) || ok != (err.kind == ERROR_NONE) || (!ok && found != NULL))
        abort();
    find_own_key(path);
    value_free(v);
    mem_free(path);
    return 0;
}
