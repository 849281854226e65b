/* json_scan.h: the guard in front of cJSON, which takes more than JSON and loses some of what JSON can say (docs/measured.md).
 */
#ifndef KT_DATA_JSON_SCAN_H
#define KT_DATA_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* The first byte of a string that stands for an integer which a double cannot hold. Valid UTF-8 has no such byte, and the scan
 * lets nothing else pass, so that no real string can be taken for one. */
enum { JSON_EXACT_MARK = 0xFF };

/* Checks a whole document strictly (RFC 8259, JSON_DEPTH). Where cJSON would lose something (bytes that are not UTF-8, \u0000,
 * halves of surrogate pairs, integers beyond 2^53, very long numbers), `clean` gets a copy of the whole text with these places
 * rewritten; it stays empty if there are none, and the text itself can be parsed. */
bool json_scan(const char *text, size_t length, const char *name, struct buf *clean, struct error *err) __attribute__((warn_unused_result));

#endif
