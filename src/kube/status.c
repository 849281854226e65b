#include "kube/status.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/lang.h"
#include "data/json.h"

enum { STATUS_TEXT_MAXIMUM = 1 << 20 }; /* bytes of an answer that are looked at */

/* Copies what fits, never half a UTF-8 character at the end. */
static void copy_cut(char *to, size_t room, const char *from, size_t length)
{
    if (length >= room) {
        length = room - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

static void copy_text(char *to, size_t room, const char *from)
{
    if (from != NULL)
        copy_cut(to, room, from, strlen(from));
}

void kube_status_from(struct kube_status *status, const struct value *object)
{
    *status = (struct kube_status){.retry_after_ms = -1};
    int64_t code = value_find_int(object, 0, "code", NULL);
    status->code = code > 0 && code < 1000 ? (int)code : 0;
    copy_text(status->reason, sizeof status->reason, value_find_text(object, "reason", NULL));
    copy_text(status->message, sizeof status->message, value_find_text(object, "message", NULL));
    const struct value *details = value_get(object, "details");
    copy_text(status->kind, sizeof status->kind, value_find_text(details, "kind", NULL));
    copy_text(status->group, sizeof status->group, value_find_text(details, "group", NULL));
    copy_text(status->name, sizeof status->name, value_find_text(details, "name", NULL));
    copy_text(status->uid, sizeof status->uid, value_find_text(details, "uid", NULL));
    int64_t seconds = value_find_int(details, -1, "retryAfterSeconds", NULL);
    if (seconds > 0 && seconds < 86400)
        status->retry_after_ms = seconds * 1000;
    const struct value *cause = value_first(value_get(details, "causes"));
    for (; cause != NULL && status->cause_count < KUBE_STATUS_CAUSES; cause = value_next(cause)) {
        size_t i = status->cause_count++;
        copy_text(status->causes[i].reason, sizeof status->causes[i].reason, value_find_text(cause, "reason", NULL));
        copy_text(status->causes[i].field, sizeof status->causes[i].field, value_find_text(cause, "field", NULL));
        copy_text(status->causes[i].message, sizeof status->causes[i].message, value_find_text(cause, "message", NULL));
    }
}

/* The first line that says something. */
static void first_line(struct kube_status *status, const char *body, size_t length)
{
    const char *end = body + length;
    while (body < end && strchr(" \t\r\n", *body) != NULL) /* a NUL, too, is passed over */
        body++;
    size_t line = 0;
    while (body + line < end && body[line] != '\n' && body[line] != '\r' && body[line] != '\0')
        line++;
    copy_cut(status->message, sizeof status->message, body, line);
}

void kube_status_read(struct kube_status *status, int code, const char *content_type, const char *body, size_t length)
{
    *status = (struct kube_status){.code = code, .retry_after_ms = -1};
    size_t looked_at = length < STATUS_TEXT_MAXIMUM ? length : STATUS_TEXT_MAXIMUM;
    if (looked_at == 0)
        return;
    bool json = body[0] == '{' || (content_type != NULL && strncasecmp(content_type, "application/json", 16) == 0);
    struct value *object = json ? json_parse(body, looked_at, "the answer", NULL) : NULL;
    const char *kind = value_find_text(object, "kind", NULL);
    if (kind != NULL && strcmp(kind, "Status") == 0) {
        kube_status_from(status, object);
        status->code = code != 0 ? code : status->code;
    } else if (content_type == NULL || strncasecmp(content_type, "text/html", 9) != 0) /* a page is nothing to quote */
        first_line(status, body, looked_at);
    value_free(object);
}

/* Reasons first: they are what the server means; then codes. Source: k8s.io/apimachinery, pkg/apis/meta/v1/types.go (StatusReason*). */
static const struct {
    const char *reason; /* NULL: any */
    int code;           /* 0: any */
    enum error_kind kind;
    const char *words; /* where the server says nothing itself */
} meanings[] = {
    {"AlreadyExists", 0, ERROR_EXISTS, N_("it exists already")},
    {"Conflict", 0, ERROR_CONFLICT, N_("it was changed meanwhile")},
    {"Expired", 0, ERROR_EXPIRED, N_("that version is no longer kept")},
    {"Gone", 0, ERROR_EXPIRED, N_("that version is no longer kept")},
    {"TooManyRequests", 0, ERROR_BUSY, N_("the server is busy")},
    {"ServerTimeout", 0, ERROR_BUSY, N_("the server could not do it in time; it may be tried again")},
    {"Timeout", 0, ERROR_TIMEOUT, N_("the server did not finish in time")},
    {NULL, 400, ERROR_INVALID, N_("the server cannot read the request")},
    {NULL, 401, ERROR_UNAUTHENTICATED, N_("the server does not accept the credentials")},
    {NULL, 403, ERROR_DENIED, N_("not permitted")},
    {NULL, 404, ERROR_NOT_FOUND, N_("not found")},
    {NULL, 405, ERROR_INVALID, N_("the server does not support that here")},
    {NULL, 406, ERROR_INVALID, N_("the server cannot answer in the form that was asked for")},
    {NULL, 409, ERROR_CONFLICT, N_("it conflicts with what is there")},
    {NULL, 410, ERROR_EXPIRED, N_("that version is no longer kept")},
    {NULL, 413, ERROR_INVALID, N_("it is too large for the server")},
    {NULL, 415, ERROR_INVALID, N_("the server does not accept this form of request")},
    {NULL, 422, ERROR_INVALID, N_("the server found it invalid")},
    {NULL, 429, ERROR_BUSY, N_("the server is busy")},
    {NULL, 500, ERROR_UNREACHABLE, N_("the server failed inside")},
    {NULL, 502, ERROR_UNREACHABLE, N_("a gateway before the server got no answer from it")},
    {NULL, 503, ERROR_BUSY, N_("the server is not available now")},
    {NULL, 504, ERROR_TIMEOUT, N_("the server did not finish in time")},
};

bool kube_status_error(const struct kube_status *status, const char *doing, const char *what, struct error *err)
{
    enum error_kind kind = status->code >= 500 || status->code == 0 ? ERROR_UNREACHABLE : ERROR_INTERNAL;
    char words[128], text[1100];
    snprintf(words, sizeof words, _("the server answered with status %d"), status->code);
    const char *said = words;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if ((meanings[i].reason == NULL || strcmp(meanings[i].reason, status->reason) == 0) &&
            (meanings[i].code == 0 || meanings[i].code == status->code)) {
            kind = meanings[i].kind;
            said = _(meanings[i].words);
            break;
        }
    if (status->code >= 300 && status->code < 400) {
        kind = ERROR_INVALID;
        said = _("the server answered with a redirect, which is not followed; is its address right?");
    }
    if (status->code == 401) /* "Unauthorized" alone explains nothing */
        snprintf(text, sizeof text, "%s%s%.300s%s", said, status->message[0] != '\0' ? " (" : "", status->message, status->message[0] != '\0' ? ")" : "");
    else
        snprintf(text, sizeof text, "%s", status->message[0] != '\0' ? status->message : said);
    size_t length = strlen(text);
    while (length > 0 && strchr(". \n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return error_set(err, kind, NULL, _("cannot %s %s: %s"), _(doing), what, text);
}
