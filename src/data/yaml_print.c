/* Printing YAML, by libyaml's emitter: the form of go-yaml, which kubectl prints with, comes from the same code. */
#include <limits.h>
#include <string.h>

#include <yaml.h>

#include "data/node.h"
#include "data/number.h"
#include "data/utf8.h"
#include "data/yaml.h"
#include "data/yaml_resolve.h"

static int write_out(void *data, unsigned char *bytes, size_t length)
{
    buf_append(data, bytes, length);
    return buf_ok(data);
}

/* libyaml frees the event even if it refuses it. */
static bool emit(yaml_emitter_t *emitter, int made, yaml_event_t *event)
{
    return made && yaml_emitter_emit(emitter, event);
}

static bool emit_scalar(yaml_emitter_t *emitter, const char *text, yaml_scalar_style_t style)
{
    yaml_event_t event;
    struct buf valid = buf_make(INT_MAX); /* the emitter would stop at bytes that are not UTF-8 */
    int plain = style == YAML_PLAIN_SCALAR_STYLE;
    buf_append_string(&valid, "");
    utf8_repair(text, strlen(text), &valid);
    bool ok = buf_ok(&valid);
    ok = ok && emit(emitter,
                    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)valid.bytes, (int)valid.length, plain,
                                                 1, style),
                    &event);
    buf_free(&valid);
    return ok;
}

/* As go-yaml chooses; the emitter itself turns to quotes where a style cannot hold the text. */
static yaml_scalar_style_t string_style(const char *text)
{
    if (strchr(text, '\n') != NULL)
        return YAML_LITERAL_SCALAR_STYLE;
    return yaml_plain_is_string(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

static bool emit_string(yaml_emitter_t *emitter, const char *text)
{
    return emit_scalar(emitter, text, string_style(text));
}

/* Without quotes, << would merge. */
static bool emit_key(yaml_emitter_t *emitter, const char *text)
{
    return emit_scalar(emitter, text, strcmp(text, "<<") == 0 ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : string_style(text));
}

static bool emit_number(yaml_emitter_t *emitter, double d)
{
    char text[NUMBER_TEXT];
    number_print(d, text);
    return emit_scalar(emitter, text, YAML_PLAIN_SCALAR_STYLE);
}

static bool emit_value(yaml_emitter_t *emitter, const cJSON *node, size_t depth);

static bool emit_entries(yaml_emitter_t *emitter, const cJSON *node, size_t depth)
{
    yaml_event_t event;
    bool object = cJSON_IsObject(node);
    bool ok = depth < NODE_DEPTH;
    ok = ok && emit(emitter,
                    object ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE)
                           : yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE),
                    &event);
    for (const cJSON *entry = node->child; ok && entry != NULL; entry = entry->next)
        ok = (!object || emit_key(emitter, entry->string)) && emit_value(emitter, entry, depth + 1);
    return ok && emit(emitter, object ? yaml_mapping_end_event_initialize(&event) : yaml_sequence_end_event_initialize(&event),
                      &event);
}

static bool emit_value(yaml_emitter_t *emitter, const cJSON *node, size_t depth)
{
    switch (node_kind(node)) {
    case cJSON_True: return emit_scalar(emitter, "true", YAML_PLAIN_SCALAR_STYLE);
    case cJSON_False: return emit_scalar(emitter, "false", YAML_PLAIN_SCALAR_STYLE);
    case cJSON_Number: return emit_number(emitter, node->valuedouble);
    case cJSON_Raw: return emit_scalar(emitter, node->valuestring, YAML_PLAIN_SCALAR_STYLE);
    case cJSON_String: return emit_string(emitter, node->valuestring);
    case cJSON_Array:
    case cJSON_Object: return emit_entries(emitter, node, depth);
    default: return emit_scalar(emitter, "null", YAML_PLAIN_SCALAR_STYLE);
    }
}

static bool print(yaml_emitter_t *emitter, const struct value *v)
{
    yaml_event_t event;
    return emit(emitter, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), &event) &&
           emit(emitter, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1), &event) &&
           (v != NULL ? emit_value(emitter, node_of(v), 0) : emit_scalar(emitter, "null", YAML_PLAIN_SCALAR_STYLE));
}

/* Behind a mapping or a list nothing need end the document; libyaml would write "..." if any text in it ends in an empty line.
 */
static bool end(yaml_emitter_t *emitter, const struct value *v, struct buf *out)
{
    yaml_event_t event;
    if (value_type(v) != VALUE_OBJECT && value_type(v) != VALUE_ARRAY)
        return emit(emitter, yaml_document_end_event_initialize(&event, 1), &event) &&
               emit(emitter, yaml_stream_end_event_initialize(&event), &event);
    if (!yaml_emitter_flush(emitter))
        return false;
    if (out->length > 0 && out->bytes[out->length - 1] != '\n')
        buf_append(out, "\n", 1);
    return true;
}

void yaml_print(const struct value *v, struct buf *out)
{
    yaml_emitter_t emitter;
    if (!yaml_emitter_initialize(&emitter)) {
        buf_fail(out);
        return;
    }
    yaml_emitter_set_output(&emitter, write_out, out);
    yaml_emitter_set_unicode(&emitter, 1);
    if (!print(&emitter, v) || !end(&emitter, v, out))
        buf_fail(out);
    yaml_emitter_delete(&emitter);
}
