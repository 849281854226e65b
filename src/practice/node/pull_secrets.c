#include "practice/node/pull_secrets.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"

enum { MISSING = 4096 };

void pull_credentials_free(void *data)
{
    struct pull_credentials *credentials = data;
    if (credentials == NULL)
        return;
    mem_free(credentials->registry);
    mem_free(credentials->user);
    mem_free(credentials->password);
    mem_free(credentials);
}

/* "https://host/v1/" is kept as "host". */
static char *host_of(const char *registry)
{
    const char *scheme = strstr(registry, "://"), *host = scheme != NULL ? scheme + 3 : registry;
    size_t length = strcspn(host, "/");
    if (strncmp(host + length, "/v1", 3) != 0 && strncmp(host + length, "/v2", 3) != 0 && strcmp(host + length, "/") != 0)
        length = strlen(host);
    return mem_string_n(host, length);
}

static bool add(struct vec *list, const char *registry, const struct value *entry)
{
    const char *user = value_find_text(entry, "username", NULL), *password = value_find_text(entry, "password", NULL), *auth = value_find_text(entry, "auth", NULL);
    size_t length;
    char *both = auth != NULL && base64_valid(auth, strlen(auth)) ? base64_decode(auth, strlen(auth), &length) : NULL, *colon = both != NULL ? strchr(both, ':') : NULL;
    if (colon != NULL && (user == NULL || password == NULL)) {
        *colon = '\0';
        user = both;
        password = colon + 1;
    }
    bool ok = true;
    if (user != NULL && password != NULL && list->length < PULL_CREDENTIALS) {
        struct pull_credentials *credentials = mem_zero(1, sizeof *credentials);
        if (credentials != NULL)
            *credentials = (struct pull_credentials){host_of(registry), mem_string(user), mem_string(password)};
        ok = credentials != NULL && credentials->registry != NULL && credentials->user != NULL && credentials->password != NULL;
        if (ok)
            ok = vec_push(list, credentials);
        else
            pull_credentials_free(credentials);
    }
    mem_free(both);
    return ok;
}

/* Those of one Secret. */
static bool read_secret(struct vec *list, const struct value *secret)
{
    static const struct {
        const char *key;
        bool nested; /* {"auths": ...} around it */
    } forms[] = {{".dockerconfigjson", true}, {".dockercfg", false}};
    bool ok = true;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && ok; i++) {
        const char *data = value_find_text(secret, "data", forms[i].key, NULL);
        size_t length = 0;
        char *text = data != NULL ? base64_decode(data, strlen(data), &length) : NULL;
        struct value *config = text != NULL ? json_parse(text, length, "a pull secret", NULL) : NULL;
        const struct value *entries = forms[i].nested ? value_get(config, "auths") : config;
        for (const struct value *entry = value_first(entries); entry != NULL && ok; entry = value_next(entry))
            ok = add(list, value_key(entry), entry);
        value_free(config);
        mem_free(text);
    }
    return ok;
}

bool pull_secrets_read(const struct pod_worker *worker, const struct value *document, struct vec *credentials, char **missing)
{
    const struct informer *secrets = worker->node->nodes->secrets;
    struct buf names = buf_make(MISSING);
    bool ok = true;
    *missing = NULL;
    for (const struct value *item = value_first(value_find(document, "spec", "imagePullSecrets", NULL)); item != NULL && ok; item = value_next(item)) {
        const char *name = value_find_text(item, "name", NULL);
        const struct object *object = name != NULL ? informer_get(secrets, worker->ns, name) : NULL;
        if (object == NULL) {
            buf_printf(&names, "%s%s", names.length > 0 ? ", " : "", name != NULL ? name : "");
            continue;
        }
        struct value *secret = informer_value(secrets, object);
        ok = secret != NULL && read_secret(credentials, secret);
        value_free(secret);
    }
    if (names.length > 0 && buf_ok(&names))
        *missing = buf_take(&names, NULL);
    buf_free(&names);
    return ok;
}
