/* The cache of roles and bindings: fed from watches on the state, read by subject. A role's text is read only when somebody
 * needs its rules. */
#include "practice/api/rbac.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"

enum { RBAC_OBJECTS = 1 << 20 };

struct binding;

enum subject_kind { SUBJECT_USER, SUBJECT_GROUP, SUBJECT_ACCOUNT };

struct rbac_grant {
    struct binding *binding;
    enum subject_kind kind;
    char *key;       /* the user's or group's name; of a ServiceAccount, its user name */
    char *name, *ns; /* of a ServiceAccount; else NULL */
};

struct cached_role {
    struct object *object;
    struct rbac_role role;
    bool is_read;
};

struct binding {
    char *ns, *name, *role_kind, *role_name;
    struct rbac_grant *grants;
    size_t count;
    struct cached_role *role; /* as of role_round */
    uint64_t role_round, visit;
};

enum { FEED_CLUSTER_ROLES, FEED_ROLES, FEED_CLUSTER_BINDINGS, FEED_BINDINGS, FEEDS };
static const char *const feed_names[FEEDS] = {"clusterroles", "roles", "clusterrolebindings", "rolebindings"};

struct feed {
    struct rbac *rbac;
    int number;
    state_resource resource;
    struct state_watch *watch; /* NULL: everything must be read anew */
};

struct rbac {
    struct api *api;
    struct feed feeds[FEEDS];
    struct map roles;         /* of struct cached_role, by "namespace/name" */
    struct map bindings;      /* of struct binding, freed by hand: they stand in the indexes, too */
    struct map users, groups; /* of struct vec, of grants */
    uint64_t round;           /* grows when roles come or go */
    uint64_t visit;
    struct loop_event *timer; /* tells that ClusterRoles changed */
    void (*changed)(void *data);
    void *data;
};

static bool is_bindings(int feed)
{
    return feed == FEED_CLUSTER_BINDINGS || feed == FEED_BINDINGS;
}

static void free_role(void *data)
{
    struct cached_role *cached = data;
    rbac_role_free(&cached->role);
    object_unref(cached->object);
    mem_free(cached);
}

static void free_binding(void *data)
{
    struct binding *binding = data;
    for (size_t i = 0; i < binding->count; i++) {
        mem_free(binding->grants[i].key);
        mem_free(binding->grants[i].name);
        mem_free(binding->grants[i].ns);
    }
    mem_free(binding->grants);
    mem_free(binding->ns);
    mem_free(binding->name);
    mem_free(binding->role_kind);
    mem_free(binding->role_name);
    mem_free(binding);
}

static void free_list(void *data)
{
    vec_free(data);
    mem_free(data);
}

static struct value *document(const struct object *object)
{
    struct buf text = buf_make(object->length + 64);
    object_print(object, "{", &text);
    struct value *value = buf_ok(&text) ? json_parse(text.bytes, text.length, "a role", NULL) : NULL;
    buf_free(&text);
    return value;
}

/* "namespace/name"; false: longer than any name can be. */
static bool key_of(char key[static RBAC_NAME], const char *ns, const char *name)
{
    int length = snprintf(key, RBAC_NAME, "%s/%s", ns, name);
    return length > 0 && length < RBAC_NAME;
}

static char *account_user(const char *ns, const char *name)
{
    return mem_printf("system:serviceaccount:%s:%s", ns, name);
}

/* Fills a grant from a subject; *use says whether it can ever apply. */
static bool read_subject(const struct value *subject, const char *ns, struct rbac_grant *grant, bool *use)
{
    const char *kind = value_find_text(subject, "kind", NULL), *name = value_find_text(subject, "name", NULL);
    *use = false;
    if (kind == NULL || name == NULL)
        return true;
    if (strcmp(kind, "ServiceAccount") == 0) {
        const char *own = value_find_text(subject, "namespace", NULL);
        if (own == NULL || *own == '\0')
            own = ns;
        if (*own == '\0')
            return true;
        *grant = (struct rbac_grant){
            .kind = SUBJECT_ACCOUNT, .key = account_user(own, name), .name = mem_string(name), .ns = mem_string(own)};
        *use = true;
        return grant->key != NULL && grant->name != NULL && grant->ns != NULL;
    }
    if (strcmp(kind, "User") != 0 && strcmp(kind, "Group") != 0)
        return true;
    *grant = (struct rbac_grant){.kind = *kind == 'U' ? SUBJECT_USER : SUBJECT_GROUP, .key = mem_string(name)};
    *use = true;
    return grant->key != NULL;
}

static struct binding *read_binding(const struct object *object)
{
    struct value *value = document(object);
    struct binding *binding = value != NULL ? mem_zero(1, sizeof *binding) : NULL;
    if (binding == NULL) {
        value_free(value);
        return NULL;
    }
    const struct value *subjects = value_get(value, "subjects");
    const char *kind = value_find_text(value, "roleRef", "kind", NULL), *name = value_find_text(value, "roleRef", "name", NULL);
    binding->ns = mem_string(object->ns);
    binding->name = mem_string(object->name);
    binding->role_kind = mem_string(kind != NULL ? kind : "");
    binding->role_name = mem_string(name != NULL ? name : "");
    binding->grants = mem_zero(value_length(subjects), sizeof *binding->grants);
    bool ok = binding->ns != NULL && binding->name != NULL && binding->role_kind != NULL && binding->role_name != NULL &&
              binding->grants != NULL;
    for (const struct value *subject = value_first(subjects); ok && subject != NULL; subject = value_next(subject)) {
        struct rbac_grant *grant = &binding->grants[binding->count];
        bool use;
        ok = read_subject(subject, object->ns, grant, &use);
        grant->binding = binding;
        binding->count += use ? 1 : 0;
    }
    value_free(value);
    if (!ok) {
        free_binding(binding);
        return NULL;
    }
    return binding;
}

static struct map *index_of(struct rbac *rbac, const struct rbac_grant *grant)
{
    return grant->kind == SUBJECT_GROUP ? &rbac->groups : &rbac->users;
}

static void unindex(struct rbac *rbac, struct binding *binding)
{
    for (size_t i = 0; i < binding->count; i++) {
        struct map *map = index_of(rbac, &binding->grants[i]);
        struct vec *list = map_get(map, binding->grants[i].key);
        for (size_t j = 0; list != NULL && j < list->length; j++)
            if (list->items[j] == &binding->grants[i])
                vec_remove(list, j--);
        if (list != NULL && list->length == 0)
            map_remove(map, binding->grants[i].key);
    }
}

static bool index_grant(struct rbac *rbac, struct rbac_grant *grant)
{
    struct map *map = index_of(rbac, grant);
    struct vec *list = map_get(map, grant->key);
    if (list == NULL) {
        list = mem_alloc(sizeof *list);
        if (list == NULL)
            return false;
        *list = vec_make(RBAC_SUBJECTS, NULL);
        if (!map_set(map, grant->key, list))
            return false;
    }
    return vec_push(list, grant);
}

static void drop(struct rbac *rbac, int feed, const char *key)
{
    if (is_bindings(feed)) {
        struct binding *old = map_take(&rbac->bindings, key);
        if (old == NULL)
            return;
        unindex(rbac, old);
        free_binding(old);
    } else {
        rbac->round++;
        map_remove(&rbac->roles, key);
    }
}

static bool put_binding(struct rbac *rbac, const char *key, const struct object *object)
{
    struct binding *binding = read_binding(object);
    if (binding == NULL)
        return false;
    for (size_t i = 0; i < binding->count; i++) {
        if (!index_grant(rbac, &binding->grants[i])) {
            unindex(rbac, binding);
            free_binding(binding);
            return false;
        }
    }
    if (map_set(&rbac->bindings, key, binding))
        return true;
    unindex(rbac, binding);
    free_binding(binding);
    return false;
}

static bool put_role(struct rbac *rbac, const char *key, const struct object *object)
{
    struct cached_role *cached = mem_zero(1, sizeof *cached);
    if (cached == NULL)
        return false;
    cached->object = object_ref(object);
    rbac->round++;
    return map_set(&rbac->roles, key, cached);
}

static bool put(struct rbac *rbac, int feed, const struct object *object)
{
    char key[RBAC_NAME];
    if (!key_of(key, object->ns, object->name))
        return true; /* no such name can be stored */
    drop(rbac, feed, key);
    return is_bindings(feed) ? put_binding(rbac, key, object) : put_role(rbac, key, object);
}

static void forget(struct rbac *rbac, int feed)
{
    struct map *map = is_bindings(feed) ? &rbac->bindings : &rbac->roles;
    bool cluster = feed == FEED_CLUSTER_ROLES || feed == FEED_CLUSTER_BINDINGS;
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(map, &cursor)) != NULL;)
        if ((entry->key[0] == '/') == cluster)
            drop(rbac, feed, entry->key);
}

static void ready(void *data)
{
    const struct feed *feed = data;
    if (feed->number == FEED_CLUSTER_ROLES)
        loop_set_timer(feed->rbac->timer, 0);
}

static bool read_all(struct feed *feed)
{
    struct rbac *rbac = feed->rbac;
    struct state *state = rbac->api->state;
    struct vec objects;
    bool more;
    forget(rbac, feed->number);
    uint64_t version = state_committed(state);
    if (!state_list(state, feed->resource, NULL, version, NULL, NULL, 0, NULL, NULL, &objects, &more, NULL))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < objects.length; i++)
        ok = put(rbac, feed->number, objects.items[i]);
    vec_free(&objects);
    if (ok)
        feed->watch = state_watch_new(state, feed->resource, NULL, version, ready, feed, NULL);
    if (feed->number == FEED_CLUSTER_ROLES)
        loop_set_timer(rbac->timer, 0);
    return feed->watch != NULL;
}

static void start_over(struct feed *feed)
{
    state_watch_free(feed->watch);
    feed->watch = NULL;
}

static bool follow(struct feed *feed)
{
    if (feed->watch == NULL)
        return read_all(feed);
    struct state_event event;
    enum state_step step;
    while ((step = state_watch_next(feed->watch, &event)) == STATE_EVENT) {
        bool ok = true;
        char key[RBAC_NAME];
        if (event.change != STATE_DELETED)
            ok = put(feed->rbac, feed->number, event.object);
        else if (key_of(key, event.object->ns, event.object->name))
            drop(feed->rbac, feed->number, key);
        if (feed->number == FEED_CLUSTER_ROLES)
            loop_set_timer(feed->rbac->timer, 0);
        if (!ok) {
            start_over(feed);
            return false;
        }
    }
    if (step != STATE_EXPIRED)
        return true;
    start_over(feed);
    return read_all(feed);
}

/* Brings the cache up to what is committed. False: no memory; nothing may be allowed then. */
static bool catch_up(struct rbac *rbac)
{
    bool ok = true;
    for (int i = 0; i < FEEDS; i++)
        ok = follow(&rbac->feeds[i]) && ok;
    return ok;
}

static void tell(void *data)
{
    struct rbac *rbac = data;
    catch_up(rbac); /* so that the watch tells of the next change */
    rbac->changed(rbac->data);
}

struct rbac *rbac_new(struct api *api, void (*changed)(void *data), void *data, struct error *err)
{
    struct rbac *rbac = mem_zero(1, sizeof *rbac);
    if (rbac == NULL) {
        error_memory(err);
        return NULL;
    }
    *rbac = (struct rbac){.api = api, .changed = changed, .data = data, .round = 1};
    rbac->roles = map_make(RBAC_OBJECTS, free_role);
    rbac->bindings = map_make(RBAC_OBJECTS, NULL);
    rbac->users = map_make(RBAC_OBJECTS, free_list);
    rbac->groups = map_make(RBAC_OBJECTS, free_list);
    rbac->timer = loop_add_timer(api->loop, -1, tell, rbac);
    bool ok = rbac->timer != NULL || error_memory(err);
    for (int i = 0; ok && i < FEEDS; i++) {
        const struct schema_kind *kind = registry_find(api->registry, "rbac.authorization.k8s.io", "v1", feed_names[i]);
        state_resource resource = kind != NULL ? registry_resource(api->registry, kind) : 0;
        rbac->feeds[i] = (struct feed){.rbac = rbac, .number = i, .resource = resource};
        ok = resource != 0 || error_set(err, ERROR_INTERNAL, NULL, "%s are not served", feed_names[i]);
    }
    if (!ok) {
        rbac_free(rbac);
        return NULL;
    }
    return rbac;
}

void rbac_free(struct rbac *rbac)
{
    if (rbac == NULL)
        return;
    for (int i = 0; i < FEEDS; i++)
        state_watch_free(rbac->feeds[i].watch);
    loop_drop(rbac->timer);
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(&rbac->bindings, &cursor)) != NULL;)
        free_binding(entry->value);
    map_free(&rbac->bindings);
    map_free(&rbac->roles);
    map_free(&rbac->users);
    map_free(&rbac->groups);
    mem_free(rbac);
}

/* Its rules; NULL with *ok true: there is no such role. */
static const struct rbac_role *rules_of_role(struct cached_role *cached, bool *ok)
{
    if (cached == NULL)
        return NULL;
    if (!cached->is_read) {
        struct value *value = document(cached->object);
        cached->is_read = value != NULL && rbac_role_read(value, &cached->role);
        value_free(value);
    }
    if (!cached->is_read)
        *ok = false;
    return cached->is_read ? &cached->role : NULL;
}

static struct cached_role *find_role(struct rbac *rbac, const char *kind, const char *ns, const char *name)
{
    char key[RBAC_NAME];
    if (strcmp(kind, "ClusterRole") == 0)
        ns = "";
    else if (strcmp(kind, "Role") != 0 || *ns == '\0')
        return NULL;
    return key_of(key, ns, name) ? map_get(&rbac->roles, key) : NULL;
}

const struct rbac_role *rbac_find(struct rbac *rbac, const char *kind, const char *ns, const char *name)
{
    bool ok = catch_up(rbac);
    return ok ? rules_of_role(find_role(rbac, kind, ns, name), &ok) : NULL;
}

static bool applies(const struct rbac_grant *grant, const struct user *user)
{
    return grant->kind == SUBJECT_GROUP ? user_has_group(user, grant->key) : strcmp(grant->key, user->name) == 0;
}

struct visit {
    struct rbac *rbac;
    const struct user *user;
    const char *ns;
    bool (*fn)(void *data, const struct rbac_rule *rule, const struct rbac_grant *grant);
    void *data;
    struct vec *problems;
    bool ok, done;
};

static void missing_role(struct visit *visit, const struct binding *binding)
{
    char text[RBAC_NAME + 128];
    if (visit->problems == NULL)
        return;
    if (strcmp(binding->role_kind, "ClusterRole") != 0 && strcmp(binding->role_kind, "Role") != 0)
        snprintf(text, sizeof text, "unsupported role reference kind: \"%s\"", binding->role_kind);
    else
        snprintf(text, sizeof text, "%s.rbac.authorization.k8s.io \"%s\" not found",
                 *binding->role_kind == 'C' ? "clusterrole" : "role", binding->role_name);
    if (!vec_has_string(visit->problems, text))
        visit->ok = vec_push_string(visit->problems, text) && visit->ok;
}

static void visit_binding(struct visit *visit, struct binding *binding, const struct rbac_grant *grant)
{
    struct rbac *rbac = visit->rbac;
    if (binding->visit == rbac->visit || strcmp(binding->ns, visit->ns) != 0)
        return;
    binding->visit = rbac->visit;
    if (binding->role_round != rbac->round) {
        binding->role = find_role(rbac, binding->role_kind, binding->ns, binding->role_name);
        binding->role_round = rbac->round;
    }
    const struct rbac_role *role = rules_of_role(binding->role, &visit->ok);
    if (role == NULL) {
        if (binding->role == NULL)
            missing_role(visit, binding);
        return;
    }
    for (const struct rbac_grant *first = binding->grants; first < grant; first++) {
        if (applies(first, visit->user)) {
            grant = first;
            break;
        }
    }
    for (size_t i = 0; !visit->done && i < role->count; i++)
        visit->done = !visit->fn(visit->data, &role->rules[i], grant);
}

static void visit_list(struct visit *visit, const struct vec *list)
{
    for (size_t i = 0; list != NULL && !visit->done && i < list->length; i++) {
        struct rbac_grant *grant = list->items[i];
        visit_binding(visit, grant->binding, grant);
    }
}

bool rbac_visit(struct rbac *rbac, const struct user *user, const char *ns,
                bool (*fn)(void *data, const struct rbac_rule *rule, const struct rbac_grant *grant), void *data,
                struct vec *problems)
{
    struct visit visit = {.rbac = rbac, .user = user, .ns = "", .fn = fn, .data = data, .problems = problems, .ok = true};
    if (!catch_up(rbac))
        return false;
    rbac->visit++;
    for (int round = 0; round < 2 && !visit.done; round++) {
        if (round == 1) {
            if (ns == NULL || *ns == '\0')
                break;
            visit.ns = ns;
        }
        visit_list(&visit, map_get(&rbac->users, user->name));
        for (size_t i = 0; i < user->groups.length; i++)
            visit_list(&visit, map_get(&rbac->groups, user->groups.items[i]));
    }
    return visit.ok;
}

void rbac_source(const struct rbac_grant *grant, struct buf *out)
{
    const struct binding *binding = grant->binding;
    if (*binding->ns == '\0')
        buf_printf(out, "ClusterRoleBinding \"%s\"", binding->name);
    else
        buf_printf(out, "RoleBinding \"%s/%s\"", binding->name, binding->ns);
    buf_printf(out, " of %s \"%s\" to ", binding->role_kind, binding->role_name);
    if (grant->kind == SUBJECT_ACCOUNT)
        buf_printf(out, "ServiceAccount \"%s/%s\"", grant->name, grant->ns);
    else
        buf_printf(out, "%s \"%s\"", grant->kind == SUBJECT_USER ? "User" : "Group", grant->key);
}

struct question {
    const struct attributes *what;
    const struct rbac_grant *grant; /* that allows it */
};

static bool ask(void *data, const struct rbac_rule *rule, const struct rbac_grant *grant)
{
    struct question *question = data;
    if (!rbac_rule_allows(rule, question->what))
        return true;
    question->grant = grant;
    return false;
}

static void say_problems(const struct vec *problems, struct buf *reason)
{
    if (problems->length == 0)
        return;
    buf_append_string(reason, problems->length > 1 ? "rbac: RBAC: [" : "rbac: RBAC: ");
    for (size_t i = 0; i < problems->length; i++)
        buf_printf(reason, "%s%s", i > 0 ? ", " : "", (const char *)problems->items[i]);
    if (problems->length > 1)
        buf_append_string(reason, "]");
}

bool rbac_allows(struct rbac *rbac, const struct user *user, const struct attributes *what, struct buf *reason)
{
    struct question question = {.what = what};
    struct vec problems = vec_make(64, mem_free);
    const char *ns = what->group != NULL ? what->ns : NULL;
    rbac_visit(rbac, user, ns, ask, &question, reason != NULL ? &problems : NULL);
    if (reason != NULL && question.grant != NULL) {
        buf_append_string(reason, "RBAC: allowed by ");
        rbac_source(question.grant, reason);
    } else if (reason != NULL) {
        say_problems(&problems, reason);
    }
    vec_free(&problems);
    return question.grant != NULL;
}
