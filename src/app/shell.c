/* shell.c: ~/kubetutor/shell, by which a learner gets a shell in another terminal where plain kubectl means the lesson's cluster and namespace. It names
 * an overlay kubeconfig before the original files; no secret is copied. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"

enum { SHELL_FILE = 64 << 10 };

static const char head[] = "#!/bin/sh\n# Made by kubetutor: a shell for the lessons. shell [LESSON] starts in that lesson's folder.\n";

/* 'text' for sh, whatever is in it. */
static void quote(struct buf *out, const char *text)
{
    buf_append_string(out, "'");
    for (; *text != '\0'; text++)
        if (*text == '\'')
            buf_append_string(out, "'\\''");
        else
            buf_append(out, text, 1);
    buf_append_string(out, "'");
}

static void write_lines(struct buf *out, const char *kubeconfig, const char *folder)
{
    const char *path = getenv("PATH");
    buf_append_string(out, head);
    buf_append_string(out, "KUBECONFIG=");
    quote(out, kubeconfig);
    if (path != NULL) {
        buf_append_string(out, "\nPATH=");
        quote(out, path);
        buf_append_string(out, "; export PATH");
    }
    buf_append_string(out, "\nexport KUBECONFIG\ncd ");
    quote(out, folder);
    buf_append_string(out, " && { [ -z \"$1\" ] || cd \"$1\"; } && exec \"${SHELL:-/bin/sh}\"\n");
}

/* True where nothing is, or what we made ourselves. */
static bool is_ours(const char *path, struct error *err)
{
    if (!file_exists(path))
        return true;
    char *text = file_read(path, SHELL_FILE, NULL, NULL);
    bool ours = text != NULL && strncmp(text, head, sizeof head - 1) == 0;
    mem_free(text);
    return ours || error_set(err, ERROR_EXISTS, path, _("%s is there already, and kubetutor did not make it; it stays as it is"), path);
}

/* Each cluster, account and namespace has an overlay of its own, so that a shell of another tutor keeps meaning what it meant. */
static char *overlay_path(const struct kube_config *config, const char *cluster, const char *ns, struct error *err)
{
    const char *const parts[] = {cluster, config->context_name, ns};
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const char *c = parts[i] != NULL ? parts[i] : "";; c++) {
            hash = (hash ^ (unsigned char)*c) * 1099511628211U;
            if (*c == '\0') /* counted, too: it parts the parts */
                break;
        }
    char name[40];
    snprintf(name, sizeof name, "kubeconfig-%016" PRIx64, hash);
    return xdg_file(XDG_STATE, name, err);
}

char *write_shell(const struct kube_config *config, const char *cluster, const char *ns, struct error *err)
{
    const char *home = xdg_home();
    char *folder = home != NULL ? mem_printf("%s/kubetutor", home) : NULL, *path = folder != NULL ? file_join(folder, "shell") : NULL;
    char *overlay = overlay_path(config, cluster, ns, err), *kubeconfig = NULL;
    struct buf text = buf_make(SHELL_FILE);
    bool ok = path != NULL && overlay != NULL && file_make_folder(folder, 0755, err) && is_ours(path, err) &&
              (kubeconfig = kube_config_write_overlay(config, ns, overlay, err)) != NULL;
    if (ok) {
        write_lines(&text, kubeconfig, folder);
        ok = (buf_ok(&text) || error_memory(err)) && file_write(path, text.bytes, text.length, 0700, err);
    }
    buf_free(&text);
    mem_free(folder);
    mem_free(overlay);
    mem_free(kubeconfig);
    if (ok)
        return path;
    mem_free(path);
    return NULL;
}
