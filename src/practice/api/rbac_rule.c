/* Rules: reading them from a role, and holding a request against one (k8s.io/kubernetes pkg/apis/rbac/v1/evaluation_helpers.go
 * has the facts). */
#include "practice/api/rbac.h"

#include <string.h>

#include "base/mem.h"

static const char *const rule_fields[] = {"verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"};
enum { RULE_FIELDS = sizeof rule_fields / sizeof rule_fields[0] };

/* How many words and bytes the rules take. */
static void measure(const struct value *rules, size_t *count, size_t *words, size_t *bytes)
{
    for (const struct value *rule = value_first(rules); rule != NULL; rule = value_next(rule)) {
        ++*count;
        for (size_t i = 0; i < RULE_FIELDS; i++) {
            ++*words; /* the NULL at the end */
            for (const struct value *word = value_first(value_get(rule, rule_fields[i])); word != NULL;
                 word = value_next(word)) {
                const char *text = value_text(word);
                if (text == NULL)
                    continue;
                ++*words;
                *bytes += strlen(text) + 1;
            }
        }
    }
}

bool rbac_role_read(const struct value *object, struct rbac_role *role)
{
    size_t count = 0, words = 0, bytes = 0;
    const struct value *rules = value_get(object, "rules");
    measure(rules, &count, &words, &bytes);
    *role = (struct rbac_role){.rules = mem_zero(count, sizeof *role->rules),
                               .count = count,
                               .words = mem_zero(words, sizeof *role->words),
                               .text = mem_alloc(bytes)};
    if (role->rules == NULL || role->words == NULL || role->text == NULL) {
        rbac_role_free(role);
        return false;
    }
    const char **next_word = role->words;
    char *next_byte = role->text;
    struct rbac_rule *out = role->rules;
    for (const struct value *rule = value_first(rules); rule != NULL; rule = value_next(rule), out++) {
        const char *const **arrays[RULE_FIELDS] = {&out->verbs, &out->groups, &out->resources, &out->names, &out->urls};
        for (size_t i = 0; i < RULE_FIELDS; i++) {
            *arrays[i] = next_word;
            for (const struct value *word = value_first(value_get(rule, rule_fields[i])); word != NULL;
                 word = value_next(word)) {
                const char *text = value_text(word);
                if (text == NULL)
                    continue;
                size_t length = strlen(text) + 1;
                memcpy(next_byte, text, length);
                *next_word++ = next_byte;
                next_byte += length;
            }
            *next_word++ = NULL;
        }
    }
    return true;
}

void rbac_role_free(struct rbac_role *role)
{
    mem_free(role->rules);
    mem_free(role->words);
    mem_free(role->text);
    *role = (struct rbac_role){0};
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static bool has(const char *const *words, const char *word)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static bool has_or_all(const char *const *words, const char *word)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, "*") == 0 || strcmp(*words, word) == 0)
            return true;
    return false;
}

/* "pods", "pods/log", "*", and of subresources any "*" + "/log"; a rule's "pods/" followed by a star means nothing. */
static bool resource_matches(const char *const *words, const char *resource, const char *subresource)
{
    size_t length = strlen(resource);
    for (; *words != NULL; words++) {
        const char *word = *words;
        if (strcmp(word, "*") == 0)
            return true;
        if (*subresource == '\0') {
            if (strcmp(word, resource) == 0)
                return true;
            continue;
        }
        if (strncmp(word, resource, length) == 0 && word[length] == '/' && strcmp(word + length + 1, subresource) == 0)
            return true;
        if (strncmp(word, "*/", 2) == 0 && strcmp(word + 2, subresource) == 0)
            return true;
    }
    return false;
}

static bool url_matches(const char *const *words, const char *path)
{
    for (; *words != NULL; words++) {
        size_t length = strlen(*words);
        if (strcmp(*words, "*") == 0 || strcmp(*words, path) == 0)
            return true;
        if (length == 0 || (*words)[length - 1] != '*')
            continue;
        while (length > 0 && (*words)[length - 1] == '*')
            length--;
        if (strncmp(*words, path, length) == 0)
            return true;
    }
    return false;
}

bool rbac_rule_allows(const struct rbac_rule *rule, const struct attributes *what)
{
    if (!has_or_all(rule->verbs, or_empty(what->verb)))
        return false;
    if (what->group == NULL)
        return url_matches(rule->urls, or_empty(what->path));
    return has_or_all(rule->groups, what->group) &&
           resource_matches(rule->resources, or_empty(what->resource), or_empty(what->subresource)) &&
           (rule->names[0] == NULL || has(rule->names, or_empty(what->name)));
}
