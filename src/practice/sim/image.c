/* image: names of images, and the catalogue: folders of YAML files (assets/images/everyday.yaml says what stands in them). A file is read at the start; an image is made when it is first asked for. */
#include "practice/sim/image.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/units.h"
#include "data/yaml.h"
#include "net/crypto.h"
#include "practice/sim/kernel.h"

enum { FILE_MOST = 1 << 20, IMAGES = 4096, PARTS = 1024 };

struct listed { /* a name of a file of the catalogue */
    char *name;               /* "docker.io/library/nginx" */
    const struct value *entry; /* of documents */
};

struct images {
    struct vec documents; /* of struct value */
    struct vec listed;    /* of struct listed; a later one of a name counts */
    struct vec made;      /* of struct image */
};

static void image_free(void *data)
{
    struct image *image = data;
    mem_free(image->reference);
    mem_free(image->id);
    mem_free(image->working_directory);
    mem_free(image->user);
    vec_free(&image->entrypoint);
    vec_free(&image->command);
    vec_free(&image->env);
    fs_tree_free(image->tree);
    mem_free(image);
}

bool image_reference(const char *text, char out[static IMAGE_REFERENCE])
{
    size_t length = strlen(text), slash = strcspn(text, "/");
    const char *last = strrchr(text, '/');
    last = last ? last + 1 : text;
    if (length == 0 || length > 300 || !*last)
        return false;
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-/:@", *at))
            return false;
    bool host = text[slash] == '/' && (memchr(text, '.', slash) || memchr(text, ':', slash) || strncmp(text, "localhost/", 10) == 0);
    bool tag = strchr(last, ':') || strchr(last, '@');
    for (const char *at = host ? text + slash : text; *at && *at != ':' && *at != '@'; at++)
        if (isupper((unsigned char)*at))
            return false;
    int got = snprintf(out, IMAGE_REFERENCE, "%s%s%s%s", host ? "" : "docker.io/", host || text[slash] == '/' ? "" : "library/", text, tag ? "" : ":latest");
    return got > 0 && got < IMAGE_REFERENCE;
}

/* ---- reading ---- */

static void listed_free(void *data)
{
    struct listed *listed = data;
    mem_free(listed->name);
    mem_free(listed);
}

static bool list_entry(struct images *images, const struct value *entry, const char *file, struct error *err)
{
    char full[IMAGE_REFERENCE];
    const char *name = value_find_text(entry, "name", NULL);
    if (!name || !image_reference(name, full))
        return error_set(err, ERROR_INPUT, file, "an image without a name, or with a wrong one: %s", name ? name : "");
    struct listed *listed = mem_zero(1, sizeof *listed);
    if (!listed)
        return error_memory(err);
    full[strlen(full) - strlen(":latest")] = '\0'; /* a name has no tag: it was put there */
    *listed = (struct listed){.name = mem_string(full), .entry = entry};
    if (listed->name)
        return vec_push(&images->listed, listed) || error_memory(err);
    listed_free(listed);
    return error_memory(err);
}

static bool read_file(struct images *images, const char *path, struct error *err)
{
    size_t length;
    char *text = file_read(path, FILE_MOST, &length, err);
    struct value *document = text ? yaml_parse(text, length, path, YAML_DUPLICATES_REFUSE, err) : NULL;
    mem_free(text);
    if (!document)
        return false;
    if (!vec_push(&images->documents, document))
        return error_memory(err);
    bool ok = true;
    for (const struct value *entry = value_first(value_get(document, "images")); ok && entry; entry = value_next(entry))
        ok = list_entry(images, entry, path, err);
    return ok;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool read_folder(struct images *images, const char *folder, struct error *err)
{
    struct vec names = vec_make(PARTS, mem_free);
    DIR *directory = opendir(folder);
    if (!directory)
        return error_set(err, ERROR_NOT_FOUND, folder, "the folder of images cannot be read; install again, or set KUBETUTOR_DATA");
    bool ok = true;
    for (const struct dirent *entry; ok && (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        ok = !end || strcmp(end, ".yaml") != 0 || vec_push_string(&names, entry->d_name) || error_memory(err);
    }
    closedir(directory);
    vec_sort(&names, by_text);
    for (size_t i = 0; ok && i < names.length; i++) {
        char *path = file_join(folder, names.items[i]);
        ok = path ? read_file(images, path, err) : error_memory(err);
        mem_free(path);
    }
    vec_free(&names);
    return ok;
}

static void document_free(void *data)
{
    value_free(data);
}

struct images *images_new(const char *const *folders, struct error *err)
{
    struct images *images = mem_zero(1, sizeof *images);
    if (!images) {
        error_memory(err);
        return NULL;
    }
    *images = (struct images){.documents = vec_make(PARTS, document_free), .listed = vec_make(IMAGES, listed_free), .made = vec_make(IMAGES, image_free)};
    bool ok = true;
    for (; ok && folders && *folders; folders++)
        ok = read_folder(images, *folders, err);
    if (ok)
        return images;
    images_free(images);
    return NULL;
}

void images_free(struct images *images)
{
    if (!images)
        return;
    vec_free(&images->made);
    vec_free(&images->listed);
    vec_free(&images->documents);
    mem_free(images);
}

/* ---- making ---- */

static bool add_tools(struct fs_tree *tree)
{
    bool ok = fs_put_program(tree, "bin/busybox", "busybox", 0);
    struct vec names = vec_make(PARTS, NULL);
    program_names(&names);
    for (size_t i = 0; ok && i < names.length; i++) {
        char path[FS_PROGRAM_NAME + 8];
        const struct program *program = program_find(names.items[i]);
        snprintf(path, sizeof path, "bin/%s", (const char *)names.items[i]);
        ok = !program || program->server || fs_node_at(fs_tree_root(tree), path) || fs_put_same(tree, path, "bin/busybox");
    }
    vec_free(&names);
    return ok;
}

static bool add_user(struct buf *passwd, const struct value *entry)
{
    const char *user = value_find_text(entry, "user", NULL);
    buf_append_string(passwd, "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n");
    if (user && !isdigit((unsigned char)*user))
        buf_printf(passwd, "%s:x:100:100:%s:/home:/bin/sh\n", user, user);
    return buf_ok(passwd);
}

static bool add_files(struct fs_tree *tree, const struct value *entry)
{
    static const char *const folders[] = {"bin", "dev", "etc", "home", "proc", "root", "run", "sys", "usr/bin", "usr/sbin", "var/run", "var/log", "var/spool", "var/www"};
    static const char group[] = "root:x:0:\nnobody:x:65534:\n";
    const struct fs_put put = {.mode = 0644};
    const struct value *shell = value_get(entry, "shell");
    struct buf passwd = buf_make(4096);
    bool ok = fs_put_folder(tree, "tmp", (struct fs_put){.mode = 01777});
    for (size_t i = 0; ok && i < sizeof folders / sizeof *folders; i++)
        ok = fs_put_folder(tree, folders[i], (struct fs_put){.mode = 0755});
    ok = ok && add_user(&passwd, entry) && fs_put_file(tree, "etc/passwd", passwd.bytes, passwd.length, put) && fs_put_file(tree, "etc/group", group, sizeof group - 1, put);
    buf_free(&passwd);
    if (ok && (!shell || value_is_true(shell)))
        ok = add_tools(tree);
    for (const struct value *item = value_first(value_get(entry, "programs")); ok && item; item = value_next(item))
        ok = value_text(item) && fs_put_program(tree, value_key(item), value_text(item), 0);
    for (const struct value *item = value_first(value_get(entry, "files")); ok && item; item = value_next(item)) {
        const char *text = value_text(item) ? value_text(item) : "";
        ok = fs_put_file(tree, value_key(item), text, strlen(text), (struct fs_put){.mode = strncmp(text, "#!", 2) == 0 ? 0755u : 0644u});
    }
    return ok;
}

static bool copy_list(struct vec *to, const struct value *list)
{
    bool ok = true;
    *to = vec_make(PARTS, mem_free);
    for (const struct value *item = value_first(list); ok && item; item = value_next(item))
        ok = !value_text(item) || vec_push_string(to, value_text(item));
    return ok;
}

static bool copy_env(struct vec *to, const struct value *map)
{
    bool ok = true;
    *to = vec_make(PARTS, mem_free);
    for (const struct value *item = value_first(map); ok && item; item = value_next(item)) {
        char *line = mem_printf("%s=%s", value_key(item), value_text(item) ? value_text(item) : "");
        ok = line && vec_push(to, line);
    }
    return ok;
}

static int signal_of(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"TERM", SIGTERM}, {"QUIT", SIGQUIT}, {"INT", SIGINT}, {"WINCH", SIGWINCH}, {"KILL", SIGKILL}, {"HUP", SIGHUP}, {"USR1", SIGUSR1}};
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].number;
    return SIGTERM;
}

static int64_t took(const struct value *entry, const char *key, int64_t otherwise)
{
    int64_t ms;
    const char *text = value_find_text(entry, key, NULL);
    return text && duration_parse(text, &ms) ? ms : otherwise;
}

static char *text_of(const struct value *entry, const char *key)
{
    const char *text = value_find_text(entry, key, NULL);
    return mem_string(text ? text : "");
}

/* The same name has the same id, in every run. */
static char *id_of(const char *reference)
{
    char hex[65];
    crypto_sha256_hex(reference, strlen(reference), hex);
    return mem_printf("sha256:%s", hex);
}

static const struct image *make(struct images *images, const struct value *entry, const char *reference, struct error *err)
{
    struct image *image = mem_zero(1, sizeof *image);
    if (!image) {
        error_memory(err);
        return NULL;
    }
    *image = (struct image){.reference = mem_string(reference), .id = id_of(reference), .size = value_find_int(entry, 5000000, "size", NULL), .tree = fs_tree_new(NULL, 0, NULL),
        .working_directory = text_of(entry, "workdir"), .user = text_of(entry, "user"), .stop_signal = signal_of(value_find_text(entry, "stop", NULL)),
        .pull_ms = took(entry, "pull", 1000), .start_ms = took(entry, "start", 150)};
    bool lists = copy_list(&image->entrypoint, value_get(entry, "entrypoint"));
    lists = copy_list(&image->command, value_get(entry, "command")) && lists;
    lists = copy_env(&image->env, value_get(entry, "env")) && lists;
    if (lists && image->reference && image->id && image->tree && image->working_directory && image->user && add_files(image->tree, entry)) {
        fs_tree_freeze(image->tree);
        if (vec_push(&images->made, image))
            return image;
        image = NULL;
    }
    if (image)
        image_free(image);
    error_memory(err);
    return NULL;
}

/* ---- finding ---- */

static const struct value *entry_of(const struct images *images, const char *full, size_t name_length)
{
    for (size_t i = images->listed.length; i-- > 0;) {
        const struct listed *listed = images->listed.items[i];
        if (strlen(listed->name) == name_length && strncmp(listed->name, full, name_length) == 0)
            return listed->entry;
    }
    return NULL;
}

static bool has_tag(const struct value *entry, const char *tag)
{
    for (const struct value *item = value_first(value_get(entry, "tags")); item; item = value_next(item))
        if (value_text(item) && strcmp(value_text(item), tag) == 0)
            return true;
    return false;
}

/* Who may pull it: the entry's login, for the registry that its name begins with. */
static bool may_pull(const struct value *entry, const char *full, const struct runtime_credentials *credentials, size_t count)
{
    const struct value *login = value_get(entry, "login");
    size_t host = strcspn(full, "/");
    for (size_t i = 0; login && i < count; i++) {
        const char *password = credentials[i].user ? value_find_text(login, credentials[i].user, NULL) : NULL;
        if (credentials[i].registry && strlen(credentials[i].registry) == host && strncmp(credentials[i].registry, full, host) == 0 && password && credentials[i].password &&
            strcmp(password, credentials[i].password) == 0)
            return true;
    }
    return !login;
}

const struct image *images_find(struct images *images, const char *reference, const struct runtime_credentials *credentials, size_t count, struct error *err)
{
    char full[IMAGE_REFERENCE];
    for (size_t i = 0; i < images->made.length; i++) { /* also by id, as a status has it */
        const struct image *image = images->made.items[i];
        if (strcmp(image->id, reference) == 0)
            return image;
    }
    if (!image_reference(reference, full)) {
        error_set(err, ERROR_INPUT, "", "couldn't parse image name \"%s\": invalid reference format", reference);
        return NULL;
    }
    const char *last = strrchr(full, '/'), *tag = strrchr(last, ':');
    const struct value *entry = tag ? entry_of(images, full, (size_t)(tag - full)) : NULL;
    if (!entry || !has_tag(entry, tag + 1)) {
        error_set(err, ERROR_NOT_FOUND, "", "rpc error: code = NotFound desc = failed to pull and unpack image \"%s\": failed to resolve reference \"%s\": %s: not found", full, full, full);
        return NULL;
    }
    if (!may_pull(entry, full, credentials, count)) {
        error_set(err, ERROR_DENIED, "",
            "failed to pull and unpack image \"%s\": failed to resolve reference \"%s\": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth "
            "credentials", full, full);
        return NULL;
    }
    for (size_t i = 0; i < images->made.length; i++) {
        const struct image *image = images->made.items[i];
        if (strcmp(image->reference, full) == 0)
            return image;
    }
    return make(images, entry, full, err);
}
