/* steps.h: files of cases that a real server answered (verbs/, admission/, access/): requests in a row, each with its answer.
 *     # a comment
 *     @ bob devs                     from here on it is this user and these groups who ask ("@": whoever the test begins with)
 *     > POST /api/v1/... TYPE        the type may be missing
 *     {"metadata":...}               the body: any number of lines
 *     < 201 same                     the code; "same" and "new" say how its version is to the one before
 *     < Warning: unknown field "x"
 *     {"kind":...}                   the answer
 */
#ifndef KT_TESTS_PRACTICE_API_STEPS_H
#define KT_TESTS_PRACTICE_API_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

enum { CASE = 4 << 20 /* bytes of a file, and of anything that is made from it */ };

struct step {
    const char *file;
    size_t number;                     /* from 1 */
    char *who;                         /* what stands behind '@'; NULL: as before */
    char *method, *path, *type, *body; /* type, body: NULL for none */
    int code;
    char version; /* 's'ame, 'n'ew, or 0 */
    struct vec warnings;
    char *answer;
};

/* Runs every file of a folder below the tests' (with KT_CASE in the environment only that one) and fails the test where `run` says false or nothing was run. */
void steps_run_folder(const char *folder, bool (*run)(const char *file, const struct vec *steps));

/* Tells of a step what was wanted and what came; returns false. */
bool steps_differ(const struct step *step, const char *what, const char *wanted, const char *got);
/* Whether the warnings are those of the step; tells where not. */
bool steps_same_warnings(const struct step *step, const struct vec *warnings);

#endif
