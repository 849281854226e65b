#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "kube/internal.h"
#include "kube/why_facts.h"

/* How far a Pod's labels are from a selector: letters for the nearest value under each key, a missing key counts as far as it
 * is long. */
static unsigned label_distance(const struct value *selector, const struct value *labels)
{
    unsigned sum = 0;
    for (const struct value *wanted = value_first(selector); wanted != NULL; wanted = value_next(wanted)) {
        unsigned best = UINT_MAX / 64;
        for (const struct value *label = value_first(labels); label != NULL; label = value_next(label)) {
            unsigned key = kube_name_distance(value_key(wanted), value_key(label));
            unsigned text = kube_name_distance(value_text(wanted) != NULL ? value_text(wanted) : "",
                                               value_text(label) != NULL ? value_text(label) : "");
            unsigned both = key < 1000 && text < 1000 ? 2 * key + text : UINT_MAX / 64;
            best = both < best ? both : best;
        }
        sum += best;
    }
    return sum;
}

static void selects_nothing(const struct value *service, const struct value *pods, struct kube_why *why)
{
    const struct value *selector = value_find(service, "spec", "selector", NULL), *nearest = NULL;
    char wanted[256], has[256];
    unsigned best = UINT_MAX;
    for (const struct value *pod = value_first(pods); pod != NULL; pod = value_next(pod)) {
        unsigned d = label_distance(selector, value_find(pod, "metadata", "labels", NULL));
        if (d < best) {
            best = d;
            nearest = pod;
        }
    }
    why_labels(selector, wanted, sizeof wanted);
    why_add(why, "Service", why_name(service), "spec.selector", _("Service %s selects no Pod: none has the labels %s"),
            why_name(service), wanted);
    if (nearest == NULL)
        return;
    why_labels(value_find(nearest, "metadata", "labels", NULL), has, sizeof has);
    why_add(why, "Pod", why_name(nearest), "metadata.labels", _("the nearest Pod, %s, has the labels %s"), why_name(nearest),
            has);
}

/* Appends "http=80, 9090" and says whether one of the ports is the target. */
static bool find_port(const struct value *pod, const char *name, int64_t number, struct buf *declared)
{
    bool found = false;
    for (const struct value *c = value_first(value_find(pod, "spec", "containers", NULL)); c != NULL; c = value_next(c))
        for (const struct value *p = value_first(value_get(c, "ports")); p != NULL; p = value_next(p)) {
            int64_t own = value_find_int(p, 0, "containerPort", NULL);
            const char *own_name = why_text(p, "name");
            found = found || (name != NULL ? strcmp(own_name, name) == 0 : own == number);
            buf_printf(declared, "%s%s%s%lld", declared->length > 0 ? ", " : "", own_name, own_name[0] != '\0' ? "=" : "",
                       (long long)own);
        }
    return found;
}

static bool port_matches_nothing(const struct value *service, const struct value *pod, struct kube_why *why)
{
    bool wrong = false;
    size_t index = 0;
    for (const struct value *port = value_first(value_find(service, "spec", "ports", NULL)); port != NULL && !wrong;
         port = value_next(port), index++) {
        const struct value *target = value_get(port, "targetPort");
        const char *name = value_text(target);
        int64_t own = value_find_int(port, 0, "port", NULL), number = own;
        char evidence[128];
        struct buf declared = buf_make(200);
        if (target != NULL && name == NULL && !value_as_int(target, &number))
            continue;
        wrong = !find_port(pod, name, number, &declared);
        const char *has = declared.bytes != NULL ? declared.bytes : "";
        snprintf(evidence, sizeof evidence, "spec.ports[%zu].targetPort", index);
        if (wrong && name != NULL)
            why_add(why, "Service", why_name(service), evidence,
                    _("port %lld of Service %s leads to a port named %s, but Pod %s has only: %s"), (long long)own,
                    why_name(service), name, why_name(pod), has[0] != '\0' ? has : "-");
        else if (wrong && has[0] != '\0')
            why_add(why, "Service", why_name(service), evidence,
                    _("port %lld of Service %s leads to port %lld, but Pod %s names only: %s"), (long long)own,
                    why_name(service), (long long)number, why_name(pod), has);
        else
            wrong = false; /* a Pod may listen without saying where */
        buf_free(&declared);
    }
    return wrong;
}

bool why_service(struct why_facts *facts, const struct value *service, struct kube_why *why)
{
    const struct value *selector = value_find(service, "spec", "selector", NULL), *pods = why_list(facts, WHY_PODS);
    const struct value *any = NULL, *ready = NULL;
    size_t count = 0;
    if (value_first(selector) == NULL || pods == NULL)
        return false; /* its endpoints are somebody else's work */
    for (const struct value *pod = value_first(pods); pod != NULL; pod = value_next(pod)) {
        if (!why_selects(selector, pod))
            continue;
        count++;
        any = pod;
        if (why_condition_is(pod, "Ready", "True"))
            ready = pod;
    }
    if (any == NULL) {
        selects_nothing(service, pods, why);
        return true;
    }
    if (port_matches_nothing(service, ready != NULL ? ready : any, why))
        return true;
    if (ready != NULL)
        return false;
    why_add(why, "Service", why_name(service), "endpoints",
            _("Service %s has no Pod that is ready, of the %zu that it selects"), why_name(service), count);
    why_pod(facts, any, why);
    return true;
}
