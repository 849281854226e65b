/* proxy_choice.h: which proxy a server is reached through, as client-go decides (Go's net/http ProxyFromEnvironment): proxy-url, else
 * HTTPS_PROXY, https_proxy (for https servers), HTTP_PROXY, http_proxy (for http), unless NO_PROXY or no_proxy names the host; loopback
 * addresses and "localhost" are never proxied by the environment.
 */
#ifndef KT_KUBE_PROXY_CHOICE_H
#define KT_KUBE_PROXY_CHOICE_H

#include <stdbool.h>

/* Does a NO_PROXY text name this host? Entries, with commas between: "*"; an IP; a range (10.0.0.0/8); "example.com" (and what is below
 * it); ".example.com" (only below); each may end with ":PORT". host without brackets. */
bool proxy_excluded(const char *no_proxy, const char *host, unsigned port);

/* "" for none; else an URL for curl; the caller frees. NULL: no memory. proxy_url NULL: the environment decides. */
char *proxy_choose(const char *proxy_url, bool tls, const char *host, unsigned port);

#endif
