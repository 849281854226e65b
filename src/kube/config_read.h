/* config_read.h: between the files of kubeconfig reading.
 *
 * config.c finds the files and what is current in them; config_read.c takes the fields of one cluster, user or context; config_where.c
 * finds the line to blame.
 */
#ifndef KT_KUBE_CONFIG_READ_H
#define KT_KUBE_CONFIG_READ_H

#include "base/buf.h"
#include "data/value.h"
#include "kube/config.h"

enum {
    CONFIG_FILE_MAXIMUM = 4 << 20,   /* bytes of a kubeconfig */
    CONFIG_SECRET_MAXIMUM = 1 << 20, /* bytes of a certificate, key or token */
    CONFIG_FILES = 64,               /* files in KUBECONFIG */
    CONFIG_LIST = 256,               /* arguments, variables, groups */
};

struct config_source { /* one file */
    char *path;   /* as errors show it */
    char *folder; /* relative paths start here */
    char *text;
    size_t length;
    struct value *root;
};

struct config_entry { /* clusters[name=...], users[...], contexts[...] */
    const struct config_source *source;
    const char *list;         /* "clusters" */
    const char *name;
    const struct value *body; /* what stands under "cluster", "user", "context"; NULL: nothing */
};

/* Fills err: kind ERROR_INPUT, where "PATH:LINE list[name].field". field may be NULL or dotted ("exec.command"). Returns false. */
bool config_blame(struct error *err, const struct config_entry *entry, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a field at the top of a file. */
bool config_blame_file(struct error *err, const struct config_source *source, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The line (from 1) on which a field of an entry stands in block-style YAML, or the best that can be told; 0: not found. name NULL: a field at
 * the top. */
unsigned config_line(const char *text, size_t length, const char *list, const char *name, const char *field);

bool config_read_cluster(struct kube_config *config, const struct config_entry *entry, struct error *err);
bool config_read_user(struct kube_config *config, const struct config_entry *entry, struct error *err);
/* A field that must be text or absent; *out is a copy (NULL: absent or ""). */
bool config_read_text(const struct config_entry *entry, const struct value *object, const char *prefix, const char *field, char **out,
                      struct error *err);

/* Reads a small regular file whole (a pipe or a terminal would hang). */
char *config_read_file(const char *path, struct error *err);
/* Is it PEM with such a part ("CERTIFICATE", "PRIVATE KEY")? */
bool config_is_pem(const char *text, const char *part);
void config_wipe(char **secret); /* overwrites, frees, sets NULL */

#endif
