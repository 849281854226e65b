/* shell_test: test, [ and [[. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "practice/sim/regex.h"
#include "practice/sim/shell.h"
#include "practice/sim/tty.h"

enum { YES = 0, NO = 1, WRONG = 2 };

struct test {
    struct task *task;
    struct shell *shell; /* of [[ ]] */
    char **words;
    int count, at;
    bool wrong, matches; /* matches: of [[ ]], where the right side of = is a pattern */
    int depth;
};

static int64_t test_number(struct test *test, const char *text)
{
    int64_t value;
    while (*text == ' ' || *text == '\t')
        text++;
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    char copy[32] = "";
    if (length < sizeof copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    if (test->shell && shell_is_name(text, length)) {
        const char *named = shell_get(test->shell, text);
        return named && applet_number(named, &value) ? value : 0;
    }
    if (applet_number(copy, &value))
        return value;
    if (!test->wrong)
        applet_say(test->task, "%s: bad number", text);
    test->wrong = true;
    return 0;
}

static bool is_unary(const char *word)
{
    return word[0] == '-' && word[1] && !word[2] && strchr("bcdefghknoprstuwxzGLNOSv", word[1]);
}

static bool file_test(struct test *test, char op, const char *path)
{
    struct fs_stat stat;
    const struct fs_who *who = &test->task->who;
    if (!*path || fs_stat(who, path, op != 'h' && op != 'L', &stat) != 0)
        return false;
    switch (op) {
    case 'd': return S_ISDIR(stat.mode);
    case 'f': return S_ISREG(stat.mode);
    case 'h':
    case 'L': return S_ISLNK(stat.mode);
    case 's': return stat.size > 0;
    case 'b': return S_ISBLK(stat.mode);
    case 'c': return S_ISCHR(stat.mode);
    case 'p': return S_ISFIFO(stat.mode);
    case 'S': return S_ISSOCK(stat.mode);
    case 'r': return fs_access(who, path, R_OK) == 0;
    case 'w': return fs_access(who, path, W_OK) == 0;
    case 'x': return fs_access(who, path, X_OK) == 0;
    case 'g': return (stat.mode & S_ISGID) != 0;
    case 'u': return (stat.mode & S_ISUID) != 0;
    case 'k': return (stat.mode & S_ISVTX) != 0;
    case 'O': return stat.uid == who->uid;
    case 'G': return stat.gid == who->gid;
    default: return true;
    }
}

static bool unary(struct test *test, char op, const char *operand)
{
    if (op == 'n' || op == 'z')
        return (*operand != '\0') == (op == 'n');
    if (op == 't') {
        const struct handle *handle = task_handle(test->task, (int)test_number(test, operand));
        return handle && handle->tty;
    }
    if (op == 'o')
        return test->shell && operand[0] && test->shell->option[(unsigned char)operand[0] & 0x7F];
    if (op == 'v')
        return test->shell && shell_get(test->shell, operand);
    return file_test(test, op, operand);
}

static const char *const binaries[] = {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "=~"};

static bool is_binary(const struct test *test, const char *word)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (strcmp(binaries[i], word) == 0)
            return strcmp(word, "=~") != 0 || test->matches;
    return false;
}

static bool newer(const struct task *task, const char *left, const char *right, char op)
{
    struct fs_stat a, b;
    bool have_a = fs_stat(&task->who, left, true, &a) == 0, have_b = fs_stat(&task->who, right, true, &b) == 0;
    if (op == 'e')
        return have_a && have_b && a.number == b.number && a.file_system == b.file_system;
    if (op == 'n')
        return have_a && (!have_b || a.time_ms > b.time_ms);
    return have_b && (!have_a || a.time_ms < b.time_ms);
}

static bool regex_test(struct test *test, const char *text, const char *expression)
{
    struct regex *regex = regex_new(expression, REGEX_EXTENDED, test->task);
    bool found = regex && regex_find(regex, text, strlen(text), 0, NULL);
    test->wrong = test->wrong || !regex;
    regex_free(regex);
    return found;
}

static bool binary(struct test *test, const char *left, const char *op, const char *right)
{
    if (op[0] == '-' && (strcmp(op, "-nt") == 0 || strcmp(op, "-ot") == 0 || strcmp(op, "-ef") == 0))
        return newer(test->task, left, right, op[1]);
    if (op[0] == '-') {
        int64_t a = test_number(test, left), b = test->wrong ? 0 : test_number(test, right);
        return op[1] == 'e' ? a == b : op[1] == 'n' ? a != b : op[1] == 'l' ? (op[2] == 't' ? a < b : a <= b) : op[2] == 't' ? a > b : a >= b;
    }
    if (strcmp(op, "=~") == 0)
        return regex_test(test, left, right);
    if (op[0] == '<' || op[0] == '>')
        return op[0] == '<' ? strcmp(left, right) < 0 : strcmp(left, right) > 0;
    bool equal = test->matches ? shell_match(right, left, strlen(left)) : strcmp(left, right) == 0;
    return equal == (op[0] == '=');
}

static bool expression(struct test *test);

static const char *word_at(const struct test *test, int ahead)
{
    return test->at + ahead < test->count ? test->words[test->at + ahead] : NULL;
}

static bool primary(struct test *test)
{
    const char *word = word_at(test, 0), *next = word_at(test, 1), *after = word_at(test, 2);
    if (!word || test->wrong || test->depth > 32) {
        if (!test->wrong)
            applet_say(test->task, test->at > 0 && !word ? "argument expected" : "syntax error");
        test->wrong = true;
        return false;
    }
    if (next && is_binary(test, next) && !after && strcmp(word, "!") != 0 && strcmp(word, "(") != 0) {
        applet_say(test->task, "%s: argument expected", next);
        test->wrong = true;
        return false;
    }
    if (next && after && is_binary(test, next)) {
        test->at += 3;
        return binary(test, word, next, after);
    }
    if (strcmp(word, "!") == 0 && next) {
        test->at++;
        test->depth++;
        bool value = primary(test);
        test->depth--;
        return !value;
    }
    if (strcmp(word, "(") == 0 && next) {
        test->at++;
        test->depth++;
        bool value = expression(test);
        test->depth--;
        word = word_at(test, 0);
        if (!test->wrong && (!word || strcmp(word, ")") != 0)) {
            applet_say(test->task, "closing paren expected");
            test->wrong = true;
        }
        test->at++;
        return value;
    }
    if (is_unary(word) && next) {
        test->at += 2;
        return unary(test, word[1], next);
    }
    test->at++;
    return *word != '\0';
}

static bool conjunction(struct test *test)
{
    bool value = primary(test);
    for (const char *word; !test->wrong && (word = word_at(test, 0)) && (strcmp(word, "-a") == 0 || (test->matches && strcmp(word, "&&") == 0));) {
        test->at++;
        bool right = primary(test);
        value = value && right;
    }
    return value;
}

static bool expression(struct test *test)
{
    bool value = conjunction(test);
    for (const char *word; !test->wrong && (word = word_at(test, 0)) && (strcmp(word, "-o") == 0 || (test->matches && strcmp(word, "||") == 0));) {
        test->at++;
        bool right = conjunction(test);
        value = value || right;
    }
    return value;
}

static int finish(struct test *test)
{
    if (test->count == 0)
        return NO;
    bool value;
    if (test->count == 1) {
        value = *test->words[0] != '\0';
        test->at = 1;
    } else {
        value = expression(test);
    }
    if (!test->wrong && test->at < test->count) {
        applet_say(test->task, "%s: unknown operand", test->words[test->at]);
        test->wrong = true;
    }
    return test->wrong ? WRONG : value ? YES : NO;
}

int shell_test(struct task *task, int argc, char **argv)
{
    struct test test = {.task = task, .words = argv + 1, .count = argc - 1};
    if (strcmp(applet_base_name(argv[0]), "[") == 0) {
        if (argc < 2 || strcmp(argv[argc - 1], "]") != 0) {
            applet_say(task, "missing ]");
            return WRONG;
        }
        test.count--;
    }
    return finish(&test);
}

int shell_double_test(struct shell *shell, const struct word *words)
{
    struct vec expanded = vec_make(SHELL_WORDS, mem_free);
    bool pattern = false, ok = true;
    for (const struct word *word = words; ok && word; word = word->next) {
        char *text = shell_expand_one(shell, word, pattern ? EXPAND_PATTERN : 0);
        ok = text && vec_push(&expanded, text);
        const char *last = ok ? text : "";
        pattern = strcmp(last, "=") == 0 || strcmp(last, "==") == 0 || strcmp(last, "!=") == 0;
    }
    char name[] = "[[", *own[] = {name, NULL}, **argv = shell->task->argv;
    struct test test = {.task = shell->task, .shell = shell, .words = (char **)expanded.items, .count = (int)expanded.length, .matches = true};
    shell->task->argv = own;
    int status = ok ? finish(&test) : shell->status;
    shell->task->argv = argv;
    vec_free(&expanded);
    return status;
}
