#include "kube/transport.h"

#include "base/mem.h"

/* Connections that stay open for later; HTTP/2 needs one. */
enum { IDLE_CONNECTIONS = 8 };

struct socket {
    struct socket *previous, *next;
    struct transport *transport;
    struct loop_event *event;
    curl_socket_t fd;
};

struct transport {
    struct loop *loop;
    CURLM *multi;
    CURLSH *share;
    struct loop_event *timer;
    struct socket *sockets;
    bool broken;
    void (*progress)(void *data);
    void *data;
};

static void act(struct transport *transport, curl_socket_t fd, int what)
{
    int running;
    if (curl_multi_socket_action(transport->multi, fd, what, &running) != CURLM_OK)
        transport->broken = true;
    transport->progress(transport->data);
}

static void on_timer(void *data)
{
    act(data, CURL_SOCKET_TIMEOUT, 0);
}

static void on_socket(void *data, int what)
{
    const struct socket *socket = data;
    act(socket->transport, socket->fd, (what & LOOP_READ ? CURL_CSELECT_IN : 0) | (what & LOOP_WRITE ? CURL_CSELECT_OUT : 0));
}

static void socket_free(struct socket *socket)
{
    struct transport *transport = socket->transport;
    loop_drop(socket->event);
    if (socket->previous != NULL)
        socket->previous->next = socket->next;
    else
        transport->sockets = socket->next;
    if (socket->next != NULL)
        socket->next->previous = socket->previous;
    mem_free(socket);
}

/* curl says what it wants to know of a socket. */
static int curl_wants(CURL *easy, curl_socket_t fd, int what, void *data, void *assigned)
{
    (void)easy;
    struct transport *transport = data;
    struct socket *socket = assigned;
    if (what == CURL_POLL_REMOVE) {
        if (socket != NULL)
            socket_free(socket);
        return 0;
    }
    int wanted = (what & CURL_POLL_IN ? LOOP_READ : 0) | (what & CURL_POLL_OUT ? LOOP_WRITE : 0);
    if (socket != NULL) {
        loop_set_fd(socket->event, wanted);
        return 0;
    }
    socket = mem_zero(1, sizeof *socket);
    if (socket == NULL)
        goto failed;
    socket->transport = transport;
    socket->fd = fd;
    socket->event = loop_add_fd(transport->loop, fd, wanted, on_socket, socket);
    if (socket->event == NULL) {
        mem_free(socket);
        goto failed;
    }
    socket->next = transport->sockets;
    if (socket->next != NULL)
        socket->next->previous = socket;
    transport->sockets = socket;
    curl_multi_assign(transport->multi, fd, socket);
    return 0;
failed:
    transport->broken = true;
    loop_set_timer(transport->timer, 0); /* so that somebody notices */
    return -1;
}

static int curl_waits(CURLM *multi, long ms, void *data)
{
    (void)multi;
    struct transport *transport = data;
    if (!transport->broken)
        loop_set_timer(transport->timer, ms);
    return 0;
}

static void multi_end(struct transport *transport)
{
    curl_multi_cleanup(transport->multi);
    transport->multi = NULL;
    while (transport->sockets != NULL)
        socket_free(transport->sockets);
}

static bool multi_begin(struct transport *transport, struct error *err)
{
    CURLM *multi = transport->multi = curl_multi_init();
    transport->broken = false;
    if (multi != NULL && curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, curl_wants) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, transport) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, curl_waits) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_TIMERDATA, transport) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS) == CURLM_OK)
        return true;
    transport->broken = true;
    return error_memory(err);
}

struct transport *transport_new(struct loop *loop, void (*progress)(void *data), void *data, struct error *err)
{
    struct transport *transport = mem_zero(1, sizeof *transport);
    if (transport == NULL) {
        error_memory(err);
        return NULL;
    }
    if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, mem_alloc, mem_free, mem_resize, mem_string, mem_zero) != CURLE_OK) {
        mem_free(transport);
        error_memory(err);
        return NULL;
    }
    transport->loop = loop;
    transport->progress = progress;
    transport->data = data;
    transport->timer = loop_add_timer(loop, -1, on_timer, transport);
    transport->share = curl_share_init();
    if (transport->timer != NULL && transport->share != NULL &&
        curl_share_setopt(transport->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK && multi_begin(transport, err))
        return transport;
    error_memory(err);
    transport_free(transport);
    return NULL;
}

void transport_free(struct transport *transport)
{
    if (transport == NULL)
        return;
    multi_end(transport);
    if (transport->share != NULL)
        curl_share_cleanup(transport->share);
    loop_drop(transport->timer);
    mem_free(transport);
    curl_global_cleanup();
}

CURLSH *transport_share(struct transport *transport)
{
    return transport->share;
}

bool transport_add(struct transport *transport, CURL *easy, struct error *err)
{
    if (transport->broken || curl_multi_add_handle(transport->multi, easy) != CURLM_OK)
        return error_memory(err);
    return true;
}

void transport_remove(struct transport *transport, CURL *easy)
{
    if (transport->multi != NULL)
        curl_multi_remove_handle(transport->multi, easy);
}

CURL *transport_next_done(struct transport *transport, CURLcode *result)
{
    int left;
    const CURLMsg *message;
    while (transport->multi != NULL && (message = curl_multi_info_read(transport->multi, &left)) != NULL)
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            /* libcurl 7.88 may leave a connection behind that later requests to the same server wait for, in vain. */
            transport->broken = transport->broken || *result == CURLE_OUT_OF_MEMORY;
            return message->easy_handle;
        }
    return NULL;
}

bool transport_broken(const struct transport *transport)
{
    return transport->broken;
}

bool transport_renew(struct transport *transport, struct error *err)
{
    multi_end(transport);
    loop_set_timer(transport->timer, -1);
    return multi_begin(transport, err);
}
