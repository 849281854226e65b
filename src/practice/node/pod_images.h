/* pod_images.h: a container's image is there before it begins: pull policies, pulls one at a time a node, back-off, credentials.
 */
#ifndef KT_PRACTICE_NODE_POD_IMAGES_H
#define KT_PRACTICE_NODE_POD_IMAGES_H

#include "practice/node/pod.h"

enum image_step { IMAGE_READY, IMAGE_WAITS, IMAGE_FAILED };
/* IMAGE_READY: image is filled (runtime_image_free). IMAGE_WAITS: a pull was begun, or goes on; the worker is woken when it is over, and this is asked again. IMAGE_FAILED: the container waits for a reason,
 * which was said. */
enum image_step pod_image_ensure(struct pod_container *container, const struct value *spec, const struct value *document, struct runtime_image *image);
/* Nobody waits for the worker's pull any more. */
void pod_image_cancel(struct pod_worker *worker);
/* "1m2.345s", as Go prints a duration of whole milliseconds. */
void go_duration_print(int64_t ms, char out[static 40]);

#endif
