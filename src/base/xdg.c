#include "base/xdg.h"

#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static const struct {
    const char *variable;
    const char *below_home; /* NULL: no place in the home */
} places[] = {
    [XDG_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [XDG_STATE] = {"XDG_STATE_HOME", ".local/state"},
    [XDG_CACHE] = {"XDG_CACHE_HOME", ".cache"},
    [XDG_RUNTIME] = {"XDG_RUNTIME_DIR", NULL},
};

const char *xdg_home(void)
{
    const char *home = getenv("HOME");
    if (home != NULL && home[0] == '/')
        return home;
    const struct passwd *user = getpwuid(geteuid());
    return user != NULL ? user->pw_dir : NULL;
}

/* In a world-writable /tmp somebody else may have made the folder first: only a folder of ours, closed to others, will do. */
static bool is_ours(const char *path, struct error *err)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 077) == 0)
        return true;
    return error_set(err, ERROR_DENIED, path, "%s must be a folder that belongs to you and is closed to others (mode 0700)", path);
}

char *xdg_folder(enum xdg_folder which, struct error *err)
{
    const char *base = getenv(places[which].variable), *home = xdg_home();
    char *path;
    bool in_tmp = false;
    if (base != NULL && base[0] == '/')
        path = mem_printf("%s/kubetutor", base);
    else if (places[which].below_home == NULL) {
        path = mem_printf("/tmp/kubetutor-%ju", (uintmax_t)geteuid());
        in_tmp = true;
    } else if (home != NULL)
        path = mem_printf("%s/%s/kubetutor", home, places[which].below_home);
    else {
        error_set(err, ERROR_INPUT, "HOME", "there is no home folder: set HOME or %s", places[which].variable);
        return NULL;
    }
    if (path == NULL) {
        error_memory(err);
        return NULL;
    }
    if (!file_make_folder(path, 0700, err) || (in_tmp && !is_ours(path, err))) {
        mem_free(path);
        return NULL;
    }
    return path;
}

char *xdg_file(enum xdg_folder which, const char *name, struct error *err)
{
    char *folder = xdg_folder(which, err);
    char *path = folder != NULL ? file_join(folder, name) : NULL;
    if (folder != NULL && path == NULL)
        error_memory(err);
    mem_free(folder);
    return path;
}
