/* cases.h: case files of tests/text, a directive and its argument a line; # begins a comment line. */
#ifndef KT_TESTS_TEXT_CASES_H
#define KT_TESTS_TEXT_CASES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

/* Calls run with the path and the contents of each file of the folder whose name ends in `suffix`; fails when there is none. */
static inline void each_case(const char *folder, const char *suffix, void (*run)(const char *path, char *contents))
{
    char *at = file_join(KT_TEST_CASES, folder);
    struct dirent **entries;
    int files = 0, count = scandir(at, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        if (length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0) {
            struct error err = ERROR_INIT;
            char *path = file_join(at, name);
            char *contents = file_read(path, 1 << 20, NULL, &err);
            if (contents == NULL)
                fail_msg("%s: %s", path, err.message);
            run(path, contents);
            mem_free(contents);
            mem_free(path);
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    mem_free(at);
    assert_true(files > 0);
}

/* Takes the next line off; NULL at the end. */
static inline char *case_line(char **rest)
{
    char *line = *rest;
    if (line == NULL || *line == '\0')
        return NULL;
    char *end = strchr(line, '\n');
    *rest = end != NULL ? end + 1 : NULL;
    if (end != NULL)
        *end = '\0';
    return line;
}

/* The argument if the line is this directive, else NULL. "directive" alone has the argument "". */
static inline const char *case_argument(const char *line, const char *directive)
{
    size_t length = strlen(directive);
    if (strncmp(line, directive, length) != 0 || (line[length] != ' ' && line[length] != '\0'))
        return NULL;
    return line + length + (line[length] == ' ');
}

/* Resolves \xNN, \n, \t, \r and \\ in place. Returns the length. */
static inline size_t case_unescape(char *text)
{
    static const char from[] = "ntr\\", to[] = "\n\t\r\\";
    size_t length = 0;
    for (const char *at = text; *at != '\0';) {
        const char *simple = at[0] == '\\' && at[1] != '\0' ? strchr(from, at[1]) : NULL;
        if (simple != NULL) {
            text[length++] = to[simple - from];
            at += 2;
        } else if (at[0] == '\\' && at[1] == 'x') {
            char digits[3] = {at[2], at[2] != '\0' ? at[3] : '\0', '\0'};
            text[length++] = (char)strtoul(digits, NULL, 16);
            at += 2 + strlen(digits);
        } else {
            text[length++] = *at++;
        }
    }
    return length;
}

#endif
