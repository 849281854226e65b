/* xdg.h: where our files live (XDG Base Directory Specification 0.8), each folder made on first use with mode 0700.
 */
#ifndef KT_BASE_XDG_H
#define KT_BASE_XDG_H

#include "base/error.h"

enum xdg_folder {
    XDG_CONFIG,  /* $XDG_CONFIG_HOME/kubetutor, ~/.config/kubetutor: settings */
    XDG_STATE,   /* $XDG_STATE_HOME/kubetutor, ~/.local/state/kubetutor: progress, logs */
    XDG_CACHE,   /* $XDG_CACHE_HOME/kubetutor, ~/.cache/kubetutor: what may be lost */
    XDG_RUNTIME, /* $XDG_RUNTIME_DIR/kubetutor, else /tmp/kubetutor-UID whose owner and mode are checked: sockets, locks */
};

/* The folder's path, made if missing; the caller frees (mem_free). A variable that holds a relative path is ignored, as the
 * specification asks. NULL with err when it cannot be made or is not ours. */
char *xdg_folder(enum xdg_folder which, struct error *err) __attribute__((warn_unused_result));

/* The same folder with a file name behind it; the file itself is not made. */
char *xdg_file(enum xdg_folder which, const char *name, struct error *err) __attribute__((warn_unused_result));

/* $HOME, else the home of the user database; borrowed until the next call. NULL if neither is known. */
const char *xdg_home(void);

#endif
