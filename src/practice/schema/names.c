#include "practice/schema/names.h"

#include <string.h>

#include "base/mem.h"

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alphanumeric(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_lower_dash(char c)
{
    return is_lower(c) || c == '-';
}

static bool is_lower_dash_underscore(char c)
{
    return is_lower_dash(c) || c == '_';
}

static bool is_key_character(char c)
{
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

/* A run of `length` bytes that begins and ends with `edge` characters and has `inner` ones between. */
static bool is_run(const char *text, size_t length, bool (*edge)(char), bool (*inner)(char))
{
    if (length == 0 || !edge(text[0]) || !edge(text[length - 1]))
        return false;
    for (size_t i = 1; i + 1 < length; i++)
        if (!inner(text[i]))
            return false;
    return true;
}

static bool all_are(const char *text, bool (*is)(char))
{
    if (*text == '\0')
        return false;
    while (*text != '\0' && is(*text))
        text++;
    return *text == '\0';
}

static bool is_label(const char *text, size_t length)
{
    return is_run(text, length, is_lower, is_lower_dash);
}

static bool is_label_underscore(const char *text, size_t length)
{
    size_t skipped = length > 0 && text[0] == '_' ? 1 : 0;
    return is_run(text + skipped, length - skipped, is_lower, is_lower_dash_underscore);
}

static bool is_dotted(const char *text, bool (*is_part)(const char *, size_t))
{
    for (;;) {
        size_t length = strcspn(text, ".");
        if (!is_part(text, length))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static void complain(struct complaints *complaints, const char *text)
{
    if (complaints->count < sizeof complaints->text / sizeof complaints->text[0])
        complaints->text[complaints->count++] = text;
}

#define LABEL_FORMAT "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_FORMAT LABEL_FORMAT "(\\." LABEL_FORMAT ")*"
#define UNDERSCORE_FORMAT "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
#define KEY_FORMAT "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define REGEX(format) "regex used for validation is '" format "')"
#define SUBDOMAIN_WORDS                                                                                                                        \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "           \
    "alphanumeric character (e.g. 'example.com', " REGEX(SUBDOMAIN_FORMAT)
#define KEY_WORDS                                                                                                                              \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "     \
    "'my.name',  or '123-abc', " REGEX(KEY_FORMAT)

struct complaints name_label(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_LABEL)
        complain(&found, "must be no more than 63 characters");
    if (!is_label(value, strlen(value)))
        complain(&found, is_dotted(value, is_label)
                             ? "must not contain dots"
                             : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "
                               "alphanumeric character (e.g. 'my-name',  or '123-abc', " REGEX(LABEL_FORMAT));
    return found;
}

struct complaints name_label_1035(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_LABEL)
        complain(&found, "must be no more than 63 characters");
    if (!is_label(value, strlen(value)) || (value[0] >= '0' && value[0] <= '9'))
        complain(&found,
                 "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an "
                 "alphanumeric character (e.g. 'my-name',  or 'abc-123', " REGEX("[a-z]([-a-z0-9]*[a-z0-9])?"));
    return found;
}

struct complaints name_subdomain(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_SUBDOMAIN)
        complain(&found, "must be no more than 253 characters");
    if (!is_dotted(value, is_label))
        complain(&found, SUBDOMAIN_WORDS);
    return found;
}

struct complaints name_subdomain_underscore(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_SUBDOMAIN)
        complain(&found, "must be no more than 253 characters");
    if (!is_dotted(value, is_label_underscore))
        complain(&found,
                 "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an "
                 "alphanumeric character (e.g. 'example.com', " REGEX(UNDERSCORE_FORMAT "(\\." UNDERSCORE_FORMAT ")*"));
    return found;
}

struct complaints name_wildcard(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_SUBDOMAIN)
        complain(&found, "must be no more than 253 characters");
    if (strncmp(value, "*.", 2) != 0 || !is_dotted(value + 2, is_label))
        complain(
            &found,
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric "
            "characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', " REGEX("\\*\\." SUBDOMAIN_FORMAT));
    return found;
}

static void check_prefix(struct complaints *found, const char *prefix, size_t length)
{
    char copy[NAME_SUBDOMAIN + 1];
    if (length == 0) {
        complain(found, "prefix part must be non-empty");
        return;
    }
    bool long_one = length > NAME_SUBDOMAIN;
    if (long_one)
        complain(found, "prefix part must be no more than 253 bytes");
    size_t kept = long_one ? NAME_SUBDOMAIN : length;
    memcpy(copy, prefix, kept);
    copy[kept] = '\0';
    if (!is_dotted(copy, is_label))
        complain(found, "prefix part " SUBDOMAIN_WORDS);
}

struct complaints name_qualified(const char *value)
{
    struct complaints found = {0};
    const char *name = value, *slash = strchr(value, '/');
    if (slash != NULL) {
        if (strchr(slash + 1, '/') != NULL) {
            complain(&found, "a valid label key " KEY_WORDS " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
            return found;
        }
        check_prefix(&found, value, (size_t)(slash - value));
        name = slash + 1;
    }
    if (*name == '\0')
        complain(&found, "name part must be non-empty");
    else if (strlen(name) > NAME_LABEL)
        complain(&found, "name part must be no more than 63 bytes");
    if (!is_run(name, strlen(name), is_alphanumeric, is_key_character))
        complain(&found, "name part " KEY_WORDS);
    return found;
}

struct complaints name_label_value(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_LABEL)
        complain(&found, "must be no more than 63 bytes");
    if (*value != '\0' && !is_run(value, strlen(value), is_alphanumeric, is_key_character))
        complain(&found, "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
                         "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " REGEX("(" KEY_FORMAT ")?"));
    return found;
}

struct complaints name_port(const char *value)
{
    struct complaints found = {0};
    size_t length = strlen(value);
    if (length > NAME_PORT)
        complain(&found, "must be no more than 15 characters");
    if (!all_are(value, is_lower_dash))
        complain(&found, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (strpbrk(value, "abcdefghijklmnopqrstuvwxyz") == NULL)
        complain(&found, "must contain at least one letter (a-z)");
    if (strstr(value, "--") != NULL)
        complain(&found, "must not contain consecutive hyphens");
    if (length > 0 && (value[0] == '-' || value[length - 1] == '-'))
        complain(&found, "must not begin or end with a hyphen");
    return found;
}

static void check_dots(struct complaints *found, const char *value)
{
    if (strcmp(value, ".") == 0)
        complain(found, "must not be '.'");
    else if (strcmp(value, "..") == 0)
        complain(found, "must not be '..'");
    else if (strncmp(value, "..", 2) == 0)
        complain(found, "must not start with '..'");
}

struct complaints name_config_key(const char *value)
{
    struct complaints found = {0};
    if (strlen(value) > NAME_SUBDOMAIN)
        complain(&found, "must be no more than 253 characters");
    if (!all_are(value, is_key_character))
        complain(
            &found,
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " REGEX(
                "[-._a-zA-Z0-9]+"));
    check_dots(&found, value);
    return found;
}

static bool is_environment_character(char c)
{
    return c >= ' ' && c <= '~' && c != '=';
}

struct complaints name_environment(const char *value)
{
    struct complaints found = {0};
    if (*value == '\0')
        complain(&found, "environment variable name must be non-empty");
    else if (!all_are(value, is_environment_character))
        complain(&found, "a valid environment variable name must consist only of printable ASCII characters other than '='");
    return found;
}

static bool is_header_character(char c)
{
    return is_alphanumeric(c) || c == '-';
}

struct complaints name_http_header(const char *value)
{
    struct complaints found = {0};
    if (!all_are(value, is_header_character))
        complain(&found, "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', " REGEX("[-A-Za-z0-9]+"));
    return found;
}

struct complaints name_percent(const char *value)
{
    struct complaints found = {0};
    size_t digits = strspn(value, "0123456789");
    if (digits == 0 || strcmp(value + digits, "%") != 0)
        complain(&found, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " REGEX("[0-9]+%"));
    return found;
}

struct complaints name_path_prefix(const char *value)
{
    struct complaints found = {0};
    if (strchr(value, '/') != NULL)
        complain(&found, "may not contain '/'");
    if (strchr(value, '%') != NULL)
        complain(&found, "may not contain '%'");
    return found;
}

struct complaints name_path_segment(const char *value)
{
    struct complaints found = {0};
    if (strcmp(value, ".") == 0)
        complain(&found, "may not be '.'");
    else if (strcmp(value, "..") == 0)
        complain(&found, "may not be '..'");
    else
        found = name_path_prefix(value);
    return found;
}

static bool is_letter(char c)
{
    return is_alphanumeric(c) && !(c >= '0' && c <= '9');
}

static bool is_reason_character(char c)
{
    return is_alphanumeric(c) || c == '_' || c == ',' || c == ':';
}

struct complaints name_condition_reason(const char *value)
{
    struct complaints found = {0};
    size_t length = strlen(value);
    bool fine = length > 0 && is_letter(value[0]) && all_are(value, is_reason_character) && value[length - 1] != ',' && value[length - 1] != ':';
    if (!fine)
        complain(&found,
                 "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and "
                 "must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or "
                 "'ReasonA:ReasonB', " REGEX("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"));
    return found;
}

bool name_problems(struct problems *problems, const struct place *place, const char *value, struct complaints complaints)
{
    for (size_t i = 0; i < complaints.count; i++)
        problem_invalid(problems, place, value, "%s", complaints.text[i]);
    return complaints.count == 0;
}

bool name_problems_of(struct problems *problems, const struct place *up, const char *key, const char *value, name_check *check)
{
    const struct place place = place_key(up, key);
    return name_problems(problems, key != NULL ? &place : up, value, check(value));
}

char *name_mask_prefix(const char *prefix)
{
    size_t length = strlen(prefix);
    if (length < 2 || prefix[length - 1] != '-')
        return mem_string(prefix);
    char *masked = mem_string_n(prefix, length - 1);
    if (masked != NULL)
        masked[length - 2] = 'a';
    return masked;
}
