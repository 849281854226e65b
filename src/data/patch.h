/* patch.h: JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386) on documents, as kube-apiserver does them
 * (evanphx/json-patch v4 and what stands before it).
 *
 * What a client of a real server sees of a patch that does not fit is one sentence for all of them; it is err->message here,
 * too, and err->cause says what it was.
 */
#ifndef KT_DATA_PATCH_H
#define KT_DATA_PATCH_H

#include "base/error.h"
#include "data/value.h"

enum {
    PATCH_OPERATIONS = 10000,       /* of one JSON patch, as kube-apiserver's limit */
    PATCH_COPIES = 3 * 1024 * 1024, /* bytes of text that its "copy" operations may add, likewise */
};

/* The document with all operations done, a new value, or nothing done. Where the RFC leaves room, or the library leaves the
 * RFC: "replace" and "copy" take a key that is not there (copied is null), indexes may be negative and are read as "+1" or
 * "01", a pointer's text before its first slash counts for nothing, nothing is found below null. An operations document that
 * is null changes nothing. Deeper than JSON_DEPTH no operation puts anything. NULL: ERROR_INPUT: not a JSON patch (400);
 * ERROR_INVALID: an operation that does not fit, a failed test, too much copied (422); ERROR_LIMIT: too many operations
 * (413); ERROR_MEMORY. */
struct value *patch_json(const struct value *document, const struct value *operations, struct error *err)
    __attribute__((warn_unused_result));

/* RFC 7386; a new value. As in the library, null is left out of objects inside lists, too, but for a list that takes an
 * object's place. NULL: ERROR_INPUT (the patch is no object: 400), ERROR_MEMORY. */
struct value *patch_merge(const struct value *document, const struct value *patch, struct error *err)
    __attribute__((warn_unused_result));

#endif
