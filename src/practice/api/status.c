#include "practice/api/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

enum { STATUS_MESSAGE = 4 << 20 /* of one message; a list of a thousand problems fits */ };

bool status_as_error(const struct status *status, const char *where, struct error *err)
{
    static const struct {
        int code;
        enum error_kind kind;
    } kinds[] = {
        {400, ERROR_INPUT}, {401, ERROR_UNAUTHENTICATED}, {403, ERROR_DENIED}, {404, ERROR_NOT_FOUND}, {409, ERROR_CONFLICT}, {410, ERROR_EXPIRED},
        {413, ERROR_LIMIT}, {422, ERROR_INVALID},         {429, ERROR_BUSY},   {503, ERROR_BUSY},      {504, ERROR_TIMEOUT},  {507, ERROR_LIMIT},
    };
    enum error_kind kind = status->message == NULL ? ERROR_MEMORY : ERROR_INTERNAL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].code == status->code)
            kind = kinds[i].kind;
    if (status->reason != NULL && strcmp(status->reason, "AlreadyExists") == 0)
        kind = ERROR_EXISTS;
    return error_set(err, kind, where, "%s", status->message != NULL ? status->message : "out of memory");
}

void status_free(struct status *status)
{
    mem_free(status->message);
    mem_free(status->group);
    mem_free(status->kind);
    mem_free(status->name);
    mem_free(status->uid);
    mem_free(status->continue_from);
    value_free(status->causes);
    *status = (struct status){0};
}

static void start(struct status *status, int code, const char *reason)
{
    status_free(status);
    status->code = code;
    status->reason = reason;
}

static char *print_list(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 || length > STATUS_MESSAGE ? NULL : mem_alloc((size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

bool status_set(struct status *status, int code, const char *reason, const char *format, ...)
{
    start(status, code, reason);
    va_list list;
    va_start(list, format);
    status->message = print_list(format, list);
    va_end(list);
    return false;
}

bool status_bad_request(struct status *status, const char *format, ...)
{
    start(status, 400, "BadRequest");
    va_list list;
    va_start(list, format);
    status->message = print_list(format, list);
    va_end(list);
    return false;
}

bool status_expired(struct status *status, const char *format, ...)
{
    start(status, 410, "Expired");
    va_list list;
    va_start(list, format);
    status->message = print_list(format, list);
    va_end(list);
    return false;
}

/* "pods" or "deployments.apps", and `pods "x"` where there is a name. */
static void print_resource(struct buf *out, const char *group, const char *resource)
{
    buf_append_string(out, resource);
    if (group[0] != '\0')
        buf_printf(out, ".%s", group);
}

/* As Go's %q prints a string of names and paths. */
static void print_quoted(struct buf *out, const char *text)
{
    buf_append(out, "\"", 1);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            buf_append(out, "\\", 1);
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            buf_printf(out, *at == '\n' ? "\\n" : *at == '\t' ? "\\t" : *at == '\r' ? "\\r" : "\\x%02x", (unsigned char)*at);
        else
            buf_append(out, at, 1);
    }
    buf_append(out, "\"", 1);
}

static void set_details(struct status *status, const char *group, const char *kind, const char *name)
{
    status->group = group[0] != '\0' ? mem_string(group) : NULL;
    status->kind = kind[0] != '\0' ? mem_string(kind) : NULL;
    status->name = name != NULL && name[0] != '\0' ? mem_string(name) : NULL;
}

bool status_not_found(struct status *status, const struct schema_kind *kind, const char *name)
{
    start(status, 404, "NotFound");
    struct buf message = buf_make(STATUS_MESSAGE);
    print_resource(&message, kind->group, kind->plural);
    buf_append_string(&message, " ");
    print_quoted(&message, name);
    buf_append_string(&message, " not found");
    status->message = buf_take(&message, NULL);
    set_details(status, kind->group, kind->plural, name);
    return false;
}

bool status_no_such_path(struct status *status)
{
    return status_set(status, 404, "NotFound", "the server could not find the requested resource");
}

bool status_exists(struct status *status, const struct schema_kind *kind, const char *name)
{
    start(status, 409, "AlreadyExists");
    struct buf message = buf_make(STATUS_MESSAGE);
    print_resource(&message, kind->group, kind->plural);
    buf_append_string(&message, " ");
    print_quoted(&message, name);
    buf_append_string(&message, " already exists");
    status->message = buf_take(&message, NULL);
    set_details(status, kind->group, kind->plural, name);
    return false;
}

bool status_conflict(struct status *status, const struct schema_kind *kind, const char *name, const char *format, ...)
{
    start(status, 409, "Conflict");
    va_list list;
    va_start(list, format);
    char *why = print_list(format, list);
    va_end(list);
    struct buf message = buf_make(STATUS_MESSAGE);
    buf_append_string(&message, "Operation cannot be fulfilled on ");
    print_resource(&message, kind->group, kind->plural);
    buf_append_string(&message, " ");
    print_quoted(&message, name);
    buf_append_string(&message, ": ");
    buf_append_string(&message, why != NULL ? why : "");
    status->message = buf_take(&message, NULL);
    mem_free(why);
    set_details(status, kind->group, kind->plural, name);
    return false;
}

/* One problem after the other as "field: message"; several in brackets; a sentence that was said is not said again. */
static void print_problems(struct buf *out, const struct problems *problems)
{
    struct map said = map_make(PROBLEMS, NULL);
    struct buf sentence = buf_make(STATUS_MESSAGE), all = buf_make(STATUS_MESSAGE);
    for (size_t i = 0; i < problems->list.length; i++) {
        const struct problem *problem = problems->list.items[i];
        buf_clear(&sentence);
        buf_append_string(&sentence, problem->field);
        buf_append_string(&sentence, ": ");
        buf_append_string(&sentence, problem->message);
        if (!buf_ok(&sentence) || map_has(&said, sentence.bytes))
            continue;
        buf_append_string(&all, said.count > 0 ? ", " : "");
        buf_append(&all, sentence.bytes, sentence.length);
        if (!map_set(&said, sentence.bytes, NULL))
            buf_fail(&all);
    }
    buf_append_string(out, said.count > 1 ? "[" : "");
    buf_append(out, all.length > 0 ? all.bytes : "", all.length);
    buf_append_string(out, said.count > 1 ? "]" : "");
    if (!buf_ok(&all))
        buf_fail(out);
    map_free(&said);
    buf_free(&sentence);
    buf_free(&all);
}

static struct value *causes_of(const struct problems *problems)
{
    struct value *causes = value_array();
    bool whole = causes != NULL;
    for (size_t i = 0; whole && i < problems->list.length; i++) {
        const struct problem *problem = problems->list.items[i];
        struct value *cause = value_object();
        whole = cause != NULL && value_set(cause, "reason", value_string(problem_reason(problem->type))) &&
                value_set(cause, "message", value_string(problem->message)) && value_set(cause, "field", value_string(problem->field));
        if (!whole)
            value_free(cause);
        else
            whole = value_append(causes, cause);
    }
    if (!whole) {
        value_free(causes);
        return NULL;
    }
    return causes;
}

bool status_invalid_as(struct status *status, const char *group, const char *kind, const char *name, const struct problems *problems)
{
    if (problems->failed)
        return status_set(status, 500, "InternalError", "Internal error occurred: out of memory");
    start(status, 422, "Invalid");
    struct buf message = buf_make(STATUS_MESSAGE);
    print_resource(&message, group, kind);
    buf_append_string(&message, " ");
    print_quoted(&message, name != NULL ? name : "");
    buf_append_string(&message, " is invalid: ");
    print_problems(&message, problems);
    status->message = buf_take(&message, NULL);
    status->causes = causes_of(problems);
    set_details(status, group, kind, name);
    return false;
}

bool status_invalid(struct status *status, const struct schema_kind *kind, const char *name, const struct problems *problems)
{
    return status_invalid_as(status, kind->group, kind->kind, name, problems);
}

bool status_forbidden(struct status *status, const char *group, const char *resource, const char *name, const char *format, ...)
{
    start(status, 403, "Forbidden");
    va_list list;
    va_start(list, format);
    char *why = print_list(format, list);
    va_end(list);
    struct buf message = buf_make(STATUS_MESSAGE);
    if (resource[0] != '\0') {
        print_resource(&message, group, resource);
        if (name != NULL && name[0] != '\0') {
            buf_append_string(&message, " ");
            print_quoted(&message, name);
        }
        buf_append_string(&message, " is ");
    }
    buf_append_string(&message, "forbidden: ");
    buf_append_string(&message, why != NULL ? why : "");
    status->message = buf_take(&message, NULL);
    mem_free(why);
    set_details(status, group, resource, name);
    return false;
}

bool status_method_not_allowed(struct status *status, const struct schema_kind *kind, const char *verb)
{
    start(status, 405, "MethodNotAllowed");
    if (kind == NULL) {
        status->message = mem_string("the server does not allow this method on the requested resource");
        return false;
    }
    struct buf message = buf_make(STATUS_MESSAGE);
    buf_append_string(&message, verb);
    buf_append_string(&message, " is not supported on resources of kind \"");
    print_resource(&message, kind->group, kind->plural);
    buf_append_string(&message, "\"");
    status->message = buf_take(&message, NULL);
    set_details(status, kind->group, kind->plural, NULL);
    return false;
}

static bool internal(struct status *status, const char *what)
{
    start(status, 500, "InternalError");
    status->message = mem_printf("Internal error occurred: %s", what);
    struct value *causes = value_array(), *cause = value_object();
    bool whole = causes != NULL && cause != NULL && value_set(cause, "message", value_string(what));
    if (whole) {
        whole = value_append(causes, cause);
        cause = NULL;
    }
    if (!whole) {
        value_free(cause);
        value_free(causes);
        causes = NULL;
    }
    status->causes = causes;
    return false;
}

bool status_error(struct status *status, const struct error *err)
{
    switch (err->kind) {
    case ERROR_MEMORY: return internal(status, "out of memory");
    case ERROR_LIMIT: return status_set(status, 507, "InsufficientStorage", "%s", err->message);
    case ERROR_INPUT:
    case ERROR_USAGE: return status_bad_request(status, "%s", err->message);
    case ERROR_INVALID: return status_set(status, 422, "Invalid", "%s", err->message);
    case ERROR_NOT_FOUND: return status_set(status, 404, "NotFound", "%s", err->message);
    case ERROR_EXISTS: return status_set(status, 409, "AlreadyExists", "%s", err->message);
    case ERROR_CONFLICT: return status_set(status, 409, "Conflict", "%s", err->message);
    case ERROR_EXPIRED: return status_expired(status, "%s", err->message);
    case ERROR_UNAUTHENTICATED: return status_set(status, 401, "Unauthorized", "%s", err->message);
    case ERROR_DENIED: return status_set(status, 403, "Forbidden", "%s", err->message);
    case ERROR_BUSY: return status_set(status, 503, "ServiceUnavailable", "%s", err->message);
    case ERROR_TIMEOUT: return status_set(status, 504, "Timeout", "Timeout: %s", err->message);
    default: return internal(status, err->message);
    }
}

static bool set_text(struct value *object, const char *key, const char *text)
{
    return text == NULL || text[0] == '\0' || value_set(object, key, value_string(text));
}

static struct value *status_start(const char *outcome)
{
    struct value *document = value_object();
    if (document != NULL && value_set(document, "kind", value_string("Status")) && value_set(document, "apiVersion", value_string("v1")) &&
        value_set(document, "metadata", value_object()) && value_set(document, "status", value_string(outcome)))
        return document;
    value_free(document);
    return NULL;
}

struct value *status_value(const struct status *status)
{
    struct value *document = status_start("Failure");
    bool detailed = status->group != NULL || status->kind != NULL || status->name != NULL || status->uid != NULL || status->causes != NULL ||
                    status->retry_after_s > 0 || status->detailed;
    if (document != NULL && status->continue_from != NULL && !set_text(value_get(document, "metadata"), "continue", status->continue_from))
        goto failed;
    if (document == NULL || !set_text(document, "message", status->message) || !set_text(document, "reason", status->reason))
        goto failed;
    if (detailed) {
        struct value *details = value_child(document, "details");
        if (details == NULL || !set_text(details, "name", status->name) || !set_text(details, "group", status->group) ||
            !set_text(details, "kind", status->kind) || !set_text(details, "uid", status->uid) ||
            (status->causes != NULL && !value_set(details, "causes", value_copy(status->causes))) ||
            (status->retry_after_s > 0 && !value_set(details, "retryAfterSeconds", value_int(status->retry_after_s))))
            goto failed;
    }
    if (value_set(document, "code", value_int(status->code)))
        return document;
failed:
    value_free(document);
    return NULL;
}

struct value *status_success(const struct schema_kind *kind, const char *name, const char *uid)
{
    struct value *document = status_start("Success");
    struct value *details = document != NULL ? value_child(document, "details") : NULL;
    if (details != NULL && set_text(details, "name", name) && set_text(details, "group", kind->group) && set_text(details, "kind", kind->plural) &&
        set_text(details, "uid", uid))
        return document;
    value_free(document);
    return NULL;
}
