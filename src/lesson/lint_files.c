/* lint_files.c: the lesson's files: do they parse, does anybody use them, are their images and kinds told of? */
#include <ctype.h>
#include <dirent.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/value.h"
#include "data/yaml.h"
#include "lesson/lint.h"

enum { LINT_FILES = 100, LINT_FILE = 256 << 10, LINT_KIND = 128, LINT_DEPTH = 50 };

struct looking {
    struct lint *lint;
    bool given;          /* files/, not solution/ */
    const char *path;    /* "files/nginx.yaml" */
    struct vec *groups;  /* of strings: API groups that the lesson's own CRDs bring */
};

static bool has_image(const struct lint *lint, const char *image)
{
    return vec_has_string(&lint->lesson->images, image);
}

/* ---- images ---- */

static void lint_image(struct looking *look, const char *image)
{
    if (has_image(look->lint, image) || strstr(image, "{{") != NULL)
        return;
    if (look->given)
        lint_error(look->lint, look->path, 0, "image %s is not among the images of lesson.lua", image);
    else if (!lint_lua_names(look->lint, image)) /* one that lesson.lua speaks of is a typo on purpose */
        lint_advise(look->lint, look->path, 0, "image %s is not among the images of lesson.lua", image);
}

static void find_images(struct looking *look, const struct value *v, int depth)
{
    for (const struct value *entry = value_first(v); entry != NULL && depth < LINT_DEPTH; entry = value_next(entry)) {
        const char *key = value_key(entry);
        bool list = key != NULL && (strcmp(key, "containers") == 0 || strcmp(key, "initContainers") == 0);
        for (const struct value *container = list ? value_first(entry) : NULL; container != NULL; container = value_next(container))
            if (value_find_text(container, "image", NULL) != NULL)
                lint_image(look, value_find_text(container, "image", NULL));
        find_images(look, entry, depth + 1);
    }
}

/* kubectl run --image=NAME in the text. */
static void lint_run_images(struct lint *lint, const char *file, const char *text)
{
    static const char option[] = "--image=";
    int line = 1;
    for (const char *at = text, *found; at != NULL && (found = strstr(at, option)) != NULL; at = found + 1) {
        for (; at < found; at++)
            line += *at == '\n';
        const char *from = found + sizeof option - 1;
        char *image = mem_string_n(from, strcspn(from, " \t\r\n`\"'"));
        if (image == NULL)
            lint->no_memory = true;
        else if (image[0] != '<' && image[0] != '{' && image[0] != '\0' && !has_image(lint, image))
            lint_error(lint, file, line, "image %s is not among the images of lesson.lua", image);
        mem_free(image);
    }
}

/* ---- kinds ---- */

/* "Ingress" in "networking.k8s.io/v1" -> "ingresses.networking.k8s.io", as resources are nearly always called. */
static void resource_name(const char *api_version, const char *kind, struct buf *out)
{
    size_t length = strlen(kind), group = strcspn(api_version, "/");
    for (size_t i = 0; i < length; i++)
        buf_append(out, &(char){(char)tolower((unsigned char)kind[i])}, 1);
    char last = length > 0 ? kind[length - 1] : '\0', before = length > 1 ? kind[length - 2] : '\0';
    if (strcmp(kind, "Endpoints") == 0)
        return;
    if (last == 'y' && before != '\0' && strchr("aeiou", before) == NULL) {
        out->length--;
        buf_append_string(out, "ies");
    } else
        buf_append_string(out, last == 's' || last == 'x' || last == 'h' ? "es" : "s");
    if (api_version[group] == '/') {
        buf_append_string(out, ".");
        buf_append(out, api_version, group);
    }
}

static bool needs_it(const struct lint *lint, const char *resource)
{
    size_t length = strlen(resource);
    for (size_t i = 0; i < lint->lesson->needs.length; i++) {
        const char *need = lint->lesson->needs.items[i];
        if (strncmp(need, resource, length) == 0 && (need[length] == '\0' || need[length] == ':'))
            return true;
    }
    return false;
}

static void lint_kind(struct looking *look, const struct value *document)
{
    const char *api_version = value_find_text(document, "apiVersion", NULL), *kind = value_find_text(document, "kind", NULL);
    if (api_version == NULL || kind == NULL) {
        lint_advise(look->lint, look->path, 0, "a document without apiVersion and kind: not for the cluster?");
        return;
    }
    char *group = mem_string_n(api_version, strcspn(api_version, "/"));
    struct buf resource = buf_make(LINT_KIND);
    resource_name(api_version, kind, &resource);
    if (group == NULL || !buf_ok(&resource))
        look->lint->no_memory = true;
    else if (!vec_has_string(look->groups, group) && resource.length > 0 && !needs_it(look->lint, resource.bytes))
        lint_advise(look->lint, look->path, 0, "needs of lesson.lua does not say %s", resource.bytes);
    mem_free(group);
    buf_free(&resource);
}

/* ---- one file ---- */

/* {{name}} is filled in before anybody reads the file: x stands for it. */
static char *without_placeholders(const char *text)
{
    struct buf out = buf_make(LINT_FILE);
    for (const char *open; (open = strstr(text, "{{")) != NULL && strstr(open, "}}") != NULL; text = strstr(open, "}}") + 2) {
        buf_append(&out, text, (size_t)(open - text));
        buf_append_string(&out, "x");
    }
    buf_append_string(&out, text);
    return buf_take(&out, NULL);
}

static bool is_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

/* Parses a file; what is wrong with it is a finding. Then, or without memory, no documents. */
static void read_documents(struct looking *look, struct vec *documents)
{
    struct error err = ERROR_INIT;
    size_t length;
    char *bytes = file_read_below(look->lint->folder, look->path, LINT_FILE, &length, &err), *text = bytes != NULL ? without_placeholders(bytes) : NULL;
    *documents = vec_make(1, NULL);
    if (bytes == NULL)
        lint_error(look->lint, look->path, 0, "%s", err.message);
    else if (text == NULL)
        look->lint->no_memory = true;
    else if (!yaml_parse_all(text, strlen(text), look->path, YAML_DUPLICATES_REFUSE, documents, &err)) {
        const char *colon = strchr(err.where, ':');
        int line = 0;
        for (const char *digit = colon != NULL ? colon + 1 : ""; *digit >= '0' && *digit <= '9'; digit++)
            line = line < 1000000 ? line * 10 + (*digit - '0') : line;
        lint_error(look->lint, look->path, line, "%s%s%s", err.message, err.cause[0] != '\0' ? ": " : "", err.cause);
    }
    mem_free(bytes);
    mem_free(text);
}

static void lint_used(struct looking *look, const char *folder, const char *name)
{
    struct lint *lint = look->lint;
    bool said = lint_lua_names(lint, look->path) || lint_lua_names(lint, folder) || lint_lua_names(lint, name);
    for (int lang = 0; lang < 2 && look->given; lang++)
        said = said || (lint->words[lang] != NULL && strstr(lint->words[lang], name) != NULL);
    if (!said)
        lint_error(lint, look->path, 0, "nobody uses this file");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Every name in files/ or solution/, without hidden ones. */
static bool list_files(const struct lint *lint, const char *folder, struct vec *names)
{
    char *path = mem_printf("%s/%s", lint->folder, folder);
    DIR *open = path != NULL ? opendir(path) : NULL;
    bool ok = path != NULL;
    *names = vec_make(LINT_FILES, mem_free);
    for (struct dirent *entry; ok && open != NULL && (entry = readdir(open)) != NULL;)
        if (entry->d_name[0] != '.')
            ok = vec_push_string(names, entry->d_name);
    if (open != NULL)
        closedir(open);
    mem_free(path);
    vec_sort(names, by_name);
    return ok;
}

enum pass { PASS_GROUPS, PASS_ALL };

static void lint_file(struct looking *look, const char *folder, const char *name, enum pass pass)
{
    struct vec documents;
    char *path = mem_printf("%s%s", folder, name);
    look->path = path;
    if (path == NULL) {
        look->lint->no_memory = true;
        return;
    }
    if (pass == PASS_ALL)
        lint_used(look, folder, name);
    if (is_yaml(name)) {
        size_t known = look->lint->findings->length;
        read_documents(look, &documents);
        while (pass == PASS_GROUPS && look->lint->findings->length > known)
            vec_remove(look->lint->findings, look->lint->findings->length - 1); /* the second pass says it */
        for (size_t i = 0; i < documents.length; i++) {
            const struct value *document = documents.items[i];
            const char *group = value_find_text(document, "spec", "group", NULL);
            if (pass == PASS_GROUPS && group != NULL && !vec_push_string(look->groups, group))
                look->lint->no_memory = true;
            if (pass == PASS_ALL)
                find_images(look, document, 0);
            if (pass == PASS_ALL && look->given)
                lint_kind(look, document);
        }
        vec_free(&documents);
    }
    mem_free(path);
}

static void lint_unused_images(struct lint *lint, const struct vec *names)
{
    for (size_t i = 0; i < lint->lesson->images.length; i++) {
        const char *image = lint->lesson->images.items[i];
        const char *first = lint->source != NULL ? strstr(lint->source, image) : NULL;
        bool used = (first != NULL && strstr(first + 1, image) != NULL) || (lint->words[LANG_EN] != NULL && strstr(lint->words[LANG_EN], image) != NULL);
        for (size_t j = 0; j < names->length && !used; j++) {
            char *path = mem_printf("files/%s", (const char *)names->items[j]), *bytes = path != NULL ? file_read_below(lint->folder, path, LINT_FILE, NULL, NULL) : NULL;
            used = bytes != NULL && strstr(bytes, image) != NULL;
            mem_free(path);
            mem_free(bytes);
        }
        if (!used)
            lint_advise(lint, "lesson.lua", 0, "nothing uses the image %s", image);
    }
}

void lint_files(struct lint *lint)
{
    static const char *const folders[] = {"files/", "solution/"};
    struct vec names[2], groups = vec_make(LINT_FILES, mem_free);
    for (size_t i = 0; i < 2; i++)
        if (!list_files(lint, folders[i], &names[i]))
            lint->no_memory = true;
    for (enum pass pass = PASS_GROUPS; pass <= PASS_ALL; pass++)
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < names[i].length && !lint->no_memory; j++)
                lint_file(&(struct looking){.lint = lint, .given = i == 0, .groups = &groups}, folders[i], names[i].items[j], pass);
    lint_run_images(lint, "en.md", lint->words[LANG_EN]);
    lint_run_images(lint, "zh.md", lint->words[LANG_ZH]);
    lint_unused_images(lint, &names[0]);
    vec_free(&names[0]);
    vec_free(&names[1]);
    vec_free(&groups);
}
