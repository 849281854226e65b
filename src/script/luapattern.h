/* luapattern.h: Lua's patterns (§6.4.1 of its manual) as regular expressions with a bound on their work. Knows no Lua state.
 *
 * Same matches and captures as the real library, but: faults of a pattern are always told, also where the real library would not have
 * reached them; %b is refused; a pattern has at most LUAPATTERN_MAX bytes.
 */
#ifndef KT_SCRIPT_LUAPATTERN_H
#define KT_SCRIPT_LUAPATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LUAPATTERN_MAX = 1000, LUAPATTERN_CAPTURES = 32 };

struct pattern;

struct byte_set {
    uint8_t bits[32];
};

struct luapattern {
    struct pattern *compiled; /* owned; matches at the start offset only */
    int captures;
    uint32_t positions; /* bit n: capture n (from 0) is a position, () */
    bool anchored;      /* began with ^ */
    bool has_first;     /* first holds every byte that a match can begin with */
    struct byte_set first;
};

/* caret: a leading ^ anchors (not so in gmatch). On success luapattern_done frees what it holds. */
bool luapattern_make(struct luapattern *out, const char *pattern, size_t length, bool caret, struct error *err)
    __attribute__((warn_unused_result));
void luapattern_done(struct luapattern *pattern);

bool byte_set_has(const struct byte_set *set, unsigned byte);

#endif
