/* crd_format: the formats of texts that the real server looks at (kube-openapi's strfmt and govalidator); all others mean
 * nothing. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/schema/addresses.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/names.h"

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

static bool is_any(const char *text)
{
    (void)text;
    return true;
}

static bool is_date(const char *text)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (strlen(text) != 10 || digits_at(text) != 4 || text[4] != '-' || digits_at(text + 5) != 2 || text[7] != '-' ||
        digits_at(text + 8) != 2)
        return false;
    int year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + text[3] - '0';
    int month = (text[5] - '0') * 10 + text[6] - '0', day = (text[8] - '0') * 10 + text[9] - '0';
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] && (month != 2 || day < 29 || leap);
}

/* A date, "T", a time with seconds and perhaps a fraction, and an offset. */
static bool is_date_time(const char *text)
{
    char date[11];
    size_t length = strlen(text);
    if (length < 11 || (text[10] != 'T' && text[10] != 't'))
        return false;
    memcpy(date, text, 10);
    date[10] = '\0';
    if (!is_date(date))
        return false;
    int64_t ms;
    char upper[64];
    if (length >= sizeof upper)
        return false;
    for (size_t i = 0; i <= length; i++)
        upper[i] = (char)toupper((unsigned char)text[i]);
    return time_parse(upper, &ms);
}

static bool is_email(const char *text)
{
    const char *open = strchr(text, '<'), *from = open != NULL ? open + 1 : text, *at = strchr(from, '@');
    size_t length = strlen(text);
    if (at == NULL || at == from || at[1] == '\0' || strchr(at + 1, '@') != NULL || (open != NULL && text[length - 1] != '>'))
        return false;
    for (const char *p = from; *p != '\0' && *p != '>'; p++)
        if (strchr(" \t()<>,;:\\\"[]", *p) != NULL ||
            (*p == '.' && (p == from || p[1] == '.' || p[1] == '@' || p[1] == '\0' || p[-1] == '@')))
            return false;
    return true;
}

static bool matches(const char *expression, const char *text)
{
    struct pattern *pattern = pattern_new(expression, NULL);
    bool yes = pattern != NULL && pattern_search(pattern, text, strlen(text), 0, NULL, NULL) == PATTERN_YES;
    pattern_free(pattern);
    return yes;
}

static bool is_hostname(const char *text)
{
    if (strlen(text) > 255 || !matches("^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}]("
                                       "([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}"
                                       "[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})\\z",
                                       text))
        return false;
    for (const char *label = text; *label != '\0';) {
        size_t length = strcspn(label, ".");
        if (length > 63)
            return false;
        label += length + (label[length] == '.');
    }
    return true;
}

static bool is_ipv4(const char *text)
{
    struct address address;
    return address_read(text, &address) && strchr(text, '.') != NULL;
}

static bool is_ipv6(const char *text)
{
    struct address address;
    return address_read(text, &address) && strchr(text, ':') != NULL;
}

static bool is_cidr(const char *text)
{
    struct cidr cidr;
    return cidr_read(text, &cidr);
}

/* Six, eight or twenty bytes: with colons, dashes, or dots after each second one. */
static bool is_mac(const char *text)
{
    return matches(
        "^(?:[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(?:\\1[0-9a-fA-F]{2}){4}(?:(?:\\1[0-9a-fA-F]{2}){2}|(?:\\1[0-9a-fA-F]{2}){14})?"
        "|[0-9a-fA-F]{4}(?:\\.[0-9a-fA-F]{4}){2}(?:\\.[0-9a-fA-F]{4}|(?:\\.[0-9a-fA-F]{4}){7})?)\\z",
        text);
}

static bool is_uuid(const char *text)
{
    return matches("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\\z", text);
}

static bool is_uuid3(const char *text)
{
    return matches("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}\\z", text);
}

static bool is_uuid4(const char *text)
{
    return matches("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}\\z", text);
}

static bool is_uuid5(const char *text)
{
    return matches("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}\\z", text);
}

/* The digits of a number that may have dashes and blanks between them; 0 for anything else. */
static size_t plain_digits(const char *text, char *out, size_t room)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        if (*text == '-' || *text == ' ')
            continue;
        bool last_x = *text == 'X' && text[1] == '\0';
        if ((!isdigit((unsigned char)*text) && !last_x) || count + 1 >= room)
            return 0;
        out[count++] = *text;
    }
    out[count] = '\0';
    return count;
}

static bool is_isbn10(const char *text)
{
    char digits[16];
    int sum = 0;
    if (plain_digits(text, digits, sizeof digits) != 10)
        return false;
    for (int i = 0; i < 10; i++)
        sum += (i + 1) * (digits[i] == 'X' ? 10 : digits[i] - '0');
    return sum % 11 == 0;
}

static bool is_isbn13(const char *text)
{
    char digits[16];
    int sum = 0;
    if (plain_digits(text, digits, sizeof digits) != 13 || digits[12] == 'X')
        return false;
    for (int i = 0; i < 13; i++)
        sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
    return sum % 10 == 0;
}

static bool is_isbn(const char *text)
{
    return is_isbn10(text) || is_isbn13(text);
}

static bool is_credit_card(const char *text)
{
    char digits[32];
    size_t count = 0;
    int sum = 0;
    for (; *text != '\0'; text++)
        if (isdigit((unsigned char)*text) && count + 1 < sizeof digits)
            digits[count++] = *text;
    digits[count] = '\0';
    if (!matches("^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|"
                 "6(?:011|5[0-9][0-9])[0-9]{12}"
                 "|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11}|6[27][0-9]{14})\\z",
                 digits))
        return false;
    for (size_t i = 0; i < count; i++) {
        int digit = digits[count - 1 - i] - '0';
        if (i % 2 == 1)
            digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
        sum += digit;
    }
    return sum % 10 == 0;
}

static bool is_ssn(const char *text)
{
    return strlen(text) == 11 && matches("^\\d{3}[- ]?\\d{2}[- ]?\\d{4}\\z", text);
}

static bool is_object_id(const char *text)
{
    return matches("^[0-9a-fA-F]{24}\\z", text);
}

static bool is_hex_color(const char *text)
{
    return matches("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\\z", text);
}

static bool is_rgb_color(const char *text)
{
#define BYTE "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])"
    return matches("^rgb\\(\\s*" BYTE "\\s*,\\s*" BYTE "\\s*,\\s*" BYTE "\\s*\\)\\z", text);
#undef BYTE
}

static bool is_byte(const char *text)
{
    return matches("^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})\\z", text);
}

/* A host and perhaps a port of digits, up to a path, a query or the end. */
static bool is_authority(const char *text)
{
    size_t length = strcspn(text, "/?#"), host = text[0] == '[' ? strcspn(text, "]") + 1 : strcspn(text, ":/?#");
    if (strcspn(text, " \"<>\\^`{|}") < length || host > length)
        return false;
    return host == length || (text[host] == ':' && host + 1 + digits_at(text + host + 1) == length);
}

/* What net/url's ParseRequestURI takes: an absolute path, or a scheme and something behind it. */
static bool is_uri(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
        if (*p == '%' && !(isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])))
            return false;
    }
    if (text[0] == '/')
        return true;
    size_t scheme =
        isalpha((unsigned char)text[0]) ? strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") : 0;
    if (scheme == 0 || text[scheme] != ':')
        return false;
    const char *rest = text + scheme + 1;
    if (rest[0] != '/')
        return true; /* opaque: mailto:a@b */
    return strncmp(rest, "//", 2) != 0 || is_authority(rest + 2);
}

/* Go's durations, or numbers with words of time somewhere. */
static bool is_duration(const char *text)
{
    return matches("^[-+]?(?:0|(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|\xc2\xb5s|\xce\xbcs|ms|s|m|h))+)\\z", text) ||
           matches(
               "(?i)\\d+\\s*(?:(?:ns|us|\xc2\xb5s|ms|s|m|h|hr|d|w|wk)(?![a-z\xc2\xb5])|nano|micro|milli|sec|min|hour|day|week)",
               text);
}

static bool is_short_name(const char *text)
{
    return name_label(text).count == 0;
}

static bool is_long_name(const char *text)
{
    return name_subdomain(text).count == 0;
}

/* Names without dashes, which do not count. */
static const struct {
    const char *name;
    bool (*fits)(const char *text);
} formats[] = {
    {"bsonobjectid", is_object_id},
    {"uri", is_uri},
    {"email", is_email},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uuid", is_uuid},
    {"uuid3", is_uuid3},
    {"uuid4", is_uuid4},
    {"uuid5", is_uuid5},
    {"isbn", is_isbn},
    {"isbn10", is_isbn10},
    {"isbn13", is_isbn13},
    {"creditcard", is_credit_card},
    {"ssn", is_ssn},
    {"hexcolor", is_hex_color},
    {"rgbcolor", is_rgb_color},
    {"byte", is_byte},
    {"password", is_any},
    {"date", is_date},
    {"duration", is_duration},
    {"datetime", is_date_time},
    {"k8sshortname", is_short_name},
    {"k8slongname", is_long_name},
};

/* Its number in the table; -1: none. */
static int find(const char *format)
{
    char plain[32];
    size_t length = 0;
    for (; *format != '\0'; format++)
        if (*format != '-') {
            if (length + 1 >= sizeof plain)
                return -1;
            plain[length++] = *format;
        }
    plain[length] = '\0';
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(plain, formats[i].name) == 0)
            return (int)i;
    return -1;
}

bool crd_format_known(const char *format)
{
    return find(format) >= 0;
}

bool crd_format_fits(const char *format, const char *text)
{
    int at = find(format);
    return at < 0 || formats[at].fits(text);
}
