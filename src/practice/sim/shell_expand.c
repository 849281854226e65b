/* shell_expand: from words to fields. A field is gathered with a mark for each byte, so that splitting and patterns know what was quoted. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/shell.h"

/* plain: as it stood; quoted; expanded: to be split and a pattern; a break between the fields of "$@"; an empty pair of quotes, which is a field */
enum mark { MARK_PLAIN = 'p', MARK_QUOTED = 'q', MARK_EXPANDED = 'x', MARK_BREAK = 'b', MARK_EMPTY = 'e' };

struct gathered {
    struct shell *shell;
    struct buf text, marks;
    unsigned flags;
    bool at_seen; /* "$@" was in it: without parameters there is no field */
    int inside;   /* of ${x-words}: they are split, too */
};

static void add(struct gathered *out, const char *text, size_t length, enum mark mark)
{
    char byte = (char)mark;
    buf_append(&out->text, text, length);
    for (size_t i = 0; i < length; i++)
        buf_append(&out->marks, &byte, 1);
}

static void add_value(struct gathered *out, const char *text, bool quoted)
{
    if (!*text && quoted)
        add(out, "", 1, MARK_EMPTY);
    add(out, text, strlen(text), quoted ? MARK_QUOTED : MARK_EXPANDED);
}

static void gather_parts(struct gathered *out, const struct word_part *part, bool quoted);

/* ---- values of parameters ---- */

const char *shell_special(struct shell *shell, const char *name, char buffer[static 32])
{
    if (name[0] && !name[1]) {
        size_t length = 0;
        switch (name[0]) {
        case '?': snprintf(buffer, 32, "%d", shell->status); return buffer;
        case '$': snprintf(buffer, 32, "%d", shell->main_pid); return buffer;
        case '#': snprintf(buffer, 32, "%zu", shell->positional.length); return buffer;
        case '0': return shell->name;
        case '!':
            if (shell->last_background == 0)
                return NULL;
            snprintf(buffer, 32, "%d", shell->last_background);
            return buffer;
        case '-':
            for (const char *letter = "aefhimnuvxCs"; *letter && length < 20; letter++)
                if (shell->option[(unsigned char)*letter])
                    buffer[length++] = *letter;
            buffer[length] = '\0';
            return buffer;
        default: break;
        }
    }
    if (isdigit((unsigned char)name[0])) {
        size_t index = (size_t)strtoul(name, NULL, 10);
        return index >= 1 && index <= shell->positional.length ? shell->positional.items[index - 1] : NULL;
    }
    if (strcmp(name, "LINENO") == 0) {
        snprintf(buffer, 32, "%d", shell->line);
        return buffer;
    }
    if (strcmp(name, "RANDOM") == 0) {
        shell->random = shell->random * 1103515245u + 12345u;
        snprintf(buffer, 32, "%u", shell->random >> 16 & 0x7FFF);
        return buffer;
    }
    if (strcmp(name, "SECONDS") == 0 && shell->flavour == SHELL_BASH) {
        snprintf(buffer, 32, "%lld", (long long)(kernel_now(shell->task->kernel) - shell->started_ms) / 1000);
        return buffer;
    }
    return shell_get(shell, name);
}

static bool is_list(const char *name)
{
    return (name[0] == '@' || name[0] == '*') && !name[1];
}

/* The parameters joined by the first character of IFS (or a space for "@"); owned. */
static char *joined(struct shell *shell, bool at)
{
    const char *ifs = shell_get(shell, "IFS");
    char separator = at || !ifs ? ' ' : *ifs;
    struct buf text = buf_make(SHELL_VALUE);
    for (size_t i = 0; i < shell->positional.length; i++) {
        if (i > 0 && separator)
            buf_append(&text, &separator, 1);
        buf_append_string(&text, shell->positional.items[i]);
    }
    return buf_take(&text, NULL);
}

/* $@ and $* as fields of their own. */
static void add_list(struct gathered *out, const char *name, bool quoted)
{
    struct shell *shell = out->shell;
    bool fields = (out->flags & EXPAND_SPLIT) != 0;
    if ((quoted && name[0] == '*') || !fields) {
        char *text = joined(shell, name[0] == '@');
        add_value(out, text ? text : "", quoted);
        mem_free(text);
        return;
    }
    out->at_seen = out->at_seen || shell->positional.length == 0;
    for (size_t i = 0; i < shell->positional.length; i++) {
        if (i > 0)
            add(out, "", 1, MARK_BREAK);
        add_value(out, shell->positional.items[i], quoted);
    }
}

/* ---- operators ---- */

/* The part of value that is left without the pattern's match at an end. */
static char *trimmed(const char *value, const char *pattern, char op)
{
    size_t length = strlen(value);
    bool prefix = op == '#' || op == 'D', longest = op == 'D' || op == 'P';
    for (size_t i = 0; i <= length; i++) {
        size_t n = longest ? length - i : i;
        if (prefix ? shell_match(pattern, value, n) : shell_match(pattern, value + length - n, n))
            return prefix ? mem_string(value + n) : mem_string_n(value, length - n);
    }
    return mem_string(value);
}

static char *replaced(struct shell *shell, const char *value, const char *pattern, const char *by, bool all)
{
    struct buf text = buf_make(SHELL_VALUE);
    size_t length = strlen(value);
    bool start = *pattern == '#', end = *pattern == '%', done = false;
    pattern += (start || end) && !all;
    for (size_t at = 0; at <= length;) {
        size_t n = length - at;
        bool found = false;
        if (!done && task_step(shell->task, 1 + (unsigned)(n / 16)) && *pattern && !(start && at > 0))
            for (n = length - at + 1; n-- > 0 && !found;)
                found = n > 0 && !(end && at + n != length) && shell_match(pattern, value + at, n) && (n++, true);
        if (found) {
            buf_append_string(&text, by);
            at += n;
            done = !all;
        } else {
            if (at < length)
                buf_append(&text, value + at, 1);
            at++;
        }
    }
    return buf_take(&text, NULL);
}

static char *substring(struct shell *shell, const struct word_part *part, const char *value)
{
    int64_t offset = 0, length = (int64_t)strlen(value), count = length;
    char *text = shell_expand_one(shell, part->word, 0);
    bool ok = text && (!*text || shell_arithmetic(shell, text, &offset));
    mem_free(text);
    if (offset < 0)
        offset = offset + length < 0 ? 0 : offset + length;
    offset = offset > length ? length : offset;
    count = length - offset;
    if (ok && part->second) {
        text = shell_expand_one(shell, part->second, 0);
        ok = text && shell_arithmetic(shell, text, &count);
        mem_free(text);
        if (count < 0)
            count = length - offset + count < 0 ? 0 : length - offset + count;
        count = count > length - offset ? length - offset : count;
    }
    return ok ? mem_string_n(value + offset, (size_t)count) : NULL;
}

static void add_owned(struct gathered *out, char *text, bool quoted)
{
    if (text)
        add_value(out, text, quoted);
    else
        buf_fail(&out->text);
    mem_free(text);
}

static void unset_error(struct gathered *out, const struct word_part *part)
{
    struct shell *shell = out->shell;
    char *words = part->word && part->word->parts ? shell_expand_one(shell, part->word, 0) : NULL;
    const char *said = words ? words : part->colon ? "parameter not set or null" : "parameter not set";
    if (shell->leave == LEAVE_NOT)
        shell_fail(shell, 2, "%s: %s", part->text, said);
    mem_free(words);
}

/* - = ? + */
static void gather_inside(struct gathered *out, const struct word_part *part, bool quoted)
{
    out->inside++;
    gather_parts(out, part, quoted);
    out->inside--;
}

static void add_conditional(struct gathered *out, const struct word_part *part, const char *value, bool set, bool quoted)
{
    struct shell *shell = out->shell;
    bool use = set && !(part->colon && !*value);
    if (part->op == '+') {
        if (use && part->word)
            gather_inside(out, part->word->parts, quoted);
        else if (quoted)
            add_value(out, "", true);
        return;
    }
    if (use) {
        if (is_list(part->text))
            add_list(out, part->text, quoted);
        else
            add_value(out, value, quoted);
    } else if (part->op == '-') {
        if (quoted && !(part->word && part->word->parts))
            add_value(out, "", true);
        else if (part->word)
            gather_inside(out, part->word->parts, quoted);
    } else if (part->op == '?') {
        unset_error(out, part);
    } else {
        char *text = shell_expand_one(shell, part->word, EXPAND_ASSIGN);
        if (text && !shell_is_name(part->text, strlen(part->text)))
            shell_fail(shell, 2, "%s: bad variable name", part->text);
        else if (text && shell_set(shell, part->text, text))
            add_value(out, text, quoted);
        mem_free(text);
    }
}

static void add_changed(struct gathered *out, const struct word_part *part, const char *value, bool quoted)
{
    struct shell *shell = out->shell;
    if (part->op == ':') {
        char *text = substring(shell, part, value);
        if (text)
            add_owned(out, text, quoted);
        return;
    }
    char *pattern = shell_expand_one(shell, part->word, EXPAND_PATTERN);
    if (!pattern)
        return;
    if (part->op == '/' || part->op == 'G') {
        char *by = part->second ? shell_expand_one(shell, part->second, 0) : mem_string("");
        if (by)
            add_owned(out, replaced(shell, value, pattern, by, part->op == 'G'), quoted);
        mem_free(by);
    } else {
        add_owned(out, trimmed(value, pattern, part->op), quoted);
    }
    mem_free(pattern);
}

static void add_length(struct gathered *out, const struct word_part *part, const char *value, bool quoted)
{
    char number[32];
    size_t length = 0;
    if (is_list(part->text) && out->shell->flavour == SHELL_BASH)
        length = out->shell->positional.length;
    else
        for (const char *at = value; at && *at; at++)
            length += ((unsigned char)*at & 0xC0) != 0x80;
    snprintf(number, sizeof number, "%zu", length);
    add_value(out, number, quoted);
}

static void add_parameter(struct gathered *out, const struct word_part *part, bool quoted)
{
    struct shell *shell = out->shell;
    char buffer[32], *list = NULL;
    if (part->op == 'u') {
        shell_fail(shell, 2, "syntax error: bad substitution");
        return;
    }
    const char *value = shell_special(shell, part->text, buffer);
    bool set = value != NULL;
    if (is_list(part->text)) {
        set = shell->positional.length > 0;
        if (part->op == 0) {
            add_list(out, part->text, quoted);
            return;
        }
        value = list = joined(shell, part->text[0] == '@');
    }
    if (part->op && strchr("-=?+", part->op)) {
        add_conditional(out, part, value ? value : "", set, quoted);
    } else if (!set && shell->option['u'] && !is_list(part->text)) {
        shell_fail(shell, 2, "%s: parameter not set", part->text);
    } else if (part->op == 'L') {
        add_length(out, part, value, quoted);
    } else if (part->op) {
        char *copy = mem_string(value ? value : ""); /* what is expanded now may set it */
        if (copy)
            add_changed(out, part, copy, quoted);
        mem_free(copy);
    } else {
        add_value(out, value ? value : "", quoted);
    }
    mem_free(list);
}

/* ---- parts ---- */

static void add_tilde(struct gathered *out, const char **text)
{
    size_t length = strcspn(*text, "/:");
    const char *home = length == 1 ? shell_get(out->shell, "HOME") : length == 5 && strncmp(*text, "~root", 5) == 0 ? "/root" : NULL;
    if (!home)
        return;
    add(out, home, strlen(home), MARK_QUOTED);
    *text += length;
}

static void add_text(struct gathered *out, const struct word_part *part, bool first, bool quoted)
{
    const char *text = part->text;
    if (part->quoted || quoted) {
        add_value(out, text, true);
        return;
    }
    if (first && *text == '~')
        add_tilde(out, &text);
    enum mark plain = out->inside > 0 ? MARK_EXPANDED : MARK_PLAIN;
    const char *start = text;
    for (const char *colon = text; (out->flags & EXPAND_ASSIGN) && (colon = strchr(colon, '~'));) {
        if (colon == start || (colon[-1] != ':' && colon[-1] != '=')) {
            colon++;
            continue;
        }
        add(out, text, (size_t)(colon - text), plain);
        text = colon;
        add_tilde(out, &text);
        if (text == colon)
            add(out, text++, 1, plain);
        colon = text;
    }
    add(out, text, strlen(text), plain);
}

static void add_arithmetic(struct gathered *out, const struct word_part *part, bool quoted)
{
    char *text = shell_expand_one(out->shell, part->word, 0), number[32];
    int64_t value;
    if (text && shell_arithmetic(out->shell, text, &value)) {
        snprintf(number, sizeof number, "%lld", (long long)value);
        add_value(out, number, quoted);
    }
    mem_free(text);
}

static void gather_parts(struct gathered *out, const struct word_part *part, bool quoted)
{
    struct shell *shell = out->shell;
    if (task_stack_left(shell->task) < SHELL_STACK) {
        shell_fail(shell, 2, "nested too deep");
        return;
    }
    for (bool first = true; part && shell->leave == LEAVE_NOT; part = part->next, first = false) {
        bool in_quotes = quoted || part->quoted;
        char *text;
        switch (part->kind) {
        case PART_TEXT: add_text(out, part, first, quoted); break;
        case PART_PARAMETER: add_parameter(out, part, in_quotes); break;
        case PART_ARITHMETIC: add_arithmetic(out, part, in_quotes); break;
        case PART_COMMAND:
            text = shell_substitute(shell, part->command);
            if (text)
                add_value(out, text, in_quotes);
            mem_free(text);
            break;
        }
    }
}

/* ---- fields ---- */

static bool emit(struct gathered *out, struct buf *field, bool pattern, struct vec *fields)
{
    struct shell *shell = out->shell;
    const char *text = field->bytes ? field->bytes : "";
    size_t before = fields->length;
    bool ok = buf_ok(field);
    if (ok && pattern && (out->flags & EXPAND_GLOB) && !shell->option['f'])
        ok = shell_glob(shell, text, fields);
    if (ok && fields->length == before) {
        struct buf plain = buf_make(SHELL_VALUE);
        bool escaped = (out->flags & EXPAND_GLOB) != 0;
        for (const char *at = text; *at; at++) { /* the backslashes were for the pattern's sake */
            if (escaped && *at == '\\' && at[1])
                at++;
            buf_append(&plain, at, 1);
        }
        char *copy = buf_take(&plain, NULL);
        ok = copy && vec_push(fields, copy);
    }
    buf_clear(field);
    return ok;
}

static void add_field_byte(const struct gathered *out, struct buf *field, char byte, char mark)
{
    if ((out->flags & (EXPAND_GLOB | EXPAND_PATTERN)) && ((mark == MARK_QUOTED && strchr("*?[]\\-!^", byte)) || (byte == '\\' && mark == MARK_EXPANDED && (out->flags & EXPAND_GLOB))))
        buf_append(field, "\\", 1);
    else if ((out->flags & EXPAND_GLOB) && byte == '\\')
        buf_append(field, "\\", 1);
    buf_append(field, &byte, 1);
}

static bool split(struct gathered *out, struct vec *fields)
{
    const char *ifs = shell_get(out->shell, "IFS");
    ifs = ifs ? ifs : " \t\n";
    struct buf field = buf_make(SHELL_VALUE * 2);
    bool begun = false, pattern = false, ok = true, after_space = false;
    for (size_t i = 0; ok && i < out->text.length; i++) {
        char byte = out->text.bytes[i], mark = out->marks.bytes[i];
        if (mark == MARK_BREAK) {
            if (begun)
                ok = emit(out, &field, pattern, fields);
            begun = pattern = after_space = false;
        } else if (mark == MARK_EXPANDED && (out->flags & EXPAND_SPLIT) && byte && strchr(ifs, byte)) {
            bool space = byte == ' ' || byte == '\t' || byte == '\n';
            if (begun || (!space && !after_space))
                ok = emit(out, &field, pattern, fields);
            after_space = space && (begun || after_space); /* a separator that follows belongs to it */
            begun = pattern = false;
        } else {
            begun = true;
            after_space = false;
            if (mark == MARK_EMPTY)
                continue;
            pattern = pattern || (mark != MARK_QUOTED && strchr("*?[", byte));
            add_field_byte(out, &field, byte, mark);
        }
    }
    if (ok && begun)
        ok = emit(out, &field, pattern, fields);
    buf_free(&field);
    return ok;
}

static bool gather(struct gathered *out, struct shell *shell, const struct word *word, unsigned flags)
{
    *out = (struct gathered){.shell = shell, .text = buf_make(SHELL_VALUE), .marks = buf_make(SHELL_VALUE), .flags = flags};
    gather_parts(out, word->parts, false);
    if (shell->leave == LEAVE_NOT && (!buf_ok(&out->text) || !buf_ok(&out->marks)))
        shell_fail(shell, 2, "out of memory");
    return shell->leave == LEAVE_NOT;
}

static void drop(struct gathered *gathered)
{
    buf_free(&gathered->text);
    buf_free(&gathered->marks);
}

bool shell_expand(struct shell *shell, const struct word *word, unsigned flags, struct vec *out)
{
    struct gathered gathered;
    bool ok = gather(&gathered, shell, word, flags);
    /* "$@" without parameters is no field, but the quotes around it would make an empty one */
    if (ok && gathered.at_seen) {
        bool only_empty = true;
        for (size_t i = 0; i < gathered.marks.length; i++)
            only_empty = only_empty && gathered.marks.bytes[i] == MARK_EMPTY;
        if (only_empty) {
            drop(&gathered);
            return true;
        }
    }
    if (ok && !split(&gathered, out)) {
        shell_fail(shell, 2, "out of memory");
        ok = false;
    }
    drop(&gathered);
    return ok;
}

char *shell_expand_one(struct shell *shell, const struct word *word, unsigned flags)
{
    if (!word)
        return mem_string("");
    struct gathered gathered;
    bool ok = gather(&gathered, shell, word, flags & ~(unsigned)(EXPAND_SPLIT | EXPAND_GLOB));
    struct buf text = buf_make(SHELL_VALUE * 2);
    for (size_t i = 0; ok && i < gathered.text.length; i++)
        if (gathered.marks.bytes[i] != MARK_EMPTY)
            add_field_byte(&gathered, &text, gathered.text.bytes[i], gathered.marks.bytes[i]);
    drop(&gathered);
    char *taken = ok ? buf_take(&text, NULL) : NULL;
    if (ok && !taken)
        shell_fail(shell, 2, "out of memory");
    buf_free(&text);
    return taken;
}
