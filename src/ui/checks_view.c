#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "ui/views.h"

enum { CHECK_TEXT = 8192, CHECK_BRIEF = 2 /* lines of a sentence in the pane; the overlay has it in full */ };

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

/* most: lines, 0: all. A label that ends in a full-width colon needs no blank after it. */
static void add_detail(struct vec *lines, const char *label, const char *text, enum role role, size_t columns, size_t most)
{
    size_t length = strlen(label);
    char *first = mem_printf("  %s%s", label, length > 0 && (unsigned char)label[length - 1] >= 0x80 && strcmp(label, ARROW) != 0 ? "" : " ");
    struct lines_shape shape = {.columns = columns, .first = first, .rest = "    ", .role = role, .prefix_role = ROLE_MUTED, .target = -1, .most = most};
    if (first != NULL && text[0] != '\0')
        lines_text(lines, text, &shape);
    mem_free(first);
}

/* The lesson's own words leave out what was seen; these say it. */
static void add_seen(struct vec *lines, const struct expectation *e, size_t columns, size_t most)
{
    bool own_words = e->text.en != NULL || e->text.zh != NULL;
    if (!own_words || e->path[0] == '\0')
        return;
    char *seen = mem_printf(_("%s: %s, wanted %s"), e->path, e->actual, e->expected);
    struct lines_shape shape = {.columns = columns, .first = "  ", .rest = "    ", .role = ROLE_MUTED, .prefix_role = ROLE_MUTED, .target = -1, .most = most};
    if (seen != NULL)
        lines_text(lines, seen, &shape);
    mem_free(seen);
}

/* The why: a sentence a line, from the symptom to the cause. */
static void add_why(struct vec *lines, const struct expectation *e, size_t columns, size_t most)
{
    const char *rest = e->why;
    for (bool first = true; *rest != '\0'; first = false) {
        size_t length = strcspn(rest, "\n");
        char *sentence = mem_string_n(rest, length);
        if (sentence != NULL)
            add_detail(lines, first ? _("why:") : ARROW, sentence, ROLE_WHY, columns, most);
        mem_free(sentence);
        rest += length + (rest[length] == '\n');
    }
}

static void add_expectation(struct vec *lines, const struct expectation *e, size_t columns, size_t most)
{
    struct buf words = buf_make(CHECK_TEXT);
    struct lines_shape shape = {.columns = columns, .first = e->holds ? "✓ " : "✗ ", .rest = "  ", .role = ROLE_TEXT,
                                .prefix_role = e->holds ? ROLE_GOOD : ROLE_BAD, .target = -1, .most = most};
    expectation_print(e, &words);
    if (buf_ok(&words) && words.bytes != NULL)
        lines_text(lines, words.bytes, &shape);
    buf_free(&words);
    if (e->holds)
        return;
    add_seen(lines, e, columns, most);
    add_why(lines, e, columns, most);
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

void checks_view_build(struct vec *lines, const struct checks_view *view)
{
    if (!view->connected) {
        say(lines, _("the checks begin when the cluster answers"), ROLE_MUTED, view->columns);
        return;
    }
    if (view->solving)
        say(lines, _("doing the solution…"), ROLE_BUSY, view->columns);
    if (view->phase == RUN_QUESTION) {
        char *question = mem_printf(_("? your answer first: 1 to %d, or arrows and Enter"), view->choices);
        if (question != NULL)
            say(lines, question, ROLE_BUSY, view->columns);
        mem_free(question);
    }
    const char *words = words_of_phase(view);
    if (words != NULL)
        say(lines, words, view->phase == RUN_PASSED ? ROLE_GOOD : ROLE_MUTED, view->columns);
    for (size_t i = 0; view->verdict != NULL && i < view->verdict->expectations.length; i++)
        add_expectation(lines, view->verdict->expectations.items[i], view->columns, CHECK_BRIEF);
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
        add_expectation(lines, e, columns, 0);
        add_detail(lines, _("field:"), e->path, ROLE_CODE, columns, 0);
        add_detail(lines, _("wanted:"), e->expected, ROLE_GOOD, columns, 0);
        add_detail(lines, _("found:"), e->actual, ROLE_BAD, columns, 0);
        add_detail(lines, _("asked in:"), e->where, ROLE_MUTED, columns, 0);
    }
}
