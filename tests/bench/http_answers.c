/* http_answers SECONDS: the practice cluster's HTTP server, in a process of its own, seen by a client over TLS. Prints "name value" lines: making keys and
 * certificates and listening (ms); answers of 2 KB on 8 kept connections (a second; ms that 99 of 100 took at most); a streamed list of 47 MB (ms, and to its
 * first byte) and how long other requests took meanwhile, the same compressed; memory of an idle connection (KiB). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "net/crypto.h"
#include "net/http.h"

enum { KEPT = 8, IDLE = 500, SMALL = 2048, LIST = 47 << 20, SLICE = 64 << 10, SAMPLES = 4 << 20 };

static void die(const char *what)
{
    fprintf(stderr, "http_answers: %s\n", what);
    exit(1);
}

/* --- the server --- */

static char slice[SLICE];

static enum http_more more(void *data, struct http_request *request)
{
    size_t *left = data, length = *left < SLICE ? *left : SLICE;
    http_write(request, slice, length);
    *left -= length;
    return *left > 0 ? HTTP_MORE : HTTP_DONE;
}

static void on_request(void *data, struct http_request *request)
{
    static const struct http_source source = {.more = more, .closed = mem_free};
    (void)data;
    if (strcmp(http_path(request), "/list") != 0) {
        http_answer(request, 200, "application/json", slice, SMALL);
        return;
    }
    size_t *left = mem_alloc(sizeof *left);
    if (left == NULL)
        die("no memory");
    *left = LIST;
    http_stream(request, 200, "application/json", true, &source, left);
}

static char *certify(enum crypto_use use, const struct crypto_key *key, const char *issuer, const struct crypto_key *issuer_key)
{
    static const char *const names[] = {"localhost", "127.0.0.1", NULL};
    int64_t now = clock_wall_ms();
    struct crypto_certificate wanted = {.use = use, .key = key, .common_name = "bench", .names = use == CRYPTO_SERVER ? names : NULL, .from_ms = now,
                                        .until_ms = now + 3600000, .issuer = issuer, .issuer_key = issuer_key};
    return crypto_certificate_new(&wanted, NULL);
}

static void serve(int port_to)
{
    int64_t began = clock_monotonic_us();
    struct loop *loop = loop_new(NULL);
    struct crypto_key *authority_key = crypto_key_new(NULL), *key = crypto_key_new(NULL), *client_key = crypto_key_new(NULL);
    if (loop == NULL || authority_key == NULL || key == NULL || client_key == NULL)
        die("no keys");
    char *authority = certify(CRYPTO_AUTHORITY, authority_key, NULL, NULL), *certificate = certify(CRYPTO_SERVER, key, authority, authority_key);
    char *client = certify(CRYPTO_CLIENT, client_key, authority, authority_key), *pem = crypto_key_pem(key, NULL);
    unsigned i = 0;
    for (int at = 0; at < SLICE - 256; i++) /* about as compressible as a list of pods */
        at += sprintf(slice + at, "{\"metadata\":{\"name\":\"web-%08x\",\"uid\":\"%08x-%08x\"},\"status\":{\"phase\":\"Running\"}},", i * 2654435761U, i * 40503U,
                      i * 2246822519U);
    struct http_options options = {.address = "127.0.0.1", .certificate = certificate, .key = pem, .client_authority = authority, .request = on_request};
    struct error err = ERROR_INIT;
    struct http_server *server = client != NULL ? http_server_new(loop, &options, &err) : NULL;
    if (server == NULL)
        die(err.message);
    uint16_t port = http_server_port(server);
    printf("start_ms %.3f\n", (double)(clock_monotonic_us() - began) / 1e3);
    fflush(stdout);
    if (write(port_to, &port, sizeof port) != sizeof port)
        die("no pipe");
    loop_run(loop); /* until it is killed */
}

static double memory_kib(pid_t pid)
{
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return (double)kib;
}

/* --- the client --- */

struct client {
    SSL *ssl;
    int fd;
    int64_t began;
    size_t got, wanted;
};

static SSL_CTX *context;
static uint16_t port;

static struct client connect_one(void)
{
    struct client client = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1;
    setsockopt(client.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    client.ssl = SSL_new(context);
    if (connect(client.fd, (struct sockaddr *)&to, sizeof to) != 0 || client.ssl == NULL || SSL_set_fd(client.ssl, client.fd) != 1 ||
        SSL_connect(client.ssl) != 1)
        die("no connection");
    return client;
}

static void ask(struct client *client, const char *path, const char *coding)
{
    char request[192];
    int length = snprintf(request, sizeof request,
                          "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAccept-Encoding: %s\r\nUser-Agent: bench\r\n\r\n", path, coding);
    client->began = clock_monotonic_us();
    client->got = 0;
    if (SSL_write(client->ssl, request, length) != length)
        die("the server is gone");
}

/* One blocking read; true when the whole answer is there. */
static bool hear(struct client *client)
{
    static char bytes[SLICE];
    int length = SSL_read(client->ssl, bytes, sizeof bytes);
    if (length <= 0)
        die("the server closed");
    if (client->wanted == 0) { /* the first answer comes in one write, and the others are as long */
        const char *end = memmem(bytes, (size_t)length, "\r\n\r\n", 4);
        if (end == NULL)
            die("no head");
        client->wanted = (size_t)(end + 4 - bytes) + SMALL;
    }
    client->got += (size_t)length;
    return client->got >= client->wanted;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static double percentile(int32_t *samples, size_t count, double part)
{
    if (count == 0)
        return 0;
    qsort(samples, count, sizeof *samples, compare);
    return (double)samples[(size_t)((double)(count - 1) * part)] / 1e3;
}

/* Keeps all clients asking until the time is over or *done; says how many answers came. */
static size_t keep_asking(struct client *clients, size_t count, int64_t until, bool (*on_other)(void *), void *data, int other, int32_t *samples)
{
    struct pollfd waits[KEPT + 1] = {{0}};
    size_t answers = 0;
    for (size_t i = 0; i < count; i++) {
        waits[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
        ask(&clients[i], "/small", "identity");
    }
    waits[count] = (struct pollfd){.fd = other, .events = POLLIN};
    bool over = false;
    for (size_t waiting = count; waiting > 0;) {
        if (poll(waits, count + 1, 5000) <= 0)
            die("no answer");
        if ((waits[count].revents & POLLIN) != 0 && on_other(data)) {
            waits[count].fd = -1;
            over = true;
        }
        over = over || clock_monotonic_us() >= until;
        for (size_t i = 0; i < count; i++) {
            if ((waits[i].revents & (POLLIN | POLLHUP)) == 0 || !hear(&clients[i]))
                continue;
            if (answers < SAMPLES)
                samples[answers] = (int32_t)(clock_monotonic_us() - clients[i].began);
            answers++;
            if (over) {
                waits[i].fd = -1;
                waiting--;
            } else
                ask(&clients[i], "/small", "identity");
        }
    }
    return answers;
}

struct list {
    struct client client;
    int64_t first, last;
};

/* Reads what is there; true at the list's end. */
static bool read_list(void *data)
{
    struct list *list = data;
    static char bytes[SLICE];
    int length = SSL_read(list->client.ssl, bytes, sizeof bytes);
    if (length <= 0)
        die("the list was cut");
    if (list->first == 0)
        list->first = clock_monotonic_us();
    list->last = clock_monotonic_us();
    return length >= 5 && memcmp(bytes + length - 5, "0\r\n\r\n", 5) == 0;
}

static void measure(double seconds, pid_t server)
{
    static int32_t samples[SAMPLES];
    struct client clients[KEPT];
    for (size_t i = 0; i < KEPT; i++)
        clients[i] = connect_one();
    int64_t began = clock_monotonic_us();
    size_t answers = keep_asking(clients, KEPT, began + (int64_t)(seconds * 1e6), NULL, NULL, -1, samples);
    printf("answers_s %.0f\n", (double)answers / ((double)(clock_monotonic_us() - began) / 1e6));
    printf("p99_ms %.3f\n", percentile(samples, answers < SAMPLES ? answers : SAMPLES, 0.99));
    struct list list = {.client = connect_one()};
    ask(&list.client, "/list", "identity");
    answers = keep_asking(clients, 1, INT64_MAX, read_list, &list, list.client.fd, samples);
    printf("list_first_ms %.3f\nlist_ms %.3f\n", (double)(list.first - list.client.began) / 1e3, (double)(list.last - list.client.began) / 1e3);
    printf("others_p99_ms %.3f\n", percentile(samples, answers, 0.99));
    list = (struct list){.client = list.client};
    ask(&list.client, "/list", "identity");
    while (!read_list(&list))
        ;
    printf("list_alone_ms %.3f\n", (double)(list.last - list.client.began) / 1e3);
    list = (struct list){.client = list.client};
    ask(&list.client, "/list", "gzip");
    answers = keep_asking(clients, 1, INT64_MAX, read_list, &list, list.client.fd, samples);
    printf("gzip_ms %.3f\ngzip_others_p99_ms %.3f\n", (double)(list.last - list.client.began) / 1e3, percentile(samples, answers, 0.99));
    double before = memory_kib(server);
    began = clock_monotonic_us();
    static struct client idle[IDLE];
    for (size_t i = 0; i < IDLE; i++)
        idle[i] = connect_one();
    printf("handshake_ms %.3f\n", (double)(clock_monotonic_us() - began) / 1e3 / IDLE);
    for (size_t i = 0; i < IDLE; i++)
        for (ask(&idle[i], "/small", "identity"); !hear(&idle[i]);)
            ;
    printf("idle_kib %.1f\nserver_kib %.0f\n", (memory_kib(server) - before) / IDLE, before);
}

int main(int argc, char **argv)
{
    int pipe_ends[2];
    if (argc != 2 || pipe(pipe_ends) != 0)
        die("http_answers SECONDS");
    pid_t server = fork();
    if (server == 0) {
        serve(pipe_ends[1]);
        return 0;
    }
    if (read(pipe_ends[0], &port, sizeof port) != sizeof port)
        die("no server");
    context = SSL_CTX_new(TLS_client_method());
    measure(atof(argv[1]), server);
    kill(server, SIGKILL);
    return 0;
}
