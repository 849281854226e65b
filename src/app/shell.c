/* shell.c: ~/kubetutor/shell, by which a learner gets a shell in another terminal where plain kubectl means the lesson's cluster and namespace. It names
 * an overlay kubeconfig before the original files; no secret is copied. */
#include <stdlib.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/xdg.h"

enum { SHELL_FILE = 64 << 10 };

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
    buf_append_string(out, "#!/bin/sh\n# Made by kubetutor: a shell for the lessons. shell [LESSON] starts in that lesson's folder.\nKUBECONFIG=");
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

char *write_shell(struct session *session, struct error *err)
{
    const char *home = xdg_home();
    char *folder = home != NULL ? mem_printf("%s/kubetutor", home) : NULL, *path = folder != NULL ? file_join(folder, "shell") : NULL;
    char *overlay = xdg_file(XDG_STATE, "kubeconfig", err), *kubeconfig = NULL;
    struct buf text = buf_make(SHELL_FILE);
    bool ok = path != NULL && overlay != NULL && file_make_folder(folder, 0755, err) &&
              (kubeconfig = kube_config_write_overlay(kube_client_config(session_client(session)), session_namespace(session), overlay, err)) != NULL;
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
