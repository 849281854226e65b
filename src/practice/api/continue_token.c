#include "practice/api/continue_token.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "data/utf8.h"
#include "practice/schema/decode.h"

enum { TOKEN_MOST = 8 << 10 };

#define VERSION "meta.k8s.io/v1"
#define NOT_VALID "invalid continue token: continue key is not valid: "

void continue_token_free(struct continue_token *token)
{
    mem_free(token->ns);
    mem_free(token->name);
    *token = (struct continue_token){0};
}

/* Standard base64 to the URL's alphabet without padding. */
static void to_url(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
    text[strcspn(text, "=")] = '\0';
}

char *continue_token_print(const struct continue_token *token, const char *only_ns)
{
    struct buf json = buf_make(TOKEN_MOST), key = buf_make(TOKEN_MOST), quoted = buf_make(TOKEN_MOST);
    bool with_ns = only_ns == NULL && token->ns != NULL && token->ns[0] != '\0';
    buf_printf(&key, "%s%s%s", with_ns ? token->ns : "", with_ns ? "/" : "", token->name);
    buf_append_string(&json, "{\"v\":\"" VERSION "\",\"rv\":");
    if (token->version == 0)
        buf_append_string(&json, "-1");
    else
        buf_printf(&json, "%llu", (unsigned long long)token->version);
    buf_append_string(&json, ",\"start\":");
    if (buf_ok(&key))
        json_quote(key.bytes, &quoted);
    buf_append(&json, quoted.bytes, quoted.length > 0 ? quoted.length - 1 : 0);
    buf_append_string(&json, "\\u0000\""); /* as in the real server's: the key after this one */
    if (token->left >= 0)
        buf_printf(&json, ",\"left\":%lld", (long long)token->left);
    buf_append_string(&json, "}");
    char *text = buf_ok(&json) && buf_ok(&key) && buf_ok(&quoted) ? base64_encode(json.bytes, json.length) : NULL;
    if (text != NULL)
        to_url(text);
    buf_free(&json);
    buf_free(&key);
    buf_free(&quoted);
    return text;
}

static bool no_memory(struct status *failure)
{
    return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
}

/* The bytes behind the base64; NULL with the failure. */
static char *decode(const char *text, size_t *length, struct status *failure)
{
    size_t good = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    if (text[good] != '\0' || good % 4 == 1 || good > TOKEN_MOST) {
        status_bad_request(failure, NOT_VALID "illegal base64 data at input byte %zu", text[good] != '\0' ? good : good - 1);
        return NULL;
    }
    char *copy = mem_string(text);
    for (char *at = copy; at != NULL && *at != '\0'; at++)
        *at = *at == '-' ? '+' : *at == '_' ? '/' : *at;
    char *bytes = copy != NULL ? base64_decode(copy, good, length) : NULL;
    bool malformed = copy != NULL && bytes == NULL && !base64_valid(copy, good);
    mem_free(copy);
    if (malformed)
        status_bad_request(failure, NOT_VALID "illegal base64 data at input byte %zu", good - 1);
    else if (bytes == NULL)
        no_memory(failure);
    return bytes;
}

static bool not_json(const char *bytes, size_t length, struct status *failure)
{
    char fault[128];
    bool told = schema_syntax_error(bytes, length, fault, sizeof fault);
    return status_bad_request(failure, NOT_VALID "%s", told ? fault : "too deep");
}

static bool wrong_type(const struct value *v, const char *field, const char *type, struct status *failure)
{
    const char *is = value_type(v) == VALUE_BOOL ? "bool" : value_type_name(value_type(v));
    if (field == NULL)
        return status_bad_request(failure, NOT_VALID "json: cannot unmarshal %s into Go value of type storage.continueToken", is);
    return status_bad_request(failure, NOT_VALID "json: cannot unmarshal %s into Go struct field continueToken.%s of type %s", is, field, type);
}

/* No part of a key may be empty, "." or "..": nobody gets out of a resource with one. */
static bool is_clean(const char *key)
{
    for (const char *at = key;; at++) {
        size_t length = strcspn(at, "/");
        if (length == 0 || (length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.'))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

/* Cuts `ns/name` (or `name`), its end mark taken off. */
static bool read_key(const char *start, const char *only_ns, struct continue_token *out, struct status *failure)
{
    if (start[0] == '\0')
        return status_bad_request(failure, "invalid continue token: continue key is not valid: encoded start key empty (version " VERSION ")");
    const char *key = start + (start[0] == '/');
    if (!is_clean(key))
        return status_bad_request(failure, NOT_VALID "%s", start);
    size_t length = strlen(key), mark = strlen(UTF8_REPLACEMENT); /* what the parser makes of \u0000 */
    if (length >= mark && memcmp(key + length - mark, UTF8_REPLACEMENT, mark) == 0)
        length -= mark;
    const char *slash = only_ns == NULL ? memchr(key, '/', length) : NULL;
    size_t ns_length = slash != NULL ? (size_t)(slash - key) : 0, skip = slash != NULL ? ns_length + 1 : 0;
    out->ns = only_ns != NULL ? mem_string(only_ns) : mem_string_n(key, ns_length);
    out->name = mem_string_n(key + skip, length - skip);
    return (out->ns != NULL && out->name != NULL) || no_memory(failure);
}

static bool read_token(const struct value *token, const char *only_ns, struct continue_token *out, struct status *failure)
{
    const struct value *v = value_get(token, "v"), *rv = value_get(token, "rv"), *start = value_get(token, "start");
    int64_t version = 0;
    if (value_type(token) != VALUE_OBJECT)
        return wrong_type(token, NULL, NULL, failure);
    if (v != NULL && value_text(v) == NULL)
        return wrong_type(v, "v", "string", failure);
    if (rv != NULL && !value_as_int(rv, &version))
        return wrong_type(rv, "rv", "int64", failure);
    if (start != NULL && value_text(start) == NULL)
        return wrong_type(start, "start", "string", failure);
    if (v == NULL || strcmp(value_text(v), VERSION) != 0)
        return status_bad_request(failure, NOT_VALID "server does not recognize this encoded version %s", v != NULL ? value_text(v) : "");
    if (version == 0)
        return status_bad_request(failure, NOT_VALID "incorrect encoded start resourceVersion (version " VERSION ")");
    out->version = version > 0 ? (uint64_t)version : 0;
    out->left = value_find_int(token, -1, "left", NULL);
    return read_key(start != NULL ? value_text(start) : "", only_ns, out, failure);
}

bool continue_token_read(const char *text, const char *only_ns, struct continue_token *out, struct status *failure)
{
    *out = (struct continue_token){.left = -1};
    size_t length = 0;
    char *bytes = decode(text, &length, failure);
    if (bytes == NULL)
        return false;
    struct error err = ERROR_INIT;
    struct value *token = json_parse(bytes, length, "continue", &err);
    bool read = token != NULL              ? read_token(token, only_ns, out, failure)
                : err.kind == ERROR_MEMORY ? no_memory(failure)
                                           : not_json(bytes, length, failure);
    value_free(token);
    mem_free(bytes);
    return read;
}
