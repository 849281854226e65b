#include "practice/work/place.h"

bool place_open(struct place_of_work *place, struct api *api, struct error *err)
{
    *place = (struct place_of_work){.api = api};
    place->reader = client_new(api, "system:kube-controller-manager", "kube-controller-manager", err);
    place->pods = place->reader != NULL ? pods_new(place->reader, err) : NULL;
    if (place->pods != NULL)
        return true;
    place_close(place);
    return false;
}

void place_close(struct place_of_work *place)
{
    pods_free(place->pods);
    client_free(place->reader);
    *place = (struct place_of_work){0};
}

bool place_for(const struct place_of_work *place, const char *user, const char *manager, struct place_of_work *own,
               struct error *err)
{
    *own = *place;
    own->client = client_new(place->api, user, manager, err);
    return own->client != NULL;
}
