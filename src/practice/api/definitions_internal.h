/* definitions_internal.h: a definition's document: its conditions, its names, its end. Pure: documents only; see definitions.h.
 */
#ifndef KT_PRACTICE_API_DEFINITIONS_INTERNAL_H
#define KT_PRACTICE_API_DEFINITIONS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "data/value.h"

#define DEFINITION_FINALIZER "customresourcecleanup.apiextensions.k8s.io"

bool definition_is_true(const struct value *definition, const char *condition);
const char *definition_reason(const struct value *definition, const char *condition); /* "" without the condition */
/* Sets a condition; its time changes with its status only. False: no memory. */
bool definition_condition(struct value *definition, const char *type, const char *status, const char *reason,
                          const char *message, int64_t now_ms) __attribute__((warn_unused_result));
bool definition_has_finalizer(const struct value *definition);
/* Marks it as going: deletionTimestamp, finalizer and condition, as a request to delete it does. */
bool definition_start_removal(struct value *definition, int64_t now_ms) __attribute__((warn_unused_result));
/* The last condition, and the finalizer goes. */
bool definition_finish(struct value *definition, bool established, int64_t now_ms) __attribute__((warn_unused_result));

/* Names that are in use in a group: of resources, and of kinds. */
struct definition_names {
    struct map resources, kinds;
};
struct definition_names definition_names_make(void);
void definition_names_free(struct definition_names *names);
bool definition_names_add(struct definition_names *names, const struct value *definition)
    __attribute__((warn_unused_result)); /* its accepted ones */

/* Accepts the names that can be accepted, and says so in conditions. *changed: the document is another. False: no memory. */
bool definition_accept(struct value *definition, const struct definition_names *taken, int64_t now_ms, bool *changed)
    __attribute__((warn_unused_result));
/* Groups of the Kubernetes community need an approval: says in a condition whether there is one. */
bool definition_approve(struct value *definition, int64_t now_ms, bool *changed) __attribute__((warn_unused_result));

#endif
