/* pod_environment.h: a container's environment, and what $(NAME) stands for in its command.
 */
#ifndef KT_PRACTICE_NODE_POD_ENVIRONMENT_H
#define KT_PRACTICE_NODE_POD_ENVIRONMENT_H

#include "practice/node/pod.h"

enum { ENVIRONMENT = 100000 /* variables */, ENVIRONMENT_TEXT = 4 << 20 /* bytes of one */ };
/* Fills env (name -> text, made here with mem_free; also on failure) in the order envFrom, env, Services. False: why has the status' message ("configmap \"x\" not found"). */
bool pod_environment(const struct pod_worker *worker, const struct value *document, const struct value *container, struct map *env, char why[static 512]) __attribute__((warn_unused_result));
/* A text with each $(NAME) that env knows put in; $$ is a dollar, other things stay. The caller frees; NULL: no memory. */
char *environment_expand(const struct map *env, const char *text) __attribute__((warn_unused_result));

/* ---- service_links.c ---- */
/* The variables of the Services of a namespace (links), and of default/kubernetes: of those env does not have. False: no memory. */
bool service_links_add(struct nodes *nodes, const char *ns, bool links, struct map *env) __attribute__((warn_unused_result));

#endif
