#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/http_internal.h"

/* True if a list like "keep-alive, Upgrade" holds the word. */
static bool has_token(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list != NULL && *list != '\0') {
        list += strspn(list, " \t,");
        size_t token = strcspn(list, " \t,");
        if (token == length && strncasecmp(list, word, length) == 0)
            return true;
        list += token;
    }
    return false;
}

bool http_wants_upgrade(const struct http_request *request, const char *protocol)
{
    const char *asked = http_header(request, "Upgrade");
    return !request->parsed->old && has_token(http_header(request, "Connection"), "upgrade") && asked != NULL && strcasecmp(asked, protocol) == 0;
}

bool http_gone(const struct http_request *request)
{
    const struct connection *connection = request->connection;
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (connection == NULL || connection->broken || getsockopt(connection->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        return true;
    return info.tcpi_state != TCP_ESTABLISHED;
}

/* The last thing that is done with it. */
static void end(struct http_request *request)
{
    struct http_upgraded upgrade = request->upgrade;
    void *data = request->data;
    request_free(request);
    upgrade.closed(data);
}

void upgrade_lost(struct http_request *request, struct log *log)
{
    request_log(request, log);
    request->connection = NULL;
    if (!request->in_more)
        end(request);
}

void http_upgrade(struct http_request *request, const char *protocol, const struct http_upgraded *upgraded, void *data)
{
    struct connection *connection = request->connection;
    request->upgrade = *upgraded;
    request->data = data;
    if (connection == NULL) {
        end(request);
        return;
    }
    request->upgraded = true;
    request->status = 101;
    http_add_header(request, "Connection", "Upgrade");
    http_add_header(request, "Upgrade", protocol);
    answer_switch(request);
    server_wait(&connection->reading, WAIT_QUIET);
    server_ready(connection); /* bytes may have come behind the request */
}

size_t http_send(struct http_request *request, const void *bytes, size_t length)
{
    struct connection *connection = request->connection;
    if (connection == NULL || connection->broken || request->ending)
        return length; /* it goes nowhere; `closed` says so */
    size_t room = connection->queue.length < HTTP_UNSENT ? HTTP_UNSENT - connection->queue.length : 0;
    size_t most = length < room ? length : room;
    request->wants_room |= most < length;
    connection_send(connection, bytes, most);
    request->bytes += most;
    connection_changed(connection);
    return most;
}

void http_resume(struct http_request *request)
{
    request->refused = false;
    if (request->connection != NULL)
        server_ready(request->connection);
}

void http_send_end(struct http_request *request)
{
    request->ending = true;
    if (request->connection != NULL)
        server_ready(request->connection);
}

void http_leave(struct http_request *request)
{
    struct connection *connection = request->connection;
    if (connection == NULL) {
        if (request->in_more) /* the frame that called its owner frees it */
            request->upgraded = false;
        else
            request_free(request);
        return;
    }
    request_log(request, connection->server->options.log);
    connection_answered(connection, true);
    if (request->in_more)
        request->connection = NULL, request->upgraded = false;
    else
        request_free(request);
    connection_left(connection);
}

/* Around a call of the owner. False: the request is gone. */
static bool call(struct connection *connection, struct http_request *request, void (*fn)(void *data))
{
    request->in_more = true;
    fn(request->data);
    request->in_more = false;
    if (connection->request == request && !connection->dead)
        return true;
    if (request->upgraded)
        end(request);
    else
        request_free(request); /* it was left */
    return false;
}

/* Offers what came. */
static bool offer(struct connection *connection, struct http_request *request)
{
    size_t length;
    for (const char *bytes; !request->refused && (bytes = connection_unparsed(connection, &length)) != NULL;) {
        request->in_more = true;
        size_t taken = request->upgrade.received(request->data, bytes, length);
        request->in_more = false;
        if (connection->request != request || connection->dead) {
            if (request->upgraded)
                end(request);
            else
                request_free(request);
            return false;
        }
        request->refused = taken < length;
        connection_take_unparsed(connection, taken < length ? taken : length);
    }
    return true;
}

void upgrade_pump(struct connection *connection)
{
    struct http_request *request = connection->request;
    size_t length;
    if (!offer(connection, request))
        return;
    if (connection->ended && !request->told_end && connection_unparsed(connection, &length) == NULL) {
        request->told_end = true;
        if (!call(connection, request, request->upgrade.ended))
            return;
    }
    if (request->wants_room && connection->queue.length <= HTTP_LOW) {
        request->wants_room = false;
        call(connection, request, request->upgrade.room);
    }
}
