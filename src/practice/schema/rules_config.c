/* ConfigMaps, Secrets, ServiceAccounts, Namespaces. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/schema/rules_internal.h"

enum { DATA_MOST = 1024 * 1024 };

static const struct place metadata_place = {.key = "metadata"}, data_place = {.key = "data"};

/* Bytes that base64 text stands for. */
static size_t decoded_size(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=')
        length--;
    return length * 3 / 4;
}

static void validate_config_map(const struct value *object, struct problems *problems)
{
    const struct value *data = value_get(object, "data"), *binary = value_get(object, "binaryData");
    const struct place binary_place = place_key(NULL, "binaryData"), all = place_key(NULL, "");
    size_t size = 0;
    EACH (entry, data) {
        const struct place at = place_map(&data_place, value_key(entry));
        name_problems(problems, &at, value_key(entry), name_config_key(value_key(entry)));
        if (has(binary, value_key(entry)))
            problem_invalid(problems, &at, value_key(entry), "duplicate of key present in binaryData");
        size += strlen(value_text(entry));
    }
    EACH (entry, binary) {
        const struct place at = place_map(&binary_place, value_key(entry));
        name_problems(problems, &at, value_key(entry), name_config_key(value_key(entry)));
        size += decoded_size(value_text(entry));
    }
    if (size > DATA_MOST)
        problem_too_long(problems, &all, DATA_MOST);
}

/* Once immutable, always. */
static void check_frozen(const struct value *object, const struct value *old, const char *const *keys, struct problems *problems)
{
    if (!is_true(old, "immutable"))
        return;
    if (!is_true(object, "immutable"))
        problem_forbidden(problems, NULL, "immutable", "field is immutable when `immutable` is set");
    for (; *keys != NULL; keys++)
        if (!same_at(object, old, *keys))
            problem_forbidden(problems, NULL, *keys, "field is immutable when `immutable` is set");
}

static void config_map_update(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const keys[] = {"data", "binaryData", NULL};
    check_frozen(object, old, keys, problems);
    validate_config_map(object, problems);
}

/* Secret */
static bool secret_defaults(struct value *object)
{
    const struct value *texts = value_get(object, "stringData");
    if (!default_text(object, "type", "Opaque"))
        return false;
    EACH (entry, texts) {
        char *encoded = base64_encode(value_text(entry), strlen(value_text(entry)));
        struct value *data = encoded != NULL ? value_child(object, "data") : NULL;
        bool ok = data != NULL && put_text(data, value_key(entry), encoded);
        mem_free(encoded);
        if (!ok)
            return false;
    }
    value_remove(object, "stringData");
    return true;
}

static bool secret_prepare_update(struct value *object, const struct value *old)
{
    return default_text(object, "type", text_of(old, "type"));
}

static void require_key(const struct value *data, const char *key, struct problems *problems)
{
    const struct place at = place_map(&data_place, key);
    if (!has(data, key))
        problem_required(problems, &at, NULL, NULL);
}

static void check_docker(const struct value *data, const char *key, struct problems *problems)
{
    const struct place at = place_map(&data_place, key);
    size_t length = 0;
    require_key(data, key, problems);
    if (!has(data, key))
        return;
    char *text = base64_decode(text_of(data, key), strlen(text_of(data, key)), &length);
    struct error err = ERROR_INIT;
    struct value *config = text != NULL ? json_parse(text, length, "", &err) : NULL;
    if (text == NULL || err.kind == ERROR_MEMORY)
        problems->failed = true;
    else if (length == 0)
        problem_invalid(problems, &at, "<secret contents redacted>", "unexpected end of JSON input");
    else if (config == NULL)
        problem_invalid(problems, &at, "<secret contents redacted>", "invalid character '%c' looking for beginning of value",
                        text[strspn(text, " \t\r\n")]);
    else if (value_type(config) != VALUE_OBJECT && value_type(config) != VALUE_NULL)
        problem_invalid(problems, &at, "<secret contents redacted>", "json: cannot unmarshal %s into Go value of type map[string]interface {}",
                        value_type(config) == VALUE_NUMBER ? "number" : value_type_name(value_type(config)));
    value_free(config);
    mem_free(text);
}

static void check_secret_type(const struct value *object, struct problems *problems)
{
    const struct value *data = value_get(object, "data");
    const struct place annotations = place_key(&metadata_place, "annotations"), account = place_map(&annotations, "kubernetes.io/service-account.name");
    const struct place key = place_map(&data_place, "ssh-privatekey");
    if (text_is(object, "type", "kubernetes.io/service-account-token")) {
        const char *name = annotation_of(object, account.key);
        if (name == NULL || *name == '\0')
            problem_required(problems, &account, NULL, NULL);
    } else if (text_is(object, "type", "kubernetes.io/dockercfg")) {
        check_docker(data, ".dockercfg", problems);
    } else if (text_is(object, "type", "kubernetes.io/dockerconfigjson")) {
        check_docker(data, ".dockerconfigjson", problems);
    } else if (text_is(object, "type", "kubernetes.io/basic-auth")) {
        if (!has(data, "username") && !has(data, "password")) {
            require_key(data, "username", problems);
            require_key(data, "password", problems);
        }
    } else if (text_is(object, "type", "kubernetes.io/ssh-auth")) {
        if (*text_of(data, "ssh-privatekey") == '\0')
            problem_required(problems, &key, NULL, NULL);
    } else if (text_is(object, "type", "kubernetes.io/tls")) {
        require_key(data, "tls.crt", problems);
        require_key(data, "tls.key", problems);
    }
}

static void validate_secret(const struct value *object, struct problems *problems)
{
    size_t size = 0;
    EACH (entry, value_get(object, "data")) {
        const struct place at = place_map(&data_place, value_key(entry));
        name_problems(problems, &at, value_key(entry), name_config_key(value_key(entry)));
        size += decoded_size(value_text(entry));
    }
    if (size > DATA_MOST)
        problem_too_long(problems, &data_place, DATA_MOST);
    check_secret_type(object, problems);
}

static void secret_update(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const keys[] = {"data", NULL};
    check_immutable(problems, object, old, NULL, "type");
    check_frozen(object, old, keys, problems);
    validate_secret(object, problems);
}

/* The server tries to load the pair; without keys in it, this is what it says. */
static void warn_secret(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct value *data = value_get(object, "data");
    size_t length = 0;
    (void)old;
    if (!text_is(object, "type", "kubernetes.io/tls"))
        return;
    char *text = base64_decode(text_of(data, "tls.crt"), strlen(text_of(data, "tls.crt")), &length);
    if (text != NULL && strstr(text, "-----BEGIN ") == NULL && !vec_push_string(warnings, "tls: failed to find any PEM data in certificate input"))
        vec_clear(warnings);
    mem_free(text);
}

/* ServiceAccount */
#define MOUNTABLE "kubernetes.io/enforce-mountable-secrets"

static bool account_secrets(struct value *object)
{
    EACH_OF (secret, value_get(object, "secrets"))
        for (struct value *entry = value_first(secret), *next; entry != NULL; entry = next) {
            next = value_next(entry);
            if (strcmp(value_key(entry), "name") != 0)
                value_free(value_take(secret, entry));
        }
    return true;
}

static bool account_update(struct value *object, const struct value *old)
{
    (void)old;
    return account_secrets(object);
}

static void warn_account(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place annotations = place_key(&metadata_place, "annotations"), at = place_map(&annotations, MOUNTABLE);
    if (annotation_of(object, MOUNTABLE) != NULL && (old == NULL || annotation_of(old, MOUNTABLE) == NULL))
        warning_at(warnings, &at, "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets");
}

/* Namespace */
#define NAME_LABEL_KEY "kubernetes.io/metadata.name"

static bool namespace_defaults(struct value *object)
{
    struct value *metadata = value_child(object, "metadata"), *status = value_child(object, "status");
    const char *name = text_of(metadata, "name");
    if (metadata == NULL || status == NULL || !default_text(status, "phase", "Active"))
        return false;
    if (*name == '\0')
        return true;
    struct value *labels = value_child(metadata, "labels");
    return labels != NULL && put_text(labels, NAME_LABEL_KEY, name);
}

static bool namespace_create(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *status = value_child(object, "status"), *metadata = value_child(object, "metadata");
    if (spec == NULL || status == NULL || metadata == NULL || !put_text(status, "phase", "Active"))
        return false;
    if (!has(spec, "finalizers") && !value_set(spec, "finalizers", value_array()))
        return false;
    bool known = false;
    EACH (finalizer, value_get(spec, "finalizers"))
        known = known || strcmp(value_text(finalizer), "kubernetes") == 0;
    if (!known && !value_append(value_get(spec, "finalizers"), value_string("kubernetes")))
        return false;
    struct value *labels = value_child(metadata, "labels"); /* a generated name is known by now */
    return labels != NULL && (*text_of(metadata, "name") == '\0' || put_text(labels, NAME_LABEL_KEY, text_of(metadata, "name")));
}

static bool namespace_update(struct value *object, const struct value *old)
{
    struct value *spec = value_child(object, "spec");
    return spec != NULL && put_copy(spec, "finalizers", value_find(old, "spec", "finalizers", NULL));
}

static void validate_namespace(const struct value *object, struct problems *problems)
{
    static const char *const standard[] = {"kubernetes", "orphan", "foregroundDeletion", NULL};
    const struct place spec = place_key(NULL, "spec"), at = place_key(&spec, "finalizers");
    EACH (finalizer, value_find(object, "spec", "finalizers", NULL)) {
        const char *name = value_text(finalizer);
        name_problems(problems, &at, name, name_qualified(name));
        if (strchr(name, '/') == NULL && !one_of(name, standard))
            problem_invalid(problems, &at, name, "name is neither a standard finalizer name nor is it fully qualified");
    }
}

static void namespace_status(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place status = place_key(NULL, "status"), at = place_key(&status, "Phase");
    const char *phase = text_of(value_get(object, "status"), "phase");
    bool deleted = value_find(object, "metadata", "deletionTimestamp", NULL) != NULL;
    (void)old;
    if (!deleted && strcmp(phase, "Active") != 0)
        problem_invalid(problems, &at, phase, "may only be 'Active' if `deletionTimestamp` is empty");
    if (deleted && strcmp(phase, "Terminating") != 0)
        problem_invalid(problems, &at, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

static const char *const secret_selectors[] = {"type", NULL}, *const namespace_selectors[] = {"status.phase", NULL};

const struct rules config_rules[] = {
    {.group = "", .kind = "ConfigMap", .validate_create = validate_config_map, .validate_update = config_map_update},
    {.group = "",
     .kind = "Secret",
     .defaults = secret_defaults,
     .prepare_update = secret_prepare_update,
     .validate_create = validate_secret,
     .validate_update = secret_update,
     .warn = warn_secret,
     .selectors = secret_selectors},
    {.group = "", .kind = "ServiceAccount", .prepare_create = account_secrets, .prepare_update = account_update, .warn = warn_account},
    {.group = "",
     .kind = "Namespace",
     .flags = RULES_STATUS,
     .defaults = namespace_defaults,
     .prepare_create = namespace_create,
     .prepare_update = namespace_update,
     .check_name = check_label_name,
     .validate = validate_namespace,
     .validate_status = namespace_status,
     .selectors = namespace_selectors},
    {0},
};
