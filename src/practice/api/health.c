/* health: /healthz, /livez and /readyz. What the real server looks at that exists here, too, is listed by its name there; a server that answers at
 * all has all of it. */
#include <string.h>

#include "practice/api/serve.h"

enum { TEXT = 8 << 10 };

/* The checks, in the order of their lines. `in`: letters of the paths that have it (h, l, r). */
static const struct {
    const char *name, *in;
} checks[] = {
    {"ping", "hlr"},
    {"log", "hlr"},
    {"loopback-serving-certificate", "hl"},
    {"etcd", "hlr"}, /* the store */
    {"etcd-readiness", "r"},
    {"informer-sync", "r"},
    {"poststarthook/generic-apiserver-start-informers", "hlr"},
    {"poststarthook/start-apiextensions-informers", "hlr"},
    {"poststarthook/start-apiextensions-controllers", "hlr"},
    {"poststarthook/crd-informer-synced", "hlr"},
    {"poststarthook/start-system-namespaces-controller", "hlr"},
    {"poststarthook/storage-readiness", "hlr"},
    {"poststarthook/rbac/bootstrap-roles", "hlr"},
    {"poststarthook/scheduling/bootstrap-system-priority-classes", "hlr"},
    {"poststarthook/bootstrap-controller", "hlr"},
    {"shutdown", "r"},
};

static bool is_there(size_t i, const char *path)
{
    return strchr(checks[i].in, path[1]) != NULL;
}

static void ok(struct exchange *x)
{
    exchange_text(x, 200, NULL, "ok", 2);
}

static void no_such_check(struct exchange *x)
{
    static const char text[] = "404 page not found\n";
    exchange_text(x, 404, NULL, text, sizeof text - 1);
}

static void verbose(struct exchange *x, const char *path)
{
    struct buf text = buf_make(TEXT);
    const char *excluded = query_get(&x->query, "exclude");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (is_there(i, path))
            buf_printf(&text, "[+]%s %sok\n", checks[i].name, excluded != NULL && strcmp(excluded, checks[i].name) == 0 ? "excluded: " : "");
    buf_printf(&text, "%s check passed\n", path + 1);
    exchange_text(x, buf_ok(&text) ? 200 : 500, NULL, text.bytes != NULL ? text.bytes : "", text.length);
    buf_free(&text);
}

bool health_serve(struct exchange *x)
{
    static const char *const paths[] = {"/healthz", "/livez", "/readyz"};
    const char *path = x->route.path;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t length = strlen(paths[i]);
        if (strncmp(path, paths[i], length) != 0)
            continue;
        if (path[length] == '\0') {
            if (query_get(&x->query, "verbose") != NULL)
                verbose(x, paths[i]);
            else
                ok(x);
            return true;
        }
        for (size_t j = 0; path[length] == '/' && j < sizeof checks / sizeof *checks; j++)
            if (is_there(j, paths[i]) && strcmp(path + length + 1, checks[j].name) == 0) {
                ok(x);
                return true;
            }
        if (path[length] == '/') {
            no_such_check(x);
            return true;
        }
    }
    return false;
}
