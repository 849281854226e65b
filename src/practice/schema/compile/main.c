/* schema_compile OUT FILE...: see compile.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "practice/schema/compile/compile.h"

enum { MOST_FILE = 4 * 1024 * 1024, MOST_KEPT = 1000000 };

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("schema_compile: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static struct vec kept; /* all that was allocated */

static void *keep(void *memory)
{
    if (memory == NULL || !vec_push(&kept, memory))
        fail("no memory");
    return memory;
}

void *grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items; /* room doubles at powers of two */
    void *more = keep(mem_zero(count == 0 ? 1 : 2 * count, size));
    if (count > 0)
        memcpy(more, items, count * size);
    return more;
}

char *text_of(const char *format, ...)
{
    char room[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof room)
        fail("a text is too long: %.80s", room);
    return keep(mem_string(room));
}

char *file_text(const char *path)
{
    struct error err = ERROR_INIT;
    char *text = file_read(path, MOST_FILE, NULL, &err);
    if (text == NULL)
        fail("%s: %s", path, err.message);
    return keep(text);
}

int main(int count, char **arguments)
{
    struct tables tables = {0};
    kept = vec_make(MOST_KEPT, mem_free);
    if (count < 3)
        fail("usage: schema_compile OUT FILE...");
    for (int i = 2; i < count; i++)
        read_file(&tables, arguments[i]);
    make_nodes(&tables);
    FILE *out = fopen(arguments[1], "w");
    if (out == NULL)
        fail("cannot write %s", arguments[1]);
    emit(&tables, out);
    if (fclose(out) != 0)
        fail("cannot write %s", arguments[1]);
    vec_free(&kept);
    return 0;
}
