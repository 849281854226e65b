#include "text/entity.h"

#include <string.h>

/* The names that people write in prose; HTML knows 2,231. */
static const struct {
    const char *name;
    unsigned code_point;
} entities[] = {
    {"amp", '&'},       {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"apos", '\''},    {"nbsp", 0xA0},
    {"lbrace", '{'},    {"rbrace", '}'},   {"lbrack", '['},   {"rbrack", ']'},    {"lpar", '('},     {"rpar", ')'},
    {"vert", '|'},      {"bsol", '\\'},    {"sol", '/'},      {"ast", '*'},       {"lowbar", '_'},   {"grave", '`'},
    {"num", '#'},       {"dollar", '$'},   {"percnt", '%'},   {"commat", '@'},    {"colon", ':'},    {"plus", '+'},
    {"equals", '='},    {"excl", '!'},     {"quest", '?'},    {"hyphen", 0x2010}, {"ndash", 0x2013}, {"mdash", 0x2014},
    {"lsquo", 0x2018},  {"rsquo", 0x2019}, {"ldquo", 0x201C}, {"rdquo", 0x201D},  {"laquo", 0xAB},   {"raquo", 0xBB},
    {"hellip", 0x2026}, {"bull", 0x2022},  {"middot", 0xB7},  {"sect", 0xA7},     {"para", 0xB6},    {"deg", 0xB0},
    {"plusmn", 0xB1},   {"times", 0xD7},   {"divide", 0xF7},  {"micro", 0xB5},    {"frac12", 0xBD},  {"sup2", 0xB2},
    {"copy", 0xA9},     {"reg", 0xAE},     {"trade", 0x2122}, {"euro", 0x20AC},   {"pound", 0xA3},   {"yen", 0xA5},
    {"larr", 0x2190},   {"uarr", 0x2191},  {"rarr", 0x2192},  {"darr", 0x2193},   {"harr", 0x2194},  {"rArr", 0x21D2},
    {"le", 0x2264},     {"ge", 0x2265},    {"ne", 0x2260},    {"asymp", 0x2248},  {"infin", 0x221E}, {"check", 0x2713},
    {"cross", 0x2717},  {"ensp", 0x2002},  {"emsp", 0x2003},  {"thinsp", 0x2009}, {"shy", 0xAD},     {"zwj", 0x200D},
};

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

/* `bytes` are digits of `base` only: md4c calls nothing else an entity. */
static unsigned number(const char *bytes, size_t length, unsigned base)
{
    unsigned value = 0;
    for (size_t i = 0; i < length && value <= 0x10FFFF; i++)
        value = value * base + digit(bytes[i]);
    return value == 0 || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF) ? 0xFFFD : value;
}

unsigned entity_code_point(const char *bytes, size_t length)
{
    if (length < 3)
        return 0;
    if (bytes[1] == '#')
        return bytes[2] == 'x' || bytes[2] == 'X' ? number(bytes + 3, length - 4, 16) : number(bytes + 2, length - 3, 10);
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strlen(entities[i].name) == length - 2 && memcmp(bytes + 1, entities[i].name, length - 2) == 0)
            return entities[i].code_point;
    return 0;
}
