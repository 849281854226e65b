/* lang.h: the program's own messages in the person's language; the only place that knows gettext.
 *
 * English is the message id, zh_CN a catalogue (po/zh_CN.po). Lesson texts do not go through here: they carry both languages.
 * What stays on screen keeps message id and arguments and asks again with _() when it is drawn, so that a change shows at once.
 */
#ifndef KT_BASE_LANG_H
#define KT_BASE_LANG_H

#include <stdbool.h>

enum lang { LANG_EN, LANG_ZH };

/* Sets the locale (C.UTF-8 where the environment's is C, absent or not UTF-8) and the catalogue's folder. Call once, at the start
 * of main. `catalogues` is the folder with zh_CN/LC_MESSAGES/kubetutor.mo; NULL where there is none: English. */
void lang_init(const char *catalogues);

/* The language that the environment asks for: LANGUAGE, else LC_ALL, LC_MESSAGES, LANG; a first entry zh* is Chinese. */
enum lang lang_from_environment(void);

/* Parses "en", "zh", "zh_CN", ...; false when it is neither. */
bool lang_parse(const char *name, enum lang *lang);

void lang_set(enum lang lang); /* may be changed at any time */
enum lang lang_get(void);
const char *lang_name(enum lang lang); /* "en" or "zh" */

/* The message in the current language; borrowed, valid for ever. */
const char *lang_message(const char *id) __attribute__((format_arg(1)));
const char *lang_plural(const char *one, const char *many, unsigned long n) __attribute__((format_arg(1), format_arg(2)));

#define _(id) lang_message(id)
#define N_(id) id /* marks a text for the catalogue where it cannot be translated yet (a const table) */

#endif
