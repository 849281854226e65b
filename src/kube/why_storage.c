#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "kube/why_facts.h"

bool why_claim(struct why_facts *facts, const struct value *claim, struct kube_why *why)
{
    static const char *const reasons[] = {
        "ProvisioningFailed",   "FailedBinding",  "WaitForFirstConsumer", "WaitForPodScheduled",
        "ExternalProvisioning", "VolumeMismatch", "VolumeFailedDelete",   NULL};
    const char *phase = value_find_text(claim, "status", "phase", NULL),
               *class = value_find_text(claim, "spec", "storageClassName", NULL);
    if (phase != NULL && strcmp(phase, "Bound") == 0)
        return false;
    if (class != NULL && class[0] != '\0')
        why_add(why, "PersistentVolumeClaim", why_name(claim), "status.phase",
                _("PersistentVolumeClaim %s is not bound to a volume (storage class %s, phase %s)"), why_name(claim), class,
                phase != NULL ? phase : "");
    else
        why_add(why, "PersistentVolumeClaim", why_name(claim), "status.phase",
                _("PersistentVolumeClaim %s is not bound to a volume (phase %s)"), why_name(claim), phase != NULL ? phase : "");
    const struct value *event = why_event(facts, claim, reasons, NULL);
    if (event != NULL) {
        char evidence[128];
        snprintf(evidence, sizeof evidence, "event %s", why_text(event, "reason"));
        why_add(why, "PersistentVolumeClaim", why_name(claim), evidence, "%s", why_text(event, "message"));
    }
    return true;
}

/* Copies what stands in the first quotes behind `before`; false if there are none. */
static bool quoted(const char *message, const char *before, char *out, size_t room)
{
    const char *at = strstr(message, before), *start = at != NULL ? at + strlen(before) : NULL,
               *end = start != NULL ? strchr(start, '"') : NULL;
    if (end == NULL || (size_t)(end - start) >= room || end == start)
        return false;
    snprintf(out, room, "%.*s", (int)(end - start), start);
    return true;
}

/* "couldn't find key colour in ConfigMap learn/settings" */
static bool missing_key(const struct value *pod, const char *container, const char *message, struct kube_why *why)
{
    char key[254], kind[64], path[512];
    const char *at = strstr(message, "couldn't find key ");
    if (at == NULL || sscanf(at, "couldn't find key %253s in %63s %511s", key, kind, path) != 3)
        return false;
    const char *slash = strchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    why_add(why, kind, name, "data", _("%s %s has no key %s, which container %s of Pod %s wants"), kind, name, key, container,
            why_name(pod));
    return true;
}

bool why_reference(struct why_facts *facts, const struct value *pod, const char *container, const char *message,
                   struct kube_why *why)
{
    char name[254];
    if (missing_key(pod, container, message, why))
        return true;
    if (strstr(message, "not found") == NULL)
        return false;
    if (quoted(message, "configmap \"", name, sizeof name)) {
        const char *near = why_nearest(why_list(facts, WHY_CONFIGMAPS), name);
        why_add(why, "ConfigMap", name, "404", _("ConfigMap %s, which container %s of Pod %s wants, does not exist"), name,
                container, why_name(pod));
        if (near != NULL)
            why_add(why, "ConfigMap", near, "metadata.name", _("%s %s exists: is that the one that is meant?"), "ConfigMap",
                    near);
        return true;
    }
    if (quoted(message, "secret \"", name, sizeof name)) {
        why_add(why, "Secret", name, "404", _("Secret %s, which container %s of Pod %s wants, does not exist"), name, container,
                why_name(pod));
        return true;
    }
    if (quoted(message, "persistentvolumeclaim \"", name, sizeof name)) {
        const char *near = why_nearest(why_list(facts, WHY_CLAIMS), name);
        why_add(why, "PersistentVolumeClaim", name, "404", _("PersistentVolumeClaim %s, which Pod %s wants, does not exist"),
                name, why_name(pod));
        if (near != NULL)
            why_add(why, "PersistentVolumeClaim", near, "metadata.name", _("%s %s exists: is that the one that is meant?"),
                    "PersistentVolumeClaim", near);
        return true;
    }
    return false;
}
