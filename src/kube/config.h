/* config.h: kubeconfig files, merged and resolved to what one client needs.
 *
 * As kubectl does (k8s.io/client-go/tools/clientcmd): KUBECONFIG is a list, missing files of it are passed over; of clusters, users and
 * contexts with the same name, and of current-context, the first file wins; relative paths are relative to the file that names them.
 * Errors name file, line and field in `where` ("~/.kube/config:12 users[dev].client-certificate").
 */
#ifndef KT_KUBE_CONFIG_H
#define KT_KUBE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"

enum kube_config_origin {
    KUBE_CONFIG_FLAG,        /* --kubeconfig */
    KUBE_CONFIG_ENVIRONMENT, /* $KUBECONFIG */
    KUBE_CONFIG_HOME,        /* ~/.kube/config */
    KUBE_CONFIG_IN_CLUSTER,  /* the ServiceAccount files of a Pod */
};

struct kube_config_options {
    const char *file;      /* --kubeconfig; NULL: not given. A missing file is an error */
    const char *context;   /* --context; NULL: current-context */
    const char *cluster_root; /* for tests: stands for /var/run/secrets/kubernetes.io/serviceaccount; NULL: that */
};

struct kube_exec_plugin { /* client.authentication.k8s.io/v1 */
    char *command;        /* NULL: none; already resolved against the file if relative with a slash */
    struct vec arguments;   /* of strings */
    struct vec environment; /* of "NAME=value" */
    char *api_version;
    char *install_hint;
    char *interactive_mode; /* Never, IfAvailable, Always */
    bool provide_cluster_info;
    char *cluster_config; /* JSON text of the cluster's extension client.authentication.k8s.io/exec, or NULL */
};

/* All strings owned, NULL where not given. Read them; only this file writes them. */
struct kube_config {
    enum kube_config_origin origin;
    struct vec files;       /* of paths, in order of precedence: what a shell's overlay must keep behind itself */
    char *context_name;     /* "" in a cluster */
    char *cluster_name;
    char *user_name;
    char *server;           /* "https://10.0.0.1:6443", no slash at the end; a path is kept */
    char *context_namespace; /* the context's, or NULL */
    char *ca;               /* PEM text */
    char *tls_server_name;
    bool insecure_skip_tls_verify;
    bool disable_compression;
    char *proxy_url;          /* http, https or socks5; NULL: what the environment says */
    char *client_certificate; /* PEM text */
    char *client_key;         /* PEM text */
    char *token;
    char *token_file;         /* re-read when it changes, at the latest after a minute */
    char *username, *password;
    char *impersonate, *impersonate_uid;
    struct vec impersonate_groups;
    struct vec impersonate_extra; /* "key=value" */
    struct kube_exec_plugin exec;
};

/* Finds, reads, merges and resolves. *config is NULL and the function true when nothing names a cluster anywhere (no file, an empty one,
 * not in a cluster): then the practice cluster is used. False: something is named, but wrong: an error, never a fall-through. */
bool kube_config_load(const struct kube_config_options *options, struct kube_config **config, struct error *err)
    __attribute__((warn_unused_result));
void kube_config_free(struct kube_config *config); /* NULL is fine; secrets are wiped first */

/* Parses one kubeconfig's text and resolves its current context (for fuzzing and the practice cluster's own file). */
struct kube_config *kube_config_parse(const char *text, size_t length, const char *name, struct error *err) __attribute__((warn_unused_result));

/* Writes an overlay for the learner's shell: only a context with the namespace, and current-context; no secret. The caller puts it before the
 * original files: value for KUBECONFIG is returned (caller frees). In a cluster there is no file: a full one is written, with tokenFile. */
char *kube_config_write_overlay(const struct kube_config *config, const char *ns, const char *path, struct error *err)
    __attribute__((warn_unused_result));

#endif
