#include "bind/verdict.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"

enum { VERDICT_EXPECTATIONS = 200, EXPECTATION_SUBJECT = 1024 };

void both_free(struct both *both)
{
    mem_free(both->en);
    mem_free(both->zh);
    *both = (struct both){0};
}

const char *both_text(const struct both *both)
{
    const char *first = lang_get() == LANG_ZH ? both->zh : both->en, *second = lang_get() == LANG_ZH ? both->en : both->zh;
    return first != NULL ? first : second != NULL ? second : "";
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {
        [OUTCOME_PASSED] = "passed",           [OUTCOME_FAILED] = "failed",   [OUTCOME_ERROR] = "error",
        [OUTCOME_UNREACHABLE] = "unreachable", [OUTCOME_SKIPPED] = "skipped",
    };
    return names[outcome];
}

void expectation_free(struct expectation *expectation)
{
    if (expectation == NULL)
        return;
    char *const owned[] = {expectation->kind, expectation->name,     expectation->resource, expectation->uid,  expectation->resource_version,
                           expectation->path, expectation->expected, expectation->actual,   expectation->where, expectation->why};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    both_free(&expectation->text);
    mem_free(expectation);
}

static void free_item(void *item)
{
    expectation_free(item);
}

struct verdict *verdict_new(void)
{
    struct verdict *verdict = mem_zero(1, sizeof *verdict);
    if (verdict == NULL)
        return NULL;
    verdict->expectations = vec_make(VERDICT_EXPECTATIONS, free_item);
    verdict->again_ms = -1;
    return verdict;
}

void verdict_free(struct verdict *verdict)
{
    if (verdict == NULL)
        return;
    vec_free(&verdict->expectations);
    mem_free(verdict);
}

/* Whole sentences around the subject, so that each language can order and space them in its own way. */
void expectation_print(const struct expectation *e, struct buf *out)
{
    const char *own = both_text(&e->text);
    char what[EXPECTATION_SUBJECT];
    if (own[0] != '\0') {
        buf_append_string(out, own);
        return;
    }
    snprintf(what, sizeof what, "%s%s%s%s%s", e->kind, e->kind[0] != '\0' ? " " : "", e->kind[0] != '\0' ? e->name : "",
             e->kind[0] != '\0' && e->path[0] != '\0' ? ": " : "", e->path);
    if (e->expected[0] == '\0')
        buf_append_string(out, what);
    else if (!e->holds && e->path[0] == '\0' && strcmp(e->actual, _("missing")) == 0)
        buf_printf(out, _("%s is missing"), what);
    else if (e->holds && strcmp(e->actual, _("as wanted")) == 0)
        buf_printf(out, _("%s is as wanted"), what);
    else if (e->holds)
        buf_printf(out, _("%s is %s"), what, e->actual[0] != '\0' ? e->actual : e->expected);
    else
        buf_printf(out, _("%s is %s, wanted %s"), what, e->actual, e->expected);
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool says_the_same(const struct expectation *x, const struct expectation *y)
{
    return x->holds == y->holds && same_text(x->kind, y->kind) && same_text(x->name, y->name) && same_text(x->path, y->path) &&
           same_text(x->expected, y->expected) && same_text(x->actual, y->actual) && same_text(x->text.en, y->text.en) && same_text(x->text.zh, y->text.zh);
}

void verdict_drop_repeats(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->expectations.length; i++)
        for (size_t j = verdict->expectations.length - 1; j > i; j--)
            if (says_the_same(verdict->expectations.items[i], verdict->expectations.items[j]))
                vec_remove(&verdict->expectations, j);
}

void verdict_prepend(struct verdict *verdict, struct verdict *first)
{
    struct vec all = vec_make(VERDICT_EXPECTATIONS, free_item);
    struct vec *const parts[] = {first != NULL ? &first->expectations : NULL, &verdict->expectations};
    for (size_t i = 0; i < 2; i++)
        while (parts[i] != NULL && parts[i]->length > 0)
            (void)!vec_push(&all, vec_take(parts[i], 0));
    vec_free(&verdict->expectations);
    verdict->expectations = all;
    verdict_free(first);
}

bool verdict_same(const struct verdict *a, const struct verdict *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->outcome != b->outcome || a->expectations.length != b->expectations.length || !same_text(a->error.message, b->error.message))
        return false;
    for (size_t i = 0; i < a->expectations.length; i++)
        if (!says_the_same(a->expectations.items[i], b->expectations.items[i]))
            return false;
    return true;
}
