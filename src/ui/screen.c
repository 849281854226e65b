#include "ui/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lang.h"
#include "text/width.h"
#include "ui/escape.h"
#include "ui/theme.h"

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns /* term.h's macros */
#undef lines

enum { SCREEN_ESCAPE_MS = 25, ESCAPE_REST_MS = 300 /* the rest of a sequence comes by then */, SCREEN_BACK = 256 };

/* What curses keeps in globals anyway: one terminal a process. */
static struct {
    SCREEN *screen;
    bool ascii, suspended;
    attr_t attributes[ROLE_COUNT];
    struct termios before;
    char back[SCREEN_BACK]; /* what to send to get the terminal back; prepared, because a fatal signal may come while curses works */
    size_t back_length;
    struct escape escape; /* what is left of a sequence, when its bytes come in pieces */
    int64_t escape_ms;
} term;

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
enum { FATAL_COUNT = sizeof fatal_signals / sizeof *fatal_signals };
static struct sigaction fatal_before[FATAL_COUNT];

/* ---- the way back ---- */

/* Async-signal-safe. Whoever handled the signal before gets it then. */
static void fatal(int signal_number)
{
    (void)!write(STDOUT_FILENO, term.back, term.back_length);
    tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
    for (size_t i = 0; i < FATAL_COUNT; i++)
        sigaction(fatal_signals[i], &fatal_before[i], NULL);
    raise(signal_number); /* held back until we return; a fault that is really one comes again by itself */
}

static void prepare_way_back(void)
{
    static const char *const names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    term.back_length = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = tigetstr(names[i]);
        size_t length = text != NULL && text != (char *)-1 ? strlen(text) : 0;
        if (term.back_length + length <= SCREEN_BACK && length > 0) {
            memcpy(term.back + term.back_length, text, length);
            term.back_length += length;
        }
    }
    struct sigaction action = {.sa_handler = fatal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < FATAL_COUNT; i++)
        sigaction(fatal_signals[i], &action, &fatal_before[i]);
}

static void forget_way_back(void)
{
    for (size_t i = 0; i < FATAL_COUNT; i++)
        sigaction(fatal_signals[i], &fatal_before[i], NULL);
}

/* ---- taking and giving back ---- */

static void set_looks(bool colour)
{
    bool able = colour && has_colors() && start_color() == OK && use_default_colors() == OK;
    const struct theme *theme = theme_choose(able ? COLORS : 0, getenv("KUBETUTOR_THEME"), getenv("COLORFGBG"));
    static const struct {
        unsigned bit;
        attr_t attribute;
    } bits[] = {{LOOK_BOLD, A_BOLD}, {LOOK_DIM, A_DIM}, {LOOK_UNDERLINE, A_UNDERLINE}, {LOOK_REVERSE, A_REVERSE}, {LOOK_ITALIC, A_ITALIC}};
    for (int i = 0; i < ROLE_COUNT; i++) {
        const struct look *look = &theme->looks[i];
        attr_t attribute = A_NORMAL;
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
            if ((look->bits & bits[b].bit) != 0)
                attribute |= bits[b].attribute;
        if (able && theme->colours > 0 && init_pair((short)(i + 1), look->foreground, look->background) == OK)
            attribute |= (attr_t)COLOR_PAIR(i + 1);
        term.attributes[i] = attribute;
    }
}

static bool usable(struct error *err)
{
    const char *name = getenv("TERM");
    int found = 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(err, ERROR_USAGE, NULL, "%s", _("the tutor needs a terminal; without one run: kubetutor play nginx, kubetutor check nginx"));
    if (name == NULL || setupterm(NULL, STDOUT_FILENO, &found) != OK || found != 1)
        return error_set(err, ERROR_USAGE, NULL, _("the terminal type TERM=%s is not known here; try TERM=xterm-256color, or run: kubetutor show nginx"), name != NULL ? name : "");
    const char *move = tigetstr("cup");
    bool moves = move != NULL && move != (char *)-1;
    del_curterm(cur_term); /* it was for asking only */
    if (!moves)
        return error_set(err, ERROR_USAGE, NULL, _("a terminal of type %s cannot show screens; run instead: kubetutor show nginx, kubetutor play nginx"), name);
    return true;
}

bool screen_open(bool colour, bool ascii, struct error *err)
{
    if (!usable(err))
        return false;
    if (tcgetattr(STDIN_FILENO, &term.before) != 0)
        return error_set(err, ERROR_USAGE, NULL, "%s", _("the terminal does not answer"));
    term.screen = newterm(NULL, stdout, stdin);
    if (term.screen == NULL)
        return error_set(err, ERROR_USAGE, NULL, "%s", _("the terminal could not be set up"));
    term.ascii = ascii;
    term.suspended = false;
    prepare_way_back();
    set_escdelay(SCREEN_ESCAPE_MS);
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    leaveok(stdscr, TRUE);
    typeahead(-1); /* a frame is sent whole, keys or not */
    curs_set(0);
    define_key(NULL, KEY_MOUSE); /* its reports are sequences like any other that is not known */
    set_looks(colour);
    return true;
}

void screen_close(void)
{
    if (term.screen == NULL)
        return;
    if (!term.suspended)
        endwin();
    forget_way_back();
    delscreen(term.screen);
    term.screen = NULL;
    tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
}

void screen_suspend(bool suspended)
{
    if (term.screen == NULL || suspended == term.suspended)
        return;
    term.suspended = suspended;
    if (suspended)
        endwin();
    else
        screen_resized();
}

void screen_stop(void)
{
    kill(0, SIGTSTP); /* curses' own handler gives the terminal back, stops, and takes it again */
    screen_resized();
}

void screen_size(int *rows, int *columns)
{
    *rows = LINES;
    *columns = COLS;
}

void screen_resized(void)
{
    struct winsize size;
    if (term.screen == NULL || term.suspended)
        return;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
}

void screen_forget(void)
{
    clearok(curscr, TRUE);
}

/* ---- drawing ---- */

void screen_begin(void)
{
    werase(stdscr);
}

void screen_end(void)
{
    if (term.screen == NULL || term.suspended)
        return;
    wnoutrefresh(stdscr);
    doupdate();
}

/* A stand-in of the same width for a terminal that knows ASCII only. */
static char stand_in(unsigned code_point)
{
    static const struct {
        unsigned code_point;
        char ascii;
    } table[] = {
        {0x2713, '+'}, {0x2717, 'x'}, {0x2026, '~'}, {0x25cf, '*'}, {0x25cc, 'o'}, {0x25cb, 'o'}, {0x25be, 'v'}, {0x25b8, '>'}, {0x25bc, 'v'}, {0x25b2, '^'},
        {0x2593, '#'}, {0x2591, '.'}, {0x2500, '-'}, {0x2502, '|'}, {0x250c, '+'}, {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'}, {0x251c, '+'}, {0x2524, '+'},
        {0x252c, '+'}, {0x2534, '+'}, {0x00b7, '.'}, {0x2022, '*'}, {0x2192, '>'}, {0x21b3, '>'}, {0x2190, '<'}, {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''}, {0x2019, '\''},
        {0x201c, '"'}, {0x201d, '"'}, {0x00a0, ' '}, {0x2191, '^'}, {0x2193, 'v'},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code_point == code_point)
            return table[i].ascii;
    return '?';
}

static void put_ascii(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned code_point;
        size_t used = utf8_decode(bytes + i, length - i, &code_point);
        int width = width_of(code_point);
        for (int w = 0; w < width; w++)
            waddch(stdscr, (chtype)(code_point < 0x80 ? (char)code_point : stand_in(code_point)));
        i += used;
    }
}

static void put(const char *bytes, size_t length)
{
    if (term.ascii)
        put_ascii(bytes, length);
    else
        waddnstr(stdscr, bytes, (int)length);
}

/* Draws a piece that ends at byte `end` of a line at most; *column is where it starts, counted from the line's start. */
static void put_piece(int y, int x, const char *bytes, size_t length, size_t *column)
{
    wmove(stdscr, y, x + (int)*column);
    for (size_t i = 0; i < length;) {
        size_t plain = 0;
        while (i + plain < length && bytes[i + plain] != '\t' && bytes[i + plain] != '\n')
            plain++;
        put(bytes + i, plain);
        *column += width_text(bytes + i, plain);
        i += plain;
        if (i < length) {
            *column = bytes[i] == '\t' ? *column / 8 * 8 + 8 : *column + 1;
            wmove(stdscr, y, x + (int)*column);
            i++;
        }
    }
}

static void draw(int y, int x, int width, const struct line *line, bool one_role, enum role role, bool fill)
{
    const char *bytes = line->text.bytes != NULL ? line->text.bytes : "";
    size_t length = line->text.length, column = 0, at = 0;
    if (width <= 0)
        return;
    bool cut = width_text(bytes, length) > (size_t)width;
    if (cut) {
        size_t used;
        length = width_fit(bytes, length, (size_t)width - 1, &used);
    }
    if (fill) {
        wattrset(stdscr, (int)term.attributes[role]);
        mvwhline(stdscr, y, x, ' ' | term.attributes[role], width);
    }
    for (size_t i = 0; i <= line->span_count && at < length; i++) {
        const struct role_span *span = i < line->span_count ? &line->spans[i] : NULL;
        size_t start = span != NULL && span->start < length ? span->start : length, end = span != NULL ? span->start + span->length : length;
        end = end < length ? end : length;
        if (start > at) {
            wattrset(stdscr, (int)term.attributes[one_role ? role : ROLE_TEXT]);
            put_piece(y, x, bytes + at, start - at, &column);
        }
        if (end > start) {
            wattrset(stdscr, (int)term.attributes[one_role ? role : span->role]);
            put_piece(y, x, bytes + start, end - start, &column);
        }
        at = end > at ? end : at;
    }
    if (cut) {
        wattrset(stdscr, (int)term.attributes[one_role ? role : ROLE_MUTED]);
        wmove(stdscr, y, x + (int)column);
        put("…", strlen("…"));
    }
    wattrset(stdscr, A_NORMAL);
}

void screen_line(int y, int x, int width, const struct line *line, bool fill)
{
    draw(y, x, width, line, false, ROLE_TEXT, fill);
}

void screen_line_as(int y, int x, int width, const struct line *line, enum role role)
{
    draw(y, x, width, line, true, role, true);
}

void screen_text(int y, int x, int width, const struct safe_text *text, enum role role)
{
    struct line line = {.text = *text};
    draw(y, x, width, &line, true, role, false);
}

int screen_text_width(const struct safe_text *text)
{
    return text->bytes != NULL ? (int)width_text(text->bytes, text->length) : 0;
}

void screen_frame(int y, int x, int count, bool down, enum frame_piece piece, enum role role)
{
    static const char *const pieces[] = {"─", "│", "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "▼"};
    wattrset(stdscr, (int)term.attributes[role]);
    for (int i = 0; i < count; i++) {
        wmove(stdscr, down ? y + i : y, down ? x : x + i);
        put(pieces[piece], strlen(pieces[piece]));
    }
    wattrset(stdscr, A_NORMAL);
}

/* ---- keys ---- */

static bool terminal_gone(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int waiting = 0;
    if (poll(&input, 1, 0) < 0)
        return errno != EINTR && errno != EAGAIN;
    if ((input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        return true;
    return (input.revents & POLLIN) != 0 && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting == 0;
}

/* The next key that is none of a sequence's bytes. Curses has waited for what follows an ESC, so that an ESC with nothing behind it is the key. */
static int next_key(void)
{
    int key = wgetch(stdscr);
    if (term.escape.state != ESCAPE_NONE && clock_monotonic_ms() - term.escape_ms > ESCAPE_REST_MS)
        term.escape = (struct escape){0};
    for (;; key = wgetch(stdscr)) {
        if (key == ERR)
            return ERR;
        if (escape_eats(&term.escape, key))
            continue;
        if (key != KEY_CODE_ESCAPE)
            return key;
        int after = wgetch(stdscr);
        term.escape_ms = clock_monotonic_ms();
        if (after == ERR || !escape_begins(&term.escape, after)) {
            if (after != ERR)
                ungetch(after);
            return key;
        }
    }
}

int screen_key(bool *gone)
{
    static const struct {
        int curses, code;
    } codes[] = {
        {KEY_UP, KEY_CODE_UP}, {KEY_DOWN, KEY_CODE_DOWN}, {KEY_LEFT, KEY_CODE_LEFT}, {KEY_RIGHT, KEY_CODE_RIGHT}, {KEY_PPAGE, KEY_CODE_PAGE_UP},
        {KEY_NPAGE, KEY_CODE_PAGE_DOWN}, {KEY_HOME, KEY_CODE_HOME}, {KEY_END, KEY_CODE_END}, {KEY_BTAB, KEY_CODE_BACK_TAB}, {KEY_ENTER, KEY_CODE_ENTER},
        {'\n', KEY_CODE_ENTER},
    };
    int key = next_key();
    *gone = key == ERR && terminal_gone();
    if (key == ERR)
        return -1;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].curses == key)
            return codes[i].code;
    return key < 0x100 ? key : KEY_CODE_OTHER;
}
