/* verbs.h: inside api_run: one write on its way from a body to the state.
 *
 * A document is kept in the version that the request uses as long as its body, its patch and its managed fields matter, and is then converted to
 * the stored version, in which admission, preparation and validation see it. For nearly all kinds the two are the same and nothing is converted.
 */
#ifndef KT_PRACTICE_API_VERBS_H
#define KT_PRACTICE_API_VERBS_H

#include <stdbool.h>

#include "practice/api/api.h"
#include "practice/schema/rules.h"

struct write {
    struct api *api;
    struct call *call;
    struct answer *answer;
    const struct schema_kind *kind;    /* as asked for; kind->storage is how it is kept */
    const struct rules *rules;
    state_resource resource;
    const char *ns, *name;             /* where it is; name NULL until it is known */
    struct object *old;                /* a reference; NULL: there is none yet */
    struct value *was, *object;        /* old and new document in `kind`'s version, owned; was NULL with old */
    const char *subresource;           /* for managed fields; NULL: none */
    struct buf managed;                /* managed fields of a new built-in object as text: they are not in the document; empty: if any, they are */
    bool applies;                      /* managed fields are those of an apply, made already */
    const struct write_way *way;
};

/* What an update may change and how it is looked at: the object itself, its status, a subresource that is the whole object. */
struct write_way {
    /* Before managed fields, in the request's version: what this way does not write is as it was. */
    bool (*reset)(struct value *object, const struct value *was, bool status_apart);
    /* The next ones in the stored version. */
    bool (*prepare)(const struct schema_kind *kind, struct value *object, const struct value *old);
    void (*validate)(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems);
    bool warns;
};
extern const struct write_way write_object, write_status;

/* Starts from a call; looks the object up. Nothing is owned yet but old. False: no memory. */
bool write_start(struct write *write, struct api *api, struct call *call, struct answer *answer);
void write_end(struct write *write);
#define FAILURE(write) (&(write)->answer->failure)

/* Each of these answers false with the failure set. */
bool write_load(struct write *write);             /* `was` from old */
bool write_create(struct write *write);           /* `object` (decoded, defaulted) is new */
bool write_update(struct write *write);           /* `object` takes the place of `was` */
bool write_managed(struct write *write);          /* managed fields as by the call's manager */
bool kind_has_status(const struct schema_kind *kind); /* status is a subresource, and apart from the rest */
bool value_put_back(struct value *object, const struct value *was, const char *key); /* the entry as it was: a copy, or gone */
/* Takes the document (stored version) over; puts it (not for dry runs) and fills the answer. */
bool write_store(struct write *write, struct value *stored);
bool write_check_uid(struct write *write);        /* a uid in the body that is not the object's is a conflict */
bool write_may_create(struct write *write);       /* an update or apply that creates needs the right to create, too */
bool write_no_memory(struct write *write);
/* What a write of some kinds does to the server itself (roles are aggregated, ...). */
void write_after(struct write *write);

/* The body as a document of `schema`: kind and apiVersion held against `type`, complaints as fieldValidation says. Takes call->body. NULL: no. */
struct type_name {
    const char *group, *version, *kind;
    const struct schema_kind *custom; /* a CRD's kind decodes by its own rules; NULL: a built-in type */
};
struct type_name type_of(const struct schema_kind *kind);
bool document_default(const struct schema_kind *kind, struct value *document) __attribute__((warn_unused_result));
struct value *body_decode(struct call *call, const struct type_name *type, const struct schema *schema, struct answer *answer)
    __attribute__((warn_unused_result));
/* Why a document that a patch made cannot be one of this type ("" for none): false: no memory. Leaves it decoded. */
bool patch_decode(struct call *call, struct value *value, const struct type_name *type, const struct schema *schema, struct answer *answer,
                  struct buf *why);
/* All that YAML says of keys that stand twice, as one complaint: `yaml: unmarshal errors:` and a line each. */
void duplicate_lines(const struct vec *duplicates, struct buf *out);
bool answer_warn(struct answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A patch laid over `document` (with kind and apiVersion), and decoded: not yet defaulted. NULL: refused. */
struct value *patch_document(struct call *call, const struct value *document, const struct type_name *type, const struct schema *schema,
                             struct answer *answer) __attribute__((warn_unused_result));
/* The same by server-side apply; live NULL: there is none. */
struct managed_by;
struct value *apply_document(struct call *call, const struct value *live, const struct type_name *type, const struct schema *schema,
                             const struct managed_by *by, struct answer *answer) __attribute__((warn_unused_result));
/* Field manager's name of a call: what it says, else its User-Agent's beginning; in `out`. */
enum { MANAGER_NAME = 128 };
void manager_name(const struct call *call, char out[static MANAGER_NAME + 1]);

/* Metadata (metadata.c). All work on documents with "metadata"; false: no memory, or refused where a status is given. */
struct value *metadata_of(struct value *document);                       /* made where it is missing; NULL: no memory */
bool metadata_set_text(struct value *document, const char *key, const char *text);
void metadata_wipe(struct value *document);                              /* what the server owns goes */
bool metadata_fill(const struct api *api, struct value *document);       /* new uid and creationTimestamp */
bool metadata_namespace(struct value *document, const char *ns, struct status *failure);
bool metadata_name(const struct value *document, const char *name, const char *ns, struct status *failure); /* body against URL */
bool metadata_generate_name(struct value *document);
bool metadata_keep(struct value *document, const struct value *was);     /* what an update does not change */
bool metadata_dedup_owners(struct value *document, bool after_admission, struct answer *answer);
bool metadata_bump(struct value *document);                              /* generation, where there is one */
bool document_set_kind(struct value *document, const struct schema_kind *kind);
/* Equal but for the times of managed fields. */
bool metadata_same_document(const struct value *a, const struct value *b);

/* One document in another version; takes it over. NULL: failure set. */
struct value *document_convert(struct value *document, const struct schema_kind *from, const struct schema_kind *to, struct status *failure)
    __attribute__((warn_unused_result));

/* The text and index of a document in its stored version (object_build.c), with managed fields that are not in it. */
struct object_build {
    struct buf text, fields;
    const char **labels, *field_list[16];
    struct object_new wanted; /* for state_put; parts are borrowed from here and from the document */
};
bool object_build(struct object_build *build, const struct schema_kind *storage, state_resource resource, const struct value *document,
                  const struct buf *managed)
    __attribute__((warn_unused_result));
void object_build_free(struct object_build *build);

/* The verbs. */
void verb_create(struct api *api, struct call *call, struct answer *answer);
void verb_update(struct api *api, struct call *call, struct answer *answer);
void verb_patch(struct api *api, struct call *call, struct answer *answer);
void verb_delete_collection(struct api *api, struct call *call, struct answer *answer);
void verb_delete(struct api *api, struct call *call, struct answer *answer);
/* A condition of a pod's status, set or changed; its times are null and now. */
bool condition_set(const struct api *api, struct value *document, const char *type, const char *status, const char *reason, const char *message)
    __attribute__((warn_unused_result));
/* {"kind":"Status",...,"status":"Success","code":201} into the answer. */
void answer_created(struct answer *answer);
/* Scale: get, update, patch of it. */
void scale_run(struct api *api, struct call *call, struct answer *answer);
/* Gives a Service its addresses and node ports, or refuses those that it asks for; nothing for other kinds. Stored version, prepared. */
bool service_allocate(struct write *write, struct value *service, const struct value *old);
/* Subresources with a way of their own. NULL: none. */
const struct write_way *way_of(const struct call *call);
void binding_create(struct api *api, struct call *call, struct answer *answer);
void eviction_create(struct api *api, struct call *call, struct answer *answer);

#endif
