/* fake.h: a small API server inside the test: a TEST DOUBLE. It keeps objects, answers discovery, reads, writes and watches as far as the unit tests of
 * bind/ and lesson/ need them, and breaks on demand. No controller runs, nothing is validated or defaulted: what is measured against it says nothing about a
 * real cluster; the live tests do that.
 *
 * Kinds: pods, services, configmaps, secrets, events, namespaces, deployments.apps, replicasets.apps, endpointslices.discovery.k8s.io,
 * customresourcedefinitions.apiextensions.k8s.io, and what definitions that are put into it define (at most FAKE_DEFINED). An object of a namespace that was
 * never made is taken all the same. Deleting leaves an object with finalizers standing, with its deletionTimestamp, until they are gone.
 *
 * All functions are for the test's process; failures inside are failed assertions. Objects are named by KIND (full name), namespace (NULL or
 * "": cluster-scoped) and name.
 */
#ifndef KT_TESTS_FAKE_FAKE_H
#define KT_TESTS_FAKE_FAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/value.h"
#include "kube/client.h"
#include "kube/server.h"
#include "loop/loop.h"

enum { FAKE_DEFINED = 4 };

struct fake;
struct fake *fake_new(struct loop *loop);
void fake_free(struct fake *fake);
struct server *fake_server(struct fake *fake); /* for rules of one's own: they come before everything the fake answers */
const char *fake_url(const struct fake *fake);
/* A client whose kubeconfig names this URL, with namespace "learn". NULL: an allocation failed. */
struct kube_client *fake_client(struct loop *loop, const char *url);
/* The fake in a process of its own, which dies with the test: for tests that make allocations fail. `set_up` fills it. url has room for 64 bytes.
 * The process's id. */
int fake_apart(void (*set_up)(struct fake *fake), char *url);
void fake_end(int process);

/* ---- what is in it ---- */

/* Makes the object (JSON or YAML; several documents make several), or replaces the one of its name (which keeps its uid). Namespace "learn" unless it says so. */
void fake_put(struct fake *fake, const char *text);
void fake_merge(struct fake *fake, const char *kind, const char *ns, const char *name, const char *json); /* a merge patch */
void fake_remove(struct fake *fake, const char *kind, const char *ns, const char *name);                   /* finalizers or not */
const struct value *fake_find(const struct fake *fake, const char *kind, const char *ns, const char *name); /* NULL: not there */
size_t fake_count(const struct fake *fake, const char *kind);
void fake_set_version(struct fake *fake, const char *minor); /* "37" unless said otherwise */
void fake_deny(struct fake *fake, const char *resource);     /* self-subject reviews (access, rules) say no about it; "deployments" */

/* What commands in Pods say: the first whose words ("command=nslookup", as the query has them) fit. The table ends with words NULL and stays the caller's. */
struct fake_command {
    const char *words, *out, *err;
    int code;
};
void fake_set_commands(struct fake *fake, const struct fake_command *commands);

/* ---- what was asked ---- */

size_t fake_requests(const struct fake *fake, const char *part); /* requests so far whose "METHOD PATH?QUERY" holds this part */
size_t fake_watches(const struct fake *fake, const char *kind);  /* open now */
const char *fake_writes(const struct fake *fake);                /* every POST, PUT, PATCH and DELETE: "METHOD PATH BODY\n" each; "" at first */
void fake_forget_writes(struct fake *fake);

/* ---- faults ---- */

enum { FAKE_RESET = -1, FAKE_STALL = -2 };
/* Requests whose method (NULL: any) is this and whose path begins with this are answered with the code (403, 409, 500 ...), reset or never answered. */
void fake_break(struct fake *fake, const char *method, const char *path, int code);
void fake_mend(struct fake *fake);               /* all of them */
void fake_ignore_selectors(struct fake *fake);   /* lists show everything: as if the query was lost on the way */
void fake_down(struct fake *fake);               /* open watches are reset, and every request, until fake_mend */
void fake_close_watches(struct fake *fake);      /* as a server does after some minutes */
void fake_forget_history(struct fake *fake);     /* a watch that goes on from an older version gets 410 */

#endif
