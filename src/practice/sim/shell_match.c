/* shell_match: patterns of words, and the names of files that match one. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

static bool in_class(const char *name, size_t length, int character)
{
    static const struct {
        const char *name;
        int (*is)(int);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
        {"lower", islower}, {"print", isprint}, {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == length && strncmp(classes[i].name, name, length) == 0)
            return character < 128 && classes[i].is(character) != 0;
    return false;
}

/* pattern[0] is '['. The length of the set, 0: it is none; *matches. */
static size_t set_matches(const char *pattern, unsigned char character, bool *matches)
{
    size_t at = 1;
    bool negate = pattern[at] == '!' || pattern[at] == '^', found = false;
    at += negate;
    for (size_t first = at; pattern[at] && (pattern[at] != ']' || at == first);) {
        const char *end;
        if (pattern[at] == '[' && pattern[at + 1] == ':' && (end = strstr(pattern + at + 2, ":]"))) {
            found = found || in_class(pattern + at + 2, (size_t)(end - pattern) - at - 2, character);
            at = (size_t)(end - pattern) + 2;
            continue;
        }
        at += pattern[at] == '\\' && pattern[at + 1];
        unsigned char low = (unsigned char)pattern[at++], high = low;
        if (pattern[at] == '-' && pattern[at + 1] && pattern[at + 1] != ']') {
            at++;
            at += pattern[at] == '\\' && pattern[at + 1];
            high = (unsigned char)pattern[at++];
        }
        found = found || (character >= low && character <= high);
    }
    if (pattern[at] != ']')
        return 0;
    *matches = found != negate;
    return at + 1;
}

static size_t character_length(const char *text, size_t left)
{
    size_t length = 1;
    if ((unsigned char)text[0] >= 0xC0)
        while (length < left && ((unsigned char)text[length] & 0xC0) == 0x80)
            length++;
    return length;
}

bool shell_match(const char *pattern, const char *text, size_t length)
{
    const char *star = NULL; /* after the last one, where it began to match */
    size_t at = 0, star_at = 0;
    while (true) {
        bool ok = false;
        if (*pattern == '*') {
            star = ++pattern;
            star_at = at;
            continue;
        }
        if (at == length && !*pattern)
            return true;
        if (at < length && *pattern) {
            bool matches;
            size_t set = *pattern == '[' ? set_matches(pattern, (unsigned char)text[at], &matches) : 0;
            if (set > 0) {
                ok = matches;
                pattern += ok ? set : 0;
                at += ok;
            } else if (*pattern == '?') {
                ok = true;
                at += character_length(text + at, length - at);
                pattern++;
            } else {
                size_t escape = *pattern == '\\' && pattern[1];
                ok = pattern[escape] == text[at];
                pattern += ok ? escape + 1 : 0;
                at += ok;
            }
        }
        if (ok)
            continue;
        if (!star || star_at >= length)
            return false;
        pattern = star;
        at = ++star_at;
    }
}

/* ---- files ---- */

static bool is_pattern(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            i++;
        else if (strchr("*?[", text[i]))
            return true;
    }
    return false;
}

struct glob {
    struct shell *shell;
    struct vec *out;
    char path[FS_PATH];
    bool ok;
};

static void glob_from(struct glob *glob, size_t length, const char *pattern);

/* Adds a part to the path and goes on after it. */
static void descend(struct glob *glob, size_t length, const char *name, size_t name_length, const char *rest)
{
    size_t slashes = strspn(rest, "/");
    if (length + name_length + slashes + 1 >= FS_PATH)
        return;
    memcpy(glob->path + length, name, name_length);
    length += name_length;
    memcpy(glob->path + length, rest, slashes);
    length += slashes;
    glob->path[length] = '\0';
    if (rest[slashes]) {
        glob_from(glob, length, rest + slashes);
        return;
    }
    struct fs_stat stat;
    if (fs_stat(&glob->shell->task->who, glob->path, slashes > 0, &stat) == 0 && (slashes == 0 || S_ISDIR(stat.mode)))
        glob->ok = vec_push_string(glob->out, glob->path);
}

static void glob_from(struct glob *glob, size_t length, const char *pattern)
{
    char part[FS_NAME * 2 + 2];
    size_t end = strcspn(pattern, "/");
    if (!glob->ok || end >= sizeof part || !task_step(glob->shell->task, 5))
        return;
    memcpy(part, pattern, end);
    part[end] = '\0';
    if (!is_pattern(part, end)) {
        size_t plain = 0;
        for (size_t i = 0; i < end; i++) {
            i += part[i] == '\\' && i + 1 < end;
            part[plain++] = part[i];
        }
        descend(glob, length, part, plain, pattern + end);
        return;
    }
    struct vec names;
    if (fs_list(&glob->shell->task->who, length > 0 ? glob->path : ".", &names) != 0)
        return;
    if (part[0] == '.')
        glob->ok = vec_push_string(&names, ".") && vec_push_string(&names, "..");
    for (size_t i = 0; i < names.length && glob->ok; i++) {
        const char *name = names.items[i];
        if ((name[0] != '.' || part[0] == '.') && shell_match(part, name, strlen(name)))
            descend(glob, length, name, strlen(name), pattern + end);
    }
    vec_free(&names);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool shell_glob(struct shell *shell, const char *pattern, struct vec *out)
{
    struct vec found = vec_make(SHELL_WORDS, mem_free);
    struct glob glob = {.shell = shell, .out = &found, .ok = true};
    size_t slashes = strspn(pattern, "/");
    if (slashes >= FS_PATH)
        return true;
    memcpy(glob.path, pattern, slashes);
    glob.path[slashes] = '\0';
    glob_from(&glob, slashes, pattern + slashes);
    vec_sort(&found, by_text);
    bool ok = glob.ok;
    for (size_t i = 0; ok && i < found.length; i++)
        ok = vec_push_string(out, found.items[i]);
    vec_free(&found);
    return ok;
}
