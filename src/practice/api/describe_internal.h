/* describe_internal.h: what the parts of describe.h share.
 */
#ifndef KT_PRACTICE_API_DESCRIBE_INTERNAL_H
#define KT_PRACTICE_API_DESCRIBE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "practice/api/describe.h"

enum { DESCRIBE_TEXT = 32 << 20 /* bytes of one document */ };

/* Do both belong to the same group and version? */
bool same_group_version(const struct schema_kind *a, const struct schema_kind *b);

/* ---- discovery.c: each appends one document ---- */

/* /api */
void discovery_versions(const struct api *api, struct buf *out);
/* /apis, /apis/GROUP (false: no such group) */
void discovery_groups(const struct api *api, struct buf *out);
bool discovery_group(const struct api *api, const char *group, struct buf *out);
/* /api/v1 (group ""), /apis/GROUP/VERSION; false: not served */
bool discovery_resources(const struct api *api, const char *group, const char *version, struct buf *out);
/* The aggregated form of /api (core true) or /apis. */
void discovery_aggregated(const struct api *api, bool core, bool beta, struct buf *out);
/* / */
void discovery_paths(const struct api *api, struct buf *out);

#endif
