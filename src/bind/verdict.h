/* verdict.h: what a run of a check found: its expectations, one by one.
 */
#ifndef KT_BIND_VERDICT_H
#define KT_BIND_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

/* Both languages of a text that a lesson gives (t { en=, zh= }); NULL: none. Owned. */
struct both {
    char *en, *zh;
};
void both_free(struct both *both);
const char *both_text(const struct both *both); /* in the current language (base/lang.h), the other one if it is missing, "" if both are */

/* One expectation. Strings are owned, never NULL but where it says so; they may hold outside bytes. */
struct expectation {
    bool holds;
    bool history;     /* about what was seen in this step: cannot be answered later (expect_seen, :saw, expect_absent for some seconds) */
    bool hidden;      /* secret=true: expected and actual read "(hidden)" */
    int points;       /* 1 unless :points(n) */
    char *kind;       /* "Deployment"; "" for expect(bool) */
    char *name;       /* object, or the selection's words ("app-name=my-nginx") */
    char *resource;   /* "deployments.apps": what why and the UI need to find it again */
    char *uid, *resource_version; /* of the object seen, "" if none */
    char *path;       /* "spec.replicas", "" for the whole */
    char *expected;   /* readable */
    char *actual;
    struct both text; /* the lesson's own words, or NULLs: then the UI makes a sentence of the other fields */
    char *where;      /* "lesson.lua:31" */
    char *why;        /* sentences, a line each, from symptom to cause, or "": filled in later by the lesson machine from kube/why.h */
};

/* The outcome of one run. */
enum outcome { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_ERROR, OUTCOME_UNREACHABLE, OUTCOME_SKIPPED };
const char *outcome_name(enum outcome outcome); /* "passed", ... (stable, for reports) */

struct verdict {
    enum outcome outcome;
    struct vec expectations; /* of struct expectation */
    struct error error;      /* for OUTCOME_ERROR, _UNREACHABLE and _SKIPPED (why skipped) */
    int64_t again_ms;        /* monotonic time at which time alone may change it ("gone for 10 s"), or -1 */
};
struct verdict *verdict_new(void) __attribute__((warn_unused_result));
void verdict_free(struct verdict *verdict);
void expectation_free(struct expectation *expectation);
/* One line for an expectation in the current language: "Deployment nginx: spec.replicas is 2, wanted 3", or the lesson's words. Appended. */
struct buf;
void expectation_print(const struct expectation *expectation, struct buf *out);
/* Takes out expectations that repeat an earlier one word for word (a Service that is missing, asked for twice). Their points go with them. */
void verdict_drop_repeats(struct verdict *verdict);
/* Puts the expectations of `first` (NULL: none) before the verdict's own, and frees it. What is too many is dropped. */
void verdict_prepend(struct verdict *verdict, struct verdict *first);
/* Two verdicts that say the same to a person (so that a screen need not change). */
bool verdict_same(const struct verdict *a, const struct verdict *b);

#endif
