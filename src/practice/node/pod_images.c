#include "practice/node/pod_images.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/pull_secrets.h"

struct pod_pull {
    struct pod_pull *next; /* in the node's row */
    struct node *node;
    struct pod_worker *worker;
    char *reference;
    struct vec credentials;     /* of struct pull_credentials */
    char *missing;              /* names of pull secrets that are not there, joined by ", "; NULL: none */
    struct runtime_pull *running;
    int64_t since_ms, took_ms, waited_ms;
    bool done;
    struct runtime_image image; /* id NULL: it failed, for */
    struct error err;
};

void go_duration_print(int64_t ms, char out[static 40])
{
    char part[16] = "";
    if (ms < 1000) {
        snprintf(out, 40, ms == 0 ? "0s" : "%" PRId64 "ms", ms);
        return;
    }
    if (ms % 1000 != 0) {
        snprintf(part, sizeof part, ".%03d", (int)(ms % 1000));
        for (size_t end = strlen(part); part[end - 1] == '0'; end--)
            part[end - 1] = '\0';
    }
    int64_t seconds = ms / 1000;
    if (seconds >= 3600)
        snprintf(out, 40, "%" PRId64 "h%" PRId64 "m%" PRId64 "%ss", seconds / 3600, seconds / 60 % 60, seconds % 60, part);
    else if (seconds >= 60)
        snprintf(out, 40, "%" PRId64 "m%" PRId64 "%ss", seconds / 60, seconds % 60, part);
    else
        snprintf(out, 40, "%" PRId64 "%ss", seconds, part);
}

/* ---- the row of pulls of a node ---- */

static void pull_free(struct pod_pull *pull)
{
    const struct runtime_ops *ops = pull->node->nodes->runtime.ops;
    if (pull->running != NULL)
        ops->pull_cancel(pull->running);
    runtime_image_free(&pull->image);
    vec_free(&pull->credentials);
    mem_free(pull->reference);
    mem_free(pull->missing);
    mem_free(pull);
}

static void row_remove(struct node *node, struct pod_pull *pull)
{
    struct pod_pull **at = &node->pulls;
    while (*at != NULL && *at != pull)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    *at = pull->next;
    if (pull->next == NULL)
        node->pulls_end = at;
}

static void row_go_on(struct node *node);

static void pulled(void *data, struct runtime_image *image, int64_t took_ms, const struct error *err)
{
    struct pod_pull *pull = data;
    struct node *node = pull->node;
    pull->running = NULL;
    pull->done = true;
    pull->took_ms = took_ms;
    pull->waited_ms = cluster_clock_ms(node->nodes->clock) - pull->since_ms;
    if (image != NULL) {
        pull->image = *image;
        *image = (struct runtime_image){0};
    } else {
        pull->err = *err;
    }
    row_remove(node, pull);
    pod_wake(pull->worker);
    row_go_on(node);
}

/* Begins the first of the row, unless it runs. */
static void row_go_on(struct node *node)
{
    const struct runtime *runtime = &node->nodes->runtime;
    while (node->pulls != NULL && node->pulls->running == NULL) {
        struct pod_pull *pull = node->pulls;
        struct runtime_credentials credentials[PULL_CREDENTIALS];
        size_t count = 0;
        for (; count < pull->credentials.length && count < PULL_CREDENTIALS; count++) {
            const struct pull_credentials *one = pull->credentials.items[count];
            credentials[count] = (struct runtime_credentials){one->registry, one->user, one->password};
        }
        pull->running = runtime->ops->pull(runtime->self, node->name, pull->reference, credentials, count, pulled, pull, &pull->err);
        if (pull->running == NULL) {
            pull->done = true;
            row_remove(node, pull);
            pod_wake(pull->worker);
        }
    }
}

void pod_image_cancel(struct pod_worker *worker)
{
    struct pod_pull *pull = worker->pull;
    if (pull == NULL)
        return;
    worker->pull = NULL;
    row_remove(worker->node, pull);
    struct node *node = worker->node;
    pull_free(pull);
    row_go_on(node);
}

static bool row_add(struct pod_container *container, const char *reference, const struct value *document)
{
    struct pod_worker *worker = container->worker;
    struct node *node = worker->node;
    struct pod_pull *pull = mem_zero(1, sizeof *pull);
    if (pull == NULL)
        return false;
    *pull = (struct pod_pull){.node = node, .worker = worker, .reference = mem_string(reference), .since_ms = pod_now(worker), .credentials = vec_make(PULL_CREDENTIALS, pull_credentials_free)};
    if (pull->reference == NULL || !pull_secrets_read(worker, document, &pull->credentials, &pull->missing)) {
        pull_free(pull);
        return false;
    }
    if (node->pulls == NULL)
        node->pulls_end = &node->pulls;
    *node->pulls_end = pull;
    node->pulls_end = &pull->next;
    worker->pull = pull;
    row_go_on(node);
    return true;
}

/* ---- */

static enum image_step fail(struct pod_container *container, const char *reason)
{
    pod_say(container->worker, container, true, "Failed", "Error: %s", reason);
    return IMAGE_FAILED;
}

/* "docker.io/library/Nginx" has an upper-case letter before its tag: the reference's grammar has a sentence for that. */
static void print_fault(const char *reference, char out[static 600])
{
    const char *slash = strrchr(reference, '/'), *colon = strchr(slash != NULL ? slash : reference, ':');
    int length = (int)(colon != NULL ? (size_t)(colon - reference) : strlen(reference));
    bool upper = false, fine = length > 0;
    for (int i = 0; i < length; i++) {
        upper = upper || isupper((unsigned char)reference[i]);
        fine = fine && (isalnum((unsigned char)reference[i]) || strchr("._-/", reference[i]) != NULL);
    }
    if (upper && fine && (colon == NULL || strpbrk(colon, " \t") == NULL))
        snprintf(out, 600, ": repository name (%s%.*s) must be lowercase", slash == NULL ? "library/" : "", length, reference);
    else
        out[0] = '\0';
}

static enum image_step refuse_name(struct pod_container *container, const char *reference)
{
    char more[600];
    print_fault(reference, more);
    container_wait(container, "InvalidImageName", "Failed to apply default image tag \"%s\": couldn't parse image name \"%s\": invalid reference format%s", reference, reference, more);
    pod_say(container->worker, container, true, "InspectFailed", "%s", container->waiting_message != NULL ? container->waiting_message : "");
    return fail(container, "InvalidImageName");
}

static bool in_back_off(const struct pod_container *container, int64_t now)
{
    return container->pull_backoff_ms > 0 && now - container->pull_since_ms < container->pull_backoff_ms;
}

static const char *code_of(enum error_kind kind)
{
    static const struct {
        enum error_kind kind;
        const char *code;
    } codes[] = {{ERROR_NOT_FOUND, "NotFound"}, {ERROR_INPUT, "InvalidArgument"}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].kind == kind)
            return codes[i].code;
    return "Unknown";
}

static enum image_step failed(struct pod_container *container, const char *reference, struct pod_pull *pull, int64_t now)
{
    struct pod_worker *worker = container->worker;
    bool whole = strncmp(pull->err.message, "rpc error", 9) == 0;
    mem_free(container->pull_error);
    container->pull_error = mem_printf("%s%s%s%s", whole ? "" : "rpc error: code = ", whole ? "" : code_of(pull->err.kind), whole ? "" : " desc = ", pull->err.message);
    const char *why = container->pull_error != NULL ? container->pull_error : "";
    bool fresh = container->pull_backoff_ms == 0 || now - container->pull_since_ms > POD_BACKOFF_RESET_MS;
    container->pull_backoff_ms = fresh ? POD_BACKOFF_FIRST_MS : container->pull_backoff_ms * 2;
    if (container->pull_backoff_ms > POD_BACKOFF_MOST_MS)
        container->pull_backoff_ms = POD_BACKOFF_MOST_MS;
    container->pull_since_ms = now;
    pod_say(worker, container, true, "Failed", "Failed to pull image \"%s\": %s", reference, why);
    container_wait(container, "ErrImagePull", "%s", why);
    fail(container, "ErrImagePull");
    if (pull->missing != NULL)
        pod_say(worker, NULL, true, "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (%s); attempting to pull the image may not succeed.", pull->missing);
    return IMAGE_FAILED;
}

/* The worker's pull is over. */
static enum image_step take_result(struct pod_container *container, const char *reference, struct runtime_image *image)
{
    struct pod_worker *worker = container->worker;
    struct pod_pull *pull = worker->pull;
    enum image_step step = IMAGE_READY;
    char took[40], waited[40];
    worker->pull = NULL;
    if (pull->image.id != NULL) {
        *image = pull->image;
        pull->image = (struct runtime_image){0};
        const struct image_name *name = image_name_of(worker->node->nodes, image);
        if (name != NULL)
            node_has_image(worker->node, name);
        container->pull_backoff_ms = 0;
        go_duration_print(pull->took_ms, took);
        go_duration_print(pull->waited_ms > pull->took_ms ? pull->waited_ms : pull->took_ms, waited);
        pod_say(worker, container, false, "Pulled", "Successfully pulled image \"%s\" in %s (%s including waiting). Image size: %" PRId64 " bytes.", reference, took, waited, image->size);
    } else {
        step = failed(container, reference, pull, pod_now(worker));
    }
    pull_free(pull);
    return step;
}

enum image_step pod_image_ensure(struct pod_container *container, const struct value *spec, const struct value *document, struct runtime_image *image)
{
    struct pod_worker *worker = container->worker;
    const struct runtime *runtime = &worker->node->nodes->runtime;
    const char *reference = value_find_text(spec, "image", NULL), *policy = value_find_text(spec, "imagePullPolicy", NULL);
    if (worker->pull != NULL)
        return worker->pull->done ? take_result(container, reference, image) : IMAGE_WAITS;
    if (reference == NULL || !runtime->ops->image_valid(runtime->self, reference))
        return refuse_name(container, reference != NULL ? reference : "");
    bool never = policy != NULL && strcmp(policy, "Never") == 0, always = policy != NULL && strcmp(policy, "Always") == 0;
    if (!always && runtime->ops->image_present(runtime->self, worker->node->name, reference, image)) {
        pod_say(worker, container, false, "Pulled", "Container image \"%s\" already present on machine and can be accessed by the pod", reference);
        return IMAGE_READY;
    }
    if (never) {
        container_wait(container, "ErrImageNeverPull", "Container image \"%s\" is not present with pull policy of Never", reference);
        pod_say(worker, container, true, "ErrImageNeverPull", "%s", container->waiting_message != NULL ? container->waiting_message : "");
        return fail(container, "ErrImageNeverPull");
    }
    if (in_back_off(container, pod_now(worker))) {
        pod_say(worker, container, false, "BackOff", "Back-off pulling image \"%s\"", reference);
        container_wait(container, "ImagePullBackOff", "Back-off pulling image \"%s\": ErrImagePull: %s", reference, container->pull_error != NULL ? container->pull_error : "");
        return fail(container, "ImagePullBackOff");
    }
    pod_say(worker, container, false, "Pulling", "Pulling image \"%s\"", reference);
    if (row_add(container, reference, document))
        return worker->pull->done ? take_result(container, reference, image) : IMAGE_WAITS;
    container_wait(container, "ErrImagePull", "out of memory");
    return fail(container, "ErrImagePull");
}
