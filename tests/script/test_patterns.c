/* find, match, gmatch and gsub against the real library, on random small patterns and subjects, in two states side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "script/script.h"

/* One call of each function; values are joined so that they can be compared as text. Errors become "error:" and the message. */
static const char probe[] =
    "return function(subject, pattern, init, replacement)\n"
    "  local out = {}\n"
    "  local function add(ok, ...)\n"
    "    if not ok then out[#out + 1] = 'error: ' .. tostring((...)):gsub('^.-:%d+: ', '', 1) return end\n"
    "    for i = 1, select('#', ...) do local v = select(i, ...) out[#out + 1] = math.type(v) or type(v) out[#out + 1] = tostring(v) end\n"
    "  end\n"
    "  add(pcall(string.find, subject, pattern, init))\n"
    "  add(pcall(string.match, subject, pattern, init))\n"
    "  add(pcall(string.gsub, subject, pattern, replacement))\n"
    "  add(pcall(string.gsub, subject, pattern, replacement, 2))\n"
    "  add(pcall(string.gsub, subject, pattern, function(...) return table.concat({ ... }, ',') .. select('#', ...) end))\n"
    "  add(pcall(string.gsub, subject, pattern, { a = 'X', b = false, ab = 3 }))\n"
    "  add(pcall(function() local n = 0\n"
    "    for a, b, c in string.gmatch(subject, pattern, init) do add(true, a, b, c) n = n + 1 if n > 50 then break end end end))\n"
    "  add(pcall(string.find, subject, pattern, init, true))\n"
    "  return table.concat(out, ';')\n"
    "end\n";

struct random {
    uint64_t state;
};

static unsigned pick(struct random *random, unsigned below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random->state >> 33) % below;
}

static size_t make(struct random *random, const char *const *pieces, size_t count, unsigned most, char *out, size_t room)
{
    size_t length = 0;
    for (unsigned n = pick(random, most + 1); n > 0; n--) {
        const char *piece = pieces[pick(random, (unsigned)count)];
        size_t size = piece[0] == '\0' ? 1 : strlen(piece); /* "" stands for a NUL */
        if (length + size < room)
            memcpy(out + length, piece, size);
        length += length + size < room ? size : 0;
    }
    return length;
}

static const char *const pattern_pieces[] = {
    "a", "b", "ab", ".", "%a", "%d", "%s", "%w", "%W", "%A", "%x", "%p", "%u", "%l", "%g", "%c", "%z", "%.", "%%", "[ab]", "[^a]", "[a-c%d]",
    "[]]", "[^]b]", "[%a-]", "[a-]", "[%]x]", "[b-%]]", "[-a]", "*", "+", "-", "?", "^", "$", "(", ")", "()", "(a)", "(.-)", "(%w+)", "%1", "%2",
    "%f[%w]", "%f[^%w]", "%f[%z]", "%f[^a]", "[", "]", "%", "", "\n", "{", "|", "\\", "\xC3\xA9", "[\xC3\x80-\xFF]", "[^", "%0", "x", "[%]", "%f"};
static const char *const subject_pieces[] = {"a", "b", "ab", "aab", "c", "x", "1", "23", " ", "_", ".", "-", "%", "A", "]", "^", "$", "(",
                                             "", "\n", "\t", "\xC3\xA9", "\xFF", "*", "{|", "\\"};
static const char *const replacement_pieces[] = {"r", "%0", "%1", "%2", "%%", "x", "%", "%a"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct question {
    const char *texts[3]; /* subject, pattern, replacement */
    size_t lengths[3];
    int init;
};

/* The probe, a struct question: the probe's answer. */
static int ask(lua_State *lua)
{
    const struct question *question = lua_touserdata(lua, 2);
    lua_settop(lua, 1);
    for (int i = 0; i < 2; i++)
        lua_pushlstring(lua, question->texts[i], question->lengths[i]);
    lua_pushinteger(lua, question->init);
    lua_pushlstring(lua, question->texts[2], question->lengths[2]);
    lua_call(lua, 4, 1);
    return 1;
}

static const char *const faults[] = {"malformed pattern", "unfinished capture", "invalid pattern capture", "invalid capture index",
                                     "missing '[' after", "%b is not available"};

static bool is_fault(const char *text)
{
    for (size_t i = 0; i < COUNT(faults); i++)
        if (strstr(text, faults[i]) != NULL)
            return true;
    return false;
}

static void patterns_mean_what_they_mean_in_lua(void **state)
{
    (void)state;
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    lua_State *real = luaL_newstate();
    struct random random = {20240607};
    int compared = 0, faulty = 0;
    luaL_openlibs(real);
    assert_int_equal(luaL_dostring(real, probe), LUA_OK);
    assert_true(script_run_text(script, probe, strlen(probe), "probe.lua", NULL));
    lua_State *ours = script_lua(script);
    for (int round = 0; round < 60000; round++) {
        char subject[128], pattern[128], replacement[64];
        struct question q = {.texts = {subject, pattern, replacement}, .init = (int)pick(&random, 14) - 5};
        q.lengths[0] = make(&random, subject_pieces, COUNT(subject_pieces), 8, subject, sizeof subject);
        q.lengths[1] = make(&random, pattern_pieces, COUNT(pattern_pieces), round % 2 == 0 ? 3 : 7, pattern, sizeof pattern);
        q.lengths[2] = make(&random, replacement_pieces, COUNT(replacement_pieces), 3, replacement, sizeof replacement);
        lua_settop(real, 1);
        lua_pushcfunction(real, ask);
        lua_pushvalue(real, 1);
        lua_pushlightuserdata(real, &q);
        lua_call(real, 2, 1);
        lua_settop(ours, 1);
        lua_pushvalue(ours, 1);
        assert_true(script_protect(script, ours, ask, &q, 1, 1, NULL));
        const char *expected = lua_tostring(real, -1), *got = lua_tostring(ours, -1);
        if (is_fault(got)) { /* the real library may not get as far as the fault */
            faulty++;
            continue;
        }
        compared++;
        if (strcmp(expected, got) != 0)
            fail_msg("subject '%.*s' pattern '%.*s' init %d replacement '%.*s'\n expected %s\n got      %s", (int)q.lengths[0], subject,
                     (int)q.lengths[1], pattern, q.init, (int)q.lengths[2], replacement, expected, got);
    }
    print_message("%d compared, %d faulty\n", compared, faulty);
    assert_true(compared > 20000);
    lua_close(real);
    script_free(script);
}

/* A fault that ours tells must be one: the real library finds it too when the subject leads it there. */
static void faults_of_patterns_are_told(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"%", "malformed pattern (ends with '%')"},
        {"[a", "malformed pattern (missing ']')"},
        {"[%]", "malformed pattern (missing ']')"},
        {"[^", "malformed pattern (missing ']')"},
        {"(a", "unfinished capture"},
        {"(a))", "invalid pattern capture"},
        {"%1", "invalid capture index %1"},
        {"(a%1)", "invalid capture index %1"},
        {"%0", "invalid capture index %0"},
        {"%fa", "missing '[' after '%f' in pattern"},
        {"%b()", "%b is not available"},
        {"()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()", "too many captures"},
    };
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    static const char text[] = "return function(p) return (select(2, pcall(string.find, 'a', p))) end";
    assert_true(script_run_text(script, text, strlen(text), "faults.lua", NULL));
    lua_State *lua = script_lua(script);
    for (size_t i = 0; i < COUNT(cases); i++) {
        lua_pushvalue(lua, 1);
        lua_pushstring(lua, cases[i][0]);
        assert_int_equal(lua_pcall(lua, 1, 1, 0), LUA_OK);
        assert_int_equal(lua_type(lua, -1), LUA_TSTRING);
        assert_non_null(strstr(lua_tostring(lua, -1), cases[i][1]));
        lua_pop(lua, 1);
    }
    script_free(script);
}

int test_patterns(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_mean_what_they_mean_in_lua),
        cmocka_unit_test(faults_of_patterns_are_told),
    };
    return cmocka_run_group_tests_name("script/patterns", tests, NULL, NULL);
}
