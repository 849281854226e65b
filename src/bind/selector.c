/* selector.c: does an object fit a label selector? The server has filtered already; before something is deleted it is looked at again, so that a filter that
 * was lost on the way (a library short of memory drops the query of a URL) never costs what was not meant. */
#include <stdio.h>
#include <string.h>

#include "bind/objects.h"

enum { SELECTOR_KEY = 400 };

/* One requirement: "a=b", "a==b", "a!=b", "a", "!a". */
static bool fits(const struct value *labels, const char *term, size_t length)
{
    char key[SELECTOR_KEY];
    bool negated = length > 0 && term[0] == '!';
    size_t start = negated ? 1 : 0, end = start;
    while (end < length && term[end] != '=' && term[end] != '!')
        end++;
    snprintf(key, sizeof key, "%.*s", (int)(end - start), term + start);
    const char *value = value_text(value_get(labels, key));
    if (end == length)
        return (value != NULL) != negated;
    bool differs = term[end] == '!';
    while (end < length && (term[end] == '=' || term[end] == '!'))
        end++;
    return (value != NULL && strlen(value) == length - end && strncmp(value, term + end, length - end) == 0) != differs;
}

bool selector_fits(const char *selector, const struct value *object)
{
    const struct value *labels = value_find(object, "metadata", "labels", NULL);
    if (strpbrk(selector, "( \t") != NULL) /* "a in (b, c)": only the server reads those */
        return true;
    for (const char *term = selector; *term != '\0';) {
        size_t length = strcspn(term, ",");
        if (!fits(labels, term, length))
            return false;
        term += length + (term[length] == ',');
    }
    return true;
}
