#include "practice/api/user.h"

#include <string.h>

#include "base/mem.h"

static const char account_prefix[] = "system:serviceaccount:", node_prefix[] = "system:node:";

bool user_start(struct user *user, const char *name)
{
    *user = (struct user){.name = mem_string(name)};
    user->groups = vec_make(USER_GROUPS, mem_free);
    return user->name != NULL;
}

void user_free(struct user *user)
{
    mem_free(user->name);
    mem_free(user->uid);
    vec_free(&user->groups);
    value_free(user->extra);
    *user = (struct user){0};
}

bool user_has_group(const struct user *user, const char *group)
{
    return vec_has_string(&user->groups, group);
}

bool user_add_group(struct user *user, const char *group)
{
    return user_has_group(user, group) || vec_push_string(&user->groups, group);
}

bool user_add_extra(struct user *user, const char *key, const char *text)
{
    if (user->extra == NULL)
        user->extra = value_object();
    struct value *list = user->extra != NULL ? value_get(user->extra, key) : NULL;
    if (list == NULL) {
        if (user->extra == NULL || !value_set(user->extra, key, value_array()))
            return false;
        list = value_get(user->extra, key);
    }
    return value_append(list, value_string(text));
}

bool user_copy(struct user *to, const struct user *from)
{
    bool ok = user_start(to, from->name);
    for (size_t i = 0; ok && i < from->groups.length; i++)
        ok = vec_push_string(&to->groups, from->groups.items[i]);
    if (ok && from->uid != NULL)
        ok = (to->uid = mem_string(from->uid)) != NULL;
    if (ok && from->extra != NULL)
        ok = (to->extra = value_copy(from->extra)) != NULL;
    return ok;
}

bool user_is_account(const char *name, char **ns, char **account)
{
    size_t prefix = sizeof account_prefix - 1;
    if (strncmp(name, account_prefix, prefix) != 0)
        return false;
    const char *colon = strchr(name + prefix, ':');
    if (colon == NULL || colon == name + prefix || colon[1] == '\0' || strchr(colon + 1, ':') != NULL)
        return false;
    *ns = mem_string_n(name + prefix, (size_t)(colon - name) - prefix);
    *account = mem_string(colon + 1);
    if (*ns != NULL && *account != NULL)
        return true;
    mem_free(*ns);
    mem_free(*account);
    return false;
}

bool user_add_account_groups(struct user *user, const char *ns)
{
    char *group = mem_printf("system:serviceaccounts:%s", ns);
    bool ok = group != NULL && user_add_group(user, "system:serviceaccounts") && user_add_group(user, group);
    mem_free(group);
    return ok;
}

bool user_is_node(const char *name)
{
    return strncmp(name, node_prefix, sizeof node_prefix - 1) == 0 && name[sizeof node_prefix - 1] != '\0';
}

struct value *user_value(const struct user *user)
{
    struct value *value = value_object();
    bool ok = value != NULL && value_set(value, "username", value_string(user->name));
    if (ok && user->uid != NULL && *user->uid != '\0')
        ok = value_set(value, "uid", value_string(user->uid));
    if (ok && user->groups.length > 0) {
        ok = value_set(value, "groups", value_array());
        for (size_t i = 0; ok && i < user->groups.length; i++)
            ok = value_append(value_get(value, "groups"), value_string(user->groups.items[i]));
    }
    if (ok && user->extra != NULL && value_first(user->extra) != NULL)
        ok = value_set(value, "extra", value_copy(user->extra));
    if (ok)
        return value;
    value_free(value);
    return NULL;
}
