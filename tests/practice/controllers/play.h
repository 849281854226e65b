/* play.h: plays the cases of workloads/ (record-workloads tells what is in one) and says what came of them, in the lines of the .want files.
 */
#ifndef KT_TESTS_PLAY_H
#define KT_TESTS_PLAY_H

#include "kubelet.h"

/* Plays one, in a namespace of its own, to its end; false: a step failed, which was told. */
bool play(struct cluster *cluster, const char *file, const char *ns);
/* What there is in a namespace, as lines in order; the caller frees. */
struct vec play_look(struct cluster *cluster, const char *ns);

#endif
