/* units.h: Kubernetes' quantities, times and durations.
 */
#ifndef KT_DATA_UNITS_H
#define KT_DATA_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compares two quantities ("100m", "1Gi", "2e3", "0.5"), as resource.Quantity does: *order is <0, 0, >0. False if one is malformed.
 * Source: k8s.io/apimachinery, api/resource/quantity.go. */
bool quantity_compare(const char *a, const char *b, int *order) __attribute__((warn_unused_result));
bool quantity_valid(const char *text);

/* The text that the server makes of a quantity: "1000m" becomes "1", "1024Mi" "1Gi"; what is in canonical form stays as it is written. Parts finer than
 * `unit` are rounded away from zero. False: malformed. */
enum quantity_unit { QUANTITY_NANO = -9, QUANTITY_MILLI = -3 };
enum { QUANTITY_TEXT = 256 };
bool quantity_canonical(const char *text, enum quantity_unit unit, char out[static QUANTITY_TEXT]) __attribute__((warn_unused_result));
/* What the server says about a malformed one. */
const char *quantity_fault(const char *text);

/* RFC 3339 ("2026-01-02T03:04:05Z", fractions, offsets) to ms since 1970 UTC, and back ("...Z", whole seconds; out has 21 bytes). */
bool time_parse(const char *text, int64_t *ms) __attribute__((warn_unused_result));
void time_print(int64_t ms, char out[static 21]);

/* Go-like durations: "30s", "1m30s", "250ms", "2h"; a bare number is seconds. False if malformed, negative or over ten years. */
bool duration_parse(const char *text, int64_t *ms) __attribute__((warn_unused_result));
/* As kubectl shows ages: 45s, 3m20s, 5h, 12d. out has 16 bytes. */
void duration_print(int64_t ms, char out[static 16]);

/* base64 (RFC 4648), standard alphabet with or without padding. Decoding: the caller frees; NULL if malformed or no memory; a NUL follows. */
bool base64_valid(const char *text, size_t length); /* tells the two apart */
char *base64_decode(const char *text, size_t length, size_t *decoded) __attribute__((warn_unused_result));
char *base64_encode(const void *bytes, size_t length) __attribute__((warn_unused_result));

#endif
