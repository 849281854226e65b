/* Impersonation: who asks may speak as somebody else if a rule allows it, for each word of whom: name, uid, groups, extra.
 * Since Kubernetes 1.36 there are modes before the plain verb "impersonate", which also look at what is asked:
 * impersonate-on:MODE:VERB on the request, and impersonate:MODE on the person. */
#include "practice/api/access_internal.h"

#include <string.h>

#include "base/mem.h"
#include "practice/api/user.h"

#define AUTHENTICATION "authentication.k8s.io"

enum mode { MODE_ASSOCIATED_NODE, MODE_NODE, MODE_ACCOUNT, MODE_USER, MODE_PLAIN, MODES };
static const char *const mode_names[MODES] = {"associated-node", "arbitrary-node", "serviceaccount", "user-info", NULL};

struct attempt {
    struct access *access;
    const struct user *who;
    const struct attributes *request;
    struct user wanted;
    enum mode mode;
    char *verb; /* "impersonate" or "impersonate:MODE" */
    struct status *failure;
};

static bool ask(const struct attempt *attempt, const struct attributes *what)
{
    return access_require(attempt->access, attempt->who, what, attempt->failure);
}

/* True if nothing but a name is wanted. */
static bool only_name(const struct user *wanted)
{
    return wanted->uid == NULL && wanted->groups.length == 0 && wanted->extra == NULL;
}

static bool is_account(const char *name)
{
    char *ns, *account;
    if (!user_is_account(name, &ns, &account))
        return false;
    mem_free(ns);
    mem_free(account);
    return true;
}

static bool is_own_node(const struct user *who, const char *name)
{
    const char *node = value_text(value_item(value_get(who->extra, "authentication.kubernetes.io/node-name"), 0));
    return node != NULL && is_account(who->name) && strcmp(name + strlen("system:node:"), node) == 0;
}

static bool mode_applies(const struct attempt *attempt, enum mode mode)
{
    const struct user *wanted = &attempt->wanted;
    if (mode == MODE_PLAIN)
        return true;
    if (attempt->request == NULL)
        return false;
    switch (mode) {
    case MODE_ASSOCIATED_NODE:
        return only_name(wanted) && user_is_node(wanted->name) && is_own_node(attempt->who, wanted->name);
    case MODE_NODE:
        return only_name(wanted) && user_is_node(wanted->name);
    case MODE_ACCOUNT:
        return only_name(wanted) && is_account(wanted->name);
    default:
        return !user_is_node(wanted->name) && !is_account(wanted->name);
    }
}

/* May this verb of the request be done as somebody else? */
static bool may_on(const struct attempt *attempt)
{
    struct attributes what = *attempt->request;
    char *verb = mem_printf("impersonate-on:%s:%s", mode_names[attempt->mode], what.verb);
    if (verb == NULL)
        return access_no_memory(attempt->failure);
    what.verb = verb;
    bool ok = ask(attempt, &what);
    mem_free(verb);
    return ok;
}

static bool may_be_name(const struct attempt *attempt)
{
    const char *name = attempt->wanted.name;
    bool constrained = attempt->mode != MODE_PLAIN;
    struct attributes what = {
        .verb = attempt->verb, .group = constrained ? AUTHENTICATION : "", .version = "v1", .resource = "users", .name = name};
    if (constrained && user_is_node(name)) {
        what.resource = "nodes";
        what.name = attempt->mode == MODE_ASSOCIATED_NODE ? "*" : name + strlen("system:node:");
    }
    char *ns = NULL, *account = NULL;
    if (user_is_account(name, &ns, &account)) {
        what.resource = "serviceaccounts";
        what.ns = ns;
        what.name = account;
    }
    bool ok = ask(attempt, &what);
    if (what.ns != NULL) {
        mem_free(ns);
        mem_free(account);
    }
    return ok;
}

static bool may_have_groups(const struct attempt *attempt)
{
    bool constrained = attempt->mode != MODE_PLAIN;
    struct attributes what = {
        .verb = attempt->verb, .group = constrained ? AUTHENTICATION : "", .version = "v1", .resource = "groups"};
    for (size_t i = 0; i < attempt->wanted.groups.length; i++) {
        what.name = attempt->wanted.groups.items[i];
        if (constrained && (*what.name == '\0' || strcmp(what.name, USER_MASTERS) == 0))
            return access_refuse(attempt->who, &what, attempt->failure);
        if (!ask(attempt, &what))
            return false;
    }
    return true;
}

static bool may_have_extra(const struct attempt *attempt)
{
    for (const struct value *list = value_first(attempt->wanted.extra); list != NULL; list = value_next(list)) {
        for (const struct value *text = value_first(list); text != NULL; text = value_next(text)) {
            struct attributes what = {.verb = attempt->verb,
                                      .group = AUTHENTICATION,
                                      .version = "v1",
                                      .resource = "userextras",
                                      .subresource = value_key(list),
                                      .name = value_text(text)};
            if (!ask(attempt, &what))
                return false;
        }
    }
    return true;
}

static bool may_be(const struct attempt *attempt)
{
    struct attributes uid = {
        .verb = attempt->verb, .group = AUTHENTICATION, .version = "v1", .resource = "uids", .name = attempt->wanted.uid};
    return (attempt->mode == MODE_PLAIN || may_on(attempt)) && may_be_name(attempt) &&
           (uid.name == NULL || ask(attempt, &uid)) && may_have_groups(attempt) && may_have_extra(attempt);
}

static bool try_mode(struct attempt *attempt, enum mode mode)
{
    attempt->mode = mode;
    attempt->verb = mode == MODE_PLAIN ? mem_string("impersonate") : mem_printf("impersonate:%s", mode_names[mode]);
    bool ok = attempt->verb != NULL ? may_be(attempt) : access_no_memory(attempt->failure);
    mem_free(attempt->verb);
    return ok;
}

/* The modes in order, the one that was right the last time first; the first refusal is the one that is told. */
static bool try_modes(struct attempt *attempt)
{
    struct map *last = &attempt->access->impersonators;
    size_t remembered = (size_t)(uintptr_t)map_get(last, attempt->who->name); /* a mode + 1 */
    struct status first = {0}, *failure = attempt->failure;
    struct status other = {0};
    bool ok = false;
    for (size_t turn = 0; !ok && turn <= MODES; turn++) {
        size_t mode = turn == 0 ? remembered - 1 : turn - 1;
        if ((turn == 0 && remembered == 0) || (turn > 0 && mode + 1 == remembered) || !mode_applies(attempt, (enum mode)mode))
            continue;
        attempt->failure = first.code == 0 ? &first : &other;
        ok = try_mode(attempt, (enum mode)mode);
    }
    attempt->failure = failure;
    status_free(&other);
    if (!ok) {
        *failure = first;
        return false;
    }
    status_free(&first);
    if (last->count >= last->maximum)
        map_free(last);
    return map_set(last, attempt->who->name, (void *)(uintptr_t)(attempt->mode + 1)) || access_no_memory(failure);
}

/* Whom the headers name, as they stand there. */
static bool read_wanted(const struct credentials *credentials, struct user *wanted)
{
    bool ok = user_start(wanted, credentials->impersonate_user != NULL ? credentials->impersonate_user : "");
    for (const char *at = credentials->impersonate_groups; ok && at != NULL;) {
        const char *comma = strstr(at, ", ");
        char *group = comma != NULL ? mem_string_n(at, (size_t)(comma - at)) : mem_string(at);
        ok = group != NULL && vec_push(&wanted->groups, group);
        at = comma != NULL ? comma + 2 : NULL;
    }
    if (ok && credentials->impersonate_uid != NULL && *credentials->impersonate_uid != '\0')
        ok = (wanted->uid = mem_string(credentials->impersonate_uid)) != NULL;
    if (ok && credentials->impersonate_extra != NULL && value_first(credentials->impersonate_extra) != NULL)
        ok = (wanted->extra = value_copy(credentials->impersonate_extra)) != NULL;
    return ok;
}

static void print_strings(struct buf *out, const char *text)
{
    buf_append_string(out, "\"");
    for (; *text != '\0'; text++)
        buf_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    buf_append_string(out, "\"");
}

/* Groups, uid or extra without a name: the sentence shows what was wanted as Go prints it. */
static bool refuse_nameless(const struct user *wanted, struct status *failure)
{
    struct buf text = buf_make(RBAC_REASON);
    buf_append_string(&text, "&user.DefaultInfo{Name:\"\", UID:");
    print_strings(&text, wanted->uid != NULL ? wanted->uid : "");
    buf_append_string(&text, ", Groups:[]string");
    for (size_t i = 0; i < wanted->groups.length; i++) {
        buf_append_string(&text, i == 0 ? "{" : ", ");
        print_strings(&text, wanted->groups.items[i]);
    }
    buf_append_string(&text, wanted->groups.length > 0 ? "}" : "(nil)");
    buf_append_string(&text, ", Extra:map[string][]string");
    for (const struct value *list = value_first(wanted->extra); list != NULL; list = value_next(list)) {
        buf_append_string(&text, list == value_first(wanted->extra) ? "{" : ", ");
        print_strings(&text, value_key(list));
        buf_append_string(&text, ":[]string{");
        for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
            buf_append_string(&text, item == value_first(list) ? "" : ", ");
            print_strings(&text, value_text(item) != NULL ? value_text(item) : "");
        }
        buf_append_string(&text, "}");
    }
    buf_append_string(&text, wanted->extra != NULL ? "}}" : "(nil)}");
    if (buf_ok(&text))
        status_bad_request(failure, "requested %s without impersonating a user name", text.bytes);
    else
        access_no_memory(failure);
    buf_free(&text);
    return false;
}

/* What belongs to a person of this name, whatever was asked for. */
static bool complete(struct user *wanted, enum mode mode)
{
    bool ok = true;
    char *ns, *account;
    if (wanted->groups.length == 0 && user_is_account(wanted->name, &ns, &account)) {
        ok = user_add_account_groups(wanted, ns);
        mem_free(ns);
        mem_free(account);
    }
    if (mode == MODE_NODE || mode == MODE_ASSOCIATED_NODE)
        ok = ok && user_add_group(wanted, USER_NODES);
    if (strcmp(wanted->name, USER_ANONYMOUS) == 0)
        return ok && user_add_group(wanted, USER_UNAUTHENTICATED);
    return ok && (user_has_group(wanted, USER_UNAUTHENTICATED) || user_add_group(wanted, USER_AUTHENTICATED));
}

bool impersonate(struct access *access, const struct credentials *credentials, struct user *user, struct status *failure)
{
    if (credentials->impersonate_user == NULL && credentials->impersonate_uid == NULL &&
        credentials->impersonate_groups == NULL && credentials->impersonate_extra == NULL)
        return true;
    struct attempt attempt = {.access = access, .who = user, .request = credentials->request, .failure = failure};
    bool ok = read_wanted(credentials, &attempt.wanted) || access_no_memory(failure);
    bool nameless = ok && *attempt.wanted.name == '\0';
    if (nameless && !only_name(&attempt.wanted))
        ok = refuse_nameless(&attempt.wanted, failure);
    else if (ok && !nameless)
        ok = try_modes(&attempt) && (complete(&attempt.wanted, attempt.mode) || access_no_memory(failure));
    if (ok && !nameless) {
        user_free(user);
        *user = attempt.wanted;
        attempt.wanted = (struct user){0};
    }
    user_free(&attempt.wanted);
    return ok;
}
