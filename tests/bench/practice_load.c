/* practice_load HOST PORT CA CERTIFICATE KEY MODE ...: a client of an API server that costs little itself, over TLS with a client certificate, on kept
 * connections. Prints "name value" lines; times are in ms. In a target or body {n} stands for the request's number, six digits, {m} for its last two.
 *     ask METHOD TARGET TYPE BODYFILE FIRST COUNT CONNECTIONS   COUNT requests ("-": no type, no body): per_s, p50_ms, p99_ms, bytes (of the last answer)
 *     list TARGET OTHER                   one large answer and meanwhile requests on another connection: list_ms, first_ms, bytes, others_p50_ms, others_p99_ms
 *     watch TARGET CHANGE WATCHERS TURNS  merge patches of CHANGE until the last watcher has it, each turn: p50_ms, worst_ms
 * Any answer but 2xx ends it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/ssl.h>

#include "base/clock.h"

enum { MOST = 256, ROOM = 64 << 10, BODY = 64 << 10, NUMBER = 6 };

static void die(const char *what, const char *more)
{
    fprintf(stderr, "practice_load: %s %s\n", what, more);
    exit(1);
}

/* --- one connection, one answer at a time --- */

enum part { HEAD, LENGTH, CHUNK_SIZE, CHUNK, CHUNK_END, DONE };

struct client {
    SSL *ssl;
    int fd;
    int64_t began;
    enum part part;
    size_t left, bytes; /* of this part; of the body so far */
    char line[8192];    /* the head, or a chunk's size line */
    size_t line_length;
};

static SSL_CTX *context;
static const char *host;
static int port;

static void client_open(struct client *client)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int on = 1;
    *client = (struct client){.fd = socket(AF_INET, SOCK_STREAM, 0), .ssl = SSL_new(context)};
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1 || connect(client->fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("no connection to", host);
    if (client->ssl == NULL || SSL_set_fd(client->ssl, client->fd) != 1 || SSL_connect(client->ssl) != 1)
        die("no TLS with", host);
}

struct request {
    const char *method, *target, *type, *body; /* type and body NULL: none */
};

/* The text with the number in it. */
static size_t fill(char *out, size_t room, const char *text, unsigned number)
{
    size_t length = 0;
    while (*text != '\0' && length + NUMBER + 1 < room) {
        bool whole = strncmp(text, "{n}", 3) == 0;
        if (!whole && strncmp(text, "{m}", 3) != 0) {
            out[length++] = *text++;
            continue;
        }
        length += (size_t)snprintf(out + length, room - length, "%0*u", whole ? NUMBER : 2, whole ? number : number % 100);
        text += 3;
    }
    out[length] = '\0';
    return length;
}

static void client_ask(struct client *client, const struct request *request, unsigned number)
{
    static char target[4096], body[BODY], text[BODY + 8192];
    size_t length = request->body != NULL ? fill(body, sizeof body, request->body, number) : 0;
    fill(target, sizeof target, request->target, number);
    int head = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: %s:%d\r\nUser-Agent: bench\r\nAccept: application/json\r\n", request->method, target,
                        host, port);
    if (request->body != NULL)
        head += snprintf(text + head, sizeof text - (size_t)head, "Content-Type: %s\r\nContent-Length: %zu\r\n", request->type, length);
    head += snprintf(text + head, sizeof text - (size_t)head, "\r\n%s", request->body != NULL ? body : "");
    client->began = clock_monotonic_us();
    client->part = HEAD;
    client->line_length = client->bytes = 0;
    if (SSL_write(client->ssl, text, head) != head)
        die("the server is gone at", target);
}

/* What follows the head. */
static void head_read(struct client *client)
{
    client->line[client->line_length] = '\0';
    if (strncmp(client->line, "HTTP/1.1 2", 10) != 0)
        die("refused:", client->line);
    const char *length = strcasestr(client->line, "\r\ncontent-length:");
    client->part = length != NULL ? LENGTH : CHUNK_SIZE;
    client->left = length != NULL ? strtoul(length + strlen("\r\ncontent-length:"), NULL, 10) : 0;
    client->line_length = 0;
    if (length != NULL && client->left == 0)
        client->part = DONE;
}

/* Adds bytes up to the line's (the head's) end; how many it took. */
static size_t take_line(struct client *client, const char *bytes, size_t length)
{
    const char *end = client->part == HEAD ? "\r\n\r\n" : "\r\n";
    size_t wide = strlen(end), taken = 0;
    while (taken < length) {
        if (client->line_length == sizeof client->line - 1)
            die("too long a line from", host);
        client->line[client->line_length++] = bytes[taken++];
        if (client->line_length < wide || memcmp(client->line + client->line_length - wide, end, wide) != 0)
            continue;
        if (client->part == HEAD) {
            head_read(client);
        } else if (client->part == CHUNK_END) {
            client->part = client->left == 0 ? DONE : CHUNK_SIZE;
        } else {
            client->left = strtoul(client->line, NULL, 16);
            client->part = client->left > 0 ? CHUNK : CHUNK_END;
        }
        client->line_length = 0;
        break;
    }
    return taken;
}

/* Goes on with an answer by what came. */
static void take(struct client *client, const char *bytes, size_t length)
{
    while (length > 0 && client->part != DONE) {
        size_t taken = length < client->left ? length : client->left;
        if (client->part != LENGTH && client->part != CHUNK) {
            taken = take_line(client, bytes, length);
        } else {
            client->left -= taken;
            client->bytes += taken;
            if (client->left == 0 && client->part == LENGTH)
                client->part = DONE;
            else if (client->left == 0) {
                client->part = CHUNK_END;
                client->left = 1; /* not the last chunk's */
            }
        }
        bytes += taken;
        length -= taken;
    }
}

static char bytes[ROOM];

/* One read, which waits for bytes; how many. */
static size_t client_hear(struct client *client)
{
    int length = SSL_read(client->ssl, bytes, sizeof bytes);
    if (length <= 0)
        die("closed by", host);
    take(client, bytes, (size_t)length);
    return (size_t)length;
}

static void client_finish(struct client *client)
{
    while (client->part != DONE)
        client_hear(client);
}

/* --- figures --- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double part_of(double *samples, size_t count, double part)
{
    if (count == 0)
        return 0;
    qsort(samples, count, sizeof *samples, compare);
    return samples[(size_t)((double)(count - 1) * part)];
}

static double since(int64_t began_us)
{
    return (double)(clock_monotonic_us() - began_us) / 1e3;
}

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count, size);
    if (room == NULL)
        die("no memory", "");
    return room;
}

/* --- modes --- */

static const char *read_body(const char *path)
{
    static char body[BODY];
    FILE *file = fopen(path, "r");
    size_t length = file != NULL ? fread(body, 1, sizeof body - 1, file) : 0;
    if (length == 0)
        die("cannot read", path);
    fclose(file);
    body[length] = '\0';
    return body;
}

static void ask(char **arguments)
{
    struct request request = {.method = arguments[0], .target = arguments[1]};
    unsigned number = (unsigned)atoi(arguments[4]), end = number + (unsigned)atoi(arguments[5]), count = end - number;
    size_t connections = (size_t)atoi(arguments[6]), waiting = 0, done = 0;
    if (strcmp(arguments[3], "-") != 0) {
        request.type = arguments[2];
        request.body = read_body(arguments[3]);
    }
    struct client *clients = room_for(connections, sizeof *clients);
    struct pollfd *waits = room_for(connections, sizeof *waits);
    double *samples = room_for(count, sizeof *samples);
    for (size_t i = 0; i < connections; i++) {
        client_open(&clients[i]);
        waits[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
    }
    int64_t began = clock_monotonic_us();
    for (; waiting < connections && number < end; waiting++)
        client_ask(&clients[waiting], &request, number++);
    while (waiting > 0) {
        if (poll(waits, connections, 600000) <= 0)
            die("no answer from", host);
        for (size_t i = 0; i < connections; i++) {
            if ((waits[i].revents & (POLLIN | POLLHUP)) == 0)
                continue;
            do
                client_hear(&clients[i]);
            while (clients[i].part != DONE && SSL_pending(clients[i].ssl) > 0);
            if (clients[i].part != DONE)
                continue;
            samples[done++] = since(clients[i].began);
            if (number < end)
                client_ask(&clients[i], &request, number++);
            else
                waiting--;
        }
    }
    printf("per_s %.1f\n", count / (since(began) / 1e3));
    printf("p50_ms %.3f\np99_ms %.3f\nbytes %zu\n", part_of(samples, done, 0.5), part_of(samples, done, 0.99), clients[0].bytes);
}

static void list(char **arguments)
{
    struct request request = {.method = "GET", .target = arguments[0]}, small = {.method = "GET", .target = arguments[1]};
    enum { SAMPLES = 1 << 20 };
    double *samples = room_for(SAMPLES, sizeof *samples), first = 0, last = 0;
    size_t done = 0;
    struct client large, other;
    client_open(&large);
    client_open(&other);
    struct pollfd waits[] = {{.fd = large.fd, .events = POLLIN}, {.fd = other.fd, .events = POLLIN}};
    client_ask(&large, &request, 0);
    client_ask(&other, &small, 0);
    while (large.part != DONE || other.part != DONE) {
        if (poll(waits, 2, 600000) <= 0)
            die("no answer from", host);
        if ((waits[1].revents & (POLLIN | POLLHUP)) != 0) { /* before the list: it is the server's time that counts */
            client_finish(&other);
            if (done < SAMPLES)
                samples[done++] = since(other.began);
            if (large.part != DONE)
                client_ask(&other, &small, 0);
            else
                waits[1].fd = -1;
        }
        if ((waits[0].revents & (POLLIN | POLLHUP)) == 0)
            continue;
        client_hear(&large);
        first = first > 0 ? first : since(large.began);
        last = since(large.began);
        if (large.part == DONE)
            waits[0].fd = -1;
    }
    printf("list_ms %.3f\nfirst_ms %.3f\nbytes %zu\n", last, first, large.bytes);
    printf("others_p50_ms %.3f\nothers_p99_ms %.3f\n", part_of(samples, done, 0.5), part_of(samples, done, 0.99));
}

static void watch(char **arguments)
{
    struct request request = {.method = "GET", .target = arguments[0]};
    struct request change = {.method = "PATCH", .target = arguments[1], .type = "application/merge-patch+json",
                             .body = "{\"metadata\":{\"annotations\":{\"turn\":\"turn-{n}\"}}}"};
    size_t count = (size_t)atoi(arguments[2]), turns = (size_t)atoi(arguments[3]);
    static struct client clients[MOST], writer;
    struct pollfd waits[MOST];
    double *samples = room_for(turns, sizeof *samples);
    if (count > MOST)
        die("too many watchers:", arguments[2]);
    client_open(&writer);
    for (size_t i = 0; i < count; i++) {
        client_open(&clients[i]);
        client_ask(&clients[i], &request, 0);
        while (clients[i].part == HEAD)
            client_hear(&clients[i]);
    }
    for (size_t turn = 0; turn < turns; turn++) {
        char mark[32];
        size_t waiting = count;
        snprintf(mark, sizeof mark, "turn-%0*u", NUMBER, (unsigned)turn);
        for (size_t i = 0; i < count; i++)
            waits[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
        client_ask(&writer, &change, (unsigned)turn);
        while (waiting > 0) {
            if (poll(waits, count, 60000) <= 0)
                die("an event is missing from", host);
            for (size_t i = 0; i < count; i++) {
                if ((waits[i].revents & (POLLIN | POLLHUP)) == 0)
                    continue;
                size_t length = client_hear(&clients[i]); /* an event is one record, and so is its mark */
                if (memmem(bytes, length, mark, strlen(mark)) == NULL)
                    continue;
                waits[i].fd = -1;
                waiting--;
            }
        }
        samples[turn] = since(writer.began);
        client_finish(&writer);
    }
    printf("p50_ms %.3f\nworst_ms %.3f\n", part_of(samples, turns, 0.5), part_of(samples, turns, 1));
}

static const struct mode {
    const char *name;
    int arguments;
    void (*run)(char **arguments);
} modes[] = {{"ask", 7, ask}, {"list", 2, list}, {"watch", 4, watch}};

int main(int argc, char **argv)
{
    context = SSL_CTX_new(TLS_client_method());
    if (argc < 7 || context == NULL)
        die("practice_load HOST PORT CA CERTIFICATE KEY MODE ...", "");
    host = argv[1];
    port = atoi(argv[2]);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (SSL_CTX_load_verify_locations(context, argv[3], NULL) != 1 || SSL_CTX_use_certificate_chain_file(context, argv[4]) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, argv[5], SSL_FILETYPE_PEM) != 1)
        die("credentials cannot be read:", argv[3]);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[6], modes[i].name) == 0 && argc - 7 == modes[i].arguments) {
            modes[i].run(argv + 7);
            return 0;
        }
    }
    die("no such mode, or wrong arguments:", argv[6]);
}
