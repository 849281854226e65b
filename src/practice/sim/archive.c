#include "practice/sim/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/fs_internal.h"

/* The fields of a header: where, how many bytes. */
enum { NAME = 0, MODE = 100, UID = 108, GID = 116, SIZE = 124, TIME = 136, SUM = 148, TYPE = 156, LINK = 157, MAGIC = 257, PREFIX = 345, NAME_LENGTH = 100, PREFIX_LENGTH = 155 };

static unsigned checksum(const unsigned char *block)
{
    unsigned sum = 0;
    for (int i = 0; i < ARCHIVE_BLOCK; i++)
        sum += i >= SUM && i < SUM + 8 ? ' ' : block[i];
    return sum;
}

static int64_t number(const char *field, size_t length)
{
    if ((unsigned char)field[0] & 0x80) { /* binary, for what octal digits cannot hold */
        int64_t value = 0;
        for (size_t i = length > 8 ? length - 8 : 1; i < length; i++)
            value = (int64_t)((uint64_t)value << 8 | (unsigned char)field[i]);
        return value;
    }
    char text[16];
    memcpy(text, field, length);
    text[length] = '\0';
    return strtoll(text, NULL, 8);
}

/* The content of a header about the next entry, as a string. False: too long, or cut off. */
static bool read_text(const struct archive_source *source, int64_t size, char *out, size_t room)
{
    char padding[ARCHIVE_BLOCK];
    if (size < 0 || (size_t)size >= room || !source->read(source->data, out, (size_t)size))
        return false;
    out[size] = '\0';
    return source->read(source->data, padding, archive_padding(size));
}

/* "27 path=some/long/name\n" records. */
static void read_pax(char *text, struct archive_entry *entry, bool *path, bool *link)
{
    while (*text) {
        char *value, *end = strchr(text, '\n');
        size_t length = (size_t)strtoul(text, &value, 10);
        if (!end || length == 0 || *value != ' ')
            return;
        char *equals = strchr(value, '=');
        *end = '\0';
        if (equals && strncmp(value + 1, "path=", 5) == 0) {
            snprintf(entry->path, sizeof entry->path, "%s", equals + 1);
            *path = true;
        } else if (equals && strncmp(value + 1, "linkpath=", 9) == 0) {
            snprintf(entry->link, sizeof entry->link, "%s", equals + 1);
            *link = true;
        }
        text = end + 1;
    }
}

static void read_names(const char *block, struct archive_entry *entry, bool path, bool link)
{
    if (!path && block[PREFIX] && memcmp(block + MAGIC, "ustar\0", 6) == 0)
        snprintf(entry->path, sizeof entry->path, "%.*s/%.*s", PREFIX_LENGTH, block + PREFIX, NAME_LENGTH, block + NAME);
    else if (!path)
        snprintf(entry->path, sizeof entry->path, "%.*s", NAME_LENGTH, block + NAME);
    if (!link)
        snprintf(entry->link, sizeof entry->link, "%.*s", NAME_LENGTH, block + LINK);
}

int archive_next(const struct archive_source *source, struct archive_entry *entry)
{
    char block[ARCHIVE_BLOCK];
    bool path = false, link = false;
    memset(entry, 0, sizeof *entry);
    for (int extra = 0; extra < 8; extra++) {
        if (!source->read(source->data, block, sizeof block))
            return -1;
        if (block[0] == '\0')
            return 0;
        if (checksum((const unsigned char *)block) != (unsigned)number(block + SUM, 8))
            return -1;
        int64_t size = number(block + SIZE, 12);
        char type = block[TYPE];
        char text[FS_PATH + 512];
        if (size < 0)
            return -1;
        if (type == 'L' || type == 'K') {
            if (!read_text(source, size, type == 'L' ? entry->path : entry->link, FS_PATH))
                return -1;
            *(type == 'L' ? &path : &link) = true;
        } else if (type == 'x' && (size_t)size < sizeof text) {
            if (!read_text(source, size, text, sizeof text))
                return -1;
            read_pax(text, entry, &path, &link);
        } else if (type == 'g' || type == 'x') {
            if (!archive_skip(source, size))
                return -1;
        } else {
            read_names(block, entry, path, link);
            entry->type = type == '\0' || type == '7' ? '0' : type;
            entry->mode = (unsigned)number(block + MODE, 8) & 07777;
            entry->uid = (uint32_t)number(block + UID, 8);
            entry->gid = (uint32_t)number(block + GID, 8);
            entry->size = type == '1' || type == '2' || type == '5' ? 0 : size;
            entry->time_s = number(block + TIME, 12);
            return 1;
        }
    }
    return -1;
}

bool archive_skip(const struct archive_source *source, int64_t bytes)
{
    char block[ARCHIVE_BLOCK];
    for (bytes += (int64_t)archive_padding(bytes); bytes > 0; bytes -= ARCHIVE_BLOCK)
        if (!source->read(source->data, block, sizeof block))
            return false;
    return true;
}

static void put_header(const struct archive_entry *entry, const char *name, int64_t size, char type, struct buf *out)
{
    char block[ARCHIVE_BLOCK] = "";
    memcpy(block + NAME, name, strnlen(name, NAME_LENGTH)); /* not ended where it fills the field */
    snprintf(block + MODE, 8, "%07o", entry->mode & 07777);
    snprintf(block + UID, 8, "%07o", entry->uid & 07777777);
    snprintf(block + GID, 8, "%07o", entry->gid & 07777777);
    snprintf(block + SIZE, 12, "%011llo", (unsigned long long)size & 077777777777ULL);
    snprintf(block + TIME, 12, "%011llo", (unsigned long long)entry->time_s & 077777777777ULL);
    block[TYPE] = type;
    memcpy(block + LINK, entry->link, strnlen(entry->link, NAME_LENGTH));
    memcpy(block + MAGIC, "ustar  ", 8);
    snprintf(block + SUM, 8, "%06o", checksum((const unsigned char *)block) & 0777777);
    block[SUM + 7] = ' ';
    buf_append(out, block, sizeof block);
}

static void put_long(const struct archive_entry *entry, const char *text, char type, struct buf *out)
{
    static const char zeros[ARCHIVE_BLOCK];
    size_t length = strlen(text) + 1;
    struct archive_entry plain = {.time_s = entry->time_s};
    put_header(&plain, "././@LongLink", (int64_t)length, type, out);
    buf_append(out, text, length);
    buf_append(out, zeros, archive_padding((int64_t)length));
}

void archive_header(const struct archive_entry *entry, struct buf *out)
{
    if (strlen(entry->link) > NAME_LENGTH)
        put_long(entry, entry->link, 'K', out);
    if (strlen(entry->path) > NAME_LENGTH)
        put_long(entry, entry->path, 'L', out);
    put_header(entry, entry->path, entry->size, entry->type, out);
}

/* ---- whole trees ---- */

static void pack_node(const struct fs_node *node, const char *path, struct buf *out)
{
    struct archive_entry *entry = mem_zero(1, sizeof *entry);
    if (!entry) {
        buf_fail(out);
        return;
    }
    snprintf(entry->path, sizeof entry->path, "%s%s", path, S_ISDIR(node->mode) ? "/" : "");
    entry->mode = node->mode & 07777;
    entry->uid = node->uid;
    entry->gid = node->gid;
    entry->time_s = node->time_ms / 1000;
    entry->type = S_ISDIR(node->mode) ? '5' : S_ISLNK(node->mode) ? '2' : '0';
    if (S_ISLNK(node->mode))
        snprintf(entry->link, sizeof entry->link, "%s", node->as.link.target);
    /* zeros at a file's end are not stored: what a volume holds fits into its limit */
    if (S_ISREG(node->mode))
        entry->size = (int64_t)node->as.file.stored;
    archive_header(entry, out);
    if (S_ISREG(node->mode)) {
        static const char zeros[ARCHIVE_BLOCK];
        buf_append(out, node->as.file.bytes ? node->as.file.bytes : "", node->as.file.stored);
        buf_append(out, zeros, archive_padding(entry->size));
    }
    for (size_t i = 0; S_ISDIR(node->mode) && i < node->as.folder.count; i++) {
        const struct fs_entry *child = &node->as.folder.entries[i];
        char *below = child->node ? mem_printf("%s/%s", path, child->name) : NULL;
        if (below)
            pack_node(child->node, below, out);
        mem_free(below);
    }
    mem_free(entry);
}

bool archive_pack(struct fs_tree *tree, struct buf *out, struct error *err)
{
    static const char end[2 * ARCHIVE_BLOCK];
    pack_node(tree->root, ".", out);
    buf_append(out, end, sizeof end);
    return buf_ok(out) || error_memory(err);
}

struct memory_source {
    const char *at;
    size_t left;
};

static bool read_memory(void *data, void *bytes, size_t length)
{
    struct memory_source *memory = data;
    if (length > memory->left)
        return false;
    memcpy(bytes, memory->at, length);
    memory->at += length;
    memory->left -= length;
    return true;
}

bool archive_unpack(struct fs_tree *tree, const void *bytes, size_t length, struct error *err)
{
    struct memory_source memory = {bytes, length};
    struct archive_source source = {read_memory, &memory};
    struct archive_entry *entry = mem_alloc(sizeof *entry);
    int got = -1;
    bool ok = entry != NULL;
    while (ok && (got = archive_next(&source, entry)) == 1) {
        struct fs_put put = {.mode = entry->mode, .uid = entry->uid, .gid = entry->gid, .time_ms = entry->time_s * 1000};
        const char *path = entry->path + (entry->path[0] == '.' && entry->path[1] == '/' ? 2 : 0);
        if ((uint64_t)entry->size > memory.left)
            got = -1;
        if (got != 1)
            break;
        if (!*path)
            tree->root->mode = S_IFDIR | entry->mode;
        else if (entry->type == '5')
            ok = fs_put_folder(tree, path, put);
        else if (entry->type == '2')
            ok = fs_put_symlink(tree, path, entry->link, put);
        else if (entry->type == '0')
            ok = fs_put_file(tree, path, memory.at, (size_t)entry->size, put);
        if (!archive_skip(&source, entry->size))
            got = -1;
    }
    mem_free(entry);
    if (!ok)
        return error_memory(err);
    return got == 0 || error_set(err, ERROR_INPUT, "", "the archive is damaged");
}
