/* internal.h: how the fake server's files share it. */
#ifndef KT_TESTS_FAKE_INTERNAL_H
#define KT_TESTS_FAKE_INTERNAL_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "fake/fake.h"

enum { FAKE_KINDS = 10 + FAKE_DEFINED };

struct fake_kind {
    const char *group; /* NULL: defined once, and gone */
    const char *version, *plural, *singular, *kind;
    bool namespaced, has_status, has_scale;
};
struct fake_selection { /* what a list or a watch asks for */
    const struct fake_kind *kind;
    char ns[128]; /* "": all */
    char labels[512], fields[512];
};
struct fake_watch {
    struct exchange *x;
    struct fake_selection selection;
    bool over;
};
struct fake_happening {
    unsigned long long version;
    const struct fake_kind *kind;
    struct value *object, *old; /* old NULL: it is new */
    bool deleted;
};
struct fake_fault {
    const char *method;
    char path[256];
    int code;
};
struct ws;
struct fake_shell { /* a command's connection */
    struct exchange *x;
    struct ws *ws;
};
struct fake {
    struct loop *loop;
    struct server *server;
    struct map objects; /* "group/plural/ns/name" -> struct value */
    struct vec history, watches, faults, denied, shells;
    const struct fake_command *commands;
    struct buf writes;
    struct fake_kind defined[FAKE_DEFINED];
    char *groups[FAKE_DEFINED];
    size_t defined_count;
    const char *minor;
    bool unfiltered;
    unsigned long long version, uids, forgotten;
};

size_t fake_kinds(const struct fake *fake, const struct fake_kind **kinds); /* room for FAKE_KINDS */
struct value *fake_object(const struct fake *fake, const struct fake_kind *kind, const char *ns, const char *name);
/* Makes or replaces; takes the object over. What is stored now, NULL if it went with its last finalizer. */
struct value *fake_store(struct fake *fake, const struct fake_kind *kind, const char *ns, const char *name, struct value *object);
void fake_drop(struct fake *fake, const struct fake_kind *kind, const char *ns, const char *name);

void fake_shell_open(struct fake *fake, struct exchange *x); /* shell.c */
void fake_shell_free(void *shell);
void fake_answer(void *fake, struct exchange *x);                                  /* answer.c */
void fake_tell(struct fake *fake, const struct fake_happening *happening);         /* to the watches */

#endif
