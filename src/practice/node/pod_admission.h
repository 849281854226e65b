/* pod_admission.h: whether a node takes a Pod that was bound to it (kubelet's general predicates).
 */
#ifndef KT_PRACTICE_NODE_POD_ADMISSION_H
#define KT_PRACTICE_NODE_POD_ADMISSION_H

#include "practice/node/pod.h"

enum { ADMISSION_MESSAGE = 512 };
/* False: it is refused, for reason ("OutOfcpu", "NodeAffinity", "NodePorts") and message. Else the node's account has it until pod_release. */
bool pod_admit(struct pod_worker *worker, const struct value *document, const struct pod_view *view, char reason[static 64], char message[static ADMISSION_MESSAGE]);
/* One that the node had already taken before this process began. */
bool pod_take_back(struct pod_worker *worker, const struct value *document, const struct pod_view *view);
void pod_release(struct pod_worker *worker);

#endif
