/* admission_internal.h: what the plug-ins share.
 */
#ifndef KT_PRACTICE_API_ADMISSION_INTERNAL_H
#define KT_PRACTICE_API_ADMISSION_INTERNAL_H

#include "practice/api/admission.h"
#include "practice/api/lookup.h"

/* One object on its way. */
struct admission {
    struct api *api;
    const struct call *call;
    struct value *object;    /* changed by mutating plug-ins alone */
    const struct value *old; /* NULL: creation */
    struct vec *warnings;
    struct status *failure;
};

/* Each is in the table of admission.c, which says for what it is called. False: refused, the failure is set. */
bool admit_namespace(struct admission *admission);
bool admit_limits(struct admission *admission);
bool check_limits(struct admission *admission);
bool admit_account(struct admission *admission);
bool check_account(struct admission *admission);
bool admit_node_taint(struct admission *admission);
bool check_pod_security(struct admission *admission);
bool admit_priority(struct admission *admission);
bool check_priority_class(struct admission *admission);
bool admit_tolerations(struct admission *admission);
bool admit_storage_class(struct admission *admission);
bool admit_protection(struct admission *admission);
bool check_resize(struct admission *admission);
bool admit_runtime_class(struct admission *admission);
bool check_runtime_class(struct admission *admission);
bool admit_ingress_class(struct admission *admission);
bool check_quota(struct admission *admission);

/* 403: `pods "x" is forbidden: ...`; returns false. */
bool admission_forbid(struct admission *admission, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool admission_no_memory(struct admission *admission);
bool admission_warn(struct admission *admission, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An annotation or label of a document, or NULL. */
const char *admission_annotation(const struct value *object, const char *key);
const char *admission_label(const struct value *object, const char *key);
/* Both give "" where there is none. */
const char *admission_text(const struct value *object, const char *key);
const char *admission_name(const struct value *object);
/* value_child for objects, and for arrays; NULL: no memory, or something else stands there. */
struct value *admission_array(struct value *object, const char *key);

#endif
