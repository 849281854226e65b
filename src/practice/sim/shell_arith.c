/* shell_arith: $(( )): C's integer expressions on 64 bits that wrap, with ** and with names whose values are expressions themselves. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

enum { LEVELS = 14, NESTED = 32 };

struct arithmetic {
    struct shell *shell;
    const char *at;
    int depth;
    bool failed;
    bool skip; /* the side that is not taken: nothing is set, nothing divided */
};

static void fail(struct arithmetic *a, const char *what)
{
    if (!a->failed && a->shell->leave == LEAVE_NOT)
        shell_fail(a->shell, 2, "%s", what);
    a->failed = true;
}

static void blanks(struct arithmetic *a)
{
    a->at += strspn(a->at, " \t\n\r");
}

static int64_t assignment(struct arithmetic *a);
static int64_t comma(struct arithmetic *a);

static int64_t number(struct arithmetic *a)
{
    char *end;
    uint64_t value = strtoull(a->at, &end, 0);
    if (isalnum((unsigned char)*end) || *end == '_')
        fail(a, "arithmetic syntax error");
    a->at = end;
    return (int64_t)value;
}

static int64_t value_of(struct arithmetic *a, const char *name)
{
    char buffer[32];
    const char *value = shell_special(a->shell, name, buffer);
    if (!value || !*value) {
        if (!value && a->shell->option['u'])
            fail(a, "parameter not set");
        return 0;
    }
    if (a->depth >= NESTED) {
        fail(a, "expression recursion loop detected");
        return 0;
    }
    struct arithmetic inner = {.shell = a->shell, .at = value, .depth = a->depth + 1};
    int64_t result = comma(&inner);
    blanks(&inner);
    if (!inner.failed && *inner.at)
        fail(&inner, "arithmetic syntax error");
    a->failed = a->failed || inner.failed;
    return result;
}

static bool name_at(struct arithmetic *a, char name[static 128])
{
    size_t length = 0;
    while ((isalnum((unsigned char)a->at[length]) || a->at[length] == '_') && length < 127)
        length++;
    if (!shell_is_name(a->at, length))
        return false;
    memcpy(name, a->at, length);
    name[length] = '\0';
    a->at += length;
    return true;
}

static void store(struct arithmetic *a, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    if (!a->skip && !a->failed && !shell_set(a->shell, name, text))
        a->failed = true;
}

static int64_t wrap_add(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t unary(struct arithmetic *a)
{
    char name[128];
    if (a->failed || task_stack_left(a->shell->task) < SHELL_STACK) {
        fail(a, "arithmetic syntax error");
        return 0;
    }
    blanks(a);
    if ((a->at[0] == '+' && a->at[1] == '+') || (a->at[0] == '-' && a->at[1] == '-')) {
        int64_t by = a->at[0] == '+' ? 1 : -1;
        const char *before = a->at;
        a->at += 2;
        blanks(a);
        if (name_at(a, name)) {
            int64_t value = wrap_add(value_of(a, name), by);
            store(a, name, value);
            return value;
        }
        a->at = before;
    }
    char op = *a->at;
    if (op == '!' || op == '~' || op == '-' || op == '+') {
        a->at++;
        int64_t value = unary(a);
        return op == '!' ? !value : op == '~' ? ~value : op == '-' ? (int64_t)(0 - (uint64_t)value) : value;
    }
    if (op == '(') {
        a->at++;
        int64_t value = comma(a);
        blanks(a);
        if (*a->at != ')')
            fail(a, "arithmetic syntax error");
        else
            a->at++;
        return value;
    }
    if (isdigit((unsigned char)op))
        return number(a);
    if (!name_at(a, name)) {
        fail(a, "arithmetic syntax error");
        return 0;
    }
    int64_t value = value_of(a, name);
    blanks(a);
    if ((a->at[0] == '+' && a->at[1] == '+') || (a->at[0] == '-' && a->at[1] == '-')) {
        store(a, name, wrap_add(value, a->at[0] == '+' ? 1 : -1));
        a->at += 2;
    }
    return value;
}

static int64_t power(struct arithmetic *a)
{
    int64_t base = unary(a);
    blanks(a);
    if (a->failed || strncmp(a->at, "**", 2) != 0 || a->at[2] == '=')
        return base;
    a->at += 2;
    int64_t exponent = power(a), result = 1;
    if (exponent < 0) {
        fail(a, "exponent less than 0");
        return 0;
    }
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = (int64_t)((uint64_t)result * (uint64_t)base);
        base = (int64_t)((uint64_t)base * (uint64_t)base);
    }
    return result;
}

/* Longer ones first. level: the higher, the tighter. */
static const struct {
    const char *op;
    int level;
} operators[] = {{"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&&", 2}, {"||", 1}, {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9}, {"-", 9}, {"<", 7}, {">", 7}, {"&", 5}, {"^", 4}, {"|", 3}};

static int operator_at(const char *at)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].op);
        if (strncmp(at, operators[i].op, length) != 0)
            continue;
        bool logic = strcmp(operators[i].op, "&&") == 0 || strcmp(operators[i].op, "||") == 0;
        bool compares = operators[i].level == 6 || operators[i].level == 7;
        return at[length] == '=' && !logic && !compares ? -1 : (int)i; /* += is an assignment's */
    }
    return -1;
}

static int64_t apply(struct arithmetic *a, const char *op, int64_t x, int64_t y)
{
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    if (op[0] == '/' || op[0] == '%') {
        if (y == 0) {
            if (!a->skip)
                fail(a, "divide by zero");
            return 0;
        }
        if (y == -1) /* the smallest number's quotient does not fit */
            return op[0] == '/' ? (int64_t)(0 - ux) : 0;
        return op[0] == '/' ? x / y : x % y;
    }
    switch (op[0]) {
    case '*': return (int64_t)(ux * uy);
    case '+': return (int64_t)(ux + uy);
    case '-': return (int64_t)(ux - uy);
    case '^': return x ^ y;
    case '=': return x == y;
    case '!': return x != y;
    case '&': return op[1] == '&' ? x && y : x & y;
    case '|': return op[1] == '|' ? x || y : x | y;
    case '<': return op[1] == '<' ? (int64_t)(ux << (uy & 63)) : op[1] == '=' ? x <= y : x < y;
    default: return op[1] == '>' ? x >> (uy & 63) : op[1] == '=' ? x >= y : x > y;
    }
}

static int64_t binary(struct arithmetic *a, int level)
{
    int64_t left = power(a);
    for (;;) {
        blanks(a);
        int found = a->failed ? -1 : operator_at(a->at);
        if (found < 0 || operators[found].level < level)
            return left;
        const char *op = operators[found].op;
        a->at += strlen(op);
        bool skip = a->skip;
        a->skip = skip || (strcmp(op, "&&") == 0 && !left) || (strcmp(op, "||") == 0 && left);
        int64_t right = binary(a, operators[found].level + 1);
        a->skip = skip;
        left = apply(a, op, left, right);
    }
}

static int64_t conditional(struct arithmetic *a)
{
    int64_t condition = binary(a, 1);
    blanks(a);
    if (a->failed || *a->at != '?')
        return condition;
    a->at++;
    bool skip = a->skip;
    a->skip = skip || !condition;
    int64_t yes = comma(a);
    blanks(a);
    if (*a->at != ':') {
        fail(a, "arithmetic syntax error");
        return 0;
    }
    a->at++;
    a->skip = skip || condition;
    int64_t no = conditional(a);
    a->skip = skip;
    return condition ? yes : no;
}

static int64_t assignment(struct arithmetic *a)
{
    static const char *const ops[] = {"<<=", ">>=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    char name[128];
    blanks(a);
    const char *before = a->at;
    if (name_at(a, name)) {
        blanks(a);
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            size_t length = strlen(ops[i]);
            if (strncmp(a->at, ops[i], length) != 0 || (length == 1 && a->at[1] == '='))
                continue;
            a->at += length;
            int64_t right = assignment(a);
            int64_t value = length == 1 || a->failed ? right : apply(a, ops[i], value_of(a, name), right);
            store(a, name, value);
            return value;
        }
    }
    a->at = before;
    return conditional(a);
}

static int64_t comma(struct arithmetic *a)
{
    int64_t value = assignment(a);
    for (blanks(a); !a->failed && *a->at == ','; blanks(a)) {
        a->at++;
        value = assignment(a);
    }
    return value;
}

bool shell_arithmetic(struct shell *shell, const char *text, int64_t *out)
{
    struct arithmetic a = {.shell = shell, .at = text};
    blanks(&a);
    *out = *a.at ? comma(&a) : 0;
    blanks(&a);
    if (!a.failed && *a.at)
        fail(&a, "arithmetic syntax error");
    return !a.failed && shell->leave == LEAVE_NOT;
}
