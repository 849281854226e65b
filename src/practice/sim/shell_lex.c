/* shell_lex: the script's memory, and characters. */
#include "practice/sim/shell_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- scripts ---- */

enum { CHUNK = 4096 };

struct chunk {
    struct chunk *next;
    size_t used, room;
    _Alignas(16) char bytes[];
};
struct script {
    unsigned references;
    size_t bytes;
    struct chunk *chunks;
};

struct script *shell_script_new(void)
{
    struct script *script = mem_zero(1, sizeof *script);
    if (script)
        script->references = 1;
    return script;
}

struct script *script_ref(struct script *script)
{
    script->references++;
    return script;
}

void shell_script_free(struct script *script)
{
    if (!script || --script->references > 0)
        return;
    for (struct chunk *chunk = script->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        mem_free(chunk);
    }
    mem_free(script);
}

void *script_alloc(struct script *script, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct chunk *chunk = script->chunks;
    if (!chunk || chunk->room - chunk->used < size) {
        size_t room = size > CHUNK ? size : script->chunks ? CHUNK : CHUNK / 8 > size ? CHUNK / 8 : size;
        if (script->bytes + room > SHELL_TREE || !(chunk = mem_alloc(sizeof *chunk + room)))
            return NULL;
        *chunk = (struct chunk){.next = script->chunks, .room = room};
        script->chunks = chunk;
        script->bytes += room;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += size;
    return memset(memory, 0, size);
}

/* ---- for the parser ---- */

void lex_fail(struct parser *parser, const char *format, ...)
{
    if (parser->failed)
        return;
    parser->failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->source->error, sizeof parser->source->error, format, arguments);
    va_end(arguments);
}

void *lex_alloc(struct parser *parser, size_t size)
{
    void *memory = parser->failed ? NULL : script_alloc(parser->script, size);
    if (!memory)
        lex_fail(parser, "out of memory");
    return memory;
}

char *lex_string(struct parser *parser, const char *bytes, size_t length)
{
    char *copy = lex_alloc(parser, length + 1);
    if (copy)
        memcpy(copy, bytes, length);
    return copy;
}

bool lex_deeper(struct parser *parser)
{
    if (parser->depth >= SHELL_NESTING) {
        lex_fail(parser, "syntax error: nested too deep");
        return false;
    }
    parser->depth++;
    return true;
}

static bool have(struct shell_source *source, size_t at)
{
    while (at >= source->text.length)
        if (!source->more || !source->more(source->data, &source->text, true))
            return false;
    return true;
}

int lex_peek_at(struct parser *parser, size_t n)
{
    struct shell_source *source = parser->source;
    return have(source, source->at + n) ? (unsigned char)source->text.bytes[source->at + n] : PARSER_END;
}

int lex_peek(struct parser *parser)
{
    return lex_peek_at(parser, 0);
}

int lex_get(struct parser *parser)
{
    int next = lex_peek(parser);
    if (next != PARSER_END)
        parser->source->at++;
    parser->source->line += next == '\n';
    return next;
}
