/* table_internal.h: columns and cells of Tables, for table*.c only.
 *
 * A column says what makes its cell: a function, which leaves the cell's words in row->text, and the path that it looks at. Facts about which kind shows what are those of the
 * real server's printers (kubernetes, pkg/printers/internalversion).
 */
#ifndef KT_PRACTICE_API_TABLE_INTERNAL_H
#define KT_PRACTICE_API_TABLE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/schema.h"

enum { TABLE_CELL = 8 << 20 /* bytes of one cell: more than an object has */ };

struct row {
    const struct value *document;
    int64_t now_ms;
    struct buf text; /* of the cell that is being made */
    bool failed;     /* no memory for something else */
};

enum cell { CELL_TEXT, CELL_LITERAL /* a number or a truth value: no quotes */ };
struct column;
typedef enum cell (*cell_maker)(struct row *row, const struct column *column);

struct column {
    const char *name; /* NULL: the real server has the cell, but no column for it */
    const char *type, *format;
    int priority;
    const char *description;
    cell_maker make;
    const char *path;      /* "spec.replicas"; NULL: not looked at */
    const char *otherwise; /* where nothing is there; NULL: "" */
};

/* Columns of a kind, ended by one without a maker. */
struct table_kind {
    const char *group, *kind;
    const struct column *columns;
};
extern const struct table_kind table_kinds[]; /* ended by one without a kind */
extern const struct column table_default[];   /* of all others */

/* ---- table_cells.c: what stands at a path ---- */
const struct value *row_look(const struct row *row, const char *path);
void row_put(struct row *row, const char *text);
void row_put_age(struct row *row, const char *time); /* NULL: "<unknown>" */
/* Sorts strings and puts each once, with commas; empties the list. */
void row_put_set(struct row *row, struct vec *texts);
/* One more piece of a list with commas. */
void row_put_piece(struct row *row, const char *separator, const char *text);
/* The first item of an array of {type, ...} with this type; NULL: none. */
struct value *condition_of(const struct value *conditions, const char *type);
bool condition_holds(const struct value *conditions, const char *type); /* its status is True */

enum cell cell_text(struct row *row, const struct column *column);       /* numbers too */
enum cell cell_filled(struct row *row, const struct column *column);     /* "" counts as nothing */
enum cell cell_number(struct row *row, const struct column *column);
enum cell cell_bool(struct row *row, const struct column *column);
enum cell cell_truth(struct row *row, const struct column *column);      /* "True", "False" */
enum cell cell_count(struct row *row, const struct column *column);      /* of entries */
enum cell cell_age(struct row *row, const struct column *column);
enum cell cell_list(struct row *row, const struct column *column);       /* texts with commas */
enum cell cell_item_names(struct row *row, const struct column *column); /* `name` of each, with commas */
enum cell cell_images(struct row *row, const struct column *column);
enum cell cell_labels(struct row *row, const struct column *column);     /* a=b,c=d */
enum cell cell_selector(struct row *row, const struct column *column);   /* of a LabelSelector, as kubectl takes it */
enum cell cell_ready(struct row *row, const struct column *column);      /* "2/3" replicas */

/* ---- table_pod.c ---- */
enum cell cell_pod_ready(struct row *row, const struct column *column);
enum cell cell_pod_status(struct row *row, const struct column *column);
enum cell cell_pod_restarts(struct row *row, const struct column *column);
enum cell cell_pod_ip(struct row *row, const struct column *column);
enum cell cell_pod_gates(struct row *row, const struct column *column);
/* Appends a row's `,"conditions":[...]`, which pods that have ended have. */
void pod_row_conditions(const struct value *pod, struct buf *out);

/* ---- table_core.c ---- */
enum cell cell_node_status(struct row *row, const struct column *column);
enum cell cell_node_roles(struct row *row, const struct column *column);
enum cell cell_node_address(struct row *row, const struct column *column); /* path: the address's type */
enum cell cell_node_kernel(struct row *row, const struct column *column);
enum cell cell_volume_phase(struct row *row, const struct column *column);
enum cell cell_volume_claim(struct row *row, const struct column *column);
enum cell cell_volume_class(struct row *row, const struct column *column);
enum cell cell_volume_size(struct row *row, const struct column *column);
enum cell cell_access_modes(struct row *row, const struct column *column);
enum cell cell_claim_size(struct row *row, const struct column *column);
enum cell cell_claim_modes(struct row *row, const struct column *column);
enum cell cell_class_name(struct row *row, const struct column *column); /* with (default) */
enum cell cell_event_last(struct row *row, const struct column *column);
enum cell cell_event_first(struct row *row, const struct column *column);
enum cell cell_event_count(struct row *row, const struct column *column);
enum cell cell_event_object(struct row *row, const struct column *column);
enum cell cell_event_part(struct row *row, const struct column *column);
enum cell cell_event_source(struct row *row, const struct column *column);
enum cell cell_event_message(struct row *row, const struct column *column);
enum cell cell_quota_requests(struct row *row, const struct column *column);
enum cell cell_quota_limits(struct row *row, const struct column *column);
enum cell cell_data_count(struct row *row, const struct column *column);
enum cell cell_health(struct row *row, const struct column *column); /* path: "status" or the condition's field */

/* ---- table_net.c ---- */
enum cell cell_service_ip(struct row *row, const struct column *column);
enum cell cell_service_external(struct row *row, const struct column *column);
enum cell cell_service_ports(struct row *row, const struct column *column);
enum cell cell_ingress_hosts(struct row *row, const struct column *column);
enum cell cell_balancer(struct row *row, const struct column *column);
enum cell cell_ingress_ports(struct row *row, const struct column *column);
enum cell cell_ingress_parameters(struct row *row, const struct column *column);
enum cell cell_endpoints(struct row *row, const struct column *column);
enum cell cell_slice_ports(struct row *row, const struct column *column);
enum cell cell_slice_endpoints(struct row *row, const struct column *column);
enum cell cell_address_parent(struct row *row, const struct column *column);

/* ---- table_work.c ---- */
enum cell cell_job_status(struct row *row, const struct column *column);
enum cell cell_job_completions(struct row *row, const struct column *column);
enum cell cell_job_duration(struct row *row, const struct column *column);
enum cell cell_scale_target(struct row *row, const struct column *column);
enum cell cell_scale_metrics(struct row *row, const struct column *column);
enum cell cell_controller(struct row *row, const struct column *column);
enum cell cell_role(struct row *row, const struct column *column);
enum cell cell_subjects(struct row *row, const struct column *column); /* path: their kind */
enum cell cell_definition_versions(struct row *row, const struct column *column);
enum cell cell_definition_established(struct row *row, const struct column *column);
enum cell cell_audiences(struct row *row, const struct column *column);
enum cell cell_usage(struct row *row, const struct column *column); /* path: "cpu" or "memory" */

#endif
