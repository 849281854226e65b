/* node_labels.h: a Pod's nodeSelector and required node affinity, held against its node (for Pods that nobody scheduled).
 */
#ifndef KT_PRACTICE_NODE_NODE_LABELS_H
#define KT_PRACTICE_NODE_NODE_LABELS_H

#include "practice/node/node.h"

bool node_labels_fit(const struct node *node, const struct value *pod); /* true where the node has no object */

#endif
