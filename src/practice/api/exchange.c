/* exchange: a resource's request from its body to its answer. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/yaml.h"
#include "practice/api/body.h"
#include "practice/api/connect.h"
#include "practice/api/internal.h"
#include "practice/api/serve.h"
#include "practice/schema/crd.h"

enum { WARNINGS_MOST = 8 << 10, PART = 200 /* objects deleted in one round */ };

static void free_exchange(struct exchange *x)
{
    loop_drop(x->again);
    collection_free(x->collection);
    query_free(&x->query);
    value_free(x->call.body);
    vec_free(&x->duplicates);
    answer_free(&x->answer);
    status_free(&x->failure);
    buf_free(&x->body);
    user_free(&x->user);
    if (x->route.kind != NULL)
        registry_release(x->server->api.registry, x->route.kind);
    route_free(&x->route);
    mem_free(x);
}

/* Who did what, for people who look for a fault. */
static void log_exchange(const struct exchange *x, int code)
{
    char verb[ROUTE_VERB];
    struct attributes what;
    if (x->server->options.log == NULL || x->route.path == NULL || x->user.name == NULL)
        return;
    route_attributes(&x->route, x->method, x->list.watch, NULL, verb, &what);
    if (x->route.is_resource)
        log_line(x->server->options.log, "%s: %s %s%s%s %s/%s: %d", x->user.name, verb, what.resource, what.subresource[0] != '\0' ? "/" : "",
                 what.subresource, what.ns, what.name, code);
    else
        log_line(x->server->options.log, "%s: %s %s: %d", x->user.name, verb, x->route.path, code);
}

void exchange_end(struct exchange *x, int code)
{
    char verb[ROUTE_VERB] = "";
    struct attributes what = {0};
    const struct schema_kind *kind = x->route.kind;
    if (x->route.path != NULL)
        route_attributes(&x->route, x->method, x->list.watch, NULL, verb, &what);
    for (char *at = verb; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    metrics_count(&x->server->metrics, &(struct metrics_request){
                                           .verb = kind != NULL ? verb : "GET",
                                           .group = kind != NULL ? kind->group : "",
                                           .version = kind != NULL ? kind->version : "",
                                           .resource = kind != NULL ? kind->plural : "",
                                           .subresource = x->route.sub != NULL ? x->route.sub->name : "",
                                           .scope = kind == NULL               ? ""
                                                    : x->route.name[0] != '\0' ? "resource"
                                                    : x->route.ns[0] != '\0'   ? "namespace"
                                                                               : "cluster",
                                           .code = code,
                                       });
    log_exchange(x, code);
    x->server->open--;
    free_exchange(x);
}

const char *exchange_type(const struct format *format)
{
    return format->yaml ? "application/yaml" : "application/json";
}

static bool make_yaml(struct buf *json)
{
    struct value *document = json_parse(json->bytes, json->length, "answer", NULL);
    bool sorted = document != NULL && print_sort(document);
    buf_clear(json);
    if (sorted)
        yaml_print(document, json);
    value_free(document);
    return sorted && buf_ok(json);
}

bool exchange_shape(const struct format *format, struct buf *json)
{
    if (!buf_ok(json))
        return false;
    if (format->yaml)
        return make_yaml(json);
    if (format->pretty) {
        struct buf shaped = buf_make(EXCHANGE_TEXT);
        struct pretty pretty = {0};
        pretty_print(&pretty, json->bytes, json->length, &shaped);
        buf_free(json);
        *json = shaped;
    }
    if (!format->pretty)
        buf_append(json, "\n", 1);
    return buf_ok(json);
}

void exchange_text(struct exchange *x, int code, const char *type, const char *text, size_t length)
{
    if (type == NULL)
        http_add_header(x->request, "X-Content-Type-Options", "nosniff");
    http_answer(x->request, code, type != NULL ? type : "text/plain; charset=utf-8", text, length);
    exchange_end(x, code);
}

/* The body is ready, but for its form. */
static void send_json(struct exchange *x, int code, struct buf *json)
{
    static const char sorry[] =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"Internal error occurred: out of memory\","
        "\"reason\":\"InternalError\",\"code\":500}\n";
    if (!exchange_shape(&x->format, json)) {
        code = 500;
        http_answer(x->request, code, "application/json", sorry, sizeof sorry - 1);
    } else {
        http_answer_buf(x->request, code, exchange_type(&x->format), json);
    }
    buf_free(json);
    exchange_end(x, code);
}

static void send_document(struct exchange *x, int code, const struct value *document)
{
    struct buf json = buf_make(EXCHANGE_TEXT);
    if (document == NULL)
        buf_fail(&json);
    else
        json_print(document, false, &json);
    send_json(x, code, &json);
}

void exchange_fail(struct exchange *x)
{
    char seconds[24];
    if (x->failure.code == 0)
        status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
    if (x->format.as != AS_OBJECT) /* the form fits no Status: as the real server, in JSON then */
        x->format.yaml = false;
    if (x->failure.retry_after_s > 0) {
        snprintf(seconds, sizeof seconds, "%d", x->failure.retry_after_s);
        http_add_header(x->request, "Retry-After", seconds);
    }
    if (x->failure.code == 401)
        http_add_header(x->request, "WWW-Authenticate", "Basic realm=\"kubernetes-master\"");
    struct value *document = status_value(&x->failure);
    int code = x->failure.code;
    send_document(x, code, document);
    value_free(document);
}

/* `299 - "text"`: what a Warning header looks like. All together stay short, as many as fit. */
static void add_warning(struct exchange *x, const char *text, size_t *sum)
{
    struct buf header = buf_make(WARNINGS_MOST);
    buf_append_string(&header, "299 - \"");
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            buf_append_string(&header, "\\");
        buf_append(&header, *at == '\n' ? " " : at, 1);
    }
    buf_append_string(&header, "\"");
    *sum += header.length;
    if (buf_ok(&header) && *sum <= WARNINGS_MOST)
        http_add_header(x->request, "Warning", header.bytes);
    buf_free(&header);
}

static void add_warnings(struct exchange *x)
{
    size_t sum = 0;
    for (size_t i = 0; i < x->answer.warnings.length; i++)
        add_warning(x, x->answer.warnings.items[i], &sum);
}

/* Go's name of a kind's type, as 406 tells it. */
static void type_of(const struct schema_kind *kind, bool list, char out[static 256])
{
    const char *name = list ? kind->list_kind : kind->kind;
    if (kind->crd != NULL)
        snprintf(out, 256, "*unstructured.Unstructured%s", list ? "List" : "");
    else if (kind->group[0] == '\0')
        snprintf(out, 256, "*core.%.200s", name);
    else
        snprintf(out, 256, "*%.*s.%.150s", (int)strcspn(kind->group, "."), kind->group, name);
}

bool exchange_check_form(struct exchange *x, bool list)
{
    char type[256];
    enum format_as as = x->format.as;
    if (as != (list ? AS_PARTIAL : AS_PARTIAL_LIST))
        return true;
    type_of(x->route.kind, list, type);
    if (list)
        return status_set(&x->failure, 406, "NotAcceptable", "you requested PartialObjectMetadata, but the requested object is a list (%s)", type);
    return status_set(&x->failure, 406, "NotAcceptable", "you requested PartialObjectMetadataList, but the requested object is not a list (%s)",
                      type);
}

bool exchange_include(struct exchange *x, enum include_object *include)
{
    static const char *const words[] = {[INCLUDE_METADATA] = "Metadata", [INCLUDE_OBJECT] = "Object", [INCLUDE_NONE] = "None"};
    const char *text = query_get(&x->query, "includeObject");
    *include = INCLUDE_METADATA;
    if (x->format.as != AS_TABLE || text == NULL || text[0] == '\0')
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) {
            *include = (enum include_object)i;
            return true;
        }
    return status_bad_request(
        &x->failure, "Unable to convert to Table as requested: includeObject: Invalid value: \"%s\": must be 'Metadata', 'Object', 'None', or empty",
        text);
}

/* The whole Table of one object. */
static bool print_table(struct print *print, const struct object *object, const struct value *document, struct buf *json)
{
    const char *version = document != NULL ? value_find_text(document, "metadata", "resourceVersion", NULL) : NULL;
    struct error err = ERROR_INIT;
    buf_printf(json, "{\"kind\":\"Table\",\"apiVersion\":\"%s\",\"metadata\":{", print_meta_version(print));
    if (object != NULL)
        buf_printf(json, "\"resourceVersion\":\"%llu\"", (unsigned long long)object->version);
    else if (version != NULL)
        buf_printf(json, "\"resourceVersion\":\"%s\"", version);
    buf_append_string(json, "},");
    table_columns(print->kind, json);
    buf_append_string(json, ",\"rows\":[");
    bool printed = object != NULL ? print_object(print, object, 0, json, &err) : print_value(print, document, json, &err);
    buf_append_string(json, "]}");
    return printed && buf_ok(json);
}

/* The answer's object or document as JSON, in the form that was asked for. Documents of other kinds than the one that is served (Status, Scale ...)
 * have one form only. */
static bool print_answer(struct exchange *x, struct buf *json)
{
    const struct answer *answer = &x->answer;
    struct print print;
    struct error err = ERROR_INIT;
    const char *kind = answer->object == NULL ? value_find_text(answer->value, "kind", NULL) : NULL;
    if (answer->object == NULL && (x->format.as == AS_OBJECT || kind == NULL || answer->as == NULL || strcmp(kind, answer->as->kind) != 0)) {
        json_print(answer->value, false, json);
        return buf_ok(json);
    }
    bool printed = print_start(&print, &x->server->api, answer->as, &x->format, false);
    enum include_object include;
    if (exchange_include(x, &include))
        print.include = include;
    if (!printed)
        ;
    else if (x->format.as == AS_TABLE)
        printed = print_table(&print, answer->object, answer->value, json);
    else if (answer->object != NULL)
        printed = print_object(&print, answer->object, 0, json, &err);
    else
        printed = print_value(&print, answer->value, json, &err);
    print_end(&print);
    return printed;
}

void exchange_answer(struct exchange *x)
{
    add_warnings(x);
    if (x->answer.failure.code != 0) {
        status_free(&x->failure);
        x->failure = x->answer.failure;
        x->answer.failure = (struct status){0};
        exchange_fail(x);
        return;
    }
    struct buf json = x->body;
    x->body = buf_make(0);
    if (json.length == 0 && !print_answer(x, &json))
        buf_fail(&json);
    send_json(x, x->answer.code != 0 ? x->answer.code : 200, &json);
}

static void answer_when_committed(struct exchange *x);

static void run(struct exchange *x)
{
    api_run(&x->server->api, &x->call, &x->answer);
    answer_when_committed(x);
}

static void committed(void *data, const struct error *err)
{
    struct exchange *x = data;
    if (err == NULL || x->answer.failure.code != 0) {
        exchange_answer(x);
        return;
    }
    if (x->call.verb == VERB_GET && x->call.body == NULL) { /* what was read is not there any more; what was there before is */
        answer_free(&x->answer);
        run(x);
        return;
    }
    status_error(&x->failure, err);
    exchange_fail(x);
}

/* The answer may leave once everything that it knows of is on disk. */
static void answer_when_committed(struct exchange *x)
{
    if (state_is_clean(x->server->api.state)) {
        exchange_answer(x);
    } else if (!state_after_commit(x->server->api.state, committed, x)) {
        status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
        exchange_fail(x);
    }
}

/* The list of what was deleted. */
static bool print_deleted(struct exchange *x)
{
    struct print print;
    struct format format = {.as = AS_OBJECT};
    bool printed = print_start(&print, &x->server->api, x->route.kind, &format, true) &&
                   list_print(&print, collection_objects(x->collection), collection_version(x->collection), &x->body);
    print_end(&print);
    return printed;
}

/* The next part of a deletion of many, or its answer. */
static void delete_part(void *data)
{
    struct exchange *x = data;
    if (collection_delete_step(x->collection, PART)) {
        loop_set_timer(x->again, 0);
        return;
    }
    const struct status *failure = collection_failure(x->collection);
    bool made;
    if (failure->code == 0) {
        made = print_deleted(x);
        x->answer.code = 200;
    } else {
        x->answer.value = status_value(failure);
        x->answer.code = failure->code;
        made = x->answer.value != NULL;
    }
    if (!made)
        status_error(&x->answer.failure, &(struct error){.kind = ERROR_MEMORY});
    answer_when_committed(x);
}

static void delete_collection(struct exchange *x)
{
    struct call *call = &x->call;
    x->answer.as = call->kind;
    x->collection = collection_delete_start(&x->server->api, call, &x->answer);
    if (x->collection == NULL) {
        answer_when_committed(x);
        return;
    }
    x->again = loop_add_timer(x->server->api.loop, -1, delete_part, x);
    if (x->again == NULL) {
        exchange_fail(x);
        return;
    }
    delete_part(x);
}

static bool read_delete(struct exchange *x, const struct body *body)
{
    struct call *call = &x->call;
    if (!body_read_delete(body, call, &x->failure) || !options_delete(&x->query, call->body, call, &x->failure))
        return false;
    if (call->verb == VERB_DELETE)
        return true;
    if (!options_list(&x->query, &x->list, &x->failure))
        return false;
    call->label_selector = x->list.labels;
    call->field_selector = x->list.fields;
    return true;
}

/* A get may say how old its answer may be at most; here it is never old. */
static bool read_get(struct exchange *x)
{
    const char *text = query_get(&x->query, "resourceVersion");
    uint64_t version, newest = state_version(x->server->api.state);
    if (!options_version(text != NULL ? text : "", &version, &x->failure))
        return false;
    return version <= newest || options_too_large(version, newest, &x->failure);
}

/* Everything that a call's verb wants to know. */
static bool read_call(struct exchange *x)
{
    struct call *call = &x->call;
    struct body body = {.type = http_header(x->request, "Content-Type")};
    body.bytes = http_body(x->request, &body.length);
    switch (call->verb) {
    case VERB_CREATE:
    case VERB_UPDATE:
        return options_write(&x->query, call, &x->failure) && body_read(&body, call, &x->duplicates, &x->failure);
    case VERB_PATCH:
        return options_write(&x->query, call, &x->failure) && body_read_patch(&body, call, &x->duplicates, &x->failure);
    case VERB_DELETE:
    case VERB_DELETE_COLLECTION:
        return read_delete(x, &body);
    case VERB_GET:
        return read_get(x);
    default:
        return true;
    }
}

/* Resources that are out of fashion say so at every request, reads too. */
static void add_deprecation(struct exchange *x)
{
    static const struct {
        const char *plural, *text;
    } core[] = {
        {"componentstatuses", "299 - \"v1 ComponentStatus is deprecated in v1.19+\""},
        {"endpoints", "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\""},
    };
    for (size_t i = 0; i < sizeof core / sizeof *core && x->route.kind->group[0] == '\0'; i++)
        if (strcmp(x->route.kind->plural, core[i].plural) == 0)
            http_add_header(x->request, "Warning", core[i].text);
    const char *custom = x->route.kind->crd != NULL ? crd_deprecation(x->route.kind) : NULL;
    size_t sum = 0;
    if (custom != NULL)
        add_warning(x, custom, &sum);
}

void exchange_run(struct exchange *x)
{
    struct call *call = &x->call;
    const char *agent = http_header(x->request, "User-Agent");
    enum include_object include;
    *call = (struct call){
        .user = &x->user,
        .user_agent = agent != NULL ? agent : "",
        .verb = x->route.verb,
        .kind = x->route.kind,
        .sub = x->route.sub,
        .ns = x->route.ns,
        .name = x->route.name[0] != '\0' ? x->route.name : NULL,
        .grace = -1,
    };
    add_deprecation(x);
    if (connect_is(x->server, &x->route)) {
        connect_serve(x);
        return;
    }
    if (x->route.verb != VERB_WATCH && !options_common(&x->query, &x->failure)) {
        exchange_fail(x);
        return;
    }
    if (usage_is(x->server, &x->route)) {
        usage_serve(x);
        return;
    }
    if (x->route.verb == VERB_LIST) {
        list_serve(x);
        return;
    }
    if (x->route.verb == VERB_WATCH) {
        watch_serve(x);
        return;
    }
    if (!exchange_check_form(x, false) || !exchange_include(x, &include) || !read_call(x)) {
        exchange_fail(x);
        return;
    }
    if (call->verb == VERB_DELETE_COLLECTION) {
        delete_collection(x);
        return;
    }
    run(x);
}
