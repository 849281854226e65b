/* pod_internal.h: the parts of a pod's validation, for the pod_*.c and rules_pod.c only. */
#ifndef KT_PRACTICE_SCHEMA_POD_INTERNAL_H
#define KT_PRACTICE_SCHEMA_POD_INTERNAL_H

#include "practice/schema/rules_internal.h"

struct pod_check {
    const struct value *spec, *metadata; /* metadata NULL: of a template */
    struct vec volumes;                  /* borrowed: the volumes that nothing is wrong with */
    struct problems *problems;
};

const struct value *pod_volume(const struct pod_check *check, const char *name); /* a good one, or NULL */

void pod_check_volumes(struct pod_check *check, const struct place *place);
void pod_check_projected(struct pod_check *check, const struct value *source, const struct place *place);
/* A path inside of a volume; the `items` of a ConfigMap or Secret; a file of downwardAPI. */
void pod_check_local_path(struct problems *problems, const char *path, const struct place *place);
void pod_check_items(struct problems *problems, const struct value *source, const struct place *up);
void pod_check_downward_file(struct problems *problems, const struct value *file, const struct place *place);
void pod_check_containers(const struct pod_check *check, const struct place *spec);
void pod_check_init_containers(const struct pod_check *check, const struct place *spec);
void pod_check_ephemeral_containers(const struct pod_check *check, const struct place *spec);
void pod_check_environment(const struct pod_check *check, const struct value *container, const struct place *place);
void pod_check_mounts(const struct pod_check *check, const struct value *container, const struct place *place);
void pod_check_probes(const struct pod_check *check, const struct value *container, const struct place *place);
void pod_check_lifecycle(const struct pod_check *check, const struct value *container, const struct place *place);
void pod_check_security(const struct pod_check *check, const struct value *container, const struct place *place);
void pod_check_pod_security(const struct pod_check *check, const struct place *spec);
void pod_check_scheduling(const struct pod_check *check, const struct place *spec); /* affinity */
void pod_check_dns(const struct pod_check *check, const struct place *spec);
void pod_check_spread(const struct pod_check *check, const struct place *spec);
void pod_check_field_ref(struct problems *problems, const struct value *ref, const struct place *place, bool of_volume);
void pod_check_resource_ref(struct problems *problems, const struct value *ref, const struct place *place, bool of_volume);
void pod_check_mode(struct problems *problems, const struct value *object, const struct place *up, const char *key);
bool pod_create_prepare(struct value *object);
bool pod_status_prepare(struct value *object, const struct value *old);
bool pod_update_prepare(struct value *object, const struct value *old);
void pod_update_validate(const struct value *object, const struct value *old, struct problems *problems);
void pod_status_validate(const struct value *object, const struct value *old, struct problems *problems);

#endif
