/* Any bytes as a kubeconfig: reading ends in a config that names a server, or in an error that says something. */
#include <stdint.h>
#include <stdlib.h>

#include "kube/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct kube_config *config = kube_config_parse((const char *)data, size, "/nonexistent/kubeconfig", &err);
    if ((config == NULL) != (err.kind != ERROR_NONE) || (config == NULL && err.message[0] == '\0') || (config != NULL && config->server == NULL))
        abort();
    kube_config_free(config);
    return 0;
}
