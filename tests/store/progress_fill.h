/* progress_fill.h: something of everything in a progress, and the question whether it is still there. */
#ifndef KT_TESTS_STORE_PROGRESS_FILL_H
#define KT_TESTS_STORE_PROGRESS_FILL_H

#include "store/progress.h"

void progress_fill(struct progress *progress);
void progress_filled(struct progress *progress); /* fails the test if anything is missing */

#endif
