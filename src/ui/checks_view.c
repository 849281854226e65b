#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "ui/views.h"

enum { CHECK_TEXT = 8192, CHOICE_WIDEST = 1000 /* columns: the drawer cuts it */, CHECK_BRIEF = 2 /* lines of a sentence in the pane; the overlay has it in full */ };

const char *refused_words(void)
{
    return _("nothing is changed in this cluster, because you said no; r asks again");
}

void checks_count(const struct verdict *verdict, size_t *held, size_t *all)
{
    *held = 0;
    *all = verdict != NULL ? verdict->expectations.length : 0;
    for (size_t i = 0; i < *all; i++)
        *held += ((const struct expectation *)verdict->expectations.items[i])->holds;
}

#define ARROW "  ←"

/* One message for the whole pane. */
static void say(struct vec *lines, const char *words, enum role role, size_t columns)
{
    struct lines_shape shape = {.columns = columns, .role = role, .target = -1};
    lines_text(lines, words, &shape);
}

bool ends_wide(const char *label)
{
    size_t length = strlen(label);
    return length > 0 && (unsigned char)label[length - 1] >= 0x80;
}

/* most: lines, 0: all. */
static void add_detail(struct vec *lines, const char *label, const char *text, enum role role, size_t columns, size_t most)
{
    char *first = mem_printf("  %s%s", label, ends_wide(label) && strcmp(label, ARROW) != 0 ? "" : " ");
    struct lines_shape shape = {.columns = columns, .first = first, .rest = "    ", .role = role, .prefix_role = ROLE_MUTED, .target = -1, .most = most};
    if (first != NULL && text[0] != '\0')
        lines_text(lines, text, &shape);
    mem_free(first);
}

static bool own_words(const struct expectation *e)
{
    return e->text.en != NULL || e->text.zh != NULL;
}

/* Field, wanted and found, each where the headline has it not in full. */
static void add_fields(struct vec *lines, const struct expectation *e, const char *said, size_t columns)
{
    const struct {
        const char *label, *text;
        enum role role;
    } fields[] = {{_("field:"), e->path, ROLE_CODE}, {_("wanted:"), e->expected, ROLE_GOOD}, {_("found:"), e->actual, ROLE_BAD}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (own_words(e) || strstr(said, fields[i].text) == NULL)
            add_detail(lines, fields[i].label, fields[i].text, fields[i].role, columns, 0);
}

/* The lesson's own words leave out what was seen; these say it. */
static void add_seen(struct vec *lines, const struct expectation *e, size_t columns)
{
    if (!own_words(e) || e->path[0] == '\0')
        return;
    char *seen = mem_printf(_("%s: %s, wanted %s"), e->path, e->actual, e->expected);
    struct lines_shape shape = {.columns = columns, .first = "  ", .rest = "    ", .role = ROLE_MUTED, .prefix_role = ROLE_MUTED, .target = -1, .most = CHECK_BRIEF};
    if (seen != NULL)
        lines_text(lines, seen, &shape);
    mem_free(seen);
}

/* The why: a sentence a line, from the symptom to the cause. */
static void add_why(struct vec *lines, const struct expectation *e, const char *said, size_t columns, size_t most)
{
    const char *rest = e->why;
    for (bool first = true; *rest != '\0'; first = false) {
        size_t length = strcspn(rest, "\n");
        char *sentence = mem_string_n(rest, length);
        if (sentence != NULL && strcmp(sentence, said) != 0)
            add_detail(lines, first ? _("why:") : ARROW, sentence, ROLE_WHY, columns, most);
        mem_free(sentence);
        rest += length + (rest[length] == '\n');
    }
}

/* The headline. In the overlay it is followed by what it left out or shortened, and by nothing that it said already. */
static void add_expectation(struct vec *lines, const struct expectation *e, size_t columns, bool full)
{
    struct buf words = buf_make(CHECK_TEXT);
    struct lines_shape shape = {.columns = columns, .first = e->holds ? "✓ " : "✗ ", .rest = "  ", .role = ROLE_TEXT,
                                .prefix_role = e->holds ? ROLE_GOOD : ROLE_BAD, .target = -1, .most = full ? 0 : CHECK_BRIEF};
    expectation_print(e, &words);
    const char *said = buf_ok(&words) && words.bytes != NULL ? words.bytes : "";
    if (said[0] != '\0')
        lines_text(lines, said, &shape);
    if (!e->holds && !full)
        add_seen(lines, e, columns);
    if (!e->holds)
        add_why(lines, e, said, columns, full ? 0 : CHECK_BRIEF);
    if (!e->holds && full)
        add_fields(lines, e, said, columns);
    buf_free(&words);
}

/* What the pane says of a phase when there is nothing to list. */
static const char *words_of_phase(const struct checks_view *view)
{
    switch (view->phase) {
    case RUN_IDLE:
    case RUN_NEEDS:
        return _("asking the cluster…");
    case RUN_SETUP:
        return _("preparing the step…");
    case RUN_READING:
        return _("this step can only be read here");
    case RUN_PASSED:
        return view->has_check ? NULL : _("answered");
    case RUN_WORK:
    case RUN_VERIFY:
        return view->verdict == NULL ? _("checking…") : NULL;
    case RUN_QUESTION:
    case RUN_BROKEN:
    case RUN_FAILED:
        break;
    }
    return NULL;
}

/* The answers, a line each, where the lesson's text has pushed its own out of view. */
static void add_choices(struct vec *lines, const struct checks_view *view)
{
    const struct text_block *block;
    for (size_t i = 0; view->text != NULL && (block = text_step_block(view->text, BLOCK_CHOICE, NULL, i)) != NULL; i++) {
        char *first = mem_printf("  %zu ", i + 1), *text = lesson_fill(block->text, view->state);
        struct lines_shape shape = {.columns = CHOICE_WIDEST, .first = first, .rest = "    ", .role = ROLE_CHOICE, .prefix_role = ROLE_KEY, .target = -1};
        size_t before = lines->length;
        if (first != NULL && text != NULL)
            lines_markdown(lines, text, &shape);
        while (lines->length > before + 1)
            vec_remove(lines, lines->length - 1);
        mem_free(first);
        mem_free(text);
    }
}

void checks_view_build(struct vec *lines, const struct checks_view *view)
{
    if (!view->connected) {
        say(lines, view->refused ? refused_words() : _("the checks begin when the cluster answers"), ROLE_MUTED, view->columns);
        return;
    }
    if (view->solving)
        say(lines, _("doing the solution…"), ROLE_BUSY, view->columns);
    if (view->phase == RUN_QUESTION) {
        char *question = mem_printf(_("? your answer first: 1 to %d, or arrows and Enter"), view->choices);
        if (question != NULL)
            say(lines, question, ROLE_BUSY, view->columns);
        mem_free(question);
        add_choices(lines, view);
    }
    const char *words = words_of_phase(view);
    if (words != NULL)
        say(lines, words, view->phase == RUN_PASSED ? ROLE_GOOD : ROLE_MUTED, view->columns);
    for (size_t i = 0; view->verdict != NULL && i < view->verdict->expectations.length; i++)
        add_expectation(lines, view->verdict->expectations.items[i], view->columns, false);
    if (view->phase == RUN_VERIFY)
        say(lines, _("all of it holds; now trying it…"), ROLE_BUSY, view->columns);
}

void why_view_build(struct vec *lines, const struct verdict *verdict, size_t columns)
{
    size_t held, all;
    checks_count(verdict, &held, &all);
    if (held == all)
        say(lines, all == 0 ? _("nothing was checked yet") : _("everything that was checked holds"), ROLE_TEXT, columns);
    for (size_t i = 0; i < all; i++) {
        const struct expectation *e = verdict->expectations.items[i];
        if (e->holds)
            continue;
        lines_blank(lines);
        add_expectation(lines, e, columns, true);
    }
}
