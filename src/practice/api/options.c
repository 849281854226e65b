#include "practice/api/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/http.h"

#define META_GROUP "meta.k8s.io"

enum { MANAGER_MOST = 128 };

/* One pair, `name=value` or `name`. */
static void add_pair(struct query *query, const char *pair, size_t length)
{
    const char *equals = memchr(pair, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - pair) : length;
    if (length == 0 || memchr(pair, ';', length) != NULL)
        return;
    char *name = http_unescape(pair, name_length, true), *value = NULL;
    if (name != NULL && !map_has(&query->values, name)) {
        value = equals != NULL ? http_unescape(equals + 1, length - name_length - 1, true) : mem_string("");
        if (value != NULL ? !map_set(&query->values, name, value) : errno == ENOMEM || equals == NULL)
            query->failed = true;
    } else if (name == NULL && errno == ENOMEM) /* what is malformed is passed over; what is lost must not be: dryRun */
        query->failed = true;
    mem_free(name);
}

struct query query_parse(const char *text)
{
    struct query query = {.values = map_make(OPTIONS_MOST, mem_free)};
    for (size_t length; *text != '\0' && !query.failed; text += length + (text[length] != '\0')) {
        length = strcspn(text, "&");
        if (query.values.count == OPTIONS_MOST)
            break;
        add_pair(&query, text, length);
    }
    return query;
}

void query_free(struct query *query)
{
    map_free(&query->values);
}

const char *query_get(const struct query *query, const char *name)
{
    return map_get(&query->values, name);
}

bool query_is_true(const struct query *query, const char *name)
{
    const char *text = query_get(query, name);
    return text != NULL && strcmp(text, "0") != 0 && strcasecmp(text, "false") != 0;
}

bool query_all(const char *text, const char *name, struct vec *values)
{
    size_t wanted = strlen(name);
    for (size_t length; *text != '\0'; text += length + (text[length] != '\0')) {
        length = strcspn(text, "&");
        if (length <= wanted || strncmp(text, name, wanted) != 0 || text[wanted] != '=')
            continue;
        char *value = http_unescape(text + wanted + 1, length - wanted - 1, true);
        if (value == NULL && errno != ENOMEM) /* malformed: as if it were not there */
            continue;
        if (value == NULL || !vec_push(values, value))
            return false;
    }
    return true;
}

bool query_number(const struct query *query, const char *name, int64_t *out, struct status *failure)
{
    const char *text = query_get(query, name);
    if (text == NULL)
        return true;
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return status_bad_request(failure, "strconv.ParseInt: parsing \"%s\": invalid syntax", text);
    uint64_t number = 0, most = (uint64_t)INT64_MAX + (*text == '-');
    for (; *digits != '\0'; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        if (number > (most - digit) / 10)
            return status_bad_request(failure, "strconv.ParseInt: parsing \"%s\": value out of range", text);
        number = number * 10 + digit;
    }
    *out = *text == '-' ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

static const char *get_text(const struct query *query, const char *name)
{
    const char *text = query_get(query, name);
    return text != NULL ? text : "";
}

bool options_list(const struct query *query, struct list_options *out, struct status *failure)
{
    *out = (struct list_options){
        .labels = get_text(query, "labelSelector"),
        .fields = get_text(query, "fieldSelector"),
        .version = get_text(query, "resourceVersion"),
        .match = get_text(query, "resourceVersionMatch"),
        .continue_from = get_text(query, "continue"),
        .watch = query_is_true(query, "watch"),
        .bookmarks = query_is_true(query, "allowWatchBookmarks"),
        .send_given = query_get(query, "sendInitialEvents") != NULL,
        .send_initial = query_is_true(query, "sendInitialEvents"),
    };
    return query_number(query, "timeoutSeconds", &out->timeout_s, failure) && query_number(query, "limit", &out->limit, failure);
}

/* [-+]?([0-9]*(\.[0-9]*)?[a-z]+)+ with Go's units, or 0. */
static bool is_duration(const char *text)
{
    static const char *const units[] = {"ns", "us", "\xC2\xB5s", "\xCE\xBCs", "ms", "s", "m", "h"};
    text += *text == '-' || *text == '+';
    if (strcmp(text, "0") == 0)
        return true;
    bool any = false;
    while (*text != '\0') {
        size_t whole = strspn(text, "0123456789"), part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0, found = 0;
        if (whole + part == 0)
            return false;
        text += whole + (text[whole] == '.') + part;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strncmp(text, units[i], strlen(units[i])) == 0 && strlen(units[i]) > found)
                found = strlen(units[i]);
        if (found == 0)
            return false;
        text += found;
        any = true;
    }
    return any;
}

bool options_common(const struct query *query, struct status *failure)
{
    const char *timeout = get_text(query, "timeout");
    if (timeout[0] != '\0' && !is_duration(timeout))
        return status_bad_request(failure, "invalid timeout specified in the request URL - time: invalid duration \"%s\"", timeout);
    if (query_get(query, "export") != NULL && query_is_true(query, "export"))
        return status_bad_request(failure, "the export parameter, deprecated since v1.14, is no longer supported");
    return true;
}

bool options_version(const char *text, uint64_t *version, struct status *failure)
{
    errno = 0;
    *version = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] == '\0' && errno != ERANGE)
        return true;
    return status_set(failure, 500, "", "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\": %s", text, text,
                      errno == ERANGE ? "value out of range" : "invalid syntax");
}

bool options_too_large(uint64_t version, uint64_t current, struct status *failure)
{
    struct value *cause = value_object();
    status_set(failure, 504, "Timeout", "Timeout: Too large resource version: %llu, current: %llu", (unsigned long long)version,
               (unsigned long long)current);
    failure->retry_after_s = 1;
    failure->causes = value_array();
    bool made = cause != NULL && failure->causes != NULL && value_set(cause, "reason", value_string("ResourceVersionTooLarge")) &&
                value_set(cause, "message", value_string("Too large resource version"));
    if (!made)
        value_free(cause);
    else if (!value_append(failure->causes, cause))
        return false;
    return false;
}

static const char *const matches[] = {"Exact", "NotOlderThan", "", NULL}, *const watch_matches[] = {"NotOlderThan", NULL};

/* sendInitialEvents stands there. Source: apimachinery, apis/meta/internalversion/validation. */
static void check_initial(const struct list_options *options, const struct place *match, struct problems *problems)
{
    if (options->match[0] == '\0' || strcmp(options->match, "NotOlderThan") != 0)
        problem_add(problems, match, PROBLEM_FORBIDDEN, NULL, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (options->match[0] != '\0' && strcmp(options->match, "NotOlderThan") != 0)
        problem_unsupported(problems, match, options->match, watch_matches);
}

static void check_match(const struct list_options *options, const struct place *match, struct problems *problems)
{
    if (options->watch && !options->send_given)
        problem_add(problems, match, PROBLEM_FORBIDDEN, NULL, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    else if (!options->watch && options->version[0] == '\0')
        problem_add(problems, match, PROBLEM_FORBIDDEN, NULL, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (options->continue_from[0] != '\0')
        problem_add(problems, match, PROBLEM_FORBIDDEN, NULL, "resourceVersionMatch is forbidden when continue is provided");
    if (!options->watch && strcmp(options->match, "Exact") != 0 && strcmp(options->match, "NotOlderThan") != 0)
        problem_unsupported(problems, match, options->match, matches);
    if (!options->watch && strcmp(options->match, "Exact") == 0 && strcmp(options->version, "0") == 0)
        problem_add(problems, match, PROBLEM_FORBIDDEN, NULL, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
}

bool options_check_list(const struct list_options *options, struct status *failure)
{
    struct problems problems = problems_make();
    struct place root = PLACE_ROOT, match = place_key(&root, "resourceVersionMatch"), send = place_key(&root, "sendInitialEvents");
    if (options->send_given && !options->watch)
        problem_add(&problems, &send, PROBLEM_FORBIDDEN, NULL, "sendInitialEvents is forbidden for list");
    else if (options->send_given)
        check_initial(options, &match, &problems);
    if (options->match[0] != '\0')
        check_match(options, &match, &problems);
    else if (options->watch && options->continue_from[0] != '\0')
        problem_add(&problems, &match, PROBLEM_FORBIDDEN, NULL, "resourceVersionMatch is forbidden when continue is provided");
    bool fine = problems_none(&problems) || status_invalid_as(failure, META_GROUP, "ListOptions", "", &problems);
    problems_free(&problems);
    return fine;
}

/* dryRun: only "All" is known. */
static void check_dry_run(const struct value *list, const struct place *root, struct problems *problems)
{
    struct place place = place_key(root, "dryRun");
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (value_text(item) == NULL || strcmp(value_text(item), "All") != 0) {
            problem_add(problems, &place, PROBLEM_NOT_SUPPORTED, list, "supported values: \"All\"");
            return;
        }
}

static void check_dry_run_text(const char *text, const struct place *root, struct problems *problems)
{
    struct value *list = value_array();
    if (list == NULL || !value_append(list, value_string(text)))
        problems->failed = true;
    else
        check_dry_run(list, root, problems);
    value_free(list);
}

/* A manager's name is short and printable. */
static void check_manager(const char *manager, const struct place *root, struct problems *problems)
{
    struct place place = place_key(root, "fieldManager");
    if (strlen(manager) > MANAGER_MOST)
        problem_add(problems, &place, PROBLEM_TOO_LONG, NULL, "may not be more than %d bytes", MANAGER_MOST);
    for (const char *at = manager; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            problem_invalid(problems, &place, manager, "invalid character U+%04X (at position %zu)", (unsigned)(unsigned char)*at,
                            (size_t)(at - manager));
            return;
        }
}

static const char *const validations[] = {"", "Ignore", "Strict", "Warn", NULL};

bool options_write(const struct query *query, struct call *call, struct status *failure)
{
    struct problems problems = problems_make();
    struct place root = PLACE_ROOT, validation_place = place_key(&root, "fieldValidation");
    const char *dry_run = query_get(query, "dryRun"), *validation = get_text(query, "fieldValidation");
    const char *kind = call->verb == VERB_CREATE ? "CreateOptions" : call->verb == VERB_UPDATE ? "UpdateOptions" : "PatchOptions";
    call->manager = query_get(query, "fieldManager");
    if (call->manager != NULL && call->manager[0] == '\0')
        call->manager = NULL;
    call->force = query_is_true(query, "force");
    call->dry_run = dry_run != NULL && dry_run[0] != '\0';
    call->validation = strcmp(validation, "Strict") == 0 ? VALIDATE_STRICT : strcmp(validation, "Ignore") == 0 ? VALIDATE_IGNORE : VALIDATE_WARN;
    if (call->manager != NULL)
        check_manager(call->manager, &root, &problems);
    if (call->dry_run)
        check_dry_run_text(dry_run, &root, &problems);
    if (strcmp(validation, "") != 0 && strcmp(validation, "Warn") != 0 && call->validation == VALIDATE_WARN)
        problem_unsupported(&problems, &validation_place, validation, validations);
    bool fine = problems_none(&problems) || status_invalid_as(failure, META_GROUP, kind, "", &problems);
    problems_free(&problems);
    return fine;
}

static const struct {
    const char *name;
    enum propagation propagation;
} propagations[] = {{"Foreground", PROPAGATION_FOREGROUND}, {"Background", PROPAGATION_BACKGROUND}, {"Orphan", PROPAGATION_ORPHAN}};

static void set_propagation(struct call *call, const char *policy, const struct place *root, struct problems *problems)
{
    static const char *const supported[] = {"Foreground", "Background", "Orphan", "nil", NULL};
    struct place place = place_key(root, "propagationPolicy");
    for (size_t i = 0; i < sizeof propagations / sizeof *propagations; i++)
        if (strcmp(policy, propagations[i].name) == 0) {
            call->propagation = propagations[i].propagation;
            return;
        }
    problem_unsupported(problems, &place, policy, supported);
}

/* propagationPolicy and its elder, orphanDependents. */
static void set_orphans(struct call *call, const char *policy, bool given, bool orphan, const struct place *root, struct problems *problems)
{
    struct place place = place_key(root, "propagationPolicy");
    if (given && policy != NULL)
        problem_invalid(problems, &place, policy, "orphanDependents and deletionPropagation cannot be both set");
    else if (policy != NULL)
        set_propagation(call, policy, root, problems);
    else if (given)
        call->propagation = orphan ? PROPAGATION_ORPHAN : PROPAGATION_BACKGROUND;
}

static bool delete_from_query(const struct query *query, struct call *call, const struct place *root, struct problems *problems,
                              struct status *failure)
{
    const char *dry_run = query_get(query, "dryRun"), *policy = query_get(query, "propagationPolicy");
    int64_t grace = -1;
    if (!query_number(query, "gracePeriodSeconds", &grace, failure))
        return false;
    call->grace = grace;
    call->dry_run = dry_run != NULL && dry_run[0] != '\0';
    if (call->dry_run)
        check_dry_run_text(dry_run, root, problems);
    set_orphans(call, policy, query_get(query, "orphanDependents") != NULL, query_is_true(query, "orphanDependents"), root, problems);
    return true;
}

static void delete_from_body(const struct value *body, struct call *call, const struct place *root, struct problems *problems)
{
    const struct value *dry_run = value_get(body, "dryRun"), *orphan = value_get(body, "orphanDependents");
    call->grace = value_find_int(body, -1, "gracePeriodSeconds", NULL);
    call->dry_run = value_first(dry_run) != NULL;
    check_dry_run(dry_run, root, problems);
    call->if_uid = value_find_text(body, "preconditions", "uid", NULL);
    call->if_version = value_find_text(body, "preconditions", "resourceVersion", NULL);
    set_orphans(call, value_find_text(body, "propagationPolicy", NULL), value_type(orphan) == VALUE_BOOL, value_is_true(orphan), root, problems);
}

bool options_delete(const struct query *query, const struct value *body, struct call *call, struct status *failure)
{
    struct problems problems = problems_make();
    struct place root = PLACE_ROOT;
    call->grace = -1;
    bool fine = true;
    if (body != NULL)
        delete_from_body(body, call, &root, &problems);
    else
        fine = delete_from_query(query, call, &root, &problems, failure);
    fine = fine && (problems_none(&problems) || status_invalid_as(failure, META_GROUP, "DeleteOptions", "", &problems));
    problems_free(&problems);
    return fine;
}
