#include "practice/work/keys.h"

#include <string.h>

#include "base/mem.h"

enum { KEY_LOST_MS = 100 };

void key_add_name(struct workqueue *queue, const char *ns, const char *name)
{
    char *key = ns[0] != '\0' ? mem_printf("%s/%s", ns, name) : mem_string(name);
    if (key != NULL)
        workqueue_add(queue, key);
    else
        workqueue_add_after(queue, WORKQUEUE_ALL, KEY_LOST_MS);
    mem_free(key);
}

void key_add(struct workqueue *queue, const struct object *object)
{
    key_add_name(queue, object->ns, object->name);
}

void queue_all(struct workqueue *queue, const struct informer *informer)
{
    for (const struct object *object = NULL; (object = informer_next(informer, NULL, object)) != NULL;)
        key_add(queue, object);
}

bool key_parse(const char *text, struct key *key)
{
    const char *slash = strchr(text, '/');
    key->ns = mem_string_n(text, slash != NULL ? (size_t)(slash - text) : 0);
    key->name = mem_string(slash != NULL ? slash + 1 : text);
    if (key->ns != NULL && key->name != NULL)
        return true;
    key_free(key);
    return false;
}

void key_free(struct key *key)
{
    mem_free(key->ns);
    mem_free(key->name);
    *key = (struct key){0};
}
