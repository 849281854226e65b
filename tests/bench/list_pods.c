/* list_pods KUBECONFIG ROUNDS: a list of all pods, 500 a page, from the server that the kubeconfig names. Prints "name value"
 * lines (ms, bytes, pods): the pages as they came parsed again from memory, and the whole list by kube_list, with compression
 * as a kubeconfig has it and without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/vec.h"
#include "data/json.h"
#include "kube/client.h"
#include "kube/verbs.h"

enum { LIMIT = 500, PAGES = 200, LONGEST_MS = 120000 };

struct page {
    char *text;
    size_t length;
};

struct bench {
    struct loop *loop;
    struct kube_client *client;
    struct vec pages; /* of struct page */
    size_t bytes, pods;
    bool done;
};

static double ms_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void die(const char *what, const struct error *err)
{
    fprintf(stderr, "list_pods: %s: %s\n", what, err->message);
    exit(1);
}

static struct kube_client *client_for(struct loop *loop, const char *file, bool compressed)
{
    struct error err = ERROR_INIT;
    struct kube_config *config = NULL;
    struct kube_config_options options = {.file = file};
    if (!kube_config_load(&options, &config, &err) || config == NULL)
        die(file, &err);
    config->disable_compression = !compressed;
    struct kube_client *client = kube_client_new(loop, config, NULL, &err);
    if (client == NULL)
        die("no client", &err);
    return client;
}

/* ---- the pages as text ---- */

static void free_page(void *item)
{
    struct page *page = item;
    mem_free(page->text);
    mem_free(page);
}

static void ask(struct bench *bench, const char *token);

static void got_page(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct bench *bench = data;
    struct error err = ERROR_INIT;
    (void)status;
    if (error != NULL)
        die("a page", error);
    struct page *page = mem_zero(1, sizeof *page);
    struct value *list = json_parse(answer->body, answer->length, "a page", &err);
    if (page == NULL || list == NULL || (page->text = mem_string_n(answer->body, answer->length)) == NULL ||
        !vec_push(&bench->pages, page))
        die("a page", &err);
    page->length = answer->length;
    bench->bytes += answer->length;
    bench->pods += value_length(value_get(list, "items"));
    const char *token = value_find_text(list, "metadata", "continue", NULL);
    if (token != NULL && token[0] != '\0')
        ask(bench, token);
    else
        bench->done = true;
    value_free(list);
}

static void ask(struct bench *bench, const char *token)
{
    struct error err = ERROR_INIT;
    struct buf query = buf_make(16384);
    buf_printf(&query, "limit=%d", LIMIT);
    kube_query(&query, "continue", token);
    struct kube_request request = {.method = "GET", .path = "/api/v1/pods", .query = query.bytes};
    if (kube_send(bench->client, &request, NULL, got_page, bench, &err) == NULL)
        die("a page", &err);
    buf_free(&query);
}

static void parse_pages(const struct bench *bench, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        double parsing = 0, cpu = 0, freeing = 0;
        for (size_t i = 0; i < bench->pages.length; i++) {
            const struct page *page = bench->pages.items[i];
            struct error err = ERROR_INIT;
            double began = ms_of(CLOCK_MONOTONIC), cpu_began = ms_of(CLOCK_PROCESS_CPUTIME_ID);
            struct value *list = json_parse(page->text, page->length, "a page", &err);
            double parsed = ms_of(CLOCK_MONOTONIC);
            parsing += parsed - began;
            cpu += ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_began;
            if (list == NULL)
                die("a page", &err);
            value_free(list);
            freeing += ms_of(CLOCK_MONOTONIC) - parsed;
        }
        printf("parse_ms %.2f\nparse_cpu_ms %.2f\nfree_ms %.2f\n", parsing, cpu, freeing);
    }
}

/* ---- the list as the program reads it ---- */

static void listed_page(void *data, struct value *items)
{
    struct bench *bench = data;
    bench->pods += value_length(items);
}

static void listed(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct bench *bench = data;
    (void)status;
    if (error != NULL)
        die("the list", error);
    value_free(object);
    bench->done = true;
}

static void list_all(struct bench *bench, const char *name, int rounds)
{
    static const struct kube_resource pods = {
        .group = "", .version = "v1", .plural = "pods", .singular = "pod", .kind = "Pod", .namespaced = true};
    const struct kube_target target = {.resource = &pods};
    for (int round = 0; round < rounds; round++) {
        struct error err = ERROR_INIT;
        double began = ms_of(CLOCK_MONOTONIC), cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID);
        bench->done = false;
        bench->pods = 0;
        if (kube_list(bench->client, &target, NULL, listed_page, listed, bench, &err) == NULL)
            die("the list", &err);
        if (!loop_until(bench->loop, &bench->done, LONGEST_MS))
            die("the list is not done after two minutes", &err);
        printf("%s_ms %.2f\n%s_cpu_ms %.2f\n", name, ms_of(CLOCK_MONOTONIC) - began, name,
               ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }
}

int main(int argc, char **argv)
{
    struct error err = ERROR_INIT;
    if (argc != 3)
        return 2;
    int rounds = atoi(argv[2]);
    struct bench bench = {.loop = loop_new(&err), .pages = vec_make(PAGES, free_page)};
    if (bench.loop == NULL)
        die("no loop", &err);
    bench.client = client_for(bench.loop, argv[1], false);
    ask(&bench, NULL);
    if (!loop_until(bench.loop, &bench.done, LONGEST_MS))
        die("the pages did not come in two minutes", &err);
    printf("pods %zu\npages %zu\nbytes %zu\n", bench.pods, bench.pages.length, bench.bytes);
    parse_pages(&bench, rounds);
    vec_free(&bench.pages);
    list_all(&bench, "plain", rounds);
    kube_client_free(bench.client);
    bench.client = client_for(bench.loop, argv[1], true);
    list_all(&bench, "compressed", rounds);
    kube_client_free(bench.client);
    loop_free(bench.loop);
    return 0;
}
