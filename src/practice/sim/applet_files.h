/* applet_files.h: what the programs about files share.
 */
#ifndef KT_PRACTICE_SIM_APPLET_FILES_H
#define KT_PRACTICE_SIM_APPLET_FILES_H

#include "practice/sim/applet.h"

/* folder/name, or -ENAMETOOLONG. */
int files_join(char out[static FS_PATH], const char *folder, const char *name);
/* "drwxr-xr-x" */
void files_mode(unsigned mode, char out[static 11]);
/* Names of the container's /etc/passwd and /etc/group (file), the number where there is none. */
void files_owner(struct task *task, const char *file, uint32_t id, char out[static 33]);
/* "4.0K" */
void files_human(int64_t size, char out[static 24]);
/* Changes as chmod(1) takes them: "u+x,go-w", "755". False: not understood. */
bool files_parse_mode(const char *text, unsigned mode, bool folder, unsigned umask, unsigned *out);
/* A tree and all in it; problems are told ("can't remove 'x': ..."). */
bool files_remove(struct task *task, const char *path);
struct files_copy {
    bool recursive, preserve, links /* as they are */, force, no_clobber, verbose;
};
bool files_copy(struct task *task, const char *from, const char *to, const struct files_copy *how);
bool files_deep(struct task *task); /* too deep in folders to go on: told */

#endif
