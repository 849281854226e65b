#include "practice/api/selector_parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/number.h"

enum token { END, WORD, OPEN, CLOSE, COMMA, NOT, EQUALS, TWO_EQUALS, NOT_EQUALS, GREATER, LESS, IN, NOT_IN, WRONG };

struct parser {
    const char *at;
    enum token token;             /* the next one, not yet taken */
    char text[SELECTOR_MOST + 1]; /* of it */
    struct status *failure;
};

static const struct {
    const char *text;
    enum token token;
} symbols[] = {{"(", OPEN},        {")", CLOSE},       {",", COMMA},   {"!", NOT}, {"=", EQUALS},
               {"==", TWO_EQUALS}, {"!=", NOT_EQUALS}, {">", GREATER}, {"<", LESS}};

static bool is_symbol(char c)
{
    return c != '\0' && strchr("=!(),><", c) != NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum token symbol_of(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strlen(symbols[i].text) == length && memcmp(symbols[i].text, text, length) == 0)
            return symbols[i].token;
    return WRONG;
}

/* Reads the next token into the parser. Of symbols the longest counts. */
static void next(struct parser *p)
{
    while (is_space(*p->at))
        p->at++;
    const char *from = p->at;
    if (*from == '\0') {
        p->token = END;
    } else if (is_symbol(*from)) {
        size_t length = is_symbol(from[1]) && symbol_of(from, 2) != WRONG ? 2 : 1;
        p->token = symbol_of(from, length);
        p->at += length;
    } else {
        while (*p->at != '\0' && !is_symbol(*p->at) && !is_space(*p->at))
            p->at++;
        size_t length = (size_t)(p->at - from);
        p->token = length == 2 && memcmp(from, "in", 2) == 0 ? IN : length == 5 && memcmp(from, "notin", 5) == 0 ? NOT_IN : WORD;
    }
    memcpy(p->text, from, (size_t)(p->at - from));
    p->text[p->at - from] = '\0';
}

/* Where a word is wanted, "in" and "notin" are words like others. */
static bool is_word(const struct parser *p)
{
    return p->token == WORD || p->token == IN || p->token == NOT_IN;
}

static bool no_memory(struct parser *p)
{
    return status_error(p->failure, &(struct error){.kind = ERROR_MEMORY});
}

static bool expected(struct parser *p, const char *what)
{
    return status_bad_request(p->failure, "unable to parse requirement: found '%s', expected: %s", p->text, what);
}

/* [A-Za-z0-9] at both ends, '-', '_' and '.' between. */
static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && (i == 0 || i + 1 == length || strchr("-_.", text[i]) == NULL))
            return false;
    return length > 0;
}

static bool is_dns_name(const char *text, size_t length)
{
    bool between = true; /* two labels, or before the first */
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && (between || (c != '-' && c != '.') || (c == '.' && text[i - 1] == '-')))
            return false;
        between = c == '.';
    }
    return length > 0 && !between && text[length - 1] != '-';
}

#define NAME_FORM "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

#define KEY_FORM                                                                                                                                     \
    "name part must consist of " NAME_FORM                                                                                                           \
    " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

/* What is wrong with a key, as the server says it; NULL: nothing. */
static const char *key_fault(const char *key)
{
    const char *slash = strchr(key, '/'), *name = slash != NULL ? slash + 1 : key;
    if (slash != NULL && strchr(name, '/') != NULL)
        return "a valid label key must consist of " NAME_FORM " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
               "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    if (slash == key)
        return "prefix part must be non-empty";
    if (slash != NULL && slash - key > 253)
        return "prefix part must be no more than 253 bytes";
    if (slash != NULL && !is_dns_name(key, (size_t)(slash - key)))
        return "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end "
               "with an "
               "alphanumeric character (e.g. 'example.com', regex used for validation is "
               "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    if (name[0] == '\0')
        return "name part must be non-empty; " KEY_FORM;
    bool is_right = is_name(name, strlen(name));
    if (strlen(name) > 63)
        return is_right ? "name part must be no more than 63 bytes" : "name part must be no more than 63 bytes; " KEY_FORM;
    return is_right ? NULL : KEY_FORM;
}

#define VALUE_FORM                                                                                                                                   \
    "a valid label must be an empty string or consist of " NAME_FORM " (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "  \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

static const char *value_fault(const char *value)
{
    bool is_right = value[0] == '\0' || is_name(value, strlen(value));
    if (strlen(value) > 63)
        return is_right ? "must be no more than 63 bytes" : "must be no more than 63 bytes; " VALUE_FORM;
    return is_right ? NULL : VALUE_FORM;
}

/* Values are a set in the order of their bytes, so that the place in a refusal is the one that the server tells. */
static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool add_value(struct parser *p, struct label_term *term, const char *value)
{
    return vec_push_string(&term->values, value) || no_memory(p);
}

static bool parse_list(struct parser *p, struct label_term *term)
{
    if (p->token != OPEN)
        return status_bad_request(p->failure, "unable to parse requirement: found '%s' expected: '('", p->text);
    next(p);
    if (p->token == CLOSE) {
        next(p);
        return add_value(p, term, "");
    }
    if (!is_word(p) && p->token != COMMA)
        return expected(p, "',', ')' or identifier");
    for (;;) {
        if (is_word(p)) {
            if (!add_value(p, term, p->text))
                return false;
            next(p);
            if (p->token != COMMA && p->token != CLOSE)
                return expected(p, "',' or ')'");
        } else if (p->token == COMMA) {
            if (term->values.length == 0 && !add_value(p, term, ""))
                return false;
            next(p);
            if ((p->token == CLOSE || p->token == COMMA) && !add_value(p, term, ""))
                return false;
        } else if (p->token != CLOSE) {
            return expected(p, "',', or identifier");
        }
        if (p->token == CLOSE) {
            next(p);
            return true;
        }
    }
}

static bool parse_one(struct parser *p, struct label_term *term)
{
    if (p->token == END || p->token == COMMA)
        return add_value(p, term, "");
    if (!is_word(p))
        return expected(p, "identifier");
    bool added = add_value(p, term, p->text);
    next(p);
    return added;
}

static bool check_values(struct parser *p, struct label_term *term, bool bound)
{
    vec_sort(&term->values, compare);
    for (size_t i = 0; i < term->values.length; i++) {
        const char *value = term->values.items[i], *fault = value_fault(value);
        struct number_integer number;
        if (bound && (!number_read(value, strlen(value), &number) || !number_to_int(number, &term->bound)))
            return status_bad_request(
                p->failure, "unable to parse requirement: values[%zu]: Invalid value: \"%s\": for 'Gt', 'Lt' operators, the value must be an integer",
                i, value);
        if (fault != NULL)
            return status_bad_request(p->failure, "unable to parse requirement: values[%zu][%s]: Invalid value: \"%s\": %s", i, term->key, value,
                                      fault);
    }
    return true;
}

static bool parse_operator(struct parser *p, struct label_term *term)
{
    enum token token = p->token;
    switch (token) {
    case IN:
    case EQUALS:
    case TWO_EQUALS:
        term->op = LABEL_IN;
        break;
    case NOT_IN:
    case NOT_EQUALS:
        term->op = LABEL_NOT_IN;
        break;
    case GREATER:
        term->op = LABEL_GREATER;
        break;
    case LESS:
        term->op = LABEL_LESS;
        break;
    default:
        return expected(p, "in, notin, =, ==, !=, gt, lt");
    }
    next(p);
    bool parsed = token == IN || token == NOT_IN ? parse_list(p, term) : parse_one(p, term);
    return parsed && check_values(p, term, token == GREATER || token == LESS);
}

static bool parse_term(struct parser *p, struct label_term *term)
{
    bool missing = p->token == NOT;
    if (missing)
        next(p);
    if (!is_word(p))
        return expected(p, "identifier");
    const char *fault = key_fault(p->text);
    if (fault != NULL)
        return status_bad_request(p->failure, "unable to parse requirement: <nil>: Invalid value: \"%s\": %s", p->text, fault);
    term->key = mem_string(p->text);
    if (term->key == NULL)
        return no_memory(p);
    term->op = missing ? LABEL_MISSING : LABEL_EXISTS;
    next(p);
    return missing || p->token == END || p->token == COMMA || parse_operator(p, term);
}

void label_term_free(void *data)
{
    struct label_term *term = data;
    mem_free(term->key);
    vec_free(&term->values);
    mem_free(term);
}

static bool has_value(const struct label_term *term, const char *value)
{
    size_t from = 0, to = term->values.length;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(term->values.items[middle], value);
        if (order == 0)
            return true;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

bool label_term_matches(const struct label_term *term, const char *value)
{
    struct number_integer number;
    int64_t integer;
    switch (term->op) {
    case LABEL_EXISTS:
        return value != NULL;
    case LABEL_MISSING:
        return value == NULL;
    case LABEL_IN:
        return value != NULL && has_value(term, value);
    case LABEL_NOT_IN:
        return value == NULL || !has_value(term, value);
    case LABEL_GREATER:
    case LABEL_LESS:
        if (value == NULL || !number_read(value, strlen(value), &number) || !number_to_int(number, &integer))
            return false;
        return term->op == LABEL_GREATER ? integer > term->bound : integer < term->bound;
    }
    return false;
}

static bool parse(struct parser *p, struct vec *terms)
{
    next(p);
    if (p->token == END)
        return true;
    if (!is_word(p) && p->token != NOT)
        return status_bad_request(p->failure, "found '%s', expected: !, identifier, or 'end of string'", p->text);
    for (;;) {
        struct label_term *term = mem_zero(1, sizeof *term);
        if (term == NULL)
            return no_memory(p);
        term->values = vec_make(SELECTOR_TERMS, mem_free);
        if (!parse_term(p, term)) {
            label_term_free(term);
            return false;
        }
        if (!vec_push(terms, term))
            return no_memory(p);
        if (p->token == END)
            return true;
        if (p->token != COMMA)
            return status_bad_request(p->failure, "found '%s', expected: ',' or 'end of string'", p->text);
        next(p);
        if (!is_word(p) && p->token != NOT)
            return status_bad_request(p->failure, "found '%s', expected: identifier after ','", p->text);
    }
}

bool label_terms_parse(const char *text, struct vec *terms, struct status *failure)
{
    if (strlen(text) > SELECTOR_MOST)
        return status_bad_request(failure, "a label selector may not be longer than %d bytes", SELECTOR_MOST);
    if (text[0] == '\0')
        return true;
    struct parser *p = mem_alloc(sizeof *p);
    if (p == NULL)
        return status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    p->at = text;
    p->failure = failure;
    bool parsed = parse(p, terms);
    mem_free(p);
    return parsed;
}
