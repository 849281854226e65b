/* image.h: images: names, what a name's image is, and its files. The catalogue behind it is read from folders; who runs containers sees only this.
 */
#ifndef KT_PRACTICE_SIM_IMAGE_H
#define KT_PRACTICE_SIM_IMAGE_H

#include "base/error.h"
#include "base/vec.h"
#include "practice/node/runtime.h"
#include "practice/sim/fs.h"

struct image { /* belongs to the catalogue */
    char *reference;       /* as it is shown: "docker.io/library/nginx:1.27" */
    char *id;              /* "sha256:" and 64 hex digits */
    int64_t size;          /* bytes */
    struct fs_tree *tree;  /* frozen */
    struct vec entrypoint, command, env; /* strings */
    char *working_directory, *user;      /* "" for / and root */
    int stop_signal;
    int64_t pull_ms, start_ms;
};

struct images;
/* folders: NULL-terminated, may be NULL. */
struct images *images_new(const char *const *folders, struct error *err) __attribute__((warn_unused_result));
void images_free(struct images *images);
/* ERROR_INPUT: no image name; ERROR_NOT_FOUND, ERROR_DENIED (no or wrong credentials), ERROR_UNREACHABLE (no such registry): the message is what a real pull says. credentials may be NULL. */
const struct image *images_find(struct images *images, const char *reference, const struct runtime_credentials *credentials, size_t count, struct error *err);
/* "nginx" gives "docker.io/library/nginx:latest". False: it is no image name, or too long. */
enum { IMAGE_REFERENCE = 512 };
bool image_reference(const char *text, char out[static IMAGE_REFERENCE]);

#endif
