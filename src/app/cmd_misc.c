/* cmd_misc.c: help, version, completion, progress. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"

enum { PROGRESS_FILE = 16 << 20 };

int command_version(struct app *app)
{
    (void)app;
    printf("kubetutor %s\n", KT_VERSION);
    return EXIT_OK;
}

int command_help(struct app *app)
{
    const char *asked = app->arguments.length > 0 ? app->arguments.items[0] : NULL;
    const struct command *found = NULL;
    for (size_t i = 0; asked != NULL && i < command_count && found == NULL; i++)
        if (strcmp(commands[i].name, asked) == 0)
            found = &commands[i];
    if (asked != NULL && found == NULL)
        return say_usage(_("there is no command \"%s\"; kubetutor help lists them"), asked);
    print_help(app, found);
    return EXIT_OK;
}

int command_completion(struct app *app)
{
    const char *shell = app->arguments.items[0];
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(shells[i], shell) == 0) {
            print_completion(shell);
            return EXIT_OK;
        }
    fprintf(stderr, "kubetutor: %s\n", _("completion knows bash, zsh and fish"));
    return EXIT_USAGE;
}

static char *read_input(size_t *length, struct error *err)
{
    struct buf in = buf_make(PROGRESS_FILE);
    char chunk[16384];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, stdin)) > 0;)
        buf_append(&in, chunk, got);
    char *text = buf_take(&in, length);
    if (text == NULL)
        error_set(err, ERROR_LIMIT, "-", "%s", _("the input is too large"));
    return text;
}

static int export_to(struct app *app, const char *file)
{
    struct error err = ERROR_INIT;
    char *text = progress_export(app->progress, &err);
    if (text == NULL)
        return say_error(app, &err);
    bool ok = true;
    if (strcmp(file, "-") == 0)
        ok = fputs(text, stdout) >= 0 || file_error(&err, errno, "write", "-");
    else
        ok = file_write(file, text, strlen(text), 0600, &err);
    mem_free(text);
    return ok ? EXIT_OK : say_error(app, &err);
}

static int import_from(struct app *app, const char *file)
{
    struct error err = ERROR_INIT;
    size_t length = 0;
    char *text = strcmp(file, "-") == 0 ? read_input(&length, &err) : file_read(file, PROGRESS_FILE, &length, &err);
    bool ok = text != NULL;
    if (ok && !progress_import(app->progress, text, length, &err)) {
        char place[sizeof err.where];
        const char *line = strchr(err.where, ':'); /* of what the store calls "progress" */
        snprintf(place, sizeof place, "%s%s", file, line != NULL ? line : "");
        ok = error_context(&err, _("%s cannot be imported"), file);
        memcpy(err.where, place, sizeof place);
    }
    mem_free(text);
    return ok ? EXIT_OK : say_error(app, &err);
}

int command_progress(struct app *app)
{
    const char *what = app->arguments.items[0], *file = app->arguments.items[1];
    if (strcmp(what, "export") == 0)
        return export_to(app, file);
    if (strcmp(what, "import") == 0)
        return import_from(app, file);
    fprintf(stderr, "kubetutor: %s\n", _("progress wants: export FILE or import FILE"));
    return EXIT_USAGE;
}
