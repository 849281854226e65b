/* paths.c: where the program's own data is, and where the learner's work is. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/internal.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/xdg.h"

enum { FILE_MAXIMUM = 1 << 20 };

/* The folder of the running program; false if the system does not tell. */
static bool program_folder(char *out, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", out, room - 1);
    if (length <= 0)
        return false;
    out[length] = '\0';
    char *slash = strrchr(out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static char *below(const char *folder, const char *rest)
{
    char *path = mem_printf("%s/%s", folder, rest), *real = path != NULL ? realpath(path, NULL) : NULL;
    mem_free(path);
    if (real == NULL)
        return NULL;
    char *copy = mem_string(real);
    free(real);
    return copy;
}

static bool has_lessons(const char *folder)
{
    char *course = folder != NULL ? mem_printf("%s/lessons/course.lua", folder) : NULL;
    bool yes = course != NULL && file_exists(course);
    mem_free(course);
    return yes;
}

char *find_data_folder(struct error *err)
{
    const char *variable = getenv("KUBETUTOR_DATA");
    char program[PATH_MAX];
    if (variable != NULL && variable[0] != '\0') {
        if (has_lessons(variable))
            return mem_string(variable);
        error_set(err, ERROR_NOT_FOUND, variable, "KUBETUTOR_DATA is %s, which has no lessons/course.lua", variable);
        return NULL;
    }
    if (program_folder(program, sizeof program)) {
        const char *const places[] = {"../..", KT_INSTALL_DATA}; /* build/PRESET in a source tree; the installed place */
        for (size_t i = 0; i < 2; i++) {
            char *folder = below(program, places[i]);
            if (has_lessons(folder))
                return folder;
            mem_free(folder);
        }
    }
    error_set(err, ERROR_NOT_FOUND, NULL, "the lessons are not where they should be; set KUBETUTOR_DATA to the folder that holds lessons/, or install again");
    return NULL;
}

char *find_catalogues(void)
{
    char program[PATH_MAX];
    if (!program_folder(program, sizeof program))
        return NULL;
    char *beside = below(program, "locale");
    return beside != NULL ? beside : below(program, KT_INSTALL_LOCALE);
}

static bool same_file(const char *path, const char *bytes, size_t length)
{
    size_t other_length;
    char *other = file_read(path, FILE_MAXIMUM, &other_length, NULL);
    bool same = other != NULL && other_length == length && memcmp(other, bytes, length) == 0;
    mem_free(other);
    return same;
}

/* One file: written if missing; one that the learner edited stays, and the course's is put beside it as NAME.new. What was handed out is remembered in a
 * hidden copy (.NAME.given), by which an unedited file of an older course is told from an edited one. */
static bool hand_out(const char *from_folder, const char *to_folder, const char *name, struct error *err)
{
    size_t length, given_length;
    char *bytes = file_read_below(from_folder, name, FILE_MAXIMUM, &length, err);
    char *path = mem_printf("%s/%s", to_folder, name), *given_path = mem_printf("%s/.%s.given", to_folder, name), *fresh = mem_printf("%s/%s.new", to_folder, name);
    bool ok = bytes != NULL && path != NULL && given_path != NULL && fresh != NULL;
    if (ok && !same_file(path, bytes, length)) {
        char *given = file_read(given_path, FILE_MAXIMUM, &given_length, NULL);
        bool untouched = given != NULL && same_file(path, given, given_length), changed_since = given == NULL || given_length != length || memcmp(given, bytes, length) != 0;
        mem_free(given);
        if (!file_exists(path) || untouched)
            ok = file_write(path, bytes, length, 0644, err);
        else if (changed_since)
            ok = file_write(fresh, bytes, length, 0644, err);
    }
    if (ok && !same_file(given_path, bytes, length))
        ok = file_write(given_path, bytes, length, 0644, err);
    mem_free(bytes);
    mem_free(path);
    mem_free(given_path);
    mem_free(fresh);
    return ok;
}

char *work_folder(const char *lesson_folder, const char *lesson, struct error *err)
{
    const char *home = xdg_home();
    char *to = home != NULL ? mem_printf("%s/kubetutor/%s", home, lesson) : NULL, *from = mem_printf("%s/files", lesson_folder);
    bool ok = to != NULL && from != NULL && file_make_folder(to, 0755, err);
    DIR *folder = ok ? opendir(from) : NULL; /* a lesson without files has no folder for them */
    for (struct dirent *entry; ok && folder != NULL && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            ok = hand_out(from, to, entry->d_name, err);
    if (folder != NULL)
        closedir(folder);
    mem_free(from);
    if (ok)
        return to;
    mem_free(to);
    return NULL;
}

bool pack_is_trusted(const struct app *app)
{
    if (app->values[OPTION_PACK] == NULL)
        return true;
    char *path = xdg_file(XDG_CONFIG, "trusted-packs", NULL), *list = path != NULL ? file_read(path, FILE_MAXIMUM, NULL, NULL) : NULL;
    char *real = realpath(app->pack, NULL);
    bool trusted = false;
    for (const char *line = list; real != NULL && line != NULL && *line != '\0' && !trusted;) {
        size_t length = strcspn(line, "\n");
        trusted = length == strlen(real) && strncmp(line, real, length) == 0;
        line += length + (line[length] == '\n');
    }
    free(real);
    mem_free(list);
    mem_free(path);
    return trusted;
}
