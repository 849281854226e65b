/* exec_plugin.h: one run of a credential plugin (client.authentication.k8s.io/v1 and v1beta1).
 *
 * What it prints is never logged; the first line of its stderr is shown as the cause when it fails.
 */
#ifndef KT_KUBE_EXEC_PLUGIN_H
#define KT_KUBE_EXEC_PLUGIN_H

#include "kube/config.h"
#include "loop/loop.h"

struct exec_plugin;

struct exec_credentials { /* owned */
    char *token;
    char *certificate, *key; /* PEM */
    int64_t until; /* on the monotonic clock; -1: for ever */
};
void exec_credentials_free(struct exec_credentials *credentials);

/* Reads what a plugin printed. Errors name the plugin. */
bool exec_credentials_read(struct exec_credentials *credentials, const struct kube_exec_plugin *plugin, const char *output, size_t length,
                           struct error *err);

/* done: once, from the loop; *given then belongs to the receiver if error is NULL. terminal is called with true before a plugin gets the terminal,
 * and with false after it. */
struct exec_plugin *exec_plugin_start(struct loop *loop, const struct kube_config *config,
                                      void (*done)(void *data, struct exec_credentials *given, const struct error *error),
                                      void (*terminal)(void *data, bool taken), void *data, void *terminal_data, struct error *err)
    __attribute__((warn_unused_result));
void exec_plugin_cancel(struct exec_plugin *run); /* NULL is fine */

#endif
