/* forward.h: port-forward: connections to ports of a Pod on one side; on the other pairs of SPDY streams (forward_spdy.c) or of WebSocket channels (forward_ws.c), data and errors.
 */
#ifndef KT_PRACTICE_API_FORWARD_H
#define KT_PRACTICE_API_FORWARD_H

#include <stdint.h>

#include "base/buf.h"
#include "practice/api/connect.h"

struct forward { /* a client's session; the first field of both kinds */
    struct open_stream open;
    struct exchange *exchange;
    const struct backend *backend;
};

/* The client's side of a port. */
struct port;
struct port_ops {
    size_t (*send)(struct port *port, const void *bytes, size_t length); /* fewer than all: port_room follows */
    void (*end)(struct port *port, const char *failure);                 /* the Pod's side is closed; failure NULL: in order. The port is not used any more, it may be freed */
    void (*resume)(struct port *port);                                   /* after port_received took not all */
};
struct port {
    const struct port_ops *ops;
    struct forward *forward;
    uint16_t number;
    struct backend_connection *connection; /* NULL: closed */
    struct buf waiting;                    /* of the client's bytes, until the Pod takes them: so that one port does not hold up the others at once */
    bool connected, refused, ended, holds_output;
};

/* Connects; a failure is told by `end`, later or from inside of it. */
void port_open(struct port *port, struct forward *forward, uint16_t number, const struct port_ops *ops);
size_t port_received(struct port *port, const void *bytes, size_t length);
void port_ended(struct port *port); /* the client sends no more */
void port_room(struct port *port);
void port_close(struct port *port); /* what it holds; not the memory */

/* Starts a session on an upgraded connection; false: answered. */
void forward_spdy(struct exchange *exchange, const char *tunnel);
void forward_ws(struct exchange *exchange, const char *protocol);
/* The ports of the query; false: 400 in the failure. */
enum { FORWARD_PORTS = 64 };
bool forward_ports(struct exchange *exchange, uint16_t ports[static FORWARD_PORTS], size_t *count);

#endif
