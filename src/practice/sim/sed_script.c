/* sed_script: the script of sed, read. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"
#include "practice/sim/regex.h"
#include "practice/sim/sed.h"

/* ---- reading the script ---- */

static void bad(struct sed *sed, const char *what)
{
    if (!sed->failed)
        applet_say(sed->task, "%s", what);
    sed->failed = true;
}

/* Text up to the delimiter, which is passed; an escaped one loses its backslash. keep: other escapes stay. */
static char *delimited(struct sed *sed, const char **at, char delimiter)
{
    struct buf text = buf_make(SED_SPACE);
    bool set = false;
    for (; **at && (**at != delimiter || set); (*at)++) {
        if (**at == '\\' && (*at)[1]) {
            (*at)++;
            if (**at == 'n' && delimiter != 'n')
                buf_append_string(&text, "\n");
            else {
                if (**at != delimiter || strchr("&\\", **at))
                    buf_append(&text, "\\", 1);
                buf_append(&text, *at, 1);
            }
            continue;
        }
        set = **at == '[' ? true : **at == ']' ? false : set;
        buf_append(&text, *at, 1);
    }
    if (**at != delimiter) {
        buf_free(&text);
        applet_say(sed->task, "unmatched '%c'", delimiter);
        sed->failed = true;
        return NULL;
    }
    (*at)++;
    return buf_take(&text, NULL);
}

static struct regex *make_regex(struct sed *sed, const char *text, bool ignore)
{
    struct regex *regex = regex_new(text, (sed->extended ? REGEX_EXTENDED : 0u) | (ignore ? REGEX_IGNORE_CASE : 0u), sed->task);
    sed->failed = sed->failed || !regex;
    return regex;
}

static bool read_address(struct sed *sed, const char **at, struct address *out)
{
    char *end;
    if (isdigit((unsigned char)**at)) {
        out->kind = 'n';
        out->line = strtoll(*at, &end, 10);
        *at = end;
        if (**at == '~') {
            out->kind = '~';
            out->step = strtoll(*at + 1, &end, 10);
            *at = end;
        }
    } else if (**at == '$') {
        out->kind = '$';
        (*at)++;
    } else if (**at == '+' && isdigit((unsigned char)(*at)[1])) {
        out->kind = '+';
        out->line = strtoll(*at + 1, &end, 10);
        *at = end;
    } else if (**at == '/' || **at == '\\') {
        char delimiter = **at == '\\' ? *++*at : '/';
        (*at)++;
        char *text = delimited(sed, at, delimiter);
        bool ignore = **at == 'I';
        *at += ignore;
        out->kind = '/';
        if (text && *text)
            out->regex = make_regex(sed, text, ignore);
        mem_free(text);
    }
    return out->kind != 0;
}

static void read_substitution(struct sed *sed, const char **at, struct command *command)
{
    char delimiter = **at, *expression = NULL;
    if (delimiter && delimiter != '\n' && delimiter != '\\') {
        (*at)++;
        expression = delimited(sed, at, delimiter);
    }
    command->text = expression ? delimited(sed, at, delimiter) : NULL;
    if (!command->text)
        bad(sed, "bad option in substitution expression");
    for (; !sed->failed; (*at)++) {
        if (**at == 'g')
            command->global = true;
        else if (**at == 'p')
            command->print = true;
        else if (**at == 'i' || **at == 'I')
            command->ignore = true;
        else if (isdigit((unsigned char)**at)) {
            char *end;
            command->which = strtoll(*at, &end, 10);
            *at = end - 1;
        } else {
            break;
        }
    }
    if (expression && *expression && !sed->failed)
        command->regex = make_regex(sed, expression, command->ignore);
    mem_free(expression);
}

/* a, i, c: `a\` and lines, or `a text`. */
static char *read_text(const char **at)
{
    struct buf text = buf_make(SED_SPACE);
    *at += strspn(*at, " \t");
    if (**at == '\\') {
        (*at)++;
        *at += strspn(*at, " \t");
        *at += **at == '\n';
    }
    for (; **at && **at != '\n'; (*at)++) {
        if (**at == '\\' && (*at)[1])
            (*at)++;
        buf_append(&text, *at, 1);
    }
    buf_append(&text, "\n", 1);
    return buf_take(&text, NULL);
}

static void read_command(struct sed *sed, const char **at, size_t *open, size_t *opens)
{
    struct command *command = &sed->commands[sed->count++];
    *command = (struct command){0};
    if (read_address(sed, at, &command->first)) {
        *at += strspn(*at, " \t");
        if (**at == ',') {
            (*at)++;
            *at += strspn(*at, " \t");
            if (!read_address(sed, at, &command->second))
                bad(sed, "unexpected ','");
        }
    }
    *at += strspn(*at, " \t");
    while (**at == '!') {
        command->negate = true;
        *at += 1 + strspn(*at + 1, " \t");
    }
    command->letter = **at;
    if (!**at) {
        bad(sed, "missing command");
        return;
    }
    (*at)++;
    switch (command->letter) {
    case '{':
        if (*opens < 32)
            open[(*opens)++] = sed->count - 1;
        else
            bad(sed, "too many {");
        return;
    case '}':
        if (*opens == 0)
            bad(sed, "unexpected '}'");
        else
            sed->commands[open[--*opens]].jump = sed->count;
        break;
    case 's': read_substitution(sed, at, command); break;
    case 'y': {
        char delimiter = **at ? *(*at)++ : '\0';
        command->text = delimited(sed, at, delimiter);
        command->other = command->text ? delimited(sed, at, delimiter) : NULL;
        if (command->other && strlen(command->text) != strlen(command->other))
            bad(sed, "y: strings have different lengths");
        break;
    }
    case 'a':
    case 'i':
    case 'c': command->text = read_text(at); break;
    case ':':
    case 'b':
    case 't':
    case 'T':
    case 'r':
    case 'w': {
        *at += strspn(*at, " \t");
        size_t length = strcspn(*at, command->letter == 'r' || command->letter == 'w' ? "\n" : "\n;}");
        while (length > 0 && (*at)[length - 1] == ' ')
            length--;
        command->text = mem_string_n(*at, length);
        *at += length;
        break;
    }
    case 'q':
    case 'Q': command->which = strtoll(*at + strspn(*at, " "), (char **)(uintptr_t)at, 10); break;
    default:
        if (!strchr("pdnNDPhHgGx=l#", command->letter)) {
            applet_say(sed->task, "unsupported command %c", command->letter);
            sed->failed = true;
        }
    }
    if (command->letter == '#')
        *at += strcspn(*at, "\n");
    *at += strspn(*at, " \t");
    if (**at && !strchr(";\n}", **at) && !sed->failed)
        bad(sed, "unknown option to 's'");
}

void sed_read_script(struct sed *sed, const char *text)
{
    size_t open[32], opens = 0;
    while (!sed->failed) {
        text += strspn(text, " \t\n;");
        if (!*text)
            break;
        if (*text == '#') {
            text += strcspn(text, "\n");
            continue;
        }
        if (sed->count == SED_COMMANDS)
            bad(sed, "too many commands");
        else
            read_command(sed, &text, open, &opens);
    }
    if (opens > 0)
        bad(sed, "unmatched '{'");
    for (size_t i = 0; i < sed->count && !sed->failed; i++) {
        struct command *command = &sed->commands[i];
        if (!strchr("btT", command->letter))
            continue;
        command->jump = sed->count;
        bool found = !*command->text;
        for (size_t j = 0; j < sed->count && !found; j++) {
            found = sed->commands[j].letter == ':' && strcmp(sed->commands[j].text, command->text) == 0;
            command->jump = found ? j : command->jump;
        }
        if (!found)
            bad(sed, "can't find label for jump");
    }
}
