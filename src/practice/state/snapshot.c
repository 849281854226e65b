#include "practice/state/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static const char magic[] = "kubetutor state\n";

enum { MAGIC = sizeof magic - 1, NUMBER = 8 };

/* The numbers before an object's tail. */
enum { RESOURCE, VERSION, FLAGS, MARK, GAP, NS, NAME, UID, LABELS, HAS_FIELDS, FIELDS, TEXT, SNAPSHOT_NUMBERS };

/* Against damage, not against people. The same bytes in other pieces give another sum: both sides must cut alike. */
static uint64_t add_to_sum(uint64_t sum, const void *bytes, size_t length)
{
    const char *at = bytes;
    for (sum ^= length * 0x9e3779b97f4a7c15u; length > 0;) {
        uint64_t word = 0;
        size_t some = length < NUMBER ? length : NUMBER;
        memcpy(&word, at, some);
        sum = (sum ^ word) * 0xd6e8feb86659fd93u;
        sum ^= sum >> 32;
        at += some;
        length -= some;
    }
    return sum;
}

static void put_number(unsigned char *to, uint64_t number)
{
    for (int i = 0; i < NUMBER; i++)
        to[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t get_number(const unsigned char *from)
{
    uint64_t number = 0;
    for (int i = NUMBER; i-- > 0;)
        number = number << 8 | from[i];
    return number;
}

/* ---- writing; whether all went well is asked at the end */

struct writer {
    FILE *file;
    uint64_t sum;
};

static void write_bytes(struct writer *writer, const void *bytes, size_t length)
{
    writer->sum = add_to_sum(writer->sum, bytes, length);
    fwrite(bytes, 1, length, writer->file);
}

static void write_numbers(struct writer *writer, const uint64_t *numbers, size_t count)
{
    unsigned char bytes[SNAPSHOT_NUMBERS * NUMBER];
    for (size_t i = 0; i < count; i++)
        put_number(bytes + i * NUMBER, numbers[i]);
    write_bytes(writer, bytes, count * NUMBER);
}

static void write_object(struct writer *writer, const struct object *object)
{
    const uint64_t numbers[SNAPSHOT_NUMBERS] = {
        [RESOURCE] = object->resource,
        [VERSION] = object->version,
        [FLAGS] = object->flags,
        [MARK] = (uint64_t)object->time_ms,
        [GAP] = object->gap,
        [NS] = (uint64_t)(object->name - object->ns - 1),
        [NAME] = (uint64_t)(object->uid - object->name - 1),
        [UID] = (uint64_t)(object->labels - object->uid - 1),
        [LABELS] = object_labels_length(object),
        [HAS_FIELDS] = object->fields != NULL,
        [FIELDS] = object_fields_length(object),
        [TEXT] = object->length,
    };
    write_numbers(writer, numbers, SNAPSHOT_NUMBERS);
    write_bytes(writer, object->ns, (size_t)(object->text + object->length - object->ns));
}

static bool write_all(FILE *file, const struct snapshot *snapshot)
{
    struct writer writer = {.file = file};
    const uint64_t head[] = {SNAPSHOT_FORMAT, snapshot->version, snapshot->name_count, snapshot->object_count};
    write_bytes(&writer, magic, MAGIC);
    write_numbers(&writer, head, 1);
    write_numbers(&writer, head + 1, sizeof head / sizeof *head - 1);
    for (size_t i = 0; i < snapshot->name_count; i++) {
        const char *name = snapshot->names[i] != NULL ? snapshot->names[i] : "";
        uint64_t length = strlen(name);
        write_numbers(&writer, &length, 1);
        write_bytes(&writer, name, length);
    }
    for (size_t i = 0; i < snapshot->object_count; i++)
        write_object(&writer, snapshot->objects[i]);
    uint64_t sum = writer.sum;
    write_numbers(&writer, &sum, 1);
    return fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
}

bool snapshot_write(const char *path, const struct snapshot *snapshot, struct error *err)
{
    char *temporary = mem_printf("%s.XXXXXX", path);
    if (temporary == NULL)
        return error_memory(err);
    int fd = mkostemp(temporary, O_CLOEXEC), failure = errno;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool ok = file != NULL;
    if (ok) {
        ok = write_all(file, snapshot);
        failure = errno;
        if (fclose(file) != 0 && ok) {
            ok = false;
            failure = errno;
        }
    } else if (fd >= 0) {
        close(fd);
    }
    if (ok && rename(temporary, path) != 0) {
        ok = false;
        failure = errno;
    }
    if (!ok) {
        if (fd >= 0)
            unlink(temporary);
        file_error(err, failure, "write", path);
    }
    mem_free(temporary);
    return ok;
}

/* ---- reading */

struct source {
    FILE *file;
    const char *path;
    uint64_t left, sum; /* bytes of the file that are still to come */
    state_resource *numbers;
    size_t name_count;
    const struct snapshot_reader *reader;
};

static bool damaged(const struct source *source, struct error *err)
{
    return error_set(err, ERROR_INPUT, source->path, "%s is no saved state, or damaged", source->path);
}

static bool read_bytes(struct source *source, void *bytes, size_t length)
{
    if (length > source->left || fread(bytes, 1, length, source->file) != length)
        return false;
    source->left -= length;
    source->sum = add_to_sum(source->sum, bytes, length);
    return true;
}

static bool read_numbers(struct source *source, uint64_t *numbers, size_t count)
{
    unsigned char bytes[SNAPSHOT_NUMBERS * NUMBER];
    if (!read_bytes(source, bytes, count * NUMBER))
        return false;
    for (size_t i = 0; i < count; i++)
        numbers[i] = get_number(bytes + i * NUMBER);
    return true;
}

static bool read_name(struct source *source, state_resource *number, struct error *err)
{
    uint64_t length;
    if (!read_numbers(source, &length, 1) || length > OBJECT_NAME || length > source->left)
        return damaged(source, err);
    char *name = mem_alloc(length + 1);
    if (name == NULL)
        return error_memory(err);
    bool ok = read_bytes(source, name, length) && memchr(name, '\0', length) == NULL;
    name[length] = '\0';
    if (!ok)
        damaged(source, err);
    else if (length > 0) /* an empty one: no object has it */
        ok = (*number = source->reader->resource(source->reader->data, name)) != 0 || error_memory(err);
    mem_free(name);
    return ok;
}

/* The lengths and what they add up to make sense; the rest is for object_settle. */
static bool numbers_fit(const struct source *source, const uint64_t *numbers)
{
    uint64_t tail = 3;
    for (int i = NS; i <= TEXT; i++) {
        if (numbers[i] > (i < LABELS ? (uint64_t)OBJECT_NAME : i == TEXT ? (uint64_t)STATE_OBJECT : (uint64_t)OBJECT_INDEX))
            return false;
        tail += i != HAS_FIELDS ? numbers[i] : 0;
    }
    return tail <= source->left && numbers[RESOURCE] >= 1 && numbers[RESOURCE] <= source->name_count && source->numbers[numbers[RESOURCE] - 1] != 0 &&
           numbers[NAME] > 0 && numbers[TEXT] > 0 && numbers[HAS_FIELDS] <= 1 && (numbers[HAS_FIELDS] == 1 || numbers[FIELDS] == 0) &&
           numbers[FLAGS] <= UINT32_MAX && numbers[GAP] <= numbers[TEXT];
}

static bool read_object(struct source *source, struct error *err)
{
    uint64_t numbers[SNAPSHOT_NUMBERS];
    if (!read_numbers(source, numbers, SNAPSHOT_NUMBERS) || !numbers_fit(source, numbers))
        return damaged(source, err);
    struct object_sizes sizes = {.ns = numbers[NS], .name = numbers[NAME], .uid = numbers[UID], .labels = numbers[LABELS], .fields = numbers[FIELDS],
                                 .text = numbers[TEXT], .has_fields = numbers[HAS_FIELDS] == 1};
    struct object *object = object_room(&sizes);
    if (object == NULL)
        return error_memory(err);
    object->resource = source->numbers[numbers[RESOURCE] - 1];
    object->version = numbers[VERSION];
    object->flags = (uint32_t)numbers[FLAGS];
    object->time_ms = (int64_t)numbers[MARK];
    object->gap = numbers[GAP];
    char *tail = (char *)(object + 1);
    if (read_bytes(source, tail, (size_t)(object->text + object->length - tail)) && object_settle(object, &sizes))
        return source->reader->object(source->reader->data, object, err);
    object_unref(object);
    return damaged(source, err);
}

static bool read_body(struct source *source, uint64_t objects, struct error *err)
{
    const struct snapshot_reader *reader = source->reader;
    bool ok = true;
    for (size_t i = 0; i < source->name_count && ok; i++)
        ok = read_name(source, &source->numbers[i], err);
    ok = ok && reader->names(reader->data, err);
    for (uint64_t i = 0; i < objects && ok; i++)
        ok = read_object(source, err);
    uint64_t expected = source->sum, sum = 0;
    return ok && ((read_numbers(source, &sum, 1) && sum == expected && source->left == 0) || damaged(source, err));
}

bool snapshot_read(FILE *file, uint64_t size, const char *path, const struct snapshot_reader *reader, struct error *err)
{
    enum { FORMAT, NEWEST, NAMES, OBJECTS, HEAD };
    struct source source = {.file = file, .path = path, .left = size, .reader = reader};
    char start[MAGIC];
    uint64_t head[HEAD];
    if (!read_bytes(&source, start, MAGIC) || memcmp(start, magic, MAGIC) != 0 || !read_numbers(&source, head, 1))
        return damaged(&source, err);
    if (head[FORMAT] > SNAPSHOT_FORMAT) /* nothing behind it is known */
        return error_set(err, ERROR_INVALID, path, "%s was saved by a newer kubetutor (format %llu, this one knows up to %d)", path,
                         (unsigned long long)head[FORMAT], SNAPSHOT_FORMAT);
    if (!read_numbers(&source, head + 1, HEAD - 1) || head[NAMES] > STATE_RESOURCES || head[NEWEST] > INT64_MAX / 2)
        return damaged(&source, err);
    source.name_count = (size_t)head[NAMES];
    source.numbers = mem_zero(source.name_count, sizeof *source.numbers);
    if (source.numbers == NULL)
        return error_memory(err);
    bool ok = reader->start(reader->data, head[NEWEST], err) && read_body(&source, head[OBJECTS], err);
    mem_free(source.numbers);
    return ok;
}
