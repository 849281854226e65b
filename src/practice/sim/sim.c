/* sim: the runtime's face: images, sandboxes, and the table of what it can do. */
#include "practice/sim/sim.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "practice/sim/net.h"
#include "practice/sim/sim_internal.h"

struct kernel *sim_kernel(struct sim *sim)
{
    return sim->kernel;
}

const struct sim_options *sim_options_of(const struct sim *sim)
{
    return &sim->options;
}

struct images *sim_images(struct sim *sim)
{
    return sim->images;
}

void sim_new_id(struct sim *sim, char id[static 65])
{
    unsigned char bytes[32] = {0};
    if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != sizeof bytes)
        memcpy(bytes, &sim->next_id, sizeof sim->next_id);
    sim->next_id++;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

/* ---- images ---- */

enum { PULL_PRESENT_MS = 20 };

struct runtime_pull {
    struct runtime_pull *next;
    struct sim *sim;
    char *key; /* of `present` */
    const struct image *image;
    struct error error;
    int64_t began_ms;
    runtime_pulled *done;
    void *data;
    struct kernel_work work;
    struct cluster_timer *timer;
};

static bool describe(const struct image *image, struct runtime_image *out)
{
    *out = (struct runtime_image){.id = mem_string(image->id), .reference = mem_string(image->reference), .size = image->size, .user = mem_string(image->user)};
    if (out->id && out->reference && out->user)
        return true;
    runtime_image_free(out);
    return false;
}

static bool image_present(void *self, const char *node, const char *reference, struct runtime_image *out)
{
    struct sim *sim = self;
    const struct image *image = images_find(sim->images, reference, NULL, 0, NULL);
    char *key = image ? mem_printf("%s\n%s", node, image->reference) : NULL;
    bool there = key && map_has(&sim->present, key) && describe(image, out);
    mem_free(key);
    return there;
}

static void drop_pull(struct runtime_pull *pull)
{
    for (struct runtime_pull **at = &pull->sim->pulls; *at; at = &(*at)->next)
        if (*at == pull) {
            *at = pull->next;
            break;
        }
    kernel_forget(&pull->work);
    cluster_timer_free(pull->timer);
    mem_free(pull->key);
    mem_free(pull);
}

static void pulled(void *data)
{
    struct runtime_pull *pull = data;
    struct runtime_image image;
    struct error err = pull->error;
    runtime_pulled *done = pull->done;
    void *of = pull->data;
    int64_t took = kernel_now(pull->sim->kernel) - pull->began_ms;
    bool ok = pull->image && map_set(&pull->sim->present, pull->key, pull->sim) && describe(pull->image, &image);
    if (pull->image && !ok)
        error_memory(&err);
    drop_pull(pull);
    done(of, ok ? &image : NULL, took, ok ? NULL : &err);
    if (ok)
        runtime_image_free(&image);
}

static void pull_time(void *data)
{
    struct runtime_pull *pull = data;
    kernel_defer(pull->sim->kernel, &pull->work);
}

static struct runtime_pull *pull_image(void *self, const char *node, const char *reference, const struct runtime_credentials *credentials, size_t count, runtime_pulled *done, void *data, struct error *err)
{
    struct sim *sim = self;
    struct runtime_pull *pull = mem_zero(1, sizeof *pull);
    if (!pull) {
        error_memory(err);
        return NULL;
    }
    *pull = (struct runtime_pull){.next = sim->pulls, .sim = sim, .error = ERROR_INIT, .began_ms = kernel_now(sim->kernel), .done = done, .data = data, .work = {.fn = pulled, .data = pull}};
    sim->pulls = pull;
    pull->image = images_find(sim->images, reference, credentials, count, &pull->error);
    pull->key = mem_printf("%s\n%s", node, pull->image ? pull->image->reference : "");
    pull->timer = cluster_timer_new(sim->options.clock, pull_time, pull);
    if (!pull->key || !pull->timer) {
        drop_pull(pull);
        error_memory(err);
        return NULL;
    }
    int64_t ms = pull->image && sim->speed > 0 ? (int64_t)((double)pull->image->pull_ms / sim->speed) : 0;
    if (map_has(&sim->present, pull->key) && ms > PULL_PRESENT_MS) /* only asked for: its layers are here */
        ms = PULL_PRESENT_MS;
    if (ms > 0)
        cluster_timer_set_after(pull->timer, ms);
    else
        kernel_defer(sim->kernel, &pull->work);
    return pull;
}

static bool image_valid(void *self, const char *reference)
{
    char full[IMAGE_REFERENCE];
    (void)self;
    return image_reference(reference, full);
}

/* ---- sandboxes ---- */

static void sandbox_free(struct runtime_sandbox *sandbox)
{
    if (!sandbox)
        return;
    while (sandbox->containers)
        container_free(sandbox->containers);
    if (sandbox->pause.kernel)
        kernel_end_box(&sandbox->pause);
    fs_view_free(sandbox->pause.view);
    struct sandbox *inner = &sandbox->sandbox;
    for (struct runtime_sandbox **at = &sandbox->sim->sandboxes; *at; at = &(*at)->next)
        if (*at == sandbox) {
            *at = sandbox->next;
            break;
        }
    net_drop(inner);
    fs_tree_free(inner->files);
    mem_free(inner->node);
    mem_free(inner->ns);
    mem_free(inner->name);
    mem_free(inner->uid);
    mem_free(inner->hostname);
    mem_free(inner->domain);
    mem_free(inner->ip);
    mem_free(sandbox);
}

static bool put_lines(struct fs_tree *tree, const char *name, const struct vec *lines, int64_t now)
{
    struct buf text = buf_make(1 << 20);
    for (size_t i = 0; lines && i < lines->length; i++)
        buf_printf(&text, "%s\n", (const char *)lines->items[i]);
    bool ok = buf_ok(&text) && fs_put_file(tree, name, text.bytes ? text.bytes : "", text.length, (struct fs_put){.mode = 0644, .time_ms = now});
    buf_free(&text);
    return ok;
}

/* What holds a Pod's processes together where they see each other: number 1. */
static bool start_pause(struct runtime_sandbox *sandbox)
{
    struct sim *sim = sandbox->sim;
    char path[] = "/pause", cwd[] = "/", *argv[] = {path, NULL}, *env[] = {NULL};
    struct handle *fds[TASK_FDS] = {0};
    struct fs_tree *tree = fs_tree_new(NULL, 0, sim->options.clock);
    bool ok = tree && fs_put_program(tree, "pause", "pause", 0);
    sandbox->pause = (struct box){.kernel = sim->kernel, .sandbox = &sandbox->sandbox, .pids = &sandbox->pids};
    sandbox->pause.view = ok ? fs_view_new(tree) : NULL;
    fs_tree_free(tree);
    struct fs_who who = {.view = sandbox->pause.view, .cwd = cwd};
    struct spawn spawn = {.path = path, .argv = argv, .env = env, .fds = fds};
    int error;
    return sandbox->pause.view && task_first(&sandbox->pause, &spawn, &who, NULL, NULL, NULL, &error);
}

static struct runtime_sandbox *sandbox_new(void *self, const struct runtime_sandbox_config *config, struct error *err)
{
    struct sim *sim = self;
    struct runtime_sandbox *sandbox = mem_zero(1, sizeof *sandbox);
    int64_t now = kernel_now(sim->kernel);
    if (!sandbox) {
        error_memory(err);
        return NULL;
    }
    sandbox->sim = sim;
    sandbox->pids = (struct pid_space){.next = 1, .own_init = true};
    sandbox->sandbox = (struct sandbox){.sim = sim, .node = mem_string(config->node), .ns = mem_string(config->ns), .name = mem_string(config->name), .uid = mem_string(config->uid),
        .hostname = mem_string(config->hostname), .domain = mem_string(config->domain), .ip = mem_string(config->ip), .host_network = config->host_network,
        .shared = config->shared_processes ? &sandbox->pids : NULL, .files = fs_tree_new(NULL, 0, sim->options.clock)};
    struct sandbox *inner = &sandbox->sandbox;
    char *name = mem_printf("%s\n", config->hostname);
    bool ok = inner->node && inner->ns && inner->name && inner->uid && inner->hostname && inner->domain && inner->ip && inner->files && name &&
              fs_put_file(inner->files, "hostname", name, strlen(name), (struct fs_put){.mode = 0644, .time_ms = now}) && put_lines(inner->files, "hosts", config->hosts, now) &&
              put_lines(inner->files, "resolv.conf", config->resolv, now) && (!config->shared_processes || start_pause(sandbox));
    mem_free(name);
    if (!ok) {
        sandbox_free(sandbox);
        error_memory(err);
        return NULL;
    }
    sandbox->next = sim->sandboxes;
    sim->sandboxes = sandbox;
    return sandbox;
}

/* ---- containers ---- */

static int stop_signal(const struct runtime_container *container)
{
    return container->stop_signal;
}

static const char *container_id(const struct runtime_container *container)
{
    return container->id;
}

static void usage(const struct runtime_container *container, struct runtime_usage *out)
{
    int64_t busy = kernel_box_busy(&container->box);
    *out = (struct runtime_usage){.cpu = container->box.cpu_limit > 0 && busy > container->box.cpu_limit ? container->box.cpu_limit : busy,
        .memory = container->box.memory + (container->box.view ? fs_view_bytes(container->box.view) : 0)};
}

static bool resize(struct runtime_container *container, int64_t memory_limit, int64_t cpu_limit)
{
    container->box.memory_limit = memory_limit;
    container->box.cpu_limit = cpu_limit;
    return box_charge(&container->box, 0);
}

static char *log_tail(const struct runtime_container *container, size_t most)
{
    return container_log_tail(&container->log, most);
}

static bool log_next(const struct runtime_container *container, uint64_t *cursor, struct runtime_log_line *line)
{
    return container_log_next(&container->log, cursor, line);
}

static struct runtime_log_follow *log_follow(struct runtime_container *container, void (*fn)(void *data), void *data)
{
    return container_log_follow(&container->log, container->box.kernel, fn, data);
}

/* ---- the sim ---- */

static bool make_devices(struct sim *sim)
{
    struct fs_put all = {.mode = 0666}, open_folder = {.mode = 01777};
    struct fs_tree *tree = sim->devices = fs_tree_new(NULL, 0, NULL);
    if (!tree)
        return false;
    bool ok = fs_put_device(tree, "null", FS_NULL, all) && fs_put_device(tree, "zero", FS_ZERO, all) && fs_put_device(tree, "full", FS_FULL, all) &&
              fs_put_device(tree, "random", FS_RANDOM, all) && fs_put_device(tree, "urandom", FS_RANDOM, all) && fs_put_device(tree, "tty", FS_TTY, all) &&
              fs_put_symlink(tree, "fd", "/proc/self/fd", all) && fs_put_symlink(tree, "stdin", "/proc/self/fd/0", all) && fs_put_symlink(tree, "stdout", "/proc/self/fd/1", all) &&
              fs_put_symlink(tree, "stderr", "/proc/self/fd/2", all) && fs_put_symlink(tree, "ptmx", "pts/ptmx", all) && fs_put_folder(tree, "shm", open_folder) &&
              fs_put_folder(tree, "mqueue", open_folder) && fs_put_folder(tree, "pts", (struct fs_put){.mode = 0755});
    fs_tree_freeze(tree);
    return ok;
}

void sim_free(struct sim *sim)
{
    if (!sim)
        return;
    while (sim->pulls)
        drop_pull(sim->pulls);
    volumes_free(sim);
    map_free(&sim->present);
    fs_tree_free(sim->devices);
    images_free(sim->images);
    kernel_free(sim->kernel);
    mem_free(sim);
}

struct sim *sim_new(const struct sim_options *options, struct error *err)
{
    struct sim *sim = mem_zero(1, sizeof *sim);
    if (!sim) {
        error_memory(err);
        return NULL;
    }
    sim->options = *options;
    sim->speed = options->speed;
    sim->present = map_make(1 << 20, NULL);
    volumes_init(sim);
    if (!(sim->kernel = kernel_new(options->clock, err)) || !(sim->images = images_new(options->catalogues, err)) || (!make_devices(sim) && !error_memory(err))) {
        sim_free(sim);
        return NULL;
    }
    return sim;
}

void sim_set_speed(struct sim *sim, double speed)
{
    sim->speed = speed;
}

static void free_self(void *self)
{
    sim_free(self);
}

static const struct runtime_ops ops = {
    .free = free_self,
    .image_present = image_present,
    .pull = pull_image,
    .pull_cancel = drop_pull,
    .image_valid = image_valid,
    .volume = volume_get,
    .volume_release = volume_release,
    .volume_erase = volume_erase,
    .volume_fill = volume_fill,
    .host_path = volume_host_path,
    .sandbox = sandbox_new,
    .sandbox_free = sandbox_free,
    .container = container_new,
    .container_signal = container_signal,
    .container_stop_signal = stop_signal,
    .container_free = container_free,
    .container_id = container_id,
    .container_usage = usage,
    .container_resize = resize,
    .container_log_tail = log_tail,
    .log_next = log_next,
    .log_follow = log_follow,
    .log_unfollow = container_log_unfollow,
    .exec = process_exec,
    .attach = process_attach,
    .process_write = process_write,
    .process_close_input = process_close_input,
    .process_resize = process_resize,
    .process_resume = process_resume,
    .process_free = process_free,
    .connect = outside_new,
    .connection_write = outside_write,
    .connection_shutdown = outside_shutdown,
    .connection_resume = outside_resume,
    .connection_free = outside_free,
};

struct runtime sim_runtime(struct sim *sim)
{
    return (struct runtime){.ops = &ops, .self = sim};
}
