#include "kube/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kube/internal.h"

const struct kube_resource configmaps = {.group = "",
                                         .version = "v1",
                                         .plural = "configmaps",
                                         .singular = "configmap",
                                         .kind = "ConfigMap",
                                         .namespaced = true,
                                         .verbs = 255};

long version_of(const struct value *object)
{
    const char *text = value_find_text(object, "metadata", "resourceVersion", NULL);
    return text != NULL ? atol(text) : -1;
}

static void changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct replay *replay = data;
    const char *name = value_find_text(object, "metadata", "name", NULL),
               *uid = value_find_text(object, "metadata", "uid", NULL);
    struct seen *seen = map_get(&replay->objects, name);
    assert_true((old == NULL) == (change == KUBE_ADDED));
    assert_null(value_find(object, "metadata", "managedFields", NULL));
    assert_string_equal(value_find_text(object, "kind", NULL), "ConfigMap");
    replay->changes++;
    replay->last_version = version_of(object);
    buf_printf(&replay->story, "%c%s@%ld ", "+~-"[change], name, version_of(object));
    if (change == KUBE_ADDED) {
        assert_null(seen);
        seen = calloc(1, sizeof *seen);
        assert_true(map_set(&replay->objects, name, seen));
    } else {
        assert_non_null(seen);
        assert_string_equal(seen->uid, uid);
        assert_string_equal(value_find_text(old, "metadata", "uid", NULL), uid);
        assert_int_equal(version_of(old), seen->version);
        if (change == KUBE_MODIFIED)
            assert_true(version_of(object) > seen->version);
    }
    if (change == KUBE_DELETED) {
        map_remove(&replay->objects, name);
    } else {
        snprintf(seen->uid, sizeof seen->uid, "%s", uid);
        seen->version = version_of(object);
    }
    struct kube_watch *stop = replay->stop;
    replay->stop = NULL;
    kube_watch_stop(stop);
}

static void on_sync(void *data)
{
    struct replay *replay = data;
    replay->syncs++;
    replay->synced = true;
}

static void on_trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct replay *replay = data;
    if (error == NULL) {
        replay->recoveries++;
        replay->recovered = true;
        return;
    }
    replay->troubles++;
    replay->troubled = true;
    replay->last = *error;
    replay->retry_ms = retry_ms;
}

const struct kube_watch_listener replay_listener = {.changed = changed, .synced = on_sync, .trouble = on_trouble};

struct replay replay_make(void)
{
    return (struct replay){.objects = map_make(1000, free), .story = buf_make(1 << 20)};
}

void replay_free(struct replay *replay)
{
    map_free(&replay->objects);
    buf_free(&replay->story);
}

const char *replay_story(const struct replay *replay)
{
    return replay->story.bytes != NULL ? replay->story.bytes : "";
}

struct kube_watch *replay_start(struct session *s, struct replay *replay)
{
    struct kube_watch_options options = {.resource = &configmaps, .ns = "learn"};
    struct error err = ERROR_INIT;
    struct kube_watch *watch = kube_watch_start(s->client, &options, &replay_listener, replay, &err);
    assert_non_null(watch);
    kube_watch_set_backoff(watch, 2);
    return watch;
}
