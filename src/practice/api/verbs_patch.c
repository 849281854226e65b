/* verbs_patch: PATCH in its four kinds: each makes a document of the live one, which then goes the way of an update. */
#include "data/patch.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/utf8.h"
#include "practice/api/verbs.h"
#include "practice/schema/go_print.h"
#include "practice/schema/managed.h"
#include "practice/schema/patch.h"

enum { SHOWN = 8 << 20 };

void manager_name(const struct call *call, char out[static MANAGER_NAME + 1])
{
    const char *from = call->manager != NULL && call->manager[0] != '\0' ? call->manager : call->user_agent;
    size_t length = from == call->manager ? strlen(from) : strcspn(from, "/"), at = 0;
    for (size_t i = 0; i < length && at < MANAGER_NAME; i++)
        if ((unsigned char)from[i] >= ' ' && from[i] != 0x7f)
            out[at++] = from[i];
    while (at == MANAGER_NAME && at > 0 && ((unsigned char)out[at - 1] & 0xc0) == 0x80) /* not in the middle of a character */
        at--;
    out[at] = '\0';
}

static bool refuse_generic(struct status *failure)
{
    status_set(failure, 422, "Invalid", "the server rejected our request due to an error in our request");
    failure->detailed = true;
    return false;
}

/* What a refusal quotes of a patched document: the whole, the outermost keys in alphabetical order. */
static void show_document(struct value *document, struct buf *out)
{
    const char *last = "";
    for (size_t i = 0, count = value_length(document); i < count; i++) {
        const struct value *least = NULL;
        for (const struct value *entry = value_first(document); entry != NULL; entry = value_next(entry))
            if (strcmp(value_key(entry), last) > 0 && (least == NULL || strcmp(value_key(entry), value_key(least)) < 0))
                least = entry;
        if (least == NULL)
            break;
        buf_append_string(out, i == 0 ? "{" : ",");
        last = value_key(least);
        json_quote(last, out);
        buf_append_string(out, ":");
        json_print(least, false, out);
    }
    buf_append_string(out, "}");
}

static struct value *lay_over(const struct call *call, const struct value *document, const struct schema *schema, struct error *err)
{
    switch (call->patch) {
    case PATCH_JSON: return patch_json(document, call->body, err);
    case PATCH_MERGE: return patch_merge(document, call->body, err);
    default: return patch_strategic(document, call->body, schema, err);
    }
}

static bool check_body(const struct call *call, struct status *failure)
{
    enum value_type type = value_type(call->body);
    if (call->patch == PATCH_JSON)
        return type == VALUE_ARRAY ||
               status_bad_request(failure, "error decoding patch: json: cannot unmarshal %s into Go value of type []handlers.jsonPatchOp",
                                  value_type_name(type));
    if (type == VALUE_OBJECT)
        return true;
    return status_bad_request(failure, "%sjson: cannot unmarshal %s into Go value of type map[string]interface {}",
                              call->patch == PATCH_MERGE ? "error decoding patch: " : "", value_type_name(type));
}

/* Parts of an operation that JSON patches do not know are complained of, too. */
static bool complain_of_operations(const struct call *call, struct answer *answer, struct buf *why)
{
    static const char *const known[] = {"op", "path", "from", "value"};
    size_t index = 0;
    for (const struct value *operation = value_first(call->body); operation != NULL; operation = value_next(operation), index++)
        for (const struct value *part = value_first(operation); part != NULL && value_type(operation) == VALUE_OBJECT; part = value_next(part)) {
            size_t i = 0;
            while (i < sizeof known / sizeof *known && strcmp(value_key(part), known[i]) != 0)
                i++;
            if (i < sizeof known / sizeof *known)
                continue;
            if (call->validation == VALIDATE_STRICT)
                buf_printf(why, "%sjson patch unknown field \"[%zu].%s\"", why->length > 0 ? ", " : "strict decoding error: ", index,
                           value_key(part));
            else if (!answer_warn(answer, "json patch unknown field \"[%zu].%s\"", index, value_key(part)))
                return false;
        }
    return buf_ok(why);
}

/* A strategic patch is no JSON any more when it meets the type: the words are those of Go's converter. */
static char *words_of_converter(const char *why)
{
    static const struct {
        const char *json, *type, *kind;
    } types[] = {{"number ", "float64", "float64"},
                 {"number", "int64", "int64"},
                 {"string", "string", "string"},
                 {"bool", "bool", "bool"},
                 {"object", "map[string]interface {}", "map"},
                 {"array", "[]interface {}", "slice"}};
    static const char front[] = "json: cannot unmarshal ", middle[] = " of type ";
    const char *to = strstr(why, middle), *from = why + sizeof front - 1;
    size_t i = 0, count = sizeof types / sizeof *types;
    if (strncmp(why, front, sizeof front - 1) != 0 || to == NULL)
        return mem_string(why);
    to += sizeof middle - 1;
    while (i < count && (strncmp(from, types[i].json, strlen(types[i].json)) != 0 || (i == 0 && strncmp(from, "number into", 11) == 0)))
        i++;
    if (i == count)
        return mem_string(why);
    if (strncmp(to, "[]", 2) == 0 || strncmp(to, "map[", 4) == 0)
        return mem_printf("cannot restore %s from %s", to[0] == '[' ? "slice" : "map", types[i].kind);
    if (strchr(to, '.') != NULL)
        return mem_printf("cannot restore struct from: %s", types[i].kind);
    if (strncmp(to, "int", 3) == 0 && i == 2)
        return mem_printf("unrecognized type: %s", to);
    return mem_printf("cannot convert %s to %s", types[i].type, to);
}

static void refuse_patched(const struct call *call, const struct value *document, const struct schema *schema, const char *why,
                           struct status *failure)
{
    struct problems problems = problems_make();
    const struct place root = PLACE_ROOT, patch = place_key(&root, "patch");
    struct buf shown = buf_make(SHOWN);
    if (call->patch == PATCH_STRATEGIC) {
        go_print(call->body, &shown);
    } else {
        struct value *again = lay_over(call, document, schema, NULL);
        show_document(again, &shown);
        value_free(again);
    }
    char *words = call->patch == PATCH_STRATEGIC ? words_of_converter(why) : mem_string(why);
    if (buf_ok(&shown) && words != NULL) {
        problem_invalid(&problems, &patch, shown.bytes, "%s", words);
        status_invalid_as(failure, "", "", "", &problems);
    } else {
        status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    }
    mem_free(words);
    buf_free(&shown);
    problems_free(&problems);
}

struct value *patch_document(struct call *call, const struct value *document, const struct type_name *type, const struct schema *schema,
                             struct answer *answer)
{
    struct error err = ERROR_INIT;
    struct buf why = buf_make(SHOWN);
    struct value *patched = NULL;
    if (!check_body(call, &answer->failure))
        return NULL;
    patched = lay_over(call, document, schema, &err);
    if (patched == NULL) {
        if (err.kind == ERROR_INVALID)
            refuse_generic(&answer->failure);
        else if (err.kind == ERROR_LIMIT && call->patch == PATCH_JSON)
            status_set(&answer->failure, 413, "RequestEntityTooLarge", "Request entity too large: %s", err.message);
        else
            status_error(&answer->failure, &err);
        return NULL;
    }
    bool whole = call->patch != PATCH_JSON || call->validation == VALIDATE_IGNORE || complain_of_operations(call, answer, &why);
    if (whole && call->patch == PATCH_STRATEGIC) /* goes to the type at once: what it calls itself is not looked at */
        whole = value_put_back(patched, document, "kind") && value_put_back(patched, document, "apiVersion");
    if (whole && why.length == 0)
        whole = value_type(patched) == VALUE_OBJECT && patch_decode(call, patched, type, schema, answer, &why);
    if (!whole)
        status_error(&answer->failure, &(struct error){.kind = ERROR_MEMORY});
    else if (why.length > 0)
        refuse_patched(call, document, schema, why.bytes, &answer->failure);
    bool fine = whole && why.length == 0;
    buf_free(&why);
    if (fine)
        return patched;
    value_free(patched);
    return NULL;
}

/* "/v1, Kind=Pod", as Go prints a group, version and kind. */
static bool check_applied_type(const struct call *call, const struct type_name *type, struct status *failure)
{
    const char *version = value_find_text(call->body, "apiVersion", NULL), *kind = value_find_text(call->body, "kind", NULL);
    char want[512];
    snprintf(want, sizeof want, "%s%s%s", type->group, type->group[0] != '\0' ? "/" : "", type->version);
    version = version != NULL ? version : "";
    kind = kind != NULL ? kind : "";
    if (strcmp(version, want) == 0 && strcmp(kind, type->kind) == 0)
        return true;
    return status_bad_request(failure, "invalid object type: %s%s, Kind=%s", strchr(version, '/') != NULL ? "" : "/", version, kind);
}

static void refuse_applied(const struct error *err, const struct vec *conflicts, struct status *failure)
{
    if (err->kind == ERROR_CONFLICT) {
        struct value *causes = value_array();
        bool whole = causes != NULL;
        status_set(failure, 409, "Conflict", "%s", err->message);
        for (size_t i = 0; whole && i < conflicts->length; i++) {
            const struct managed_conflict *conflict = conflicts->items[i];
            struct value *cause = value_object();
            whole = cause != NULL && value_set(cause, "reason", value_string("FieldManagerConflict")) &&
                    value_set(cause, "message", value_string(conflict->message)) && value_set(cause, "field", value_string(conflict->field));
            if (whole)
                whole = value_append(causes, cause);
            else
                value_free(cause);
        }
        failure->causes = causes;
    } else if (err->kind == ERROR_INTERNAL) {
        status_set(failure, 500, NULL, "%s", err->message); /* the real server's plain errors, without a reason */
    } else {
        status_error(failure, err);
    }
}

/* YAML's complaint of keys that stand twice. */
static bool check_duplicates(const struct call *call, struct answer *answer)
{
    if (call->duplicates == NULL || call->validation == VALIDATE_IGNORE)
        return true;
    struct buf all = buf_make(SHOWN);
    bool whole = true;
    if (call->validation == VALIDATE_STRICT && call->duplicates->length > 0) {
        duplicate_lines(call->duplicates, &all);
        whole = buf_ok(&all);
        if (whole)
            status_bad_request(&answer->failure, "error strict decoding patch: error converting YAML to JSON: %s", all.bytes);
    } else {
        for (size_t i = 0; whole && i < call->duplicates->length; i++)
            whole = answer_warn(answer, "%s", (const char *)call->duplicates->items[i]);
    }
    buf_free(&all);
    return whole ? answer->failure.code == 0 : status_error(&answer->failure, &(struct error){.kind = ERROR_MEMORY});
}

struct value *apply_document(struct call *call, const struct value *live, const struct type_name *type, const struct schema *schema,
                             const struct managed_by *by, struct answer *answer)
{
    struct vec conflicts = {0};
    struct error err = ERROR_INIT;
    struct buf why = buf_make(SHOWN);
    struct value *applied = NULL;
    enum field_validation validation = call->validation;
    if (value_type(call->body) != VALUE_OBJECT) {
        status_bad_request(&answer->failure,
                           "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal %s into Go value of type "
                           "map[string]interface {}",
                           value_type_name(value_type(call->body)));
        return NULL;
    }
    if (!check_applied_type(call, type, &answer->failure))
        return NULL;
    applied = managed_apply(live, call->body, schema, by, call->force, &conflicts, &err);
    if (applied == NULL) {
        refuse_applied(&err, &conflicts, &answer->failure);
        vec_free(&conflicts);
        return NULL;
    }
    vec_free(&conflicts);
    call->validation = VALIDATE_IGNORE; /* what the schema does not know was refused just now */
    bool whole = patch_decode(call, applied, type, schema, answer, &why);
    call->validation = validation;
    if (!whole)
        status_error(&answer->failure, &(struct error){.kind = ERROR_MEMORY});
    else if (why.length > 0)
        status_set(&answer->failure, 500, NULL, "failed to convert new object (%s/%s; %s%s, Kind=%s) to proper version: %s", call->ns, call->name,
                   type->group[0] != '\0' ? "" : "/", value_find_text(call->body, "apiVersion", NULL), type->kind, why.bytes);
    bool fine = whole && why.length == 0 && check_duplicates(call, answer);
    buf_free(&why);
    if (fine)
        return applied;
    value_free(applied);
    return NULL;
}

static bool make_document(struct write *write, const struct type_name *type)
{
    struct call *call = write->call;
    if (call->patch != PATCH_APPLY) {
        write->object = patch_document(call, write->was, type, call->kind->schema, write->answer);
        return write->object != NULL;
    }
    char manager[MANAGER_NAME + 1], version[512];
    manager_name(call, manager);
    snprintf(version, sizeof version, "%s%s%s", type->group, type->group[0] != '\0' ? "/" : "", type->version);
    struct managed_by by = {.manager = manager, .subresource = write->subresource, .api_version = version, .time_ms = api_now_ms(write->api)};
    write->object = apply_document(call, write->was, type, call->kind->schema, &by, write->answer);
    return write->object != NULL;
}

/* An apply of what is not there: the right to create is needed, and nobody may ask for a uid. */
static void create_applied(struct write *write)
{
    const char *uid = value_find_text(write->object, "metadata", "uid", NULL);
    if (uid != NULL && uid[0] != '\0') {
        status_conflict(FAILURE(write), write->kind, write->call->name,
                        "uid mismatch: the provided object specified uid %s, and no existing object was found", uid);
        return;
    }
    metadata_wipe(write->object);
    value_remove(metadata_of(write->object), "resourceVersion"); /* of what is not there: not looked at */
    if (write_may_create(write))
        write_create(write);
}

/* An apply names its manager, and it alone may be forced. */
static bool check_options(const struct call *call, struct status *failure)
{
    struct problems problems = problems_make();
    const struct place root = PLACE_ROOT, manager = place_key(&root, "fieldManager"), force = place_key(&root, "force");
    if (call->patch == PATCH_APPLY && (call->manager == NULL || call->manager[0] == '\0'))
        problem_add(&problems, &manager, PROBLEM_REQUIRED, NULL, "is required for apply patch");
    if (call->patch != PATCH_APPLY && call->force)
        problem_add(&problems, &force, PROBLEM_FORBIDDEN, NULL, "may not be specified for non-apply patch");
    bool fine = problems_none(&problems) || status_invalid_as(failure, "meta.k8s.io", "PatchOptions", "", &problems);
    problems_free(&problems);
    return fine;
}

static bool is_served(const struct call *call, struct status *failure)
{
    if (call->patch == PATCH_NONE)
        return status_set(failure, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
    if (call->patch != PATCH_STRATEGIC || call->kind->crd == NULL)
        return check_options(call, failure);
    return status_set(
        failure, 415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, "
        "application/apply-patch+yaml");
}

void verb_patch(struct api *api, struct call *call, struct answer *answer)
{
    struct write write;
    const struct write_way *way = call->sub != NULL ? way_of(call) : &write_object;
    struct type_name type = type_of(call->kind);
    if (way == NULL) {
        status_method_not_allowed(&answer->failure, NULL, "patch");
        return;
    }
    if (!is_served(call, &answer->failure)) {
        answer->failure.detailed = true;
        return;
    }
    if (!write_start(&write, api, call, answer))
        goto done;
    write.way = way;
    write.subresource = call->sub != NULL ? call->sub->name : NULL;
    write.applies = call->patch == PATCH_APPLY;
    if (write.old == NULL && (!write.applies || call->sub != NULL)) {
        status_not_found(&answer->failure, call->kind, call->name);
        goto done;
    }
    if ((write.old != NULL && !write_load(&write)) || !make_document(&write, &type))
        goto done;
    if (metadata_of(write.object) == NULL || !document_default(call->kind, write.object)) {
        write_no_memory(&write);
        goto done;
    }
    if (!metadata_namespace(write.object, write.ns, &answer->failure) || !metadata_name(write.object, call->name, write.ns, &answer->failure))
        goto done;
    if (write.old == NULL)
        create_applied(&write);
    else if (write_managed(&write))
        write_update(&write);
done:
    write_end(&write);
}
