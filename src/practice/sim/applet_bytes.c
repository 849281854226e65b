/* applet_bytes: base64, sums, dd, hexdump. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "net/crypto.h"
#include "practice/sim/applet.h"
#include "practice/sim/programs.h"

enum { WHOLE = 32 << 20 };

/* ---- base64 ---- */

static int base64_main(struct task *task, int argc, char **argv)
{
    static const struct applet_long longs[] = {{"decode", false, 'd'}, {"wrap", true, 'w'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    bool decode = false;
    int64_t wrap = 76;
    for (int letter; (letter = applet_option(task, argc, argv, "dw:i", &options)) != -1;) {
        if (letter == '?' || (letter == 'w' && !applet_number(options.value, &wrap)))
            return 1;
        decode = decode || letter == 'd';
    }
    int fd = options.index < argc ? applet_open(task, argv[options.index]) : 0;
    struct buf all;
    if (fd < 0 || !applet_slurp(task, fd, WHOLE, &all))
        return 1;
    int status = 0;
    if (decode) {
        struct buf packed = buf_make(WHOLE);
        for (size_t i = 0; i < all.length; i++)
            if (!isspace((unsigned char)all.bytes[i]))
                buf_append(&packed, all.bytes + i, 1);
        size_t length = 0;
        char *bytes = base64_decode(packed.bytes ? packed.bytes : "", packed.length, &length);
        if (bytes)
            applet_write(task, bytes, length);
        else
            status = packed.length % 4 ? applet_say(task, "truncated input") : 0;
        mem_free(bytes);
        buf_free(&packed);
    } else {
        char *text = base64_encode(all.bytes ? all.bytes : "", all.length);
        size_t length = text ? strlen(text) : 0;
        for (size_t i = 0; i < length; i += wrap > 0 ? (size_t)wrap : length) {
            size_t piece = wrap > 0 && length - i > (size_t)wrap ? (size_t)wrap : length - i;
            applet_write(task, text + i, piece);
            if (wrap > 0)
                applet_write(task, "\n", 1);
        }
        mem_free(text);
    }
    buf_free(&all);
    return status;
}

/* ---- sums ---- */

/* RFC 1321. */
static void md5(const unsigned char *bytes, size_t length, unsigned char out[static 16])
{
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
    static const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    size_t blocks = (length + 8) / 64 + 1;
    for (size_t block = 0; block < blocks; block++) {
        unsigned char chunk[64];
        for (size_t i = 0; i < 64; i++) {
            size_t at = block * 64 + i;
            chunk[i] = at < length ? bytes[at] : at == length ? 0x80 : 0;
            if (block == blocks - 1 && i >= 56)
                chunk[i] = (unsigned char)((uint64_t)length * 8 >> 8 * (i - 56));
        }
        uint32_t words[16], a = state[0], b = state[1], c = state[2], d = state[3];
        for (int i = 0; i < 16; i++)
            words[i] = (uint32_t)chunk[4 * i] | (uint32_t)chunk[4 * i + 1] << 8 | (uint32_t)chunk[4 * i + 2] << 16 | (uint32_t)chunk[4 * i + 3] << 24;
        for (int i = 0; i < 64; i++) {
            int round = i / 16, index = round == 0 ? i : round == 1 ? (5 * i + 1) % 16 : round == 2 ? (3 * i + 5) % 16 : 7 * i % 16;
            uint32_t mixed = round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
            mixed += a + sines[i] + words[index];
            a = d;
            d = c;
            c = b;
            b += mixed << turns[round][i % 4] | mixed >> (32 - turns[round][i % 4]);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
    for (int i = 0; i < 16; i++)
        out[i] = (unsigned char)(state[i / 4] >> 8 * (i % 4));
}

static bool sum_of(struct task *task, const char *path, bool is_md5, char hex[static 65])
{
    unsigned char digest[32];
    struct buf all;
    int fd = strcmp(path, "-") == 0 ? 0 : task_open(task, path, O_RDONLY, 0);
    if (fd < 0) {
        applet_say(task, "can't open '%s': %s", path, applet_errno(fd));
        return false;
    }
    bool ok = applet_slurp(task, fd, WHOLE, &all);
    if (fd > 0)
        task_close(task, fd);
    if (ok && is_md5)
        md5((const unsigned char *)(all.bytes ? all.bytes : ""), all.length, digest);
    else if (ok)
        crypto_sha256(all.bytes ? all.bytes : "", all.length, digest);
    for (int i = 0; ok && i < (is_md5 ? 16 : 32); i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    buf_free(&all);
    return ok;
}

static int check_sums(struct task *task, int fd, bool is_md5)
{
    struct applet_lines lines = {.fd = fd};
    const char *line;
    size_t length;
    int failed = 0, all = 0;
    while (applet_line(task, &lines, &line, &length)) {
        char hex[65], path[FS_PATH];
        size_t digits = is_md5 ? 32 : 64;
        length -= line[length - 1] == '\n';
        if (length < digits + 3 || length - digits - 2 >= sizeof path)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)(length - digits - 2), line + digits + 2);
        bool ok = sum_of(task, path, is_md5, hex) && strncmp(hex, line, digits) == 0;
        failed += !ok;
        all++;
        applet_print(task, "%s: %s\n", path, ok ? "OK" : "FAILED");
    }
    applet_lines_free(&lines);
    return failed > 0 ? applet_say(task, "WARNING: %d of %d computed checksums did NOT match", failed, all) : 0;
}

static int sum_main(struct task *task, int argc, char **argv)
{
    bool is_md5 = strcmp(applet_base_name(argv[0]), "md5sum") == 0, check = false;
    struct applet_options options = {0};
    int status = 0;
    for (int letter; (letter = applet_option(task, argc, argv, "csw", &options)) != -1;) {
        if (letter == '?')
            return 1;
        check = check || letter == 'c';
    }
    for (int i = options.index; i < argc || i == options.index; i++) {
        const char *path = i < argc ? argv[i] : "-";
        char hex[65];
        int fd = check ? applet_open(task, path) : -1;
        if (check)
            status = fd < 0 || check_sums(task, fd, is_md5) != 0 ? 1 : status;
        else if (sum_of(task, path, is_md5, hex))
            applet_print(task, "%s  %s\n", hex, path);
        else
            status = 1;
    }
    return status;
}

/* ---- dd ---- */

static int dd_main(struct task *task, int argc, char **argv)
{
    const char *in = NULL, *out = NULL;
    int64_t block = 512, count = -1, skip = 0, seek = 0;
    bool truncate = true, quiet = false;
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        bool ok = value != NULL;
        value = value ? value + 1 : "";
        if (strncmp(argv[i], "if=", 3) == 0)
            in = value;
        else if (strncmp(argv[i], "of=", 3) == 0)
            out = value;
        else if (strncmp(argv[i], "bs=", 3) == 0 || strncmp(argv[i], "ibs=", 4) == 0 || strncmp(argv[i], "obs=", 4) == 0)
            ok = applet_size(value, &block) && block > 0;
        else if (strncmp(argv[i], "count=", 6) == 0)
            ok = applet_size(value, &count);
        else if (strncmp(argv[i], "skip=", 5) == 0)
            ok = applet_size(value, &skip);
        else if (strncmp(argv[i], "seek=", 5) == 0)
            ok = applet_size(value, &seek);
        else if (strncmp(argv[i], "conv=", 5) == 0)
            truncate = !strstr(value, "notrunc");
        else if (strncmp(argv[i], "status=", 7) == 0)
            quiet = strcmp(value, "none") == 0;
        if (!ok)
            return applet_say(task, "invalid argument '%s'", argv[i]);
    }
    int from = in ? applet_open(task, in) : 0, to = out ? task_open(task, out, O_WRONLY | O_CREAT | (truncate && seek == 0 ? O_TRUNC : 0), 0666) : 1;
    if (from < 0)
        return 1;
    if (to < 0)
        return applet_say(task, "can't open '%s': %s", out, applet_errno(to));
    /* one block is at most this much at a time: what it moves is the same */
    enum { PIECE = 64 << 10 };
    char *bytes = mem_alloc(PIECE);
    int64_t whole = 0, part = 0, total = 0;
    struct handle *target = task_handle(task, to), *source = task_handle(task, from);
    if (seek > 0 && target->ops->seek)
        target->ops->seek(target, seek * block, 0);
    if (skip > 0 && source->ops->seek)
        source->ops->seek(source, skip * block, 0);
    ssize_t got = 1, put = 0;
    for (int64_t n = 0; bytes && got > 0 && put >= 0 && (count < 0 || n < count); n++) {
        int64_t filled = 0;
        while (filled < block && put >= 0) {
            got = task_read(task, from, bytes, block - filled < PIECE ? (size_t)(block - filled) : PIECE);
            if (got <= 0)
                break;
            put = task_write(task, to, bytes, (size_t)got);
            filled += got;
        }
        total += put < 0 ? 0 : filled;
        *(filled == block ? &whole : &part) += filled > 0 && put >= 0;
    }
    mem_free(bytes);
    if (put < 0 && !task_dying(task))
        applet_say(task, "error writing '%s': %s", out ? out : "standard output", applet_errno((int)put));
    char text[160];
    int length = snprintf(text, sizeof text, "%lld+%lld records in\n%lld+%lld records out\n%lld bytes copied\n", (long long)whole, (long long)part, (long long)whole, (long long)part, (long long)total);
    if (!quiet && !task_dying(task))
        task_write(task, 2, text, (size_t)length);
    return put < 0 || got < 0;
}

/* ---- hexdump -C, od -c, xxd ---- */

static void dump_line(struct task *task, size_t offset, const unsigned char *bytes, size_t length)
{
    applet_print(task, "%08zx ", offset);
    for (size_t i = 0; i < 16; i++) {
        applet_print(task, i == 8 ? " " : "");
        if (i < length)
            applet_print(task, " %02x", bytes[i]);
        else
            applet_print(task, "   ");
    }
    applet_print(task, "  |");
    for (size_t i = 0; i < length; i++)
        applet_print(task, "%c", bytes[i] >= ' ' && bytes[i] < 127 ? bytes[i] : '.');
    applet_print(task, "|\n");
}

static int hexdump_main(struct task *task, int argc, char **argv)
{
    struct applet_options options = {0};
    int64_t most = -1;
    for (int letter; (letter = applet_option(task, argc, argv, "Cvn:", &options)) != -1;)
        if (letter == '?' || (letter == 'n' && !applet_size(options.value, &most)))
            return 1;
    int fd = options.index < argc ? applet_open(task, argv[options.index]) : 0;
    struct buf all;
    if (fd < 0 || !applet_slurp(task, fd, WHOLE, &all))
        return 1;
    size_t length = most >= 0 && (uint64_t)most < all.length ? (size_t)most : all.length;
    for (size_t at = 0; at < length; at += 16)
        dump_line(task, at, (const unsigned char *)all.bytes + at, length - at < 16 ? length - at : 16);
    if (length > 0)
        applet_print(task, "%08zx\n", length);
    buf_free(&all);
    return 0;
}

static const struct program programs[] = {
    {.name = "base64", .main = base64_main}, {.name = "md5sum", .main = sum_main}, {.name = "sha256sum", .main = sum_main}, {.name = "dd", .main = dd_main}, {.name = "hexdump", .main = hexdump_main},
    {.name = "hd", .main = hexdump_main},
};
const struct program_table programs_bytes = {programs, sizeof programs / sizeof *programs};
