#include "data/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/utf8.h"

enum {
    PATTERN_LENGTH = 64 * 1024,  /* bytes of an expression */
    MATCH_LIMIT = 1000000,       /* pcre2's own count of steps, from one starting place */
    DEPTH_LIMIT = 100000,        /* nested backtracking points */
    HEAP_LIMIT = 16 * 1024,      /* KiB for them */
    WORK_LIMIT = 20 * 1000 * 1000 /* items tried and bytes passed over in one search: some tenths of a second */
};

struct pattern {
    pcre2_general_context *general;
    pcre2_match_context *limits;
    pcre2_code *code;
    pcre2_match_data *match; /* used by one search at a time */
    bool utf;
};

static void *allocate(size_t size, void *unused)
{
    (void)unused;
    return mem_alloc(size);
}

static void release(void *memory, void *unused)
{
    (void)unused;
    mem_free(memory);
}

struct work {
    size_t done, position;
};

/* pcre2 asks before each item of the pattern. Its own limits do not see what a single item runs over (a* on a megabyte, from
 * each of a million places), so the way since the last question is counted. */
static int count_work(pcre2_callout_block *block, void *data)
{
    struct work *work = data;
    work->done += 1 + (block->current_position > work->position ? block->current_position - work->position : 0);
    work->position = block->current_position;
    return work->done > WORK_LIMIT ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static bool make(struct pattern *p, const char *expression, size_t length, uint32_t options, struct error *err)
{
    int code = 0;
    PCRE2_SIZE offset = 0;
    p->general = pcre2_general_context_create(allocate, release, NULL);
    pcre2_compile_context *compile = p->general != NULL ? pcre2_compile_context_create(p->general) : NULL;
    if (compile == NULL)
        return error_memory(err);
    pcre2_set_max_pattern_length(compile, PATTERN_LENGTH);
    p->code = pcre2_compile((PCRE2_SPTR)expression, length, options | PCRE2_AUTO_CALLOUT, &code, &offset, compile);
    pcre2_compile_context_free(compile);
    if (p->code == NULL && code == PCRE2_ERROR_HEAP_FAILED)
        return error_memory(err);
    if (p->code == NULL) {
        char words[256];
        pcre2_get_error_message(code, (PCRE2_UCHAR *)words, sizeof words);
        return error_set(err, ERROR_INPUT, NULL, "the pattern cannot be read: %s, at character %zu", words, (size_t)offset + 1);
    }
    p->limits = pcre2_match_context_create(p->general);
    p->match = pcre2_match_data_create(PATTERN_CAPTURES, p->general);
    if (p->limits == NULL || p->match == NULL)
        return error_memory(err);
    pcre2_set_match_limit(p->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(p->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(p->limits, HEAP_LIMIT);
    return true;
}

static struct pattern *new_pattern(const char *expression, size_t length, uint32_t options, struct error *err)
{
    struct pattern *p = mem_zero(1, sizeof *p);
    if (p == NULL) {
        error_memory(err);
        return NULL;
    }
    p->utf = (options & PCRE2_UTF) != 0;
    if (!make(p, expression, length, options, err)) {
        pattern_free(p);
        return NULL;
    }
    return p;
}

struct pattern *pattern_new(const char *expression, struct error *err)
{
    return new_pattern(expression, strlen(expression), PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, err);
}

struct pattern *pattern_new_bytes(const char *expression, size_t length, bool anchored, struct error *err)
{
    return new_pattern(expression, length,
                       PCRE2_NEVER_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL | (anchored ? PCRE2_ANCHORED : 0), err);
}

void pattern_free(struct pattern *pattern)
{
    if (pattern == NULL)
        return;
    pcre2_match_data_free(pattern->match);
    pcre2_match_context_free(pattern->limits);
    pcre2_code_free(pattern->code);
    pcre2_general_context_free(pattern->general);
    mem_free(pattern);
}

/* Where a place of the original stands in the copy that utf8_repair made (back: the other way). */
static size_t translate(const char *text, size_t length, size_t place, bool back)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t original = 0, copy = 0;
    while (original < length && (back ? copy : original) < place) {
        size_t step = utf8_length(at + original, length - original);
        original += step > 0 ? step : 1;
        copy += step > 0 ? step : 3;
    }
    return back ? original : copy;
}

static enum pattern_answer fail(int code, struct error *err)
{
    char words[256];
    if (code == PCRE2_ERROR_NOMEMORY) {
        error_memory(err);
    } else if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT || code == PCRE2_ERROR_HEAPLIMIT) {
        error_set(err, ERROR_LIMIT, NULL, "the pattern takes too long on this text");
    } else {
        pcre2_get_error_message(code, (PCRE2_UCHAR *)words, sizeof words);
        error_set(err, ERROR_INPUT, NULL, "the pattern cannot be used on this text: %s", words);
    }
    return PATTERN_FAILED;
}

static void fill_spans(const struct pattern *p, int count, struct pattern_spans *spans)
{
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(p->match);
    uint32_t groups = 0;
    pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    spans->count = groups + 1 < PATTERN_CAPTURES ? groups + 1 : PATTERN_CAPTURES;
    if (count == 0)
        count = PATTERN_CAPTURES; /* more groups than there is room for */
    for (size_t i = 0; i < spans->count; i++) {
        bool set = i < (size_t)count && ends[2 * i] != PCRE2_UNSET;
        spans->at[i].start = set ? ends[2 * i] : (size_t)-1;
        spans->at[i].end = set ? ends[2 * i + 1] : (size_t)-1;
    }
}

static enum pattern_answer search_valid(const struct pattern *p, const char *subject, size_t length, size_t offset,
                                        struct pattern_spans *spans, struct error *err)
{
    struct work work = {.position = offset};
    pcre2_set_callout(p->limits, count_work, &work);
    int code = pcre2_match(p->code, (PCRE2_SPTR)subject, length, offset, PCRE2_NO_UTF_CHECK, p->match, p->limits);
    if (code == PCRE2_ERROR_NOMATCH)
        return PATTERN_NO;
    if (code < 0)
        return fail(code, err);
    if (spans != NULL)
        fill_spans(p, code, spans);
    return PATTERN_YES;
}

enum pattern_answer pattern_search(const struct pattern *pattern, const char *subject, size_t length, size_t offset,
                                   struct pattern_spans *spans, struct error *err)
{
    if (offset > length)
        return PATTERN_NO;
    if (!pattern->utf)
        return search_valid(pattern, subject, length, offset, spans, err);
    if (utf8_valid(subject, length)) {
        while (offset < length && ((unsigned char)subject[offset] & 0xC0) == 0x80)
            offset++; /* pcre2 must not begin inside a character */
        return search_valid(pattern, subject, length, offset, spans, err);
    }
    struct buf valid = buf_make(SIZE_MAX);
    enum pattern_answer answer = PATTERN_FAILED;
    utf8_repair(subject, length, &valid);
    if (buf_ok(&valid))
        answer = search_valid(pattern, valid.bytes, valid.length, translate(subject, length, offset, false), spans, err);
    else
        error_memory(err);
    for (size_t i = 0; answer == PATTERN_YES && spans != NULL && i < spans->count; i++) {
        if (spans->at[i].start == (size_t)-1)
            continue;
        spans->at[i].start = translate(subject, length, spans->at[i].start, true);
        spans->at[i].end = translate(subject, length, spans->at[i].end, true);
    }
    buf_free(&valid);
    return answer;
}
