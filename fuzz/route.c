/* Any path, a line's end, any Accept header: what a path names is found or refused for every method, and a form is found or refused. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "loop/loop.h"
#include "practice/api/negotiate.h"
#include "practice/api/route.h"

static int64_t no_time(void *data)
{
    (void)data;
    return 0;
}

/* The kinds that are built in, made once. */
static const struct registry *kinds(void)
{
    static struct registry *registry;
    if (registry == NULL)
        registry = registry_new(state_open(NULL, loop_new(NULL), no_time, NULL, NULL), NULL);
    return registry;
}

static void find(const char *path)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "AVERYLONGMETHODTHATNOBODYKNOWSANDNOBODYNEEDS"};
    struct route route;
    struct status failure = {0};
    if (!route_parse(path, &route, &failure)) {
        if (failure.code != 400)
            abort();
        status_free(&failure);
        route_free(&route);
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods * 2; i++) {
        char verb[ROUTE_VERB];
        struct attributes what;
        struct route copy = route;
        bool plain;
        route_attributes(&copy, methods[i / 2], i % 2 != 0, "name", verb, &what);
        if ((what.group == NULL) == copy.is_resource || what.verb != verb)
            abort();
        bool found = route_find(&copy, kinds(), methods[i / 2], i % 2 != 0, &failure, &plain);
        if (found != (failure.code == 0) || (found && (copy.kind == NULL || copy.verb == 0)))
            abort();
        if (found && copy.kind->namespaced && copy.name[0] != '\0' && copy.ns[0] == '\0')
            abort(); /* an object without its namespace */
        status_free(&failure);
    }
    route_free(&route);
}

static void choose(const char *accept)
{
    for (int what = NEGOTIATE_OBJECT; what <= NEGOTIATE_WATCH; what++) {
        struct format format;
        struct status failure = {0};
        if (negotiate(accept, "curl", NULL, (enum negotiate_what)what, &format, &failure) != (failure.code == 0) ||
            (what == NEGOTIATE_WATCH && failure.code == 0 && format.yaml))
            abort();
        status_free(&failure);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = mem_string_n((const char *)data, size), *accept = strchr(path, '\n');
    if (accept != NULL)
        *accept++ = '\0';
    find(path);
    if (accept != NULL)
        choose(accept);
    mem_free(path);
    return 0;
}
