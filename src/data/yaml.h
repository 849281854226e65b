/* yaml.h: YAML text to values and back (libyaml's events).
 *
 * Scalars resolve exactly as kubectl resolves them (sigs.k8s.io/yaml: YAML 1.1 booleans yes/no/on/off/y/n?, octal, hex, floats,
 * null, quoted ones are strings; the cases in tests/data/yaml record kubectl's own answers). Anchors and merge keys work within an
 * expansion bound. Limits: YAML_DEPTH nesting, YAML_NODES values after expansion, YAML_EXPANSION bytes that aliases add.
 * As everywhere here, a NUL in a string ("\0") becomes U+FFFD.
 */
#ifndef KT_DATA_YAML_H
#define KT_DATA_YAML_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"

enum { YAML_DEPTH = 100, YAML_NODES = 1000000, YAML_EXPANSION = 64 * 1024 * 1024 };

enum yaml_duplicates { YAML_DUPLICATES_REFUSE, YAML_DUPLICATES_LAST }; /* a kubeconfig takes the last one, files refuse */

/* Parses every document of a stream (JSON is YAML, too); empty documents are left out. documents must be made with
 * vec_make(max, yaml_free_value) or is initialised here: the function calls vec_make itself; the caller calls vec_free.
 * err->where is NAME:LINE:COLUMN (from 1). ERROR_INPUT, ERROR_LIMIT (a bomb; says which bound), ERROR_MEMORY. */
bool yaml_parse_all(const char *text, size_t length, const char *name, enum yaml_duplicates duplicates, struct vec *documents,
                    struct error *err) __attribute__((warn_unused_result));

/* The same, but of keys that stand twice the last counts, and those of the first document are told in `twice` as Go's YAML tells them,
 * `line 7: key "a" already set in map` (strings that `twice` owns; once it is full the others are not told). */
bool yaml_parse_telling(const char *text, size_t length, const char *name, struct vec *twice, struct vec *documents,
                        struct error *err) __attribute__((warn_unused_result));

/* Parses exactly one document; none at all is a null value. */
struct value *yaml_parse(const char *text, size_t length, const char *name, enum yaml_duplicates duplicates, struct error *err)
    __attribute__((warn_unused_result));

/* Appends the value as a YAML block document in the form that kubectl prints (keys in given order, strings quoted only where they
 * would otherwise resolve to something else). Look at buf_ok afterwards. */
void yaml_print(const struct value *v, struct buf *out);

#endif
