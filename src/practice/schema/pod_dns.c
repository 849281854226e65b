/* Names and addresses of pods: DNS configuration, host aliases, host names. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/addresses.h"
#include "practice/schema/pod_internal.h"

enum { NAMESERVERS_MOST = 3, SEARCHES_MOST = 32, SEARCH_TEXT_MOST = 2048, OVERRIDE_MOST = 64 };

static void check_searches(struct problems *problems, const struct value *searches, const struct place *place)
{
    size_t text = 0, i = 0;
    EACH (search, searches)
        text += strlen(value_text(search)) + 1;
    if (value_length(searches) > SEARCHES_MOST)
        problem_add(problems, place, PROBLEM_INVALID, searches, "must not have more than %d search paths", SEARCHES_MOST);
    if (text > SEARCH_TEXT_MOST + 1)
        problem_add(problems, place, PROBLEM_INVALID, searches, "must not have more than %d characters (including spaces) in the search list",
                    SEARCH_TEXT_MOST);
    EACH (search, searches) {
        const struct place at = place_index(place, i++);
        char *name = mem_string(value_text(search));
        if (name == NULL) {
            problems->failed = true;
            return;
        }
        size_t length = strlen(name);
        if (length > 1 && name[length - 1] == '.')
            name[length - 1] = '\0';
        if (strcmp(name, ".") != 0)
            name_problems(problems, &at, name, name_subdomain_underscore(name));
        mem_free(name);
    }
}

static void check_config(struct problems *problems, const struct value *config, const struct place *place)
{
    const struct value *servers = value_get(config, "nameservers");
    const struct place servers_at = place_key(place, "nameservers"), searches = place_key(place, "searches"), options = place_key(place, "options");
    size_t i = 0;
    if (value_length(servers) > NAMESERVERS_MOST)
        problem_add(problems, &servers_at, PROBLEM_INVALID, servers, "must not have more than %d nameservers", NAMESERVERS_MOST);
    EACH (server, servers) {
        const struct place at = place_index(&servers_at, i++);
        address_problems(problems, &at, value_text(server), NULL);
    }
    check_searches(problems, value_get(config, "searches"), &searches);
    i = 0;
    EACH (option, value_get(config, "options")) {
        const struct place at = place_index(&options, i++);
        if (*text_of(option, "name") == '\0')
            problem_required(problems, &at, NULL, "must not be empty");
    }
}

void pod_check_dns(const struct pod_check *check, const struct place *spec)
{
    const struct value *config = value_get(check->spec, "dnsConfig");
    const struct place at = place_key(spec, "dnsConfig"), servers = place_key(&at, "nameservers");
    if (text_is(check->spec, "dnsPolicy", "None")) {
        if (config == NULL) {
            problem_required(check->problems, &at, NULL, "must provide `dnsConfig` when `dnsPolicy` is None");
            return;
        }
        if (value_first(value_get(config, "nameservers")) == NULL) {
            problem_required(check->problems, &servers, NULL, "must provide at least one DNS nameserver when `dnsPolicy` is None");
            return;
        }
    }
    if (config != NULL)
        check_config(check->problems, config, &at);
}
