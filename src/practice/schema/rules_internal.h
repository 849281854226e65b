/* rules_internal.h: what the kinds' rules share. See rules.h.
 */
#ifndef KT_PRACTICE_SCHEMA_RULES_INTERNAL_H
#define KT_PRACTICE_SCHEMA_RULES_INTERNAL_H

#include "practice/schema/names.h"
#include "practice/schema/rules.h"

/* The kinds' tables, each ended by one without a kind. */
extern const struct rules pod_rules[], workload_rules[], stateful_rules[], batch_rules[], service_rules[], config_rules[], storage_rules[], class_rules[],
    networking_rules[], rbac_rules[], quota_rules[], scaling_rules[], policy_rules[], node_rules[], endpoint_rules[], event_rules[], definition_rules[];

#define EACH(item, container) for (const struct value *item = value_first(container); item != NULL; item = value_next(item))
#define EACH_OF(item, container) for (struct value *item = value_first(container); item != NULL; item = value_next(item))

/* Looking (rules_look.c). Absent fields and null are the same. */
const char *text_of(const struct value *object, const char *key);      /* "" where there is none */
bool text_is(const struct value *object, const char *key, const char *text);
bool has(const struct value *object, const char *key);
int64_t int_of(const struct value *object, const char *key, int64_t otherwise);
bool is_true(const struct value *object, const char *key);
bool one_of(const char *text, const char *const *list);
bool starts_with(const char *text, const char *prefix);
bool ends_with(const char *text, const char *suffix);
bool same(const struct value *a, const struct value *b); /* equal, absent as null */
bool same_at(const struct value *a, const struct value *b, const char *key);
const char *annotation_of(const struct value *object, const char *key); /* NULL: none */
/* An array's earlier entry with the same text under `key` (key NULL: of texts). */
bool seen_before(const struct value *array, const struct value *item, const char *key);

/* Changing; false: no memory. */
bool put_text(struct value *object, const char *key, const char *text);
bool put_int(struct value *object, const char *key, int64_t number);
bool put_copy(struct value *object, const char *key, const struct value *value); /* NULL removes */
bool default_text(struct value *object, const char *key, const char *text);      /* only where nothing is, or "" */
bool default_int(struct value *object, const char *key, int64_t number);
bool default_bool(struct value *object, const char *key, bool b);
bool default_object(struct value *object, const char *key);
bool put_generation(struct value *object, int64_t generation);

/* Checks of parts that many kinds have (rules_parts.c). `up` is where the object stands, `key` the part in it. */
void check_nonnegative(struct problems *problems, const struct value *object, const struct place *up, const char *key);
void check_nonnegative_all(struct problems *problems, const struct value *object, const struct place *up, const char *const *keys);
void check_port_number(struct problems *problems, const struct value *object, const struct place *up, const char *key);
void check_port(struct problems *problems, const struct value *object, const struct place *up, const char *key); /* number or name */
void check_range(struct problems *problems, const struct value *object, const struct place *up, const char *key, int64_t least, int64_t most);
void check_protocol(struct problems *problems, const struct value *object, const struct place *up, const char *key);
/* A text that must be one of a list (in the order that the server tells them). Nothing where it is absent unless required. */
void check_choice(struct problems *problems, const struct value *object, const struct place *up, const char *key, const char *const *list,
                  bool required);
/* A text that must be there and pass a check; not required: passes where it is absent or "". */
void check_name(struct problems *problems, const struct value *object, const struct place *up, const char *key, name_check *check, bool required);
void check_labels(struct problems *problems, const struct value *labels, const struct place *place);
void check_selector(struct problems *problems, const struct value *selector, const struct place *place);
enum { ANNOTATIONS_SIZE = 256 * 1024 }; /* bytes of all keys and values */
void check_annotations(struct problems *problems, const struct value *annotations, const struct place *place);
void check_percent(struct problems *problems, const struct value *object, const struct place *up, const char *key); /* nonnegative int or percentage */
void check_at_most_100(struct problems *problems, const struct value *object, const struct place *up, const char *key);
int64_t percent_or_int(const struct value *object, const char *key); /* the number before %, too */
/* `field is immutable`, with the value; and as the server's newer rules say it, without. */
void check_unchanged(struct problems *problems, const struct value *object, const struct value *old, const struct place *up, const char *key);
void check_immutable(struct problems *problems, const struct value *object, const struct value *old, const struct place *up, const char *key);
bool selector_selects(const struct value *selector, const struct value *labels); /* of a valid LabelSelector; empty matches all */
bool selector_is_valid(const struct value *selector);
void check_label_name(const char *name, bool prefix, struct problems *problems, const struct place *place); /* for rules.check_name: a DNS label */

/* Resources (rules_resources.c). */
bool quantity_negative(const char *text);
bool quantity_zero(const char *text);
int64_t quantity_number(const char *text); /* rounded away from zero, as far as 64 bits tell */
double quantity_double(const char *text);
void check_quantity(struct problems *problems, const char *resource, const struct value *quantity,
                    const struct place *place); /* nonnegative; whole where it counts things */
void check_resource_name(struct problems *problems, const char *name, const struct place *place);
void check_container_resource_name(struct problems *problems, const char *name, const struct place *place);
void check_quota_resource_name(struct problems *problems, const char *name, const struct place *place);
void check_resources(struct problems *problems, const struct value *resources, const struct place *place, const struct value *claims,
                     bool of_pod); /* claims: of the pod */
bool resource_is_huge_page(const char *name);
bool round_amounts(struct value *list);        /* to thousandths, which is the least that amounts of resources know */
bool round_resources(struct value *resources); /* limits and requests */
bool resource_may_overcommit(const char *name);
void warn_fraction(struct vec *warnings, const struct value *list, const struct place *place, const char *resource);

/* Metadata (rules_meta.c). */
void meta_validate(const struct schema_kind *kind, const struct rules *rules, const struct value *object, bool kind_name, struct problems *problems);
void meta_validate_update(const struct value *object, const struct value *old, struct problems *problems);
void meta_kube_finalizers(const struct value *metadata, struct problems *problems);
void meta_warn_name(const struct value *object, const char *words, struct vec *warnings); /* "WORDS; a DNS label is recommended: [...]" */

/* Pods and their templates. */
enum pod_flag { POD_ITSELF = 1 }; /* a Pod, no template */
bool pod_defaults(struct value *object);           /* of an object with spec: a Pod */
bool pod_spec_defaults(struct value *spec);
bool pod_template_defaults(struct value *template);
void pod_validate_spec(const struct value *spec, const struct value *metadata, const struct place *place, unsigned flags, struct problems *problems);
void pod_validate_template(const struct value *template, const struct place *place, struct problems *problems);
void pod_validate_annotations(const struct value *metadata, const struct value *spec, const struct place *place, struct problems *problems);
void pod_validate_match(const struct value *metadata, const struct value *spec, const struct place *place, struct problems *problems);
void pod_warn(const struct value *metadata, const struct value *spec, const struct place *up, bool is_template, struct vec *warnings);
void pod_validate_tolerations(const struct value *tolerations, const struct place *place, struct problems *problems);
void check_label_warn(struct vec *warnings, const char *label, const struct place *place, bool named);
void check_node_selector(const struct value *selector, const struct place *place, struct problems *problems);
void warn_node_selector_term(struct vec *warnings, const struct value *term, bool values, const struct place *place);
void check_path_backsteps(struct problems *problems, const char *path, const struct place *place);
/* Persistent volumes' parts. */
bool claim_spec_defaults(struct value *spec);
bool volume_spec_defaults(struct value *spec);
void claim_validate_spec(const struct value *spec, const struct place *place, struct problems *problems);
void claim_warn_spec(const struct value *spec, const struct place *place, struct vec *warnings);
void check_host_path(const struct value *source, const struct place *place, struct problems *problems);

/* Go's JSON of the server's internal types, which some refusals show (internal_form.c): every field, by its Go name. NULL: no memory. */
char *internal_json(const char *type, const struct value *value, bool indented) __attribute__((warn_unused_result));
/* `field is immutable` with that JSON as the value. */
void problem_internal(struct problems *problems, const struct place *place, enum problem_type type, const char *name, const struct value *value,
                      const char *detail);
/* "Forbidden: DETAIL" and a new line with the unified diff of both. */
void problem_diff(struct problems *problems, const struct place *place, const char *type, const struct value *old, const struct value *now,
                  const char *detail);

#endif
