/* pods_internal.h: how the view of Pods finds them; only for pods*.c and their tests.
 *
 * A record is one version of one Pod in one block, with its links in every index, so that putting one in or taking one out
 * needs no memory once it is made: what fails, fails before anything changed.
 */
#ifndef KT_PRACTICE_WORK_PODS_INTERNAL_H
#define KT_PRACTICE_WORK_PODS_INTERNAL_H

#include "base/map.h"
#include "practice/work/pods.h"

enum pods_by { PODS_BY_OWNER, PODS_BY_NODE, PODS_BY };

struct record {
    struct pod_view view; /* first: a view is its record */
    struct record *uid_next, *ip_next;
    struct group *ns;
    struct {
        struct group *group;
        struct record *before, *after;
    } in[PODS_BY];
    struct amount_item items[]; /* what view.requests shows; the texts follow */
};

/* The Pods of an owner, a node or a namespace; there as long as a record names it. */
struct group {
    struct map *home;
    size_t references, count;
    struct record *first, *last; /* in the order of their coming (owners and nodes) */
    struct record **sorted;      /* by name (namespaces) */
    size_t room;
    char key[];
};

struct record_table { /* chains, by a text of the view */
    struct record **chains;
    size_t room, count;
};

struct pods_index {
    struct record_table uids, ips;
    struct map owners, nodes, namespaces; /* key -> struct group */
};

void pods_index_start(struct pods_index *index);
void pods_index_free(struct pods_index *index); /* every record that is in it, too */

/* One that is in no index yet, but can be put into them. NULL: no memory. */
struct record *record_new(struct pods_index *index, const struct object *object, const struct value *document)
    __attribute__((warn_unused_result));
void record_free(struct record *record);
/* Puts it in; old, the Pod's version before (NULL: none), comes out and is still whole. */
void record_put(struct pods_index *index, struct record *record, struct record *old);
void record_take(struct pods_index *index, struct record *record);

struct record *record_by_uid(const struct pods_index *index, const char *uid);
struct record *record_by_ip(const struct pods_index *index, const char *ip);
struct record *record_by_name(const struct pods_index *index, const char *ns, const char *name);
/* The place of a name in a namespace's row, or where it would be. */
size_t group_place(const struct group *group, const char *name, bool *there);

/* What a document says, into a view without its object; texts are the document's own. requests are allocated: amounts_free. */
void pod_view_read(const struct value *document, struct pod_view *view);

#endif
