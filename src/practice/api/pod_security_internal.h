/* pod_security_internal.h: shared by the checks of pod security.
 */
#ifndef KT_PRACTICE_API_POD_SECURITY_INTERNAL_H
#define KT_PRACTICE_API_POD_SECURITY_INTERNAL_H

#include "base/vec.h"
#include "practice/api/pod_security.h"

enum { SECURITY_NAMES = 10000 };

/* One check at work. */
struct security {
    const struct value *pod, *spec;
    int minor;
    bool forbidden, failed;
    const char *reason;
    struct buf detail;
};

/* Two lists and what is to be said: many checks have this shape. */
struct security_lists {
    struct vec bad, words;
};

extern const char *const security_fields[3]; /* of containers, in the order of visits */

void security_each(struct security *security,
                   bool (*fn)(struct security *security, const struct value *container, struct vec *words), struct vec *bad,
                   struct vec *words);
int security_by_text(const void *a, const void *b);
void security_note(struct security *security, struct vec *words, const char *word);
void security_quote(struct buf *out, const struct vec *words);
void security_list(struct buf *out, const char *one, const char *many, const struct vec *words);
void security_containers(struct buf *out, const struct vec *names);
void security_setters(struct buf *out, bool pod, const struct vec *names);
void security_forbid(struct security *security, const char *reason);
const struct value *security_context(const struct value *container);
bool security_is_windows(const struct security *security);
bool security_is_relaxed(const struct security *security);
bool security_listed(const char *const *list, const char *word);
struct security_lists security_lists_make(void);
void security_lists_free(struct security_lists *lists);
void security_added(struct security *security, struct security_lists *lists);

/* The checks: each says by security_forbid what it found, and why in detail. */
void security_check_app_armor(struct security *security);
void security_check_capabilities(struct security *security);
void security_check_host_namespaces(struct security *security);
void security_check_host_paths(struct security *security);
void security_check_host_ports(struct security *security);
void security_check_host_probes(struct security *security);
void security_check_privileged(struct security *security);
void security_check_proc_mount_strictly(struct security *security);
void security_check_proc_mount(struct security *security);
void security_check_selinux(struct security *security);
void security_check_seccomp(struct security *security);
void security_check_sysctls(struct security *security);
void security_check_host_process(struct security *security);
void security_check_escalation(struct security *security);
void security_check_all_dropped(struct security *security);
void security_check_volumes(struct security *security);
void security_check_non_root(struct security *security);
void security_check_user(struct security *security);
void security_check_seccomp_set(struct security *security);

#endif
