/* course.h: packs, chapters and lessons on disk, and one lesson loaded.
 *
 * A pack is a folder with course.lua and a folder a lesson. Loading runs the lesson's Lua in a sandbox without a cluster; running it is in run.h.
 */
#ifndef KT_LESSON_COURSE_H
#define KT_LESSON_COURSE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"
#include "bind/verdict.h"
#include "lesson/text.h"
#include "script/script.h"

struct course_chapter {
    char *id;
    struct both title;
    struct vec lessons; /* of strings: ids, in order */
};
struct course {
    char *folder; /* of the pack */
    struct both title;
    struct vec chapters; /* of struct course_chapter */
};
/* Reads folder/course.lua. */
struct course *course_load(struct loop *loop, const char *folder, struct error *err) __attribute__((warn_unused_result));
void course_free(struct course *course);
/* The chapter of a lesson, and the lesson after it in course order (NULL: it is the last). Unknown ids: NULL. */
const struct course_chapter *course_chapter_of(const struct course *course, const char *lesson);
const char *course_next(const struct course *course, const char *lesson);
/* The nearest known id to a mistyped one, or NULL. */
const char *course_near(const struct course *course, const char *lesson);

struct lesson_mutant {
    char *name;
    int function; /* kept in the script (script_keep) */
};
struct lesson_step {
    char *id;
    int setup, check, verify, invariant, hint, solve; /* kept functions, 0: none */
    bool observe, final;
    bool check_wants_state;  /* check or verify takes the state: without it neither can be judged */
    char *since;             /* "1.29" or NULL */
    struct vec choices;      /* of strings: ids; empty: no question */
    char *answer;
    struct vec mutants;      /* of struct lesson_mutant */
    const struct text_step *text[2]; /* by enum lang; never NULL after a successful load */
    int line;                /* in lesson.lua */
};
struct lesson {
    char *id, *folder;       /* folder: PACK/ID */
    char *chapter, *level, *since; /* since NULL: any server */
    int minutes;
    struct vec after, needs, images; /* of strings; needs: "deployments.apps" or "deployments.apps:create,watch" */
    bool cluster_scope;
    struct vec steps;        /* of struct lesson_step */
    int cleanup;             /* kept function or 0 */
    struct lesson_text *text[2]; /* by enum lang */
    struct script *script;   /* owned; where the functions live */
    struct bind *bind;       /* owned; made by loading, see lesson_load */
};

/* Loads PACK/ID: lesson.lua, en.md, zh.md. `client` NULL: only to describe it (list, show, lint). ERROR_NOT_FOUND for an unknown lesson (with the nearest
 * name); ERROR_INPUT with file and line for a faulty one. */
struct kube_client;
struct lesson_world { /* what a lesson runs in; NULL client: described only */
    struct kube_client *client;
    const char *ns, *user, *work_folder;
    bool trusted; /* k:sh may run commands on this machine */
};
struct lesson *lesson_load(struct loop *loop, const char *pack, const char *id, const struct lesson_world *world, struct error *err)
    __attribute__((warn_unused_result));
void lesson_free(struct lesson *lesson);
struct lesson_step *lesson_find_step(const struct lesson *lesson, const char *id); /* NULL: none */
/* The step that a headless check verifies: the ones marked final, else the last with a check. Index or -1. */
int lesson_final_step(const struct lesson *lesson, int after); /* after -1: the first one */

/* A fault that lint found. */
struct lint_finding {
    bool is_error; /* else advice */
    char *where;   /* "nginx/zh.md:12", from the pack */
    char *message;
};
/* Checks a pack's lesson for what docs/lesson-format.md asks (ids, languages, glossary, files, images, needs, unused blocks, hints that give the answer first,
 * walls of text, words outside t{}). glossary: the path of assets/glossary.tsv, or NULL. findings: of struct lint_finding; made here. A lesson that does not load is a
 * finding, too. False when memory is short or the glossary cannot be read. */
bool lesson_lint(struct loop *loop, const char *pack, const char *id, const char *glossary, struct vec *findings, struct error *err)
    __attribute__((warn_unused_result));
void lint_finding_free(struct lint_finding *finding);

#endif
