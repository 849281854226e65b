/* ServiceAccount tokens: JSON Web Tokens with the claims of the real server, bound to an account and perhaps to a pod, secret
 * or node. They live by the wall clock. */
#include "practice/api/access_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "net/crypto.h"
#include "practice/api/lookup.h"
#include "practice/api/user.h"
#include "practice/schema/problem.h"

enum {
    TOKEN_LEEWAY_S = 60, /* after its end a token is still taken that long, as jose's validators do */
    TOKEN_CLAIMS = 16 << 10,
    TOKEN_SECONDS = 3600, /* where a request says nothing */
    TOKEN_LEAST_SECONDS = 600,
    TOKEN_PROJECTED_SECONDS = 3607, /* pods' own tokens ask for this; they get a year, with a mark after which they are stale */
};
static const int64_t token_most_seconds = (int64_t)1 << 32, token_extended_seconds = 365 * 24 * 3600;

bool token_key_id(const struct crypto_key *key, char id[static 65], struct error *err)
{
    char *pem = crypto_key_public_pem(key, err);
    if (pem == NULL)
        return false;
    crypto_sha256_hex(pem, strlen(pem), id);
    mem_free(pem);
    return true;
}

static bool names(const struct value *audiences, const char *audience)
{
    if (audiences == NULL)
        return strcmp(audience, TOKEN_ISSUER) == 0;
    for (const struct value *item = value_first(audiences); item != NULL; item = value_next(item))
        if (value_text(item) != NULL && strcmp(value_text(item), audience) == 0)
            return true;
    return false;
}

static void print_list(struct buf *out, const struct value *audiences)
{
    buf_append_string(out, "[");
    for (const struct value *item = value_first(audiences); item != NULL; item = value_next(item)) {
        buf_append_string(out, item == value_first(audiences) ? "" : " ");
        json_quote(value_text(item) != NULL ? value_text(item) : "", out);
    }
    buf_append_string(out, "]");
}

/* Each of these appends what is wrong and returns false. */
static bool check_times(const struct value *claims, struct buf *why)
{
    int64_t now = clock_wall_ms() / 1000, end = value_find_int(claims, 0, "exp", NULL),
            begin = value_find_int(claims, 0, "nbf", NULL);
    if (now - TOKEN_LEEWAY_S > end)
        buf_append_string(why, "service account token has expired");
    else if (now + TOKEN_LEEWAY_S < begin)
        buf_append_string(why, "service account token is not valid yet");
    else
        return true;
    return false;
}

static bool check_audiences(const struct value *claims, const struct value *audiences, struct buf *why)
{
    const struct value *own = value_get(claims, "aud");
    for (const struct value *item = value_first(own); item != NULL; item = value_next(item))
        if (value_text(item) != NULL && names(audiences, value_text(item)))
            return true;
    buf_append_string(why, "token audiences ");
    print_list(why, own);
    buf_append_string(why, " is invalid for the target audiences ");
    if (audiences != NULL)
        print_list(why, audiences);
    else
        buf_append_string(why, "[\"" TOKEN_ISSUER "\"]");
    return false;
}

static bool check_account(struct access *access, const char *ns, const struct value *bound, struct buf *why)
{
    const char *name = value_find_text(bound, "serviceaccount", "name", NULL),
               *uid = value_find_text(bound, "serviceaccount", "uid", NULL);
    const struct object *object = name != NULL && uid != NULL ? lookup(access->api, "", "serviceaccounts", ns, name) : NULL;
    if (object == NULL)
        buf_printf(why, "serviceaccounts \"%s\" not found", name != NULL ? name : "");
    else if (strcmp(object->uid, uid) != 0)
        buf_printf(why, "service account UID (%s) does not match claim (%s)", object->uid, uid);
    else if (lookup_is_gone(access->api, object, TOKEN_LEEWAY_S * 1000))
        buf_printf(why, "service account %s/%s has been deleted", ns, name);
    else
        return true;
    return false;
}

static const struct bound_kind {
    const char *claim, *kind, *plural;
    bool namespaced;
} bound_kinds[] = {{"pod", "Pod", "pods", true}, {"secret", "Secret", "secrets", true}, {"node", "Node", "nodes", false}};
enum { BOUND_KINDS = sizeof bound_kinds / sizeof bound_kinds[0] };

/* What a token is bound to must be there still. The node of a pod's token is only told, not looked at. */
static bool check_bound(struct access *access, const char *ns, const struct value *bound, struct buf *why)
{
    for (size_t i = 0; i < BOUND_KINDS; i++) {
        const struct bound_kind *kind = &bound_kinds[i];
        const struct value *reference = value_get(bound, kind->claim);
        if (reference == NULL || (!kind->namespaced && value_get(bound, "pod") != NULL))
            continue;
        const char *name = value_find_text(reference, "name", NULL), *uid = value_find_text(reference, "uid", NULL);
        const struct object *object =
            name != NULL && uid != NULL ? lookup(access->api, "", kind->plural, kind->namespaced ? ns : "", name) : NULL;
        if (object != NULL && strcmp(object->uid, uid) != 0) {
            buf_printf(why, "%s UID (%s) does not match service account %s ref claim (%s)", kind->kind, object->uid,
                       kind->claim, uid);
            return false;
        }
        if (object == NULL || lookup_is_gone(access->api, object, TOKEN_LEEWAY_S * 1000)) {
            buf_append_string(why, "service account token has been invalidated");
            return false;
        }
    }
    return true;
}

static bool add_extra(struct user *user, const struct value *bound, const char *claim)
{
    const struct value *reference = value_get(bound, claim);
    const char *name = value_find_text(reference, "name", NULL), *uid = value_find_text(reference, "uid", NULL);
    char key[64];
    snprintf(key, sizeof key, "authentication.kubernetes.io/%s-name", claim);
    if (name != NULL && !user_add_extra(user, key, name))
        return false;
    snprintf(key, sizeof key, "authentication.kubernetes.io/%s-uid", claim);
    return uid == NULL || *uid == '\0' || user_add_extra(user, key, uid);
}

static bool fill_user(struct user *user, const struct value *claims, const char *ns, const struct value *bound)
{
    const char *id = value_find_text(claims, "jti", NULL), *uid = value_find_text(bound, "serviceaccount", "uid", NULL);
    bool ok = user_start(user, value_find_text(claims, "sub", NULL)) && user_add_account_groups(user, ns) &&
              user_add_group(user, USER_AUTHENTICATED) && (user->uid = mem_string(uid)) != NULL;
    if (ok && id != NULL) {
        char *text = mem_printf("JTI=%s", id);
        ok = text != NULL && user_add_extra(user, "authentication.kubernetes.io/credential-id", text);
        mem_free(text);
    }
    return ok && add_extra(user, bound, "pod") && add_extra(user, bound, "node");
}

static bool is_of_this_server(const struct value *claims)
{
    const char *issuer = value_find_text(claims, "iss", NULL), *subject = value_find_text(claims, "sub", NULL);
    const char *ns = value_find_text(claims, "kubernetes.io", "namespace", NULL),
               *name = value_find_text(claims, "kubernetes.io", "serviceaccount", "name", NULL);
    if (issuer == NULL || subject == NULL || ns == NULL || name == NULL || strcmp(issuer, TOKEN_ISSUER) != 0)
        return false;
    char *expected = mem_printf("system:serviceaccount:%s:%s", ns, name);
    bool same = expected != NULL && strcmp(expected, subject) == 0;
    mem_free(expected);
    return same;
}

static struct value *claims_of(struct access *access, const char *token, enum error_kind *kind)
{
    struct error err = ERROR_INIT;
    char *text = crypto_jwt_claims(access->api->token_key, token, &err);
    struct value *claims = text != NULL ? json_parse(text, strlen(text), "the claims of a token", &err) : NULL;
    mem_free(text);
    *kind = err.kind;
    return claims;
}

int token_user(struct access *access, const char *token, const struct value *audiences, struct user *user, struct buf *why)
{
    enum error_kind kind;
    struct value *claims = claims_of(access, token, &kind);
    const struct value *bound = value_get(claims, "kubernetes.io");
    const char *ns = value_find_text(bound, "namespace", NULL);
    struct buf wrong = buf_make(RBAC_REASON);
    int answer = 0;
    *user = (struct user){0};
    if (claims == NULL && kind == ERROR_MEMORY)
        answer = -1;
    else if (claims == NULL && strchr(token, '.') != NULL)
        buf_append_string(&wrong, "go-jose/go-jose: error in cryptographic primitive");
    else if (claims != NULL && is_of_this_server(claims) && check_audiences(claims, audiences, &wrong) &&
             check_times(claims, &wrong) && check_account(access, ns, bound, &wrong) && check_bound(access, ns, bound, &wrong))
        answer = fill_user(user, claims, ns, bound) ? 1 : -1;
    if (answer == 0 && why != NULL) {
        if (wrong.length > 0)
            buf_printf(why, "[invalid bearer token, %s]", wrong.bytes);
        else
            buf_append_string(why, "invalid bearer token");
    }
    if (answer < 0)
        user_free(user);
    buf_free(&wrong);
    value_free(claims);
    return answer;
}

struct value *token_audiences(struct access *access, const char *token, const struct value *audiences)
{
    enum error_kind kind;
    struct value *claims = claims_of(access, token, &kind), *list = claims != NULL ? value_array() : NULL;
    bool ok = list != NULL;
    if (ok && audiences == NULL)
        ok = value_append(list, value_string(TOKEN_ISSUER));
    for (const struct value *item = value_first(audiences); ok && item != NULL; item = value_next(item))
        if (value_text(item) != NULL && names(value_get(claims, "aud"), value_text(item)))
            ok = value_append(list, value_copy(item));
    value_free(claims);
    if (ok)
        return list;
    value_free(list);
    return NULL;
}

/* What a token is asked for. */
struct wish {
    const struct object *account;
    const struct value *audiences; /* never empty */
    int64_t seconds;
    struct value *bound; /* {"pod":{...},"node":{...}} */
    bool of_pod;
};

static bool bind_to(struct wish *wish, const char *claim, const char *name, const char *uid)
{
    if (!value_set(wish->bound, claim, value_object()))
        return false;
    struct value *reference = value_get(wish->bound, claim);
    return value_set(reference, "name", value_string(name)) && (uid == NULL || value_set(reference, "uid", value_string(uid)));
}

static bool bind_pod(struct access *access, struct wish *wish, const struct object *pod, struct status *failure)
{
    struct value *value = lookup_value(pod);
    if (value == NULL)
        return access_no_memory(failure);
    const char *account = value_find_text(value, "spec", "serviceAccountName", NULL),
               *node = value_find_text(value, "spec", "nodeName", NULL);
    bool ok = true;
    if (account == NULL || strcmp(account, wish->account->name) != 0) {
        ok = status_bad_request(
            failure, "cannot bind token for serviceaccount \"%s\" to pod running with different serviceaccount name.",
            wish->account->name);
    } else if (node != NULL && *node != '\0') {
        const struct object *object = lookup(access->api, "", "nodes", "", node);
        ok = bind_to(wish, "node", node, object != NULL ? object->uid : NULL) || access_no_memory(failure);
    }
    wish->of_pod = true;
    value_free(value);
    return ok;
}

/* Looks at spec.boundObjectRef. */
static bool bind_object(struct access *access, const struct call *call, const struct value *reference, struct wish *wish,
                        struct status *failure)
{
    const char *version = value_find_text(reference, "apiVersion", NULL), *kind = value_find_text(reference, "kind", NULL);
    const char *name = value_find_text(reference, "name", NULL), *uid = value_find_text(reference, "uid", NULL);
    if (version == NULL)
        version = "";
    const char *slash = strchr(version, '/');
    for (size_t i = 0; i < BOUND_KINDS && slash == NULL && kind != NULL; i++) {
        const struct bound_kind *bound = &bound_kinds[i];
        if (strcmp(bound->kind, kind) != 0)
            continue;
        const struct object *object =
            name != NULL ? lookup(access->api, "", bound->plural, bound->namespaced ? call->ns : "", name) : NULL;
        if (object == NULL)
            return status_not_found(failure, lookup_kind(access->api, "", bound->plural), name != NULL ? name : "");
        if (i == 0 && !bind_pod(access, wish, object, failure))
            return false;
        if (uid != NULL && *uid != '\0' && strcmp(uid, object->uid) != 0) {
            struct schema_kind as = {.group = "", .plural = kind};
            return status_conflict(failure, &as, name,
                                   "the UID in the bound object reference (%s) does not match the UID in record. The object "
                                   "might have been deleted and then recreated",
                                   uid);
        }
        return bind_to(wish, bound->claim, name, object->uid) || access_no_memory(failure);
    }
    return status_bad_request(failure, "cannot bind token to object of type %s%s, Kind=%s", slash == NULL ? "/" : "", version,
                              kind != NULL ? kind : "");
}

static bool random_id(char id[static 37])
{
    unsigned char b[16];
    if (!crypto_random(b, sizeof b, NULL))
        return false;
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    char *at = id;
    for (size_t i = 0; i < sizeof b; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
    return true;
}

/* Each as an object's next key, in the order of the real server's encoder. */
static struct value *make_claims(const struct call *call, const struct wish *wish, int64_t now)
{
    char id[37];
    struct value *claims = value_object(), *bound = NULL;
    bool stale = wish->of_pod && wish->seconds == TOKEN_PROJECTED_SECONDS && value_length(wish->audiences) == 1 &&
                 names(wish->audiences, TOKEN_ISSUER);
    int64_t seconds = stale ? token_extended_seconds : wish->seconds;
    bool ok = claims != NULL && random_id(id) && value_set(claims, "aud", value_copy(wish->audiences)) &&
              value_set(claims, "exp", value_int(now + seconds)) && value_set(claims, "iat", value_int(now)) &&
              value_set(claims, "iss", value_string(TOKEN_ISSUER)) && value_set(claims, "jti", value_string(id)) &&
              value_set(claims, "kubernetes.io", value_object());
    bound = ok ? value_get(claims, "kubernetes.io") : NULL;
    ok = ok && value_set(bound, "namespace", value_string(call->ns));
    static const char *const in_order[] = {"node", "pod", "secret"};
    for (size_t i = 0; ok && i < sizeof in_order / sizeof in_order[0]; i++)
        if (value_get(wish->bound, in_order[i]) != NULL)
            ok = value_set(bound, in_order[i], value_copy(value_get(wish->bound, in_order[i])));
    struct value *account =
        ok && value_set(bound, "serviceaccount", value_object()) ? value_get(bound, "serviceaccount") : NULL;
    ok = account != NULL && value_set(account, "name", value_string(wish->account->name)) &&
         value_set(account, "uid", value_string(wish->account->uid)) &&
         (!stale || value_set(bound, "warnafter", value_int(now + wish->seconds)));
    char *subject = ok ? mem_printf("system:serviceaccount:%s:%s", call->ns, wish->account->name) : NULL;
    ok = subject != NULL && value_set(claims, "nbf", value_int(now)) && value_set(claims, "sub", value_string(subject));
    mem_free(subject);
    if (ok)
        return claims;
    value_free(claims);
    return NULL;
}

static char *sign(struct access *access, const struct call *call, const struct wish *wish, int64_t now, struct error *err)
{
    struct value *claims = make_claims(call, wish, now);
    char *text = claims != NULL ? json_text(claims, TOKEN_CLAIMS) : NULL, *token = NULL;
    value_free(claims);
    if (text == NULL)
        error_set(err, ERROR_MEMORY, NULL, "no memory for a token, or its audiences are too long");
    else if (access->key_id[0] != '\0' || token_key_id(access->api->token_key, access->key_id, err))
        token = crypto_jwt_sign(access->api->token_key, access->key_id, text, err);
    mem_free(text);
    return token;
}

static bool check_request(const struct call *call, const struct object *account, struct status *failure)
{
    struct problems problems = problems_make();
    const struct place metadata = place_key(NULL, "metadata"), spec = place_key(NULL, "spec");
    const char *name = value_find_text(call->body, "metadata", "name", NULL),
               *ns = value_find_text(call->body, "metadata", "namespace", NULL);
    const char *uid = value_find_text(call->body, "metadata", "uid", NULL);
    int64_t seconds = value_find_int(call->body, TOKEN_SECONDS, "spec", "expirationSeconds", NULL);
    const char *about = "";
    struct place at;
    if (name != NULL && *name != '\0' && strcmp(name, call->name) != 0) {
        at = place_key(&metadata, "name");
        problem_invalid(&problems, &at, name, "must match the service account name if specified");
        about = call->name;
    } else if (ns != NULL && *ns != '\0' && strcmp(ns, call->ns) != 0) {
        problems_free(&problems);
        return status_bad_request(failure,
                                  "the namespace of the provided object does not match the namespace sent on the request");
    } else if (account != NULL && uid != NULL && *uid != '\0' && strcmp(uid, account->uid) != 0) {
        struct schema_kind as = {.group = "authentication.k8s.io", .plural = "TokenRequest"};
        problems_free(&problems);
        return status_conflict(failure, &as, call->name,
                               "the UID in the token request (%s) does not match the UID of the service account (%s)", uid,
                               account->uid);
    } else if (account != NULL && (seconds < TOKEN_LEAST_SECONDS || seconds > token_most_seconds)) {
        at = place_key(&spec, "expirationSeconds");
        struct value *given = value_int(seconds);
        problem_add(&problems, &at, PROBLEM_INVALID, given,
                    seconds < TOKEN_LEAST_SECONDS ? "may not specify a duration less than 10 minutes"
                                                  : "may not specify a duration larger than 2^32 seconds");
        value_free(given);
    }
    bool ok = problems_none(&problems);
    if (!ok)
        status_invalid_as(failure, "authentication.k8s.io", "TokenRequest", about, &problems);
    problems_free(&problems);
    return ok;
}

/* Writes the answer into the request's own document. */
static struct value *token_answer(const struct call *call, const struct wish *wish, const char *token, int64_t now)
{
    char created[21], until[21];
    time_print(now * 1000, created);
    time_print((now + wish->seconds) * 1000, until);
    struct value *out = value_object(), *metadata = out != NULL ? value_object() : NULL,
                 *spec = out != NULL ? value_object() : NULL, *status = out != NULL ? value_object() : NULL;
    const struct value *reference = value_find(call->body, "spec", "boundObjectRef", NULL);
    bool ok =
        metadata != NULL && spec != NULL && status != NULL && value_set(metadata, "name", value_string(wish->account->name)) &&
        value_set(metadata, "namespace", value_string(call->ns)) &&
        value_set(metadata, "uid", value_string(wish->account->uid)) &&
        value_set(metadata, "creationTimestamp", value_string(created)) &&
        value_set(spec, "audiences", value_copy(wish->audiences)) &&
        value_set(spec, "expirationSeconds", value_int(wish->seconds)) &&
        value_set(spec, "boundObjectRef", reference != NULL ? value_copy(reference) : value_null()) &&
        value_set(status, "token", value_string(token)) && value_set(status, "expirationTimestamp", value_string(until)) &&
        value_set(out, "kind", value_string("TokenRequest")) &&
        value_set(out, "apiVersion", value_string("authentication.k8s.io/v1"));
    if (ok) {
        ok = value_set(out, "metadata", metadata);
        metadata = NULL;
    }
    if (ok) {
        ok = value_set(out, "spec", spec);
        spec = NULL;
    }
    if (ok) {
        ok = value_set(out, "status", status);
        status = NULL;
    }
    value_free(metadata);
    value_free(spec);
    value_free(status);
    if (ok)
        return out;
    value_free(out);
    return NULL;
}

void token_request(struct access *access, struct call *call, struct answer *answer)
{
    struct wish wish = {.bound = value_object(),
                        .seconds = value_find_int(call->body, TOKEN_SECONDS, "spec", "expirationSeconds", NULL)};
    struct value *own = value_array();
    const struct value *reference = value_find(call->body, "spec", "boundObjectRef", NULL);
    struct error err = ERROR_INIT;
    int64_t now = clock_wall_ms() / 1000;
    wish.audiences = value_find(call->body, "spec", "audiences", NULL);
    bool ok = wish.bound != NULL && own != NULL && value_append(own, value_string(TOKEN_ISSUER));
    if (!ok)
        access_no_memory(&answer->failure);
    if (value_first(wish.audiences) == NULL)
        wish.audiences = own;
    ok = ok && check_request(call, NULL, &answer->failure);
    wish.account = ok ? lookup(access->api, "", "serviceaccounts", call->ns, call->name) : NULL;
    if (ok && wish.account == NULL)
        ok = status_not_found(&answer->failure, call->kind, call->name);
    ok = ok && check_request(call, wish.account, &answer->failure);
    if (ok && value_type(reference) == VALUE_OBJECT)
        ok = bind_object(access, call, reference, &wish, &answer->failure);
    char *token = ok ? sign(access, call, &wish, now, &err) : NULL;
    if (ok && token == NULL)
        ok = status_error(&answer->failure, &err);
    if (ok) {
        answer->value = token_answer(call, &wish, token, now);
        answer->code = 201;
        if (answer->value == NULL)
            access_no_memory(&answer->failure);
    }
    mem_free(token);
    value_free(own);
    value_free(wish.bound);
}
