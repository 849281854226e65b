/* negotiate.h: which form an answer takes (Accept), and which form a body has (Content-Type). Orders and refusals are the real server's (apiserver's
 * endpoints/handlers/negotiation). Answers are JSON or YAML; who asks for protobuf gets the next form on its list, or 406.
 */
#ifndef KT_PRACTICE_API_NEGOTIATE_H
#define KT_PRACTICE_API_NEGOTIATE_H

#include <stdbool.h>

#include "practice/api/status.h"

enum format_as { AS_OBJECT, AS_TABLE, AS_PARTIAL, AS_PARTIAL_LIST };

struct format {
    bool yaml;
    enum format_as as;
    bool beta; /* meta.k8s.io/v1beta1 of it */
    bool pretty;
};

enum negotiate_what {
    NEGOTIATE_OBJECT, /* an object */
    NEGOTIATE_REVIEW, /* what has no Table: reviews, tokens, evictions, bindings */
    NEGOTIATE_LIST,   /* a list: the same, but that refusals name streams, too */
    NEGOTIATE_WATCH,  /* a stream: JSON only */
};

/* accept, user_agent: headers or NULL; pretty: the query's word or NULL. False: 406. */
bool negotiate(const char *accept, const char *user_agent, const char *pretty, enum negotiate_what what, struct format *out, struct status *failure);

enum body_type { BODY_JSON, BODY_YAML, BODY_PROTOBUF, BODY_OTHER };
/* type: the header or NULL. */
enum body_type body_type(const char *type);
/* The media type alone equals one ("application/merge-patch+json"); parameters and case do not count. */
bool media_is(const char *type, const char *wanted);

#endif
