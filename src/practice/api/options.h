/* options.h: what stands after the question mark: ListOptions, CreateOptions, PatchOptions, DeleteOptions ... of apimachinery, read and refused as
 * there.
 */
#ifndef KT_PRACTICE_API_OPTIONS_H
#define KT_PRACTICE_API_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "practice/api/call.h"
#include "practice/api/status.h"

enum { OPTIONS_MOST = 1000 /* pairs that are looked at */ };

/* The pairs of a query, decoded; of one name the first counts. Pairs that are malformed are as if they were not there. */
struct query {
    struct map values; /* of strings, owned */
    bool failed;       /* no memory */
};
struct query query_parse(const char *text);
void query_free(struct query *query);
const char *query_get(const struct query *query, const char *name); /* NULL: not there */
/* All values of one name, in order; false: no memory. */
bool query_all(const char *text, const char *name, struct vec *values);
/* A whole number as strconv.ParseInt reads it; *out stays as it is where there is none. False: 400. */
bool query_number(const struct query *query, const char *name, int64_t *out, struct status *failure);
/* As Kubernetes converts them: there, and neither "0" nor "false". */
bool query_is_true(const struct query *query, const char *name);

struct list_options {
    const char *labels, *fields, *version, *match, *continue_from; /* borrowed from the query; "" where they are missing */
    int64_t limit, timeout_s;                                      /* 0: none */
    bool watch, bookmarks;
    bool send_given, send_initial;
};

/* Whole numbers, 400. */
bool options_list(const struct query *query, struct list_options *out, struct status *failure);
/* What does not go together, 422. */
bool options_check_list(const struct list_options *options, struct status *failure);

/* What holds for every request but watches: `timeout` is a duration; and what a get may not say any more (export). False: 400. */
bool options_common(const struct query *query, struct status *failure);
/* A version as watches and gets read it; *version 0 for none. False: 500, as the real server answers. */
bool options_version(const char *text, uint64_t *version, struct status *failure);
/* 504: the client knows a version that is not there yet. */
bool options_too_large(uint64_t version, uint64_t current, struct status *failure);

/* Fills the call's dry_run, force, validation and manager for its verb (CreateOptions, UpdateOptions, PatchOptions), borrowing from the query. */
bool options_write(const struct query *query, struct call *call, struct status *failure);

/* DeleteOptions from the query, or, if body is not NULL, from the body (decoded; borrowed as long as the call needs it); false: 400, 422. */
bool options_delete(const struct query *query, const struct value *body, struct call *call, struct status *failure);

#endif
