#include "kube/heard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void keep(struct heard *heard, const char *bytes, size_t length)
{
    size_t room = sizeof heard->body - 1, kept = heard->length < room ? heard->length : room;
    size_t more = length < room - kept ? length : room - kept;
    memcpy(heard->body + kept, bytes, more);
    heard->body[kept + more] = '\0';
    heard->length += length;
}

void heard_data(void *data, const char *bytes, size_t length)
{
    struct heard *heard = data;
    assert_false(heard->done);
    assert_true(length > 0);
    heard->data_count++;
    keep(heard, bytes, length);
}

void heard_done(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct heard *heard = data;
    heard->done = true;
    heard->done_count++;
    heard->ok = error == NULL;
    heard->code = answer->code;
    assert_non_null(status);
    assert_non_null(answer->body);
    assert_int_equal(answer->body[answer->length], '\0');
    snprintf(heard->content_type, sizeof heard->content_type, "%s", answer->content_type);
    keep(heard, answer->body, answer->length);
    heard->status = *status;
    if (error != NULL)
        heard->error = *error;
}

struct kube_client *client_for(struct loop *loop, const char *server, const char *cluster, const char *user)
{
    char text[16384];
    struct error err = ERROR_INIT;
    int length = snprintf(text, sizeof text,
                          "clusters: [{name: c, cluster: {server: '%s'%s%s}}]\nusers: [{name: u, user: {%s}}]\n"
                          "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
                          server, cluster[0] != '\0' ? ", " : "", cluster, user);
    assert_in_range(length, 1, sizeof text - 1);
    struct kube_config *config = kube_config_parse(text, (size_t)length, "/test", &err);
    if (config == NULL)
        fail_msg("%s | %s", err.where, err.message);
    struct kube_client *client = kube_client_new(loop, config, NULL, &err);
    if (client == NULL)
        fail_msg("%s", err.message);
    return client;
}

void until(struct kube_client *client, const bool *done)
{
    assert_true(loop_until(kube_client_loop(client), done, 20000));
}

void get(struct kube_client *client, const char *path, struct heard *heard)
{
    struct error err = ERROR_INIT;
    memset(heard, 0, sizeof *heard);
    assert_non_null(kube_send(client, &(struct kube_request){.method = "GET", .path = path}, NULL, heard_done, heard, &err));
    assert_false(heard->done);
    until(client, &heard->done);
    assert_int_equal(heard->done_count, 1);
}
