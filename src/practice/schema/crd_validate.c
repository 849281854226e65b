/* crd_validate: is a definition right? In the order and the words of apiextensions-apiserver's
 * pkg/apis/apiextensions/validation. What all versions have in common is told as the server's internal type has it: once, at
 * spec.validation, spec.subresources and so on. Versions are crd_version.c. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/crd_judge.h"
#include "practice/schema/rules_internal.h"

enum { JOINED = 4096 };

static const struct place root = {0};

void crd_judge_joined(const struct place *place, const char *value, const char *before, struct complaints complaints,
                         struct problems *problems)
{
    struct buf text = buf_make(JOINED);
    if (complaints.count == 0)
        return;
    buf_append_string(&text, before);
    for (size_t i = 0; i < complaints.count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "," : "", complaints.text[i]);
    if (buf_ok(&text))
        problem_invalid(problems, place, value, "%s", text.bytes);
    else
        problems->failed = true;
    buf_free(&text);
}

/* ---- names ---- */

static void check_label(const struct place *up, const char *key, const char *value, struct problems *problems)
{
    const struct place at = key != NULL ? place_key(up, key) : *up;
    if (key == NULL || value[0] != '\0')
        crd_judge_joined(&at, value, "", name_label_1035(value), problems);
}

static void check_kind(const struct place *up, const char *key, const char *value, struct problems *problems)
{
    const struct place at = place_key(up, key);
    char *lower = mem_string(value);
    if (lower == NULL) {
        problems->failed = true;
        return;
    }
    for (char *p = lower; *p != '\0'; p++)
        *p = (char)tolower((unsigned char)*p);
    if (value[0] != '\0')
        crd_judge_joined(&at, value, "may have mixed case, but should otherwise match: ", name_label_1035(lower), problems);
    mem_free(lower);
}

static void check_texts(const struct value *names, const char *key, const struct place *place, struct problems *problems)
{
    const struct place list = place_key(place, key);
    size_t index = 0;
    EACH(entry, value_get(names, key))
    {
        const struct place at = place_index(&list, index++);
        check_label(&at, NULL, value_text(entry) != NULL ? value_text(entry) : "", problems);
    }
}

static void check_names(const struct value *names, const struct place *place, struct problems *problems)
{
    const struct place list_kind = place_key(place, "listKind");
    check_label(place, "plural", text_of(names, "plural"), problems);
    check_label(place, "singular", text_of(names, "singular"), problems);
    check_kind(place, "kind", text_of(names, "kind"), problems);
    check_kind(place, "listKind", text_of(names, "listKind"), problems);
    check_texts(names, "shortNames", place, problems);
    if (*text_of(names, "kind") != '\0' && text_is(names, "listKind", text_of(names, "kind")))
        problem_invalid(problems, &list_kind, text_of(names, "listKind"), "kind and listKind may not be the same");
    check_texts(names, "categories", place, problems);
}

/* ---- conversion ---- */

static void check_review_versions(const struct value *list, const struct place *up, struct problems *problems)
{
    const struct place place = place_key(up, "conversionReviewVersions");
    bool known = false;
    size_t index = 0;
    if (value_first(list) == NULL) {
        problem_required(problems, up, "conversionReviewVersions", NULL);
        return;
    }
    EACH(entry, list)
    {
        const struct place at = place_index(&place, index++);
        const char *name = value_text(entry) != NULL ? value_text(entry) : "";
        known = known || strcmp(name, "v1") == 0 || strcmp(name, "v1beta1") == 0;
        if (seen_before(list, entry, NULL))
            problem_invalid(problems, &at, name, "duplicate version");
        else
            name_problems(problems, &at, name, name_label_1035(name));
    }
    if (!known)
        problem_add(problems, &place, PROBLEM_INVALID, list, "must include at least one of v1, v1beta1");
}

static void check_webhook(const struct value *client, const struct place *place, struct problems *problems)
{
    const struct value *service = value_get(client, "service");
    const struct place own = place_key(place, "service"), port = place_key(&own, "port"), url = place_key(place, "url");
    const char *address = value_text(value_get(client, "url"));
    if ((address == NULL) == (service == NULL)) {
        problem_required(problems, place, NULL, "exactly one of url or service is required");
        return;
    }
    if (service == NULL) {
        if (!starts_with(address, "https://"))
            problem_text(problems, &url, PROBLEM_INVALID, strncmp(address, "http:", 5) == 0 ? "\"http\"" : "\"\"",
                         "'https' is the only allowed URL scheme; desired format: https://host[/path]");
        else if (address[8] == '\0' || address[8] == '/')
            problem_invalid(problems, &url, "", "host must be specified; desired format: https://host[/path]");
        return;
    }
    if (*text_of(service, "name") == '\0')
        problem_required(problems, &own, "name", NULL);
    if (*text_of(service, "namespace") == '\0')
        problem_required(problems, &own, "namespace", NULL);
    int64_t number = int_of(service, "port", 443);
    if (number < 1 || number > 65535)
        problem_number(problems, &port, number, "port is not valid: must be between 1 and 65535, inclusive");
}

static void check_conversion(const struct value *conversion, const struct place *spec, struct problems *problems)
{
    static const char *const strategies[] = {"None", "Webhook", NULL};
    const struct place place = place_key(spec, "conversion"), strategy = place_key(&place, "strategy"),
                       client = place_key(&place, "webhookClientConfig");
    const struct value *webhook = value_get(conversion, "webhook"), *config = value_get(webhook, "clientConfig");
    if (value_type(conversion) != VALUE_OBJECT)
        return;
    if (*text_of(conversion, "strategy") == '\0')
        problem_required(problems, &place, "strategy", NULL);
    else if (!one_of(text_of(conversion, "strategy"), strategies))
        problem_unsupported(problems, &strategy, text_of(conversion, "strategy"), strategies);
    if (text_is(conversion, "strategy", "Webhook")) {
        if (config == NULL)
            problem_required(problems, &place, "webhookClientConfig", "required when strategy is set to Webhook");
        else
            check_webhook(config, &client, problems);
        check_review_versions(value_get(webhook, "conversionReviewVersions"), &place, problems);
        return;
    }
    if (config != NULL)
        problem_forbidden(problems, &place, "webhookClientConfig", "should not be set when strategy is not set to Webhook");
    if (value_first(value_get(webhook, "conversionReviewVersions")) != NULL)
        problem_forbidden(problems, &place, "conversionReviewVersions",
                          "should not be set when strategy is not set to Webhook");
}

/* ---- all of a definition ---- */

static void check_group(const char *group, const struct place *spec, struct problems *problems)
{
    const struct place place = place_key(spec, "group");
    struct complaints complaints = name_subdomain(group);
    if (group[0] == '\0')
        problem_required(problems, spec, "group", NULL);
    else if (complaints.count > 0)
        crd_judge_joined(&place, group, "", complaints, problems);
    else if (strchr(group, '.') == NULL)
        problem_invalid(problems, &place, group, "should be a domain with at least one dot");
}

static bool alike(const struct value *versions, const char *key)
{
    const struct value *first = value_get(value_first(versions), key);
    EACH(version, versions)
        if (!same(value_get(version, key), first))
            return false;
    return true;
}

static void check_spec(const struct value *spec, const struct place *place, struct problems *problems)
{
    static const char *const scopes[] = {"Cluster", "Namespaced", NULL}, *const needed[] = {"plural", "singular", "kind",
                                                                                            "listKind"};
    const struct place scope = place_key(place, "scope"), names = place_key(place, "names");
    const struct value *versions = value_get(spec, "versions");
    const struct crd_lifted lifted = {alike(versions, "schema"), alike(versions, "subresources"),
                                      alike(versions, "additionalPrinterColumns"), alike(versions, "selectableFields")};
    check_group(text_of(spec, "group"), place, problems);
    if (*text_of(spec, "scope") == '\0')
        problem_required(problems, place, "scope", NULL);
    else if (!one_of(text_of(spec, "scope"), scopes))
        problem_unsupported(problems, &scope, text_of(spec, "scope"), scopes);
    crd_judge_versions(versions, &lifted, place, problems);
    for (size_t i = 0; i < 4; i++)
        if (*text_of(value_get(spec, "names"), needed[i]) == '\0')
            problem_required(problems, &names, needed[i], NULL);
    check_names(value_get(spec, "names"), &names, problems);
    crd_judge_lifted(versions, &lifted, place, problems);
    check_conversion(value_get(spec, "conversion"), place, problems);
}

static void check_stored(const struct value *definition, const struct place *status, struct problems *problems)
{
    const struct place place = place_key(status, "storedVersions");
    const struct value *stored = value_find(definition, "status", "storedVersions", NULL),
                       *versions = value_find(definition, "spec", "versions", NULL);
    size_t index = 0;
    if (value_first(stored) == NULL) {
        problem_text(problems, &place, PROBLEM_INVALID, stored != NULL && value_type(stored) == VALUE_ARRAY ? "[]" : "null",
                     "must have at least one stored version");
        return;
    }
    EACH(version, versions)
    {
        bool known = false;
        EACH(entry, stored)
            known = known || (value_text(entry) != NULL && text_is(version, "name", value_text(entry)));
        if (is_true(version, "storage") &&
            (!known || seen_before(versions, version, "name"))) /* each stored one is good for one version */
            problem_add(problems, &place, PROBLEM_INVALID, stored, "must have the storage version %s",
                        text_of(version, "name"));
    }
    EACH(entry, stored)
    {
        const char *name = value_text(entry) != NULL ? value_text(entry) : "";
        const struct place at = place_index(&place, index++);
        bool known = false;
        EACH(version, versions)
            known = known || text_is(version, "name", name);
        if (!known)
            problem_invalid(problems, &at, name,
                            "missing from spec.versions; %s was previously a storage version, and must remain in spec.versions "
                            "until a storage migration ensures no data remains "
                            "persisted in %s and removes %s from status.storedVersions",
                            name, name, name);
    }
}

static void check_approval(const struct value *definition, const struct value *old, struct problems *problems)
{
    static const char *const key = "api-approved.kubernetes.io";
    const struct place metadata = place_key(&root, "metadata"), annotations = place_key(&metadata, "annotations"),
                       at = place_map(&annotations, key);
    const char *group = text_of(value_get(definition, "spec"), "group"), *approval = annotation_of(definition, key),
               *was = old != NULL ? annotation_of(old, key) : NULL;
    bool is_protected = strcmp(group, "k8s.io") == 0 || strcmp(group, "kubernetes.io") == 0 || ends_with(group, ".k8s.io") ||
                        ends_with(group, ".kubernetes.io");
    if (!is_protected || (old != NULL && strcmp(was != NULL ? was : "", approval != NULL ? approval : "") == 0))
        return;
    if (approval == NULL || approval[0] == '\0') {
        problem_required(problems, &at, NULL,
                         "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
                         "https://github.com/kubernetes/enhancements/pull/1111");
        return;
    }
    const char *host = strstr(approval, "://");
    if (!starts_with(approval, "unapproved") && (host == NULL || host == approval || host[3] == '\0' || host[3] == '/'))
        problem_invalid(problems, &at, approval,
                        "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a "
                        "reason starting with \"unapproved\", see "
                        "https://github.com/kubernetes/enhancements/pull/1111");
}

static void check_name_of(const struct value *definition, struct problems *problems)
{
    const struct place metadata = place_key(&root, "metadata"), at = place_key(&metadata, "name");
    const struct value *spec = value_get(definition, "spec");
    const char *name = text_of(value_get(definition, "metadata"), "name");
    char *wanted = mem_printf("%s.%s", text_of(value_get(spec, "names"), "plural"), text_of(spec, "group"));
    if (wanted == NULL)
        problems->failed = true;
    else if (strcmp(name, wanted) != 0 && name[0] != '\0')
        problem_invalid(problems, &at, name, "must be spec.names.plural+\".\"+spec.group");
    mem_free(wanted);
}

void crd_validate(const struct value *definition, const struct value *old, struct problems *problems)
{
    const struct place spec = place_key(&root, "spec"), names = place_key(&spec, "names"), status = place_key(&root, "status"),
                       accepted = place_key(&status, "acceptedNames");
    const struct place preserve = place_key(&spec, "preserveUnknownFields");
    const struct value *now = value_get(definition, "spec"), *was = value_get(old, "spec");
    if (old == NULL)
        check_name_of(definition, problems);
    check_spec(now, &spec, problems);
    if (old != NULL) {
        bool established = false;
        EACH(condition, value_find(old, "status", "conditions", NULL))
            established = established || (text_is(condition, "type", "Established") && text_is(condition, "status", "True"));
        if (established) {
            check_unchanged(problems, now, was, &spec, "scope");
            check_unchanged(problems, value_get(now, "names"), value_get(was, "names"), &names, "kind");
        }
        check_unchanged(problems, now, was, &spec, "group");
        check_unchanged(problems, value_get(now, "names"), value_get(was, "names"), &names, "plural");
    }
    check_names(value_find(definition, "status", "acceptedNames", NULL), &accepted, problems);
    check_stored(definition, &status, problems);
    check_approval(definition, old, problems);
    if (is_true(now, "preserveUnknownFields") && !is_true(was, "preserveUnknownFields"))
        problem_add(problems, &preserve, PROBLEM_INVALID, value_get(now, "preserveUnknownFields"),
                    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
}

void crd_validate_status(const struct value *definition, struct problems *problems)
{
    const struct place status = place_key(&root, "status"), accepted = place_key(&status, "acceptedNames");
    check_names(value_find(definition, "status", "acceptedNames", NULL), &accepted, problems);
}
