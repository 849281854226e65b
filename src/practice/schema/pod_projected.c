/* Projected volumes: what each of their sources may say. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/pod_internal.h"

enum { SIGNER_NAME = NAME_SUBDOMAIN + 1 + NAME_LABEL + 1 + NAME_SUBDOMAIN /* DOMAIN/NAMESPACE.NAME */ };
enum { EXPIRATION_LEAST = 60 * 60, EXPIRATION_MOST = 91 * 24 * 60 * 60, EXPIRATION_MOST_OF_KUBERNETES = 24 * 60 * 60 }; /* seconds */

/* Paths of all sources of one projected volume. */
static void note_path(struct pod_check *check, struct vec *paths, const char *path, const char *shown, const struct place *place)
{
    if (vec_has_string(paths, path))
        problem_invalid(check->problems, place, shown, "conflicting duplicate paths");
    else if (!vec_push(paths, (void *)(uintptr_t)path))
        check->problems->failed = true;
}

static void check_projected_items(struct pod_check *check, const struct value *source, const struct place *at, const struct place *projected,
                                  struct vec *paths)
{
    if (*text_of(source, "name") == '\0')
        problem_required(check->problems, at, "name", NULL);
    pod_check_items(check->problems, source, at);
    EACH (item, value_get(source, "items"))
        if (*text_of(item, "path") != '\0')
            note_path(check, paths, text_of(item, "path"), text_of(source, "name"), projected);
}

static void check_projected_token(struct pod_check *check, const struct value *token, const struct place *at, const struct place *projected,
                                  struct vec *paths)
{
    (void)paths; /* a token's path may stand there twice */
    const struct place seconds = place_key(at, "expirationSeconds"), path = place_key(projected, "path");
    int64_t expiration = int_of(token, "expirationSeconds", 0);
    if (!has(token, "expirationSeconds"))
        problem_required(check->problems, &seconds, NULL, NULL);
    else if (expiration < 10 * 60)
        problem_number(check->problems, &seconds, expiration, "may not specify a duration less than 10 minutes");
    else if (expiration > (int64_t)1 << 32)
        problem_number(check->problems, &seconds, expiration, "may not specify a duration larger than 2^32 seconds");
    if (*text_of(token, "path") == '\0')
        problem_required(check->problems, &path, NULL, NULL);
    else
        pod_check_local_path(check->problems, text_of(token, "path"), &path);
}

/* `validating label "a": ...` of the first of the parts between dots that is no good. */
static void check_labels_of(struct problems *problems, const char *segment, name_check *check, const struct place *place)
{
    for (const char *at = segment; at != NULL; at = strchr(at, '.') != NULL ? strchr(at, '.') + 1 : NULL) {
        char *label = mem_string_n(at, strcspn(at, "."));
        const struct complaints wrong = label != NULL ? check(label) : (struct complaints){0};
        problems->failed = problems->failed || label == NULL;
        for (size_t i = 0; i < wrong.count; i++)
            problem_invalid(problems, place, segment, "validating label \"%s\": %s", label, wrong.text[i]);
        mem_free(label);
        if (label == NULL || wrong.count > 0)
            return;
    }
}

/* example.com/something: the domain's labels, the path's subdomains. */
static void check_signer(struct problems *problems, const char *signer, const struct place *place)
{
    const char *slash = strchr(signer, '/');
    if (*signer == '\0') {
        problem_required(problems, place, NULL, NULL);
        return;
    }
    if (slash == NULL || strchr(slash + 1, '/') != NULL) {
        problem_invalid(problems, place, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
        return;
    }
    char *domain = mem_string_n(signer, (size_t)(slash - signer));
    if (domain == NULL) {
        problems->failed = true;
        return;
    }
    if (strlen(domain) > NAME_SUBDOMAIN)
        problem_too_long(problems, place, NAME_SUBDOMAIN);
    check_labels_of(problems, domain, name_label, place);
    if (strchr(domain, '.') == NULL)
        problem_invalid(problems, place, domain, "should be a domain with at least two segments separated by dots");
    check_labels_of(problems, slash + 1, name_subdomain, place);
    if (strlen(signer) > SIGNER_NAME)
        problem_too_long(problems, place, SIGNER_NAME);
    mem_free(domain);
}

static bool is_signer_of_kubernetes(const char *signer)
{
    static const char domain[] = "kubernetes.io";
    size_t length = strcspn(signer, "/"), size = sizeof domain - 1;
    return length >= size && memcmp(signer + length - size, domain, size) == 0 && (length == size || signer[length - size - 1] == '.');
}

/* A bundle of a signer is called example.com:something:NAME. */
static void check_bundle_name(struct problems *problems, const char *name, const struct place *place)
{
    const char *colon = strrchr(name, ':'), *slash = strchr(name, '/');
    if (colon != NULL && slash != NULL && slash < colon) {
        char *signer = mem_string_n(name, (size_t)(colon - name)), *prefix = mem_string_n(name, (size_t)(colon + 1 - name));
        for (size_t i = 0; signer != NULL && prefix != NULL && signer[i] != '\0'; i++) {
            signer[i] = signer[i] == ':' ? '/' : signer[i];
            prefix[i] = prefix[i] == '/' ? ':' : prefix[i];
        }
        if (signer != NULL && prefix != NULL)
            problem_invalid(problems, place, name,
                            "not a valid clustertrustbundlename: ClusterTrustBundle for signerName %s must be named with prefix %s", signer, prefix);
        else
            problems->failed = true;
        mem_free(signer);
        mem_free(prefix);
        return;
    }
    const struct complaints wrong = name_subdomain(colon != NULL ? colon + 1 : name);
    for (size_t i = 0; i < wrong.count; i++)
        problem_invalid(problems, place, name, "not a valid clustertrustbundlename: %s", wrong.text[i]);
}

static void check_bundle(struct pod_check *check, const struct value *bundle, const struct place *at, const struct place *projected,
                         struct vec *paths)
{
    const struct place name = place_key(at, "name"), signer = place_key(at, "signerName"), selector = place_key(at, "labelSelector");
    const struct place path = place_key(at, "path");
    const char *file = text_of(bundle, "path");
    if (has(bundle, "name") && has(bundle, "signerName")) {
        problem_internal(check->problems, at, PROBLEM_INVALID, "ClusterTrustBundleProjection", bundle, "only one of name and signerName may be used");
    } else if (has(bundle, "name")) {
        if (text_is(bundle, "name", ""))
            problem_required(check->problems, &name, NULL, "must be a valid object name");
        check_bundle_name(check->problems, text_of(bundle, "name"), &name);
        if (has(bundle, "labelSelector"))
            problem_add(check->problems, &selector, PROBLEM_INVALID, value_get(bundle, "labelSelector"), "labelSelector must be unset if name is specified");
    } else if (has(bundle, "signerName")) {
        if (text_is(bundle, "signerName", ""))
            problem_required(check->problems, &signer, NULL, "must be a valid signer name");
        check_signer(check->problems, text_of(bundle, "signerName"), &signer);
        check_selector(check->problems, value_get(bundle, "labelSelector"), &selector);
    } else {
        problem_required(check->problems, at, NULL, "either name or signerName must be specified");
    }
    if (*file == '\0')
        problem_required(check->problems, &path, NULL, NULL);
    pod_check_local_path(check->problems, file, &path);
    note_path(check, paths, file, file, projected);
}

/* Keys with a domain; their case does not matter. */
static void check_user_annotations(struct problems *problems, const struct value *annotations, const struct place *place)
{
    size_t size = 0;
    EACH (annotation, annotations) {
        char *key = mem_string(value_key(annotation));
        for (size_t i = 0; key != NULL && key[i] != '\0'; i++)
            key[i] = key[i] >= 'A' && key[i] <= 'Z' ? (char)(key[i] - 'A' + 'a') : key[i];
        if (key == NULL)
            problems->failed = true;
        else if (*key == '\0')
            problem_required(problems, place, NULL, NULL);
        else if (name_problems(problems, place, key, name_qualified(key)) && strchr(key, '/') == NULL)
            problem_invalid(problems, place, key, "must be a domain-prefixed key (such as \"acme.io/foo\")");
        mem_free(key);
        size += strlen(value_key(annotation)) + (value_text(annotation) != NULL ? strlen(value_text(annotation)) : 0);
    }
    if (size > ANNOTATIONS_SIZE)
        problem_too_long(problems, place, ANNOTATIONS_SIZE);
}

static void check_certificate(struct pod_check *check, const struct value *certificate, const struct place *at, const struct place *projected,
                              struct vec *paths)
{
    static const char *const types[] = {"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", NULL};
    static const char *const files[] = {"credentialBundlePath", "keyPath", "certificateChainPath", NULL};
    const struct place signer = place_key(at, "signerName"), type = place_key(at, "keyType"), expiration = place_key(at, "maxExpirationSeconds");
    const struct place annotations = place_key(at, "userAnnotations");
    int64_t most = is_signer_of_kubernetes(text_of(certificate, "signerName")) ? EXPIRATION_MOST_OF_KUBERNETES : EXPIRATION_MOST;
    int64_t seconds = int_of(certificate, "maxExpirationSeconds", EXPIRATION_LEAST);
    bool any = false;
    check_signer(check->problems, text_of(certificate, "signerName"), &signer);
    check_user_annotations(check->problems, value_get(certificate, "userAnnotations"), &annotations);
    if (!one_of(text_of(certificate, "keyType"), types))
        problem_unsupported(check->problems, &type, text_of(certificate, "keyType"), types);
    if (seconds < EXPIRATION_LEAST)
        problem_number(check->problems, &expiration, seconds, "if provided, maxExpirationSeconds must be >= %d", EXPIRATION_LEAST);
    if (seconds > most)
        problem_number(check->problems, &expiration, seconds, "if provided, maxExpirationSeconds must be <= %lld", (long long)most);
    for (size_t i = 0; files[i] != NULL; i++) {
        const struct place path = place_key(at, files[i]);
        const char *file = text_of(certificate, files[i]);
        if (*file == '\0')
            continue;
        any = true;
        pod_check_local_path(check->problems, file, &path);
        note_path(check, paths, file, file, projected);
    }
    if (!any)
        problem_required(check->problems, at, NULL, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
}

static void check_files(struct pod_check *check, const struct value *source, const struct place *at, const struct place *projected, struct vec *paths)
{
    EACH (file, value_get(source, "items")) {
        pod_check_downward_file(check->problems, file, at);
        if (*text_of(file, "path") != '\0')
            note_path(check, paths, text_of(file, "path"), text_of(file, "path"), projected);
    }
}

/* In the order in which the server looks at them. */
static const struct {
    const char *key;
    void (*check)(struct pod_check *check, const struct value *source, const struct place *at, const struct place *projected, struct vec *paths);
} sources[] = {
    {"secret", check_projected_items}, {"configMap", check_projected_items}, {"downwardAPI", check_files},
    {"serviceAccountToken", check_projected_token}, {"clusterTrustBundle", check_bundle}, {"podCertificate", check_certificate},
};

void pod_check_projected(struct pod_check *check, const struct value *source, const struct place *place)
{
    const struct place all = place_key(place, "sources");
    struct vec paths = vec_make(100000, NULL);
    pod_check_mode(check->problems, source, place, "defaultMode");
    size_t i = 0;
    EACH (one, value_get(source, "sources")) {
        const struct place at = place_index(&all, i++);
        size_t count = 0;
        for (size_t k = 0; k < sizeof sources / sizeof sources[0]; k++) {
            const struct place part = place_key(&at, sources[k].key);
            if (!has(one, sources[k].key))
                continue;
            count++;
            sources[k].check(check, value_get(one, sources[k].key), &part, place, &paths);
        }
        if (count > 1)
            problem_forbidden(check->problems, &at, NULL, "may not specify more than 1 volume type per source");
    }
    vec_free(&paths);
}
