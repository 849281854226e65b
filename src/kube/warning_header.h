/* warning_header.h: the Warning header of HTTP (RFC 7234, 5.5), in which API servers speak of deprecated things.
 */
#ifndef KT_KUBE_WARNING_HEADER_H
#define KT_KUBE_WARNING_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

/* Adds the texts of all warnings with code 299 in a header's value (there may be several, with commas between) to a list of strings.
 * What is malformed, or more than the list takes, is left out. False: no memory. */
bool warning_header_read(const char *value, size_t length, struct vec *texts) __attribute__((warn_unused_result));

#endif
