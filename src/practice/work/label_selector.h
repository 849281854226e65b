/* label_selector.h: label selectors of objects, which the API itself needs, too.
 */
#ifndef KT_PRACTICE_WORK_LABEL_SELECTOR_H
#define KT_PRACTICE_WORK_LABEL_SELECTOR_H

#include "practice/api/label_selector.h"

#endif
