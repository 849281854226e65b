/* Images' names, once for each there is, however many containers have it. */
#include <string.h>

#include "base/mem.h"
#include "practice/node/node.h"

void runtime_image_free(struct runtime_image *image)
{
    mem_free(image->id);
    mem_free(image->reference);
    mem_free(image->user);
    *image = (struct runtime_image){0};
}

void image_name_free(void *data)
{
    struct image_name *name = data;
    if (name == NULL)
        return;
    mem_free(name->reference);
    mem_free(name->id);
    mem_free(name);
}

/* "docker.io/library/nginx" of "docker.io/library/nginx:1.27". */
static size_t repository(const char *reference)
{
    const char *slash = strrchr(reference, '/'), *last = slash != NULL ? slash : reference;
    return (size_t)(last - reference) + strcspn(last, ":@");
}

const struct image_name *image_name_of(struct nodes *nodes, const struct runtime_image *image)
{
    bool whole = strchr(image->id, '@') != NULL;
    char *id = whole ? mem_string(image->id) : mem_printf("%.*s@%s", (int)repository(image->reference), image->reference, image->id);
    char *key = id != NULL ? mem_printf("%s %s", image->reference, id) : NULL;
    struct image_name *name = key != NULL ? map_get(&nodes->images, key) : NULL;
    if (name != NULL || key == NULL) {
        if (name != NULL && image->size > 0)
            name->size = image->size;
        mem_free(id);
        mem_free(key);
        return name;
    }
    name = mem_zero(1, sizeof *name);
    if (name != NULL) {
        *name = (struct image_name){.reference = mem_string(image->reference), .id = id, .size = image->size};
        id = NULL;
        if (name->reference == NULL) {
            image_name_free(name);
            name = NULL;
        } else if (!map_set(&nodes->images, key, name)) {
            name = NULL;
        }
    }
    mem_free(id);
    mem_free(key);
    return name;
}
