/* registry.h: the kinds that are served right now: the built-in ones and those of CustomResourceDefinitions.
 */
#ifndef KT_PRACTICE_API_REGISTRY_H
#define KT_PRACTICE_API_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "practice/schema/schema.h"
#include "practice/state/state.h"

struct registry;

struct registry *registry_new(struct state *state, struct error *err) __attribute__((warn_unused_result));
void registry_free(struct registry *registry);

/* Finds by what stands in a path; NULL: not served. Borrowed until the kinds of a CRD change; a request does not keep one across the loop's rounds without registry_hold. */
const struct schema_kind *registry_find(const struct registry *registry, const char *group, const char *version, const char *plural);
const struct schema_kind *registry_find_kind(const struct registry *registry, const char *group, const char *version, const char *kind);
/* The number under which objects of a kind are kept (the same for all versions of a kind). */
state_resource registry_resource(const struct registry *registry, const struct schema_kind *kind);
/* All kinds in discovery's order: groups by priority, custom groups by name after the built-in ones. Borrowed. */
const struct schema_kind *const *registry_kinds(const struct registry *registry, size_t *count);
/* A number that grows with each change of the kinds: for caches of discovery and OpenAPI. */
uint64_t registry_generation(const struct registry *registry);

/* The kinds of one CRD come, change or go (count 0). `kinds` (an array and all that hangs on it) is owned by the registry from now on and freed with free_kinds(owner) when the
 * last hold on it is gone. False: no memory; then nothing changed and it is freed. */
bool registry_set(struct registry *registry, const char *crd_name, const struct schema_kind *const *kinds, size_t count, void *owner, void (*free_kinds)(void *owner),
                  struct error *err) __attribute__((warn_unused_result));
/* Keeps a custom kind alive (watches and streamed lists do); nothing for built-in ones. */
void registry_hold(struct registry *registry, const struct schema_kind *kind);
void registry_release(struct registry *registry, const struct schema_kind *kind);

#endif
