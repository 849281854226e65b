/* image: names of images, and a catalogue of a few. */
#include "practice/sim/image.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/kernel.h"

struct images {
    struct vec list; /* of struct image */
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

/* ---- what there is ---- */

static bool add_files(struct fs_tree *tree)
{
    struct fs_put put = {.mode = 0644};
    static const char *const folders[] = {"bin", "dev", "etc", "home", "proc", "root", "run", "sys", "usr/bin", "usr/sbin", "var/run", "var/log", "var/spool", "var/www"};
    static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n", group[] = "root:x:0:\nnobody:x:65534:\n";
    bool ok = fs_put_folder(tree, "tmp", (struct fs_put){.mode = 01777});
    for (size_t i = 0; ok && i < sizeof folders / sizeof *folders; i++)
        ok = fs_put_folder(tree, folders[i], (struct fs_put){.mode = 0755});
    ok = ok && fs_put_file(tree, "etc/passwd", passwd, sizeof passwd - 1, put) && fs_put_file(tree, "etc/group", group, sizeof group - 1, put);
    ok = ok && fs_put_program(tree, "bin/busybox", "busybox", 0);
    struct vec names = vec_make(1024, NULL);
    program_names(&names);
    for (size_t i = 0; ok && i < names.length; i++) {
        char path[FS_PROGRAM_NAME + 8];
        snprintf(path, sizeof path, "bin/%s", (const char *)names.items[i]);
        ok = fs_node_at(fs_tree_root(tree), path) || fs_put_same(tree, path, "bin/busybox");
    }
    vec_free(&names);
    return ok;
}

static bool add_image(struct images *images, const char *reference, const char *command)
{
    struct image *image = mem_zero(1, sizeof *image);
    if (!image)
        return false;
    *image = (struct image){.reference = mem_string(reference), .id = mem_printf("sha256:%064x", 0xb05b0u + (unsigned)images->list.length), .size = 4261550, .tree = fs_tree_new(NULL, 0, NULL),
        .entrypoint = vec_make(16, mem_free), .command = vec_make(16, mem_free), .env = vec_make(64, mem_free), .working_directory = mem_string(""), .user = mem_string(""),
        .stop_signal = SIGTERM, .pull_ms = 700, .start_ms = 150};
    bool ok = image->reference && image->id && image->tree && image->working_directory && image->user && vec_push_string(&image->command, command) && add_files(image->tree);
    if (!ok) {
        image_free(image);
        return false;
    }
    fs_tree_freeze(image->tree);
    return vec_push(&images->list, image);
}

struct images *images_new(const char *const *folders, struct error *err)
{
    (void)folders;
    struct images *images = mem_zero(1, sizeof *images);
    if (images)
        images->list = vec_make(1024, image_free);
    if (!images || !add_image(images, "docker.io/library/busybox:latest", "sh") || !add_image(images, "docker.io/library/busybox:1.36", "sh")) {
        images_free(images);
        error_memory(err);
        return NULL;
    }
    return images;
}

void images_free(struct images *images)
{
    if (!images)
        return;
    vec_free(&images->list);
    mem_free(images);
}

const struct image *images_find(struct images *images, const char *reference, const struct runtime_credentials *credentials, size_t count, struct error *err)
{
    char full[IMAGE_REFERENCE];
    (void)credentials, (void)count;
    if (!image_reference(reference, full)) {
        error_set(err, ERROR_INPUT, "", "couldn't parse image name \"%s\": invalid reference format", reference);
        return NULL;
    }
    for (size_t i = 0; i < images->list.length; i++) {
        const struct image *image = images->list.items[i];
        if (strcmp(image->reference, full) == 0 || strcmp(image->id, reference) == 0)
            return image;
    }
    error_set(err, ERROR_NOT_FOUND, "", "rpc error: code = NotFound desc = failed to pull and unpack image \"%s\": failed to resolve reference \"%s\": %s: not found", full, full, full);
    return NULL;
}
