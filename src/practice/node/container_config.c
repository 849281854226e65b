#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/pod_environment.h"
#include "practice/node/pod_start.h"
#include "practice/node/pod_volumes.h"

enum { WORDS = 100000 };

void container_config_free(struct container_config *made)
{
    vec_free(&made->command);
    vec_free(&made->args);
    vec_free(&made->env);
    vec_free(&made->paths);
    mem_free(made->mounts);
}

static bool out_of_memory(char why[static 512])
{
    snprintf(why, 512, "out of memory");
    return false;
}

static bool expand_words(const struct map *env, const struct value *list, struct vec *words)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        char *word = environment_expand(env, value_text(item) != NULL ? value_text(item) : "");
        if (word == NULL || !vec_push(words, word))
            return false;
    }
    return true;
}

static bool list_env(const struct map *env, struct vec *list)
{
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(env, &cursor)) != NULL;) {
        char *line = mem_printf("%s=%s", entry->key, (const char *)entry->value);
        if (line == NULL || !vec_push(list, line))
            return false;
    }
    return true;
}

static bool list_mounts(const struct pod_worker *worker, const struct value *spec, const struct map *env, struct container_config *made, char why[static 512])
{
    const struct value *mounts = value_get(spec, "volumeMounts");
    size_t count = value_length(mounts), i = 0;
    made->mounts = mem_zero(count + 1, sizeof *made->mounts);
    if (made->mounts == NULL)
        return out_of_memory(why);
    for (const struct value *mount = value_first(mounts); mount != NULL; mount = value_next(mount)) {
        const char *name = value_find_text(mount, "name", NULL), *path = value_find_text(mount, "mountPath", NULL), *sub = value_find_text(mount, "subPath", NULL);
        const char *expression = value_find_text(mount, "subPathExpr", NULL);
        struct runtime_volume *volume = pod_volume_of(worker, name != NULL ? name : "");
        if (volume == NULL) {
            snprintf(why, 512, "cannot find volume \"%s\" to mount into container", name != NULL ? name : "");
            return false;
        }
        if (expression != NULL && expression[0] != '\0') {
            char *expanded = environment_expand(env, expression);
            if (expanded == NULL || !vec_push(&made->paths, expanded))
                return out_of_memory(why);
            sub = expanded;
        }
        made->mounts[i++] = (struct runtime_mount){.volume = volume, .sub_path = sub != NULL ? sub : "", .path = path != NULL ? path : "", .read_only = value_is_true(value_get(mount, "readOnly"))};
    }
    made->config.mounts = made->mounts;
    made->config.mount_count = i;
    return true;
}

/* Of the container's security context, else the Pod's. */
static const struct value *security(const struct value *document, const struct value *spec, const char *key)
{
    const struct value *own = value_find(spec, "securityContext", key, NULL);
    return own != NULL ? own : value_find(document, "spec", "securityContext", key, NULL);
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* runAsNonRoot, in the kubelet's words. */
static bool check_root(const struct pod_container *container, const struct value *document, const struct value *spec, const struct runtime_image *image, int64_t user, char why[static 512])
{
    if (!value_is_true(security(document, spec, "runAsNonRoot")) || user > 0)
        return true;
    char *name = pod_full_name(container->worker);
    size_t length = image->user != NULL ? strcspn(image->user, ":") : 0;
    char of_image[64] = "";
    snprintf(of_image, sizeof of_image, "%.*s", (int)(length < 63 ? length : 63), image->user != NULL ? image->user : "");
    bool fine = false;
    if (user == 0)
        snprintf(why, 512, "container's runAsUser breaks non-root policy (pod: \"%s\", container: %s)", name != NULL ? name : "", container->name);
    else if (of_image[0] != '\0' && !is_number(of_image) && strcmp(of_image, "root") != 0)
        snprintf(why, 512, "container has runAsNonRoot and image has non-numeric user (%s), cannot verify user is non-root (pod: \"%s\", container: %s)", of_image, name != NULL ? name : "", container->name);
    else if (of_image[0] == '\0' || atoi(of_image) == 0)
        snprintf(why, 512, "container has runAsNonRoot and image will run as root (pod: \"%s\", container: %s)", name != NULL ? name : "", container->name);
    else
        fine = true;
    mem_free(name);
    return fine;
}

static int64_t amount_at(const struct value *spec, const char *resource, int64_t scale)
{
    const char *text = value_find_text(spec, "resources", "limits", resource, NULL);
    struct amount amount;
    if (text == NULL || !amount_read(text, &amount))
        return 0;
    amount.nano *= scale;
    return amount_whole(amount);
}

static int64_t number_of(const struct value *number, int64_t otherwise)
{
    int64_t out;
    return value_as_int(number, &out) ? out : otherwise;
}

bool container_config_make(struct pod_container *container, const struct value *document, const struct runtime_image *image, struct container_config *made, char why[static 512])
{
    const struct value *spec = container_spec(container, document), *command = value_get(spec, "command"), *args = value_get(spec, "args");
    const char *folder = value_find_text(spec, "workingDir", NULL), *message = value_find_text(spec, "terminationMessagePath", NULL);
    struct map env = map_make(0, NULL);
    *made = (struct container_config){.command = vec_make(WORDS, mem_free), .args = vec_make(WORDS, mem_free), .env = vec_make(WORDS, mem_free), .paths = vec_make(WORDS, mem_free)};
    int64_t user = number_of(security(document, spec, "runAsUser"), -1);
    bool ok = pod_environment(container->worker, document, spec, &env, why) && check_root(container, document, spec, image, user, why) && list_mounts(container->worker, spec, &env, made, why);
    if (ok)
        ok = (expand_words(&env, command, &made->command) && expand_words(&env, args, &made->args) && list_env(&env, &made->env)) || out_of_memory(why);
    map_free(&env);
    struct runtime_container_config *config = &made->config;
    config->name = container->name;
    config->attempt = container->current != NULL ? container->current->attempt + 1 : 0;
    config->image = image;
    config->command = value_first(command) != NULL ? &made->command : NULL;
    config->args = value_first(args) != NULL ? &made->args : NULL;
    config->env = &made->env;
    config->working_directory = folder != NULL ? folder : "";
    config->user = user;
    config->group = number_of(security(document, spec, "runAsGroup"), -1);
    config->read_only_root = value_is_true(value_find(spec, "securityContext", "readOnlyRootFilesystem", NULL));
    config->privileged = value_is_true(value_find(spec, "securityContext", "privileged", NULL));
    config->tty = container->tty;
    config->stdin_open = container->stdin_open;
    config->stdin_once = value_is_true(value_get(spec, "stdinOnce"));
    config->termination_path = message != NULL && message[0] != '\0' ? message : "/dev/termination-log";
    config->memory_limit = amount_at(spec, "memory", 1);
    config->cpu_limit = amount_at(spec, "cpu", 1000);
    return ok;
}
