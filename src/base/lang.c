#include "base/lang.h"

#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DOMAIN "kubetutor"

/* Process-wide because gettext is (see "Rules of the house"). */
static enum lang current = LANG_EN;
static bool have_catalogues;

/* GNU gettext's own way to drop what it has looked up: `info gettext`, "Being a gettext grok". */
extern int _nl_msg_cat_cntr;

void lang_init(const char *catalogues)
{
    if (setlocale(LC_ALL, "") == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        if (setlocale(LC_ALL, "C.UTF-8") == NULL)
            setlocale(LC_ALL, "C");
    setlocale(LC_NUMERIC, "C");
    setlocale(LC_COLLATE, "C"); /* comparing long strings in Lua goes through strcoll, which may take for ever */
    const char *messages = setlocale(LC_MESSAGES, NULL);
    if (messages == NULL || strcmp(messages, "C") == 0 || strcmp(messages, "POSIX") == 0)
        setlocale(LC_MESSAGES, "C.UTF-8"); /* in "C" itself gettext translates nothing, whatever LANGUAGE says */
    have_catalogues = catalogues != NULL && bindtextdomain(DOMAIN, catalogues) != NULL;
    bind_textdomain_codeset(DOMAIN, "UTF-8");
    lang_set(current);
}

bool lang_parse(const char *name, enum lang *lang)
{
    if (strncasecmp(name, "zh", 2) == 0)
        *lang = LANG_ZH;
    else if (strncasecmp(name, "en", 2) == 0)
        *lang = LANG_EN;
    else
        return false;
    return true;
}

enum lang lang_from_environment(void)
{
    static const char *const variables[] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        enum lang lang;
        if (value == NULL || value[0] == '\0')
            continue;
        return lang_parse(value, &lang) ? lang : LANG_EN;
    }
    return LANG_EN;
}

void lang_set(enum lang lang)
{
    current = lang;
    setenv("LANGUAGE", lang == LANG_ZH ? "zh_CN" : "en", 1);
    ++_nl_msg_cat_cntr;
}

enum lang lang_get(void)
{
    return current;
}

const char *lang_name(enum lang lang)
{
    return lang == LANG_ZH ? "zh" : "en";
}

const char *lang_message(const char *id)
{
    return have_catalogues && current != LANG_EN && id[0] != '\0' ? dgettext(DOMAIN, id) : id;
}

const char *lang_plural(const char *one, const char *many, unsigned long n)
{
    if (have_catalogues && current != LANG_EN)
        return dngettext(DOMAIN, one, many, n);
    return n == 1 ? one : many;
}
