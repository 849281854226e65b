/* shell_state: builtins about the shell's own state: variables, options, the folder. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

/* ---- printing values ---- */

/* What the shell reads as something else than itself. */
static bool needs_quotes(unsigned char byte)
{
    return byte < '+' || (byte >= ':' && byte <= '?') || byte == '[' || byte == '\\' || byte == '`' || byte > 'z';
}

char *shell_quoted(const char *text, bool always)
{
    struct buf out = buf_make(8 * SHELL_VALUE);
    bool plain = *text && !always;
    for (const char *at = text; plain && *at; at++)
        plain = !needs_quotes((unsigned char)*at);
    if (plain) {
        buf_append_string(&out, text);
        return buf_take(&out, NULL);
    }
    do { /* 'it'"'"'s' */
        size_t length = strcspn(text, "'"), quotes = strspn(text + length, "'");
        if (length > 0 || quotes == 0)
            buf_printf(&out, "'%.*s'", (int)length, text);
        if (quotes > 0)
            buf_printf(&out, "\"%.*s\"", (int)quotes, text + length);
        text += length + quotes;
    } while (*text);
    return buf_take(&out, NULL);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "PREFIXname='value'" for each variable that wanted() likes, by name. */
static void print_variables(struct shell *shell, const char *prefix, bool exported, bool read_only)
{
    struct vec names = vec_make(SHELL_VARIABLES, NULL);
    size_t cursor = 0;
    const struct map_entry *entry;
    while ((entry = map_next(&shell->variables, &cursor))) {
        const struct variable *variable = entry->value;
        if ((exported && !variable->exported) || (read_only && !variable->read_only) || (!variable->value && !exported && !read_only))
            continue;
        if (!vec_push(&names, entry->key))
            break;
    }
    vec_sort(&names, by_text);
    for (size_t i = 0; i < names.length; i++) {
        const char *value = shell_get(shell, names.items[i]);
        char *quoted = value ? shell_quoted(value, true) : NULL;
        applet_print(shell->task, quoted ? "%s%s=%s\n" : "%s%s\n", prefix, (const char *)names.items[i], quoted);
        mem_free(quoted);
    }
    vec_free(&names);
}

/* ---- set ---- */

static const struct {
    char letter;
    const char *name;
} options[] = {{'e', "errexit"}, {'f', "noglob"}, {'I', "ignoreeof"}, {'i', "interactive"}, {'m', "monitor"}, {'n', "noexec"}, {'s', "stdin"}, {'x', "xtrace"}, {'v', "verbose"},
    {'C', "noclobber"}, {'a', "allexport"}, {'b', "notify"}, {'u', "nounset"}, {'V', "vi"}};

static int set_named(struct shell *shell, const char *name, bool on)
{
    if (strcmp(name, "pipefail") == 0) {
        shell->pipefail = on;
        return 0;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].name, name) == 0) {
            shell->option[(unsigned char)options[i].letter] = on;
            return 0;
        }
    return shell_fail(shell, 2, "illegal option -o %s", name);
}

static void print_options(struct shell *shell)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        applet_print(shell->task, "%-16s%s\n", options[i].name, shell->option[(unsigned char)options[i].letter] ? "on" : "off");
    applet_print(shell->task, "%-16s%s\n", "pipefail", shell->pipefail ? "on" : "off");
}

static int set_letters(struct shell *shell, const char *letters, bool on, int argc, char **argv, int *index)
{
    for (; *letters; letters++) {
        if (*letters == 'o') {
            if (*index + 1 >= argc) {
                print_options(shell);
                return 0;
            }
            int got = set_named(shell, argv[++*index], on);
            if (got != 0)
                return got;
        } else if (strchr("efmnxvCauhb", *letters)) {
            shell->option[(unsigned char)*letters] = on;
        } else {
            return shell_fail(shell, 2, "illegal option %c%c", on ? '-' : '+', *letters);
        }
    }
    return 0;
}

static int builtin_set(struct shell *shell, int argc, char **argv)
{
    int i = 1;
    bool positional = false;
    if (argc == 1) {
        print_variables(shell, "", false, false);
        return 0;
    }
    for (; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 || strcmp(argv[i], "-") == 0) {
            positional = argv[i][1] == '-' || i + 1 < argc;
            i++;
            break;
        }
        if ((argv[i][0] != '-' && argv[i][0] != '+') || !argv[i][1])
            break;
        int got = set_letters(shell, argv[i] + 1, argv[i][0] == '-', argc, argv, &i);
        if (got != 0)
            return got;
    }
    if (i >= argc && !positional)
        return 0;
    struct vec list = vec_make(SHELL_WORDS, mem_free);
    for (; i < argc; i++)
        if (!vec_push_string(&list, argv[i])) {
            vec_free(&list);
            return shell_fail(shell, 2, "out of memory");
        }
    vec_free(&shell->positional);
    shell->positional = list;
    return 0;
}

static int builtin_shift(struct shell *shell, int argc, char **argv)
{
    int64_t count = 1;
    if (argc > 1 && (!applet_number(argv[1], &count) || count < 0))
        return shell_fail(shell, 2, "Illegal number: %s", argv[1]);
    if ((size_t)count > shell->positional.length)
        return shell->flavour == SHELL_DASH ? shell_fail(shell, 2, "can't shift that many") : 1;
    while (count-- > 0)
        vec_remove(&shell->positional, 0);
    return 0;
}

/* ---- variables ---- */

/* NAME or NAME=VALUE for each word. */
static int declare(struct shell *shell, int argc, char **argv, int first, bool exported, bool read_only, bool local)
{
    for (int i = first; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        if (!shell_is_name(argv[i], length))
            return shell_fail(shell, 2, "%.*s: bad variable name", (int)length, argv[i]);
        char *name = mem_string_n(argv[i], length);
        bool ok = name && (!local || shell_make_local(shell, name)) && (!equals || shell_set(shell, name, equals + 1)) &&
                  ((!exported && !read_only) || shell_export(shell, name, exported, read_only));
        mem_free(name);
        if (!ok)
            return shell->leave != LEAVE_NOT ? shell->status : 2;
    }
    return 0;
}

static int builtin_export(struct shell *shell, int argc, char **argv)
{
    bool is_export = argv[0][0] == 'e', print = argc == 1;
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "-p") == 0)
        print = true;
    if (argc > 1 && strcmp(argv[1], "-n") == 0) {
        for (int i = 2; i < argc; i++) {
            struct variable *variable = map_get(&shell->variables, argv[i]);
            if (variable)
                variable->exported = false;
        }
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        first++;
    if (print) {
        print_variables(shell, is_export ? "export " : "readonly ", is_export, !is_export);
        return 0;
    }
    return declare(shell, argc, argv, first, is_export, !is_export, false);
}

static int builtin_local(struct shell *shell, int argc, char **argv)
{
    bool exported = false, read_only = false, local = shell->function_depth > 0;
    int first = 1;
    if (strcmp(argv[0], "local") == 0 && !local)
        return shell_fail(shell, 2, "not in a function");
    for (; first < argc && argv[first][0] == '-' && argv[first][1]; first++)
        for (const char *letter = argv[first] + 1; *letter; letter++) {
            exported = exported || *letter == 'x';
            read_only = read_only || *letter == 'r';
            local = local && *letter != 'g';
            if (strchr("aAinp", *letter) && strchr("aA", *letter))
                return shell_fail(shell, 2, "arrays are not simulated in the practice cluster");
        }
    return declare(shell, argc, argv, first, exported, read_only, local);
}

static int builtin_unset(struct shell *shell, int argc, char **argv)
{
    bool functions = false;
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-f") == 0 || strcmp(argv[i], "-v") == 0)
            functions = argv[i][1] == 'f';
        else if (functions)
            map_remove(&shell->functions, argv[i]);
        else if (!shell_is_name(argv[i], strlen(argv[i])))
            return shell_fail(shell, 2, "%s: bad variable name", argv[i]);
        else if (!shell_unset(shell, argv[i]))
            status = 1;
    }
    return status;
}

static int builtin_alias(struct shell *shell, int argc, char **argv)
{
    int status = 0;
    if (argc == 1) {
        size_t cursor = 0;
        const struct map_entry *entry;
        while ((entry = map_next(&shell->aliases, &cursor)))
            applet_print(shell->task, "%s='%s'\n", entry->key, (const char *)entry->value);
    }
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i] + 1, '=');
        const char *value = equals ? NULL : map_get(&shell->aliases, argv[i]);
        if (equals) {
            *equals = '\0';
            char *text = mem_string(equals + 1);
            if (!text || !map_set(&shell->aliases, argv[i], text))
                return shell_fail(shell, 2, "out of memory");
        } else if (value) {
            applet_print(shell->task, "%s='%s'\n", argv[i], value);
        } else {
            shell_say(shell, "%s not found", argv[i]);
            status = 1;
        }
    }
    return status;
}

static int builtin_unalias(struct shell *shell, int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-a") == 0) {
            map_free(&shell->aliases);
        } else if (map_has(&shell->aliases, argv[i])) {
            map_remove(&shell->aliases, argv[i]);
        } else {
            shell_say(shell, "%s not found", argv[i]);
            status = 1;
        }
    }
    return status;
}

/* ---- getopts ---- */

static int option_error(struct shell *shell, bool silent, const char *name, char letter, bool missing)
{
    char text[2] = {letter, '\0'};
    if (silent) {
        shell_set(shell, "OPTARG", text);
        shell_set(shell, name, missing ? ":" : "?");
    } else {
        shell_unset(shell, "OPTARG");
        shell_set(shell, name, "?");
        char line[160];
        int length = snprintf(line, sizeof line, missing ? "No arg for -%c option\n" : "Illegal option -%c\n", letter);
        task_write(shell->task, 2, line, (size_t)length);
    }
    return 0;
}

static int builtin_getopts(struct shell *shell, int argc, char **argv)
{
    if (argc < 3)
        return shell_fail(shell, 2, "usage: getopts optstring var [arg...]");
    const char *letters = argv[1], *name = argv[2];
    char **words = argc > 3 ? argv + 3 : (char **)shell->positional.items;
    size_t count = argc > 3 ? (size_t)argc - 3 : shell->positional.length, position = shell->getopts_at;
    const char *said = shell_get(shell, "OPTIND");
    size_t index = said ? (size_t)strtoul(said, NULL, 10) : 1;
    bool silent = *letters == ':';
    char number[24];
    index = index < 1 ? 1 : index;
    const char *word = index <= count ? words[index - 1] : NULL;
    if (position == 0 && (!word || word[0] != '-' || !word[1] || strcmp(word, "--") == 0)) {
        snprintf(number, sizeof number, "%zu", index + (word && strcmp(word, "--") == 0));
        shell_set(shell, "OPTIND", number);
        shell_set(shell, name, "?");
        return 1;
    }
    if (!word)
        return 1;
    position = position == 0 || position >= strlen(word) ? 1 : position;
    char letter = word[position++];
    const char *at = letter == ':' ? NULL : strchr(letters + silent, letter);
    bool done = word[position] == '\0', bad = !at, missing = false;
    const char *value = NULL;
    if (at && at[1] == ':') {
        value = !done ? word + position : index < count ? words[index] : NULL;
        missing = !value;
        index += done && !missing;
        done = true;
    }
    index += done;
    snprintf(number, sizeof number, "%zu", index);
    if (!shell_set(shell, "OPTIND", number))
        return 2;
    shell->getopts_at = done ? 0 : position;
    if (bad || missing)
        return option_error(shell, silent, name, letter, missing);
    char text[2] = {letter, '\0'};
    if (value)
        shell_set(shell, "OPTARG", value);
    else if (shell->flavour == SHELL_ASH)
        shell_set(shell, "OPTARG", "");
    else
        shell_unset(shell, "OPTARG");
    return shell_set(shell, name, text) ? 0 : 2;
}

/* ---- the folder ---- */

/* a/../b by text alone, as cd -L does it. */
static void logical(const char *from, const char *path, char out[static FS_PATH])
{
    char all[FS_PATH * 2];
    snprintf(all, sizeof all, "%s/%s", *path == '/' ? "" : from, path);
    size_t length = 0;
    for (char *at = all; *at;) {
        at += strspn(at, "/");
        size_t part = strcspn(at, "/");
        if (part == 2 && at[0] == '.' && at[1] == '.') {
            while (length > 0 && out[--length] != '/')
                continue;
        } else if (part > 0 && !(part == 1 && at[0] == '.') && length + part + 2 < FS_PATH) {
            out[length++] = '/';
            memcpy(out + length, at, part);
            length += part;
        }
        at += part;
    }
    if (length == 0)
        out[length++] = '/';
    out[length] = '\0';
}

static int builtin_cd(struct shell *shell, int argc, char **argv)
{
    int first = 1;
    bool physical = false, print = false;
    while (first < argc && (strcmp(argv[first], "-P") == 0 || strcmp(argv[first], "-L") == 0 || strcmp(argv[first], "--") == 0))
        physical = argv[first++][1] == 'P';
    const char *wanted = first < argc ? argv[first] : shell_get(shell, "HOME"), *pwd = shell_get(shell, "PWD");
    if (wanted && strcmp(wanted, "-") == 0) {
        wanted = shell_get(shell, "OLDPWD");
        print = true;
        if (!wanted)
            return shell_fail(shell, 2, "OLDPWD not set"), shell->leave = LEAVE_NOT, 2;
    }
    char path[FS_PATH], real[FS_PATH];
    wanted = wanted ? wanted : "";
    if (strlen(wanted) >= FS_PATH)
        wanted = "";
    logical(pwd && *pwd == '/' ? pwd : shell->task->who.cwd, wanted, path);
    struct fs_stat stat;
    int got = !*wanted && first < argc ? 0 : fs_stat(&shell->task->who, path, true, &stat);
    if (got == 0 && !S_ISDIR(stat.mode))
        got = -ENOTDIR;
    if (got == 0)
        got = fs_access(&shell->task->who, path, 1 /* X_OK */);
    if (got == 0)
        got = fs_real_path(&shell->task->who, path, false, real);
    char *cwd = got == 0 ? mem_string(real) : NULL;
    if (!cwd) {
        shell_say(shell, "can't cd to %s: %s", wanted, got == -ENOENT ? "No such file or directory" : applet_errno(got));
        return 2;
    }
    mem_free(shell->task->who.cwd);
    shell->task->who.cwd = cwd;
    if (pwd)
        shell_set(shell, "OLDPWD", pwd);
    if (print)
        applet_print(shell->task, "%s\n", physical ? real : path);
    return shell_set(shell, "PWD", physical ? real : path) ? 0 : 2;
}

static int builtin_pwd(struct shell *shell, int argc, char **argv)
{
    const char *pwd = shell_get(shell, "PWD");
    bool physical = argc > 1 && strcmp(argv[1], "-P") == 0;
    applet_print(shell->task, "%s\n", physical || !pwd || *pwd != '/' ? shell->task->who.cwd : pwd);
    return 0;
}

static int builtin_umask(struct shell *shell, int argc, char **argv)
{
    if (argc < 2) {
        applet_print(shell->task, "%04o\n", shell->task->umask);
        return 0;
    }
    if (strcmp(argv[1], "-S") == 0) {
        unsigned mode = ~shell->task->umask;
        for (int i = 6; i >= 0; i -= 3)
            applet_print(shell->task, "%c=%s%s%s%s", "ogu"[i / 3], mode >> i & 4 ? "r" : "", mode >> i & 2 ? "w" : "", mode >> i & 1 ? "x" : "", i > 0 ? "," : "\n");
        return 0;
    }
    if (strspn(argv[1], "01234567") != strlen(argv[1]) || strlen(argv[1]) > 4)
        return shell_fail(shell, 2, "illegal mode: %s", argv[1]), shell->leave = LEAVE_NOT, 2;
    shell->task->umask = (unsigned)strtoul(argv[1], NULL, 8) & 0777;
    return 0;
}

static int builtin_ulimit(struct shell *shell, int argc, char **argv)
{
    bool files = argc > 1 && strcmp(argv[1], "-n") == 0;
    if (argc > (files ? 2 : 1) && argv[argc - 1][0] != '-')
        return 0;
    applet_print(shell->task, files ? "1048576\n" : "unlimited\n");
    return 0;
}

static int builtin_let(struct shell *shell, int argc, char **argv)
{
    int64_t value = 0;
    for (int i = 1; i < argc; i++)
        if (!shell_arithmetic(shell, argv[i], &value))
            return 1;
    return value == 0;
}

static int builtin_hash(struct shell *shell, int argc, char **argv)
{
    (void)shell, (void)argc, (void)argv;
    return 0;
}

static const struct shell_builtin builtins[] = {
    {"set", builtin_set, true, NULL},         {"shift", builtin_shift, true, NULL},    {"export", builtin_export, true, NULL}, {"readonly", builtin_export, true, NULL},
    {"local", builtin_local, true, NULL},     {"declare", builtin_local, false, NULL}, {"typeset", builtin_local, false, NULL}, {"unset", builtin_unset, true, NULL},
    {"alias", builtin_alias, false, NULL},    {"unalias", builtin_unalias, false, NULL}, {"getopts", builtin_getopts, false, NULL}, {"cd", builtin_cd, false, NULL},
    {"chdir", builtin_cd, false, NULL},       {"pwd", builtin_pwd, false, NULL},       {"umask", builtin_umask, false, NULL},  {"ulimit", builtin_ulimit, false, NULL},
    {"let", builtin_let, false, NULL},        {"hash", builtin_hash, false, NULL},
};
const struct shell_builtin_table shell_builtins_state = {builtins, sizeof builtins / sizeof *builtins};
