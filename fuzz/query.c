/* Any query: every kind of options is read from it or refused, and a continue token that was read prints to one that reads the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/continue_token.h"
#include "practice/api/options.h"

static void read_token(const char *text, const char *only_ns)
{
    struct continue_token token, again;
    struct status failure = {0};
    bool read = continue_token_read(text, only_ns, &token, &failure);
    if (read != (failure.code == 0))
        abort();
    if (read) {
        char *printed = continue_token_print(&token, only_ns);
        if (printed == NULL || !continue_token_read(printed, only_ns, &again, &failure) || again.version != token.version ||
            again.left != (token.left < 0 ? -1 : token.left) || strcmp(again.name, token.name) != 0 || strcmp(again.ns, token.ns) != 0)
            abort();
        continue_token_free(&again);
        mem_free(printed);
    }
    continue_token_free(&token);
    status_free(&failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_string_n((const char *)data, size);
    struct query query = query_parse(text);
    struct list_options list;
    struct status failure = {0};
    if (options_list(&query, &list, &failure)) {
        status_free(&failure);
        options_check_list(&list, &failure);
        read_token(list.continue_from, NULL);
        read_token(list.continue_from, "default");
    }
    status_free(&failure);
    static const enum schema_verb verbs[] = {VERB_CREATE, VERB_UPDATE, VERB_PATCH, VERB_DELETE};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct call call = {.verb = verbs[i], .patch = PATCH_MERGE};
        bool fine = verbs[i] == VERB_DELETE ? options_delete(&query, NULL, &call, &failure) : options_write(&query, &call, &failure);
        if (fine != (failure.code == 0))
            abort();
        status_free(&failure);
    }
    options_common(&query, &failure);
    status_free(&failure);
    query_free(&query);
    mem_free(text);
    return 0;
}
