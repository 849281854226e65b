/* template_hash: a number that a template's content alone decides. The entries of an object are summed, so that their order
 * does not count and nothing needs to be sorted. */
#include <stdio.h>
#include <string.h>

#include "data/number.h"
#include "practice/work/pod_maker.h"

static uint64_t mix(uint64_t hash) /* the finalizer of splitmix64 */
{
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return mix(hash);
}

static uint64_t hash_number(const struct value *v)
{
    char text[NUMBER_TEXT];
    double number = 0;
    int64_t integer;
    if (value_as_int(v, &integer))
        return mix((uint64_t)integer ^ 0x9e3779b97f4a7c15u);
    if (value_as_double(v, &number))
        number_print(number, text);
    else
        text[0] = '\0';
    return hash_text(text);
}

static uint64_t hash_value(const struct value *v)
{
    enum value_type type = value_type(v);
    uint64_t hash = mix((uint64_t)type + 1);
    switch (type) {
    case VALUE_OBJECT:
        for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry))
            if (value_type(entry) != VALUE_NULL) /* as if it were not there */
                hash += mix(hash_text(value_key(entry)) ^ (hash_value(entry) * 3));
        return mix(hash);
    case VALUE_ARRAY:
        for (const struct value *item = value_first(v); item != NULL; item = value_next(item))
            hash = mix(hash * 31 + hash_value(item));
        return hash;
    case VALUE_STRING:
        return mix(hash ^ hash_text(value_text(v)));
    case VALUE_NUMBER:
        return mix(hash ^ hash_number(v));
    case VALUE_BOOL:
        return mix(hash + value_is_true(v));
    case VALUE_NULL:
    case VALUE_MISSING:
        return hash;
    }
    return hash;
}

bool template_hash(const struct value *template, int64_t collisions, char out[static TEMPLATE_HASH])
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789"; /* no vowels: no words */
    uint64_t hash = hash_value(template);
    if (collisions > 0)
        hash = mix(hash + (uint64_t)collisions);
    snprintf(out, TEMPLATE_HASH, "%lu", (unsigned long)(uint32_t)(hash ^ (hash >> 32)));
    for (char *at = out; *at != '\0'; at++)
        *at = alphabet[(unsigned char)*at % (sizeof alphabet - 1)];
    return true;
}
