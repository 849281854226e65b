/* pod_volumes.h: a Pod's volumes: set up before its containers, filled again when what is in them changed.
 */
#ifndef KT_PRACTICE_NODE_POD_VOLUMES_H
#define KT_PRACTICE_NODE_POD_VOLUMES_H

#include "practice/node/pod.h"

/* Sets up those that are not and are due; says FailedMount for each that cannot be. True: all of them are there. *retry_ms: when to try again, 0 where memory is short: soon. */
bool pod_volumes_mount(struct pod_worker *worker, const struct value *document, int64_t *retry_ms);
/* Fills those anew that show ConfigMaps, Secrets, tokens or the Pod's own fields. */
void pod_volumes_refresh(struct pod_worker *worker, const struct value *document);
/* Whether one of them shows this ConfigMap or Secret, or (name NULL) labels and annotations. */
bool pod_volumes_show(const struct value *document, bool secret, const char *name);
bool pod_volumes_may_change(const struct pod_worker *worker); /* there is one that shows more than the account's token */
struct runtime_volume *pod_volume_of(const struct pod_worker *worker, const char *name); /* NULL: none of this name */
void pod_volumes_free(struct pod_worker *worker);

/* ---- volume_files.c ---- */
struct volume_files {
    struct runtime_file *files; /* paths and bytes owned */
    size_t count, room;
    int64_t expires_ms;         /* of the token that ends first; 0: none that matters */
};
enum { VOLUME_FILES = 100000, VOLUME_WHY = 512 };
void volume_files_free(struct volume_files *files);
/* The files of a volume's configMap, secret, downwardAPI or projected source, as the volume's spec has it. False: why is what FailedMount says. */
bool volume_files_make(const struct pod_worker *worker, const struct value *document, const struct value *volume, struct volume_files *files, char why[static VOLUME_WHY]) __attribute__((warn_unused_result));
bool volume_has_files(const struct value *volume); /* it is one of those */
bool volume_shows(const struct value *volume, bool secret, const char *name); /* see pod_volumes_show */

#endif
