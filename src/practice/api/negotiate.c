#include "practice/api/negotiate.h"

#include <string.h>
#include <strings.h>

#include "data/number.h"

enum { CLAUSES = 64 /* further ones are not looked at */, WORD = 64 };

/* One of an Accept header's alternatives. */
struct clause {
    char type[WORD], sub[WORD];
    char as[WORD], group[WORD], version[WORD], stream[WORD], server_version[WORD];
    bool converts, pretty;
    double weight;
};

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Copies without blanks around; what is too long can be nothing that is known here and becomes "?". */
static void copy_word(char out[static WORD], const char *from, size_t length)
{
    while (length > 0 && (*from == ' ' || *from == '\t')) {
        from++;
        length--;
    }
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t'))
        length--;
    if (length >= 2 && from[0] == '"' && from[length - 1] == '"') {
        from++;
        length -= 2;
    }
    if (length >= WORD) {
        strcpy(out, "?");
        return;
    }
    memcpy(out, from, length);
    out[length] = '\0';
}

static void read_parameter(struct clause *clause, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    char name[WORD], value[WORD];
    if (equals == NULL)
        return;
    copy_word(name, text, (size_t)(equals - text));
    copy_word(value, equals + 1, length - (size_t)(equals + 1 - text));
    if (strcmp(name, "q") == 0) {
        char *end;
        double weight = number_read_double(value, &end);
        clause->weight = end != value && *end == '\0' ? weight : 1;
    } else if (strcmp(name, "as") == 0) {
        memcpy(clause->as, value, sizeof value);
        clause->converts = true;
    } else if (strcmp(name, "g") == 0) {
        memcpy(clause->group, value, sizeof value);
        clause->converts = true;
    } else if (strcmp(name, "v") == 0) {
        memcpy(clause->version, value, sizeof value);
        clause->converts = true;
    } else if (strcmp(name, "stream") == 0) {
        memcpy(clause->stream, value, sizeof value);
    } else if (strcmp(name, "sv") == 0) {
        memcpy(clause->server_version, value, sizeof value);
    } else if (strcmp(name, "pretty") == 0) {
        clause->pretty = strcmp(value, "1") == 0;
    }
}

/* False: no media range. */
static bool read_clause(struct clause *clause, const char *text, size_t length)
{
    *clause = (struct clause){.weight = 1};
    const char *end = text + length;
    size_t range = 0;
    while (range < length && text[range] != ';')
        range++;
    const char *slash = memchr(text, '/', range);
    if (slash != NULL) {
        copy_word(clause->type, text, (size_t)(slash - text));
        copy_word(clause->sub, slash + 1, range - (size_t)(slash + 1 - text));
    } else {
        return false;
    }
    for (const char *at = text + range; at < end;) {
        at++; /* the semicolon */
        const char *stop = memchr(at, ';', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        read_parameter(clause, at, (size_t)(stop - at));
        at = stop;
    }
    return true;
}

/* Which of two stands first: the heavier, then the more special. */
static bool is_before(const struct clause *a, const struct clause *b)
{
    bool any_a = a->type[0] == '*', any_b = b->type[0] == '*', any_sub_a = a->sub[0] == '*', any_sub_b = b->sub[0] == '*';
    if (a->weight > b->weight || a->weight < b->weight)
        return a->weight > b->weight;
    return any_a != any_b ? any_b : any_sub_a != any_sub_b && any_sub_b;
}

static size_t read_accept(const char *accept, struct clause clauses[static CLAUSES])
{
    size_t count = 0;
    while (*accept != '\0' && count < CLAUSES) {
        size_t length = strcspn(accept, ",");
        struct clause clause;
        if (read_clause(&clause, accept, length)) {
            size_t at = count++;
            for (; at > 0 && is_before(&clause, &clauses[at - 1]); at--)
                clauses[at] = clauses[at - 1];
            clauses[at] = clause;
        }
        accept += length + (accept[length] != '\0');
    }
    return count;
}

static const struct {
    const char *kind;
    enum format_as as;
} conversions[] = {{"Table", AS_TABLE}, {"PartialObjectMetadata", AS_PARTIAL}, {"PartialObjectMetadataList", AS_PARTIAL_LIST}};

/* The form that a clause asks for; false: it cannot be had. */
static bool take(const struct clause *clause, bool yaml, bool has_table, struct format *out)
{
    *out = (struct format){.yaml = yaml, .pretty = clause->pretty};
    if (clause->server_version[0] != '\0' && strcmp(clause->server_version, "v1") != 0)
        return false;
    if (clause->stream[0] != '\0' && (yaml || strcmp(clause->stream, "watch") != 0))
        return false;
    if (!clause->converts)
        return true;
    bool beta = strcmp(clause->version, "v1beta1") == 0;
    if (strcmp(clause->group, "meta.k8s.io") != 0 || (!beta && strcmp(clause->version, "v1") != 0))
        return false;
    out->beta = beta;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (strcmp(clause->as, conversions[i].kind) == 0) {
            out->as = conversions[i].as;
            return has_table || out->as != AS_TABLE;
        }
    return false;
}

/* Tries JSON, then YAML, as far as the range covers them. */
static bool take_any(const struct clause *clause, bool has_table, struct format *out)
{
    bool all = strcmp(clause->type, "*") == 0 && strcmp(clause->sub, "*") == 0, any = strcmp(clause->sub, "*") == 0;
    if (!all && strcmp(clause->type, "application") != 0)
        return false;
    return ((any || strcmp(clause->sub, "json") == 0) && take(clause, false, has_table, out)) ||
           ((any || strcmp(clause->sub, "yaml") == 0) && take(clause, true, has_table, out));
}

#define FORMS "application/json, application/yaml"
#define STREAMS "application/json;stream=watch"

/* The router looks before the handler does, at media types alone, and has a sentence of its own. */
static bool router_knows(const struct clause *clauses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((strcmp(clauses[i].type, "*") == 0 && strcmp(clauses[i].sub, "*") == 0) ||
            (strcmp(clauses[i].type, "application") == 0 &&
             (strcmp(clauses[i].sub, "json") == 0 || strcmp(clauses[i].sub, "yaml") == 0 || strcmp(clauses[i].sub, "vnd.kubernetes.protobuf") == 0)))
            return true;
    return false;
}

/* Browsers and command line tools get something to read. */
static bool is_pretty(const char *pretty, const char *user_agent)
{
    static const char *const agents[] = {"curl", "Wget", "Mozilla/5.0"}, *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
    if (pretty != NULL && pretty[0] != '\0') {
        for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
            if (strcmp(pretty, yes[i]) == 0)
                return true;
        return false;
    }
    for (size_t i = 0; user_agent != NULL && i < sizeof agents / sizeof *agents; i++)
        if (strncmp(user_agent, agents[i], strlen(agents[i])) == 0)
            return true;
    return false;
}

bool negotiate(const char *accept, const char *user_agent, const char *pretty, enum negotiate_what what, struct format *out, struct status *failure)
{
    struct clause clauses[CLAUSES];
    bool pretty_too = is_pretty(pretty, user_agent);
    *out = (struct format){.pretty = pretty_too};
    if (accept == NULL || accept[0] == '\0')
        return true;
    size_t count = read_accept(accept, clauses);
    if (!router_knows(clauses, count)) {
        status_set(failure, 406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: " FORMS "%s",
                   what == NEGOTIATE_LIST || what == NEGOTIATE_WATCH ? ", " STREAMS : "");
        failure->detailed = true;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (take_any(&clauses[i], what != NEGOTIATE_REVIEW, out)) {
            out->pretty = out->pretty || pretty_too;
            return what != NEGOTIATE_WATCH || !out->yaml ||
                   status_set(failure, 406, "NotAcceptable", "only the following media types are accepted: " STREAMS);
        }
    *out = (struct format){.pretty = pretty_too};
    return status_set(failure, 406, "NotAcceptable", "only the following media types are accepted: " FORMS);
}

bool media_is(const char *type, const char *wanted)
{
    const char *from = skip_blanks(type);
    size_t length = strcspn(from, "; \t");
    return strlen(wanted) == length && strncasecmp(from, wanted, length) == 0;
}

enum body_type body_type(const char *type)
{
    static const struct {
        const char *name;
        enum body_type type;
    } types[] = {{"application/json", BODY_JSON}, {"application/yaml", BODY_YAML}, {"application/vnd.kubernetes.protobuf", BODY_PROTOBUF}};
    if (type == NULL || type[0] == '\0')
        return BODY_JSON;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (media_is(type, types[i].name))
            return types[i].type;
    return BODY_OTHER;
}
