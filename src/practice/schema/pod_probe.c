/* Probes and lifecycle hooks of containers. */
#include <string.h>

#include "practice/schema/pod_internal.h"

static void check_http(struct problems *problems, const struct value *http, const struct place *place)
{
    static const char *const schemes[] = {"HTTP", "HTTPS", NULL};
    const struct place scheme = place_key(place, "scheme"), headers = place_key(place, "httpHeaders");
    if (*text_of(http, "path") == '\0')
        problem_required(problems, place, "path", NULL);
    check_port(problems, http, place, "port");
    if (!one_of(text_of(http, "scheme"), schemes))
        problem_unsupported(problems, &scheme, text_of(http, "scheme"), schemes);
    EACH (header, value_get(http, "httpHeaders"))
        name_problems(problems, &headers, text_of(header, "name"), name_http_header(text_of(header, "name")));
}

static void check_exec(struct problems *problems, const struct value *exec, const struct place *place)
{
    if (value_first(value_get(exec, "command")) == NULL)
        problem_required(problems, place, "command", NULL);
}

static void check_tcp(struct problems *problems, const struct value *tcp, const struct place *place)
{
    check_port(problems, tcp, place, "port");
}

static void check_grpc(struct problems *problems, const struct value *grpc, const struct place *place)
{
    static const char *const modes[] = {"Plaintext", "TLS", NULL};
    check_port_number(problems, grpc, place, "port");
    check_choice(problems, grpc, place, "mode", modes, false);
}

static void check_sleep(const struct pod_check *check, const struct value *sleep, const struct place *place)
{
    int64_t seconds = int_of(sleep, "seconds", 0), grace = int_of(check->spec, "terminationGracePeriodSeconds", 0);
    if (has(check->spec, "terminationGracePeriodSeconds") && (seconds < 0 || seconds > grace))
        problem_number(check->problems, place, seconds, "must be non-negative and less than terminationGracePeriodSeconds (%lld)", (long long)grace);
}

static void check_handler(const struct pod_check *check, const struct value *handler, const struct place *place)
{
    static const struct {
        const char *key;
        void (*check)(struct problems *problems, const struct value *action, const struct place *place);
    } actions[] = {{"exec", check_exec}, {"httpGet", check_http}, {"tcpSocket", check_tcp}, {"grpc", check_grpc}, {"sleep", NULL}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        const struct value *action = value_get(handler, actions[i].key);
        const struct place at = place_key(place, actions[i].key);
        if (!has(handler, actions[i].key))
            continue;
        if (count++ > 0)
            problem_forbidden(check->problems, &at, NULL, "may not specify more than 1 handler type");
        else if (actions[i].check != NULL)
            actions[i].check(check->problems, action, &at);
        else
            check_sleep(check, action, &at);
    }
    if (count == 0)
        problem_required(check->problems, place, NULL, "must specify a handler type");
}

static void check_probe(const struct pod_check *check, const struct value *probe, const struct place *place)
{
    static const char *const numbers[] = {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", NULL};
    const struct place grace = place_key(place, "terminationGracePeriodSeconds");
    check_handler(check, probe, place);
    check_nonnegative_all(check->problems, probe, place, numbers);
    if (int_of(probe, "terminationGracePeriodSeconds", 1) <= 0)
        problem_number(check->problems, &grace, int_of(probe, "terminationGracePeriodSeconds", 1), "must be greater than 0");
}

void pod_check_probes(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const kinds[] = {"livenessProbe", "readinessProbe", "startupProbe", NULL};
    for (size_t i = 0; kinds[i] != NULL; i++) {
        const struct value *probe = value_get(container, kinds[i]);
        const struct place at = place_key(place, kinds[i]), threshold = place_key(&at, "successThreshold"),
                           grace = place_key(&at, "terminationGracePeriodSeconds");
        if (!has(container, kinds[i]))
            continue;
        check_probe(check, probe, &at);
        if (i != 1 && int_of(probe, "successThreshold", 0) != 1)
            problem_number(check->problems, &threshold, int_of(probe, "successThreshold", 0), "must be 1");
        if (i == 1 && has(probe, "terminationGracePeriodSeconds"))
            problem_number(check->problems, &grace, int_of(probe, "terminationGracePeriodSeconds", 0), "must not be set for readinessProbes");
    }
}

void pod_check_lifecycle(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const hooks[] = {"postStart", "preStop", NULL};
    const struct value *lifecycle = value_get(container, "lifecycle");
    const struct place at = place_key(place, "lifecycle");
    for (size_t i = 0; hooks[i] != NULL; i++) {
        const struct place hook = place_key(&at, hooks[i]);
        if (has(lifecycle, hooks[i]))
            check_handler(check, value_get(lifecycle, hooks[i]), &hook);
    }
}
