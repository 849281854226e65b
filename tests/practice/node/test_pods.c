/* Cases are files: a Pod (and objects before it), what is done with it, and what followed, line by line. KT_RECORD=1 writes what follows into them; compare that with a real cluster. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "node_world.h"

enum { CASE = 1 << 20 };

static const struct client_resource *resource_of(const char *word)
{
    static const struct {
        const char *word;
        const struct client_resource *resource;
    } words[] = {{"pod", &pods_}, {"configmap", &configmaps_}, {"secret", &secrets_}, {"service", &services_}, {"claim", &claims_}, {"volume", &volumes_}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].resource;
    fail_msg("no %s here", word);
    return NULL;
}

/* "WORD REST": one command of a case. */
static void command(struct node_world *node, char *line)
{
    char *rest = strchr(line, ' ');
    if (rest != NULL)
        *rest++ = '\0';
    if (strcmp(line, "step") == 0) {
        node_step(node, atol(rest));
    } else if (strcmp(line, "delete") == 0) {
        node_delete(node, &pods_, "default", rest);
    } else if (strcmp(line, "healthy") == 0) {
        node->fake.healthy = atoi(rest) != 0;
    } else if (strcmp(line, "hosts") == 0) {
        buf_printf(&node->trace, "%s%s", node->fake.hosts, node->fake.resolv);
    } else if (strncmp(line, "env", 3) == 0 || strncmp(line, "file", 4) == 0) {
        char *what = strrchr(rest, ' ');
        *what++ = '\0';
        char *name = strrchr(rest, '/');
        *name++ = '\0';
        struct fake_container *container = fake_find(&node->fake, rest, name);
        const char *text = container == NULL ? "no container" : line[0] == 'e' ? fake_env(container, what) : fake_file(container, what);
        buf_printf(&node->trace, "    %s=%s\n", what, text != NULL ? text : "none");
    } else if (strncmp(line, "patch-", 6) == 0) {
        char *name = rest, *text = strchr(rest, ' ');
        *text++ = '\0';
        node_patch(node, resource_of(line + 6), "", "default", name, text);
    } else if (strncmp(line, "substatus-", 10) == 0) {
        char *name = rest, *text = strchr(rest, ' ');
        *text++ = '\0';
        node_patch(node, resource_of(line + 10), "status", "default", name, text);
    } else if (strncmp(line, "sub-", 4) == 0) {
        char *name = rest, *text = strchr(rest, ' ');
        *text++ = '\0';
        node_patch(node, &pods_, line + 4, "default", name, text);
    } else if (strcmp(line, "volume") == 0) {
        node_make(node, &volumes_, "", rest);
    } else {
        node_make(node, resource_of(line), "default", rest);
    }
}

static char *read_case(const char *path)
{
    struct error err = ERROR_INIT;
    char *text = file_read(path, CASE, NULL, &err);
    if (text == NULL)
        fail_msg("%s: %s", path, err.message);
    return text;
}

static void run_case(const char *path)
{
    static const char line[] = "----\n";
    struct node_world node;
    char *text = read_case(path), *commands = mem_string(text), *wanted = strstr(text, line), *end = strstr(commands, line);
    node_open(&node, NULL);
    buf_clear(&node.trace);
    node.start_ms = cluster_clock_ms(server_api(node.world.server)->clock);
    if (end != NULL)
        *end = '\0';
    for (char *at = strtok(commands, "\n"), *next; at != NULL; at = next) {
        next = strtok(NULL, "\n");
        if (at[0] != '#')
            command(&node, at);
    }
    if (getenv("KT_SHOW") != NULL)
        printf("%s\n%s", path, node.trace.bytes != NULL ? node.trace.bytes : "");
    bool same = wanted != NULL && node.trace.bytes != NULL && strcmp(wanted + sizeof line - 1, node.trace.bytes) == 0;
    if (!same && getenv("KT_RECORD") != NULL) {
        FILE *file = fopen(path, "w");
        fprintf(file, "%.*s%s%s", (int)(wanted != NULL ? wanted - text : (long)strlen(text)), text, line, node.trace.bytes);
        fclose(file);
    } else if (!same) {
        FILE *file = fopen("/tmp/kt-node-case", "w");
        if (file != NULL) {
            fprintf(file, "%s", node.trace.bytes != NULL ? node.trace.bytes : "");
            fclose(file);
        }
        fail_msg("%s: what follows is not what it was; now it is\n%s", path, node.trace.bytes != NULL ? node.trace.bytes : "");
    }
    node_close(&node);
    mem_free(text);
    mem_free(commands);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void what_happens_to_pods_is_what_a_kubelet_does(void **state)
{
    const char *only = getenv("KT_CASE");
    struct vec names = vec_make(1000, mem_free);
    DIR *folder = opendir(KT_TEST_CASES);
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".case") == 0 && (only == NULL || strcmp(only, entry->d_name) == 0))
            assert_true(vec_push_string(&names, entry->d_name));
    }
    closedir(folder);
    vec_sort(&names, by_name);
    assert_true(names.length > 0);
    for (size_t i = 0; i < names.length; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", KT_TEST_CASES, (const char *)names.items[i]);
        run_case(path);
    }
    vec_free(&names);
}

int test_pods(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_happens_to_pods_is_what_a_kubelet_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
