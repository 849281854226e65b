/* claims: claims that a Pod names, and where their volumes can be (VolumeBinding, VolumeRestrictions, VolumeZone of
 * kube-scheduler). */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/scheduler/internal.h"

static const struct client_resource claims_of = {"", "v1", "persistentvolumeclaims"},
                                    volumes_of = {"", "v1", "persistentvolumes"},
                                    classes_of = {"storage.k8s.io", "v1", "storageclasses"};
static const char selected_node[] = "volume.kubernetes.io/selected-node", bind_completed[] = "pv.kubernetes.io/bind-completed";

struct claims {
    struct scheduler *scheduler;
    const struct place_of_work *place;
    struct informer *claims, *volumes, *classes;
};

static void changed(void *data, const struct informer_event *event)
{
    struct claims *volumes = data;
    (void)event;
    scheduler_wake(volumes->scheduler, CHANGED_VOLUME);
}

struct claims *claims_new(struct scheduler *scheduler, const struct place_of_work *place, struct error *err)
{
    struct claims *volumes = mem_zero(1, sizeof *volumes);
    if (volumes == NULL) {
        error_memory(err);
        return NULL;
    }
    *volumes = (struct claims){.scheduler = scheduler, .place = place};
    if ((volumes->claims = informer_new(place->reader, &claims_of, changed, volumes, err)) != NULL &&
        (volumes->volumes = informer_new(place->reader, &volumes_of, changed, volumes, err)) != NULL &&
        (volumes->classes = informer_new(place->reader, &classes_of, changed, volumes, err)) != NULL)
        return volumes;
    claims_free(volumes);
    return NULL;
}

void claims_free(struct claims *volumes)
{
    if (volumes == NULL)
        return;
    informer_free(volumes->claims);
    informer_free(volumes->volumes);
    informer_free(volumes->classes);
    mem_free(volumes);
}

/* The claim that a volume of a Pod leads to (the caller frees); NULL: it names none. */
static char *claim_of(const struct wish *wish, const struct value *volume)
{
    const char *name = value_find_text(volume, "persistentVolumeClaim", "claimName", NULL),
               *own = value_find_text(volume, "name", NULL);
    if (name != NULL)
        return mem_string(name);
    return value_get(volume, "ephemeral") != NULL && own != NULL ? mem_printf("%s-%s", wish->name, own) : NULL;
}

static struct value *document_of(const struct informer *informer, const char *ns, const char *name)
{
    const struct object *object = name != NULL ? informer_get(informer, ns, name) : NULL;
    return object != NULL ? informer_value(informer, object) : NULL;
}

static bool is_bound(const struct value *claim)
{
    const char *volume = value_find_text(claim, "spec", "volumeName", NULL);
    return volume != NULL && volume[0] != '\0' && value_find(claim, "metadata", "annotations", bind_completed, NULL) != NULL;
}

/* Whether its class lets it wait for the first Pod that uses it. */
static bool waits_for_consumer(const struct claims *volumes, const struct value *claim)
{
    struct value *class = document_of(volumes->classes, "", value_find_text(claim, "spec", "storageClassName", NULL));
    const char *mode = value_find_text(class, "volumeBindingMode", NULL);
    bool waits = mode != NULL && strcmp(mode, "WaitForFirstConsumer") == 0;
    value_free(class);
    return waits;
}

static bool claim_ready(const struct claims *volumes, const struct wish *wish, const char *name, char out[static REASON])
{
    struct value *claim = document_of(volumes->claims, wish->ns, name);
    const char *phase = value_find_text(claim, "status", "phase", NULL),
               *volume = value_find_text(claim, "spec", "volumeName", NULL);
    bool ok = false;
    if (claim == NULL)
        snprintf(out, REASON, "persistentvolumeclaim \"%s\" not found", name);
    else if (phase != NULL && strcmp(phase, "Lost") == 0)
        snprintf(out, REASON, "persistentvolumeclaim \"%s\" bound to non-existent persistentvolume \"%s\"", name,
                 volume != NULL ? volume : "");
    else if (value_find(claim, "metadata", "deletionTimestamp", NULL) != NULL)
        snprintf(out, REASON, "persistentvolumeclaim \"%s\" is being deleted", name);
    else if (!is_bound(claim) && !waits_for_consumer(volumes, claim))
        snprintf(out, REASON, "pod has unbound immediate PersistentVolumeClaims");
    else
        ok = true;
    value_free(claim);
    return ok;
}

#define EACH_CLAIM(name, wish)                                                                                                 \
    for (const struct value *volume_ = value_first(value_get((wish)->spec, "volumes")); volume_ != NULL;                       \
         volume_ = value_next(volume_))                                                                                        \
        for (char *name = claim_of(wish, volume_); name != NULL; mem_free(name), name = NULL)

bool claims_ready(const struct claims *volumes, const struct wish *wish, char out[static REASON])
{
    bool ok = true;
    EACH_CLAIM(name, wish)
    ok = ok && claim_ready(volumes, wish, name, out);
    return ok;
}

static bool volume_allows(const struct claims *volumes, const struct value *claim, const struct node *node)
{
    struct value *volume = document_of(volumes->volumes, "", value_find_text(claim, "spec", "volumeName", NULL));
    const struct value *required = value_find(volume, "spec", "nodeAffinity", "required", NULL);
    bool ok = required == NULL || node_terms_match(value_get(required, "nodeSelectorTerms"), node);
    value_free(volume);
    return ok;
}

bool claims_allow(const struct claims *volumes, const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    bool ok = true;
    EACH_CLAIM(name, wish)
    {
        struct value *claim = document_of(volumes->claims, wish->ns, name);
        const char *chosen = value_find_text(claim, "metadata", "annotations", selected_node, NULL);
        if (ok && is_bound(claim) && !volume_allows(volumes, claim, node)) {
            refuse(refusal, true, "node(s) had volume node affinity conflict");
            ok = false;
        } else if (ok && !is_bound(claim) && chosen != NULL && strcmp(chosen, node->name) != 0) {
            refuse(refusal, true,
                   "node(s) didn't find available persistent volumes to bind"); /* it is being made for another node */
            ok = false;
        }
        value_free(claim);
    }
    return ok;
}

static bool tell_node(struct client *client, const struct wish *wish, const char *name, const struct node *node)
{
    struct value *patch = value_object(), *metadata = value_object(), *annotations = value_object();
    bool ok = annotations != NULL && value_set(annotations, selected_node, value_string(node->name));
    ok = value_set(metadata, "annotations", annotations) && ok;
    ok = value_set(patch, "metadata", metadata) && ok;
    if (!ok) {
        value_free(patch);
        return false;
    }
    struct value *done = client_patch(client, &claims_of, "", wish->ns, name, PATCH_MERGE, patch, NULL);
    value_free(done);
    return done != NULL;
}

bool claims_bind(const struct claims *volumes, struct client *client, const struct wish *wish, const struct node *node)
{
    bool all = true;
    EACH_CLAIM(name, wish)
    {
        struct value *claim = document_of(volumes->claims, wish->ns, name);
        if (claim != NULL && !is_bound(claim)) {
            all = false;
            if (value_find(claim, "metadata", "annotations", selected_node, NULL) == NULL &&
                !tell_node(client, wish, name, node))
                all = false; /* it is tried again with the Pod */
        }
        value_free(claim);
    }
    return all;
}
