#include "lesson/text.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/path.h"
#include "data/value.h"

enum { TEXT_MAXIMUM = 256 << 10, TEXT_STEPS = 50, TEXT_BLOCKS = 200, TEXT_ID = 64 };

static const struct {
    const char *word;
    enum block_kind kind;
    bool has_id;
} quoted[] = {
    {"hint", BLOCK_HINT, false},    {"why", BLOCK_WHY, false},       {"source", BLOCK_SOURCE, false},
    {"choice", BLOCK_CHOICE, true}, {"because", BLOCK_BECAUSE, true}, {"note", BLOCK_NOTE, false},
};

struct reading {
    struct lesson_text *text;
    struct text_step *step; /* NULL: in the opening */
    struct buf body;        /* of the block that is being read */
    enum block_kind kind;
    char id[TEXT_ID];
    bool open;              /* a fenced or quoted block, else prose */
    bool fence;
    bool plain_fence;       /* a fenced block of the prose itself */
    int line, block_line;
    const char *name;
};

static void free_block(void *item)
{
    struct text_block *block = item;
    if (block == NULL)
        return;
    mem_free(block->id);
    mem_free(block->text);
    mem_free(block);
}

static void free_step(void *item)
{
    struct text_step *step = item;
    if (step == NULL)
        return;
    mem_free(step->id);
    mem_free(step->heading);
    vec_free(&step->blocks);
    mem_free(step);
}

void lesson_text_free(struct lesson_text *text)
{
    if (text == NULL)
        return;
    mem_free(text->title);
    mem_free(text->opening);
    vec_free(&text->steps);
    mem_free(text);
}

static bool fault(const struct reading *r, struct error *err, const char *message, const char *detail)
{
    char where[192];
    snprintf(where, sizeof where, "%s:%d", r->name, r->line);
    return error_set(err, ERROR_INPUT, where, message, detail);
}

/* A copy without empty lines before and after. */
static char *trimmed(const char *bytes, size_t length)
{
    while (length > 0 && (bytes[0] == '\n' || bytes[0] == ' ')) {
        bytes++;
        length--;
    }
    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == ' '))
        length--;
    return mem_string_n(bytes, length);
}

static bool is_blank(const struct buf *buf)
{
    for (size_t i = 0; i < buf->length; i++)
        if (buf->bytes[i] != '\n' && buf->bytes[i] != ' ')
            return false;
    return true;
}

/* Ends the block that is being read and begins another of this kind. */
static bool next_block(struct reading *r, enum block_kind kind, const char *id, size_t id_length, struct error *err)
{
    bool keep = r->open || !is_blank(&r->body);
    if (!buf_ok(&r->body))
        return error_memory(err);
    if (r->step == NULL && keep) {
        r->text->opening = trimmed(r->body.bytes, r->body.length);
        if (r->text->opening == NULL)
            return error_memory(err);
    } else if (keep) {
        struct text_block *block = mem_zero(1, sizeof *block);
        if (block == NULL)
            return error_memory(err);
        block->kind = r->kind;
        block->line = r->block_line;
        block->id = mem_string(r->id);
        block->text = r->kind == BLOCK_RUN || r->kind == BLOCK_FILE ? mem_string_n(r->body.bytes != NULL ? r->body.bytes : "", r->body.length)
                                                                     : trimmed(r->body.bytes != NULL ? r->body.bytes : "", r->body.length);
        bool ok = block->id != NULL && block->text != NULL;
        if (!vec_push(&r->step->blocks, block) || !ok)
            return error_set(err, ERROR_LIMIT, r->name, "the step %s has too many blocks", r->step->id);
    }
    buf_clear(&r->body);
    r->kind = kind;
    r->block_line = r->line;
    if (id_length >= sizeof r->id)
        return fault(r, err, "the id is too long%s", "");
    memcpy(r->id, id, id_length);
    r->id[id_length] = '\0';
    return true;
}

/* "## {#id} Heading" */
static bool begin_step(struct reading *r, const char *line, size_t length, struct error *err)
{
    const char *end = line + length, *id = line + strlen("## {#");
    const char *brace = length > 5 ? memchr(id, '}', (size_t)(end - id)) : NULL;
    if (length < 6 || memcmp(line, "## {#", 5) != 0 || brace == NULL || brace == id)
        return fault(r, err, "a step's heading reads: ## {#step-id} Heading%s", "");
    if (!next_block(r, BLOCK_PROSE, "", 0, err))
        return false;
    struct text_step *step = mem_zero(1, sizeof *step);
    if (step == NULL)
        return error_memory(err);
    step->blocks = vec_make(TEXT_BLOCKS, free_block);
    step->line = r->line;
    step->id = mem_string_n(id, (size_t)(brace - id));
    step->heading = trimmed(brace + 1, (size_t)(end - brace) - 1);
    bool ok = step->id != NULL && step->heading != NULL;
    if (ok && lesson_text_step(r->text, step->id) != NULL) {
        fault(r, err, "there are two steps called %s", step->id);
        free_step(step);
        return false;
    }
    if (!vec_push(&r->text->steps, step) || !ok)
        return error_set(err, ERROR_LIMIT, r->name, "the lesson has too many steps");
    r->step = step;
    r->open = false;
    return true;
}

/* ```sh run, ```yaml file=NAME: blocks of ours; any other fence is prose. */
static bool begin_fence(struct reading *r, const char *line, size_t length, bool *ours, struct error *err)
{
    static const char run[] = "```sh run";
    const char *file = NULL;
    for (size_t i = 3; i + 6 <= length && file == NULL; i++)
        if (memcmp(line + i, " file=", 6) == 0)
            file = line + i + 6;
    *ours = r->step != NULL && ((length >= sizeof run - 1 && memcmp(line, run, sizeof run - 1) == 0) || file != NULL);
    if (!*ours)
        return true;
    size_t id_length = file != NULL ? (size_t)(line + length - file) : 0;
    if (!next_block(r, file != NULL ? BLOCK_FILE : BLOCK_RUN, file != NULL ? file : "", id_length, err))
        return false;
    r->open = r->fence = true;
    return true;
}

/* "> hint", "> choice ID": begins a block; false in *ours for any other quoted line. */
static bool begin_quoted(struct reading *r, const char *line, size_t length, bool *ours, struct error *err)
{
    const char *word = line + 1, *end = line + length;
    while (word < end && *word == ' ')
        word++;
    size_t word_length = 0;
    while (word + word_length < end && word[word_length] != ' ')
        word_length++;
    *ours = false;
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted && r->step != NULL; i++) {
        if (strlen(quoted[i].word) != word_length || memcmp(quoted[i].word, word, word_length) != 0)
            continue;
        const char *id = word + word_length;
        while (id < end && *id == ' ')
            id++;
        if ((id < end) != quoted[i].has_id || memchr(id, ' ', (size_t)(end - id)) != NULL)
            return true; /* a sentence that begins with the word */
        *ours = true;
        if (!next_block(r, quoted[i].kind, id, (size_t)(end - id), err))
            return false;
        r->open = true;
        r->fence = false;
        return true;
    }
    return true;
}

static bool read_line(struct reading *r, const char *line, size_t length, struct error *err)
{
    bool fence = length >= 3 && memcmp(line, "```", 3) == 0, ours = false;
    if (r->open && r->fence) { /* inside a fenced block of ours */
        if (fence) {
            r->fence = false;
            if (!next_block(r, BLOCK_PROSE, "", 0, err))
                return false;
            r->open = false;
            return true;
        }
        buf_append(&r->body, line, length);
        buf_append_string(&r->body, "\n");
        return true;
    }
    if (r->plain_fence || fence) {
        if (fence && !r->plain_fence && !begin_fence(r, line, length, &ours, err))
            return false;
        if (ours)
            return true;
        if (fence)
            r->plain_fence = !r->plain_fence;
    } else if (length > 0 && line[0] == '>') {
        if (!begin_quoted(r, line, length, &ours, err))
            return false;
        if (ours)
            return true;
        if (r->open) { /* goes on with the quoted block */
            size_t skip = length > 1 && line[1] == ' ' ? 2 : 1;
            line += skip;
            length -= skip;
        }
    } else {
        if (r->open) { /* the first unquoted line ends a quoted block */
            if (!next_block(r, BLOCK_PROSE, "", 0, err))
                return false;
            r->open = false;
        }
        if (length >= 3 && memcmp(line, "## ", 3) == 0)
            return begin_step(r, line, length, err);
        if (r->text->title == NULL && length > 2 && memcmp(line, "# ", 2) == 0) {
            r->text->title = trimmed(line + 2, length - 2);
            return r->text->title != NULL || error_memory(err);
        }
        if (r->text->title == NULL && length > 0)
            return fault(r, err, "the text begins with its title: # Title%s", "");
    }
    buf_append(&r->body, line, length);
    buf_append_string(&r->body, "\n");
    return true;
}

static bool read_all(struct reading *r, const char *text, size_t length, struct error *err)
{
    const char *end = text + length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t size = newline != NULL ? (size_t)(newline - text) : (size_t)(end - text);
        size_t without_cr = size > 0 && text[size - 1] == '\r' ? size - 1 : size;
        r->line++;
        if (memchr(text, '\0', size) != NULL)
            return fault(r, err, "the text holds a NUL byte%s", "");
        if (!read_line(r, text, without_cr, err))
            return false;
        text += size + (newline != NULL);
    }
    if ((r->open && r->fence) || r->plain_fence)
        return fault(r, err, "a ``` block is not closed%s", "");
    if (!next_block(r, BLOCK_PROSE, "", 0, err))
        return false;
    if (r->text->title == NULL)
        return fault(r, err, "the text has no title: # Title%s", "");
    if (r->text->steps.length == 0)
        return fault(r, err, "the text has no steps: ## {#step-id} Heading%s", "");
    if (r->text->opening == NULL)
        r->text->opening = mem_string("");
    return r->text->opening != NULL || error_memory(err);
}

struct lesson_text *lesson_text_parse(const char *text, size_t length, const char *name, struct error *err)
{
    struct reading r = {.name = name, .body = buf_make(TEXT_MAXIMUM + 1)};
    if (length > TEXT_MAXIMUM) {
        error_set(err, ERROR_LIMIT, name, "the text is larger than %d KiB", TEXT_MAXIMUM >> 10);
        return NULL;
    }
    r.text = mem_zero(1, sizeof *r.text);
    if (r.text == NULL) {
        error_memory(err);
        return NULL;
    }
    r.text->steps = vec_make(TEXT_STEPS, free_step);
    bool ok = read_all(&r, text, length, err);
    buf_free(&r.body);
    if (ok)
        return r.text;
    lesson_text_free(r.text);
    return NULL;
}

const struct text_step *lesson_text_step(const struct lesson_text *text, const char *id)
{
    for (size_t i = 0; i < text->steps.length; i++)
        if (strcmp(((const struct text_step *)text->steps.items[i])->id, id) == 0)
            return text->steps.items[i];
    return NULL;
}

const struct text_block *text_step_block(const struct text_step *step, enum block_kind kind, const char *id, size_t nth)
{
    for (size_t i = 0; i < step->blocks.length; i++) {
        const struct text_block *block = step->blocks.items[i];
        if (block->kind == kind && (id == NULL || strcmp(block->id, id) == 0) && nth-- == 0)
            return block;
    }
    return NULL;
}

/* Appends what a name stands for; false: unknown. */
static bool append_value(struct buf *out, const char *name, const struct value *state)
{
    struct value *found = NULL;
    int64_t number;
    if (!path_find(state, name, &found, NULL) || found == NULL)
        return false;
    if (value_text(found) != NULL)
        buf_append_string(out, value_text(found));
    else if (value_as_int(found, &number))
        buf_printf(out, "%lld", (long long)number);
    else
        return false;
    return true;
}

char *lesson_fill(const char *text, const struct value *state)
{
    struct buf out = buf_make(TEXT_MAXIMUM * 2);
    for (;;) {
        const char *open = strstr(text, "{{"), *close = open != NULL ? strstr(open, "}}") : NULL;
        char name[TEXT_ID];
        if (close == NULL)
            break;
        size_t length = (size_t)(close - open) - 2;
        buf_append(&out, text, (size_t)(open - text));
        if (length < sizeof name)
            memcpy(name, open + 2, length);
        name[length < sizeof name ? length : 0] = '\0';
        if (name[0] == '\0' || !append_value(&out, name, state))
            buf_append(&out, open, length + 4);
        text = close + 2;
    }
    buf_append_string(&out, text);
    return buf_take(&out, NULL);
}
