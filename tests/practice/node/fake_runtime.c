#include "fake_runtime.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ANSWER_MS = 10 /* what a command or a connection takes */ };

struct runtime_sandbox {
    struct fake *fake;
    char *pod, *ip;
};

struct runtime_volume {
    struct fake *fake;
    unsigned references;
    struct map files; /* path -> content */
    char *stored;     /* its name */
};

struct runtime_container {
    struct fake_container shown; /* first */
    struct fake *fake;
    struct cluster_timer *timer;
    runtime_started *started;
    runtime_ended *ended;
    void *data;
    bool begun, over;
    int code, signal;
    bool out_of_memory;
    char *message, *log;
    char id[65];
    int64_t started_ms;
    struct runtime_volume **volumes; /* of its mounts */
    char **paths;
    size_t mount_count;
};

struct runtime_pull {
    struct fake *fake;
    struct cluster_timer *timer;
    char *reference;
    bool allowed;
    runtime_pulled *done;
    void *data;
};

struct runtime_process {
    struct fake *fake;
    struct cluster_timer *timer;
    struct runtime_io io;
    char *output;
    int code;
    bool broken, waits;
};

struct runtime_connection {
    struct fake *fake;
    struct cluster_timer *timer;
    struct runtime_peer peer;
    uint16_t port;
    bool connected;
    char request[1024];
    size_t length;
};

/* ---- images ---- */

static void whole_name(const char *reference, char out[static 256])
{
    const char *slash = strrchr(reference, '/');
    snprintf(out, 256, "%s%s%s", slash == NULL ? "docker.io/library/" : "", reference, strchr(slash != NULL ? slash : reference, ':') == NULL ? ":latest" : "");
}

static void fill_image(struct runtime_image *image, const char *reference)
{
    char whole[256];
    whole_name(reference, whole);
    *image = (struct runtime_image){
        .id = mem_string("sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"), .reference = mem_string(whole), .size = 1000, .user = mem_string(strstr(reference, "user") != NULL ? "1000" : "")};
}

static bool image_present(void *self, const char *node, const char *reference, struct runtime_image *image)
{
    struct fake *fake = self;
    char key[512];
    snprintf(key, sizeof key, "%s %s", node, reference);
    if (!map_has(&fake->present, key))
        return false;
    fill_image(image, reference);
    return image->id != NULL && image->reference != NULL && image->user != NULL;
}

static bool image_valid(void *self, const char *reference)
{
    (void)self;
    for (const char *at = reference; *at != '\0'; at++)
        if (*at == ' ' || (*at >= 'A' && *at <= 'Z'))
            return false;
    return reference[0] != '\0';
}

static void pull_fires(void *data)
{
    struct runtime_pull *pull = data;
    struct runtime_image image = {0};
    struct error err = ERROR_INIT;
    char whole[256], key[512];
    bool missing = strstr(pull->reference, "missing") != NULL, ok = !missing && pull->allowed;
    whole_name(pull->reference, whole);
    if (ok) {
        fill_image(&image, pull->reference);
        snprintf(key, sizeof key, "node1 %s", pull->reference);
        ok = image.id != NULL && image.reference != NULL && image.user != NULL && map_set(&pull->fake->present, key, NULL);
        if (!ok)
            error_memory(&err);
    } else if (missing) {
        error_set(&err, ERROR_NOT_FOUND, NULL, "failed to pull and unpack image \"%s\": failed to resolve reference \"%s\": %s: not found", whole, whole, whole);
    } else {
        error_set(&err, ERROR_DENIED, NULL, "failed to pull and unpack image \"%s\": failed to resolve reference \"%s\": failed to authorize", whole, whole);
    }
    pull->done(pull->data, ok ? &image : NULL, strstr(pull->reference, "slow") != NULL ? 3000 : pull->fake->pull_ms, &err);
    runtime_image_free(&image);
    cluster_timer_free(pull->timer);
    mem_free(pull->reference);
    mem_free(pull);
}

static struct runtime_pull *pull(void *self, const char *node, const char *reference, const struct runtime_credentials *credentials, size_t count, runtime_pulled *done, void *data, struct error *err)
{
    struct fake *fake = self;
    struct runtime_pull *made = mem_zero(1, sizeof *made);
    (void)node;
    if (made != NULL) {
        *made = (struct runtime_pull){.fake = fake, .reference = mem_string(reference), .done = done, .data = data, .allowed = strstr(reference, "private") == NULL};
        made->timer = cluster_timer_new(fake->clock, pull_fires, made);
    }
    if (made == NULL || made->timer == NULL || made->reference == NULL) {
        if (made != NULL) {
            cluster_timer_free(made->timer);
            mem_free(made->reference);
        }
        mem_free(made);
        error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(credentials[i].user, "u") == 0 && strcmp(credentials[i].password, "p") == 0 && strncmp(credentials[i].registry, "reg.example", 11) == 0)
            made->allowed = true;
    fake->pulls++;
    cluster_timer_set_after(made->timer, strstr(reference, "slow") != NULL ? 3000 : fake->pull_ms);
    return made;
}

static void pull_cancel(struct runtime_pull *made)
{
    cluster_timer_free(made->timer);
    mem_free(made->reference);
    mem_free(made);
}

/* ---- volumes ---- */

static struct runtime_volume *volume(void *self, const char *node, enum runtime_volume_kind kind, const char *name, struct error *err)
{
    struct runtime_volume *made = mem_zero(1, sizeof *made);
    (void)node;
    if (made == NULL) {
        error_memory(err);
        return NULL;
    }
    *made = (struct runtime_volume){.fake = self, .references = 1, .files = map_make(1000, mem_free)};
    if (kind == RUNTIME_VOLUME_STORED && ((made->stored = mem_string(name)) == NULL || !map_set(&made->files, "name", mem_string(name)))) {
        map_free(&made->files);
        mem_free(made->stored);
        mem_free(made);
        error_memory(err);
        return NULL;
    }
    made->fake->volumes++;
    return made;
}

static void volume_release(struct runtime_volume *made)
{
    if (--made->references > 0)
        return;
    made->fake->volumes--;
    map_free(&made->files);
    mem_free(made->stored);
    mem_free(made);
}

static bool volume_fill(struct runtime_volume *made, const struct runtime_file *files, size_t count, struct error *err)
{
    map_free(&made->files);
    made->files = map_make(1000, mem_free);
    for (size_t i = 0; i < count; i++) {
        char *content = mem_string_n(files[i].bytes, files[i].length);
        if (content == NULL || !map_set(&made->files, files[i].path, content))
            return error_memory(err);
    }
    return true;
}

static char host_path(void *self, const char *node, const char *path, char create)
{
    (void)self;
    (void)node;
    return strstr(path, "nodir") == NULL ? (strstr(path, "file") != NULL ? 'f' : 'd') : create;
}

/* ---- sandboxes ---- */

static void join(char *out, size_t size, const struct vec *lines)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < lines->length && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s\n", (const char *)lines->items[i]);
}

static struct runtime_sandbox *sandbox(void *self, const struct runtime_sandbox_config *config, struct error *err)
{
    struct runtime_sandbox *made = mem_zero(1, sizeof *made);
    struct fake *fake = self;
    if (made == NULL || (made->pod = mem_printf("%s/%s", config->ns, config->name)) == NULL || (made->ip = mem_string(config->ip)) == NULL) {
        if (made != NULL)
            mem_free(made->pod);
        mem_free(made);
        error_memory(err);
        return NULL;
    }
    made->fake = fake;
    fake->sandboxes++;
    join(fake->hosts, sizeof fake->hosts, config->hosts);
    join(fake->resolv, sizeof fake->resolv, config->resolv);
    return made;
}

static void sandbox_free(struct runtime_sandbox *made)
{
    made->fake->sandboxes--;
    mem_free(made->pod);
    mem_free(made->ip);
    mem_free(made);
}

/* ---- containers ---- */

static bool is(const struct runtime_container *container, const char *word)
{
    return container->shown.command.length > 0 && strcmp(container->shown.command.items[0], word) == 0;
}

static const char *word_of(const struct runtime_container *container, size_t i)
{
    return container->shown.command.length > i ? container->shown.command.items[i] : "";
}

static void end(struct runtime_container *container)
{
    const struct runtime_end how = {.code = container->code,
                                    .signal = container->signal,
                                    .out_of_memory = container->out_of_memory,
                                    .started_ms = container->started_ms,
                                    .finished_ms = cluster_clock_ms(container->fake->clock),
                                    .message = container->message != NULL ? container->message : ""};
    container->shown.running = false;
    container->over = true;
    container->ended(container->data, &how);
}

/* The first time: it begins; the second: it ends. */
static void container_fires(void *data)
{
    struct runtime_container *container = data;
    struct error err = ERROR_INIT;
    if (container->begun) {
        end(container);
        return;
    }
    container->begun = true;
    container->started_ms = cluster_clock_ms(container->fake->clock);
    if (is(container, "nosuch")) {
        error_set(&err, ERROR_NOT_FOUND, NULL, "exec: \"nosuch\": executable file not found in $PATH");
        container->over = true;
        container->started(container->data, &err);
        return;
    }
    container->shown.running = true;
    container->code = atoi(word_of(container, 1));
    if (is(container, "exit"))
        cluster_timer_set_after(container->timer, atoi(word_of(container, 2)));
    else if (is(container, "say") || is(container, "log") || is(container, "eat"))
        cluster_timer_set_after(container->timer, 0);
    if (is(container, "say"))
        container->message = mem_string(word_of(container, 2));
    if (is(container, "log"))
        container->log = mem_string(word_of(container, 2));
    if (is(container, "eat")) {
        container->out_of_memory = true;
        container->signal = SIGKILL;
    }
    container->started(container->data, NULL);
}

static bool copy_list(struct vec *to, const struct vec *from)
{
    for (size_t i = 0; from != NULL && i < from->length; i++)
        if (!vec_push_string(to, from->items[i]))
            return false;
    return true;
}

static void container_free(struct runtime_container *container)
{
    struct fake_container **at = &container->fake->containers;
    while (*at != NULL && *at != &container->shown)
        at = &(*at)->next;
    if (*at != NULL)
        *at = container->shown.next;
    for (size_t i = 0; i < container->mount_count; i++) {
        volume_release(container->volumes[i]);
        mem_free(container->paths[i]);
    }
    cluster_timer_free(container->timer);
    vec_free(&container->shown.env);
    vec_free(&container->shown.command);
    mem_free(container->shown.pod);
    mem_free(container->shown.name);
    mem_free(container->volumes);
    mem_free(container->paths);
    mem_free(container->message);
    mem_free(container->log);
    mem_free(container);
}

static struct runtime_container *container(struct runtime_sandbox *box, const struct runtime_container_config *config, runtime_started *started, runtime_ended *ended, void *data, struct error *err)
{
    struct fake *fake = box->fake;
    struct runtime_container *made = mem_zero(1, sizeof *made);
    if (made == NULL) {
        error_memory(err);
        return NULL;
    }
    *made = (struct runtime_container){.fake = fake, .started = started, .ended = ended, .data = data};
    made->shown = (struct fake_container){.pod = mem_string(box->pod), .name = mem_string(config->name), .env = vec_make(1000, mem_free), .command = vec_make(1000, mem_free), .attempt = config->attempt};
    made->timer = cluster_timer_new(fake->clock, container_fires, made);
    made->volumes = mem_zero(config->mount_count + 1, sizeof *made->volumes);
    made->paths = mem_zero(config->mount_count + 1, sizeof *made->paths);
    snprintf(made->id, sizeof made->id, "%064zx", ++fake->made);
    bool ok = made->shown.pod != NULL && made->shown.name != NULL && made->timer != NULL && made->volumes != NULL && made->paths != NULL && copy_list(&made->shown.env, config->env) &&
              copy_list(&made->shown.command, config->command) && copy_list(&made->shown.command, config->args);
    for (size_t i = 0; ok && i < config->mount_count; i++) {
        made->paths[i] = mem_printf("%s", config->mounts[i].path);
        made->volumes[i] = config->mounts[i].volume;
        made->volumes[i]->references++;
        made->mount_count++;
        ok = made->paths[i] != NULL;
    }
    if (!ok) {
        container_free(made);
        error_memory(err);
        return NULL;
    }
    made->shown.next = fake->containers;
    fake->containers = &made->shown;
    cluster_timer_set_after(made->timer, fake->start_ms);
    return made;
}

static void container_signal(struct runtime_container *made, int number)
{
    if (!made->begun || made->over || (number != SIGKILL && is(made, "sleep")))
        return;
    if (number == SIGKILL)
        made->signal = SIGKILL;
    made->code = 0;
    cluster_timer_set_after(made->timer, made->fake->start_ms);
}

static int container_stop_signal(const struct runtime_container *made)
{
    (void)made;
    return SIGTERM;
}

static const char *container_id(const struct runtime_container *made)
{
    return made->id;
}

static char *container_log_tail(const struct runtime_container *made, size_t most)
{
    (void)most;
    return mem_string(made->log != NULL ? made->log : "");
}

/* ---- exec ---- */

static void process_fires(void *data)
{
    struct runtime_process *process = data;
    struct error err = ERROR_INIT;
    if (process->broken)
        error_set(&err, ERROR_NOT_FOUND, NULL, "exec: \"nosuch\": executable file not found in $PATH");
    if (process->output != NULL)
        process->io.output(process->io.data, RUNTIME_STDOUT, process->output, strlen(process->output));
    process->io.ended(process->io.data, process->code, process->broken ? &err : NULL);
}

static struct runtime_process *exec(struct runtime_container *made, const struct vec *argv, bool tty, bool input, const struct runtime_io *io, struct error *err)
{
    struct runtime_process *process = mem_zero(1, sizeof *process);
    const char *what = argv->items[0];
    (void)tty;
    (void)input;
    if (process == NULL || (process->timer = cluster_timer_new(made->fake->clock, process_fires, process)) == NULL) {
        mem_free(process);
        error_memory(err);
        return NULL;
    }
    process->fake = made->fake;
    process->io = *io;
    process->broken = strcmp(what, "nosuch") == 0;
    process->code = strcmp(what, "false") == 0 || (strcmp(what, "healthy") == 0 && !made->fake->healthy);
    if (strcmp(what, "say") == 0) {
        process->output = mem_string(argv->items[1]);
        process->code = atoi(argv->items[2]);
    }
    cluster_timer_set_after(process->timer, strcmp(what, "wait") == 0 ? atoi(argv->items[1]) : ANSWER_MS);
    return process;
}

static void process_free(struct runtime_process *process)
{
    cluster_timer_free(process->timer);
    mem_free(process->output);
    mem_free(process);
}

/* ---- connections ---- */

static void connection_fires(void *data)
{
    struct runtime_connection *made = data;
    struct error err = ERROR_INIT;
    if (made->connected) {
        const char *answer = strncmp(made->request, "GET /ok ", 8) == 0 ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 404 Not Found\r\n\r\n";
        made->peer.received(made->peer.data, answer, strlen(answer));
        return;
    }
    made->connected = made->port == made->fake->port;
    if (!made->connected)
        error_set(&err, ERROR_UNREACHABLE, NULL, "refused");
    made->peer.connected(made->peer.data, made->connected ? NULL : &err);
}

static struct runtime_connection *connect_to(struct runtime_sandbox *box, uint16_t port, const struct runtime_peer *peer, struct error *err)
{
    struct runtime_connection *made = mem_zero(1, sizeof *made);
    if (made == NULL || (made->timer = cluster_timer_new(box->fake->clock, connection_fires, made)) == NULL) {
        mem_free(made);
        error_memory(err);
        return NULL;
    }
    made->fake = box->fake;
    made->peer = *peer;
    made->port = port;
    cluster_timer_set_after(made->timer, ANSWER_MS);
    return made;
}

static size_t connection_write(struct runtime_connection *made, const void *bytes, size_t length)
{
    size_t room = sizeof made->request - 1 - made->length, taken = length < room ? length : room;
    memcpy(made->request + made->length, bytes, taken);
    made->length += taken;
    if (strstr(made->request, "\r\n\r\n") != NULL)
        cluster_timer_set_after(made->timer, 0);
    return length;
}

static void connection_free(struct runtime_connection *made)
{
    cluster_timer_free(made->timer);
    mem_free(made);
}

/* ---- */

static const struct runtime_ops ops = {
    .image_present = image_present,
    .pull = pull,
    .pull_cancel = pull_cancel,
    .image_valid = image_valid,
    .volume = volume,
    .volume_release = volume_release,
    .volume_fill = volume_fill,
    .host_path = host_path,
    .sandbox = sandbox,
    .sandbox_free = sandbox_free,
    .container = container,
    .container_signal = container_signal,
    .container_stop_signal = container_stop_signal,
    .container_free = container_free,
    .container_id = container_id,
    .container_log_tail = container_log_tail,
    .exec = exec,
    .process_free = process_free,
    .connect = connect_to,
    .connection_write = connection_write,
    .connection_free = connection_free,
};

void fake_open(struct fake *fake, struct cluster_clock *clock)
{
    *fake = (struct fake){.clock = clock, .present = map_make(100000, NULL), .port = 80, .pull_ms = 40, .start_ms = 25};
}

void fake_close(struct fake *fake)
{
    assert(fake->containers == NULL && fake->volumes == 0 && fake->sandboxes == 0);
    map_free(&fake->present);
}

struct runtime fake_runtime(struct fake *fake)
{
    return (struct runtime){.ops = &ops, .self = fake};
}

struct fake_container *fake_find(struct fake *fake, const char *pod, const char *name)
{
    struct fake_container *found = fake->containers;
    while (found != NULL && (strcmp(found->pod, pod) != 0 || strcmp(found->name, name) != 0))
        found = found->next;
    return found;
}

const char *fake_file(struct fake_container *shown, const char *path)
{
    struct runtime_container *made = (struct runtime_container *)(void *)shown;
    for (size_t i = 0; i < made->mount_count; i++) {
        size_t length = strlen(made->paths[i]);
        if (strncmp(path, made->paths[i], length) == 0 && path[length] == '/')
            return map_get(&made->volumes[i]->files, path + length + 1);
    }
    return NULL;
}

const char *fake_env(const struct fake_container *shown, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < shown->env.length; i++) {
        const char *line = shown->env.items[i];
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            return line + length + 1;
    }
    return NULL;
}
