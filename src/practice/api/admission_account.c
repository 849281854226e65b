/* ServiceAccount: every pod has one that is there, and its token in every container. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "net/crypto.h"
#include "practice/api/admission_internal.h"

#define MIRROR "kubernetes.io/config.mirror"
#define ENFORCE "kubernetes.io/enforce-mountable-secrets"
#define TOKEN_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"
static const char volume_prefix[] = "kube-api-access-";

static const char token_volume[] =
    "{\"projected\":{\"sources\":[{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},"
    "{\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},"
    "{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata."
    "namespace\"}}]}}],"
    "\"defaultMode\":420}}";

static const char *const container_fields[] = {"initContainers", "containers"};

/* A mirror of a pod that the node made itself may not use what only the API gives. */
static bool uses_secrets(const struct value *pod)
{
    for (const struct value *volume = value_first(value_find(pod, "spec", "volumes", NULL)); volume != NULL;
         volume = value_next(volume)) {
        if (value_get(volume, "secret") != NULL)
            return true;
        for (const struct value *source = value_first(value_find(volume, "projected", "sources", NULL)); source != NULL;
             source = value_next(source))
            if (value_get(source, "secret") != NULL)
                return true;
    }
    for (size_t i = 0; i < 2; i++) {
        for (const struct value *container = value_first(value_find(pod, "spec", container_fields[i], NULL)); container != NULL;
             container = value_next(container)) {
            for (const struct value *env = value_first(value_get(container, "env")); env != NULL; env = value_next(env))
                if (value_find(env, "valueFrom", "secretKeyRef", NULL) != NULL)
                    return true;
            for (const struct value *from = value_first(value_get(container, "envFrom")); from != NULL; from = value_next(from))
                if (value_get(from, "secretRef") != NULL)
                    return true;
        }
    }
    return value_first(value_find(pod, "spec", "imagePullSecrets", NULL)) != NULL;
}

static bool check_mirror(struct admission *admission)
{
    const struct value *spec = value_get(admission->object, "spec");
    if (*admission_text(spec, "serviceAccountName") != '\0')
        return admission_forbid(admission, "a mirror pod may not reference service accounts");
    if (uses_secrets(admission->object))
        return admission_forbid(admission, "a mirror pod may not reference secrets");
    for (const struct value *volume = value_first(value_get(spec, "volumes")); volume != NULL; volume = value_next(volume))
        for (const struct value *source = value_first(value_find(volume, "projected", "sources", NULL)); source != NULL;
             source = value_next(source))
            if (value_get(source, "serviceAccountToken") != NULL)
                return admission_forbid(admission, "a mirror pod may not use ServiceAccountToken volume projections");
    return true;
}

/* The account, borrowed; NULL: refused. */
static const struct object *find_account(struct admission *admission)
{
    const char *name = admission_text(value_get(admission->object, "spec"), "serviceAccountName");
    const struct object *account = lookup(admission->api, "", "serviceaccounts", admission->call->ns, name);
    if (account == NULL)
        admission_forbid(admission, "error looking up service account %s/%s: serviceaccount \"%s\" not found",
                         admission->call->ns, name, name);
    return account;
}

static bool has_name(const struct value *list, const char *name)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (strcmp(admission_text(item, "name"), name) == 0)
            return true;
    return false;
}

/* The annotation ENFORCE: only secrets that the account names. */
static bool check_container_secrets(struct admission *admission, const struct value *container, const char *what,
                                    const struct value *secrets, const char *account)
{
    for (const struct value *env = value_first(value_get(container, "env")); env != NULL; env = value_next(env)) {
        const struct value *reference = value_find(env, "valueFrom", "secretKeyRef", NULL);
        if (reference != NULL && !has_name(secrets, admission_text(reference, "name")))
            return admission_forbid(admission,
                                    "%s %s with envVar %s referencing secret.secretName=\"%s\" is not allowed because service "
                                    "account %s does not reference that secret",
                                    what, admission_text(container, "name"), admission_text(env, "name"),
                                    admission_text(reference, "name"), account);
    }
    for (const struct value *from = value_first(value_get(container, "envFrom")); from != NULL; from = value_next(from)) {
        const struct value *reference = value_get(from, "secretRef");
        if (reference != NULL && !has_name(secrets, admission_text(reference, "name")))
            return admission_forbid(admission,
                                    "%s %s with envFrom referencing secret.secretName=\"%s\" is not allowed because service "
                                    "account %s does not reference that secret",
                                    what, admission_text(container, "name"), admission_text(reference, "name"), account);
    }
    return true;
}

static bool check_secrets(struct admission *admission, const struct value *account)
{
    const struct value *spec = value_get(admission->object, "spec"), *secrets = value_get(account, "secrets");
    const char *name = admission_name(account);
    for (const struct value *volume = value_first(value_get(spec, "volumes")); volume != NULL; volume = value_next(volume)) {
        const struct value *secret = value_get(volume, "secret");
        if (secret != NULL && !has_name(secrets, admission_text(secret, "secretName")))
            return admission_forbid(
                admission,
                "volume with secret.secretName=\"%s\" is not allowed because service account %s does not reference that secret",
                admission_text(secret, "secretName"), name);
    }
    for (size_t i = 0; i < 2; i++)
        for (const struct value *container = value_first(value_get(spec, container_fields[i])); container != NULL;
             container = value_next(container))
            if (!check_container_secrets(admission, container, i == 0 ? "init container" : "container", secrets, name))
                return false;
    size_t index = 0;
    for (const struct value *pull = value_first(value_get(spec, "imagePullSecrets")); pull != NULL;
         pull = value_next(pull), index++)
        if (!has_name(value_get(account, "imagePullSecrets"), admission_text(pull, "name")))
            return admission_forbid(admission,
                                    "imagePullSecrets[%zu].name=\"%s\" is not allowed because service account %s does not "
                                    "reference that imagePullSecret",
                                    index, admission_text(pull, "name"), name);
    return true;
}

bool check_account(struct admission *admission)
{
    if (admission_annotation(admission->object, MIRROR) != NULL)
        return check_mirror(admission);
    if (*admission_text(value_get(admission->object, "spec"), "serviceAccountName") == '\0')
        return admission_forbid(admission, "no service account specified for pod %s/%s", admission->call->ns,
                                admission_name(admission->object));
    const struct object *object = find_account(admission);
    if (object == NULL)
        return false;
    if (strstr(object->text, ENFORCE) == NULL) /* nearly all: it need not be read */
        return true;
    struct value *account = lookup_value(object);
    if (account == NULL)
        return admission_no_memory(admission);
    const char *enforce = admission_annotation(account, ENFORCE);
    bool ok = enforce == NULL || strcmp(enforce, "true") != 0 || check_secrets(admission, account);
    value_free(account);
    return ok;
}

static bool mounts_tokens(const struct value *account, const struct value *spec)
{
    const struct value *own = value_get(spec, "automountServiceAccountToken"),
                       *its = value_get(account, "automountServiceAccountToken");
    if (own != NULL)
        return value_is_true(own);
    return its == NULL || value_is_true(its);
}

/* "kube-api-access-" and five letters and digits, as generated names end. */
static bool volume_name(char name[static sizeof volume_prefix + 5])
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    unsigned char random[5];
    if (!crypto_random(random, sizeof random, NULL))
        return false;
    memcpy(name, volume_prefix, sizeof volume_prefix - 1);
    for (size_t i = 0; i < sizeof random; i++)
        name[sizeof volume_prefix - 1 + i] = letters[random[i] % (sizeof letters - 1)];
    name[sizeof volume_prefix + 4] = '\0';
    return true;
}

static bool mounts_at_folder(const struct value *container)
{
    for (const struct value *mount = value_first(value_get(container, "volumeMounts")); mount != NULL;
         mount = value_next(mount))
        if (strcmp(admission_text(mount, "mountPath"), TOKEN_FOLDER) == 0)
            return true;
    return false;
}

static bool add_mount(struct value *container, const char *volume)
{
    struct value *mounts = admission_array(container, "volumeMounts"), *mount = value_object();
    bool ok = mounts != NULL && mount != NULL && value_set(mount, "name", value_string(volume)) &&
              value_set(mount, "readOnly", value_bool(true)) && value_set(mount, "mountPath", value_string(TOKEN_FOLDER));
    if (ok)
        return value_append(mounts, mount);
    value_free(mount);
    return false;
}

static bool add_volume(struct value *spec, const char *name)
{
    struct value *volumes = admission_array(spec, "volumes"), *volume = value_object();
    struct value *source = json_parse(token_volume, sizeof token_volume - 1, "the token's volume", NULL);
    struct value *projected =
        value_get(source, "projected") != NULL ? value_take(source, value_get(source, "projected")) : NULL;
    bool ok = volumes != NULL && volume != NULL && projected != NULL && value_set(volume, "name", value_string(name));
    if (ok)
        ok = value_set(volume, "projected", projected);
    else
        value_free(projected);
    value_free(source);
    if (ok)
        return value_append(volumes, volume);
    value_free(volume);
    return false;
}

static bool mount_token(struct value *spec)
{
    char fresh[sizeof volume_prefix + 5];
    const char *name = NULL;
    for (const struct value *volume = value_first(value_get(spec, "volumes")); volume != NULL && name == NULL;
         volume = value_next(volume))
        if (strncmp(admission_text(volume, "name"), volume_prefix, sizeof volume_prefix - 1) == 0)
            name = admission_text(volume, "name");
    bool there = name != NULL, needed = false;
    if (!there && !volume_name(fresh))
        return false;
    for (size_t i = 0; i < 2; i++) {
        for (struct value *container = value_first(value_get(spec, container_fields[i])); container != NULL;
             container = value_next(container)) {
            if (mounts_at_folder(container))
                continue;
            if (!add_mount(container, there ? name : fresh))
                return false;
            needed = true;
        }
    }
    return there || !needed || add_volume(spec, fresh);
}

static bool copy_pull_secrets(struct value *spec, const struct value *account)
{
    const struct value *its = value_get(account, "imagePullSecrets");
    if (value_first(its) == NULL || value_first(value_get(spec, "imagePullSecrets")) != NULL)
        return true;
    return value_set(spec, "imagePullSecrets", value_copy(its));
}

bool admit_account(struct admission *admission)
{
    struct value *spec = value_child(admission->object, "spec");
    if (admission_annotation(admission->object, MIRROR) != NULL)
        return check_mirror(admission);
    if (spec == NULL)
        return admission_no_memory(admission);
    if (*admission_text(spec, "serviceAccountName") == '\0' &&
        !(value_set(spec, "serviceAccountName", value_string("default")) &&
          value_set(spec, "serviceAccount", value_string("default"))))
        return admission_no_memory(admission);
    const struct object *object = find_account(admission);
    if (object == NULL)
        return false;
    struct value *account = lookup_value(object);
    bool ok = (account != NULL && (!mounts_tokens(account, spec) || mount_token(spec)) && copy_pull_secrets(spec, account)) ||
              admission_no_memory(admission);
    value_free(account);
    return ok && check_account(admission);
}
