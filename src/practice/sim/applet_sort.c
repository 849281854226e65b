/* applet_sort: sort, uniq, cut, tr. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"

/* ---- sort ---- */

struct key {
    int first_field, first_char, last_field, last_char; /* from 1; 0: to the end */
    bool numeric, human, reverse, fold, version, own, blanks;
};
struct sorting { /* vec_sort's compare has no data: the items lead to it */
    struct key keys[8];
    int count;
    struct key all;
    char separator;
    bool unique, stable;
};
struct sorted {
    const struct sorting *sorting;
    char *text;
};

static void sorted_free(void *data)
{
    struct sorted *line = data;
    mem_free(line->text);
    mem_free(line);
}

/* Where a field begins. */
static const char *field_at(const struct sorting *sorting, const char *text, int field)
{
    for (int i = 1; i < field && *text; i++) {
        if (sorting->separator) {
            text += strcspn(text, (char[]){sorting->separator, '\0'});
            text += *text != '\0';
        } else {
            text += strspn(text, " \t");
            text += strcspn(text, " \t");
        }
    }
    return text;
}

static void key_text(const struct sorting *sorting, const struct key *key, const char *text, char *out, size_t room)
{
    const char *start = field_at(sorting, text, key->first_field), *end = text + strlen(text);
    if (key->blanks || key->numeric)
        start += strspn(start, " \t");
    for (int i = 1; i < key->first_char && *start; i++)
        start++;
    if (key->last_field > 0) {
        end = field_at(sorting, text, key->last_field);
        if (key->last_char > 0) {
            for (int i = 0; i < key->last_char && *end; i++)
                end++;
        } else if (sorting->separator) {
            end += strcspn(end, (char[]){sorting->separator, '\0'});
        } else {
            end += strspn(end, " \t");
            end += strcspn(end, " \t");
        }
    }
    size_t length = end > start ? (size_t)(end - start) : 0;
    length = length < room - 1 ? length : room - 1;
    memcpy(out, start, length);
    out[length] = '\0';
}

static int compare_versions(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            unsigned long long x = strtoull(a, &end_a, 10), y = strtoull(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static double human_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    static const char units[] = "KMGTPE";
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    for (long i = unit ? unit - units + 1 : 0; i > 0; i--)
        value *= 1024;
    return value;
}

static int compare_by(const struct key *key, const char *a, const char *b)
{
    int order = 0;
    if (key->numeric || key->human) {
        double x = key->human ? human_number(a) : strtod(a, NULL), y = key->human ? human_number(b) : strtod(b, NULL);
        order = x < y ? -1 : x > y;
    } else if (key->version) {
        order = compare_versions(a, b);
    } else {
        order = key->fold ? strcasecmp(a, b) : strcmp(a, b);
    }
    return key->reverse ? -order : order;
}

static int compare_keys(const struct sorted *x, const struct sorted *y)
{
    enum { KEY = 1024 };
    const struct sorting *sorting = x->sorting;
    for (int i = 0; i < sorting->count; i++) {
        char a[KEY], b[KEY];
        const struct key *key = &sorting->keys[i];
        key_text(sorting, key, x->text, a, sizeof a);
        key_text(sorting, key, y->text, b, sizeof b);
        int order = compare_by(key, a, b);
        if (order != 0)
            return order;
    }
    return sorting->count == 0 ? compare_by(&sorting->all, x->text, y->text) : 0;
}

static int compare_lines(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    const struct sorting *sorting = x->sorting;
    int order = compare_keys(x, y);
    if (order == 0 && !sorting->unique && !sorting->stable)
        order = sorting->all.reverse ? -strcmp(x->text, y->text) : strcmp(x->text, y->text);
    return order;
}

static void key_letters(struct key *key, const char *letters)
{
    for (; *letters; letters++) {
        key->numeric = key->numeric || *letters == 'n' || *letters == 'g';
        key->human = key->human || *letters == 'h';
        key->reverse = key->reverse || *letters == 'r';
        key->fold = key->fold || *letters == 'f';
        key->version = key->version || *letters == 'V';
        key->blanks = key->blanks || *letters == 'b';
        key->own = true;
    }
}

static bool read_key(struct sorting *sorting, const char *text)
{
    char *at;
    if (sorting->count == 8)
        return false;
    struct key *key = &sorting->keys[sorting->count++];
    *key = (struct key){.first_field = (int)strtol(text, &at, 10)};
    if (key->first_field < 1)
        return false;
    if (*at == '.')
        key->first_char = (int)strtol(at + 1, &at, 10);
    char letters[8] = "";
    size_t used = strspn(at, "nghrfVbdi");
    snprintf(letters, sizeof letters, "%.*s", (int)used, at);
    key_letters(key, letters);
    at += used;
    if (*at == ',') {
        key->last_field = (int)strtol(at + 1, &at, 10);
        if (*at == '.')
            key->last_char = (int)strtol(at + 1, &at, 10);
        key_letters(key, at);
    }
    return true;
}

static bool read_sorted(struct task *task, int fd, const struct sorting *sorting, struct vec *out)
{
    struct applet_lines lines = {.fd = fd};
    const char *text;
    size_t length;
    bool ok = true;
    while (ok && applet_line(task, &lines, &text, &length)) {
        struct sorted *line = mem_zero(1, sizeof *line);
        ok = line != NULL;
        if (ok) {
            line->sorting = sorting;
            line->text = mem_string_n(text, length - (text[length - 1] == '\n'));
            ok = line->text != NULL;
            if (!ok)
                mem_free(line);
            ok = ok && vec_push(out, line);
        }
    }
    applet_lines_free(&lines);
    return ok;
}

static int sort_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct sorting sorting = {0};
    const char *output = NULL;
    bool check = false;
    struct vec lines = vec_make(1 << 20, sorted_free);
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "nghrfVbdiuszck:t:o:T:S:m", &options)) != -1;) {
        if (letter == '?' || (letter == 'k' && !read_key(&sorting, options.value)))
            return letter == '?' ? 1 : applet_say(task, "bad field specification");
        sorting.unique = sorting.unique || letter == 'u';
        sorting.stable = sorting.stable || letter == 's';
        check = check || letter == 'c';
        if (letter == 't')
            sorting.separator = options.value[0];
        if (letter == 'o')
            output = options.value;
        if (strchr("nghrfVb", letter))
            key_letters(&sorting.all, (char[]){(char)letter, '\0'});
    }
    for (int i = 0; i < sorting.count; i++) /* keys without letters of their own have those of all */
        if (!sorting.keys[i].own) {
            struct key key = sorting.all;
            key.first_field = sorting.keys[i].first_field;
            key.first_char = sorting.keys[i].first_char;
            key.last_field = sorting.keys[i].last_field;
            key.last_char = sorting.keys[i].last_char;
            sorting.keys[i] = key;
        }
    for (int i = options.index; i < argc || i == options.index; i++) {
        int fd = i < argc ? applet_open(task, argv[i]) : 0;
        if (fd < 0 || !read_sorted(task, fd, &sorting, &lines))
            status = 1;
        if (fd > 0)
            task_close(task, fd);
    }
    if (check) {
        for (size_t i = 1; i < lines.length && status == 0; i++)
            status = compare_lines(lines.items[i - 1], lines.items[i]) > 0;
    } else {
        if (lines.length > 0)
            vec_sort(&lines, compare_lines);
        int fd = output ? task_open(task, output, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
        if (fd >= 0)
            task_dup2(task, fd, 1);
        for (size_t i = 0; i < lines.length; i++) {
            if (sorting.unique && i > 0 && compare_keys(lines.items[i - 1], lines.items[i]) == 0)
                continue;
            if (!applet_print(task, "%s\n", ((struct sorted *)lines.items[i])->text))
                break;
        }
    }
    vec_free(&lines);
    return status;
}

/* ---- uniq ---- */

struct uniq {
    bool count, repeated, single, fold;
    int64_t skip_fields, skip_chars;
};

static const char *uniq_part(const struct uniq *uniq, const char *text)
{
    for (int64_t i = 0; i < uniq->skip_fields; i++) {
        text += strspn(text, " \t");
        text += strcspn(text, " \t");
    }
    for (int64_t i = 0; i < uniq->skip_chars && *text; i++)
        text++;
    return text;
}

static void print_uniq(struct task *task, const struct uniq *uniq, const char *line, unsigned times)
{
    if (!line || (uniq->repeated && times < 2) || (uniq->single && times > 1))
        return;
    if (uniq->count)
        applet_print(task, "%7u ", times);
    applet_print(task, "%s\n", line);
}

static int uniq_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    struct uniq uniq = {0};
    for (int letter; (letter = applet_option(task, argc, argv, "cduif:s:w:", &options)) != -1;) {
        bool ok = letter != '?';
        uniq.count = uniq.count || letter == 'c';
        uniq.repeated = uniq.repeated || letter == 'd';
        uniq.single = uniq.single || letter == 'u';
        uniq.fold = uniq.fold || letter == 'i';
        if (letter == 'f' || letter == 's')
            ok = applet_number(options.value, letter == 'f' ? &uniq.skip_fields : &uniq.skip_chars);
        if (!ok)
            return 1;
    }
    int fd = options.index < argc ? applet_open(task, argv[options.index]) : 0;
    if (fd < 0)
        return 1;
    if (options.index + 1 < argc) {
        int out = task_open(task, argv[options.index + 1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0)
            return applet_say_errno(task, argv[options.index + 1], out);
        task_dup2(task, out, 1);
    }
    struct applet_lines lines = {.fd = fd};
    const char *text;
    size_t length;
    char *last = NULL;
    unsigned times = 0;
    while (applet_line(task, &lines, &text, &length)) {
        char *line = mem_string_n(text, length - (text[length - 1] == '\n'));
        if (!line)
            break;
        const char *a = last ? uniq_part(&uniq, last) : NULL, *b = uniq_part(&uniq, line);
        if (a && (uniq.fold ? strcasecmp(a, b) : strcmp(a, b)) == 0) {
            times++;
            mem_free(line);
            continue;
        }
        print_uniq(task, &uniq, last, times);
        mem_free(last);
        last = line;
        times = 1;
    }
    print_uniq(task, &uniq, last, times);
    mem_free(last);
    applet_lines_free(&lines);
    return 0;
}

/* ---- cut ---- */

struct cut {
    unsigned char wanted[128]; /* a bit a position, from 1 */
    int from;                  /* and all from here; 0: none */
    char kind, separator;
    bool only, complement;
    const char *joined;
};

static bool read_list(struct cut *cut, const char *text)
{
    while (*text) {
        char *end;
        long first = *text == '-' ? 1 : strtol(text, &end, 10), last = first;
        if (*text == '-')
            end = (char *)(uintptr_t)text;
        if (*end == '-') {
            text = end + 1;
            last = *text && *text != ',' ? strtol(text, &end, 10) : 0;
            if (last == 0)
                end = (char *)(uintptr_t)text;
        }
        if (first < 1 || (*end && *end != ',') || (last != 0 && last < first))
            return false;
        if (last == 0)
            cut->from = cut->from == 0 || first < cut->from ? (int)first : cut->from;
        for (long i = first; i <= last && i < 1024; i++)
            cut->wanted[i / 8] |= (unsigned char)(1 << i % 8);
        text = end + (*end == ',');
    }
    return true;
}

static bool is_wanted(const struct cut *cut, int position)
{
    bool wanted = (cut->from > 0 && position >= cut->from) || (position < 1024 && (cut->wanted[position / 8] >> position % 8 & 1));
    return wanted != cut->complement;
}

static void cut_line(struct task *task, const struct cut *cut, const char *line, size_t length)
{
    if (cut->kind != 'f') {
        int position = 0;
        for (size_t i = 0; i < length; i++) {
            position += cut->kind == 'b' || ((unsigned char)line[i] & 0xC0) != 0x80;
            if (is_wanted(cut, position))
                applet_write(task, line + i, 1);
        }
        applet_write(task, "\n", 1);
        return;
    }
    if (!memchr(line, cut->separator, length)) {
        if (!cut->only)
            applet_print(task, "%.*s\n", (int)length, line);
        return;
    }
    bool any = false;
    int position = 1;
    for (size_t start = 0; start <= length; position++) {
        const char *end = memchr(line + start, cut->separator, length - start);
        size_t stop = end ? (size_t)(end - line) : length;
        if (is_wanted(cut, position)) {
            if (any)
                applet_write(task, cut->joined ? cut->joined : &cut->separator, cut->joined ? strlen(cut->joined) : 1);
            applet_write(task, line + start, stop - start);
            any = true;
        }
        start = stop + 1;
    }
    applet_write(task, "\n", 1);
}

static int cut_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"complement", false, 'C'}, {"output-delimiter", true, 'O'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    struct cut cut = {.separator = '\t'};
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "b:c:f:d:snO:", &options)) != -1;) {
        if (letter == '?')
            return 1;
        if (strchr("bcf", letter)) {
            if (cut.kind)
                return applet_say(task, "only one type of list may be specified");
            cut.kind = (char)letter;
            if (!read_list(&cut, options.value))
                return applet_say(task, "invalid byte/character or field list");
        }
        if (letter == 'd')
            cut.separator = options.value[0];
        cut.only = cut.only || letter == 's';
        cut.complement = cut.complement || letter == 'C';
        cut.joined = letter == 'O' ? options.value : cut.joined;
    }
    if (!cut.kind)
        return applet_say(task, "expected a list of bytes, characters, or fields");
    for (int i = options.index; i < argc || i == options.index; i++) {
        struct applet_lines lines = {.fd = i < argc ? applet_open(task, argv[i]) : 0};
        const char *line;
        size_t length;
        if (lines.fd < 0) {
            status = 1;
            continue;
        }
        while (applet_line(task, &lines, &line, &length))
            cut_line(task, &cut, line, length - (line[length - 1] == '\n'));
        applet_lines_free(&lines);
        if (lines.fd > 0)
            task_close(task, lines.fd);
    }
    return status;
}

/* ---- tr ---- */

static const char *tr_byte(const char *at, unsigned char *out)
{
    static const char letters[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
    if (*at != '\\' || !at[1]) {
        *out = (unsigned char)*at;
        return at + 1;
    }
    const char *found = strchr(letters, at[1]);
    if (found) {
        *out = (unsigned char)values[found - letters];
        return at + 2;
    }
    if (at[1] >= '0' && at[1] <= '7') {
        int value = 0;
        for (at++; *at >= '0' && *at <= '7' && value < 32; at++)
            value = value * 8 + *at - '0';
        *out = (unsigned char)value;
        return at;
    }
    *out = (unsigned char)at[1];
    return at + 2;
}

/* a-z, [:upper:], \n into bytes. */
static size_t tr_set(const char *text, unsigned char out[static 512])
{
    static const struct {
        const char *name;
        int (*is)(int);
    } classes[] = {{"[:alpha:]", isalpha}, {"[:alnum:]", isalnum}, {"[:digit:]", isdigit}, {"[:lower:]", islower}, {"[:upper:]", isupper}, {"[:space:]", isspace}, {"[:blank:]", isblank},
        {"[:punct:]", ispunct}, {"[:cntrl:]", iscntrl}, {"[:xdigit:]", isxdigit}, {"[:print:]", isprint}, {"[:graph:]", isgraph}};
    size_t count = 0;
    while (*text && count < 256) {
        bool named = false;
        for (size_t i = 0; i < sizeof classes / sizeof *classes && !named; i++)
            if (strncmp(text, classes[i].name, strlen(classes[i].name)) == 0) {
                for (int byte = 0; byte < 128 && count < 512; byte++)
                    if (classes[i].is(byte))
                        out[count++] = (unsigned char)byte;
                text += strlen(classes[i].name);
                named = true;
            }
        if (named)
            continue;
        unsigned char first, last;
        text = tr_byte(text, &first);
        last = first;
        if (*text == '-' && text[1])
            text = tr_byte(text + 1, &last);
        for (int byte = first; byte <= last && count < 512; byte++)
            out[count++] = (unsigned char)byte;
    }
    return count;
}

static int tr_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    bool complement = false, delete = false, squeeze = false;
    for (int letter; (letter = applet_option(task, argc, argv, "+cCdst", &options)) != -1;) {
        if (letter == '?')
            return 1;
        complement = complement || letter == 'c' || letter == 'C';
        delete = delete || letter == 'd';
        squeeze = squeeze || letter == 's';
    }
    int sets = argc - options.index;
    if (sets < 1 || sets > 2 || (sets == 1 && !delete && !squeeze))
        return applet_usage(task, "[-cds] STRING1 [STRING2]");
    unsigned char first[512], second[512], map[256];
    bool in_first[256] = {0}, squeezed[256] = {0};
    size_t count = tr_set(argv[options.index], first), other = sets > 1 ? tr_set(argv[options.index + 1], second) : 0;
    if (complement) {
        bool there[256] = {0};
        for (size_t i = 0; i < count; i++)
            there[first[i]] = true;
        count = 0;
        for (int byte = 0; byte < 256; byte++)
            if (!there[byte])
                first[count++] = (unsigned char)byte;
    }
    for (int byte = 0; byte < 256; byte++)
        map[byte] = (unsigned char)byte;
    for (size_t i = 0; i < count; i++) {
        in_first[first[i]] = true;
        if (other > 0 && !delete)
            map[first[i]] = second[i < other ? i : other - 1];
    }
    if (squeeze)
        for (size_t i = 0; i < (sets > 1 ? other : count); i++)
            squeezed[sets > 1 ? second[i] : first[i]] = true;
    char bytes[4096];
    ssize_t got;
    int last = -1;
    while ((got = task_read(task, 0, bytes, sizeof bytes)) > 0) {
        size_t length = 0;
        for (ssize_t i = 0; i < got; i++) {
            unsigned char byte = (unsigned char)bytes[i];
            if (delete && in_first[byte])
                continue;
            byte = map[byte];
            if (squeezed[byte] && last == byte)
                continue;
            last = byte;
            bytes[length++] = (char)byte;
        }
        if (length > 0 && task_write(task, 1, bytes, length) < 0)
            return 1;
    }
    return 0;
}

static const struct program programs[] = {{.name = "sort", .main = sort_main}, {.name = "uniq", .main = uniq_main}, {.name = "cut", .main = cut_main}, {.name = "tr", .main = tr_main}};
const struct program_table programs_sort = {programs, sizeof programs / sizeof *programs};
