/* names.h: what names may look like, with the server's words for what is wrong (apimachinery's util/validation and api/validate/content). Pure
 * functions; the words are constants.
 */
#ifndef KT_PRACTICE_SCHEMA_NAMES_H
#define KT_PRACTICE_SCHEMA_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "practice/schema/problem.h"

enum { NAME_LABEL = 63, NAME_SUBDOMAIN = 253, NAME_PORT = 15 }; /* bytes at most */

/* What is wrong with a text, one sentence each; none: nothing. */
struct complaints {
    const char *text[6];
    size_t count;
};

struct complaints name_label(const char *value);                /* DNS-1123 label: "my-name" */
struct complaints name_label_1035(const char *value);           /* DNS-1035 label: no digit at the beginning */
struct complaints name_subdomain(const char *value);            /* DNS-1123 subdomain: "example.com" */
struct complaints name_subdomain_underscore(const char *value); /* the same with '_' */
struct complaints name_wildcard(const char *value);             /* "*.example.com" */
struct complaints name_qualified(const char *value);            /* a label's key: "example.com/my.name" */
struct complaints name_label_value(const char *value);
struct complaints name_port(const char *value);                 /* IANA service name: "http" */
struct complaints name_config_key(const char *value);           /* key of a ConfigMap or Secret */
struct complaints name_environment(const char *value);          /* the relaxed rule: printable ASCII without '=' */
struct complaints name_http_header(const char *value);
struct complaints name_percent(const char *value);              /* "50%" */
struct complaints name_path_segment(const char *value);         /* no '/', no '%', not "." and ".." */
struct complaints name_path_prefix(const char *value);
struct complaints name_condition_reason(const char *value);

typedef struct complaints name_check(const char *value);

/* Adds a PROBLEM_INVALID for each; true if there was none. name_problems_of checks first. */
bool name_problems(struct problems *problems, const struct place *place, const char *value, struct complaints complaints);
bool name_problems_of(struct problems *problems, const struct place *up, const char *key, const char *value, name_check *check);
/* A generateName for checks of names: the dash at its end is no fault. The caller frees; NULL: no memory. */
char *name_mask_prefix(const char *prefix) __attribute__((warn_unused_result));

#endif
