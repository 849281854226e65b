/* job_indexes.h: sets of the indexes of an Indexed Job, as rows of numbers that follow each other: "0-3,5,7,8".
 */
#ifndef KT_PRACTICE_CONTROLLERS_JOB_INDEXES_H
#define KT_PRACTICE_CONTROLLERS_JOB_INDEXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job_range {
    int64_t first, last;
};
/* All zero: none. In order, never touching. */
struct job_indexes {
    struct job_range *ranges;
    size_t count, room;
};
void job_indexes_free(struct job_indexes *indexes);
/* Those below `completions` of a text (NULL: none); what cannot be read is passed over. False: no memory. */
bool job_indexes_read(struct job_indexes *indexes, const char *text, int64_t completions) __attribute__((warn_unused_result));
/* Puts one more in, wherever it belongs; all of another's. False: no memory. */
bool job_indexes_add(struct job_indexes *indexes, int64_t index) __attribute__((warn_unused_result));
bool job_indexes_add_all(struct job_indexes *indexes, const struct job_indexes *others) __attribute__((warn_unused_result));
bool job_indexes_has(const struct job_indexes *indexes, int64_t index);
int64_t job_indexes_total(const struct job_indexes *indexes);
/* How many both have. */
int64_t job_indexes_common(const struct job_indexes *a, const struct job_indexes *b);
/* The caller frees; NULL: no memory. */
char *job_indexes_text(const struct job_indexes *indexes) __attribute__((warn_unused_result));

#endif
