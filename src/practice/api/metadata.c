/* metadata: what the server owns of an object's metadata, and what a request may say of it. */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/buf.h"
#include "data/units.h"
#include "practice/api/verbs.h"

struct value *metadata_of(struct value *document)
{
    return value_child(document, "metadata");
}

bool metadata_set_text(struct value *document, const char *key, const char *text)
{
    struct value *metadata = metadata_of(document);
    return metadata != NULL && value_set(metadata, key, value_string(text));
}

static const char *metadata_text(const struct value *document, const char *key)
{
    const char *text = value_text(value_get(value_get(document, "metadata"), key));
    return text != NULL ? text : "";
}

bool document_set_kind(struct value *document, const struct schema_kind *kind)
{
    char version[512];
    snprintf(version, sizeof version, "%s%s%s", kind->group, kind->group[0] != '\0' ? "/" : "", kind->version);
    const char *has_kind = value_text(value_get(document, "kind")), *has_version = value_text(value_get(document, "apiVersion"));
    if (has_kind != NULL && has_version != NULL && strcmp(has_kind, kind->kind) == 0 && strcmp(has_version, version) == 0)
        return true;
    return value_set(document, "kind", value_string(kind->kind)) && value_set(document, "apiVersion", value_string(version));
}

void metadata_wipe(struct value *document)
{
    static const char *const keys[] = {"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"};
    struct value *metadata = value_get(document, "metadata");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        value_remove(metadata, keys[i]);
}

static bool random_bytes(void *out, size_t length)
{
    return getrandom(out, length, 0) == (ssize_t)length;
}

bool metadata_fill(const struct api *api, struct value *document)
{
    unsigned char random[16];
    char uid[37], created[21];
    if (!random_bytes(random, sizeof random))
        return false;
    random[6] = (unsigned char)((random[6] & 0x0f) | 0x40); /* RFC 4122, version 4 */
    random[8] = (unsigned char)((random[8] & 0x3f) | 0x80);
    static const char digits[] = "0123456789abcdef";
    char *to = uid;
    for (size_t i = 0; i < sizeof random; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *to++ = '-';
        *to++ = digits[random[i] >> 4];
        *to++ = digits[random[i] & 15];
    }
    *to = '\0';
    time_print(api_now_ms(api), created);
    return metadata_set_text(document, "uid", uid) && metadata_set_text(document, "creationTimestamp", created);
}

bool metadata_namespace(struct value *document, const char *ns, struct status *failure)
{
    const char *has = metadata_text(document, "namespace");
    if (strcmp(has, ns) == 0)
        return true;
    if (ns[0] == '\0') {
        value_remove(value_get(document, "metadata"), "namespace");
        return true;
    }
    if (has[0] != '\0')
        return status_bad_request(failure, "the namespace of the provided object does not match the namespace sent on the request");
    return metadata_set_text(document, "namespace", ns) || status_error(failure, &(struct error){.kind = ERROR_MEMORY});
}

bool metadata_name(const struct value *document, const char *name, const char *ns, struct status *failure)
{
    const char *has = metadata_text(document, "name"), *has_ns = metadata_text(document, "namespace");
    if (has[0] == '\0')
        return status_bad_request(failure, "the name of the object (%s based on URL) was undeterminable: name must be provided", name);
    if (strcmp(has, name) != 0)
        return status_bad_request(failure, "the name of the object (%s) does not match the name on the URL (%s)", has, name);
    if (ns[0] != '\0' && has_ns[0] != '\0' && strcmp(has_ns, ns) != 0)
        return status_bad_request(failure, "the namespace of the object (%s) does not match the namespace on the request (%s)", has_ns, ns);
    return true;
}

bool metadata_generate_name(struct value *document)
{
    enum { RANDOM = 5, LONGEST = 63 - RANDOM };
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789"; /* no vowels: no words */
    const char *prefix = metadata_text(document, "generateName");
    unsigned char random[RANDOM];
    char name[LONGEST + RANDOM + 1];
    if (!random_bytes(random, sizeof random))
        return false;
    int length = snprintf(name, LONGEST + 1, "%s", prefix);
    if (length > LONGEST)
        length = LONGEST;
    for (int i = 0; i < RANDOM; i++)
        name[length + i] = letters[random[i] % (sizeof letters - 1)];
    name[length + RANDOM] = '\0';
    return metadata_set_text(document, "name", name);
}

bool value_put_back(struct value *to, const struct value *from, const char *key)
{
    const struct value *entry = value_get(from, key), *has = value_get(to, key);
    if (entry == NULL) {
        value_remove(to, key);
        return true;
    }
    return (has != NULL && value_equal(entry, has)) || value_set(to, key, value_copy(entry));
}

bool metadata_keep(struct value *document, const struct value *was)
{
    struct value *metadata = metadata_of(document);
    const struct value *old = value_get(was, "metadata");
    if (metadata == NULL || !value_put_back(metadata, old, "generation") || !value_put_back(metadata, old, "resourceVersion"))
        return false;
    if (metadata_text(document, "uid")[0] == '\0' && !value_put_back(metadata, old, "uid"))
        return false;
    if (value_get(old, "creationTimestamp") != NULL && !value_put_back(metadata, old, "creationTimestamp"))
        return false;
    if (value_get(old, "deletionTimestamp") != NULL && !value_put_back(metadata, old, "deletionTimestamp"))
        return false;
    return value_get(old, "deletionGracePeriodSeconds") == NULL || value_get(metadata, "deletionGracePeriodSeconds") != NULL ||
           value_put_back(metadata, old, "deletionGracePeriodSeconds");
}

bool metadata_dedup_owners(struct value *document, bool after_admission, struct answer *answer)
{
    struct value *owners = value_get(value_get(document, "metadata"), "ownerReferences");
    struct buf gone = buf_make(1 << 20);
    for (struct value *owner = value_first(owners), *next = NULL; owner != NULL; owner = next) {
        next = value_next(owner);
        const struct value *other = value_first(owners);
        while (other != owner && !value_equal(other, owner))
            other = value_next(other);
        if (other == owner)
            continue;
        const char *uid = value_find_text(owner, "uid", NULL);
        buf_printf(&gone, "%s%s", gone.length > 0 ? ", " : "", uid != NULL ? uid : "");
        value_free(value_take(owners, owner));
    }
    bool ok = buf_ok(&gone);
    if (ok && gone.length > 0)
        ok = after_admission ? answer_warn(answer,
                                    ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner "
                                    "references in 1.20+, and may "
                                    "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %s",
                                    gone.bytes)
                             : answer_warn(answer,
                                    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may "
                                    "reject such requests as early as "
                                    "1.24; please fix your requests; duplicate UID(s) observed: %s",
                                    gone.bytes);
    buf_free(&gone);
    return ok;
}

bool metadata_bump(struct value *document)
{
    int64_t generation = value_find_int(document, 0, "metadata", "generation", NULL);
    return generation <= 0 || value_set(metadata_of(document), "generation", value_int(generation + 1));
}

/* Both lists with each entry's time put aside would be equal. */
static bool same_managers(const struct value *a, const struct value *b)
{
    const struct value *x = value_first(a), *y = value_first(b);
    for (; x != NULL && y != NULL; x = value_next(x), y = value_next(y)) {
        if (value_length(x) != value_length(y))
            return false;
        for (const struct value *part = value_first(x); part != NULL; part = value_next(part))
            if (strcmp(value_key(part), "time") != 0 && !value_equal(part, value_get(y, value_key(part))))
                return false;
    }
    return x == NULL && y == NULL;
}

/* Equal objects, were it not for one entry. */
static bool same_without(const struct value *a, const struct value *b, const char *key)
{
    if (value_length(a) != value_length(b))
        return false;
    for (const struct value *entry = value_first(a); entry != NULL; entry = value_next(entry))
        if (strcmp(value_key(entry), key) != 0 && !value_equal(entry, value_get(b, value_key(entry))))
            return false;
    return true;
}

bool metadata_same_document(const struct value *a, const struct value *b)
{
    const struct value *first = value_get(a, "metadata"), *second = value_get(b, "metadata");
    return same_without(a, b, "metadata") && same_without(first, second, "managedFields") &&
           same_managers(value_get(first, "managedFields"), value_get(second, "managedFields"));
}
