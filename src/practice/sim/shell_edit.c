/* shell_edit: prompts, and editing a line at a terminal: arrows, history, completion of names. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/box.h"
#include "practice/sim/shell.h"
#include "practice/sim/tty.h"

enum { LINE = 4096, KEY_UP = 256, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_END, KEY_DELETE, KEY_NONE, KEY_GONE = -1 };

char *shell_prompt(struct shell *shell, const char *variable)
{
    const char *at = shell_get(shell, variable), *home = shell_get(shell, "HOME"), *pwd = shell_get(shell, "PWD");
    struct buf out = buf_make(LINE);
    const struct sandbox *sandbox = shell->task->box->sandbox;
    bool root = shell->task->who.uid == 0;
    for (; at && *at; at++) {
        if (*at != '\\' || !at[1] || shell->flavour == SHELL_DASH) {
            buf_append(&out, at, 1);
            continue;
        }
        size_t home_length = home ? strlen(home) : 0;
        const char *folder = pwd ? pwd : "/";
        bool in_home = home_length > 1 && strncmp(folder, home, home_length) == 0 && (folder[home_length] == '/' || folder[home_length] == '\0');
        switch (*++at) {
        case 'w': buf_printf(&out, "%s%s", in_home ? "~" : "", in_home ? folder + home_length : folder); break;
        case 'W': buf_append_string(&out, in_home && !folder[home_length] ? "~" : applet_base_name(folder)); break;
        case 'u': buf_append_string(&out, root ? "root" : "user"); break;
        case 'h':
        case 'H': buf_append_string(&out, sandbox->hostname); break;
        case '$': buf_append_string(&out, root ? "#" : "$"); break;
        case 'n': buf_append_string(&out, "\n"); break;
        case 'e': buf_append_string(&out, "\033"); break;
        case 's': buf_append_string(&out, shell->said); break;
        case '[':
        case ']': break;
        default: buf_append(&out, at, 1);
        }
    }
    return buf_take(&out, NULL);
}

/* ---- the line ---- */

struct editor {
    struct shell *shell;
    struct shell_history *history;
    const char *prompt;
    char line[LINE];
    size_t length, cursor;
    size_t recalled; /* lines.length: the one that is typed */
    char *typed;     /* it, while an older one is shown */
    size_t rows;     /* where the cursor stands under the prompt */
};

static size_t width(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '\033') { /* a colour in a prompt */
            while (i < length && !isalpha((unsigned char)text[i]))
                i++;
            continue;
        }
        columns += byte < 0x80 || byte >= 0xC0;
        columns += byte >= 0xE3 && byte < 0xF5; /* from U+3000 on most are wide */
    }
    return columns;
}

static void put(struct editor *editor, const char *text, size_t length)
{
    task_write(editor->shell->task, 2, text, length);
}

/* Draws all of it anew; twice up to the cursor, so that the terminal itself puts it there. */
static void draw(struct editor *editor)
{
    unsigned columns = 80, rows;
    struct buf out = buf_make(4 * LINE);
    if (editor->shell->task->tty)
        tty_size(editor->shell->task->tty, &columns, &rows);
    columns = columns ? columns : 80;
    size_t before = width(editor->prompt, strlen(editor->prompt));
    size_t end = (before + width(editor->line, editor->length)) / columns, here = (before + width(editor->line, editor->cursor)) / columns;
    if (editor->rows > 0)
        buf_printf(&out, "\033[%zuA", editor->rows);
    buf_printf(&out, "\r%s%.*s\033[J", editor->prompt, (int)editor->length, editor->line);
    if (editor->cursor < editor->length) {
        if (end > 0)
            buf_printf(&out, "\033[%zuA", end);
        buf_printf(&out, "\r%s%.*s", editor->prompt, (int)editor->cursor, editor->line);
    }
    editor->rows = here;
    if (buf_ok(&out))
        put(editor, out.bytes, out.length);
    buf_free(&out);
}

static int read_byte(struct editor *editor)
{
    unsigned char byte;
    ssize_t got = task_read(editor->shell->task, 0, &byte, 1);
    if (got == -EINTR && !task_dying(editor->shell->task)) {
        shell_run_traps(editor->shell);
        return KEY_NONE;
    }
    return got == 1 ? byte : KEY_GONE;
}

static int read_key(struct editor *editor)
{
    static const struct {
        const char *sequence;
        int key;
    } sequences[] = {{"[A", KEY_UP}, {"[B", KEY_DOWN}, {"[C", KEY_RIGHT}, {"[D", KEY_LEFT}, {"[H", KEY_HOME}, {"[F", KEY_END}, {"OA", KEY_UP}, {"OB", KEY_DOWN}, {"OC", KEY_RIGHT},
        {"OD", KEY_LEFT}, {"OH", KEY_HOME}, {"OF", KEY_END}, {"[1~", KEY_HOME}, {"[3~", KEY_DELETE}, {"[4~", KEY_END}, {"[7~", KEY_HOME}, {"[8~", KEY_END}};
    int byte = read_byte(editor);
    if (byte != '\033')
        return byte;
    char text[8] = "";
    for (size_t i = 0; i < sizeof text - 1; i++) {
        int next = read_byte(editor);
        if (next == KEY_GONE)
            return next;
        text[i] = (char)next;
        if (i > 0 && (isalpha(next) || next == '~'))
            break;
    }
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (strcmp(sequences[i].sequence, text) == 0)
            return sequences[i].key;
    return KEY_NONE;
}

static size_t before(const struct editor *editor, size_t at)
{
    while (at > 0 && ((unsigned char)editor->line[--at] & 0xC0) == 0x80)
        continue;
    return at;
}

static size_t after(const struct editor *editor, size_t at)
{
    if (at < editor->length)
        at++;
    while (at < editor->length && ((unsigned char)editor->line[at] & 0xC0) == 0x80)
        at++;
    return at;
}

static void cut(struct editor *editor, size_t from, size_t to)
{
    memmove(editor->line + from, editor->line + to, editor->length - to);
    editor->length -= to - from;
    editor->cursor = from;
}

static void insert(struct editor *editor, const char *text, size_t length)
{
    if (editor->length + length + 2 > LINE)
        return;
    memmove(editor->line + editor->cursor + length, editor->line + editor->cursor, editor->length - editor->cursor);
    memcpy(editor->line + editor->cursor, text, length);
    editor->length += length;
    editor->cursor += length;
}

static void set_line(struct editor *editor, const char *text)
{
    editor->length = editor->cursor = 0;
    insert(editor, text, strlen(text) < LINE - 2 ? strlen(text) : LINE - 2);
}

static void recall(struct editor *editor, bool older)
{
    const struct vec *lines = &editor->history->lines;
    if (older ? editor->recalled == 0 : editor->recalled >= lines->length)
        return;
    if (editor->recalled == lines->length) {
        mem_free(editor->typed);
        editor->typed = mem_string_n(editor->line, editor->length);
    }
    editor->recalled += older ? (size_t)-1 : 1;
    set_line(editor, editor->recalled < lines->length ? lines->items[editor->recalled] : editor->typed ? editor->typed : "");
}

/* ---- completion ---- */

static void add_matches(struct vec *out, struct vec *names, const char *start, size_t length)
{
    for (size_t i = 0; i < names->length; i++) {
        const char *name = names->items[i];
        if (strncmp(name, start, length) == 0 && (name[0] != '.' || start[0] == '.') && !vec_has_string(out, name) && !vec_push_string(out, name))
            return;
    }
}

/* Names that the word at the cursor may become; *from is where its last part begins in the line. */
static void find_matches(struct editor *editor, struct vec *out, size_t *from, char folder[static LINE])
{
    struct task *task = editor->shell->task;
    size_t start = editor->cursor;
    while (start > 0 && !strchr(" \t;|&<>=\"'(", editor->line[start - 1]))
        start--;
    size_t blanks = start;
    while (blanks > 0 && editor->line[blanks - 1] == ' ')
        blanks--;
    bool command = blanks == 0 || strchr(";|&(", editor->line[blanks - 1]);
    size_t slash = editor->cursor;
    while (slash > start && editor->line[slash - 1] != '/')
        slash--;
    *from = slash;
    snprintf(folder, LINE, "%.*s", (int)(slash - start), editor->line + start);
    struct vec names;
    const char *text = editor->line + slash;
    size_t length = editor->cursor - slash;
    if (command && slash == start) {
        const char *path = shell_get(editor->shell, "PATH");
        for (const char *at = path; at && *at; at += strspn(at, ":")) {
            char part[FS_PATH];
            size_t end = strcspn(at, ":");
            snprintf(part, sizeof part, "%.*s", (int)end, at);
            if (fs_list(&task->who, part, &names) == 0) {
                add_matches(out, &names, text, length);
                vec_free(&names);
            }
            at += end;
        }
        return;
    }
    if (fs_list(&task->who, *folder ? folder : ".", &names) == 0) {
        add_matches(out, &names, text, length);
        vec_free(&names);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void complete(struct editor *editor)
{
    struct vec matches = vec_make(4096, mem_free);
    size_t from;
    char folder[LINE];
    find_matches(editor, &matches, &from, folder);
    vec_sort(&matches, by_text);
    size_t common = matches.length > 0 ? strlen(matches.items[0]) : 0, have = editor->cursor - from;
    for (size_t i = 1; i < matches.length; i++)
        for (size_t j = 0; j < common; j++)
            if (((const char *)matches.items[i])[j] != ((const char *)matches.items[0])[j])
                common = j;
    if (common > have)
        insert(editor, (const char *)matches.items[0] + have, common - have);
    if (matches.length == 1) {
        char path[LINE + FS_NAME + 1];
        struct fs_stat stat;
        snprintf(path, sizeof path, "%s%s", folder, (const char *)matches.items[0]);
        bool is_folder = fs_stat(&editor->shell->task->who, path, true, &stat) == 0 && S_ISDIR(stat.mode);
        insert(editor, is_folder ? "/" : " ", 1);
    } else if (matches.length > 1 && common == have) {
        put(editor, "\n", 1);
        for (size_t i = 0; i < matches.length && i < 200; i++) {
            put(editor, matches.items[i], strlen(matches.items[i]));
            put(editor, "  ", 2);
        }
        put(editor, "\n", 1);
        editor->rows = 0;
    }
    vec_free(&matches);
}

/* ---- keys ---- */

enum { CTRL_A = 1, CTRL_B, CTRL_C, CTRL_D, CTRL_E, CTRL_F, CTRL_K = 11, CTRL_L, CTRL_N = 14, CTRL_P = 16, CTRL_U = 21, CTRL_W = 23 };

static void cut_word(struct editor *editor)
{
    size_t from = editor->cursor;
    while (from > 0 && editor->line[from - 1] == ' ')
        from--;
    while (from > 0 && editor->line[from - 1] != ' ')
        from--;
    cut(editor, from, editor->cursor);
}

/* Keys that only move or cut. False: it is another. */
static bool edit_key(struct editor *editor, int key)
{
    switch (key) {
    case KEY_LEFT:
    case CTRL_B: editor->cursor = before(editor, editor->cursor); return true;
    case KEY_RIGHT:
    case CTRL_F: editor->cursor = after(editor, editor->cursor); return true;
    case KEY_HOME:
    case CTRL_A: editor->cursor = 0; return true;
    case KEY_END:
    case CTRL_E: editor->cursor = editor->length; return true;
    case KEY_UP:
    case CTRL_P: recall(editor, true); return true;
    case KEY_DOWN:
    case CTRL_N: recall(editor, false); return true;
    case KEY_DELETE: cut(editor, editor->cursor, after(editor, editor->cursor)); return true;
    case CTRL_K: editor->length = editor->cursor; return true;
    case CTRL_U: cut(editor, 0, editor->cursor); return true;
    case CTRL_W: cut_word(editor); return true;
    case 8:
    case 127: cut(editor, before(editor, editor->cursor), editor->cursor); return true;
    case '\t': complete(editor); return true;
    case CTRL_L:
        put(editor, "\033[H\033[J", 6);
        editor->rows = 0;
        return true;
    default: return key == KEY_NONE;
    }
}

static void type(struct editor *editor, int key)
{
    char byte = (char)key;
    bool at_end = editor->cursor == editor->length;
    size_t old = editor->length;
    insert(editor, &byte, 1);
    if (at_end && editor->length > old)
        put(editor, &byte, 1);
    else if (key < 0x80 || key >= 0xC0)
        draw(editor);
    unsigned columns = 80, rows;
    if (editor->shell->task->tty)
        tty_size(editor->shell->task->tty, &columns, &rows);
    editor->rows = (width(editor->prompt, strlen(editor->prompt)) + width(editor->line, editor->cursor)) / (columns ? columns : 80);
}

static void remember(struct editor *editor)
{
    struct vec *lines = &editor->history->lines;
    char *copy = editor->length > 0 ? mem_string_n(editor->line, editor->length) : NULL;
    if (copy && lines->length > 0 && strcmp(copy, lines->items[lines->length - 1]) == 0) {
        mem_free(copy);
        return;
    }
    if (copy && lines->length == lines->maximum)
        vec_remove(lines, 0);
    if (copy && !vec_push(lines, copy))
        return;
}

bool shell_edit_line(struct shell *shell, struct shell_history *history, const char *prompt, struct buf *out, bool *interrupted)
{
    struct tty *tty = shell->task->tty;
    struct editor *editor = mem_zero(1, sizeof *editor);
    bool ended = false;
    if (!editor)
        return false;
    *editor = (struct editor){.shell = shell, .history = history, .prompt = prompt, .recalled = history->lines.length};
    *interrupted = false;
    if (tty)
        tty_set_raw(tty, true);
    put(editor, prompt, strlen(prompt));
    for (;;) {
        int key = read_key(editor);
        if (key == '\r' || key == '\n')
            break;
        ended = key == KEY_GONE || (key == CTRL_D && editor->length == 0);
        *interrupted = key == CTRL_C;
        if (ended || *interrupted)
            break;
        if (key == CTRL_D)
            key = KEY_DELETE;
        if (edit_key(editor, key))
            draw(editor);
        else if (key >= ' ')
            type(editor, key);
    }
    if (tty)
        tty_set_raw(tty, false);
    if (*interrupted) {
        put(editor, "^C\n", 3);
    } else if (!ended) {
        put(editor, "\n", 1);
        remember(editor);
        buf_append(out, editor->line, editor->length);
        buf_append(out, "\n", 1);
    }
    mem_free(editor->typed);
    mem_free(editor);
    return !ended && !*interrupted && buf_ok(out);
}
